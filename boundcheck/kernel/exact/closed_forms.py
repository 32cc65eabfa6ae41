"""Closed forms of integrals and sums: powers, exponentials, Gamma, Beta, Gauss; geometric series, Faulhaber.

Each rule proves its own convergence from signs; what no rule reads stays one opaque term, whose
existence is an open condition.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

from boundcheck.kernel.exact.known_signs import NONNEGATIVE, POSITIVE, Facts, mentions
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
    exponent_poly,
    generator,
    integer_power,
    number,
    symbol,
)
from boundcheck.kernel.formula import Expr, Relation

if TYPE_CHECKING:
    from boundcheck.kernel.exact.normal import Normaliser

HALF = Fraction(1, 2)
ONE_F = Fraction(1)


def bound_facts(facts: Facts, name: str, low: Poly | None, high: Poly | None, closed: bool) -> None:
    """What is known of the bound variable: inside its (open, for a sum closed) range, if the range is not reversed."""
    ordered = low is None or high is None or facts.is_nonnegative(canonical(high - low))
    signs = NONNEGATIVE if closed else POSITIVE
    if ordered and low is not None:
        facts.know(canonical(symbol(name) - low), signs)
    if ordered and high is not None:
        facts.know(canonical(high - symbol(name)), signs)


def _exponent_mentions(e: Exponent, name: str) -> bool:
    return isinstance(e, Poly) and mentions(e, name)


def _separate(mono: Mono, name: str) -> tuple[Poly, dict[Base, Exponent]]:
    """The factor free of ``name`` and the part that depends on it."""
    free, bound = ONE, {}
    for base, e in mono:
        if mentions(generator(base), name) or _exponent_mentions(e, name):
            bound[base] = e
        else:
            free = free * generator(base, e)
    return free, bound


def _coefficients(p: Poly, name: str) -> dict[Fraction, Poly] | None:
    """p as a sum of coefficients times rational powers of the variable; None if it is not one."""
    result: dict[Fraction, Poly] = {}
    for mono, c in p.terms.items():
        free, bound = _separate(mono, name)
        power = bound.pop(("s", name), Fraction(0))
        if bound or not isinstance(power, Fraction):
            return None
        result[power] = result.get(power, ZERO) + free.scaled(c)
    return result


class _Range:
    """The integral's variable and ends (None: infinite), with the powers that the rules need."""

    def __init__(self, n: Normaliser, name: str, low: Poly | None, high: Poly | None):
        self.n, self.name, self.low, self.high = n, name, low, high

    @property
    def half_line(self) -> bool:
        return self.high is None and self.low is not None and not self.low.terms

    @property
    def line(self) -> bool:
        return self.high is None and self.low is None

    def sign(self, e: Exponent) -> frozenset[int]:
        return self.n.facts.sign(exponent_poly(e))


def integral(n: Normaliser, node: Expr, integrand: Poly, name: str, low: Poly | None, high: Poly | None) -> Poly:
    """The integral of ``integrand``: closed terms by rule, the rest as one opaque term."""
    span = _Range(n, name, low, high)
    total, rest = ZERO, ZERO
    upward = node.args[3].op == "const" or high is not None
    downward = node.args[2].op == "neg" or low is not None
    for mono, c in integrand.terms.items() if upward and downward else ():
        free, bound = _separate(mono, name)
        closed = _closed(span, bound)
        if closed is None:
            rest += Poly({mono: c})
        else:
            total += closed * free.scaled(c)
    if not (upward and downward):
        rest = integrand
    return total + _opaque(n, node, rest, name, low, high)


