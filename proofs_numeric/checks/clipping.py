"""Clipping: E|Z - psi(Z)| and E psi(Z)^2 for the extremal law, and bias and second moment of the real Y.

A rule that is given no claim asks for the exact mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from flint import arb
from scipy.special import boxcox

from boundcheck.paper.values import value as bound
from proofs_numeric.checks.cell import Cell, Draw, Sampling
from proofs_numeric.checks.mutants import RECIPES
from proofs_numeric.checks.places import GRID, Setting
from proofs_numeric.model.estimator import PAPER, Recipe, clip, pairs
from proofs_numeric.model.sphere import Array
from proofs_numeric.precision import replay
from proofs_numeric.stats.bounded_mean import Mean

ABSTRACT_BIAS = "lem:hp-shared-clipped-bias-abstract"
SECOND_MOMENT = "lem:hp-shared-clipped-second-moment"
BIAS = "lem:hp-shared-clipping-bias"
EXPONENTS = (1.05, 1.2, 1.5, 1.8, 2.0)
TRIALS, CHUNK = 1 << 16, 1 << 14
MEAN, WRONG = Sampling(TRIALS, CHUNK, "mean"), Sampling(TRIALS // 4, CHUNK, "mean")


def extremal_scale(p: float, S: float = 1.0) -> float:
    """c = 4 * 2^(1/p) S, so that min(1, (c/t)^p) = min(1, 2^(2p+1) S^p t^-p): the least favourable tail."""
    return 4 * 2 ** (1 / p) * S


def extremal_excess(p: float, tau: float) -> float:
    """E(Z - tau)_+ = int_tau^oo min(1, (c/t)^p) dt."""
    c = extremal_scale(p)
    start = max(tau, c)
    return start - tau + (c / start) ** p * start / (p - 1)


def extremal_clipped_square(p: float, tau: float) -> float:
    """E min(Z, tau)^2 = 2 int_0^tau t min(1, (c/t)^p) dt."""
    c = extremal_scale(p)
    return min(tau, c) ** 2 + 2 * c**2 * float(boxcox(max(tau, c) / c, 2 - p))


def draw_excess(p: float, tau: float) -> Draw:
    """(Z - tau)_+ times its likelihood ratio, Z drawn from the heavier Pareto(p - 1).

    The weight p/(p-1) (z/c)^-1 turns an excess of infinite variance into a value below c p/(p-1), mean unchanged.
    """
    c, a = extremal_scale(p), p - 1

    def draw(rng: np.random.Generator, n: int) -> Array:
        inverse = np.exp(-rng.standard_exponential(n) / a)  # c/Z
        return p / a * np.maximum(c - tau * inverse, 0.0)

    def reference(tape: replay.Tape, n: int) -> replay.Values:
        power = arb(p) - 1
        inverse = [(-arb(y) / power).exp() for y in tape.read("standard_exponential")]
        error = 64 * replay.EPS * p / a * (c + tau)
        return [(arb(p) / power * (c - tau * v).max(arb(0)), error) for v in inverse]

    return replay.Replayed(draw, reference)


def excess_rule(p: float, tau: float, claimed: float | None = None) -> Mean:
    """E|Z - psi_tau(Z)| <= claimed for the extremal law, by a weight that keeps values bounded and the mean."""
    c, a = extremal_scale(p), p - 1
    ratio = min(1.0, tau / c)
    second = 1 - 2 * ratio * a / (1 + a) + ratio**2 * a / (2 + a)
    second *= (p / a * c) ** 2 * min(1.0, c / tau) ** a
    mean = extremal_excess(p, tau)
    return _mean(claimed, 0.0, p / a * c, mean, second - mean**2)


def _mean(claimed: float | None, low: float, high: float, mean: float, variance: float) -> Mean:
    return Mean(mean if claimed is None else claimed, low, high, mean, variance, exact=claimed is None)


def draw_clipped_square(p: float, tau: float) -> Draw:
    """psi_tau(Z)^2 for the extremal law."""
    c = extremal_scale(p)

    def draw(rng: np.random.Generator, n: int) -> Array:
        return np.minimum(c * np.exp(rng.standard_exponential(n) / p), tau) ** 2

    def reference(tape: replay.Tape, n: int) -> replay.Values:
        found = [(c * (arb(y) / p).exp()).min(arb(tau)) ** 2 for y in tape.read("standard_exponential")]
        return [(v, 256 * replay.EPS * float(v)) for v in found]

    return replay.Replayed(draw, reference)


def clipped_square_rule(p: float, tau: float, claimed: float | None = None) -> Mean:
    """E psi_tau(Z)^2 <= claimed for the extremal law."""
    c = extremal_scale(p)
    mean = extremal_clipped_square(p, tau)
    fourth = min(tau, c) ** 4 + 4 * c**p * max(0.0, tau ** (4 - p) - c ** (4 - p)) / (4 - p)
    return _mean(claimed, 0.0, tau**2, mean, max(fourth - mean**2, 1e-6 * tau**4))


def draw_component(setting: Setting, tau: float, recipe: Recipe = PAPER) -> replay.Replayed:
    """w u_1 with w the estimator's coefficient d psi_tau(Y): the component of one direction along e_1."""
    d = setting.d

    def draw(rng: np.random.Generator, n: int) -> Array:
        y, u = pairs(setting.oracle, setting.x, setting.mu, n, rng, recipe)
        return recipe.weight(y, tau, d)[0] * u[0, :, 0]

    def reference(tape: replay.Tape, n: int) -> replay.Values:
        found = replay.pairs(tape, setting.oracle, [replay.vector(setting.x[0])], setting.mu, n)
        values = [(d * replay.clip(q.y, tau) * q.u[0], d * abs(float(q.u[0])) * q.error) for q in found]
        return [(v, e + (2 * d + 64) * replay.EPS * abs(float(v))) for v, e in values]

    return replay.Replayed(draw, reference)


