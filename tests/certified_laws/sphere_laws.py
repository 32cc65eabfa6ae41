"""The direction u uniform on the unit sphere S^(d-1), and the point v uniform in the unit ball of R^d.

``U_1`` is any one coordinate of u: U_1^2 ~ Beta(1/2, (d-1)/2) for d >= 2, a random sign for d = 1.
Every function takes the arithmetic ``k`` first (:mod:`certified_laws.arithmetic`); d is an integer >= 1.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from flint import ctx

from certified_laws.arithmetic import BALLS, Arithmetic, Floats

HALF = Fraction(1, 2)


def check_dimension(d: Any) -> None:
    """Raise ``ValueError`` unless d is an integer >= 1."""
    if isinstance(d, int | float | Fraction | np.number) and (d != int(d) or d < 1):
        raise ValueError(f"d = {d}: the dimension is an integer >= 1")


def is_line(d: Any) -> bool:
    """Whether the sphere is S^0 = {-1, 1}, where the coordinate has no density."""
    return isinstance(d, int | float | Fraction | np.number) and d == 1


def _half(k: Arithmetic, x: Any) -> Any:
    return k.number(x) * k.number(HALF)


def moment(k: Arithmetic, q: Any, d: Any) -> Any:
    """E|U_1|^q = Gamma(d/2) Gamma((1+q)/2) / (sqrt(pi) Gamma((d+q)/2)), q > -1, d >= 1."""
    check_dimension(d)
    if k is BALLS and isinstance(q, int) and isinstance(d, int):
        return _moment(q, d, ctx.prec)
    return _moment_of(k, q, d)


@lru_cache(maxsize=1 << 10)  # a quadrature asks for the same one at each of its points
def _moment(q: int, d: int, precision: int) -> Any:
    return _moment_of(BALLS, q, d)


def _moment_of(k: Arithmetic, q: Any, d: Any) -> Any:
    q, d = k.number(q), k.number(d)
    left = k.gamma_ratio(_half(k, q + k.number(1)), k.number(HALF))
    return left * k.gamma_ratio(_half(k, d), _half(k, d + q))


def tail(k: Arithmetic, c: Any, d: Any) -> Any:
    """P(|U_1| > c) = 1 - I_{c^2}(1/2, (d-1)/2) for c >= 0, d >= 2; 1{c < 1} for d = 1 (numbers only)."""
    check_dimension(d)
    c = k.number(c)
    if is_line(d):
        return _step_below_one(k, c)
    return k.beta_upper(k.number(HALF), _half(k, k.number(d) - k.number(1)), c * c)


def _step_below_one(k: Arithmetic, c: Any) -> Any:
    if isinstance(k, Floats):
        return np.where(np.asarray(c) < 1.0, 1.0, 0.0)
    if c < 1:
        return k.number(1)
    if c >= 1:
        return k.number(0)
    return k.number(0).union(k.number(1))


def moment_below(k: Arithmetic, q: Any, d: Any, c: Any) -> Any:
    """E[|U_1|^q; |U_1| <= c] = E|U_1|^q I_{c^2}((1+q)/2, (d-1)/2), c >= 0, q > -1."""
    c = k.number(c)
    if is_line(d):
        return k.number(1) - _step_below_one(k, c)
    shape = _half(k, k.number(q) + k.number(1))
    return moment(k, q, d) * k.beta_lower(shape, _half(k, k.number(d) - k.number(1)), c * c)


def moment_above(k: Arithmetic, q: Any, d: Any, c: Any) -> Any:
    """E[|U_1|^q; |U_1| > c], the complement of :func:`moment_below` without cancellation."""
    c = k.number(c)
    if is_line(d):
        return _step_below_one(k, c)
    shape = _half(k, k.number(q) + k.number(1))
    return moment(k, q, d) * k.beta_upper(shape, _half(k, k.number(d) - k.number(1)), c * c)