def _opaque(n: Normaliser, node: Expr, rest: Poly, name: str, low: Poly | None, high: Poly | None) -> Poly:
    """What no rule reads: one opaque term, up to a factor that all its terms share."""
    rest = canonical(rest)
    if not rest.terms:
        return ZERO
    n.open.add(Relation("==", node, node))
    shared: dict[Base, Exponent] | None = None
    for mono in rest.terms:
        own = {b: e for b, e in mono if not mentions(generator(b), name) and not _exponent_mentions(e, name)}
        shared = own if shared is None else {b: e for b, e in shared.items() if own.get(b) == e}
    shared = shared or {}
    inner = Poly({frozenset((b, e) for b, e in mono if b not in shared): c for mono, c in rest.terms.items()})
    content = Fraction(1)
    if len(inner.terms) == 1:
        (mono, content), *_ = inner.terms.items()
        inner = Poly({mono: Fraction(1)})
    ends = tuple(ONE if end is None else end for end in (low, high))
    kinds = tuple(
        number(0 if end is not None else -1 if e.op == "neg" else 1)
        for end, e in zip((low, high), node.args[2:], strict=True)
    )
    head = ("f", node.op, (inner, symbol(name), *ends, *kinds))
    result = generator(head).scaled(content)
    for b, e in shared.items():
        result = result * generator(b, e)
    return result


def _closed(r: _Range, bound: dict[Base, Exponent]) -> Poly | None:
    """The integral of a product of powers that depend on the variable."""
    t: Base = ("s", r.name)
    power = bound.get(t, Fraction(0))
    others = {b: e for b, e in bound.items() if b != t}
    if _exponent_mentions(power, r.name):
        return None
    if not others:
        return _power_rule(r, symbol(r.name), ONE, power)
    rate = _exponential_rate(r, others)
    if rate is not None:
        return _exponential(r, power, rate)
    if len(others) == 1:
        (base, e), *_ = others.items()
        if base == ("f", "log", (symbol(r.name),)) and e == 1:
            return _power_times_log(r, power)
        if base[0] == "p" and not _exponent_mentions(e, r.name):
            return _sum_base(r, power, base[1], e)
    return None


def _at(r: _Range, inner: Poly, end: Poly) -> Poly:
    """The polynomial ``inner`` (degree 1 in the variable) at an end."""
    split = _coefficients(inner, r.name) or {}
    return canonical(split.get(Fraction(0), ZERO) + split.get(ONE_F, ZERO) * end)


def _power_rule(r: _Range, inner: Poly, slope: Poly, e: Exponent) -> Poly | None:
    """The integral of inner**e, inner = slope*t + constant with slope > 0 proved."""
    raised = as_exponent(exponent_poly(e) + ONE)
    sign = r.sign(raised)
    if r.low is None:
        return None
    if raised == 0:
        if r.high is None or not r.n.facts.is_positive(_at(r, inner, r.low)):
            return None
        logs = r.n.log(_at(r, inner, r.high)) - r.n.log(_at(r, inner, r.low))
        return logs * r.n.power(slope, Fraction(-1))
    if 0 in sign:
        return None
    values = []
    for end in (r.low, r.high):
        if end is None:
            if sign != frozenset({-1}):
                return None
            values.append(ZERO)
            continue
        at = _at(r, inner, end)
        whole = isinstance(raised, Fraction) and raised.denominator == 1 and raised > 0
        signs = r.n.facts.sign(at)
        if not (whole or signs == POSITIVE or (signs <= NONNEGATIVE and sign == POSITIVE)):
            return None
        values.append(r.n.power(at, raised))
    return (values[1] - values[0]) * r.n.power(exponent_poly(raised) * slope, Fraction(-1))


def _power_times_log(r: _Range, e: Exponent) -> Poly | None:
    """t**e * log(t) by parts, finite positive ends or an end at 0 (e > -1) or oo (e < -1)."""
    raised = as_exponent(exponent_poly(e) + ONE)
    sign = r.sign(raised)
    if 0 in sign or r.low is None:
        return None
    inverse = r.n.power(exponent_poly(raised), Fraction(-1))
    total = ZERO
    for end, factor in ((r.high, ONE), (r.low, -ONE)):
        if end is None:
            if sign != frozenset({-1}):
                return None
        elif not end.terms:
            if sign != POSITIVE:
                return None
        elif r.n.facts.is_positive(end):
            total += factor * r.n.power(end, raised) * (r.n.log(end) * inverse - inverse * inverse)
        else:
            return None
    return total


