"""Objectives: smoothness, differences without cancellation, exact smoothing, points on the localization boundary."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_numeric.model.objectives import LogCosh, Quadratic, Sinusoid
from proofs_numeric.model.sphere import sphere

KINDS = (Quadratic, LogCosh, Sinusoid)
seeds = st.integers(0, 2**32)


def exact_value(objective, x):
    """f at a point, in mpmath."""
    x = [mpmath.mpf(float(v)) if not isinstance(v, mpmath.mpf) else v for v in x]
    if isinstance(objective, Quadratic):
        return sum(mpmath.mpf(float(c)) * v * v for c, v in zip(objective.curvature, x, strict=True)) / 2
    if isinstance(objective, LogCosh):
        return objective.L * sum(mpmath.log(mpmath.cosh(v)) for v in x)
    return objective.L * sum(1 - mpmath.cos(v) for v in x)


def points(seed, d, n=1, size=2.0):
    return np.random.default_rng(seed).uniform(-size, size, (n, d))


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=25)
@given(seed=seeds, d=st.integers(1, 6), mu=st.sampled_from([1e-12, 1e-8, 1e-3, 0.5, 3.0]))
def test_differences_are_exact(kind, seed, d, mu):
    """Relative error at most 1e-13 of |grad| even where the plain difference has no digit left."""
    objective, x = kind(d, 1.5), points(seed, d)
    u = sphere(np.random.default_rng(seed), 1, d)
    with mpmath.workdps(60):
        step = [mpmath.mpf(float(v)) * mpmath.mpf(mu) for v in u[0]]
        above = exact_value(objective, [mpmath.mpf(float(a)) + s for a, s in zip(x[0], step, strict=True)])
        below = exact_value(objective, [mpmath.mpf(float(a)) - s for a, s in zip(x[0], step, strict=True)])
        wanted = float((above - below) / (2 * mpmath.mpf(mu)))
    found = float(objective.difference(x, mu, u[None])[0, 0])
    size = float(np.linalg.norm(objective.gradient(x))) + objective.L * mu
    assert abs(found - wanted) <= 1e-13 * size * d


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=25)
@given(seed=seeds, d=st.integers(1, 6), L=st.floats(0.01, 100))
def test_smoothness_and_lower_bound(kind, seed, d, L):
    objective, x, y = kind(d, L), points(seed, d), points(seed + 1, d)
    gap = np.linalg.norm(objective.gradient(x) - objective.gradient(y))
    assert gap <= L * np.linalg.norm(x - y) * (1 + 1e-12)
    assert objective.value(x)[0] >= 0
    with mpmath.workdps(30):
        assert objective.value(x)[0] == pytest.approx(float(exact_value(objective, x[0])), rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mu", [0.1, 1.0])
def test_smoothing_agrees_with_quadrature_on_the_circle(kind, mu):
    """d = 2: grad f_mu = d E[D_mu f(x, u) u] by the trapezoidal rule on the circle."""
    objective, x = kind(2, 1.0), np.array([[0.7, -1.1]])
    angle = 2 * np.pi * np.arange(256) / 256
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    slopes = objective.difference(x, mu, circle[None])[0]
    assert np.allclose(objective.smoothed_gradient(x, mu)[0], 2 * (slopes[:, None] * circle).mean(axis=0), atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_in_one_dimension_the_smoothed_gradient_is_the_difference(kind):
    objective, x = kind(1, 2.0), np.array([[0.9]])
    wanted = objective.difference(x, 0.3, np.ones((1, 1, 1)))[0, 0]
    assert objective.smoothed_gradient(x, 0.3)[0, 0] == pytest.approx(wanted, rel=1e-13)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [1, 5, 50])
def test_smoothing_bias(kind, d):
    """||grad f_mu - grad f|| <= L mu (lem:hp-shared-smoothing-bias)."""
    objective, x = kind(d, 3.0), points(7, d)
    bias = np.linalg.norm(objective.smoothed_gradient(x, 0.5) - objective.gradient(x))
    assert bias <= 3.0 * 0.5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [2, 30])
def test_boundary_points_have_the_gap(kind, d):
    objective = kind(d, 2.0)
    assert objective.value(objective.boundary_point(4.0))[0] == pytest.approx(4.0, rel=1e-12)


def test_a_gap_that_is_never_reached_is_refused():
    with pytest.raises(ValueError, match="not reached"):
        Sinusoid(1).boundary_point(4.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("d", "L"), [(0, 1.0), (2, 0.0), (2, math.inf)])
def test_bad_problems_are_refused(kind, d, L):
    with pytest.raises(ValueError, match=r"dimension d|L must be"):
        kind(d, L)


def test_a_quadratic_with_condition_number():
    objective = Quadratic(3, 2.0, condition=4.0)
    assert objective.curvature.tolist() == [2.0, 1.25, 0.5]
    with pytest.raises(ValueError, match="condition"):
        Quadratic(3, condition=0.5)
