"""Budgets count the work done: what else the machine does, and the time asleep, decides nothing."""

from __future__ import annotations

import gc
import math
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from weakref import WeakValueDictionary

import pytest

from boundcheck.decide import decide
from boundcheck.decide.scalar import symbolic
from boundcheck.decide.scalar.prover import OutOfTime, Prover
from boundcheck.decide.scalar.symbolic import watched
from boundcheck.kernel.certificate import verify
from boundcheck.kernel.clock import budget, deadline, passed, seconds_used
from boundcheck.kernel.formula import Expr, parse, parse_relation
from boundcheck.kernel.proof.definedness import demanded
from boundcheck.kernel.proof.sorts import Sort
from boundcheck.kernel.statement import Claim
from boundcheck.verdict import Status

CLAIM = Claim.read("exp(x) >= 1 + x", ["-1 <= x", "x <= 1"])


def test_time_asleep_is_not_counted():
    prover = Prover(0.2, ())
    time.sleep(0.3)
    prover.clock()
    assert prover.left() > 0.1


def test_work_is_counted():
    prover, start = Prover(0.05, ()), seconds_used()
    while seconds_used() - start <= 0.05:
        pass
    with pytest.raises(OutOfTime):
        prover.clock()


def test_a_budget_ends_with_the_work_and_asks_the_system_seldom(monkeypatch):
    read, asked = time.thread_time, []
    monkeypatch.setattr(time, "thread_time", lambda: asked.append(1) or read())
    end, looks = seconds_used() + 0.05, 0
    asked.clear()
    while not passed(end):
        looks += 1
    assert read() > end and looks > 50 * len(asked) > 0
    assert passed(end) and not passed(end + 100) and passed(-math.inf)


def test_each_thread_has_a_clock_of_its_own():
    def worked(seconds):
        while seconds_used() <= seconds:
            pass

    with ThreadPoolExecutor(1) as busy, ThreadPoolExecutor(1) as idle:
        busy.submit(worked, 0.05).result()
        idle.submit(seconds_used).result()  # the last reading, and next to nothing
        assert busy.submit(passed, 0.05).result() and not idle.submit(passed, 0.05).result()


def test_a_machine_that_stalls_changes_no_verdict(monkeypatch):
    """Every look at the clock takes longer than the whole budget, as beside other work."""
    verdict = decide(CLAIM, seconds=2.0)
    assert verdict.status is Status.PROVED and verdict.seconds < 2.0
    wall, step = time.monotonic, iter(range(10**9))
    monkeypatch.setattr(time, "monotonic", lambda: wall() + 100.0 * next(step))
    monkeypatch.setattr(time, "perf_counter", time.monotonic)
    again = decide(CLAIM, seconds=2.0)
    assert (again.status, again.certificate) == (verdict.status, verdict.certificate)
    assert verify(again.certificate, CLAIM, seconds=2.0).valid


@pytest.mark.parametrize("search", (lambda: Prover(60.0, ()).left(), lambda: deadline(60.0) - seconds_used()))
def test_a_search_has_no_more_time_than_the_budget_around_it(search):
    assert search() > 50
    with budget(1.0):
        assert search() <= 1.0
    assert search() > 50


def test_a_search_in_a_budget_that_is_spent_finds_nothing():
    """Whatever the speed of the machine: a closed integral has a proof in a second, by its antiderivative."""
    claim = Claim.read("integral(exp(-t**2), t, 0, 2) <= 8/9", [])
    with budget(0.0):
        assert decide(claim, seconds=60.0).status is Status.UNDECIDED
    assert decide(claim, seconds=60.0).status is Status.PROVED


def test_a_look_at_an_integral_in_a_budget_that_is_spent_is_not_remembered():
    """It is seen to be above 0 where there is time; looks at other terms are made once."""
    term, sure = parse("1/integral(exp(-t**2*x), t, 0, x)"), [parse_relation("x >= 1"), parse_relation("x <= 2")]
    with budget(0.0):
        assert demanded((term, (), {}), sure, (), {"x": Sort("real")}) is not None
    assert demanded((term, (), {}), sure, (), {"x": Sort("real")}) is None


