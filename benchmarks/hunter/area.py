"""The integral of a polynomial, or of a quotient of polynomials, over an interval."""

from __future__ import annotations

from typing import Any

from flint import acb, arb, fmpq, fmpq_poly

from benchmarks.hunter import nums
from benchmarks.hunter.nums import ZERO, Unknown, Value, add, mul
from benchmarks.hunter.ratio import Ratio, ratio


def area(found: Value, low: Value, high: Value) -> Value | None:
    """The integral of a polynomial, or of a quotient of two, over an interval; None where it diverges."""
    if nums.is_vector(found):
        areas = tuple(area(x, low, high) for x in found)
        return None if any(a is None for a in areas) else areas
    found = nums.scalar(found)
    if isinstance(found, Ratio):
        return _of_ratio(found, low, high)
    if isinstance(low, float) or isinstance(high, float):
        return ZERO if nums.is_zero(found) else None
    if isinstance(found, fmpq_poly):
        primitive = found.integral()
        return primitive(high) - primitive(low)
    return mul(found, high - low)


def _of_ratio(f: Ratio, low: Value, high: Value) -> Value | None:
    """The integral of a quotient without removable poles: it exists where no pole is, nor too much far out."""
    if isinstance(low, float):
        if isinstance(high, float):
            parts = area(f, low, ZERO), area(f, ZERO, high)
            return None if None in parts else add(*parts)
        minus = fmpq_poly([0, -1])
        return area(ratio(f.num(minus), f.den(minus)), -high, float("inf"))
    if isinstance(high, float):
        if f.den.degree() < f.num.degree() + 2 or _has_root(f.den, low, high):
            return None
        return area(_moved(f, low - 1), ZERO, fmpq(1))
    if _has_root(f.den, low, high):
        return None
    found = acb.integral(lambda z, _: _at(f.num, z) / _at(f.den, z), acb(arb(low)), acb(arb(high))).real
    if not found.is_finite():
        raise Unknown("no finite integral")
    return found


def _moved(f: Ratio, shift: fmpq) -> fmpq_poly | Ratio:
    """f(shift + 1/u)/u**2 as a function of u: its integral over (0, 1/a) is that of f over (shift + a, oo)."""
    top = max(f.num.degree(), f.den.degree())
    return ratio(_turned(f.num, shift, top), _turned(f.den, shift, top) * fmpq_poly([0, 0, 1]))


def _turned(p: fmpq_poly, shift: fmpq, top: int) -> fmpq_poly:
    """u**top p(shift + 1/u)."""
    moved = p(fmpq_poly([shift, 1]))
    return fmpq_poly([moved[top - k] for k in range(top + 1)])


def _at(p: fmpq_poly, z: acb) -> acb:
    total = acb(0)
    for k in range(p.degree(), -1, -1):
        total = total * z + acb(arb(p[k]))
    return total


def _has_root(p: fmpq_poly, low: fmpq, high: Any) -> bool:
    """Whether a polynomial is 0 somewhere between the ends, or at one of them."""
    if p(low) == 0 or (not isinstance(high, float) and p(high) == 0):
        return True
    q: Any
    for q, _ in p.factor()[1]:
        roots: list[Any] = [pair[0] for pair in q.complex_roots()]
        for root in roots:
            if 0 in root.imag and not root.real < low and (isinstance(high, float) or not root.real > high):
                return True  # roots that are no rationals are real where their conjugates are themselves
    return False
