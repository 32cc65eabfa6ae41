"""Whole runs at the parameters that a theorem prescribes, untouched: T, M, tau, alpha, mu (M0 and tau0) of a plan.

On the line M is out of reach of direct simulation, so the noise comes in bins whose error is carried along; in more
dimensions runs are radial, or on vectors. Where a batch is too large even so there is no case; docs/campaigns.md lists
such problems.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from boundcheck.paper.values import value as bound
from boundcheck.plans.momentum_plan import plan_momentum
from boundcheck.plans.sharp_plan import plan_sharp
from boundcheck.plans.theorem_plan import Problem, plan
from proofs_numeric.checks.cell import Cell, Draw, Sampling
from proofs_numeric.checks.deviation import exceeds
from proofs_numeric.checks.places import LAWS, Setting
from proofs_numeric.exact_in_law import radial_run
from proofs_numeric.exact_in_law.binned import BinnedNoise
from proofs_numeric.exact_in_law.radial import Axis
from proofs_numeric.model.optimizer import Parameters, optimize
from proofs_numeric.model.sphere import Array
from proofs_numeric.precision import rounding
from proofs_numeric.stats.decision_rules import Exceedance

BASE = "thm:hp-shared-clipped"
MOMENTUM = "thm:momentum-main"
SHARP = "app:sharp-convergence"
LARGEST = 60.0  #: no exponential variate of a campaign reaches it (probability e^-60 each)


@dataclass(frozen=True)
class Case(ABC):
    """f = |x|^2/2 in R^d from f(x_0) - f_* = Delta0, L = 1, the numbers exact as text; what is drawn is the average
    of ||grad f(x_t)||^2 over the steps that the theorem ``label`` speaks of."""

    p: str
    law: str = "pareto"
    eps: str = "1"
    sigma: str = "0.1"
    delta: str = "0.2"
    d: int = 1
    Delta0: str = "1"
    beta: str = "0"
    trials: int = 512
    chunk: int = 128

    label: ClassVar[str] = BASE
    way: ClassVar[tuple[str, str]] = ("", "")  #: in the name, how runs are drawn and the noise's directions

    @property
    def name(self) -> str:
        (how, shape), beta = self.way, f"-beta{self.beta}" if self.beta != "0" else ""
        return f"prescribed{how}-d{self.d}-p{self.p}-{self.law}{shape}-eps{self.eps}-delta{self.delta}{beta}"

    @property
    def problem(self) -> Problem:
        """The problem, exact, as plans take it."""
        numbers = map(Fraction, (self.Delta0, self.sigma, self.eps, self.delta))
        return Problem(Fraction(self.p), self.d, Fraction(1), *numbers)

    @cached_property
    def plan(self) -> Any:
        """What the theorem prescribes."""
        return plan_momentum(self.problem, Fraction(self.beta)) if self.beta != "0" else plan(self.problem)

    @property
    def parameters(self) -> Parameters:
        """Those of the base method, in doubles."""
        q = self.plan
        return Parameters(q.T, float(q.alpha), float(q.mu), q.M, q.tau)

    @property
    def start(self) -> float:
        """||x_0||."""
        return math.sqrt(2 * float(Fraction(self.Delta0)))

    @property
    def limit(self) -> float:
        """The theorem's bound."""
        return bound(self.label, eps=float(self.eps))

    def rule(self, factor: float = 1.0) -> Exceedance:
        """P(average > factor * eps^2) <= delta."""
        return exceeds(self.limit, float(self.delta), factor, 48, 4)

    @abstractmethod
    def draw(self, factor: float = 1.0) -> Draw:
        """The averages; ArithmeticError where floats cannot tell one from factor * eps^2."""

    def cell(self, factor: float = 1.0, note: str = "") -> Cell:
        """The theorem's claim, or a wrong constant."""
        name = "planted-constant" if note else self.name
        sampling = Sampling(self.trials, self.chunk)
        return sampling.cell(self.label, name, self.draw(factor), self.rule, factor, note=note)


@dataclass(frozen=True)
class Line(Case):
    """On the line, the noise in bins, ``parts`` in an octave."""

    parts: int = 32

    def draw(self, factor: float = 1.0) -> Draw:
        """The average over t = 0, ..., T - 1, with momentum over t = 1, ..., T - 2: intervals around x_t and m_t.

        x_(t+1) = x_t - alpha (1 - beta) g_t - alpha beta m_(t-1) and m_t = beta m_(t-1) + (1 - beta) g_t, where g_t
        rises with x_t at a slope in [0, 1]: so x_t - alpha (1 - beta) g_t and m_t rise with x_t for fixed noise. The
        upper end is returned; ArithmeticError if the interval straddles the limit, so bins decide no event.
        """

        def draw(rng: np.random.Generator, n: int) -> Array:
            q, beta = self.plan, float(Fraction(self.beta))
            alpha, counted = float(q.alpha), range(1, q.T - 1) if beta else range(q.T)
            noise = BinnedNoise(LAWS[self.law](float(self.p), float(self.sigma)), parts=self.parts)
            low = high = np.full(n, self.start)
            m_low, m_high, above, below = (np.zeros(n) for _ in range(4))
            for t in range(counted.stop):
                if t in counted:
                    above += np.maximum(np.abs(low), np.abs(high)) ** 2
                    below += np.maximum(np.maximum(low, -high), 0.0) ** 2
                if t == counted[-1]:
                    break
                M, tau, keep = (q.M0, q.tau0, 0.0) if beta and t == 0 else (q.M, q.tau, beta)
                at_low, at_high = noise.estimates((low, high), M, tau, rng)
                low = low - alpha * ((1 - keep) * at_low[1] + keep * m_high)
                high = high - alpha * ((1 - keep) * at_high[0] + keep * m_low)
                m_low = keep * m_low + (1 - keep) * at_low[0]
                m_high = keep * m_high + (1 - keep) * at_high[1]
            above, below, limit = above / len(counted), below / len(counted), factor * self.limit
            if np.any((below <= limit) & (above > limit)):
                raise ArithmeticError("the bins of the noise are too coarse to decide an event")
            return above

        return draw


