"""Homogeneity: weights under which hypotheses and goal keep their sense, so that one variable may be 1."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mat

from boundcheck.decide.scalar.prover import Node, Prover
from boundcheck.kernel.check.poly import AlgebraLimit
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.enclosure.intervals import positive
from boundcheck.kernel.formula import Expr

_ORDER = ("<=", "<", ">=", ">")


def _equations(e: Expr, seq: Sequent, names: list[str], rows: list[list[Any]]) -> None:
    """Linear conditions on weights under which every sum is homogeneous."""
    form = seq.algebra.normal(e)
    for poly in (form.num, form.den):
        degrees = []
        for m in poly:
            row = [fmpq(0)] * len(names)
            for atom, x in m:
                if not isinstance(x, fmpq):
                    row = [fmpq(0)] * len(names)
                    continue
                if atom.op == "var":
                    if atom.value in names:
                        row[names.index(atom.value)] += x
                elif atom.free:
                    _inner(atom, x, row, seq, names, rows)
            degrees.append(row)
        rows += [[a - b for a, b in zip(d, degrees[0], strict=True)] for d in degrees[1:]]


def _inner(atom: Expr, x: Any, row: list[Any], seq: Sequent, names: list[str], rows: list[list[Any]]) -> None:
    if atom.op in ("add", "sub", "neg", "mul", "div", "abs"):
        inside = atom.args[0] if atom.op == "abs" else atom
        _equations(inside, seq, names, rows)
        form = seq.algebra.normal(inside)
        m = next(iter(form.num))
        for a, y in m:
            if a.op == "var" and a.value in names and isinstance(y, fmpq):
                row[names.index(a.value)] += x * y
    elif atom.op != "log":
        for a in atom.args:
            if a.free:
                _equations(a, seq, names, rows)
                form = seq.algebra.normal(a)
                m = next(iter(form.num))
                line = [fmpq(0)] * len(names)
                for b, y in m:
                    if b.op == "var" and b.value in names and isinstance(y, fmpq):
                        line[names.index(b.value)] += y
                rows.append(line)


def scaled(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Set one variable to 1 by homogeneity."""
    box = seq.box or {}
    names = [v for v in seq.variables if v not in seq.integers]
    if len(names) < 2 or seq.goal.op not in _ORDER:
        return None
    for weights in _weights(seq, names):
        units = [v for v in names if weights.get(v, 0) != 0 and positive(box[v], True)]
        # keep the variables that look simplest: prefer to remove the one that occurs most
        units.sort(key=lambda v: -sum(1 for n in seq.goal.gap.walk() if n.op == "var" and n.value == v))
        for unit in units[:3]:
            node = {"rule": "scale", "weights": {v: str(w) for v, w in sorted(weights.items())}, "unit": unit}
            done = p.apply(node, seq, depth)
            if done is not None:
                return done
    return None


def _weights(seq: Sequent, names: list[str]) -> list[dict[str, Fraction]]:
    rows: list[list[Any]] = []
    try:
        for r in (seq.goal, *seq.hyps):
            _equations(r.gap, seq, names, rows)
    except (AlgebraLimit, StopIteration):
        return []
    rows = [r for r in rows if any(c != 0 for c in r)]
    out = []
    if not rows:
        kernel = [[fmpq(int(i == j)) for i in range(len(names))] for j in range(len(names))]
    else:
        reduced, rank = fmpq_mat(rows).rref()
        pivots = [next(k for k in range(len(names)) if reduced[i, k] != 0) for i in range(rank)]
        kernel = []
        for free in (k for k in range(len(names)) if k not in pivots):
            v = [fmpq(0)] * len(names)
            v[free] = fmpq(1)
            for i, k in enumerate(pivots):
                v[k] = -reduced[i, free]
            kernel.append(v)
    for v in kernel:
        w = {n: Fraction(int(c.p), int(c.q)) for n, c in zip(names, v, strict=True) if c != 0}
        if len(w) >= 1:
            out.append(w)
    return out
