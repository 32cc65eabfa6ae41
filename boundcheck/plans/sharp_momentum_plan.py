"""The parameters that app:sharp-momentum allows, chosen so that the queries 2 M0 + 2 M (T - 1) are few.

Step, horizon, thresholds and the split of eps are free in the theorem. Search proposes; (Init), (Loc), the accuracy
and the bounds G, U, B are decided in ball arithmetic from the formulas of the catalogue.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_UP
from fractions import Fraction

from flint import arb, ctx

from boundcheck.kernel.enclosure import balls
from boundcheck.paper import formulas
from boundcheck.plans.sharp_plan import SharpPlan, nothing_to_run, rounded_root, stationary
from boundcheck.plans.theorem_plan import (
    At,
    MomentumPlan,
    Number,
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
    short,
    smallest,
)
from boundcheck.plans.thresholds import Shares, clipped, propose, refuse_endless

STATEMENT = "app:sharp-momentum"
_ACCURACY, _BIAS = (formulas.relation(STATEMENT, name).lhs for name in ("accuracy", "B"))
_STEP = tuple(r for r in formulas.domain(STATEMENT, "alpha") if r.op == "<=")
_BITS = 256


@dataclass(frozen=True, kw_only=True)
class SharpMomentumPlan(MomentumPlan):
    """What app:sharp-momentum allows."""

    U: Fraction
    B: Fraction
    G: Fraction


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
        rest = rational(_ACCURACY, Dbar=gap, alpha=alpha, T=T, U=0, B=0, L=problem.L, mu=mu)
        return rest + 4 * share(T) <= problem.eps**2

    T = smallest(4, meets)
    return _Split(T, alpha, share(T))


def _running(problem: Problem, beta: Fraction, mu: Fraction, split: _Split) -> tuple[Shares, Fraction]:
    """The running shares and B, rounded up, which fixes U."""
    with ctx.workprec(160):
        at = problem.at(STATEMENT, 128, mu=mu, T=split.T)
        N, room = at.ball("N"), exact(split.s)

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


def _init_holds(problem: Problem, beta: Fraction, mu: Fraction, split: _Split, B: Fraction, G: Fraction) -> bool:
    return met(problem, STATEMENT, "Init", 1, "(Init)", beta=beta, mu=mu, alpha=split.alpha, B=B, G=G)


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

    def numbers(self, beta: Fraction, mu: Fraction) -> dict[str, Number]:
        """All that the theorem leaves free, by its names."""
        starting = dict(zip(("theta10", "theta20"), self.shares0, strict=True))
        own: dict[str, Number] = {name: getattr(self, name) for name in ("U", "B", "G", "M", "M0")}
        split: dict[str, Number] = {"T": self.split.T, "alpha": self.split.alpha, "beta": beta, "mu": mu}
        return split | own | self.shares._asdict() | starting

    def at(self, problem: Problem, beta: Fraction, mu: Fraction) -> At:
        """The theorem's quantities at these numbers."""
        return problem.at(STATEMENT, _BITS, **self.numbers(beta, mu))

    def holds(self, problem: Problem, beta: Fraction, mu: Fraction) -> bool:
        """Whether every condition of the theorem holds at ``mu`` with these numbers."""
        numbers = {"alpha": self.split.alpha, "beta": beta, "L": problem.L}
        if not all(balls.sign_at(r.rhs - r.lhs, numbers, _BITS) in (0, 1) for r in _STEP):
            return False
        sizes = {"accuracy": 1, "Loc": 1, "Init": 1, "B": 1, "U": self.M, "G": self.M0}
        free = self.numbers(beta, mu)
        return all(met(problem, STATEMENT, name, M, "a bound", **free) for name, M in sizes.items())


def _search(problem: Problem, beta: Fraction, mu: Fraction) -> _Found:
    split = _split(problem, beta, mu)
    shares, B = _running(problem, beta, mu, split)
    U = rounded_root(split.s - 4 * B * B)
    G = _largest_start(problem, beta, mu, split, B)
    shares0 = _start(problem, mu, G)

    def enough(name: str, M: int) -> bool:
        free = _Found(split, shares, shares0, U, B, G, M, M).numbers(beta, mu)
        return met(problem, STATEMENT, name, M, "a bound", **free)

    M, M0 = (smallest(1, lambda M, name=name: enough(name, M)) for name in ("U", "G"))  # type: ignore[misc]
    return _Found(split, shares, shares0, U, B, G, M, M0)


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
    at = found.at(problem, beta, radius)
    return SharpMomentumPlan(
        problem=problem,
        statement=STATEMENT,
        beta=beta,
        mu=radius,
        mu_chosen=mu is None,
        T=found.split.T,
        M=found.M,
        M0=found.M0,
        alpha=found.split.alpha,
        tau=in_doubles("tau", at.ball("tau")),
        tau0=in_doubles("tau0", at.ball("tau0")),
        eta=float(found.U),
        eta_target=found.U,
        U=found.U,
        B=found.B,
        G=found.G,
    )
