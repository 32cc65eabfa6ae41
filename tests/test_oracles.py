"""Oracles: the exact difference against plain evaluation, and one clear error for whatever a user's function does."""

from __future__ import annotations

import numpy as np
import pytest

from proofs_numeric.model.estimator import estimate, repeat
from proofs_numeric.model.noise import Noise, Pareto
from proofs_numeric.model.objectives import LogCosh, Quadratic
from proofs_numeric.model.oracles import LinearNoiseOracle, OracleError, UserOracle
from proofs_numeric.model.sphere import sphere
from proofs_numeric.model.streams import stream

ORACLE = LinearNoiseOracle(LogCosh(3), Noise(Pareto(1.5), "sparse", 3))


def user(function, sampler=lambda rng, n: None, d=3):
    return UserOracle(d, function, sampler)


def call(oracle):
    return estimate(oracle, np.ones((2, 3)), 0.1, 4, 5.0, stream("test", "user"))


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


def test_a_good_user_oracle_gives_the_same_estimate():
    """The same problem written by a user, differenced plainly: equal up to rounding."""
    x = np.full((4, 3), 0.3)

    def value(points, xi):
        return np.log(np.cosh(points)).sum(axis=1) + xi.inner(points)

    mine = UserOracle(3, value, ORACLE.noise.sample)
    first = estimate(ORACLE, x, 0.1, 8, 3.0, stream("test", "same"))
    assert np.allclose(estimate(mine, x, 0.1, 8, 3.0, stream("test", "same")), first, atol=1e-9)


def raises(points, xi):
    raise KeyError("weights")


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda x, xi: np.full(len(x), np.nan), r"returned nan at 8 of 8 points"),
        (lambda x, xi: np.where(np.arange(len(x)) == 3, np.inf, 0.0), r"returned inf at 1 of 8 points"),
        (raises, r"raised KeyError: 'weights'"),
        (lambda x, xi: np.zeros((len(x), 1)), r"returned shape \(8, 1\) for 8 points; \(8,\) is wanted"),
        (lambda x, xi: 0.0, r"returned shape \(\) for 8 points"),
        (lambda x, xi: None, r"returned NoneType, not an array of real numbers"),
        (lambda x, xi: ["a"] * len(x), r"returned list, not an array of real numbers"),
        (lambda x, xi: np.zeros(len(x), dtype=complex), r"not an array of real numbers"),
        (lambda x, xi: np.zeros(len(x), dtype=np.float32), r"returned float32; float64 is needed"),
    ],
)
def test_what_came_back_is_named(function, said):
    with pytest.raises(OracleError, match=said) as caught:
        call(user(function))
    assert "\n" not in str(caught.value)


def test_a_raising_sampler_is_named():
    def sampler(rng, n):
        raise OSError("no data")

    with pytest.raises(OracleError, match="sampler raised OSError: no data"):
        call(user(lambda x, xi: np.zeros(len(x)), sampler))


def test_dimensions_must_agree():
    with pytest.raises(ValueError, match="the noise d = 2"):
        LinearNoiseOracle(Quadratic(3), Noise(Pareto(1.5), "axis", 2))
    with pytest.raises(ValueError, match="dimension d"):
        user(lambda x, xi: x, d=0)
