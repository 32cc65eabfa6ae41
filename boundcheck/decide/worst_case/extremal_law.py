"""All real Z with a given tail bound, monotone kernels k(|Z|), and the law that is extremal for all of them.

The class: P(|Z| > t) <= tail(t) for every t >= threshold; nothing is known below. With H(t) = 1 for t < m and
H(t) = min(1, tail(t)) from m on, every member has P(|Z| > t) <= H(t); H is nonincreasing, right-continuous
and tends to 0, so it is the survival function of a law of the class. By the layer cake E k(|Z|) = k(0) + int k'(t)
P(|Z| > t) dt that law attains the supremum for every nondecreasing k. For a power tail C t^-q it is in closed form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from flint import fmpq

from boundcheck.kernel.check.algebra import Algebra
from boundcheck.kernel.check.poly import Poly, thaw, to_expr
from boundcheck.kernel.check.quotients import Ratio
from boundcheck.kernel.formula import ARITHMETIC, Expr, Relation, call, is_zero, num, var

T = "t"  #: the variable of tails and kernels
ZERO = num(0)


class InfiniteSupremum(ValueError):
    """The relation without which a supremum is infinite does not hold."""


@dataclass(frozen=True)
class TailClass:
    """All real Z with P(|Z| > t) <= tail(t) for t >= threshold. ``tail`` is C t^-q or min(1, C t^-q), q > 0."""

    threshold: Expr
    tail: Expr


@dataclass(frozen=True)
class Kernel:
    """A continuous nondecreasing kernel k on [0, oo) with k(0) = 0.

    k'(t) = ``derivative``, a positive multiple of a power of t, for low < t < high (None: no end); else k' = 0.
    """

    name: str
    low: Expr
    high: Expr | None
    derivative: Expr


def excess(tau: Expr) -> Kernel:
    """k(|z|) = (|z| - tau)_+ = |z - psi_tau(z)|."""
    return Kernel(f"excess over {tau}", tau, None, num(1))


def clipped_square(tau: Expr) -> Kernel:
    """k(|z|) = min(z^2, tau^2) = psi_tau(z)^2."""
    return Kernel(f"square clipped at {tau}", num(0), tau, num(2) * var(T))


@dataclass(frozen=True)
class WorstLaw:
    """The assertion: E k(|Z|) <= bound for every Z of the class and all parameters that satisfy ``where``."""

    name: str
    tail_class: TailClass
    kernel: Kernel
    bound: Expr
    where: tuple[Relation, ...] = ()

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters, sorted."""
        kernel, tails = self.kernel, self.tail_class
        formulas = [self.bound, tails.threshold, kernel.low, *([] if kernel.high is None else [kernel.high])]
        names = frozenset[str]().union(*(e.free for e in formulas), *(r.free for r in self.where))
        return tuple(sorted(names | (tails.tail.free | kernel.derivative.free) - {T}))


@dataclass(frozen=True)
class ExtremalLaw:
    """P(|Z| > t) = 1 for t < start, coefficient * t^-exponent for t >= start; ``supremum`` is E k(|Z|) under it.

    ``rate`` is k' as a power of t.
    """

    start: Expr
    coefficient: Expr
    exponent: Expr
    rate: Power
    supremum: Expr

    def __str__(self) -> str:
        return (
            f"P(|Z| > t) = 1 for t < {self.start}, ({self.coefficient})*t**(-({self.exponent})) for t >= {self.start}"
        )


def _form(e: Expr) -> Ratio:
    """The verifier's normal form by the laws of powers, every base taken as positive: that is a condition."""
    return Algebra(lambda _: True).normal(e)


def normal(e: Expr) -> Expr:
    """``e`` in that normal form. Raises ValueError where it is too large."""
    return _form(e).expr()


@dataclass(frozen=True)
class Power:
    """coefficient * variable**exponent, both free of the variable; ``bases`` must be positive."""

    coefficient: Expr
    exponent: Expr
    bases: frozenset[Expr]


