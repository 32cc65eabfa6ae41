"""Stationary noise floors with clipping that acts: scalar, vector and raw on the quadratic, against certified laws.

Long runs from the minimiser on the line, whose law :mod:`noise_floors` brackets from both sides.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from proofs_numeric.checks.cell import COMPANION, PLANTED, Cell, Draw
from proofs_numeric.checks.places import Setting
from proofs_numeric.exact_in_law import noise_floors, replay_run
from proofs_numeric.model.estimator import PAPER, UNCLIPPED, VECTOR_CLIPPED, repeat
from proofs_numeric.model.optimizer import Parameters, optimize
from proofs_numeric.model.sphere import Array
from proofs_numeric.precision import rounding
from proofs_numeric.precision.replay import Replayed, Tape, Values
from proofs_numeric.stats.decision_rules import Exceedance

BASE = "thm:hp-shared-clipped"
TRIALS, CHUNK = 1 << 15, 1 << 12
RECIPES = {"scalar": PAPER, "vector": VECTOR_CLIPPED, "raw": UNCLIPPED}
LEVELS = (0.8, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005)


@dataclass(frozen=True)
class Floor:
    """x_T of T steps from the minimiser of x^2/2; ``reach`` and ``near`` lay out the grid of the law's bracket."""

    clipping: str
    law: str
    p: float
    M: int
    tau: float
    alpha: float
    reach: float
    near: float
    T: int = 60

    @property
    def setting(self) -> Setting:
        # on a quadratic mu changes nothing; a large one keeps the balls of a replay narrow over many steps
        """The quadratic on the line, at its minimiser."""
        return Setting(1, self.p, self.law, place="minimum", mu=1.0)

    @property
    def parameters(self) -> Parameters:
        return Parameters(self.T, self.alpha, self.setting.mu, self.M, self.tau)

    def draw(self, clipping: str = "") -> Draw:
        """x_T; ``clipping`` other than the floor's own is a mistake."""
        method = clipping or self.clipping

        def draw(rng: np.random.Generator, n: int) -> Array:
            s = self.setting
            return optimize(s.oracle, repeat(s.x, n), self.parameters, rng, recipe=RECIPES[method]).last[:, 0]

        def reference(tape: Tape, n: int) -> Values:
            return replay_run.descend(tape, self.setting.oracle, 0.0, n, self.parameters, method)[0]

        def width(values: Array, largest: float) -> float:
            # |x_t| stays below the largest noise, so |Y| below twice it
            size = self.tau if method == "scalar" else 2 * rounding.noise_reach(self.setting.real_law, largest)
            return rounding.last(replace(self.parameters, tau=size), self.setting.oracle, 0.0, largest)

        return Replayed(draw, reference, None if clipping else width)

    def rule(self) -> Exceedance:
        """lower <= P(x_T > y) <= upper at the points y where the upper bound is just below each of LEVELS."""
        tau = math.inf if self.clipping == "raw" else self.tau
        y, lower, upper = noise_floors.bracket(
            self.setting.real_law, self.M, self.alpha, tau, self.T, self.reach, self.near
        )
        at = sorted({int(np.argmax(upper <= level)) for level in LEVELS})
        pick = lambda values: tuple(float(values[i]) for i in at)  # noqa: E731
        return Exceedance(pick(y), pick(upper), floors=pick(lower))


FLOORS = (
    Floor("scalar", "pareto", 1.5, 1, 3.0, 0.2, 20.0, 1.0),
    Floor("raw", "pareto", 1.5, 1, 1.0, 0.2, 2000.0, 0.5),
    Floor("vector", "gaussian", 2.0, 4, 0.5, 0.3, 1.5, 3.0),
)


def cells() -> Iterator[Cell]:
    """The floor of each method, and runs that clip what or where they should not."""
    for floor in FLOORS:
        name = f"law-floor-{floor.clipping}-{floor.law}-p{floor.p:g}"
        yield Cell(BASE, name, COMPANION, floor.draw(), floor.rule, TRIALS, CHUNK)
    scalar, raw, vector = FLOORS
    for floor, wrong, note in (
        (scalar, "raw", "no clipping in a run"),
        (raw, "scalar", "clipping in a run that is meant to be raw"),
        (vector, "scalar", "directional estimates clipped where the average is to be"),
    ):
        name, note = f"planted-floor-{floor.clipping}", f"implementation: {note}"
        yield Cell(BASE, name, PLANTED, floor.draw(wrong), floor.rule, TRIALS, CHUNK, note=note)
