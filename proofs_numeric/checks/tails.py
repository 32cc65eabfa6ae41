"""Tail lemmas: |Y - D_mu f|, |D_mu f| and |Y| against their weak-L_p bounds, all s >= 1 at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from boundcheck.paper.values import value as bound
from proofs_numeric.checks.cell import CLAIM, COMPANION, PLANTED, Cell, Draw
from proofs_numeric.checks.mutants import RECIPES, Lomax, Uncentred
from proofs_numeric.checks.places import GRID, Setting
from proofs_numeric.exact_in_law.exact_laws import ExactLaw, Projection
from proofs_numeric.model.estimator import PAPER, Recipe, pairs
from proofs_numeric.model.noise import Noise, infinite_variance
from proofs_numeric.model.objectives import Quadratic
from proofs_numeric.model.oracles import LinearNoiseOracle
from proofs_numeric.model.sphere import Array
from proofs_numeric.precision import replay, rounding
from proofs_numeric.stats.decision_rules import Exceedance
from proofs_numeric.stats.tail_curve import LIMITED, geometric_levels

DIRECTIONAL = "lem:hp-shared-directional-tail"
SIGNAL = "lem:hp-shared-directional-signal-tail"
TOTAL = "lem:hp-shared-directional-total-tail"
CUBIC = "prop:p2-infinite-variance"
TRIALS = 1 << 17


def draw_noise_part(setting: Setting, recipe: Recipe = PAPER, oracle: LinearNoiseOracle | None = None) -> Draw:
    """|Y - D_mu f(x, u)|, the projected noise."""
    source = oracle or setting.oracle

    def draw(rng: np.random.Generator, n: int) -> Array:
        y, u = pairs(source, setting.x, setting.mu, n, rng, recipe)
        return np.abs(y - source.objective.difference(setting.x, setting.mu, u))[0]

    def reference(tape: replay.Tape, n: int) -> replay.Values:
        found = replay.pairs(tape, source, [replay.vector(setting.x[0])], setting.mu, n)
        return [(abs(q.y - q.slope), 2 * q.error) for q in found]

    def width(values: Array, largest: float) -> Array | float:
        return 2 * rounding.pair(source, setting.x, setting.mu, values, largest)

    return replay.Replayed(draw, reference, width if recipe is PAPER and oracle is None else None)


def draw_signal(setting: Setting, recipe: Recipe = PAPER) -> Draw:
    """|D_mu f(x, u)|, the noiseless directional derivative."""

    def draw(rng: np.random.Generator, n: int) -> Array:
        u = recipe.directions(rng, n, setting.d)
        return np.abs(setting.oracle.objective.difference(setting.x, setting.mu, u[None]))[0]

    def reference(tape: replay.Tape, n: int) -> replay.Values:
        objective, x = setting.oracle.objective, replay.vector(setting.x[0])
        found = [replay.slopes(objective, x, setting.mu, u) for u in replay.directions(tape, setting.d)]
        return [(abs(slope), (2 * setting.d + 64) * replay.EPS * size) for slope, size in found]

    def width(values: Array, largest: float) -> float:
        return rounding.signal(setting.oracle, setting.x, setting.mu)

    return replay.Replayed(draw, reference, width if recipe is PAPER else None)


def draw_total(setting: Setting, recipe: Recipe = PAPER, oracle: LinearNoiseOracle | None = None) -> Draw:
    """|Y|."""
    source = oracle or setting.oracle

    def draw(rng: np.random.Generator, n: int) -> Array:
        return np.abs(pairs(source, setting.x, setting.mu, n, rng, recipe)[0])[0]

    def reference(tape: replay.Tape, n: int) -> replay.Values:
        found = replay.pairs(tape, source, [replay.vector(setting.x[0])], setting.mu, n)
        return [(abs(q.y), q.error) for q in found]

    def width(values: Array, largest: float) -> Array | float:
        return rounding.pair(source, setting.x, setting.mu, values, largest)

    return replay.Replayed(draw, reference, width if recipe is PAPER and oracle is None else None)


def draw_cubic() -> Draw:
    """||zeta|| for the density |z|^-3 on e_1."""
    noise = infinite_variance(3)

    def draw(rng: np.random.Generator, n: int) -> Array:
        return np.linalg.norm(noise.sample(rng, n).dense(3), axis=1)

    def reference(tape: replay.Tape, n: int) -> replay.Values:
        found = [abs(z) for z in replay.sizes(tape, noise.law)]
        return [(z, 64 * replay.EPS * float(z)) for z in found]

    return replay.Replayed(draw, reference, lambda values, largest: 65 * replay.EPS * values)


def cubic_curve(power: float = 2.0, exact: bool = False) -> Exceedance:
    """P(||zeta|| > t) <= t^-2, or with equality; ``power`` other than 2 is a wrong exponent."""
    thresholds = [float(level**-0.5) for level in geometric_levels(TRIALS, LIMITED)]
    return Exceedance(tuple(thresholds), tuple(bound(CUBIC, t=t) ** (power / 2) for t in thresholds), exact)


def scale(label: str, setting: Setting) -> float:
    """The factor of s in the event of each lemma."""
    d, L, mu = setting.d, setting.L, setting.mu
    if label == DIRECTIONAL:
        return setting.sigma / math.sqrt(d) + L * mu
    if label == SIGNAL:
        return math.sqrt(8 * L * setting.Dbar) / math.sqrt(d) + L * mu
    return 4 * setting.S


def claimed_curve(label: str, setting: Setting, factor: float = 1.0, trials: int = TRIALS) -> Exceedance:
    """P(value > factor * scale * s) <= bound(s) at s >= 1 where the bound runs down to 64 expected exceedances."""
    at_one = bound(label, s=1.0, p=setting.p)
    levels = geometric_levels(trials, LIMITED)
    s = [float(max(1.0, (at_one / level) ** (1 / setting.p))) for level in levels]
    return Exceedance(
        tuple(factor * scale(label, setting) * v for v in s),
        tuple(min(1.0, bound(label, s=v, p=setting.p)) for v in s),
    )


def exact_curve(law: ExactLaw, trials: int = TRIALS) -> Exceedance:
    """P(value > t) = its exact value, on a ladder of levels."""
    thresholds = law.thresholds([float(level) for level in geometric_levels(trials, LIMITED)])
    return Exceedance(tuple(thresholds), tuple(law.tail(t) for t in thresholds), exact=True)


def _exactly(law: Callable[[Setting], ExactLaw], setting: Setting) -> Exceedance:
    return exact_curve(law(setting))


def _whole_law(setting: Setting) -> ExactLaw:
    return setting.known


def _noise_law(setting: Setting) -> ExactLaw:
    """The law of <zeta, u>, whatever the direction of zeta."""
    return ExactLaw(((1.0, Projection(setting.d, 0.0, setting.real_law)),))


def _signal_law(setting: Setting) -> ExactLaw:
    return ExactLaw(((1.0, Projection(setting.d, float(setting.smoothed_gradient[0]), None)),))


def _with_noise(setting: Setting, law: object) -> LinearNoiseOracle:
    return replace(setting.oracle, noise=Noise(law, setting.shape, setting.d))  # type: ignore[arg-type]


def cells() -> Iterator[Cell]:
    """Every cell of the three tail lemmas and of the infinite-variance example."""
    yield Cell(CUBIC, "cubic", CLAIM, draw_cubic(), cubic_curve)
    yield Cell(CUBIC, "law-cubic", COMPANION, draw_cubic(), lambda: cubic_curve(exact=True))
    for s in GRID:
        yield Cell(DIRECTIONAL, s.name, CLAIM, draw_noise_part(s), partial(claimed_curve, DIRECTIONAL, s))
        yield Cell(DIRECTIONAL, f"law-{s.name}", COMPANION, draw_noise_part(s), partial(_exactly, _noise_law, s))
        if s.place == "boundary":
            yield Cell(SIGNAL, s.name, CLAIM, draw_signal(s), partial(claimed_curve, SIGNAL, s))
            if s.d > 1 and isinstance(s.oracle.objective, Quadratic):
                yield Cell(SIGNAL, f"law-{s.name}", COMPANION, draw_signal(s), partial(_exactly, _signal_law, s))
        yield Cell(TOTAL, s.name, CLAIM, draw_total(s), partial(claimed_curve, TOTAL, s))
        if s.exact is not None:
            yield Cell(TOTAL, f"law-{s.name}", COMPANION, draw_total(s), partial(_exactly, _whole_law, s))
    yield from planted()


def planted() -> Iterator[Cell]:
    """Wrong constants and broken implementations."""
    line, plane, ten, twenty = Setting(1, 1.5), Setting(2, 2.0), Setting(10, 2.0), Setting(20, 1.5)

    def wrong(label: str, name: str, draw: Draw, setting: Setting, factor: float, note: str) -> Cell:
        return Cell(label, name, PLANTED, draw, lambda: claimed_curve(label, setting, factor), TRIALS // 4, note=note)

    def broken(label: str, name: str, draw: Draw, law: ExactLaw, note: str) -> Cell:
        return Cell(label, name, PLANTED, draw, lambda: exact_curve(law), TRIALS // 4, note=note)

    yield Cell(
        CUBIC,
        "planted-exponent",
        PLANTED,
        draw_cubic(),
        lambda: cubic_curve(2.1),
        note="exponent: t^-2.1 for t^-2",
    )
    yield wrong(
        DIRECTIONAL,
        "planted-constant",
        draw_noise_part(line),
        line,
        0.8,
        "constant: 0.8 sigma/sqrt(d) for sigma/sqrt(d)",
    )
    yield wrong(
        DIRECTIONAL,
        "planted-dimension",
        draw_noise_part(ten),
        ten,
        10**-0.5,
        "exponent of d: sigma/d for sigma/sqrt(d)",
    )
    yield wrong(
        SIGNAL,
        "planted-dimension",
        draw_signal(twenty),
        twenty,
        20**-0.5,
        "exponent of d: sqrt(8 L Dbar)/d for sqrt(8 L Dbar/d)",
    )
    yield wrong(TOTAL, "planted-constant", draw_total(twenty), twenty, 0.08, "constant: 0.32 S_mu for 4 S_mu")
    yield wrong(
        TOTAL,
        "planted-xi",
        draw_total(Setting(10, 1.5, mu=1e-2), RECIPES["different xi in the two evaluations"]),
        Setting(10, 1.5),
        1.0,
        "implementation: different xi in the two evaluations",
    )
    for name, slug in (("Gaussian u, not normalised", "gaussian-u"), ("u from the cube", "cube")):
        yield broken(
            SIGNAL,
            f"planted-{slug}",
            draw_signal(plane, RECIPES[name]),
            _signal_law(plane),
            f"implementation: {name}",
        )
    single = Setting(1, 1.5, mu=1e-7)
    yield broken(
        DIRECTIONAL,
        "planted-float32",
        draw_noise_part(single, RECIPES["evaluations in float32"]),
        _noise_law(single),
        "implementation: evaluations in float32",
    )
    yield broken(
        DIRECTIONAL,
        "planted-lomax",
        draw_noise_part(line, oracle=_with_noise(line, Lomax(1.5))),
        _noise_law(line),
        "implementation: Lomax for Pareto",
    )
    one_sided = Setting(1, 1.5, "onesided")
    yield broken(
        DIRECTIONAL,
        "planted-uncentred",
        draw_noise_part(one_sided, oracle=_with_noise(one_sided, Uncentred.with_sigma(1.5, 1.0))),
        _noise_law(one_sided),
        "implementation: noise not centred",
    )
    wide = Setting(10, 1.5, mu=1.0)
    yield broken(
        TOTAL,
        "planted-forward",
        draw_total(wide, RECIPES["forward difference"]),
        wide.known,
        "implementation: forward difference",
    )
    yield broken(
        TOTAL,
        "planted-over-mu",
        draw_total(ten, RECIPES["division by mu instead of 2 mu"]),
        ten.known,
        "implementation: division by mu instead of 2 mu",
    )
