"""Induction as on paper: ``E(X[T]) <= c/(T + 1)  by induction, step``, and sums that telescope.

The kernel's rule bounds a sequence by one number, from 0 on. So the gap of the two sides gets a name, v[k], from the
first value of the whole number that the line runs over, and what is shown is v <= 0. The step is a line of its own:
the relation at s + 1 where it holds at s. It is searched along what else the hint names, and with the last terms of
sums split off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from boundcheck.author import adapter
from boundcheck.author.adapter import RULES
from boundcheck.author.draft import Draft, Seen
from boundcheck.author.goal import Closest, Goal, accept
from boundcheck.author.match import renamed, terms_of
from boundcheck.author.proof_records import Hint, Item
from boundcheck.author.source import Place
from boundcheck.kernel.formula import Expr, Relation, call, num, var
from boundcheck.kernel.statement import ByRule, Definition, Fact, Follows, Ref

Find = Callable[[Draft, Goal, Hint], Draft | None]
RULE = "induction"
MAX_SPLIT = 6  #: sums that are split
MAX_NEAR = 4  #: facts that are asked where the hint names none
MISSING = 28  #: how near it is that the first case or the step is missing
_PLACE = Place(1, 1)


@dataclass(frozen=True)
class _Run:
    """The whole number that a line runs over, its first value, and the other conditions on it."""

    name: str
    first: Expr
    others: tuple[Relation, ...]


def by_induction(draft: Draft, goal: Goal, hint: Hint, find: Find) -> Draft | None:
    """The goal by induction over a whole number that it speaks of, along what the hint names besides."""
    if goal.relation.op not in ("<=", ">=", "==") or len(goal.fact.over) > 1:
        return None
    items = tuple(i for i in hint.items if i.name not in (RULE, "telescope"))
    for run in _runs(draft, goal):
        found = _along(draft, goal, run, replace(hint, items=items, let={}), find)
        if found is not None:
            return found
    return None


def _runs(draft: Draft, goal: Goal) -> Iterator[_Run]:
    """The whole numbers that the relation speaks of and that begin somewhere: its quantified one, or parameters."""
    if goal.fact.over:
        (name,) = goal.fact.over
        whole = [name] if f"{name}: integer" in goal.integers else []
        domain: Sequence[Relation] = goal.fact.conditions
    else:
        whole, domain = sorted(draft.statement.integers & goal.relation.free), draft.statement.domain
    for name in whole:
        bounds = [r for r in domain if name in r.free]
        for r in bounds:
            low, high = (r.lhs, r.rhs) if r.op in ("<", "<=") else (r.rhs, r.lhs)
            if r.op in ("<", "<=", ">", ">=") and high == var(name) and name not in low.free:
                first = low if r.op in ("<=", ">=") else _plus(low, num(1))
                yield _Run(name, first, tuple(o for o in bounds if o != r) if goal.fact.over else ())
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
    taken = {*draft.kinds, *(draft.statement.declares or {}), *draft.statement.symbols, *goal.own, *RULES[RULE].names}
    taken |= adapter.names(goal.relation.lhs) | adapter.names(goal.relation.rhs)
    for seen in draft.seen:
        taken |= {*seen.fact.over, *adapter.names(seen.relation.lhs), *adapter.names(seen.relation.rhs)}
    v, s = adapter.fresh("gap", taken), adapter.fresh("s", taken)

    def member(index: Expr) -> Expr:
        return Expr("at", (var(v), index))

    def at(value: Expr) -> Relation | None:
        sides = [renamed(side, {run.name: value}) for side in goal.relation.sides]
        return None if None in sides else Relation(goal.relation.op, sides[0], sides[1])  # type: ignore[arg-type]

    def line(claim: Relation, over: bool, name: str = "") -> Goal:
        fact = Fact(adapter.as_text(claim), (s,) if over else (), conditions if over else ())
        sorts = (f"{s}: integer",) if over else ()
        return Goal(fact, sorts, name, closest=Closest(), failed=goal.failed)

    here, there = _plus(var(s), run.first), _plus(_plus(var(s), run.first), num(1))
    index = _plus(var(run.name), -run.first)
    first, before, after = at(run.first), at(here), at(there)
    if first is None or before is None or after is None:
        return None
    last = [Relation("<=", var(s), _plus(index, num(-1)))] if not goal.fact.over else []
    others = [r.map(lambda e: renamed(e, {run.name: there}) or e) for r in run.others]
    conditions = (f"{member(var(s))} <= 0", f"{s} >= 0", *map(str, (*last, *others)))
    definition = Goal(Fact(str(Relation("==", member(var(s)), _gap(before))), (s,)), (f"{s}: integer",))
    draft_ = accept(draft, definition, Definition(), "definition")
    if draft_ is None:
        return None
    gap = draft_.seen[0]

    def shown(draft: Draft, what: str, wanted: Goal, items: Sequence[Item] = ()) -> Draft | None:
        """The relation of the goal at one place, from what is named and what sums there are."""
        begun = draft.last
        draft = _split(draft, wanted)
        more = (
            *(hint.items or _near(draft, wanted)),
            *items,
            *(Item(f"#{n}", _PLACE) for n in range(begun + 1, draft.last + 1)),
        )
        found = find(draft, wanted, replace(hint, items=more))
        if found is None:
            told = f"{RULE} over {run.name}: {what} is missing, {wanted.fact.claim}"
            told += f" where {', '.join(map(str, (before, *wanted.fact.where[1:])))}" if wanted.fact.where else ""
            goal.closest.add(
                MISSING, f"{told}: a line that says it, or what it needs, named behind `by {RULE},` would do"
            )
        return found

    def in_gap(draft: Draft, wanted: Goal, index: Expr) -> Draft | None:
        """v <= 0 from the relation, the last line."""
        return accept(draft, wanted, Follows((draft.last, gap.at({s: index}).use)), RULE)

    zero = Relation("<=", member(num(0)), num(0))
    base = shown(draft_, "the first case", line(first, over=False))
    base = None if base is None else in_gap(base, line(zero, over=False), num(0))
    if base is None:
        return None
    start = base.last
    given = line(before, over=True)
    known = _from_gap(base, given, gap.at({s: var(s)}).use)
    if known is None:
        return None
    step = shown(known, "the step", line(after, over=True), [Item(f"#{known.last}", _PLACE)])
    rise = Relation("<=", member(var(s) + num(1)), num(0))
    step = None if step is None else in_gap(step, line(rise, over=True), var(s) + num(1))
    if step is None:
        return None
    values = {"v": v, "c": "0", "n": str(index), "t": str(index)}
    whole = goal.part(goal.said(Relation("<=", member(index), num(0))), RULE)
    done = accept(step, whole, ByRule(RULE, values, (start, step.last)), f"rule: {RULE}", near=MISSING)
    if done is None:
        return None
    return _from_gap(done, goal, done.last, gap.at({s: index}).use)


def _near(draft: Draft, goal: Goal) -> list[Item]:
    """The facts with names that speak of what the goal speaks of, the last ones first."""
    words = adapter.names(goal.relation.lhs) | adapter.names(goal.relation.rhs)
    words -= draft.statement.symbols | frozenset(goal.fact.over)
    near = (s for s in draft.seen if s.name and words & {n for side in s.relation.sides for n in adapter.names(side)})
    return [Item(s.name, _PLACE) for s in islice(near, MAX_NEAR)]


def _from_gap(draft: Draft, goal: Goal, *facts: Ref) -> Draft | None:
    """The goal from the facts that say that its gap is at most 0; an equation by both of its sides."""
    refs: tuple[Ref, ...] = facts
    if goal.relation.op == "==":
        for op in ("<=", ">="):
            part = goal.part(goal.said(Relation(op, *goal.relation.sides)))
            found = accept(draft, part, Follows(facts), RULE)
            if found is None:
                return None
            draft, refs = found, (*refs, found.last)
        refs = refs[len(facts) :]
    return accept(draft, goal, Follows(refs), f"rule: {RULE}", near=MISSING)


def _gap(r: Relation) -> Expr:
    """What is at most 0 just where the relation holds."""
    if r.op == "==":
        return call("abs", r.lhs - r.rhs)
    return r.lhs - r.rhs if r.op == "<=" else r.rhs - r.lhs


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
