"""Betting limits for the mean of a bounded variable (Waudby-Smith and Ramdas 2023).

For X in [0, 1] with mean m, prod (1 + lam_i (m - X_i)) is a nonnegative martingale whenever lam_i is fixed
before X_i is seen and lam_i <= 1/(1 - m): by Ville's inequality it reaches 1/a with probability at most a.
:func:`betting_limits` adapts lam_i to the sample; :class:`Mean` fixes lam before the run, from the
variance that the exact law predicts: valid whatever the variance is, and its chunks add up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from proofs_numeric.sphere import Array
from proofs_numeric.stats.binomial import check_level
from proofs_numeric.stats.budget import POWER
from proofs_numeric.stats.rules import Outcome, Row, Summary, refuse_nan

GRID = tuple(np.linspace(-1.0, 5.0, 49))  #: where limits are looked for, in predicted half-widths from the centre


def _log_capital(x: Array, bets: Array, m: float) -> float:
    return math.fsum(np.log1p(np.minimum(bets, 0.5 / max(1 - m, 1e-300)) * (m - x)))


def betting_limits(x: Array, a: float) -> tuple[float, float]:
    """(lower, upper) limits for the mean of X in [0, 1], each at level ``a``; rounded outwards.

    Bets lam_i = min(sqrt(2 ln(1/a)/(N s2_(i-1))), 1/(2(1 - m))), s2 the running variance. Raises ValueError
    on values outside [0, 1] and ArithmeticError on an empty set: a broken assumption, not an answer.
    """
    check_level(a)
    x = np.asarray(x, dtype=np.float64)
    refuse_nan(x)
    if x.size == 0 or x.min() < 0 or x.max() > 1:
        raise ValueError("betting limits need at least one value, all in [0, 1]")
    upper, lower = _upper_betting(x, a), 1 - _upper_betting(1 - x, a)
    if lower > upper:
        raise ArithmeticError("the confidence set is empty: the values are not independent draws with one mean")
    return lower, upper


def _upper_betting(x: Array, a: float) -> float:
    n = len(x)
    count = np.arange(1, n + 1)
    mean = (0.5 + np.cumsum(x)) / (count + 1)
    spread = (0.25 + np.cumsum((x - mean) ** 2)) / (count + 1)
    before = np.concatenate([[0.25], spread[:-1]])
    bets = np.sqrt(2 * math.log(1 / a) / (n * before))
    target = math.log(1 / a)
    if _log_capital(x, bets, 1.0) < target:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _log_capital(x, bets, middle) >= target:
            high = middle
        else:
            low = middle
    return high


@dataclass(frozen=True)
class Mean:
    """E X <= claimed (or E X = claimed with ``exact``) for X in [low, high].

    ``centre`` and ``variance`` are the mean and variance that the exact law predicts: they place the bets and the
    grid of limits, and a wrong guess costs power only.
    """

    claimed: float
    low: float
    high: float
    centre: float
    variance: float
    exact: bool = False

    def __post_init__(self) -> None:
        if not self.low < self.high or not self.low <= self.claimed or self.variance <= 0:
            raise ValueError("a bounded mean needs low < high, a claim of at least low and a positive variance")

    def test(self, trials: int, reject: float, confidence: float) -> MeanTest:
        sides = 2 if self.exact else 1
        return MeanTest(self, trials, reject / sides, confidence / 2)


@dataclass(frozen=True)
class MeanTest:
    """:class:`Mean` with its bets fixed: on the scale [0, 1], lam = min(sqrt(2 ln(1/a)/(N s2)), 1/2)."""

    rule: Mean
    trials: int
    reject: float
    confidence: float

    def _unit(self, value: Array | float) -> Array | float:
        return (value - self.rule.low) / (self.rule.high - self.rule.low)

    def _bet(self, a: float) -> float:
        variance = self.rule.variance / (self.rule.high - self.rule.low) ** 2
        return min(math.sqrt(2 * math.log(1 / a) / (self.trials * variance)), 0.5)

    def _half_width(self, a: float) -> float:
        """Predicted distance from the mean to the limit, in the units of X."""
        bet, scale = self._bet(a), self.rule.high - self.rule.low
        variance = self.rule.variance / scale**2
        return scale * (math.log(1 / a) / (self.trials * bet) + bet * variance / 2)

    def _candidates(self, side: int) -> Array:
        """Candidate limits above (side 1) or below (side -1) the predicted mean."""
        grid = self.rule.centre + side * self._half_width(self.confidence) * np.array(GRID)
        return np.clip(grid, self.rule.low, self.rule.high)

    def summary(self, values: Array) -> list[float]:
        """[sum X, log capital against 'mean <= claimed', against 'mean >= claimed', then at each candidate limit]."""
        refuse_nan(values)
        slack = 1e-9 * (self.rule.high - self.rule.low)
        if values.min() < self.rule.low - slack or values.max() > self.rule.high + slack:
            raise FloatingPointError(
                f"simulated values reach [{float(values.min())!r}, {float(values.max())!r}], outside the range "
                f"[{self.rule.low!r}, {self.rule.high!r}] of the claim"
            )
        x = np.clip(self._unit(values), 0.0, 1.0)
        bet, m = self._bet(self.reject), min(float(self._unit(self.rule.claimed)), 1.0)
        out = [math.fsum(values), math.fsum(np.log1p(bet * (x - m))), math.fsum(np.log1p(bet * (m - x)))]
        bet = self._bet(self.confidence)
        for side in (1, -1):
            for m in self._unit(self._candidates(side)):
                out.append(math.fsum(np.log1p(side * bet * (m - x))))
        return out

    def decide(self, total: Summary, trials: int) -> Outcome:
        target = math.log(1 / self.reject)
        rejected = total[1] >= target or (self.rule.exact and total[2] >= target)
        target, n = math.log(1 / self.confidence), len(GRID)
        above = zip(self._candidates(1), total[3 : 3 + n], strict=True)
        below = zip(self._candidates(-1), total[3 + n :], strict=True)
        upper = min((float(m) for m, capital in above if capital >= target), default=self.rule.high)
        lower = max((float(m) for m, capital in below if capital >= target), default=self.rule.low)
        if lower > upper:
            raise ArithmeticError("the confidence set of a mean is empty: the values are not draws with one mean")
        row = Row(self.rule.claimed, self.rule.claimed, total[0] / trials, lower, upper)
        return Outcome(rejected, 0, None, (row,))

    def detectable(self, trials: int, row: int) -> float:
        """The mean whose log capital passes ln(1/a) with probability sqrt(POWER), in the normal approximation."""
        scale = self.rule.high - self.rule.low
        variance, bet = self.rule.variance / scale**2, self._bet(self.reject)
        noise = NormalDist().inv_cdf(math.sqrt(POWER)) * bet * math.sqrt(trials * variance)
        need = math.log(1 / self.reject) + bet**2 * variance * trials / 2 + noise
        return self.rule.claimed + scale * need / (trials * bet)
