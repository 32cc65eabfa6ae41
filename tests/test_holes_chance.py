"""Words that were taken for functions, and constants that depend on chance.

Each lemma is false in the model that is named; each was proved.
"""

from dataclasses import replace

import pytest
from holes import lemma, open_at, refused

from boundcheck.kernel.formula import FormulaError, parse
from boundcheck.kernel.statement import (
    ByRule,
    Cite,
    Decide,
    Fact,
    Follows,
    Step,
    Use,
)

PAIR = {"X": "random real", "Y": "random real"}
MEAN = {"mean": Fact("integrable(Y) == 1")}


def _out_of_the_mean(factor, declares, over=()):
    """A lemma that takes ``factor`` out of a mean, as a constant may be taken."""
    claim = f"E({factor}*Y) == {factor}*E(Y)"
    step = Step(Fact(claim, over), ByRule("expectation scale", {"c": factor, "X": "Y"}))
    told = lemma(claim, (step,), {**PAIR, **declares}, {**MEAN, "both": Fact(f"integrable({factor}*Y) == 1", over)})
    return replace(told, claims=(Fact(claim, over),))


# ---------------------------------------------------------------- words


@pytest.mark.parametrize("word", ["const", "num", "var", "polygamma", "add", "sub", "mul", "div", "neg", "pow"])
def test_a_kind_of_term_is_no_function(word):
    """const(X) was a constant whatever X is; add(1, 1, 5) was 2."""
    with pytest.raises(FormulaError, match=f"{word} is no function"):
        parse(f"{word}(1, 1, 5)", proof=True)
    with pytest.raises(FormulaError, match=word):
        parse(f"{word}(1, 1, 5)")


@pytest.mark.parametrize("declares", [{}, {"const": "real -> real"}])
def test_a_random_term_is_no_constant_for_its_name(declares):  # model: const the identity, X = Y = +-1
    refused(_out_of_the_mean("const(X)", declares), 1)


@pytest.mark.parametrize("word", ["pi", "oo", "const", "polygamma", "num", "var", "E", "norm", "exp"])
def test_a_word_is_not_declared(word):
    """A statement about every number pi was proved for one of them."""
    refused(lemma("0 == 0", (Step(Fact("0 == 0"), Decide()),), {word: "real"}), 1, "a word of the language")


@pytest.mark.parametrize("word", ["pi", "E"])
def test_nothing_holds_for_all_values_of_a_word(word):  # model: pi = 0
    claim = Fact(f"{word} > 2", (word,))
    refused(replace(lemma("0 == 0", (Step(claim, Decide()),), {}), claims=(claim,)), 1, "a word of the language")


@pytest.mark.parametrize("head", ["least", "most", "union", "meet"])
def test_a_word_is_not_bound(head):
    body = "at(v, 1)" if head in ("least", "most") else "at(v, 1) > 0"
    term = f"{head}({body}, pi, 0, 3)"
    claim = f"{term} == {term}" if head in ("least", "most") else f"P({term}) == P({term})"
    refused(lemma(claim, (Step(Fact(claim), Decide()),), {"v": "integer -> real"}), 1, "is written")


# ---------------------------------------------------------------- what depends on chance


@pytest.mark.parametrize("over", [("A: event",), ("t", "A: event")])
def test_an_event_is_no_constant(over):  # model: P(A) = 1/2
    claim = Fact("P(A) == P(A)**2", over)
    steps = (
        Step(Fact("E(ind(A)) == ind(A)", over), ByRule("expectation of a constant", {"c": "ind(A)"})),
        Step(Fact("E(ind(A)) == P(A)", over), ByRule("expectation of an indicator", {"A": "A"})),
        Step(Fact("ind(A)**2 == ind(A)", over), ByRule("indicator squared", {"A": "A"})),
        Step(claim, Follows((1, 2, 3))),
    )
    refused(replace(lemma("0 == 0", steps, {}), claims=(claim,)), 1, "an event depends on chance")


@pytest.mark.parametrize(
    ("family", "member"),
    [("integer -> event", "at(A, 1)"), ("vector -> event", "A(0)"), ("integer, integer -> event", "at(A, 1, 2)")],
)
def test_a_member_of_a_family_of_events_is_no_constant(family, member):  # model: Y = ind(A), P(A) = 1/2
    refused(_out_of_the_mean(f"ind({member})", {"A": family}), 1, "may not depend on chance")


