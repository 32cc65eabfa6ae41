"""Bands for the controlled experiment: distribution-free prediction of a future median, and of the whole protocol."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import betabinom

from proofs_numeric.model.sphere import Array
from proofs_numeric.stats.binomial import lower_limit, upper_limit
from proofs_numeric.stats.quantile import lower_rank, upper_rank


def rank_law(N: int, n: int, r: int) -> Array:
    """P(K = k), k = 0..N, K the number of N observations below the r-th smallest of n further ones (continuous law):
    beta-binomial, since the chance to be below is Beta(r, n - r + 1)."""
    return betabinom(N, r, n - r + 1).pmf(np.arange(N + 1))


def median_band(sample: Array, n: int, coverage: float) -> tuple[float, float] | None:
    """An interval that holds the median of n further observations with probability >= coverage, whatever the law.

    Its ends are order statistics of the sample of N; N finite is accounted for (Fligner and Wolfe, 1979). For even n
    the median lies between the two middle observations, each held in on its side. None when N is too small.
    """
    values = np.sort(np.asarray(sample, dtype=float))
    N, miss = values.size, (1 - coverage) / 2
    below = np.cumsum(rank_law(N, n, (n + 1) // 2))  # P(K <= k) for the lower middle observation
    # X_(i) < Y_(r) iff K >= i, so X_(i) fails with probability P(K <= i - 1)
    i = int(np.searchsorted(below, miss * (1 + 1e-12), side="right"))
    j = N + 1 - i  # the law of the upper middle observation is the mirror image
    if i < 1:
        return None
    return float(values[i - 1]), float(values[j - 1])


def quantile_interval(sample: Array, q: float, coverage: float) -> tuple[float, float]:
    """Order statistics that hold the q-quantile with probability >= coverage; the extremes where N is too small."""
    values = np.sort(np.asarray(sample, dtype=float))
    low, high = (rank(values.size, q, (1 - coverage) / 2) for rank in (lower_rank, upper_rank))
    return float(values[0 if low is None else low - 1]), float(values[-1 if high is None else high - 1])


def rate_interval(hits: int, N: int, coverage: float) -> tuple[float, float]:
    """Clopper-Pearson limits of a success probability."""
    return lower_limit(hits, N, (1 - coverage) / 2), upper_limit(hits, N, (1 - coverage) / 2)


def protocol_band(
    values: Array, tuning: int, evaluation: int, mean: bool, draws: int, coverage: float, rng: np.random.Generator
) -> tuple[float, float] | None:
    """Quantiles of the reported median when the whole protocol, tuning included, is repeated on other seeds.

    ``values`` holds seeds x configurations; each repetition takes ``tuning`` + ``evaluation`` of the seeds without
    replacement. None when there are not twice as many seeds.
    """
    N = values.shape[0]
    if 2 * (tuning + evaluation) > N:
        return None
    medians = np.empty(draws)
    for k in range(draws):
        order = rng.permutation(N)
        tuned = values[order[:tuning]]
        score = tuned.mean(axis=0) if mean else np.median(tuned, axis=0)
        medians[k] = np.median(values[order[tuning : tuning + evaluation], int(np.argmin(score))])
    low, high = np.quantile(medians, [(1 - coverage) / 2, (1 + coverage) / 2])
    return float(low), float(high)


def median_error(sample: Array) -> float:
    """Standard error of the sample median, from the order statistics one binomial standard deviation around it."""
    values = np.sort(np.asarray(sample, dtype=float))
    N = values.size
    half = math.sqrt(N) / 2
    low, high = max(0, round(N / 2 - half) - 1), min(N - 1, round(N / 2 + half))
    return float(values[high] - values[low]) / 2
