"""The rule "cover": a box cut into boxes that settle the goal each."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from boundcheck.kernel.check.leaves import falsified, settled
from boundcheck.kernel.check.nodes_read import Clock, Node, rational
from boundcheck.kernel.check.sequent import Box, Refused, Sequent
from boundcheck.kernel.formula import Relation, num, var


def _cover(node: Node, seq: Sequent, clock: Clock) -> list[Sequent]:
    """A bisection tree: 0 settles a box, 1 leaves it to a child, [variable, at, below, above] splits."""
    box = seq.box
    if box is None:
        return []
    left: list[Sequent] = []
    stack: list[tuple[Any, Box, tuple[Relation, ...], int]] = [(node.get("tree"), box, (), 0)]
    while stack:
        tree, here, path, depth = stack.pop()
        clock()
        if depth > 300:
            raise Refused("a cover deeper than 300 splits")
        if tree == 1 and isinstance(tree, int):
            left.append(seq.with_hyps(*path))
        elif tree == 0 and isinstance(tree, int):
            if not settled(seq.goal, here) and not any(falsified(h, here) for h in seq.hyps):
                raise Refused(f"a box of the cover does not settle the goal: {_show(here)}")
        elif isinstance(tree, (list, tuple)) and len(tree) == 4:
            v, at, below, above = tree
            if v not in here:
                raise Refused("a split of an unknown variable")
            q = rational(at, "at")
            low, high = halves(here, v, q)
            for half, part, op in ((high, above, ">="), (low, below, "<=")):
                if half is not None:
                    r = Relation(op, var(v), num(q))
                    kept = tuple(p for p in path if p.lhs is not r.lhs or p.op != op)
                    stack.append((part, half, (*kept, r), depth + 1))
                elif part != 0:
                    raise Refused("a split outside the box")
        else:
            raise Refused("a cover tree is 0, 1 or [variable, at, below, above]")
    return left


def halves(box: Box, v: str, at: Fraction) -> tuple[Box | None, Box | None]:
    """The two parts of a box; None for a part that is surely empty (the ball of ``at`` may reach over an end)."""
    e = fmpq(at.numerator, at.denominator)
    c = arb(e)
    lo, hi, lo_open, hi_open = box[v]
    low = {**box, v: (lo, c.upper(), lo_open, False)} if lo <= c.upper() else None
    high = {**box, v: (c.lower(), hi, False, hi_open)} if hi >= c.lower() else None
    return low, high


def _show(box: Box) -> str:
    return ", ".join(f"{v} in [{a[0].str(8, radius=False)}, {a[1].str(8, radius=False)}]" for v, a in box.items())


RULES = {"cover": _cover}
