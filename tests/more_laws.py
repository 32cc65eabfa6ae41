"""Laws in closed form that the simulation is compared with, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from certified_laws import sphere_laws
from certified_laws.arithmetic import BALLS, Arithmetic, to_ball
from certified_laws.scalar_noise import Chart, Number, _check_positive, _exponential_chart, _log_if_above_one
from flint import acb, arb
from scipy import special


def cdf(k: Arithmetic, x: Any, d: int) -> Any:
    """P(U_1 <= x) for d >= 2, |x| <= 1: (1 + sgn(x) I_{x^2}(1/2, (d-1)/2))/2. Floats only."""
    sphere_laws.check_dimension(d)
    x = k.number(x)
    if sphere_laws.is_line(d):
        return np.where(x < -1, 0.0, np.where(x < 1, 0.5, 1.0))
    inside = k.beta_lower(0.5, (d - 1) / 2, x * x)
    return 0.5 * (1.0 + np.sign(x) * inside)


def _exp(x: Any) -> Any:
    return x.exp() if isinstance(x, arb) else np.exp(x)


def _erf(x: Any) -> Any:
    return x.erf() if isinstance(x, arb) else special.erf(x)


def _erfc(x: Any) -> Any:
    return x.erfc() if isinstance(x, arb) else special.erfc(x)


def _beta_incomplete(a: Any, b: Any, x: Any) -> Any:
    """B(x; a, b), the integral of t^(a-1) (1-t)^(b-1) from 0 to x, for a > 0, any real b and 0 <= x < 1."""
    return x.beta_lower(a, b) if isinstance(x, arb) else np.power(x, a) / a * special.hyp2f1(a, 1.0 - b, a + 1.0, x)


@dataclass(frozen=True)
class OneSidedPareto:
    """X = A - E A with P(A > t) = (scale/t)^p for t >= scale, p > 1; E A = p scale/(p-1).

    Centred and skew: bounded below by -scale/(p-1), with the heavy tail on the right.
    """

    p: Number
    scale: Number = 1

    def __post_init__(self) -> None:
        _check_positive(**{"p - 1": self.p - 1, "scale": self.scale})

    def centre(self, k: Arithmetic) -> Any:
        """E A = p scale/(p-1)."""
        p = k.number(self.p)
        return p * k.number(self.scale) / (p - k.number(1))

    def _left(self, k: Arithmetic) -> Any:
        return k.number(self.scale) / (k.number(self.p) - k.number(1))

    def tail(self, k: Arithmetic, t: Any) -> Any:
        p, scale, centre, t = k.number(self.p), k.number(self.scale), self.centre(k), k.number(t)
        lowest = k.maximum(scale, centre - t)
        return k.power(scale / (centre + t), p) + (k.number(1) - k.power(scale / lowest, p))

    def excess(self, k: Arithmetic, tau: Any) -> Any:
        p, scale, centre, tau = k.number(self.p), k.number(self.scale), self.centre(k), k.number(tau)
        one = k.number(1)
        lowest = k.maximum(scale, centre - tau)
        right = k.power(scale / (centre + tau), p) * (centre + tau) / (p - one)
        return right + lowest - scale - scale * k.box_cox(lowest / scale, one - p)

    def clipped_square(self, k: Arithmetic, tau: Any) -> Any:
        p, scale, centre, tau = k.number(self.p), k.number(self.scale), self.centre(k), k.number(tau)
        one, two = k.number(1), k.number(2)
        inside = k.minimum(tau, self._left(k))
        common = two * k.power(scale / centre, p) * centre * centre
        high, low = one + tau / centre, one - inside / centre
        right = k.box_cox(high, two - p) - k.box_cox(high, one - p)
        left = k.box_cox(low, two - p) - k.box_cox(low, one - p)
        return common * (right - left) + inside * inside

    def knots(self) -> tuple[arb, ...]:
        return (-self._left(BALLS),)

    def above(self, z: acb, at: arb, analytic: bool) -> acb:
        if at < -self._left(BALLS):
            return acb(1)
        ratio: acb = to_ball(self.scale) / (z + self.centre(BALLS))
        return ratio.pow(acb(to_ball(self.p)), analytic=analytic)

    def below(self, z: acb, at: arb, analytic: bool) -> acb:
        return 1 - self.above(z, at, analytic)

    def charts(self) -> tuple[Chart, ...]:
        scale, centre = to_ball(self.scale), self.centre(BALLS)
        return (
            _exponential_chart(
                to_ball(self.p),
                arb(1),
                lambda y: y * scale - centre,
                lambda x: _log_if_above_one((x + centre) / scale),
            ),
        )


@dataclass(frozen=True)
class StudentT:
    """Student's t with ``df`` = nu > 1 degrees of freedom times ``scale``; weak L_nu, infinite nu-th moment."""

    df: Number
    scale: Number = 1

    def __post_init__(self) -> None:
        _check_positive(**{"df - 1": self.df - 1, "scale": self.scale})

    def _peak(self, k: Arithmetic) -> Any:
        nu, half = k.number(self.df), k.number(Fraction(1, 2))
        return k.gamma_ratio(half * (nu + k.number(1)), half * nu) / k.sqrt(nu * k.pi())

    def density(self, k: Arithmetic, x: Any) -> Any:
        """The density of X at x."""
        nu, scale = k.number(self.df), k.number(self.scale)
        y = k.number(x) / scale
        one, half = k.number(1), k.number(Fraction(1, 2))
        return self._peak(k) * k.power(one + y * y / nu, -(half * (nu + one))) / scale

    def tail(self, k: Arithmetic, t: Any) -> Any:
        nu, half = k.number(self.df), k.number(Fraction(1, 2))
        y = k.number(t) / k.number(self.scale)
        return k.beta_lower(half * nu, half, nu / (nu + y * y))

    def excess(self, k: Arithmetic, tau: Any) -> Any:
        nu, scale, one = k.number(self.df), k.number(self.scale), k.number(1)
        y = k.number(tau) / scale
        first = k.number(2) * scale * scale * self.density(k, tau) * (nu + y * y) / (nu - one)
        return first - k.number(tau) * self.tail(k, tau)

    def clipped_square(self, k: Arithmetic, tau: Any) -> Any:
        nu, scale, tau = k.number(self.df), k.number(self.scale), k.number(tau)
        half = k.number(Fraction(1, 2))
        y = tau / scale
        inside = _beta_incomplete(k.number(Fraction(3, 2)), half * nu - k.number(1), y * y / (nu + y * y))
        normal = self._peak(k) * k.sqrt(nu)  # 1/B(1/2, nu/2)
        return tau * tau * self.tail(k, tau) + scale * scale * nu * normal * inside

    def knots(self) -> tuple[arb, ...]:
        return ()

    def above(self, z: acb, at: arb, analytic: bool) -> acb:
        """1/2 - f(0) y 2F1(1/2, (nu+1)/2; 3/2; -y^2/nu) with y = z/scale; analytic where Re(y^2) > -nu."""
        nu = to_ball(self.df)
        y = z / to_ball(self.scale)
        square = y * y / nu
        if analytic and not square.real > -1:
            return acb(arb.nan())
        if at > 2 and z.real > 0:  # far out: the incomplete beta function, without cancellation
            x = 1 / (1 + square)
            if analytic and not (x.real > 0 and x.real < 1):
                return acb(arb.nan())
            return x.beta_lower(acb(nu / 2), acb(arb(1) / 2), 1) / 2
        peak: arb = self._peak(BALLS)
        return arb(1) / 2 - peak * y * (-square).hypgeom_2f1(acb(arb(1) / 2), acb((nu + 1) / 2), acb(arb(3) / 2))

    def below(self, z: acb, at: arb, analytic: bool) -> acb:
        return self.above(-z, -at, analytic)

    def charts(self) -> tuple[Chart, ...]:
        """x = scale sinh s: f(sinh s) cosh s <= f(0) since (1 + x^2/nu)^((nu+1)/2) >= 1 + x^2/2 >= sqrt(1 + x^2)."""
        nu, scale = to_ball(self.df), to_ball(self.scale)
        peak: arb = self._peak(BALLS)

        def weight(s: acb) -> acb:
            x = s.sinh()
            return peak * s.cosh() * (-(nu + 1) / 2 * (1 + x * x / nu).log()).exp()

        chart = Chart(
            place=lambda s: s.sinh() * scale,
            weight=weight,
            knot=lambda x: (x / scale).asinh(),
            mass_beyond=lambda s: self.tail(BALLS, s.sinh() * scale),
            weight_bound=peak,
            start=None,
        )
        return (chart,)


