"""The parameters that Theorem thm:hp-shared-clipped prescribes for a given problem: T, M, tau, alpha, mu.

All formulas are those of the catalogue; numbers are decided in ball arithmetic, so the integers are exact
however large. eta need not be monotone in M: with y = M/lambda and q = p/(p-1) the factor
y^(-1/q) sqrt(1 + log y) rises until log y = q/2 - 1 and falls from there on.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_UP, Decimal, localcontext
from fractions import Fraction

from flint import arb, ctx, fmpq

from boundcheck.kernel.enclosure import balls
from boundcheck.kernel.formula import Expr
from boundcheck.paper import formulas
from boundcheck.system.exits import Unusable

STATEMENT = "thm:hp-shared-clipped"
SCALE, _BAR, _HORIZON = (formulas.value(STATEMENT, symbol) for symbol in ("S", "Dbar", "T"))
_LAMBDA, _TAU, _ALPHA, _ETA0, _ETA = (
    formulas.value(STATEMENT, symbol) for symbol in ("lam", "tau", "alpha", "eta0", "eta")
)
_REGIME, _LIMIT = (formulas.relation(STATEMENT, name).rhs for name in ("regime", "accuracy"))
PRECISIONS = (128, 256, 512, 1024)
LARGEST = 2**4096  #: beyond it no batch is looked for: p is so near 1 that no plan can be run
#: what to do where numbers leave the doubles
OTHER_UNIT = "choose another unit of f: L, Delta0, sigma and eps times one factor leave T and M as they are"
_HALVINGS = 600
_SMALL = Fraction(1, 2**200)  #: of the largest radius: as good as none for the integers


class PlanError(Unusable):
    """A problem that no parameters can satisfy, or unusable numbers; the text says why and what would do."""


#: name -> whether a value can be used, and what to choose; of mu and beta as far as it depends on nothing else
_DOMAINS: dict[str, tuple[Callable[[Fraction | int], bool], str]] = {
    "p": (lambda x: 1 < x <= 2, "1 < p <= 2"),
    "d": (lambda x: x >= 1 and x.denominator == 1, "a whole number d >= 1"),
    "L": (lambda x: x > 0, "L > 0"),
    "Delta0": (lambda x: x >= 0, "Delta0 >= 0"),
    "sigma": (lambda x: x > 0, "sigma > 0"),
    "eps": (lambda x: x > 0, "eps > 0"),
    "delta": (lambda x: 0 < x <= 1, "0 < delta <= 1"),
    "mu": (lambda x: x > 0, "mu > 0"),
    "beta": (lambda x: Fraction(1, 2) <= x < 1, "1/2 <= beta < 1"),
}


def outside(numbers: Mapping[str, Fraction | int]) -> list[str]:
    """What is wrong with the values of a problem's numbers, of mu and of beta: a line for each that is unusable."""
    bad = [
        (name, numbers[name], words)
        for name, (good, words) in _DOMAINS.items()
        if name in numbers and not good(numbers[name])
    ]
    return [f"{name} = {_told(x)} is outside its domain; choose {words}" for name, x, words in bad]


def _told(x: Fraction | int) -> str:
    """A number as a decimal where six digits are all of it, else as a fraction."""
    return short(x) if Fraction(short(x)) == x else str(x)


def refuse(numbers: Mapping[str, Fraction | int]) -> None:
    """Raise :class:`PlanError` where one of the numbers is unusable."""
    faults = outside(numbers)
    if faults:
        raise PlanError(faults)


@dataclass(frozen=True)
class Problem:
    """p in (1, 2], d >= 1, L > 0, Delta0 >= 0, sigma > 0, eps > 0, delta in (0, 1], all exact rationals."""

    p: Fraction
    d: int
    L: Fraction
    Delta0: Fraction
    sigma: Fraction
    eps: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        refuse({name: getattr(self, name) for name in Problem.__dataclass_fields__})


