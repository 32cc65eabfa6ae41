"""The range of a formula over a box: its straight-line program in interval arithmetic.

Parts without variables are evaluated at a point, so that what is exact stays exact. The value of an integral or a sum
comes from outside (:mod:`boundcheck.kernel.enclosure.balls`), since it needs ranges itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache

from flint import ctx, fmpq

from boundcheck.kernel.enclosure import points
from boundcheck.kernel.enclosure.intervals import INF, Interval, Whole, apply, integer_power, point, power, whole_power
from boundcheck.kernel.enclosure.straight_line import Step, is_integer_valued, program
from boundcheck.kernel.formula import BINDERS, Expr, FormulaError

Box = Mapping[str, Interval | None]
#: the value of an integral or a sum from its ends and the box
Binder = Callable[[Expr, Interval, Interval, Box], Interval | None]


@lru_cache(maxsize=4096)
def _constant(e: Expr, bits: int) -> tuple[Interval | None, Fraction | None]:
    """A formula without variables: its interval at the precision ``bits``, and its value where that is exact."""
    value = points.value_at(e, {})
    return point(points.as_arb(value)), Fraction(int(value.p), int(value.q)) if isinstance(value, fmpq) else None


def _is_whole(exponent: Expr, box: Box) -> bool:
    return is_integer_valued(exponent, {v for v in exponent.free if isinstance(box.get(v), Whole)})


def _is_even(exponent: Expr) -> bool:
    """2 m, by its form, for a whole exponent."""
    return exponent.op == "mul" and any(f.op == "num" and f.value % 2 == 0 for f in exponent.args)


def _power(node: Expr, args: list[Interval], constant: bool, box: Box) -> Interval | None:
    exponent = node.args[1]
    q = _constant(exponent, ctx.prec)[1] if constant else None
    if q is None and _is_whole(exponent, box):
        return whole_power(args[0], args[1], _is_even(exponent))
    return power(args[0], args[1], q)


def _value(
    step: Step, steps: tuple[Step, ...], args: list[Interval], box: Box, binder: Binder | None
) -> Interval | None:
    """The interval of a step from those of its arguments."""
    op = step.op
    if op == "var":
        return box.get(step.value)
    if step.constant:
        if op == "const" and step.value == "oo":
            return (INF, INF, True, True)
        if op != "neg" or args[0][0] < INF:
            return _constant(step.node, ctx.prec)[0]
    if op in BINDERS:
        value = None if binder is None else binder(step.node, args[0], args[1], box)
    elif op == "pow":
        value = _power(step.node, args, steps[step.args[1]].constant, box)
    elif op == "mul" and step.args[0] == step.args[1]:
        value = integer_power(args[0], 2)
    else:
        value = apply(op, args, step.value)
    if value is None or value[0].is_nan() or value[1].is_nan() or value[0] > value[1]:
        return None
    return value


def _steps(e: Expr) -> tuple[Step, ...]:
    """The straight-line program of a formula; none where it has a term of a proof inside."""
    try:
        return program((e,)).steps
    except FormulaError:
        return ()


def evaluate(e: Expr, box: Box, binder: Binder | None = None) -> Interval | None:
    """An interval that holds every value of ``e`` on the box; None where ``e`` may be undefined.

    Integrals and sums are values of ``binder``; without it they are not known.
    """
    steps = _steps(e)
    values: list[Interval] = []
    for step in steps:
        value = _value(step, steps, [values[i] for i in step.args], box, binder)
        if value is None:
            return None
        values.append(value)
    return values[-1] if values else None


def parts(e: Expr, box: Box) -> dict[Expr, Interval | None]:
    """The interval of every part of ``e``; an integral or sum inside is not known."""
    steps = _steps(e)
    values: list[Interval | None] = []
    for step in steps:
        args = [a for a in (values[i] for i in step.args) if a is not None]
        values.append(_value(step, steps, args, box, None) if len(args) == len(step.args) else None)
    return {step.node: value for step, value in zip(steps, values, strict=True)}
