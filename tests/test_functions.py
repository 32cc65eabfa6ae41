"""The table of functions against mpmath: every entry, in every arithmetic that reads it, and planted wrong entries."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import acb, arb, ctx, fmpq
from mpmath import mp
from slow import thinned

from benchmarks.hunter import nums
from boundcheck.arith import floats
from boundcheck.arith.boxes import enclose
from boundcheck.arith.mp import evaluate
from boundcheck.claims import as_claim
from boundcheck.decide import decide
from boundcheck.kernel.certificate import verify
from boundcheck.kernel.check.formal import remainder
from boundcheck.kernel.derivative import derivative
from boundcheck.kernel.enclosure import balls, complexes, points
from boundcheck.kernel.enclosure.ends import ends
from boundcheck.kernel.enclosure.growth import Bound, Scale
from boundcheck.kernel.formula import call, const, num, parse, substitute, unfolding, var
from boundcheck.kernel.formula.functions import RISING, TABLE, Function
from boundcheck.kernel.formula.unfolding import unfolded
from boundcheck.kernel.proof.judgements import Judge
from boundcheck.kernel.proof.sorts import read_sort
from boundcheck.verdict import Status

DIGITS = 40
SMOOTH = [name for name in TABLE if name not in ("floor", "ceil")]
MPMATH = {name: getattr(mp, name) for name in TABLE if name != "abs"} | {"abs": abs}


def number(text: str) -> mp.mpf:
    """An end of a domain, or a limit."""
    return {"oo": mp.inf, "-oo": -mp.inf}[text] if text.endswith("oo") else evaluate(parse(text), {}, DIGITS)


def inside(f: Function, seed: int, count: int = 12) -> list[mp.mpf]:
    """Random points of the domain, some near to its ends."""
    rng = random.Random(seed)
    low, high = (max(number(f.low), mp.mpf(-6)), min(number(f.high), mp.mpf(6)))
    near = [mp.mpf(10) ** -k for k in (2, 5)]
    found = [low + (high - low) * mp.mpf(rng.random()) for _ in range(count)]
    found += [low + e for e in near if f.low != "-oo"] + [high - e for e in near if f.high != "oo"]
    return [x for x in found if x != 0]


def faults(name: str, f: Function) -> Iterator[str]:
    """What is wrong with an entry."""
    with mp.workdps(DIGITS):
        value = MPMATH[name]
        at = sorted(inside(f, 3))
        for x in at:
            y = mp.re(value(x))
            if f.slope:
                told = evaluate(parse(f.slope), {"x": x, "f": y}, DIGITS)
                if abs(told - mp.diff(value, x)) > mp.mpf("1e-12") * (1 + abs(told)):
                    yield "slope"
            if f.same and abs(evaluate(parse(f.same), {"x": x}, DIGITS) - y) > mp.mpf("1e-25") * (1 + abs(y)):
                yield "same"
            if f.odd and abs(mp.re(value(-x)) + y) > mp.mpf("1e-30"):
                yield "odd"
            bounds = f.range or (tuple(sorted(f.limits, key=number)) if f.rises is not None else ("-oo", "oo"))
            if not number(bounds[0]) <= y <= number(bounds[1]):
                yield "range" if f.range else "limits"
        if f.range:
            [all_] = floats.compile_function([call(name, var("x"))], ["x"])([np.linspace(-20, 20, 200_001)])
            ends_ = [float(number(end)) for end in f.range]
            if not (ends_[0] <= min(all_) < ends_[0] + 1e-6 and ends_[1] - 1e-6 < max(all_) <= ends_[1]):
                yield "range"
        ys = [mp.re(value(x)) for x in at]
        steps = {a < b for a, b in itertools.pairwise(ys)}
        if f.rises is not None and steps != {f.rises}:
            yield "rises"
        for where, what in f.exact.items():
            if abs(value(mp.mpf(where)) - what) > mp.mpf("1e-30"):
                yield "exact"
        for end, closed, limit, step in zip((f.low, f.high), f.closed, f.limits, (1, -1), strict=True):
            if f.rises is None:
                continue
            if closed:
                if abs(mp.re(value(number(end))) - number(limit)) > mp.mpf("1e-15"):
                    yield "limits"
            else:
                far = mp.mpf(10) ** 30
                x = -step * far if end.endswith("oo") else number(end) + step / far
                y = mp.re(value(x)) if name not in ("exp", "sinh", "expm1") else mp.re(value(-step * 200))
                if abs(y) < 30 if limit.endswith("oo") else abs(y - number(limit)) > mp.mpf("1e-10"):
                    yield "limits"
            beyond = None if end.endswith("oo") else value(number(end) - step * mp.mpf("0.01"))
            if beyond is not None and mp.isfinite(beyond) and mp.im(beyond) == 0:
                yield "domain"


@pytest.mark.parametrize("name", SMOOTH)
def test_an_entry_says_what_mpmath_says(name):
    assert not list(faults(name, TABLE[name]))


@pytest.mark.parametrize(
    ("name", "change", "fault"),
    [
        ("lambertw", {"slope": "exp(-f)/(1 - f)"}, "slope"),
        ("lambertw", {"limits": ("-0.9", "oo")}, "limits"),
        ("lambertw", {"low": "-1/2"}, "limits"),
        ("sinc", {"range": ("-0.2172", "1")}, "range"),
        ("cos", {"range": ("-1", "1.1")}, "range"),
        ("sinc", {"slope": "(cos(x) + f)/x"}, "slope"),
        ("sinc", {"odd": True}, "odd"),
        ("log1p", {"same": "log(x)"}, "same"),
        ("log1p", {"low": "-1/2", "limits": ("-oo", "oo")}, "domain"),
        ("expm1", {"limits": ("0", "oo")}, "limits"),
        ("expm1", {"rises": False}, "rises"),
        ("erfc", {"limits": ("1", "0")}, "limits"),
        ("acos", {"exact": {0: 0}}, "exact"),
        ("asin", {"same": "acos(x) - pi/2"}, "same"),
    ],
)
def test_a_wrong_entry_is_found(name, change, fault):
    assert fault in set(faults(name, replace(TABLE[name], **change)))


def rational(x: mp.mpf) -> Fraction:
    return Fraction(int(mp.floor(x * 2**40)), 2**40)


def boxes(name: str, seed: int) -> list[tuple[Fraction, Fraction]]:
    """Boxes in the domain with dyadic ends, and points."""
    rng = random.Random(seed)
    at = [rational(x) for x in inside(TABLE[name], seed)]
    at = [x for x in at if number(TABLE[name].low) < mp.mpf(x.numerator) / x.denominator]
    return [tuple(sorted(rng.sample(at, 2))) for _ in range(8)] + [(x, x) for x in at[:3]]


def exact(q: Fraction) -> arb:
    return arb(fmpq(q.numerator, q.denominator))


def rounded(y: mp.mpf) -> arb:
    """A ball that holds what 30 digits of a number leave open, whatever the precision in force."""
    return arb(mp.nstr(y, 30)) + arb(0, 1e-25) * (1 + abs(arb(mp.nstr(y, 30))))


@pytest.mark.parametrize("name", SMOOTH)
def test_every_arithmetic_holds_the_values(name):
    e = call(name, var("x"))
    for lo, hi in boxes(name, 5):
        a, b = exact(lo), exact(hi)
        box = balls.enclose(e, {"x": (a, b, False, False)})
        low, high, ok = enclose(e, {"x": (np.array([float(lo)]), np.array([float(hi)]))})
        for k in range(5):
            x = lo + (hi - lo) * Fraction(k, 4)
            if name == "gamma" and lo <= 0:
                continue
            y = evaluate(e, {"x": x}, DIGITS)
            if mp.isnan(y):
                assert box is None or lo < 0  # loggamma below 0
                continue
            ball, point = rounded(y), points.value_at(e, {"x": fmpq(x.numerator, x.denominator)})
            assert points.as_arb(point).overlaps(ball)
            assert box is None or (box[0] <= ball.upper() and ball.lower() <= box[1])
            assert not ok[0] or low[0] - 1e-9 * (1 + abs(low[0])) <= y <= high[0] + 1e-9 * (1 + abs(high[0]))
            double = float(floats.compile_function([e], ["x"])([np.array([float(x)])])[0][0])
            assert double == pytest.approx(float(y), rel=1e-9, abs=1e-12)
            z = complexes.value(e, {"x": acb(exact(x))}, False)
            assert not z.is_finite() or z.real.overlaps(ball)


@pytest.mark.parametrize("name", sorted(RISING | {"acos", "erfc"}))
def test_a_function_that_goes_one_way_is_sharp_on_wide_boxes(name):
    """Over the whole domain the values are those between the limits, up to rounding."""
    f = TABLE[name]
    at = ends(name)
    with ctx.workprec(200):
        low, high = at.low().upper(), at.high().lower()
        box = balls.enclose(call(name, var("x")), {"x": (low, high, not f.closed[0], not f.closed[1])})
    for end, limit in zip(box[:2], sorted(f.limits, key=number), strict=True):
        wanted = number(limit)
        assert (abs(end) == arb.pos_inf()) if mp.isinf(wanted) else abs(float(end) - float(wanted)) < 1e-12


@pytest.mark.parametrize("name", [n for n, f in TABLE.items() if f.partial])
def test_what_may_be_outside_of_the_domain_has_no_value(name):
    f, e = TABLE[name], call(name, var("x"))
    end = Fraction(-37, 100) if name == "lambertw" else Fraction(int(f.low)) - Fraction(1, 10**9)
    inside_ = end + 1
    assert balls.enclose(e, {"x": (exact(end), exact(inside_), False, False)}) is None
    assert points.as_arb(points.value_at(e, {"x": fmpq(end.numerator, end.denominator)})).is_nan()
    assert mp.isnan(evaluate(e, {"x": end}, DIGITS))
    assert np.isnan(floats.compile_function([e], ["x"])([np.array([float(end) - 1e-3])])[0][0])


def test_a_double_next_to_the_branch_point_of_lambertw_is_not_told_wrongly():
    low = ends("lambertw").low()
    touching = low.upper()  # perhaps the branch point, perhaps not
    found = balls.enclose(call("lambertw", var("x")), {"x": (touching, touching, False, False)})
    assert found is None or found[1] > -1


@pytest.mark.parametrize(("name", "at"), [("lambertw", "1"), ("lambertw", "0"), ("sinc", "0"), ("sinc", "2")])
def test_taylor_coefficients_and_their_remainder(name, at):
    """Derivatives of all orders at a point and over a range, against those that mpmath takes."""
    x = Fraction(at)
    box = (exact(x - Fraction(1, 8)), exact(x + Fraction(1, 8)), False, False)
    with mp.workdps(60):
        for n in range(1, 6):
            tail = remainder(name, n, box, None)
            assert tail is not None
            for k in range(5):
                y = mp.mpf(x.numerator) / x.denominator + mp.mpf(k - 2) / 16
                told = mp.re(mp.taylor(MPMATH[name], y, n)[n]) if y != 0 or name != "sinc" else mp.mpf(0)
                assert tail[0] <= rounded(told).upper() and rounded(told).lower() <= tail[1]


@pytest.mark.parametrize("name", [n for n, f in TABLE.items() if f.same])
def test_what_is_unfolded_has_the_same_derivative(name):
    e = call(name, var("x"))
    other = unfolded(e)
    for x in inside(TABLE[name], 11, 4):
        a, b = (evaluate(derivative(g, "x"), {"x": x}, DIGITS) for g in (e, other))
        assert abs(a - b) < mp.mpf("1e-12") * (1 + abs(a))
    assert unfolded(call("sin", var("x"))) is None and unfolded(num(1)) is None
    assert substitute(other, {"x": const("pi")}) == unfolded(call(name, const("pi")))


@pytest.mark.parametrize(
    ("claim", "where", "status"),
    [
        ("log1p(x) <= x", "x > -1", "PROVED"),
        ("log1p(x) <= 0.99*x", "x > 0", "REFUTED"),
        ("log1p(x) >= x/(1 + x)", "x > -1", "PROVED"),
        ("expm1(x) >= x", "", "PROVED"),
        ("expm1(x) <= 1.72*x", "0 <= x <= 1", "PROVED"),
        ("expm1(x) <= 1.71*x", "0 <= x <= 1", "REFUTED"),
        ("lambertw(x)*exp(lambertw(x)) == x", "x >= 0", "PROVED"),
        ("lambertw(x) <= x", "x >= 0", "PROVED"),
        ("lambertw(x) <= log1p(x)", "x >= 0", "PROVED"),
        ("lambertw(x) <= log1p(x)*0.99", "x >= 0", "REFUTED"),
        ("lambertw(1) < 0.5672", "", "PROVED"),
        ("lambertw(1) < 0.5671", "", "REFUTED"),
        ("lambertw(x) <= 3", "x <= 10", "UNDECIDED"),  # it has no value below -1/e
        ("asinh(x) <= x", "x >= 0", "PROVED"),
        ("asinh(x) >= log1p(x)", "x >= 0", "PROVED"),
        ("atanh(x) >= x + x**3/3", "0 <= x < 1", "PROVED"),
        ("atanh(x) >= x + x**3/2.9", "0 <= x < 1", "REFUTED"),
        ("cosh(acosh(x)) == x", "x >= 1", "PROVED"),
        ("integral(1/sqrt(1 + t**2), t, 0, x) == asinh(x)", "0 <= x <= 5", "PROVED"),
        ("sinc(x) <= 1", "", "PROVED"),
        ("sinc(x) >= -0.2173", "", "PROVED"),
        ("sinc(x) >= -0.2172", "", "REFUTED"),
        ("sinc(x)*x == sin(x)", "", "PROVED"),
        ("sinc(x) >= 1 - x**2/6", "0 <= x <= 1", "PROVED"),
        ("sinc(x) >= 1 - x**2/6.1", "0 <= x <= 1", "REFUTED"),
    ],
)
def test_claims_about_the_new_functions(claim, where, status):
    read = as_claim(claim, [where] if where else [])
    verdict = decide(read, 0.5 if status == "UNDECIDED" else 10.0)
    assert verdict.status is Status(status)
    assert verdict.status is not Status.PROVED or verify(verdict.certificate, read).valid


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("sinc", True),
        ("tanh", True),
        ("asin", False),
        ("acos", False),
        ("log1p", False),
        ("lambertw", False),
        ("expm1", False),
    ],
)
def test_a_mean_exists_of_what_is_bounded_wherever_its_argument_is(name, told):
    """asin of a random number may be anything where that is above 1."""
    judge = Judge((), (), {"X": read_sort("random real")})
    assert judge.bounded(call(name, var("X"))) is told


@pytest.mark.parametrize(
    ("name", "at", "told"),
    [("asin", 1, True), ("acos", -1, True), ("acosh", 1, True), ("atanh", 1, False), ("atanh", -1, False),
     ("log", 0, False), ("log1p", -1, False), ("asin", 2, False), ("lambertw", -1, False), ("lambertw", 0, True),
     ("sinc", 0, True), ("gamma", 0, False)],
)  # fmt: skip
def test_models_know_which_ends_belong_to_a_domain(name, at, told):
    assert nums.defined(name, fmpq(at)) is told


# ---------------------------------------------------------------- ends at infinity, growth, cuts


@pytest.mark.parametrize("name", [n for n, f in TABLE.items() if f.partial and f.high == "oo"])
def test_a_domain_up_to_infinity_has_values_up_to_there(name):
    lo, hi, _, is_open = balls.enclose(call(name, var("x")), {"x": (arb(2), arb.pos_inf(), False, True)})
    assert hi == arb.pos_inf() and is_open
    assert lo <= points.as_arb(points.value_at(call(name, var("x")), {"x": fmpq(2)})).upper()


def outgrown(told: Bound, f, at: list[mp.mpf]) -> list[mp.mpf]:
    """The places where c*w**b <= |f| <= C*w**a, or the sign, is wrong; ``f`` is a function of w."""
    a, b, c, C = (mp.mpf(float(x)) for x in (told.a, told.b, told.c, told.C))
    ok = 1 + mp.mpf(10) ** -9
    return [w for w in at if not c * w**b <= abs(f(w)) * ok or abs(f(w)) > C * w**a * ok or told.sign * f(w) < 0]


GROWN = [  # formula in t, its end ("" is oo), the side
    ("log1p(1/t)", "", 1), ("atanh(1/t**2)", "", 1), ("expm1(-1/t)", "", 1), ("lambertw(1/t)", "", 1),
    ("lambertw(t)", "", 1), ("sinc(t)", "", 1), ("asinh(t)", "", 1), ("acosh(t)", "", 1), ("log1p(t)", "", 1),
    ("atanh(t)", "1", -1), ("log1p(t)", "-1", 1), ("asinh(-t)", "0", 1), ("expm1(t)", "0", -1),
    ("sinc(1/t)", "0", 1), ("lambertw(-t)", "0", 1), ("tanh(1/t)", "", 1), ("sin(1/t)", "", 1),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "end", "side"), GROWN)
def test_growth_holds_next_to_the_end(formula, end, side):
    e, W = parse(formula), 50
    told = Scale("t", {}, arb(W), parse(end) if end else None, side).bound(e)
    assert told is not None

    def f(w):
        return evaluate(e, {"t": mp.mpf(end) + side / w if end else w}, DIGITS)

    with mp.workdps(DIGITS):
        at = [W * mp.mpf(2) ** (mp.mpf(k) / 3) for k in range(1, 90)]
        assert not outgrown(told, f, at)
        assert outgrown(replace(told, C=told.C / 100), f, at)
        assert told.sign == 0 or outgrown(replace(told, sign=-told.sign), f, at)
        assert told.c == 0 or outgrown(replace(told, c=told.c * 100), f, at)


@pytest.mark.parametrize(
    ("name", "cut"),
    [("log1p", (-3, 0)), ("lambertw", (-1, 0)), ("atanh", (2, 0)), ("asinh", (0, 2)), ("atan", (0, -2))],
)
def test_a_cut_is_never_crossed(name, cut):
    """Values off the cut are those of mpmath; a ball that touches it has none where analyticity is asked for."""
    rng = random.Random(name)
    e = call(name, var("x"))
    for _ in range(40):
        re, im = rng.randint(-400, 400), rng.choice([-1, 1]) * rng.randint(1, 400)
        got = complexes.value(e, {"x": acb(arb(re) / 100, arb(im) / 100)}, True)
        want = MPMATH[name](mp.mpc(mp.mpf(re) / 100, mp.mpf(im) / 100))
        if name in ("asinh", "atan") and re == 0:
            continue
        assert abs(complex(got) - complex(want)) < 1e-12
    for radius in (0, 0.1):
        assert not complexes.value(e, {"x": acb(arb(cut[0], radius), arb(cut[1], radius))}, True).is_finite()


@pytest.mark.parametrize(
    ("claim", "status"),
    thinned(
        [
            ("integral(log1p(t)/t, t, -1, 0) <= 1.645", "PROVED"),
            ("integral(log1p(t)/t, t, -1, 0) <= 1.644", "REFUTED"),
            ("integral(atanh(t), t, 0, 1) <= 0.6932", "PROVED"),
            ("integral(atanh(t), t, 0, 1) <= 0.6931", "REFUTED"),
            ("integral(atanh(t), t, 0, 2) <= 1000", "UNDECIDED"),
            ("integral(lambertw(t), t, 0, E) <= 1.7183", "PROVED"),
            ("integral(lambertw(t), t, 0, E) <= 1.7182", "REFUTED"),
            ("integral(t/expm1(t), t, 0, oo) <= 1.645", "PROVED"),
            ("integral(t/expm1(t), t, 0, oo) <= 1.644", "REFUTED"),
            ("integral(log1p(t)/t**2, t, 1, oo) <= 1.387", "PROVED"),
            ("integral(log1p(t)/t**2, t, 1, oo) <= 1.386", "REFUTED"),
            ("integral(lambertw(1/t), t, 1, oo) <= 1000", "UNDECIDED"),  # it diverges
            ("sum(expm1(1/k**2), k, 1, oo) <= 2.5", "PROVED"),
            ("sum(expm1(1/k**2), k, 1, oo) <= 2.38", "REFUTED"),
            ("sum(log1p(1/k), k, 1, oo) <= 1000", "UNDECIDED"),  # it diverges
        ],
        4,
    ),
)
def test_integrals_and_sums_of_the_new_functions(claim, status):
    read = as_claim(claim)
    verdict = decide(read, 0.5 if status == "UNDECIDED" else 2.0)
    assert verdict.status is Status(status)
    assert verdict.status is not Status.PROVED or verify(verdict.certificate, read).valid


# ---------------------------------------------------------------- random claims

INNER = {
    "x": lambda x: x, "-x": lambda x: -x, "x**2 - 1": lambda x: x**2 - 1, "1 - x**2": lambda x: 1 - x**2,
    "exp(-x)": lambda x: mp.exp(-x), "x/(1 + x**2)": lambda x: x / (1 + x**2), "sin(x)": mp.sin,
    "-1/E + x**2": lambda x: -mp.exp(-1) + x**2, "1 + x**2": lambda x: 1 + x**2, "x*exp(x)": lambda x: x * mp.exp(x),
}  # fmt: skip
NEW = ("log1p", "expm1", "sinc", "lambertw", "asinh", "acosh", "atanh")
PLACES = ("-1", "-1/E", "-1/2", "0", "1/2", "1", "2")


def real(name: str, inner: str, x: mp.mpf) -> mp.mpf | None:
    """The value by mpmath alone; None where there is none."""
    y = INNER[inner](x)
    try:
        value = MPMATH[name](y)
    except (ValueError, ZeroDivisionError):
        return None
    return mp.re(value) if mp.isfinite(value) and mp.im(value) == 0 else None


def contradicted(values: list[mp.mpf | None], above: bool, bound: mp.mpf, status: Status) -> bool:
    """Whether values at points of the domain contradict a verdict on "f <= bound" (not ``above``: ">=")."""
    fails = [y is not None and (y > bound if above else y < bound) for y in values]
    if status is Status.PROVED:
        return any(fails) or None in values
    return status is Status.REFUTED and not any(fails)


@pytest.mark.parametrize("name", thinned(NEW, 4))
def test_random_claims_agree_with_mpmath(name):
    rng, decided, whole = random.Random(name), 0, 0
    with mp.workdps(50):
        for _ in range(12):
            inner, above, wrong = rng.choice(list(INNER)), rng.random() < 0.5, rng.random() < 0.5
            low, high = sorted(rng.sample(range(len(PLACES)), 2))
            a, b = (evaluate(parse(PLACES[k]), {}, 50) for k in (low, high))
            at = [a + (b - a) * k / 400 for k in range(1, 400)] + [a + (b - a) * mp.mpf(10) ** -k for k in (4, 6, 9)]
            values = [real(name, inner, x) for x in at]
            known = [y for y in values if y is not None]
            if not known:
                continue
            edge = max(known) if above else min(known)
            room = mp.mpf("0.001") * max(abs(edge), mp.mpf("0.01")) * (1 if above != wrong else -1)
            text = mp.nstr(edge + room, 12)
            read = as_claim(
                f"{name}({inner}) {'<=' if above else '>='} {text}", [f"{PLACES[low]} < x", f"x < {PLACES[high]}"]
            )
            verdict = decide(read, 0.5)
            if verdict.status is Status.REFUTED:
                values = [real(name, inner, evaluate(parse(str(verdict.witness["x"])), {}, 50))]
            assert not contradicted(values, above, mp.mpf(text), verdict.status), read
            assert verdict.status is not Status.PROVED or verify(verdict.certificate, read).valid
            decided += verdict.status is not Status.UNDECIDED
            whole += len(known) == len(at)
    assert 0 < whole <= 2 * decided  # most of those that have a value everywhere


def test_a_contradiction_is_seen():
    one = [mp.mpf(1)]
    assert contradicted(one, True, mp.mpf("0.999"), Status.PROVED)
    assert contradicted([*one, None], True, mp.mpf(2), Status.PROVED)  # somewhere it has no value
    assert contradicted(one, False, mp.mpf("0.999"), Status.REFUTED)
    assert not contradicted(one, True, mp.mpf(2), Status.PROVED)
    assert not contradicted(one, True, mp.mpf("0.999"), Status.REFUTED)


def test_what_occurs_often_is_unfolded_once(monkeypatch):
    """A term of 10 levels, each of which has the one below three times: 59,049 places, 31 different terms."""
    e = var("x")
    for _ in range(10):
        e = e * e + call("tanh", e)
    asked = []

    def counted(node):
        asked.append(node)
        return unfolded(node)

    monkeypatch.setattr(unfolding, "unfolded", counted)
    found = unfolding.unfold(e, frozenset({"exp", "mark"}))
    assert 10 <= len(asked) <= 31
    assert not any(n.op == "tanh" for n in found.walk())
    inner = unfolding.unfold(parse("log1p(tanh(x)) + sin(x)"), frozenset({"sin", "exp", "log"}))
    assert inner == parse("log(1 + (exp(x) - exp(-x))/(exp(x) + exp(-x))) + sin(x)")
