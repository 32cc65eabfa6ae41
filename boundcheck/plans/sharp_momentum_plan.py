"""The parameters that app:sharp-momentum allows, chosen so that the queries 2 M0 + 2 M (T - 1) are few.

Step, horizon, thresholds and the split of eps are free in the theorem. Search proposes; (Init), (Loc), the accuracy
and the bounds G, U, B are decided in ball arithmetic from the formulas of the catalogue.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_UP
from fractions import Fraction
from functools import partial

from flint import arb, ctx

from boundcheck.kernel.formula import Relation
from boundcheck.paper import formulas
from boundcheck.plans.sharp_plan import SharpPlan, nothing_to_run, rounded_root, stationary
from boundcheck.plans.theorem_plan import (
    MomentumPlan,
    PlanError,
    Problem,
    bar_gap,
    decimal,
    exact,
    in_doubles,
    largest,
    met,
    no_radius,
    rational,
    refuse,
    require_met,
    short,
    smallest,
)
from boundcheck.plans.thresholds import Shares, clipped, propose, refuse_endless

STATEMENT = "app:sharp-momentum"
_ACCURACY, _BIAS = (formulas.relation(STATEMENT, name).lhs for name in ("accuracy", "B"))
#: what speaks of no batch
_CONDITIONS: tuple[str | Relation, ...] = (
    *(r for r in formulas.domain(STATEMENT, "alpha") if r.op == "<="), "accuracy", "Loc", "Init", "B",
)  # fmt: skip
_BATCHES = (("U", "M"), ("G", "M0"))  #: the bounds that are met by a batch, and that batch
Free = dict[str, Fraction | int]


@dataclass(frozen=True, kw_only=True)
class SharpMomentumPlan(MomentumPlan):
    """What app:sharp-momentum allows; ``eta_target`` is the U of the theorem."""

    B: Fraction
    G: Fraction


def step_size(L: Fraction, beta: Fraction) -> Fraction:
    """The largest alpha, rounded down, with alpha <= 1/(4 L) and alpha <= (1 - beta)/(4 sqrt(3) beta L)."""
    square = (1 - beta) ** 2 / (48 * beta**2 * L**2)
    return min(1 / (4 * L), rounded_root(square))


def _split(problem: Problem, beta: Fraction, mu: Fraction) -> tuple[int, Fraction, Fraction]:
    """(T, alpha, s): the smallest T for which (Loc) with equality meets the accuracy.

    s = bar Delta_0/((T-1) alpha) is the largest share U^2 + 4 B^2 that (Loc) allows; a longer run makes it smaller.
    """
    alpha, gap = step_size(problem.L, beta), bar_gap(problem, mu)

    def share(T: int) -> Fraction:
        return gap / ((T - 1) * alpha)

    def meets(T: int) -> bool:  # 4 U^2 + 16 B^2 of the accuracy is 4 s
        rest = rational(_ACCURACY, Dbar=gap, alpha=alpha, T=T, U=0, B=0, L=problem.L, mu=mu)
        return rest + 4 * share(T) <= problem.eps**2

    T = smallest(4, meets)
    return T, alpha, share(T)


def _running(problem: Problem, beta: Fraction, mu: Fraction, T: int, s: Fraction) -> tuple[Shares, Fraction]:
    """The running shares and B, rounded up, which fixes U."""
    with ctx.workprec(160):
        at = problem.at(STATEMENT, 128, mu=mu, T=T)
        N, room = at.ball("N"), exact(s)

        def left(bias: arb) -> arb:
            square = room - 4 * bias * bias
            return square.sqrt() if square > 0 else arb(0)

        scales = ((1 - beta) / (1 + beta), 1 - beta)
        shares, _ = propose(problem, mu, N, at.ball("h"), room.sqrt() / 2, left, scales)
        bias = exact(clipped(problem, mu, N, *shares, 128).of(_BIAS))
        # a little above: enclosures of its integral are that wide
        top = (bias * (1 + arb(2) ** -50)).upper().fmpq()
        return shares, Fraction(decimal(Fraction(int(top.p), int(top.q)), 18, ROUND_UP))


def _start(problem: Problem, mu: Fraction, G: Fraction) -> Shares:
    """The shares of the first batch."""
    with ctx.workprec(160):
        at = problem.at(STATEMENT, 128, mu=mu)
        return propose(problem, mu, at.ball("N0"), at.ball("h0"), exact(G))[0]


def _met(problem: Problem, mu: Fraction, free: Free, hypothesis: str | Relation, size: int = 1) -> bool:
    return met(problem, STATEMENT, hypothesis, size, "a bound", mu=mu, **free)


def _largest_start(problem: Problem, mu: Fraction, free: Free) -> Fraction:
    """The largest G, to about nine digits, with (Init)."""

    def allows(G: Fraction) -> bool:
        return _met(problem, mu, free | {"G": G}, "Init")

    low, high = Fraction(0), 4 * problem.eps + 4 * rounded_root(bar_gap(problem, mu) * problem.L)
    if not allows(low):
        raise PlanError("(Init) fails even without a start error: the bias B is too large; choose a smaller mu")
    while allows(high):
        low, high = high, 2 * high
    for _ in range(32):
        middle = (low + high) / 2
        low, high = (middle, high) if allows(middle) else (low, middle)
    return low


def _holds(problem: Problem, mu: Fraction, free: Free) -> bool:
    """Whether every condition of the theorem holds at ``mu`` with these numbers."""
    plain = all(_met(problem, mu, free, r) for r in _CONDITIONS)
    return plain and all(_met(problem, mu, free, name, int(free[batch])) for name, batch in _BATCHES)


def _search(problem: Problem, beta: Fraction, mu: Fraction) -> Free:
    """All that the theorem leaves free but mu, by its names."""
    T, alpha, s = _split(problem, beta, mu)
    shares, B = _running(problem, beta, mu, T, s)
    free: Free = {"beta": beta, "T": T, "alpha": alpha, "B": B, "U": rounded_root(s - 4 * B * B), **shares._asdict()}
    G = _largest_start(problem, mu, free)
    first = _start(problem, mu, G)
    free |= {"G": G, "theta10": first.theta1, "theta20": first.theta2}

    def enough(name: str, batch: str, M: int) -> bool:
        return _met(problem, mu, free | {batch: M}, name, M)

    return free | {batch: smallest(1, partial(enough, name, batch)) for name, batch in _BATCHES}


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
    free = _search(problem, beta, mu if mu is not None else top / 2**80)
    radius = mu if mu is not None else largest(top, lambda m: _holds(problem, m, free))
    if radius is None:
        raise no_radius(problem)
    if not _holds(problem, radius, free):
        raise PlanError(
            f"mu = {short(radius)}: no split of eps was found that meets every condition; choose a smaller mu"
        )
    require_met(problem, STATEMENT, mu=radius, **free)
    at = problem.at(STATEMENT, 256, mu=radius, **free)
    U = at.rational("U")
    return SharpMomentumPlan(
        problem=problem,
        statement=STATEMENT,
        beta=beta,
        mu=radius,
        mu_chosen=mu is None,
        T=int(free["T"]),
        M=int(free["M"]),
        M0=int(free["M0"]),
        alpha=at.rational("alpha"),
        tau=in_doubles("tau", at.ball("tau")),
        tau0=in_doubles("tau0", at.ball("tau0")),
        eta=float(U),
        eta_target=U,
        B=at.rational("B"),
        G=at.rational("G"),
    )
