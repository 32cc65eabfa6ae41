"""Sample points that break a goal: they end the search for its proof, so none may break what is true."""

from __future__ import annotations

import pytest

from boundcheck.decide.scalar.sampling import violation
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.formula import parse_relation


@pytest.mark.parametrize(
    ("goal", "where", "broken"),
    [
        ("x == y", ("x >= 0",), True),
        ("x**2 == x", ("x >= 2",), True),
        ("(x + 1)**2 == x**2 + 2*x + 1", (), False),
        ("(x + 1)**2 == x**2 + 2*x + 1.0001", ("x >= 0", "x <= 1"), True),
        ("exp(log(x)) == x", ("x > 0",), False),
        ("sqrt(x**2 + 1) - 1 == x**2/(sqrt(x**2 + 1) + 1)", (), False),  # rounding breaks it in doubles
        ("integral(t, t, 0, x) == x**2/2", ("x > 0", "x < 9"), False),
        ("integral(t, t, 0, x) == x**2", ("x > 1", "x < 9"), True),
        ("x != y", ("x >= 0",), True),  # on the diagonal
        ("x != x + 1", (), False),
        ("x <= y", ("x >= 1", "y <= 0"), True),
    ],
)
def test_a_point_breaks_what_is_false_and_nothing_else(goal, where, broken):
    sequent = Sequent(tuple(map(parse_relation, where)), parse_relation(goal))
    at = violation(sequent)
    assert (at is not None) is broken
    if at is not None:
        assert set(at) == set(sequent.variables)
