"""Distribution-free limits for a quantile from order statistics; atoms are allowed."""

from __future__ import annotations

from proofs_numeric.stats.binomial import check_level, critical_count


def upper_rank(N: int, level: float, a: float) -> int | None:
    """r = min{r : P(Bin(N, level) <= r - 1) >= 1 - a}, so X_(r) bounds the ``level``-quantile from above.

    Ranks count from 1 in increasing order; None if even the largest value does not bound it.
    """
    rank = critical_count(N, check_level(level), a)
    return rank if rank <= N else None


def lower_rank(N: int, level: float, a: float) -> int | None:
    """max{r : P(Bin(N, level) >= r) >= 1 - a}: X_(r) bounds the quantile from below; None if no rank does."""
    mirrored = upper_rank(N, 1 - level, a)
    return None if mirrored is None else N + 1 - mirrored
