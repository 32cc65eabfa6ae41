"""From simulated norms to the stored data of the controlled experiment: tables, the paper's numbers, verdicts.

Pure: the same outcome gives the same data. What is written here is all that figures and report read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from importlib.resources import files
from typing import Any

import numpy as np

from proofs_numeric.experiments.controlled_floors import floors
from proofs_numeric.experiments.controlled_protocol import STATISTIC, ControlledOutcome, grids, theory_parameters
from proofs_numeric.experiments.controlled_settings import METHODS, RAW, SCALAR, THEORY, VECTOR, Configuration
from proofs_numeric.experiments.controlled_simulation import CHECK, recorded
from proofs_numeric.experiments.controlled_statistics import (
    median_band,
    protocol_band,
    quantile_interval,
    rate_interval,
)
from proofs_numeric.experiments.controlled_theory import passing
from proofs_numeric.model.sphere import Array
from proofs_numeric.model.streams import stream

DIGITS = 6  # significant digits of stored numbers: beyond what differs between machines, far below what matters
HALF_UNIT = 0.0005  # the paper prints three decimals


def paper_numbers() -> dict[str, Any]:
    """The published tables, by the labels of the paper."""
    text = files("proofs_numeric.experiments").joinpath("controlled_paper.json").read_text(encoding="utf-8")
    return json.loads(text)["tables"]


def published(d: int, p: float, method: str) -> float | None:
    """The paper's median of a cell, None where it prints none."""
    tables, column = paper_numbers(), METHODS.index(method)
    sweep, tail = tables["fig:dimension-sweep"], tables["fig:tail-sweep"]
    for row in sweep["rows"]:
        if (row["d"], sweep["p"]) == (d, p):
            return row["median"][column]
    for row in tail["rows"]:
        if (tail["d"], row["p"]) == (d, p):
            return row["median"][column]
    return None


def outside_by(paper: float, band: tuple[float, float]) -> float:
    """Distance of the paper's number from the band, as a fraction of the nearest end; negative below, 0 inside."""
    low, high = band
    return paper / low - 1 if paper < low else paper / high - 1 if paper > high else 0.0


def summarise(outcome: ControlledOutcome, quick: bool) -> dict[str, Any]:
    """All data of the experiment as JSON values, numbers rounded to six significant digits."""
    s = outcome.settings
    data = {
        "schema": 1,
        "experiment": "controlled",
        "quick": quick,
        "settings": asdict(s),
        "representative": {"d": s.representative[0], "p": s.representative[1]},
        "cells": [_cell(outcome, d, p, m) for d, p in s.cells for m in METHODS],
        "success": [_success(outcome, d, p, m) for d, p in s.cells for m in METHODS],
        "cosine": _cosine(outcome),
        "dominance": _dominance(outcome),
        "curves": _curves(outcome),
        "tuning": _tuning(outcome),
        "robustness": _robustness(outcome),
        "prescribed": _prescribed(outcome),
        "floors": floors(outcome),
    }
    data["summary"] = _summary(data)
    return rounded(data)


