"""Heavy-tailed gradient noise zeta = Z w: a real law Z, mean zero with an exact tail, times a direction w.

Real laws are written on the scale y ~ Exp(1), y = -log P(exceed), which reaches tails that 53-bit
uniforms cannot: |Z| = sigma exp(y/p) for a Pareto norm. Every law states the exponent p and the
smallest sigma with P(||zeta|| > t) <= (sigma/t)^p for all t > 0 (ass:hp-shared-prob).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from proofs_numeric.model.sphere import Array, check_dimension, check_float64, sphere

Map = Callable[[Array], Array]
Indices = NDArray[np.int64]


def check_exponent(p: float) -> float:
    """``p`` itself; raises ValueError unless 1 < p <= 2."""
    if not 1 < p <= 2:
        raise ValueError(f"the tail exponent p must lie in (1, 2], got {p!r}")
    return float(check_float64(p, "p"))


def check_scale(value: float, name: str) -> float:
    """``value`` itself; raises ValueError unless it is positive and finite."""
    if not (0 < value < math.inf):
        raise ValueError(f"{name} must be positive and finite, got {value!r}")
    return float(check_float64(value, name))


def weak_lp_constant(tail: Map, p: float, low: float, high: float, relative: float = 1e-9) -> float:
    """The smallest sigma with tail(t) <= (sigma/t)^p on [low, high], from above within ``relative``.

    Branch and bound: tail is nonincreasing, so sup over [a, b] of t^p tail(t) <= b^p tail(a). The
    caller shows that t^p tail(t) is no larger outside [low, high].
    """
    edges = np.geomspace(low, high, 1025)
    left, right = edges[:-1], edges[1:]
    while True:
        best = max(float(np.max(left**p * tail(left))), float(np.max(right**p * tail(right))))
        upper = right**p * tail(left)
        if float(upper.max()) <= best * (1 + relative):
            return float(upper.max()) ** (1 / p)
        keep = upper > best * (1 + relative / 2)
        left, right = left[keep], right[keep]
        middle = np.sqrt(left * right)
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])


@dataclass(frozen=True)
class RealLaw(ABC):
    """A real random variable Z with E Z = 0 and weak-L_p constant ``sigma``: P(|Z| > t) <= (sigma/t)^p."""

    p: float
    sigma: float = 1.0

    def __post_init__(self) -> None:
        check_exponent(self.p)
        check_scale(self.sigma, "sigma")

    @abstractmethod
    def sample(self, rng: np.random.Generator, n: int) -> Array:
        """n independent draws, shape (n,)."""

    @abstractmethod
    def tail(self, t: Array) -> Array:
        """P(|Z| > t) exactly, for t > 0."""

    @abstractmethod
    def size(self, y: Array) -> Array:
        """The |Z| that is exceeded with probability exp(-y); of a one-sided law, Z itself."""

    def branches(self) -> tuple[tuple[float, Map], ...]:
        """Pairs (weight, z) such that E g(Z) = sum of weight * E g(z(y)), y ~ Exp(1), z monotone."""
        return ((0.5, self.size), (0.5, lambda y: -self.size(y)))


def _signed(size: Array, rng: np.random.Generator) -> Array:
    """``size`` with a fair sign each; a uniform double is below 1/2 with probability exactly 1/2."""
    return np.copysign(size, rng.random(len(size)) - 0.5)


@dataclass(frozen=True)
class Pareto(RealLaw):
    """A fair sign times a Pareto norm: P(|Z| > t) = min(1, (sigma/t)^p), the weak-L_p tail with equality.

    p = 2, sigma = 1 is the density |z|^-3 on |z| >= 1 of prop:p2-infinite-variance.
    """

    def sample(self, rng: np.random.Generator, n: int) -> Array:
        return _signed(self.sigma * np.exp(rng.standard_exponential(n) / self.p), rng)

    def tail(self, t: Array) -> Array:
        return np.minimum(1.0, (self.sigma / t) ** self.p)

    def size(self, y: Array) -> Array:
        return self.sigma * np.exp(y / self.p)


def _one_sided_tail(p: float, scale: float, mean: float, t: Array) -> Array:
    above = (scale / (mean + t)) ** p
    inside = np.maximum(mean - t, scale)  # the lower side is gone once mean - t <= scale
    return above + np.where(mean - t > scale, -np.expm1(p * np.log(scale / inside)), 0.0)


@lru_cache(maxsize=1000)
def _one_sided_constant(p: float) -> float:
    """The weak-L_p constant of :class:`CentredPareto` of scale 1; many cells draw from one law, so it is kept."""
    mean, reach = p / (p - 1), 1 / (p - 1)
    low = min(1.0, 0.5 * reach)  # below it t^p tail <= low^p <= 1
    return max(1.0, weak_lp_constant(lambda t: _one_sided_tail(p, 1.0, mean, t), p, low, reach))


@lru_cache(maxsize=1000)
def _normal_constant(p: float) -> float:
    """The weak-L_p constant of N(0, 1): its maximum lies where t times the hazard rate equals p, inside [1/2, 4]."""
    return weak_lp_constant(lambda t: special.erfc(t / math.sqrt(2)), p, 0.5, 4.0)


@dataclass(frozen=True)
class CentredPareto(RealLaw):
    """One-sided: Z = R - E R with P(R > r) = (scale/r)^p for r >= scale, so E R = scale p/(p - 1).

    ``sigma`` is the exact weak-L_p constant of |Z|, from the maximum of t^p P(|Z| > t): on (0, E R - scale]
    found by branch and bound; beyond it t^p (scale/(t + E R))^p increases to scale^p. It is sought at scale 1, where
    no power leaves the range of doubles.
    """

    sigma: float = field(init=False)
    scale: float = 1.0

    def __post_init__(self) -> None:
        check_exponent(self.p)
        check_scale(self.scale, "scale")
        object.__setattr__(self, "sigma", check_scale(self.scale * _one_sided_constant(self.p), "sigma"))

    @classmethod
    def with_sigma(cls, p: float, sigma: float) -> CentredPareto:
        """The member of the family whose exact weak-L_p constant is ``sigma``."""
        return cls(p, check_scale(sigma, "sigma") / cls(p, 1.0).sigma)

    @property
    def mean(self) -> float:
        """E R = scale p/(p - 1), the compensator."""
        return self.scale * self.p / (self.p - 1)

    def sample(self, rng: np.random.Generator, n: int) -> Array:
        return self.scale * np.exp(rng.standard_exponential(n) / self.p) - self.mean

    def tail(self, t: Array) -> Array:
        return _one_sided_tail(self.p, self.scale, self.mean, np.asarray(t, dtype=np.float64))

    def size(self, y: Array) -> Array:
        return self.scale * np.exp(y / self.p) - self.mean

    def branches(self) -> tuple[tuple[float, Map], ...]:
        return ((1.0, self.size),)


@dataclass(frozen=True)
class Student(RealLaw):
    """scale times Student's t with nu = p degrees of freedom.

    t^p P(|Z| > t) increases to its limit (t times the density is at most nu times the tail), so
    sigma^p = 2 c nu^((nu-1)/2) scale^p with c = Gamma((nu+1)/2) / (sqrt(nu pi) Gamma(nu/2)), not attained.
    """

    @property
    def scale(self) -> float:
        """The scale of the t law whose weak-L_p constant is sigma."""
        nu = self.p
        log_c = special.gammaln((nu + 1) / 2) - special.gammaln(nu / 2) - 0.5 * math.log(nu * math.pi)
        return self.sigma / (2 * math.exp(log_c) * nu ** ((nu - 1) / 2)) ** (1 / nu)

    def sample(self, rng: np.random.Generator, n: int) -> Array:
        return self.scale * rng.standard_t(self.p, n)

    def tail(self, t: Array) -> Array:
        t = np.asarray(t, dtype=np.float64) / self.scale
        square = t * t
        near = special.betaincc(0.5, self.p / 2, square / (self.p + square))  # the same; it has digits next to 1
        return np.where(square < self.p, near, special.betainc(self.p / 2, 0.5, self.p / (self.p + square)))

    def size(self, y: Array) -> Array:
        y = np.asarray(y, dtype=np.float64)
        x = special.betaincinv(self.p / 2, 0.5, np.exp(-y))
        rest = np.where(y < 0.5, special.betaincinv(0.5, self.p / 2, -np.expm1(-y)), 1 - x)
        return self.scale * np.sqrt(self.p * rest / x)


@dataclass(frozen=True)
class Gaussian(RealLaw):
    """The light control: Z ~ N(0, s^2), with s such that sup t^p P(|Z| > t) = sigma^p exactly."""

    s: float = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "s", self.sigma / _normal_constant(self.p))

    def sample(self, rng: np.random.Generator, n: int) -> Array:
        return self.s * rng.standard_normal(n)

    def tail(self, t: Array) -> Array:
        return special.erfc(np.asarray(t, dtype=np.float64) / (self.s * math.sqrt(2)))

    def size(self, y: Array) -> Array:
        return self.s * math.sqrt(2) * special.erfcinv(np.exp(-y))


@dataclass(frozen=True)
class Signs(RealLaw):
    """The bounded control: Z = +-sigma with a fair sign, so that every moment of a run is finite and known."""

    def sample(self, rng: np.random.Generator, n: int) -> Array:
        return _signed(np.full(n, self.sigma), rng)

    def tail(self, t: Array) -> Array:
        return np.where(np.asarray(t) < self.sigma, 1.0, 0.0)

    def size(self, y: Array) -> Array:
        return self.sigma + 0 * y


@dataclass(frozen=True)
class AxisBatch:
    """zeta_i = size_i e_(axis_i); ``axis`` an index or one index a row."""

    size: Array
    axis: int | Indices

    def inner(self, u: Array) -> Array:
        """<zeta_i, u_i> for the rows of u (n, d), shape (n,)."""
        if isinstance(self.axis, int):
            return self.size * u[:, self.axis]
        return self.size * np.take_along_axis(u, self.axis[:, None], axis=1)[:, 0]

    def dense(self, d: int) -> Array:
        """The vectors themselves, shape (n, d)."""
        out = np.zeros((len(self.size), d))
        out[np.arange(len(self.size)), self.axis] = self.size
        return out


@dataclass(frozen=True)
class DenseBatch:
    """zeta_i as rows of an (n, d) array."""

    vectors: Array

    def inner(self, u: Array) -> Array:
        return np.einsum("nd,nd->n", self.vectors, u)

    def dense(self, d: int) -> Array:
        return self.vectors


NoiseBatch = AxisBatch | DenseBatch  #: n drawn noise vectors, in the form that makes <zeta_i, u_i> cheap
SHAPES = ("axis", "uniform", "sparse")


@dataclass(frozen=True)
class Noise:
    """zeta = Z w in R^d: w = e_1 ('axis'), uniform on the sphere ('uniform') or e_J, J uniform ('sparse').

    ||zeta|| = |Z|, so the norm tail, p and sigma are those of ``law``; E zeta = 0 as E Z = 0.
    """

    law: RealLaw
    shape: str
    d: int

    def __post_init__(self) -> None:
        check_dimension(self.d)
        if self.shape not in SHAPES:
            raise ValueError(f"the shape of the noise must be one of {', '.join(SHAPES)}, got {self.shape!r}")

    @property
    def p(self) -> float:
        """The tail exponent of the law."""
        return self.law.p

    @property
    def sigma(self) -> float:
        """The weak-L_p constant of the law."""
        return self.law.sigma

    def sample(self, rng: np.random.Generator, n: int) -> NoiseBatch:
        """n independent noise vectors."""
        size = self.law.sample(rng, n)
        if self.shape == "axis":
            return AxisBatch(size, 0)
        if self.shape == "sparse":
            return AxisBatch(size, rng.integers(0, self.d, size=n))
        return DenseBatch(size[:, None] * sphere(rng, n, self.d))


def infinite_variance(d: int) -> Noise:
    """Z e_1, density |z|^-3 on |z| >= 1: weak-L_2 with sigma = 1, infinite variance (prop:p2-infinite-variance)."""
    return Noise(Pareto(2.0, 1.0), "axis", d)
