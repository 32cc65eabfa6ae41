"""Closed-form floors confronted with the simulated norms, wherever alpha kappa t >= 7 (docs/controlled.md)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from proofs_numeric.experiments.controlled_protocol import ControlledOutcome, raw_check_exponents, raw_check_steps
from proofs_numeric.experiments.controlled_settings import RAW, SCALAR, VECTOR, Configuration, Settings
from proofs_numeric.experiments.controlled_statistics import median_error
from proofs_numeric.experiments.controlled_theory import Floor, raw_floor, scalar_floor, vector_floor
from proofs_numeric.model.sphere import Array

RELAXATIONS = 7.0  # the transient exp(-alpha kappa t) is then below 1e-3
AGREEMENT = 0.05


def floors(outcome: ControlledOutcome) -> dict[str, Any]:
    """Rows of (method, d, p, alpha, level): predicted, measured over all seeds at hand, their ratio and its error."""
    s = outcome.settings
    check = _raw_rows(outcome) if outcome.raw_check is not None else []
    rows = [row for d, p in s.cells for row in _rows(outcome, d, p)] + check
    return {
        "relaxations": RELAXATIONS,
        "agreement": AGREEMENT,
        "rows": rows,
        "raw_check": check,
        "within": [_within(rows, method) for method in (SCALAR, VECTOR, RAW)],
        "scaling": _scaling(outcome),
    }


def predicted(settings: Settings, d: int, p: float, c: Configuration) -> Floor | None:
    """The closed form of one configuration; None for raw with p >= 2, where no stable law holds."""
    s = settings
    if c.method == SCALAR:
        return scalar_floor(c.level, c.alpha, p, d, s.batch, s.scale)
    if c.method == VECTOR:
        return vector_floor(c.level, c.alpha, p, d, s.batch, s.scale)
    return raw_floor(c.alpha, p, d, s.batch, s.steps, s.scale) if p < 2 else None


def _rows(outcome: ControlledOutcome, d: int, p: float) -> Iterator[dict[str, Any]]:
    s = outcome.settings
    for c in (c for method in (SCALAR, VECTOR, RAW) for c in s.configurations(method)):
        floor = predicted(s, d, p, c)
        if floor is None or c.alpha * floor.kappa * s.steps < RELAXATIONS:
            continue
        if not outcome.ran(d, "evaluation", c):  # a quick run has only its tuning seeds: too few
            continue
        stages = [stage for stage in ("tuning", "evaluation", "band") if outcome.ran(d, stage, c)]
        sample = np.concatenate([outcome.column(d, p, stage, c, "last") for stage in stages])
        yield _row(c, d, p, s.steps, floor, sample)


def _row(c: Configuration, d: int, p: float, steps: int, floor: Floor, sample: Array) -> dict[str, Any]:
    """Raw is measured by its median (its mean square is infinite), the clipped methods by their root mean square."""
    if c.method == RAW:
        measured, error = float(np.median(sample)), median_error(sample)
    else:
        square = sample**2
        measured = math.sqrt(square.mean())
        error = square.std(ddof=1) / math.sqrt(square.size) / (2 * measured)
    return {
        "method": c.method,
        "d": d,
        "p": p,
        "alpha": c.alpha,
        "level": c.level,
        "relaxations": c.alpha * floor.kappa * steps,
        "kappa": floor.kappa,
        "leading": floor.leading,
        "refined": floor.refined,
        "measured": measured,
        "error": error / measured,
        "seeds": sample.size,
        "leading_ratio": measured / floor.leading,
        "refined_ratio": measured / floor.refined,
    }


def _raw_rows(outcome: ControlledOutcome) -> list[dict[str, Any]]:
    """The raw floor with many seeds, so that five per cent can be seen."""
    s = outcome.settings
    assert outcome.raw_check is not None
    d, steps, c = s.tail_sweep_d, raw_check_steps(s), Configuration(RAW, max(s.alphas))
    rows = []
    for k, p in enumerate(raw_check_exponents(s)):
        floor = raw_floor(c.alpha, p, d, s.batch, steps, s.scale)
        rows.append(_row(c, d, p, steps, floor, outcome.raw_check.last[:, k, 0]))
    return rows


def _within(rows: list[dict[str, Any]], method: str) -> dict[str, Any]:
    """How many rows agree within five per cent, two standard errors of the measurement allowed for."""
    mine = [row for row in rows if row["method"] == method]
    result: dict[str, Any] = {"method": method, "rows": len(mine)}
    for form in ("leading", "refined"):
        off = [abs(row[f"{form}_ratio"] - 1) for row in mine]
        clear = [max(0.0, o - 2 * row["error"]) for o, row in zip(off, mine, strict=True)]
        result[form] = {
            "within": sum(o <= AGREEMENT for o in off),
            "not_clearly_outside": sum(o <= AGREEMENT for o in clear),
            "worst": max(off, default=None),
        }
    return result


def _scaling(outcome: ControlledOutcome) -> list[dict[str, Any]]:
    """Exponent of alpha in the raw median, fitted where alpha t >= 7, beside 1 - 1/p; one row a cell with p < 2."""
    s = outcome.settings
    rows = []
    stage = "band" if s.band_seeds else "tuning"
    for d, p in s.cells:
        alphas = [a for a in s.every_alpha if a * s.steps >= RELAXATIONS]
        alphas = [a for a in alphas if outcome.ran(d, stage, Configuration(RAW, a))]
        if p >= 2 or len(alphas) < 2:
            continue
        medians = [float(np.median(outcome.column(d, p, stage, Configuration(RAW, a), "last"))) for a in alphas]
        slope = float(np.polyfit(np.log(alphas), np.log(medians), 1)[0])
        rows.append({"d": d, "p": p, "fitted": slope, "claimed": 1 - 1 / p})
    return rows
