"""The law of x_T on f = x^2/2 on the line with clipping that acts, between two bounds that a monotone chain gives.

x' = x - alpha psi_tau(x + n) rises with x for alpha <= 1 and fixed noise n, so K(x, c) = P(x' > c | x) rises with x.
Put between step functions of x on a grid y_0 < ... < y_N it gives, for P(x_t > .) between l_t and u_t,

    u_(t+1)(c) = K(y_0, c) + sum_i (K(y_(i+1), c) - K(y_i, c)) u_t(y_i) + (1 - K(y_N, c)) u_t(y_N),
    l_(t+1)(c) = K(y_0, c) l_t(y_0) + sum_i (K(y_(i+1), c) - K(y_i, c)) l_t(y_(i+1)).

The bounds are rigorous but for the rounding of the sums, for which SLACK is added; they need only the noise's law.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy import special

from proofs_numeric.model.noise import Gaussian, Pareto, RealLaw
from proofs_numeric.model.sphere import Array

SLACK = 1e-10
POINTS = 1601


def below(law: RealLaw, M: int) -> Callable[[Array], Array]:
    """v -> P(n < v) for the mean n of M noises: any symmetric law for M = 1, the Gaussian for every M."""
    if isinstance(law, Gaussian):
        return lambda v: special.ndtr(v * math.sqrt(M) / law.s)
    if M != 1 or not isinstance(law, Pareto):
        raise ValueError(f"no law is known for the mean of {M} noises of {type(law).__name__}")

    def symmetric(v: Array) -> Array:
        beyond = law.tail(np.maximum(np.abs(v), 1e-100)) / 2
        return np.where(v < 0, beyond, 1 - beyond)

    return symmetric


def grid(reach: float, near: float) -> Array:
    """POINTS points in [-reach, reach], even where |y| is below ``near`` and geometric beyond."""
    t = np.linspace(-1.0, 1.0, POINTS) * math.asinh(reach / near)
    return near * np.sinh(t)


@lru_cache(maxsize=16)
def bracket(
    law: RealLaw, M: int, alpha: float, tau: float, T: int, reach: float, near: float
) -> tuple[Array, Array, Array]:
    """(y, lower, upper): bounds on P(x_T > y), x_0 = 0; ``tau`` may be infinite."""
    if not 0 < alpha <= 1:
        raise ValueError(f"the chain rises with x for 0 < alpha <= 1, got alpha = {alpha!r}")
    y, mass = grid(reach, near), below(law, M)
    v = (y[:, None] - y[None, :]) / alpha  # rows x, columns c
    K = np.where(v > tau, 1.0, np.where(v <= -tau, 0.0, mass(v - y[:, None])))
    rise = np.maximum(np.diff(K, axis=0), 0.0)
    lower = upper = (y < 0).astype(np.float64)
    for _ in range(T):
        upper = np.minimum(1.0, K[0] + upper[:-1] @ rise + (1 - K[-1]) * upper[-1] + SLACK)
        lower = np.maximum(0.0, K[0] * lower[0] + lower[1:] @ rise - SLACK)
    return y, lower, upper
