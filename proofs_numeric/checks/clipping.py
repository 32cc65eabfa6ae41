"""Clipping: E|Z - psi(Z)| and E psi(Z)^2 for the extremal law, and bias and second moment of the real Y."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from flint import arb
from scipy.special import boxcox

from boundcheck.paper.values import value as bound
from proofs_numeric.checks.cell import CLAIM, COMPANION, PLANTED, Cell, Draw
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
TRIALS = 1 << 16


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


def excess_rule(p: float, tau: float, claimed: float, exact: bool = False) -> Mean:
    """E|Z - psi_tau(Z)| <= claimed for the extremal law, by a weight that keeps values bounded and the mean."""
    c, a = extremal_scale(p), p - 1
    ratio = min(1.0, tau / c)
    second = 1 - 2 * ratio * a / (1 + a) + ratio**2 * a / (2 + a)
    second *= (p / a * c) ** 2 * min(1.0, c / tau) ** a
    mean = extremal_excess(p, tau)
    return Mean(claimed, 0.0, p / a * c, mean, second - mean**2, exact)


def draw_clipped_square(p: float, tau: float) -> Draw:
    """psi_tau(Z)^2 for the extremal law."""
    c = extremal_scale(p)

    def draw(rng: np.random.Generator, n: int) -> Array:
        return np.minimum(c * np.exp(rng.standard_exponential(n) / p), tau) ** 2

    def reference(tape: replay.Tape, n: int) -> replay.Values:
        found = [(c * (arb(y) / p).exp()).min(arb(tau)) ** 2 for y in tape.read("standard_exponential")]
        return [(v, 256 * replay.EPS * float(v)) for v in found]

    return replay.Replayed(draw, reference)


def clipped_square_rule(p: float, tau: float, claimed: float, exact: bool = False) -> Mean:
    """E psi_tau(Z)^2 <= claimed for the extremal law."""
    c = extremal_scale(p)
    mean = extremal_clipped_square(p, tau)
    fourth = min(tau, c) ** 4 + 4 * c**p * max(0.0, tau ** (4 - p) - c ** (4 - p)) / (4 - p)
    return Mean(claimed, 0.0, tau**2, mean, max(fourth - mean**2, 1e-6 * tau**4), exact)


def draw_bias(setting: Setting, tau: float) -> Draw:
    """The bias of one direction along e_1, d psi_tau(Y) u_1 - d_1 f_mu(x), with the sign of its exact mean."""

    def draw(rng: np.random.Generator, n: int) -> Array:
        sign, target = math.copysign(1.0, exact_bias(setting, tau)), float(setting.smoothed_gradient[0])
        return sign * (draw_component(setting, tau)(rng, n) - target)

    def reference(tape: replay.Tape, n: int) -> replay.Values:
        sign, target = math.copysign(1.0, exact_bias(setting, tau)), float(setting.smoothed_gradient[0])
        found = _component(setting, tau, tape, n)
        return [(sign * (v - target), e + 4 * replay.EPS * (abs(float(v)) + abs(target))) for v, e in found]

    return replay.Replayed(draw, reference)


def _component(setting: Setting, tau: float, tape: replay.Tape, n: int) -> replay.Values:
    d = setting.d
    found = replay.pairs(tape, setting.oracle, [replay.vector(setting.x[0])], setting.mu, n)
    values = [(d * replay.clip(q.y, tau) * q.u[0], d * abs(float(q.u[0])) * q.error) for q in found]
    return [(v, e + (2 * d + 64) * replay.EPS * abs(float(v))) for v, e in values]


def draw_component(setting: Setting, tau: float, recipe: Recipe = PAPER) -> Draw:
    """w u_1 with w the estimator's coefficient d psi_tau(Y): the component of one direction along e_1."""

    def draw(rng: np.random.Generator, n: int) -> Array:
        y, u = pairs(setting.oracle, setting.x, setting.mu, n, rng, recipe)
        return recipe.weight(y, tau, setting.d)[0] * u[0, :, 0]

    return replay.Replayed(draw, lambda tape, n: _component(setting, tau, tape, n))


