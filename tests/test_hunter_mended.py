"""Holes that readers found, opened again: a model breaks each false lemma, and the hunter reports it as a hole."""

import math
import random
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from flint import arb, fmpq, fmpq_poly
from holes import lemma
from slow import more

from benchmarks.hunter import nums
from benchmarks.hunter.area import area
from benchmarks.hunter.atoms import AtAtoms
from benchmarks.hunter.model import LINE, Function, Model, Part, Rv
from boundcheck.kernel.formula import parse_relation
from boundcheck.kernel.proof.obligations import conclusion_steps
from boundcheck.kernel.proof.sorts import read_sort
from boundcheck.kernel.rules import RULES
from boundcheck.kernel.statement import (
    ByGram,
    ByRule,
    Cite,
    Decide,
    Fact,
    Follows,
    Parameter,
    Statement,
    Step,
    Use,
)

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.hunter import meet, mended
from benchmarks.hunter.mended import HOLES, found_again, hole
from benchmarks.hunter.schemas import run_rule
from benchmarks.hunter.trial import Case, try_case

MODELS = 150
FAMILY = {"A": "integer -> event"}
T = fmpq_poly([0, 1])
PAIR = {"X": "random real", "Y": "random real"}


def case_of(statement: Statement, *others: Statement) -> Case:
    """The last step of a statement on trial."""
    table = {s.label: s for s in others}
    return Case(statement, len(statement.steps), statement.steps[-1], "here", table.__getitem__)


def out_of_the_mean(factor, declares, over=()):
    claim = f"E({factor}*Y) == {factor}*E(Y)"
    step = Step(Fact(claim, over), ByRule("expectation scale", {"c": factor, "X": "Y"}))
    return case_of(lemma(claim, [step], {**PAIR, **declares}, {"mean": Fact("integrable(Y) == 1")}))


def mean_given():
    claim = "Egiven(Egiven(Z, H), Y) == E(Egiven(Z, H))"
    step = Step(
        Fact(claim), ByRule("independent of what is given", {"X": "Egiven(Z, H)", "Z": "Z", "V": "Y"}, ("apart",))
    )
    names = {"Y": "random real", "Z": "random real", "H": "information"}
    return case_of(
        lemma(claim, [step], names, {"apart": Fact("independent(Z, Y) == 1"), "mean": Fact("integrable(Z) == 1")})
    )


def exists_given():
    exists = "integrable(1/t, t, X, 1)"
    claim = f"Egiven({exists}, X) == E({exists})"
    step = Step(Fact(claim), ByRule("independent of what is given", {"X": exists, "Z": "Z", "V": "X"}, ("apart",)))
    told = {"apart": Fact("independent(Z, X) == 1"), "small": Fact(f"abs({exists}) <= 1")}
    return case_of(lemma(claim, [step], {**PAIR, "Z": "random real"}, told))


def for_all_events():
    step = Step(Fact("E(ind(A)) == ind(A)", ("A: event",)), ByRule("expectation of a constant", {"c": "ind(A)"}))
    return case_of(lemma("0 == 0", [step], {}))


def word():
    step = Step(Fact("pi > 3"), Decide())
    return case_of(lemma("pi > 3", [step], {"pi": "real"}))


def at_the_end():
    pole, high = "-1/(t - 5/2)**2 - 1", "3 + max(-1, 10*log(x))"
    claim = f"integral({pole}, t, 2, {high}) <= integral(-1, t, 2, {high})"
    let = {"G": pole, "H": "-1", "t": "t", "a": "2", "b": high}
    where = ("x >= -1", "x <= 2/3", "x**2 >= 1/4", f"2 <= {high}")
    step = Step(Fact(claim, (), where), ByRule("integral monotone", let, ("h",)))
    return case_of(lemma("0 == 0", [step], {"x": "real"}, {"h": Fact(f"{pole} <= -1", ("t",))}))


def domain():
    statement = lemma("y > -1", [Step(Fact("y > -1"), Decide())], {})
    return case_of(replace(statement, parameters=(Parameter("y", "", ("log(y) <= 1", "y >= -2", "y <= 2")),)))


def form():
    step = Step(Fact("norm(x)**2 <= b*norm(x)**2"), ByGram(("x",), ("h",)))
    names = {"x": "vector", "a": "real", "b": "real"}
    return case_of(lemma("0 == 0", [step], names, {"h": Fact("b >= a/a")}))


def law(kind):
    steps = [
        Step(Fact("norm(U(y)) == 1", (f"y: {kind}",)), ByRule("unit length", {"u": "U(y)"}, ("law",))),
        Step(Fact("norm(U(Y)) == 1"), Follows((Use(1, {"y": "Y"}),))),
    ]
    names = {"U": f"{kind} -> random vector", "Y": f"random {kind}", "d": "integer"}
    return case_of(lemma("0 == 0", steps, names, {"law": Fact("law(U(y)) == sphere(d)", (f"y: {kind}",))}))


