"""Results as plain data: the JSON of ``run``, and the stored results that the report renders."""

from __future__ import annotations

import datetime
import json
import math
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import mpmath
import numpy
import scipy

from boundcheck.system.files import write_text
from boundcheck.verdict import Status
from proofs_numeric.campaigns.audit import Audit, audit
from proofs_numeric.campaigns.campaign import Result
from proofs_numeric.checks import RESTATED, registry
from proofs_numeric.checks.cell import CLAIM, COMPANION, PLANTED, Cell
from proofs_numeric.checks.sharp import comparison
from proofs_numeric.stats import budget
from proofs_numeric.stats.quantile import lower_rank, upper_rank

STORED = Path(__file__).resolve().parents[2] / "boundcheck" / "data" / "monte_carlo.json"


def _finite(value: float) -> float | None:
    """The double, None where it is none; a user's numbers may be of types that JSON does not have."""
    return float(value) if math.isfinite(value) else None


def audited(result: Result, seed: int) -> Audit | None:
    """The precision audit of a finished cell; None for planted twins and where the float code carries intervals."""
    if result.cell.kind == PLANTED or result.judgement.partial:
        return None
    return audit(result.cell, seed)


def _audit_record(found: Audit | None) -> dict[str, Any] | None:
    if found is None:
        return None
    gap, bound = _finite(found.discrepancy), _finite(found.bound)
    return {"trials": found.trials, "discrepancy": gap, "bound": bound, "held": found.held}


def entry(result: Result, seed: int) -> dict[str, Any]:
    """One cell as the ``--json`` record of design: numbers at the row shown, null where there are none."""
    j = result.judgement
    row = j.outcome.rows[j.outcome.shown] if j.outcome else None
    return {
        "name": result.cell.key,
        "verdict": str(j.status),
        "trials": j.trials,
        "bad": j.outcome.bad if j.outcome else None,
        "claimed": _finite(row.claimed) if row else None,
        "observed": _finite(row.observed) if row else None,
        "upper": _finite(row.upper) if row else None,
        "detectable": _finite(j.detectable),
        "missing": j.missing or None,
        "given": (j.outcome.given if j.outcome else "") or None,
        "unit": result.cell.unit,
        "partial": j.partial,
        "near": result.near,
        "precision": result.cell.precision or "float64",
        "audit": _audit_record(audited(result, seed)),
        "seconds": round(result.seconds, 4),
    }


def summary(results: Sequence[Result], seed: int) -> dict[str, Any]:
    """The object that ``run --json`` prints: claims, companions and planted twins apart."""
    claims = [entry(r, seed) for r in results if r.cell.kind == CLAIM]
    companions = [entry(r, seed) for r in results if r.cell.kind == COMPANION]
    planted = [
        {**entry(r, seed), "planted": r.cell.note, "caught": r.judgement.status is Status.REFUTED_STAT}
        for r in results
        if r.cell.kind == PLANTED
    ]
    partial = any(r.judgement.partial for r in results)
    return {
        "schema": 1,
        "seed": seed,
        "partial": partial,
        "results": claims,
        "companions": companions,
        "planted": planted,
    }


def quantile_bracket(result: Result, confidence: float) -> tuple[float | None, float | None] | None:
    """Limits for the (1 - q)-quantile of the values of a cell P(value > t) <= q, on its ladder of thresholds.

    ``confidence`` is that of the cell; each of the two limits spends a quarter of it.
    """
    outcome = result.judgement.outcome
    if outcome is None or not outcome.watched:
        return None
    trials, level = result.judgement.trials, 1 - outcome.rows[0].claimed
    at_most = [(t, trials - k) for t, k in outcome.watched]
    at_most.append((outcome.rows[0].threshold, trials - round(outcome.rows[0].observed * trials)))
    high, low = (rank(trials, level, confidence / 4) for rank in (upper_rank, lower_rank))
    above = min((t for t, n in at_most if high is not None and n >= high), default=None)
    below = max((t for t, n in at_most if low is not None and n < low), default=None)
    return below, above


def stored(results: Sequence[Result], seed: int, seconds: float, executor: str) -> dict[str, Any]:
    """Everything the report needs of a complete run; all but ``provenance`` is a function of the seed."""
    share = budget.levels(len(registry()))
    cells = []
    for r in results:
        outcome = r.judgement.outcome
        record = {k: v for k, v in entry(r, seed).items() if k not in ("seconds", "partial")}
        record |= {"label": r.cell.label, "kind": r.cell.kind, "note": r.cell.note}
        record["rows"] = [
            {k: _finite(getattr(row, k)) for k in ("threshold", "claimed", "observed", "lower", "upper")}
            for row in (outcome.rows if outcome else ())
        ]
        bracket = quantile_bracket(r, share.confidence)
        if bracket is not None and outcome is not None:
            record["quantile"] = {
                "level": 1 - outcome.rows[0].claimed,
                "bound": outcome.rows[0].threshold,
                "low": bracket[0],
                "high": bracket[1],
            }
        cells.append(record)
    return {
        "schema": 1,
        "seed": seed,
        "budget": {
            "cells": len(registry()),
            "false_refutation": budget.FALSE_REFUTATION,
            "false_bound": budget.FALSE_BOUND,
            "per_cell": {"screen": share.screen, "reject": share.reject, "confidence": share.confidence},
            "power": budget.POWER,
            "detectable_ratio": budget.DETECTABLE_RATIO,
        },
        "restated": dict(RESTATED),
        "deviation": comparison(),
        "cells": cells,
        "provenance": {
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "seconds": round(seconds, 1),
            "chunk_seconds": round(sum(r.seconds for r in results), 1),  # those that a ledger held included
            "cell_seconds": {r.cell.key: round(r.seconds, 3) for r in results},  # what the time left is told from
            "executor": executor,
            "python": platform.python_version(),
            "platform": platform.platform(),
            "numpy": numpy.__version__,
            "scipy": scipy.__version__,
            "mpmath": mpmath.__version__,
        },
    }


def costs(cells: Sequence[Cell]) -> list[float]:
    """The seconds that each cell is expected to take: as stored, else those of a usual one; all 1 if none is known."""
    try:
        known = json.loads(STORED.read_text(encoding="utf-8"))["provenance"]["cell_seconds"]
        seconds = {str(key): float(value) for key, value in known.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        seconds = {}
    usual = sum(seconds.values()) / len(seconds) if seconds else 1.0
    return [max(seconds.get(cell.key, usual), 1e-3) for cell in cells]


def _text(data: Mapping[str, Any]) -> str:
    """JSON with one line for each entry, and for each member of a list: small, and readable in a diff."""
    lines = []
    for key, value in data.items():
        if isinstance(value, list):
            members = ",\n  ".join(json.dumps(member, allow_nan=False) for member in value)
            lines.append(f" {json.dumps(key)}: [\n  {members}\n ]")
        else:
            lines.append(f" {json.dumps(key)}: {json.dumps(value, allow_nan=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def write(path: Path, data: Mapping[str, Any]) -> None:
    """Write JSON, whole or not at all. Raises :class:`boundcheck.system.files.FileFault`."""
    write_text(path, _text(data))
