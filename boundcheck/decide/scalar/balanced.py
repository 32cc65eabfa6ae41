"""One product of powers against a sum of others, at the weights of its exponents: what the best parameter attains.

If m = m_1**w_1 ... m_k**w_k with weights that add up to 1, then c_1 m_1 + ... + c_k m_k >= C m, and the largest C
is (c_1/w_1)**w_1 ... (c_k/w_k)**w_k (Hardy, Littlewood and Polya, Inequalities, theorem 9): Young's inequality with
any coefficients, the least value of a step size or a threshold with symbolic exponents.
"""

from __future__ import annotations

from math import prod

from flint import fmpq

from boundcheck.decide.scalar.means import Problem, between, formula_of, run_chain
from boundcheck.decide.scalar.prover import Node, Prover, size, sum_of
from boundcheck.decide.scalar.sampling import signs
from boundcheck.kernel.check.poly import ONE, to_expr
from boundcheck.kernel.check.ratios import NotRational
from boundcheck.kernel.check.sequent import Sequent, has_binder
from boundcheck.kernel.formula import Relation, num, text

MAX_PARTS = 4


def balanced(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """The means whose parts are the terms of the goal over their weights; what is left speaks of parameters alone."""
    goal = seq.goal
    if goal.op not in ("<=", ">=") or depth < 4 or size(goal.gap) > 100 or has_binder(goal.gap):
        return None
    form = seq.algebra.normal(goal.gap)
    problem = Problem(seq, form.num)
    monos = list(problem.monos)
    factors = [seq.algebra.normal(to_expr(problem.coefficients[m])).expr() for m in monos]
    shown = signs(tuple(factors), seq)
    atoms = sorted({a for m in monos for a, _ in m}, key=text)
    if not 3 <= len(monos) <= MAX_PARTS + 1 or sorted(shown)[:2] != [-1, 1]:
        return None
    if not all(a.op == "const" or seq.algebra.positive(a) for a in atoms):
        return None
    low = shown.index(-1)
    parts = tuple(k for k in range(len(monos)) if k != low)
    try:
        found = between(problem.field, problem.exponents(atoms), low, parts)
    except NotRational:
        return None
    if found is None:
        return None
    weights = {k: formula_of(problem.field, w) for k, w in found.parts.items()}
    if any(s != 1 for s in signs(tuple(weights.values()), seq)):
        return None
    over = {k: factors[k] / w for k, w in weights.items()}
    most = prod((over[k] ** w for k, w in weights.items()), start=num(1))
    product = to_expr({monos[low]: fmpq(1)})
    terms = [{"weight": text(w), "value": text(over[k] * to_expr({monos[k]: fmpq(1)}))} for k, w in weights.items()]
    here = len(seq.hyps)
    enough: Node = {"rule": "cut", "lemma": str(Relation(">=", most, -factors[low]))}
    last = sum_of({here: num(1), here + 1: product}, scale=num(1) if form.den == ONE else to_expr(form.den))
    return run_chain(p, seq, [{"rule": "means", "terms": terms}, enough, last], depth)
