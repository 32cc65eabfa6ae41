"""Monte Carlo checks, one module per part of the paper, keyed by label."""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType

from proofs_numeric.checks import (
    clipping,
    convergence,
    deviation,
    floor_cells,
    high_dimension,
    prescribed,
    sharp,
    sharp_laws,
    small_radius,
    tails,
)
from proofs_numeric.checks.cell import Cell

MODULES = (tails, small_radius, clipping, deviation, high_dimension, convergence, floor_cells, sharp, sharp_laws)

#: statements that another one restates word for word: their cells are those of the twin
RESTATED = MappingProxyType({"thm:tuned-dev": deviation.TUNED, "thm:main": prescribed.BASE})


@lru_cache(maxsize=1)
def registry() -> MappingProxyType[str, Cell]:
    """Every cell by its key ``LABEL/cell``, in the order of the paper."""
    found: dict[str, Cell] = {}
    for module in MODULES:
        for cell in module.cells():
            if cell.key in found:
                raise ValueError(f"two cells are called {cell.key}")
            found[cell.key] = cell
    return MappingProxyType(found)


def find(key: str) -> Cell:
    """The cell called ``key``; raises KeyError."""
    return registry()[key]
