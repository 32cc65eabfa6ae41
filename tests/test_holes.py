"""The holes of the untyped proof layer, and their relatives, each refused by the typed one for its real reason.

Every case is a false lemma: its claim fails in the model that is told. None may come out with provable obligations.
"""

from dataclasses import replace

import pytest
from holes import lemma, open_at, refused

from boundcheck.kernel.statement import (
    ByRule,
    Cite,
    Decide,
    Definition,
    Fact,
    Follows,
    Parameter,
    Step,
    Use,
)

# ---------------------------------------------------------------- h1: an instance at an undefined term


H1 = {"x": "vector", "y": "real", "t": "real"}


def test_norm_scale_at_a_quotient():  # model: x any vector but 0
    steps = [
        Step(Fact("norm(x) == abs(t)*norm(x/t)", ("t",)), ByRule("norm scale", {"c": "t", "v": "x/t"})),
        Step(Fact("norm(x) <= 0"), Follows((Use(1, {"t": "y - y"}),))),
    ]
    refused(lemma("norm(x) <= 0", steps, H1), 1, "conclusion")


def test_norm_scale_at_a_quotient_where_it_is_one():  # the same with t != 0 is true
    fact = Fact("norm(t*(x/t)) == abs(t)*norm(x/t)", (), ("t != 0",))
    told = lemma(fact.claim, [Step(fact, ByRule("norm scale", {"c": "t", "v": "x/t"}))], H1)
    assert open_at(replace(told, claims=(fact,))) is None
    refused(replace(told, claims=(Fact(fact.claim),)), 2, "t != 0")


@pytest.mark.parametrize(
    ("rule", "let", "claim", "declares"),
    [
        ("expectation scale", {"c": "t", "X": "Y/t"}, "E(Y) == t*E(Y/t)", {"Y": "random real"}),
        ("dot of a multiple", {"c": "t", "v": "x", "w": "x/t"}, "dot(x, x) == t*dot(x, x/t)", {"x": "vector"}),
        ("integral scale", {"c": "t", "G": "r/t", "t": "r", "a": "0", "b": "1"},
         "integral(r, r, 0, 1) == t*integral(r/t, r, 0, 1)", {"t": "real"}),
        ("norm scale", {"c": "1/t", "v": "t*x"}, "norm(x) == abs(1/t)*norm(t*x)", {"x": "vector"}),
    ],
)  # fmt: skip
def test_other_rules_do_not_cancel_either(rule, let, claim, declares):  # model: t = 0
    steps = [Step(Fact(claim, ("t",) if "t" not in declares else ()), ByRule(rule, let))]
    assert open_at(lemma("0 == 0", steps, {**declares})) is not None


def test_a_power_law_with_a_condition_is_no_law():  # model: t = 0, where t**0 is not t*t**(-1)
    steps = [Step(Fact("norm(x*(t**2/t)) == abs(t**2/t)*norm(x)"), ByRule("norm scale", {"c": "t**2/t", "v": "x"}))]
    declares = {"x": "vector", "t": "real"}
    assert open_at(lemma("0 == 0", steps, declares)) is None
    refused(
        lemma("norm(x*(t**2/t)) == abs(t**2/t)*norm(x)", steps, declares), 2, "definedness"
    )  # the claim speaks of 0/0
    wrong = [Step(Fact("norm(x*(t**2/t)) == norm(t*x)"), ByRule("norm scale", {"c": "1", "v": "t*x"}))]
    assert open_at(lemma("norm(x*(t**2/t)) == norm(t*x)", wrong, declares)) is not None


# ---------------------------------------------------------------- h2: a vector for a scalar


H2 = {"z": "vector", "v": "vector", "w": "vector", "a": "real"}
BILINEAR = Step(
    Fact("dot(z, c*q) == c*dot(z, q)", ("c", "q: vector")), ByRule("dot of a multiple", {"c": "c", "v": "z", "w": "q"})
)


