"""Edges: a variable that its domain pins is put in, and the base of a power is split at 0 by itself."""

from __future__ import annotations

from boundcheck.decide.scalar.prover import Node, Prover, fresh
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import positive
from boundcheck.kernel.enclosure.straight_line import fraction_of
from boundcheck.kernel.formula import Expr, num, substitute, text

_ORDER = ("<=", "<", ">=", ">")


def pinned(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """A variable that can have one value only is that value."""
    box = seq.box or {}
    for v in sorted(seq.goal.free - seq.integers):
        lo, hi = box[v][0], box[v][1]
        if lo == hi and lo.is_exact():
            at = num(fraction_of(lo))
            node: Node = {"rule": "substitute", "var": v, "new": fresh(seq), "by": text(at), "inverse": v, "facts": []}
            done = p.apply(node, seq, depth)
            if done is not None:
                return done
    return None


def _edges(e: Expr) -> list[Expr]:
    """The bases of roots and of powers that are no whole number, and what logarithms are taken of."""
    found = []
    for n in e.walk():
        whole = n.op == "pow" and n.args[1].op == "num" and n.args[1].value.denominator == 1 and n.args[1].value > 0
        if (n.op == "pow" and not whole) or n.op in ("sqrt", "log"):
            found.append(n.args[0])
    return found


def based(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """A variable >= 0 under a root or a power that may vanish with it: the case 0, where it can be put in, and > 0."""
    goal, box = seq.goal, seq.box or {}
    if goal.op not in _ORDER or len(goal.free) < 2 or depth < 4:
        return None
    bases = _edges(goal.gap)
    for v in sorted(goal.free - seq.integers):
        if box[v][0] == 0 and not box[v][2] and box[v][1] > 0:
            vanishing = (substitute(b, {v: num(0)}) for b in bases if v in b.free)
            if any(not positive(enclose(b, box), True) for b in vanishing):
                return p.apply({"rule": "case", "on": v, "strict": True}, seq, depth)
    return None
