"""Models of statements: planted contradictions have none, inequalities bite, what is stored is current."""

from dataclasses import replace

import pytest
from slow import apart

from boundcheck.author.twins import apply_twin
from boundcheck.kernel.statement import Fact, Parameter, Statement, Twin
from boundcheck.models.kept import PAGE, line, page, stored
from boundcheck.models.record import NOISE, assumed, bites, model_of, own_worlds, record, worth
from boundcheck.paper import catalogue, lookup


def statement(hypotheses, declares, claim="0 <= 1", parameters=(), world=None):
    facts = {f"h{k}": Fact(h) if isinstance(h, str) else h for k, h in enumerate(hypotheses)}
    twins = () if world is None else (Twin("a change", {"0 <= 1": "1 <= 0"}, world),)
    return Statement(
        "lem:planted", "t", "lemma", "part", "text", parameters, facts, (Fact(claim),), declares=declares, twins=twins
    )


# ---------------------------------------------------------------- planted contradictions


def test_hypotheses_that_contradict_each_other_have_no_model_and_prove_the_absurd():
    made = statement(["Z <= 0", "Z >= 1"], {"Z": "real"})
    found = record(made)
    assert found["unmet"] == "the hypothesis h1 is not shown" and found["absurd"]["derived"]
    assert "none found" in line(made, found) and "h1" in page({made.label: made}, {made.label: found})
    met = record(statement(["Z <= 0"], {"Z": "real"}))
    assert not met["unmet"] and not met["absurd"]["derived"] and met["claims"] == [["true", "exact"]]


EVERY = ("t: integer",)
FROM_0 = ("t >= 0",)
TWICE = {
    "a member": ({"a": Fact("at(q, 0) == 1"), "b": Fact("at(q, 0) == 2")}, {"q": "integer -> real"}),
    "a step": (
        {"s": Fact("at(q, 0) == 1"), "a": Fact("at(q, t + 1) == at(q, t)", EVERY, FROM_0),
         "b": Fact("at(q, t + 1) == 2*at(q, t)", EVERY, FROM_0)}, {"q": "integer -> real"},
    ),
    "a member of a run": (
        {"s": Fact("at(q, 0) == 1"), "a": Fact("at(q, t + 1) == 2*at(q, t)", EVERY, FROM_0),
         "b": Fact("at(q, 3) == 7")}, {"q": "integer -> real"},
    ),
    "all members and one": ({"a": Fact("at(q, t) == 0", EVERY), "b": Fact("at(q, 0) == 1")}, {"q": "integer -> real"}),
    "a shift by two": (
        {"s": Fact("at(q, 0) == 1"), "a": Fact("at(q, t + 2) == 2", EVERY, FROM_0), "b": Fact("at(q, 2) == 3")},
        {"q": "integer -> real"},
    ),
    "a function": (
        {"a": Fact("q(y) == 0", ("y: real",)), "b": Fact("q(y) == 1", ("y: real",))}, {"q": "real -> real"},
    ),
    "functions in a circle": (
        {"a": Fact("q(y) == h(y) + 1", ("y: real",)), "b": Fact("h(y) == q(y)", ("y: real",))},
        {"q": "real -> real", "h": "real -> real"},
    ),
    "a member by itself": ({"a": Fact("at(q, t + 1) == at(q, t + 1) + 1", EVERY, FROM_0)}, {"q": "integer -> real"}),
}  # fmt: skip


@pytest.mark.parametrize("name", apart(TWICE, "functions in a circle"))
def test_what_is_defined_twice_or_in_a_circle_has_no_model(name):
    hypotheses, declares = TWICE[name]
    assert record(replace(statement([], declares), hypotheses=hypotheses))["unmet"]


def test_a_run_meets_what_follows_from_its_steps():
    hypotheses = {**TWICE["a member of a run"][0], "b": Fact("at(q, 3) == 8")}
    assert not record(replace(statement([], {"q": "integer -> real"}), hypotheses=hypotheses))["unmet"]


def test_parameters_in_a_circle_have_no_model():
    h, k = Parameter("h", "h", ("h > 0",)), Parameter("k", "k", ("k > 0",))
    assert record(statement(["h == k + 1", "k == h"], {}, parameters=(h, k)))["unmet"]
    assert not record(statement(["h == k + 1"], {}, parameters=(h, k)))["unmet"]


