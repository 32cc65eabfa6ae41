"""Exact-in-law simulation of the estimator around one axis, from scalars alone: the cost does not grow with d.

Let D_mu f(x, u) = s u_1 (a quadratic with equal curvatures, e_1 along grad f(x), s = ||grad f(x)||), and let the
noise be zeta = Z e_1 or zeta = Z w, w uniform. Then Y depends on u_1 and on scalars independent of u. With
u_l = (a_l, sqrt(1 - a_l^2) w_l), w_l uniform on S^(d-2) and independent of a_l and Y_l,

    g = (d/M) sum_l psi_tau(Y_l) u_l = (along, across w),  across = (d/M) ||sum_l psi_tau(Y_l) sqrt(1 - a_l^2) w_l||.

Norms of sums of independent, uniformly directed vectors follow pairwise,

    ||v + w||^2 = ||v||^2 + ||w||^2 + 2 ||v|| ||w|| omega,

omega the first coordinate of a uniform unit vector of R^(d-1); as a tree over the batch this is vectorised.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from proofs_numeric.model.estimator import check_batch, scalar_weight
from proofs_numeric.model.noise import RealLaw, check_scale
from proofs_numeric.model.sphere import Array, check_dimension, check_float64

BLOCK = 1 << 14  #: directions held at a time: their scalars stay inside the second-level cache
SHAPES = ("axis", "uniform")


def coordinate(rng: np.random.Generator, n: int, k: int) -> Array:
    """n independent first coordinates of a uniform unit vector of R^k; k = 1: fair signs.

    omega = z/sqrt(z^2 + r), z standard normal, r chi-square with k - 1 degrees of freedom.
    """
    if check_dimension(k) == 1:
        return np.copysign(1.0, rng.random(n) - 0.5)
    z, r = rng.standard_normal(n), rng.standard_gamma((k - 1) / 2, n)
    r *= 2
    r += z * z
    np.sqrt(r, out=r)
    z /= r
    return z


def joined(v2: Array, w2: Array, k: int, rng: np.random.Generator) -> Array:
    """||v + w||^2 from ||v||^2 and ||w||^2, v and w independent and uniformly directed in R^k."""
    omega = coordinate(rng, v2.size, k).reshape(v2.shape)
    omega *= np.sqrt(v2 * w2)
    omega *= 2
    omega += v2
    omega += w2
    return np.maximum(omega, 0.0, out=omega)


def norm2_of_sum(squares: Array, k: int, rng: np.random.Generator) -> Array:
    """||sum_l v_l||^2 for each row of ``squares`` (R, B) = ||v_l||^2, v_l independent, uniformly directed in R^k."""
    while squares.shape[1] > 1:
        half = squares.shape[1] // 2
        merged = joined(squares[:, :half], squares[:, half : 2 * half], k, rng)
        squares = merged if squares.shape[1] == 2 * half else np.hstack([merged, squares[:, -1:]])
    return squares[:, 0]


@dataclass(frozen=True)
class Axis:
    """Y = s u_1 + <zeta, u> in R^d; ||zeta|| = |Z|, Z of ``law``, zeta along e_1 ('axis') or anywhere ('uniform')."""

    d: int
    law: RealLaw
    shape: str = "axis"

    def __post_init__(self) -> None:
        check_dimension(self.d)
        if self.shape not in SHAPES:
            raise ValueError(f"the shape of the noise must be one of {', '.join(SHAPES)}, got {self.shape!r}")

    def pairs(self, slope: Array, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """n independent pairs (Y, u_1) for each slope s: (R,) -> (R, n), (R, n)."""
        size = len(slope) * n
        first = coordinate(rng, size, self.d)
        noise = self.law.sample(rng, size)
        noise *= first if self.shape == "axis" else coordinate(rng, size, self.d)
        first = first.reshape(len(slope), n)
        y = slope[:, None] * first + noise.reshape(len(slope), n)
        if np.isnan(y).any():
            raise FloatingPointError("a two-point difference is NaN")
        return y, first


def estimate(
    axis: Axis,
    slope: Array,
    M: int,
    tau: float,
    rng: np.random.Generator,
    weight: Callable[[Array, float, int], Array] = scalar_weight,
) -> tuple[Array, Array]:
    """(along, across) of G_mu(x; M, tau) = along e_1 + across w, w _|_ e_1 uniform; one estimate for each slope (R,).

    Equal in law to :func:`proofs_numeric.model.estimator.estimate`; about 100 ns a direction whatever d is.
    """
    slope, d = check_float64(slope, "slope"), axis.d
    check_scale(tau, "tau")
    check_batch(M)
    along, across2 = np.zeros(len(slope)), np.zeros(len(slope))
    piece = min(M, BLOCK)
    group = max(1, BLOCK // piece)
    for first in range(0, len(slope), group):
        rows = slice(first, min(len(slope), first + group))
        for start in range(0, M, piece):
            y, u = axis.pairs(slope[rows], min(piece, M - start), rng)
            c = weight(y, tau, d)
            c /= M
            along[rows] += np.einsum("rb,rb->r", c, u)
            if d > 1:
                u *= -u
                u += 1  # 1 - u_1^2
                c *= c
                c *= u
                total = norm2_of_sum(c, d - 1, rng)
                across2[rows] = total if start == 0 else joined(across2[rows], total, d - 1, rng)
    return along, np.sqrt(across2)
