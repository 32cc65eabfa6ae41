"""The laws in balls where nothing is smooth: ends of ranges, cancellation, knots, complex arguments, other units."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from time import process_time

import mpmath
import numpy as np
import pytest
from certified_laws import directional, sphere_laws
from certified_laws.arithmetic import BALLS, FLOATS
from certified_laws.scalar_noise import Pareto, ParetoNorm
from certified_laws.two_point import TwoPoint
from flint import acb, arb, ctx
from more_laws import Gaussian, OneSidedPareto, StudentT, cdf, noise_clipped_square, noise_excess
from weak_laws import maximum, weak_constant

from boundcheck import laws
from boundcheck.laws import UNIT, accurate, clip_unit, piecewise_integral, tail, to_ball

F = Fraction
LAWS = [Pareto(F(3, 2), 2), ParetoNorm(F(3, 2), 2), OneSidedPareto(F(3, 2), 2), StudentT(F(5, 2), 2), Gaussian(2)]


def spread(middle: float, radius: float) -> arb:
    return arb(middle, radius)


def encloses(ball: arb, value: mpmath.mpf, bits: int) -> bool:
    """Whether the ball holds the value (known to far more than ``bits``), and is accurate to ``bits``."""
    text = mpmath.nstr(value, 60)
    return bool(ball.overlaps(arb(text))) and (value == 0 or ball.rel_accuracy_bits() >= bits)


# ---------------------------------------------------------------- the arithmetic


def test_a_probability_is_clipped_to_what_of_it_is_possible():
    for middle, radius, low, high in ((0.9, 0.3, 0.6, 1), (0.1, 0.3, 0, 0.4), (0.5, 0.1, 0.4, 0.6), (0.5, 3, 0, 1)):
        clipped = clip_unit(spread(middle, radius))
        assert clipped.contains(arb(low) + 1e-9) and clipped.contains(arb(high) - 1e-9)
        assert -1e-7 < clipped < 1 + 1e-7
        assert abs(clipped.lower() - low) < 1e-7 and abs(clipped.upper() - high) < 1e-7
    for unknown in (arb.nan(), arb.pos_inf(), spread(2, 0.5), spread(-1, 0.5)):
        assert clip_unit(unknown).contains(arb(0.5, 0.5))


@pytest.mark.parametrize(("a", "b"), [(F(1, 2), F(1, 2)), (F(1, 2), 40), (60, F(1, 2)), (30, 30), (F(3, 2), 90)])
def test_both_incomplete_beta_functions_keep_their_digits(a: Fraction, b: Fraction):
    """Small values too, on either side of the middle: against mpmath with 120 digits."""
    with mpmath.workdps(120), ctx.workprec(128):
        for x in (F(1, 10**9), F(1, 100), F(2, 5), F(1, 2), F(3, 5), F(99, 100), 1 - F(1, 10**9)):
            real = [mpmath.mpf(F(v).numerator) / F(v).denominator for v in (a, b, x)]
            lower = mpmath.betainc(real[0], real[1], 0, real[2], regularized=True)
            upper = mpmath.betainc(real[0], real[1], real[2], 1, regularized=True)
            for found, value in ((BALLS.beta_lower(a, b, x), lower), (BALLS.beta_upper(a, b, x), upper)):
                # what the doubles cannot tell from 0 or 1 may be as coarse as 2^-100
                assert encloses(found, value, 40) or abs(found - arb(mpmath.nstr(value, 60))) < arb(2) ** -100
        ends = {x: (BALLS.beta_lower(a, b, x), BALLS.beta_upper(a, b, x)) for x in (-1, 0, 1, 2)}
    assert ends == {-1: (0, 1), 0: (0, 1), 1: (1, 0), 2: (1, 0)}


def test_small_tails_are_relatively_accurate():
    """P(|U_1| > c) near c = 1 and moments near c = 0, where the complement cancels."""
    with mpmath.workdps(80):
        for d, c in ((3, 1 - F(1, 10**9)), (50, F(9, 10)), (400, F(1, 2))):
            x = mpmath.mpf((c * c).numerator) / (c * c).denominator
            value = mpmath.betainc(mpmath.mpf(1) / 2, mpmath.mpf(d - 1) / 2, x, 1, regularized=True)
            assert encloses(accurate(lambda c=c, d=d: sphere_laws.tail(BALLS, c, d)), value, 60)
            assert math.isclose(sphere_laws.tail(FLOATS, float(c), d), float(value), rel_tol=1e-6)
        for d, q, c in ((5, 2, F(1, 10**8)), (2, F(3, 2), F(1, 1000))):
            length = mpmath.mpf(c.numerator) / c.denominator
            scale = mpmath.gamma(mpmath.mpf(d) / 2) / (mpmath.sqrt(mpmath.pi) * mpmath.gamma(mpmath.mpf(d - 1) / 2))
            order, power = mpmath.mpf(F(q).numerator) / F(q).denominator, mpmath.mpf(d - 3) / 2
            value = 2 * scale * mpmath.quad(lambda u: u**order * (1 - u * u) ** power, [0, length])  # noqa: B023
            assert encloses(accurate(lambda d=d, q=q, c=c: sphere_laws.moment_below(BALLS, q, d, c)), value, 60)


def test_powers_at_zero():
    touching = spread(0.125, 0.125)  # [0, 1/4]
    root = BALLS.power(touching, F(1, 2))
    assert root.contains(arb(0)) and root.contains(arb(0.5)) and -1e-6 < root < 0.51
    assert BALLS.power(0, F(1, 2)) == 0 and BALLS.power(arb(0), 3) == 0
    below = BALLS.power(spread(0, 0.25), 2)  # what lies below 0 is no argument
    assert below.contains(arb(0)) and below.contains(arb(0.0625)) and below < 0.07
    assert not BALLS.power(touching, -1).is_finite() and not BALLS.power(0, 0).is_finite()
    assert not BALLS.power(arb.nan(), 2).is_finite()
    assert BALLS.power(spread(2, 1), 2).contains(arb(9)) and BALLS.power(4, F(-1, 2)) == arb(0.5)


def test_incomplete_beta_functions_of_many_dimensions_are_found_at_once():
    """U_1^2 > 0.0102 in 10^6 dimensions, by 1 - I_x(a, b) = int_x^1 t^(a-1) (1-t)^(b-1) dt/B(a, b) beside x."""
    before = process_time()
    a, b, x = F(1, 2), F(10**6 - 1, 2), F(102, 10**4)
    tail, below = BALLS.beta_upper(a, b, x), BALLS.beta_lower(F(5, 4), b, x)
    assert process_time() - before < 0.5  # one of the two series would take several seconds
    nodes, weights = np.polynomial.laguerre.laggauss(20)
    rate = (float(b) - 1) / (1 - float(x))
    t = float(x) + nodes / rate
    beside = (float(b) - 1) * np.log1p(-(t - float(x)) / (1 - float(x))) + nodes - np.log(t / float(x)) / 2
    log_tail = (float(b) - 1) * math.log1p(-float(x)) - math.log(float(x)) / 2 - math.log(rate)
    log_tail += float(np.log(np.sum(weights * np.exp(beside))))
    log_tail -= math.lgamma(0.5) + math.lgamma(float(b)) - math.lgamma(float(b) + 0.5)
    assert math.isclose(float(tail.log()), log_tail, rel_tol=1e-10)
    assert below.rel_accuracy_bits() > 40 and below.contains(arb(1))


@pytest.mark.parametrize("d", [10**9, 10**12, 10**18])
@pytest.mark.parametrize("exponent", [3, 90, 250, 270, 5000])
def test_tails_of_any_dimension_are_found_at_once(d: int, exponent: int):
    """P(|U_1| > c) is the Gaussian tail of c sqrt(d) up to b c^4/2, b = (d-1)/2; the search for digits had no end."""
    before = process_time()
    with ctx.workprec(256):
        c = (arb(2 * exponent) / d).sqrt()
        found = accurate(lambda: tail(d, c))
    assert process_time() - before < 0.5 and found.rel_accuracy_bits() >= 60
    with mpmath.workdps(60):
        gaussian = mpmath.erfc(mpmath.sqrt(exponent))
        off = 3 * exponent * (exponent + 1) / mpmath.mpf(d)
        assert abs(mpmath.mpf(found.mid().str(40, radius=False)) / gaussian - 1) < off


@pytest.mark.parametrize("a", [F(1, 2), F(3, 4), 1, F(5, 4), 2, F(11, 4)])
@pytest.mark.parametrize("b", [F(1, 2), 3, 40, 700])
def test_the_series_of_far_tails_encloses_what_it_leaves_out(a: F, b: F):
    """Where it has few digits as well; its first terms alone miss the value."""
    with mpmath.workdps(600), ctx.workprec(192):
        for x in (F(1, 1000), F(1, 20), F(3, 10), F(3, 4)):
            real = [mpmath.mpf(F(v).numerator) / F(v).denominator for v in (a, b, x)]
            value = mpmath.betainc(real[0], real[1], real[2], 1, regularized=True)
            ball = laws._beyond(to_ball(F(a)), to_ball(F(b)), to_ball(x))
            assert encloses(ball, value, 12 if x * b >= 12 else -100)


def test_precision_rises_until_it_suffices():
    def counted(value: Callable[[], arb]) -> tuple[arb, list[int]]:
        seen: list[int] = []

        def call() -> arb:
            seen.append(ctx.prec)
            return value()

        return accurate(call), seen

    assert counted(lambda: arb(0)) == (0, [128])
    third, seen = counted(lambda: arb(1) / 3)
    assert seen == [128] and (3 * third - 1).contains(0)
    late, seen = counted(lambda: arb(1) if ctx.prec >= 512 else arb.nan())
    assert (late, seen) == (1, [128, 256, 512])
    wide, seen = counted(lambda: spread(1, 1e-9))
    assert seen == [128, 256, 512, 1024, 2048] and wide.contains(arb(1))
    _, seen = counted(lambda: arb(1) + spread(0, 2.0 ** -(ctx.prec // 4)))
    assert seen == [128, 256, 512]  # 32, 64 and 128 bits: more than 63 are wanted, and 64 are counted as 63


# ---------------------------------------------------------------- the sphere and projections


def test_a_random_sign_is_never_longer_than_one():
    assert [float(sphere_laws.tail(FLOATS, c, 1)) for c in (0.0, 0.5, 1.0, 2.0)] == [1, 1, 0, 0]
    assert [sphere_laws.tail(BALLS, c, 1) for c in (0, F(1, 2), 1, 2)] == [1, 1, 0, 0]
    unsure = sphere_laws.tail(BALLS, spread(1, 0.1), 1)
    assert unsure.contains(arb(0)) and unsure.contains(arb(1))
    assert [float(sphere_laws.moment_below(FLOATS, 2.0, 1, c)) for c in (0.5, 1.0)] == [0, 1]
    assert [float(sphere_laws.moment_above(FLOATS, 2.0, 1, c)) for c in (0.5, 1.0)] == [1, 0]
    assert [float(cdf(FLOATS, x, 1)) for x in (-1.5, -1.0, 0.0, 0.99, 1.0)] == [0, 0.5, 0.5, 0.5, 1]


@pytest.mark.parametrize("d", [1, 2, 7])
@pytest.mark.parametrize("p", [F(5, 4), F(7, 4)])
def test_projected_noise_in_other_units(d: int, p: Fraction):
    """With sigma and the level three times as large: tails agree, excess is 3 and the square 9 times as large."""
    for k in (FLOATS, BALLS):
        number = float if k is FLOATS else F
        for level in (F(1, 3), F(5, 2)):
            for law, power in (
                (directional.noise_tail, 0),
                (noise_excess, 1),
                (noise_clipped_square, 2),
            ):
                one = law(k, d, number(p), number(1), number(level))
                three = law(k, d, number(p), number(3), number(3 * level))
                if k is FLOATS:
                    assert math.isclose(three, 3**power * one, rel_tol=1e-12)
                else:
                    assert (three - 3**power * one).contains(0) and three.rel_accuracy_bits() > 30
            for law, power in (
                (directional.signal_tail, 0),
                (directional.clipped_projection, 1),
                (directional.clipped_projection_square, 2),
            ):
                pair = [law(k, d, number(s), number(s * level)) for s in (1, 3)]
                assert abs(float(pair[1]) - 3**power * float(pair[0])) <= 1e-12 * abs(float(pair[1]))


# ---------------------------------------------------------------- scalar laws, beside their knots and off the line


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_one_sided_tails_on_the_whole_line(law):
    """P(X > z) falls from 1 to 0, P(X < z) is the rest, and both together make P(|X| > t)."""
    with ctx.workprec(128):
        places = [arb(x) for x in (-60.5, -7.25, -2.5, -0.75, 0.75, 2.5, 7.25, 60.5)]
        above = [law.above(acb(x), x, False).real for x in places]
        for x, right in zip(places, above, strict=True):
            assert (right + law.below(acb(x), x, False).real - 1).contains(0)
            assert right.rad() < 1e-20
        assert all(left >= right for left, right in itertools.pairwise(above))
        for n, x in enumerate(places[4:], 4):
            left = 1 - above[7 - n]
            assert (above[n] + left - law.tail(BALLS, x)).contains(0)
    if isinstance(law, ParetoNorm):
        assert above[:5] == [1] * 5


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_tails_continue_analytically(law):
    """Off the line too the mean over a circle is the value in its middle; the circle holds no knot."""
    with ctx.workprec(128):
        for x in (3.5, 9.5, -3.5, -9.5):
            total, n = acb(0), 256
            for k in range(n):
                angle = (acb(0, 1) * arb.pi() * 2 * k / n).exp()
                total += law.above(acb(x) + angle, arb(x), False)
            value = law.above(acb(x), arb(x), False)
            assert abs(complex(total / n) - complex(value)) < 1e-9


def test_a_function_is_called_analytic_only_where_it_is():
    """On a box that holds a branch point nothing finite is returned."""
    with ctx.workprec(128):
        nu = F(5, 2)
        student = StudentT(nu)
        branch = acb(0, math.sqrt(2.5))
        for box in (branch + acb(spread(0, 0.1), spread(0, 0.1)), branch * arb(1.25)):
            assert not student.above(box, arb(0.5), True).is_finite()
        assert student.above(acb(0.25, 0.25), arb(0.25), True).is_finite()
        for law, at in ((Pareto(F(3, 2)), 2), (ParetoNorm(F(3, 2)), 2), (OneSidedPareto(F(3, 2)), -1)):
            pole = 0 if not isinstance(law, OneSidedPareto) else -3
            assert not law.above(acb(spread(pole, 0.5), spread(0, 0.5)), arb(at), True).is_finite()
        far = acb(spread(4, 0.25), spread(0, 0.25))
        assert all(law.above(far, arb(4), True).is_finite() for law in LAWS)


# ---------------------------------------------------------------- the two-point estimate


def continued(n2: complex, tau: float, d: int, power: int) -> complex:
    """E[min(N |U|, tau) |U|]/N or E min(N^2 U^2, tau^2) by contour integrals along straight lines."""
    c = mpmath.sqrt(tau * tau / mpmath.mpc(n2))
    scale = 2 * mpmath.gamma(mpmath.mpf(d) / 2) / (mpmath.sqrt(mpmath.pi) * mpmath.gamma(mpmath.mpf(d - 1) / 2))

    def mean(f, a, b):
        return scale * mpmath.quad(lambda u: f(u) * (1 - u * u) ** (mpmath.mpf(d - 3) / 2), [a, (a + b) / 2, b])

    if power == 1:
        return complex(mean(lambda u: u * u, 0, c) + c * mean(lambda u: u, c, 1))
    return complex(n2 * mean(lambda u: u * u, 0, c) + tau * tau * mean(lambda u: 1, c, 1))


@pytest.mark.parametrize("d", [1, 2, 3, 8])
@pytest.mark.parametrize("power", [1, 2])
def test_clipped_moments_continue_off_the_line(d: int, power: int):
    """The bounds of the quadrature come from complex boxes: the continuation against contour integrals, and
    against the real formula on the line."""
    estimate, tau = TwoPoint(d, 1, Gaussian(1), 1), arb(0.5)
    with ctx.workprec(128):
        for n2 in (0.3, 1.0, 40.0):
            line, off = (estimate._clipped(acb(n2), tau, power, analytic) for analytic in (False, True))
            assert line.overlaps(off) and off.is_finite() and line.rad() < 1e-20
        for n2 in (complex(1, 0.5), complex(2, -3), complex(0.5, 0.2)):
            found = complex(estimate._clipped(acb(n2), tau, power, True))
            c = (0.25 / n2) ** 0.5
            wanted = (c if power == 1 else 0.25) if d == 1 else continued(n2, 0.5, d, power)
            assert abs(found - wanted) < (1e-7 if d == 2 else 1e-12) * abs(wanted)
        for n2 in (acb(0.2), acb(spread(0.25, 0.01), spread(0, 0.01)), acb(-1, 0.1), acb(spread(0, 1), 1)):
            assert not estimate._clipped(n2, tau, power, True).is_finite()


def test_what_an_unsure_knot_covers_is_added():
    """A step somewhere in [3/4, 5/4]: every place of it is enclosed; outside of the sliver nothing is lost."""
    knot = spread(1, 0.25)
    with ctx.workprec(128):
        for values, low in ((UNIT, 0.75), (spread(0, 1), 0.25)):
            value = piecewise_integral(
                lambda x: lambda z, _: z * 0 + (1 if x < 1 else 0), [knot], arb(0), arb(2), values
            )
            assert value.contains(arb(low) + 1e-9) and value.contains(arb(1.25) - 1e-9)
            assert abs(value.lower() - low) < 1e-6 and abs(value.upper() - 1.25) < 1e-6
        outside = [spread(-1, 0.1), spread(3, 0.1), arb.nan(), arb.pos_inf()]
        assert piecewise_integral(lambda x: lambda z, _: z * z, outside, arb(0), arb(2), spread(0, 4)).rad() < 1e-12


def test_a_gradient_far_above_the_noise():
    """N = |g + X| can lie below and above |g|: d = 2 and 3, by an integral over the angle of the exact tail of X."""
    noise = Pareto(F(3, 2), 1)
    for d, g, t in ((2, 5, 1), (3, 5, F(9, 2)), (3, 4, 6)):

        def length(a: mpmath.mpf, g: int = g) -> mpmath.mpf:  # P(|g + X| > a)
            def above(x: mpmath.mpf) -> mpmath.mpf:  # P(X > x)
                if x > 1:
                    return x ** mpmath.mpf(-1.5) / 2
                return mpmath.mpf(0.5) if x >= -1 else 1 - (-x) ** mpmath.mpf(-1.5) / 2

            return above(a - g) + 1 - above(-a - g)

        level = mpmath.mpf(F(t).numerator) / F(t).denominator
        knots = sorted(mpmath.acos(min(1, level / a)) for a in (g - 1, g + 1))
        scale = 2 * mpmath.gamma(mpmath.mpf(d) / 2) / (mpmath.sqrt(mpmath.pi) * mpmath.gamma(mpmath.mpf(d - 1) / 2))
        with mpmath.workdps(20):
            value = scale * mpmath.quad(
                lambda s, d=d, level=level: mpmath.sin(s) ** (d - 2) * length(level / mpmath.cos(s)),
                [0, *knots, (knots[-1] + mpmath.pi / 2) / 2, mpmath.pi / 2 - mpmath.mpf(10) ** -12],
            )
        found = TwoPoint(d, g, noise, 1).tail(t)
        assert found.rad() < 1e-12 and abs(float(found) - float(value)) < 1e-7


# ---------------------------------------------------------------- weak-L_q constants


def test_a_maximum_is_enclosed_by_its_boxes():
    """Inside, at either end, on a kink, and where the slope is unknown; never below the maximum."""
    unknown = arb.nan()
    cases = [
        (lambda t: t * (2 - t), lambda t: 2 - 2 * t, 0, 3, 1),
        (lambda t: t * t, lambda t: 2 * t, 0, 3, 9),
        (lambda t: -t, lambda t: arb(-1), 0, 3, 0),
        (lambda t: (7 * t).sin() + t / 10, lambda t: 7 * (7 * t).cos() + arb(1) / 10, 0, 3, None),
        (lambda t: -abs(t - 1), lambda t: unknown, 0, 3, 0),
    ]
    with ctx.workprec(128):
        for f, slope, low, high, wanted in cases:
            tolerance = arb(2) ** (-10 if slope(arb(1)) is unknown else -40)
            found = maximum(f, slope, arb(low), arb(high), tolerance)
            grid = max(float(f(arb(x))) for x in np.linspace(low, high, 4001))
            assert found.upper() >= grid - 1e-15 and found.lower() <= grid + 1e-5
            assert found.rad() <= tolerance and (wanted is None or found.contains(arb(wanted)))


@pytest.mark.parametrize(
    ("law", "q"),
    [(OneSidedPareto(F(3, 2), 3), F(11, 10)), (OneSidedPareto(2), F(1, 2)), (OneSidedPareto(F(6, 5)), F(9, 8)),
     (StudentT(2), F(15, 8)), (StudentT(F(3, 2)), F(1, 4)), (Gaussian(3), F(1, 10)), (Gaussian(1), 9)],
)  # fmt: skip
def test_weak_constants_of_small_and_large_orders(law, q):
    """The supremum against a grid in logarithms."""
    t = np.exp(np.linspace(-12, 25, 400_001))
    grid = np.max(t ** float(q) * law.tail(FLOATS, t))
    constant = weak_constant(law, q)
    assert constant.rad() < 1e-10 * float(constant)
    assert grid * (1 - 1e-11) <= float(constant) <= grid * (1 + 1e-6)
