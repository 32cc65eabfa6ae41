"""Interrupts, terminations and kills of real commands: the status says so, no traceback, no orphan, no half file, and
the same command again gives the same bytes."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import re
import signal
import sqlite3
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from faults import attending, begin, children, ended, struck, until
from slow import larger, more, thinned

from proofs_numeric.campaigns.executors import executor

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="children are found in /proc")

INT, TERM, KILL = signal.SIGINT, signal.SIGTERM, signal.SIGKILL
STATUS = {INT: 130, TERM: 143, KILL: -9}
HARD = ["app:sharp-momentum", "app:sharp-convergence", "thm:momentum-main", "rem:weak-moment"]
CHECK = ["-m", "boundcheck.lemma", "check", *HARD]
EXPERIMENT = ["-m", "proofs_numeric", "experiment", "controlled", "--quick", "-o", "x"]
OWN = """
from boundcheck.kernel.statement import Decide, Fact, Parameter, Statement, Step
from proofs_numeric.own import probability
import os, pathlib, time

S = Statement("a", "A", "lemma", "here", "x", parameters=(Parameter("x", "", ()),), claims=(Fact("x**2 >= 0"),),
              steps=(Step(Fact("x**2 >= 0"), Decide()),))
STATEMENTS = (S,)


def draw(rng, n):
    pathlib.Path(f"began.{os.getpid()}").touch()
    time.sleep(600)


