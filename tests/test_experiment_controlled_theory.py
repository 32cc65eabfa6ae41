"""Closed forms, bands and the simulator of the controlled experiment against independent computations."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import erfc
from slow import more

from proofs_numeric.experiments.controlled_runs import blocks
from proofs_numeric.experiments.controlled_settings import RAW, SCALAR, THEORY, VECTOR, Configuration, Settings
from proofs_numeric.experiments.controlled_simulation import Diverged, diagnose, draw, seed_stream, simulate, start
from proofs_numeric.experiments.controlled_statistics import (
    median_band,
    protocol_band,
    quantile_interval,
    rank_law,
    rate_interval,
)
from proofs_numeric.experiments.controlled_theory import (
    NO_FLOOR,
    Floor,
    batch_noise_law,
    clipped_second_moment,
    direction_moment,
    passing,
    positive_stable_cdf,
    positive_stable_median,
    prescribed,
    raw_floor,
    scalar_floor,
    vector_floor,
)


def expectation(h, d: int) -> float:
    """E h(V), V = sqrt(d) |u_1|: u_1 = cos(angle), angle with density proportional to sin^(d-2)."""
    weight = quad(lambda a: math.sin(a) ** (d - 2), 0, math.pi / 2)[0]
    return (
        quad(lambda a: h(math.sqrt(d) * math.cos(a)) * math.sin(a) ** (d - 2), 0, math.pi / 2, limit=400)[0] / weight
    )


@settings(deadline=None, max_examples=25)
@given(st.integers(3, 60), st.floats(1.05, 3.0), st.floats(0.1, 6.0))
def test_clipped_moments_match_quadrature(d: int, p: float, c: float) -> None:
    def passed(v: float) -> float:
        return 1 - (v / c) ** p if v < c else 0.0

    def second(v: float) -> float:
        if v >= c:
            return c * c
        inside = math.log(c / v) if abs(p - 2) < 1e-9 else ((c / v) ** (2 - p) - 1) / (2 - p)
        return v * v * (1 + 2 * inside) if v > 0 else 0.0

    assert float(passing(c, p, d)) == pytest.approx(expectation(passed, d), rel=1e-5, abs=1e-7)
    assert clipped_second_moment(c, p, d) == pytest.approx(expectation(second, d), rel=1e-5)
    assert direction_moment(p, d) == pytest.approx(expectation(lambda v: v**p, d), rel=1e-7)


def test_stable_law_with_index_one_half_is_levy() -> None:
    for x in (0.05, 1.0, 30.0):
        assert positive_stable_cdf(x, 0.5) == pytest.approx(erfc(1 / (2 * math.sqrt(x))), abs=1e-10)
    assert positive_stable_cdf(positive_stable_median(0.6), 0.6) == pytest.approx(0.5, abs=1e-9)


def run(method: str, alpha: float, level: float, p: float, d: int, M: int, floor: Floor, seeds: int) -> np.ndarray:
    """Final norms of independent seeds, from a start at 1.5 times the floor that is claimed.

    Of the start exp(-2 alpha kappa T) is left in E |x_T|^2: at alpha kappa T = 3 it moves the measured floor by 0.15 %
    where the claim is right and by 1 % where the true floor is half of it, which hides no 5 %.
    """
    rngs = [seed_stream(7, d, "band", k) for k in range(seeds)]
    steps, x0 = math.ceil(3 / (alpha * floor.kappa)), start("diagonal", 1.5 * floor.leading, d)
    return simulate(rngs, d, [p], [Configuration(method, alpha, level)], M, steps, x0).last[:, 0, 0]


@pytest.mark.parametrize("p, tau", [more(1.2, 0.2), (1.5, 0.3), more(2.5, 0.3)])
def test_scalar_floor(p: float, tau: float) -> None:
    d, M, alpha = 40, 64, 0.06
    floor = scalar_floor(tau, alpha, p, d, M)
    norms = run(SCALAR, alpha, tau, p, d, M, floor, 150)
    measured = math.sqrt(float((norms**2).mean()))  # standard error about 1 %
    assert measured == pytest.approx(floor.leading, rel=0.05)
    assert measured == pytest.approx(floor.refined, rel=0.03)
    twins = {"no drift": math.sqrt(floor.kappa), "no factor d": 1 / math.sqrt(d), "M for sqrt M": 1 / math.sqrt(M)}
    for factor in twins.values():
        assert abs(measured / (floor.leading * factor) - 1) > 0.05


@pytest.mark.thorough
@pytest.mark.parametrize("p, radius", [(1.5, 1.0), (1.5, 3.0), (2.5, 1.0)])
def test_vector_floor(p: float, radius: float) -> None:
    d, M, alpha = 60, 64, 0.04
    floor = vector_floor(radius, alpha, p, d, M)
    norms = run(VECTOR, alpha, radius, p, d, M, floor, 100)
    measured = math.sqrt(float((norms**2).mean()))
    assert measured == pytest.approx(floor.leading, rel=0.05)
    assert abs(measured / (floor.leading * math.sqrt(floor.kappa)) - 1) > 0.05


@pytest.mark.thorough
def test_raw_median_follows_the_stable_law() -> None:
    d, M, alpha, steps, seeds, exponents = 25, 64, 0.12, 59, 1200, (1.5, 1.8)
    rngs = [seed_stream(7, d, "band", k) for k in range(seeds)]
    runs = simulate(rngs, d, exponents, [Configuration(RAW, alpha)], M, steps, start("diagonal", 1.0, d))
    half = math.sqrt(seeds)  # two binomial standard deviations of the rank
    for p, norms in zip(exponents, runs.last[:, :, 0].T, strict=True):
        floor = raw_floor(alpha, p, d, M, steps)
        low, high = np.sort(norms)[[round(seeds / 2 - half), round(seeds / 2 + half)]]
        assert low / 1.05 <= floor.refined <= high * 1.05
        assert (
            not low / 1.05 <= floor.refined * M ** (1 / p) / math.sqrt(M) <= high * 1.05
        )  # finite variance's scaling
        if p == 1.8:
            assert floor.leading > high * 1.05  # without the shift


def test_no_floor_in_one_dimension_below_all_noise() -> None:
    assert scalar_floor(0.9, 0.1, 1.5, 1, 16) == NO_FLOOR
    assert math.isfinite(scalar_floor(1.5, 0.1, 1.5, 1, 16).refined)


def test_raw_scaling_is_the_claimed_one() -> None:
    one, other = (raw_floor(a, 1.5, 100, M, 10**6).leading for a, M in ((0.01, 256), (0.08, 256)))
    assert other / one == pytest.approx(8 ** (1 / 3))
    assert raw_floor(0.01, 1.5, 100, 2048, 10**6).leading == pytest.approx(one / 2)


@pytest.mark.parametrize("p", [1.2, 1.5, 2.5])
def test_law_of_the_batch_noise(p: float) -> None:
    d, M, N = 100, 64, 800
    rng = np.random.default_rng(5)
    sample = np.empty(N)
    for n in range(N):
        batch = draw(rng, M, d)
        sample[n] = np.linalg.norm(batch.noise(p, 1.0) @ batch.u) * d / M
    rho, law = batch_noise_law(p, d, M)
    at = np.interp(np.sort(sample), rho, law)
    distance = np.abs(at - (np.arange(N) + 0.5) / N).max()
    assert distance < 1.95 / math.sqrt(N)  # exceeded with probability 1e-3, the dropped cross terms apart
    shifted = np.interp(np.sort(sample) * 1.2, rho, law)
    assert np.abs(shifted - (np.arange(N) + 0.5) / N).max() > 1.95 / math.sqrt(N)


def test_prescribed_threshold() -> None:
    theory = prescribed(1.5, 100, 256, 800, 0.1, 1.0, 1.0)
    assert theory.tau == pytest.approx(8 * (math.sqrt(0.5) + 1) / 10 * (256 / math.log(8000)) ** (1 / 1.5), rel=1e-12)
    assert theory.deviation > 1000  # the theorem's bound is far above what this experiment asks for
    with pytest.raises(ValueError, match="--batch: 5 is below"):
        prescribed(1.5, 100, 5, 800, 0.1, 1.0, 1.0)


def test_simulator_equals_a_plain_transcription() -> None:
    d, M, steps, p, tau, r = 6, 9, 25, 1.4, 0.3, 0.7
    configurations = [
        Configuration(RAW, 0.05),
        Configuration(VECTOR, 0.1, r),
        Configuration(SCALAR, 0.1, tau),
        Configuration(THEORY, 0.2),
    ]
    fast = simulate(
        [seed_stream(3, d, "tuning", k) for k in range(3)],
        d,
        [1.7, p],
        configurations,
        M,
        steps,
        start("axis", 2.0, d),
        scale=0.5,
        curves=True,
        prescribed=[9.0, 1.0],
    )
    for k in range(3):
        rng = seed_stream(3, d, "tuning", k)
        xs = [start("axis", 2.0, d) for _ in configurations]
        clipped, best = 0, [2.0] * 4
        for _ in range(steps):
            batch = draw(rng, M, d)
            W = batch.noise(p, 0.5)
            for c, configuration in enumerate(configurations):
                g = np.zeros(d)
                for u, w in zip(batch.u, W, strict=True):
                    y = float(xs[c] @ u + w)
                    limit = {SCALAR: tau, THEORY: 1.0}.get(configuration.method, math.inf)
                    clipped += configuration.method == THEORY and abs(y) > limit
                    g += d / M * math.copysign(min(abs(y), limit), y) * u
                if configuration.method == VECTOR and np.linalg.norm(g) > r:
                    g *= r / np.linalg.norm(g)
                xs[c] = xs[c] - configuration.alpha * g
                best[c] = min(best[c], float(np.linalg.norm(xs[c])))
        np.testing.assert_allclose(fast.last[k, 1], [np.linalg.norm(x) for x in xs], rtol=1e-10)
        np.testing.assert_allclose(fast.best[k, 1], best, rtol=1e-10)
        assert fast.clipped[k, 1, 3] * M * steps == pytest.approx(clipped)
        np.testing.assert_array_equal(fast.curve[k, 1, :, -1], fast.last[k, 1])


def test_numbers_do_not_depend_on_how_seeds_are_batched() -> None:
    configurations = [Configuration(RAW, 0.05), Configuration(SCALAR, 0.1, 0.3)]
    x0 = start("diagonal", 1.0, 30)

    def final(seeds: tuple[int, ...]) -> np.ndarray:
        rngs = [seed_stream(3, 30, "band", k) for k in seeds]
        return simulate(rngs, 30, [1.5], configurations, 32, 20, x0).last

    together = final(tuple(range(5)))
    apart = np.concatenate([final(seeds) for seeds in ((0,), (1, 2), (3, 4))])
    np.testing.assert_array_equal(together, apart)
    assert list(itertools.chain(*blocks(9))) == list(range(9))


def test_stages_never_share_random_numbers() -> None:
    draws = {
        float(seed_stream(1, d, stage, k).standard_normal())
        for d in (25, 100)
        for stage in ("tuning", "evaluation", "band", "diagnostic", "raw check")
        for k in range(30)
    }
    assert len(draws) == 2 * 5 * 30


def test_divergence_is_an_error() -> None:
    with pytest.raises(Diverged, match="finite numbers"), np.errstate(all="ignore"):
        simulate(
            [seed_stream(1, 50, "tuning", 0)], 50, [1.5], [Configuration(RAW, 1.9)], 2, 2000, start("axis", 1.0, 50)
        )


def test_vector_clipping_keeps_the_cosine_and_scalar_clipping_raises_it() -> None:
    seen = diagnose(np.random.default_rng(0), start("diagonal", 1.0, 50), 1.5, 128, 0.1, (0.1, 50.0), 1.0, 60)
    np.testing.assert_allclose(seen.vector_cosine, seen.raw_cosine, atol=1e-12)
    assert np.median(seen.scalar_cosine[:, 0]) > np.median(seen.raw_cosine) + 0.1
    assert (seen.dominance > 0).all()


def test_rank_law_by_enumeration() -> None:
    N, n, r = 3, 4, 2
    counts = np.zeros(N + 1)
    for places in itertools.combinations(range(N + n), N):  # all orders of N old among n new are equally likely
        new = [k for k in range(N + n) if k not in places]
        counts[sum(k < new[r - 1] for k in places)] += 1
    np.testing.assert_allclose(rank_law(N, n, r), counts / counts.sum(), rtol=1e-12)


@pytest.mark.thorough
@pytest.mark.parametrize("N, n", [(20, 20), (150, 20), (60, 21)])
def test_median_band_covers(N: int, n: int) -> None:
    rng, trials, held, narrow = np.random.default_rng(11), 2000, 0, 0
    for _ in range(trials):
        low, high = median_band(rng.standard_cauchy(N), n, 0.95)
        median = np.median(rng.standard_cauchy(n))
        held += low <= median <= high
        narrow += low / 3 <= median <= high / 3
    assert held / trials > 0.95 - 4 * math.sqrt(0.05 * 0.95 / trials)
    assert narrow / trials < 0.9  # a band a third as wide would be found out
    assert median_band(np.arange(5.0), 20, 0.95) is None


def test_intervals_and_protocol_band() -> None:
    assert rate_interval(0, 20, 0.95) == (0.0, pytest.approx(1 - 0.025 ** (1 / 20)))
    low, high = quantile_interval(np.arange(1.0, 101.0), 0.5, 0.95)
    assert (low, high) == (40.0, 61.0)  # the textbook ranks for n = 100
    rng = np.random.default_rng(2)
    good, bad = rng.normal(1.0, 0.1, 200), rng.normal(2.0, 0.1, 200)
    band = protocol_band(np.column_stack([bad, good]), 6, 20, False, 300, 0.95, rng)
    assert 0.9 < band[0] < 1.0 < band[1] < 1.1
    assert protocol_band(np.ones((30, 2)), 6, 20, False, 300, 0.95, rng) is None


def test_tables_share_cells_and_settings_name_all_faults() -> None:
    s = Settings()
    assert len(s.cells) == 7
    assert s.representative == (100, 1.5)
    with pytest.raises(ValueError, match=r"--batch: 0.*\n--steps: 1") as error:
        Settings(batch=0, steps=1)
    assert len(str(error.value).splitlines()) == 2
