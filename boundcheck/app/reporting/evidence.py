"""How far the Monte Carlo side can be trusted, from what its run stored: wrong implementations and rounding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from boundcheck.verdict import Status

Record = dict[str, Any]
BROKEN = "implementation: "  #: how the note of a planted implementation begins


def mutants(cells: Iterable[Mapping[str, Any]]) -> list[Record]:
    """Every wrong implementation with the checks that reject it and those that do not, in the order of the run."""
    found: dict[str, Record] = {}
    for cell in cells:
        if cell["kind"] == "planted" and cell["note"].startswith(BROKEN):
            what = cell["note"].removeprefix(BROKEN)
            row = found.setdefault(what, {"what": what, "rejecting": [], "missing": []})
            caught = cell["verdict"] == str(Status.REFUTED_STAT)
            row["rejecting" if caught else "missing"].append(cell["name"])
    return list(found.values())


def precision(cells: Iterable[Mapping[str, Any]]) -> list[Record]:
    """By check: cells audited, the discrepancy that takes the largest share of its declared bound, near events.

    ``near`` sums the trials decided in high precision, over the ``compared`` cells whose floats meet a threshold.
    """
    found: dict[str, Record] = {}
    for cell in (c for c in cells if c["kind"] != "planted"):
        row = found.setdefault(
            cell["label"],
            {"label": cell["label"], "audited": 0, "worst": None, "compared": 0, "near": 0, "held": True},
        )
        audit, near = cell["audit"], cell.get("near")
        if audit is not None:
            row["audited"] += 1
            row["held"] &= audit["held"]
            if row["worst"] is None or _share(audit) > _share(row["worst"]):
                row["worst"] = {**audit, "name": cell["name"]}
        if near is not None:
            row["compared"] += 1
            row["near"] += near
    return list(found.values())


def audits(cells: Iterable[Mapping[str, Any]]) -> Record:
    """How many of the cells that are not planted were audited, and with how many trials."""
    found = [cell["audit"] for cell in cells if cell["kind"] != "planted"]
    known = [audit for audit in found if audit is not None]
    return {"cells": len(found), "audited": len(known), "trials": sorted({audit["trials"] for audit in known})}


def high_precision(cells: Iterable[Mapping[str, Any]]) -> list[Record]:
    """The cells that were run in high precision, each with its reason."""
    return [
        {"name": c["name"], "why": c["precision"]}
        for c in cells
        if c.get("precision", "float64") not in ("float64", "")
    ]


def _share(audit: Mapping[str, Any]) -> float:
    """The part of the declared bound that a discrepancy takes."""
    return float(audit["discrepancy"]) / float(audit["bound"]) if audit["bound"] else float(audit["discrepancy"] > 0)
