"""What a chain of comparisons gives: i <= t and t <= T - 1 give i < T.

Every term of a step has a value, and numbers are ordered, so a - b <= u and b - c <= v give a - c <= u + v, strictly
where one of the two is strict. Between whole numbers a - b < u is a - b <= ceil(u) - 1. Nothing else is used: a term
that is no sum is a letter here, and so is a whole side where a comparison has more than two such terms.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from boundcheck.kernel.formula import Expr, Relation, num
from boundcheck.kernel.proof.sorts import INTEGER, REAL, Names, typed
from boundcheck.kernel.proof.terms import summands

_ZERO = num(0)
_LOW = ("<=", "<", "==")

#: a - b <= w as (w, True), a - b < w as (w, False): the smaller of two such pairs says more
_Bound = tuple[Fraction, bool]


class Order:
    """The comparisons between numbers among ``relations``, each of which holds."""

    def __init__(self, relations: Iterable[Relation], scope: Names) -> None:
        self.scope = scope
        found = [s for r in relations for s in (r, r.flipped()) if s.op in _LOW and self._compares(s)]
        gaps = dict.fromkeys(self._gap(s.lhs, s.rhs, s.op != "<") for s in found)
        self._after: dict[Expr, list[tuple[Expr, _Bound]]] = {}  #: letter -> what is known to be above it, how far
        for a, b, bound in gaps:
            self._after.setdefault(a, []).append((b, bound))
        self._longest = len(gaps)
        self._best: dict[Expr, dict[Expr, _Bound]] = {}

    def gives(self, r: Relation) -> bool:
        """Whether a chain of the comparisons gives ``r``."""
        if not self._compares(r):
            return False
        if r.op == "==":
            return self._chained(r.lhs, r.rhs, True) and self._chained(r.rhs, r.lhs, True)
        if r.op == "!=":
            return self._chained(r.lhs, r.rhs, False) or self._chained(r.rhs, r.lhs, False)
        low, high = (r if r.op in _LOW else r.flipped()).sides
        return self._chained(low, high, r.op in ("<=", ">="))

    def _compares(self, r: Relation) -> bool:
        """Whether both sides are numbers: vectors are not ordered, and infinity is none."""
        sides = (typed(r.lhs, self.scope), typed(r.rhs, self.scope))
        return all(s.kind in (REAL, INTEGER) and not s.args for s in sides)

    def _chained(self, low: Expr, high: Expr, closed: bool) -> bool:
        """Whether ``low <= high``, or ``low < high`` unless ``closed``, is no more than the best chain says."""
        start, end, wanted = self._gap(low, high, closed)
        best = self._chains(start)
        return end in best and self._tight(start, end, best[end]) <= wanted

    def _chains(self, start: Expr) -> dict[Expr, _Bound]:
        """What the best chain from ``start`` to each letter says. All are followed together, and once."""
        if start in self._best:
            return self._best[start]
        best = self._best[start] = {start: (Fraction(0), True)}
        moved = [start]
        for _ in range(self._longest):  # a chain that uses none twice is no longer than there are comparisons
            better: dict[Expr, None] = {}
            for a in moved:
                for b, (w, whole) in self._after.get(a, ()):
                    new = (best[a][0] + w, best[a][1] and whole)
                    if b not in best or new < best[b]:
                        best[b], better[b] = new, None
            if not better:
                break
            moved = list(better)
        return best

    def _gap(self, low: Expr, high: Expr, closed: bool) -> tuple[Expr, Expr, _Bound]:
        """``low <= high``, or ``low < high`` unless ``closed``, as a bound of the difference of two letters."""
        terms, constant = summands(low - high)
        scale = max(map(abs, terms.values()), default=Fraction(1))
        above = [t for t, c in terms.items() if c == scale]
        below = [t for t, c in terms.items() if c == -scale]
        if len(above) <= 1 and len(below) <= 1 and len(above) + len(below) == len(terms):
            a, b, w = (above or [_ZERO])[0], (below or [_ZERO])[0], -constant / scale
        else:
            (a, left), (b, right) = map(_apart, (low, high))
            w = right - left
        return a, b, self._tight(a, b, (w, closed))

    def _tight(self, a: Expr, b: Expr, bound: _Bound) -> _Bound:
        """The bound of ``a - b``; between whole numbers it is the next one that can be attained."""
        w, closed = bound
        if typed(a, self.scope).kind == typed(b, self.scope).kind == INTEGER:
            return Fraction(math.floor(w) if closed else math.ceil(w) - 1), True
        return bound


def _apart(e: Expr) -> tuple[Expr, Fraction]:
    """``e`` without its rational summand, and that summand."""
    terms, constant = summands(e)
    return sum((num(c) * t for t, c in terms.items()), _ZERO), constant
