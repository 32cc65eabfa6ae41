"""Precision: what a draw computes in floats, computed again in balls of 100 digits from the same random numbers.

The formulas here are those of the definitions (two values of F, their quotient, the average), not those of the
float code. Every value comes with the declared bound on the float code's rounding error,
a constant times 2^-53 times the sizes of the terms that were added.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb

from proofs_numeric.model.noise import CentredPareto, Gaussian, Noise, Pareto, RealLaw, Signs, Student
from proofs_numeric.model.objectives import LogCosh, Objective, Quadratic, Sinusoid
from proofs_numeric.model.oracles import LinearNoiseOracle
from proofs_numeric.model.sphere import Array

EPS = 2.0**-53
Values = list[tuple[arb, float]]  #: (value, declared bound on the float error) of every trial
Vector = list[arb]


class Tape:
    """A generator that remembers what it gave, so that the same numbers can be read again in the same order."""

    def __init__(self, rng: np.random.Generator):
        self._rng, self._given = rng, list[tuple[str, Array]]()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._rng, name)

        def remembered(*arguments: Any, **options: Any) -> Any:
            value = method(*arguments, **options)
            self._given.append((name, np.array(value).ravel()))
            return value

        return remembered

    def read(self, name: str) -> list[Any]:
        """The numbers of the next call, which must have been to ``name``."""
        called, values = self._given.pop(0)
        if called != name:
            raise LookupError(f"the draw called {called} where the reference expects {name}")
        return [v.item() for v in values]

    @property
    def empty(self) -> bool:
        """Whether everything was read."""
        return not self._given

    def trial(self, i: int, one: Tape) -> Tape:
        """The numbers of trial ``i`` alone; ``one`` is the tape of a draw of one trial, which shows their order.

        A draw of n trials repeats the calls of a single one, each for a group of successive trials at a time.
        Raises LookupError where the calls do not.
        """
        names, sizes = [name for name, _ in one._given], [len(values) for _, values in one._given]
        first = 0
        for start in range(0, len(self._given), len(names)):
            calls = self._given[start : start + len(names)]
            rows = len(calls[0][1]) // sizes[0]
            if [(name, len(v)) for name, v in calls] != [(m, rows * k) for m, k in zip(names, sizes, strict=True)]:
                break
            if i < first + rows:
                part = Tape(self._rng)
                at = i - first
                part._given = [(m, v[at * k : (at + 1) * k]) for (m, v), k in zip(calls, sizes, strict=True)]
                return part
            first += rows
        raise LookupError(f"the numbers of trial {i} cannot be told from those of the others")


@dataclass(frozen=True)
class Replayed:
    """A draw with its reference: ``reference(tape, n)`` is what ``draw(rng, n)`` should have given, rounding apart.

    ``width(values, largest)`` bounds the rounding error of each value, given the largest size of a number that the
    noise was made from in this chunk; None where no event hangs on the value.
    """

    draw: Callable[[Any, int], Array]
    reference: Callable[[Tape, int], Values]
    width: Callable[[Array, float], Array | float] | None = None

    def __call__(self, rng: np.random.Generator, n: int) -> Array:
        return self.draw(rng, n)


def clip(z: arb, tau: arb | float) -> arb:
    """psi_tau(z); z itself where tau is infinite."""
    return z if tau == math.inf else z.max(arb(-tau)).min(arb(tau))


def _sign(uniform: float) -> int:
    return -1 if uniform < 0.5 else 1


def sizes(tape: Tape, law: RealLaw) -> Vector:
    """The real noises Z of one call of ``law.sample``."""
    if isinstance(law, CentredPareto):
        mean = arb(law.scale) * arb(law.p) / (arb(law.p) - 1)
        return [arb(law.scale) * (arb(y) / law.p).exp() - mean for y in tape.read("standard_exponential")]
    if isinstance(law, Pareto):
        size = [arb(law.sigma) * (arb(y) / law.p).exp() for y in tape.read("standard_exponential")]
        return [z * _sign(r) for z, r in zip(size, tape.read("random"), strict=True)]
    if isinstance(law, Student):
        return [arb(law.scale) * arb(t) for t in tape.read("standard_t")]
    if isinstance(law, Gaussian):
        return [arb(law.s) * arb(z) for z in tape.read("standard_normal")]
    if isinstance(law, Signs):
        return [arb(law.sigma) * _sign(r) for r in tape.read("random")]
    raise TypeError(f"no reference for {type(law).__name__}")


def directions(tape: Tape, d: int) -> list[Vector]:
    """The unit vectors of one call of ``sphere``."""
    if d == 1:
        return [[arb(_sign(r))] for r in tape.read("random")]
    flat = [arb(z) for z in tape.read("standard_normal")]
    rows = [flat[i : i + d] for i in range(0, len(flat), d)]
    norms = [sum((z * z for z in row), arb(0)).sqrt() for row in rows]
    return [[z / norm for z in row] for row, norm in zip(rows, norms, strict=True)]


def noises(tape: Tape, noise: Noise) -> list[dict[int, arb]]:
    """The noise vectors of one call of ``noise.sample``, by their nonzero coordinates."""
    size = sizes(tape, noise.law)
    if noise.shape == "axis":
        return [{0: z} for z in size]
    if noise.shape == "sparse":
        return [{j: z} for z, j in zip(size, tape.read("integers"), strict=True)]
    return [{i: z * w for i, w in enumerate(row)} for z, row in zip(size, directions(tape, noise.d), strict=True)]


def _coordinate(objective: Objective, i: int, x: arb) -> arb:
    """f_i(x_i), f = sum_i f_i."""
    if isinstance(objective, Quadratic):
        return arb(float(objective.curvature[i])) * x * x / 2
    if isinstance(objective, LogCosh):
        return objective.L * x.cosh().log()
    if isinstance(objective, Sinusoid):
        return objective.L * (1 - x.cos())
    raise TypeError(f"no reference for {type(objective).__name__}")


def slopes(objective: Objective, x: Vector, mu: float, u: Vector) -> tuple[arb, float]:
    """D_mu f(x, u) = (f(x + mu u) - f(x - mu u))/(2 mu) and the sum of its terms' sizes."""
    terms = [
        (_coordinate(objective, i, a + mu * b) - _coordinate(objective, i, a - mu * b)) / (2 * arb(mu))
        for i, (a, b) in enumerate(zip(x, u, strict=True))
    ]
    return sum(terms, arb(0)), sum(abs(float(t)) for t in terms)