def test_an_event_against_its_probability_has_no_model():
    size = Parameter("R", "R", ("R > 0",))
    facts = ["norm(d) <= R", "P(norm(d) > R) >= 1/2"]
    for some, met in ((facts, False), (facts[:1], True)):
        found = record(statement(some, {"d": "random vector"}, parameters=(size,), world={"d": "w(1)"}))
        assert (found["unmet"] == "") is met and (met or "h1" in found["unmet"])


def test_a_domain_against_a_hypothesis_has_no_model():
    found = record(statement(["a <= 1"], {}, parameters=(Parameter("a", "a", ("a > 2",)),)))
    assert found["unmet"] and found["absurd"]["derived"]


# ---------------------------------------------------------------- what holds and bites


def test_a_law_with_a_tail_is_a_model():
    s = lookup("app:one-sided-noise")
    world, texts, why = model_of(s, s)
    assert world is not None and texts["X"].startswith("ind(unit(1)") and not why
    assert [worth(world, f)[0] for f in s.claims] == ["true", "true"]
    assert [worth(world, f)[0] for f in apply_twin(s, s.twins[0]).claims] == ["true", "FALSE"]
    assert bites(world, Fact("P(X > t) <= t**(-p)", ("t",), ("t >= tau",)))
    assert not bites(world, Fact("P(X > t) <= 2*t**(-p)", ("t",), ("t >= tau", "t <= 100")))
    assert not bites(world, Fact("p == 2"))


def test_what_is_told_for_some_integers_alone_is_told_at_values():
    run = {"s": Fact("at(q, 0) == 1"), "a": Fact("at(q, t + 1) == 2*at(q, t)", EVERY, FROM_0)}
    made = replace(statement([], {"q": "integer -> real"}), hypotheses=run)
    world, _, why = model_of(made, made)
    assert world is not None and not why
    assert worth(world, Fact("at(q, t) >= 1", EVERY, FROM_0)) == ["true", "at values"]
    assert worth(world, Fact("at(q, t) <= 4", EVERY, FROM_0)) == ["FALSE", ""]


@pytest.mark.parametrize(
    "change", [{"tau**(-p)": "tau**(-p)/2"}, {"X >= 0": "X >= 1"}, {"== t**(-p)": "== t**(-1.01*p)"}]
)
def test_a_world_that_misses_a_hypothesis_is_no_model(change):
    s = lookup("app:one-sided-noise")
    assert model_of(replace(apply_twin(s, Twin("a change", change)), twins=s.twins), s)[0] is None


def test_numbers_that_are_no_rationals_are_shown_with_six_digits():
    a, b = Parameter("a", "a", ("a > 0",)), Parameter("b", "b", ("b > 0",))
    found = record(statement(["b == 10*sqrt(2)", "a == 2 + 1/2"], {}, parameters=(a, b)))
    assert found["numbers"] == {"a": "5/2", "b": "14.1421"}


@pytest.mark.parametrize("label", [label for label in own_worlds() if label not in NOISE])
def test_a_world_of_its_own_is_a_model(label):
    s = lookup(label)
    world, texts, why = model_of(assumed(s.as_used or s), s)
    own = own_worlds()[label]
    assert world is not None and not why and texts.keys() >= own.keys()


def test_the_noise_is_alive_where_there_is_some():
    for label, found in stored().items():
        if "draw" in (s := catalogue()[label].as_used or catalogue()[label]).sorts or "F" in s.sorts:
            assert "noise(z) = 0" not in found["words"] and "xi = 0" not in found["words"], label


# ---------------------------------------------------------------- what is stored


def test_every_statement_has_a_current_model_that_breaks_no_claim():
    known = stored()
    assert known.keys() == catalogue().keys(), "python -m boundcheck.models"
    for label, found in known.items():
        assert "STALE" not in line(catalogue()[label], found), f"python -m boundcheck.models {label}"
        assert not found["unmet"] and "FALSE" not in [worth for worth, _ in found["claims"]], label
        assert not found["absurd"]["derived"], label


def test_the_page_says_what_is_stored():
    assert PAGE.read_text(encoding="utf-8") == page(catalogue(), stored()), "python -m boundcheck.models --page"


def test_a_changed_statement_is_stale():
    s = lookup("app:second-moment-step")
    changed = replace(s, hypotheses={**s.hypotheses, "more": Fact("R <= 7")})
    assert "STALE" in line(changed, stored()[s.label])
