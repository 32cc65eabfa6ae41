"""Interval arithmetic with exact ends, infinite ends and open ends: the one that the kernel bounds formulas with.

An interval is a tuple (lo, hi, lo_open, hi_open) with exact (radius 0) ``arb`` ends, possibly infinite;
an open flag says that the value never equals that end, as at an infinite one. Every function is bounded from values at
ends, rounded outward, so wide boxes stay sharp where plain balls would not: exp over [0, 40] is [1, exp 40], and sqrt
over [0, 1] is [0, 1]. ``None`` means: not certainly defined on the whole box.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from boundcheck.kernel.enclosure import points
from boundcheck.kernel.enclosure.ends import ends
from boundcheck.kernel.enclosure.straight_line import integer_of
from boundcheck.kernel.formula.functions import TABLE

Interval = tuple[Any, Any, bool, bool]


class Whole(tuple[Any, Any, bool, bool]):
    """The interval of a variable that is an integer, by declaration; arithmetic gives plain ones."""

    __slots__ = ()


INF, NINF, ZERO, ONE = arb.pos_inf(), arb.neg_inf(), arb(0), arb(1)
FARTHEST_POLE = 60  #: beyond it Gamma is not looked at on the negative axis
ENTIRE: Interval = (NINF, INF, True, True)
NOTHING: Interval = (arb.nan(), arb.nan(), False, False)  #: of which nothing is known


def exact(q: Fraction) -> Any:
    """The ball of a rational number."""
    return arb(fmpq(q.numerator, q.denominator))


def point(b: Any) -> Interval | None:
    """The interval of a ball; None for NaN or an unbounded ball."""
    if not b.is_finite():
        return None
    return (b.lower(), b.upper(), False, False)


def around(value: Any) -> Interval | None:
    """The interval of a number or a ball, which may be infinite; None for NaN."""
    b = points.as_arb(value)
    return None if b.is_nan() else between(b.lower(), b.upper())


def between(lo: Any, hi: Any) -> Interval:
    """[lo, hi], open where it is infinite."""
    return (lo, hi, bool(abs(lo) == INF), bool(abs(hi) == INF))


def ball(a: Interval | None) -> Any:
    """A ball that contains an interval, NaN for None."""
    return points.NAN if a is None else a[0].union(a[1])


def bounded(a: Interval | None) -> bool:
    """Whether an interval is known and has finite ends."""
    return a is not None and bool(a[0] > NINF and a[1] < INF)


def _lower(a: Interval) -> tuple[Any, bool]:
    """The lower end, smaller where the interval begins sooner: a closed end does before an open one."""
    return a[0], a[2]


def _upper(a: Interval) -> tuple[Any, bool]:
    """The upper end, larger where the interval ends later."""
    return a[1], not a[3]


def hull(parts: Iterable[Interval]) -> Interval:
    """The smallest interval that contains all of ``parts``; NaN where one of them is."""
    parts = tuple(parts)
    if any(map(_unknown, parts)):
        return NOTHING
    (lo, lo_open), (hi, closed) = min(map(_lower, parts)), max(map(_upper, parts))
    return (lo, hi, lo_open, not closed)


def meet(a: Interval, b: Interval) -> Interval | None:
    """The intersection; None if empty."""
    (lo, lo_open), (hi, closed) = max(_lower(a), _lower(b)), min(_upper(a), _upper(b))
    return None if lo > hi or (lo == hi and (lo_open or not closed)) else (lo, hi, lo_open, not closed)


def _unknown(a: Interval) -> bool:
    """Whether an end is NaN, which no comparison sees."""
    return bool(a[0].is_nan() or a[1].is_nan())


def add(a: Interval, b: Interval) -> Interval:
    """x + y for x in a, y in b; an end is open where one of the two is."""
    return ((a[0] + b[0]).lower(), (a[1] + b[1]).upper(), a[2] or b[2], a[3] or b[3])


def neg(a: Interval) -> Interval:
    """-a, rounded outward: a minus sign rounds what is longer than the precision in force."""
    return ((-a[1]).lower(), (-a[0]).upper(), a[3], a[2])


def sub(a: Interval, b: Interval) -> Interval:
    """x - y for x in a, y in b."""
    return ((a[0] - b[1]).lower(), (a[1] - b[0]).upper(), a[2] or b[3], a[3] or b[2])


def _times(x: Any, xo: bool, y: Any, yo: bool) -> tuple[Any, bool]:
    """A corner of a product: its ball and whether the corner's value is not attained there."""
    if x == 0 or y == 0:
        return ZERO, not ((x == 0 and not xo) or (y == 0 and not yo))
    return x * y, xo or yo


