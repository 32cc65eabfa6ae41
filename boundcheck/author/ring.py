"""A normal form for the search: polynomials over atoms with symbolic exponents, all bases taken as positive.

(x y)**p is x**p y**p, sqrt(x) is x**(1/2), log(x y) is log x + log y, 2**(2 p + 1) is 2 * 4**p. These laws have
conditions; the form proposes combinations of facts and proves nothing, since what is found is checked by the kernel.
A whole coefficient is an int: it equals the fraction, and is added and hashed much faster.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import isqrt

from boundcheck.author.adapter import normal_term
from boundcheck.kernel.formula import BINDERS, Expr, call, const, is_opaque, num

Number = int | Fraction
#: A polynomial that does not change: sorted by :func:`_key`.
Exponent = tuple[tuple["Monomial", Number], ...]
MAX_TERMS = 150
MAX_PRIME = 10_000


class Monomial(tuple[tuple[Expr, Exponent], ...]):
    """Atoms with their exponents, sorted; one object for each (:func:`made`), which hashes as objects do."""

    __slots__ = ()
    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__


Polynomial = dict[Monomial, Number]
_MADE: dict[tuple[tuple[Expr, Exponent], ...], Monomial] = {}


def made(factors: tuple[tuple[Expr, Exponent], ...]) -> Monomial:
    """The monomial of these factors."""
    return _MADE.setdefault(factors, Monomial(factors))


UNIT = made(())
ONE: Exponent = ((UNIT, 1),)


def _atom(e: Expr) -> Polynomial:
    return {made(((e, ONE),)): 1}


def _number(value: Number) -> Number:
    """The number as an int where it is whole."""
    return value.numerator if value.denominator == 1 else value


_ORDER: dict[object, int] = {}


def _key(item: tuple[object, object]) -> int:
    """The place of an atom or a monomial in an order that is fixed when it is first met (texts are slow to make)."""
    return _ORDER.setdefault(item[0], len(_ORDER))


def frozen(p: Polynomial) -> Exponent:
    """A polynomial as a sorted tuple."""
    return tuple(sorted([(m, c) for m, c in p.items() if c], key=_key))


def plus(a: Polynomial, b: Polynomial, factor: Number = 1) -> Polynomial:
    """a + factor*b."""
    result = dict(a)
    for m, c in b.items():
        result[m] = result.get(m, 0) + factor * c
    return {m: c for m, c in result.items() if c}


@lru_cache(maxsize=100_000)
def times_mono(a: Monomial, b: Monomial) -> tuple[Monomial, Number]:
    """The product of two monomials, with the rational factor that powers of numbers leave."""
    powers: dict[Expr, Polynomial] = {x: dict(e) for x, e in a}
    for x, e in b:
        powers[x] = plus(powers.get(x, {}), dict(e))
    return _settled(powers)


def _settled(powers: dict[Expr, Polynomial]) -> tuple[Monomial, Number]:
    factor: Number = 1
    kept: list[tuple[Expr, Exponent]] = []
    for x in [x for x, e in powers.items() if x.op == "abs" and _even(e)]:  # |x|**2 is x**2
        inside = x.args[0]
        powers[inside] = plus(powers.get(inside, {}), powers.pop(x))
    for x, e in powers.items():
        if x.op == "num" and UNIT in e:
            k = e[UNIT].numerator // e[UNIT].denominator
            factor *= _number(x.value**k)
            e = plus(e, {UNIT: -k})
        if e:
            kept.append((x, frozen(e)))
    return made(tuple(sorted(kept, key=_key))), factor


def _even(e: Polynomial) -> bool:
    return set(e) == {UNIT} and e[UNIT].denominator == 1 and e[UNIT].numerator % 2 == 0


def times(a: Polynomial, b: Polynomial) -> Polynomial:
    """The product."""
    result: Polynomial = {}
    for ma, ca in a.items():
        for mb, cb in b.items():
            m, c = times_mono(ma, mb)
            result[m] = result.get(m, 0) + ca * cb * c
    return {m: c for m, c in result.items() if c}


def _primes(n: int) -> dict[int, int]:
    found: dict[int, int] = {}
    p = 2
    while p <= min(MAX_PRIME, isqrt(n)):
        while n % p == 0:
            found[p] = found.get(p, 0) + 1
            n //= p
        p += 1
    if n > 1:
        found[n] = found.get(n, 0) + 1
    return found


def _rational_powers(c: Number) -> dict[Expr, int]:
    powers = {num(p): k for p, k in _primes(c.numerator).items()}
    for p, k in _primes(c.denominator).items():
        powers[num(p)] = powers.get(num(p), 0) - k
    return powers


def _power(base: Expr, e: Polynomial) -> Polynomial:
    p = polynomial(base)
    k = e.get(UNIT, 0) if set(e) <= {UNIT} else None
    if not e:
        return {UNIT: 1}
    if not p:  # as in the kernel, 1/0 is 0; 0**a has no form of its own
        return {} if k is not None and k.denominator == 1 else _atom(call("pow", num(0), expression(e)))
    if len(p) == 1:
        ((m, c),) = p.items()
        if k is not None and k.denominator == 1:
            factor = _number(Fraction(c) ** k.numerator) if c else 0
            powers = {x: times(dict(x_e), e) for x, x_e in m}
        elif c > 0:
            factor = 1
            powers = {x: times(dict(x_e), e) for x, x_e in m}
            for x, n in _rational_powers(c).items():
                powers[x] = plus(powers.get(x, {}), e, n)
        else:
            return _atom(call("pow", base, expression(e)))
        mono, more = _settled(powers)
        return {mono: factor * more}
    if k is not None and k.denominator == 1 and 0 < k <= 4 and len(p) ** int(k) <= MAX_TERMS:
        result = p
        for _ in range(int(k) - 1):
            result = times(result, p)
        return result
    whole = e.get(UNIT, 0)
    if k is None and whole.denominator == 1 and 0 < whole <= 4:  # (1 - a)**(s + 1) is (1 - a)*(1 - a)**s
        return times(_power(base, {UNIT: whole}), _power(base, plus(e, {UNIT: -whole})))
    return _sum_power(p, e)


def _sum_power(p: Polynomial, e: Polynomial) -> Polynomial:
    """The power of a sum: (2 - 2 x)**e is 2**e (1 - x)**e, so that multiples of a sum have one base.

    So have a sum and its negative where e is whole: 1/(x - 1) is -1/(1 - x), and 1/(m + m t) is 1/m 1/(1 + t).
    """
    whole = set(e) == {UNIT} and e[UNIT].denominator == 1
    common = _common(p) if whole else UNIT
    p = {times_mono(m, inverse(common))[0]: c for m, c in p.items()}
    first = Fraction(frozen(p)[0][1])
    content, sign = abs(first), -1 if whole and first < 0 and e[UNIT].numerator % 2 else 1
    if whole and first < 0:
        p = {m: -c for m, c in p.items()}
    base = expression({m: _number(c / content) for m, c in p.items()})
    powers = {base: e}
    shared = {x: k[0][1] for x, k in common}
    for x, n in (*shared.items(), *_rational_powers(content).items()):
        powers[x] = plus(powers.get(x, {}), e, n)
    mono, factor = _settled(powers)
    return {mono: sign * factor}


def _common(p: Polynomial) -> Monomial:
    """The factors with whole powers that all terms of a sum have."""
    powers = [{x: k for x, k in m if len(k) == 1 and k[0][0] is UNIT and k[0][1].denominator == 1} for m in p]
    shared = [x for x in powers[0] if all(x in own and own[x][0][1] > 0 for own in powers)]
    return made(tuple((x, min((own[x] for own in powers), key=lambda k: k[0][1])) for x in shared))


@lru_cache(maxsize=50_000)
def _polynomial(e: Expr) -> Exponent:
    return frozen(_read(e))


def polynomial(e: Expr) -> Polynomial:
    """The normal form of a term whose opaque parts are in the kernel's normal form."""
    return dict(_polynomial(e))


