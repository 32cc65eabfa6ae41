"""Functions in terms of others, as the table of functions says: tanh x by exponentials, log1p x by a logarithm."""

from __future__ import annotations

from functools import cache, lru_cache

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


@lru_cache(maxsize=2048)
def unfold(e: Expr, keep: frozenset[str]) -> Expr:
    """``e`` with every function unfolded that is not to be kept; a part that occurs often is looked at once."""
    done: dict[Expr, Expr] = {}
    stack = [e]
    while stack:
        node = stack[-1]
        waiting = [a for a in node.args if a not in done]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        inner = Expr(node.op, tuple(done[a] for a in node.args), node.value) if node.args else node
        other = None if node.op in keep else unfolded(inner)
        done[node] = inner if other is None else other
    return done[e]
