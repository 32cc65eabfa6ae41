"""Linear search for a certificate gap = sum c * (product of hypothesis gaps) * (nonnegative monomial).

A linear program in floats finds the support; the coefficients are then solved for exactly, and the rule
re-checks the identity in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations, combinations_with_replacement
from math import prod
from typing import Any

import numpy as np
from flint import fmpq
from scipy.sparse import csc_matrix

from boundcheck.arith.linear_program import least
from boundcheck.arith.rational_linear import solution
from boundcheck.decide.scalar.prover import Node, Prover, size
from boundcheck.decide.scalar.sampling import signs
from boundcheck.kernel.check.nodes_read import ORDER
from boundcheck.kernel.check.poly import ONE, AlgebraLimit, Mono, Poly, inverse, merge, multiply, scale, to_expr
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import positive
from boundcheck.kernel.formula import Expr, num, substitute, text, var

MAX_COLUMNS = 1500
MAX_ROWS = 600
MAX_SIZE, MAX_TERMS = 60, 12  #: nodes and terms of a goal that is multiplied


@dataclass(frozen=True)
class Column:
    """One candidate term: hypotheses used, multiplier, its polynomial, and whether any sign is allowed."""

    hyps: tuple[int, ...]
    times: _Multiplier
    poly: tuple[tuple[Mono, Any], ...]
    free: bool
    strict: bool


@dataclass
class _Multiplier:
    """A monomial, whether it is >= 0 and > 0, and the products of hypotheses that it was tried with.

    One is looked up once for all that is asked of it: to hash an exact exponent costs more than the questions.
    """

    mono: Mono
    nonnegative: bool
    positive: bool
    tried: set[tuple[int, ...]] = field(default_factory=set)


class _Columns:
    def __init__(self, seq: Sequent, target: Poly, clock: Callable[[], None], quotients: bool = True):
        self.seq, self.target, self.clock, self.quotients = seq, target, clock, quotients
        self.gaps: dict[int, Poly] = {}  #: of hypotheses by index, times what is > 0 and clears them
        self.clears: dict[int, Expr] = {}
        for i, h in enumerate(seq.hyps):
            with suppress(AlgebraLimit):
                gap = seq.algebra.normal(h.gap)
                below = to_expr(gap.den)
                if h.op != "!=" and 0 < len(gap.num) <= 40 and positive(enclose(below, seq.box or {}), True):
                    self.gaps[i], self.clears[i] = gap.num, below
        self.columns: list[Column] = []
        self.multipliers: dict[Mono, _Multiplier] = {}
        self.products: dict[tuple[int, ...], Poly] = {(): ONE}

    def multiplier(self, m: Mono) -> _Multiplier:
        """What is known of a monomial; the same ones are met again and again."""
        found = self.multipliers.get(m)
        if found is None:
            value = enclose(to_expr({m: fmpq(1)}), self.seq.box or {})
            found = self.multipliers[m] = _Multiplier(m, positive(value, False), positive(value, True))
        return found

    def product(self, hyps: tuple[int, ...]) -> Poly:
        """The product of the gaps of hypotheses."""
        if hyps not in self.products:
            self.products[hyps] = multiply(self.product(hyps[:-1]), self.gaps[hyps[-1]])
        return self.products[hyps]

    def push(self, hyps: tuple[int, ...], m: Mono) -> None:
        """The product of the gaps of hypotheses and a monomial, if its sign is known or none is wanted."""
        if len(self.columns) >= MAX_COLUMNS:
            return
        times = self.multiplier(m)
        if hyps in times.tried:
            return
        times.tried.add(hyps)
        free = any(self.seq.hyps[i].op == "==" for i in hyps)
        if not times.nonnegative and not free:
            return
        try:
            settled = self.seq.algebra.settle({merge(m, n): c for n, c in self.product(hyps).items()})
        except AlgebraLimit:
            return
        if settled.den != ONE or not settled.num or len(settled.num) > 200:
            return
        strict = times.positive and not free and all(self.seq.hyps[i].strict for i in hyps)
        self.columns.append(Column(hyps, times, tuple(settled.num.items()), free, strict))

    def push_all(self, hyps: tuple[int, ...], monos: list[Mono], over: list[Mono]) -> None:
        """With the quotients of monomials."""
        below = [inverse(n) for n in over]
        for q in (merge(m, n) for m in monos for n in below):
            if q and len(q) <= 4 and (self.quotients or not any(isinstance(x, fmpq) and x < 0 for _, x in q)):
                self.push(hyps, q)

    def build(self, degree: int) -> list[Column]:
        monos = list(self.target)
        # products of one or two hypotheses, times monomials that can meet the target
        index = sorted(self.gaps)
        groups: list[tuple[int, ...]] = [(i,) for i in index]
        if degree >= 2:
            groups += list(combinations_with_replacement(index, 2))[:120]
        if degree >= 3:
            groups += list(combinations(index, 3))[:60]
        for m in monos:
            self.push((), m)
        for g in groups:
            self.clock()
            poly = self.product(g)
            if len(poly) <= 60:
                self.push(g, ())
                self.push_all(g, monos, list(poly)[:8])
        # second generation: monomials that the first one brought in
        if degree >= 2:
            fresh = {m for c in self.columns for m, _ in c.poly} - set(monos)
            for m in sorted(fresh, key=str)[:40]:
                self.push((), m)
                for i in index:
                    self.push_all((i,), [m], list(self.gaps[i])[:6])
        return self.columns

    def times(self, c: Column) -> Expr:
        """What the gaps of a column's hypotheses are multiplied by."""
        return prod((self.clears[i] for i in c.hyps), start=to_expr({c.times.mono: fmpq(1)}))

    def terms(self, found: Iterable[tuple[Column, Any]]) -> list[Node]:
        """The combination as the rule reads it."""
        terms = []
        for c, v in found:
            by = {"hyps": list(c.hyps)} if c.hyps else {}
            times = self.times(c)
            terms.append({"c": str(v), **by, **({} if times is num(1) else {"times": text(times)})})
        return terms