def mul(a: Interval, b: Interval) -> Interval:
    """x y for x in a, y in b."""
    if a[0] >= 0 and b[0] >= 0:
        lo, lo_open = _times(a[0], a[2], b[0], b[2])
        hi, hi_open = _times(a[1], a[3], b[1], b[3])
        return (lo.lower(), hi.upper(), lo_open, hi_open)
    low: Any = None
    high: Any = None
    low_open = high_open = True
    for x, xo in ((a[0], a[2]), (a[1], a[3])):
        for y, yo in ((b[0], b[2]), (b[1], b[3])):
            value, is_open = _times(x, xo, y, yo)
            if value.is_nan():  # no comparison would see it
                return NOTHING
            bottom, top = value.lower(), value.upper()
            if low is None or bottom < low:
                low, low_open = bottom, is_open
            elif bottom == low:
                low_open = low_open and is_open
            if high is None or top > high:
                high, high_open = top, is_open
            elif top == high:
                high_open = high_open and is_open
    return (low, high, low_open, high_open)


def reciprocal(a: Interval) -> Interval | None:
    """1/x for x in a; None where 0 is in a."""
    lo, hi, lo_open, hi_open = a
    if lo > 0 or (lo == 0 and lo_open):
        top = INF if lo == 0 else (1 / lo).upper()
        return ((ZERO if hi == INF else (1 / hi).lower()), top, hi_open, lo_open)
    if hi < 0 or (hi == 0 and hi_open):
        inner = reciprocal(neg(a))
        return None if inner is None else neg(inner)
    return None


def div(a: Interval, b: Interval) -> Interval | None:
    """x/y for x in a, y in b; None where 0 is in b."""
    inverse = reciprocal(b)
    return None if inverse is None else mul(a, inverse)


def _monotone(f: Callable[[Any], Any], a: Interval) -> Interval | None:
    lo, hi = f(a[0]), f(a[1])
    lo, hi = lo.lower(), hi.upper()
    return (lo, hi, a[2] or bool(lo == NINF), a[3] or bool(hi == INF)) if lo <= hi else None


def _at(f: Callable[[Any], Any], low: Any, high: Any) -> Callable[[Any], Any]:
    """``f`` with its limits at -oo and +oo."""
    return lambda x: high if x == INF else low if x == NINF else f(x)


def branch(name: str) -> Callable[[Interval], Interval | None]:
    """A function that rises, or falls, on its whole domain; None where a box may reach out of it."""
    f = ends(name)
    ball, value, rises, partial, closed = f.ball, f.value, f.rises, f.partial, f.closed

    def run(a: Interval) -> Interval | None:
        lo, hi, lo_open, hi_open = a
        if not partial:
            left, right = value(lo), value(hi)
        else:
            low, high = f.low(), f.high()
            above, below = lo > low, hi < high
            if not above and not (lo == low and (closed[0] or lo_open)):
                return None
            if not below and not (hi == high and (closed[1] or hi_open)):
                return None
            left = ball(lo) if above else value(low)
            right = ball(hi) if below else value(high)
        if not rises:
            return (right.lower(), left.upper(), hi_open, lo_open)
        lo, hi = left.lower(), right.upper()
        return (lo, hi, lo_open or bool(lo == NINF), hi_open or bool(hi == INF)) if lo <= hi else None

    return run


def _between(name: str) -> Callable[[Interval], Interval | None]:
    """A function between two bounds: its ball, where that says more."""
    f = ends(name)

    def run(a: Interval) -> Interval | None:
        low, high = f.range()
        ball = f.ball(a[0].union(a[1])) if a[0] > NINF and a[1] < INF else arb.nan()
        if not ball.is_nan():
            low, high = max(low, ball.lower()), min(high, ball.upper())
        return (low, high, False, False)

    return run


exp, log, sqrt = branch("exp"), branch("log"), branch("sqrt")


def absolute(a: Interval) -> Interval:
    """The modulus of x for x in a."""
    if a[0] >= 0:
        return a
    if a[1] <= 0:
        return neg(a)
    left = (-a[0]).upper()
    if left > a[1]:
        return (ZERO, left, False, a[2])
    return (ZERO, a[1], False, a[3] and (a[2] or left < a[1]))


