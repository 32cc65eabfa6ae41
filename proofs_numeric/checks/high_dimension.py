"""One batched estimator in ten thousand and a million dimensions, by the radial method, with its exact mean square."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from proofs_numeric.checks.cell import Cell
from proofs_numeric.checks.deviation import (
    BATCH,
    FLUCTUATION,
    LOCALIZED,
    SQUARE,
    TUNED,
    Batch,
    Centre,
    fluctuation_rule,
    gradient_of,
    localized_rule,
    mean_of,
    square_rule,
    tuned_rule,
)
from proofs_numeric.checks.places import Setting
from proofs_numeric.exact_in_law import replay_radial
from proofs_numeric.exact_in_law.exact_laws import ExactLaw, Projection
from proofs_numeric.exact_in_law.radial import Axis, estimate
from proofs_numeric.model.estimator import raw_weight
from proofs_numeric.model.sphere import Array
from proofs_numeric.precision import rounding
from proofs_numeric.precision.replay import Replayed, Tape, Values

SETTINGS = tuple(
    Setting(d, p, law, shape, mu=1e-4)
    for d, p, law, shape in (
        (10**4, 1.2, "onesided", "axis"),
        (10**4, 1.5, "pareto", "axis"),
        (10**4, 2.0, "pareto", "uniform"),
        (10**6, 1.05, "pareto", "axis"),
        (10**6, 1.5, "pareto", "axis"),
        (10**6, 1.5, "pareto", "uniform"),
        (10**6, 2.0, "pareto", "axis"),
    )
)


@dataclass(frozen=True)
class FarBatch(Batch):
    """A batch on f = L |x|^2/2, as far out as the lemmas allow, its vectors held by their components along e_1."""

    @property
    def slope(self) -> float:
        """||grad f(x)|| = ||grad f_mu(x)|| = sqrt(8 L Delta0_bar), where f(x) - f_* = 4 Delta0_bar."""
        return self.setting.gradient_bound

    @property
    def law(self) -> ExactLaw:
        return ExactLaw(((1.0, Projection(self.setting.d, self.slope, self.setting.real_law)),))

    @property
    def mean(self) -> Array:
        """E g(x) along e_1, shape (1,)."""
        return np.array([self.setting.d * self.law.aligned(self.tau)])

    @property
    def gradient(self) -> Array:
        """grad f_mu(x) along e_1, shape (1,)."""
        return np.array([self.slope])


def draw_distance(batch: FarBatch, centre: Centre, power: int = 1, wrong: str = "") -> Replayed:
    """||g(x) - centre e_1||^power, one estimator a trial; ``wrong`` breaks the implementation."""
    s, M, tau = batch.setting, batch.M, batch.tau

    def draw(rng: np.random.Generator, n: int) -> Array:
        weight = {"weight": raw_weight} if wrong == "unclipped" else {}
        axis = Axis(s.d, s.real_law, s.shape)
        along, across = estimate(axis, np.full(n, batch.slope), M, tau, rng, **weight)
        if wrong == "parallel":
            across = across * math.sqrt(M)
        return np.hypot(along - centre(batch)[0], across) ** power

    def reference(tape: Tape, n: int) -> Values:
        axis = Axis(s.d, s.real_law, s.shape)
        return replay_radial.distances(tape, axis, batch.slope, n, M, tau, float(centre(batch)[0]), power)

    def width(values: Array, largest: float) -> Array:
        return rounding.radial_distance(values, s.d, batch.slope, M, tau, float(centre(batch)[0]))

    return Replayed(draw, reference, width if power == 1 and not wrong else None)


def cells() -> Iterator[Cell]:
    """Claims in high dimensions, their exact mean squares where one integral gives them, and what is planted."""
    T, delta = 3, 1.0
    for s in SETTINGS:
        loose = FarBatch(s, 64, 4 * s.S)
        tuned = FarBatch(s, 64, s.tuned_threshold(64, math.log(T / delta)))
        name = f"radial-{s.name}"
        if s.shape == "axis":
            draw, rule = draw_distance(loose, mean_of), fluctuation_rule
            yield BATCH.cell(FLUCTUATION, f"{name}-tau4-M64-rho0.1", draw, rule, loose, 0.1)
            for label, batch, centre, word in (
                (FLUCTUATION, loose, mean_of, "tau4-M64"),
                (TUNED, tuned, gradient_of, "M64-delta1"),
            ):
                draw = draw_distance(batch, centre, 2)
                yield SQUARE.law(label, f"{name}-{word}", draw, square_rule, batch, centre)
        yield BATCH.cell(LOCALIZED, f"{name}-tau4-M64", draw_distance(loose, gradient_of), localized_rule, loose, 0.1)
        yield BATCH.cell(TUNED, f"{name}-M64-delta1", draw_distance(tuned, gradient_of), tuned_rule, s, 64, T, delta)
    loose = FarBatch(SETTINGS[4], 64, 4 * SETTINGS[4].S)
    for wrong, note in (
        ("unclipped", "no clipping of the directional estimates"),
        ("parallel", "all directions of a batch alike across the gradient"),
    ):
        draw, note = draw_distance(loose, mean_of, 2, wrong), f"implementation: {note}"
        yield SQUARE.cell(FLUCTUATION, f"planted-radial-{wrong}", draw, square_rule, loose, mean_of, note=note)
