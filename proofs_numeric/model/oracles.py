"""Stochastic zeroth-order oracles F(x; xi): values at a shared xi, and their symmetric two-point difference.

:class:`LinearNoiseOracle` is F(x; xi) = f(x) + <zeta(xi), x>: sample-smooth with the L of f, gradient noise
zeta, difference exact. :class:`UserOracle` checks what a user's own function returns before it is used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from proofs_numeric.model.noise import Noise, NoiseBatch
from proofs_numeric.model.objectives import Objective, check_smoothing
from proofs_numeric.model.sphere import Array, check_dimension


class OracleError(ValueError):
    """An oracle that raised, or returned something other than finite real numbers of the right shape."""


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


@dataclass(frozen=True)
class UserOracle:
    """A user's F: ``function(points, xi) -> values`` with ``draw(rng, n) -> xi``, checked on every call.

    The difference is the plain one; its rounding error is about 2^-53 max|F|/mu.
    """

    d: int
    function: Callable[[Array, Any], Any]
    sampler: Callable[[np.random.Generator, int], Any]
    linear: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_dimension(self.d)

    def draw(self, rng: np.random.Generator, n: int) -> Any:
        try:
            return self.sampler(rng, n)
        except Exception as error:
            raise OracleError(f"the oracle's sampler raised {type(error).__name__}: {error}") from error

    def value(self, x: Array, xi: Any) -> Array:
        """F at the rows of x, shape (n,); raises OracleError on anything but n finite real numbers."""
        try:
            returned = self.function(x, xi)
        except Exception as error:
            raise OracleError(f"the oracle raised {type(error).__name__}: {error}") from error
        try:
            values = np.asarray(returned)
            if values.dtype == np.float32 or values.dtype == np.float16:
                raise OracleError(f"the oracle returned {values.dtype}; float64 is needed for a difference")
            values = values.astype(np.float64, casting="safe")
        except (TypeError, ValueError) as error:
            if isinstance(error, OracleError):
                raise
            raise OracleError(
                f"the oracle returned {type(returned).__name__}, not an array of real numbers"
            ) from error
        if values.shape != x.shape[:1]:
            raise OracleError(f"the oracle returned shape {values.shape} for {len(x)} points; ({len(x)},) is wanted")
        bad = ~np.isfinite(values)
        if bad.any():
            raise OracleError(f"the oracle returned {values[bad][0]} at {int(bad.sum())} of {len(x)} points")
        return values

    def difference(self, x: Array, mu: float, u: Array, xi: Any) -> Array:
        check_smoothing(mu)
        step = mu * u
        above = (x[:, None, :] + step).reshape(-1, self.d)
        below = (x[:, None, :] - step).reshape(-1, self.d)
        return ((self.value(above, xi) - self.value(below, xi)) / (2 * mu)).reshape(u.shape[:2])
