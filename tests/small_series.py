"""Series in h and L = -log h from small tables, with their values at a point, for tests of expansions."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpq

from boundcheck.kernel.check.algebra import Algebra
from boundcheck.kernel.check.laurent import Series, Trans
from boundcheck.kernel.check.quotients import Ratio
from boundcheck.kernel.check.series import Expander
from boundcheck.kernel.enclosure import intervals as iv
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.formula import parse

F = Fraction
WIDTH = F(1, 3)
BOX = {"a": (arb(1), arb(2), False, False), "c": (arb(-1), arb(1), False, False)}


def expander(depth: int = 6, width: Fraction = WIDTH) -> Expander:
    return Expander(Algebra(lambda e: str(e) == "a"), BOX, width, depth)


def exact(q: Fraction | int) -> arb:
    return arb(fmpq(F(q).numerator, F(q).denominator))


def series(terms: dict[tuple[object, object], object], order: object = None, **rest: tuple[int, int]) -> Series:
    """From {(e, m): c} and the remainder's intervals by name: l0 for L^0, l1 for L, m1 for 1/L."""
    powers = {"m1": F(-1), "l0": F(0), "l1": F(1)}
    return Series(
        {(F(str(e)), F(str(m))): fmpq(F(str(c)).numerator, F(str(c)).denominator) for (e, m), c in terms.items()},
        None if order is None else F(str(order)),
        {powers[k]: (arb(lo), arb(hi), False, False) for k, (lo, hi) in rest.items()},
    )


# --------------------------------------------------------------- series times exponentials

NARROW = F(1, 20)


def coefficient(x: Expander, c: object) -> object:
    return x._normal(parse(c)) if isinstance(c, str) else fmpq(F(c).numerator, F(c).denominator)


def klass(x: Expander, terms: dict[tuple[object, object], object]) -> tuple:
    """The exponent sum of c h^e L^m, frozen; a text is a coefficient in a."""
    return x._freeze({(F(str(e)), F(str(m))): coefficient(x, c) for (e, m), c in terms.items()})


def number(c: object, a: Fraction) -> arb:
    """The value of a coefficient at a."""
    if isinstance(c, fmpq):
        return arb(c)
    e = c.expr() if isinstance(c, Ratio) else c
    value = enclose(e, {"a": iv.point(exact(a)), "c": iv.point(exact(a - F(3, 2)))})
    return iv.ball(value)  # no number where the coefficient has no value


def exponent(k: tuple, h: arb, a: Fraction) -> arb:
    return sum((number(c, a) * h ** exact(e) * (-h.log()) ** exact(m) for (e, m), c in k), arb(0))


def told(t: Trans, h: arb, a: Fraction, end: int | None = None) -> arb | iv.Interval:
    """What a trans-series says at h and a: all values, or that with the remainders at one end."""
    low = high = arb(0)
    L = -h.log()
    for k, s in t.items():
        factor = exponent(k, h, a).exp()
        pieces = [(number(c, a), number(c, a), e, m) for (e, m), c in s.terms.items()]
        pieces += [(r[0], r[1], s.order, m) for m, r in s.rest.items()]
        for lo, hi, e, m in pieces:
            power = factor * h ** exact(e) * L ** exact(m)
            low, high = low + power * lo, high + power * hi
    return (low.lower(), high.upper(), False, False) if end is None else (low, high)[end]


def trans(x: Expander, *parts: tuple[dict, Series]) -> Trans:
    return {klass(x, terms): s for terms, s in parts}


def symbolic(x: Expander, terms: dict[tuple[object, object], object], order: object = None, **rest) -> Series:
    found = series({}, order, **rest)
    found.terms = {(F(str(e)), F(str(m))): coefficient(x, c) for (e, m), c in terms.items()}
    return found


def _s(terms: dict, order: object = None, **rest: tuple[int, int]) -> tuple[dict, object, dict]:
    return terms, order, rest


