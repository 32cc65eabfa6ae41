"""Rigorous integrals: Gauss-Legendre with error bounds (``acb.integral``), improper ends by proved growth.

An end at oo is reached by t = e^v, a singular finite end by t = end +- e^-v; what is cut off is
bounded by :mod:`boundcheck.kernel.enclosure.growth`. Kinks (abs, min, max) are met by bisection. The integrand
must be provably defined on the open range; otherwise, or where convergence is not proved or the budget is spent, NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from flint import acb, arb, ctx

from boundcheck.kernel.clock import exhausted
from boundcheck.kernel.enclosure import complexes, intervals
from boundcheck.kernel.enclosure.growth import Scale
from boundcheck.kernel.enclosure.intervals import INF, NINF, Interval, around, ball, between, bounded
from boundcheck.kernel.enclosure.quadrature import GivenUp, integrate
from boundcheck.kernel.enclosure.ranges import Box, evaluate
from boundcheck.kernel.enclosure.straight_line import fraction_of
from boundcheck.kernel.formula import Expr, num, substitute, var

NAN = arb.nan()
_STEPS = 14  #: doublings of the cut-off in log scale
_PIECES = 400  #: pieces of the range in the proof of definedness
_EVALUATIONS = 30_000  #: integrand values in one call of acb.integral


def integral(node: Expr, lo: Interval, hi: Interval, env: Box) -> Any:
    """An ``arb`` that contains integral(body, t, lo, hi) for all parameters in ``env``; NaN if not certified."""
    body, name = node.args[0], node.args[1].value
    outer = {k: v for k, v in env.items() if v is not None and k in body.free and k != name}
    if not body.free - {name} <= outer.keys():
        return NAN
    if lo[:2] == hi[:2] and lo[0] == lo[1]:
        return arb(0) if lo[0].is_finite() else NAN  # from oo to oo there is no range
    if lo[0] >= hi[1]:
        flipped = Expr(node.op, (body, node.args[1], node.args[3], node.args[2]))
        return -integral(flipped, hi, lo, env)
    if (lo[0] == NINF < lo[1]) or (hi[0] < INF == hi[1]):
        return NAN  # an end that may be any large number is not oo
    if not lo[1] <= hi[0]:
        height = evaluate(body, {**outer, name: intervals.hull((lo, hi))})
        return NAN if height is None else ball(intervals.mul(height, intervals.sub(hi, lo)))
    power = _power(body, name, lo, hi, outer)
    if power is not None:
        return power
    total = _Integral(body, name, outer).over(lo, hi, node.args[2], node.args[3])
    return total if total.is_finite() else NAN


def _power(body: Expr, name: str, lo: Interval, hi: Interval, outer: Box) -> Any | None:
    """int t^c dt = (hi^(c+1) - lo^(c+1))/(c+1) over 0 < lo < hi < oo (c = -1: log(hi/lo)), where it loses no digits.

    Ends of 10^300 and more are beyond quadrature.
    """
    if body.op != "pow" or body.args[0] != var(name) or name in body.args[1].free:
        return None
    if not (lo[0] > 0 and hi[1] < INF):
        return None
    exponent = evaluate(body.args[1], outer)
    if exponent is None:
        return None
    a, b, e = ball(lo), ball(hi), ball(exponent) + 1
    value = (b / a).log() if e == 0 else (b**e - a**e) / e
    return value if value.is_finite() and value.rel_accuracy_bits() >= ctx.prec // 2 else None


@dataclass(frozen=True)
class _Change:
    """A change of variable t(v) with its factor t'(v) (None: 1) and the bits that cancel per unit of v."""

    t: Callable[[Any], Any]
    factor: Callable[[Any, Any], Any] | None
    extra_bits: int


