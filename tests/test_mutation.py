"""The mutation runner: which tests it runs, and that a mutant is called a survivor only if all of them ran."""

from __future__ import annotations

import argparse
import ast
import json

import pytest

from benchmarks import mutation

PATH = "boundcheck/kernel/clock.py"


@pytest.mark.parametrize(
    ("seconds", "budget", "kept"),
    [
        ({}, 1, []),
        ({"a": 1.0, "b": 2.0, "c": 3.0}, 6, ["a", "b", "c"]),
        ({"a": 1.0, "b": 2.0, "c": 3.0}, 5, ["a", "b"]),
        ({"a": 1.0, "b": 9.0, "c": 1.0}, 5, ["a"]),
        ({"a": 9.0, "b": 1.0}, 5, ["a"]),
    ],
)
def test_tests_are_taken_while_there_is_time_for_them_and_one_always(seconds, budget, kept):
    assert mutation.within(list(seconds), seconds, budget) == kept


def rows(tmp_path, monkeypatch, seconds, verdict="survived", again=None):
    """What is written of each mutant of a module where the tests in ``seconds`` enter every function."""
    monkeypatch.chdir(mutation.ROOT)
    out = tmp_path / "rows.jsonl"
    out.unlink(missing_ok=True)
    chosen = argparse.Namespace(functions="", sample=0, again=again, seconds=5, output=str(out))
    session = mutation.Session([PATH], chosen)
    session.cost = seconds
    ran = []
    monkeypatch.setattr(
        session, "verdict", lambda path, source, k, tests, limit: ran.append(tests) or {"verdict": verdict}
    )
    tree = ast.parse((mutation.ROOT / PATH).read_text(encoding="utf-8"))
    lines = {mutation.live_function(PATH, name).__code__.co_firstlineno for name, _ in mutation.functions(tree)}
    session.module(PATH, {f"{PATH}:{line}": list(seconds) for line in lines}, seconds)
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()], ran


def test_a_survivor_of_some_of_its_tests_is_not_called_one(tmp_path, monkeypatch, capsys):
    found, ran = rows(tmp_path, monkeypatch, {"a": 1.0, "b": 2.0, "c": 3.0})
    assert found and {(r["verdict"], r["left"]) for r in found} == {("not all run", 1)}
    assert all(tests == ["a", "b"] for tests in ran)
    assert f"'survived': 0, 'not all run': {len(found)}" in capsys.readouterr().err
    more, _ = rows(tmp_path, monkeypatch, {"a": 1.0, "b": 2.0})
    assert {r["verdict"] for r in more} == {"survived"} and len(more) == len(found)
    killed, _ = rows(tmp_path, monkeypatch, {"a": 1.0, "b": 2.0, "c": 3.0}, "killed")
    assert {r["verdict"] for r in killed} == {"killed"}


def test_both_kinds_are_run_again(tmp_path, monkeypatch):
    found, _ = rows(tmp_path, monkeypatch, {"a": 1.0, "b": 2.0, "c": 3.0})
    names = ("survived", "not all run", "killed", "timeout", "no test")
    kept = [{**row, "verdict": names[n % 5]} for n, row in enumerate(found)]
    before = tmp_path / "before.jsonl"
    before.write_text("".join(json.dumps(r) + "\n" for r in kept), encoding="utf-8")
    again, _ = rows(tmp_path, monkeypatch, {"a": 1.0}, again=str(before))
    alive = {(r["function"], r["what"]) for r in kept if r["verdict"] in ("survived", "not all run")}
    assert {(r["function"], r["what"]) for r in again} == alive and alive
