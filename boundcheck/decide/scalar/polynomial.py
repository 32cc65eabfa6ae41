"""Polynomial goals: sums of products of distances by Bernstein coefficients, on the whole box or by bisection."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from boundcheck.decide.scalar.bernstein import Summands, summands
from boundcheck.decide.scalar.covers import midpoint, widest
from boundcheck.decide.scalar.prover import Node, Prover, proposing
from boundcheck.kernel.check.leaves import falsified
from boundcheck.kernel.check.nodes_read import ORDER
from boundcheck.kernel.check.poly import ONE, fraction, to_expr
from boundcheck.kernel.check.refine import halves
from boundcheck.kernel.check.sequent import Box, Sequent
from boundcheck.kernel.enclosure.intervals import INF, NINF
from boundcheck.kernel.formula import text


def _combination(found: Summands) -> Node:
    """A linear combination of terms whose signs the box settles."""
    return {"rule": "farkas", "terms": [{"c": str(fraction(c)), "times": text(e)} for c, e in found]}


@proposing()
def bernstein(seq: Sequent) -> Iterator[Node]:
    """Exact Bernstein coefficients on the whole box."""
    form = seq.algebra.normal(seq.goal.gap)
    found = summands(form.num, seq.box or {}, seq.goal.strict) if len(form.num) <= 300 else None
    if found is not None:
        scale = {} if form.den == ONE else {"scale": text(to_expr(form.den))}
        yield {**_combination(found), **scale}


def bernstein_cover(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Bisection with exact Bernstein coefficients on every box (polynomials in bounded variables)."""
    goal, box = seq.goal, seq.box
    if goal.op not in ORDER or box is None:
        return None
    form = seq.algebra.normal(goal.gap)
    names = sorted({a.value for m in form.num for a, _ in m if a.op == "var"})
    if form.den != ONE or not names or any(a.op != "var" and a.free for m in form.num for a, _ in m):
        return None
    if any(box[v][0] == NINF or box[v][1] == INF for v in names) or len(form.num) > 250:
        return None
    count, slack = 0, 1500
    nodes: list[Node] = []

    def tree(here: Box, level: int) -> Any:
        nonlocal count
        p.clock()
        count += 1
        found = summands(form.num, here, goal.strict)
        if found is not None:
            nodes.append(_combination(found))
            return 1
        if any(falsified(h, here) for h in seq.hyps):
            return 0
        if count > slack or level > 40:
            return None
        v = widest(here, frozenset(names))
        if v is None:
            return None
        at = midpoint(here[v])
        low, high = halves(here, v, at)
        if low is None or high is None:
            return None
        a = tree(low, level + 1)
        b = tree(high, level + 1) if a is not None else None
        return None if b is None else [v, str(at), a, b]

    found = tree(dict(box), 0)
    if found is None:
        return None
    return {"rule": "cover", "tree": found, "then": nodes} if nodes else {"rule": "cover", "tree": found}
