"""The parameters that app:sharp-convergence allows, chosen so that the queries 2 M T are least.

The theorem leaves T, the deviation eta, the threshold and the radius free. Search proposes, T by doubles; what is
printed is decided in ball arithmetic from the formulas of the catalogue, and M is the smallest integer for the
threshold found.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from flint import arb, ctx

from boundcheck.paper import formulas
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
    short,
    smallest,
    value,
    within,
)
from boundcheck.plans.thresholds import Clipped, Shares, clipped, estimate, log_batch, propose, refuse_endless

STATEMENT, TRIVIAL = "app:sharp-convergence", "app:sharp-trivial"
_DEVIATION, _ACCURACY = formulas.bound("app:sharp-deviation"), formulas.relation(STATEMENT, "accuracy")
_STATIONARY = formulas.relation(TRIVIAL, "regime")
_LEVEL, _RADIUS, _N = (formulas.value(STATEMENT, symbol) for symbol in ("h", "Gam", "N"))
_DIGITS = 15
_NEIGHBOURS = 2  #: horizons looked at beside the best one of the search
_SEARCH = 1e-4  #: what two searches may differ by in the logarithm of the batch


@dataclass(frozen=True)
class SharpPlan:
    """What app:sharp-convergence allows. ``queries`` is 2 M T; the claim does not rest on the last batch."""

    problem: Problem
    mu: Fraction
    mu_chosen: bool
    T: int
    M: int
    alpha: Fraction
    tau: float
    theta1: float
    theta2: float
    eta: float  #: deviation bound + L mu at these parameters
    eta_target: Fraction
    Gamma: Fraction  #: bound of f(x_t) - f_* along the run
    statement: str

    @property
    def queries(self) -> int:
        """2 M T: two evaluations of F for each direction of each step."""
        return 2 * self.M * self.T

    @property
    def Delta0_bar(self) -> Fraction:
        """bar Delta_0 = Delta_0 + L mu^2/2."""
        return bar_gap(self.problem, self.mu)


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
    return rational(_STATIONARY.lhs, L=problem.L, Delta0=problem.Delta0) <= rational(_STATIONARY.rhs, eps=problem.eps)


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


class _At:
    """The theorem's quantities at one mu, T and eta."""

    def __init__(self, problem: Problem, mu: Fraction, T: int, bits: int):
        self.problem, self.mu, self.T, self.bits = problem, mu, T, bits
        self.eta = allowed(problem, T)
        self.h = value(_LEVEL, bits, T=T, delta=problem.delta)
        self.Gamma = rational(_RADIUS, Delta0=problem.Delta0, T=T, eta=self.eta, L=problem.L)
        self.N = value(_N, bits, L=problem.L, Gam=self.Gamma)

    def reached(self, shares: Shares, M: int) -> arb:
        """deviation bound + L mu."""
        at = clipped(self.problem, self.mu, self.N, shares, self.bits)
        bound = value(
            _DEVIATION,
            self.bits,
            p=self.problem.p,
            d=self.problem.d,
            sigma=self.problem.sigma,
            N=self.N,
            theta=at.theta,
            theta1=shares.theta1,
            theta2=shares.theta2,
            Q=at.Q,
            M=M,
            h=self.h,
        )
        return bound + exact(self.problem.L * self.mu)

    def log_batch(self, at: Clipped) -> float:
        """log of the batch, a real number, that a threshold needs."""
        d = exact(self.problem.d)
        room = exact(self.eta - self.problem.L * self.mu) - at.bias
        return log_batch(d * at.Q**2, d.sqrt() * at.theta + at.Q, self.h, room)

    def proposal(self) -> tuple[Shares, float]:
        """(the shares, log M) that the search proposes."""
        room = exact(self.eta - self.problem.L * self.mu)
        return propose(self.problem, self.mu, self.N, room, self.log_batch)


def _sufficient(problem: Problem, mu: Fraction, T: int, shares: Shares, M: int) -> bool:
    """Whether deviation + L mu <= eta, decided in balls."""

    def excess(bits: int) -> arb:
        at = _At(problem, mu, T, bits)
        return at.reached(shares, M) - exact(at.eta)

    return within(excess, M, "the deviation")


def _log_batch(problem: Problem, mu: Fraction, T: int) -> float:
    """log of the batch, a real number, that T iterates need; of balls only where doubles do not reach."""
    if allowed(problem, T) <= problem.L * mu:
        return math.inf
    with ctx.workprec(160):
        at = _At(problem, mu, T, 128)
        found = estimate(problem, mu, float(at.N), float(at.h), float(at.eta - problem.L * mu))
        return max(0.0, found if math.isfinite(found) else at.proposal()[1])


def _horizons(problem: Problem, mu: Fraction) -> list[int]:
    """The numbers of iterates that may need the fewest queries, which fall, then rise."""
    floor = 2 * problem.L * problem.Delta0 / problem.eps**2
    least = max(2, math.floor(floor) + 1)
    while allowed(problem, least) <= problem.L * mu:  # the radius eats eta at first
        least += max(1, least // 16)
    low, high = least, 2 * least + math.ceil(4 * floor / float(problem.p - 1)) + 16
    batch = cache(lambda T: _log_batch(problem, mu, T))

    def queries(T: int) -> float:
        return math.log(T) + batch(T)

    def rounded(T: int) -> float:  # M is a whole number: at most one more than what is needed
        return queries(T) + math.log1p(math.exp(-batch(T)))

    while high - low > 4:
        a, b = low + (high - low) // 3, high - (high - low) // 3
        low, high = (low, b - 1) if queries(a) <= queries(b) else (a + 1, high)
    centre = min(range(low, high + 1), key=queries)
    near = range(max(2, centre - _NEIGHBOURS), centre + _NEIGHBOURS + 1)
    enough = min(map(rounded, near)) + _SEARCH
    return [T for T in near if queries(T) <= enough]


def _batch(problem: Problem, mu: Fraction, T: int) -> tuple[Shares, int]:
    with ctx.workprec(160):
        shares, log_m = _At(problem, mu, T, 128).proposal()
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
    with ctx.workprec(320):
        at = _At(problem, radius, T, 256)
        tau = in_doubles("tau", clipped(problem, radius, at.N, shares, 256).tau)
        reached = in_doubles("eta", at.reached(shares, M))
    return SharpPlan(
        problem,
        radius,
        mu is None,
        T,
        M,
        1 / problem.L,
        tau,
        float(shares.theta1),
        float(shares.theta2),
        reached,
        at.eta,
        at.Gamma,
        STATEMENT,
    )