def rounded(value: Any) -> Any:
    """The same JSON value with floats at six significant digits; infinite levels become null."""
    if isinstance(value, Mapping):
        return {key: rounded(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(v) for v in value]
    if isinstance(value, np.ndarray):
        return rounded(value.tolist())
    if isinstance(value, (float, np.floating)):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None
    if isinstance(value, np.integer):
        return int(value)
    return value


def _further(outcome: ControlledOutcome, d: int, p: float, configuration: Configuration) -> Array:
    """The seeds that bands come from: the further ones, or the evaluation seeds where there are none (quick)."""
    stage = "band" if outcome.settings.band_seeds else "evaluation"
    return outcome.column(d, p, stage, configuration)


def _cell(outcome: ControlledOutcome, d: int, p: float, method: str) -> dict[str, Any]:
    s = outcome.settings
    chosen = outcome.chosen[d, p, method, "fitted"]
    evaluation = outcome.column(d, p, "evaluation", chosen)
    further = _further(outcome, d, p, chosen)
    band = median_band(further, s.evaluation_seeds, s.coverage)
    paper = published(d, p, method)
    cell: dict[str, Any] = {
        "d": d,
        "p": p,
        "method": method,
        "median": np.median(evaluation),
        "band": band,
        "paper": paper,
        "inside": None,
        "inside_rounded": None,
        "outside_by": None,
        "ratio_to_paper": None,
        "further_median": np.median(further),
        "protocol_band": None,
        "alpha": chosen.alpha,
        "level": chosen.level,
        "at_lowest_alpha": chosen.alpha == min(s.alphas),
        "evaluation": np.sort(evaluation),
    }
    if paper is not None and band is not None:
        cell["inside"] = band[0] <= paper <= band[1]
        cell["inside_rounded"] = band[0] <= paper + HALF_UNIT and paper - HALF_UNIT <= band[1]
        cell["outside_by"] = outside_by(paper, band)
        cell["ratio_to_paper"] = cell["further_median"] / paper
    grid = [c for c in s.configurations(method) if c.alpha in s.alphas]
    if s.band_seeds and s.evaluate == "all":
        values = np.column_stack([outcome.column(d, p, "band", c) for c in grid])
        rng = stream(CHECK, f"protocol band d={d} p={p} {method}", seed=s.seed)
        sizes = (s.tuning_seeds, s.evaluation_seeds, s.criterion == "mean", s.protocol_draws)
        cell["protocol_band"] = protocol_band(values, *sizes, s.coverage, rng)
    return cell


def _success(outcome: ControlledOutcome, d: int, p: float, method: str) -> dict[str, Any]:
    s = outcome.settings
    chosen = outcome.chosen[d, p, method, "fitted"]
    evaluation = outcome.column(d, p, "evaluation", chosen)
    further = _further(outcome, d, p, chosen)
    hits = int((further <= s.epsilon).sum())
    table = paper_numbers()["fig:representative-optimization"]
    here = (d, p) == (table["d"], table["p"])
    return {
        "d": d,
        "p": p,
        "method": method,
        "rate": (evaluation <= s.epsilon).mean(),
        "further_rate": hits / further.size,
        "further_interval": rate_interval(hits, further.size, s.coverage),
        "paper": table["success"][METHODS.index(method)] if here else None,
    }


def _distribution(sample: Array, coverage: float) -> dict[str, Any]:
    return {
        "median": np.median(sample),
        "interval": quantile_interval(sample, 0.5, coverage),
        "quartiles": np.quantile(sample, [0.25, 0.75]),
        "values": np.sort(sample),
    }


def _cosine(outcome: ControlledOutcome) -> dict[str, Any]:
    """fig:direction-diagnostic: cosines at ||x|| = 1, and a band for the median of as many batches again."""
    s, seen = outcome.settings, outcome.diagnostic
    d, p = s.representative
    table = paper_numbers()["fig:direction-diagnostic"]
    here = (d, p, s.diagnostic_norm) == (table["d"], table["p"], table["norm"])
    tau = outcome.chosen[d, p, SCALAR, "fitted"].level
    samples = {
        "raw": seen.raw_cosine,
        "vector": seen.vector_cosine,
        "scalar": seen.scalar_cosine[:, s.taus.index(tau)],
    }
    result: dict[str, Any] = {
        "d": d,
        "p": p,
        "norm": s.diagnostic_norm,
        "batches": s.diagnostic_batches,
        "tau": tau,
        "radius": outcome.diagnostic_radius,
        "vector_minus_raw": np.abs(seen.vector_cosine - seen.raw_cosine).max(),
        "by_tau": [
            {
                "tau": t,
                "median": np.median(seen.scalar_cosine[:, k]),
                "band": median_band(seen.scalar_cosine[:, k], s.diagnostic_batches, s.coverage),
            }
            for k, t in enumerate(s.taus)
        ],
    }
    for method, sample in samples.items():
        band = median_band(sample, sample.size, s.coverage)
        paper = table["median"][METHODS.index(method)] if here else None
        if method == SCALAR:  # the paper names no threshold here
            for row in result["by_tau"]:
                ends = row["band"]
                row["holds_paper"] = bool(paper is not None and ends and ends[0] <= paper <= ends[1])
        result[method] = _distribution(sample, s.coverage) | {
            "band": band,
            "paper": paper,
            "inside_rounded": None,
            "inside": None if paper is None or band is None else band[0] <= paper <= band[1],
            "outside_by": None if paper is None or band is None else outside_by(paper, band),
        }
    return result


def _dominance(outcome: ControlledOutcome) -> dict[str, Any]:
    s = outcome.settings
    sample = outcome.diagnostic.dominance
    d, p = s.representative
    return _distribution(sample, s.coverage) | {
        "d": d,
        "p": p,
        "norm": s.diagnostic_norm,
        "batches": s.diagnostic_batches,
        "above_tenfold": (sample > 1).mean(),
        "above_hundredfold": (sample > 2).mean(),
    }


def _curves(outcome: ControlledOutcome) -> dict[str, Any]:
    """fig:representative-optimization: median and quartiles of ||x_t|| over the evaluation seeds."""
    s = outcome.settings
    d, p = s.representative
    result: dict[str, Any] = {"d": d, "p": p, "t": recorded(s.steps)}
    for method in METHODS:
        curve = outcome.column(d, p, "evaluation", outcome.chosen[d, p, method, "fitted"], "curve")
        low, median, high = np.quantile(curve, [0.25, 0.5, 0.75], axis=0)
        result[method] = {"low": low, "median": median, "high": high}
    return result


def _tuning(outcome: ControlledOutcome) -> list[dict[str, Any]]:
    """fig:fair-tuning: for every clipping level, the best validation value over the step sizes of a grid."""
    s = outcome.settings
    d, p = s.representative
    rows = []
    for method, levels in ((VECTOR, s.radii), (SCALAR, s.taus)):
        for level in levels:
            row: dict[str, Any] = {"method": method, "level": level}
            for grid, alphas in grids(s).items():
                scores = {
                    a: float(STATISTIC[s.criterion](outcome.column(d, p, "tuning", Configuration(method, a, level))))
                    for a in alphas
                }
                best = min(scores, key=lambda a: (scores[a], a))
                row[grid] = {"alpha": best, "value": scores[best]}
            rows.append(row)
    return rows


def _robustness(outcome: ControlledOutcome) -> list[dict[str, Any]]:
    """The same protocol when the step-size grid reaches lower; empty when no lower step sizes are given."""
    s = outcome.settings
    rows = []
    for d, p in s.cells if s.lower_alphas else ():
        row: dict[str, Any] = {"d": d, "p": p, "methods": {}}
        for method in METHODS:
            entry: dict[str, Any] = {}
            for grid, alphas in grids(s).items():
                chosen = outcome.chosen[d, p, method, grid]
                further = _further(outcome, d, p, chosen)
                entry[grid] = {
                    "alpha": chosen.alpha,
                    "level": chosen.level,
                    "at_lowest_alpha": chosen.alpha == min(alphas),
                    "median": np.median(outcome.column(d, p, "evaluation", chosen)),
                    "further_median": np.median(further),
                    "success": (further <= s.epsilon).mean(),
                }
            entry["change"] = entry["wider"]["further_median"] / entry["fitted"]["further_median"] - 1
            row["methods"][method] = entry
        for grid in grids(s):
            scalar = row["methods"][SCALAR][grid]["further_median"]
            row[f"{grid}_ratios"] = {
                m: row["methods"][m][grid]["further_median"] / scalar for m in METHODS if m != SCALAR
            }
        rows.append(row)
    return rows


def _prescribed(outcome: ControlledOutcome) -> list[dict[str, Any]]:
    """Scalar clipping at the threshold of thm:tuned-dev, step size tuned on the same grid, and 1/(4L)."""
    s = outcome.settings
    rows = []
    for d, p in s.cells:
        theory = theory_parameters(s, d)[s.exponents(d).index(p)]
        tau = theory.tau
        tuned = outcome.chosen[d, p, THEORY, "fitted"]
        row: dict[str, Any] = {
            "d": d,
            "p": p,
            "tau": tau,
            "deviation_bound": theory.deviation,
            "expected_clipped": 1 - passing(tau / s.scale * math.sqrt(d), p, d),
        }
        fixed = max(s.configurations(THEORY), key=lambda c: c.alpha)
        for name, chosen in (("tuned", tuned), ("prescribed_alpha", fixed)):
            evaluation = outcome.column(d, p, "evaluation", chosen)
            clipped = outcome.column(d, p, "evaluation", chosen, "clipped")
            touched = outcome.column(d, p, "evaluation", chosen, "touched")
            row[name] = {
                "alpha": chosen.alpha,
                "median": np.median(evaluation),
                "success": (evaluation <= s.epsilon).mean(),
                "clipped": clipped.mean(),
                "touched": touched.mean(),
            }
        for method in METHODS:
            best = outcome.chosen[d, p, method, "fitted"]
            row[method] = np.median(outcome.column(d, p, "evaluation", best))
        level = outcome.chosen[d, p, SCALAR, "fitted"].level
        row["tuned_tau"] = level
        row["tuned_tau_clipped"] = 1 - passing(level / s.scale * math.sqrt(d), p, d)
        rows.append(row)
    return rows


def _summary(data: Mapping[str, Any]) -> dict[str, Any]:
    """Counts that the report quotes."""
    judged = [c for c in data["cells"] if c["inside"] is not None]
    ratios: dict[tuple[int, float], dict[str, float]] = {}
    for cell in data["cells"]:
        ratios.setdefault((cell["d"], cell["p"]), {})[cell["method"]] = cell["median"]
    summary = {
        "cells": len(ratios),
        "judged": len(judged),
        "inside": sum(c["inside"] for c in judged),
        "inside_rounded": sum(c["inside_rounded"] for c in judged),
        "own_inside": sum(c["band"][0] <= c["median"] <= c["band"][1] for c in data["cells"] if c["band"]),
        "inside_by_method": {
            m: [sum(c["inside"] for c in judged if c["method"] == m), sum(c["method"] == m for c in judged)]
            for m in METHODS
        },
        "protocol_inside": sum(
            c["protocol_band"][0] <= c["paper"] <= c["protocol_band"][1] for c in judged if c["protocol_band"]
        ),
        "protocol_judged": sum(bool(c["protocol_band"]) for c in judged),
        "expected_outside": len(judged) * (1 - data["settings"]["coverage"]),
        "ordered": sum(r["raw"] > r["vector"] > r["scalar"] for r in ratios.values()),
        "vector_over_scalar": [{"d": d, "p": p, "ratio": r["vector"] / r["scalar"]} for (d, p), r in ratios.items()],
        "prescribed_over_tuned_tau": [f(r["tau"] / r["tuned_tau"] for r in data["prescribed"]) for f in (min, max)],
        "deviation_bound": [f(r["deviation_bound"] for r in data["prescribed"]) for f in (min, max)],
        "prescribed_below_raw": sum(r["tuned"]["median"] < r[RAW] for r in data["prescribed"]),
        "prescribed_above_vector": sum(r["tuned"]["median"] > r[VECTOR] for r in data["prescribed"]),
    }
    if data["robustness"]:
        summary["robustness"] = _robustness_summary(data)
    return summary


def _robustness_summary(data: Mapping[str, Any]) -> dict[str, Any]:
    """Per method: how often the step size moved, by how much the median; ranges of the ratios on both grids."""
    rows, lowest = data["robustness"], min(data["settings"]["alphas"])
    summary: dict[str, Any] = {"cells": len(rows)}
    for m in METHODS:
        entries = [row["methods"][m] for row in rows]
        changes = [e["change"] for e in entries]
        summary[m] = {
            "cells": len(rows),
            "at_lowest_before": sum(e["fitted"]["at_lowest_alpha"] for e in entries),
            "moved": sum(e["wider"]["alpha"] < lowest for e in entries),
            "change": [min(changes), max(changes)],
        }
    for m, name in ((VECTOR, "vector_over_scalar"), (RAW, "raw_over_scalar")):
        summary[name] = {
            grid: [f(row[f"{grid}_ratios"][m] for row in rows) for f in (min, max)] for grid in ("fitted", "wider")
        }
    summary["ordered"] = {
        grid: sum(row[f"{grid}_ratios"][RAW] > row[f"{grid}_ratios"][VECTOR] > 1 for row in rows)
        for grid in ("fitted", "wider")
    }
    return summary
