"""Sums of rational coefficients times power products: the carrier of the normal form.

A :class:`Poly` maps monomials to rational coefficients; a monomial is a set of (base, exponent) with
an exponent that is a rational number or again a Poly. Bases are tuples:

    ("n", k)        a positive integer that is not split further
    ("c", "E"|"pi") a constant
    ("s", name)     a variable
    ("f", name, arguments)   an opaque function value
    ("p", poly)     an irreducible sum, primitive, leading coefficient positive

Polynomial division and factoring are exact (python-flint ``fmpq_mpoly``). Nothing here knows a sign:
that a**x * a**y = a**(x+y) is used for every base, so the caller must keep non-integer exponents to
bases that are positive (or nonnegative with positive exponents).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from math import floor, gcd, lcm
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx

Base = tuple[Any, ...]
Exponent = Any  # Fraction | Poly
Mono = frozenset[tuple[Base, Exponent]]
MAX_TERMS = 4000  #: a longer sum gives up
MAX_DEGREE = 400  #: a higher exact power of a sum gives up


class TooLarge(Exception):
    """The normal form grew beyond its caps; nothing is decided."""


class Poly:
    """An immutable sum; equal sums of equal monomials are equal."""

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: dict[Mono, Fraction]):
        if len(terms) > MAX_TERMS:
            raise TooLarge(f"more than {MAX_TERMS} terms")
        self.terms = terms
        self._hash: int | None = None

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Poly) and self.terms == other.terms

    def __repr__(self) -> str:
        return f"Poly({key(self)})"

    @property
    def constant(self) -> Fraction | None:
        """The value of a rational constant, else None."""
        if not self.terms:
            return Fraction(0)
        return self.terms.get(UNIT) if len(self.terms) == 1 else None

    def __add__(self, other: Poly) -> Poly:
        terms = dict(self.terms)
        for m, c in other.terms.items():
            total = terms.get(m, 0) + c
            if total:
                terms[m] = total
            else:
                del terms[m]
        return Poly(terms)

    def __neg__(self) -> Poly:
        return self.scaled(Fraction(-1))

    def __sub__(self, other: Poly) -> Poly:
        return self + (-other)

    def scaled(self, factor: Fraction) -> Poly:
        """factor times the polynomial."""
        return Poly({m: c * factor for m, c in self.terms.items()}) if factor else ZERO

    def __mul__(self, other: Poly) -> Poly:
        if len(self.terms) * len(other.terms) > 40 * MAX_TERMS:
            raise TooLarge("a product of long sums")
        result: dict[Mono, Fraction] = {}
        rest = ZERO
        for m1, c1 in self.terms.items():
            for m2, c2 in other.terms.items():
                product = _merge(m1, m2)
                for m, c in product.terms.items():
                    if len(product.terms) == 1:
                        result[m] = result.get(m, Fraction(0)) + c * c1 * c2
                    else:
                        rest += Poly({m: c * c1 * c2})
        return Poly({m: c for m, c in result.items() if c}) + rest


UNIT: Mono = frozenset()
ZERO = Poly({})
ONE = Poly({UNIT: Fraction(1)})


def number(value: Fraction | int) -> Poly:
    """A constant polynomial."""
    return Poly({UNIT: Fraction(value)}) if value else ZERO


def generator(base: Base, exponent: Exponent = Fraction(1)) -> Poly:
    """base**exponent with exact powers of integers and sums worked out."""
    return _product({base: exponent})


def symbol(name: str) -> Poly:
    """The polynomial that is one variable."""
    return generator(("s", name))


def as_exponent(p: Poly) -> Exponent:
    """A canonical exponent: a Fraction if constant."""
    q = canonical(p)
    c = q.constant
    return q if c is None else c


def exponent_poly(e: Exponent) -> Poly:
    """An exponent as a polynomial."""
    return e if isinstance(e, Poly) else number(e)


def _add_exponents(a: Exponent, b: Exponent) -> Exponent:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a + b
    return as_exponent(exponent_poly(a) + exponent_poly(b))


def _merge(m1: Mono, m2: Mono) -> Poly:
    exponents = dict(m1)
    for base, e in m2:
        exponents[base] = _add_exponents(exponents[base], e) if base in exponents else e
    return _product(exponents)


def constant_part(e: Exponent) -> Fraction:
    """The constant term of an exponent."""
    return e if isinstance(e, Fraction) else e.terms.get(UNIT, Fraction(0))


def _product(exponents: dict[Base, Exponent]) -> Poly:
    coefficient = Fraction(1)
    kept: dict[Base, Exponent] = {}
    sums: list[tuple[Poly, int]] = []
    for base, e in exponents.items():
        if e == 0:
            continue
        if base[0] == "n":
            whole = floor(constant_part(e))
            if abs(whole) > 4 * MAX_DEGREE:
                raise TooLarge("a huge power of a number")
            coefficient *= Fraction(base[1]) ** whole
            e = e - whole if isinstance(e, Fraction) else e - number(whole)
            if e == 0:
                continue
        if base[0] == "p" and isinstance(e, Fraction) and e.denominator == 1 and e > 0:
            sums.append((base[1], int(e)))
            continue
        kept[base] = e
    result = Poly({frozenset(kept.items()): coefficient})
    for p, n in sums:
        result = result * integer_power(p, n)
    return result


def integer_power(p: Poly, n: int) -> Poly:
    """p**n for n >= 0 by squaring."""
    if n > MAX_DEGREE and len(p.terms) > 1:
        raise TooLarge(f"power {n} of a sum")
    if len(p.terms) == 1:
        (m, c), *_ = p.terms.items()
        if abs(c) != 1 and n > 10 * MAX_DEGREE:
            raise TooLarge(f"power {n} of a number")
        return _product({b: scale_exponent(e, Fraction(n)) for b, e in m}).scaled(c**n)
    result, square = ONE, p
    while n:
        if n & 1:
            result = result * square
        n >>= 1
        if n:
            square = square * square
    return result


def scale_exponent(e: Exponent, factor: Fraction) -> Exponent:
    """factor times the exponent."""
    return e * factor if isinstance(e, Fraction) else e.scaled(factor)


def multiply_exponents(a: Exponent, b: Exponent) -> Exponent:
    """The product of two exponents."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a * b
    return as_exponent(exponent_poly(a) * exponent_poly(b))


