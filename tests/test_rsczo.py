"""RSCZO is Algorithm 1: its scale, its sign, its clip and its momentum, each with a planted fault that is noticed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason='needs pip install "boundcheck[torch]"')

from plain_oracle import PlainOracle  # noqa: E402
from rsczo_tools import PARAMETRISATIONS, linear, make, normal, one_thread, rejects  # noqa: E402, F401

from proofs_numeric.model.estimator import PAPER  # noqa: E402
from proofs_numeric.model.objectives import Quadratic  # noqa: E402
from proofs_numeric.model.optimizer import ALGORITHM, Parameters, optimize  # noqa: E402
from proofs_numeric.tuning import RSCZO, estimate, rsczo, sphere_from_gaussian  # noqa: E402

pytestmark = pytest.mark.torch


# Which way, and how far


def descends(parametrisation="gaussian", clip="scalar"):
    x = normal(20, seed=1)
    mu, tau = (1e-3, 5.0) if parametrisation == "gaussian" else sphere_from_gaussian(20, 1e-3, 5.0)
    optimizer = make([x], lr=0.02, mu=mu, tau=tau, parametrisation=parametrisation, clip=clip)
    start = float((x.detach() ** 2).sum())
    for _ in range(200):
        optimizer.step(lambda: (x**2).sum() / 2)
    assert float((x.detach() ** 2).sum()) < 0.5 * start


@PARAMETRISATIONS
@pytest.mark.parametrize("clip", ["scalar", "vector", "none"])
def test_it_descends(monkeypatch, parametrisation, clip):
    descends(parametrisation, clip)
    ascent = ALGORITHM.but(move=lambda x, m, alpha: x + alpha * m)
    rejects(monkeypatch, lambda: descends(parametrisation, clip), (rsczo, "ALGORITHM", ascent))


def scale_is_free_of_mu(parametrisation="gaussian"):
    ends = []
    for mu in (1e-1, 1e-4):
        x = normal(30, seed=1)
        make([x], mu=mu, M=2, parametrisation=parametrisation).step(linear([x], [normal(30, seed=2)]))
        ends.append(x.detach() - normal(30, seed=1).detach())
    assert torch.allclose(*ends, rtol=1e-6, atol=1e-9) and float(ends[0].norm()) > 0.1


@PARAMETRISATIONS
def test_on_a_linear_loss_mu_does_not_matter(monkeypatch, parametrisation):
    scale_is_free_of_mu(parametrisation)
    honest = estimate.pair

    def undivided(loss, number, excursion, mu):
        return tuple(mu * value for value in honest(loss, number, excursion, mu))

    rejects(monkeypatch, lambda: scale_is_free_of_mu(parametrisation), (rsczo, "pair", undivided))


def is_unbiased(parametrisation="gaussian", M=1500):
    """The mean of g on a linear loss is its slope: chi-square of 6 standardised means, false alarm 1e-6."""
    x, slope = normal(6, seed=1), normal(6, seed=2)
    optimizer = make([x], lr=1.0, M=M, parametrisation=parametrisation)
    closure = linear([x], [slope])
    home = x.detach().clone()
    optimizer.step(closure)
    g, a = (home - x).detach(), slope.detach()
    v = torch.stack([(point[0] - home) / 1e-3 for point in closure.points[::2]])
    if parametrisation == "sphere":
        assert torch.allclose(v.norm(dim=1), torch.ones(M, dtype=torch.float64), rtol=1e-9)
        # Cov(d <a, u> u) = (d ||a||^2 I + 2 d a a^T)/(d + 2) - a a^T
        covariance = 6 * (a @ a * torch.eye(6) + 2 * torch.outer(a, a)) / 8 - torch.outer(a, a)
    else:
        covariance = a @ a * torch.eye(6) + torch.outer(a, a)
    statistic = float((g - a) @ torch.linalg.solve(covariance / M, g - a))
    assert statistic < 38.3  # P(chi^2_6 > 38.3) < 1.1e-6


@PARAMETRISATIONS
def test_the_estimate_is_unbiased_on_a_linear_loss(monkeypatch, parametrisation):
    is_unbiased(parametrisation)
    patch = (rsczo.Settings, "factor", lambda self, d: 1 if self.parametrisation == "sphere" else 2)
    rejects(monkeypatch, lambda: is_unbiased(parametrisation), patch)


def parametrisations_agree(translate=sphere_from_gaussian):
    """From the same numbers, z and u = z/||z||: the updates differ by ||z||^2/d - 1, here at most 6 sigma = 8.5%."""
    ends = []
    for parametrisation in ("gaussian", "sphere"):
        x = normal(10_000, seed=1)
        mu, tau = (1e-3, 0.5) if parametrisation == "gaussian" else translate(10_000, 1e-3, 0.5)
        optimizer = make([x], mu=mu, tau=tau, M=16, parametrisation=parametrisation)
        optimizer.step(linear([x], [normal(10_000, seed=2, scale=0.01)]))
        assert 0 < optimizer.last.clip_fraction < 1
        ends.append((x - normal(10_000, seed=1)).detach())
    assert float((ends[0] - ends[1]).norm()) < 0.085 * float(ends[0].norm())


def test_the_units_translate(monkeypatch):
    parametrisations_agree()
    for wrong in (
        lambda d, mu, tau: (mu, tau),
        lambda d, mu, tau: (mu, tau / d),
        lambda d, mu, tau: (mu * d**0.5, tau * d**0.5),
    ):
        with pytest.raises(AssertionError):
            parametrisations_agree(wrong)


# Algorithm 1 itself, against the simulation's


def trajectory(momentum, T=12, d=6, M=3):
    """(x_T of the class, x_T of the simulation) on the same directions and the same heavy-tailed xi."""
    options = {"mu": 0.1, "M": M, "tau": 1.5, **momentum}
    total = (T * M) + momentum.get("M0", 0)
    xi = np.random.default_rng(1).standard_t(1.5, (total, d))
    x = normal(d, seed=4)
    home = x.detach().numpy().copy()
    optimizer = RSCZO([x], lr=0.05, parametrisation="sphere", check_first=False, **options)
    first, u = [0], []
    for _ in range(T):
        M_now, start = optimizer.next_directions, x.detach().clone()
        seen = {}

        def closure(m, start=start, seen=seen):
            seen.setdefault(m, (x.detach() - start) / 0.1)
            return (x * x).sum() / 2 + (torch.from_numpy(xi[first[0] + m]) * x).sum()

        optimizer.step(closure)
        first[0] += M_now
        u += [seen[m].numpy() for m in range(M_now)]
    places = {"u": iter(u), "xi": iter(xi)}
    oracle = PlainOracle(
        d,
        lambda points, xi: (points * points).sum(axis=1) / 2 + (xi * points).sum(axis=1),
        lambda rng, n: np.array(list(itertools.islice(places["xi"], n))),
        Quadratic(d),
    )
    recipe = PAPER.but(directions=lambda rng, n, d: np.array(list(itertools.islice(places["u"], n))))
    parameters = Parameters(T, 0.05, 0.1, M, 1.5, **momentum)
    path = optimize(oracle, home[None], parameters, np.random.default_rng(0), recipe=recipe)
    return x.detach().numpy(), path.last[0]


def agrees(momentum):
    assert np.allclose(*trajectory(momentum), rtol=1e-10, atol=1e-10)


MOMENTUM = {"beta": 0.8, "M0": 5, "tau0": 4.0}


@pytest.mark.parametrize("momentum", [{}, MOMENTUM], ids=["base", "momentum"])
def test_on_the_sphere_it_is_the_algorithm_of_the_simulation(monkeypatch, momentum):
    agrees(momentum)
    unclipped = (estimate, "scalar_weight", lambda y, tau, d: d * y)
    after = (estimate, "scalar_weight", lambda y, tau, d: d * np.clip(y, -tau, tau) / 1.01)
    for patch in (unclipped, after):
        rejects(monkeypatch, lambda: agrees(momentum), patch)


def test_the_warm_start_is_a_separate_estimate(monkeypatch):
    honest = RSCZO._momentum
    cold = (RSCZO, "_momentum", lambda self, parameter, warm: (honest(self, parameter, warm)[0], False))
    heavy_ball = (rsczo, "ALGORITHM", ALGORITHM.but(average=lambda m, g, beta: beta * m + g))
    for patch in (cold, heavy_ball):
        rejects(monkeypatch, lambda: agrees(MOMENTUM), patch)


def clips_before_averaging():
    """Two directions with Y of +-100 and +-1 at tau = 2: the large one is cut, the small one is whole."""
    x = normal(500, seed=1)
    sizes = {0: 100.0, 1: 1.0}
    signs = {}

    def closure(m):
        side = signs[m] = -signs.get(m, -1)
        return side * sizes[m] * 1e-3

    optimizer = make([x], M=2, tau=2.0)
    optimizer.step(closure)
    assert optimizer.last.raw == pytest.approx((100.0, 1.0)) and optimizer.last.clipped == pytest.approx((2.0, 1.0))
    assert optimizer.last.clip_fraction == 0.5


def test_each_scalar_is_clipped_before_averaging(monkeypatch):
    clips_before_averaging()
    mean_first = (estimate, "scalar_weight", lambda y, tau, d: np.full_like(y, np.clip(y.mean(), -tau, tau)))
    rejects(monkeypatch, clips_before_averaging, mean_first)


def test_with_one_direction_scalar_and_vector_clipping_are_one_update_on_the_sphere():
    ends = []
    for clip in ("scalar", "vector", "none"):
        x = normal(50, seed=1)
        optimizer = make([x], mu=1e-2, tau=0.01, clip=clip, parametrisation="sphere")
        optimizer.step(linear([x], [normal(50, seed=3)]))
        ends.append(x.detach())
        assert optimizer.last.clip_fraction == (clip != "none")
        if clip == "vector":
            assert optimizer.last.norm == pytest.approx(50 * abs(optimizer.last.raw[0]))
    assert torch.allclose(ends[0], ends[1], rtol=1e-12) and not torch.allclose(ends[0], ends[2], rtol=1e-3)
