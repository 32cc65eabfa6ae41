"""One product of powers against another, from comparisons of their bases: r**p <= r**q, a**2 <= h**(2-p)*b**p.

In logarithms the goal is a sum of nonnegative multiples (functions of the parameters in the exponents) of what the
hypotheses say. A linear program at sample values picks the hypotheses, the multiples are solved for exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import fmpq

from boundcheck.arith.linear_program import least
from boundcheck.decide.scalar.means import formula_of, number_at, parameter_samples, run_chain, solve_exactly
from boundcheck.decide.scalar.prover import Node, Prover, polynomial, size
from boundcheck.kernel.check.nodes_read import ORDER
from boundcheck.kernel.check.poly import ONE, AlgebraLimit, Mono, Poly, thaw, to_expr
from boundcheck.kernel.check.ratios import Field, NotRational
from boundcheck.kernel.check.ratios import Ratio as Rational
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.formula import Expr, Relation, call, text


def _pair(p: Poly) -> tuple[Poly, Poly] | None:
    """(U, V) where p = U - V, both one term with a positive coefficient."""
    if len(p) != 2:
        return None
    positive = {m: c for m, c in p.items() if c > 0}
    negative = {m: -c for m, c in p.items() if c < 0}
    return (positive, negative) if positive and negative else None


def _atoms(pair: tuple[Poly, Poly]) -> set[Expr]:
    """What varies in the two terms."""
    return {a for side in pair for m in side for a, _ in m if a.free}


def _exponents(pair: tuple[Poly, Poly], field: Field) -> dict[Expr, Rational]:
    """The exponents of U/V, of atoms that vary."""
    out: dict[Expr, Rational] = {}
    for side, sign in zip(pair, (1, -1), strict=True):
        m: Mono = next(iter(side))
        for atom, x in m:
            if atom.free:
                value = field.read(to_expr(thaw(x)))
                value = value if sign > 0 else field.neg(value)
                out[atom] = field.add(out.get(atom, field.number(0)), value)
    return {a: x for a, x in out.items() if not x.num.is_zero()}


def products(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """The tactic."""
    goal = seq.goal
    if goal.op not in ("<=", ">=") or depth < 4 or size(goal.gap) > 120:
        return None
    try:
        form = seq.algebra.normal(goal.gap)
        pair = _pair(form.num) if form.den == ONE else None
        if pair is None or not all(map(seq.algebra.nonnegative, _atoms(pair))):
            return None
        parameters = frozenset().union(
            *(to_expr(thaw(x)).free for m in form.num for _, x in m if not isinstance(x, fmpq))
        )
        field = Field(parameters, {})
        wanted = _exponents(pair, field)
        sides: list[tuple[Poly, Poly]] = []
        rows: list[dict[Expr, Rational]] = []
        for h in seq.hyps:
            have = polynomial(h.gap, seq) if h.op in ORDER and len(h.free) <= 3 else None
            found = None if have is None else _pair(have)
            if found is None or not all(map(seq.algebra.nonnegative, _atoms(found))):
                continue
            exponents = _exponents(found, field)
            if exponents and exponents.keys() <= wanted.keys() | {a for r in rows for a in r}:
                sides.append(found)
                rows.append(exponents)
        if not rows or not wanted:
            return None
        factors = _factors(seq, field, wanted, rows)
    except (AlgebraLimit, NotRational):
        return None
    if not factors:
        return None
    used = [(sides[k], f) for k, f in factors]
    vanishing = [a for s in (pair, *(side for side, _ in used)) for a in _atoms(s) if not seq.algebra.positive(a)]
    if not vanishing:
        return _certificate(p, seq, pair, used, depth)
    atom = min(vanishing, key=text)

    def guide(s: Sequent) -> Node | None:
        return products(p, s, depth - 1) if s.algebra.positive(atom) else None

    return p.apply({"rule": "case", "on": text(atom), "strict": True}, seq, depth, guide)


def _factors(
    seq: Sequent, field: Field, wanted: dict[Expr, Rational], rows: list[dict[Expr, Rational]]
) -> list[tuple[int, Expr]] | None:
    """(index, factor) with wanted = sum of factor * row, found at a sample and solved for exactly."""
    atoms = sorted({a for r in (wanted, *rows) for a in r}, key=text)
    zero = field.number(0)
    for sample in parameter_samples(seq, list(field.names)):
        a = np.array([[number_at(r.get(atom, zero), sample) for r in rows] for atom in atoms])
        b = np.array([number_at(wanted.get(atom, zero), sample) for atom in atoms])
        if not (np.all(np.isfinite(a)) and np.all(np.isfinite(b))):
            continue
        found = least(np.ones(len(rows)), a, b)
        if found is None:
            continue
        used = [k for k in range(len(rows)) if found[k] > 1e-9]
        system = [[*(rows[k].get(atom, zero) for k in used), wanted.get(atom, zero)] for atom in atoms]
        exact = solve_exactly(field, system, len(used))
        if exact is not None:
            return [(k, formula_of(field, f)) for k, f in zip(used, exact, strict=True)]
    return None


def _certificate(
    p: Prover, seq: Sequent, pair: tuple[Poly, Poly], used: list[tuple[tuple[Poly, Poly], Expr]], depth: int
) -> Node | None:
    """The goal as U >= V, its logarithms, a lemma for each hypothesis used, their sum."""
    lemma = Relation(">=", to_expr(pair[0]), to_expr(pair[1]))
    rest = lemma.map(lambda e: call("log", e)).gap
    count = len(seq.hyps)
    nodes: list[Node] = [{"rule": "monotone", "fn": "log"}]
    terms: list[dict[str, Any]] = []
    for (above, below), factor in used:
        step = Relation(">=", call("log", to_expr(above)), call("log", to_expr(below)))
        nodes.append({"rule": "cut", "lemma": str(step)})
        terms.append({"c": "1", "times": text(factor), "hyps": [count + len(terms)]})
        rest = rest - factor * step.gap
    left_over = seq.algebra.normal(rest)
    if not left_over.zero:
        terms.append({"c": "1", "times": text(left_over.expr())})
    nodes.append({"rule": "farkas", "terms": terms})
    if lemma == seq.goal:
        return run_chain(p, seq, nodes, depth)
    return p.cut(lemma, seq, depth, proof=lambda s: run_chain(p, s, nodes, depth) if s.goal == lemma else None)
