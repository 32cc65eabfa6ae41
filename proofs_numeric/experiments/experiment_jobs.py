"""Running the jobs of an experiment: those that are finished stand in a ledger, the others run in processes of one
thread each."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from boundcheck.system.exits import Unusable
from boundcheck.system.progress import Progress, time_left
from boundcheck.system.workers import attend
from proofs_numeric.campaigns.executors import processes, workers_lost
from proofs_numeric.campaigns.ledger import Chunk, Ledger

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
Result = dict[str, Any]  #: of a job, as JSON has it


class Job(Protocol):
    """What is run: picklable, hashable."""

    @property
    def key(self) -> str:
        """Address of the result in the ledger: a hash of all that decides it."""

    @property
    def work(self) -> float:
        """Relative cost, for the progress bar."""


J = TypeVar("J", bound=Job)


class WorkerDied(Unusable):
    """A worker process was killed; finished jobs are in the ledger."""


class _Bar(Progress):
    """How much of the jobs' cost is done; nothing is said where there is no terminal."""

    def __init__(self, title: str, total: float, held: float) -> None:
        super().__init__(total, sys.stderr.isatty(), True)
        self.title, self.held, self.ran = title, held, 0.0

    def done(self) -> float:
        return self.held + self.ran

    def line(self, elapsed: float) -> str:
        left = time_left(self.ran, self.total - self.done(), elapsed)
        return "  ".join(filter(None, (f"{self.title} {self.done() / self.total:.0%}", left)))


class Workers(Generic[J]):
    """Processes that live as long as the experiment ``name``, each of which runs ``work`` for a job at a time."""

    def __init__(self, pool: Executor, work: Callable[[J], Result], ledger: Ledger, name: str) -> None:
        self.results: dict[str, Result] = {}  #: of every job so far by its key, those of the ledger included
        self._pool, self._work, self._ledger, self._name = pool, work, ledger, name

    def run(self, jobs: Iterable[J], title: str) -> dict[J, Result]:
        """Results of all jobs; those in the ledger are read, the others run (long ones first) and stored one by one.

        Raises :class:`WorkerDied`, :class:`proofs_numeric.campaigns.ledger.LedgerError`, and whatever a job raises.
        """
        wanted = sorted(dict.fromkeys(jobs), key=lambda job: -job.work)
        held = {job: self._ledger.read(0, self._name, job.key) for job in wanted}
        done: dict[J, Result] = {job: rows[0, 0].summary for job, rows in held.items() if rows}
        bar = _Bar(title, sum(job.work for job in wanted), sum(job.work for job in done))
        with bar:
            futures = {self._pool.submit(self._work, job): job for job in wanted if job not in done}
            for future in as_completed(list(futures)):
                job = futures.pop(future)
                try:
                    done[job] = future.result()
                except Exception as error:
                    if not workers_lost(error):
                        raise
                    told = "a worker process died; finished jobs are kept, the same command resumes"
                    raise WorkerDied(told) from None
                self._ledger.write(0, self._name, job.key, 0, 0, Chunk(done[job], 1, 0.0, None))
                bar.ran += job.work
                bar.tick()
        self.results |= {job.key: result for job, result in done.items()}
        return done


@contextmanager
def workers(
    name: str, count: int, work: Callable[[J], Result], ledger: Path, prepare: Callable[[], None] = attend
) -> Iterator[Workers[J]]:
    """``count`` processes that each run ``prepare`` once, and the ledger of the experiment ``name``.

    Linear algebra in the processes takes one thread, whatever the machine: as many as processors fill it.
    """
    os.environ.update(dict.fromkeys(THREADS, "1"))  # before they start, which they do when they are given work
    ledger.parent.mkdir(parents=True, exist_ok=True)
    fresh = multiprocessing.get_context("spawn")
    with Ledger(ledger) as kept, processes(count, prepare, fresh) as pool:
        yield Workers(pool, work, kept, name)
