"""A model of one statement as a record: its numbers, which hypotheses hold and bite, what the claims are worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from boundcheck.decide.worlds.world_defined import check_definitions
from boundcheck.decide.worlds.world_terms import Unknown as Circle
from boundcheck.kernel.statement import Fact, Statement
from boundcheck.models.absurd import attempts
from boundcheck.models.by_world import InTexts, in_texts
from boundcheck.models.named import TAILS, build, words
from boundcheck.models.numbers import Numbers, shown
from boundcheck.models.outcomes import Evaluation, World
from boundcheck.models.told import Answer, Assertion, assertion, bites, holds
from boundcheck.stored.decisions import said

Record = dict[str, Any]
WORTH = {True: "true", False: "FALSE", None: "not evaluated"}


def hypotheses(statement: Statement, world: World) -> dict[str, Assertion]:
    """All that a model has to meet: the hypotheses by name and the domains of the parameters by their text."""
    found = {str(r): Assertion(r) for r in statement.domain}
    return found | {name: assertion(f, world.sorts) for name, f in statement.hypotheses.items()}


def assumed(statement: Statement) -> Statement:
    """A statement that is an assumption or a condition, with what it asserts among its hypotheses."""
    if statement.kind != "assumption":
        return statement
    own = {f"assumed {k}": f for k, f in enumerate(statement.claims, 1)}
    return replace(statement, hypotheses={**statement.hypotheses, **own}, claims=())


def model_of(statement: Statement) -> tuple[World, dict[str, Answer]]:
    """The first world that meets all hypotheses, or the last one tried, with the answers to them.

    Equations that define names in a circle need not have a solution: they are not met.
    """
    for tail in range(len(TAILS) if "Z" in statement.sorts else 1):
        world = build(statement, tail)
        Numbers(statement, world).found()
        ev = Evaluation(world)
        answers = {name: holds(ev, a) for name, a in hypotheses(statement, world).items()}
        try:
            check_definitions(statement, world.defining)
        except Circle as why:
            answers["definitions"] = Answer(None, str(why))
        if all(a.holds for a in answers.values()):
            break
    return world, answers


def record(statement: Statement) -> Record:
    """The model of a statement in the form that is proved, evaluated; what the engines derive from its hypotheses."""
    s = assumed(statement.as_used or statement)
    world, answers = model_of(s)
    given = hypotheses(s, world)
    unmet = {name: a for name, a in answers.items() if a.holds is not True}
    by_text = in_texts(statement, s) if unmet else None
    found = _named(s, world, answers, unmet) if by_text is None else _in_texts(s, by_text)
    return {
        **found,
        "fingerprint": said(statement),
        "hypotheses": len(given) + ("definitions" in found["unmet"]),
        "equations": sum(1 for a in given.values() if a.relation.op == "=="),
        "absurd": attempts(s),
    }


def _named(s: Statement, world: World, answers: Mapping[str, Answer], unmet: Mapping[str, Answer]) -> Record:
    """The model whose values come by the names and sorts of the statement."""
    ev, given = Evaluation(world), hypotheses(s, world)
    return {
        "numbers": {q.symbol: shown(world.values[q.symbol]) for q in s.parameters if q.symbol in world.values},
        "words": words(s),
        "bite": [n for n, a in given.items() if n not in unmet and bites(ev, a)],
        "told": {n: a.how for n, a in answers.items() if a.holds and n in s.hypotheses},
        "unmet": {n: f"{'fails' if a.holds is False else 'cannot be told'}: {a.how}" for n, a in unmet.items()},
        "claims": [_worth(_claim(ev, assertion(f, world.sorts), bool(unmet))) for f in s.claims],
    }


def _in_texts(s: Statement, found: InTexts) -> Record:
    """The model that is told in texts."""
    facts = {str(r): Fact(str(r)) for r in s.domain} | dict(s.hypotheses)
    return {
        "numbers": {q.symbol: str(found.world.apply(q.symbol, ())) for q in s.parameters},
        "words": found.words,
        "bite": [n for n, f in facts.items() if found.bites(f)],
        "told": {n: found.how(f) for n, f in s.hypotheses.items()},
        "unmet": {},
        "claims": [_worth(found.worth(f)) for f in s.claims],
    }


def _claim(ev: Evaluation, a: Assertion, unmet: bool) -> Answer:
    return Answer(None, "no model of the hypotheses") if unmet else holds(ev, a)


def _worth(a: Answer) -> list[str]:
    return [WORTH[a.holds], a.how]
