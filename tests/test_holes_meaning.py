"""What a claim speaks of inside of means and probabilities, and what a domain says where it is undefined.

Each claim speaks of nothing, or is false, in the model that is named.
"""

from dataclasses import replace

import pytest
from holes import lemma, open_at, refused

from boundcheck.kernel.statement import ByRule, Cite, Fact, Follows, Literature, Parameter, Step, Use

NAMES = {
    "X": "random real",
    "Y": "integer -> random real",
    "Z": "real -> random real",
    "V": "random vector",
    "f": "real -> real",
    "x": "vector",
    "H": "information",
}


def _fact(told):
    return told if isinstance(told, Fact) else Fact(told)


def _claimed(claim, hypotheses=None, lines=(), domains=None, where=()):
    """The claim from a line that says it, behind other lines: what it speaks of is asked all the same."""
    fact = Fact(claim, (), where)
    steps = tuple(Step(_fact(told), Literature("told")) for told in (*lines, fact))
    names = tuple(Parameter(n, n, tuple(d)) for n, d in (domains or {"q": (), "s": ("s >= 0",)}).items())
    told = lemma(claim, steps, NAMES, {k: _fact(h) for k, h in (hypotheses or {}).items()})
    return replace(told, parameters=names, claims=(fact,))


# ---------------------------------------------------------------- inside of means and probabilities

INSIDE = [  # model: X = 0
    "P(1/X > 1) <= 1",
    "P(log(X) > 1) <= q",
    "P(X**(1/2) > 1) <= q",
    "P(f(1/X) > 1) <= q",
    "P(both(X > 1, X**(-1) > 0)) <= q",
    "P(tan(1/X) > 1) <= q",
    "Pgiven(1/X > 1, H) <= 1",
    "E(ind(1/X > 1)) >= 0",
    "E(sin(log(X))) <= 1",
    "E(P(1/X > 1)) <= q",
    "Egiven(ind(sqrt(X) > 1), H) >= 0",
    "E(0*log(X)) == 0",
    "E(X/X - X/X) == 0",
    "f(P(1/X > 1)) <= q",
    "integrable(ind(1/X > 1)) == 1",
    "measurable(1/X, X) == 1",
    "independent(1/X, H) == 1",
    "sum(P(1/X > k), k, 1, 3) >= 0",
    "integral(P(1/X > t), t, 0, 1) >= 0",
    "P(integral(1/(t + X), t, 1, 2) > 1) <= 1",
]


@pytest.mark.parametrize("claim", INSIDE)
def test_what_is_random_inside_of_a_mean_is_asked_to_have_a_value(claim):
    refused(_claimed(claim), 2, "convergence" if claim.startswith("P(integral") else "definedness")


@pytest.mark.parametrize("claim", INSIDE)
@pytest.mark.parametrize(("hypotheses", "lines"), [({"above": "X >= 1/2"}, ()), ({}, ("X >= 1/2",))])
def test_a_hypothesis_or_a_line_shows_that_it_has_one(claim, hypotheses, lines):
    told = _claimed(claim, hypotheses, lines)
    found = open_at(told)
    if "tan" in claim:
        assert found is not None  # tan(1/X) has poles
    else:
        assert found is None, found


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("P(1/X > 1) <= 1", "abs(X) >= 1"),
        ("P(1/X > 1) <= 1", "X != 0"),
        ("P(1/norm(V) > 1) <= 1", "norm(V) > 0"),
        ("P(1/at(Y, 3) > 1) <= 1", Fact("at(Y, t) > 0", ("t: integer",), ("t >= 2",))),
        ("sum(P(1/at(Y, k) > 1), k, 2, 5) <= 4", Fact("at(Y, t) > 0", ("t: integer",), ("t >= 2",))),
        ("P(1/(X - q) > 1) <= 1", "X > q"),
        ("P(log(1 + X**2) > 1) <= 1", "X <= X"),
    ],
)
def test_lines_about_parts_of_the_term_count(claim, line):
    assert open_at(_claimed(claim, {}, (line,))) is None
    if line != "X <= X":
        refused(_claimed(claim), 2, "definedness")


