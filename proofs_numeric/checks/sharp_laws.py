"""Where the sharper statements are nearly attained, the exact laws of what they draw, and twins below the truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from flint import arb

from boundcheck.paper.values import value as bound
from proofs_numeric.checks import sharp
from proofs_numeric.checks.cell import CLAIM, COMPANION, PLANTED, Cell, Draw
from proofs_numeric.checks.clipping import (
    bias_rule,
    draw_bias,
    draw_clipped_square,
    draw_square,
    extremal_scale,
)
from proofs_numeric.checks.clipping import square_rule as clipped_rule
from proofs_numeric.checks.convergence import Linear
from proofs_numeric.checks.deviation import Batch, draw_distance, square_rule
from proofs_numeric.checks.mutants import RECIPES
from proofs_numeric.checks.places import GRID, Setting
from proofs_numeric.checks.sharp_bounds import (
    BERNSTEIN,
    BIAS,
    CLIPPED_MOMENT,
    CONVERGENCE,
    DEVIATION,
    NOISE_TAIL,
    SECOND_MOMENT,
    Shares,
    gradient_bound,
    split,
    square_bound,
)
from proofs_numeric.checks.tails import DIRECTIONAL, draw_size, exact_curve, law_of
from proofs_numeric.exact_in_law.exact_laws import ExactLaw, Projection
from proofs_numeric.model.optimizer import ALGORITHM
from proofs_numeric.model.sphere import Array
from proofs_numeric.precision import replay
from proofs_numeric.stats.bounded_mean import Mean
from proofs_numeric.stats.decision_rules import Exceedance
from proofs_numeric.stats.heavy_mean import HeavyMean
from proofs_numeric.stats.tail_curve import LIMITED, geometric_levels

TRIALS, CHUNK = 1 << 16, 1 << 14
TAIL_TRIALS = 1 << 17
SUM_LEVELS = (0.5, 0.1, 0.01, 0.001)
#: at a minimiser on the line: the bias attains its bound but for the centre of the noise
FLAT = tuple(Setting(1, p, "onesided", place="minimum") for p in (1.2, 1.5, 2.0))
EVEN = Setting(1, 1.5, place="minimum")  #: and the second moment its own
#: hardly any noise: the bias is that of the signal, nine tenths of its bound at theta_1 = 0.8 N for d = 2
QUIET = Setting(2, 1.5, "gaussian", mu=1e-6, sigma=1e-4)
ONE_SIDED = Setting(10, 1.5, "onesided")


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
    levels = [float(q) for q in geometric_levels(TAIL_TRIALS, LIMITED)]
    t = [s.sigma * q ** (-1 / s.p) for q in levels]
    claimed = tuple(min(1.0, bound(NOISE_TAIL, sigma=s.sigma, p=s.p, t=v)) for v in t)
    return Exceedance(tuple(factor * v / math.sqrt(s.d) for v in t), claimed)


def noise_law(s: Setting) -> ExactLaw:
    """The law of <zeta, u>."""
    return ExactLaw(((1.0, Projection(s.d, 0.0, s.real_law)),))


def quiet_shares() -> Shares:
    """theta_1 = 0.8 N, and a theta_2 far above the noise."""
    N = gradient_bound(QUIET)
    return Shares(QUIET, 0.8 * N, 0.01 * N)


def bias_claim(shares: Shares, factor: float = 1.0) -> Mean:
    """|d E[psi_tau(Y) u_1] - d_1 f_mu(x)| <= factor * bound."""
    return bias_rule(shares.setting, shares.tau, factor * shares.bias())


def bias_law(s: Setting, tau: float) -> Mean:
    """The bias along e_1 has its exact size."""
    return bias_rule(s, tau)


def _mean(
    label: str,
    name: str,
    kind: str,
    draw: Draw,
    rule: Callable[[], Mean | HeavyMean],
    note: str = "",
    trials: int = TRIALS,
) -> Cell:
    return Cell(label, name, kind, draw, rule, trials, min(CHUNK, trials // 4), "mean", note)


def cells() -> Iterator[Cell]:
    """Claims where they are nearly attained, and the exact laws of what the claims draw."""
    for s in (s for s in GRID if s.d in (1, 10) and s.objective == "quadratic"):
        yield Cell(NOISE_TAIL, s.name, CLAIM, draw_size(DIRECTIONAL, s), partial(tail_rule, s), TAIL_TRIALS)
    for s in (GRID[3], ONE_SIDED):
        law = lambda s=s: exact_curve(law_of(DIRECTIONAL, s))  # noqa: E731
        yield Cell(NOISE_TAIL, f"law-{s.name}", COMPANION, draw_size(DIRECTIONAL, s), law, TAIL_TRIALS)
    for s in FLAT:
        claim = lambda s=s: bias_claim(split(s, 20.0))  # noqa: E731
        yield _mean(BIAS, f"{s.name}-tau20", CLAIM, draw_bias(s, 20.0), claim)
    for s in FLAT[:2]:
        yield _mean(BIAS, f"law-{s.name}-tau20", COMPANION, draw_bias(s, 20.0), partial(bias_law, s, 20.0))
    shares = quiet_shares()
    yield _mean(BIAS, f"{QUIET.name}-signal", CLAIM, draw_bias(QUIET, shares.tau), lambda: bias_claim(quiet_shares()))
    for s in (EVEN, ONE_SIDED):
        tau = 16 * s.S
        draw = draw_square(s, tau)
        if s is EVEN:
            square = lambda s=s, t=tau: clipped_rule(s, t, square_bound(s, math.sqrt(s.d) * t) / s.d)  # noqa: E731
            yield _mean(SECOND_MOMENT, f"{s.name}-tau16", CLAIM, draw, square)
        yield _mean(SECOND_MOMENT, f"law-{s.name}-tau16", COMPANION, draw, partial(clipped_rule, s, tau))
    for sums in SUMS:
        yield Cell(BERNSTEIN, sums.name, CLAIM, sums.draw(), sums.rule, TAIL_TRIALS)
        yield Cell(BERNSTEIN, f"law-{sums.name}", COMPANION, sums.draw(), sums.law, TRIALS)
    yield _square(COMPANION)
    linear = Linear(T=3, alpha=1.0)
    yield Cell(CONVERGENCE, "law-linear", COMPANION, linear.draw(), linear.rule, 1 << 15, 1 << 13)
    yield from planted()


def _square(kind: str, name: str = "law-onesided-d10-M64", recipe: str = "") -> Cell:
    """E|g - grad f_mu|^2, exactly; ``recipe`` names a mistake."""
    batch = Batch(ONE_SIDED, 64, 4 * ONE_SIDED.S)
    options = {"recipe": RECIPES[recipe]} if recipe else {}
    draw = draw_distance(batch, lambda: ONE_SIDED.smoothed_gradient, power=2, **options)
    note = f"implementation: {recipe}" if recipe else ""
    return _mean(
        DEVIATION, name, kind, draw, lambda: square_rule(batch, ONE_SIDED.smoothed_gradient), note, trials=1 << 13
    )


def planted() -> Iterator[Cell]:
    """Constants and exponents below what is true, and broken implementations."""
    p, tau = 1.5, 4 * extremal_scale(1.5)
    yield _mean(
        CLIPPED_MOMENT,
        "planted-constant",
        PLANTED,
        draw_clipped_square(p, tau),
        lambda: sharp.moment_rule(p, tau, 0.95),
        "constant: 0.95 of the bound",
        TRIALS // 4,
    )
    line = Setting(1, 1.5)
    yield Cell(
        NOISE_TAIL,
        "planted-constant",
        PLANTED,
        draw_size(DIRECTIONAL, line),
        lambda: tail_rule(line, 0.9),
        TAIL_TRIALS // 4,
        note="constant: 0.9 sigma for sigma",
    )
    level = 16 * EVEN.S
    yield _mean(
        SECOND_MOMENT,
        "planted-constant",
        PLANTED,
        draw_square(EVEN, level),
        lambda: clipped_rule(EVEN, level, 0.9 * square_bound(EVEN, level)),
        "constant: 0.9 of Q^2",
    )
    quiet = quiet_shares()
    yield _mean(
        BIAS,
        "planted-constant",
        PLANTED,
        draw_bias(FLAT[1], 20.0),
        lambda: bias_claim(split(FLAT[1], 20.0), 0.7),
        "constant: 0.7/(p-1) for 1/(p-1)",
    )
    yield _mean(
        BIAS,
        "planted-signal",
        PLANTED,
        draw_bias(QUIET, quiet.tau),
        lambda: bias_claim(quiet, 0.8),
        "constant: 16/45 for 4/9",
    )
    sums = SUMS[0]
    yield Cell(
        BERNSTEIN,
        "planted-constant",
        PLANTED,
        sums.draw(),
        lambda: sums.rule(0.65),
        TAIL_TRIALS // 4,
        note="constant: 0.65 of the level",
    )
    s, M = sharp.LINEAR[1]
    yield Cell(
        DEVIATION,
        "planted-constant",
        PLANTED,
        sharp.draw_deviation(s, M),
        lambda: sharp.deviation_rule(s, M, 1 / 4),
        512,
        8,
        note="constant: a quarter of the bound",
    )
    yield _square(PLANTED, "planted-no-d", "no factor d")
    case = sharp.RUNS[0]
    yield Cell(
        CONVERGENCE,
        "planted-constant",
        PLANTED,
        sharp.draw_run(case, 2 / 3),
        lambda: sharp.run_rule(case, 2 / 3),
        64,
        8,
        note="constant: 2 eps^2/3 for eps^2, the share of x_0 alone",
    )
    linear = Linear(T=3, alpha=1.0)
    sign = ALGORITHM.but(move=lambda x, m, alpha: x + alpha * m)
    note = "implementation: sign of the step"
    yield Cell(CONVERGENCE, "planted-sign", PLANTED, linear.draw(sign), linear.rule, 1 << 15, 1 << 13, note=note)
