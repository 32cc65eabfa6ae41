"""A model of one statement as a record: its numbers, which hypotheses bite, what the claims are worth.

A model is a small world (:mod:`boundcheck.decide.worlds.world`) in which every hypothesis is proved: one in which the
claim of a planted falsehood is false, or one of ``worlds.toml``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from boundcheck.decide.worlds.world import World
from boundcheck.decide.worlds.world_refute import broken, holds_for_all, holds_where_tried, unmet
from boundcheck.decide.worlds.world_terms import Unknown, head_of
from boundcheck.decide.worst_case.worst_values import value_at
from boundcheck.kernel.formula import Expr, Relation, call, num
from boundcheck.kernel.statement import Fact, Statement
from boundcheck.models.absurd import attempts
from boundcheck.stored.decisions import said

Record = dict[str, Any]
Texts = Mapping[str, str]
NOISE = ("noise of size sigma", "noise of size 1")  #: what stands in ``worlds.toml`` for all statements


@cache
def own_worlds() -> Mapping[str, Texts]:
    """The worlds of ``worlds.toml``, by label."""
    return tomllib.loads(Path(__file__).with_name("worlds.toml").read_text(encoding="utf-8"))


def assumed(statement: Statement) -> Statement:
    """A statement that is an assumption or a condition, with what it asserts among its hypotheses."""
    if statement.kind != "assumption":
        return statement
    own = {f"assumed {k}": f for k, f in enumerate(statement.claims, 1)}
    return replace(statement, hypotheses={**statement.hypotheses, **own}, claims=())


def _texts(statement: Statement, form: Statement) -> list[Texts]:
    """Values of names to try: its own, else those of its planted falsehoods, else the usual ones; first with noise."""
    own = own_worlds().get(statement.label)
    known = [own] if own else [twin.world for twin in statement.twins if twin.world] or [{}]
    noise = [{k: t for k, t in own_worlds()[key].items() if head_of(k) in form.sorts} for key in NOISE]
    return [*({**texts, **over} for over in noise if over for texts in known), *known]


def model_of(statement: Statement, original: Statement) -> tuple[World | None, Texts, str]:
    """The first world that meets all hypotheses, with its texts; None where there is none, and why the last is none.

    ``original``: the statement as it is written, whose planted falsehoods have worlds.
    """
    why = ""
    for texts in _texts(original, statement):
        try:
            world = World(statement, texts)
            why = unmet(world)
        except Unknown as unknown:
            why = f"the world does not tell {unknown}"
        if not why:
            return world, texts, ""
    return None, {}, why


def record(statement: Statement) -> Record:
    """The model of a statement in the form that is proved; what the engines derive from its hypotheses."""
    s = assumed(statement.as_used or statement)
    world, texts, why = model_of(s, statement)
    given = {str(r): Fact(str(r)) for r in s.domain} | dict(s.hypotheses)
    symbols = [q.symbol for q in s.parameters]
    values = [f"{n} = {t}" for n, t in texts.items() if world and n not in symbols and world.speaks_of(n)]
    return {
        "numbers": {n: _shown(world.apply(n, ())) for n in symbols} if world else {},
        "words": "; ".join(values) or ("usual values" if s.sorts else "numbers alone"),
        "bite": [name for name, fact in given.items() if world and bites(world, fact)],
        "unmet": why,
        "claims": [worth(world, fact) if world else ["not evaluated", why] for fact in s.claims],
        "fingerprint": said(statement),
        "hypotheses": len(given),
        "equations": sum(1 for fact in given.values() if fact.relation.op == "=="),
        "absurd": attempts(s),
    }


def _shown(value: Expr) -> str:
    """A number as text, six digits of what is none."""
    return str(value) if value.op == "num" else str(value_at(value, {}).str(6, radius=False))


def worth(world: World, fact: Fact) -> list[str]:
    """What a claim is worth: proved there, for integers that are tried, false at a point, or why neither is told."""
    try:
        if holds_for_all(world, fact):
            return ["true", "exact"]
    except Unknown as why:
        reason = str(why)
    else:
        reason = "not decided"
    if _broken(world, fact):
        return ["FALSE", ""]
    with suppress(Unknown):
        if holds_where_tried(world, fact):
            return ["true", "at values"]
    return ["not evaluated", reason]


def bites(world: World, fact: Fact) -> bool:
    """Whether an inequality that holds fails with a hundredth less room; equations and predicates have none."""
    r = fact.relation if fact.relation.op in ("<", "<=") else fact.relation.flipped()
    if r.op not in ("<", "<="):
        return False
    room = num(1) / 100 * call("abs", r.rhs) + num(1) / 1000000
    return _broken(world, Fact(str(Relation("<=", r.lhs + room, r.rhs)), fact.over, fact.where))


def _broken(world: World, fact: Fact) -> bool:
    try:
        return broken(world, fact) is not None
    except Unknown:
        return False
