"""Two routes to one statement: the worst law refutes, gives the slack, and never contradicts in silence."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest
from flint import arb
from worst_problems import directional

from boundcheck.author.scalar_claim import NotExtremal
from boundcheck.author.twins import apply_twin
from boundcheck.decide import two_routes
from boundcheck.decide.two_routes import (
    CORNERS,
    INSTANCES,
    TRIED,
    Disagreement,
    _instances,
    _points,
    decide_whole,
    joined,
)
from boundcheck.decide.worst_case import worst_directional
from boundcheck.decide.worst_case.extremal_law import WorstLaw
from boundcheck.decide.worst_case.worst_directional import DirectionalTail, Part
from boundcheck.decide.worst_case.worst_law import decide_worst_law
from boundcheck.decide.worst_case.worst_values import truth
from boundcheck.kernel.statement import Fact, Parameter, Twin
from boundcheck.paper import catalogue, lookup
from boundcheck.paper.extremal import problem
from boundcheck.verdict import Status, Verdict

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


def test_what_is_joined_comes_from_the_route_that_found_it():
    own = Verdict("s", Status.UNDECIDED, "steps", certificate={"own": 1}, reason="own", seconds=2.0)
    law = Verdict("s", Status.REFUTED, "worst law", (None, 0.5), {"p": "2"}, {"law": 1}, "a law", 3.0)
    found = joined(own, law)
    assert found == replace(law, method="worst law", seconds=5.0)
    open_ = replace(law, status=Status.UNDECIDED, slack=(None, 2.0))
    assert joined(own, open_) == replace(own, slack=(None, 2.0), seconds=5.0)
    assert joined(own, replace(open_, slack=None)).slack is None
    proved = replace(own, status=Status.PROVED)
    assert joined(proved, open_) == replace(proved, slack=(1.0, 2.0), seconds=5.0)


@pytest.mark.parametrize("used", [Status.UNDECIDED, Status.REFUTED, Status.ASSUMED, Status.CONSISTENT, Status.CITED])
def test_a_refuted_statement_is_repaired_only_by_a_form_that_holds(used):
    own = Verdict("s", Status.UNDECIDED, as_used=Verdict("s", used))
    wanted = Status.REPAIRED if used is Status.CITED else Status.REFUTED
    assert joined(own, Verdict("s", Status.REFUTED)).status is wanted


def test_the_route_is_that_of_the_problem(monkeypatch):
    own = Verdict("s", Status.UNDECIDED, "steps")
    monkeypatch.setattr(two_routes, "decide_statement", lambda *_: own)
    monkeypatch.setattr(two_routes, "decide_worst_law", lambda *_: Verdict("s", Status.UNDECIDED, slack=(None, 2.0)))
    monkeypatch.setattr(two_routes, "_instances", lambda _: Verdict("s", Status.UNDECIDED, slack=(None, 3.0)))
    lemma, tail = (lookup(f"lem:hp-shared-{name}") for name in ("clipped-bias-abstract", "directional-tail"))
    assert decide_whole(lemma, None, lookup) is own
    assert decide_whole(lemma, problem(lemma), lookup).slack == (None, 2.0)
    assert decide_whole(tail, problem(tail), lookup).slack == (None, 3.0)


def tail(part: str) -> DirectionalTail:
    where = ["p > 1", "p <= 2", "d >= 1", "s >= 1", "L >= 0"]
    return directional(part, part, "s + L", "s**(-p)", where, d="d", p="p", remainder="L")


def test_points_lie_in_the_domain_and_come_once(monkeypatch):
    monkeypatch.setattr(two_routes, "CANDIDATES", 2000)
    posed = tail("noise")
    points = list(_points(posed))
    assert len({tuple(q.values()) for q in points}) == len(points) > INSTANCES
    assert all(truth(r, q) is True for q in points for r in posed.where)
    assert all(q["d"].denominator == 1 for q in points) and {q["d"] for q in points} >= {1, 2, 3, 5, 10, 100}
    corners = [q for q in points if q["L"] == TRIED[0] and {q["p"], q["s"]} <= set(CORNERS) and q["d"] in CORNERS]
    assert points[: len(corners)] == corners and len(corners) == 2 * 2 * 3
    assert {q["s"] for q in points} > {q["s"] for q in points if q["s"].denominator == 1}, "also between the integers"


@pytest.mark.parametrize(("part", "count"), [("noise", INSTANCES), ("signal", INSTANCES), ("total", INSTANCES // 12)])
def test_only_a_law_beyond_the_bound_refutes(monkeypatch, part, count):
    looked = []

    def evaluate(_, point):
        looked.append(point)
        if slacks[len(looked) % 4] is None:
            raise ValueError("undefined here")
        return SimpleNamespace(slack_high=slacks[len(looked) % 4], exact_low=arb(0.5), bound=0.25)

    monkeypatch.setattr(worst_directional, "evaluate", evaluate)
    slacks = [2.0, 3.0, None, 1.0]
    found = _instances(tail(part))
    assert (found.status, found.slack, found.witness) == (Status.UNDECIDED, (None, 1.0), None)
    assert len(looked) == count == len({tuple(q.values()) for q in looked})
    slacks = [None] * 4
    assert _instances(tail(part)).slack is None
    slacks = [math.inf] * 4
    assert _instances(tail(part)).slack is None
    slacks = [2.0, 3.0, None, 0.999]
    looked.clear()
    found = _instances(tail(part))
    assert (found.status, found.slack, len(looked)) == (Status.REFUTED, (None, 0.999), 3)
    assert found.witness == {k: str(v) for k, v in looked[-1].items()} and f"the {Part(part)} part" in found.reason
    assert ">= 0.5 > 0.25" in found.reason


MOMENT, NOISE = "lem:hp-shared-clipped-second-moment", "lem:hp-shared-directional-tail"
FROM_A = Fact("P(abs(Z) > t) <= (A - 1/2)**(-2)*t**(-p)", ("t",), ("t >= 4*S",))


@pytest.mark.parametrize(
    ("label", "more"),  # in each case a model is left out that the extremal law would be
    [
        (MOMENT, {"hypotheses": {"small": Fact("abs(Z) <= S")}}),
        (MOMENT, {"hypotheses": {"zero": Fact("Z == 0")}}),
        (MOMENT, {"hypotheses": {"mean": Fact("E(Z**2) <= S**2")}}),
        (MOMENT, {"hypotheses": {"tail": Fact("P(abs(Z) > t) <= S*t**(-p)", ("t", "p"), ("t >= 4*S",))}}),
        (MOMENT, {"hypotheses": {"tail": Fact("P(abs(Z) > t) <= S**p*t**(-p)", ("t",), ("t >= 8*S - t",))}}),
        (MOMENT, {"hypotheses": {"size": Fact("A == S"), "tail": FROM_A}, "parameters": (Parameter("A", "a size"),)}),
        (MOMENT, {"hypotheses": {"tail": FROM_A}, "parameters": (Parameter("A", "whole", (), True),)}),
        (MOMENT, {"declares": {"Z": "random integer"}}),
        (MOMENT, {"parameters": (Parameter("tau", "whole", ("tau >= 4*S",), True),)}),
        (MOMENT, {"parameters": (Parameter("tau", "a bound", ("tau >= norm(v)",)),), "declares": {"v": "vector"}}),
        (MOMENT, {"hypotheses": {"level": Fact("g(tau) >= 5")}, "declares": {"g": "real -> real"}}),
        (NOISE, {"hypotheses": {"still": Fact("F(xi, y) == f(y)", ("y: vector",))}}),
        (NOISE, {"hypotheses": {"weak Lp": Fact("P(norm(gradF(xi, y)) > t) <= (sigma/t)**p/9", ("y: vector", "t"))}}),
        (NOISE, {"hypotheses": {"short": Fact("norm(gradF(xi, x)) <= sigma/9")}}),
        (NOISE, {"hypotheses": {"step": Fact("sigma == s")}}),
        (NOISE, {"declares": {"u": "vector"}}),
        (NOISE, {"parameters": (Parameter("s", "whole", ("s >= 1",), True),)}),
    ],
)
def test_what_may_exclude_the_extremal_law_poses_no_problem(label, more):
    known = lookup(label)
    parameters = {q.symbol: q for q in (*known.parameters, *more.get("parameters", ()))}
    other = replace(
        known,
        hypotheses={**known.hypotheses, **more.get("hypotheses", {})},
        declares={**known.sorts, **more.get("declares", {})},
        parameters=tuple(parameters.values()),
    )
    with pytest.raises(NotExtremal):
        problem(other)


def test_what_is_said_of_parameters_narrows_the_problem():
    """At tau = 4 S at most 16 S**2: true, and false for larger tau."""
    known = lookup(MOMENT)
    true = replace(known, claims=(Fact("E(clip(Z, tau)**2) <= 16*S**2"),))
    assert decide_worst_law(problem(true), 2.0).status is Status.REFUTED
    narrow = replace(true, hypotheses={**known.hypotheses, "small": Fact("tau <= 4*S")})
    assert decide_worst_law(problem(narrow), 2.0).status is not Status.REFUTED
    fewer = replace(lookup(NOISE), hypotheses={"direction": Fact("law(u) == sphere(d)")})
    assert problem(fewer) is not None
