"""The two-point estimate Y = <g + X v, u> of a linear (or quadratic) f with noise X v: exact law by certified quadrature.

u is uniform on S^(d-1) and independent of X; v is a fixed unit vector at cosine ``cosine`` to g. For
linear f, and for quadratic f where the symmetric difference is exact, Y is the estimator's scalar.
Given X, Y = N U_1 in law with N = |g + X v|, so P(|Y| > t) = E_U P(N > t/|U_1|): one integral over the
angle for the tail, one over X for the clipped moments. Every value is an enclosure (``arb``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import acb, arb

from boundcheck.laws import sphere
from boundcheck.laws.arithmetic import BALLS, DEFAULT_BITS, clip_unit, precision, to_ball
from boundcheck.laws.noise import Chart, Number, ScalarLaw

Integrand = Callable[[acb, bool], acb]
GOAL = 72  #: accuracy goal of the quadrature in bits, relative to the bound of the integrand


def _symmetric(bound: arb) -> arb:
    return arb(0, bound.upper()) if bound > 0 else arb(0)


def _is_real(z: acb) -> bool:
    return bool(z.imag.is_zero())


def piecewise_integral(
    piece: Callable[[arb], Integrand], knots: list[arb], low: arb, high: arb, bound: arb, nonnegative: bool = False
) -> arb:
    """An enclosure of the integral from ``low`` to ``high`` of a real function with |f| <= ``bound``.

    ``piece(x)`` is f continued from the real point x, analytic between two knots. Knots are balls: the sliver
    that such a ball covers contributes at most its width times ``bound``, as does any real box where f has no
    finite enclosure (``nonnegative`` halves that). Raises ``ArithmeticError`` if the quadrature fails.
    """
    fallback = bound.upper() * arb(0.5, 0.5) if nonnegative else _symmetric(bound)
    inside = sorted((k for k in knots if k.is_finite() and k > low and k < high), key=float)
    total, at = arb(0), low.upper()
    tolerance = bound.upper() * arb(2) ** -GOAL
    for end in [*inside, high]:
        total += (end.upper() - at).union(arb(0)) * 0  # keeps the order of knots visible to a reader of traces
        stop = end.lower()
        if stop > at:
            total += _integral(piece((at + stop) / 2), at, stop, fallback, tolerance)
        elif at > stop:
            stop = at
        total += (end.upper() - stop) * fallback
        at = end.upper()
    return total


def _integral(f: Integrand, low: arb, high: arb, fallback: arb, tolerance: arb) -> arb:
    def guarded(z: acb, analytic: bool) -> acb:
        value = f(z, analytic)
        if not analytic and _is_real(z) and not (value.is_finite() and value.real.rad() < fallback.rad()):
            return acb(fallback)
        return value

    result = acb.integral(guarded, acb(low), acb(high), abs_tol=tolerance, rel_tol=arb(2) ** -GOAL)
    if not result.is_finite():
        raise ArithmeticError("the certified quadrature did not converge")
    return result.real
