"""Closed forms for the controlled experiment: stationary floors of scalar and vector clipping and of raw aggregation.

Derived in docs/controlled.md, whose numbering the docstrings cite. Notation: V = sqrt(d) |u_J|, z = A V with
P(A > a) = a^-p (scale 1), so that the noise of one directional derivative is |W| = z / sqrt(d); c = tau sqrt(d). With
a noise scale s every length (tau, r, ||x||) is divided by s first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy
from scipy.special import betainc, gammaln

from boundcheck.paper import formulas, values
from proofs_numeric.experiments.settings import SettingError
from proofs_numeric.model.sphere import Array

_LAMBDA, _SCALE, _TAU = (formulas.value("thm:hp-shared-clipped", symbol) for symbol in ("lam", "S", "tau"))


def direction_moment(q: float, d: int) -> float:
    """E V^q = d^(q/2) Gamma((1+q)/2) Gamma(d/2) / (sqrt(pi) Gamma((d+q)/2)), from V^2/d ~ Beta(1/2, (d-1)/2)."""
    logarithm = gammaln((1 + q) / 2) + gammaln(d / 2) - gammaln((d + q) / 2)
    return float(d ** (q / 2) * math.exp(logarithm) / math.sqrt(math.pi))


def partial_moment(q: float, c: Array | float, d: int) -> Array:
    """E[V^q; V < c], an incomplete Beta function."""
    c = np.asarray(c, dtype=float)
    if d == 1:
        return np.where(c > 1, 1.0, 0.0)
    return direction_moment(q, d) * betainc((1 + q) / 2, (d - 1) / 2, np.minimum(1.0, c * c / d))


def passing(c: Array | float, p: float, d: int) -> Array:
    """kappa = P(z < c) = P(V < c) - c^-p E[V^p; V < c]: the unclipped fraction, and the drift (eq. 3)."""
    c = np.asarray(c, dtype=float)
    return partial_moment(0.0, c, d) - c**-p * partial_moment(p, c, d)


def clipped_second_moment(c: float, p: float, d: int) -> float:
    """S = E min(z, c)^2 = c^2 P(V >= c) + [2 c^(2-p) E(V^p; V < c) - p E(V^2; V < c)] / (2 - p) (eq. 4); near p = 2 by
    quadrature."""
    beyond = c * c * (1.0 - float(partial_moment(0.0, c, d)))
    if abs(p - 2.0) < 1e-3:  # the two terms cancel; integrate S = int_0^c 2 y P(z > y) dy
        return scipy.integrate.quad(
            lambda y: 2 * y * (1.0 - float(passing(y, p, d))), 0.0, c, epsabs=0.0, epsrel=1e-10, limit=200
        )[0]
    inside = 2 * c ** (2 - p) * float(partial_moment(p, c, d)) - p * float(partial_moment(2.0, c, d))
    return beyond + inside / (2 - p)


@dataclass(frozen=True)
class Floor:
    """Root mean square (scalar, vector) or median (raw) of ||x_t|| in stationarity."""

    leading: float  # the closed form to leading order in the step size
    refined: float  # with the next order of docs/controlled.md; equals ``leading`` where none was derived
    kappa: float  # contraction rate of the mean: E x_{t+1} = (1 - alpha kappa) x_t


NO_FLOOR = Floor(math.inf, math.inf, 0.0)  # no drift to first order, so no stationary state


def scalar_floor(tau: float, alpha: float, p: float, d: int, M: int, scale: float = 1.0) -> Floor:
    """floor^2 = alpha (d/M) S / (2 kappa) (eq. 5); refined: the denominator less alpha kappa^2 (1 - 1/M) and
    alpha (d/M) (kappa - c f_z(c)), f_z the density of z (eq. 6)."""
    c = tau / scale * math.sqrt(d)
    kappa, S = float(passing(c, p, d)), clipped_second_moment(c, p, d)
    if kappa == 0.0:  # d = 1 and tau below every |W|: the sign of the noise decides each step
        return NO_FLOOR
    growth = alpha * kappa**2 * (1 - 1 / M) + alpha * d / M * (kappa - p * c**-p * float(partial_moment(p, c, d)))
    leading = alpha * d / M * S
    return Floor(scale * math.sqrt(leading / (2 * kappa)), scale * math.sqrt(leading / (2 * kappa - growth)), kappa)


@lru_cache(maxsize=64)
def batch_noise_law(p: float, d: int, M: int) -> tuple[Array, Array]:
    """Grid of rho and P(R < rho) for the norm R of the raw estimator at x = 0, R^2 = (d/M^2) sum_l z_l^2 (eq. 7).

    The Laplace transform phi(s) = 1 - s int e^(-s y) P(z^2 > y) dy is exact; its M-th power is inverted by the Euler
    summation of Abate and Whitt (1995), discretisation error e^-18.4. What is neglected is the cross terms of
    ||sum W_l u_l||^2, of mean zero and relative variance at most 2/d.
    """
    A, plain, binomial = 18.4, 20, 11
    edges = np.linspace(math.log(1e-13), math.log(4.5), 221)
    node, weight = np.polynomial.legendre.leggauss(8)
    half = np.diff(edges) / 2
    v = np.exp((edges[:-1, None] + half[:, None] * (1 + node)).ravel())
    weight = (half[:, None] * weight).ravel() * v
    k = np.arange(plain + binomial + 1)
    sigma = A / 2 + 1j * np.pi * k
    kernel = np.exp(-np.outer(sigma, v)) * weight  # (k, nodes)
    centre = math.sqrt(d / M) * M ** (1 / min(p, 2) - 0.5)
    rho = centre * np.exp(np.linspace(math.log(1e-2), math.log(1e5), 320))
    y = rho**2 * M**2 / d
    tail = 1.0 - passing(np.sqrt(y[:, None] * v), p, d)
    transform = np.exp(M * np.log1p(-sigma * (tail @ kernel.T))) / sigma
    terms = (-1.0) ** k * transform.real
    terms[:, 0] /= 2
    partial = np.cumsum(terms, axis=1)[:, plain:]
    chance = np.array([math.comb(binomial, j) for j in range(binomial + 1)]) / 2**binomial
    law = np.clip(np.exp(A / 2) * (partial @ chance), 0.0, 1.0)
    return rho, np.maximum.accumulate(law)


def vector_floor(radius: float, alpha: float, p: float, d: int, M: int, scale: float = 1.0) -> Floor:
    """floor^2 = alpha S_v / (2 kappa_v), S_v = E min(R, r)^2, kappa_v = P(R < r) + (1 - 1/d) E[r/R; R >= r] (8)."""
    r = radius / scale
    rho, law = batch_noise_law(p, d, M)
    log_rho = np.log(rho)
    grid = np.linspace(log_rho[0], log_rho[-1], 8000)
    F = np.interp(grid, log_rho, law)
    value = np.exp(grid)
    below, above = grid <= math.log(r), grid >= math.log(r)
    S = r * r - float(np.trapezoid(2 * value[below] ** 2 * F[below], grid[below])) if below.any() else r * r
    at = float(np.interp(math.log(r), log_rho, law))
    tail = float(np.trapezoid(r * F[above] / value[above], grid[above])) + r / value[-1]
    if not below.any():  # r below the grid, where F = 0
        tail = float(np.trapezoid(r * F / value, grid)) + r / value[-1]
    kappa = float(at + (1 - 1 / d) * (tail - at))
    if kappa == 0.0:  # d = 1 and r below every R: unit steps whose sign the noise decides
        return NO_FLOOR
    floor = scale * math.sqrt(alpha * S / (2 * kappa))
    return Floor(floor, floor, kappa)


def positive_stable_cdf(x: float, a: float) -> float:
    """P(S_a < x), E exp(-s S_a) = exp(-s^a), 0 < a < 1: (1/pi) int_0^pi exp(-x^(-a/(1-a)) K(theta)) dtheta,
    K = sin((1-a)theta) sin(a theta)^(a/(1-a)) / sin(theta)^(1/(1-a)) (Zolotarev's integral; Kanter 1975)."""
    power = a / (1 - a)
    node, weight = np.polynomial.legendre.leggauss(16)
    panels = 200
    theta = (np.arange(panels)[:, None] + (1 + node) / 2) * (math.pi / panels)
    log_k = np.log(np.sin((1 - a) * theta)) + power * np.log(np.sin(a * theta)) - np.log(np.sin(theta)) / (1 - a)
    exponent = np.minimum(log_k - power * math.log(x), 7.0)  # exp(-e^7) is 0
    return float((np.exp(-np.exp(exponent)) * weight).sum() / (2 * panels))


@lru_cache(maxsize=64)
def positive_stable_median(a: float) -> float:
    """The median m_a of S_a."""
    return float(scipy.optimize.brentq(lambda x: positive_stable_cdf(x, a) - 0.5, 1e-3, 1e6, xtol=1e-12, rtol=1e-12))


def raw_floor(alpha: float, p: float, d: int, M: int, steps: int, scale: float = 1.0) -> Floor:
    """Median of the raw iterate, p < 2, a = p/2 (eqs. 9-11).

    leading: sqrt(d) (alpha/M)^(1-1/p) [Gamma(1-a) E V^p / p]^(1/p) sqrt(m_a);
    refined: ||x||^2 = alpha^2 d/M^2 (sigma m_a + b), sigma^a = Gamma(1-a) E V^p M h(rho^p), b = p/(p-2) M h(rho^2),
    h(q) = (1 - q^steps)/(1 - q), rho^2 = 1 - 2 alpha + alpha^2 (1 + (d-1)/M).
    """
    if not 1 < p < 2:
        raise ValueError(f"p: {p!r} is not in (1, 2), where the raw floor follows a stable law; give p below 2")
    a = p / 2
    weight = math.gamma(1 - a) * direction_moment(p, d)
    m = positive_stable_median(a)
    leading = math.sqrt(d) * (alpha / M) ** (1 - 1 / p) * (weight / p) ** (1 / p) * math.sqrt(m)
    rho2 = 1 - 2 * alpha + alpha**2 * (1 + (d - 1) / M)

    def geometric(q: float) -> float:
        return (1 - q**steps) / (1 - q)

    sigma = (weight * M * geometric(rho2**a)) ** (1 / a)
    square = sigma * m + p / (p - 2) * M * geometric(rho2)
    refined = alpha * math.sqrt(d * max(square, 0.0)) / M
    return Floor(scale * leading, scale * refined, 1.0)


@dataclass(frozen=True)
class Prescribed:
    """What thm:tuned-dev prescribes and promises, with L = 1 and mu -> 0."""

    tau: float  # 8 S (M/lambda)^(1/q)
    deviation: float  # eta_0 = C_q d S (lambda/M)^((q-1)/q) sqrt(1 + log(M/lambda)), bounds ||g - grad f||


def prescribed(p: float, d: int, M: int, steps: int, delta: float, x0_norm: float, sigma: float) -> Prescribed:
    """The prescription of thm:tuned-dev, with the formulas of the catalogue, at L = 1, mu = 0, Delta0 = ||x0||^2/2.

    q = min(p, 2) is put for p: Pareto noise of scale sigma meets ass:hp-shared-prob with exponent q and that sigma.
    Raises SettingError when M < lambda, which the theorem excludes.
    """
    lam, q = values.at(_LAMBDA, T=steps, delta=delta), min(p, 2.0)
    if lam > M:
        raise SettingError(
            f"--batch: {M} is below lambda = log(T/delta) = {lam:.4g}, which thm:tuned-dev excludes; raise it"
        )
    S = values.at(_SCALE, L=1.0, Dbar=x0_norm**2 / 2, sigma=sigma, d=d, mu=0.0)
    return Prescribed(
        values.at(_TAU, S=S, M=M, lam=lam, p=q), values.value("thm:tuned-dev", p=q, d=d, S=S, M=M, lam=lam)
    )
