"""Limits and tests of one whole sample, for what the tests draw: betting limits, and tail curves at all ranks.

If P(Z > z) <= G(z) for all z, then U = G(Z) satisfies P(U <= u) <= u. The i-th smallest of N values of U
is then below the a/J quantile of Beta(i, N - i + 1) with probability at most a/J, for each of J ranks.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from proofs_numeric.model.sphere import Array
from proofs_numeric.stats.binomial import check_level
from proofs_numeric.stats.decision_rules import float_sum, refuse_nan


def _log_capital(x: Array, bets: Array, m: float) -> float:
    return float_sum(np.log1p(np.minimum(bets, 0.5 / max(1 - m, 1e-300)) * (m - x)))


def betting_limits(x: Array, a: float) -> tuple[float, float]:
    """(lower, upper) limits for the mean of X in [0, 1], each at level ``a``; rounded outwards.

    Bets lam_i = min(sqrt(2 ln(1/a)/(N s2_(i-1))), 1/(2(1 - m))), s2 the running variance. Raises ValueError
    on values outside [0, 1] and ArithmeticError on an empty set: a broken assumption, not an answer.
    """
    check_level(a)
    x = np.asarray(x, dtype=np.float64)
    refuse_nan(x)
    if x.size == 0 or x.min() < 0 or x.max() > 1:
        raise ValueError("betting limits need at least one value, all in [0, 1]")
    upper, lower = _upper_betting(x, a), 1 - _upper_betting(1 - x, a)
    if lower > upper:
        raise ArithmeticError("the confidence set is empty: the values are not independent draws with one mean")
    return lower, upper


def _upper_betting(x: Array, a: float) -> float:
    n = len(x)
    count = np.arange(1, n + 1)
    mean = (0.5 + np.cumsum(x)) / (count + 1)
    spread = (0.25 + np.cumsum((x - mean) ** 2)) / (count + 1)
    before = np.concatenate([[0.25], spread[:-1]])
    bets = np.sqrt(2 * math.log(1 / a) / (n * before))
    target = math.log(1 / a)
    if _log_capital(x, bets, 1.0) < target:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        if _log_capital(x, bets, middle) >= target:
            high = middle
        else:
            low = middle
    return high


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


def trials_needed(level: float, a: float) -> int:
    """The smallest N for which the largest of N values is an upper limit: N >= ln(1/a)/-ln(level)."""
    check_level(level)
    check_level(a)
    return max(1, math.ceil(math.log(1 / a) / -math.log(level)))