@dataclass(frozen=True)
class MomentumLine(Line):
    """With momentum; eps < 1, as the theorem asks. Few bins suffice, since only one event is decided."""

    eps: str = "0.9"
    delta: str = "0.4"
    beta: str = "0.5"
    trials: int = 128
    chunk: int = 32
    parts: int = 8

    label: ClassVar[str] = MOMENTUM


def _decided(average: Array, limit: float, reach: float, wrong: float, run: str) -> Array:
    """``average`` where an error of ``wrong`` in every |x_t| <= ``reach`` leaves it on its side of the limit."""
    if np.any(np.abs(average - limit) <= 2 * reach * wrong + wrong**2):
        raise ArithmeticError(f"rounding along a {run} is too large to decide an event")
    return average


@dataclass(frozen=True)
class Radial(Case):
    """In more dimensions, noise of every direction."""

    eps: str = "5.6"
    sigma: str = "0.01"
    delta: str = "0.5"
    d: int = 2
    trials: int = 48
    chunk: int = 16

    way: ClassVar[tuple[str, str]] = ("-radial", "-uniform")

    def rule(self, factor: float = 1.0) -> Exceedance:
        return exceeds(self.limit, float(self.delta), factor, 0)

    def draw(self, factor: float = 1.0) -> Draw:
        def draw(rng: np.random.Generator, n: int) -> Array:
            axis, q = Axis(self.d, LAWS[self.law](float(self.p), float(self.sigma)), "uniform"), self.parameters
            length = radial_run.descend(axis, 1.0, np.full(n, self.start), q, rng).length[: q.T]
            reach = float(length.max())
            wrong = radial_run.doubt(axis, 1.0, reach, q)
            return _decided((length**2).mean(axis=0), factor * self.limit, reach, wrong, "radial run")

        return draw


@dataclass(frozen=True)
class Sharp(Case):
    """At the sharper plan, on vectors, noise along e_1."""

    sigma: str = "1"
    delta: str = "0.1"
    trials: int = 416
    chunk: int = 4

    label: ClassVar[str] = SHARP
    way: ClassVar[tuple[str, str]] = ("-sharp", "-axis")

    @cached_property
    def plan(self) -> Any:
        return plan_sharp(self.problem)

    def rule(self, factor: float = 1.0) -> Exceedance:
        return exceeds(factor * self.limit, float(self.delta), rungs=48)

    def draw(self, factor: float = 1.0) -> Draw:
        """|x - alpha g(x)| stretches distances by at most max(1, alpha L d - 1), and a float error of g adds alpha
        times it."""

        def draw(rng: np.random.Generator, n: int) -> Array:
            q = self.parameters
            s = Setting(self.d, float(self.p), self.law, mu=q.mu, sigma=float(self.sigma))
            start = np.zeros((n, self.d))
            start[:, 0] = self.start
            run = optimize(s.oracle, start, q, rng)
            far = np.zeros((1, self.d))
            far[0, 0] = np.sqrt(run.gradient2).max()
            error = rounding.average(s.oracle, far, q.mu, q.M, q.tau, LARGEST)
            wrong, stretch = 0.0, max(1.0, q.alpha * s.L * self.d - 1)
            for _ in range(q.T):
                wrong = stretch * wrong + q.alpha * error
            return _decided(run.gradient2.mean(axis=0), factor * self.limit, far[0, 0], wrong, "run")

        return draw


LINE = (
    Line("1.2", eps="5.6"),
    Line("1.2", "onesided", "5.6"),
    Line("1.5"),
    Line("1.5", "onesided", "3.2"),
    Line("1.8", eps="3.2"),
    Line("1.8", "student"),
    Line("2"),
    Line("2", "onesided", sigma="1"),
)
MOMENTUM_LINE = (
    MomentumLine("1.2", Delta0="1/32", sigma="0.01", delta="0.5", trials=64, chunk=16, parts=1),
    MomentumLine("1.5", Delta0="1/10"),
    MomentumLine("1.5", "onesided", Delta0="1/32"),
    MomentumLine("1.8", Delta0="1/10"),
    MomentumLine("2", Delta0="1/10"),
    MomentumLine("2", Delta0="1/32", beta="0.75"),
)
RADIAL = (Radial("2"), Radial("2", "student", d=3), Radial("1.8"))
RUNS = (
    Sharp("2", d=10),
    Sharp("2", "onesided", d=20),
    Sharp("1.8", "student", d=10),
    Sharp("1.5", "onesided", d=10),
    Sharp("1.2", sigma="0.3"),
)
WRONG = "constant: eps^2/50 for eps^2"
TWINS = {
    BASE: LINE[4].cell(1 / 50, WRONG),
    MOMENTUM: MomentumLine("1.8", Delta0="1/32", trials=32, chunk=8, parts=2).cell(1 / 50, WRONG),
    SHARP: replace(RUNS[0], trials=64, chunk=8).cell(2 / 3, "constant: 2 eps^2/3 for eps^2, the share of x_0 alone"),
}
