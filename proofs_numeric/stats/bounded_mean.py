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

GRID = tuple(np.linspace(-0.25, 2.75, 13))  #: where limits are looked for, in predicted half-widths from the centre


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
    for _ in range(40):
        middle = (low + high) / 2
        if _log_capital(x, bets, middle) >= target:
            high = middle
        else:
            low = middle
    return high


@dataclass(frozen=True)
class Mean:
    """X lies in [low, high] and E X <= claimed (E X = claimed with ``exact``).

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
    """:class:`Mean` with its bets fixed: on the scale [0, 1], lam = min(sqrt(2 ln(1/a)/(N s2)), cap).

    ``side`` +1 collects evidence that the mean is above m (factors 1 + lam (X - m), cap 1/(2m)), -1 that it is
    below (factors 1 + lam (m - X), cap 1/(2(1-m))); the caps keep every factor at 1/2 or more.
    """

    rule: Mean
    trials: int
    reject: float
    confidence: float

    @property
    def limits(self) -> tuple[float, ...]:
        """None: a mean counts no event."""
        return ()

    @property
    def _width(self) -> float:
        return self.rule.high - self.rule.low

    def _unit(self, value: Array | float) -> Array | float:
        return (value - self.rule.low) / self._width

    def _bet(self, a: float, m: float, side: int) -> float:
        best = math.sqrt(2 * math.log(1 / a) / (self.trials * self.rule.variance)) * self._width
        return min(best, 0.5 / max(m if side > 0 else 1 - m, 1e-300))

    def _candidates(self, side: int) -> Array:
        """Limits to try on the side of ``side`` (the upper one needs evidence below it), around the predicted one."""
        a, centre = self.confidence, float(np.clip(self._unit(self.rule.centre), 0.0, 1.0))
        bet = self._bet(a, centre, -side)
        reach = math.log(1 / a) / (self.trials * bet) + bet * self.rule.variance / self._width**2 / 2
        grid = self.rule.centre + side * self._width * reach * np.array(GRID)
        return np.clip(grid, self.rule.low, self.rule.high)

    def _capital(self, x: Array, a: float, m: float, side: int) -> float:
        """Log capital of the bets at level ``a`` that the mean lies on the side ``side`` of m."""
        return math.fsum(np.log1p(side * self._bet(a, m, side) * (x - m)))

    def summary(self, values: Array) -> list[float]:
        """[sum X, capital for 'above the claim', for 'below it', then at each upper and each lower candidate]."""
        refuse_nan(values)
        slack = 1e-9 * self._width
        if values.min() < self.rule.low - slack or values.max() > self.rule.high + slack:
            # the almost sure bounds are part of the claim: one value outside them refutes it
            return [math.fsum(values), math.inf, math.inf] + [-math.inf] * (2 * len(GRID))
        x = np.clip(self._unit(values), 0.0, 1.0)
        m = min(float(self._unit(self.rule.claimed)), 1.0)
        out = [math.fsum(values), self._capital(x, self.reject, m, 1), self._capital(x, self.reject, m, -1)]
        for side in (1, -1):
            for m in np.atleast_1d(self._unit(self._candidates(side))):
                out.append(self._capital(x, self.confidence, float(m), -side))
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
        variance = self.rule.variance / self._width**2
        bet = self._bet(self.reject, min(float(self._unit(self.rule.claimed)), 1.0), 1)
        noise = NormalDist().inv_cdf(math.sqrt(POWER)) * bet * math.sqrt(trials * variance)
        need = math.log(1 / self.reject) + bet**2 * variance * trials / 2 + noise
        return self.rule.claimed + self._width * need / (trials * bet)
