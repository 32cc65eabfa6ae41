"""The parameters that thm:momentum-main prescribes with its explicit constants: T, M, M0, tau, tau0, alpha, mu.

All formulas are those of the catalogue, the integers are decided in ball arithmetic.
"""

from __future__ import annotations

import math
from fractions import Fraction

from boundcheck.paper import formulas
from boundcheck.plans.theorem_plan import (
    MomentumPlan,
    PlanError,
    Problem,
    ceiling,
    in_doubles,
    largest,
    met,
    no_radius,
    rational,
    refuse,
    refuse_trivial,
    require_met,
    short,
    smallest,
)

STATEMENT = "thm:momentum-main"
_RADIUS, _TARGET = (formulas.relation(STATEMENT, name).rhs for name in ("radius", "U small"))


def _horizon(problem: Problem, beta: Fraction, mu: Fraction) -> int:
    return ceiling(problem.at(STATEMENT, 256, beta=beta, mu=mu)["T"])


def _holds(problem: Problem, beta: Fraction, mu: Fraction, T: int, M: int, which: str) -> bool:
    """Whether one of the accuracy conditions G <= eps/2, U <= eps/13, B <= eps/13 holds at M, decided in balls."""
    return met(problem, STATEMENT, f"{which} small", M, which, beta=beta, mu=mu, T=T, M=M, M0=M)


def _integers(problem: Problem, beta: Fraction, mu: Fraction) -> tuple[int, int, int]:
    """(T, M, M0), each the smallest that the theorem allows at ``mu``."""
    T = _horizon(problem, beta, mu)
    ratios = problem.at(STATEMENT, 256, beta=beta, T=T, M=1, M0=1)  # q and q0, at most 1 at the batches M and M0
    least, least0 = ceiling(ratios["q"]), ceiling(ratios["q0"])
    clipped = smallest(least, lambda M: _holds(problem, beta, mu, T, M, "B"))
    M = smallest(clipped, lambda M: _holds(problem, beta, mu, T, M, "U"))
    M0 = smallest(least0, lambda M: _holds(problem, beta, mu, T, M, "G"))
    return T, M, M0


def plan_momentum(problem: Problem, beta: Fraction, mu: Fraction | None = None) -> MomentumPlan:
    """T, M, M0, tau, tau0, alpha (and mu, where it is not given) of thm:momentum-main for ``problem``.

    Raises :class:`PlanError` for beta outside [1/2, 1), mu outside (0, eps/(4 L d)] and in the
    trivial regime eps^2 > 32 L bar Delta_0.
    """
    refuse({"beta": beta})
    top = rational(_RADIUS, eps=problem.eps, L=problem.L, d=problem.d)
    radius = mu
    if radius is None:
        least = _integers(problem, beta, top / 2**200)
        radius = largest(top, lambda m: _still(problem, beta, m, *least))
        if radius is None:
            raise no_radius(problem)
    if not 0 < radius <= top:
        raise PlanError(f"mu = {short(radius)} cannot work; choose 0 < mu <= eps/(4 L d) = {short(top)}")
    refuse_trivial(problem, radius)
    T, M, M0 = _integers(problem, beta, radius)
    require_met(problem, STATEMENT, beta=beta, mu=radius, T=T, M=M, M0=M0)
    at = problem.at(STATEMENT, 256, beta=beta, mu=radius, T=T, M=M, M0=M0)
    return MomentumPlan(
        problem=problem,
        statement=STATEMENT,
        beta=beta,
        mu=radius,
        mu_chosen=mu is None,
        T=T,
        M=M,
        M0=M0,
        alpha=in_doubles("alpha", at.ball("alpha")),
        tau=in_doubles("tau", at.ball("tau"), math.inf),
        tau0=in_doubles("tau0", at.ball("tau0"), math.inf),
        eta=in_doubles("eta", at.ball("U")),
        eta_target=rational(_TARGET, eps=problem.eps),
    )


def _still(problem: Problem, beta: Fraction, mu: Fraction, T: int, M: int, M0: int) -> bool:
    """Whether the integers are still the least ones at ``mu``."""
    if _horizon(problem, beta, mu) != T:
        return False
    return all(_holds(problem, beta, mu, T, m, which) for m, which in ((M, "B"), (M, "U"), (M0, "G")))
