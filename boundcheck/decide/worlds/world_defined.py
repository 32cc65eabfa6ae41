"""Whether the equations that give names their values are definitions: typed, and none in a circle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from boundcheck.decide.worlds.world_terms import Unknown, shift
from boundcheck.kernel.formula import Expr
from boundcheck.kernel.proof.book import declared
from boundcheck.kernel.proof.facts import quantified, read_term
from boundcheck.kernel.proof.sorts import typed
from boundcheck.kernel.statement import Fact, Statement


class Definitions(Protocol):
    """A statement with the equations that define its names, and what is told of names otherwise."""

    @property
    def statement(self) -> Statement:
        """What is looked at."""

    @property
    def defining(self) -> dict[str, list[Fact]]:
        """The equations that give a name its value, by name."""

    @property
    def own(self) -> Mapping[str, tuple[Any, str]]:
        """Texts by name, with their arguments."""

    @property
    def points(self) -> Mapping[tuple[str, Any], str]:
        """Texts of single members."""

    @property
    def gradients(self) -> Mapping[str, Expr]:
        """What a name is the gradient of."""


def check_definitions(world: Definitions) -> None:
    """Raise :class:`Unknown` where an equation need not have a solution. It is not asked whether it is used."""
    for name, facts in world.defining.items():
        for fact in facts:
            _check_sort(world, name, fact)
            if _reaches(world, fact, fact, set()):
                raise Unknown(f"{name} by itself")


def _check_sort(world: Definitions, name: str, fact: Fact) -> None:
    scope = declared(world.statement)
    sort = scope[name]
    found = typed(fact.relation.rhs, {**scope, **quantified(fact, scope)})
    if found.random and not (sort.random or any(a == "object" for a in sort.args)):
        raise Unknown(f"{name}, which is not random")
    if sort.kind == "integer" and found.kind != "integer":
        raise Unknown(f"{name} is no integer")


def _reaches(world: Definitions, fact: Fact, goal: Fact, seen: set[int]) -> bool:
    """Whether the value that ``fact`` gives may need that of ``goal`` with the same index, or a later one."""
    r = fact.relation
    for name, args in _needed(world, [r.rhs, *(s for c in fact.conditions for s in (c.lhs, c.rhs))], set()):
        for other in world.defining.get(name, ()):
            if _earlier(fact, other, args):
                continue
            if other is goal:
                return True
            if id(other) not in seen:
                seen.add(id(other))
                if _reaches(world, other, goal, seen):
                    return True
    return False


def _needed(world: Definitions, terms: list[Expr], done: set[str]) -> Iterator[tuple[str, tuple[Expr, ...]]]:
    """The names that the terms speak of, with their arguments; those of the texts of the world as well."""
    for e in terms:
        for name, args in _uses(e):
            yield name, args
            texts = [text for key, (_, text) in world.own.items() if key == name]
            texts += [text for (key, _), text in world.points.items() if key == name]
            more = [read_term(text) for text in texts]
            if name in world.gradients:
                more.append(world.gradients[name])
            if more and name not in done:
                done.add(name)
                yield from _needed(world, more, done)


def _uses(e: Expr) -> Iterator[tuple[str, tuple[Expr, ...]]]:
    head, args = (e.args[0], e.args[1:]) if e.op == "at" else (e, e.args)
    yield str(head.value) if head.op == "var" else head.op, args
    for a in args:
        yield from _uses(a)


def _earlier(fact: Fact, other: Fact, args: tuple[Expr, ...]) -> bool:
    """Whether the member asked for comes before the one that ``fact`` defines, of families that have a first one."""
    lhs, theirs = fact.relation.lhs, other.relation.lhs
    if not (lhs.op == theirs.op == "at" and len(lhs.args) == len(theirs.args) == 2 and len(args) == 1):
        return False
    mine, asked, pattern = shift(lhs.args[1]), shift(args[0]), shift(theirs.args[1])
    if mine is None or asked is None or pattern is None or not mine[0]:
        return False
    if not asked[0]:  # a number
        return pattern[1] != asked[1] if not pattern[0] else False
    started = any(c.op == ">=" and str(c.lhs) == mine[0] and c.rhs.op == "num" for c in fact.conditions)
    return started and asked[0] == mine[0] and asked[1] < mine[1]