def value(oracle: LinearNoiseOracle, x: Vector, zeta: dict[int, arb]) -> arb:
    """F(x; xi) = f(x) + <zeta, x> + offset."""
    terms = [_coordinate(oracle.objective, i, a) for i, a in enumerate(x)] + [z * x[i] for i, z in zeta.items()]
    return sum(terms, arb(oracle.offset))


@dataclass(frozen=True)
class Pair:
    """One direction: u, D_mu f(x, u), Y, the declared bound on the error of the float Y, and ||zeta||."""

    u: Vector
    slope: arb
    y: arb
    error: float
    noise: float


def pairs(tape: Tape, oracle: LinearNoiseOracle, points: Sequence[Vector], mu: float, n: int) -> list[Pair]:
    """n pairs (Y_l, u_l) at each point, one point after the other, from values of F at x + mu u and x - mu u."""
    found = []
    us = directions(tape, oracle.d)
    for l, (u, zeta) in enumerate(zip(us, noises(tape, oracle.noise), strict=True)):
        x = points[l // n]
        slope, size = slopes(oracle.objective, x, mu, u)
        above, below = (sum((z * (x[i] + s * mu * u[i]) for i, z in zeta.items()), arb(0)) for s in (1, -1))
        size += sum(abs(float(z * u[i])) for i, z in zeta.items())
        if isinstance(oracle.noise.law, CentredPareto):  # the compensator is subtracted from a number of its size
            size += oracle.noise.law.mean * max(abs(float(u[i])) for i in zeta)
        length = float(sum((z * z for z in zeta.values()), arb(0)).sqrt())
        found.append(Pair(u, slope, slope + (above - below) / (2 * arb(mu)), (2 * oracle.d + 64) * EPS * size, length))
    return found


def averages(
    tape: Tape, oracle: LinearNoiseOracle, points: Sequence[Vector], mu: float, M: int, tau: float
) -> list[tuple[Vector, float]]:
    """G_mu(x; M, tau) for each point, with the declared bound on the norm of its float error."""
    d, out, found = oracle.d, [], pairs(tape, oracle, points, mu, M)
    for r in range(len(points)):
        group = found[r * M : (r + 1) * M]
        weights = [clip(q.y, tau) for q in group]
        off = sum(0.0 if abs(q.y) > tau + q.error else q.error for q in group)  # far beyond tau the float is tau
        g = [arb(d) / M * sum((c * q.u[i] for c, q in zip(weights, group, strict=True)), arb(0)) for i in range(d)]
        rounding = (2 * d + M + 64) * EPS * sum(abs(float(c)) for c in weights)
        out.append((g, d / M * (off + rounding)))
    return out


def vector(x: Array) -> Vector:
    """A float vector as exact balls."""
    return [arb(float(v)) for v in x]


def distances(found: Sequence[tuple[Vector, float]], centre: Array, power: int) -> Values:
    """||g - centre||^power of every average, with its declared bound."""
    out: Values = []
    for g, error in found:
        gap = sum(((a - float(b)) ** 2 for a, b in zip(g, centre, strict=True)), arb(0)).sqrt()
        size = float(sum((a * a for a in g), arb(0)).sqrt()) + float(np.linalg.norm(centre))
        bound = error + (len(g) + 8) * EPS * size
        value = float(gap)
        out.append((gap, bound) if power == 1 else (gap * gap, 2 * value * bound + bound**2))
    return out
