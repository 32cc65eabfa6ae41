"""The slack ledger of the main theorems as a waterfall: what each step of the proof loses, and what that comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from boundcheck.app.commands.output import shortened
from boundcheck.app.drawing import COLOURS, Figure, Row
from boundcheck.app.reporting.figures import DEVIATIONS
from boundcheck.app.reporting.losses import SHARP, Loss, losses, product
from boundcheck.app.reporting.sources import Sources
from boundcheck.kernel.statement import Statement
from boundcheck.stored import decisions

ROOTS = ("thm:hp-shared-clipped", "thm:momentum-main", "app:sharp-convergence", "app:sharp-momentum")
NAME = "waterfall"
#: what the caption adds where the deviation bound was simulated
SEEN = (
    ": compare the last row of the first panel, the deviation bound against simulation, "
    "which is an observation and no certificate"
)
TEXT = 46  #: characters of an assertion beside its bar
_STEP, _OPEN, _TOTAL, _SEEN = COLOURS[0], COLOURS[4], COLOURS[1], COLOURS[2]


class Bar(NamedTuple):
    """A row of the ledger: a bracket, the certified product of a theorem, or what simulation saw."""

    theorem: str
    entry: str
    counted: str
    kind: str
    assertion: str
    slack_low: float | None
    slack_high: float | None
    product_before: float
    product_after: float
    note: str

    @property
    def low(self) -> float:
        """The certified end, at least 1."""
        return max(self.slack_low or 1.0, 1.0)

    @property
    def high(self) -> float:
        """The open end, at least the certified one."""
        return max(self.low, self.slack_high or self.low)

    @property
    def lost(self) -> str:
        """The factor lost in four digits, one number where both ends agree in them."""
        low, high = f"{self.low:.4g}", f"{self.high:.4g}"
        return low if low == high else f"{low} .. {high}"

    @property
    def label(self) -> str:
        """The statement whose step, or which itself, is bracketed."""
        return self.entry.split("/")[0]


def waterfall(catalogue: Mapping[str, Statement], sources: Sources) -> Figure:
    """One row for each bracket of the ledgers, in the order of the proofs; the measured ratio has its own row."""
    current = decisions.current(catalogue, sources.decisions.get("decisions", {}))
    rows = [bar for root in ROOTS if root in current for bar in _ledger(root, losses(root, catalogue, current))]
    seen = _measured(sources) if rows else []
    rows += seen
    sharp = sum(r.counted == "yes" and r.kind != "measured" and r.high < SHARP for r in rows)
    caption = (
        "Each bar is the factor by which the right side of one step can be divided, with nothing else changed, on its "
        "whole domain: certified (filled) up to an instance (open; a long open bar says that it is not known how much "
        "is lost). A lemma about all laws stands for its proof, measured against the exact supremum over laws. Bars "
        "start where the product of the certified factors before them ends. What the product means: were every factor "
        "to multiply the whole bound, mending all of these steps would divide the bound by it. What it does not mean: "
        "the looseness of the theorem. A factor that acts on one summand, under a root, or on one constant of a "
        "quadratic form is worth less; away from its least a step may lose more; and steps without a scalar bracket "
        "(the Bernstein and Bennett inequalities, the triangle inequality, the union bound, the worst law against a "
        f"given one) lose what is not counted here{SEEN if seen else ''}. {sharp} further counted brackets end below "
        f"1.000001 and are not drawn, nor are {sum(r.counted == 'no' for r in rows)} that only secure a sign or a "
        "domain; all are in the data."
    )
    title = "Slack ledger of the main theorems and of their sharper forms: which step loses what"
    return Figure(NAME, title, caption, Bar._fields, tuple(rows), _draw)


def _ledger(root: str, found: Sequence[Loss]) -> list[Bar]:
    rows: list[Bar] = []
    level = 1.0
    for loss in found:
        after = level * loss.certified if loss.factor else level
        kind = "whole lemma" if loss.whole else "one constant" if loss.constant else "step"
        counted = "yes" if loss.factor else "no"
        rows.append(Bar(root, loss.name, counted, kind, loss.claim, loss.low, loss.high, level, after, loss.note))
        level = after
    total = product(found)
    return [
        *rows,
        Bar(root, "product", "yes", "product", "certified factors multiplied", total, total, 1.0, total, ""),
    ]


def _measured(sources: Sources) -> list[Bar]:
    """Bound over observed quantile, over all simulated cells of the deviation bound."""
    ratios = [
        c["quantile"]["bound"] / c["quantile"]["high"]
        for c in sources.cells
        if c["kind"] == "claim" and c["label"] in DEVIATIONS and (c.get("quantile") or {}).get("high")
    ]
    if not ratios:
        return []
    what = f"deviation bound / observed quantile, {len(ratios)} cells"
    return [Bar(ROOTS[0], "simulation", "yes", "measured", what, min(ratios), max(ratios), 1.0, min(ratios), "")]


def _shown(bars: Sequence[Bar], root: str) -> list[Bar]:
    """The rows of a theorem that a reader needs to see: counted, and not plainly sharp."""
    return [r for r in bars if r.theorem == root and r.counted == "yes" and (r.high >= SHARP or r.kind == "product")]


def tables(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The same for readers: for each theorem what is counted, and the conditions that are not."""
    bars = list(map(Bar._make, rows))
    return [
        {
            "theorem": total.theorem,
            "product": total.lost,
            "rows": (counted := [r for r in _shown(bars, total.theorem) if r.kind not in ("product", "measured")]),
            "worst": sorted(counted, key=lambda r: -r.low)[:3],
            "conditions": [
                f"{r.entry} ({r.lost})"
                for r in bars
                if r.theorem == total.theorem and r.counted == "no" and r.low >= SHARP
            ],
        }
        for total in bars
        if total.kind == "product"
    ]


