"""Projections on a uniform direction and the two-point estimate: closed form, quadrature and simulation agree."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from certified_laws import directional, sphere_laws
from certified_laws.arithmetic import BALLS, FLOATS, to_ball
from certified_laws.scalar_noise import Pareto, ParetoNorm
from certified_laws.two_point import TwoPoint
from flint import arb, ctx
from hypothesis import example, given, settings
from hypothesis import strategies as st
from more_laws import Gaussian, OneSidedPareto, StudentT, noise_clipped_square, noise_excess
from slow import more, thinned

from boundcheck import laws
from boundcheck.laws import UNIT, accurate, piecewise_integral

F = Fraction
EXPONENTS = [F(101, 100), F(3, 2)]


@pytest.mark.parametrize("d", [1, 2, 3, 10, 100])
@pytest.mark.parametrize("p", [*EXPONENTS, 2])
@pytest.mark.parametrize("r", [F(1, 10), F(1, 2), 1, 3])
def test_tail_of_projected_noise_is_closed_form_and_quadrature(d: int, p: Fraction, r: Fraction) -> None:
    closed = accurate(lambda: directional.noise_tail(BALLS, d, p, 1, r))
    integral = TwoPoint(d, 0, Pareto(p, 1)).tail(r)
    assert integral.rad() < 1e-14
    assert (closed - integral).contains(0)
    assert math.isclose(directional.noise_tail(FLOATS, d, float(p), 1.0, float(r)), float(closed), rel_tol=1e-10)


@pytest.mark.parametrize("d", thinned([(1,), (2,), (7,)], 2))
@pytest.mark.parametrize("p", EXPONENTS)
@pytest.mark.parametrize("tau", [F(1, 2), more(3)])
def test_clipped_moments_of_projected_noise(d: int, p: Fraction, tau: Fraction) -> None:
    closed = accurate(lambda: noise_clipped_square(BALLS, d, p, 1, tau))
    integral = TwoPoint(d, 0, Pareto(p, 1)).clipped_square(tau)
    assert integral.rad() < 1e-12
    assert (closed - integral).contains(0)
    # E|Z| = E(|Z| - tau)_+ + E min(|Z|, tau), and d/dtau E(|Z| - tau)_+ = -P(|Z| > tau), by a central difference
    step = F(1, 10**6)
    with ctx.workprec(256):
        up, down = (noise_excess(BALLS, d, p, 1, tau + s) for s in (step, -step))
        slope = float((down - up) / (2 * arb(1) / 10**6))
    if d > 1 or tau != 1:
        assert math.isclose(slope, directional.noise_tail(FLOATS, d, float(p), 1.0, float(tau)), rel_tol=1e-5)


def test_excess_far_out_is_the_power_law() -> None:
    d, p, tau = 5, F(3, 2), 7
    with ctx.workprec(128):
        value = noise_excess(BALLS, d, p, 1, tau)
        power = sphere_laws.moment(BALLS, p, d) * arb(tau) ** (arb(-1) / 2) * 2
        assert (value - power).contains(0)


def test_p_two_is_sent_to_the_quadrature() -> None:
    with pytest.raises(ValueError, match="TwoPoint"):
        noise_clipped_square(FLOATS, 3, 2, 1.0, 2.0)
    near = noise_clipped_square(FLOATS, 3, 1.9999999, 1.0, 2.0)
    assert math.isclose(float(TwoPoint(3, 0, Pareto(2, 1)).clipped_square(2)), near, rel_tol=1e-6)


def test_vanishing_noise_leaves_the_signal() -> None:
    d, g, t = 4, F(3, 2), F(1, 2)
    y = TwoPoint(d, g, Gaussian(F(1, 10**9)), 0)
    assert math.isclose(float(y.tail(t)), directional.signal_tail(FLOATS, d, 1.5, 0.5), rel_tol=1e-6)
    mean, _ = y.clipped_mean(t)
    assert math.isclose(float(mean), directional.clipped_projection(FLOATS, d, 1.5, 0.5), rel_tol=1e-6)
    square = directional.clipped_projection_square(FLOATS, d, 1.5, 0.5)
    assert math.isclose(float(y.clipped_square(t)), square, rel_tol=1e-6)


def test_no_clipping_leaves_the_gradient() -> None:
    # d E[psi_tau(Y) u] -> g as tau grows; the bias is at most d E(|Y| - tau)_+
    d, g = 3, F(1, 2)
    mean, _ = TwoPoint(d, g, Pareto(2, 1)).clipped_mean(10**4)
    assert abs(float(mean) * d - 0.5) < 1e-3
    assert abs(float(mean) * d - 0.5) > 1e-9  # the bias is there, and the quadrature sees it


def sample(law: object, rng: np.random.Generator, n: int) -> np.ndarray:
    if isinstance(law, Pareto):
        return float(law.scale) * np.exp(rng.standard_exponential(n) / float(law.p)) * rng.choice([-1.0, 1.0], n)
    if isinstance(law, OneSidedPareto):
        return float(law.scale) * np.exp(rng.standard_exponential(n) / float(law.p)) - float(law.centre(FLOATS))
    if isinstance(law, StudentT):
        return float(law.scale) * rng.standard_t(float(law.df), n)
    return float(law.scale) * rng.standard_normal(n)  # type: ignore[attr-defined]


CELLS = [
    (1, Pareto(F(3, 2), 1), 1),
    (1, OneSidedPareto(F(3, 2), F(1, 2)), -1),
    (2, Pareto(F(11, 10), 1), 0),
    (2, OneSidedPareto(2, F(1, 2)), F(-3, 5)),
    more(3, StudentT(F(3, 2)), 0),
    (10, Pareto(2, F(1, 2)), 1),
    (10, Gaussian(2), F(3, 5)),
    (100, OneSidedPareto(F(6, 5), 4), 0),
]


@pytest.mark.parametrize(("d", "law", "cosine"), thinned(CELLS, 4), ids=str)
def test_simulated_two_point_estimate_agrees(d: int, law: object, cosine: Fraction) -> None:
    # 8 cells x 4 statistics, two-sided z-tests at false-alarm rate 1e-6 each: |z| < 4.9
    n, tau, g = 100_000, F(1, 2), F(3, 4)
    rng = np.random.default_rng(100 * d + 3)
    u = rng.standard_normal((n, d))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    c = float(cosine)
    across = math.sqrt(1 - c * c) * u[:, 1] if d > 1 else 0.0
    y = float(g) * u[:, 0] + sample(law, rng, n) * (c * u[:, 0] + across)
    clipped = np.clip(y, -float(tau), float(tau))
    exact = TwoPoint(d, g, law, cosine)  # type: ignore[arg-type]
    along, perpendicular = exact.clipped_mean(tau)
    rows = [
        (np.abs(y) > float(tau), exact.tail(tau)),
        (clipped * u[:, 0], along),
        (clipped**2, exact.clipped_square(tau)),
    ]
    if d > 1:
        rows.append((clipped * u[:, 1], perpendicular))
    for values, ball in rows:
        assert ball.rad() < 1e-12
        z = (values.mean() - float(ball)) / (values.std() / math.sqrt(n))
        assert abs(z) < 4.9
    # a broken implementation is seen: the noise left out
    planted = np.abs(float(g) * u[:, 0]) > float(tau)
    z = (planted.mean() - float(rows[0][1])) / (0.5 / math.sqrt(n))
    assert abs(z) > 4.9


@given(
    d=st.sampled_from([1, 2, 3, 17]),
    p=st.fractions(F(21, 20), 2, max_denominator=20),
    sigma=st.fractions(F(1, 4), 4, max_denominator=4),
    g=st.fractions(0, 2, max_denominator=4),
    t=st.fractions(F(1, 4), 6, max_denominator=20),
)
@settings(deadline=None, max_examples=25)
@example(d=1, p=F(3, 2), sigma=F(1), g=F(2), t=F(3))  # at a knot
def test_the_tails_of_the_product_are_the_same(d: int, p: Fraction, sigma: Fraction, g: Fraction, t: Fraction) -> None:
    with ctx.workprec(128):
        exact = [to_ball(v) for v in (p, sigma, g, t)]
        pairs = [
            (laws.aligned_tail(d, *exact[:3], True, exact[3]), TwoPoint(d, g, Pareto(p, sigma)).tail(t)),
            (laws.aligned_tail(d, *exact[:3], False, exact[3]), TwoPoint(d, g, ParetoNorm(p, sigma)).tail(t)),
            (laws.noise_tail(d, exact[0], exact[1], exact[3]), directional.noise_tail(BALLS, d, p, sigma, t)),
        ]
        if g:
            pairs.append((laws.signal_tail(d, exact[2], exact[3]), directional.signal_tail(BALLS, d, g, t)))
        for mine, theirs in pairs:
            assert (mine - theirs).contains(0) and mine.rad() < 1e-14


def test_a_level_that_may_lie_on_either_side_of_a_knot_is_enclosed() -> None:
    """On the line P(|g + X| > t) begins to fall at t = g + sigma."""
    unsure = laws.aligned_tail(1, arb(1.5), arb(1), arb(2), False, arb(3, 0.25))
    for t in (2.75, 3.0, 3.25):
        assert unsure.contains(laws.aligned_tail(1, arb(1.5), arb(1), arb(2), False, arb(t)).mid())
    assert 0.5 < unsure < 1.01


@given(t=st.fractions(F(1, 4), 6, max_denominator=20), g=st.fractions(0, 2, max_denominator=4))
@settings(deadline=None, max_examples=12)
def test_aligned_uncentred_noise_is_the_worst(t: Fraction, g: Fraction) -> None:
    worst = TwoPoint(3, g, ParetoNorm(F(3, 2), 1)).tail(t)
    for cosine in (1, 0, F(-3, 5)):
        assert not TwoPoint(3, g, Pareto(F(3, 2), 1), cosine).tail(t) > worst


@given(scale=st.integers(1, 50), t=st.fractions(F(1, 4), 6, max_denominator=8))
@settings(deadline=None, max_examples=10)
def test_scaling_everything_changes_nothing(scale: int, t: Fraction) -> None:
    one = TwoPoint(2, 1, Pareto(F(3, 2), F(1, 2)), F(3, 5)).tail(t)
    many = TwoPoint(2, scale, Pareto(F(3, 2), F(scale, 2)), F(3, 5)).tail(scale * t)
    assert (one - many).contains(0)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [((0, 1, Pareto(2, 1)), "dimension"), ((3, -1, Pareto(2, 1)), "gradient"), ((3, 1, Pareto(2, 1), 2), "cosine"),
     ((1, 1, Pareto(2, 1), 0), "line")],
)  # fmt: skip
def test_bad_input_names_the_parameter(arguments: tuple[object, ...], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        TwoPoint(*arguments)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="t = 0"):
        TwoPoint(3, 1, Pareto(2, 1)).tail(0)
    with pytest.raises(ValueError, match="tau = -1"):
        TwoPoint(3, 1, Pareto(2, 1)).clipped_square(-1)


def test_a_step_is_integrated_around_its_inexact_knot() -> None:
    with ctx.workprec(128):
        knot = arb(2).sqrt()
        value = piecewise_integral(lambda x: lambda z, _: z * 0 + (1 if x < knot else 0), [knot], arb(0), arb(2), UNIT)
        assert value.overlaps(knot)
        assert value.rad() < 1e-15
