"""Finite expansions in a small g > 0 with named remainders: the arithmetic behind the proofs of expansions.

A monomial is h**e L**m times exponentials that vanish, with h = g**q and L = -log h. A polynomial maps monomials times
powers of named remainders to exact coefficients of the certificates' checker. Bounds are floating point numbers that
are meant to be true; Rocq proves each.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cmp_to_key
from math import exp, factorial, isfinite, log
from typing import Any

from flint import fmpq

from boundcheck.kernel.check.series import Expander
from boundcheck.kernel.formula import Expr

Klass = tuple[tuple[tuple[Fraction, int, Expr], Fraction], ...]
#: exponents of h and of L, of exponentials exp(-base L**m / h**d), and of remainders
Key = tuple[Fraction, int, Klass, tuple[tuple[str, int], ...]]
Poly = dict[Key, Any]
Z = Fraction(0)
ONE: Key = (Z, 0, (), ())
STATED = 1.003  #: at most so much above a bound is the short rational that is stated
LOGS = Fraction(1, 3)  #: below it g -log g rises


class NoSeries(ValueError):
    """The formula has no expansion of this kind, or its remainder is not small enough."""


class Finer(Exception):
    """The unit of exponents must be divided; the argument is by what."""


def klass(parts: Iterable[tuple[Any, Fraction]]) -> Klass:
    """A product of powers of exponentials, in order."""
    total: dict[Any, Fraction] = {}
    for key, k in parts:
        total[key] = total.get(key, Z) + k
    return tuple(sorted(((key, k) for key, k in total.items() if k), key=lambda t: (t[0][0], t[0][1], str(t[0][2]))))


def times(a: Key, b: Key, sign: int = 1) -> Key:
    """The product (or quotient) of two monomials."""
    powers = dict(a[3])
    for r, k in b[3]:
        powers[r] = powers.get(r, 0) + sign * k
    return (
        a[0] + sign * b[0], a[1] + sign * b[1], klass([*a[2], *((key, sign * k) for key, k in b[2])]),
        tuple(sorted((r, k) for r, k in powers.items() if k)),
    )  # fmt: skip


@dataclass
class Scale:
    """The numbers that belong to a width: g = h**(1/q) <= top, bounds of products with logarithms and exponentials."""

    coefficients: Expander
    width: Fraction
    q: int = 1
    units: dict[Any, Fraction] = field(default_factory=dict)  #: exponential -> what its exponents are multiples of

    def __post_init__(self) -> None:
        self.top = float(rational(float(self.width) ** (1 / self.q)))
        self.least_log = -log(float(self.width)) * (1 - 1e-9)
        g = self.top
        size = self.q * (g * -log(g) if g <= LOGS else exp(-1)) * (1 + 1e-9)
        self.log_bound = float(rational(size))  #: of g L, as it is stated

    # ------------------------------------------------------------ order

    def rate(self, k: Klass) -> int:
        """The sign of the growth of a product of exponentials; 0 for none."""
        if not k:
            return 0
        d, m = max((key[0], key[1]) for key, _ in k)
        low = high = 0.0
        for (d2, m2, base), x in k:
            if (d2, m2) == (d, m):
                a, b = self._ends(base)
                ends = [float(x) * a, float(x) * b]
                low, high = low + min(ends), high + max(ends)
        if low > 0:
            return -1
        if high < 0:
            return 1
        raise NoSeries("exponentials that are not told apart")

    def beyond(self, a: Key, b: Key) -> bool:
        """Whether a is smaller than b next to h = 0."""
        way = self.rate(klass([*a[2], *((key, -k) for key, k in b[2])]))
        if way:
            return way < 0
        return (a[0], -a[1]) > (b[0], -b[1])

    def leading(self, p: Poly) -> Key:
        """The largest monomial. Raises :class:`NoSeries` for none."""
        if not p:
            raise NoSeries("nothing is left")
        return self._largest(p)

    def _largest(self, keys: Iterable[Key]) -> Key:
        return min(keys, key=cmp_to_key(self._compared))

    # ------------------------------------------------------------ bounds

    def _ends(self, base: Expr) -> tuple[float, float]:
        return self.range_of(self.coefficients._lower(self.coefficients.algebra.normal(base)))

    def range_of(self, c: Any) -> tuple[float, float]:
        """The range of a coefficient over the box of the other variables."""
        a = self.coefficients.range_of(c)
        low, high = float(a[0].lower()), float(a[1].upper())
        if not (isfinite(low) and isfinite(high)):
            raise NoSeries("a coefficient without bounds")
        return low, high

    def power(self, e: Fraction) -> int:
        """The exponent of g for one of h."""
        found = e * self.q
        if found.denominator != 1:
            raise Finer(found.denominator)
        return int(found)

    def vanishing(self, k: Klass, least: int) -> tuple[int, int, float, float]:
        """(N, n, c, bound): the product over g**N is at most ``bound`` by exp(-y) <= n!/y**n, c/g**d its exponent."""
        d, m = max((key[0], key[1]) for key, _ in k)
        if d <= 0:
            raise NoSeries("an exponential of logarithms alone")
        rate = 0.0
        for (d2, m2, base), x in k:
            a, b = self._ends(base)
            c = min(float(x) * a, float(x) * b)
            if (d2, m2) == (d, m):
                rate += c * (self.least_log**m if c > 0 else 0)
            elif c < 0:
                i = self.power(d - d2) - m2
                if i < 0:
                    raise Finer(2)
                rate += c * self.top**i * self.log_bound**m2
        if rate <= 0:
            raise NoSeries("an exponential that is not small yet")
        rate = float(below(rate))
        i = self.power(d)
        wanted = max(0, least) if least > 0 else 0
        best = None
        for n in range(max(1, -(-wanted // i)), 41):
            if i * n < wanted:
                continue
            value = log(factorial(n)) - n * log(rate) + (i * n - wanted) * log(self.top)
            if best is None or value < best[1]:
                best = (n, value)
        if best is None or best[1] > 200:
            raise NoSeries("an exponential that is not small yet")
        return wanted, best[0], rate, exp(best[1]) * (1 + 1e-6)

    def size(self, key: Key, bounds: dict[str, float]) -> float:
        """A bound of a monomial that does not grow."""
        e, m, k, rs = key
        found = 1.0
        for r, x in rs:
            found *= bounds[r] ** x
        if m < 0:
            raise NoSeries("a quotient by a logarithm")
        i = self.power(e) - m
        if k:
            if self.rate(k) > 0:
                raise NoSeries("an exponential that grows")
            n, _, _, b = self.vanishing(k, -i)
            return found * b * STATED * self.top ** (i + n) * self.log_bound**m
        if i < 0:
            if e > 0:
                raise Finer(2)
            raise NoSeries("a monomial that grows")
        return found * self.top**i * self.log_bound**m

    def total(self, p: Poly, bounds: dict[str, float]) -> float:
        """A bound of the modulus of a polynomial."""
        return sum(max(map(abs, self.range_of(c))) * self.size(key, bounds) for key, c in p.items()) * (1 + 1e-9)

    def least(self, p: Poly, bounds: dict[str, float]) -> float:
        """A lower bound of a polynomial in which powers of L alone may grow."""
        found = 0.0
        for key, c in p.items():
            low, high = self.range_of(c)
            if key[0] == 0 and not key[2] and not key[3] and key[1] >= 0:
                if key[1] and low < 0:
                    raise NoSeries("a logarithm that falls")
                found += low * self.least_log ** key[1]
            elif key[3]:
                found -= max(-low, high) * self.size(key, bounds)
            else:
                found += min(0.0, low) * self.size(key, bounds)
        return found - 1e-9 * abs(found)

    # ------------------------------------------------------------ sums and products

    def add(self, a: Poly, b: Poly) -> Poly:
        """a + b."""
        out = dict(a)
        for key, c in b.items():
            value = self.coefficients.c_add(out[key], c) if key in out else c
            if self.coefficients.c_zero(value):
                out.pop(key, None)
            else:
                out[key] = value
        return out

    def mul(self, a: Poly, b: Poly) -> Poly:
        """a b."""
        out: Poly = {}
        for x, c in a.items():
            out = self.add(out, {times(x, y): self.coefficients.c_mul(c, d) for y, d in b.items()})
        return out

    def scaled(self, a: Poly, by: Key, c: Any = None, sign: int = 1) -> Poly:
        """a times (over) one monomial."""
        return {times(key, by, sign): x if c is None else self.coefficients.c_mul(x, c) for key, x in a.items()}

    def constant(self, e: Expr) -> Poly:
        """A formula without the variable."""
        c = self.coefficients._lower(self.coefficients.algebra.normal(e))
        return {} if self.coefficients.c_zero(c) else {ONE: c}

    def cut(self, p: Poly, depth: int) -> tuple[Poly, Key | None, Poly]:
        """(kept, M, rest): p = kept + M rest, with all remainders and all that is small in rest."""
        exact = {key: c for key, c in p.items() if not key[3]}
        loose = {key: c for key, c in p.items() if key[3]}
        if exact:
            lead = self.leading(exact)
            small = {k: c for k, c in exact.items() if self._dropped(k, exact, depth)}
        else:
            small = {}
        if not small and not loose:
            return p, None, {}
        if not loose and all(not k[2] for k in exact) and len(exact) <= 3:
            return p, None, {}  # short and exact
        m = self._largest(map(self._bare, (*small, *loose)))
        kept = {k: c for k, c in exact.items() if k not in small and self.beyond(m, k)}
        lost = exact and not kept and self.q < 4
        if lost and any(k[1] > 0 and k[0] > lead[0] and k[2] == lead[2] for k in (*small, *loose)):
            raise Finer(2)  # a logarithm would take a whole power of g
        rest = {times(k, m, -1): c for k, c in p.items() if k not in kept}
        return kept, m, rest

    def _compared(self, a: Key, b: Key) -> int:
        return 1 if self.beyond(a, b) else -1 if self.beyond(b, a) else 0

    def _dropped(self, key: Key, p: Poly, depth: int) -> bool:
        """Whether a monomial is small beside the others: by its power, or by an exponential beyond the first few."""
        larger: list[Key] = []  # the leading monomials of the exponentials, from the largest on
        for k in sorted(p, key=cmp_to_key(self._compared)):
            if all(k[2] != other[2] for other in larger):
                larger.append(k)
        lead = next((k for k in larger[: 1 + depth // 4] if k[2] == key[2]), None)
        if lead is None:
            return True
        limit = (lead[0] + Fraction(depth, self.q), 0, lead[2], ())
        return key == limit or self.beyond(key, limit)

    def _bare(self, key: Key) -> Key:
        """A monomial without logarithms and remainders, of which the key is a bounded multiple."""
        return (key[0] - Fraction(key[1], self.q) if key[1] > 0 else key[0], 0, key[2], ())


def rational(x: float) -> Fraction:
    """A short rational above a positive number."""
    if x <= 0:
        return Fraction(1, 10**9)
    digits = max(0, 4 - int(log(x, 10)))
    unit = Fraction(1, 10**digits)
    return (Fraction(x * 1.002) / unit).__ceil__() * unit


def below(x: float) -> Fraction:
    """A short rational below a positive number."""
    return 1 / rational(1 / x) if x > 0 else Z


def as_written(x: float) -> Fraction:
    """The short rational of which ``x`` is the float."""
    return Fraction(x).limit_denominator(10**12)


def whole(q: Fraction) -> Any:
    """A rational as the checker's."""
    return fmpq(q.numerator, q.denominator)