def test_a_line_on_a_range_counts_within_it():  # model: Y_1 = 0
    line = Fact("at(Y, t) > 0", ("t: integer",), ("t >= 2",))
    refused(_claimed("sum(P(1/at(Y, k) > 1), k, 1, 5) <= 5", {}, (line,)), 3, "definedness")


@pytest.mark.parametrize("line", [Fact("X > 0", (), ("X > 0",)), Fact("X > 0", (), ("V != 0",))])
def test_a_mean_is_taken_over_all_outcomes(line):  # model: X = 0 or 1
    where = line.where
    told = _claimed("P(1/X > 1) <= 1", {}, (line,), where=where)
    refused(told, 3, "definedness")


@pytest.mark.parametrize("claim", ["P(1/X > 1)/X <= 1/X", "E(0*(1/X)) <= 1/X", "P(log(X) > 1) <= log(X)**2 + 1"])
def test_that_a_term_has_a_value_for_some_outcomes_is_not_enough_for_a_mean(claim):  # model: X = 0 or 1
    refused(_claimed(claim, where=("X > 0",)), 2, "definedness of", "a line before")
    assert open_at(_claimed(claim, {"above": "X >= 1"}, where=("X > 0",))) is None


def test_the_refusal_names_the_term_and_the_mend():
    refused(_claimed("P(1/X > 1) <= q"), 2, "definedness of 1/X", "a line before, as X != 0")
    refused(_claimed("P(log(X - q) > 1) <= q"), 2, "definedness of log(X", "> 0")


@pytest.mark.parametrize(
    ("hypothesis", "claim"),
    [
        ("E(log(X)) <= 1", "abs(E(log(X))) <= E(abs(log(X)))"),
        ("P(1/X > 1) <= q", "P(1/X > 2) <= q"),
        (Fact("P(1/at(Y, t) > 1) <= q", ("t: integer",), ("t >= 0",)), "P(1/at(Y, 3) > 1) <= q"),
        ("integrable(1/X) == 1", "E(1/X) <= E(abs(1/X))"),
        ("Egiven(1/X, H) <= q", "E(1/X) <= q"),
    ],
)
def test_a_hypothesis_about_a_mean_says_that_what_is_inside_has_a_value(hypothesis, claim):
    assert open_at(_claimed(claim, {"said": hypothesis})) is None


@pytest.mark.parametrize(
    ("hypothesis", "claim"),
    [
        (Fact("P(1/X > 1) <= q", (), ("q >= 1/2",)), "P(1/X > 2) <= q"),
        (Fact("P(1/at(Y, t) > 1) <= q", ("t: integer",), ("t >= 0",)), "P(1/at(Y, -3) > 1) <= q"),
        ("P(1/at(Y, 1) > 1) <= q", "P(1/at(Y, 2) > 1) <= q"),
        ("P(1/(X + 1) > 1) <= q", "P(1/X > 1) <= q"),
        ("integral(P(1/(X - t) > 1), t, 0, 1) <= q", "P(1/(X - 1/2) > 1) <= q"),  # of almost every t
    ],
)
def test_it_says_so_of_no_other_term(hypothesis, claim):
    refused(_claimed(claim, {"said": hypothesis}), 2, "definedness")


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("P(1/(X - q) > 1) <= s", "P(1/(X - q) > 1) <= 1"),
        ("integral(P(1/(X - q - t) > 1), t, 0, 1) <= s", "integral(P(1/(X - q - t) > 1), t, 0, 1) >= 0"),
    ],
)
def test_it_says_so_of_one_value_of_a_name(said, claim):  # model: X = 0, q = 2
    told = _claimed(claim, {"said": said})
    assert open_at(told) is None
    every = Fact(claim, ("q",))
    told = replace(told, steps=(Step(every, Literature("told")),), claims=(every,))
    refused(told, 2, "definedness")


