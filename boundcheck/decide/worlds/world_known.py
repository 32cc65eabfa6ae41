"""What is known, measurable, independent, a gradient or a law in a small world; each must be certain."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from boundcheck.decide.worlds import world_chance, world_states
from boundcheck.decide.worlds.world_terms import (
    MAX_RANK,
    ONE,
    POINT,
    SIGN,
    STATE,
    UNIT,
    ZERO,
    Unknown,
    at_signs,
    called,
    continuous,
    event,
    of_kind,
    proves,
    refold,
    slope_of,
    valued,
)
from boundcheck.kernel.formula import RELATIONS, Expr, Relation, num, parse_relations, substitute, var
from boundcheck.kernel.proof.scalar_claims import defined, partial
from boundcheck.kernel.proof.sorts import INFORMATION, Sort
from boundcheck.kernel.proof.terms import exchanged

if TYPE_CHECKING:
    from boundcheck.decide.worlds.world import Bound, World


MAX_EVENTS = 6  #: open events inside of a term


def information(world: World, e: Expr, bound: Bound) -> tuple[Relation, ...]:
    """What is known: relations between the indices of signs."""
    name, index = called(e)
    if e.op not in ("at", "var") or world.sorts[name].kind != INFORMATION:
        raise Unknown("no information")
    if name not in world.own:
        return (Relation("==", ONE, ZERO),)
    names, text = world.own[name]
    values = dict(zip(names, (world.expand(a, bound) for a in index), strict=True))
    keys = {f"k{n}": var(f"k#{n}") for n in range(1, MAX_RANK + 1)}
    return tuple(
        r.map(lambda s: world.expand(s, {**values, **keys}))
        for part in text.split(";")
        for r in parse_relations(part, proof=True)
    )


def knows(world: World, told: tuple[Relation, ...], index: tuple[Expr, ...]) -> bool:
    """Whether the sign of that index is known; it must be certain either way. An index that it lacks is 0."""
    keys = {f"k#{n}": ZERO for n in range(1, MAX_RANK + 1)} | {f"k#{n}": x for n, x in enumerate(index, 1)}
    found = [r.map(lambda s: refold(substitute(s, keys))) for r in told]
    if all(world.proved(r) for r in found):
        return True
    if any(world.proved(r.negated()) for r in found):
        return False
    raise Unknown("whether a sign is known")


def moving(world: World, e: Expr) -> list[tuple[Expr, ...]]:
    """The indices of the signs that the value depends on, or may depend on."""
    if e.op == "batch":
        more = (var("k#"), var("k#k"), var("k#kk"), var("k#kkk"))
        return [(*e.args, *more[:n]) for n in range(1, MAX_RANK + 1 - len(e.args))]
    if e.op == "pair":
        return [i for a in e.args for i in moving(world, a)]
    if any(n.startswith("s#") for n in e.free):
        raise Unknown("what is known of a long sum")
    units = world.separate(of_kind(UNIT, e))
    signs = [n for n in world.separate(of_kind(SIGN, e)) if units or _moves(world, e, n)]
    return [world.places[n] for n in (*units, *signs)]


def _moves(world: World, e: Expr, name: str) -> bool:
    return not all(world.same(a, b) for a, b in _both_ways(e, name))


def _both_ways(e: Expr, name: str) -> Iterator[tuple[Expr, Expr]]:
    """The values where a sign is 1 and where it is -1, for all values of the others."""
    one, two = (refold(substitute(e, {name: num(s)})) for s in (1, -1))
    rest = of_kind(SIGN, one, two)
    return zip(at_signs(one, rest), at_signs(two, rest), strict=True)


def with_value(world: World, e: Expr) -> Expr:
    """The value, which is a number at every outcome for sure: what is said of its law or its mean says so."""
    if e.op in ("batch", "pair"):
        return e
    for one in () if valued(e) else at_signs(e, world.separate(of_kind(SIGN, e))):
        for part in () if valued(one) else dict.fromkeys(filter(partial, one.walk())):
            if not all(valued(p) if not p.free else world.proved(defined(p)) for p in _either_way(part)):
                raise Unknown(f"whether {part.op}(...) has a value")
    return e


def _either_way(e: Expr) -> list[Expr]:
    """The term where each event inside of it happens and where it does not."""
    events = dict.fromkeys(n for n in e.walk() if n.op in RELATIONS)
    if len(events) > MAX_EVENTS:
        raise Unknown("many open events")
    return [
        refold(exchanged(e, dict(zip(events, truth, strict=True))))
        for truth in itertools.product((ZERO, ONE), repeat=len(events))
    ]


def predicate(world: World, e: Expr, bound: Bound) -> Expr:
    """1 where the predicate holds for sure."""
    op = e.op
    if op == "integrable" and len(e.args) == 1:
        value = with_value(world, world.expand(e.args[0], bound))
        if of_kind(UNIT, value):
            if of_kind(STATE, value):
                return _doubt(e)
            return num(int(world_chance.integrable(world, value)))
        return ONE  # finitely many values
    if op == "increasing":
        return ONE if _growing(world, e.args[0], bound) else _doubt(e)
    if op == "gradient":
        return ONE if _is_gradient(world, e.args[0], e.args[1], bound) else _doubt(e)
    if op == "integrable":
        raise Unknown("an integral that may diverge")
    before = world.integers
    world.integers = before | {"k#", "k#k", "k#kk", "k#kkk"}
    try:
        value = world_states.settled(with_value(world, world.expand(e.args[0], bound)))
        mine, past = moving(world, value), of_kind(STATE, value)
        if world.sorts.get(called(e.args[1])[0], Sort("real")).kind == INFORMATION:
            told = information(world, e.args[1], bound)
            found = [knows(world, told, i) for i in mine]
            found += [world_states.is_known(world, n, lambda i: knows(world, told, i)) for n in past]
            if op == "measurable":
                return ONE if all(found) else _unseen(world, e, bound, told)
            return ONE if not any(found) and not past else _doubt(e)
        other = world_states.settled(with_value(world, world.expand(e.args[1], bound)))
        if op == "measurable" or past or of_kind(STATE, other):
            return _doubt(e)
        for a, b in itertools.product(mine, moving(world, other)):
            world.differ(a, b)
        return ONE
    finally:
        world.integers = before


def _unseen(world: World, e: Expr, bound: Bound, told: tuple[Relation, ...]) -> Expr:
    """0 where a sign that is not known changes the value for sure."""
    value = world.expand(e.args[0], bound)
    for name in [n for n in of_kind(SIGN, value) if not knows(world, told, world.places[n])]:
        for a, b in _both_ways(value, name):
            if not (a.free | b.free) and world.truth(event(Relation("!=", a, b))):
                return ZERO
    return _doubt(e)


def _doubt(e: Expr) -> Expr:
    raise Unknown(f"whether {e}")


def _growing(world: World, e: Expr, bound: Bound) -> bool:
    name, index = called(e)
    if name not in world.own:
        return True
    i = var("i#")
    now, then = (information(world, Expr("at", (var(name), *index, x)), {**bound, "i#": i}) for x in (i, i + 1))
    keys = frozenset({"i#", *(f"k#{n}" for n in range(1, MAX_RANK + 1))}) | world.integers
    return all(proves(r, now, keys) for r in then)


def _is_gradient(world: World, f: Expr, g: Expr, bound: Bound) -> bool:
    """Whether g is the slope of f away from the corners of f, and both are continuous."""
    body, slope = (world.body(x, tuple(world.expand(a, bound) for a in called(x)[1])) for x in (f, g))
    corners = {n.args[0] for n in body.walk() if n.op == "abs" and POINT in n.free}
    if corners - {var(POINT)} or not (continuous(body) and continuous(slope)):
        raise Unknown("whether a function is smooth")
    if not corners:
        return world.same(slope_of(body), slope)
    sides = (Relation(">", var(POINT), ZERO), Relation("<", var(POINT), ZERO))
    equal = Relation("==", slope_of(body), slope)
    return all(proves(equal, (side,)) for side in sides)


def law(world: World, e: Expr, law: Expr, bound: Bound) -> Expr:
    """1 where a variable has the law on the line: a fair sign, or uniform on [-1, 1]."""
    value = world.expand(e, bound)
    if world.expand(law.args[0], bound) is not ONE:
        raise Unknown("a law of more dimensions")
    units = of_kind(UNIT, value)
    if law.op == "ball" and len(units) == 1:
        told = world_chance.powers(world, value, units[0])  # b + c u
        if told.keys() <= {0, 1} and {b := told.get(Fraction(0), ZERO), b + told.get(Fraction(1), ZERO)} == {
            ONE,
            -ONE,
        }:
            return ONE
    names = world.separate(of_kind(SIGN, value))
    found = list(at_signs(value, names))
    if law.op == "sphere" and sorted(str(v) for v in found) == sorted(["1", "-1"] * (len(found) // 2)) and names:
        return ONE
    raise Unknown("another law")
