"""Algorithm 1 (RSC-ZO), base and momentum with warm start, on any oracle, batched over replications.

A trajectory records what the theorems speak of. With t counted as in the paper:
base        g_t = G_mu(x_t; M, tau), x_(t+1) = x_t - alpha g_t for t = 0, ..., T - 1;
momentum    m_0 = G_mu(x_0; M0, tau0), x_1 = x_0 - alpha m_0, then m_t = beta m_(t-1) + (1 - beta) g_t,
            x_(t+1) = x_t - alpha m_t for t = 1, ..., T - 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from proofs_numeric.model.estimator import PAPER, Recipe, check_batch, check_point, estimate
from proofs_numeric.model.noise import check_scale
from proofs_numeric.model.objectives import check_smoothing
from proofs_numeric.model.oracles import LinearNoiseOracle
from proofs_numeric.model.sphere import Array


@dataclass(frozen=True)
class Parameters:
    """What Algorithm 1 is run with; beta = 0 is the base method, beta > 0 needs the warm start's M0 and tau0."""

    T: int
    alpha: float
    mu: float
    M: int
    tau: float
    beta: float = 0.0
    M0: int | None = None
    tau0: float | None = None

    def __post_init__(self) -> None:
        check_batch(self.M)
        check_smoothing(self.mu)
        check_scale(self.tau, "tau")
        check_scale(self.alpha, "alpha")
        if self.T < 1:
            raise ValueError(f"the number of iterations T must be at least 1, got {self.T!r}")
        if not 0 <= self.beta < 1:
            raise ValueError(f"the momentum parameter beta must lie in [0, 1), got {self.beta!r}")
        if self.beta > 0:
            if self.M0 is None or self.tau0 is None:
                raise ValueError("momentum (beta > 0) needs the warm start's M0 and tau0")
            check_batch(self.M0)
            check_scale(self.tau0, "tau0")

    def at_step(self, t: int) -> tuple[float, int, float]:
        """(what the momentum keeps, M, tau) of step t; the warm start keeps nothing and has M0 and tau0."""
        if t == 0 and self.beta > 0 and self.M0 is not None and self.tau0 is not None:
            return 0.0, self.M0, self.tau0
        return self.beta, self.M, self.tau


@dataclass(frozen=True)
class Method:
    """The updates of Algorithm 1, so that wrong ones can be planted: the next momentum, the next point, the start."""

    average: Callable[[Array, Array, float], Array] = lambda m, g, beta: beta * m + (1 - beta) * g
    move: Callable[[Array, Array, float], Array] = lambda x, m, alpha: x - alpha * m
    warm: bool = True

    def but(self, **changes: Any) -> Method:
        """This method with some updates exchanged."""
        return replace(self, **changes)


ALGORITHM = Method()


@dataclass(frozen=True)
class Trajectory:
    """Rows are t = 0, ..., T - 1, columns replications.

    ``gradient2`` ||grad f(x_t)||^2, ``error2`` ||g_t - grad f_mu(x_t)||^2 (base) or ||m_t - grad f_mu(x_t)||^2
    (momentum); ``last`` is x_T.
    """

    gradient2: Array
    error2: Array
    last: Array


def optimize(
    oracle: LinearNoiseOracle,
    x0: Array,
    parameters: Parameters,
    rng: np.random.Generator,
    method: Method = ALGORITHM,
    recipe: Recipe = PAPER,
) -> Trajectory:
    """Run Algorithm 1 from the rows of ``x0`` (R, d), one independent estimate for each row and step."""
    q, x, f = parameters, np.array(check_point(x0, oracle.d)), oracle.objective
    m = np.zeros_like(x)
    gradient2, error2 = np.empty((q.T, len(x))), np.empty((q.T, len(x)))
    for t in range(q.T):
        gradient2[t] = (f.gradient(x) ** 2).sum(axis=1)
        warm = q.beta > 0 and t == 0 and method.warm
        M, tau = (q.M0 or q.M, q.tau0 or q.tau) if warm else (q.M, q.tau)
        g = estimate(oracle, x, q.mu, M, tau, rng, recipe)
        m = g if warm or q.beta == 0 else method.average(m, g, q.beta)
        error2[t] = ((m - f.smoothed_gradient(x, q.mu)) ** 2).sum(axis=1)
        x = method.move(x, m, q.alpha)
    return Trajectory(gradient2, error2, x)
