"""Rigorous enclosures in ball arithmetic (python-flint ``arb``): the arithmetic that certifies.

``enclose`` takes intervals, and evaluates integrals and sums. It returns None where the expression is undefined or not
provably defined: 0**y is 0 for y > 0, 0**0 is 1 only for an exponent that is an integer by form, a negative base
only has such exponents, loggamma lives on (0, oo). Decimals are exact rationals, never doubles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from flint import ctx

from boundcheck.kernel.clock import exhausted
from boundcheck.kernel.enclosure import intervals, points, ranges
from boundcheck.kernel.enclosure.intervals import Interval, Whole
from boundcheck.kernel.enclosure.ranges import Box
from boundcheck.kernel.formula import Expr

NONE: frozenset[str] = frozenset()


def enclose(e: Expr, box: Box) -> Interval | None:
    """An interval that holds every value of ``e`` on the box; None where one may be undefined.

    The precision is the one in force. An infinite end is a limit, not a point.
    """
    return ranges.evaluate(e, box, _binder_on_box)


def box_of(env: Mapping[str, Any], integers: Iterable[str]) -> dict[str, Interval | None]:
    """The intervals of numbers and balls."""
    box = {k: intervals.around(v) for k, v in env.items()}
    for name in box.keys() & set(integers):
        value = box[name]
        box[name] = None if value is None else Whole(value)
    return box


def binder_at_point(node: Expr, lo: Any, hi: Any, point: Mapping[str, Any], integers: frozenset[str]) -> Any:
    """An integral or a sum at a point: a ball, NaN where it is not known."""
    low, high = intervals.around(lo), intervals.around(hi)
    return points.NAN if low is None or high is None else _binder(node, low, high, box_of(point, integers))


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
    value = intervals.point(points.as_arb(points.value_at(node, {}, NONE, binder_at_point)))
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
