"""The normal form of a formula on a domain, and the conditions under which it is valid.

Rewriting uses identities that hold at every point where the formula is defined; each needs signs that
are *proved* from the hypotheses (:class:`boundcheck.kernel.exact.known_signs.Facts`). What could not be proved is
kept as an open condition: the zero test holds on the points that satisfy the open conditions.
Where a rewriting depends on a sign that is not known, :class:`Split` asks for a case distinction.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import factorial, floor

from boundcheck.kernel.exact import closed_forms, trigonometry
from boundcheck.kernel.exact.known_signs import NONNEGATIVE, POSITIVE, Facts, mentions, to_expr
from boundcheck.kernel.exact.power_products import (
    ONE,
    UNIT,
    ZERO,
    Base,
    Exponent,
    Mono,
    Poly,
    as_exponent,
    canonical,
    constant_part,
    exponent_poly,
    factor,
    generator,
    integer_power,
    key,
    multiply_exponents,
    number,
    prime_powers,
    primitive_part,
    scale_exponent,
    symbol,
)
from boundcheck.kernel.formula import BINDERS, RELATIONS, Expr, Relation, is_opaque, num, parse, substitute, var
from boundcheck.kernel.formula.functions import TABLE
from boundcheck.kernel.formula.unfolding import unfolded

E_BASE: Base = ("c", "E")
PI = generator(("c", "pi"))
HALF = Fraction(1, 2)


class Split(Exception):
    """The sign of ``poly`` decides how to go on; ``pivot`` is its formula in the caller's variables."""

    def __init__(self, poly: Poly, pivot: Expr | None = None):
        super().__init__("a case distinction is needed")
        self.poly, self.pivot = poly, pivot


class NotNormal(Exception):
    """The formula has a part that no rule reads."""