def exact_bias(setting: Setting, tau: float) -> float:
    """The component of d E[psi_tau(Y) u] - grad f_mu(x) along e_1."""
    return setting.d * setting.known.aligned(tau) - float(setting.smoothed_gradient[0])


def _spread(setting: Setting, tau: float) -> float:
    """E (d psi_tau(Y) u_1)^2 as if u_1^2 were 1/d: where the bets are placed."""
    return setting.d * setting.known.clipped_moment(2, tau)


def bias_rule(setting: Setting, tau: float, claimed: float) -> Mean:
    """|d E[psi_tau(Y) u_1] - d_1 f_mu(x)| <= claimed."""
    bias, reach = exact_bias(setting, tau), setting.d * tau
    target = math.copysign(1.0, bias) * float(setting.smoothed_gradient[0])
    return Mean(claimed, -reach - target, reach - target, abs(bias), _spread(setting, tau))


def component_rule(setting: Setting, tau: float) -> Mean:
    """d E[psi_tau(Y) u_1] = its exact value."""
    mean, reach = setting.d * setting.known.aligned(tau), setting.d * tau
    return Mean(mean, -reach, reach, mean, _spread(setting, tau), exact=True)


def draw_square(setting: Setting, tau: float, recipe: Recipe = PAPER) -> Draw:
    """psi_tau(Y)^2 of the real estimate."""

    def draw(rng: np.random.Generator, n: int) -> Array:
        y, _ = pairs(setting.oracle, setting.x, setting.mu, n, rng, recipe)
        return clip(y[0], tau) ** 2

    def reference(tape: replay.Tape, n: int) -> replay.Values:
        found = replay.pairs(tape, setting.oracle, [replay.vector(setting.x[0])], setting.mu, n)
        return [(replay.clip(q.y, tau) ** 2, 2 * min(abs(float(q.y)), tau) * q.error + q.error**2) for q in found]

    return replay.Replayed(draw, reference)


def square_rule(setting: Setting, tau: float, claimed: float | None) -> Mean:
    """E psi_tau(Y)^2 <= claimed in a setting with a known law; None takes the exact mean."""
    mean = setting.known.clipped_moment(2, tau)
    spread = setting.known.clipped_moment(4, tau) - mean**2
    value = mean if claimed is None else claimed
    return Mean(value, 0.0, tau**2, mean, max(spread, 1e-6 * tau**4), claimed is None)


def cells() -> Iterator[Cell]:
    """Every cell of the clipping lemmas."""
    for p in EXPONENTS:
        for word, tau in (("4", 4.0), ("c", extremal_scale(p)), ("16", 16.0), ("256", 256.0)):
            name = f"extremal-p{p:g}-tau{word}"
            yield _mean(
                ABSTRACT_BIAS,
                name,
                CLAIM,
                draw_excess(p, tau),
                lambda p=p, t=tau: excess_rule(p, t, bound(ABSTRACT_BIAS, p=p, S=1.0, tau=t)),
            )
            yield _mean(
                ABSTRACT_BIAS,
                f"law-{name}",
                COMPANION,
                draw_excess(p, tau),
                lambda p=p, t=tau: excess_rule(p, t, extremal_excess(p, t), True),
            )
            yield _mean(
                SECOND_MOMENT,
                name,
                CLAIM,
                draw_clipped_square(p, tau),
                lambda p=p, t=tau: clipped_square_rule(p, t, bound(SECOND_MOMENT, p=p, S=1.0, tau=t)),
            )
            if tau > extremal_scale(p):
                yield _mean(
                    SECOND_MOMENT,
                    f"law-{name}",
                    COMPANION,
                    draw_clipped_square(p, tau),
                    lambda p=p, t=tau: clipped_square_rule(p, t, extremal_clipped_square(p, t), True),
                )
    for s in GRID:
        if s.exact is not None:
            for k in (4, 16):
                yield from _real(s, k * s.S, f"{s.name}-tau{k}")
    yield from planted()


