"""Random points of a sequent's domain, in floats: they veto hopeless subgoals, they decide nothing."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from boundcheck.arith.floats import compile_function
from boundcheck.kernel.check.leaves import compare
from boundcheck.kernel.check.sequent import Sequent, has_binder
from boundcheck.kernel.clock import budget
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import Interval
from boundcheck.kernel.formula import RELATIONS, Expr, Relation, num

Array = NDArray[np.float64]
SIZE = 400
NOISE = 1e-3  #: relative error of integrals and sums in doubles
BRIEF = 0.3  #: seconds for one point where an integral or a sum has to be enclosed, and for all of them in floats


def _column(rng: np.random.Generator, lo: float, hi: float, n: int) -> Array:
    """Points of [lo, hi]: uniform where both ends are finite, near both ends on a log scale as well."""
    u = rng.random(n)
    spread = 10.0 ** rng.uniform(-6, 3 if not np.isfinite(hi - lo) else 0, n)
    kind = rng.integers(0, 3, n)
    if np.isfinite(lo) and np.isfinite(hi):
        w = hi - lo
        return np.where(kind == 0, lo + u * w, np.where(kind == 1, lo + spread * w, hi - spread * w))
    if np.isfinite(lo):
        return lo + np.where(kind == 0, 4 * u, spread)
    if np.isfinite(hi):
        return hi - np.where(kind == 0, 4 * u, spread)
    return np.where(kind == 0, 6 * u - 3, np.where(kind == 1, spread, -spread))


@lru_cache(maxsize=4096)
def compiled(exprs: tuple[Expr, ...], names: tuple[str, ...]) -> Any:
    """The formulas as one vectorised function of the named columns."""
    return compile_function(exprs, names)


def values(exprs: tuple[Expr, ...], names: tuple[str, ...], columns: list[Array]) -> list[Array]:
    """Float values; NaN where undefined."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        out: list[Array] = compiled(exprs, names)(columns)
    return out if columns else [v.reshape(1) for v in out]


@lru_cache(maxsize=2048)
def points(hyps: tuple[Relation, ...], seq: Sequent) -> tuple[tuple[str, ...], list[Array]]:
    """Names and columns of sample points that satisfy the hypotheses (in floats)."""
    names = seq.variables
    box = seq.box
    rng = np.random.default_rng(12345)
    if box is None or not names:
        return names, [np.zeros(0) for _ in names]
    columns = []
    for v in names:
        c = _column(rng, float(box[v][0]), float(box[v][1]), SIZE * 4)
        c = np.rint(c) if v in seq.integers else c
        for k, (end, is_open) in enumerate(((box[v][0], box[v][2]), (box[v][1], box[v][3]))):
            if not is_open and math.isfinite(float(end)) and arb(float(end)) == end:
                c[np.flatnonzero(rng.random(c.shape[0]) < 0.04) if k else slice(0, 40)] = float(end)
        columns.append(c)
    for k in range(1, len(columns)):  # the diagonals
        columns[k][60:90] = columns[0][60:90]
    keep = np.ones(SIZE * 4, dtype=bool)
    for h in hyps:
        a, b = values(h.sides, names, columns)
        with np.errstate(all="ignore"):
            keep &= {
                "<=": a <= b, "<": a < b, ">=": a >= b, ">": a > b, "==": np.abs(a - b) < 1e-9, "!=": a != b
            }[h.op]  # fmt: skip
    return names, [c[keep][:SIZE] for c in columns]


def plausible(seq: Sequent) -> bool:
    """False if some sample point violates the goal, as confirmed in balls."""
    return violation(seq) is None


