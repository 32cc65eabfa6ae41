"""Noise laws: exact tails, exact weak-L_p constants, mean zero, and agreement with the certified laws."""

from __future__ import annotations

import math

import more_laws
import numpy as np
import pytest
from certified_laws import scalar_noise as certified
from certified_laws.arithmetic import FLOATS
from hypothesis import given, settings
from hypothesis import strategies as st
from limits import uniform_rejected
from more_laws import OneSidedPareto, StudentT

from proofs_numeric.checks.mutants import Lomax, Uncentred
from proofs_numeric.model.noise import (
    CentredPareto,
    Gaussian,
    Noise,
    Pareto,
    Student,
    infinite_variance,
    weak_lp_constant,
)
from proofs_numeric.model.streams import stream

LEVEL = 1e-9  #: false-alarm probability of each assertion on draws
LAWS = (Pareto, CentredPareto, CentredPareto.with_sigma, Student, Gaussian)
exponents = st.floats(1.01, 2.0)


def twin(law):
    """The certified law of the same distribution."""
    match law:
        case Pareto():
            return certified.Pareto(law.p, law.sigma)
        case CentredPareto():
            return OneSidedPareto(law.p, law.scale)
        case Student():
            return StudentT(law.p, law.scale)
        case Gaussian():
            return more_laws.Gaussian(law.s)


@pytest.mark.parametrize("make", LAWS)
@settings(deadline=None, max_examples=10)
@given(p=exponents, sigma=st.floats(0.01, 100), seed=st.integers(0, 2**32))
def test_samples_follow_the_stated_tail(make, p, sigma, seed):
    law = make(p, sigma)
    draws = np.abs(law.sample(stream("test", "noise", seed=seed), 4_000))
    assert not uniform_rejected(law.tail(draws), LEVEL / 10)


@pytest.mark.parametrize("make", LAWS)
@settings(deadline=None, max_examples=25)
@given(p=exponents, sigma=st.floats(0.01, 100))
def test_sigma_is_the_weak_lp_constant(make, p, sigma):
    """t^p P(|Z| > t) <= sigma^p everywhere, and nearly attained somewhere."""
    law = make(p, sigma)
    t = np.geomspace(1e-6, 1e9, 3001) * sigma
    reached = t**p * law.tail(t) / law.sigma**p
    assert reached.max() <= 1 + 1e-12
    assert reached.max() >= 1 - 1e-3


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e100, 1e290])
@pytest.mark.parametrize("p", [1.01, 1.5, 1.9])
def test_the_constant_of_the_one_sided_law_knows_no_unit(p, scale):
    """At 10^-300 it was the scale itself, since t^p was 0 there; at 10^-200 it was sought without end."""
    with np.errstate(all="raise"):
        assert CentredPareto(p, scale).sigma == pytest.approx(CentredPareto(p, 1.0).sigma * scale, rel=1e-12)


def test_a_constant_beyond_the_doubles_is_refused():
    with pytest.raises(ValueError, match="sigma must be positive and finite"):
        CentredPareto(1.01, 1e307)


@pytest.mark.parametrize("p", [1 + 1e-9, 1.5, 2.0])
def test_student_s_law_near_zero(p):
    """P(|Z| <= t) = 2 f(0) t (1 + O(t^2)): the tail was 1 below 10^-8, and the quantile 0."""
    law = Student(p)
    density = 2 * math.exp(math.lgamma((p + 1) / 2) - math.lgamma(p / 2)) / math.sqrt(p * math.pi) / law.scale
    for t in (1e-9, 3e-7, 1e-5):
        assert 1 - float(law.tail(np.array(t))) == pytest.approx(density * t, abs=2e-16, rel=1e-9)
        assert float(law.size(np.array(-math.log1p(-density * t)))) == pytest.approx(t, rel=1e-9)


@pytest.mark.parametrize("make", LAWS)
@settings(deadline=None, max_examples=10)
@given(p=exponents, t=st.floats(0.01, 1e6))
def test_tails_agree_with_the_certified_laws(make, p, t):
    law = make(p, 1.0)
    assert float(law.tail(t)) == pytest.approx(float(twin(law).tail(FLOATS, t)), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("make", LAWS)
@settings(deadline=None, max_examples=10)
@given(p=exponents, y=st.floats(1e-3, 200))
def test_branches_invert_the_tail(make, p, y):
    """The point that a branch puts at y carries the share of the tail beyond it."""
    law = make(p, 1.0)
    for _, z in law.branches():
        value = float(z(np.array([y]))[0])
        if isinstance(law, CentredPareto):
            assert ((value + law.mean) / law.scale) ** -p == pytest.approx(math.exp(-y), rel=1e-6)
        else:
            assert float(law.tail(abs(value))) == pytest.approx(math.exp(-y), rel=1e-6)


@pytest.mark.parametrize("p", [1.05, 1.5, 2.0])
def test_the_compensator_is_the_mean(p):
    """E R = scale p/(p-1): by the exponential quantile integral, int_0^oo e^(y/p) e^-y dy."""
    law = CentredPareto(p, 3.0)
    assert law.mean == pytest.approx(3.0 / (1 - 1 / p))


@pytest.mark.parametrize("wrong", [Lomax(1.5), Uncentred(1.5)])
def test_wrong_samplers_are_rejected(wrong):
    draws = np.abs(wrong.sample(stream("test", "wrong"), 4_000))
    assert uniform_rejected(wrong.tail(draws), LEVEL)


def test_the_example_of_infinite_variance():
    noise = infinite_variance(3)
    vectors = noise.sample(stream("test", "cubic"), 4_000).dense(3)
    assert not vectors[:, 1:].any()
    assert not uniform_rejected(np.abs(vectors[:, 0]) ** -2.0, LEVEL)
    assert (noise.p, noise.sigma) == (2.0, 1.0)


@pytest.mark.parametrize("shape", ["axis", "uniform", "sparse"])
def test_shapes_keep_the_norm_and_the_inner_product(shape):
    noise = Noise(Pareto(1.5), shape, 4)
    batch = noise.sample(stream("test", shape), 2_000)
    u = np.random.default_rng(3).standard_normal((2_000, 4))
    dense = batch.dense(4)
    assert np.allclose(batch.inner(u), np.einsum("nd,nd->n", dense, u), rtol=1e-12, atol=1e-12)
    assert not uniform_rejected(noise.law.tail(np.linalg.norm(dense, axis=1)), LEVEL)


def test_the_branch_and_bound_of_the_constant():
    """sup of t^p min(1, t^-p) over [1/2, 4] is 1, reached on a whole interval."""
    assert weak_lp_constant(lambda t: np.minimum(1.0, t**-2.0), 1.5, 0.5, 4.0) == pytest.approx(1.0, rel=1e-8)


@pytest.mark.parametrize("make", LAWS)
@pytest.mark.parametrize(("p", "sigma", "said"), [(1.0, 1, "p"), (2.5, 1, "p"), (math.nan, 1, "p"), (1.5, 0, "posi")])
def test_parameters_outside_their_domain_are_refused(make, p, sigma, said):
    with pytest.raises(ValueError, match=said):
        make(p, sigma)


def test_single_precision_parameters_are_refused():
    with pytest.raises(TypeError, match="float32"):
        Pareto(np.float32(1.5))


def test_an_unknown_shape_is_refused():
    with pytest.raises(ValueError, match="axis, uniform, sparse"):
        Noise(Pareto(1.5), "round", 3)