@lru_cache(maxsize=64)
def power_law(e: Expr, variable: str) -> Power | None:
    """``e`` as a multiple of one power of the variable; None if it has no such form."""
    form, x = _form(e), var(variable)
    rest: Poly = {tuple(f for f in m if f[0] is not x): c for m, c in form.num.items()}
    exponents = {to_expr(thaw(dict(m).get(x, fmpq(0)))) for m in form.num}
    if len(exponents) != 1:
        return None
    coefficient, exponent = Ratio(rest, form.den).expr(), exponents.pop()
    factors = [f for part in (rest, form.den) for m in part for f in m]
    if variable in coefficient.free | exponent.free or not all(
        _rational(e) for a, k in factors for e in (exponent, a, to_expr(thaw(k)))
    ):
        return None
    bases = {a for a, _ in factors if a.op not in ("num", "const")}
    bases |= {to_expr(part) for part in (rest, form.den) if len(part) > 1 or any(c < 0 for c in part.values())}
    return Power(coefficient, exponent, frozenset(bases))


def _rational(e: Expr) -> bool:
    """Whether no law of powers with a condition speaks of what is inside."""
    if e.op == "pow":
        return _rational(e.args[0]) and e.args[1].op == "num" and e.args[1].value.denominator == 1
    return e.op in ("num", "var", "const") or (e.op in ARITHMETIC and all(map(_rational, e.args)))


def _strip_min(tail: Expr) -> Expr:
    """The power in min(1, power)."""
    if tail.op == "min" and len(tail.args) == 2:
        rest = [a for a in tail.args if not (a.op == "num" and a.value == 1)]
        if len(rest) == 1:
            return rest[0]
    return tail


Holds = Callable[[Relation], bool]


def extremal(problem: WorstLaw, holds: Holds) -> ExtremalLaw:
    """The extremal law at parameters of which ``holds`` tells what is true.

    ``ValueError`` for tails or kernels not of the form, :class:`InfiniteSupremum` where there is no finite one.
    """
    tails, kernel = problem.tail_class, problem.kernel
    tail, rate = power_law(_strip_min(tails.tail), T), power_law(kernel.derivative, T)
    if tail is None or rate is None or is_zero(tail.exponent):
        raise ValueError(f"the tail {tails.tail} or k'({T}) = {kernel.derivative} is not a multiple of a power of {T}")
    q, low, high = normal(-tail.exponent), kernel.low, kernel.high
    needed = [Relation(">", e, ZERO) for e in (q, *sorted(tail.bases | rate.bases, key=str))]
    needed += [
        Relation(">=", *r) for r in ((tails.threshold, ZERO), (low, ZERO), *([] if high is None else [(high, low)]))
    ]
    for r in needed:
        if not holds(r):
            raise ValueError(f"{r} is needed")
    crossing = normal(tail.coefficient ** (num(1) / q))
    start = crossing if holds(Relation(">=", crossing, tails.threshold)) else tails.threshold
    middle = start if holds(Relation(">=", start, low)) else low  # from here on the tail counts
    middle = middle if high is None or holds(Relation("<=", middle, high)) else high
    full = normal(rate.exponent + num(1))
    value = ZERO
    if middle is not low:
        value = value + _integral(rate.coefficient, full, low, middle, holds)
    if middle is not high:
        scaled = normal(rate.coefficient * tail.coefficient)
        value = value + _integral(scaled, normal(full - q), middle, high, holds)
    return ExtremalLaw(start, tail.coefficient, q, rate, value)


def _integral(c: Expr, e: Expr, low: Expr, high: Expr | None, holds: Holds) -> Expr:
    """The integral of c t^(e-1) from low to high (None: oo), in the form that the sign of e asks for."""
    if high is None or is_zero(low):
        finite = Relation("<" if high is None else ">", e, ZERO)
        if not holds(finite):
            raise InfiniteSupremum(str(finite))
        return normal(c / normal(-e)) * low**e if high is None else normal(c / e) * high**e
    if holds(Relation("==", e, ZERO)):
        return c * call("log", normal(high / low))
    if holds(Relation("<", e, ZERO)):
        return normal(c / normal(-e)) * (low**e - high**e)
    return normal(c / e) * (high**e - low**e)
