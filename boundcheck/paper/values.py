"""Formulas of the catalogue as numbers in double precision: the one place from which simulation takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from boundcheck.arith import floats
from boundcheck.kernel.formula import Expr
from boundcheck.paper import formulas


def value(label: str, /, **parameters: float) -> float:
    """The bound of the statement ``label`` at ``parameters``, in double precision.

    Raises KeyError for an unknown label and ValueError where the statement has no bound formula or a parameter
    of the formula is missing.
    """
    return at(formulas.bound(label), **parameters)


def at(formula: Expr, /, **parameters: float) -> float:
    """A formula of the catalogue (a prescribed tau, S_mu, ...) at ``parameters``, in double precision.

    Raises ValueError where a parameter of the formula is missing.
    """
    missing = sorted(formula.free - parameters.keys())
    if missing:
        raise ValueError(f"{formula} needs {', '.join(missing)}")
    names = tuple(sorted(formula.free))
    return float(_compiled(formula, names)([parameters[n] for n in names])[0])


@lru_cache(maxsize=256)
def _compiled(formula: Expr, names: tuple[str, ...]) -> Callable[..., Sequence[Any]]:
    return floats.compile_function([formula], list(names))
