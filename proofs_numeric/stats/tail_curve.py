"""The levels at which a whole tail curve is looked at."""

from __future__ import annotations

import numpy as np

from proofs_numeric.model.sphere import Array

LIMITED = 160.0  #: expected exceedances at which the upper limit of a true level is at most twice the claim


def geometric_levels(trials: int, smallest_count: float = 64.0, largest: float = 0.9) -> Array:
    """Tail levels q_j with N q_j = 2^(j/2) from ``smallest_count`` up to N * ``largest``, decreasing.

    Counting exceedances of thresholds with these levels is the same test as comparing the order statistics of
    ranks 2^(j/2) with their quantiles (U_(i) < b iff at least i values are below b), in a form whose chunks add up.
    With 64 expected exceedances and more, every level can detect twice its claim; with LIMITED, its upper limit is
    within that as well.
    """
    top = trials * largest
    if top <= smallest_count:
        return np.array([largest])
    steps = int(np.floor(2 * np.log2(top / smallest_count)))
    return np.float64(largest) * 2.0 ** (-0.5 * np.arange(steps + 1, dtype=np.float64))
