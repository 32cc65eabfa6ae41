"""The sharper statements beyond the paper: moments, bias, deviation of one batch, whole runs; see also sharp_laws."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial

import numpy as np

from boundcheck.paper.values import value as bound
from boundcheck.plans.sharp_plan import SharpPlan, plan_sharp
from boundcheck.plans.theorem_plan import Problem
from proofs_numeric.checks.cell import CLAIM, COMPANION, Cell, Draw
from proofs_numeric.checks.clipping import (
    EXPONENTS,
    bias_rule,
    clipped_square_rule,
    draw_bias,
    draw_clipped_square,
    draw_square,
    extremal_scale,
    square_rule,
)
from proofs_numeric.checks.deviation import Batch, draw_distance, exceeds, mean_of
from proofs_numeric.checks.high_dimension import FarBatch
from proofs_numeric.checks.high_dimension import draw_distance as draw_radial
from proofs_numeric.checks.places import GRID, Setting
from proofs_numeric.checks.sharp_bounds import (
    BERNSTEIN,
    BIAS,
    CLIPPED_MOMENT,
    CONVERGENCE,
    DEVIATION,
    SECOND_MOMENT,
    best_shares,
    compared,
    split,
    square_bound,
)
from proofs_numeric.model.optimizer import Parameters, optimize, sampler
from proofs_numeric.model.sphere import Array
from proofs_numeric.precision import rounding
from proofs_numeric.precision.replay import Replayed, Tape, Values
from proofs_numeric.stats.bounded_mean import Mean
from proofs_numeric.stats.decision_rules import Exceedance

TRIALS, CHUNK = 1 << 12, 1 << 9
MEAN_TRIALS = 1 << 16
RHO = 0.1
DIRECT = 200  #: the largest dimension whose batches of 100 d directions are drawn as vectors
LARGEST = 60.0  #: no exponential variate of a campaign reaches it (probability e^-60 each)
#: batches of 100 d directions, one-sided noise: the sharper bound does not move with d at a fixed M/d
DIMENSIONS = (2, 20, 200, 2000)
LINEAR = tuple((Setting(d, 1.5, "onesided", mu=1 / (16 * d)), 100 * d) for d in DIMENSIONS)
LINEAR_TRIALS = 416  #: enough for twice RHO to be detected, which CONSISTENT asks for


@dataclass(frozen=True)
class Run:
    """Base RSC-ZO on |x|^2/2 in R^d from f(x_0) - f_* = 1, at the sharper plan's own T, M, tau, alpha and mu."""

    p: str
    d: int
    law: str
    trials: int
    eps: str = "1"
    sigma: str = "1"
    delta: str = "0.1"

    @property
    def name(self) -> str:
        return f"prescribed-sharp-d{self.d}-p{self.p}-{self.law}-axis-eps{self.eps}-delta{self.delta}"

    def plan(self) -> SharpPlan:
        return _plan(self)


@cache
def _plan(run: Run) -> SharpPlan:
    one, numbers = Fraction(1), (Fraction(v) for v in (run.sigma, run.eps, run.delta))
    return plan_sharp(Problem(Fraction(run.p), run.d, one, one, *numbers))


RUNS = (
    Run("2", 10, "pareto", 416),
    Run("2", 20, "onesided", 416),
    Run("1.8", 10, "student", 416),
    Run("1.5", 10, "onesided", 416),
    Run("1.2", 1, "pareto", 416, sigma="0.3"),
)


def draw_run(case: Run, factor: float = 1.0) -> Draw:
    """(1/T) sum_t |grad f(x_t)|^2; ArithmeticError if rounding could decide an event.

    |x - alpha g(x)| stretches distances by at most max(1, alpha L d - 1), and a float error of g adds alpha times it.
    """

    def draw(rng: np.random.Generator, n: int) -> Array:
        q = case.plan()
        mu, alpha = float(q.mu), float(q.alpha)
        s = Setting(case.d, float(case.p), case.law, mu=mu, sigma=float(case.sigma))
        start = np.zeros((n, case.d))
        start[:, 0] = math.sqrt(2.0)
        run = optimize(s.oracle.objective, sampler(s.oracle, mu), start, Parameters(q.T, alpha, mu, q.M, q.tau), rng)
        lengths = np.sqrt(run.gradient2)
        far = np.zeros((1, case.d))
        far[0, 0] = lengths.max()
        error = rounding.average(s.oracle, far, mu, q.M, q.tau, LARGEST)
        wrong, stretch = 0.0, max(1.0, alpha * s.L * case.d - 1)
        for _ in range(q.T):
            wrong = stretch * wrong + alpha * error
        average, limit = run.mean_gradient2(0, q.T - 1), factor * bound(CONVERGENCE, eps=float(case.eps))
        if np.any(np.abs(average - limit) <= 2 * far[0, 0] * wrong + wrong**2):
            raise ArithmeticError("rounding along a run is too large to decide an event")
        return average

    return draw


def run_rule(case: Run, factor: float = 1.0) -> Exceedance:
    """P(average > factor * eps^2) <= delta."""
    limit = factor * bound(CONVERGENCE, eps=float(case.eps))
    return Exceedance((limit,), (float(case.delta),), watch=tuple(limit * 2.0 ** (-k / 8) for k in range(1, 49)))


