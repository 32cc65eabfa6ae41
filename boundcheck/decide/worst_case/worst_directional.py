"""Worst laws of projections on a uniform direction: how loose the directional tail lemmas are at a point.

Over all random vectors zeta, independent of u uniform on S^(d-1), with P(|zeta| > t) <= (sigma/t)^p:

* sup P(|<zeta, u>| > r) = E min(1, (sigma |U_1|/r)^p), attained by every zeta with the Pareto norm, since
  <zeta, u> is |zeta| U_1 in law whatever the direction of zeta;
* sup over |g| <= G of P(|<g, u>| > r) = P(|U_1| > r/G), attained at |g| = G;
* sup P(|<g + zeta, u>| > r) <= E_U min(1, (sigma/(r/|U_1| - G))_+^p): given zeta the projection is |g + zeta| U_1
  in law and |g + zeta| <= G + |zeta|. Attained by zeta = |zeta| g/|g|; the class of centred zeta holds the
  symmetric law +-|zeta| g/|g|, which gives the lower end.

A deterministic remainder |R| <= rho (finite differences) lies between 0 (linear f) and rho in the bracket.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import partial

from flint import arb, ctx

from boundcheck.decide.worst_case.worst_values import Evaluation, bracket, check_domain, value_at
from boundcheck.kernel.formula import Expr, Relation, num
from boundcheck.laws import DEFAULT_BITS, UNIT, accurate, aligned_tail, clip_unit, noise_tail, signal_tail, to_ball

ZERO, ONE = num(0), num(1)


class Part(StrEnum):
    """Which projection the tail is about."""

    NOISE = "noise"
    SIGNAL = "signal"
    TOTAL = "total"


@dataclass(frozen=True)
class DirectionalTail:
    """P(|projection + R| > level) <= bound for all noise of the class, |g| <= gradient, |R| <= remainder.

    Parameters ``d``, ``p``, ``sigma`` are formulas of the statement's own parameters, as the rest.
    """

    name: str
    part: Part
    level: Expr
    bound: Expr
    where: tuple[Relation, ...]
    d: Expr
    p: Expr
    sigma: Expr = ONE
    gradient: Expr = ZERO
    remainder: Expr = ZERO

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters, sorted."""
        formulas = (self.level, self.bound, self.d, self.p, self.sigma, self.gradient, self.remainder)
        names = frozenset().union(*(e.free for e in formulas), *(r.free for r in self.where))
        return tuple(sorted(names))


def noise_supremum(d: int, p: Fraction, sigma: arb | Fraction, r: arb | Fraction) -> arb:
    """sup P(|<zeta, u>| > r) over the weak-L_p class, exact as a ball; 1 for r <= 0."""
    return _decreasing(lambda level: accurate(lambda: noise_tail(d, to_ball(p), to_ball(sigma), level)), r)


def signal_supremum(d: int, gradient: arb | Fraction, r: arb | Fraction) -> arb:
    """sup over |g| <= ``gradient`` of P(|<g, u>| > r), exact as a ball; 1 for r < 0."""
    if to_ball(gradient).is_zero():
        level = to_ball(r)
        return arb(0) if level >= 0 else arb(1) if level < 0 else UNIT
    return _decreasing(lambda level: accurate(lambda: signal_tail(d, to_ball(gradient), level)), r)


def total_supremum(
    d: int, p: Fraction, sigma: arb | Fraction, gradient: arb | Fraction, r: arb | Fraction
) -> tuple[arb, arb]:
    """(value of an instance with centred noise, exact supremum without centring) of P(|<g + zeta, u>| > r).

    Raises ``ValueError`` unless p > 1, sigma > 0 and the gradient's norm is >= 0.
    """
    for name, value, fits in (("p", p, p > 1), ("sigma", sigma, sigma > 0), ("gradient", gradient, gradient >= 0)):
        if not fits:
            raise ValueError(f"{name} = {value}: p > 1, sigma > 0 and gradient >= 0 are wanted")
    with ctx.workprec(DEFAULT_BITS):
        law = to_ball(p), to_ball(sigma), to_ball(gradient)
    low, high = (_decreasing(partial(aligned_tail, d, *law, centred), r) for centred in (True, False))
    return low, high


def _decreasing(tail: Callable[[arb], arb], r: arb | Fraction) -> arb:
    """The tail of an absolutely continuous |.| at r: 1 at and below 0, by its ends where the ball r holds 0."""
    level = to_ball(r)
    if level > 0:
        return tail(level)
    return arb(1) if level <= 0 else tail(level.upper()).union(arb(1))


def supremum(problem: DirectionalTail, parameters: Mapping[str, Fraction]) -> tuple[arb, arb]:
    """(low, high): balls with low <= sup P <= high; equal where the remainder is 0 and noise or signal is absent.

    Raises ``ValueError`` outside the domain.
    """
    check_domain(problem.parameters, problem.where, parameters)
    values = {
        key: value_at(e, parameters)
        for key, e in (
            ("level", problem.level),
            ("remainder", problem.remainder),
            ("sigma", problem.sigma),
            ("gradient", problem.gradient),
        )
    }
    dimension, exponent = (_rational(e, parameters) for e in (problem.d, problem.p))
    if dimension.denominator != 1 or dimension < 1:
        raise ValueError(f"d = {dimension}: the dimension is an integer >= 1")
    d, level = int(dimension), values["level"]
    with ctx.workprec(DEFAULT_BITS):
        below = level - values["remainder"]
    if problem.part is Part.NOISE:
        ends = [noise_supremum(d, exponent, values["sigma"], r) for r in (level, below)]
    elif problem.part is Part.SIGNAL:
        ends = [signal_supremum(d, values["gradient"], r) for r in (level, below)]
    else:
        low, _ = total_supremum(d, exponent, values["sigma"], values["gradient"], level)
        _, high = total_supremum(d, exponent, values["sigma"], values["gradient"], below)
        ends = [low, high]
    return clip_unit(ends[0]), clip_unit(ends[1])


def _rational(e: Expr, point: Mapping[str, Fraction]) -> Fraction:
    if e.op == "num":
        return Fraction(e.value)
    if e.op == "var":
        return point[e.value]
    raise ValueError(f"d and p are numbers or parameters, not {e}")


def evaluate(problem: DirectionalTail, parameters: Mapping[str, Fraction]) -> Evaluation:
    """Bound, supremum and slack bracket at one rational point."""
    low, high = supremum(problem, parameters)
    return bracket(value_at(problem.bound, parameters), low, high, f"{problem.part} tail, Pareto norm")
