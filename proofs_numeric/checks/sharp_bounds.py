"""Thresholds for the sharper statements: the clipping level and its shares at which their bounds are least.

Every bound is the catalogue's own formula, evaluated by :func:`boundcheck.paper.values.value`; only the free shares
theta_1 and theta_2 of sqrt(d) tau = theta_1 + theta_2 + sqrt(d) L mu/2 are searched for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import scipy

from boundcheck.paper.values import value as bound
from proofs_numeric.checks.deviation import LOCALIZED
from proofs_numeric.checks.places import Setting

CLIPPED_MOMENT = "app:sharp-clipped-second-moment"
NOISE_TAIL = "app:sharp-noise-tail"
SECOND_MOMENT = "app:sharp-second-moment"
BIAS = "app:sharp-clipping-bias"
BERNSTEIN = "app:sharp-bernstein"
DEVIATION = "app:sharp-deviation"
AT_MINIMUM = 1e-3  #: N where the gradient vanishes: the statements want some N > 0


@dataclass(frozen=True)
class Shares:
    """theta_1 for the signal and theta_2 for the noise, with the remainder sqrt(d) L mu/2, at one setting."""

    setting: Setting
    theta1: float
    theta2: float

    @property
    def theta(self) -> float:
        """sqrt(d) tau."""
        return self.theta1 + self.theta2 + remainder(self.setting)

    @property
    def tau(self) -> float:
        """tau = theta/sqrt(d)."""
        return self.theta / math.sqrt(self.setting.d)

    @property
    def _at(self) -> dict[str, float]:
        s = self.setting
        shares = {"theta1": self.theta1, "theta2": self.theta2}
        return {"p": s.p, "d": s.d, "sigma": s.sigma, "N": gradient_bound(s), **shares}

    def bias(self) -> float:
        """The bound on |d E[psi_tau(Y) u] - grad f_mu(x)|."""
        return bound(BIAS, **self._at)

    def deviation(self, M: int, rho: float) -> float:
        """The bound on |g - grad f_mu(x)| that fails with probability at most rho."""
        Q, h = math.sqrt(square_bound(self.setting, self.theta)), math.log(2 / rho)
        return bound(DEVIATION, Q=Q, M=M, h=h, theta=self.theta, **self._at)


def remainder(s: Setting) -> float:
    """sqrt(d) L mu/2."""
    return math.sqrt(s.d) * s.L * s.mu / 2


def gradient_bound(s: Setting) -> float:
    """N: the paper's sqrt(8 L Delta0_bar) at f(x) - f_* <= 4 Delta0_bar."""
    return AT_MINIMUM if s.place == "minimum" else s.gradient_bound


def square_bound(s: Setting, theta: float) -> float:
    """The bound Q^2 on d E[psi_tau(Y)^2]."""
    spread = math.sqrt(bound(CLIPPED_MOMENT, p=s.p, S=s.sigma, tau=theta))
    return bound(SECOND_MOMENT, N=gradient_bound(s), J=spread, d=s.d, L=s.L, mu=s.mu)


@lru_cache(maxsize=256)
def split(setting: Setting, tau: float) -> Shares:
    """The shares of a given threshold with the least bias bound."""
    room = math.sqrt(setting.d) * tau - remainder(setting)

    def at(share: float) -> Shares:
        return Shares(setting, share * room, (1 - share) * room)

    best = scipy.optimize.minimize_scalar(lambda v: at(v).bias(), bounds=(1e-6, 1 - 1e-6), method="bounded")
    return at(float(best.x))


@lru_cache(maxsize=256)
def best_shares(setting: Setting, M: int, rho: float) -> Shares:
    """The shares, and by them the threshold, with the least deviation bound."""

    def at(logs: tuple[float, float]) -> Shares:
        return Shares(setting, math.exp(logs[0]), math.exp(logs[1]))

    def value(logs: tuple[float, float]) -> float:
        shares = at(logs)
        return shares.deviation(M, rho) if shares.theta >= setting.sigma else math.inf

    start = math.log(setting.sigma * (1 + M / setting.d) ** (1 / setting.p))
    options = {"xatol": 1e-3, "fatol": 1e-6, "maxiter": 200}
    first = min(start, math.log(8 * gradient_bound(setting)))
    return at(tuple(scipy.optimize.minimize(value, (first, start), method="Nelder-Mead", options=options).x))


def paper_bound(setting: Setting, M: int, rho: float, tau: float) -> float:
    """cor:hp-shared-localized at the same point: |g - grad f_mu(x)| with failure probability rho, tau >= 4 S_mu."""
    s = setting
    return bound(LOCALIZED, p=s.p, d=s.d, S=s.S, tau=tau, M=M, lam=math.log(1 / rho))


@lru_cache(maxsize=256)
def compared(setting: Setting, M: int, rho: float) -> dict[str, float]:
    """The sharp bound beside the paper's, at the paper's own threshold and at the best one it allows."""
    s, shares = setting, best_shares(setting, M, rho)
    own = s.tuned_threshold(M, math.log(1 / rho))
    ends = math.log(4 * s.S), math.log(4 * s.S) + 40
    best = scipy.optimize.minimize_scalar(lambda v: paper_bound(s, M, rho, math.exp(v)), bounds=ends, method="bounded")
    candidates = (float(best.fun), paper_bound(s, M, rho, 4 * s.S), paper_bound(s, M, rho, own))
    return {
        "d": s.d,
        "p": s.p,
        "M": M,
        "rho": rho,
        "theta1": shares.theta1,
        "theta2": shares.theta2,
        "sharp": shares.deviation(M, rho),
        "paper_own_tau": paper_bound(s, M, rho, own),
        "paper_best_tau": min(candidates),
    }
