"""Random sequences that are told by their steps alone, as x[t + 1] == x[t] - h*g[t], at an index that is left open.

Such a member is a name of its own: what holds for all numbers in its place holds at every outcome. It depends on signs
w(1), w(2), ... up to its index and no others, which is shown by induction: the first members are plain numbers, and
what a step adds are earlier members and such signs. So its mean is not told, and with these signs it is known.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from boundcheck.decide.worlds.world_terms import (
    SIGN,
    STATE,
    Unknown,
    as_event,
    by_chance,
    called,
    read_value,
    shift,
    whole,
)
from boundcheck.kernel.formula import RELATIONS, Expr, Relation, num, var
from boundcheck.kernel.proof.sorts import INTEGER
from boundcheck.kernel.proof.terms import canonical
from boundcheck.kernel.statement import Fact

if TYPE_CHECKING:
    from boundcheck.decide.worlds.world import World

_NUMBERS = frozenset({"var", "num", "add", "sub", "neg", "mul", "pow", "abs"})


def member(world: World, name: str, args: tuple[Expr, ...]) -> Expr | None:
    """The member of that index as a name, None where it is none of a random sequence, or has a value."""
    sort = world.sorts.get(name)
    if sort is None or not sort.random or sort.args != (INTEGER,) or sort.kind not in ("real", "vector"):
        return None
    if world.whole is not None or not args[0].free or by_chance(args[0]) or not whole(args[0], world.integers):
        return None
    index = canonical(args[0])
    found = f"{STATE}{name},{index}"
    world.members[found] = name, index
    _check(world, name)
    return var(found)


def settled(e: Expr) -> Expr:
    """The value without members that cancel, where it is one of numbers."""
    numbers = any(n.startswith(STATE) for n in e.free) and all(n.op in _NUMBERS for n in e.walk())
    return canonical(e) if numbers else e


def is_known(world: World, found: str, known: Callable[[tuple[Expr, ...]], bool]) -> bool:
    """Whether all signs up to the index of the member are known."""
    name, index = world.members[found]
    _check(world, name)
    j = var("j#z")
    return _among(world, (*world.given, Relation("<=", j, index)), world.integers | j.free, lambda: known((j,)))


def _check(world: World, name: str) -> None:
    """Raise :class:`Unknown` unless each member depends on signs up to its index alone."""
    if name not in world.adapted:
        before = dict(world.adapted)
        world.adapted[name] = True  # of earlier members, while a step is looked at
        found = False
        try:
            found = _has_plain_points(world, name) and all(_is_adapted(world, f) for f in world.defining[name])
        finally:
            if not found:  # what was found of others, and values, may rest on it
                world.adapted = {**before, name: False}
                world.forget()
    if not world.adapted[name]:
        raise Unknown(f"{name} at an open index")


def _has_plain_points(world: World, name: str) -> bool:
    """Whether the members that the world gives are numbers."""
    told = [read_value(text) for (key, _), text in world.points.items() if key == name]
    return not any(world.collected(partial(world.expand, e, {}))[0].free for e in told)


def _is_adapted(world: World, fact: Fact) -> bool:
    """Whether what an equation gives is a plain number, or made of earlier members and signs up to the index."""
    place = shift(called(fact.relation.lhs)[1][0])
    assert place is not None
    if not place[0]:
        return not world.collected(lambda: world.expand(fact.relation.rhs, {}))[0].free
    t = var(f"t#{called(fact.relation.lhs)[0]}")  # of its own: another step is looked at inside of this one
    bound = {place[0]: t}
    told = [world.expand(as_event(c), bound) for c in fact.conditions]
    if any(map(by_chance, told)):
        return False
    given = tuple(Relation(c.op, *c.args) for c in told if c.op in RELATIONS)
    index = t + num(place[1])

    def before(name: str) -> bool:
        if name.startswith(STATE):
            sequence, theirs = world.members[name]
            _check(world, sequence)  # its value may be one that was kept
            return world.proved(Relation("<=", theirs, index - num(1)))
        places = world.places.get(name, ())
        return name.startswith(SIGN) and len(places) == 1 and world.proved(Relation("<=", places[0], index))

    def made() -> bool:
        value, _ = world.collected(lambda: world.expand(fact.relation.rhs, bound))
        return value.op not in ("batch", "pair") and all(map(before, by_chance(value)))

    return _among(world, given, t.free, made)


def _among(world: World, given: tuple[Relation, ...], integers: frozenset[str], asked: Callable[[], bool]) -> bool:
    """The answer where this is given of names, some of them integers."""
    before = world.given, world.integers
    world.given, world.integers = given, integers
    try:
        return asked()
    finally:
        world.given, world.integers = before
