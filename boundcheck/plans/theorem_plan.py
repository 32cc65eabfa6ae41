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

from boundcheck.arith import in_balls
from boundcheck.kernel.formula import Expr, Relation
from boundcheck.paper import formulas
from boundcheck.system.exits import Unusable

STATEMENT = "thm:hp-shared-clipped"
_REGIME, _LIMIT = (formulas.relation(STATEMENT, name).rhs for name in ("regime", "accuracy"))
PRECISIONS = (128, 256, 512, 1024)
LARGEST = 2**4096  #: beyond it no batch is looked for: p is so near 1 that no plan can be run
#: what to do where numbers leave the doubles
OTHER_UNIT = "choose another unit of f: L, Delta0, sigma and eps times one factor leave T and M as they are"
_HALVINGS = 600
_SMALL = Fraction(1, 2**200)  #: of the largest radius: as good as none for the integers


Number = arb | Fraction | int


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
        refuse(vars(self))

    def at(self, label: str, bits: int, **more: Number) -> At:
        """The quantities of a theorem at this problem and ``more``."""
        return At(label, bits, **vars(self), **more)


class At:
    """The quantities of a theorem at some numbers: those given, and what its equations make of them when asked for.

    What is rational stays exact; all else is a ball of ``bits`` bits.
    """

    def __init__(self, label: str, bits: int, **given: Number):
        self.label, self.bits = label, bits
        self._known: dict[str, Number] = dict(given)

    def __getitem__(self, symbol: str) -> Number:
        if symbol not in self._known:
            self._known[symbol] = self.of(formulas.value(self.label, symbol))
        return self._known[symbol]

    def ball(self, symbol: str) -> arb:
        """A quantity as a ball."""
        with ctx.workprec(self.bits + 64):
            return exact(self[symbol])

    def rational(self, symbol: str) -> Fraction:
        """A quantity that is rational; raises ``ValueError`` where it is not."""
        found = self[symbol]
        if isinstance(found, arb):
            raise ValueError(f"{symbol} is not rational there")
        return Fraction(found)

    def of(self, e: Expr) -> arb | Fraction:
        """A formula in the theorem's names."""
        numbers = {name: self[name] for name in e.free}
        exact_ones = {name: Fraction(x) for name, x in numbers.items() if not isinstance(x, arb)}
        if len(exact_ones) == len(numbers):
            found: arb | fmpq = in_balls.at_point(e, exact_ones, self.bits)
            return Fraction(int(found.p), int(found.q)) if isinstance(found, fmpq) else found
        with ctx.workprec(self.bits + 64):
            return value(e, self.bits, **numbers)

    def excess(self, hypothesis: str | Relation) -> arb:
        """By how much the left side of an inequality that the theorem assumes is above the right one."""
        r = formulas.relation(self.label, hypothesis) if isinstance(hypothesis, str) else hypothesis
        left, right = self.of(r.lhs), self.of(r.rhs)
        with ctx.workprec(self.bits + 64):
            if isinstance(left, Fraction) and isinstance(right, Fraction):
                return exact(left - right)
            return exact(left) - exact(right)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a theorem prescribes or allows. ``mu_chosen`` says that mu was searched, for few queries."""

    problem: Problem
    statement: str
    mu: Fraction
    mu_chosen: bool
    T: int
    M: int
    alpha: Fraction | float
    tau: float
    eta: float  #: the deviation that the theorem bounds, with these parameters
    eta_target: Fraction  #: what it may be at most

    @property
    def queries(self) -> int:
        """2 M T: two evaluations of F for each direction of each step."""
        return 2 * self.M * self.T

    @property
    def Delta0_bar(self) -> Fraction:
        """bar Delta_0 = Delta_0 + L mu^2/2."""
        return bar_gap(self.problem, self.mu)


@dataclass(frozen=True, kw_only=True)
class MomentumPlan(Plan):
    """The same for the method with momentum, whose first batch has M0 directions; ``eta`` is U."""

    beta: Fraction
    M0: int
    tau0: float

    @property
    def queries(self) -> int:
        """2 M0 + 2 M (T - 1): two evaluations of F for each direction of each step."""
        return 2 * self.M0 + 2 * self.M * (self.T - 1)


def exact(q: Number) -> arb:
    """The number as a ball, a rational one at the working precision."""
    if isinstance(q, arb):
        return q
    q = Fraction(q)
    return arb(q.numerator) / arb(q.denominator)


def value(e: Expr, bits: int, **numbers: Number) -> arb:
    """A formula of the catalogue as a ball, with ``bits`` bits."""
    found: arb = in_balls.evaluate(e, {k: exact(v) for k, v in numbers.items()}, prec=bits)
    return found


def rational(e: Expr, **numbers: Fraction | int) -> Fraction:
    """A formula of the catalogue exactly, where its value is rational; raises ``ValueError`` where it is not."""
    found = At("", 64, **numbers).of(e)
    if not isinstance(found, Fraction):
        raise ValueError(f"{e} is not rational there")
    return found


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
    return problem.at(STATEMENT, 64, mu=mu).rational("Dbar")


def refuse_trivial(problem: Problem, mu: Fraction) -> None:
    """Raise :class:`PlanError` in the trivial regime eps^2 > 32 L bar Delta_0 of both theorems of the paper."""
    limit = rational(_REGIME, L=problem.L, Dbar=bar_gap(problem, mu))
    if problem.eps**2 > limit:
        raise PlanError(
            f"eps = {short(problem.eps)} is in the trivial regime eps^2 > 32 L bar Delta_0 = {short(limit)}: "
            "x_0 is already eps-stationary (rem:trivial) and nothing need be run"
        )


def horizon(problem: Problem, mu: Fraction) -> int:
    """T = max{3, ceil(32 L bar Delta_0/eps^2)} (thm:hp-shared-clipped)."""
    return int(problem.at(STATEMENT, 64, mu=mu).rational("T"))


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


def met(problem: Problem, label: str, hypothesis: str | Relation, size: int, what: str, **more: Number) -> bool:
    """Whether an inequality that a theorem assumes holds at a problem and ``more``, decided by :func:`within`.

    ``size`` is the batch that it speaks of, 1 where it speaks of none.
    """
    return within(lambda bits: problem.at(label, bits, **more).excess(hypothesis), size, what)


def require_met(problem: Problem, label: str, **more: Number) -> None:
    """Raise :class:`PlanError` unless a plan's numbers meet every inequality that a theorem assumes, in balls."""
    size = max((x for x in more.values() if isinstance(x, int)), default=1)
    for r in formulas.inequalities(label):
        low, back = Relation("<=", r.lhs, r.rhs), Relation("<=", r.rhs, r.lhs)
        if not met(problem, label, low, size, str(r), **more) or (
            r.strict and met(problem, label, back, size, str(r), **more)
        ):
            raise PlanError(f"{r}, which {label} assumes, does not hold for the numbers that were found")


