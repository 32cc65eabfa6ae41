"""The exact supremum of a worst-law problem at one point: certified balls, slack, independent re-check."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx, fmpq

from boundcheck.arith import in_balls
from boundcheck.decide.worst_case.extremal_law import ExtremalLaw, T, WorstLaw, extremal
from boundcheck.kernel.check.refine import identical
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.enclosure import intervals
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.quadrature import integrate
from boundcheck.kernel.formula import Expr, Relation, num, substitute
from boundcheck.laws import DEFAULT_BITS

PRECISIONS = (128, 512, 2048)


@dataclass(frozen=True)
class Evaluation:
    """Bound and exact supremum at a point; ``slack_low <= bound/supremum <= slack_high``, rounded outwards.

    Both slacks are exactly 1.0 where bound and supremum are the same expression of the parameters there.
    ``exact_low``/``exact_high`` enclose the supremum; ``exact`` is it as a double (:func:`as_double`), None where they
    do not tell one.
    """

    bound: float
    exact: float | None
    slack_low: float
    slack_high: float
    bound_ball: arb
    exact_low: arb
    exact_high: arb
    reason: str = ""


def as_ball(value: fmpq | arb) -> arb:
    """The result of exact or ball evaluation as a ball."""
    return value if isinstance(value, arb) else arb(value)


def value_at(e: Expr, point: Mapping[str, Fraction]) -> arb:
    """``e`` at a rational point with at least 64 accurate bits; raises ``ValueError`` where it is undefined."""
    ball = arb.nan()
    for bits in PRECISIONS:
        with ctx.workprec(bits):
            ball = as_ball(in_balls.at_point(e, point, bits))
        if ball.is_finite() and (ball.is_zero() or ball.rel_accuracy_bits() >= 64):
            return ball
    if not ball.is_finite():
        raise ValueError(f"{e} is undefined at {describe(point)}")
    return ball


def as_double(low: arb, high: arb) -> float | None:
    """The number known to lie between two balls as a double; None where they do not tell it.

    Told is what is known to 40 bits, relatively, and no smaller than the normal doubles; and 0, also of a ball about 0
    that is narrower than these.
    """
    least, most = rounded_down(low), rounded_up(high)
    with ctx.workprec(DEFAULT_BITS):
        inside = low.union(high)
    if inside.contains(0):
        return 0.0 if -sys.float_info.min < least <= most < sys.float_info.min else None
    small = min(abs(least), abs(most))
    if small < sys.float_info.min or not most - least <= small * 2.0**-40:
        return None
    return float(inside.mid())


def describe(point: Mapping[str, Fraction]) -> str:
    """name=value pairs, for messages."""
    return ", ".join(f"{name}={value}" for name, value in sorted(point.items()))


def truth(r: Relation, point: Mapping[str, Fraction]) -> bool | None:
    """Whether a relation holds at a rational point, exactly where it is rational; None if balls cannot tell."""
    for bits in PRECISIONS:
        sign = in_balls.sign_at(r.lhs - r.rhs, point, bits)
        if sign is not None:
            return {"<": sign < 0, "<=": sign <= 0, ">": sign > 0, ">=": sign >= 0, "==": sign == 0, "!=": sign != 0}[
                r.op
            ]
    return None


def check_domain(names: Iterable[str], where: Iterable[Relation], point: Mapping[str, Fraction]) -> None:
    """Raise ``ValueError`` in one line if a parameter is missing, unknown or outside its domain."""
    wanted = set(names)
    if missing := sorted(wanted - point.keys()):
        raise ValueError(f"parameter {', '.join(missing)} is missing; wanted: {', '.join(sorted(wanted))}")
    if unknown := sorted(point.keys() - wanted):
        raise ValueError(f"unknown parameter {', '.join(unknown)}; wanted: {', '.join(sorted(wanted))}")
    for r in where:
        held = truth(r, point)
        if held is not True:
            names_in = {name: point[name] for name in r.free if name in point}
            how = "does not hold" if held is False else "cannot be decided"
            raise ValueError(f"{describe(names_in)}: the domain asks for {r}, which {how}")


def extremal_at(problem: WorstLaw, parameters: Mapping[str, Fraction]) -> ExtremalLaw:
    """The extremal law at one rational point of the domain.

    Raises ``ValueError`` outside of the domain, where the tail may have no value or what is asked cannot be told,
    :class:`InfiniteSupremum` where E k is oo.
    """
    check_domain(problem.parameters, problem.where, parameters)
    tail = substitute(problem.tail_class.tail, {name: num(value) for name, value in parameters.items()})
    reach = intervals.between(value_at(problem.tail_class.threshold, parameters).lower(), intervals.INF)
    if enclose(tail, {T: reach}) is None:
        raise ValueError(f"{describe(parameters)}: the tail {problem.tail_class.tail} is undefined for some {T}")

    def holds(r: Relation) -> bool:
        held = truth(r, parameters)
        if held is None:
            raise ValueError(f"{describe(parameters)}: it cannot be decided whether {r}")
        return held

    return extremal(problem, holds)


def supremum(problem: WorstLaw, parameters: Mapping[str, Fraction]) -> arb:
    """sup E k(|Z|) over the class at one rational point, as an enclosure. Raises as :func:`extremal_at`."""
    return value_at(extremal_at(problem, parameters).supremum, parameters)


def evaluate(problem: WorstLaw, parameters: Mapping[str, Fraction]) -> Evaluation:
    """Bound, exact supremum and slack at one rational point of the domain. Raises as :func:`extremal_at`."""
    law = extremal_at(problem, parameters)
    exact, bound = value_at(law.supremum, parameters), value_at(problem.bound, parameters)
    if identical(Sequent(problem.where, Relation("==", problem.bound, law.supremum))):
        return Evaluation(
            float(bound), float(bound), 1.0, 1.0, bound, exact, exact, "the bound is the supremum itself: no slack"
        )
    return bracket(bound, exact, exact, f"extremal law: {law}")


def bracket(bound: arb, low: arb, high: arb, reason: str = "") -> Evaluation:
    """The evaluation of a bound against a supremum in [low, high]; both slacks infinite where that is 0."""
    exact = as_double(low, high)
    if high.is_zero():
        return Evaluation(float(bound), exact, math.inf, math.inf, bound, low, high, reason)
    with ctx.workprec(DEFAULT_BITS):
        slack_low = rounded_down(bound / high) if high > 0 else 0.0
        slack_high = rounded_up(bound / low) if low > 0 else math.inf
    return Evaluation(float(bound), exact, slack_low, slack_high, bound, low, high, reason)


def rounded_down(x: arb) -> float:
    """The largest double, or the one below it, that is <= every value of ``x``."""
    low = float(x.lower())
    return low if arb(low) <= x.lower() else math.nextafter(low, -math.inf)


def rounded_up(x: arb) -> float:
    """A double that is >= every value of ``x``."""
    high = float(x.upper())
    return high if arb(high) >= x.upper() else math.nextafter(high, math.inf)


def lower_bound_by_quadrature(problem: WorstLaw, parameters: Mapping[str, Fraction]) -> arb:
    """A certified lower bound of E k(|Z|) under the extremal law, from its survival function by quadrature.

    It integrates k'(t) min(1, C t^-q) over a finite range in s = log t and shares nothing with the closed form but
    the record of the law: evidence for a refutation.
    """

    def value(e: Expr) -> arb:
        return as_ball(in_balls.at_point(e, parameters, DEFAULT_BITS))

    with ctx.workprec(DEFAULT_BITS):
        law, kernel = extremal_at(problem, parameters), problem.kernel
        start, total = value(law.start), arb(0)
        low = value(kernel.low).upper()
        low = low if low > 0 else start.lower() * arb(2) ** -40
        if kernel.high is None:
            high = low.max(start).upper() * arb(2) ** 400
        else:
            high = value(kernel.high).lower()
        cuts = [low.log().upper(), start.log(), high.log().lower()]
        scale, exponent = value(law.rate.coefficient), value(law.rate.exponent) + 1  # k'(e^s) e^s
        tail = scale * value(law.coefficient), exponent - value(law.exponent)
        for a, b, (c, e) in (
            (cuts[0], cuts[1].lower().min(cuts[2]), (scale, exponent)),
            (cuts[1].upper().max(cuts[0]), cuts[2], tail),
        ):
            if b > a:
                total += _integral_of_exponential(c, e, a, b)
        return total.lower()


def _integral_of_exponential(c: arb, e: arb, low: arb, high: arb) -> arb:
    """The integral of c exp(e s)."""
    return integrate(lambda z, _: c * (e * z).exp(), low.upper(), high.lower()).real
