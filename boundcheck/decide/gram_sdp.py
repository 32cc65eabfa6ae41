"""All multipliers of a claim about quadratic forms at sample points of the domain, by semidefinite programs in floats.

At a point: lambda with goal - sum lambda_j hypothesis_j a positive semidefinite matrix S without levels, lambda_j >= 0
but for equations. Of these a sparse one is wanted, the same hypotheses at all points. What is found is polished by
Newton's method on S(lambda) V = 0 with V a basis of the kernel, so that it can be fitted by exact functions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from boundcheck.decide.gram_signs import coordinate_range, polynomial_values
from boundcheck.kernel.check.gram import Signs
from boundcheck.kernel.check.quadratic import Form, Problem
from boundcheck.kernel.check.ratios import Ratio

Array = np.ndarray[Any, Any]
FEASIBLE = 1e-6  #: how far below 0 the least eigenvalue may come out where it is 0
SMALL = 1e-5  #: a multiplier below this share of the largest is not used
SPREAD = (1.0, 4.0)  #: logarithmic spread of the samples, in turn
DENOMINATOR = 60  #: samples are fractions with denominators up to this


def interior_samples(signs: Signs, count: int, seed: int = 1) -> Array:
    """Points well inside the domain, of moderate size, one a row; perhaps fewer than asked."""
    names, rng = signs.field.names, np.random.default_rng(seed)
    if not names:
        return np.zeros((1, 0))
    found: list[Array] = []
    for spread in SPREAD:
        columns = []
        for i in range(len(names)):
            low, high = coordinate_range(signs, i)
            if np.isfinite(low) and np.isfinite(high):
                column = low + (high - low) * rng.uniform(0.08, 0.92, 6000)
            elif np.isfinite(low) or np.isfinite(high):
                size = np.exp(rng.uniform(-spread, spread, 6000))
                column = low + size if np.isfinite(low) else high - size
            else:
                column = np.exp(rng.uniform(-spread, spread, 6000)) * rng.choice([-1.0, 1.0], 6000)
            columns.append(np.round(column * DENOMINATOR) / DENOMINATOR)
        draw = np.stack(columns, axis=1)
        for name in signs.field.roots:
            draw[:, signs.field.at[name]] = signs.field.root_value(name, draw)
        inside = np.ones(len(draw), bool)
        for g, _ in signs.constraints:
            scale = polynomial_values(g, draw, absolute=True)
            inside &= polynomial_values(g, draw) > 1e-2 * np.maximum(scale, 1e-9)
        found += [*draw[inside][:count]]
        if len(found) >= count:
            break
    return np.array(found[:count]).reshape(-1, len(names))


def ratio_values(r: Ratio, points: Array) -> Array:
    """Values of a rational function at rows of ``points``."""
    above = polynomial_values(r.num, points)
    return above if r.den.is_constant() else above / polynomial_values(r.den, points)


@dataclass
class Numeric:
    """The forms of a problem at sample points in floats: for each point, goal, hypotheses and levels as arrays."""

    p: Problem
    points: Array
    names: list[str]
    levels: list[str]
    goal: Array = field(default_factory=lambda: np.zeros(0))  #: (points, n, n)
    hypotheses: Array = field(default_factory=lambda: np.zeros(0))  #: (points, k, n, n)
    goal_levels: Array = field(default_factory=lambda: np.zeros(0))  #: (points, levels)
    levels_of: Array = field(default_factory=lambda: np.zeros(0))  #: (points, k, levels)

    @classmethod
    def of(cls, p: Problem, points: Array) -> Numeric:
        """``p`` at the rows of ``points``."""
        forms = [p.goal, *p.hypotheses]
        used = {v for f in forms for k in f if k[0] == "q" for v in k[1:]}
        names = [v for v in (*p.vectors, "1") if v in used]
        levels = sorted({k[1] for f in forms for k in f if k[0] == "l"})
        out = cls(p, points, names, levels)
        known: dict[tuple[Any, Any], Array] = {}

        def arrays(f: Form) -> tuple[Array, Array]:
            q, l = np.zeros((len(points), len(names), len(names))), np.zeros((len(points), len(levels)))
            for k, c in f.items():
                key = (str(c.num), str(c.den))
                value = known.get(key)
                if value is None:
                    value = known[key] = ratio_values(c, points)
                if k[0] == "l":
                    l[:, levels.index(k[1])] = value
                else:
                    i, j = names.index(k[1]), names.index(k[2])
                    q[:, i, j] += value / 2
                    q[:, j, i] += value / 2
            return q, l

        made = [arrays(f) for f in forms]
        out.goal, out.goal_levels = made[0]
        out.hypotheses = np.stack([q for q, _ in made[1:]], 1) if made[1:] else np.zeros((len(points), 0, 0, 0))
        out.levels_of = np.stack([l for _, l in made[1:]], 1) if made[1:] else np.zeros((len(points), 0, len(levels)))
        return out

    def form(self, at: int, multipliers: Array) -> Array:
        """S at point number ``at``."""
        return np.asarray(self.goal[at] - np.tensordot(multipliers, self.hypotheses[at], 1))


def svec_index(n: int) -> tuple[Array, Array, Array]:
    """Rows, columns and weights of the upper triangle, column by column."""
    rows = np.array([i for j in range(n) for i in range(j + 1)])
    columns = np.array([j for j in range(n) for i in range(j + 1)])
    return rows, columns, np.where(rows == columns, 1.0, np.sqrt(2.0))


def solve_cones(cost: Array, blocks: list[tuple[Array, Array, Any]]) -> Any:
    """min cost x subject to right - matrix x in cone, for blocks (matrix, right, cone of clarabel)."""
    import clarabel
    from scipy.sparse import csc_matrix

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-9
    settings.max_iter = 100
    settings.max_threads = 1
    a = csc_matrix(np.vstack([m for m, _, _ in blocks]))
    b = np.concatenate([r for _, r, _ in blocks])
    n = len(cost)
    solver = clarabel.DefaultSolver(csc_matrix((n, n)), cost, a, b, [c for _, _, c in blocks], settings)
    return solver.solve()


def multipliers_at(
    s: Numeric, at: int, active: list[int], cost: Array | None, fixed: dict[int, float] | None = None
) -> tuple[float, Array] | None:
    """(least eigenvalue reached, multipliers) at one point; None where the levels cannot cancel.

    Without ``cost`` the least eigenvalue is made as large as possible (at most 1); with it, cost times multipliers
    is made as small as possible while S stays semidefinite.
    """
    import clarabel

    fixed = fixed or {}
    n, k = len(s.names), s.hypotheses.shape[1]
    rows, columns, weight = svec_index(n)
    free = [j for j in active if j not in fixed]
    base = np.zeros(k)
    for j, v in fixed.items():
        base[j] = v
    start = s.form(at, base)
    count = len(free) + (cost is None)
    psd = np.zeros((len(rows), count))
    for c, j in enumerate(free):
        psd[:, c] = s.hypotheses[at, j][rows, columns] * weight
    if cost is None:
        psd[:, -1] = (rows == columns) * 1.0
    push = 0.0 if cost is None else 1e-10
    blocks: list[tuple[Array, Array, Any]] = []
    if s.levels:
        matrix = np.zeros((len(s.levels), count))
        matrix[:, : len(free)] = s.levels_of[at, free].T
        blocks.append((matrix, s.goal_levels[at] - base @ s.levels_of[at], clarabel.ZeroConeT(len(s.levels))))
    signed = [c for c, j in enumerate(free) if not s.p.equations[j]]
    extra = 1 if cost is None else 0
    if len(signed) + extra:
        matrix = np.zeros((len(signed) + extra, count))
        right = np.zeros(len(signed) + extra)
        for r, c in enumerate(signed):
            matrix[r, c] = -1.0
        if extra:
            matrix[-1, -1], right[-1] = 1.0, 1.0
        blocks.append((matrix, right, clarabel.NonnegativeConeT(len(signed) + extra)))
    right = (start + push * np.eye(n))[rows, columns] * weight
    blocks.append((psd, right, clarabel.PSDTriangleConeT(n)))
    objective = np.concatenate([np.zeros(len(free)), [-1.0]]) if cost is None else cost[free]
    if count == 0:
        ok = not s.levels or np.abs(s.goal_levels[at] - base @ s.levels_of[at]).max() < 1e-9
        return (float(np.linalg.eigvalsh(start)[0]), base) if ok else None
    found = solve_cones(objective, blocks)
    x = np.array(found.x)
    if "Solved" not in str(found.status) or not np.all(np.isfinite(x)):
        return None
    base[free] = x[: len(free)]
    if s.levels and np.abs(s.goal_levels[at] - base @ s.levels_of[at]).max() > 1e-5 * (1 + np.abs(base).max()):
        return None
    return float(np.linalg.eigvalsh(s.form(at, base))[0]), base


def feasible_at(s: Numeric, at: int, active: list[int], fixed: dict[int, float] | None = None) -> bool:
    """Whether multipliers on ``active`` exist at one point, up to rounding."""
    found = multipliers_at(s, at, active, None, fixed)
    return found is not None and found[0] > -FEASIBLE * (1 + float(np.abs(s.goal[at]).max()))


def support(s: Numeric, tests: list[int], weights: Array, keep: frozenset[int] = frozenset()) -> list[int] | None:
    """Hypotheses that suffice at all the test points and of which none can be left out; None if there are none."""
    every = list(range(s.hypotheses.shape[1]))
    total = np.zeros(len(every))
    for at in tests:
        if not feasible_at(s, at, every):
            return None
        found = multipliers_at(s, at, every, weights)
        if found is None:
            return None
        total += np.abs(found[1]) / max(1e-12, float(np.abs(found[1]).max()))
    active = [j for j in every if total[j] > SMALL or j in keep]
    if not all(feasible_at(s, at, active) for at in tests):
        active = every
    for j in sorted(active, key=lambda j: total[j]):
        if j in keep:
            continue
        fewer = [i for i in active if i != j]
        if all(feasible_at(s, at, fewer) for at in tests):
            active = fewer
    return active


@dataclass(frozen=True)
class Polished:
    """Multipliers at a point to the last digits, and which of them are isolated there."""

    multipliers: Array
    isolated: list[bool]


def polish(s: Numeric, at: int, active: list[int], start: Array, rounds: int = 12) -> Polished | None:
    """Newton's method on the levels and on S V = 0; None where no kernel is seen or it does not converge."""
    values, vectors = np.linalg.eigh(s.form(at, start))
    size = max(float(np.abs(values).max()), 1e-12)
    n, k = len(values), len(active)
    for bound in (1e-3, 1e-5, 1e-2):
        m = int(np.sum(values < bound * size))
        lam = start[active].copy()
        v = vectors[:, :m]
        pivots = _pivots(v)
        others = [i for i in range(n) if i not in pivots]
        if m:
            v = v @ np.linalg.inv(v[pivots])
        jacobian = np.zeros((0, 0))
        good = False
        for _ in range(rounds):
            full = np.zeros(len(start))
            full[active] = lam
            matrix = s.form(at, full)
            residual = np.concatenate([(matrix @ v).ravel(), s.goal_levels[at] - full @ s.levels_of[at]])
            jacobian = np.zeros((len(residual), k + len(others) * m))
            for c, j in enumerate(active):
                jacobian[: n * m, c] = -(s.hypotheses[at, j] @ v).ravel()
                jacobian[n * m :, c] = -s.levels_of[at, j]
            for c, (i, q) in enumerate((i, q) for i in others for q in range(m)):
                block = np.zeros((n, m))
                block[:, q] = matrix[:, i]
                jacobian[: n * m, k + c] = block.ravel()
            if np.abs(residual).max(initial=0.0) < 1e-13 * size:
                good = True
                break
            step = np.linalg.lstsq(jacobian, -residual, rcond=1e-9)[0]
            lam = lam + step[:k]
            v[others] += step[k:].reshape(len(others), m)
            if not np.all(np.isfinite(lam)):
                break
        full = np.zeros(len(start))
        full[active] = lam
        fine = good or np.abs(residual).max(initial=0.0) < 1e-11 * size
        if not fine or np.linalg.eigvalsh(s.form(at, full))[0] < -1e-8 * size:
            continue
        if np.any(lam[[not s.p.equations[j] for j in active]] < -1e-8):
            continue
        null = _null_space(jacobian)
        isolated = [bool(np.abs(null[:, c]).max(initial=0.0) < 1e-6) for c in range(k)]
        return Polished(full, isolated)
    return None


def _pivots(v: Array) -> list[int]:
    """Rows on which the columns of ``v`` are best conditioned, greedily."""
    rest, chosen = v.copy(), []
    for _ in range(v.shape[1]):
        i = int(np.argmax(np.linalg.norm(rest, axis=1)))
        chosen.append(i)
        row = rest[i] / max(float(np.linalg.norm(rest[i])), 1e-300)
        rest = rest - np.outer(rest @ row, row)
    return chosen


def _null_space(matrix: Array) -> Array:
    if not matrix.size:
        return np.eye(matrix.shape[1])
    _, values, right = np.linalg.svd(matrix)
    rank = int(np.sum(values > 1e-8 * values[0])) if values.size and values[0] > 0 else 0
    return np.asarray(right[rank:])
