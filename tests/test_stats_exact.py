"""The decision rules against what they are to compute: transcriptions, brute force, 40 digits, levels one by one.

Calibration tells a rule at twice its level from an honest one; it cannot see a rank off by one or a limit rounded the
wrong way. These tests can: every number is compared with one from another source.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limits import betting_limits, ranks, superuniform_rejected, uniform_rejected
from scipy import optimize, special, stats

from boundcheck.verdict import Status
from proofs_numeric.campaigns import results
from proofs_numeric.stats import binomial
from proofs_numeric.stats.bounded_mean import GRID, Mean
from proofs_numeric.stats.budget import FALSE_BOUND, FALSE_REFUTATION, Levels, levels
from proofs_numeric.stats.decision import Design, Judgement, add, judge, must_confirm, plan
from proofs_numeric.stats.decision_rules import Exceedance, Outcome, Row
from proofs_numeric.stats.quantile import lower_rank, upper_rank
from proofs_numeric.stats.tail_curve import geometric_levels

LEVELS = st.sampled_from([0.05, 1e-3, 1e-6, 2.5e-10])


def below(N, q, k):
    """P(Bin(N, q) <= k), the sum of its terms at 40 digits."""
    with mpmath.workdps(40):
        q = mpmath.mpf(q)
        return mpmath.fsum(mpmath.binomial(N, j) * q**j * (1 - q) ** (N - j) for j in range(k + 1))


# Binomial: the ends, and which way a limit is rounded


@settings(deadline=None, max_examples=60)
@given(N=st.integers(1, 60), share=st.floats(0, 1), a=LEVELS)
def test_limits_are_rounded_to_the_safe_side_and_no_further(N, share, a):
    k = round(share * N)
    U, L = binomial.upper_limit(k, N, a), binomial.lower_limit(k, N, a)
    with mpmath.workdps(40):
        assert U <= 1 and L >= 0
        assert k == N or below(N, U, k) <= a < below(N, U * (1 - 3e-9), k) * (1 + 1e-12)
        assert k == 0 or 1 - below(N, L, k - 1) <= a
        assert k in (0, N) or L == 0 or 1 - below(N, L * (1 + 3e-9) + 3e-9 * (k > N // 2), k - 1) > a * (1 - 1e-12)


@settings(deadline=None, max_examples=40)
@given(N=st.integers(1, 60), share=st.floats(0, 1), power=st.sampled_from([0.5, 0.9, 0.99]))
def test_the_detectable_value_has_its_power_and_no_smaller_one_has(N, share, power):
    c = 1 + round(share * (N - 1))
    p1 = binomial.detectable(N, c, power)
    assert p1 <= 1
    with mpmath.workdps(40):
        assert 1 - below(N, p1, c - 1) >= power > (1 - below(N, p1 * (1 - 3e-9), c - 1)) * (1 - 1e-12)


def test_the_ends_of_the_binomial_rule():
    assert [binomial.tail_probability(5, 0.3, c) for c in (-1, 0, 6)] == [1.0, 1.0, 0.0]
    assert binomial.tail_probability(5, 0.3, 5) == pytest.approx(0.3**5)
    assert binomial.critical_count(3, 0.5, 0.126) == 3 and binomial.critical_count(3, 0.5, 0.124) == 4
    assert binomial.critical_count(7, 1.0, 0.05) == 8  # never: P(bad) <= 1 cannot be wrong
    assert binomial.critical_count(7, 0.0, 0.05) == 1
    assert binomial.critical_count_below(3, 0.5, 0.126) == 0 and binomial.critical_count_below(3, 0.5, 0.124) == -1
    assert binomial.critical_count_below(7, 0.0, 0.05) == -1
    assert binomial.detectable(7, 0, 0.99) == 0.0 and binomial.detectable(7, 8, 0.99) == math.inf
    assert binomial.upper_limit(7, 7, 0.05) == 1.0 and binomial.lower_limit(1, 1, 0.05) == pytest.approx(0.05)


@settings(deadline=None, max_examples=60)
@given(N=st.integers(1, 80), level=st.floats(0.02, 0.98), a=st.sampled_from([0.3, 0.05, 1e-3]))
def test_ranks_by_brute_force(N, level, a):
    """The smallest r with P(Bin >= r) <= a, and the largest with P(Bin <= r - 1) <= a."""
    over = [r for r in range(1, N + 1) if stats.binom.sf(r - 1, N, level) <= a]
    under = [r for r in range(1, N + 1) if stats.binom.cdf(r - 1, N, level) <= a]
    assert upper_rank(N, level, a) == (over[0] if over else None)
    assert lower_rank(N, level, a) == (under[-1] if under else None)


@pytest.mark.parametrize("r", [12, 20])
def test_a_tie_within_rounding_is_not_taken(r):
    """Levels half a guard above P(Bin(20, 1/2) >= r) do not buy the rank r or the count r; two guards above do."""
    exact = float(stats.binom.sf(r - 1, 20, 0.5))
    assert upper_rank(20, 0.5, exact * (1 + 5e-10)) == (r + 1 if r < 20 else None)
    assert upper_rank(20, 0.5, exact * (1 + 2e-9)) == r
    assert binomial.critical_count(20, 0.5, exact * (1 + 5e-10)) == r + 1
    assert binomial.critical_count(20, 0.5, exact * (1 + 2e-9)) == r


def test_the_first_rank_can_bound():
    assert upper_rank(5, 0.02, 0.3) == 1 and lower_rank(5, 0.98, 0.3) == 5


# Two stages


class Said:
    """A rule that keeps what it was asked, and whose tests decide by one number and detect what they are told."""

    def __init__(self, detect, upper, beside):
        self.asked, self.detect, self.upper, self.beside = [], detect, upper, beside

    def test(self, trials, reject, confidence):
        self.asked.append((trials, reject, confidence))
        return Stage(self, len(self.asked) - 1)


class Stage:
    def __init__(self, rule, number):
        self.rule, self.number = rule, number

    def decide(self, total, trials):
        rows = (Row(1.0, 0.5, 0.0, 0.0, 0.0), Row(2.0, 0.1, total[0] / trials, 0.0, self.rule.upper))
        return Outcome(total[0] > (10, 20)[self.number], 1, int(total[0]), rows)

    def detectable(self, trials, row):
        return self.rule.detect(self.number, trials) if row == 1 else self.rule.beside


def staged(detect=lambda number, trials: 0.2, upper=0.2, beside=0.5):
    rule = Said(detect, upper, beside)
    return rule, plan(rule, 100, Levels(1e-3, 1e-9, 1e-6))


def test_each_stage_is_planned_at_its_own_level():
    rule, p = staged()
    assert rule.asked == [(100, 1e-3, 1e-6), (400, 1e-9, 1e-6)]
    assert p.trials == (100, 400)


def test_stage_one_screens_and_stage_two_refutes():
    """15 passes the screen (> 10) and not the confirmation (> 20); fewer trials than planned never confirm."""
    _, p = staged()
    assert must_confirm(p, ([15], 100)) and not must_confirm(p, ([10], 100)) and not must_confirm(p, ([15], 99))
    one = ([15], 100)
    waiting = judge(p, one, None)
    assert (waiting.status, waiting.trials, waiting.partial) == (Status.UNDERPOWERED, 100, True)
    refuted, acquitted = judge(p, one, ([21], 400)), judge(p, one, ([20], 400))
    assert (refuted.status, refuted.trials, refuted.outcome.bad) == (Status.REFUTED_STAT, 400, 21)
    assert (acquitted.status, acquitted.partial, acquitted.outcome.bad) == (Status.CONSISTENT, False, 20)
    assert refuted.partial is False and judge(p, ([0], 99), None).partial is True
    nothing = judge(p, ([], 0), None)
    assert nothing == type(nothing)(Status.UNDERPOWERED, None, 0, math.inf, True, "no trial was run")


def test_the_detectable_value_is_that_of_the_stages_still_to_come():
    """After stage one: the larger of both, the first at the trials done. After stage two: its own, at its trials."""
    seen = []

    def detect(number, trials):
        seen.append((number, trials))
        return (0.3, 0.05)[number]

    _, p = staged(detect)
    assert judge(p, ([0], 60), None).detectable == 0.3 and seen == [(0, 60), (1, 400)]
    seen.clear()
    assert judge(p, ([15], 100), ([0], 90)).detectable == 0.05 and seen == [(1, 90)]


@pytest.mark.parametrize(("ratio", "status"), [(2.0, Status.CONSISTENT), (2.0000001, Status.UNDERPOWERED)])
def test_consistent_reaches_to_twice_the_claim_of_the_shown_row(ratio, status):
    _, p = staged(lambda number, trials: 0.1 * ratio)
    assert judge(p, ([0], 100), None).status is status


@pytest.mark.parametrize(("beside", "status"), [(1.0, Status.CONSISTENT), (1.0000001, Status.UNDERPOWERED)])
def test_consistent_reaches_to_twice_the_claim_of_every_row(beside, status):
    assert judge(staged(beside=beside)[1], ([0], 100), None).status is status


@pytest.mark.parametrize(("upper", "status"), [(0.2, Status.CONSISTENT), (0.2000001, Status.UNDERPOWERED)])
def test_consistent_needs_an_upper_limit_within_twice_the_claim(upper, status):
    said = judge(staged(upper=upper)[1], ([0], 100), None)
    assert said.status is status and bool(said.missing) == (status is Status.UNDERPOWERED)


def test_counts_stay_integers_of_any_size():
    assert add([[2**60, 1], [1, 1]]) == [2**60 + 1, 2]
    assert isinstance(add([[1], [2]])[0], int) and isinstance(add([[1.0], [2.0]])[0], float)


def test_one_cell_has_the_whole_budget():
    whole = levels(1)
    assert (whole.reject, whole.confidence, whole.screen) == (FALSE_REFUTATION, FALSE_BOUND / 2, 1e-3)
    assert isinstance(plan(Exceedance((1.0,), (0.1,)), 5, whole), Design)


# Exceedances: shares of the level, both sides, every row


@pytest.mark.parametrize(
    ("options", "sides"),
    [({}, 1), ({"exact": True}, 2), ({"floors": (0.1, 0.2)}, 2)],
    ids=["above", "exact", "floors"],
)
def test_the_level_is_shared_by_rows_and_sides(options, sides):
    test = Exceedance((1.0, 2.0), (0.3, 0.4), **options).test(100, 1e-2, 1e-3)
    assert test.reject == pytest.approx(1e-2 / 2 / sides) and test.confidence == pytest.approx(1e-3 / 2 / 2)


def test_all_limits_that_are_printed_of_a_cell_share_its_level():
    """Two for each threshold, and two for the quantile where a ladder is watched."""
    N, a, asked = 10_000, 1e-3, []
    for watch in ((), (0.25, 0.5)):
        test = Exceedance((1.0,), (0.1,), watch=watch).test(N, 1e-2, a)
        spent = 2 * test.confidence
        if watch:
            outcome = test.decide([900, 5000, 3000], N)
            judged = Judgement(Status.CONSISTENT, outcome, N, 0.1, False)
            with pytest.MonkeyPatch.context() as patch:
                for rank in ("upper_rank", "lower_rank"):
                    patch.setattr(results, rank, lambda trials, level, share: asked.append(share))
                results.quantile_bracket(SimpleNamespace(judgement=judged), a)
            spent += sum(asked)
        assert spent == pytest.approx(a)
    assert len(asked) == 2


@pytest.mark.parametrize("options", [{"exact": True}, {"floors": (0.2, 0.3)}, {}], ids=["exact", "floors", "above"])
def test_every_row_rejects_at_its_critical_count_and_not_before(options):
    N, levels_ = 1000, (0.3, 0.4)
    test = Exceedance((1.0, 2.0), levels_, watch=(0.0,), **options).test(N, 1e-2, 1e-3)
    least = levels_ if options.get("exact") else options.get("floors")
    calm = [300, 400, 0]
    assert not test.decide(calm, N).rejected
    for j in (0, 1):
        ends = [(binomial.critical_count(N, levels_[j], test.reject), -1)]
        if least:
            ends.append((binomial.critical_count_below(N, least[j], test.reject), 1))
        for k, inward in ends:
            counts = list(calm)
            counts[j] = k
            assert test.decide(counts, N).rejected
            counts[j] = k + inward
            assert not test.decide(counts, N).rejected
    if not least:
        assert not test.decide([0, 0, 0], N).rejected


def test_rows_say_what_was_seen_and_the_loosest_is_shown():
    test = Exceedance((1.0, 2.0, 3.0), (0.5, 0.01, 0.2)).test(1000, 1e-3, 1e-2)
    outcome = test.decide([450, 12, 100], 1000)
    assert [(r.threshold, r.claimed, r.observed) for r in outcome.rows] == [
        (1.0, 0.5, 0.45),
        (2.0, 0.01, 0.012),
        (3.0, 0.2, 0.1),
    ]
    assert (outcome.shown, outcome.bad) == (1, 12)
    for row, k in zip(outcome.rows, (450, 12, 100), strict=True):
        assert row.upper == binomial.upper_limit(k, 1000, test.confidence)
        assert row.lower == binomial.lower_limit(k, 1000, test.confidence)
    never = Exceedance((1.0, 2.0), (0.9, 0.0)).test(1000, 1e-3, 1e-2).decide([900, 0], 1000)
    assert never.shown == 1  # whatever limit is above a claim of 0
    c = binomial.critical_count(1000, 0.01, test.reject)
    assert test.detectable(1000, 1) == binomial.detectable(1000, c, math.sqrt(0.99))


@pytest.mark.parametrize("options", [{"floors": (0.1,), "exact": True}, {"floors": (0.1, 0.2)}])
def test_floors_must_fit(options):
    with pytest.raises(ValueError, match="floors"):
        Exceedance((1.0,), (0.3,), **options)


# Means, on an interval that is neither [0, 1] nor centred


LOW, HIGH, CLAIM, CENTRE, VARIANCE, N = -2.0, 3.0, 0.4, 0.1, 0.7, 400
WIDTH = HIGH - LOW


def bet(a, unit, side):
    """On the scale [0, 1]: sqrt(2 ln(1/a)/(N s^2)) with s^2 the variance there, capped so that factors stay >= 1/2."""
    return min(math.sqrt(2 * math.log(1 / a) / (N * VARIANCE / WIDTH**2)), 0.5 / (unit if side > 0 else 1 - unit))


def capital(values, a, m, side):
    unit = (m - LOW) / WIDTH
    return sum(math.log(1 + side * bet(a, unit, side) * ((v - LOW) / WIDTH - unit)) for v in values)


def others(unit, side):
    """The bets of the range alone: at most 0.95 of what could lose all."""
    if side > 0:
        return [min(lam, 0.95 / unit) for lam in (0.25, 1.0, 4.0)]
    return [share / (1 - unit) for share in (0.95, 0.5)]


def stake(values, a, m, side):
    """Log of the whole capital: half of the stake on the predicted bet, half divided over those of the range."""
    unit = (m - LOW) / WIDTH
    bets = [(0.5, bet(a, unit, side))] + [(0.5 / len(others(unit, side)), lam) for lam in others(unit, side)]
    logs = [[math.log(1 + side * lam * ((v - LOW) / WIDTH - unit)) for v in values] for _, lam in bets]
    return math.log(sum(w * math.exp(sum(log)) for (w, _), log in zip(bets, logs, strict=True)))


@pytest.mark.parametrize(("exact", "sides"), [(False, 1), (True, 2)])
def test_the_mean_is_decided_by_the_capitals_as_written(exact, sides):
    test = Mean(CLAIM, LOW, HIGH, CENTRE, VARIANCE, exact).test(N, 1e-2, 1e-3)
    a, c = 1e-2 / sides, 1e-3 / 2
    assert (test.reject, test.confidence) == (pytest.approx(a), pytest.approx(c))
    values = np.random.default_rng(5).uniform(-1.5, 1.9, N)
    total = test.summary(values)
    wanted, grids = [values.sum(), capital(values, a, CLAIM, 1), capital(values, a, CLAIM, -1)], {}
    for side in (1, -1):
        lam = bet(c, (CENTRE - LOW) / WIDTH, -side)
        reach = math.log(1 / c) / (N * lam) + lam * VARIANCE / WIDTH**2 / 2
        grids[side] = np.clip([CENTRE + side * WIDTH * reach * t for t in GRID], LOW, HIGH)
        wanted += [capital(values, c, m, -side) for m in grids[side]]
    assert np.allclose(total[: len(wanted)], wanted, rtol=1e-9, atol=1e-9)
    rungs = [k * CLAIM for k in (1.25, 1.5, 2, 4)]  # those inside the range
    assert len(total) == len(wanted) + 3 + 2 + 3 * len(rungs)
    row = test.decide(total, N).rows[0]
    need = math.log(2 / c)
    uppers = [m for m in grids[1] if capital(values, c, m, -1) >= need]
    uppers += [m for m in rungs if stake(values, c, m, -1) >= math.log(1 / c)]
    assert row.upper == pytest.approx(min(uppers))
    assert row.lower == pytest.approx(max(m for m in grids[-1] if capital(values, c, m, 1) >= need))
    assert (row.threshold, row.claimed, row.observed) == (CLAIM, CLAIM, pytest.approx(values.mean()))
    assert LOW < row.lower < row.observed < row.upper < HIGH


@pytest.mark.parametrize("shift", [0.0, 0.35, 0.4, 0.5])
def test_the_whole_stake_decides(shift):
    """The sums over all bets, recomputed: rejected where, and only where, their capital is 1/a."""
    values = np.clip(np.random.default_rng(6).uniform(-1.5, 1.9, N) + shift, LOW, HIGH)
    test = Mean(CLAIM, LOW, HIGH, CENTRE, VARIANCE).test(N, 1e-2, 1e-3)
    assert test.decide(test.summary(values), N).rejected == (stake(values, 1e-2, CLAIM, 1) >= math.log(100))


def test_the_mean_rejects_at_its_level_on_the_sides_that_are_claimed():
    for exact, share in ((False, 1), (True, 2)):
        test = Mean(CLAIM, LOW, HIGH, CENTRE, VARIANCE, exact).test(N, 1e-2, 1e-3)
        need = math.log(2 * share / 1e-2)  # half of the stake is on the predicted bet
        calm = [-math.inf] * (len(test.summary(np.zeros(2))) - 3)
        for above, below_, rejected in (
            (need + 1e-9, 0, True),
            (need - 1e-9, 0, False),
            (0, need + 1e-9, exact),
            (0, need - 1e-9, False),
        ):
            outcome = test.decide([0.0, above, below_, *calm], N)
            assert (outcome.rejected, outcome.shown, outcome.bad) == (rejected, 0, None)
            assert (outcome.rows[0].lower, outcome.rows[0].upper) == (LOW, HIGH)


@pytest.mark.parametrize("variance", [1e-6, 0.7, 1e6])
def test_the_detectable_mean_is_detected_whatever_the_law_of_the_range(variance):
    """The two ends alone are the worst law; constants and spread laws of that mean are rejected as well."""
    test = Mean(CLAIM, LOW, HIGH, CENTRE, variance).test(N, 1e-2, 1e-3)
    found = test.detectable(N, 0)
    assert CLAIM < found < HIGH
    rng, p = np.random.default_rng(9), (found - LOW) / WIDTH
    ends = np.where(rng.random((200, N)) < p, HIGH, LOW)
    spread = LOW + WIDTH * rng.beta(2 * p, 2 * (1 - p), (200, N))
    for x in (ends, spread, np.full((1, N), found)):
        missed = sum(not test.decide(test.summary(row), N).rejected for row in x)
        assert missed < binomial.critical_count(len(x), 1 - math.sqrt(0.99), 1e-6)
    assert test.detectable(N // 8, 0) > found


@pytest.mark.parametrize("variance", [1e-9, 1e9])
def test_caps_keep_every_factor_at_one_half_or_more(variance):
    for side, m in ((1, 0.3), (-1, 0.3), (1, 1.0), (-1, 0.0)):
        test = Mean(0.5, 0.0, 1.0, 0.5, variance).test(100, 1e-3, 1e-3)
        factors = [1 + side * test._bet(1e-3, m, side) * (x - m) for x in (0.0, 1.0)]
        assert min(factors) >= 0.5 - 1e-12
        assert variance > 1 or min(factors) == pytest.approx(0.5)


@pytest.mark.parametrize("value", [HIGH + 6e-9, LOW - 6e-9])
def test_only_rounding_may_leave_the_range(value):
    test = Mean(CLAIM, LOW, HIGH, CENTRE, VARIANCE).test(2, 1e-2, 1e-3)
    assert test.decide(test.summary(np.array([0.0, value])), 2).rejected
    inside = test.summary(np.array([0.0, LOW - 4e-9 if value < 0 else HIGH + 4e-9]))
    assert np.isfinite(inside).all() and inside[1:] == test.summary(np.array([0.0, LOW if value < 0 else HIGH]))[1:]


@pytest.mark.parametrize("arguments", [(1.0, 1.0, 1.0, 1.0, 0.1), (0.5, 0.0, 1.0, 0.5, -1.0)])
def test_an_interval_without_width_is_refused(arguments):
    with pytest.raises(ValueError, match="bounded mean"):
        Mean(*arguments)
    assert Mean(0.0, 0.0, 1.0, 0.5, 0.1).claimed == 0.0


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 2**32), n=st.integers(1, 120), a=st.sampled_from([0.05, 1e-3]))
def test_adaptive_limits_are_the_formula(seed, n, a):
    """The root of sum log(1 + lam_i (m - X_i)) = ln(1/a), lam_i from the values before X_i only."""
    x = np.random.default_rng(seed).beta(0.4, 1.5, n)

    def upper(x):
        bets, total, squares = [], 0.5, 0.25
        for i, v in enumerate(x):
            bets.append(math.sqrt(2 * math.log(1 / a) / (len(x) * squares / (i + 1))))
            total += v
            squares += (v - total / (i + 2)) ** 2

        def lack(m):
            cap = 0.5 / (1 - m) if m < 1 else math.inf
            return sum(math.log(1 + min(lam, cap) * (m - v)) for lam, v in zip(bets, x, strict=True)) - math.log(1 / a)

        return 1.0 if lack(1.0) < 0 else optimize.brentq(lack, 0.0, 1.0, xtol=1e-13)

    low, high = betting_limits(x, a)
    assert high == pytest.approx(upper(x), abs=2e-12) and low == pytest.approx(1 - upper(1 - x), abs=2e-12)


# Tail curves


@pytest.mark.parametrize("N", [1, 2, 16, 100])
def test_each_rank_has_its_own_limit(N):
    """U_(i) just below the a/J quantile of Beta(i, N - i + 1) rejects, just above it does not."""
    a, J = 0.01, len(ranks(N))
    for i in ranks(N):
        edge = float(stats.beta.ppf(a / J, i, N - i + 1))
        for factor, rejected in ((1 - 1e-6, True), (1 + 1e-6, False)):
            u = np.ones(N)
            u[:i] = edge * factor  # ranks below i have lower limits
            alone = np.where(np.arange(N) < i, edge * factor, 1.0)
            assert special.betainc(i, N - i + 1, edge) == pytest.approx(a / J)
            assert superuniform_rejected(u, a) == rejected == superuniform_rejected(alone[::-1], a)


def test_both_ends_share_the_level():
    for u in (lambda x: x, lambda x: 1 - x):
        assert uniform_rejected(np.array([u(0.0249)]), 0.05) and not uniform_rejected(np.array([u(0.0251)]), 0.05)


def test_the_ladder_of_levels():
    assert geometric_levels(50).tolist() == [0.9]
    N = 10_000
    wanted = [0.9 * 2 ** (-j / 2) for j in range(100) if N * 0.9 * 2 ** (-j / 2) >= 64]
    assert np.allclose(geometric_levels(N), wanted) and len(wanted) == 15
