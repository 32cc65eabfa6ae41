"""One batched estimator: the fluctuation A, the deviation g(x) - grad f_mu(x), and its tuned form."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from boundcheck.paper.values import value as bound
from proofs_numeric.checks.cell import Cell, Sampling
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
BATCH, SQUARE, WRONG = Sampling(1 << 12, 1 << 9), Sampling(1 << 14, 1 << 11, "mean"), Sampling(1 << 12, 1 << 9, "mean")
Centre = Callable[[Any], Array]  #: of a batch, the vector from which a distance is taken; it is asked for when drawn
mean_of: Centre = attrgetter("mean")
gradient_of: Centre = attrgetter("gradient")


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
    def gradient(self) -> Array:
        """grad f_mu(x), shape (d,)."""
        return self.setting.smoothed_gradient

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


def draw_distance(batch: Batch, centre: Centre, power: int = 1, recipe: Recipe = PAPER) -> replay.Replayed:
    """||g(x) - centre||^power, one estimator a trial."""
    s, M, tau = batch.setting, batch.M, batch.tau

    def draw(rng: np.random.Generator, n: int) -> Array:
        g = estimate(s.oracle, repeat(s.x, n), s.mu, M, tau, rng, recipe)
        return np.linalg.norm(g - centre(batch), axis=1) ** power

    def reference(tape: replay.Tape, n: int) -> replay.Values:
        points = [replay.vector(s.x[0])] * n
        return replay.distances(replay.averages(tape, s.oracle, points, s.mu, M, tau), centre(batch), power)

    def width(values: Array, largest: float) -> Array:
        error = rounding.average(s.oracle, s.x, s.mu, M, tau, largest)
        return rounding.distance(error, values, centre(batch), s.d)

    return replay.Replayed(draw, reference, width if power == 1 and recipe is PAPER else None)


def exceeds(limit: float, level: float, factor: float = 1.0, rungs: int = 96, octave: int = 8) -> Exceedance:
    """P(value > factor * limit) <= level; a ladder below the limit is watched for the quantile figure."""
    watch = tuple(limit * 2.0 ** (-k / octave) for k in range(1, rungs + 1))
    return Exceedance((factor * limit,), (level,), watch=watch)


def fluctuation_rule(batch: Batch, rho: float, factor: float = 1.0) -> Exceedance:
    """P(||g - E g|| > factor * bound) <= rho."""
    s = batch.setting
    limit = bound(FLUCTUATION, p=s.p, d=s.d, S=s.S, tau=batch.tau, M=batch.M, rho=rho)
    return exceeds(limit, rho, factor)


def localized_rule(batch: Batch, q: float, factor: float = 1.0) -> Exceedance:
    """P(||g - grad f_mu|| > factor * bound) <= q = delta/T."""
    s = batch.setting
    limit = bound(LOCALIZED, p=s.p, d=s.d, S=s.S, tau=batch.tau, M=batch.M, lam=math.log(1 / q))
    return exceeds(limit, q, factor)


def square_rule(batch: Batch, centre: Centre) -> HeavyMean:
    """E ||g(x) - centre||^2 = E ||g - E g||^2 + ||E g - centre||^2, exactly.

    The range of a mean of M vectors is M times too wide for it: the limits rest on the variance, from exact moments.
    """
    mean = batch.mean_square + float(np.sum((batch.mean - centre(batch)) ** 2))
    return HeavyMean(mean, 2.0, batch.square_variance(centre(batch)), mean, 0.0, "the exact law", exact=True)


def tuned_rule(s: Setting, M: int, T: int, delta: float, factor: float = 1.0) -> Exceedance:
    """P(||g - grad f_mu|| > factor * bound) <= delta/T."""
    return exceeds(bound(TUNED, p=s.p, d=s.d, S=s.S, M=M, lam=math.log(T / delta)), delta / T, factor)


def _square(label: str, name: str, batch: Batch, centre: Centre) -> Cell:
    return SQUARE.law(label, name, draw_distance(batch, centre, 2), square_rule, batch, centre)


def cells() -> Iterator[Cell]:
    """Every cell of the fluctuation lemma and of the two deviation corollaries."""
    for s in (s for s in GRID if s.exact is not None):
        for k, M, rho in ((4, 32, 0.1), (16, 8, 0.5)):
            batch, name = Batch(s, M, k * s.S), f"{s.name}-tau{k}-M{M}-rho{rho:g}"
            yield BATCH.cell(FLUCTUATION, name, draw_distance(batch, mean_of), fluctuation_rule, batch, rho)
        yield _square(FLUCTUATION, name, batch, mean_of)
    for s in GRID:
        batch, name = Batch(s, 32, 4 * s.S), f"{s.name}-tau4-M32"
        yield BATCH.cell(LOCALIZED, name, draw_distance(batch, gradient_of), localized_rule, batch, 0.1)
        if s.exact is not None:
            yield _square(LOCALIZED, name, batch, gradient_of)
    for s in GRID:
        for M, delta, word in ((16, 1.0, "delta1"), (2, 3 * math.exp(-2), "M=lambda"), (64, 0.3, "delta0.3")):
            batch, name = Batch(s, M, s.tuned_threshold(M, math.log(3 / delta))), f"{s.name}-M{M}-{word}"
            yield BATCH.cell(TUNED, name, draw_distance(batch, gradient_of), tuned_rule, s, M, 3, delta)
            if s.exact is not None and word == "delta1":
                yield _square(TUNED, name, batch, gradient_of)
    yield from planted()


def planted() -> Iterator[Cell]:
    """Wrong constants and broken implementations."""
    s, even = Setting(10, 1.2), Setting(10, 2.0)
    loose = Batch(s, 256, 4 * s.S)
    tuned, flat = (Batch(t, 256, t.tuned_threshold(256, math.log(3.0))) for t in (s, even))
    parts: list[tuple[str, Batch, Centre, Callable[..., Exceedance], tuple[Any, ...], int, str]] = [
        (FLUCTUATION, loose, mean_of, fluctuation_rule, (loose, 0.1), 100, "the bound"),
        (LOCALIZED, loose, gradient_of, localized_rule, (loose, 0.1), 400, "the bound"),
        (TUNED, tuned, gradient_of, tuned_rule, (s, 256, 3, 1.0), 400, "C_p"),
    ]
    for label, batch, centre, rule, given, share, what in parts:
        note = f"constant: {what} divided by {share}"
        draw = draw_distance(batch, centre)
        yield BATCH.cell(label, "planted-constant", draw, rule, *given, 1 / share, note=note)
    for label, batch, centre, *_ in parts:
        for wrong, name in (
            ("clip after averaging", "clip-after"),
            ("no factor d", "no-d"),
            ("different xi in the two evaluations", "xi"),
        ):
            if (label, name) == (TUNED, "no-d"):  # at p = 1.2 the heavy tail hides a gradient that is too short
                batch = flat
            draw, note = draw_distance(batch, centre, 2, RECIPES[wrong]), f"implementation: {wrong}"
            yield WRONG.cell(label, f"planted-{name}", draw, square_rule, batch, centre, note=note)
