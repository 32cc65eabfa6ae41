"""A progress bar on the terminal: cells, trials a second, time left; silent elsewhere and in the first two seconds."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

PATIENCE = 2.0  #: seconds before a bar is worth showing


class Progress:
    """``report(cells finished, new trials)`` after every chunk; drawn on stderr (rich heeds NO_COLOR)."""

    def __init__(self, cells: int):
        self.cells, self.trials, self.start = cells, 0, time.monotonic()
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._shown = sys.stderr.isatty()

    def report(self, finished: int, trials: int) -> None:
        """Take note of one chunk."""
        self.trials += trials
        elapsed = time.monotonic() - self.start
        if not self._shown or elapsed < PATIENCE:
            return
        if self._bar is None:
            columns = (TextColumn("cells"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"))
            self._bar = Bar(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task("cells", total=self.cells, rate="")
            self._bar.start()
        if self._task is not None:
            self._bar.update(self._task, completed=finished, rate=f"{self.trials / elapsed:,.0f} trials/s")

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
