"""Algorithm 1 as a whole: the base theorem at the parameters that it prescribes, and exact laws of short runs.

The theorem's cells run T, M, tau, alpha and mu of :mod:`theorem_plan`, untouched; M is out of reach of
direct simulation, so in one dimension they come from binned noise (:mod:`binned`),
with the bins' error carried through the trajectory. Their sharp companions are runs whose law is known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial

import numpy as np
from flint import arb
from scipy import special

from boundcheck.paper import formulas, values
from boundcheck.paper.values import value as bound
from boundcheck.plans.theorem_plan import Plan, Problem, plan
from proofs_numeric.checks.cell import CLAIM, COMPANION, PLANTED, Cell, Draw
from proofs_numeric.checks.places import LAWS, Setting
from proofs_numeric.exact_in_law import replay_run
from proofs_numeric.exact_in_law.binned import BinnedNoise
from proofs_numeric.model.estimator import repeat
from proofs_numeric.model.noise import Gaussian
from proofs_numeric.model.optimizer import ALGORITHM, Method, Parameters, optimize, sampler
from proofs_numeric.model.sphere import Array
from proofs_numeric.precision import replay, rounding
from proofs_numeric.stats.bounded_mean import Mean
from proofs_numeric.stats.decision_rules import Exceedance
from proofs_numeric.stats.tail_curve import LIMITED, geometric_levels

BASE = "thm:hp-shared-clipped"
MOMENTUM = "thm:momentum-main"
_STOPPED, _WARM = "lem:momentum-stopped-fluctuation", "lem:momentum-warm-start"
TRIALS, CHUNK = 1 << 9, 1 << 7
LAW_TRIALS, LAW_CHUNK = 1 << 15, 1 << 13


@dataclass(frozen=True)
class Case:
    """One problem f(x) = x^2/2 on the line, Delta0 = 1, for which the theorem prescribes everything else."""

    p: str
    law: str
    eps: str
    sigma: str = "0.1"
    delta: str = "0.2"

    @property
    def name(self) -> str:
        return f"prescribed-d1-p{self.p}-{self.law}-eps{self.eps}-delta{self.delta}"

    def plan(self) -> Plan:
        return _plan(self)


@cache
def _plan(case: Case) -> Plan:
    one, numbers = Fraction(1), (Fraction(v) for v in (case.sigma, case.eps, case.delta))
    return plan(Problem(Fraction(case.p), 1, one, one, *numbers))


CASES = (
    Case("1.2", "pareto", "5.6"),
    Case("1.2", "onesided", "5.6"),
    Case("1.5", "pareto", "1"),
    Case("1.5", "onesided", "3.2"),
    Case("1.8", "pareto", "3.2"),
    Case("1.8", "student", "1"),
    Case("2", "pareto", "1"),
    Case("2", "onesided", "1", sigma="1"),
)


def draw_prescribed(case: Case, factor: float = 1.0) -> Draw:
    """(1/T) sum_t ||grad f(x_t)||^2, with the interval [low, high] around x_t carried along.

    x_(t+1) = x_t - g_t/4 where g_t rises with x_t at a slope in [0, 1], so x_(t+1) rises with x_t for fixed
    noise. The upper end is returned; ArithmeticError if the interval straddles eps^2, so bins decide no event.
    """

    def draw(rng: np.random.Generator, n: int) -> Array:
        q = case.plan()
        noise = BinnedNoise(LAWS[case.law](float(case.p), float(case.sigma)))
        low = np.full(n, math.sqrt(2.0))
        high, above, below, alpha = low.copy(), np.zeros(n), np.zeros(n), float(q.alpha)
        for _ in range(q.T):
            above += np.maximum(np.abs(low), np.abs(high)) ** 2
            below += np.maximum(np.maximum(low, -high), 0.0) ** 2
            at_low, at_high = noise.estimates((low, high), q.M, q.tau, rng)
            low, high = low - alpha * at_low[1], high - alpha * at_high[0]
        limit = factor * bound(BASE, eps=float(case.eps))
        if np.any((below / q.T <= limit) & (above / q.T > limit)):
            raise ArithmeticError("the bins of the noise are too coarse to decide an event")
        return above / q.T

    return draw


def prescribed_rule(case: Case, factor: float = 1.0) -> Exceedance:
    """P(average > factor * eps^2) <= delta."""
    limit = bound(BASE, eps=float(case.eps))
    return Exceedance(
        (factor * limit,), (float(case.delta),), watch=tuple(limit * 2.0 ** (-k / 4) for k in range(1, 49))
    )


# ---------------------------------------------------------------- runs whose law is known


@dataclass(frozen=True)
class Linear:
    """Light noise on the line, far below the threshold: x_T is Gaussian, by the linear recursion of Algorithm 1."""

    T: int = 7
    alpha: float = 0.2
    beta: float = 0.0
    M: int = 4
    M0: int = 2
    sigma: float = 1.0
    start: float = 1.0

    @property
    def setting(self) -> Setting:
        """The quadratic on the line with Gaussian noise."""
        return Setting(1, 2.0, "gaussian", sigma=self.sigma)

    def parameters(self, T: int | None = None) -> Parameters:
        tau = 60.0  # more than 80 standard deviations of the noise: clipping has probability below 1e-300
        return Parameters(T or self.T, self.alpha, 0.1, self.M, tau, self.beta, self.M0, tau)

    @property
    def noise(self) -> float:
        """The standard deviation of the noise of one direction."""
        return Gaussian(2.0, self.sigma).s

    def law(self) -> tuple[float, float]:
        """Mean and standard deviation of x_T, from the weights of every batch's mean noise."""
        x, m = np.zeros(self.T + 1), np.zeros(self.T + 1)  # coefficients: the start, then the noise of each batch
        x[0] = self.start
        for t in range(self.T):
            g = x.copy()
            g[t + 1] += 1
            first = self.beta > 0 and t == 0
            m = g if first else self.beta * m + (1 - self.beta) * g
            x = x - self.alpha * m
        s = self.noise
        sizes = np.full(self.T, float(self.M))
        if self.beta > 0:
            sizes[0] = self.M0
        return float(x[0]), float(s * math.sqrt(np.sum(x[1:] ** 2 / sizes)))

    def draw(self, method: Method = ALGORITHM, T: int | None = None) -> Draw:
        """P(x_T of the law is larger) for each run, so that large x_T gives small values; negated."""
        mean, spread = self.law()

        def draw(rng: np.random.Generator, n: int) -> Array:
            oracle, x0 = self.setting.oracle, repeat(np.array([[self.start]]), n)
            run = optimize(oracle.objective, sampler(oracle, 0.1), x0, self.parameters(T), rng, method)
            return -special.ndtr(-(run.last[:, 0] - mean) / spread)

        def reference(tape: replay.Tape, n: int) -> replay.Values:
            last, _ = replay_run.descend(tape, self.setting.oracle, self.start, n, self.parameters(T))
            scaled = [((x - mean) / spread, error / spread) for x, error in last]
            shares = [-((z / arb(2).sqrt()).erfc()) / 2 for z, _ in scaled]
            return [
                (q, 0.4 * e + 64 * replay.EPS * (1 + float(z) ** 2)) for q, (z, e) in zip(shares, scaled, strict=True)
            ]

        def width(values: Array, largest: float) -> Array:
            error = rounding.last(self.parameters(), self.setting.oracle, self.start, largest) / spread
            return 0.4 * error + 65 * replay.EPS * (1 + special.ndtri(-values) ** 2)

        right = method is ALGORITHM and T is None
        return replay.Replayed(draw, reference, width if right else None)

    def rule(self) -> Exceedance:
        """The exact law: P(-P(larger) > -q) = q, both tails."""
        levels = [float(q) for q in geometric_levels(LAW_TRIALS, LIMITED)]
        both = levels + [1 - q for q in levels]
        return Exceedance(tuple(-q for q in both), tuple(both), exact=True)


