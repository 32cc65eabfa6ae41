"""gap >= 0 on one box by its slopes: monotone faces, mean-value and Taylor forms."""

from __future__ import annotations

from functools import lru_cache

import flint
from flint import arb, arb_series

from boundcheck.kernel.check.sequent import Box
from boundcheck.kernel.derivative import NotDifferentiable, derivative
from boundcheck.kernel.enclosure import intervals as iv
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import INF, NINF, ZERO, Interval, ball, positive
from boundcheck.kernel.enclosure.straight_line import program
from boundcheck.kernel.formula import Expr
from boundcheck.kernel.formula.unfolding import unfold

TAYLOR_ORDER = 10


@lru_cache(maxsize=4096)
def _slopes(e: Expr) -> tuple[tuple[str, Expr], ...] | None:
    try:
        return tuple((v, derivative(e, v)) for v in sorted(e.free))
    except NotDifferentiable:
        return None


def _at(x: arb) -> Interval:
    return (x, x, False, False)


def centre(a: Interval) -> arb:
    """A point near the middle of a bounded interval."""
    middle: arb = ((a[0] + a[1]) / 2).mid()
    return middle


def by_slopes(gap: Expr, strict: bool, box: Box) -> bool:
    """gap >= 0 by derivative signs onto faces, then the mean-value form in what is left."""
    slopes = _slopes(gap)
    if slopes is None:
        return False
    reduced: Box = dict(box)
    enclosures: dict[str, Interval] = {}
    for v, d in slopes:
        if box[v][0] == box[v][1]:
            continue
        s = enclose(d, box)
        if s is None:
            return False
        if s[0] >= 0 and box[v][0] > NINF:
            reduced[v] = _at(box[v][0])
        elif s[1] <= 0 and box[v][1] < INF:
            reduced[v] = _at(box[v][1])
        else:
            enclosures[v] = s
    if len(enclosures) < len(slopes) and positive(enclose(gap, reduced), strict):
        return True
    if not enclosures or any(box[v][0] == NINF or box[v][1] == INF for v in enclosures):
        return False
    middle = {**reduced, **{v: _at(centre(box[v])) for v in enclosures}}
    total = enclose(gap, middle)
    if total is None:
        return False
    fresh = reduced if len(enclosures) < len(slopes) else None
    for v, s in enclosures.items():
        if fresh is not None:  # the slopes over the face may be sharper than over the box
            s = enclose(dict(slopes)[v], fresh) or s
        total = iv.add(total, iv.mul(s, iv.sub((box[v][0], box[v][1], False, False), middle[v])))
    return positive(total, strict)


# ---------------------------------------------------------------- Taylor form in one variable

_UNARY = frozenset(
    ("exp", "log", "sqrt", "sin", "cos", "tan", "atan", "asin", "acos", "gamma", "erf", "erfc", "lambertw")
)


def series(e: Expr, name: str, at: arb, box: Box, order: int) -> list[arb] | None:
    """Taylor coefficients of ``e`` in ``name`` about the ball ``at``; None if a step is not supported.

    Every step is analytic on the ball, or a coefficient comes out NaN and the caller refuses.
    """
    values: list[arb_series] = []
    old = flint.ctx.cap
    flint.ctx.cap = order + 1
    try:
        for step in program((unfold(e, _UNARY),)).steps:
            value = _series_step(step.node, [values[i] for i in step.args], name, at, box)
            if value is None:
                return None
            values.append(value)
        coefficients = [values[-1][k] for k in range(order + 1)]
    except (ZeroDivisionError, ValueError, OverflowError):
        return None
    finally:
        flint.ctx.cap = old
    return coefficients if all(c.is_finite() for c in coefficients) else None


def _series_step(node: Expr, a: list[arb_series], name: str, at: arb, box: Box) -> arb_series | None:
    if name not in node.free:
        value = enclose(node, box)
        return arb_series([ball(value)])  # NaN, or without a bound, where the whole is then refused
    match node.op:
        case "var":
            return arb_series([at, 1])
        case "add":
            return a[0] + a[1]
        case "sub":
            return a[0] - a[1]
        case "mul":
            return a[0] * a[1]
        case "neg":
            return -a[0]
        case "div":
            return None if a[1][0].contains(0) else a[0] / a[1]
        case "pow":
            exponent = node.args[1]
            if exponent.op == "num" and exponent.value.denominator == 1 and abs(exponent.value) < 200:
                n = int(exponent.value)
                if n < 0 and a[0][0].contains(0):
                    return None
                return a[0] ** n if n >= 0 else 1 / (a[0] ** (-n))
            return (a[1] * a[0].log()).exp() if a[0][0] > 0 else None
        case "loggamma":
            return a[0].lgamma() if a[0][0] > 0 else None
        case "abs":
            return a[0] if a[0][0] > 0 else -a[0] if a[0][0] < 0 else None
        case "log" | "sqrt" | "gamma" if not a[0][0] > 0:
            return None
        case "asin" | "acos" if not abs(a[0][0]) < 1:
            return None
        case "tan" if a[0][0].cos().contains(0):
            return None
    return getattr(a[0], node.op)() if node.op in _UNARY else None


def by_taylor(gap: Expr, strict: bool, box: Box) -> bool:
    """gap >= 0 on an interval of one variable, by its Taylor polynomial about the middle and a ball remainder."""
    names = [v for v in gap.free if box[v][0] < box[v][1]]
    if len(names) != 1:
        return False
    name = names[0]
    a = box[name]
    if a[0] == NINF or a[1] == INF:
        return False
    m = centre(a)
    r = (a[1] - m).upper().max((m - a[0]).upper())
    whole = series(gap, name, a[0].union(a[1]), box, TAYLOR_ORDER)
    here = series(gap, name, m, box, TAYLOR_ORDER - 1) if whole else None
    if whole is None or here is None:
        return False
    c = [*here, whole[TAYLOR_ORDER]]
    # even terms keep their sign on [-r, r]
    total = c[0]
    for k in range(TAYLOR_ORDER, 0, -1):
        size = c[k] * r**k
        if k % 2 == 0:
            total = total + size.lower().min(ZERO)
        else:
            total = total - abs(size).upper()
    # the quadratic part may be completed: c0 + c1 t + c2 t^2 >= c0 - c1^2/(4 c2)
    if c[2] > 0:
        low = c[0] - c[1] * c[1] / (4 * c[2])
        for k in range(3, TAYLOR_ORDER + 1):
            low = low - abs(c[k]).upper() * r**k
        if low > 0:
            return True
    return bool(total > 0) or (not strict and bool(total >= 0))
