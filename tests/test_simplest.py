"""Witnesses in small numbers: the grid, and the putting in of plain coordinates afterwards."""

from __future__ import annotations

from fractions import Fraction

import pytest

from boundcheck.claims import as_claim
from boundcheck.decide.scalar.refute import refute
from boundcheck.decide.scalar.simplest import cost, grid, simpler
from boundcheck.decide.scalar.witness_check import check_witness


def test_small_numbers_cost_less():
    order = ["0", "1", "2", "3", "1/2", "7/3", "1.001", "123457/1000"]
    costs = [cost(Fraction(t)) for t in order]
    assert costs == sorted(costs) and cost(Fraction(-2)) > cost(Fraction(2))


def test_the_grid_keeps_the_bounds_and_starts_with_the_simplest():
    values, at = grid(["x", "y"], lambda n, v: v >= 1 if n == "x" else v < 0, 100)
    points = [{"x": values["x"][i], "y": values["y"][j]} for i, j in at.T]
    assert points[0] == {"x": 1, "y": -1} and len({tuple(p.values()) for p in points}) == 100
    assert all(p["x"] >= 1 and p["y"] < 0 for p in points)
    costs = [sum(map(cost, p.values())) for p in points]
    assert costs == sorted(costs)
    assert not grid(["x"], lambda n, v: False, 100)[1].size


def test_the_grid_stays_small_in_many_variables():
    assert 1 <= grid([f"x{i}" for i in range(30)], lambda n, v: True, 4096)[1].shape[1] <= 4096


def test_coordinates_become_plain_only_where_the_claim_stays_broken():
    def breaks(point):
        return point["x"] > Fraction(5, 2) and point["x"] * point["y"] > 7

    start = {"x": Fraction("2.71828"), "y": Fraction("2.81e34")}
    found = simpler(start, breaks, lambda n: False, lambda: True)
    assert breaks(found) and sum(map(cost, found.values())) < 8
    assert simpler(start, lambda p: p == start, lambda n: False, lambda: True) == start
    assert simpler(start, breaks, lambda n: False, lambda: False) == start


def test_integers_stay_integers():
    found = simpler({"n": Fraction(1000003)}, lambda p: p["n"] > Fraction(7, 2), lambda n: True, lambda: True)
    assert found == {"n": 4}


@pytest.mark.parametrize(
    ("claim", "where", "largest"),
    [
        ("w**p <= w", ["w > 0", "p >= 1"], 2),
        ("a*b <= a**p/p + 0.99*b**(p/(p - 1))*(p - 1)/p", ["a >= 0", "b >= 0", "p > 1"], 2),
        ("x**2 <= y", ["x >= 0", "y >= x"], 3),
        ("exp(x) < 1e300", [], 1000),
        ("x + y + z <= 3", ["x*y*z <= 1", "x > 0", "y > 0", "z > 0"], 4),
    ],
)
def test_a_simple_witness_is_found_where_there_is_one(claim, where, largest):
    asked = as_claim(claim, where)
    witness = refute(asked, 2.0)
    assert witness is not None and check_witness(asked, witness)
    assert all(abs(Fraction(v)) <= largest and Fraction(v).denominator <= 2 for v in witness.values())
