"""Witnesses as simple as they can be: small integers and fractions are tried first, and put in afterwards.

A witness found by an adversarial search has many digits; one that a reader checks in the head says more. Nothing
here decides: every point proposed is confirmed by the caller.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter

import numpy as np
from mpmath import mp as mpm
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


@dataclass(frozen=True)
class Grid:
    """Points with plain coordinates, the simplest first: for each name its values, and which one each point has."""

    values: Mapping[str, tuple[Fraction, ...]]
    picked: Mapping[str, NDArray[np.intp]]

    def __len__(self) -> int:
        return len(next(iter(self.picked.values()), ()))

    def point(self, index: int) -> dict[str, Fraction]:
        """The point number ``index``."""
        return {n: values[self.picked[n][index]] for n, values in self.values.items()}

    def column(self, name: str) -> NDArray[np.float64]:
        """The coordinate ``name`` of all points."""
        return np.array([float(v) for v in self.values[name]])[self.picked[name]]


def grid(names: list[str], allowed: Callable[[str, Fraction], bool], most: int = MAX_POINTS) -> Grid:
    """Points with plain coordinates inside the bounds, the simplest first, at most ``most``."""
    each = _EACH.get(len(names), 3)
    while each > 1 and each ** len(names) > most:
        each -= 1
    values: dict[str, tuple[Fraction, ...]] = {}
    total = np.zeros(1)
    for n in names:
        inside = sorted(((_COSTS[k], v) for k, v in enumerate(PLAIN) if allowed(n, v)), key=itemgetter(0))[:each]
        values[n] = tuple(v for _, v in inside)
        total = np.add.outer(total, [c for c, _ in inside]).ravel()
    order = np.argsort(total, kind="stable")[:most]
    shape = [len(v) for v in values.values()]
    return Grid(values, dict(zip(names, np.unravel_index(order, shape), strict=True)))


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
    if value:
        size = math.floor(math.log10(abs(value.numerator)) - math.log10(value.denominator))
        for digits in (0, 1, 2, 3, 4, 6, 8):
            step = Fraction(10) ** (size - digits)
            found |= {round(value / step) * step, math.floor(value / step) * step, math.ceil(value / step) * step}
    for limit in (4, 10, 100, 1000):
        found.add(value.limit_denominator(limit))
    limit_cost = cost(value) - 1e-9
    return sorted((v for v in found if cost(v) < limit_cost and (not whole or v.denominator == 1)), key=cost)


def exact_text(value: Fraction) -> str:
    """A rational number as an integer, a decimal with at most 120 places, or "a/b"."""
    if value.denominator == 1:
        return str(value.numerator)
    for places in range(1, 121):
        scaled = value * 10**places
        if scaled.denominator == 1:
            digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
            return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"
    return str(value)


def decimal(value: float, digits: int, integer: bool = False) -> str:
    """``value`` with that many significant digits, as short text that Fraction reads back."""
    if integer:
        return str(round(value))
    rounded = f"{Fraction(value).__float__():.{min(digits, 17) - 1}e}" if digits <= 17 else _long(value, digits)
    mantissa, _, exponent = rounded.partition("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    power = int(exponent)
    if -5 <= power <= 16:
        whole = Fraction(mantissa) * Fraction(10) ** power
        places = max(0, len(mantissa.partition(".")[2]) - power)
        scaled = abs(whole) * 10**places
        text = str(int(scaled)).rjust(places + 1, "0")
        text = f"{text[:-places]}.{text[-places:]}" if places else text
        return f"-{text}" if whole < 0 else text
    return f"{mantissa}e{power}"


def _long(value: float, digits: int) -> str:
    with mpm.workdps(digits + 5):
        return str(mpm.nstr(mpm.mpf(value), digits, min_fixed=1, max_fixed=0, show_zero_exponent=True))
