"""Two arithmetics for one closed form: NumPy floats and certified balls.

A law is written once as ``def tail(k, ...)`` over an :class:`Arithmetic` ``k``; with ``FLOATS`` it
takes arrays, with ``BALLS`` it returns an enclosure at the working precision of python-flint.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from flint import arb, ctx
from scipy import special

DEFAULT_BITS = 128  #: working precision of the certified values of this package


class Arithmetic(Protocol):
    """What a closed form may use besides ``+ - * /``; values are of the arithmetic's own type."""

    def number(self, x: Any) -> Any:
        """``x`` as a value of the arithmetic."""

    def power(self, x: Any, y: Any) -> Any: ...

    def sqrt(self, x: Any) -> Any:
        """The root of x >= 0."""

    def minimum(self, x: Any, y: Any) -> Any:
        """The smaller one."""

    def maximum(self, x: Any, y: Any) -> Any:
        """The larger one."""

    def pi(self) -> Any:
        """The constant."""

    def gamma_ratio(self, a: Any, b: Any) -> Any:
        """Gamma(a)/Gamma(b) for a, b > 0."""

    def box_cox(self, x: Any, h: Any) -> Any:
        """(x^h - 1)/h, which is log x at h = 0, for x > 0: the integral of t^(h-1) from 1 to x."""

    def beta_lower(self, a: Any, b: Any, x: Any) -> Any:
        """I_x(a, b), the regularised incomplete beta function, for a, b > 0 and x clipped to [0, 1]."""

    def beta_upper(self, a: Any, b: Any, x: Any) -> Any:
        """1 - I_x(a, b), without cancellation."""


class Floats:
    """NumPy doubles; relative errors of a few ulp, times log Gamma for large arguments."""

    def number(self, x: Any) -> Any:
        return float(x) if isinstance(x, Fraction | int | str) else np.asarray(x, dtype=float)

    def power(self, x: Any, y: Any) -> Any:
        return np.power(x, y)

    def sqrt(self, x: Any) -> Any:
        return np.sqrt(x)

    def minimum(self, x: Any, y: Any) -> Any:
        return np.minimum(x, y)

    def maximum(self, x: Any, y: Any) -> Any:
        return np.maximum(x, y)

    def pi(self) -> Any:
        return np.pi

    def gamma_ratio(self, a: Any, b: Any) -> Any:
        return 1.0 / special.poch(a, np.subtract(b, a))

    def box_cox(self, x: Any, h: Any) -> Any:
        return special.boxcox(x, h)

    def beta_lower(self, a: Any, b: Any, x: Any) -> Any:
        return special.betainc(a, b, np.clip(x, 0.0, 1.0))

    def beta_upper(self, a: Any, b: Any, x: Any) -> Any:
        return special.betaincc(a, b, np.clip(x, 0.0, 1.0))


def to_ball(x: Any) -> arb:
    """The ball of an int, Fraction, double (exactly that double), decimal or "a/b" text, or arb."""
    if isinstance(x, arb):
        return x
    if type(x) is int:  # the questions below take longer than the answer
        return arb(x)
    if isinstance(x, str):
        x = Fraction(x)
    if isinstance(x, Fraction):
        return arb(x.numerator) / x.denominator
    if isinstance(x, int | float | np.floating | np.integer):
        return arb(int(x)) if isinstance(x, int | np.integer) else arb(float(x))
    raise TypeError(f"an exact number or ball is wanted, not {type(x).__name__}")


UNIT = arb(0.5, 0.5)  #: the ball [0, 1]


def clip_unit(x: arb) -> arb:
    """The part of ``x`` in [0, 1]; [0, 1] itself where ``x`` is not finite. Sound for probabilities only."""
    if not x.is_finite():
        return UNIT
    low, high = x.lower(), x.upper()
    low = arb(0) if low < 0 else low
    high = arb(1) if high > 1 else high
    return low.union(high) if low <= high else UNIT


_GROWN = 256  #: exponent of the terms of a series that cancel, from which on the other series is fast


def _beta_at(a: arb, b: arb, x: arb, upper: bool) -> arb:
    if x <= 0 or x >= 1:
        return arb(int((x <= 0) == upper))
    # The series is fast on the smaller of x and 1 - x, unless its terms grow to exp(b x); its complement serves unless
    # it cancels.
    small = x < 0.5 and not x * b > _GROWN
    near = x.beta_lower(a, b, 1) if small else (1 - x).beta_lower(b, a, 1)
    first = clip_unit(near if small != upper else 1 - near)
    if first.rel_accuracy_bits() > 20:
        return first
    far = (1 - x).beta_lower(b, a, 1) if small else x.beta_lower(a, b, 1)
    second = clip_unit(far if small == upper else 1 - far)
    return first if first.rad() <= second.rad() else second


class Balls:
    """Enclosures by python-flint ``arb`` at its current working precision."""

    number = staticmethod(to_ball)

    def power(self, x: Any, y: Any) -> arb:
        """x**y for x >= 0, and y > 0 where x may be 0: monotone in x, so evaluated at its ends if x touches 0."""
        x, y = to_ball(x), to_ball(y)
        if x > 0 or not x.is_finite():
            result: arb = x**y
            return result
        top = x.upper()
        if not y > 0:
            return arb.nan()
        return arb(0) if top <= 0 else arb(0).union((top**y).upper())

    def sqrt(self, x: Any) -> arb:
        return to_ball(x).nonnegative_part().sqrt()

    def minimum(self, x: Any, y: Any) -> arb:
        return to_ball(x).min(to_ball(y))

    def maximum(self, x: Any, y: Any) -> arb:
        return to_ball(x).max(to_ball(y))

    def pi(self) -> arb:
        return arb.pi()

    def gamma_ratio(self, a: Any, b: Any) -> arb:
        return (to_ball(a).lgamma() - to_ball(b).lgamma()).exp()

    def box_cox(self, x: Any, h: Any) -> arb:
        base, order = to_ball(x), to_ball(h)
        if order.is_zero():
            return base.log()
        return (order * base.log()).expm1() / order

    def beta_lower(self, a: Any, b: Any, x: Any) -> arb:
        a, b, x = to_ball(a), to_ball(b), to_ball(x)
        return _beta_at(a, b, x.lower(), False).union(_beta_at(a, b, x.upper(), False))

    def beta_upper(self, a: Any, b: Any, x: Any) -> arb:
        a, b, x = to_ball(a), to_ball(b), to_ball(x)
        return _beta_at(a, b, x.lower(), True).union(_beta_at(a, b, x.upper(), True))


FLOATS = Floats()
BALLS = Balls()


def accurate(value: Callable[[], arb], bits: int = 64, limit: int = 2048) -> arb:
    """``value()`` at rising working precision until it has ``bits`` accurate bits or ``limit`` is reached.

    The last enclosure is returned in either case: it is sound, perhaps wide.
    """
    working = max(DEFAULT_BITS, 2 * bits)
    while True:
        with ctx.workprec(working):
            ball = value()
        if working >= limit or (ball.is_finite() and (ball.is_zero() or ball.rel_accuracy_bits() >= bits)):
            return ball
        working *= 2
