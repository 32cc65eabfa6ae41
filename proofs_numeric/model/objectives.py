"""Smooth test functions f with known L and f_* = 0, exact symmetric differences and exact spherical smoothing.

Shapes: x is (R, d), u is (R, B, d); values are (R,), gradients (R, d), differences (R, B). Differences are
written without the cancellation of f(x + mu u) - f(x - mu u), whose relative error is about 2^-53 |f|/mu.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np
from scipy import special

from proofs_numeric.model.noise import check_scale
from proofs_numeric.model.sphere import Array, check_dimension


def check_smoothing(mu: float) -> float:
    """``mu`` itself; raises ValueError unless positive and finite."""
    return check_scale(mu, "mu")


@dataclass(frozen=True)
class Objective(ABC):
    """f: R^d -> R, L-smooth with f_* = 0 (ass:Well-defined, ass:sample-smooth)."""

    d: int
    L: float = 1.0
    linear: ClassVar[bool] = False  #: whether the difference is linear in u, D_mu f(x, u) = <grad f(x), u>

    def __post_init__(self) -> None:
        check_dimension(self.d)
        check_scale(self.L, "L")

    @abstractmethod
    def value(self, x: Array) -> Array:
        """f(x), shape (R,)."""

    @abstractmethod
    def gradient(self, x: Array) -> Array:
        """grad f(x), shape (R, d)."""

    @abstractmethod
    def difference(self, x: Array, mu: float, u: Array) -> Array:
        """D_mu f(x, u) = (f(x + mu u) - f(x - mu u))/(2 mu) without cancellation, shape (R, B)."""

    @abstractmethod
    def smoothed_gradient(self, x: Array, mu: float) -> Array:
        """grad f_mu(x), f_mu(x) = E f(x + mu v) with v ~ Unif(B^d), shape (R, d)."""

    @abstractmethod
    def boundary_point(self, gap: float) -> Array:
        """A point x, shape (1, d), with f(x) - f_* = gap. Raises ValueError where f never rises that far."""


@dataclass(frozen=True)
class Quadratic(Objective):
    """f(x) = (L/2) sum_i c_i x_i^2 with c_i spaced evenly from 1 down to 1/condition, f_* = 0.

    Smoothing adds a constant, (mu^2/2) L sum c_i/(d + 2): grad f_mu = grad f.
    """

    condition: float = 1.0
    linear: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.condition < math.inf:
            raise ValueError(f"the condition number must be >= 1, got {self.condition!r}")

    @cached_property
    def curvature(self) -> Array:
        """The eigenvalues L c_i, shape (d,)."""
        return self.L * np.linspace(1.0, 1.0 / self.condition, self.d)

    def value(self, x: Array) -> Array:
        return 0.5 * np.einsum("rd,rd,d->r", x, x, self.curvature)

    def gradient(self, x: Array) -> Array:
        return x * self.curvature

    def difference(self, x: Array, mu: float, u: Array) -> Array:
        return np.matmul(u, self.gradient(x)[:, :, None])[:, :, 0]

    def smoothed_gradient(self, x: Array, mu: float) -> Array:
        return self.gradient(x)

    def boundary_point(self, gap: float) -> Array:
        """Along e_1, where the curvature is L."""
        return math.sqrt(2 * gap / self.L) * np.eye(1, self.d)


@lru_cache(maxsize=64)
def _ball_marginal(d: int, nodes: int = 80) -> tuple[Array, Array]:
    """Gauss nodes and weights for v_1, v ~ Unif(B^d), whose density is proportional to (1 - v^2)^((d-1)/2)."""
    node, weight = special.roots_gegenbauer(nodes, d / 2)
    return node, weight / weight.sum()


@dataclass(frozen=True)
class LogCosh(Objective):
    """f(x) = L sum_i log cosh x_i: convex, L-smooth, f_* = 0, gradient L tanh x.

    The difference is (L/mu) sum_i atanh(tanh x_i tanh(mu u_i)); the smoothing is a one-dimensional Gauss rule.
    """

    def value(self, x: Array) -> Array:
        size = np.abs(x)
        # log cosh |x| = |x| + log((1 + e^(-2|x|))/2), by its small-argument form where that cancels
        large = size + np.log1p(np.exp(-2 * size)) - math.log(2)
        small = np.log1p(2 * np.sinh(np.minimum(size, 1.0) / 2) ** 2)
        return self.L * np.where(size < 1, small, large).sum(axis=-1)

    def gradient(self, x: Array) -> Array:
        return self.L * np.tanh(x)

    def difference(self, x: Array, mu: float, u: Array) -> Array:
        return self.L / mu * np.arctanh(np.tanh(x)[:, None, :] * np.tanh(mu * u)).sum(axis=-1)

    def smoothed_gradient(self, x: Array, mu: float) -> Array:
        node, weight = _ball_marginal(self.d)
        return sum(w * self.gradient(x + mu * v) for v, w in zip(node, weight, strict=True))

    def boundary_point(self, gap: float) -> Array:
        return np.full((1, self.d), math.acosh(math.exp(gap / (self.L * self.d))))


@dataclass(frozen=True)
class Sinusoid(Objective):
    """f(x) = L sum_i (1 - cos x_i): nonconvex, L-smooth, f_* = 0.

    The difference is (L/mu) sum_i sin x_i sin(mu u_i); smoothing multiplies cos and sin by
    E cos(mu v_1) = Gamma(d/2 + 1) (2/mu)^(d/2) J_(d/2)(mu) = 0F1(d/2 + 1, -mu^2/4).
    """

    def _damping(self, mu: float) -> float:
        return float(special.hyp0f1(self.d / 2 + 1, -(mu**2) / 4))

    def value(self, x: Array) -> Array:
        return self.L * 2 * (np.sin(x / 2) ** 2).sum(axis=-1)

    def gradient(self, x: Array) -> Array:
        return self.L * np.sin(x)

    def difference(self, x: Array, mu: float, u: Array) -> Array:
        return self.L / mu * np.matmul(np.sin(mu * u), np.sin(x)[:, :, None])[:, :, 0]

    def smoothed_gradient(self, x: Array, mu: float) -> Array:
        return self._damping(mu) * self.gradient(x)

    def boundary_point(self, gap: float) -> Array:
        share = gap / (self.L * self.d)
        if share > 2:
            raise ValueError(f"f - f_* <= 2 L d = {2 * self.L * self.d}, a gap of {gap} is not reached")
        return np.full((1, self.d), math.acos(1 - share))
