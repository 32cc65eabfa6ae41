"""The figures of an experiment, drawn from its data: PNG, a vector file, and the data as CSV.

Files are deterministic: no dates, fixed identifiers. Readable in black and white: methods differ by line style and
marker, never by colour alone.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from boundcheck.system.files import replacing

Data = Mapping[str, Any]
Table = tuple[Sequence[str], Sequence[Sequence[Any]]]
RC: dict[Any, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
}


@dataclass(frozen=True)
class Drawn:
    """``draw`` puts the data on a figure and gives the table that it shows; ``caption`` is a format of the data;
    ``label`` says which figure of the paper it is, if any."""

    draw: Callable[[Data, Figure], Table]
    caption: str
    size: tuple[float, float] | None = None
    label: str = ""


def draw_all(
    figures: Mapping[str, Drawn],
    data: Data,
    folder: Path,
    style: Mapping[Any, Any],
    words: Mapping[str, Any] | None = None,
    vector: str = "svg",
) -> list[dict[str, str]]:
    """Write every figure into ``folder``; returns what the report needs: name, label, caption and file names.

    ``style`` are further settings of Matplotlib, ``words`` what captions say beside the data; ``vector`` is svg or
    pdf.
    """
    folder.mkdir(parents=True, exist_ok=True)
    listed = []
    for name, drawn in figures.items():
        files = {"png": f"{name}.png", "vector": f"{name}.{vector}", "data": f"{name}.csv"}
        with mpl.rc_context({**RC, **style}):
            figure = Figure(figsize=drawn.size, layout="constrained")
            FigureCanvasAgg(figure)
            header, rows = drawn.draw(data, figure)
            with replacing(folder / files["png"]) as new:
                figure.savefig(new, dpi=160, metadata={"Software": None})
            figure.set_layout_engine("none")  # the second file keeps the layout of the first
            undated = {"Date": None} if vector == "svg" else {"CreationDate": None}
            with replacing(folder / files["vector"]) as new:
                figure.savefig(new, metadata=undated)
        with replacing(folder / files["data"]) as new, new.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(rows)
        told = {"label": drawn.label} if drawn.label else {}
        listed.append({"name": name, **told, "caption": drawn.caption.format(**data, **(words or {})), **files})
    return listed
