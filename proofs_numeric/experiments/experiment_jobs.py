"""Running the jobs of an experiment: a ledger of finished ones, processes of one thread each, a progress bar."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import sqlite3
import zipfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from boundcheck.system.workers import attend, dropped_on_error, unheard
from proofs_numeric.experiments.settings import SettingError

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class Job(Protocol):
    """What is run: picklable, hashable."""

    @property
    def key(self) -> str:
        """Address of the result in the ledger: a hash of all that decides it."""

    @property
    def work(self) -> float:
        """Relative cost, for the progress bar."""


J = TypeVar("J", bound=Job)
R = TypeVar("R")


class LedgerError(SettingError):
    """The ledger cannot be read or written; nothing of it is lost."""


class WorkerDied(RuntimeError):
    """A worker process was killed; finished jobs are in the ledger."""


def _digest(key: str, raw: bytes) -> bytes:
    """A checksum of a row: SQLite has none of its own, and a flipped bit would pass for a number."""
    return hashlib.blake2b(key.encode() + b"\0" + raw, digest_size=16).digest()


class Ledger(Generic[R]):
    """Finished jobs in one SQLite file, a row each, committed as they arrive; ``dump`` and ``load`` turn a result
    into bytes and back. Raises :class:`LedgerError` for a file that is not such a ledger, or not writable."""

    def __init__(self, path: Path, table: str, dump: Callable[[R], bytes], load: Callable[[bytes], R]) -> None:
        self.path, self._table, self._dump, self._load = path, table, dump, load
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=10)
            try:
                self._connection.execute(
                    f"CREATE TABLE IF NOT EXISTS {table} (key TEXT PRIMARY KEY, result BLOB NOT NULL, digest BLOB)"
                )
                self._connection.commit()
            except sqlite3.Error:
                self._connection.close()
                raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise LedgerError(
                f"--ledger: {str(self.path)!r} is not a writable SQLite file of finished jobs ({error}); "
                "free it or its disk, or name another file"
            ) from error

    def read(self, key: str) -> R | None:
        """The stored result of a job, or None."""
        with self._explained():
            row = self._connection.execute(
                f"SELECT result, digest FROM {self._table} WHERE key = ?", (key,)
            ).fetchone()
            if row is not None and row[1] != _digest(key, row[0]):
                raise ValueError("a damaged row")
            return None if row is None else self._load(row[0])

    def write(self, key: str, result: R) -> None:
        """Store a result; on return it survives a kill."""
        raw = self._dump(result)
        with self._explained(), self._connection:
            row = (key, raw, _digest(key, raw))
            self._connection.execute(f"INSERT OR REPLACE INTO {self._table} VALUES (?, ?, ?)", row)

    def __enter__(self) -> Ledger[R]:
        return self

    def __exit__(self, *_: object) -> None:
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


def _total(jobs: Iterable[Job]) -> float:
    return sum(job.work for job in jobs)


class Workers(Generic[J, R]):
    """``count`` processes that live as long as the experiment: each runs ``prepare`` once, and ``work`` for a job."""

    def __init__(
        self,
        count: int,
        work: Callable[[J], R],
        ledger: Ledger[R],
        console: Console,
        prepare: Callable[[], None] = attend,
    ) -> None:
        self.results: dict[str, R] = {}  #: of every job so far by its key, those of the ledger included
        self._work, self._ledger, self._console = work, ledger, console
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(count, mp_context=context, initializer=prepare)

    def __enter__(self) -> Workers[J, R]:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def run(self, jobs: Iterable[J], title: str) -> dict[J, R]:
        """Results of all jobs; those in the ledger are read, the others run (long ones first) and stored one by one.

        A progress bar is shown only on a terminal. Raises :class:`WorkerDied`, :class:`LedgerError`, and whatever a
        job raises.
        """
        wanted = sorted(dict.fromkeys(jobs), key=lambda job: -job.work)
        done = {job: found for job in wanted if (found := self._ledger.read(job.key)) is not None}
        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        with dropped_on_error(), bar, one_thread_each():  # processes are spawned on submission
            shown = bar.add_task(title, total=_total(wanted))
            bar.advance(shown, _total(done))
            with unheard():
                futures = {self._pool.submit(self._work, job): job for job in wanted if job not in done}
            for future in as_completed(list(futures)):
                try:
                    result = future.result()
                except BrokenProcessPool:
                    raise WorkerDied(
                        "a worker process died; finished jobs are kept, the same command resumes"
                    ) from None
                job = futures.pop(future)
                self._ledger.write(job.key, result)
                done[job] = result
                bar.advance(shown, job.work)
        self.results |= {job.key: result for job, result in done.items()}
        return done