def _exponential_rate(r: _Range, others: dict[Base, Exponent]) -> dict[Fraction, Poly] | None:
    """The exponent of E as powers of t, if all factors are constants raised to such exponents."""
    total = ZERO
    for base, e in others.items():
        if mentions(generator(base), r.name) or not r.n.facts.base_sign(base) <= POSITIVE:
            return None
        total += exponent_poly(e) * r.n.log(generator(base))
    return _coefficients(canonical(total), r.name)


def _exponential(r: _Range, power: Exponent, rate: dict[Fraction, Poly]) -> Poly | None:
    """t**power * exp(rate): a half-line Gamma integral, a Gaussian, or an exponential between ends."""
    n = r.n
    rest = dict(rate)
    outside = n.exp(rest.pop(Fraction(0), ZERO))
    if len(rest) != 1:
        return None
    (q, minus_c), *_ = rest.items()
    c = canonical(-minus_c)
    if q > 0 and n.facts.is_positive(c) and (r.half_line or (r.line and q == 2)):
        index = as_exponent((exponent_poly(power) + ONE).scaled(1 / q))
        if r.sign(index) != POSITIVE:
            return None
        value = n.gamma(exponent_poly(index)) * n.power(c, as_exponent(-exponent_poly(index)))
        value = value.scaled(1 / q) * outside
        if not r.line:
            return value
        if not isinstance(power, Fraction) or power.denominator != 1:
            return None
        return value.scaled(Fraction(2)) if power % 2 == 0 else ZERO
    if q == 2 and power == 0 and n.facts.is_positive(c):
        return _gaussian(r, c) * outside
    if q == 1 and isinstance(power, Fraction) and power.denominator == 1 and 0 <= power <= 12:
        return _by_parts(r, int(power), c, outside)
    return None


def _gaussian(r: _Range, c: Poly) -> Poly:
    """exp(-c*t**2) between two ends, by erf."""
    root = r.n.power(c, HALF)
    ends = []
    for end, limit in ((r.low, -ONE), (r.high, ONE)):
        ends.append(limit if end is None else r.n.odd("erf", canonical(root * end)))
    return (ends[1] - ends[0]) * generator(("c", "pi"), HALF) * r.n.power(root, Fraction(-1)).scaled(HALF)


def _by_parts(r: _Range, k: int, c: Poly, outside: Poly) -> Poly | None:
    """t**k * exp(-c*t): -exp(-c*t) * sum_j k!/(k-j)! t**(k-j) / c**(j+1)."""
    n = r.n
    if not n.facts.is_nonzero(c) or r.low is None:
        return None
    inverse = n.power(c, Fraction(-1))
    total = ZERO
    for end, sign in ((r.high, -ONE), (r.low, ONE)):
        if end is None:
            if not n.facts.is_positive(c):
                return None
            continue
        series, factor = ZERO, inverse
        for j in range(k + 1):
            series += factor * integer_power(end, k - j)
            factor = factor * inverse.scaled(Fraction(k - j))
        total += sign * series * n.exp(canonical(-(c * end)))
    return total * outside


def _sum_base(r: _Range, power: Exponent, inner: Poly, e: Exponent) -> Poly | None:
    """t**power * (a + b*t)**e: a shifted power, or a Beta integral; (a + b*t**2)**-1: an arctangent."""
    split = _coefficients(inner, r.name)
    if split is None or not set(split) <= {Fraction(0), ONE_F, Fraction(2)}:
        return None
    n, a = r.n, split.get(Fraction(0), ZERO)
    if Fraction(2) in split:
        if ONE_F in split or power != 0 or e != -1:
            return None
        return _arctangent(r, a, split[Fraction(2)])
    b = split[ONE_F]
    if power == 0:
        if n.facts.is_positive(b):
            return _power_rule(r, inner, b, e)
        if n.facts.is_positive(-b) and r.high is not None:
            return _falling_power(r, inner, b, e)
        return None
    first = exponent_poly(power) + ONE
    if r.half_line and n.facts.is_positive(a) and n.facts.is_positive(b):
        second = canonical(-exponent_poly(e) - first)
        scale = n.power(a, as_exponent(exponent_poly(e) + first)) * n.power(b, as_exponent(-first))
    elif _from_zero_to_root(r, a, b):
        second = canonical(exponent_poly(e) + ONE)
        scale = n.power(a, e) * n.power(r.high or ONE, as_exponent(first))
    else:
        return None
    first = canonical(first)
    if not (n.facts.is_positive(first) and n.facts.is_positive(second)):
        return None
    beta = n.gamma(first) * n.gamma(second) * n.power(n.gamma(canonical(first + second)), -ONE_F)
    return beta * scale


