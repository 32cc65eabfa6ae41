"""Homogeneity: weights under which hypotheses and goal keep their sense, so that one variable may be 1."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from flint import fmpq

from boundcheck.arith.rational_linear import null_space
from boundcheck.decide.scalar.prover import Node, Prover, proposing
from boundcheck.kernel.check.nodes_read import ORDER
from boundcheck.kernel.check.poly import AlgebraLimit, Mono, merge, thaw
from boundcheck.kernel.check.sequent import Sequent, outside_binders
from boundcheck.kernel.enclosure.intervals import positive
from boundcheck.kernel.formula import Expr

Degree = dict[Mono, list[Any]]  #: for each monomial of exponents its factor, a linear form in the weights


def _equations(e: Expr, seq: Sequent, names: list[str], rows: list[list[Any]]) -> Degree:
    """Linear conditions on weights under which every sum is homogeneous; the degree of ``e`` under them."""
    form = seq.algebra.normal(e)
    found: list[Degree] = []
    for poly in (form.num, form.den):
        degrees = [_of_product(m, seq, names, rows) for m in poly] or [{}]
        for other in degrees[1:]:
            rows += _less(other, degrees[0]).values()
        found.append(degrees[0])
    return _less(*found)


def _of_product(m: Mono, seq: Sequent, names: list[str], rows: list[list[Any]]) -> Degree:
    """The degree of a product of powers: that of each base times its exponent, a polynomial."""
    out: Degree = {}
    for atom, x in m:
        for key, row in _of_atom(atom, seq, names, rows).items():
            for monomial, c in thaw(x).items():
                at = merge(key, monomial)
                out[at] = [a + c * b for a, b in zip(out.get(at, [fmpq(0)] * len(names)), row, strict=True)]
    return out


def _of_atom(atom: Expr, seq: Sequent, names: list[str], rows: list[list[Any]]) -> Degree:
    if atom.op == "var":
        return {(): [fmpq(int(v == atom.value)) for v in names]} if atom.value in names else {}
    if atom.op in ("add", "sub", "neg", "mul", "div", "abs"):
        return _equations(atom.args[0] if atom.op == "abs" else atom, seq, names, rows)
    if atom.op != "log":  # what a function is taken of keeps its value
        for a in atom.args:
            rows += _equations(a, seq, names, rows).values()
    return {}


def _less(a: Degree, b: Degree) -> Degree:
    zero = [fmpq(0)] * len(next(iter((*a.values(), *b.values())), ()))
    return {k: [x - y for x, y in zip(a.get(k, zero), b.get(k, zero), strict=True)] for k in {**a, **b}}


def scales(seq: Sequent) -> Iterator[Node]:
    """Nodes that set one variable to 1 by homogeneity."""
    box = seq.box or {}
    names = [v for v in seq.variables if v not in seq.integers]
    for weights in _weights(seq, names) if len(names) > 1 and box and seq.goal.op in ORDER else ():
        units = [v for v in names if weights.get(v, 0) != 0 and positive(box[v], True)]
        # keep the variables that look simplest: prefer to remove the one that occurs most
        units.sort(key=lambda v: -sum(1 for n in seq.goal.gap.walk() if n.op == "var" and n.value == v))
        for unit in units[:3]:
            yield {"rule": "scale", "weights": {v: str(w) for v, w in sorted(weights.items())}, "unit": unit}


scaled = proposing()(scales)


def scaled_powers(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """So at once where a power has a formula as its exponent: no polynomial settles that; a variable less helps."""
    raised = any(n.op == "pow" and n.args[1].free for n in outside_binders(seq.goal.gap))
    return scaled(p, seq, depth) if raised else None


def _weights(seq: Sequent, names: list[str]) -> list[dict[str, Fraction]]:
    rows: list[list[Any]] = []
    try:
        for r in (seq.goal, *seq.hyps):
            _equations(r.gap, seq, names, rows)
    except AlgebraLimit:
        return []
    return [
        {n: Fraction(int(c.p), int(c.q)) for n, c in zip(names, v, strict=True) if c != 0}
        for v in null_space(rows, len(names))
    ]
