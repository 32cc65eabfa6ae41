"""Rules of proof. Each takes a node and a sequent, checks side conditions, and returns what is left to prove.

``refine(node, sequent)`` raises :class:`Refused` where the rule does not apply. A rule that brings a new
formula also returns the goals that make it defined, unless the box settles them at once.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

from boundcheck.kernel.check import algebraic
from boundcheck.kernel.check.binder_rules import CLOCKED
from boundcheck.kernel.check.binder_rules import RULES as BINDERS
from boundcheck.kernel.check.expansion import Expansion
from boundcheck.kernel.check.integers import RULES as INTEGERS
from boundcheck.kernel.check.known_values import known_value
from boundcheck.kernel.check.laurent import NoExpansion
from boundcheck.kernel.check.leaves import falsified, settled
from boundcheck.kernel.check.nodes_read import (
    ORDER,
    Clock,
    Node,
    at_least,
    known,
    name_of,
    need,
    ordering,
    rational,
)
from boundcheck.kernel.check.poly import AlgebraLimit
from boundcheck.kernel.check.reductions import RULES as REDUCTIONS
from boundcheck.kernel.check.sequent import Box, Refused, Sequent, obligations, propagate
from boundcheck.kernel.check.sum_rules import RULES as SUMS
from boundcheck.kernel.enclosure.intervals import ENTIRE
from boundcheck.kernel.enclosure.straight_line import is_integer_valued
from boundcheck.kernel.formula import Relation, num, var

MAX_BITS = 1024  #: of the balls that settle a goal

# ---------------------------------------------------------------- leaves


def _eval(node: Node, seq: Sequent) -> list[Sequent]:
    """The goal on the whole box, at the precision in force or at the ``bits`` that the node names."""
    bits = node.get("bits", ctx.prec)
    if not isinstance(bits, int) or isinstance(bits, bool) or not 2 <= bits <= MAX_BITS:
        raise Refused(f"bits: a number up to {MAX_BITS} is wanted")
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
    return seq.goal.op != "defined" and (seq.algebra.is_zero(gap) or algebraic.is_zero(gap))


def _identity(node: Node, seq: Sequent) -> list[Sequent]:
    if seq.goal.op not in ("<=", ">=", "=="):
        raise Refused("an identity proves <=, >= and == only")
    if not identical(seq):
        raise Refused("the two sides are not identical")
    return []


def _cover(node: Node, seq: Sequent, clock: Clock) -> list[Sequent]:
    """A bisection tree: 0 settles a box, 1 leaves it to a child, [variable, at, below, above] splits."""
    box = seq.box
    if box is None:
        return []
    left: list[Sequent] = []
    stack: list[tuple[Any, Box, tuple[Relation, ...], int]] = [(node.get("tree"), box, (), 0)]
    while stack:
        tree, here, path, depth = stack.pop()
        clock()
        if depth > 300:
            raise Refused("a cover deeper than 300 splits")
        if tree == 1 and isinstance(tree, int):
            left.append(seq.with_hyps(*path))
        elif tree == 0 and isinstance(tree, int):
            if not settled(seq.goal, here) and not any(falsified(h, here) for h in seq.hyps):
                raise Refused(f"a box of the cover does not settle the goal: {_show(here)}")
        elif isinstance(tree, (list, tuple)) and len(tree) == 4:
            v, at, below, above = tree
            if v not in here:
                raise Refused("a split of an unknown variable")
            q = rational(at, "at")
            low, high = halves(here, v, q)
            for half, part, op in ((high, above, ">="), (low, below, "<=")):
                if half is not None:
                    r = Relation(op, var(v), num(q))
                    kept = tuple(p for p in path if p.lhs is not r.lhs or p.op != op)
                    stack.append((part, half, (*kept, r), depth + 1))
                elif part != 0:
                    raise Refused("a split outside the box")
        else:
            raise Refused("a cover tree is 0, 1 or [variable, at, below, above]")
    return left


def halves(box: Box, v: str, at: Fraction) -> tuple[Box | None, Box | None]:
    """The two parts of a box; None for a part that is surely empty (the ball of ``at`` may reach over an end)."""
    e = fmpq(at.numerator, at.denominator)
    c = arb(e)
    lo, hi, lo_open, hi_open = box[v]
    low = {**box, v: (lo, c.upper(), lo_open, False)} if lo <= c.upper() else None
    high = {**box, v: (c.lower(), hi, False, hi_open)} if hi >= c.lower() else None
    return low, high


def _show(box: Box) -> str:
    return ", ".join(f"{v} in [{a[0].str(8, radius=False)}, {a[1].str(8, radius=False)}]" for v, a in box.items())


def _expansion(node: Node, seq: Sequent, clock: Clock) -> list[Sequent]:
    goal = ordering(seq)
    v = name_of(node, "var", seq)
    side = node.get("side")
    depth = node.get("order", 6)
    if side not in (1, -1) or isinstance(side, bool) or not isinstance(depth, int) or not 1 <= depth <= 24:
        raise Refused("side is 1 or -1, order from 1 to 24")
    width = rational(node.get("width"), "width")
    if not 0 < width < 1 or width.denominator.bit_length() > 4000:
        raise Refused("width lies between 0 and 1")
    x, at = var(v), None
    left: list[Sequent] = []
    if node.get("at") == "oo":
        left += need(Relation(">=", side * x if side < 0 else x, num(1 / width)), seq)
    else:
        at = known(node, "at", seq)
        if v in at.free:
            raise Refused("the point of expansion moves with the variable")
        d = x - at if side > 0 else at - x
        left += obligations(at, seq)
        left += need(at_least(d, False), seq) + need(Relation("<=", d, num(width)), seq)
        if need(at_least(d, True), seq):
            if v in seq.integers and not is_integer_valued(at, seq.integers):
                raise Refused("as an exponent, the point of expansion takes fewer bases than the variable")
            face = seq.substituted({v: at})
            left.append(face)
    box = dict(seq.box or {})
    box.pop(v, None)
    try:
        expansion = Expansion(seq.algebra, box, v, at, int(side), width, depth, clock)
        if "absurd" in node:
            h = _hypothesis_at(node["absurd"], seq)
            if expansion.sign(h.gap) >= (1 if h.strict else 0):
                raise Refused("the hypothesis may hold")
            return left
        sign = expansion.sign(goal.gap)
    except (NoExpansion, AlgebraLimit) as error:
        raise Refused(f"expansion: {error}") from None
    if sign < 0 or (sign == 0 and goal.strict):
        raise Refused("the expansion has the wrong sign")
    return left


def _hypothesis_at(i: Any, seq: Sequent) -> Relation:
    if not isinstance(i, int) or isinstance(i, bool) or not 0 <= i < len(seq.hyps) or seq.hyps[i].op not in ORDER:
        raise Refused("an index of an ordering hypothesis is wanted")
    return seq.hyps[i]


RULES: dict[str, Callable[[Node, Sequent], list[Sequent]]] = {
    "eval": _eval, "hypothesis": _hypothesis, "identity": _identity, "known": known_value,
    **REDUCTIONS, **SUMS, **INTEGERS, **BINDERS,
}  # fmt: skip

#: those that look at the clock
LONG: dict[str, Callable[[Node, Sequent, Clock], list[Sequent]]] = {
    "cover": _cover, "expansion": _expansion, **CLOCKED,
}  # fmt: skip


def refine(node: Node, seq: Sequent, clock: Clock = lambda: None) -> list[Sequent]:
    """What is left to prove after the rule ``node["rule"]``. Raises :class:`Refused`."""
    name = node.get("rule")
    if isinstance(name, str) and name in LONG:
        return LONG[name](node, seq, clock)
    rule = RULES.get(name) if isinstance(name, str) else None
    if rule is None:
        raise Refused("an unknown rule")
    return rule(node, seq)
