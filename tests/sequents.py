"""Sequents of the verifier from text, and what a rule leaves of them as text."""

from __future__ import annotations

from typing import Any

from flint import ctx

from boundcheck.kernel.check.refine import refine
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.formula import Relation, num, parse, parse_relation


def sequent(where: str, goal: str, integers: str = "") -> Sequent:
    hyps = tuple(parse_relation(w) for w in where.split("; ") if w)
    if goal.startswith("defined "):
        relation = Relation("defined", parse(goal[8:]), num(0))
    else:
        relation = parse_relation(goal)
    return Sequent(hyps, relation, frozenset(integers.split()))


def show(s: Sequent) -> str:
    names = f" [{' '.join(sorted(s.integers))}]" if s.integers else ""
    return f"{'; '.join(map(str, s.hyps))} |- {s.goal}{names}"


def left(where: str, goal: str, node: dict[str, Any], integers: str = "") -> list[str]:
    with ctx.workprec(96):
        return [show(s) for s in refine(node, sequent(where, goal, integers))]


def rule(name: str, **fields: Any) -> dict[str, Any]:
    return {"rule": name, **fields}
