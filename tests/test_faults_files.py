"""No room, no permission, damaged files, a clock that jumps: told in one line, and what was there before stays."""

from __future__ import annotations

import errno
import importlib
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from faults import room
from slow import more

import proofs_numeric.__main__ as proofs
from boundcheck import lemma, report
from boundcheck.app.commands import check
from boundcheck.system.files import FileFault, write_text
from proofs_numeric.campaigns import results
from proofs_numeric.campaigns.ledger import Chunk, Ledger, LedgerError

CELL = "prop:p2-infinite-variance/cubic"
CLAIM = '[[claim]]\nname = "a"\nwhere = ["x > 0"]\nclaim = "x**2 + 1 > 0"\n'


def ask(capsys, main, *words: object) -> tuple[int, str, list[str]]:
    status = main([str(w) for w in words])
    out, err = capsys.readouterr()
    return status, out, err.splitlines()


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[Path]:
    """A file system of 64 KB."""
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], capture_output=True)
    if made.returncode:
        pytest.skip(f"no file system can be mounted here: {made.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)  # lazily: a test may stand in it


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "small") as folder:
        yield folder


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    file = tmp_path / "claims.toml"
    file.write_text(CLAIM)
    return file


# ---------------------------------------------------------------- no room


def test_what_is_imported_without_room_is_not_kept_compiled(tmp_path: Path, monkeypatch):
    """Before 3.14 Python keeps the first bytes, which the next process fails on; with room all is as it was."""
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("crowded_module", "roomy_module"):
        (tmp_path / f"{name}.py").write_text("x = 1\n" * 1000)
    with room(100):
        importlib.import_module("crowded_module")
        assert os.environ["PYTHONDONTWRITEBYTECODE"]
    assert not (tmp_path / "__pycache__").exists()
    importlib.import_module("roomy_module")
    assert [p.name.partition(".")[0] for p in (tmp_path / "__pycache__").iterdir()] == ["roomy_module"]


def test_a_text_that_does_not_fit_leaves_the_old_one(tmp_path: Path):
    path = tmp_path / "a.txt"
    write_text(path, "old")
    with room(100), pytest.raises(FileFault, match="cannot be written"):
        write_text(path, "new" * 1000)
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"a.txt": "old"}


def test_a_template_that_does_not_fit_leaves_nothing(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with room(100):
        status, out, err = ask(capsys, lemma.main, "new", "mine")
    assert (status, out, len(err)) == (2, "", 1) and err[0].startswith("error: mine.py: cannot be written")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told_by_every_writer(small: Path, claims: Path, capsys, monkeypatch):
    (small / "old.md").write_text("old")
    with (small / "filling").open("wb") as filling:
        filling.write(b"x" * 60_000)
    monkeypatch.setattr(report, "rendered", lambda front: report.Rendered({front: "new\n" * 20_000}, [], [], ()))
    for main, words in (
        (lemma.main, ("check", claims, "--certificates", small / "c")),
        (report.main, ("-o", small / "old.md")),
        (proofs.main, ("run", CELL, "--ledger", small / "ledger")),
        (proofs.main, ("experiment", "controlled", "--quick", "-o", small)),
    ):
        with (small / "rest").open("wb") as rest:
            while filled(rest):
                pass
        status, _, err = ask(capsys, main, *words)
        assert status == 2 and len(err) == 1 and err[0].startswith("error: "), (
            words,
            err,
        )
        (small / "rest").unlink()
    assert (small / "old.md").read_text() == "old"
    assert not list(small.rglob(".*"))


def filled(file) -> bool:
    """Whether another page went into it."""
    try:
        return os.write(file.fileno(), b"x" * 4096) > 0
    except OSError as fault:
        assert fault.errno == errno.ENOSPC
        return False


def test_a_ledger_on_a_full_disk_goes_on_where_there_is_room_again(small: Path, tmp_path: Path):
    done = {(0, k): Chunk([k] * 100, 10, 0.5, None) for k in range(200)}
    with Ledger(small / "ledger") as ledger, pytest.raises(LedgerError, match="no room"):
        for (stage, k), chunk in done.items():
            ledger.write(1, "a", "f", stage, k, chunk)
    subprocess.run(["mount", "-o", "remount,size=4m", str(small)], check=True)
    with Ledger(small / "ledger") as ledger:
        kept = ledger.read(1, "a", "f")
        assert 0 < len(kept) < 200 and kept == {key: done[key] for key in kept}
        for (stage, k), chunk in done.items():
            ledger.write(1, "a", "f", stage, k, chunk)
        assert ledger.read(1, "a", "f") == done


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize(
    "words", [("boundcheck.lemma", "list"), more(("proofs_numeric", "list")), ("proofs_numeric", "status")]
)
def test_output_that_cannot_be_written_is_no_verdict(words: tuple[str, str]):
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", *words], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr == "error: the output: cannot be written or read (No space left on device)\n"


# ---------------------------------------------------------------- no permission, no regular file


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Path]:
    """A folder with a ledger in which nothing can be written, not even by root."""
    if os.geteuid() != 0:
        folder = tmp_path / "locked"
        folder.mkdir()
        Ledger(folder / "ledger").close()
        folder.chmod(0o555)
        (folder / "ledger").chmod(0o444)
        yield folder
        folder.chmod(0o755)
        return
    with mounted(tmp_path / "locked") as folder:
        Ledger(folder / "ledger").close()
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        yield folder


