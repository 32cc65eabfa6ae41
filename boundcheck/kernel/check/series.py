"""Expansions of a formula in a small h > 0: powers of h and L = -log h, exponentials, rigorous remainders.

A :class:`Series` is sum c_(e,m) h^e L^m + h^N sum r_m(h) L^m with exact coefficients c (rational numbers or
:class:`boundcheck.kernel.check.quotients.Ratio` in constants and the other variables) and intervals r that hold for
every h in (0, width]. A *trans-series* maps divergent exponents A (as formulas in h and L) to series:
sum_A exp(A) S_A. It carries exponentially small terms exactly instead of dropping them.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cmp_to_key, lru_cache
from math import factorial
from typing import Any

from flint import fmpq

from boundcheck.kernel.check.formal import Formal, remainder
from boundcheck.kernel.check.laurent import (
    _Z,
    POINT0,
    Arithmetic,
    Class,
    Coefficient,
    NoExpansion,
    Series,
    Term,
    Trans,
)
from boundcheck.kernel.derivative import NotDifferentiable, derivative
from boundcheck.kernel.enclosure import intervals as iv
from boundcheck.kernel.enclosure.intervals import ZERO, Interval
from boundcheck.kernel.formula import Expr, call, num, substitute, var

MAX_CLASSES = 12  #: exponential scales kept apart


class Expander(Arithmetic):
    """Expands formulas in which one variable is given as a series; the others stay symbolic in a box."""

    # ---- trans-series

    def constant(self, c: Coefficient) -> Trans:
        return {} if self.c_zero(c) else {(): Series({(_Z, _Z): c}, None, {})}

    def t_add(self, a: Trans, b: Trans) -> Trans:
        """a + b."""
        out = dict(a)
        for k, s in b.items():
            total = self.add(out[k], s) if k in out else s
            if total.terms or total.rest:
                out[k] = total
            else:
                out.pop(k, None)
        return self._prune(out) if len(out) > MAX_CLASSES else out

    def _prune(self, a: Trans) -> Trans:
        """Fold the exponentially smallest classes into remainders of larger ones."""

        def slower(k: Class, j: Class) -> int:
            return -self._rate(self._class_sum(k, j, -1))

        ordered = sorted(a, key=cmp_to_key(slower))
        kept, target = ordered[: MAX_CLASSES // 2], ordered[MAX_CLASSES // 2 - 1]
        s = a[target]
        order = s.order if s.order is not None else s.low + self.depth
        s, small = self._beside(a, target, ordered[MAX_CLASSES // 2 :])
        return {**{k: a[k] for k in kept}, target: self.absorb(s, small, order)}

    def _beside(self, a: Trans, best: Class, others: Iterable[Class]) -> tuple[Series, Trans]:
        """(S, small): exp(-A) times the terms of ``best``, A its exponent, and of ``others``, none of them faster.

        Two classes may be one exponent in two forms, whose difference alone shows it.
        """
        s = a[best]
        small: Trans = {}
        for k in others:
            gap = self._class_sum(k, best, -1)
            if gap:
                small = self.t_add(small, {gap: a[k]})
            else:
                s = self.add(s, a[k])
        return s, small

    def _class_sum(self, a: Class, b: Class, sign: int = 1) -> Class:
        total: dict[Term, Coefficient] = {t: self._thaw(c) for t, c in a}
        for t, c in b:
            self._join(total, t, self.c_mul(fmpq(sign), self._thaw(c)))
        return self._freeze(total)

    def _freeze(self, terms: dict[Term, Coefficient]) -> Class:
        return tuple((t, c if isinstance(c, fmpq) else c.expr()) for t, c in sorted(terms.items(), key=lambda x: x[0]))

    def _thaw(self, c: Any) -> Coefficient:
        return c if isinstance(c, fmpq) else self._lower(self.algebra.normal(c))

    def t_mul(self, a: Trans, b: Trans) -> Trans:
        """a b."""
        out: Trans = {}
        for k1, s1 in a.items():
            for k2, s2 in b.items():
                out = self.t_add(out, {self._class_sum(k1, k2): self.mul(s1, s2)})
        return out

    def t_scale(self, a: Trans, c: Coefficient) -> Trans:
        """c a."""
        return self.t_mul(self.constant(c), a)

    def _rate(self, k: Class) -> int:
        """+1 if exp(A) grows to infinity as h -> 0, -1 if it vanishes, 0 if A is empty."""
        if not k:
            return 0
        _, r = self.fastest(k)
        if r[0] > 0:
            return 1
        if r[1] < 0:
            return -1
        raise NoExpansion("exponent of unknown sign")

    def fastest(self, k: Class) -> tuple[Term, Interval]:
        """The term c h^e L^m of a divergent exponent that grows fastest, least e and then largest m: (e, m), c."""
        term, c = min(k, key=lambda t: (t[0][0], -t[0][1]))
        return term, self.range_of(self._thaw(c))

    def split(self, a: Trans) -> tuple[Class, Series, Trans]:
        """(A, S, small): a = exp(A) (S + small), A the dominating exponent."""
        keys = list(a)
        if not keys:
            raise NoExpansion("zero")
        best = keys[0]
        for k in keys[1:]:
            if self._rate(self._class_sum(k, best, -1)) > 0:
                best = k
        return best, *self._beside(a, best, (k for k in keys if k != best))

    def exp_bound(self, k: Class, order: Fraction) -> Interval:
        """Bound of exp(A) / h^order on (0, width], order >= 0, for a vanishing class A."""
        (e, m), (_, top, *_) = self.fastest(k)
        if not top < 0 or m < 0:
            raise NoExpansion("an exponent that does not vanish")
        if e == 0 and m < 1 and order > 0:  # L^m grows slower than L = -log h
            raise NoExpansion("an exponential that vanishes slower than every power")
        rate = top  # A <= rate * h^e L^m + others
        if e == 0 and m == 1:
            if len(k) > 1:
                raise NoExpansion("mixed logarithmic exponent")
            # exp(rate L) = h^(-rate)
            margin = -rate - iv.exact(order)
            if not margin >= 0:
                raise NoExpansion("remainder order")
            return (ZERO, (self.width**margin).upper(), True, False)
        others = ZERO
        for (e2, m2), c2 in k:
            if (e2, m2) != (e, m):
                high = self.range_of(self._thaw(c2))[1]
                if high > 0:
                    others = others + high * self.h_power(e2 - e, m2 - m)[1]
        rate = rate + others
        if e == 0:  # exp(rate L^m) h^-order = exp(rate L^m + order L), m > 1 or order = 0
            if not (rate * iv.exact(m) * self.log_width ** iv.exact(m - 1) + iv.exact(order) <= 0):
                raise NoExpansion("width too large for an exponential")
            value = rate * self.log_width ** iv.exact(m) + iv.exact(order) * self.log_width
            return (ZERO, value.exp().upper(), True, False)
        # exp(rate h^e L^m) h^-order rises in h on (0, width] when -e*(-rate) h^e >= order (L^m >= L0^m used below)
        rate = rate * (self.log_width ** iv.exact(m) if m else 1)
        steep = rate * iv.exact(e) * self.width ** iv.exact(e)
        if not steep >= iv.exact(order):
            raise NoExpansion("width too large for an exponential")
        value = rate * self.width ** iv.exact(e) + iv.exact(order) * self.log_width
        return (ZERO, value.exp().upper(), True, False)

    def absorb(self, s: Series, small: Trans, order: Fraction) -> Series:
        """S + small with the exponentially small part as a remainder at h^order."""
        for k, t in small.items():
            # t = O(h^low): exp(A) t = (exp(A)/h^(order-low)) h^(order-low) t
            shift = order - t.low
            bound = self.exp_bound(k, max(shift, _Z))
            flat = self.cut(t.times(-t.low), _Z).rest
            factor = bound if shift >= 0 else iv.mul(bound, self.h_power(-shift))
            rest = {m: iv.mul(r, factor) for m, r in flat.items()}
            s = self.add(s, Series({}, order, rest))
        return s

    def leading(self, s: Series) -> tuple[Term, Coefficient]:
        """The first term and its coefficient. Raises :class:`NoExpansion` where there is none."""
        if not s.terms:
            raise NoExpansion("no leading term")
        low = min(e for e, _ in s.terms)
        tops = sorted(m for e, m in s.terms if e == low)
        if s.order is not None and s.order <= low:
            raise NoExpansion("no leading term before the remainder")
        return (low, tops[-1]), s.terms[low, tops[-1]]

    def unit(self, a: Trans) -> tuple[Class, Term, Coefficient, Trans]:
        """(A, (e, m), c, u) with a = exp(A) c h^e L^m (1 + u) and u small."""
        k, s, small = self.split(a)
        (e, m), c = self.leading(s)
        r = self.range_of(c)
        if not (r[0] > 0 or r[1] < 0):
            raise NoExpansion("a leading coefficient of unknown sign")
        if any(e2 == e and m2 != m for e2, m2 in s.terms):
            raise NoExpansion("a leading coefficient that is a sum of logarithms")
        inverse = self.c_inverse(c)

        def down(t: Series) -> Series:
            return self.mul(t.times(-e, -m), Series({(_Z, _Z): inverse}, None, {}))

        rest = Series({t: v for t, v in s.terms.items() if t != (e, m)}, s.order, s.rest)
        u: Trans = {(): down(rest)} if rest.terms or rest.rest else {}
        return k, (e, m), c, self.t_add(u, {x: down(t) for x, t in small.items()})

    def c_inverse(self, c: Coefficient) -> Coefficient:
        """1/c."""
        if isinstance(c, fmpq):
            return 1 / c
        return self._lower(self.algebra.ratio(c.den, c.num))

    def t_range(self, a: Trans) -> Interval:
        """An interval that holds 0 and every value of ``a`` on the domain.

        Taylor's formula about 0 takes its remainder at a number between 0 and the value: whether ``a`` tends to 0 does
        not matter to it.
        """
        out = POINT0
        for k, s in a.items():
            if not k:
                out = iv.add(out, self.series_range(s))
            else:
                flat = self.absorb(Series({}, None, {}), {k: s}, _Z)
                out = iv.add(out, self.series_range(flat))
        return iv.hull((POINT0, out))

    def count(self, u: Trans) -> int:
        """How many Taylor terms to carry: few where each would open another exponential scale."""
        return self.depth if all(not k for k in u) else min(self.depth, 4)

    def taylor(self, u: Trans, coefficients: list[Coefficient], last: Interval) -> Trans:
        """sum_k c_k u^k + last * u^n."""
        if not u:
            return self.constant(coefficients[0])
        out: Trans = {}
        top: Trans = {(): Series({}, _Z, {_Z: last})}
        out = top
        for c in reversed(coefficients):
            out = self.t_add(self.t_mul(out, u), self.constant(c))
        return out

    # ---- functions

    def inverse(self, a: Trans) -> Trans:
        return self.power(a, Fraction(-1))

    def power(self, a: Trans, q: Fraction) -> Trans:
        if q.denominator == 1 and 0 <= q <= 12:
            out = self.constant(fmpq(1))
            for _ in range(int(q)):
                out = self.t_mul(out, a)
            return out
        k, (e, m), c, u = self.unit(a)
        if not self.range_of(c)[0] > 0 and q.denominator != 1:
            raise NoExpansion("a power of a negative base")
        n = self.count(u)
        f = fmpq(q.numerator, q.denominator)
        binomials = [fmpq(1)]
        for j in range(n + 1):
            binomials.append(binomials[-1] * (f - j) / (j + 1))
        r = iv.add(self.t_range(u), (iv.ONE, iv.ONE, False, False))
        # f^(n)(xi)/n! = binom(q, n) xi^(q-n); what is left of a geometric series is (-u)^n/(1 + u)
        tail = iv.power(r, r, Fraction(q if q == -1 else q - n))
        if tail is None:
            raise NoExpansion("width too large for a power")
        last = iv.mul(self.range_of(binomials[n]), tail)
        body = self.taylor(u, binomials[:n], last)
        lead = self._lower(
            self.algebra.root(self._lift(c), f) if q.denominator != 1 else self.algebra.power(self._lift(c), int(q))
        )
        klass = self._freeze({t: self.c_mul(f, self._thaw(x)) for t, x in k})
        return self.t_mul({klass: Series({(e * q, m * q): lead}, None, {})}, body)

    def log(self, a: Trans) -> Trans:
        """The expansion of log a. Raises :class:`NoExpansion` where the leading coefficient is not positive."""
        k, (e, m), c, u = self.unit(a)
        if m != 0 or not self.range_of(c)[0] > 0:
            raise NoExpansion("a logarithm of a logarithm")
        n = self.count(u)
        r = iv.add(self.t_range(u), (iv.ONE, iv.ONE, False, False))
        inverse = iv.reciprocal(r)  # none where 0 is in r, which holds 1
        tail = iv.integer_power(inverse, n) if inverse else None
        if tail is None:
            raise NoExpansion("width too large for a logarithm")
        last = iv.mul(self.range_of(fmpq((-1) ** (n - 1), n)), tail)
        body = self.taylor(u, [fmpq(0)] + [fmpq((-1) ** (j - 1), j) for j in range(1, n)], last)
        front = self.constant(self._normal(call("log", self.c_expr(c))))
        if e:
            front = self.t_add(front, {(): Series({(_Z, Fraction(1)): fmpq(-e.numerator, e.denominator)}, None, {})})
        front = self.t_add(front, {(): Series({t: self._thaw(x) for t, x in k}, None, {})})
        return self.t_add(front, body)

    def _normal(self, e: Expr) -> Coefficient:
        return self._lower(self.algebra.normal(e))

    def exp(self, a: Trans) -> Trans:
        divergent: dict[Term, Coefficient] = {}
        shift, c0 = _Z, fmpq(0)
        rest: Trans = {k: s for k, s in a.items() if k}
        s = a.get((), Series({}, None, {}))
        kept: dict[Term, Coefficient] = {}
        for (e, m), c in s.terms.items():
            if e < 0 or (e == 0 and m > 0):
                if e == 0 and m == 1 and isinstance(c, fmpq):
                    shift -= Fraction(int(c.p), int(c.q))
                else:
                    divergent[e, m] = c
            elif e == 0 and m == 0:
                c0 = c
            else:
                kept[e, m] = c
        if s.order is not None and s.order <= 0:
            raise NoExpansion("an exponent known only up to a bounded term")
        if kept or s.rest:
            rest = {**rest, (): Series(kept, s.order, s.rest)}
        body = self.exp_small(rest)
        lead = self._normal(call("exp", self.c_expr(c0)))
        return self.t_mul({self._freeze(divergent): Series({(shift, _Z): lead}, None, {})}, body)

    def exp_small(self, u: Trans) -> Trans:
        """The expansion of exp u for small u, with Taylor's remainder."""
        n = self.count(u)
        coefficients = [fmpq(1, factorial(j)) for j in range(n)]
        r = iv.exp(self.t_range(u))
        if r is None:
            raise NoExpansion("an exponential out of range")
        return self.taylor(u, coefficients, iv.mul(r, self.range_of(fmpq(1, factorial(n)))))

    def parts(self, a: Trans) -> tuple[Coefficient, Trans]:
        """(a0, u) with a = a0 + u and u -> 0; NoExpansion if a diverges."""
        for k in a:
            if k and self._rate(k) > 0:
                raise NoExpansion("a divergent argument")
        s = a.get((), Series({}, None, {}))
        if any(e < 0 or (e == 0 and m != 0) for e, m in s.terms) or (s.order is not None and s.order <= 0):
            raise NoExpansion("a divergent argument")
        c0 = s.terms.get((_Z, _Z), fmpq(0))
        rest = Series({t: c for t, c in s.terms.items() if t != (_Z, _Z)}, s.order, s.rest)
        u = {k: t for k, t in a.items() if k}
        if rest.terms or rest.rest:
            u[()] = rest
        return c0, u

    def analytic(self, name: str, a: Trans, value: Any = None) -> Trans:
        """f(a0 + u) by Taylor's formula, derivatives of f taken symbolically."""
        c0, u = self.parts(a)
        at = self.c_expr(c0)
        r = iv.add(self.range_of(c0), self.t_range(u))
        n = self.count(u) if u else 1
        formal = Formal(self.c_mul, self.c_add, self._normal)
        coefficients = formal.coefficients(name, at, n)
        d: Expr | None = None
        if coefficients is None:
            coefficients = [
                self.c_mul(fmpq(1, factorial(j)), self._normal(substitute(_derivative(name, j, value), {"t": at})))
                for j in range(n)
            ]
            d = _derivative(name, n, value) if u else num(0)
        tail = remainder(name, n, r, d) if u else POINT0
        if tail is None:
            raise NoExpansion(f"width too large for {name}")
        return self.taylor(u, coefficients, tail)

    def t_sign(self, a: Trans) -> int:
        """The sign of a on all of (0, width]: 1, -1, or 0 for identically zero; NoExpansion if unknown."""
        if not a:
            return 0
        _, s, small = self.split(a)
        (low, top), _ = self.leading(s)
        if small:
            order = s.order if s.order is not None else max(e for e, _ in s.terms) + 1
            s = self.absorb(s, small, max(order, low + 1))
        total = self.series_range(s.times(-low, -top))
        if total[0] > 0:
            return 1
        if total[1] < 0:
            return -1
        raise NoExpansion("width too large: the remainder hides the leading term")


@lru_cache(maxsize=512)
def _derivative(name: str, order: int, value: Any = None) -> Expr:
    """The order-th derivative of the function ``name`` in the variable t."""
    if order == 0:
        return Expr(name, (var("t"),), value)
    try:
        return derivative(_derivative(name, order - 1, value), "t")
    except NotDifferentiable as error:
        raise NoExpansion(str(error)) from None
