"""Exact small worlds: the real algorithm on a discrete law in one dimension, all outcomes enumerated.

f(x) = L x^2/2 and F(x; xi) = f(x) + xi x with E xi = 0 and finitely many values of xi: then f_mu = f + const,
grad f_mu(x) = grad f(x) = L x, and the slope along u = +-1 is u (L x + xi), so that one draw of the estimator is
psi_tau(L x + xi) whatever the direction. Probabilities are exact rationals, values are balls; a comparison that balls
do not decide is an error, never a guess.

The numbers of a statement (levels, thresholds, horizons) come from its formulas in the catalogue, and every hypothesis
between numbers is decided there: :func:`numbers`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from flint import arb, ctx

from boundcheck.arith import in_balls
from boundcheck.kernel.formula import Expr, Relation, num, parse_relation
from boundcheck.paper import formulas
from boundcheck.plans.theorem_plan import exact
from proofs_numeric.precision.replay import clip

BITS = 256


class NotDecided(ArithmeticError):
    """Balls do not decide a comparison."""


class NotMet(ValueError):
    """A hypothesis of a statement does not hold in a world; the text names it."""


@dataclass(frozen=True)
class World:
    """A law of xi on finitely many values with mean 0, and the quadratic on which the algorithm runs.

    Raises ValueError where the weights are no law, the mean is not 0, or P(|xi| > t) <= (sigma/t)^p fails for some t.
    """

    name: str
    law: tuple[tuple[Fraction, Fraction], ...]  #: (value of xi, its probability)
    p: Fraction
    sigma: Fraction
    L: Fraction
    x0: Fraction

    def __post_init__(self) -> None:
        if any(w <= 0 for _, w in self.law) or sum(w for _, w in self.law) != 1:
            raise ValueError(f"{self.name}: the weights are no law; choose positive ones with sum 1")
        if sum(v * w for v, w in self.law):
            raise ValueError(f"{self.name}: E xi is not 0; shift the values of xi")
        k, n = self.p.numerator, self.p.denominator
        for size in {abs(v) for v, _ in self.law} - {0}:  # t**p P(|xi| > t) is largest just below a value
            tail = sum(w for v, w in self.law if abs(v) >= size)
            if tail**n * size**k > self.sigma**k:
                raise ValueError(f"{self.name}: P(|xi| >= {size}) = {tail} is above (sigma/{size})**{self.p}")

    def gap(self) -> Fraction:
        """Delta_0 = f(x_0) - f_*, with f_* = 0."""
        return self.L * self.x0**2 / 2


def below(a: arb, b: arb) -> bool:
    """Whether a <= b, decided in balls; raises :class:`NotDecided` where they overlap."""
    if a <= b:
        return True
    if a > b:
        return False
    raise NotDecided(f"{a} and {b} are not told apart")


# ---------------------------------------------------------------- the numbers of a statement


def _in_world(e: Expr, world: World) -> Expr:
    """The term with f(x0), f(x) and fstar put in: the values of the world's objective at its start."""
    if e.op == "var" and e.value == "fstar":
        return num(0)
    if e.op == "f" and str(e.args[0]) in ("x0", "x", "at(xs, 0)"):
        return num(world.gap())
    if e.op == "norm" and str(e.args[0]) in ("gradf(x)", "gradf(x0)"):
        return num(abs(world.L * world.x0))
    return Expr(e.op, tuple(_in_world(a, world) for a in e.args), e.value) if e.args else e


def _holds(r: Relation, env: Mapping[str, arb]) -> bool:
    left, right = (in_balls.evaluate(side, env, BITS) for side in r.sides)
    if r.op == "==":
        return bool(left.overlaps(right))  # a number that was not given is defined by it: see numbers
    swap = r.op in (">=", ">")
    a, b = (right, left) if swap else (left, right)
    return bool(a <= b) if r.op in ("<=", ">=") else bool(a < b)


