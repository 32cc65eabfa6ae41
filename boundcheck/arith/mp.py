"""Evaluation in mpmath: high-precision evidence, independent of the balls, never a proof.

Quadrature avoids the known traps: an infinite end is reached by t = e^v (mp.quad on x^-1.05 over
[1, oo) without it returns 17.79 for 20), and the range is cut where abs, min or max has a kink.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

import mpmath
from mpmath import mp

from boundcheck.arith.program import Step, is_integer_valued, program
from boundcheck.formula import BINDERS, Expr

_MOST_TERMS = 200_000  #: a longer finite sum is NaN
_KINK_GRID = 48  #: points at which a kink is looked for


def evaluate(e: Expr, env: Mapping[str, Any], dps: int = 50, integers: Iterable[str] = ()) -> Any:
    """The value of ``e`` (an ``mpf``) with ``dps`` digits; NaN where undefined.

    ``env`` maps names to mpf, int, Fraction, or text such as "0.1" or "1/3".
    """
    with mp.workdps(dps):
        values = {k: number(v) for k, v in env.items()}
        try:
            return +_value(e, values, frozenset(integers))
        except (ZeroDivisionError, OverflowError, ValueError, mpmath.libmp.NoConvergence):
            return mp.nan


def number(value: Any) -> Any:
    """A number or a text such as "0.1" or "a/b" at the current precision."""
    if isinstance(value, str):
        value = Fraction(value)
    if isinstance(value, Fraction):
        return mp.mpf(value.numerator) / mp.mpf(value.denominator)
    return mp.mpf(value)


def _power(base: Any, exponent: Any, integer: bool) -> Any:
    if integer:
        if base == 0:
            return mp.one if exponent == 0 else mp.zero if exponent > 0 else mp.nan
        return base ** int(exponent)
    if base == 0:
        return mp.zero if exponent > 0 else mp.nan
    return mp.power(base, exponent) if base > 0 else mp.nan


def _real(f: Callable[[Any], Any], lowest: float = -mpmath.inf, highest: float = mpmath.inf) -> Callable[[Any], Any]:
    return lambda x: f(x) if lowest <= x <= highest else mp.nan


_FUNCTION: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b if b != 0 else mp.nan,
    "neg": lambda a: -a,
    "exp": mp.exp,
    "log": lambda x: mp.log(x) if x > 0 else mp.nan,
    "sqrt": _real(mp.sqrt, 0),
    "abs": abs,
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "asin": _real(mp.asin, -1, 1),
    "acos": _real(mp.acos, -1, 1),
    "atan": mp.atan,
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "gamma": mp.gamma,
    "loggamma": lambda x: mp.loggamma(x) if x > 0 else mp.nan,
    "erf": mp.erf,
    "erfc": mp.erfc,
    "floor": mp.floor,
    "ceil": mp.ceil,
    "min": min,
    "max": max,
}
_CONSTANT: dict[str, Callable[[], Any]] = {"pi": lambda: +mp.pi, "E": lambda: +mp.e, "oo": lambda: mp.inf}


def _value(e: Expr, env: Mapping[str, Any], integers: frozenset[str]) -> Any:
    code = program((e,))
    values: list[Any] = []
    for step in code.steps:
        values.append(_step(step, [values[i] for i in step.args], env, integers))
    return values[code.outputs[0]]


def _step(step: Step, args: list[Any], env: Mapping[str, Any], integers: frozenset[str]) -> Any:
    if step.op == "num":
        return number(step.value)
    if step.op == "var":
        return env[step.value]
    if step.op == "const":
        return _CONSTANT[step.value]()
    if any(mp.isnan(a) for a in args):
        return mp.nan
    if step.op in BINDERS:
        rule = _integral if step.op == "integral" else _sum
        return rule(step.node, args[0], args[1], env, integers)
    if step.op == "pow":
        exponent = step.node.args[1]
        integer = is_integer_valued(exponent, integers) or (not exponent.free and args[1] == mp.floor(args[1]))
        return _power(args[0], args[1], integer)
    return _FUNCTION[step.op](*args)


def _kinks(body: Expr, name: str, env: Mapping[str, Any], lo: Any, hi: Any, integers: frozenset[str]) -> list[Any]:
    """Where an argument of abs, or the difference of two arguments of min or max, changes sign."""
    switches = [n.args[0] for n in body.walk() if n.op == "abs" and name in n.free]
    for n in body.walk():
        if n.op in ("min", "max") and name in n.free:
            switches += [a - b for i, a in enumerate(n.args) for b in n.args[i + 1 :]]
    found: list[Any] = []
    for s in switches:
        grid = [lo + (hi - lo) * (mp.mpf(i) + mp.mpf("0.31")) / _KINK_GRID for i in range(_KINK_GRID)]
        signs = [mp.sign(_value(s, {**env, name: t}, integers)) for t in grid]
        for a, b, sa, sb in zip(grid, grid[1:], signs, signs[1:], strict=False):
            if sa * sb < 0:
                found.append(_bisect(s, name, env, a, b, sa, integers))
    return sorted(found)


def _bisect(s: Expr, name: str, env: Mapping[str, Any], a: Any, b: Any, sign: Any, integers: frozenset[str]) -> Any:
    for _ in range(mp.prec):
        m = (a + b) / 2
        if mp.sign(_value(s, {**env, name: m}, integers)) == sign:
            a = m
        else:
            b = m
    return (a + b) / 2


def _integral(node: Expr, lo: Any, hi: Any, env: Mapping[str, Any], integers: frozenset[str]) -> Any:
    body, name = node.args[0], node.args[1].value
    inner = integers - {name}
    if lo == hi:
        return mp.zero
    if lo > hi:
        return -_integral(node, hi, lo, env, integers)

    def f(t: Any) -> Any:
        return _value(body, {**env, name: t}, inner)

    total = mp.zero
    left, right = lo, hi
    if hi == mp.inf:
        right = max(mp.zero if lo == -mp.inf else lo, mp.zero) + 1
        total += _tail(f, right)
    if lo == -mp.inf:
        left = min(right, mp.zero) - 1
        total += _tail(lambda t: f(-t), -left)
    cuts = _kinks(body, name, env, left, right, inner)
    return total + mp.quad(f, [left, *cuts, right])


def _tail(f: Callable[[Any], Any], start: Any) -> Any:
    """The integral of f over [start, oo), start > 0, by t = e^v up to where the integrand is negligible."""

    def g(v: Any) -> Any:
        t = mp.exp(v)
        return f(t) * t

    first = mp.log(start)
    ends = [first]
    for width in (2**i for i in range(-1, 14)):
        ends.append(first + width)
        if abs(g(ends[-1])) < mp.eps * mp.mpf(10) ** -10:
            return mp.quad(g, ends)
    return mp.nan


def _sum(node: Expr, lo: Any, hi: Any, env: Mapping[str, Any], integers: frozenset[str]) -> Any:
    body, name = node.args[0], node.args[1].value
    inner = integers | {name}

    def f(k: Any) -> Any:
        return _value(body, {**env, name: mp.mpf(k)}, inner)

    if lo != mp.floor(lo) or (hi != mp.inf and hi != mp.floor(hi)):
        return mp.nan
    if hi < lo:
        return mp.zero
    if hi != mp.inf:
        if hi - lo >= _MOST_TERMS:
            return mp.nan
        return mp.fsum(f(k) for k in range(int(lo), int(hi) + 1))
    return mp.nsum(f, [int(lo), mp.inf])
