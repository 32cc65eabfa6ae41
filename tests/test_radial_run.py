"""Radial runs: equal in law to Algorithm 1 on vectors, exact second moments, prescribed cells that are the paper's."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from boundcheck.plans.momentum_plan import plan_momentum
from boundcheck.plans.theorem_plan import Problem, plan
from proofs_numeric.campaigns.audit import audit
from proofs_numeric.checks import registry
from proofs_numeric.checks.convergence import RUNS
from proofs_numeric.checks.prescribed import RADIAL, Radial
from proofs_numeric.exact_in_law import radial_run
from proofs_numeric.exact_in_law.radial import Axis
from proofs_numeric.model.noise import Noise, Pareto
from proofs_numeric.model.objectives import Quadratic
from proofs_numeric.model.optimizer import Parameters, optimize
from proofs_numeric.model.oracles import LinearNoiseOracle
from proofs_numeric.model.streams import stream

LEVEL, DRAWS = 1e-9, 3000
#: the paper's own M is then above 10^8: no batch can be drawn in a minute
OUT_OF_REACH = (Radial("1.5"), Radial("1.5", d=10), Radial("1.2"), Radial("1.2", d=10))
BASE = Parameters(5, 0.3, 0.01, 3, 2.0)
MOMENTUM = Parameters(5, 0.4, 0.01, 3, 2.0, 0.7, 4, 3.0)


def differ(a, b):
    """Sup-distance above its Dvoretzky-Kiefer-Wolfowitz limit for two samples of one size >= 458."""
    return stats.ks_2samp(a, b, method="asymp").statistic > math.sqrt(math.log(2 / LEVEL) / len(a))


def direct(d, q):
    """(|x_T|, |x_(T-1)|) of Algorithm 1 on vectors."""
    oracle = LinearNoiseOracle(Quadratic(d), Noise(Pareto(1.5), "uniform", d))
    x0 = np.zeros((DRAWS, d))
    x0[:, -1] = 1.5
    run = optimize(oracle, x0, q, stream("t", f"direct{d}{q.beta}"))
    return np.linalg.norm(run.last, axis=1), np.sqrt(run.gradient2[-1])


def radii(d, q, axis=None):
    axis = axis or Axis(d, Pareto(1.5), "uniform")
    length = radial_run.descend(axis, 1.0, np.full(DRAWS, 1.5), q, stream("t", f"radii{d}{q.beta}")).length
    return length[-1], length[-2]


@pytest.mark.parametrize("d", [2, 3, 10])
@pytest.mark.parametrize("q", [BASE, MOMENTUM], ids=["base", "momentum"])
def test_the_law_is_that_of_algorithm_1(d, q):
    for one, two in zip(radii(d, q), direct(d, q), strict=True):
        assert not differ(one, two)


def test_wrong_twins_are_told_from_it(monkeypatch):
    wanted = direct(3, MOMENTUM)
    for wrong in (replace(MOMENTUM, beta=0.5), replace(MOMENTUM, beta=0.0), replace(MOMENTUM, tau0=1.0)):
        assert any(differ(a, b) for a, b in zip(radii(3, wrong), wanted, strict=True))
    monkeypatch.setattr(radial_run, "joined", lambda a, b, k, rng: (np.sqrt(a) + np.sqrt(b)) ** 2)
    assert any(differ(a, b) for a, b in zip(radii(3, MOMENTUM), wanted, strict=True))


def test_second_moments_are_exact():
    """Means of 30,000 runs within 6.5 standard errors of the recursion (Gaussian limit: 8e-11), others far off."""
    for label, run in RUNS:
        values = run.draw()(stream("t", label), 30_000)
        mean, noiseless = radial_run.second_moments(run.axis, 1.0, run.start, run.parameters, run.sigma**2)
        error = 6.5 * values.std() / math.sqrt(len(values))
        assert abs(values.mean() - mean) < error
        assert abs(values.mean() - noiseless) > error
        assert values.max() <= run.rule().high


@pytest.mark.parametrize("run", [run for _, run in RUNS], ids=["base", "momentum"])
def test_runs_replay_in_balls(run):
    cell = next(c for c in registry().values() if c.draw == run.draw() or "law-radial-moments" in c.name)
    off = replace(run.draw(), draw=lambda rng, n: run.draw()(rng, n) * (1 + 1e-9))
    assert audit(replace(cell, draw=run.draw())).held
    assert not audit(replace(cell, draw=off)).held


def test_cases_are_the_papers_own():
    for case in RADIAL:
        q = case.plan
        assert q == plan(case.problem)
        assert q.M < 10**7 and max(3, math.ceil(32 * q.Delta0_bar / float(case.eps) ** 2)) == q.T
    assert all(case.plan.M > 10**8 for case in OUT_OF_REACH)


def test_docs_say_whose_batch_was_run():
    """Every case and every problem that is out of reach, with its T and M, in docs/campaigns.md."""
    text = (Path(__file__).parent.parent / "docs" / "campaigns.md").read_text(encoding="utf-8")
    for case in RADIAL + OUT_OF_REACH:
        q = case.plan
        law = {"pareto": "Pareto", "student": "Student"}[case.law] if case in RADIAL else ""
        said = "the paper's" if case in RADIAL else "out of reach, not run"
        assert f"| {case.d} | {case.p} | {law} | {q.T} | {q.M:,} | {said} |".replace("|  |", "| |") in text
    q = plan_momentum(Problem(Fraction(2), 2, *map(Fraction, ("1", "1/32", "0.01", "0.9", "0.4"))), Fraction(1, 2))
    assert f"{q.T - 1} batches of {q.M / 1e6:.1f} * 10^6" in text


def test_a_limit_within_rounding_is_refused(monkeypatch):
    case = RADIAL[0]
    monkeypatch.setattr(Radial, "plan", replace(plan(case.problem), M=9))
    [value] = replace(case).draw()(stream("t", "one"), 1)
    with pytest.raises(ArithmeticError, match="too large to decide"):
        replace(case).draw(value / float(case.eps) ** 2)(stream("t", "one"), 1)


@pytest.mark.parametrize("axis", [Axis(3, Pareto(1.5)), Axis(1, Pareto(1.5), "uniform")])
def test_noise_with_a_direction_is_refused(axis):
    with pytest.raises(ValueError, match="shape uniform and d >= 2"):
        radii(axis.d, BASE, axis)
