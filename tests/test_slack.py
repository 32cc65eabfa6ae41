"""Slack brackets: rigorous, at least four digits, 1 where an inequality is attained."""

from __future__ import annotations

import math
import sys
from fractions import Fraction

import pytest
from flint import ctx

from boundcheck.app.commands.check_jobs import decide_claim
from boundcheck.decide import slack_bracket
from boundcheck.decide.scalar import slack
from boundcheck.decide.scalar.slack import _candidates, _down, _exact_ratio, _ratio_at, _up
from boundcheck.kernel.certificate import PRECISION, sequents
from boundcheck.kernel.formula import num, parse
from boundcheck.kernel.statement import Claim
from boundcheck.verdict import Status

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


def test_ends_are_rounded_outward():
    third = Fraction(1, 3)
    assert Fraction(_down(third)) < third < Fraction(_up(third))
    assert _up(third) == math.nextafter(_down(third), 1)
    assert Fraction(_down(-third)) < -third < Fraction(_up(-third))
    assert _down(Fraction(1, 2)) == _up(Fraction(1, 2)) == 0.5
    beyond = 1 + Fraction(3, 2**54)  # its nearest double lies above
    assert _down(beyond) == 1 and _up(beyond) == math.nextafter(1, 2)


def test_ratios_tried_are_at_most_the_one_that_is_met():
    for top in (
        Fraction(1),
        Fraction(33, 32),
        Fraction(10**9 + 7, 10**9),
        Fraction(314159265358979, 10**14),
        Fraction(10**20, 3),
    ):
        exact, loose = _candidates(top, True), _candidates(top, False)
        assert exact[0] == top and all(0 < r <= top for r in (*exact, *loose))
        assert loose[0] >= top * (1 - Fraction(1, 10**8))
        assert loose[-1] <= top / 2
    assert _candidates(Fraction(10**9 + 7, 10**9), False)[0] == 1  # a simple fraction just below
    assert _candidates(1 - Fraction(1, 10**9), False)[0] < 1  # but none above


@pytest.mark.parametrize(
    ("true", "claimed", "point", "ratio"),
    [
        ("x", "3*x", {"x": 2}, 3),
        ("x", "-3*x", {"x": 2}, -3),
        ("-x", "3*x", {"x": 2}, None),
        ("x - 2", "3*x", {"x": 2}, None),
        ("x", "1/(x - 2)", {"x": 2}, None),
        ("x", "3*x", {"x": 7}, None),  # outside of the domain
        ("sqrt(2)*x", "sqrt(8)*x", {"x": 2}, 2),
    ],
)
def test_the_ratio_at_a_point(true, claimed, point, ratio):
    with ctx.workprec(PRECISION):
        (seq,) = sequents(Claim.read(f"{true} <= {claimed}", ["x >= 1", "x <= 5"]))
        at = {v: Fraction(x) for v, x in point.items()}
        found = _ratio_at(seq, parse(true), parse(claimed), at)
        if ratio is None:
            assert found is None
            return
        assert found >= ratio and found - ratio < Fraction(1, 10**20)
        assert _exact_ratio(seq, parse(true), parse(claimed), at, found) == ratio
        assert _exact_ratio(seq, parse(true), parse(claimed) + num(1), at, found) is None
        assert _exact_ratio(seq, parse(true), parse(claimed), at, found + Fraction(1, 10**6)) is None
        # the third is near but not exact: the ratio stays open
        off = num(1 + Fraction(1, 10**13)) * parse(claimed)
        assert _exact_ratio(seq, parse(true), off, at, Fraction(ratio) * (1 + Fraction(1, 10**13))) is None


@pytest.mark.parametrize(
    ("claim", "bracket"),
    [("2 <= 3", (1.5, 1.5)), ("3 >= 2", (1.5, 1.5)), ("0 <= 3", (None, None)), ("-1 <= 3", (None, None)),
    ("2 <= 1/0", (None, None)),
     ("2 == 2", (None, None)), ("1 < 2 <= 4", (None, None)), ("2 < -3", (-1.5, -1.5))],
)  # fmt: skip
def test_constants(claim, bracket):
    assert slack_bracket(Claim.read(claim), 1) == bracket


@pytest.mark.parametrize("claimed", ["1", "-1"])
def test_a_bracket_of_constants_holds_the_ratio_where_rounding_shows(claimed):
    pi = "(1e20 + pi) - 1e20"  # ten digits of pi are left
    low, high = slack_bracket(Claim.read(f"{pi} <= {claimed}"), 1)
    assert low < float(claimed) / math.pi < high and high - low < 1e-6


BEYOND = [([], "exp(-800) <= 1"), ([], "1 < gamma(200)"), ([], "exp(-exp(20)) <= 1"), (["x >= 1"], "x <= x*exp(1000)")]


@pytest.mark.parametrize(("where", "claim"), BEYOND)
def test_a_slack_beyond_doubles_costs_no_answer(where, claim):
    verdict = decide_claim(Claim.read(claim, where), 2, False)
    assert verdict.status is Status.PROVED
    assert verdict.slack is None or (verdict.slack[0] == sys.float_info.max and verdict.slack[1] is None)


def test_ends_beyond_doubles_are_told_on_the_safe_side():
    large = Fraction(10) ** 400
    assert (_down(large), _up(large)) == (sys.float_info.max, None)
    assert (_down(-large), _up(-large)) == (-math.inf, -sys.float_info.max)
    assert (_down(1 / large), _up(1 / large)) == (0.0, math.nextafter(0, 1))


def test_a_slack_that_fails_is_no_slack(monkeypatch):
    def fails(*_):
        raise OverflowError

    monkeypatch.setattr(slack, "bracket", fails)
    assert slack_bracket(Claim.read("x <= x + 1", ["x >= 1"]), 1) == (None, None)
