"""Every statement of the catalogue, assumed and cited ones included, on random finite models of its own hypotheses.

Hypotheses of the form ``name == term`` and ``at(name, t) == term`` define the name; the other ones are met by bending
the model. What a statement says of fresh samples is not modelled, and such a statement is left out.
"""

from __future__ import annotations

import random as python_random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from benchmarks.hunter import adapter
from benchmarks.hunter.adapter import Statement
from benchmarks.hunter.evaluate import Evaluator
from benchmarks.hunter.meet import Fact, check, meet
from benchmarks.hunter.model import Model, Rv
from benchmarks.hunter.nums import IllTyped, Split, Undefined, Unknown, add, neg
from benchmarks.hunter.schemas import shown
from benchmarks.hunter.terms import subterms
from benchmarks.hunter.trial import a_model, laws_of
from boundcheck.kernel.formula import Expr, Relation

DEEPEST = -2  #: families are not defined by recursion below this index


@dataclass
class Row:
    """What became of a statement."""

    label: str
    kind: str
    models: int = 0
    drawn: int = 0
    unclear: int = 0
    left_out: str = ""
    false: str = ""
    how: str = ""


def _family(e: Expr) -> tuple[str, tuple[Expr, ...]] | None:
    """(name, indices) of a name or of a member of a family."""
    index: tuple[Expr, ...] = ()
    while e.op == "at":
        index = (*e.args[1:], *index)
        e = e.args[0]
    return (str(e.value), index) if e.op == "var" else None


def _match(pattern: Expr, value: Any, over: tuple[str, ...], bound: dict[str, Any]) -> bool:
    """Bind the names of an index such as t, t + 1 or 0 to a value."""
    if pattern.op == "var" and pattern.value in over:
        return bool(bound.setdefault(str(pattern.value), value) == value)
    if pattern.op in ("add", "sub") and pattern.args[0].op == "var" and pattern.args[1].op == "num":
        k = pattern.args[1].value
        shift = fmpq(k.numerator, k.denominator)
        return _match(pattern.args[0], value - shift if pattern.op == "add" else value + shift, over, bound)
    if pattern.op == "num":
        return bool(value == fmpq(pattern.value.numerator, pattern.value.denominator))
    return False


def define(model: Model, ev: Evaluator, facts: list[Fact]) -> list[Fact]:
    """Take equations as definitions; the facts that remain to be met."""
    rules: dict[str, list[tuple[tuple[Expr, ...], Fact, Expr]]] = {}
    rest = []
    for f in facts:
        found = _family(f.relation.lhs) if f.relation.op == "==" else None
        name, index = found or ("", ())
        plain = found is not None and not index and name in f.relation.rhs.free
        if found is None or plain or name in model.values or (not index and (name in rules or f.over or f.where)):
            rest.append(f)
        else:
            rules.setdefault(name, []).append((index, f, f.relation.rhs))
    for name, cases in rules.items():
        model.definitions[name] = _definition(model, ev, cases)
    return [*rest, *(f for cases in rules.values() for _, f, _ in cases)]


def _definition(model: Model, ev: Evaluator, cases: list[tuple[tuple[Expr, ...], Fact, Expr]]) -> Callable[[Any], Any]:
    def value(index: tuple[Any, ...]) -> Any:
        if any(isinstance(i, fmpq) and i < DEEPEST for i in index):
            return None
        for pattern, fact, body in cases:
            bound: dict[str, Any] = {}
            if len(pattern) != len(index):
                continue
            if not all(_match(p, i, fact.over, bound) for p, i in zip(pattern, index, strict=True)):
                continue
            if not all(ev.holds(w, model.live[0], bound) for w in fact.where):
                continue
            values = tuple(ev.value(body, n, bound) for n in range(len(model.atoms)))
            return values[0] if all(v is values[0] or v == values[0] for v in values) else Rv(values)
        return None

    return value


def facts_of(statement: Statement) -> list[Fact]:
    """The domain and the hypotheses of a statement."""
    return [*map(Fact, statement.domain), *map(adapter.model_fact, statement.hypotheses.values())]


