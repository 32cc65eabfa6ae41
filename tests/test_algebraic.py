"""Closed formulas that are exactly 0, and the precision ladder: each with a twin that is a little off."""

from __future__ import annotations

import pytest
from flint import ctx
from sequents import rule, sequent
from slow import more

from boundcheck.decide import decide
from boundcheck.kernel.check.algebraic import is_zero
from boundcheck.kernel.check.refine import MAX_BITS, refine
from boundcheck.kernel.check.sequent import Refused
from boundcheck.kernel.formula import parse
from boundcheck.kernel.statement import Claim
from boundcheck.verdict import Status

ZEROS = [
    "sqrt(2) + sqrt(3) - sqrt(5 + 2*sqrt(6))",
    "(2 + sqrt(5))**(1/3) - (sqrt(5) - 2)**(1/3) - 1",
    "(7 + 5*sqrt(2))**(1/3) + 1/(7 + 5*sqrt(2))**(1/3) - 2*sqrt(2)",
    "sqrt(16 - 2*sqrt(29) + 2*sqrt(55 - 10*sqrt(29))) - sqrt(22 + 2*sqrt(5)) + sqrt(11 + 2*sqrt(29)) - sqrt(5)",
    "tan(3*pi/11) + 4*sin(2*pi/11) - sqrt(11)",
    "cos(pi/7)*cos(2*pi/7)*cos(3*pi/7) - 1/8",
    "sin(pi/10) - (sqrt(5) - 1)/4",
    "4*atan(1/5) - atan(1/239) - pi/4",
    "atan(1) + atan(2) + atan(3) - pi",
    "2*asin(1/sqrt(3)) - acos(1/3)",
    "cos(63*atan(2/3) + 63*atan(3/2))",
    "log(2 + sqrt(3)) + log(2 - sqrt(3))",
    "2*log(1 + sqrt(2)) - log(3 + 2*sqrt(2))",
]


@pytest.mark.parametrize("text", ZEROS)
def test_a_zero_is_seen_and_what_is_a_little_off_is_not(text):
    assert is_zero(parse(text))
    for off in ("1e-12", "1e-60", "pi/10**9"):
        assert not is_zero(parse(f"{text} + {off}"))


@pytest.mark.parametrize(
    "text",
    [
        "x - x",  # no closed formula
        "sqrt(-1) - sqrt(-1)",  # undefined
        "1/(sqrt(2) - sqrt(2)) - 1/(sqrt(2) - sqrt(2))",
        "atan(1) + atan(2) + atan(3)",  # a multiple of pi, but not 0
        "atan(1/2) + atan(1/3) - 5*pi/4",
        "log(sqrt(2) - 2) - log(sqrt(2) - 2)",
        "asin(2) - asin(2)",
        "exp(1) - E",  # transcendental: left to other tests
    ],
)
def test_what_is_undefined_or_of_another_kind_is_no_zero(text):
    assert not is_zero(parse(text))


LADDER = [
    ("exp(1e-40) > 1", "exp(1e-40) > 1 + 1.01e-40"),
    ("erf(10) < 1", "erf(10) < 1 - 2.1e-45"),
    ("exp(pi*sqrt(163)) < 640320**3 + 744", "exp(pi*sqrt(163)) < 640320**3 + 743.9999999999992"),
    ("exp(pi*sqrt(163)) != 640320**3 + 744", "exp(pi*sqrt(163)) > 640320**3 + 744"),
    ("floor(exp(pi*sqrt(163))) == 640320**3 + 743", "floor(exp(pi*sqrt(163))) == 640320**3 + 744"),
    ("log(1 - exp(-1e-300)) <= -690.775", "log(1 - exp(-1e-300)) <= -690.776"),
    ("sqrt(2) + sqrt(3) == sqrt(5 + 2*sqrt(6))", "sqrt(2) + sqrt(3) < sqrt(5 + 2*sqrt(6))"),
]


@pytest.mark.parametrize(("true", "false"), LADDER)
def test_claims_without_variables_are_decided_both_ways(true, false):
    assert decide(Claim.read(true), 5).status is Status.PROVED
    assert decide(Claim.read(false), 5).status is Status.REFUTED


def test_a_variable_that_is_pinned_is_one_point():
    assert decide(Claim.read("x > 3", ["x == sqrt(9) + 1e-60"]), 5).status is Status.PROVED
    assert decide(Claim.read("floor(x) == 2", ["x == 3 - 1e-90"]), 5).status is Status.PROVED


def test_the_certificate_names_its_bits_and_the_kernel_holds_it_to_them():
    with ctx.workprec(96):
        goal = sequent("", "exp(1e-40) > 1")
        assert refine(rule("eval", bits=256), goal) == []
        for node in (rule("eval"), rule("eval", bits=64)):
            with pytest.raises(Refused, match="does not settle"):
                refine(node, goal)
        for bits in (MAX_BITS + 1, 0, "256", True, 96.0):
            with pytest.raises(Refused, match="bits"):
                refine(rule("eval", bits=bits), goal)
        with pytest.raises(Refused, match="does not settle"):
            refine(rule("eval", bits=256), sequent("", "exp(1e-40) > 1 + 1.01e-40"))


BRANCHES = [
    ("asin(sin(x)) == x", "-pi/2 <= x <= pi/2", "-pi/2 <= x <= 1.58"),
    more("acos(cos(x)) == x", "0 <= x <= pi", "-1/100 <= x <= pi"),
    ("atan(tan(x)) == x", "-1 <= x <= 1", "-2 <= x <= -1.6"),
    ("atan(x) + atan(1/x) == pi/2", "x > 0", "x < 0"),
    ("sin(acos(x)) == sqrt(1 - x**2)", "-1 <= x <= 1", None),
    ("cos(atan(x)) == 1/sqrt(1 + x**2)", "x >= 0", None),
    ("asin(x) == atan(x/sqrt(1 - x**2))", "-1 < x < 1", None),
]


@pytest.mark.parametrize(("claim", "where", "beyond"), BRANCHES)
def test_inverse_trigonometry_on_its_branch(claim, where, beyond):
    assert decide(Claim.read(claim, [where]), 5).status is Status.PROVED
    if beyond is not None:
        assert decide(Claim.read(claim, [beyond]), 5).status is Status.REFUTED
    off = claim.replace("==", "== 1/10**6 +")
    assert decide(Claim.read(off, [where]), 5).status is Status.REFUTED
