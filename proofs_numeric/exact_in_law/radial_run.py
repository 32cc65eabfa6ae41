"""Algorithm 1 on f = L |x|^2/2 with rotation-invariant noise, exact in law from three scalars, whatever d >= 2 is.

With e along x and m = a e + b v, v _|_ e, an estimate is g = along e + across w, w uniform in the complement of e and
independent of v (:mod:`proofs_numeric.exact_in_law.radial`). So (|x|, a, b) is Markov: with r = |x|,

    a <- beta a + (1 - beta) along,   b^2 <- ||beta b v + (1 - beta) across w||^2,
    r' = |(r - alpha a) e - alpha b v|,   a' = (a (r - alpha a) - alpha b^2)/r',   b' = b r/r'

in the frame of the next point; beta = 0 is the base method.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from proofs_numeric.exact_in_law.radial import Axis, estimate, joined
from proofs_numeric.model.optimizer import Parameters
from proofs_numeric.model.sphere import Array
from proofs_numeric.precision.replay import EPS


@dataclass(frozen=True)
class Radii:
    """Rows are t = 0, ..., T, columns replications: ``length`` |x_t|, and ``along``, ``across`` of m_t (T rows)."""

    length: Array
    along: Array
    across: Array


def check_axis(axis: Axis) -> None:
    """Raises ValueError unless the noise has no preferred direction and there is a complement to turn in."""
    if axis.shape != "uniform" or axis.d < 2:
        raise ValueError(f"a radial run needs noise of shape uniform and d >= 2, got {axis.shape!r} and d = {axis.d}")


def descend(axis: Axis, L: float, start: Array, q: Parameters, rng: np.random.Generator) -> Radii:
    """Run Algorithm 1 from points at the distances ``start`` (R,) from the minimiser."""
    check_axis(axis)
    r = np.array(start, dtype=np.float64)
    a, b = np.zeros_like(r), np.zeros_like(r)
    lengths, alongs, acrosses = [r], [], []
    for t in range(q.T):
        keep, M, tau = q.at_step(t)
        along, across = estimate(axis, L * r, M, tau, rng)
        if keep == 0:
            a, b = along, across
        else:
            a = keep * a + (1 - keep) * along
            b = np.sqrt(joined((keep * b) ** 2, ((1 - keep) * across) ** 2, axis.d - 1, rng))
        alongs.append(a)
        acrosses.append(b)
        ahead = r - q.alpha * a
        after = np.hypot(ahead, q.alpha * b)
        safe = np.where(after > 0, after, 1.0)
        turned = (a * ahead - q.alpha * b**2) / safe
        a, b, r = np.where(after > 0, turned, np.hypot(a, b)), np.where(after > 0, b * r / safe, 0.0), after
        lengths.append(r)
    return Radii(np.array(lengths), np.array(alongs), np.array(acrosses))


def doubt(axis: Axis, L: float, reach: float, q: Parameters) -> float:
    """A bound on the rounding of |x_t| of the base method, |x_t| <= ``reach`` throughout.

    ||g||^2 is off by at most (4 M + 64) 2^-53 (d (tau + 2 L reach))^2, and x - alpha g(x) for fixed noise stretches
    distances by at most max(1, alpha L d - 1).
    """
    d = axis.d
    error = math.sqrt((4 * q.M + 64) * EPS) * d * (q.tau + 2 * L * reach)
    stretch, wrong = max(1.0, q.alpha * L * d - 1), 0.0
    for _ in range(q.T):
        wrong = stretch * wrong + q.alpha * error + 8 * EPS * (reach + q.alpha * d * q.tau)
    return wrong


def farthest(d: int, L: float, start: float, sigma: float, q: Parameters) -> float:
    """A bound on |x_T| for every direction and every noise of norm sigma, where clipping never acts.

    One estimate is g = d P (L x + zeta), 0 <= P <= I the mean of the u u^T: x - alpha g stretches |x| by at most
    max(1, c - 1) with c = alpha d L and adds at most alpha d sigma. With m' = k m + (1 - k) g the same holds of
    (1 - k) alpha, besides alpha k |m|; and |m'| <= k |m| + (1 - k) d (L |x| + sigma).
    """
    x, m = start, 0.0
    for t in range(q.T):
        keep, _, _ = q.at_step(t)
        step = (1 - keep) * q.alpha * d
        ahead = max(1.0, step * L - 1) * x + step * sigma + q.alpha * keep * m
        x, m = ahead, keep * m + (1 - keep) * d * (L * x + sigma)
    return x


def second_moments(axis: Axis, L: float, start: float, q: Parameters, power: float) -> tuple[float, float]:
    """(E|x_T|^2, E|x_T|^2 of the same run without noise and fluctuation) where clipping never acts.

    Given x, E g = L x and E||g - L x||^2 = ((d - 1) L^2 |x|^2 + d E||zeta||^2)/M, ``power`` = E||zeta||^2: a linear
    recursion for E|x|^2, E<x, m>, E|m|^2.
    """
    xx, xm, mm, mean_x, mean_m = start**2, 0.0, 0.0, start, 0.0
    for t in range(q.T):
        keep, M, _ = q.at_step(t)
        new = 1 - keep
        spread = ((axis.d - 1) * L**2 * xx + axis.d * power) / M
        mm = keep**2 * mm + 2 * keep * new * L * xm + new**2 * (L**2 * xx + spread)
        xm = keep * xm + new * L * xx
        mean_m = keep * mean_m + new * L * mean_x
        xx, xm = xx - 2 * q.alpha * xm + q.alpha**2 * mm, xm - q.alpha * mm
        mean_x -= q.alpha * mean_m
    return xx, mean_x**2
