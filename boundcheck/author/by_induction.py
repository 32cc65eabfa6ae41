"""Induction as on paper: ``E(X[T]) <= c/(T + 1)  by induction, step``, and sums that telescope.

It begins at the first value of the whole number that the line runs over. The step is a line of its own: the relation
at s + 1 where it holds at s. It is searched along what else the hint names, and with the last terms of sums split off.
A relation that may be undefined says nothing as a condition; then the gap of its sides gets a name, and is at most 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from boundcheck.author import adapter
from boundcheck.author.draft import Draft, Seen, partial
from boundcheck.author.goal import PATIENT, Closest, Goal, accept
from boundcheck.author.match import renamed, terms_of
from boundcheck.author.proof_records import Hint, Item
from boundcheck.author.source import Place
from boundcheck.kernel.formula import Expr, Relation, call, num, var
from boundcheck.kernel.statement import ByRule, Definition, Fact, Follows

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
    taken.update(*(adapter.names(n) for r in goal.relation.sides for n in r.walk()))
    s, v = adapter.fresh("s", taken), adapter.fresh("gap", taken)
    here, there, index = var(s), _plus(var(s), num(1)), var(run.name)

    def at(value: Expr) -> Relation | None:
        sides = [renamed(side, {run.name: value}) for side in goal.relation.sides]
        return None if None in sides else Relation(goal.relation.op, sides[0], sides[1])  # type: ignore[arg-type]

    first, before, after = at(run.first), at(here), at(there)
    if first is None or before is None or after is None:
        return None
    always = [r for r in run.others if run.name not in r.free]
    moving = (r for r in run.others if run.name in r.free)
    others = [r.map(lambda e: renamed(e, {run.name: there}) or e) for r in moving]
    last = [Relation("<=", here, _plus(index, num(-1)))] if not goal.fact.over else []

    def line(claim: Relation, *where: Relation) -> Goal:
        over = s in claim.free
        fact = Fact(adapter.as_text(claim), (s,) if over else (), tuple(map(adapter.as_text, where)))
        return Goal(fact, (f"{s}: integer",) if over else (), closest=Closest(), failed=goal.failed)

    gap: Seen | None = None
    if partial(before):
        said = line(Relation("==", Expr("at", (var(v), here)), _gap(before)))
        defined = accept(draft, said, Definition(), "definition")
        if defined is None:
            return None
        draft, gap = defined, defined.seen[0]

    def held(value: Expr, claim: Relation) -> Relation:
        """The claim at this value as the rule speaks of it: no equation, and defined wherever it is a condition."""
        return Relation("<=", *_sides(claim)) if gap is None else Relation("<=", Expr("at", (var(v), value)), num(0))

    def gaps(value: Expr) -> list[Item]:
        return [] if gap is None else [Item(f"#{gap.ref}", _PLACE, let={s: str(value)})]

    def along(draft: Draft, wanted: Goal, *items: Item) -> Draft | None:
        found = None if items else accept(draft, wanted, Follows(()), RULE, PATIENT)  # by its own conditions
        return found or find(draft, wanted, replace(hint, items=(*items, *hint.items)))

    def by_gap(draft: Draft, wanted: Goal, value: Expr, *items: Item) -> Draft | None:
        """What is wanted from its gap, which is at most 0; an equation by both of its sides."""
        for op in ("<=", ">=") if wanted.relation.op == "==" else ():
            found = along(draft, wanted.part(wanted.said(Relation(op, *wanted.relation.sides))), *items, *gaps(value))
            if found is None:
                return None
            draft, items = found, (*items, Item(f"#{found.last}", _PLACE))
        return along(draft, wanted, *items, *gaps(value))

    def shown(draft: Draft, what: str, value: Expr, claim: Relation, *where: Relation) -> Draft | None:
        """The claim at this value, from what is named and what sums there are, and then as the rule speaks of it."""
        wanted, begun = line(claim, *where), draft.last
        given = line(before, *where)
        if where and where[-1] != before and held(here, before) == where[-1]:
            known = by_gap(draft, given, here)
            if known is None:
                return None
            draft = known
        draft = _split(draft, wanted)
        more = tuple(Item(f"#{n}", _PLACE) for n in range(begun + 1, draft.last + 1))
        found = None
        for named in (hint.items,) if hint.items else (_near(draft, wanted), ()):
            found = found or find(draft, wanted, replace(hint, items=(*named, *more)))
        if found is None:
            conditions = [before if r == held(here, before) else r for r in where]
            told = f"{RULE} over {run.name}: {what} is missing, {wanted.fact.claim}"
            told += f" where {', '.join(map(adapter.as_text, conditions))}" if conditions else ""
            mend = f"a line that says it, or what it needs, named behind `by {RULE},` would do"
            goal.closest.add(MISSING, f"{told}: {mend}")
            return None
        if held(value, claim) == claim:
            return found
        return along(found, line(held(value, claim), *where), Item(f"#{found.last}", _PLACE), *gaps(value))

    base = shown(draft, "the first case", run.first, first, *always)
    conditions = (*always, Relation(">=", here, run.first), *last, *others, held(here, before))
    step = None if base is None else shown(base, "the step", there, after, *conditions)
    if base is None or step is None:
        return None
    low, high = held(here, before).sides
    values = {"X": str(low), "C": str(high), "s": s, "a": str(run.first), "n": run.name, "t": run.name}
    by = ByRule(RULE, values, (base.last, step.last))
    if gap is None:
        return accept(step, goal, by, f"rule: {RULE}", near=MISSING)
    whole = goal.part(goal.said(held(index, goal.relation)), RULE)
    done = accept(step, whole, by, f"rule: {RULE}", near=MISSING)
    return None if done is None else by_gap(done, goal, index, Item(f"#{done.last}", _PLACE))


def _gap(r: Relation) -> Expr:
    """What is at most 0 just where the relation holds."""
    low, high = _sides(r)
    return low if high is num(0) else low - high


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
