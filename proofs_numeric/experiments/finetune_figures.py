"""The figures of the fine-tuning experiment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from proofs_numeric.experiments.experiment_figures import Data, Drawn, Table
from proofs_numeric.experiments.finetune_settings import LOSSES, RAW, REDUCED, SCALAR, SCOPES, VECTOR

STYLE = {"lines.linewidth": 1.3, "lines.markersize": 4.5, "svg.hashsalt": "fine-tuning experiment"}
LINES = {RAW: ":", SCALAR: "-", VECTOR: "--", REDUCED: "-."}
MARKS = ("o", "s", "^", "D", "v", "P")


def _panels(data: Data, figure: Figure) -> dict[tuple[str, str], Axes]:
    """One panel for each scope (row) and loss (column)."""
    scopes, losses = data["settings"]["scopes"], data["settings"]["losses"]
    figure.set_size_inches(4.1 * len(losses), 2.9 * len(scopes) + 0.5)
    grid = figure.subplots(len(scopes), len(losses), squeeze=False, sharey="row")
    panels = {(s, w): grid[i, j] for i, s in enumerate(scopes) for j, w in enumerate(losses)}
    for (scope, loss), axes in panels.items():
        axes.set_title(f"{SCOPES[scope]}, {LOSSES[loss]} loss", fontsize=9)
    return panels


def _methods(data: Data) -> dict[tuple[str, str, str], Mapping[str, Any]]:
    return {(a["scope"], a["loss"], a["name"]): a for a in data["arms"]}


def _shown(arm: Mapping[str, Any]) -> bool:
    """What the paper compares, and what tells clipping from a smaller step."""
    return not (arm["fresh"] or arm["equal"] or (arm["method"] in (RAW, REDUCED) and arm["M"] > 1))


def curves(data: Data, figure: Figure) -> Table:
    """Validation loss over the steps."""
    arms, rows = _methods(data), []
    panels = _panels(data, figure)
    names: list[str] = []
    for c in data["curves"]:
        arm = arms[c["scope"], c["loss"], c["name"]]
        if not _shown(arm):
            continue
        if c["name"] not in names:
            names.append(c["name"])
        axes = panels[c["scope"], c["loss"]]
        points = [(t, v) for t, v in zip(c["steps"], c["validation_loss"], strict=True) if v is not None]
        mark = MARKS[names.index(c["name"]) % len(MARKS)]
        shade = "0.0" if arm["method"] == SCALAR else "0.45"
        axes.plot(
            *zip(*points, strict=True), linestyle=LINES[arm["method"]], marker=mark, color=shade, label=c["name"]
        )
        rows += [
            (c["scope"], c["loss"], c["name"], t, v, *(seed[k] for seed in c["validation_loss_by_seed"]))
            for k, (t, v) in enumerate(zip(c["steps"], c["validation_loss"], strict=True))
        ]
    start = data["curves"][0]["validation_loss"][0]
    for axes in panels.values():
        axes.set_xlabel("step")
        axes.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
        low, high = axes.get_ylim()
        axes.set_ylim(low, min(high, 1.25 * start))  # a run that diverges leaves the picture
    for row in {id(a): a for a in panels.values()}.values():
        place = row.get_subplotspec()
        if place is not None and place.is_first_col():
            row.set_ylabel("validation loss")
    handles = {str(h.get_label()): h for axes in panels.values() for h in axes.get_lines()}
    figure.legend(list(handles.values()), list(handles), loc="outside lower center", ncols=2)
    seeds = [f"seed {k}" for k in range(data["settings"]["seeds"])]
    return ("scope", "loss", "method", "step", "mean validation loss", *seeds), rows


def gradients(data: Data, figure: Figure) -> Table:
    """Kurtosis of Y over training, and the fraction clipped."""
    scopes = data["settings"]["scopes"]
    figure.set_size_inches(8.2, 2.9 * len(scopes))
    grid = figure.subplots(len(scopes), 2, squeeze=False)
    arms, rows = _methods(data), []
    for i, scope in enumerate(scopes):
        left, right = grid[i]
        left.set_title(f"{SCOPES[scope]}: kurtosis of Y", fontsize=9)
        left.axhline(3, color="0.6", linewidth=0.8)
        left.set_yscale("log")
        series: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for row in data["tails"]:
            if row["scope"] == scope:
                series.setdefault((row["name"], row["loss"]), []).append(row)
        for k, ((name, loss), points) in enumerate(series.items()):
            values = [p["kurtosis"] for p in points]
            line = "-" if loss == "clean" else "--"
            left.plot(
                range(len(values)), values, line, marker=MARKS[k % 6], color="0.0", label=f"{name}, {LOSSES[loss]}"
            )
            rows += [("kurtosis", scope, loss, name, p["part"], p["kurtosis"], p["hill"]) for p in points]
        parts = [p["part"] for p in next(iter(series.values()))]
        left.set_xticks(range(len(parts)), parts)
        left.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        left.yaxis.set_major_formatter(ticker.ScalarFormatter())
        left.yaxis.set_minor_formatter(ticker.NullFormatter())
        left.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
        right.set_title(f"{SCOPES[scope]}: fraction clipped", fontsize=9)
        right.set_ylim(-0.03, 1.03)
        drawn = 0
        for c in data["curves"]:
            arm = arms[c["scope"], c["loss"], c["name"]]
            if c["scope"] != scope or arm["method"] != SCALAR or arm["fresh"]:
                continue
            line = "-" if c["loss"] == "clean" else "--"
            label = f"M={arm['M']}, {LOSSES[c['loss']]}, tau={arm['tau']:g}"
            right.plot(c["block_ends"], c["clipped"], line, marker=MARKS[drawn % 6], color="0.0", label=label)
            drawn += 1
            rows += [
                ("fraction clipped", scope, c["loss"], c["name"], t, v, "")
                for t, v in zip(c["block_ends"], c["clipped"], strict=True)
            ]
        right.set_xlabel("step")
        right.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
        right.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
    return ("quantity", "scope", "loss", "method", "part or step", "value", "Hill estimate"), rows


FIGURES = {
    "finetune_curves": Drawn(
        curves,
        "Validation loss (clean, whatever is trained on), mean over the seeds; lr and tau chosen for each method.",
    ),
    "finetune_gradients": Drawn(
        gradients,
        "Kurtosis of the projected gradient Y of the raw runs (line: 3, a normal law) and the fraction of the scalars "
        "that RSC-ZO clips.",
    ),
}
