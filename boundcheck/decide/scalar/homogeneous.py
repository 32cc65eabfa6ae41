"""Homogeneity: weights under which hypotheses and goal keep their sense, so that one variable may be 1.

Where the goal alone is homogeneous, in two variables or more, products such as n*x become variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import permutations
from typing import Any

from flint import fmpq

from boundcheck.arith.rational_linear import null_space
from boundcheck.decide.scalar.prover import Node, Prover, fresh, normal, product_of, proposing, size, substitution
from boundcheck.kernel.check.nodes_read import ORDER, at_least
from boundcheck.kernel.check.poly import AlgebraLimit, Mono, merge, thaw
from boundcheck.kernel.check.sequent import Sequent, has_binder, outside_binders
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import INF, NINF, positive
from boundcheck.kernel.enclosure.straight_line import fraction_of
from boundcheck.kernel.formula import Expr, Relation, is_zero, num, substitute, var

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
    """The degree of a product of powers: that of each base times its exponent, a polynomial of degree 0."""
    out: Degree = {}
    for atom, x in m:
        for monomial in thaw(x):
            rows += _of_product(monomial, seq, names, rows).values()
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
    """Nodes that set one variable to 1 by homogeneity; where it may be 0, after the case that it is."""
    box = seq.box or {}
    names = [v for v in seq.variables if v not in seq.integers]
    for weights in _weights(seq, names, seq.hyps) if len(names) > 1 and box and seq.goal.op in ORDER else ():
        units = [v for v in names if weights.get(v, 0) != 0 and positive(box[v], True)]
        # keep the variables that look simplest: prefer to remove the one that occurs most
        units.sort(key=lambda v: -sum(1 for n in seq.goal.gap.walk() if n.op == "var" and n.value == v))
        for unit in units[:3]:
            yield {"rule": "scale", "weights": {v: str(w) for v, w in sorted(weights.items())}, "unit": unit}
        closed = [v for v in names if weights.get(v, 0) != 0 and positive(box[v], False)]
        if closed and not units and _raised(seq):
            yield {"rule": "case", "on": closed[0], "strict": True}


scaled = proposing()(scales)


def scaled_powers(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """So at once where an exponent is a formula: no polynomial settles that; a variable less helps."""
    return scaled(p, seq, depth) if _raised(seq) else None


def _raised(seq: Sequent) -> bool:
    return any(n.op in ("exp", "pow") and n.args[-1].free for n in outside_binders(seq.goal.gap))


def _weights(seq: Sequent, names: list[str], hyps: Iterable[Relation] = ()) -> list[dict[str, Fraction]]:
    """Weights under which the goal and the hypotheses ``hyps`` are homogeneous."""
    rows: list[list[Any]] = []
    try:
        for r in (seq.goal, *hyps):
            _equations(r.gap, seq, names, rows)
    except AlgebraLimit:
        return []
    return [
        {n: Fraction(int(c.p), int(c.q)) for n, c in zip(names, v, strict=True) if c != 0}
        for v in null_space(rows, len(names))
    ]


def products_named(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """A goal on w and v = t*w**r that is a power of w times a formula in t: that formula, under what is known of t.

    Only where the hypotheses have no such weights, or the goal has them in a whole variable: else one may be 1.
    """
    gap, box = seq.goal.gap, seq.box or {}
    plain = all(n.op != "exp" and (n.op != "pow" or not n.args[1].free) for n in outside_binders(gap))
    if seq.goal.op not in ORDER or depth < 4 or len(gap.free) < 2 or size(gap) > 60 or plain or has_binder(gap):
        return None
    for weights in _weights(seq, sorted(gap.free)) if next(scales(seq), None) is None else ():
        pairs = [(v, w) for v, w in permutations(sorted(weights), 2) if v not in seq.integers]
        for v, w in pairs:
            done = _named(p, seq, depth, v, w, num(weights[v] / weights[w])) if positive(box[w], True) else None
            if done is not None:
                return done
    return None


def _named(p: Prover, seq: Sequent, depth: int, v: str, w: str, r: Expr) -> Node | None:
    t = var(fresh(seq))
    by, inverse = t * var(w) ** r, var(v) * var(w) ** -r
    parted = [(h, _parted(substitute(h.gap, {v: by}), w, seq)) for h in seq.hyps if h.op in ORDER]
    known = {h: found[1] for h, found in parted if found and found[1].free == {t.value}}
    if any({v, w} <= h.free and h not in known for h in seq.hyps):  # it says more of the two than of t
        return None
    facts = [at_least(e, h.strict) for h, e in known.items()]
    range_ = enclose(inverse, seq.box or {})
    for x, op, is_open in zip(range_[:2], "><", range_[2:], strict=True) if range_ is not None else ():
        if NINF < x < INF:
            facts.append(Relation(op if is_open else op + "=", t, num(fraction_of(x))))

    def guide(s: Sequent) -> Node | None:
        found = _parted(s.goal.gap, w, s) if s.goal.op in ORDER and t.value in s.goal.free else None
        return None if found is None else p.apply(product_of(*((e, 1) for e in found)), s, depth, alone)

    def alone(s: Sequent) -> Node | None:
        keep = [i for i, h in enumerate(s.hyps) if w not in h.free]
        return p.apply({"rule": "drop", "keep": keep}, s, depth - 1) if t.value in s.goal.free else None

    return p.apply(substitution(v, t, by, inverse, *map(str, facts[-6:])), seq, depth - 1, guide)


def _parted(gap: Expr, w: str, seq: Sequent) -> tuple[Expr, Expr] | None:
    """A formula as a power of w times one without it."""
    rest = normal(substitute(gap, {w: num(1)}), seq.algebra)
    power = None if rest is None or is_zero(rest) else normal(gap / rest, seq.algebra)
    return None if rest is None or power is None or power.free - {w} else (power, rest)
