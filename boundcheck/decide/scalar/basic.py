"""First tactics: hypotheses, identities, ==, !=, definedness, integers, kinks."""

from __future__ import annotations

from functools import partial

from boundcheck.decide.scalar.prover import Node, Prover, fresh
from boundcheck.decide.scalar.sampling import plausible, signs
from boundcheck.kernel.check.leaves import falsified
from boundcheck.kernel.check.nodes_read import need
from boundcheck.kernel.check.poly import ONE, scale, to_expr
from boundcheck.kernel.check.refine import identical, refine
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import INF, NINF, neg, positive
from boundcheck.kernel.enclosure.straight_line import integer_of
from boundcheck.kernel.formula import Expr, Relation, text

_ORDER = ("<=", "<", ">=", ">")


def trivial(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Goals settled by a hypothesis or an exact identity, and the logical forms of other goals."""
    goal = seq.goal
    match goal.op:
        case "defined":
            return p.apply({"rule": "defined"}, seq, depth)
        case "!=":
            if not plausible(seq) or signs((goal.gap,), seq) == [0]:
                return None
            for op in (">", "<"):
                node = p.apply({"rule": "unequal", "as": op}, seq, depth)
                if node is not None:
                    return node
            return None
        case "==":
            if identical(seq):
                return {"rule": "identity"}
            return p.apply({"rule": "equal"}, seq, depth)
        case "<=" | ">=":
            if seq.algebra.is_zero(goal.lhs - goal.rhs):
                return {"rule": "identity"}
    return {"rule": "hypothesis"} if not need(goal, seq) else None


def integers(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Enumerate a short range of an integer variable; the rest is a tail."""
    box = seq.box or {}
    for v in sorted(seq.integers & set(seq.variables)):
        lo, hi = box[v][0], box[v][1]
        if lo > NINF and hi < INF and hi - lo <= 60 and integer_of(hi) is not None:
            return p.apply({"rule": "enumerate", "var": v, "from": integer_of(lo), "to": integer_of(hi)}, seq, depth)
    for v in sorted(seq.integers & set(seq.variables)):
        lo, hi = box[v][0], box[v][1]
        if lo > NINF and abs(lo) < 10**6:
            first = int(lo.unique_fmpz())
            for count in (1, 3, 12):
                node: Node = {"rule": "enumerate", "var": v, "from": first, "to": first + count}
                relaxed = p.sliced(max(0.05, p.left() / 3), partial(p.apply, node, seq, min(depth, 6)))
                if relaxed is not None:
                    return relaxed
    return None


def _kinks(e: Expr) -> list[Expr]:
    out = []
    for n in e.walk():
        if n.op == "abs":
            out.append(n.args[0])
        elif n.op in ("min", "max"):
            out.append(n.args[0] - n.args[1])
    return out


def folded(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """An equality (a bound that is attained) whose kinks leave an identity in each case of their signs."""
    return _folded(p, seq, 6) if seq.goal.op in ("==", "<=", ">=") and _kinks(seq.goal.gap) else None


def _folded(p: Prover, seq: Sequent, most: int) -> Node | None:
    p.clock()
    if seq.box is None or any(falsified(h, seq.box) for h in seq.hyps):
        return {"rule": "eval"}
    if seq.algebra.is_zero(seq.goal.gap):
        return {"rule": "identity"}
    kinks = _kinks(seq.goal.gap) if most else []
    if not kinks:  # no such case, which bounds of several variables may show
        return p.sliced(0.1, lambda: p.prove(seq, 4))
    node: Node = {"rule": "case", "on": text(kinks[0])}
    children = []
    for s in refine(node, seq):
        child = _folded(p, s, most - 1) if s.goal.op == seq.goal.op else p.prove(s, 2)
        if child is None:
            return None
        children.append(child)
    return {**node, "then": children}


def arcs(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """asin, acos or atan of something as what makes the goal an identity."""
    goal = seq.goal
    if goal.op not in ("==", "<=", ">=") or not any(n.op in ("asin", "acos", "atan") for n in goal.gap.walk()):
        return None
    form = seq.algebra.normal(goal.lhs - goal.rhs)
    for m, c in form.num.items():
        if form.den != ONE or len(m) != 1 or m[0][1] != 1 or m[0][0].op not in ("asin", "acos", "atan"):
            continue
        is_ = to_expr(scale({k: x for k, x in form.num.items() if k != m}, -1 / c))
        for term in dict.fromkeys(n for n in goal.gap.walk() if n.op == m[0][0].op):
            if seq.algebra.is_zero(term - m[0][0]):
                return p.apply({"rule": "arc", "term": text(term), "is": text(is_)}, seq, min(depth, 6))
    return None


def opened(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """A hypothesis abs(u) <= c is u <= c and u >= -c, which leaves no kink."""
    for i, h in enumerate(seq.hyps):
        inner, bound = (h.lhs, h.rhs) if h.op in ("<=", "<") else (h.rhs, h.lhs)
        if h.op in _ORDER and inner.op == "abs" and not _kinks(inner.args[0]) and not _kinks(bound):
            u, strict = inner.args[0], "" if h.strict else "="
            return _replaced(p, seq, depth, i, [Relation("<" + strict, u, bound), Relation(">" + strict, u, -bound)])
    return None


def _replaced(p: Prover, seq: Sequent, depth: int, i: int, by: list[Relation]) -> Node | None:
    """A hypothesis replaced by others that follow from it."""
    if not by:
        keep = [k for k in range(len(seq.hyps)) if k != i]
        return p.apply({"rule": "drop", "keep": keep}, seq, depth + 1)

    def guide(s: Sequent) -> Node | None:
        return _replaced(p, s, depth, i, by[1:]) if s.goal is seq.goal and by[0] in s.hyps else None

    return p.apply({"rule": "cut", "lemma": str(by[0])}, seq, depth + 1, guide)


def kinks(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Split on the sign inside abs, min or max (innermost first)."""
    box = seq.box or {}
    fixed: list[Expr] = []
    for r in (seq.goal, *seq.hyps):
        for u in _kinks(r.gap):
            value = enclose(u, box)
            if positive(value, False) or (value is not None and positive(neg(value), False)):
                fixed.append(u)
                continue
            if not u.free:
                continue
            return p.apply({"rule": "case", "on": text(u)}, seq, depth + 1)
    for u in fixed:
        return p.apply({"rule": "case", "on": text(u)}, seq, depth + 1)
    return None


def steps(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Relax floor and ceil to variables."""
    for r in (seq.goal, *seq.hyps):
        for n in r.gap.walk():
            if n.op in ("floor", "ceil") and n.free:
                return p.apply({"rule": "step", "term": text(n), "new": fresh(seq, "n")}, seq, depth)
    return None
