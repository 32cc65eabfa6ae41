"""Rigorous sums over integers: term by term, the tail of an infinite or long one by Euler-Maclaurin.

sum_{k>=N} f(k) = int_N^oo f + f(N)/2 - sum_j B_2j/(2j)! f^(2j-1)(N) + R,
|R| <= 2 zeta(p)/(2 pi)^p int_N^oo |f^(p)|  (p even; DLMF 2.10(i)),
with the last integral bounded by :mod:`boundcheck.kernel.enclosure.growth`. Where the terms fall fast the tail is
bounded by int_{N-1}^oo of their majorant. NaN where convergence is not proved, or the budget is spent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flint import arb, ctx, fmpq

from boundcheck.kernel.clock import exhausted
from boundcheck.kernel.derivative import NotDifferentiable, derivative
from boundcheck.kernel.enclosure import points
from boundcheck.kernel.enclosure.growth import Scale
from boundcheck.kernel.enclosure.integrals import integral
from boundcheck.kernel.enclosure.intervals import INF, Interval, Whole, ball, between
from boundcheck.kernel.enclosure.ranges import Box, evaluate
from boundcheck.kernel.enclosure.straight_line import exact_of, integer_of, spelled
from boundcheck.kernel.formula import Expr, const

NAN = arb.nan()
MOST_TERMS = 20_000  #: a longer finite sum needs Euler-Maclaurin, or is NaN
_FIRST_TERMS = (16, 64, 256)  #: terms added one by one before the tail
_ORDER = 8  #: p in Euler-Maclaurin


def summation(node: Expr, lo: Interval, hi: Interval, env: Box) -> Any:
    """An ``arb`` that contains sum(body, k, lo, hi); the ends must be integers (or hi = oo); 0 if hi < lo."""
    body, name = node.args[0], node.args[1].value
    first = _integer(lo)
    outer = {k: v for k, v in env.items() if v is not None and k in body.free and k != name}
    if first is None or not body.free - {name} <= outer.keys():
        return NAN
    series = _Sum(body, name, outer)
    if hi[0] == INF:
        return series.infinite(first)
    last = _integer(hi)
    if last is None:
        return NAN
    if last < first:
        return arb(0)
    if last - first < MOST_TERMS:
        return series.direct(first, last)
    return series.long(first, last)


def _integer(a: Interval) -> int | None:
    return integer_of(a[0]) if a[0] == a[1] and a[0].is_integer() else None


class _Sum:
    def __init__(self, body: Expr, name: str, outer: Mapping[str, Interval]):
        self.body, self.name, self.outer = body, name, outer
        self.integers = frozenset({name, *(k for k, v in outer.items() if isinstance(v, Whole))})
        self.exact = all(v[0] == v[1] and spelled(v[0]) for v in outer.values())
        self.values = {k: exact_of(v[0]) for k, v in outer.items()} if self.exact else {}

    def term(self, e: Expr, k: int) -> Any:
        if self.exact:
            return points.as_arb(points.value_at(e, {**self.values, self.name: fmpq(k)}, self.integers))
        at = Whole(between(arb(k), arb(k)))
        return ball(evaluate(e, {**self.outer, self.name: at}))

    def direct(self, first: int, last: int) -> Any:
        total = arb(0)
        for k in range(first, last + 1):
            total = total + self.term(self.body, k)
            if total.is_nan() or exhausted():
                return NAN
        return total

    def infinite(self, first: int) -> Any:
        best, done, total = NAN, first, arb(0)
        for count in _FIRST_TERMS:
            if exhausted():
                break
            start = max(first, 1) + count
            total, done = total + self.direct(done, start - 1), start
            if total.is_nan():
                return best if exhausted() else NAN
            for tail in (self._majorant(start), self._euler_maclaurin(start, None)):
                value = total + tail
                if value.is_finite() and (best.is_nan() or value.rad() < best.rad()):
                    best = value
            if best.is_finite() and best.rad() <= max(abs(best).upper(), arb(1)) * arb(2) ** (8 - ctx.prec):
                break
        return best

    def long(self, first: int, last: int) -> Any:
        """A finite sum by the difference of what stands before and after it in Euler-Maclaurin."""
        start = max(first, 1) + 256
        if last < start:  # the remainder is bounded beyond the start only
            return NAN
        return self.direct(first, start - 1) + self._euler_maclaurin(start, last)

    def _majorant(self, start: int) -> Any:
        """sum_{k>=start} |f(k)| <= int_{start-1}^oo C*t**a."""
        W = arb(start - 1)
        bound = Scale(self.name, self.outer, W).bound(self.body)
        if bound is None or not bound.C < INF or not bound.a + 1 < 0:
            return NAN
        return arb(0, (bound.C * W ** (bound.a + 1) / -(bound.a + 1)).upper())

    def _euler_maclaurin(self, start: int, last: int | None) -> Any:
        """sum from ``start`` to ``last`` (None: oo)."""
        try:
            derivatives = [self.body]
            for _ in range(_ORDER):
                if exhausted():
                    return NAN
                derivatives.append(derivative(derivatives[-1], self.name))
        except NotDifferentiable:
            return NAN
        W = arb(start)
        bound = Scale(self.name, self.outer, W).bound(derivatives[_ORDER])
        if bound is None or not bound.C < INF or not bound.a + 1 < 0:
            return NAN
        end = INF if last is None else arb(last)
        whole = Expr("integral", (self.body, Expr("var", (), self.name), const("E"), const("oo")))
        total = integral(whole, between(W, W), between(end, end), self.outer) + self.term(self.body, start) / 2
        if last is not None:
            total = total + self.term(self.body, last) / 2
        for j in range(1, _ORDER // 2 + 1):
            factor = arb.bernoulli(2 * j) / arb.fac_ui(2 * j)
            slope = derivatives[2 * j - 1]
            total = total - factor * self.term(slope, start)
            if last is not None:
                total = total + factor * self.term(slope, last)
        rest = (bound.C * W ** (bound.a + 1) / -(bound.a + 1)).upper()
        return total + arb(0, (rest * 2 * arb(_ORDER).zeta() / (2 * arb.pi()) ** _ORDER).upper())