LARGEST = 10**300  #: numerators and denominators that a double holds


def _solve(columns: list[Column], target: Poly, want_strict: bool) -> list[tuple[Column, Any]] | None:
    if any(abs(v.p) > LARGEST or v.q > LARGEST for v in target.values()):
        return None
    rows: dict[Mono, int] = {}
    for m in target:
        rows[m] = len(rows)
    data, ri, ci = [], [], []
    for j, c in enumerate(columns):
        for m, v in c.poly:
            rows.setdefault(m, len(rows))
            if abs(v.p) > LARGEST or v.q > LARGEST:
                return None
            data.append(float(v.p) / float(v.q))
            ri.append(rows[m])
            ci.append(j)
    if len(rows) > MAX_ROWS or not columns:
        return None
    a = csc_matrix((data, (ri, ci)), shape=(len(rows), len(columns)))
    b = np.zeros(len(rows))
    for m, v in target.items():
        b[rows[m]] = float(v.p) / float(v.q)
    cost = np.array([1.0 + 0.01 * len(c.hyps) - (0.5 if c.strict and want_strict else 0) for c in columns])
    free = [c.free for c in columns]
    cost[free] = 0
    x = least(cost, a, b, free=free, seconds=2.0)
    if x is None:
        return None
    support = [j for j in range(len(columns)) if abs(x[j]) > 1e-9]
    return _exact(columns, support, target, rows)


def _exact(
    columns: list[Column], support: list[int], target: Poly, rows: dict[Mono, int]
) -> list[tuple[Column, Any]] | None:
    """Solve the support's linear system over Q (least unknowns pinned to 0); None unless all signs fit."""
    n = len(support)
    if n == 0 or n > 120:
        return None
    matrix = [[fmpq(0)] * (n + 1) for _ in range(len(rows))]
    for k, j in enumerate(support):
        for m, v in columns[j].poly:
            matrix[rows[m]][k] = v
    for m, v in target.items():
        matrix[rows[m]][n] = v
    found = solution(matrix, n)
    if found is None or any(c < 0 and not columns[j].free for c, j in zip(found, support, strict=True)):
        return None
    return [(columns[j], c) for c, j in zip(found, support, strict=True) if c != 0]


