"""Sums of martingale differences whose law is known exactly, beside the bounds of Bennett, Freedman and Bernstein.

A difference has a part along a fixed axis and a rest in a fresh orthogonal direction with a fair sign, as in a Hilbert
space of enough dimensions. What comes next may depend on the past through the time, the sum and the variation so far.
The recursion over these states is exact in rationals, and decides every hypothesis of the inequalities on its way; the
filtration is that of the draws. Formulas are those of the statements.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from flint import arb, ctx

from boundcheck.arith import in_balls
from boundcheck.author.twins import apply_twin
from boundcheck.kernel.formula import Expr, parse
from boundcheck.kernel.statement import Statement
from boundcheck.paper import formulas
from boundcheck.plans.theorem_plan import exact
from proofs_numeric.exact_checks.small_worlds import BITS, Found, NotDecided, NotMet, failure

F = Fraction
ZERO, ONE = F(0), F(1)
BENNETT, FREEDMAN, PAPER = "app:bennett", "app:sharp-freedman", "lem:momentum-freedman"
LEVEL, WIDE, TAIL = formulas.bound(FREEDMAN), formulas.bound(PAPER), formulas.form(BENNETT).claims[0].relation.rhs
RHOS = (F(1, 10), F(1, 1000))


@dataclass(frozen=True)
class State:
    """What the past tells: i differences drawn, the sum along the axis, the square of the rest, the variation."""

    i: int
    along: Fraction
    rest: Fraction
    variation: Fraction

    def square(self) -> Fraction:
        """The squared norm of the sum."""
        return self.along**2 + self.rest


@dataclass(frozen=True)
class Move:
    """A difference of ``along`` on the axis and of squared length ``rest`` orthogonal to it, and its probability."""

    along: Fraction
    chance: Fraction
    rest: Fraction = ZERO


@dataclass(frozen=True)
class Martingale:
    """n differences, at most R long, with conditional second moments that sum to at most V."""

    name: str
    n: int
    R: Fraction
    V: Fraction
    moves: Callable[[State], tuple[Move, ...]]

    def next(self, s: State) -> Iterator[tuple[State, Fraction]]:
        """Every state after ``s``, with its probability. Raises :class:`NotMet` where a hypothesis fails."""
        told = self.moves(s)
        if any(m.chance < 0 or m.rest < 0 for m in told) or sum(m.chance for m in told) != 1:
            raise NotMet(f"{self.name}: no law of a difference")
        if sum(m.along * m.chance for m in told):
            raise NotMet(f"{self.name}: the mean given the past is not 0")
        if any(m.along**2 + m.rest > self.R**2 for m in told):
            raise NotMet(f"{self.name}: a difference is longer than R")
        variation = s.variation + sum((m.chance * (m.along**2 + m.rest) for m in told), ZERO)
        if variation > self.V:
            raise NotMet(f"{self.name}: the variation passes V")
        for m in told:
            yield State(s.i + 1, s.along + m.along, s.rest + m.rest, variation), m.chance

    def law(self) -> dict[Fraction, Fraction]:
        """The exact law of the squared norm of the sum."""
        states = {State(0, ZERO, ZERO, ZERO): F(1)}
        for _ in range(self.n):
            after: dict[State, Fraction] = {}
            for s, chance in states.items():
                for t, share in self.next(s):
                    after[t] = after.get(t, ZERO) + chance * share
            states = after
        found: dict[Fraction, Fraction] = {}
        for s, chance in states.items():
            found[s.square()] = found.get(s.square(), ZERO) + chance
        return found


# ---------------------------------------------------------------- laws near equality


def _signs(size: Fraction = ONE) -> tuple[Move, ...]:
    return Move(size, F(1, 2)), Move(-size, F(1, 2))


def _jump(R: Fraction, q: Fraction) -> tuple[Move, ...]:
    return Move(R, q), Move(-q * R / (1 - q), 1 - q)


_REST = (Move(ZERO, F(1)),)


def signs(n: int) -> Martingale:
    """n fair signs."""
    return Martingale("fair signs", n, ONE, F(n), lambda s: _signs())


def jumps(n: int, q: Fraction) -> Martingale:
    """n times a rare jump to one side: nearly Poisson, the law at which Bennett's exponent is attained."""
    return Martingale("rare jumps", n, ONE, n * q / (1 - q), lambda s: _jump(ONE, q))


def big_jump(n: int) -> Martingale:
    """Small signs, and at the end one big jump."""
    size = F(1, 8)

    def moves(s: State) -> tuple[Move, ...]:
        return _jump(F(4), F(1, 400)) if s.i == n - 1 else _signs(size)

    return Martingale("signs, then one big jump", n, F(4), (n - 1) * size**2 + 16 * F(1, 399), moves)


def orthogonal(n: int) -> Martingale:
    """Every difference orthogonal to those before it: the norm is sqrt(n) surely."""
    return Martingale("orthogonal signs", n, ONE, F(n), lambda s: (Move(ZERO, ONE, F(1)),))


def stopped(n: int, level: int) -> Martingale:
    """Signs until the sum is ``level`` away from 0: the law of the maximum of |S_i|."""
    return Martingale(
        f"signs, stopped at {level}", n, ONE, F(n), lambda s: _signs() if abs(s.along) < level else _REST
    )


def bold(n: int, V: Fraction) -> Martingale:
    """Signs below 0, rare jumps above, half signs far out, nothing once V is used up: size depends on the past."""

    def moves(s: State) -> tuple[Move, ...]:
        told = _signs(F(1, 2)) if abs(s.along) >= 8 else _signs() if s.along < 0 else _jump(ONE, F(1, 5))
        used = sum((m.chance * m.along**2 for m in told), ZERO)
        return told if s.variation + used <= V else _REST

    return Martingale("size by the past", n, ONE, V, moves)