def in_thread(run):
    with ThreadPoolExecutor(1) as pool:
        pool.submit(run).result()


@pytest.mark.parametrize("place", (lambda run: run(), in_thread), ids=("main thread", "another thread"))
def test_the_clock_of_sympy_is_not_heard_where_a_weak_reference_is_cleared(place):
    """An exception there is lost: it is raised at the next call of something else."""

    class Term:
        pass

    def late():
        raise OutOfTime

    def anything():
        return None

    def run():
        with watched(late):
            if threading.current_thread() is threading.main_thread():
                signal.raise_signal(signal.SIGVTALRM)  # as the timer does
            while terms:
                terms.pop()  # clears a reference, with no other call of a function in Python
            for _ in range(500):
                anything()

    kept = WeakValueDictionary()
    terms = [Term() for _ in range(600)]
    for n, term in enumerate(terms):
        kept[n] = term
    del term
    profile = sys.getprofile()
    with pytest.raises(OutOfTime):
        place(run)
    assert not terms and not kept
    assert sys.getprofile() is profile and signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)


@pytest.mark.parametrize("place", (lambda run: run(), in_thread), ids=("main thread", "another thread"))
def test_the_clock_of_sympy_is_not_heard_in_what_the_collector_calls(place, monkeypatch):
    """An exception there is lost, in what it calls as well and in ``__del__``: it is raised at the next call."""
    lost, calls = [], []

    class Term:
        def __del__(self):
            anything()

    def late():
        raise OutOfTime

    def anything():
        calls.append(None)

    def collected(phase, info):
        anything()

    def run():
        with watched(late):
            for _ in range(300):
                if threading.current_thread() is threading.main_thread():
                    signal.raise_signal(signal.SIGVTALRM)  # as the timer does
                gc.collect(0)
                Term()
            anything()

    monkeypatch.setattr(sys, "unraisablehook", lost.append)
    gc.callbacks.append(collected)
    try:
        with pytest.raises(OutOfTime):
            place(run)
    finally:
        gc.callbacks.remove(collected)
    assert not lost and len(calls) >= 2


def test_sympy_is_stopped_when_its_time_is_spent_and_what_was_there_before_is_there_again(monkeypatch):
    """Without a hook on all calls: few looks are made, and none after the end."""
    looks = []

    def clock():
        looks.append(seconds_used())
        if looks[-1] - start > 0.05:
            raise OutOfTime

    def work(calls):
        for _ in range(calls):
            abs(len(looks))
            tuple(n for n in range(3))
            (lambda: None)()

    handler, profile, start = signal.getsignal(signal.SIGVTALRM), sys.getprofile(), seconds_used()
    with pytest.raises(OutOfTime), watched(clock):
        work(10**6)  # more than a second
    assert len(looks) < 100  # a look every 10 ms, not each of 100,000 calls
    assert signal.getsignal(signal.SIGVTALRM) is handler and sys.getprofile() is profile
    made = len(looks)
    work(10**4)
    assert len(looks) == made


@pytest.mark.parametrize(
    "power", ("k**#", "(k + 1)**#/k", "exp((k + 1)**#)", "(k*(k + 1))**(-#)", "(k**2 + k + 1)**#")
)
def test_sympy_is_not_asked_what_it_would_multiply_out_in_one_breath(power, monkeypatch):
    """(k + 1)**1000000 has a million terms; it holds gigabytes before a function is called that looks at a clock."""
    asked: list[Expr] = []
    monkeypatch.setattr(symbolic, "to_sympy", lambda e, symbols: asked.append(e))
    for at, count in ((30_000, 0), (3, 5)):
        term = parse(power.replace("#", str(at)))
        assert symbolic.antidifference(term, "k", lambda: None) is None
        assert symbolic.antiderivative(term, "k", lambda: None) == []
        assert len(asked) == count
