"""How large formulas are near an end: the bounds as text, and against the values of the formulas."""

from __future__ import annotations

from fractions import Fraction

import pytest
from enclosures import box
from flint import arb, ctx, fmpq

from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.growth import Scale
from boundcheck.kernel.enclosure.intervals import INF
from boundcheck.kernel.formula import parse

#: (formula, end, "C a c b sign") with c w**b <= |f| <= C w**a for w >= 4; p = 3/2, or 1/2 <= p <= 2 for "wide"
BOUNDS: list[tuple[str, str, str | None]] = [
    ("t", "oo", "1 1 1 1 1"), ("-t", "oo", "1 1 1 1 -1"), ("abs(-t)", "oo", "1 1 1 1 1"),
    ("t + p", "oo", "1.375 1 1 1 1"), ("t + p", "wide", "1.5 1 1 1 1"), ("t - 3", "oo", "1.75 1 0.25 1 1"),
    ("t*p", "oo", "1.5 1 1.5 1 1"), ("t*p", "wide", "2 1 0.5 1 1"), ("1/t", "oo", "1 -1 1 -1 1"),
    ("1/(t + 1)", "oo", "1 -1 0.8 -1 1"), ("1/(t - 1)", "oo", "1.333 -1 0.8 -1 1"),
    ("sqrt(t)", "oo", "1 0.5 1 0.5 1"), ("t**p", "oo", "1 1.5 1 1.5 1"), ("t**p", "wide", "1 2 1 0.5 1"),
    ("t**(-p)", "oo", "1 -1.5 1 -1.5 1"), ("t**(-p)", "wide", "1 -0.5 1 -2 1"), ("t**2", "oo", "1 2 1 2 1"),
    ("t**(-3)", "oo", "1 -3 1 -3 1"), ("(-t)**3", "oo", "1 3 1 3 -1"), ("(-t)**2", "oo", "1 2 1 2 1"),
    ("(1 - t)**(-1)", "oo", "1.333 -1 0.8 -1 -1"), ("log(t)", "oo", "0.51 0.7213 1.386 0 1"),
    ("log(1/t)", "oo", "0.51 0.7213 1.386 0 -1"), ("log(t)/t**2", "oo", "0.51 -1.279 1.386 -2 1"),
    ("log(2)", "oo", "0.6931 0 0.6931 0 1"), ("exp(-t)", "oo", "4.689 -4 0 0 1"),
    ("exp(t)", "oo", "inf 0 0.2133 4 1"), ("exp(-t**2)*t**3", "oo", "2.076e+12 -29 0 3 1"),
    ("exp(-p*t)", "oo", "10.15 -6 0 0 1"), ("exp(-p*t)", "wide", "2.165 -2 0 0 1"),
    ("exp(p - t)", "oo", "2.627 -2.5 0 0 1"), ("exp(p - t)", "wide", "2.165 -2 0 0 1"),
    ("exp(sqrt(t))", "oo", "inf 0 1.847 1 1"), ("1/exp(t)", "oo", "4.689 -4 0 0 1"),
    ("1/gamma(t)", "oo", "1.998 -1.792 0 0 1"), ("p**t", "oo", "inf 0 0.5345 1.622 1"), ("p**t", "wide", None),
    ("(1/2)**t", "oo", "2.918 -2.773 0 0 1"), ("(1/2)**t*t**2", "oo", "2.918 -0.7726 0 2 1"),
    ("2**t", "oo", "inf 0 0.3427 2.773 1"), ("(-1/2)**t", "oo", "2.918 -2.773 0 0 0"),
    ("(-2)**(-t)", "oo", "2.918 -2.773 0 0 0"), ("min(t, 1/t)", "oo", "1 -1 1 -1 1"),
    ("min(t, t**2)", "oo", "1 1 1 1 1"), ("max(t, t**2)", "oo", "1 2 1 1 1"), ("max(1/t, 2)", "oo", "2 0 2 0 1"),
    ("min(exp(t), 1/t)", "oo", "1 -1 1 -1 1"), ("min(-t, t)", "oo", "1 1 1 1 0"), ("max(-t, t)", "oo", "1 1 1 1 0"),
    ("erfc(t)", "oo", "2.076e+12 -32 0 0 1"), ("erfc(-t)", "oo", "2 0 2 0 1"), ("sinc(t)", "oo", "1 -1 0 0 0"),
    ("lambertw(t)", "oo", "0.5921 0.7213 0 1 1"), ("sin(t)", "oo", "1 0 0 0 0"),
    ("sin(1/t)", "oo", "1 -1 0.9689 -1 1"), ("sin(1/t)/t", "oo", "1 -2 0.9689 -2 1"),
    ("atan(t)", "oo", "1.571 0 1.326 0 1"), ("atan(1/t)", "oo", "1 -1 0.9412 -1 1"),
    ("tanh(t)", "oo", "inf -4 0.9993 0 1"), ("1 - exp(-1/t)", "oo", "0.2212 0 0 0 0"),
    ("expm1(1/t)", "oo", "1.284 -1 1 -1 1"), ("t - t", "oo", "0 0 0 0 0"),
    ("t**2 - t**2 + 1/t", "oo", "1 -1 1 -1 1"), ("t**2 - t", "oo", "1.25 2 0.75 2 1"),
    ("t - t**2", "oo", "1.25 2 0.75 2 -1"), ("log(1 + t)", "oo", "0.5921 0.7213 1.386 0 1"),
    ("log1p(1/t)", "oo", "1 -1 0.8 -1 1"), ("exp(-log(t)**2)", "oo", "0.1463 0 0 0 1"),
    ("exp(1/t)", "oo", "1.284 0 1 0 1"), ("0*t", "oo", "0 0 0 1 0"), ("sum(k, k, 0, 3)*t", "oo", None),
    ("floor(t)", "oo", None), ("floor(1/t)", "oo", "0 0 0 0 0"), ("gamma(t)", "oo", None),
    ("cosh(t)", "oo", "inf 0 0.1066 4 1"), ("p", "oo", "1.5 0 1.5 0 1"), ("p", "wide", "2 0 0.5 0 1"),
    ("exp(sin(t))*t", "oo", "2.718 1 0.3679 1 1"), ("t/exp(log(t))", "oo", "0.25 1 0 1 1"),
    ("exp(-t)*exp(t)", "oo", None), ("sqrt(t**2 + 1) - t", "oo", "2.031 1 0 0 0"), ("erf(t)", "oo", "1 0 1 0 1"),
    ("asinh(t)", "oo", "0.7706 0.7213 1.386 0 1"), ("1/log(t)", "oo", "0.7213 0 1.961 -0.7213 1"),
    ("(t + p)**(-p)", "oo", "1 -1.5 0.6202 -1.5 1"), ("(t + p)**(-p)", "wide", "1 -0.5 0.4444 -2 1"),
    ("(p/t)**p", "oo", "1.837 -1.5 1.837 -1.5 1"), ("(p/t)**p", "wide", "4 -0.5 0.25 -2 1"),
    ("sqrt(sin(t))", "oo", None), ("(t*sin(t))**p", "oo", None), ("(t*sin(t))**p", "wide", None),
    ("(-t)**(1/2)", "oo", None), ("(t*sin(t))**(-2)", "oo", None), ("t/sin(t)", "oo", None),
    ("1/erfc(t)", "oo", None), ("erfc(t)**(-1)", "oo", None), ("log(t*sin(t))", "oo", None), ("log(-t)", "oo", None),
    ("log(erfc(t))", "oo", None), ("log(-t) - log(-t) + 1/t", "oo", None), ("1/t + log(-t)", "oo", None),
    ("t**2 - 3*t", "oo", "1.75 2 0.25 2 1"), ("3*t - t**2", "oo", "1.75 2 0.25 2 -1"),
    ("sqrt(t) - t/100", "oo", "0.51 1 0 0 0"), ("t**2 - 3*t - 100", "oo", "8 2 0 0 0"),
    ("t - t**2*sin(t)", "oo", "1.25 2 0 0 0"), ("-(1/t) - 1/t**2", "oo", "1.25 -1 1 -1 -1"),
    ("min(gamma(t), 1/t)", "oo", "1 -1 0 0 0"), ("min(t*gamma(t), t*sin(t))", "oo", None),
    ("min(-gamma(t), 1/t)", "oo", None), ("min(gamma(t), gamma(t + 1))", "oo", None),
    ("max(gamma(t), t)", "oo", None), ("min(t*gamma(t), t**2)", "oo", "1 2 0 0 0"),
    ("max(t*sin(t), t)", "oo", "1 1 0 1 0"), ("min(t*sin(t), t**2)", "oo", "1 2 0 1 0"),
    ("1/gamma(t - 3)", "oo", "1.129 0 0 0 0"), ("1/gamma(t/2)", "oo", "1 0 0 0 0"), ("gamma(1/t)", "oo", None),
    ("exp(-t*exp(t))", "oo", "inf -1092 0 0 1"), ("exp(t*sin(t))", "oo", None),
    ("exp(-exp(t))", "oo", "5.94e+107 -218.4 0 0 1"), ("exp(-t - sin(t))", "oo", "3.186 -3 0 0 1"),
    ("(t*sin(t))**2", "oo", "1 2 0 0 0"), ("(t*sin(t))**3", "oo", "1 3 0 0 0"), ("(-t)**(-3)", "oo", "1 -3 1 -3 -1"),
    ("tanh(t)*t", "oo", "inf -3 0.9993 1 1"), ("sinc(t*sin(t))", "oo", "1 0 0 0 0"), ("0*log(t - 5)", "oo", None),
    ("0*log(t - 5) + t", "oo", None), ("log(10/t)", "oo", "1.357 0.7213 0 0 0"),
    ("log(t/10)", "oo", "1.357 0.7213 0 0 0"), ("log(t**2/10)", "oo", "1.867 0.7213 0.47 0 1"),
    ("t**(p - 1)", "oo", "1 0.5 1 0.5 1"), ("t**(p - 1)", "wide", None), ("t + t + 1/t", "oo", "2.062 1 2 1 1"),
    ("t + t - 3*t", "oo", "5 1 1 1 -1"), ("erf(1/t)", "oo", "1.128 -1 1.06 -1 1"),
    ("expm1(2/t)", "oo", "3.297 -1 2 -1 1"), ("-exp(1/t)", "oo", "1.284 0 1 0 -1"),
    ("log(2 - 1/t)", "oo", "0.6931 0 0.5596 0 1"), ("t", "0", "1 -1 1 -1 1"), ("1/t", "0", "1 1 1 1 1"),
    ("sqrt(t)", "0", "1 -0.5 1 -0.5 1"), ("t**(-p)", "0", "1 1.5 1 1.5 1"), ("t**p", "0", "1 -1.5 1 -1.5 1"),
    ("log(t)", "0", "0.51 0.7213 1.386 0 -1"), ("-log(t)", "0", "0.51 0.7213 1.386 0 1"),
    ("1/sqrt(t)", "0", "1 0.5 1 0.5 1"), ("sin(t)", "0", "1 -1 0.9689 -1 1"), ("sin(t)/t", "0", "1 0 0.9689 0 1"),
    ("1 - cos(t)", "0", "0.2474 -1 0 0 0"), ("(1 - exp(-t))/t", "0", "1 0 0.7788 0 1"),
    ("exp(-1/t)", "0", "4.689 -4 0 0 1"), ("exp(1/t)", "0", "inf 0 0.2133 4 1"),
    ("exp(-1/t)/t", "0", "4.689 -3 0 1 1"), ("log(1 + t)", "0", "1 -1 0.8 -1 1"),
    ("t*log(t)", "0", "0.51 -0.2787 1.386 -1 -1"), ("1/sqrt(1 - t)", "0", "1.155 0 1 0 1"),
    ("1/(1 - t)", "0", "1.333 0 1 0 1"), ("t + p", "0", "1.75 0 1.5 0 1"), ("abs(t - 1)", "0", "1 0 0.75 0 1"),
    ("atan(1/t)", "0", None), ("1/tan(t)", "0", "1 1 0.9689 1 1"), ("t - t", "0", "0 -1 0 0 0"),
    ("log(log(1/t))", "0", "0.6156 0.7213 0.3266 0 1"), ("erfc(1/t)", "0", "2.076e+12 -32 0 0 1"),
    ("min(1/t, 2)", "0", "2 0 2 0 1"), ("max(1/t, 2)", "0", "1 1 2 0 1"), ("t**2 - t", "0", "1 -1 0.75 -1 -1"),
    ("1/(t**2 - t)", "0", "1.333 1 1 1 -1"), ("tanh(t)/t**2", "0", "1 1 0.94 1 1"),
    ("lambertw(t)/t", "0", "1 0 0.6774 0 1"), ("asin(t)", "0", "1.033 -1 1 -1 1"),
    ("acos(1 - t)", "0", "0.7227 0 0 0 0"), ("0*log(t)", "0", "0 0.7213 0 0 0"), ("exp(-p*log(t))", "0", None),
    ("cos(1/t)", "0", None), ("sinc(1/t)", "0", "1 -1 0 0 0"), ("t**t", "0", None),
    ("lambertw(1/t)", "0", "0.5921 0.7213 0 0 1"), ("sqrt(1 - t)", "1", "1 -0.5 1 -0.5 1"),
    ("1/sqrt(1 - t)", "1", "1 0.5 1 0.5 1"), ("log(t)", "1", "1.333 -1 1 -1 -1"), ("t - 1", "1", "1 -1 1 -1 -1"),
    ("1/(t - 1)", "1", "1 1 1 1 -1"), ("asin(t)", "1", "1.571 0 0.8481 0 1"), ("acos(t)", "1", "0.7227 0 0 0 0"),
    ("atanh(t)", "1", "0.3825 0.7213 0.973 0 1"), ("1/log(t)", "1", "1 1 0.75 1 -1"),
    ("exp(-1/(1 - t))", "1", "4.689 -4 0 0 1"), ("abs(t - 1)", "1", "1 -1 1 -1 1"),
    ("sqrt(1 - t**2)", "1", "1.414 -0.5 1.225 -0.5 1"), ("(1 - t)**p", "1", "1 -1.5 1 -1.5 1"),
    ("1/(1 - t)**p", "1", "1 1.5 1 1.5 1"), ("t**2 - 1", "1", "2 -1 1.5 -1 -1"),
    ("sqrt(t - p)", "p", "1 -0.5 1 -0.5 1"), ("1/sqrt(t - p)", "p", "1 0.5 1 0.5 1"),
    ("log(t - p)", "p", "0.51 0.7213 1.386 0 -1"), ("t - p", "p", "1 -1 1 -1 1"),
    ("1/(t**2 - p**2)", "p", "0.3333 1 0.2857 1 1"), ("t/(1/t)", "oo", "1 2 1 2 1"), ("1/(1/(t - 9))", "oo", None),
    ("1/t**2/(1/max(0, 9 - t))", "oo", None), ("1/(t/(1/t - 1/9))", "oo", None), ("1/(1/(t - 1/9))", "0", None),
]  # fmt: skip
POINT, WIDE = box(p=Fraction(3, 2)), {"p": (arb(0.5), arb(2), False, False)}
PLACES = {"0": (Fraction(0), 1), "1": (Fraction(1), -1), "p": (Fraction(3, 2), 1)}


