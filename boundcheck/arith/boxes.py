"""Formulas over many boxes at once: interval arrays (``ival``), or balls one box at a time without it.

Closed ends throughout; ``ok`` is False where the formula may be undefined. Search material: verdicts rest
on :mod:`boundcheck.kernel.check`, which shares none of this arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from boundcheck.arith.floats import compile_function
from boundcheck.kernel.enclosure.straight_line import program
from boundcheck.kernel.formula import BINDERS, Expr, call, parse, var
from boundcheck.kernel.formula.functions import TABLE

try:
    import ival
except ImportError:  # no wheel for this platform
    ival = None

Array = NDArray[np.float64]
Bounds = tuple[Array, Array]
_SLACK = 1e-12  #: relative widening of functions that ival lacks
_GAMMA_TURN = 1.4616321449683623


def enclose(e: Expr, env: Mapping[str, Bounds]) -> tuple[Array, Array, NDArray[np.bool_]]:
    """(lo, hi, ok) of ``e`` on each box; ``env`` maps each variable to arrays of ends of one length."""
    n = next((b[0].shape[0] for b in env.values()), 1)
    if ival is None:
        return _by_balls(e, env, n)
    ok = np.ones(n, dtype=bool)
    intervals = {v: ival.Interval(lo, hi) for v, (lo, hi) in env.items()}
    values: list[Any] = []
    code = program((e,))
    with np.errstate(all="ignore"):
        for step in code.steps:
            values.append(_step(step.node, [values[i] for i in step.args], intervals, env, ok))
    out = values[code.outputs[0]]
    lo = np.broadcast_to(np.asarray(out.lo, dtype=float), (n,)).copy()
    hi = np.broadcast_to(np.asarray(out.hi, dtype=float), (n,)).copy()
    ok &= ~(np.isnan(lo) | np.isnan(hi))
    return lo, hi, ok


def _demand(ok: NDArray[np.bool_], holds: Any) -> None:
    ok &= np.broadcast_to(np.asarray(holds, dtype=bool), ok.shape)


def _step(
    node: Expr, a: list[Any], intervals: dict[str, Any], env: Mapping[str, Bounds], ok: NDArray[np.bool_]
) -> Any:
    op = node.op
    if op in BINDERS:
        lo, hi, defined = _by_balls(node, {v: env[v] for v in node.free}, ok.shape[0])
        _demand(ok, defined)
        return ival.Interval(lo, hi)
    match op:
        case "num":
            return ival.Interval(node.value, node.value)
        case "var":
            return intervals[node.value]
        case "const":
            return ival.exp(ival.Interval(1.0, 1.0)) if node.value == "E" else 4 * ival.atan(ival.Interval(1.0, 1.0))
        case "add":
            return a[0] + a[1]
        case "sub":
            return a[0] - a[1]
        case "mul":
            return ival.sqr(a[0]) if node.args[0] is node.args[1] else a[0] * a[1]
        case "neg":
            return -a[0]
        case "div":
            _demand(ok, (np.asarray(a[1].lo) >= 0) | (np.asarray(a[1].hi) <= 0))
            return a[0] / a[1]
        case "pow":
            return _power(node, a, ok)
        case "min" | "max":
            out = a[0]
            for b in a[1:]:
                out = ival.min(out, b) if op == "min" else ival.max(out, b)
            return out
        case "abs":
            return abs(a[0])
        case "gamma" | "loggamma":
            _demand(ok, np.asarray(a[0].lo) >= 0)
            return _gamma(a[0], op)
        case "polygamma":
            _demand(ok, np.asarray(a[0].lo) >= 0)
            return _polygamma(a[0], node.value)
    f = TABLE[op]
    if f.partial:
        low, high = _ends(op)
        _demand(ok, (np.asarray(a[0].lo) >= low) & (np.asarray(a[0].hi) <= high))
    return getattr(ival, op)(a[0]) if hasattr(ival, op) else _ranged(op, a[0])


@cache
def _ends(name: str) -> tuple[float, float]:
    """The ends of a function's domain, the nearest doubles."""
    f = TABLE[name]
    low, high = (None if "oo" in end else compile_function([parse(end)], ())(())[0] for end in (f.low, f.high))
    return -np.inf if low is None else float(low), np.inf if high is None else float(high)


