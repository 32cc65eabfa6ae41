"""Reasons that are quadratic forms: the vectors are read off the goal and the facts, the engine finds the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from boundcheck.author.draft import Draft, Seen
from boundcheck.author.goal import PATIENT, Goal, accept
from boundcheck.author.match import factors_of, terms_of
from boundcheck.kernel.formula import Expr, Relation
from boundcheck.kernel.statement import ByGram

MAX_VECTORS = 8


def by_gram(draft: Draft, goal: Goal, facts: Sequence[Seen], always: bool) -> Draft | None:
    """The goal as an inequality between quadratic forms; ``always``: even where it shows no inner product."""
    relations = [goal.normal, *(s.normal for s in facts)]
    if not always and not any(n.op in ("norm", "dot") for r in relations for s in (r.lhs, r.rhs) for n in s.walk()):
        return None
    vectors = list(dict.fromkeys(v for r in relations for v in vectors_of(r)))
    if not 0 < len(vectors) <= MAX_VECTORS:
        return None
    by = ByGram(tuple(map(str, vectors)), tuple(s.use for s in facts))
    return accept(draft, goal, by, "quadratic form", PATIENT, near=4)


def vectors_of(r: Relation) -> Iterator[Expr]:
    """The terms that stand as free vectors in norms and inner products."""
    for side in (r.lhs, r.rhs):
        for n in side.walk():
            if n.op in ("norm", "dot"):
                for a in n.args:
                    yield from _atoms(a)


def _atoms(e: Expr) -> Iterator[Expr]:
    for _, term in terms_of(e):
        factors = [f for _, f in factors_of(term) if f.op != "num"]
        vectors = [f for f in factors if not _scalar(f)] or factors
        if vectors:
            yield vectors[-1] if len(vectors) > 1 else vectors[0]


def _scalar(e: Expr) -> bool:
    return e.op in ("num", "norm", "dot", "pow", "abs", "sqrt", "add", "sub", "exp", "log", "P", "ind")
