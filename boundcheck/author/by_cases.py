"""A case distinction as a hint: ``A <= B  by cases b > 0, this fact, that rule``.

The line is proved where the condition holds and where it fails, in both by what else the hint names. The two are put
together by the kernel's rule for two cases, at a positive number that is below 1 in the one and not in the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from boundcheck.author import adapter
from boundcheck.author.draft import Draft
from boundcheck.author.goal import Goal
from boundcheck.author.proof_records import Hint, Item
from boundcheck.kernel.formula import Relation
from boundcheck.kernel.statement import ByRule, Fact

Find = Callable[[Draft, Goal, Hint], Draft | None]
NEGATION = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
RULES = {"<=": "either case", ">=": "either case", "<": "either strict case", ">": "either strict case"}


def by_cases(draft: Draft, goal: Goal, hint: Hint, find: Find) -> Draft | None:
    """The goal where the hint's condition holds, where it fails, and so everywhere."""
    if goal.relation.op not in RULES:
        goal.closest.add(30, f"cases prove <=, <, >= and >, not {goal.relation.op}")
        return None
    case = adapter.relation_of(hint.case)
    other = Relation(NEGATION[case.op], case.lhs, case.rhs)
    below = case if case.op in ("<", ">") else other
    low, high = (below.lhs, below.rhs) if below.op == "<" else (below.rhs, below.lhs)
    numbers: list[int] = []
    for here, there in ((below, other if below is case else case), (other if below is case else case, below)):
        where = (*goal.fact.where, str(here))
        part = replace(goal.part(Fact(goal.fact.claim, goal.fact.over, where), str(here)), depth=goal.depth)
        items = tuple(i for i in hint.items if not _only_where(draft, i, there))
        found = find(draft, part, replace(hint, case="", items=items))
        if found is None:
            goal.closest.add(29, f"where {here}: {goal.closest.best or 'no reason found'}")
            return None
        draft = found
        numbers.append(draft.last)
    lesser, greater = goal.relation.lhs, goal.relation.rhs
    if goal.relation.op in (">=", ">"):
        lesser, greater = greater, lesser
    values = {"A": str(lesser), "B": str(greater), "t": f"exp({low} - ({high}))", "a": "1"}
    step = goal.step(ByRule(RULES[goal.relation.op], values, tuple(numbers)))
    refusal = draft.checker.check(draft.statement, step, goal.seconds)
    goal.closest.add(29, refusal.reason if refusal else "")
    return None if refusal else draft.with_step(step, f"rule: {RULES[goal.relation.op]}")


def _only_where(draft: Draft, item: Item, condition: Relation) -> bool:
    """Whether the item is a fact that holds under ``condition``: it says nothing of the other case."""
    seen = draft.named(item.name)
    wanted = adapter.normal(condition)
    return seen is not None and any(adapter.normal(c) in (wanted, wanted.flipped()) for c in seen.fact.conditions)
