"""From the lines of a proof to the records that the kernel checks; each line with the reason that was found for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from boundcheck.author import adapter
from boundcheck.author.combine import linear
from boundcheck.author.draft import Draft, Seen
from boundcheck.author.goal import Goal
from boundcheck.author.hints import ref_of
from boundcheck.author.records import EXACTLY, Chain, Conclusion, Hint, Line, Link, Range
from boundcheck.author.search import find, prove
from boundcheck.author.source import Place
from boundcheck.kernel.clock import seconds_used
from boundcheck.kernel.formula import Expr, FormulaError, Relation
from boundcheck.kernel.statement import Decide, Fact, Follows, Ref, Statement, Step, Use

_RISING, _FALLING = ("<=", "<", "=="), (">=", ">", "==")


@dataclass(frozen=True)
class Found:
    """What became of one line: its kind of reason ("" where none was found), its steps, how long it took."""

    place: Place
    text: str
    kind: str
    steps: int
    seconds: float
    hint: int = 0  #: words of the author's hint
    fault: str = ""


@dataclass(frozen=True)
class Elaboration:
    """The statement with its proof in records, and what was found for each line."""

    statement: Statement
    lines: tuple[Found, ...]

    @property
    def faults(self) -> tuple[Found, ...]:
        """The lines for which no reason was found."""
        return tuple(f for f in self.lines if f.fault)

    @property
    def kinds(self) -> Counter[str]:
        """How many reasons were found, by kind."""
        return Counter(f.kind for f in self.lines if f.kind)


class Elaborator:
    """Takes the lines one after the other."""

    def __init__(self, statement: Statement, lookup: adapter.Lookup, checker: adapter.Checker | None = None):
        self.draft = Draft(statement, checker or adapter.Checker(lookup))
        self.found: list[Found] = []
        self.concludes: dict[int, tuple[Ref, ...]] = {}

    def run(self, lines: Sequence[Line]) -> Elaboration:
        """All lines, then the claims."""
        for line in lines:
            if isinstance(line, Conclusion):
                self.concludes[line.claim] = tuple(ref_of(i) for i in line.items)
            else:
                self.chain(line)
        where = lines[-1].place if lines else Place(1, 1)
        concluded = tuple(self.claim(n, fact, where) for n, fact in enumerate(self.draft.statement.claims, 1))
        return Elaboration(replace(self.draft.statement, concludes=concluded), tuple(self.found))

    # ------------------------------------------------------------ lines

    def chain(self, chain: Chain) -> None:
        """The links of a chain, then the relation between its ends."""
        left = chain.first
        numbers: list[int] = []
        for link in chain.links:
            own = chain.name if len(chain.links) == 1 else ""
            self.link(left, link, own, chain)
            numbers.append(self.draft.last)
            left = link.term
        if len(numbers) > 1:
            self.ends(chain, left, numbers)

    def link(self, left: Expr, link: Link, name: str, chain: Chain) -> None:
        """One relation."""
        fact, integers = adapter.fact_of(Relation(link.op, left, link.term), link.range or Range())
        if chain.role == "repaired":
            self.repaired(fact, integers, link, name)
            return
        self.line(Goal(fact, integers, name, link.remark), link.hint, link.place)

    def line(self, goal: Goal, hint: Hint, place: Place) -> None:
        """One goal with its hint; where nothing is found, it is taken down as open and the fault is told."""
        start, before = seconds_used(), self.draft.last
        if hint.word == EXACTLY and hint.exact is not None:
            self.draft = self.draft.with_step(goal.step(hint.exact), "exactly")
            self.note(place, goal, "exactly", before, start, hint)
            return
        try:
            found = find(self.draft, goal, hint)
            fault = "" if found is not None else message(goal)
        except FormulaError as error:
            found, fault = None, str(error)
        if found is None:
            self.draft = self.draft.with_step(goal.step(Decide()), "")
            self.note(place, goal, "", before, start, hint, fault)
            return
        self.draft = pruned(found, before)
        self.note(place, goal, found.kinds[-1], before, start, hint)

    def note(
        self, place: Place, goal: Goal, kind: str, before: int, start: float, hint: Hint, fault: str = ""
    ) -> None:
        """Take down what became of a line."""
        steps = self.draft.last - before
        self.found.append(Found(place, goal.fact.claim, kind, steps, seconds_used() - start, hint.size, fault))

    def repaired(self, fact: Fact, integers: tuple[str, ...], link: Link, name: str) -> None:
        """The nearest form that holds of the step before, which does not hold as printed."""
        *steps, printed = self.draft.statement.steps
        without = replace(self.draft, statement=replace(self.draft.statement, steps=tuple(steps)))
        kept, self.draft = self.draft, without
        self.line(Goal(fact, integers, name, link.remark), link.hint, link.place)
        *more, mended = self.draft.statement.steps
        both = replace(printed, repair=mended)
        self.draft = replace(
            self.draft, statement=replace(self.draft.statement, steps=(*more, both)), kinds=kept.kinds
        )

    def ends(self, chain: Chain, right: Expr, numbers: Sequence[int]) -> None:
        """The relation between the ends of a chain."""
        ops = [link.op for link in chain.links]
        op = _joined(ops)
        if op is None:
            self.found.append(
                Found(chain.place, chain.name, "", 0, 0.0, 0, f"the relations {' '.join(ops)} do not chain")
            )
            return
        fact, integers = adapter.fact_of(Relation(op, chain.first, right), chain.range)
        goal = Goal(fact, integers, chain.name)
        links = [s for s in self.draft.seen if s.ref in numbers][::-1]
        by = Follows(tuple(s.ref for s in links), tuple("1" for _ in links))
        step = goal.step(by)
        if self.draft.checker.check(self.draft.statement, step, 1.0) is None:
            self.draft = self.draft.with_step(step, "chain")
            return
        found = linear(self.draft, goal, links) or prove(self.draft, goal)
        self.draft = found if found is not None else self.draft.with_step(goal.step(Follows(tuple(numbers))), "")
        if found is None:
            self.found.append(
                Found(chain.place, fact.claim, "", 1, 0.0, 0, "its links do not add up to: " + fact.claim)
            )

    # ------------------------------------------------------------ claims

    def claim(self, number: int, fact: Fact, place: Place) -> tuple[Ref, ...]:
        """The facts that a claim follows from."""
        if number in self.concludes:
            return self.concludes[number]
        start, before = seconds_used(), self.draft.last
        goal = Goal(fact)
        same = next((s for s in self.draft.seen if _same(s, fact)), None)
        if same is not None:
            return (same.ref,)
        found = prove(self.draft, goal)
        fault = "" if found is not None else f"claim {number} is not reached: {message(goal)}"
        if found is not None:
            self.draft = pruned(found, before)
        self.note(place, goal, found.kinds[-1] if found else "", before, start, Hint(), fault)
        return (self.draft.last,) if self.draft.last else ()


def _same(seen: Seen, fact: Fact) -> bool:
    return (seen.fact.claim, seen.fact.over, seen.fact.where) == (fact.claim, fact.over, fact.where)


def _joined(ops: Sequence[str]) -> str | None:
    """The relation between the ends of a chain of these."""
    if all(o == "==" for o in ops):
        return "=="
    for rising, strict, loose in ((_RISING, "<", "<="), (_FALLING, ">", ">=")):
        if all(o in rising for o in ops):
            return strict if strict in ops else loose
    return None


def pruned(draft: Draft, before: int) -> Draft:
    """The draft without those steps after number ``before`` that its last one does not rest on."""
    steps = draft.statement.steps
    needed, pending = {len(steps)}, [len(steps)]
    while pending:
        for n in _numbers(steps[pending.pop() - 1]):
            if n > before and n not in needed:
                needed.add(n)
                pending.append(n)
    kept = [n for n in range(1, len(steps) + 1) if n <= before or n in needed]
    new = {old: k for k, old in enumerate(kept, 1)}
    statement = replace(draft.statement, steps=tuple(_renumbered(steps[n - 1], new) for n in kept))
    return replace(draft, statement=statement, kinds=tuple(draft.kinds[n - 1] for n in kept if n <= len(draft.kinds)))


def _numbers(step: Step) -> list[int]:
    """The numbers of the steps that a step refers to."""
    refs = [r.ref if isinstance(r, Use) else r for r in getattr(step.by, "using", ())]
    return [r for r in refs if isinstance(r, int)]


def _renumbered(step: Step, new: dict[int, int]) -> Step:
    by: Any = step.by
    using = getattr(by, "using", ())
    if not using:
        return step
    moved: list[Ref] = []
    for r in using:
        if isinstance(r, Use):
            moved.append(replace(r, ref=new[r.ref]) if isinstance(r.ref, int) else r)
        else:
            moved.append(new[r] if isinstance(r, int) else r)
    return replace(step, by=replace(by, using=tuple(moved)))


def message(goal: Goal) -> str:
    """Why no reason was found: what came closest."""
    text = f"no reason found for {goal.fact.claim}"
    return f"{text}; closest: {goal.closest.best}" if goal.closest.best else text


def elaborate(
    statement: Statement, lines: Sequence[Line], lookup: adapter.Lookup, checker: adapter.Checker | None = None
) -> Elaboration:
    """``statement`` (its header, without steps) with the proof that the lines are."""
    return Elaborator(statement, lookup, checker).run(lines)