def moment_rule(p: float, tau: float, factor: float = 1.0) -> Mean:
    """E psi_tau(Z)^2 of the extremal law with scale c is the bound itself; on both sides where ``factor`` is 1."""
    claimed = factor * bound(CLIPPED_MOMENT, p=p, S=extremal_scale(p), tau=tau)
    return replace(clipped_square_rule(p, tau, claimed), exact=factor == 1.0)


def deviation_rule(s: Setting, M: int, factor: float = 1.0) -> Exceedance:
    """P(|g - grad f_mu| > factor * bound) <= rho at the threshold with the least bound."""
    return exceeds(best_shares(s, M, RHO).deviation(M, RHO), RHO, factor)


def draw_deviation(s: Setting, M: int) -> Replayed:
    """|g(x) - grad f_mu(x)| at the threshold with the least bound, which is searched for when the cell is run."""

    def whole() -> Replayed:
        found = draw_distance(Batch(s, M, best_shares(s, M, RHO).tau), lambda: s.smoothed_gradient)
        assert isinstance(found, Replayed)
        return found

    def reference(tape: Tape, n: int) -> Values:
        return whole().reference(tape, n)

    def width(values: Array, largest: float) -> Array | float:
        bounds = whole().width
        return bounds(values, largest) if bounds is not None else 0.0

    return Replayed(lambda rng, n: whole()(rng, n), reference, width)


def draw_whole_batch(s: Setting, M: int) -> Draw:
    """:func:`draw_deviation` for a batch too large to be drawn again in balls: the upper end of each value's rounding.

    Beyond d = 200 by the radial method, equal in law. ArithmeticError if rounding could decide an event.
    """

    def draw(rng: np.random.Generator, n: int) -> Array:
        shares = best_shares(s, M, RHO)
        if s.d <= DIRECT:
            exact = draw_deviation(s, M)
            values = exact(rng, n)
            wrong = exact.width(values, LARGEST) if exact.width is not None else 0.0
        else:
            batch = FarBatch(s, M, shares.tau)
            values = draw_radial(batch, lambda: batch.slope)(rng, n)
            wrong = rounding.radial_distance(values, s.d, batch.slope, M, shares.tau, batch.slope)
        if np.any(np.abs(values - shares.deviation(M, RHO)) <= wrong):
            raise ArithmeticError("rounding of a large batch could decide an event")
        return values + wrong

    return draw


def bernstein_rule(batch: Batch, factor: float = 1.0) -> Exceedance:
    """P(|A| > factor * (sqrt(2 V h) + R h/3)) <= rho with the exact V = E|A|^2 and R = 2 d tau/M."""
    reach = 2 * batch.setting.d * batch.tau / batch.M
    return exceeds(bound(BERNSTEIN, V=batch.mean_square, R=reach, h=math.log(2 / RHO)), RHO, factor)


def _mean(label: str, name: str, kind: str, draw: Draw, rule) -> Cell:  # type: ignore[no-untyped-def]
    return Cell(label, name, kind, draw, rule, MEAN_TRIALS, 1 << 14, "mean")


def cells() -> Iterator[Cell]:
    """Every cell of the statements beyond the paper."""
    for p in EXPONENTS:
        tau = 4 * extremal_scale(p)
        draw = draw_clipped_square(p, tau)
        yield _mean(CLIPPED_MOMENT, f"law-extremal-p{p:g}", COMPANION, draw, lambda p=p, t=tau: moment_rule(p, t))
    for s in (s for s in GRID if s.exact is not None):
        tau = 16 * s.S
        theta = math.sqrt(s.d) * tau
        yield _mean(
            SECOND_MOMENT,
            f"{s.name}-tau16",
            CLAIM,
            draw_square(s, tau),
            lambda s=s, t=tau, q=theta: square_rule(s, t, square_bound(s, q) / s.d),
        )
        yield _mean(
            BIAS,
            f"{s.name}-tau4",
            CLAIM,
            draw_bias(s, tau / 4),
            lambda s=s, t=tau / 4: bias_rule(s, t, split(s, t).bias()),
        )
        batch = Batch(s, 32, 4 * s.S)
        yield Cell(
            BERNSTEIN,
            f"{s.name}-M32",
            CLAIM,
            draw_distance(batch, partial(mean_of, batch)),
            partial(bernstein_rule, batch),
            TRIALS,
            CHUNK,
        )
    for s in GRID:
        yield Cell(
            DEVIATION, f"{s.name}-M64", CLAIM, draw_deviation(s, 64), partial(deviation_rule, s, 64), TRIALS, CHUNK
        )
    for s, M in LINEAR:
        rule = partial(deviation_rule, s, M)
        yield Cell(DEVIATION, f"linear-d{s.d}-M{M}", CLAIM, draw_whole_batch(s, M), rule, LINEAR_TRIALS, 8)
    for case in RUNS:
        yield Cell(CONVERGENCE, case.name, CLAIM, draw_run(case), partial(run_rule, case), case.trials, 4)


def comparison() -> list[dict[str, float | str]]:
    """The sharper deviation bound beside the paper's at a fixed M/d, one row for each dimension, and its cell."""
    return [{**compared(s, M, RHO), "cell": f"{DEVIATION}/linear-d{s.d}-M{M}"} for s, M in LINEAR]