def _one_sample(facts: list[Fact]) -> tuple[list[Fact], tuple[str, ...]]:
    """A sum of one independent copy is the copy: iid(X1, A) holds for A = X1 and a single sample (M = 1, M0 = 1)."""
    found, single = [], ()
    for f in facts:
        e = f.relation.lhs
        if e.op == "iid" and e.args[1].op == "var" and e.args[1].value != "past":
            f, single = Fact(Relation("==", e.args[1], e.args[0])), ("M", "M0")
        found.append(f)
    return found, single


def centre(model: Model, ev: Evaluator, facts: list[Fact], rng: python_random.Random) -> None:
    """Variables and families that must have (conditional) mean 0 get it: drawn, and their mean taken away."""
    for f in facts:
        lhs = f.relation.lhs.args[0] if f.relation.lhs.op == "norm" else f.relation.lhs
        if f.relation.op != "==" or lhs.op not in ("E", "Egiven"):
            continue
        found = _family(lhs.args[0])
        if found is None or found[0] in model.definitions:
            continue
        name, index = found
        sort = model.sort(name)
        drawn = model.draw(sort.kind, True)
        if not isinstance(drawn, Rv):
            continue
        mean = ev.average(Expr("E", (Expr("var", (), "_drawn"),)), model.live[0], {"_drawn": drawn})
        made = Rv(tuple(add(v, neg(mean)) for v in drawn.values))
        if index:
            model.styles[name] = "constant"
            model.members[name, (None,)] = made
            given = _family(lhs.args[1]) if len(lhs.args) > 1 else None
            if given is not None and rng.random() < 0.7:
                model.styles[given[0]] = "constant"
                model.members[given[0], (None,)] = type(model.sigma())((0,) * len(model.atoms))
        else:
            model.values[name] = made


def _near(ev: Evaluator, goal: Relation, at: Mapping[str, Any]) -> list[Any]:
    """Values of the terms of a claim, and those just beside them: levels at which it may fail."""
    found: list[Any] = []
    for t in subterms(goal):
        for n in ev.m.live[:4]:
            try:
                v = ev.value(t, n, at)
            except (Unknown, Undefined, IllTyped, Split, OverflowError, RecursionError, ZeroDivisionError):
                continue
            if isinstance(v, fmpq):
                found += [v, v - fmpq(1, 1000)]
    return list(dict.fromkeys(found))[:16]


def run_statement(statement: Statement, seed: int, models: int, seconds: float) -> Row:
    """A statement on ``models`` models of its hypotheses, or as many as ``seconds`` allow."""
    row = Row(statement.label, statement.kind)
    facts, single = _one_sample(facts_of(statement))
    if any(n.op == "iid" for f in facts for r in f.relations for s in (r.lhs, r.rhs) for n in s.walk()):
        row.left_out = "fresh samples are not modelled"
        return row
    claims = [adapter.model_fact(c) for c in statement.claims]
    if not claims:
        row.left_out = "it has no claims"
        return row
    if statement.kind == "assumption":
        facts, claims = [*facts, *claims], []  # what it claims is what it assumes: can that be met?
    rng = python_random.Random(f"{seed}/{statement.label}")
    last = adapter.planted(statement.claims[0])
    sorts = adapter.sorts(statement, len(statement.steps) + 1, last)
    sorts = {**adapter.sorts_of_facts(statement), **sorts}
    end = time.process_time() + seconds
    laws = laws_of(facts)
    fixed = frozenset({*laws, *single, "d"}) if laws else frozenset(single)
    while row.models < models and time.process_time() < end:
        row.drawn += 1
        model = a_model(rng, sorts, facts, adapter.PARTIAL)
        ev = Evaluator(model)
        model.values |= {n: fmpq(1) for n in single}
        rest = define(model, ev, facts)
        try:
            centre(model, ev, rest, rng)
            if not meet(model, ev, rest, 12, fixed):
                continue
        except (Unknown, Undefined, IllTyped, Split, RecursionError, ZeroDivisionError):
            continue
        row.models += 1
        for claim in claims:
            model.extra = _near(ev, claim.relation, {})
            found = check(model, ev, claim)
            if found.holds is None:
                row.unclear += 1
            elif found.holds is False and (not row.false or (found.how == "false" and row.how != "false")):
                sure = all(check(model, ev, f, dense=True).holds is True for f in facts)
                row.false, row.how = (shown(model, found, str(claim)), found.how) if sure else (row.false, row.how)
    return row
