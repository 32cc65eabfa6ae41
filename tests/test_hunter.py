"""The machine that hunts for holes: its evaluator, rules on models, and the planted falsehoods that it must find."""

import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from boundcheck.kernel.formula import parse_relation

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.hunter import adapter, shrink
from benchmarks.hunter.evaluate import Evaluator
from benchmarks.hunter.hunt import cases
from benchmarks.hunter.hunt import run as hunt
from benchmarks.hunter.meet import Fact, check, meet
from benchmarks.hunter.model import Model, draw_space
from benchmarks.hunter.schemas import run_rule
from benchmarks.hunter.sorts import VECTOR, Sort, infer
from benchmarks.hunter.statements import run_statement
from benchmarks.hunter.trial import Case, counterexample, try_case

RULES = {r.name: r for r in adapter.rules()}
#: rules that some model breaks as they stand: ends of a range that are random, 0**0 at q = b
BROKEN_TODAY = {"union of a family", "union over a range", "moments between"}


def outcomes(text, models=60, partial=False, names=("X", "Y"), **more):
    """The outcomes of a relation in random models."""
    relation = parse_relation(text, proof=True)
    found = []
    for seed in range(models):
        rng = random.Random(seed)
        sorts = infer([relation], names)
        model = Model(rng, sorts, rng.choice((1, 2, 3)), draw_space(rng, []), partial)
        found.append(check(model, Evaluator(model), Fact(relation, **more)))
    return found


@pytest.mark.parametrize(
    "text",
    [
        "E(X)**2 <= E(X**2)",
        "max(X - a, 0) == integral(ind(X > t), t, a, oo)",
        "E(integral(t**2*ind(X > t), t, 0, 2)) == integral(t**2*P(X > t), t, 0, 2)",
        "P(union(X > t, t, 0, 3)) == P(X > 0)",
        "E(Egiven(X, Y)) == E(X)",
        "abs(dot(v, w)) <= norm(v)*norm(w)",
        "clip(X, 1) == max(-1, min(X, 1))",
    ],
)
def test_what_is_true_holds_in_every_model(text):
    found = outcomes(text)
    assert not [o for o in found if o.holds is False]
    assert sum(o.holds is True for o in found) > 30


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("E(X**2) <= E(X)**2", "false"),
        ("P(X > 1) <= E(X)", "false"),
        ("norm(v + w) == norm(v) + norm(w)", "false"),
        ("norm(x) == abs(t)*norm(x/t)", "false"),
        ("E(X*Y) == E(X)*E(Y)", "false"),
    ],
)
def test_what_is_false_fails_in_some_model(text, how):
    assert how in {o.how for o in outcomes(text, 200)}


def test_undefined_terms_have_no_value_in_one_reading_and_an_unknown_one_in_the_other():
    assert {o.how for o in outcomes("1/a == 1/a", 200, partial=True)} == {"", "undefined"}
    assert {o.how for o in outcomes("1/a == 1/a", 200)} == {""}


def test_a_fact_about_all_reals_is_tried_between_the_values_of_the_pool():
    found = outcomes("abs(t - 101/7) + abs(t - 102/7) > 1/7", over=("t",), names=())
    assert {o.how for o in found} == {"false"}


def test_a_model_is_bent_until_it_meets_an_equation_and_a_bound():
    facts = [Fact(parse_relation(t, proof=True)) for t in ("X == 2*Y - 1", "E(X**2) <= b", "norm(v) == 1")]
    met = 0
    for seed in range(40):
        rng = random.Random(seed)
        sorts = {**infer([f.relation for f in facts], ("X", "Y")), "v": Sort(VECTOR)}
        model = Model(rng, sorts, 2, draw_space(rng, []))
        ev = Evaluator(model)
        if meet(model, ev, facts, 20):
            met += 1
            assert all(check(model, ev, f).holds is True for f in facts)
    assert met >= 20


@pytest.mark.parametrize("name", RULES)
def test_no_rule_is_broken_by_a_few_models(name):
    found = run_rule(RULES[name], 7, 12, 20.0, 0)
    assert found.models == 12
    assert not found.broken or name in BROKEN_TODAY


@pytest.mark.parametrize(
    ("name", "conclusion"),
    [
        ("Markov", "P(X > a) <= E(X)/a**q"),
        ("triangle", "norm(v + w) <= norm(v) + norm(w) - 1/100"),
        ("union", "P(A) <= P(B)"),
        ("telescope", "at(v, n) <= at(v, 0) - sum(at(w, s), s, 0, n) + n*c"),
        ("second moment of a coordinate", "E(U1**2) == 2/(d + 1)"),
        ("fresh centring", "Egiven(at(W, s, l), at(H, s, l - 1)) == at(W, s, l)"),
        ("freezing", "Pgiven(Qv, V) <= B"),
    ],
)
def test_a_wrong_conclusion_is_broken(name, conclusion):
    wrong = replace(RULES[name], conclusion=parse_relation(conclusion, proof=True))
    assert run_rule(wrong, 1, 400, 60.0, 0).broken


