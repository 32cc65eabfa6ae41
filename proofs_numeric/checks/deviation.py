"""One batched estimator: the fluctuation A, the deviation g(x) - grad f_mu(x), and its tuned form."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from boundcheck.paper.values import value as bound
from proofs_numeric.checks.cell import CLAIM, COMPANION, PLANTED, Cell, Draw
from proofs_numeric.checks.mutants import RECIPES
from proofs_numeric.checks.places import GRID, Setting
from proofs_numeric.exact_in_law.exact_laws import ExactLaw
from proofs_numeric.model.estimator import PAPER, Recipe, estimate, repeat
from proofs_numeric.model.sphere import Array
from proofs_numeric.precision import replay, rounding
from proofs_numeric.stats.decision_rules import Exceedance
from proofs_numeric.stats.heavy_mean import HeavyMean

FLUCTUATION = "lem:hp-shared-empirical-fluctuation"
LOCALIZED = "cor:hp-shared-localized"
TUNED = "cor:hp-shared-localized-tuned"
TRIALS, CHUNK = 1 << 12, 1 << 9
MOMENT_TRIALS, MOMENT_CHUNK = 1 << 14, 1 << 11


@dataclass(frozen=True)
class Batch:
    """One estimator: where, how many directions, clipped at what."""

    setting: Setting
    M: int
    tau: float

    @property
    def law(self) -> ExactLaw:
        """The exact law of (Y, u_1)."""
        return self.setting.known

    @property
    def mean(self) -> Array:
        """E g(x) = d E[psi_tau(Y) u], shape (d,)."""
        out = np.zeros(self.setting.d)
        out[0] = self.setting.d * self.law.aligned(self.tau)
        return out

    @property
    def mean_square(self) -> float:
        """E ||g(x) - E g(x)||^2 = (d^2 E psi^2 - ||E g||^2)/M."""
        return (self.setting.d**2 * self.law.clipped_moment(2, self.tau) - self.mean[0] ** 2) / self.M

    def square_variance(self, centre: Array) -> float:
        """A bound on Var ||g - centre||^2 from the exact moments of the summands.

        With w = g_1 - E g, W their mean over M, b = E g - centre: E||W||^4 <= E||w||^4/M^3 + (E||w||^2)^2/M^2 +
        2 tr(Sigma^2)/M^2 and tr(Sigma^2) <= (E||w||^2)^2, so Var||W||^2 <= E||w||^4/M^3 + 2 (E||w||^2)^2/M^2; and
        ||W + b||^2 = ||W||^2 + 2<W, b> + ||b||^2 has a standard deviation of at most the sum of those of its parts.
        (E||w||^4)^(1/4) <= d (E psi^4)^(1/4) + ||E g|| (Minkowski).
        """
        M, shift, drift = self.M, float(np.linalg.norm(self.mean - centre)), float(np.linalg.norm(self.mean))
        fourth = (self.setting.d * self.law.clipped_moment(4, self.tau) ** 0.25 + drift) ** 4
        own = math.sqrt(fourth / M**3 + 2 * self.mean_square**2)
        return 1.000001 * (own + 2 * shift * math.sqrt(self.mean_square)) ** 2  # quadrature is off by far less


def draw_distance(batch: Batch, centre: Callable[[], Array], recipe: Recipe = PAPER, power: int = 1) -> Draw:
    """||g(x) - centre||^power, one estimator a trial."""

    def draw(rng: np.random.Generator, n: int) -> Array:
        s = batch.setting
        g = estimate(s.oracle, repeat(s.x, n), s.mu, batch.M, batch.tau, rng, recipe)
        return np.linalg.norm(g - centre(), axis=1) ** power

    def reference(tape: replay.Tape, n: int) -> replay.Values:
        s = batch.setting
        points = [replay.vector(s.x[0])] * n
        return replay.distances(replay.averages(tape, s.oracle, points, s.mu, batch.M, batch.tau), centre(), power)

    def width(values: Array, largest: float) -> Array:
        s = batch.setting
        error = rounding.average(s.oracle, s.x, s.mu, batch.M, batch.tau, largest)
        return rounding.distance(error, values, centre(), s.d)

    return replay.Replayed(draw, reference, width if power == 1 and recipe is PAPER else None)


def exceeds(limit: float, level: float, factor: float = 1.0) -> Exceedance:
    """P(distance > factor * limit) <= level; a ladder below the limit is watched for the quantile figure."""
    return Exceedance((factor * limit,), (level,), watch=tuple(limit * 2.0 ** (-k / 8) for k in range(1, 97)))


def fluctuation_bound(batch: Batch, rho: float) -> float:
    """The bound of lem:hp-shared-empirical-fluctuation at failure probability ``rho``."""
    s = batch.setting
    return bound(FLUCTUATION, p=s.p, d=s.d, S=s.S, tau=batch.tau, M=batch.M, rho=rho)


def fluctuation_rule(batch: Batch, rho: float) -> Exceedance:
    """P(||g - E g|| > bound) <= rho."""
    return exceeds(fluctuation_bound(batch, rho), rho)


def localized_rule(batch: Batch, q: float, factor: float = 1.0) -> Exceedance:
    """P(||g - grad f_mu|| > factor * bound) <= q = delta/T."""
    s = batch.setting
    limit = bound(LOCALIZED, p=s.p, d=s.d, S=s.S, tau=batch.tau, M=batch.M, lam=math.log(1 / q))
    return exceeds(limit, q, factor)


def square_rule(batch: Batch, centre: Array) -> HeavyMean:
    """E ||g(x) - centre||^2 = E ||g - E g||^2 + ||E g - centre||^2, exactly.

    The range of a mean of M vectors is M times too wide for it: the limits rest on the variance, from exact moments.
    """
    mean = batch.mean_square + float(np.sum((batch.mean - centre) ** 2))
    return HeavyMean(mean, 2.0, batch.square_variance(centre), mean, 0.0, "the exact law", exact=True)


def _claim(label: str, name: str, batch: Batch, centre: Callable[[], Array], rule: Callable[[], Exceedance]) -> Cell:
    return Cell(label, name, CLAIM, draw_distance(batch, centre), rule, TRIALS, CHUNK)


def _companion(label: str, name: str, batch: Batch, centre: Callable[[], Array]) -> Cell:
    draw = draw_distance(batch, centre, power=2)
    return Cell(
        label, name, COMPANION, draw, lambda: square_rule(batch, centre()), MOMENT_TRIALS, MOMENT_CHUNK, "mean"
    )


def mean_of(batch: Batch) -> Array:
    """E g(x), which is computed when it is asked for."""
    return batch.mean


def _planted_square(batch: Batch, centre: Callable[[], Array]) -> HeavyMean:
    return square_rule(batch, centre())


def _gradient(setting: Setting) -> Callable[[], Array]:
    return lambda: setting.smoothed_gradient


def cells() -> Iterator[Cell]:
    """Every cell of the fluctuation lemma and of the two deviation corollaries."""
    exact = [s for s in GRID if s.exact is not None]
    for s in exact:
        for k, M, rho in ((4, 32, 0.1), (16, 8, 0.5)):
            batch = Batch(s, M, k * s.S)
            name = f"{s.name}-tau{k}-M{M}-rho{rho:g}"
            yield _claim(
                FLUCTUATION,
                name,
                batch,
                partial(mean_of, batch),
                partial(fluctuation_rule, batch, rho),
            )
        yield _companion(FLUCTUATION, f"law-{name}", batch, partial(mean_of, batch))
    for s in GRID:
        q, M = 0.1, 32
        batch = Batch(s, M, 4 * s.S)
        yield _claim(
            LOCALIZED,
            f"{s.name}-tau4-M{M}",
            batch,
            _gradient(s),
            partial(localized_rule, batch, q),
        )
        if s.exact is not None:
            yield _companion(LOCALIZED, f"law-{s.name}-tau4-M{M}", batch, _gradient(s))
    for s in GRID:
        yield from _tuned(s, 16, 3, 1.0, "delta1")
        yield from _tuned(s, 2, 3, 3 * math.exp(-2), "M=lambda")
        yield from _tuned(s, 64, 3, 0.3, "delta0.3")
    yield from planted()


def tuned_rule(s: Setting, M: int, T: int, delta: float, factor: float = 1.0) -> Exceedance:
    """P(||g - grad f_mu|| > factor * bound) <= delta/T."""
    return exceeds(bound(TUNED, p=s.p, d=s.d, S=s.S, M=M, lam=math.log(T / delta)), delta / T, factor)


def _tuned(s: Setting, M: int, T: int, delta: float, word: str) -> Iterator[Cell]:
    batch = Batch(s, M, s.tuned_threshold(M, math.log(T / delta)))
    name = f"{s.name}-M{M}-{word}"
    yield _claim(TUNED, name, batch, _gradient(s), lambda: tuned_rule(s, M, T, delta))
    if s.exact is not None and word == "delta1":
        yield _companion(TUNED, f"law-{name}", batch, _gradient(s))


def planted() -> Iterator[Cell]:
    """Wrong constants and broken implementations."""
    s, even = Setting(10, 1.2), Setting(10, 2.0)
    loose = Batch(s, 256, 4 * s.S)
    tuned, flat = (Batch(t, 256, t.tuned_threshold(256, math.log(3.0))) for t in (s, even))

    def wrong(
        label: str, batch: Batch, centre: Callable[[], Array], rule: Callable[[], Exceedance], note: str
    ) -> Cell:
        return Cell(label, "planted-constant", PLANTED, draw_distance(batch, centre), rule, TRIALS, CHUNK, note=note)

    yield wrong(
        FLUCTUATION,
        loose,
        lambda: loose.mean,
        lambda: exceeds(fluctuation_bound(loose, 0.1), 0.1, 1 / 100),
        "constant: the bound divided by 100",
    )
    yield wrong(
        LOCALIZED,
        loose,
        _gradient(s),
        lambda: localized_rule(loose, 0.1, 1 / 400),
        "constant: the bound divided by 400",
    )
    yield wrong(
        TUNED, tuned, _gradient(s), lambda: tuned_rule(s, tuned.M, 3, 1.0, 1 / 400), "constant: C_p divided by 400"
    )
    for label, batch, centre in (
        (FLUCTUATION, loose, lambda: loose.mean),
        (LOCALIZED, loose, _gradient(s)),
        (TUNED, tuned, _gradient(s)),
    ):
        for name, slug in (
            ("clip after averaging", "clip-after"),
            ("no factor d", "no-d"),
            ("different xi in the two evaluations", "xi"),
        ):
            if (label, slug) == (TUNED, "no-d"):  # at p = 1.2 the heavy tail hides a gradient that is too short
                batch, centre = flat, _gradient(even)
            yield Cell(
                label,
                f"planted-{slug}",
                PLANTED,
                draw_distance(batch, centre, RECIPES[name], power=2),
                partial(_planted_square, batch, centre),
                MOMENT_TRIALS // 4,
                MOMENT_CHUNK // 4,
                "mean",
                f"implementation: {name}",
            )