@pytest.mark.parametrize(("source", "end", "wanted"), BOUNDS, ids=[f"{s} at {e}" for s, e, _ in BOUNDS])
def test_bounds_near_an_end(source, end, wanted):
    with ctx.workprec(96):
        e, env = parse(source), WIDE if end == "wide" else POINT
        place, side = PLACES.get(end, (None, 1))
        found = Scale("t", env, arb(4), None if place is None else parse(end), side).bound(e)
        if found is None:
            assert wanted is None
            return
        assert " ".join(f"{float(x):.4g}" for x in (found.C, found.a, found.c, found.b)) + f" {found.sign}" == wanted
        for more in (0, Fraction(1, 7), 1, 3, 10, 100):
            w = 4 * (1 + Fraction(more))
            value = enclose(e, {**box(t=w if place is None else place + side / w), **env})
            size = arb(fmpq(w.numerator, w.denominator))
            if value is not None:
                least = arb(0) if value[0] <= 0 <= value[1] else min(abs(value[0]), abs(value[1]))
                assert found.C == INF or least <= (found.C * size**found.a).upper()
                assert (found.c * size**found.b).lower() <= max(abs(value[0]), abs(value[1]))
                assert value[1] > 0 if found.sign == 1 else value[0] < 0 if found.sign else True


