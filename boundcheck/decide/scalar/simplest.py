"""Witnesses as simple as they can be: small integers and fractions are tried first, and put in afterwards.

A witness found by an adversarial search has many digits; one that a reader checks in the head says more. Nothing
here decides: every point proposed is confirmed by the caller.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Point = Mapping[str, Fraction]
_VALUES = (
    "0 1 2 1/2 3 -1 -2 -1/2 4 3/2 1/3 -3 1/4 5 2/3 3/4 6 8 10 -3/2 1/5 4/3 5/2 -1/4 -4 -5 1/8 1/10 -10 -1/10 9/10 "
    "11/10 7 9 12 16 20 -3/4 50 100 -100 1/16 1/20 19/20 21/20 1/50 1/100 -1/100 99/100 101/100 1000 1/1000 -1000 "
    "999/1000 1001/1000 10000 1/10000 1000000 1/1000000"
)
PLAIN = tuple(Fraction(t) for t in _VALUES.split())
MAX_POINTS = 4096
_EACH = {1: 61, 2: 48, 3: 16, 4: 8, 5: 5, 6: 4}  #: values a variable, by the number of variables


def cost(value: Fraction) -> float:
    """About the number of bits that a reader has to take in."""
    bits = math.log2(1 + abs(value.numerator)) + 1.5 * math.log2(value.denominator)
    return bits + (0.5 if value < 0 else 0.0)


_COSTS = tuple(map(cost, PLAIN))


def grid(
    names: list[str], allowed: Callable[[str, Fraction], bool], most: int = MAX_POINTS
) -> tuple[dict[str, list[Fraction]], NDArray[np.intp]]:
    """Plain values of each variable, and at most ``most`` points of their grid as a column of indices each.

    The points lie inside the bounds, and the simplest comes first.
    """
    each = _EACH.get(len(names), 3)
    while each > 1 and each ** len(names) > most:
        each -= 1
    inside = [sorted((c, v) for c, v in zip(_COSTS, PLAIN, strict=True) if allowed(n, v))[:each] for n in names]
    costs, at = np.zeros(1), []
    for values in inside:
        costs = np.add.outer(costs, [c for c, _ in values]).ravel()
    first = np.argsort(costs, kind="stable")[:most]
    for values in reversed(inside):
        first, i = np.divmod(first, len(values))
        at.append(i)
    return {n: [v for _, v in values] for n, values in zip(names, inside, strict=True)}, np.array(at[::-1])


def simpler(
    point: Point, breaks: Callable[[Point], bool], integer: Callable[[str], bool], going: Callable[[], bool]
) -> dict[str, Fraction]:
    """The point with one coordinate after the other made plain, as long as ``breaks`` still says yes."""
    best = dict(point)
    for _ in (1, 2):
        changed = False
        for n in sorted(best, key=lambda n: -cost(best[n])):
            for value in _options(best[n], integer(n)):
                if not going():
                    return best
                trial = {**best, n: value}
                if breaks(trial):
                    best, changed = trial, True
                    break
        if not changed:
            break
    return best


def _options(value: Fraction, whole: bool) -> list[Fraction]:
    """Plain values and roundings of ``value``, all simpler than it."""
    found = {v for v in PLAIN if not whole or v.denominator == 1}
    for digits in (1, 2, 3, 4, 5, 7, 9):
        found |= {rounded(value, digits, way) for way in (round, math.floor, math.ceil)}
    for limit in (4, 10, 100, 1000):
        found.add(value.limit_denominator(limit))
    limit_cost = cost(value) - 1e-9
    return sorted((v for v in found if cost(v) < limit_cost and (not whole or v.denominator == 1)), key=cost)


def rounded(value: Fraction, digits: int, way: Callable[[Fraction], int] = round) -> Fraction:
    """The number with that many significant digits."""
    if not value:
        return value
    size = math.floor(math.log10(abs(value.numerator)) - math.log10(value.denominator))
    step = Fraction(10) ** (size + 1 - digits)
    return way(value / step) * step


def exact_text(value: Fraction) -> str:
    """A rational number as an integer or decimal, with a power of 10 where it is far from 1, or as "a/b"."""
    with localcontext(Context(prec=120)):
        x = (Decimal(value.numerator) / Decimal(value.denominator)).normalize()
    if Fraction(x) != value:
        return str(value)
    return f"{x:f}" if -5 <= x.adjusted() <= 16 else f"{x:e}".replace("e+", "e")
