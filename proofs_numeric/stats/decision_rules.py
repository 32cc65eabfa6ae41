"""Rules as data: what one trial's value is asked, what a chunk keeps of it, and what the whole decides.

A rule is asked once a stage: ``rule.test(trials, reject, confidence)`` fixes everything that depends on the
planned number of trials and on the error levels. The test reduces each chunk to a few numbers that
add up (integers exactly, floats by ``math.fsum`` in chunk order) and decides from their sums.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from proofs_numeric.model.sphere import Array
from proofs_numeric.stats import binomial
from proofs_numeric.stats.budget import DETECTABLE_RATIO, POWER

Summary = list[int] | list[float]


@dataclass(frozen=True)
class Row:
    """One comparison inside a cell: at ``threshold`` the claim says ``claimed``, and ``observed`` was seen."""

    threshold: float
    claimed: float
    observed: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Outcome:
    """What the numbers say of one stage.

    ``shown`` is the row whose upper confidence limit is largest against its claim; ``bad`` counts the bad
    trials there (None for means). ``watched`` pairs each watched threshold with its number of exceedances.
    ``missing`` says what keeps these numbers from being called CONSISTENT, where something does; ``given`` what the
    limits take for granted of the law.
    """

    rejected: bool
    shown: int
    bad: int | None
    rows: tuple[Row, ...]
    watched: tuple[tuple[float, int], ...] = ()
    missing: str = ""
    given: str = ""


def no_limit(row: Row) -> str:
    """Why the row's upper limit does not bear CONSISTENT; empty where it is within DETECTABLE_RATIO."""
    if row.claimed <= 0:
        return f"a claim of {row.claimed:g} is not positive, so that no limit is within twice of it"
    if row.upper <= DETECTABLE_RATIO * row.claimed:
        return ""
    return f"the upper limit {row.upper:.3g} is above twice the claim {row.claimed:.3g}"


class Test(Protocol):
    """A rule at fixed numbers of trials and levels."""

    @property
    def limits(self) -> tuple[float, ...]:
        """The thresholds that values are compared with; empty where no event is counted."""

    def summary(self, values: Array) -> Summary:
        """What a chunk keeps of its values."""

    def decide(self, total: Summary, trials: int) -> Outcome:
        """The outcome from summed summaries of ``trials`` trials (fewer than planned: a valid partial answer)."""

    def detectable(self, trials: int, row: int) -> float:
        """The smallest true value at ``row`` that ``trials`` trials reject with probability sqrt(POWER).

        Two stages must reject, each with that probability, so the larger of their two values is
        rejected with probability POWER.
        """


class Rule(Protocol):
    """A claim about the law of one real value per trial."""

    def test(self, trials: int, reject: float, confidence: float) -> Test:
        """The test of this rule with ``trials`` planned."""


def refuse_nan(values: Array) -> None:
    """Raise FloatingPointError on a NaN: it is neither good nor bad."""
    if np.isnan(values).any():
        raise FloatingPointError(f"{int(np.isnan(values).sum())} of {values.size} simulated values are NaN")


def _long_sum(values: list[float]) -> float:
    """The sum, rounded once, of doubles of which some part adds up to more than any double."""
    if not all(map(math.isfinite, values)):
        return sum(v for v in values if not math.isfinite(v))
    exact = sum(map(Fraction, values))
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def float_sum(values: Array | Iterable[float]) -> float:
    """The sum, rounded once; infinite where it is beyond the doubles, NaN where infinite values cancel."""
    found = _fewer(values) if isinstance(values, np.ndarray) else [float(v) for v in values]
    try:
        return math.fsum(found)
    except OverflowError:  # of a part, which the rest may bring back
        return _long_sum(found)
    except ValueError:
        return math.nan


