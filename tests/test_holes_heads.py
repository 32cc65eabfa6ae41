"""What is undefined inside of a head: each lemma is false in the model that is named, or speaks of nothing.

A hypothesis with an undefined term says nothing there. Inside of heads this was forgotten: norm(x/0) was 0.
"""

from dataclasses import replace

import pytest
from holes import lemma, open_at, refused

from boundcheck.kernel.proof.obligations import obligations
from boundcheck.kernel.statement import ByRule, Cite, Decide, Fact, Follows, Parameter, Step, Use

F = {"f": "real -> real", "x": "vector", "y": "vector", "Z": "random real", "X": "random real"}


def _lemma(claim, by, hypotheses=None, domains=None, integers=(), **more):
    """The claim in one step, over parameters with these domains."""
    names = tuple(Parameter(n, n, tuple(d), n in integers) for n, d in (domains or {}).items())
    told = lemma(claim, (Step(Fact(claim), by),), F, {k: _fact(h) for k, h in (hypotheses or {}).items()})
    return replace(told, parameters=names, **more)


def _fact(told):
    return told if isinstance(told, Fact) else Fact(told)


# ---------------------------------------------------------------- what is assumed


@pytest.mark.parametrize(
    "said",
    [
        "abs(t)*norm(x/t) >= c",  # model: |x| = c = 1
        "t**2*f(1/t) >= c",  # model: f(u) = u**2, c = 1
        "t*f(t**(-1)) >= c",
        "t*P(Z > 1/t) >= c",
        "t*f(sum(k/t, k, 1, 2)) >= c",
        "t*sum(f(k/t), k, 1, 2) >= c",
        "t*f(f(1/t)) >= c",
    ],
)
def test_nothing_is_said_of_a_quotient_by_0_inside_of_a_head(said):
    by = Follows((Use("said", {"t": "0"}),))
    refused(_lemma("c <= 0", by, {"said": Fact(said, ("t",))}, {"c": ()}), 1, "divided by 0")


@pytest.mark.parametrize("inside", ["f(1/s)", "norm(x/s)", "f(s**(-1/2))", "f(tan(1/s))", "P(Z > 1/s)", "f(log(s))"])
def test_nothing_is_said_where_a_parameter_leaves_a_head_undefined(inside):  # model: s = 0, c = 1
    told = _lemma("c <= 0", Follows(("said",)), {"said": f"s*{inside} >= c"}, {"c": (), "s": ("s == 0",)})
    refused(told, 1, "definedness")


def test_nothing_is_said_of_outcomes_that_leave_a_head_undefined():  # model: Z = 0, c = 1
    told = _lemma("c <= 0", Decide(("said", "zero")), {"said": "Z*f(1/Z) >= c", "zero": "Z == 0"}, {"c": ()})
    refused(told, 1, "definedness")


def test_what_is_assumed_does_not_show_that_it_is_defined_itself():
    """Model: s = 0. Were it said there, s could not be 0."""
    told = _lemma("s != 0", Follows(("said",)), {"said": "s*f(1/s) >= 1"}, {"s": ("s >= 0",)})
    wanted = [str(o.claim) for o in obligations(told, 1, told.steps[0], {}.__getitem__)]
    assert wanted == ["s != 0 where s >= 0, s*o1_ >= 1", "0*(1/s) == 0 where s >= 0"]


@pytest.mark.parametrize("index", ["k", "m"])
def test_nothing_is_said_of_a_sum_with_a_term_that_is_undefined(index):  # model: c = 1
    said = Fact(f"0*sum(f(1/{index}), {index}, 0, 3) >= c")
    refused(_lemma("c <= 0", Follows(("said",)), {"said": said}, {"c": ()}), 1, "definedness")


def test_nothing_is_said_of_an_integral_that_diverges():  # model: s = 0, c = 1
    told = {"said": "c <= s*f(integral(1/t, t, s, 1))"}
    refused(_lemma("c <= 0", Follows(("said",)), told, {"c": (), "s": ("s == 0",)}), 1)


@pytest.mark.parametrize("said", ["abs(X) <= 1/s", "abs(X) <= f(1/s)", "abs(X) <= log(s)"])
def test_nothing_dominates_where_it_is_undefined(said):  # model: s = 0, X has no mean
    by = ByRule("integrable, dominated number", {"X": "X", "Y": said.partition("<= ")[2]}, ("said",))
    refused(_lemma("integrable(X) == 1", by, {"said": said}, {"s": ("s >= 0",)}), 1, "definedness")


@pytest.mark.parametrize("said", ["abs(X) <= 1/s", "E(X) <= 1/s", "E(X) <= f(1/s)"])
def test_no_mean_exists_by_what_says_nothing(said):  # model: s = 0, X has no mean
    claim = "E(X) == E(X)"
    refused(_lemma(claim, Decide(), {"said": said}, {"s": ("s >= 0",)}), 2, "nothing shows")


def test_a_step_that_says_it_again_says_nothing_there_either():  # model: s = 0, X has no mean
    steps = (
        Step(Fact("abs(X) <= 1/s"), Follows(("said",))),
        Step(Fact("integrable(X) == 1"), ByRule("integrable, dominated number", {"X": "X", "Y": "1/s"}, (1,))),
    )
    told = _lemma("integrable(X) == 1", Decide(), {"said": "abs(X) <= 1/s"}, {"s": ("s >= 0",)})
    refused(replace(told, steps=steps), 2, "definedness")


