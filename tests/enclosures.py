"""Boxes around points and the agreement of enclosures, shared by the tests of the verifier."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpq

from boundcheck.kernel.enclosure import intervals as iv


def box(**values: Fraction | float) -> dict[str, iv.Interval]:
    found = {}
    for name, x in values.items():
        q = Fraction(x)
        ball = arb(fmpq(q.numerator, q.denominator))
        found[name] = (ball.lower(), ball.upper(), False, False)
    return found


def agree(a: iv.Interval | None, b: iv.Interval | None) -> bool:
    """Whether two enclosures of one value overlap; a formula that is undefined there says nothing."""
    return a is None or b is None or bool(a[0] <= b[1] and b[0] <= a[1])
