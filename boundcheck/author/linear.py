"""Multipliers found, not given: the goal's gap as a combination of the gaps of facts, by a linear program.

gap(goal) = sum of m_j c_j gap(fact_j) + what is >= 0 term by term, with c_j >= 0 for inequalities; the monomials
m_j are quotients of the goal's terms and the fact's. Doubles find which terms it takes, exact rationals how much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

import numpy as np
from flint import fmpq
from scipy.sparse import csc_matrix

from boundcheck.arith.linear_program import least
from boundcheck.arith.rational_linear import solution
from boundcheck.author.ring import UNIT, Monomial, Polynomial, inverse, monomial, times, times_mono
from boundcheck.kernel.formula import Expr, has_opaque, num

MAX_COLUMNS = 1200
MAX_TERMS = 40
MAX_FRESH = 60  #: monomials that columns bring in, met in their turn
TOLERANCE = 1e-9
DIVIDED = 20.0  #: what it costs to divide by a term of proofs


@dataclass(frozen=True)
class Given:
    """A fact as a polynomial that is >= 0, or == 0 where ``equation``."""

    gap: Polynomial
    equation: bool


@dataclass(frozen=True)
class Share:
    """``times`` of the fact number ``index``."""

    index: int
    times: Expr


@dataclass(frozen=True)
class _Column:
    index: int  #: of the fact; -1: a term that is >= 0 by itself
    times: Monomial
    sign: int  #: 1, or -1 where the multiple is by -times
    poly: Polynomial
    free: bool


def combination(
    goal: Polynomial, equation: bool, given: Sequence[Given], sign: Callable[[Monomial], int]
) -> list[Share] | None:
    """The shares of the facts that sum up to the goal's gap; None if none are found.

    ``sign`` is 1 for a monomial that is >= 0, -1 for one that is <= 0, 0 where that is not known: a multiplier of an
    inequality must be >= 0, and what remains may be.
    """
    columns = _columns(goal, equation, given, sign)
    found = _solve(columns, goal)
    if found is None:
        return None
    shares: dict[int, Expr] = {}
    for column, c in found:
        if column.index >= 0:
            m, c = monomial(column.times), column.sign * c
            part = m if c == 1 else num(c) if m is num(1) else num(c) * m
            shares[column.index] = shares[column.index] + part if column.index in shares else part
    return [Share(i, m) for i, m in shares.items()]


def _columns(
    goal: Polynomial, equation: bool, given: Sequence[Given], sign: Callable[[Monomial], int]
) -> list[_Column]:
    columns: list[_Column] = []
    seen: set[tuple[int, Monomial]] = set()

    def push(index: int, m: Monomial) -> None:
        if (index, m) in seen or len(columns) >= MAX_COLUMNS:
            return
        seen.add((index, m))
        if index >= 0 and len(given[index].gap) == 1 and _divides(m, next(iter(given[index].gap))):
            return  # x == 0 over x says 1 == 0
        free = index >= 0 and given[index].equation
        way = 1 if free else 0 if equation else sign(m)
        if not way:
            return
        one: Polynomial = {m: way}
        poly = one if index < 0 else times(one, given[index].gap)
        if poly and len(poly) <= MAX_TERMS:
            columns.append(_Column(index, m, way, poly, free))

    inverses = [(i, inverse(n)) for i, fact in enumerate(given) for n in islice(fact.gap, 12)]

    def meet(wanted: Iterable[Monomial]) -> None:
        for m in wanted:
            for i, over in inverses:
                push(i, times_mono(m, over)[0])

    def remain() -> None:
        for m in dict.fromkeys([*(m for c in columns for m in c.poly), *goal]):
            push(-1, m)

    for i in range(len(given)):
        push(i, UNIT)
    remain()  # before the products, which may be many
    meet(goal)
    for _ in range(2):
        fresh = dict.fromkeys(m for c in columns for m in c.poly if m not in goal)
        meet(sorted(fresh, key=len)[:MAX_FRESH])
    remain()
    return columns


def _cost(column: _Column) -> float:
    """Short multipliers first; last those that divide by a term of proofs, which may be 0: E(<x, d>), say."""
    below = any(has_opaque(x) for x in _below(column.times))
    return 1.0 + 0.1 * len(column.times) + (0.2 if column.index < 0 else 0.0) + (DIVIDED if below else 0.0)


def _below(m: Monomial) -> set[Expr]:
    return {x for x, exponent in m if any(c < 0 for _, c in exponent)}


def _divides(m: Monomial, n: Monomial) -> bool:
    """Whether ``m`` has an atom of ``n`` below the line."""
    below = _below(m)
    return any(x in below for x, _ in n)


def _solve(columns: list[_Column], goal: Polynomial) -> list[tuple[_Column, Fraction]] | None:
    rows: dict[Monomial, int] = {m: n for n, m in enumerate(goal)}
    data, ri, ci = [], [], []
    for j, column in enumerate(columns):
        for m, v in column.poly.items():
            data.append(float(v))
            ri.append(rows.setdefault(m, len(rows)))
            ci.append(j)
    if not columns:
        return [] if not goal else None
    b = np.zeros(len(rows))
    for m, v in goal.items():
        b[rows[m]] = float(v)
    n = len(columns)
    split = {j: n + k for k, j in enumerate(j for j, c in enumerate(columns) if c.free)}
    for value, i, j in list(zip(data, ri, ci, strict=True)):  # both signs have a cost: unused equations stay out
        if j in split:
            data.append(-value)
            ri.append(i)
            ci.append(split[j])
    cost = [_cost(c) for c in columns]
    costs = np.array([*cost, *(cost[j] for j in split)])
    a = csc_matrix((data, (ri, ci)), shape=(len(rows), n + len(split)))
    found = least(costs, a, b, seconds=2.0)
    if found is None:
        return None
    x = found[:n].copy()
    for j, other in split.items():
        x[j] -= found[other]
    return _exact(columns, [j for j in range(n) if abs(x[j]) > TOLERANCE], goal, rows)


def _exact(
    columns: list[_Column], support: list[int], goal: Polynomial, rows: dict[Monomial, int]
) -> list[tuple[_Column, Fraction]] | None:
    n = len(support)
    if n > 80:
        return None
    if n == 0:
        return [] if not goal else None
    matrix = [[fmpq(0)] * (n + 1) for _ in range(len(rows))]
    for k, j in enumerate(support):
        for m, v in columns[j].poly.items():
            matrix[rows[m]][k] = fmpq(v.numerator, v.denominator)
    for m, v in goal.items():
        matrix[rows[m]][n] = fmpq(v.numerator, v.denominator)
    found = solution(matrix, n)
    if found is None or any(v < 0 and not columns[j].free for v, j in zip(found, support, strict=True)):
        return None
    return [(columns[j], Fraction(int(v.p), int(v.q))) for v, j in zip(found, support, strict=True) if v]
