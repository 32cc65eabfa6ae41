"""Tactics of sums with a moving end, and of other claims on whole numbers: induction, also of a sharper bound."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial as partial_of

from boundcheck.decide.scalar.antiderivatives import antiderivatives
from boundcheck.decide.scalar.binder_tactics import assumed, outer_binders
from boundcheck.decide.scalar.comparisons import coefficient
from boundcheck.decide.scalar.prover import Guide, Node, Prover, by_lemmas, fresh, normal, sum_of, unguided
from boundcheck.decide.scalar.sampling import plausible
from boundcheck.kernel.check.nodes_read import ORDER, at_least
from boundcheck.kernel.check.reductions import replaced
from boundcheck.kernel.check.sequent import Sequent, has_binder
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import NINF
from boundcheck.kernel.enclosure.straight_line import integer_of
from boundcheck.kernel.formula import Expr, Relation, const, is_zero, num, substitute, text, var

_BEGINNINGS = (1, 3, 10, 40)  #: where an induction of a sharper bound begins, after the first value


def induction(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """The goal by induction on a whole number at which sums end, or which stands in an exponent or in gamma."""
    if seq.goal.op not in ORDER or depth < 3 or assumed(seq):
        return None
    for v in _movers(seq):
        lows = {s.args[2] for s in outer_binders(seq) if s.op == "sum" and v in s.args[3].free and s.args[2].free}
        start: int | Expr | None = lows.pop() if len(lows) == 1 else _start(seq, v)
        if start is not None:
            done = _inducted(p, seq, depth, v, start)
            if done is not None:
                return done
    return None


def _movers(seq: Sequent) -> list[str]:
    """Integer variables at which a sum of the goal ends; if there is no sum, those that move a power or gamma."""
    gap, out = seq.goal.gap, {}
    sums = [s for s in outer_binders(seq) if s.op == "sum"]
    if sums:
        out = {v: None for s in sums for v in sorted(s.args[3].free)}
    elif not has_binder(gap):
        moved = [n.args[1] for n in gap.walk() if n.op == "pow"] + [n.args[0] for n in gap.walk() if n.op == "gamma"]
        out = {v: None for e in moved for v in sorted(e.free)}
    return [v for v in out if v in seq.integers]


def _start(seq: Sequent, v: str) -> int | None:
    box = seq.box
    return None if box is None or box[v][0] == NINF else integer_of(box[v][0])


def _inducted(p: Prover, seq: Sequent, depth: int, v: str, start: int | Expr) -> Node | None:
    def proof(s: Sequent) -> Node | None:
        if s.goal.op != "defined":
            done = _step(p, seq, s, v, depth - 1) if seq.goal in s.hyps else unrolled(p, s, depth - 1)
            if done is not None or (seq.goal in s.hyps and has_binder(s.goal.gap)):
                return done
        return p.prove(s, depth - 1)

    return p.filled({"rule": "induction", "var": v, "from": str(start)}, seq, proof, plausible)


def unrolled(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Sums of a fixed short length written out."""
    sums = [s for s in outer_binders(seq) if s.op == "sum" and seq.goal.op != "defined"]
    nodes = ({"rule": "unroll", "term": text(s), "new": fresh(seq, "t")} for s in sums)
    return p.first(nodes, seq, depth, lambda s: unrolled(p, s, depth - 1))


def _step(p: Prover, before: Sequent, seq: Sequent, v: str, depth: int) -> Node | None:
    """The goal at n + 1: last terms apart, then the assumption times a factor, then what is left."""
    for term in outer_binders(before):
        if term.op != "sum" or v not in term.args[3].free:
            continue
        end = substitute(term.args[3], {v: var(v) + 1})
        moved = Expr("sum", (*(substitute(a, {v: var(v) + 1}) for a in term.args[:3]), end))
        for k in range(4):
            if seq.algebra.is_zero(end - term.args[3] - num(k)):
                return _apart(p, before, seq, depth, moved, term.args[3], k)
        return None
    return _compared(p, before, seq, depth)


def _apart(p: Prover, before: Sequent, seq: Sequent, depth: int, moved: Expr, end: Expr, k: int) -> Node | None:
    """``k`` terms of ``moved`` apart, down to the end of the assumption's sum."""
    if k == 0 or moved not in outer_binders(seq):
        return _compared(p, before, seq, depth)
    to = end + num(k - 1)
    node: Node = {"rule": "unroll", "term": text(moved), "new": fresh(seq, "t"), "to": text(to)}
    shorter = Expr("sum", (*moved.args[:3], to))

    def proof(s: Sequent) -> Node | None:
        same = s.hyps == seq.hyps and shorter in outer_binders(s) and moved not in outer_binders(s)
        return _apart(p, before, s, depth - 1, shorter, end, k - 1) if same else p.prove(s, depth - 1)

    return p.filled(node, seq, proof, plausible)


