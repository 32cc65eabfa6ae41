"""What the verifier takes for numbers holds at every precision that a certificate names, and ends no process."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq

from boundcheck.decide.certificates import make
from boundcheck.kernel.certificate import verify
from boundcheck.kernel.check.numerals import TooLarge, require_bounded
from boundcheck.kernel.enclosure import intervals as iv
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.formula import parse, parse_relation
from boundcheck.kernel.statement import Claim

LONG = (
    Fraction(-7, 2),
    Fraction(-4493409457, 10**9),
    Fraction(13, 4),
    Fraction(1, 3),
    Fraction(-5, 7),
    Fraction(15, 4),
)


def exactly(x: arb) -> Fraction:
    q = x.fmpq()
    return Fraction(int(q.p), int(q.q))


def interval(lo: Fraction, hi: Fraction) -> iv.Interval:
    return (
        arb(fmpq(lo.numerator, lo.denominator)).lower(),
        arb(fmpq(hi.numerator, hi.denominator)).upper(),
        False,
        False,
    )


@pytest.mark.parametrize("bits", [2, 3, 5, 12])
def test_ends_that_are_longer_than_the_precision_are_rounded_outward(bits):
    for lo, hi in itertools.combinations(sorted(LONG), 2):
        with ctx.workprec(96):
            a = interval(lo, hi)
        least, most = exactly(a[0]), exactly(a[1])
        with ctx.workprec(bits):
            turned, size, square = iv.neg(a), iv.absolute(a), iv.integer_power(a, 2)
        assert exactly(turned[0]) <= -most <= -least <= exactly(turned[1])
        assert exactly(size[1]) >= max(-least, most), (lo, hi)
        assert square is not None and exactly(square[1]) >= max(least**2, most**2), (lo, hi)


def test_a_sum_is_open_where_one_of_its_parts_is():
    def side(lo: int, hi: int, lo_open: bool = False, hi_open: bool = False) -> iv.Interval:
        return (arb(lo), arb(hi), lo_open, hi_open)

    for flags in itertools.product((False, True), repeat=4):
        a, b = side(-1, 2, *flags[:2]), side(-3, 1, *flags[2:])
        assert iv.add(a, b) == side(-4, 3, flags[0] or flags[2], flags[1] or flags[3])
        assert iv.sub(a, b) == side(-2, 5, flags[0] or flags[3], flags[1] or flags[2])
        assert iv.neg(a) == iv.apply("neg", [a]) == side(-2, 1, flags[1], flags[0])
    for (x, y), (v, w) in itertools.product(((-1, 1), (0, 1), (-1, 0), (1, 2), (-2, -1)), repeat=2):
        for p, q, r, s in itertools.product((False, True), repeat=4):
            corners = [(c * d, not e and not f) for c, e in ((x, p), (y, q)) for d, f in ((v, r), (w, s))]
            zero = any(
                (lo == 0 and not e) or (hi == 0 and not f) or lo < 0 < hi
                for lo, hi, e, f in ((x, y, p, q), (v, w, r, s))
            )
            found = iv.mul(side(x, y, p, q), side(v, w, r, s))
            for at, end in ((0, min(c for c, _ in corners)), (1, max(c for c, _ in corners))):
                assert found[at] == end
                if (end == 0 and zero) or (end, True) in corners:
                    assert not found[2 + at], (x, y, v, w, p, q, r, s)
    assert iv.mul(iv.ENTIRE, side(0, 0)) == iv.mul(side(0, 0), iv.ENTIRE) == side(0, 0)
    for n in (2, 3, 5):
        cube = iv.integer_power(iv.ENTIRE, n)
        assert cube == ((iv.NINF if n % 2 else arb(0)), iv.INF, n % 2 == 1, True)
    with ctx.workprec(5):
        for q in (Fraction(200, 3), Fraction(-200, 3)):
            low, high, *_ = iv.point(arb(fmpq(q.numerator, q.denominator)))
            assert exactly(low) < q < exactly(high)
            shifted = iv._shifted((arb(0.53125), arb(0.53125), False, True), 7)
            assert exactly(shifted[0]) <= Fraction(241, 32) <= exactly(shifted[1]) and shifted[2:] == (False, True)


def test_no_precision_that_a_certificate_names_proves_what_is_false():
    # |sin 5|/5 is 0.1918
    where = (parse_relation("x >= 5"), parse_relation("x <= 7"))
    claim = Claim("false", (parse_relation("abs(sinc(x)) <= 0.1875"),), where, frozenset())
    enclose(parse("sinc(x)"), {"x": interval(Fraction(3), Fraction(4))})
    for bits in (*range(2, 25), 96, 200, 1024):
        assert not verify(make(claim, [{"rule": "eval", "bits": bits}]), claim).valid, bits


def test_bounds_of_a_function_are_those_of_the_precision_in_force():
    wide = (iv.NINF, iv.INF, True, True)
    for bits in (4, 300, 8):
        with ctx.workprec(bits):
            found = enclose(parse("sinc(x)"), {"x": wide})
            assert found is not None and found[0].bits() <= bits


def test_gamma_of_what_no_memory_holds_is_not_known():
    # the program was ended by the library here: a whole number of 10^30 bits
    for lo in (-(arb(10) ** 30).exp(), -(arb(10) ** 400), arb(-61), arb(-60) - arb(2) ** -80):
        assert enclose(parse("gamma(x)"), {"x": (lo.lower(), iv.INF, False, True)}) is None
        assert enclose(parse("gamma(x)"), {"x": (lo.lower(), lo.upper(), False, False)}) is None
    found = enclose(parse("gamma(x)"), {"x": (arb(-60), arb(-59.5), True, False)})
    assert found is not None and 0 < found[0] < 1e-80


def test_what_no_check_could_finish_is_refused():
    for text in ("1e401", "1e9_99", "1e\u0669\u0669\u0669\u0669", "-.5E-0000_1000", "1_0e99999", "1._e4_01"):
        with pytest.raises(TooLarge):
            require_bounded({"coefficient": [text]})
    for text in ("1e400", "1e4_00", "-2.5E-0_0_399", "x1e_", "e9999", "root_2_1_", "exp(x)", "1e0000000"):
        require_bounded({"coefficient": [text]})
    for key, value in ((2**5000, 1), ("a", -(2**5000)), ("1e500", 0), ("a", [{"b": ("1e500",)}])):
        with pytest.raises(TooLarge):
            require_bounded({key: value})
    nested: list[object] = []
    for _ in range(500):
        nested = [nested]
    with pytest.raises(TooLarge):
        require_bounded(nested)
    with pytest.raises(TooLarge):
        require_bounded("1" * 4001)
    require_bounded({"a": [1.5, None, True, 2**4000, "1" * 3999]})
