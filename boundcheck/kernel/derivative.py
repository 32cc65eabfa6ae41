"""Symbolic partial derivatives of formulas, lightly folded; shared by search and verifier.

A derivative formula is valid at every point where the formula returned is itself defined: ``sqrt`` gives
1/(2 sqrt(u)), ``abs`` gives u/abs(u), so that corners and vertical tangents surface as undefined points.
The derivatives of ``gamma`` and ``loggamma`` need an internal head ``polygamma`` (``value`` its order), which
the reader of formulas does not know.
"""

from __future__ import annotations

from functools import cache, lru_cache

from boundcheck.kernel.formula import BINDERS, Expr, call, is_one, is_zero, num, parse, substitute
from boundcheck.kernel.formula.functions import TABLE


class NotDifferentiable(ValueError):
    """The formula has a node without a derivative formula (floor, ceil, min, max, a moving binder)."""


def _div(a: Expr, b: Expr) -> Expr:
    return a if is_zero(a) else a / b


@cache
def slope_in_x(op: str) -> Expr | None:
    """f' as a formula in x, and f for its value; None for a function without one."""
    entry = TABLE.get(op)
    return parse(entry.slope) if entry is not None and entry.slope else None


def _chain(e: Expr, name: str) -> Expr:
    """f'(u) for e = f(u) with one argument."""
    u = e.args[0]
    match e.op:
        case "gamma":
            return e * Expr("polygamma", (u,), 0)
        case "loggamma":
            return Expr("polygamma", (u,), 0)
        case "polygamma":
            return Expr("polygamma", (u,), e.value + 1)
    slope = slope_in_x(e.op)
    if slope is None:
        raise NotDifferentiable(f"{e.op} has no derivative formula (in {name})")
    return substitute(slope, {"x": u, "f": e})


@lru_cache(maxsize=20_000)
def derivative(e: Expr, name: str) -> Expr:
    """d e / d ``name``. Raises :class:`NotDifferentiable` where the grammar cannot say it."""
    if name not in e.free:
        return num(0)
    match e.op:
        case "var":
            return num(1)
        case "neg":
            return -derivative(e.args[0], name)
        case "add":
            return derivative(e.args[0], name) + derivative(e.args[1], name)
        case "sub":
            return derivative(e.args[0], name) - derivative(e.args[1], name)
        case "mul":
            a, b = e.args
            return derivative(a, name) * b + a * derivative(b, name)
        case "div":
            a, b = e.args
            if name not in b.free:
                return _div(derivative(a, name), b)
            if name not in a.free:
                return -(_div(a * derivative(b, name), b ** num(2)))
            return _div(derivative(a, name) * b - a * derivative(b, name), b ** num(2))
        case "pow":
            a, b = e.args
            if name not in b.free:
                power = a if b.op == "num" and b.value == 2 else a ** (b - 1)
                return b * power * derivative(a, name)
            if name not in a.free:
                return e * call("log", a) * derivative(b, name)
            return e * (derivative(b, name) * call("log", a) + b * derivative(a, name) / a)
    if e.op in BINDERS:
        return _binder(e, name)
    if len(e.args) != 1:
        raise NotDifferentiable(f"{e.op} has no derivative formula")
    inner = derivative(e.args[0], name)
    outer = _chain(e, name)
    if is_one(inner):
        return outer
    if outer.op == "div" and is_one(outer.args[0]):
        return inner / outer.args[1]
    return outer * inner


def _binder(e: Expr, name: str) -> Expr:
    body, v, lo, hi = e.args
    if name in body.free:
        raise NotDifferentiable("differentiation under a binder is not certified")
    if e.op == "sum":
        raise NotDifferentiable("a sum with a moving end")
    if name in lo.free & hi.free:  # where the ends meet at a pole, the integral is 0 there and may jump
        raise NotDifferentiable("an integral both ends of which move")
    if any(n.op in ("floor", "ceil", *BINDERS) and v.value in n.free for n in body.walk()):
        raise NotDifferentiable("an integrand that may jump: where it does, the integral has a corner")
    result = num(0)
    if name in hi.free:
        result = result + substitute(body, {v.value: hi}) * derivative(hi, name)
    if name in lo.free:
        result = result - substitute(body, {v.value: lo}) * derivative(lo, name)
    return result
