"""Sums in the other order and whole numbers in new names: a formula is defined afterwards only where it was before."""

from __future__ import annotations

import pytest
from sequents import left, rule

from boundcheck.decide import decide
from boundcheck.decide.certificates import make
from boundcheck.kernel.certificate import verify
from boundcheck.kernel.check.sequent import Refused
from boundcheck.kernel.enclosure.straight_line import is_integer_valued
from boundcheck.kernel.formula import parse, parse_relation
from boundcheck.kernel.statement import Claim
from boundcheck.verdict import Status


def _claim(text: str, where: str, integers: str) -> Claim:
    return Claim("c", (parse_relation(text),), (parse_relation(where),), frozenset(integers.split()))


def test_the_terms_of_a_sum_in_the_other_order_are_defined_as_they_stand():
    """The sum of k/k from -n to n has no value: its term 0/0 is the body 1 in no other form."""
    ones = "sum(1, t, -n, n)"
    back = rule("reverse", term="sum(k/k, k, -n, n)", new="t", body="1")
    exists = {**back, "then": [rule("defined", then=[rule("terms", term=ones, new="t")])]}
    closed = rule("closed-form", term=ones, new="t", by="t", then=[rule("identity")] * 2)
    claim = _claim("sum(k/k, k, -n, n) == 2*n + 1", "n >= 0", "n")
    assert not verify(make(claim, [exists, {**back, "then": [closed]}]), claim).valid
    assert left("n >= 0", "defined sum(k/k, k, -n, n)", back, "n")[0].endswith("t <= n |- t != 0 [n t]")


TWO = "sum(k, k, 1, 2)"
AT_2 = {"from": 2, "to": 2}
HALVES = [  # x**(n/2) has no value for x < 0, even where the whole n is 2
    ("x**(n/2)", rule("enumerate", var="n", **AT_2)),
    ("x**(n/2)", rule("induction", var="n", **{"from": "2"})),
    ("x**(n/2)", rule("substitute", var="n", new="t", by="2", inverse="n")),
    ("sum(x**(k/2), k, 2, 2)", rule("unroll", term="sum(x**(k/2), k, 2, 2)", new="t")),
    ("sum(x**(k/2), k, 2, 2)", rule("unroll", term="sum(x**(k/2), k, 2, 2)", new="t", to="1")),
    ("sum(x**(k/2), k, 2, 2)", rule("unroll", term="sum(x**(k/2), k, 2, 2)", new="t", first=True)),
    ("sum(x**(k*n/2), k, 1, 3)", rule("enumerate", var="n", **AT_2)),
    ("k + sum(x**k, k, 1, 3) + x**k", rule("substitute", var="k", new="t", by="2", inverse="k")),
    # nor has x**T for a sum, an integral or an arctangent T, even where T is 2 or 0
    (f"x**({TWO} - 1)", rule("unroll", term=TWO, new="t")),
    (f"x**({TWO} - 1)", rule("unroll", term=TWO, new="t", first=True)),
    (f"x**({TWO}*n)", rule("closed-form", term=TWO, new="t", by="t*(t - 1)/2")),
    (f"sqrt(1 + (x**({TWO} - 1))**2)", rule("unroll", term=TWO, new="t")),
    (f"sum(k, k, 1, 2 + x**{TWO})", rule("unroll", term=TWO, new="t")),
    ("x**integral(0, t, 0, 1)", rule("closed-form", term="integral(0, t, 0, 1)", new="s", by="1")),
    ("x**(1 + atan(tan(1)))", rule("arc", term="atan(tan(1))", **{"is": "1"})),
]  # fmt: skip


@pytest.mark.parametrize(("term", "node"), HALVES)
def test_a_number_in_an_exponent_takes_no_more_bases_than_a_name(term, node):
    where = "x <= -1; n >= 2; n <= 2; k == 2"
    with pytest.raises(Refused, match="whole exponent"):
        left(where, f"defined {term} + {TWO}", node, "n")
    assert left(where, f"{term} + {TWO} >= 0", node, "n")


@pytest.mark.parametrize(
    ("term", "node"),
    [
        ("x**n", rule("enumerate", var="n", **AT_2)),
        ("x**(n + 1)", rule("induction", var="n", **{"from": "2"})),
        ("x**(n + 1)", rule("substitute", var="n", new="t", by="t + 1", inverse="n - 1")),
        ("sum(x**(k + n), k, 2, 2)", rule("enumerate", var="n", **AT_2)),
        ("sum(x**k, k, 2, 2)", rule("unroll", term="sum(x**k, k, 2, 2)", new="t")),
        (f"x**2*{TWO}", rule("unroll", term=TWO, new="t")),
        ("x**2*atan(tan(1))", rule("arc", term="atan(tan(1))", **{"is": "1"})),
    ],
)
def test_a_whole_exponent_stays_whole(term, node):
    assert left("x <= -1; n >= 2; n <= 2", f"defined {term} + {TWO}", node, "n")


def test_a_sum_in_an_exponent_is_no_whole_number():
    """(-1)**(1 + 2), with the sum written out, and 0**0, with the integral known: each has a value only then."""
    out = rule("unroll", term=TWO, new="t", then=[rule("eval")])
    nothing = "integral(0, t, 0, 2)"
    known = rule("closed-form", term=nothing, new="s", by="0", then=[rule("identity"), rule("eval")])
    for text, node in ((f"(-1)**{TWO} <= 0", out), (f"0**{nothing} == 1", known)):
        claim = Claim("c", (parse_relation(text),), (), frozenset())
        assert not verify(make(claim, [node, node]), claim).valid
        assert decide(claim, 1.0).status is Status.UNDECIDED


def test_a_sum_in_an_exponent_of_what_is_positive_is_decided():
    for text, status in (("2**{} == 8", Status.PROVED), ("2**{} == 9", Status.REFUTED)):
        assert decide(Claim("c", (parse_relation(text.format(TWO)),), (), frozenset()), 5.0).status is status
    assert decide(_claim(f"x**({TWO}*n) >= 1", "x >= 1", "n"), 1.0).status is not Status.PROVED  # n may be -1
    assert decide(_claim(f"x**{TWO} == x**3", "x > 0", ""), 5.0).status is Status.PROVED


def test_a_formula_without_a_value_is_not_proved():
    """x**(n/2) with a sum beside it, at n = 2."""
    claim = Claim(
        "c",
        (parse_relation(f"x**(n/2) + {TWO} >= x**(n/2)"),),
        tuple(map(parse_relation, ("x <= -1", "n == 2"))),
        frozenset("n"),
    )
    exists = rule("enumerate", var="n", **AT_2, then=[rule("defined")])
    holds = rule("unroll", term=TWO, new="j", then=[rule("farkas", terms=[{"c": "3"}])])
    assert not verify(make(claim, [exists, holds]), claim).valid
    assert decide(claim, 2.0).status is not Status.PROVED


@pytest.mark.parametrize(
    ("source", "whole"),
    [
        ("floor(x) + 1", True),
        ("2*ceil(x/2) - n", True),
        ("floor(floor(x/3)/2)*n", True),
        ("max(floor(x), n**2)", True),
        ("floor(x)/2", False),
        ("floor(x) + x", False),
        ("floor(x)**n", False),
    ],
)
def test_what_is_whole_by_its_form(source, whole):
    """A sum of whole numbers is one, whatever stands inside of a floor: a whole variable may be put for it, or it."""
    assert is_integer_valued(parse(source), {"n"}) is whole