def test_a_random_event_leaves_no_probability():  # model: the indicator of A_1 is not known from Y
    claim = "measurable(ind(at(A, 1)), Y) == 1"
    step = Step(Fact(claim), ByRule("known", {"X": "ind(at(A, 1))", "V": "Y"}))
    refused(lemma(claim, (step,), {**PAIR, "A": "integer -> event"}), 1)


@pytest.mark.parametrize(
    "exists",
    [
        "integrable(1/t, t, X, 1)",  # model: X = Y = +-1
        "integrable(1/t, t, -1, X)",
        "integrable(X/t, t, 0, 1)",  # model: X = Y = 0 or 1
        "integrable(1/t, t, X, 1)*2",
    ],
)
def test_that_an_integral_exists_depends_on_its_ends(exists):
    refused(_out_of_the_mean(exists, {}), 1, "may not depend on chance")


@pytest.mark.parametrize(
    "exists", ["integrable(X/t, t, 0, 1)", "integrable(1/t, t, X, 1)", "integrable(t*X, t, 0, Y)"]
)
def test_that_an_integral_exists_is_random_through_what_it_speaks_of(exists):
    """Model: X = 0 or 1, or +-1, Y = X, and Z something else: given X it is known whether the integral exists."""
    claim = f"Egiven({exists}, X) == E({exists})"
    step = Step(Fact(claim), ByRule("independent of what is given", {"X": exists, "Z": "Z", "V": "X"}, ("apart",)))
    told = {"apart": Fact("independent(Z, X) == 1"), "small": Fact(f"abs({exists}) <= 1")}
    refused(lemma(claim, (step,), {**PAIR, "Z": "random real"}, told), 1, "may not depend on")


def test_an_integral_between_constants_is_a_constant():
    assert open_at(_out_of_the_mean("integrable(1/t, t, a, 1)", {"a": "real"})) is None


@pytest.mark.parametrize(
    ("mean", "declares"),
    [
        ("Egiven(Z, H)", {"H": "information"}),
        ("Pgiven(Z > 0, H)", {"H": "information"}),
        ("Egiven(Z, at(H, 1))", {"H": "integer -> information"}),
        ("Z*Egiven(Z, H)", {"H": "information"}),
        ("ind(Egiven(Z, H) > 0)", {"H": "information"}),
    ],
)
def test_a_mean_given_information_is_random_through_it(mean, declares):
    """Model: Z and Y independent fair signs, H tells whether both are -1: the mean of Z given H depends on Y."""
    claim = f"Egiven({mean}, Y) == E({mean})"
    step = Step(Fact(claim), ByRule("independent of what is given", {"X": mean, "Z": "Z", "V": "Y"}, ("apart",)))
    told = {
        "apart": Fact("independent(Z, Y) == 1"),
        "mean": Fact("integrable(Z) == 1"),
        "product": Fact(f"integrable({mean}) == 1"),
    }
    refused(
        lemma(claim, (step,), {"Y": "random real", "Z": "random real", **declares}, told), 1, "may not depend on H"
    )


def test_a_term_frozen_at_a_point_does_not_speak_of_other_information():
    """Model: as above, X = Z, and Q(y) the mean of Z given H for every y."""
    claim = "Egiven(Egiven(Z, H), J) == m"
    step = Step(
        Fact("Egiven(ind(0 <= 1)*Egiven(Z, H), J) == ind(0 <= 1)*m"),
        ByRule(
            "frozen mean",
            {"Q": "Egiven(Z, H)", "M": "m", "K": "0", "c": "1", "y": "y", "Y": "Y", "X": "Z", "H": "J"},
            ("apart", "mean"),
        ),
    )
    told = {
        "apart": Fact("independent(Z, J) == 1"),
        "mean": Fact("E(Egiven(Z, H)) == m", ("y: vector",), ("0 <= 1",)),
        "exists": Fact("integrable(Z) == 1"),
        "known": Fact("measurable(Y, J) == 1"),
    }
    names = {"Z": "random real", "Y": "random vector", "H": "information", "J": "information", "m": "real"}
    refused(lemma(claim, (step,), names, told), 1, "may not depend on H")


