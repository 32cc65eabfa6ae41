"""Stored decisions: staleness, the weakest premise, planted falsehoods, files that are whole or not there."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from boundcheck.author.twins import TwinError, apply_twin
from boundcheck.kernel.statement import Fact, Twin
from boundcheck.paper import catalogue, lookup
from boundcheck.stored import decisions
from boundcheck.system.files import FileFault, read_json, write_json, write_text
from boundcheck.verdict import Status, Verdict

BIAS = "lem:hp-shared-clipped-bias-abstract"


def entry(verdict: str, *rests_on: str) -> dict:
    return {"verdict": verdict, "rests_on": list(rests_on), "steps": []}


def test_a_changed_statement_is_stale():
    statement = lookup(BIAS)
    stored = {"fingerprint": decisions.fingerprint(statement)}
    assert not decisions.stale(statement, stored)
    changed = replace(statement, claims=(Fact(statement.claims[0].claim + " + 0"),))
    assert decisions.stale(changed, stored)
    assert not decisions.stale(statement, None)


def test_words_for_people_and_another_proof_of_a_premise_make_nothing_stale(monkeypatch):
    label = "cor:hp-shared-localized"
    stored = {"fingerprint": decisions.fingerprint(lookup(label))}
    cited = lookup("lem:hp-shared-clipping-bias")
    other = replace(cited, text="other words", part="elsewhere", steps=cited.steps[:1], concludes=())
    monkeypatch.setattr("boundcheck.paper.catalogue", lambda: {**catalogue(), cited.label: other})
    assert not decisions.stale(replace(lookup(label), title="Another title"), stored)
    assert decisions.stale(replace(lookup(label), steps=lookup(label).steps[1:]), stored)


def test_a_changed_premise_makes_stale(monkeypatch):
    label = "thm:tuned-dev"
    stored = {"fingerprint": decisions.fingerprint(lookup(label))}
    cited = lookup("cor:hp-shared-localized-tuned")
    changed = {**catalogue(), cited.label: replace(cited, claims=(Fact("1 < 2"),))}
    monkeypatch.setattr("boundcheck.paper.catalogue", lambda: changed)
    assert decisions.stale(lookup(label), stored)


def test_the_chain_and_its_weakest_link():
    found = {
        "a": entry("PROVED", "b", "c"),
        "b": entry("PROVED", "d"),
        "c": entry("CITED"),
        "d": entry("ASSUMED"),
    }
    assert decisions.chain("a", found) == ["b", "c", "d"]
    assert decisions.weakest("a", found) == ("CITED", ["c"])
    assert decisions.weakest("d", found) is None
    assert decisions.weakest("a", {**found, "d": entry("REFUTED")}) == ("REFUTED", ["d"])
    assert decisions.weakest("a", {"a": entry("PROVED", "nowhere")}) == ("UNDECIDED", ["nowhere"])


def test_the_chain_follows_the_form_that_is_proved():
    """What the repair of a statement rests on counts, also for those who cite it."""
    repaired = entry("REPAIRED", "d") | {"as_used": entry("PROVED", "c", "d")}
    found = {"a": entry("PROVED", "b"), "b": repaired, "c": entry("CITED"), "d": entry("ASSUMED")}
    assert decisions.chain("a", found) == ["b", "d", "c"]
    assert decisions.weakest("a", found) == decisions.weakest("b", found) == ("CITED", ["c"])
    known = decisions.load()["decisions"]
    for label in ("lem:momentum-freedman", "thm:momentum-main"):
        assert "app:bennett-array" in decisions.chain(label, known)
        assert (decisions.weakest(label, known) or ("",))[0] != "CITED"  # the inequality is proved


@pytest.mark.parametrize(
    ("original", "twin", "caught"),
    [
        ("PROVED", "PROVED", False),
        ("PROVED", "UNDECIDED", True),
        ("PROVED", "REFUTED", True),
        ("PROVED", "REPAIRED", True),
        ("REPAIRED", "REPAIRED", False),
        ("REPAIRED", "UNDECIDED", True),
        ("UNDECIDED", "UNDECIDED", None),
        ("UNDECIDED", "REFUTED", True),
        ("UNDECIDED", "PROVED", False),
    ],
)
def test_when_a_planted_falsehood_counts_as_caught(original, twin, caught):
    found = decisions.twin_record("x", {}, Status(original), Verdict("t", Status(twin)))
    assert found["caught"] is caught


def test_every_twin_of_the_catalogue_plants_something():
    for statement in catalogue().values():
        for twin in statement.twins:
            assert apply_twin(statement, twin) != statement


def test_a_twin_that_plants_nothing_is_refused():
    statement = lookup(BIAS)
    with pytest.raises(TwinError, match="occurs nowhere"):
        apply_twin(statement, Twin("nothing", {"no such text": "x"}))
    with pytest.raises(TwinError, match="changes nothing"):
        apply_twin(statement, Twin("same", {"abs": "abs"}))


def test_twin_replacements_are_simultaneous():
    statement = replace(lookup(BIAS), hypotheses={}, steps=(), bound="", claims=(Fact("a < b"),))
    assert apply_twin(statement, Twin("swap", {"a": "b", "b": "a"})).claims[0].claim == "b < a"


def test_a_twin_may_be_spaced_otherwise_and_name_members_as_a_text_does():
    claim = Fact("norm(at(xs, t)) <= G**p*tau**(1 - p)")
    statement = replace(lookup(BIAS), hypotheses={}, steps=(), bound="", claims=(claim,))
    spaced = apply_twin(statement, Twin("half", {"<=G**p * tau**(1-p)": "<= G**p/2"}))
    assert spaced.claims[0].claim == "norm(at(xs, t)) <= G**p/2"
    member = apply_twin(statement, Twin("next", {"xs[t]": "xs[t + 1]"}))
    assert member.claims[0].claim == "norm(at(xs, t + 1)) <= G**p*tau**(1 - p)"
    with pytest.raises(TwinError, match=r"occurs nowhere as `show` prints it; closest: norm\(at\(xs, t\)\) <= G"):
        apply_twin(statement, Twin("typo", {"G**p*tua**(1-p)": "0"}))


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "x.json"
    write_json(path, {"a": 1})
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(FileFault, match=r"x\.json: cannot be written"):
        write_json(path, {"a": 2})
    assert read_json(path) == {"a": 1} and os.listdir(tmp_path) == ["x.json"]


def test_data_that_json_cannot_hold_is_not_begun(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        write_json(tmp_path / "x.json", {"a": float("nan")})
    assert os.listdir(tmp_path) == []


def test_a_folder_that_is_a_file_is_told(tmp_path):
    (tmp_path / "f").write_text("")
    with pytest.raises(FileFault, match="cannot be written"):
        write_text(tmp_path / "f" / "x", "text")


def test_saving_a_part_keeps_the_rest(tmp_path):
    path = tmp_path / "d.json"
    decisions.save({"a": entry("PROVED"), "gone": entry("PROVED")}, {"seconds": {"a": 1}}, ["a", "b", "gone"], path)
    decisions.save({"b": entry("CITED")}, {"seconds": {"b": 2}}, ["b", "a"], path)
    found = decisions.load(path)
    assert list(found["decisions"]) == ["b", "a"] and found["provenance"]["seconds"] == {"b": 2, "a": 1}


def test_wrong_stored_decisions_are_told(tmp_path):
    path = tmp_path / "d.json"
    path.write_text('{"schema": 7}')
    with pytest.raises(FileFault, match="check --save"):
        decisions.load(path)


def test_a_part_decided_later_keeps_the_provenance_of_the_rest(tmp_path):
    """A run of seconds on one statement must not stand for the run on all."""
    path, order = tmp_path / "d.json", ["a", "b", "c"]

    def save(date: str, elapsed: float, *labels: str) -> decisions.Record:
        provenance = {"date": date, "elapsed": elapsed, "seconds": dict.fromkeys(labels, 1.0)}
        decisions.save({x: entry("PROVED") for x in labels}, provenance, order, path)
        return decisions.load(path)["provenance"]

    assert "later" not in save("monday", 90.0, "a", "b", "c")
    found = save("tuesday", 2.0, "b", "c")
    assert (found["date"], found["elapsed"]) == ("monday", 90.0)
    assert found["later"] == [{"date": "tuesday", "elapsed": 2.0, "labels": ["b", "c"]}]
    assert [(r["date"], r["labels"]) for r in save("friday", 1.0, "b")["later"]] == [
        ("tuesday", ["c"]),
        ("friday", ["b"]),
    ]
    assert [r["date"] for r in save("sunday", 1.0, "b", "c")["later"]] == ["sunday"]
    assert "later" not in save("again", 80.0, "a", "b", "c")


def test_what_is_stale_or_gone_is_not_current():
    statement = lookup(BIAS)
    good = {"fingerprint": decisions.fingerprint(statement)}
    stored = {BIAS: good, "thm:tuned-dev": good, "lem:gone": good}
    assert decisions.current(catalogue(), stored) == {BIAS: good}


def test_an_unanswered_planted_falsehood_is_not_caught():
    lost = Verdict("t", Status.UNDECIDED, decisions.NO_ANSWER, reason="its process ended with status -9")
    assert decisions.twin_record("x", {}, Status.PROVED, lost)["caught"] is None


def test_a_planted_falsehood_of_a_repaired_statement_is_told_by_the_form_that_is_used():
    used = Verdict("t", Status.UNDECIDED, "steps", reason="t/3 does not follow")
    twin = Verdict("t", Status.UNDECIDED, reason="no truth value as printed", as_used=used)
    assert decisions.twin_record("x", {}, Status.REPAIRED, twin)["reason"] == "t/3 does not follow"
    assert decisions.twin_record("x", {}, Status.PROVED, twin)["reason"] == "no truth value as printed"


def test_the_proof_that_counts_is_that_of_the_repaired_form():
    def step(method: str, **more: object) -> dict:
        return {"verdict": "PROVED", "method": method, **more}

    repaired = step("refute", as_used=step("rule: Markov")) | {"verdict": "REPAIRED"}
    used = {"verdict": "PROVED", "as_used": None, "steps": [step("rule: Markov"), repaired, step("cites lem:a")]}
    record = {"verdict": "REPAIRED", "as_used": used, "steps": [step("rule: Jensen")]}
    assert decisions.rule_counts(record) == {"Markov": 2}
    assert decisions.split(record) == {"engine": 0, "rule": 2, "cited": 1, "definition": 0, "open": 0}
    assert decisions.rule_counts({**record, "verdict": "PROVED"}) == {"Jensen": 1}
