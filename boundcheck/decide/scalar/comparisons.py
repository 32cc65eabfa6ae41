"""Sums and integrals beside others that are known: a factor held at an end, differences of an antiderivative."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from boundcheck.decide.scalar.antiderivatives import antiderivatives
from boundcheck.decide.scalar.binder_tactics import (
    assumed,
    binders,
    closed,
    held,
    limits,
    mirrored,
    named_binder,
    outer_binders,
    plain,
    termwise,
)
from boundcheck.decide.scalar.prover import (
    Guide,
    Node,
    Prover,
    by_lemmas,
    normal,
    product_of,
    slope_of,
    sum_of,
    unguided,
)
from boundcheck.decide.scalar.sampling import plausible, signs
from boundcheck.kernel.check.binder_rules import Binder, with_value
from boundcheck.kernel.check.nodes_read import ORDER
from boundcheck.kernel.check.poly import ONE, AlgebraLimit, Poly, to_expr
from boundcheck.kernel.check.quotients import Ratio
from boundcheck.kernel.check.reductions import replaced
from boundcheck.kernel.check.sequent import Sequent, has_binder
from boundcheck.kernel.formula import Expr, Relation, num, substitute, text, var


def compared(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """A sum or integral S of the goal by another, S', whose terms are nowhere smaller (larger): S <= S', then S'."""
    if seq.goal.op not in ORDER or depth < 4:
        return None
    for term in outer_binders(seq)[:2]:
        done = _replaced(p, seq, depth, term) or _apart(p, seq, depth, term)
        if done is not None:
            return done
    return None


