"""Small worlds of statements about sums: hypotheses with sums to an open end, claims for all integers, long sums."""

import pytest

from boundcheck.decide.worlds.world_refute import refuted
from boundcheck.kernel.statement import Fact, Parameter, Statement
from boundcheck.verdict import Status

WORLD = {"a(i)": "1", "b(i)": "1 + i"}
SORTS = {"a": "integer -> real", "b": "integer -> real"}
STEP = {"sums": Fact("at(b, s + 1) == at(b, s) + at(a, s)", ("s: integer",), ("s >= 0",))}
WHOLE = {"sums": Fact("at(b, t) == at(b, 0) + sum(at(a, s), s, 0, t - 1)", ("t: integer",), ("t >= 0",))}
LOG = "sum(at(a, s)/at(b, s + 1), s, 0, {n}) <= log(at(b, {n} + 1)/at(b, 0)){less}"
T = ("t: integer",), ("t >= 0",)


def about(claim, hypotheses, over=(), where=(), declares=SORTS, parameters=()):
    return Statement(
        "lem:sums",
        "t",
        "lemma",
        "part",
        "text",
        parameters,
        hypotheses,
        (Fact(claim, over, where),),
        declares=declares,
    )


@pytest.mark.parametrize("hypotheses", [STEP, WHOLE], ids=["by steps", "as a sum to t - 1"])
@pytest.mark.parametrize(
    "claim",
    [
        LOG.format(n="t", less="/2"),
        "at(b, t) <= at(b, 0) + t - 1",
        "sum(at(a, s), s, 0, t) >= 2*t + 2",
        "at(b, t)*(t - 3)**2 > 0",  # false at one integer alone
    ],
)
def test_a_claim_for_all_integers_is_refuted_at_one(hypotheses, claim):
    found = refuted(about(claim, hypotheses, *T), WORLD)
    assert found.status is Status.REFUTED, found.reason
    assert int(found.witness["t"]) >= 0


@pytest.mark.parametrize("hypotheses", [STEP, WHOLE])
@pytest.mark.parametrize(
    "claim",
    [
        LOG.format(n="t", less=""),
        "at(b, t)*(at(b, t) - 1)*(at(b, t) - 2) >= 0",  # false only between the integers
        "(t - 1/2)**2 >= 1/4",
    ],
)
def test_what_is_true_for_all_integers_is_not_refuted(hypotheses, claim):
    found = refuted(about(claim, hypotheses, *T), WORLD)
    assert found.status is Status.UNDECIDED
    assert found.reason == "no claim is false in the world"


def test_integers_are_tried_in_their_range_alone():
    false_outside = "(t - 3)*(t - 5) <= 0"
    for where, status in ((("3 <= t", "t <= 5"), Status.UNDECIDED), (("3 <= t", "t <= 6"), Status.REFUTED)):
        assert refuted(about(false_outside, STEP, ("t: integer",), where), WORLD).status is status


def test_two_integers_with_ends_that_depend_on_each_other():
    over, where = ("s: integer", "t: integer"), ("s >= 0", "s <= t", "t >= 0")
    assert refuted(about("at(b, s) <= at(b, t)", STEP, over, where), WORLD).status is Status.UNDECIDED
    found = refuted(about("at(b, s) < at(b, t)", STEP, over, where), WORLD)
    assert found.status is Status.REFUTED
    assert found.witness["s"] == found.witness["t"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"b(i)": "2 + i"}, ""),
        ({"b(i)": "1 + 2*i"}, "the hypothesis sums is not shown"),
        ({"b(i)": "1 + i**2"}, "the hypothesis sums is not shown"),
        ({"a(i)": "i"}, "the hypothesis sums is not shown"),
        ({"a(i)": "2*i", "b(i)": "1 + i*(i - 1)"}, ""),
        ({"a(i)": "2**i", "b(i)": "2**i"}, ""),
    ],
)
def test_a_hypothesis_with_a_sum_to_an_open_end_is_shown_only_where_it_holds(change, reason):
    found = refuted(about("at(b, 0) < 0", WHOLE), {**WORLD, **change})
    assert found.status is (Status.UNDECIDED if reason else Status.REFUTED), found.reason
    assert not reason or found.reason == reason


@pytest.mark.parametrize("member", ["w(i)", "ind(i > 2)", "unit(i)"])
def test_terms_by_chance_or_by_cases_have_no_open_sum(member):
    declares = {"a": "integer -> random real", "b": "integer -> random real"}
    found = refuted(about("at(b, 0) < 0", WHOLE, declares=declares), {"a(i)": member, "b(i)": "0"})
    assert found.status is Status.UNDECIDED
    assert "not told" in found.reason or "not shown" in found.reason


def test_a_long_sum_of_numbers_that_differ():
    n = (Parameter("T", "T", ("T >= 1",), True),)
    claim = "sum(at(a, s)/at(b, s + 1), s, 0, T - 1) <= log(at(b, T)/at(b, 0))"
    world = {**WORLD, "T": "3000"}
    assert refuted(about(claim, STEP, parameters=n), world).status is Status.UNDECIDED
    assert refuted(about(claim + "*9/10", STEP, parameters=n), world).status is Status.REFUTED


@pytest.mark.parametrize(
    ("claim", "status"), [("at(b, 0)**2 == 2", "UNDECIDED"), ("1 - at(b, 0)*at(b, 1)/2 != 0", "REFUTED")]
)
def test_an_equation_between_roots_is_told(claim, status):
    hypotheses = {"two": Fact("1 - at(b, 0)*at(b, 1)/2 == 0")}
    assert str(refuted(about(claim, hypotheses), {"b(i)": "sqrt(2)"}).status) == status
