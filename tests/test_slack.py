"""Slack brackets: rigorous, at least four digits, 1 where an inequality is attained."""

from __future__ import annotations

import math

import pytest

from boundcheck.decide import slack_bracket
from boundcheck.statement import Claim

KNOWN = [
    ([], "8**(3/2) <= 23", 23 / 8**1.5),
    ([], "23*(1 + sqrt(2))*sqrt(1 + log(8)) <= 98", 98 / (23 * (1 + math.sqrt(2)) * math.sqrt(1 + math.log(8)))),
    ([], "64/3 <= 22", 33 / 32),
    (["1 < p", "p <= 2", "y >= 1"], "1 + log(8*y**(1/p)) <= (1 + log(8))*(1 + log(y))", 1.0),
    (["x >= 1"], "1 + sqrt(2*x) <= (1 + sqrt(2))*sqrt(x)", 1.0),
    (["x >= 0"], "1.1*exp(x) >= 1 + x", 1.1),
    (["0 < x < 1"], "x <= 2*x + x**2", 2.0),
    (["x > 0", "y > 0"], "x*y <= x**2 + y**2", 2.0),
]


@pytest.mark.parametrize(("where", "claim", "value"), KNOWN)
def test_brackets_hold_the_value_to_four_digits(where, claim, value):
    low, high = slack_bracket(Claim.read(claim, where), 4)
    assert low <= value * (1 + 1e-15) and value * (1 - 1e-15) <= high
    assert high - low <= 1e-4 * high


def test_sharp_means_exactly_one():
    assert slack_bracket(Claim.read("1 + sqrt(2*x) <= (1 + sqrt(2))*sqrt(x)", ["x >= 1"]), 4) == (1.0, 1.0)


def test_a_looser_twin_shows_in_the_bracket():
    low, _ = slack_bracket(Claim.read("1 + sqrt(2*x) <= 1.01*(1 + sqrt(2))*sqrt(x)", ["x >= 1"]), 4)
    assert 1.0099 < low <= 1.01


@pytest.mark.parametrize(
    ("where", "claim"),
    [(["x >= 0"], "x == x"), ([], "x <= x + 1"), (["x > 1", "x < 1"], "x <= 2*x"), (["x >= 0"], "x <= 2*x")],
)
def test_nothing_is_said_where_the_true_side_may_vanish(where, claim):
    assert slack_bracket(Claim.read(claim, where), 0.5) == (None, None)
