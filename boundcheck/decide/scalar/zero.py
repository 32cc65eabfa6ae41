"""Edges: a variable that its domain pins is put in, and the base of a power is split at 0 by itself."""

from __future__ import annotations

from collections.abc import Iterator

from boundcheck.decide.scalar.prover import ANY, Node, fresh, proposing, substitution
from boundcheck.decide.scalar.reduce import faces
from boundcheck.kernel.check.sequent import Sequent, outside_binders
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import neg, positive
from boundcheck.kernel.enclosure.straight_line import fraction_of
from boundcheck.kernel.formula import Expr, num, substitute, text, var


@proposing(ops=ANY)
def pinned(seq: Sequent) -> Iterator[Node]:
    """A variable that can have one value only is that value: a number, or a bound from both sides."""
    box = seq.box or {}
    for v in sorted(seq.goal.free - seq.integers):
        lo, hi = box[v][0], box[v][1]
        found = [num(fraction_of(lo))] if lo == hi and lo.is_exact() else []
        if not found:
            ends = {end: [e for where, e in faces(seq, v) if where == end and e.free] for end in ("low", "high")}
            found = [e for e in ends["low"] if e in ends["high"]]
        for at in found:
            yield substitution(v, var(fresh(seq)), at, var(v))


@proposing(ops=ANY)
def reflected(seq: Sequent) -> Iterator[Node]:
    """x <= 0 whose negative is raised to a power is -t with t >= 0: laws of powers are for bases of a known sign."""
    box = seq.box or {}
    for n in outside_binders(seq.goal.gap):
        base = n.args[0] if n.op == "pow" else n
        x = base.args[0].value if base.op == "neg" and base.args[0].op == "var" else None
        if x is not None and x not in seq.integers and n.op == "pow" and positive(neg(box[x]), False):
            t = var(fresh(seq))
            yield substitution(x, t, -t, base)
            return


def _edges(e: Expr) -> list[Expr]:
    """The bases of roots and of powers that are no whole number, and what logarithms are taken of."""
    found = []
    for n in outside_binders(e):
        whole = n.op == "pow" and n.args[1].op == "num" and n.args[1].value.denominator == 1 and n.args[1].value > 0
        if (n.op == "pow" and not whole) or n.op in ("sqrt", "log"):
            found.append(n.args[0])
    return found


@proposing(least=4)
def based(seq: Sequent) -> Iterator[Node]:
    """A variable >= 0 under a root or a power that may vanish with it: the case 0, where it can be put in, and > 0.

    So for the base of a power with a formula as exponent, which no derivative reaches where the base vanishes.
    """
    goal, box = seq.goal, seq.box or {}
    if len(goal.free) < 2:
        return
    bases = _edges(goal.gap)
    for v in sorted(goal.free - seq.integers):
        if box[v][0] == 0 and not box[v][2] and box[v][1] > 0:
            vanishing = (substitute(b, {v: num(0)}) for b in bases if v in b.free)
            if any(not positive(enclose(b, box), True) for b in vanishing):
                yield {"rule": "case", "on": v, "strict": True}
                return
    for n in outside_binders(goal.gap):  # 0**0 is at no end of a power that a derivative goes along
        if n.op == "pow" and n.args[1].op == "var" and n.args[0].free - seq.integers:
            r, base = n.args[1].value, enclose(n.args[0], box)
            if r not in seq.integers and box[r][0] == 0 and not box[r][2] and base is not None and base[0] == 0:
                yield {"rule": "case", "on": r, "strict": True}
                return
    strict = {h.gap for h in seq.hyps if h.strict}
    for n in outside_binders(goal.gap):
        if n.op == "pow" and n.args[1].free and n.args[0].op not in ("num", "const", "var"):
            for gap in _vanishing(n.args[0], seq):
                if gap not in strict and not positive(enclose(gap, box), True):
                    yield {"rule": "case", "on": text(gap), "strict": True}
                    return


def _vanishing(base: Expr, seq: Sequent) -> list[Expr]:
    """What is >= 0 on the domain, and 0 where the base is: the base itself, or the distance to a face."""
    if seq.algebra.positive(base):
        return []
    if seq.algebra.nonnegative(base):
        return [base]
    names = sorted(base.free - seq.integers)
    return [
        var(v) - at if end == "low" else at - var(v)
        for v in names
        for end, at in faces(seq, v)
        if seq.algebra.is_zero(substitute(base, {v: at}))
    ]