def _ranged(name: str, a: Any) -> Any:
    """A function that ``ival`` lacks: from its values at the ends where it rises, else its bounds."""
    f = TABLE[name]
    if f.rises:
        run = compile_function([call(name, var("x"))], ("x",))
        lo, hi = (run([np.atleast_1d(np.asarray(end, dtype=float))])[0] for end in (a.lo, a.hi))
        return ival.Interval(lo - _SLACK * np.abs(lo) - _SLACK, hi + _SLACK * np.abs(hi) + _SLACK)
    low, high = (-np.inf, np.inf) if f.range is None else map(float, f.range)
    return ival.Interval(
        np.full_like(np.asarray(a.lo, dtype=float), low), np.full_like(np.asarray(a.lo, dtype=float), high)
    )


def _power(node: Expr, a: list[Any], ok: NDArray[np.bool_]) -> Any:
    exponent = node.args[1]
    if exponent.op == "num" and exponent.value.denominator == 1 and abs(exponent.value) < 2**31:
        n = int(exponent.value)
        if n < 0:
            _demand(ok, (np.asarray(a[0].lo) >= 0) | (np.asarray(a[0].hi) <= 0))
        return ival.pown(a[0], n)
    _demand(ok, np.asarray(a[0].lo) >= 0)
    return ival.exp(a[1] * ival.log(a[0])) if exponent.free else ival.pow(a[0], a[1])


def _widened(lo: Array, hi: Array) -> Any:
    lo, hi = np.asarray(lo, dtype=float), np.asarray(hi, dtype=float)
    lo, hi = lo - _SLACK * (1 + np.abs(lo)), hi + _SLACK * (1 + np.abs(hi))
    lo, hi = np.where(np.isnan(lo), -np.inf, lo), np.where(np.isnan(hi), np.inf, hi)
    return ival.Interval(np.minimum(lo, np.finfo(float).max), np.maximum(hi, -np.finfo(float).max))


def _gamma(x: Any, op: str) -> Any:
    f = special.gamma if op == "gamma" else special.gammaln
    lo, hi = np.asarray(x.lo, dtype=float), np.asarray(x.hi, dtype=float)
    left, right = np.where(lo > 1e-300, f(lo), np.inf), f(hi)
    inside = (lo < _GAMMA_TURN) & (hi > _GAMMA_TURN)
    bottom = np.where(inside, f(_GAMMA_TURN), np.minimum(left, right))
    return _widened(bottom, np.maximum(left, right))


def _polygamma(x: Any, order: int) -> Any:
    lo, hi = np.asarray(x.lo, dtype=float), np.asarray(x.hi, dtype=float)
    sign = 1 if order % 2 else -1
    left = np.where(lo > 1e-300, special.polygamma(order, lo), sign * np.inf)
    right = np.where(np.isinf(hi), 0.0 if order else np.inf, special.polygamma(order, np.minimum(hi, 1e300)))
    return _widened(np.minimum(left, right), np.maximum(left, right))


def _by_balls(e: Expr, env: Mapping[str, Bounds], n: int) -> tuple[Array, Array, NDArray[np.bool_]]:
    from flint import arb

    from boundcheck.arith import in_balls

    lo, hi, ok = np.full(n, np.nan), np.full(n, np.nan), np.zeros(n, dtype=bool)
    for i in range(n):
        ends = {v: (arb(float(b[0][i])), arb(float(b[1][i]))) for v, b in env.items()}
        value = in_balls.evaluate(e, {v: a.union(b) for v, (a, b) in ends.items()})
        if value.is_finite():
            lo[i], hi[i] = np.nextafter(float(value.lower()), -np.inf), np.nextafter(float(value.upper()), np.inf)
            ok[i] = True
    return lo, hi, ok
