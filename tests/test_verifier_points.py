"""Values at points, complex balls, programs and derivatives: the numbers that the verifier starts from."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from flint import acb, arb, ctx, fmpq
from mpmath import mp

from boundcheck.arith import in_balls
from boundcheck.kernel.derivative import NotDifferentiable, derivative
from boundcheck.kernel.enclosure import balls, complexes, points, ranges
from boundcheck.kernel.enclosure import intervals as iv
from boundcheck.kernel.enclosure.ends import ends
from boundcheck.kernel.enclosure.straight_line import (
    MAX_EXPONENT,
    exact_of,
    fraction_of,
    integer_of,
    is_integer_valued,
    literal,
    program,
    spelled,
)
from boundcheck.kernel.formula import Expr, FormulaError, call, const, num, parse, var

THIRD = arb(fmpq(1, 3))
WIDE = {"a": arb(2, 1), "z": arb(0, 1), "h": arb(0.5, 0.5), "n": arb(-2, 1), "t": THIRD, "k": arb(2.5, 0.25)}
EXACT = {"x": fmpq(2), "y": fmpq(-3), "q": fmpq(1, 2), "o": fmpq(0), "i": fmpq(1), "m": fmpq(3)}
F = Fraction
INTEGERS = frozenset({"m", "o", "w"})
POINT = {**WIDE, **EXACT, "w": arb(3, 1)}


def at(text: str) -> Any:
    with ctx.workprec(80):
        return points.value_at(parse(text), POINT, INTEGERS)


# ---------------------------------------------------------------- points


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x + y", -1), ("x - y", 5), ("x*y", -6), ("x/y", "-2/3"), ("-x", -2), ("abs(y)", 3), ("o*a", 0), ("a*o", 0),
        ("min(x, y)", -3), ("max(x, y)", 2), ("min(x, y, q)", -3), ("max(y, q, x)", 2), ("min(q, a)", "1/2"),
        ("max(x, n)", 2), ("max(n, x)", 2), ("min(x, n, -4)", -4), ("max(y, n, 1)", 1),
        ("floor(q)", 0), ("floor(-q)", -1), ("ceil(q)", 1), ("ceil(-q)", 0), ("floor(x)", 2), ("ceil(y)", -3),
        ("floor(t)", 0), ("ceil(t)", 1), ("floor(-t)", -1), ("ceil(-t)", 0),
        ("sqrt(x*x)", 2), ("sqrt(o)", 0), ("sqrt(q*q)", "1/2"), ("sqrt(9/16)", "3/4"),
        ("exp(o)", 1), ("log(i)", 0), ("sin(o)", 0), ("cos(o)", 1), ("acos(i)", 0), ("sinc(o)", 1), ("acosh(i)", 0),
        ("lambertw(o)", 0), ("erfc(o)", 1), ("gamma(x + 1)", 2), ("gamma(i)", 1), ("gamma(x)", 1), ("gamma(m)", 2),
        ("gamma(30)", math.factorial(29)), ("loggamma(x)", 0), ("loggamma(i)", 0),
        ("x**m", 8), ("y**m", -27), ("y**2", 9), ("y**(-2)", "1/9"), ("y**(-m)", "-1/27"), ("o**m", 0), ("o**o", 1),
        ("y**o", 1), ("a**0", 1), ("z**0", 1), ("z**o", 1), ("o**2", 0), ("o**0", 1), ("o**q", 0), ("o**x", 0),
        ("i**q", 1), ("i**a", 1), ("x**(o/2)", 1), ("(x*x)**q", 2), ("(1/9)**q", "1/3"), ("(8/27)**(2/3)", "4/9"),
        ("(x*x)**(-q)", "1/2"), ("(-1)**m", -1), ("(-1)**1000000", 1), ("1**1000000", 1), ("(-1)**999999", -1),
        ("y**sqrt(4)", 9), ("o**(sqrt(4) - 2)", 1), ("y**(4/2)", 9), ("(1/3)**(-2)", 9), ("8**(1/3)", 2),
        ("o**floor(q)", 1), ("y**ceil(q)", -3), ("abs(-q)", "1/2"), ("2**(-64)", f"1/{2**64}"),
    ],
)  # fmt: skip
def test_what_is_exact_stays_exact(text, value):
    wanted = Fraction(value)
    found = at(text)
    assert isinstance(found, fmpq) and found == fmpq(wanted.numerator, wanted.denominator), found


@pytest.mark.parametrize(
    "text",
    [
        "x/o", "a/o", "a/z", "1/z", "x/(q - 1/2)", "y**q", "y**x", "y**(1/3)", "o**(-1)", "o**y", "o**(-q)", "o**(-m)",
        "z**(-1)", "z**(-2)", "z**(-m)", "z**q", "z**a", "n**q", "n**a", "o**z", "o**(q - 1/2)", "o**n", "n**w",
        "sqrt(y)", "sqrt(z)", "log(o)", "log(y)", "log(z)", "log(h)", "asin(x)", "asin(a)", "acos(y)", "acosh(o)",
        "acosh(q)", "atanh(i)", "atanh(a)", "log1p(-1)", "log1p(y)", "log1p(n)", "lambertw(-1)", "lambertw(z)",
        "gamma(o)", "gamma(y)", "gamma(z)", "gamma(-1000000)", "loggamma(o)", "loggamma(y)", "loggamma(z)",
        "loggamma(-1/2)", "o*log(o)", "log(o)*o", "i**log(o)", "log(o)**0", "log(o) - log(o)", "min(x, log(o))",
        "sum(k, k, 1, 2)", "integral(t, t, 0, 1)", "tan(2*z)", "z**2", "z**3", "z**m",
    ],
)  # fmt: skip
def test_what_has_no_value_has_none(text):
    assert not points.as_arb(at(text)).is_finite()


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("a + x", 3, 5), ("a - x", -1, 1), ("x*a", 2, 6), ("a/x", 0.5, 1.5), ("x/a", 2 / 3, 2), ("-a", -3, -1),
        ("abs(n)", 1, 3), ("abs(z)", 0, 1), ("min(a, x)", 1, 2), ("min(x, a)", 1, 2), ("max(x, a)", 2, 3),
        ("min(x, 1, a)", 1, 1), ("max(a, x)", 2, 3), ("min(a, n)", -3, -1),
        ("max(a, n)", 1, 3), ("max(n, a)", 1, 3), ("min(z, h)", -1, 1), ("max(z, h)", 0, 1), ("max(h, z)", 0, 1),
        ("min(h, z)", -1, 1), ("floor(k)", 2, 2), ("ceil(k)", 3, 3), ("floor(a)", 1, 3), ("ceil(a)", 1, 3),
        ("sqrt(a + 1)", 2**0.5, 2), ("a**2", 1, 9), ("n**2", 1, 9),
        ("n**3", -27, -1), ("n**(-2)", 1 / 9, 1), ("n**(-1)", -1, -1 / 3), ("a**q", 1, 3**0.5), ("a**a", 1, 27),
        ("x**a", 2, 8), ("a**y", 1 / 27, 1), ("n**m", -27, -1), ("a**w", 1, 81), ("2**(1/2)", 2**0.5,
        2**0.5), ("t**2", 1 / 9, 1 / 9), ("gamma(a + 2)", 2, 24), ("gamma(-q)", -2 * math.pi**0.5, -2 * math.pi**0.5),
        ("loggamma(a + 2)", math.log(2), math.log(24)), ("exp(a)", math.e, math.e**3),
        ("log(a + 1)", math.log(2), math.log(4)),
        ("pi", math.pi, math.pi), ("E", math.e, math.e), ("asin(i)", math.pi / 2, math.pi / 2), ("asin(-1)",
        -math.pi / 2, -math.pi / 2), ("atan(a)", math.atan(1), math.atan(3)), ("gamma(2001/2)*0", 0, 0),
        ("(10**400)**(1/100)", 10000, 10000), ("3**(65/64)", 3 ** (65 / 64), 3 ** (65 / 64)),
        ("2**(1/3)", 2 ** (1 / 3), 2 ** (1 / 3)), ("(8/3)**(1/3)", (8 / 3) ** (1 / 3), (8 / 3) ** (1 / 3)),
        ("(3/8)**(1/3)", (3 / 8) ** (1 / 3), (3 / 8) ** (1 / 3)),
    ],
)  # fmt: skip
def test_a_ball_holds_all_values(text, least, most):
    found = points.as_arb(at(text))
    assert found.lower() <= least + 1e-12 and most - 1e-12 <= found.upper()


def test_long_numbers_go_on_as_balls():
    big = fmpq(2**points.MAX_BITS)
    for value in (points._add(big, fmpq(1)), points._sub(-big, fmpq(1)), points._mul(big, fmpq(2))):
        assert isinstance(value, arb) and value.is_finite()
    assert isinstance(points._div(fmpq(1, 3**20000), fmpq(7)), arb)
    assert isinstance(points.power(fmpq(3), fmpq(40_000), True), arb)
    assert isinstance(points.power(fmpq(3), fmpq(10**30), True), arb)
    assert points.power(fmpq(3), fmpq(-2), True) == fmpq(1, 9)
    assert isinstance(points._exact_root(fmpq(2**65), fmpq(1, 65)), type(None))
    assert points._exact_root(fmpq(2**64), fmpq(1, 64)) == 2


@pytest.mark.parametrize("order", range(4))
def test_polygamma(order):
    with ctx.workprec(80), mp.workdps(30):
        for x in (Fraction(1, 2), Fraction(3), Fraction(17, 4)):
            value = points.value_at(Expr("polygamma", (var("x"),), order), {"x": fmpq(x.numerator, x.denominator)})
            assert value.overlaps(arb(mp.nstr(mp.polygamma(order, mp.mpf(x.numerator) / x.denominator), 25), 1e-20))
        for x in (fmpq(0), fmpq(-1, 2), arb(0, 1)):
            assert not points.value_at(Expr("polygamma", (var("x"),), order), {"x": x}).is_finite()


# ---------------------------------------------------------------- the ends of domains


@pytest.mark.parametrize(
    ("name", "below", "low", "inside", "high", "above"),
    [
        ("log", -math.inf, -math.inf, 0, None, None), ("sqrt", 0, 0, 1, None, None),
        ("asin", -math.pi / 2, -math.pi / 2, 0, math.pi / 2, math.pi / 2),
        ("acos", math.pi, math.pi, math.pi / 2, 0, 0),
        ("atanh", -math.inf, -math.inf, 0, math.inf, math.inf), ("acosh", 0, 0, None, None, None),
        ("log1p", -math.inf, -math.inf, None, None, None), ("lambertw", -1, None, None, None, None),
    ],
)  # fmt: skip
def test_at_its_ends_and_beyond_a_function_has_its_limits(name, below, low, inside, high, above):
    f = ends(name)
    left = {"log": 0, "sqrt": 0, "acosh": 1, "log1p": -1}.get(name, -1)
    at_one = 1 if name in ("log", "sqrt") else 0
    for x, value in ((left - 3, below), (left, low), (at_one, inside), (1, high), (3, above)):
        if value is not None:
            found = f.value(arb(x))
            assert found == value if math.isinf(value) else abs(found - value) < 1e-12, (name, x)
    assert f.partial
    assert not f.holds(arb(left - 1)) and not f.holds(arb(left, 0.25)) and f.holds(arb(left) + arb(0.75))
    assert f.holds(arb(left)) == (f.closed[0] and name != "lambertw")
    assert f.holds(arb(1)) == (name not in ("atanh",)) and f.holds(arb(3)) == (name not in ("asin", "acos", "atanh"))


def test_at_infinity_a_function_has_its_limit():
    for name, low, high in (
        ("exp", 0, math.inf),
        ("atan", -math.pi / 2, math.pi / 2),
        ("tanh", -1, 1),
        ("erfc", 2, 0),
    ):
        f = ends(name)
        for x, value in ((iv.NINF, low), (iv.INF, high)):
            found = f.value(x)
            assert found == value if math.isinf(value) else abs(found - value) < 1e-12
        assert f.value(arb(0)).is_finite() and f.value(arb.nan()).is_nan() and f.closed == (True, True)


# ---------------------------------------------------------------- ranges


def test_ranges_of_formulas_with_infinite_ends_and_powers():
    one = {"x": (arb(1), arb(2), True, False)}
    infinite, minus = const("oo"), Expr("neg", (const("oo"),))
    assert ranges.evaluate(infinite, {}) == (iv.INF, iv.INF, True, True)
    assert ranges.evaluate(minus, {}) == (iv.NINF, iv.NINF, True, True)
    for e in (call("exp", minus), call("exp", infinite), call("min", infinite, num(1)), infinite - infinite):
        assert ranges.evaluate(e, {}) is None
    assert ranges.evaluate(parse("x*x"), {"x": (arb(-1), arb(2), False, True)}) == (arb(0), arb(4), False, True)
    assert ranges.evaluate(parse("x + y"), one) is None and ranges.evaluate(parse("x"), {"x": None}) is None
    assert ranges.evaluate(parse("sum(k, k, 1, 2) + x"), one) is None
    assert ranges.evaluate(Expr("P", (var("x"),)), one) is None and ranges.parts(Expr("P", (var("x"),)), one) == {}
    assert ranges.evaluate(parse("log(x - x)"), one) is None
    whole = iv.Whole((arb(0), arb(3), False, False))
    wide = (arb(-2), arb(1), False, False)
    for text, least, most in (("x**k", -8, 4), ("x**(2*k)", 0, 64), ("x**(k*2)", 0, 64), ("x**(3*k)", -512, 64),
                              ("x**(k + 1)", -8, 16), ("x**(k + 2)", -32, 16), ("0**k", 0, 1),
                              ("x**floor(k)", -8, 4)):  # fmt: skip
        found = ranges.evaluate(parse(text), {"x": wide, "k": whole})
        assert found is not None and found[0] <= least and most <= found[1], text
        plain = (arb(0), arb(3), False, False)
        assert (ranges.evaluate(parse(text), {"x": wide, "k": plain}) is None) == ("floor" not in text), text
    assert ranges.evaluate(parse("x**(2*k)"), {"x": (arb(-2), arb(-1), False, False), "k": whole})[0] > 0
    assert ranges.evaluate(parse("x**(k - 1)"), {"x": wide, "k": whole}) is None
    for wrong in (
        (arb.nan(), arb(1), False, False),
        (arb(1), arb.nan(), False, False),
        (arb(2), arb(1), False, False),
    ):
        assert ranges.evaluate(parse("x + sum(k, k, 1, x)"), one, lambda *_, w=wrong: w) is None
        assert ranges.evaluate(parse("sum(k, k, 1, x)"), one, lambda *_, w=wrong: w) is None
    told = ranges.evaluate(parse("x*sum(k, k, 3, x + 1)"), one, lambda _, lo, hi, __: (lo[0], hi[1], False, False))
    assert told == (arb(3), arb(6), True, False)
    parts = ranges.parts(parse("log(x - 3) + x*sum(k, k, 1, x)"), one)
    assert parts[parse("x - 3")][:2] == (arb(-2), arb(-1)) and parts[parse("log(x - 3)")] is None
    assert parts[parse("sum(k, k, 1, x)")] is None and parts[parse("log(x - 3) + x*sum(k, k, 1, x)")] is None


# ---------------------------------------------------------------- balls


def test_balls_at_points_and_on_boxes():
    e = parse("(-1)**n + x")
    assert in_balls.at_point(e, {"n": Fraction(3), "x": Fraction(1, 3)}, integers={"n"}) == fmpq(-2, 3)
    assert in_balls.evaluate(e, {"n": arb(3), "x": arb(0.25)}, integers={"n"}) == -0.75
    found = in_balls.evaluate(e, {"n": arb(3, 1), "x": arb(0.25)}, integers={"n"})
    assert found.lower() <= -0.75 and found.upper() >= 1.25
    assert in_balls.evaluate(e, {"n": arb(3, 1), "x": arb(0.25)}).is_nan()
    assert in_balls.evaluate(parse("x + y"), {"x": arb(2) ** (10**20), "y": arb(1)}).is_finite()
    assert in_balls.evaluate(parse("exp(-x)"), {"x": iv.INF}).contains(0)
    assert in_balls.evaluate(parse("x"), {"x": arb.nan()}).is_nan()
    for text, sign in (("x", 1), ("-x", -1), ("x - x", 0), ("exp(x)", 1), ("-exp(x)", -1), ("log(x - 1/3)", None),
                       ("sin(pi)", None), ("sqrt(2)**2 - 2", None), ("abs(sin(pi))", None), ("-abs(sin(pi))", None),
                       ("exp(-x)", 1), ("-exp(-9)", -1), ("exp(-99)", 1)):  # fmt: skip
        assert in_balls.sign_at(parse(text), {"x": Fraction(1, 3)}) == sign, text
    integral = parse("integral(t, t, 0, x)")
    assert in_balls.at_point(integral, {"x": Fraction(2)}).contains(2)
    assert not in_balls.at_point(parse("integral(t, t, 0, log(x))"), {"x": Fraction(0)}).is_finite()
    assert balls.enclose(integral, {"x": (arb(2), iv.INF, False, True)}) is None
    assert balls.enclose(integral, {"x": None}) is None and balls.enclose(integral, {}) is None
    decay, far = parse("integral(exp(-c*t), t, 0, d)"), (arb(1), iv.INF, False, True)
    for c, d in ((far, (arb(1), arb(1), False, False)), ((arb(1), arb(1), False, False), far), (far, far)):
        found = balls.enclose(decay, {"c": c, "d": d})
        assert found is None or (found[0] <= 1e-9 and found[1] >= 0.632)
    assert (
        balls.enclose(parse("integral(t, t, 0, 1)"), {})[0]
        <= 0.5
        <= balls.enclose(parse("integral(t, t, 0, 1)"), {})[1]
    )
    low, high, _, _ = balls.enclose(parse("sum(x**k, k, 0, 3)"), {"x": (arb(1), arb(2), False, False)})
    assert low <= 4 and high >= 15
    huge = {"x": (arb(2) ** (10**20), arb(2) ** (10**20), False, False)}
    assert balls.enclose(parse("sum(k, k, 0, x)"), huge) is None


# ---------------------------------------------------------------- complex balls

Z = acb(arb(0.75, 0.03125), arb(0.5, 0.03125))
COMPLEX = ("t + 1", "1 - t", "t*t", "1/t", "-t", "sqrt(t)", "log(t)", "exp(t)", "t**3", "t**(-2)", "t**(1/3)",
           "t**t", "2**t", "asin(t)", "acos(t)", "atan(t)", "asinh(t)", "atanh(t)", "acosh(t)", "log1p(t)",
           "lambertw(t)", "sinc(t)", "erf(t)", "erfc(t)", "gamma(t)", "loggamma(t)", "tanh(t)", "cosh(t)", "sinh(t)",
           "tan(t)", "sin(t)", "cos(t)", "expm1(t)", "t**sqrt(4)", "pi*t", "E + t", "t/3")  # fmt: skip
MPMATH = {"log1p": lambda z: mp.log(1 + z), "sinc": lambda z: mp.sin(z) / z, "abs": abs}


def complex_value(e: Expr, z: Any) -> Any:
    a = [complex_value(x, z) for x in e.args]
    table = {
        "num": lambda: mp.mpf(e.value.numerator) / e.value.denominator, "var": lambda: z,
        "const": lambda: mp.pi if e.value == "pi" else mp.e, "add": lambda: a[0] + a[1], "sub": lambda: a[0] - a[1],
        "mul": lambda: a[0] * a[1], "div": lambda: a[0] / a[1], "neg": lambda: -a[0],
        "pow": lambda: mp.power(a[0], a[1]),
    }  # fmt: skip
    return table[e.op]() if e.op in table else MPMATH.get(e.op, getattr(mp, e.op, None))(*a)


@pytest.mark.parametrize("text", COMPLEX)
def test_complex_balls_hold_the_values_inside(text):
    e = parse(text)
    with mp.workdps(25), ctx.workprec(80):
        for analytic in (False, True):
            found = complexes.value(e, {"t": Z}, analytic)
            for re, im in ((0.75, 0.5), (0.71875, 0.46875), (0.78125, 0.53125), (0.71875, 0.53125), (0.76, 0.49)):
                value = mp.mpmathify(complex_value(e, mp.mpc(re, im)))
                for part, ball in ((value.real, found.real), (value.imag, found.imag)):
                    assert (ball + arb(0, 1e-15)).contains(arb(mp.nstr(part, 25))), (text, analytic)
            assert found.is_finite()


@pytest.mark.parametrize(
    ("text", "z", "real", "analytic"),
    [  # whether a ball that touches what is drawn is bounded, as a value on the real line and as an analytic function
        ("sqrt(t)", acb(arb(-1), arb(0, 0.5)), True, False), ("log(t)", acb(arb(-1), arb(0, 0.5)), True, False),
        ("log(t)", acb(arb(0, 1)), False, False), ("abs(t)", acb(arb(0, 1), arb(0, 1)), True, False),
        ("floor(t)", acb(arb(1, 0.5), arb(0, 1)), True, False), ("ceil(t)", acb(arb(1, 0.5), arb(0, 1)), True, False),
        ("floor(t)", acb(arb(1.5, 0.25), arb(0, 1)), True, True), ("ceil(t)", acb(arb(1.5, 0.25)), True, True),
        ("min(t, 1)", acb(arb(1, 0.5), arb(0, 1)), True, False), ("max(t, 1)", acb(arb(1, 0.5)), True, False),
        ("max(t, 1)", acb(arb(3, 0.5), arb(0, 1)), True, True), ("min(t, 3, 2)", acb(arb(1, 0.5)), True, True),
        ("abs(t)", acb(arb(-1, 1), arb(0, 1)), True, False), ("abs(t)", acb(arb(-2, 0.5), arb(0, 1)), True, True),
        ("t**(1/2)", acb(arb(0, 1), arb(0, 1)), True, False), ("t**(-1/2)", acb(arb(0, 1)), False, False),
        ("t**(1/3)", acb(arb(0, 1)), True, False), ("t**(1/3)", acb(arb(0, 1), arb(0, 1)), True, False),
        ("t**0.7", acb(arb(0, 4)), True, False), ("t**(-1/3)", acb(arb(0, 1)), False, False),
        ("t**(1/2)", acb(arb(-1), arb(0, 1)), True, False), ("t**2", acb(arb(0, 1), arb(0, 1)), True, True),
        ("t**(-2)", acb(arb(0, 1), arb(0, 1)), False, False), ("t**(-2)", acb(arb(2), arb(0, 1)), True, True),
        ("loggamma(t)", acb(arb(0.5, 1)), False, False), ("loggamma(t)", acb(arb(2), arb(0, 0.5)), True, True),
        ("loggamma(t)", acb(arb(-1.5), arb(1)), False, False), ("gamma(t)", acb(arb(-1, 0.5)), False, False),
        ("asin(t)", acb(arb(1), arb(0, 0.125)), None, False), ("acos(t)", acb(arb(-1), arb(0, 0.125)), None, False),
        ("asin(t)", acb(1), True, False), ("acos(t)", acb(-1), True, False),
        ("asin(t)", acb(arb(2), arb(1)), True, True),
        ("asin(t)", acb(arb(0, 0.125), arb(0, 0.125)), True, True), ("acos(t)", acb(0.5, arb(0, 0.125)), True, True),
        ("atan(t)", acb(arb(0, 1), arb(1, 0.5)), False, False), ("atan(t)", acb(arb(2, 1), arb(1)), True, True),
        ("atan(t)", acb(arb(0, 0.125), arb(0, 0.125)), True, True), ("atan(t)", acb(arb(0), arb(2)), False, False),
        ("asinh(t)", acb(arb(0, 1), arb(-2)), False, False), ("asinh(t)", acb(arb(2), arb(3)), True, True),
        ("asinh(t)", acb(arb(0, 0.125), arb(0, 0.125)), True, True), ("atanh(t)", acb(arb(2)), False, False),
        ("atanh(t)", acb(arb(2), arb(0, 1)), False, False), ("atanh(t)", acb(arb(0, 0.5), arb(0, 1)), True, True),
        ("atanh(t)", acb(arb(2), arb(1)), True, True), ("log1p(t)", acb(arb(-2), arb(0, 1)), False, False),
        ("log1p(t)", acb(arb(-2), arb(1)), True, True), ("log1p(t)", acb(arb(0), arb(0, 0.5)), True, True),
        ("lambertw(t)", acb(arb(-1), arb(0, 1)), False, False),
        ("lambertw(t)", acb(arb(1), arb(0, 0.125)), True, True),
        ("lambertw(t)", acb(arb(-1), arb(1)), True, True), ("tan(t)", acb(arb(1.5, 0.25)), False, False),
        ("atan(t)", acb(arb(0, 0.125), arb(1.5)), False, False), ("asinh(t)", acb(0, 1.5), False, False),
        ("atanh(t)", acb(1.5, arb(0, 0.125)), False, False), ("log1p(t)", acb(-1.5, arb(0, 0.125)), False, False),
        ("lambertw(t)", acb(-0.5, arb(0, 0.125)), False, False),
        ("acosh(t)", acb(arb(1), arb(0, 0.125)), None, False), ("sum(k, k, 1, t)", acb(2), False, False),
        ("t + integral(s, s, 0, t)", acb(2), False, False), ("0.3**t", acb(arb(0, 1), arb(0, 1)), True, True),
        ("(-2)**t", acb(arb(0, 1)), True, False), ("t**999999", acb(1), True, True),
        ("t**1000000", acb(1), False, False),
    ],
)  # fmt: skip
def test_where_a_function_is_analytic(text, z, real, analytic):
    for flag, wanted in ((False, real), (True, analytic)):
        if wanted is not None:
            assert complexes.value(parse(text), {"t": z}, flag).is_finite() == wanted, flag


def test_pieces_of_complex_balls():
    for text, t, wanted in (("min(t, 2)", 1, 1), ("max(t, 2)", 1, 2), ("min(2, t)", 3, 2), ("max(t, 2, 5)", 3, 5),
                            ("min(t, 2, -1)", 1, -1), ("abs(t)", -2, 2), ("abs(t)", 2, 2), ("floor(t)", 2.5, 2),
                            ("ceil(t)", 2.5, 3), ("floor(t)", -2.5, -3), ("ceil(t)", -2.5, -2)):  # fmt: skip
        for analytic in (False, True):
            found = complexes.value(parse(text), {"t": acb(t)}, analytic)
            assert found.real.contains(wanted) and found.imag == 0 and found.real.rad() < 1e-9, text
    for text, low, high in (("min(t, 2)", 1, 2), ("max(t, 2)", 2, 3), ("abs(t - 2)", 0, 1), ("floor(t)", 1, 2)):
        found = complexes.value(parse(text), {"t": acb(arb(2, 1))}, False)
        assert found.real.contains(low) and found.real.contains(high)


def test_whole_exponents_of_complex_balls():
    ball = acb(arb(-1, 0.5), arb(0, 0.5))
    for exponent in ("m", "floor(s)", "m + 1", "2", "sqrt(4)"):
        for analytic in (False, True):
            env = {"t": ball, "m": acb(3), "s": acb(2.5)}
            found = complexes.value(parse(f"t**({exponent})"), env, analytic)
            n = {"m": 3, "m + 1": 4}.get(exponent, 2)
            assert found.is_finite() and found.real.contains((-0.5) ** n) and found.real.contains((-1.5) ** n)
    for m in (acb(3, arb(0, 1)), acb(3, 1), acb(arb(3, 0.25)), acb(2.5)):
        assert not complexes.value(parse("t**m"), {"t": ball, "m": m}, True).is_finite()
    wide = complexes.value(parse("t**m"), {"t": acb(arb(0, 4)), "m": acb(arb(2, 1))}, False)
    assert wide.real.contains(64) and wide.real.contains(-64)
    less = complexes.value(parse("t**m"), {"t": acb(arb(0, 0.5)), "m": acb(arb(2, 1))}, False)
    assert less.real.contains(0.5) and less.real.contains(-0.5)
    assert not complexes.value(parse("t**m"), {"t": acb(arb(0, 4)), "m": acb(arb(1, 1))}, False).is_finite()
    assert not complexes.value(parse("t**m"), {"t": acb(arb(0, 4)), "m": acb(2, 1)}, False).is_finite()
    for size, q in ((4, F(1, 3)), (4, F(7, 3)), (F(1, 2), F(1, 3)), (F(1, 2), F(7, 3))):  # every branch of every value
        found = complexes.value(parse(f"t**({q})"), {"t": acb(arb(0, float(size)))}, False)
        for turn in range(8):
            z = mp.power(float(size), mp.mpf(q.numerator) / q.denominator) * mp.expjpi(turn / 4)
            assert found.real.contains(float(z.real) * 0.999999) and found.imag.contains(float(z.imag) * 0.999999)
        assert found.real.upper() < 1.5 * float(size) ** float(q)
    assert not complexes.value(Expr("polygamma", (var("t"),), 1), {"t": acb(2)}, False).is_finite()


# ---------------------------------------------------------------- programs


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("3", True), ("1/2", False), ("m", True), ("x", False), ("m + 1", True), ("m - w", True), ("-m", True),
        ("2*m", True), ("m*x", False), ("m/2", False), ("m + 1/2", False), ("min(m, 2)", True), ("max(m, x)", False),
        ("abs(m)", True), ("floor(x)", True), ("ceil(x/2) + m", True), ("floor(x)*x", False), ("m**2", True),
        ("m**0", True), ("m**(-1)", False), ("m**w", False), ("2**m", False), ("(1/2)**2", False), ("sqrt(m)", False),
        ("m**(1/2)", False), ("exp(m)", False), ("pi", False), ("floor(x)**2", True), ("x**2", False),
        ("sum(k, k, 1, m)", False), ("gamma(m)", False), ("-1/2", False), ("abs(x)", False), ("min(1/2, m)", False),
    ],
)  # fmt: skip
def test_what_is_whole_by_its_form(text, whole):
    assert is_integer_valued(parse(text), INTEGERS) == whole


def test_numbers_that_are_spelt_out():
    assert integer_of(arb(3, 0.5)) == 3 and integer_of(arb(3, 1)) is None and integer_of(arb(2.5, 0.25)) is None
    assert integer_of(arb(10) ** 400) == 10**400 or ctx.prec < 1400
    assert integer_of(arb(2) ** 10_000) == 2**10_000 and integer_of(arb(2) ** (10**20)) is None
    assert integer_of(-(arb(2) ** (10**20))) is None and integer_of(arb(0)) == 0 and integer_of(arb(-7)) == -7
    assert spelled(arb(0)) and spelled(arb(2) ** 1000) and spelled(-(arb(2) ** -1000))
    assert not spelled(arb(2) ** (2 * MAX_EXPONENT)) and not spelled(arb(2) ** (-2 * MAX_EXPONENT))
    assert exact_of(arb(0.75)) == fmpq(3, 4) and fraction_of(arb(-0.75)) == Fraction(-3, 4)
    for f in (exact_of, fraction_of):
        with pytest.raises(OverflowError):
            f(arb(2) ** (10**20))
    assert literal(parse("1/2")) == Fraction(1, 2) and literal(Expr("neg", (num(3),))) == -3
    assert literal(parse("x")) is None and literal(parse("-x")) is None and literal(parse("pi")) is None


def test_a_program_has_each_part_once_and_knows_what_is_constant():
    e = parse("x*x + exp(2)*sum(k*x, k, 1, 3)")
    code = program((e, parse("x*x")))
    assert len({s.node for s in code.steps}) == len(code.steps) and len(code.outputs) == 2
    assert all(i < n for n, s in enumerate(code.steps) for i in s.args)
    constant = {str(s.node): s.constant for s in code.steps}
    assert constant["exp(2)"] and not constant["x*x"] and not constant["sum(k*x, k, 1, 3)"] and not constant["x"]
    assert "k*x" not in constant  # what a sum binds stays inside of it
    for bad in (Expr("P", (var("x"),)), Expr("<=", (var("x"), num(1)))):
        with pytest.raises(FormulaError):
            program((bad,))


# ---------------------------------------------------------------- derivatives

SLOPES = ("x", "3", "y", "-x", "x + y", "2*x - x", "y - x**2", "x*y", "x*x*x", "x/y", "y/x", "(x + 1)/(x + 2)",
          "x**2", "x**3", "x**(-2)", "x**(1/3)", "(3*x)**2", "(2*x + 1)**3", "2**(3*x)", "(2*x)**x", "(x*x)**(2*x)",
          "abs(2*x - 3)", "sinc(3*x)", "log(2*x)", "lambertw(x*x)", "abs(-2*x)", "x**y", "y**x", "x**x",
          "(x + y)**(x*y)", "2**x", "exp(x*y)",
          "log(x + y)", "sqrt(x)", "sqrt(2*x + 1)", "abs(x - 3)", "abs(x)", "sin(2*x)", "cos(x)", "tan(x/2)",
          "asin(x/4)", "acos(x/4)", "atan(x)", "sinh(x)", "cosh(x*y)", "tanh(x)", "asinh(x)", "acosh(x + 1)",
          "atanh(x/4)", "gamma(x)", "loggamma(2*x)", "erf(x)", "erfc(x)", "log1p(x)", "expm1(x)", "sinc(x)",
          "lambertw(x)", "0*x", "x/1", "1/sqrt(x)", "x*log(x)", "integral(t**2, t, 1, x)", "integral(t, t, x*x, 5)",
          "integral(exp(t), t, 1, x)*y", "integral(t**2, t, 1, x**2)", "integral(t, t, exp(-x), 2)",
          "sum(k, k, 1, 3)*x", "(x*y)/(x - 3)", "y**2/(x*y)", "(x - x)/x")  # fmt: skip


@pytest.mark.parametrize("text", SLOPES)
def test_a_derivative_is_the_limit_of_differences(text):
    e = parse(text)
    step = Fraction(1, 2**30)
    for name in ("x", "y"):
        d = derivative(e, name)
        for x in (Fraction(1, 2), Fraction(7, 4)):
            here = {"x": x, "y": Fraction(5, 4)}
            there, back = ({**here, name: here[name] + s} for s in (step, -step))
            asked = ((e, there), (e, back), (d, here))
            with ctx.workprec(160):
                after, before, slope = (points.as_arb(in_balls.at_point(f, p, 160)) for f, p in asked)
                assert abs((after - before) * 2**29 - slope) < 1e-9 * (1 + abs(slope)), (name, x)


@pytest.mark.parametrize(
    "text",
    [
        "floor(x)", "ceil(2*x)", "min(x, y)", "max(x, 1)", "sum(k*x, k, 1, 3)", "sum(k, k, 1, x)",
        "integral(t*x, t, 0, 1)", "integral(t*x, t, 0, x)", "integral(t, t, x, 2*x)", "exp(floor(x))", "x*max(x, y)",
        "floor(x)*0 + x", "integral(t, t, 0, floor(x))", "integral(x*t, t, x, 5)", "sum(x, k, 1, x)",
    ],
)  # fmt: skip
def test_what_has_no_derivative_formula(text):
    with pytest.raises(NotDifferentiable):
        derivative(parse(text), "x")


def test_derivatives_of_polygamma_and_of_what_does_not_move():
    e = Expr("polygamma", (parse("2*x"),), 1)
    assert derivative(e, "x") is Expr("polygamma", (parse("2*x"),), 2) * num(2)
    assert derivative(parse("floor(y)*x"), "x") is parse("floor(y)")
    assert derivative(parse("integral(t*y, t, 0, x)"), "x") is parse("x*y")
    assert derivative(parse("integral(x, x, 0, y)"), "x") is num(0)
    for text, where in (("abs(x)", 0), ("sqrt(x)", 0), ("sinc(x)", 0), ("1/x", 0), ("asin(x)", 1), ("acosh(x)", 1)):
        assert not points.as_arb(in_balls.at_point(derivative(parse(text), "x"), {"x": Fraction(where)})).is_finite()