def test_a_step_vouches_for_nothing():  # model: X = 0
    refused(_claimed("P(1/X > 2) <= 1", {}, ("P(1/X > 1) <= 1",)), 3, "definedness")


# ---------------------------------------------------------------- terms that speak of means, divisors, integrals


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("norm(x/E(X)) >= 0", "E(X) != 0"),  # model: X = 0
        ("f(sqrt(E(X))) <= q", "E(X) >= 0"),
        ("P(X > 1/E(X)) <= 1", "E(X) >= 1"),
        ("E(X)/sqrt(E(X**2)) <= 1", "E(X**2) > 0"),
        ("f(1/sum(f(k), k, 1, 3)) <= q", "sum(f(k), k, 1, 3) >= 1"),
    ],
)
def test_a_term_that_speaks_of_a_mean_is_asked_to_have_a_value(claim, line):
    told = {"mean": "integrable(X) == 1", "square": "integrable(X**2) == 1"}
    refused(_claimed(claim, told), 2, "definedness")
    assert open_at(_claimed(claim, told, (line,))) is None


@pytest.mark.parametrize("claim", ["P(X/s > 1) <= 1", "E(ind(X/s + 1/s > 1)) >= 0", "E(sin(X)/s) <= q"])
def test_a_constant_divisor_of_what_is_random_is_asked_for(claim):  # model: s = 0
    refused(_claimed(claim), 2, "definedness", "s")
    assert open_at(_claimed(claim, domains={"q": (), "s": ("s > 0",)})) is None
    assert open_at(_claimed(claim, {}, ("s >= 1",))) is None


@pytest.mark.parametrize(
    "said",
    [
        "s*P(X/s > 1) >= c",
        "s*integral(P(X > t), t, 0, 1/s) >= c",
        "s*integral(P(X/s > t), t, 0, 1) >= c",
        "s*P(sum(X/s, k, 1, 2) > 1) >= c",
        "s*P(sum(k*X*log(s), k, 1, 2) > 1) >= c",
        "s*E(integral(X/s, t, 1, 2)) >= c",
        "s*E(integral(X/t, t, 1/s, 2)) >= c",
        "s*P(sum(sum(X/s, j, 1, k), k, 1, 2) > 1) >= c",
    ],
)
def test_nothing_is_said_where_a_divisor_or_an_end_has_no_value(said):  # model: s = 0, c = 1
    domains = (Parameter("c", "c"), Parameter("s", "s", ("s == 0",)))
    told = lemma("c <= 0", (Step(Fact("c <= 0"), Follows(("said",))),), NAMES, {"said": Fact(said)})
    refused(replace(told, parameters=domains), 1, "definedness")
    at_1 = {"said": Fact(f"(s - 1)*{said.removeprefix('s*')}")}
    domains = (domains[0], Parameter("s", "s", ("s == 1",)))
    assert open_at(replace(told, parameters=domains, hypotheses=at_1)) is None


def test_an_integrand_may_have_no_value_at_some_points_and_a_constant_in_it_has_one():
    domains = (Parameter("c", "c"), Parameter("n", "n", (), True))
    for said in ("c <= E(integral(X/sqrt(t), t, 0, 1)) - c", "c <= P(sum(X/k, k, 1, n) > 1) - c"):
        claim = Fact(said.replace("c <=", "c - 1 <="))
        told = lemma("0 == 0", (Step(claim, Follows(("said",))),), NAMES, {"said": Fact(said)})
        assert open_at(replace(told, parameters=domains, claims=())) is None
        wrong = Fact(said.replace("/k", "/(k - 1)").replace("X/sqrt(t)", "X/sqrt(-n**2 - 1)"))
        refused(replace(told, parameters=domains, claims=(), hypotheses={"said": wrong}), 1)


