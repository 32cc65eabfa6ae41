"""The proof graph: which statement rests on which, with verdicts, as a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from boundcheck.kernel.statement import Statement
from boundcheck.reporting.figures import Figure, Row

#: verdict -> (fill, mark): the mark makes the figure readable without colour.
_LOOKS = {
    "ASSUMED": ("#e8e8e8", "A"),
    "CITED": ("#cfe8f7", "C"),
    "PROVED": ("#c9eadf", "P"),
    "REPAIRED": ("#fbe3a6", "R"),
    "REFUTED": ("#f4b8a0", "X"),
}
_OTHER = ("#ffffff", "?")
_WIDTH, _HEIGHT = 1.75, 0.42  #: inches of a column and of a row
_FONT = 7.5  #: points
_LETTER = 0.54 * _FONT / 72  #: inches of a letter, roughly


def graph(catalogue: Mapping[str, Statement], decisions: Mapping[str, Any]) -> Figure:
    """One row an arrow (statement, its verdict, what it rests on); a statement that rests on nothing has one row."""
    rows: list[Row] = []
    for label, statement in catalogue.items():
        verdict = decisions[label]["verdict"] if label in decisions else "not decided"
        forms = [statement]
        while forms[-1].as_used is not None:
            forms.append(forms[-1].as_used)
        cited = dict.fromkeys(c for form in forms for c in form.cites)
        rows += [(label, verdict, c) for c in cited] or [(label, verdict, None)]
    caption = (
        "An arrow points from what a statement rests on to the statement; columns run towards the theorems. Arrows "
        "from the assumptions are left out (they are in the data), and statements below stand alone. Marks and fills: "
        "A assumed, C cited from the literature, P proved, R repaired (the printed form fails or has no truth value, "
        "the form that its uses need is proved), X refuted, ? not decided."
    )
    return Figure("graph", "The proof graph", caption, ("statement", "verdict", "rests on"), tuple(rows), _draw)


def _arrows(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """(premise, conclusion) for all but the assumptions, on which nearly everything rests."""
    assumed = {str(label) for label, verdict, _ in rows if verdict == "ASSUMED"}
    return [(str(cited), str(label)) for label, _, cited in rows if cited is not None and cited not in assumed]


def _columns(arrows: Sequence[tuple[str, str]]) -> dict[str, int]:
    """How far a statement stands before the last theorem: just before the first of its uses."""
    uses: dict[str, list[str]] = {}
    for premise, conclusion in arrows:
        uses.setdefault(premise, []).append(conclusion)
        uses.setdefault(conclusion, [])
    columns: dict[str, int] = {}

    def column(label: str) -> int:
        if label not in columns:
            columns[label] = max((column(u) + 1 for u in uses[label]), default=0)
        return columns[label]

    for label in uses:
        column(label)
    return columns


def _places(rows: Sequence[Row]) -> dict[str, tuple[float, float]]:
    """Columns from right to left by use, each ordered by the mean height of the uses; the rest in rows below."""
    arrows = _arrows(rows)
    columns = _columns(arrows)
    last = max(columns.values(), default=0)
    places: dict[str, tuple[float, float]] = {}
    for column in range(last + 1):
        members = [label for label in columns if columns[label] == column]

        def height(label: str) -> float:
            known = [places[c][1] for p, c in arrows if p == label and c in places]
            return sum(known) / len(known) if known else 0.0

        members.sort(key=lambda label: (height(label), label))
        middle = (len(members) - 1) / 2
        for k, label in enumerate(members):
            places[label] = ((last - column) * _WIDTH, k - middle)
    bottom = min((y for _, y in places.values()), default=0.0) - 2
    alone = [label for label in dict.fromkeys(str(r[0]) for r in rows) if label not in places]
    for k, label in enumerate(alone):
        places[label] = (k % (last + 1) * _WIDTH, bottom - k // (last + 1))
    return places


def _draw(canvas: Any, rows: Sequence[Row]) -> None:
    places = _places(rows)
    verdicts = {str(label): str(verdict) for label, verdict, _ in rows}
    left, right = min(x for x, _ in places.values()), max(x for x, _ in places.values())
    low, high = min(y for _, y in places.values()), max(y for _, y in places.values())
    canvas.set_size_inches(right - left + _WIDTH, (high - low + 2) * _HEIGHT)
    axes = canvas.subplots()
    axes.set_axis_off()
    texts = {label: _text(label, verdicts.get(label, "")) for label in places}
    half = {k: max(map(_length, text.split("\n"))) * _LETTER / 2 + 0.04 for k, text in texts.items()}
    for premise, conclusion in _arrows(rows):
        (x0, y0), (x1, y1) = places[premise], places[conclusion]
        arrow = {"arrowstyle": "-|>", "lw": 0.6, "color": "#777777", "shrinkA": 0, "shrinkB": 0, "mutation_scale": 7}
        axes.annotate("", (x1 - half[conclusion], y1), (x0 + half[premise], y0), arrowprops=arrow, zorder=1)
    for label, (x, y) in places.items():
        fill, _ = _LOOKS.get(verdicts.get(label, ""), _OTHER)
        box = {"boxstyle": "round,pad=0.2", "fc": fill, "ec": "#444444", "lw": 0.6}
        axes.text(x, y, texts[label], ha="center", va="center", fontsize=_FONT, linespacing=1.0, bbox=box, zorder=2)
    axes.set_xlim(left - _WIDTH / 2, right + _WIDTH / 2)
    axes.set_ylim(low - 1, high + 1)


def _text(label: str, verdict: str) -> str:
    """The mark of a verdict and a label, shortened, in two lines."""
    _, mark = _LOOKS.get(verdict, _OTHER)
    short = label.replace("hp-shared-", "hp-").replace("momentum-", "mom-").replace("directional-", "dir-")
    kind, colon, name = short.rpartition(":")
    return f"{mark}  {kind}{colon}\n{name}" if kind else f"{mark}\n{name}"


def _length(line: str) -> float:
    """How many letters of ordinary width a line takes."""
    return len(line) + 0.6 * sum(map(line.count, "mw"))
