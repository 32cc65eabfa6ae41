"""A point refutes a claim where it meets the whole domain and every hypothesis, those about other names, too."""

from dataclasses import replace

import pytest

from boundcheck.decide.statements import decide_statement
from boundcheck.kernel.statement import Cite, Decide, Fact, Follows, Parameter, Statement, Step
from boundcheck.verdict import Status


def _statement(claim, domains, by=None, hypotheses=None, declares=None):
    parameters = tuple(Parameter(n, n, tuple(d)) for n, d in domains.items())
    told = {k: Fact(h) for k, h in (hypotheses or {}).items()}
    step = Step(Fact(claim), by or Decide())
    return Statement(
        "lem:x", "t", "lemma", "p", "x", parameters, told, (Fact(claim),), (step,), declares=declares or {}
    )


def _status(statement, *others):
    return decide_statement(statement, {s.label: s for s in others}.__getitem__, 1.0, 0.0).status


@pytest.mark.parametrize(
    ("claim", "domains"),
    [
        ("c <= 0", {"s": (), "c": ("c <= -s**2",)}),  # c = 1 was the witness, with s left out
        ("c <= t", {"s": (), "c": ("c <= s",), "t": ("s <= t",)}),
        ("c <= 1", {"s": ("s < s",), "c": ()}),  # there are no such parameters at all
        ("c <= 1", {"s": ("s >= 0", "s <= -1"), "c": ()}),
        ("c <= 1", {"s": ("1/s >= 1", "s <= 0"), "c": ()}),
    ],
)
def test_no_point_outside_of_the_domain_refutes(claim, domains):
    assert _status(_statement(claim, domains)) is Status.UNDECIDED


@pytest.mark.parametrize("hypothesis", ["c <= -s**2", "1 <= 0"])
def test_no_point_that_breaks_a_hypothesis_refutes(hypothesis):
    told = _statement("c <= 0", {"c": ()}, hypotheses={"h": hypothesis}, declares={"s": "real"})
    assert _status(told) is Status.UNDECIDED


@pytest.mark.parametrize(
    "hypothesis",
    [
        Fact("t >= 0", ("t",)),  # nothing meets it
        Fact("t >= s", ("t",), ("t <= s",)),
        Fact("s <= -1", (), ("s**2 >= 0",)),
        Fact("s >= 1", ("t",), ("t >= 0",)),
    ],
)
def test_no_point_refutes_where_a_hypothesis_is_for_all_values_or_has_a_condition(hypothesis):
    told = _statement("c <= 0", {"c": (), "s": ("s >= 0", "s <= 1/2")}, declares={})
    assert _status(told) is Status.REFUTED
    assert _status(replace(told, hypotheses={"h": hypothesis})) is Status.UNDECIDED


@pytest.mark.parametrize("hypothesis", [Fact("t*r >= 0", ("t",), ("t >= 0",)), Fact("s <= 1", (), ("r >= 0",))])
def test_a_point_refutes_that_meets_such_a_hypothesis(hypothesis):
    told = _statement("c <= 0", {"c": (), "s": ("s >= 0", "s <= 1/2")}, declares={"r": "real"})
    assert _status(replace(told, hypotheses={"h": hypothesis})) is Status.REFUTED


def test_a_domain_with_a_head_in_it_is_not_passed_over():
    told = _statement("c <= 0", {"c": ("c <= -f(0)**2",)}, declares={"f": "real -> real"})
    assert _status(told) is Status.UNDECIDED


def test_an_equation_takes_no_name_out_of_the_domain():
    """c = s by what is used, and s <= 0: with c put for s the point c = 1 was no point of the domain."""
    told = _statement("c <= 0", {"s": ("s <= 0",), "c": ()}, Decide(("h",)), {"h": "c == s"})
    assert _status(told) is Status.PROVED
    told = _statement("c <= 0", {"s": (), "r": ("s <= -r**2",), "c": ()}, Decide(("h",)), {"h": "s == c"})
    assert _status(told) is not Status.REFUTED


@pytest.mark.parametrize("low", ["s >= 0", "s <= 5"])
def test_a_point_of_the_domain_refutes(low):
    told = _statement("c <= 0", {"s": (low,), "c": ("c <= s**2 + 1",), "t": ("t >= s",)})
    assert _status(told) is Status.REFUTED
    told = _statement("c <= 0", {"c": ()}, hypotheses={"h": "c <= s"}, declares={"s": "real"})
    verdict = decide_statement(told, {}.__getitem__, 1.0, 0.0)  # by a world; the step does not use c <= s
    assert verdict.steps[0].status is Status.UNDECIDED and verdict.method == "world"


