"""Double precision: agrees with balls, vectorised, same conventions, silent."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from random_formulas import NAMES, formulas, rationals

from boundcheck.arith import in_balls
from boundcheck.arith.floats import compile_function
from boundcheck.kernel.clock import budget
from boundcheck.kernel.enclosure import points
from boundcheck.kernel.formula import FormulaError, parse


@settings(deadline=None, max_examples=150, derandomize=True)
@given(formulas(6), rationals(), rationals())
def test_doubles_agree_with_balls(e, x, y):
    ball = points.as_arb(in_balls.at_point(e, {"x": x, "y": y}, 96))
    (value,) = compile_function([e], NAMES)([np.array([float(x)]), np.array([float(y)])])
    if ball.is_finite() and np.isfinite(value[0]) and abs(value[0]) < 1e100 and ball.rad() < 1e-10:
        # cancellation may cost digits; a wrong function or convention costs all of them
        size = max(1.0, *(abs(float(points.as_arb(s).mid())) for s in _parts(e, x, y)))
        assert abs(value[0] - float(ball.mid())) <= 1e-6 * size**2 or size > 1e6


def _parts(e, x, y):
    for node in e.walk():
        part = points.as_arb(in_balls.at_point(node, {"x": x, "y": y}, 64))
        if part.is_finite():
            yield part


def test_shapes_and_shared_subexpressions():
    f = compile_function([parse("x+y"), parse("2"), parse("(x+y)**2")], ("x", "y"))
    total, two, square = f([np.arange(3.0)[:, None], np.arange(4.0)])
    assert total.shape == two.shape == square.shape == (3, 4)
    assert np.array_equal(square, total**2)


def test_conventions():
    f = compile_function([parse("x**y"), parse("x**0"), parse("1/x"), parse("loggamma(x)")], ("x", "y"))
    power, unit, inverse, log = f([np.array([0.0, 0.0, -8.0, 2.0]), np.array([0.0, 2.0, 1 / 3, 3.0])])
    assert np.isnan(power[[0, 2]]).all() and power[1] == 0 and power[3] == 8
    assert (unit == 1).all() and np.isnan(inverse[0]) and np.isnan(log[2])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("integral(exp(-t), t, 0, oo)", 1.0),
        ("integral(exp(-t**2), t, -oo, oo)", np.sqrt(np.pi)),
        ("integral(1/sqrt(t), t, 0, 1)", 2.0),
        ("sum(1/k**2, k, 1, oo)", np.pi**2 / 6),
        ("sum(x**k, k, 0, oo)", 2.0),
        ("sum(k, k, 1, 10)", 55.0),
        ("sum(k, k, 1, 0)", 0.0),
    ],
)
def test_integrals_and_sums(text, value):
    (found,) = compile_function([parse(text)], ("x",))([np.array([0.5])])
    assert found[0] == pytest.approx(value, rel=1e-7)


def test_errors():
    with pytest.raises(ValueError, match="not among the variables: y"):
        compile_function([parse("x+y")], ("x",))
    with pytest.raises(FormulaError, match="term of a proof"):
        compile_function([parse("E(x)", proof=True)], ("x",))
    with pytest.raises(ValueError, match="1 arrays"):
        compile_function([parse("x")], ("x",))([])


def test_a_sum_has_no_value_once_the_time_is_over():
    """A sum of sums of sums took minutes of a search of one second; outside of a budget each has its value."""
    total = compile_function([parse("sum(sum(i*k, i, 1, k), k, 1, n)")], ["n"])
    with budget(0.0):
        assert np.isnan(total([np.array([2.0, 3.0])])).all()
    assert total([np.array([2.0, 3.0])])[0].tolist() == [7.0, 25.0]
