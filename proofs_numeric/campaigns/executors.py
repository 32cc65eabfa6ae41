"""Where chunks run: in this process, in worker processes, or on a Dask cluster, all as one Executor."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.context import BaseContext
from typing import Any

from boundcheck.system.exits import Unusable
from boundcheck.system.workers import attend, dropped_on_error, unheard


class ExecutorError(Unusable):
    """An executor that is unknown or cannot be had here."""


def workers_lost(error: BaseException) -> bool:
    """Whether ``error`` says that workers died, not that the work itself failed (Dask gives up after four deaths)."""
    return isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"


class SerialExecutor(Executor):
    """Runs a call when it is submitted."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run the call now; its result or exception is in the future."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class _Pool(ProcessPoolExecutor):
    """Processes that are dropped together, by :func:`boundcheck.system.workers.dropped_on_error`.

    No future of theirs is cancelled on its own: the thread that looks after the processes (CPython 3.11) ends in a
    traceback where it finds a cancelled future when they die.
    """

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Like that of its parent; a process begun here hears no interrupt before it attends."""
        with unheard():
            future = super().submit(fn, *args, **kwargs)
        future.cancel = lambda: False  # type: ignore[method-assign]
        return future


@contextmanager
def processes(
    count: int, prepare: Callable[[], None] = attend, context: BaseContext | None = None
) -> Iterator[Executor]:
    """``count`` processes that each run ``prepare`` first, by the system's way of starting them or another one.

    An exception that leaves the block kills them.
    """
    with _Pool(count, context, prepare) as pool, dropped_on_error():
        yield pool


@contextmanager
def executor(name: str) -> Iterator[tuple[Executor, int]]:
    """(executor, number of workers) for 'serial', 'processes', 'dask' (a local cluster) or 'dask:ADDRESS'."""
    if name == "serial":
        yield SerialExecutor(), 1
    elif name == "processes":
        workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        with processes(workers) as pool:
            yield pool, workers
    elif name == "dask" or name.startswith("dask:"):
        try:
            from dask.distributed import Client
        except ImportError as error:
            raise ExecutorError('the executor dask needs dask.distributed: pip install "boundcheck[dask]"') from error
        address = name.partition(":")[2]
        try:
            client = (
                Client(address, timeout="10s") if address else Client(threads_per_worker=1, dashboard_address=None)
            )
        except (OSError, ValueError) as error:
            raise ExecutorError(f"no Dask scheduler answers at {address or 'this machine'} ({error})") from error
        with client:
            yield client.get_executor(), max(1, len(client.scheduler_info()["workers"]))
    else:
        raise ExecutorError(f"unknown executor {name!r}; one of serial, processes, dask, dask:ADDRESS is wanted")
