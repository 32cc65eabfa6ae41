"""The parameters that thm:momentum-main prescribes with its explicit constants: T, M, M0, tau, tau0, alpha, mu.

All formulas are those of the catalogue, the integers are decided in ball arithmetic.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx

from boundcheck.kernel.formula import Expr
from boundcheck.paper import formulas
from boundcheck.plans.theorem_plan import (
    SCALE,
    PlanError,
    Problem,
    bar_gap,
    ceiling,
    exact,
    in_doubles,
    largest,
    no_radius,
    rational,
    refuse,
    refuse_trivial,
    short,
    smallest,
    value,
    within,
)

STATEMENT, WARM = "cor:momentum-complexity", "lem:momentum-warm-start"
BIAS, FLUCTUATION = "lem:momentum-onestep-bias", "lem:momentum-stopped-fluctuation"
_U, _B, _G = map(formulas.bound, (FLUCTUATION, BIAS, WARM))


@dataclass(frozen=True)
class MomentumPlan:
    """What the theorem prescribes. ``queries`` is 2 M0 + 2 M (T - 1)."""

    problem: Problem
    beta: Fraction
    mu: Fraction
    mu_chosen: bool
    T: int
    M: int
    M0: int
    alpha: float
    tau: float
    tau0: float
    U: float
    U_target: Fraction
    Delta0_bar: Fraction

    @property
    def queries(self) -> int:
        """2 M0 + 2 M (T - 1): two evaluations of F for each direction of each step."""
        return 2 * self.M0 + 2 * self.M * (self.T - 1)


_T, _ALPHA = formulas.value(STATEMENT, "T"), formulas.value(STATEMENT, "alpha")
_RADIUS = formulas.relation(STATEMENT, "radius").rhs
_LAMBDA, _TAU = formulas.value(FLUCTUATION, "lam"), formulas.value(FLUCTUATION, "tau")
_LAMBDA0, _TAU0 = formulas.value(WARM, "lam0"), formulas.value(WARM, "tau0")
_LIMITS = {name: formulas.relation(STATEMENT, name).rhs for name in ("G small", "U small", "B small")}


class _At:
    """The theorem's quantities at one mu, beta and precision."""

    def __init__(self, problem: Problem, beta: Fraction, mu: Fraction, bits: int):
        self.problem, self.beta, self.mu, self.bits = problem, beta, mu, bits
        self.gap = bar_gap(problem, mu)
        self.scale = value(SCALE, bits, L=problem.L, Dbar=self.gap, sigma=problem.sigma, d=problem.d, mu=mu)

    def horizon(self) -> int:
        found = value(_T, self.bits, L=self.problem.L, Dbar=self.gap, beta=self.beta, eps=self.problem.eps)
        return ceiling(found)

    def scales(self, T: int) -> tuple[arb, arb]:
        """((1 - beta) lambda, lambda_0)."""
        lam = value(_LAMBDA, self.bits, T=T, delta=self.problem.delta)
        return exact(1 - self.beta) * lam, value(_LAMBDA0, self.bits, delta=self.problem.delta)

    def excess(self, bound: Expr, name: str, ratio: str, scale: arb, M: int) -> arb:
        """bound(M) minus its limit, with the ratio scale/M put for ``ratio``."""
        q = scale / exact(M)
        limit = value(_LIMITS[name], self.bits, eps=self.problem.eps)
        return value(bound, self.bits, p=self.problem.p, d=self.problem.d, S=self.scale, **{ratio: q}) - limit


def _holds(problem: Problem, beta: Fraction, mu: Fraction, T: int, M: int, which: str) -> bool:
    """Whether one of the accuracy conditions G <= eps/2, U <= eps/13, B <= eps/13 holds at M, decided in balls."""
    bound, name, ratio = {"U": (_U, "U small", "q"), "B": (_B, "B small", "q"), "G": (_G, "G small", "q0")}[which]

    def excess(bits: int) -> arb:
        at = _At(problem, beta, mu, bits)
        running, start = at.scales(T)
        return at.excess(bound, name, ratio, start if which == "G" else running, M)

    return within(excess, M, which)


def _integers(problem: Problem, beta: Fraction, mu: Fraction) -> tuple[int, int, int]:
    """(T, M, M0), each the smallest that the theorem allows at ``mu``."""
    with ctx.workprec(320):
        at = _At(problem, beta, mu, 256)
        T = at.horizon()
        running, start = at.scales(T)
        least, least0 = ceiling(running), ceiling(start)
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
    chosen = mu is None
    if mu is None:
        T, M, M0 = _integers(problem, beta, top / 2**200)
        mu = largest(top, lambda m: _integers_at_most(problem, beta, m, (T, M, M0)))
        if mu is None:
            raise no_radius(problem)
    if not 0 < mu <= top:
        raise PlanError(f"mu = {short(mu)} cannot work; choose 0 < mu <= eps/(4 L d) = {short(top)}")
    gap = bar_gap(problem, mu)
    refuse_trivial(problem, gap)
    T, M, M0 = _integers(problem, beta, mu)
    with ctx.workprec(320):
        at = _At(problem, beta, mu, 256)
        running, start = at.scales(T)
        lam = running / exact(1 - beta)
        tau = value(_TAU, 256, S=at.scale, M=M, beta=beta, lam=lam, p=problem.p)
        tau0 = value(_TAU0, 256, S=at.scale, M0=M0, lam0=start, p=problem.p)
        alpha = value(_ALPHA, 256, beta=beta, L=problem.L)
        reached = value(_U, 256, p=problem.p, d=problem.d, S=at.scale, q=running / exact(M))
    return MomentumPlan(
        problem=problem,
        beta=beta,
        mu=mu,
        mu_chosen=chosen,
        T=T,
        M=M,
        M0=M0,
        alpha=in_doubles("alpha", alpha),
        tau=in_doubles("tau", tau, math.inf),
        tau0=in_doubles("tau0", tau0, math.inf),
        U=in_doubles("eta", reached),
        U_target=rational(_LIMITS["U small"], eps=problem.eps),
        Delta0_bar=gap,
    )


def _integers_at_most(problem: Problem, beta: Fraction, mu: Fraction, least: tuple[int, int, int]) -> bool:
    """Whether the integers at ``mu`` are still the least ones."""
    T, M, M0 = least
    with ctx.workprec(320):
        if _At(problem, beta, mu, 256).horizon() != T:
            return False
    return all(_holds(problem, beta, mu, T, m, which) for m, which in ((M, "B"), (M, "U"), (M0, "G")))
