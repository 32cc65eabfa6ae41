"""One step on trial: is it PROVED, and is what it asserts true in every model of its premises?"""

from __future__ import annotations

import random as python_random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from benchmarks.hunter import adapter
from benchmarks.hunter.atoms import AtAtoms
from benchmarks.hunter.meet import Fact, Outcome, check, meet
from benchmarks.hunter.model import Function, Model, Rv, Sigma, draw_space, give_law, law_source
from benchmarks.hunter.nums import FAULTS, Value
from benchmarks.hunter.terms import subterms
from benchmarks.hunter.words import shown
from boundcheck.kernel.formula import Expr, FormulaError
from boundcheck.kernel.proof.facts import ProofError, read_term
from boundcheck.kernel.proof.obligations import conclusion_steps
from boundcheck.kernel.proof.sorts import INFORMATION, Sort, SortError
from boundcheck.kernel.proof.terms import names_of
from boundcheck.kernel.statement import Definition, Statement, Step, Use

MODELS = 4  #: models of the premises of one case


@dataclass
class Case:
    """A step of a statement that may be false."""

    statement: Statement
    number: int
    step: Step
    origin: str = ""
    find: adapter.Lookup = adapter.lookup
    under: Case | None = None  #: the step that what is cited rests on: without its proof nothing is said


@dataclass
class Verdict:
    """What became of a case: refused, no model, holds, false but not proved, or a hole."""

    kind: str
    why: str = ""
    how: str = ""


def a_model(rng: python_random.Random, sorts: Mapping[str, Sort], facts: list[Fact], line: str) -> Model | None:
    """A model of the stated laws, true ones alone; nothing else is met yet. None: there is none for these laws."""
    laws: dict[str, Expr] = {}
    for f in facts:
        r = f.relation
        if r.op != "==" or r.lhs.op != "law":
            continue
        of, kind = r.lhs.args[0], r.rhs.op
        head = of.args[0] if of.op == "at" else of
        name = str(head.value) if head.op == "var" else head.op
        wanted = Sort("real" if kind == "coordinate" else "vector", True)
        sort = sorts.get(name)
        if f.where or sort is None or kind not in ("sphere", "ball", "coordinate"):
            return None
        if tuple(str(a.value) for a in (of.args[1:] if of.op == "at" else of.args)) != tuple(n for n, _ in f.over):
            return None  # of every member of a family, or of a variable
        if sort._replace(args=()) != wanted or laws.setdefault(name, r.rhs) is not r.rhs:
            return None
    heads = {f.relation.lhs.op for f in facts}
    least = 2 if "independent" in heads and rng.random() < 0.8 else None  # one source alone has little to offer
    if not laws:
        model = Model(rng, sorts, rng.choice((1, 2, 2, 3)), draw_space(rng, [], 3 if least else 2, least), line)
    else:
        kinds = [e.op for e in laws.values()]
        d = 3 if kinds == ["coordinate"] and rng.random() < 0.5 else 1
        many = any(sorts[n].args for n in laws)
        line = "uniform" if "ball" in kinds or d == 3 or many else ""
        if kinds.count("ball") > 1:
            return None
        on_line = "ball" if "ball" in kinds else "coordinate" if d == 3 else ""
        finite = {n: e.op for n, e in laws.items() if e.op != on_line}
        sources = draw_space(rng, [law_source(kind, d) for kind in finite.values()], 2)
        model = Model(rng, sorts, d, sources, line)
        for name, e in laws.items():
            give_law(model, name, e.op, list(finite).index(name) if name in finite else None)
        for e in laws.values():
            (dimension,) = e.args
            if dimension.op == "var" and sorts.get(str(dimension.value)) == Sort("integer"):
                model.values[str(dimension.value)] = fmpq(d)
    model.smooth = "gradient" in heads
    tied = {"independent", "measurable", "increasing", "adapted"}
    told = frozenset().union(*(f.free for f in facts if f.relation.lhs.op in tied))
    for name, sort in sorts.items():  # information of which nothing is told is any
        if sort.kind == INFORMATION and name not in told and rng.random() < 0.6:
            if sort.args:
                model.styles[name] = "any"
            else:
                model.values[name] = Sigma(tuple(rng.randint(0, 2) for _ in model.atoms))
    return model


def _define(model: Model, ev: AtAtoms, facts: list[Fact], names: frozenset[str]) -> None:
    """Take equations for the names as definitions: of functions and families as they stand, of others by value."""
    for f in facts:
        lhs, rhs = f.relation.lhs, f.relation.rhs
        over = tuple(n for n, _ in f.over)
        if f.relation.op != "==" or f.where:
            continue
        args = lhs.args[1:] if lhs.op == "at" else lhs.args
        name = str(lhs.args[0].value) if lhs.op == "at" else lhs.op
        sort = model.sorts.get(name)
        free = _spoken(model, rhs) | model.values.keys()
        if over and sort is not None and sort.args and tuple(a.value for a in args) == over and name not in free:
            model.values[name] = Function(name, sort, (), over, rhs)
            continue
        if rhs.op == "Egiven" and tuple(a.value for a in rhs.args[0].args) == over and rhs.args[0].op in model.sorts:
            name = rhs.args[0].op  # what the left side is a mean of: itself
            if name not in _spoken(model, lhs) and name not in model.values:
                model.values[name] = Function(name, model.sorts[name], (), over, lhs)
        elif not over and lhs.op == "var" and lhs.value in names:
            values = tuple(ev.value(rhs, n, {}) for n in range(len(model.atoms)))
            same = all(v is values[0] for v in values)
            model.values[str(lhs.value)] = values[0] if same else Rv(values)


