"""What a claim speaks of is defined where facts say so, and facts are put to the places that a line leads them to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from holes import open_at, refused
from slow import more

from boundcheck.author import ring
from boundcheck.author.elaborate import elaborate
from boundcheck.author.proof_reader import read_proof
from boundcheck.decide.statements import decide_obligation, decide_statement
from boundcheck.kernel.formula import parse
from boundcheck.kernel.proof.facts import ProofError
from boundcheck.kernel.proof.obligations import conclusion_steps, obligations
from boundcheck.kernel.statement import ByGram, Fact, Follows, Literature, Parameter, Statement, Step, Use
from boundcheck.paper import lookup
from boundcheck.user_files import OwnFault, load
from boundcheck.verdict import Status

pytestmark = pytest.mark.usefixtures("no_worlds")

SORTS = {
    "b": "integer -> real", "a": "integer -> real", "c": "real", "X": "random real", "Z": "random real",
    "x": "vector", "y": "vector", "f": "vector -> real", "G": "vector -> vector",
}  # fmt: skip
OVER = ("s: integer",)
POSITIVE = Fact("b(s) > 0", OVER, ("s >= 0",))
TERM = "sum(a(s)/b(s + 1), s, 0, T - 1) <= c"


def stated(claim: str, *refs, where=(), over=(), proof=(), **given) -> Statement:
    """A claim that is taken from the literature but for its meaning, concluded from that and from ``refs``."""
    facts = {k: v if isinstance(v, Fact) else Fact(v) for k, v in given.items()}
    said = Fact(claim, over, where)
    return Statement(
        "lem:own", "t", "lemma", "part", "text", (Parameter("T", "", ("T >= 1",), True),), facts, (said,),
        (*proof, Step(said, Literature("somebody"))), concludes=((len(proof) + 1, *refs),), declares=SORTS,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "given", "more"),
    [
        ("1/c >= 0", "c > 0", {}),
        ("1/b(1) >= 0", "b(1) > 0", {}),
        ("1/b(1) >= 0", "b(1) != 0", {}),
        ("sqrt(b(1)) >= 0", "b(1) >= c**2", {}),
        ("1/E(X) >= 0", "E(X) > 0", {}),
        ("log(norm(x)) <= c", "norm(x) > 0", {}),
        ("1/(b(0) + a(1)) >= 0", "b(0) + a(1) > 0", {}),
        ("1/b(s + 1) >= 0", POSITIVE, {"over": OVER, "where": ("s >= 0",)}),
        (TERM, POSITIVE, {}),
        ("norm(x/b(1)) >= 0", "b(1) > 0", {}),
    ],
)
def test_what_a_claim_is_concluded_from_shows_that_it_is_defined(claim, given, more):
    assert open_at(stated(claim, **more)) is not None
    assert open_at(stated(claim, "h", h=given, **more)) is None


def test_a_fact_leads_to_the_next_one():
    given = {"h": Fact("b(s) >= c", OVER), "k": Fact("c > 0")}
    assert open_at(stated(TERM, "h", "k", **given)) is None
    for some in ((), ("h",), ("k",)):
        assert open_at(stated(TERM, *some, **given)) is not None


@pytest.mark.parametrize(
    ("claim", "given"),
    [
        ("1/c >= 0", "1/c > 0"),  # says nothing at c = 0
        ("1/c >= 0", Fact("c > 0", ("t",), ("1/t <= 1/t", "t >= 0", "t <= 0"))),
        ("1/c >= 0", "c*norm(x/c) > 0"),
        ("1/c >= 0", "c >= 0"),
        ("1/c >= 0", Fact("c > 0", (), ("b(1) > 0",))),  # b(1) = -1, c = 0
        ("1/X >= 0", Fact("X > 0", (), ("Z > 0",))),  # Z = 0, X = 0
        (TERM, Fact("b(s) > 0", OVER, ("s >= 2",))),  # b(1) = 0
        (TERM, Fact("b(s) > 0", OVER, ("s <= T - 1",))),  # b(T) = 0
        (TERM, "b(1) > 0"),
    ],
)
def test_what_does_not_show_it(claim, given):
    use, fact = (given, POSITIVE) if isinstance(given, Use) else ("h", given)
    statement = stated(claim, use, h=fact)
    refused(statement, 2, "definedness")


def test_a_fact_about_one_index_is_none_about_all():
    """s is a declared integer in the hypothesis, and any integer in the claim."""
    claim = Fact("1/b(s) >= 0", OVER)
    step = Step(claim, Literature("somebody"))
    statement = Statement(
        "lem:own", "t", "lemma", "part", "text", (), {"h": Fact("b(s) > 0")}, (claim,), (step,),
        concludes=((1, "h"),), declares={**SORTS, "s": "integer"},
    )  # fmt: skip
    with pytest.raises(ProofError, match="the step of all"):
        obligations(statement, 2, conclusion_steps(statement)[0], lookup)


# ---------------------------------------------------------------- texts


def proved(proof: str, *claims: str, **given: Fact) -> bool:
    facts = {
        "positive": POSITIVE, "start": Fact("b(0) > 0"), "terms": Fact("a(s) >= 0", OVER),
        "sums": Fact("b(s + 1) == b(s) + a(s)", OVER),
    }  # fmt: skip
    domain = (Parameter("T", "", ("T >= 1",), True), Parameter("h", "", ("h > 0",)))
    statement = Statement(
        "lem:own", "t", "lemma", "part", "text", domain, given or facts, tuple(map(Fact, claims)), declares=SORTS
    )
    made = elaborate(statement, read_proof(proof, functions=frozenset({"f", "G", "a", "b"})), lookup)
    return not made.faults and decide_statement(made.statement, lookup, 2.0, 0.0).status is Status.PROVED


def test_the_search_finds_what_shows_that_a_claim_is_defined():
    assert proved("a(1)/b(1) >= 0  by positive, terms\nsqrt(b(T)) > 0", "a(1)/b(1) >= 0", "sqrt(b(T)) > 0")


def test_it_tells_where_nothing_shows_it():
    statement = Statement(
        "lem:own", "t", "lemma", "part", "text", (), {"h": Fact("c >= 0")}, (Fact("1/c >= 0"),), declares=SORTS
    )
    made = elaborate(statement, read_proof("1/c >= 0 if c > 0\n1/c >= 0 by h"), lookup)
    assert any("may speak of what is undefined" in f.fault and "b > 0 for 1/b" in f.fault for f in made.faults)


INDUCTION = """
below: u[t] == b(0) - b(t) for integer t   exactly definition
step: u[{k} + 1] <= 0 for integer {k} where u[{k}] <= 0, {k} >= 0, {k} <= T - 1   {hint}
u[T] <= 0 by induction
"""


@pytest.mark.parametrize("hint", ["by below, sums, terms", more("")])
@pytest.mark.parametrize("name", [more("s"), "k"])
def test_facts_are_put_to_the_places_that_they_lead_to(hint, name):
    """The definition at k + 1 from the line, at k from its condition, the recursion from the definition."""
    assert proved(INDUCTION.format(hint=hint, k=name), "b(T) >= b(0)")


@pytest.mark.thorough
def test_no_place_makes_a_false_line_true():
    false = INDUCTION.format(hint="by below, sums, terms", k="s").replace("== b(0)", "== 2*b(0)")
    assert not proved(false, "b(T) >= 2*b(0)")  # a = 0, b = 1


# ---------------------------------------------------------------- forms with numbers of families


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("b(1)*dot(x, y) <= b(1)*norm(x)**2/2 + b(1)*norm(y)**2/2", True),
        ("dot(x, y) <= b(1)*norm(x)**2/2 + norm(y)**2/(2*b(1))", True),
        ("dot(G(x), -h/b(2)*G(x)) + norm(-h/b(2)*G(x))**2 <= -h/b(2)*(1 - h/b(2))*norm(G(x))**2", True),
        ("b(1)*f(x) <= b(1)*f(x) + b(1)*norm(x)**2", True),
        ("dot(x, y) <= b(1)*norm(x)**2/2 + norm(y)**2/(2.1*b(1))", False),
        ("dot(x, y) <= b(1)*norm(x)**2/2 + norm(y)**2/(2*b(2))", False),  # b(1) = 1, b(2) = 4
        ("a(1)*dot(x, y) <= a(1)*norm(x)**2/2 + a(1)*norm(y)**2/4", False),
        ("b(2)*norm(x)**2 <= b(1)*norm(x)**2", False),
        ("b(-1)*dot(x, y) <= b(-1)*norm(x)**2/2 + b(-1)*norm(y)**2/2", False),  # b(-1) = -1
    ],
)
@pytest.mark.parametrize("hint", ["  by gram, positive", more("")])
def test_numbers_of_families_are_coefficients_of_forms(line, holds, hint):
    assert proved(line + hint, "T >= 1") is holds


def with_form(step: Step, given: dict[str, Fact]) -> Statement:
    claims = (Fact("0 == 0"),)
    return Statement("lem:own", "t", "lemma", "part", "text", (), given, claims, (step,), declares=SORTS)


@pytest.mark.parametrize(
    ("claim", "facts"),
    [
        ("norm(x)**2 <= b(1)/b(1)*norm(x)**2", ()),  # b(1) = 0: 0/0 may be 0
        ("norm(x)**2 <= b(1)**2/b(1)**2*norm(x)**2", ("some",)),
        ("b(1)*norm(x)**2 >= 0", ()),
        ("b(1)*norm(x)**2 >= 0", ("some",)),
        ("b(1)*norm(x)**2 >= b(2)*norm(x)**2", ("first",)),
        ("b(1)*f(x)**2 >= 0", ()),
    ],
)
def test_false_forms_are_not_proved(claim, facts):
    given = {"some": Fact("b(2) > 0"), "first": Fact("b(1) > 0")}
    step = Step(Fact(claim), ByGram(("x",), facts))
    statement = Statement(
        "lem:own", "t", "lemma", "part", "text", (), given, (Fact("0 == 0"),), (step,), declares=SORTS
    )
    wanted = obligations(statement, 1, step, lookup)
    assert any(decide_obligation(o, 2.0).status is not Status.PROVED for o in wanted)


def test_a_vector_is_no_coefficient():
    step = Step(Fact("dot(x, c*G(y)) <= norm(x)**2"), ByGram(("x",)))
    statement = with_form(step, {})
    (wanted,) = (o for o in obligations(statement, 1, step, lookup) if o.role == "form")
    assert "G(y)" in str(wanted.claim) and decide_obligation(wanted, 2.0).status is not Status.PROVED


def test_the_multipliers_of_a_form_may_be_such_numbers():
    given = {"h": Fact("norm(x)**2 <= norm(y)**2"), "k": Fact("b(1) > 0")}
    step = Step(Fact("b(1)*norm(x)**2 <= b(1)*norm(y)**2"), ByGram(("x", "y"), ("h", "k"), ("b(1)", "")))
    statement = Statement(
        "lem:own", "t", "lemma", "part", "text", (), given, (Fact("0 == 0"),), (step,), declares=SORTS
    )
    assert all(decide_obligation(o, 2.0).status is Status.PROVED for o in obligations(statement, 1, step, lookup))


def test_a_claim_needs_no_more_than_before():
    """A fact for all values of a name under a condition says something about the claim's terms, and is no demand."""
    statement = stated("1/b(2) >= 0", "h", h=POSITIVE)
    demanded = obligations(statement, 2, Step(statement.claims[0], Follows((1, "h"))), lookup)
    assert not any(o.role.startswith("condition") for o in demanded) and open_at(statement) is None


