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
from numpy.typing import NDArray

from proofs_numeric.model.estimator import PAPER, Recipe, check_batch, check_point, estimate
from proofs_numeric.model.noise import check_scale
from proofs_numeric.model.objectives import Objective, check_smoothing
from proofs_numeric.model.oracles import Oracle
from proofs_numeric.model.sphere import Array

Sample = Callable[[Array, int, float, np.random.Generator], Array]


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

    ``gradient2`` ||grad f(x_t)||^2, ``gap`` f(x_t) - f_*, ``smoothed`` f_mu(x_t), ``error2`` ||e_t||^2 with
    e_t = g_t - grad f_mu(x_t) (base) or m_t - grad f_mu(x_t) (momentum). With the conditional mean of g_t known:
    ``fluctuation2`` ||z_t||^2 of the unstopped sum, ``drift2`` ||u_t||^2, u_t = e_t - z_t, and ``lyapunov``
    Phi_t = f_mu(x_t) + 2 alpha/(1 - beta) ||u_t||^2, all from t = 1 on (row 0 is NaN). ``last`` is x_T.
    """

    gradient2: Array
    gap: Array
    smoothed: Array
    error2: Array
    last: Array
    fluctuation2: Array | None = None
    drift2: Array | None = None
    lyapunov: Array | None = None

    def mean_gradient2(self, first: int, last: int) -> Array:
        """The average of ||grad f(x_t)||^2 over t = first, ..., last, for each replication."""
        return self.gradient2[first : last + 1].mean(axis=0)

    def localized(self, limit: float) -> NDArray[np.bool_]:
        """Whether f(x_t) - f_* <= limit for all t, for each replication."""
        return np.all(self.gap <= limit, axis=0)


def sampler(oracle: Oracle, mu: float, recipe: Recipe = PAPER) -> Sample:
    """(x, M, tau, rng) -> independent estimates G_mu(x; M, tau), one a row, by direct simulation."""

    def sample(x: Array, M: int, tau: float, rng: np.random.Generator) -> Array:
        return estimate(oracle, x, mu, M, tau, rng, recipe)

    return sample


def optimize(
    objective: Objective,
    sample: Sample,
    x0: Array,
    parameters: Parameters,
    rng: np.random.Generator,
    method: Method = ALGORITHM,
    conditional_mean: Callable[[Array], Array] | None = None,
) -> Trajectory:
    """Run Algorithm 1 from the rows of ``x0`` (R, d); ``conditional_mean(x)`` is E G_mu(x; M, tau), if known.

    ``sample`` draws the estimates: :func:`sampler` directly, or anything equal to it in law.
    """
    q, x = parameters, np.array(check_point(x0, objective.d))
    momentum = q.beta > 0
    m = np.zeros_like(x)
    z = np.zeros_like(x)
    shape = (q.T, len(x))
    gradient2, gap, smoothed, error2 = (np.empty(shape) for _ in range(4))
    fluctuation2, drift2 = np.full(shape, np.nan), np.full(shape, np.nan)
    for t in range(q.T):
        target = objective.smoothed_gradient(x, q.mu)
        gradient2[t] = (objective.gradient(x) ** 2).sum(axis=1)
        gap[t] = objective.value(x) - objective.f_star
        smoothed[t] = objective.smoothed_value(x, q.mu)
        if momentum and t == 0 and method.warm:
            _, M0, tau0 = q.at_step(0)
            m = sample(x, M0, tau0, rng)
        else:
            g = sample(x, q.M, q.tau, rng)
            m = method.average(m, g, q.beta) if momentum else g
            if conditional_mean is not None:
                z = q.beta * z + (1 - q.beta) * (g - conditional_mean(x))
        error2[t] = ((m - target) ** 2).sum(axis=1)
        if t > 0 or not momentum:
            fluctuation2[t] = (z**2).sum(axis=1)
            drift2[t] = ((m - target - z) ** 2).sum(axis=1)
        x = method.move(x, m, q.alpha)
    if conditional_mean is None:
        return Trajectory(gradient2, gap, smoothed, error2, x)
    lyapunov = smoothed + 2 * q.alpha / (1 - q.beta) * drift2
    return Trajectory(gradient2, gap, smoothed, error2, x, fluctuation2, drift2, lyapunov)
