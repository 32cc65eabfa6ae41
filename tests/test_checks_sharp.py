"""Cells of the sharper statements: bounds are the catalogue's, linear in d; what is planted is below the truth."""

import itertools
import math

import numpy as np
import pytest

from boundcheck.app.reporting.plans import deviation
from boundcheck.paper import values
from proofs_numeric.checks.clipping import bias_rule
from proofs_numeric.checks.deviation import Batch
from proofs_numeric.checks.places import Setting
from proofs_numeric.checks.prescribed import RUNS
from proofs_numeric.checks.sharp import (
    LINEAR,
    RHO,
    WHOLE,
    bernstein_rule,
    comparison,
    draw_deviation,
    draw_whole_batch,
    moment_rule,
)
from proofs_numeric.checks.sharp_bounds import DEVIATION, best_shares, gradient_bound, split, square_bound
from proofs_numeric.checks.sharp_laws import FLAT, SUMS, Successes, bias_claim, quiet_shares, tail_rule
from proofs_numeric.stats import binomial, budget


def by_hand(s, theta1, theta2, M, rho):
    """app:sharp-deviation transcribed."""
    N, d, p = math.sqrt(8 * s.L * s.Dbar), s.d, s.p
    rest = math.sqrt(d) * s.L * s.mu / 2
    theta, h = theta1 + theta2 + rest, math.log(2 / rho)
    area = math.log(theta / s.sigma) if p == 2 else (theta ** (2 - p) - s.sigma ** (2 - p)) / (2 - p)
    Q = N + math.sqrt(s.sigma**2 + 2 * s.sigma**p * area) + rest
    bias = 4 / 9 * d / (d + 2) * N**3 / theta1**2
    bias += (3 * d / (d + 2)) ** ((p - 1) / 2) * s.sigma**p * theta2 ** (1 - p) / (p - 1)
    return math.sqrt(2 * d * Q**2 / M * h) + (math.sqrt(d) * theta + Q) / (3 * M) * h + bias


@pytest.mark.parametrize("p", [1.2, 1.5, 2.0])
def test_the_bound_is_the_transcribed_one_and_least_at_its_shares(p):
    s, M = Setting(10, p), 1000
    best = best_shares(s, M, RHO)
    value = best.deviation(M, RHO)
    assert value == pytest.approx(by_hand(s, best.theta1, best.theta2, M, RHO), rel=1e-9)
    for a in (0.8, 1.25):
        for b in (0.8, 1.25):
            assert by_hand(s, a * best.theta1, b * best.theta2, M, RHO) > value * (1 - 1e-4)


def test_the_share_of_a_given_threshold_adds_up():
    s = Setting(10, 1.5)
    found = split(s, 4 * s.S)
    assert found.tau == pytest.approx(4 * s.S) and found.theta1 > 0 < found.theta2
    assert square_bound(s, found.theta) > gradient_bound(s) ** 2


def test_the_sharper_bound_stays_while_the_papers_grows():
    rows = comparison()
    sharp, paper = [r["sharp"] for r in rows], [r["paper_best_tau"] for r in rows]
    assert max(sharp) < 1.2 * min(sharp)
    assert all(b > 1.4 * a for a, b in itertools.pairwise(paper))  # d^(1/6) a decade and more
    assert all(r["paper_own_tau"] >= r["paper_best_tau"] > 10 * r["sharp"] for r in rows)
    assert [r["d"] for r in rows] == [s.d for s, _ in LINEAR]


def test_rows_of_the_report_take_the_quantile_of_their_cell():
    stored = {
        "deviation": [{"d": 2, "cell": f"{DEVIATION}/a"}, {"d": 3, "cell": f"{DEVIATION}/b"}],
        "cells": [{"name": f"{DEVIATION}/a", "quantile": {"low": 1.0, "high": 2.0}}],
    }
    assert [(r["low"], r["high"]) for r in deviation(stored)] == [(1.0, 2.0), (None, None)]
    assert deviation(None) == [] and deviation({"cells": []}) == []


def test_the_exact_moment_is_tested_on_both_sides():
    assert moment_rule(1.5, 64.0).exact and not moment_rule(1.5, 64.0, 0.95).exact


def test_bernstein_uses_the_exact_variance():
    s = Setting(1, 2.0)
    batch = Batch(s, 32, 4 * s.S)
    level = values.value("app:sharp-bernstein", V=batch.mean_square, R=2 * batch.tau / 32, h=math.log(20))
    assert bernstein_rule(batch).thresholds == (level,)