@pytest.mark.parametrize(
    "claim", ["integral(P(X > 1/(t - 1/2)), t, 0, 1) >= 0", "integral(P(X > log(t)), t, -1, 1) >= 0"]
)
def test_what_is_inside_of_a_head_is_defined_along_an_integral(claim):
    refused(_claimed(claim), 2, "definedness")


def test_an_integrand_may_be_undefined_at_the_ends():
    assert open_at(_claimed("integral(P(X > log(t)), t, 0, 1) >= 0")) is None


# ---------------------------------------------------------------- what the normal form leaves out


def test_a_mean_that_the_normal_form_leaves_out_is_asked_for():  # model: X without a mean
    refused(_claimed("f(E(X) - E(X)) <= q"), 2, "is integrable")
    assert open_at(_claimed("f(E(X) - E(X)) <= q", {"mean": "integrable(X) == 1"})) is None
    refused(_claimed("f(1/s - 1/s) <= q"), 2, "definedness")


# ---------------------------------------------------------------- domains with undefined relations

LOOSE = {"s": ("s >= 0",), "a": ("a <= 1/s",), "b": ("1/s <= b",)}  # model: s = 0, where a and b are anything


def _loose(claim, by, hypotheses):
    names = tuple(Parameter(n, n, tuple(d)) for n, d in {**LOOSE, "c": ()}.items())
    told = lemma(claim, (Step(Fact(claim), by),), NAMES, {k: _fact(h) for k, h in hypotheses.items()})
    return replace(told, parameters=names)


@pytest.mark.parametrize("tight", [False, True])
def test_no_condition_is_met_by_a_chain_through_what_is_undefined(tight):
    by = ByRule("expectation scale", {"c": "2", "X": "X"})
    claim = "E(2*X) == 2*E(X)"
    told = _loose(claim, by, {"mean": Fact("integrable(X) == 1", (), ("a <= b",))})
    if tight:
        told = replace(told, parameters=(Parameter("s", "s", ("s > 0",)), *told.parameters[1:]))
        assert open_at(told) is None
    else:  # X without a mean
        refused(told, 2, "is integrable")


@pytest.mark.parametrize("condition", ["1/s <= b", "b >= 1/s"])
def test_no_condition_is_met_by_what_a_domain_does_not_say(condition):  # and c = 1
    told = _loose("c <= 0", Follows(("said",)), {"said": Fact("c <= 0", (), (condition,))})
    refused(told, 1, "definedness")
    assert open_at(replace(told, parameters=(Parameter("s", "s", ("s > 0",)), *told.parameters[1:]))) is None


def test_no_line_says_again_what_a_domain_does_not_say():
    steps = (Step(Fact("1/s <= b"), Follows(())), Step(Fact("c <= 0"), Follows((1, "said"))))
    told = _loose("c <= 0", Follows(()), {"said": Fact("c <= 0", (), ("1/s <= b",))})
    refused(replace(told, steps=steps), 1, "definedness")


def test_no_domain_of_a_cited_statement_is_met_by_what_a_domain_does_not_say():
    cited = replace(
        lemma(
            "c <= 0", (Step(Fact("c <= 0"), Follows(("said",))),), {},
            {"said": Fact("c <= 0", (), ("u <= b",))}, label="lem:cited",
        ),
        parameters=(Parameter("c", "c"), Parameter("b", "b"), Parameter("u", "u", ("u <= b",))),
    )  # fmt: skip
    assert open_at(cited) is None
    told = _loose("c <= 0", Cite("lem:cited", {"u": "1/s"}), {"said": Fact("c <= 0", (), ("1/s <= b",))})
    refused(told, 1, "definedness", others=(cited,))


# ---------------------------------------------------------------- means inside of integrals


ALONG = {"said": "integral(E(Z(t)), t, 0, 1) <= q"}