# ------------------------------------------------------------------ a fixed order


@lru_cache(maxsize=50_000)
def key(item: Any) -> str:
    """A text that orders polys, monomials, bases and exponents, the same in every run."""
    if isinstance(item, Poly):
        return "[" + "+".join(sorted(f"{c}*{key(m)}" for m, c in item.terms.items())) + "]"
    if isinstance(item, frozenset):
        return ".".join(sorted(f"{key(b)}^{key(e)}" for b, e in item))
    if isinstance(item, tuple):
        return "(" + ",".join(map(key, item)) + ")"
    return str(item)


# ------------------------------------------------------------------ translation to flint

Generator = tuple[Base, Mono]  # base ** (monomial of the exponent)


def _split_exponent(e: Exponent) -> list[tuple[Mono, Fraction]]:
    return [(UNIT, e)] if isinstance(e, Fraction) else list(e.terms.items())


class Ring:
    """A polynomial ring with a variable base**(m/D) for each base and exponent monomial in use."""

    def __init__(self, polys: Iterable[Poly]):
        steps: dict[Generator, int] = {}
        self.low: dict[Generator, Fraction] = {}
        for p in polys:
            for mono in p.terms:
                for base, e in mono:
                    for m, c in _split_exponent(e):
                        g = (base, m)
                        steps[g] = lcm(steps.get(g, 1), c.denominator)
                        self.low[g] = min(self.low.get(g, Fraction(0)), c)
        self.generators = sorted(steps, key=lambda g: (key(g[0]), key(g[1])))
        self.steps = steps
        names = [f"g{i}" for i in range(len(self.generators))] or ["g0"]
        self.context = fmpq_mpoly_ctx.get(names, Ordering.lex)

    def lift(self, p: Poly, shift: bool = True) -> Any:
        """p, with ``shift`` times the monomial that makes all exponents of the ring nonnegative."""
        index = {g: i for i, g in enumerate(self.generators)}
        width = max(len(self.generators), 1)
        data = {}
        for mono, c in p.terms.items():
            exponents = [0] * width
            for g, i in index.items():
                exponents[i] = int(-self.low[g] * self.steps[g]) if shift else 0
            for base, e in mono:
                for m, x in _split_exponent(e):
                    exponents[index[(base, m)]] += int(x * self.steps[(base, m)])
            if max(exponents) > 100 * MAX_DEGREE:
                raise TooLarge("a degree beyond the cap")
            data[tuple(exponents)] = fmpq(c.numerator, c.denominator)
        return self.context.from_dict(data)

    def lower(self, element: Any, shift: bool = False) -> Poly:
        """The Poly of a ring element; ``shift`` takes the monomial of :meth:`lift` out again."""
        total = ZERO
        for exponents, c in element.to_dict().items():
            parts: dict[Base, Poly] = {}
            for g, k in zip(self.generators, exponents, strict=False):
                value = Fraction(int(k), self.steps[g]) + (self.low[g] if shift else 0)
                if value:
                    parts[g[0]] = parts.get(g[0], ZERO) + Poly({g[1]: value})
            mono = {b: as_exponent(e) for b, e in parts.items()}
            total += _product(mono).scaled(Fraction(int(c.p), int(c.q)))
        return total


# ------------------------------------------------------------------ canonical fractions and factors


def _sum_bases(p: Poly) -> set[Base]:
    return {b for m in p.terms for b, _ in m if b[0] == "p"}