# ---------------------------------------------------------------- means and quotients


MEANS = {
    "short": Fact("norm(Y) <= h"), "mean": Fact("integrable(Y) == 1"), "centred": Fact("Egiven(X, H) == 0"),
    "bounded": Fact("abs(X) <= h"), "variance": Fact("Egiven(X**2, H) <= c"),
    "below": Fact("exp(lam*X) <= 1 + lam*X + lam**2/(2*(1 - lam*h/3))*X**2"),
}  # fmt: skip


def of_means(line: str) -> bool:
    sorts = {"Y": "random vector", "X": "random real", "H": "information", "c": "real"}
    domain = (Parameter("h", "", ("h > 0",)), Parameter("lam", "", ("lam > 0", "lam*h < 3")))
    statement = Statement(
        "lem:own", "t", "lemma", "part", "text", domain, MEANS, (Fact(line),), declares=sorts
    )  # fmt: skip
    made = elaborate(statement, read_proof(f"finite: abs(exp(lam*X)) <= exp(lam*h)  by bounded\n{line}"), lookup)
    return not made.faults and decide_statement(made.statement, lookup, 2.0, 0.0).status is Status.PROVED


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("norm(E(Y)) <= h", True),
        ("norm(Egiven(Y, H)) <= h", True),
        ("norm(E(Y)) <= h/2", False),
        ("norm(E(Y)) >= h", False),
        ("Egiven(exp(lam*X), H) <= 1 + lam*Egiven(X, H) + lam**2/(2*(1 - lam*h/3))*Egiven(X**2, H)", True),
    ],
)
def test_means_are_bounded_by_what_they_are_of(line, holds):
    assert of_means(line) is holds


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("1/(x - 1)", "-1/(1 - x)", True),
        ("1/(x - 1)**2", "1/(1 - x)**2", True),
        ("y/(2 - 2*x)", "-y/2/(x - 1)", True),
        ("1/(x - 1)", "1/(1 - x)", False),
        ("(x - 1)**(1/2)", "(1 - x)**(1/2)", False),
        ("(x - 1)**y", "(1 - x)**y", False),
        ("1/(x - 1)**3", "1/(1 - x)**3", False),
    ],
)
def test_a_sum_and_its_negative_below_the_line(a, b, same):
    terms = [parse(t) for t in (a, b)]
    assert (not ring.gap(*terms)) is same


