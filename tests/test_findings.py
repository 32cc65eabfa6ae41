"""Findings: put together from what was decided; each says what is printed, what is wrong, the repair, and where it
matters."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from boundcheck.app.commands import check_jobs
from boundcheck.app.reporting.findings import FALSE, IMPRECISE, STEP, findings, matters, witness
from boundcheck.app.reporting.markdown import plain, worded
from boundcheck.kernel.statement import Decide, Fact, Parameter, Statement, Step
from boundcheck.paper import catalogue, lookup
from boundcheck.stored import decisions

X = Parameter("x", "a number", ("0 <= x", "x <= 2"))
STEPS = (
    Step(
        Fact("x <= 1"),
        Decide(),
        "small",
        repair=Step(Fact("x <= 1", where=("x <= 1",)), Decide(), "small, for x <= 1"),
    ),
    Step(Fact("x <= 3"), Decide()),
)
TOY = Statement(
    "lem:toy", "Toy", "lemma", "toy", "x is small.", parameters=(X,), claims=(Fact("x <= 3"),), steps=STEPS
)


def decided(statement: Statement) -> decisions.Record:
    """As stored: through JSON."""
    verdict = check_jobs.decide_own(statement, (), 5.0, False, True)
    return json.loads(json.dumps(decisions.decision(statement, verdict, ())))


@pytest.fixture(scope="module")
def freedman() -> decisions.Record:
    return decided(lookup("lem:momentum-freedman"))


def test_a_refuted_constant_is_told_with_its_family_its_witness_and_its_repair(freedman):
    label = "lem:momentum-freedman"
    (finding,) = findings(catalogue(), {label: freedman}, {})
    assert finding["kind"] == FALSE and finding["labels"] == [label] and finding["repaired"] == "PROVED"
    assert finding["anchor"] == "finding-lemmomentum-freedman"
    family = lookup(label).exists[0].families[0]
    wrong = plain(finding["wrong"])
    for part in ("False for every value of the constant C > 0", family.name, family.note, freedman["witness"]["eta"]):
        assert part in wrong
    assert finding["repair"] == worded(lookup(label).as_used.text)
    assert finding["repair_title"] == "with C<sub>F</sub> = 2 and η ≥ log 2"
    assert any("lem:momentum-stopped-fluctuation" in link for link in finding["matters"])


def test_without_a_witness_it_is_imprecise_not_false(freedman):
    label = "lem:momentum-freedman"
    record = {**freedman, "witness": None, "reason": "no truth value as printed"}
    (finding,) = findings(catalogue(), {label: record}, {})
    assert finding["kind"] == IMPRECISE and "False" not in finding["wrong"]
    assert finding["wrong"].startswith("No truth value as printed: ")


def test_what_is_proved_or_stale_is_no_finding(freedman):
    label = "lem:momentum-freedman"
    assert findings(catalogue(), {label: {**freedman, "fingerprint": "other"}}, {}) == []
    proved = decided(replace(TOY, steps=STEPS[1:]))
    assert findings({"lem:toy": replace(TOY, steps=STEPS[1:])}, {"lem:toy": proved}, {}) == []


def test_a_step_that_fails_is_told_with_a_point_and_its_repair():
    record = decided(TOY)
    assert record["verdict"] == "PROVED" and record["steps"][0]["verdict"] == "REPAIRED"
    (finding,) = findings({"lem:toy": TOY}, {"lem:toy": record}, {})
    assert finding["kind"] == STEP and finding["heading"] == "Finding: lem:toy, step 1"
    assert "Step 1 claims x <= 1, which is false at x == " in plain(finding["wrong"])
    assert finding["repair"] == "small, for x ≤ 1." and finding["matters"] == []


def test_statements_that_say_the_same_share_a_finding(freedman):
    first = lookup("lem:momentum-freedman")
    second = replace(first, label="lem:again")
    both = {first.label: first, second.label: second}
    records = {k: {**freedman, "fingerprint": decisions.fingerprint(s)} for k, s in both.items()}
    (finding,) = findings(both, records, {})
    assert finding["labels"] == ["lem:momentum-freedman", "lem:again"]


def test_what_rests_on_a_statement_directly_or_in_the_end():
    chain = [
        replace(TOY, label="lem:a"),
        replace(TOY, label="lem:b", assumes=("lem:a",)),
        replace(TOY, label="lem:c", assumes=("lem:b",)),
        replace(TOY, label="thm:d", kind="theorem", assumes=("lem:c",)),
    ]
    links = matters("lem:a", {s.label: s for s in chain})
    assert links == ["[lem:b](docs/statements/lem-b.md)", "[thm:d](docs/statements/thm-d.md)"]


def test_points_are_short_and_say_when_they_are_rounded():
    assert plain(witness({"a": "0.0000000000000001", "b": "1/3"})) == "a == 1e-16, b == 1/3"
    assert plain(witness({"c": "2330000000000000100008485109905802489481614573985949"})) == "c == 2.330e51 (rounded)"
