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
from boundcheck.kernel.enclosure import complexes, spans
from boundcheck.kernel.enclosure.growth import Scale
from boundcheck.kernel.enclosure.spans import INF, NEG_INF, Span
from boundcheck.kernel.enclosure.straight_line import fraction_of
from boundcheck.kernel.formula import Expr, num, substitute, var

NAN = arb.nan()
_STEPS = 14  #: doublings of the cut-off in log scale
_PIECES = 400  #: pieces of the range in the proof of definedness
_EVALUATIONS = 30_000  #: integrand values in one call of acb.integral


def integral(node: Expr, lo: Span, hi: Span, env: Mapping[str, Span]) -> Any:
    """An ``arb`` that contains integral(body, t, lo, hi) for all parameters in ``env``; NaN if not certified."""
    body, name = node.args[0], node.args[1].value
    outer = {k: v for k, v in env.items() if k in body.free and k != name}
    if not (lo.known and hi.known and all(v.known for v in outer.values())):
        return NAN
    if lo == hi and lo.lo == lo.hi:
        return arb(0)
    if lo.lo >= hi.hi:
        flipped = Expr(node.op, (body, node.args[1], node.args[3], node.args[2]))
        return -integral(flipped, hi, lo, env)
    if not lo.hi <= hi.lo:
        height = spans.span_of(body, {**outer, name: spans.hull(lo, hi)})
        return spans.to_ball(spans.mul(height, spans.sub(hi, lo)))
    power = _power(body, name, lo, hi, outer)
    if power is not None:
        return power
    total = _Integral(body, name, outer).between(lo, hi, node.args[2], node.args[3])
    return total if total.is_finite() else NAN


