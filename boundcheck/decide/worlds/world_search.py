"""Small worlds of simple values that meet the hypotheses: one that breaks a claim, or any.

Numbers, random variables and functions get values from short lists. A hypothesis f(t + 1) <= F(f(t)) may hold with
equality, which gives f its values from the first ones on. What is found is shown as every world is: each hypothesis is
proved there, and the claim is false there (:mod:`world_refute`).
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from operator import itemgetter
from random import Random

from boundcheck.arith import in_balls
from boundcheck.decide.worlds.world import World
from boundcheck.decide.worlds.world_defined import with_equality
from boundcheck.decide.worlds.world_draw import drawn, filled, varied
from boundcheck.decide.worlds.world_refute import NONE_FALSE, as_families, refuted, unmet
from boundcheck.decide.worlds.world_terms import Unknown, called, head_of
from boundcheck.kernel.clock import budget, deadline, passed
from boundcheck.kernel.proof.sorts import EVENT, INFORMATION, VECTOR, Sort
from boundcheck.kernel.proof.terms import names_of
from boundcheck.kernel.statement import Fact, Statement
from boundcheck.verdict import EQUALITY, Status, Verdict

WORLDS = 800  #: how many are drawn; the same one twice is looked at once
FEW = 6  #: worlds that are varied: those in which the claim is nearest to false
NEAR = 0.5  #: how often one is near to one that meets every hypothesis, where there are such
ONE_WORLD = 0.3  #: seconds of processor time for one world
SIMPLE, SIMPLER = ("1", "0", "2", "w(1)"), 0.3  #: simplest values first; seconds for finding some that do as well
_UNTOLD = (Unknown, ValueError, TypeError, LookupError, RecursionError, ArithmeticError)


@dataclass(frozen=True)
class Broken:
    """A world in which all hypotheses hold and a claim does not: what has which value, what holds with equality.

    ``values`` and ``equal`` are of what the claim speaks of, at first or at second hand; ``world`` has all of them.
    """

    values: Mapping[str, str]
    equal: tuple[str, ...] = ()
    vectors: bool = False  #: whether vectors are among the values: numbers, in dimension 1
    world: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        told = ", ".join(f"{name} = {text}" for name, text in self.values.items())
        told = re.sub(r"\bunit\(", "uniform(", re.sub(r"\bw\(", "sign(", told))
        parts = [told] if told else []
        if self.equal:
            parts.append(f"{' and '.join(self.equal)} {'hold' if len(self.equal) > 1 else 'holds'} with equality")
        return "; ".join([*parts, *self.legend("sign", "uniform")])

    def legend(self, sign: str = "w", uniform: str = "unit") -> list[str]:
        """What is to be known for reading the values."""
        values, told = "; ".join(self.values.values()), ["vectors have dimension 1"] if self.vectors else []
        if re.search(r"\bw\(", values):
            told.append(f"{sign}(1), {sign}(2), ... are independent fair signs")
        if re.search(r"\bunit\(", values):
            told.append(f"{uniform}(1) is uniform on (0, 1)")
        return told


def counterexample(statement: Statement, fact: Fact, seconds: float) -> Broken | None:
    """A world of simple values in which the hypotheses hold and ``fact`` does not, None where none is found."""
    asked = replace(statement, claims=(fact,), steps=(), concludes=(), exists=(), twins=())
    indexed, random, end = as_families(asked), Random(0), deadline(seconds)
    seen: set[frozenset[tuple[str, str]]] = set()
    models: list[tuple[float, Mapping[str, str]]] = []
    for _ in range(WORLDS):
        if passed(end):
            break
        try:
            with budget(ONE_WORLD):
                texts = drawn(indexed, random)
        except _UNTOLD:
            continue
        if models and random.random() < NEAR:
            texts = varied(random.choice(models)[1], texts, random)
        world = frozenset(texts.items())
        if world in seen:
            continue
        seen.add(world)
        found = _asked(indexed, texts)
        if found is not None and found.witness is not None:
            return _told(asked, _simplest(indexed, texts, found.witness))
        if found is not None and found.reason == NONE_FALSE:
            models = sorted([*models, (_gap(indexed, texts), texts)], key=itemgetter(0))[:FEW]
    return None


def _gap(statement: Statement, texts: Mapping[str, str]) -> float:
    """How far the sides of the claim are from each other in a world, of their size; oo where that is not told."""
    [fact] = statement.claims
    try:
        with budget(ONE_WORLD):
            world = World(statement, texts)
            a, b = (float(in_balls.at_point(world.expand(side, {}), {})) for side in fact.relation.sides)
            return abs(a - b) / (abs(a) + abs(b))
    except _UNTOLD:
        return math.inf


def _asked(statement: Statement, texts: Mapping[str, str]) -> Verdict | None:
    """What the world says, with a point at which the claim is false as the witness; None where it does not say it."""
    try:
        with budget(ONE_WORLD):
            return refuted(statement, texts)
    except _UNTOLD:
        return None


def _simplest(statement: Statement, texts: Mapping[str, str], point: Mapping[str, str]) -> Mapping[str, str]:
    """A world that breaks the claim as well, with less that holds with equality and with simpler values."""
    end = deadline(SIMPLER)
    for name in texts:
        for simple in _simpler(texts[name]):
            tried = {k: simple if k == name else v for k, v in texts.items() if k != name or simple}
            found = None if passed(end) else _asked(statement, tried)
            if found is not None and found.witness is not None:
                texts, point = tried, found.witness
                break
    return point


def _simpler(text: str) -> tuple[str, ...]:
    """Values simpler than this one, the simplest first; "" is none."""
    if text == EQUALITY:
        return ("",)
    return SIMPLE[: SIMPLE.index(text)] if text in SIMPLE else SIMPLE


def broken_claim(statement: Statement, seconds: float) -> Verdict | None:
    """REFUTED with the world in which a claim is false, asked again by that world alone; None where none is found."""
    for fact in statement.claims:
        found = counterexample(statement, fact, seconds / len(statement.claims))
        if found is not None:
            verdict = refuted(replace(statement, exists=()), found.world)
            if verdict.status is Status.REFUTED:
                return replace(verdict, reason="; ".join([verdict.reason, *found.legend()]))
    return None


def has_model(statement: Statement, point: Mapping[str, str]) -> bool:
    """Whether one of a few small worlds, in which numbers have the values of a point, meets every hypothesis."""

    def pick(value: str, name: str, sort: Sort) -> str:
        if sort.kind == INFORMATION:
            return ""
        found = value if sort.random else point.get(name, value.replace("w(1)", "1"))
        return f"{found} > 0" if sort.kind == EVENT else found

    for number, each in itertools.product(("1", "2", "1/2"), ("0", "1", "-1", "w(1)")):
        try:
            texts = filled(statement, {n: point.get(n, number) for n in statement.symbols}, partial(pick, each))
            if not unmet(World(statement, texts)):
                return True
        except _UNTOLD:
            continue
    return False


def _told(statement: Statement, point: Mapping[str, str]) -> Broken:
    """What is told of a world in which the claim is false at a point."""
    equal = tuple(name for name, text in point.items() if text == EQUALITY)
    spoken = _spoken(with_equality(statement, equal))
    values = {_as_said(n, statement): text for n, text in point.items() if n not in equal and head_of(n) in spoken}
    said = tuple(n for n in equal if called(statement.hypotheses[n].relation.lhs)[0] in spoken)
    return Broken(values, said, any(VECTOR in statement.sorts.get(n, "") for n in spoken), point)


def _as_said(name: str, statement: Statement) -> str:
    """a[k] for a(k), where that is how the statement writes it."""
    facts = (*statement.hypotheses.values(), *statement.claims)
    families = {str(n.args[0]) for f in facts for r in (f.relation, *f.conditions) for n in r.walk() if n.op == "at"}
    return re.sub(r"\((.*)\)", r"[\1]", name) if head_of(name) in families else name


def _spoken(statement: Statement) -> frozenset[str]:
    """The names that the claim speaks of, and those that what gives them their values speaks of."""
    spoken = names_of(r for fact in statement.claims for r in (fact.relation, *fact.conditions))
    equations = [f.relation for f in statement.hypotheses.values() if f.relation.op == "=="]
    while more := names_of(r for r in equations if called(r.lhs)[0] in spoken) - spoken:
        spoken |= more
    return spoken
