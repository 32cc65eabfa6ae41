"""How far a long ``check`` is: a bar on a terminal, a line now and then on stderr elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

from boundcheck.app.commands.output import columns, shortened

PATIENCE = 2.0  #: seconds before a bar is worth showing
BAR = 12  #: characters of the bar
SILENCE = 15.0  #: seconds without a word after which a program that is not on a terminal says how far it is


def time_left(done: Sequence[bool], weights: Sequence[float], elapsed: float) -> float | None:
    """Seconds that the rest takes at the pace so far; ``weights`` are expected times in any unit. None: unknown."""
    finished = sum(w for w, d in zip(weights, done, strict=True) if d)
    rest = sum(w for w, d in zip(weights, done, strict=True) if not d)
    return elapsed * rest / finished if finished > 0 else None


def told(seconds: float | None) -> str:
    """A time left in words, in steps that do not pretend to more than is known."""
    if seconds is None:
        return ""
    if seconds < 90:
        return f"about {max(5, 5 * round(seconds / 5))} s left"
    return f"about {round(seconds / 60)} min left"


class Progress:
    """n of N decided, what is being decided, and the time left.

    Refreshed by hand, with ``tick``: no thread is alive when processes start. ``names`` and ``weights`` (expected
    times) are those of the jobs, of which ``workers`` run at once in their order. A bar is drawn on a terminal from
    PATIENCE on; elsewhere a line goes to stderr after SILENCE, unless ``quiet``.
    """

    def __init__(self, names: Sequence[str], weights: Sequence[float], workers: int, terminal: bool, quiet: bool):
        self.names, self.weights, self.workers = names, weights, workers
        self.terminal, self.quiet = terminal, quiet or len(names) < 2
        self.done = [False] * len(names)
        self.start = self.heard = time.monotonic()
        self.bar: Any = None

    def line(self) -> str:
        """What is being decided and the time left."""
        running = [n for n, d in zip(self.names, self.done, strict=True) if not d][: self.workers]
        left = told(time_left(self.done, self.weights, time.monotonic() - self.start))
        return "  ".join(t for t in (left, f"now {', '.join(dict.fromkeys(running))}") if t)

    def tick(self) -> None:
        """Draw it anew, if it is time."""
        now = time.monotonic()
        if self.terminal:
            if now - self.start >= PATIENCE:
                self._draw()
        elif not self.quiet and now - self.heard >= SILENCE:
            self.heard = now
            text = f"{sum(self.done)} of {len(self.names)} decided  {self.line()}"
            print(shortened(text, columns()), file=sys.stderr, flush=True)

    def _draw(self) -> None:
        if self.bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            shown = (BarColumn(BAR), TextColumn("{task.description}", markup=False))
            self.bar = Progress(*shown, console=Console(stderr=True), transient=True, auto_refresh=False)
            self.task = self.bar.add_task("", total=len(self.names))
            self.bar.start()
        text = f"{sum(self.done)} of {len(self.names)}  {self.line()}"
        self.bar.update(self.task, completed=sum(self.done), description=shortened(text, max(20, columns() - BAR - 2)))
        self.bar.refresh()

    def advance(self, index: int) -> None:
        """The job ``index`` is done."""
        self.done[index] = True
        self.tick()

    def clear(self) -> None:
        """Take the bar off the screen before a line is printed; the next tick draws it again."""
        self.heard = time.monotonic()
        if self.bar is not None:
            self.bar.stop()
            self.bar = None

    def stop(self) -> None:
        """Take the bar off the screen for good."""
        self.clear()
        self.terminal, self.quiet = False, True