def numbers(label: str, world: World, **given: Fraction | int | arb) -> dict[str, arb]:
    """The parameters of a statement in a world: those given, and those that its hypotheses define from them.

    All hypotheses between numbers are decided in balls. Raises :class:`NotMet` where one fails or a parameter has no
    value. ``given`` may define an equation's unknown the other way round: it is then seen to agree within 2^-200.
    """
    statement = formulas.form(label)
    start = {"p": world.p, "L": world.L, "sigma": world.sigma, "d": 1, "x0": world.x0, **given}
    symbols = statement.symbols
    with ctx.workprec(BITS):
        env = {k: v if isinstance(v, arb) else exact(v) for k, v in start.items() if k in symbols}
        stated = [
            Relation(r.op, _in_world(r.lhs, world), _in_world(r.rhs, world))
            for f in statement.hypotheses.values()
            if f.plain
            for r in (f.relation,)
        ]
        again = True
        while again:
            again = False
            for r in stated:
                name = str(r.lhs.value)
                if r.op == "==" and r.lhs.op == "var" and name in symbols - env.keys() and r.rhs.free <= env.keys():
                    env[name], again = in_balls.evaluate(r.rhs, env, BITS), True
        missing = sorted(symbols - env.keys())
        if missing:
            raise NotMet(f"{label}: {', '.join(missing)} have no value in {world.name}")
        stated += [parse_relation(text) for q in statement.parameters for text in q.domain]
        for r in stated:
            if r.lhs.free | r.rhs.free <= env.keys() and not _speaks_of_chance(r) and not _holds(r, env):
                raise NotMet(f"{label}: {r} does not hold in {world.name}")
    return env


def _speaks_of_chance(r: Relation) -> bool:
    words = ("law", "P", "E", "gradient", "independent", "measurable", "integrable", "increasing", "norm", "at")
    return any(n.op in words for n in r.walk())


def bound(label: str, env: Mapping[str, arb]) -> arb:
    """The bound of a statement at its numbers."""
    return in_balls.evaluate(formulas.bound(label), env, BITS)


# ---------------------------------------------------------------- estimates and runs


@dataclass(frozen=True)
class Draws:
    """One outcome of a batch: how often each value of xi came, and its probability."""

    counts: tuple[int, ...]
    chance: Fraction


@cache
def batches(law: tuple[tuple[Fraction, Fraction], ...], M: int) -> tuple[Draws, ...]:
    """All outcomes of M independent draws, up to their order."""
    found = []
    for cuts in itertools.combinations(range(M + len(law) - 1), len(law) - 1):
        ends = (-1, *cuts, M + len(law) - 1)
        counts = tuple(b - a - 1 for a, b in itertools.pairwise(ends))
        ways = math.factorial(M) // math.prod(map(math.factorial, counts))
        found.append(
            Draws(counts, ways * math.prod((w**n for (_, w), n in zip(law, counts, strict=True)), start=Fraction(1)))
        )
    return tuple(found)


def estimate(world: World, x: arb, tau: arb, counts: Sequence[int]) -> arb:
    """G_mu(x; M, tau) of a batch with these counts: the mean of psi_tau(L x + xi)."""
    slopes = (exact(world.L) * x + exact(v) for v, _ in world.law)
    total = sum((n * clip(y, tau) for y, n in zip(slopes, counts, strict=True) if n), arb(0))
    return total / sum(counts)


def deviations(world: World, x: Fraction, tau: arb, M: int) -> Iterator[tuple[arb, Fraction]]:
    """|G_mu(x; M, tau) - grad f_mu(x)| for every outcome of the batch, with its probability."""
    at = exact(x)
    for o in batches(world.law, M):
        yield abs(estimate(world, at, tau, o.counts) - exact(world.L) * at), o.chance


def sums(world: World, M: int) -> Iterator[tuple[arb, Fraction]]:
    """|xi_1 + ... + xi_M| for every outcome of M independent draws, with its probability."""
    for o in batches(world.law, M):
        yield abs(sum((n * exact(v) for (v, _), n in zip(world.law, o.counts, strict=True)), arb(0))), o.chance


def momentum_runs(
    world: World, M0: int, tau0: arb, M: int, tau: arb, alpha: arb, beta: arb, T: int
) -> Iterator[tuple[tuple[arb, ...], Fraction]]:
    """(x_0, ..., x_(T-1)) of momentum RSC-ZO for every outcome; its first batch has M0 draws, clipped at tau0."""

    def go(path: tuple[arb, ...], m: arb, chance: Fraction) -> Iterator[tuple[tuple[arb, ...], Fraction]]:
        if len(path) == T:
            yield path, chance
            return
        x = path[-1] - alpha * m
        if len(path) == T - 1:
            yield (*path, x), chance
            return
        for o in batches(world.law, M):
            yield from go((*path, x), beta * m + (1 - beta) * estimate(world, x, tau, o.counts), chance * o.chance)

    x0 = exact(world.x0)
    for o in batches(world.law, M0):
        yield from go((x0,), estimate(world, x0, tau0, o.counts), o.chance)


