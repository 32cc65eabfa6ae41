"""From the lines of a proof to the records that the kernel checks; each line with the reason that was found for it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from boundcheck.author import adapter
from boundcheck.author.advice import missing_mean, product_bound, undefined_condition
from boundcheck.author.combine import linear
from boundcheck.author.draft import Draft, Seen
from boundcheck.author.goal import LINE, QUICK, Goal
from boundcheck.author.grounds import grounded
from boundcheck.author.made import Elaboration, Found, Mark, Miss
from boundcheck.author.misses import miss_key
from boundcheck.author.proof_records import EXACTLY, Chain, Conclusion, Hint, Line, Link, Range
from boundcheck.author.reasons_given import ref_of
from boundcheck.author.search import find, prove
from boundcheck.author.source import Place
from boundcheck.author.spelling import otherwise, relations_of, told
from boundcheck.author.support import ROLES, supporting
from boundcheck.author.syntax import with_members
from boundcheck.kernel.clock import budget, exhausted, seconds_used
from boundcheck.kernel.formula import Expr, FormulaError, Relation
from boundcheck.kernel.statement import Cite, Decide, Definition, Fact, Follows, Ref, Statement, Step, Use

FIRST = 2.0  #: seconds of processor time for a line, after which it is asked whether it is false
FALSE = 1.0  #: seconds of processor time for a world in which a line is false
_NO_HINT = Hint()
_RISING, _FALLING = ("<=", "<", "=="), (">=", ">", "==")


class Elaborator:
    """Takes the lines one after the other."""

    def __init__(
        self,
        statement: Statement,
        lookup: adapter.Lookup,
        before: Elaboration,
    ):
        self.draft = Draft(statement, adapter.Checker(lookup))
        self.found: list[Found] = []
        self.marks: list[Mark] = []
        self.misses: list[Miss] = []
        self.concludes: dict[int, tuple[Ref, ...]] = {}
        self._old = before
        self._marked = {m.key: m for m in before.marks}
        self._moved: dict[int, int] = {}  #: number of a step of the earlier elaboration -> its number now
        self._unsaid: dict[str, int] = {}  #: names that a refused definition leaves without a meaning -> its line

    def run(self, lines: Sequence[Line]) -> Elaboration:
        """All lines, then the claims. Of what is taken from the literature without a proof nothing is searched."""
        if not lines and self.draft.statement.literature:
            return Elaboration(self.draft.statement, ())
        adapter.ready()
        for line in lines:
            if isinstance(line, Conclusion):
                self.concludes[line.claim] = tuple(ref_of(i) for i in line.items)
            else:
                self.chain(line)
        where = lines[-1].place if lines else Place(1, 1)
        assumed = self.draft.statement.kind == "assumption"  # nobody proves those
        claims = () if assumed else self.draft.statement.claims
        concluded = tuple(self.claim(n, fact, where) for n, fact in enumerate(claims, 1))
        statement = replace(self.draft.statement, concludes=concluded)
        return Elaboration(statement, tuple(self.found), tuple(self.marks), tuple(self.misses))

    # ------------------------------------------------------------ what is kept

    def mark(self, key: str, before: int, kind: str, seconds: float) -> None:
        """Take down which steps the line became, and where the step that says the same stood before."""
        self.marks.append(Mark(key, before + 1, self.draft.last, kind, seconds))
        old = self._marked.get(key)
        if old is not None and old.last >= old.first:
            self._moved[old.last] = self.draft.last

    def reused(self, key: str, mended: bool = False) -> Draft | None:
        """The draft with the steps that the line became before, where all that they rest on is still there.

        Of a step with a repair, the line is the repair if ``mended``, else the step as printed.
        """
        old = self._marked.get(key)
        if old is None:
            return None
        draft, moved = self.draft, dict(self._moved)
        for number in range(old.first, old.last + 1):
            step = self._old.statement.steps[number - 1]
            step = step.repair if mended and step.repair is not None else replace(step, repair=None)
            if any(n not in moved for n in _numbers(step)):
                return None
            step = _renumbered(step, moved)
            if isinstance(draft.checker.generate(draft.statement, step), adapter.Refusal):
                return None
            draft = draft.with_step(step, old.kind)
            moved[number] = draft.last
        self._moved = moved
        return draft

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

    def line(self, goal: Goal, hint: Hint, place: Place, mended: bool = False) -> None:
        """One goal with its hint; where nothing is found, it is taken down as open and the fault is told."""
        start, before = seconds_used(), self.draft.last
        key = line_key(goal, hint)
        exact = hint.exact if hint.word == EXACTLY else None
        same = self.reused(key, mended) if exact is None else None
        fault = ""
        if exact is not None:
            refusal = self.draft.checker.generate(self.draft.statement, goal.step(exact))
            fault = (
                f"{with_members(goal.fact.claim)}: {refusal.reason}" if isinstance(refusal, adapter.Refusal) else ""
            )
            open_ = fault and isinstance(exact, Definition)  # what is no definition must not stand in the way
            step, kind = (self.without_reason(goal, hint), "") if open_ else (goal.step(exact), "exactly")
            self.draft = self.draft.with_step(step, kind)
            if open_:
                lost = adapter.undeclared(self.draft.statement, goal.relation.lhs) - set(goal.fact.over)
                self._unsaid |= dict.fromkeys(lost, place.line)
        elif same is not None:
            self.draft, kind = same, self._marked[key].kind
        else:
            found, fault = self.searched(lambda: find(self.draft, goal, hint), goal, hint)
            open_line = self.draft.with_step(self.without_reason(goal, hint), "")
            self.draft = open_line if found is None else self.needed(found, before)
            kind = "" if found is None else found.kind
        seconds = _since(start) if same is None else self._marked[key].seconds
        self.note(place, goal, kind, before, seconds, hint, fault)
        if kind:
            self.mark(key, before, kind, seconds)

    def without_reason(self, goal: Goal, hint: Hint) -> Step:
        """The step of an open line. Where it cites what is assumed or unknown, its statement rests on that as well:

        values that break the line may break the assumption.
        """
        labels = [item.name for item in hint.items if item.cites]
        behind = next((name for name in labels if adapter.assumed(name, self.draft.checker.lookup)), None)
        return goal.step(Decide() if behind is None else Cite(behind))

    def searched(
        self, search: Callable[[], Draft | None], goal: Goal, hint: Hint = _NO_HINT
    ) -> tuple[Draft | None, str]:
        """What a search finds within the budget of a line, or why it finds nothing; the same one runs once."""
        key = miss_key(self.draft, line_key(goal, hint), hint) if self._old.misses else ""
        if lost := sorted(goal.relation.free & self._unsaid.keys() - set(goal.fact.over)):
            line = self._unsaid[lost[0]]
            return None, f"{with_members(goal.fact.claim)} speaks of {lost[0]}, to which line {line} gives no meaning"
        known = next((m for m in self._old.misses if m.key == key), None)
        if known is not None:
            self.misses.append(known)
            return None, known.fault
        try:
            found, fault = self._sought(search, goal)
        except FormulaError as error:
            found, fault = None, str(error)
        if found is None and not exhausted():  # else a budget around this one ended, and more would be found
            self.misses.append(Miss(key or miss_key(self.draft, line_key(goal, hint), hint), fault))
        return found, fault

    def _sought(self, search: Callable[[], Draft | None], goal: Goal) -> tuple[Draft | None, str]:
        """What a search finds within FIRST seconds or, where the line is not false, within LINE; or why nothing."""
        found, near, unfinished = self._tried(search, goal, min(FIRST, LINE))
        if found is not None:
            return found, ""
        false = false_where(goal, self.draft)
        if unfinished and not false:  # what was tried in vain is not tried again
            found, near, unfinished = self._tried(search, goal, LINE)
            if found is not None:
                return found, ""
            if unfinished:
                near += f" (the search ended after {LINE:g} s of processor time: say more after `by`)"
        return None, with_members(f"no reason found for {goal.fact.claim}{false}{near}")

    def _tried(self, search: Callable[[], Draft | None], goal: Goal, seconds: float) -> tuple[Draft | None, str, bool]:
        """What the search finds in that time, what came closest where it finds nothing, and whether the time ended."""
        with budget(seconds):
            found = search()
            return found, "" if found is not None else nearest(goal, self.draft), exhausted()

    def needed(self, found: Draft, before: int) -> Draft:
        """The draft without steps on the way that nothing rests on.

        A step may rest on facts in sight that it does not name, as a citation does on its hypotheses; then all stay.
        """
        short = pruned(found, before)
        *steps, last = short.statement.steps
        for n, step in enumerate(steps[before:], before):  # those on the way may rest on such facts as well
            without = replace(short.statement, steps=tuple(steps[:n]))
            if isinstance(found.checker.generate(without, step), adapter.Refusal):
                return found
        refusal = found.checker.check(replace(short.statement, steps=tuple(steps)), last, QUICK)
        return short if refusal is None else found

    def note(
        self, place: Place, goal: Goal, kind: str, before: int, seconds: float, hint: Hint, fault: str = ""
    ) -> None:
        """Take down what became of a line."""
        self.found.append(Found(place, goal.fact.claim, kind, self.draft.last - before, seconds, hint.size, fault))

    def open(self, place: Place, text: str, fault: str, steps: int = 0) -> None:
        """Take down what is not shown."""
        self.found.append(Found(place, text, "", steps, 0.0, 0, fault))

    def repaired(self, fact: Fact, integers: tuple[str, ...], link: Link, name: str) -> None:
        """The nearest form that holds of the step before, which does not hold as printed."""
        *steps, printed = self.draft.statement.steps
        without = replace(self.draft, statement=replace(self.draft.statement, steps=tuple(steps)))
        self.draft = without
        self.line(Goal(fact, integers, name, link.remark), link.hint, link.place, mended=True)
        *more, mended = self.draft.statement.steps
        both = replace(printed, repair=mended)
        self.draft = replace(self.draft, statement=replace(self.draft.statement, steps=(*more, both)))

    def ends(self, chain: Chain, right: Expr, numbers: Sequence[int]) -> None:
        """The relation between the ends of a chain."""
        ops = [link.op for link in chain.links]
        op = _joined(ops)
        if op is None:
            self.open(chain.place, chain.name, f"the relations {' '.join(ops)} do not chain")
            return
        fact, integers = adapter.fact_of(Relation(op, chain.first, right), chain.range)
        goal, before, start = Goal(fact, integers, chain.name), self.draft.last, seconds_used()
        ends = Hint(word="ends")
        key = line_key(goal, ends)
        links = [s for s in self.draft.seen if s.ref in numbers][::-1]
        times = "-1" if op == "==" else "1"  # an equation is compared by its left side less its right side
        by = Follows(tuple(s.ref for s in links), tuple(times for _ in links))
        step = goal.step(by)
        if self.draft.checker.check(self.draft.statement, step, 1.0) is None:
            self.draft = self.draft.with_step(step, "chain")
            self.mark(key, before, "chain", _since(start))
            return
        found, fault = self.searched(lambda: linear(self.draft, goal, links) or prove(self.draft, goal), goal, ends)
        self.draft = found if found is not None else self.draft.with_step(goal.step(Follows(tuple(numbers))), "")
        if found is None:
            self.open(chain.place, fact.claim, f"its links do not add up: {fault}", 1)
        else:
            self.mark(key, before, "chain", _since(start))

    # ------------------------------------------------------------ claims

    def claim(self, number: int, fact: Fact, place: Place) -> tuple[Ref, ...]:
        """The facts that a claim follows from."""
        if number in self.concludes:
            return self.concludes[number]
        start, before = seconds_used(), self.draft.last
        goal = Goal(*adapter.without_sorts(fact))
        same = next((s for s in self.draft.seen if _same(s, goal)), None)
        if same is not None:
            return self.meant(number, fact, same.ref, place)
        found, fault = self.searched(lambda: prove(self.draft, goal), goal)
        if found is not None:
            self.draft = self.needed(found, before)
        fault = f"claim {number} is not reached: {fault}" if fault else ""
        self.note(place, goal, found.kind if found else "", before, _since(start), Hint(), fault)
        if found is not None:
            return self.meant(number, fact, self.draft.last, place)
        return (self.draft.last,) if self.draft.last else ()

    def meant(self, number: int, fact: Fact, ref: Ref, place: Place) -> tuple[Ref, ...]:
        """What a claim follows from: the step that says it, and facts that show that it speaks of what is defined."""
        refused = self.refused(fact, (ref,))
        if refused is not None:  # say what its author left unsaid: that a mean exists, that E(X**2) has a root
            with budget(LINE):
                self.draft = grounded(self.draft, Goal(*adapter.without_sorts(fact)), prove)
            refused = self.refused(fact, (ref,))
        if not _undefined(refused):
            return (ref,)
        near = supporting(self.draft, adapter.relation_of(fact.claim), ref)
        more = [m for m in near if _undefined(self.refused(fact, (ref, m)), True)]
        sets = [*([m] for m in more), *([a, b] for n, a in enumerate(more) for b in more[n + 1 :]), more]
        for some in sets:
            if some and self.refused(fact, (ref, *some)) is None:
                return (ref, *some)
        reason = with_members(refused.reason) if refused is not None else ""
        told = f"claim {number} may speak of what is undefined: {reason}"
        told += "; a hypothesis, a parameter's domain or a line must say where it is defined: b > 0 for 1/b"
        self.open(place, fact.claim, told)
        return (ref,)

    def refused(self, fact: Fact, refs: tuple[Ref, ...]) -> adapter.Refusal | None:
        """Why the claim does not follow from these facts, if it does not."""
        return self.draft.checker.check_claim(self.draft.statement, Step(fact, Follows(refs)), QUICK)


def _undefined(refused: adapter.Refusal | None, proved: bool = False) -> bool:
    """Whether nothing is wrong with a claim but that a term of it may be undefined; ``proved``: or nothing at all."""
    if refused is None:
        return proved
    return refused.obligation is not None and refused.obligation.role in ROLES


def _since(start: float) -> float:
    """Processor time since ``start``, in seconds to four places."""
    return round(seconds_used() - start, 4)


def line_key(goal: Goal, hint: Hint) -> str:
    """What a line says, without the place where it stands."""
    items = [(i.name, i.times, sorted(i.let.items()), i.part, i.as_used) for i in hint.items]
    told: tuple[object, ...] = (
        goal.fact, goal.integers, goal.name, hint.word, items, sorted(hint.let.items()), hint.exact
    )  # fmt: skip
    told = (*told, hint.case) if hint.case else told
    return hashlib.sha256(repr(told).encode()).hexdigest()[:20]


def _same(seen: Seen, goal: Goal) -> bool:
    """Whether the fact says just what the goal does."""
    return (seen.fact, set(seen.integers)) == (goal.fact, set(goal.integers))


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
    return replace(draft, statement=statement)


def _numbers(step: Step) -> list[int]:
    """The numbers of the steps that a step refers to."""
    refs = [r.ref if isinstance(r, Use) else r for r in getattr(step.by, "using", ())]
    return [r for r in refs if isinstance(r, int)]


def _renumbered(step: Step, new: dict[int, int]) -> Step:
    by: Any = step.by
    using = getattr(by, "using", ())

    def moved(r: Any) -> Any:
        if isinstance(r, Use):
            return replace(r, ref=moved(r.ref))
        return new[r] if isinstance(r, int) else r

    return replace(step, by=replace(by, using=tuple(map(moved, using)))) if using else step


def nearest(goal: Goal, draft: Draft) -> str:
    """Behind a line without a reason: a term of the wrong sort, else what came closest and which line is missing."""
    statement, text = draft.statement, ""
    wrong = adapter.ill_sorted(statement, adapter.with_sorts(goal.fact, goal.integers))
    if wrong:
        text = f": {wrong}"
    elif goal.closest.best:
        text = f"; closest: {goal.closest.best}"
        mixed = told(otherwise([goal.relation], relations_of(statement)))
        text += f"; {mixed}" if mixed and mixed not in text else ""
        text += f"; {line}" if (line := product_bound(draft, goal)) else ""
        text += f"; {line}" if (line := undefined_condition(goal)) else ""
        text += f"; {line}" if "nothing shows that" not in text and (line := missing_mean(draft, goal)) else ""
    return text


def false_where(goal: Goal, draft: Draft) -> str:
    """Behind a line that is false: the values at which it is, though all hypotheses hold; "" where none are found."""
    fact = adapter.with_sorts(goal.fact, goal.integers)
    found = "" if adapter.ill_sorted(draft.statement, fact) else adapter.false_where(draft.statement, fact, FALSE)
    return f": it is false where {found}" if found else ""


def elaborate(
    statement: Statement,
    lines: Sequence[Line],
    lookup: adapter.Lookup,
    before: Elaboration | None = None,
) -> Elaboration:
    """``statement`` (its header, without steps) with the proof that the lines are.

    Lines that stand in an earlier elaboration, ``before``, are not searched again.
    """
    return Elaborator(statement, lookup, before or Elaboration(statement, ())).run(lines)