def _sufficient(problem: Problem, mu: Fraction, T: int, M: int) -> bool:
    """Whether eta(M) <= eps/4, decided in balls."""
    return met(problem, STATEMENT, "accuracy", M, "eta(M)", mu=mu, T=T, M=M)


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
    least = ceiling(problem.at(STATEMENT, 256, T=T)["lam"])
    return smallest(least, lambda M: _sufficient(problem, mu, T, M))


def _target(problem: Problem) -> Fraction:
    """eps/4, which eta may not exceed."""
    return rational(_LIMIT, eps=problem.eps)


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


def ceiling(x: Number) -> int:
    """The integer above ``x``; raises :class:`PlanError` where a ball holds one inside."""
    if not isinstance(x, arb):
        return math.ceil(x)
    with ctx.workprec(320):
        up = x.ceil().unique_fmpz()
    if up is None:
        raise PlanError("log(T/delta) is too close to an integer to be rounded up")
    return int(up)


def plan(problem: Problem, mu: Fraction | None = None) -> Plan:
    """T, M, tau, alpha (and mu, where it is not given) of thm:hp-shared-clipped for ``problem``.

    Raises :class:`PlanError` for mu outside (0, eps/(4L)) and in the trivial regime eps^2 > 32 L bar Delta_0.
    """
    radius = best_radius(problem) if mu is None else mu
    refuse({"mu": radius})
    T = horizon(problem, radius)
    M = batch(problem, radius, T)
    refuse_trivial(problem, radius)
    require_met(problem, STATEMENT, mu=radius, T=T, M=M)
    at = problem.at(STATEMENT, 256, mu=radius, T=T, M=M)
    return Plan(
        problem=problem,
        statement=STATEMENT,
        mu=radius,
        mu_chosen=mu is None,
        T=T,
        M=M,
        alpha=at.rational("alpha"),
        tau=in_doubles("tau", at.ball("tau"), math.inf),
        eta=in_doubles("eta", at.ball("eta")),
        eta_target=_target(problem),
    )


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
