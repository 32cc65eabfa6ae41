"""Numbers of the models: exact rationals, balls where these do not suffice, polynomials under an integral, vectors.

A scalar is an ``fmpq``, an ``arb`` (enclosures with 160 bits) or, under an integral, an ``fmpq_poly`` in its variable
or a :class:`~benchmarks.hunter.ratio.Ratio` of two; a vector is a tuple of scalars; an end at infinity is a float. A
comparison that balls cannot decide raises :class:`Unknown`, so nothing rests on rounding. Errors are exceptions: each
says why a value cannot be told.
"""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any

import flint
from flint import arb, fmpq, fmpq_poly
from flint.utils.flint_exceptions import DomainError

from benchmarks.hunter.ratio import Ratio, ratio
from boundcheck.kernel.enclosure.ends import ends
from boundcheck.kernel.formula.functions import TABLE

Value = Any  #: fmpq | arb | fmpq_poly | Ratio | float (an infinite end) | tuple of these
flint.ctx.prec = 160
ZERO, ONE = fmpq(0), fmpq(1)
X = fmpq_poly([0, 1])  #: the variable of an integral, or of a line
VARIES = (fmpq_poly, Ratio)  #: numbers that depend on the variable of an integral, or on the line
MAX_BITS = 4000  #: rationals larger than this are given up


class Unknown(Exception):
    """The value or the comparison cannot be told here: the model says nothing. ``points``: where it may be."""

    points: tuple[fmpq, ...] = ()


class IllTyped(Exception):
    """A vector stands where a scalar belongs, or the other way round."""


class Split(Exception):
    """Under an integral, a comparison changes its truth value at ``point``: integrate the two sides one by one."""

    def __init__(self, point: fmpq):
        super().__init__(point)
        self.point = point


FAULTS = (Unknown, IllTyped, Split, OverflowError, ZeroDivisionError, RecursionError)  #: why a value is not told


_EXACT = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne
}  # fmt: skip


def is_vector(a: Value) -> bool:
    """Whether ``a`` is a vector."""
    return isinstance(a, tuple)


def is_zero(a: Value) -> bool:
    """Whether ``a`` is the exact number 0."""
    return isinstance(a, fmpq) and a == 0


def scalar(a: Value) -> Value:
    """``a``, which must be a finite scalar."""
    if type(a) is fmpq:
        return a
    if isinstance(a, tuple):
        raise IllTyped("a vector stands for a scalar")
    if isinstance(a, float):
        raise Unknown("infinite")
    if isinstance(a, fmpq_poly) and a.degree() <= 0:
        return a[0]
    return a


def _small(a: Value) -> Value:
    """``a``, if its digits are not too many."""
    if type(a) is fmpq and int(a.p).bit_length() + int(a.q).bit_length() > MAX_BITS:
        raise Unknown("too large")
    return a


def ball(a: Value) -> arb:
    """``a`` as a ball."""
    a = scalar(a)
    if isinstance(a, VARIES):
        raise Unknown("no polynomial")
    found = a if isinstance(a, arb) else arb(a)
    if not found.is_finite():
        raise Unknown("no finite ball")
    return found


def add(a: Value, b: Value) -> Value:
    """a + b; the number 0 may stand for the zero vector."""
    if type(a) is fmpq and type(b) is fmpq:
        return a + b
    if isinstance(a, tuple) or isinstance(b, tuple):
        if is_zero(a) or is_zero(b):
            return b if is_zero(a) else a
        if not (is_vector(a) and is_vector(b)) or len(a) != len(b):
            raise IllTyped("a vector and a scalar are added")
        return tuple([add(x, y) for x, y in zip(a, b, strict=True)])
    a, b = scalar(a), scalar(b)
    if isinstance(a, arb) or isinstance(b, arb):
        return ball(a) + ball(b)
    return a + b


def neg(a: Value) -> Value:
    """-a."""
    if type(a) is fmpq:
        return -a
    if isinstance(a, float):
        return -a
    return tuple(map(neg, a)) if is_vector(a) else -scalar(a)