def test_a_vector_put_for_a_number_by_a_use():  # model: w = z orthogonal to v
    steps = [
        BILINEAR,
        Step(
            Fact("a*dot(z, v) == a*dot(z, w)"),
            Follows((Use(1, {"c": "w", "q": "v"}), Use(1, {"c": "v", "q": "w"}))),
        ),
    ]
    refused(lemma("a*dot(z, v) == a*dot(z, w)", steps, H2), 2, "c is real", "w is vector")


def test_a_product_of_vectors_is_no_term():
    steps = [BILINEAR, Step(Fact("norm(w*v) <= 0"), Follows((1,)))]
    refused(lemma("0 == 0", steps, H2), 2, "product of two vectors")


def test_a_vector_put_for_a_number_by_a_rule():
    steps = [Step(Fact("norm(a*v) == abs(a)*norm(v)"), ByRule("norm scale", {"c": "w", "v": "v"}))]
    refused(lemma("0 == 0", steps, H2), 1, "norm scale: c is random real, w is vector")


def test_a_vector_put_for_a_number_by_a_citation():
    scale = Step(Fact("norm(c*x) == abs(c)*norm(x)"), ByRule("norm scale", {"c": "c", "v": "x"}))
    cited = lemma("norm(c*x) == abs(c)*norm(x)", [scale], {"c": "real", "x": "vector"}, label="lem:scale")
    steps = [Step(Fact("norm(a*v) == abs(a)*norm(v)"), Cite("lem:scale", {"c": "w", "x": "v"}))]
    refused(lemma("0 == 0", steps, H2), 1, "c of lem:scale is real, w is vector", others=(cited,))


ZERO_LENGTH = lemma(
    "norm(v) == 0",
    [Step(Fact("norm(v) == 0"), ByRule("norm of zero", {"v": "v"}, ("null",)))],
    {"v": "vector"},
    {"null": Fact("v == 0")},
    label="lem:null",
)


@pytest.mark.parametrize("name", ["null", "other"])
def test_a_citation_for_all_values_does_not_rest_on_a_hypothesis_about_one(name):
    """Model: v = 0, x any other vector. The hypothesis was found by its name although the step ranges over v."""
    steps = [
        Step(Fact("norm(v) == 0", ("v: vector",)), Cite("lem:null")),
        Step(Fact("norm(x) == 0"), Follows((Use(1, {"v": "x"}),))),
    ]
    false = lemma("norm(x) == 0", steps, {"v": "vector", "x": "vector"}, {name: Fact("v == 0")})
    refused(false, 1, "hypothesis null of lem:null is not among the facts", others=(ZERO_LENGTH,))
    true = lemma(
        "norm(v) == 0", [Step(Fact("norm(v) == 0"), Cite("lem:null"))], {"v": "vector"}, {name: Fact("v == 0")}
    )

    true = lemma(
        "norm(v) == 0", [Step(Fact("norm(v) == 0"), Cite("lem:null"))], {"v": "vector"}, {name: Fact("v == 0")}
    )
    assert open_at(true, ZERO_LENGTH) is None


def test_an_undeclared_name_is_told():
    refused(lemma("norm(x) <= 0", [Step(Fact("norm(x) <= 0"), Decide())], {}), 1, "x is not declared")


# ---------------------------------------------------------------- h3: a definition takes a name of a condition


H3 = {"h": Fact("x <= 1", (), ("c >= 0",))}


def test_a_definition_may_not_take_a_name_of_a_condition():  # model: c = -1, x = 7
    steps = [Step(Fact("c == 5"), Definition()), Step(Fact("x <= 1"), Follows((1, "h")))]
    refused(lemma("x <= 1", steps, {"x": "real", "c": "real"}, H3), 1, "c is not a new name")


def test_a_name_that_occurs_in_a_condition_alone_must_be_declared():
    steps = [Step(Fact("c == 5"), Definition()), Step(Fact("x <= 1"), Follows((1, "h")))]
    assert open_at(lemma("x <= 1", steps, {"x": "real"}, H3)) is not None


