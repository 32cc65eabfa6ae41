"""What the lint tells of a decided statement: names that occur once, hypotheses of no use, assumed events."""

from dataclasses import replace

import pytest

from boundcheck.author import lint
from boundcheck.author.elaborate import elaborate
from boundcheck.author.proof_reader import read_proof
from boundcheck.kernel.statement import Fact, Parameter, Statement
from boundcheck.paper import catalogue, lookup


def test_the_lint_tells_of_means_hypotheses_and_single_names():
    facts = {"a": Fact("E(u**2) <= V"), "b": Fact("Z <= W")}
    statement = Statement(
        "lem:own", "", "lemma", "", "", (Parameter("V", ""),), facts, (Fact("E(Z) <= V"),),
        declares=dict.fromkeys("uZW", "real"),
    )  # fmt: skip
    told = "\n".join(lint.remarks(statement))
    assert "nothing in E(u**2) is random; is u missing in random?" in told
    assert "W occurs once" in told
    made = elaborate(statement, read_proof("V <= V + 1"), lookup).statement
    assert "hypothesis b is never used" in "\n".join(lint.remarks(made))
    assert "W occurs once" in "\n".join(lint.remarks(made))


def test_the_lint_knows_random_functions():
    told = Statement(
        "lem:own",
        "",
        "lemma",
        "",
        "",
        (),
        {"mean": Fact("E(X(t)) <= 1", ("t",))},
        (),
        declares={"X": "real -> random real"},
    )
    assert not any("is random" in r for r in lint.remarks(told))
    assert any("is random" in r for r in lint.remarks(replace(told, declares={"X": "real -> real"})))


def test_the_lint_is_silent_on_what_is_taken_from_sight_of_a_setting_or_spoken_of_in_the_proof():
    facts = {"mean": Fact("integrable(Z) == 1"), "shared": Fact("Z <= W"), "own": Fact("Z <= V")}
    statement = Statement(
        "lem:own", "", "lemma", "", "", (Parameter("V", ""),), facts, (Fact("V <= V + 1"),),
        declares=dict.fromkeys("ZW", "real"), places={"shared": "Assumption 1"},
    )  # fmt: skip
    made = elaborate(statement, read_proof("W <= W + V**2"), lookup).statement
    assert lint.remarks(made) == ["hypothesis own is never used"]


RUN = {
    "step": Fact("at(xs, t + 1) == at(xs, t) - a*at(gs, t)", ("t",), ("t >= 0",)),
    "other": Fact("at(xs, t) - 2*at(gs, t) == at(zs, t)", ("t",)),
    "bounded": Fact("norm(at(gs, 1)) <= R"),
    "zero or one": Fact("at(bs, t)*at(bs, t) == at(bs, t)", ("t",)),
    "moment": Fact("at(bs, t)*R <= a", ("t",)),
}
RUNS = {
    **dict.fromkeys(("xs", "gs", "zs"), "integer -> random vector"),
    **dict.fromkeys(("bs", "cs"), "integer -> random real"),
}


@pytest.mark.parametrize(
    ("near", "told"),
    [
        (Fact("norm(at(xs, t)) <= R", ("t",)), True),
        (Fact("R > norm(at(xs, 3) - y)"), True),
        (Fact("ind(A) == 1"), True),
        (Fact("P(norm(at(xs, 3)) <= R) >= 1/2"), False),
        (Fact("E(norm(at(xs, 3))) <= P(A)"), False),
        (Fact("ind(norm(at(xs, 3)) <= R) == 1"), True),
        (Fact("at(cs, t) == ind(norm(at(xs, t)) <= R)", ("t",)), False),
        (Fact("norm(at(zs, 3)) <= R"), True),  # formed by an equation with its name on the right
        (Fact("independent(A, at(xs, 3)) == 1"), False),
        (Fact("measurable(A, at(xs, 3)) == 1"), False),
        (Fact("norm(y) <= R"), False),
        (Fact("Egiven(at(cs, t)**2, at(xs, t)) <= R + norm(at(xs, t))**2", ("t",)), False),  # what a law allows
        (Fact("R + norm(at(xs, t)) >= Pgiven(at(cs, t) > 1, at(xs, t))", ("t",)), False),
        (Fact("Egiven(at(cs, t), at(xs, t)) + norm(at(xs, t)) <= R", ("t",)), True),
        (Fact("at(xs, 0) == y"), False),
    ],
)
def test_the_lint_tells_of_an_event_that_is_assumed(near, told):
    statement = Statement(
        "lem:own", "", "lemma", "", "", (Parameter("R", ""), Parameter("a", "")), {**RUN, "near": near},
        (Fact("R <= R"),),
        declares={**RUNS, "y": "vector", "A": "event"},
    )  # fmt: skip
    line = f"hypothesis near assumes an event, {near.claim}: its probability belongs into the claim"
    assert [r for r in lint.remarks(statement) if "event" in r] == [line] * told


def test_no_statement_of_the_catalogue_assumes_an_event():
    forms = [f for s in catalogue().values() for f in (s, s.as_used) if f is not None]
    assert len(forms) > 100
    assert not [r for f in forms for r in lint.remarks(f) if "assumes an event" in r]
