"""Scripts that an integral or sum exists: every place of its range, a majorant, the integral test."""

from __future__ import annotations

from boundcheck.kernel.check.binder_rules import Binder
from boundcheck.kernel.check.nodes_read import Node, at_least, formula
from boundcheck.kernel.derivative import derivative
from boundcheck.kernel.formula import Expr, Relation, call, var
from boundcheck.rocq.coq_text import DEFINED, NotStated, coq, ends, function, name, relation
from boundcheck.rocq.reduction_proofs import proved, side_children
from boundcheck.rocq.shapes import Children, Lemma, uses

OPEN = "bc_open."


def within(b: Binder, children: Children) -> list[Lemma]:
    """Children about places of the range."""
    wanted = b.inside(b.seq.goal).hyps
    return [c for c in children if c.sequent.hyps == wanted]


def entered(b: Binder) -> str:
    """A tactic that goes to a place of the range, with what is known there."""
    known = "J0 J1 J2; cbn [Rbar_le] in J2" if b.is_sum else "J1 J2; cbn [Rbar_lt] in J1, J2"
    return f"intros {name(b.t)} {known}; cbv beta"


def everywhere(b: Binder, children: Children) -> str:
    """A tactic: the terms are defined at every place of the range, by children or at once."""
    there = f"{entered(b)}; repeat split; first [exact I | lra{uses(children)} | bc_side]"
    return f"({there})" if b.is_sum else f"(apply between_of; [bc_ends | {there}])"


def compared(node: Node, b: Binder, children: Children) -> list[str]:
    """An integral or sum of what is dominated by ``by``; a sum of falling terms whose integral exists (``test``)."""
    own = within(b, children)
    lines = [OPEN, *side_children(b.seq, [c for c in children if c.sequent.goal.op != DEFINED])]
    for k, c in enumerate(c for c in children if c.sequent.goal.op == DEFINED and c.sequent.hyps == b.seq.hyps):
        lines.append(proved(f"ZG{k}", c))
    lines.append(OPEN)
    exists = _tested(b, children) if node.get("test") is True else _dominated(b, formula(node, "by"), own)
    return [*lines, f"{exists_on(b, exists, everywhere(b, own))}."]


def exists_on(b: Binder, exists: str, places: str) -> str:
    """A tactic that an integral or infinite sum is defined, from those that it exists and what its terms are."""
    both = f"split; [{exists} | {places}]"
    return f"split; [bc_whole | {both}]" if b.is_sum else both


def _proved(goal: Relation, children: Children) -> str:
    """A tactic for a goal that a child proves, or that holds at once."""
    fitting = uses(c for c in children if c.sequent.goal == goal)
    return f"(assert (ZO : {relation(goal)}) by first [bc_side{fitting}]; lra)"


def _dominated(b: Binder, by: Expr, own: Children) -> str:
    """A tactic: the body is at most the majorant, which exists."""
    f, g = function(b.t, b.body), function(b.t, by)
    least = _proved(Relation("<=", call("abs", b.body), by), own)
    if b.is_sum:
        assert b.low is not None
        inner = f"({entered(b)}; {least})"
        return f"(apply (ex_Sum_dominated {f} {g} ({coq(b.low)})); [bc_whole | {inner} | assumption])"
    steady = f"({entered(b)}; c_find; cbv beta; first [lra{uses(own)} | bc_side])"
    return (
        f"(apply (ex_Int_dominated {f} {g} {ends(b.term)}); "
        f"[bc_ends | {steady} | {steady} | ({entered(b)}; {least}) | assumption])"
    )


def _tested(b: Binder, children: Children) -> str:
    """A tactic: the terms fall and are not negative, and their integral exists."""
    if not b.is_sum or b.low is None:
        raise NotStated("the integral test of an integral")
    x, slope = name(b.t), derivative(b.body, b.t)
    wide = b.seq.with_hyps(Relation(">=", var(b.t), b.low))
    own = [c for c in children if c.sequent.hyps == wide.hyps]
    signs = [f"(intros {x} J; cbv beta; {_proved(at_least(e, False), own)})" for e in (b.body, -slope)]
    by_parts = f"eapply d_eq; [d_find; cbv beta; first [lra{uses(own)} | bc_side] | bc_equal]"
    derive = f"(intros {x} J; cbv beta; first [bc_derive | {by_parts}])"
    f, d = function(b.t, b.body), function(b.t, slope)
    return (
        f"(apply (ex_Sum_test {f} {d} ({coq(b.low)})); [bc_whole | {signs[0]} | {derive} | {signs[1]} | assumption])"
    )
