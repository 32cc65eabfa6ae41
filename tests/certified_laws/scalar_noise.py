"""Scalar noise X: tail P(|X| > t), clipped moments and the weak-L_p constant, in closed form.

Each law is a frozen record whose formulas take the arithmetic ``k`` first. For continuation into the
complex plane (certified quadrature, :mod:`certified_laws.two_point`) ``above``/``below`` give
P(X > z)/P(X < z) as analytic functions on the piece between two ``knots`` that holds the real point ``at``.
Parameters are exact numbers (int, Fraction; a float stands for exactly that double).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from flint import acb, arb

from certified_laws.arithmetic import Arithmetic, to_ball

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
