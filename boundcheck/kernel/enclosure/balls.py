"""Rigorous enclosures in ball arithmetic (python-flint ``arb``): the arithmetic that certifies.

``evaluate`` takes balls, ``enclose`` intervals with exact (also infinite) ends, ``at_point`` exact
rationals. All return NaN where the expression is undefined or not provably defined:
0**y is 0 for y > 0, 0**0 is 1 only for an exponent that is an integer by form, a negative base only
has such exponents, loggamma lives on (0, oo). Decimals are exact rationals, never doubles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from flint import ctx, fmpq

from boundcheck.kernel.enclosure import integrals, points, series_sums, spans
from boundcheck.kernel.enclosure.spans import Span
from boundcheck.kernel.enclosure.straight_line import exact_of, spelled
from boundcheck.kernel.formula import Expr

NONE: frozenset[str] = frozenset()


def evaluate(e: Expr, env: Mapping[str, Any], prec: int = 64, integers: Iterable[str] = NONE) -> Any:
    """An ``arb`` that contains every value of ``e`` over the balls of ``env``; NaN if one may be undefined.

    Exact balls are treated as points, wide ones by their ends, so monotone functions stay tight.
    ``integers`` names the variables that are integers by declaration (it decides 0**0 and (-1)**n).
    """
    with ctx.workprec(prec):
        if all(v.is_exact() and v.is_finite() and spelled(v) for v in env.values()):
            point = {k: exact_of(v) for k, v in env.items()}
            return points.as_arb(points.value_at(e, point, frozenset(integers), _binder_at_point))
        box = {k: spans.from_ball(v) for k, v in env.items()}
        return spans.to_ball(spans.span_of(e, box, frozenset(integers), False, _binder_on_box))


def enclose(
    e: Expr,
    box: Mapping[str, tuple[Any, Any]],
    prec: int = 64,
    integers: Iterable[str] = NONE,
    partial: bool = False,
) -> Span:
    """The range of ``e`` over a box given by exact ``arb`` ends (lo, hi), as a :class:`Span` with exact ends.

    An infinite end is a limit, not a point. With ``partial`` points outside the domain of ``e`` are
    left out instead of spoiling the result: the caller proves definedness by itself.
    """
    with ctx.workprec(prec):
        sides = {k: Span(*ends) for k, ends in box.items()}
        return spans.span_of(e, sides, frozenset(integers), partial, _binder_on_box)


def at_point(e: Expr, point: Mapping[str, Fraction], prec: int = 64, integers: Iterable[str] = NONE) -> Any:
    """The value of ``e`` at an exact rational point: ``fmpq`` where it is exact, else an ``arb``."""
    exact = {k: fmpq(v.numerator, v.denominator) for k, v in point.items()}
    with ctx.workprec(prec):
        return points.value_at(e, exact, frozenset(integers), _binder_at_point)


def sign_at(e: Expr, point: Mapping[str, Fraction], prec: int = 64, integers: Iterable[str] = NONE) -> int | None:
    """The sign of ``e`` at an exact rational point, None if the balls do not decide it."""
    value = at_point(e, point, prec, integers)
    if isinstance(value, fmpq):
        return (value > 0) - (value < 0)
    return 1 if value > 0 else -1 if value < 0 else None


def _binder_at_point(node: Expr, lo: Any, hi: Any, point: Mapping[str, Any], integers: frozenset[str]) -> Any:
    env = {k: spans.from_ball(v) for k, v in point.items()}
    return _binder(node, spans.from_ball(lo), spans.from_ball(hi), env, integers)


def _binder_on_box(
    node: Expr, lo: Span, hi: Span, box: Mapping[str, Span], integers: frozenset[str], partial: bool
) -> Span:
    return spans.from_ball(_binder(node, lo, hi, box, integers))


def _binder(node: Expr, lo: Span, hi: Span, env: Mapping[str, Span], integers: frozenset[str]) -> Any:
    try:
        if node.op == "integral":
            return integrals.integral(node, lo, hi, env)
        return series_sums.summation(node, lo, hi, env, integers)
    except OverflowError:  # an end or a parameter too long to be spelt out
        return points.NAN
