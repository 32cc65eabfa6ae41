"""How far a run is: a bar on a terminal (cells, trials a second, time left), elsewhere a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as Bar

PATIENCE = 2.0  #: seconds before a bar is worth showing
SILENCE = 15.0  #: seconds without a word after which a program that is not on a terminal says how far it is


class Progress:
    """``report(cells finished, new trials)`` after every chunk; told on stderr (rich heeds NO_COLOR).

    ``costs`` are the times that the cells are expected to take, in their order and in any unit. ``quiet``: a bar on a
    terminal and nothing elsewhere.
    """

    def __init__(self, costs: Sequence[float], quiet: bool = False):
        self.costs, self.cells, self.trials = costs, len(costs), 0
        self.start = self.heard = time.monotonic()
        self._held = -1  #: cells that a ledger held finished when the first chunk was drawn
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._terminal, self._quiet = sys.stderr.isatty(), quiet

    def line(self, finished: int, elapsed: float) -> str:
        """Cells, trials a second and the time left."""
        rate = self.trials / elapsed if elapsed > 0 else 0.0
        done, rest = sum(self.costs[self._held : finished]), sum(self.costs[finished:])
        left = f"about {spent(elapsed * rest / done)} left" if done and rest else ""
        return "  ".join(t for t in (f"{finished} of {self.cells} cells", f"{rate:,.0f} trials/s", left) if t)

    def report(self, finished: int, trials: int) -> None:
        """Take note of one chunk."""
        self.trials += trials
        self._held = finished if self._held < 0 else self._held
        now = time.monotonic()
        if self._terminal:
            if now - self.start >= PATIENCE:
                self._draw(finished, now - self.start)
        elif not self._quiet and now - self.heard >= SILENCE:
            self.heard = now
            print(self.line(finished, now - self.start), file=sys.stderr, flush=True)

    def _draw(self, finished: int, elapsed: float) -> None:
        if self._bar is None:
            shown = (BarColumn(20), TextColumn("{task.description}", markup=False))
            self._bar = Bar(*shown, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task("", total=self.cells)
            self._bar.start()
        if self._task is not None:
            self._bar.update(self._task, completed=finished, description=self.line(finished, elapsed))

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()


def spent(seconds: float) -> str:
    """A time in words."""
    return f"{max(1, round(seconds))} s" if seconds < 120 else f"{round(seconds / 60)} min"
