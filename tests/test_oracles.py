"""Oracles: the exact difference against plain evaluation."""

from __future__ import annotations

import numpy as np
import pytest
from plain_oracle import PlainOracle

from proofs_numeric.model.estimator import estimate, repeat
from proofs_numeric.model.noise import Noise, Pareto
from proofs_numeric.model.objectives import LogCosh, Quadratic
from proofs_numeric.model.oracles import LinearNoiseOracle
from proofs_numeric.model.sphere import sphere
from proofs_numeric.model.streams import stream

ORACLE = LinearNoiseOracle(LogCosh(3), Noise(Pareto(1.5), "sparse", 3))


def test_the_exact_difference_is_the_difference_of_values():
    x, mu, rng = np.array([[0.4, -0.2, 1.0]]), 0.25, stream("test", "difference")
    u, xi = sphere(rng, 50, 3), ORACLE.draw(rng, 50)
    plain = (ORACLE.value(x + mu * u, xi) - ORACLE.value(x - mu * u, xi)) / (2 * mu)
    assert np.allclose(ORACLE.difference(x, mu, u[None], xi)[0], plain, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("offset", [1.0, -1e6, 1e300])
def test_a_constant_added_to_f_changes_nothing(offset):
    shifted = LinearNoiseOracle(ORACLE.objective, ORACLE.noise, offset)
    x = repeat(np.ones((1, 3)), 5)
    first = estimate(ORACLE, x, 1e-6, 16, 3.0, stream("test", "offset"))
    second = estimate(shifted, x, 1e-6, 16, 3.0, stream("test", "offset"))
    assert first.tolist() == second.tolist()


def test_a_plain_oracle_gives_the_same_estimate():
    """The same problem differenced plainly: equal up to rounding."""
    x = np.full((4, 3), 0.3)

    def value(points, xi):
        return np.log(np.cosh(points)).sum(axis=1) + xi.inner(points)

    mine = PlainOracle(3, value, ORACLE.noise.sample)
    first = estimate(ORACLE, x, 0.1, 8, 3.0, stream("test", "same"))
    assert np.allclose(estimate(mine, x, 0.1, 8, 3.0, stream("test", "same")), first, atol=1e-9)


def test_dimensions_must_agree():
    with pytest.raises(ValueError, match="the noise d = 2"):
        LinearNoiseOracle(Quadratic(3), Noise(Pareto(1.5), "axis", 2))
