"""Boxes, intervals and values to compare them with, shared by the tests of the verifier."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq
from mpmath import mp

from boundcheck.kernel.enclosure import intervals as iv


def box(**values: Fraction | float) -> dict[str, iv.Interval]:
    found = {}
    for name, x in values.items():
        q = Fraction(x)
        ball = arb(fmpq(q.numerator, q.denominator))
        found[name] = (ball.lower(), ball.upper(), False, False)
    return found


def agree(a: iv.Interval | None, b: iv.Interval | None) -> bool:
    """Whether two enclosures of one value overlap; a formula that is undefined there says nothing."""
    return a is None or b is None or bool(a[0] <= b[1] and b[0] <= a[1])


MPMATH: dict[str, Callable[[Any], Any]] = {
    "exp": mp.exp, "log": mp.log, "sqrt": mp.sqrt, "sin": mp.sin, "cos": mp.cos, "tan": mp.tan, "asin": mp.asin,
    "acos": mp.acos, "atan": mp.atan, "sinh": mp.sinh, "cosh": mp.cosh, "tanh": mp.tanh, "asinh": mp.asinh,
    "acosh": mp.acosh, "atanh": mp.atanh, "gamma": mp.gamma, "loggamma": mp.loggamma, "erf": mp.erf, "erfc": mp.erfc,
    "floor": mp.floor, "ceil": mp.ceil, "log1p": lambda x: mp.log(1 + x), "expm1": mp.expm1,
    "sinc": lambda x: mp.sin(x) / x if x else mp.one, "lambertw": lambda x: mp.lambertw(x).real, "abs": abs,
}  # fmt: skip


def end(x: float | Fraction) -> arb:
    if x in (math.inf, -math.inf):
        return iv.INF if x > 0 else iv.NINF
    q = Fraction(x)
    return arb(fmpq(q.numerator, q.denominator))


def interval(lo: float | Fraction, hi: float | Fraction, lo_open: bool = False, hi_open: bool = False) -> iv.Interval:
    return (end(lo).lower(), end(hi).upper(), lo_open, hi_open)


def exactly(x: arb) -> Fraction:
    q = x.fmpq()
    return Fraction(int(q.p), int(q.q))


def true(name: str, x: Fraction) -> arb:
    """The value to 40 digits, with a ball around."""
    with mp.workdps(45), ctx.workprec(200):
        value = MPMATH[name](mp.mpf(x.numerator) / x.denominator)
        return arb(mp.nstr(value, 42)) * arb(1, 1e-38) + arb(0, 1e-60)


def holds(a: iv.Interval | None, value: arb) -> bool:
    with ctx.workprec(200):
        return a is not None and not value < a[0] and not value > a[1]