@pytest.mark.parametrize(
    "hypothesis",
    [
        Fact("P(x*t > 1) <= y", ("t",), ("t >= c",)),
        Fact("integral(c*x, c, 0, 1) <= y"),
        Fact("x <= y + c", ("c",)),
        Fact("sum(x*c, k, 1, 3) <= y"),
    ],
)
def test_a_definition_may_not_take_a_name_that_is_written_anywhere(hypothesis):
    steps = [Step(Fact("c == 5"), Definition())]
    declares = {"x": "random real", "y": "real", "c": "real"}
    refused(lemma("0 == 0", steps, declares, {"h": hypothesis}), 1, "c is not a new name")


def test_a_definition_of_a_bound_or_quantified_name_is_refused_after_steps_too():
    steps = [Step(Fact("x <= x + r**2", ("r",)), Decide()), Step(Fact("r == 5"), Definition())]
    refused(lemma("0 == 0", steps, {"x": "real"}), 2, "r is not a new name")


# ---------------------------------------------------------------- h4: integers and constants


H4 = {"X": "integer -> random real", "V": "random real", "q": "real", "v": "integer", "B": "real"}


def test_a_fact_about_integers_is_not_used_at_a_real():  # model: V = 1/2
    steps = [
        Step(Fact("0 <= abs(2*v - 1) - 1", ("v: integer",), ("v >= 0",)), Decide()),
        Step(Fact("0 <= abs(2*V - 1) - 1", (), ("V >= 0",)), Follows((Use(1, {"v": "V"}),))),
    ]
    refused(lemma("0 == 0", steps, H4), 2, "v is integer, V is real")


def test_freezing_does_not_forget_integers():
    steps = [
        Step(Fact("0 <= abs(2*v - 1) - 1", ("v: integer",), ("v >= 0",)), Decide()),
        Step(
            Fact("E(abs(at(X, v))) <= q + 1000*(abs(2*v - 1) - 1)", ("v: integer",), ("v >= 0",)),
            Follows(("h", 1), ("1", "1000")),
        ),
        Step(
            Fact("E(abs(at(X, V))) <= E(q + 1000*(abs(2*V - 1) - 1))"),
            ByRule("frozen expectation", {"Q": "abs(at(X, v))", "v": "v", "V": "V", "X": "X",
                                          "B": "q + 1000*(abs(2*v - 1) - 1)"}, ("i", 2)),
        ),
    ]  # fmt: skip
    hypotheses = {"h": Fact("E(abs(at(X, v))) <= q", ("v: integer",)), "i": Fact("independent(V, X) == 1")}
    assert open_at(lemma("0 == 0", steps, H4, hypotheses)) is not None


def test_a_fact_about_a_law_is_not_used_at_a_random_value():  # model: V = X
    steps = [
        Step(Fact("P(X0 > v) <= q"), Follows((Use("h", {"v": "V"}),))),
    ]
    hypotheses = {"h": Fact("P(X0 > v) <= q", ("v",))}
    declares = {"X0": "random real", "V": "random real", "q": "real"}
    refused(lemma("0 == 0", [replace(steps[0], fact=Fact("P(X0 > V) <= q"))], declares, hypotheses), 1, "V is random")


def test_a_random_factor_does_not_leave_an_expectation():
    steps = [Step(Fact("E(V*X0) == V*E(X0)"), ByRule("expectation scale", {"c": "V", "X": "X0"}))]
    refused(lemma("0 == 0", steps, {"X0": "random real", "V": "random real"}), 1, "may not depend on chance")


def test_an_integer_parameter_of_a_cited_statement_takes_no_real():
    step = Step(Fact("0 <= abs(2*n - 1) - 1"), Decide())
    cited = lemma("0 <= abs(2*n - 1) - 1", [step], {"n": "integer"}, label="lem:odd")
    steps = [Step(Fact("0 <= abs(2*r - 1) - 1"), Cite("lem:odd", {"n": "r"}))]
    refused(lemma("0 == 0", steps, {"r": "real"}), 1, "n of lem:odd is integer", others=(cited,))


