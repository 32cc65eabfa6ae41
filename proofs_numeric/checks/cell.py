"""A cell: one Monte Carlo question, with the draw that answers it and the rule that reads the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from proofs_numeric.model.sphere import Array
from proofs_numeric.stats.decision_rules import Rule

CLAIM, COMPANION, PLANTED = "claim", "companion", "planted"
Draw = Callable[[np.random.Generator, int], Array]


@dataclass(frozen=True)
class Cell:
    """``draw(rng, n)`` gives one real value for each of n independent trials; ``rule()`` says what is claimed of them.

    ``kind``: CLAIM asks the paper's statement ``label``; COMPANION asks the exact law that the simulation
    should have, on both sides; PLANTED holds something wrong, named in ``note``, that must be rejected.
    """

    label: str
    name: str
    kind: str
    draw: Draw = field(repr=False)
    rule: Callable[[], Rule] = field(repr=False)
    trials: int = 1 << 17
    chunk: int = 1 << 14
    unit: str = "probability"
    note: str = ""
    precision: str = ""  #: why and how the trials are run in high precision; empty: in float64
    proved: str = ""  #: the statement that proves the moment which a mean without a range rests on
    file: str = ""  #: the user's file that defines the cell; empty for the paper's

    @property
    def key(self) -> str:
        """LABEL/cell: the name under which results are reported."""
        return f"{self.label}/{self.name}"


@dataclass(frozen=True)
class Sampling:
    """How many trials the cells of one sort take, in chunks of how many, and what is estimated."""

    trials: int
    chunk: int
    unit: str = "probability"

    def cell(self, label: str, name: str, draw: Draw, rule: Callable[..., Rule], *given: Any, note: str = "") -> Cell:
        """A cell whose rule is ``rule(*given)``, asked for when the cell is run: a claim; planted, with a note."""
        kind = PLANTED if note else CLAIM
        return Cell(label, name, kind, draw, partial(rule, *given), self.trials, self.chunk, self.unit, note)

    def law(self, label: str, name: str, draw: Draw, rule: Callable[..., Rule], *given: Any) -> Cell:
        """The cell ``law-NAME``, a companion: its rule asks the exact law that the simulation should have."""
        return replace(self.cell(label, f"law-{name}", draw, rule, *given), kind=COMPANION)
