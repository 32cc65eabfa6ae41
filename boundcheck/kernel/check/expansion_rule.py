"""The rule "expansion": a sign near a point or far out, by an expansion with a remainder."""

from __future__ import annotations

from boundcheck.kernel.check.expansion import Expansion
from boundcheck.kernel.check.laurent import NoExpansion
from boundcheck.kernel.check.nodes_read import (
    ORDER,
    Clock,
    Node,
    at_least,
    hypothesis,
    known,
    name_of,
    need,
    ordering,
    rational,
    whole_number,
)
from boundcheck.kernel.check.poly import AlgebraLimit
from boundcheck.kernel.check.sequent import Refused, Sequent
from boundcheck.kernel.enclosure.straight_line import is_integer_valued
from boundcheck.kernel.formula import Relation, num, var


def _expansion(node: Node, seq: Sequent, clock: Clock) -> list[Sequent]:
    goal = ordering(seq)
    v = name_of(node, "var", seq)
    side, depth = node.get("side"), whole_number(node.get("order", 6), "order", 1, 24)
    if side not in (1, -1) or isinstance(side, bool):
        raise Refused("side is 1 or -1")
    width = rational(node.get("width"), "width")
    if not 0 < width < 1 or width.denominator.bit_length() > 4000:
        raise Refused("width lies between 0 and 1")
    x, at = var(v), None
    left: list[Sequent] = []
    if node.get("at") == "oo":
        left += need(Relation(">=", side * x if side < 0 else x, num(1 / width)), seq)
    else:
        at = known(node, "at", seq)
        if v in at.free:
            raise Refused("the point of expansion moves with the variable")
        d = x - at if side > 0 else at - x
        left += need(at_least(d, False), seq) + need(Relation("<=", d, num(width)), seq)
        if need(at_least(d, True), seq):
            if v in seq.integers and not is_integer_valued(at, seq.integers):
                raise Refused("as an exponent, the point of expansion takes fewer bases than the variable")
            face = seq.substituted({v: at})
            left.append(face)
    box = dict(seq.box or {})
    box.pop(v, None)
    try:
        expansion = Expansion(seq.algebra, box, v, at, int(side), width, depth, clock)
        if "absurd" in node:
            h = hypothesis(node["absurd"], seq)
            if h.op not in ORDER:
                raise Refused("a hypothesis that is an inequality is wanted")
            if expansion.sign(h.gap) >= (1 if h.strict else 0):
                raise Refused("the hypothesis may hold")
            return left
        sign = expansion.sign(goal.gap)
    except (NoExpansion, AlgebraLimit) as error:
        raise Refused(f"expansion: {error}") from None
    if sign < 0 or (sign == 0 and goal.strict):
        raise Refused("the expansion has the wrong sign")
    return left


RULES = {"expansion": _expansion}