def _from_zero_to_root(r: _Range, a: Poly, b: Poly) -> bool:
    """Is the range (0, h) with a + b*h = 0, a > 0 and h > 0?"""
    if r.low is None or r.low.terms or r.high is None:
        return False
    facts = r.n.facts
    return facts.is_positive(r.high) and facts.is_positive(a) and not canonical(a + b * r.high).terms


def _falling_power(r: _Range, inner: Poly, slope: Poly, e: Exponent) -> Poly | None:
    """(a - b*t)**e by t -> -t."""
    mirror = _Range(r.n, r.name, -r.high if r.high is not None else None, -r.low if r.low is not None else None)
    split = _coefficients(inner, r.name) or {}
    turned = split.get(Fraction(0), ZERO) - slope * symbol(r.name)
    return _power_rule(mirror, turned, -slope, e)


def _arctangent(r: _Range, a: Poly, b: Poly) -> Poly | None:
    n = r.n
    if not (n.facts.is_positive(a) and n.facts.is_positive(b)):
        return None
    ratio = n.power(b, HALF) * n.power(a, -HALF)
    quarter = generator(("c", "pi"), ONE_F).scaled(HALF)
    values = []
    for end, limit in ((r.low, -quarter), (r.high, quarter)):
        values.append(limit if end is None else n.odd("atan", canonical(ratio * end)))
    return (values[1] - values[0]) * n.power(a, -HALF) * n.power(b, -HALF)


# ------------------------------------------------------------------ sums


def summation(n: Normaliser, node: Expr, integrand: Poly, name: str, low: Poly | None, high: Poly | None) -> Poly:
    """The sum over integers: geometric and exponential series, powers by Faulhaber, the rest opaque."""
    infinite = high is None
    upward = node.args[3].op == "const" or high is not None  # not sum(..., k, a, -oo)
    if low is None or not upward or not is_integer(low, n) or (high is not None and not is_integer(high, n)):
        return _opaque(n, node, integrand, name, low, high)
    if high is not None and not n.facts.is_nonnegative(canonical(high - low + ONE)):
        return _opaque(n, node, integrand, name, low, high)
    total, rest = ZERO, ZERO
    for mono, c in integrand.terms.items():
        free, bound = _separate(mono, name)
        closed = _series(n, bound, name, low) if infinite else _finite(n, bound, name, low, high or ZERO)
        if closed is None:
            rest += Poly({mono: c})
        else:
            total += closed * free.scaled(c)
    return total + _opaque(n, node, rest, name, low, high)


def is_integer(p: Poly, n: Normaliser) -> bool:
    """Whether a polynomial is whole by its form: integer coefficients, positive powers of integer variables."""
    return all(
        c.denominator == 1
        and all(
            b[0] == "s" and b[1] in n.integers and isinstance(e, Fraction) and e.denominator == 1 and e > 0
            for b, e in mono
        )
        for mono, c in p.terms.items()
    )


