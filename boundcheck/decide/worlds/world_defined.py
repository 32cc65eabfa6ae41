"""Whether the equations that give names their values are definitions: typed, and none in a circle."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from boundcheck.decide.worlds.world_terms import Unknown, called, shift
from boundcheck.kernel.formula import Expr
from boundcheck.kernel.proof.book import declared
from boundcheck.kernel.proof.facts import quantified
from boundcheck.kernel.proof.sorts import typed
from boundcheck.kernel.statement import Fact, Statement

Defining = Mapping[str, list[Fact]]  #: the equations that give a name its value, by name
Told = Callable[[str], list[Expr]]  #: the terms by which a name has a value otherwise


def check_definitions(statement: Statement, defining: Defining, told: Told) -> None:
    """Raise :class:`Unknown` where an equation need not have a solution. It is not asked whether it is used."""
    for name, facts in defining.items():
        for fact in facts:
            _check_sort(statement, name, fact)
            if _reaches(defining, told, fact, fact, set()):
                raise Unknown(f"{name} by itself")


def _check_sort(statement: Statement, name: str, fact: Fact) -> None:
    scope = declared(statement)
    sort = scope[name]
    found = typed(fact.relation.rhs, {**scope, **quantified(fact, scope)})
    if found.random and not (sort.random or any(a == "object" for a in sort.args)):
        raise Unknown(f"{name}, which is not random")
    if sort.kind == "integer" and found.kind != "integer":
        raise Unknown(f"{name} is no integer")


def _reaches(defining: Defining, told: Told, fact: Fact, goal: Fact, seen: set[int]) -> bool:
    """Whether the value that ``fact`` gives may need that of ``goal`` with the same index, or a later one."""
    terms = [fact.relation.rhs, *(side for c in fact.conditions for side in c.sides)]
    for name, args in _needed(told, terms, set()):
        for other in defining.get(name, ()):
            if _earlier(fact, other, args):
                continue
            if other is goal:
                return True
            if id(other) not in seen:
                seen.add(id(other))
                if _reaches(defining, told, other, goal, seen):
                    return True
    return False


def _needed(told: Told, terms: list[Expr], done: set[str]) -> Iterator[tuple[str, tuple[Expr, ...]]]:
    """The names that the terms speak of, with their arguments; those by which these have values as well."""
    for e in terms:
        for name, args in _uses(e):
            yield name, args
            if name not in done:
                done.add(name)
                yield from _needed(told, told(name), done)


def _uses(e: Expr) -> Iterator[tuple[str, tuple[Expr, ...]]]:
    name, args = called(e)
    yield name, args
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
