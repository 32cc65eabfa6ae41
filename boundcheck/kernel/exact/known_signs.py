"""What the hypotheses say about signs: bounds of variables and known signs of sums, and what follows.

Signs are sets of possible signs, a subset of {-1, 0, 1}; the empty knowledge is ANY. The reasoning is
exact: products and sums of signs, then a shift of every variable to its bound (x = 1 + u, u > 0),
then one enclosure in ball arithmetic over the box of the bounds. Nothing is sampled.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice, product

from flint import arb, fmpq

from boundcheck.kernel.enclosure.intervals import INF, NINF, Interval
from boundcheck.kernel.enclosure.ranges import evaluate
from boundcheck.kernel.exact.power_products import (
    UNIT,
    Base,
    Exponent,
    Mono,
    Poly,
    TooLarge,
    exponent_poly,
    factor,
    generator,
    integer_power,
    number,
    primitive_part,
)
from boundcheck.kernel.formula import RELATIONS, Expr, call, const, num, var
from boundcheck.kernel.formula.functions import RISING, TABLE

Signs = frozenset[int]
ANY: Signs = frozenset({-1, 0, 1})
POSITIVE: Signs = frozenset({1})
NONNEGATIVE: Signs = frozenset({0, 1})
NONZERO: Signs = frozenset({-1, 1})
BY_RELATION: dict[str, Signs] = {
    ">": POSITIVE,
    ">=": NONNEGATIVE,
    "<": frozenset({-1}),
    "<=": frozenset({-1, 0}),
    "==": frozenset({0}),
    "!=": NONZERO,
}
_SHIFT_CHOICES = 48  #: combinations of bounds that are tried
_NONNEGATIVE_HEADS = frozenset({"norm", "P", "abs"})


def times(a: Signs, b: Signs) -> Signs:
    """The signs that a product may have."""
    return frozenset(x * y for x in a for y in b)


def plus(a: Signs, b: Signs) -> Signs:
    """The signs that a sum may have."""
    result: set[int] = set()
    for x in a:
        for y in b:
            result |= {x + y} if x * y == 0 else ({x} if x == y else ANY)
    return frozenset(result)


def to_expr(p: Poly) -> Expr:
    """The formula of a Poly (the conditions left open are reported with it)."""
    total: Expr = num(0)
    for mono, c in sorted(p.terms.items(), key=str):
        term: Expr = num(c)
        for base, e in mono:
            power = num(e) if isinstance(e, Fraction) else to_expr(e)
            term = term * base_expr(base) ** power
        total = total + term
    return total


def base_expr(base: Base) -> Expr:
    """The formula that a base stands for."""
    kind = base[0]
    if kind == "n":
        return num(base[1])
    if kind == "c":
        return const(base[1])
    if kind == "s":
        return var(base[1])
    if kind == "p":
        return to_expr(base[1])
    arguments = [to_expr(a) for a in base[2]]
    if base[1] in RELATIONS:
        return Expr(base[1], (arguments[0], num(0)))
    return arguments[0] ** arguments[1] if base[1] == "pow" else call(base[1], *arguments)


class Facts:
    """Bounds and signs known on a domain. ``know`` adds one fact; ``sign`` answers."""

    def __init__(self) -> None:
        self.low: dict[str, tuple[Fraction, bool]] = {}
        self.high: dict[str, tuple[Fraction, bool]] = {}
        self.signs: dict[Poly, Signs] = {}
        self._memo: dict[Poly, Signs] = {}
        self._symbols: dict[str, Signs] = {}
        self._busy: set[Poly] = set()

    def copy(self) -> Facts:
        """The same facts, to be added to."""
        other = Facts()
        other.low, other.high, other.signs = dict(self.low), dict(self.high), dict(self.signs)
        return other

    def know(self, p: Poly, signs: Signs) -> None:
        """The sign of p lies in ``signs`` at every point of the domain."""
        c, factors = factor(p)
        if c == 0:
            return
        # strip factors that are surely positive
        rest = [(b, e) for b, e in factors if self.base_sign(b) != POSITIVE]
        q = number(1 if c > 0 else -1)
        for b, e in rest:
            q = q * generator(b, e)
        q, flip = _oriented(q)
        signs = frozenset(s * flip for s in signs)
        self.signs[q] = self.signs.get(q, ANY) & signs
        self._bound(q, signs)
        self._memo.clear()  # last: the lines above ask for signs themselves
        self._symbols.clear()

    def _bound(self, q: Poly, signs: Signs) -> None:
        """x - c >= 0 and the like as a bound of x."""
        linear = _linear(q)
        if linear is None:
            return
        name, a, b = linear
        at = -b / a
        if a < 0:
            signs = frozenset(-s for s in signs)
        strict = 0 not in signs
        if -1 not in signs:
            old = self.low.get(name)
            if old is None or at > old[0] or (at == old[0] and strict):
                self.low[name] = (at, strict)
        if 1 not in signs:
            old = self.high.get(name)
            if old is None or at < old[0] or (at == old[0] and strict):
                self.high[name] = (at, strict)

    # -------------------------------------------------------------- answers

    def base_sign(self, base: Base) -> Signs:
        """The signs that a base may have."""
        kind = base[0]
        if kind in ("n", "c"):
            return POSITIVE
        if kind == "p":
            return self.sign(base[1])
        p = generator(base)
        known = self.signs.get(p, ANY)
        if kind == "s":
            low, high = self.low.get(base[1]), self.high.get(base[1])
            if low and low[0] >= 0:
                known &= POSITIVE if low[1] or low[0] > 0 else NONNEGATIVE
            if high and high[0] <= 0:
                known &= frozenset({-1}) if high[1] or high[0] < 0 else frozenset({-1, 0})
            return known & self._symbol_sign(base[1], p) if len(known) == 3 else known
        name, arguments = base[1], base[2]
        if name in _NONNEGATIVE_HEADS:
            known &= NONNEGATIVE
        elif name == "gamma" and self.sign(arguments[0]) == POSITIVE:
            known &= POSITIVE
        elif name == "log":
            known &= self.sign(arguments[0] - number(1))
        elif name in RISING and TABLE[name].exact.get(0) == 0:
            known &= self.sign(arguments[0])
        return known

    def _symbol_sign(self, name: str, p: Poly) -> Signs:
        """From a relation to other variables, such as t > tau > 0."""
        if name not in self._symbols:
            self._symbols[name] = ANY  # while it is being found, and if nothing is
            self._symbols[name] = self._by_shifts(p)
        return self._symbols[name]

    def mono_sign(self, mono: Mono) -> Signs:
        """The signs that a monomial may have."""
        result = POSITIVE
        for base, e in mono:
            result = times(result, self.power_sign(base, e))
        return result

    def power_sign(self, base: Base, e: Exponent) -> Signs:
        """The signs that base**e may have."""
        signs = self.base_sign(base)
        if isinstance(e, Fraction) and e.denominator == 1:
            if e < 0:
                signs -= {0}
            return frozenset(s * s for s in signs) if e % 2 == 0 else signs
        if signs == POSITIVE:
            return POSITIVE
        return (
            NONNEGATIVE if signs <= NONNEGATIVE or isinstance(e, Fraction) else ANY
        )  # a whole exponent takes any base

    def sign(self, p: Poly) -> Signs:
        """The possible signs of p on the domain."""
        if p in self._memo:
            return self._memo[p]
        if p in self._busy:
            return ANY
        self._busy.add(p)
        try:
            result = self._sign(p)
        except TooLarge:
            result = ANY
        finally:
            self._busy.discard(p)
        self._memo[p] = result
        return result

    def _sign(self, p: Poly) -> Signs:
        c = p.constant
        if c is not None:
            return frozenset({(c > 0) - (c < 0)})
        q, flip = _oriented(p)
        result = frozenset(s * flip for s in self.signs.get(q, ANY))
        if len(p.terms) == 1:
            (mono, a), *_ = p.terms.items()
            return result & times(frozenset({1 if a > 0 else -1}), self.mono_sign(mono))
        if len(result) > 1:
            result &= self._by_terms(p)
        if len(result) > 1:
            result &= self._by_factors(p)
        if len(result) > 1:
            result &= self._by_shifts(p)
        if len(result) > 1:
            result &= self._by_box(p)
        return result or ANY

    def _by_terms(self, p: Poly) -> Signs:
        total: Signs = frozenset({0})
        for mono, c in p.terms.items():
            total = plus(total, times(frozenset({1 if c > 0 else -1}), self.mono_sign(mono)))
            if total == ANY:
                break
        return total

    def _by_factors(self, p: Poly) -> Signs:
        c, factors = factor(p)
        if not factors or (len(factors) == 1 and factors[0][1] == 1):
            return ANY
        result: Signs = frozenset({(c > 0) - (c < 0)})
        for base, e in factors:
            result = times(result, self.power_sign(base, e))
        return result

    def _by_shifts(self, p: Poly) -> Signs:
        names = sorted(all_names(p))
        options = [self._shifts(n) for n in names]
        if not any(len(o) > 1 for o in options):
            return ANY
        for choice in islice(product(*options), _SHIFT_CHOICES):
            moved, facts = p, Facts()
            for name, step in zip(names, choice, strict=True):
                if step is None:
                    continue
                replacement, strict = step
                shifted = _replace(moved, name, replacement)
                if shifted is None:
                    break
                moved = shifted
                facts.signs[generator(("s", f"{name}'"))] = POSITIVE if strict else NONNEGATIVE
            else:
                for name in all_names(moved):
                    if not name.endswith("'"):
                        facts.signs.setdefault(generator(("s", name)), self.base_sign(("s", name)))
                found = facts._by_terms(moved)
                if len(found) == 1 or found in (NONNEGATIVE, frozenset({-1, 0})):
                    return found
        return ANY

    def _shifts(self, name: str) -> list[tuple[Poly, bool] | None]:
        """x = c + u, x = c - u, and x = (u + rest)/a from a known sign of a*x - rest."""
        u = generator(("s", f"{name}'"))
        options: list[tuple[Poly, bool] | None] = []
        if name in self.low:
            c, strict = self.low[name]
            options.append((number(c) + u, strict))
        if name in self.high:
            c, strict = self.high[name]
            options.append((number(c) - u, strict))
        for q, signs in self.signs.items():
            if signs not in (POSITIVE, NONNEGATIVE, frozenset({-1}), frozenset({-1, 0})):
                continue
            split = _linear_in(q, name)
            if split is not None and split[1].constant is None:
                a, rest = split
                up = u if 1 in signs or signs == NONNEGATIVE else -u
                options.append(((up - rest).scaled(1 / a), 0 not in signs))
        options.append(None)
        return options

    def _by_box(self, p: Poly) -> Signs:
        names = all_names(p)
        e = to_expr(p)
        if not e.free <= names or any(b[0] == "f" for mono in p.terms for b, _ in mono):
            return ANY
        value = evaluate(e, {n: self._interval(n) for n in names})
        if value is None:
            return ANY
        if value[0] > 0 or (value[0] == 0 and value[2]):
            return POSITIVE
        if value[1] < 0 or (value[1] == 0 and value[3]):
            return frozenset({-1})
        if value[0] == 0:
            return NONNEGATIVE
        return ANY

    def _interval(self, name: str) -> Interval:
        low, high = self.low.get(name), self.high.get(name)
        return _end(low, NINF, True), _end(high, INF, False), low is None or low[1], high is None or high[1]

    def is_positive(self, p: Poly) -> bool:
        """Whether p > 0 is known."""
        return self.sign(p) == POSITIVE

    def is_nonnegative(self, p: Poly) -> bool:
        """Whether p >= 0 is known."""
        return self.sign(p) <= NONNEGATIVE

    def is_nonzero(self, p: Poly) -> bool:
        """Whether p != 0 is known."""
        return 0 not in self.sign(p)


def _end(bound: tuple[Fraction, bool] | None, missing: arb, lower: bool) -> arb:
    if bound is None:
        return missing
    ball = arb(fmpq(bound[0].numerator, bound[0].denominator))
    return ball.lower() if lower else ball.upper()


def _oriented(p: Poly) -> tuple[Poly, int]:
    """p up to a positive factor, with a leading coefficient of 1, and the sign taken out."""
    c, q = primitive_part(p)
    return q, 1 if c > 0 else -1


def _linear_in(p: Poly, name: str) -> tuple[Fraction, Poly] | None:
    """(a, rest) with p = a*name + rest, a rational and rest free of name."""
    a = p.terms.get(frozenset({(("s", name), Fraction(1))}))
    if a is None:
        return None
    rest = p - generator(("s", name)).scaled(a)
    return None if mentions(rest, name) else (a, rest)


def _linear(p: Poly) -> tuple[str, Fraction, Fraction] | None:
    """(name, a, b) with p = a*name + b."""
    for mono in p.terms:
        for base, e in mono:
            if base[0] == "s" and e == 1:
                split = _linear_in(p, base[1])
                b = split[1].constant if split else None
                return (base[1], split[0], b) if split and b is not None else None
    return None


def mentions(p: Poly, name: str) -> bool:
    """Does the variable occur anywhere in p, opaque arguments included?"""
    return any(_base_mentions(b, name) or mentions(exponent_poly(e), name) for mono in p.terms for b, e in mono)


def _base_mentions(base: Base, name: str) -> bool:
    if base[0] == "s":
        return bool(base[1] == name)
    if base[0] == "p":
        return mentions(base[1], name)
    if base[0] == "f":
        return any(mentions(a, name) if isinstance(a, Poly) else name in getattr(a, "free", ()) for a in base[2])
    return False


def _replace(p: Poly, name: str, value: Poly) -> Poly | None:
    """p with a polynomial for a variable that occurs in integer powers only."""
    total = Poly({})
    for mono, c in p.terms.items():
        term = Poly({UNIT: c})
        for base, e in mono:
            if base == ("s", name):
                if not isinstance(e, Fraction) or e.denominator != 1 or e < 0:
                    return None
                term = term * integer_power(value, int(e))
            elif _base_mentions(base, name) or mentions(exponent_poly(e), name):
                return None
            else:
                term = term * generator(base, e)
        total += term
    return total


def all_names(p: Poly) -> set[str]:
    """The names of the symbols in the bases of ``p``."""
    return {b[1] for mono in p.terms for b, _ in mono if b[0] == "s"}