class _Integral:
    """One integrand with its parameters; all methods return an ``arb``, NaN if not certified."""

    def __init__(self, body: Expr, name: str, outer: Mapping[str, Interval]):
        self.body, self.name, self.outer = body, name, outer
        self.balls = {k: acb(ball(v)) for k, v in outer.items()}
        widths = [(v[1] - v[0]).upper() / max(abs(v[0]), abs(v[1]), arb(1)) for v in outer.values()]
        width = max(widths, default=arb(0))
        self.wide = bool(width > arb(2) ** (-ctx.prec // 2))
        self.tolerance = max((width / 16).upper(), arb(2) ** (-ctx.prec))

    def over(self, lo: Interval, hi: Interval, low: Expr, high: Expr) -> Any:
        """The integral from lo to hi, lo <= hi; ``low`` and ``high`` are the formulas of the ends."""
        if lo[0] == NINF and hi[1] == INF:
            zero = between(arb(0), arb(0))
            return self._mirrored().ray(zero) + self.ray(zero)
        if lo[0] == NINF:
            return self._mirrored().ray(intervals.neg(hi))
        if hi[1] == INF:
            return self.ray(lo, low)
        return self._corrected(lo, hi, lambda a, b: self._finite(a, b, low, high))

    def _corrected(self, lo: Interval, hi: Interval, between_points: Callable[[Any, Any], Any]) -> Any:
        """Points put for inexact ends; the difference by the mean value theorem."""
        a, b = _middle(lo), _middle(hi)
        total = between_points(a, b)
        for end, point, sign in ((lo, a, 1), (hi, b, -1)):
            if end[0] < end[1]:
                height = self._range(end)
                if height is None:
                    return NAN
                total = total + ball(intervals.mul(height, intervals.sub(between(point, point), end))) * sign
        return total

    def _mirrored(self) -> _Integral:
        return _Integral(substitute(self.body, {self.name: -var(self.name)}), self.name, self.outer)

    def ray(self, lo: Interval, low: Expr | None = None) -> Any:
        """From lo to oo, in v = log t beyond the first part."""
        begin = (max(lo[1], arb(0)) + 1).log().upper().ceil().upper()
        junction = around(begin.exp())
        if junction is None:
            return NAN
        first = self.over(lo, junction, low or _point(lo), _point(junction))
        if not first.is_finite():
            return NAN
        tail = _Change(lambda v: v.exp(), lambda t, v: t, 0)
        return first + self._improper(
            lambda W: Scale(self.name, self.outer, W), lambda a: a + 1, tail, begin, abs(first).upper()
        )

    def _finite(self, a: Any, b: Any, low: Expr, high: Expr) -> Any:
        """Between exact finite ends, either of which may be singular."""
        reach = (b - a) / 2**12
        left, right = around(a), around(b)
        if left is None or right is None:
            return NAN
        singular = [not bounded(self._range(s)) for s in (_grown(left, reach, 1), _grown(right, reach, -1))]
        begin = max((-((b - a) / 4).log()).upper().ceil().upper(), arb(0))
        total = arb(0)
        if singular[0]:
            total = total + self._singular(a, low, 1, begin)
            left = around(a + (-begin).exp())
        if singular[1]:
            total = total + self._singular(b, high, -1, begin)
            right = around(b - (-begin).exp())
        return NAN if left is None or right is None else total + self._corrected(left, right, self._regular)

    def _range(self, t: Interval) -> Interval | None:
        return evaluate(self.body, {**self.outer, self.name: t})

    def _regular(self, a: Any, b: Any) -> Any:
        identity = _Change(lambda v: v, None, 0)
        return self._quadrature(identity, a, b) if self._defined(identity, a, b) else NAN

    def _defined(self, change: _Change, a: Any, b: Any) -> bool:
        """Is the integrand provably defined at every t(v), a <= v <= b?"""
        stack, pieces = [(a, b)], 0
        while stack:
            left, right = stack.pop()
            pieces += 1
            ends = [e for e in (around(change.t(left)), around(change.t(right))) if e is not None]
            if len(ends) == 2 and self._range(intervals.hull(ends)) is not None:
                continue
            middle = ((left + right) / 2).mid()
            if pieces > _PIECES or exhausted() or not left < middle < right:
                return False
            stack += [(left, middle), (middle, right)]
        return True

    def _quadrature(self, change: _Change, a: Any, b: Any, size: Any = None) -> Any:
        """The integral of body(t(v)) * t'(v) over [a, b]; ``size`` is the magnitude that the result is added to."""

        def value_at(v: Any, analytic: bool) -> Any:
            t = change.t(v)
            value = complexes.value(self.body, {**self.balls, self.name: t}, analytic)
            return value if change.factor is None else value * change.factor(t, v)

        def integrand(v: Any, analytic: bool) -> Any:
            if exhausted():
                raise GivenUp
            return value_at(v, analytic)

        options: dict[str, Any] = {"eval_limit": 600 if self.wide else _EVALUATIONS}
        if self.wide:
            middle = value_at(acb((a + b) / 2), False).real * (b - a)
            size = abs(middle).upper() if middle.is_finite() else arb(1)
        if size is not None:
            options["abs_tol"] = (size * self.tolerance).upper()
        result = integrate(integrand, a, b, rel_tol=self.tolerance, **options)
        return result.real if result.is_finite() and result.imag.contains(0) else NAN

    def _improper(
        self, scale: Callable[[Any], Scale], excess: Callable[[Any], Any], change: _Change, begin: Any, size: Any
    ) -> Any:
        """The part v > begin, W = e^v: quadrature up to a cut V, the rest at most C*W**x/-x with x = excess(a)."""
        best: tuple[Any, Any] | None = None
        for k in range(-1, _STEPS):
            if exhausted():
                break
            V = (begin + arb(2) ** k).mid()
            W = V.exp().lower()
            bound = scale(W).bound(self.body)
            if bound is None or not bound.C < INF or not excess(bound.a) < 0:
                continue
            x = excess(bound.a)
            rest = (bound.C * W**x / -x).upper()
            if best is None or rest < best[1]:
                best = (V, rest)
            if rest <= self.tolerance * max(size, self.tolerance):
                break
        if best is None:
            return NAN
        V, rest = best
        with ctx.workprec(min(ctx.prec + change.extra_bits * int(float(V)), 20_000)):
            if not self._defined(change, begin, V):
                return NAN
            return self._quadrature(change, begin, V, size) + arb(0, rest)

    def _singular(self, end: Any, formula: Expr, side: int, begin: Any) -> Any:
        """From the singular ``end`` to end + side*e^-begin, by t = end + side*e^-v."""
        exact = formula if self._is_point(formula, end) else _point(between(end, end))
        change = _Change(lambda v: (-v).exp() * side + end, lambda t, v: (-v).exp(), 0 if end == 0 else 2)
        return self._improper(
            lambda W: Scale(self.name, self.outer, W, exact, side), lambda a: a - 1, change, begin, arb(1)
        )

    def _is_point(self, formula: Expr, end: Any) -> bool:
        value = evaluate(formula, self.outer)
        return bool(value is not None and value[0] == value[1] == end)


def _grown(end: Interval, reach: Any, side: int) -> Interval:
    return between(end[0], (end[1] + reach).upper()) if side > 0 else between((end[0] - reach).lower(), end[1])


def _middle(a: Interval) -> Any:
    return a[0] if a[0] == a[1] else ((a[0] + a[1]) / 2).mid()


def _point(a: Interval) -> Expr:
    """The middle of an interval as a numeral."""
    return num(fraction_of(_middle(a)))