def integer_power(a: Interval, n: int) -> Interval | None:
    """x**n for x in a; None where n < 0 and 0 is in a."""
    if n < 0:
        inner = reciprocal(a)
        return None if inner is None else integer_power(inner, -n)
    if n == 0:
        return (ONE, ONE, False, False)
    base = a if n % 2 else absolute(a)
    return _monotone(lambda x: x**n if abs(x) < INF else (x if n % 2 or x > 0 else -x), base)


def _rational_power(x: Any, q: Fraction) -> Any:
    if x == INF:
        return INF
    return (
        ZERO
        if x == 0
        else (x.root(q.denominator) ** q.numerator if q.denominator < 1000 else (x.log() * exact(q)).exp())
    )


def power(a: Interval, b: Interval, q: Fraction | None = None) -> Interval | None:
    """a**b, with ``q`` the exact value of b: an integer admits any base, else the base is > 0 (or 0 with b > 0)."""
    if q is not None:
        if q.denominator == 1:
            return integer_power(a, int(q)) if abs(q) < 10**7 else None
        if q > 0:
            return _monotone(lambda x: _rational_power(x, q), a) if a[0] >= 0 else None
        inner = reciprocal(a)
        return None if inner is None or a[0] < 0 else _monotone(lambda x: _rational_power(x, -q), inner)
    if a[0] == 0 and not a[2] and not (b[0] > 0 or (b[0] == 0 and b[2])):
        return None
    if a[0] < 0:
        return None
    if a[1] == 0:
        return (ZERO, ZERO, False, False)
    logarithm = log((a[0], a[1], a[2] or bool(a[0] == 0), a[3]))
    value = None if logarithm is None else exp(mul(b, logarithm))
    if value is None or a[0] != 0 or a[2]:
        return value
    return (ZERO, value[1], False, value[3])  # 0**y = 0 is attained


def whole_power(a: Interval, b: Interval, even: bool = False) -> Interval | None:
    """a**b for integers b, ``even`` ones: 0**0 is 1, any base where b >= 0, any but 0 where b may be negative."""
    n = integer_of(b[0]) if b[0] == b[1] else None
    if n is not None:
        return integer_power(a, n)
    if a[1] < 0:
        size = whole_power(neg(a), b)
        return None if size is None else (size if even else (-size[1], size[1], size[3], size[3]))
    if a[0] > 0:
        return power(a, b)
    if not b[0] >= 0:
        return None
    size = absolute(a)[1]
    if size == 0:
        top = ONE if b[0] <= 0 else ZERO
    else:
        top = (size.log() * (b[0] if size <= 1 else b[1])).exp().upper()
    return (ZERO if even or a[0] >= 0 else -top, top, False, bool(top == INF))


def _has_multiple(lo: Any, hi: Any) -> bool:
    """Whether [lo, hi] may hold an integer."""
    first = lo.ceil().lower()
    return bool(first <= hi)


def _wave(f: Callable[[Any], Any], a: Interval, peak: Any) -> Interval:
    """Range of sin or cos, with maxima at ``peak`` + 2 pi Z and minima half a period later."""
    lo, hi = a[0], a[1]
    turn = 2 * arb.pi()
    x, y = ((lo - peak) / turn).lower(), ((hi - peak) / turn).upper()
    half = arb(1) / 2
    ends = (f(lo), f(hi))
    top, bottom = ends[0].max(ends[1]).upper(), ends[0].min(ends[1]).lower()
    high = ONE if _has_multiple(x, y) else top
    low = -ONE if _has_multiple((x - half).lower(), (y - half).upper()) else bottom
    low_open = (a[2] if ends[0] < ends[1] else a[3] if ends[1] < ends[0] else False) and low == bottom and low > -1
    high_open = (a[2] if ends[0] > ends[1] else a[3] if ends[1] > ends[0] else False) and high == top and high < 1
    return (low.max(-ONE), high.min(ONE), low_open, high_open)


def _tan(a: Interval) -> Interval | None:
    half = arb(1) / 2
    x, y = (a[0] / arb.pi() - half), (a[1] / arb.pi() - half)
    if _has_multiple(x.lower(), y.upper()):
        return None
    return _monotone(lambda t: t.tan(), a)


