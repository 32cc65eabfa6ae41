"""Facts with terms that are undefined somewhere: each term of an obligation's hypotheses is shown to be defined first.

A scalar claim says nothing where a hypothesis has no value; in a proof log(-1) is some number, 0/0 is 0. Every case is
a false lemma: it fails in the model that is told.
"""

from dataclasses import replace

import pytest
from holes import lemma, open_at, refused

from boundcheck.kernel.proof.obligations import obligations
from boundcheck.kernel.statement import ByGram, ByRule, Cite, Decide, Fact, Follows, Parameter, Step

POLE = "-1/(t - 5/2)**2 - 1"  #: below -1, and -1 at its pole
ENDS = ("x >= -1", "x <= 2/3", "x**2 >= 1/4")
VECTOR = {"x": "vector", "a": "real", "b": "real"}


def integrals(high, where=ENDS):
    """integral(POLE) <= integral(-1) from 2 to ``high``: no if the pole is inside, where the integral is 0."""
    claim = f"integral({POLE}, t, 2, {high}) <= integral(-1, t, 2, {high})"
    let = {"G": POLE, "H": "-1", "t": "t", "a": "2", "b": high}
    step = Step(Fact(claim, (), (*where, f"2 <= {high}")), ByRule("integral monotone", let, ("h",)))
    statement = lemma("0 == 0", [step], {"x": "real"}, {"h": Fact(f"{POLE} <= -1", ("t",))})
    return replace(statement, claims=(step.fact,))


def test_an_integral_with_an_end_that_is_undefined_is_not_shown_to_exist():
    """Model: x = -1 and log(-1) = 0: the end is 3, beyond the pole; where log(x) has a value it is 2."""
    refused(integrals("3 + max(-1, 10*log(x))"), 1, "definedness", "log(x)")
    assert open_at(integrals("3 + max(-1, 10*log(x))", ("x >= 1/4", "x <= 2/3"))) is None


@pytest.mark.parametrize("end", ["1/x", "sqrt(x)", "log(x)", "1 - x**(1/2)", "sum(s/x, s, 0, 2)"])
def test_the_ends_of_an_integral_in_a_fact_are_shown_to_be_defined(end):  # model: x <= 0
    step = Step(Fact("x > 0"), Decide(("h",)))
    for low, high in ((end, "1"), ("0", end)):
        statement = lemma("x > 0", [step], {"x": "real"}, {"h": Fact(f"integral(1, t, {low}, {high}) <= 1")})
        roles = [(o.role, str(o.claim)) for o in obligations(statement, 1, step, {}.__getitem__)]
        assert any(role in ("definedness", "convergence") and "x" in told for role, told in roles), roles
        assert open_at(statement) is not None


def test_an_integral_end_inside_of_an_end_is_asked_for_as_well():
    claim = Fact("integral(1, t, 0, integral(1, s, 0, sqrt(x))) == integral(1, t, 0, integral(1, s, 0, sqrt(x)))")
    refused(lemma(claim.claim, [Step(claim, Decide())], {"x": "real"}), 2, "definedness", "sqrt(x)")


PLACES = ("y >= -2", "y <= 2")


def places(*domain):
    """y > -1 for the parameter y of this domain."""
    statement = lemma("y > -1", [Step(Fact("y > -1"), Decide())], {}, label="lem:place")
    return replace(statement, parameters=(Parameter("y", "", domain),))


def test_a_domain_does_not_make_its_own_terms_defined():
    """Model: y = -2 with log(-2) = 0, which a hypothesis or condition of the same form allows where this is cited."""
    refused(places("log(y) <= 1", *PLACES), 1, "definedness", "log(y)")
    refused(places(*PLACES, "log(y) <= 1"), 1, "definedness", "log(y)")
    assert open_at(places("y > 0", "log(y) <= 1")) is None
    assert open_at(places("log(y) <= 1", "y > 0")) is None  # what is defined everywhere may stand behind


def test_two_relations_of_a_domain_do_not_define_each_other():  # model: y = -2, log(-2) = 0 and sqrt(-2) = 0
    refused(places("log(y) <= 1", "sqrt(y) <= 2", *PLACES), 1, "definedness")
    refused(places("sqrt(y) <= 2", "log(y) <= 1", *PLACES), 1, "definedness")
    assert (
        open_at(places("sqrt(abs(y)) <= 1/2", "1/(3 - sqrt(abs(y))) >= 0")) is None
    )  # the first one helps the second


def test_a_citation_through_a_domain_with_an_undefined_term_rests_on_nothing_proved():
    fact = Fact("y > -1", (), ("log(y) <= 1",))
    citing = replace(
        lemma("0 == 0", [Step(fact, Cite("lem:place"))], {}), parameters=(Parameter("y", "", PLACES),), claims=(fact,)
    )
    cited = places("log(y) <= 1", *PLACES)
    assert open_at(citing, cited) is None  # so the fault must be found in what is cited
    assert open_at(cited) is not None


@pytest.mark.parametrize("given", ["hypothesis", "condition", "domain"])
def test_a_quadratic_form_uses_no_relation_with_an_undefined_term(given):
    """Model: a = b = 0 with 0/0 = 0: norm(x)**2 <= 0 is false."""
    told = "b >= a/a"
    fact = Fact("norm(x)**2 <= b*norm(x)**2", (), (told,) if given == "condition" else ())
    step = Step(fact, ByGram(("x",), ("h",) if given == "hypothesis" else ()))
    hypotheses = {"h": Fact(told)} if given == "hypothesis" else {}
    declares = {"x": "vector"} if given == "domain" else VECTOR
    statement = replace(lemma("0 == 0", [step], declares, hypotheses), claims=(fact,))
    if given == "domain":
        statement = replace(statement, parameters=(Parameter("a", ""), Parameter("b", "", (told,))))
    found = obligations(statement, 1, step, {}.__getitem__)
    assert [(o.role, str(o.claim)) for o in found[:-1]] == [("definedness", "0*(a/a) == 0")]


