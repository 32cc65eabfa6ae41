"""Linear programs against what is known of them, and against SciPy's other door to the same solver."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csc_matrix

from boundcheck.arith.linear_program import least


def test_the_least_cost_is_that_of_linprog():
    rng = np.random.default_rng(20261201)
    for _ in range(40):
        m, n = int(rng.integers(1, 6)), int(rng.integers(6, 14))
        a = rng.integers(-3, 4, (m, n)).astype(float)
        right, cost = a @ rng.integers(0, 3, n), 1 + rng.random(n)
        x = least(cost, csc_matrix(a), right)
        other = linprog(cost, A_eq=a, b_eq=right, bounds=(0, None))
        assert x is not None and x.min() >= -1e-9 and np.abs(a @ x - right).max() < 1e-7
        assert cost @ x == pytest.approx(other.fun, abs=1e-7)
        assert (np.abs(x) > 1e-9).sum() <= m  # a corner: no more columns than rows


@pytest.mark.parametrize("cost, matrix, right", [([1.0], [[1.0]], [-1.0]), ([-1.0, 0.0], [[1.0, -1.0]], [0.0])])
def test_no_point_and_no_least_one(cost, matrix, right):
    assert least(cost, matrix, right) is None


def test_signs_and_sides():
    assert least([1.0], [[1.0]], [-1.0], free=True) == pytest.approx([-1.0])
    assert least([1.0, 1.0], [[1.0, 1.0]], [-1.0], free=[True, False]) == pytest.approx([-1.0, 0.0])
    assert least([-1.0], [[2.0]], [3.0], at_most=True) == pytest.approx([1.5])
    assert least([1.0], [[2.0]], [3.0], at_most=True) == pytest.approx([0.0])
