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
from boundcheck.author.grounds import by_rule_at
from boundcheck.author.match import renamed
from boundcheck.author.proof_records import Hint, Item
from boundcheck.author.source import Place
from boundcheck.kernel.formula import Expr, Relation, call, num, var
from boundcheck.kernel.statement import ByRule, Definition, Fact, Follows

Find = Callable[[Draft, Goal, Hint], Draft | None]
RULE = "induction"
SEQUENCES = (RULE, "telescope")  #: of a hint, for an induction where the rule of this name does not fit
MAX_SPLIT = 6  #: sums that are split
MAX_NEAR = 4  #: facts that are asked where the hint names none
MISSING = 28  #: how near it is that the first case is missing; that the step is, is nearer by one
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
    items = tuple(i for i in hint.items if i.name not in SEQUENCES)
    runs = list(_runs(draft, goal))
    if not runs:
        goal.closest.add(3, f"{RULE} runs over a whole number with a least value; write `for integer t where t >= 0`")
    for run in runs:
        found = _Induction(draft, goal, run, replace(hint, items=items, let={}), find).proved(draft)
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
                first = low if r.op in ("<=", ">=") else adapter.canonical(low + num(1))
                rest = tuple(o for o in goal.fact.conditions if o != r)
                firsts = (first, num(0)) if first.op == "num" else (first,)
                yield from (_Run(name, e, rest) for e in dict.fromkeys(firsts))
                break