@dataclass(frozen=True)
class Plan:
    """What the theorem prescribes. ``queries`` is 2 M T; ``mu_chosen`` says that mu minimises it."""

    problem: Problem
    mu: Fraction
    mu_chosen: bool
    T: int
    M: int
    alpha: Fraction
    tau: float
    eta: float
    eta_target: Fraction
    Delta0_bar: Fraction

    @property
    def queries(self) -> int:
        """2 M T: two evaluations of F for each direction of each step."""
        return 2 * self.M * self.T


def exact(q: Fraction | int) -> arb:
    """The rational number as a ball, at the working precision."""
    q = Fraction(q)
    return arb(q.numerator) / arb(q.denominator)


def value(e: Expr, bits: int, **numbers: arb | Fraction | int) -> arb:
    """A formula of the catalogue as a ball, with ``bits`` bits."""
    env = {k: v if isinstance(v, arb) else exact(v) for k, v in numbers.items()}
    value: arb = balls.evaluate(e, env, prec=bits)
    return value


def rational(e: Expr, **numbers: Fraction | int) -> Fraction:
    """A formula of the catalogue exactly, where its value is rational; raises ``ValueError`` where it is not."""
    found = balls.at_point(e, {name: Fraction(number) for name, number in numbers.items()})
    if not isinstance(found, fmpq):
        raise ValueError(f"{e} is not rational there")
    return Fraction(int(found.p), int(found.q))


def short(number: Fraction | int, digits: int = 6) -> str:
    """A rational number to ``digits`` significant digits, also where a double makes it 0 or infinite."""
    rounded = decimal(number, digits)
    plain = abs(rounded.adjusted()) < 6
    return f"{rounded.normalize():f}" if plain else f"{rounded.normalize():e}"


def decimal(number: Fraction | int, digits: int, rounding: str = ROUND_HALF_EVEN) -> Decimal:
    """The number to ``digits`` significant digits, however large or small it is."""
    with localcontext() as context:
        context.prec, context.rounding, context.Emax, context.Emin = digits, rounding, MAX_EMAX, MIN_EMIN
        return Decimal(Fraction(number).numerator) / Decimal(Fraction(number).denominator)


def in_doubles(name: str, x: arb, largest: float = sys.float_info.max) -> float:
    """``x`` > 0 as a double; raises :class:`PlanError` below the normal ones and above ``largest``."""
    found = float(x)
    if not sys.float_info.min <= found <= largest:
        raise PlanError(f"{name} is beyond the range of doubles; {OTHER_UNIT}")
    return found


def usable(problem: Problem) -> Fraction:
    """The least radius that doubles of x carry, to three digits, rounded up: 2^-49 sqrt(2 Delta0/L).

    f(x_0) - f_* = Delta0 puts x_0 at least R = sqrt(2 Delta0/L) away from any minimum, so that x has entries of size
    R/sqrt(d) where the minimum is 0, and more elsewhere. Rounding x + mu u moves each by up to 2^-53 of that, which
    is a 16th of the entries mu/sqrt(d) of mu u at this radius, and all of them at a 16th of it.
    """
    with localcontext() as context:
        context.prec, context.rounding, context.Emax, context.Emin = 40, ROUND_UP, MAX_EMAX, MIN_EMIN
        root = decimal(2 * problem.Delta0 / problem.L, 40, ROUND_UP).sqrt(context) / 2**49
    return Fraction(decimal(Fraction(root), 3, ROUND_UP))


def no_double(problem: Problem) -> str:
    """Why a radius below :func:`usable` cannot be run."""
    return (
        "is unusable in floating point: of x at a distance sqrt(2 Delta0/L) from the minimum doubles carry steps from"
        f" mu = {short(usable(problem))} on"
    )


def bar_gap(problem: Problem, mu: Fraction) -> Fraction:
    """bar Delta_0 = Delta_0 + L mu^2/2."""
    return rational(_BAR, Delta0=problem.Delta0, L=problem.L, mu=mu)


