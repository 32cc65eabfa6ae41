"""Quantile limits: coverage with and without atoms, and the number of trials that they need."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from proofs_numeric.model.streams import stream
from proofs_numeric.stats import binomial
from proofs_numeric.stats.quantile import lower_rank, upper_rank

ALLOWED = binomial.critical_count(2000, 0.05, 1e-6) - 1  #: misses of a 5 % rule in 2000; more has probability 1e-6


@settings(deadline=None, max_examples=80)
@given(N=st.integers(1, 5000), level=st.floats(0.01, 0.999), a=st.sampled_from([0.05, 1e-3, 1e-7]))
def test_ranks_are_the_tightest_valid_ones(N, level, a):
    r = upper_rank(N, level, a)
    assert (r is None) == (level**N > a * (1 - 1e-8))
    if r is not None:
        assert special.betainc(r, N - r + 1, level) <= a
        assert r == 1 or special.betainc(r - 1, N - r + 2, level) > a * (1 - 1e-8)
    low = lower_rank(N, level, a)
    if low is not None and r is not None:
        assert low <= r


@pytest.mark.parametrize("law", ["uniform", "atoms", "constant"])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_calibration(law, level):
    """Either limit misses in at most 5 % of 2000 repetitions; atoms only help."""
    N, rng = 600, stream("t", f"quantile{law}{level}")
    x = np.sort(rng.uniform(size=(2000, N)), axis=1)
    truth = level
    if law == "atoms":
        x, truth = np.ceil(x * 10), np.ceil(level * 10)
    elif law == "constant":
        x, truth = np.ones_like(x), 1.0
    assert (x[:, upper_rank(N, level, 0.05) - 1] < truth).sum() <= ALLOWED
    assert (x[:, lower_rank(N, level, 0.05) - 1] > truth).sum() <= ALLOWED


def test_too_few_trials_give_no_limit():
    assert upper_rank(687, 0.99, 1e-3) is None
    assert upper_rank(688, 0.99, 1e-3) == 688
