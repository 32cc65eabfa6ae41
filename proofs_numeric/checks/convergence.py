"""Algorithm 1 as a whole: the theorems at the parameters that they prescribe, beside runs whose law is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from flint import arb
from scipy import special

from boundcheck.paper import formulas, values
from proofs_numeric.checks.cell import Cell, Draw, Sampling
from proofs_numeric.checks.places import LAWS, Setting
from proofs_numeric.checks.prescribed import BASE, LINE, MOMENTUM, MOMENTUM_LINE, RADIAL, TWINS
from proofs_numeric.exact_in_law import radial_run, replay_radial, replay_run
from proofs_numeric.exact_in_law.radial import Axis
from proofs_numeric.model.estimator import repeat
from proofs_numeric.model.noise import Gaussian
from proofs_numeric.model.optimizer import ALGORITHM, Method, Parameters, optimize
from proofs_numeric.model.sphere import Array
from proofs_numeric.precision import replay, rounding
from proofs_numeric.stats.bounded_mean import Mean
from proofs_numeric.stats.decision_rules import Exceedance
from proofs_numeric.stats.tail_curve import LIMITED, geometric_levels

_STOPPED, _WARM = "lem:momentum-stopped-fluctuation", "lem:momentum-warm-start"
LAW = Sampling(1 << 15, 1 << 13)
WIDE = Sampling(4 * LAW.trials, LAW.chunk, "mean")  #: a mean over a wide range wants more trials to be seen too small
MOMENTS = Sampling(1 << 16, 1 << 13, "mean")
UPHILL = ALGORITHM.but(move=lambda x, m, alpha: x + alpha * m)


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
            run = optimize(oracle, x0, self.parameters(T), rng, method)
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
        levels = [float(q) for q in geometric_levels(LAW.trials, LIMITED)]
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
            return optimize(s.oracle, repeat(s.x, n), q, rng, method).error2[-1]

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


@dataclass(frozen=True)
class Moments:
    """A short run whose clipping never acts, with noise of one size: E|x_T|^2 by a linear recursion."""

    parameters: Parameters
    d: int = 10
    sigma: float = 1.0
    start: float = 1.0

    @property
    def axis(self) -> Axis:
        """The quadratic with bounded noise, by its components along and across e_1."""
        return Axis(self.d, LAWS["signs"](2.0, self.sigma), "uniform")

    def draw(self, run: Callable[..., radial_run.Radii] = radial_run.descend) -> Draw:
        """|x_T|^2."""

        def draw(rng: np.random.Generator, n: int) -> Array:
            return run(self.axis, 1.0, np.full(n, self.start), self.parameters, rng).length[-1] ** 2

        def reference(tape: replay.Tape, n: int) -> replay.Values:
            return replay_radial.lengths2(tape, self.axis, 1.0, self.start, n, self.parameters)

        return replay.Replayed(draw, reference)

    def rule(self) -> Mean:
        """E|x_T|^2; what |x_T| can reach bounds the values."""
        q = self.parameters
        mean, _ = radial_run.second_moments(self.axis, 1.0, self.start, q, self.sigma**2)
        reach = radial_run.farthest(self.d, 1.0, self.start, self.sigma, q)
        return Mean(mean, 0.0, (1.001 * reach) ** 2, mean, mean**2, exact=True)


FAR = 1e6  #: a threshold that no |Y| of these runs comes near
RUNS = (
    (BASE, Moments(Parameters(5, 0.1, 0.01, 4, FAR))),
    (MOMENTUM, Moments(Parameters(6, 0.5, 0.01, 3, FAR, 0.6, 5, FAR), d=3)),
)


def thin(axis: Axis, L: float, start: Array, q: Parameters, rng: np.random.Generator) -> radial_run.Radii:
    """The mistake of drawing one direction where a batch of M is asked for."""
    return radial_run.descend(axis, L, start, replace(q, M=1), rng)


def cells() -> Iterator[Cell]:
    """Prescribed runs, the companions of both variants, and what is planted."""
    yield from (case.cell() for case in LINE)
    base, momentum, frozen = Linear(), Linear(beta=0.6), Frozen()
    yield LAW.law(BASE, "linear", base.draw(), base.rule)
    yield LAW.law(MOMENTUM, "linear", momentum.draw(), momentum.rule)
    yield WIDE.law(MOMENTUM, "frozen", frozen.draw(), frozen.rule)
    for label, floor in ((BASE, Floor()), (MOMENTUM, Floor(beta=0.6))):
        yield LAW.law(label, "noise-floor", floor.draw(), floor.rule)
    yield TWINS[BASE]
    whole = ALGORITHM.but(average=lambda m, g, beta: beta * m + g)
    for label, run, wrong, name, note in (
        (BASE, base, base.draw(UPHILL), "sign", "sign of the step"),
        (BASE, base, base.draw(T=base.T - 1), "off-by-one", "off by one in T"),
        (MOMENTUM, momentum, momentum.draw(UPHILL), "sign", "sign of the step"),
        (MOMENTUM, momentum, momentum.draw(whole), "no-one-minus-beta", "momentum without (1 - beta)"),
        (MOMENTUM, momentum, momentum.draw(ALGORITHM.but(warm=False)), "no-warm-start", "warm start missing"),
        (MOMENTUM, frozen, frozen.draw(share=1.0), "frozen-threshold", "threshold without (1 - beta)"),
    ):
        sampling = WIDE if run is frozen else LAW
        yield sampling.cell(label, f"planted-{name}", wrong, run.rule, note=f"implementation: {note}")
    yield from (case.cell() for case in MOMENTUM_LINE)
    yield TWINS[MOMENTUM]
    yield from (case.cell() for case in RADIAL)
    for label, moments in RUNS:
        yield MOMENTS.law(label, "radial-moments", moments.draw(), moments.rule)
    note = "implementation: one direction for a batch of M"
    yield MOMENTS.cell(label, "planted-radial-thin", moments.draw(thin), moments.rule, note=note)
