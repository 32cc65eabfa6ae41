"""The parameters that app:sharp-momentum allows, chosen so that the queries 2 M0 + 2 M (T - 1) are few.

Step, horizon, thresholds and the split of eps are free in the theorem. Search proposes; (Init), (Loc), the accuracy
and the bounds G, U, B are decided in ball arithmetic from the formulas of the catalogue.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_UP
from fractions import Fraction

from flint import arb, ctx

from boundcheck.kernel.enclosure import balls
from boundcheck.paper import formulas
from boundcheck.plans.sharp_plan import SharpPlan, nothing_to_run, rounded_root, stationary
from boundcheck.plans.theorem_plan import (
    PlanError,
    Problem,
    bar_gap,
    decimal,
    exact,
    in_doubles,
    largest,
    no_radius,
    rational,
    refuse,
    short,
    smallest,
    value,
    within,
)
from boundcheck.plans.thresholds import Clipped, Shares, clipped, log_batch, propose, refuse_endless

STATEMENT = "app:sharp-momentum"
FLUCTUATION, START, RUN = "app:sharp-fluctuation", "app:sharp-start", "thm:momentum-localized-convergence"
_U, _START, _FINAL = map(formulas.bound, (FLUCTUATION, START, RUN))
_INIT, _LOC = formulas.relation(RUN, "Init"), formulas.relation(RUN, "Loc")
_STEP = tuple(r for r in formulas.domain(RUN, "alpha") if r.op == "<=")
_H = formulas.value(RUN, "Hmu")
_N, _LEVEL = formulas.value(FLUCTUATION, "N"), formulas.value(FLUCTUATION, "h")
_N0, _LEVEL0 = formulas.value(START, "N0"), formulas.value(START, "h0")
_BITS = 256


@dataclass(frozen=True)
class SharpMomentumPlan:
    """What app:sharp-momentum allows. ``queries`` is 2 M0 + 2 M (T - 1)."""

    problem: Problem
    beta: Fraction
    mu: Fraction
    mu_chosen: bool
    T: int
    M: int
    M0: int
    alpha: Fraction
    tau: float
    tau0: float
    U: Fraction
    B: Fraction
    G: Fraction
    statement: str = STATEMENT

    @property
    def queries(self) -> int:
        """2 M0 + 2 M (T - 1): two evaluations of F for each direction of each step."""
        return 2 * self.M0 + 2 * self.M * (self.T - 1)


@dataclass(frozen=True)
class _Split:
    """T and the exact share s = U^2 + 4 B^2 that (Loc) and the accuracy leave."""

    T: int
    alpha: Fraction
    s: Fraction


def step_size(L: Fraction, beta: Fraction) -> Fraction:
    """The largest alpha, rounded down, with alpha <= 1/(4 L) and alpha <= (1 - beta)/(4 sqrt(3) beta L)."""
    square = (1 - beta) ** 2 / (48 * beta**2 * L**2)
    return min(1 / (4 * L), rounded_root(square))


def _split(problem: Problem, beta: Fraction, mu: Fraction) -> _Split:
    """The smallest T for which (Loc) with equality meets the accuracy, and s there.

    s = bar Delta_0/((T-1) alpha) is the largest share that (Loc) allows; a longer run makes it smaller.
    """
    alpha, gap = step_size(problem.L, beta), bar_gap(problem, mu)

    def share(T: int) -> Fraction:
        return gap / ((T - 1) * alpha)

    def meets(T: int) -> bool:  # 4 U^2 + 16 B^2 of the accuracy is 4 s
        rest = rational(_FINAL, Dbar=gap, alpha=alpha, T=T, U=0, B=0, L=problem.L, mu=mu)
        return rest + 4 * share(T) <= problem.eps**2

    T = smallest(4, meets)
    return _Split(T, alpha, share(T))


class _At:
    """The theorem's quantities at one mu, T and precision."""

    def __init__(self, problem: Problem, beta: Fraction, mu: Fraction, T: int, bits: int):
        self.problem, self.beta, self.mu, self.T, self.bits = problem, beta, mu, T, bits
        self.gap = bar_gap(problem, mu)
        self.N = value(_N, bits, L=problem.L, Dbar=self.gap)
        self.N0 = value(_N0, bits, L=problem.L, Dbar=self.gap)
        self.h = value(_LEVEL, bits, T=T, delta=problem.delta)
        self.h0 = value(_LEVEL0, bits, delta=problem.delta)

    def fluctuation(self, at: Clipped, M: int) -> arb:
        return value(_U, self.bits, beta=self.beta, d=self.problem.d, M=M, theta=at.theta, Q=at.Q, h=self.h)

    def start(self, at: Clipped, shares: Shares, M0: int) -> arb:
        q = self.problem
        named = {"theta10": shares.theta1, "theta20": shares.theta2}
        return value(
            _START,
            self.bits,
            p=q.p,
            d=q.d,
            sigma=q.sigma,
            N0=self.N0,
            theta0=at.theta,
            Q0=at.Q,
            M0=M0,
            h0=self.h0,
            **named,
        )

    def running(self, shares: Shares) -> Clipped:
        return clipped(self.problem, self.mu, self.N, shares, self.bits)

    def starting(self, shares: Shares) -> Clipped:
        return clipped(self.problem, self.mu, self.N0, shares, self.bits)


