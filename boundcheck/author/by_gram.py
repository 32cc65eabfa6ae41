"""Reasons that are quadratic forms: the vectors are read off the goal and the facts, the engine finds the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from boundcheck.author import adapter
from boundcheck.author.combine import MAX_PLACES, closed, in_sight
from boundcheck.author.draft import Draft, Seen
from boundcheck.author.goal import PATIENT, QUICK, Goal, accept
from boundcheck.author.match import factors_of, terms_of, whole
from boundcheck.kernel.formula import Expr, Relation, num
from boundcheck.kernel.statement import ByGram, Follows, Ref

_SCALAR_HEADS = frozenset(["num", "norm", "dot", "pow", "abs", "sqrt", "add", "sub", "exp", "log", "P", "ind"])
MAX_VECTORS = 8
MAX_NUMBERS = 4


def by_gram(draft: Draft, goal: Goal, facts: Sequence[Seen], always: bool) -> Draft | None:
    """The goal as an inequality between quadratic forms; ``always``: even where it shows no inner product."""
    relations = [goal.normal, *(s.normal for s in facts)]
    if not always and not any(n.op in ("norm", "dot") for r in relations for n in r.walk()):
        return None
    numbers = adapter.numbers(draft.statement) | goal.numbers
    named = dict.fromkeys(v for r in relations for v in vectors_of(r, numbers))
    more = dict.fromkeys(v for s in facts for v in (*_equated(s.normal, numbers), *_equated(s.relation, numbers)))
    vectors = [*named, *(v for v in more if v not in named)]
    if not 0 < len(vectors) <= MAX_VECTORS:
        return None
    facts = [s for s in facts if s.let or set(s.fact.over) <= goal.own]
    there = [s for s in closed(draft, goal, goal.facts) if s.let and s not in facts]
    numerical = [s for s in about_numbers(draft, goal) if s not in facts]
    near = 4 if always or goal.facts else -1  # of a line that nobody called a form it says little
    few = [*facts, *(() if always else numerical)]
    far = [few] if len(there) > MAX_PLACES else []  # the facts where they stand, before many places of theirs
    within = [s for s in there if {*vectors_of(s.normal, numbers), *_equated(s.normal, numbers)} <= set(vectors)]
    near_by = [[*few, *within]] if len(within) < len(there) else []  # a recursion, before its next steps
    for some in dict.fromkeys(map(tuple, [*far, *near_by, [*few, *there], [*facts, *there, *numerical]])):
        found = _formed(draft, goal, vectors, some, near)
        if found is not None:
            return found
    return None


def about_numbers(draft: Draft, goal: Goal) -> list[Seen]:
    """Facts that compare the opaque numbers of the goal: step sizes, say, as coefficients of the form."""
    found = []
    for seen in in_sight(draft, goal):
        heads = {n.op for n in seen.normal.walk()}
        if seen.opaque and seen.opaque <= goal.opaque and seen.normal.op != "!=" and not heads & {"norm", "dot", "E"}:
            found.append(seen)
    return found[:MAX_NUMBERS]


def _formed(draft: Draft, goal: Goal, vectors: Sequence[Expr], facts: Sequence[Seen], near: int) -> Draft | None:
    by = ByGram(tuple(map(adapter.as_text, vectors)), tuple(s.use for s in facts))
    if goal.relation.op != "==":
        return accept(draft, goal, by, "quadratic form", PATIENT, near)
    refs: list[Ref] = []
    for op in ("<=", ">="):  # an equation is two inequalities
        fact = goal.said(Relation(op, goal.relation.lhs, goal.relation.rhs))
        found = accept(draft, replace(goal, fact=fact, name=""), by, "quadratic form", PATIENT, near)
        if found is None:
            return None
        draft, refs = found, [*refs, found.last]
    return accept(draft, goal, Follows(tuple(refs)), "quadratic form", QUICK, near)


def vectors_of(r: Relation, numbers: frozenset[str] = frozenset()) -> Iterator[Expr]:
    """The terms that stand as free vectors in norms and inner products; the values of ``numbers`` are none."""
    for side in r.sides:
        for n in side.walk():
            if n.op in ("norm", "dot"):
                for a in n.args:
                    yield from _atoms(a, numbers)


def _vector(e: Expr, numbers: frozenset[str]) -> bool:
    """Whether a side of an equation is a vector: all of its terms have one that is no number."""
    parts = [[f for _, f in factors_of(term) if f.op != "num"] for _, term in terms_of(e)]
    return all(any(not _scalar(f, numbers) for f in factors) for factors in parts)


def _equated(r: Relation, numbers: frozenset[str]) -> Iterator[Expr]:
    """The vectors of an equation between vectors; that of 0*x too, as the zero vector is written."""
    if r.op == "==":
        for side in r.sides:
            if _vector(adapter.canonical(side), numbers):
                yield from _atoms(adapter.canonical(side), numbers)
            yield from (v for c, v in multiples(side, numbers) if adapter.canonical(c) is num(0))


def _atoms(e: Expr, numbers: frozenset[str]) -> Iterator[Expr]:
    yield from (vector for _, vector in multiples(e, numbers))


def multiples(e: Expr, numbers: frozenset[str]) -> list[tuple[Expr, Expr]]:
    """(coefficient, vector) for the terms of a sum of multiples of vectors."""
    found = []
    for sign, term in terms_of(e):
        factors = factors_of(term)
        named = [f for f in factors if f[1].op != "num"]
        vectors = [f for f in named if not _scalar(f[1], numbers)] or named
        if vectors:
            rest = list(factors)
            rest.remove(vectors[-1])
            found.append((whole([(1, num(sign)), *rest]), vectors[-1][1]))
    return found


def _scalar(e: Expr, numbers: frozenset[str]) -> bool:
    head = e.value if e.op == "var" else e.args[0].value if e.op == "at" else e.op
    return head in numbers or e.op in _SCALAR_HEADS
