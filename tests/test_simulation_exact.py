"""The simulation's recursions against transcriptions on the numbers they drew: no tolerance for chance anywhere."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from proofs_numeric.exact_in_law import radial, radial_run
from proofs_numeric.exact_in_law.binned import MOST, BinnedNoise
from proofs_numeric.exact_in_law.radial import Axis
from proofs_numeric.model import estimator, optimizer
from proofs_numeric.model.estimator import clip, estimate
from proofs_numeric.model.noise import Noise, Pareto
from proofs_numeric.model.objectives import LogCosh
from proofs_numeric.model.optimizer import Parameters, optimize
from proofs_numeric.model.oracles import LinearNoiseOracle
from proofs_numeric.model.sphere import gaussian
from proofs_numeric.model.streams import stream
from proofs_numeric.precision.replay import EPS

BASE = Parameters(5, 0.3, 0.1, 3, 2.0)
MOMENTUM = Parameters(5, 0.4, 0.1, 3, 2.0, 0.7, 4, 3.0)
METHODS = pytest.mark.parametrize("q", [BASE, MOMENTUM], ids=["base", "momentum"])


@METHODS
def test_the_whole_record_of_a_run_by_replication(q, monkeypatch):
    """Every field, replication by replication, from the estimates that were drawn."""
    source = LinearNoiseOracle(LogCosh(3, 1.5), Noise(Pareto(1.5, 0.3), "uniform", 3))
    f, seen = source.objective, []

    def watched(oracle, x, mu, M, tau, *more):
        seen.append((x.copy(), M, tau, estimate(oracle, x, mu, M, tau, *more)))
        return seen[-1][3]

    monkeypatch.setattr(optimizer, "estimate", watched)

    x0 = np.random.default_rng(1).normal(size=(4, 3))
    run = optimize(source, x0, q, stream("t", "record"))
    for r in range(4):
        x, m = x0[r], np.zeros(3)
        for t, (point, M, tau, g) in enumerate(seen):
            warm = q.beta > 0 and t == 0
            assert (M, tau) == ((q.M0, q.tau0) if warm else (q.M, q.tau))
            assert np.allclose(point[r], x)
            m = g[r] if warm or not q.beta else q.beta * m + (1 - q.beta) * g[r]
            slope = f.smoothed_gradient(x[None], q.mu)[0]
            assert run.gradient2[t, r] == pytest.approx((f.gradient(x) ** 2).sum())
            assert run.error2[t, r] == pytest.approx(((m - slope) ** 2).sum())
            x = x - q.alpha * m
        assert np.allclose(run.last[r], x)


@METHODS
def test_the_radial_run_is_the_run_in_the_plane(q, monkeypatch):
    """d = 2: the complement is a line, so a sum across has two values; vectors tell the rest."""
    drawn, honest = [], radial_run.estimate

    def recorded(axis, slope, M, tau, rng):
        drawn.append((slope.copy(), M, tau, *honest(axis, slope, M, tau, rng)))
        return drawn[-1][3:]

    monkeypatch.setattr(radial_run, "estimate", recorded)
    L, R = 1.7, 40
    run = radial_run.descend(Axis(2, Pareto(1.5, 0.3), "uniform"), L, np.full(R, 1.5), q, stream("t", "plane"))
    for r in range(R):
        x, m = np.array([1.5, 0.0]), np.zeros(2)
        for t, (slope, M, tau, along, across) in enumerate(drawn):
            warm = q.beta > 0 and t == 0
            assert (M, tau) == ((q.M0, q.tau0) if warm else (q.M, q.tau))
            assert slope[r] == pytest.approx(L * np.linalg.norm(x))
            e = x / np.linalg.norm(x)
            n = np.array([-e[1], e[0]])
            keep = 0.0 if warm or not q.beta else q.beta
            options = [keep * m + (1 - keep) * (along[r] * e + side * across[r] * n) for side in (1, -1)]
            m = min(options, key=lambda v: abs(abs(v @ n) - run.across[t, r]))
            assert abs(m @ n) == pytest.approx(run.across[t, r], abs=1e-7)
            assert m @ e == pytest.approx(run.along[t, r], abs=1e-7)
            x = x - q.alpha * m
            assert np.linalg.norm(x) == pytest.approx(run.length[t + 1, r], abs=1e-7)


def test_a_run_that_arrives_stays_where_it_is(monkeypatch):
    """r' = 0 has no direction: the momentum is along the next point, nothing is divided by zero."""
    monkeypatch.setattr(radial_run, "estimate", lambda axis, slope, M, tau, rng: (slope, 0 * slope))
    run = radial_run.descend(Axis(3, Pareto(1.5), "uniform"), 1.0, np.ones(2), Parameters(2, 1.0, 0.1, 1, 9.0), None)
    assert run.length.tolist() == [[1, 1], [0, 0], [0, 0]] and (run.across == 0).all()
    q = Parameters(3, 1.0, 0.1, 1, 9.0, 0.5, 1, 9.0)
    run = radial_run.descend(Axis(2, Pareto(1.5), "uniform"), 1.0, np.ones(2), q, stream("t", "arrives"))
    assert np.allclose(run.length[:, 0], [1, 0, 0.5, 0.5]) and (run.across == 0).all()  # m = 1, then 1/2, then 0


