"""Running the jobs of the fine-tuning experiment: a ledger of finished ones, processes of one thread each, a bar."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from proofs_numeric.experiments.controlled_runs import attend, one_thread_each
from proofs_numeric.experiments.finetune_training import Comparison, Result, Training
from proofs_numeric.tuning.faults import TuningFault


class Ledger:
    """Finished jobs in one SQLite file, a row each, committed as they arrive."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=10)
            try:
                self._connection.execute(
                    "CREATE TABLE IF NOT EXISTS tuned (key TEXT PRIMARY KEY, result TEXT NOT NULL)"
                )
                self._connection.commit()
            except sqlite3.Error:
                self._connection.close()
                raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, ValueError) as error:
            raise TuningFault(
                f"--ledger: {str(self.path)!r} is not a writable SQLite file of finished jobs ({error}); free it or "
                "its disk, or name another file"
            ) from error

    def read(self, key: str) -> Result | None:
        """The stored result of a job, or None."""
        with self._explained():
            row = self._connection.execute("SELECT result FROM tuned WHERE key = ?", (key,)).fetchone()
            return None if row is None else dict(json.loads(row[0]))

    def write(self, key: str, result: Result) -> None:
        """Store a result; on return it survives a kill."""
        with self._explained(), self._connection:
            self._connection.execute("INSERT OR REPLACE INTO tuned VALUES (?, ?)", (key, json.dumps(result)))

    def close(self) -> None:
        """Release the file."""
        self._connection.close()


def alone() -> None:
    """In a worker: leave interrupts to the parent and end with it; one thread, reproducible operations only."""
    attend()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)


def work(job: Training | Comparison) -> Result:
    """Run one job; in a worker process. ``seconds`` is processor time, so that other load does not count."""
    start = time.process_time()
    result = job.run()
    return result | {"seconds": round(time.process_time() - start, 3)}


class Workers:
    """Processes that live as long as the experiment, for each builds its tasks once."""

    def __init__(self, count: int, ledger: Ledger, console: Console) -> None:
        self.ledger, self.console = ledger, console
        self._seconds: dict[str, float] = {}
        self._pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=alone)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def run(self, jobs: Iterable[Training | Comparison], title: str) -> dict[Training | Comparison, Result]:
        """Results of all jobs; those in the ledger are read, the others run and stored one by one.

        A progress bar is shown only on a terminal. Long jobs come first.
        """
        wanted = sorted(dict.fromkeys(jobs), key=lambda job: -job.work)
        done = {job: found for job in wanted if (found := self.ledger.read(job.key)) is not None}
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
        bar = Progress(
            *columns,
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self.console,
            disable=not self.console.is_terminal,
        )
        with bar, one_thread_each():  # processes are spawned on submission
            shown = bar.add_task(title, total=sum(job.work for job in wanted), completed=sum(job.work for job in done))
            futures = {self._pool.submit(work, job): job for job in wanted if job not in done}
            for future in as_completed(futures):
                try:
                    result = future.result()
                except BrokenProcessPool:
                    raise TuningFault(
                        "a worker process died; finished jobs are kept, the same command resumes"
                    ) from None
                job = futures[future]
                self.ledger.write(job.key, result)
                done[job] = result
                bar.advance(shown, job.work)
        self._seconds |= {job.key: result["seconds"] for job, result in done.items()}
        return done

    @property
    def seconds(self) -> float:
        """Processor time of every job so far, those of the ledger included, each once."""
        return sum(self._seconds.values())
