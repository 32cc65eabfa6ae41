"""One batched estimator in ten thousand and a million dimensions, by the radial method, with its exact mean square."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from proofs_numeric.checks.cell import CLAIM, COMPANION, PLANTED, Cell, Draw
from proofs_numeric.checks.deviation import (
    FLUCTUATION,
    LOCALIZED,
    MOMENT_CHUNK,
    MOMENT_TRIALS,
    TRIALS,
    TUNED,
    Batch,
    fluctuation_rule,
    localized_rule,
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
from proofs_numeric.stats.decision_rules import Exceedance

CHUNK = 1 << 9
Centre = Callable[[], float]  #: the component along e_1 of the point from which a distance is taken
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


def draw_distance(batch: FarBatch, centre: Centre, power: int = 1, wrong: str = "") -> Draw:
    """||g(x) - centre e_1||^power, one estimator a trial; ``wrong`` breaks the implementation."""

    def draw(rng: np.random.Generator, n: int) -> Array:
        s = batch.setting
        weight = {"weight": raw_weight} if wrong == "unclipped" else {}
        dimension = Axis(s.d, s.real_law, s.shape)
        along, across = estimate(dimension, np.full(n, batch.slope), batch.M, batch.tau, rng, **weight)
        if wrong == "parallel":
            across = across * math.sqrt(batch.M)
        return np.hypot(along - centre(), across) ** power

    def reference(tape: Tape, n: int) -> Values:
        s = batch.setting
        axis = Axis(s.d, s.real_law, s.shape)
        return replay_radial.distances(tape, axis, batch.slope, n, batch.M, batch.tau, centre(), power)

    def width(values: Array, largest: float) -> Array:
        return rounding.radial_distance(values, batch.setting.d, batch.slope, batch.M, batch.tau, centre())

    return Replayed(draw, reference, width if power == 1 and not wrong else None)


def _claim(label: str, name: str, batch: FarBatch, centre: Centre, rule: Callable[[], Exceedance]) -> Cell:
    return Cell(label, f"radial-{name}", CLAIM, draw_distance(batch, centre), rule, TRIALS, CHUNK)


def _law(label: str, name: str, batch: FarBatch, centre: Centre, kind: str, wrong: str, note: str) -> Cell:
    return Cell(
        label,
        name,
        kind,
        draw_distance(batch, centre, 2, wrong),
        lambda: square_rule(batch, np.array([centre()])),
        MOMENT_TRIALS,
        MOMENT_CHUNK,
        "mean",
        note,
    )


def _slope(batch: FarBatch) -> float:
    return batch.slope


def _first_mean(batch: FarBatch) -> float:
    return float(batch.mean[0])


def cells() -> Iterator[Cell]:
    """Claims in high dimensions, their exact mean squares where one integral gives them, and what is planted."""
    rho, q, T, delta = 0.1, 0.1, 3, 1.0
    for s in SETTINGS:
        loose = FarBatch(s, 64, 4 * s.S)
        tuned = FarBatch(s, 64, s.tuned_threshold(64, math.log(T / delta)))
        gradient = partial(_slope, loose)
        if s.shape == "axis":
            mean = partial(_first_mean, loose)
            yield _claim(
                FLUCTUATION,
                f"{s.name}-tau4-M64-rho{rho:g}",
                loose,
                mean,
                partial(fluctuation_rule, loose, rho),
            )
            yield _law(FLUCTUATION, f"law-radial-{s.name}-tau4-M64", loose, mean, COMPANION, "", "")
            yield _law(TUNED, f"law-radial-{s.name}-M64-delta1", tuned, gradient, COMPANION, "", "")
        yield _claim(LOCALIZED, f"{s.name}-tau4-M64", loose, gradient, partial(localized_rule, loose, q))
        yield _claim(TUNED, f"{s.name}-M64-delta1", tuned, gradient, partial(tuned_rule, s, 64, T, delta))
    s = SETTINGS[4]
    loose = FarBatch(s, 64, 4 * s.S)
    for wrong, note in (
        ("unclipped", "no clipping of the directional estimates"),
        ("parallel", "all directions of a batch alike across the gradient"),
    ):
        yield _law(
            FLUCTUATION,
            f"planted-radial-{wrong}",
            loose,
            lambda: float(loose.mean[0]),
            PLANTED,
            wrong,
            f"implementation: {note}",
        )
