"""Induction as on paper: ``E(X[T]) <= c/(T + 1)  by induction, step``, and sums that telescope.

It begins at the first value of the whole number that the line runs over, or where a recursion does. The step is a line
of its own: the relation at s + 1 where it holds at s. It is searched along what else the hint names, and with the last
terms of sums split off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from boundcheck.author import adapter
from boundcheck.author.draft import Draft, Seen, terms_in
from boundcheck.author.goal import PATIENT, Closest, Goal, accept
from boundcheck.author.grounds import by_rule_at
from boundcheck.author.match import renamed
from boundcheck.author.proof_records import Hint, Item
from boundcheck.author.source import Place
from boundcheck.kernel.formula import Expr, Relation, call, num, var
from boundcheck.kernel.statement import ByRule, Fact, Follows

Find = Callable[[Draft, Goal, Hint], Draft | None]
RULE = "induction"
RULES = {
    "<=": RULE,
    ">=": RULE,
    "==": RULE,
    "<": "strict induction",
    ">": "strict induction",
}  #: by what is shown
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
    if goal.relation.op not in RULES or len(goal.fact.over) > 1:
        return None
    items = tuple(i for i in hint.items if i.name not in SEQUENCES)
    named = [seen for i in items if (seen := draft.named(i.name)) is not None]
    runs = list(_runs(draft, goal, named or list(islice(_near(draft, goal), MAX_NEAR))))
    if not runs:
        goal.closest.add(3, f"{RULE} runs over a whole number with a least value; write `for integer t where t >= 0`")
    for run in runs:
        found = _Induction(draft, goal, run, replace(hint, items=items, let={}), find).proved(draft)
        if found is not None:
            return found
    return None


def _runs(draft: Draft, goal: Goal, near: Sequence[Seen]) -> Iterator[_Run]:
    """The whole numbers that the relation speaks of and that begin somewhere: its quantified one, or parameters.

    One of these begins where its domain does, or below, where a recursion ``near`` begins: of T >= 1 it may be at 0.
    """
    if goal.fact.over:
        (name,) = goal.fact.over
        whole = [name] if f"{name}: integer" in goal.integers else []
        domain: Sequence[Relation] = goal.fact.conditions
    else:
        whole, domain = sorted(draft.statement.integers & goal.relation.free), draft.statement.domain
    steps = (
        [] if goal.fact.over else [(o, s) for s in near for o in s.fact.over if var(o) + num(1) in terms_in(s.normal)]
    )
    for name in whole:
        of_domain = list(islice(_least(name, domain), 1))
        others = (first for o, s in steps for _, first in _least(o, s.conditions) if not first.free)
        for first in dict.fromkeys([*(first for _, first in of_domain), *(others if of_domain else ())]):
            yield _Run(name, first, tuple(o for o in goal.fact.conditions if o not in [r for r, _ in of_domain]))


def _least(name: str, relations: Iterable[Relation]) -> Iterator[tuple[Relation, Expr]]:
    """The relations that say where a whole number begins, with its first value."""
    for r in relations:
        low, high = (r.lhs, r.rhs) if r.op in ("<", "<=") else (r.rhs, r.lhs)
        if r.op in ("<", "<=", ">", ">=") and high == var(name) and name not in low.free:
            yield r, low if r.op in ("<=", ">=") else adapter.canonical(low + num(1))


class _Induction:
    """One induction: its line, where it begins, and the name s of its step."""

    def __init__(self, draft: Draft, goal: Goal, run: _Run, hint: Hint, find: Find) -> None:
        self.goal, self.run, self.hint, self.find = goal, run, hint, find
        taken = {*draft.kinds, *(draft.statement.declares or {}), *draft.statement.symbols, *goal.own}
        taken.update(*(adapter.names(n) for side in goal.relation.sides for n in side.walk()))
        self.s = adapter.fresh("s", taken)

    def at(self, value: Expr) -> Relation | None:
        """The line's relation at a value of the whole number; None where a bound name would capture."""
        left, right = (renamed(side, {self.run.name: value}) for side in self.goal.relation.sides)
        return None if left is None or right is None else Relation(self.goal.relation.op, left, right)

    def line(self, claim: Relation, *where: Relation) -> Goal:
        """A line of the proof, for all s where it speaks of s."""
        over = self.s in claim.free
        fact = Fact(adapter.as_text(claim), (self.s,) if over else (), tuple(map(adapter.as_text, where)))
        return Goal(fact, (f"{self.s}: integer",) if over else (), closest=Closest(), failed=self.goal.failed)

    def follows(self, draft: Draft, claim: Relation, where: Sequence[Relation], *facts: int) -> Draft | None:
        """The claim from these steps and its conditions."""
        return accept(draft, self.line(claim, *where), Follows(facts), RULE, PATIENT)

    def equal(self, draft: Draft, claim: Relation, *where: Relation) -> Draft | None:
        """An equation that its condition says, by both of its sides: what follows is found in a tenth of the time."""
        facts: tuple[int, ...] = ()
        for op in ("<=", ">=", "=="):
            found = self.follows(draft, Relation(op, *claim.sides), where, *facts)
            if found is None:
                return None
            draft, facts = found, (*facts, found.last)
        return draft

    def shown(self, draft: Draft, since: int, claim: Relation, *where: Relation) -> Draft | None:
        """The claim from what is named, the steps ``since`` and what sums there are; then as the rule speaks of it."""
        wanted = self.line(claim, *where)
        draft = _split(draft, wanted)
        more = tuple(Item(f"#{n}", _PLACE) for n in range(since + 1, draft.last + 1))
        found = None
        near = tuple(Item(s.name, _PLACE) for s in islice(_near(draft, wanted), MAX_NEAR))
        for named in (self.hint.items,) if self.hint.items else (near, ()):
            found = found or self.find(draft, wanted, replace(self.hint, items=(*named, *more)))
        held = _held(claim)
        return found if found is None or held == claim else self.follows(found, held, where, found.last)

    def missing(self, near: int, what: str, claim: Relation, *where: Relation) -> None:
        """Note what is not found."""
        conditions = f" where {', '.join(map(adapter.as_text, where))}" if where else ""
        told = f"{RULE} over {self.run.name}: {what} is missing, {adapter.as_text(claim)}{conditions}"
        mend = f"a line that says it, or what it needs, named behind `by {RULE},` would do"
        self.goal.closest.add(near, f"{told}: {mend}")

    def proved(self, draft: Draft) -> Draft | None:
        """The line, from its first case and its step."""
        goal, run, here, there = self.goal, self.run, var(self.s), var(self.s) + num(1)
        first, before, after = self.at(run.first), self.at(here), self.at(there)
        if first is None or before is None or after is None:
            return None
        always = [r for r in run.others if run.name not in r.free]
        base = self.shown(draft, draft.last, first, *always)
        if base is None:
            self.missing(MISSING, "the first case", first, *always)
            return None
        last = [Relation("<=", here, var(run.name) - num(1))] if not goal.fact.over else []
        moving = (r for r in run.others if run.name in r.free)
        others = [r.map(lambda e: renamed(e, {run.name: there}) or e) for r in moving]
        range_, held = (*always, Relation(">=", here, run.first), *last, *others), _held(before)
        known = base if goal.relation.op != "==" else self.equal(base, before, *range_, held)
        step = None if known is None else self.shown(known, base.last, after, *range_, held)
        if step is None:
            self.missing(MISSING + 1, "the step", after, *range_, before)
            return None
        values = {"X": str(held.lhs), "C": str(held.rhs), "s": self.s, "a": str(run.first)}
        rule = RULES[goal.relation.op]
        by = ByRule(rule, {**values, "n": run.name, "t": run.name}, (base.last, step.last))
        return accept(step, goal, by, f"rule: {rule}", PATIENT, MISSING)


def _held(r: Relation) -> Relation:
    """X <= C or X < C, as the rules speak of it: of an equation, that its sides are no distance apart."""
    if r.op == "==":
        return Relation("<=", call("abs", r.lhs - r.rhs), num(0))
    return r if r.op in ("<=", "<") else r.flipped()


def _near(draft: Draft, goal: Goal) -> Iterator[Seen]:
    """The facts with names that speak of what the goal speaks of, the last ones first."""
    words = adapter.names(goal.relation.lhs) | adapter.names(goal.relation.rhs)
    words -= draft.statement.symbols | frozenset(goal.fact.over)
    return (s for s in draft.seen if s.name and words & {n for side in s.relation.sides for n in adapter.names(side)})


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