@dataclass(frozen=True)
class Floor(Linear):
    """The stationary noise floor: from the minimiser, long enough for x_T to have its stationary Gaussian law.

    With e = sigma_g alpha (1 - beta)/sqrt(M): x_(t+1) = (1 + beta - alpha (1 - beta)) x_t - beta x_(t-1) - e xi_t.
    """

    T: int = 80
    start: float = 0.0
    M0: int = 4

    def law(self) -> tuple[float, float]:
        """Mean 0 and the closed form of the standard deviation of this second-order autoregression."""
        one, two = 1 + self.beta - self.alpha * (1 - self.beta), -self.beta
        step = self.alpha * (1 - self.beta) * self.noise
        variance = step**2 / self.M * (1 - two) / ((1 + two) * ((1 - two) ** 2 - one**2))
        return 0.0, math.sqrt(variance)


@dataclass(frozen=True)
class Frozen:
    """A step so small that x_t stays: m_(T-1) is a weighted sum of clipped estimates at one point, exactly.

    E||m||^2 = ||E g||^2 + sum of squared weights times E||g - E g||^2, at the minimiser with symmetric noise.
    """

    p: float = 1.2
    d: int = 1
    T: int = 3
    beta: float = 0.75
    M: int = 1
    M0: int = 1

    @property
    def setting(self) -> Setting:
        """The problem at its minimiser."""
        return Setting(self.d, self.p, place="minimum")

    def threshold(self, share: float) -> float:
        """tau = 8 S_mu (M/((1 - beta) lambda))^(1/p), ``share`` for 1 - beta, lambda = log(2 T/delta), delta = 1."""
        lam = values.at(formulas.value(_STOPPED, "lam"), T=self.T, delta=1.0)
        return values.at(
            formulas.value(_STOPPED, "tau"), S=self.setting.S, M=self.M, beta=1 - share, lam=lam, p=self.p
        )

    @property
    def start_threshold(self) -> float:
        """tau0 = 8 S_mu (M0/lambda_0)^(1/p), lambda_0 = log(2/delta), delta = 1."""
        lam0 = values.at(formulas.value(_WARM, "lam0"), delta=1.0)
        return values.at(formulas.value(_WARM, "tau0"), S=self.setting.S, M0=self.M0, lam0=lam0, p=self.p)

    def parameters(self, share: float | None = None) -> Parameters:
        tau0 = self.start_threshold
        share = 1 - self.beta if share is None else share
        return Parameters(self.T, 1e-12, self.setting.mu, self.M, self.threshold(share), self.beta, self.M0, tau0)

    def draw(self, method: Method = ALGORITHM, share: float | None = None) -> Draw:
        """||m_(T-1)||^2, read off the last step."""

        def draw(rng: np.random.Generator, n: int) -> Array:
            s, q = self.setting, self.parameters(share)
            run = optimize(s.oracle.objective, sampler(s.oracle, s.mu), repeat(s.x, n), q, rng, method)
            return run.error2[-1]

        def reference(tape: replay.Tape, n: int) -> replay.Values:
            _, errors = replay_run.descend(tape, self.setting.oracle, 0.0, n, self.parameters(share))
            return [(v * v, 2 * abs(float(v)) * e + e**2) for v, e in errors]

        return replay.Replayed(draw, reference)

    def rule(self) -> Mean:
        s, q = self.setting, self.parameters()
        weights = [self.beta ** (self.T - 1)] + [(1 - self.beta) * self.beta**k for k in range(self.T - 2, -1, -1)]
        batches = [(self.M0, self.start_threshold)] + [(q.M, q.tau)] * (self.T - 1)
        mean = fourth = 0.0
        for w, (M, tau) in zip(weights, batches, strict=True):
            mean += w**2 * self.d**2 * s.known.clipped_moment(2, tau) / M
            fourth += w**4 * self.d**4 * s.known.clipped_moment(4, tau) / M**3
        reach = self.d * sum(w * tau for w, (_, tau) in zip(weights, batches, strict=True))
        return Mean(mean, 0.0, (1.001 * reach) ** 2, mean, 2 * mean**2 / self.d + fourth, exact=True)


