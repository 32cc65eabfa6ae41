"""Running the controlled experiment: jobs cut by dimension, stage and block of seeds; workers; a resumable ledger.

A job's result depends on its content only (streams are addressed), so workers, order and interruption change nothing.
"""

from __future__ import annotations

import hashlib
import io
import multiprocessing
import os
import signal
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from proofs_numeric.experiments.controlled_settings import Configuration, SettingError
from proofs_numeric.experiments.controlled_simulation import Runs, seed_stream, simulate, start

VERSION = 1  # raised when the simulation changes, so that older ledger rows are not read
BLOCK = 4  # seeds a job
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Job:
    """Trajectories of a block of seeds at one dimension: all that decides their numbers."""

    root: int
    d: int
    p: tuple[float, ...]
    stage: str
    seeds: tuple[int, ...]
    configurations: tuple[Configuration, ...]
    batch: int
    steps: int
    x0: str
    x0_norm: float
    scale: float
    curves: bool
    prescribed: tuple[float, ...] = ()  # tau of thm:tuned-dev for each p

    @property
    def key(self) -> str:
        """Address of the result in the ledger."""
        return hashlib.sha256(f"{VERSION}|{sorted(asdict(self).items())!r}".encode()).hexdigest()

    @property
    def work(self) -> float:
        """Relative cost, for the progress bar: random numbers plus two matrix products."""
        return len(self.seeds) * self.steps * self.batch * self.d * (1 + 0.02 * len(self.p) * len(self.configurations))


def blocks(count: int) -> Iterator[tuple[int, ...]]:
    """0..count-1 in blocks of BLOCK."""
    for low in range(0, count, BLOCK):
        yield tuple(range(low, min(count, low + BLOCK)))


def work(job: Job) -> Runs:
    """Run one job; in a worker process."""
    rngs = [seed_stream(job.root, job.d, job.stage, seed) for seed in job.seeds]
    x0 = start(job.x0, job.x0_norm, job.d)
    return simulate(
        rngs, job.d, job.p, job.configurations, job.batch, job.steps, x0, job.scale, job.curves, job.prescribed
    )


def join(parts: Sequence[Runs]) -> Runs:
    """The seeds of several jobs in one record."""
    return Runs(**{f.name: np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Runs)})


class LedgerError(SettingError):
    """The ledger cannot be read or written; nothing of it is lost."""


class WorkerDied(RuntimeError):
    """A worker process was killed; finished jobs are in the ledger."""


class Ledger:
    """Finished jobs in one SQLite file, a row each, committed as they arrive."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=10)
            try:
                self._connection.execute("CREATE TABLE IF NOT EXISTS job (key TEXT PRIMARY KEY, arrays BLOB NOT NULL)")
                self._connection.commit()
            except sqlite3.Error:
                self._connection.close()
                raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise LedgerError(
                f"--ledger: {str(self.path)!r} is not a writable SQLite file of finished jobs ({error}); "
                "free it or its disk, or name another file"
            ) from error

    def read(self, job: Job) -> Runs | None:
        """The stored result of a job, or None."""
        with self._explained():
            row = self._connection.execute("SELECT arrays FROM job WHERE key = ?", (job.key,)).fetchone()
        if row is None:
            return None
        with np.load(io.BytesIO(row[0]), allow_pickle=False) as stored:
            return Runs(**{f.name: stored[f.name] for f in fields(Runs)})

    def write(self, job: Job, runs: Runs) -> None:
        """Store a result; on return it survives a kill."""
        buffer = io.BytesIO()
        np.savez(buffer, **{f.name: getattr(runs, f.name) for f in fields(Runs)})
        with self._explained(), self._connection:
            self._connection.execute("INSERT OR REPLACE INTO job VALUES (?, ?)", (job.key, buffer.getvalue()))

    def close(self) -> None:
        """Release the file."""
        self._connection.close()


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Linear algebra in the workers takes one thread, whatever the machine: as many workers as processors fill it."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def run(jobs: Iterable[Job], ledger: Ledger, workers: int, console: Console, title: str) -> dict[Job, Runs]:
    """Results of all jobs; those in the ledger are read, the others run and stored one by one.

    A progress bar is shown only when ``console`` is a terminal.
    """
    jobs = sorted(jobs, key=lambda job: -job.work)
    done = {job: runs for job in jobs if (runs := ledger.read(job)) is not None}
    missing = [job for job in jobs if job not in done]
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    bar = Progress(
        *columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, disable=not console.is_terminal
    )
    with bar:
        task = bar.add_task(title, total=sum(job.work for job in jobs), completed=sum(job.work for job in done))
        if missing:
            for job, runs in _compute(missing, workers):
                ledger.write(job, runs)
                done[job] = runs
                bar.advance(task, job.work)
    return done


def attend() -> None:
    """In a worker: leave interrupts to the parent, and end with it even when it is killed outright."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _compute(jobs: Sequence[Job], workers: int) -> Iterator[tuple[Job, Runs]]:
    with one_thread_each():  # processes are spawned on submission, so the whole loop stays inside
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(min(workers, len(jobs)), mp_context=context, initializer=attend)
        with closing(_Shutdown(pool)):
            futures: dict[Future[Runs], Job] = {pool.submit(work, job): job for job in jobs}
            for future in as_completed(futures):
                try:
                    result = future.result()
                except BrokenProcessPool as error:
                    raise WorkerDied(
                        "a worker process died; finished jobs are kept, the same command resumes"
                    ) from error
                yield futures.pop(future), result


@dataclass(frozen=True)
class _Shutdown:
    """Ends a pool without waiting for jobs that have not begun."""

    pool: ProcessPoolExecutor

    def close(self) -> None:
        self.pool.shutdown(wait=True, cancel_futures=True)
