"""Evaluation in double precision over NumPy arrays: for searching, never for deciding.

A formula becomes a straight-line program that a small interpreter runs over whole arrays; common
subexpressions are computed once. NaN where undefined, with the conventions of the other arithmetics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from boundcheck.kernel.clock import exhausted
from boundcheck.kernel.enclosure.straight_line import Program, Step, is_integer_valued, literal, program
from boundcheck.kernel.formula import BINDERS, Expr
from boundcheck.kernel.formula.functions import TABLE

Array = NDArray[np.float64]

_NUMPY = {f"a{name}": f"arc{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")}


def _named(name: str) -> Callable[..., Any]:
    """The function of this name of NumPy, else of SciPy."""
    found = getattr(np, _NUMPY.get(name, name), None) or getattr(special, name)
    return found  # type: ignore[no-any-return]


_FUNCTION: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "neg": np.negative,
    **{name: _named(name) for name in TABLE},
    "loggamma": lambda a: np.where(np.greater(a, 0), special.gammaln(a), np.nan),
    "sinc": lambda a: np.sinc(np.divide(a, np.pi)),  # NumPy's is sin(pi x)/(pi x)
    "lambertw": lambda a: np.where(np.greater_equal(a, -np.exp(-1.0)), special.lambertw(a).real, np.nan),
}
_CONSTANT = {"pi": np.pi, "E": np.e, "oo": np.inf}
_DIRECT_TERMS = 512  #: terms of an infinite sum that are added one by one
_MOST_TERMS = 4096  #: a longer finite sum is NaN


def _nearest(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def _divide(a: Any, b: Any) -> Any:
    quotient = np.divide(a, b)
    return np.where(np.equal(b, 0), np.nan, quotient)


def _power(a: Any, b: Any, exponent: Expr, integers: frozenset[str]) -> Any:
    value = literal(exponent)
    if value is not None and value.denominator == 1 and 0 <= value <= 4:
        return [np.ones_like(a), a, np.square(a), a * np.square(a), np.square(np.square(a))][int(value)]
    result = np.power(np.asarray(a, dtype=float), b)
    if is_integer_valued(exponent, integers) or (value is not None and value.denominator == 1):
        return np.where(np.equal(a, 0) & np.less(b, 0), np.nan, result)
    return np.where((np.asarray(a) > 0) | (np.equal(a, 0) & np.greater(b, 0)), result, np.nan)


class Compiled:
    """A compiled list of formulas; call it with one array per variable, in the order given."""

    def __init__(self, code: Program, variables: tuple[str, ...], integers: frozenset[str]):
        self._code, self._variables, self._integers = code, variables, integers

    def __call__(self, arrays: Sequence[ArrayLike]) -> list[Array]:
        """The value of every formula, broadcast over ``arrays``."""
        if len(arrays) != len(self._variables):
            raise ValueError(f"{len(self._variables)} arrays are wanted ({', '.join(self._variables)})")
        columns = [np.asarray(a, dtype=float) for a in arrays]
        shape = np.broadcast_shapes(*(c.shape for c in columns)) if columns else ()
        with np.errstate(all="ignore"):
            results = _run(self._code, dict(zip(self._variables, columns, strict=True)), self._integers)
        return [_filled(r, shape) for r in results]


def _filled(value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """A new array of ``shape`` that holds ``value``; np.broadcast_to would cost more than a small formula."""
    out = np.empty(shape)
    out[...] = value
    return out


def compile_function(
    expressions: Sequence[Expr], variables: Sequence[str], integers: frozenset[str] = frozenset()
) -> Compiled:
    """A vectorised double-precision function of ``variables`` that returns one array a formula.

    Raises FormulaError for a term without a value, ValueError for a variable that is not listed.
    """
    missing = frozenset().union(*(e.free for e in expressions)) - frozenset(variables)
    if missing:
        raise ValueError(f"not among the variables: {', '.join(sorted(missing))}")
    return Compiled(program(tuple(expressions)), tuple(variables), integers)


def _run(code: Program, env: Mapping[str, Any], integers: frozenset[str]) -> list[Any]:
    values: list[Any] = []
    for step in code.steps:
        values.append(_value(step, [values[i] for i in step.args], env, integers))
    return [values[i] for i in code.outputs]


def _value(step: Step, args: list[Any], env: Mapping[str, Any], integers: frozenset[str]) -> Any:
    op = step.op
    if op == "num":
        return _nearest(step.value)
    if op == "var":
        return env[step.value]
    if op == "const":
        return _CONSTANT[step.value]
    if op == "div":
        return _divide(*args)
    if op == "pow":
        return _power(args[0], args[1], step.node.args[1], integers)
    if op == "polygamma":
        return np.where(np.greater(args[0], 0), special.polygamma(step.value, args[0]), np.nan)
    if op in ("min", "max"):
        fold = np.minimum if op == "min" else np.maximum
        result = args[0]
        for a in args[1:]:
            result = fold(result, a)
        return result
    if op in BINDERS:
        rule = _integral if op == "integral" else _sum
        return rule(step.node, args[0], args[1], env, integers)
    return _FUNCTION[op](*args)


def _rule(half: int, step: float) -> tuple[Array, Array, Array]:
    """tanh-sinh on (0, 1): distance from 0, distance from 1, weight."""
    t = step * np.arange(-half, half + 1)
    u = np.exp(-np.pi * np.sinh(np.abs(t)))
    near, far = u / (1 + u), 1 / (1 + u)
    left, right = np.where(t < 0, near, far), np.where(t < 0, far, near)
    return left, right, step * np.pi * np.cosh(t) * left * right


_LEFT, _RIGHT, _WEIGHT = _rule(50, 0.07)


def _integral(node: Expr, lo: Any, hi: Any, env: Mapping[str, Any], integers: frozenset[str]) -> Any:
    """tanh-sinh quadrature; an infinite end by t = end + e^v - e^-w, here with s/(1-s) in place of e^v."""
    body, bound = node.args[0], node.args[1].value
    inner = {k: np.asarray(v)[..., None] for k, v in env.items()}
    a, b = np.asarray(lo, dtype=float)[..., None], np.asarray(hi, dtype=float)[..., None]
    code = program((body,))

    def over(t: Any, weight: Any) -> Any:
        values = _run(code, {**inner, bound: t}, integers - {bound})[0] * weight
        return np.sum(np.where(weight == 0, 0.0, values), axis=-1)

    if np.all(np.isfinite(a)) and np.all(np.isfinite(b)):
        width = b - a
        return over(np.where(_LEFT < 0.5, a + width * _LEFT, b - width * _RIGHT), width * _WEIGHT)
    if np.all(np.isfinite(a)) and np.all(b == np.inf):
        ratio = _LEFT / _RIGHT
        return over(a + ratio, _WEIGHT / np.square(_RIGHT))
    if np.all(np.isfinite(b)) and np.all(a == -np.inf):
        ratio = _RIGHT / _LEFT
        return over(b - ratio, _WEIGHT / np.square(_LEFT))
    if np.all(a == -np.inf) and np.all(b == np.inf):
        ratio = _LEFT / _RIGHT
        weight = _WEIGHT / np.square(_RIGHT)
        return over(ratio, weight) + over(-ratio, weight)
    return np.nan


def _sum(node: Expr, lo: Any, hi: Any, env: Mapping[str, Any], integers: frozenset[str]) -> Any:
    """Term by term; NaN where the ends are no integers or too far apart, or time is over: sums of sums are long."""
    body, bound = node.args[0], node.args[1].value
    a, b = np.asarray(lo, dtype=float), np.asarray(hi, dtype=float)
    if not np.all(np.isfinite(a)) or np.any(b == -np.inf) or np.any(np.isnan(b)):
        return np.nan
    if np.any(b == np.inf):
        return _series(node, a, b, env, integers)
    columns = np.broadcast_arrays(a, b, *(np.asarray(v, dtype=float) for v in env.values()))
    flat = [c.ravel() for c in columns]
    totals = np.full(flat[0].shape, np.nan)
    code = program((body,))
    for i, (start, stop) in enumerate(zip(flat[0], flat[1], strict=True)):
        if exhausted():
            break
        if start == np.floor(start) and stop == np.floor(stop) and stop - start < _MOST_TERMS:
            point = {name: c[i] for name, c in zip(env, flat[2:], strict=True)}
            k = np.arange(start, max(stop, start - 1) + 1)
            totals[i] = np.sum(np.broadcast_to(_run(code, {**point, bound: k}, integers | {bound})[0], k.shape))
    return totals.reshape(columns[0].shape)


def _series(node: Expr, a: Array, b: Array, env: Mapping[str, Any], integers: frozenset[str]) -> Any:
    """An infinite sum: terms one by one, then the midpoint integral."""
    if not np.all(b == np.inf) or np.any(a != np.floor(a)):
        return np.nan
    body, bound = node.args[0], node.args[1].value
    k = a[..., None] + np.arange(_DIRECT_TERMS)
    inner = {name: np.asarray(v)[..., None] for name, v in env.items()}
    total = np.sum(_run(program((body,)), {**inner, bound: k}, integers | {bound})[0], axis=-1)
    tail = _integral(Expr("integral", node.args), a + _DIRECT_TERMS - 0.5, b, env, integers)
    return total + np.where(np.isnan(tail), 0.0, tail)  # an alternating tail has no values between integers
