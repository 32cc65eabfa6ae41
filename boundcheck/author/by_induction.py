"""Induction as on paper: ``E(X[T]) <= c/(T + 1)  by induction, step``, and sums that telescope.

It begins at the first value of the whole number that the line runs over. The step is a line of its own: the relation
at s + 1 where it holds at s. It is searched along what else the hint names, and with the last terms of sums split off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from boundcheck.author import adapter
from boundcheck.author.draft import Draft
from boundcheck.author.goal import Closest, Goal, accept
from boundcheck.author.match import renamed, terms_of
from boundcheck.author.proof_records import Hint, Item
from boundcheck.author.source import Place
from boundcheck.kernel.formula import Expr, Relation, call, num, var
from boundcheck.kernel.statement import ByRule, Fact, Follows

Find = Callable[[Draft, Goal, Hint], Draft | None]
RULE = "induction"
MAX_SPLIT = 6  #: sums that are split
MAX_NEAR = 4  #: facts that are asked where the hint names none
MISSING = 28  #: how near it is that the first case or the step is missing
_PLACE = Place(1, 1)


@dataclass(frozen=True)
class _Run:
    """The whole number that a line runs over, its first value, and the line's other conditions."""

    name: str
    first: Expr
    others: tuple[Relation, ...]


def by_induction(draft: Draft, goal: Goal, hint: Hint, find: Find) -> Draft | None:
    """The goal by induction over a whole number that it speaks of, along what the hint names besides."""
    if goal.relation.op not in ("<=", ">=", "==") or len(goal.fact.over) > 1:
        return None
    items = tuple(i for i in hint.items if i.name not in (RULE, "telescope"))
    runs = list(_runs(draft, goal))
    if not runs:
        goal.closest.add(3, f"{RULE} runs over a whole number with a least value; write `for integer t where t >= 0`")
    for run in runs:
        found = _along(draft, goal, run, replace(hint, items=items, let={}), find)
        if found is not None:
            return found
    return None


def _runs(draft: Draft, goal: Goal) -> Iterator[_Run]:
    """The whole numbers that the relation speaks of and that begin somewhere: its quantified one, or parameters.

    They begin there, or at 0, where sequences do.
    """
    if goal.fact.over:
        (name,) = goal.fact.over
        whole = [name] if f"{name}: integer" in goal.integers else []
        domain: Sequence[Relation] = goal.fact.conditions
    else:
        whole, domain = sorted(draft.statement.integers & goal.relation.free), draft.statement.domain
    for name in whole:
        for r in (r for r in domain if name in r.free):
            low, high = (r.lhs, r.rhs) if r.op in ("<", "<=") else (r.rhs, r.lhs)
            if r.op in ("<", "<=", ">", ">=") and high == var(name) and name not in low.free:
                first = low if r.op in ("<=", ">=") else _plus(low, num(1))
                rest = tuple(o for o in goal.fact.conditions if o != r)
                yield from (
                    _Run(name, e, rest) for e in dict.fromkeys((first, num(0) if first.op == "num" else first))
                )
                break


def _plus(a: Expr, b: Expr) -> Expr:
    """The sum, which a reader would write with numbers added up."""
    parts = [*terms_of(a), *terms_of(b)]
    number = sum(sign * e.value for sign, e in parts if e.op == "num")
    rest = [p for p in parts if p[1].op != "num"]
    if not rest:
        return num(number)
    e = rest[0][1] if rest[0][0] > 0 else -rest[0][1]
    for sign, part in rest[1:]:
        e = e + part if sign > 0 else e - part
    return e if number == 0 else e + num(number) if number > 0 else e - num(-number)


