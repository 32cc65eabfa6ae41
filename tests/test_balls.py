"""Ball arithmetic: enclosures contain mpmath's values, boxes contain their points, conventions of powers."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp as mpm
from random_formulas import NAMES, formulas, rationals

from boundcheck.arith import in_balls, mp
from boundcheck.kernel.enclosure import balls, intervals, points
from boundcheck.kernel.formula import parse

POINTS = st.fixed_dictionaries({n: rationals() for n in NAMES})


def contains(ball: object, value: object, digits: int = 30) -> bool:
    """Does the ball, widened by the last digits of an mpmath value, contain it?"""
    size = abs(float(value)) if abs(value) < 1e300 else 1.0
    near = arb(mpm.nstr(value, digits + 5)) + arb(0, (size + 1e-25) * 10.0 ** (3 - digits))
    return points.as_arb(ball).overlaps(near)


@settings(deadline=None, max_examples=150, derandomize=True)
@given(formulas(), POINTS)
def test_a_point_value_agrees_with_mpmath(e, point):
    try:
        value = mp.evaluate(e, point, 40)
    except (OverflowError, ValueError):
        return
    ball = in_balls.at_point(e, point, 128)
    if points.as_arb(ball).is_nan() or not mpm.isfinite(value) or abs(value) > 1e200:
        return
    assert contains(ball, value), (str(e), point, ball, value)


@settings(deadline=None, max_examples=150, derandomize=True)
@given(formulas(), POINTS, st.fixed_dictionaries({n: rationals(0, 2) for n in NAMES}), st.data())
def test_a_box_contains_the_values_at_its_points(e, corner, size, data):
    box = {n: (_exact(corner[n]).lower(), _exact(corner[n] + size[n]).upper(), False, False) for n in NAMES}
    with ctx.workprec(64):
        inside = balls.enclose(e, box)
    if inside is None:
        return
    t = {n: data.draw(st.fractions(0, 1, max_denominator=7)) for n in NAMES}
    value = in_balls.at_point(e, {n: corner[n] + t[n] * size[n] for n in NAMES}, 128)
    ball = points.as_arb(value)
    assert not ball.is_nan()  # what is known on the box is defined at its points
    assert not (ball < inside[0]) and not (ball > inside[1]), (str(e), inside, value)
    assert not (inside[2] and ball == inside[0]) and not (inside[3] and ball == inside[1])  # not attained


def _exact(value: Fraction) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("exp(x)", 1.0, 2.3538526683702e17),
        ("x*x", 0.0, 1600.0),
        ("sqrt(x)", 0.0, 6.324555320336759),
        ("x**0.25", 0.0, 2.514866859365871),
        ("x**2-0*x", 0.0, 1600.0),
        ("min(x, 3)", 0.0, 3.0),
        ("floor(x/3)", 0.0, 13.0),
        ("erfc(x)", 0.0, 1.0),
        ("cos(x)", -1.0, 1.0),
    ],
)
def test_wide_boxes_are_tight_by_their_ends(text, low, high):
    lo, hi, _, _ = balls.enclose(parse(text), {"x": (arb(0), arb(40), False, False)})
    assert float(lo) == pytest.approx(low, rel=1e-12, abs=1e-12)
    assert float(hi) == pytest.approx(high, rel=1e-12)


def test_an_end_is_open_where_it_is_infinite():
    one, two = arb(1), arb(2)
    assert intervals.between(one, two) == (one, two, False, False)
    assert intervals.between(-intervals.INF, two)[2:] == (True, False)
    assert intervals.between(one, intervals.INF)[2:] == (False, True)
    lo, hi, lo_open, hi_open = intervals.around(fmpq(1, 3))
    assert lo <= arb(fmpq(1, 3)) <= hi and not lo_open and not hi_open
    assert intervals.around(arb.nan()) is None and not intervals.bounded(intervals.between(one, intervals.INF))


def test_infinite_ends_are_limits():
    ray = {"x": (arb(1), intervals.INF, False, True)}
    for text in ("exp(-x)", "1/(1+x)"):
        lo, _, lo_open, _ = balls.enclose(parse(text), ray)
        assert lo == 0 and lo_open
    _, hi, _, hi_open = balls.enclose(parse("atan(x)"), ray)
    assert float(hi) == pytest.approx(1.5707963267948966) and hi_open
    assert balls.enclose(parse("x*exp(-x)"), ray)[1] == intervals.INF  # 0 * oo is not decided by a formula's form


@pytest.mark.parametrize(
    ("text", "lo", "hi"),
    [
        ("(-2)**k", -8, -8),
        ("(-x)**k", -27, -1),
        ("x**(-k)", Fraction(1, 27), 1),
        ("(-x)**(-2)", Fraction(1, 9), 1),
        ("(-x)**(4/2)", 1, 9),
    ],
)
def test_powers_whose_exponent_is_one_whole_number(text, lo, hi):
    box = {"k": intervals.Whole((arb(3), arb(3), False, False)), "x": (arb(1), arb(3), False, False)}
    found = balls.enclose(parse(text), box)
    for end, wanted, below in ((found[0], _exact(Fraction(lo)), 1), (found[1], _exact(Fraction(hi)), -1)):
        assert abs(end - wanted) < 1e-12 and (wanted - end) * below >= -wanted.rad()  # rounded outward


def test_whole_powers_of_negative_numbers_keep_a_size():
    box = {"k": intervals.Whole((arb(-2), arb(3), False, False)), "x": (arb(-3), arb(-2), False, False)}
    lo, hi, _, _ = balls.enclose(parse("x**k"), box)
    assert lo <= -27 and lo > -27.01 and hi >= 9 and hi < 27.01
    assert balls.enclose(parse("x**k"), {**box, "x": (arb(-3), arb(0), False, False)}) is None
    assert balls.enclose(parse("x**k"), {**box, "k": (arb(-2), arb(3), False, False)}) is None  # not known to be whole


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("sqrt(3*x-1)", 0),
        ("10*0.1-1", 0),
        ("(1/9)**(1/2)", Fraction(1, 3)),
        ("0**x", 0),
        ("0**0", 1),
        ("(x-1/3)**0", 1),
        ("(-8)**3", -512),
        ("log(1)+exp(0)+cos(0)+gamma(5)", 26),
        ("ceil(7/2)*floor(-7/2)", -16),
    ],
)
def test_exact_values_stay_exact(text, value):
    found = in_balls.at_point(parse(text), {"x": Fraction(1, 3)})
    assert isinstance(found, fmpq)
    assert found == fmpq(Fraction(value).numerator, Fraction(value).denominator)


@pytest.mark.parametrize(
    "text", ["(x-1/3)**(x-1/3)", "(-8)**(1/3)", "1/(3*x-1)", "log(x-1/3)", "loggamma(-1/2)", "asin(2)", "(-1)**x"]
)
def test_undefined_is_nan(text):
    assert points.as_arb(in_balls.at_point(parse(text), {"x": Fraction(1, 3)})).is_nan()
    assert mpm.isnan(mp.evaluate(parse(text), {"x": Fraction(1, 3)}, 30))


def test_integer_exponents_by_declaration():
    e = parse("(-2)**n+0**n")
    assert in_balls.at_point(e, {"n": Fraction(3)}, integers={"n"}) == fmpq(-8)
    assert in_balls.at_point(parse("0**n"), {"n": Fraction(0)}, integers={"n"}) == fmpq(1)
    assert points.as_arb(in_balls.at_point(e, {"n": Fraction(3)})).is_nan()


def test_evaluate_takes_balls_and_never_rounds_decimals():
    assert in_balls.evaluate(parse("0.1*10"), {}) == 1
    wide = in_balls.evaluate(parse("x**3"), {"x": arb(1, 0.5)})
    assert wide.contains(arb(0.125)) and wide.contains(arb(3.375)) and not wide.contains(arb(3.5))
    assert in_balls.evaluate(parse("sqrt(x)"), {"x": arb(0, 1)}).is_nan()


@pytest.mark.parametrize(("order", "at"), [(0, 3), (1, 2), (2, 5)])
def test_polygamma_is_monotone_on_boxes(order, at):
    from boundcheck.kernel.formula import Expr, var

    e = Expr("polygamma", (var("x"),), order)
    lo, hi, _, _ = balls.enclose(e, {"x": (arb(1), arb(6), False, False)})
    value = mpm.polygamma(order, at)
    assert lo < arb(mpm.nstr(value, 20)) < hi
