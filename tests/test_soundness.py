"""Attacks on the trusted base: forged certificates and statements that are false must not pass."""

import pytest

from boundcheck.decide import decide
from boundcheck.decide.certificates import make
from boundcheck.decide.quadratic.gram_engine import decide_gram
from boundcheck.kernel.certificate import goals, verify
from boundcheck.kernel.check.gram_certificate import encode_claim, verify_gram
from boundcheck.kernel.formula import parse_relations
from boundcheck.kernel.statement import Claim, GramClaim
from boundcheck.verdict import Status

JUST_ABOVE_ONE = "1." + "0" * 59 + "1"

#: name -> (claim, where, integers, proof), every claim false
FORGED = {
    # the ball of 1 + 1e-60 reaches below 1: the part x < 1 + 1e-60 of the domain must not get lost
    "split just inside of an end": (
        "x > 1",
        ("x >= 1", "x <= 2"),
        (),
        {
            "rule": "cover",
            "tree": ["x", JUST_ABOVE_ONE, 0, 1],
            "then": [{"rule": "farkas", "terms": [{"c": "1", "hyps": [2]}, {"c": "1e-60"}]}],
        },
    ),
    "multiplier with a pole where the equation holds": (
        "x >= 1",
        ("x == 0",),
        (),
        {"rule": "farkas", "terms": [{"c": "-1", "times": "1/x", "hyps": [0]}, {"c": "1", "hyps": [0]}]},
    ),
    "a real renamed to a forgotten integer": (
        "x != 1/2",
        ("n >= 0",),
        ("n",),
        {
            "rule": "drop",
            "keep": [],
            "then": [
                {
                    "rule": "substitute",
                    "var": "x",
                    "new": "n",
                    "by": "n",
                    "inverse": "x",
                    "then": [{"rule": "enumerate", "var": "n", "from": 0, "to": 0, "then": [{"rule": "eval"}] * 3}],
                }
            ],
        },
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_certificate_is_refused(name):
    claim, where, integers, proof = FORGED[name]
    about = Claim.read(claim, where, integers)
    assert len(goals(about)) == 1
    assert not verify(make(about, [proof]), about).valid


def test_the_forgeries_fail_for_the_reason_that_they_plant():
    about = Claim.read("x > 1", ("x >= 1.5", "x <= 2"))
    tree = ["x", "1.75", 0, 1]
    honest = {"rule": "cover", "tree": tree, "then": [{"rule": "eval"}]}
    assert verify(make(about, [honest]), about).valid
    about = Claim.read("x >= 0", ("x == 0",))
    assert verify(make(about, [{"rule": "farkas", "terms": [{"c": "1", "times": "1", "hyps": [0]}]}]), about).valid


@pytest.mark.parametrize(
    "source",
    [
        "sum(q**k, k, 0, -oo) - 1/(1 - q)",
        "sum(q**k/gamma(k + 1), k, 0, -oo) - exp(q)",
    ],
)
def test_a_series_downwards_has_no_closed_form(source):
    where = ("q > 0", "q < 1")
    assert decide(Claim.read(f"{source} == 0", where), 1.0).status is not Status.PROVED
    assert decide(Claim.read(f"{source.replace('-oo', 'oo')} == 0", where), 5.0).status is Status.PROVED


def test_integrals_from_plus_and_from_minus_infinity_differ():
    body = "exp(-t**2)*cos(t)"
    from_above = Claim.read(f"integral({body}, t, oo, 0) == integral({body}, t, -oo, 0)")
    assert decide(from_above, 1.0).status is not Status.PROVED
    assert (
        decide(Claim.read(f"integral({body}, t, -oo, 0) == integral({body}, t, -oo, 0)"), 5.0).status is Status.PROVED
    )


@pytest.mark.parametrize("claim", ["(x + 1) - x >= 1 + 1e-22", "(x + 1)*y >= x*1e390"])
def test_numbers_beyond_doubles_do_not_break_the_search(claim):
    assert decide(Claim.read(claim, ("x >= 1e300", "y >= 1")), 1.0).status is not Status.PROVED


@pytest.mark.parametrize(
    ("claim", "where", "integers", "wrong"),
    [
        ("1/y != floor(2**(1/y))", ("y >= 0", "y <= 1"), (), Status.PROVED),
        ("n <= 5", ("n >= 2**(2**x)", "n <= 2**(2**x)", "x >= 60"), ("n",), Status.PROVED),
        ("n <= 5", ("n >= exp(exp(50))", "n <= exp(exp(50)) + 1"), ("n",), Status.PROVED),
        ("sum(k, k, 2**x, 2**x) >= 0", ("x >= 1e16",), ("x",), Status.REFUTED),
        ("(n*y)**2 <= sum(1/k, k, 1, n)", ("y > 0",), (), Status.PROVED),
    ],
)
def test_numbers_that_no_memory_holds_do_not_end_the_program(claim, where, integers, wrong):
    assert decide(Claim.read(claim, where, integers), 0.3).status is not wrong


def test_a_large_integer_variable_does_not_break_the_search():
    claim = Claim.read("exp(n) > max(sinh(n), n)", ("n > 2",), ("n",))
    assert decide(claim, 0.4).status is not Status.REFUTED


def test_a_form_without_parameters_is_refuted_and_not_raised():
    goal = parse_relations("norm(v)**2 >= norm(w)**2", proof=True)[0]
    for hypothesis, status in (("dot(v, w) == norm(w)**2", None), ("norm(v)**2 == norm(w)**2", Status.PROVED)):
        claim = GramClaim("form", ("v", "w"), goal, parse_relations(hypothesis, proof=True))
        found = decide_gram(claim, (None,)).status
        assert found is not Status.REFUTED
        assert status in (None, found)


def form(goal, hypotheses, where=()):
    relations = [parse_relations(t, proof=True)[0] for t in (goal, *hypotheses, *where)]
    k = 1 + len(hypotheses)
    return GramClaim("form", ("x", "y"), relations[0], tuple(relations[1:k]), tuple(relations[k:]))


@pytest.mark.parametrize("hypothesis", ["norm(x)**2 != norm(y)**2", "norm(x) != norm(y)"])
def test_two_forms_that_differ_are_in_no_order(hypothesis):
    claim = form("norm(x)**2 <= norm(y)**2", (hypothesis,))
    found = decide_gram(claim)
    assert found.status is Status.UNDECIDED
    ordered = form(str(claim.goal), (hypothesis.replace("!=", "<="),))
    proof = decide_gram(ordered).certificate
    assert verify_gram(proof, ordered).valid
    assert not verify_gram({**proof, "claim": encode_claim(claim)}, claim).valid


@pytest.mark.parametrize(
    ("goal", "broken", "kept"),
    [
        # |x|^2 <= c^2 holds for c = -1 and x = 0 as well
        ("c*norm(y)**2 >= -1/64*norm(y)**2", "norm(x) <= c", "norm(x) <= -c"),
        # holds for no x
        ("norm(y)**2 <= 0", "norm(x)**2 < 0", "norm(x)**2 <= 0"),
    ],
)
def test_vectors_that_break_a_hypothesis_refute_nothing(goal, broken, kept):
    assert decide_gram(form(goal, (broken,), ("c >= -1",))).status is Status.UNDECIDED
    assert decide_gram(form(goal, (kept,), ("c >= -1",))).status is Status.REFUTED
