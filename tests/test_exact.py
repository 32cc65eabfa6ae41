"""Exact laws: quadrature in floats against closed forms, certified balls and simulation."""

from __future__ import annotations

import math
from fractions import Fraction

import more_laws
import numpy as np
import pytest
from certified_laws import directional
from certified_laws import scalar_noise as certified
from certified_laws.arithmetic import FLOATS
from certified_laws.two_point import TwoPoint
from hypothesis import given, settings
from hypothesis import strategies as st
from limits import betting_limits
from more_laws import OneSidedPareto, StudentT, noise_clipped_square
from slow import more

from proofs_numeric.exact_in_law.exact_laws import ExactLaw, Projection, exact_law
from proofs_numeric.model.estimator import clip, pairs
from proofs_numeric.model.noise import CentredPareto, Gaussian, Noise, Pareto, Student
from proofs_numeric.model.objectives import LogCosh, Quadratic
from proofs_numeric.model.oracles import LinearNoiseOracle
from proofs_numeric.model.streams import stream

LEVEL = 1e-9  #: false-alarm probability of each limit on draws


@settings(deadline=None, max_examples=30)
@given(d=st.integers(1, 200), p=st.floats(1.02, 2.0), r=st.floats(0.02, 50))
def test_projected_noise_agrees_with_the_closed_forms(d, p, r):
    part = Projection(d, 0.0, Pareto(p))
    assert part.tail(r) == pytest.approx(float(directional.noise_tail(FLOATS, d, p, 1.0, r)), rel=1e-9)
    if p < 1.98:  # the closed form cancels towards p = 2
        wanted = float(noise_clipped_square(FLOATS, d, p, 1.0, r))
        assert part.clipped_moment(2, r) == pytest.approx(wanted, rel=1e-9)


@settings(deadline=None, max_examples=30)
@given(d=st.integers(2, 200), g=st.floats(0.1, 10), tau=st.floats(0.05, 20))
def test_a_signal_without_noise_agrees_with_the_closed_forms(d, g, tau):
    part = Projection(d, g, None)
    assert part.tail(tau) == pytest.approx(float(directional.signal_tail(FLOATS, d, g, tau)), rel=1e-11, abs=1e-300)
    assert part.aligned(tau) == pytest.approx(float(directional.clipped_projection(FLOATS, d, g, tau)), rel=1e-11)


