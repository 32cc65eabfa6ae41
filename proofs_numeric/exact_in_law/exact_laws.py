"""Exact laws of the simulated scalar Y = <g + X v, u> by double-exponential quadrature in floats.

u ~ Unif(S^(d-1)) is independent of the real noise X. Given h = g + X v the projection is |h| U_1 in law, so
every quantity is one integral over X of an incomplete Beta function. These are the sharp companions'
reference values; tests hold them against the certified values of `tests/certified_laws`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise

import numpy as np
import scipy
from scipy import special

from proofs_numeric.model.noise import RealLaw
from proofs_numeric.model.objectives import Quadratic
from proofs_numeric.model.oracles import LinearNoiseOracle
from proofs_numeric.model.sphere import Array

Integrand = Callable[[Array], Array]
NEAR = 1e-200  #: stands for a vanishing length, in thresholds, so that quotients stay finite
#: where X is cut, in thresholds or g: every integrand is constant from there on to far beyond double precision
FAR = 1e60
LAST = 740.0  #: of y ~ Exp(1): exp(-y) is the least double a little later
#: A run asks the same of one law for several cells, and for each cell more than once.
_asked_again = lru_cache(maxsize=1 << 13, typed=True)


@lru_cache(maxsize=1)
def _finite_rule() -> tuple[Array, Array]:
    """Tanh-sinh nodes and weights on [-1, 1], as distances from the nearer end to keep them exact there."""
    x = np.arange(-110, 111) / 32.0
    inner = 0.5 * np.pi * np.sinh(x)
    weight = 0.5 * np.pi * np.cosh(x) / np.cosh(inner) ** 2 / 32.0
    return np.tanh(inner), weight


@lru_cache(maxsize=1)
def _infinite_rule() -> tuple[Array, Array]:
    """Exp-sinh nodes and weights on [0, oo) for integrands that decay like exp(-s)."""
    x = np.arange(-128, 225) / 32.0
    node = np.exp(x - np.exp(-x))
    return node, node * (1 + np.exp(-x)) / 32.0


def _moment(q: float, d: int) -> float:
    """E |U_1|^q for d > 1."""
    logs = special.gammaln((q + 1) / 2) + special.gammaln(d / 2) - special.gammaln((d + q) / 2) - math.lgamma(0.5)
    return math.exp(logs)


def _moment_below(q: float, d: int, c: Array) -> Array:
    """E[|U_1|^q; |U_1| <= c]."""
    if d == 1:
        return (c >= 1).astype(np.float64)
    return _moment(q, d) * special.betainc((q + 1) / 2, (d - 1) / 2, np.minimum(c, 1.0) ** 2)


def _moment_above(q: float, d: int, c: Array) -> Array:
    """E[|U_1|^q; |U_1| > c]."""
    if d == 1:
        return (c < 1).astype(np.float64)
    return _moment(q, d) * special.betaincc((q + 1) / 2, (d - 1) / 2, np.minimum(c, 1.0) ** 2)


@dataclass(frozen=True)
class Projection:
    """Y = <g e_1 + X v, u> with <e_1, v> = ``cosine``; ``law`` None means X = 0."""

    d: int
    g: float
    law: RealLaw | None
    cosine: float = 1.0

    @property
    def _sine(self) -> float:
        return math.sqrt((1 - self.cosine) * (1 + self.cosine))

    def _length(self, x: Array) -> Array:
        """|g e_1 + x v|."""
        return np.hypot(self.g + self.cosine * x, self._sine * x)

    def _knots(self, z: Integrand, length: float) -> list[float]:
        """The y > 0 at which |g e_1 + z(y) v| = length, where integrands have a kink."""
        g = self.g / length
        half = 1 - (g * self._sine) ** 2
        if half < 0:
            return []
        found = []
        for root in (length * (-g * self.cosine + math.sqrt(half)), length * (-g * self.cosine - math.sqrt(half))):
            ends = [float(z(np.array([y]))[0]) - root for y in (1e-300, LAST)]
            if min(ends) < 0 < max(ends):
                find = scipy.optimize.brentq  # loaded here: a fifth of what the package takes to import
                place = find(lambda y, r=root: float(z(np.array([y]))[0]) - r, 1e-300, LAST, xtol=1e-15, maxiter=2000)
                found.append(float(place))
        return sorted(found)

    def _mean(self, value: Integrand, length: float) -> float:
        """E value(X), where value has kinks only at |g e_1 + X v| = length."""
        if self.law is None:
            return float(value(np.zeros(1))[0])
        far = FAR * max(length, abs(self.g))

        def cut(z: Integrand, y: Array) -> Array:
            with np.errstate(over="ignore"):  # infinite is far
                return np.clip(z(y), -far, far)

        def at(z: Integrand, y: Array) -> Array:
            return value(cut(z, y)) * np.exp(-y)

        total = []
        for share, z in self.law.branches():
            edges = [0.0, *self._knots(partial(cut, z), length)]
            node, weight = _finite_rule()
            for low, high in pairwise(edges):
                y = 0.5 * (high + low) + 0.5 * (high - low) * node
                total.append(share * 0.5 * (high - low) * float(np.sum(weight * at(z, y))))
            node, weight = _infinite_rule()
            keep = node < 700
            y = edges[-1] + node[keep]
            total.append(share * float(np.sum(weight[keep] * at(z, y))))
        return math.fsum(total)

    def _share(self, x: Array, tau: float) -> tuple[Array, Array]:
        """|g e_1 + x v| in units of tau, within what powers of it leave finite, and 1 over it."""
        r = np.maximum(self._length(x) / tau, NEAR)
        return np.minimum(r, FAR), 1 / r

    @_asked_again
    def tail(self, t: float) -> float:
        """P(|Y| > t), t > 0."""
        found = self._mean(lambda x: _moment_above(0.0, self.d, self._share(x, t)[1]), t)
        return min(1.0, max(0.0, found))

    @_asked_again
    def clipped_moment(self, k: float, tau: float) -> float:
        """E |psi_tau(Y)|^k, tau > 0."""

        def value(x: Array) -> Array:
            r, c = self._share(x, tau)
            return r**k * _moment_below(k, self.d, c) + _moment_above(0.0, self.d, c)

        return tau**k * self._mean(value, tau)

    @_asked_again
    def aligned(self, tau: float) -> float:
        """E[psi_tau(Y) u_1], the component of E[psi_tau(Y) u] along e_1; given h it is phi(|h|) h_1/|h|."""

        def value(x: Array) -> Array:
            r, c = self._share(x, tau)
            phi = r * _moment_below(2.0, self.d, c) + _moment_above(1.0, self.d, c)
            return phi * (self.g + self.cosine * x) / np.maximum(self._length(x), NEAR * tau)

        return tau * self._mean(value, tau)


@dataclass(frozen=True)
class ExactLaw:
    """The law of (Y, u_1) as a mixture of projections: pairs (weight, projection)."""

    parts: tuple[tuple[float, Projection], ...]

    def _mix(self, value: Callable[[Projection], float]) -> float:
        return math.fsum(weight * value(part) for weight, part in self.parts)

    def tail(self, t: float) -> float:
        """P(|Y| > t)."""
        return self._mix(lambda part: part.tail(t))

    def clipped_moment(self, k: float, tau: float) -> float:
        """E |psi_tau(Y)|^k."""
        return self._mix(lambda part: part.clipped_moment(k, tau))

    def aligned(self, tau: float) -> float:
        """E[psi_tau(Y) u_1]; the other components of E[psi_tau(Y) u] vanish for symmetric parts across e_1."""
        return self._mix(lambda part: part.aligned(tau))

    def thresholds(self, levels: Sequence[float]) -> list[float]:
        """For decreasing levels some t each, with P(|Y| > t) within 3 % below the level, as far as doubles allow.

        The exact level of t is ``tail(t)``. Secants in log-log coordinates, safeguarded by bisection.
        """
        found = []
        low, high, slope = math.log(1e-3), math.inf, -1.0
        at = math.log(max(self.tail(math.exp(low)), 1e-300))
        for level in levels:
            wanted, high = math.log(level), math.inf
            for step in range(200):
                guess = low + min(max((wanted - 0.015 - at) / slope, 1e-12), 1.4) if step % 3 < 2 else low + 0.1
                if not low < guess < high:
                    guess = (low + high) / 2
                if not low < guess < high:
                    break
                value = math.log(max(self.tail(math.exp(guess)), 1e-300))
                slope = min((value - at) / (guess - low), -1e-3)
                if value > wanted:
                    low, at = guess, value
                    continue
                high = guess
                if value >= wanted - 0.03:
                    break
            found.append(math.exp(high))
        return found


def exact_law(oracle: LinearNoiseOracle, x: Array, mu: float) -> ExactLaw | None:
    """The law of Y at the point x (1, d) with gradient along +e_1; None where one integral is not enough.

    On a quadratic Y = <grad f(x) + zeta, u>; in one dimension Y = (D_mu f(x, 1) + zeta) u for every f.
    """
    objective, noise, d = oracle.objective, oracle.noise, oracle.d
    if isinstance(objective, Quadratic):
        gradient = objective.gradient(x)[0]
        if d > 1 and np.any(gradient[1:]):
            return None
        g = float(gradient[0])
    elif d == 1:
        g = float(objective.difference(x, mu, np.ones((1, 1, 1)))[0, 0])
    else:
        return None
    along = Projection(d, g, noise.law, 1.0)
    if noise.shape == "axis" or d == 1 or g == 0:
        return ExactLaw(((1.0, along),))
    if noise.shape == "sparse":
        return ExactLaw(((1 / d, along), (1 - 1 / d, Projection(d, g, noise.law, 0.0))))
    return None
