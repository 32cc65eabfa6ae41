"""Where the sharper statements are nearly attained, the exact laws of what they draw, and twins below the truth."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from flint import arb

from boundcheck.paper.values import value as bound
from proofs_numeric.checks import sharp
from proofs_numeric.checks.cell import Cell, Draw, Sampling
from proofs_numeric.checks.clipping import (
    MEAN,
    bias_rule,
    draw_bias,
    draw_clipped_square,
    draw_square,
    extremal_scale,
    square_rule,
)
from proofs_numeric.checks.convergence import LAW, UPHILL, Linear
from proofs_numeric.checks.deviation import Batch, draw_distance, gradient_of
from proofs_numeric.checks.deviation import square_rule as distance_rule
from proofs_numeric.checks.mutants import RECIPES
from proofs_numeric.checks.places import GRID, Setting
from proofs_numeric.checks.prescribed import SHARP, TWINS
from proofs_numeric.checks.sharp_bounds import (
    BERNSTEIN,
    BIAS,
    CLIPPED_MOMENT,
    DEVIATION,
    NOISE_TAIL,
    SECOND_MOMENT,
    Shares,
    gradient_bound,
)
from proofs_numeric.checks.tails import DIRECTIONAL, TAIL, WRONG, draw_size, exact_curve, law_of
from proofs_numeric.model.sphere import Array
from proofs_numeric.precision import replay
from proofs_numeric.stats.bounded_mean import Mean
from proofs_numeric.stats.decision_rules import Exceedance
from proofs_numeric.stats.tail_curve import LIMITED, geometric_levels

SUM_LAW, FEW = Sampling(1 << 16, 1 << 14), Sampling(512, 8)
SQUARE, FEW_MEAN = Sampling(1 << 13, 1 << 11, "mean"), Sampling(1 << 14, 1 << 12, "mean")
SUM_LEVELS = (0.5, 0.1, 0.01, 0.001)
#: at a minimiser on the line: the bias attains its bound but for the centre of the noise
FLAT = tuple(Setting(1, p, "onesided", place="minimum") for p in (1.2, 1.5, 2.0))
EVEN = Setting(1, 1.5, place="minimum")  #: and the second moment its own
#: hardly any noise: the bias is that of the signal, nine tenths of its bound at theta_1 = 0.8 N for d = 2
QUIET = Setting(2, 1.5, "gaussian", mu=1e-6, sigma=1e-4)
ONE_SIDED = Setting(10, 1.5, "onesided")
LEVEL, MANY, SHORT = 16 * EVEN.S, Batch(ONE_SIDED, 64, 4 * ONE_SIDED.S), Linear(T=3, alpha=1.0)


@dataclass(frozen=True)
class Successes:
    """|A| for A = sum_l (B_l - q), M independent B_l with P(B_l = 1) = q dyadic: its law is binomial."""

    M: int
    q: float

    @property
    def name(self) -> str:
        return f"successes-M{self.M}-q{self.q:g}"

    def draw(self) -> Draw:
        """|A|, exact in floats."""

        def draw(rng: np.random.Generator, n: int) -> Array:
            count = (rng.random((n, self.M)) < self.q).sum(axis=1)
            return np.abs(count - self.M * self.q)

        def reference(tape: replay.Tape, n: int) -> replay.Values:
            found = np.array(tape.read("random")).reshape(n, self.M)
            return [(abs(arb(sum(1 for v in row if v < self.q)) - self.M * arb(self.q)), 0.0) for row in found]

        return replay.Replayed(draw, reference, lambda values, largest: 0.0)

    def level(self, rho: float) -> float:
        """sqrt(2 V h) + R h/3 with V = M q (1 - q) and R = max(q, 1 - q)."""
        V, R = self.M * self.q * (1 - self.q), max(self.q, 1 - self.q)
        return bound(BERNSTEIN, V=V, R=R, h=math.log(2 / rho))

    def rule(self, factor: float = 1.0) -> Exceedance:
        """P(|A| > factor * level(rho)) <= rho."""
        return Exceedance(tuple(factor * self.level(rho) for rho in SUM_LEVELS), SUM_LEVELS)

    def law(self) -> Exceedance:
        """P(|A| > t) exactly, between the values that |A| takes."""
        from scipy import stats  # half a second of every start, in every process; few cells need it

        mean, law = self.M * self.q, stats.binom(self.M, self.q)
        thresholds = [k + 0.3 for k in range(self.M) if law.sf(mean + k + 0.3) + law.cdf(mean - k - 0.3) > 1e-3]
        return Exceedance(
            tuple(thresholds), tuple(float(law.sf(mean + t) + law.cdf(mean - t)) for t in thresholds), exact=True
        )


SUMS = (Successes(64, 0.5), Successes(64, 1 / 64))


def tail_rule(s: Setting, factor: float = 1.0) -> Exceedance:
    """P(|<zeta, u>| > factor * t/sqrt(d)) <= (sigma/t)^p on a ladder of levels."""
    levels = [float(q) for q in geometric_levels(TAIL.trials, LIMITED)]
    t = [s.sigma * q ** (-1 / s.p) for q in levels]
    claimed = tuple(min(1.0, bound(NOISE_TAIL, sigma=s.sigma, p=s.p, t=v)) for v in t)
    return Exceedance(tuple(factor * v / math.sqrt(s.d) for v in t), claimed)


def quiet_shares() -> Shares:
    """theta_1 = 0.8 N, and a theta_2 far above the noise."""
    N = gradient_bound(QUIET)
    return Shares(QUIET, 0.8 * N, 0.01 * N)


def bias_claim(shares: Shares, factor: float = 1.0) -> Mean:
    """|d E[psi_tau(Y) u_1] - d_1 f_mu(x)| <= factor * bound."""
    return bias_rule(shares.setting, shares.tau, factor * shares.bias())


def cells() -> Iterator[Cell]:
    """Claims where they are nearly attained, and the exact laws of what the claims draw."""
    for s in (s for s in GRID if s.d in (1, 10) and s.objective == "quadratic"):
        yield TAIL.cell(NOISE_TAIL, s.name, draw_size(DIRECTIONAL, s), tail_rule, s)
    for s in (GRID[3], ONE_SIDED):
        law = law_of(DIRECTIONAL, s)
        yield TAIL.law(NOISE_TAIL, s.name, draw_size(DIRECTIONAL, s), exact_curve, law)
    for s in FLAT:
        yield MEAN.cell(BIAS, f"{s.name}-tau20", draw_bias(s, 20.0), sharp.split_bias_rule, s, 20.0)
    for s in FLAT[:2]:
        yield MEAN.law(BIAS, f"{s.name}-tau20", draw_bias(s, 20.0), bias_rule, s, 20.0)
    quiet = quiet_shares()
    yield MEAN.cell(BIAS, f"{QUIET.name}-signal", draw_bias(QUIET, quiet.tau), bias_claim, quiet)
    square = draw_square(EVEN, LEVEL)
    yield MEAN.cell(SECOND_MOMENT, f"{EVEN.name}-tau16", square, sharp.bounded_square_rule, EVEN, LEVEL)
    for s in (EVEN, ONE_SIDED):
        tau = 16 * s.S
        yield MEAN.law(SECOND_MOMENT, f"{s.name}-tau16", draw_square(s, tau), square_rule, s, tau)
    for sums in SUMS:
        yield TAIL.cell(BERNSTEIN, sums.name, sums.draw(), sums.rule)
        yield SUM_LAW.law(BERNSTEIN, sums.name, sums.draw(), sums.law)
    draw = draw_distance(MANY, gradient_of, 2)
    yield SQUARE.law(DEVIATION, "onesided-d10-M64", draw, distance_rule, MANY, gradient_of)
    yield LAW.law(SHARP, "linear", SHORT.draw(), SHORT.rule)
    yield from planted()


def planted() -> Iterator[Cell]:
    """Constants and exponents below what is true, and broken implementations."""
    p, tau, note = 1.5, 4 * extremal_scale(1.5), "constant: 0.95 of the bound"
    draw: Draw = draw_clipped_square(p, tau)
    yield FEW_MEAN.cell(CLIPPED_MOMENT, "planted-constant", draw, sharp.moment_rule, p, tau, 0.95, note=note)
    line, note = draw_size(DIRECTIONAL, Setting(1, 1.5)), "constant: 0.9 sigma for sigma"
    yield WRONG.cell(NOISE_TAIL, "planted-constant", line, tail_rule, Setting(1, 1.5), 0.9, note=note)
    rule, note = sharp.bounded_square_rule, "constant: 0.9 of Q^2"
    yield MEAN.cell(SECOND_MOMENT, "planted-constant", draw_square(EVEN, LEVEL), rule, EVEN, LEVEL, 0.9, note=note)
    flat, rule, note = FLAT[1], sharp.split_bias_rule, "constant: 0.7/(p-1) for 1/(p-1)"
    yield MEAN.cell(BIAS, "planted-constant", draw_bias(flat, 20.0), rule, flat, 20.0, 0.7, note=note)
    quiet, note = quiet_shares(), "constant: 16/45 for 4/9"
    yield MEAN.cell(BIAS, "planted-signal", draw_bias(QUIET, quiet.tau), bias_claim, quiet, 0.8, note=note)
    sums, note = SUMS[0], "constant: 0.65 of the level"
    yield WRONG.cell(BERNSTEIN, "planted-constant", sums.draw(), sums.rule, 0.65, note=note)
    (s, M), note = sharp.LINEAR[1], "constant: a quarter of the bound"
    draw = sharp.draw_deviation(s, M)
    yield FEW.cell(DEVIATION, "planted-constant", draw, sharp.deviation_rule, s, M, 1 / 4, note=note)
    wrong = "no factor d"
    draw, note = draw_distance(MANY, gradient_of, 2, RECIPES[wrong]), f"implementation: {wrong}"
    yield SQUARE.cell(DEVIATION, "planted-no-d", draw, distance_rule, MANY, gradient_of, note=note)
    yield TWINS[SHARP]
    note = "implementation: sign of the step"
    yield LAW.cell(SHARP, "planted-sign", SHORT.draw(UPHILL), SHORT.rule, note=note)
