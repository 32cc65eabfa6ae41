"""Rules that go through a function: one that increases, or a power, on both sides; a convex one; an inverse sine."""

from __future__ import annotations

from boundcheck.kernel.check.nodes_read import (
    Node,
    at_least,
    known,
    need,
    ordering,
    refuse_more_bases,
)
from boundcheck.kernel.check.reductions import replaced
from boundcheck.kernel.check.sequent import Refused, Sequent, domain, obligations
from boundcheck.kernel.formula import Relation, call, const, num
from boundcheck.kernel.formula.functions import RISING, TABLE


def _arc(node: Node, seq: Sequent) -> list[Sequent]:
    """asin(u), acos(u) or atan(u) replaced by y: its sine (cosine, tangent) is u, and it lies on the branch."""
    term, y = known(node, "term", seq), known(node, "is", seq)
    if term.op not in ("asin", "acos", "atan"):
        raise Refused("arc wants asin, acos or atan, and what it is")
    u, half = term.args[0], const("pi") / 2
    sine, cosine = call("sin", y), call("cos", y)
    low, high = (num(0), const("pi")) if term.op == "acos" else (-half, half)
    equal = {"asin": (sine, u), "acos": (cosine, u), "atan": (sine, u * cosine)}[term.op]
    op = "<" if term.op == "atan" else "<="
    conditions = [Relation("==", *equal), Relation(op, low, y), Relation(op, y, high)]
    goal = seq.goal.map(lambda e: replaced(e, term, y))
    refuse_more_bases(seq, seq.goal.lhs, goal.lhs, term)
    return [*obligations(y, seq), *obligations(u, seq), *(seq.with_goal(c) for c in conditions), seq.with_goal(goal)]


def _monotone(node: Node, seq: Sequent) -> list[Sequent]:
    """Both sides through a function, the square, or a power that increases."""
    goal = ordering(seq)
    if goal.op in (">", ">="):
        goal = goal.flipped()
    a, b = goal.lhs, goal.rhs
    match node.get("fn"):
        case str(name) if name in RISING:
            inside = [r for e in (a, b) for r in domain(name, e)]
            return [*(s for r in inside for s in need(r, seq)), seq.with_goal(goal.map(lambda e: call(name, e)))]
        case "square":
            return [*need(at_least(b, False), seq), seq.with_goal(goal.map(lambda e: e ** num(2)))]
        case "power":
            r = known(node, "exponent", seq)
            powers = goal.map(lambda e: e**r)
            left = [*obligations(r, seq), *need(at_least(r, True), seq), *obligations(powers.gap, seq)]
            left += [*need(at_least(a, False), seq), *need(at_least(b, False), seq)]
            return [*left, seq.with_goal(powers)]
    raise Refused("fn is square, power or a function that increases")


def _jensen(node: Node, seq: Sequent) -> list[Sequent]:
    """f(at) <= (1 - w) f(a) + w f(b), at = (1 - w) a + w b, is a hypothesis for a convex f, >= for a concave one.

    f is a function of the table, or on [0, oo) the power with an exponent that is >= 1 (``convex``), or in [0, 1].
    """
    name, strict = node.get("fn"), node.get("strict") is True
    a, b, w, at = (known(node, key, seq) for key in ("from", "to", "weight", "at"))
    if not seq.algebra.is_zero((num(1) - w) * a + w * b - at):
        raise Refused("jensen: at is not the weighted mean")
    if name == "power":
        x, convex = known(node, "exponent", seq), node.get("convex") is True
        first, last, middle = (e**x for e in (a, b, at))
        left = [s for e in (x, first, last, middle) for s in obligations(e, seq)]
        inside = [at_least(e, False) for e in (a, b)]
        inside += [at_least(x - num(1), strict)] if convex else [at_least(x, strict), at_least(num(1) - x, strict)]
    else:
        f = TABLE.get(name) if isinstance(name, str) else None
        if not isinstance(name, str) or f is None or f.convex is None:
            raise Refused("jensen: a function is wanted that is known to be convex or concave")
        convex = f.convex
        first, last, middle = (call(name, e) for e in (a, b, at))
        left = [s for e in (a, b, at) for s in obligations(e, seq)]
        positive = name in ("gamma", "loggamma")
        inside = [r for e in (a, b) for r in ([at_least(e, True)] if positive else domain(name, e))]
    inside += [at_least(w, strict), at_least(num(1) - w, strict)]
    left += [s for relation in inside for s in need(relation, seq)]
    if strict:
        left.append(seq.with_goal(Relation("!=", a, b)))
    op = ("<" if convex else ">") + ("" if strict else "=")
    return [*left, seq.with_hyps(Relation(op, middle, (num(1) - w) * first + w * last))]


def _peel(node: Node, seq: Sequent) -> list[Sequent]:
    """gap = c (f(a) - f(b)), c >= 0: compare a and b, where f increases, or is a power with an exponent >= 0.

    A power with an exponent <= 0 falls: compare b and a. In a strict goal neither c nor the exponent is 0.
    """
    goal = ordering(seq)
    upper, lower, c = known(node, "upper", seq), known(node, "lower", seq), known(node, "factor", seq, default=num(1))
    if upper.op != lower.op or upper.args[1:] != lower.args[1:]:
        raise Refused("peel wants one function on both sides")
    if upper.op not in RISING and upper.op != "pow":
        raise Refused(f"peel: {upper.op} is not known to increase")
    if not seq.algebra.is_zero(goal.gap - c * (upper - lower)):
        raise Refused("peel: the goal has another form")
    left = [*obligations(upper, seq), *obligations(lower, seq), *need(at_least(c, goal.strict), seq)]
    big, small = upper.args[0], lower.args[0]
    if upper.op == "pow":
        falls, r = node.get("falls") is True, upper.args[1]
        if falls:
            big, small = small, big
        left += [*need(at_least(-r if falls else r, goal.strict), seq), *need(at_least(small, falls), seq)]
    return [*left, seq.with_goal(Relation(">" if goal.strict else ">=", big, small))]


RULES = {"arc": _arc, "monotone": _monotone, "jensen": _jensen, "peel": _peel}