@pytest.mark.parametrize("claim", ["abs(E(Z(1/2))) <= E(abs(Z(1/2)))", "integral(2*E(Z(t)), t, 0, 1) <= 2*q"])
def test_an_integral_of_means_says_of_no_point_that_there_is_one(claim):
    """Model: Z(1/2) has no mean, and Z(t) = 0 elsewhere: the integral is that of almost every t."""
    refused(_claimed(claim, ALONG), 2, "nothing shows that")
    each = {**ALONG, "each": Fact("integrable(Z(t)) == 1", ("t",), ("t >= 0", "t <= 1"))}
    assert (open_at(_claimed(claim, each)) is None) == ("2*E" not in claim)  # nothing shows that t -> E(Z(t)) is


def test_the_integral_itself_has_a_value():
    assert open_at(_claimed("integral(E(Z(t)), t, 0, 1) <= q + 1", ALONG)) is None


# ---------------------------------------------------------------- words, names, assumptions


@pytest.mark.parametrize(
    "event", ["complement(X > 0, X > 1)", "both(X > 0)", "either(X > 0, X > 1, X > 2)", "clip(X) > 1"]
)
def test_an_event_has_its_number_of_parts(event):
    refused(_claimed(f"P({event}) <= 1"), 1, "takes")


@pytest.mark.parametrize("over", [("t: integer", "t"), ("t", "t"), ("t: vector", "t: real")])
def test_a_fact_is_for_all_of_a_name_once(over):  # model: f(1/2) = 2 and f = 1 at the integers
    said = Fact("f(t) <= 1", over, ("t >= 0",))
    step = Step(Fact("f(1/2) <= 1"), Follows((Use("said", {"t": "1/2"}),)))
    refused(lemma("f(1/2) <= 1", (step,), NAMES, {"said": said}), 1, "twice")


def test_no_assumption_is_cited():  # an assumption is ASSUMED, what cites it was PROVED
    assumed = replace(lemma("f(0) >= 1", (), NAMES, label="lem:assumed"), kind="assumption")
    told = lemma("f(0) >= 1", (Step(Fact("f(0) >= 1"), Cite("lem:assumed")),), NAMES)
    refused(told, 1, "lem:assumed is assumed and not proved", others=(assumed,))


# ---------------------------------------------------------------- citations and conditions

SAYS_AGAIN = lemma(
    "A <= B", (Step(Fact("A <= B"), Follows(("h",))),), {"A": "real", "B": "real"}, {"h": Fact("A <= B")},
    label="lem:again",
)  # fmt: skip
OF_A_POINT = lemma(
    "c <= u*f(v)",
    (Step(Fact("c <= u*f(v)"), Follows(("h",))),),
    {"f": "real -> real", **dict.fromkeys("cuv", "real")},
    {"h": Fact("u*f(v) >= c")},
    label="lem:point",
)


@pytest.mark.parametrize(
    "by", [Cite("lem:again", {"A": "c", "B": "s*f(1/s)"}), Cite("lem:point", {"u": "s", "v": "1/s"})]
)
@pytest.mark.parametrize("domain", ["s == 0", "s > 0"])
def test_a_citation_makes_no_hypothesis_say_more(by, domain):
    """Model: s = 0, c = 1: the hypothesis says nothing there. Put into A <= B it said that c <= s*f(1/s) = 0."""
    steps = (Step(Fact("c <= s*f(1/s)"), by), Step(Fact("c <= 0"), Follows((1, "low"))))
    told = lemma("c <= 0", steps, NAMES, {"h": Fact("c <= s*f(1/s)"), "low": Fact("f(1/s) <= 0")})
    told = replace(told, parameters=(Parameter("c", "c"), Parameter("s", "s", (domain,))))
    if domain == "s > 0":
        assert open_at(told, SAYS_AGAIN, OF_A_POINT) is None
    else:
        refused(told, 1, "definedness", others=(SAYS_AGAIN, OF_A_POINT))