def test_the_two_moments_of_a_radial_run_in_closed_form():
    """T = 1 and T = 2 from x = A x_0 + B e_0 + C e_1 with independent errors, at L, M, M0 and d that are not 1."""
    d, L, start, power = 4, 1.7, 1.3, 0.6
    spread = lambda xx, M: ((d - 1) * L**2 * xx + d * power) / M  # noqa: E731
    for T, q in ((1, MOMENTUM), (2, MOMENTUM), (1, BASE), (2, BASE)):
        q = Parameters(T, q.alpha, q.mu, q.M, q.tau, q.beta, q.M0, q.tau0)
        a, b, M0 = q.alpha, q.beta, q.M0 or q.M
        one, noise = 1 - a * L, spread(start**2, M0)
        xx1 = (one * start) ** 2 + a**2 * noise
        if T == 1:
            wanted, mean = xx1, one * start
        else:
            on_start = one - a * (b * L + (1 - b) * L * one)
            on_noise = -a - a * (b - (1 - b) * L * a)
            wanted = (on_start * start) ** 2 + on_noise**2 * noise + (a * (1 - b)) ** 2 * spread(xx1, q.M)
            mean = on_start * start
        found = radial_run.second_moments(Axis(d, Pareto(1.5), "uniform"), L, start, q, power)
        assert found == (pytest.approx(wanted), pytest.approx(mean**2))


@pytest.mark.parametrize(("alpha", "stretch"), [(0.1, 1.0), (0.9, 0.9 * 2 * 5 - 1)])
def test_the_bound_on_rounding_is_the_geometric_sum(alpha, stretch):
    q, d, L, reach = Parameters(3, alpha, 0.1, 7, 2.0), 5, 2.0, 1.5
    each = alpha * math.sqrt((4 * 7 + 64) * EPS) * d * (2.0 + 2 * L * reach) + 8 * EPS * (reach + alpha * d * 2.0)
    wanted = each * (1 + stretch + stretch**2)
    assert radial_run.doubt(Axis(d, Pareto(1.5), "uniform"), L, reach, q) == pytest.approx(wanted)


class Counted(BinnedNoise):
    """Keeps the batches whose counts were drawn."""

    def counts(self, M, rows, rng):
        self.__dict__.setdefault("batches", []).append(M)
        return super().counts(M, rows, rng)


@pytest.mark.parametrize("M", [MOST, MOST + 1, 2 * MOST + 2])
def test_a_large_batch_is_the_sum_of_its_pieces(M):
    noise = Counted(Pareto(1.5), 20, 4)
    share = noise.shares(M, 2, stream("t", "pieces"))
    assert sum(noise.batches) == M and max(noise.batches) <= MOST
    assert max(noise.batches) - min(noise.batches) <= 1
    assert np.allclose(share.sum(axis=1), 1, rtol=1e-12)


def test_binned_intervals_are_rounded_outwards_at_both_slopes():
    noise, slopes, M, tau = BinnedNoise(Pareto(1.5), 20, 4), (np.array([0.3, -1.0]), np.array([2.0, 5.0])), 50, 3.0
    found = noise.estimates(slopes, M, tau, stream("t", "outwards"))
    share = noise.shares(M, 2, stream("t", "outwards"))
    _, low, high = noise.bins
    for slope, (least, most) in zip(slopes, found, strict=True):
        for r in range(2):
            for end, side, sign in ((least, low, -1), (most, high, 1)):
                values = clip(slope[r] + side, tau)
                exact, size = math.fsum(share[r] * values), math.fsum(share[r] * np.abs(values))
                outwards = sign * (end[r] - exact)
                assert 0.5e-15 * len(side) * size < outwards < 1.5e-15 * len(side) * size


def test_log_cosh_keeps_its_digits_near_zero_and_far_away():
    for x in (1e-8, 1e-4, 0.3, 1.0, 1.7, 30.0, 800.0):
        with mpmath.workdps(60):
            wanted = float(mpmath.log(mpmath.cosh(mpmath.mpf(x))))
        assert LogCosh(1).value(np.array([[x]]))[0] == pytest.approx(wanted, rel=1e-14, abs=0)


def test_gaussian_vectors_are_put_where_there_is_room():
    room = np.empty(20)
    z, norm = gaussian(stream("t", "room"), 4, 3, room)
    assert np.shares_memory(z, room) and np.allclose(norm, np.linalg.norm(z, axis=1))
    assert (z == gaussian(stream("t", "room"), 4, 3)[0]).all()


def test_the_layout_of_draws_that_stored_results_rest_on():
    """Another block size would draw the same laws from other numbers, and no stored result could be replayed."""
    assert (estimator.BLOCK, radial.BLOCK) == (1 << 16, 1 << 14)
