"""Bounds on rounding that hold before anything is computed again: from the value of a statistic and its problem alone.

Each is at least the bound that :mod:`replay` declares for the trial from the sizes of its own terms:
with G = ||grad f(x)|| + L mu the terms of D_mu f(x, u) add up to at most G in size, a noise term is at most |Y| + G.
"""

from __future__ import annotations

import math

import numpy as np

from proofs_numeric.model.noise import CentredPareto, Gaussian, Pareto, RealLaw, Student
from proofs_numeric.model.optimizer import Parameters
from proofs_numeric.model.oracles import LinearNoiseOracle
from proofs_numeric.model.sphere import Array
from proofs_numeric.precision.replay import EPS

SLACK = 1.001  #: for the rounding of what enters a bound


def slope_reach(oracle: LinearNoiseOracle, x: Array, mu: float) -> float:
    """G: the most that the sizes of the terms of D_mu f(x, u) add up to; x (1, d)."""
    return float(np.linalg.norm(oracle.objective.gradient(x))) + (0.0 if oracle.linear else oracle.objective.L * mu)


def noise_reach(law: RealLaw, largest: float) -> float:
    """The largest size of Z whose number was at most ``largest``."""
    if isinstance(law, CentredPareto):
        return law.scale * math.exp(min(largest / law.p, 700.0)) + law.mean
    if isinstance(law, Pareto):
        return law.sigma * math.exp(min(largest / law.p, 700.0))
    if isinstance(law, Student):
        return law.scale * largest
    if isinstance(law, Gaussian):
        return 40 * law.s  # a normal made from 53-bit uniforms stays far below
    raise TypeError(f"no bound on rounding for {type(law).__name__} noise in all directions")


def pair(oracle: LinearNoiseOracle, x: Array, mu: float, size: Array | float, largest: float) -> Array | float:
    """Of Y, where |Y| or |Y - D_mu f| is at most ``size``; noise in all directions is a sum over coordinates."""
    reach, noise = slope_reach(oracle, x, mu), oracle.noise
    term = noise_reach(noise.law, largest) if noise.shape == "uniform" and oracle.d > 1 else size + reach
    compensator = noise.law.mean if isinstance(noise.law, CentredPareto) else 0.0
    return (2 * oracle.d + 64) * EPS * SLACK * (reach + term + compensator)


def signal(oracle: LinearNoiseOracle, x: Array, mu: float) -> float:
    """Of D_mu f(x, u)."""
    return (2 * oracle.d + 64) * EPS * SLACK * slope_reach(oracle, x, mu)


def average(oracle: LinearNoiseOracle, x: Array, mu: float, M: int, tau: float, largest: float) -> float:
    """Of the norm of G_mu(x; M, tau): beyond tau a float is clipped to tau without error."""
    d = oracle.d
    return d * (float(pair(oracle, x, mu, SLACK * tau, largest)) + (2 * d + M + 64) * EPS * tau)


def last(q: Parameters, oracle: LinearNoiseOracle, start: float, largest: float) -> float:
    """Of x_T on the line; the recursion is that of :func:`replay_run.descend`, with |g| <= tau."""
    L, tau = oracle.objective.L, max(q.tau, q.tau0 or 0.0)
    reach = abs(start) + q.T * q.alpha * tau
    wrong = off = 0.0
    for t in range(q.T):
        keep, M, threshold = q.at_step(t)
        error = average(oracle, np.array([[reach]]), q.mu, M, threshold, largest)
        drift = wrong + q.alpha * (keep * off + (1 - keep) * error)
        off = keep * off + (1 - keep) * (error + L * wrong) + 8 * EPS * tau
        wrong = drift + 4 * EPS * (reach + q.alpha * tau)
    return SLACK * wrong


def distance(error: float, values: Array, centre: Array, d: int) -> Array:
    """Of ||g - centre||, ``error`` that of g."""
    return error + (d + 8) * EPS * SLACK * (values + 2 * float(np.linalg.norm(centre)))


def radial_distance(values: Array, d: int, slope: float, M: int, tau: float, centre: float) -> Array:
    """Of the radial ||g - centre e_1||: its square is off by (4 M + 64) 2^-53 times the square of its terms' sizes."""
    size = SLACK * (d * (tau + 2 * slope) + abs(centre))
    return (4 * M + 64) * EPS * size**2 / np.maximum(values, 1e-300)