# ---------------------------------------------------------------- h5, h6: what is defined


def test_infinity_is_no_number():  # model: a = -2
    steps = [Step(Fact("oo >= sqrt(a)"), Decide())]
    refused(lemma("0 == 0", steps, {"a": "real"}), 1, "infinite")


@pytest.mark.parametrize("term", ["sqrt(a)", "log(a)", "1/a", "a**(1/2)"])
def test_a_fact_does_not_make_its_terms_defined(term):  # models: a <= 0
    steps = [
        Step(Fact(f"E({term}) == {term}"), ByRule("expectation of a constant", {"c": term})),
        Step(Fact("a > 0" if term != "1/a" else "a != 0"), Follows((1,))),
    ]
    found = open_at(lemma("0 == 0", steps, {"a": "real"}))
    assert found is not None
    assert found[0] == 2


def test_a_premise_with_a_condition_makes_nothing_defined_elsewhere():  # model: t = -2
    steps = [
        Step(Fact("sqrt(t) <= sqrt(t) + 1", ("t",), ("0 <= t",)), Decide()),
        Step(
            Fact("integral(sqrt(r), r, 0, 1) <= integral(sqrt(r) + 1, r, 0, 1)"),
            ByRule("integral monotone", {"G": "sqrt(r)", "H": "sqrt(r) + 1", "t": "r", "a": "0", "b": "1"},
                   (Use(1, {"t": "r"}),)),
        ),
        Step(Fact("E(sqrt(t)) == sqrt(t)"), ByRule("expectation of a constant", {"c": "sqrt(t)"}, (2,))),
        Step(Fact("t >= -1"), Follows((3,))),
    ]  # fmt: skip
    refused(lemma("t >= -1", steps, {"t": "real"}), 4)


def test_a_hypothesis_with_an_undefined_term_says_nothing_where_it_is_undefined():  # model: a = -1 (sqrt(-1) unknown)
    steps = [Step(Fact("a >= 0"), Follows(("h",)))]
    found = open_at(lemma("a >= 0", steps, {"a": "real"}, {"h": Fact("sqrt(a) <= 5")}))
    assert found is not None
    assert "definedness" in found[1]


# ---------------------------------------------------------------- means that do not exist


DOMAIN = (Parameter("a", "", ("v >= a",)),)
HEAVY = {"Z": "random real", "Y": "random real"}


def test_expectations_of_what_is_not_integrable_do_not_add():
    steps = [Step(Fact("E(Z - Y) == E(Z) - E(Y)"), ByRule("expectation shift", {"X": "Z", "Y": "Y"}))]
    refused(lemma("0 == 0", steps, HEAVY), 1, "nothing shows that Z is integrable")


def test_expectations_of_what_is_bounded_do():
    claim = "E(clip(Z, 1) - clip(Y, 2)) == E(clip(Z, 1)) - E(clip(Y, 2))"
    step = Step(Fact(claim), ByRule("expectation shift", {"X": "clip(Z, 1)", "Y": "clip(Y, 2)"}))
    assert open_at(lemma(claim, [step], HEAVY)) is None


def test_a_hypothesis_about_a_mean_says_that_it_exists():
    claim = "E(abs(Z) + 1) <= 3"
    steps = [
        Step(Fact("E(abs(Z) + 1) == E(abs(Z)) + E(1)"), ByRule("expectation of a sum", {"X": "abs(Z)", "Y": "1"})),
        Step(Fact("E(1) == 1"), ByRule("expectation of a constant", {"c": "1"})),
        Step(Fact(claim), Follows((1, 2, "h"))),
    ]
    statement = lemma(claim, steps, HEAVY, {"h": Fact("E(abs(Z)) <= 2")})
    assert open_at(statement) is None
    refused(replace(statement, hypotheses={"h": Fact("P(abs(Z) > 2) <= 2")}), 1, "integrable")


