"""Signs on a box: slopes, Taylor forms and Bernstein coefficients say >= 0 only where no point is below 0."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

import pytest
from flint import arb, ctx, fmpq
from slow import thinned

from boundcheck.kernel.check.algebra import Algebra
from boundcheck.kernel.check.expansion import Expansion
from boundcheck.kernel.check.formal import Formal, remainder
from boundcheck.kernel.check.leaves import natural, settled
from boundcheck.kernel.check.slope_leaves import by_slopes, by_taylor, series
from boundcheck.kernel.derivative import derivative
from boundcheck.kernel.enclosure import intervals as iv
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.formula import Expr, Relation, call, num, parse, parse_relation, var

F = Fraction


def ball(q: Fraction | int) -> arb:
    return arb(fmpq(F(q).numerator, F(q).denominator))


def side(lo: Fraction | None, hi: Fraction | None, lo_open: bool = False, hi_open: bool = False) -> iv.Interval:
    low = iv.NINF if lo is None else ball(lo).lower()
    return (low, iv.INF if hi is None else ball(hi).upper(), lo_open or lo is None, hi_open or hi is None)


FORMULAS = {
    "x**2 - x/3": (F(-1), F(1)),
    "x**3 - x/2": (F(-1), F(1)),
    "(x - 1/3)**4": (F(0), F(1)),
    "x**-2 + x": (F(1, 2), F(2)),
    "1/x + x": (F(1, 2), F(2)),
    "exp(x) - 2*x": (F(0), F(1)),
    "x - log(x)": (F(1, 2), F(2)),
    "x/2 - sqrt(x)": (F(1, 2), F(2)),
    "sin(3*x)": (F(1), F(2)),
    "cos(3*x)": (F(1, 2), F(3, 2)),
    "tan(x) - 2*x": (F(0), F(1)),
    "x/2 - atan(x)": (F(1, 2), F(2)),
    "x*2 - asin(x)": (F(-9, 10), F(9, 10)),
    "acos(x) + 2*x": (F(-9, 10), F(9, 10)),
    "gamma(x)": (F(1), F(2)),
    "loggamma(x)": (F(1), F(2)),
    "x - erf(2*x)": (F(0), F(1)),
    "erfc(x) + x/2": (F(0), F(1)),
    "cosh(x) - x": (F(0), F(1)),
    "sinh(x) - 2*x": (F(0), F(1)),
    "x/2 - tanh(x)": (F(0), F(2)),
    "x**x": (F(1, 4), F(1)),
    "x**(1/3) - 1/(2 - x)": (F(1, 4), F(1)),
    "abs(x - 3)*x": (F(0), F(1)),
    "-x**2 + x*0.7": (F(-1), F(1)),
    "-abs(x + 3)*x": (F(0), F(1)),
    "x + pi - E*x": (F(-1), F(1)),
}


def value(e: Expr, **at: Fraction) -> iv.Interval | None:
    return enclose(e, {v: side(x, x) for v, x in at.items()})


@pytest.mark.parametrize("source", thinned(FORMULAS, 2))
def test_a_leaf_settles_no_gap_that_is_negative_somewhere(source):
    """Pieces of the domain, each with the gap shifted so that it is just negative at its least sampled value."""
    e = parse(source)
    lo, hi = FORMULAS[source]
    settled = {by_slopes: 0, by_taylor: 0}
    with ctx.workprec(96):
        for parts, cut in ((1, 1), (3, 1), (8, 1), (8, 3), (40, 1)):
            for k in range(0, parts, max(1, parts // 8)):
                a, b = lo + (hi - lo) * k / parts, lo + (hi - lo) * min(k + cut, parts) / parts
                low = min(float(value(e, x=a + (b - a) * j / 24)[0]) for j in range(25))
                box = {"x": side(a, b)}
                for form in settled:
                    for loss in (F(1, 10**6), F(1, 1000), F(1, 10)):
                        above = e - num(F(low) + loss)
                        assert not form(above, False, box), (source, a, b, loss)
                        assert not form(above, True, box)
                        settled[form] += form(e - num(F(low) - loss), True, box)
    assert all(n > 10 for n in settled.values()) or source.count("abs") or "tan(" in source


@pytest.mark.parametrize(
    ("goal", "x", "wanted"),
    [("x >= 0", side(0, 1), True), ("x > 0", side(0, 1), False), ("x > 0", side(0, 1, True), True),
     ("x == 0", side(0, 1), False), ("0 == x", side(0, 1), False), ("x != 0", side(0, 1), False),
     ("0 != x", side(0, 1), False), ("x**2 + 1 != 0", side(0, 1), True), ("x == 1/2", side(F(1, 2), F(1, 2)), True),
     ("x**2 + x >= 0", side(0, 1), True), ("x**2 - x + 0.26 > 0", side(-1, 1), True),
     ("x - x**2 >= 0", side(0, 2), False),
     ("x**2 < x - 0.26", side(-1, 1), False), ("exp(x) <= 1", side(-1, 0), True), ("exp(x) < 1", side(-1, 0), False)],
)  # fmt: skip
def test_what_a_box_settles(goal, x, wanted):
    assert settled(parse_relation(goal), {"x": x}) is wanted


def test_what_is_defined_on_a_box():
    yes = (("1/x", side(0, 1, True)), ("sqrt(x)", side(0, 1)))
    no = (("1/x", side(0, 1)), ("log(x)", side(-1, 1)), ("x**(1/3)", side(-1, 1)))
    for text, x in (*yes, *no):
        assert natural(Relation("defined", parse(text), num(0)), {"x": x}) is ((text, x) in yes), text


EXACT = [
    # (gap, box, >= 0 by slopes, > 0 by slopes): 0 at one corner at most
    ("x", {"x": side(0, 1)}, True, False),
    ("x", {"x": side(0, 1, True)}, True, False),
    ("x + y", {"x": side(0, 1), "y": side(0, 1)}, True, False),
    ("x - y", {"x": side(1, 2), "y": side(0, 1)}, True, False),
    ("1 - x", {"x": side(None, 1)}, True, False),
    ("x - 1", {"x": side(1, None)}, True, False),
    ("x - 1", {"x": side(None, 3)}, False, False),
    ("exp(x) - 1", {"x": side(0, None)}, True, False),
    ("exp(-x)", {"x": side(0, None)}, False, False),
    ("x**2 - 2*x + 1.05", {"x": side(F(9, 10), F(11, 10))}, True, True),
    ("x**2 - 2*x + 0.999", {"x": side(F(9, 10), F(11, 10))}, False, False),
    ("x*y - x", {"x": side(0, 1), "y": side(1, 2)}, True, False),
    ("x*y - x", {"x": side(-1, 1), "y": side(1, 2)}, False, False),
    ("log(x) + 9", {"x": side(0, 1)}, False, False),
    ("floor(x) + 1", {"x": side(0, 1)}, False, False),
    ("x - y", {"x": side(1, 1), "y": side(0, 1)}, True, False),
    ("x*y + 2", {"x": side(-1, 1), "y": side(-1, 1)}, True, False),
    ("x*y + 1.9", {"x": side(-1, 1), "y": side(-1, 1)}, False, False),
    ("x + y*y - y", {"x": side(F(1, 4), 1), "y": side(0, 1)}, False, False),
    ("x + (y - 1/2)**2 + y/100", {"x": side(0, 1), "y": side(F(9, 20), F(11, 20))}, True, True),
    ("3*x**2/8 + x/4 + 1", {"x": side(-1, 1)}, True, False),
    ("3*x**2/8 - x/4 + 1", {"x": side(-1, 1)}, True, False),
    ("3*x**2/8 + x/4 + 0.999", {"x": side(-1, 1)}, False, False),
    ("x/(1 - x)", {"x": side(None, 0)}, False, False),
    ("x**2 - x + log(y) + 9", {"x": side(0, 1), "y": side(-2, -1)}, False, False),
    ("x**2 - 1", {"x": side(-1, None)}, False, False),
    ("x**2 + 1 - x/100", {"x": side(None, 1)}, False, False),
]


@pytest.mark.parametrize(("source", "box", "weak", "strict"), EXACT)
def test_slopes_at_the_corner_of_a_box(source, box, weak, strict):
    gap = parse(source)
    assert (by_slopes(gap, False, box), by_slopes(gap, True, box)) == (weak, strict)


TAYLOR = [
    ("x", side(0, 1), True, False),
    ("x - 1e-9", side(0, 1), False, False),
    ("x + 1", side(0, 1), True, True),
    ("x**2", side(-1, 1), True, False),
    ("x**4", side(-1, 1), True, False),
    ("x**2 + 1e-9", side(-1, 1), True, True),
    ("x**2 - 1e-9", side(-1, 1), False, False),
    ("-(x**2) + 1", side(-1, 1), True, False),
    ("-(x**2) + 0.999", side(-1, 1), False, False),
    ("x**2 - x + 0.26", side(-1, 1), True, True),
    ("x**2 - x + 0.25", side(-1, 1), False, False),
    ("x**2 - x + 0.24", side(-1, 1), False, False),
    ("exp(x) - 1 - x + 1e-3", side(F(-1, 10), F(1, 10)), True, True),
    ("exp(x) - 1 - x - 1e-6", side(F(-1, 10), F(1, 10)), False, False),
    ("1/x", side(-1, 1), False, False),
    ("x", side(0, None), False, False),
    ("x", side(None, 1), False, False),
    ("x**3 + 1", side(-1, 1), True, False),
    ("x**3 + 0.999", side(-1, 1), False, False),
    ("x**10 + 1e-9", side(-1, 1), True, True),
    ("x**12 - 1/2", side(-1, 1), False, False),
    ("1/2 - x**12", side(-1, 1), False, False),
    ("1/2 - x**11", side(-1, 1), False, False),
    ("67 - x**12", side(-1, 1), True, True),
    ("cos(9*x) + 1/2", side(-1, 1), False, False),
    ("x**2/1000 + 1/2 - x**10", side(-1, 1), False, False),
    ("x**2/1000 + 1/2 - x**9", side(-1, 1), False, False),
    ("x**2/1000 + 1 - x**10/500", side(-2, 2), False, False),
    ("x**2/1000 + 1 - x**7/100", side(-2, 2), False, False),
    ("1 - x**9/100", side(-2, 2), False, False),
    ("6 - x**9/100", side(-2, 2), True, True),
    ("x**2/1000 + 6 - x**9/100", side(-2, 2), True, True),
]


@pytest.mark.parametrize(("source", "x", "weak", "strict"), TAYLOR)
def test_taylor_forms(source, x, weak, strict):
    gap = parse(source)
    assert (by_taylor(gap, False, {"x": x}), by_taylor(gap, True, {"x": x})) == (weak, strict)
    # a variable with one value is none; two that move are too many
    assert by_taylor(gap + var("y"), True, {"x": x, "y": side(0, 0)}) == strict
    assert not by_taylor(gap + var("y"), False, {"x": x, "y": side(0, 1)})


@pytest.mark.parametrize(
    "source", [*FORMULAS, "x**3/(1 + x)", "(x + 1)**-3", "y*x**2 + exp(y)*x", "asin(x/9) + acos(x/8)"]
)
def test_taylor_coefficients_are_those_of_the_derivatives(source):
    e = parse(source)
    with ctx.workprec(96):
        for x in (F(1, 2), F(7, 10)):
            found = series(e, "x", ball(x), {"y": side(F(2, 3), F(2, 3))}, 5)
            assert found is not None and len(found) == 6
            d = e
            for k, c in enumerate(found):
                wanted = value(d, x=x, y=F(2, 3))
                assert wanted is not None
                assert wanted[0] / factorial(k) <= c.upper() and c.lower() <= wanted[1] / factorial(k), (source, k)
                assert c.rad() < 1e-10
                d = derivative(d, "x")


@pytest.mark.parametrize(
    ("source", "at"),
    [("1/x", 0), ("x**-1", 0), ("x**-3", 0), ("log(x)", -1), ("log(x)", 0), ("sqrt(x)", 0), ("sqrt(x)", -1),
    ("gamma(x)", -F(1, 2)),
     ("gamma(x)", 0), ("loggamma(x)", -F(1, 2)), ("x**(1/3)", 0), ("x**(1/3)", -1), ("x**x", 0), ("abs(x)", 0),
     ("asin(x)", 1),
     ("asin(x)", 2), ("acos(x)", -1), ("tan(pi*x)", F(1, 2)), ("floor(x)", F(1, 2)), ("max(x, 1)", 0), ("y*x", 1)],
)  # fmt: skip
def test_no_series_where_a_step_is_not_analytic(source, at):
    middle = ball(at)
    for x in (middle, middle.union(middle + arb(2) ** -10), middle.union(middle - arb(2) ** -10)):
        assert series(parse(source), "x", x, {"y": iv.ENTIRE}, 4) is None or not x.contains(middle)


# ---------------------------------------------------------------- Taylor coefficients of special functions


@pytest.mark.parametrize(
    "name", ["atan", "asin", "erf", "erfc", "gamma", "loggamma", "exp", "lambertw", "asinh", "expm1", "log1p"]
)
@pytest.mark.parametrize("at", [F(1, 3), F(1, 2)])
def test_exact_coefficients_and_their_remainders(name, at):
    count = 4 if name == "lambertw" else 6  # its coefficients are fractions in w, ten times as long each
    x = Expansion(Algebra(), {}, "x", num(0), 1, F(1, 8))
    found = Formal(x.c_mul, x.c_add, x._normal).coefficients(name, num(at), count)
    assert len(found) == count
    d = call(name, var("t"))
    with ctx.workprec(128):
        for k, c in enumerate(found):
            wanted = value(d, t=at)
            here = x.range_of(c)
            assert wanted[0] / factorial(k) <= here[1] and here[0] <= wanted[1] / factorial(k), (name, k)
            for width in (F(0), F(1, 4)):
                rest = remainder(name, k, side(at, at + width), None)
                for j in range(5):
                    t = at + width * j / 4
                    exact = value(d, t=t)
                    assert rest[0] <= exact[1] / factorial(k) and exact[0] / factorial(k) <= rest[1], (name, k, t)
            d = derivative(d, "t")
    for r in (side(-1, F(1, 2)), side(0, F(1, 2)), side(0, 1), side(F(1, 2), 2), side(-2, 0)):
        if (name in ("gamma", "loggamma") and not r[0] > 0) or (name == "asin" and not (r[0] > -1 and r[1] < 1)):
            assert remainder(name, 2, r, None) is None
    assert remainder(name, 2, side(0, None), None) is None and remainder(name, 2, side(None, 0), None) is None
    assert all(Formal(x.c_mul, x.c_add, x._normal).coefficients(f, num(at), 6) is None for f in ("sin", "floor"))
    third = remainder("exp", 3, side(0, 1), call("exp", var("t")))
    assert abs(float(third[0]) - 1 / 6) < 1e-12 and 0.4530 < float(third[1]) < 0.4531
