"""Counterexamples with vectors of any dimension: a Gram matrix by a semidefinite program, factored and made rational.

At one point of the domain: G semidefinite and levels that break the goal and meet every inequality with a margin,
every equation exactly. Rational vectors near a factor of G keep the margins; what the equations lose is put back
exactly. What it finds counts as :func:`boundcheck.decide.quadratic.witness.check_witness` says.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat
from scipy.optimize import minimize

from boundcheck.decide.quadratic.gram_sdp import (
    Array,
    Numeric,
    interior_samples,
    multipliers_at,
    solve_cones,
    svec_index,
)
from boundcheck.decide.quadratic.gram_signs import polynomial_values, samples
from boundcheck.decide.quadratic.gram_witness import Counterexample, accepted, inner, lengths, values_of
from boundcheck.kernel.check.gram_certificate import Signs
from boundcheck.kernel.check.poly import fraction
from boundcheck.kernel.check.quadratic import UNIT, Form, FormProblem
from boundcheck.kernel.clock import deadline, passed
from boundcheck.kernel.statement import GramClaim

POINTS = 8  #: points of the domain tried
DENOMINATORS = (12, 60, 1000, 10**5, 10**7, 10**9)
STEP = 4  #: of the samples of the domain, one in so many is looked at where it is hardly false
CLEAR = 1e-6  #: depth from which a sample is tried as it is
TRIED = 8
POLISHED = 3  #: starting points that are improved by a local search
MARGIN = 1e-8  #: a violation below this share of the whole is not followed up
CEILING = 1e3  #: largest trace of a Gram matrix whose unit is 1
INNER = 0.05  #: the least eigenvalue of a Gram matrix with room, in margins
RANK = 1e-7  #: eigenvalues below this share of the largest are left out


def counterexample(claim: GramClaim, p: FormProblem, signs: Signs, seconds: float = 3.0) -> Counterexample | None:
    """A counterexample that the kernel accepts, at simple points inside of the domain; or None."""
    end = deadline(seconds)
    points = interior_samples(signs, POINTS, seed=5)
    size = [sum(Fraction(float(v)).limit_denominator(360).denominator for v in row) for row in points]
    for row in points[np.argsort(size, kind="stable")]:
        found = None if passed(end) else _at(claim, p, _parameters(p, row, 360))
        if found is not None:
            return found
    return None


def close_counterexample(
    claim: GramClaim, p: FormProblem, signs: Signs, seconds: float = 1.0, near: Mapping[str, str] | None = None
) -> Counterexample | None:
    """A counterexample to a claim that is hardly false: where its form is least in the domain, also at the edge.

    ``near``: a witness of a weaker claim, looked at first.
    """
    end = deadline(seconds)
    points = samples(signs)[::STEP]
    if not len(points) or not p.vectors or p.field.roots:
        return None
    s = Numeric.of(p, points, reduce=False)
    depths = [_depth(s, at) for at in range(len(points))]
    simple = np.sum(np.abs(np.log(np.maximum(np.abs(points), 1e-9))), axis=1)
    broken = sorted((at for at, depth in enumerate(depths) if depth < -CLEAR), key=lambda at: simple[at])[:TRIED]
    starts = [np.array([float(Fraction(near[n])) for n in p.field.names])] if near else []
    starts += [points[at] for at in np.argsort(depths)[:POLISHED]]
    polished = (_polish(p, signs, start, end) for start in starts)
    for row in chain((points[at] for at in broken), polished):
        for denominator in DENOMINATORS:
            if passed(end):
                return None
            found = _at(claim, p, _parameters(p, row, denominator))
            if found is not None:
                return found
    return None


def _depth(s: Numeric, at: int) -> float:
    """The least eigenvalue of the form under the best multipliers, as a share of the goal; below 0 it is false."""
    found = multipliers_at(s, at, list(range(s.hypotheses.shape[1])), None) if s.finite(at) else None
    return 0.0 if found is None else found[0] / max(float(np.abs(s.goal[at]).max()), 1e-300)


def _polish(p: FormProblem, signs: Signs, start: Array, end: float) -> Array:
    """The point of the domain near ``start`` at which the form is least."""

    def cost(z: Array) -> float:
        row = (z * size)[None, :]
        for g, strict in signs.constraints:
            value = polynomial_values(g, row)[0]
            if value < 0 or (strict and value <= 0):
                return 1e3 - float(value)
        return 0.0 if passed(end) else _depth(Numeric.of(p, row, reduce=False), 0)

    if not start.size:
        return start  # no parameters
    size = np.maximum(np.abs(start), 1e-3)
    options = {"maxiter": 100, "xatol": 1e-9, "fatol": 1e-12}
    with np.errstate(invalid="ignore"):  # depths that are no finite numbers are compared in there
        found = minimize(cost, start / size, method="Nelder-Mead", options=options)
    return np.asarray(found.x * size)


def _at(claim: GramClaim, p: FormProblem, parameters: dict[str, Fraction]) -> Counterexample | None:
    """A counterexample at one point of the parameters."""
    row = [float(parameters[n]) if n in parameters else float(p.field.roots[n]) ** 0.5 for n in p.field.names]
    s = Numeric.of(p, np.array([row]), reduce=False)
    if not p.vectors or not s.finite(0):
        return None
    best = _solve(s, None)
    if best is None or best[0] < MARGIN:  # perhaps a hypothesis has no room, as norm(x)**2 <= 0
        best = _solve(s, None, room=0.0)
    if best is None or best[0] < MARGIN:
        return None
    flat = None if _bound(p) else _solve(s, best[0])
    for _, gram, levels in (found for found in (flat, best) if found is not None):
        exact = _rational(claim, p, s, parameters, gram, levels)
        if exact is not None:
            return exact
    return None


def _bound(p: FormProblem) -> bool:
    """Whether equations tie vectors to each other: they then need room, not few dimensions."""
    return any(free and any(k[0] == "q" for k in h) for h, free in zip(p.hypotheses, p.equations, strict=True))


def _parameters(p: FormProblem, row: Array, denominator: int) -> dict[str, Fraction]:
    numbers = zip(p.field.names, row, strict=True)
    return {n: Fraction(float(v)).limit_denominator(denominator) for n, v in numbers if n not in p.field.roots}


def _solve(s: Numeric, margin: float | None, room: float = 1.0) -> tuple[float, Array, Array] | None:
    """(margin, G, levels) with the largest margin; or, with a tenth of a known one, with the smallest trace.

    ``room``: the share of the margin with which hypotheses are to hold.
    """
    import clarabel

    n, l = s.goal.shape[1], len(s.levels)
    rows, columns, weight = svec_index(n)
    size = len(rows)
    unit = s.names.index(UNIT) if UNIT in s.names else None
    wide = size + l + 1  # G, levels, margin

    def row(form: Array, level: Array, slope: float) -> Array:
        return np.concatenate([form[rows, columns] * weight, level, [slope]])

    equal, equal_right, above = [], [], []
    for j, free in enumerate(s.p.equations):
        form, level = s.hypotheses[0, j], s.levels_of[0, j]
        if free:
            equal.append(row(form, level, 0.0))
            equal_right.append(0.0)
        else:
            scale = max(float(np.abs(form).max()), float(np.abs(level).max(initial=0)), 1e-9)
            above.append(-row(form, level, -room * scale))
    scale = max(float(np.abs(s.goal[0]).max()), float(np.abs(s.goal_levels[0]).max(initial=0)), 1e-9)
    above.append(row(s.goal[0], s.goal_levels[0], scale))
    right = [0.0] * len(above)
    trace = row(np.eye(n), np.zeros(l), 0.0)
    if unit is not None:
        corner = np.zeros((n, n))
        corner[unit, unit] = 1.0
        equal.append(row(corner, np.zeros(l), 0.0))
        equal_right.append(1.0)
    cap = 1.0 if unit is None else CEILING
    last = np.zeros(wide)
    last[-1] = 1.0
    if margin is None:
        above += [trace, last]
        right += [cap, 1.0]
        cost = -last
    else:
        above.append(-last)
        right.append(-margin / 10)
        cost = trace
    for k in range(l):
        for sign in (1.0, -1.0):
            bound = np.zeros(wide)
            bound[size + k] = sign
            above.append(bound)
            right.append(100.0 * cap)
    semidefinite = np.zeros((size, wide))
    semidefinite[:, :size] = -np.eye(size)
    if margin is None:
        semidefinite[:, -1] = INNER * room * (rows == columns)  # room for what the equations will ask for
    blocks: list[tuple[Array, Array, Any]] = []
    if equal:
        blocks.append((np.array(equal), np.array(equal_right), clarabel.ZeroConeT(len(equal))))
    blocks.append((np.array(above), np.array(right), clarabel.NonnegativeConeT(len(above))))
    blocks.append((semidefinite, np.zeros(size), clarabel.PSDTriangleConeT(n)))
    found = solve_cones(cost, blocks)
    x = np.array(found.x)
    if "Solved" not in str(found.status) or not np.all(np.isfinite(x)):
        return None
    gram = np.zeros((n, n))
    gram[rows, columns] = x[:size] / weight
    gram[columns, rows] = x[:size] / weight
    return float(x[-1]), gram, x[size : size + l]


def _rational(
    claim: GramClaim, p: FormProblem, s: Numeric, parameters: dict[str, Fraction], gram: Array, levels: Array
) -> Counterexample | None:
    values, vectors = np.linalg.eigh(gram)
    keep = values > RANK * max(float(values.max()), 1e-12)
    factor = vectors[:, keep] * np.sqrt(values[keep])  # one row a vector
    if not factor.size:
        return None
    if UNIT in s.names:
        factor = _turned(factor, s.names.index(UNIT))
    else:
        factor = _echelon(factor)
    for i in (s.names.index(v) for v in lengths(claim) if v in s.names):
        factor[i] = np.linalg.norm(factor[i]) * np.eye(factor.shape[1])[0]
    size = float(np.abs(factor).max())
    if UNIT not in s.names:
        factor, levels = factor / size, levels / size**2
    texts = {n: str(v) for n, v in parameters.items()}
    for denominator in DENOMINATORS:
        rational = {
            v: [Fraction(float(c)).limit_denominator(denominator) for c in factor[i]] for i, v in enumerate(s.names)
        }
        if UNIT in rational:
            rational[UNIT] = [Fraction(int(i == 0)) for i in range(factor.shape[1])]
        own = {k: Fraction(float(v)).limit_denominator(denominator) for k, v in zip(s.levels, levels, strict=True)}
        if any(p.equations) and not _meet_equations(p, parameters, rational, own):
            return None
        nothing = [Fraction(0)] * max(map(len, rational.values()))
        free = {v: tuple(map(str, rational.get(v, nothing))) for v in p.vectors}
        found = accepted(claim, p, texts, free, {k: str(v) for k, v in own.items()})
        if found is not None:
            return found
    return None


def _turned(factor: Array, unit: int) -> Array:
    """The rows turned so that the unit is the first axis."""
    n = factor.shape[1]
    q, _ = np.linalg.qr(np.column_stack([factor[unit], np.eye(n)]))
    q[:, 0] *= np.sign(q[:, 0] @ factor[unit])
    return np.asarray(factor @ q)


def _echelon(factor: Array) -> Array:
    """The rows turned so that the longest lies on the first axis, the next in a plane, and so on."""
    order = np.argsort(-np.linalg.norm(factor, axis=1))
    q, r = np.linalg.qr(factor[order].T)
    q = q * np.where(np.diag(r[:, : q.shape[1]]) < 0, -1.0, 1.0)
    return np.asarray(factor @ q)


def _meet_equations(
    p: FormProblem, parameters: dict[str, Fraction], vectors: dict[str, list[Fraction]], levels: dict[str, Fraction]
) -> bool:
    """Change one vector, then levels, so that all equations hold exactly; whether that could be done."""
    if p.field.roots:
        return False  # the kernel has balls for these, which never say that an equation holds
    value = values_of(p, parameters)
    equations = [h for h, free in zip(p.hypotheses, p.equations, strict=True) if free]
    pure = [h for h in equations if not any(k[0] == "l" for k in h)]
    if pure and not _meet_pure(pure, value, vectors):
        return False
    used: set[str] = set()
    for h in equations:
        own = [k for k in h if k[0] == "l"]
        if not own:
            continue
        free = next((k for k in own if k[1] not in used), None)
        if free is None:
            continue  # its levels are settled: it holds, or the kernel will say no
        used |= {k[1] for k in own}
        total = sum((value(c) * inner(vectors, k) for k, c in h.items() if k[0] == "q"), Fraction(0))
        total += sum((value(h[k]) * levels[k[1]] for k in own if k != free), Fraction(0))
        levels[free[1]] = -total / value(h[free])
    return True


def _meet_pure(equations: list[Form], value: Any, vectors: dict[str, list[Fraction]]) -> bool:
    """Change one vector in which all equations are linear by as little as they need."""
    dimension = len(next(iter(vectors.values())))
    if dimension < len(equations):
        for v in vectors.values():
            v += [Fraction(0)] * (len(equations) - dimension)
    for name in [v for v in vectors if v != UNIT]:
        if any(k[1:] == (name, name) for h in equations for k in h):
            continue
        rows, right = [], []
        for h in equations:
            slope = [Fraction(0)] * len(vectors[name])
            for k, c in h.items():
                if name in k[1:]:
                    other = k[1] if k[2] == name else k[2]
                    slope = [a + value(c) * b for a, b in zip(slope, vectors[other], strict=True)]
            rows.append(slope)
            right.append(-sum((value(c) * inner(vectors, k) for k, c in h.items()), Fraction(0)))
        a = fmpq_mat([[fmpq(c.numerator, c.denominator) for c in row] for row in rows])
        square = a * a.transpose()
        if square.det() == 0:
            continue
        step = a.transpose() * square.solve(fmpq_mat([[fmpq(r.numerator, r.denominator)] for r in right]))
        for i in range(len(vectors[name])):
            vectors[name][i] += fraction(step[i, 0])
        return True
    return False
