"""Bases of powers: formulas that are raised become variables, x**(1/a) beside log x an exponential."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor

from boundcheck.decide.scalar.prover import Node, Prover, fresh, proposing, substitution
from boundcheck.decide.scalar.sampling import signs
from boundcheck.kernel.check.nodes_read import ORDER
from boundcheck.kernel.check.sequent import Sequent, outside_binders
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import positive
from boundcheck.kernel.formula import Expr, Relation, call, num, text, var

FINE = 64  #: of which parts bounds are rounded to
LARGE = 5  #: exponents from which on powers of sums are not multiplied out


def powers(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """A**m <= B**n as a comparison of A, B and 1: the formulas A and B become variables."""
    sides = seq.goal.sides
    if seq.goal.op not in ORDER or depth < 6 or not all(e.op == "pow" for e in sides) or not any(map(_large, sides)):
        return None
    bases = [e.args[0] for e in sides if e.args[0].op in ("add", "sub")]
    if not bases or any(signs((b,), seq) != [1] for b in bases):
        return None
    return _named(p, seq, list(dict.fromkeys(bases)), depth)


def _large(power: Expr) -> bool:
    e = power.args[1]
    return e.op != "num" or e.value >= LARGE


def _named(p: Prover, seq: Sequent, bases: list[Expr], depth: int) -> Node | None:
    """Every base as a variable, with what shows at the sample points: its sign, its side of 1 and of the other."""
    if not bases:
        return p.prove(seq, depth)
    base, new = bases[0], fresh(seq)
    others = [b for side in seq.goal.sides for b in side.args[:1] if b is not base]
    facts = [Relation(">", var(new), num(0))]
    for other in (num(1), *others):
        for op, gap in (("<", other - base), (">", base - other)):
            if signs((gap,), seq) == [1]:
                facts.append(Relation(op, var(new), other))
    node: Node = {"rule": "let", "term": text(base), "new": new, "facts": [str(f) for f in facts]}

    def guide(s: Sequent) -> Node | None:
        return _named(p, s, bases[1:], depth - 1) if new in s.variables else None

    return p.apply(node, seq, depth - 1, guide)


@proposing(cost=1, least=6, largest=80, share=0.4)
def atoms(seq: Sequent) -> Iterator[Node]:
    """A logarithm or an exponential with variables of its own is one variable, between its bounds on the box."""
    gap = seq.goal.gap
    for n in outside_binders(gap):
        if n.op not in ("log", "exp") or (n.args[0].op == "var" and n.op == "exp") or not n.free < gap.free:
            continue
        told = [h.gap for h in seq.hyps if not h.free <= n.free]
        if not all(_inside(e, n) for e in (gap, *told)):
            continue
        t, value = fresh(seq), enclose(n, seq.box or {})
        facts = [f"{t} > 0"] if signs((n,), seq) == [1] else []
        for op, end, rounded in ((">=", value[0], floor), ("<=", value[1], ceil)) if value else ():
            if end.is_finite() and (bound := rounded(float(end) * FINE)):
                facts.append(f"{t} {op} {bound}/{FINE}")
        yield {"rule": "let", "term": text(n), "new": t, "facts": facts}


def _inside(e: Expr, n: Expr) -> bool:
    """Whether the variables of ``n`` occur in e within n alone."""
    return e is n or ((e.op != "var" or e.value not in n.free) and all(_inside(a, n) for a in e.args))


@proposing(cost=1, least=6, largest=60)
def exponential(seq: Sequent) -> Iterator[Node]:
    """x > 0 that occurs in log x and in x**e, with e a formula, is exp(t/e)."""
    gap = seq.goal.gap
    for n in outside_binders(gap):
        if n.op != "pow" or n.args[0].op != "var" or not n.args[1].free:
            continue
        x, e = n.args
        if x.value in e.free or x.value in seq.integers or not positive((seq.box or {}).get(x.value), True):
            continue
        others = (h.gap for h in seq.hyps if x.value in h.free)
        if all(g in (x, -x) for g in others) and _only(gap, x, e):
            t = var(fresh(seq))
            yield substitution(x.value, t, call("exp", t / e), e * call("log", x))


def _only(gap: Expr, x: Expr, e: Expr) -> bool:
    """Whether x occurs as log x, which it does, and as x**e alone."""
    if gap is x:
        return False
    if gap.op in ("log", "pow") and gap.args[0] is x:
        return gap.op == "log" or gap.args[1] is e
    return all(_only(a, x, e) for a in gap.args if x.value in a.free)
