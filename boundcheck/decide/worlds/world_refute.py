"""A statement refuted in a small world: every hypothesis is proved there, a claim is false there.

What is quantified is decided by the engines on the scalar claims that the world turns it into, what is not by balls.
A condition that the world does not tell makes a hypothesis hold for more; it is never left out of a claim.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from boundcheck.decide.scalar.engine import decide
from boundcheck.decide.worlds.world import World
from boundcheck.decide.worlds.world_defined import MEANS, check_definitions, may_have_none, total
from boundcheck.decide.worlds.world_outcome import one_outcome
from boundcheck.decide.worlds.world_terms import (
    ONE,
    SECONDS,
    SIGN,
    STATE,
    UNIT,
    ZERO,
    Open,
    Unknown,
    as_event,
    at_signs,
    by_chance,
    fold,
    of_kind,
    proves,
    whole,
)
from boundcheck.kernel.formula import RELATIONS, Expr, Relation, call, num, var
from boundcheck.kernel.proof.book import declared
from boundcheck.kernel.proof.facts import quantified, read
from boundcheck.kernel.proof.scalar_claims import defined
from boundcheck.kernel.proof.sorts import INTEGER, read_sort
from boundcheck.kernel.proof.terms import names_of
from boundcheck.kernel.statement import Claim, Fact, Statement
from boundcheck.verdict import Status, Verdict

MAX_MEMBERS = 60  #: values of the names that a fact ranges over
MAX_CASES = 3  #: relations that are looked at both ways
PLACES = tuple(map(num, (1, 0, -1, 2)))  #: arguments at which an equation that defines a function may have a value
NONE_FALSE = "no claim is false in the world"  #: which meets every hypothesis
TRIED = (0, 1, 2, 3, 5, 9)  #: how far from the end of its range an integer of a claim is tried


def refuted(statement: Statement, texts: Mapping[str, str]) -> Verdict:
    """REFUTED where the world meets every hypothesis and breaks a claim, else UNDECIDED with the reason."""
    if statement.exists:
        return Verdict(statement.label, Status.UNDECIDED, "world", reason="one world refutes no constant")
    try:
        world = World(asked := as_families(statement), texts)
        reason = unmet(world)
        for printed, fact in () if reason else zip(statement.claims, asked.claims, strict=True):
            try:
                point = one_outcome(world, fact, texts) or broken(world, fact)
            except Unknown as why:
                reason = reason or f"the world does not tell {why}"
                continue
            if point is not None:
                told = f"false in a small world: {printed.claim}"
                return Verdict(statement.label, Status.REFUTED, "world", witness={**texts, **point}, reason=told)
    except (Unknown, ValueError, TypeError, LookupError, RecursionError, ArithmeticError) as why:  # ill-typed: nothing
        reason = f"the world does not tell {why}"
    return Verdict(statement.label, Status.UNDECIDED, "world", reason=reason or NONE_FALSE)


def as_families(statement: Statement) -> Statement:
    """The statement with at(a, t) for a(t) where a is a function of whole numbers: they are the same."""
    sorts = {name: read_sort(text) for name, text in statement.sorts.items()}
    families = {name for name, sort in sorts.items() if sort.args and {*sort.args} == {INTEGER}}

    def indexed(e: Expr) -> Expr:
        done: dict[Expr, Expr] = {}
        for n in e.walk():
            parts = tuple(done[a] for a in n.args)
            done[n] = Expr("at", (var(n.op), *parts)) if n.op in families else Expr(n.op, parts, n.value)
        return done[e]

    def said(fact: Fact) -> Fact:
        relations = (fact.relation, *fact.conditions)
        if not any(n.op in families for r in relations for n in r.walk()):
            return fact
        claim, *where = (str(r.map(indexed)) for r in relations)
        return Fact(claim, fact.over, tuple(where))

    hypotheses = {name: said(fact) for name, fact in statement.hypotheses.items()}
    return replace(statement, hypotheses=hypotheses, claims=tuple(map(said, statement.claims)))


def unmet(world: World) -> str:
    """Why the world is no model of the hypotheses; "" where it is one. The statement must be well-typed."""
    names = declared(world.statement)
    for fact in (*world.statement.hypotheses.values(), *world.statement.claims):
        read(fact, names)
    check_definitions(world.statement, world.defining, world.told)
    for r in world.statement.domain:
        if not _holds(world, r):
            return f"the domain {r} is not met"
    for q in world.statement.parameters:
        value = world.apply(q.symbol, ())
        if q.integer and (value.op != "num" or value.value.denominator != 1):
            return f"{q.symbol} is no integer"
    for name, fact in world.statement.hypotheses.items():
        gives_value = fact in world.defining.get(world.defined_by(fact), ())
        defines = name not in world.equal and fact.relation.lhs.op != "at"
        try:
            if not (_gives_a_value(world, fact, defines) if gives_value else holds_for_all(world, fact)):
                return f"the hypothesis {name} is not shown"
        except Unknown as why:
            return f"the hypothesis {name} is not told: {why}"
    return ""


def _gives_a_value(world: World, fact: Fact, defines: bool) -> bool:
    """Whether an equation that gives a name its value has one on the right, and its conditions a truth value.

    One that ``defines`` a function says nothing at arguments at which its right side has no value, as 1/y at 0: there
    it is asked for where it is used. It has one somewhere, as sqrt(-1 - y**2) has not. Whatever else must have a value
    has one, as sqrt(-1), and its means exist.
    """
    sides = (fact.relation.rhs, *(side for c in fact.conditions for side in c.sides))
    moving: list[Expr] = []
    for e in (part for side in sides for part in may_have_none(side, world.real_powers)):
        over = tuple(o for o, name in zip(fact.over, fact.names, strict=True) if name in e.free)
        hangs_on = names_of([defined(e)])
        if defines and e.op not in MEANS and hangs_on and hangs_on <= set(fact.names):
            moving.append(e)
            continue
        where = tuple(str(c) for c in fact.conditions if not c.free & (set(fact.names) - e.free))
        asked = replace(fact, over=over, where=where)
        # a mean exists where what it is of is integrable: its value is not asked for, which may not be told
        said = Relation("==", Expr("integrable", e.args[:1]), ONE) if e.op in MEANS else defined(e)
        if not all(_holds(world, said, asked.conditions, *one) for one in _instances(world, asked)):
            return False
    places = itertools.islice(itertools.product(PLACES, repeat=len(fact.names)), MAX_MEMBERS)
    return not moving or any(_have_values(world, moving, dict(zip(fact.names, at, strict=True))) for at in places)


def _have_values(world: World, terms: list[Expr], bound: dict[str, Expr]) -> bool:
    """Whether all of the terms are shown to have values where the names do."""
    try:
        return all(_holds(world, defined(e), (), bound) for e in terms)
    except Unknown:
        return False


def holds_for_all(world: World, fact: Fact) -> bool:
    """Whether a fact is shown to hold for all values of its names, at every outcome."""
    return all(_holds(world, fact.relation, fact.conditions, *one) for one in _instances(world, fact))


def holds_where_tried(world: World, fact: Fact) -> bool:
    """Whether a fact is shown to hold for the integers that are tried, and all values of its other names.

    Integers from the first one on for which the world does not tell it are left out; not all of them are.
    """
    some = False
    for tried, bound in _points(world, fact):
        try:
            if not _holds(world, fact.relation, fact.conditions, {**bound, **tried}):
                return False
        except Unknown:
            break
        some = True
    return some


def broken(world: World, fact: Fact) -> dict[str, str] | None:
    """A point at which the claim is false. Integers that the world does not give are tried, small ones first.

    Raises :class:`Unknown` where no point breaks it and the world does not tell some of them.
    """
    unknown: Unknown | None = None
    for tried, bound in _points(world, fact):
        try:
            found = _broken_at(world, fact, {**bound, **tried})
        except Unknown as why:
            unknown = unknown or why
            continue
        if found is not None:
            return {**{name: str(value) for name, value in tried.items()}, **found}
    if unknown is not None:
        raise unknown
    return None


def _points(world: World, fact: Fact) -> Iterator[tuple[dict[str, Expr], dict[str, Expr]]]:
    """Values for the names of a claim: (integers that are tried, all others)."""
    bound: dict[str, Expr] = {}
    integers = []
    for name, sort in quantified(fact, declared(world.statement)).items():
        if name in world.own:
            bound[name] = world.apply(name, ())
            if by_chance(bound[name]) or sort.kind not in ("real", "vector", "integer"):
                raise Unknown(f"{name} of the claim")
            if sort.kind == "integer" and not whole(bound[name], frozenset()):
                raise Unknown(f"{name} is no integer")
        elif sort.kind == "integer":
            integers.append(name)
        elif sort.kind in ("real", "vector"):
            bound[name] = var(name)
        else:
            raise Unknown(f"{name} of the claim")
    points: list[dict[str, Expr]] = [{}]
    for name in integers:
        points = [{**p, name: num(k)} for p in points for k in _tried(world, fact, name, {**bound, **p})]
    for point in itertools.islice(points, MAX_MEMBERS):
        yield point, bound


def _tried(world: World, fact: Fact, name: str, bound: Mapping[str, Expr]) -> list[int]:
    """Integers that are tried for a name of a claim: from the end of its range on, or about 0 where it has none."""
    low, high = _ends(world, fact, name, bound)
    if low is not None:
        return [low + k for k in TRIED if high is None or low + k <= high]
    return [high - k for k in TRIED] if high is not None else [*TRIED, -1, -2]


def _broken_at(world: World, fact: Fact, bound: Mapping[str, Expr]) -> dict[str, str] | None:
    """A point at which the claim is false for these values of its names."""
    conditions = [world.expand(as_event(c), bound) for c in fact.conditions]
    plain_ones = [c for c in conditions if c.op in RELATIONS and not _inner(c) and not by_chance(c)]
    world.given = tuple(map(_relation, plain_ones))
    try:
        found = world.expand(as_event(fact.relation), bound)
    finally:
        world.given = ()
    if any(n.startswith((UNIT, STATE, "s#")) for e in (found, *conditions) for n in e.free):
        raise Unknown("a claim on each value of a uniform number")
    for goal, given in _cases(world, [found, *conditions]):
        if goal.op == "num":
            if not goal.value and not given:
                return {}
            continue
        verdict = decide(Claim("claim", (_relation(goal),), given), SECONDS)
        if verdict.status is Status.REFUTED:
            return dict(verdict.witness or {})
    return None


def _holds(
    world: World,
    r: Relation,
    conditions: tuple[Relation, ...] = (),
    bound: Mapping[str, Expr] = MappingProxyType({}),
    whole: frozenset[str] = frozenset(),
    case: tuple[Relation, ...] = (),
) -> bool:
    """Whether a relation holds for all values of the names that are left free, those of ``whole`` being integers."""
    world.integers, world.given = whole, case
    try:
        told = [c for c in (_told(world, c, bound) for c in conditions) if c is not None]
        world.given = (*case, *(_relation(c) for c in told if c.op in RELATIONS))
        for goal, given in _cases(world, [world.expand(as_event(r), bound), *told]):
            if goal.op == "num" and goal.value:
                continue
            wanted = (
                _relation(goal) if goal.op != "num" else Relation("<=", ONE, ZERO)
            )  # the conditions are impossible
            if not proves(wanted, (*given, *case), whole):
                return False
        return True
    except Open as why:  # both ways
        if len(case) >= MAX_CASES or any("#" in n for n in why.relation.free):
            raise
        both = (why.relation, why.relation.negated())
        return all(_holds(world, r, conditions, bound, whole, (*case, c)) for c in both)
    finally:
        world.integers, world.given = frozenset(), ()


def _told(world: World, condition: Relation, bound: Mapping[str, Expr]) -> Expr | None:
    """The condition of a hypothesis; None where the world does not tell it, or what it says is not simple.

    Raises :class:`Unknown` where the world does not tell it and it need not have a truth value.
    """
    e = as_event(condition)
    try:
        found = world.expand(e, bound)
    except Unknown:
        if not total(e, world.real_powers):
            raise
        return None
    if found.op in RELATIONS and not _inner(found) and not by_chance(found):
        return found
    return None if found.op != "num" else found


def _instances(world: World, fact: Fact) -> Iterator[tuple[dict[str, Expr], frozenset[str]]]:
    """Values for the names that a hypothesis ranges over: integers one by one where they are bounded."""
    found: list[tuple[dict[str, Expr], frozenset[str]]] = [({}, frozenset())]
    for name, sort in quantified(fact, declared(world.statement)).items():
        if sort.kind not in ("real", "vector", "integer"):
            raise Unknown(f"all {sort.kind} {name}")
        after = []
        for bound, integers in found:
            members = _members(world, fact, name, bound) if sort.kind == "integer" else None
            if members is None:
                free = var(f"{name}_any")
                after.append(
                    ({**bound, name: free}, integers | {f"{name}_any"} if sort.kind == "integer" else integers)
                )
            else:
                after += [({**bound, name: num(k)}, integers) for k in members]
        found = after
        if len(found) > MAX_MEMBERS:
            raise Unknown("many members")
    yield from found


def _members(world: World, fact: Fact, name: str, bound: Mapping[str, Expr]) -> range | None:
    """The integers that the conditions leave, None where they are not bounded."""
    low, high = _ends(world, fact, name, bound)
    if low is None or high is None or high - low >= MAX_MEMBERS:
        return None
    return range(low, high + 1)


def _ends(world: World, fact: Fact, name: str, bound: Mapping[str, Expr]) -> tuple[int | None, int | None]:
    """The least and the greatest integer that the conditions leave; None where they leave no such end."""
    low: list[int] = []
    high: list[int] = []
    open_ones = set(fact.names) - bound.keys()  # an end that speaks of these is none, also where they are declared
    for c in fact.conditions:
        for r in (c, c.flipped()):
            if r.lhs is var(name) and r.op in ("<=", ">=") and not r.rhs.free & open_ones:
                try:
                    end = world.expand(r.rhs, bound)
                except Unknown:
                    continue
                if end.op == "num":
                    (high if r.op == "<=" else low).append(
                        -int(-end.value // 1) if r.op == ">=" else int(end.value // 1)
                    )
    return max(low, default=None), min(high, default=None)


def _cases(world: World, terms: list[Expr]) -> Iterator[tuple[Expr, tuple[Relation, ...]]]:
    """(assertion, conditions) for all signs and truth values of open events inside, conditions that fail left out."""
    names = world.separate(of_kind(SIGN, *terms))
    for found in zip(*(at_signs(e, names) for e in terms), strict=True):
        yield from _split(found, world)


def _split(terms: tuple[Expr, ...], world: World) -> Iterator[tuple[Expr, tuple[Relation, ...]]]:
    """The same for every truth value of the open events inside and every sign of names under abs."""
    corners = {n.args[0] for e in terms for n in e.walk() if n.op == "abs" and n.args[0].op == "var"}
    events = sorted({n for e in terms for n in _inner(e)} | {Expr(">=", (c, ZERO)) for c in corners}, key=str)
    choices = [_possible(world, e) for e in events]
    if len(events) > 6:
        raise Unknown("many open events")
    for truth in itertools.product(*choices):
        values: dict[Expr, Expr] = {n: num(int(t)) for n, t in zip(events, truth, strict=True)}
        for c in corners:
            values[call("abs", c)] = c if values[Expr(">=", (c, ZERO))].value else -c
        goal, *where = (_put(e, values) for e in terms)
        said = [_relation(n) if t else _relation(n).negated() for n, t in zip(events, truth, strict=True)]
        if ZERO not in where and (len(said) < 2 or not empty(world, [*world.given, *said])):
            yield goal, (*(_relation(w) for w in where if w.op != "num"), *said)


def _possible(world: World, event: Expr) -> tuple[bool, ...]:
    """The truth values that an event may have under what is given."""
    r = _relation(event)
    return (True,) if world.proved(r) else (False,) if world.proved(r.negated()) else (True, False)


def empty(world: World, given: list[Relation]) -> bool:
    """Whether no point meets the relations: the last is false wherever the others hold."""
    return proves(given[-1].negated(), given[:-1], world.integers)


def _inner(e: Expr) -> list[Expr]:
    """The events that are open and stand inside of numbers."""
    sides = e.args if e.op in RELATIONS else (e,)
    return [n for s in sides for n in s.walk() if n.op in RELATIONS]


def _put(e: Expr, values: Mapping[Expr, Expr], top: bool = True) -> Expr:
    if e in values and not top:
        return values[e]
    if not e.args or e.binds:
        return e
    return fold(e.op, tuple(_put(a, values, False) for a in e.args))


def _relation(e: Expr) -> Relation:
    if e.op not in RELATIONS:
        raise Unknown("an event that is no relation")
    return Relation(e.op, *e.args)
