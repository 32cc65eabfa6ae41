"""The slack ledger: a slack is a factor where its right side passes on to the theorem, and nothing else is counted."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from boundcheck.app.commands import check_jobs
from boundcheck.app.reporting import waterfall as figure
from boundcheck.app.reporting.losses import losses, product
from boundcheck.app.reporting.sources import Sources
from boundcheck.kernel.statement import Cite, Decide, Fact, Follows, Parameter, Statement, Step, Use
from boundcheck.paper import catalogue, lookup
from boundcheck.stored import decisions

X = Parameter("x", "a number", ("x >= 1",))
LEMMA = Statement(
    "lem:a",
    "A",
    "lemma",
    "toy",
    "3 x <= 5 x",
    parameters=(X,),
    claims=(Fact("3*x <= 5*x"),),
    steps=(
        Step(Fact("3*y <= 4*y", over=("y",), where=("y > 0",)), Decide(), name="four"),
        Step(Fact("x >= 1/2"), Decide(), name="sign"),
        Step(Fact("7*x <= 70*x"), Decide(), "not used"),
        Step(Fact("4*x <= 5*x"), Follows(("sign",)), name="five"),
        Step(Fact("3*x <= 5*x"), Follows((Use("four", {"y": "x"}), "five", "sign"), ("1", "1", ""))),
    ),
)
THEOREM = replace(
    LEMMA,
    label="thm:b",
    claims=(Fact("3*x <= 10*x"),),
    steps=(
        Step(Fact("3*x <= 5*x"), Cite("lem:a")),
        Step(Fact("5*x <= 10*x"), Decide()),
        Step(Fact("3*x <= 10*x"), Follows((1, 2))),
    ),
)
BOTH = {"lem:a": LEMMA, "thm:b": THEOREM}


def decided(statement: Statement) -> decisions.Record:
    verdict = check_jobs.decide_own(statement, tuple(BOTH.values()), 5.0, False, True)
    assert verdict.status == "PROVED", verdict.reason
    return json.loads(json.dumps(decisions.decision(statement, verdict, ())))


@pytest.fixture(scope="module")
def stored() -> dict[str, decisions.Record]:
    return {label: decided(s) for label, s in BOTH.items()}


def test_factors_pass_on_conditions_do_not_and_what_is_not_used_is_left_out(stored):
    found = {loss.name: loss for loss in losses("thm:b", BOTH, stored)}
    assert {n: loss.factor for n, loss in found.items()} == {"lem:a/1": True, "lem:a/2": False, "thm:b/2": True}
    assert found["lem:a/1"].low == pytest.approx(4 / 3) and found["thm:b/2"].low == pytest.approx(2)
    assert product(list(found.values())) == pytest.approx(8 / 3)


def test_a_multiplier_makes_a_factor_of_a_condition(stored):
    multiplied = replace(LEMMA.steps[-1], by=replace(LEMMA.steps[-1].by, times=("1", "1", "1")))
    other = {**BOTH, "lem:a": replace(LEMMA, steps=(*LEMMA.steps[:-1], multiplied))}
    found = {loss.name: loss.factor for loss in losses("thm:b", other, stored)}
    assert found["lem:a/2"]


def test_a_lemma_with_a_bracket_of_its_own_stands_for_its_steps(stored):
    whole = {**stored, "lem:a": {**stored["lem:a"], "slack": [1.0, 1.5]}}
    found = losses("thm:b", BOTH, whole)
    assert [(loss.name, loss.whole) for loss in found] == [("lem:a", True), ("thm:b/2", False)]
    assert product(found) == pytest.approx(2)  # what is only from an instance is not certified


def test_without_a_decision_nothing_is_known_but_citations_are_followed(stored):
    found = losses("thm:b", BOTH, {"lem:a": stored["lem:a"]})
    assert [loss.name for loss in found] == ["lem:a/1", "lem:a/2"]


def test_hypotheses_that_a_citation_needs_pass_on():
    """The tail bounds are hypotheses of the lemmas on clipping: their slack passes on to the main theorem."""
    label = "lem:hp-shared-directional-total-tail"
    record = {"verdict": "PROVED", "slack": [1.0, 8.0], "steps": [], "as_used": None}
    for root in ("thm:hp-shared-clipped", "thm:momentum-main"):
        (found,) = losses(root, catalogue(), {label: record})
        assert found.factor and found.whole and found.name == label


def sources(found: dict[str, decisions.Record], ratio: float | None = None) -> Sources:
    cell = {
        "label": "cor:hp-shared-localized-tuned", "kind": "claim",
        "quantile": {"bound": ratio, "high": 1.0},
    }  # fmt: skip
    return Sources({"decisions": found}, {"cells": [cell]} if ratio else None, None, ())


def test_bars_start_where_the_product_stands(stored, monkeypatch, tmp_path):
    monkeypatch.setattr(figure, "ROOTS", ("thm:b",))
    monkeypatch.setattr(decisions, "stale", lambda *_: False)
    drawn = figure.waterfall(BOTH, sources(stored, 20.0))
    rows = [dict(zip(drawn.columns, row, strict=True)) for row in drawn.rows]
    counted = [r for r in rows if r["counted"] == "yes" and r["kind"] == "step"]
    level = 1.0
    for row in counted:
        assert row["product_before"] == pytest.approx(level)
        level *= row["slack_low"]
        assert row["product_after"] == pytest.approx(level)
    (total,) = [r for r in rows if r["kind"] == "product"]
    assert total["product_after"] == pytest.approx(level) == pytest.approx(8 / 3)
    (seen,) = [r for r in rows if r["kind"] == "measured"]
    assert seen["slack_high"] == 20.0 and seen["product_after"] == 20.0
    (table,) = figure.tables(drawn.rows)
    assert [r.entry for r in table["rows"]] == ["lem:a/1", "thm:b/2"] and table["conditions"] == ["lem:a/2 (2)"]
    drawn.save(tmp_path / "a.svg")
    drawn.save(tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_stale_decisions_draw_nothing(stored):
    label = "lem:hp-shared-clipped-second-moment"
    record = {"verdict": "PROVED", "slack": [1.0, 8.0], "steps": [], "as_used": None, "fingerprint": "old"}
    assert figure.waterfall({label: lookup(label)}, sources({label: record})).rows == ()
