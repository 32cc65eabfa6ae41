"""Weak-L_q constants: sup over t > 0 of t^q P(|X| > t), certified. The class constant is sigma = (this)^(1/q)."""

from __future__ import annotations

import heapq
from collections.abc import Callable

from certified_laws.arithmetic import BALLS, to_ball
from certified_laws.scalar_noise import Number, _ParetoModulus
from flint import arb, ctx
from more_laws import Gaussian, OneSidedPareto, StudentT

from boundcheck.laws import DEFAULT_BITS

Function = Callable[[arb], arb]


def maximum(f: Function, slope: Function, low: arb, high: arb, tolerance: arb) -> arb:
    """An enclosure of max f over [low, high], width at most ``tolerance``, by bisection with mean-value forms.

    ``f`` and ``slope`` (f') take balls. Raises ``ArithmeticError`` if 100,000 boxes do not suffice.
    """

    def reach(a: arb, b: arb) -> arb:
        box, middle = a.union(b), ((a + b) / 2).mid()
        plain, derivative = f(box), slope(box)
        if derivative.is_finite():
            if derivative > 0:
                return f(b).upper()
            if derivative < 0:
                return f(a).upper()
            bent = (f(middle) + derivative * (box - middle)).upper()
            return bent.min(plain.upper()) if plain.is_finite() else bent
        return plain.upper() if plain.is_finite() else arb.pos_inf()

    best = f(low).lower().max(f(high).lower())
    queue: list[tuple[float, int, arb, arb, arb]] = []
    count = 0

    def push(a: arb, b: arb) -> None:
        nonlocal count
        top = reach(a, b)
        heapq.heappush(queue, (-float(top), count, top, a, b))
        count += 1

    push(low, high)
    while count < 100_000:
        _, _, top, a, b = heapq.heappop(queue)
        if top <= best + tolerance:
            rest = [item[2] for item in queue]
            for other in rest:
                top = top.max(other)
            return best.union(top)
        middle = ((a + b) / 2).mid()
        best = best.max(f(middle).lower())
        push(a, middle)
        push(middle, b)
    raise ArithmeticError("the maximum was not enclosed")


def weak_constant(law: object, q: Number) -> arb:
    """sup_{t>0} t^q P(|X| > t) for Pareto, one-sided centred Pareto, Student t and Gaussian laws.

    Finite for q <= p (Pareto tails), q <= nu (Student), every q > 0 (Gaussian); ``ValueError`` beyond. For
    Student with q = nu the supremum is a limit at infinity, 2 c nu^((nu+1)/2)/nu scale^nu, and not attained.
    """
    if not q > 0:
        raise ValueError(f"q = {q}: a positive number is wanted")
    with ctx.workprec(DEFAULT_BITS):
        if isinstance(law, _ParetoModulus):
            _check_order(q, law.p, "p")
            return BALLS.power(law.scale, q)
        if isinstance(law, OneSidedPareto):
            _check_order(q, law.p, "p")
            return _one_sided(law, to_ball(q), q == law.p)
        if isinstance(law, StudentT):
            _check_order(q, law.df, "df")
            return _student(law, q)
        if isinstance(law, Gaussian):
            return _gaussian(law, to_ball(q))
    raise TypeError(f"no weak-L_q constant for {type(law).__name__}")


def _check_order(q: Number, index: Number, name: str) -> None:
    if q > index:
        raise ValueError(f"q = {q}: the supremum is infinite beyond {name} = {index}")


def _one_sided(law: OneSidedPareto, q: arb, critical: bool) -> arb:
    """In units of the scale a = 1, m = p/(p-1): left and right tail together up to t = m - 1, the right one after.

    After that (1 + m/t)^-p t^(q-p) rises to 1 for q = p; for q < p it is maximal at t = q m/(p-q).
    """
    p = to_ball(law.p)
    m = p / (p - 1)
    left = m - 1

    def f(t: arb) -> arb:
        return BALLS.power(t, q) * ((m + t) ** -p + 1 - (m - t) ** -p)

    def slope(t: arb) -> arb:
        inner = (m + t) ** -p + 1 - (m - t) ** -p
        return t**q * (q * inner / t - p * (m + t) ** (-p - 1) - p * (m - t) ** (-p - 1))

    near = maximum(f, slope, arb(0), left.lower(), arb(2) ** -50)
    edge = BALLS.power(left, q) * (m + left) ** -p
    if critical:
        far = arb(1)
    else:
        peak = (q * m / (p - q)).max(left)
        far = BALLS.power(peak, q) * (m + peak) ** -p
    return near.max(edge).max(far) * BALLS.power(law.scale, q)


def _student(law: StudentT, q: Number) -> arb:
    unit = StudentT(law.df)
    nu, order = to_ball(law.df), to_ball(q)
    limit: arb = 2 * unit.density(BALLS, 0) * nu ** ((nu + 1) / 2) / nu
    scaling = BALLS.power(law.scale, order)
    if q == law.df:
        return limit * scaling

    def f(t: arb) -> arb:
        return BALLS.power(t, order) * _between(lambda x: unit.tail(BALLS, x), t)

    def slope(t: arb) -> arb:
        tail = _between(lambda x: unit.tail(BALLS, x), t)
        return t**order * (order * tail / t - 2 * to_ball(unit.density(BALLS, t)))

    far = arb(4)
    while not limit * far ** (order - nu) < f(arb(1)):  # t^q P <= limit t^(q-nu) falls below f(1) there
        far *= 2
    return maximum(f, slope, arb(0), far, arb(2) ** -50) * scaling


def _gaussian(law: Gaussian, q: arb) -> arb:
    unit = Gaussian()

    def f(t: arb) -> arb:
        return BALLS.power(t, q) * _between(lambda x: unit.tail(BALLS, x), t)

    def slope(t: arb) -> arb:
        tail = _between(lambda x: unit.tail(BALLS, x), t)
        return t**q * (q * tail / t - 2 * to_ball(unit.density(BALLS, t)))

    far = (q.sqrt() + 1).upper()  # the hazard rate exceeds t, so t^q P falls from t = sqrt(q) on
    return maximum(f, slope, arb(0), far, arb(2) ** -50) * BALLS.power(law.scale, q)


def _between(decreasing: Function, t: arb) -> arb:
    """The range of a decreasing function over a ball, by its ends."""
    low = t.lower()
    return decreasing(t.upper()).union(decreasing(low if low > 0 else arb(0)))