def _mean(label: str, name: str, kind: str, draw: Draw, rule, note: str = "") -> Cell:  # type: ignore[no-untyped-def]
    return Cell(label, name, kind, draw, rule, TRIALS // 4 if kind == PLANTED else TRIALS, 1 << 14, "mean", note)


def _real(s: Setting, tau: float, name: str) -> Iterator[Cell]:
    claim = lambda: bias_rule(s, tau, bound(BIAS, p=s.p, d=s.d, S=s.S, tau=tau))  # noqa: E731
    yield _mean(BIAS, name, CLAIM, draw_bias(s, tau), claim)
    if s.place == "boundary":
        yield _mean(BIAS, f"law-{name}", COMPANION, draw_component(s, tau), lambda: component_rule(s, tau))
    yield _mean(
        SECOND_MOMENT,
        name,
        CLAIM,
        draw_square(s, tau),
        lambda: square_rule(s, tau, bound(SECOND_MOMENT, p=s.p, S=s.S, tau=tau)),
    )
    yield _mean(SECOND_MOMENT, f"law-{name}", COMPANION, draw_square(s, tau), lambda: square_rule(s, tau, None))


def planted() -> Iterator[Cell]:
    """Wrong constants and broken implementations."""
    p, tau = 1.5, 16.0
    yield _mean(
        ABSTRACT_BIAS,
        "planted-constant",
        PLANTED,
        draw_excess(p, tau),
        lambda: excess_rule(p, tau, 0.95 * bound(ABSTRACT_BIAS, p=p, S=1.0, tau=tau)),
        "constant: 0.95 * 2^(2p+1)/(p-1) for 2^(2p+1)/(p-1)",
    )
    yield _mean(
        ABSTRACT_BIAS,
        "planted-tau",
        PLANTED,
        draw_excess(p, 0.9 * tau),
        lambda: excess_rule(p, tau, bound(ABSTRACT_BIAS, p=p, S=1.0, tau=tau)),
        "implementation: clip at 0.9 tau",
    )
    yield _mean(
        SECOND_MOMENT,
        "planted-constant",
        PLANTED,
        draw_clipped_square(2.0, 256.0),
        lambda: clipped_square_rule(2.0, 256.0, bound(SECOND_MOMENT, p=2.0, S=1.0, tau=256.0) * 3 / 8),
        "constant: 24 for 64",
    )
    ten, line = Setting(10, 1.5), Setting(1, 1.2, "onesided")
    for name, slug in (("division by mu instead of 2 mu", "over-mu"), ("different xi in the two evaluations", "xi")):
        yield _mean(
            SECOND_MOMENT,
            f"planted-{slug}",
            PLANTED,
            draw_square(ten, 16 * ten.S, RECIPES[name]),
            lambda: square_rule(ten, 16 * ten.S, None),
            f"implementation: {name}",
        )
    yield _mean(
        BIAS,
        "planted-constant",
        PLANTED,
        draw_bias(line, 4 * line.S),
        lambda: bias_rule(line, 4 * line.S, bound(BIAS, p=1.2, d=1, S=line.S, tau=4 * line.S) / 128),
        "constant: 2^(2p-6)/(p-1) for 2^(2p+1)/(p-1)",
    )
    for name, slug in (
        ("no factor d", "no-d"),
        ("clip at d*tau", "clip-d-tau"),
        ("clip of d*Y at tau", "clip-d-y"),
    ):
        yield _mean(
            BIAS,
            f"planted-{slug}",
            PLANTED,
            draw_component(ten, 4 * ten.S, RECIPES[name]),
            lambda: component_rule(ten, 4 * ten.S),
            f"implementation: {name}",
        )