def _proposals(problem: Problem, beta: Fraction, mu: Fraction, split: _Split) -> tuple[Shares, Fraction]:
    """The running shares and B, rounded up, which fixes U."""
    with ctx.workprec(160):
        at = _At(problem, beta, mu, split.T, 128)
        d = exact(problem.d)

        def batch(found: Clipped) -> float:
            left = exact(split.s) - 4 * found.bias * found.bias
            if not left > 0:
                return math.inf
            V = exact((1 - beta) / (1 + beta)) * d * found.Q**2
            R = exact(1 - beta) * (d.sqrt() * found.theta + found.Q)
            return log_batch(V, R, at.h, left.sqrt())

        shares, _ = propose(problem, mu, at.N, exact(split.s).sqrt() / 2, batch)
        return shares, _above(at.running(shares).bias)


def _start_proposal(problem: Problem, beta: Fraction, mu: Fraction, split: _Split, G: Fraction) -> Shares:
    with ctx.workprec(160):
        at = _At(problem, beta, mu, split.T, 128)
        d = exact(problem.d)

        def batch(found: Clipped) -> float:
            return log_batch(d * found.Q**2, d.sqrt() * found.theta + found.Q, at.h0, exact(G) - found.bias)

        return propose(problem, mu, at.N0, exact(G), batch)[0]


def _above(x: arb) -> Fraction:
    """A rational a little above ``x`` > 0."""
    top = (x * (1 + arb(2) ** -50)).upper().fmpq()  # enclosures of its integral are that wide
    return Fraction(decimal(Fraction(int(top.p), int(top.q)), 18, ROUND_UP))


def _init_holds(problem: Problem, beta: Fraction, mu: Fraction, split: _Split, B: Fraction, G: Fraction) -> bool:
    with ctx.workprec(_BITS + 64):
        H = value(_H, _BITS, L=problem.L, Delta0=problem.Delta0, mu=mu)
        env: dict[str, arb | Fraction | int] = {
            "alpha": split.alpha,
            "G": G,
            "beta": beta,
            "L": problem.L,
            "Hmu": H,
            "B": B,
        }
        left = value(_INIT.lhs, _BITS, **env)
        return bool(left <= exact(bar_gap(problem, mu)))


def _largest_start(problem: Problem, beta: Fraction, mu: Fraction, split: _Split, B: Fraction) -> Fraction:
    """The largest G, to about nine digits, with (Init)."""
    high = 4 * problem.eps + 4 * rounded_root(bar_gap(problem, mu) * problem.L)
    low = Fraction(0)
    if not _init_holds(problem, beta, mu, split, B, low):
        raise PlanError("(Init) fails even without a start error: the bias B is too large; choose a smaller mu")
    while _init_holds(problem, beta, mu, split, B, high):
        low, high = high, 2 * high
    for _ in range(32):
        middle = (low + high) / 2
        low, high = (middle, high) if _init_holds(problem, beta, mu, split, B, middle) else (low, middle)
    return low


def _decided(problem: Problem, beta: Fraction, mu: Fraction, T: int, M: int, excess: Callable[[_At], arb]) -> bool:
    """Whether excess(at) <= 0."""
    return within(lambda bits: excess(_At(problem, beta, mu, T, bits)), M, "a bound")