def _fewer(values: Array) -> list[float]:
    """Doubles with the very sum of an array of doubles: at most as many, as a rule a handful.

    Each value is cut at a place so high that all that is above it adds up without rounding, whatever the order (the
    extraction of Rump, Ogita and Oishi 2008); what is below is cut again, and what is then left is told one by one.
    """
    n, rest, sums = values.size, values.astype(np.float64, copy=False), []
    largest = float(np.abs(rest).max()) if n >= 256 else math.nan  # few are added one by one at once
    if not 2.0**-900 < largest < 2.0**900:  # no cut is subnormal or infinite; also NaN
        return rest.tolist()
    place = math.frexp(largest)[1] + n.bit_length()  # |values| < 2^place/n
    for _ in range(2):
        cut = math.ldexp(1.0, place)
        above = (rest + cut) - cut  # multiples of 2^(place - 53), of which n stay below 2^53 of these
        sums.append(float(above.sum()))
        rest = rest - above  # exact, at most 2^(place - 53)
        place += n.bit_length() - 52
    return sums + rest[rest != 0].tolist()


def in_doubles(rule: object, *names: str) -> None:
    """Turn numbers of a rule into doubles, in which evidence is computed, whatever types a user gives them in."""
    for name in names:
        value = getattr(rule, name)
        object.__setattr__(rule, name, tuple(map(float, value)) if isinstance(value, tuple) else float(value))


@dataclass(frozen=True)
class Exceedance:
    """P(value > threshold_j) <= level_j for every j; with ``exact`` the levels are claimed as equalities.

    With ``floors`` P(value > threshold_j) >= floor_j is claimed as well.

    ``watch`` holds further thresholds that are counted for the figures and decide nothing; the limits of a quantile
    that are read from them (:func:`proofs_numeric.campaigns.results.quantile_bracket`) take half of the confidence.
    """

    thresholds: tuple[float, ...]
    levels: tuple[float, ...]
    exact: bool = False
    watch: tuple[float, ...] = ()
    floors: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        in_doubles(self, "thresholds", "levels", "watch", "floors")
        if len(self.thresholds) != len(self.levels) or not self.thresholds:
            raise ValueError("as many levels as thresholds are wanted, at least one")
        if self.floors and (self.exact or len(self.floors) != len(self.levels)):
            raise ValueError("as many floors as levels are wanted, and none where the levels are exact")
        if not all(map(math.isfinite, (*self.thresholds, *self.levels))) or min(self.levels) < 0:
            raise ValueError("thresholds must be finite and levels finite and nonnegative")

    def test(self, trials: int, reject: float, confidence: float) -> ExceedanceTest:
        sides = 2 if self.exact or self.floors else 1
        rows = confidence / 2 if self.watch else confidence  # the two limits of the quantile share the other half
        return ExceedanceTest(self, reject / len(self.levels) / sides, rows / len(self.levels) / 2)


@dataclass(frozen=True)
class ExceedanceTest:
    """:class:`Exceedance` with the levels of one comparison: the cell's, divided by rows and sides."""

    rule: Exceedance
    reject: float
    confidence: float

    @property
    def limits(self) -> tuple[float, ...]:
        return self.rule.thresholds + self.rule.watch

    def summary(self, values: Array) -> list[int]:
        refuse_nan(values)
        ordered = np.sort(values)
        limits = np.array(self.limits)
        return [int(n) for n in len(ordered) - np.searchsorted(ordered, limits, side="right")]

    def decide(self, total: Summary, trials: int) -> Outcome:
        rejected = False
        rows = []
        least = self.rule.levels if self.rule.exact else self.rule.floors
        for j, (threshold, level, k) in enumerate(
            zip(self.rule.thresholds, self.rule.levels, map(int, total), strict=False)
        ):
            rejected |= k >= binomial.critical_count(trials, level, self.reject)
            if least:
                rejected |= k <= binomial.critical_count_below(trials, least[j], self.reject)
            upper = binomial.upper_limit(k, trials, self.confidence)
            rows.append(Row(threshold, level, k / trials, binomial.lower_limit(k, trials, self.confidence), upper))
        shown = max(range(len(rows)), key=lambda j: rows[j].upper / rows[j].claimed if rows[j].claimed else math.inf)
        watched = tuple(zip(self.rule.watch, map(int, total[len(rows) :]), strict=True))
        return Outcome(rejected, shown, int(total[shown]), tuple(rows), watched, no_limit(rows[shown]))

    def detectable(self, trials: int, row: int) -> float:
        c = binomial.critical_count(trials, self.rule.levels[row], self.reject)
        return binomial.detectable(trials, c, math.sqrt(POWER))
