"""The paper's experiments, interrupted, killed, or without room for their ledger or their figures: told in one line,
nothing half written, and the same command goes on."""

from __future__ import annotations

import json
import signal
import sqlite3
import sys
from pathlib import Path

import pytest
from faults import attending, begin, children, ended, room, struck
from test_experiment_controlled import SMALL, flags
from tiny_models import write_data, write_model

import proofs_numeric.__main__ as proofs

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="children are found in /proc")
INT, TERM, KILL = signal.SIGINT, signal.SIGTERM, signal.SIGKILL
STATUS = {INT: 130, TERM: 143, KILL: -9}
FEW = """--scopes bias --losses clean --directions 1 --pairs 4 --seeds 2 --bias-steps 2 --bias-lrs 0.01 --bias-taus 0.5
--train 8 --validation 6 --test 6 --max-tokens 8 --cosine-directions 8 --bias-cosines 2""".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The flags that name a model and data of a few kilobytes, and settings that take a second."""
    pytest.importorskip("torch", reason='needs pip install "boundcheck[torch]"')
    folder = tmp_path_factory.mktemp("tiny")
    write_model(folder / "bert", "bert")
    write_data(folder / "data")
    return ["--model", str(folder / "bert"), "--data", str(folder / "data"), *FEW]


def rows(ledger: Path) -> dict[str, str]:
    """The finished jobs of an experiment's ledger.

    Opened to write, as the command opens it: after a kill within a write the half of it has to be taken back first.
    """
    try:
        with sqlite3.connect(f"file:{ledger}?mode=rw", uri=True) as db:
            return dict(db.execute("SELECT fingerprint, summary FROM chunks"))
    except (sqlite3.Error, ValueError):
        return {}


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[str]]:
    """The status of an experiment and its lines on stderr; where it fails nothing is on stdout."""
    status = proofs.main(["experiment", *words])
    out, err = capsys.readouterr()
    assert (out == "") is (status != 0)
    return status, err.splitlines()


def written(folder: Path) -> dict[str, bytes]:
    """What a reader looks at; no half-written file lies beside it."""
    found = {p.name: p.read_bytes() for p in folder.iterdir()}
    assert not [name for name in found if name.startswith(".")]
    return {name: content for name, content in found.items() if ".sqlite" not in name}


# ---------------------------------------------------------------- no room


def crowded(capsys: pytest.CaptureFixture[str], folder: Path, *words: str, ledger: int, figure: int) -> dict:
    """A run that may write ``ledger`` bytes a file, which end in the ledger, and once more; then one that finds all
    in the ledger and may write ``figure`` bytes a file, which end in a figure, and once more: the data."""
    words, name = (*words, "--quick", "--workers", "1", "-o", str(folder)), words[0]
    with room(ledger):
        status, err = told(capsys, *words)
    first = rows(folder / f"{name}.sqlite")
    assert status == 2 and len(err) == 1 and err[0].startswith("error: the ledger ") and "is there room" in err[0]
    assert not written(folder)
    assert told(capsys, *words) == (0, [])
    kept, good = rows(folder / f"{name}.sqlite"), written(folder)
    assert len(kept) > len(first) and first.items() <= kept.items()
    for file in good:
        (folder / file).unlink()
    with room(figure):
        status, err = told(capsys, *words)
    early = written(folder)
    assert status == 2 and len(err) == 1 and err[0].endswith("cannot be written (File too large)")
    assert early.items() <= good.items() and not {f"{name}.json", f"{name}.md"} & early.keys()
    assert told(capsys, *words) == (0, [])
    assert written(folder) == good and rows(folder / f"{name}.sqlite") == kept
    return json.loads(good[f"{name}.json"])


@pytest.mark.thorough
def test_the_controlled_experiment_goes_on_where_there_is_room_again(tmp_path: Path, capsys):
    crowded(capsys, tmp_path, "controlled", *flags(SMALL), ledger=30_000, figure=60_000)
    assert len(rows(tmp_path / "controlled.sqlite")) == 19  # 1 tuning, 3 evaluation and 15 band jobs


@pytest.mark.torch
def test_fine_tuning_goes_on_where_there_is_room_again(tmp_path: Path, capsys, tiny: list[str]):
    data = crowded(capsys, tmp_path, "finetune", *tiny, ledger=5_000, figure=30_000)
    # the tokenizer knows none of the classes' names: the model cannot tell them apart, and its gradient is zero
    assert data["scopes"]["bias"]["gradient_norm"] == 0
    assert {c["mean"] for c in data["scopes"]["bias"]["cosines"]} == {None}


# ---------------------------------------------------------------- interrupted


FINETUNE = ["-m", "proofs_numeric", "experiment", "finetune", "--quick", "--workers", "2", "-o", "x"]


@pytest.mark.torch
@LINUX
@pytest.mark.parametrize(
    ("number", "moment"),
    [
        (INT, "begun"),
        (KILL, "at work"),
        *(
            pytest.param(*case, marks=pytest.mark.campaign)
            for case in ((TERM, "begun"), (INT, "at work"), (TERM, "at work"))
        ),
    ],
)
def test_fine_tuning_ends_with_its_processes(tmp_path: Path, tiny: list[str], number: signal.Signals, moment: str):
    """While command and workers load the library, and when the first result is there, of hours of work."""
    process = begin([*FINETUNE, *tiny, "--seeds", "1000"], tmp_path)
    ledger = tmp_path / "x" / "finetune.sqlite"
    at_work = {
        "begun": lambda: len(children(process.pid)) >= 2,
        "at work": lambda: rows(ledger) and len(attending(process.pid)) >= 3,
    }
    status, out, err, left = struck(process, at_work[moment], number)
    assert (status, out, left) == (STATUS[number], "", [])
    assert "Traceback" not in err
    assert number is KILL or err == "interrupted; with a ledger the same command goes on from here\n"
    assert written(tmp_path / "x") == {}
    assert moment == "begun" or 0 < len(rows(ledger)) < 1000


@pytest.mark.thorough
@pytest.mark.torch
@LINUX
def test_fine_tuning_interrupted_before_its_figures_computes_nothing_again(tmp_path: Path, tiny: list[str]):
    (tmp_path / "matplotlib.py").write_text("import pathlib, time\npathlib.Path('began').touch()\ntime.sleep(600)\n")
    process = begin([*FINETUNE, *tiny], tmp_path)
    status, out, err, left = struck(process, (tmp_path / "began").exists, INT)
    assert (status, out, left) == (130, "", [])
    assert err == "interrupted; with a ledger the same command goes on from here\n"
    before = rows(tmp_path / "x" / "finetune.sqlite")
    assert before and written(tmp_path / "x") == {}
    (tmp_path / "matplotlib.py").unlink()
    status, out, err = ended([*FINETUNE, *tiny], tmp_path)
    assert (status, err) == (0, "") and out == (tmp_path / "x" / "finetune.md").read_text(encoding="utf-8")
    assert rows(tmp_path / "x" / "finetune.sqlite") == before  # the time that a job took is part of its row
