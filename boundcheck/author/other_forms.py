"""A relation in other forms: |T| <= R says T <= R and -T <= R, and follows from both; A - B <= C says A <= B + C."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from boundcheck.author.by_rule import Prove, by_rule
from boundcheck.author.draft import Draft
from boundcheck.author.goal import QUICK, Goal, accept
from boundcheck.author.match import terms_of, total
from boundcheck.kernel.formula import Relation, call, is_opaque
from boundcheck.kernel.statement import Follows


def rearranged(draft: Draft, goal: Goal, prove: Prove) -> Draft | None:
    """The goal by a rule that says it in another form: |T| <= R for T <= R and T >= -R, A <= B + C for A - B <= C."""
    for r in _forms(goal.relation):
        part = goal.part(goal.said(r))
        found = by_rule(draft, replace(part, depth=0), prove) if part.fact.claim not in goal.path else None
        if found is not None:
            return accept(found, goal, Follows((found.last,)), "rearranged")
    return None


def of_both_signs(draft: Draft, goal: Goal, prove: Callable[[Draft, Goal], Draft | None]) -> Draft | None:
    """|T| <= R from T <= R and -T <= R."""
    r = goal.relation if goal.relation.op in ("<", "<=") else goal.relation.flipped()
    if r.op not in ("<", "<=") or r.lhs.op != "abs":
        return None
    refs: list[int] = []
    for side in (r.lhs.args[0], -r.lhs.args[0]):
        part = goal.part(goal.said(Relation(r.op, side, r.rhs)))
        found = prove(draft, part)
        if found is None:
            return None
        draft, refs = found, [*refs, found.last]
    return accept(draft, goal, Follows(tuple(refs)), "both signs", QUICK)


def one_sided(draft: Draft, goal: Goal, said: Relation) -> Draft:
    """The draft, whose last line is ``said``, with T <= R and -T <= R where that is |T| <= R."""
    last = draft.last
    if said.op == "<=" and said.lhs.op == "abs":
        for side in (said.lhs.args[0], -said.lhs.args[0]):
            part = goal.part(goal.said(Relation("<=", side, said.rhs)))
            draft = accept(draft, part, Follows((last,)), "modulus") or draft
    return draft


def _forms(r: Relation) -> Iterator[Relation]:
    """Relations that imply ``r``: of a modulus, and with the negative terms of a side on the other one."""
    r = r if r.op in ("<", "<=") else r.flipped()
    if r.op != "<=":
        return
    for term, bound in ((r.lhs, r.rhs), (r.rhs, -r.lhs)):
        if is_opaque(term) and term.op != "norm":
            yield Relation("<=", call("abs", term), bound)
    left, right = terms_of(r.lhs), terms_of(r.rhs)
    if any(sign < 0 for sign, _ in (*left, *right)):
        signed = [*left, *((-sign, term) for sign, term in right)]
        yield Relation("<=", total([t for t in signed if t[0] > 0]), total([(1, t) for sign, t in signed if sign < 0]))
