"""The error function far out: an expansion at infinity by partial sums of its asymptotic series."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from boundcheck.kernel.check.nodes_read import ORDER, Node
from boundcheck.kernel.check.sequent import Box, Sequent
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import positive
from boundcheck.kernel.formula import Expr, Relation, call, const, num, substitute, var
from boundcheck.kernel.formula.functions import TABLE
from boundcheck.kernel.formula.unfolding import unfold
from boundcheck.kernel.proof.terms import exchanged
from boundcheck.rocq.coq_text import coq
from boundcheck.rocq.expansion_proofs import expansion

FAR = 10**9  #: a place that stands for infinity where a sign is guessed; Coq proves what comes of it
TERMS = (1, 2, 3, 4, 6)  #: of the asymptotic series of the error function


def far_out(node: Node, seq: Sequent, direct: Callable[[], str]) -> list[str]:
    """The script of an expansion at infinity with the error function; [] for any other.

    What the function lacks of 1 lies between partial sums of its asymptotic series (DLMF 7.12.1), so it is one of
    them with a part of the next term. That part is one more variable between 0 and 1, and the rest is an expansion
    without the error function.
    """
    v, goal = str(node.get("var")), seq.goal
    lhs, rhs = (unfold(e, frozenset(TABLE) - {"erfc"}) for e in goal.sides)
    calls = list(dict.fromkeys(n for e in (lhs, rhs) for n in e.walk() if n.op == "erf" and v in n.args[0].free))
    if node.get("at") != "oo" or "absurd" in node or goal.op not in ORDER or not calls:
        return []
    for count in TERMS:
        lines, hyps, puts = [], [], {}
        for i, e in enumerate(calls):
            sign = sign_far(e.args[0], v, int(node["side"]), seq.box or {})
            if not sign:
                return []
            u, t = e.args[0] if sign > 0 else Expr("neg", (e.args[0],)), var(f"part{i}_")
            lack = _lack(u, count, t)
            puts[e] = Expr("sub", (num(1), lack) if sign > 0 else (lack, num(1)))
            hyps += [Relation(">=", t, num(0)), Relation("<=", t, num(1))]
            turned = "" if sign > 0 else f"rewrite <- (Ropp_involutive ({coq(e.args[0])})) at 1; rewrite erf_opp; "
            lines += [
                f"assert (YP{i} : 0 < {coq(u)}) by first [lra | bc_side]",
                f"destruct (erf_far {count} ({coq(u)}) YP{i}) as ({coq(t)} & YT{i} & YE{i})",
                f"assert (YQ{i} : {coq(e)} = {coq(puts[e])}) by (pose proof root_pi; {turned}rewrite YE{i}; "
                "cbn [far_sum far_c Nat.mul Nat.add]; simpl INR; field; repeat split; lra)",
                f"clear YE{i}; rewrite YQ{i}",
            ]
        other = Relation(goal.op, *(exchanged(e, puts) for e in (lhs, rhs)))
        inner = Sequent((*seq.hyps, *hyps), other, seq.integers)
        script = expansion(node, inner, (), direct)
        if len(script) > 1:  # it has one, within a longer limit of time
            found_ = f"({'; '.join(lines)}; {script[1].removesuffix('.')})"
            return [script[0], f"first [{found_} | {direct()}].", script[2]]
    return []


def sign_far(u: Expr, v: str, side: int, box: Box) -> int:
    """The sign of a formula where ``v`` is far out to this side, 0 where it is not seen."""
    there, others = substitute(u, {v: num(side * FAR)}), {w: a for w, a in box.items() if w != v}
    return int(positive(enclose(there, others), True)) - int(positive(enclose(-there, others), True))


def _lack(u: Expr, count: int, t: Expr) -> Expr:
    """What erf u lacks of 1 for u > 0: so many terms of its series, and the part ``t`` of the next."""
    c, total = Fraction(1), num(0)
    for k in range(count + 1):
        term = num(c) / Expr("pow", (u, num(2 * k + 1)))
        total = total + (term if k < count else t * term)
        c *= -Fraction(2 * k + 1, 2)
    return Expr("mul", (call("exp", Expr("neg", (Expr("pow", (u, num(2))),))) / call("sqrt", const("pi")), total))
