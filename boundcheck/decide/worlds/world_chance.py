"""Chance beyond fair signs: numbers uniform on an interval, and sums of many independent members with one law.

Such a coordinate is cut where a condition inside of a term changes its truth value: the condition is solved for it.
On each piece the term is one sum of powers, or a number, and its mean is a closed form. A law with a closed-form
tail is a function of a uniform number: unit(1)**(-1/2) has P(. > t) = t**(-2) for t >= 1.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from boundcheck.decide.worlds.world_terms import (
    ONE,
    SIGN,
    UNIT,
    ZERO,
    Open,
    Unknown,
    at_signs,
    by_chance,
    event,
    fold,
    in_time,
    of_kind,
    rational,
    refold,
)
from boundcheck.kernel.formula import RELATIONS, Expr, Relation, num, substitute, var

if TYPE_CHECKING:
    from boundcheck.decide.worlds.world import World

MAX_WORK = 4 * 10**9  #: bits times terms of the law of a sum
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_SPLITS = frozenset({*RELATIONS, "min", "max", "abs"})
_TAME = _SPLITS | {"var", "add", "sub", "neg", "mul", "div", "pow", "sqrt"}
Piece = tuple[bool, Any, Any]


@dataclass(frozen=True)
class Uniform:
    """A number uniform on (0, 1)."""

    name: str
    low, high = ZERO, ONE

    def parts(self, world: World, r: Relation, low: Expr, high: Expr) -> list[Piece]:
        """Where between two ends a condition is true, where not; single points have no weight."""
        solved = isolate(world, r, self.name)
        if isinstance(solved, bool):
            return [(solved, low, high)]
        if solved.op in ("==", "!="):
            return [(solved.op == "!=", low, high)]
        cut = _least(world, "max", low, _least(world, "min", high, solved.rhs))
        below = solved.op in ("<", "<=")
        return [(below, low, cut), (not below, cut, high)]

    def integral(self, world: World, body: Expr, low: Expr, high: Expr) -> Expr:
        """The share of a piece in the mean. Raises :class:`Unknown` where the integral may diverge."""
        total = ZERO
        for k, c in powers(world, body, self.name).items():
            if k <= -1 and not world.proved(Relation(">", low, ZERO)):
                raise Unknown("an integral that may diverge")
            if k == -1:
                total = total + c * (fold("log", (high,)) - fold("log", (low,)))
            else:
                total = total + c * (_power(high, k + 1) - _power(low, k + 1)) / num(k + 1)
        return total


@dataclass(frozen=True)
class Total:
    """The sum of ``count`` independent members with one law of finitely many values, exact; its ends are indices."""

    name: str
    law: tuple[tuple[Fraction, Fraction], ...]  #: (value, weight), values increasing
    count: int
    places: tuple[tuple[Expr, ...], ...] = ()  #: of the signs and uniform numbers of a member

    @property
    def step(self) -> Fraction:
        """All values of a member are the least one and multiples of this."""
        gaps = [v - self.law[0][0] for v, _ in self.law[1:]]
        shared = math.lcm(*(g.denominator for g in gaps))
        return Fraction(math.gcd(*(int(g * shared) for g in gaps)), shared)

    @property
    def low(self) -> int:
        """The index of the least value."""
        return 0

    @property
    def high(self) -> int:
        """The first index beyond the values."""
        return self.count * int((self.law[-1][0] - self.law[0][0]) / self.step) + 1 if len(self.law) > 1 else 1

    def parts(self, world: World, r: Relation, low: int, high: int) -> list[Piece]:
        """The indices between two ends at which a condition is true, and the others."""
        solved = isolate(world, r, self.name)
        if isinstance(solved, bool):
            return [(solved, low, high)]
        if solved.op in ("==", "!=") or solved.rhs.free:
            raise Unknown("a condition on a long sum")
        below = solved.op in ("<", "<=")
        a, b = low, high
        while a < b:  # the first index at which the truth value is that of the end
            middle = (a + b) // 2
            value = num(self.count * self.law[0][0] + (middle * self.step if len(self.law) > 1 else 0))
            true = world.truth(event(Relation(solved.op, value, solved.rhs)))
            a, b = (middle + 1, b) if true is below else (a, middle)
        return [(below, low, a), (not below, a, high)]

    def integral(self, world: World, body: Expr, low: int, high: int) -> Expr:
        """The share of a piece in the mean: the value there times its exact probability."""
        if self.name in body.free:
            raise Unknown("the mean of a long sum")
        return body * num(self.chance(low, high)) if low < high else ZERO

    def chance(self, low: int, high: int) -> Fraction:
        """The exact probability of the indices low, ..., high - 1.

        The weights of the sum are the coefficients of a power of a polynomial with whole coefficients p; where
        c is p**n, p c' = n p' c gives each coefficient of c from those before it.
        """
        shared = math.lcm(*(w.denominator for _, w in self.law))
        if len(self.law) == 1:
            return Fraction(1)
        if self.count * shared.bit_length() * self.high > MAX_WORK:
            raise Unknown("a sum of many members")
        first, *rest = self.law
        p = [(int((v - first[0]) / self.step), int(w * shared)) for v, w in rest]
        start, total = int(first[1] * shared), 0
        last = [start**self.count]
        for k in range(high):
            if k:
                above = sum((i * (self.count + 1) - k) * w * last[-i] for i, w in p if i <= len(last))
                last.append(above // (k * start))
                last = last[-p[-1][0] :]
            if k >= low:
                total += last[-1]
        return Fraction(total, shared**self.count)


Coordinate = Uniform | Total


def mean_over(world: World, e: Expr, x: Coordinate) -> Expr:
    """The mean over one coordinate."""
    total = ZERO
    for body, low, high in pieces(world, e, x, x.low, x.high):
        total = total + x.integral(world, body, low, high)
    return refold(total)


def pieces(world: World, e: Expr, x: Coordinate, low: Any, high: Any) -> Iterator[tuple[Expr, Any, Any]]:
    """(term, low, high): the term without conditions on the coordinate, on pieces of what lies between two ends."""
    in_time()
    if any(n.binds and x.name in n.free for n in e.walk()):
        raise Unknown("a condition inside of a sum or an integral")
    splits = [n for n in e.walk() if n.op in _SPLITS and x.name in n.free]
    found = next((n for n in splits if not any(m is not n and m in splits for m in n.walk())), None)
    if found is None:
        yield e, low, high
        return
    a, b = found.args if len(found.args) == 2 else (found.args[0], ZERO)
    r = Relation(found.op if found.op in RELATIONS else ">=" if found.op in ("max", "abs") else "<=", a, b)
    for true, start, end in x.parts(world, r, low, high):
        if start != end:
            value = num(int(true)) if found.op in RELATIONS else a if true else -a if found.op == "abs" else b
            yield from pieces(world, refold(e, {found: value}), x, start, end)


def isolate(world: World, r: Relation, name: str) -> Relation | bool:
    """The relation solved for the name, or its truth value for all values that it has. The name occurs once."""
    if name in r.rhs.free:
        r = r.flipped()
    e, op, c = r.lhs, r.op, r.rhs
    if name in c.free:
        raise Unknown(f"where {r} holds")
    while e.op != "var":
        inner = [n for n, a in enumerate(e.args) if name in a.free]
        if len(inner) != 1:
            raise Unknown(f"where {r} holds")
        at, other = inner[0], e.args[1 - inner[0]] if len(e.args) == 2 else ZERO
        if e.op in ("add", "sub", "neg"):
            turned = e.op == "neg" or (e.op == "sub" and at == 1)
            c = c - other if e.op == "add" else c + other if e.op == "sub" and at == 0 else other - c
            op = _TURNED[op] if turned else op
        elif e.op == "mul" or (e.op == "div" and at == 0):
            c = c / other if e.op == "mul" else c * other
            op = op if _positive(world, other) else _TURNED[op]
        elif e.op in ("div", "sqrt") or (e.op == "pow" and at == 0):
            if e.op == "div":  # other/x
                if not _positive(world, other):
                    c, op, other = -c, _TURNED[op], -other
                c, power = c / other, Fraction(-1)
            else:
                power = Fraction(1, 2) if e.op == "sqrt" else _exponent(other)
            even = power.denominator == 1 and power.numerator % 2 == 0
            positive = _positive(world, e.args[at])
            if not positive and not even:
                raise Unknown(f"where {r} holds")
            if c is ZERO or not _positive(world, c, zero=True):
                return op in (">", ">=", "!=")
            c, op = rational(_power(c, 1 / power)), op if power > 0 else _TURNED[op]
            c, op = (c, op) if positive else (-c, _TURNED[op])
        else:
            raise Unknown(f"where {r} holds")
        e = e.args[at]
    return Relation(op, e, c)


def _exponent(e: Expr) -> Fraction:
    e = rational(e)
    if e.op != "num" or not e.value:
        raise Unknown("an exponent that is no number")
    return Fraction(e.value)


def _positive(world: World, e: Expr, zero: bool = False) -> bool:
    """Whether a value is positive; it must be certain that it is not 0, or that it is not negative (``zero``)."""
    if world.proved(Relation(">", e, ZERO)):
        return True
    if world.proved(Relation("<=" if zero else "<", e, ZERO)):
        return False
    raise Open(Relation(">", e, ZERO)) if zero else Unknown(f"the sign of {e}")


def _least(world: World, op: str, end: Expr, c: Expr) -> Expr:
    """The minimum or the maximum of an end and a cut, one of them where that is certain."""
    r = Relation("<=" if op == "min" else ">=", c, end)
    if world.proved(r):
        return c
    return end if world.proved(r.negated()) else fold(op, (end, c))


def _power(e: Expr, k: Fraction) -> Expr:
    return e if e is ONE or k == 1 else rational(fold("pow", (e, num(k))))


def powers(world: World, e: Expr, name: str) -> dict[Fraction, Expr]:
    """A term as a sum of powers of the name: exponent -> coefficient."""
    op, a = e.op, e.args
    if name not in e.free:
        return {Fraction(0): e}
    if op == "var":
        return {Fraction(1): ONE}
    if op in ("add", "sub", "neg"):
        found: dict[Fraction, Expr] = {}
        for n, part in enumerate(a):
            for k, c in powers(world, part, name).items():
                found[k] = found.get(k, ZERO) + (-c if op == "neg" or (op == "sub" and n) else c)
        return {k: c for k, c in found.items() if c is not ZERO}
    if op == "mul":
        return _product(powers(world, a[0], name), powers(world, a[1], name))
    if op == "div":
        return _product(powers(world, a[0], name), _raised(world, powers(world, a[1], name), Fraction(-1)))
    if op in ("pow", "sqrt") and name not in (a[1].free if op == "pow" else ()):
        return _raised(world, powers(world, a[0], name), _exponent(a[1]) if op == "pow" else Fraction(1, 2))
    raise Unknown("a term that is no sum of powers")


def _product(a: dict[Fraction, Expr], b: dict[Fraction, Expr]) -> dict[Fraction, Expr]:
    found: dict[Fraction, Expr] = {}
    for (k, x), (m, y) in itertools.product(a.items(), b.items()):
        found[k + m] = found.get(k + m, ZERO) + x * y
    return found


def _raised(world: World, a: dict[Fraction, Expr], p: Fraction) -> dict[Fraction, Expr]:
    if len(a) == 1:
        [(k, c)] = a.items()
        if p.denominator == 1 or c is ONE or _positive(world, c):
            return {k * p: _power(c, p)}
    if p in (2, 3):
        return _product(a, a if p == 2 else _product(a, a))
    raise Unknown("a power of a sum")


def tame(e: Expr) -> bool:
    """Whether a term is bounded by its form where its names are: no quotient, no power that is no product, no log."""
    powers = (n for n in e.walk() if n.op == "pow" and by_chance(n))
    divisors = (n.args[1] for n in e.walk() if n.op == "div")
    natural = all(n.args[1].op == "num" and n.args[1].value >= 0 for n in powers)
    return natural and not any(map(by_chance, divisors)) and all(n.op in _TAME for n in e.walk() if by_chance(n))


def integrable(world: World, e: Expr) -> bool:
    """Whether the mean over signs and uniform numbers exists. Raises :class:`Unknown` where that is not seen."""
    names = of_kind(UNIT, e)
    if len(names) > 1 and tame(e):
        return True
    if len(names) > 1:
        raise Unknown("whether a mean exists")
    known = True
    for value in at_signs(e, world.separate(of_kind(SIGN, e))):
        for name in names:
            for body, low, high in pieces(world, value, Uniform(name), ZERO, ONE):
                if world.proved(Relation(">", low, ZERO)):
                    continue
                found = [(k, c) for k, c in powers(world, body, name).items() if k <= -1]
                if len(found) == 1 and low is ZERO and world.proved(Relation(">", high, ZERO)):
                    _positive(world, found[0][1])  # not 0 for sure
                    return False
                known = known and not found
    if not known:
        raise Unknown("whether a mean exists")
    return True


def total(world: World, e: Expr, count: int, taken: int) -> Total:
    """The sum of ``count`` members like ``e``, whose signs and uniform numbers have the free index j#."""
    names = by_chance(e)
    places = {n: world.places.get(n) for n in names}
    if not names or any(i is None or not any("j#" in x.free for x in i) for i in places.values()):
        raise Unknown("a long sum")
    one, two = var("j#"), var("j#j")
    before, given = world.integers, world.given
    world.integers, world.given = before | {"j#", "j#j"}, (*given, Relation("<", one, two))
    try:
        for a, b in itertools.product(names, repeat=2):  # members at different indices share nothing
            if a[:2] == b[:2]:
                mine, other = places[a] or (), places[b] or ()
                world.differ(mine, tuple(substitute(x, {"j#": two}) for x in other))
    finally:
        world.integers, world.given = before, given
    law: dict[Fraction, Fraction] = {}
    for value, weight in _law(world, e):
        if value.op != "num" or weight.op != "num":
            raise Unknown("the law of a member of a long sum")
        law[value.value] = law.get(value.value, Fraction(0)) + weight.value
    told = tuple(sorted((v, w) for v, w in law.items() if w))
    return Total(f"s#{taken}", told, count, tuple(i for i in places.values() if i))


def _law(world: World, e: Expr) -> Iterator[tuple[Expr, Expr]]:
    """(value, weight) of a term of signs and uniform numbers that is constant piece by piece."""
    signs = world.separate(of_kind(SIGN, e))
    pending = [(value, ONE / 2 ** len(signs)) for value in at_signs(e, signs)]
    while pending:
        body, weight = pending.pop()
        name = min(of_kind(UNIT, body), default=None)
        if name is None:
            yield rational(body), weight
            continue
        for piece, low, high in pieces(world, body, Uniform(name), ZERO, ONE):
            constant = powers(world, piece, name)
            if constant.keys() - {Fraction(0)}:
                raise Unknown("the law of a member of a long sum")
            pending.append((constant.get(Fraction(0), ZERO), rational(weight * (high - low))))
