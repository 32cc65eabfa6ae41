"""A form in vectors as the sum of its coefficients times inner products, the coefficients not simplified.

Rocq proves such an expansion by ``ring`` alone; that a coefficient equals the simplified one is then an equation of
rational functions of the parameters, far smaller than one of whole forms.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from boundcheck.kernel.check.quadratic import Key, _Reader
from boundcheck.kernel.formula import Expr, Relation, has_opaque, num


@dataclass(frozen=True)
class _Coefficient:
    """A formula where the kernel has a rational function; none is known to be 0."""

    formula: Expr

    @property
    def num(self) -> _Coefficient:
        return self

    def is_zero(self) -> bool:
        return False


class _Formulas:
    """The arithmetic of the kernel's reader of forms, on formulas as they come."""

    def number(self, value: int) -> _Coefficient:
        return _Coefficient(num(value))

    def add(self, a: _Coefficient, b: _Coefficient) -> _Coefficient:
        return _Coefficient(a.formula + b.formula)

    def mul(self, a: _Coefficient, b: _Coefficient) -> _Coefficient:
        return _Coefficient(-b.formula if a.formula is num(-1) else a.formula * b.formula)

    def divide(self, a: _Coefficient, b: _Coefficient) -> _Coefficient:
        return _Coefficient(a.formula / b.formula)


class Coordinates(_Reader):
    """The kernel's reader of quadratic problems, with formulas for coefficients."""

    def __init__(self, vectors: Iterable[str]):
        formulas: Any = _Formulas()
        self.vectors, self.field = frozenset(vectors), formulas

    def scalar(self, e: Expr) -> Any:
        """A term without vectors."""
        return None if e.free & self.vectors or has_opaque(e) else _Coefficient(e)

    def of(self, r: Relation, given: bool = True) -> dict[Key, Expr]:
        """The coefficients of the gap of what is ``given``, or is to be shown. Raises :class:`NotQuadratic`."""
        found: dict[Key, Any] = self.gap(r, squared=True) if given else self.form(r.gap)
        return {key: c.formula for key, c in found.items()}
