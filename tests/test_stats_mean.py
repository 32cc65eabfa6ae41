"""Betting limits: coverage on least favourable laws, power of fixed bets, chunks that add up, broken assumptions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limits import betting_limits

from proofs_numeric.model.streams import stream
from proofs_numeric.stats import binomial
from proofs_numeric.stats.bounded_mean import Mean
from proofs_numeric.stats.decision import add

ALLOWED = binomial.critical_count(2000, 0.05, 1e-6) - 1  #: misses of a 5 % rule in 2000; more has probability 1e-6


def clipped_pareto(rng, shape, tau=20.0):
    """min(Z, tau)/tau for a Pareto(1.5) norm Z, its mean and its variance."""
    x = np.minimum(np.exp(rng.standard_exponential(shape) / 1.5), tau) / tau
    first = (1 + (1 - tau**-0.5) / 0.5) / tau
    second = (1 + 2 * (tau**0.5 - 1) / 0.5) / tau**2
    return x, first, second - first**2


def bernoulli(rng, shape, m=0.03):
    return (rng.uniform(size=shape) < m).astype(float), m, m * (1 - m)


LAWS = {"pareto": clipped_pareto, "bernoulli": bernoulli, "fair": lambda r, s: bernoulli(r, s, 0.5)}


@pytest.mark.thorough
@pytest.mark.parametrize("law", LAWS)
def test_calibration_of_the_adaptive_limits(law):
    x, mean, _ = LAWS[law](stream("t", f"bet{law}"), (2000, 100))
    limits = np.array([betting_limits(row, 0.05) for row in x])
    assert (limits[:, 0] > mean).sum() <= ALLOWED
    assert (limits[:, 1] < mean).sum() <= ALLOWED


@pytest.mark.thorough
@pytest.mark.parametrize("law", LAWS)
def test_calibration_of_the_fixed_bets(law):
    """E X = claimed exactly: rejected in at most 5 % of 2000 repetitions, one-sided and two-sided; limits cover."""
    x, mean, variance = LAWS[law](stream("t", f"fixed{law}"), (2000, 100))
    for exact in (False, True) if law == "bernoulli" else (True,):
        test = Mean(mean, 0.0, 1.0, mean, variance, exact).test(100, 0.05, 0.1)
        outcomes = [test.decide(test.summary(row), 100) for row in x]
        assert sum(o.rejected for o in outcomes) <= ALLOWED
    assert sum(o.rows[0].upper < mean for o in outcomes) <= ALLOWED
    assert sum(o.rows[0].lower > mean for o in outcomes) <= ALLOWED


def test_a_wrong_variance_costs_power_not_validity():
    x, mean, variance = clipped_pareto(stream("t", "guess"), (2000, 100))
    test = Mean(mean, 0.0, 1.0, mean, 0.01 * variance, True).test(100, 0.05, 0.1)
    assert sum(test.decide(test.summary(row), 100).rejected for row in x) <= ALLOWED


def test_power_is_at_least_as_promised():
    """At the detectable mean the one-sided test rejects at least as often as it says (sqrt(0.99))."""
    mean, variance, n = 0.1, 0.09, 2000
    test = Mean(mean, 0.0, 1.0, mean, variance).test(n, 1e-6, 1e-3)
    p = test.detectable(n, 0)
    x = (stream("t", "power").uniform(size=(100, n)) < p).astype(float)
    hits = sum(test.decide(test.summary(row), n).rejected for row in x)
    assert hits > 100 - binomial.critical_count(100, 0.05, 1e-9)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32), cut=st.integers(1, 199))
def test_chunks_add_up_to_the_whole(seed, cut):
    x, mean, variance = clipped_pareto(stream("t", "chunks", seed=seed), 200)
    test = Mean(mean, 0.0, 1.0, mean, variance, True).test(200, 1e-3, 1e-3)
    parts = add([test.summary(x[:cut]), test.summary(x[cut:])])
    assert np.allclose(parts, test.summary(x), rtol=1e-12, atol=1e-12)


def test_limits_agree_with_hoeffding_in_order_of_magnitude():
    """A fair coin: betting is no wider than Hoeffding's interval of the same level, and not absurdly narrow."""
    x, _, _ = bernoulli(stream("t", "coin"), 4000, 0.5)
    low, high = betting_limits(x, 0.025)
    hoeffding = math.sqrt(math.log(1 / 0.025) / (2 * 4000))
    assert hoeffding / 2 <= (high - low) / 2 <= hoeffding * 1.2


@pytest.mark.parametrize("x", [[], [0.5, 1.5], [-0.1]])
def test_values_outside_the_unit_interval_are_refused(x):
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        betting_limits(np.array(x), 0.05)


def test_nan_raises():
    with pytest.raises(FloatingPointError, match="NaN"):
        betting_limits(np.array([0.5, np.nan]), 0.05)


def test_an_empty_set_is_a_broken_assumption():
    """Sums that exclude every mean, from above and from below, are no answer."""
    test = Mean(0.5, 0.0, 1.0, 0.5, 0.25, True).test(1000, 1e-6, 1e-3)
    with pytest.raises(ArithmeticError, match="empty"):
        test.decide([500.0, 0.0, 0.0] + [math.inf] * (len(test.summary(np.full(2, 0.5))) - 3), 1000)


def test_a_value_outside_the_claimed_range_refutes():
    test = Mean(0.5, 0.0, 1.0, 0.5, 0.25, True).test(10, 1e-6, 1e-3)
    assert test.decide(test.summary(np.array([0.5] * 9 + [1.1])), 10).rejected


def test_impossible_rules_are_refused():
    for arguments in ((0.5, 1.0, 0.0, 0.5, 0.1), (-1.0, 0.0, 1.0, 0.5, 0.1), (0.5, 0.0, 1.0, 0.5, 0.0)):
        with pytest.raises(ValueError, match="bounded mean"):
            Mean(*arguments)