def exact_bias(setting: Setting, tau: float) -> float:
    """The component of d E[psi_tau(Y) u] - grad f_mu(x) along e_1."""
    return setting.d * setting.known.aligned(tau) - float(setting.smoothed_gradient[0])


def _towards(setting: Setting, tau: float) -> tuple[float, float]:
    """(the sign of the exact bias, d_1 f_mu(x))."""
    return math.copysign(1.0, exact_bias(setting, tau)), float(setting.smoothed_gradient[0])


def draw_bias(setting: Setting, tau: float) -> Draw:
    """The bias of one direction along e_1, d psi_tau(Y) u_1 - d_1 f_mu(x), with the sign of its exact mean."""
    component = draw_component(setting, tau)

    def draw(rng: np.random.Generator, n: int) -> Array:
        sign, target = _towards(setting, tau)
        return sign * (component(rng, n) - target)

    def reference(tape: replay.Tape, n: int) -> replay.Values:
        sign, target = _towards(setting, tau)
        found = component.reference(tape, n)
        return [(sign * (v - target), e + 4 * replay.EPS * (abs(float(v)) + abs(target))) for v, e in found]

    return replay.Replayed(draw, reference)


def _spread(setting: Setting, tau: float) -> float:
    """E (d psi_tau(Y) u_1)^2 as if u_1^2 were 1/d: where the bets are placed."""
    return setting.d * setting.known.clipped_moment(2, tau)


def bias_rule(setting: Setting, tau: float, claimed: float | None = None) -> Mean:
    """|d E[psi_tau(Y) u_1] - d_1 f_mu(x)| <= claimed."""
    reach, (sign, slope) = setting.d * tau, _towards(setting, tau)
    target = sign * slope
    return _mean(claimed, -reach - target, reach - target, abs(exact_bias(setting, tau)), _spread(setting, tau))


def component_rule(setting: Setting, tau: float) -> Mean:
    """d E[psi_tau(Y) u_1] = its exact value."""
    reach = setting.d * tau
    return _mean(None, -reach, reach, setting.d * setting.known.aligned(tau), _spread(setting, tau))


def draw_square(setting: Setting, tau: float, recipe: Recipe = PAPER) -> Draw:
    """psi_tau(Y)^2 of the real estimate."""

    def draw(rng: np.random.Generator, n: int) -> Array:
        y, _ = pairs(setting.oracle, setting.x, setting.mu, n, rng, recipe)
        return clip(y[0], tau) ** 2

    def reference(tape: replay.Tape, n: int) -> replay.Values:
        found = replay.pairs(tape, setting.oracle, [replay.vector(setting.x[0])], setting.mu, n)
        return [(replay.clip(q.y, tau) ** 2, 2 * min(abs(float(q.y)), tau) * q.error + q.error**2) for q in found]

    return replay.Replayed(draw, reference)


