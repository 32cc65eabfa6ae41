"""Simple values for the names of a statement, drawn at random: what a search for small worlds tries."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from random import Random

from flint import fmpq

from boundcheck.arith import in_balls
from boundcheck.decide.worlds.world import World
from boundcheck.decide.worlds.world_terms import ZERO, Unknown, called, head_of, in_time, shift
from boundcheck.decide.worst_case.worst_values import truth
from boundcheck.kernel.formula import Expr, Relation, has_opaque, num, substitute, var
from boundcheck.kernel.proof.facts import read_term
from boundcheck.kernel.proof.sorts import EVENT, INFORMATION, INTEGER, REAL, VECTOR, Sort, read_sort
from boundcheck.kernel.statement import Statement
from boundcheck.verdict import EQUALITY

NUMBERS = ("1", "2", "1/2", "3", "1/4", "3/4", "0", "-1")
WHOLE = ("1", "2", "3", "4", "0")
INFORMED = ("k1 <= 0", "k1 <= 1")
FILTRATIONS = ("k1 <= k", "k1 <= k", "k1 < k", "k1 <= 0")
RARE = "w(1)*(1 + w(2))*(1 + w(3))/2"  #: 2 or -2 with probability 1/8 each, else 0: of variance 1
HIGH = "1 + (1 + w(1))*(1 + w(2))"  #: 5 with probability 1/4, else 1
CHANCE = ("w(1)", "1 + w(1)", "1", "0", "2*w(1)", "w(2)", "2*(1 + w(1))", "w(1)*w(2)", "-1", "unit(1)", RARE, HIGH)
EVENTS = ("w(1) > 0", "w(1) < 0", "w(2) > 0", "w(1)*w(2) > 0")
SEQUENCES = ("0", "1", "k", "-k", "k**2", "1/(k + 1)", "2**(-k)", "w(k)", "1 + w(k)")
SLOPES = {"y": "1", "y**2/2": "y", "0": "0", "y**2": "2*y", "-y": "-1", "1": "0"}  #: functions and their derivatives
FUNCTIONS = tuple(SLOPES)
FIELDS = ("y", "0", "-y", "1", "y/2", "2*y")
SPREADS = ("1", "0", "2")  #: by how much what has a mean goes to both sides of it, beside the parameters
EQUAL, FIRST = 0.6, 0.4  #: how often a hypothesis holds with equality, and a sequence has first values of its own
ALL_ELSE = 0.3  #: how often a world has the plain numbers of another one, and not the other way round
LINKED = 0.85  #: how often what a hypothesis says of two names is met by the value of one: slopes, means
PLAIN, AT_END = 0.25, 0.5  #: how often a name is 0 or a quadratic, and a number is tried at the end of its range


def filled(statement: Statement, texts: Mapping[str, str], pick: Callable[[str, Sort], str]) -> dict[str, str]:
    """The texts, and the value that is picked for each name of which the hypotheses tell none, if any."""
    world = World(statement, texts)
    laws = {str(f.relation.lhs.args[0]) for f in statement.hypotheses.values() if f.relation.lhs.op == "law"}
    told = {*map(head_of, texts), *world.defining, *world.gradients, *map(str, world.gradients.values()), *laws}
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
            return function() if sort.kind != VECTOR else random.choice(fields)
        if sort.args:
            return random.choice([v for v in SEQUENCES if sort.random or "w(" not in v])
        if not sort.random and random.random() < PLAIN:
            return "0"
        return random.choice(CHANCE if sort.random else WHOLE if sort.kind == INTEGER else NUMBERS)

    def function() -> str:
        return random.choice(quadratics) if quadratics and random.random() < PLAIN else random.choice(FUNCTIONS)

    reals = [q.symbol for q in statement.parameters if not q.integer]
    slopes = SLOPES | {f"{a}*y**2/2": f"{a}*y" for a in reals}
    quadratics = list(slopes)[len(SLOPES) :]
    fields = (*FIELDS, *(f"{a}*y" for a in reals))
    texts = _equalities(statement, random) | numbers(statement, random)
    world = World(statement, texts)
    for name in dict.fromkeys(str(g.args[0] if g.op == "at" else g) for g in world.gradients.values()):
        if name in world.sorts:
            texts[_with_arguments(name, world.sorts[name])] = function()
    for name, other in _with_slopes(world):
        if random.random() < LINKED:
            text = texts.setdefault(_with_arguments(name, world.sorts[name]), function())
            texts[_with_arguments(other, world.sorts[other])] = slopes[text]
    for name, mean, place in _with_means(world):
        spread, index = read_term(random.choice((*SPREADS, *reals))), place + num(random.choice((0, 1)))
        if random.random() < LINKED:
            texts.setdefault(name, str(mean if spread is ZERO else mean + spread * Expr("w", (index,))))
    texts = filled(statement, texts, pick)
    given = {head_of(name) for name in texts}
    for name, sort in world.sorts.items():
        if name not in given and sort.args == (INTEGER,) and (name in world.defining or random.random() < FIRST):
            for k in range(2):
                if not _has_value(World(statement, texts), name, k):
                    texts[f"{name}({k})"] = random.choice(NUMBERS)
    return texts


def varied(model: Mapping[str, str], texts: Mapping[str, str], random: Random) -> dict[str, str]:
    """A world with some plain numbers of another one, or with all else of it: functions and laws belong together."""
    plain = [n for n in sorted({*model, *texts}) if re.fullmatch(r"-?\d+(/\d+)?", texts.get(n, model.get(n, "")))]
    new = random.sample(plain, min(len(plain), random.choice((1, 2, 3))))
    if random.random() < ALL_ELSE:
        new = [n for n in {**model, **texts} if n not in plain]
    both = {n: (texts if n in new else model).get(n) for n in {**model, **texts}}
    return {n: v for n, v in both.items() if v is not None}


def _with_slopes(world: World) -> Iterator[tuple[str, str]]:
    """A function and a field of vectors, neither of which has a value, that one hypothesis speaks of."""
    told = {*world.defining, *world.gradients, *map(str, world.gradients.values())}
    for fact in world.statement.hypotheses.values():
        spoken = {n.op: world.sorts[n.op] for n in fact.relation.walk() if n.op in world.sorts and n.op not in told}
        functions = [n for n, sort in spoken.items() if sort == Sort(REAL, args=(VECTOR,))]
        fields = [n for n, sort in spoken.items() if sort == Sort(VECTOR, args=(VECTOR,))]
        if len(functions) == len(fields) == 1:
            yield functions[0], fields[0]


def _with_means(world: World) -> Iterator[tuple[str, Expr, Expr]]:
    """A random name whose mean a hypothesis says, as a world writes it; that mean; the index of a sign of its own.

    From E(X) == m come X, m and 2, from Egiven(g(t + 1), H(t)) == x(t) come g(k), x(k - 1) and k.
    """
    for fact in world.statement.hypotheses.values():
        r = fact.relation
        if r.op != "==" or r.lhs.op not in ("E", "Egiven"):
            continue
        name, args = called(r.lhs.args[0])
        sort = world.sorts.get(name)
        if sort is None or not sort.random or name in world.defining:
            continue
        place = shift(args[0]) if sort.args == (INTEGER,) and args else None
        if not args and not sort.args:
            yield name, r.rhs, num(2)
        elif place is not None and place[0]:
            yield f"{name}(k)", substitute(r.rhs, {place[0]: var("k") - num(place[1])}), var("k")


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
        ends = [end for end in _ends(mine, name, point) if end or random.random() < PLAIN]
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
    """Some of the bounds of names, at all places that a fact is for, as holding with equality."""
    found = {}
    for label, fact in statement.hypotheses.items():
        bounds = fact.relation.op in ("<=", ">=") and called(fact.relation.lhs)[0] in statement.sorts
        if bounds and set(fact.names) <= fact.relation.lhs.free and random.random() < EQUAL:
            found[label] = EQUALITY
    return found
