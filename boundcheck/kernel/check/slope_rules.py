"""The rule "ladder", which looks at the slope of the gap in one variable: monotone from a face on."""

from __future__ import annotations

from boundcheck.kernel.check.nodes_read import ZERO, Node, at_least, known, name_of, need, ordering, slope
from boundcheck.kernel.check.sequent import Refused, Sequent, isolated, obligations, outside_binders
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import positive
from boundcheck.kernel.formula import Expr, Relation, substitute, var


def _ladder(node: Node, seq: Sequent) -> list[Sequent]:
    """g >= 0 on the face v = at, and dg/dv of one sign from there on."""
    goal = ordering(seq)
    v = name_of(node, "var", seq)
    low = node.get("end") == "low"
    if not low and node.get("end") != "high":
        raise Refused("end is low or high")
    at, x, gap = known(node, "at", seq), var(v), goal.gap
    if v in at.free:
        raise Refused("the face moves with the variable")
    rate = slope(gap, v)
    beyond = x - at if low else at - x
    left = need(at_least(beyond, False), seq)
    off_face = not need(at_least(beyond, True), seq)
    others, keep, bounds = [], [], []
    for h in seq.hyps:
        if v not in h.free:
            others.append(h)
            continue
        bound = isolated(h, v)
        if bound is not None and bound.op in (("<", "<=") if low else (">", ">=")):
            keep.append(h)
            bounds.append(Relation(bound.op, at, bound.rhs))
    integers = seq.integers - {v}
    face = Sequent((*others, *bounds), goal, integers).substituted({v: at})
    inside = Sequent((*others, *keep, at_least(beyond, True)), goal, integers)
    strict_face = goal.strict
    strict_slope = False
    if goal.strict and off_face and node.get("strict") == "slope":
        strict_face, strict_slope = False, True
    left += [*obligations(face.goal.gap, face), *_no_jump(gap, v, at, face)]
    left.append(face.with_goal(at_least(substitute(gap, {v: at}), strict_face)))
    left += obligations(gap, inside) + obligations(rate, inside)
    left.append(inside.with_goal(at_least(rate if low else -rate, strict_slope)))
    return left


def _no_jump(gap: Expr, v: str, at: Expr, face: Sequent) -> list[Sequent]:
    """That no power with v in its exponent becomes 0**0 at v = at: it would be 1 there, and may tend to less."""
    left = []
    for n in outside_binders(gap):
        if n.op == "pow" and v in n.args[1].free:
            base, exponent = (substitute(a, {v: at}) for a in n.args)
            if not positive(enclose(exponent, face.box or {}), True):
                left += need(Relation("!=", base, ZERO), face)
    return left


RULES = {"ladder": _ladder}
