"""One step on trial: is it PROVED, and is what it asserts true in every model of its premises?"""

from __future__ import annotations

import random as python_random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from flint import fmpq

from benchmarks.hunter import adapter
from benchmarks.hunter.adapter import Statement, Step, Use
from benchmarks.hunter.evaluate import Evaluator
from benchmarks.hunter.meet import Fact, Outcome, check, meet
from benchmarks.hunter.model import Model, Rv, draw_space, law_source
from benchmarks.hunter.nums import IllTyped, Split, Undefined, Unknown, Value
from benchmarks.hunter.schemas import shown
from benchmarks.hunter.sorts import VECTOR, Sort
from benchmarks.hunter.terms import subterms

Lookup = Callable[[str], Statement]


@dataclass
class Case:
    """A step of a statement that may be false. ``known``: sorts that are declared beside the statement."""

    statement: Statement
    number: int
    step: Step
    origin: str = ""
    known: Mapping[str, Sort] = field(default_factory=dict)
    find: Lookup = adapter.lookup


@dataclass
class Verdict:
    """What became of a case: refused, no model, holds, false but not proved, or a hole."""

    kind: str
    why: str = ""
    how: str = ""


def sorts_of(case: Case) -> dict[str, Sort]:
    """The sorts of the names of a case."""
    return {**adapter.sorts(case.statement, case.number, case.step), **case.known}


def laws_of(facts: list[Fact]) -> dict[str, str]:
    """The names that have the law sphere(d) or ball(d)."""
    found = (f.relation for f in facts if f.relation.lhs.op == "law" and f.relation.lhs.args[0].op == "var")
    return {str(r.lhs.args[0].value): r.rhs.op for r in found if r.rhs.op in ("sphere", "ball")}


def a_model(rng: python_random.Random, sorts: Mapping[str, Sort], facts: list[Fact], partial: bool) -> Model:
    """A model of the declared laws, nothing else met yet."""
    laws = laws_of(facts)
    d = 1 if laws else rng.choice((1, 2, 2, 3))
    fixed = {n: law_source(kind, d, sorts.get(n, Sort(VECTOR)).kind == VECTOR) for n, kind in laws.items()}
    model = Model(rng, sorts, d, draw_space(rng, list(fixed.values()), 2), partial)
    for k, (name, source) in enumerate(fixed.items()):
        model.values[name] = Rv(tuple(source.values[a[k]] for a in model.atoms))
    if laws:
        model.values["d"] = fmpq(d)
    return model


def counterexample(
    case: Case, rng: python_random.Random, models: int = 14, partial: bool = adapter.PARTIAL, declared: bool = True
) -> tuple[str, str, int]:
    """(how the step is false in a model, that model in words, how many models met the premises)."""
    facts = adapter.premises(case.statement, case.number, case.step)
    if facts is None:
        return "", "", 0
    sorts = sorts_of(case) if declared else adapter.sorts(case.statement, case.number, case.step)
    goal = adapter.conclusion(case.step)
    facts = [f for f in facts if not _opaque(f)]
    laws = laws_of(facts)
    met = 0
    for n in range(models):
        if n == 8 and not met:
            break
        model = a_model(rng, sorts, facts, partial)
        ev = Evaluator(model)
        if not meet(model, ev, facts, 7, frozenset({*laws, "d"}) if laws else frozenset()):
            continue
        met += 1
        found = check(model, ev, goal)
        if found.holds is False:
            model.extra = _told(case, ev, found)
            if all(check(model, ev, f, dense=True).holds is True for f in facts):
                return found.how, shown(model, found, str(goal)), met
    return "", "", met


def _told(case: Case, ev: Evaluator, found: Outcome) -> list[Value]:
    """The values of the terms of a step where it fails: what its premises say there counts."""
    terms = subterms(case.step.fact.relation)
    by = case.step.by
    lets = [getattr(by, "let", {}), *(u.let for u in getattr(by, "using", ()) if isinstance(u, Use))]
    for let in lets:
        for source in let.values():
            terms += list(adapter.term(source).walk())
    values: list[Value] = []
    for t in dict.fromkeys(terms):
        for atom in ev.m.live:
            try:
                v = ev.value(t, atom, found.at)
            except (Unknown, Undefined, IllTyped, Split, OverflowError, RecursionError):
                continue
            if isinstance(v, fmpq | tuple) and v not in values:
                values.append(v)
    return values[:24]


def _opaque(f: Fact) -> bool:
    """Whether a fact says that samples are fresh, which no finite model here tells."""
    return any(n.op == "iid" for r in f.relations for s in (r.lhs, r.rhs) for n in s.walk())


def try_case(case: Case, rng: python_random.Random, seconds: float, models: int = 14) -> Verdict:
    """The verdict on a case: the engines are asked only where a model breaks the step."""
    refused = adapter.fits(case.statement, case.number, case.step, case.find)
    if refused:
        return Verdict("refused", refused)
    how, why, met = counterexample(case, rng, models)
    if not how:
        return Verdict("holds" if met else "no model")
    if how == "ill-typed" and not adapter.DECLARES:
        how, why, _ = counterexample(case, rng, models, declared=False)
        if not how:
            return Verdict("holds")
    if not adapter.proved(case.statement, case.number, case.step, seconds, case.find):
        return Verdict("false, not proved", why, how)
    if how == "undefined":
        worse, model, _ = counterexample(case, rng, models, partial=False)
        if worse == "false":
            how, why = "false where undefined", model
    return Verdict("hole", why, how)
