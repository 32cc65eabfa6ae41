"""The scalar-clipped two-point estimator: psi_tau, Y and G_mu, batched over replications.

    G_mu(x; M, tau) = (d/M) sum_l psi_tau(Y_l(x)) u_l,   psi_tau(z) = z min{1, tau/|z|}.

A :class:`Recipe` names the four places where an implementation can differ (directions, difference,
weight, finish), so that baselines and deliberately wrong versions share the loop that is tested.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from proofs_numeric.model.noise import check_scale
from proofs_numeric.model.objectives import check_smoothing
from proofs_numeric.model.oracles import Oracle
from proofs_numeric.model.sphere import Array, check_float64, gaussian, sphere

BLOCK = 1 << 16  #: entries of u held at a time: 512 KiB, inside the second-level cache


TINY = 1e-150  #: a norm below it has lost digits: the squares underflow


def clip(z: Array, tau: float) -> Array:
    """psi_tau(z) = z min{1, tau/|z|}, with psi_tau(0) = 0 and psi_tau(+-inf) = +-tau."""
    return np.clip(z, -tau, tau)


def shared_difference(oracle: Oracle, x: Array, mu: float, u: Array, rng: np.random.Generator) -> Array:
    """Y with the same xi in both evaluations, as the paper has it."""
    return oracle.difference(x, mu, u, oracle.draw(rng, u.shape[0] * u.shape[1]))


def scalar_weight(y: Array, tau: float, d: int) -> Array:
    """d psi_tau(Y): the coefficient of u in the average."""
    return d * clip(y, tau)


def raw_weight(y: Array, tau: float, d: int) -> Array:
    """d Y: no clipping of the directional estimate."""
    return d * y


def keep(g: Array, tau: float) -> Array:
    """The average as it is."""
    return g


def clip_vector(g: Array, tau: float) -> Array:
    """g min{1, tau/||g||}, row by row: final-vector clipping, the baseline.

    Where ||g||^2 leaves the range of doubles the norm is that of g/max|g_i|, so that a finite row stays finite.
    """
    with np.errstate(over="ignore"):
        norm = np.linalg.norm(g, axis=-1, keepdims=True)
    out: Array = g * (np.minimum(norm, tau) / np.where(norm > 0, norm, 1.0))
    largest = np.abs(g).max(axis=-1, keepdims=True)
    far = (np.isfinite(largest) & ~(np.isfinite(norm) & (norm > TINY)) & (largest > 0))[..., 0]
    if far.any():
        unit = g[far] / largest[far]
        length = np.linalg.norm(unit, axis=-1, keepdims=True)
        with np.errstate(over="ignore"):
            out[far] = unit * (np.minimum(length * largest[far], tau) / length)
    return out


@dataclass(frozen=True)
class Recipe:
    """How an estimator is put together; the default is the paper's.

    ``directions(rng, n, d)`` -> u (n, d); ``difference(oracle, x, mu, u, rng)`` -> Y (R, B);
    ``weight(Y, tau, d)`` -> coefficients (R, B); ``finish(average, tau)`` -> g (R, d).
    """

    directions: Callable[[np.random.Generator, int, int], Array] = sphere
    difference: Callable[[Oracle, Array, float, Array, np.random.Generator], Array] = shared_difference
    weight: Callable[[Array, float, int], Array] = scalar_weight
    finish: Callable[[Array, float], Array] = keep

    def but(self, **changes: Any) -> Recipe:
        """This recipe with some parts exchanged."""
        return replace(self, **changes)


PAPER = Recipe()
VECTOR_CLIPPED = Recipe(weight=raw_weight, finish=clip_vector)  #: baseline: average first, clip the vector
UNCLIPPED = Recipe(weight=raw_weight)  #: baseline: raw aggregation


def check_point(x: object, d: int) -> Array:
    """``x`` as a float64 array of shape (R, d) with finite entries; one point (d,) becomes (1, d)."""
    point = check_float64(x, "x")
    if point.ndim == 1:
        point = point[None, :]
    if point.ndim != 2 or point.shape[1] != d:
        raise ValueError(f"x must have shape (d,) or (R, d) with d = {d}, got {np.asarray(x).shape}")
    if not np.isfinite(point).all():
        raise ValueError("x must be finite")
    return point


def check_batch(M: int) -> int:
    """``M`` itself; raises ValueError unless it is an integer >= 1."""
    if isinstance(M, bool) or not isinstance(M, (int, np.integer)) or M < 1:
        raise ValueError(f"the batch size M must be an integer >= 1, got {M!r}")
    return int(M)


def _refuse_nan(y: Array) -> Array:
    if np.isnan(y).any():
        raise FloatingPointError("a two-point difference is NaN")
    return y


def pairs(
    oracle: Oracle, x: Array, mu: float, n: int, rng: np.random.Generator, recipe: Recipe = PAPER
) -> tuple[Array, Array]:
    """n independent pairs (Y_l, u_l) at each point: x (R, d) -> Y (R, n), u (R, n, d)."""
    u = recipe.directions(rng, x.shape[0] * n, oracle.d).reshape(x.shape[0], n, oracle.d)
    return _refuse_nan(recipe.difference(oracle, x, mu, u, rng)), u


def _rays(
    oracle: Oracle, x: Array, mu: float, n: int, rng: np.random.Generator, recipe: Recipe, room: Array
) -> tuple[Array, Array, Array | float]:
    """The law of :func:`pairs` as (Y, z, s) with u = s z: s (R, n) is not multiplied into z where that can be saved.

    ``room`` (at least R n d entries) is scratch space: z may lie in it.
    """
    shortcut = recipe.directions is sphere and recipe.difference is shared_difference and oracle.linear
    if not shortcut or oracle.d == 1:
        return *pairs(oracle, x, mu, n, rng, recipe), 1.0
    z, norm = gaussian(rng, x.shape[0] * n, oracle.d, room)
    z, scale = z.reshape(x.shape[0], n, oracle.d), np.reciprocal(norm).reshape(x.shape[0], n)
    return _refuse_nan(scale * shared_difference(oracle, x, mu, z, rng)), z, scale


def estimate(
    oracle: Oracle, x: Array, mu: float, M: int, tau: float, rng: np.random.Generator, recipe: Recipe = PAPER
) -> Array:
    """G_mu(x; M, tau), one independent estimate for each row of x: (R, d) -> (R, d).

    Memory stays at about BLOCK entries of u whatever R and M are: rows are taken in groups, and a batch
    that is larger than a block is summed in pieces. Raises ValueError outside mu > 0, tau > 0, M >= 1.
    """
    x = check_point(x, oracle.d)
    check_smoothing(mu)
    check_scale(tau, "tau")
    check_batch(M)
    rows, d = x.shape
    piece = min(M, max(1, BLOCK // d))  # directions of one estimate held at a time
    group = max(1, BLOCK // (piece * d))  # estimates worked on together
    g, room = np.zeros((rows, d)), np.empty(min(rows, group) * piece * d)
    for first in range(0, rows, group):
        block = slice(first, min(rows, first + group))
        for start in range(0, M, piece):
            y, z, scale = _rays(oracle, x[block], mu, min(piece, M - start), rng, recipe, room)
            g[block] += np.matmul((recipe.weight(y, tau, d) * scale)[:, None, :], z)[:, 0, :]
    return recipe.finish(g / M, tau)


def repeat(x: Array, replications: int) -> Array:
    """One point (1, d) as ``replications`` rows, without copying."""
    return np.broadcast_to(x, (replications, x.shape[1]))