def test_a_mean_given_the_term_itself_is_random_through_it():
    claim = "Egiven(Egiven(Z, Z), Y) == E(Egiven(Z, Z))"
    rule = ByRule("independent of what is given", {"X": "Egiven(Z, Z)", "Z": "Z", "V": "Y"}, ("apart",))
    told = {"apart": Fact("independent(Z, Y) == 1"), "mean": Fact("integrable(Z) == 1")}
    names = {"Y": "random real", "Z": "random real"}
    assert open_at(lemma(claim, (Step(Fact(claim), rule),), names, told)) is None


@pytest.mark.parametrize("where", [("abs(X) <= 1",), ("X <= 1", "X >= -1")])
def test_a_bound_for_some_outcomes_shows_no_mean(where):
    """Model: X without a mean: no E(X) may be claimed because X is bounded where it is bounded."""
    claim = Fact("abs(E(X)) <= E(abs(X))", (), where)
    steps = (
        Step(Fact("abs(X) <= 1", (), where), Decide()),
        Step(Fact("abs(E(X)) <= E(abs(X))"), ByRule("modulus of the expectation", {"X": "X"})),
    )
    refused(replace(lemma("0 == 0", steps, PAIR), claims=(claim,), concludes=((2,),)), 3, "is integrable")


def test_a_mean_that_exists_under_a_condition_on_chance_does_so():
    """What a hypothesis says of a mean, it says wherever its condition holds: the claim is about the same outcomes."""
    fact = Fact("E(X) <= 1", (), ("Y <= 0",))
    step = Step(fact, Follows(("given",)))
    assert open_at(replace(lemma("0 == 0", (step,), PAIR, {"given": fact}), claims=(fact,))) is None


# ---------------------------------------------------------------- almost surely for each of uncountably many values


def _almost_surely(kind, over, values="y"):
    """Hypotheses, and a step that follows from them: F(y) <= c almost surely for each y; F is a version of a mean."""
    told = {
        "mean": Fact(f"F({values}) == Egiven(G({values}), H)", over),
        "below": Fact(f"Egiven(G({values}), H) <= c", over),
    }
    names = {"F": f"{kind} -> random real", "G": f"{kind} -> random real", "H": "information", "c": "real"}
    return told, Step(Fact(f"F({values}) <= c", over), Follows(("mean", "below"))), names


@pytest.mark.parametrize(
    ("kind", "over", "values", "points"),
    [
        ("vector", ("y: vector",), "y", {"Y": "random vector"}),
        ("real", ("y: real",), "y", {"Y": "random real"}),
        ("real", ("y",), "y", {"Y": "random integer"}),
        ("vector, real", ("y: vector", "s: real"), "y, s", {"Y": "random vector", "S": "random real"}),
        ("object", ("y: object",), "y", {"Y": "random object"}),
    ],
)
def test_no_citation_puts_a_random_value_into_what_holds_for_each_constant(kind, over, values, points):
    """Model: Y uniform on (0, 1), F(y) = 0 for y != Y and F(Y) = 1, H nothing, G = 0, c = 0."""
    told, step, names = _almost_surely(kind, over, values)
    put = ", ".join(points)
    use = Use("h", dict(zip(values.split(", "), points, strict=True)))
    cited = lemma(
        f"F({put}) <= c",
        (Step(Fact(f"F({put}) <= c"), Follows((use,))),),
        {"F": names["F"], "c": "real", **points},
        {"h": Fact(f"F({values}) <= c", over)},
        label="lem:cited",
    )
    assert open_at(cited) is None
    steps = (step, Step(Fact(f"F({put}) <= c"), Cite("lem:cited")))
    refused(lemma(f"F({put}) <= c", steps, {**names, **points}, told), 2, "h of lem:cited", others=(cited,))
    sure = lemma(f"F({put}) <= c", steps[1:], {**names, **points}, {"told": Fact(f"F({values}) <= c", over)})
    assert open_at(sure, cited) is None  # what is assumed for all values holds for all at once


