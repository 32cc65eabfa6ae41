"""Relatives of the holes: bound names inside of bound names, and what a step supposes when it cites."""

from dataclasses import replace

import pytest
from holes import NOTHING, lemma, open_at, refused

from boundcheck.kernel.statement import (
    ByRule,
    Cite,
    Decide,
    Fact,
    Parameter,
    Step,
)

# ---------------------------------------------------------------- bound names inside of bound names


@pytest.mark.parametrize(
    ("claim", "declares"),
    [
        # model: w(s, l) = 0 for s = l, else 1
        ("sum(sum(at(w, s, l), l, 1, 2), s, 1, 2) == sum(sum(at(w, l, l), l, 1, 2), s, 1, 2)",
         "integer, integer -> real"),
        ("sum(sum(at(w, s, l), l, 1, 2), s, 1, 2) == sum(sum(at(w, s, s), l, 1, 2), s, 1, 2)",
         "integer, integer -> real"),
        ("E(sum(sum(at(w, s, l), l, 1, 2), s, 1, 2)) == E(sum(sum(at(w, l, l), l, 1, 2), s, 1, 2))",
         "integer, integer -> random real"),
        # model: f(x, y) = x
        ("integral(integral(f(x, y), x, 0, 1), y, 0, 1) == integral(integral(f(y, y), x, 0, 1), y, 0, 2)",
         "real, real -> real"),
    ],
)  # fmt: skip
def test_a_bound_name_does_not_capture_that_of_an_inner_sum(claim, declares):
    name = "f" if "f(" in claim else "w"
    statement = lemma(claim, (Step(Fact(claim), Decide()),), {name: declares})
    refused(statement, 1)


def test_bound_names_may_be_exchanged():
    claim = "sum(sum(at(w, s, l), l, 1, s), s, 1, 2) == sum(sum(at(w, l, s), s, 1, l), l, 1, 2)"
    assert open_at(lemma(claim, (Step(Fact(claim), Decide()),), {"w": "integer, integer -> real"})) is None


# ---------------------------------------------------------------- conditions of a step that cites


def _cites(where, hypotheses, claim, step, declares):
    cited = lemma(claim, (), declares, hypotheses, label="lem:cited")
    step = Step(Fact(step, ("y: vector",), where), Cite("lem:cited", {"x": "y"}))
    names = {k: v for k, v in declares.items() if k != "x"}
    return lemma("0 == 0", (step, NOTHING), names), cited


@pytest.mark.parametrize(
    ("where", "proved"),
    [(("f(y) <= 1",), True), (("f(y) <= 2",), False), ((), False), (("f(-y) <= 1",), False)],
)
def test_what_a_step_supposes_is_a_hypothesis_that_it_may_cite_under(where, proved):
    """Model where it does not hold: f(y) = 2 for all y, Z = 3."""
    declares = {"f": "vector -> real", "Z": "random real", "x": "vector"}
    told = ({"low": Fact("f(x) <= 1")}, "P(Z > f(x)) <= 1/2", "P(Z > f(y)) <= 1/2", declares)
    statement, cited = _cites(where, *told)
    assert (open_at(statement, cited) is None) == proved


def test_a_law_is_not_cited_under_a_condition_on_chance():
    """Model: Z = +-2, x any vector."""
    declares = {"Z": "random real", "x": "vector"}
    statement, cited = _cites(
        ("Z <= 1",), {"low": Fact("Z <= 1")}, "E(Z) <= norm(x) + 1", "E(Z) <= norm(y) + 1", declares
    )
    refused(statement, 1, others=(cited,))


@pytest.mark.parametrize(("where", "proved"), [(("c > 0",), True), ((), False), (("c > -1",), False)])
def test_that_a_cited_mean_exists_holds_where_the_citation_does(where, proved):
    """Model: c = 0, Z without a mean; the cited statement says nothing for c <= 0."""
    cited = replace(
        lemma("E(Z) == 0", (), {"Z": "random real"}, label="lem:cited"),
        parameters=(Parameter("c", "a number", ("c > 0",)),),
    )
    names = {"Z": "random real", "c": "real", "A": "event"}
    steps = (
        Step(Fact("E(Z) == 0", (), ("c > 0",)), Cite("lem:cited")),
        Step(
            Fact("E(Z + ind(A)) == E(Z) + E(ind(A))", (), where),
            ByRule("expectation of a sum", {"X": "Z", "Y": "ind(A)"}),
        ),
        NOTHING,
    )
    found = open_at(lemma("0 == 0", steps, names), cited)
    assert found is None if proved else found is not None and found[0] == 2


@pytest.mark.parametrize(
    ("where", "proved"), [("measurable(at(X, s), at(H, s)) == 1", True), ("at(X, s) <= 0", False)]
)
def test_a_condition_about_laws_is_no_condition_on_chance(where, proved):
    """Model where it does not hold: X_s nonnegative and not known from H_s, Y = X."""
    declares = {"X": "integer -> random real", "Y": "integer -> random real", "H": "integer -> information"}
    step = Step(
        Fact("measurable(at(Y, s), at(H, s)) == 1", ("s: integer",), (where,)),
        ByRule("known by equality", {"X": "at(Y, s)", "Y": "at(X, s)", "V": "at(H, s)"}, ("same",)),
    )
    hypotheses = {"same": Fact("at(Y, s) == at(X, s)", ("s: integer",))}
    assert (open_at(lemma("0 == 0", (step, NOTHING), declares, hypotheses)) is None) == proved
