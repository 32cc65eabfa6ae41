"""Intervals rounded outward at few bits, near poles, peaks and the ends of domains; whole powers by brute force."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from enclosures import MPMATH, end, exactly, holds, interval, true
from flint import arb, ctx, fmpq
from mpmath import mp

from boundcheck.kernel.enclosure import intervals as iv

F = Fraction
HALF, TINY = F(1, 2), F(1, 10**9)

# ---------------------------------------------------------------- few bits

PLACES = {
    "asin": [F(k, 16) for k in range(-15, 16, 3)], "acos": [F(k, 16) for k in range(-15, 16, 3)],
    "atanh": [F(k, 16) for k in range(-15, 16, 3)], "acosh": [1 + F(k, 8) for k in range(1, 30, 3)],
    "lambertw": [F(k, 8) for k in range(-2, 20)], "log1p": [F(k, 8) for k in range(-7, 20, 3)],
    "tan": [F(k, 8) for k in range(-11, 12, 2)], "sinc": [F(k, 8) for k in range(1, 60, 7)],
    "gamma": [F(k, 8) for k in (1, 3, 5, 7, 9, 11, 12, 13, 15, 21, 33, -1, -3, -5, -7, -9, -13, -19, -27, -45)]
    + [F(k, 2048) for k in (-21, -1023, -7001, -6001)],
    "loggamma": [F(k, 8) for k in (1, 3, 5, 7, 9, 11, 12, 13, 15, 21, 33)],
    **dict.fromkeys(("log", "sqrt"), tuple(F(k, 8) for k in range(1, 40, 3))),
    **dict.fromkeys(("exp", "sin", "cos", "atan", "sinh", "cosh", "tanh", "asinh", "erf", "erfc", "expm1"),
                    tuple(F(k, 8) for k in range(-23, 24, 3))),
}  # fmt: skip


@pytest.mark.parametrize("name", PLACES)
def test_functions_are_rounded_outward(name):
    f = iv._FUNCTIONS[name]
    with ctx.workprec(11):
        for x in PLACES[name]:
            assert holds(f(interval(x, x)), true(name, x)), x
        for x, y in itertools.pairwise(sorted(PLACES[name])):
            if name in ("gamma", "tan") and f(interval(x, y)) is None:
                assert x < 0
                continue
            found = f(interval(x, y))
            assert all(holds(found, true(name, z)) for z in (x, y, (x + y) / 2)), (x, y)
            assert found[0].bits() <= 11 and found[1].bits() <= 11


OPERATIONS = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
}


@pytest.mark.parametrize("op", OPERATIONS)
def test_operations_are_rounded_outward(op):
    numbers = [F(n, 64) for n in (-201, -127, -65, -33, 35, 97, 131, 255)]
    finer = [F(n, 4096) for n in (-3001, -1303, 777, 1201, 2999)]
    pairs = [list(itertools.combinations(some, 2)) for some in (numbers, finer)]
    with ctx.workprec(8):
        for (a, b), (c, d) in [*itertools.product(*pairs), *itertools.product(*pairs[::-1])]:
            x, y = interval(a, b), interval(c, d)
            found = iv.apply(op, [x, y])
            if op == "div" and c < 0 < d:
                assert found is None
                continue
            values = [OPERATIONS[op](exactly(p), exactly(q)) for p in x[:2] for q in y[:2]]
            assert found is not None and exactly(found[0]) <= min(values) <= max(values) <= exactly(found[1])
            assert float(found[0]) >= min(values) - abs(min(values)) / 64 - F(1, 64)
            assert float(found[1]) <= max(values) + abs(max(values)) / 64 + F(1, 64)


@pytest.mark.parametrize(
    "q", [F(1, 2), F(1, 3), F(5, 2), F(-1, 2), F(-5, 3), F(2001, 1000), F(-2001, 1000), F(7), F(-3)]
)
def test_powers_are_rounded_outward(q):
    with ctx.workprec(9):
        for x, y in itertools.combinations([F(n, 32) for n in (3, 11, 29, 33, 50, 99, 170)], 2):
            found = iv.power(interval(x, y), interval(0, 0), q)
            with mp.workdps(45):
                for z in (x, y, (x + y) / 2):
                    value = mp.power(mp.mpf(z.numerator) / z.denominator, mp.mpf(q.numerator) / q.denominator)
                    assert holds(found, arb(mp.nstr(value, 42)) * arb(1, 1e-38)), (x, y)


def test_powers_at_the_ends_of_what_they_take():
    half, root = F(1, 2), F(-1, 2)
    assert iv.power(interval(-1, 1), iv.ENTIRE, half) is None and iv.power(interval(-2, -1), iv.ENTIRE, root) is None
    assert iv.power(interval(0, 1), iv.ENTIRE, root) is None
    assert iv.power(interval(0, 4), iv.ENTIRE, half) == (arb(0), arb(2), False, False)
    assert iv.power(interval(0, 4, True), iv.ENTIRE, root) == (arb(0.5), iv.INF, False, True)
    assert iv.power(interval(4, math.inf, False, True), iv.ENTIRE, half) == (arb(2), iv.INF, False, True)
    assert iv.power(interval(4, math.inf, False, True), iv.ENTIRE, root) == (arb(0), arb(0.5), True, False)
    assert iv.power(interval(-2, 3), iv.ENTIRE, F(10**7)) is None and iv.power(interval(1, 1), iv.ENTIRE, F(10**6))
    assert iv.power(interval(-2, -1), iv.ENTIRE, F(0)) == (arb(1), arb(1), False, False)
    for a, b, wanted in (
        (interval(0, 1), interval(0, 1), None), (interval(0, 1), interval(-1, 1), None),
        (interval(0, 1), interval(-1, 1, True), None), (interval(-1, 1), interval(1, 2), None),
        (interval(0, 0), interval(1, 2), (arb(0), arb(0), False, False)),
        (interval(0, 0), interval(0, 2), None), (interval(0, 1, True), interval(0, 1), (arb(0), arb(1), True, False)),
        (interval(0, 1), interval(0, 1, True), (arb(0), arb(1), False, False)),
        (interval(0, 1), interval(1, 2), (arb(0), arb(1), False, False)),
        (interval(0, 1, False, True), interval(1, 2), (arb(0), arb(1), False, True)),
        (interval(0, 1, True), interval(1, 2), (arb(0), arb(1), True, False)),
        (interval(1, math.inf, False, True), interval(0, 1), (arb(1), iv.INF, False, True)),
        (interval(0, 1, True), interval(-1, 0), (arb(1), iv.INF, False, True)),
    ):  # fmt: skip
        found = iv.power(a, b)
        assert found == wanted if found is None or wanted is None else all(
            x == y or (isinstance(x, arb) and x.overlaps(y)) for x, y in zip(found, wanted, strict=True)
        ), (a, b)  # fmt: skip


def test_powers_with_a_moving_exponent_are_rounded_outward():
    with ctx.workprec(9), mp.workdps(45):
        for x, y in itertools.combinations([F(n, 32) for n in (3, 11, 29, 33, 50, 99)], 2):
            for e, f in itertools.combinations([F(n, 16) for n in (-37, -11, 9, 23, 41)], 2):
                found = iv.power(interval(x, y), interval(e, f))
                for z, w in itertools.product((x, y), (e, f)):
                    value = mp.power(mp.mpf(z.numerator) / z.denominator, mp.mpf(w.numerator) / w.denominator)
                    assert holds(found, arb(mp.nstr(value, 42)) * arb(1, 1e-38)), (x, y, e, f)


# ---------------------------------------------------------------- peaks and poles


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_waves_over_many_boxes(name):
    f = iv._FUNCTIONS[name]
    for bits in (11, 60):
        with ctx.workprec(bits):
            for lo, width in itertools.product(
                [F(k, 4) for k in range(-30, 30, 3)], (HALF, F(3), F(6), F(13, 2), F(20))
            ):
                found, at = f(interval(lo, lo + width)), [lo + width * k / 24 for k in range(25)]
                assert found is not None and all(holds(found, true(name, x)) for x in (at[0], at[7], at[16], at[24]))
                values = [math.sin(x) if name == "sin" else math.cos(x) for x in at]
                assert float(found[0]) <= min(values) + 1e-15 and float(found[1]) >= max(values) - 1e-15
                assert bits == 11 or width > 6 or (found[0] > min(values) - 0.05 and found[1] < max(values) + 0.05)
                assert found[0] >= -1 and found[1] <= 1 and not found[2] and not found[3]
    for a in (iv.ENTIRE, interval(0, math.inf, False, True), interval(-math.inf, 0, True)):
        assert f(a) == (arb(-1), arb(1), False, False)
    huge = end(10**40)
    assert holds(f((huge, huge, False, False)), true(name, F(10**40)))


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_waves_far_out_at_few_bits(name):
    f = iv._FUNCTIONS[name]
    with ctx.workprec(24):
        for lo in range(2**23, 2**23 + 200, 7):
            found = f(interval(lo, lo + 2))
            if name == "tan":
                assert found is None  # at 24 bits nobody knows where the poles are
                continue
            for k in range(9):
                assert holds(found, true(name, lo + F(k, 4)))


def test_an_end_of_a_wave_is_open_where_the_extreme_is_there_alone():
    sin, cos = iv._FUNCTIONS["sin"], iv._FUNCTIONS["cos"]
    for f, lo, hi, flags in ((sin, 0, 1, "lh"), (cos, 1, 2, "hl"), (sin, 2, 4, "hl"), (cos, 4, 6, "lh"),
                             (sin, 1, 3, "h "), (sin, 4, 6, " h"), (cos, -1, F(1, 2), "l "), (cos, 3, 4, " h"),
                             (sin, 0, 7, "  ")):  # fmt: skip
        for lo_open, hi_open in itertools.product((False, True), repeat=2):
            found = f(interval(lo, hi, lo_open, hi_open))
            flag = {"l": lo_open, "h": hi_open, " ": False}
            assert found[2:] == (flag[flags[0]], flag[flags[1]]), (lo, hi, lo_open, hi_open)
    both = cos(interval(-1, 1, True, False))
    assert not both[2]  # cos 1 is attained at 1


@pytest.mark.parametrize("bits", [12, 60])
def test_tangents_between_their_poles(bits):
    tan = iv._FUNCTIONS["tan"]
    with ctx.workprec(bits):
        for lo, width in itertools.product(
            [F(k, 8) for k in range(-60, 60, 5)], (F(1, 8), F(1), F(3), F(25, 8), F(4), F(7))
        ):
            found = tan(interval(lo, lo + width))
            pole = math.floor(lo / F(math.pi) - HALF) != math.floor((lo + width) / F(math.pi) - HALF)
            if pole:
                assert found is None, (lo, width)
            elif found is not None:
                assert all(holds(found, true("tan", x)) for x in (lo, lo + width, lo + width / 3))
            else:
                assert bits == 12
    for a in (iv.ENTIRE, interval(0, math.inf, False, True), interval(-math.inf, 0, True)):
        assert tan(a) is None


def test_gamma_between_and_at_its_poles():
    gamma = iv._FUNCTIONS["gamma"]
    for n in range(6):
        low, high = F(-n - 1), F(-n)
        for a, b in ((low + F(1, 8), high - F(1, 8)), (low + HALF, high - F(1, 4)), (low + F(1, 16), low + F(1, 8))):
            found = gamma(interval(a, b))
            assert all(holds(found, true("gamma", a + (b - a) * k / 8)) for k in range(9)), (a, b)
            assert found[0] * found[1] > 0  # of one sign
        assert gamma(interval(low, high)) is None and gamma(interval(low, low)) is None
        assert gamma(interval(low, high - HALF)) is None and gamma(interval(low + HALF, high)) is None
        assert gamma(interval(low + HALF, high + HALF)) is None and gamma(interval(low + HALF, high + 1)) is None
        assert gamma(interval(low - HALF, high)) is None and gamma(interval(low, high, True, False)) is None
        inside = gamma(interval(low, high, True, True))
        assert inside is not None and (inside[0] == iv.NINF) != (inside[1] == iv.INF)
        assert gamma(interval(low, high + HALF, True, True)) is None and gamma(interval(low + HALF, 1)) is None
    for edge, known in ((-60, True), (-61, False)):
        found = gamma(interval(F(edge) + F(1, 3), F(edge) + F(2, 3)))
        assert (found is not None) == known
    assert holds(gamma(interval(F(-119, 2), F(-119, 2))), true("gamma", F(-119, 2)))
    for wide in (iv.ENTIRE, interval(-math.inf, -HALF, True), interval(-HALF, math.inf, False, True)):
        assert gamma(wide) is None


def test_gamma_on_the_positive_axis():
    turn = F("1.4616321449683623")
    for name in ("gamma", "loggamma"):
        f = iv._FUNCTIONS[name]
        assert f(interval(0, 1)) is None
        assert f(interval(-1, 1)) is None and f(interval(-1, 1, True)) is None
        assert (f(interval(F(-3, 4), F(-1, 4))) is None) == (name == "loggamma")
        first = f(interval(0, 1, True, False))
        assert first[1] == iv.INF and first[3] and holds(first, true(name, F(1)))
        last = f(interval(2, math.inf, False, True))
        assert last[1] == iv.INF and last[3] and not last[2] and holds(last, true(name, F(2)))
        whole = f(interval(0, math.inf, True, True))
        assert whole[1] == iv.INF and whole[3] and not whole[2] and holds(whole, true(name, turn))
        for bits in (10, 96):
            with ctx.workprec(bits):
                for a, b in ((HALF, F(1)), (F(1), F(2)), (F(5, 4), F(7, 4)), (F(3, 2), F(5, 2)), (turn, F(2)),
                             (F(1), turn), (F(1, 4), F(3)), (turn - TINY, turn + TINY)):  # fmt: skip
                    for flags in itertools.product((False, True), repeat=2):
                        found = f(interval(a, b, *flags))
                        assert all(holds(found, true(name, a + (b - a) * k / 8)) for k in range(9)), (a, b)
                        if a <= turn - TINY and b >= turn + TINY:
                            assert not found[2] and not found[3] and holds(found, true(name, turn))
                        elif bits > 10:
                            assert found[2:] == (flags if a > turn else flags[::-1]) or turn in (a, b)


def test_sinc_has_bounds_everywhere():
    sinc = iv._FUNCTIONS["sinc"]
    assert sinc(iv.ENTIRE)[0] < -0.2172336 and sinc(iv.ENTIRE)[0] > -0.2172338 and sinc(iv.ENTIRE)[1] == 1
    for a in (interval(0, math.inf, False, True), interval(-math.inf, 9, True, False)):
        assert sinc(a)[:2] == sinc(iv.ENTIRE)[:2] and not sinc(a)[2] and not sinc(a)[3]
    for lo, width in itertools.product([F(k, 4) for k in range(-40, 40, 3)], (F(0), F(1, 8), F(1), F(9))):
        found = sinc(interval(lo, lo + width))
        assert all(holds(found, true("sinc", lo + width * k / 8)) for k in range(9))
        assert found[0] > -0.22 and found[1] <= 1 and (width or found[1] - found[0] < 1e-9)


@pytest.mark.parametrize("order", range(5))
def test_polygamma_near_0_and_far_away(order):
    def value(x: Fraction) -> arb:
        with mp.workdps(45):
            return arb(mp.nstr(mp.polygamma(order, mp.mpf(x.numerator) / x.denominator), 40)) * arb(1, 1e-36)

    with ctx.workprec(12):
        for a, b in ((F(1, 8), F(1)), (HALF, F(3)), (F(3), F(21, 2)), (F(11, 8), F(11, 8))):
            for flags in ((False, True), (True, False)):
                found = iv._polygamma(interval(a, b, *flags), order)
                assert all(holds(found, value(a + (b - a) * k / 4)) for k in range(5))
                assert found[2:] == (flags if order % 2 == 0 else flags[::-1])
    rising = order % 2 == 0
    first, last = iv._polygamma(interval(0, 1, True), order), iv._polygamma(interval(1, math.inf, False, True), order)
    assert first[0 if rising else 1] == (iv.NINF if rising else iv.INF) and first[2 if rising else 3]
    assert last[1 if rising else 0] == (0 if order else iv.INF) and last[3 if rising else 2]
    assert holds(first, value(F(1))) and holds(last, value(F(1)))
    assert iv._polygamma(interval(0, 1), order) is None and iv._polygamma(interval(-HALF, 1, True), order) is None
    assert iv.apply("polygamma", [interval(1, 2)], order) == iv._polygamma(interval(1, 2), order)
    assert iv._polygamma(interval(1, 2), 60) is not None and iv._polygamma(interval(1, 2), 61) is None


# ---------------------------------------------------------------- the ends of domains

DOMAINS = {
    "log": (0, None, False, False), "sqrt": (0, None, True, False), "asin": (-1, 1, True, True),
    "acos": (-1, 1, True, True), "acosh": (1, None, True, False), "atanh": (-1, 1, False, False),
    "log1p": (-1, None, False, False),
}  # fmt: skip


@pytest.mark.parametrize("name", DOMAINS)
def test_a_box_may_reach_to_the_end_of_the_domain_and_not_beyond(name):
    low, high, low_closed, high_closed = DOMAINS[name]
    f, most = iv._FUNCTIONS[name], high if high is not None else 5
    inside = F(low) + F(1, 4)
    for is_open in (False, True):
        found = f(interval(low, inside, is_open, False))
        assert (found is not None) == (low_closed or is_open)
        if found is not None:
            assert holds(found, true(name, inside)) and holds(found, true(name, low + TINY))
            assert (found[3] if name == "acos" else found[2]) == is_open
        assert f(interval(low - TINY, inside, is_open)) is None and f(interval(low - 2, low - 1, is_open)) is None
        if high is not None:
            found = f(interval(inside, high, False, is_open))
            assert (found is not None) == (high_closed or is_open)
            if found is not None:
                assert holds(found, true(name, inside)) and holds(found, true(name, high - TINY))
                assert (found[2] if name == "acos" else found[3]) == is_open
            assert f(interval(inside, high + TINY, False, is_open)) is None and f(interval(2, 3, is_open)) is None
        else:
            found = f(interval(inside, math.inf, is_open, True))
            assert found[1] == iv.INF and found[3] and found[2] == is_open and holds(found, true(name, inside))
    assert f(iv.ENTIRE) is None and f(interval(-math.inf, most, True)) is None
    whole = f(interval(low, most, True, True))
    assert holds(whole, true(name, low + TINY)) and holds(whole, true(name, most - TINY)) and whole[2] and whole[3]


def test_lambertw_near_its_branch_point():
    f = iv._FUNCTIONS["lambertw"]
    assert f(interval(F(-36787944117145, 10**14), 0)) is None and f(interval(-1, 0)) is None and f(iv.ENTIRE) is None
    found = f(interval(F(-36787944117144, 10**14), 1))
    assert holds(found, true("lambertw", F(1))) and holds(found, true("lambertw", F(-36787944117144, 10**14)))
    assert f(interval(0, math.inf, True, True)) == (arb(0), iv.INF, True, True)


@pytest.mark.parametrize(("name", "low", "high"), [("exp", 0, math.inf), ("atan", -math.pi / 2, math.pi / 2),
                         ("sinh", -math.inf, math.inf), ("tanh", -1, 1), ("erf", -1, 1), ("erfc", 0, 2),
                         ("asinh", -math.inf, math.inf), ("expm1", -1, math.inf), ("cosh", 1, math.inf)])  # fmt: skip
def test_far_out_a_function_tends_to_its_limits(name, low, high):
    found = iv._FUNCTIONS[name](iv.ENTIRE)
    for k, limit in ((0, low), (1, high)):
        assert found[k] == end(limit) if math.isinf(limit) else abs(found[k] - limit) < 1e-12
        assert found[2 + k] == ((name, k) != ("cosh", 0))


# ---------------------------------------------------------------- whole powers


def test_whole_powers_hold_all_of_them():
    ends = [F(-2), F(-1), F(-1, 2), F(0), F(1, 2), F(1), F(2)]
    for (lo, hi), flags in itertools.product(
        itertools.combinations_with_replacement(ends, 2), ((0, 0), (1, 0), (0, 1))
    ):
        if lo == hi and flags != (0, 0):
            continue
        a = interval(lo, hi, *map(bool, flags))
        xs = [x for x in (lo, lo + TINY, (lo + hi) / 2, hi - TINY, hi, F(0), F(1), F(-1))
              if (x > lo or (x == lo and not flags[0])) and (x < hi or (x == hi and not flags[1]))]  # fmt: skip
        for first, last in itertools.combinations_with_replacement(range(-3, 4), 2):
            for even in (False, True):
                b = interval(2 * first if even else first, 2 * last if even else last)
                found = iv.whole_power(a, b, even)
                ns = range(2 * first, 2 * last + 1, 2) if even else range(first, last + 1)
                if 0 in xs and first < 0:
                    assert found is None, (lo, hi, first, last)
                    continue
                if found is None:
                    assert lo <= 0 <= hi and first < 0
                    continue
                values = [x**n for x in xs for n in ns]
                for v in (min(values), max(values)):
                    wide = holds(found, end(v) * arb(1, 1e-25))
                    assert wide, (lo, hi, flags, first, last, even, found, v)
                    # an end that is open is met by none
                    assert not (found[2] and found[0] == end(v)) and not (found[3] and found[1] == end(v)), (lo, hi, v)
                assert not even or found[0] >= 0
                assert max(map(abs, values)) * 2 + 1 >= abs(float(found[1])) or 0 in (lo, hi)


def test_whole_powers_without_a_bound():
    ray = interval(0, math.inf, False, True)
    assert iv.whole_power(interval(-HALF, HALF), ray)[:2] == (arb(-1), arb(1))
    low, high, *_ = iv.whole_power(interval(-HALF, HALF), interval(1, math.inf, False, True))
    assert -0.5000001 < low <= -0.5 and 0.5 <= high < 0.5000001
    assert iv.whole_power(interval(-1, HALF), interval(1, math.inf, False, True))[:2] == (arb(-1), arb(1))
    assert iv.whole_power(interval(-2, HALF), ray) == (iv.NINF, iv.INF, False, True)
    assert iv.whole_power(interval(0, 2), ray) == (arb(0), iv.INF, False, True)
    assert iv.whole_power(interval(0, math.inf, False, True), interval(1, 2)) == (arb(0), iv.INF, False, True)
    assert iv.whole_power(interval(0, 0), ray)[:2] == (arb(0), arb(1))
    assert iv.whole_power(interval(0, 0), interval(1, 3))[:2] == (arb(0), arb(0))
    assert iv.whole_power(interval(2, 3), ray) == (arb(1), iv.INF, False, True)
    assert iv.whole_power(interval(-3, -2), ray)[:2] == (iv.NINF, iv.INF)
    with ctx.workprec(7):
        for a, b in ((interval(F(-5, 3), F(4, 3)), interval(2, 5)), (interval(F(-2, 3), HALF), interval(3, 5))):
            size = max(abs(exactly(a[0])), abs(exactly(a[1])))
            found = iv.whole_power(a, b)
            assert exactly(found[1]) >= size ** (5 if size > 1 else 3) and exactly(found[0]) <= -(
                size ** (5 if size > 1 else 3)
            )


# ---------------------------------------------------------------- the small ones


def test_hulls_balls_and_what_is_known():
    sides = [(-1, 0), (-1, 1), (0, 1), (0, 0), (1, 1), (-math.inf, 0), (0, math.inf)]
    some = [interval(*s, *(f if s[0] != s[1] else (False, False)))
            for s in sides for f in itertools.product((False, True), repeat=2)]  # fmt: skip
    for a, b in itertools.product(some, some):
        lo, hi, lo_open, hi_open = iv.hull((a, b))
        assert lo == (a[0] if a[0] < b[0] else b[0]) and hi == (a[1] if a[1] > b[1] else b[1])
        assert lo_open == all(x[2] for x in (a, b) if x[0] == lo) and hi_open == all(
            x[3] for x in (a, b) if x[1] == hi
        )
    assert iv.hull((some[0],)) == some[0] and iv.hull(some)[:2] == (iv.NINF, iv.INF)
    assert iv.ball(None).is_nan() and iv.ball(interval(-1, 3)).contains(-1) and iv.ball(interval(-1, 3)).contains(3)
    assert not iv.ball(interval(-1, 3)).contains(3.5)
    for a, known in ((None, False), (interval(-1, 1), True), (interval(-math.inf, 1, True), False), (iv.ENTIRE, False),
                     (interval(1, math.inf, False, True), False)):  # fmt: skip
        assert iv.bounded(a) == known
    for a, weak, strict in ((None, False, False), (interval(0, 1), True, False), (interval(0, 1, True), True, True),
                            (interval(1, 2), True, True), (interval(1, 2, True), True, True),
                            (interval(-1, 1), False, False), (interval(-1, 1, True), False, False),
                            (interval(0, 0), True, False), (interval(F(1, 4), 2), True, True)):  # fmt: skip
        assert (iv.positive(a, False), iv.positive(a, True)) == (weak, strict)
    assert iv.between(iv.NINF, arb(1)) == (iv.NINF, arb(1), True, False)
    assert iv.between(arb(1), iv.INF) == (arb(1), iv.INF, False, True)
    assert iv.around(arb.nan()) is None and iv.around(fmpq(3)) == (arb(3), arb(3), False, False)
    assert iv.around(iv.INF) == (iv.INF, iv.INF, True, True)
    low, high, *flags = iv.around(arb(2, 0.5))
    assert 1.4999 < low <= 1.5 and 2.5 <= high < 2.5001 and flags == [False, False]
    assert iv.point(arb.nan()) is None and iv.point(iv.INF) is None and iv.point(arb(2)) == interval(2, 2)
    assert iv.apply("nothing", [interval(0, 1)]) is None


def test_steps_and_the_least_and_most():
    for name in ("floor", "ceil"):
        f = iv._FUNCTIONS[name]
        for lo, hi in ((F(1, 4), F(9, 4)), (F(-9, 4), F(-1, 4)), (F(1), F(2)), (F(-1), F(-1))):
            found = f(interval(lo, hi))
            assert found[:2] == (end(int(MPMATH[name](float(lo)))), end(int(MPMATH[name](float(hi)))))
            assert not found[2] and not found[3]
        assert f(iv.ENTIRE)[:2] == (iv.NINF, iv.INF)
        with ctx.workprec(4):
            assert all(
                holds(f(interval(x, x)), true(name, exactly(interval(x, x)[0]))) for x in (F(201, 2), F(-201, 2))
            )
    some = [
        interval(*s, *f) for s in ((0, 1), (0, 2), (1, 3), (-1, 1)) for f in itertools.product((False, True), repeat=2)
    ]
    for a, b, c in itertools.product(some[:8], some[4:], some[::3]):
        least, most = iv.apply("min", [a, b, c]), iv.apply("max", [a, b, c])
        lows, highs = [exactly(x[0]) for x in (a, b, c)], [exactly(x[1]) for x in (a, b, c)]
        assert exactly(least[0]) == min(lows) and exactly(least[1]) == min(highs)
        assert exactly(most[0]) == max(lows) and exactly(most[1]) == max(highs)
        assert least[2] == all(x[2] for x in (a, b, c) if exactly(x[0]) == min(lows))
        assert least[3] == any(x[3] for x in (a, b, c) if exactly(x[1]) == min(highs))
        assert most[3] == all(x[3] for x in (a, b, c) if exactly(x[1]) == max(highs))
        assert most[2] == any(x[2] for x in (a, b, c) if exactly(x[0]) == max(lows))


def test_sizes_products_and_reciprocals_have_open_ends():
    for lo, hi in ((-1, 2), (-2, 1), (-1, 1), (0, 1), (-1, 0), (1, 2), (-2, -1)):
        for flags in itertools.product((False, True), repeat=2):
            found = iv.absolute(interval(lo, hi, *flags))
            top = max(-lo, hi)
            low = max(0, lo, -hi)
            assert found[:2] == (arb(low), arb(top))
            assert found[3] == all(f for f, x in zip(flags, (lo, hi), strict=True) if abs(x) == top)
            assert found[2] == (low == min(map(abs, (lo, hi))) and not lo < 0 < hi
                                and flags[0 if abs(lo) == low else 1])  # fmt: skip
            inverse = iv.reciprocal(interval(lo, hi, *flags))
            if lo < 0 < hi or (lo == 0 and not flags[0]) or (hi == 0 and not flags[1]):
                assert inverse is None
            else:
                wanted = [iv.INF if hi == 0 or lo == 0 else 1 / arb(lo), 1 / arb(hi) if hi else iv.NINF]
                wanted[0] = 1 / arb(lo) if lo else iv.INF
                assert inverse[0] == wanted[1] and inverse[1] == wanted[0] and inverse[2:] == flags[::-1]
    assert iv.reciprocal(interval(2, math.inf, False, True)) == (arb(0), arb(0.5), True, False)
    assert iv.reciprocal(interval(-math.inf, -2, True, False)) == (arb(-0.5), arb(0), False, True)
    one = interval(0, 1, True, False)
    assert iv.mul(one, interval(0, 2)) == (arb(0), arb(2), False, False)
    assert iv.mul(one, interval(0, 2, True, True)) == (arb(0), arb(2), True, True)
    assert iv.mul(one, interval(-1, 2, True, True)) == (arb(-1), arb(2), True, True)
    assert iv.mul(interval(0, 0), iv.ENTIRE) == (arb(0), arb(0), False, False)
    assert iv.mul(interval(0, math.inf, True, True), interval(0, 1)) == (arb(0), iv.INF, False, True)