def short(name: str) -> str:
    """A label as it fits beside a bar."""
    return name.replace("hp-shared-", "hp-").replace("momentum-", "mom-").replace("directional-", "dir-")


def _beside(bar: Bar) -> str:
    claim, note = (" ".join(text.split()) for text in (bar.assertion, bar.note))
    text = note if len(claim) > TEXT and note else claim
    return f"{short(bar.entry)}\n{shortened('one constant: ' * (bar.kind == 'one constant') + text, TEXT)}"


def _draw(canvas: Any, rows: Sequence[Row]) -> None:
    bars = list(map(Bar._make, rows))
    panels = [(root, _shown(bars, root)) for root in ROOTS if any(r.theorem == root for r in bars)]
    sizes = [len(p) for _, p in panels]
    canvas.set_size_inches(8.6, 1.6 + 0.42 * sum(sizes) + 0.5 * len(sizes))
    grid = canvas.subplots(len(panels), 1, squeeze=False, gridspec_kw={"height_ratios": [n + 0.5 for n in sizes]})
    for axes, (root, panel) in zip(grid.flat, panels, strict=True):
        _panel(axes, root, panel)
    grid.flat[0].legend(
        handles=[_patch(_STEP, "certified"), _patch(_OPEN, "open: up to an instance"), _patch(_TOTAL, "product"),
                 _patch(_SEEN, "measured")],
        loc="lower center", bbox_to_anchor=(0.3, 1.0), borderaxespad=3, ncols=4,  # above the panel's title
    )  # fmt: skip
    grid.flat[-1].set_xlabel("factor lost = claimed / true (no unit, logarithmic axis)")


def _patch(colour: str, label: str) -> Any:
    from matplotlib.patches import Patch

    return Patch(facecolor=colour, edgecolor=colour, label=label)


def _panel(axes: Any, root: str, panel: Sequence[Bar]) -> None:
    right = 1.0
    for place, row in enumerate(panel):
        low, high, start = row.low, row.high, row.product_before
        colour = {"product": _TOTAL, "measured": _SEEN}.get(row.kind, _STEP)
        axes.barh(place, start * low - start, left=start, height=0.5, color=colour)
        if high > low * SHARP:
            edge = colour if row.kind == "measured" else _OPEN
            axes.barh(
                place, start * (high - low), left=start * low, height=0.5, fill=False, edgecolor=edge, hatch="///"
            )
        axes.annotate(f"  x {row.lost}", (start * high, place), va="center", fontsize=7)
        if place + 1 < len(panel) and panel[place + 1].kind not in ("product", "measured"):
            axes.plot([start * low] * 2, [place - 0.25, place + 1.25], color="0.4", linewidth=0.6)
        right = max(right, start * high)
    axes.set_yticks(range(len(panel)), [_beside(r) for r in panel], fontsize=6.5)
    axes.set_ylim(len(panel) - 0.4, -0.6)
    axes.set_xscale("log")
    axes.set_xlim(0.97, right * 2.2)
    ticks = [t for t in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if t < right * 2.2]
    axes.set_xticks(ticks, list(map(str, ticks)))
    axes.minorticks_off()
    axes.axvline(1, color="0.3", linewidth=0.8)
    axes.set_title(root, loc="left", fontweight="bold")
    axes.grid(axis="x", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
