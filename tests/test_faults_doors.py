"""Interrupts at the doors: while a command still imports, while a user's program loads, and in what is quick."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest
from faults import begin, struck

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="children are found in /proc")

INT, TERM, KILL = signal.SIGINT, signal.SIGTERM, signal.SIGKILL
STATUS = {INT: 130, TERM: 143, KILL: -9}
HANGS = "import pathlib, time\npathlib.Path('began').touch()\ntime.sleep(600)\n"
DOORS = {"lemma": ("boundcheck.lemma", "list"), "proofs": ("proofs_numeric", "list"), "report": ("boundcheck.report",)}


def strike(folder: Path, number: signal.Signals, *words: str) -> tuple[int, str, str]:
    """(status, stdout, stderr) of a command that is struck once the file ``began`` is there."""
    process = begin(words, folder)
    status, out, err, left = struck(process, (folder / "began").exists, number)
    assert left == []
    return status, out, err


@pytest.mark.parametrize("number", [INT, TERM])
@pytest.mark.parametrize("door", DOORS)
def test_an_interrupt_while_the_door_imports_is_one_line(tmp_path: Path, door: str, number: signal.Signals):
    """A module of the standard library that all doors import first of all is found in the folder, and hangs."""
    (tmp_path / "argparse.py").write_text(HANGS)
    assert strike(tmp_path, number, "-m", *DOORS[door]) == (STATUS[number], "", "interrupted\n")


def test_an_import_that_catches_everything_is_ended_too(tmp_path: Path):
    (tmp_path / "argparse.py").write_text(
        "import pathlib, time\nwhile True:\n    try:\n        pathlib.Path('began').touch()\n        time.sleep(600)\n"
        "    except BaseException:\n        pass\n"
    )
    assert strike(tmp_path, INT, "-m", "boundcheck.lemma") == (130, "", "interrupted\n")


def test_what_is_to_be_ignored_stays_ignored(tmp_path: Path):
    """A shell's background command: SIGINT is ignored from the start, and no door takes it up again."""
    (tmp_path / "argparse.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nprint('unharmed', flush=True)\nos._exit(0)\n"
    )
    start = (
        "import os, signal, sys\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "os.execv(sys.executable, [sys.executable, '-m', 'boundcheck.lemma'])\n"
    )
    with begin(["-c", start], tmp_path) as process:
        assert process.communicate(timeout=60) == ("unharmed\n", "")
    with begin(["-m", "boundcheck.lemma"], tmp_path) as process:
        assert process.communicate(timeout=60) == ("", "interrupted\n")


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (INT, ("boundcheck.lemma", "check", "own.py", "--certificates", "c")),
        (TERM, ("proofs_numeric", "run", "own.py", "--ledger", "l")),
        (INT, ("boundcheck.report", "own.py")),
    ],
    ids=["check", "run", "report"],
)
def test_a_file_that_hangs_while_it_loads_can_be_interrupted(
    tmp_path: Path, number: signal.Signals, words: tuple[str, ...]
):
    (tmp_path / "own.py").write_text(HANGS)
    status, out, err = strike(tmp_path, number, "-m", *words)
    assert (status, out) == (STATUS[number], "")
    assert err.splitlines()[-1].startswith("interrupted") and "Traceback" not in err
    assert {p.name for p in tmp_path.iterdir()} == {"own.py", "began"}


WAITS = """
import os, pathlib, shutil, sys, time
from boundcheck import lemma

def waiting(real):
    def call(*words, **more):
        pathlib.Path("began").touch()
        time.sleep(600)
        return real(*words, **more)
    return call

{place} = waiting({place})
sys.exit(lemma.main({words}))
"""


@pytest.mark.parametrize(
    ("place", "words", "number"),
    [("os.link", ["new", "mine"], number) for number in (INT, TERM, KILL)] + [("shutil.disk_usage", ["doctor"], INT)],
)
def test_new_and_doctor_leave_nothing(tmp_path: Path, place: str, words: list[str], number: signal.Signals):
    """``new`` is struck between its writing and its naming; a kill leaves a name with a dot in front."""
    status, out, err = strike(tmp_path, number, "-c", WAITS.format(place=place, words=words))
    assert (status, out, err) == (STATUS[number], "", "" if number is KILL else "interrupted\n")
    left = {p.name for p in tmp_path.iterdir()} - {"began"}
    assert left == set() or (number is KILL and all(name.startswith(".mine.") for name in left))
