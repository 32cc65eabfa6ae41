"""Series in h and L = -log h, function by function: what they say holds the true value, and what is exact stays so."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq
from small_series import WIDTH, exact, expander, series

from boundcheck.kernel.check.algebra import Algebra
from boundcheck.kernel.check.laurent import NoExpansion, Series
from boundcheck.kernel.check.quotients import Ratio
from boundcheck.kernel.check.series import Expander
from boundcheck.kernel.enclosure import intervals as iv
from boundcheck.kernel.formula import parse

F = Fraction
SERIES = [
    series({}), series({(1, 0): 1}), series({(0, 0): 2, (1, 1): -1}), series({(-1, 0): 1, (2, -1): 3}),
    series({("1/2", 0): -1, ("3/2", 2): 2}), series({(0, 0): 1}, 1, l0=(-1, 2)),
    series({(1, 1): -2}, 2, l0=(0, 1), l1=(-1, 0)), series({(-1, 0): 1}, 0, m1=(1, 2)), series({}, 1, l0=(-2, -1)),
    series({(0, 0): 1, (1, 0): 1, (2, 0): 1}, 3, l0=(1, 1)),
    series({(2, 0): 1}, 3), series({(0, 0): -1, (1, 0): "1/3", (2, 0): 1, (3, 1): 1}),
]  # fmt: skip
PARTS = (F(1), F(2, 3), F(1, 10), F(1, 1000))


def values(s: Series, h: arb, end: int) -> arb:
    """The series at h with its remainders at one end of their intervals."""
    L = -h.log()
    total = sum((arb(c) * h ** exact(e) * L ** exact(m) for (e, m), c in s.terms.items()), arb(0))
    return total + sum((r[end] * h ** exact(s.order) * L ** exact(m) for m, r in s.rest.items()), arb(0))


def spread(x: Expander, s: Series, h: arb) -> tuple[arb, arb]:
    """The least and the greatest value that a series with coefficients in the box says at h."""
    L = -h.log()
    total = iv.point(arb(0))
    pieces = [(x.range_of(c), e, m) for (e, m), c in s.terms.items()] + [(r, s.order, m) for m, r in s.rest.items()]
    for r, e, m in pieces:
        total = iv.add(total, iv.mul(r, iv.point(h ** exact(e) * L ** exact(m))))
    return total[0], total[1]


def holds(x: Expander, s: Series, true: arb, h: arb) -> bool:
    low, high = spread(x, s, h)
    return bool(low <= true.upper() and true.lower() <= high)


@pytest.mark.parametrize("depth", [1, 2, 12])
@pytest.mark.parametrize("s", SERIES)
def test_sums_and_products(s, depth):
    with ctx.workprec(128):
        x = expander(depth)
        for t in SERIES:
            total, product = x.add(s, t), x.mul(s, t)
            assert len({e for e, _ in total.terms}) <= depth and len({e for e, _ in product.terms}) <= depth
            if s.order is None and t.order is None and depth == 12:
                assert total.order is None and product.order is None and not total.rest and not product.rest
            for part, i, j in itertools.product(PARTS, (0, 1), (0, 1)):
                h = exact(WIDTH * part)
                a, b = values(s, h, i), values(t, h, j)
                assert holds(x, total, a + b, h), (s.terms, t.terms, part)
                assert holds(x, product, a * b, h), (s.terms, t.terms, part)


def test_exact_sums_and_products_are_exact():
    x = expander()
    one, both = series({(1, 0): 1, (0, 1): 2}), series({(1, 0): -1, (0, 0): 3})
    assert x.add(one, both).terms == {(F(0), F(1)): 2, (F(0), F(0)): 3}
    assert x.mul(one, both).terms == {(F(2), F(0)): -1, (F(1), F(0)): 3, (F(1), F(1)): -2, (F(0), F(1)): 6}
    assert x.mul(series({(1, 0): 1, (2, 0): 1}), series({(1, 0): 1, (2, 0): -1})).terms == {
        (F(2), F(0)): 1,
        (F(4), F(0)): -1,
    }
    known = x.add(series({(0, 0): 1}, 1, l0=(0, 1)), series({(2, 0): 5}))
    assert known.order == 1 and known.terms == {(F(0), F(0)): 1} and known.rest[F(0)][1] > 2.6
    assert x.mul(series({(0, 0): 1}, 2, l0=(0, 1)), series({(1, 0): 1, (3, 0): 1})).order == 3
    assert x.mul(series({(1, 0): 1}, 2, l0=(0, 1)), series({(2, 0): 1}, 5, l0=(0, 1))).order == 4
    assert x.mul(series({}), series({(1, 0): 1}, 2, l0=(0, 1))).order is None


def test_the_lowest_power_of_a_series():
    assert [s.low for s in SERIES[1:9]] == [1, 0, -1, F(1, 2), 0, 1, -1, 1]
    assert SERIES[0].low > 10**6 and series({(3, 0): 1}, 2, l0=(0, 1)).low == 2 and series({}, 2).low == 2


CUTS = [
    # (series, where it is cut, terms left, the order, powers of L in the remainder)
    (series({(1, 0): 1, (3, 1): -2}), 2, {(1, 0)}, 2, {1}),
    (series({(1, 0): 1, (2, 0): -2}), 2, {(1, 0)}, 2, {0}),
    (series({(1, 0): 1}), 2, {(1, 0)}, None, set()),
    (series({(1, 0): 1}, 3, l0=(0, 1)), 2, {(1, 0)}, 2, {0}),
    (series({(1, 0): 1}, 2, l0=(0, 1)), 2, {(1, 0)}, 2, {0}),
    (series({(0, 0): 1, (1, 0): 1}, "3/2", m1=(0, 1)), 2, {(0, 0), (1, 0)}, F(3, 2), {-1}),
    (series({(0, 0): 1, ("7/4", 0): 1}, "3/2", m1=(0, 1)), 2, {(0, 0)}, F(3, 2), {-1, 0}),
    (series({(1, 0): 1}, 3), 2, {(1, 0)}, 2, set()),
    (series({(0, 0): 1}), 0, set(), 0, {0}),
]  # fmt: skip


@pytest.mark.parametrize(("s", "at", "terms", "order", "powers"), CUTS)
def test_what_is_cut_off_is_in_the_remainder(s, at, terms, order, powers):
    x = expander()
    found = x.cut(s, F(at))
    assert set(found.terms) == terms and found.order == order and set(found.rest) == powers
    for part, end in itertools.product(PARTS, (0, 1)):
        h = exact(WIDTH * part)
        assert holds(x, found, values(s, h, end), h)


def test_bounds_of_powers():
    x = expander()
    third = exact(WIDTH)
    L = -third.log()
    for e, m, top in (
        (1, 0, third), (2, 0, third**2), (F(1, 2), 0, third.sqrt()), (1, -1, third / L), (2, 1, third**2 * L),
        (1, 2, (-arb(2)).exp() * 4), (F(1, 2), 1, (-arb(1)).exp() * 2), (1, F(1, 2), third * L.sqrt()),
    ):  # fmt: skip
        low, high, low_open, high_open = x.h_power(F(e), F(m))
        assert low == 0 and low_open and not high_open
        assert top.lower() <= high <= top.upper() + arb("1e-10"), (e, m)
    assert x.h_power(F(0)) == (1, 1, False, False)
    low, high, *flags = x.h_power(F(0), F(-2))
    assert low == 0 and flags == [False, False] and (1 / L**2).lower() <= high <= (1 / L**2).upper() + arb("1e-10")
    for e, m in ((-1, 0), (-1, -1), (0, 1), (F(-1, 2), 5), (0, F(1, 2))):
        with pytest.raises(NoExpansion):
            x.h_power(F(e), F(m))


def test_ranges_of_series():
    x = expander()
    for s in SERIES:
        if s.low < 0 or any(e == 0 and m > 0 for e, m in s.terms):
            continue
        low, high, *_ = x.series_range(s)
        for part, end in itertools.product(PARTS, (0, 1)):
            value = values(s, exact(WIDTH * part), end)
            assert low <= value.upper() and value.lower() <= high
        assert high - low < 5
    for s in (series({(-1, 0): 1}), series({(0, 1): 1}), series({}, 0, l1=(0, 1)), series({}, -1, l0=(0, 1))):
        with pytest.raises(NoExpansion):
            x.series_range(s)
    assert x.series_range(series({(0, 0): 2}, 1, l0=(0, 3)))[:2] == (2, arb(2 + 3 * x.h_power(F(1))[1]).upper())


def test_coefficients():
    x = expander()
    a = x._normal(parse("a"))
    assert isinstance(a, Ratio) and not x.c_zero(a)
    assert x.c_add(fmpq(2), fmpq(3)) == 5 and x.c_mul(fmpq(2), fmpq(3)) == 6
    assert x.c_zero(x.c_add(a, x.c_mul(fmpq(-1), a))) and x.c_zero(x.c_mul(fmpq(0), a)) and x.c_zero(fmpq(0))
    assert not x.c_zero(fmpq(1)) and x.c_mul(a, x.c_inverse(a)) == 1 and x.c_inverse(fmpq(2, 3)) == fmpq(3, 2)
    assert x.c_add(a, fmpq(0)) == a and x.c_mul(a, fmpq(1)) == a
    for text in ("3/(1 + a)", "(2*a + 2)/(a + a**2 + 1)"):
        quotient = x._normal(parse(text))
        assert isinstance(quotient, Ratio) and x.range_of(quotient)[1] < 2.1, text
    assert x._normal(parse("(2 + 2*a)/(1 + a)")) == 2
    assert str(x.c_expr(a)) == "a" and str(x.c_expr(fmpq(-2, 3))) == "-2/3"
    assert x.range_of(a) == (1, 2, False, False) == x.range_of(a) and x.range_of(fmpq(5)) == (5, 5, False, False)
    low, high, *flags = x.range_of(fmpq(1, 3))
    with ctx.workprec(200):
        assert low < exact(F(1, 3)) < high and flags == [False, False] and high - low < 1e-10
    for text in ("1/c", "log(c)", "b"):
        with pytest.raises(NoExpansion):
            x.range_of(x._normal(parse(text)))


@pytest.mark.parametrize("width", [F(2**70 - 1, 2**70), F(2**3000 - 1, 2**3000)])
def test_a_width_that_is_1_to_the_precision_in_force(width):
    with ctx.workprec(64), pytest.raises(NoExpansion, match="width"):
        Expander(Algebra(), {}, width, 6)
    with ctx.workprec(128):
        if width.denominator < 2**100:
            assert Expander(Algebra(), {}, width, 6).log_width > 0