def drawn_out(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """A factor that does not move with the index, in front of its sum or integral, and of all of the gap if it can.

    Both at once: the second in a search of its own has a share of a share of the time.
    """
    if seq.goal.op not in ORDER or depth < 4 or not has_binder(seq.goal.gap) or assumed(seq):
        return None
    for node, b in binders(seq):
        times = coefficient(seq, b.term)
        (sign,) = (0,) if times is None else signs((times,), seq)
        if times is None or not sign:
            continue
        times, found = times if sign > 0 else -times, _fixed_factor(b)
        factor, by = (num(1), b.term) if found is None else (found[0], found[0] * b.with_body(found[1]))
        changed = seq if found is None else with_value(b, by)[-1]
        outer = times * factor
        inner = normal(changed.goal.gap / outer, seq.algebra) if outer.free else None
        whole = product_of((outer, 1), (inner, 1)) if inner is not None and not inner.free & outer.free else None
        if found is None:
            done = None if whole is None else p.apply(whole, seq, depth - 1)
        else:
            beside = Relation(">=" if sign > 0 else "<=", b.term, by)
            lemmas: list[tuple[Relation, Guide]] = [
                (changed.goal, unguided if whole is None else partial(p.apply, whole, depth=depth - 1)),
                (beside, partial(p.apply, {"rule": "termwise", **node}, depth=depth - 1)),
            ]
            done = by_lemmas(p, seq, depth, lemmas, [num(1), times])
        if done is not None:
            return done
    return None


def _fixed_factor(b: Binder) -> tuple[Expr, Expr] | None:
    """What the body is a multiple of at every place of the range, and the rest of it; None if that is all of it."""
    try:
        form = b.inside(b.seq.goal).algebra.normal(b.body)
    except AlgebraLimit:
        return None
    common = set(next(iter(form.num), ())).intersection(*form.num)
    fixed = {f for f in common if b.t not in to_expr({(f,): ONE[()]}).free}
    first = abs(next(iter(form.num.values()), ONE[()]))
    if not fixed and first == 1:
        return None
    rest = {tuple(f for f in m if f not in fixed): c / first for m, c in form.num.items()}
    shared = tuple(f for f in next(iter(form.num)) if f in fixed)
    return to_expr({shared: first}), Ratio(rest, form.den).expr()


def _replaced(p: Prover, seq: Sequent, depth: int, term: Expr) -> Node | None:
    found, times = named_binder(seq, term), coefficient(seq, term)
    if found is None or times is None:
        return None
    b = found[1]
    (sign,) = signs((times,), seq)
    for body, whole in (*_bound_of(seq, b, times), *_others(p, b)) if sign else ():
        p.clock()
        beside = Relation(">=" if sign > 0 else "<=", term, b.with_body(body))
        changed = with_value(b, beside.rhs)[-1]
        if body == b.body or not plausible(changed) or not plausible(seq.with_goal(beside)):
            continue
        done = _known(p, changed, depth - 1, beside.rhs, b.t, whole)
        if done is not None:
            done = _by(p, seq, depth, beside, times if sign > 0 else -times, changed.goal, done, (b.t, whole))
        if done is not None:
            return done
    return None


def coefficient(seq: Sequent, term: Expr) -> Expr | None:
    """What the gap has before the term, if it is linear in it."""
    try:
        form = seq.algebra.normal(seq.goal.gap)
        beside: Poly = {}
        for m, c in form.num.items():
            rest = tuple(f for f in m if f[0] is not term)
            if len(rest) < len(m):
                if dict(m)[term] != 1 or any(has_binder(a) for a, _ in rest):
                    return None
                beside[rest] = c
        below = to_expr(form.den)
        return seq.algebra.normal(to_expr(beside) / below).expr() if beside and not has_binder(below) else None
    except AlgebraLimit:
        return None


def _apart(p: Prover, seq: Sequent, depth: int, term: Expr) -> Node | None:
    """The first term of a sum apart: an antiderivative may have no value one place before."""
    found = named_binder(seq, term)
    if found is None or not found[1].is_sum or found[1].low is None or found[1].low.free:
        return None
    rest = found[1].with_range(found[1].low + num(1), term.args[3])

    def guide(s: Sequent) -> Node | None:
        return _replaced(p, s, depth - 1, rest) if s.hyps == seq.hyps and rest in outer_binders(s) else None

    return p.apply({"rule": "unroll", **found[0], "first": True}, seq, depth, guide)


def _bound_of(seq: Sequent, b: Binder, times: Expr) -> Iterator[tuple[Expr, Expr]]:
    """R' and R(k) - R(k - 1) from the bound R itself, where an end of the range is a variable."""
    t = var(b.t)
    for end, after in ((b.low, False), (b.high, True)):
        if end is None or end.op != "var" or end.value in b.body.free | times.free:
            continue
        bound = substitute(replaced(seq.goal.gap, b.term, num(0)) / -times, {end.value: t})
        if has_binder(bound):
            continue
        if b.is_sum:
            whole = substitute(bound, {b.t: t - 1}) if after else -bound
            yield substitute(whole, {b.t: t + 1}) - whole, whole
        else:
            whole = bound if after else -bound
            slope = slope_of(whole, b.t)
            if slope is not None:
                yield slope, whole


def _others(p: Prover, b: Binder) -> Iterator[tuple[Expr, Expr | None]]:
    """Bodies beside that of a sum or integral, and F where a body is F(t + 1) - F(t)."""
    for body in dict.fromkeys(held(b)):
        yield body, None
    if not b.is_sum:
        return
    t, half = var(b.t), num(Fraction(1, 2))
    for whole in antiderivatives(b.body, b.t, b.inside(b.seq.goal).algebra, p.clock):
        for before, after in ((t - 1, t), (t - half, t + half), (t, t + 1)):
            first, last = (substitute(whole, {b.t: at}) for at in (before, after))
            yield last - first, first


def _known(p: Prover, seq: Sequent, depth: int, term: Expr, t: str, whole: Expr | None) -> Node | None:
    """A goal by the closed form of a term: ``whole`` is its antidifference in ``t``."""
    if whole is None:
        return None if seq.goal.op == "defined" else closed(p, seq, depth) or mirrored(p, seq, depth)
    found = named_binder(seq, term)
    if found is None:
        return None
    by = substitute(whole, {t: var(found[1].t)})
    node: Node = {"rule": "closed-form", **found[0], "by": text(by), **limits(p, found[1], by)}
    return p.apply(node, seq, depth, lambda s: plain(p, s, depth - 2))


def _by(
    p: Prover, seq: Sequent, depth: int, beside: Relation, times: Expr, goal: Relation, proof: Node,
    of: tuple[str, Expr | None],
) -> Node | None:  # fmt: skip
    """gap = gap of ``goal``, which has the other term and a proof, + ``times`` times the gap between the terms."""
    here = len(seq.hyps)

    def exists(s: Sequent) -> Node | None:
        if s.goal.op != "defined" or beside.rhs not in outer_binders(s):
            return None
        return _known(p, s, depth - 2, beside.rhs, *of)

    def proofs(s: Sequent) -> Node | None:
        """What is asked for on the way: the two lemmas, and that the other term exists."""
        if s.goal == goal:
            return proof
        if s.goal == beside:
            node: Node = {"rule": "drop", "keep": list(range(here))}
            return p.apply(node, s, depth - 1, lambda r: termwise(p, r, depth - 2))
        return exists(s)

    def last(s: Sequent) -> Node | None:
        return p.apply(sum_of({here: num(1), here + 1: times}), s, depth - 1)

    return p.cut(goal, seq, depth, lambda s: p.cut(beside, s, depth - 1, last, proofs), proofs)