@pytest.mark.parametrize(
    ("rule", "term"),
    [
        ("continuous along a line, norm", "norm(F(x + s*h) - 0*h)"),
        ("continuous along a line, inner product", "dot(F(x + s*h) - 0*h, h)"),
    ],
)
def test_no_rule_takes_a_field_for_continuous_that_is_so_between_each_two_points(rule, term):
    """Model: F = 0 but on the line through the random x along h, where it is 1/s."""
    over = ("y: vector", "z: vector")
    told = {
        "mean": Fact("norm(F(y) - F(z)) == Egiven(norm(G(y) - G(z)), H)", over),
        "below": Fact("Egiven(norm(G(y) - G(z)), H) <= L*norm(y - z)", over),
    }
    names = {
        **dict.fromkeys("FG", "vector -> random vector"),
        "H": "information",
        "x": "random vector",
        "h": "vector",
        "L": "real",
    }
    smooth = Fact("norm(F(y) - F(z)) <= L*norm(y - z)", over)
    let = {"G": "F", "x": "x", "h": "h", "w": "0*h", "s": "s", "a": "0", "b": "1", "L": "L"}
    if "inner" in rule:
        let["u"] = "h"
    claim = f"integrable({term}, s, 0, 1) == 1"
    steps = (Step(smooth, Follows(("mean", "below"))), Step(Fact(claim), ByRule(rule, let, (1,))))
    refused(lemma(claim, steps, names, told), 2, "almost surely")
    sure = lemma(claim, (Step(Fact(claim), ByRule(rule, let, ("smooth",))),), names, {"smooth": smooth})
    assert open_at(sure) is None


@pytest.mark.parametrize(
    ("kind", "point", "let", "law", "rule"),
    [
        ("vector", "random vector", "y: vector", "sphere(d)", "unit length"),
        ("real", "random real", "y: real", "ball(d)", "in the ball"),
        ("real", "random integer", "y", "sphere(d)", "unit length"),
        ("object", "random object", "y: object", "ball(d)", "in the ball"),
    ],
)
def test_that_each_variable_has_a_law_says_nothing_of_one_at_a_random_place(kind, point, let, law, rule):
    """Model: Y uniform on (0, 1), U(y) = V for y != Y with V on the sphere, and U(Y) = 7 V."""
    sign = "==" if rule == "unit length" else "<="
    steps = (
        Step(
            Fact(f"norm(U(y)) {sign} 1", (let,)),
            ByRule(rule, {"u" if rule == "unit length" else "v": "U(y)"}, ("law",)),
        ),
        Step(Fact(f"norm(U(Y)) {sign} 1"), Follows((Use(1, {"y": "Y"}),))),
    )
    names = {"U": f"{kind} -> random vector", "Y": point, "d": "integer"}
    told = {"law": Fact(f"law(U(y)) == {law}", (let,))}
    refused(lemma(f"norm(U(Y)) {sign} 1", steps, names, told), 2, "almost surely")


def test_countably_many_variables_have_their_laws_at_once():
    steps = (
        Step(Fact("norm(at(us, t)) == 1", ("t: integer",)), ByRule("unit length", {"u": "at(us, t)"}, ("law",))),
        Step(Fact("norm(at(us, N)) == 1"), Follows((Use(1, {"t": "N"}),))),
    )
    names = {"us": "integer -> random vector", "N": "random integer", "d": "integer"}
    told = {"law": Fact("law(at(us, t)) == sphere(d)", ("t: integer",))}
    assert open_at(lemma("norm(at(us, N)) == 1", steps, names, told)) is None


def test_one_variable_has_its_law_wherever_it_is_used():
    size = Fact("norm(u) + norm(y) == 1 + norm(y)", ("y: vector",))
    steps = (
        Step(Fact("norm(u) == 1"), ByRule("unit length", {"u": "u"}, ("law",))),
        Step(size, Follows((1,))),
        Step(Fact("norm(u) + norm(Y) == 1 + norm(Y)"), Follows((Use(2, {"y": "Y"}),))),
    )
    names = {"u": "random vector", "Y": "random vector", "d": "integer"}
    told = {"law": Fact("law(u) == sphere(d)")}
    assert open_at(lemma("norm(u) + norm(Y) == 1 + norm(Y)", steps, names, told)) is None
