"""Noise floors with clipping that acts: the bracket of the law holds known laws, is narrow, and tells wrong ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from proofs_numeric.checks.floor_cells import FLOORS
from proofs_numeric.exact_in_law import noise_floors, radial_run
from proofs_numeric.exact_in_law.radial import Axis
from proofs_numeric.model.noise import CentredPareto, Gaussian, Pareto
from proofs_numeric.model.optimizer import Parameters
from proofs_numeric.model.streams import stream
from proofs_numeric.stats.decision_rules import Exceedance


def gaussian_bracket(tau=math.inf, T=40, alpha=0.3, M=4):
    return noise_floors.bracket(Gaussian(2.0), M, alpha, tau, T, 2.0, 4.0)


def test_the_bracket_holds_the_gaussian_law_of_a_run_that_is_not_clipped():
    """x_T is N(0, v), v = alpha^2 s^2/M (1 - (1 - alpha)^(2T))/(1 - (1 - alpha)^2)."""
    y, lower, upper = gaussian_bracket()
    v = 0.3**2 * Gaussian(2.0).s ** 2 / 4 * (1 - 0.7**80) / (1 - 0.7**2)
    exact = special.ndtr(-y / math.sqrt(v))
    assert (lower <= exact).all() and (exact <= upper).all()
    assert (upper - lower).max() < 0.02
    assert ((special.ndtr(-y / math.sqrt(1.1 * v)) > upper) | (special.ndtr(-y / math.sqrt(1.1 * v)) < lower)).any()


def test_one_step_is_the_law_of_one_clipped_noise():
    """x_1 = -alpha psi_tau(n)."""
    law = Pareto(1.5)
    y, lower, upper = noise_floors.bracket(law, 1, 0.5, 3.0, 1, 4.0, 1.0)
    exact = np.where(y >= 1.5, 0.0, np.where(y < -1.5, 1.0, noise_floors.below(law, 1)(-2 * y)))
    assert (lower <= exact + 1e-12).all() and (exact <= upper + 1e-12).all()


@pytest.mark.parametrize("floor", FLOORS, ids=lambda f: f.clipping)
def test_runs_lie_in_the_bracket_and_the_two_tails_agree(floor):
    """20,000 runs, each level with 6 standard errors (Gaussian limit: 2e-9 a level); the law is symmetric."""
    rule = floor.rule()
    values = floor.draw()(stream("t", floor.clipping), 20_000)
    for t, high, low in zip(rule.thresholds, rule.levels, rule.floors, strict=True):
        assert low <= high <= low + 0.04 + 0.3 * high
        for share in (np.mean(values > t), np.mean(-values > t)):
            error = 6 * math.sqrt(high / len(values))
            assert low - error < share < high + error


def test_raw_floors_in_more_dimensions_have_the_stationary_closed_form():
    """E|x|^2 = alpha^2 d V/M / (1 - (1 - alpha)^2 - alpha^2 (d - 1)/M) solves the recursion for T -> oo."""
    d, alpha, M, V = 10, 0.1, 4, 2.0
    exact = alpha**2 * d * V / M / (1 - (1 - alpha) ** 2 - alpha**2 * (d - 1) / M)
    q = Parameters(2000, alpha, 0.01, M, 1.0)
    assert radial_run.second_moments(Axis(d, Pareto(2.0), "uniform"), 1.0, 0.0, q, V)[0] == pytest.approx(exact)


def test_floors_of_a_rule_are_asked():
    test = Exceedance((0.0,), (0.6,), floors=(0.4,)).test(10_000, 1e-6, 1e-6)
    assert [test.decide([k], 10_000).rejected for k in (3500, 3990, 5000, 6010, 6500)] == [
        True,
        False,
        False,
        False,
        True,
    ]
    with pytest.raises(ValueError, match="as many floors as levels"):
        Exceedance((0.0,), (0.6,), floors=(0.4, 0.5))
    with pytest.raises(ValueError, match="as many floors as levels"):
        Exceedance((0.0,), (0.6,), exact=True, floors=(0.4,))


def test_what_is_not_known_is_refused():
    with pytest.raises(ValueError, match="0 < alpha <= 1"):
        gaussian_bracket(alpha=1.5)
    for law, M in ((Pareto(1.5), 2), (CentredPareto(1.5), 1)):
        with pytest.raises(ValueError, match="no law is known for the mean"):
            noise_floors.below(law, M)
