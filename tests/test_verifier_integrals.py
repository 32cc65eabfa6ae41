"""Integrals and sums of the verifier: forged proofs by wrong enclosures, and the rules of growth near an end."""

from __future__ import annotations

import pytest

from boundcheck.decide.certificates import make
from boundcheck.kernel.certificate import verify
from boundcheck.kernel.formula import parse_relation
from boundcheck.kernel.statement import Claim


def proved_by_its_box(goal: str, where: str = "") -> bool:
    """Whether the verifier takes the enclosure of both sides as a proof."""
    claim = Claim("forged", (parse_relation(goal),), tuple(parse_relation(w) for w in where.split("; ") if w))
    return verify(make(claim, [{"rule": "eval"}])).valid


@pytest.mark.parametrize("low", ["1/10", "1/8"])
def test_powers_are_compared_for_scales_of_at_least_one(low):
    """What is cut off at 0, up to t = 10**5, was bounded by a power that is larger for t < 1 only."""
    goal = "integral(t**(-p)/1000, t, 0, 10**6) <= {}"
    assert not proved_by_its_box(goal.format(260 if low == "1/10" else 190), f"p >= {low}; p <= 1 - {low}")  # 279; 203
    assert proved_by_its_box(goal.format("10**6"), f"p >= {low}; p <= 1 - {low}")


@pytest.mark.parametrize("body", ["exp(-100*(k - 1/2)**2)", "1/(1 + 100*(k - 1/2)**2)"])
def test_a_long_sum_that_ends_before_its_tail_begins(body):
    """The remainder was bounded from 257 on, and the terms from -4 to 256 taken away by the formula that it bounds."""
    assert not proved_by_its_box(f"sum({body}, k, -20005, -5) <= -1/10")
    assert proved_by_its_box(f"sum({body}, k, -19000, -5) >= 0")
