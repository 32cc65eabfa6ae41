"""The figures of the controlled experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from proofs_numeric.experiments.controlled_settings import METHOD_NAMES, METHODS, RAW, SCALAR, VECTOR
from proofs_numeric.experiments.experiment_figures import Data, Drawn, Table

RC = {"lines.linewidth": 1.4, "lines.markersize": 5, "svg.hashsalt": "controlled experiment"}
STYLE: dict[str, dict[str, Any]] = {
    RAW: {"linestyle": ":", "marker": "s", "color": "0.0"},
    VECTOR: {"linestyle": "--", "marker": "^", "color": "0.25"},
    SCALAR: {"linestyle": "-", "marker": "o", "color": "0.0"},
}
SAME = 1e-6  #: cosines closer than this fall into the same bins
NORM = r"$\|\nabla f(x_T)\|_2 = \|x_T\|_2$"


def _target(axes: Axes, epsilon: float) -> None:
    axes.axhline(epsilon, color="0.6", linewidth=0.8, linestyle=(0, (6, 2, 1, 2)))
    axes.annotate(
        rf"$\epsilon$ = {epsilon:g}",
        (1.0, epsilon),
        xycoords=("axes fraction", "data"),
        xytext=(2, 0),
        textcoords="offset points",
        va="center",
        fontsize=7.5,
        color="0.35",
    )


def _plain_decades(axes: Axes, subdivisions: tuple[float, ...] = (1, 2, 5)) -> None:
    """Logarithmic axis labelled 0.1, 0.2, 0.5, 1, ..."""
    axes.yaxis.set_major_locator(ticker.LogLocator(subs=subdivisions))
    axes.yaxis.set_major_formatter(ticker.StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_locator(ticker.NullLocator())


def _ticks(axes: Axes, values: Sequence[float]) -> None:
    axes.set_xticks(values, [f"{v:g}" for v in values])
    axes.xaxis.set_minor_locator(ticker.NullLocator())


def _above(axes: Axes, x: float, text: str) -> None:
    axes.annotate(text, (x, 1.0), xycoords=("data", "axes fraction"), ha="center", fontsize=7.5, va="bottom")


def _trajectories(data: Data, figure: Figure) -> Table:
    curves, axes = data["curves"], figure.subplots()
    t = np.array(curves["t"])
    for method in METHODS:
        curve = curves[method]
        axes.fill_between(t, curve["low"], curve["high"], color="0.82", linewidth=0)
    for method in METHODS:
        every = max(1, t.size // 10)
        axes.plot(t, curves[method]["median"], **STYLE[method], markevery=every, label=METHOD_NAMES[method])
    _target(axes, data["settings"]["epsilon"])
    axes.set(yscale="log", xlabel="iteration t", ylabel=r"$\|\nabla f(x_t)\|_2 = \|x_t\|_2$", xlim=(0, t[-1]))
    _plain_decades(axes)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, fontsize=8)
    header = ["t", *(f"{m}_{q}" for m in METHODS for q in ("lower_quartile", "median", "upper_quartile"))]
    columns = [curves["t"], *(curves[m][q] for m in METHODS for q in ("low", "median", "high"))]
    return header, list(zip(*columns, strict=True))


def _cosines(data: Data, figure: Figure) -> Table:
    cosine, axes = data["cosine"], figure.subplots()
    samples = {m: np.array(cosine[m]["values"]) for m in METHODS}
    pooled = np.concatenate(list(samples.values()))
    edges = np.linspace(pooled.min(), pooled.max(), 41)
    widths = {RAW: 3.2, VECTOR: 1.4, SCALAR: 1.4}
    shades = {RAW: "0.7", VECTOR: "0.0", SCALAR: "0.0"}
    for method in METHODS:
        line: dict[str, Any] = {"linestyle": "-" if method != VECTOR else "--", "linewidth": widths[method]}
        axes.hist(
            samples[method], list(edges), histtype="step", label=METHOD_NAMES[method], color=shades[method], **line
        )
        median = cosine[method]["median"]
        if method != VECTOR:
            axes.axvline(median, color="0.5", linewidth=0.8, linestyle=":")
            _above(axes, median, f"median {median:.3f}")
    axes.set(xlabel=r"cosine between $g$ and $\nabla f(x)$", ylabel=f"batches (of {cosine['batches']})")
    axes.legend(loc="upper left", fontsize=8)
    return list(METHODS), list(zip(*(cosine[m]["values"] for m in METHODS), strict=True))


def _sweep(cells: Sequence[Mapping[str, Any]], axis: str, axes: Axes) -> None:
    for k, method in enumerate(METHODS):
        mine = [c for c in cells if c["method"] == method]
        x = np.array([c[axis] for c in mine], dtype=float)
        shift = x * (1 + 0.02 * (k - 1))
        for position, cell in zip(shift, mine, strict=True):
            if cell["band"]:
                axes.vlines(position, *cell["band"], color="0.55", linewidth=4, alpha=0.6)
        axes.plot(shift, [c["median"] for c in mine], **STYLE[method], label=METHOD_NAMES[method])
        paper = [(s, c["paper"]) for s, c in zip(shift, mine, strict=True) if c["paper"] is not None]
        if paper:
            label = "the paper's numbers" if k == len(METHODS) - 1 else None
            axes.plot(*zip(*paper, strict=True), "x", color="0.0", markersize=8, markeredgewidth=1, label=label)


def _sweep_figure(data: Data, figure: Figure, axis: str, fixed: str, at: str, label: str) -> Table:
    left, right = figure.subplots(1, 2)
    cells, success = ([c for c in data[part] if c[fixed] == data["settings"][at]] for part in ("cells", "success"))
    ticks = sorted({c[axis] for c in cells})
    _sweep(cells, axis, left)
    _target(left, data["settings"]["epsilon"])
    left.set(yscale="log", ylabel=f"median final {NORM}")
    _plain_decades(left)
    for k, method in enumerate(METHODS):
        mine = [c for c in success if c["method"] == method]
        x = np.array([c[axis] for c in mine], dtype=float) * (1 + 0.02 * (k - 1))
        rate = np.array([c["further_rate"] for c in mine])
        limits = np.array([c["further_interval"] for c in mine])
        right.errorbar(x, 100 * rate, 100 * np.abs(limits.T - rate), ecolor="0.6", capsize=2, **STYLE[method])
    right.set(ylabel=r"success rate, $\|x_T\|_2 \leq \epsilon$ (%)", ylim=(-4, 104))
    for axes in (left, right):
        axes.set(xscale="log", xlabel=label)
        _ticks(axes, ticks)
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, fontsize=8)
    header = [
        axis,
        "method",
        "median",
        "band_low",
        "band_high",
        "paper",
        "success_rate",
        "success_low",
        "success_high",
    ]
    rows = [
        [
            c[axis],
            c["method"],
            c["median"],
            *(c["band"] or ("", "")),
            c["paper"],
            s["further_rate"],
            *s["further_interval"],
        ]
        for c, s in zip(cells, success, strict=True)
    ]
    return header, rows


def _tuning_curves(data: Data, figure: Figure) -> Table:
    left, right = figure.subplots(1, 2, sharey=True)
    lower = bool(data["settings"]["lower_alphas"])
    for axes, method, symbol in ((left, SCALAR, r"scalar threshold $\tau$"), (right, VECTOR, r"radius $r_{\rm vec}$")):
        mine = [row for row in data["tuning"] if row["method"] == method]
        levels = [row["level"] for row in mine]
        axes.plot(levels, [row["fitted"]["value"] for row in mine], **STYLE[method], label="fitted step sizes")
        if lower:
            values = [row["wider"]["value"] for row in mine]
            axes.plot(levels, values, color="0.5", linestyle="-.", marker="x", label="lower step sizes added")
        for row in mine:
            axes.annotate(
                f"{row['fitted']['alpha']:g}",
                (row["level"], row["fitted"]["value"]),
                xytext=(0, 5),
                textcoords="offset points",
                fontsize=7,
                ha="center",
            )
        _target(axes, data["settings"]["epsilon"])
        axes.set(xscale="log", yscale="log", xlabel=symbol, title=METHOD_NAMES[method])
        _ticks(axes, levels)
        axes.legend(fontsize=8, loc="upper left")
    _plain_decades(left, (1, 1.5, 2, 3, 5, 7))
    left.set_ylabel(f"best validation {data['settings']['criterion']} of {NORM}")
    header = ["method", "level", "fitted_grid_alpha", "fitted_grid_value", "wider_grid_alpha", "wider_grid_value"]
    rows = [
        [r["method"], r["level"], r["fitted"]["alpha"], r["fitted"]["value"], r["wider"]["alpha"], r["wider"]["value"]]
        for r in data["tuning"]
    ]
    return header, rows


def _dominance(data: Data, figure: Figure) -> Table:
    dominance, axes = data["dominance"], figure.subplots()
    axes.hist(dominance["values"], 40, color="0.8", edgecolor="0.0", linewidth=0.6)
    axes.axvline(dominance["median"], color="0.0", linestyle="--", linewidth=1)
    _above(axes, dominance["median"], f"median {dominance['median']:.2f}")
    axes.set(
        xlabel=r"$\log_{10}(\max_\ell |Y_\ell| \,/\, \mathrm{median}_\ell |Y_\ell|)$",
        ylabel=f"batches (of {dominance['batches']})",
    )
    return ["log10_max_over_median"], [[v] for v in dominance["values"]]


def _floors(data: Data, figure: Figure) -> Table:
    axes, rows = figure.subplots(), data["floors"]["rows"]
    filled = {RAW: "0.0", VECTOR: "none", SCALAR: "0.6"}
    for method in METHODS:
        mine = [r for r in rows if r["method"] == method]
        axes.errorbar(
            [r["refined"] for r in mine],
            [r["refined_ratio"] for r in mine],
            [2 * r["error"] * r["refined_ratio"] for r in mine],
            linestyle="none",
            marker=STYLE[method]["marker"],
            color="0.0",
            ecolor="0.75",
            elinewidth=0.8,
            markerfacecolor=filled[method],
            markersize=4,
            markeredgewidth=0.7,
            label=METHOD_NAMES[method],
        )
    agreement = data["floors"]["agreement"]
    axes.axhspan(1 - agreement, 1 + agreement, color="0.92", linewidth=0)
    axes.axhline(1, color="0.4", linewidth=0.8)
    axes.set(xlabel="predicted floor", ylabel="measured / predicted", ylim=(0.8, 1.25))
    if rows:  # a short run has no configuration in stationarity
        axes.set_xscale("log")
    axes.legend(fontsize=8, loc="upper left", ncols=3)
    header = ["method", "d", "p", "alpha", "level", "relaxations", "leading", "refined", "measured", "error", "seeds"]
    return header, [[r[key] for key in header] for r in rows]


def words(data: Data) -> dict[str, Any]:
    """What captions say beside the data."""
    s, r, agreement = data["settings"], data["representative"], data["floors"]["agreement"]
    source = f"{s['band_seeds']} further seeds" if s["band_seeds"] else "the evaluation seeds"
    same = data["cosine"]["vector_minus_raw"] < SAME
    return {
        "where": f"d = {r['d']}, p = {r['p']:g}, M = {s['batch']}, T = {s['steps']}",
        "bands": f"{100 * s['coverage']:g} % bands of a {s['evaluation_seeds']}-seed median from {source}",
        "histograms": "The vector-clipped histogram (dashed) lies on the raw one (wide, grey)."
        if same
        else "Dashed: vector-clipped; wide and grey: raw.",
        "within": 100 * agreement,
    }


FIGURES = {
    "trajectories": Drawn(
        _trajectories,
        "||x_t|| against the iteration, median and quartiles (grey) over {settings[evaluation_seeds]} evaluation "
        "seeds; {where}. Logarithmic axis; x is dimensionless.",
        (5.2, 3.4),
        "fig:representative-optimization",
    ),
    "cosines": Drawn(
        _cosines,
        "Cosine between each estimator and the gradient at ||x|| = {cosine[norm]:g}, over {cosine[batches]} batches; "
        "{where}; tau = {cosine[tau]:g}, r_vec = {cosine[radius]:g}. {histograms}",
        (5.2, 3.2),
        "fig:direction-diagnostic",
    ),
    "dimension_sweep": Drawn(
        partial(_sweep_figure, axis="d", fixed="p", at="dimension_sweep_p", label="dimension d"),
        "Left: median final ||x_T|| against d at p = {settings[dimension_sweep_p]:g}, with the paper's numbers "
        "(crosses) and {bands} (grey bars). Right: success rate with confidence limits. Points are shifted sideways "
        "to keep them apart.",
        (7.2, 3.2),
        "fig:dimension-sweep",
    ),
    "tail_sweep": Drawn(
        partial(_sweep_figure, axis="p", fixed="d", at="tail_sweep_d", label="Pareto tail exponent p"),
        "The same against p at d = {settings[tail_sweep_d]}. Left: median final ||x_T||, the paper's numbers "
        "(crosses), {bands} (grey bars). Right: success rate.",
        (7.2, 3.2),
        "fig:tail-sweep",
    ),
    "tuning": Drawn(
        _tuning_curves,
        "Best validation value over step sizes for each clipping level, {settings[tuning_seeds]} validation seeds; "
        "{where}. Numbers at the points: the step size chosen from the fitted grid.",
        (7.2, 3.2),
        "fig:fair-tuning",
    ),
    "dominance": Drawn(
        _dominance,
        "log10 of the largest over the median |Y| of a batch, {dominance[batches]} batches at "
        "||x|| = {dominance[norm]:g}; {where}.",
        (5.2, 3.0),
        "fig:outlier-diagnostic",
    ),
    "floors": Drawn(
        _floors,
        "Measured over predicted stationary floor (refined closed forms), every configuration with "
        "alpha kappa t >= {floors[relaxations]:g}; bars: two standard errors; grey: within {within:g} %.",
        (5.2, 3.4),
        "docs/controlled.md",
    ),
}
