"""Rules that turn a sequent into others: cases, factors, lemmas, values of an integer."""

from __future__ import annotations

from dataclasses import replace

from boundcheck.kernel.check.nodes_read import (
    ZERO,
    Node,
    at_least,
    hypothesis,
    items,
    known,
    name_of,
    need,
    objects,
    ordering,
    refuse_more_bases,
    relation,
    whole_number,
)
from boundcheck.kernel.check.sequent import Refused, Sequent, conditions, obligations, outside_binders
from boundcheck.kernel.formula import BINDERS, Expr, Relation, num, var


def _case(node: Node, seq: Sequent) -> list[Sequent]:
    """Two children: e >= 0 (e > 0 where "strict") and e <= 0, kinks abs(e), min and max resolved in each."""
    e = known(node, "on", seq)
    left = obligations(e, seq)
    never = any(h.op == "!=" and h.gap in (e, -e) for h in seq.hyps)
    a, b = e.args if e.op == "sub" else (e, ZERO)
    strict = node.get("strict") is True
    for op, sign in ((">" if never or strict else ">=", 1), ("<" if never else "<=", -1)):
        child = seq.with_hyps()

        def put(r: Relation, sign: int = sign) -> Relation:
            return r.map(lambda f: resolve(f, e, sign, seq, r.op != "defined"))

        hyps = tuple(put(h) for h in child.hyps)
        left.append(Sequent((*hyps, Relation(op, a, b)), put(child.goal), seq.integers))
    return left


def binary(e: Expr) -> Expr:
    """``e`` with min and max of many arguments nested in pairs."""
    if e.op in ("num", "var", "const"):
        return e
    args = tuple(map(binary, e.args))
    while e.op in ("min", "max") and len(args) > 2:
        args = (*args[:-2], Expr(e.op, args[-2:]))
    return Expr(e.op, args, e.value)


def resolve(f: Expr, e: Expr, sign: int, seq: Sequent, drop: bool = True) -> Expr:
    """``f`` where sign*e >= 0: abs of +-e, and (``drop``) min/max of two formulas that differ by +-e, taken apart."""
    if f.op in ("num", "var", "const", "integral", "sum"):
        return f
    args = tuple(resolve(a, e, sign, seq, drop) for a in f.args)
    if f.op == "abs":
        for s in (1, -1):
            if seq.algebra.is_zero(args[0] - (e if s > 0 else -e)):
                return args[0] if s * sign > 0 else -args[0]
    if drop and f.op in ("min", "max") and len(args) == 2:
        a, b = args
        for s in (1, -1):
            if seq.algebra.is_zero(a - b - (e if s > 0 else -e)):
                return a if (s * sign > 0) == (f.op == "max") else b
    return Expr(f.op, args, f.value)


def replaced(e: Expr, old: Expr, new: Expr) -> Expr:
    """``e`` with every occurrence of the subformula ``old`` replaced, but for what integrals and sums bind."""
    if e is old:
        return new
    kept = e.args[:2] if e.op in BINDERS else ()
    return Expr(e.op, (*kept, *(replaced(a, old, new) for a in e.args[len(kept) :])), e.value) if e.args else e


def _equal(node: Node, seq: Sequent) -> list[Sequent]:
    if seq.goal.op != "==":
        raise Refused("equal wants ==")
    return [seq.with_goal(Relation(op, seq.goal.lhs, seq.goal.rhs)) for op in ("<=", ">=")]


def _unequal(node: Node, seq: Sequent) -> list[Sequent]:
    op = node.get("as")
    if seq.goal.op != "!=" or op not in ("<", ">"):
        raise Refused("unequal wants != and one of < and >")
    return [seq.with_goal(Relation(op, seq.goal.lhs, seq.goal.rhs))]


def _defined(node: Node, seq: Sequent) -> list[Sequent]:
    if seq.goal.op != "defined":
        raise Refused("defined wants a goal of definedness")
    left = obligations(seq.goal.lhs, seq)
    return _parts_defined(seq) if any(s.goal == seq.goal for s in left) else left


def _parts_defined(seq: Sequent) -> list[Sequent]:
    """A formula is defined where its integrals and sums are, and the conditions outside of them hold."""
    e = seq.goal.lhs
    if e.op in BINDERS:
        raise Refused("an integral or sum is not evaluated on the whole box")
    outer = [n for n in outside_binders(e) if n.op in BINDERS]
    left = [seq.with_goal(Relation("defined", n, ZERO)) for n in outer]
    return left + [s for c in conditions(e, seq) for s in need(c, seq)]


def _factor(node: Node, seq: Sequent) -> list[Sequent]:
    """gap is exactly the product of the factors, each of a proved sign."""
    goal = ordering(seq)
    product, sign, left = num(1), 1, []
    for f in objects(node, "factors", 40):
        e, s = known(f, "text", seq), f.get("sign")
        if s not in (1, -1) or isinstance(s, bool):
            raise Refused("a factor has sign 1 or -1")
        sign *= s
        product = product * e
        left += need(at_least(e if s > 0 else -e, goal.strict), seq)
    if sign < 0 or not seq.algebra.is_zero(goal.gap - product):
        raise Refused("the factors do not multiply to the gap")
    return left


def _cut(node: Node, seq: Sequent) -> list[Sequent]:
    """A lemma proved from the hypotheses joins them."""
    lemma = relation(node.get("lemma"))
    if not lemma.free <= set(seq.variables) or lemma.op == "!=":
        raise Refused("a lemma on unknown variables")
    proof = need(lemma, seq)
    return [*proof, seq.with_hyps(lemma)]


def _drop(node: Node, seq: Sequent) -> list[Sequent]:
    return [replace(seq, hyps=tuple(hypothesis(i, seq) for i in items(node, "keep")))]


def _enumerate(node: Node, seq: Sequent) -> list[Sequent]:
    v, first = name_of(node, "var", seq), whole_number(node.get("from"), "from")
    last = whole_number(node.get("to"), "to", first, first + 5000)
    if v not in seq.integers:
        raise Refused("enumerate wants an integer variable")
    box = seq.box
    if box is None:
        return []
    out = [seq.substituted({v: num(k)}) for k in range(first, last + 1)]
    refuse_more_bases(seq, seq.goal.lhs, out[0].goal.lhs)
    if not box[v][0] >= first:
        out.append(seq.with_hyps(Relation("<=", var(v), num(first - 1))))
    if not box[v][1] <= last:
        out.append(seq.with_hyps(Relation(">=", var(v), num(last + 1))))
    return out


RULES = {
    "case": _case, "equal": _equal, "unequal": _unequal, "defined": _defined, "factor": _factor, "cut": _cut,
    "drop": _drop, "enumerate": _enumerate,
}  # fmt: skip
