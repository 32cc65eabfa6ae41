"""Models of statements: exact values in worlds, planted contradictions, hypotheses that claims need."""

from dataclasses import replace

import pytest
from flint import fmpq

from boundcheck.author.twins import apply_twin
from boundcheck.kernel.formula import parse_relation
from boundcheck.kernel.statement import Fact, Parameter, Statement, Twin
from boundcheck.models.by_world import in_texts
from boundcheck.models.kept import PAGE, line, page, stored
from boundcheck.models.named import build
from boundcheck.models.nums import ONE, Unknown
from boundcheck.models.outcomes import Evaluation, Lazy
from boundcheck.models.record import hypotheses, model_of, record
from boundcheck.models.told import Assertion, assertion, bites, holds
from boundcheck.paper import catalogue, lookup


def statement(hypotheses, declares, claim="0 <= 1", parameters=()):
    facts = {f"h{k}": Fact(h) if isinstance(h, str) else h for k, h in enumerate(hypotheses)}
    return Statement("lem:planted", "t", "lemma", "part", "text", parameters, facts, (Fact(claim),), declares=declares)


def said(world, text):
    return holds(Evaluation(world), Assertion(parse_relation(text, proof=True))).holds


# ---------------------------------------------------------------- worlds


def test_means_are_exact():
    world = build(lookup("lem:momentum-freedman"))
    world.values |= {"R": fmpq(2), "M": fmpq(2), "n": fmpq(2)}
    both = "sum(sum(at(X, s, l), l, 1, M), s, 1, n)"
    assert said(world, f"E(norm({both})**2) == 16")
    assert said(world, f"P(norm({both}) > 5) == 1/8")
    assert said(world, f"P(norm({both}) > 5) <= 1/9") is False
    assert said(world, "Egiven(norm(at(X, 1, 1) + at(X, 1, 2)), at(H, 1)) == 2")
    assert said(world, "Egiven(at(X, 1, 1), at(H, 1)) == 0") is False
    assert said(world, "measurable(at(X, 1, 2), at(H, 2)) == 1")
    assert said(world, "measurable(at(X, 1, 2), at(H, 1)) == 1") is None  # never told to be true
    assert said(world, "independent(at(X, 1, 2), at(H, 2)) == 1") is None


def test_the_ball_tells_means_of_low_degree_alone():
    world = build(lookup("lem:hp-shared-smoothing-bias"))
    world.values |= {"L": ONE, "mu": fmpq(2)}
    assert said(world, "E(f(mu*v)) == 2/3")
    assert said(world, "P(norm(v) > 1/2) == 1/2") is None


def test_a_tail_is_told_for_all_its_values():
    world, _ = model_of(lookup("lem:hp-shared-clipped-bias-abstract"))
    tail = hypotheses(lookup("lem:hp-shared-clipped-bias-abstract"), world)["tail"]
    assert holds(Evaluation(world), tail).how == "exact"
    assert bites(Evaluation(world), tail)
    lighter = Fact("P(abs(Z) > t) <= 2**(2*p + 1)*S**p*t**(-p - 1/10)", ("t",), ("t >= 4*S",))
    assert holds(Evaluation(world), assertion(lighter, world.sorts)).holds is False


# ---------------------------------------------------------------- planted contradictions


def test_hypotheses_that_contradict_each_other_have_no_model_and_prove_the_absurd():
    found = record(statement(["Z <= 0", "Z >= 1"], {"Z": "random real"}))
    assert found["unmet"] and found["absurd"]["derived"]
    assert "none found" in line(statement(["Z <= 0", "Z >= 1"], {"Z": "random real"}), found)
    assert not record(statement(["abs(Z) >= 0"], {"Z": "random real"}))["absurd"]["derived"]


