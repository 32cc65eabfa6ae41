"""The integral of a polynomial of the models over an interval."""

from __future__ import annotations

from flint import fmpq_poly

from boundcheck.models import nums
from boundcheck.models.nums import ZERO, Value, mul


def area(found: Value, low: Value, high: Value) -> Value | None:
    """The integral of a polynomial over an interval; None where it diverges."""
    if nums.is_vector(found):
        areas = tuple(area(x, low, high) for x in found)
        return None if any(a is None for a in areas) else areas
    found = nums.scalar(found)
    if isinstance(low, float) or isinstance(high, float):
        return ZERO if nums.is_zero(found) else None
    if isinstance(found, fmpq_poly):
        primitive = found.integral()
        return primitive(high) - primitive(low)
    return mul(found, high - low)
