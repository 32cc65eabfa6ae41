"""Betting limits for the mean of a bounded variable (Waudby-Smith and Ramdas 2023).

For X in [0, 1] with mean m, prod (1 + lam_i (m - X_i)) is a nonnegative martingale whenever lam_i is fixed
before X_i is seen and lam_i <= 1/(1 - m): by Ville's inequality it reaches 1/a with probability at most a.
:class:`Mean` fixes its bets before the run, so that its chunks add up: half of the stake on the bet that the
predicted variance asks for, the rest on bets that the range alone asks for. Whatever the prediction is worth, both are
valid for every law on the range; so is all that is concluded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from proofs_numeric.model.sphere import Array
from proofs_numeric.stats.budget import DETECTABLE_RATIO, POWER
from proofs_numeric.stats.decision_rules import Outcome, Row, Summary, float_sum, in_doubles, no_limit, refuse_nan

GRID = tuple(np.linspace(-0.25, 2.75, 13))  #: where limits are looked for, in predicted half-widths from the centre
BELOW = (0.95, 0.5)  #: bets, in shares of 1/(1 - m), that the mean is below m; the range alone asks for them
ABOVE = (0.25, 1.0, 4.0)  #: bets that the mean is above m: right for laws of the two ends with 1.25, 2 and 5 times m
CAP = 0.95  #: no bet above this share of what could lose all
LADDER = (1.25, 1.5, DETECTABLE_RATIO, 4.0, 16.0, 256.0, 65536.0)  #: upper limits tried, in claims above the lower end


@dataclass(frozen=True)
class Mean:
    """X lies in [low, high] and E X <= claimed (E X = claimed with ``exact``).

    ``centre`` and ``variance`` are the mean and variance to be expected: they place one of the bets and a grid of
    limits. A wrong guess costs power only; no verdict rests on it.
    """

    claimed: float
    low: float
    high: float
    centre: float
    variance: float
    exact: bool = False

    def __post_init__(self) -> None:
        in_doubles(self, "claimed", "low", "high", "centre", "variance")
        numbers = (self.claimed, self.low, self.high, self.centre, self.variance, self.high - self.low)
        if not all(map(math.isfinite, numbers)):
            raise ValueError(
                "a bounded mean needs a finite range, claim, centre and variance, got"
                f" low={self.low:g}, high={self.high:g}, claimed={self.claimed:g}, centre={self.centre:g},"
                f" variance={self.variance:g}; for values without a finite range use HeavyMean"
            )
        if not self.low < self.high or not self.low <= self.claimed or self.variance <= 0:
            raise ValueError("a bounded mean needs low < high, a claim of at least low and a positive variance")

    def test(self, trials: int, reject: float, confidence: float) -> MeanTest:
        sides = 2 if self.exact else 1
        return MeanTest(self, trials, reject / sides, confidence / 2)


@dataclass(frozen=True)
class MeanTest:
    """:class:`Mean` with its bets fixed, on the scale [0, 1]; at each m the stake is divided once and for all.

    ``side`` +1 collects evidence that the mean is above m (factors 1 + lam (X - m), lam < 1/m), -1 that it is below
    (factors 1 + lam (m - X), lam < 1/(1-m)). Half of the stake is on lam = min(sqrt(2 ln(1/a)/(N s2)), cap), with
    factors of 1/2 or more; the other half is divided over ABOVE or BELOW. The capital of each bet grows with the
    distance from m, so that a limit misses only if the capital at the true mean reaches 1/a.
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

    @property
    def _claim(self) -> float:
        return min(float(self._unit(self.rule.claimed)), 1.0)

    def _bet(self, a: float, m: float, side: int) -> float:
        best = math.sqrt(2 * math.log(1 / a) / self.trials) * (self._width / math.sqrt(self.rule.variance))
        return min(best, 0.5 / max(m if side > 0 else 1 - m, 1e-300))

    def _others(self, m: float, side: int) -> tuple[float, ...]:
        if side > 0:
            return tuple(min(lam, CAP / max(m, 1e-300)) for lam in ABOVE)
        return tuple(share / max(1 - m, 1e-300) for share in BELOW)

    @cached_property
    def _candidates(self) -> dict[int, list[float]]:
        """Limits to try on each side (an upper one, 1, needs evidence below it), around the predicted one."""
        return {side: self._around(side) for side in (1, -1)}

    def _around(self, side: int) -> list[float]:
        a, centre = self.confidence, float(np.clip(self._unit(self.rule.centre), 0.0, 1.0))
        bet = self._bet(a, centre, -side)
        reach = math.log(1 / a) / (self.trials * bet) + bet * (math.sqrt(self.rule.variance) / self._width) ** 2 / 2
        grid = self.rule.centre + side * self._width * reach * np.array(GRID)
        return np.clip(grid, self.rule.low, self.rule.high).tolist()

    @property
    def _ladder(self) -> tuple[float, ...]:
        """Upper limits to try whatever was predicted: multiples of the claim inside the range, if it is positive."""
        return tuple(c for k in LADDER if 0 < (c := k * self.rule.claimed) < self.rule.high and c > self.rule.low)

    @cached_property
    def _bets(self) -> tuple[tuple[float, float, int], ...]:
        """(lam, m, side) of all bets: the predicted ones above and below the claim, then at each upper and each lower
        candidate; those of the range alone above and below the claim; all of them at each rung of the ladder."""
        m, a = self._claim, self.confidence
        out = [(self._bet(self.reject, m, side), m, side) for side in (1, -1)]
        for side in (1, -1):
            for c in map(float, map(self._unit, self._candidates[side])):
                out.append((self._bet(a, c, -side), c, -side))
        out += [(bet, m, side) for side in (1, -1) for bet in self._others(m, side)]
        for c in (float(self._unit(v)) for v in self._ladder):
            out += [(bet, c, -1) for bet in (self._bet(a, c, -1), *self._others(c, -1))]
        return tuple(out)

    def parts(self, values: Array) -> Iterator[Array]:
        """What is summed over the trials, the last axis: the values, then the log factor of each bet."""
        yield values
        x = np.clip(self._unit(values), 0.0, 1.0)
        for bet, m, side in self._bets:
            yield np.log1p(side * bet * (x - m))

    def summary(self, values: Array) -> list[float]:
        """[sum X, then the log capital of each bet]."""
        refuse_nan(values)
        slack = 1e-9 * self._width
        if values.min() < self.rule.low - slack or values.max() > self.rule.high + slack:
            # the almost sure bounds are part of the claim: one value outside them refutes it
            return [float_sum(values), math.inf, math.inf] + [-math.inf] * (len(self._bets) - 2)
        return [float_sum(part) for part in self.parts(values)]

    def decide(self, total: Summary, trials: int) -> Outcome:
        n = 3 + 2 * len(GRID)
        above = mixture(total[1], total[n : n + len(ABOVE)])
        below = mixture(total[2], total[n + len(ABOVE) : n + len(ABOVE) + len(BELOW)])
        target = math.log(1 / self.reject)
        rejected = above >= target or (self.rule.exact and below >= target)
        upper, lower = self._limits(total)
        if lower > upper:
            raise ArithmeticError("the confidence set of a mean is empty: the values are not draws with one mean")
        row = Row(self.rule.claimed, self.rule.claimed, total[0] / trials, lower, upper)
        given = f"values in [{self.rule.low:g}, {self.rule.high:g}]"
        return Outcome(rejected, 0, None, (row,), missing=self._missing(row), given=given)

    def _limits(self, total: Summary) -> tuple[float, float]:
        """(upper, lower): the candidates whose capital reaches 1/a; the predicted bet has half of the stake there."""
        target, n, first = math.log(1 / self.confidence), len(GRID), 3 + 2 * len(GRID) + len(ABOVE) + len(BELOW)
        half = target + math.log(2)
        above = zip(self._candidates[1], total[3 : 3 + n], strict=True)
        below = zip(self._candidates[-1], total[3 + n : 3 + 2 * n], strict=True)
        uppers = [m for m, capital in above if capital >= half]
        for k, m in enumerate(self._ladder):
            start = first + k * (1 + len(BELOW))
            if mixture(total[start], total[start + 1 : start + 1 + len(BELOW)]) >= target:
                uppers.append(m)
        lower = max((m for m, capital in below if capital >= half), default=self.rule.low)
        return min(uppers, default=self.rule.high), lower

    def _missing(self, row: Row) -> str:
        """What keeps the limit from twice the claim: the trials that would do for every law of the range.

        A limit that is the end of the range is no news of the run, unless the range alone gives the claim.
        """
        said = no_limit(row)
        if not said and row.upper >= self.rule.high > self.rule.claimed:
            return f"nothing is seen below the end {self.rule.high:g} of the range; draw more"
        if not said or self.rule.claimed <= 0:
            return said
        m, twice = self._claim, min(1.0, float(self._unit(DETECTABLE_RATIO * self.rule.claimed)))
        if not m < twice < 1:
            return f"{said}; values in [{self.rule.low:g}, {self.rule.high:g}] do not tell the two apart"
        need = math.log(2 * len(BELOW) / self.confidence) / max(_divergence(m, twice), 1e-300)
        return (
            f"{said}; with values in [{self.rule.low:g}, {self.rule.high:g}] about {need:.2g} trials would do, or a"
            " smaller range, or a proved moment"
        )

    def detectable(self, trials: int, row: int) -> float:
        """The smallest mean that is rejected with probability sqrt(POWER) whatever the law on the range is.

        log(1 + lam (x - m)) is at least its chord over [0, 1], so capital is reached once mean(X) is at least
        x* = (ln(1/(a w))/N - ln(1 - lam m))/(ln(1 + lam (1 - m)) - ln(1 - lam m)), w the share of the bet; and
        P(mean(X) <= x*) <= exp(-N KL(x* || m1)) for every law on [0, 1] with mean m1 (Hoeffding 1963). inf: none.
        """
        return self._least_detectable(trials)

    @cache  # noqa: B019 - a test is small, and a run asks the same of it again and again
    def _least_detectable(self, trials: int) -> float:
        m, best = self._claim, math.inf
        shares = [(self._bet(self.reject, m, 1), 0.5)] + [(b, 0.5 / len(ABOVE)) for b in self._others(m, 1)]
        for bet, share in shares:
            lost = -math.log1p(-bet * m)
            need = (math.log(1 / (self.reject * share)) / trials + lost) / (math.log1p(bet * (1 - m)) + lost)
            best = min(best, _least_mean(max(need, m), math.log(1 / (1 - math.sqrt(POWER))) / trials))
        return self.rule.low + self._width * best


def mixture(first: float, others: Sequence[float]) -> float:
    """Log of the capital whose stake is half on ``first`` and half divided over ``others``."""
    logs = [first + math.log(0.5)] + [v + math.log(0.5 / len(others)) for v in others]
    top = max(logs)
    return top if math.isinf(top) else top + math.log(math.fsum(math.exp(v - top) for v in logs))


def _divergence(x: float, m: float) -> float:
    """KL(x || m) of two Bernoulli laws, 0 <= x <= 1, 0 < m < 1."""
    out = x * math.log(x / m) if x > 0 else 0.0
    return out + ((1 - x) * (math.log1p(-x) - math.log1p(-m)) if x < 1 else 0.0)


def _least_mean(x: float, need: float) -> float:
    """The smallest m >= x with KL(x || m) >= need, rounded up; inf if none is below 1."""
    if x >= 1 or (x <= 0 and need <= 0):
        return math.inf if x >= 1 else 0.0
    low, high = x, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if middle >= 1 or middle <= 0 or middle in (low, high):
            break
        if _divergence(x, middle) >= need:
            high = middle
        else:
            low = middle
    return high
