"""Edges: a variable that its domain pins is put in, and the base of a power is split at 0 by itself."""

from __future__ import annotations

from boundcheck.decide.prover import Node, Prover
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.enclosure.program import fraction_of
from boundcheck.kernel.formula import Expr, num, text

_ORDER = ("<=", "<", ">=", ">")


def fresh(seq: Sequent) -> str:
    """A name that the sequent does not use."""
    taken = {*seq.variables, *seq.integers}
    return next(f"t{i}_" for i in range(1000) if f"t{i}_" not in taken)


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


def _touched(e: Expr) -> frozenset[str]:
    """The free variables in the base of a root or of a power that is no whole number, or in a logarithm."""
    found: frozenset[str] = frozenset()
    for n in e.walk():
        whole = n.op == "pow" and n.args[1].op == "num" and n.args[1].value.denominator == 1 and n.args[1].value > 0
        if (n.op == "pow" and not whole) or n.op in ("sqrt", "log"):
            found |= n.args[0].free
    return found & e.free


def based(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """A variable >= 0 under a root or a power: the case 0, where it can be put in, and the case > 0."""
    goal, box = seq.goal, seq.box or {}
    if goal.op not in _ORDER or len(goal.free) < 2 or depth < 4:
        return None
    for v in sorted(_touched(goal.gap) - seq.integers):
        if box[v][0] == 0 and not box[v][2] and box[v][1] > 0:
            return p.apply({"rule": "case", "on": v, "strict": True}, seq, depth)
    return None
