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

from boundcheck.kernel.enclosure.straight_line import Step, is_integer_valued, program
from boundcheck.kernel.formula import BINDERS, Expr, parse
from boundcheck.kernel.formula.functions import TABLE

_MOST_TERMS = 200_000  #: a longer finite sum is NaN
_ORDER = 6  #: corrections in Euler-Maclaurin
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
    if integer and exponent == mp.floor(exponent):
        if base == 0:
            return mp.one if exponent == 0 else mp.zero if exponent > 0 else mp.nan
        return base ** int(exponent)
    if base == 0:
        return mp.zero if exponent > 0 else mp.nan
    return mp.power(base, exponent) if base > 0 else mp.nan


def _of_table(name: str) -> Callable[[Any], Any]:
    """mpmath's function of this name, on the domain that the table of functions says."""
    f, method = TABLE[name], getattr(mp, name)
    if not f.partial:
        return method  # type: ignore[no-any-return]
    ends = [None if at.endswith("oo") else parse(at) for at in (f.low, f.high)]

    def run(x: Any) -> Any:
        low, high = (None if e is None else _value(e, {}, frozenset()) for e in ends)
        above = low is None or x > low or (f.closed[0] and x == low)
        return method(x) if above and (high is None or x < high or (f.closed[1] and x == high)) else mp.nan

    return run


_FUNCTION: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b if b != 0 else mp.nan,
    "neg": lambda a: -a,
    **{name: _of_table(name) for name in TABLE if name != "abs"},
    "abs": abs,
    "loggamma": lambda x: mp.loggamma(x) if x > 0 else mp.nan,
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
    if step.op == "polygamma":
        return mp.polygamma(step.value, args[0]) if args[0] > 0 else mp.nan
    return _FUNCTION[step.op](*args)


def _kinks(body: Expr, name: str, env: Mapping[str, Any], lo: Any, hi: Any, integers: frozenset[str]) -> list[Any]:
    """Where an argument of abs, or the difference of two arguments of min or max, changes sign."""
    switches = [n.args[0] for n in body.walk() if n.op == "abs" and name in n.free]
    for n in body.walk():
        if n.op in ("min", "max") and name in n.free:
            switches += [a - b for i, a in enumerate(n.args) for b in n.args[i + 1 :]]
    found: list[Any] = []
    for s in switches:
        inside = [(mp.mpf(i) + mp.mpf("0.31")) / _KINK_GRID for i in range(_KINK_GRID)]
        steps = [mp.mpf("1e-9"), *inside, 1 - mp.mpf("1e-9")]
        wide = lo > 0 and hi > 4 * lo
        grid = [lo * (hi / lo) ** u if wide else lo + (hi - lo) * u for u in steps]
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
        total += _tail(f, right, lambda a, b: _kinks(body, name, env, a, b, inner))
    if lo == -mp.inf:
        left = min(right, mp.zero) - 1
        total += _tail(lambda t: f(-t), -left)
    return total + _between(f, left, right, _kinks(body, name, env, left, right, inner))


def _between(f: Callable[[Any], Any], left: Any, right: Any, cuts: list[Any]) -> Any:
    """A finite range, cut at the kinks; near an end where f grows without bound by t = end +- e^-v."""
    ends = [left, *cuts, right]
    total = mp.zero
    reach = (ends[1] - ends[0]) / 4, (ends[-1] - ends[-2]) / 4
    tiny = mp.mpf(10) ** -12
    if _grows(f, left, reach[0] * tiny, reach[0]):
        ends[0] = left + reach[0]
        total += _singular(f, left, 1, reach[0])
    if _grows(f, right, -reach[1] * tiny, -reach[1]):
        ends[-1] = right - reach[1]
        total += _singular(f, right, -1, reach[1])
    return total + mp.quad(f, ends)


def _singular(f: Callable[[Any], Any], end: Any, side: int, reach: Any) -> Any:
    """From a singular end over a length ``reach``; more digits, since t - end cancels."""
    with mp.workdps(3 * mp.dps):
        return _tail(lambda w: f(end + side / w) / w**2, 1 / reach, digits=mp.dps // 4)


def _grows(f: Callable[[Any], Any], end: Any, near: Any, far: Any) -> bool:
    return bool(abs(f(end + near)) > 100 * (abs(f(end + far)) + 1))


def _tail(
    f: Callable[[Any], Any],
    start: Any,
    kinks: Callable[[Any, Any], list[Any]] | None = None,
    digits: int | None = None,
) -> Any:
    """The integral of f over [start, oo), start > 0, by t = e^v up to where the integrand is negligible."""

    def g(v: Any) -> Any:
        t = mp.exp(v)
        return f(t) * t

    first = mp.log(start)
    negligible = mp.mpf(10) ** -(10 + (mp.dps if digits is None else digits))
    ends = [first]
    for width in (2**i for i in range(-1, 14)):
        ends.append(first + width)
        if abs(g(ends[-1])) < negligible:
            cuts = [] if kinks is None else [mp.log(t) for t in kinks(start, mp.exp(min(ends[-1], first + 16)))]
            return mp.quad(g, sorted([*ends, *cuts]))
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
    return _series(f, int(lo))


def _series(f: Callable[[Any], Any], first: int) -> Any:
    """Terms until they are negligible; else 200 of them and Euler-Maclaurin; else extrapolation."""
    start = max(first, 1) + 200
    total = mp.fsum(f(k) for k in range(first, start))
    if abs(f(start)) < mp.eps * mp.mpf(10) ** -10:
        return total
    if mp.isnan(f(mp.mpf(start) + mp.mpf("0.5"))):
        return mp.nsum(f, [first, mp.inf])
    slopes = mp.taylor(f, start, 2 * _ORDER)
    tail = _tail(f, mp.mpf(start)) + f(start) / 2
    for j in range(1, _ORDER + 1):
        tail -= mp.bernoulli(2 * j) / (2 * j) * slopes[2 * j - 1]
    return total + tail
