"""Dask: the same bits as in this process, a worker killed in mid-run, a scheduler that is not there."""

from __future__ import annotations

import os
import signal
import threading

import pytest

pytest.importorskip("distributed", reason="the dask extra is not installed")

from proofs_numeric.campaigns.campaign import run
from proofs_numeric.campaigns.executors import ExecutorError, SerialExecutor, executor
from proofs_numeric.campaigns.ledger import Ledger
from proofs_numeric.checks import registry

KEYS = [
    "prop:p2-infinite-variance/cubic",
    "prop:p2-infinite-variance/planted-exponent",
    "lem:hp-shared-clipped-bias-abstract/law-extremal-p1.5-tau16",
    "cor:hp-shared-localized-tuned/law-quadratic-d10-p2-pareto-axis-M16-delta1",
]
SEED = 12


def judged(pool, width=1, report=lambda finished, trials: None):
    with Ledger() as ledger:
        found = run([registry()[key] for key in KEYS], pool, ledger, SEED, width=width, report=report)
    return [(r.cell.key, r.judgement) for r in found]


@pytest.fixture(scope="module")
def local():
    with executor("dask") as (pool, width):
        yield pool, width


@pytest.fixture(scope="module")
def reference():
    return judged(SerialExecutor())


def test_the_numbers_are_those_of_this_process(local, reference):
    assert judged(*local) == reference


def test_a_killed_worker_is_survived(local, reference):
    """One worker process is killed after the third chunk; its nanny starts another, its chunks run elsewhere."""
    pool, width = local
    killed, lock, arrived = [], threading.Lock(), []

    def report(finished, trials):
        with lock:
            arrived.append(trials)
            if len(arrived) == 3:
                pid = next(iter(pool._client.run(os.getpid).values()))
                assert pid != os.getpid()
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    assert judged(pool, width, report) == reference
    assert len(killed) == 1 and len(arrived) > 6


def test_a_scheduler_that_is_not_there_is_told(monkeypatch):
    import distributed

    real = distributed.Client
    monkeypatch.setattr("dask.distributed.Client", lambda address, timeout: real(address, timeout="0.2s"))
    with (
        pytest.raises(ExecutorError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"),
        executor("dask:tcp://127.0.0.1:9"),
    ):
        pass
