"""Several rules in one hint, one after the other: ``norm(c*u) <= r  by norm scale, unit length``.

Each rule says something of a term that the goal, or a rule before it, brings in: norm(c*u) is |c| norm(u), and norm(u)
is 1. What they say becomes lines between, which the elaborated proof shows and the kernel checks like all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from boundcheck.author import adapter
from boundcheck.author.adapter import RULES, exchanged, same
from boundcheck.author.by_rule import Prove, about
from boundcheck.author.draft import Draft, Seen
from boundcheck.author.goal import Goal, accept
from boundcheck.author.other_forms import one_sided
from boundcheck.kernel.formula import BINDERS, Expr, Relation, is_opaque
from boundcheck.kernel.statement import Decide

MAX_TERMS = 16  #: of which a rule is asked
MAX_OTHERS = 4  #: goals with one term put for another


def said_in_turn(draft: Draft, goal: Goal, rules: Sequence[str], prove: Prove) -> Draft:
    """The draft with what the rules say of the goal's terms, and of those that they bring in."""
    terms = list(_terms(goal.relation))
    asked: set[tuple[str, Expr]] = set()
    for _ in rules:  # a rule may speak of what one behind it brings in
        for name in rules:
            for term in terms[:MAX_TERMS]:
                if (name, term) in asked:
                    continue
                asked.add((name, term))
                found = next(about(draft, goal, RULES[name], term, prove), None)
                if found is not None:
                    new = adapter.relation_of(found.statement.steps[-1].fact.claim)
                    draft = one_sided(found, goal, new)
                    terms += [t for t in _terms(new) if t not in terms]
    return counted(draft, goal, terms)


def counted(draft: Draft, goal: Goal, terms: Iterable[Expr]) -> Draft:
    """The draft with what the sums of equal terms among ``terms`` are: sum(c, j, 1, n) is n*c."""
    for term in dict.fromkeys(terms):
        if term.op == "sum" and term.args[1].value not in term.args[0].free:
            body, _, low, high = term.args
            fact = goal.said(f"{term} == ({high} - ({low}) + 1)*({body})")
            draft = accept(draft, goal.part(fact), Decide(), "scalar") or draft
    return draft


def _terms(r: Relation) -> Iterator[Expr]:
    """The terms of a relation that rules speak of, outer ones first, without those of bound names."""
    nodes = list(r.walk())
    bound = {n.args[1].value for n in nodes if n.binds}
    for n in dict.fromkeys([r.lhs, r.rhs, *nodes]):
        if (is_opaque(n) or n.op in BINDERS) and not n.free & bound:
            yield n


def with_terms_put(goal: Goal, new: Sequence[Seen]) -> Iterator[Goal]:
    """The goal with what the new relations say of its terms, or of a whole side of it, in place of these."""
    found = (r for seen in new for r in _moved(goal.relation, seen.relation))
    for r in islice(dict.fromkeys(found), MAX_OTHERS):
        fact = goal.said(r)
        if fact.claim not in goal.path:
            yield replace(goal.part(fact), facts=goal.facts)


def _moved(goal: Relation, said: Relation) -> Iterator[Relation]:
    for r in (said, said.flipped()):
        if r.op == "==":
            put = goal.map(lambda e, r=r: exchanged(e, {r.lhs: r.rhs}))  # type: ignore[misc]
            if put != goal:
                yield put
        elif r.op.strip("=") == goal.op.strip("="):
            if same(r.lhs, goal.lhs):
                yield Relation(goal.op, r.rhs, goal.rhs)
            elif same(r.rhs, goal.rhs):
                yield Relation(goal.op, goal.lhs, r.lhs)
