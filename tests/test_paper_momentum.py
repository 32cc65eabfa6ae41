"""The momentum part of the catalogue: every statement decided, verified, and refused after a change; twins caught."""

from __future__ import annotations

import copy
import json

import pytest
from slow import case, thinned

from boundcheck.author.twins import apply_twin
from boundcheck.decide.statements import decide_statement
from boundcheck.kernel.check.statement_certificate import verify_statement
from boundcheck.kernel.statement import Cite
from boundcheck.paper import catalogue, lookup
from boundcheck.verdict import Status

PROVED = (
    "app:one-sided-noise",
    "app:every-ratio",
    "app:sharp-onestep",
    "app:sharp-lyapunov",
    "lem:momentum-drift-recurrence",
    "lem:momentum-descent",
    "thm:momentum-lyapunov-step",
    "lem:momentum-initialization",
    "thm:momentum-localized-convergence",
    "rem:interpretation",
    "rem:weak-moment",
    "app:abstract-rate",
    "rem:each-vector-clipped",
    "rem:final-clipping",
    "app:sufficient-batch",
)
REPAIRED = (
    "lem:momentum-onestep-estimator",
    "lem:momentum-freedman",
    "lem:momentum-stopped-fluctuation",
    "lem:momentum-onestep-bias",
    "lem:momentum-warm-start",
    "cor:momentum-complexity",
    "thm:momentum-main",
    "rem:momentum-complexity",
    "rem:momentum-unit-batch",
    "app:takeaway",
)
ASSUMED = ("eq:momentum-init-condition", "eq:momentum-localization-condition")
#: Statements whose twins are decided within a second or two each.
QUICK = (
    "lem:momentum-freedman",
    "lem:momentum-onestep-bias",
    "lem:momentum-drift-recurrence",
    "lem:momentum-descent",
    "thm:momentum-lyapunov-step",
    "lem:momentum-warm-start",
    "cor:momentum-complexity",
    "thm:momentum-main",
    "rem:interpretation",
    "rem:momentum-unit-batch",
    "rem:weak-moment",
    "app:abstract-rate",
    "app:takeaway",
    "rem:each-vector-clipped",
    "rem:final-clipping",
)


def decided(label):
    return decide_statement(lookup(label), lookup, 4.0, 0.0)


def form_used(verdict):
    return verdict.as_used if verdict.as_used is not None else verdict


@pytest.mark.parametrize("label", thinned([case(label) for label in (*PROVED, *REPAIRED)], 3))
def test_verdict_and_certificate(label):
    verdict = decided(label)
    wanted = Status.PROVED if label in PROVED else Status.REPAIRED
    assert verdict.status is wanted, (verdict.reason, form_used(verdict).reason)
    used = form_used(verdict)
    assert used.status is Status.PROVED
    data = json.loads(json.dumps(used.certificate))
    assert verify_statement(data).valid
    steps = [n for n, s in enumerate(data["steps"]) if s["certificates"]]
    if not steps:  # citations alone, met word for word
        statement = lookup(label).as_used or lookup(label)
        assert all(isinstance(s.by, Cite) for s in statement.steps)
        return
    short = copy.deepcopy(data)
    short["steps"][steps[0]]["certificates"].pop()
    assert not verify_statement(short).valid
    fewer = copy.deepcopy(data)
    fewer["steps"].pop()
    assert not verify_statement(fewer).valid


@pytest.mark.parametrize("label", ASSUMED)
def test_conditions_are_assumed(label):
    assert decided(label).status is Status.ASSUMED


@pytest.mark.campaign  # by default test_catalogue.py decides what each twin demands; `check --save` decides all twins
@pytest.mark.parametrize("label", QUICK)
def test_twins_lose_the_proof(label):
    statement = lookup(label)
    assert statement.twins
    for twin in statement.twins:
        verdict = decide_statement(apply_twin(statement, twin), lookup, 1.0, 0.0)
        assert form_used(verdict).status is not Status.PROVED, twin.what


def test_every_statement_of_this_part_has_a_twin():
    labels = [s for s in catalogue().values() if s.part == "Momentum" and s.kind != "assumption" and not s.literature]
    assert len(labels) >= 15
    assert all(s.twins for s in labels), [s.label for s in labels if not s.twins]


@pytest.mark.campaign  # `check --save` brackets all of them
def test_best_constants_come_with_the_steps():
    verdict = decide_statement(lookup("lem:momentum-descent"), lookup, 10.0, 30.0)
    step = next(s for s in verdict.steps if "best constants" in s.reason)
    low, high = step.slack
    assert low == 1.0 < high < 2.0  # 1/4 is sharp; how close the bracket comes depends on the time
