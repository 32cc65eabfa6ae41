"""The radial method: equal in law to the direct estimator, blind to d, and told from its wrong twins."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limits import uniform_rejected
from scipy import stats

from proofs_numeric.checks.places import Setting
from proofs_numeric.exact_in_law import radial
from proofs_numeric.exact_in_law.radial import Axis, coordinate, estimate, norm2_of_sum
from proofs_numeric.model import estimator
from proofs_numeric.model.estimator import raw_weight, repeat
from proofs_numeric.model.noise import CentredPareto, Pareto
from proofs_numeric.model.streams import stream

LEVEL = 1e-9  #: false-alarm probability of each assertion on draws
DRAWS = 8000


def differ(a, b, level=LEVEL):
    """Whether two samples differ in law: P(sup |F_n - G_n| > e) <= 2 exp(-n e^2), n >= 458 (Wei, Dudley 2012)."""
    assert len(a) == len(b) >= 458
    return stats.ks_2samp(a, b, method="asymp").statistic > math.sqrt(math.log(2 / level) / len(a))


def direct(setting, M, tau):
    """(along, across, distance) of the direct estimator; the point lies on the axis e_1."""
    s = setting
    g = estimator.estimate(s.oracle, repeat(s.x, DRAWS), s.mu, M, tau, stream("t", f"direct {s.name} {M}"))
    return g[:, 0], np.linalg.norm(g[:, 1:], axis=1), np.linalg.norm(g - s.smoothed_gradient, axis=1)


def scalars(setting, M, tau):
    """The same from scalars alone."""
    slope = float(setting.smoothed_gradient[0])
    axis = Axis(setting.d, setting.real_law, setting.shape)
    a, b = estimate(axis, np.full(DRAWS, slope), M, tau, stream("t", f"radial {setting.name} {M}"))
    return a, b, np.hypot(a - slope, b)


SETTINGS = [
    Setting(d, p, law, shape)
    for d, p, law, shape in (
        (2, 1.5, "pareto", "axis"),
        (2, 1.2, "pareto", "uniform"),
        (3, 1.5, "onesided", "axis"),
        (3, 2.0, "pareto", "uniform"),
        (10, 1.2, "pareto", "axis"),
        (10, 1.5, "student", "uniform"),
        (100, 1.5, "pareto", "axis"),
        (100, 1.8, "onesided", "uniform"),
    )
]


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.name)
def test_the_law_is_that_of_the_direct_estimator(setting):
    """Along the gradient, across it, and the distance from it; each assertion fails falsely with probability 1e-9."""
    for M in (5, 8):
        for one, two in zip(direct(setting, M, 4 * setting.S), scalars(setting, M, 4 * setting.S), strict=True):
            assert not differ(one, two)


@pytest.mark.parametrize(
    ("d", "name", "wrong"),
    [
        (3, "joined", lambda a, b, k, rng: a + b),
        (3, "joined", lambda a, b, k, rng: right(a, b, k + 1, rng)),
        (10, "joined", lambda a, b, k, rng: np.hypot(a, b)),
        (3, "coordinate", lambda rng, n, k: first(rng, n, k + 1)),
    ],
    ids=["no cross term", "a dimension too many", "squares of squares", "directions of the next dimension"],
)
def test_wrong_twins_are_told_from_it(d, name, wrong, monkeypatch):
    setting = Setting(d, 2.0, shape="uniform")
    one = direct(setting, 8, 4 * setting.S)
    monkeypatch.setattr(radial, name, wrong)
    assert any(differ(a, b) for a, b in zip(one, scalars(setting, 8, 4 * setting.S), strict=True))


right, first = radial.joined, radial.coordinate


def test_one_dimension_is_the_mean_of_clipped_noise():
    setting = Setting(1, 1.2, "onesided")
    for one, two in zip(direct(setting, 5, 4.0), scalars(setting, 5, 4.0), strict=True):
        assert not differ(one, two)
    assert (scalars(setting, 5, 4.0)[1] == 0).all()


@pytest.mark.parametrize("k", [2, 3, 11, 10**6])
def test_the_coordinate_is_that_of_a_unit_vector(k):
    u = coordinate(stream("t", f"coordinate{k}"), 20_000, k)
    assert np.abs(u).max() <= 1
    assert not uniform_rejected(stats.beta.cdf(u**2, 0.5, (k - 1) / 2), LEVEL)
    assert stats.binomtest(int((u > 0).sum()), len(u)).pvalue > LEVEL


@settings(deadline=None, max_examples=30)
@given(B=st.integers(1, 20), k=st.integers(1, 5), seed=st.integers(0, 2**32))
def test_a_sum_is_no_longer_than_its_parts(B, k, seed):
    squares = np.random.default_rng(seed).exponential(size=(7, B)) ** 3
    total = norm2_of_sum(squares.copy(), k, stream("t", "sum", seed=seed))
    parts = np.sqrt(squares)
    longest = 2 * parts.max(axis=1) - parts.sum(axis=1)
    slack = 1e-6 * parts.sum(axis=1)
    assert (np.sqrt(total) <= parts.sum(axis=1) + slack).all()
    assert (np.sqrt(total) >= longest - slack).all()


def test_the_mean_square_is_exact_at_a_million_dimensions():
    """E across^2 = d^2 E[psi(Y)^2 (1 - u_1^2)]/M, in dimensions that no vector of the direct method reaches."""
    d, M, tau = 10**6, 16, 0.02
    axis, slope = Axis(d, Pareto(1.5)), np.full(40_000, 3.0)
    _, across = estimate(axis, slope, M, tau, stream("t", "million"))
    y, u = axis.pairs(slope[:1], 2_000_000, stream("t", "million pairs"))
    each = d**2 * np.clip(y[0], -tau, tau) ** 2 * (1 - u[0] ** 2) / M
    spread = math.sqrt(np.var(across**2) / len(across) + np.var(each) / len(each))
    assert abs(np.mean(across**2) - np.mean(each)) < 6.5 * spread  # a Gaussian limit passes it with probability 8e-11


def test_a_batch_larger_than_a_block_has_the_same_law(monkeypatch):
    setting = Setting(3, 1.5)
    whole = scalars(setting, 20, 4 * setting.S)
    monkeypatch.setattr(radial, "BLOCK", 8)
    pieces = estimate(Axis(3, setting.real_law), np.full(2000, 3.0), 20, 4 * setting.S, stream("t", "pieces"))
    monkeypatch.undo()
    again = estimate(Axis(3, setting.real_law), np.full(2000, 3.0), 20, 4 * setting.S, stream("t", "whole"))
    assert not any(differ(a, b) for a, b in zip(pieces, again, strict=True))
    assert np.isfinite(whole[0]).all()


def test_draws_are_reproducible_and_weights_can_be_exchanged():
    axis, slope = Axis(7, CentredPareto(1.5)), np.ones(50)
    one = estimate(axis, slope, 9, 1.0, stream("t", "again"))
    two = estimate(axis, slope, 9, 1.0, stream("t", "again"))
    raw = estimate(axis, slope, 9, 1.0, stream("t", "again"), raw_weight)
    assert all((a == b).all() for a, b in zip(one, two, strict=True))
    assert (np.hypot(*one) <= 7 * (1 + 1e-12)).all() and np.hypot(*raw).max() > 7


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: Axis(0, Pareto(1.5)), ValueError, "dimension d"),
        (lambda: Axis(3, Pareto(1.5), "sparse"), ValueError, "one of axis, uniform"),
        (lambda: estimate(Axis(3, Pareto(1.5)), np.ones(2), 0, 1.0, stream("t", "bad")), ValueError, "batch size M"),
        (lambda: estimate(Axis(3, Pareto(1.5)), np.ones(2), 1, 0.0, stream("t", "bad")), ValueError, "tau must"),
        (
            lambda: estimate(Axis(3, Pareto(1.5)), np.ones(2, np.float32), 1, 1.0, stream("t", "bad")),
            TypeError,
            "float32",
        ),
        (
            lambda: estimate(Axis(3, Pareto(1.5)), np.array([np.nan]), 1, 1.0, stream("t", "bad")),
            FloatingPointError,
            "NaN",
        ),
    ],
)
def test_bad_arguments_are_named(call, error, said):
    with pytest.raises(error, match=said):
        call()
