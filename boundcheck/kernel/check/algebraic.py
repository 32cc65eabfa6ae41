"""Closed formulas that are exactly 0: algebraic numbers, sums of arctangents, sums of logarithms.

A number built from rationals by + - * /, roots, and cosines and sines of rational multiples of pi is written U/L
with algebraic integers U and L all of whose conjugates are at most u and l in size (Burnikel, Funke, Mehlhorn,
Schirra and Schmitt, "A separation bound for real algebraic expressions", 2001):

    p/q: u = |p|, l = q               a + b: u = u_a l_b + l_a u_b, l = l_a l_b     a b: u = u_a u_b, l = l_a l_b
    a/b: u = u_a l_b, l = l_a u_b     k-th root of a: u = (u_a l_a^(k-1))^(1/k), l = l_a
    cos(r pi) = (2 cos(r pi))/2: u = l = 2

U lies in a field of degree at most D, the product of the indices of the different roots and of n for the angles, all
of them multiples of 2 pi/n. The norm of U is an integer, so U != 0 gives |U| >= u^(1-D) and |U/L| >= 1/(l u^(D-1)).
A ball below that in size that holds 0 is 0. Sizes are kept as upper bounds of their binary logarithms.

A sum of arctangents with integer factors is the argument of a product of complex numbers: it is a multiple of pi where
that product is real, and 0 where it is below 3 in size besides. A sum of logarithms is 0 where a product is 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any

from flint import arb, ctx

from boundcheck.kernel.enclosure import points
from boundcheck.kernel.formula import Expr, call, const, num

MOST_BITS = 60_000  #: of the ball that decides; a larger separation bound is no answer
MOST_FACTOR = 200  #: of an arctangent or a logarithm in a sum
MOST_ANGLE = 120  #: denominator of a multiple of pi that is guessed
_ZERO, _ONE = num(0), num(1)


class _Other(ValueError):
    """The formula is none of the kinds that are decided here."""


@dataclass(frozen=True)
class _Size:
    """Upper bounds of log2 of the conjugates of U and L."""

    u: Fraction
    l: Fraction


@lru_cache(maxsize=2048)
def is_zero(e: Expr) -> bool:
    """True only if the closed formula ``e`` is defined and exactly 0."""
    if e.free:
        return False
    for test in (_vanishes, _arguments, _logarithms):
        try:
            if test(e):
                return True
        except (_Other, RecursionError, OverflowError, ZeroDivisionError):
            continue
    return False


def _ball(e: Expr, bits: int) -> Any:
    with ctx.workprec(bits):
        return points.as_arb(points.value_at(e, {}))


# ---------------------------------------------------------------- algebraic numbers


class _Reader:
    """The sizes of the nodes of one formula, its roots and the order of its angles."""

    def __init__(self) -> None:
        self.memo: dict[Expr, _Size] = {}
        self.roots: dict[tuple[Expr, int], int] = {}
        self.order = 1

    def size(self, e: Expr) -> _Size:
        found = self.memo.get(e)
        if found is None:
            found = self.memo[e] = self._size(e)
        return found

    def _size(self, e: Expr) -> _Size:
        match e.op:
            case "num":
                return _Size(_log2(e.value.numerator), _log2(e.value.denominator))
            case "neg":
                return self.size(e.args[0])
            case "add" | "sub":
                a, b = map(self.size, e.args)
                return _Size(max(a.u + b.l, a.l + b.u) + 1, a.l + b.l)
            case "mul":
                a, b = map(self.size, e.args)
                return _Size(a.u + b.u, a.l + b.l)
            case "div":
                a, b = map(self.size, e.args)
                return _Size(a.u + b.l, a.l + b.u)
            case "sqrt":
                return self._root(e.args[0], 2)
            case "abs":
                return self.size(e.args[0])
            case "pow":
                return self._power(*e.args)
            case "cos" | "sin" | "tan":
                return self._angle(e)
        raise _Other(e.op)

    def _root(self, base: Expr, k: int) -> _Size:
        a = self.size(base)
        self.roots[base, k] = k
        return _Size((a.u + (k - 1) * a.l) / k, a.l)

    def _power(self, base: Expr, exponent: Expr) -> _Size:
        q = _literal(exponent)
        if q is None or abs(q.numerator) > MOST_FACTOR or q.denominator > MOST_FACTOR:
            raise _Other("a power")
        a = self._root(base, q.denominator)
        n = abs(q.numerator)
        return _Size(n * a.u, n * a.l) if q > 0 else _Size(n * a.l, n * a.u)

    def _angle(self, e: Expr) -> _Size:
        r = _turn(e.args[0])
        if r is None:
            raise _Other("an angle that is no multiple of pi")
        self.order = lcm(self.order, 2 * r.denominator, 4)
        return _Size(Fraction(1), Fraction(1)) if e.op != "tan" else _Size(Fraction(2), Fraction(2))

    @property
    def degree(self) -> int:
        product = self.order
        for k in self.roots.values():
            product *= k
        return product


def _log2(n: int) -> Fraction:
    return Fraction(max(abs(n) - 1, 0).bit_length())


def _literal(e: Expr) -> Fraction | None:
    return e.value if e.op == "num" else None


def _vanishes(e: Expr) -> bool:
    reader = _Reader()
    size = reader.size(e)
    bits = int(size.l + (reader.degree - 1) * max(size.u, Fraction(0))) + 2
    if bits > MOST_BITS or abs(_ball(e, 128)) > 0:
        return False
    value = _ball(e, bits + int(size.u + size.l) + 128)
    return bool(value.contains(0) and abs(value).upper() < arb(2) ** -bits)


@lru_cache(maxsize=2048)
def _turn(angle: Expr) -> Fraction | None:
    """r with angle = r*pi exactly; a guess counts only if the difference is proved to be 0."""
    if (r := _multiple(angle)) is not None:
        return r
    with ctx.workprec(256):
        x = points.as_arb(points.value_at(angle, {})) / arb.pi()
        for d in range(1, MOST_ANGLE + 1):
            n = (x * d).unique_fmpz()
            if n is not None:
                r = Fraction(int(n), d)
                return r if _arguments(angle - num(r) * const("pi")) else None
    return None


def _multiple(e: Expr) -> Fraction | None:
    """r where the formula is r*pi by its form."""
    try:
        terms = list(_terms(e, Fraction(1)))
    except _Other:
        return None
    return sum((c for c, _ in terms), Fraction(0)) if all(t is _PI for _, t in terms) else None


# ---------------------------------------------------------------- sums of arctangents and of logarithms

_PI = const("pi")
_ARCS = ("atan", "asin", "acos")


def _terms(e: Expr, c: Fraction) -> Iterator[tuple[Fraction, Expr]]:
    """(factor, term) of a sum; a term is pi or a function value. Raises _Other."""
    if e is _PI or e.op in (*_ARCS, "log"):
        yield c, e
    elif e.op == "neg":
        yield from _terms(e.args[0], -c)
    elif e.op in ("add", "sub"):
        yield from _terms(e.args[0], c)
        yield from _terms(e.args[1], c if e.op == "add" else -c)
    elif e.op == "mul" and (q := _literal(e.args[0])) is not None:
        yield from _terms(e.args[1], c * q)
    elif e.op in ("mul", "div") and (q := _literal(e.args[1])) is not None and q != 0:
        yield from _terms(e.args[0], c * q if e.op == "mul" else c / q)
    elif e.op != "num" or e.value != 0:
        raise _Other("a term of another kind")


def _whole(e: Expr, heads: tuple[str, ...]) -> tuple[int, list[tuple[int, Expr]], Fraction]:
    """(m, [(n, term)], r) with m*e = sum of n*term + r*pi and integers n."""
    found: dict[Expr, Fraction] = {}
    turns = Fraction(0)
    for c, term in _terms(e, Fraction(1)):
        if term is _PI:
            turns += c
        elif term.op in heads:
            found[term] = found.get(term, Fraction(0)) + c
        else:
            raise _Other(term.op)
    m = lcm(1, *(c.denominator for c in found.values()))
    whole = [(int(c * m), term) for term, c in found.items() if c]
    if not whole or sum(abs(n) for n, _ in whole) > MOST_FACTOR:
        raise _Other("no such sum")
    return m, whole, turns * m


def _arguments(e: Expr) -> bool:
    """Is a sum of arctangents, arcsines, arccosines and a multiple of pi exactly 0?"""
    m, terms, r = _whole(e, _ARCS)
    value = _ball(e, 128) * m
    if not (value.is_finite() and abs(value) < 3):
        return False
    z = (call("cos", num(r) * _PI), call("sin", num(r) * _PI)) if r.denominator != 1 else (_ONE, _ZERO)
    for n, term in terms:
        a = term.args[0]
        if term.op == "atan":
            factor = (_ONE, a)
        else:
            other = call("sqrt", 1 - a * a)
            factor = (other, a) if term.op == "asin" else (a, other)
        if n < 0:
            factor = (factor[0], -factor[1])
        z = _times(z, _raised(factor, abs(n)))
    return _vanishes(z[1])


def _times(z: tuple[Expr, Expr], w: tuple[Expr, Expr]) -> tuple[Expr, Expr]:
    return z[0] * w[0] - z[1] * w[1], z[0] * w[1] + z[1] * w[0]


def _raised(z: tuple[Expr, Expr], n: int) -> tuple[Expr, Expr]:
    result = (_ONE, _ZERO)
    while n:
        if n % 2:
            result = _times(result, z)
        z, n = _times(z, z), n // 2
    return result


def _logarithms(e: Expr) -> bool:
    """Is a sum of logarithms of algebraic numbers exactly 0?"""
    _, terms, r = _whole(e, ("log",))
    if r != 0:
        return False
    product = _ONE
    for n, term in terms:
        product = product * term.args[0] ** num(n)
    return bool(_ball(e, 128).is_finite()) and _vanishes(product - 1)
