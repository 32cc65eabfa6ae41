"""Whole runs in more than one dimension, by the radial method: the base theorem at its own T and M, and exact moments.

T, M, tau, alpha and mu of a case come from a plan, untouched; the case's name says whose. Where a batch is too
large to be drawn direction by direction there is no cell; docs/campaigns.md lists such problems.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from types import MappingProxyType

import numpy as np

from boundcheck.paper.values import value as bound
from boundcheck.plans.theorem_plan import Plan, Problem, plan
from proofs_numeric.checks.cell import CLAIM, COMPANION, PLANTED, Cell, Draw
from proofs_numeric.checks.places import LAWS
from proofs_numeric.exact_in_law import radial_run, replay_radial
from proofs_numeric.exact_in_law.radial import Axis
from proofs_numeric.model.optimizer import Parameters
from proofs_numeric.model.sphere import Array
from proofs_numeric.precision.replay import Replayed, Tape, Values
from proofs_numeric.stats.bounded_mean import Mean
from proofs_numeric.stats.decision_rules import Exceedance

BASE = "thm:hp-shared-clipped"
MOMENTUM = "thm:momentum-main"
CHUNK = 16
LAW_TRIALS, LAW_CHUNK = 1 << 16, 1 << 13

#: whose constants -> the parameters that they prescribe
PLANS: Mapping[str, Callable[[Problem], Plan]] = MappingProxyType({"paper": plan})


@dataclass(frozen=True)
class Case:
    """f = |x|^2/2 in R^d started at f(x_0) - f_* = 1, noise of every direction; ``constants`` names the plan."""

    p: str
    d: int
    law: str = "pareto"
    eps: str = "5.6"
    sigma: str = "0.01"
    delta: str = "0.5"
    trials: int = 48
    constants: str = "paper"

    @property
    def name(self) -> str:
        numbers = f"d{self.d}-p{self.p}-{self.law}-uniform-eps{self.eps}-delta{self.delta}"
        return f"prescribed-radial-{numbers}" + ("" if self.constants == "paper" else f"-{self.constants}")

    @property
    def problem(self) -> Problem:
        """The problem, exact, as :mod:`boundcheck.plans.theorem_plan` takes it."""
        one = Fraction(1)
        return Problem(Fraction(self.p), self.d, one, one, *map(Fraction, (self.sigma, self.eps, self.delta)))

    def plan(self) -> Plan:
        return _plan(self)


@cache
def _plan(case: Case) -> Plan:
    return PLANS[case.constants](case.problem)


CASES = (Case("2", 2), Case("2", 3, law="student"), Case("1.8", 2))


def draw_prescribed(case: Case, factor: float = 1.0) -> Draw:
    """(1/T) sum_t ||grad f(x_t)||^2; ArithmeticError if rounding could decide an event."""

    def draw(rng: np.random.Generator, n: int) -> Array:
        q = case.plan()
        axis = Axis(case.d, LAWS[case.law](float(case.p), float(case.sigma)), "uniform")
        parameters = Parameters(q.T, float(q.alpha), float(q.mu), q.M, q.tau)
        length = radial_run.descend(axis, 1.0, np.full(n, math.sqrt(2.0)), parameters, rng).length[: q.T]
        average = (length**2).mean(axis=0)
        reach = float(length.max())
        wrong = radial_run.doubt(axis, 1.0, reach, parameters)
        limit = factor * bound(BASE, eps=float(case.eps))
        if np.any(np.abs(average - limit) <= 2 * reach * wrong + wrong**2):
            raise ArithmeticError("rounding along a radial run is too large to decide an event")
        return average

    return draw


def prescribed_rule(case: Case, factor: float = 1.0) -> Exceedance:
    """P(average > factor * eps^2) <= delta."""
    limit = bound(BASE, eps=float(case.eps))
    return Exceedance((factor * limit,), (float(case.delta),))


@dataclass(frozen=True)
class Moments:
    """A short run whose clipping never acts, with noise of one size: E|x_T|^2 by a linear recursion."""

    parameters: Parameters
    d: int = 10
    sigma: float = 1.0
    start: float = 1.0

    @property
    def axis(self) -> Axis:
        """The quadratic with bounded noise, by its components along and across e_1."""
        return Axis(self.d, LAWS["signs"](2.0, self.sigma), "uniform")

    def draw(self, run: Callable[..., radial_run.Radii] = radial_run.descend) -> Draw:
        """|x_T|^2."""

        def draw(rng: np.random.Generator, n: int) -> Array:
            return run(self.axis, 1.0, np.full(n, self.start), self.parameters, rng).length[-1] ** 2

        def reference(tape: Tape, n: int) -> Values:
            return replay_radial.lengths2(tape, self.axis, 1.0, self.start, n, self.parameters)

        return Replayed(draw, reference)

    def rule(self) -> Mean:
        """E|x_T|^2; what |x_T| can reach bounds the values."""
        q = self.parameters
        mean, _ = radial_run.second_moments(self.axis, 1.0, self.start, q, self.sigma**2)
        reach = radial_run.farthest(self.d, 1.0, self.start, self.sigma, q)
        return Mean(mean, 0.0, (1.001 * reach) ** 2, mean, mean**2, exact=True)


FAR = 1e6  #: a threshold that no |Y| of these runs comes near
RUNS = (
    (BASE, Moments(Parameters(5, 0.1, 0.01, 4, FAR))),
    (MOMENTUM, Moments(Parameters(6, 0.5, 0.01, 3, FAR, 0.6, 5, FAR), d=3)),
)


def thin(axis: Axis, L: float, start: Array, q: Parameters, rng: np.random.Generator) -> radial_run.Radii:
    """The mistake of drawing one direction where a batch of M is asked for."""
    return radial_run.descend(axis, L, start, replace(q, M=1), rng)


def cells() -> Iterator[Cell]:
    """The base theorem beyond the line, the second moments of radial runs, and what is planted."""
    for case in CASES:
        rule = lambda c=case: prescribed_rule(c)  # noqa: E731
        yield Cell(BASE, case.name, CLAIM, draw_prescribed(case), rule, case.trials, CHUNK)
    for label, run in RUNS:
        yield Cell(label, "law-radial-moments", COMPANION, run.draw(), run.rule, LAW_TRIALS, LAW_CHUNK, "mean")
    label, run = RUNS[1]
    note = "implementation: one direction for a batch of M"
    yield Cell(label, "planted-radial-thin", PLANTED, run.draw(thin), run.rule, LAW_TRIALS, LAW_CHUNK, "mean", note)
