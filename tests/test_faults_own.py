"""A user's program may do anything: what it raises, returns, prints or leaves behind is told in one line of its own,
and never becomes a verdict, a status or another check's number."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from faults import ended

import proofs_numeric.__main__ as proofs
from boundcheck import lemma, report
from proofs_numeric.campaigns import campaign
from proofs_numeric.campaigns.executors import SerialExecutor
from proofs_numeric.campaigns.ledger import Ledger
from proofs_numeric.checks import registry

HEAD = """
import os, sys, time, warnings
import numpy as np
from boundcheck.kernel.statement import *
from proofs_numeric.own import mean, probability

STATEMENTS = (Statement("a", "A", "lemma", "here", "x", parameters=(Parameter("x", "", ()),),
                        claims=(Fact("x**2 >= 0"),), steps=(Step(Fact("x**2 >= 0"), Decide()),)),)


OWN = np.random.default_rng(3)


class Silent(Exception):
    def __str__(self):
        raise RuntimeError


class Odd(BaseException):
    pass


def draw(rng, n):
    {body}
    return rng.random(n)


CHECKS = (probability("a", "c", draw, 0.5, 0.6, trials=1 << 10),)
"""
BROKEN = {
    "raise RuntimeError('one\\ntwo')": "RuntimeError: one two",
    "raise Silent": "Silent: its text cannot be had",
    "raise Odd('odd')": "Odd: odd",
    "raise GeneratorExit": "GeneratorExit",
    "sys.exit(0)": "SystemExit: 0",
    "raise MemoryError": "MemoryError",
    "return draw(rng, n)": "RecursionError",
    "return np.zeros(10**16)": "Unable to allocate",
    "return np.full(n, np.nan)": "are NaN",
    "return rng.random((n, 2))": "one value each is wanted",
    "return rng.random(n + 1)": "one value each is wanted",
    "return None": "one value each is wanted",
    "return 1j * rng.random(n)": "real numbers are wanted",
    "return ['0.1'] * n": "real numbers are wanted",
    "return [None] * n": "real numbers are wanted",
    "return np.ma.masked_greater(rng.random(n), 0.5)": "masked values",
    "return np.random.default_rng(3).random(n)": "no number from the generator",
    "return np.random.random(n)": "no number from the generator",
    "return OWN.random(n)": "no number from the generator",
    "return np.zeros(n)": "no number from the generator",
    "return rng.integers(0, 2, n) + 2**62": "no double holds",
    "return np.longdouble(0.5) + np.longdouble(2)**-60 * (rng.random(n) < 0.9)": "no double holds",
}


def ask(capsys, main, *words: object) -> tuple[int, str, list[str]]:
    status = main([str(w) for w in words])
    out, err = capsys.readouterr()
    return status, out, [line for line in err.splitlines() if not line.startswith("note: ")]


def written(folder: Path, body: str, head: str = "") -> Path:
    file = folder / "own.py"
    file.write_text(head + HEAD.replace("{body}", body))
    return file


@pytest.mark.parametrize("body", BROKEN)
def test_a_broken_oracle_is_one_line_and_status_2(tmp_path: Path, capsys, body: str):
    status, out, err = ask(capsys, proofs.main, "run", written(tmp_path, body), "--json")
    assert (status, out, len(err)) == (2, "", 1)
    assert err[0].startswith("error: a/c: ") and BROKEN[body] in err[0]


SOURCES = ("rng.spawn(1)[0]", "np.random.default_rng(rng.integers(2**60))", "np.random.Generator(rng.bit_generator)")


@pytest.mark.parametrize("source", SOURCES)
def test_a_generator_made_from_the_one_given_is_as_good(tmp_path: Path, capsys, source: str):
    status, out, err = ask(capsys, proofs.main, "run", written(tmp_path, f"return {source}.random(n)"), "--json")
    assert (status, err, json.loads(out)["results"][0]["verdict"]) == (0, [], "CONSISTENT")


def test_one_chunk_counted_many_times_refutes_nothing(tmp_path: Path, capsys):
    """A seed of its own gave every chunk of both stages the same 2^9 numbers, of which 292 are above 1/2."""
    path = written(tmp_path, "return np.random.default_rng(SEED).random(n)", "SEED = 118\n")
    path.write_text(
        path.read_text()
        .replace("CHECKS =", "from dataclasses import replace\nCHECKS =")
        .replace(
            'probability("a", "c", draw, 0.5, 0.6, trials=1 << 10),',
            'replace(probability("a", "c", draw, 0.5, 0.5, trials=1 << 14), chunk=1 << 9),',
        )
    )
    status, out, err = ask(capsys, proofs.main, "run", path, "--json")
    assert (status, out) == (2, "") and "no number from the generator" in err[0]


BESIDE = {  # numbers of its own beside those of rng: another kind each
    "rng.random(); return np.random.default_rng(118).random(n)": True,
    "return (np.random.default_rng(118).random(n) + 1e-3 * rng.random(n)) / 1.001": True,
    "return rng.choice([-1, 1], n) * np.random.default_rng(118).random(n)": True,
    "return rng.random(n) < np.random.default_rng(118).random(n)": True,
    "return (rng.random(n) + np.random.default_rng(118).random()) / 2": False,  # one constant: a law of its own
    "return rng.random(n) < 1e-3": False,
}


@pytest.mark.parametrize("body", BESIDE)
def test_numbers_of_its_own_beside_those_given_are_seen(tmp_path: Path, capsys, body: str):
    path = written(tmp_path, body)
    path.write_text(path.read_text().replace("trials=1 << 10", "trials=1 << 12"))
    status, _, err = ask(capsys, proofs.main, "run", path, "--json")
    assert (status == 2) == BESIDE[body] == any("numbers of its own beside" in line for line in err)


def test_a_broken_oracle_breaks_no_report(tmp_path: Path, capsys):
    file = written(tmp_path, "sys.exit(0)")
    line = 1 + file.read_text().splitlines().index("    sys.exit(0)")
    status, out, err = ask(capsys, report.main, file)
    assert (status, out, err) == (2, "", [f"error: a/c: {file} line {line}: SystemExit: 0"])
    assert not (tmp_path / "own.md").exists()


def test_a_worker_that_a_user_s_check_ends_is_told(tmp_path: Path):
    file = written(tmp_path, "os._exit(0)")
    status, out, err = ended(["-m", "proofs_numeric", "run", str(file), "--executor", "processes"], tmp_path)
    assert (status, out) == (2, "") and "a/c: its workers died" in err and "Traceback" not in err


@pytest.mark.parametrize("executor", ["serial", "processes"])
def test_an_oracle_that_hangs_is_not_waited_for_without_end(tmp_path: Path, capsys, monkeypatch, executor: str):
    """Also where the program catches every Exception."""
    monkeypatch.setattr(proofs, "GRACE", 0.5)
    body = "\n    ".join(
        ["while True:", "    try:", "        time.sleep(600)", "    except Exception:", "        pass"]
    )
    words = ("run", written(tmp_path, body), "--seconds", "0.5", "--executor", executor)
    status, out, err = ask(capsys, proofs.main, *words)
    assert (status, out, len(err)) == (2, "", 1)
    assert err[0].startswith("error: a/c: gave no answer long after --seconds")


def test_the_paper_s_own_checks_are_waited_for(capsys, monkeypatch):
    monkeypatch.setattr(proofs, "GRACE", -2.99)
    status, out, err = ask(capsys, proofs.main, "run", "prop:p2-infinite-variance/cubic", "--seconds", "1")
    assert (status, err) == (0, []) and out


def test_what_an_oracle_prints_does_not_spoil_json(tmp_path: Path, capsys):
    status, out, err = ask(capsys, proofs.main, "run", written(tmp_path, "print('hello')"), "--json")
    assert status == 0 and json.loads(out)["results"][0]["trials"] == 1024 and "hello" in err


def test_what_an_oracle_leaves_behind_reaches_no_other_check(tmp_path: Path, capsys):
    """NumPy's error state, its global generator, the warning filters: the paper's cell draws the same numbers."""
    cell = "lem:hp-shared-clipped-bias-abstract/law-extremal-p1.5-tau16"
    alone = ask(capsys, proofs.main, "run", cell, "--json")
    before = np.geterr(), list(warnings.filters)
    body = "np.seterr(all='raise'); np.random.seed(0); warnings.simplefilter('always'); rng.bit_generator.state"
    together = ask(capsys, proofs.main, "run", written(tmp_path, body), cell, "--json")
    assert (np.geterr(), list(warnings.filters)) == before
    assert together[0] == alone[0] == 0
    mine, paper = json.loads(together[1]), json.loads(alone[1])
    for key in ("verdict", "trials", "bad", "observed"):
        assert companions(mine)[cell][key] == companions(paper)[cell][key]


CELLS = {
    "trials=1e5": "trials = 100000.0: an integer of at least 1 is wanted",
    "trials=0": "trials = 0: an integer",
    "trials=-5": "trials = -5: an integer",
    "trials=True": "trials = True: an integer",
    "trials=(1 << 34) + 1": "more than 1048576 chunks",
    "chunk=0": "chunk = 0: an integer of at least 1 is wanted",
    "kind='claims'": "its kind is 'claims'; one of claim, companion, planted is wanted",
    "name='a\\nb'": "printable texts",
    "name='\\udc80'": "printable texts",
    "name=''": "the name not empty",
    "name=5": "printable texts",
}


@pytest.mark.parametrize("change", CELLS)
def test_a_cell_that_cannot_be_run_is_one_line_and_status_2(tmp_path: Path, capsys, change: str):
    file = written(tmp_path, "")
    file.write_text(f"{file.read_text()}from dataclasses import replace\nCHECKS = (replace(CHECKS[0], {change}),)\n")
    status, out, err = ask(capsys, proofs.main, "run", file, "--json")
    assert (status, out, len(err)) == (2, "", 1) and CELLS[change] in err[0]


NUMBERS = ("np.float32(0.5), np.float16(0.6)", "Fraction(1, 2), Decimal('0.6')", "np.array(0.5), np.int8(1)")


@pytest.mark.parametrize("numbers", NUMBERS)
def test_numbers_of_any_type_are_doubles(tmp_path: Path, capsys, numbers: str):
    file = written(tmp_path, "", "from decimal import Decimal\nfrom fractions import Fraction\n")
    file.write_text(file.read_text().replace("0.5, 0.6, trials=1 << 10", f"{numbers}, trials=np.int64(1024)"))
    for more in ([], ["--json"]):
        status, out, err = ask(capsys, proofs.main, "run", file, *more)
        assert (status, err) == (0, [])
    assert json.loads(out)["results"][0]["trials"] == 1024


def companions(data: dict) -> dict[str, dict]:
    return {r["name"]: r for part in ("results", "companions") for r in data[part]}


def test_numpy_s_error_state_is_its_own_in_every_chunk(monkeypatch):
    """Whatever state a program left, a chunk of the paper is simulated with NumPy's own."""
    seen = []
    cell = registry()["prop:p2-infinite-variance/cubic"]
    real = cell.draw

    def draw(rng, n):
        seen.append(np.geterr())
        return real(rng, n)

    other = replace(cell, draw=draw, trials=cell.chunk)
    monkeypatch.setattr(campaign, "find", lambda key: other)
    with np.errstate(all="raise"), Ledger() as ledger:
        campaign.run([other], SerialExecutor(), ledger, 1)
    assert seen and all(s == {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"} for s in seen)


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("raise BaseException('odd')", "BaseException: odd"),
        ("raise Exception('one\\ntwo')", "Exception: one two"),
        ("def f(): f()\nf()", "RecursionError"),
        ("x = " + "(" * 3000 + ")" * 3000, "not Python"),
        ("x = " + "-" * 100_000 + "1", "own.py"),
        ("\x00", "not Python"),
        ("# " + "x" * 1_000_001, "larger than 1000000 bytes"),
        ("raise " + "Exception('" + "x" * 5000 + "')", "Exception: xxx"),
    ],
)
def test_a_program_that_ends_early_is_one_line(tmp_path: Path, capsys, head: str, told: str):
    file = written(tmp_path, "pass", head + "\n")
    for main, words in ((lemma.main, ("check", file, "--json")), (proofs.main, ("run", file))):
        status, out, err = ask(capsys, main, *words)
        assert (status, out, len(err)) == (2, "", 1), err
        assert told in err[0] and len(err[0]) < 1000
