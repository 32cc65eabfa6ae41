"""What each kind of reason demands: multipliers, definitions, forms, references, and what a claim itself must be.

A row that is refused, or that demands something, is false without it; what is false is told where it is not plain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import pytest

from boundcheck.decide.quadratic.gram_sharp import with_constant
from boundcheck.kernel.proof.book import book
from boundcheck.kernel.proof.definedness import presupposed
from boundcheck.kernel.proof.facts import ProofError
from boundcheck.kernel.proof.obligations import conclusion_steps, obligations
from boundcheck.kernel.statement import (
    ByGram,
    Cite,
    Claim,
    Decide,
    Definition,
    Fact,
    Follows,
    GramClaim,
    Literature,
    Parameter,
    Statement,
    Step,
    Use,
)

NOTHING: Mapping[str, str] = {}
SORTS = {
    "X": "random real", "Y": "random real", "x": "real", "y": "real", "c": "real", "v": "vector", "w": "vector",
    "n": "integer", "S": "integer -> real", "B": "integer -> random real", "f": "vector -> real", "H": "information",
    "A": "event",
}  # fmt: skip


def fact(text: str) -> Fact:
    """``claim for all NAMES where CONDITIONS``."""
    text, _, where = text.partition(" where ")
    claim, _, over = text.partition(" for all ")
    return Fact(claim, *(tuple(p.strip() for p in part.split(";") if p.strip()) for part in (over, where)))


def stated(*steps: Step, given=NOTHING, domain=NOTHING, claim="0 == 0", **more) -> Statement:
    parameters = tuple(Parameter(n, "", tuple(filter(None, d.split("; ")))) for n, d in domain.items())
    sorts = {k: s for k, s in SORTS.items() if k not in domain}
    hypotheses = {k: fact(t) for k, t in given.items()}
    return Statement(
        "lem:own", "t", "lemma", "part", "text", parameters, hypotheses, (fact(claim),), steps, declares=sorts, **more
    )


def demanded(statement: Statement, number: int = 0, lookup=NOTHING) -> list[str]:
    """Of the last step, or of step ``number``."""
    steps = [*statement.steps, *conclusion_steps(statement)]
    number = number or len(statement.steps)
    return [
        f"{o.role}: {o.claim}" for o in obligations(statement, number, steps[number - 1], dict(lookup).__getitem__)
    ]


def asked(claim: str, by, **own) -> list[str]:
    return demanded(stated(Step(fact(claim), by), **own))


def refused(words: str, claim: str, by, **own) -> None:
    with pytest.raises(ProofError, match=words):
        asked(claim, by, **own)


# ---------------------------------------------------------------- multipliers


@pytest.mark.parametrize(
    ("claim", "given", "times", "left"),
    [
        ("2*x <= 2*y", ("x <= y",), ("2",), []),
        ("c*x <= c*y", ("x <= y",), ("c",), ["multiplier: c >= 0"]),  # false for c < 0
        ("c*x <= c*y", ("x <= y", "c >= 1"), ("c", ""), ["multiplier: c >= 0 where c >= 1"]),
        ("c*x == c*y", ("x == y",), ("-c",), []),  # an equation is multiplied by anything
        ("x <= y", ("x == y",), ("1",), []),
        ("c*x <= c*y", ("x == y",), ("c",), []),
        ("x < y", ("x < y",), ("1",), []),
        ("x < y", ("x <= y",), ("1",), ["conclusion: y - x - (y - x) > 0"]),  # false where x == y
        ("x < y", ("x < y",), ("0",), ["conclusion: y - x > 0"]),  # nothing is used
        ("c*x < c*y", ("x < y",), ("c",), ["multiplier: c >= 0", "conclusion: c*y - c*x - c*(y - x) > 0"]),  # c == 0
        ("x <= y", ("x < y",), ("1",), []),
        ("x < y", ("x == y",), ("1",), ["conclusion: y - x - (y - x) > 0"]),
        ("x > y", ("x >= y",), ("1",), ["conclusion: x - y - (x - y) > 0"]),
        ("x != y", ("x == c",), ("1",), ["conclusion: x - y - (c - x) != 0"]),
        ("x*exp(c) <= y*exp(c)", ("x <= y",), ("exp(c)",), []),
        ("x*abs(c) <= y*abs(c)", ("x <= y",), ("abs(c)",), []),
        ("x*norm(v) <= y*norm(v)", ("x <= y",), ("norm(v)",), []),
        ("x*(c*n) <= y*(c*n)", ("x <= y",), ("c*n",), ["multiplier: c >= 0", "multiplier: n >= 0"]),
        ("x*(2/c) <= y*(2/c)", ("x <= y",), ("2/c",), ["multiplier: c >= 0"]),
        ("x*(-1) <= y*(-1)", ("x <= y",), ("-1",), ["multiplier: -1 >= 0"]),
        ("x*(c + n) <= y*(c + n)", ("x <= y",), ("c + n",), ["multiplier: c + n >= 0"]),
        ("x + y <= 2*c", ("x <= c", "y <= c"), ("1", "1"), []),
        ("x + y <= 2*c", ("x <= c", "y <= c"), ("1", ""), ["conclusion: 2*c - (x + y) - (c - x) >= 0 where y <= c"]),
    ],
)  # fmt: skip
def test_multipliers(claim, given, times, left):
    hypotheses = {f"h{n}": text for n, text in enumerate(given)}
    assert asked(claim, Follows(tuple(hypotheses), times), given=hypotheses) == left


@pytest.mark.parametrize(
    ("claim", "given", "times", "fault"),
    [
        ("x == y", ("x <= y",), ("1",), "== does not follow from multiples of <="),
        ("x == y", ("x < y",), ("1",), "== does not follow from multiples of <"),
        ("x != y", ("x <= y",), ("1",), "!= does not follow from multiples of <="),
        ("x <= y", ("x != y",), ("1",), "<= does not follow from multiples of !="),
        ("x == y", ("x != y",), ("1",), "== does not follow from multiples of !="),
        ("x <= y", ("x <= y",), ("1", "1"), "one multiplier for each"),
        ("x <= y", ("x <= y", "x <= c"), ("1",), "one multiplier for each"),
        ("x <= y", ("x <= y",), ("v",), "is no number"),
        ("x <= y", ("x <= y",), ("X > 1",), "is no number"),
        ("x <= y", ("x <= y",), ("H",), "is no number"),
    ],
)
def test_no_multipliers(claim, given, times, fault):
    hypotheses = {f"h{n}": text for n, text in enumerate(given)}
    refused(fault, claim, Follows(tuple(hypotheses), times), given=hypotheses)


# ---------------------------------------------------------------- what is plain, and what is demanded


@pytest.mark.parametrize(
    ("claim", "given", "left"),
    [
        ("x <= y", "x <= y", []),
        ("x <= y", "y >= x", []),
        ("x <= y", "x == y", []),
        ("x <= y", "y == x", []),
        ("x >= y", "x == y", []),
        ("x < y", "x == y", ["conclusion: y < y"]),  # false
        ("x != y", "x == y", ["conclusion: y != y"]),  # false
        ("x == y", "x <= y", ["conclusion: x == y where x <= y"]),  # false
        ("x < y", "x <= y", ["conclusion: x < y where x <= y"]),  # false
        ("x <= y", "x >= y", ["conclusion: x <= y where x >= y"]),  # false
        ("x + y <= y + x", "0 == 0", []),
        ("x + y == y + x", "0 == 0", []),
        ("x + y < y + x", "0 == 0", ["conclusion: x + y < y + x"]),  # false
        ("x + y != y + x", "0 == 0", ["conclusion: x + y != y + x"]),  # false
        ("x <= -x", "0 == 0", ["conclusion: x <= -x"]),
        ("x + 1 <= x", "0 == 0", ["conclusion: x + 1 <= x"]),
        ("x <= c for all c", "x <= y", ["conclusion: x <= c where x <= y"]),
    ],
)
def test_what_is_plain(claim, given, left):
    assert asked(claim, Follows(("h",)), given={"h": given}) == left


def test_a_claim_of_reals_and_of_integrals():
    assert asked("integral(t, t, 0, 1) <= x", Decide()) == ["step: integral(t, t, 0, 1) <= x"]
    assert asked("integral(t, t, 0, 1) <= x", Follows(())) == ["conclusion: o1_ <= x"]
    assert asked("x <= 1", Literature("[1]")) == []
    refused("unknown justification", "x <= 1", None)


def test_a_step_does_not_range_over_a_parameter_with_a_domain():
    refused("cannot range freely", "x <= 1 for all x", Decide(), domain={"x": "x <= 1"})  # false beyond it
    assert asked("x <= 1 for all x", Decide(), domain={"x": ""}) == ["step: x <= 1"]


# ---------------------------------------------------------------- references


ONE, TWO = Step(fact("x <= 1"), Decide(), name="one"), Step(fact("x <= 2"), Decide(), name="two")
REPAIRED = replace(ONE, repair=Step(fact("x <= 3"), Decide(), name="mended"))


@pytest.mark.parametrize(
    ("ref", "told"),
    [(1, "x <= 1"), (2, "x <= 2"), ("one", "x <= 1"), ("two", "x <= 2"), ("h", "x <= 5"), (Use("h"), "x <= 5"),
     (Use(2), "x <= 2")],
)  # fmt: skip
def test_references(ref, told):
    last = Step(fact("x <= y"), Follows((ref,)))
    assert demanded(stated(ONE, TWO, last, given={"h": "x <= 5"})) == [f"conclusion: x <= y where {told}"]


@pytest.mark.parametrize(
    ("ref", "number"),
    [(0, 2), (2, 2), (3, 2), (4, 3), (-1, 2), ("two", 2), ("three", 3), ("gone", 3), ("same", 4), (5, 4), (4, 4)],
)
def test_a_step_uses_earlier_facts_alone(ref, number):
    """False: x <= y, from itself or from what follows from it."""
    steps = [ONE, TWO, replace(ONE, name="same"), replace(TWO, name="same"), replace(ONE, name="three")]
    steps.insert(number - 1, Step(fact("x <= y"), Follows((ref,)), name="own"))
    if ref == "same":
        steps = [steps[4], *steps[:3], Step(fact("x <= y"), Follows((ref,))), steps[4]]
        steps[0], number = replace(ONE, name="same"), 5
    with pytest.raises(ProofError, match="earlier step"):
        demanded(stated(*steps), number)


def test_a_repaired_step_is_used_in_its_repaired_form():
    for ref in (1, "one", "mended"):
        last = Step(fact("x <= y"), Follows((ref,)))
        assert demanded(stated(REPAIRED, last)) == ["conclusion: x <= y where x <= 3"]  # false: x <= 1


def test_references_of_claims():
    two = replace(stated(ONE, TWO), claims=(fact("x <= 1"), fact("x <= 2")), concludes=(("one",), ("two",)))
    assert demanded(two, 3) == demanded(two, 4) == []
    beyond = replace(two, concludes=((1,), (3,)))  # false: a claim is no step
    with pytest.raises(ProofError, match="step 3 is not an earlier step"):
        demanded(beyond, 4)


def test_what_is_left_quantified_is_any_value():
    assert asked("x <= y", Follows(("h",)), given={"h": "x <= t for all t"}) == ["conclusion: x <= y where x <= t"]
    assert asked("x <= y", Follows(("h",)), given={"h": "x <= S for all S"}) == ["conclusion: x <= y where x <= S"]


@pytest.mark.parametrize(
    ("hypothesis", "told"),
    [
        ("E(X) <= 1", ["X"]),
        ("1 >= 2*E(X) + abs(E(Y))", ["X", "Y"]),
        ("Egiven(X, H) <= 1", ["X"]),
        ("P(Y > E(X)) <= 1", ["X"]),
        ("P(X > 1) <= 1", []),
        ("E(abs(Egiven(X, H))) <= 1", ["abs(Egiven(X, H))"]),  # false for X: it may have no mean, and 0 is put for it
    ],
)
def test_what_a_hypothesis_presupposes(hypothesis, told):
    found = presupposed(book(stated(given={"h": hypothesis})).hypothesis("h"))
    assert [str(k.relation) for k in found] == [f"integrable({e}) == 1" for e in told]


@pytest.mark.parametrize(
    ("hypothesis", "told"),
    [
        ("sum(E(at(B, n)), n, 0, 2) <= 1", "integrable(at(B, n1)) == 1 for n1 where 0 <= n1, n1 <= 2"),
        ("sum(E(at(B, n)), n, 0, oo) <= 1", "integrable(at(B, n1)) == 1 for n1 where 0 <= n1"),
        ("integral(E(X*t), t, 0, c) <= 1", ""),  # of almost every t, and so of none that could be named
        ("P(union(Egiven(at(B, k), H)>1, k, 1, n)) <= c", "integrable(at(B, n1)) == 1 for n1 where 1 <= n1, n1 <= n"),
        (
            "sum(E(at(B, k)), k, 0, n) <= at(S, n) for all n: integer where n >= 2",
            "integrable(at(B, n1)) == 1 for n, n1 where 2 <= n, 0 <= n1, n1 <= n",
        ),
        (
            "E(sum(Egiven(at(B, k), H), k, 0, n)) <= 1",
            "integrable(sum(Egiven(at(B, #1), H), #1, 0, n)) == 1 for  where ",
        ),
        ("integrable(E(X*t), t, 0, 1) == 1", ""),
    ],
)
def test_a_hypothesis_presupposes_the_means_inside_of_a_binder(hypothesis, told):
    """For the indices between the ends; the n that is bound is not that of the statement."""
    found = presupposed(book(stated(given={"h": hypothesis})).hypothesis("h"))
    words = (f"{k.relation} for {', '.join(k.over)} where {', '.join(map(str, k.where))}" for k in found)
    assert "; ".join(words) == told.replace("2 <= n,", "n >= 2,")


MEANS = {"mean": "integrable(X) == 1", "each": "integrable(at(B, n)) == 1 for all n: integer where 1 <= n; n <= c"}


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("sum(E(X), k, 1, 2) == 2*E(X)", ""),
        ("sum(E(at(B, k)), k, 1, c) <= x", ""),
        ("sum(E(at(B, k)), k, 0, c) <= x", r"E\(at\(B, n1\)\), and nothing shows that at\(B, n1\) is integrable"),
        ("sum(E(at(B, k)), k, 1, c + 1) <= x", "nothing shows that"),
        ("sum(E(at(B, k)), k, 1, oo) <= x", "nothing shows that"),
        ("norm(sum(E(Y)*v, k, 1, 2)) <= x", "Y is integrable"),
        ("sum(sum(E(at(B, k)), k, j, c), j, 1, c) <= x", ""),
        ("sum(sum(E(at(B, k)), k, j, c), j, 0, c) <= x", "nothing shows that"),
        ("P(sum(Egiven(Y, H), k, 1, 2) > 1) <= x", "Y is integrable"),
        ("P(union(Egiven(Y, H) > 1, k, 1, 2)) <= x", "Y is integrable"),
        ("least(E(Y*k), k, 1, 2) <= x", "Y is integrable"),
        ("sum(1, k, 1, floor(E(Y))) <= x", "Y is integrable"),
        ("integral(E(Y)*t, t, 0, 1) <= x", "Y is integrable"),
        ("integral(E(at(B, floor(t))), t, 1, c) <= x", "nothing shows that"),  # what is said is of whole numbers alone
        ("sum(E(X)/(k - 1), k, 2, 3) <= x", ""),
        ("sum(E(X)/(k - 1), k, 1, 2) <= x", "definedness"),  # 1/0 is 0 for a step, and nothing for a claim
        ("sum(integral(P(X > t)/t, t, 0, 1), k, 1, 2) >= 0", "nothing shows that it exists"),
    ],
)
def test_a_claim_has_a_meaning_inside_of_a_binder_too(claim, words):
    """E is 0 for what has no mean, x/0 is 0: a claim about these says something else than it seems to say."""
    own = stated(Step(fact(claim), Literature("x")), given=MEANS, domain={"c": ""}, claim=claim)
    own = replace(own, parameters=(Parameter("c", "", ("c >= 3",), True),))
    if words in ("", "definedness"):
        found = [d for d in demanded(own, 2) if d.startswith("definedness")]
        assert bool(found) is bool("/" in claim)
        return
    with pytest.raises(ProofError, match=words):
        demanded(own, 2)


@pytest.mark.parametrize(("ends", "holds"), [("0, 1", True), ("1/4, 3/4", True), ("0, 2", False), ("1, 0", False)])
def test_an_integral_from_the_larger_end_to_the_smaller_one_is_asked_everywhere(ends, holds):
    given = {
        "each": "integrable(X*S(t)) == 1 for all t where 0 <= t; t <= 1",
        "exists": f"integrable(E(X*S(t)), t, {ends}) == 1",
    }
    claim = f"integral(E(X*S(t)), t, {ends}) <= 1"
    own = stated(Step(fact(claim), Literature("x")), given=given, claim=claim)
    own = replace(own, declares={**SORTS, "S": "real -> real"})
    if holds:
        assert demanded(own, 2) == []
        return
    with pytest.raises(ProofError, match="X is integrable"):
        demanded(own, 2)


def test_values_of_a_use():
    given = {"h": "x <= t for all t where t >= c"}
    assert asked("x <= y", Follows((Use("h", {"t": "y"}),)), given=given) == ["condition of h: y >= c"]
    refused("h: t is real", "x <= y", Follows((Use("h", {"t": "v"}),)), given=given)
    refused("speaks of one x", "x <= c for all x", Follows(("h",)), given={"h": "x <= c"})
    # false: of every integer, at a real of that name; of every constant, at a random quantity
    refused("say for which", "at(S, n) <= y", Follows(("h",)), given={"h": "x <= y for all y: integer"})
    refused("depends on chance", "X <= y", Follows(("h",)), given={"h": "X <= Y for all Y"})
    assert asked("x <= 2*n", Follows(("h",)), given={"h": "x <= n for all n: integer"}) == [
        "conclusion: x <= 2*n where x <= n"
    ]


# ---------------------------------------------------------------- almost surely


@pytest.mark.parametrize(
    ("first", "sure"),
    [
        (Step(fact("X <= t for all t"), Follows(("plain",))), True),
        (Step(fact("X <= t for all t"), Follows(("given",))), False),
        (Step(fact("X <= t for all t"), Follows(("plain", "given"))), False),
        (Step(fact("X <= t for all t"), Follows(("given", "plain"))), False),
        (Step(fact("X <= t for all t"), Literature("[1]")), False),
        (Step(fact("X <= t for all t"), Cite("lem:c")), False),
        (Step(fact("Egiven(X, H) <= t for all t"), Follows(("plain",))), False),
        (Step(fact("X <= t for all t"), Decide()), True),
    ],
)
def test_what_holds_at_every_outcome(first, sure):
    """False at t = X of a density: X != t almost surely for each t."""
    given = {"plain": "X <= t for all t", "given": "Egiven(X, H) <= t for all t"}
    statement = stated(first, Step(fact("X <= y"), Follows((1,))), given=given)
    assert book(statement).step(1).sure is sure
    assert book(statement).hypothesis("plain").sure and not book(statement).hypothesis("given").sure


# ---------------------------------------------------------------- definitions


@pytest.mark.parametrize(
    "text",
    [
        "z == x + 1",
        "at(z, k) == k + x for all k: integer",
        "at(z, k, j) == at(S, k) + j for all k: integer; j: integer",
        "z == v",
        "z == X",
    ],
)
def test_a_definition(text):
    assert asked(text, Definition()) == []


@pytest.mark.parametrize(
    "text",
    [
        "z <= x", "z != x", "z + 1 == x", "2 == x", "at(z, k) == k", "at(z, 1) == 2",
        "at(z, k) == k for all k: integer; j: integer",
        "at(z, k, k) == 1 for all k: integer", "z == x where x >= 0", "z == z + 1", "z == S", "z == x for all x",
        "at(z, k, j) == k for all j: integer; k: integer", "norm(z) == 1",
        "at(z, k) == at(z, k - 1) + 1 for all k: integer", "x == 1", "c == x", "z == q",
    ],
)  # fmt: skip
def test_no_definition(text):
    """False for some value: of names that have one, of two values for one name, of what has no solution."""
    with pytest.raises(ProofError):
        asked(text, Definition())


@pytest.mark.parametrize("where", ["hypothesis", "bound", "quantified", "claim", "step", "repair", "domain"])
def test_a_definition_takes_a_name_that_is_written_nowhere(where):
    own: dict = {}
    before = Step(fact("0 == 0"), Decide())
    if where == "hypothesis":
        own = {"given": {"h": "x <= z for all z"}}
    elif where == "bound":
        own = {"given": {"h": "sum(z, z, 0, 2) <= x"}}
    elif where == "quantified":
        own = {"given": {"h": "0 == 0 for all z: integer"}}
    elif where == "claim":
        own = {"claim": "x <= z for all z"}
    elif where == "step":
        before = Step(fact("x <= z for all z"), Decide())
    elif where == "repair":
        before = replace(before, repair=Step(fact("x <= z for all z"), Decide()))
    else:
        own = {"domain": {"c": "c >= sum(z, z, 0, 2)", "z": ""}}
    for text in ("z == 1", "at(z, k) == 1 for all k: integer"):
        with pytest.raises(ProofError, match="z is not a new name"):
            demanded(stated(before, Step(fact(text), Definition()), **own))


def test_a_defined_name_is_of_the_proof_alone():
    steps = (Step(fact("z == x + 1"), Definition()), Step(fact("x <= z"), Follows((1,))))
    assert demanded(stated(*steps)) == ["conclusion: x <= x + 1"]
    with pytest.raises(ProofError, match="which only its proof defines"):
        demanded(stated(*steps, claim="x <= z"), 3)
    with pytest.raises(ProofError, match="z is not declared"):
        demanded(stated(steps[1], steps[0]), 1)


# ---------------------------------------------------------------- claims


@pytest.mark.parametrize(
    ("claim", "fault"),
    [
        ("E(X) == E(X)", "X is integrable"), ("0 <= 1 + 0*E(X)", "X is integrable"),
        ("1 >= 0*E(X)", "X is integrable"),
        ("Egiven(X, H) == Egiven(X, H)", "X is integrable"), ("P(Y > E(X)) <= 1", "X is integrable"),
        ("norm(E(X)*v) >= 0", "X is integrable"),
        ("integral(P(X > t), t, 0, oo) == integral(P(X > t), t, 0, oo)", "nothing shows that it exists"),
    ],
)  # fmt: skip
def test_a_claim_is_about_what_exists(claim, fault):
    """False as it is read, where the mean does not exist."""
    with pytest.raises(ProofError, match=fault):
        demanded(stated(claim=claim), 1)


def test_what_a_claim_may_speak_of():
    assert demanded(stated(claim="E(X) == E(X)", given={"h": "integrable(X) == 1"}), 1) == []
    assert demanded(stated(claim="E(ind(X > 1)) == E(ind(X > 1))"), 1) == []
    assert demanded(stated(claim="integral(P(X > t), t, 0, 1) == integral(P(X > t), t, 0, 1)"), 1) == []
    assert demanded(stated(claim="1/x == 1/x"), 1) == ["definedness: 0*(1/x) == 0"]
    assert demanded(stated(claim="1/x == 1/x where x >= 1"), 1) == ["definedness: 0*(1/x) == 0 where x >= 1"]
    assert demanded(stated(claim="sum(k, k, 0, oo) == sum(k, k, 0, oo)"), 1) == [
        "convergence: 0*sum(k, k, 0, oo) == 0"
    ]


# ---------------------------------------------------------------- quadratic forms


def form(claim: str, by: ByGram, **own):
    step = Step(fact(claim), by)
    found = obligations(stated(step, **own), 1, step, {}.__getitem__)
    return found[-1], found[-1].claim


def test_a_form():
    obligation, claim = form(
        "norm(v + 2*w)**2 <= c", ByGram(("v", "w"), ("h", "k"), ("x", "")), domain={"y": "y >= 1", "c": ""},
        given={"h": "norm(w)**2 <= y*norm(v)**2", "k": "c >= 2*y"},
    )  # fmt: skip
    assert (
        str(claim)
        == "norm(v1_ + 2*v2_)**2 <= c for all v1_, v2_ where norm(v2_)**2 <= y*norm(v1_)**2, y >= 1, c >= 2*y"
    )
    assert [str(t) for t in obligation.times] == ["x"] and obligation.opaque and obligation.role == "form"
    assert {k: str(e) for k, e in obligation.terms.items()} == {"v1_": "v", "v2_": "w"}
    assert claim.hypotheses and len(claim.where) == 2


def test_a_form_in_terms_and_levels():
    obligation, claim = form(
        "f(v) <= norm(2*w)**2 where f(w) <= c; y >= 0", ByGram(("2*w", "y", "w"), ("h",)), given={"h": "f(v) <= y**2"}
    )
    assert claim.vectors == ("v1_", "v2_", "v3_") and [str(r) for r in claim.where] == ["v2_ >= 0"]
    assert [str(r) for r in claim.hypotheses] == ["f(v) <= v2_**2"] and obligation.times == (None,)
    taken = form("norm(v)**2 <= v1_", ByGram(("v",)), domain={"v1_": ""})[1]
    assert str(taken) == "norm(v1__)**2 <= v1_ for all v1__"  # false: the vector is the number


def test_multipliers_of_a_form():
    refused("one multiplier", "norm(v)**2 >= 0", ByGram(("v",), (), ("1",)))
    refused("one multiplier", "norm(v)**2 >= 0", ByGram(("v",), ("h", "h"), ("1",)), given={"h": "norm(v) <= 1"})
    obligation, _ = form("norm(v)**2 <= 4", ByGram(("v", "w"), ("h", "k"), ("", "2")),
                         given={"h": "norm(v)**2 <= 1", "k": "norm(w)**2 + norm(v)**2 <= 2"})  # fmt: skip
    assert [t and str(t) for t in obligation.times] == [None, "2"]


def test_a_form_with_a_constant():
    by = ByGram(("v",), (), (), {"2": ("norm(v)**2 <= c*norm(v)**2", "y <= c", "x <= c")})
    obligation, _ = form("norm(v)**2 <= 2*norm(v)**2", by, domain={"y": "y <= 2; y >= 0", "x": "x <= 2"})
    found = with_constant(by, obligation, "2")(Fraction(3, 2))
    assert isinstance(found, GramClaim)
    assert str(found) == "norm(v1_)**2 <= 3/2*norm(v1_)**2 for all v1_ where y >= 0, y <= 3/2, x <= 3/2"
    with pytest.raises(ProofError, match="quadratic forms"):
        with_constant(by, replace(obligation, claim=Claim("c", ())), "2")