EVERY = ("t: integer",)
FROM_0 = ("t >= 0",)
TWICE = {
    "a member": ({"a": Fact("at(q, 0) == 1"), "b": Fact("at(q, 0) == 2")}, {"q": "integer -> real"}, "b"),
    "a step": (
        {"s": Fact("at(q, 0) == 1"), "a": Fact("at(q, t + 1) == at(q, t)", EVERY, FROM_0),
         "b": Fact("at(q, t + 1) == 2*at(q, t)", EVERY, FROM_0)}, {"q": "integer -> real"}, "b",
    ),
    "a member of a run": (
        {"s": Fact("at(q, 0) == 1"), "a": Fact("at(q, t + 1) == 2*at(q, t)", EVERY, FROM_0),
         "b": Fact("at(q, 3) == 7")}, {"q": "integer -> real"}, "b",
    ),
    "all members and one": (
        {"a": Fact("at(q, t) == 0", EVERY), "b": Fact("at(q, 0) == 1")}, {"q": "integer -> real"}, "b",
    ),
    "a shift by two": (
        {"s": Fact("at(q, 0) == 1"), "a": Fact("at(q, t + 2) == 2", EVERY, FROM_0), "b": Fact("at(q, 2) == 3")},
        {"q": "integer -> real"}, "b",
    ),
    "a function": ({"a": Fact("q(y) == 0", ("y: real",)), "b": Fact("q(y) == 1", ("y: real",))},
                   {"q": "real -> real"}, "b"),
    "functions in a circle": (
        {"a": Fact("q(y) == h(y) + 1", ("y: real",)), "b": Fact("h(y) == q(y)", ("y: real",))},
        {"q": "real -> real", "h": "real -> real"}, "definitions",
    ),
    "a member by itself": (
        {"a": Fact("at(q, t + 1) == at(q, t + 1) + 1", EVERY, FROM_0)}, {"q": "integer -> real"}, "definitions",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TWICE)
def test_what_is_defined_twice_or_in_a_circle_has_no_model(name):
    hypotheses, declares, unmet = TWICE[name]
    made = replace(statement([], declares), hypotheses=hypotheses)
    assert list(record(made)["unmet"]) == [unmet]


def test_parameters_in_a_circle_have_no_model():
    h, k = Parameter("h", "h", ("h > 0",)), Parameter("k", "k", ("k > 0",))
    found = record(statement(["h == k + 1", "k == h"], {}, parameters=(h, k)))
    assert {"h0", "h1"} <= found["unmet"].keys()


def test_a_run_meets_what_follows_from_its_steps():
    hypotheses = {**TWICE["a member of a run"][0], "b": Fact("at(q, 3) == 8")}
    assert not record(replace(statement([], {"q": "integer -> real"}), hypotheses=hypotheses))["unmet"]


def test_an_event_against_its_probability_has_no_model():
    size = Parameter("R", "R", ("R > 0",))
    found = record(statement(["norm(d) <= R", "P(norm(d) > R) >= 1/2"], {"d": "random vector"}, parameters=(size,)))
    assert list(found["unmet"]) == ["h1"]


def test_a_domain_against_a_hypothesis_has_no_model():
    found = record(statement(["a <= 1"], {}, parameters=(Parameter("a", "a", ("a > 2",)),)))
    assert found["unmet"] and found["absurd"]["derived"]


# ---------------------------------------------------------------- what claims need


def claims(s, world):
    return [holds(Evaluation(world), assertion(f, world.sorts)).holds for f in s.claims]


def without(statement, name):
    """The statement without one of its hypotheses."""
    return replace(statement, hypotheses={n: f for n, f in statement.hypotheses.items() if n != name})


def test_without_the_centre_the_second_moment_grows():
    s = lookup("app:second-moment-step")
    world, answers = model_of(s)
    assert all(a.holds for a in answers.values()) and claims(s, world) == [True]
    world.values |= {"d": (world.values["R"],), "S": (world.values["C"],)}
    ev = Evaluation(world)
    assert all(holds(ev, a).holds for a in hypotheses(without(s, "centred"), world).values())
    assert holds(ev, hypotheses(s, world)["centred"]).holds is False
    assert claims(s, world) == [False]


def test_without_the_tail_clipping_is_biased():
    s = lookup("lem:hp-shared-clipped-bias-abstract")
    world, _ = model_of(s)
    world.values["Z"] = Lazy(lambda o: 1000 * o["Z", "sign"])
    assert holds(Evaluation(world), hypotheses(s, world)["tail"]).holds is False
    assert claims(s, world) == [False]


def test_the_same_sign_in_all_places_is_no_martingale():
    s = lookup("lem:momentum-freedman")
    world, answers = model_of(s)
    assert all(a.holds for a in answers.values())
    world.made["X"] = lambda ev, o, a: (world.values["R"] * o["X", "sign"],)
    told = {n: holds(Evaluation(world), a).holds for n, a in hypotheses(s, world).items()}
    assert told["bounded"] and told["differences"] is not True


# ---------------------------------------------------------------- laws with a tail


def test_a_law_with_a_tail_is_a_model_in_texts():
    s = lookup("app:one-sided-noise")
    found = in_texts(s, s)
    assert found is not None and [found.worth(f).holds for f in s.claims] == [True, True]
    assert [found.worth(f).holds for f in apply_twin(s, s.twins[0]).claims] == [True, False]
    assert found.bites(Fact("P(X > t) <= t**(-p)", ("t",), ("t >= tau",)))
    assert not found.bites(Fact("P(X > t) <= 2*t**(-p)", ("t",), ("t >= tau", "t <= 100")))


@pytest.mark.parametrize(
    "change", [{"tau**(-p)": "tau**(-p)/2"}, {"X >= 0": "X >= 1"}, {"== t**(-p)": "== t**(-1.01*p)"}]
)
def test_a_world_that_misses_a_hypothesis_is_no_model(change):
    s = lookup("app:one-sided-noise")
    assert in_texts(s, replace(apply_twin(s, Twin("a change", change)), twins=s.twins)) is None


def test_a_bound_that_is_no_rational_is_met():
    a, b = Parameter("a", "a", ("a > 0",)), Parameter("b", "b", ("b > 0",))
    found = record(statement(["b >= 10**7*sqrt(2)", "a == 10**8 + b"], {}, parameters=(a, b)))
    assert not found["unmet"] and "h0" in found["bite"]


# ---------------------------------------------------------------- what is stored


def test_every_statement_has_a_current_model_that_breaks_no_claim():
    known = stored()
    assert known.keys() == catalogue().keys(), "python -m boundcheck.models"
    for label, found in known.items():
        assert "STALE" not in line(catalogue()[label], found), f"python -m boundcheck.models {label}"
        assert "FALSE" not in [worth for worth, _ in found["claims"]], label
        assert not found["absurd"]["derived"], label


def test_the_page_says_what_is_stored():
    assert PAGE.read_text(encoding="utf-8") == page(catalogue(), stored()), "python -m boundcheck.models --page"


def test_a_changed_statement_is_stale():
    s = lookup("app:second-moment-step")
    changed = replace(s, hypotheses={**s.hypotheses, "more": Fact("R <= 7")})
    assert "STALE" in line(changed, stored()[s.label])


def test_a_name_without_a_value_is_unknown():
    with pytest.raises(Unknown):
        Evaluation(build(lookup("app:second-moment-step"))).m.value("nobody")