@lru_cache(maxsize=20_000)
def _rank(base: Base) -> tuple[int, str]:
    """The nesting depth of a sum, then the fixed order: outer sums are cleared first."""
    inner = [_rank(b)[0] for b in _sum_bases(base[1])]
    return 1 + max(inner, default=0), key(base)


def canonical(p: Poly) -> Poly:
    """p over a common denominator, cancelled: equal rational functions of the bases get equal forms."""
    return _cleared(p, None)


def _cleared(p: Poly, below: tuple[int, str] | None) -> Poly:
    """:func:`canonical` for the sum bases that rank below ``below``, outermost first."""
    bases = [b for b in _sum_bases(p) if below is None or _rank(b) < below]
    if not bases:
        return p
    base = max(bases, key=_rank)
    groups: dict[Exponent, list[tuple[Mono, Fraction, int]]] = {}
    for mono, c in p.terms.items():
        e = dict(mono).get(base, Fraction(0))
        whole = floor(constant_part(e))
        rest = as_exponent(exponent_poly(e) - number(whole))
        groups.setdefault(rest, []).append((frozenset(f for f in mono if f[0] != base), c, whole))
    total = ZERO
    for rest, members in groups.items():
        total += _one_fraction(base, rest, members)
    return total


def _one_fraction(base: Base, rest: Exponent, members: list[tuple[Mono, Fraction, int]]) -> Poly:
    low = min(whole for _, _, whole in members)
    numerator = ZERO
    for mono, c, whole in members:
        numerator += Poly({mono: c}) * integer_power(base[1], whole - low)
    numerator = _cleared(numerator, _rank(base))
    if not numerator.terms:
        return ZERO
    if low < 0 or rest != 0:
        numerator, times = _divide_out(numerator, base[1])
        low += times
    e = _add_exponents(rest, Fraction(low))
    if isinstance(e, Fraction) and e.denominator == 1 and e >= 0:
        return numerator * integer_power(base[1], int(e))
    return Poly({mono | {(base, e)}: c for mono, c in numerator.terms.items()})


def _divide_out(p: Poly, divisor: Poly) -> tuple[Poly, int]:
    ring = Ring((p, divisor))
    element, d = ring.lift(p), ring.lift(divisor, shift=False)
    times = 0
    while times < MAX_DEGREE:
        quotient, remainder = divmod(element, d)
        if not remainder.is_zero():
            break
        element, times = quotient, times + 1
        if element.is_zero():
            return ZERO, times
    if not times:
        return p, 0
    return ring.lower(element, shift=True), times


@lru_cache(maxsize=4096)
def factor(p: Poly) -> tuple[Fraction, tuple[tuple[Base, Exponent], ...]]:
    """p = coefficient * product of base**exponent; the sum bases are irreducible and primitive."""
    p = canonical(p)
    if not p.terms:
        return Fraction(0), ()
    if len(p.terms) == 1:
        (mono, c), *_ = p.terms.items()
        return c, tuple(sorted(mono, key=key))
    ring = Ring((p,))
    lifted = ring.lift(p)
    coefficient, factors = lifted.factor()
    total = Fraction(int(coefficient.p), int(coefficient.q))
    exponents: dict[Base, Exponent] = {}

    def put(base: Base, e: Exponent) -> None:
        exponents[base] = _add_exponents(exponents[base], e) if base in exponents else e

    for g in ring.generators:
        if ring.low[g]:
            put(g[0], as_exponent(Poly({g[1]: ring.low[g]})))
    for element, times in factors:
        piece = ring.lower(element)
        n = int(times)
        if len(piece.terms) == 1:
            (mono, c), *_ = piece.terms.items()
            total *= c**n
            for b, e in mono:
                put(b, scale_exponent(e, Fraction(n)))
            continue
        c, primitive = primitive_part(piece)
        total *= c**n
        put(("p", primitive), Fraction(n))
    return total, tuple(sorted(((b, e) for b, e in exponents.items() if e != 0), key=key))


def primitive_part(p: Poly) -> tuple[Fraction, Poly]:
    """p = c * q with coprime integer coefficients in q, the leading one (in the fixed order) positive."""
    denominator, numerator = 1, 0
    for c in p.terms.values():
        denominator = lcm(denominator, c.denominator)
    for c in p.terms.values():
        numerator = gcd(numerator, int(c * denominator))
    content = Fraction(numerator, denominator)
    if p.terms[max(p.terms, key=key)] < 0:
        content = -content
    return content, p.scaled(1 / content)


@lru_cache(maxsize=4096)
def prime_powers(n: int) -> tuple[tuple[int, int], ...]:
    """n >= 1 as a product of powers by trial division; a large rest stays as it is."""
    found = []
    d = 2
    while d * d <= n and d < 20_000:
        times = 0
        while n % d == 0:
            n //= d
            times += 1
        if times:
            found.append((d, times))
        d += 1 if d == 2 else 2
    if n > 1:
        found.append((n, 1))
    return tuple(found)