def _read(e: Expr) -> Polynomial:
    op = e.op
    if op == "num":
        return {UNIT: _number(e.value)} if e.value else {}
    if op in ("add", "sub"):
        return plus(polynomial(e.args[0]), polynomial(e.args[1]), 1 if op == "add" else -1)
    if op == "neg":
        return plus({}, polynomial(e.args[0]), -1)
    if op == "mul":
        a, b = map(polynomial, e.args)
        return times(a, b) if len(a) * len(b) <= MAX_TERMS else _atom(e)
    if op == "div":
        return times(polynomial(e.args[0]), _power(e.args[1], {UNIT: -1}))
    if op == "pow":
        return _power(e.args[0], polynomial(e.args[1]))
    if op == "sqrt":
        return _power(e.args[0], {UNIT: Fraction(1, 2)})
    if op == "exp":
        return _exp(polynomial(e.args[0]))
    if op == "log":
        return _log(e, polynomial(e.args[0]))
    if op == "abs":
        return _modulus(e, polynomial(e.args[0]))
    if is_opaque(e) or op in BINDERS or not e.args:
        return _atom(e)
    return _atom(Expr(op, tuple(expression(polynomial(a)) for a in e.args), e.value))


def _exp(p: Polynomial) -> Polynomial:
    result: Polynomial = {UNIT: 1}
    rest: Polynomial = {}
    for m, c in p.items():
        if len(m) == 1 and m[0][0].op == "log" and m[0][1] == ONE:
            result = times(result, _power(m[0][0].args[0], {UNIT: c}))
        else:
            rest[m] = c
    return times(result, {made(((const("E"), frozen(rest)),)): 1}) if rest else result