@dataclass(frozen=True)
class Gaussian:
    """The centred normal law of standard deviation ``scale``: the light-tailed control."""

    scale: Number = 1

    def __post_init__(self) -> None:
        _check_positive(scale=self.scale)

    def _y(self, k: Arithmetic, t: Any) -> Any:
        return k.number(t) / (k.number(self.scale) * k.sqrt(k.number(2)))

    def density(self, k: Arithmetic, x: Any) -> Any:
        """The density of X at x."""
        y = self._y(k, x)
        return _exp(-(y * y)) / (k.number(self.scale) * k.sqrt(k.number(2) * k.pi()))

    def tail(self, k: Arithmetic, t: Any) -> Any:
        return _erfc(self._y(k, t))

    def excess(self, k: Arithmetic, tau: Any) -> Any:
        variance = k.number(self.scale) * k.number(self.scale)
        return k.number(2) * variance * self.density(k, tau) - k.number(tau) * self.tail(k, tau)

    def clipped_square(self, k: Arithmetic, tau: Any) -> Any:
        tau = k.number(tau)
        variance = k.number(self.scale) * k.number(self.scale)
        inside = _erf(self._y(k, tau)) - k.number(2) * tau * self.density(k, tau)
        return variance * inside + tau * tau * self.tail(k, tau)

    def knots(self) -> tuple[arb, ...]:
        return ()

    def above(self, z: acb, at: arb, analytic: bool) -> acb:
        return (z / (to_ball(self.scale) * arb(2).sqrt())).erfc() / 2

    def below(self, z: acb, at: arb, analytic: bool) -> acb:
        return self.above(-z, -at, analytic)

    def charts(self) -> tuple[Chart, ...]:
        scale, peak = to_ball(self.scale), 1 / (2 * arb.pi()).sqrt()
        chart = Chart(
            place=lambda s: s * scale,
            weight=lambda s: (-s * s / 2).exp() * peak,
            knot=lambda x: x / scale,
            mass_beyond=lambda s: self.tail(BALLS, s * scale),
            weight_bound=peak,
            start=None,
        )
        return (chart,)