class Normaliser:
    """Formula -> Poly under ``facts``; ``open`` collects the conditions that were not proved."""

    def __init__(self, facts: Facts, integers: frozenset[str] = frozenset()):
        self.facts = facts
        self.integers = integers
        self.open: set[Relation] = set()
        self.depth = 0  # of binders and opaque heads: inside them no case distinction is allowed
        self._memo: dict[Expr, Poly] = {}

    # -------------------------------------------------------------- conditions

    def require(self, p: Poly, relation: str) -> None:
        """Note that p > 0, p >= 0 or p != 0 is needed, unless it is known."""
        known = {">": self.facts.is_positive, ">=": self.facts.is_nonnegative, "!=": self.facts.is_nonzero}
        if not known[relation](p):
            self.open.add(Relation(relation, to_expr(p), num(0)))

    def split(self, p: Poly) -> None:
        """Ask for the sign of p, where that is allowed."""
        if self.depth == 0:
            raise Split(p)

    def factor(self, p: Poly) -> tuple[Fraction, tuple[tuple[Base, Exponent], ...]]:
        """As :func:`boundcheck.kernel.exact.power_products.factor`, sums that are known to be <= 0 turned around."""
        c, factors = factor(p)
        turned = []
        for base, e in factors:
            if base[0] == "p" and 1 not in self.facts.sign(base[1]):
                base = ("p", -base[1])
                c = -c if isinstance(e, Fraction) and e.denominator == 1 and e % 2 else c
            turned.append((base, e))
        return c, tuple(turned)

    # -------------------------------------------------------------- the walk

    def poly(self, e: Expr) -> Poly:
        """The normal form of ``e``."""
        found = self._memo.get(e)
        if found is None:
            found = self._memo[e] = self._poly(e)
        return found

    def _poly(self, e: Expr) -> Poly:
        match e.op:
            case "num":
                return number(e.value)
            case "var":
                return symbol(e.value)
            case "const":
                if e.value == "oo":
                    raise NotNormal("oo")
                return PI if e.value == "pi" else generator(E_BASE)
            case "add":
                return self.poly(e.args[0]) + self.poly(e.args[1])
            case "sub":
                return self.poly(e.args[0]) - self.poly(e.args[1])
            case "neg":
                return -self.poly(e.args[0])
            case "mul":
                return self.poly(e.args[0]) * self.poly(e.args[1])
            case "div":
                return self.poly(e.args[0]) * self.power(self.poly(e.args[1]), Fraction(-1))
            case "pow":
                return self.power(self.poly(e.args[0]), as_exponent(self.poly(e.args[1])))
            case "sqrt":
                return self.power(self.poly(e.args[0]), HALF)
            case "min" | "max":
                return self._extreme(e.op, [canonical(self.poly(a)) for a in e.args])
            case "asin" | "acos" | "atan" if e.args[0].op in ("sin", "cos", "tan"):
                return self._arc(e)
            case op if op in BINDERS:
                return self._binder(e)
            case op if is_opaque(e) or op in RELATIONS:
                return self._opaque(e)
            case op if op in _FUNCTION:
                return _FUNCTION[op](self, canonical(self.poly(e.args[0])))
            case op if op in TABLE:
                other = unfolded(e)
                return self._plain(op, canonical(self.poly(e.args[0]))) if other is None else self.poly(other)
        raise NotNormal(e.op)

    def _plain(self, name: str, p: Poly) -> Poly:
        """A function of which the table alone is known."""
        f = TABLE[name]
        if f.low != "-oo":
            self.require(canonical(p - self.poly(parse(f.low))), ">=" if f.closed[0] else ">")
        if f.high != "oo":
            self.require(canonical(self.poly(parse(f.high)) - p), ">=" if f.closed[1] else ">")
        for at, value in f.exact.items():
            if p == number(Fraction(at)):
                return number(Fraction(value))
        return self.odd(name, p) if f.odd else generator(("f", name, (p,)))

    def _arc(self, e: Expr) -> Poly:
        """An inverse function of sin, cos or tan."""
        inner = e.args[0]
        angle = trigonometry.on_its_branch(self, e.op, inner.op, canonical(self.poly(inner.args[0])))
        if angle is not None:
            return angle
        other = unfolded(e)
        return self._plain(e.op, canonical(self.poly(inner))) if other is None else self.poly(other)

    # -------------------------------------------------------------- powers, exp and log

    def power(self, p: Poly, q: Exponent) -> Poly:
        """p**q."""
        if isinstance(q, Fraction) and q.denominator == 1:
            if q >= 0:
                return integer_power(p, int(q))
            p = canonical(p)
            self.require(p, "!=")
            if not p.terms:
                raise NotNormal("division by zero")
            c, factors = self.factor(p)
            return self._times(c ** int(q), [(b, scale_exponent(e, q)) for b, e in factors])
        p = canonical(p)
        if closed_forms.is_integer(exponent_poly(q), self) and not self.facts.is_positive(p):
            return self._whole_power(p, exponent_poly(q))
        surely_positive_exponent = self.facts.is_positive(exponent_poly(q))
        self.require(p, ">=" if surely_positive_exponent else ">")
        if not p.terms:
            return ZERO
        c, factors = self.factor(p)
        if c < 0 or not self._factors_signed(factors):
            return generator(("f", "pow", (p, exponent_poly(q))))
        numbers: list[tuple[Base, Exponent]] = []
        for part, sign in ((c.numerator, 1), (c.denominator, -1)):
            numbers += [(("n", prime), scale_exponent(q, Fraction(k * sign))) for prime, k in prime_powers(part)]
        return self._times(Fraction(1), numbers + [(b, multiply_exponents(e, q)) for b, e in factors])

    def _whole_power(self, p: Poly, q: Poly) -> Poly:
        """p**q for an exponent that is an integer by its form: any base (but 0 unless q >= 0), and 0**0 = 1."""
        if not self.facts.is_nonnegative(q):
            self.require(p, "!=")
        if len(p.terms) != 1:
            return generator(("f", "pow", (p, q)))
        ((mono, c),) = p.terms.items()
        result = ONE
        for part, sign in ((abs(c.numerator), 1), (c.denominator, -1)):
            for prime, k in prime_powers(part):
                result = result * generator(("n", prime), scale_exponent(as_exponent(q), Fraction(k * sign)))
        if c < 0:
            result = result * generator(("f", "pow", (number(-1), q)))
        for base, e in mono:
            result = result * generator(base, multiply_exponents(e, as_exponent(q)))
        return result

    def _factors_signed(self, factors: tuple[tuple[Base, Exponent], ...]) -> bool:
        for base, _ in factors:
            if self.facts.base_sign(base) <= NONNEGATIVE:
                continue
            self.split(generator(base))
            return False
        return True

    def _times(self, c: Fraction, factors: list[tuple[Base, Exponent]]) -> Poly:
        result = number(c)
        for base, e in factors:
            result = result * generator(base, e)
        return result

    def exp(self, p: Poly) -> Poly:
        result, rest = ONE, ZERO
        for mono, c in p.terms.items():
            logs = [(b, e) for b, e in mono if b[0] == "f" and b[1] == "log" and e == 1]
            if logs:
                exponent = as_exponent(Poly({mono - {logs[0]}: c}))
                result = result * self.power(logs[0][0][2][0], exponent)
            else:
                rest += Poly({mono: c})
        return result * generator(E_BASE, as_exponent(rest)) if rest.terms else result

    def log(self, p: Poly) -> Poly:
        """log p; requires p > 0."""
        self.require(p, ">")
        if not p.terms:
            raise NotNormal("log 0")
        c, factors = self.factor(p)
        if c < 0 or not self._factors_signed(factors):
            return generator(("f", "log", (p,)))
        total = ZERO
        for part, sign in ((c.numerator, 1), (c.denominator, -1)):
            for prime, k in prime_powers(part):
                total += generator(("f", "log", (number(prime),))).scaled(Fraction(k * sign))
        for base, e in factors:
            atom = ONE if base == E_BASE else generator(("f", "log", (generator(base),)))
            total += atom * exponent_poly(e)
        return total

    # -------------------------------------------------------------- abs, min, max, floor

    def abs(self, p: Poly) -> Poly:
        """The modulus of p, resolved where the sign is known."""
        signs = self.facts.sign(p)
        if -1 not in signs:
            return p
        if 1 not in signs:
            return -p
        self.split(p)
        c, q = primitive_part(p)
        return generator(("f", "abs", (q,))).scaled(abs(c))

    def _extreme(self, op: str, items: list[Poly]) -> Poly:
        kept: list[Poly] = []
        for p in items:
            kept = [k for k in kept if not self._beats(op, p, k)]
            if not any(self._beats(op, k, p) for k in kept):
                kept.append(p)
        if len(kept) == 1:
            return kept[0]
        self.split(canonical(kept[0] - kept[1]))
        return generator(("f", op, tuple(sorted(kept, key=key))))

    def _beats(self, op: str, a: Poly, b: Poly) -> bool:
        return self.facts.is_nonnegative(canonical(b - a) if op == "min" else canonical(a - b))

    def floor(self, p: Poly) -> Poly:
        """The floor of p, the terms that are whole and the whole part of its constant taken out."""
        whole = number(floor(p.terms.get(UNIT, Fraction(0))))
        for mono, c in p.terms.items():
            if mono != UNIT and closed_forms.is_integer(Poly({mono: c}), self):
                whole += Poly({mono: c})
        rest = p - whole
        if rest.constant is not None:
            return whole
        return whole + generator(("f", "floor", (rest,)))

    # -------------------------------------------------------------- gamma and the error function

    def gamma(self, p: Poly) -> Poly:
        """Gamma(p); requires p > 0."""
        self.require(p, ">")
        c = p.constant
        if c is not None and c.denominator == 1 and 0 < c <= 200:
            return number(factorial(int(c) - 1))
        shift = floor(constant_part(p))
        low = p - number(shift)
        if abs(shift) > 60 or not self.facts.is_positive(low):
            return generator(("f", "gamma", (p,)))
        result = generator(("c", "pi"), HALF) if low.constant == HALF else generator(("f", "gamma", (low,)))
        for i in range(shift):
            result = result * (low + number(i))
        for i in range(shift, 0):
            result = result * self.power(low + number(i), Fraction(-1))
        return result

    def odd(self, name: str, p: Poly) -> Poly:
        """An odd function: the sign of the leading coefficient is taken out."""
        if not p.terms:
            return ZERO
        c, _ = primitive_part(p)
        atom = generator(("f", name, (p if c > 0 else -p,)))
        return atom if c > 0 else -atom

    # -------------------------------------------------------------- binders and proof terms

    def _opaque(self, e: Expr) -> Poly:
        self.depth += 1
        try:
            if e.op in RELATIONS:
                return self._event(e)
            arguments = [canonical(self.poly(a)) for a in e.args]
        finally:
            self.depth -= 1
        if e.op in ("dot", "both", "either"):
            arguments.sort(key=key)
        return generator(("f", e.op, tuple(arguments)))

    def _event(self, e: Expr) -> Poly:
        left, right = e.args
        op = {"<": ">", "<=": ">="}.get(e.op, e.op)
        gap = canonical(self.poly(left) - self.poly(right))
        gap = -gap if op != e.op else gap
        c, factors = self.factor(gap)
        kept = [(b, x) for b, x in factors if self.facts.base_sign(b) != POSITIVE]
        sign = Fraction(1 if c > 0 else -1 if c < 0 else 0)
        if op in ("==", "!="):
            sign = abs(sign)
        return generator(("f", op, (self._times(sign, kept),)))

    def _binder(self, e: Expr) -> Poly:
        body, bound, low, high = e.args
        fresh = f"@{self.depth}"
        inner = Normaliser(self.facts.copy(), self.integers)
        inner.depth = self.depth + 1
        if e.op == "sum":
            inner.integers = self.integers | {fresh}
        ends = [self._end(low), self._end(high)]
        closed_forms.bound_facts(inner.facts, fresh, ends[0], ends[1], e.op == "sum")
        integrand = canonical(inner.poly(substitute(body, {bound.value: var(fresh)})))
        for condition in inner.open:
            self.open.add(condition if fresh not in condition.free else Relation("==", e, e))
        rule = closed_forms.integral if e.op == "integral" else closed_forms.summation
        return rule(self, e, integrand, fresh, ends[0], ends[1])

    def _end(self, e: Expr) -> Poly | None:
        """An end of a binder; None for an infinite one."""
        if e.op == "const" and e.value == "oo":
            return None
        if e.op == "neg" and e.args[0].op == "const" and e.args[0].value == "oo":
            return None
        return canonical(self.poly(e))


_FUNCTION: dict[str, Callable[[Normaliser, Poly], Poly]] = {
    "exp": Normaliser.exp,
    "log": Normaliser.log,
    "abs": Normaliser.abs,
    "floor": Normaliser.floor,
    "ceil": lambda n, p: -n.floor(-p),
    "gamma": Normaliser.gamma,
    "loggamma": lambda n, p: n.log(canonical(n.gamma(p))),
    "atan": trigonometry.arctangent,
    "sin": lambda n, p: trigonometry.sine_cosine(n, p)[0],
    "cos": lambda n, p: trigonometry.sine_cosine(n, p)[1],
}

__all__ = ["Mono", "Normaliser", "NotNormal", "Split", "mentions"]
