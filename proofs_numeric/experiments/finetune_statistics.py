"""Statistics of the fine-tuning experiment: the tail of projected gradients, and differences paired by seed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t as student

COVERAGE = 0.95  # of intervals for differences
SHARE = 0.1  # the largest tenth of the sample enters Hill's estimate


@dataclass(frozen=True)
class Tail:
    """Of one sample. ``hill`` estimates a in P(|Y| > y) ~ y^-a from the ``k`` largest, with standard error a/sqrt(k);
    a normal law has no such a, and its estimate grows with the sample. ``kurtosis`` is E Y^4 / (E Y^2)^2: 3 for a
    normal law, and at most the sample size."""

    n: int
    k: int
    hill: float
    hill_error: float
    kurtosis: float


def hill(sample: Sequence[float], k: int) -> float:
    """k / sum_{i <= k} log(|Y|_(i) / |Y|_(k+1)), |Y|_(1) >= |Y|_(2) >= ... (Hill 1975); infinite where all agree."""
    sizes = np.sort(np.abs(np.asarray(sample, dtype=float)))[::-1]
    if not 1 <= k < sizes.size or sizes[k] == 0:
        return math.nan
    spread = float(np.log(sizes[:k] / sizes[k]).sum())
    return k / spread if spread else math.inf


def kurtosis(sample: Sequence[float]) -> float:
    """mean Y^4 / (mean Y^2)^2: about 0, the centre of symmetry of a directional derivative's law."""
    values = np.asarray(sample, dtype=float)
    scale = float(np.abs(values).max(initial=0.0))
    if not scale:
        return math.nan
    values = values / scale
    return float((values**4).mean() / (values**2).mean() ** 2)


def tail(sample: Sequence[float]) -> Tail:
    """Both statistics, the largest tenth (at least 5) for Hill's."""
    n = len(sample)
    k = max(5, round(SHARE * n))
    index = hill(sample, k)
    return Tail(n, k, index, index / math.sqrt(k), kurtosis(sample))


def rounded(value: float | None, digits: int = 6) -> float | None:
    """To so many significant digits; None for what is no finite number."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.{digits}g}")


def paired(first: Sequence[float | None], second: Sequence[float | None]) -> dict[str, Any]:
    """Mean difference over the seeds with its Student interval of coverage 95 %, and whether that excludes 0:
    "lower", "higher" or "undecided"; "incomparable" where a run ended in no number."""
    if any(v is None for v in (*first, *second)):
        return {"difference": None, "interval": None, "verdict": "incomparable"}
    d = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    mean = float(d.mean())
    half = float(student.ppf((1 + COVERAGE) / 2, d.size - 1) * d.std(ddof=1) / math.sqrt(d.size))
    verdict = "lower" if mean + half < 0 else "higher" if mean - half > 0 else "undecided"
    return {
        "difference": rounded(mean),
        "interval": [rounded(mean - half), rounded(mean + half)],
        "verdict": verdict,
    }