def _gamma(a: Interval, log_form: bool) -> Interval | None:
    """Gamma (convex, positive) or its logarithm on the positive axis; Gamma between two of its poles."""
    lo, hi, lo_open, hi_open = a
    if not (lo > 0 or (lo == 0 and lo_open)):
        return None if log_form else _gamma_between_poles(a)

    def f(x: Any) -> Any:
        if x == INF or x == 0:
            return INF
        return x.lgamma() if log_form else x.gamma()

    turn = arb("1.46163214496836234126265954233 +/- 1e-29")
    left, right = f(lo), f(hi)
    if hi <= turn.lower():
        return (right.lower(), left.upper(), hi_open, lo_open)
    if lo >= turn.upper():
        return (left.lower(), right.upper(), lo_open, hi_open)
    top = left.max(right).upper()
    return (f(turn).lower(), top, False, bool(top == INF))


def _gamma_between_poles(a: Interval) -> Interval | None:
    """Gamma(x) = Gamma(x + n)/(x (x + 1) ... (x + n - 1)) for -n < x < 1 - n; None where a pole is inside.

    A factor is 0 there, or Gamma is asked for at 0.
    """
    below = integer_of(a[0].floor()) if -FARTHEST_POLE <= a[0] < 0 else None
    if below is None:
        return None
    n = -below
    value = _gamma(_shifted(a, n), False)
    for j in range(n):
        value = None if value is None else div(value, _shifted(a, j))
    return value


def _shifted(a: Interval, n: int) -> Interval:
    return ((a[0] + n).lower(), (a[1] + n).upper(), a[2], a[3])


def _polygamma(a: Interval, order: int) -> Interval | None:
    """Digamma and its derivatives on the positive axis: each is monotone."""
    if not (a[0] > 0 or (a[0] == 0 and a[2])) or order > 60:
        return None
    sign = 1 if order % 2 else -1

    def f(x: Any) -> Any:
        if x == 0:
            return NINF if sign < 0 else INF
        if x == INF:
            return ZERO if order else INF
        if order == 0:
            return x.digamma()
        return sign * arb(order + 1).gamma() * arb(order + 1).zeta(x)

    if sign < 0:
        return _monotone(f, a)
    lo, hi = f(a[1]).lower(), f(a[0]).upper()
    return (lo, hi, a[3], a[2])


def _cosh(a: Interval) -> Interval | None:
    return _monotone(_at(lambda x: x.cosh(), INF, INF), absolute(a))


def _steps(f: Callable[[Any], Any]) -> Callable[[Interval], Interval | None]:
    return lambda a: (_at(f, NINF, INF)(a[0]).lower(), _at(f, NINF, INF)(a[1]).upper(), False, False)


def _half_turn() -> Any:
    """pi/2 at the precision in force."""
    return arb.pi() / 2


_FUNCTIONS: dict[str, Callable[[Interval], Interval | None]] = {
    **{name: branch(name) for name, f in TABLE.items() if f.rises is not None},
    **{name: _between(name) for name, f in TABLE.items() if f.range is not None},
    "abs": absolute,
    "sin": lambda a: _wave(lambda x: x.sin(), a, _half_turn()),
    "cos": lambda a: _wave(lambda x: x.cos(), a, ZERO),
    "tan": _tan,
    "cosh": _cosh,
    "gamma": lambda a: _gamma(a, False),
    "loggamma": lambda a: _gamma(a, True),
    "floor": _steps(lambda x: x.floor()),
    "ceil": _steps(lambda x: x.ceil()),
}


def _least(parts: list[Interval]) -> Interval:
    """The range of the least of numbers, one from each interval."""
    if any(map(_unknown, parts)):
        return NOTHING
    (lo, lo_open), (hi, closed) = min(map(_lower, parts)), min(map(_upper, parts))
    return (lo, hi, lo_open, not closed)


def apply(op: str, args: list[Interval], order: int = 0) -> Interval | None:
    """An operation other than a power on intervals; ``order``: of polygamma. None too for an unknown one."""
    match op:
        case "add":
            return add(args[0], args[1])
        case "sub":
            return sub(args[0], args[1])
        case "mul":
            return mul(args[0], args[1])
        case "div":
            return div(args[0], args[1])
        case "neg":
            return neg(args[0])
        case "min":
            return _least(args)
        case "max":
            return neg(_least([neg(a) for a in args]))
        case "polygamma":
            return _polygamma(args[0], order)
    f = _FUNCTIONS.get(op)
    return None if f is None else f(args[0])


def positive(a: Interval | None, strict: bool) -> bool:
    """Whether every value is > 0 (strict) or >= 0."""
    return a is not None and bool(a[0] > 0 or (a[0] == 0 and (a[2] or not strict)))
