"""The momentum theorem at the parameters that it prescribes, on the line, with the noise in bins.

T, M, M0, tau, tau0, alpha and mu are those of :mod:`boundcheck.plans.momentum_plan`, untouched: the smallest that the
theorem allows with the explicit constants of the catalogue. The bins' error is carried through the trajectory.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial

import numpy as np

from boundcheck.paper.values import value as bound
from boundcheck.plans.momentum_plan import plan_momentum
from boundcheck.plans.theorem_plan import MomentumPlan, Problem
from proofs_numeric.checks.cell import CLAIM, PLANTED, Cell, Draw
from proofs_numeric.checks.places import LAWS
from proofs_numeric.exact_in_law.binned import BinnedNoise
from proofs_numeric.model.sphere import Array
from proofs_numeric.stats.decision_rules import Exceedance

MOMENTUM = "thm:momentum-main"
CHUNKS = 4


@dataclass(frozen=True)
class Case:
    """One problem f(x) = x^2/2 on the line, started at f(x_0) - f_* = Delta0; L = 1. eps < 1, as the theorem asks."""

    p: str
    law: str
    Delta0: str
    sigma: str = "0.1"
    beta: str = "0.5"
    delta: str = "0.4"
    parts: int = 8  #: bins in an octave; few suffice, since only one event is decided
    trials: int = 128
    eps: str = "0.9"

    @property
    def name(self) -> str:
        return f"prescribed-d1-p{self.p}-{self.law}-eps{self.eps}-delta{self.delta}-beta{self.beta}"

    def plan(self) -> MomentumPlan:
        return _plan(self)


@cache
def _plan(case: Case) -> MomentumPlan:
    one, numbers = Fraction(1), (Fraction(v) for v in (case.Delta0, case.sigma, case.eps, case.delta))
    return plan_momentum(Problem(Fraction(case.p), 1, one, *numbers), Fraction(case.beta))


CASES = (
    Case("1.2", "pareto", "1/32", "0.01", delta="0.5", parts=1, trials=64),
    Case("1.5", "pareto", "1/10"),
    Case("1.5", "onesided", "1/32"),
    Case("1.8", "pareto", "1/10"),
    Case("2", "pareto", "1/10"),
    Case("2", "pareto", "1/32", beta="0.75"),
)


def draw_prescribed(case: Case, factor: float = 1.0) -> Draw:
    """(1/(T - 2)) sum over t = 1, ..., T - 2 of ||grad f(x_t)||^2, with intervals around x_t and m_t.

    x_(t+1) = x_t - alpha (1 - beta) g_t - alpha beta m_(t-1) and m_t = beta m_(t-1) + (1 - beta) g_t, where g_t rises
    with x_t at a slope in [0, 1]: so x_t - alpha (1 - beta) g_t and m_t rise with x_t for fixed noise. The upper end
    is returned; ArithmeticError if the interval straddles the limit, so bins decide no event.
    """

    def draw(rng: np.random.Generator, n: int) -> Array:
        q, beta = case.plan(), float(Fraction(case.beta))
        alpha = float(q.alpha)
        noise = BinnedNoise(LAWS[case.law](float(case.p), float(case.sigma)), parts=case.parts)
        start = np.full(n, math.sqrt(2 * float(Fraction(case.Delta0))))
        m_low, m_high = noise.estimates((start, start), q.M0, q.tau0, rng)[0]
        low, high = start - alpha * m_high, start - alpha * m_low
        above, below = np.zeros(n), np.zeros(n)
        for t in range(1, q.T - 1):
            above += np.maximum(np.abs(low), np.abs(high)) ** 2
            below += np.maximum(np.maximum(low, -high), 0.0) ** 2
            if t == q.T - 2:
                break
            at_low, at_high = noise.estimates((low, high), q.M, q.tau, rng)
            low = low - alpha * ((1 - beta) * at_low[1] + beta * m_high)
            high = high - alpha * ((1 - beta) * at_high[0] + beta * m_low)
            m_low = beta * m_low + (1 - beta) * at_low[0]
            m_high = beta * m_high + (1 - beta) * at_high[1]
        above, below, limit = above / (q.T - 2), below / (q.T - 2), factor * bound(MOMENTUM, eps=float(case.eps))
        if np.any((below <= limit) & (above > limit)):
            raise ArithmeticError("the bins of the noise are too coarse to decide an event")
        return above

    return draw


def prescribed_rule(case: Case, factor: float = 1.0) -> Exceedance:
    """P(average > factor * eps^2) <= delta."""
    limit = bound(MOMENTUM, eps=float(case.eps))
    watch = tuple(limit * 2.0 ** (-k / 4) for k in range(1, 49))
    return Exceedance((factor * limit,), (float(case.delta),), watch=watch)


def _size(case: Case) -> tuple[int, int]:
    return case.trials, case.trials // CHUNKS


def cells() -> Iterator[Cell]:
    """The momentum theorem's cells, and a wrong constant."""
    for case in CASES:
        yield Cell(MOMENTUM, case.name, CLAIM, draw_prescribed(case), partial(prescribed_rule, case), *_size(case))
    case, factor = Case("1.8", "pareto", "1/32", parts=2, trials=32), 1 / 50
    note = "constant: eps^2/50 for eps^2"
    draw = draw_prescribed(case, factor)
    rule = lambda: prescribed_rule(case, factor)  # noqa: E731
    yield Cell(MOMENTUM, "planted-constant", PLANTED, draw, rule, *_size(case), note=note)