def _modulus(e: Expr, p: Polynomial) -> Polynomial:
    """|c x y| as |c| |x| |y|, a factor that is >= 0 by its form without bars."""
    if len(p) != 1:
        return _atom(call("abs", expression(p)))
    ((m, c),) = p.items()
    plain = ("num", "const", "norm", "P", "Pgiven", "ind", "abs", "sqrt", "exp")
    powers: dict[Expr, Polynomial] = {}
    for x, x_e in m:
        atom = x if x.op in plain or not (set(dict(x_e)) <= {UNIT}) else call("abs", x)
        powers[atom] = plus(powers.get(atom, {}), dict(x_e))
    mono, factor = _settled(powers)
    return {mono: max(c, -c) * factor}


def unsigned(p: Polynomial, known: Callable[[Expr], bool]) -> Polynomial:
    """The polynomial with x for |x| wherever x is ``known`` to be >= 0."""
    result: Polynomial = {}
    for m, c in p.items():
        powers: dict[Expr, Polynomial] = {}
        for x, e in m:
            atom = x.args[0] if x.op == "abs" and known(x.args[0]) else x
            powers[atom] = plus(powers.get(atom, {}), dict(e))
        mono, factor = _settled(powers)
        result[mono] = result.get(mono, 0) + c * factor
    return {m: c for m, c in result.items() if c}


def _log(e: Expr, p: Polynomial) -> Polynomial:
    if len(p) != 1:
        return _atom(call("log", expression(p)))
    ((m, c),) = p.items()
    if c <= 0:
        return _atom(e)
    result: Polynomial = {}
    for x, k in _rational_powers(c).items():
        result = plus(result, _atom(call("log", x)), k)
    for x, exponent in m:
        own: Polynomial = {UNIT: 1} if x is const("E") else _atom(call("log", x))
        result = plus(result, times(dict(exponent), own))
    return result


def expression(p: Polynomial) -> Expr:
    """A term with this normal form."""
    result = num(0)
    for m, c in frozen(p):
        result = result + num(c) * monomial(m) if c != 1 else result + monomial(m)
    return result


def monomial(m: Monomial) -> Expr:
    """A monomial as a term."""
    result = num(1)
    for x, e in m:
        power = expression(dict(e))
        if x is const("E"):
            result = result * call("exp", power)
        elif power is num(Fraction(1, 2)):
            result = result * call("sqrt", x)
        else:
            result = result * (x**power)
    return result


@lru_cache(maxsize=50_000)
def inverse(m: Monomial) -> Monomial:
    """1/m."""
    return made(tuple((x, tuple((k, -c) for k, c in e)) for x, e in m))


def gap(lhs: Expr, rhs: Expr) -> Polynomial:
    """rhs - lhs in normal form."""
    return plus(polynomial(normal_term(rhs)), polynomial(normal_term(lhs)), -1)