def _ratio(bound: dict[Base, Exponent], name: str) -> tuple[Poly, Poly] | None:
    """(r, c) with the product equal to c * r**k, for exponents linear in k."""
    ratio, outside = ONE, ONE
    for base, e in bound.items():
        if base[:2] == ("f", "pow") and e == 1 and base[2][0] == number(-1):  # (-1)**(a*k + b)
            turns = _coefficients(base[2][1], name) or {}
            steps = [turns.get(x, ZERO).constant for x in (ONE_F, Fraction(0))]
            if not set(turns) <= {Fraction(0), ONE_F} or None in steps:
                return None
            ratio, outside = (
                f.scaled(Fraction((-1) ** int(s or 0))) for f, s in zip((ratio, outside), steps, strict=True)
            )
            continue
        split = None if mentions(generator(base), name) else _coefficients(exponent_poly(e), name)
        if split is None or not set(split) <= {Fraction(0), ONE_F}:
            return None
        ratio = ratio * generator(base, as_exponent(split.get(ONE_F, ZERO)))
        outside = outside * generator(base, as_exponent(split.get(Fraction(0), ZERO)))
    return ratio, outside


def _series(n: Normaliser, bound: dict[Base, Exponent], name: str, low: Poly) -> Poly | None:
    """A convergent geometric series, or the exponential series from 0."""
    factorial = ("f", "gamma", (symbol(name) + ONE,))
    start = low.constant
    if start == 0 and bound.get(factorial) == -1:
        found = _ratio({b: e for b, e in bound.items() if b != factorial}, name)
        return None if found is None else n.exp(canonical(found[0])) * found[1]
    if bound.get(("s", name)) == -1 and start == 1:
        return _logarithmic(n, {b: e for b, e in bound.items() if b != ("s", name)}, name)
    found = _ratio(bound, name)
    if found is None or not bound:
        return None
    ratio, outside = found
    below, above = n.facts.is_positive(canonical(ONE - ratio)), n.facts.is_positive(canonical(ONE + ratio))
    if not below or not above or (start is None and not n.facts.is_positive(ratio)) or (start or 0) < 0:
        return None
    return n.power(ratio, as_exponent(low)) * n.power(ONE - ratio, -ONE_F) * outside


def _logarithmic(n: Normaliser, bound: dict[Base, Exponent], name: str) -> Poly | None:
    """sum of r**k/k from 1 = -log(1 - r) for -1 <= r < 1."""
    found = _ratio(bound, name)
    if found is None:
        return None
    ratio, outside = found
    rest = canonical(ONE - ratio)
    if not n.facts.is_positive(rest) or not n.facts.is_nonnegative(canonical(ONE + ratio)):
        return None
    return -n.log(rest) * outside


def _finite(n: Normaliser, bound: dict[Base, Exponent], name: str, low: Poly, high: Poly) -> Poly | None:
    """Powers of k by Faulhaber, or a finite geometric sum."""
    power = bound.get(("s", name), Fraction(0))
    if set(bound) <= {("s", name)}:
        if not isinstance(power, Fraction) or power.denominator != 1 or not 0 <= power <= 12:
            return None
        return _faulhaber(int(power), high) - _faulhaber(int(power), low - ONE)
    found = _ratio(bound, name)
    if found is None:
        return None
    ratio, outside = found
    gap = canonical(ONE - ratio)
    if not (n.facts.is_positive(ratio) or n.facts.is_nonnegative(low)) or not n.facts.is_nonzero(gap):
        return None
    ends = n.power(ratio, as_exponent(low)) - n.power(ratio, as_exponent(high + ONE))
    return ends * n.power(gap, -ONE_F) * outside


def _faulhaber(m: int, upper: Poly) -> Poly:
    """1**m + ... + upper**m as a polynomial in ``upper`` (valid for every integer, telescoping)."""
    bernoulli = [Fraction(1)]
    for j in range(1, m + 1):
        bernoulli.append(-sum((comb(j + 1, i) * bernoulli[i] for i in range(j)), Fraction(0)) / (j + 1))
    total = ZERO
    for j in range(m + 1):
        b = -bernoulli[j] if j == 1 else bernoulli[j]
        total += integer_power(upper, m + 1 - j).scaled(comb(m + 1, j) * b / (m + 1))
    return total


__all__ = ["UNIT", "bound_facts", "integral", "is_integer", "summation"]
