"""Sparse polynomials over Q in atoms with rational or symbolic exponents."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import fmpq, fmpz

from boundcheck.kernel.derivative import NotDifferentiable, derivative
from boundcheck.kernel.formula import Expr, call, const, folded, num, substitute, text, var

MAX_TERMS = 3000
MAX_EXPAND = 40
MAX_POWER_TERMS = 300  #: terms of an expanded power
MAX_WORK = 200_000  #: products of monomials in the life of one Algebra

Exponent = Any  # fmpq, or a Frozen polynomial where the exponent is symbolic
Mono = tuple[tuple[Expr, Exponent], ...]
Poly = dict[Mono, Any]
Frozen = tuple[tuple[Mono, Any], ...]

ONE: Poly = {(): fmpq(1)}
_E = const("E")
_PI = const("pi")


class AlgebraLimit(ValueError):
    """The normal form would be too large, or the formula has no normal form here."""


@lru_cache(maxsize=50_000)
def _key(atom: Expr) -> str:
    return text(atom) if atom.op != "polygamma" else f"{text(atom)}[{atom.value}]"


def _mono_key(m: Mono) -> str:
    return "*".join(f"{_key(a)}^{_exponent_key(x)}" for a, x in m)


def _exponent_key(x: Exponent) -> str:
    return str(x) if isinstance(x, fmpq) else "(" + "+".join(f"{c}*{_mono_key(m)}" for m, c in x) + ")"


def freeze(p: Poly) -> Exponent:
    """A polynomial as an exponent: an fmpq if constant, else its sorted items."""
    if any(is_sum(a) for m in p for a, _ in m):
        p = _partial(p)
    if not p:
        return fmpq(0)
    if len(p) == 1 and () in p:
        return p[()]
    return tuple(sorted(p.items(), key=lambda t: _mono_key(t[0])))


def _partial(p: Poly) -> Poly:
    """Partial fractions: x/L and 1/(x L), with L = c x + r, become sums of powers of x and of L alone."""
    todo, rounds = list(p.items()), 0
    out: Poly = {}
    while todo:
        m, value = todo.pop()
        rounds += 1
        if rounds > MAX_TERMS:
            raise AlgebraLimit("an exponent too large")
        for line, k in m:
            form = _line(line) if is_sum(line) and isinstance(k, fmpq) and k.q == 1 and k < 0 else None
            power = dict(m).get(form[0]) if form else None
            if form is None or not isinstance(power, fmpq) or power.q != 1:
                continue
            x, c, r = form
            if power > 0:  # x/L = 1/c - (r/c)/L
                less = merge(m, ((x, fmpq(-1)),))
                todo += [(merge(less, ((line, fmpq(1)),)), value / c), (less, -value * r / c)]
            else:  # 1/(x L) = (1/r)(1/x - c/L)
                todo.append((merge(m, ((line, fmpq(1)),)), value / r))
                todo.append((merge(m, ((x, fmpq(1)),)), -value * c / r))
            break
        else:
            out = add(out, {m: value})
    return out


@lru_cache(maxsize=4096)
def _line(e: Expr) -> tuple[Expr, Any, Any] | None:
    """(x, c, r) where ``e`` is c x + r in one variable, neither of them 0."""
    if len(e.free) != 1:
        return None
    name = next(iter(e.free))
    try:
        slope, rest = derivative(e, name), folded(substitute(e, {name: num(0)}))
    except NotDifferentiable:
        return None
    if not slope.op == rest.op == "num" or 0 in (slope.value, rest.value):
        return None
    c, r = (fmpq(q.value.numerator, q.value.denominator) for q in (slope, rest))
    return var(name), c, r


def thaw(x: Exponent) -> Poly:
    """The polynomial of an exponent."""
    if isinstance(x, fmpq):
        return {(): x} if x != 0 else {}
    return dict(x)


def _add_exponents(x: Exponent, y: Exponent) -> Exponent:
    if isinstance(x, fmpq) and isinstance(y, fmpq):
        return x + y
    return freeze(add(thaw(x), thaw(y)))


def multiple(x: Exponent, n: Any) -> Exponent:
    """n x for a number n."""
    return x * n if isinstance(x, fmpq) else freeze(scale(dict(x), fmpq(n)))


def add(p: Poly, q: Poly, factor: Any = None) -> Poly:
    """p + factor*q."""
    out = dict(p)
    for m, c in q.items():
        _put(out, m, c if factor is None else c * factor)
    if len(out) > MAX_TERMS:
        raise AlgebraLimit("too many terms")
    return out


def _put(out: Poly, m: Mono, value: Any) -> None:
    """Add ``value`` m to the polynomial; a new monomial, the usual case, is hashed once, which takes most of it."""
    terms = len(out)
    known = out.setdefault(m, value)
    total = value if len(out) > terms else known + value
    if total == 0:
        del out[m]
    elif total is not value:
        out[m] = total


def scale(p: Poly, c: Any) -> Poly:
    """c p."""
    return {m: v * c for m, v in p.items()} if c != 0 else {}


def merge(a: Mono, b: Mono) -> Mono:
    """The product of two monomials."""
    if not a:
        return b
    if not b:
        return a
    out: dict[Expr, Exponent] = dict(a)
    for atom, x in b:
        if atom in out:
            total = _add_exponents(out[atom], x)
            if isinstance(total, fmpq) and total == 0:
                del out[atom]
            else:
                out[atom] = total
        else:
            out[atom] = x
    return tuple(sorted(out.items(), key=lambda t: _key(t[0])))


def inverse(m: Mono) -> Mono:
    """1/m."""
    return tuple((a, multiple(x, -1)) for a, x in m)


def multiply(p: Poly, q: Poly) -> Poly:
    """Plain product; powers that could fold are folded by :meth:`Algebra.settle`."""
    if len(p) * len(q) > 60 * MAX_TERMS:
        raise AlgebraLimit("too many terms")
    out: Poly = {}
    for m1, c1 in p.items():
        for m2, c2 in q.items():
            _put(out, merge(m1, m2), c1 * c2)
    if len(out) > MAX_TERMS:
        raise AlgebraLimit("too many terms")
    return out


def _mono_expr(m: Mono) -> Expr | None:
    out: Expr | None = None
    for atom, x in m:
        if atom is _E:
            factor = call("exp", to_expr(thaw(x)))
        else:
            factor = atom ** (num(fraction(x)) if isinstance(x, fmpq) else to_expr(thaw(x)))
        out = factor if out is None else out * factor
    return out


def fraction(q: Any) -> Fraction:
    """An fmpq as a Fraction."""
    return Fraction(int(q.p), int(q.q))


def to_expr(p: Poly) -> Expr:
    """A formula for the polynomial, in a fixed order of terms."""
    out = num(0)
    for m, c in sorted(p.items(), key=lambda t: _mono_key(t[0])):
        q, body = fraction(c), _mono_expr(m)
        term = num(abs(q)) if body is None else num(abs(q)) * body
        out = out + term if q > 0 else out - term
    return out


@lru_cache(maxsize=4096)
def primes(n: int) -> tuple[tuple[int, int], ...]:
    """The prime factors of ``n`` > 0 with their powers. Raises :class:`AlgebraLimit` beyond 120 bits."""
    if n.bit_length() > 120:
        raise AlgebraLimit("a constant too large to factor")
    return tuple((int(p), int(k)) for p, k in fmpz(n).factor())


def is_sum(atom: Expr) -> bool:
    """Whether an atom is a compound expression, whose integer powers are expanded."""
    return atom.op in ("add", "sub", "neg", "mul", "div")


def floor(q: Any) -> int:
    """The floor of an fmpq."""
    return int(q.p // q.q)