def test_a_name_that_a_rule_binds_is_none_that_assumptions_speak_of():
    """Model: f(u) = u. The rule's t is any number, the hypothesis is about the lemma's own."""
    claim = "E(max(Z - 1, 0)) <= 1"
    said = {"above": Fact("t >= 1"), "said": Fact("f(1/u) <= u", ("u",))}
    by = ByRule(
        "integral monotone", {"G": "f(1/t)", "H": "t", "t": "t", "a": "0", "b": "2"}, (Use("said", {"u": "t"}),)
    )
    goal = "integral(f(1/t), t, 0, 2) <= integral(t, t, 0, 2)"
    told = _lemma(claim, Decide(), said, {"t": ()})
    found = open_at(replace(told, steps=(Step(Fact(goal), by),)))
    assert found is not None and found[0] == 1


@pytest.mark.parametrize("pos", ["parameter", "hypothesis"])
def test_it_is_said_where_it_is_defined(pos):
    domains = {"c": (), "s": ("s > 0",) if pos == "parameter" else ()}
    said = {"said": "s*f(1/s) >= c", **({"pos": "s > 0"} if pos == "hypothesis" else {})}
    assert open_at(_lemma("f(1/s) >= c/s", Follows(("said",)), said, domains | {"s": ("s > 0",)})) is None
    assert open_at(_lemma("s*f(1/s) >= c", Follows(("said",)), said, domains)) is None


def test_a_citation_of_what_assumes_the_same_needs_no_more():
    """Both statements say nothing at m = 0."""
    said = {"estimate": Fact("f(m) == 1/m", ("m",))}
    cited = replace(_lemma("f(2) == 1/2", Follows((Use("estimate", {"m": "2"}),)), said), label="lem:cited")
    assert open_at(cited) is None
    assert open_at(_lemma("f(2) <= 1/2", Cite("lem:cited"), said), cited) is None


# ---------------------------------------------------------------- what is claimed


@pytest.mark.parametrize(
    "claim",
    [
        "norm(x/(a - a)) <= 0",
        "E(1/(X - X)) == 0",
        "P(1/(X - X) == 0) == 1",
        "f(1/(a - a)) == f(0)",
        "dot(x, x/(a - a)) == 0",
        "f((a - a)**(-2)) == f(0)",
        "sum(f(k/(a - a)), k, 1, 3) == sum(f(0), k, 1, 3)",
    ],
)
def test_what_is_divided_by_0_has_no_value(claim):
    refused(_lemma(claim, Decide(), domains={"a": ()}), 1, "divided by 0")


def test_nothing_is_assumed_or_ranges_that_is_divided_by_0():
    refused(_lemma("1 <= 0", Follows(("said",)), {"said": "norm(x/(c - c)) >= 1"}, {"c": ()}), 1, "divided by 0")
    refused(_lemma("1 <= 0", Decide(), domains={"c": ("c >= 1/(c - c)",)}), 1, "divided by 0")


@pytest.mark.parametrize(
    "term",
    ["norm(x/s)", "f(log(s))", "f(sqrt(-s))", "norm(x/norm(y))", "f(integral(1/t, t, s, 1))", "sum(f(k/s), k, 1, 2)"],
)
def test_a_claim_speaks_of_what_is_defined_inside_of_heads(term):
    refused(_lemma(f"{term} == {term}", Decide(), domains={"s": ("s >= 0",)}), 2, "== 0 where")


def test_what_is_defined_by_its_range_or_by_what_defines_it_is_claimed():
    domains = {"s": ("s > 0",), "r": (), "T": ("T >= 3",)}
    told = _lemma("f(sqrt(log(T/s))/r) == f(sqrt(log(T/s))/r)", Decide(), {"r": "r == 1 + s"}, domains)
    assert open_at(replace(told, parameters=(*told.parameters[:2], Parameter("T", "T", ("T >= 3*s",))))) is None


# ---------------------------------------------------------------- means

SERIES = {"X": "integer -> random vector", "Y": "random real", "Z": "random real"}


@pytest.mark.parametrize(
    "claim",
    [
        "sum(norm(E(at(X, s))), s, 1, 3) == sum(norm(E(at(X, s))), s, 1, 3)",
        "E(E(2*Z)*ind(Y > 0)) == 2*E(E(Z)*ind(Y > 0))",
        "P(Y > E(Z)) == P(Y > E(Z))",
        "E(Egiven(Z, Y)*0) == 0*E(Egiven(Z, Y))",
        "least(E(norm(at(X, s))), s, 1, 3) == least(E(norm(at(X, s))), s, 1, 3)",
    ],
)
def test_a_claim_speaks_of_means_that_exist_wherever_they_stand(claim):
    refused(lemma(claim, (Step(Fact("0 == 0"), Decide()),), SERIES), 2, "nothing shows")


def test_means_in_a_sum_that_exist():
    claim = "sum(norm(E(at(X, s))), s, 1, 3) == sum(norm(E(at(X, s))), s, 1, 3)"
    for said in (
        Fact("integrable(at(X, s)) == 1", ("s: integer",)),
        Fact("norm(at(X, i)) <= 1", ("i: integer",), ("1 <= i",)),
    ):
        assert open_at(lemma(claim, (Step(Fact("0 == 0"), Decide()),), SERIES, {"mean": said})) is None


@pytest.mark.parametrize("condition", ["E(X) <= E(X)", "norm(E(X*x)) >= 0", "abs(Egiven(X, Z)) >= 0"])
def test_a_condition_on_a_mean_is_met_where_there_is_one(condition):  # model: c = 1, X has no mean
    said = {"said": Fact("c <= 0", (), (condition,))}
    refused(_lemma("c <= 0", Follows(("said",)), said, {"c": ()}), 1, "nothing shows")
    assert open_at(_lemma("c <= 0", Follows(("said",)), {**said, "mean": "integrable(X) == 1"}, {"c": ()})) is None
