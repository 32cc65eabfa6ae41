"""The line of a model, an independent coordinate beside its atoms: its pieces, means over it, its null events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from flint import fmpq

from benchmarks.hunter import nums
from benchmarks.hunter.area import area as area_under
from benchmarks.hunter.model import LINE, Function, Model, Rv, Sigma
from benchmarks.hunter.nums import ZERO, Split, Unknown, Value, add, compare, mul

MOST_PIECES = 10_000  #: of the line, for the means of one model: what asks for more is not known
MAX_POINTS = 200  #: points of the heavy line between two ends


def parts(v: Any) -> tuple[Any, ...]:
    """The components of a vector; a scalar as the only one."""
    return v if isinstance(v, tuple) else (v,)


def key_of(v: Any) -> Any:
    """A value as part of a key: numerator and denominator are hashed much faster than a rational number."""
    if type(v) is fmpq:
        return v.p, v.q
    return tuple([key_of(x) for x in v]) if isinstance(v, tuple) else v


def at_point(v: Value, point: fmpq) -> Value:
    """Polynomials in a value at a point."""
    if isinstance(v, tuple):
        return tuple(at_point(x, point) for x in v)
    return v(point) if isinstance(v, nums.VARIES) else v


class OnLine:
    """Where on its line a model is looked at: a span, or a point."""

    m: Model
    span: tuple[Value, Value] | None
    point: fmpq | None = None  #: the coordinate of the line, where it is one number
    taken = 0  #: pieces of the line that means were taken over

    def along(self, value: Callable[[], Any], cuts: bool = False) -> Iterator[tuple[tuple[Value, Value] | fmpq, Any]]:
        """The values on the line: on intervals of it, and at its single points where it is discrete.

        With ``cuts`` also at the points between two intervals, which have no mass where it is not.
        """
        heavy = self.m.line != "uniform"
        pending, splits, points = [self.m.span], 0, set()
        before, point = self.span, self.point
        while pending:
            low, high = pending.pop()
            if heavy and not isinstance(high, float):
                first, after = int(low.floor()) + 1, int(high.ceil())
                if after - first <= MAX_POINTS:
                    points |= {fmpq(k) for k in range(first, after)}
                    continue
            try:
                self.span, self.point = (low, high), None
                found = value()
            except Split as cut:
                splits += 1
                if splits > 40:
                    raise Unknown("too many pieces") from None
                pending += [(low, cut.point), (cut.point, high)]
                if cut.point.q == 1 if heavy else cuts:
                    points.add(cut.point)
                continue
            finally:
                self.span, self.point = before, point
            yield (low, high), found
        for p in sorted(points):
            try:
                self.span, self.point = None, p
                found = value()
            finally:
                self.span, self.point = before, point
            yield p, found

    def line_mean(self, value: Callable[[], Value]) -> tuple[Value, bool]:
        """The mean over the line, and whether it exists."""
        total: Value = ZERO
        exists = True
        for where, found in self.along(value):
            self.taken += 1
            if self.taken > MOST_PIECES:  # means of means of means
                raise Unknown("too many pieces in all")
            if isinstance(where, fmpq):
                total = add(total, mul(self.m.mass(where), found))
                continue
            low, high = where
            if self.m.line == "uniform":
                area = area_under(found, low, high)
                exists = exists and area is not None
                total = total if area is None else add(total, mul(fmpq(1, 2), area))
                continue
            means = [self._between(nums.scalar(x), low, high) for x in parts(found)]
            if any(x is None for x in means):
                exists = False
            else:
                total = add(total, tuple(means) if nums.is_vector(found) else means[0])
        return total, exists

    def _between(self, x: Value, low: fmpq, high: Value) -> fmpq | None:
        """The mean of a polynomial in N on low < N < high; None where it does not exist."""
        mean = self.m.tail_mean(x, int(low.floor()))
        if isinstance(high, float):
            return mean
        rest = self.m.tail_mean(x, int(high.ceil()) - 1)
        if mean is None or rest is None:
            raise Unknown("a mean over many points")
        return mean - rest

    def null(self, args: list[Value]) -> bool:
        """Whether the outcome is in the null event that belongs to the values: the line is at the last coordinate.

        So what is said almost surely for each of uncountably many values fails at one that is the line itself.
        """
        if self.m.line != "uniform" or not args:
            return False
        last = args[-1][-1] if isinstance(args[-1], tuple) else args[-1]
        if isinstance(last, bool | Sigma | Rv | Function):
            return False
        if self.point is None and self.span is None:
            raise Unknown("nowhere on the line")
        return compare("==", last, LINE if self.point is None else self.point, self.span)