def _compared(p: Prover, before: Sequent, seq: Sequent, depth: int) -> Node | None:
    """gap = factor * (gap assumed) + rest with rest >= 0: the rest as a lemma without the sum."""
    place = seq.hyps.index(before.goal)
    others = [i for i in range(len(seq.hyps)) if i != place]
    for factor in _factors(before, seq):
        rest = normal(seq.goal.gap - factor * before.goal.gap, seq.algebra)
        if rest is None or has_binder(rest):
            continue
        whole = sum_of({place: factor})
        if is_zero(rest):
            return p.apply(whole, seq, depth)
        summed = sum_of({len(seq.hyps): num(1), place: factor})
        done = p.cut(
            at_least(rest, False),
            seq,
            depth,
            lambda s, summed=summed: p.apply(summed, s, depth - 1),  # type: ignore[misc]
            lambda s: p.apply({"rule": "drop", "keep": others}, s, depth - 1),  # without the assumption
        )
        if done is not None:
            return done
    return None


def _factors(before: Sequent, seq: Sequent) -> Iterator[Expr]:
    """1, and by what the sides grow."""
    yield num(1)
    sides = zip(before.goal.sides, seq.goal.sides, strict=True)
    for old, new in sides if not has_binder(before.goal.gap) else ():
        factor = None if is_zero(old) else normal(new / old, seq.algebra)
        if factor is not None:
            yield factor


# ---------------------------------------------------------------- sharper bounds