def refuse_trivial(problem: Problem, gap: Fraction) -> None:
    """Raise :class:`PlanError` in the trivial regime eps^2 > 32 L bar Delta_0 of both theorems of the paper."""
    limit = rational(_REGIME, L=problem.L, Dbar=gap)
    if problem.eps**2 > limit:
        raise PlanError(
            f"eps = {short(problem.eps)} is in the trivial regime eps^2 > 32 L bar Delta_0 = {short(limit)}: "
            "x_0 is already eps-stationary (rem:trivial) and nothing need be run"
        )


def horizon(problem: Problem, mu: Fraction) -> int:
    """T = max{3, ceil(32 L bar Delta_0/eps^2)} (thm:hp-shared-clipped)."""
    return int(rational(_HORIZON, L=problem.L, Dbar=bar_gap(problem, mu), eps=problem.eps))


def eta(problem: Problem, mu: Fraction, T: int, M: int, bits: int = 128) -> arb:
    """eta(M, mu, delta, T) = eta_0 + L mu as a ball."""
    lam = value(_LAMBDA, bits, T=T, delta=problem.delta)
    return _eta(problem, mu, lam, exact(M), bits)


def _eta(problem: Problem, mu: Fraction, lam: arb, M: arb, bits: int) -> arb:
    gap = bar_gap(problem, mu)
    scale = value(SCALE, bits, L=problem.L, Dbar=gap, sigma=problem.sigma, d=problem.d, mu=mu)
    eta0 = value(_ETA0, bits, p=problem.p, d=problem.d, S=scale, lam=lam, M=M)
    return value(_ETA, bits, eta0=eta0, L=problem.L, mu=mu)


def _target(problem: Problem) -> Fraction:
    """eps/4, which eta may not exceed."""
    return rational(_LIMIT, eps=problem.eps)


def within(excess: Callable[[int], arb], M: int, what: str) -> bool:
    """Whether ``excess(bits) <= 0`` at the batch M, decided in balls of growing precision.

    Raises :class:`PlanError`, which names ``what``, where the two sides are too close.
    """
    for bits in PRECISIONS:
        fine = bits + 2 * M.bit_length()
        with ctx.workprec(fine + 64):
            found = excess(fine)
            if found <= 0:
                return True
            if found > 0:
                return False
    raise PlanError(f"{what} at the batch {M} is too close to its limit to be decided with {PRECISIONS[-1]} bits")


def _sufficient(problem: Problem, mu: Fraction, T: int, M: int) -> bool:
    """Whether eta(M) <= eps/4, decided in balls."""
    return within(lambda bits: eta(problem, mu, T, M, bits) - exact(_target(problem)), M, "eta(M)")


def batch(problem: Problem, mu: Fraction, T: int) -> int:
    """The smallest integer M >= log(T/delta) with eta(M, mu, delta, T) <= eps/4.

    Raises :class:`PlanError` where L mu >= eps/4, since eta exceeds L mu for every M.
    """
    target = _target(problem)
    if problem.L * mu >= target:
        raise PlanError(
            f"mu = {short(mu)} cannot work: eta > L mu = {short(problem.L * mu)} >= eps/4 = "
            f"{short(target)} for every M; choose mu below eps/(4 L) = {short(target / problem.L)}"
        )
    with ctx.workprec(256):
        lam = value(_LAMBDA, 256, T=T, delta=problem.delta)
        return smallest(ceiling(lam), lambda M: _sufficient(problem, mu, T, M))


