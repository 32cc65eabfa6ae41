"""The report's figures: each is a table of numbers, a drawing of that table, and a caption on how to read it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from boundcheck.app.drawing import COLOURS, Figure, Row
from boundcheck.app.reporting.sources import Sources
from boundcheck.kernel.statement import Statement
from boundcheck.stored import decisions

#: Labels whose cells are tail curves, with the quantity on the horizontal axis.
TAILS = {
    "prop:p2-infinite-variance": "|Z|",
    "lem:hp-shared-directional-tail": "|Y - D f|",
    "lem:hp-shared-directional-signal-tail": "|D f|",
    "lem:hp-shared-directional-total-tail": "|Y|",
}
DEVIATIONS = {
    "lem:hp-shared-empirical-fluctuation": "fluctuation ||g - E g||",
    "cor:hp-shared-localized": "deviation ||g - grad f_mu||",
    "cor:hp-shared-localized-tuned": "deviation, tuned tau",
}
CURVES = 3  #: cells drawn for each tail lemma
BARS = 40  #: slack brackets drawn


def figures(catalogue: Mapping[str, Statement], sources: Sources) -> list[Figure]:
    """The figures for which data are stored."""
    found = [_slack(decisions.current(catalogue, sources.decisions.get("decisions", {})))]
    if sources.monte_carlo is not None:
        cells = [c for c in sources.monte_carlo["cells"] if c["kind"] == "claim"]
        found += [_tails(cells), _deviation(cells)]
    return [f for f in found if f.rows]


# ---------------------------------------------------------------- slack


def _slack(stored: Mapping[str, Any]) -> Figure:
    rows: list[Row] = []
    seen: set[str] = set()  # a form that two statements share is drawn once
    for label, record in stored.items():
        forms = [record, *([record["as_used"]] if record["as_used"] else [])]
        for entry in [record, *(s for form in forms for s in form["steps"])]:
            slack = entry["slack"]
            fresh = entry["name"] not in seen and slack is not None and slack[1] is not None
            if fresh and math.isfinite(slack[1]):
                seen.add(entry["name"])
                rows.append(("statement" if entry is record else "step", label, entry["name"], *slack))
    sharp = sum(1 for r in rows if _number(r[4]) < 1 + 1e-6)
    caption = (
        f"Claimed/true for every statement and every scalar proof step with a slack bracket ({len(rows)}): from the "
        f"certified lower end to an instance; 1 is sharp (here: {sharp} below 1.000001). A missing lower end is drawn "
        f"as an open left end. Drawn are the {min(BARS, len(rows))} loosest; all are in the data."
    )
    columns = ("kind", "label", "name", "low", "high")
    return Figure("slack", "How loose each bound is", caption, columns, tuple(rows), _draw_slack)


def _draw_slack(canvas: Any, rows: Sequence[Row]) -> None:
    shown = sorted(rows, key=lambda r: (-_number(r[4]), str(r[2])))[:BARS][::-1]
    canvas.set_size_inches(8, 1.4 + 0.19 * len(shown))
    axes = canvas.subplots()
    for y, (kind, _, _, low, high) in enumerate(shown):
        colour = COLOURS[1] if kind == "statement" else COLOURS[0]
        left = 1.0 if low is None else max(_number(low), 1e-3)
        axes.plot([left, _number(high)], [y, y], color=colour, linewidth=1, linestyle=":" if low is None else "-")
        axes.plot([_number(high)], [y], "o", color=colour, markersize=3.5)
        if low is not None:
            axes.plot([left], [y], "|", color=colour, markersize=6)
    axes.set_yticks(range(len(shown)), [str(r[2]) for r in shown], fontsize=7)
    axes.set_ylim(-0.8, len(shown) - 0.2)
    axes.set_xscale("log")
    axes.axvline(1, color="0.6", linewidth=0.8)
    axes.set_xlabel("slack = claimed / true (no unit, logarithmic); 1 is sharp")
    for kind, colour in (("statement", COLOURS[1]), ("step", COLOURS[0])):
        axes.plot([], [], "o-", color=colour, markersize=3.5, linewidth=1, label=kind)
    axes.legend(loc="lower right")
    axes.grid(axis="x", color="0.9", linewidth=0.6)


def _number(value: str | float | None) -> float:
    return float(value) if value is not None else math.nan


# ---------------------------------------------------------------- tails


def _tails(cells: Sequence[Mapping[str, Any]]) -> Figure:
    rows: list[Row] = []
    drawn = 0
    for label in TAILS:
        curves = [c for c in cells if c["label"] == label and len(c["rows"]) >= 5]
        places = dict.fromkeys((0, len(curves) // 2, len(curves) - 1)) if curves else {}
        for k in list(places)[:CURVES]:
            cell = curves[k]
            drawn += 1
            for r in cell["rows"]:
                numbers = (r["threshold"], r["claimed"], r["observed"], r["lower"], r["upper"])
                rows.append((label, cell["name"].removeprefix(label + "/"), cell["trials"], *numbers))
    caption = (
        f"P(quantity > t) for {drawn} of the simulated cells: the claimed bound (line) and the observed frequency "
        "(points) with its confidence limits. A bound that is attained runs through the points: an upper limit above "
        "the line is then no contradiction, a lower limit above it would be."
    )
    columns = ("label", "cell", "trials", "threshold", "claimed", "observed", "lower", "upper")
    return Figure("tails", "Simulated tails against the claimed bounds", caption, columns, tuple(rows), _draw_tails)


def _draw_tails(canvas: Any, rows: Sequence[Row]) -> None:
    labels = list(dict.fromkeys(str(r[0]) for r in rows))
    across = min(2, len(labels))
    canvas.set_size_inches(4.6 * across, 3.8 * -(-len(labels) // across))
    for axes, label in zip(
        canvas.subplots(-(-len(labels) // across), across, squeeze=False).flat, labels, strict=False
    ):
        names = list(dict.fromkeys(r[1] for r in rows if r[0] == label))
        for colour, name in zip(COLOURS, names, strict=False):
            curve = [[_number(v) for v in r[3:]] for r in rows if r[0] == label and r[1] == name]
            x, claimed, seen, low, high = (list(column) for column in zip(*curve, strict=True))
            axes.plot(x, claimed, "-", color=colour, linewidth=1)
            points = [
                (t, s, max(s - a, 0.0), max(b - s, 0.0))
                for t, s, a, b in zip(x, seen, low, high, strict=True)
                if s > 0
            ]
            if points:
                t, s, below, above = zip(*points, strict=True)
                axes.errorbar(t, s, (below, above), fmt="o", color=colour, markersize=2.5, linewidth=0.8, label=name)
            else:
                axes.plot([], [], "o-", color=colour, markersize=2.5, label=f"{name}: never exceeded")
        least = min(v for r in rows if r[0] == label for v in map(_number, r[4:6]) if v > 0)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(least / 30, 2)
        axes.set_xlabel(f"t, level of {TAILS[label]} (units of the slope)")
        axes.set_ylabel("probability of exceeding t")
        axes.set_title(label)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17))  # data fill the panel down to its floor
        axes.grid(color="0.92", linewidth=0.6)


# ---------------------------------------------------------------- deviation


def _deviation(cells: Sequence[Mapping[str, Any]]) -> Figure:
    rows: list[Row] = []
    for label in DEVIATIONS:
        for cell in cells:
            quantile = cell.get("quantile")
            if cell["label"] == label and quantile is not None and quantile["high"] is not None:
                name = cell["name"].removeprefix(label + "/")
                rows.append((label, name, *(quantile[k] for k in ("level", "low", "high", "bound"))))
    ratios = sorted(_number(r[5]) / _number(r[4]) for r in rows)
    told = f"; bound/quantile lies between {ratios[0]:.3g} and {ratios[-1]:.3g}" if ratios else ""
    caption = (
        f"The theorem's bound against the observed (1 - q)-quantile of the distance, q the claimed failure "
        f"probability, for {len(rows)} cells{told}. Bars: confidence limits of the quantile on its ladder of "
        "thresholds. On the lowest line the bound would equal the quantile."
    )
    columns = ("label", "cell", "level", "quantile_low", "quantile_high", "bound")
    title = "Observed deviation quantiles against the theorem"
    return Figure("deviation", title, caption, columns, tuple(rows), _draw_deviation)


def _draw_deviation(canvas: Any, rows: Sequence[Row]) -> None:
    canvas.set_size_inches(6.2, 4.6)
    axes = canvas.subplots()
    for colour, label in zip(COLOURS, DEVIATIONS, strict=False):
        mine = [[_number(v) for v in r[3:]] for r in rows if r[0] == label]
        if not mine:
            continue
        points = [(h, b, h - (low if low > 0 else h / 2**0.125)) for low, h, b in mine]
        x, y, left = zip(*points, strict=True)
        zeros = [0.0] * len(x)
        axes.errorbar(
            x, y, xerr=(left, zeros), fmt="o", color=colour, markersize=3, linewidth=0.8, label=DEVIATIONS[label]
        )
    seen = [_number(r[4]) for r in rows]
    ends = min(seen), max(seen)
    for factor in (1, 10, 100):
        values = [factor * x for x in ends]
        axes.plot(ends, values, color="0.7", linewidth=0.8, linestyle="-" if factor == 1 else ":")
        told = "bound = quantile" if factor == 1 else f"{factor} times"
        axes.annotate(f" {told}", (ends[1], values[1]), fontsize=7, color="0.4", va="center")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("observed (1 - q)-quantile of the distance (units of the gradient)")
    axes.set_ylabel("bound of the statement (units of the gradient)")
    axes.legend(loc="lower right")
    axes.grid(color="0.92", linewidth=0.6)
