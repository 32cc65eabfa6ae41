"""Exact rational functions of the parameters, with square roots of rationals as algebraic symbols.

Numerators and denominators are polynomials over the rationals; a symbol that stands for sqrt(c) is reduced by
its square. An equality of two rational functions is decided by an identity of polynomials.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx

from boundcheck.kernel.clock import passed
from boundcheck.kernel.formula import Expr, num

MAX_TERMS = 4_000  #: terms of one polynomial
MAX_PRODUCT = 4_000_000  #: terms of one factor times terms of the other
MAX_POWER = 40


class NotRational(ValueError):
    """A term that is not a rational function of the parameters."""


@dataclass(frozen=True)
class Ratio:
    """``num``/``den``, two polynomials of one field."""

    num: Any
    den: Any


def roots_of(expressions: Iterable[Expr]) -> dict[str, Fraction]:
    """Names for every sqrt(c) with a positive rational c that occurs, with c."""
    found: dict[str, Fraction] = {}
    for e in expressions:
        for node in e.walk():
            c = _radicand(node)
            if c is not None:
                found[_root_name(c)] = c
    return found


def _radicand(node: Expr) -> Fraction | None:
    root = node.op == "sqrt" or (node.op == "pow" and node.args[1] is num(Fraction(1, 2)))
    return Fraction(node.args[0].value) if root and node.args[0].op == "num" and node.args[0].value > 0 else None


def _root_name(c: Fraction) -> str:
    return f"root_{c.numerator}_{c.denominator}_"


class Field:
    """Rational functions in ``names`` (parameters) and in the square roots ``roots`` (name -> radicand).

    Nothing is multiplied after the ``deadline``, in processor time.
    """

    def __init__(self, names: Iterable[str], roots: Mapping[str, Fraction], deadline: float = math.inf):
        own = set(names)
        if clash := own & roots.keys():
            raise NotRational(f"{min(clash)} stands for a square root here; give the parameter another name")
        self.names = (*sorted(own), *sorted(roots))
        self.roots = dict(sorted(roots.items()))
        self.parameters = tuple(n for n in self.names if n not in self.roots)
        self.ctx = fmpq_mpoly_ctx.get(self.names, Ordering.lex)
        self.at = {n: i for i, n in enumerate(self.names)}
        self.zero, self.one = self.constant(0), self.constant(1)
        self.divisors: list[Any] = []  #: every polynomial by which an expression that was read divides
        self.deadline = deadline

    def constant(self, value: Fraction | int) -> Any:
        q = Fraction(value)
        return self.ctx.from_dict({(0,) * len(self.names): fmpq(q.numerator, q.denominator)} if q else {})

    def symbol(self, name: str) -> Any:
        """The polynomial that is one symbol."""
        return self.ctx.gens()[self.at[name]]

    def times(self, p: Any, q: Any) -> Any:
        """The product of two polynomials. Raises :class:`NotRational` where it is too large, or too late."""
        if len(p) * len(q) > MAX_PRODUCT:
            raise NotRational("a product of polynomials is too large")
        if passed(self.deadline):
            raise NotRational("the check took too long")
        return p * q

    def reduce(self, p: Any) -> Any:
        """``p`` with at most the first power of every root."""
        if not self.roots:
            return p
        terms: dict[tuple[int, ...], Any] = {}
        for exponents, c in p.to_dict().items():
            powers = list(exponents)
            for name, radicand in self.roots.items():
                i = self.at[name]
                c = c * fmpq(radicand.numerator, radicand.denominator) ** (powers[i] // 2)
                powers[i] %= 2
            key = tuple(powers)
            terms[key] = terms.get(key, fmpq(0)) + c
        return self.ctx.from_dict({k: c for k, c in terms.items() if c})

    def ratio(self, numerator: Any, denominator: Any | None = None) -> Ratio:
        """The quotient in lowest terms, with a monic denominator."""
        below = self.one if denominator is None else self.reduce(denominator)
        above = self.reduce(numerator)
        if below.is_zero():
            raise NotRational("division by zero")
        if len(above.to_dict()) > MAX_TERMS or len(below.to_dict()) > MAX_TERMS:
            raise NotRational("a polynomial is too large")
        if above.is_zero():
            return Ratio(self.zero, self.one)
        common = above.gcd(below)
        above, below = above / common, below / common
        lead = below.leading_coefficient()
        return Ratio(above / lead, below / lead)

    def number(self, value: Fraction | int) -> Ratio:
        """A rational number."""
        return Ratio(self.constant(value), self.one)

    def add(self, a: Ratio, b: Ratio) -> Ratio:
        if a.den == b.den:
            return self.ratio(a.num + b.num, a.den)
        times = self.times
        return self.ratio(times(a.num, b.den) + times(b.num, a.den), times(a.den, b.den))

    def neg(self, a: Ratio) -> Ratio:
        """-a."""
        return Ratio(-a.num, a.den)

    def sub(self, a: Ratio, b: Ratio) -> Ratio:
        """a - b."""
        return self.add(a, self.neg(b))

    def mul(self, a: Ratio, b: Ratio) -> Ratio:
        """a b."""
        return self.ratio(self.times(a.num, b.num), self.times(a.den, b.den))

    def div(self, a: Ratio, b: Ratio) -> Ratio:
        """a/b."""
        return self.ratio(self.times(a.num, b.den), self.times(a.den, b.num))

    def same(self, a: Ratio, b: Ratio) -> bool:
        """Whether both are one function: a.num b.den = b.num a.den as polynomials."""
        return bool(self.reduce(self.times(a.num, b.den) - self.times(b.num, a.den)).is_zero())

    def read(self, e: Expr) -> Ratio:
        """The rational function that ``e`` is; raises :class:`NotRational`. Divisors are recorded."""
        root = _radicand(e)
        if root is not None and _root_name(root) in self.at:
            return Ratio(self.symbol(_root_name(root)), self.one)
        match e.op:
            case "num":
                return self.number(e.value)
            case "var":
                if e.value not in self.at:
                    raise NotRational(f"{e.value} is not a parameter")
                return Ratio(self.symbol(e.value), self.one)
            case "pow":
                return self._power(e)
            case "neg":
                return self.neg(self.read(e.args[0]))
            case "add" | "sub" | "mul" | "div":
                operation = {"add": self.add, "sub": self.sub, "mul": self.mul, "div": self.divide}[e.op]
                return operation(self.read(e.args[0]), self.read(e.args[1]))
        raise NotRational(f"{e} is not a rational function of the parameters")

    def divide(self, a: Ratio, b: Ratio) -> Ratio:
        """a/b; the divisor is recorded, because it must not vanish."""
        if not b.num.is_constant():
            self.divisors.append(b.num)
        return self.div(a, b)

    def _power(self, e: Expr) -> Ratio:
        exponent = e.args[1]
        if exponent.op != "num" or exponent.value.denominator != 1 or abs(exponent.value) > MAX_POWER:
            raise NotRational(f"{e} is not a rational function of the parameters")
        k = int(exponent.value)
        base, result = self.read(e.args[0]), self.number(1)
        for _ in range(abs(k)):
            result = self.mul(result, base)
        return result if k >= 0 else self.divide(self.number(1), result)

    def encode(self, p: Any) -> list[list[Any]]:
        """A polynomial as JSON-able data."""
        return [[str(c), list(map(int, m))] for m, c in sorted(p.to_dict().items())]

    def decode(self, data: Any) -> Any:
        """The polynomial behind :meth:`encode`'s data; raises ValueError or TypeError."""
        if not isinstance(data, (list, tuple)) or len(data) > MAX_TERMS:
            raise ValueError("a polynomial is a list of terms")
        terms: dict[tuple[int, ...], Any] = {}
        for c, exponents in data:
            key = tuple(exponents)
            if len(key) != len(self.names) or not all(type(k) is int and 0 <= k <= 99 for k in key) or key in terms:
                raise ValueError("exponents do not fit the parameters")
            q = Fraction(c)
            terms[key] = fmpq(q.numerator, q.denominator)
        return self.ctx.from_dict({k: c for k, c in terms.items() if c})
