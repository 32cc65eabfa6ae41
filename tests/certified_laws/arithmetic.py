"""Two arithmetics for one closed form: NumPy floats and certified balls.

A law is written once as ``def tail(k, ...)`` over an :class:`Arithmetic` ``k``; with ``FLOATS`` it
takes arrays, with ``BALLS`` it returns an enclosure at the working precision of python-flint.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from flint import arb
from scipy import special

from boundcheck import laws


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


class Balls:
    """Enclosures by python-flint ``arb`` at its current working precision."""

    number = staticmethod(to_ball)

    def power(self, x: Any, y: Any) -> arb:
        return laws.power(to_ball(x), to_ball(y))

    def sqrt(self, x: Any) -> arb:
        return to_ball(x).nonnegative_part().sqrt()

    def minimum(self, x: Any, y: Any) -> arb:
        return to_ball(x).min(to_ball(y))

    def maximum(self, x: Any, y: Any) -> arb:
        return to_ball(x).max(to_ball(y))

    def pi(self) -> arb:
        return arb.pi()

    def gamma_ratio(self, a: Any, b: Any) -> arb:
        return laws.gamma_ratio(to_ball(a), to_ball(b))

    def box_cox(self, x: Any, h: Any) -> arb:
        base, order = to_ball(x), to_ball(h)
        if order.is_zero():
            return base.log()
        return (order * base.log()).expm1() / order

    def beta_lower(self, a: Any, b: Any, x: Any) -> arb:
        return laws.beta(to_ball(a), to_ball(b), to_ball(x))

    def beta_upper(self, a: Any, b: Any, x: Any) -> arb:
        return laws.beta(to_ball(a), to_ball(b), to_ball(x), upper=True)


FLOATS = Floats()
BALLS = Balls()
