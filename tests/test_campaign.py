"""Campaigns: the same bits whatever the workers, the order or the interruption; clear errors, whole files."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path

import doors
import numpy as np
import pytest

from boundcheck.app.campaign_tables import Pace
from proofs_numeric.__main__ import main
from proofs_numeric.campaigns import campaign, results
from proofs_numeric.campaigns.campaign import CampaignError, run
from proofs_numeric.campaigns.executors import ExecutorError, SerialExecutor, executor
from proofs_numeric.campaigns.ledger import Chunk, Ledger, LedgerError
from proofs_numeric.checks import registry
from proofs_numeric.checks.cell import PLANTED
from proofs_numeric.model.streams import SEED as SEED_OF_RUNS

FEW = [
    "prop:p2-infinite-variance/cubic",
    "prop:p2-infinite-variance/planted-exponent",
    "lem:hp-shared-clipped-bias-abstract/law-extremal-p1.5-tau16",
    "cor:hp-shared-localized-tuned/quadratic-d10-p2-pareto-axis-M16-delta1",
]
SEED = 11


def few():
    return [registry()[key] for key in FEW]


def numbers(found, seed=SEED):
    """Everything but the clock."""
    data = results.summary(found, seed)
    for part in ("results", "companions", "planted"):
        for record in data[part]:
            del record["seconds"]
    return data, [r.judgement for r in found]


@pytest.fixture(scope="module")
def reference():
    with Ledger() as ledger:
        return numbers(run(few(), SerialExecutor(), ledger, SEED))


class Shuffled(SerialExecutor):
    """Finishes what is in flight in the worst order: the last submitted first, and only when waited for."""

    def __init__(self):
        self.waiting: list[tuple[Future, tuple]] = []

    def submit(self, fn, /, *args, **kwargs):
        future: Future = Future()
        self.waiting.append((future, (fn, args)))
        if len(self.waiting) > 2:
            for late, (call, arguments) in self.waiting[::-1]:
                late.set_result(call(*arguments))
            self.waiting.clear()
        return future


def test_the_order_of_arrival_does_not_matter(reference, monkeypatch):
    shuffled = Shuffled()
    real = campaign.wait

    def flush(flying, **options):
        for late, (call, arguments) in shuffled.waiting[::-1]:
            late.set_result(call(*arguments))
        shuffled.waiting.clear()
        return real(flying, **options)

    monkeypatch.setattr(campaign, "wait", flush)
    with Ledger() as ledger:
        assert numbers(run(few(), shuffled, ledger, SEED, width=4)) == reference


@pytest.mark.parametrize("workers", [1, 2])
def test_processes_give_the_same_numbers(reference, workers):
    with Ledger() as ledger, ProcessPoolExecutor(workers) as pool:
        assert numbers(run(few(), pool, ledger, SEED, width=workers)) == reference


def test_cells_do_not_depend_on_their_company(reference):
    with Ledger() as ledger:
        alone = run(few()[2:3], SerialExecutor(), ledger, SEED)
    assert alone[0].judgement == reference[1][2]


def test_another_seed_gives_other_numbers(reference):
    with Ledger() as ledger:
        assert numbers(run(few(), SerialExecutor(), ledger, SEED + 1))[1] != reference[1]


def test_a_stopped_run_resumes_to_the_same_numbers(reference, tmp_path):
    path = tmp_path / "ledger"
    calls = []

    class Dies(SerialExecutor):
        def submit(self, fn, /, *args, **kwargs):
            calls.append(args)
            if len(calls) == 5:
                raise KeyboardInterrupt
            return super().submit(fn, *args, **kwargs)

    with Ledger(path) as ledger, pytest.raises(KeyboardInterrupt):
        run(few(), Dies(), ledger, SEED)
    with Ledger(path) as ledger:
        assert ledger.progress()[0][2] == 4
        assert numbers(run(few(), SerialExecutor(), ledger, SEED)) == reference
    with Ledger(path) as ledger:
        assert numbers(run(few(), Refuses(), ledger, SEED)) == reference


class Refuses(SerialExecutor):
    def submit(self, fn, /, *args, **kwargs):
        raise AssertionError("nothing was left to run")


def test_kill_9_then_the_same_command_gives_the_same_bits(reference, tmp_path):
    ledger = tmp_path / "ledger"
    command = [
        sys.executable,
        "-m",
        "proofs_numeric",
        "run",
        *FEW,
        "--seed",
        str(SEED),
        "--ledger",
        str(ledger),
        "--json",
    ]
    slow = (
        "import time, proofs_numeric.campaigns.campaign as c; s = c.simulate\n"
        "def simulate(task):\n    time.sleep(0.1)\n    return s(task)\n"
        "c.simulate = simulate\n"
        f"from proofs_numeric.__main__ import main; main({command[3:]!r})"
    )
    victim = subprocess.Popen([sys.executable, "-c", slow], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until = time.monotonic() + 60
    while time.monotonic() < until:
        time.sleep(0.05)
        if ledger.exists() and rows(ledger) >= 3:
            break
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    assert victim.returncode == -signal.SIGKILL
    assert rows(ledger) >= 3
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    for part in ("results", "companions", "planted"):
        for record in data[part]:
            del record["seconds"]
    assert data == reference[0]


def rows(path: Path) -> int:
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
            return db.execute("SELECT COUNT(*) FROM chunks").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def test_a_short_time_gives_a_partial_answer_that_says_so(reference):
    with Ledger() as ledger:
        found = run(few(), SerialExecutor(), ledger, SEED, seconds=1e-9)
    data = results.summary(found, SEED)
    assert data["partial"]
    assert all(r["verdict"] == "UNDERPOWERED" and r["partial"] for r in data["results"])
    assert not any(p["caught"] for p in data["planted"])


def test_a_changed_question_does_not_read_old_rows(tmp_path):
    cell = few()[0]
    with Ledger(tmp_path / "ledger") as ledger:
        run([cell], SerialExecutor(), ledger, SEED)
        before = ledger.progress()[0][2]
        run([replace(cell, chunk=cell.chunk // 2)], SerialExecutor(), ledger, SEED)
        assert ledger.progress()[0][2] == 3 * before


def test_a_nan_stops_the_run_and_names_the_cell(monkeypatch):
    cell = replace(few()[0], draw=lambda rng, n: np.full(n, np.nan))
    monkeypatch.setattr(campaign, "find", lambda key: cell)
    with Ledger() as ledger, pytest.raises(CampaignError, match=r"prop:p2-infinite-variance/cubic: .* are NaN"):
        run([cell], SerialExecutor(), ledger, SEED)


class Dying(SerialExecutor):
    """Loses its workers at the third chunk."""

    def __init__(self):
        self.left = 2

    def submit(self, fn, /, *args, **kwargs):
        self.left -= 1
        if self.left >= 0:
            return super().submit(fn, *args, **kwargs)
        future: Future = Future()
        future.set_exception(BrokenProcessPool("a process died"))
        return future


def test_dead_workers_are_told_and_the_ledger_goes_on(tmp_path, reference):
    with Ledger(tmp_path / "ledger") as ledger, pytest.raises(CampaignError, match="workers died"):
        run(few(), Dying(), ledger, SEED)
    assert rows(tmp_path / "ledger") == 2
    with Ledger(tmp_path / "ledger") as ledger:
        assert numbers(run(few(), SerialExecutor(), ledger, SEED)) == reference


# ---------------------------------------------------------------- ledgers


def test_a_corrupt_ledger_is_told_and_left_alone(tmp_path):
    path = tmp_path / "ledger"
    path.write_text("this is not a database, and longer than a header of one hundred bytes " * 4)
    before = path.read_bytes()
    with pytest.raises(LedgerError, match="not a readable ledger"):
        Ledger(path)
    assert path.read_bytes() == before


DAMAGES = [
    "summary = '[1,'",
    "summary = '[1, 3]'",
    "trials = 11",
    "near = NULL",
    "chunk = 7",
    "summary = x'ff'",
    "digest = ''",
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_row_is_told(tmp_path, damage):
    path = tmp_path / "ledger"
    with Ledger(path) as ledger:
        ledger.write(1, "a", "f", 0, 0, Chunk([1, 2], 10, 0.1, 3))
    with sqlite3.connect(path) as db:
        db.execute(f"UPDATE chunks SET {damage}")
    with Ledger(path) as ledger, pytest.raises(LedgerError, match="damaged row"):
        ledger.read(1, "a", "f")


def test_a_locked_ledger_is_told(tmp_path, monkeypatch):
    path = tmp_path / "ledger"
    real = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda p, **kw: real(p, **{**kw, "timeout": 0.05}))
    with Ledger(path) as ledger:
        blocker = real(path)
        blocker.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="locked by another process"):
            ledger.write(1, "a", "f", 0, 0, Chunk([1], 10, 0.1, None))
        blocker.rollback()
        ledger.write(1, "a", "f", 0, 0, Chunk([1], 10, 0.1, None))
        blocker.close()


def test_a_full_disk_keeps_what_was_written(tmp_path):
    with Ledger(tmp_path / "ledger") as ledger:
        ledger.write(1, "a", "f", 0, 0, Chunk([1], 10, 0.1, None))
        pages = ledger._db.execute("PRAGMA page_count").fetchone()[0]
        ledger._db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(LedgerError, match=r"disk full.*rows written so far are kept"):
            for chunk in range(1, 2000):
                ledger.write(1, "a", "f", 0, chunk, Chunk([1] * 50, 10, 0.1, 0))
        assert (0, 0) in ledger.read(1, "a", "f")


def test_another_schema_is_told(tmp_path):
    path = tmp_path / "ledger"
    Ledger(path).close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    with pytest.raises(LedgerError, match="schema 99"):
        Ledger(path)


# ---------------------------------------------------------------- front door


def ask(capsys, *argv):
    status = main(list(argv))
    out, err = capsys.readouterr()
    return status, out, err


def test_run_json_has_the_fields_of_the_contract(capsys):
    status, out, err = ask(capsys, "run", *FEW, "--seed", "3", "--json")
    data = json.loads(out)
    assert (status, err) == (0, "")
    assert [r["name"] for r in data["results"]] == [FEW[0], FEW[3]]
    for record in data["results"]:
        assert {"name", "verdict", "trials", "bad", "claimed", "upper", "detectable", "seconds"} <= set(record)
        assert record["verdict"] == "CONSISTENT"
    assert [(p["name"], p["caught"]) for p in data["planted"]] == [(FEW[1], True)]


def test_run_counts_what_is_not_finished_as_nothing_else(capsys):
    """A law that was not drawn has not held, and a falsehood that was not drawn has not gone uncaught."""
    status, out, _ = ask(capsys, "run", *FEW, "--seconds", "1e-9")
    told = [line for line in out.splitlines() if not line.startswith("  python ")]  # a command is there to be copied
    assert status == 0 and max(map(len, told)) <= 100
    for label, left in (("prop:p2-infinite-variance", "2"), ("lem:hp-shared-clipped-bias-abstract", "1")):
        assert [line.split()[1:] for line in out.splitlines() if line.startswith(label)] == [[*"00000", "0/0", left]]
    assert "PARTIAL: 4 of 4 cells are open, that is, not finished\nnothing of it is kept; with a ledger" in out
    assert out.endswith(f"  python -m proofs_numeric run {' '.join(FEW)} --ledger campaign.sqlite\n")
    _, out, _ = ask(capsys, "run", *FEW)
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if "/" in line.split()[-1]}
    assert rows["prop:p2-infinite-variance"] == [*"10000", "1/1"] and "open" not in out
    assert rows["lem:hp-shared-clipped-bias-abstract"] == [*"00010", "0/0"]


def test_run_tells_the_precision_and_stops_where_it_does_not_hold(capsys, monkeypatch):
    status, out, _ = ask(capsys, "run", FEW[3], "--json")
    record = json.loads(out)["results"][0]["audit"]
    assert status == 0 and record["held"] and 0 <= record["discrepancy"] <= record["bound"] < 1e-10
    assert "precision: 1 cells recomputed in balls" in ask(capsys, "run", FEW[3])[1]
    twin = registry()["lem:hp-shared-directional-tail/planted-float32"]
    claimed = replace(twin, kind="companion")
    monkeypatch.setattr("proofs_numeric.__main__.registry", lambda: {claimed.key: claimed})
    status, _, err = ask(capsys, "run")
    assert status == 2
    assert re.fullmatch(r"error: \S+/planted-float32: floats are off by \S+ where \S+ is declared\n", err)


def test_a_refuted_statement_gives_status_1(capsys, monkeypatch):
    cell = registry()[FEW[1]]
    claimed = replace(cell, kind="claim")
    assert cell.kind == PLANTED
    monkeypatch.setattr("proofs_numeric.__main__.registry", lambda: {claimed.key: claimed})
    status, out, _ = ask(capsys, "run")
    assert status == 1
    assert f"REFUTED-STAT: {claimed.key}" in out


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("run", "lem:hp-shared-clipping-bia"), "did you mean lem:hp-shared-clipping-bias?"),
        (("run", "a", "b"), "unknown check a"),
        (("run", "--seconds", "nan"), "not a positive number"),
        (("run", "--seed", "-1"), "not a nonnegative integer"),
        (("run", "--executor", "threads"), "unknown executor 'threads'"),
        (("run", "--ledger", "/no/such/folder/ledger"), "cannot be opened"),
        (("run", "--save", "thm:tuned-dev"), "--save stores a complete run"),
        (("status", "--ledger", "/no/such/ledger"), "there is no ledger"),
        (("experiment", "controled"), "did you mean controlled?"),
        (("dance",), "invalid choice"),
        ((), "required"),
    ],
)
def test_unusable_input_is_one_line_and_status_2(capsys, argv, said):
    status, out, err = ask(capsys, *argv)
    assert (status, out) == (2, "")
    assert said in err
    assert all(line.startswith("error: ") for line in err.splitlines())
    assert "Traceback" not in err


def test_all_faults_are_told_at_once(capsys):
    _, _, err = ask(capsys, "run", "first", "second")
    assert len(err.splitlines()) == 2


def test_list_and_status(capsys, tmp_path):
    status, out, _ = ask(capsys, "list")
    assert status == 0
    assert "lem:hp-shared-clipping-bias" in out and "thm:tuned-dev" in out
    path = str(tmp_path / "ledger")
    assert ask(capsys, "run", FEW[0], "--ledger", path, "--json")[0] == 0
    status, out, _ = ask(capsys, "status", "--ledger", path)
    assert status == 0
    cells = len(registry())
    assert out.startswith(f"seed {SEED_OF_RUNS}: 1 of {cells} cells finished, 0 begun, {cells - 1} not begun; ")
    assert "1  claims CONSISTENT\n" in out
    assert out.endswith(f"  go on with: python -m proofs_numeric run --ledger {path}\n")
    status, out, _ = ask(capsys, "status", FEW[3], "--ledger", path)
    assert status == 0 and ": 0 of 1 cells finished, 0 begun, 1 not begun; 0 trials drawn" in out
    assert "1 other cell; `status FILE.py --ledger " in out


def test_an_old_row_is_told_and_not_counted(capsys, tmp_path, monkeypatch):
    path = str(tmp_path / "ledger")
    assert ask(capsys, "run", FEW[0], "--ledger", path)[0] == 0
    monkeypatch.setattr(campaign, "code_digest", lambda: "another version")
    _, out, _ = ask(capsys, "status", FEW[0], "--ledger", path)
    assert ": 0 of 1 cells finished" in out and "1 cells drawn by another version" in out


def test_an_interrupt_shows_what_was_decided_and_how_to_go_on(capsys, tmp_path, monkeypatch):
    """The interrupt comes with the third cell; the first two are judged, and the same command goes on from them."""
    real = campaign.simulate

    def simulate(task):
        if task.cell == FEW[2]:
            raise KeyboardInterrupt
        return real(task)

    monkeypatch.setattr(campaign, "simulate", simulate)
    path = str(tmp_path / "ledger")
    status, out, err = ask(capsys, "run", *FEW, "--ledger", path)
    assert status == 130 and err.splitlines()[-1].startswith("interrupted")
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.startswith("prop:p2")}
    assert rows["prop:p2-infinite-variance"][:6] == [*"10000", "1/1"]
    assert "PARTIAL: 2 of 4 cells are open, that is, not finished; about " in out
    assert f"finished chunks are kept in {path}; this goes on from there:" in out
    monkeypatch.setattr(campaign, "simulate", real)
    status, out, _ = ask(capsys, "run", *FEW, "--ledger", path)
    assert status == 0 and "PARTIAL" not in out


def test_how_far_a_run_is_follows_from_what_the_cells_cost(monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr("boundcheck.system.progress.time.monotonic", lambda: now[0])
    progress = Pace([1.0, 1.0, 2.0, 4.0])
    progress.report(1, 1000)  # the ledger held the first cell
    assert capsys.readouterr().err == ""
    now[0] = 20.0
    progress.report(2, 1000)
    assert capsys.readouterr().err == "2 of 4 cells  100 trials/s  about 2 min left\n"
    progress.report(3, 1000)
    assert capsys.readouterr().err == ""


def test_nothing_is_drawn_where_there_is_no_terminal(monkeypatch, tmp_path):
    monkeypatch.setenv("NO_COLOR", "1")
    done = doors.here("proofs_numeric", ["run", FEW[0]], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout


def test_stored_results_are_deterministic_but_for_provenance(tmp_path):
    stored = []
    for name in ("one", "two"):
        with Ledger() as ledger:
            found = run(few(), SerialExecutor(), ledger, SEED)
        results.write(tmp_path / name, results.stored(found, SEED, 1.0, "serial"))
        stored.append(json.loads((tmp_path / name).read_text()))
        assert {"date", "numpy", "python"} <= set(stored[-1].pop("provenance"))
    assert stored[0] == stored[1]
    assert sorted(os.listdir(tmp_path)) == ["one", "two"]
    quantile = stored[0]["cells"][3]["quantile"]
    assert 0 < quantile["low"] <= quantile["high"] < quantile["bound"]


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "stored.json"
    results.write(path, {"a": 1})
    with pytest.raises(ValueError, match="JSON"):
        results.write(path, {"a": float("nan")})
    assert json.loads(path.read_text()) == {"a": 1}
    assert os.listdir(tmp_path) == ["stored.json"]


def test_unknown_executors_are_refused():
    with pytest.raises(ExecutorError, match="serial, processes"), executor("grid"):
        pass


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(20))
def test_no_master_seed_refutes_a_true_statement(seed):
    """The whole suite but what is planted; a false REFUTED-STAT has probability 1e-6 a seed."""
    cells = [c for c in registry().values() if c.kind != PLANTED]
    with Ledger() as ledger, executor("processes") as (pool, width):
        found = run(cells, pool, ledger, seed, width=width)
    assert [r.cell.key for r in found if str(r.judgement.status) == "REFUTED-STAT"] == []
