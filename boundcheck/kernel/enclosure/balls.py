"""Rigorous enclosures in ball arithmetic (python-flint ``arb``): the arithmetic that certifies.

``evaluate`` takes balls, ``enclose`` intervals, ``at_point`` exact rationals; integrals and sums are evaluated in all
three. They return NaN (``enclose``: None) where the expression is undefined or not provably defined:
0**y is 0 for y > 0, 0**0 is 1 only for an exponent that is an integer by form, a negative base only
has such exponents, loggamma lives on (0, oo). Decimals are exact rationals, never doubles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import ctx, fmpq

from boundcheck.kernel.clock import exhausted
from boundcheck.kernel.enclosure import intervals, points, ranges
from boundcheck.kernel.enclosure.intervals import Interval, Whole
from boundcheck.kernel.enclosure.ranges import Box
from boundcheck.kernel.enclosure.straight_line import exact_of, spelled
from boundcheck.kernel.formula import Expr

NONE: frozenset[str] = frozenset()


def evaluate(e: Expr, env: Mapping[str, Any], prec: int = 64, integers: Iterable[str] = NONE) -> Any:
    """An ``arb`` that contains every value of ``e`` over the balls of ``env``; NaN if one may be undefined.

    Exact balls are treated as points, wide ones by their ends, so monotone functions stay tight.
    ``integers`` names the variables that are integers by declaration (it decides 0**0 and (-1)**n).
    """
    with ctx.workprec(prec):
        if all(v.is_exact() and spelled(v) for v in env.values()):
            point = {k: exact_of(v) for k, v in env.items()}
            return points.as_arb(points.value_at(e, point, frozenset(integers), _binder_at_point))
        return intervals.ball(enclose(e, _box(env, integers)))


def enclose(e: Expr, box: Box) -> Interval | None:
    """An interval that holds every value of ``e`` on the box; None where one may be undefined.

    The precision is the one in force. An infinite end is a limit, not a point.
    """
    return ranges.evaluate(e, box, _binder_on_box)


def _box(env: Mapping[str, Any], integers: Iterable[str]) -> dict[str, Interval | None]:
    box = {k: intervals.around(v) for k, v in env.items()}
    for name in box.keys() & set(integers):
        value = box[name]
        box[name] = None if value is None else Whole(value)
    return box


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
    low, high = intervals.around(lo), intervals.around(hi)
    return points.NAN if low is None or high is None else _binder(node, low, high, _box(point, integers))


def _binder_on_box(node: Expr, lo: Interval, hi: Interval, box: Box) -> Interval | None:
    if not node.free:
        try:
            return _closed(node, ctx.prec)
        except _Spent:
            return None
    if not all(intervals.bounded(box.get(name)) for name in node.free):
        return None
    return intervals.point(_binder(node, lo, hi, box))


class _Spent(Exception):
    """A budget has ended before a value was found: nothing to remember."""


@lru_cache(maxsize=512)
def _closed(node: Expr, bits: int) -> Interval | None:
    """An integral or sum without parameters: computed once. Raises :class:`_Spent`."""
    value = intervals.point(points.as_arb(points.value_at(node, {}, NONE, _binder_at_point)))
    if value is None and exhausted():
        raise _Spent
    return value


def _binder(node: Expr, lo: Interval, hi: Interval, box: Box) -> Any:
    try:
        if node.op == "integral":
            from boundcheck.kernel.enclosure.integrals import (
                integral,  # here and below: where none is, none is trusted
            )

            return integral(node, lo, hi, box)
        from boundcheck.kernel.enclosure.series_sums import summation

        return summation(node, lo, hi, box)
    except OverflowError:  # an end or a parameter too long to be spelt out
        return points.NAN
