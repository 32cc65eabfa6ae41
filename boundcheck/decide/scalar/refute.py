"""The refuter: an adversarial search for a point that meets every hypothesis and breaks the claim.

Doubles propose, balls dispose: a witness is short text, re-read from its own text, and counts only if
balls (at growing precision) and mpmath (at 50 digits) both see all hypotheses met and the claim broken.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from flint import ctx, fmpq
from numpy.typing import NDArray
from scipy import optimize

from boundcheck.arith import in_balls
from boundcheck.arith.floats import compile_function
from boundcheck.decide.scalar.search_space import Sampler, SearchProblem, exact_solution, prepare
from boundcheck.decide.scalar.simplest import MAX_POINTS, exact_text, grid, rounded, simpler
from boundcheck.decide.scalar.witness_check import PRECISIONS, check_witness, compare
from boundcheck.kernel.clock import deadline, passed, seconds_used
from boundcheck.kernel.enclosure import points
from boundcheck.kernel.formula import BINDERS, Relation, num
from boundcheck.kernel.statement import Claim

Array = NDArray[np.float64]
Box = Mapping[str, tuple[float, float]]
_DIGITS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 17, 22, 30, 40)  #: significant digits of a witness, shortest first
_FIRST, _LARGEST = 1024, 32_768  #: points a round
_STARTS = 24  #: points of a round that are looked at in balls
_ROUNDS = 24
POLISH = 0.2  #: seconds for a simpler witness


def refute(claim: Claim, seconds: float, boxes: Iterable[Box] | None = None, seed: int = 0) -> dict[str, str] | None:
    """A verified witness against ``claim``, or None if none was found in ``seconds``.

    ``boxes`` are places to look at first (where a cover got stuck). The same seed looks at the same points.
    """
    if all(map(_never_false, claim.claim)):
        return None
    return _Search(claim, deadline(seconds), seed).run(list(boxes or ()))


def _never_false(r: Relation) -> bool:
    """Whether it is 0*e == 0, which says that e is defined: true, or without a truth value, so no point breaks it."""
    return r.op in ("==", "<=", ">=") and r.rhs is num(0) and r.lhs.op == "mul" and r.lhs.args[0] is num(0)


class _Search:
    def __init__(self, claim: Claim, deadline: float, seed: int):
        self.claim, self.deadline = claim, deadline
        self.problem: SearchProblem = prepare(claim)
        self.sampler = Sampler(self.problem, seed)
        sides = [e for r in (*self.problem.goals, *self.problem.where) for e in r.sides]
        self.function = compile_function(sides, self.problem.names, claim.integers)
        self.slow = any(n.op in BINDERS for e in sides for n in e.walk())
        self.tried: set[tuple[float, ...]] = set()

    # -------------------------------------------------------------- scores

    def scores(self, columns: Mapping[str, Array]) -> Array:
        """Relative violation of the worst goal at each point, -inf outside the domain: positive means broken."""
        values = self.function([columns[n] for n in self.problem.names])
        if not self.problem.names:
            values = [np.atleast_1d(v) for v in values]
        goals = len(self.problem.goals)
        with np.errstate(all="ignore"):
            score = np.full(values[0].shape, -np.inf)
            for i, r in enumerate(self.problem.goals):
                score = np.fmax(score, _violation(r.op, values[2 * i], values[2 * i + 1]))
            for i, r in enumerate(self.problem.where, goals):
                left, right = values[2 * i], values[2 * i + 1]
                met = _FLOAT[r.op](left, right)
                if r.op == "==":
                    met = np.abs(left - right) <= 1e-9 * (np.abs(left) + np.abs(right))
                score = np.where(met, score, -np.inf)
        return score

    def exact_score(self, point: Mapping[str, float]) -> float:
        """As :meth:`scores`, in balls of 128 bits at one point, so that no rounding noise is climbed."""
        if self.slow:
            return float(self.scores({n: np.array([v]) for n, v in point.items()})[0])
        exact = {n: Fraction(v) for n, v in point.items()}
        for r in self.problem.where:
            left, right = (in_balls.at_point(e, exact, 96, self.claim.integers) for e in r.sides)
            if r.op != "==" and compare(r.op, left, right, 96) is not True:
                return -np.inf
        with ctx.workprec(128):
            return max(self._excess(r, exact) for r in self.problem.goals)

    def _excess(self, r: Relation, point: Mapping[str, Fraction]) -> float:
        """Violation relative to the sides, at the current precision; -inf if undefined."""
        sides = (in_balls.at_point(e, point, ctx.prec, self.claim.integers) for e in r.sides)
        left, right = map(points.as_arb, sides)
        size = abs(left) + abs(right)
        gap = left - right if r.op in ("<", "<=") else right - left
        if r.op in ("==", "!="):
            gap = abs(gap) if r.op == "==" else -abs(gap)
        ratio = (gap / size).mid() if size > 0 else gap.mid()
        return float(ratio) if ratio.is_finite() else -math.inf

    # -------------------------------------------------------------- witnesses

    def witness(self, point: Mapping[str, float]) -> dict[str, str] | None:
        """The shortest decimals near ``point`` that are a verified witness."""
        key = tuple(float(f"{v:.12g}") for v in point.values())
        if key in self.tried:
            return None
        self.tried.add(key)
        exact = {n: Fraction(v) for n, v in point.items()}
        if not self._breaks(exact):
            return None
        for digits in _DIGITS:
            short = {
                n: Fraction(round(v)) if self.problem.integer(n) else rounded(v, digits) for n, v in exact.items()
            }
            if self._breaks(short):
                found = self._confirmed(short)
                if found or self.slow:
                    return found
        return None

    def _breaks(self, point: Mapping[str, Fraction]) -> bool:
        """A quick look in balls, before the full check."""
        for prec in PRECISIONS[: 1 if self.slow else 2]:
            where = [self._decide(r, point, prec) for r in self.problem.where if r.op != "=="]
            if any(w is False for w in where):
                return False
            goals = [self._decide(r, point, prec) for r in self.problem.goals]
            if any(g is False for g in goals) and all(where):
                return True
            if all(goals):
                return False
        return False

    def _decide(self, r: Relation, point: Mapping[str, Fraction], prec: int) -> bool | None:
        left, right = (in_balls.at_point(e, point, prec, self.claim.integers) for e in r.sides)
        undefined = points.as_arb(left).is_nan() or points.as_arb(right).is_nan()
        return None if undefined else compare(r.op, left, right, prec)

    # -------------------------------------------------------------- the search

    def run(self, boxes: list[Box]) -> dict[str, str] | None:
        """A verified witness with coordinates as plain as they can be, or None."""
        if not self.problem.names:
            return self._confirmed({})
        found = self._plain()
        if found is not None:
            return found
        found = self._hunt(boxes)
        if found is None:
            return None
        point = {n: Fraction(found[n]) for n in self.problem.names}
        until = seconds_used() + POLISH
        better = simpler(point, self._breaks, self.problem.integer, lambda: not passed(until))
        return found if better == point else self._confirmed(better) or found

    def _confirmed(self, point: Mapping[str, Fraction], seen: bool = True) -> dict[str, str] | None:
        """The point as the texts of a witness, if it passes the full check.

        A point that was ``seen`` to break the claim is worth its time.
        """
        full = exact_solution(self.problem, {n: fmpq(v.numerator, v.denominator) for n, v in point.items()})
        if full is None:
            return None
        texts = {n: exact_text(point[n]) if n in point else str(v) for n, v in full.items()}
        deadline = math.inf if point and seen else self.deadline
        return dict(sorted(texts.items())) if check_witness(self.claim, texts, deadline) else None

    def _plain(self) -> dict[str, str] | None:
        """A witness with small integers and fractions."""
        problem = self.problem

        def allowed(name: str, value: Fraction) -> bool:
            whole = not problem.integer(name) or value.denominator == 1
            return whole and problem.low[name] <= value <= problem.high[name]

        plain, at = grid(list(problem.names), allowed, 16 if self.slow else MAX_POINTS)
        if not at.size:
            return None
        score = self.scores({n: np.array([float(v) for v in plain[n]])[i] for n, i in zip(plain, at, strict=True)})
        strict = any(r.op in ("<", ">", "!=") for r in problem.goals)
        for place in np.flatnonzero(score >= 0 if strict else score > 0)[:8]:
            point = {n: plain[n][i] for n, i in zip(plain, at[:, place], strict=True)}
            found = self._confirmed(point) if self._breaks(point) else None
            if found is not None or passed(self.deadline):
                return found
        return None

    def _hunt(self, boxes: list[Box]) -> dict[str, str] | None:
        if found := self._ends():
            return found
        for box in boxes:
            found = self._round(self.sampler.in_box(box, 512), polish=3)
            if found or passed(self.deadline):
                return found
        count = 64 if self.slow else _FIRST
        for k in range(_ROUNDS):
            found = self._round(self.sampler.draw(count), polish=2 if k == 0 else 8)
            if found or passed(self.deadline):
                return found
            count = min(2 * count, 1024 if self.slow else _LARGEST)
        return None

    def _ends(self) -> dict[str, str] | None:
        """One variable closer to an end, or larger, than a double can say; the others at plain values."""
        plain = self.sampler.draw(64)
        i = int(np.argmax(score := self.scores(plain)))
        rounded = {n: float(f"{plain[n][i]:.3g}") for n in self.problem.names}
        if not all(map(math.isfinite, rounded.values())) or (score[i] == -np.inf and len(self.problem.names) > 1):
            return None
        base = {n: Fraction(value) for n, value in rounded.items()}
        for n in self.problem.names:
            for value in self._extremes(n):
                point = {**base, n: value}
                seen = self._breaks(point)
                # a quick look tells nothing of an integral as small as exp(-100)
                if (seen or (self.slow and not self.claim.integers)) and (found := self._confirmed(point, seen)):
                    return found
            if passed(self.deadline):
                break
        return None

    def _extremes(self, name: str) -> list[Fraction]:
        low, high = self.problem.low[name], self.problem.high[name]
        if self.problem.integer(name):
            # a sum is worked out term by term
            sizes = (100, 1000, 30_000) if self.slow else (10**3, 10**6, 10**12, 10**24, 10**401)
            return [Fraction(sign * k) for k in sizes for sign in (1, -1) if low <= sign * k <= high]
        values: list[Fraction] = []
        for k in (3,) if self.slow else (16, 20, 30, 50, 100, 200, 301, 401):
            tiny = Fraction(1, 10**k)
            values += [Fraction(end) + side * tiny for end, side in ((low, 1), (high, -1)) if math.isfinite(end)]
        for k in (1, 2, 3) if self.slow else (6, 20, 50, 100, 200, 301, 401):
            values += [Fraction(sign * 10**k) for sign in (1, -1) if low <= sign * 10**k <= high]
        return values

    def _round(self, columns: Mapping[str, Array], polish: int) -> dict[str, str] | None:
        score = self.scores(columns)
        order = np.argsort(-score)
        order = order[np.isfinite(score[order]) | (score[order] == np.inf)]
        broken = order[score[order] > 0]
        nicest = sorted(broken[:2000], key=lambda i: sum(abs(math.log1p(abs(columns[n][i]))) for n in columns))
        picked = nicest[:12] if self.slow else [*broken[:6], *broken[len(broken) // 2 :][:3], *nicest[:3]]
        for i in [*picked, *self._equalities(order, score)]:
            found = self.witness({n: float(columns[n][i]) for n in self.problem.names})
            if found or passed(self.deadline):
                return found
        starts = self._starts(columns, order, polish if self.slow else _STARTS)
        ranked = sorted(starts, key=self.exact_score, reverse=True)
        for start in ranked[:polish]:
            better = self._climb(self._constrained(start))
            if better is not None and (found := self.witness(better)):
                return found
            if passed(self.deadline):
                break
        return None

    def _equalities(self, order: Any, score: Array) -> list[Any]:
        """Points where a strict claim seems to hold with equality: broken too, if it is exact."""
        if not any(r.op in ("<", ">", "!=") for r in self.problem.goals):
            return []
        return list(order[score[order] == 0][:4])

    def _starts(self, columns: Mapping[str, Array], order: Any, count: int) -> list[dict[str, float]]:
        """The points nearest to a violation, far from each other in log scale."""
        order = order[:4000]
        marks = np.concatenate([self._places(n, columns[n][order]) for n in self.problem.names])
        chosen: list[dict[str, float]] = []
        far = np.ones(len(order), dtype=bool)
        while len(chosen) < count and far.any():
            i = int(np.argmax(far))
            chosen.append({n: float(columns[n][order[i]]) for n in self.problem.names})
            far &= np.max(np.abs(marks - marks[:, i : i + 1]), axis=0) > 1.5
        return chosen

    def _places(self, name: str, values: Array) -> Array:
        """Sizes and distances from the ends in log scale, a row for each end."""
        ends = [e for e in (0.0, self.problem.low[name], self.problem.high[name]) if math.isfinite(e)]
        gaps = values - np.array(ends)[:, None]
        return np.asarray(np.copysign(np.log1p(np.minimum(np.abs(gaps), 1e280) * 1e12), gaps))

    def _constrained(self, start: dict[str, float]) -> dict[str, float]:
        """SLSQP for the largest violation under hypotheses that tie variables together; ``start`` if it fails."""
        names, goals = self.problem.names, len(self.problem.goals)
        hypotheses = enumerate(self.problem.where, goals)
        tied = [i for i, r in hypotheses if len(r.free) > 1 and r.op != "!="]
        if not tied or self.slow or any(self.problem.integer(n) for n in names):
            return start

        def values(x: Array) -> list[Array]:
            return self.function(list(x))

        def objective(x: Array) -> float:
            v = values(x)
            best = max(float(_violation(r.op, v[2 * i], v[2 * i + 1])) for i, r in enumerate(self.problem.goals))
            return -best if math.isfinite(best) else 1e3

        def slack(x: Array) -> Any:
            v = values(x)
            gaps = []
            for i in tied:
                left, right = v[2 * i], v[2 * i + 1]
                gap = right - left if self.problem.where[i - goals].op in ("<", "<=") else left - right
                gaps.append(gap - 1e-10 * (np.abs(left) + np.abs(right)))
            return np.nan_to_num(np.array(gaps, dtype=float), nan=-1e3, posinf=1e3, neginf=-1e3)

        bounds = [(self.problem.low[n], self.problem.high[n]) for n in names]
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                found = optimize.minimize(
                    objective,
                    np.array([start[n] for n in names]),
                    method="SLSQP",
                    bounds=bounds,
                    constraints={"type": "ineq", "fun": slack},
                    options={"maxiter": 60, "ftol": 1e-15},
                )
            except (ValueError, FloatingPointError):
                return start
        better = {n: float(v) for n, v in zip(names, found.x, strict=True)}
        return better if all(map(math.isfinite, better.values())) and self.exact_score(better) > -np.inf else start

    def _climb(self, start: Mapping[str, float]) -> dict[str, float] | None:
        """Pattern search for the largest relative violation, with steps that shrink from 1 to 1e-12 of the scale."""
        names = self.problem.names
        point = dict(start)
        best = self.exact_score(point)
        if best == -np.inf:
            return None
        if best > 0:
            return point
        step = 0.3
        budget = 120 * len(names) if not self.slow else 30 * len(names)
        rng = np.random.default_rng(1)
        while step > 1e-12 and budget > 0 and not passed(self.deadline):
            moved = False
            for move in self._moves(point, step, rng):
                budget -= 1
                trial = self._inside(move)
                value = self.exact_score(trial)
                if value > best:
                    point, best, moved = trial, value, True
                    break
                if budget <= 0:
                    break
            if best > 0:
                return point
            if not moved:
                step *= 0.3
        return None

    def _moves(self, point: Mapping[str, float], step: float, rng: np.random.Generator) -> list[dict[str, float]]:
        """Neighbours: each variable alone, relative to its size or its distance from an end; some jointly."""
        moves = []
        for n, v in point.items():
            for sign in (1, -1):
                moves.append({**point, n: self._shift(n, v, sign * step)})
        if len(point) > 1:
            for _ in range(2 * len(point)):
                direction = rng.standard_normal(len(point))
                moves.append(
                    {n: self._shift(n, v, step * d) for (n, v), d in zip(point.items(), direction, strict=True)}
                )
            ratio = 1 + step
            for factor in (ratio, 1 / ratio):
                moves.append({n: v * factor for n, v in point.items()})
        return moves

    def _shift(self, name: str, value: float, step: float) -> float:
        if self.problem.integer(name):
            return value + (math.copysign(max(1, round(abs(step) * abs(value))), step))
        low, high = self.problem.low[name], self.problem.high[name]
        distance = min(value - low, high - value)
        if math.isfinite(distance) and distance > 0:
            if value - low <= high - value:
                return low + (value - low) * math.exp(step)
            return high - (high - value) * math.exp(step)
        return value * math.exp(step) if abs(value) > 1e-3 else value + step * 1e-2

    def _inside(self, point: dict[str, float]) -> dict[str, float]:
        return {n: min(max(v, self.problem.low[n]), self.problem.high[n]) for n, v in point.items()}


_FLOAT: dict[str, Callable[[Any, Any], Any]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}


def _violation(op: str, left: Array, right: Array) -> Array:
    gap = left - right if op in ("<", "<=") else right - left
    if op == "==":
        gap = np.abs(gap)
    elif op == "!=":
        gap = -np.abs(gap)
    size = np.abs(left) + np.abs(right)
    ratio = np.where(size > 0, gap / size, 0.0)
    return np.where(np.isfinite(gap) & np.isfinite(size), ratio, -np.inf)
