"""Small worlds of simple values that meet the hypotheses: one that breaks a claim, or any.

Numbers, random variables and functions get values from short lists. A hypothesis f(t + 1) <= F(f(t)) may hold with
equality, which gives f its values from the first ones on. What is found is shown as every world is: each hypothesis is
proved there, and the claim is false there (:mod:`world_refute`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from random import Random

from boundcheck.decide.worlds.world import World
from boundcheck.decide.worlds.world_refute import refuted, unmet
from boundcheck.decide.worlds.world_terms import OWN, Unknown, called, head_of
from boundcheck.kernel.clock import budget, deadline, passed
from boundcheck.kernel.formula import num
from boundcheck.kernel.proof.sorts import EVENT, INFORMATION, INTEGER, VECTOR, Sort
from boundcheck.kernel.proof.terms import fresh, names_of
from boundcheck.kernel.statement import Fact, Parameter, Statement
from boundcheck.verdict import Status

NUMBERS = ("1", "2", "1/2", "3", "1/4", "0", "-1")
WHOLE = ("1", "2", "3", "4", "0")
CHANCE = ("w(1)", "1 + w(1)", "1", "0", "2*w(1)", "w(2)", "2*(1 + w(1))", "w(1)*w(2)", "-1", "unit(1)")
EVENTS = ("w(1) > 0", "w(1) < 0", "w(2) > 0", "w(1)*w(2) > 0")
SEQUENCES = ("0", "1", "k", "-k", "k**2", "1/(k + 1)", "2**(-k)", "w(k)", "1 + w(k)")
FUNCTIONS = ("y", "y**2/2", "0", "y**2", "-y", "1")
EQUAL, FIRST = 0.6, 0.4  #: how often a hypothesis holds with equality, and a sequence has first values of its own
WORLDS = 800  #: how many are drawn; the same one twice is looked at once
ONE_WORLD = 0.3  #: seconds of processor time for one world
_UNTOLD = (Unknown, ValueError, TypeError, LookupError, RecursionError, ArithmeticError)


@dataclass(frozen=True)
class Broken:
    """A world in which all hypotheses hold and a claim does not: what has which value, what holds with equality."""

    values: Mapping[str, str]
    equal: tuple[str, ...] = ()
    vectors: bool = False  #: whether vectors are among the values: numbers, in dimension 1

    def __str__(self) -> str:
        told = ", ".join(f"{name} = {text}" for name, text in self.values.items())
        signs = re.sub(r"\bw\(", "sign(", told)
        text = re.sub(r"\bunit\(", "uniform(", signs)
        parts = [text] if text else []
        if self.equal:
            parts.append(f"{' and '.join(self.equal)} {'hold' if len(self.equal) > 1 else 'holds'} with equality")
        if self.vectors:
            parts.append("vectors have dimension 1")
        if signs != told:
            parts.append("sign(1), sign(2), ... are independent fair signs")
        if text != signs:
            parts.append("uniform(1) is uniform on (0, 1)")
        return "; ".join(parts)


def counterexample(statement: Statement, fact: Fact, seconds: float) -> Broken | None:
    """A world of simple values in which the hypotheses hold and ``fact`` does not, None where none is found."""
    asked, back = _renamed(replace(statement, claims=(fact,), steps=(), concludes=(), exists=(), twins=()))
    random, end = Random(0), deadline(seconds)
    seen: set[object] = set()
    for _ in range(WORLDS):
        if passed(end):
            break
        world, equal = _with_equality(asked, random)
        with budget(ONE_WORLD):
            try:
                texts = _drawn(world, random)
                if (drawn := (equal, frozenset(texts.items()))) in seen:
                    continue
                seen.add(drawn)
                found = refuted(world, texts)
            except _UNTOLD:
                continue
        if found.status is Status.REFUTED:
            point = found.witness or {}
            spoken = _spoken(world)
            values = {_with_names(_as_said(n, world), back): x for n, x in point.items() if head_of(n) in spoken}
            said = tuple(n for n in equal if called(world.hypotheses[n].relation.lhs)[0] in spoken)
            return Broken(values, said, any(VECTOR in world.sorts.get(n, "") for n in spoken))
    return None


def has_model(statement: Statement, point: Mapping[str, str]) -> bool:
    """Whether one of a few small worlds, in which numbers have the values of a point, meets every hypothesis."""

    def pick(value: str, name: str, sort: Sort) -> str:
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


def filled(statement: Statement, texts: Mapping[str, str], pick: Callable[[str, Sort], str]) -> dict[str, str]:
    """The texts, and a value for each name of which the hypotheses tell none; information keeps its usual one."""
    world = World(statement, texts)
    laws = {str(f.relation.lhs.args[0]) for f in statement.hypotheses.values() if f.relation.lhs.op == "law"}
    told = {*texts, *world.defining, *world.gradients, *map(str, world.gradients.values()), *laws}
    found = dict(texts)
    for name, sort in world.sorts.items():
        if name not in told and sort.kind != INFORMATION:
            found[_with_arguments(name, sort)] = pick(name, sort)
    return found


def _drawn(statement: Statement, random: Random) -> dict[str, str]:
    """Values from the lists, and first ones for sequences that hypotheses give the others."""

    def pick(name: str, sort: Sort) -> str:
        if sort.kind == EVENT:
            return random.choice(EVENTS)
        if sort.args:
            values = FUNCTIONS if VECTOR in sort.args else SEQUENCES
            return random.choice([v for v in values if sort.random or "w(" not in v])
        return random.choice(CHANCE if sort.random else WHOLE if sort.kind == INTEGER else NUMBERS)

    texts = {q.symbol: random.choice(WHOLE if q.integer else NUMBERS) for q in statement.parameters}
    world = World(statement, texts)
    for name in dict.fromkeys(str(g.args[0] if g.op == "at" else g) for g in world.gradients.values()):
        if name in world.sorts:
            texts[_with_arguments(name, world.sorts[name])] = random.choice(FUNCTIONS)
    texts = filled(statement, texts, pick)
    given = {head_of(name) for name in texts}
    for name, sort in world.sorts.items():
        if name not in given and sort.args == (INTEGER,) and random.random() < FIRST:
            for k in range(2):
                if not _has_value(World(statement, texts), name, k):
                    texts[f"{name}({k})"] = random.choice(NUMBERS)
    return texts


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


def _with_equality(statement: Statement, random: Random) -> tuple[Statement, tuple[str, ...]]:
    """The statement with some of its bounds of names as equations, which say more; their names."""
    hypotheses, equal = dict(statement.hypotheses), []
    for name, fact in statement.hypotheses.items():
        r = fact.relation
        if r.op in ("<=", ">=") and called(r.lhs)[0] in statement.sorts and random.random() < EQUAL:
            hypotheses[name] = replace(fact, claim=f"{r.lhs} == {r.rhs}")
            equal.append(name)
    return replace(statement, hypotheses=hypotheses), tuple(equal)


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


def _renamed(statement: Statement) -> tuple[Statement, dict[str, str]]:
    """The statement without the words that worlds have for signs and the like; what these were called in it."""
    taken = {*statement.sorts, *statement.symbols}
    new = {n: fresh(n, taken) for n in sorted(taken & OWN)}

    def said(fact: Fact) -> Fact:
        over, where = (tuple(_with_names(t, new) for t in texts) for texts in (fact.over, fact.where))
        return Fact(_with_names(fact.claim, new), over, where)

    def ranging(q: Parameter) -> Parameter:
        return replace(q, symbol=new.get(q.symbol, q.symbol), domain=tuple(_with_names(t, new) for t in q.domain))

    renamed = replace(
        statement,
        parameters=tuple(map(ranging, statement.parameters)),
        hypotheses={name: said(f) for name, f in statement.hypotheses.items()},
        claims=tuple(map(said, statement.claims)),
        declares={new.get(n, n): sort for n, sort in statement.sorts.items()},
        random=(),
    )
    return (renamed if new else statement), {v: k for k, v in new.items()}


def _with_names(text: str, new: Mapping[str, str]) -> str:
    """A formula's text with other names."""
    return re.sub(r"[A-Za-z_]\w*", lambda m: new.get(m[0], m[0]), text)
