"""Which facts hold in a world, for which values of their names this is told, and which of them bite.

A fact is looked at for every outcome. The last real or vector among the names that it ranges over is a variable: where
both sides are piecewise polynomials in it, or the engine decides what is left of them, the fact is told for all of its
values. The other names run over a few values each, integers and objects over a window.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

from flint import fmpq, fmpq_poly

from boundcheck.decide import decide
from boundcheck.kernel.formula import FUNCTIONS, Expr, Relation, num, var
from boundcheck.kernel.proof.facts import quantified
from boundcheck.kernel.proof.sorts import Sort
from boundcheck.kernel.statement import Claim, Fact
from boundcheck.models import nums
from boundcheck.models.nums import FAULTS, Split, Unknown, X
from boundcheck.models.outcomes import Evaluation, SamplePoint, Thing
from boundcheck.verdict import Status

_INF = float("inf")
_POINTS = tuple(fmpq(*x) for x in ((0, 1), (1, 1), (-1, 2), (9, 1)))
_WINDOW = tuple(fmpq(k) for k in (-1, 0, 1, 2))
_THINGS = (Thing(("o",)), Thing(("B",)))
SECONDS = 3.0
BY_DEFINITION = "by definition"
_PLAIN = frozenset({*FUNCTIONS, "add", "sub", "neg", "mul", "div", "pow"})


@dataclass(frozen=True)
class Assertion:
    """A relation for all values of the names ``over`` (name, kind) that meet ``where``."""

    relation: Relation
    over: tuple[tuple[str, str], ...] = ()
    where: tuple[Relation, ...] = ()


def assertion(fact: Fact, sorts: Mapping[str, Sort]) -> Assertion:
    """A fact of a statement."""
    return Assertion(fact.relation, tuple((n, s.kind) for n, s in quantified(fact, sorts).items()), fact.conditions)


@dataclass(frozen=True)
class Answer:
    """Whether an assertion holds in a world (None: it cannot be told), and for which values that is known."""

    holds: bool | None
    how: str = ""


def holds(ev: Evaluation, a: Assertion) -> Answer:
    """Look at an assertion."""
    if a.relation in ev.m.defined:
        return Answer(True, BY_DEFINITION)
    ev.reset()
    names = [n for n, kind in a.over if kind in ("real", "vector")]
    line = names[-1] if names else ""
    others = [(n, kind) for n, kind in a.over if n != line]
    window = _WINDOW if sum(k == "integer" for _, k in others) < 2 else _WINDOW[1:]
    pools = [window if k == "integer" else _THINGS if k == "object" else _points(k) for _, k in others]
    seen, every = 0, True
    try:
        for combo in itertools.product(*pools):
            bound = dict(zip((n for n, _ in others), combo, strict=True))
            found, told = _on_line(ev, a, bound, line) if line else _at(ev, a, bound)
            if found is False:
                return Answer(False, _place(bound))
            seen, every = seen + told, every and (not line or told > 0)
    except FAULTS as why:
        return Answer(None, str(why))
    if a.over and not seen:
        return Answer(None, "no value of its names meets the conditions")
    whole = f"for all {line}, others at values" if every and line else "at values"
    return Answer(True, "exact" if not others and every else whole)


def _points(kind: str) -> tuple[Any, ...]:
    return tuple((x,) for x in _POINTS) if kind == "vector" else _POINTS


def _place(bound: Mapping[str, Any]) -> str:
    return ", ".join(f"{n} = {v}" for n, v in bound.items())


def _at(ev: Evaluation, a: Assertion, bound: Mapping[str, Any]) -> tuple[bool, int]:
    """(whether it holds for every outcome, in how many of them the conditions are met)."""

    def one(o: SamplePoint) -> bool | None:
        return ev.holds(a.relation, o, bound) if all(ev.holds(c, o, bound) for c in a.where) else None

    found = [v for v, _, _ in ev.over(one)]
    return False not in found, sum(1 for v in found if v is not None)


def _on_line(ev: Evaluation, a: Assertion, bound: Mapping[str, Any], name: str) -> tuple[bool, int]:
    """The same for all values of ``name``, or Unknown."""
    vector = dict(a.over)[name] == "vector"

    def put(x: Any) -> dict[str, Any]:
        return {**bound, name: (x,) if vector else x}

    def between() -> tuple[bool, int]:
        try:
            return _at(ev, a, put(X))
        except Unknown:
            return _decided(ev, a, bound, name), 1

    cuts: set[Any] = set()
    told = 0
    for span, (found, seen) in ev.pieces(between, -_INF, _INF):
        if not found:
            return False, told
        cuts |= {x for x in span if isinstance(x, fmpq)}
        told += seen
    for found, seen in (_at(ev, a, put(x)) for x in cuts):
        if not found:
            return False, told
        told += seen
    return True, told


# ---------------------------------------------------------------- what is left of numbers


def _decided(ev: Evaluation, a: Assertion, bound: Mapping[str, Any], name: str) -> bool:
    """Whether the engine proves the assertion on the span, once the world's values are put in."""
    span = ev.span or (-_INF, _INF)
    inner = {**bound, name: X}
    sides = [r.map(lambda e: _left(ev, e, None, inner, name)) for r in (a.relation, *a.where)]
    ends = [Relation("<", number(x), var(name)) for x in span[:1] if x != -_INF]
    ends += [Relation("<", var(name), number(x)) for x in span[1:] if x != _INF]
    status = _status(Claim("left", (sides[0],), (*ends, *sides[1:])))
    if status not in (Status.PROVED, Status.REFUTED):
        raise Unknown(f"undecided between {span[0]} and {span[1]}: {sides[0]}")
    return status is Status.PROVED


@cache
def _status(claim: Claim) -> Status:
    return decide(claim, SECONDS).status


def number(x: Any) -> Expr:
    """A rational as a term."""
    if not isinstance(x, fmpq):
        raise Unknown("no rational")
    return num(Fraction(int(x.p), int(x.q)))


def _left(ev: Evaluation, e: Expr, o: Any, bound: Mapping[str, Any], name: str) -> Expr:
    """A term with the world's values put in for all but one name."""
    if e.op in ("num", "const") or (e.op == "var" and e.value == name):
        return e
    if e.op in _PLAIN:
        return Expr(e.op, tuple(_left(ev, x, o, bound, name) for x in e.args), e.value)
    try:
        found = nums.scalar(ev.value(e, o, bound))
        terms = [found] if isinstance(found, fmpq) else list(found) if isinstance(found, fmpq_poly) else None
        if terms is not None:
            return sum((number(c) * var(name) ** k for k, c in enumerate(terms)), num(0))
    except (Unknown, Split):
        pass
    if e.op != "E":
        raise Unknown(f"no value of {e}")
    parts = ev.over(lambda outcome: _left(ev, e.args[0], outcome, bound, name))
    return sum((number(weight) * body for body, weight, _ in parts), num(0))


# ---------------------------------------------------------------- what bites


def tighter(a: Assertion) -> Assertion | None:
    """An inequality with a hundredth less room; None for what has none: equations and predicates."""
    r = a.relation if a.relation.op in ("<", "<=") else a.relation.flipped()
    if r.op not in ("<", "<="):
        return None
    room = num(1) / 100 * Expr("abs", (r.rhs,)) + num(1) / 1000000
    return replace(a, relation=Relation("<=", r.lhs + room, r.rhs))


def bites(ev: Evaluation, a: Assertion) -> bool:
    """Whether an inequality that holds fails with a hundredth less room."""
    less = tighter(a)
    return less is not None and holds(ev, less).holds is False