class _Induction:
    """One induction: its line, where it begins, and the names s and gap that its lines take."""

    def __init__(self, draft: Draft, goal: Goal, run: _Run, hint: Hint, find: Find) -> None:
        self.goal, self.run, self.hint, self.find = goal, run, hint, find
        taken = {*draft.kinds, *(draft.statement.declares or {}), *draft.statement.symbols, *goal.own}
        taken.update(*(adapter.names(n) for side in goal.relation.sides for n in side.walk()))
        self.s, self.family = adapter.fresh("s", taken), adapter.fresh("gap", taken)
        self.here, self.there, self.index = var(self.s), var(self.s) + num(1), var(run.name)
        self.gap: Seen | None = None

    def at(self, value: Expr) -> Relation | None:
        """The line's relation at a value of the whole number; None where a bound name would capture."""
        left, right = (renamed(side, {self.run.name: value}) for side in self.goal.relation.sides)
        return None if left is None or right is None else Relation(self.goal.relation.op, left, right)

    def line(self, claim: Relation, *where: Relation) -> Goal:
        """A line of the proof, for all s where it speaks of s."""
        over = self.s in claim.free
        fact = Fact(adapter.as_text(claim), (self.s,) if over else (), tuple(map(adapter.as_text, where)))
        return Goal(fact, (f"{self.s}: integer",) if over else (), closest=Closest(), failed=self.goal.failed)

    def held(self, value: Expr, claim: Relation) -> Relation:
        """The claim at this value as the rule speaks of it: no equation, and defined wherever it is a condition."""
        return Relation("<=", *(_sides(claim) if self.gap is None else (self.member(value), num(0))))

    def member(self, value: Expr) -> Expr:
        """The gap at this value."""
        return Expr("at", (var(self.family), value))

    def along(self, draft: Draft, wanted: Goal, *items: Item) -> Draft | None:
        """What is wanted from these facts and what the hint names."""
        found = None if items else accept(draft, wanted, Follows(()), RULE, PATIENT)  # by its own conditions
        return found or self.find(draft, wanted, replace(self.hint, items=(*items, *self.hint.items)))

    def by_gap(self, draft: Draft, wanted: Goal, value: Expr, *items: Item) -> Draft | None:
        """What is wanted from its gap, which is at most 0; an equation by both of its sides."""
        gaps = () if self.gap is None else (Item(f"#{self.gap.ref}", _PLACE, let={self.s: str(value)}),)
        for op in ("<=", ">=") if wanted.relation.op == "==" else ():
            part = wanted.part(wanted.said(Relation(op, *wanted.relation.sides)))
            found = self.along(draft, part, *items, *gaps)
            if found is None:
                return None
            draft, items = found, (*items, Item(f"#{found.last}", _PLACE))
        return self.along(draft, wanted, *items, *gaps)

    def shown(self, draft: Draft, since: int, value: Expr, claim: Relation, *where: Relation) -> Draft | None:
        """The claim at this value, from what is named, the steps ``since`` and what sums there are; then as held."""
        wanted = self.line(claim, *where)
        draft = _split(draft, wanted)
        more = tuple(Item(f"#{n}", _PLACE) for n in range(since + 1, draft.last + 1))
        found = None
        for named in (self.hint.items,) if self.hint.items else (_near(draft, wanted), ()):
            found = found or self.find(draft, wanted, replace(self.hint, items=(*named, *more)))
        if found is None:
            return None
        held = self.held(value, claim)
        last = Item(f"#{found.last}", _PLACE)
        return found if held == claim else self.by_gap(found, self.line(held, *where), value, last)

    def missing(self, near: int, what: str, claim: Relation, *where: Relation) -> None:
        """Note what is not found."""
        conditions = f" where {', '.join(map(adapter.as_text, where))}" if where else ""
        told = f"{RULE} over {self.run.name}: {what} is missing, {adapter.as_text(claim)}{conditions}"
        mend = f"a line that says it, or what it needs, named behind `by {RULE},` would do"
        self.goal.closest.add(near, f"{told}: {mend}")

    def proved(self, draft: Draft) -> Draft | None:
        """The line, from its first case and its step."""
        goal, run, here = self.goal, self.run, self.here
        first, before, after = self.at(run.first), self.at(here), self.at(self.there)
        if first is None or before is None or after is None:
            return None
        if partial(before):
            named = self.line(Relation("==", self.member(here), _gap(before)))
            defined = accept(draft, named, Definition(), "definition")
            if defined is None:
                return None
            draft, self.gap = defined, defined.seen[0]
        always = [r for r in run.others if run.name not in r.free]
        base = self.shown(draft, draft.last, run.first, first, *always)
        if base is None:
            self.missing(MISSING, "the first case", first, *always)
            return None
        last = [Relation("<=", here, self.index - num(1))] if not goal.fact.over else []
        moving = (r for r in run.others if run.name in r.free)
        others = [r.map(lambda e: renamed(e, {run.name: self.there}) or e) for r in moving]
        range_, held = (*always, Relation(">=", here, run.first), *last, *others), self.held(here, before)
        known = base if held == before else self.by_gap(base, self.line(before, *range_, held), here)
        step = None if known is None else self.shown(known, base.last, self.there, after, *range_, held)
        if step is None:
            self.missing(MISSING + 1, "the step", after, *range_, before)
            return None
        values = {"X": str(held.lhs), "C": str(held.rhs), "s": self.s, "a": str(run.first)}
        by = ByRule(RULE, {**values, "n": run.name, "t": run.name}, (base.last, step.last))
        if self.gap is None:
            return accept(step, goal, by, f"rule: {RULE}", near=MISSING)
        whole = goal.part(goal.said(self.held(self.index, goal.relation)), RULE)
        done = accept(step, whole, by, f"rule: {RULE}", near=MISSING)
        return None if done is None else self.by_gap(done, goal, self.index, Item(f"#{done.last}", _PLACE))


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
        body, index, low, high = pending.pop().args
        values = {"G": body, "s": index, "a": low}
        empty = by_rule_at(draft, goal, "no terms", {**values, "b": high})
        found = empty or by_rule_at(draft, goal, "last term of a range", {**values, "n": high})
        if found is not None:
            draft = found
            pending += [] if empty or goal.fact.over else [call("sum", body, index, low, high - num(1))]
    return draft
