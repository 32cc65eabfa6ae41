"""Series in a small h > 0 and L = -log h: exact coefficients, rigorous remainders, sums and products."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from boundcheck.kernel.check.algebra import Algebra
from boundcheck.kernel.check.poly import ONE, freeze
from boundcheck.kernel.check.quotients import Ratio
from boundcheck.kernel.enclosure import intervals as iv
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import ZERO, Interval
from boundcheck.kernel.formula import Expr, num

Coefficient = Any  # fmpq or Ratio
Term = tuple[Fraction, Fraction]  # exponents of h and of L
Class = tuple[tuple[Term, Any], ...]  # a divergent exponent A, frozen
POINT0: Interval = (ZERO, ZERO, False, False)
_Z = Fraction(0)


class NoExpansion(ValueError):
    """The formula has no expansion of the supported kind there, or the remainder cannot be bounded."""


class Series:
    """See the module; ``order`` None means exact (no remainder)."""

    __slots__ = ("order", "rest", "terms")

    def __init__(self, terms: dict[Term, Coefficient], order: Fraction | None, rest: dict[Fraction, Interval]):
        self.terms, self.order, self.rest = terms, order, rest

    @property
    def low(self) -> Fraction:
        """The least exponent of h present."""
        found = [e for e, _ in self.terms]
        if self.order is not None:
            found.append(self.order)
        return min(found, default=Fraction(10**9))

    def times(self, e: Fraction, m: Fraction = _Z) -> Series:
        """h^e L^m times the series."""
        terms = {(x + e, y + m): c for (x, y), c in self.terms.items()}
        return Series(terms, None if self.order is None else self.order + e, {y + m: r for y, r in self.rest.items()})


Trans = dict[Class, Series]


class Arithmetic:
    """Sums and products of series, and bounds of their remainders; other variables stay symbolic in a box."""

    def __init__(
        self,
        algebra: Algebra,
        box: dict[str, Interval],
        width: Fraction,
        depth: int,
        clock: Callable[[], None] = lambda: None,
    ):
        self.clock = clock
        self.algebra, self.box, self.depth = algebra, box, depth
        self.width = iv.exact(width)
        self.log_width = -self.width.log()  # L >= log_width > 0
        if not self.log_width > 0:
            raise NoExpansion("the width is 1 to the precision in force")
        self._range: dict[Any, Interval] = {}

    # ---- coefficients

    def c_mul(self, a: Coefficient, b: Coefficient) -> Coefficient:
        """The product of two coefficients."""
        if isinstance(a, fmpq) and isinstance(b, fmpq):
            return a * b
        self.clock()
        return self._lower(self.algebra.times(self._lift(a), self._lift(b)))

    def c_add(self, a: Coefficient, b: Coefficient) -> Coefficient:
        """The sum of two coefficients."""
        if isinstance(a, fmpq) and isinstance(b, fmpq):
            return a + b
        self.clock()
        return self._lower(self.algebra.plus(self._lift(a), self._lift(b)))

    @staticmethod
    def _lift(a: Coefficient) -> Ratio:
        return Ratio({(): a} if a != 0 else {}, ONE) if isinstance(a, fmpq) else a

    @staticmethod
    def _lower(a: Ratio) -> Coefficient:
        if a.den == ONE:
            f = freeze(a.num)
            if isinstance(f, fmpq):
                return f
        return a

    @staticmethod
    def c_zero(a: Coefficient) -> bool:
        """Whether a coefficient is exactly 0; False means unknown."""
        return bool(a == 0) if isinstance(a, fmpq) else a.zero

    def c_expr(self, a: Coefficient) -> Expr:
        """The formula of a coefficient."""
        return num(Fraction(int(a.p), int(a.q))) if isinstance(a, fmpq) else a.expr()

    def range_of(self, a: Coefficient) -> Interval:
        """Enclosure of a coefficient over the box of the other variables."""
        if isinstance(a, fmpq):
            b = arb(a)
            return (b.lower(), b.upper(), False, False)
        e = a.expr()
        found = self._range.get(e)
        if found is None:
            value = enclose(e, self.box)
            if value is None:
                raise NoExpansion("a coefficient is not bounded on the box")
            self._range[e] = found = value
        return found

    # ---- bounds in h

    def h_power(self, e: Fraction, m: Fraction = _Z) -> Interval:
        """{h^e L^m : 0 < h <= width}; e > 0, or e = 0 with m <= 0."""
        if e < 0 or (e == 0 and m > 0):
            raise NoExpansion("unbounded remainder")
        if e == 0:
            return (iv.ZERO if m else iv.ONE, (self.log_width ** iv.exact(m)).upper() if m else iv.ONE, False, False)
        top = self.width ** iv.exact(e)
        if m > 0:  # h^e L^m peaks at L = m/e
            peak = iv.exact(m / e)
            where = self.log_width if self.log_width.lower() >= peak.upper() else peak
            top = (-(iv.exact(e) * where)).exp() * where ** iv.exact(m)
        elif m < 0:
            top = top * self.log_width ** iv.exact(m)
        return (ZERO, top.upper(), True, False)

    def _shed(self, rest: dict[Fraction, Interval], m: Fraction, value: Interval) -> None:
        rest[m] = iv.add(rest[m], value) if m in rest else value

    def _join(self, terms: dict[Term, Coefficient], t: Term, c: Coefficient) -> None:
        """Add c h^e L^m to the terms."""
        total = self.c_add(terms[t], c) if t in terms else c
        if self.c_zero(total):
            terms.pop(t, None)
        else:
            terms[t] = total

    def cut(self, s: Series, order: Fraction) -> Series:
        """Move everything at or beyond h^order into the remainder."""
        if s.order is not None and s.order < order:
            order = s.order
        terms: dict[Term, Coefficient] = {}
        rest: dict[Fraction, Interval] = {}
        moved = False
        for (e, m), c in s.terms.items():
            if e < order:
                terms[e, m] = c
            else:
                moved = True
                self._shed(rest, m, iv.mul(self.range_of(c), self.h_power(e - order)))
        if s.order is not None:
            moved = True
            for m, r in s.rest.items():
                self._shed(rest, m, iv.mul(r, self.h_power(s.order - order)))
        return Series(terms, order if moved else None, rest)

    def _limit(self, s: Series) -> Series:
        levels = sorted({e for e, _ in s.terms})
        if len(levels) > self.depth:
            return self.cut(s, levels[self.depth])
        return s

    def add(self, a: Series, b: Series) -> Series:
        orders = [s.order for s in (a, b) if s.order is not None]
        if orders:
            a, b = self.cut(a, min(orders)), self.cut(b, min(orders))
        terms = dict(a.terms)
        for k, c in b.terms.items():
            self._join(terms, k, c)
        rest = dict(a.rest)
        for m, r in b.rest.items():
            self._shed(rest, m, r)
        return self._limit(Series(terms, min(orders) if orders else None, rest))

    def mul(self, a: Series, b: Series) -> Series:
        """The product of two series, remainders included."""
        self.clock()
        terms: dict[Term, Coefficient] = {}
        orders = []
        if a.order is not None:
            orders.append(a.order + b.low)
        if b.order is not None:
            orders.append(b.order + a.low)
        order = min(orders) if orders and (a.terms or a.rest) and (b.terms or b.rest) else None
        rest: dict[Fraction, Interval] = {}
        levels = {e1 + e2 for e1, _ in a.terms for e2, _ in b.terms}
        if len(levels) > 2 * self.depth:
            limit = sorted(levels)[2 * self.depth]
            order = limit if order is None else min(order, limit)
        for (e1, m1), c1 in a.terms.items():
            for (e2, m2), c2 in b.terms.items():
                e, m = e1 + e2, m1 + m2
                if order is not None and e >= order:
                    bound = iv.mul(iv.mul(self.range_of(c1), self.range_of(c2)), self.h_power(e - order))
                    self._shed(rest, m, bound)
                    continue
                self._join(terms, (e, m), self.c_mul(c1, c2))
        if order is not None:
            for s, t in ((a, b), (b, a)):
                if s.order is not None:
                    for m1, r in s.rest.items():
                        for (e2, m2), c2 in t.terms.items():
                            p = self.h_power(s.order + e2 - order)
                            self._shed(rest, m1 + m2, iv.mul(iv.mul(r, self.range_of(c2)), p))
            if a.order is not None and b.order is not None:
                p = self.h_power(a.order + b.order - order)
                for m1, r1 in a.rest.items():
                    for m2, r2 in b.rest.items():
                        self._shed(rest, m1 + m2, iv.mul(iv.mul(r1, r2), p))
        return self._limit(Series(terms, order, rest))

    def series_range(self, s: Series) -> Interval:
        """{s(h) : 0 < h <= width}; NoExpansion if unbounded."""
        out = POINT0
        for (e, m), c in s.terms.items():
            out = iv.add(out, iv.mul(self.range_of(c), self.h_power(e, m)))
        if s.order is not None:
            for m, r in s.rest.items():
                out = iv.add(out, iv.mul(r, self.h_power(s.order, m)))
        return out