def sharpened(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """S <= R from S <= G <= R with G = C + the integral of the terms, from some place on."""
    if seq.goal.op not in ORDER or depth < 4:
        return None
    split = _isolated(seq)
    if split is None:
        return None
    total, sign, bound = split
    ends = total.args[3].free & seq.integers
    if total.args[3].op == "var" and len(ends) == 1:
        done = _beyond(p, seq, depth, total, sign, bound)
        if done is not None:
            return done
    if len(ends) != 1 or total.free - ends or total.args[2].free:
        return None
    (v,) = ends
    first = _start(seq, v)
    if first is None:
        return None
    for begin in _BEGINNINGS:
        for guess in _guesses(p, seq, total, sign, v, first + begin):
            done = _from_there(p, seq, depth, total, sign, bound, guess, v, first, first + begin)
            if done is not None:
                return done
    return None


def _beyond(p: Prover, seq: Sequent, depth: int, total: Expr, sign: int, bound: Expr) -> Node | None:
    """S <= R where R + F(n), F' the terms and F < 0 at every n, is a sharper bound that an induction keeps."""
    body, k, low, high = total.args[0], total.args[1].value, total.args[2], total.args[3]
    for whole in antiderivatives(body, k, seq.algebra, p.clock) if high.value not in bound.free else ():
        lemma = Relation("<=" if sign > 0 else ">=", total, bound + substitute(whole, {k: high}))

        def then(s: Sequent, lemma: Relation = lemma) -> Node | None:
            rest = normal(s.goal.gap - lemma.gap, s.algebra)
            if rest is None or has_binder(rest):
                return None
            return _by_lemma(p, s, at_least(rest, s.goal.strict), depth - 1)

        def proof(s: Sequent, lemma: Relation = lemma) -> Node | None:
            return _inducted(p, s, depth - 2, high.value, low) if s.goal == lemma else None

        done = p.cut(lemma, seq, depth - 1, then, proof)
        if done is not None:
            return done
    return None


def _by_lemma(p: Prover, seq: Sequent, rest: Relation, depth: int) -> Node | None:
    """gap = (gap of the last hypothesis) + rest, which is proved without that."""
    last = len(seq.hyps) - 1
    whole = sum_of({last: num(1), last + 1: num(1)})
    earlier: Node = {"rule": "drop", "keep": list(range(last))}
    return p.cut(rest, seq, depth, lambda s: p.apply(whole, s, depth - 1), lambda s: p.apply(earlier, s, depth - 1))


def _isolated(seq: Sequent) -> tuple[Expr, int, Expr] | None:
    """(S, s, R) where the gap is s*(R - S), s = 1 for an upper bound of the sum S."""
    for r in (seq.goal, seq.goal.flipped()):
        if r.lhs.op == "sum" and not has_binder(r.rhs):
            return r.lhs, 1 if r.op in ("<=", "<") else -1, r.rhs
    for total in outer_binders(seq):
        times = coefficient(seq, total) if total.op == "sum" else None
        bound = None if times is None else normal((seq.goal.gap - times * total) / -times, seq.algebra)
        if times is not None and times.op == "num" and bound is not None and not has_binder(bound):
            return total, 1 if times.value < 0 else -1, bound
    return None


def _guesses(p: Prover, seq: Sequent, total: Expr, sign: int, v: str, begin: int) -> Iterator[Expr]:
    """Formulas G(n) above (sign 1) or below the sum from n = begin on."""
    body, k, low, high = total.args[0], total.args[1].value, total.args[2], total.args[3]
    value = enclose(Expr("sum", (body, total.args[1], low, substitute(high, {v: num(begin)}))), {})
    if value is None:
        return
    for whole in antiderivatives(body, k, seq.algebra, p.clock):
        half = num(Fraction(1, 2))
        shapes = (
            [substitute(whole, {k: high + half}), substitute(whole, {k: high})]
            if sign > 0
            else [substitute(whole, {k: high}) + substitute(body, {k: high}) / 2, substitute(whole, {k: high + 1})]
        )
        for shape in shapes:
            at = enclose(substitute(shape, {v: num(begin)}), {})
            if at is None:
                continue
            gap = float((value[0] + value[1]) / 2 - (at[0] + at[1]) / 2)
            for digits in (100, 10**4, 10**6):
                c = Fraction(math.ceil(gap * digits) if sign > 0 else math.floor(gap * digits), digits)
                yield shape + num(c)


def _from_there(
    p: Prover,
    seq: Sequent,
    depth: int,
    total: Expr,
    sign: int,
    bound: Expr,
    guess: Expr,
    v: str,
    first: int,
    begin: int,
) -> Node | None:
    """The first values one by one; then the lemma S <= G by induction, and G <= R."""
    lemma = Relation("<=" if sign > 0 else ">=", total, guess)
    enough = Relation(lemma.op[0] if seq.goal.strict else lemma.op, guess, bound)
    here = seq.with_hyps(Relation(">=", var(v), num(begin)))
    if p.sliced(p.left() / 6, lambda: p.prove(here.with_goal(enough), 6)) is None:
        return None

    def proof(s: Sequent) -> Node | None:
        return _inducted(p, s, depth - 2, v, begin) if s.goal == lemma else None

    def guide(s: Sequent) -> Node | None:
        if v not in s.goal.free:
            return unrolled(p, s, depth - 1)
        return p.cut(lemma, s, depth - 1, lambda r: _by_lemma(p, r, enough, depth - 1), proof)

    return p.apply({"rule": "enumerate", "var": v, "from": first, "to": begin - 1}, seq, depth, guide)


def partial(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """An infinite sum by its partial sums."""
    if seq.goal.op not in ("<=", ">=") or depth < 4:
        return None
    new = fresh(seq, "N")

    def guide(s: Sequent) -> Node | None:
        if s.goal.op == "defined" or new not in s.goal.free:
            return None
        return p.sliced(0.3 * p.left(), lambda: induction(p, s, depth - 1)) or sharpened(p, s, depth - 1)

    infinite = [s for s in outer_binders(seq) if s.op == "sum" and s.args[3].op == "const"]
    return p.first(({"rule": "partial", "term": text(s), "new": new} for s in infinite), seq, depth, guide)


def completed(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """A sum of terms >= 0 up to a moving end is at most the sum to oo: that as a lemma, and the goal with it."""
    goal = seq.goal
    if goal.op not in ORDER or depth < 4:
        return None
    for total in (s for s in outer_binders(seq) if s.op == "sum" and s.args[3].free - s.args[2].free):
        times, whole = coefficient(seq, total), Expr("sum", (*total.args[:3], const("oo")))
        later = at_least(replaced(goal.gap, total, whole), False)
        if times is None or times.op != "num" or times.value >= 0 or total.args[3].free & later.free:
            continue
        rest: Node = {"rule": "divide", "term": text(whole), "new": fresh(seq, "k"), "at": text(total.args[3])}
        tailed = partial_of(p.apply, rest, depth=depth - 2)
        for strict in dict.fromkeys((goal.strict, False)):  # of a strict goal one of both lemmas is strict
            tail = at_least(whole - total, strict)
            enough = replace(later, op=">") if goal.strict and not strict else later
            lemmas: list[tuple[Relation, Guide]] = [(tail, tailed), (enough, unguided)]
            done = by_lemmas(p, seq, depth - 1, lemmas, [-times, num(1)])
            if done is not None:
                return done
    return None