def _power(body: Expr, name: str, lo: Span, hi: Span, outer: Mapping[str, Span]) -> Any | None:
    """int t^c dt = (hi^(c+1) - lo^(c+1))/(c+1) over 0 < lo < hi < oo (c = -1: log(hi/lo)), where it loses no digits.

    Ends of 10^300 and more are beyond quadrature.
    """
    if body.op != "pow" or body.args[0] != var(name) or name in body.args[1].free:
        return None
    if not (lo.lo > 0 and hi.hi < INF):
        return None
    exponent = spans.span_of(body.args[1], outer)
    if not exponent.known:
        return None
    a, b, e = spans.to_ball(lo), spans.to_ball(hi), spans.to_ball(exponent) + 1
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

    def __init__(self, body: Expr, name: str, outer: Mapping[str, Span]):
        self.body, self.name, self.outer = body, name, outer
        self.balls = {k: acb(spans.to_ball(v)) for k, v in outer.items()}
        widths = [(v.hi - v.lo).upper() / max(abs(v.lo), abs(v.hi), arb(1)) for v in outer.values()]
        width = max(widths, default=arb(0))
        self.wide = bool(width > arb(2) ** (-ctx.prec // 2))
        self.tolerance = max((width / 16).upper(), arb(2) ** (-ctx.prec))

    def between(self, lo: Span, hi: Span, low: Expr, high: Expr) -> Any:
        """The integral from lo to hi, lo <= hi; ``low`` and ``high`` are the formulas of the ends."""
        if lo.lo == NEG_INF and hi.hi == INF:
            zero = Span(arb(0), arb(0))
            return self._mirrored().ray(zero) + self.ray(zero)
        if lo.lo == NEG_INF:
            return self._mirrored().ray(spans.neg(hi))
        if hi.hi == INF:
            return self.ray(lo, low)
        return self._corrected(lo, hi, lambda a, b: self._finite(a, b, low, high))

    def _corrected(self, lo: Span, hi: Span, between_points: Callable[[Any, Any], Any]) -> Any:
        """Points put for inexact ends; the difference by the mean value theorem."""
        a, b = _middle(lo), _middle(hi)
        total = between_points(a, b)
        for end, point, sign in ((lo, a, 1), (hi, b, -1)):
            if end.lo < end.hi:
                total = total + spans.to_ball(spans.mul(self._range(end), spans.sub(Span(point, point), end))) * sign
        return total

    def _mirrored(self) -> _Integral:
        return _Integral(substitute(self.body, {self.name: -var(self.name)}), self.name, self.outer)

    def ray(self, lo: Span, low: Expr | None = None) -> Any:
        """From lo to oo, in v = log t beyond the first part."""
        begin = (max(lo.hi, arb(0)) + 1).log().upper().ceil().upper()
        junction = spans.from_ball(begin.exp())
        first = self.between(lo, junction, low or _point(lo), _point(junction))
        if not first.is_finite():
            return NAN
        tail = _Change(lambda v: v.exp(), lambda t, v: t, 0)
        return first + self._improper(
            lambda W: Scale(self.name, self.outer, W), lambda a: a + 1, tail, begin, abs(first).upper()
        )

    def _finite(self, a: Any, b: Any, low: Expr, high: Expr) -> Any:
        """Between exact finite ends, either of which may be singular."""
        reach = (b - a) / 2**12
        left, right = Span(a, a), Span(b, b)
        singular = [not _is_bounded(self._range(s)) for s in (_grown(left, reach, 1), _grown(right, reach, -1))]
        begin = (-((b - a) / 4).log()).upper().ceil().upper()
        total = arb(0)
        if singular[0]:
            total = total + self._singular(a, low, 1, begin)
            left = spans.from_ball(a + (-begin).exp())
        if singular[1]:
            total = total + self._singular(b, high, -1, begin)
            right = spans.from_ball(b - (-begin).exp())
        return total + self._corrected(left, right, self._regular)

    def _range(self, t: Span) -> Span:
        return spans.span_of(self.body, {**self.outer, self.name: t})

    def _regular(self, a: Any, b: Any) -> Any:
        identity = _Change(lambda v: v, None, 0)
        return self._quadrature(identity, a, b) if self._defined(identity, a, b) else NAN

    def _defined(self, change: _Change, a: Any, b: Any) -> bool:
        """Is the integrand provably defined at every t(v), a <= v <= b?"""
        stack, pieces = [(a, b)], 0
        while stack:
            left, right = stack.pop()
            pieces += 1
            ends = [spans.from_ball(change.t(left)), spans.from_ball(change.t(right))]
            if self._range(spans.hull(*ends)).known:
                continue
            middle = ((left + right) / 2).mid()
            if pieces > _PIECES or exhausted() or not left < middle < right:
                return False
            stack += [(left, middle), (middle, right)]
        return True

    def _quadrature(self, change: _Change, a: Any, b: Any, size: Any = None) -> Any:
        """acb.integral of body(t(v)) * t'(v) over [a, b]; ``size`` is the magnitude that the result is added to."""

        def integrand(v: Any, analytic: bool) -> Any:
            if exhausted():
                return acb(NAN)
            t = change.t(v)
            value = complexes.value(self.body, {**self.balls, self.name: t}, analytic)
            return value if change.factor is None else value * change.factor(t, v)

        options: dict[str, Any] = {"eval_limit": 600 if self.wide else _EVALUATIONS}
        if self.wide:
            middle = integrand(acb((a + b) / 2), False).real * (b - a)
            size = abs(middle).upper() if middle.is_finite() else arb(1)
        if size is not None:
            options["abs_tol"] = (size * self.tolerance).upper()
        result = acb.integral(integrand, acb(a), acb(b), rel_tol=self.tolerance, **options)
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
        exact = formula if self._is_point(formula, end) else _point(Span(end, end))
        change = _Change(lambda v: (-v).exp() * side + end, lambda t, v: (-v).exp(), 0 if end == 0 else 2)
        return self._improper(
            lambda W: Scale(self.name, self.outer, W, exact, side), lambda a: a - 1, change, begin, arb(1)
        )

    def _is_point(self, formula: Expr, end: Any) -> bool:
        value = spans.span_of(formula, self.outer) if formula.free <= self.outer.keys() else spans.UNKNOWN
        return bool(value.known and value.lo == value.hi == end)


def _is_bounded(value: Span) -> bool:
    return bool(value.known and value.lo > NEG_INF and value.hi < INF)


def _grown(end: Span, reach: Any, side: int) -> Span:
    return Span(end.lo, (end.hi + reach).upper()) if side > 0 else Span((end.lo - reach).lower(), end.hi)


def _middle(s: Span) -> Any:
    return s.lo if s.lo == s.hi else ((s.lo + s.hi) / 2).mid()


def _point(s: Span) -> Expr:
    """The middle of a span as a numeral."""
    return num(fraction_of(_middle(s)))
