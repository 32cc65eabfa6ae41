"""Exact normal forms: rational functions over Q in atoms with rational or symbolic exponents.

An atom is a variable, a constant, a prime (for roots and symbolic powers), ``E`` (for exponentials), a
sum under a fractional power, or a function value with a normalised argument. Two formulas with equal
normal forms are equal wherever both are defined. ``x**(p-1)*x``, ``8**(1/p)/2**(3/p)``, ``exp(x)*exp(-x)``,
``sqrt(2)**2``, ``log(8) - 3*log(2)`` and ``sin(x)**2 + cos(x)**2`` all fold.
A normal form that is not 0 proves nothing; one that is 0 is an exact identity.
"""

from __future__ import annotations

from math import factorial
from typing import Any

from flint import fmpq

from boundcheck.kernel.check.poly import (
    _PI,
    ONE,
    AlgebraLimit,
    Poly,
    _mono_key,
    floor,
    fraction,
    freeze,
    scale,
    to_expr,
)
from boundcheck.kernel.check.quotients import Quotients, Ratio
from boundcheck.kernel.formula import Expr, call, num
from boundcheck.kernel.formula.functions import TABLE
from boundcheck.kernel.formula.unfolding import unfolded

MOST_SHIFTS = 60  #: times that an argument of Gamma is made smaller by 1
_SIN_TABLE = {fmpq(0): fmpq(0), fmpq(1, 6): fmpq(1, 2), fmpq(1, 2): fmpq(1)}


