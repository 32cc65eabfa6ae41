"""Scripts for the rule ``termwise``: a relation linear in finite sums over one range, from that of their terms."""

from __future__ import annotations

from boundcheck.kernel.check.binder_rules import binder
from boundcheck.kernel.check.nodes_read import Node
from boundcheck.kernel.check.poly import to_expr
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.formula import BINDERS, num, substitute, var
from boundcheck.rocq.comparison import OPEN, entered
from boundcheck.rocq.coq_text import NotStated, coq, function, name
from boundcheck.rocq.reduction_proofs import side_children
from boundcheck.rocq.shapes import Children


def termwise(node: Node, seq: Sequent, children: Children) -> list[str]:
    """gap = sum of c_i * sum(f_i) is the sum of c_i * f_i, whose terms are not negative. Raises :class:`NotStated`."""
    b, goal = binder(node, seq), seq.goal
    if not b.is_sum or b.high is None or goal.strict:
        raise NotStated("integrals, infinite sums and strict relations by their terms")
    x = name(b.t)
    low, high = coq(b.low) if b.low is not None else "", coq(b.high)
    total, linear = num(0), "0"
    for m, c in seq.algebra.normal(goal.gap).num.items():
        other = next(a for a, _ in m if a.op in BINDERS)
        factor = to_expr({tuple(f for f in m if f[0] is not other): c})
        term = substitute(other.args[0], {other.args[1].value: var(b.t)})
        total = total + factor * term
        linear = f"({coq(factor)}) * {coq(other)} + ({linear})"
    inner = next(c for c in reversed(children) if c.sequent.hyps != seq.hyps)
    fun = function(b.t, total)
    proof = f"{entered(b)}; apply Rge_le; {inner.use()}"
    return [
        OPEN,
        *side_children(seq, [c for c in children if c is not inner]),
        f"assert (ZN : 0 <= Sum {fun} ({low}) ({high})) by (apply Sum_nonneg; [bc_sum_ok | {proof}]).",
        f"assert (ZS : {linear} = Sum {fun} ({low}) ({high})).",
        "{ eapply eq_trans; [repeat first [apply Sum_combine | symmetry; apply Sum_zero] |].",
        f"  apply Sum_ext; [bc_sum_ok | intros {x} J0 J1 J2; cbv beta; bc_equal]. }}",
        f"assert (ZE : {coq(goal.gap)} = {linear}) by bc_equal.",
        "lra.",
    ]
