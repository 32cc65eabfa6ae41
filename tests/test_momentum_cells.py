"""The momentum theorem's cells: binned runs equal in law to direct ones on small batches; batches beyond 64 bits."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from boundcheck.plans.theorem_plan import Problem
from proofs_numeric.checks.places import Setting
from proofs_numeric.checks.prescribed import MOMENTUM_LINE as CASES
from proofs_numeric.checks.prescribed import Case, MomentumLine
from proofs_numeric.exact_in_law import binned
from proofs_numeric.exact_in_law.binned import BinnedNoise
from proofs_numeric.model.estimator import repeat
from proofs_numeric.model.noise import Pareto
from proofs_numeric.model.optimizer import Parameters, optimize
from proofs_numeric.model.streams import stream

LEVEL, DRAWS = 1e-9, 600
CASE = MomentumLine("1.5", eps="100", sigma="1", Delta0="1/10", parts=32)  # a limit out of reach: no bin decides


PLAN = CASES[1].plan


def small():
    return replace(PLAN, T=12, M=6, M0=4, tau=9.0, tau0=7.0, alpha=0.2)


def differ(a, b):
    """Sup-distance above its Dvoretzky-Kiefer-Wolfowitz limit for two samples of one size >= 458."""
    return stats.ks_2samp(a, b, method="asymp").statistic > math.sqrt(math.log(2 / LEVEL) / len(a))


def direct():
    q = small()
    s = Setting(1, 1.5, "pareto")
    x0 = repeat(np.array([[math.sqrt(0.2)]]), DRAWS)
    parameters = Parameters(q.T, q.alpha, 0.01, q.M, q.tau, 0.5, q.M0, q.tau0)
    run = optimize(s.oracle, x0, parameters, stream("t", "direct"))
    return run.gradient2[1 : q.T - 1].mean(axis=0)


@pytest.mark.thorough
def test_binned_runs_have_the_law_of_direct_ones(monkeypatch):
    monkeypatch.setattr(Case, "plan", small())
    found = CASE.draw()(stream("t", "binned"), DRAWS)
    assert not differ(found, direct())
    wrong = [replace(CASE, sigma="0.5"), replace(CASE, beta="0.9")]
    assert all(differ(w.draw()(stream("t", "wrong"), DRAWS), direct()) for w in wrong)


def test_the_parameters_are_those_of_the_plan():
    for case in CASES:
        q = case.plan
        one = Fraction(1)
        assert q.problem == Problem(
            Fraction(case.p),
            1,
            one,
            Fraction(case.Delta0),
            Fraction(case.sigma),
            Fraction(case.eps),
            Fraction(case.delta),
        )
        gap, beta = float(q.Delta0_bar), float(q.beta)
        assert math.ceil(512 * math.sqrt(3) * gap / ((1 - beta) * float(case.eps) ** 2)) + 2 == q.T
        assert q.alpha == pytest.approx((1 - beta) / (16 * math.sqrt(3)), rel=1e-14)
        S = (math.sqrt(gap) + float(case.sigma)) + float(q.mu)  # S_mu at L = d = 1
        scale = 8 * S * (q.M / ((1 - beta) * math.log(2 * q.T / float(case.delta)))) ** (1 / float(case.p))
        assert q.tau == pytest.approx(scale, rel=1e-12)


def test_exponents_of_the_issue_are_there():
    assert {c.p for c in CASES} == {"1.2", "1.5", "1.8", "2"}
    assert max(c.plan.M for c in CASES) > 2**64


def test_coarse_bins_are_refused(monkeypatch):
    """With a limit inside the spread of the runs, two bins an octave cannot decide."""
    coarse = replace(CASE, parts=1, eps="0.9")
    monkeypatch.setattr(Case, "plan", small())
    with pytest.raises(ArithmeticError, match="too coarse"):
        coarse.draw()(stream("t", "coarse"), DRAWS)


def test_a_batch_beyond_64_bits_is_a_sum_of_batches(monkeypatch):
    noise = BinnedNoise(Pareto(1.5), parts=2)
    huge = noise.shares(3 * 10**20 + 7, 2, stream("t", "huge"))
    assert np.allclose(huge.sum(axis=1), 1, rtol=1e-14)
    assert np.allclose(huge, noise.bins[0], rtol=0, atol=1e-9)
    monkeypatch.setattr(binned, "MOST", 10)
    pieces = noise.shares(95, 4000, stream("t", "pieces")) * 95
    assert np.allclose(pieces, np.round(pieces), atol=1e-12) and np.allclose(pieces.sum(axis=1), 95)
    first = np.round(pieces[:, 0]).astype(int)
    share = noise.bins[0][0]
    low, high = stats.binom.ppf([LEVEL, 1 - LEVEL], 95 * 4000, share)
    assert low <= first.sum() <= high
    with pytest.raises(ValueError, match="more than 1000 draws"):
        noise.shares(10 * 1000 + 1, 1, stream("t", "too many"))
