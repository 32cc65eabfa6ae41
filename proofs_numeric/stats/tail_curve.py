"""Whole tail curves at once: super-uniformity of U = G(Z), with power far out in the tail.

If P(Z > z) <= G(z) for all z, then U = G(Z) satisfies P(U <= u) <= u. The i-th smallest of N values of U
is then below the a/J quantile of Beta(i, N - i + 1) with probability at most a/J, for each of J ranks.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from proofs_numeric.model.sphere import Array
from proofs_numeric.stats.binomial import check_level

LIMITED = 160.0  #: expected exceedances at which the upper limit of a true level is at most twice the claim


def ranks(N: int) -> list[int]:
    """The distinct integers among 2^(j/4) up to N."""
    grid = {int(2 ** (j / 4)) for j in range(4 * N.bit_length() + 1)}
    return sorted(i for i in grid if 1 <= i <= N)


def superuniform_rejected(u: Array, a: float) -> bool:
    """Whether the values ``u`` are too small, at level ``a``, for P(U <= v) <= v for all v."""
    check_level(a)
    ordered = np.sort(np.asarray(u, dtype=np.float64))
    if np.isnan(ordered).any():
        raise FloatingPointError("a value of the tail curve is NaN")
    i = np.array(ranks(len(ordered)))
    limit = special.betaincinv(i, len(ordered) - i + 1, a / len(i))
    return bool((ordered[i - 1] < limit).any())


def uniform_rejected(u: Array, a: float) -> bool:
    """Whether ``u`` deviates from the uniform law at level ``a``: both ends of both tails."""
    u = np.asarray(u, dtype=np.float64)
    return superuniform_rejected(u, a / 2) or superuniform_rejected(1 - u, a / 2)


def geometric_levels(trials: int, smallest_count: float = 64.0, largest: float = 0.9) -> Array:
    """Tail levels q_j with N q_j = 2^(j/2) from ``smallest_count`` up to N * ``largest``, decreasing.

    Counting exceedances of thresholds with these levels is the same test as the ranks 2^(j/2) above
    (U_(i) < b iff at least i values are below b), in a form whose chunks add up. With 64 expected
    exceedances and more, every level can detect twice its claim; with LIMITED, its upper limit is within that as well.
    """
    top = trials * largest
    if top <= smallest_count:
        return np.array([largest])
    steps = int(np.floor(2 * np.log2(top / smallest_count)))
    return np.float64(largest) * 2.0 ** (-0.5 * np.arange(steps + 1, dtype=np.float64))