def cited(kind):
    over = (f"y: {kind}",)
    names = {"F": f"{kind} -> random real", "c": "real", "Y": f"random {kind}"}
    use = Step(Fact("F(Y) <= c"), Follows((Use("h", {"y": "Y"}),)))
    one = lemma("F(Y) <= c", [use], names, {"h": Fact("F(y) <= c", over)}, label="lem:cited")
    told = {"mean": Fact("F(y) == Egiven(G(y), H)", over), "below": Fact("Egiven(G(y), H) <= c", over)}
    steps = [Step(Fact("F(y) <= c", over), Follows(("mean", "below"))), Step(Fact("F(Y) <= c"), Cite("lem:cited"))]
    names = {**names, "G": f"{kind} -> random real", "H": "information"}
    return case_of(lemma("F(Y) <= c", steps, names, told), one)


def bound():
    claim = Fact("abs(E(X)) <= E(abs(X))", (), ("abs(X) <= 1",))
    steps = [
        Step(Fact("abs(X) <= 1", (), claim.where), Decide()),
        Step(Fact(claim.claim), ByRule("modulus of the expectation", {"X": "X"})),
    ]
    statement = replace(lemma("0 == 0", steps, PAIR), claims=(claim,), concludes=((2,),))
    return Case(statement, 3, conclusion_steps(statement)[0], "here")


def claimed(claim):
    statement = lemma(claim, [Step(Fact("0 == 0"), Decide())], {**PAIR, "X": "integer -> random real"})
    return Case(statement, 2, conclusion_steps(statement)[0], "here")


def whole():
    step = Step(Fact("E(X) <= 0"), Follows(("half",)))
    told = {"mean": Fact("integrable(X) == 1"), "half": Fact("E(X) <= 1/2")}
    return case_of(lemma("0 == 0", [step], {"X": "random real", "o1_": "integer"}, told))


def bound_by_a_term():
    term = "sum(s*at(X, s), s, 1, 2)"
    claim = f"integrable({term}) == 1"
    step = Step(Fact(claim), ByRule("integrable of equals", {"X": term, "Y": term}, ("same",)))
    told = {
        "same": Fact(f"{term} == {term}"),
        "all": Fact("integrable(sum(a*at(X, s), s, 1, 2)) == 1", ("a",)),
        "opposite": Fact("at(X, s) == (3 - 2*s)*Z", ("s: integer",)),
    }
    names = {"X": "integer -> random real", "Z": "random real", "#1": "integer"}
    return case_of(lemma("0 == 0", [step], names, told))


def form_of_means():
    claim = Fact("E(norm(x)**2) <= E(norm(y)**2)", (), ("ind(A) == 1",))
    told = {"equal": Fact("x == y", (), ("ind(A) == 1",))}
    names = {"x": "random vector", "y": "random vector", "A": "event"}
    return case_of(lemma("0 == 0", [Step(claim, ByGram(("x", "y"), ("equal",)))], names, told))


LEMMAS = [
    ("means inside of sums need not exist", lambda: claimed("sum(E(at(X, s)), s, 1, 2) == sum(E(at(X, s)), s, 1, 2)")),
    ("means inside of means need not exist", lambda: claimed("E(E(2*Y)*ind(Y > 0)) == 2*E(E(Y)*ind(Y > 0))")),
    ("a term has the name of an integer", whole),
    ("a value speaks of a name that the term binds", bound_by_a_term),
    ("a quadratic form speaks of means under a condition", form_of_means),
    ("a bound for some outcomes is one for all", bound),
    ("a mean given information is random through nothing", mean_given),
    ("that an integral exists is random through nothing", exists_given),
    ("that an integral exists does not depend on its ends", lambda: out_of_the_mean("integrable(1/t, t, X, 1)", {})),
    ("a fact is for all events", for_all_events),
    (
        "a member of a family of events is a constant",
        lambda: out_of_the_mean("ind(at(A, 1))", {"A": "integer -> event"}),
    ),
    ("a kind of term is a function", lambda: out_of_the_mean("const(X)", {})),
    ("a word is a name", word),
    ("ends of integrals need no value", at_the_end),
    ("a domain makes its own terms defined", domain),
    ("facts of a quadratic form need no value", form),
    ("a law of each variable is one at a random place", lambda: law("vector")),
    ("a law of each variable is one at a random place", lambda: law("object")),
    ("a citation takes what holds almost surely for each value for all", lambda: cited("real")),
    ("a citation takes what holds almost surely for each value for all", lambda: cited("vector")),
]