@pytest.mark.parametrize(
    ("name", "condition"),
    [
        ("Markov", "side a > 0"),
        ("Markov", "a free of random"),
        ("expectation scale", "c free of random"),
        ("induction", "t integer"),
        ("integral monotone", "side a <= b"),
        ("known factor", "premise measurable(k, V) == 1"),
    ],
)
def test_a_condition_is_found_to_be_needed(name, condition):
    assert run_rule(RULES[name], 1, 1, 20.0, 400).conditions[condition]


@pytest.mark.campaign
def test_rules_on_a_thousand_models_each():
    for name, rule in RULES.items():
        found = run_rule(rule, 1, 1000, 600.0, 0)
        assert found.models >= 1000, name
        assert not found.broken or name in BROKEN_TODAY, name


# ---------------------------------------------------------------- mutants, random proofs, statements


def case_of(step, hypotheses=None, steps=(), names=None):
    """A case whose last step is on trial."""
    names = names or {}
    statement = adapter.declare(names, hypotheses or {}, {}, (*steps, step), (step.fact,))
    return Case(statement, len(steps) + 1, step, "here", names)


VECTORS = {"x": Sort(VECTOR), "z": Sort(VECTOR)}


def test_a_sound_step_holds_and_a_false_one_is_not_proved():
    triangle = adapter.ByRule("triangle", {"v": "x", "w": "z"})
    sound = adapter.Step(adapter.Fact("norm(x + z) <= norm(x) + norm(z)"), triangle)
    wrong = adapter.Step(adapter.Fact("norm(x + z) <= norm(x) + norm(z) - 1"), triangle)
    for step, kind in ((sound, "holds"), (wrong, "false, not proved")):
        assert try_case(case_of(step, names=VECTORS), random.Random(1), 0.5).kind == kind


def test_what_a_planted_fact_says_of_integers_is_said_of_integers():
    planted = adapter.planted(adapter.Fact("at(k, s)*0 + a >= s*(s - 1)*b", ("s",)), ("s",))
    step = adapter.Step(adapter.Fact("a >= -b/4"), adapter.Follows((adapter.Use(1, {"s": "1/2"}),)))
    case = case_of(step, steps=(planted,), names={"k": Sort(arity=1), "a": Sort(), "b": Sort()})
    how, _, met = counterexample(case, random.Random(1), 60)
    assert how == "false"
    assert met


def test_an_unsound_layer_is_caught(monkeypatch):
    """With a layer that proves whatever fits, the hunt must find false steps of several kinds, made small."""
    monkeypatch.setattr(adapter, "proved", lambda *_: True)
    monkeypatch.setattr(shrink, "SECONDS", {})
    found = hunt(3, 80, "random", most=1)
    assert len([h for h in found.holes.values() if h["kind"].endswith(": false")]) >= 3
    assert all(h["model"] and "PROVED" in h["proof"] for h in found.holes.values())


@pytest.mark.parametrize("source", ["random", "catalogue"])
def test_a_seed_gives_the_same_cases(source):
    def texts():
        found = []
        for _, _, make in cases(5, 40, source):
            try:
                case = make()
            except (ValueError, KeyError, IndexError, RecursionError, AttributeError):
                continue
            found.append(None if case is None else (case.origin, case.step))
        return found

    first = texts()
    assert first == texts()
    assert len([c for c in first if c is not None]) >= 20


def test_a_statement_that_lacks_a_hypothesis_is_false_in_some_model():
    """Centred terms need not be orthogonal; with one term the claim holds."""
    centred = adapter.Fact("E(at(X, s)) == 0", ("s",))
    claim = adapter.Fact("E(sum(at(X, s), s, 1, n)**2) <= sum(E(at(X, s)**2), s, 1, n)")
    names = {"X": Sort(random=True, arity=1), "n": Sort(integer=True)}
    for domain, how in (("n >= 1", "false"), ("n == 1", "")):
        statement = adapter.declare(names, {"centred": centred}, {"n": (domain,)}, (), (claim,))
        row = run_statement(statement, 1, 40, 30.0)
        assert row.models >= 10
        assert row.how == how


@pytest.mark.campaign
def test_no_hole_in_two_hundred_thousand_mutants():
    found = hunt(1, 200_000, "both")
    assert not found.holes, "\n".join(f"{k}\n{h['proof']}\n{h['model']}" for k, h in found.holes.items())
