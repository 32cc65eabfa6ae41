"""All multipliers of a claim about quadratic forms at sample points of the domain, by semidefinite programs in floats.

At a point: lambda with goal - sum lambda_j hypothesis_j a positive semidefinite matrix S without levels, lambda_j >= 0
but for equations. Of these a sparse one is wanted, the same hypotheses at all points. What is found is polished by
Newton's method on S(lambda) V = 0 with V a basis of the kernel, so that it can be fitted by exact functions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from boundcheck.decide.quadratic.gram_signs import (
    coordinate_range,
    of_parameters,
    polynomial_values,
    ratio_values,
    samples,
)
from boundcheck.kernel.check.gram_certificate import Signs
from boundcheck.kernel.check.quadratic import Form, FormProblem

Array = np.ndarray[Any, Any]
FEASIBLE = 1e-6  #: how far below 0 the least eigenvalue may come out where it is 0
PUSH = 1e-8  #: how far below 0 S may come while a cost is minimised: without room the solver stalls
SMALL = 1e-5  #: a multiplier below this share of the largest is not used
SPREAD = (1.0, 4.0)  #: logarithmic spread of the samples, in turn
DENOMINATOR = 60  #: samples are fractions with denominators up to this


def interior_samples(signs: Signs, count: int, seed: int = 1) -> Array:
    """Points well inside the domain, of moderate size, one a row; perhaps fewer than asked."""
    names, rng = signs.field.names, np.random.default_rng(seed)
    if not signs.field.parameters:
        return np.array([[float(c) ** 0.5 for c in signs.field.roots.values()]])
    found: list[tuple[float, ...]] = []
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
            finer = DENOMINATOR if not high - low < 1 else 6 * DENOMINATOR
            columns.append(np.round(column * finer) / finer)
        draw = np.stack(columns, axis=1)
        for name in signs.field.roots:
            draw[:, signs.field.at[name]] = float(signs.field.roots[name]) ** 0.5
        inside = np.ones(len(draw), bool)
        for g in of_parameters(signs):
            scale = polynomial_values(g, draw, absolute=True)
            inside &= polynomial_values(g, draw) > 1e-2 * np.maximum(scale, 1e-9)
        found += [*dict.fromkeys(map(tuple, draw[inside][: 3 * count]))][:count]
        if len(found) >= count:
            break
    return np.array(found[:count]).reshape(-1, len(names))


def edge_samples(signs: Signs, count: int) -> Array:
    """Points of moderate size close to the edge of the domain, one a row; perhaps none."""
    points = samples(signs)
    if points.shape[1] == 0 or not len(points):
        return np.zeros((0, points.shape[1] if points.ndim == 2 else 0))
    size = np.abs(points).max(axis=1)
    close = np.full(len(points), np.inf)
    for g in of_parameters(signs):
        scale = np.maximum(polynomial_values(g, points, absolute=True), 1e-12)
        close = np.minimum(close, polynomial_values(g, points) / scale)
    good = (size < 20) & (close < 2e-2) & (close > 1e-5)
    return np.asarray(points[good][:: max(1, int(good.sum()) // count)][:count])


@dataclass
class Numeric:
    """The forms of a problem at sample points in floats: for each point, goal, hypotheses and levels as arrays."""

    p: FormProblem
    points: Array
    names: list[str]
    levels: list[str]
    goal: Array = field(default_factory=lambda: np.zeros(0))  #: (points, n, n)
    hypotheses: Array = field(default_factory=lambda: np.zeros(0))  #: (points, k, n, n)
    goal_levels: Array = field(default_factory=lambda: np.zeros(0))  #: (points, levels)
    levels_of: Array = field(default_factory=lambda: np.zeros(0))  #: (points, k, levels)
    columns: Array = field(default_factory=lambda: np.zeros(0))  #: what the forms see of the vectors: (names, n)

    @classmethod
    def of(cls, p: FormProblem, points: Array, reduce: bool = True) -> Numeric:
        """``p`` at the rows of ``points``; with ``reduce`` only the directions that matter once the levels cancel."""
        forms = [p.goal, *p.hypotheses]
        used = {v for f in forms for k in f if k[0] == "q" for v in k[1:]}
        names = [v for v in (*p.vectors, "1") if v in used] or ["1"]  # forms of levels alone are one row of 0
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
        out.hypotheses = (
            np.stack([q for q, _ in made[1:]], 1) if made[1:] else np.zeros((len(points), 0, len(names), len(names)))
        )
        out.levels_of = np.stack([l for _, l in made[1:]], 1) if made[1:] else np.zeros((len(points), 0, len(levels)))
        if reduce:
            out._reduce()
        return out

    def _reduce(self) -> None:
        """Leave out the directions that S does not see once the levels cancel: a shift of all points, a tilt."""
        n = len(self.names)
        seen = np.zeros((n, n))
        for at in range(min(4, len(self.points))):
            table = self.levels_of[at]
            one = np.linalg.lstsq(table.T, self.goal_levels[at], rcond=None)[0]
            forms = [self.form(at, one), *np.tensordot(_null_space(table.T), self.hypotheses[at], 1)]
            for form in forms:
                seen += form.T @ form / max(float(np.abs(form).max()) ** 2, 1e-30) * (np.abs(form).max() > 1e-12)
        _, values, right = np.linalg.svd(seen)
        rank = max(1, int(np.sum(values > 1e-12 * max(float(values.max(initial=0.0)), 1e-300))))
        self.columns = np.eye(n) if rank == n else right[:rank].T
        if rank < n:
            self.goal = self.columns.T @ self.goal @ self.columns
            self.hypotheses = self.columns.T @ self.hypotheses @ self.columns

    def finite(self, at: int) -> bool:
        """Whether every coefficient has a value at point number ``at``."""
        parts = (self.goal, self.hypotheses, self.goal_levels, self.levels_of)
        return all(bool(np.all(np.isfinite(part[at]))) for part in parts)

    def form(self, at: int, multipliers: Array) -> Array:
        """S at point number ``at``."""
        return np.asarray(self.goal[at] - np.tensordot(multipliers, self.hypotheses[at], 1))


def svec_index(n: int) -> tuple[Array, Array, Array]:
    """Rows, columns and weights of the upper triangle, column by column."""
    columns, rows = np.tril_indices(n)
    return rows, columns, np.where(rows == columns, 1.0, np.sqrt(2.0))


def solve_cones(cost: Array, blocks: list[tuple[Array, Array, Any]]) -> Any:
    """min cost x subject to right - matrix x in cone, for blocks (matrix, right, cone of clarabel)."""
    import clarabel
    from scipy.sparse import csc_matrix, eye_array

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-9
    settings.max_iter = 100
    settings.max_threads = 1
    a = csc_matrix(np.vstack([m for m, _, _ in blocks]))
    b = np.concatenate([r for _, r, _ in blocks])
    n = len(cost)
    solver = clarabel.DefaultSolver(1e-9 * eye_array(n, format="csc"), cost, a, b, [c for _, _, c in blocks], settings)
    return solver.solve()


def multipliers_at(
    s: Numeric, at: int, active: list[int], cost: Array | None, fixed: dict[int, float] | None = None
) -> tuple[float, Array, Array] | None:
    """(least eigenvalue reached, multipliers, dual) at one point; None where the levels cannot cancel.

    The dual is a Gram matrix: without a cost, that of a worst case where the claim is sharp.
    Without ``cost`` the least eigenvalue is made as large as possible (at most 1); with it, cost times multipliers is
    made as small as possible while S stays semidefinite.
    """
    import clarabel

    fixed = fixed or {}
    n, k = s.goal.shape[1], s.hypotheses.shape[1]
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
    push = 0.0 if cost is None else PUSH * (1 + float(np.abs(s.goal[at]).max()))
    blocks: list[tuple[Array, Array, Any]] = []
    if s.levels:
        matrix = np.zeros((len(s.levels), count))
        matrix[:, : len(free)] = s.levels_of[at, free].T
        right = s.goal_levels[at] - base @ s.levels_of[at]
        used = np.abs(matrix).max(axis=1, initial=0.0) > 1e-12
        if np.any(used):
            blocks.append((matrix[used], right[used], clarabel.ZeroConeT(int(used.sum()))))
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
        return (float(np.linalg.eigvalsh(start)[0]), base, np.zeros((n, n))) if ok else None
    found = solve_cones(objective, blocks)
    x = np.array(found.x)
    if "Solved" not in str(found.status) or not np.all(np.isfinite(x)):
        return None
    base[free] = x[: len(free)]
    largest = np.abs(base).max(initial=0.0)
    if s.levels and np.abs(s.goal_levels[at] - base @ s.levels_of[at]).max() > 1e-5 * (1 + largest):
        return None
    dual = np.zeros((n, n))
    dual[rows, columns] = dual[columns, rows] = np.array(found.z)[-len(rows) :] / weight
    return float(np.linalg.eigvalsh(s.form(at, base))[0]), base, dual


def feasible_at(s: Numeric, at: int, active: list[int], fixed: dict[int, float] | None = None) -> bool:
    """Whether multipliers on ``active`` exist at one point, up to rounding."""
    found = multipliers_at(s, at, active, None, fixed)
    return found is not None and found[0] > -FEASIBLE * (1 + float(np.abs(s.goal[at]).max()))


def support(s: Numeric, tests: list[int], keep: frozenset[int] = frozenset()) -> list[int] | None:
    """Hypotheses that suffice at all the test points and of which none can be left out; None if there are none."""
    every = list(range(s.hypotheses.shape[1]))
    weights = np.array([0.0 if free else 1.0 for free in s.p.equations])
    total = np.zeros(len(every))
    for at in tests:
        if not feasible_at(s, at, every):
            return None
        found = multipliers_at(s, at, every, weights) or multipliers_at(s, at, every, None)
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


def polish(
    s: Numeric, at: int, active: list[int], start: Array, dual: Array, loose: frozenset[int] = frozenset()
) -> Polished | None:
    """Newton's method on the conditions of optimality; None where no kernel is seen or it does not converge.

    They are S V = 0, the levels cancel, and the worst case V Q V^T makes the hypotheses in use equations. Without the
    last, multipliers of a sharp claim would be a double root; where it cannot be met, the claim is not sharp there and
    it is left out. V comes from the dual, else from the kernel of S. ``loose``: what is no hypothesis but an unknown
    of the goal, and need be no equation there.
    """
    values, vectors = np.linalg.eigh(s.form(at, start))
    size = max(float(np.abs(values).max()), 1e-2 * float(np.abs(s.goal[at]).max()), 1e-12)
    weights, worst = np.linalg.eigh(dual)
    kernels = [worst[:, weights > share * weights[-1]] for share in (1e-4, 1e-3, 1e-6) if weights[-1] > 0]
    kernels += [vectors[:, values < bound * size] for bound in (1e-4, 1e-3, 1e-5, 1e-2)]
    for sharp in (True, False):
        tried: set[tuple[bool, int]] = set()
        for number, kernel in enumerate(kernels if sharp else kernels[-4:]):
            key = (number < len(kernels) - 4, kernel.shape[1])
            if key in tried or (sharp and not kernel.shape[1]):
                continue
            tried.add(key)
            found = _Newton(s, at, active, start, kernel, size, sharp, loose).run()
            if found is not None:
                return found
    return None


class _Newton:
    """The unknowns: multipliers; V with the identity in its pivot rows; Q symmetric; the levels of the worst case."""

    def __init__(
        self,
        s: Numeric,
        at: int,
        active: list[int],
        start: Array,
        kernel: Array,
        size: float,
        sharp: bool,
        loose: frozenset[int],
    ):
        self.s, self.at, self.active, self.size, self.sharp = s, at, active, size, sharp
        self.start, self.lam = start, start[active].copy()
        self.n, self.m = kernel.shape
        self.pivots = _pivots(kernel)
        self.others = [i for i in range(self.n) if i not in self.pivots]
        self.v = kernel @ np.linalg.inv(kernel[self.pivots]) if self.m else kernel
        self.forms, self.level_rows = s.hypotheses[at, active], s.levels_of[at, active]
        self.tight = [c for c, j in enumerate(active) if j not in loose]
        self.pairs = [(a, b) for a in range(self.m) for b in range(a, self.m)]
        self.rest: Array = np.zeros(0)  # Q, then levels

    def run(self, rounds: int = 14) -> Polished | None:
        """The solution, if it converges to one with S semidefinite and multipliers >= 0."""
        if self.sharp:
            matrix = self._worst_rows()
            right = np.zeros(len(matrix))
            right[-1] = 1.0
            self.rest = np.linalg.lstsq(matrix, right, rcond=1e-9)[0]
            if np.abs(matrix @ self.rest - right).max() > 3e-2:
                return None
        k, w = len(self.active), len(self.others) * self.m
        jacobian = np.zeros((0, k))
        for _ in range(rounds):
            residual, jacobian = self._system()
            if np.abs(residual).max(initial=0.0) < 1e-13 * self.size:
                break
            step = np.linalg.lstsq(jacobian, -residual, rcond=1e-10)[0]
            if not np.all(np.isfinite(step)):
                return None
            self.lam = self.lam + step[:k]
            self.v[self.others] += step[k : k + w].reshape(len(self.others), self.m)
            self.rest = self.rest + step[k + w :]
        residual, jacobian = self._system()
        full = self._full()
        if np.abs(residual).max(initial=0.0) > 1e-10 * self.size:
            return None
        if np.linalg.eigvalsh(self.s.form(self.at, full))[0] < -1e-8 * self.size:
            return None
        if np.any(self.lam[[not self.s.p.equations[j] for j in self.active]] < -1e-8):
            return None
        null = _null_space(jacobian)
        return Polished(full, [bool(np.abs(null[:, c]).max(initial=0.0) < 1e-6) for c in range(k)])

    def _full(self) -> Array:
        full = self.start.copy()
        full[self.active] = self.lam
        return full

    def _worst_rows(self) -> Array:
        """The rows, linear in Q and the levels, of: each hypothesis in use is an equation, the trace of Q is 1."""
        v = self.v
        rows = np.zeros((len(self.tight) + 1, len(self.pairs) + len(self.s.levels)))
        inner = np.einsum("ia,kij,jb->kab", v, self.forms[self.tight], v)
        for c, (a, b) in enumerate(self.pairs):
            rows[:-1, c] = inner[:, a, b] * (1 if a == b else 2)
            rows[-1, c] = float(a == b)
        rows[:-1, len(self.pairs) :] = self.level_rows[self.tight]
        return rows

    def _system(self) -> tuple[Array, Array]:
        n, m, k, v = self.n, self.m, len(self.active), self.v
        full = self._full()
        matrix = self.s.form(self.at, full)
        wide = k + len(self.others) * m + len(self.rest)
        top = np.zeros((n * m + len(self.s.levels), wide))
        for c in range(k):
            top[: n * m, c] = -(self.forms[c] @ v).ravel()
            top[n * m :, c] = -self.level_rows[c]
        places = [(i, q) for i in self.others for q in range(m)]
        for c, (i, q) in enumerate(places):
            block = np.zeros((n, m))
            block[:, q] = matrix[:, i]
            top[: n * m, k + c] = block.ravel()
        gap = self.s.goal_levels[self.at] - full @ self.s.levels_of[self.at]
        residual = np.concatenate([(matrix @ v).ravel(), gap])
        if not self.sharp:
            return residual, top
        rows = self._worst_rows()
        q_matrix = np.zeros((m, m))
        for c, (a, b) in enumerate(self.pairs):
            q_matrix[a, b] = q_matrix[b, a] = self.rest[c]
        below = np.zeros((len(rows), wide))
        below[:, k + len(places) :] = rows
        moved = 2 * np.einsum("kij,jb,bq->kiq", self.forms[self.tight], v, q_matrix)
        for c, (i, q) in enumerate(places):
            below[:-1, k + c] = moved[:, i, q]
        worst = rows @ self.rest
        worst[-1] -= 1.0
        return np.concatenate([residual, worst]), np.vstack([top, below])


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
