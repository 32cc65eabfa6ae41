"""Tail lemmas: |Y - D_mu f|, |D_mu f| and |Y| against their weak-L_p bounds, all s >= 1 at once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from boundcheck.paper.values import value as bound
from proofs_numeric.checks.cell import Cell, Draw, Sampling
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
TRIALS, CHUNK = 1 << 17, 1 << 14
TAIL, WRONG = Sampling(TRIALS, CHUNK), Sampling(TRIALS // 4, CHUNK)


def draw_size(label: str, setting: Setting, recipe: Recipe = PAPER, oracle: LinearNoiseOracle | None = None) -> Draw:
    """What each lemma bounds: the projected noise |Y - D_mu f|, the signal |D_mu f|, or |Y|."""
    source, x, mu, d = oracle or setting.oracle, setting.x, setting.mu, setting.d
    terms = 2 if label == DIRECTIONAL else 1  #: as large as Y

    def draw(rng: np.random.Generator, n: int) -> Array:
        if label == SIGNAL:
            return np.abs(source.objective.difference(x, mu, recipe.directions(rng, n, d)[None]))[0]
        y, u = pairs(source, x, mu, n, rng, recipe)
        return np.abs(y if label == TOTAL else y - source.objective.difference(x, mu, u))[0]

    def reference(tape: replay.Tape, n: int) -> replay.Values:
        point = replay.vector(x[0])
        if label == SIGNAL:
            slopes = [replay.slopes(source.objective, point, mu, u) for u in replay.directions(tape, d)]
            return [(abs(slope), (2 * d + 64) * replay.EPS * size) for slope, size in slopes]
        found = replay.pairs(tape, source, [point], mu, n)
        return [(abs(q.y if label == TOTAL else q.y - q.slope), terms * q.error) for q in found]

    def width(values: Array, largest: float) -> Array | float:
        if label == SIGNAL:
            return rounding.signal(source, x, mu)
        return terms * rounding.pair(source, x, mu, values, largest)

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


def law_of(label: str, setting: Setting) -> ExactLaw | None:
    """The exact law of what a lemma bounds, where one integral gives it; that of <zeta, u> knows no direction."""
    if label == TOTAL:
        return setting.exact
    if label == DIRECTIONAL:
        return ExactLaw(((1.0, Projection(setting.d, 0.0, setting.real_law)),))
    if setting.d == 1 or not isinstance(setting.oracle.objective, Quadratic):
        return None
    return ExactLaw(((1.0, Projection(setting.d, float(setting.smoothed_gradient[0]), None)),))


def cells() -> Iterator[Cell]:
    """Every cell of the three tail lemmas and of the infinite-variance example."""
    yield TAIL.cell(CUBIC, "cubic", draw_cubic(), cubic_curve)
    yield TAIL.law(CUBIC, "cubic", draw_cubic(), cubic_curve, 2.0, True)
    for s in GRID:
        for label in (DIRECTIONAL, SIGNAL, TOTAL):
            if label == SIGNAL and s.place != "boundary":
                continue
            yield TAIL.cell(label, s.name, draw_size(label, s), claimed_curve, label, s)
            if law := law_of(label, s):
                yield TAIL.law(label, s.name, draw_size(label, s), exact_curve, law)
    yield from planted()


def planted() -> Iterator[Cell]:
    """Wrong constants and broken implementations."""
    line, plane, ten, twenty = Setting(1, 1.5), Setting(2, 2.0), Setting(10, 2.0), Setting(20, 1.5)
    yield TAIL.cell(CUBIC, "planted-exponent", draw_cubic(), cubic_curve, 2.1, note="exponent: t^-2.1 for t^-2")
    for label, name, s, factor, note in (
        (DIRECTIONAL, "constant", line, 0.8, "constant: 0.8 sigma/sqrt(d) for sigma/sqrt(d)"),
        (DIRECTIONAL, "dimension", ten, 10**-0.5, "exponent of d: sigma/d for sigma/sqrt(d)"),
        (SIGNAL, "dimension", twenty, 20**-0.5, "exponent of d: sqrt(8 L Dbar)/d for sqrt(8 L Dbar/d)"),
        (TOTAL, "constant", twenty, 0.08, "constant: 0.32 S_mu for 4 S_mu"),
    ):
        yield WRONG.cell(label, f"planted-{name}", draw_size(label, s), claimed_curve, label, s, factor, note=note)
    s, wrong = Setting(10, 1.5), "different xi in the two evaluations"
    draw = draw_size(TOTAL, s, RECIPES[wrong])
    yield WRONG.cell(TOTAL, "planted-xi", draw, claimed_curve, TOTAL, s, note=f"implementation: {wrong}")
    one_sided = Setting(1, 1.5, "onesided")
    for label, name, s, wrong, noise in (
        (SIGNAL, "gaussian-u", plane, "Gaussian u, not normalised", None),
        (SIGNAL, "cube", plane, "u from the cube", None),
        (DIRECTIONAL, "float32", Setting(1, 1.5, mu=1e-7), "evaluations in float32", None),
        (DIRECTIONAL, "lomax", line, "Lomax for Pareto", Lomax(1.5)),
        (DIRECTIONAL, "uncentred", one_sided, "noise not centred", Uncentred.with_sigma(1.5, 1.0)),
        (TOTAL, "forward", Setting(10, 1.5, mu=1.0), "forward difference", None),
        (TOTAL, "over-mu", ten, "division by mu instead of 2 mu", None),
    ):
        oracle = replace(s.oracle, noise=Noise(noise, s.shape, s.d)) if noise else None
        draw, note = draw_size(label, s, RECIPES.get(wrong, PAPER), oracle), f"implementation: {wrong}"
        yield WRONG.cell(label, f"planted-{name}", draw, exact_curve, law_of(label, s), note=note)