@dataclass(frozen=True)
class _Found:
    split: _Split
    shares: Shares
    shares0: Shares
    U: Fraction
    B: Fraction
    G: Fraction
    M: int
    M0: int

    def holds(self, problem: Problem, beta: Fraction, mu: Fraction) -> bool:
        """Whether every condition of the theorem holds at ``mu`` with these numbers."""
        split, T = self.split, self.split.T
        gap = bar_gap(problem, mu)
        numbers = {"alpha": split.alpha, "beta": beta, "L": problem.L}
        stepped = all(balls.sign_at(r.rhs - r.lhs, numbers, _BITS) in (0, 1) for r in _STEP)
        with ctx.workprec(_BITS + 64):
            accurate = bool(
                value(_FINAL, _BITS, Dbar=gap, alpha=split.alpha, T=T, U=self.U, B=self.B, L=problem.L, mu=mu)
                <= exact(problem.eps**2)
            )
            local = bool(value(_LOC.lhs, _BITS, T=T, alpha=split.alpha, U=self.U, B=self.B) <= exact(gap))
        return (
            stepped
            and accurate
            and local
            and _init_holds(problem, beta, mu, split, self.B, self.G)
            and _decided(problem, beta, mu, T, 1, lambda at: at.running(self.shares).bias - exact(self.B))
            and _decided(
                problem,
                beta,
                mu,
                T,
                self.M,
                lambda at: at.fluctuation(at.running(self.shares), self.M) - exact(self.U),
            )
            and _decided(
                problem,
                beta,
                mu,
                T,
                self.M0,
                lambda at: at.start(at.starting(self.shares0), self.shares0, self.M0) - exact(self.G),
            )
        )


def _search(problem: Problem, beta: Fraction, mu: Fraction) -> _Found:
    split = _split(problem, beta, mu)
    shares, B = _proposals(problem, beta, mu, split)
    U = rounded_root(split.s - 4 * B * B)
    G = _largest_start(problem, beta, mu, split, B)
    shares0 = _start_proposal(problem, beta, mu, split, G)

    def enough(M: int) -> bool:
        return _decided(problem, beta, mu, split.T, M, lambda at: at.fluctuation(at.running(shares), M) - exact(U))

    def enough0(M0: int) -> bool:
        return _decided(
            problem, beta, mu, split.T, M0, lambda at: at.start(at.starting(shares0), shares0, M0) - exact(G)
        )

    return _Found(split, shares, shares0, U, B, G, smallest(1, enough), smallest(1, enough0))


def plan_sharp_momentum(problem: Problem, beta: Fraction, mu: Fraction | None = None) -> SharpMomentumPlan | SharpPlan:
    """T, M, M0, tau, tau0, alpha (and mu, where it is not given) of app:sharp-momentum for ``problem``.

    Where 2 L Delta_0 <= eps^2 nothing need be run and the plan is that of the base method. Raises
    :class:`boundcheck.plans.theorem_plan.PlanError` for beta outside [1/2, 1) and mu outside (0, eps/(2 L)).
    """
    refuse({"beta": beta})
    top = problem.eps / (2 * problem.L)
    if mu is not None and not 0 < mu < top:
        raise PlanError(f"mu = {short(mu)} cannot work; choose 0 < mu < eps/(2 L) = {short(top)}")
    if stationary(problem):
        return nothing_to_run(problem, mu)
    in_doubles("eps", exact(problem.eps))
    refuse_endless(problem, 1 - beta)
    found = _search(problem, beta, mu if mu is not None else top / 2**80)
    radius = mu
    if radius is None:
        radius = largest(top, lambda m: found.holds(problem, beta, m))
    if radius is None:
        raise no_radius(problem)
    if not found.holds(problem, beta, radius):
        raise PlanError(
            f"mu = {short(radius)}: no split of eps was found that meets every condition; choose a smaller mu"
        )
    with ctx.workprec(320):
        at = _At(problem, beta, radius, found.split.T, _BITS)
        tau = in_doubles("tau", at.running(found.shares).tau)
        tau0 = in_doubles("tau0", at.starting(found.shares0).tau)
    return SharpMomentumPlan(
        problem,
        beta,
        radius,
        mu is None,
        found.split.T,
        found.M,
        found.M0,
        found.split.alpha,
        tau,
        tau0,
        found.U,
        found.B,
        found.G,
    )
