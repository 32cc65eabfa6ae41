"""An oracle that is seen through values of F alone: in float64 where mu allows it, else in balls, and it says so.

Without an exact difference (F(x + mu u; xi) - F(x - mu u; xi))/(2 mu) is off by about 2^-53 kappa |F|/mu. Where that
is above the tolerance, both values and their quotient are computed in balls from the same random numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, ctx

from proofs_numeric.model.oracles import LinearNoiseOracle
from proofs_numeric.model.sphere import Array, sphere
from proofs_numeric.precision import replay, rounding
from proofs_numeric.precision.replay import EPS, Replayed, Tape, Values

DIGITS = 100  #: the values cancel to about log10(|F|/mu) digits fewer
TOLERANCE = 1e-9  #: the largest rounding error of a statistic run in float64, against the scale of its events


@dataclass(frozen=True)
class TwoValues:
    """Two values of F = f + <zeta, x> + offset for each direction, at a point x (1, d)."""

    oracle: LinearNoiseOracle
    x: Array
    mu: float

    def error(self, noise: float) -> float:
        """2^-53 kappa |F|/mu where ||zeta|| <= ``noise``, kappa = 2 d + 64; the rounding of x + mu u included."""
        objective, length = self.oracle.objective, float(np.linalg.norm(self.x)) + self.mu
        slope = float(np.linalg.norm(objective.gradient(self.x))) + objective.L * self.mu + noise
        size = float(objective.value(self.x)[0]) + slope * self.mu + noise * length + abs(self.oracle.offset)
        return (2 * self.oracle.d + 64) * EPS * (size + length * slope) / self.mu

    def expected_error(self, trials: int) -> float:
        """The error at the largest noise that ``trials`` draws of the tail (sigma/t)^p would give."""
        noise = self.oracle.noise
        return self.error(noise.sigma * trials ** (1 / noise.p))

    def in_floats(self, rng: np.random.Generator, n: int) -> Array:
        """|Y| of n directions, by the plain difference of two float values."""
        u = sphere(rng, n, self.oracle.d)
        xi = self.oracle.draw(rng, n)
        above, below = self.oracle.value(self.x + self.mu * u, xi), self.oracle.value(self.x - self.mu * u, xi)
        return np.abs((above - below) / (2 * self.mu))

    def in_balls(self, rng: np.random.Generator, n: int) -> Array:
        """The same from the same random numbers, each |Y| within half an ulp and the width of its ball."""
        tape: Any = Tape(rng)
        sphere(tape, n, self.oracle.d)
        self.oracle.draw(tape, n)
        mu, found = arb(self.mu), []
        with ctx.workdps(DIGITS):
            x = replay.vector(self.x[0])
            us = replay.directions(tape, self.oracle.d)
            for u, zeta in zip(us, replay.noises(tape, self.oracle.noise), strict=True):
                above, below = (
                    replay.value(self.oracle, [a + s * mu * b for a, b in zip(x, u, strict=True)], zeta)
                    for s in (1, -1)
                )
                found.append(float(abs((above - below) / (2 * mu))))
        return np.array(found)


def draw(values: TwoValues, trials: int, scale: float) -> tuple[Replayed, str]:
    """|Y| by values, and what is to be said of its precision: empty where float64 is enough.

    The reference is the exact difference D_mu f(x, u) + <zeta, u>, in which the offset does not occur.
    """
    error = values.expected_error(trials)
    enough = error <= TOLERANCE * scale

    def reference(tape: Tape, n: int) -> Values:
        found = replay.pairs(tape, values.oracle, [replay.vector(values.x[0])], values.mu, n)
        if not enough:
            return [(abs(q.y), 2 * EPS * abs(float(q.y))) for q in found]
        return [(abs(q.y), values.error(q.noise)) for q in found]

    def width(given: Array, largest: float) -> Array | float:
        if not enough:
            return 3 * EPS * given
        return values.error(rounding.SLACK * rounding.noise_reach(values.oracle.noise.law, largest))

    if enough:
        return Replayed(values.in_floats, reference, width), ""
    said = (
        f"mu = {values.mu:g} is too small for float64: 2^-53 kappa |F|/mu = {error:.2g} is above {TOLERANCE:g} times"
    )
    return Replayed(values.in_balls, reference, width), f"{said} {scale:.3g}; run in balls of {DIGITS} digits"