CHECKS = (probability("a", "c", draw, 0.5, 0.6),)
"""


@pytest.fixture
def hanging(tmp_path: Path) -> Path:
    (tmp_path / "own.py").write_text(OWN)
    return tmp_path


def begun(folder: Path) -> list[Path]:
    return list(folder.glob("began.*"))


# ---------------------------------------------------------------- signals


@pytest.mark.parametrize(("number", "everyone"), thinned([(INT, True), (INT, False), (KILL, False), (TERM, False)], 4))
def test_check_ends_with_its_processes(tmp_path: Path, number: signal.Signals, everyone: bool):
    process = begin([*CHECK, "--json", "--certificates", "c"], tmp_path)
    status, out, err, left = struck(process, lambda: len(attending(process.pid)) >= 3, number, everyone)
    assert (status, left) == (STATUS[number], [])
    assert "Traceback" not in err
    if number is KILL:
        return
    verdicts = [r["verdict"] for r in json.loads(out)["results"]]
    assert len(verdicts) == len(HARD) and "UNDECIDED" in verdicts
    assert err.splitlines()[-1].startswith("interrupted")
    assert [p.name for p in (tmp_path / "c").iterdir() if p.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("executor", "number"),
    [("serial", INT), ("processes", KILL), *larger([("processes", INT), ("processes", TERM)])],
)
def test_a_run_ends_with_its_processes(hanging: Path, executor: str, number: signal.Signals):
    process = begin(["-m", "proofs_numeric", "run", "own.py", "--executor", executor], hanging)
    status, out, err, left = struck(process, lambda: begun(hanging), number, everyone=number is INT)
    assert (status, left) == (STATUS[number], [])
    assert "Traceback" not in err
    if number is KILL:
        assert out == ""
    else:  # what there is, what is open, and how to go on
        assert "PARTIAL: 1 of 1 cells are open" in out and "--ledger campaign.sqlite" in out
        assert "interrupted; with a ledger the same command goes on" in err


def test_processes_that_die_while_work_waits_leave_no_traceback(monkeypatch):
    """The thread that looks after them meets futures that were given up: it ends in silence."""
    told: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: told.append(args.exc_type.__name__))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})  # with one process its queue is full
    with executor("processes") as (pool, workers):
        waiting = [pool.submit(time.sleep, 600) for _ in range(3 * workers + 2)]
        assert until(lambda: sum(f.running() for f in waiting) > workers)
        time.sleep(1)  # the thread sleeps then, and has not seen that the rest is given up
        for future in waiting:
            future.cancel()
        for process in multiprocessing.active_children():
            process.kill()
    assert told == [] and all(future.done() for future in waiting)


def test_the_report_on_a_file_ends(hanging: Path):
    process = begin(["-m", "boundcheck.report", "own.py"], hanging)
    status, _, err, left = struck(process, lambda: begun(hanging), INT)
    assert (status, left) == (130, [])
    assert err.splitlines()[-1] == "interrupted" and "Traceback" not in err
    assert not (hanging / "own.md").exists()


@pytest.mark.thorough
@pytest.mark.parametrize("number", thinned([(KILL,), (INT,)], 2))
def test_an_experiment_ends_with_its_processes(tmp_path: Path, number: signal.Signals):
    process = begin(EXPERIMENT, tmp_path)
    status, out, err, left = struck(process, lambda: len(attending(process.pid)) >= 3, number)
    assert (status, out, left) == (STATUS[number], "", [])
    assert "Traceback" not in err
    assert number is KILL or err == "interrupted; with a ledger the same command goes on from here\n"


@pytest.mark.parametrize("number", thinned([(INT,), (KILL,)], 2))
@pytest.mark.parametrize("words", [more(CHECK), EXPERIMENT], ids=["check", "experiment"])
def test_workers_that_have_just_begun_end_too(tmp_path: Path, words: list[str], number: signal.Signals):
    """Whatever a worker is doing; after a kill Python itself may say that a worker could not read its beginning."""
    process = begin(words, tmp_path)
    status, _, err, left = struck(process, lambda: len(children(process.pid)) >= 2, number)
    assert (status, left) == (STATUS[number], [])
    assert number is KILL or "Traceback" not in err


# ---------------------------------------------------------------- kill -9, and once more


@pytest.mark.thorough
def test_a_report_that_is_killed_leaves_whole_files_and_is_written_again(tmp_path: Path, monkeypatch):
    """Killed while it writes, in the place of the fourth file; then the same once more, which is let alone. Both write
    what this process rendered, with the three figures that are drawn at once: that every process renders the same is
    shown by the commands of the README, which must give back the pages that are committed."""
    from boundcheck import report

    whole = report.rendered("R.md")
    once = replace(whole, figures=whole.figures[-3:])
    assert all(figure.name.startswith("graph") for figure in once.figures)
    monkeypatch.setattr(report, "rendered", lambda front: once)
    assert report.main(["-o", str(tmp_path / "good" / "R.md")]) == 0
    good = files(tmp_path / "good")
    (tmp_path / "rendered").write_bytes(pickle.dumps(once))
    stop = (
        "import os, pathlib, pickle, signal, sys\n"
        "from boundcheck import report\n"
        "once = pickle.loads(pathlib.Path('../rendered').read_bytes())\n"
        "report.rendered = lambda front: once\n"
        "replace, left = pathlib.Path.replace, [int(sys.argv[1])]\n"
        "def stopped(self, target):\n"
        "    left[0] -= 1\n"
        "    if left[0] < 0:\n        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return replace(self, target)\n"
        "pathlib.Path.replace = stopped\n"
        "sys.exit(report.main(['-o', 'R.md']))\n"
    )
    folder = tmp_path / "killed"
    folder.mkdir()
    (folder / "R.md").write_text("the old report\n")
    status, _, err = ended(["-c", stop, "3"], folder)
    assert (status, err) == (-9, "")
    torn = files(folder)
    assert torn.pop("R.md") == b"the old report\n"
    assert len(torn) == 3 and all(good[name] == content for name, content in torn.items())
    assert ended(["-c", stop, "1000000"], folder)[0] == 0
    assert files(folder) == good


def files(folder: Path) -> dict[str, bytes]:
    """Name -> content of what a reader looks at; a name with a dot in front is what a kill left.

    Matplotlib names the clip paths of an SVG after addresses in memory: these names are left out.
    """
    return {
        str(p.relative_to(folder)): re.sub(rb"\bp[0-9a-f]{10}\b", b"p", p.read_bytes())
        for p in sorted(folder.rglob("*"))
        if p.is_file() and not p.name.startswith(".")
    }


CELLS = [
    "prop:p2-infinite-variance/cubic",
    "prop:p2-infinite-variance/planted-exponent",
    "cor:hp-shared-localized-tuned/quadratic-d10-p2-pareto-axis-M16-delta1",
]
RUN = ["-m", "proofs_numeric", "run", *CELLS, "--json"]


def told(out: str) -> dict:
    """What ``run --json`` printed, but for the clock."""
    data = json.loads(out)
    for part in ("results", "companions", "planted"):
        for record in data[part]:
            del record["seconds"]
    return data


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict:
    status, out, err = ended(RUN, tmp_path_factory.mktemp("undisturbed"))
    assert (status, err) == (0, "")
    return told(out)


def rows(ledger: Path) -> int:
    try:
        with sqlite3.connect(f"file:{ledger}?mode=ro", uri=True) as db:
            return db.execute("SELECT COUNT(*) FROM chunks").fetchone()[0]
    except sqlite3.Error:
        return 0


@pytest.mark.thorough
def test_two_processes_killed_in_a_campaign_go_on_to_the_same_numbers(tmp_path: Path, undisturbed: dict):
    words = [*RUN, "--ledger", "l", "--executor", "processes"]
    process = begin(words, tmp_path)
    status, out, _, left = struck(process, lambda: rows(tmp_path / "l") >= 2, KILL)
    assert (status, out, left) == (-9, "", [])
    before = rows(tmp_path / "l")
    status, out, err = ended(words, tmp_path)
    assert (status, err) == (0, "") and told(out) == undisturbed
    assert rows(tmp_path / "l") > before >= 2


@pytest.mark.thorough
def test_two_campaigns_on_one_ledger_give_the_same_numbers(tmp_path: Path, undisturbed: dict):
    """Both finish, or one is told in a line; nothing wrong is printed or stored."""
    words = [*RUN, "--ledger", "l"]
    both = [begin(words, tmp_path) for _ in range(2)]
    found = [(p.communicate(timeout=120), p.returncode) for p in both]
    assert 0 in [status for _, status in found]
    for (out, err), status in found:
        assert (status == 0 and told(out) == undisturbed) or (
            (status, out) == (2, "") and err.startswith("error: the ledger l is locked") and err.count("\n") == 1
        )
    before = rows(tmp_path / "l")
    status, out, _ = ended(words, tmp_path)
    assert status == 0 and told(out) == undisturbed
    assert rows(tmp_path / "l") == before  # nothing was left to run
