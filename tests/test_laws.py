"""Laws of the sphere and of scalar noise: closed forms against quadrature, each other, and simulation."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from certified_laws import sphere_laws
from certified_laws.arithmetic import BALLS, FLOATS, to_ball
from certified_laws.scalar_noise import Pareto, ParetoNorm
from flint import acb, arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from more_laws import Gaussian, OneSidedPareto, StudentT, cdf
from scipy import special, stats
from weak_laws import weak_constant

from boundcheck.laws import accurate

F = Fraction
LAWS = [
    Pareto(F(3, 2), 2),
    Pareto(F(11, 10)),
    Pareto(2, 1),  # the density |z|^-3 of prop:p2-infinite-variance
    ParetoNorm(F(6, 5), F(1, 2)),
    OneSidedPareto(F(3, 2)),
    OneSidedPareto(2, F(1, 2)),
    OneSidedPareto(F(11, 10)),
    StudentT(F(3, 2), 2),
    StudentT(2),
    StudentT(F(5, 2)),
    Gaussian(2),
]
BIG = 10.0**80


def identifier(law: object) -> str:
    return repr(law)


def holds(ball: arb, value: float, relative: float = 1e-11) -> bool:
    """Whether the ball is tight and agrees with a float of that relative accuracy."""
    assert ball.is_finite() and ball.rad() < 1e-15 * max(1.0, abs(value))
    return math.isclose(float(ball), value, rel_tol=relative, abs_tol=1e-300)


# ---------------------------------------------------------------- the sphere


@pytest.mark.parametrize("d", [2, 3, 4, 10, 1000])
@pytest.mark.parametrize("q", [F(-1, 2), 1, F(3, 2), 2, 4])
def test_moments_of_a_coordinate_agree_with_quadrature(d: int, q: Fraction) -> None:
    with mpmath.workdps(30):
        # U_1 = cos(angle) with density proportional to sin^(d-2)
        cuts = [0, mpmath.pi / 4, mpmath.pi / 2 - 5 / mpmath.sqrt(d + 10), mpmath.pi / 2]
        weight = mpmath.quad(lambda a: mpmath.sin(a) ** (d - 2), cuts)
        value = mpmath.quad(lambda a: mpmath.cos(a) ** float(q) * mpmath.sin(a) ** (d - 2), cuts) / weight
    assert holds(accurate(lambda: sphere_laws.moment(BALLS, q, d)), float(value), 1e-9)
    assert math.isclose(sphere_laws.moment(FLOATS, q, d), float(value), rel_tol=1e-9)


def test_the_line_is_a_random_sign() -> None:
    for q in (F(-1, 2), 1, F(3, 2), 2):
        assert accurate(lambda q=q: sphere_laws.moment(BALLS, q, 1) - 1, bits=0).contains(0)
    assert sphere_laws.tail(BALLS, F(999, 1000), 1) == 1
    assert sphere_laws.tail(BALLS, 1, 1) == 0
    assert list(cdf(FLOATS, [-1.5, -1, 0, 1], 1)) == [0, 0.5, 0.5, 1]


@pytest.mark.parametrize("d", [0, -1, 1.5])
def test_a_dimension_is_a_positive_integer(d: float) -> None:
    with pytest.raises(ValueError, match="integer >= 1"):
        sphere_laws.moment(FLOATS, 1, d)


@given(d=st.integers(2, 10**6), spread=st.fractions(0, 6, max_denominator=100))
@settings(deadline=None, max_examples=60)
def test_square_of_a_coordinate_is_beta(d: int, spread: Fraction) -> None:
    c = min(F(1), spread / math.isqrt(d))
    reference = float(stats.beta.sf(float(c) ** 2, 0.5, (d - 1) / 2))
    ball = accurate(lambda: sphere_laws.tail(BALLS, c, d))
    assert ball >= 0 and ball <= 1
    assert math.isclose(float(ball), reference, rel_tol=1e-7, abs_tol=1e-300)
    assert math.isclose(float(sphere_laws.tail(FLOATS, float(c), d)), reference, rel_tol=1e-9, abs_tol=1e-300)
    split = accurate(
        lambda: sphere_laws.moment_below(BALLS, 2, d, c) + sphere_laws.moment_above(BALLS, 2, d, c), bits=40
    )
    assert (split * d - 1).contains(0)


def _density(x: mpmath.mpf, d: int) -> mpmath.mpf:
    """Of U_1 at |x| < 1: Gamma(d/2)/(sqrt(pi) Gamma((d-1)/2)) (1 - x^2)^((d-3)/2)."""
    return (
        mpmath.gammaprod([mpmath.mpf(d) / 2], [mpmath.mpf(d - 1) / 2])
        / mpmath.sqrt(mpmath.pi)
        * (1 - x * x) ** (mpmath.mpf(d - 3) / 2)
    )


def test_density_integrates_to_the_distribution_function() -> None:
    for d in (3, 4, 7):
        with mpmath.workdps(20):
            area = mpmath.quad(lambda x, d=d: _density(x, d), [-0.9, 0.3])
        assert math.isclose(cdf(FLOATS, 0.3, d) - cdf(FLOATS, -0.9, d), float(area), rel_tol=1e-10)


def test_sampled_directions_follow_the_law_and_planted_ones_do_not() -> None:
    # Kolmogorov-Smirnov at false-alarm rate 1e-6 (one seeded test per d); the cube's direction is caught.
    rng = np.random.default_rng(20240513)
    n, d = 20_000, 3
    normal, cube = rng.standard_normal((n, d)), rng.uniform(-1, 1, (n, d))

    def p_value(x: np.ndarray) -> float:
        unit = x / np.linalg.norm(x, axis=1, keepdims=True)
        return float(stats.kstest(unit[:, 0], lambda y: cdf(FLOATS, y, d)).pvalue)

    assert p_value(normal) > 1e-6
    assert p_value(cube) < 1e-6


# ---------------------------------------------------------------- two arithmetics


@given(
    a=st.fractions(F(1, 2), 40, max_denominator=4),
    b=st.fractions(F(1, 2), 40, max_denominator=4),
    x=st.fractions(0, 1, max_denominator=500),
)
@settings(deadline=None, max_examples=80)
def test_incomplete_beta_in_balls(a: Fraction, b: Fraction, x: Fraction) -> None:
    lower = accurate(lambda: BALLS.beta_lower(a, b, x))
    upper = accurate(lambda: BALLS.beta_upper(a, b, x))
    assert (lower + upper - 1).contains(0)
    assert math.isclose(float(lower), special.betainc(float(a), float(b), float(x)), rel_tol=1e-8, abs_tol=1e-300)
    wide = BALLS.beta_lower(a, b, to_ball(x).union(to_ball(x) + arb("0.01")))
    assert wide.contains(BALLS.beta_lower(a, b, x).mid()) and wide > -1e-8 and wide < 1 + 1e-8


def test_precision_is_restored_after_an_error() -> None:
    before = ctx.prec
    with pytest.raises(RuntimeError), ctx.workprec(300):
        raise RuntimeError
    assert ctx.prec == before


# ---------------------------------------------------------------- scalar noise


def tail_number(law: object, t: mpmath.mpf) -> mpmath.mpf:
    return mpmath.mpf(float(law.tail(FLOATS, float(t))))  # type: ignore[attr-defined]


@pytest.mark.parametrize("law", LAWS, ids=identifier)
@pytest.mark.parametrize("tau", [F(1, 2), F(3, 2), 3, 50])
def test_clipped_moments_agree_with_their_layer_cakes(law: object, tau: Fraction) -> None:
    edges = [abs(float(k)) for k in law.knots()]  # type: ignore[attr-defined]
    below = sorted({0.0, float(tau), *(e for e in edges if e < tau)})
    above = sorted({float(tau), *(e for e in edges if e > tau)})
    square = mpmath.quad(lambda t: 2 * t * tail_number(law, t), below)
    start = above[-1]
    excess = mpmath.quad(lambda t: tail_number(law, t), above) if len(above) > 1 else mpmath.mpf(0)
    # beyond the last edge t = start e^s; the tail there falls like t^-p, so s up to 300 leaves less than 1e-13 of it
    excess += mpmath.quad(
        lambda s: tail_number(law, start * mpmath.e**s) * start * mpmath.e**s,
        [0, 0.003, 0.01, 0.1, 1, 4, 12, 40, 120, 300],
    )
    with ctx.workprec(160):
        assert holds(law.excess(BALLS, tau), float(excess), 1e-7)  # type: ignore[attr-defined]
        assert holds(law.clipped_square(BALLS, tau), float(square), 1e-9)  # type: ignore[attr-defined]
        value = float(law.tail(BALLS, tau))  # type: ignore[attr-defined]
    assert math.isclose(law.tail(FLOATS, float(tau)), value, rel_tol=1e-12)  # type: ignore[attr-defined]
    assert math.isclose(law.excess(FLOATS, float(tau)), float(excess), rel_tol=1e-7)  # type: ignore[attr-defined]
    assert math.isclose(law.clipped_square(FLOATS, float(tau)), float(square), rel_tol=1e-9)  # type: ignore[attr-defined]


@pytest.mark.parametrize("p", [F(19999, 10000), 2, F(20001, 10000)])
def test_no_jump_at_p_two(p: Fraction) -> None:
    near, at = Pareto(p, 1).clipped_square(FLOATS, 9.0), Pareto(2, 1).clipped_square(FLOATS, 9.0)
    assert math.isclose(near, at, rel_tol=1e-3)
    with ctx.workprec(128):
        assert math.isclose(float(Pareto(p, 1).clipped_square(BALLS, 9)), near, rel_tol=1e-12)


@pytest.mark.parametrize(
    "law", [OneSidedPareto(F(3, 2)), StudentT(F(3, 2), 2), Gaussian(2), Pareto(F(3, 2))], ids=identifier
)
def test_both_one_sided_tails_make_the_tail(law: object) -> None:
    with ctx.workprec(128):
        for t in (arb("0.3"), arb(1) + arb("0.7"), arb(40)):
            both = law.above(acb(t), t, False) + law.below(acb(-t), -t, False)  # type: ignore[attr-defined]
            assert (both.real - law.tail(BALLS, t)).contains(0)  # type: ignore[attr-defined]


def test_the_one_sided_law_is_centred() -> None:
    # E X = int_0^oo P(X > t) - P(X < -t) dt with p = 3/2, scale 1, mean of A = 3: upper half in closed form
    upper = 2 / mpmath.sqrt(3)
    lower = mpmath.quad(lambda t: 1 - (3 - t) ** mpmath.mpf(-1.5), [0, 2])
    assert mpmath.almosteq(upper, lower, rel_eps=1e-12)
    with ctx.workprec(128):
        both = OneSidedPareto(F(3, 2)).excess(BALLS, F(1, 10**30))
    assert math.isclose(float(both), float(upper + lower), rel_tol=1e-12)


def test_clipped_square_of_a_sample_agrees() -> None:
    # z-test at false-alarm rate 1e-6 each (|z| < 4.9); Lomax in place of Pareto is caught.
    rng = np.random.default_rng(7)
    n, tau = 200_000, 5.0

    def z(sample: np.ndarray, law: object) -> float:
        clipped = np.minimum(sample**2, tau**2)
        exact = float(law.clipped_square(FLOATS, tau))  # type: ignore[attr-defined]
        return abs(float(clipped.mean()) - exact) / (float(clipped.std()) / math.sqrt(n))

    pareto = np.exp(rng.standard_exponential(n) / 1.5)
    assert z(pareto, Pareto(F(3, 2))) < 4.9
    assert z(pareto - 3, OneSidedPareto(F(3, 2))) < 4.9
    assert z(rng.standard_t(1.5, n), StudentT(F(3, 2))) < 4.9
    assert z(pareto - 1, Pareto(F(3, 2))) > 4.9


# ---------------------------------------------------------------- weak-L_q constants


@pytest.mark.parametrize(
    ("law", "q"),
    [
        (OneSidedPareto(F(3, 2)), F(3, 2)),
        (OneSidedPareto(2, F(1, 2)), 2),
        (OneSidedPareto(F(11, 10)), F(11, 10)),
        (OneSidedPareto(2), F(3, 2)),
        (StudentT(3), F(3, 2)),
        (StudentT(F(3, 2), 2), F(3, 2)),
        (Gaussian(2), F(3, 2)),
        (Pareto(F(3, 2), 2), F(3, 2)),
    ],
    ids=str,
)
def test_weak_constant_is_the_supremum(law: object, q: Fraction) -> None:
    t = np.exp(np.linspace(-6, 12, 200_001))
    grid = float(np.max(t ** float(q) * law.tail(FLOATS, t)))  # type: ignore[attr-defined]
    constant = weak_constant(law, q)
    assert constant.rad() < 1e-12
    assert constant >= grid * (1 - 1e-12)
    assert constant < grid * (1 + 1e-3)


def test_centring_makes_the_one_sided_constant_exceed_the_scale() -> None:
    assert weak_constant(OneSidedPareto(F(3, 2)), F(3, 2)) > arb("1.0297")


def test_no_weak_constant_beyond_the_index() -> None:
    for law in (Pareto(F(3, 2)), OneSidedPareto(F(3, 2)), StudentT(F(3, 2))):
        with pytest.raises(ValueError, match="infinite"):
            weak_constant(law, 2)
    with pytest.raises(ValueError, match="positive"):
        Pareto(1)
