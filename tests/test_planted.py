"""Planted falsehoods are decided by what changed first, with the verdict that the whole would have."""

from dataclasses import replace

import pytest

from boundcheck.author.twins import apply_twin
from boundcheck.decide.statements import decide_statement
from boundcheck.decide.worlds.planted import _changed, decide_planted
from boundcheck.kernel.statement import Cite, Decide, Fact, Follows, Parameter, Statement, Step, Twin
from boundcheck.paper import lookup
from boundcheck.verdict import WORLD_FAILS, Status

NONE = {}.__getitem__
SUM = Statement(
    "lem:sum", "t", "lemma", "part", "text", (Parameter("a", "a", ("a >= 1",)), Parameter("b", "b", ("b >= 1",))), {},
    (Fact("a + b >= 2"),),
    (Step(Fact("a*b >= 1"), Decide(), name="product"), Step(Fact("a + b >= 2"), Decide())),
)  # fmt: skip


def planted(statement, change, lookup=NONE):
    twin = apply_twin(statement, Twin("a change", change))
    return twin, decide_planted(twin, statement, None, lookup, 2.0)


def test_a_false_claim_is_refuted_by_a_point():
    twin, found = planted(SUM, {"a + b >= 2": "a + b >= 3"})
    assert found.status is Status.REFUTED and set(found.witness) == {"a", "b"}
    assert "is the claim" in found.reason
    assert 1 not in {n for n, _ in _changed(twin, SUM, NONE)}


def test_a_change_that_is_true_is_proved_and_told_so():
    _, found = planted(SUM, {"a + b >= 2": "a + b >= 1"})
    assert found.status is Status.PROVED


def test_a_wider_domain_changes_every_step():
    twin, found = planted(SUM, {"a >= 1": "a >= 1/2"})
    assert {n for n, _ in _changed(twin, SUM, NONE)} >= {1, 2}
    assert found.status is not Status.PROVED


INFERRED = replace(
    SUM, hypotheses={"h": Fact("c*t >= 0", ("t",), ("t > 0",))}, declares={"c": "real"}, claims=(Fact("2*a >= 2"),),
    steps=(Step(Fact("a + b >= 2"), Decide()), Step(Fact("2*a >= 2"), Follows(()))),
)  # fmt: skip


def test_a_claim_whose_proof_breaks_is_tried_by_itself():
    """Steps that follow from others are never refuted; a claim between numbers may be, by the domain alone."""
    twin, found = planted(INFERRED, {"2*a >= 2": "2*a >= 3"})
    whole = decide_statement(twin, NONE, 2.0, 0.0)
    assert all(step.status is not Status.REFUTED for step in whole.steps) and whole.method == "world"
    assert found.status is Status.REFUTED and "the claim is false" in found.reason


@pytest.mark.parametrize(("kind", "status"), [("assumption", Status.UNDECIDED), ("lemma", Status.REFUTED)])
@pytest.mark.parametrize("original", [SUM, INFERRED])
def test_what_rests_on_an_assumption_is_not_refuted(original, kind, status):
    """Neither by a point of the changed claim or of its step, nor by a world: they need not meet it."""
    assumed = replace(SUM, label="ass:more", kind=kind, claims=(Fact("a*b >= 1"),))
    resting = replace(original, steps=(*original.steps, Step(Fact("a*b >= 1"), Cite("ass:more"))))
    change = {"a + b >= 2": "a + b >= 3"} if original is SUM else {"2*a >= 2": "2*a >= 3"}
    assert planted(resting, change, {"ass:more": assumed}.__getitem__)[1].status is status
    spelled = replace(resting, assumes=("ass:more",))  # by its hypotheses, so that points meet it
    assert planted(spelled, change, {"ass:more": assumed}.__getitem__)[1].status is Status.REFUTED


def test_a_true_claim_whose_proof_breaks_is_not_refuted():
    twin = replace(INFERRED, steps=(Step(Fact("a >= b"), Decide()), *INFERRED.steps))
    assert decide_planted(twin, INFERRED, None, NONE, 2.0).status is Status.UNDECIDED


@pytest.mark.parametrize(
    "label", ["app:every-ratio", "app:second-moment-step", "rem:interpretation", "app:abstract-rate"]
)
def test_what_the_whole_does_not_prove_is_not_proved(label):
    statement = lookup(label)
    assert statement.twins
    for twin in statement.twins:
        changed = apply_twin(statement, twin)
        whole = decide_statement(changed, lookup, 2.0, 0.0)
        found = decide_planted(changed, statement, None, lookup, 2.0)
        assert whole.status is not Status.PROVED
        assert found.status in (whole.status, Status.REFUTED)  # a claim between numbers is also tried by itself


def test_a_world_that_breaks_nothing_is_told():
    world = {"a": "2", "b": "2"}
    twin = apply_twin(INFERRED, Twin("a change", {"2*a >= 2": "a*b >= 3/2"}))
    found = decide_planted(twin, INFERRED, None, NONE, 2.0, {**world, "c": "1"})
    assert found.status is Status.REFUTED and found.method != "world"  # a point breaks it: no word of the world
    lost = replace(INFERRED, claims=(Fact("a + b >= 2"),), steps=(Step(Fact("a >= b"), Decide()), *INFERRED.steps))
    unmet = decide_planted(lost, INFERRED, None, NONE, 2.0, {**world, "c": "-1"})
    assert unmet.status is Status.UNDECIDED and unmet.reason.startswith(f"{WORLD_FAILS}the hypothesis h is not")
    true = decide_planted(lost, INFERRED, None, NONE, 2.0, {**world, "c": "1"})
    assert true.reason.startswith(f"{WORLD_FAILS}no claim is false in the world; ")
