"""Directions are uniform: their first coordinate, their second moments, and the line as a special case."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limits import betting_limits, uniform_rejected
from scipy import stats

from proofs_numeric.checks.mutants import RECIPES
from proofs_numeric.model.sphere import check_float64, sphere
from proofs_numeric.model.streams import stream

LEVEL = 1e-9  #: false-alarm probability of each assertion on draws


@settings(deadline=None, max_examples=20)
@given(d=st.integers(1, 50), seed=st.integers(0, 2**32))
def test_directions_have_norm_one(d, seed):
    u = sphere(stream("test", "sphere", seed=seed), 200, d)
    assert u.shape == (200, d)
    assert np.allclose(np.linalg.norm(u, axis=1), 1, rtol=0, atol=1e-14)


@pytest.mark.parametrize("d", [2, 3, 10, 100])
def test_the_square_of_a_coordinate_is_beta(d):
    """u_1^2 ~ Beta(1/2, (d-1)/2); rejected falsely with probability 1e-9."""
    u = sphere(stream("test", f"beta{d}"), 20_000, d)
    assert not uniform_rejected(stats.beta.cdf(u[:, -1] ** 2, 0.5, (d - 1) / 2), LEVEL)


def test_the_cube_is_told_from_the_sphere():
    u = RECIPES["u from the cube"].directions(stream("test", "cube"), 20_000, 3)
    assert uniform_rejected(stats.beta.cdf(u[:, 0] ** 2, 0.5, 1.0), LEVEL)


@pytest.mark.parametrize("d", [1, 3, 20])
def test_d_times_the_projection_gives_the_vector_back(d):
    """d E[<g, u> u] = g along g and across it; each limit misses with probability 1e-9."""
    u = sphere(stream("test", f"moment{d}"), 20_000, d)
    low, high = betting_limits(u[:, 0] ** 2, LEVEL)
    assert low <= 1 / d <= high
    if d > 1:
        low, high = betting_limits((1 + u[:, 0] * u[:, 1] * 2) / 2, LEVEL)
        assert low <= 0.5 <= high


def test_the_line_has_fair_signs():
    u = sphere(stream("test", "line"), 20_000, 1)
    assert set(np.unique(u)) == {-1.0, 1.0}
    low, high = betting_limits((u[:, 0] + 1) / 2, LEVEL)
    assert low <= 0.5 <= high


class _ZeroFirst:
    """A generator whose first normals are all zero."""

    def __init__(self):
        self.real, self.first = np.random.default_rng(1), True

    def standard_normal(self, shape=None, out=None):
        drawn = self.real.standard_normal(shape, out=out)
        if self.first:
            self.first = False
            drawn[0] = 0.0
        return drawn


def test_a_zero_norm_is_drawn_again():
    assert np.isfinite(sphere(_ZeroFirst(), 4, 3)).all()


@pytest.mark.parametrize("d", [0, -1, 1.5, True, "3"])
def test_bad_dimensions_are_refused(d):
    with pytest.raises(ValueError, match="dimension d"):
        sphere(np.random.default_rng(0), 1, d)


def test_single_precision_is_refused():
    with pytest.raises(TypeError, match="float32"):
        check_float64(np.zeros(3, dtype=np.float32), "x")
