"""Goals decided on one box: natural enclosures; where these do not do, :mod:`slope_leaves`."""

from __future__ import annotations

from boundcheck.kernel.check.sequent import Box
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import Interval
from boundcheck.kernel.formula import Relation


def compare(op: str, a: Interval, b: Interval) -> bool:
    """Whether ``a op b`` holds for all values."""
    match op:
        case "<=":
            return bool(a[1] <= b[0])
        case "<":
            return bool(a[1] < b[0] or (a[1] == b[0] and (a[3] or b[2])))
        case ">=" | ">":
            return compare("<=" if op == ">=" else "<", b, a)
        case "!=":
            return compare("<", a, b) or compare("<", b, a)
        case "==":
            return bool(a[0] == a[1] == b[0] == b[1])
    return False


def falsified(h: Relation, box: Box) -> bool:
    """Whether the hypothesis fails at every point of the box (where it is defined)."""
    if h.op not in ("<=", "<", ">=", ">", "=="):
        return False
    a, b = enclose(h.lhs, box), enclose(h.rhs, box)
    if a is None or b is None:
        return False
    return compare(h.negated().op, a, b)


def natural(goal: Relation, box: Box) -> bool:
    """The goal by natural enclosures of both sides."""
    if goal.op == "defined":
        return enclose(goal.lhs, box) is not None
    a, b = enclose(goal.lhs, box), enclose(goal.rhs, box)
    if a is None or b is None:
        return False
    return compare(goal.op, a, b)


def settled(goal: Relation, box: Box) -> bool:
    """The goal by the strongest of the forms above."""
    if natural(goal, box):
        return True
    if goal.op not in ("<=", "<", ">=", ">"):
        return False
    from boundcheck.kernel.check.slope_leaves import (  # what a box settles at once rests on neither
        by_slopes,
        by_taylor,
    )

    gap = goal.gap
    return by_slopes(gap, goal.strict, box) or by_taylor(gap, goal.strict, box)