def violation(seq: Sequent) -> dict[str, float] | None:
    """A sample point that violates the goal, as confirmed in balls; None if there is none."""
    goal = seq.goal
    if goal.op not in RELATIONS:
        return None
    names, columns = points(seq.hyps, seq)
    if not names or columns[0].shape[0] == 0:
        return None
    slow = has_binder(goal.gap)
    with budget(BRIEF if slow else math.inf):
        g, a, b = values((goal.gap, goal.lhs, goal.rhs), names, columns)
    with np.errstate(all="ignore"):
        if goal.op == "==":
            g = -np.abs(g)
        low = -NOISE * (np.abs(a) + np.abs(b)) if slow else 0.0
        bad = np.flatnonzero(g == 0 if goal.op == "!=" else g <= low if goal.strict else g < low)
    worst = bad[np.argsort(g[bad], kind="stable")][:2] if bad.size else bad
    rest = [] if slow else bad[:: max(1, bad.size // 4)].tolist()
    for i in sorted({*worst.tolist(), *rest}):
        at = {v: float(c[i]) for v, c in zip(names, columns, strict=True)}
        with budget(BRIEF if slow else math.inf):
            if _violates(seq, at):
                return at
    return None


def near_zero(seq: Sequent, places: list[tuple[str, Expr]]) -> list[tuple[str, Expr]]:
    """The (v, c) at which the gap may be 0 for v = c: where it is so at two sample points, in floats."""
    names, columns = points(seq.hyps, seq)
    if not places or not names or columns[0].shape[0] == 0 or has_binder(seq.goal.gap):
        return places
    ends = [c[-2:, None] for c in columns]  # the first points lie on faces
    moved = {v: np.repeat(c, len(places), axis=1) for v, c in zip(names, ends, strict=True)}
    at = values(tuple(dict.fromkeys(c for _, c in places)), names, ends)
    found = dict(zip(dict.fromkeys(c for _, c in places), at, strict=True))
    for k, (v, c) in enumerate(places):
        moved[v][:, k] = found[c][:, 0]
    gap, left, right = values((seq.goal.gap, *seq.goal.sides), names, list(moved.values()))
    with np.errstate(all="ignore"):
        off: NDArray[np.bool_] = np.abs(gap) > NOISE * (np.abs(left) + np.abs(right))
    return [place for k, place in enumerate(places) if not off[:, k].any()]


def _violates(seq: Sequent, at: dict[str, float]) -> bool:
    goal = seq.goal
    with ctx.workprec(200):
        point = {v: (arb(x), arb(x), False, False) for v, x in at.items()}
        value = enclose(goal.gap, point)
        if value is None:
            return False
        if goal.op == "!=":
            broken = bool(value[0] == 0 and value[1] == 0)
        elif goal.op == "==":
            broken = bool(value[0] > 0 or value[1] < 0)
        else:
            broken = bool(value[1] < 0 or (goal.strict and value[1] == 0))
        return broken and all(_holds(h, point) for h in seq.hyps)


def _holds(h: Relation, point: dict[str, Interval]) -> bool:
    a, b = enclose(h.lhs, point), enclose(h.rhs, point)
    return a is not None and b is not None and compare(h.op, a, b)


def holds_at(hyps: tuple[Relation, ...], at: dict[str, Fraction]) -> bool:
    """Whether balls prove every hypothesis at a rational point."""
    point: dict[str, Interval] = {}
    for v, x in at.items():
        value = enclose(num(x), {})
        if value is None:
            return False
        point[v] = value
    return all(_holds(h, point) for h in hyps)


def signs(exprs: tuple[Expr, ...], seq: Sequent) -> list[int]:
    """The sign (1, -1, or 0 for mixed) that each formula shows at the sample points, or has as a number."""
    names, columns = points(seq.hyps, seq)
    some = bool(names) and columns[0].shape[0] > 0
    shown = values(exprs, names, columns) if some else [np.zeros(0) for _ in exprs]
    out = []
    for e, v in zip(exprs, shown, strict=True):
        at = None if e.free else enclose(e, {})
        v = v[np.isfinite(v)] if at is None else np.array([float(end) for end in at[:2]])
        up, down = int((v > 0).sum()), int((v < 0).sum())
        out.append(1 if up > 30 * down else -1 if down > 30 * up else 0)
    return out
