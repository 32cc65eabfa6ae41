"""Two routes to one statement: the worst law refutes, gives the slack, and never contradicts in silence."""

from __future__ import annotations

from fractions import Fraction

import pytest

from boundcheck.decide import worst_directional
from boundcheck.decide.extremal import WorstLaw
from boundcheck.decide.whole import Disagreement, _instances, joined
from boundcheck.decide.worst_law import decide_worst_law
from boundcheck.paper import catalogue, lookup
from boundcheck.paper.extremal import NotExtremal, problem
from boundcheck.statement import Status, Twin, Verdict
from boundcheck.twins import apply_twin

EXTREMAL = [s for s in catalogue().values() if s.worst_law]


@pytest.mark.parametrize("statement", EXTREMAL, ids=lambda s: s.label)
def test_every_extremal_statement_poses_its_problem(statement):
    assert problem(statement) is not None


@pytest.mark.parametrize(
    ("label", "number"),
    [
        ("lem:hp-shared-clipped-bias-abstract", 0),
        ("lem:hp-shared-clipped-second-moment", 0),
        ("lem:hp-shared-directional-tail", 0),
        ("lem:hp-shared-directional-tail", 1),
        ("lem:hp-shared-directional-signal-tail", 0),
    ],
)
def test_the_extremal_law_refutes_the_twin_but_not_the_statement(label, number):
    statement = lookup(label)
    for form, refuted in ((statement, False), (apply_twin(statement, statement.twins[number]), True)):
        posed = problem(form)
        found = decide_worst_law(posed, 2.0) if isinstance(posed, WorstLaw) else _instances(posed)
        assert (found.status is Status.REFUTED) is refuted
        if refuted or found.slack is not None:
            assert (found.slack[1] < 1) is refuted


def test_a_refuting_point_really_exceeds_the_bound():
    statement = lookup("lem:hp-shared-directional-tail")
    posed = problem(apply_twin(statement, statement.twins[0]))
    point = {k: Fraction(v) for k, v in (_instances(posed).witness or {}).items()}
    assert worst_directional.evaluate(posed, point).exact_low > worst_directional.evaluate(posed, point).bound_ball


def test_a_statement_of_another_form_is_not_read():
    statement = lookup("lem:hp-shared-clipped-bias-abstract")
    twin = apply_twin(statement, Twin("other tail", {"P(abs(Z) > t)": "P(abs(Z) >= t)"}))
    with pytest.raises(NotExtremal):
        problem(twin)


def test_a_contradiction_is_loud():
    proved, refuted = Verdict("s", Status.PROVED), Verdict("s", Status.REFUTED, reason="a law")
    with pytest.raises(Disagreement, match="a law"):
        joined(proved, refuted)
    assert joined(Verdict("s", Status.UNDECIDED), refuted).status is Status.REFUTED
    used = Verdict("s", Status.UNDECIDED, as_used=proved)
    assert joined(used, refuted).status is Status.REPAIRED


def test_the_slack_starts_at_one_only_where_something_is_proved():
    other = Verdict("s", Status.UNDECIDED, slack=(None, 2.0))
    assert joined(Verdict("s", Status.PROVED), other).slack == (1.0, 2.0)
    assert joined(Verdict("s", Status.UNDECIDED), other).slack == (None, 2.0)
