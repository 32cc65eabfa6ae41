"""Stochastic zeroth-order oracles F(x; xi): values at a shared xi, and their symmetric two-point difference.

:class:`LinearNoiseOracle` is F(x; xi) = f(x) + <zeta(xi), x>: sample-smooth with the L of f, gradient noise
zeta, difference exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from proofs_numeric.model.noise import Noise, NoiseBatch
from proofs_numeric.model.objectives import Objective
from proofs_numeric.model.sphere import Array


class Oracle(Protocol):
    """F(x; xi), seen only through pairs of values at one xi.

    ``linear`` tells that ``difference`` is linear in u, so that u may stay unnormalised until the scalar is taken.
    """

    @property
    def d(self) -> int: ...

    @property
    def linear(self) -> bool:
        """Whether the difference of the objective is linear in u, D_mu f(x, u) = <grad f(x), u>."""

    def draw(self, rng: np.random.Generator, n: int) -> Any:
        """n independent samples xi."""

    def difference(self, x: Array, mu: float, u: Array, xi: Any) -> Array:
        """Y = (F(x + mu u; xi) - F(x - mu u; xi))/(2 mu): x (R, d), u (R, B, d), R*B samples xi; shape (R, B)."""


@dataclass(frozen=True)
class LinearNoiseOracle:
    """F(x; xi) = f(x) + <zeta(xi), x> + offset; Y = D_mu f(x, u) + <zeta, u> exactly, whatever the offset."""

    objective: Objective
    noise: Noise
    offset: float = 0.0

    def __post_init__(self) -> None:
        if self.objective.d != self.noise.d:
            raise ValueError(f"the objective has d = {self.objective.d}, the noise d = {self.noise.d}")

    @property
    def d(self) -> int:
        return self.objective.d

    @property
    def linear(self) -> bool:
        return self.objective.linear

    def draw(self, rng: np.random.Generator, n: int) -> NoiseBatch:
        return self.noise.sample(rng, n)

    def value(self, x: Array, xi: NoiseBatch) -> Array:
        """F(x_i; xi_i) for the rows of x, shape (n,)."""
        return self.objective.value(x) + xi.inner(x) + self.offset

    def difference(self, x: Array, mu: float, u: Array, xi: NoiseBatch) -> Array:
        projected = xi.inner(u.reshape(-1, self.d)).reshape(u.shape[:2])
        return self.objective.difference(x, mu, u) + projected
