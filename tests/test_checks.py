"""The checks: every statement has a claim, a sharp companion and planted twins, and each twin is caught."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from certified_laws import scalar_noise as certified
from certified_laws.arithmetic import BALLS
from limits import betting_limits
from scipy.integrate import quad
from slow import apart, more, thinned

from boundcheck.paper import catalogue
from boundcheck.verdict import Status
from proofs_numeric.campaigns.campaign import run
from proofs_numeric.campaigns.executors import SerialExecutor
from proofs_numeric.campaigns.ledger import Ledger
from proofs_numeric.checks import RESTATED, clipping, deviation, registry, tails
from proofs_numeric.checks.cell import CLAIM, COMPANION, PLANTED
from proofs_numeric.checks.clipping import draw_component, extremal_scale
from proofs_numeric.checks.mutants import RECIPES
from proofs_numeric.checks.places import GRID, Setting
from proofs_numeric.model.streams import stream

CELLS = registry()
LABELS = sorted({c.label for c in CELLS.values()})


def results(keys, seed=1):
    with Ledger() as ledger:
        return run([CELLS[k] for k in keys], SerialExecutor(), ledger, seed)


@pytest.mark.parametrize("label", LABELS)
def test_every_check_can_fail_and_has_a_sharp_companion(label):
    kinds = {c.kind for c in CELLS.values() if c.label == label}
    assert {COMPANION, PLANTED} <= kinds
    notes = [c.note for c in CELLS.values() if c.label == label and c.kind == PLANTED]
    assert CLAIM not in kinds or any(n.startswith(("constant", "exponent")) for n in notes)
    assert len(set(notes)) == len(notes)


def test_broken_implementations_are_planted():
    notes = {c.note for c in CELLS.values() if c.kind == PLANTED}
    used = {n.removeprefix("implementation: ") for n in notes if n.startswith("implementation")}
    assert set(RECIPES) <= used
    assert {"Lomax for Pareto", "noise not centred"} <= used
    assert {"sign of the step", "off by one in T", "warm start missing"} <= used
    assert {"momentum without (1 - beta)", "threshold without (1 - beta)"} <= used
    assert len(used) >= 15


def test_labels_are_statements_of_the_paper():
    """What is claimed comes from the catalogue; every label is one of the paper's, or of a part beyond it."""
    claimed = {c.label for c in CELLS.values() if c.kind == CLAIM}
    assert claimed | set(RESTATED) | set(RESTATED.values()) <= set(catalogue())
    beyond = {label for label, s in catalogue().items() if s.part.startswith("Beyond the paper")}
    assert set(LABELS) - beyond <= set((Path(__file__).parent / "data" / "labels.txt").read_text().split())


def test_the_grid_holds_the_boundary_cells():
    assert {1} <= {s.d for s in GRID}
    assert {2.0} <= {s.p for s in GRID} and min(s.p for s in GRID) <= 1.05
    assert any(s.law == "onesided" for s in GRID)
    names = " ".join(CELLS)
    assert "tau4" in names and "delta1" in names and "M=lambda" in names
    assert len({s.name for s in GRID}) == len(GRID)


def test_settings_meet_the_hypotheses():
    for s in GRID:
        gap = float(s.oracle.objective.value(s.x)[0])
        assert gap <= 4 * s.Dbar * (1 + 1e-12)
        assert (math.sqrt(s.L * s.Dbar) + s.sigma) / math.sqrt(s.d) + s.L * s.mu == pytest.approx(s.S, rel=1e-14)
        t = np.geomspace(1e-3, 1e6, 500)
        assert (s.real_law.tail(t) <= (s.sigma / t) ** s.p * (1 + 1e-8)).all()


@pytest.mark.parametrize(
    "label", apart(LABELS, "thm:hp-shared-clipped", "app:sharp-convergence", "lem:hp-shared-directional-total-tail")
)
def test_every_rule_can_be_stated(label):
    for cell in [c for c in CELLS.values() if c.label == label][::3]:
        test = cell.rule().test(cell.trials, 1e-3, 1e-6)
        values = cell.draw(stream(cell.label, cell.name), 2)
        assert len(values) == 2
        assert len(test.summary(values)) >= 1


SLOWER = ("cor:hp-shared-localized/", "thm:hp-shared-clipped/", "lem:hp-shared-empirical-fluctuation/")
TWINS = [(more if k.startswith(SLOWER) else pytest.param)(k) for k, c in CELLS.items() if c.kind == PLANTED]


