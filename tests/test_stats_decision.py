"""Two stages, one verdict: words that say no more than the numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from boundcheck.verdict import Status
from proofs_numeric.model.streams import stream
from proofs_numeric.stats import binomial
from proofs_numeric.stats.bounded_mean import Mean
from proofs_numeric.stats.budget import Levels
from proofs_numeric.stats.decision import add, judge, must_confirm, plan
from proofs_numeric.stats.decision_rules import Exceedance
from proofs_numeric.stats.heavy_mean import HeavyMean

LEVELS = Levels(1e-3, 1e-9, 1e-6)


def make(q=0.1, trials=2000):
    return plan(Exceedance((1.0,), (q,)), trials, LEVELS)


def test_both_stages_must_reject():
    p = make()
    assert p.trials == (2000, 8000)
    assert must_confirm(p, ([400], 2000))
    assert judge(p, ([400], 2000), ([1600], 8000)).status is Status.REFUTED_STAT
    acquitted = judge(p, ([400], 2000), ([800], 8000))
    assert acquitted.status is Status.CONSISTENT
    assert acquitted.trials == 8000
    assert not must_confirm(p, ([200], 2000))
    assert judge(p, ([200], 2000), None).status is Status.CONSISTENT


def test_few_trials_are_underpowered():
    j = judge(make(1e-4, 100), ([0], 100), None)
    assert j.status is Status.UNDERPOWERED
    assert not j.partial
    assert j.detectable > 2e-4


def test_an_unfinished_stage_is_partial_and_no_pass():
    p = make()
    for one, two in (
        (([10], 100), None),
        (([400], 2000), None),
        (([400], 2000), ([5], 50)),
        (([400], 2000), ([50], 50)),
    ):
        j = judge(p, one, two)
        assert j.partial
        assert j.status is Status.UNDERPOWERED
    nothing = judge(p, ([], 0), None)
    assert (nothing.trials, nothing.outcome, nothing.detectable) == (0, None, math.inf)


def test_every_threshold_needs_its_power():
    """Of 20 expected events none came: the limit is low, and yet three times as many could have gone unseen."""
    p = plan(Exceedance((1.0, 2.0), (0.1, 0.001)), 20_000, LEVELS)
    j = judge(p, ([2000, 0], 20_000), None)
    assert j.outcome.shown == 0 and j.detectable < 0.2
    assert j.status is Status.UNDERPOWERED and "above twice the claim 0.001" in j.missing
    enough = plan(Exceedance((1.0, 2.0), (0.1, 0.01)), 20_000, LEVELS)
    assert judge(enough, ([2000, 200], 20_000), None).status is Status.CONSISTENT


def test_an_unfinished_screen_never_calls_stage_two():
    assert not must_confirm(make(), ([100], 100))


def test_the_detectable_value_is_rejected_by_both_stages():
    """P(both stages reject) at the printed value is at least 0.99."""
    p = make()
    value = judge(p, ([200], 2000), None).detectable
    power = 1.0
    for trials, level in zip(p.trials, (LEVELS.screen, LEVELS.reject), strict=True):
        power *= binomial.tail_probability(trials, value, binomial.critical_count(trials, 0.1, level))
    assert power >= 0.99


def test_calibration_of_the_two_stages_together():
    """A true claim at its boundary, both levels at 0.05: REFUTED-STAT in at most 5 % of 2000 repetitions."""
    p = plan(Exceedance((1.0,), (0.1,)), 500, Levels(0.05, 0.05, 0.01))
    rng = stream("t", "stages")
    one, two = rng.binomial(500, 0.1, 2000), rng.binomial(2000, 0.1, 2000)
    refuted = 0
    for k1, k2 in zip(one, two, strict=True):
        first = ([int(k1)], 500)
        refuted += judge(p, first, ([int(k2)], 2000) if must_confirm(p, first) else None).status is Status.REFUTED_STAT
    assert refuted <= binomial.critical_count(2000, 0.05, 1e-6) - 1


def test_looking_after_each_chunk_refutes_no_oftener():
    """The same at a level of 0.05 with a look after each of 10 chunks of stage two: one look in the list is enough."""
    p = plan(Exceedance((1.0,), (0.1,)), 1000, Levels(0.9, 0.05, 0.01))
    rng = stream("t", "looks")
    looks = rng.binomial(400, 0.1, (200, 10)).cumsum(axis=1)
    first = ([150], 1000)
    assert must_confirm(p, first)
    refuted = sum(
        any(judge(p, first, ([int(k)], 400 * (j + 1))).status is Status.REFUTED_STAT for j, k in enumerate(row))
        for row in looks
    )
    assert refuted <= binomial.critical_count(200, 0.05, 1e-6) - 1


def test_a_second_stage_that_was_not_called_for_refutes_nothing():
    assert judge(make(), ([200], 2000), ([1600], 8000)).status is not Status.REFUTED_STAT


def test_summaries_add_exactly():
    assert add([[1, 2], [3, 4]]) == [4, 6]
    assert add([[0.1, 1.0]] * 10) == [1.0, 10.0]
    with pytest.raises(ValueError, match=r"shorter|longer"):
        add([[1], [1, 2]])


RANGES = [(0.6, 0.0, 1.0), (0.5, 0.0, 1.0), (5.0, -10.0, 10.0)]  #: of at most twice the claim


@pytest.mark.parametrize(("claimed", "low", "high"), RANGES)
@pytest.mark.parametrize("trials", [1, 5])
def test_the_end_of_a_range_is_no_news(claimed, low, high, trials):
    """That a mean is at most twice the claim the range tells alone: some draws show nothing, many do."""

    def judged(values):
        designed = plan(Mean(claimed, low, high, claimed, (high - low) ** 2 / 12), len(values), LEVELS)
        return judge(designed, (designed.tests[0].summary(values), len(values)), None)

    found = judged(np.full(trials, high))
    assert found.status is Status.UNDERPOWERED and "end" in found.missing
    found = judged(low + (claimed - low) * np.random.default_rng(1).random(1 << 14))
    assert found.status is Status.CONSISTENT and found.outcome.rows[0].upper < high


def test_a_range_may_give_the_claim():
    designed = plan(Mean(1.0, 0.0, 1.0, 0.5, 0.1), 1, LEVELS)
    assert judge(designed, (designed.tests[0].summary(np.ones(1)), 1), None).status is Status.CONSISTENT


@pytest.mark.parametrize(("p", "moment"), [(1.5, 1.89e-321), (1.0001, 3e-307), (2.0, 5e-324)])
def test_a_bet_that_no_double_holds_is_refused(p: float, moment: float):
    """An infinite bet reached any evidence with one value that is not the claim."""
    with pytest.raises(ValueError, match="choose another unit"):
        plan(HeavyMean(3e-215, p, moment, 3e-215, proved="here", exact=True), 1, LEVELS)
    small = HeavyMean(3e-100, 2.0, 1e-200, 3e-100, proved="here", exact=True)
    designed = plan(small, 1, LEVELS)
    one, two = (([*test.summary(np.zeros(1))], 1) for test in designed.tests)
    assert judge(designed, one, two).status is Status.UNDERPOWERED
