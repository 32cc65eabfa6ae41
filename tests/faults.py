"""Faults for tests: a front door as a process of its own, its children, signals at a moment of one's choice."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

PATIENCE = 60.0  #: seconds until a moment that never comes is a failure
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def _heed() -> None:
    """Interrupts count, also where the tests themselves run in the background of a shell, which ignores them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def begin(words: Sequence[str], folder: Path, **environment: str) -> subprocess.Popen[str]:
    """``python *words`` in ``folder``, in a session of its own, in which nobody has told it to ignore interrupts."""
    return subprocess.Popen(
        [sys.executable, *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_heed,
        env={**os.environ, **ONE_THREAD, **environment},
    )


def ended(words: Sequence[str], folder: Path, **environment: str) -> tuple[int, str, str]:
    """(status, stdout, stderr) of a process that is left alone."""
    process = begin(words, folder, **environment)
    with process, contextlib.ExitStack() as last:
        last.callback(_kill, process)
        out, err = process.communicate(timeout=2 * PATIENCE)
    return process.returncode, out, err


def children(pid: int) -> list[int]:
    """The processes that descend from ``pid`` and run, by /proc (Linux)."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):  # it ended meanwhile
            state, parent, *_ = _stat(int(name))
            if state != "Z":
                parents[int(name)] = int(parent)
    found, generation = [], {pid}
    while generation:
        generation = {child for child, parent in parents.items() if parent in generation}
        found += sorted(generation)
    return found


def attending(pid: int) -> list[int]:
    """Those of :func:`children` that leave interrupts to others: workers that have read all that their parent sends
    at the start (and Python's own resource tracker). Killed before, Python itself says so in its workers' names."""
    return [child for child in children(pid) if _ignored(child) >> (signal.SIGINT - 1) & 1]


def _ignored(pid: int) -> int:
    """The mask of the signals that a process ignores; 0 for one that has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1], 16) for line in lines if line.startswith("SigIgn:")), 0)


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended but was not waited for does not."""
    try:
        return _stat(pid)[0] != "Z"
    except OSError:
        return False


def _stat(pid: int) -> list[str]:
    """What /proc says of a process after its name: its state, its parent, ..."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def until(condition: Callable[[], object], seconds: float = PATIENCE) -> bool:
    """Whether the condition came true in time."""
    last = time.monotonic() + seconds
    while time.monotonic() < last:
        if condition():
            return True
        time.sleep(0.02)
    return False


def struck(
    process: subprocess.Popen[str], moment: Callable[[], object], number: signal.Signals, everyone: bool = False
) -> tuple[int, str, str, list[int]]:
    """Send the signal at the moment, to the whole session if ``everyone``: status, stdout, stderr, who still lives."""
    with process, contextlib.ExitStack() as last:  # whatever happens: killed, waited for, its pipes closed
        last.callback(_kill, process)
        assert until(lambda: moment() or process.poll() is not None), "the moment never came"
        assert process.poll() is None, process.communicate()
        family = children(process.pid)
        (os.killpg if everyone else os.kill)(process.pid, number)
        out, err = process.communicate(timeout=PATIENCE)
        until(lambda: not any(map(alive, family)), 10.0)
        return process.returncode, out, err, [pid for pid in family if alive(pid)]


@contextlib.contextmanager
def room(size: int) -> Iterator[None]:
    """No file of this process may grow beyond ``size`` bytes: where nothing can be mounted, a disk without room.

    For the body of a test, and not for a fixture: between the two pytest writes its progress, perhaps to a file.
    Nor does it keep what it compiles, of which Python before 3.14 would leave the first bytes for the next process.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        patch.setattr(sys, "dont_write_bytecode", True)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def _kill(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