MARTINGALES = (
    signs(100), jumps(100, F(1, 50)), big_jump(33), orthogonal(100), stopped(100, 20), bold(24, F(12)),
)  # fmt: skip


# ---------------------------------------------------------------- beside the bounds


def at(e: Expr, **numbers: Fraction | arb) -> arb:
    """A formula of a statement in balls."""
    with ctx.workprec(BITS):
        return in_balls.evaluate(e, {k: v if isinstance(v, arb) else exact(v) for k, v in numbers.items()}, BITS)


def level_of(e: Expr, m: Martingale, rho: Fraction) -> arb:
    """The level of Freedman's inequality, the paper's form or the sharper one, for the failure probability rho."""
    with ctx.workprec(BITS):
        h = at(formulas.value(FREEDMAN, "h"), rho=rho)
        return at(e, V=m.V, R=m.R, h=h, eta=-exact(rho).log())


@dataclass(frozen=True)
class Bound:
    """P(|S| > level) is at most ``allowed``, it is said; ``found`` is what is true."""

    level: arb
    allowed: arb
    found: Found

    def held(self) -> bool:
        """Whether the exact probability is at most what is allowed."""
        return bool(exact(self.found.failure) <= self.allowed)


@dataclass(frozen=True)
class Row:
    """The bounds of one martingale at one rho: the paper's, the sharper one, and Bennett's where rho is passed."""

    paper: Bound
    sharp: Bound
    bennett: Bound
    least: arb  #: the smallest level that rho allows

    def held(self) -> bool:
        """Whether all three hold."""
        return self.paper.held() and self.sharp.held() and self.bennett.held()


@cache
def _law(m: Martingale) -> dict[Fraction, Fraction]:
    return m.law()


def beside(m: Martingale, rho: Fraction, level: Expr = LEVEL, tail: Expr = TAIL) -> Row:
    """The bounds beside the exact law; Bennett's ``tail`` a thousandth below the least level that rho allows."""
    with ctx.workprec(BITS):
        told = [(exact(square).sqrt(), chance) for square, chance in _law(m).items()]

        def bound(r: arb, allowed: arb) -> Bound:
            return Bound(r, allowed, failure(iter(told), r, allowed))

        sharp = bound(level_of(level, m, rho), exact(rho))
        least = sharp.found.least if sharp.found.least is not None else sharp.level
        near = exact(F(999, 1000)) * least
        bennett = bound(near, at(tail, r=near, V=m.V, R=m.R))
        return Row(bound(level_of(WIDE, m, rho), exact(rho)), sharp, bennett, least)


# ---------------------------------------------------------------- planted falsehoods and the laws that refute them


def planted(label: str, what: str) -> Statement:
    """The statement with its planted falsehood ``what``."""
    statement = formulas.form(label)
    [twin] = (t for t in statement.twins if t.what == what)
    return apply_twin(statement, twin)


def binomial_above(n: int, q: Fraction, k: int, terms: int = 200) -> Fraction:
    """P(k <= K <= k + terms) for the number K of n jumps of chance q: a lower bound of P(K >= k), exact."""
    a, b = q.numerator, q.denominator - q.numerator
    term = math.comb(n, k) * a**k * b ** (n - k)
    total = term
    for j in range(k, min(n, k + terms)):
        term = term * (n - j) * a // ((j + 1) * b)
        total += term
    return Fraction(total, q.denominator**n)


@dataclass(frozen=True)
class Refuted:
    """A planted falsehood and a law: |S| exceeds ``level`` with probability at least ``exact``, above ``allowed``."""

    label: str
    what: str
    law: Martingale
    level: arb
    allowed: arb
    exact: Fraction

    def refutes(self) -> bool:
        """Whether the law breaks the claim."""
        return bool(exact(self.exact) > self.allowed)


def _floor(x: arb) -> int:
    down = x.floor().unique_fmpz()
    if down is None:
        raise NotDecided(f"{x} is too close to an integer")
    return int(down)


def by_signs(what: str, n: int, rho: Fraction) -> Refuted:
    """Bernstein's form with a falsehood at n fair signs: S = 2 K - n, and both tails are alike."""
    one = by_jumps(what, n, F(1, 2), rho)
    return replace(one, law=signs(n), exact=2 * one.exact)


def by_jumps(what: str, n: int, q: Fraction, rho: Fraction) -> Refuted:
    """Bernstein's form with a falsehood at n rare jumps: S = (K - n q)/(1 - q)."""
    m = jumps(n, q)
    with ctx.workprec(BITS):
        level = level_of(parse(planted(FREEDMAN, what).bound), m, rho)
        above = binomial_above(n, q, _floor(level * exact(1 - q) + exact(n * q)) + 1)
        return Refuted(FREEDMAN, what, m, level, exact(rho), above)


def by_orthogonal(what: str, n: int) -> Refuted:
    """Bennett's tail with a falsehood just below sqrt(n), which orthogonal signs reach surely."""
    m = orthogonal(n)
    found = beside(m, RHOS[0], tail=planted(BENNETT, what).claims[0].relation.rhs).bennett
    return Refuted(BENNETT, what, m, found.level, found.allowed, found.found.failure)


def refuted() -> tuple[Refuted, ...]:
    """Those of the page."""
    return (
        by_jumps("R/3 replaced by R/4", 4000, F(1, 100), F(1, 10**90)),
        by_signs("the factor 2 under the root lowered to 1.9", 100_000, F(1, 10**70)),
        by_orthogonal("the factor 2 lowered to 1.6", 100),
    )