def base_runs(world: World, M: int, tau: arb, alpha: arb, T: int) -> Iterator[tuple[tuple[arb, ...], Fraction]]:
    """(x_0, ..., x_(T-1)) of base RSC-ZO for every outcome: x_(t+1) = x_t - alpha g_t."""
    return momentum_runs(world, M, tau, M, tau, alpha, arb(0), T)


@dataclass(frozen=True)
class Found:
    """What was found for a claim P(value > level) <= allowed.

    ``failure`` is exact, or an upper bound where ``enumerated`` is False; ``least`` is the smallest level that the
    claim could have in this world.
    """

    outcomes: int
    failure: Fraction
    least: arb | None
    enumerated: bool = True


def failure(values: Iterator[tuple[arb, Fraction]], level: arb, allowed: arb) -> Found:
    """P(value > level) over all outcomes, and the smallest level whose probability is at most ``allowed``."""
    with ctx.workprec(BITS):
        told = list(values)
        if sum(c for _, c in told) != 1:
            raise ArithmeticError("the outcomes do not add up to one")
        over = sum((c for v, c in told if not below(v, level)), Fraction(0))
        order = sorted(told, key=lambda vc: float(vc[0].mid()), reverse=True)
        passed, least = Fraction(0), order[0][0]
        for value, chance in order:
            least = value
            if not below(exact(passed + chance), allowed):
                break
            passed += chance
        return Found(len(told), over, least)


def squares(
    paths: Iterator[tuple[tuple[arb, ...], Fraction]], world: World, first: int, last: int
) -> Iterator[tuple[arb, Fraction]]:
    """The average of |grad f(x_t)|^2 over first <= t <= last."""
    for path, chance in paths:
        part = path[first : last + 1]
        yield sum(((exact(world.L) * x) ** 2 for x in part), arb(0)) / len(part), chance


def far_from_mean(world: World, M: int, spread: int) -> tuple[tuple[int, int], Fraction]:
    """A range of counts of the first of two values around its mean, and the exact chance of a count outside of it.

    The range reaches ``spread`` standard deviations and a few counts to each side.
    """
    (_, w), _ = world.law
    mean = M * w
    reach = spread * math.isqrt(int(mean * (1 - w)) + 1) + spread
    low, high = max(0, math.floor(mean) - reach), min(M, math.ceil(mean) + reach)
    a, b, n = w.numerator, (1 - w).numerator * (w.denominator // (1 - w).denominator), w.denominator
    term = math.comb(M, low) * a**low * b ** (M - low)
    total = term
    for k in range(low, high):
        term = term * (M - k) * a // ((k + 1) * b)
        total += term
    return (low, high), 1 - Fraction(total, n**M)


def boxed_base_run(world: World, M: int, tau: arb, alpha: arb, T: int, spread: int = 40) -> tuple[arb, Fraction]:
    """A ball around every average of |grad f(x_t)|^2 over t < T, but for outcomes of the chance that is told.

    For batches with too many outcomes to go through one by one; the law has two values. The chance is an upper bound:
    a count outside of its range in any of the T - 1 batches that matter.
    """
    if len(world.law) != 2:
        raise ValueError(f"{world.name}: a law with two values is wanted")
    (low, high), outside = far_from_mean(world, M, spread)
    x, total = exact(world.x0), arb(0)
    for t in range(T):
        total += (exact(world.L) * x) ** 2
        if t < T - 1:
            ends = [estimate(world, x, tau, (k, M - k)) for k in (low, high)]
            x = x - alpha * ends[0].union(ends[1])
    return total / T, min(Fraction(1), (T - 1) * outside)


def quiet_momentum_run(
    world: World, M0: int, tau0: arb, M: int, tau: arb, alpha: arb, beta: arb, T: int
) -> tuple[tuple[arb, ...], Fraction]:
    """(x_0, ..., x_(T-1)) of momentum RSC-ZO where the first value of xi never comes, and a bound of that it does.

    The bound is the number of draws up to x_(T-1) times the value's probability. The law has two values.
    """
    if len(world.law) != 2:
        raise ValueError(f"{world.name}: a law with two values is wanted")
    x = exact(world.x0)
    m, path = estimate(world, x, tau0, (0, M0)), [x]
    for _ in range(T - 1):
        x = x - alpha * m
        path.append(x)
        m = beta * m + (1 - beta) * estimate(world, x, tau, (0, M))
    draws = M0 + M * (T - 2)
    return tuple(path), min(Fraction(1), draws * world.law[0][1])