class Algebra(Quotients):
    """Normal forms of formulas under a set of facts: which formulas are known to be > 0, or >= 0."""

    def is_zero(self, e: Expr) -> bool:
        """Whether ``e`` is exactly 0 wherever it is defined; False means unknown."""
        try:
            return self.normal(e).zero
        except AlgebraLimit:
            return False

    def _normal(self, e: Expr) -> Ratio:
        match e.op:
            case "num":
                q = fmpq(e.value.numerator, e.value.denominator)
                return Ratio({(): q} if q != 0 else {}, ONE)
            case "const" if e.value == "oo":
                raise AlgebraLimit("oo")
            case "var" | "const" | "integral" | "sum":
                return self.atom(e)
            case "add" | "sub":
                return self.plus(self.normal(e.args[0]), self.normal(e.args[1]), 1 if e.op == "add" else -1)
            case "neg":
                return self.times(Ratio({(): fmpq(-1)}, ONE), self.normal(e.args[0]))
            case "mul":
                return self.times(self.normal(e.args[0]), self.normal(e.args[1]))
            case "div":
                a, b = self.normal(e.args[0]), self.normal(e.args[1])
                return self.times(a, self.ratio(b.den, b.num))
            case "pow":
                return self._pow(self.normal(e.args[0]), self.normal(e.args[1]), e)
            case "sqrt":
                return self.root(self.normal(e.args[0]), fmpq(1, 2))
        return self._function(e)

    def _pow(self, a: Ratio, b: Ratio, e: Expr) -> Ratio:
        if not b.num:
            if e.args[1].op == "num" or self.positive(a.expr()):
                return Ratio(ONE, ONE)
            raise AlgebraLimit("a power with exponent 0 of an unknown base")
        return self.raised(a, freeze(self.as_poly(b)))

    def _function(self, e: Expr) -> Ratio:
        args = [self.normal(a) for a in e.args]
        u = args[0]
        match e.op:
            case "exp":
                return self.exponential(self.as_poly(u))
            case "log":
                return self.logarithm(u)
            case "sin" | "cos":
                return self._wave(e.op, self.as_poly(u))
            case "abs":
                return self._abs(u)
            case "min" | "max" if len(args) == 2 and (larger := self._larger(args[0], args[1])):
                return args[larger - 1] if e.op == "max" else args[2 - larger]
            case "gamma" | "loggamma":
                return self._gamma(e.op, u)
            case "floor" | "ceil":
                return self._step(e.op, u)
        inner = Expr(e.op, tuple(a.expr() for a in args), e.value)
        other = unfolded(inner)
        if other is not None:
            return self.normal(other)
        f = TABLE.get(e.op)
        value = freeze(u.num) if f is not None and u.den == ONE else None
        if f is not None and isinstance(value, fmpq) and value.q == 1 and int(value.p) in f.exact:
            exact = fmpq(f.exact[int(value.p)])
            return Ratio({(): exact} if exact != 0 else {}, ONE)
        return self._odd(e.op, u) if f is not None and f.odd else self.atom(inner)

    def _step(self, name: str, u: Ratio) -> Ratio:
        """floor or ceil, with the terms that are whole taken out."""
        if u.den != ONE:
            return self.atom(call(name, u.expr()))
        out = {m: c for m, c in u.num.items() if c.q == 1 and (not m or self.whole(freeze({m: c})))}
        rest = {m: c for m, c in u.num.items() if m not in out}
        constant = freeze(rest)
        if isinstance(constant, fmpq):
            constant = fmpq(floor(constant) if name == "floor" else -floor(-constant))
            return self.plus(Ratio(out, ONE), Ratio({(): constant} if constant != 0 else {}, ONE))
        return self.plus(Ratio(out, ONE), self.atom(call(name, to_expr(rest))))

    def _sign(self, p: Poly) -> int:
        return 1 if p[min(p, key=_mono_key)] > 0 else -1

    def _odd(self, name: str, u: Ratio) -> Ratio:
        sign = self._sign(u.num)
        v = u if sign > 0 else Ratio(scale(u.num, fmpq(-1)), u.den)
        known = {("atan", fmpq(1)): fmpq(1, 4), ("asin", fmpq(1)): fmpq(1, 2), ("asin", fmpq(1, 2)): fmpq(1, 6)}
        value = freeze(v.num) if v.den == ONE else None
        if isinstance(value, fmpq) and (name, value) in known:
            return Ratio({((_PI, fmpq(1)),): known[name, value] * sign}, ONE)
        return Ratio({((call(name, v.expr()), fmpq(1)),): fmpq(sign)}, ONE)

    def _abs(self, u: Ratio) -> Ratio:
        if not u.num:
            return u
        e = u.expr()
        ((m, c),) = u.num.items() if len(u.num) == 1 else (((), fmpq(-1)),)
        even = all(isinstance(x, fmpq) and x.q == 1 and int(x.p) % 2 == 0 for _, x in m)
        if self.nonnegative(e) or (c > 0 and even and u.den == ONE):
            return u
        if self.nonnegative(-e):
            return Ratio(scale(u.num, fmpq(-1)), u.den)
        sign = self._sign(u.num)
        v = Ratio(scale(u.num, fmpq(sign)), u.den)
        return self.atom(call("abs", v.expr()))

    def _larger(self, u: Ratio, v: Ratio) -> int:
        """1 or 2: which of two formulas is known to be at least the other; 0 where that is not known."""
        gap = self.plus(u, v, -1).expr()
        return 1 if self.nonnegative(gap) else 2 if self.nonnegative(-gap) else 0

    def _gamma(self, name: str, u: Ratio) -> Ratio:
        if u.den == ONE and isinstance(freeze(u.num), fmpq):
            q = freeze(u.num)
            if q.q == 1 and 1 <= q <= 30:
                value = fmpq(factorial(int(q.p) - 1))
                return Ratio({(): value}, ONE) if name == "gamma" else self.normal(call("log", num(fraction(value))))
            if q == fmpq(1, 2):
                root = Ratio({((_PI, fmpq(1, 2)),): fmpq(1)}, ONE)
                half_log = Ratio({((call("log", _PI), fmpq(1)),): fmpq(1, 2)}, ONE)
                return root if name == "gamma" else half_log
        less = self.plus(u, Ratio(ONE, ONE), -1)
        near = u.den == ONE and 1 <= u.num.get((), fmpq(0)) <= MOST_SHIFTS
        if near and self.positive(less.expr()):  # Gamma(v + 1) = v Gamma(v)
            below = self._gamma(name, less)
            if name == "gamma":
                return self.times(less, below)
            return self.plus(below, self.normal(call("log", less.expr())))
        return self.atom(call(name, u.expr()))

    def _wave(self, name: str, p: Poly) -> Ratio:
        """sin or cos of a sum by the addition formulas; small multiples expanded; odd and even folded."""
        if not p:
            return Ratio({}, ONE) if name == "sin" else Ratio(ONE, ONE)
        if len(p) > 3:
            return self._simple_wave(name, p)
        if len(p) > 1:
            first = min(p, key=_mono_key)
            a, b = {first: p[first]}, {m: c for m, c in p.items() if m != first}
            return self._sum_wave(name, a, b)
        ((m, c),) = p.items()
        if m == ((_PI, fmpq(1)),):
            special = self._pi_multiple(name, c)
            if special is not None:
                return special
        n = abs(int(c.p))
        if 2 <= n <= 8 and m != ():
            a = {m: c / n}
            return self._sum_wave(name, a, {m: c - c / n})
        return self._simple_wave(name, p)

    def _sum_wave(self, name: str, a: Poly, b: Poly) -> Ratio:
        sa, ca, sb, cb = (self._wave(f, x) for x in (a, b) for f in ("sin", "cos"))
        if name == "sin":
            return self.plus(self.times(sa, cb), self.times(ca, sb))
        return self.plus(self.times(ca, cb), self.times(sa, sb), -1)

    def _arc(self, name: str, p: Poly) -> Ratio | None:
        """sin and cos of asin, acos and atan."""
        m, c = next(iter(p.items()))
        if len(p) != 1 or abs(c) != 1 or len(m) != 1 or m[0][1] != 1 or m[0][0].op not in ("asin", "acos", "atan"):
            return None
        arc, u = m[0][0].op, m[0][0].args[0]
        if arc == "atan":
            value = (u if name == "sin" else num(1)) / call("sqrt", 1 + u * u)
        else:
            value = u if arc == "a" + name else call("sqrt", 1 - u * u)
        return self.normal(-value if name == "sin" and c < 0 else value)

    def _simple_wave(self, name: str, p: Poly) -> Ratio:
        found = self._arc(name, p)
        if found is not None:
            return found
        sign = self._sign(p)
        e = to_expr(scale(p, fmpq(sign)))
        return Ratio({((call(name, e), fmpq(1)),): fmpq(sign if name == "sin" else 1)}, ONE)

    def _pi_multiple(self, name: str, c: Any) -> Ratio | None:
        q = c + (fmpq(1, 2) if name == "cos" else 0)  # cos t = sin(t + pi/2)
        q = q - 2 * floor(q / 2)
        sign = 1
        if q >= 1:
            q, sign = q - 1, -1
        if q > fmpq(1, 2):
            q = 1 - q
        if q in _SIN_TABLE:
            value = _SIN_TABLE[q] * sign
            return Ratio({(): value} if value != 0 else {}, ONE)
        if q == fmpq(1, 4):
            return Ratio({((num(2), fmpq(1, 2)),): fmpq(sign, 2)}, ONE)
        if q.q == 10:  # sin(k pi/10) = (sqrt(5) -+ 1)/4 for k = 1, 3
            return Ratio({((num(5), fmpq(1, 2)),): fmpq(sign, 4), (): fmpq(sign * (1 if q.p == 3 else -1), 4)}, ONE)
        if q.q == 5:  # sin(2 pi/5) = sqrt((5 + sqrt 5)/8), sin(pi/5) = sin(2 pi/5) (sqrt 5 - 1)/2
            base = (5 + call("sqrt", num(5))) / 8
            root = self.normal(call("sqrt", base))
            if q.p == 1:
                root = self.times(root, Ratio({((num(5), fmpq(1, 2)),): fmpq(1, 2), (): fmpq(-1, 2)}, ONE))
            return self.times(Ratio({(): fmpq(sign)}, ONE), root)
        if q == fmpq(1, 3):
            return Ratio({((num(3), fmpq(1, 2)),): fmpq(sign, 2)}, ONE)
        return None
