"""The parameters that app:sharp-convergence allows, chosen so that the queries 2 M T are least.

The theorem leaves T, the deviation eta, the threshold and the radius free. Search proposes; what is printed is decided
in ball arithmetic from the formulas of the catalogue, and M is the smallest integer for the threshold found.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import ctx

from boundcheck.paper import formulas
from boundcheck.plans.theorem_plan import (
    At,
    Number,
    Plan,
    PlanError,
    Problem,
    decimal,
    exact,
    in_doubles,
    largest,
    met,
    no_radius,
    rational,
    require_met,
    short,
    smallest,
)
from boundcheck.plans.thresholds import Shares, propose, refuse_endless

STATEMENT, TRIVIAL = "app:sharp-convergence", "app:sharp-trivial"
_ACCURACY, _DEVIATION = (formulas.relation(STATEMENT, name) for name in ("accuracy", "deviation"))
_DIGITS = 15
_NEIGHBOURS = 2  #: horizons looked at beside the best one of the search


@dataclass(frozen=True, kw_only=True)
class SharpPlan(Plan):
    """What app:sharp-convergence allows; the claim does not rest on the last batch. ``eta`` is deviation + L mu."""

    theta1: float
    theta2: float
    Gamma: Fraction  #: bound of f(x_t) - f_* along the run


def rounded_root(square: Fraction) -> Fraction:
    """sqrt(square) to fifteen digits, rounded down; 0 for square <= 0."""
    if square <= 0:
        return Fraction(0)
    scale = Fraction(10) ** (_DIGITS - decimal(square, 3).adjusted() // 2)
    return math.isqrt(math.floor(square * scale**2)) / scale


def allowed(problem: Problem, T: int) -> Fraction:
    """The largest eta, rounded down, with the theorem's accuracy condition; 0 where there is none.

    The condition is 2 L Delta_0 + (T - 1) eta^2 <= T eps^2: an affine function of eta^2, taken from the catalogue.
    """
    numbers: dict[str, Fraction | int] = {"L": problem.L, "Delta0": problem.Delta0, "T": T}
    start, one = (rational(_ACCURACY.lhs, eta=eta, **numbers) for eta in (0, 1))
    return rounded_root((rational(_ACCURACY.rhs, T=T, eps=problem.eps) - start) / (one - start))


def stationary(problem: Problem) -> bool:
    """Whether 2 L Delta_0 <= eps^2, so that x_0 is eps-stationary (app:sharp-trivial)."""
    return bool(problem.at(TRIVIAL, 64).excess("regime") <= 0)


def nothing_to_run(problem: Problem, mu: Fraction | None) -> SharpPlan:
    """The plan where x_0 is :func:`stationary`: T = M = 1, the least that can be run."""
    radius = mu if mu is not None else problem.eps / (2 * problem.L)
    return SharpPlan(
        problem=problem,
        mu=radius,
        mu_chosen=mu is None,
        T=1,
        M=1,
        alpha=1 / problem.L,
        tau=math.inf,
        theta1=math.inf,
        theta2=math.inf,
        eta=0.0,
        eta_target=problem.eps,
        Gamma=problem.Delta0,
        statement=TRIVIAL,
    )


def _at(problem: Problem, mu: Fraction, T: int, bits: int, **more: Number) -> At:
    """The theorem's quantities at the largest eta."""
    return problem.at(STATEMENT, bits, mu=mu, T=T, eta=allowed(problem, T), **more)


@lru_cache(maxsize=1024)
def _proposal(problem: Problem, mu: Fraction, T: int) -> tuple[Shares, float]:
    """(the shares, log M as a real number) that the search proposes."""
    with ctx.workprec(160):
        at = _at(problem, mu, T, 128)
        return propose(problem, mu, at.ball("N"), at.ball("h"), exact(allowed(problem, T) - problem.L * mu))


def _sufficient(problem: Problem, mu: Fraction, T: int, shares: Shares, M: int) -> bool:
    """Whether deviation + L mu <= eta, decided in balls."""
    free = shares._asdict() | {"mu": mu, "T": T, "eta": allowed(problem, T), "M": M}
    return met(problem, STATEMENT, "deviation", M, "the deviation", **free)