def test_nothing_is_said_of_scales_below_one():
    """t**(-p) is at most w**2 for w >= 1 and p <= 2, not for smaller w = 1/t."""
    for start, known in (("1/2", False), ("1", True), ("2", True)):
        scale = Scale("t", WIDE, enclose(parse(start), {})[0], parse("0"))
        assert (scale.bound(parse("t**(-p)")) is not None) == known


def test_a_logarithm_wants_a_scale_beyond_three():
    for start, known in ((2, False), (3, False), (4, True)):
        assert (Scale("t", {}, arb(start)).bound(parse("log(t)")) is not None) == known


@pytest.mark.parametrize(
    "source",
    ["sum(2**(-k)/(1/(k - 1000)), k, 1, oo)", "integral(t**(-2)/(1/max(0, 1 - t/1e60)), t, 1, oo)"],
)
def test_a_divisor_of_a_divisor_is_not_0_far_out(source):
    """At k = 1000 this divides by 1/0: the sum has no value, though its terms are small."""
    assert enclose(parse(source), {}) is None
    assert enclose(parse(source.replace("1000", "1/2").replace("max(0, 1 - t/1e60)", "(2 + 1/t)")), {}) is not None


def test_nothing_is_known_near_an_end_that_is_not_known():
    assert Scale("t", {}, arb(4), parse("log(0 - 1)")).bound(parse("1/t")) is None
    assert Scale("t", {}, arb(4)).bound(parse("q*t")) is None
