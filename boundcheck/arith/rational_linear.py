"""Linear equations over the rationals, solved exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq, fmpq_mat


def echelon(rows: Sequence[Sequence[Any]], columns: int) -> tuple[Any, list[int]]:
    """The reduced echelon form of a matrix, and the column in which each row that is not 0 begins."""
    if not rows:
        return None, []
    reduced, rank = fmpq_mat([list(row) for row in rows]).rref()
    return reduced, [next(k for k in range(columns) if reduced[i, k] != 0) for i in range(rank)]


def solution(rows: Sequence[Sequence[Any]], unknowns: int) -> list[Any] | None:
    """x with sum_k row[k] x[k] = row[unknowns] for every row, the later ones 0 where there is a choice; or None."""
    reduced, pivots = echelon(rows, unknowns + 1)
    if unknowns in pivots:
        return None
    x = [fmpq(0)] * unknowns
    for i, pivot in enumerate(pivots):
        x[pivot] = reduced[i, unknowns]
    return x


def null_space(rows: Sequence[Sequence[Any]], unknowns: int) -> list[list[Any]]:
    """A basis of all x with sum_k row[k] x[k] = 0 for every row."""
    reduced, pivots = echelon(rows, unknowns)
    found = []
    for free in (k for k in range(unknowns) if k not in pivots):
        x = [fmpq(int(k == free)) for k in range(unknowns)]
        for i, pivot in enumerate(pivots):
            x[pivot] = -reduced[i, free]
        found.append(x)
    return found