def _log_batch(problem: Problem, mu: Fraction, T: int) -> float:
    """log of the batch, a real number, that T iterates need."""
    return max(0.0, _proposal(problem, mu, T)[1]) if allowed(problem, T) > problem.L * mu else math.inf


def _horizons(problem: Problem, mu: Fraction) -> list[int]:
    """The numbers of iterates that may need the fewest queries, which fall, then rise."""
    floor = 2 * problem.L * problem.Delta0 / problem.eps**2
    least = max(2, math.floor(floor) + 1)
    while allowed(problem, least) <= problem.L * mu:  # the radius eats eta at first
        least += max(1, least // 16)
    most = least + math.ceil(4 * floor / float(problem.p - 1)) + 16

    def queries(T: int) -> float:
        return math.log(T) + _log_batch(problem, mu, T)

    def rounded(T: int) -> float:  # M is a whole number: at most one more than what is needed
        return queries(T) + math.log1p(math.exp(-_log_batch(problem, mu, T)))

    low, steps = least, [1, 2]  # Fibonacci's numbers: each step asks one more horizon
    while steps[-1] < most:
        steps.append(steps[-1] + steps[-2])
    while len(steps) > 3:
        a, b = low + steps[-3], low + steps[-2]
        low = low if queries(a) <= queries(b) else a
        steps.pop()
    centre = min(range(low, low + steps[-1] + 1), key=queries)
    near = range(max(2, centre - _NEIGHBOURS), centre + _NEIGHBOURS + 1)
    enough = min(map(rounded, near))
    return [T for T in near if queries(T) <= enough]


def _batch(problem: Problem, mu: Fraction, T: int) -> tuple[Shares, int]:
    shares, log_m = _proposal(problem, mu, T)
    guess = math.floor(math.exp(log_m) * 0.999) if log_m < 700 else 1
    first = guess if guess > 1 and not _sufficient(problem, mu, T, shares, guess) else 1
    return shares, smallest(first, lambda M: _sufficient(problem, mu, T, shares, M))


def _best(problem: Problem, mu: Fraction) -> tuple[int, Shares, int]:
    """(T, shares, M) with the least 2 M T among the horizons that the search leaves."""
    tried = [(T, *_batch(problem, mu, T)) for T in _horizons(problem, mu)]
    return min(tried, key=lambda found: (found[0] * found[2], found[0]))


def plan_sharp(problem: Problem, mu: Fraction | None = None) -> SharpPlan:
    """T, M, tau, alpha = 1/L (and mu, where it is not given) of app:sharp-convergence, fewest 2 M T found.

    Where 2 L Delta_0 <= eps^2, x_0 is eps-stationary (app:sharp-trivial) and T = M = 1. Raises
    :class:`boundcheck.plans.theorem_plan.PlanError` for mu outside (0, eps/L).
    """
    if mu is not None and not 0 < mu < problem.eps / problem.L:
        limit = problem.eps / problem.L
        raise PlanError(
            f"mu = {short(mu)} cannot work: L mu must stay below eps; choose 0 < mu < eps/L = {short(limit)}"
        )
    if stationary(problem):
        return nothing_to_run(problem, mu)
    in_doubles("eps", exact(problem.eps))
    refuse_endless(problem)
    T, shares, M = _best(problem, mu or Fraction(0))
    radius = mu or largest(allowed(problem, T) / problem.L, lambda m: _sufficient(problem, m, T, shares, M))
    if radius is None:
        M += 1
        radius = largest(allowed(problem, T) / problem.L, lambda m: _sufficient(problem, m, T, shares, M))
    if radius is None:
        raise no_radius(problem)
    require_met(problem, STATEMENT, mu=radius, T=T, eta=allowed(problem, T), M=M, **shares._asdict())
    at = _at(problem, radius, T, 256, M=M, **shares._asdict())
    with ctx.workprec(320):
        deviation = exact(at.of(_DEVIATION.lhs)) + exact(problem.L * radius)
    return SharpPlan(
        problem=problem,
        statement=STATEMENT,
        mu=radius,
        mu_chosen=mu is None,
        T=T,
        M=M,
        alpha=at.rational("alpha"),
        tau=in_doubles("tau", at.ball("tau")),
        theta1=float(shares.theta1),
        theta2=float(shares.theta2),
        eta=in_doubles("eta", deviation),
        eta_target=at.rational("eta"),
        Gamma=at.rational("Gam"),
    )