def smallest(first: int, sufficient: Callable[[int], bool]) -> int:
    """The smallest sufficient integer M >= ``first`` (and 1), for a bound that falls with M, or rises and then falls.

    Where ``first`` does not suffice, nothing does before the bound falls: sufficient is what lies above some integer.
    Raises :class:`PlanError` beyond LARGEST.
    """
    first = max(1, first)
    if sufficient(first):
        return first
    low, high = first, 2 * first
    while not sufficient(high):
        if high > LARGEST:
            raise too_many_digits()
        low, high = high, high * high if high < 2**4096 else high * 2**64
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if sufficient(middle) else (middle, high)
    return high


def too_many_digits() -> PlanError:
    """The fault of a batch beyond LARGEST."""
    digits = math.floor(math.log10(LARGEST))
    return PlanError(f"a batch would need more than {digits} digits; choose p farther from 1 or a larger eps")


def ceiling(x: arb) -> int:
    """The integer above ``x``; raises :class:`PlanError` where the ball holds one inside."""
    up = x.ceil().unique_fmpz()
    if up is None:
        raise PlanError("log(T/delta) is too close to an integer to be rounded up")
    return int(up)


def plan(problem: Problem, mu: Fraction | None = None) -> Plan:
    """T, M, tau, alpha (and mu, where it is not given) of thm:hp-shared-clipped for ``problem``.

    Raises :class:`PlanError` for mu outside (0, eps/(4L)) and in the trivial regime eps^2 > 32 L bar Delta_0.
    """
    chosen = mu is None
    if mu is None:
        mu = best_radius(problem)
    refuse({"mu": mu})
    gap = bar_gap(problem, mu)
    T = horizon(problem, mu)
    M = batch(problem, mu, T)
    refuse_trivial(problem, gap)
    with ctx.workprec(256):
        lam = value(_LAMBDA, 256, T=T, delta=problem.delta)
        scale = value(SCALE, 256, L=problem.L, Dbar=gap, sigma=problem.sigma, d=problem.d, mu=mu)
        tau = value(_TAU, 256, S=scale, M=M, lam=lam, p=problem.p)
        reached = eta(problem, mu, T, M, 256)
    alpha = rational(_ALPHA, L=problem.L)
    tau_told, eta_told = in_doubles("tau", tau, math.inf), in_doubles("eta", reached)
    return Plan(problem, mu, chosen, T, M, alpha, tau_told, eta_told, _target(problem), gap)


def no_radius(problem: Problem) -> PlanError:
    """The fault where the queries fall for ever as mu falls, as far as it was looked for."""
    usual = problem.eps / (16 * problem.L * problem.d)
    return PlanError(
        "the smallest number of queries is attained by no smoothing radius that was looked for; give --mu, for "
        f"instance eps/(16 L d) = {short(usual)}"
        + (f", which {no_double(problem)}" if usual < usable(problem) else "")
    )


def best_radius(problem: Problem) -> Fraction:
    """The largest smoothing radius, to three significant digits, among those that minimise the queries 2 M T.

    eta and T grow with mu, so the queries do not fall when mu grows; they are constant, and least, on an
    interval (0, mu*], M and T being integers.
    """
    limit = _target(problem) / problem.L
    T = horizon(problem, limit * _SMALL)
    M = batch(problem, Fraction(0), T)

    def attains(mu: Fraction) -> bool:
        return mu < limit and horizon(problem, mu) == T and _sufficient(problem, mu, T, M)

    found = largest(limit, attains)
    if found is None:  # eta(M) = eps/4 in the limit mu = 0: any small mu needs one more sample
        M += 1
        found = largest(limit, attains)
    if found is None:
        raise no_radius(problem)
    return found


def largest(limit: Fraction, attains: Callable[[Fraction], bool]) -> Fraction | None:
    """The largest mu < ``limit``, to three digits rounded down, with ``attains``, which holds on some (0, mu*]."""
    low, high = limit / 2, limit
    for _ in range(_HALVINGS):
        if attains(low):
            break
        low, high = low / 2, low
    else:
        return None
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if attains(middle) else (low, middle)
    return Fraction(decimal(low, 3, ROUND_FLOOR))