def test_a_claim_about_a_mean_shows_that_it_exists():
    claim = "E(Z) == E(Z)"
    steps = [Step(Fact(claim), ByRule("expectation of equals", {"X": "Z", "Y": "Z"}, ("h",)))]
    refused(lemma(claim, steps, HEAVY, {"h": Fact("Z == Z")}), 2, "nothing shows that Z is integrable")


# ---------------------------------------------------------------- filtrations, events


def test_nothing_follows_for_a_law_under_a_condition_on_its_variable():  # model: Z = +-1
    steps = [
        Step(Fact("0 <= Z", (), ("Z >= 0",)), Decide()),
        Step(
            Fact("E(0) <= E(clip(Z, 1))", (), ("Z >= 0",)),
            ByRule("expectation monotone", {"X": "0", "Y": "clip(Z, 1)"}, (1,)),
        ),
    ]
    refused(lemma("0 == 0", steps, HEAVY), 2, "under a condition on Z")


def test_a_known_factor_must_be_known():
    claim = "Egiven(clip(Z, 1)*clip(Y, 1), H) == clip(Z, 1)*Egiven(clip(Y, 1), H)"
    step = Step(Fact(claim), ByRule("known factor", {"k": "clip(Z, 1)", "Y": "clip(Y, 1)", "V": "H"}))
    declares = {**HEAVY, "H": "information"}
    refused(lemma(claim, [step], declares), 1, "is known from H")
    assert open_at(lemma(claim, [step], declares, {"k": Fact("measurable(Z, H) == 1")})) is None


# ---------------------------------------------------------------- information is nothing that stays the same

APART = {
    "X": "random real",
    "Y": "random object",
    "W": "random real",
    "V": "information",
    "H": "integer -> information",
}


@pytest.mark.parametrize("source", ["V", "at(H, 3)"])
def test_information_is_known_from_a_variable_where_a_fact_says_so(source):  # model: Y = W = V, X something else
    """V was taken for a constant, of which everything is known: found by the hunter (seed 20261201, case 23142)."""
    rule = ByRule("independence of functions", {"X": "X", "Y": "Y", "V": source, "W": "W"}, ("apart",))
    given = {"apart": Fact("independent(X, Y) == 1"), "W": Fact("measurable(W, Y) == 1")}
    claim = f"independent({source}, W) == 1"
    refused(lemma(claim, [Step(Fact(claim), rule)], APART, given), 1, f"{source} is known from X")
    given["V"] = Fact(f"measurable({source}, X) == 1")
    assert open_at(lemma(claim, [Step(Fact(claim), rule)], APART, given)) is None


def test_the_other_side_must_be_known_too():  # model: X = W = V
    rule = ByRule("independence of functions", {"X": "X", "Y": "Y", "V": "X", "W": "V"}, ("apart",))
    given = {"apart": Fact("independent(X, Y) == 1")}
    claim = "independent(X, V) == 1"
    refused(lemma(claim, [Step(Fact(claim), rule)], APART, given), 1, "V is known from Y")


def test_information_of_one_time_is_not_known_from_that_of_another():  # model: H_1 nothing, H_2 = X
    rule = ByRule("independence of functions", {"X": "at(H, 1)", "Y": "Y", "V": "at(H, 2)", "W": "Y"}, ("apart",))
    given = {"apart": Fact("independent(at(H, 1), Y) == 1")}
    claim = "independent(at(H, 2), Y) == 1"
    refused(lemma(claim, [Step(Fact(claim), rule)], APART, given), 1, "at(H, 2) is known from at(H, 1)")


# ---------------------------------------------------------------- what a claim speaks of


