"""Rules for sums of terms of known sign: linear combinations, sums of squares, weighted means."""

from __future__ import annotations

from boundcheck.kernel.check.nodes_read import (
    ORDER,
    Node,
    at_least,
    hypothesis,
    items,
    known,
    need,
    objects,
    ordering,
    rational,
)
from boundcheck.kernel.check.poly import AlgebraLimit
from boundcheck.kernel.check.quotients import Ratio
from boundcheck.kernel.check.sequent import Refused, Sequent, obligations
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import positive
from boundcheck.kernel.formula import Relation, num


def _farkas(node: Node, seq: Sequent) -> list[Sequent]:
    """scale*gap = sum of c * times * square**2 * product of hypothesis gaps, every term >= 0 and scale > 0.

    Children show that scale > 0 and times >= 0 where the box does not settle it, and what makes them defined.
    """
    goal, box = ordering(seq), seq.box
    if box is None:
        return []
    algebra = seq.algebra
    factor = known(node, "scale", seq, default=num(1))
    left = need(at_least(factor, True), seq)
    strict = False
    try:
        total = algebra.times(algebra.normal(factor), algebra.normal(goal.gap))
        for term in objects(node, "terms"):
            value, is_strict = _term(term, seq, left)
            strict = strict or is_strict
            total = algebra.plus(total, value, -1)
    except AlgebraLimit as error:
        raise Refused(str(error)) from None
    if not total.zero:
        raise Refused("the combination does not add up to the goal")
    if goal.strict and not strict:
        raise Refused("no term of the combination is strictly positive")
    return list(dict.fromkeys(left))


def _term(term: Node, seq: Sequent, left: list[Sequent]) -> tuple[Ratio, bool]:
    """The value of one term and whether it is surely > 0; what its sign rests on joins ``left``."""
    algebra = seq.algebra
    c = rational(term.get("c"), "c")
    times = known(term, "times", seq, default=num(1))
    strict, free_sign = c > 0 and positive(enclose(times, seq.box or {}), True), False
    value = algebra.times(algebra.normal(num(c)), algebra.normal(times))
    if "square" in term:
        root = known(term, "square", seq)
        left += obligations(root, seq)
        form = algebra.normal(root)
        strict, value = False, algebra.times(value, algebra.times(form, form))
    for i in items(term, "hyps", 12) if "hyps" in term else []:
        h = hypothesis(i, seq)
        if h.op not in (*ORDER, "=="):
            raise Refused(f"a hypothesis with {h.op} has no gap")
        free_sign = free_sign or h.op == "=="
        strict = strict and h.strict
        value = algebra.times(value, algebra.normal(h.gap))
    if free_sign:
        left += obligations(times, seq)
    elif c < 0:
        raise Refused("a term of unknown sign")
    else:
        left += need(at_least(times, False), seq)
    return value, strict


def _means(node: Node, seq: Sequent) -> list[Sequent]:
    """The inequality of the weighted means joins the hypotheses: product of v**w <= sum of w v.

    It holds for v >= 0 and weights w >= 0 with sum 1 (Hardy, Littlewood and Polya, Inequalities, theorem 9).
    """
    product, total, weights = num(1), num(0), num(0)
    left: list[Sequent] = []
    for term in objects(node, "terms", 12):
        w, v = known(term, "weight", seq), known(term, "value", seq)
        left += [*need(at_least(w, False), seq), *need(at_least(v, False), seq)]
        product, total, weights = product * v**w, total + w * v, weights + w
    if not seq.algebra.is_zero(weights - 1):
        raise Refused("the weights do not add up to 1")
    lemma = Relation("<=", product, total)
    left += obligations(lemma.gap, seq)
    return [*dict.fromkeys(left), seq.with_hyps(lemma)]


RULES = {"farkas": _farkas, "means": _means}
