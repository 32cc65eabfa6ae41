"""Simple values for the names of a statement, drawn at random: what a search for small worlds tries."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from random import Random

from flint import fmpq

from boundcheck.arith import in_balls
from boundcheck.decide.worlds.world import World
from boundcheck.decide.worlds.world_terms import Unknown, called, head_of, in_time
from boundcheck.decide.worst_case.worst_values import truth
from boundcheck.kernel.formula import Relation, has_opaque, num, var
from boundcheck.kernel.proof.sorts import EVENT, INFORMATION, INTEGER, REAL, VECTOR, Sort, read_sort
from boundcheck.kernel.statement import Statement
from boundcheck.verdict import EQUALITY

NUMBERS = ("1", "2", "1/2", "3", "1/4", "3/4", "0", "-1")
WHOLE = ("1", "2", "3", "4", "0")
INFORMED = ("k1 <= 0", "k1 <= 1")
FILTRATIONS = ("k1 <= k", "k1 < k", "k1 <= 0")
RARE = "w(1)*(1 + w(2))*(1 + w(3))/2"  #: 2 or -2 with probability 1/8 each, else 0: of variance 1
CHANCE = ("w(1)", "1 + w(1)", "1", "0", "2*w(1)", "w(2)", "2*(1 + w(1))", "w(1)*w(2)", "-1", "unit(1)", RARE)
EVENTS = ("w(1) > 0", "w(1) < 0", "w(2) > 0", "w(1)*w(2) > 0")
SEQUENCES = ("0", "1", "k", "-k", "k**2", "1/(k + 1)", "2**(-k)", "w(k)", "1 + w(k)")
FUNCTIONS = ("y", "y**2/2", "0", "y**2", "-y", "1")
EQUAL, FIRST = 0.6, 0.4  #: how often a hypothesis holds with equality, and a sequence has first values of its own
PLAIN, AT_END = 0.25, 0.5  #: how often a name is 0 or a quadratic, and a number is tried at the end of its range


def filled(statement: Statement, texts: Mapping[str, str], pick: Callable[[str, Sort], str]) -> dict[str, str]:
    """The texts, and the value that is picked for each name of which the hypotheses tell none, if any."""
    world = World(statement, texts)
    laws = {str(f.relation.lhs.args[0]) for f in statement.hypotheses.values() if f.relation.lhs.op == "law"}
    told = {*texts, *world.defining, *world.gradients, *map(str, world.gradients.values()), *laws}
    found = dict(texts)
    for name, sort in world.sorts.items():
        if name not in told and (text := pick(name, sort)):
            found[_with_arguments(name, sort)] = text
    return found


def drawn(statement: Statement, random: Random) -> dict[str, str]:
    """Values from the lists, and first ones for sequences that hypotheses give the others."""

    def pick(name: str, sort: Sort) -> str:
        if sort.kind == EVENT:
            return random.choice(EVENTS)
        if sort.kind == INFORMATION:
            return random.choice(FILTRATIONS if sort.args else INFORMED)
        if VECTOR in sort.args:
            return function()
        if sort.args:
            return random.choice([v for v in SEQUENCES if sort.random or "w(" not in v])
        if not sort.random and random.random() < PLAIN:
            return "0"
        return random.choice(CHANCE if sort.random else WHOLE if sort.kind == INTEGER else NUMBERS)

    def function() -> str:
        return random.choice(quadratics) if quadratics and random.random() < PLAIN else random.choice(FUNCTIONS)

    quadratics = [f"{q.symbol}*y**2/2" for q in statement.parameters if not q.integer]
    texts = _equalities(statement, random) | numbers(statement, random)
    world = World(statement, texts)
    for name in dict.fromkeys(str(g.args[0] if g.op == "at" else g) for g in world.gradients.values()):
        if name in world.sorts:
            texts[_with_arguments(name, world.sorts[name])] = function()
    texts = filled(statement, texts, pick)
    given = {head_of(name) for name in texts}
    for name, sort in world.sorts.items():
        if name not in given and sort.args == (INTEGER,) and random.random() < FIRST:
            for k in range(2):
                if not _has_value(World(statement, texts), name, k):
                    texts[f"{name}({k})"] = random.choice(NUMBERS)
    return texts


def numbers(statement: Statement, random: Random) -> dict[str, str]:
    """Values of the parameters and of the plain numbers, one by one, that meet what is said of those so far.

    Where a relation bounds one by those before it, or gives it, the end is tried too. A number of which nothing fits
    gets a value all the same.
    """
    sorts = {name: read_sort(text) for name, text in statement.sorts.items()}
    whole = {q.symbol: q.integer for q in statement.parameters}
    plain = {n: s.kind == INTEGER for n, s in sorts.items() if s.kind in (REAL, INTEGER) and not (s.args or s.random)}
    said = [*statement.domain, *(f.relation for f in statement.hypotheses.values() if f.plain)]
    said = [r for r in said if r.free <= {*whole, *plain} and not any(map(has_opaque, r.sides))]
    bounded = frozenset().union(*(r.free for r in said))
    point: dict[str, Fraction] = {}
    for name, integer in {**whole, **{n: i for n, i in plain.items() if n in bounded}}.items():
        mine = [r for r in said if name in r.free <= {name, *point}]
        values = list(map(Fraction, WHOLE if integer else NUMBERS))
        random.shuffle(values)
        ends = list(_ends(mine, name, point))
        values = [*ends, *values] if random.random() < AT_END else [*values, *ends]
        fits = (v for v in values if _fits(mine, name, v, integer, point))
        point[name] = next(fits, values[0])
    return {name: str(value) for name, value in point.items()}


def _ends(said: list[Relation], name: str, point: Mapping[str, Fraction]) -> Iterator[Fraction]:
    """Where relations bound a number by those that have values, and half and twice of it."""
    for r in (*said, *(r.flipped() for r in said)):
        if r.lhs is var(name) and name not in r.rhs.free:
            try:
                end = in_balls.at_point(r.rhs, point)
            except (ArithmeticError, ValueError):
                continue
            if isinstance(end, fmpq):
                value = Fraction(int(end.p), int(end.q))
                yield from (value, value / 2, 2 * value)


def _fits(said: list[Relation], name: str, value: Fraction, integer: bool, point: Mapping[str, Fraction]) -> bool:
    if integer and value.denominator != 1:
        return False
    at = {**point, name: value}
    try:
        return all(_holds(r, tuple((n, at[n]) for n in sorted(r.free))) for r in said)
    except (ArithmeticError, ValueError, Unknown):
        return False


@lru_cache(maxsize=10_000)
def _holds(r: Relation, point: tuple[tuple[str, Fraction], ...]) -> bool | None:
    """The truth at a point; one domain is asked at the same points for world after world."""
    held = truth(r, dict(point))
    in_time()  # what was found without time is not remembered
    return held


def _has_value(world: World, name: str, k: int) -> bool:
    try:
        world.apply(name, (num(k),))
    except Unknown:
        return False
    return True


def _with_arguments(name: str, sort: Sort) -> str:
    """The name as a world gives it a value: X, a(k), f(y), g(k, y)."""
    vectors, others = (itertools.chain(few, (f"{few[0]}_{n}" for n in itertools.count())) for few in ("yzx", "kji"))
    args = [next(vectors if kind == VECTOR else others) for kind in sort.args]
    return f"{name}({', '.join(args)})" if args else name


def _equalities(statement: Statement, random: Random) -> dict[str, str]:
    """Some of the bounds of names, as holding with equality."""
    bounds = [
        name
        for name, fact in statement.hypotheses.items()
        if fact.relation.op in ("<=", ">=") and called(fact.relation.lhs)[0] in statement.sorts
    ]
    return {name: EQUALITY for name in bounds if random.random() < EQUAL}
