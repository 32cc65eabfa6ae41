"""The table of queries: what the paper's theorems prescribe, and what the sharper ones allow, from stored plans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from boundcheck.app.commands.output import cut

Record = dict[str, Any]
_SHOWN = 7  #: digits of an integer that is printed in full
_PROBLEM = ("p", "d", "sigma", "eps", "beta", "radius")
_COMMON = {"L": "L", "Delta0": "Delta_0", "delta": "delta"}  #: what no column tells, and its name in the text


def setting(stored: Mapping[str, Any] | None) -> dict[str, str]:
    """What the problems of the table share, by its name in the text; all values of what they do not share."""
    rows = stored["rows"] if stored else ()
    return {name: " or ".join(f"{v:g}" for v in dict.fromkeys(r[key] for r in rows)) for key, name in _COMMON.items()}


def comparison(stored: Mapping[str, Any] | None) -> list[Record]:
    """One record for each problem, method and radius, with the paper's plan and the sharper one side by side."""
    found: dict[tuple[Any, ...], Record] = {}
    for row in stored["rows"] if stored else ():
        record = found.setdefault(tuple(row[k] for k in _PROBLEM), {"ratio": "", **{k: row[k] for k in _PROBLEM}})
        numbers = {k: cut(row.get(k), _SHOWN) for k in ("T", "M", "M0", "queries")}
        record[row["constants"]] = {**numbers, "statement": row.get("statement", ""), "fault": row.get("fault", "")}
        if row.get("ratio") is not None:
            record["ratio"] = f"{row['ratio']:.2g}".replace("e+0", "e").replace("e+", "e")
    return list(found.values())


def deviation(stored: Mapping[str, Any] | None) -> list[Record]:
    """Rows of the deviation at a fixed M/d: the sharper bound, the paper's two, and the simulated quantile."""
    if stored is None:
        return []
    cells = {c["name"]: c for c in stored["cells"]}
    found = []
    for row in stored.get("deviation", ()):
        cell = cells.get(row["cell"])
        quantile = (cell or {}).get("quantile")
        found.append({**row, "low": quantile and quantile["low"], "high": quantile and quantile["high"]})
    return found
