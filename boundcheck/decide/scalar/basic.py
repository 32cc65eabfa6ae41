"""First tactics: hypotheses, identities, ==, !=, definedness, integers, kinks."""

from __future__ import annotations

from collections.abc import Iterator

from boundcheck.decide.scalar.prover import ANY, Guide, Node, Prover, fresh, proposing, unguided
from boundcheck.decide.scalar.sampling import plausible, signs
from boundcheck.kernel.check.leaves import falsified
from boundcheck.kernel.check.nodes_read import ORDER, need
from boundcheck.kernel.check.poly import ONE, scale, to_expr
from boundcheck.kernel.check.refine import identical
from boundcheck.kernel.check.sequent import Sequent, outside_binders
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import INF, NINF, neg, positive
from boundcheck.kernel.enclosure.straight_line import integer_of
from boundcheck.kernel.formula import Expr, Relation, text


def trivial(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Goals settled by a hypothesis or an exact identity, and the logical forms of other goals."""
    goal = seq.goal
    match goal.op:
        case "defined":
            return p.apply({"rule": "defined"}, seq, depth)
        case "!=":
            if not plausible(seq) or signs((goal.gap,), seq) == [0]:
                return None
            return p.first(({"rule": "unequal", "as": op} for op in (">", "<")), seq, depth)
        case "==":
            if identical(seq):
                return {"rule": "identity"}
            return p.apply({"rule": "equal"}, seq, depth)
        case "<=" | ">=":
            if seq.algebra.is_zero(goal.lhs - goal.rhs):
                return {"rule": "identity"}
    return {"rule": "hypothesis"} if not need(goal, seq) else None


def integers(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Enumerate a short range of an integer variable, or its first values where there are two variables at most."""
    box = seq.box or {}
    for v in sorted(seq.integers & set(seq.variables)):
        lo, hi = box[v][0], box[v][1]
        if lo > NINF and hi < INF and hi - lo <= 60 and integer_of(hi) is not None:
            return p.apply({"rule": "enumerate", "var": v, "from": integer_of(lo), "to": integer_of(hi)}, seq, depth)
    return _first_values(p, seq, depth) if len(seq.goal.free) <= 2 else None


def first_values(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """The first values of an integer variable among three or more variables, each by itself."""
    return _first_values(p, seq, depth) if len(seq.goal.free) > 2 else None


def _first_values(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Enumerate the first values of an integer variable; the rest is a tail."""
    box = seq.box or {}
    for v in sorted(seq.integers & set(seq.variables)):
        lo = box[v][0]
        if lo > NINF and abs(lo) < 10**6:
            first = int(lo.unique_fmpz())
            ranges = ({"rule": "enumerate", "var": v, "from": first, "to": first + count} for count in (1, 3, 12))
            done = p.first(ranges, seq, min(depth, 6), share=1 / 3)
            if done is not None:
                return done
    return None


def kinks_of(e: Expr) -> list[Expr]:
    """What changes its sign where abs, min or max has a kink, outside of integrals and sums."""
    out = []
    for n in outside_binders(e):
        if n.op == "abs":
            out.append(n.args[0])
        elif n.op in ("min", "max"):
            out.append(n.args[0] - n.args[1])
    return out


def folded(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """An equality (a bound that is attained) whose kinks leave an identity in each case of their signs."""
    return _folded(p, seq, 6) if seq.goal.op in ("==", "<=", ">=") and kinks_of(seq.goal.gap) else None


def _folded(p: Prover, seq: Sequent, most: int) -> Node | None:
    p.clock()
    if seq.box is None or any(falsified(h, seq.box) for h in seq.hyps):
        return {"rule": "eval"}
    if seq.algebra.is_zero(seq.goal.gap):
        return {"rule": "identity"}
    kinks = kinks_of(seq.goal.gap) if most else []
    if not kinks:  # no such case, which bounds of several variables may show
        return p.sliced(0.1, lambda: p.prove(seq, 4))
    node: Node = {"rule": "case", "on": text(kinks[0])}
    return p.filled(node, seq, lambda s: _folded(p, s, most - 1) if s.goal.op == seq.goal.op else p.prove(s, 2))


def arcs(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """asin, acos or atan of something as what makes the goal an identity."""
    goal = seq.goal
    found = [n for n in goal.gap.walk() if n.op in ("asin", "acos", "atan")]
    if goal.op not in ("==", "<=", ">=") or not found:
        return None
    form = seq.algebra.normal(goal.lhs - goal.rhs)
    for m, c in form.num.items() if form.den == ONE else ():
        is_ = to_expr(scale({k: x for k, x in form.num.items() if k != m}, -1 / c))
        for term in found:
            if len(m) == 1 and m[0][1] == 1 and m[0][0].op == term.op and seq.algebra.is_zero(term - m[0][0]):
                return p.apply({"rule": "arc", "term": text(term), "is": text(is_)}, seq, min(depth, 6))
    return None


def opened(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """A hypothesis abs(u) <= c is u <= c and u >= -c, which leaves no kink."""
    for i, h in enumerate(seq.hyps):
        inner, bound = h.sides if h.op in ("<=", "<") else (h.rhs, h.lhs)
        if h.op in ORDER and inner.op == "abs" and not kinks_of(inner.args[0]) and not kinks_of(bound):
            u, strict = inner.args[0], "" if h.strict else "="
            lemmas = [Relation("<" + strict, u, bound), Relation(">" + strict, u, -bound)]
            return only(p, seq, depth + 1, lemmas, [k for k in range(len(seq.hyps)) if k != i])
    return None


def only(
    p: Prover, seq: Sequent, depth: int, lemmas: list[Relation], keep: list[int], guide: Guide = unguided
) -> Node | None:
    """The goal from lemmas that follow and the hypotheses ``keep`` alone; ``guide`` is asked for it first."""
    if not lemmas:
        return p.apply({"rule": "drop", "keep": keep}, seq, depth, guide)
    more = [*keep, len(seq.hyps)]
    return p.cut(lemmas[0], seq, depth, lambda s: only(p, s, depth, lemmas[1:], more, guide))


@proposing(cost=-1, ops=ANY)
def kinks(seq: Sequent) -> Iterator[Node]:
    """Split on the sign inside abs, min or max (innermost first), last on one that is known."""
    box = seq.box or {}
    found = [(u, enclose(u, box)) for r in (seq.goal, *seq.hyps) for u in kinks_of(r.gap)]
    fixed = {u: positive(a, False) or (a is not None and positive(neg(a), False)) for u, a in found}
    for u in sorted((u for u, known in fixed.items() if known or u.free), key=lambda u: fixed[u]):
        yield {"rule": "case", "on": text(u)}
        return


@proposing(ops=ANY)
def steps(seq: Sequent) -> Iterator[Node]:
    """Relax floor and ceil to variables."""
    for r in (seq.goal, *seq.hyps):
        for n in r.gap.walk():
            if n.op in ("floor", "ceil") and n.free:
                yield {"rule": "step", "term": text(n), "new": fresh(seq, "n")}
                return
