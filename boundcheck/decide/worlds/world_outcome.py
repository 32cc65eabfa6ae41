"""One outcome of a small world, that in which all signs are 1: what is claimed to be certain fails there.

Runs of many steps are told for one outcome alone. The claim must have a value at the others too: what need not have
one, as a quotient, then does not depend on chance, so that it is the same at all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from boundcheck.decide.worlds.world import World
from boundcheck.decide.worlds.world_terms import ONE, OWN, ZERO, called, read_value, shift
from boundcheck.kernel.formula import Expr, var
from boundcheck.kernel.proof.scalar_claims import partial
from boundcheck.kernel.proof.sorts import AVERAGES, CONDITIONAL
from boundcheck.kernel.statement import Fact

Names = frozenset[str]  #: those that a term ranges over and that depend on chance
Seen = set[tuple[str, bool, tuple[bool, ...]]]  #: names that are looked at; inside of a mean; arguments that depend


def one_outcome(world: World, fact: Fact, texts: Mapping[str, str]) -> dict[str, str] | None:
    """The outcome in which all signs are 1, where a claim says that what does not happen there is certain.

    An event depends on finitely many signs, so that the outcomes that agree with this one there have some probability.
    """
    r = fact.relation if fact.relation.lhs.op == "P" else fact.relation.flipped()
    simple = not fact.over and not fact.conditions and r.lhs.op == "P" and r.op in (">=", "==")
    if not simple or world.expand(r.rhs, {}) is not ONE:
        return None
    [event] = r.lhs.args
    one = World(world.statement, texts, world)
    if one.expand(event, {}) is not ZERO or not _has_one_everywhere(world, event, frozenset(), set()):
        return None
    return {"outcome": "every w(k) = 1"}


def _has_one_everywhere(world: World, e: Expr, moving: Names, seen: Seen, inside: bool = False) -> bool:
    """Whether a term that has a value at one outcome has one at each, and so has what gives its names their values.

    A mean of what is told for all outcomes has been worked out; ``inside`` of any other it must exist.
    """
    if e.op in AVERAGES and not (e.free & moving or inside):
        return True
    inside = inside or e.op in AVERAGES
    unsure = partial(e) or e in world.real_powers or e.op in ("integral", "integrable", "least", "most", *CONDITIONAL)
    hangs_on = e.args[1] if e.op == "div" else e
    if (unsure and _moves(world, hangs_on, moving)) or (inside and e.op == "unit#"):
        return False
    name, args = called(e)
    if name in world.sorts or name in world.own:
        key = (name, inside, tuple(_moves(world, a, moving) for a in args))
        if key not in seen:
            seen.add(key)
            for names, term in _told(world, name, len(args)):
                theirs = frozenset(n for n, told in zip(names, key[2], strict=True) if told)
                if not _has_one_everywhere(world, term, theirs, seen, inside):
                    return False
    if e.binds and any(_moves(world, end, moving) for end in e.args[2:]):
        moving |= {str(e.args[1].value)}
    parts = (e.args[0], *e.args[2:]) if e.binds else args if name != e.op else e.args
    return all(_has_one_everywhere(world, a, moving, seen, inside) for a in parts)


def _told(world: World, name: str, count: int) -> Iterator[tuple[tuple[str, ...], Expr]]:
    """The terms by which a name with so many arguments has a value, each with the names of its arguments there."""
    if name in world.own:
        names, text = world.own[name]
        yield names, read_value(text)
    yield from ((("",) * count, read_value(text)) for (key, _), text in world.points.items() if key == name)
    if name in world.gradients:
        names = tuple(f"{name}#{k}" for k in range(count))  # the place comes last, behind indices of a family
        yield names, Expr("at", (var(called(world.gradients[name])[0]), *map(var, names)))
    for fact in world.defining.get(name, ()):
        shifted = [shift(a) for a in called(fact.relation.lhs)[1]]
        names = tuple(s[0] if s else "" for s in shifted)
        yield names, fact.relation.rhs
        yield from ((names, side) for c in fact.conditions for side in c.sides)


def _moves(world: World, e: Expr, moving: Names) -> bool:
    """Whether the value of a term may depend on the outcome."""
    if e.op == "var" and str(e.value) in moving:
        return True
    if e.op in CONDITIONAL or e.op in OWN.values():
        return True
    if e.op in AVERAGES:
        return bool(e.free & moving)
    name, args = called(e)
    sort = world.sorts.get(name)
    if sort is not None and sort.random:
        return True
    if sort is None and name in world.own and not args:
        return _moves(world, read_value(world.own[name][1]), moving)
    return any(_moves(world, a, moving) for a in (e.args if name == e.op else args))