# ---------------------------------------------------------------- what is told


def test_a_definition_that_is_no_new_name_is_told_with_its_place():
    statement = Statement(
        "lem:own", "t", "lemma", "part", "text", (), {"smooth": Fact("f(u) >= 0", ("u: vector",))}, (Fact("0 == 0"),),
        declares=SORTS,
    )  # fmt: skip
    made = elaborate(statement, read_proof("u[t] == c*t for integer t  exactly definition"), lookup)
    (fault,) = (f.fault for f in made.faults)
    assert "u is not a new name: hypothesis smooth is for all u" in fault


def test_a_vector_that_is_restricted_like_a_parameter_is_told(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(
        '[[statement]]\nlabel = "lem:own"\ntitle = "t"\nparameters = ["norm(x) <= 1"]\n'
        'declares = {x = "vector"}\nclaims = ["0 == 0"]\nproof = "0 == 0"\n'
    )
    with pytest.raises(
        OwnFault, match=r"x is a parameter already, by 'norm\(x\) <= 1': .* of a vector is a hypothesis"
    ):
        load(str(path))


@pytest.mark.parametrize(
    "claim",
    [
        "sum(b(s), s, 1, 2)*norm(x)**2 + b(s)*norm(x)**2 == 3*b(s)*norm(x)**2",
        "norm(x)**2/b(s) + sum(b(s), s, 1, 2) == norm(x)**2/b(s) + 2*b(s)",
    ],
)
def test_what_a_sum_binds_is_no_coefficient(claim):
    """models: b(1) = 1, b(2) = 4, s = 1; the b(s) inside of the sum is another one than the b(s) beside it."""
    given = {"first": Fact("b(s) > 0")}
    statement = with_form(Step(Fact(claim), ByGram(("x",), ("first",))), given)
    statement = replace(statement, parameters=(Parameter("s", "s", ("s >= 1",), True),))
    wanted = obligations(statement, 1, statement.steps[0], lookup)
    assert any(decide_obligation(o, 2.0).status is not Status.PROVED for o in wanted)
    assert any("sum(b(" in str(o.claim) and "a1_" in str(o.claim) for o in wanted)  # the other b(s) alone is a number