def _spoken(model: Model, e: Expr) -> set[str]:
    """The names and functions that a term speaks of, also by what defines these: none is defined by itself."""
    found, pending = set(), [e]
    while pending:
        e = pending.pop()
        new = ({n.op for n in e.walk()} | e.free) - found
        found |= new
        defined = (model.values.get(n) for n in new)
        pending += [f.body for f in defined if isinstance(f, Function) and f.body is not None]
    return found


def counterexample(case: Case, rng: python_random.Random, models: int = MODELS) -> tuple[str, str, int]:
    """(how the step is false in a model, that model in words, how many models met the premises)."""
    sorts = adapter.sorts(case.statement, case.number, case.step)
    goals = [adapter.model_fact(case.step.fact, sorts), *adapter.means(case.statement, case.number, case.step)]
    few = adapter.premises(case.statement, case.number, case.step, False)
    every = adapter.premises(case.statement, case.number, case.step, True)
    new = frozenset(n for f in adapter.defined(case.statement, case.number) for n in f.relation.lhs.free)
    met = 0
    uniform = 0.1
    if any(_uncountable(s) for s in sorts.values()):
        uniform, models = 0.6, 2 * models  # what fails at one value of uncountably many does so in few models
    for n in range(models):
        if n == models // 2 and not met:
            break
        line = "uniform" if rng.random() < uniform else rng.choice(("heavy", "wide")) if rng.random() < 0.2 else ""
        facts = every if line else few
        model = a_model(rng, sorts, facts, line)
        if model is None:
            break
        ev = AtAtoms(model)
        try:
            _define(model, ev, facts, new)
            settled = frozenset(n for n, v in model.values.items() if not isinstance(v, Sigma))
            if not meet(model, ev, facts, 7, settled):
                continue
            met += 1
            for goal in goals:
                found = check(model, ev, goal)
                if found.holds is False:
                    break
            if found.holds is False:
                model.extra = _told(case, ev, found)
                near = list((found.at or {}).values())
                if all(check(model, ev, f, dense=True, near=near).holds is True for f in facts):
                    return found.how, shown(model, found, str(goal)), met
        except FAULTS:
            continue
    return "", "", met


def _uncountable(s: Sort) -> bool:
    """Whether a sort is that of uncountably many random quantities."""
    return s.random and bool({"real", "vector", "object"} & set(s.args))


def _told(case: Case, ev: AtAtoms, found: Outcome) -> list[Value]:
    """The values of the terms of a step where it fails: what its premises say there counts."""
    terms = subterms(case.step.fact.relation)
    by = case.step.by
    lets = [getattr(by, "let", {}), *(u.let for u in getattr(by, "using", ()) if isinstance(u, Use))]
    for let in lets:
        for source in let.values():
            terms += list(read_term(source).walk())
    values: list[Any] = []
    for t in dict.fromkeys(terms):
        for atom in ev.m.live:
            try:
                v = ev.value(t, atom, found.at)
            except FAULTS:
                continue
            if isinstance(v, fmpq | tuple) and v not in values:
                values.append(v)
    return values[:24]


def _new_name(case: Case) -> bool:
    """Whether what a definition introduces is nowhere spoken of: then it says nothing."""
    r, s = case.step.fact.relation, case.statement
    name = r.lhs.args[0] if r.lhs.op == "at" else r.lhs
    facts = [*s.hypotheses.values(), *(t.fact for t in s.steps[: case.number - 1])]
    known = frozenset().union(*(names_of((f.relation, *f.conditions)) for f in facts), names_of(s.domain))
    return name.value not in known | (s.declares or {}).keys()


def _well_cited(case: Case, seconds: float) -> bool:
    """Whether what the step cites is PROVED: its step, and its claims, which say that their means exist."""
    under = case.under
    if under is None:
        return True
    last = len(under.statement.steps) + 1
    for number, step in ((under.number, under.step), *((last, c) for c in conclusion_steps(under.statement))):
        found = adapter.wanted(under.statement, number, step, under.find)
        if isinstance(found, str) or not adapter.proved(found, seconds):
            return False
    return True


def try_case(case: Case, rng: python_random.Random, seconds: float, models: int = MODELS) -> Verdict:
    """The verdict on a case: the engines are asked only where a model breaks the step."""
    found = adapter.wanted(case.statement, case.number, case.step, case.find)
    if isinstance(found, str):
        return Verdict("refused", found)
    if isinstance(case.step.by, Definition) and _new_name(case):
        return Verdict("a new name")
    try:
        how, why, met = counterexample(case, rng, models)
    except (ProofError, SortError, FormulaError) as fault:
        return Verdict("unread", str(fault))
    if not how:
        return Verdict("holds" if met else "no model")
    if not (adapter.proved(found, seconds) and _well_cited(case, seconds)):
        return Verdict("false, not proved", why, how)
    return Verdict("hole", why, how)