def test_the_domain_of_a_cited_statement_is_not_refuted_elsewhere_either():
    cited = Statement(
        "lem:c", "t", "lemma", "p", "x", (Parameter("c", "c", ("c <= 0",)),), {}, (Fact("c <= 5"),),
        (Step(Fact("c <= 5"), Decide()),), declares={},
    )  # fmt: skip
    told = _statement("c <= 5", {"s": (), "c": ("c <= -s**2",)}, Cite("lem:c"))
    verdict = decide_statement(told, {"lem:c": cited}.__getitem__, 1.0, 0.0)
    assert verdict.steps[0].status is Status.UNDECIDED


def test_what_a_step_uses_is_met_too():
    told = _statement("c <= 0", {"c": ()}, Follows(("h",)), {"h": "c <= 1"})
    assert _status(told) is not Status.PROVED


def test_a_domain_that_an_equation_was_solved_in_is_met():
    fact = Fact("u < 1", ("c",), ("c > 0", "u == c"))
    told = Statement(
        "lem:x", "t", "lemma", "p", "x", (Parameter("u", "u", ("u > 0",)),), {}, (fact,), (Step(fact, Decide()),),
        declares={},
    )  # fmt: skip
    assert decide_statement(told, {}.__getitem__, 1.0, 0.0).steps[0].status is Status.REFUTED


@pytest.mark.parametrize(
    "hypotheses",
    [
        ("norm(v) <= -1",),
        ("P(A) >= 2",),
        ("f(1) >= 1", "f(1) <= 0"),
        ("f(2) == f(2) + 1",),
        ("norm(v) + P(A) <= s",),
        ("E(X) == 2", "E(X**2) == 1"),
        ("X >= 1", "E(X) <= 0"),
        ("P(X > 1) == 1/2", "P(X > 0) == 1/4"),
        ("P(A) >= 9/10", "P(complement(A)) >= 9/10"),
        ("norm(v) == 1", "norm(w) == 1", "dot(v, w) == 2"),
        ("norm(v) == 1", "norm(w) == 1", "norm(v + w) >= 3"),
        ("v == w", "norm(v) == 1", "norm(w) == 2"),
        ("independent(X, X) == 1", "E(X) == 0", "E(X**2) == 1"),
        ("f(1) == 0", "f(2) == 0", "sum(f(k), k, 1, 2) == 2"),
        ("at(k, 1) == 1/2",),
        ("law(u) == sphere(3)", "E(norm(u)) == 2"),
    ],
)
def test_no_point_refutes_where_nothing_is_what_is_said_of_terms(hypotheses):
    """Nothing meets any of these, though most numbers in the place of the terms do; s < 0."""
    names = {"v": "vector", "w": "vector", "A": "event", "f": "real -> real", "s": "real"}
    names |= {"X": "random real", "u": "random vector", "k": "integer -> integer"}
    told = _statement("c <= 0", {"c": ()}, hypotheses={"s": "s < 0"}, declares=names)
    assert _status(told) is Status.REFUTED
    more = {f"h{n}": Fact(h) for n, h in enumerate(hypotheses)}
    assert _status(replace(told, hypotheses={**told.hypotheses, **more})) is Status.UNDECIDED


def test_what_is_said_of_terms_for_all_values_is_asked_at_one():
    names, below = {"f": "real -> real"}, Fact("f(t) <= -1", ("t",))
    told = _statement("c <= 0", {"c": ()}, declares=names)
    assert _status(replace(told, hypotheses={"below": below})) is Status.REFUTED
    both = replace(told, hypotheses={"below": below, "above": Fact("f(t) >= 0", ("t",))})
    assert _status(both) is Status.UNDECIDED


def test_no_point_refutes_where_nothing_is_what_is_said_of_terms_under_a_condition():
    names = {"v": "vector", "s": "real"}
    told = _statement("c <= 0", {"c": ()}, declares=names)
    fact = Fact("norm(v) <= -1", (), ("s**2 >= 0",))
    assert _status(replace(told, hypotheses={"h": fact})) is Status.UNDECIDED
    assert _status(replace(told, hypotheses={"h": replace(fact, claim="norm(v) <= 1")})) is Status.REFUTED


@pytest.mark.parametrize("hypothesis", ["norm(v) + P(A) <= 3", "f(1) >= 1", "law(v) == sphere(d)", "E(X**2) <= 1"])
def test_a_point_refutes_beside_what_can_be_said_of_terms(hypothesis):
    names = {"v": "random vector", "A": "event", "f": "real -> real", "d": "integer", "X": "random real"}
    assert _status(_statement("c <= 0", {"c": ()}, hypotheses={"h": hypothesis}, declares=names)) is Status.REFUTED


@pytest.mark.parametrize("hypothesis", [Fact("norm(y) <= 1"), Fact("g(y) <= 1"), Fact("y <= 1", ("y: vector",))])
def test_beside_a_hypothesis_that_says_nothing_a_point_refutes_nothing(hypothesis):
    told = _statement("c <= 0", {"c": ()}, declares={"y": "real"})
    found = decide_statement(replace(told, hypotheses={"h": hypothesis}), {}.__getitem__, 1.0, 0.0)
    assert found.status is Status.UNDECIDED and "a hypothesis says nothing" in found.reason
