"""Work in separate processes that may hang, crash or be interrupted without taking the others along.

Unlike the pools of ``concurrent.futures``, a process that dies or overruns its time costs one result, not all.
Its time is the processor time that it has used, as that of every budget: a process that waits for its turn on a busy
machine is not charged for that. One that sleeps is, for nothing will come of it. Its memory is bounded, where the
system tells it (Linux): what multiplies out without end would take the machine along before its time is over.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

WORKERS = 2
GIB = 2**30
#: The same way of starting on every system: no copy of this process's threads and locks.
_CONTEXT = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Assignment:
    """``function(*args)``, both picklable; the process is ended after ``limit`` seconds of work (None: never), and as
    soon as it holds more than ``memory`` bytes."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    limit: float | None = None
    memory: int = 2 * GIB


class Lost(RuntimeError):
    """A job that gave no result: its process died, overran its limit, or raised (then ``__cause__`` is the error)."""


@dataclass
class _Worker:
    process: BaseProcess
    pipe: Connection
    index: int = -1  #: of the job in hand; -1: idle
    spent: float = 0.0  #: seconds charged to the job in hand
    seen: float = 0.0  #: when it was looked at last, on the wall
    used: float = 0.0  #: the process's processor time then
    held: int = 0  #: bytes of memory then

    def begin(self, index: int) -> None:
        """A job is in hand from now on."""
        self.index, self.spent, self.seen = index, 0.0, time.monotonic()
        self.used, _, self.held = _load(self.process.pid)

    def charge(self) -> float:
        """Seconds charged to the job so far: processor time, and time asleep; all where a system tells neither."""
        before, self.seen = self.seen, time.monotonic()
        last, (self.used, idle, self.held) = self.used, _load(self.process.pid)
        worked = self.used - last
        self.spent += max(worked, 0.0) if worked > 0 or not idle else self.seen - before
        return self.spent


def _load(pid: int | None) -> tuple[float, bool, int]:
    """(processor time in seconds, whether the process waits for something else than a processor, bytes of memory)."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            state, *rest = file.read().rpartition(")")[2].split()
        used = (int(rest[10]) + int(rest[11])) / os.sysconf("SC_CLK_TCK")
        return used, state in "SZX", int(rest[20]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0.0, True, 0


def attend() -> None:
    """In a worker process: leave interrupts to the parent, and end with it even when it is killed outright."""
    parent = multiprocessing.parent_process()
    if parent is None:
        raise RuntimeError("attend() is for worker processes")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # see unheard

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def unheard() -> Iterator[None]:
    """An interrupt waits until the block ends. Processes begun inside hear none before they :func:`attend`.

    A mask holds for one thread: the system gives the signal to another one then, and Python to the main thread.
    """
    resource_tracker.ensure_running()  # else the first process begins it, and that lets interrupts in again
    heard: list[int] = []
    usual = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread() and callable(usual)
    if main:
        signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if main:
            signal.signal(signal.SIGINT, usual)
        if heard:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def dropped_on_error() -> Iterator[None]:
    """Processes begun inside are killed when an exception leaves: nobody waits for what nobody wants any more."""
    before = set(multiprocessing.active_children())
    try:
        yield
    except BaseException:
        for process in set(multiprocessing.active_children()) - before:
            process.kill()
        raise


def _serve(pipe: Connection) -> None:
    attend()
    while True:
        try:
            job = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            result = (True, job.function(*job.args))
        except Exception as error:
            result = (False, error)
        try:
            pipe.send(result)
        except OSError:  # nobody is there any more
            return


def _start() -> _Worker:
    ours, theirs = _CONTEXT.Pipe()
    process = _CONTEXT.Process(target=_serve, args=(theirs,), daemon=True)
    with unheard():
        process.start()
    theirs.close()
    return _Worker(process, ours)


def run(
    jobs: Sequence[Assignment], workers: int = WORKERS, tick: Callable[[], None] = lambda: None
) -> Generator[tuple[int, Any], None, None]:
    """(index, result or :class:`Lost`) as jobs end; ``tick`` is called about ten times a second meanwhile.

    Closing the iterator, an interrupt included, ends all processes.
    """
    queue = deque(enumerate(jobs))
    team = [_start() for _ in range(min(workers, len(jobs)))]
    try:
        left = len(jobs)
        while left:
            for place, worker in enumerate(team):
                if worker.index < 0 and queue:
                    index, job = queue.popleft()
                    worker.begin(index)
                    try:
                        worker.pipe.send(job)
                    except OSError:  # it died while idle
                        team[place] = _start()
                        team[place].begin(index)
                        team[place].pipe.send(job)
            busy = [w for w in team if w.index >= 0]
            ready = wait([w.pipe for w in busy], timeout=0.1)
            tick()
            for place, worker in enumerate(team):
                if worker.index < 0:
                    continue
                outcome = _outcome(worker, jobs[worker.index], worker.pipe in ready)
                if outcome is None:
                    continue
                index, worker.index = worker.index, -1
                if not worker.process.is_alive():
                    team[place] = _start()
                left -= 1
                yield index, outcome[0]
    finally:
        for worker in team:
            _end(worker)


def _outcome(worker: _Worker, job: Assignment, ready: bool) -> tuple[Any] | None:
    """The result in hand as a 1-tuple, None while there is none."""
    if ready:
        try:
            good, value = worker.pipe.recv()
        except (EOFError, OSError):
            _end(worker)
            return (Lost(f"its process ended with status {worker.process.exitcode}"),)
        if worker.held > job.memory / 2:  # what it keeps is not the next job's
            _end(worker)
        if good:
            return (value,)
        lost = Lost(f"{type(value).__name__}: {value}")
        lost.__cause__ = value
        return (lost,)
    spent, over = worker.charge(), ""
    if job.limit is not None and spent > job.limit:
        over = f"{job.limit:g} s of processor time"
    elif worker.held > job.memory:
        over = f"{job.memory / GIB:g} GiB of memory"
    if over:
        _end(worker)
        return (Lost(f"no answer within {over}"),)
    return None


def _end(worker: _Worker) -> None:
    worker.pipe.close()
    if worker.process.is_alive():
        worker.process.terminate()
    worker.process.join(2)
    if worker.process.is_alive():
        worker.process.kill()
        worker.process.join()
