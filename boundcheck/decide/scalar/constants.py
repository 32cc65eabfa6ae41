"""Formulas that do not change: a derivative that is exactly 0, and one value."""

from __future__ import annotations

from fractions import Fraction

from boundcheck.decide.scalar.prover import MAX_DEPTH, Node, Prover, size, slope_of
from boundcheck.kernel.check.refine import identical
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.enclosure.intervals import INF, NINF, exact
from boundcheck.kernel.enclosure.straight_line import fraction_of
from boundcheck.kernel.formula import Relation, num, substitute, text, var

_PLACES = tuple(Fraction(t) for t in ("0", "1", "-1", "1/2", "-1/2", "2"))


def constant(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """lhs - rhs has derivative 0 in one variable: it keeps the value that it has at one place of its range."""
    goal = seq.goal
    if goal.op not in ("==", "<=", ">=") or depth < MAX_DEPTH - 1:
        return None
    for v in sorted(goal.lhs.free | goal.rhs.free):
        slope = slope_of(goal.lhs - goal.rhs, v)
        if slope is None or size(slope) > 200 or v in seq.integers or not seq.algebra.is_zero(slope):
            continue
        p.clock()
        for at in _places(seq, v):
            node = _from(p, seq, v, at)
            if node is not None:
                return node
    return None


def _places(seq: Sequent, v: str) -> list[Fraction]:
    lo, hi = (seq.box or {})[v][:2]
    found = [q for q in _PLACES if lo <= exact(q) <= hi]
    return found or [fraction_of(end) for end in (lo, hi) if NINF < end < INF]


def _from(p: Prover, seq: Sequent, v: str, at: Fraction) -> Node | None:
    """Ladders from ``at`` to both sides."""
    value = substitute(seq.goal.lhs - seq.goal.rhs, {v: num(at)})
    there = Sequent(tuple(h for h in seq.hyps if v not in h.free), Relation("==", value, num(0)), seq.integers)
    if not identical(there):
        return None
    if seq.goal.op == "==":
        return p.apply({"rule": "equal"}, seq, MAX_DEPTH, lambda s: _from(p, s, v, at))
    here: Node = {"rule": "ladder", "var": v, "at": text(num(at))}

    def side(s: Sequent) -> Node | None:
        if s.box is None:
            return {"rule": "eval"}
        lo, hi = s.box[v][:2]
        ends = [end for end, x in (("low", lo), ("high", hi)) if x == exact(at)]
        return p.apply({**here, "end": ends[0]}, s, MAX_DEPTH) if ends else None

    return side(seq) or p.apply({"rule": "case", "on": text(var(v) - num(at))}, seq, MAX_DEPTH, side)
