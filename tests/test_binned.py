"""Binned noise on the line: rigorous intervals, and the same law as the direct estimator."""

from __future__ import annotations

import numpy as np
import pytest
from limits import betting_limits
from slow import thinned

from proofs_numeric.exact_in_law.binned import BinnedNoise
from proofs_numeric.exact_in_law.exact_laws import Projection
from proofs_numeric.model.estimator import clip, estimate, repeat
from proofs_numeric.model.noise import CentredPareto, Gaussian, Noise, Pareto, Student
from proofs_numeric.model.objectives import Quadratic
from proofs_numeric.model.oracles import LinearNoiseOracle
from proofs_numeric.model.streams import stream

LAWS = (Pareto(1.2), CentredPareto(1.2), Student(1.7), Gaussian(1.5))


@pytest.mark.parametrize("law", LAWS)
def test_bins_partition_the_law(law):
    """Probabilities sum to one, and each bin's probability is that of its interval, by the quantile map."""
    probability, low, high = BinnedNoise(law, 30, 8).bins
    assert probability.sum() == pytest.approx(1, abs=1e-15)
    assert (low <= high).all()
    t = 2.5
    certain, possible = ((np.maximum(low, -high) > t), (np.maximum(np.abs(low), np.abs(high)) > t))
    assert probability[certain].sum() <= float(law.tail(t)) + 1e-9
    assert probability[possible].sum() >= float(law.tail(t)) - 1e-9


@pytest.mark.parametrize("law", LAWS)
def test_intervals_enclose_the_mean_of_huge_batches(law):
    """At M = 10^18 the fluctuation is below 1e-7: every interval holds E psi(D + zeta) up to that."""
    (low, high), _ = BinnedNoise(law).estimates((np.full(20, 1.5),) * 2, 10**18, 9.0, stream("t", "huge"))
    mean = Projection(1, 1.5, law).aligned(9.0)
    assert (low - 1e-6 <= mean).all()
    assert (mean <= high + 1e-6).all()
    assert (high - low < 0.1).all()


@pytest.mark.parametrize("law", thinned(reversed(LAWS), 2))
def test_the_law_is_that_of_the_direct_estimator(law):
    """M = 3: the mean of F(g), for three bounded increasing F, brackets agree; each limit misses with 1e-9."""
    n, M, tau, slope = 2000, 3, 4.0, 0.7
    source = LinearNoiseOracle(Quadratic(1), Noise(law, "axis", 1))
    direct = estimate(source, repeat(np.array([[slope]]), n), 0.1, M, tau, stream("t", "direct"))[:, 0]
    (low, high), _ = BinnedNoise(law).estimates((np.full(n, slope),) * 2, M, tau, stream("t", "binned"))
    for squash in (
        lambda g: (clip(g, 1.0) + 1) / 2,
        lambda g: (g > 1.0) * 1.0,
        lambda g: (clip(g, tau) + tau) / (2 * tau),
    ):
        exact = betting_limits(squash(direct), 1e-9)
        least, most = betting_limits(squash(low), 1e-9), betting_limits(squash(high), 1e-9)
        assert least[0] <= exact[1]
        assert most[1] >= exact[0]
    assert np.mean(high - low) < 0.1


def test_monotone_in_the_slope_under_the_same_noise():
    at_low, at_high = BinnedNoise(Pareto(1.5)).estimates((np.zeros(5), np.ones(5)), 100, 3.0, stream("t", "two"))
    assert (at_low[0] <= at_high[0]).all()
    assert (at_high[1] - at_low[1] <= 1 + 1e-9).all()


def test_a_batch_beyond_64_bits_is_refused():
    with pytest.raises(ValueError, match="64-bit"):
        BinnedNoise(Pareto(1.5)).counts(10**19, 1, stream("t", "big"))
