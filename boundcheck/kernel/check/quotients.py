"""Quotients of sparse polynomials, with roots, exponentials and logarithms: what the verifier's normal forms are.

Integer parts of powers of primes and of sums, even powers of cosines and moduli are folded; a quotient whose
numerator is empty is exactly 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Any

from flint import fmpq

from boundcheck.kernel.check.poly import (
    _E,
    MAX_EXPAND,
    MAX_POWER_TERMS,
    MAX_WORK,
    ONE,
    AlgebraLimit,
    Exponent,
    Mono,
    Poly,
    _add_exponents,
    _key,
    _mono_key,
    add,
    floor,
    freeze,
    inverse,
    is_sum,
    merge,
    multiple,
    multiply,
    primes,
    scale,
    thaw,
    to_expr,
)
from boundcheck.kernel.formula import Expr, call, num


@dataclass(frozen=True)
class Ratio:
    """num/den; ``den`` is ONE or has several terms (single terms are folded into ``num``)."""

    num: Poly
    den: Poly

    @property
    def zero(self) -> bool:
        """Whether it is exactly 0; False means unknown."""
        return not self.num

    def expr(self) -> Expr:
        """A formula for the quotient."""
        return to_expr(self.num) if self.den == ONE else to_expr(self.num) / to_expr(self.den)


class Quotients(ABC):
    """Ratios under a set of facts, ``positive(e)``: e > 0 is known, ``nonnegative(e)``: e >= 0 is.

    They raise :class:`AlgebraLimit`.
    """

    def __init__(
        self,
        positive: Callable[[Expr], bool] = lambda e: False,
        integers: frozenset[str] = frozenset(),
        nonnegative: Callable[[Expr], bool] = lambda e: False,
    ):
        self._positive, self._integers, self._nonnegative = positive, integers, nonnegative
        self._forms: dict[Expr, Ratio] = {}
        self._known: dict[Expr, bool] = {}
        self._weakly: dict[Expr, bool] = {}
        self._work = 0

    def normal(self, e: Expr) -> Ratio:
        """The normal form of a formula."""
        found = self._forms.get(e)
        if found is None:
            found = self._forms[e] = self._normal(e)
        return found

    @abstractmethod
    def _normal(self, e: Expr) -> Ratio: ...

    def positive(self, atom: Expr) -> bool:
        """Whether ``atom > 0`` is known."""
        if atom.op in ("num", "const"):
            return atom.op == "const" or atom.value > 0
        if atom not in self._known:
            self._known[atom] = self._positive(atom)
        return self._known[atom]

    def nonnegative(self, e: Expr) -> bool:
        """Whether ``e >= 0`` is known."""
        if e not in self._weakly:
            self._weakly[e] = self.positive(e) or self._nonnegative(e)
        return self._weakly[e]

    def ratio(self, numerator: Poly, denominator: Poly) -> Ratio:
        """The settled quotient, monomial denominators folded in."""
        top, bottom = self.settle(numerator), self.settle(denominator)
        if top.den != ONE or bottom.den != ONE:
            return self.ratio(multiply(top.num, bottom.den), multiply(top.den, bottom.num))
        if not bottom.num:
            raise AlgebraLimit("division by zero")
        if not top.num:
            return Ratio({}, ONE)
        if len(bottom.num) == 1:
            ((m, c),) = bottom.num.items()
            return self.settle(multiply(top.num, {inverse(m): 1 / c}))
        if len(top.num) == len(bottom.num):
            m = next(iter(bottom.num))
            if m in top.num:
                factor = top.num[m] / bottom.num[m]
                if not add(top.num, bottom.num, -factor):
                    return Ratio({(): factor}, ONE)
        return Ratio(top.num, bottom.num)

    def settle(self, p: Poly) -> Ratio:
        """Fold integer parts of powers of primes and of sums, and even powers of cosines."""
        plain: Poly = {}
        rest = Ratio({}, ONE)
        for m, c in p.items():
            for i, (atom, x) in enumerate(m):
                whole = self._whole(atom, x)
                if atom.op == "num" and atom.value == -1 and not isinstance(x, fmpq):
                    parity = _parity(x)
                    if parity != x:
                        remaining = merge(m[:i] + m[i + 1 :], () if parity == 0 else ((atom, parity),))
                        rest = self.plus(rest, self.settle({remaining: c}))
                        break
                if whole:
                    remaining = m[:i] + m[i + 1 :]
                    left = _add_exponents(x, fmpq(-whole))
                    if not (isinstance(left, fmpq) and left == 0):
                        remaining = merge(remaining, ((atom, left),))
                    base = self._base(atom, whole)
                    part = self.times(Ratio({remaining: c}, ONE), base)
                    rest = self.plus(rest, part)
                    break
            else:
                plain[m] = c
        return Ratio(plain, ONE) if not rest.num else self.plus(Ratio(plain, ONE), rest)

    def _whole(self, atom: Expr, x: Exponent) -> int:
        """The integer part of an exponent that must be folded, or 0."""
        if atom.op == "num" or is_sum(atom):
            constant = x if isinstance(x, fmpq) else dict(x).get((), fmpq(0))
            return floor(constant)
        if atom.op in ("cos", "abs") and isinstance(x, fmpq) and x.q == 1 and x >= 2:
            return 2 * (int(x.p) // 2)
        return 0

    def _base(self, atom: Expr, n: int) -> Ratio:
        if atom.op == "cos":
            sine = self.normal(call("sin", atom.args[0]))
            return self.power(self.plus(Ratio(ONE, ONE), self.times(sine, sine), -1), n // 2)
        if atom.op == "abs":
            return self.power(self.normal(atom.args[0]), n)
        if atom.op == "num":
            return Ratio({(): fmpq(atom.value.numerator, atom.value.denominator) ** n}, ONE)
        return self.power(self.normal(atom), n)

    def _take(self, products: int) -> None:
        """Count work that is done, in products of terms."""
        self._work += products
        if self._work > MAX_WORK:
            raise AlgebraLimit("too much work")

    def plus(self, a: Ratio, b: Ratio, sign: int = 1) -> Ratio:
        """a + sign b."""
        if a.den == b.den:
            total = add(a.num, b.num, fmpq(sign))
            return Ratio(total, a.den) if total else Ratio({}, ONE)
        self._take(len(a.num) * len(b.den) + len(b.num) * len(a.den) + len(a.den) * len(b.den))
        return self.ratio(add(multiply(a.num, b.den), multiply(b.num, a.den), fmpq(sign)), multiply(a.den, b.den))

    def times(self, a: Ratio, b: Ratio) -> Ratio:
        """a b."""
        self._take(len(a.num) * len(b.num) + len(a.den) * len(b.den))
        if a.den == b.num and a.den != ONE:
            return Ratio(a.num, b.den)
        if b.den == a.num and b.den != ONE:
            return Ratio(b.num, a.den)
        if a.den == ONE and b.den == ONE:
            return self.settle(multiply(a.num, b.num))
        return self.ratio(multiply(a.num, b.num), multiply(a.den, b.den))

    def power(self, a: Ratio, n: int) -> Ratio:
        """a**n for an integer n other than 0."""
        if n < 0:
            return self.power(self.ratio(a.den, a.num), -n)
        if len(a.num) == 1 and a.den == ONE:
            ((m, c),) = a.num.items()
            if n > 1000 and abs(c) != 1:
                raise AlgebraLimit("a power too large to expand")
            return self.settle({tuple((t, multiple(x, n)) for t, x in m): c**n})
        if n > MAX_EXPAND or comb(n + len(a.num) - 1, n) > MAX_POWER_TERMS:
            raise AlgebraLimit("a power too large to expand")
        out = Ratio(ONE, ONE)
        for _ in range(n):
            out = self.times(out, a)
        return out

    def as_poly(self, a: Ratio) -> Poly:
        """The ratio as a polynomial, its denominator as an atom with exponent -1 whose first coefficient is 1."""
        if a.den == ONE:
            return a.num
        lead = a.den[min(a.den, key=_mono_key)]
        return multiply(a.num, {((to_expr(scale(a.den, 1 / lead)), fmpq(-1)),): 1 / lead})

    def content(self, p: Poly) -> tuple[Any, Mono, Poly]:
        """(c, m, q) with p = c m q; c > 0, m in positive atoms, q primitive with a fixed leading sign kept."""
        common: dict[Expr, Any] | None = None
        for m in p:
            here = {a: x for a, x in m if isinstance(x, fmpq)}
            if common is None:
                common = here
            else:
                both = common.keys() & here.keys()
                merged = {a: min(common[a], here[a]) for a in both}
                for a in (common.keys() | here.keys()) - both:
                    low = min(common.get(a, fmpq(0)), here.get(a, fmpq(0)))
                    if low < 0:
                        merged[a] = low
                common = merged
        symbolic = [{a: x for a, x in m if not isinstance(x, fmpq)} for m in p]
        for a, x in symbolic[0].items():
            shifts = [freeze(add(thaw(s[a]), scale(thaw(x), fmpq(-1)))) if a in s else None for s in symbolic[1:]]
            numbers = [y for y in shifts if isinstance(y, fmpq)]
            if len(numbers) == len(shifts) and common is not None:
                common[a] = freeze(add(thaw(x), {(): low})) if (low := min([fmpq(0), *numbers])) else x
        takes_out = self.nonnegative if self._product_of_sizes(p) else self.positive
        mono: Mono = tuple(
            sorted(((a, x) for a, x in (common or {}).items() if x != 0 and takes_out(a)), key=lambda t: _key(t[0]))
        )
        divisor = inverse(mono)
        first = min(p, key=_mono_key)
        c = abs(p[first])
        rest = {merge(m, divisor): v / c for m, v in p.items()}
        return c, mono, rest

    def _above_zero(self, p: Poly) -> bool:
        """Whether a sum of several terms is known to be > 0, as it stands or without its positive factors."""
        return self.positive(to_expr(p)) or (len(p) > 1 and self.positive(to_expr(self.content(p)[2])))

    def _product_of_sizes(self, p: Poly) -> bool:
        """One term, each factor of which is >= 0: then (a b)**x = a**x b**x where a factor is 0 too."""
        return len(p) == 1 and all(
            self.nonnegative(a) or (isinstance(x, fmpq) and x.q == 1 and int(x.p) % 2 == 0) for a, x in next(iter(p))
        )

    def atom(self, e: Expr) -> Ratio:
        """A formula taken as an unknown of its own."""
        return Ratio({((e, fmpq(1)),): fmpq(1)}, ONE)

    def raised(self, a: Ratio, x: Exponent) -> Ratio:
        """a**x for an exponent other than 0."""
        return self.power(a, int(x.p)) if isinstance(x, fmpq) and x.q == 1 else self.root(a, x)

    def root(self, a: Ratio, x: Exponent) -> Ratio:
        """a**x for an exponent that is no number, or none that is whole.

        So a >= 0 wherever the power is defined, unless the exponent is whole by its form. Then (a b)**x = a**x b**x
        and a**x a**y = a**(x+y) hold for every a at which both sides are defined, 0 with 0**0 = 1 included.
        """
        if not a.num:
            if (isinstance(x, fmpq) and x > 0) or (not isinstance(x, fmpq) and self.positive(to_expr(thaw(x)))):
                return Ratio({}, ONE)
            raise AlgebraLimit("a power of 0")
        top = self._root_poly(a.num, x) if a.den == ONE or self._above_zero(a.den) else None
        if top is None:
            return self._raise(a.expr(), x)
        if a.den == ONE:
            return top
        return self.times(top, self._root_poly(a.den, multiple(x, -1)))

    def whole(self, x: Exponent) -> bool:
        """Whether an exponent is whole by its form: integer coefficients, powers of integer variables."""
        return not isinstance(x, fmpq) and all(
            c.q == 1
            and all(
                a.op == "var" and a.value in self._integers and isinstance(y, fmpq) and y.q == 1 and y > 0
                for a, y in m
            )
            for m, c in x
        )

    def _whole_power(self, p: Poly, x: Exponent) -> Ratio | None:
        """(c m)**x = c**x m**x for a single term and a whole exponent, (-1)**x apart."""
        if len(p) != 1 or not self.whole(x):
            return None
        ((m, c),) = p.items()
        out = self.settle({((num(-1), x),): fmpq(1)}) if c < 0 else Ratio(ONE, ONE)
        for prime, k in (*primes(abs(int(c.p))), *((q, -k) for q, k in primes(int(c.q)))):
            out = self.times(out, self._raise(num(prime), multiple(x, k)))
        for atom, y in m:
            raised = freeze(multiply(thaw(y), thaw(x)))
            part = self.exponential(thaw(raised)) if atom is _E else self._raise(atom, raised)
            out = self.times(out, part)
        return out

    def _raise(self, base: Expr, x: Exponent) -> Ratio:
        if base.op == "num" and not isinstance(x, fmpq):  # p**(u/log(p)) = exp(u)
            over = (call("log", base), fmpq(-1))
            moved = {tuple(t for t in m if t != over): c for m, c in x if over in m}
            if moved:
                kept = freeze({m: c for m, c in x if over not in m})
                rest = Ratio(ONE, ONE) if isinstance(kept, fmpq) and kept == 0 else self._raise(base, kept)
                return self.times(self.exponential(moved), rest)
        return self.settle({((base, x),): fmpq(1)})

    def _root_poly(self, p: Poly, x: Exponent) -> Ratio:
        found = self._whole_power(p, x)
        if found is not None:
            return found
        c, mono, rest = self.content(p)
        if len(rest) == 1 and next(iter(rest.values())) < 0:
            return self._raise(to_expr(p), x)
        out = Ratio(ONE, ONE)
        for prime, k in (*primes(int(c.p)), *((q, -k) for q, k in primes(int(c.q)))):
            out = self.times(out, self._raise(num(prime), multiple(x, k)))
        for atom, y in mono:
            if atom is _E:
                out = self.times(out, self.exponential(multiply(thaw(y), thaw(x))))
            else:
                out = self.times(out, self._raise(atom, freeze(multiply(thaw(y), thaw(x)))))
        for a, y in self._moduli(rest):  # (a^2 b^4)**x = |a|**(2 x) |b|**(4 x)
            exponent = multiple(x, y)
            whole = isinstance(exponent, fmpq) and exponent.q == 1
            out = self.times(out, self.power(a, int(exponent.p)) if whole else self._raise(a.expr(), exponent))
            rest = ONE
        return out if rest == ONE else self.times(out, self._raise(to_expr(rest), x))

    def _moduli(self, p: Poly) -> list[tuple[Ratio, Any]]:
        """A product of even powers as powers of moduli; nothing for another formula."""
        if len(p) != 1 or next(iter(p.values())) != 1:
            return []
        ((m, _),) = p.items()
        if not all(isinstance(x, fmpq) and x.q == 1 and int(x.p) % 2 == 0 for _, x in m):
            return []
        return [(self.normal(call("abs", a)), x) for a, x in m]

    def exponential(self, u: Poly) -> Ratio:
        """exp(u): a power of E, with terms k*log(a) turned into powers of a."""
        out = Ratio(ONE, ONE)
        kept: Poly = {}
        for m, c in u.items():
            logs = [(a, x) for a, x in m if a.op == "log"]
            if len(logs) == 1 and logs[0][1] == 1:
                rest = tuple(t for t in m if t != logs[0])
                out = self.times(out, self.raised(self.normal(logs[0][0].args[0]), freeze({rest: c})))
            else:
                kept[m] = c
        return self.times(out, Ratio({((_E, freeze(kept)),): fmpq(1)}, ONE)) if kept else out

    def logarithm(self, a: Ratio) -> Ratio:
        """log a: a sum of logarithms of primes, of positive atoms and of what is left."""
        if not a.num:
            raise AlgebraLimit("log of 0")
        if a.den != ONE and not self._above_zero(a.den):
            return self.atom(call("log", a.expr()))
        top = self._log_poly(a.num)
        return top if a.den == ONE else self.plus(top, self._log_poly(a.den), -1)

    def _log_poly(self, p: Poly) -> Ratio:
        c, mono, rest = self.content(p)
        moduli = self._moduli(rest)
        if len(rest) == 1 and rest != ONE and not moduli:
            return self.atom(call("log", to_expr(p)))
        out: Poly = {}
        sums = Ratio({}, ONE)
        for a, x in moduli:
            out = add(out, {((call("log", a.expr()), fmpq(1)),): x})
            rest = ONE
        for prime, k in (*primes(int(c.p)), *((q, -k) for q, k in primes(int(c.q)))):
            out = add(out, {((call("log", num(prime)), fmpq(1)),): fmpq(k)})
        for atom, x in mono:
            head = call("loggamma", atom.args[0]) if atom.op == "gamma" else call("log", atom)
            piece: Poly = ONE if atom is _E else {((head, fmpq(1)),): fmpq(1)}
            if is_sum(atom):  # it may be a quotient, and its logarithm one
                sums = self.plus(sums, self.times(self.settle(thaw(x)), self.logarithm(self.normal(atom))))
                continue
            out = add(out, multiply(thaw(x), piece))
        if rest != ONE:
            out = add(out, {((call("log", to_expr(rest)), fmpq(1)),): fmpq(1)})
        return self.plus(self.settle(out), sums)


def _parity(x: Exponent) -> Exponent:
    """An exponent of -1 modulo 2: what its integer coefficients multiply is whole, or the power is not defined."""
    reduced = {m: fmpq(int(c.p) % 2) if c.q == 1 and all(a.op == "var" for a, _ in m) else c for m, c in x}
    return freeze({m: c for m, c in reduced.items() if c != 0})
