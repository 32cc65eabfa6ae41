"""A canonical form of proof terms: arguments of opaque heads as sorted polynomials over atoms.

Purely structural (associativity, commutativity, distributivity, cancellation of equal terms), so that
norm(x + mu*s*u - x) and norm(mu*s*u) are the same term. It knows no analysis; the exact zero test of scalar
identities is :mod:`boundcheck.decide.scalar.identity`.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from boundcheck.kernel.formula import BINDERS, RELATIONS, Expr, Relation, has_opaque, is_opaque, num, var
from boundcheck.kernel.formula.functions import PARTIAL

#: A monomial is a sorted tuple of (atom, integer exponent); a polynomial maps monomials to coefficients.
_Monomial = tuple[tuple[Expr, int], ...]
_Polynomial = dict[_Monomial, Fraction]
MAX_TERMS = 200


def _times(a: _Polynomial, b: _Polynomial) -> _Polynomial:
    result: _Polynomial = {}
    for ma, ca in a.items():
        for mb, cb in b.items():
            powers = dict(ma)
            for atom, k in mb:
                powers[atom] = powers.get(atom, 0) + k
            key = tuple(sorted(((x, k) for x, k in powers.items() if k), key=lambda item: str(item[0])))
            result[key] = result.get(key, Fraction(0)) + ca * cb
    return {m: c for m, c in result.items() if c}


def _polynomial(e: Expr) -> _Polynomial:
    if e.op == "num":
        return {(): e.value} if e.value else {}
    if e.op in ("add", "sub"):
        left, right = map(_polynomial, e.args)
        sign = 1 if e.op == "add" else -1
        result = dict(left)
        for m, c in right.items():
            result[m] = result.get(m, Fraction(0)) + sign * c
        return {m: c for m, c in result.items() if c}
    if e.op == "neg":
        return {m: -c for m, c in _polynomial(e.args[0]).items()}
    if e.op == "mul":
        left, right = map(_polynomial, e.args)
        if len(left) * len(right) <= MAX_TERMS:
            return _times(left, right)
    if e.op == "div":
        below = _polynomial(e.args[1])
        if len(below) == 1:
            ((m, c),) = below.items()
            return _times(_polynomial(e.args[0]), {tuple((x, -k) for x, k in m): 1 / c})
    if e.op == "pow" and e.args[1].op == "num" and e.args[1].value.denominator == 1:
        base, k = _polynomial(e.args[0]), int(e.args[1].value)
        if len(base) == 1 and abs(k) <= 64:
            ((m, c),) = base.items()
            return {tuple((x, j * k) for x, j in m if j * k): c**k}
    if e.op == "pow" and e.args[1].op == "num" and e.args[1].value in (2, 3, 4):
        base = result = _polynomial(e.args[0])
        if len(base) ** int(e.args[1].value) <= MAX_TERMS:
            for _ in range(int(e.args[1].value) - 1):
                result = _times(result, base)
            return result
    return {((_atom(e), 1),): Fraction(1)}


def _atom(e: Expr) -> Expr:
    if not e.args:
        return e
    if e.op in BINDERS:
        return Expr(e.op, (canonical(e.args[0]), e.args[1], canonical(e.args[2]), canonical(e.args[3])))
    return Expr(e.op, tuple(map(canonical, e.args)), e.value)


def _expression(polynomial: _Polynomial) -> Expr:
    total: Expr = num(0)
    for monomial, coefficient in sorted(polynomial.items(), key=lambda item: str(item[0])):
        term = num(coefficient)
        for atom, k in monomial:
            term = term * (atom ** num(k))
        total = total + term
    return total


def linear_solution(equation: Relation, names: list[str]) -> dict[str, Expr] | None:
    """The value of the first of ``names`` that enters the equation linearly with a rational coefficient, if any."""
    polynomial = _polynomial(equation.lhs - equation.rhs)
    for name in names:
        term = ((var(name), 1),)
        rest = {m: c for m, c in polynomial.items() if m != term}
        if term in polynomial and not any(name in atom.free for m in rest for atom, _ in m):
            return {name: _expression({m: -c / polynomial[term] for m, c in rest.items()})}
    return None


@lru_cache(maxsize=20_000)
def canonical(e: Expr) -> Expr:
    """The canonical form of ``e``, as a scalar or vector polynomial over its atoms."""
    if e.op in RELATIONS:
        return Expr(e.op, tuple(map(canonical, e.args)))
    return _expression(_polynomial(e))


@lru_cache(maxsize=20_000)
def canonical_heads(e: Expr) -> Expr:
    """``e`` with every maximal opaque term, and every binder around one, in canonical form."""
    if is_opaque(e) or (e.op in BINDERS and has_opaque(e)):
        return _atom(e)
    if not e.args:
        return e
    return Expr(e.op, tuple(map(canonical_heads, e.args)), e.value)


def cancelled(e: Expr) -> list[Expr]:
    """Terms that must be defined for the opaque terms of ``e`` as written, but not for their canonical form.

    The canonical form of P(Y/Y <= 1) is P(1 <= 1), which holds also where Y is 0.
    """
    if is_opaque(e) or (e.op in BINDERS and has_opaque(e)):
        return sorted(_demands(e) - _demands(_atom(e)), key=str)
    return list(dict.fromkeys(term for a in e.args for term in cancelled(a)))


def _demands(e: Expr) -> set[Expr]:
    """The terms of ``e`` in canonical form that are undefined somewhere on the reals, a quotient as reciprocals."""
    found: set[Expr] = set()
    for n in e.walk():
        below = n.args[1] if n.op == "div" else None
        if n.op == "pow" and n.args[1].op == "num" and n.args[1].value.denominator == 1:
            below = n.args[0] if n.args[1].value < 0 else num(1)
        if below is not None:
            polynomial = _polynomial(below)
            atoms = [a for m in polynomial for a, _ in m] if len(polynomial) == 1 else [canonical(below)]
            found.update(num(1) / a for a in atoms)
        elif n.op in PARTIAL:
            found.add(_atom(n))
    return found
