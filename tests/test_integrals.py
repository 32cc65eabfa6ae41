"""Rigorous integrals and sums: known values are enclosed tightly, divergent and undefined ones are NaN."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb
from mpmath import mp as mpm

from boundcheck.arith import in_balls, mp
from boundcheck.kernel.enclosure import balls
from boundcheck.kernel.formula import parse

KNOWN = {
    "integral(exp(-t), t, 0, oo)": "1",
    "integral(exp(-t**2), t, -oo, oo)": "1.77245385090551602729816748334",
    "integral(t**(-1.05), t, 1, oo)": "20",
    "integral(1/sqrt(t), t, 0, 1)": "2",
    "integral(1/sqrt(1-t**2), t, -1, 1)": "3.14159265358979323846264338328",
    "integral(1/sqrt(x-t), t, 0, x)": "1.73205080756887729352744634151",
    "integral(sin(t)/t, t, 0, 1)": "0.946083070367183014941353313823",
    "integral((1-exp(-t))/t**(3/2), t, 0, oo)": "3.54490770181103205459633496668",
    "integral(t**3/(exp(t)-1), t, 0, oo)": "6.49393940226682914909602217926",
    "integral(abs(t-1/3), t, 0, 1)": "0.277777777777777777777777777778",
    "integral(min(1, t**(-3/2)), t, 0, oo)": "3",
    "integral(-log(t), t, 0, 1)": "1",
    "integral(erfc(t), t, 0, oo)": "0.564189583547756286948079451561",
    "integral(t, t, 3, 1)": "-4",
    "integral(t**2, t, sqrt(2), 2)": "1.7238576250846033008",
    "sum(1/k**2, k, 1, oo)": "1.64493406684822643647241516665",
    "sum(k**(-3/2), k, 1, oo)": "2.61237534868548834334856756792",
    "sum(x**k/gamma(k+1), k, 0, oo)": "2.11700001661267466854536981984",
    "sum(k*x**(k-1), k, 1, oo)": "16",
    "sum((-1)**k*x**k, k, 0, oo)": "0.571428571428571428571428571429",
    "sum(exp(-sqrt(k)), k, 1, oo)": "1.67040681796633972124",
    "sum(1/k, k, 1, 1000000)": "14.3927267228657236313811274931",
    "sum(k, k, 5, 3)": "0",
}


@pytest.mark.parametrize("text", KNOWN)
def test_known_values_are_enclosed(text):
    ball = in_balls.evaluate(parse(text), {"x": arb(0.75)})
    wanted = arb(KNOWN[text]) + arb(0, 1e-18)
    assert ball.overlaps(wanted), ball
    assert ball.rad() < 1e-9 * (1 + abs(float(ball.mid())))


@pytest.mark.parametrize("text", [t for t in KNOWN if "1000000" not in t and "sqrt(1-t" not in t])
def test_mpmath_is_independent_evidence(text):
    value = mp.evaluate(parse(text), {"x": Fraction(3, 4)}, 25)
    assert abs(value - mpm.mpf(KNOWN[text])) < 1e-15 * (1 + abs(value))


@pytest.mark.parametrize(
    "text",
    [
        "integral(1/t, t, 1, oo)",
        "integral(1/t, t, 0, 1)",
        "integral(1/(t-1/2), t, 0, 1)",
        "integral(1, t, 0, oo)",
        "integral(sqrt(t-1), t, 0, 2)",
        "integral(log(t), t, -1, 1)",
        "integral(sqrt(t)*sqrt(t), t, -1, 1)",
        "integral(1/(t*log(t)), t, 2, oo)",
        "sum(1/k, k, 1, oo)",
        "sum(1, k, 1, oo)",
        "sum((-1)**k, k, 0, oo)",
        "sum(k, k, 1/2, 3)",
        "sum(1/(k-2), k, 1, 5)",
    ],
)
def test_what_diverges_or_is_undefined_is_nan(text):
    assert in_balls.evaluate(parse(text), {}).is_nan()


@pytest.mark.parametrize("low", [Fraction(1, 2), Fraction(1)])
def test_boxes_of_parameters_are_enclosed(low):
    e = parse("integral(exp(-c*t), t, 0, oo)")
    c = (arb(1) * low.numerator / low.denominator, arb(2), False, False)
    lo, hi, _, _ = balls.enclose(e, {"c": c})
    assert lo <= 0.5 and hi >= float(1 / low)


def test_more_precision_gives_more_digits():
    e = parse("integral(exp(-t)/sqrt(t), t, 0, oo)")
    assert in_balls.evaluate(e, {}, 160).rad() < 1e-40


#: What cancels, or is multiplied by 0, must have a value all the same: far out and next to a singular end too.
CANCELLED = [
    ("integral(exp(-t) + ({f} - {f}), t, 0, oo)", "sqrt(1000000 - t)", "sqrt(1000000 + t)"),
    ("sum(2**(-k) + ({f} - {f}), k, 0, oo)", "sqrt(1000000 - k)", "sqrt(1000000 + k)"),
    ("sum(1/k**2 + ({f} - {f}), k, 1, oo)", "1/(k - 100000)", "1/(k + 100000)"),
    ("integral(exp(-t)*exp({f} - {f}), t, 0, oo)", "log(1000000 - t)", "log(1000000 + t)"),
    ("integral(1/sqrt(t) + {f}, t, 0, 1)", "0/(t - 10**(-300))", "0/(t + 10**(-300))"),
    ("integral(1/sqrt(t) + {f}, t, 0, 1)", "0*log((t - 10**(-300))**2)", "0*log((t + 1)**2)"),
    ("integral(1/sqrt(t) + {f}, t, 0, 1)", "0*sqrt(abs(t - 10**(-300)) - 10**(-310))", "0*sqrt(abs(t - 2) - 1/2)"),
]


@pytest.mark.parametrize(("text", "undefined", "fine"), CANCELLED, ids=[c[1] for c in CANCELLED])
def test_what_cancels_must_be_defined(text, undefined, fine):
    assert in_balls.evaluate(parse(text.format(f=undefined)), {}).is_nan()
    assert in_balls.evaluate(parse(text.format(f=fine)), {}).is_finite()
