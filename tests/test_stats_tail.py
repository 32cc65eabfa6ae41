"""Tail curves and exceedances: level, power, chunks, and agreement of the two forms of the rule."""

from __future__ import annotations

import numpy as np
import pytest
from limits import ranks, superuniform_rejected, uniform_rejected

from proofs_numeric.model.streams import stream
from proofs_numeric.stats import binomial
from proofs_numeric.stats.decision import add
from proofs_numeric.stats.decision_rules import Exceedance
from proofs_numeric.stats.tail_curve import geometric_levels

ALLOWED = binomial.critical_count(2000, 0.05, 1e-6) - 1  #: misses of a 5 % rule in 2000; more has probability 1e-6


def test_calibration_of_the_order_statistic_rule():
    """Uniform values are the least favourable super-uniform ones."""
    u = stream("t", "curve").uniform(size=(2000, 500))
    assert sum(superuniform_rejected(row, 0.05) for row in u) <= ALLOWED
    assert sum(uniform_rejected(row, 0.05) for row in u) <= ALLOWED


@pytest.mark.thorough
def test_calibration_of_exceedance_counts():
    u = stream("t", "counts").uniform(size=(2000, 2000))
    levels = tuple(geometric_levels(2000))
    thresholds = tuple(1 - level for level in levels)
    for exact in (False, True):
        test = Exceedance(thresholds, levels, exact).test(2000, 0.05, 0.1)
        outcomes = [test.decide(test.summary(row), 2000) for row in u]
        assert sum(o.rejected for o in outcomes) <= ALLOWED
    missed = sum(any(not r.lower <= r.claimed <= r.upper for r in o.rows) for o in outcomes)
    assert missed <= binomial.critical_count(2000, 0.1, 1e-6) - 1


def test_power_far_out():
    """A tail 1.31 times too heavy at level 1e-3 is seen with a million values, as the rule's design says."""
    u = stream("t", "heavy").uniform(size=10**6)
    heavy = np.where(u < 1.45e-3, u / 1.45, u)
    assert superuniform_rejected(heavy, 1e-6)
    assert not superuniform_rejected(u, 1e-6)


def test_small_values_and_large_values_are_told_apart():
    u = stream("t", "side").uniform(size=5000)
    light = u ** (1 / 1.3)  # stochastically larger: super-uniform, but not uniform
    assert not superuniform_rejected(light, 1e-6)
    assert uniform_rejected(light, 1e-6)


def test_ranks_are_distinct_and_reach_the_ends():
    assert ranks(10) == [1, 2, 3, 4, 5, 6, 8, 9]
    assert ranks(1) == [1]
    assert all(np.diff(ranks(10**6)) > 0)


def test_every_level_of_the_ladder_can_detect_twice_its_claim():
    N = 1 << 17
    levels = geometric_levels(N)
    test = Exceedance(tuple(range(len(levels))), tuple(levels)).test(N, 1e-3, 1e-6)
    assert all(test.detectable(N, j) <= 2 * level for j, level in enumerate(levels))


def test_counts_add_up_and_watched_thresholds_decide_nothing():
    x = stream("t", "watch").uniform(size=1000)
    rule = Exceedance((0.9, 0.5), (0.2, 0.6), watch=(0.1,))
    test = rule.test(1000, 1e-3, 1e-3)
    total = add([test.summary(x[:300]), test.summary(x[300:])])
    assert total == test.summary(x) == [int((x > t).sum()) for t in (0.9, 0.5, 0.1)]
    outcome = test.decide(total, 1000)
    assert not outcome.rejected
    assert outcome.watched == ((0.1, total[2]),)


def test_values_at_a_threshold_do_not_exceed_it():
    test = Exceedance((1.0,), (0.5,)).test(4, 1e-3, 1e-3)
    assert test.summary(np.array([1.0, 1.0, np.nextafter(1.0, 2), np.inf])) == [2]


@pytest.mark.parametrize(
    ("thresholds", "levels"), [((), ()), ((1.0,), (0.1, 0.2)), ((np.inf,), (0.1,)), ((1.0,), (-0.1,))]
)
def test_malformed_rules_are_refused(thresholds, levels):
    with pytest.raises(ValueError, match="threshold"):
        Exceedance(thresholds, levels)


def test_nan_raises():
    with pytest.raises(FloatingPointError, match="NaN"):
        Exceedance((1.0,), (0.5,)).test(2, 1e-3, 1e-3).summary(np.array([0.0, np.nan]))
    with pytest.raises(FloatingPointError, match="NaN"):
        superuniform_rejected(np.array([0.5, np.nan]), 0.05)
