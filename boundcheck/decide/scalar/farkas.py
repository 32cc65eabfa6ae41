"""Linear search for a certificate gap = sum c * (product of hypothesis gaps) * (nonnegative monomial or square).

A linear program in floats finds the support; the coefficients are then solved for exactly, and the rule
re-checks the identity in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np
from flint import fmpq
from scipy.optimize import linprog
from scipy.sparse import csc_matrix

from boundcheck.arith.rational_linear import solution
from boundcheck.decide.scalar.prover import Node, Prover
from boundcheck.decide.scalar.sampling import signs
from boundcheck.kernel.check.algebra import Algebra
from boundcheck.kernel.check.poly import (
    ONE,
    AlgebraLimit,
    Mono,
    Poly,
    add,
    inverse,
    merge,
    multiple,
    multiply,
    scale,
    to_expr,
)
from boundcheck.kernel.check.quotients import Ratio
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import positive
from boundcheck.kernel.formula import Expr, num, text

MAX_COLUMNS = 1500
MAX_ROWS = 600


@dataclass(frozen=True)
class Column:
    """One candidate term: hypotheses used, multiplier, its polynomial, and whether any sign is allowed."""

    hyps: tuple[int, ...]
    times: Expr
    poly: tuple[tuple[Mono, Any], ...]
    free: bool
    strict: bool


def _halves(monos: list[Mono]) -> list[Mono]:
    """Square roots of the monomials with even exponents."""
    out: dict[Mono, None] = {(): None}
    for m in monos:
        if all(isinstance(x, fmpq) and x.q == 1 and int(x.p) % 2 == 0 for _, x in m):
            out[tuple((a, multiple(x, fmpq(1, 2))) for a, x in m)] = None
        elif len(m) == 1 and isinstance(m[0][1], fmpq) and m[0][1] == 1:
            out[m] = None
    return list(out)


class _Columns:
    def __init__(
        self, seq: Sequent, gaps: dict[int, Poly], fractions: dict[int, Ratio], target: Poly, clock: Callable[[], None]
    ):
        self.clock = clock
        self.seq, self.gaps, self.fractions, self.target = seq, gaps, fractions, target
        self.box = seq.box or {}
        self.algebra: Algebra = seq.algebra
        self.columns: list[Column] = []
        self.seen: set[tuple[tuple[int, ...], Expr]] = set()
        self.signs: dict[Expr, tuple[bool, bool]] = {}
        self.terms: dict[Mono, Expr] = {}

    def term(self, m: Mono) -> Expr:
        """The monomial as a formula; the same ones are met again and again."""
        found = self.terms.get(m)
        if found is None:
            found = self.terms[m] = to_expr({m: fmpq(1)})
        return found

    def sign(self, e: Expr) -> tuple[bool, bool]:
        if e not in self.signs:
            value = enclose(e, self.box)
            self.signs[e] = (positive(value, False), positive(value, True))
        return self.signs[e]

    def push(self, hyps: tuple[int, ...], times: Expr, poly: Poly | None) -> None:
        if (hyps, times) in self.seen or len(self.columns) >= MAX_COLUMNS:
            return
        self.seen.add((hyps, times))
        free = any(self.seq.hyps[i].op == "==" for i in hyps)
        ok, strict = self.sign(times)
        if not ok and not free:
            return
        try:
            if poly is None:
                form = self.algebra.normal(times)
                if form.den != ONE:
                    return
                poly = form.num
            for i in hyps:
                poly = multiply(poly, self.gaps[i])
            settled = self.algebra.settle(poly)
        except AlgebraLimit:
            return
        if settled.den != ONE or not settled.num or len(settled.num) > 200:
            return
        strict = strict and not free and all(self.seq.hyps[i].strict for i in hyps)
        self.columns.append(Column(hyps, times, tuple(settled.num.items()), free, strict))

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
            self.push((), self.term(m), {m: fmpq(1)})
        for g in groups:
            poly: Poly = dict(ONE)
            for i in g:
                poly = multiply(poly, self.gaps[i])
            self.clock()
            if len(poly) > 60:
                continue
            self.push(g, num(1), dict(ONE))
            inverses = list(map(inverse, list(poly)[:8]))
            for m in monos:
                for n in inverses:
                    q = merge(m, n)
                    if q and len(q) <= 4:
                        self.push(g, self.term(q), {q: fmpq(1)})
        self._cleared(monos)
        # second generation: monomials that the first one brought in
        if degree >= 2:
            fresh = {m for c in self.columns for m, _ in c.poly} - set(monos)
            over = [(i, inverse(n)) for i in index for n in list(self.gaps[i])[:6]]
            for m in sorted(fresh, key=str)[:40]:
                self.push((), self.term(m), {m: fmpq(1)})
                for i, n in over:
                    q = merge(m, n)
                    if q and len(q) <= 4:
                        self.push((i,), self.term(q), {q: fmpq(1)})
        self._squares(monos)
        return self.columns

    def _cleared(self, monos: list[Mono]) -> None:
        """A hypothesis with a denominator, times a hypothesis gap or a positive formula that clears it."""
        for i, g in self.fractions.items():
            den = to_expr(g.den)
            if self.sign(den)[1]:
                self._push_ratio((i,), den, g.num, monos)
            for j, poly in self.gaps.items():
                product = self.algebra.times(g, Ratio(poly, ONE))
                if product.den == ONE and product.num:
                    self._push_ratio((j, i), num(1), product.num, monos)

    def _push_ratio(self, hyps: tuple[int, ...], times: Expr, poly: Poly, monos: list[Mono]) -> None:
        strict = self.sign(times)[1] and all(self.seq.hyps[i].strict for i in hyps)
        self.columns.append(Column(hyps, times, tuple(poly.items()), False, strict))
        inverses = list(map(inverse, list(poly)[:6]))
        for m in monos:
            for n in inverses:
                q = merge(m, n)
                e = self.term(q)
                if q and len(q) <= 4 and self.sign(e)[0] and len(self.columns) < MAX_COLUMNS:
                    moved = self.algebra.settle(multiply(poly, {q: fmpq(1)}))
                    if moved.den == ONE:
                        self.columns.append(
                            Column(hyps, times * e, tuple(moved.num.items()), False, strict and self.sign(e)[1])
                        )

    @staticmethod
    def _lifts(monos: list[Mono], root: Poly) -> list[Mono]:
        """Monomials m for which some target monomial is m times a square in root**2."""
        tops = [next(iter(multiply({r: fmpq(1)}, {r: fmpq(1)}))) for r in root]
        found = {merge(m, t) for m in monos for t in map(inverse, tops)}
        good = [
            m
            for m in found
            if m and len(m) <= 2 and all(isinstance(x, fmpq) and x.q == 1 and 0 < x <= 3 for _, x in m)
        ]
        return sorted(good, key=str)[:6]

    def _squares(self, monos: list[Mono]) -> None:
        roots = _halves(monos)[:14]
        for a, b in combinations(roots, 2):
            self.clock()
            ea, eb = self.term(a), self.term(b)
            for s in (1, -1):
                base = ea + eb if s > 0 else ea - eb
                root = add({a: fmpq(1)}, {b: fmpq(1)}, fmpq(s))
                self.push((), base ** num(2), multiply(root, root))
                for m in self._lifts(monos, root):
                    self.push((), base ** num(2) * self.term(m), multiply(multiply(root, root), {m: fmpq(1)}))
        for a in roots:
            if a:
                self.push((), self.term(a) ** num(2), multiply({a: fmpq(1)}, {a: fmpq(1)}))


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
    bounds = [(None, None) if c.free else (0, None) for c in columns]
    cost = np.array([1.0 + 0.01 * len(c.hyps) - (0.5 if c.strict and want_strict else 0) for c in columns])
    cost[[c.free for c in columns]] = 0
    solve: Any = linprog  # the stubs know no sparse constraint matrix
    result = solve(cost, A_eq=a, b_eq=b, bounds=bounds, method="highs-ds", options={"time_limit": 2.0})
    if result.status != 0:
        return None
    support = [j for j in range(len(columns)) if abs(result.x[j]) > 1e-9]
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
    if goal.op not in ("<=", "<", ">=", ">"):
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
    gaps: dict[int, Poly] = {}
    fractions: dict[int, Ratio] = {}
    for i, h in enumerate(seq.hyps):
        if h.op == "!=":
            continue
        try:
            g = algebra.normal(h.gap)
        except AlgebraLimit:
            continue
        if g.den == ONE and 0 < len(g.num) <= 40:
            gaps[i] = g.num
        elif g.num and len(g.num) <= 20:
            fractions[i] = g
    for degree in (1, 2, 3):
        p.clock()
        if degree == 3 and len(gaps) < 3:
            break
        columns = _Columns(seq, gaps, fractions, target, p.clock).build(degree)
        found = _solve(columns, target, goal.strict)
        if found is None:
            continue
        terms = []
        for c, v in found:
            term: dict[str, Any] = {"c": str(v)}
            if c.hyps:
                term["hyps"] = list(c.hyps)
            if text(c.times) != "1":
                term["times"] = text(c.times)
            terms.append(term)
        node: Node = {"rule": "farkas", "terms": terms}
        if form.den != ONE:
            node["scale"] = text(factor)
        done = p.apply(node, seq, depth)
        if done is not None:
            return done
    return None