def test_a_read_only_folder_is_told(locked: Path, claims: Path, capsys, monkeypatch):
    monkeypatch.setattr(report, "rendered", lambda front: report.Rendered({front: "new\n"}, [], [], ()))
    monkeypatch.chdir(locked)
    for main, words in (
        (lemma.main, ("check", claims, "--certificates", locked)),
        (lemma.main, ("new", "mine")),
        (report.main, ()),
        (report.main, ("-o", locked / "c" / "R.md")),
        (proofs.main, ("run", CELL, "--ledger", "ledger")),
        (proofs.main, ("run", CELL, "--ledger", "other")),
        (proofs.main, ("experiment", "controlled", "--quick")),
    ):
        status, _, err = ask(capsys, main, *words)
        assert status == 2 and len(err) == 1 and err[0].startswith("error: "), (
            words,
            err,
        )
    status, out, _ = ask(capsys, lemma.main, "doctor")
    assert status == 1 and "cannot be written" in " ".join(out.split())


@pytest.mark.usefixtures("one_process")
def test_what_could_not_be_stored_has_been_printed(capsys, monkeypatch):
    """``check --save`` into a file that cannot be written: minutes of work are not lost."""
    from boundcheck.stored import decisions

    def unwritable(*_: object) -> None:
        raise FileFault("decisions.json: cannot be written (Read-only file system)")

    monkeypatch.setattr(decisions, "save", unwritable)
    status, out, err = ask(capsys, lemma.main, "check", "rem:weak-moment", "--save", "--json")
    assert status == 2 and err[-1].startswith("error: decisions.json: cannot be written")
    assert json.loads(out)["results"][0]["name"] == "rem:weak-moment"


def test_what_cannot_be_stored_is_told_before_the_work(capsys, monkeypatch, tmp_path):
    """``--save`` beside a file that is no folder: said at once, and nothing is decided or drawn."""
    (tmp_path / "file").write_text("")
    nowhere = tmp_path / "file" / "stored.json"
    monkeypatch.setattr(check, "PATH", nowhere)
    monkeypatch.setattr(results, "STORED", nowhere)
    for main, words in ((lemma.main, ("check", "--save")), (proofs.main, ("run", "--save"))):
        status, out, err = ask(capsys, main, *words)
        assert status == 2 and out == "" and len(err) == 1 and "cannot be written" in err[0]


@pytest.fixture(params=["fifo", "folder", "zero"])
def odd(request, tmp_path: Path) -> str:
    """A path without ending at which something else than a file lies, under every ending that is read."""
    for ending in ("toml", "py", "json"):
        path = tmp_path / f"odd.{ending}"
        if request.param == "fifo":
            os.mkfifo(path)
        elif request.param == "folder":
            path.mkdir()
        else:
            path.symlink_to("/dev/zero")
    return str(tmp_path / "odd")


def test_what_is_no_file_is_neither_read_nor_replaced(odd: str, capsys):
    for main, words in (
        (lemma.main, ("check", f"{odd}.toml")),
        (lemma.main, ("check", f"{odd}.py")),
        (lemma.main, ("verify", f"{odd}.json")),
        (proofs.main, ("run", f"{odd}.py")),
        (report.main, (f"{odd}.py",)),
    ):
        status, out, err = ask(capsys, main, *words)
        assert (status, out, len(err)) == (2, "", 1) and "not a regular file" in err[0], (words, err)
    kind = os.lstat(f"{odd}.json").st_mode
    with pytest.raises(FileFault, match="not a regular file"):
        write_text(f"{odd}.json", "text")
    assert os.lstat(f"{odd}.json").st_mode == kind


