"""Sines and cosines in the normal form: angle addition, exact values at pi/6 and pi/4, sin^2 = 1 - cos^2."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from boundcheck.kernel.exact.power_products import (
    ONE,
    UNIT,
    ZERO,
    Poly,
    TooLarge,
    generator,
    integer_power,
    number,
)

_HALF = Fraction(1, 2)
_MOST = 24  #: largest multiple of an angle that is expanded
_PI_MONO = frozenset({(("c", "pi"), Fraction(1))})


def _root(n: int) -> Poly:
    return generator(("n", n), _HALF)


def _unit(n: Any, mono: Any, denominator: int) -> tuple[Poly, Poly]:
    """sin and cos of mono/denominator; of an arcsine or an arctangent by its argument."""
    if mono == _PI_MONO:
        known = {
            1: (ZERO, -ONE),
            2: (ONE, ZERO),
            3: (_root(3).scaled(_HALF), number(_HALF)),
            4: (_root(2).scaled(_HALF), _root(2).scaled(_HALF)),
            6: (number(_HALF), _root(3).scaled(_HALF)),
        }
        if denominator in known:
            return known[denominator]
    if len(mono) == 1 and denominator == 1:
        ((base, e),) = mono
        if e == 1 and base[0] == "f" and base[1] in ("asin", "atan"):
            p = base[2][0]
            if base[1] == "asin":
                return p, n.power(ONE - p * p, _HALF)
            cosine = n.power(ONE + p * p, -_HALF)
            return p * cosine, cosine
    angle = Poly({mono: Fraction(1, denominator)})
    return generator(("f", "sin", (angle,))), generator(("f", "cos", (angle,)))


def sine_cosine(n: Any, angle: Poly) -> tuple[Poly, Poly]:
    """sin and cos of a sum, in the sines and cosines of its terms."""
    sine, cosine = ZERO, ONE
    for mono, c in angle.terms.items():
        if mono == _PI_MONO and c.denominator in (1, 2, 3, 4, 6):
            c = c % 2
        times = abs(c.numerator)
        if times > _MOST:
            raise TooLarge("a large multiple of an angle")
        s1, c1 = _unit(n, mono, c.denominator)
        if c < 0:
            s1 = -s1
        s, k = ZERO, ONE
        for _step in range(times):
            s, k = s * c1 + k * s1, k * c1 - s * s1
        sine, cosine = sine * k + cosine * s, cosine * k - sine * s
    return sine, cosine


def reduce_squares(p: Poly) -> Poly:
    """p with sin^2 written as 1 - cos^2, in the top level of its monomials."""
    total = ZERO
    for mono, c in p.terms.items():
        term = Poly({UNIT: c})
        for base, e in mono:
            if base[0] == "f" and base[1] == "sin" and isinstance(e, Fraction) and e >= 2 and e.denominator == 1:
                cosine = generator(("f", "cos", base[2]))
                term = term * integer_power(ONE - cosine * cosine, int(e) // 2) * generator(base, e % 2)
            else:
                term = term * generator(base, e)
        total += term
    return total


#: f(g(u)) = u where lo <= u <= hi in units of pi (open ends for the tangent)
_BRANCH = {
    ("asin", "sin"): (-_HALF, _HALF),
    ("acos", "cos"): (Fraction(0), Fraction(1)),
    ("atan", "tan"): (-_HALF, _HALF),
}


def on_its_branch(n: Any, outer: str, inner: str, angle: Poly) -> Poly | None:
    """The angle itself for asin(sin u), acos(cos u), atan(tan u) where it is proved to lie on the branch."""
    ends = _BRANCH.get((outer, inner))
    if ends is None:
        return None
    known = n.facts.is_positive if outer == "atan" else n.facts.is_nonnegative
    low, high = (Poly({_PI_MONO: end}) if end else ZERO for end in ends)
    return angle if known(angle - low) and known(high - angle) else None


def arctangent(n: Any, p: Poly) -> Poly:
    """atan p; of 1/q it is pi/2 - atan q for q > 0, written in whichever of the two leads with a positive power."""
    if len(p.terms) == 1 and n.facts.is_positive(-p):
        return -arctangent(n, -p)
    if len(p.terms) == 1 and n.facts.is_positive(p):
        ((mono, c),) = p.terms.items()
        lead = min(mono, key=str)[1] if mono else 1 - abs(c)
        if isinstance(lead, Fraction) and lead < 0:
            rest: Poly = n.odd("atan", n.power(p, Fraction(-1)))
            return Poly({_PI_MONO: _HALF}) - rest
    atom: Poly = n.odd("atan", p)
    return atom