def test_a_claim_about_an_integral_that_diverges_is_not_proved():
    claim = "integral(2*(1/r), r, 1, oo) == 2*integral(1/r, r, 1, oo)"
    step = Step(Fact(claim), ByRule("integral scale", {"c": "2", "G": "1/r", "t": "r", "a": "1", "b": "oo"}))
    refused(lemma(claim, [step], {}), 2, "convergence")
    assert open_at(lemma("0 == 0", [step], {})) is None  # as a step it says that 0 is 0


def test_a_claim_about_a_mean_inside_of_a_probability_shows_that_it_exists():
    claim = "P(Y > E(Z)) <= 1"
    refused(lemma(claim, [Step(Fact(claim), Follows(()))], HEAVY), 2, "nothing shows that Z is integrable")


def test_a_claim_about_an_integral_of_probabilities_shows_that_it_exists():
    claim = "integral(P(abs(Z) > r), r, 0, oo) == integral(P(abs(Z) > r), r, 0, oo)"
    let = {"G": "P(abs(Z) > r)", "H": "P(abs(Z) > r)", "t": "r", "a": "0", "b": "oo"}
    step = Step(Fact(claim), ByRule("integral of equals", let, ("h",)))
    hypotheses = {"h": Fact("P(abs(Z) > r) == P(abs(Z) > r)", ("r",))}
    refused(lemma(claim, [step], HEAVY, hypotheses), 2, "nothing shows that it exists")


def test_a_domain_is_typed_too():
    statement = replace(lemma("0 == 0", [Step(Fact("0 == 0"), Decide())], {"v": "vector"}), parameters=DOMAIN)
    refused(statement, 1, "v is a vector", "a number is wanted")


@pytest.mark.parametrize(("high", "proved"), [("b", False), ("b**2", True), ("oo", True)])
def test_tonelli_asks_that_the_ends_are_in_order(high, proved):
    """Model: b = -1, X = -3/4 or 0: the inner integral exists for one value of X, the outer one diverges."""
    weight = "1/(r + 1/2)**2"
    claim = f"E(integral({weight}*ind(X > r), r, 0, {high})) == integral({weight}*P(X > r), r, 0, {high})"
    let = {"W": weight, "X": "X", "t": "r", "n": "n", "a": "0", "b": high}
    statement = lemma("0 == 0", [Step(Fact(claim), ByRule("Tonelli", let))], {"X": "random real", "b": "real"})
    assert (open_at(statement) is None) == proved
    if not proved:
        refused(statement, 1, "side condition", "0 <= b")


def test_differentiation_under_the_expectation_asks_for_a_mean_to_differentiate():
    """Model: Phi(y) = C + <b, y> with C that has no mean; then phi = 0, its gradient 0, and E(H) = b."""
    declares = {
        "Phi": "vector -> random real", "phi": "vector -> real", "H": "vector -> random vector",
        "G": "vector -> vector", "x": "vector", "x0": "vector", "L": "real",
    }  # fmt: skip
    premises = {
        "gradient": Fact("gradient(phi, G) == 1"),
        "sample gradient": Fact("gradient(Phi, H) == 1"),
        "bound": Fact("norm(H(y)) <= norm(H(x0)) + L*norm(y - x0)", ("y: vector",)),
        "slope": Fact("E(norm(H(x0))) <= 1"),
    }
    using = ("mean", "gradient", "sample gradient", "bound")
    step = Step(Fact("G(x) == E(H(x))"), ByRule("dominated differentiation", {}, using))
    as_stated = {**premises, "mean": Fact("phi(y) == E(Phi(y))", ("y: vector",))}  # says that the mean exists
    assert open_at(lemma("0 == 0", [step], declares, as_stated)) is None
    hidden = Step(Fact("phi(y) == E(Phi(y))", ("y: vector",)), Follows(("none",)), name="mean")
    none = {**premises, "none": Fact("phi(y) - E(Phi(y)) == 0", ("y: vector",), ("norm(y) >= 0",))}
    later = replace(step, by=replace(step.by, using=("mean", *using[1:])))
    assert open_at(lemma("0 == 0", [hidden, later], declares, none)) is not None