def test_a_link_is_written_through(tmp_path: Path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_text() == "new"


# ---------------------------------------------------------------- damaged files


def test_a_damaged_ledger_gives_its_rows_or_is_told(tmp_path: Path):
    """Cut, one bit flipped, 64 bytes overwritten: never a wrong row, never another exception."""
    done = {(0, k): Chunk([k, k * k, 0.1 * k], 1000, 0.5, k % 3 or None) for k in range(60)}
    with Ledger(tmp_path / "good") as ledger:
        for (stage, k), chunk in done.items():
            ledger.write(1, "a", "f", stage, k, chunk)
    whole, rng, told = (tmp_path / "good").read_bytes(), random.Random(10), 0
    for n in range(300):
        raw, place = bytearray(whole), rng.randrange(len(whole))
        if n % 3 == 0:
            del raw[place:]
        elif n % 3 == 1:
            raw[place] ^= 1 << rng.randrange(8)
        else:
            raw[place : place + 64] = rng.randbytes(64)
        path = tmp_path / f"bad{n}"
        path.write_bytes(raw)
        try:
            with Ledger(path) as ledger:
                found = ledger.read(1, "a", "f")
            assert all(done[key] == chunk for key, chunk in found.items())
        except LedgerError as fault:
            assert "\n" not in str(fault) and str(path) in str(fault)
            told += 1
    assert told > 100


def test_a_schema_that_is_no_text_is_told(tmp_path: Path):
    """SQLite quotes the damaged schema in its complaint, which Python then cannot read."""
    Ledger(tmp_path / "l").close()
    raw = (tmp_path / "l").read_bytes()
    (tmp_path / "l").write_bytes(raw.replace(b"CREATE TABLE chunks", b"CRE\xc4\xd9E TABLE chunks"))
    with pytest.raises(LedgerError, match="not a readable ledger"):
        Ledger(tmp_path / "l")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"kind": "claim", "claim": 1, "claim": 2}', "'claim' occurs twice"),
        ('{"a": 1e999}', "1e999 is not a JSON number"),
        ('{"a": NaN}', "NaN is not a JSON number"),
        ('{"a": ' + "9" * 5000 + "}", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 50_000, "nested too deeply"),
        ('{"a": "\\ud800', "not JSON"),
        ("\x00", "not JSON"),
    ],
)
def test_hostile_certificates_are_unreadable_in_one_line(tmp_path: Path, capsys, text: str, told: str):
    (tmp_path / "c.json").write_text(text)
    status, out, err = ask(capsys, lemma.main, "verify", tmp_path / "c.json")
    assert (status, out, len(err)) == (2, "", 1) and told in err[0] and len(err[0]) < 400


@pytest.mark.usefixtures("one_process")
def test_damaged_certificates_are_told_in_a_line(tmp_path: Path, capsys, claims: Path):
    folder = tmp_path / "c"
    assert ask(capsys, lemma.main, "check", "rem:weak-moment", "--certificates", folder)[0] == 0
    [path] = folder.iterdir()
    whole, rng, seen = path.read_bytes(), random.Random(3), set()
    for n in range(30):
        raw, place = bytearray(whole), rng.randrange(len(whole))
        if n % 3 == 0:
            del raw[place:]
        elif n % 3 == 1:
            raw[place] ^= 1 << rng.randrange(8)
        else:
            raw[place : place + 1] = rng.choice([b"null", b"[]", b"{}", b"9" * 4000, b"-1", b'""', b"true"])
        path.write_bytes(raw)
        status, out, err = ask(capsys, lemma.main, "verify", path)
        seen.add(status)
        told = [line for line in out.splitlines() if not line.startswith(" ")] + err  # what is indented goes on
        assert len(told) == 1 and status in (0, 1, 2)
    assert seen >= {1, 2}


# ---------------------------------------------------------------- the clock


@pytest.mark.usefixtures("one_process")
def test_the_wall_clock_decides_nothing(capsys, monkeypatch):
    """It jumps by hours at every look; budgets and times come from the monotonic clock."""
    jumps = iter([(-1) ** n * 3600.0 * n for n in range(100_000)])
    real = time.time()
    monkeypatch.setattr(time, "time", lambda: real + next(jumps))
    status, out, _ = ask(capsys, proofs.main, "run", CELL, "--seconds", "600", "--json")
    [record] = json.loads(out)["results"]
    assert status == 0 and not record["partial"] and 0 < record["seconds"] < 600
    status, out, _ = ask(capsys, lemma.main, "check", "rem:weak-moment", "--json", "--seconds", "60")
    [verdict] = json.loads(out)["results"]
    assert (status, verdict["verdict"]) == (0, "PROVED") and 0 < verdict["seconds"] < 60
