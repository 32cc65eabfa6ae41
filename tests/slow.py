"""Which parameters of a test take long.

Tests of slow statements run with ``-m campaign`` (`check`, which `.ci/run` begins with, decides them too, and
`check --save` decides their planted falsehoods). Larger or further instances of what the default run has some of run
with ``-m 'thorough and not campaign'``; in `.ci/run` a fifth of them runs beside the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from boundcheck.stored import decisions

LONG = 1.5  #: seconds that the stored decision took
BRIEF = 0.1  #: half of the statements took no longer
_TOOK = decisions.load()["provenance"]["seconds"]


def case(label: str, *values: object) -> object:
    """The parameters (label, *values) of a test that decides: a campaign where that takes long, thorough where it
    takes longer than for most."""
    if _TOOK.get(label, 0.0) > LONG:
        return pytest.param(label, *values, marks=pytest.mark.campaign)
    return brief(label, label, *values)


def brief(label: str, *values: object) -> object:
    """The parameters of a test about a statement that it does not decide: thorough where that takes longer than for
    most statements, as what is larger."""
    return (pytest.param if _TOOK.get(label, 0.0) <= BRIEF else more)(*values)


def more(*values: object) -> object:
    """A row of parameters for the thorough run alone."""
    return pytest.param(*values, marks=pytest.mark.thorough)


def apart(names: Iterable[str], *those: str) -> list[Any]:
    """A row for each name; ``those`` are for the thorough run alone."""
    rows = list(names)
    assert set(those) < set(rows), "a name that is not there, or none is left"
    return [more(name) if name in those else name for name in rows]


def larger(rows: Iterable[Any]) -> list[Any]:
    """Rows of parameters for the thorough run alone; a row may have marks of its own (:func:`case`)."""
    return [pytest.param(*p.values, marks=[*p.marks, pytest.mark.thorough], id=p.id) for p in map(_param, rows)]


def _param(row: Any) -> Any:
    """A row as parameters: those of a tuple, or the one that is told without one."""
    if hasattr(row, "marks"):
        return row
    return pytest.param(*row) if isinstance(row, tuple) else pytest.param(row)


def thinned(rows: Iterable[Any], every: int) -> list[Any]:
    """All rows of parameters, of which the default run has each ``every``-th, from the first on."""
    return [_param(row) if n % every == 0 else larger([row])[0] for n, row in enumerate(rows)]
