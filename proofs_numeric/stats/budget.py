"""The error budget of a run, declared in one place and divided before anything is drawn (Bonferroni)."""

from __future__ import annotations

from dataclasses import dataclass

FALSE_REFUTATION = 1e-6  #: P(some true claim of the run is called REFUTED-STAT)
FALSE_BOUND = 1e-3  #: P(some printed confidence bound of the run misses the truth)
SCREEN = 1e-3  #: per-cell level of stage one, which only decides whether stage two is drawn
POWER = 0.99  #: probability with which a violation as large as ``detectable`` is rejected
DETECTABLE_RATIO = 2.0  #: CONSISTENT needs detectable <= this times the claim
STAGE_TWO = 4  #: stage two draws this many times the trials of stage one, from fresh streams


@dataclass(frozen=True)
class Levels:
    """What one cell may spend: ``reject`` in stage two, ``screen`` in stage one, ``confidence`` per printed bound."""

    screen: float
    reject: float
    confidence: float


def levels(cells: int) -> Levels:
    """The levels of each of ``cells`` cells fixed in advance.

    A bound can be printed from stage one or from stage two, whichever ran last, so each of the two gets half.
    """
    if cells < 1:
        raise ValueError(f"a run has at least one cell, got {cells}")
    reject = FALSE_REFUTATION / cells
    return Levels(max(SCREEN, reject), reject, FALSE_BOUND / cells / 2)
