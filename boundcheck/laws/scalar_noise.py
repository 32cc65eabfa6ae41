"""Scalar noise X: tail P(|X| > t), clipped moments and the weak-L_p constant, in closed form.

Each law is a frozen record whose formulas take the arithmetic ``k`` first. For continuation into the
complex plane (certified quadrature, :mod:`boundcheck.laws.two_point`) ``above``/``below`` give
P(X > z)/P(X < z) as analytic functions on the piece between two ``knots`` that holds the real point ``at``.
Parameters are exact numbers (int, Fraction; a float stands for exactly that double).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from flint import acb, arb

from boundcheck.laws.arithmetic import BALLS, Arithmetic, to_ball

Number = int | float | Fraction


class ScalarLaw(Protocol):
    """A continuous law on the line with mean zero."""

    def tail(self, k: Arithmetic, t: Any) -> Any:
        """P(|X| > t), t >= 0."""

    def excess(self, k: Arithmetic, tau: Any) -> Any:
        """E(|X| - tau)_+ = int_tau^oo P(|X| > t) dt, tau > 0."""

    def clipped_square(self, k: Arithmetic, tau: Any) -> Any:
        """E min(X^2, tau^2) = 2 int_0^tau t P(|X| > t) dt, tau > 0."""

    def knots(self) -> tuple[arb, ...]:
        """The real points where the distribution function is not analytic."""

    def above(self, z: acb, at: arb, analytic: bool) -> acb:
        """P(X > z) continued from the piece of ``at``; not finite if ``analytic`` and not analytic on ``z``."""

    def below(self, z: acb, at: arb, analytic: bool) -> acb:
        """P(X < z), likewise."""

    def charts(self) -> tuple[Chart, ...]:
        """Parametrisations of the law for quadrature over X."""


@dataclass(frozen=True)
class Chart:
    """Part of a law as x = place(s) with density weight(s) <= weight_bound on s > ``start``, decaying to 0.

    ``knot(x)`` inverts ``place`` on the reals (None if x is not reached); ``mass_beyond(s)`` bounds the
    probability of the rest. ``start`` is None for a chart of the whole line, used from -s to s.
    """

    place: Any
    weight: Any
    knot: Any
    mass_beyond: Any
    weight_bound: arb
    start: arb | None


def _check_positive(**values: Any) -> None:
    for name, value in values.items():
        if not value > 0:
            raise ValueError(f"{name} = {value}: a positive number is wanted")


def _exponential_chart(p: arb, share: arb, place: Any, knot: Any) -> Chart:
    """x = place(e^s) for s ~ Exp(p): the logarithm of a Pareto variable is exponential."""
    return Chart(
        place=lambda s: place(s.exp()),
        weight=lambda s: (-p * s).exp() * (share * p),
        knot=knot,
        mass_beyond=lambda s: share * (-p * s).exp(),
        weight_bound=share * p,
        start=arb(0),
    )


def _log_if_above_one(y: arb) -> arb | None:
    return y.log() if y > 1 else None


@dataclass(frozen=True)
class _ParetoModulus:
    """|X| with P(|X| > t) = min(1, (scale/t)^p), p > 1: what the symmetric law and the norm share."""

    p: Number
    scale: Number | arb = 1

    def __post_init__(self) -> None:
        _check_positive(**{"p - 1": self.p - 1, "scale": self.scale})

    def tail(self, k: Arithmetic, t: Any) -> Any:
        return k.power(k.minimum(k.number(1), k.number(self.scale) / k.number(t)), k.number(self.p))

    def excess(self, k: Arithmetic, tau: Any) -> Any:
        p, scale, tau = k.number(self.p), k.number(self.scale), k.number(tau)
        start = k.maximum(tau, scale)
        return start - tau + k.power(scale / start, p) * start / (p - k.number(1))

    def clipped_square(self, k: Arithmetic, tau: Any) -> Any:
        p, scale, tau = k.number(self.p), k.number(self.scale), k.number(tau)
        inside = k.minimum(tau, scale)
        reach = k.maximum(tau, scale) / scale
        return inside * inside + k.number(2) * scale * scale * k.box_cox(reach, k.number(2) - p)


@dataclass(frozen=True)
class Pareto(_ParetoModulus):
    """Symmetric X with P(|X| > t) = min(1, (scale/t)^p): tail equality in the weak-L_p class of constant scale.

    Also the law of a norm |X|. p = 2, scale = 1 is the density |z|^-3 on |z| >= 1 of prop:p2-infinite-variance.
    """

    def knots(self) -> tuple[arb, ...]:
        scale = to_ball(self.scale)
        return (-scale, scale)

    def above(self, z: acb, at: arb, analytic: bool) -> acb:
        scale, p, half = to_ball(self.scale), to_ball(self.p), arb(1) / 2
        if at > scale:
            return (scale / z).pow(acb(p), analytic=analytic) * half
        if at < -scale:
            return 1 - (-scale / z).pow(acb(p), analytic=analytic) * half
        return acb(half)

    def below(self, z: acb, at: arb, analytic: bool) -> acb:
        return self.above(-z, -at, analytic)

    def charts(self) -> tuple[Chart, ...]:
        scale, p, half = to_ball(self.scale), to_ball(self.p), arb(1) / 2
        return (
            _exponential_chart(p, half, lambda y: y * scale, lambda x: _log_if_above_one(x / scale)),
            _exponential_chart(p, half, lambda y: -y * scale, lambda x: _log_if_above_one(-x / scale)),
        )


@dataclass(frozen=True)
class ParetoNorm(_ParetoModulus):
    """X = R >= 0 with P(R > t) = min(1, (scale/t)^p): the extremal norm, always in the direction v (not centred).

    Among all vectors with that tail of the norm it makes |g + R v|, v along g, stochastically largest.
    """

    def knots(self) -> tuple[arb, ...]:
        return (to_ball(self.scale),)

    def above(self, z: acb, at: arb, analytic: bool) -> acb:
        scale = to_ball(self.scale)
        return (scale / z).pow(acb(to_ball(self.p)), analytic=analytic) if at > scale else acb(1)

    def below(self, z: acb, at: arb, analytic: bool) -> acb:
        return 1 - self.above(z, at, analytic)

    def charts(self) -> tuple[Chart, ...]:
        scale = to_ball(self.scale)
        return (
            _exponential_chart(to_ball(self.p), arb(1), lambda y: y * scale, lambda x: _log_if_above_one(x / scale)),
        )


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
        inside = k.beta_incomplete(k.number(Fraction(3, 2)), half * nu - k.number(1), y * y / (nu + y * y))
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
        return k.exp(-(y * y)) / (k.number(self.scale) * k.sqrt(k.number(2) * k.pi()))

    def tail(self, k: Arithmetic, t: Any) -> Any:
        return k.erfc(self._y(k, t))

    def excess(self, k: Arithmetic, tau: Any) -> Any:
        variance = k.number(self.scale) * k.number(self.scale)
        return k.number(2) * variance * self.density(k, tau) - k.number(tau) * self.tail(k, tau)

    def clipped_square(self, k: Arithmetic, tau: Any) -> Any:
        tau = k.number(tau)
        variance = k.number(self.scale) * k.number(self.scale)
        inside = k.erf(self._y(k, tau)) - k.number(2) * tau * self.density(k, tau)
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
