"""How large a formula can be near an end: proved bounds c*w**b <= |f| <= C*w**a for all w >= W.

The scale w is the variable itself (its end is oo) or 1/|t - end| (a finite end). The bounds decide
whether an improper integral or an infinite sum exists, and bound what is cut off. All constants are
balls; a rule that cannot prove its case returns None, and so does the whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from flint import arb, fmpq

from boundcheck.kernel.derivative import NotDifferentiable, derivative
from boundcheck.kernel.enclosure import points
from boundcheck.kernel.enclosure.intervals import INF, NINF, ONE, ZERO, Interval, ball, between, bounded, hull
from boundcheck.kernel.enclosure.ranges import evaluate, parts
from boundcheck.kernel.enclosure.straight_line import exact_of, fraction_of, integer_of, literal
from boundcheck.kernel.formula import BINDERS, Expr, call, factors, num, signed_terms, substitute, var
from boundcheck.kernel.formula.functions import TABLE
from boundcheck.kernel.formula.unfolding import unfolded


@dataclass(frozen=True)
class Bound:
    """|f| <= C*w**a and |f| >= c*w**b for w >= W; ``sign`` is that of f, 0 if not known."""

    C: Any
    a: Any
    c: Any
    b: Any
    sign: int


class Scale:
    """One end of the range of ``name``: ``end`` None for oo, else the exact value it tends to from one side."""

    def __init__(self, name: str, env: Mapping[str, Interval], start: Any, end: Expr | None = None, side: int = 1):
        """``start`` is W, at least 1; for a finite end the formula is studied on 0 < side*(t - end) <= 1/W."""
        self.name, self.W, self.end, self.side = name, start, end, side
        if end is None:
            self.box: dict[str, Interval] = {**env, name: between(start.lower(), INF)}
        else:
            at = evaluate(end, env)
            reach = (ONE / start).upper()
            self.box = dict(env)  # without the name, nothing is known of what contains it
            if at is not None:
                lo, hi = (at[0], (at[1] + reach).upper()) if side > 0 else ((at[0] - reach).lower(), at[1])
                self.box[name] = between(lo, hi)
        self._memo: dict[Expr, Bound | None] = {}
        self._ranges: dict[Expr, Interval | None] = {}

    def range(self, e: Expr) -> Interval | None:
        """The range of ``e`` near the end."""
        if e not in self._ranges:
            self._ranges.update({e: None, **parts(e, self.box)})
        return self._ranges[e]

    def power_of_W(self, exponent: Any) -> Any:
        """W**exponent, the polynomial ONE for exponent 0."""
        return ONE if exponent == 0 else self.W**exponent

    # -------------------------------------------------------------- rules

    def bound(self, e: Expr) -> Bound | None:
        """Bounds of ``e``, the sharper of the rule for its form and its plain enclosure; none for scales below 1."""
        if e not in self._memo:
            found = self._best(e) if self.W >= 1 else None  # w**a <= w**b for a <= b
            bad = found is not None and any(x.is_nan() for x in (found.C, found.a, found.c, found.b))
            self._memo[e] = None if bad else found
        return self._memo[e]

    def _best(self, e: Expr) -> Bound | None:
        flat = self._flat(e)
        if self.name not in e.free:
            return flat
        found = [x for x in (flat, self._vanishing(e), self._through_zero(e), self._rule(e)) if x is not None]
        if not found:
            return None
        upper = min(found, key=lambda x: (float(x.a), float(x.C)))
        lower = max((x for x in found), key=lambda x: (x.c > 0, float(x.b), float(x.c)))
        sign = next((x.sign for x in found if x.sign), 0)
        return Bound(upper.C, upper.a, lower.c, lower.b, sign)

    def _flat(self, e: Expr) -> Bound | None:
        """A bounded formula, by its enclosure."""
        value = self.range(e)
        if value is None or not bounded(value):
            return None
        sign, small, large = _sizes(value)
        return Bound(large, ZERO, small, ZERO, sign)

    def _vanishing(self, e: Expr) -> Bound | None:
        """f = 0 at a finite end: |f| lies between inf|f'| and sup|f'| times the distance 1/w.

        That f has a value near the end does not follow from its derivative, which is 0 for 0*log(t - 1/9).
        """
        if self.end is None or e.op in BINDERS or self.range(e) is None:
            return None
        try:
            at = points.value_at(substitute(e, {self.name: self.end}), {k: _mid(v) for k, v in self._outer().items()})
            if not (isinstance(at, fmpq) and at == 0):
                return None
            slope = self.range(derivative(e, self.name))
        except (NotDifferentiable, ValueError):
            return None
        if slope is None or not bounded(slope):
            return None
        sign, small, large = _sizes(slope)
        return Bound(large, -ONE, small, -ONE, sign * self.side)

    def _outer(self) -> dict[str, Interval]:
        return {k: v for k, v in self.box.items() if k != self.name}

    def _rule(self, e: Expr) -> Bound | None:
        match e.op:
            case "var":
                return Bound(ONE, ONE, ONE, ONE, 1) if self.end is None else None
            case "neg":
                inner = self.bound(e.args[0])
                return inner and Bound(inner.C, inner.a, inner.c, inner.b, -inner.sign)
            case "abs":
                inner = self.bound(e.args[0])
                return inner and Bound(inner.C, inner.a, inner.c, inner.b, abs(inner.sign))
            case "add" | "sub":
                return self._sum(e)
            case "mul" | "div" | "exp":
                return self._product(e)
            case "sqrt":
                return self._power(self.bound(e.args[0]), between(arb(0.5), arb(0.5)), False)
            case "pow":
                if self.name in e.args[1].free:
                    return self._product(e)
                n = literal(e.args[1])
                q = self.range(e.args[1])
                return self._power(self.bound(e.args[0]), q, n is not None and n.denominator == 1)
            case "log":
                return self._log(self.bound(e.args[0]))
            case "min" | "max":
                return self._extreme(e)
            case "erfc":  # erfc(g) <= exp(-g**2) for g >= 0
                return self._below(e, call("exp", -(e.args[0] * e.args[0])))
            case "sinc":
                return self._sinc(e)
            case "lambertw":  # w <= log(1 + w*exp(w)) for w >= 0
                return self._below(e, call("log", 1 + e.args[0]))
        other = unfolded(e)
        return None if other is None else self.bound(other)

    def _through_zero(self, e: Expr) -> Bound | None:
        """f(g) with f(0) = 0: |f(g)| lies between inf|f'| and sup|f'| times |g|, over the numbers from 0 to g."""
        f = TABLE.get(e.op)
        if f is None or not f.slope or f.exact.get(0) != 0:
            return None
        inner, reach = self.bound(e.args[0]), self.range(e.args[0])
        if inner is None or reach is None:
            return None
        x = hull((reach, between(ZERO, ZERO)))
        slope = evaluate(derivative(call(e.op, var("x")), "x"), {"x": x})
        if slope is None or not (slope[0] >= 0 and slope[1] < INF):
            return None
        C, c = (slope[1] * inner.C).upper(), max((slope[0] * inner.c).lower(), ZERO)
        return Bound(C, inner.a, c, inner.b, inner.sign if slope[0] > 0 else 0)

    def _sinc(self, e: Expr) -> Bound | None:
        """|sinc(g)| <= 1/|g|."""
        inner = self.bound(e.args[0])
        return Bound((ONE / inner.c).upper(), -inner.b, ZERO, ZERO, 0) if inner is not None and inner.c > 0 else None

    def _below(self, e: Expr, other: Expr) -> Bound | None:
        """f(g) > 0 for g > 0, and at most ``other`` there."""
        inner = self.bound(e.args[0])
        if inner is None or inner.sign != 1:
            return None
        tail = self.bound(other)
        return tail and Bound(tail.C, tail.a, ZERO, ZERO, 1)

    def _power(self, x: Bound | None, q: Interval | None, integer: bool) -> Bound | None:
        if x is None or q is None or not bounded(q):
            return None
        low, high = q[:2]
        if x.sign != 1 and not integer:
            return None
        n = integer_of(low) if integer else None
        sign = x.sign if n is not None and n % 2 else 1
        if low >= 0:
            C, a, c, b = x.C, x.a, x.c, x.b
        elif high <= 0 and x.c > 0:
            C, a, c, b = x.c, x.b, x.C if x.C < INF else ZERO, x.a
        else:
            return None
        if x.sign == 0 and sign == 1:
            sign = 0
        return Bound(
            max((C**low).upper(), (C**high).upper()) if C < INF else INF,
            max((a * low).upper(), (a * high).upper()),
            min((c**low).lower(), (c**high).lower()) if c > 0 else ZERO,
            min((b * low).lower(), (b * high).lower()) if c > 0 else ZERO,
            sign,
        )

    def _log(self, x: Bound | None) -> Bound | None:
        """|log f| <= K + k*log w, and log w <= log(W)*(w/W)**delta with delta = 1/log W."""
        if x is None or x.sign != 1 or not x.c > 0 or not self.W > 3:
            return None
        K = max(abs(x.C.log()).upper(), abs(x.c.log()).upper())
        k = max(abs(x.a).upper(), abs(x.b).upper())
        delta = (ONE / self.W.log()).upper()
        log_part = k * self.W.log() * self.W ** (-delta)
        C = (K * self.W ** (-delta) + log_part).upper()
        floor = (x.c.log() + x.b * self.W.log()).lower() if x.b >= 0 else ZERO
        ceiling = (x.C.log() + x.a * self.W.log()).upper() if x.a <= 0 else ZERO
        if floor > 0:
            return Bound(C, delta, floor, ZERO, 1)
        if ceiling < 0:
            return Bound(C, delta, -ceiling, ZERO, -1)
        return Bound(C, delta, ZERO, ZERO, 0)

    def _extreme(self, e: Expr) -> Bound | None:
        """It is one of its terms; the least of numbers >= 0 is at most each one that has a bound."""
        parts = [self.bound(a) for a in e.args]
        known = [p for p in parts if p is not None]
        ranges = [self.range(a) for a in e.args]
        least = e.op == "min" and all(
            (p is not None and p.sign == 1) or (r is not None and r[0] >= 0)
            for p, r in zip(parts, ranges, strict=True)
        )
        if not known or (len(known) < len(parts) and not least):
            return None
        a, b = max(p.a for p in known), min(p.b for p in known)
        highs = [(p.C * self.power_of_W(p.a - a)).upper() for p in known]
        lows = [(p.c * self.power_of_W(p.b - b)).lower() for p in known]
        if any(x.is_nan() for x in (*highs, *lows)):  # no comparison would see it
            return None
        best = min(known, key=lambda p: (float(p.a), float(p.C))) if least else Bound(max(highs), a, ZERO, ZERO, 0)
        if len(known) < len(parts):
            return Bound(best.C, best.a, ZERO, ZERO, 0)
        sign = known[0].sign if all(p.sign == known[0].sign for p in known) else 0
        return Bound(best.C, best.a, max(min(lows), ZERO), b, sign)

    def _sum(self, e: Expr) -> Bound | None:
        parts = []
        for t, s in signed_terms(e):
            p = self.bound(t)
            if p is None and (s or self.range(t) is None):
                return None
            if s and p is not None:
                parts.append(Bound(p.C, p.a, p.c, p.b, p.sign * s))
        if not parts:
            return Bound(ZERO, ZERO, ZERO, ZERO, 0)
        a = max(p.a for p in parts)
        C = sum((p.C * self.power_of_W(p.a - a) for p in parts), ZERO).upper()
        if all(p.sign == parts[0].sign != 0 for p in parts):
            best = max(parts, key=lambda p: (float(p.b), float(p.c)))
            return Bound(C, a, best.c, best.b, best.sign)
        for p in parts:
            if p.sign and p.c > 0 and all(o.a <= p.b for o in parts if o is not p):
                rest = sum((o.C * self.power_of_W(o.a - p.b) for o in parts if o is not p), ZERO)
                c = (p.c - rest).lower()
                if c > 0:
                    return Bound(C, a, c, p.b, p.sign)
        return Bound(C, a, ZERO, ZERO, 0)

    # -------------------------------------------------------------- products and exponentials

    def _product(self, e: Expr) -> Bound | None:
        """Plain factors one by one; all exponential factors together, as exp of one sum."""
        plain: list[tuple[Expr, bool]] = []
        exponent: Expr = num(0)
        has_exponential = only_above = False
        for f, inverted in factors(e):
            part = self._exponent(f, inverted)
            if part is None:
                plain.append((f, inverted))
            else:
                exponent, has_exponential = exponent + part, True
                only_above = only_above or f.op == "gamma"
        if plain == [(e, False)]:
            return self._alternating(e)
        result = self._exponential(exponent) if has_exponential else Bound(ONE, ZERO, ONE, ZERO, 1)
        if only_above and result is not None:
            result = replace(result, c=ZERO, b=ZERO)
        for f, inverted in plain:
            p = self.bound(f)
            if p is None or result is None:
                return None
            if inverted:
                if not p.c > 0:
                    return None
                p = Bound((ONE / p.c).upper(), -p.b, (ONE / p.C).lower(), -p.a, p.sign)
            result = Bound(
                (result.C * p.C).upper(),
                (result.a + p.a).upper(),
                max((result.c * p.c).lower(), ZERO),
                (result.b + p.b).lower(),
                result.sign * p.sign,
            )
        return result

    def _alternating(self, e: Expr) -> Bound | None:
        """(-x)**k for x > 0: of size x**k wherever it is defined."""
        base = self.range(e.args[0]) if e.op == "pow" else None
        if base is None or not base[1] < 0:
            return None
        size = self.bound((-e.args[0]) ** e.args[1])
        return size and Bound(size.C, size.a, size.c, size.b, 0)

    def _exponent(self, f: Expr, inverted: bool) -> Expr | None:
        """log of a factor of exponential size (from above, if it is 1/gamma), else None."""
        if self.name not in f.free:
            return None
        part: Expr | None = None
        if f.op == "exp":
            part = f.args[0]
        elif f.op == "pow" and self.name in f.args[1].free:
            base = self.range(f.args[0])
            if base is not None and base[0] > 0:
                part = f.args[1] * call("log", f.args[0])
        elif f.op == "gamma" and inverted and self.end is None:
            return self._inverse_gamma(f.args[0])
        if part is None:
            return None
        return -part if inverted else part

    def _inverse_gamma(self, g: Expr) -> Expr | None:
        """1/gamma(g) <= exp(psi*X - L - psi*g), X = inf g, psi the slope of L = loggamma at X (it is convex)."""
        reach = self.range(g)
        if reach is None or not reach[0] > 2:
            return None
        low = reach[0]
        # both rational, at most L and psi(X); g >= X keeps the direction
        level, slope = _rational_below(low.lgamma()), _rational_below(low.digamma())
        return num(slope * _rational_below(low) - level) - num(slope) * g

    def _exponential(self, g: Expr) -> Bound | None:
        flat = self.range(g)
        lower = flat[0].exp().lower() if flat is not None and flat[0] > NINF else ZERO
        most = INF if flat is None else flat[1]
        p = self.bound(g)
        if p is not None and p.sign == 1 and p.c > 0 and p.b > 0 and not most < INF:
            # exp(x) >= (e*x/k)**k for every k > 0
            k = (p.c * self.power_of_W(p.b)).mid()
            if k > 0:
                return Bound(INF, ZERO, ((arb.const_e() * p.c / k) ** k).lower(), (p.b * k).lower(), 1)
        if p is not None and p.sign == -1 and p.c > 0 and p.b > 0:
            # exp(-x) <= (k/(e*x))**k for every k > 0; k = c*W**b makes it sharp at W
            k = (p.c * self.power_of_W(p.b)).mid()
            if k > 0:
                C = ((k / (arb.const_e() * p.c)) ** k).upper()
                return Bound(C, (-p.b * k).upper(), lower, ZERO, 1)
        if most < INF:
            return Bound(most.exp().upper(), ZERO, lower, ZERO, 1)
        if p is not None and p.sign == -1:
            return Bound(ONE, ZERO, lower, ZERO, 1)
        return None


def _rational_below(x: Any) -> Any:
    """A Fraction at most x."""
    return fraction_of(x.lower())


def _sizes(a: Interval) -> tuple[int, Any, Any]:
    """The sign of all numbers in an interval (0: not one), the smallest size and the largest."""
    sign = 1 if a[0] > 0 else -1 if a[1] < 0 else 0
    small, large = sorted((abs(a[0]), abs(a[1])))
    return sign, small if sign else ZERO, large


def _mid(a: Interval) -> Any:
    """A point of the interval, exact if it is one point."""
    return exact_of(a[0]) if a[0] == a[1] and abs(a[0]) < INF else ball(a)
