"""Where to look for a violation: bounds read from the hypotheses, and samples at every scale between them.

Violations hide near ends, at huge and tiny arguments, on diagonals, at the numerals of the claim and on
the curves where a hypothesis is tight; each sampler aims at one of these places. Doubles only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from boundcheck.arith.floats import compile_function
from boundcheck.decide.scalar.roots import solution
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.enclosure import points
from boundcheck.kernel.formula import Expr, Relation, substitute
from boundcheck.kernel.statement import Claim

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SearchProblem:
    """A claim ready for the search: free variables with bounds, and variables solved from equalities."""

    claim: Claim
    names: tuple[str, ...]
    low: Mapping[str, float]
    high: Mapping[str, float]
    solved: tuple[tuple[str, Expr], ...]
    where: tuple[Relation, ...]
    goals: tuple[Relation, ...]

    def integer(self, name: str) -> bool:
        """Whether the variable ranges over the integers."""
        return name in self.claim.integers


def prepare(claim: Claim) -> SearchProblem:
    """Read bounds off the hypotheses and solve equality hypotheses for a variable each."""
    where, goals = list(claim.where), list(claim.claim)
    nodes = (n for r in (*where, *goals) for n in r.walk())
    bound = frozenset().union(*(n.args[1].free for n in nodes if n.binds))  # a value that speaks of one cannot be put
    solved: list[tuple[str, Expr]] = []
    for r in [r for r in claim.where if r.op == "=="]:
        current = r
        for name, value in solved:
            current = current.map(lambda e, n=name, v=value: substitute(e, {n: v}))  # type: ignore[misc]
        found = _solve(current, claim.integers, bound)
        if found is not None:
            name, value = found
            solved = [(n, substitute(v, {name: value})) for n, v in solved] + [(name, value)]
    table = dict(solved)
    goals = [r.map(lambda e: substitute(e, table)) for r in goals]
    where = [r.map(lambda e: substitute(e, table)) for r in where]
    names = tuple(n for n in claim.variables if n not in table)
    low, high = dict.fromkeys(names, -np.inf), dict.fromkeys(names, np.inf)
    for side in (side for r in where for side in (r, r.flipped())):
        inner = side.lhs.args[0] if side.lhs.op == "abs" and side.op in ("<", "<=") else side.lhs
        if inner.op == "var" and inner.value in low and not side.rhs.free:
            name, at = inner.value, constant(side.rhs)
            if side.op in (">", ">=", "==") or inner is not side.lhs:
                low[name] = max(low[name], at if inner is side.lhs else -at)
            if side.op in ("<", "<=", "=="):
                high[name] = min(high[name], at)
    return SearchProblem(claim, names, low, high, tuple(solved), tuple(where), tuple(goals))


def constant(e: Expr) -> float:
    """The nearest double of a constant expression (NaN if it has no value)."""
    value = points.value_at(e, {})
    return float(points.as_arb(value).mid()) if not points.as_arb(value).is_nan() else np.nan


def _solve(r: Relation, integers: frozenset[str], bound: frozenset[str]) -> tuple[str, Expr] | None:
    """A variable in which the equality is linear, with its value, which speaks of none of the names in ``bound``."""
    for a, b in (r.sides, (r.rhs, r.lhs)):
        if a.op == "var" and not b.free & ({a.value} | bound):
            return a.value, b
    for name in sorted(r.free - integers):
        found = solution(r, name, Sequent((), r, integers))
        if found is not None and not found[0].free & bound:
            return name, found[0]
    return None


def numerals(claim: Claim) -> Array:
    """The numbers written in the claim and simple relatives of them."""
    found = {0.0, 1.0, -1.0, 0.5, 2.0, float(np.e), float(np.pi)}
    for r in (*claim.claim, *claim.where):
        for e in (*r.lhs.walk(), *r.rhs.walk()):
            if e.op == "num" and abs(e.value) < 10**15:
                value = float(e.value)
                found |= {value, -value, value / 2, value + 1, value - 1}
                if value:
                    found.add(1 / value)
                if 0.02 < abs(value) < 50:
                    found |= {float(np.exp(value)), float(np.exp(1 / value))}
    return np.array(sorted(found))


class Sampler:
    """Samples of all variables of a problem, as one array a variable."""

    def __init__(self, problem: SearchProblem, seed: int):
        self.problem = problem
        self.rng = np.random.default_rng(seed)
        self.special = numerals(problem.claim)
        self._hypotheses = [
            (side.lhs.value, side.op, compile_function([side.rhs], problem.names, problem.claim.integers))
            for r in problem.where
            for side in (r, r.flipped())
            if side.lhs.op == "var" and side.lhs.value in problem.names and side.rhs.free
        ]

    def draw(self, count: int) -> dict[str, Array]:
        """``count`` points inside the bounds; other hypotheses are met often, not always."""
        names = self.problem.names
        with np.errstate(all="ignore"):
            columns = {n: self._column(n, count) for n in names}
            self._diagonals(columns, count)
            self._tighten(columns, count)
        for n in names:
            if self.problem.integer(n):
                columns[n] = np.round(columns[n])
        return columns

    def in_box(self, box: Mapping[str, tuple[float, float]], count: int) -> dict[str, Array]:
        """Uniform points of a box."""
        result = {}
        for n in self.problem.names:
            lo, hi = box.get(n, (self.problem.low[n], self.problem.high[n]))
            lo, hi = (min(max(end, -1e12), 1e12) for end in (lo, hi))
            column = lo + (hi - lo) * self.rng.random(count)
            result[n] = np.round(column) if self.problem.integer(n) else column
        return result

    def _magnitudes(self, count: int, smallest: float, largest: float) -> Array:
        return np.asarray(10.0 ** self.rng.uniform(smallest, largest, count))

    def _column(self, name: str, count: int) -> Array:
        lo, hi = self.problem.low[name], self.problem.high[name]
        rng = self.rng
        kind = rng.integers(0, 8, count)
        near = self._magnitudes(count, -13, 0)
        if np.isfinite(lo) and np.isfinite(hi):
            width = hi - lo
            values = np.where(kind < 4, lo + width * rng.random(count), lo + width * near)
            values = np.where(kind == 5, hi - width * near, values)
        elif np.isfinite(lo) or np.isfinite(hi):
            end, sign = (lo, 1.0) if np.isfinite(lo) else (hi, -1.0)
            scale = max(abs(end), 1.0)
            values = end + sign * np.where(
                kind < 3, self._magnitudes(count, -2, 2), scale * self._magnitudes(count, -12, 8)
            )
            values = np.where(kind == 3, end + sign * self._magnitudes(count, 4, 100), values)
            if end == 0:
                values = np.where(
                    (kind == 4) & (rng.random(count) < 0.4), sign * self._magnitudes(count, -100, -8), values
                )
        else:
            signs = rng.choice([-1.0, 1.0], count)
            values = np.where(kind < 4, 3 * rng.standard_normal(count), signs * self._magnitudes(count, -12, 8))
            values = np.where(kind == 4, signs * self._magnitudes(count, 3, 100), values)
        special = rng.choice(self.special, count) * (1 + rng.choice([0.0, 1.0, -1.0], count) * near)
        values = np.where(kind == 6, special, values)
        if np.isfinite(lo):
            values = np.where((kind == 7) & (rng.random(count) < 0.5), lo, values)
        if np.isfinite(hi):
            values = np.where((kind == 7) & (rng.random(count) < 0.5), hi, values)
        if self.problem.integer(name):
            start = np.ceil(lo) if np.isfinite(lo) else (np.floor(hi) - 60 if np.isfinite(hi) else -30)
            values = np.where(kind < 5, start + rng.integers(0, 70, count), values)
        return np.clip(values, lo, hi)

    def _diagonals(self, columns: dict[str, Array], count: int) -> None:
        """On a part of the sample some variables are nearly equal to, or nearly the reciprocal of, another."""
        names = list(columns)
        if len(names) < 2:
            return
        rng = self.rng
        for n in names[1:]:
            other = names[int(rng.integers(0, len(names)))]
            if other == n:
                continue
            kind = rng.random(count)
            factor = 1 + rng.choice([0.0, 1.0, -1.0], count) * self._magnitudes(count, -9, 0)
            columns[n] = np.where(kind < 0.25, columns[other] * factor, columns[n])
            columns[n] = np.where((kind > 0.95) & (columns[other] != 0), factor / columns[other], columns[n])
        together = rng.random(count) < 0.1
        for n in names[1:]:
            columns[n] = np.where(together, columns[names[0]], columns[n])
        for n in names:
            columns[n] = np.clip(columns[n], self.problem.low[n], self.problem.high[n])

    def _tighten(self, columns: dict[str, Array], count: int) -> None:
        """Put a variable next to the bound that a hypothesis sets it."""
        rng = self.rng
        for name, op, bound in self._hypotheses:
            at = bound([columns[n] for n in self.problem.names])[0]
            step = np.maximum(np.abs(at), 1e-300) * self._magnitudes(count, -10, 1)
            step = np.where(rng.random(count) < 0.1, 0.0, step)
            target = at + step if op in (">", ">=") else at - step
            met = columns[name] >= at if op in (">", ">=") else columns[name] <= at
            move = np.isfinite(target) & (~met | (rng.random(count) < 0.25))
            columns[name] = np.where(move, target, columns[name])


def exact_solution(problem: SearchProblem, point: Mapping[str, fmpq]) -> dict[str, fmpq] | None:
    """The solved variables at a rational point, if they are rational there."""
    full = dict(point)
    for name, value in problem.solved:
        at = points.value_at(value, point, problem.claim.integers)
        if not isinstance(at, fmpq):
            return None
        full[name] = at
    return full