def mul(a: Value, b: Value) -> Value:
    """a b, at most one of them a vector."""
    if type(a) is fmpq and type(b) is fmpq:
        return a * b
    if isinstance(a, tuple):
        if is_vector(b):
            raise IllTyped("a product of two vectors")
        return tuple([mul(x, b) for x in a])
    if isinstance(b, tuple):
        return tuple([mul(a, x) for x in b])
    a, b = scalar(a), scalar(b)
    if is_zero(a) or is_zero(b):
        return ZERO
    if isinstance(a, arb) or isinstance(b, arb):
        return ball(a) * ball(b)
    return scalar(a * b)


def inverse(a: Value) -> Value:
    """1/a for a scalar that is certainly not 0; :class:`ZeroDivisionError` where it is 0."""
    a = scalar(a)
    if isinstance(a, fmpq):
        return 1 / a  # ZeroDivisionError at 0
    if isinstance(a, fmpq_poly):
        return ratio(fmpq_poly([1]), a)
    if isinstance(a, Ratio):
        return ratio(a.den, a.num)
    if 0 in a:
        raise Unknown("perhaps 0")
    return 1 / a


def sign(a: Value, span: tuple[Value, Value] | None = None) -> int:
    """-1, 0 or 1; under an integral over ``span`` the sign there, or :class:`Split`."""
    if isinstance(a, float):
        return 1 if a > 0 else -1
    a = scalar(a)
    if isinstance(a, fmpq):
        return (a > 0) - (a < 0)
    if isinstance(a, arb):
        if a > 0:
            return 1
        if a < 0:
            return -1
        raise Unknown("the balls overlap")
    if span is None:
        raise Unknown("no span")
    return _sign_on(a.num * a.den if isinstance(a, Ratio) else a, *span)


def _sign_on(p: fmpq_poly, low: Value, high: Value) -> int:
    if p.degree() < 0:
        return 0
    _, factors = p.factor()
    q: Any
    for q, _ in factors:
        if q.degree() == 1:
            root = -q[0] / q[1]
            if (isinstance(low, float) or low < root) and (isinstance(high, float) or root < high):
                raise Split(root)
        elif q.degree() > 1 and any(0 in r.imag for r, *_ in q.complex_roots()):
            raise _crossing([float(r.real.mid()) for r, *_ in q.complex_roots() if 0 in r.imag], low, high)
    return sign(p(inside(low, high)))


def _crossing(roots: list[float], low: Value, high: Value) -> Unknown:
    """What says that a polynomial changes its sign at irrational points, and where its signs can be seen."""
    roots = sorted(roots)
    near = [*(x + s for x in roots for s in (-0.001, 0.001)), *((a + b) / 2 for a, b in itertools.pairwise(roots))]
    found = [fmpq(int(x * 2**20), 2**20) for x in near if abs(x) < 1e6]
    why = Unknown("irrational root")
    why.points = tuple(
        x for x in found if (isinstance(low, float) or low < x) and (isinstance(high, float) or x < high)
    )
    return why


def inside(low: Value, high: Value) -> fmpq:
    """A point between two ends, at least one of them finite."""
    if isinstance(low, float):
        return high - 1 if isinstance(high, fmpq) else ZERO
    middle: fmpq = low + 1 if isinstance(high, float) else (low + high) / 2
    return middle


def compare(op: str, a: Value, b: Value, span: tuple[Value, Value] | None = None) -> bool:
    """Whether ``a op b``; raises :class:`Unknown` where balls overlap."""
    if type(a) is fmpq and type(b) is fmpq:
        return bool(_EXACT[op](a, b))
    if is_vector(a) or is_vector(b):
        if op not in ("==", "!="):
            raise IllTyped("vectors are not ordered")
        if is_zero(a) or is_zero(b):
            a, b = ((ZERO,) * len(b), b) if is_zero(a) else (a, (ZERO,) * len(a))
        if not (is_vector(a) and is_vector(b)) or len(a) != len(b):
            raise IllTyped("a vector is compared with a scalar")
        equal, doubt = True, None
        for x, y in zip(a, b, strict=True):
            try:
                if not compare("==", x, y, span):
                    equal = False
            except Unknown as why:
                doubt = why
        if equal and doubt is not None:
            raise doubt
        return equal if op == "==" else not equal
    if isinstance(a, float) or isinstance(b, float):  # infinite: beside it all numbers are 0
        x, y = (v if isinstance(v, float) else 0.0 for v in (a, b))
        s = (x > y) - (x < y)
    else:
        a, b = scalar(a), scalar(b)
        if isinstance(a, arb) and isinstance(b, arb) and op in ("<=", ">=") and a.is_exact() and a == b:
            return True
        s = sign(add(a, neg(b)), span)
    return bool(_EXACT[op](s, 0))


