"""What one line wants proved, with its hint, and the record of what came closest where nothing is found."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from boundcheck.author import adapter
from boundcheck.author.draft import Draft, Seen, opaque
from boundcheck.author.proof_records import Hint, Item
from boundcheck.author.signs import Signs
from boundcheck.author.support import with_support
from boundcheck.kernel.clock import exhausted
from boundcheck.kernel.formula import BINDERS, Expr, Relation
from boundcheck.kernel.statement import Fact, Justification, Step

QUICK, PATIENT = 1.0, 10.0  #: seconds of processor time for one obligation of a proposal
NAMED = 4.0  #: the same where the author names the facts
LACKING = 5  #: how near a rule is that lacks a mean which must exist, say
LINE = 60.0  #: seconds of processor time for the whole search of one line


@dataclass
class Closest:
    """The nearest misses: (how near, what to say)."""

    notes: list[tuple[int, str]] = field(default_factory=list)
    doubts: dict[str, Callable[[], bool]] = field(default_factory=dict)

    def add(self, near: int, text: str, doubt: Callable[[], bool] | None = None) -> None:
        """Note a miss; ``near`` is larger for what came closer. Where ``doubt()`` holds it is none."""
        if (near, text) not in self.notes:
            self.notes.append((near, text))
        if doubt is not None:
            self.doubts[text] = doubt

    @property
    def best(self) -> str:
        """What came closest, in words; "" if nothing was near."""
        ranked = sorted(self.notes, key=lambda n: -n[0])  # of those that are as near, what was noted first
        return next((text for _, text in ranked if text not in self.doubts or not self.doubts[text]()), "")


@dataclass(frozen=True)
class Goal:
    """A relation to prove, for all values of its quantified names under its conditions."""

    fact: Fact
    integers: tuple[str, ...] = ()
    name: str = ""
    remark: str = ""
    depth: int = 3
    seconds: float = QUICK  #: for an obligation of a rule that fits
    facts: tuple[Seen, ...] = ()  #: those that the hint names
    given: Mapping[str, Expr] = field(default_factory=dict)  #: values that the hint gives to a rule's names
    closest: Closest = field(default_factory=Closest, compare=False)
    path: tuple[str, ...] = ()  #: what the goal is wanted for, so that no search runs in a circle
    failed: set[Hashable] = field(default_factory=set, compare=False)  #: attempts of the line that found nothing

    @cached_property
    def relation(self) -> Relation:
        """What is to be proved, as read."""
        return adapter.relation_of(self.fact.claim)

    @cached_property
    def normal(self) -> Relation:
        """The same in the form in which the kernel compares."""
        return adapter.normal(adapter.relation_of(self.fact.claim))

    @cached_property
    def opaque(self) -> frozenset[Expr]:
        """Its opaque terms in that form."""
        return opaque(self.normal.lhs) | opaque(self.normal.rhs)

    @cached_property
    def given_terms(self) -> frozenset[Expr]:
        """Its opaque terms and those of its conditions."""
        conditions = map(adapter.normal, self.fact.conditions)
        return self.opaque.union(*(opaque(side) for r in conditions for side in r.sides))

    @cached_property
    def denied(self) -> frozenset[Relation]:
        """The negations of its conditions, either side first: a fact that holds only there says nothing here."""
        others = [adapter.normal(r.negated()) for r in self.fact.conditions]
        return frozenset((*others, *(r.flipped() for r in others)))

    def outside(self, fact: Seen) -> bool:
        """Whether ``fact`` is said only where a condition of the goal fails."""
        return bool(self.denied) and any(adapter.normal(c) in self.denied for c in fact.conditions)

    @cached_property
    def structured(self) -> bool:
        """Whether there is more in it than numbers: opaque terms, integrals, sums."""
        return bool(self.opaque) or any(n.op in BINDERS for n in self.normal.walk())

    @cached_property
    def own(self) -> frozenset[str]:
        """Names that the goal may use as they are: its own, quantified or not."""
        names = frozenset(self.fact.over).union(*(r.free for r in self.fact.conditions))
        return names | self.relation.free

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Its quantified names that stand for numbers."""
        others = {adapter.bare(i) for i in self.integers if i.split()[-1] not in ("integer", "real")}
        return frozenset(self.fact.over) - others

    def step(self, by: Justification) -> Step:
        """The step that says this for the reason ``by``."""
        return Step(adapter.with_sorts(self.fact, self.integers), by, self.remark, (), None, self.name)

    def said(self, relation: Relation | str) -> Fact:
        """The relation for the values and under the conditions for which this goal is said."""
        return Fact(adapter.as_text(relation), self.fact.over, self.fact.where)

    def part(self, fact: Fact, why: str = "") -> Goal:
        """A goal on the way to this one; the path tells ``why`` it is there, or what it claims."""
        integers = tuple(i for i in self.integers if adapter.bare(i) in fact.over)
        return replace(
            self,
            fact=fact,
            integers=integers,
            name="",
            remark="",
            depth=self.depth - 1,
            given={},
            path=(*self.path, why or fact.claim),
        )

    def attempt(self, draft: Draft) -> Hashable:
        """What a search for the goal depends on: what is said, what is asked, how deep and with what it may go."""
        given = tuple(self.given.items())
        return draft.said, self.fact, self.integers, self.depth, self.seconds, self.facts, given, bool(self.path)

    @property
    def away(self) -> int:
        """How much less near a miss is for each goal on the way: what the line itself needs is told first."""
        return 10 * len(self.path)

    def signs(self, draft: Draft, facts: Sequence[Seen]) -> Signs:
        """The signs of terms where the goal holds."""
        where = [*map(adapter.normal, draft.statement.domain), *map(adapter.normal, self.fact.conditions)]
        integers = draft.statement.integers | frozenset(adapter.bare(i) for i in self.integers if "integer" in i)
        return Signs(draft.checker, where, integers, facts)