def square_rule(setting: Setting, tau: float, claimed: float | None = None) -> Mean:
    """E psi_tau(Y)^2 <= claimed in a setting with a known law."""
    mean = setting.known.clipped_moment(2, tau)
    spread = setting.known.clipped_moment(4, tau) - mean**2
    return _mean(claimed, 0.0, tau**2, mean, max(spread, 1e-6 * tau**4))


def cells() -> Iterator[Cell]:
    """Every cell of the clipping lemmas."""
    for p in EXPONENTS:
        c = extremal_scale(p)
        for word, tau in (("4", 4.0), ("c", c), ("16", 16.0), ("256", 256.0)):
            name = f"extremal-p{p:g}-tau{word}"
            excess, square = draw_excess(p, tau), draw_clipped_square(p, tau)
            limits = [bound(label, p=p, S=1.0, tau=tau) for label in (ABSTRACT_BIAS, SECOND_MOMENT)]
            yield MEAN.cell(ABSTRACT_BIAS, name, excess, excess_rule, p, tau, limits[0])
            yield MEAN.law(ABSTRACT_BIAS, name, excess, excess_rule, p, tau)
            yield MEAN.cell(SECOND_MOMENT, name, square, clipped_square_rule, p, tau, limits[1])
            if tau > c:
                yield MEAN.law(SECOND_MOMENT, name, square, clipped_square_rule, p, tau)
    for s in GRID:
        for k in (4, 16) if s.exact is not None else ():
            tau, name = k * s.S, f"{s.name}-tau{k}"
            square, limit = draw_square(s, tau), bound(SECOND_MOMENT, p=s.p, S=s.S, tau=tau)
            yield MEAN.cell(BIAS, name, draw_bias(s, tau), bias_rule, s, tau, _bias_bound(s, tau))
            if s.place == "boundary":
                yield MEAN.law(BIAS, name, draw_component(s, tau), component_rule, s, tau)
            yield MEAN.cell(SECOND_MOMENT, name, square, square_rule, s, tau, limit)
            yield MEAN.law(SECOND_MOMENT, name, square, square_rule, s, tau)
    yield from planted()


def _bias_bound(s: Setting, tau: float) -> float:
    return bound(BIAS, p=s.p, d=s.d, S=s.S, tau=tau)


def planted() -> Iterator[Cell]:
    """Wrong constants and broken implementations."""
    p, tau, limit = 1.5, 16.0, bound(ABSTRACT_BIAS, p=1.5, S=1.0, tau=16.0)
    for name, drawn, claimed, note in (
        ("constant", tau, 0.95 * limit, "constant: 0.95 * 2^(2p+1)/(p-1) for 2^(2p+1)/(p-1)"),
        ("tau", 0.9 * tau, limit, "implementation: clip at 0.9 tau"),
    ):
        draw = draw_excess(p, drawn)
        yield WRONG.cell(ABSTRACT_BIAS, f"planted-{name}", draw, excess_rule, p, tau, claimed, note=note)
    p, tau, note = 2.0, 256.0, "constant: 24 for 64"
    draw, limit = draw_clipped_square(p, tau), bound(SECOND_MOMENT, p=p, S=1.0, tau=tau)
    yield WRONG.cell(SECOND_MOMENT, "planted-constant", draw, clipped_square_rule, p, tau, limit * 3 / 8, note=note)
    ten, line = Setting(10, 1.5), Setting(1, 1.2, "onesided")
    for wrong, name in (("division by mu instead of 2 mu", "over-mu"), ("different xi in the two evaluations", "xi")):
        draw, note = draw_square(ten, 16 * ten.S, RECIPES[wrong]), f"implementation: {wrong}"
        yield WRONG.cell(SECOND_MOMENT, f"planted-{name}", draw, square_rule, ten, 16 * ten.S, note=note)
    tau, note = 4 * line.S, "constant: 2^(2p-6)/(p-1) for 2^(2p+1)/(p-1)"
    limit = _bias_bound(line, tau) / 128
    yield WRONG.cell(BIAS, "planted-constant", draw_bias(line, tau), bias_rule, line, tau, limit, note=note)
    for wrong, name in (
        ("no factor d", "no-d"),
        ("clip at d*tau", "clip-d-tau"),
        ("clip of d*Y at tau", "clip-d-y"),
    ):
        draw, note = draw_component(ten, 4 * ten.S, RECIPES[wrong]), f"implementation: {wrong}"
        yield WRONG.cell(BIAS, f"planted-{name}", draw, component_rule, ten, 4 * ten.S, note=note)
