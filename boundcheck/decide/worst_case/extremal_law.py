"""All real Z with a given tail bound, monotone kernels k(|Z|), and the law that is extremal for all of them.

The class: P(|Z| > t) <= tail(t) for every t >= threshold; nothing is known below. With H(t) = 1 for t < m and
H(t) = min(1, tail(t)) from m on, every member has P(|Z| > t) <= H(t); H is nonincreasing, right-continuous
and tends to 0, so it is the survival function of a law of the class. By the layer cake E k(|Z|) = k(0) + int k'(t)
P(|Z| > t) dt that law attains the supremum for every nondecreasing k. For a power tail C t^-q the supremum is
in closed form on each region of the parameters; this module derives those regions.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from flint import fmpq

from boundcheck.kernel.check.algebra import Algebra
from boundcheck.kernel.check.poly import Poly, thaw, to_expr
from boundcheck.kernel.check.quotients import Ratio
from boundcheck.kernel.formula import (
    ARITHMETIC,
    Expr,
    Relation,
    call,
    is_zero,
    num,
    substitute,
    var,
)
from boundcheck.kernel.proof.terms import linear_solution

T = "t"  #: the variable of tails and kernels


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

    @property
    def power(self) -> Power:
        """The derivative as a power. Raises ``ValueError`` where it is none."""
        found = power_law(self.derivative, T)
        if found is None:
            raise ValueError(f"k'({T}) = {self.derivative} is not a positive multiple of a power of {T}")
        return found


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
    strict: bool = False

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters, sorted."""
        kernel, tails = self.kernel, self.tail_class
        formulas = [self.bound, tails.threshold, kernel.low, *([] if kernel.high is None else [kernel.high])]
        names = frozenset[str]().union(*(e.free for e in formulas), *(r.free for r in self.where))
        return tuple(sorted(names | (tails.tail.free | kernel.derivative.free) - {T}))


@dataclass(frozen=True)
class ExtremalLaw:
    """P(|Z| > t) = 1 for t < start, coefficient * t^-exponent for t >= start."""

    start: Expr
    coefficient: Expr
    exponent: Expr

    def put(self, values: Mapping[str, Expr]) -> ExtremalLaw:
        """The law with expressions put for parameters."""
        return ExtremalLaw(*(substitute(e, dict(values)) for e in (self.start, self.coefficient, self.exponent)))

    def __str__(self) -> str:
        return (
            f"P(|Z| > t) = 1 for t < {self.start}, ({self.coefficient})*t**(-({self.exponent})) for t >= {self.start}"
        )


@dataclass(frozen=True)
class Region:
    """Where ``where`` holds, sup E k(|Z|) is ``supremum``; in a loose cover it is at most that.

    ``given`` are parameters that the region fixes, already substituted in ``where`` and ``supremum``.
    """

    where: tuple[Relation, ...]
    supremum: Expr
    law: ExtremalLaw
    given: Mapping[str, Expr] = field(default_factory=dict)


@dataclass(frozen=True)
class Analysis:
    """The regions, which cover the domain, and the conditions under which all this is true.

    ``loose`` is a second cover of the domain, by upper bounds without the singularity where an exponent is 0, that
    keep H(t) <= tail(t) above the threshold but forget H <= 1 there: often enough, and simpler. Empty where nothing
    is gained.
    """

    regions: tuple[Region, ...]
    loose: tuple[Region, ...]
    conditions: tuple[Relation, ...]  #: positivity and order
    finite: tuple[Relation, ...]  #: where one fails the supremum is infinite


@dataclass(frozen=True)
class _Term:
    """The integral of coefficient * t^(exponent-1) from low to high (None: oo) as alternatives."""

    coefficient: Expr
    exponent: Expr
    low: Expr
    high: Expr | None

    def _closed(self, sign: str) -> Expr:
        e = self.exponent
        if self.high is None:
            return normal(self.coefficient / normal(-e)) * self.low**e
        if is_zero(self.low):
            return normal(self.coefficient / e) * self.high**e
        if sign == "==":
            return self.coefficient * call("log", normal(self.high / self.low))
        if sign == "<":
            return normal(self.coefficient / normal(-e)) * (self.low**e - self.high**e)
        return normal(self.coefficient / e) * (self.high**e - self.low**e)

    def needs(self) -> Relation | None:
        """The sign of the exponent without which the integral is infinite."""
        if self.high is None:
            return Relation("<", self.exponent, num(0))
        return Relation(">", self.exponent, num(0)) if is_zero(self.low) else None

    def exact(self) -> list[tuple[tuple[Relation, ...], Expr]]:
        if self.needs() is not None:
            return [((), self._closed(""))]
        if self.exponent.op == "num":
            sign = "==" if self.exponent.value == 0 else "<" if self.exponent.value < 0 else ">"
            return [((), self._closed(sign))]
        return [((Relation(s, self.exponent, num(0)),), self._closed(s)) for s in (">", "==", "<")]

    def relaxed(self) -> list[tuple[tuple[Relation, ...], Expr]]:
        """(b^e - a^e)/e <= max(a^e, b^e) log(b/a), which has no singularity at e = 0."""
        if self.needs() is not None or self.exponent.op == "num":
            return self.exact()
        assert self.high is not None
        span = self.coefficient * call("log", normal(self.high / self.low))
        return [
            ((Relation(">=", self.exponent, num(0)),), self.high**self.exponent * span),
            ((Relation("<=", self.exponent, num(0)),), self.low**self.exponent * span),
        ]


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