def farkas(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """The tactic: degree 1, then 2, then 3 products of hypotheses."""
    goal = seq.goal
    if goal.op not in ORDER:
        return None
    algebra = seq.algebra
    form = algebra.normal(goal.gap)
    if len(form.num) > 120:
        return None
    target, factor = form.num, to_expr(form.den)
    if form.den != ONE and not positive(enclose(factor, seq.box or {}), True):
        (sign,) = signs((factor,), seq)
        if sign == 0:
            return None
        if sign < 0:
            target, factor = scale(target, fmpq(-1)), to_expr(scale(form.den, fmpq(-1)))
    tried = _Columns(seq, target, p.clock)
    for degree in (1, 2, 3):
        p.clock()
        if degree == 3 and len(tried.gaps) < 3:
            break
        columns = tried.build(degree)
        found = _solve(columns, target, goal.strict)
        if found is None:
            continue
        node: Node = {"rule": "farkas", "terms": tried.terms(found)}
        if form.den != ONE:
            node["scale"] = text(factor)
        done = p.apply(node, seq, depth)
        if done is not None:
            return done
    return None


def contradicted(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """(sum of u v) gap as such a combination, for unknown v >= 0 and factors u >= 0, where the gap is < 0.

    The sum of the v is 1 for the factors that are not 0 there: a variable at which the gap would be >= 0.
    """
    goal, box = seq.goal, seq.box or {}
    if goal.op not in ("<=", ">=") or depth < 4 or size(goal.gap) > MAX_SIZE:
        return None
    bent = frozenset().union(*(_bent(seq.algebra.normal(h.gap).num) for h in seq.hyps if size(h.gap) <= MAX_SIZE))
    least = {v: substitute(goal.gap, {v: 0}) for v in sorted(bent & goal.free - seq.integers)}
    names = [v for v, gap in least.items() if positive(enclose(gap, box), False)]
    if not names:
        return None

    def guide(s: Sequent) -> Node | None:
        if s.goal != goal or not s.hyps[-1].strict:
            return None
        found = _multiplied(p, s, [v for v in names if positive((s.box or {}).get(v), False)])
        return found and p.apply(found, s, depth - 1, not_zero)

    def not_zero(s: Sequent) -> Node | None:
        signs = ({"rule": "case", "on": v, "strict": True} for v in names if v in s.goal.free and s.goal.strict)
        return p.first(signs, s, 4)

    return p.apply({"rule": "case", "on": text(-goal.gap), "strict": True}, seq, depth, guide)


def _bent(p: Poly) -> frozenset[str]:
    """The variables in which a polynomial in variables and their roots is not linear; none of any other one."""
    moving = [[(a, x) for a, x in m if a.free] for m in p]
    if not all(a.op == "var" and isinstance(x, fmpq) for m in moving for a, x in m):
        return frozenset()
    return frozenset(str(a.value) for m in moving for a, x in m if len(m) > 1 or x != 1)


def _multiplied(p: Prover, seq: Sequent, names: Collection[str]) -> Node | None:
    """The combination where the gap is < 0, as the last hypothesis says, so that the ``names`` are not 0."""
    form = seq.algebra.normal(seq.goal.gap)
    below = to_expr(form.den)
    if len(form.num) > MAX_TERMS or not positive(enclose(below, seq.box or {}), True):
        return None
    tried = _Columns(seq, form.num, p.clock, quotients=False)
    factors = dict.fromkeys(((a, x),) for poly in (form.num, *tried.gaps.values()) for m in poly for a, x in m)
    times = {m: tried.multiplier(m) for m in ((), *factors)}
    products = {m: multiply(form.num, {m: fmpq(-1)}) for m, t in times.items() if t.nonnegative}
    one: Mono = ((var("#"), fmpq(1)),)
    weighed = []
    for m, poly in products.items():
        more = ((one, fmpq(1)),) if all(a.op == "var" and a.value in names for a, _ in m) else ()
        weighed.append(Column((), times[m], (*poly.items(), *more), False, False))
    tried.target = {m: fmpq(0) for poly in products.values() for m in poly}
    found = _solve([*tried.build(2), *weighed], {**tried.target, one: fmpq(1)}, False)
    if found is None:
        return None
    scale = to_expr({c.times.mono: v for c, v in found if c in weighed}) * below
    return {"rule": "farkas", "scale": text(scale), "terms": tried.terms((c, v) for c, v in found if c not in weighed)}
