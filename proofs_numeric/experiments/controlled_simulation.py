"""The controlled experiment's trajectories and diagnostic batches (paper, sec:experiments), batched over seeds.

Problem: f(x) = ||x||^2 / 2 and F(x; zeta) = f(x) + <zeta, x> with zeta = s A e_J, so that for every smoothing radius
mu the two-point difference is exactly Y = <x, u> + s A u_J; no difference is formed and mu does not enter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boundcheck.system.exits import Unusable
from proofs_numeric.experiments.controlled_settings import RAW, SCALAR, THEORY, VECTOR, Configuration
from proofs_numeric.model.sphere import Array, sphere
from proofs_numeric.model.streams import stream

CHECK = "experiment:controlled"  # this experiment's name among the addressed streams
STAGES = {"tuning": 0, "evaluation": 1, "band": 2, "diagnostic": 3, "raw check": 4}
ORDER = (RAW, VECTOR, SCALAR, THEORY)
RECORDED = 100  # intervals of the recorded curves


class Diverged(Unusable):
    """A trajectory left the finite numbers."""


def seed_stream(root: int, d: int, stage: str, index: int) -> np.random.Generator:
    """The random numbers of one seed at one dimension and stage.

    The address has no tail exponent: cells with the same d share directions, signs, coordinates and uniforms.
    """
    return stream(CHECK, f"d={d}", STAGES[stage], index, root)


@dataclass(frozen=True)
class Batch:
    """M directions u on the sphere, shape (M, d), with the noise of each."""

    u: Array
    signed: Array  # s u_J, shape (M,)
    exponential: Array  # p log A, shape (M,)

    def noise(self, p: Array | float, scale: float) -> Array:
        """W = <zeta, u> = s A u_J with A = scale exp(exponential / p), so P(A > a) = (scale/a)^p.

        Shape: that of ``p`` broadcast against (M,).
        """
        return scale * np.exp(self.exponential / p) * self.signed


def draw(rng: np.random.Generator, M: int, d: int) -> Batch:
    """One batch: uniform directions, uniform coordinates J, fair signs s, standard exponentials."""
    u = sphere(rng, M, d)
    J = rng.integers(d, size=M)
    s = 2.0 * rng.integers(2, size=M) - 1.0
    return Batch(u, s * u[np.arange(M), J], rng.standard_exponential(M))


def start(x0: str, norm: float, d: int) -> Array:
    """x0 of the given norm: along (1, ..., 1) or along e_1."""
    x = np.full(d, 1.0 / math.sqrt(d)) if x0 == "diagonal" else np.eye(1, d)[0]
    return norm * x


@dataclass(frozen=True)
class Runs:
    """What is kept of trajectories: B seeds, P tail exponents, C configurations."""

    last: Array  # ||x_T||, shape (B, P, C)
    best: Array  # min over t = 0..T of ||x_t||, shape (B, P, C)
    clipped: Array  # fraction of the M T derivatives with |Y| > tau, shape (B, P, C); 0 but for scalar clipping
    touched: Array  # fraction of the T batches with at least one of them, shape (B, P, C)
    curve: Array  # ||x_t|| at the recorded t, shape (B, P, C, times); times = 0 when not asked for


def recorded(steps: int) -> NDArray[np.int64]:
    """The times t of the recorded curves, 0 and T included."""
    return np.unique(np.linspace(0, steps, RECORDED + 1).round().astype(np.int64))


def groups(configurations: Sequence[Configuration]) -> dict[str, slice]:
    """The contiguous range of each method; configurations must be sorted by method in ``ORDER``."""
    methods = [c.method for c in configurations]
    if methods != sorted(methods, key=ORDER.index):
        raise ValueError(f"configurations: methods {methods} are not in the order {ORDER}; sort them")
    return {m: slice(methods.index(m), methods.index(m) + methods.count(m)) for m in ORDER if m in methods}


def simulate(
    rngs: Sequence[np.random.Generator],
    d: int,
    p: Sequence[float],
    configurations: Sequence[Configuration],
    M: int,
    steps: int,
    x0: Array,
    scale: float = 1.0,
    curves: bool = False,
    prescribed: Sequence[float] = (),
) -> Runs:
    """x_{t+1} = x_t - alpha g(x_t) for every configuration, all fed the same batches; one generator a seed.

    g = (d/M) sum_l Y_l u_l (raw), clip_r(g) (vector), (d/M) sum_l psi_tau(Y_l) u_l (scalar, theory). The
    thresholds of the method "theory" are ``prescribed``, one for each p.
    Raises :class:`Diverged` when a trajectory leaves the finite numbers.
    """
    B, P, C = len(rngs), len(p), len(configurations)
    group = groups(configurations)
    level = np.tile([c.level for c in configurations], (P, 1))
    if THEORY in group:
        level[:, group[THEORY]] = np.asarray(prescribed, dtype=float)[:, None]
    alpha = np.array([c.alpha for c in configurations])[None, None, :]
    clip = slice(min((group[m].start for m in (SCALAR, THEORY) if m in group), default=C), C)
    tau = level[None, :, clip, None]
    exponents = np.asarray(p, dtype=float)[:, None]

    X = np.broadcast_to(x0, (B, P * C, d)).copy()
    norm = np.linalg.norm(X, axis=2).reshape(B, P, C)
    best = norm.copy()
    clipped, touched = np.zeros((B, P, C)), np.zeros((B, P, C))
    times = recorded(steps) if curves else np.empty(0, dtype=np.int64)
    curve = np.empty((B, P, C, times.size))
    U, W = np.empty((B, M, d)), np.empty((B, P, 1, M))
    column = 0
    for t in range(steps + 1):
        if column < times.size and times[column] == t:
            curve[..., column] = norm
            column += 1
        if t == steps:
            break
        for b, rng in enumerate(rngs):
            batch = draw(rng, M, d)
            U[b], W[b, :, 0] = batch.u, batch.noise(exponents, scale)
        Y = np.matmul(X, U.transpose(0, 2, 1)).reshape(B, P, C, M)
        Y += W
        if THEORY in group:
            over = np.abs(Y[:, :, group[THEORY]]) > level[None, :, group[THEORY], None]
            clipped[:, :, group[THEORY]] += over.mean(axis=3)
            touched[:, :, group[THEORY]] += over.any(axis=3)
        inner = Y[:, :, clip]
        np.minimum(np.maximum(inner, -tau, out=inner), tau, out=inner)
        G = np.matmul(Y.reshape(B, P * C, M), U).reshape(B, P, C, d)
        G *= d / M
        step = np.broadcast_to(alpha, (B, P, C)).copy()
        if VECTOR in group:
            g = G[:, :, group[VECTOR]]
            length = np.sqrt(np.einsum("bpcd,bpcd->bpc", g, g))
            radius = level[None, :, group[VECTOR]]
            step[:, :, group[VECTOR]] *= radius / np.maximum(length, radius)
        G *= step[..., None]
        X -= G.reshape(B, P * C, d)
        norm = np.sqrt(np.einsum("bkd,bkd->bk", X, X)).reshape(B, P, C)
        np.minimum(best, norm, out=best)
    if not np.isfinite(norm).all():
        raise Diverged(f"a trajectory at d = {d} left the finite numbers; a smaller step size is needed")
    return Runs(norm, best, clipped / steps, touched / steps, curve)


@dataclass(frozen=True)
class Diagnostic:
    """N independent batches at one point x, each seen by every estimator."""

    raw_cosine: Array  # <g, x> / (||g|| ||x||), shape (N,)
    vector_cosine: Array  # the same of clip_r(g), formed in floating point, shape (N,)
    scalar_cosine: Array  # the same with psi_tau, shape (N, number of taus)
    dominance: Array  # log10(max_l |Y_l| / median_l |Y_l|), shape (N,)


def diagnose(
    rng: np.random.Generator, x: Array, p: float, M: int, radius: float, taus: Sequence[float], scale: float, N: int
) -> Diagnostic:
    """Alignment with grad f(x) = x, and dominance of the largest directional derivative, over N batches."""
    d = x.size
    limit = np.array([math.inf, *taus])[:, None]
    cosines, dominance = np.empty((N, 2 + len(taus))), np.empty(N)
    for n in range(N):
        batch = draw(rng, M, d)
        Y = batch.u @ x + batch.noise(p, scale)
        g = np.clip(Y, -limit, limit) @ batch.u * (d / M)
        clipped = g[0] * min(1.0, radius / float(np.linalg.norm(g[0])))
        g = np.vstack([g[:1], clipped, g[1:]])
        cosines[n] = g @ x / (np.linalg.norm(g, axis=1) * np.linalg.norm(x))
        dominance[n] = math.log10(np.abs(Y).max() / np.median(np.abs(Y)))
    return Diagnostic(cosines[:, 0], cosines[:, 1], cosines[:, 2:], dominance)
