"""Formulas in ball arithmetic (python-flint ``arb``), by the kernel's enclosures: over balls, and at exact points.

NaN stands for what is undefined or not provably defined, as :mod:`boundcheck.kernel.enclosure.balls` has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from flint import ctx, fmpq

from boundcheck.kernel.enclosure import balls, intervals, points
from boundcheck.kernel.enclosure.straight_line import exact_of, spelled
from boundcheck.kernel.formula import Expr


def evaluate(e: Expr, env: Mapping[str, Any], prec: int = 64, integers: Iterable[str] = balls.NONE) -> Any:
    """An ``arb`` that contains every value of ``e`` over the balls of ``env``; NaN if one may be undefined.

    Exact balls are treated as points, wide ones by their ends, so monotone functions stay tight.
    ``integers`` names the variables that are integers by declaration (it decides 0**0 and (-1)**n).
    """
    with ctx.workprec(prec):
        if all(v.is_exact() and spelled(v) for v in env.values()):
            point = {k: exact_of(v) for k, v in env.items()}
            return points.as_arb(points.value_at(e, point, frozenset(integers), balls.binder_at_point))
        return intervals.ball(balls.enclose(e, balls.box_of(env, integers)))


def at_point(e: Expr, point: Mapping[str, Fraction], prec: int = 64, integers: Iterable[str] = balls.NONE) -> Any:
    """The value of ``e`` at an exact rational point: ``fmpq`` where it is exact, else an ``arb``."""
    exact = {k: fmpq(v.numerator, v.denominator) for k, v in point.items()}
    with ctx.workprec(prec):
        return points.value_at(e, exact, frozenset(integers), balls.binder_at_point)


def sign_at(
    e: Expr, point: Mapping[str, Fraction], prec: int = 64, integers: Iterable[str] = balls.NONE
) -> int | None:
    """The sign of ``e`` at an exact rational point, None if the balls do not decide it."""
    value = at_point(e, point, prec, integers)
    if isinstance(value, fmpq):
        return (value > 0) - (value < 0)
    return 1 if value > 0 else -1 if value < 0 else None
