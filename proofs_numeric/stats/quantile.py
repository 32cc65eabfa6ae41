"""Distribution-free limits for a quantile from order statistics; atoms are allowed."""

from __future__ import annotations

from scipy import special

from proofs_numeric.stats.binomial import GUARD, check_level, check_trials


def upper_rank(N: int, level: float, a: float) -> int | None:
    """r = min{r : P(Bin(N, level) <= r - 1) >= 1 - a}, so X_(r) bounds the ``level``-quantile from above.

    Ranks count from 1 in increasing order; None if even the largest value does not bound it.
    """
    check_trials(N)
    check_level(level)
    check_level(a)

    def miss(r: int) -> float:  # P(Bin(N, level) >= r)
        return float(special.betainc(r, N - r + 1, level))

    if miss(N) * (1 + GUARD) > a:
        return None
    low, high = 0, N
    while high - low > 1:
        middle = (low + high) // 2
        if miss(middle) * (1 + GUARD) <= a:
            high = middle
        else:
            low = middle
    return high


def lower_rank(N: int, level: float, a: float) -> int | None:
    """max{r : P(Bin(N, level) >= r) >= 1 - a}: X_(r) bounds the quantile from below; None if no rank does."""
    mirrored = upper_rank(N, 1 - level, a)
    return None if mirrored is None else N + 1 - mirrored
