"""Products of powers of positive quantities, with symbolic exponents: (2**(2*p+1)*S**p)**(1/p) = 4*2**(1/p)*S.

Exponents are kept in the canonical form of :mod:`boundcheck.decide.scalar.canonical`, so that two products which
differ only by the laws of powers are equal as data. All laws used hold for positive bases: whoever relies on a
result proves that every entry of ``bases`` is positive.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from boundcheck.decide.scalar.canonical import canonical
from boundcheck.kernel.formula import Expr, const, is_zero, num, var

MAX_FACTORED = 10**6  #: integers above this stay whole


@dataclass(frozen=True)
class Monomial:
    """prod base**exponent; bases distinct, exponents canonical and not zero, sorted by the base's text."""

    factors: tuple[tuple[Expr, Expr], ...]

    @property
    def bases(self) -> tuple[Expr, ...]:
        """The bases that are not positive constants."""
        return tuple(b for b, _ in self.factors if b.op not in ("num", "const"))

    def times(self, other: Monomial) -> Monomial:
        """The product."""
        return _collect([*self.factors, *other.factors])

    def over(self, other: Monomial) -> Monomial:
        """The quotient."""
        return self.times(other.power(num(-1)))

    def power(self, exponent: Expr) -> Monomial:
        return _collect((b, e * exponent) for b, e in self.factors)

    def exponent(self, base: Expr) -> Expr:
        """The exponent of ``base``, 0 if it does not occur."""
        return next((e for b, e in self.factors if b is base), num(0))

    def without(self, base: Expr) -> Monomial:
        """The monomial less its power of ``base``."""
        return Monomial(tuple((b, e) for b, e in self.factors if b is not base))

    def as_expr(self) -> Expr:
        """The product as an expression, integer parts of the exponents of numbers multiplied out."""
        result: Expr = num(1)
        for base, exponent in self.factors:
            whole, rest = _split(exponent) if base.op == "num" else (0, exponent)
            result = result * num(base.value**whole if whole else 1)
            if not is_zero(rest):
                result = result * base**rest
        return result


def _split(exponent: Expr) -> tuple[int, Expr]:
    """The small integer part of a canonical exponent and the rest."""
    constant = next((a.value for a in _terms(exponent) if a.op == "num"), Fraction(0))
    whole = int(constant) if abs(constant) <= 64 else 0
    return whole, canonical(exponent - num(whole))


def _terms(e: Expr) -> list[Expr]:
    return [*_terms(e.args[0]), *_terms(e.args[1])] if e.op == "add" else [e]


def _collect(factors: Iterable[tuple[Expr, Expr]]) -> Monomial:
    powers: dict[Expr, Expr] = {}
    for base, exponent in factors:
        powers[base] = powers.get(base, num(0)) + exponent
    kept = [(b, canonical(e)) for b, e in powers.items()]
    return Monomial(tuple(sorted(((b, e) for b, e in kept if not is_zero(e)), key=lambda item: str(item[0]))))


def _number(value: Fraction) -> Monomial | None:
    if value <= 0:
        return None
    factors: list[tuple[Expr, Expr]] = []
    for n, sign in ((value.numerator, 1), (value.denominator, -1)):
        rest, divisor = n, 2
        while n <= MAX_FACTORED and divisor * divisor <= rest:
            while rest % divisor == 0:
                factors.append((num(divisor), num(sign)))
                rest //= divisor
            divisor += 1
        if rest > 1:
            factors.append((num(rest), num(sign)))
    return _collect(factors)


def monomial(e: Expr) -> Monomial | None:
    """``e`` as a product of powers; sums and other functions become bases. None if a factor is <= 0 on its face."""
    if e.op == "num":
        return _number(e.value)
    if e.op in ("mul", "div"):
        left, right = monomial(e.args[0]), monomial(e.args[1])
        if left is None or right is None:
            return None
        return left.times(right) if e.op == "mul" else left.over(right)
    if e.op == "pow":
        base = monomial(e.args[0])
        return None if base is None else base.power(e.args[1])
    if e.op == "sqrt":
        base = monomial(e.args[0])
        return None if base is None else base.power(num(Fraction(1, 2)))
    if e.op == "exp":
        return _collect([(const("E"), e.args[0])])
    if e.op in ("add", "sub", "neg"):
        standard = canonical(e)
        return _collect([(standard, num(1))]) if standard.op in ("add", "sub", "neg") else monomial(standard)
    return _collect([(e, num(1))])


def power_law(e: Expr, variable: str) -> tuple[Monomial, Expr] | None:
    """(C, q) with ``e`` = C * variable**(-q), C and q free of the variable; None if ``e`` has no such form."""
    product = monomial(e)
    if product is None:
        return None
    name = var(variable)
    exponent, constant = product.exponent(name), product.without(name)
    if variable in exponent.free or any(variable in (b.free | x.free) for b, x in constant.factors):
        return None
    return constant, canonical(-exponent)
