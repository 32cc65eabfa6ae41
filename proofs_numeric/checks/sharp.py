"""The sharper statements beyond the paper: moments, bias, deviation of one batch, whole runs; see also sharp_laws."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from boundcheck.paper.values import value as bound
from proofs_numeric.checks.cell import Cell, Draw, Sampling
from proofs_numeric.checks.clipping import (
    EXPONENTS,
    MEAN,
    bias_rule,
    clipped_square_rule,
    draw_bias,
    draw_clipped_square,
    draw_square,
    extremal_scale,
    square_rule,
)
from proofs_numeric.checks.deviation import BATCH, Batch, draw_distance, exceeds, gradient_of, mean_of
from proofs_numeric.checks.high_dimension import FarBatch
from proofs_numeric.checks.high_dimension import draw_distance as draw_radial
from proofs_numeric.checks.places import GRID, Setting
from proofs_numeric.checks.prescribed import LARGEST, RUNS
from proofs_numeric.checks.sharp_bounds import (
    BERNSTEIN,
    BIAS,
    CLIPPED_MOMENT,
    DEVIATION,
    SECOND_MOMENT,
    best_shares,
    compared,
    split,
    square_bound,
)
from proofs_numeric.model.sphere import Array
from proofs_numeric.precision import rounding
from proofs_numeric.precision.replay import Replayed
from proofs_numeric.stats.bounded_mean import Mean
from proofs_numeric.stats.decision_rules import Exceedance

RHO = 0.1
DIRECT = 200  #: the largest dimension whose batches of 100 d directions are drawn as vectors
#: batches of 100 d directions, one-sided noise: the sharper bound does not move with d at a fixed M/d
DIMENSIONS = (2, 20, 200, 2000)
LINEAR = tuple((Setting(d, 1.5, "onesided", mu=1 / (16 * d)), 100 * d) for d in DIMENSIONS)
WHOLE = Sampling(416, 8)  #: enough for twice RHO to be detected, which CONSISTENT asks for


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
        return draw_distance(Batch(s, M, best_shares(s, M, RHO).tau), gradient_of)

    def width(values: Array, largest: float) -> Array | float:
        bounds = whole().width
        return bounds(values, largest) if bounds is not None else 0.0

    return Replayed(lambda rng, n: whole()(rng, n), lambda tape, n: whole().reference(tape, n), width)


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
            values = draw_radial(batch, gradient_of)(rng, n)
            wrong = rounding.radial_distance(values, s.d, batch.slope, M, shares.tau, batch.slope)
        if np.any(np.abs(values - shares.deviation(M, RHO)) <= wrong):
            raise ArithmeticError("rounding of a large batch could decide an event")
        return values + wrong

    return draw


def bernstein_rule(batch: Batch, factor: float = 1.0) -> Exceedance:
    """P(|A| > factor * (sqrt(2 V h) + R h/3)) <= rho with the exact V = E|A|^2 and R = 2 d tau/M."""
    reach = 2 * batch.setting.d * batch.tau / batch.M
    return exceeds(bound(BERNSTEIN, V=batch.mean_square, R=reach, h=math.log(2 / RHO)), RHO, factor)


def bounded_square_rule(s: Setting, tau: float, factor: float = 1.0) -> Mean:
    """E psi_tau(Y)^2 <= factor * Q^2/d."""
    return square_rule(s, tau, factor * square_bound(s, math.sqrt(s.d) * tau) / s.d)


def split_bias_rule(s: Setting, tau: float, factor: float = 1.0) -> Mean:
    """|d E[psi_tau(Y) u_1] - d_1 f_mu(x)| <= factor * bound, at the shares of tau with the least bound."""
    return bias_rule(s, tau, factor * split(s, tau).bias())


def cells() -> Iterator[Cell]:
    """Every cell of the statements beyond the paper."""
    for p in EXPONENTS:
        tau = 4 * extremal_scale(p)
        draw = draw_clipped_square(p, tau)
        yield MEAN.law(CLIPPED_MOMENT, f"extremal-p{p:g}", draw, moment_rule, p, tau)
    for s in (s for s in GRID if s.exact is not None):
        tau, batch = 4 * s.S, Batch(s, 32, 4 * s.S)
        square = draw_square(s, 4 * tau)
        yield MEAN.cell(SECOND_MOMENT, f"{s.name}-tau16", square, bounded_square_rule, s, 4 * tau)
        yield MEAN.cell(BIAS, f"{s.name}-tau4", draw_bias(s, tau), split_bias_rule, s, tau)
        yield BATCH.cell(BERNSTEIN, f"{s.name}-M32", draw_distance(batch, mean_of), bernstein_rule, batch)
    for s in GRID:
        yield BATCH.cell(DEVIATION, f"{s.name}-M64", draw_deviation(s, 64), deviation_rule, s, 64)
    for s, M in LINEAR:
        yield WHOLE.cell(DEVIATION, f"linear-d{s.d}-M{M}", draw_whole_batch(s, M), deviation_rule, s, M)
    yield from (case.cell() for case in RUNS)


def comparison() -> list[dict[str, float | str]]:
    """The sharper deviation bound beside the paper's at a fixed M/d, one row for each dimension, and its cell."""
    return [{**compared(s, M, RHO), "cell": f"{DEVIATION}/linear-d{s.d}-M{M}"} for s, M in LINEAR]