def test_an_integral_in_a_hypothesis_defines_nothing_before_it_is_shown_to_exist():
    """False: sqrt(x) is defined wherever the integral of sqrt from 0 to x is."""
    area = "integral(sqrt(t), t, 0, x) <= 5"
    step = Step(Fact("x >= 0", (), (area, "sqrt(x) <= 1")), Decide())
    found = obligations(lemma("0 == 0", [step], {"x": "real"}), 1, step, {}.__getitem__)
    assert ("definedness", "0*sqrt(x) == 0") in [(o.role, str(o.claim)) for o in found]
    for domain in ((area, "sqrt(y) <= 1"), ("sqrt(y) <= 1", area)):
        statement = places(*(r.replace(", x)", ", y)") for r in domain))
        found = obligations(statement, 1, statement.steps[0], {}.__getitem__)
        told = [str(o.claim) for o in found if o.role == "definedness"]
        assert len(told) == 1 and ("sqrt(t)" in told[0]) == (domain[0] is area)


def test_the_variable_of_an_integrand_is_none_of_the_step():
    """False: 1/t at the t_ of the step alone, which is no 0."""
    where = ("x >= t_", "t_ >= 1")
    step = Step(Fact("integral(1/t, t, -1, x) <= 1", (), where), Decide())
    claim = lemma("0 == 0", [step], {"x": "real", "t_": "real"})
    exists = replace(claim, claims=(step.fact,))
    found = obligations(exists, 2, Step(step.fact, Decide((1,))), {}.__getitem__)
    told = [str(o.claim) for o in found if o.role == "convergence"]
    assert told == ["0*(1/t__) == 0 where x >= t_, min(-1, x) <= t__, t__ <= max(-1, x)"]


@pytest.mark.parametrize("term", ["b**x", "1 + 1/(b**x + 5)", "norm(v)*f(b**(x + 1))", "sum(b**(x*k), k, 0, m)"])
@pytest.mark.parametrize("value", ["2", "m"])
def test_an_equation_makes_no_exponent_whole(term, value):
    """b**x has no value for b < 0, even where the real x is 2: the same as a scalar claim does not hold."""
    fact = Fact(f"{term} == {term}", (), (f"x == {value}", "m >= 2"))
    declares = {"b": "real", "x": "real", "m": "integer", "v": "vector", "f": "real -> real"}
    told = lemma(fact.claim, [Step(fact, Decide())], declares, {})
    assert open_at(replace(told, claims=(fact,))) is not None


def test_an_equation_still_makes_other_terms_defined():
    facts = [Fact("sqrt(x) == sqrt(x)", (), ("x == 2",)), Fact("a**x == a**x", (), ("a == 2", "x == 2"))]
    for fact in facts:
        told = lemma(fact.claim, [Step(fact, Decide())], {"a": "real", "x": "real"}, {})
        assert open_at(replace(told, claims=(fact,))) is None


CONDITIONS = ["1/s <= 1/s", "1/s - 1/s <= 0", "t/s >= t*(1/s)", "sqrt(-s) == sqrt(-s)", "t <= t + 1/s - 1/s"]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_without_a_value_is_not_met(condition):
    """Model: s = 0, c = 1: nothing is said there, though the condition holds wherever it has a value."""
    parameters = (Parameter("c", ""), Parameter("s", "", ("s >= 0",)), Parameter("t", ""))
    for by in (Follows(("said",)), Decide(("said",))):
        told = lemma("c <= 0", [Step(Fact("c <= 0"), by)], {}, {"said": Fact("c <= 0", (), (condition,))})
        refused(replace(told, parameters=parameters), 1, "definedness")
    cited = lemma("0 == 0", [Step(Fact("c <= 0", (), (condition,)), Follows(("said",)))], {}, label="lem:cited")
    cited = replace(cited, parameters=parameters, hypotheses={"said": Fact("c <= 0", (), (condition,))})
    cited = replace(cited, claims=(Fact("c <= 0", (), (condition,)),))
    citing = lemma("c <= 0", [Step(Fact("c <= 0"), Cite("lem:cited"))], {}, cited.hypotheses)
    refused(replace(citing, parameters=parameters), 1, "definedness", others=(cited,))
    given = replace(citing, parameters=(*parameters[:1], Parameter("s", "", ("s > 0",)), *parameters[2:]))
    assert "sqrt" in condition or open_at(given, cited) is None


@pytest.mark.parametrize(("first", "holds"), [("s0 >= 1", True), ("s0 >= 0", False)])
def test_many_conditions_are_looked_at_once_each(first, holds):
    """Each is seen to be defined by those before it; when these were looked at anew for each, 40 never ended."""
    conditions = tuple(f"f(1/s{k}) <= c" for k in range(40))
    parameters = (Parameter("c", ""), *(Parameter(f"s{k}", "", (f"s{k} >= 1" if k else first,)) for k in range(40)))
    fact = Fact("c <= 1", (), conditions)
    told = lemma(fact.claim, [Step(fact, Follows(("said",)))], {"f": "real -> real"}, {"said": fact})
    told = replace(told, parameters=parameters, claims=(fact,))
    assert (open_at(told) is None) is holds
