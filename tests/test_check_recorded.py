"""``check`` on the catalogue: as recorded or not, what that does to the exit status, progress, planted falsehoods."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from boundcheck import lemma
from boundcheck.app.commands import check, session
from boundcheck.app.commands.session import Decided
from boundcheck.kernel.statement import Claim
from boundcheck.paper import catalogue, lookup
from boundcheck.stored import decisions
from boundcheck.system.progress import time_left
from boundcheck.verdict import Status, Verdict

REPAIRED = "lem:momentum-freedman"
STORED = decisions.load()["decisions"]


def recorded(label: str) -> Verdict:
    """The stored verdict of a label, as if it had just been found."""
    record = STORED[label]
    used = record["as_used"]
    inner = None if used is None else Verdict(used["name"], Status(used["verdict"]))
    return Verdict(label, Status(record["verdict"]), as_used=inner)


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """The stored decisions speak of the statements as they stand, whatever a change elsewhere made stale."""
    monkeypatch.setattr(decisions, "stale", lambda statement, stored: False)


def found(*verdicts: Verdict, own: tuple[Verdict, ...] = ()) -> session.Session:
    asked = [session.Question(v.name, lookup(v.name), verdict=v) for v in verdicts]
    asked += [session.Question(v.name, claim=Claim.read("1 > 0"), verdict=v) for v in own]
    return session.Session(asked, 1.0)


def status(made: session.Session, strict: bool = False) -> int:
    return check.status_of(made.judged(strict))


def test_the_whole_catalogue_as_recorded_ends_with_0_and_with_1_where_it_is_strict(capsys):
    made = found(*map(recorded, catalogue()))
    assert any(q.verdict.status is Status.REPAIRED for q in made.asked)
    assert status(made) == 0 and status(made, strict=True) == 1
    made.close(1.0, False)
    counted, last = capsys.readouterr().out.splitlines()[:2]
    assert f"{len(catalogue())} decided in 1.0 s, as recorded: " in counted and " PROVED, " in counted
    assert "REPORT.md" in last


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({"status": Status.UNDECIDED}, 3),
        ({"status": Status.REFUTED}, 1),
        ({"as_used": Verdict("x", Status.UNDECIDED)}, 1),
        ({"as_used": None}, 1),
    ],
)
def test_a_verdict_that_is_not_as_recorded_is_judged_as_that_of_a_file(change, wanted, capsys):
    made = found(recorded("lem:hp-shared-smoothing-bias"), replace(recorded(REPAIRED), **change))
    assert status(made) == wanted
    made.close(1.0, False)
    assert f"not as recorded: {REPAIRED} is " in capsys.readouterr().out


def test_a_record_of_an_earlier_form_does_not_count(monkeypatch):
    monkeypatch.setattr(decisions, "stale", lambda statement, stored: True)
    assert status(found(recorded(REPAIRED))) == 1


def test_what_is_recorded_as_undecided_is_not_decided():
    verdict = Verdict("a", Status.UNDECIDED)
    assert not decisions.as_recorded(lookup(REPAIRED), {"verdict": "UNDECIDED", "as_used": None}, verdict)
    verdict = Verdict("a", Status.REPAIRED, as_used=Verdict("a", Status.UNDECIDED))
    record = {"verdict": "REPAIRED", "as_used": {"verdict": "UNDECIDED"}}
    assert not decisions.as_recorded(lookup(REPAIRED), record, verdict)


def test_files_are_judged_as_ever_beside_a_catalogue_that_is_as_recorded():
    assert status(found(recorded(REPAIRED), own=(Verdict("mine", Status.REFUTED),))) == 1
    assert status(found(recorded(REPAIRED), own=(Verdict("mine", Status.UNDECIDED),))) == 3
    assert status(found(recorded(REPAIRED), own=(Verdict("mine", Status.PROVED),))) == 0


OWN = '''"""A lemma with one falsehood that is caught, and one that is true and so is not."""

from boundcheck.statement import Decide, Fact, Parameter, Statement, Step, Twin

STATEMENTS = (
  Statement(
    label="own:square",
    title="Squares",
    kind="lemma",
    part="own",
    text="x^2 + 1 >= 2 x.",
    parameters=(Parameter("x", "a number"),),
    claims=(Fact("x**2 + 1 >= 2*x"),),
    steps=(Step(Fact("x**2 + 1 >= 2*x"), Decide()),),
    twins=(Twin("3 for 2", {"2*x": "3*x"}), Twin("1 for 2", {"2*x": "1*x"})),
  ),
)
'''


@pytest.mark.usefixtures("one_process")
def test_the_planted_falsehoods_of_a_file_are_told(tmp_path, capsys):
    path = tmp_path / "own.py"
    path.write_text(OWN)
    assert lemma.main(["check", str(path)]) == 1
    out, err = capsys.readouterr()
    assert "must not be proved: 1 of 2 caught" in out
    assert "own:square, 3 for 2: caught" in out and "own:square, 1 for 2: NOT CAUGHT" in out
    assert "the twin of own:square is PROVED: 1 for 2" in err
    assert out.splitlines()[-1].startswith("1 decided in ")
    assert lemma.main(["check", str(path), "--json"]) == 1
    rows = json.loads(capsys.readouterr().out)["planted"]
    assert [(r["what"], r["caught"]) for r in rows] == [("3 for 2", True), ("1 for 2", False)]
    path.write_text(OWN.replace('Twin("1 for 2", {"2*x": "1*x"})', ""))
    assert lemma.main(["check", str(path)]) == 0 and "1 of 1 caught" in capsys.readouterr().out


@pytest.mark.usefixtures("one_process")
def test_a_quiet_check_prints_the_counts_and_what_is_wrong(tmp_path, capsys):
    path = tmp_path / "own.toml"
    path.write_text('[[claim]]\nname = "a"\nclaim = "x**2 >= 0"\n[[claim]]\nname = "b"\nclaim = "x**2 > 0"\n')
    assert lemma.main(["check", str(path), "--quiet"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("REFUTED     b") and lines[-1].startswith("2 decided in ")
    assert not any(line.startswith("PROVED") for line in lines)


def test_the_time_left_follows_from_what_is_done_and_expected():
    assert time_left(1.0, 3.0, 20.0) == "about 60 s left"
    assert time_left(1.0, 1.0, 1.0) == "about 5 s left" and time_left(1.0, 1.0, 600.0) == "about 10 min left"
    assert time_left(0.0, 4.0, 2.0) == time_left(4.0, 0.0, 2.0) == ""


def test_progress_off_a_terminal_is_a_line_after_a_silence(monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr("boundcheck.system.progress.time.monotonic", lambda: now[0])
    progress = Decided(["a", "b", "c", "d"], [1.0] * 4, 2, terminal=False, quiet=False)
    progress.tick()
    assert capsys.readouterr().err == ""
    now[0] = 20.0
    progress.advance(1)
    assert capsys.readouterr().err == "1 of 4 decided  about 60 s left  now a, c\n"
    progress.tick()
    assert capsys.readouterr().err == ""
    silent = Decided(["a", "b"], [1.0] * 2, 2, terminal=False, quiet=True)
    now[0] = 60.0
    silent.tick()
    assert capsys.readouterr().err == ""


FOLLOWS = '''"""Steps that do not follow, about an expectation of nothing random."""

from boundcheck.statement import Fact, Follows, Parameter, Statement, Step

STATEMENTS = (
    Statement(
        label="own:moments",
        title="Moments",
        kind="lemma",
        part="own",
        text="E|Z|^2 <= s.",
        parameters=(Parameter("s", "scale", ("s > 0",)),),
        declares={"Z": "real"},
        hypotheses={"moment": Fact("E(abs(Z)) <= s"), "unused": Fact("s <= 1")},
        claims=(Fact("E(abs(Z))**2 <= s"),),
        steps=(Step(Fact("E(abs(Z))**2 <= s"), Follows(("moment",))),),
    ),
)
'''


@pytest.mark.usefixtures("one_process")
def test_what_does_not_follow_is_told_in_the_words_of_the_proof(tmp_path, capsys):
    path = tmp_path / "own.py"
    path.write_text(FOLLOWS)
    assert lemma.main(["check", str(path), "--seconds", "2"]) == 3
    out, err = capsys.readouterr()
    told = " ".join(out.split())
    assert "does not follow, conclusion: E(abs(Z))**2 <= s where s > 0, E(abs(Z)) <= s (by a search for" in told
    assert not re.search(r"\b[ov]\d+_", out) and told.count("own:moments/1 does not follow") == 1
    assert "warning: own:moments speaks of E, and declares nothing random" in err
    for said in ('"random real"', '"real", "A": "integer -> event"'):
        path.write_text(FOLLOWS.replace('"real"', said))
        assert lemma.main(["check", str(path), "--seconds", "2"]) == 3
        assert "declares nothing random" not in capsys.readouterr().err


def test_where_a_claim_is_false_that_is_told_and_no_open_step(tmp_path, capsys):
    path = tmp_path / "own.py"
    path.write_text(FOLLOWS.replace('"unused": Fact("s <= 1")', '"unused": Fact("s <= 9")'))
    assert lemma.main(["check", str(path)]) == 1
    told = " ".join(capsys.readouterr().out.split())
    assert "witness moment with equality, s = " in told or "witness s = " in told
    assert "false in a small world: E(abs(Z))**2 <= s" in told and "does not follow" not in told
