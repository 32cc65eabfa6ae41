"""Rules that bring another variable: for a floor, for a term, for a formula of it; one set to 1 by homogeneity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from flint import fmpq

from boundcheck.kernel.check.nodes_read import (
    Node,
    at_least,
    facts_about,
    formula,
    fresh_name,
    known,
    name_of,
    need,
    rational,
    refuse_more_bases,
)
from boundcheck.kernel.check.poly import ONE, AlgebraLimit, add, freeze, multiply, thaw
from boundcheck.kernel.check.reductions import replaced
from boundcheck.kernel.check.sequent import Refused, Sequent, conditions, obligations
from boundcheck.kernel.enclosure.straight_line import is_integer_valued
from boundcheck.kernel.formula import Expr, Relation, num, substitute, var


def _step(node: Node, seq: Sequent) -> list[Sequent]:
    """floor(u) or ceil(u) relaxed to a new integer variable within 1 of u."""
    term, new = known(node, "term", seq), fresh_name(node, seq)
    if term.op not in ("floor", "ceil"):
        raise Refused("step wants a floor or ceil")
    u, t = term.args[0], var(new)
    facts = (
        (Relation("<=", t, u), Relation(">", t, u - 1))
        if term.op == "floor"
        else (Relation(">=", t, u), Relation("<", t, u + 1))
    )

    # the facts about t say that u is defined: that is to be proved
    return [*obligations(u, seq), _renamed(seq, term, new, facts, True)]


def _renamed(seq: Sequent, term: Expr, new: str, facts: Iterable[Relation], whole: bool) -> Sequent:
    """The sequent with a new name for a subformula, of which the facts are known.

    The name is whole where the subformula is: as an exponent it takes any base then.
    """

    def put(r: Relation) -> Relation:
        return r.map(lambda e: replaced(e, term, var(new)))

    return Sequent((*map(put, seq.hyps), *facts), put(seq.goal), seq.integers | ({new} if whole else set()))


def _let(node: Node, seq: Sequent) -> list[Sequent]:
    """A subformula becomes a new variable of which only the facts are known, each proved of the subformula."""
    term, new = known(node, "term", seq), fresh_name(node, seq)
    facts, left = facts_about(node, new, term, {*seq.variables}, seq)
    whole = is_integer_valued(term, seq.integers)
    return [*obligations(term, seq), *left, _renamed(seq, term, new, facts, whole)]


def _substitute(node: Node, seq: Sequent) -> list[Sequent]:
    """x = by(t), with t = inverse(x) at every point of the domain: an identity, or a goal of its own.

    For a whole x both are whole by their form, and t is.
    """
    v, new = name_of(node, "var", seq), fresh_name(node, seq)
    by, inverse = formula(node, "by"), formula(node, "inverse")
    whole = frozenset({new} if v in seq.integers else ())
    if whole and not (is_integer_valued(by, seq.integers - {v} | whole) and is_integer_valued(inverse, seq.integers)):
        raise Refused("substitute: a whole variable wants formulas that are whole by their form")
    rest = set(seq.variables) - {v}
    if not by.free <= rest | {new} or not inverse.free <= rest | {v}:
        raise Refused("substitute: unknown variables")
    refuse_more_bases(seq, seq.goal.lhs, substitute(seq.goal.lhs, {v: by}), whole=whole)
    back = substitute(by, {new: inverse})
    left = [*obligations(inverse, seq), *obligations(back, seq)]
    if not seq.algebra.is_zero(back - var(v)):
        left += need(Relation("==", back, var(v)), seq)
    facts, shown = facts_about(node, new, inverse, rest, seq)
    changed = seq.substituted({v: by}).with_hyps(*facts)
    return [*left, *shown, replace(changed, integers=changed.integers | whole)]


def _scale(node: Node, seq: Sequent) -> list[Sequent]:
    """Homogeneity: hypotheses and goal keep their sense under v -> s^w v, so one variable may be 1."""
    weights = node.get("weights")
    unit = name_of(node, "unit", seq)
    if not isinstance(weights, Mapping) or not weights or len(weights) > 40:
        raise Refused("weights: an object is wanted")
    table = {v: rational(w, "weight") for v, w in weights.items() if isinstance(v, str)}
    if table.get(unit, 0) == 0 or table.keys() & seq.integers or not table.keys() <= set(seq.variables):
        raise Refused("the unit needs a weight, and integers cannot be scaled")
    if need(at_least(var(unit), True), seq):
        raise Refused("the unit is not known to be positive")
    s = var("scale_")
    if "scale_" in seq.variables:
        raise Refused("the name scale_ is taken")
    wide = seq.with_hyps(at_least(s, True))
    moved = {v: s ** num(w) * var(v) for v, w in table.items()}
    for r in (*seq.hyps, seq.goal):
        if r.op == "defined":
            raise Refused("definedness is not scaled")
        if not all(_homogeneous(e, moved, wide, s) for e in (r.gap, *(c.gap for c in conditions(r.gap)))):
            raise Refused(f"not homogeneous: {r}")
    return [seq.substituted({unit: num(1)})]


def _homogeneous(gap: Expr, moved: dict[str, Expr], wide: Sequent, s: Expr) -> bool:
    if not gap.free & moved.keys():
        return True
    try:
        before, after = wide.algebra.normal(gap), wide.algebra.normal(substitute(gap, moved))
    except AlgebraLimit:
        return False
    if before.zero or after.zero:
        return before.zero and after.zero
    left, right = multiply(after.num, before.den), multiply(before.num, after.den)
    k, j = (dict(next(iter(p))).get(s, fmpq(0)) for p in (left, right))  # one power of s in all of left, and of right
    power = freeze(add(thaw(k), thaw(j), fmpq(-1)))
    shifted = multiply(right, {((s, power),): fmpq(1)} if power != 0 else ONE)
    return not add(left, shifted, fmpq(-1))


RULES = {"step": _step, "let": _let, "substitute": _substitute, "scale": _scale}