def _along(draft: Draft, goal: Goal, run: _Run, hint: Hint, find: Find) -> Draft | None:
    taken = {*draft.kinds, *(draft.statement.declares or {}), *draft.statement.symbols, *goal.own}
    s = adapter.fresh("s", taken.union(*map(adapter.names, goal.relation.sides)))

    def at(value: Expr) -> Relation | None:
        sides = [renamed(side, {run.name: value}) for side in goal.relation.sides]
        return None if None in sides else Relation(goal.relation.op, sides[0], sides[1])  # type: ignore[arg-type]

    first, before, after = at(run.first), at(var(s)), at(_plus(var(s), num(1)))
    if first is None or before is None or after is None:
        return None
    low, high = _sides(before)
    always = [r for r in run.others if run.name not in r.free]
    moving = (r for r in run.others if run.name in r.free)
    others = [r.map(lambda e: renamed(e, {run.name: _plus(var(s), num(1))}) or e) for r in moving]
    last = [Relation("<=", var(s), _plus(var(run.name), num(-1)))] if not goal.fact.over else []
    conditions = (*always, Relation(">=", var(s), run.first), *last, *others)

    def line(claim: Relation, *where: Relation) -> Goal:
        over = s in claim.free
        fact = Fact(adapter.as_text(claim), (s,) if over else (), tuple(map(str, where)))
        return Goal(fact, (f"{s}: integer",) if over else (), closest=Closest(), failed=goal.failed)

    def shown(draft: Draft, what: str, wanted: Goal) -> Draft | None:
        """The relation of the goal at one place, from what is named and what sums there are."""
        begun = draft.last
        draft = _split(draft, wanted)
        split = tuple(Item(f"#{n}", _PLACE) for n in range(begun + 1, draft.last + 1))
        found = None
        for named in (hint.items,) if hint.items else (_near(draft, wanted), ()):
            found = found or find(draft, wanted, replace(hint, items=(*named, *split)))
        if found is None:
            where = f" where {', '.join(wanted.fact.where)}" if wanted.fact.where else ""
            told = f"{RULE} over {run.name}: {what} is missing, {wanted.fact.claim}{where}"
            mend = f"a line that says it, or what it needs, named behind `by {RULE},` would do"
            goal.closest.add(MISSING, f"{told}: {mend}")
        return found

    def both(draft: Draft | None, wanted: Goal, claim: Relation) -> Draft | None:
        """An equation as the rule speaks of it: that its two sides are no distance apart."""
        if draft is None or goal.relation.op != "==":
            return draft
        where = tuple(map(str, wanted.fact.where))
        part = Goal(Fact(adapter.as_text(Relation("<=", *_sides(claim))), wanted.fact.over, where), wanted.integers)
        return accept(draft, part, Follows((draft.last,)), RULE)

    start = line(first, *always)
    base = both(shown(draft, "the first case", start), start, first)
    if base is None:
        return None
    rise = line(after, *conditions, Relation("<=", low, high))
    step = both(shown(base, "the step", rise), rise, after)
    if step is None:
        return None
    values = {"X": str(low), "C": str(high), "s": s, "a": str(run.first), "n": run.name, "t": run.name}
    by = ByRule(RULE, values, (base.last, step.last))
    if goal.relation.op != "==":
        return accept(step, goal, by, f"rule: {RULE}", near=MISSING)
    found = accept(step, goal.part(goal.said(Relation("<=", *_sides(goal.relation)))), by, RULE)
    for op in ("<=", ">="):  # an equation is two inequalities
        part = goal.part(goal.said(Relation(op, *goal.relation.sides)))
        found = found and accept(found, part, Follows((found.last - (op == ">="),)), RULE)
    return found and accept(found, goal, Follows((found.last - 1, found.last)), f"rule: {RULE}", near=MISSING)


def _sides(r: Relation) -> tuple[Expr, Expr]:
    """(X, C) where the relation is X <= C."""
    if r.op == "==":
        return call("abs", r.lhs - r.rhs), num(0)
    return r.sides if r.op == "<=" else (r.rhs, r.lhs)


def _near(draft: Draft, goal: Goal) -> tuple[Item, ...]:
    """The facts with names that speak of what the goal speaks of, the last ones first."""
    words = adapter.names(goal.relation.lhs) | adapter.names(goal.relation.rhs)
    words -= draft.statement.symbols | frozenset(goal.fact.over)
    near = (s for s in draft.seen if s.name and words & {n for side in s.relation.sides for n in adapter.names(side)})
    return tuple(Item(s.name, _PLACE) for s in islice(near, MAX_NEAR))


def _split(draft: Draft, goal: Goal) -> Draft:
    """The draft with the last terms of the goal's sums split off, and empty sums gone."""
    pending, begun = list(dict.fromkeys(n for n in goal.relation.walk() if n.op == "sum")), draft.last
    while pending and draft.last - begun < MAX_SPLIT:
        term = pending.pop()
        body, bound, low, high = term.args
        last, fewer = renamed(body, {str(bound.value): high}), Expr("sum", (body, bound, low, _plus(high, num(-1))))
        if last is None:
            continue
        values = {"G": str(body), "s": str(bound), "a": str(low)}
        for rule, end, said in (("no terms", "b", num(0)), ("last term of a range", "n", fewer + last)):
            part = goal.part(goal.said(Relation("==", term, said)))
            found = accept(draft, part, ByRule(rule, {**values, end: str(high)}), f"rule: {rule}")
            if found is not None:
                pending += [fewer] if said != num(0) and not goal.fact.over else []
                draft = found
                break
    return draft