def test_a_cited_hypothesis_may_say_nothing_in_the_same_places():
    said = {"h": Fact("c <= s*f(1/s)")}
    names = (Parameter("c", "c"), Parameter("s", "s"))
    fact = Fact("c <= s*f(1/s)", (), ("s != 0",))
    cited = replace(
        lemma("0 == 0", (Step(fact, Follows(("h",))),), NAMES, said, label="lem:cited"),
        parameters=names,
        claims=(fact,),
    )
    assert open_at(cited) is None
    told = replace(lemma("0 == 0", (Step(fact, Cite("lem:cited")),), NAMES, said), parameters=names, claims=(fact,))
    assert open_at(told, cited) is None


@pytest.mark.parametrize("condition", ["P(1/X > 1) <= 1", "P(1/X > 1) == P(1/X > 1)", "P(log(X) > 1) >= 0"])
def test_no_condition_is_met_that_speaks_of_a_mean_of_nothing(condition):  # model: X = 0, c = 1
    by = Follows(("said",))
    told = lemma(
        "c <= 0", (Step(Fact("c <= 0"), by),), {**NAMES, "c": "real"}, {"said": Fact("c <= 0", (), (condition,))}
    )
    refused(told, 1, "definedness")
    assert open_at(replace(told, hypotheses={**told.hypotheses, "above": Fact("X >= 1")})) is None


def test_no_mean_is_known_by_such_a_condition():  # model: X = 0, and Z(0) without a mean
    said = {"mean": Fact("integrable(Z(0)) == 1", (), ("P(1/X > 1) <= 1",))}
    steps = (Step(Fact("P(1/X > 1) <= 1"), Follows(())), Step(Fact("abs(E(Z(0))) <= E(abs(Z(0)))"),
             ByRule("modulus of the expectation", {"X": "Z(0)"})))  # fmt: skip
    told = lemma("abs(E(Z(0))) <= E(abs(Z(0)))", steps, NAMES, said)
    refused(told, 3, "is integrable")
    assert open_at(replace(told, hypotheses={**said, "above": Fact("X >= 1")})) is None


# ---------------------------------------------------------------- multiples of facts


@pytest.mark.parametrize(
    ("said", "times", "claim"),
    [
        (("1/s + c >= 1/s",), ("1",), "c >= 0"),  # models: s = 0, c = -1, q = 1
        (("log(s) + c >= log(s)",), ("2",), "2*c >= 0"),
        (("1/s <= c", "-1/s <= -q"), ("1", "1"), "c >= q"),
        (("s*f(0)/s + c >= s*f(0)/s",), ("1",), "c >= 0"),
        (("c + X/s == X/s",), ("-1",), "c == 0"),
    ],
)
@pytest.mark.parametrize("domain", ["s >= 0", "s > 0"])
def test_what_cancels_between_multiples_of_facts_has_a_value(said, times, claim, domain):
    """The difference of the claim and the multiples is 0 for its form, and nothing asked what 1/s is at s = 0."""
    hypotheses = {f"h{n}": Fact(h) for n, h in enumerate(said)}
    told = lemma(claim, (Step(Fact(claim), Follows(tuple(hypotheses), times)),), NAMES, hypotheses)
    told = replace(told, parameters=(Parameter("c", "c"), Parameter("q", "q"), Parameter("s", "s", (domain,))))
    if domain == "s > 0":
        assert open_at(told) is None
    else:
        assert open_at(told) is not None


def test_a_line_shows_that_it_has_one():
    steps = (Step(Fact("f(0) >= 1"), Literature("told")), Step(Fact("c >= 0"), Follows(("h",), ("1",))))
    told = lemma("c >= 0", steps, {**NAMES, "c": "real"}, {"h": Fact("log(f(0)) + c >= log(f(0))")})
    assert open_at(told) is None
    assert open_at(replace(told, steps=steps[1:])) is not None
