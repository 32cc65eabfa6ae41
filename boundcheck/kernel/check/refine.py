"""Rules of proof. Each takes a node and a sequent, checks side conditions, and returns what is left to prove.

``refine(node, sequent)`` raises :class:`Refused` where the rule does not apply. A rule that brings a new
formula also returns the goals that make it defined, unless the box settles them at once.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from flint import ctx

from boundcheck.kernel.check.leaves import falsified, settled
from boundcheck.kernel.check.nodes_read import Clock, Node, need, whole_number
from boundcheck.kernel.check.reductions import RULES as REDUCTIONS
from boundcheck.kernel.check.sequent import Refused, Sequent, propagate
from boundcheck.kernel.enclosure.intervals import ENTIRE

MAX_BITS = 1024  #: of the balls that settle a goal

# ---------------------------------------------------------------- leaves


def _eval(node: Node, seq: Sequent) -> list[Sequent]:
    """The goal on the whole box, at the precision in force or at the ``bits`` that the node names."""
    bits = whole_number(node.get("bits", ctx.prec), "bits", 2, MAX_BITS)
    with ctx.workprec(bits):
        box = (
            seq.box if "bits" not in node else propagate(seq.hyps, dict.fromkeys(seq.variables, ENTIRE), seq.integers)
        )
        if box is None or any(falsified(h, box) for h in seq.hyps):
            return []
        if not settled(seq.goal, box):
            raise Refused("the box does not settle the goal")
    return []


def _hypothesis(node: Node, seq: Sequent) -> list[Sequent]:
    if need(seq.goal, seq):
        raise Refused("the goal is not among the hypotheses")
    return []


def identical(seq: Sequent) -> bool:
    """Whether both sides are the same wherever they are defined, by normal forms or as closed numbers."""
    gap = seq.goal.lhs - seq.goal.rhs
    if seq.goal.op == "defined":
        return False
    if seq.algebra.is_zero(gap):
        return True
    from boundcheck.kernel.check import algebraic  # what normal forms show does not rest on it

    return algebraic.is_zero(gap)


def _identity(node: Node, seq: Sequent) -> list[Sequent]:
    if seq.goal.op not in ("<=", ">=", "=="):
        raise Refused("an identity proves <=, >= and == only")
    if not identical(seq):
        raise Refused("the two sides are not identical")
    return []


OWN: dict[str, Callable[..., list[Sequent]]] = {
    "eval": _eval, "hypothesis": _hypothesis, "identity": _identity, **REDUCTIONS,
}  # fmt: skip

#: The modules that hold the other rules. Each is imported when a certificate first names a rule of it, so that a proof
#: rests on the rules that it uses and on what they import, and on no other.
BY_NEED = {
    "boundcheck.kernel.check.cover_rule": ("cover",),
    "boundcheck.kernel.check.variable_rules": ("step", "let", "substitute", "scale"),
    "boundcheck.kernel.check.function_rules": ("arc", "monotone", "jensen", "peel"),
    "boundcheck.kernel.check.slope_rules": ("ladder",),
    "boundcheck.kernel.check.sum_rules": ("farkas", "means"),
    "boundcheck.kernel.check.integers": ("round", "branch", "residues", "classes", "induction"),
    "boundcheck.kernel.check.binder_rules": (
        "terms", "reverse", "unroll", "divide", "same", "termwise", "partial", "closed-form",
    ),
    "boundcheck.kernel.check.known_values": ("known",),
    "boundcheck.kernel.check.expansion_rule": ("expansion",),
}  # fmt: skip
_MODULE = {rule: module for module, rules in BY_NEED.items() for rule in rules}

LONG = ("cover", "expansion", "closed-form")  #: these look at the clock


def refine(node: Node, seq: Sequent, clock: Clock = lambda: None) -> list[Sequent]:
    """What is left to prove after the rule ``node["rule"]``. Raises :class:`Refused`."""
    name = node.get("rule")
    if not isinstance(name, str) or not (name in OWN or name in _MODULE):
        raise Refused("an unknown rule")
    rule: Callable[..., list[Sequent]] = OWN[name] if name in OWN else import_module(_MODULE[name]).RULES[name]
    return rule(node, seq, clock) if name in LONG else rule(node, seq)