def accept(
    draft: Draft, goal: Goal, by: Justification, kind: str, seconds: float = QUICK, near: int = 1
) -> Draft | None:
    """The draft with the goal proved for the reason ``by``; None where the kernel or the engines refuse.

    None as well where the time of the line is spent: then no further proposal is tried.
    """
    if exhausted():
        return None
    step = goal.step(by)
    refusal = draft.checker.check(draft.statement, step, seconds)
    if refusal is None:
        return draft.with_step(step, kind)
    for better in with_support(draft, goal.own, by, refusal.obligation) if refusal.obligation is not None else ():
        step = goal.step(better)
        if draft.checker.check(draft.statement, step, seconds) is None:
            return draft.with_step(step, kind)
    near = (near if refusal.obligation is not None else near - 1) - goal.away
    if "nothing shows that" in refusal.reason and len(goal.path) == 1 and goal.relation.op == "==":
        near = LACKING  # a rule fits a term of the line, and what it asks for cannot be seen
    said = refusal.reason.startswith(f"{kind.removeprefix('rule: ')}: ")  # by the kernel, of a rule that it refuses
    goal.closest.add(near, refusal.reason if said else f"{kind}: {refusal.reason}")
    return None


def hinted(draft: Draft, hint: Hint) -> tuple[list[Seen], list[Item]]:
    """The facts that a hint names, and its other items.

    The values behind ``with`` are those of the other items; where there are none, of the facts
    that are for all of a name.
    """
    facts: list[Seen] = []
    others: list[Item] = []
    for item in hint.items:
        seen = draft.named(item.name)
        if seen is None:
            others.append(item)
        else:
            facts.append(replace(seen, let=tuple(item.let.items())) if item.let else seen)
    return (facts if others else [_with(seen, hint.let) for seen in facts]), others


def _with(seen: Seen, let: Mapping[str, str]) -> Seen:
    told = tuple((n, v) for n, v in let.items() if n in seen.fact.over)
    return seen if seen.let else replace(seen, let=told)


def without_use(facts: Sequence[Seen], hint: Hint) -> str:
    """What to say of a hint that gives a value to a name that none of its ``facts`` is for all of; "" else."""
    names = [n for n in hint.let if not any(n in seen.fact.over for seen in facts)]
    if not names:
        return ""
    return (
        f"none of {', '.join(i.name for i in hint.items)} is for all {', '.join(names)}: `with` gives no value there"
    )