LAWS = {
    "pareto": (Pareto(1.5), certified.Pareto(1.5)),
    "onesided": (CentredPareto(1.2), OneSidedPareto(1.2)),
    "student": (Student(1.7), StudentT(1.7, Student(1.7).scale)),
    "gaussian": (Gaussian(1.5), more_laws.Gaussian(Gaussian(1.5).s)),
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize(("g", "tau"), [(2.75, 8.0), more(2.75, 1.5), more(0.5, 3.0)])
def test_the_line_agrees_with_certified_quadrature(name, g, tau):
    mine, theirs = LAWS[name]
    part, ball = Projection(1, g, mine), TwoPoint(1, g, theirs)
    for found, enclosure in (
        (part.tail(tau), ball.tail(tau)),
        (part.aligned(tau), ball.clipped_mean(tau)[0]),
        (part.clipped_moment(2, tau), ball.clipped_square(tau)),
    ):
        assert found == pytest.approx(float(enclosure.mid()), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize(
    ("d", "law", "shape", "objective", "place"),
    [
        (1, CentredPareto(1.2), "axis", Quadratic, 4.0),
        (1, Pareto(1.5), "axis", LogCosh, 4.0),
        (2, Student(1.5), "axis", Quadratic, 4.0),
        (5, Pareto(1.5), "sparse", Quadratic, 4.0),
        (3, Pareto(2.0), "uniform", Quadratic, 0.0),
        (20, Gaussian(1.5), "axis", Quadratic, 2.0),
    ],
)
def test_simulation_agrees_with_the_exact_law(d, law, shape, objective, place):
    """Tail, aligned mean and clipped moments; each of the eight limits misses with probability 1e-9."""
    source, mu, n, tau = LinearNoiseOracle(objective(d), Noise(law, shape, d)), 0.3, 20_000, 2.0
    x = source.objective.boundary_point(place) if place else np.zeros((1, d))
    exact = exact_law(source, x, mu)
    y, u = (a[0] for a in pairs(source, x, mu, n, stream("t", f"exact{d}{shape}")))
    for values, wanted in (
        ((np.abs(y) > tau).astype(float), exact.tail(tau)),
        ((1 + clip(y, tau) * u[:, 0] / tau) / 2, (1 + exact.aligned(tau) / tau) / 2),
        ((clip(y, tau) / tau) ** 2, exact.clipped_moment(2, tau) / tau**2),
        ((clip(y, tau) / tau) ** 4, exact.clipped_moment(4, tau) / tau**4),
    ):
        low, high = betting_limits(values, LEVEL)
        assert low <= wanted <= high


def test_no_exact_law_is_invented():
    """Uniform noise with a signal, or a curved objective in the plane, is two integrals: None."""
    x = np.array([[1.0, 0.0]])
    assert exact_law(LinearNoiseOracle(Quadratic(2), Noise(Pareto(1.5), "uniform", 2)), x, 0.1) is None
    assert exact_law(LinearNoiseOracle(LogCosh(2), Noise(Pareto(1.5), "axis", 2)), x, 0.1) is None
    aslant = np.array([[1.0, 1.0]])
    assert exact_law(LinearNoiseOracle(Quadratic(2), Noise(Pareto(1.5), "axis", 2)), aslant, 0.1) is None


@settings(deadline=None, max_examples=10)
@given(p=st.floats(1.05, 2.0), d=st.integers(2, 20))
def test_thresholds_lie_just_beyond_their_levels(p, d):
    law = ExactLaw(((1.0, Projection(d, 1.0, Pareto(p))),))
    levels = [0.5, 0.1, 0.01, 1e-4]
    for t, level in zip(law.thresholds(levels), levels, strict=True):
        assert 0.97 * level <= law.tail(t) <= level


def test_a_kink_beside_the_end_of_a_branch():
    # |g + X v| = t at X = 1e-16 and X = -1: the root of the first lies where the map of the branch is flat in doubles
    law, half = Student(1.5), Fraction(1, 2)
    known = TwoPoint(2, 1, StudentT(1.5, law.scale), half).tail(1)
    assert Projection(2, 1.0, law, 0.5).tail(1.0) == pytest.approx(float(known.mid()), rel=1e-7)


@pytest.mark.parametrize("tau", [1e3, 1e70, 1e140])
def test_a_second_moment_grows_without_end(tau):
    """E psi_tau(Z)^2 = 1 + 2 log tau for P(|Z| > t) = min(1, t^-2): noise was cut at 10^60 whatever tau was."""
    assert Projection(1, 0.0, Pareto(2.0)).clipped_moment(2, tau) == pytest.approx(1 + 2 * math.log(tau), rel=1e-9)


@pytest.mark.parametrize("unit", [1e-140, 1e-60, 1e70, 1e140])
@pytest.mark.parametrize("cosine", [1.0, 0.0])
def test_laws_know_no_unit(unit, cosine):
    """At 10^120 the tail was 0 and a moment a tenth of what it is."""
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        one, other = (Projection(5, 0.7 * u, Pareto(1.5, u), cosine) for u in (1.0, unit))
        assert other.tail(2 * unit) == pytest.approx(one.tail(2.0), rel=1e-12)
        wanted = one.clipped_moment(1.5, 3.0) * unit**1.5
        assert other.clipped_moment(1.5, 3 * unit) == pytest.approx(wanted, rel=1e-12)
        assert other.aligned(3 * unit) == pytest.approx(one.aligned(3.0) * unit, rel=1e-12)