def _law_cell(
    label: str, name: str, kind: str, draw: Draw, rule: Callable[[], Exceedance | Mean], note: str = ""
) -> Cell:
    frozen = "frozen" in name  # a mean over a wide range wants more trials to be seen to be too small
    trials, unit = (4 * LAW_TRIALS, "mean") if frozen else (LAW_TRIALS, "probability")
    return Cell(label, name, kind, draw, rule, trials, LAW_CHUNK, unit, note)


def cells() -> Iterator[Cell]:
    """The base theorem's cells, the companions of both variants, and what is planted."""
    for case in CASES:
        yield Cell(BASE, case.name, CLAIM, draw_prescribed(case), partial(prescribed_rule, case), TRIALS, CHUNK)
    base, momentum, frozen = Linear(), Linear(beta=0.6), Frozen()
    yield _law_cell(BASE, "law-linear", COMPANION, base.draw(), base.rule)
    yield _law_cell(MOMENTUM, "law-linear", COMPANION, momentum.draw(), momentum.rule)
    yield _law_cell(MOMENTUM, "law-frozen", COMPANION, frozen.draw(), frozen.rule)
    for label, floor in ((BASE, Floor()), (MOMENTUM, Floor(beta=0.6))):
        yield _law_cell(label, "law-noise-floor", COMPANION, floor.draw(), floor.rule)
    case = CASES[4]
    yield Cell(
        BASE,
        "planted-constant",
        PLANTED,
        draw_prescribed(case, 1 / 50),
        lambda: prescribed_rule(case, 1 / 50),
        TRIALS,
        CHUNK,
        note="constant: eps^2/50 for eps^2",
    )
    sign = ALGORITHM.but(move=lambda x, m, alpha: x + alpha * m)
    whole = ALGORITHM.but(average=lambda m, g, beta: beta * m + g)
    for label, slug, draw, rule, note in (
        (BASE, "sign", base.draw(sign), base.rule, "sign of the step"),
        (BASE, "off-by-one", base.draw(T=base.T - 1), base.rule, "off by one in T"),
        (MOMENTUM, "sign", momentum.draw(sign), momentum.rule, "sign of the step"),
        (MOMENTUM, "no-one-minus-beta", momentum.draw(whole), momentum.rule, "momentum without (1 - beta)"),
        (MOMENTUM, "no-warm-start", momentum.draw(ALGORITHM.but(warm=False)), momentum.rule, "warm start missing"),
        (MOMENTUM, "frozen-threshold", frozen.draw(share=1.0), frozen.rule, "threshold without (1 - beta)"),
    ):
        yield _law_cell(label, f"planted-{slug}", PLANTED, draw, rule, f"implementation: {note}")