def _root(n: int, k: int) -> int | None:
    """The exact k-th root of an integer n >= 0, if there is one."""
    if n < 2:
        return n
    r = round(n ** (1 / k)) if n < 10**15 else math.isqrt(n) if k == 2 else 0
    return next((s for s in (r - 1, r, r + 1) if s >= 0 and s**k == n), None)


def power(a: Value, b: Value) -> Value:
    """a**b for a > 0, or for an integer b >= 0, or b > 0 with a = 0: where it is defined."""
    a, b = scalar(a), scalar(b)
    if isinstance(b, fmpq) and b.q == 1 and abs(b.p) <= 64:
        n = int(b.p)
        if isinstance(a, arb) or n >= 0:
            return _small(a**n)
        return _small(inverse(a) ** -n)
    if is_zero(a):
        return ZERO
    if isinstance(a, fmpq) and isinstance(b, fmpq) and b.q <= 6 and abs(b.p) <= 24:
        p, q = _root(int(a.p), int(b.q)), _root(int(a.q), int(b.q))
        if p is not None and q is not None:
            return power(fmpq(p, q), fmpq(b.p))
    found = ball(a) ** ball(b)
    if not found.is_finite():
        raise Unknown("no finite power")
    return found


def root(a: Value, span: tuple[Value, Value] | None = None) -> Value:
    """sqrt(a) for a >= 0."""
    a = scalar(a)
    if isinstance(a, VARIES):
        try:
            return absolute(ratio(a.num.sqrt(), a.den.sqrt()) if isinstance(a, Ratio) else a.sqrt(), span)
        except (DomainError, ValueError, ArithmeticError):
            raise Unknown("no root of a polynomial") from None
    return power(a, fmpq(1, 2))


def absolute(a: Value, span: tuple[Value, Value] | None = None) -> Value:
    """|a|."""
    if isinstance(a, arb):
        return abs(a)
    return neg(a) if sign(a, span) < 0 else scalar(a)


def dot(a: Value, b: Value) -> Value:
    """The inner product; the number 0 may stand for the zero vector."""
    if is_zero(a) or is_zero(b):
        return ZERO
    if not (is_vector(a) and is_vector(b)) or len(a) != len(b):
        raise IllTyped("an inner product of scalars")
    total: Value = ZERO
    for x, y in zip(a, b, strict=True):
        total = add(total, mul(x, y))
    return total


def norm(a: Value, span: tuple[Value, Value] | None = None) -> Value:
    """|a| of a vector."""
    if is_zero(a):
        return ZERO
    if not is_vector(a):
        raise IllTyped("the norm of a scalar")
    return root(dot(a, a), span)


def defined(name: str, a: Value) -> bool:
    """Whether a function has a value at ``a``."""
    if name in ("gamma", "loggamma"):
        return sign(a) > 0
    f, at = TABLE[name], ends(name)
    above = f.low == "-oo" or compare(">=" if f.closed[0] else ">", a, _exactly(at.low()))
    return above and (f.high == "oo" or compare("<=" if f.closed[1] else "<", a, _exactly(at.high())))


def _exactly(end: Any) -> Value:
    """The end of a domain, exact where it is whole: asin has a value at 1, log none at 0."""
    return fmpq(end.unique_fmpz()) if end.is_integer() else end


def call(name: str, a: Value) -> Value:
    """A function of one scalar, where it is defined."""
    a = scalar(a)
    if name in ("floor", "ceil"):
        whole = getattr(a, name)() if isinstance(a, fmpq) else getattr(ball(a), name)().unique_fmpz()
        if whole is None:
            raise Unknown("rounding of a ball")
        return fmpq(whole)
    if isinstance(a, fmpq) and a.q == 1 and int(a.p) in TABLE[name].exact:
        return fmpq(TABLE[name].exact[int(a.p)])
    method = {"loggamma": "lgamma"}.get(name, name)
    found = getattr(ball(a), method)()
    if not found.is_finite():
        raise Unknown(f"no finite {name}")
    return found