def _positive(power: Power) -> list[Relation]:
    return [Relation(">", b, num(0)) for b in sorted(power.bases, key=str)]


@lru_cache(maxsize=64)
def analyse(problem: WorstLaw) -> Analysis:
    """The extremal law and the exact supremum by region; ``ValueError`` for tails or kernels not of the form."""
    tails, kernel = problem.tail_class, problem.kernel
    found = power_law(_strip_min(tails.tail), T)
    if found is None or is_zero(found.exponent):
        raise ValueError(f"the tail {tails.tail} is not a constant times a power of {T}")
    q = normal(-found.exponent)
    crossing = normal(found.coefficient ** (num(1) / q))
    conditions = [Relation(">", q, num(0)), *_positive(found)]
    starts: list[tuple[tuple[Relation, ...], Expr]] = [((), crossing)]
    if not is_zero(tails.threshold):
        conditions.append(Relation(">=", tails.threshold, num(0)))
        ratio = normal(crossing / tails.threshold)
        starts = [
            ((Relation(">=", ratio, num(1)),), crossing),
            ((Relation("<=", ratio, num(1)),), tails.threshold),  # closed: of two neighbours one may be dropped
        ]
    conditions += _positive(kernel.power)
    if not is_zero(kernel.low):
        conditions.append(Relation(">=", kernel.low, num(0)))
    if kernel.high is not None:
        conditions.append(Relation(">=", kernel.high, kernel.low))
    regions: list[Region] = []
    loose: list[Region] = []
    finite: list[Relation] = []
    gained = len(starts) > 1
    for start_where, start in starts:
        law = ExtremalLaw(start, found.coefficient, q)
        for place_where, terms in _placements(kernel, start, found.coefficient, q):
            finite += [r for r in (t.needs() for t in terms) if r is not None]
            common = (*problem.where, *start_where, *place_where)
            here = (_fixed(common + where, value, law) for where, value in _sums(terms, False))
            regions += [region for region in here if region is not None]
            gained = gained or any(len(t.exact()) > 1 for t in terms)
            if start is starts[-1][1]:
                common = (*problem.where, *place_where)
                loose += [Region(common + where, value, law) for where, value in _sums(terms, True)]
    loose = loose if gained else []
    return Analysis(tuple(regions), tuple(loose), _open(conditions), _open(finite))


def _open(relations: list[Relation]) -> tuple[Relation, ...]:
    """The relations that are not true of constants, each once."""
    return tuple(r for r in dict.fromkeys(relations) if _constant_truth(r) is not True)


def _placements(
    kernel: Kernel, start: Expr, coefficient: Expr, q: Expr
) -> list[tuple[tuple[Relation, ...], list[_Term]]]:
    """Each position of ``start`` among the ends of the kernel, with the integrals of k' H that it leaves."""
    low, high, power = kernel.low, kernel.high, kernel.power
    ends = [end for end in (low, high) if end is not None and not is_zero(end)]
    full, cut = normal(power.exponent + num(1)), normal(power.exponent + num(1) - q)
    scaled = normal(power.coefficient * coefficient)
    result = []
    for position in range(len(ends) + 1):  # ends[:position] <= start <= ends[position:]
        where = []
        if position:
            where.append(Relation("<=", ends[position - 1], start))
        if position < len(ends):
            where.append(Relation(">=", ends[position], start))
        passed = {num(0), *ends[:position]}
        if high in passed:
            terms = [_Term(power.coefficient, full, low, high)]
        elif low in passed:
            terms = [] if low is start else [_Term(power.coefficient, full, low, start)]
            terms.append(_Term(scaled, cut, start, high))
        else:
            terms = [_Term(scaled, cut, low, high)]
        result.append((tuple(where), terms))
    return result


def _sums(terms: list[_Term], relaxed: bool) -> list[tuple[tuple[Relation, ...], Expr]]:
    """The sum of the integrals, for each combination of the signs of their exponents."""
    result = []
    for choice in itertools.product(*(t.relaxed() if relaxed else t.exact() for t in terms)):
        where = tuple(dict.fromkeys(r for rs, _ in choice for r in rs))
        result.append((where, sum((value for _, value in choice), num(0))))
    return result


def _fixed(where: tuple[Relation, ...], value: Expr, law: ExtremalLaw) -> Region | None:
    """The region with equations a*v + b == 0 solved for v and put in; None if a relation is false by itself."""
    given: dict[str, Expr] = {}
    for r in where:
        solution = linear_solution(r, sorted(r.free)) if r.op == "==" else None
        given = {**(solution or {}), **given}
    kept = []
    for r in where:
        put = r.map(lambda e: substitute(e, given))
        truth = _constant_truth(put)
        if truth is False:
            return None
        if truth is None:
            kept.append(put)
    return Region(tuple(dict.fromkeys(kept)), substitute(value, given), law, given)


def _constant_truth(r: Relation) -> bool | None:
    """The truth of a relation between rational constants, None if it has variables or functions."""
    a, b = normal(r.lhs), normal(r.rhs)
    if a.op != "num" or b.op != "num":
        return None
    difference = a.value - b.value
    return bool(
        {
            "<": difference < 0,
            "<=": difference <= 0,
            ">": difference > 0,
            ">=": difference >= 0,
            "==": difference == 0,
            "!=": difference != 0,
        }[r.op]
    )
