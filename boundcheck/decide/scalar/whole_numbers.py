"""Tactics of whole numbers: rounding a goal, residues, classes modulo m, branches between neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import ceil, floor, gcd, lcm

import numpy as np

from boundcheck.arith.linear_program import least
from boundcheck.decide.scalar.prover import ANY, Node, fresh, polynomial, proposing
from boundcheck.kernel.check.integers import MOST_CASES, whole
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.formula import Expr, Relation, text, var

_MODULI = (2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16)


@proposing(cost=1, ops=("<=", ">="))
def rounded(seq: Sequent) -> Iterator[Node]:
    """g >= 0 between whole numbers from g > -1/D."""
    if whole(seq.goal.gap, seq) is not None:
        yield {"rule": "round"}


@proposing(ops=ANY)
def tightened(seq: Sequent) -> Iterator[Node]:
    """A strict relation between whole numbers says g >= 1: as a lemma."""
    for h in seq.hyps:
        if h.op not in ("<", ">") or not h.free <= seq.integers or len(h.free) < 2:
            continue
        found = whole(h.gap, seq)
        low, high = h.sides if h.op == "<" else (h.rhs, h.lhs)
        lemma = Relation(">=", high, low + 1)
        if found is not None and found[0] == 1 and lemma not in seq.hyps:
            yield {"rule": "cut", "lemma": str(lemma)}
            return


@proposing(ops=ANY)
def residues(seq: Sequent) -> Iterator[Node]:
    """No solution modulo m, of the goal's equation or of one among the hypotheses."""
    asked: list[tuple[Relation, Node]] = [(seq.goal, {})] if seq.goal.op == "!=" else []
    asked += [(h, {"hyp": i}) for i, h in enumerate(seq.hyps) if h.op == "==" and h.free & seq.integers]
    for r, of in asked:
        for m in _MODULI:
            if r.free <= seq.integers and m ** len(r.free) <= MOST_CASES:
                yield {"rule": "residues", "mod": m, **of}


@proposing(ops=ANY)
def classes(seq: Sequent) -> Iterator[Node]:
    """n = m*q + r where a floor, a ceiling or a power of -1 asks for the remainder of n."""
    wanted: dict[str, int] = {}
    sides = [side for r in (seq.goal, *seq.hyps) for side in r.sides]
    for v, m in (asked for side in sides for n in side.walk() for asked in _asked(n, seq)):
        wanted[v] = lcm(wanted.get(v, 1), m)
    for v, m in sorted(wanted.items()):
        if 1 < m <= 12:
            yield {"rule": "classes", "var": v, "mod": m, "new": fresh(seq, "q")}
            return


def _asked(n: Expr, seq: Sequent) -> list[tuple[str, int]]:
    """(variable, modulus) that a node asks for."""
    if n.op in ("floor", "ceil") and n.free and n.free <= seq.integers:
        found = whole(n.args[0], seq)
        if found is not None:
            m = lcm(1, *(found[0] // gcd(found[0], int(c.p)) for mono, c in found[1].items() if mono))
            return [(v, m) for v in sorted(n.free)]
    if n.op == "pow" and n.args[1].free and n.args[1].free <= seq.integers:
        base = enclose(n.args[0], seq.box or {})
        if (base is None or not base[0] >= 0) and not seq.algebra.nonnegative(n.args[0]):
            found = whole(n.args[1], seq)
            odd = [] if found is None else [m for m, c in found[1].items() if found[0] == 1 and int(c.p) % 2]
            return [(v, 2) for v in sorted({a.value for m in odd for a, _ in m if a.op == "var"})]
    return []


@proposing(cost=2, ops=ANY)
def branches(seq: Sequent) -> Iterator[Node]:
    """A whole number, or a difference of two, that the linear hypotheses leave few values: one child for each."""
    names = sorted(seq.integers & set(seq.variables))
    rows = _linear_rows(seq) if 1 < len(seq.variables) <= 12 else []
    for e in [*map(var, names), *(var(a) - var(b) for a, b in combinations(names, 2))]:
        at = _between(seq, rows, e)
        if at is not None:
            yield {"rule": "branch", "on": text(e), "at": at}
            return


def _linear_rows(seq: Sequent) -> list[tuple[list[float], float]]:
    """(a, b) with a.x <= b for every hypothesis that is linear."""
    rows = []
    for h in seq.hyps:
        row = _linear(h.gap, seq)
        if h.op in ("<=", "<", ">=", ">", "==") and row is not None:
            rows.append(([-c for c in row[0]], row[1]))
            if h.op == "==":
                rows.append((row[0], -row[1]))
    return rows


def _linear(e: Expr, seq: Sequent) -> tuple[list[float], float] | None:
    """(a, b) with e = a.x + b."""
    form = polynomial(e, seq)
    a, b = [0.0] * len(seq.variables), 0.0
    for m, c in (form or {}).items():
        if not m:
            b = float(Fraction(int(c.p), int(c.q)))
        elif len(m) == 1 and m[0][0].op == "var" and m[0][1] == 1:
            a[seq.variables.index(m[0][0].value)] = float(Fraction(int(c.p), int(c.q)))
        else:
            return None
    return None if form is None else (a, b)


def _between(seq: Sequent, rows: list[tuple[list[float], float]], e: Expr) -> int | None:
    """A whole number k where both e <= k and e >= k + 1 are left open, if e takes at most four values."""
    row = _linear(e, seq)
    if row is None or not rows:
        return None
    ends = []
    for sign in (1, -1):
        at = least([sign * c for c in row[0]], [a for a, _ in rows], [b for _, b in rows], at_most=True, free=True)
        if at is None:
            return None
        ends.append(float(np.dot(row[0], at)))
    low, high = ceil(ends[0] - 1e-9), floor(ends[1] + 1e-9)
    return (low + high) // 2 if low < high <= low + 3 else None
