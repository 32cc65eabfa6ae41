"""Functions in terms of others, as the table of functions says: tanh x by exponentials, log1p x by a logarithm."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from boundcheck.kernel.formula.functions import TABLE
from boundcheck.kernel.formula.reader import parse
from boundcheck.kernel.formula.tree import Expr, substitute


@cache
def _same(op: str) -> Expr | None:
    entry = TABLE.get(op)
    return parse(entry.same) if entry is not None and entry.same else None


def unfolded(e: Expr) -> Expr | None:
    """A term with the value and the domain of ``e``, which is a function of other functions; None for any other."""
    same = _same(e.op)
    return None if same is None else substitute(same, {"x": e.args[0]})


def unfold(e: Expr, keep: Collection[str]) -> Expr:
    """``e`` with every function unfolded that is not to be kept."""
    if not e.args:
        return e
    inner = Expr(e.op, tuple(unfold(a, keep) for a in e.args), e.value)
    other = None if e.op in keep else unfolded(inner)
    return inner if other is None else other
