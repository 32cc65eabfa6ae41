"""Deliberately wrong implementations: each must be rejected by some check, or the checks prove nothing.

A mutant is a :class:`~proofs_numeric.model.estimator.Recipe` with one part broken, or a noise law with one slip.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proofs_numeric.model.estimator import PAPER, Recipe, clip, clip_vector, raw_weight
from proofs_numeric.model.noise import CentredPareto, Pareto
from proofs_numeric.model.oracles import LinearNoiseOracle
from proofs_numeric.model.sphere import Array


def _gaussian(rng: np.random.Generator, n: int, d: int) -> Array:
    return rng.standard_normal((n, d)) / np.sqrt(d)


def _cube(rng: np.random.Generator, n: int, d: int) -> Array:
    u = rng.uniform(-1, 1, (n, d))
    return u / np.linalg.norm(u, axis=1, keepdims=True)


def _points(x: Array, step: Array) -> Array:
    return (x[:, None, :] + step).reshape(-1, x.shape[1])


def _two_samples(oracle: LinearNoiseOracle, x: Array, mu: float, u: Array, rng: np.random.Generator) -> Array:
    n = u.shape[0] * u.shape[1]
    above = oracle.value(_points(x, mu * u), oracle.draw(rng, n))
    below = oracle.value(_points(x, -mu * u), oracle.draw(rng, n))
    return ((above - below) / (2 * mu)).reshape(u.shape[:2])


def _forward(oracle: LinearNoiseOracle, x: Array, mu: float, u: Array, rng: np.random.Generator) -> Array:
    xi = oracle.draw(rng, u.shape[0] * u.shape[1])
    here = oracle.value(_points(x, 0 * u), xi)
    return ((oracle.value(_points(x, mu * u), xi) - here) / mu).reshape(u.shape[:2])


def _over_mu(oracle: LinearNoiseOracle, x: Array, mu: float, u: Array, rng: np.random.Generator) -> Array:
    return 2 * PAPER.difference(oracle, x, mu, u, rng)


def _single(oracle: LinearNoiseOracle, x: Array, mu: float, u: Array, rng: np.random.Generator) -> Array:
    xi = oracle.draw(rng, u.shape[0] * u.shape[1])
    values = [oracle.value(_points(x, s * mu * u), xi).astype(np.float32) for s in (1, -1)]
    return ((values[0] - values[1]) / np.float32(2 * mu)).astype(np.float64).reshape(u.shape[:2])


def _clip_after(average: Array, tau: float) -> Array:
    return clip_vector(average, tau * average.shape[1])


#: name -> the paper's estimator with one part broken
RECIPES: dict[str, Recipe] = {
    "no factor d": PAPER.but(weight=lambda y, tau, d: clip(y, tau)),
    "Gaussian u, not normalised": PAPER.but(directions=_gaussian),
    "u from the cube": PAPER.but(directions=_cube),
    "different xi in the two evaluations": PAPER.but(difference=_two_samples),
    "forward difference": PAPER.but(difference=_forward),
    "division by mu instead of 2 mu": PAPER.but(difference=_over_mu),
    "evaluations in float32": PAPER.but(difference=_single),
    "clip after averaging": PAPER.but(weight=raw_weight, finish=_clip_after),
    "clip at d*tau": PAPER.but(weight=lambda y, tau, d: d * clip(y, d * tau)),
    "clip of d*Y at tau": PAPER.but(weight=lambda y, tau, d: clip(d * y, tau)),
}


@dataclass(frozen=True)
class Lomax(Pareto):
    """NumPy's ``Generator.pareto`` taken for a Pareto norm: it starts at 0, not at sigma."""

    def sample(self, rng: np.random.Generator, n: int) -> Array:
        return self.sigma * rng.pareto(self.p, n) * rng.choice([-1.0, 1.0], n)


@dataclass(frozen=True)
class Uncentred(CentredPareto):
    """The one-sided Pareto variable whose compensator was forgotten."""

    def sample(self, rng: np.random.Generator, n: int) -> Array:
        return super().sample(rng, n) + self.mean
