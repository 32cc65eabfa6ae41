"""A figure as a table of numbers, a drawing of that table, and a caption on how to read it."""

from __future__ import annotations

import csv
import hashlib
import inspect
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = tuple[str | float | None, ...]
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # Okabe and Ito
STAMP = "boundcheck drawing "  #: what stands before the hash in a drawing


@dataclass(frozen=True)
class Figure:
    """``name`` is that of the files; ``draw`` puts the rows on a Matplotlib figure."""

    name: str
    title: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    draw: Callable[[Any, Sequence[Row]], None]

    def data(self) -> str:
        """The table as CSV text."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(
            ["" if v is None else repr(v) if isinstance(v, float) else v for v in row] for row in self.rows
        )
        return out.getvalue()

    def stamp(self) -> str:
        """A hash of what is drawn: title, data and the code that draws; a drawing that carries it is up to date."""
        sources = {Path(__file__), Path(inspect.getfile(self.draw)), Path(inspect.getfile(type(self)))}
        code = b"".join(path.read_bytes() for path in sorted(sources))
        return hashlib.sha256(f"{self.title}\n{self.data()}".encode() + code).hexdigest()[:16]

    def drawn(self, path: Path) -> bool:
        """Whether ``path`` is a drawing of just this: its bytes may be of another Matplotlib, and stay as they are."""
        return path.is_file() and f"{STAMP}{self.stamp()}" in path.read_text(encoding="utf-8", errors="replace")

    def save(self, path: Path) -> None:
        """Draw to ``path`` (.svg or .png), the same bytes for the same rows and Matplotlib."""
        import matplotlib
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure as Canvas

        settings: Any = {
            "svg.hashsalt": "boundcheck",
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlesize": 9,
            "legend.fontsize": 7,
            "legend.frameon": False,
        }
        with matplotlib.rc_context():
            matplotlib.rcdefaults()  # whatever a user's own settings say
            matplotlib.rcParams.update(settings)
            canvas = Canvas(layout="constrained")
            FigureCanvasAgg(canvas)
            self.draw(canvas, self.rows)
            canvas.suptitle(self.title)
            metadata = {"Date": None, "Description": f"{STAMP}{self.stamp()}"} if path.suffix == ".svg" else None
            canvas.savefig(path, dpi=150, metadata=metadata)
