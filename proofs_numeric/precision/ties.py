"""Events within rounding of their threshold: found by the declared error bounds, decided in balls by replay.

A draw that carries ``width`` bounds the rounding error of each of its floats. A trial whose value is that close to a
threshold is drawn again from its own random numbers in 50 digits or more, and counts as the balls say.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from flint import ctx
from numpy.typing import NDArray

from boundcheck.system.exits import Unusable
from proofs_numeric.model.sphere import Array
from proofs_numeric.precision.replay import Replayed, Tape

DIGITS = (50, 100, 200, 400)  #: tried in this order until the ball lies on one side of every threshold
TAILED = ("standard_exponential", "standard_t")  #: the calls that sizes of noise come from


class AuditError(Unusable):
    """A reference that does not read the numbers that the draw used, or decides too little."""


class Peaks:
    """A generator that remembers the largest size of a noise number it gave, for bounds on rounding."""

    def __init__(self, rng: np.random.Generator):
        self._rng, self.largest = rng, 0.0

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method: Callable[..., Any] = getattr(self._rng, name)
        if name not in TAILED:
            return method

        def remembered(*arguments: Any, **options: Any) -> Any:
            value = method(*arguments, **options)
            self.largest = max(self.largest, float(np.abs(value).max(initial=0.0)))
            return value

        return remembered


def close(values: Array, width: Array | float, limits: Sequence[float]) -> NDArray[np.bool_]:
    """Whether some limit lies within ``width`` of each value."""
    ordered = np.sort(np.asarray(limits, dtype=np.float64))
    place = np.searchsorted(ordered, values)
    above = ordered[np.minimum(place, len(ordered) - 1)]
    below = ordered[np.maximum(place - 1, 0)]
    return np.minimum(np.abs(values - above), np.abs(values - below)) <= width


def drawn(
    draw: Callable[[Any, int], Array], fresh: Callable[[], np.random.Generator], n: int, limits: Sequence[float]
) -> tuple[Array, int | None]:
    """n values that compare with every limit as the exact ones do, and how many were too close for floats.

    ``fresh()`` gives the chunk's generator anew each time. The count is None where nothing is compared or the draw
    states no ``width``. Raises AuditError where a replay disagrees with the float by more than its width.
    """
    if not (limits and isinstance(draw, Replayed) and draw.width is not None):
        return draw(fresh(), n), None
    peaks = Peaks(fresh())
    values = draw(peaks, n)  # type: ignore[arg-type]
    if np.shape(values) != (n,) or np.isnan(values).any():
        return values, None  # told by the caller
    width = np.broadcast_to(draw.width(values, peaks.largest), values.shape)
    near = np.flatnonzero(close(values, width, limits))
    if len(near) == 0:
        return values, 0
    tape, one = Tape(fresh()), Tape(fresh())
    if not np.array_equal(draw(tape, n), values):  # type: ignore[arg-type]
        raise AuditError("a draw gave other values from the same random numbers")
    draw(one, 1)  # type: ignore[arg-type]
    values = np.array(values)
    for i in near:
        values[i] = _decided(draw, tape, one, int(i), float(values[i]), float(width[i]), limits)
    return values, len(near)


def _decided(
    draw: Replayed, tape: Tape, one: Tape, i: int, value: float, width: float, limits: Sequence[float]
) -> float:
    """A double on the same side of every limit as the exact value of trial ``i``."""
    for digits in DIGITS:
        with ctx.workdps(digits):
            single = tape.trial(i, one)
            try:
                [(exact, _)] = draw.reference(single, 1)
            except LookupError as error:
                raise AuditError(str(error)) from error
            if not single.empty:
                raise AuditError("the reference used other random numbers than the draw")
            if abs(exact - value) > width:
                raise AuditError(f"floats are off by {float(abs(exact - value)):.3g} where {width:.3g} is declared")
            below = [t for t in limits if exact > t]
            if abs(exact - value) <= width and len(below) + sum(bool(exact <= t) for t in limits) == len(limits):
                return _beside(below, limits)
    raise AuditError(f"the value {value!r} cannot be told from its threshold with {DIGITS[-1]} digits")


def _beside(below: Sequence[float], limits: Sequence[float]) -> float:
    """The smallest double above all of ``below``, which is at most every other limit."""
    return math.nextafter(max(below), math.inf) if below else min(limits)
