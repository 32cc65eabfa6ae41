"""Limits for a mean without a range: Catoni's bets under a p-th central moment, 1 < p <= 2.

With phi(y) = log(1 + y + |y|^p/p) for y >= 0 and phi(-y) = -phi(y), E exp(phi(lam (m - X))) <= 1 + lam^p v/p wherever
E X = m and E|X - m|^p <= v. So sum phi(lam (m - X_i)) - N log(1 + lam^p v/p) is at least ln(1/a) with probability at
most a (Markov; Catoni 2012 for p = 2, Wang and Ramdas 2023 for p < 2). It grows with m, and one value moves
it by a logarithm only. Where X >= low is known, the evidence that the mean is above a claim needs no moment at all:
the factors 1 + lam (X - m), lam < 1/(m - low), are those of :mod:`proofs_numeric.stats.bounded_mean`.

What a moment that somebody only declared is worth, nobody knows: without a proof of it (``proved``) its limits are
printed and bear no verdict, neither CONSISTENT nor REFUTED-STAT.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from proofs_numeric.model.sphere import Array
from proofs_numeric.stats.bounded_mean import mixture
from proofs_numeric.stats.budget import POWER
from proofs_numeric.stats.decision_rules import Outcome, Row, Summary, float_sum, in_doubles, no_limit, refuse_nan

STEPS = tuple(
    np.concatenate([np.linspace(-0.5, 3.0, 15), [5.0, 9.0, 17.0]])
)  #: limits tried, in radii from the centre
#: From here on phi(y) = p log y - log p: to all digits of a double for p >= 1.17, and smaller in size for p nearer
#: to 1, where exp(phi(y)) <= 1 + y + |y|^p/p holds of it on both sides.
FAR = 1e100
SHARES = (0.95, 0.25, 0.05)  #: bets above a lower end, in shares of what could lose all


def influence(y: Array, p: float) -> Array:
    """Catoni's phi: log(1 + y + y^p/p) for y >= 0, and odd."""
    size = np.abs(y)
    near = np.minimum(size, FAR)
    return np.copysign(
        np.where(size > FAR, p * np.log(np.maximum(size, 1.0)) - math.log(p), np.log1p(near + near**p / p)), y
    )


@dataclass(frozen=True)
class HeavyMean:
    """E X <= claimed where E|X - E X|^p <= moment, 1 < p <= 2 (E X = claimed with ``exact``).

    ``centre`` is the mean to be expected and places the limits that are tried. ``low`` is a value that X is never
    below, if one is known. ``proved`` names the statement that proves the moment, or says that it is exact; ``at`` has
    the values of its parameters, and ``open`` says why the one that should does not prove it.
    """

    claimed: float
    p: float
    moment: float
    centre: float
    low: float = -math.inf
    proved: str = ""
    exact: bool = False
    open: str = ""
    at: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        in_doubles(self, "claimed", "p", "moment", "centre", "low")
        if not 1 < self.p <= 2:
            raise ValueError(f"p = {self.p!r} is outside of (1, 2]: limits for a mean need a moment of such an order")
        if not (0 < self.moment < math.inf and math.isfinite(self.claimed) and math.isfinite(self.centre)):
            raise ValueError(
                f"a mean under a moment needs 0 < moment < inf, a finite claim and centre, got moment={self.moment!r},"
                f" claimed={self.claimed!r}, centre={self.centre!r}"
            )
        if not self.low <= self.claimed:
            raise ValueError(f"a claim of {self.claimed!r} is below the lower end low={self.low!r} of all values")

    def test(self, trials: int, reject: float, confidence: float) -> HeavyMeanTest:
        sides = 2 if self.exact else 1
        return HeavyMeanTest(self, trials, reject / sides, confidence / 2)


