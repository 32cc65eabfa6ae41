"""Whether the equations that give names their values are definitions: typed, and none in a circle; and what must have
a value where a term of a statement is worked out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from boundcheck.decide.worlds.world_terms import ONE, Unknown, by_chance, called, shift
from boundcheck.kernel.formula import Expr, Relation, endless
from boundcheck.kernel.proof.book import declared
from boundcheck.kernel.proof.facts import quantified
from boundcheck.kernel.proof.scalar_claims import base_of_a_real_power, is_real_power, partial
from boundcheck.kernel.proof.sorts import INTEGER, REAL, Names, Sort, typed
from boundcheck.kernel.statement import Fact, Statement
from boundcheck.verdict import EQUALITY

Defining = Mapping[str, list[Fact]]  #: the equations that give a name its value, by name
Use = tuple[str, tuple[Expr, ...]]  #: a name with its arguments
Told = Callable[[str, tuple[Expr, ...]], list[Expr]]  #: the terms by which one has a value otherwise
MAX_USES = 200
MEANS = ("E", "Egiven")
MAY_NOT_EXIST = (*MEANS, "integral", "least", "most")


def with_equality(statement: Statement, names: Collection[str]) -> Statement:
    """The statement with the bounds that hold with equality as equations, which say more."""
    if not names:
        return statement
    hypotheses = dict(statement.hypotheses)
    for name in names:
        if name not in hypotheses or (r := hypotheses[name].relation).op not in ("<=", ">=", "=="):
            raise Unknown(f"{name} {EQUALITY}, which is no hypothesis with <= or >=")
        hypotheses[name] = replace(hypotheses[name], claim=f"{r.lhs} == {r.rhs}")
    return replace(statement, hypotheses=hypotheses)


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


def _needed(told: Told, terms: list[Expr], done: set[Use]) -> Iterator[Use]:
    """The names that the terms speak of, with their arguments; those by which these have values as well."""
    for e in terms:
        for use in _uses(e):
            yield use
            if use not in done:
                if len(done) > MAX_USES:
                    raise Unknown(f"{use[0]}, whose value speaks of many others")
                done.add(use)
                yield from _needed(told, told(*use), done)


def _uses(e: Expr) -> Iterator[Use]:
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


def powers_of(statement: Statement) -> frozenset[Expr]:
    """The powers in a statement whose exponents stay real, whatever number they are in the world."""
    facts = (*statement.hypotheses.values(), *statement.claims)
    return _powers(facts, tuple(statement.domain), tuple(declared(statement).items()))


@lru_cache(maxsize=64)
def _powers(
    facts: tuple[Fact, ...], domain: tuple[Relation, ...], declares: tuple[tuple[str, Sort], ...]
) -> frozenset[Expr]:
    """The same by what it depends on: a search looks at hundreds of worlds of the same facts."""
    names = dict(declares)
    found = [_real_powers((f.relation, *f.conditions), {**names, **quantified(f, names)}) for f in facts]
    return frozenset().union(_real_powers(domain, names), *found)


def _real_powers(relations: Iterable[Relation], scope: Names) -> frozenset[Expr]:
    """The powers in the relations whose exponents stay real."""
    terms = [n for r in relations for n in r.walk()]
    bound = {str(n.args[1].value): Sort(REAL if n.op == "integral" else INTEGER) for n in terms if n.binds}
    return frozenset(n for n in terms if is_real_power(n, {**bound, **scope}))


def needed(e: Expr, parts: tuple[Expr, ...], powers: frozenset[Expr]) -> Expr | None:
    """What has a value just where the outermost operation of ``e`` has one at values, None where it always has.

    ``powers`` are those of :func:`powers_of`.
    """
    if e.op == "pow" and e in powers and not (parts[1].op == "num" and parts[1].value.denominator > 1):
        base, exponent = parts
        if exponent.op == "num" and exponent.value > 0 and base.op in ("abs", "norm"):
            return None
        told = exponent.op == "num" or by_chance(exponent)
        return base_of_a_real_power(base, exponent) if told else Expr("pow", parts)
    if not partial(e):
        return None
    return Expr("div", (ONE, parts[1])) if e.op == "div" else Expr(e.op, parts)


def total(e: Expr, powers: frozenset[Expr]) -> bool:
    """Whether a term has a value by its form, whatever its names are."""
    return not any(partial(n) or n in powers or n.op in MAY_NOT_EXIST or endless(n) for n in e.walk())


def may_have_none(e: Expr, powers: frozenset[Expr]) -> Iterator[Expr]:
    """The parts of a term that need not have a value: means, a quotient as 1 over its divisor, what binds a name."""
    if e.binds:
        if not total(e, powers):
            yield e
        return
    for a in e.args:
        yield from may_have_none(a, powers)
    if partial(e) or e in powers or e.op in MEANS:
        yield Expr("div", (ONE, e.args[1])) if e.op == "div" else e
