"""Bisection trees: where a box is split, and the splits that a leaf still needs before balls settle it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from boundcheck.kernel.check.cover_rule import halves
from boundcheck.kernel.check.leaves import falsified, settled
from boundcheck.kernel.check.nodes_read import rational
from boundcheck.kernel.check.sequent import Box, Sequent
from boundcheck.kernel.enclosure.intervals import INF, NINF, Interval
from boundcheck.kernel.enclosure.straight_line import fraction_of

MAX_DEEPER = 5  #: further bisections of a leaf that floats have settled


def deepened(seq: Sequent, tree: Any, box: Box, deeper: int = MAX_DEEPER) -> Any:
    """The tree of a cover with its leaves split until balls settle them, at most ``deeper`` times."""
    if isinstance(tree, list):
        v, at, below, above = tree
        low, high = halves(box, v, rational(at, "at"))
        parts = ((below, low), (above, high))
        return [v, at, *(part if half is None else deepened(seq, part, half) for part, half in parts)]
    if tree == 1 or settled(seq.goal, box) or any(falsified(h, box) for h in seq.hyps):
        return tree
    v = widest(box, seq.goal.free) if deeper else None
    if v is None:
        return tree
    at = midpoint(box[v])
    smaller = [0 if half is None else deepened(seq, 0, half, deeper - 1) for half in halves(box, v, at)]
    return [v, str(at), *smaller]


def midpoint(a: Interval) -> Fraction:
    """A rational split point inside an interval, also for infinite ends."""
    lo, hi = a[0], a[1]
    if lo == NINF and hi == INF:
        return Fraction(0)
    if hi == INF:
        if lo < 1 and lo > -1:
            return Fraction(1)
        return 2 * fraction_of(lo) if lo > 0 else Fraction(0)
    if lo == NINF:
        return -midpoint((-hi, INF, a[3], True))
    return (fraction_of(lo) + fraction_of(hi)) / 2


def widest(box: Box, names: frozenset[str]) -> str | None:
    """The variable with the widest side among ``names``."""
    best, size = None, None
    for v in sorted(names):
        w = box[v][1] - box[v][0]
        if (w > 0) and (size is None or w > size):
            best, size = v, w
    return best