DOWN, UP, STEEP, LOG, ONE = {(-1, 0): -1}, {(-1, 0): 1}, {(-1, 0): 2}, {(0, 1): "a"}, _s({(0, 0): 1})
#: sums of exponentials times series: (exponent, series) each
SAMPLES = [
    [({}, _s({(0, 0): 1, (1, 0): 1}))],
    [({}, _s({(1, 0): 1}))],
    [({}, _s({(-1, 0): 1}))],
    [({}, _s({(1, 0): 2, (2, 0): -1}, 3, l0=(-1, 1)))],
    [({}, _s({(1, 1): 1}))],
    [({}, _s({(0, 0): 1, (1, 1): 1}))],
    [({}, _s({(0, 1): 1}))],
    [({}, _s({(0, 1): 1, (0, 0): 1}))],
    [(UP, ONE), ({}, ONE)],
    [(DOWN, _s({(1, 0): 1})), ({}, _s({(0, 0): 2}))],
    [(DOWN, _s({(-1, 0): 1}))],
    [({(-1, 0): "a"}, ONE), ({}, ONE)],
    [({}, _s({(0, 0): "a", (1, 0): 1}))],
    [({}, _s({(0, 0): -1, (1, 0): 1}))],
    [({}, _s({(0, 0): 1}, 1, l0=(-1, 1)))],
    [({}, _s({(2, 0): 1}, 3, l0=(0, 1), l1=(-1, 0)))],
    [(STEEP, ONE), (UP, _s({(0, 0): -1}))],
    [(LOG, ONE)],
    [(LOG, ONE), ({}, _s({(1, 0): 1}))],
    [(DOWN, _s({(0, 0): 1}, 1, l0=(0, 1))), ({}, _s({(0, 0): 1, (1, 0): "a"}))],
    [(DOWN, ONE), ({(-1, 0): -2}, _s({(0, 0): -1, (-1, 0): 1}))],
    [({}, _s({(0, 0): -2, (1, 0): "a"}))],
    [({}, _s({(0, 0): "1/2", ("1/2", 0): "a", (1, 0): -1}))],
    [({}, _s({(-1, 0): "-a", (0, 1): 1}))],
    [({}, _s({(-1, 0): -1, (0, 0): 1, (1, 0): 1}))],
    [({}, _s({(0, 1): 2, (0, 0): 1, (1, 0): 1}))],
    [({}, _s({(0, 0): 1, (0, -1): 1}))],
    [({}, _s({(0, 2): -1, (1, 0): 1}))],
    [({}, _s({(0, 0): 3}))],
    [({}, _s({(0, 1): "-a", (0, 0): 1}))],
    [({}, _s({(1, 0): "c", (2, 0): 1}))],
    [],
    [({}, _s({(0, 1): 1}, 1, l0=(-1, 1)))],
    [({}, _s({(1, 2): "a"}, 2, l1=(-1, 1), m1=(0, 1)))],
    [({}, _s({(1, -1): 1}, 2, l0=(0, 1)))],
    [({}, _s({(2, 0): 1}, 3, l0=(-30, 0)))],
    [({}, _s({(1, 1): 2}, 2, l1=(-3, 0)))],
    [({}, _s({(-1, 1): -1}))],
    [({}, _s({(-1, 1): 2, (-1, 0): 1, (0, 1): -1}))],
    [({}, _s({(0, 0): 1, (1, 0): -3, (2, 0): "-a"}, 3, l0=(-9, 9)))],
    [({}, _s({(0, 0): "a", (0, 1): 1, (1, 0): 1}))],
    [({(0, "1/2"): -1}, ONE), ({}, ONE)],
    [({(0, 2): -1}, _s({(-1, 0): 1})), ({}, _s({(0, 0): 1}))],
    [({}, _s({}, 1, l0=(1, 2)))],
    [({}, _s({(0, 0): 1}, 0, l0=(0, 1)))],
    [({}, _s({(1, 0): 1}, 1, l0=(0, 1)))],
    [(UP, _s({(0, 0): -1, (1, 0): 1})), ({}, _s({(0, 0): 5}))],
    [(LOG, _s({(1, 0): -1, (2, 0): "a"}))],
]


def sample(x: Expander, at: int) -> Trans:
    """A trans-series of the table."""
    return {klass(x, terms): symbolic(x, parts, order, **rest) for terms, (parts, order, rest) in SAMPLES[at]}
