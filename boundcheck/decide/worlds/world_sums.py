"""Sums, least and greatest members, unions and meets over a range of indices, short, long or to an end left open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boundcheck.decide.worlds import world_chance
from boundcheck.decide.worlds.world_terms import (
    MAX_SIGNS,
    ONE,
    SIGN,
    ZERO,
    Unknown,
    along,
    at_signs,
    by_chance,
    fold,
    of_kind,
    whole,
)
from boundcheck.kernel.formula import RELATIONS, Expr, call, num, var

if TYPE_CHECKING:
    from boundcheck.decide.worlds.world import Bound, World

MAX_TERMS = 320  #: of a sum that is written out


def over(world: World, e: Expr, bound: Bound) -> Expr:
    """The value of what a term says over a range."""
    body, name = e.args[0], str(e.args[1].value)
    low, high = (world.expand(a, bound) for a in e.args[2:])
    if not all(x.op == "num" and x.value.denominator == 1 for x in (low, high)):
        return _open_sum(world, e, low, high, bound)
    count = high.value - low.value + 1
    if count > MAX_TERMS and e.op == "sum":
        one = _member(world, body, bound, name, low, high)
        try:
            return num(count) * _alike(world, one)
        except Unknown:
            return _total(world, one, low, int(count)) if by_chance(one) else _open_sum(world, e, low, high, bound)
    if count > MAX_TERMS:
        raise Unknown("a long range")
    values = [world.expand(body, {**bound, name: num(low.value + k)}) for k in range(max(0, int(count)))]
    if not values and e.op in ("least", "most"):
        raise Unknown("an empty range")
    start = {"sum": ZERO, "union": ZERO, "meet": ONE}.get(e.op)
    how = {"sum": "add", "least": "min", "most": "max", "union": "either", "meet": "both"}[e.op]
    for v in values:
        start = v if start is None else fold(how, (start, v))
    assert start is not None
    if e.op == "sum" and len(by_chance(start)) > MAX_SIGNS:
        try:
            return _total(world, _member(world, body, bound, name, low, high), low, int(count))
        except Unknown:
            pass
    return start


def _member(world: World, body: Expr, bound: Bound, name: str, low: Expr, high: Expr) -> Expr:
    """The term of a long sum at the index j#."""
    j = var("j#")
    integers, world.integers = world.integers, world.integers | j.free
    try:
        return world.over_range(lambda: world.expand(body, {**bound, name: j}), j, low, high)
    finally:
        world.integers = integers


def _open_sum(world: World, e: Expr, low: Expr, high: Expr, bound: Bound) -> Expr:
    """A sum that is long or to an end that is left free, as it stands: its terms do not depend on chance."""
    if e.op != "sum" or not all(whole(x, world.integers) for x in (low, high)):
        raise Unknown("a range that is not whole")
    taken = frozenset().union(low.free, high.free, *(v.free for v in bound.values()))
    t = world.bound_name(e.args[1], taken)
    integers, world.integers = world.integers, world.integers | t.free
    try:
        one = world.over_range(lambda: world.expand(e.args[0], {**bound, str(e.args[1].value): t}), t, low, high)
    finally:
        world.integers = integers
    if by_chance(one) or along(one) or any(n.binds or n.op in RELATIONS for n in one.walk()):
        raise Unknown("a sum, to an open end or long, whose terms are no plain numbers")
    return call("sum", one, t, low, high)


def _total(world: World, one: Expr, low: Expr, count: int) -> Expr:
    """A sum of independent members like the one with the index j#, by its law."""
    key = (one, low, count)
    if key not in world.totals:
        world.totals[key] = world_chance.total(world, one, count, len(world.totals))
    return var(world.totals[key].name)


def _alike(world: World, e: Expr) -> Expr:
    """The common value of all terms of a long sum: that of one with a free index, whatever its signs are."""
    names = of_kind(SIGN, e)
    values = list(at_signs(e, names))
    if "j#" in values[0].free or by_chance(values[0]) or any(not world.same(values[0], v) for v in values[1:]):
        raise Unknown("a long sum")
    return values[0]