@pytest.mark.parametrize(("name", "case"), [*LEMMAS[:-1], more(*LEMMAS[-1])])
def test_what_a_hole_lets_through_is_false_in_a_model(name, case):
    with hole(name):
        assert try_case(case(), random.Random(1), 1.0, MODELS).kind == "hole"


@pytest.mark.parametrize(("name", "case"), LEMMAS)
def test_the_kernel_does_not_prove_it(name, case):
    try:
        assert try_case(case(), random.Random(1), 1.0, 4).kind != "hole"
    except ValueError as fault:  # it cannot be written
        assert any(told in str(fault) for told in ("word of the language", "is no function", "is no name"))


def test_every_mended_hole_can_be_opened_and_is_closed_again():
    with ExitStack() as opened:
        for name in HOLES:  # all at once, two of them in one function
            opened.enter_context(hole(name))
        assert try_case(for_all_events(), random.Random(1), 1.0, MODELS).kind == "hole"
    assert try_case(for_all_events(), random.Random(1), 1.0, 4).kind == "refused"


def test_what_is_a_hole_without_any_counts_for_none(monkeypatch):
    """A false alarm of the models was "found again" by each of the holes that were still sought."""
    monkeypatch.setattr(mended, "_is_hole", lambda *_: True)
    monkeypatch.setattr(mended, "make", lambda *_: (random.Random(1), for_all_events()))
    assert set(found_again(1, 1)) == {"none"}


def test_a_field_may_have_a_pole_on_the_line_through_a_random_point():
    """Almost surely F is c at each y; at each outcome it is no integrable function along (0, x) + s (1, 0)."""
    sorts = {"F": read_sort("vector -> random vector"), "x": read_sort("random vector"), "h": read_sort("vector")}
    model = Model(random.Random(1), sorts, 2, [], "uniform")
    part = Part((fmpq(0),) * 5, (fmpq(0),) * 5, fmpq(0))
    model.values = {"F": Function("F", sorts["F"], (part,), odd="pole"), "x": Rv(((fmpq(0), LINE),))}
    model.values["h"] = (fmpq(1), fmpq(0))
    ev = AtAtoms(model)
    vectors = (("y", read_sort("vector")),)
    for says, over, sure, holds in (
        ("norm(F(y)) == 0", vectors, False, True),
        ("norm(F(y)) == 0", vectors, True, False),
        ("integrable(norm(F(x + s*h)), s, 0, 1) == 1", (), True, False),
        ("integrable(norm(F(x + s*h)), s, 1, 2) == 1", (), True, None),  # not told: it is tried at some points
    ):
        fact = meet.Fact(parse_relation(says, proof=True), over, sure=sure)
        assert meet.check(model, ev, fact, dense=True).holds is holds, says


def test_what_has_a_gradient_is_nowhere_odd():
    """The descent lemma was false of a function that is another one at a random point, with the gradient it had."""
    for name in ("descent lemma", "quadratic bound"):
        assert not run_rule(RULES[name], 5, 40, 20.0, 0).broken


@pytest.mark.campaign
def test_the_hunter_finds_mended_holes_again_by_itself():
    found = found_again(1, 15_000)
    assert "none" not in found
    assert {
        "a bound for some outcomes is one for all",
        "a word is a name",
        "a domain makes its own terms defined",
        "a citation takes what holds almost surely for each value for all",
        "a fact is for all events",
        "a mean given information is random through nothing",
        "means inside of sums need not exist",
        "that an integral exists does not depend on its ends",
        "a law of each variable is one at a random place",
        "a kind of term is a function",
        "means inside of means need not exist",
    } <= set(found)


# ---------------------------------------------------------------- integrals with poles


@pytest.mark.parametrize(
    ("f", "low", "high", "value"),
    [
        (nums.inverse(T), 1, 2, math.log(2)),
        (nums.inverse(T * T), 1, float("inf"), 1.0),
        (nums.inverse(T * T + 1), float("-inf"), float("inf"), math.pi),
        (nums.add(nums.inverse(T), T), 1, 3, math.log(3) + 4),
        (nums.mul(nums.inverse(T - 2), T - 2), 0, 5, 5.0),  # what is removable is no pole
        (nums.inverse(T), -1, 2, None),
        (nums.inverse(T), 0, 1, None),
        (nums.inverse(T), 1, float("inf"), None),
        (nums.inverse(T * T - 2), 1, 2, None),  # a pole at a point that is no rational
        (nums.inverse((T - 2) * (T - 2)), float("-inf"), 1, 1.0),
    ],
)
def test_the_integral_of_a_quotient_exists_where_no_pole_is(f, low, high, value):
    ends = [x if isinstance(x, float) else fmpq(x) for x in (low, high)]
    found = area(f, *ends)
    assert (found is None) == (value is None)
    if value is not None:
        assert abs(float(arb(found).mid()) - value) < 1e-12
