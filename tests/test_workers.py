"""Worker processes: order of results is free, a crash or a hang costs one result, closing ends all."""

from __future__ import annotations

import multiprocessing
import os
import time

from boundcheck.workers import Job, Lost, run


def double(x: int) -> int:
    return 2 * x


def crash() -> None:
    os._exit(7)


def hang() -> None:
    time.sleep(600)


def fail() -> None:
    raise ValueError("no such luck")


def test_one_bad_job_costs_one_result():
    jobs = [Job(double, (1,)), Job(crash, ()), Job(hang, (), 0.5), Job(fail, ()), Job(double, (5,))]
    found = dict(run(jobs, 2))
    assert found[0] == 2 and found[4] == 10
    assert isinstance(found[1], Lost) and "status 7" in str(found[1])
    assert isinstance(found[2], Lost) and "no answer within 0.5 s" in str(found[2])
    assert isinstance(found[3], Lost) and isinstance(found[3].__cause__, ValueError)
    assert multiprocessing.active_children() == []


def test_closing_ends_the_processes():
    stream = run([Job(double, (1,)), Job(hang, ()), Job(hang, ())], 2)
    assert next(stream) == (0, 2)
    stream.close()
    assert multiprocessing.active_children() == []