@dataclass(frozen=True)
class HeavyMeanTest:
    """:class:`HeavyMean` with lam = (p ln(1/a)/((p - 1) N v))^(1/p), which makes the radius smallest."""

    rule: HeavyMean
    trials: int
    reject: float
    confidence: float

    def __post_init__(self) -> None:
        if not all(math.isfinite(self._bet(a)) for a in (self.reject, self.confidence)):
            raise ValueError(
                f"moment={self.rule.moment!r} is too small for doubles; choose another unit of the values, so that it"
                " is near 1"
            )

    @property
    def limits(self) -> tuple[float, ...]:
        """None: a mean counts no event."""
        return ()

    def _bet(self, a: float) -> float:
        p = self.rule.p
        return float((p * math.log(1 / a) / ((p - 1) * self.trials) / self.rule.moment) ** (1 / p))

    def radius(self, a: float) -> float:
        """(ln(1/a)/N + lam^p v/p)/lam: how far from the sample's centre a limit lies, to first order."""
        lam, p = self._bet(a), self.rule.p
        return (math.log(1 / a) / self.trials + lam**p * self.rule.moment / p) / lam

    def _candidates(self, side: int) -> Array:
        return self.rule.centre + side * self.radius(self.confidence) * np.array(STEPS)

    def _rungs(self) -> tuple[float, ...]:
        """Upper limits tried whatever was expected: 1, 2 and 4 times a positive claim."""
        return tuple(k * self.rule.claimed for k in (1.0, 2.0, 4.0)) if self.rule.claimed > 0 else ()

    def _price(self, a: float, trials: int) -> float:
        """N log(1 + lam^p v/p): what the moment takes back of the evidence."""
        return trials * math.log1p(self._bet(a) ** self.rule.p * self.rule.moment / self.rule.p)

    def parts(self, values: Array) -> Iterator[Array]:
        """What is summed over the trials, the last axis: the values; the evidence above and below the claim, then at
        each upper and lower limit tried; without moments, the bets above the claim, where a lower end is known."""
        yield values
        claimed, p = self.rule.claimed, self.rule.p
        tried = [(self.reject, claimed, side) for side in (1, -1)]
        tried += [(self.confidence, float(m), -side) for side in (1, -1) for m in self._candidates(side)]
        for a, m, side in tried + [(self.confidence, m, -1) for m in self._rungs()]:
            yield influence(side * self._bet(a) * (values - m), p)
        if math.isfinite(self.rule.low):
            with np.errstate(over="ignore"):
                scaled = np.maximum(values - self.rule.low, 0.0) / max(claimed - self.rule.low, 1e-300)
            for share in SHARES:
                yield np.log1p(share * (scaled - 1))

    def summary(self, values: Array) -> list[float]:
        """The sums of :meth:`parts`; a value below the lower end, which is part of the claim, refutes it."""
        refuse_nan(values)
        if np.isinf(values).any():
            raise FloatingPointError(f"{int(np.isinf(values).sum())} of {values.size} values are infinite: no mean is")
        out = [float_sum(part) for part in self.parts(values)]
        if values.min() < self.rule.low - 1e-9 * max(1.0, abs(self.rule.low)):
            out[-len(SHARES) :] = [math.inf] * len(SHARES)
        return out

    def decide(self, total: Summary, trials: int) -> Outcome:
        n, target = len(STEPS), math.log(1 / self.confidence) + self._price(self.confidence, trials)
        upper_at = [*zip(map(float, self._candidates(1)), total[3 : 3 + n], strict=True)]
        after = 3 + 2 * n + len(self._rungs())
        upper_at += zip(self._rungs(), total[3 + 2 * n : after], strict=True)
        lower_at = zip(map(float, self._candidates(-1)), total[3 + n : 3 + 2 * n], strict=True)
        upper = min((m for m, v in upper_at if v >= target), default=math.inf)
        lower = max((m for m, v in lower_at if v >= target), default=self.rule.low)
        if lower > upper:
            raise ArithmeticError(
                f"the confidence set of a mean is empty: E|X - EX|^{self.rule.p:g} <= {self.rule.moment:g} does not"
                " hold, or the values are not draws with one mean"
            )
        row = Row(self.rule.claimed, self.rule.claimed, total[0] / trials, max(lower, self.rule.low), upper)
        given = f"E|X - EX|^{self.rule.p:g} <= {self.rule.moment:g}" + (
            f" by {self.rule.proved}" * bool(self.rule.proved)
        )
        return Outcome(self._rejected(total, trials, after), 0, None, (row,), missing=self._missing(row), given=given)

    def _rejected(self, total: Summary, trials: int, after: int) -> bool:
        """By the lower end alone where there is one; by the moment only where it is proved; both share the level."""
        plain, need = total[after:], math.log(1 / self.reject)
        if plain and self.rule.proved:
            need += math.log(2)
        if plain and mixture(plain[0], plain[1:]) >= need:
            return True
        need += self._price(self.reject, trials)
        return bool(self.rule.proved) and (total[1] >= need or (self.rule.exact and total[2] >= need))

    def _missing(self, row: Row) -> str:
        """A limit within twice the claim, and a proof of the moment that it rests on."""
        if not self.rule.proved:
            return (
                f"E|X - EX|^{self.rule.p:g} <= {self.rule.moment:g} is declared and not proved;"
                f" {self.rule.open or 'name what proves it (proved=...)'}, for the upper limit {row.upper:.3g} holds"
                " only if it is true"
            )
        if said := no_limit(row):
            return f"{said}; draw more"
        return ""

    def detectable(self, trials: int, row: int) -> float:
        """The smallest mean that the moment rejects with probability sqrt(POWER), whatever the law; inf: none.

        At distance g, E exp(phi(lam (m - X))) <= b(g) = 1 - lam g + lam^p 2^(p-1) (v + g^p)/p, so that the evidence
        misses its target s with probability at most e^s b(g)^N.
        """
        if not self.rule.proved:
            return math.inf
        lam, p, v = self._bet(self.reject), self.rule.p, self.rule.moment
        wanted = math.log(2 / self.reject / (1 - math.sqrt(POWER))) / trials + math.log1p(lam**p * v / p)
        for gap in map(float, np.geomspace(1e-2, 1e3, 501) * self.radius(self.reject)):
            b = 1 - lam * gap + lam**p * 2 ** (p - 1) * (v + gap**p) / p
            if 0 < b <= math.exp(-wanted):
                return self.rule.claimed + gap
        return math.inf
