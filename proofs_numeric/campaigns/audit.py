"""The precision audit: a few trials of every cell again in balls, discrepancies against their declared bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from flint import ctx

from proofs_numeric.checks.cell import Cell
from proofs_numeric.model.streams import SEED, stream
from proofs_numeric.precision.replay import Replayed, Tape
from proofs_numeric.precision.ties import AuditError

DIGITS = 100  #: balls widen in differences and along a trajectory; more than 50 are left
TRIALS = 6
STAGE = 2**32 - 1  #: the stage address of audits: no campaign draws there


@dataclass(frozen=True)
class Audit:
    """``discrepancy`` and ``bound``: |float - reference| and its declared bound, where their quotient is largest."""

    trials: int
    discrepancy: float
    bound: float

    @property
    def held(self) -> bool:
        """Whether every discrepancy is within its declared bound; a bound that declares nothing holds nothing."""
        return self.used <= 1

    @property
    def used(self) -> float:
        """The largest share of its bound that a discrepancy takes, at most 1 if the audit holds; oo where either is
        no finite number."""
        if not (math.isfinite(self.discrepancy) and math.isfinite(self.bound)):
            return math.inf
        if self.bound == 0:
            return 0.0 if self.discrepancy == 0 else math.inf
        return self.discrepancy / self.bound


@lru_cache(maxsize=4096)
def audit(cell: Cell, seed: int = SEED, trials: int = TRIALS) -> Audit | None:
    """The audit of one cell on ``trials`` fresh trials; None where the draw has no reference.

    The discrepancy is the upper end of the ball |float - reference|. Raises AuditError.
    """
    if not isinstance(cell.draw, Replayed):
        return None
    tape = Tape(stream(cell.label, cell.name, STAGE, 0, seed))
    found = cell.draw(tape, trials)  # type: ignore[arg-type]
    with ctx.workdps(DIGITS):
        try:
            wanted = cell.draw.reference(tape, trials)
        except LookupError as error:
            raise AuditError(f"{cell.key}: {error}") from error
        if not tape.empty or len(wanted) != trials:
            raise AuditError(f"{cell.key}: the reference used other random numbers than the draw")
        gaps = [(float(abs(v - float(x)).upper()), bound) for x, (v, bound) in zip(found, wanted, strict=True)]
    return max((Audit(trials, *gap) for gap in gaps), key=lambda a: a.used)
