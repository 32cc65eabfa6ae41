"""Interrupts that Python drops, or makes a status of its own of, and those that come while a worker begins."""

from __future__ import annotations

import signal
import sys
import time
import weakref
from pathlib import Path

import pytest
from faults import ended

from boundcheck.system import exits

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="signals of POSIX")


class _Dropping:
    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


def _weakly() -> object:
    thing = type("Thing", (), {})()
    return weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))


@pytest.mark.parametrize("drop", [_weakly, _Dropping], ids=["weak reference", "destructor"])
def test_an_interrupt_that_python_drops_comes_again(drop, capsys):
    """Terms of formulas are cleared by weak references: an interrupt in one of these left the command running."""

    def command() -> int:
        drop()
        end = time.monotonic() + 20.0
        while time.monotonic() < end:
            time.sleep(0.001)
        return 0

    assert exits.attempt(command) == exits.INTERRUPTED
    assert capsys.readouterr().err == "interrupted\n"


def test_what_else_python_drops_is_told_as_ever(capsys):
    told = []
    usual, sys.unraisablehook = sys.unraisablehook, lambda unheard: told.append(unheard.exc_type)
    try:

        class Bad:
            def __del__(self) -> None:
                raise ValueError

        def command() -> int:
            Bad()
            return 0

        assert exits.attempt(command) == 0 and told == [ValueError]
    finally:
        sys.unraisablehook = usual


def test_the_door_is_left_where_nothing_can_be_told(tmp_path: Path):
    """The signal came while stderr was written: to write there again is an error of its own."""
    script = """
import signal, sys
from boundcheck.system import exits

class Busy:
    def write(self, text):
        raise RuntimeError("reentrant call")
    def flush(self):
        pass

exits.opening()
sys.stderr = Busy()
try:
    signal.raise_signal(signal.SIGINT)
except Exception:
    pass
"""
    assert ended(["-c", script], tmp_path) == (130, "", "")


def test_the_first_worker_begins_unheard_too(tmp_path: Path):
    """What looks after the memory of processes begins with the first of them, and let interrupts in again."""
    script = """
import signal
from multiprocessing import util
from boundcheck.system import workers

real, seen = util.spawnv_passfds, []

def spawn(path, args, fds):
    if not any("resource_tracker" in str(a) for a in args):
        seen.append(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))
    return real(path, args, fds)

if __name__ == "__main__":
    util.spawnv_passfds = spawn
    assert dict(workers.run([workers.Assignment(abs, (-1,)), workers.Assignment(abs, (-2,))])) == {0: 1, 1: 2}
    print(seen, signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))
"""
    (tmp_path / "begins.py").write_text(script)
    status, out, err = ended(["begins.py"], tmp_path)
    assert (status, out) == (0, "[True, True] False\n"), err


def test_an_interrupt_that_another_thread_is_given_waits_too(tmp_path: Path):
    """One thread's mask does not hold for the others: a worker that was being begun found half of what it is given."""
    script = """
import os, signal, threading, time
from boundcheck.system.workers import unheard

threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
for usual in (signal.default_int_handler, signal.SIG_IGN):
    signal.signal(signal.SIGINT, usual)
    try:
        with unheard():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)
            print("begun", flush=True)
        time.sleep(0.2)
        print("went on", flush=True)
    except KeyboardInterrupt:
        print("interrupted", signal.getsignal(signal.SIGINT) is usual, flush=True)
"""
    assert ended(["-c", script], tmp_path) == (0, "begun\ninterrupted True\nbegun\nwent on\n", "")


def test_the_status_is_that_of_the_interrupt_wherever_it_passed(tmp_path: Path):
    """Through the exec of a text it had Python end by a signal, although it was caught."""
    script = """
import sys
from boundcheck.system import exits

exits.opening()
print("so far")
sys.exit(exits.attempt(lambda: exec("raise KeyboardInterrupt")))
"""
    (tmp_path / "passes.py").write_text(script)
    assert ended(["-m", "passes"], tmp_path) == (130, "so far\n", "interrupted\n")