@pytest.mark.parametrize("key", thinned(TWINS, 6))
def test_planted_twins_are_caught(key):
    [result] = results([key])
    assert result.judgement.status is Status.REFUTED_STAT


@pytest.mark.parametrize(
    "key",
    [
        "lem:hp-shared-directional-tail/quadratic-d1-p1.05-pareto-axis",
        "lem:hp-shared-directional-total-tail/law-quadratic-d1-p1.2-onesided-axis",
        "lem:hp-shared-clipped-bias-abstract/extremal-p1.5-tauc",
        "lem:hp-shared-clipping-bias/law-quadratic-d3-p1.8-student-axis-tau4",
        "cor:hp-shared-localized-tuned/quadratic-d10-p2-pareto-axis-M2-M=lambda",
        "cor:hp-shared-localized/law-quadratic-d2-p2-pareto-uniform-minimum-tau4-M32",
    ],
)
def test_true_statements_are_consistent(key):
    """Each is rejected falsely with probability below 1e-8; CONSISTENT also needs power, which has no chance in it."""
    [result] = results([key])
    assert result.judgement.status is Status.CONSISTENT


def test_the_extremal_law_makes_the_tail_an_equality():
    for p in (1.05, 1.5, 2.0):
        assert extremal_scale(p, 3.0) ** p == pytest.approx(2 ** (2 * p + 1) * 3.0**p)


@pytest.mark.parametrize("p", [1.05, 1.5, 2.0])
@pytest.mark.parametrize("tau", [4.0, 16.0, 256.0])
def test_the_means_of_the_extremal_law_are_those_in_balls_and_by_quadrature(p, tau):
    c = extremal_scale(p)
    law = certified.Pareto(Fraction(p), c)
    excess, square = clipping.extremal_excess(p, tau), clipping.extremal_clipped_square(p, tau)
    assert excess == pytest.approx(float(law.excess(BALLS, tau)), rel=1e-12)
    assert square == pytest.approx(float(law.clipped_square(BALLS, tau)), rel=1e-12)
    pieces = [
        quad(lambda t: 2 * t * min(1.0, (c / t) ** p), *ends)[0] for ends in ((0, min(c, tau)), (min(c, tau), tau))
    ]
    assert square == pytest.approx(sum(pieces), rel=1e-9)
    falls = excess - clipping.extremal_excess(p, 2 * tau)  # int_tau^(2 tau) of the tail
    middle = min(max(c, tau), 2 * tau)
    parts = [quad(lambda t: min(1.0, (c / t) ** p), *ends)[0] for ends in ((tau, middle), (middle, 2 * tau))]
    assert falls == pytest.approx(sum(parts), rel=1e-9)


def test_importance_sampling_keeps_the_mean():
    """The weighted excess drawn from Pareto(p-1) has the mean int_tau^oo P(|Z| > t) dt; misses with 1e-9."""
    from proofs_numeric.checks.clipping import draw_excess

    p, tau = 1.5, 16.0
    c = extremal_scale(p)
    x = draw_excess(p, tau)(stream("t", "is"), 20_000) / (p / (p - 1) * c)
    low, high = betting_limits(x, 1e-9)
    assert low <= c**p * tau ** (1 - p) / (p - 1) / (p / (p - 1) * c) <= high


def test_scaling_sigma_and_tau_together_changes_no_event():
    """Delta0, sigma^2 and L scaled alike: S, tau, draws and bounds scale by the same factor."""
    plain = Setting(3, 1.5)
    scaled = Setting(3, 1.5, L=4.0, sigma=4.0, Delta0=4.0)
    assert math.isclose(scaled.S, 4 * plain.S, rel_tol=1e-12)
    assert np.allclose(
        draw_component(scaled, 4 * scaled.S)(stream("t", "s"), 100),
        4 * draw_component(plain, 4 * plain.S)(stream("t", "s"), 100),
        rtol=1e-10,
    )
    rules = [deviation.tuned_rule(s, 16, 3, 1.0) for s in (plain, scaled)]
    assert rules[1].thresholds[0] == pytest.approx(4 * rules[0].thresholds[0], rel=1e-12)
    curves = [tails.claimed_curve(tails.TOTAL, s) for s in (plain, scaled)]
    assert curves[0].levels == curves[1].levels
    assert np.allclose(np.array(curves[1].thresholds), 4 * np.array(curves[0].thresholds), rtol=1e-12)
