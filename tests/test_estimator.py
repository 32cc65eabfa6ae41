"""The estimator: against a plain transcription of its formula, and against what must change nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_numeric.checks.mutants import RECIPES
from proofs_numeric.model import estimator
from proofs_numeric.model.estimator import UNCLIPPED, VECTOR_CLIPPED, clip, clip_vector, estimate, pairs, repeat
from proofs_numeric.model.noise import Noise, Pareto
from proofs_numeric.model.objectives import LogCosh, Quadratic
from proofs_numeric.model.oracles import LinearNoiseOracle
from proofs_numeric.model.streams import stream

NORMALISED = estimator.PAPER.but(directions=lambda rng, n, d: estimator.sphere(rng, n, d))  #: no shortcut


def oracle(d=4, shape="axis", objective=LogCosh, sigma=1.0, p=1.5, L=1.0):
    return LinearNoiseOracle(objective(d, L), Noise(Pareto(p, sigma), shape, d))


def transcription(source, x, mu, M, tau, rng):
    """G_mu(x; M, tau) as the paper writes it, one direction after the other, from the same draws."""
    u = estimator.sphere(rng, len(x) * M, source.d)
    xi = source.draw(rng, len(x) * M)
    zeta = xi.dense(source.d)
    out = np.zeros((len(x), source.d))
    for r in range(len(x)):
        for l in range(M):
            i = r * M + l
            f = [source.objective.value((x[r] + s * mu * u[i])[None])[0] for s in (1, -1)]
            F = [f[k] + zeta[i] @ (x[r] + s * mu * u[i]) for k, s in enumerate((1, -1))]
            y = (F[0] - F[1]) / (2 * mu)
            out[r] += y * min(1, tau / abs(y)) * u[i]
    return source.d / M * out


@settings(deadline=None, max_examples=20)
@given(
    d=st.integers(1, 6),
    M=st.integers(1, 9),
    rows=st.integers(1, 4),
    tau=st.floats(0.05, 20),
    seed=st.integers(0, 2**32),
)
def test_the_estimate_is_the_formula(d, M, rows, tau, seed):
    source, x = oracle(d), np.random.default_rng(seed).normal(size=(rows, d))
    found = estimate(source, x, 0.1, M, tau, stream("t", "e", seed=seed))
    wanted = transcription(source, x, 0.1, M, tau, stream("t", "e", seed=seed))
    assert np.allclose(found, wanted, rtol=1e-9, atol=1e-9 * d * tau)


@settings(deadline=None, max_examples=50)
@given(z=st.floats(allow_nan=False), tau=st.floats(1e-300, 1e300))
def test_clip_is_psi(z, tau):
    assert clip(z, tau) == (z if abs(z) <= tau else math.copysign(tau, z))
    assert abs(clip(z, tau)) <= tau


def test_clip_at_infinity_and_zero():
    assert clip(np.array([np.inf, -np.inf, 0.0]), 2.0).tolist() == [2.0, -2.0, 0.0]


def test_the_estimate_is_bounded_by_d_tau():
    g = estimate(oracle(4, p=1.05), repeat(np.ones((1, 4)), 200), 0.1, 3, 0.7, stream("t", "bound"))
    assert np.linalg.norm(g, axis=1).max() <= 4 * 0.7 * (1 + 1e-12)


@pytest.mark.parametrize("factor", [2.0, 0.125])
def test_scaling_the_problem_and_tau_together_scales_the_estimate(factor):
    """L, sigma and tau times a power of two: every number is scaled exactly."""
    x = repeat(np.ones((1, 4)), 3)
    plain = estimate(oracle(objective=Quadratic), x, 0.1, 8, 3.0, stream("t", "scale"))
    scaled = oracle(objective=Quadratic, L=factor, sigma=factor)
    assert (estimate(scaled, x, 0.1, 8, 3.0 * factor, stream("t", "scale")) == factor * plain).all()


def test_rotating_the_directions_and_the_problem_rotates_the_estimate():
    """On f = |x|^2/2 with isotropic noise: u -> Q u, x -> Q x, zeta -> Q zeta gives g -> Q g."""
    d, rng = 5, np.random.default_rng(2)
    Q, _ = np.linalg.qr(rng.standard_normal((d, d)))
    source, x = oracle(d, "uniform", Quadratic), rng.standard_normal((1, d))

    def rotated_difference(problem, point, mu, u, generator):
        xi = problem.draw(generator, u.shape[0] * u.shape[1])
        turned = type(xi)(xi.vectors @ Q.T)
        return problem.difference(point, mu, u, turned)

    turned = estimator.PAPER.but(
        directions=lambda g, n, k: estimator.sphere(g, n, k) @ Q.T, difference=rotated_difference
    )
    plain = estimate(source, x, 0.1, 32, 2.0, stream("t", "rotate"))
    assert np.allclose(estimate(source, x @ Q.T, 0.1, 32, 2.0, stream("t", "rotate"), turned), plain @ Q.T, atol=1e-10)


def test_the_sign_of_a_direction_does_not_matter():
    """Y u is even in u."""
    source, x = oracle(3, objective=Quadratic), np.array([[0.5, -0.2, 0.1]])
    flipped = estimator.PAPER.but(directions=lambda g, n, k: -estimator.sphere(g, n, k))
    plain = estimate(source, x, 0.1, 16, 1.0, stream("t", "flip"), NORMALISED)
    assert (estimate(source, x, 0.1, 16, 1.0, stream("t", "flip"), flipped) == plain).all()


@pytest.mark.parametrize("shape", ["axis", "uniform", "sparse"])
@pytest.mark.parametrize("d", [1, 2, 7])
def test_unnormalised_directions_change_nothing(d, shape):
    """On a quadratic the norm of z leaves through the scalar: the same draws, the same estimate."""
    source, x = oracle(d, shape, Quadratic), repeat(np.full((1, d), 0.7), 3)
    plain = estimate(source, x, 0.1, 16, 1.0, stream("t", "ray"), NORMALISED)
    assert np.allclose(estimate(source, x, 0.1, 16, 1.0, stream("t", "ray")), plain, rtol=1e-13, atol=1e-13)


def test_a_batch_larger_than_a_block_is_the_mean_of_its_pieces(monkeypatch):
    """Memory-bounded pieces draw block by block; each piece is the formula on its own draws."""
    source, x, tau = oracle(4), np.ones((1, 4)), 2.0
    monkeypatch.setattr(estimator, "BLOCK", 4 * 8)
    found = estimate(source, x, 0.1, 20, tau, stream("t", "block"))
    rng = stream("t", "block")
    wanted = np.zeros((1, 4))
    for size in (8, 8, 4):
        y, u = pairs(source, x, 0.1, size, rng)
        wanted += np.einsum("rb,rbd->rd", 4 * clip(y, tau), u)
    assert np.allclose(found, wanted / 20, rtol=1e-14, atol=0)


def test_baselines():
    source, x = oracle(3, objective=Quadratic), np.ones((50, 3))
    raw = estimate(source, x, 0.1, 4, 2.0, stream("t", "raw"), UNCLIPPED)
    vector = estimate(source, x, 0.1, 4, 2.0, stream("t", "raw"), VECTOR_CLIPPED)
    norm = np.linalg.norm(raw, axis=1, keepdims=True)
    assert np.allclose(vector, raw * np.minimum(1, 2.0 / norm))
    assert (clip_vector(np.zeros((1, 3)), 1.0) == 0).all()


@pytest.mark.parametrize("name", RECIPES)
def test_every_broken_recipe_differs_from_the_paper(name):
    x = np.full((3, 4), 0.5)
    right = estimate(oracle(p=1.05), x, 0.3, 5, 0.4, stream("t", "mutant"))
    wrong = estimate(oracle(p=1.05), x, 0.3, 5, 0.4, stream("t", "mutant"), RECIPES[name])
    assert not np.allclose(right, wrong, rtol=1e-9)


def test_nan_is_never_a_number():
    broken = estimator.PAPER.but(difference=lambda *a: np.full((1, 4), np.nan))
    with pytest.raises(FloatingPointError, match="NaN"):
        estimate(oracle(), np.ones((1, 4)), 0.1, 4, 1.0, stream("t", "nan"), broken)


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"mu": 0.0}, ValueError, "mu must be positive"),
        ({"mu": math.nan}, ValueError, "mu must be positive"),
        ({"tau": -1.0}, ValueError, "tau must be positive"),
        ({"M": 0}, ValueError, "batch size M"),
        ({"M": 2.0}, ValueError, "batch size M"),
        ({"x": np.ones((1, 3))}, ValueError, "d = 4"),
        ({"x": np.full((1, 4), np.inf)}, ValueError, "finite"),
        ({"x": np.ones((1, 4), dtype=np.float32)}, TypeError, "float32"),
    ],
)
def test_bad_arguments_are_named(change, error, said):
    arguments = {"x": np.ones((1, 4)), "mu": 0.1, "M": 4, "tau": 1.0} | change
    with pytest.raises(error, match=said):
        estimate(oracle(), **arguments, rng=stream("t", "bad"))
