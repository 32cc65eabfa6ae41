"""Worker processes: order of results is free, a crash or a hang costs one result, closing ends all."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time

import pytest

from boundcheck.system.workers import GIB, Assignment, Lost, run


def double(x: int) -> int:
    return 2 * x


def crash() -> None:
    os._exit(7)


def hang() -> None:
    time.sleep(600)


def work(seconds: float) -> float:
    start = time.process_time()
    while time.process_time() - start < seconds:
        pass
    return seconds


def fail() -> None:
    raise ValueError("no such luck")


def test_one_bad_job_costs_one_result():
    jobs = [
        Assignment(double, (1,)),
        Assignment(crash, ()),
        Assignment(hang, (), 0.5),
        Assignment(fail, ()),
        Assignment(double, (5,)),
    ]
    found = dict(run(jobs, 2))
    assert found[0] == 2 and found[4] == 10
    assert isinstance(found[1], Lost) and "status 7" in str(found[1])
    assert isinstance(found[2], Lost) and "no answer within 0.5 s" in str(found[2])
    assert isinstance(found[3], Lost) and isinstance(found[3].__cause__, ValueError)
    assert multiprocessing.active_children() == []


def test_closing_ends_the_processes():
    stream = run([Assignment(double, (1,)), Assignment(hang, ()), Assignment(hang, ())], 2)
    assert next(stream) == (0, 2)
    stream.close()
    assert multiprocessing.active_children() == []


def test_a_worker_that_is_not_let_on_a_processor_is_not_charged():
    """Stopped, as on a machine that is busy with other work: the wall goes on for twice the limit, the job keeps its
    time. It is the second job of its worker: what a process needs to begin is behind it."""
    held: list[float] = []
    stream = run([Assignment(double, (1,)), Assignment(work, (0.3,), 1.0)], 1, tick=lambda: begun and hold(held))
    begun = False
    assert next(stream) == (0, 2)
    begun = True
    assert next(stream) == (1, 0.3) and len(held) == 2
    stream.close()


def hold(held: list[float]) -> None:
    (child,) = multiprocessing.active_children()
    if not held:
        os.kill(child.pid, signal.SIGSTOP)
        held.append(time.monotonic())
    elif len(held) == 1 and time.monotonic() - held[0] > 2.0:
        os.kill(child.pid, signal.SIGCONT)
        held.append(time.monotonic())


def test_a_worker_that_works_too_long_is_ended():
    (found,) = run([Assignment(work, (600.0,), 0.5)], 1)
    assert isinstance(found[1], Lost) and "no answer within 0.5 s of processor time" in str(found[1])


def fill(gib: float) -> int:
    held = bytearray(b"a") * int(gib * GIB)
    time.sleep(0.5)
    return len(held)


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="the system does not tell what a process holds")
def test_a_worker_that_fills_the_memory_is_ended():
    """And what a large result leaves behind is not charged to the next job: its process is a new one."""
    fills = [Assignment(fill, (gib,), memory=GIB // 2) for gib in (0.6, 0.4)]
    jobs = [*fills, Assignment(os.getpid, ())]
    stream = run(jobs, 1)
    _, lost = next(stream)
    (filled,) = multiprocessing.active_children()
    assert isinstance(lost, Lost) and "no answer within 0.5 GiB of memory" in str(lost)
    assert next(stream) == (1, int(0.4 * GIB))
    (anew,) = multiprocessing.active_children()
    assert anew.pid != filled.pid and next(stream) == (2, anew.pid)
    stream.close()
