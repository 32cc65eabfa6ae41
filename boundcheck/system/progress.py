"""How far a long run is: a bar on a terminal, a line now and then on stderr elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
from abc import ABC, abstractmethod
from typing import Any

PATIENCE = 2.0  #: seconds before a bar is worth showing
BAR = 12  #: characters of the bar
SILENCE = 15.0  #: seconds without a word after which a program that is not on a terminal says how far it is


def time_left(done: float, rest: float, elapsed: float) -> str:
    """The time that ``rest`` takes at the pace of ``done`` in ``elapsed`` seconds; "" where it is not known.

    In words, in steps that do not pretend to more than is known.
    """
    if done <= 0 or rest <= 0:
        return ""
    seconds = elapsed * rest / done
    if seconds < 90:
        return f"about {max(5, 5 * round(seconds / 5))} s left"
    return f"about {round(seconds / 60)} min left"


class Progress(ABC):
    """Refreshed by hand, with ``tick``: no thread is alive when processes start.

    A bar is drawn on a terminal from PATIENCE on; elsewhere a line goes to stderr after SILENCE, unless ``quiet``.
    """

    def __init__(self, total: float, terminal: bool, quiet: bool) -> None:
        self.total, self.terminal, self.quiet = total, terminal, quiet
        self.start = self.heard = time.monotonic()
        self._bar: Any = None

    @abstractmethod
    def done(self) -> float:
        """How much of the total is done."""

    @abstractmethod
    def line(self, elapsed: float) -> str:
        """How far it is after so many seconds, in words."""

    def tick(self) -> None:
        """Tell it anew, if it is time."""
        now = time.monotonic()
        if self.terminal:
            if now - self.start >= PATIENCE:
                self._draw(self.line(now - self.start))
        elif not self.quiet and now - self.heard >= SILENCE:
            self.heard = now
            print(self.line(now - self.start), file=sys.stderr, flush=True)

    def _draw(self, text: str) -> None:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar

            shown = (BarColumn(BAR), TextColumn("{task.description}", markup=False))
            self._bar = Bar(*shown, console=Console(stderr=True), transient=True, auto_refresh=False)
            self._task = self._bar.add_task("", total=self.total)
            self._bar.start()
        room = max(20, shutil.get_terminal_size().columns - BAR - 2)
        self._bar.update(
            self._task, completed=self.done(), description=text if len(text) <= room else f"{text[: room - 3]}..."
        )
        self._bar.refresh()

    def clear(self) -> None:
        """Take the bar off the screen before a line is printed; the next tick draws it again."""
        self.heard = time.monotonic()
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def stop(self) -> None:
        """Take the bar off the screen for good."""
        self.clear()
        self.terminal, self.quiet = False, True

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