def noise_excess(k: Arithmetic, d: Any, p: Any, sigma: Any, tau: Any) -> Any:
    """E(|<zeta, u>| - tau)_+, tau > 0: conditionally on |U_1| = w the excess of a Pareto law of scale sigma w."""
    tau, sigma, p = k.number(tau), k.number(sigma), k.number(p)
    c, one = tau / sigma, k.number(1)
    far = tau * k.power(one / c, p) / (p - one) * sphere_laws.moment_below(k, p, d, c)
    near = sigma * p / (p - one) * sphere_laws.moment_above(k, 1, d, c)
    return far + near - tau * sphere_laws.tail(k, c, d)


def noise_clipped_square(k: Arithmetic, d: Any, p: Any, sigma: Any, tau: Any) -> Any:
    """E min(<zeta, u>^2, tau^2), tau > 0, p != 2 (p = 2: :meth:`certified_laws.two_point.TwoPoint.clipped_square`).

    Given |U_1| = w it is (2 (sigma w)^p tau^(2-p) - p (sigma w)^2)/(2-p) for w <= c = tau/sigma, tau^2 above.
    """
    if isinstance(p, int | float | Fraction) and p == 2:
        raise ValueError(
            "p = 2: the closed form is singular; use TwoPoint(d, 0, Pareto(2, sigma)).clipped_square(tau)"
        )
    tau, sigma, p = k.number(tau), k.number(sigma), k.number(p)
    c, two = tau / sigma, k.number(2)
    power = two * tau * tau * k.power(k.number(1) / c, p) * sphere_laws.moment_below(k, p, d, c)
    square = p * sigma * sigma * sphere_laws.moment_below(k, two, d, c)
    return tau * tau * sphere_laws.tail(k, c, d) + (power - square) / (two - p)