def test_a_run_takes_the_plan_untouched_and_a_wrong_limit_is_seen():
    case = RUNS[0]
    plan = case.plan
    assert (plan.statement, float(plan.alpha)) == ("app:sharp-convergence", 1.0)
    values = case.draw()(np.random.default_rng(1), 8)
    assert np.all(values <= case.rule().thresholds[0])
    assert np.all(values > case.rule(1 / 2).thresholds[0])  # |grad f(x_0)|^2/T alone is 2/3


def test_bounded_sums_have_the_binomial_law():
    """Two tosses: |A| is 1 with probability 1/2 and 0 else; a value cannot reach the level of the whole range."""
    two = Successes(2, 0.5)
    assert two.law().thresholds == (0.3,) and two.law().levels == pytest.approx((0.5,))
    values = SUMS[1].draw()(np.random.default_rng(2), 64)
    assert np.all((values >= 0) & (values <= 63) & (values == np.round(values)))
    assert SUMS[0].level(0.1) == pytest.approx(math.sqrt(2 * 16 * math.log(20)) + math.log(20) / 6)


def test_planted_constants_lie_between_the_truth_and_nothing():
    """The bias's claims hold exactly, and what is planted is below the exact bias."""
    flat, quiet = split(FLAT[1], 20.0), quiet_shares()
    for shares, factor in ((flat, 0.7), (quiet, 0.8)):
        true = bias_rule(shares.setting, shares.tau).claimed
        assert bias_claim(shares, factor).claimed < true < bias_claim(shares).claimed
    sums = SUMS[0]
    exact = [p for p in (0.5, 0.1, 0.01, 0.001) if tail_of(sums, 0.65 * sums.level(p)) > p]
    assert 0.01 in exact and all(tail_of(sums, sums.level(p)) < p for p in (0.5, 0.1, 0.01, 0.001))


def tail_of(sums, t):
    """P(|A| > t) by adding up the binomial weights."""
    weights = [math.comb(sums.M, k) * sums.q**k * (1 - sums.q) ** (sums.M - k) for k in range(sums.M + 1)]
    return sum(w for k, w in enumerate(weights) if abs(k - sums.M * sums.q) > t)


def test_the_noise_tail_is_an_equality_for_the_pareto_norm_on_the_line():
    s = Setting(1, 1.5)
    rule = tail_rule(s)
    assert np.allclose(s.real_law.tail(np.array(rule.thresholds)), rule.levels, rtol=1e-12)
    assert np.all(s.real_law.tail(0.9 * np.array(rule.thresholds)[5:]) > np.array(rule.levels)[5:])


def test_large_batches_are_the_direct_ones_with_their_rounding_added(monkeypatch):
    s, M = LINEAR[0]
    plain = draw_deviation(s, M)(np.random.default_rng(3), 32)
    whole = draw_whole_batch(s, M)(np.random.default_rng(3), 32)
    assert np.all((whole >= plain) & (whole <= plain + 1e-9))
    monkeypatch.setattr("proofs_numeric.checks.sharp.DIRECT", 1)
    radial = draw_whole_batch(s, M)(np.random.default_rng(3), 2048)
    direct = draw_deviation(s, M)(np.random.default_rng(4), 2048)
    # Dvoretzky-Kiefer-Wolfowitz for two samples: exceeded with probability below 1e-9
    ordered = np.sort(np.concatenate([radial, direct]))
    gap = np.searchsorted(np.sort(radial), ordered, "right") - np.searchsorted(np.sort(direct), ordered, "right")
    assert np.abs(gap).max() / 2048 <= math.sqrt(math.log(2 / 1e-9) / 2048)


def test_an_event_within_rounding_stops_a_large_batch(monkeypatch):
    s, M = LINEAR[0]
    value = draw_deviation(s, M)(np.random.default_rng(3), 1)[0]
    monkeypatch.setattr("proofs_numeric.checks.sharp_bounds.Shares.deviation", lambda *arguments: float(value))
    with pytest.raises(ArithmeticError, match="rounding of a large batch"):
        draw_whole_batch(s, M)(np.random.default_rng(3), 1)


def test_large_batches_and_runs_have_trials_enough_to_see_twice_the_claim():
    def seen(n):
        critical = binomial.critical_count(n, RHO, budget.SCREEN)
        return binomial.detectable(n, critical, math.sqrt(budget.POWER)) <= 2 * RHO

    assert seen(WHOLE.trials) and not seen(WHOLE.trials - 32)
    assert all(seen(case.trials) for case in RUNS)
