"""Refutation of inequalities between quadratic forms: parameters and explicit vectors that break one."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import minimize

from boundcheck.decide.quadratic.gram_signs import polynomial_values, samples
from boundcheck.decide.quadratic.gram_witness import accepted
from boundcheck.kernel.check.gram_certificate import Signs
from boundcheck.kernel.check.quadratic import FormProblem, basis, matrix, remainder
from boundcheck.kernel.check.ratios import Ratio
from boundcheck.kernel.clock import exhausted
from boundcheck.kernel.statement import GramClaim

DENOMINATORS = (12, 100, 10_000, 10**6, 10**9)
CLEAR = 1e-6  #: depth (of the scaled form's least eigenvalue) from which a sample is worth an exact check
TRIED = 8
GRID = 40  #: values of an unknown multiplier at each refinement
POLISHED = 6  #: starting points that are improved by a local search


def refute(
    claim: GramClaim,
    p: FormProblem,
    signs: Signs,
    multipliers: list[Ratio],
    unknown: list[int],
    near: Mapping[str, str] | None = None,
) -> dict[str, str] | None:
    """Parameters and vectors (lists of rational coordinates) at which the claim fails, checked exactly; or None.

    The form that the multipliers leave is made as negative as possible; an eigenvector gives the vectors, and
    each radius is as long as its hypothesis demands. With one unknown multiplier the best one at each point is
    taken (with one quadratic hypothesis the dual is exact). ``near``: a witness of a weaker claim, looked at first.
    """
    rest = remainder(p, multipliers)
    if p.field.roots or any(k[0] == "l" for k in rest) or len(unknown) > 1:
        return None
    extra = p.hypotheses[unknown[0]] if unknown else {}
    names = basis(p, {**rest, **extra})
    points = samples(signs)
    if not names or len(points) == 0:
        return None
    form = _Numeric(matrix(p, rest, names), matrix(p, extra, names) if unknown else None)
    depths = np.array([form.lowest(at) for at in points])
    broken = [at for at, depth in zip(points, depths, strict=True) if depth < -CLEAR]
    simple = sorted(broken, key=lambda at: float(np.sum(np.abs(np.log(np.maximum(np.abs(at), 1e-9))))))[:TRIED]
    for point in simple:
        found = _witness(claim, p, form, names, point)
        if found is not None:
            return found
    known = [np.array([float(Fraction(near[n])) for n in p.field.names])] if near else []
    for start in [*known, *points[np.argsort(depths)[:POLISHED]]]:
        if exhausted():
            return None
        found = _witness(claim, p, form, names, _polish(start, form.lowest, signs))
        if found is not None:
            return found
    return None


class _Numeric:
    """The form at a point in floating point, rows and columns scaled to a comparable size."""

    def __init__(self, entries: list[list[Ratio]], extra: list[list[Ratio]] | None):
        self.entries, self.extra = entries, extra

    def worst(self, at: np.ndarray[Any, Any], push: float = 1.0) -> tuple[float, np.ndarray[Any, Any]]:
        """The least eigenvalue under the best multiplier (times ``push``), and its vector in the unscaled basis."""
        m = _values(self.entries, at)
        if not np.all(np.isfinite(m)):
            return 0.0, np.zeros(len(m))
        size = np.sqrt(np.maximum(np.abs(m).max(axis=0), 1e-300))
        scale = np.outer(size, size)
        m = m / scale
        if self.extra is not None:
            h = _values(self.extra, at) / scale
            if not np.all(np.isfinite(h)):
                return 0.0, np.zeros(len(m))
            grid = 10.0 ** np.linspace(-4, 4, GRID) / max(float(np.abs(h).max()), 1e-300)
            for _ in range(3):
                best = int(np.argmax(np.linalg.eigvalsh(m[None] - grid[:, None, None] * h[None])[:, 0]))
                low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
                grid = np.linspace(low, high, GRID)
            m = m - grid[GRID // 2] * push * h
        values, directions = np.linalg.eigh(m)
        direction = directions[:, 0] / size
        return float(values[0]), direction / np.max(np.abs(direction))

    def lowest(self, at: np.ndarray[Any, Any]) -> float:
        return self.worst(at)[0]


def _values(entries: list[list[Ratio]], at: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    row = at[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        above = np.array([[polynomial_values(c.num, row)[0] for c in line] for line in entries])
        below = np.array([[polynomial_values(c.den, row)[0] for c in line] for line in entries])
        return np.asarray(above / below)


def _polish(start: np.ndarray[Any, Any], lowest: Any, signs: Signs) -> np.ndarray[Any, Any]:
    def cost(at: np.ndarray[Any, Any]) -> float:
        row = at[None, :]
        for g, strict in signs.constraints:
            value = polynomial_values(g, row)[0]
            if value < 0 or (strict and value <= 0):
                return 1e3 - float(value)
        return float(lowest(at))

    if not start.size:
        return start  # no parameters
    size = np.maximum(np.abs(start), 1e-3)
    result = minimize(
        lambda z: cost(z * size), start / size, method="Nelder-Mead", options={"maxiter": 400, "xatol": 1e-9}
    )
    return np.asarray(result.x * size)


def _witness(
    claim: GramClaim, p: FormProblem, form: _Numeric, names: list[str], point: np.ndarray[Any, Any]
) -> dict[str, str] | None:
    for denominator in DENOMINATORS:
        rational = [Fraction(float(v)).limit_denominator(denominator) for v in point]
        parameters = {n: str(v) for n, v in zip(p.field.names, rational, strict=True)}
        at = np.array([float(v) for v in rational])
        for push in (1.0,) if form.extra is None else (1 + 1e-6, 1 + 1e-3, 1.02):
            value, direction = form.worst(at, push)
            if value >= 0:
                continue
            vectors: dict[str, tuple[str, ...]] = {
                v: (str(Fraction(float(c)).limit_denominator(denominator)),)
                for v, c in zip(names, direction, strict=True)
            }
            vectors |= _radii(p, at, vectors, denominator)
            vectors |= {v: ("0",) for v in p.vectors if v not in vectors}
            vectors.pop("1", None)
            found = accepted(claim, p, parameters, vectors)
            if found is not None:
                return found.flat()
    return None


def _radii(
    p: FormProblem, at: np.ndarray[Any, Any], vectors: dict[str, tuple[str, ...]], denominator: int
) -> dict[str, tuple[str, ...]]:
    """Lengths of the vectors that only bound others: each as long as the hypotheses demand, rounded up."""
    row = at[None, :]
    found: dict[str, tuple[str, ...]] = {}
    for h in p.hypotheses:
        new = {v for k in h if k[0] == "q" for v in k[1:] if v not in vectors and v != "1"}
        if len(new) != 1:
            continue
        (name,) = new
        need = 0.0
        for k, c in h.items():
            if k[0] == "q" and name not in k[1:]:
                a, b = (float(Fraction(vectors.get(v, ("1",))[0])) for v in k[1:])
                need -= polynomial_values(c.num, row)[0] / polynomial_values(c.den, row)[0] * a * b
        own = h.get(("q", name, name))
        if own is None:
            continue
        slope = polynomial_values(own.num, row)[0] / polynomial_values(own.den, row)[0]
        if slope > 0 and need > 0:
            length = Fraction(float(np.sqrt(need / slope))).limit_denominator(denominator) + Fraction(
                1, denominator**2
            )
            found[name] = (str(length),)
    return found
