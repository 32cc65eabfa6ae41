"""A case distinction as a hint: ``A <= B  by cases b > 0, this fact, that rule``.

The line is proved where the condition holds and where it fails, in both by what else the hint names. The two are put
together by the kernel's rule for two cases, which asks for a positive t and a number a with t < a in the one and not
in the other: exp(x - y) and 1 where x < y, or x and y.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from boundcheck.author import adapter
from boundcheck.author.draft import Draft
from boundcheck.author.goal import Goal, accept
from boundcheck.author.proof_records import Hint, Item
from boundcheck.kernel.statement import ByRule, Fact

Find = Callable[[Draft, Goal, Hint], Draft | None]
RULES = {"<=": "either case", ">=": "either case", "<": "either strict case", ">": "either strict case"}


def by_cases(draft: Draft, goal: Goal, hint: Hint, find: Find) -> Draft | None:
    """The goal where the hint's condition holds, where it fails, and so everywhere."""
    if goal.relation.op not in RULES:
        goal.closest.add(30, f"cases prove <=, <, >= and >, not {goal.relation.op}")
        return None
    case = adapter.relation_of(hint.case)
    below, above = (case, case.negated()) if case.op in ("<", ">") else (case.negated(), case)
    low, high = below.sides if below.op == "<" else (below.rhs, below.lhs)
    numbers: list[int] = []
    for here in (below, above):
        where = (*goal.fact.where, str(here))
        part = replace(goal.part(Fact(goal.fact.claim, goal.fact.over, where), str(here)), depth=goal.depth)
        items = tuple(i for i in hint.items if not _outside(draft, i, part))
        found = find(draft, part, replace(hint, case="", items=items))
        if found is None:
            goal.closest.add(29, f"where {here}: {goal.closest.best or 'no reason found'}")
            return None
        draft = found
        numbers.append(draft.last)
    lesser, greater = goal.relation.lhs, goal.relation.rhs
    if goal.relation.op in (">=", ">"):
        lesser, greater = greater, lesser
    for t, a in ((f"exp({low} - ({high}))", "1"), (str(low), str(high))):
        values = {"A": str(lesser), "B": str(greater), "t": t, "a": a}
        by = ByRule(RULES[goal.relation.op], values, tuple(numbers))
        whole = accept(draft, goal, by, f"rule: {by.rule}", near=29)
        if whole is not None:
            return whole
    return None


def _outside(draft: Draft, item: Item, part: Goal) -> bool:
    """Whether the item is a fact that is said only in the other case."""
    seen = draft.named(item.name)
    return seen is not None and part.outside(seen)
