"""Ratios of gamma functions: log gamma is convex, so it lies below its chords.

Where d = v - u lies between whole numbers n and n + 1, v is between u + n and u + n + 1, and u + n + 1 between v and
v + 1 (Gautschi 1959, Wendel 1948); for n = 0 also u between u - 1 and v, and v between u and v + 1. By
loggamma(x + 1) = log x + loggamma(x) the rest is about logarithms. Another convex function, or a power, lies below the
chord between two of its values where a third is at a weighted mean of their arguments.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import permutations
from typing import Any

import numpy as np

from boundcheck.decide.scalar.prover import Node, Prover, fresh, normal, proposing, slope_of, sum_of
from boundcheck.decide.scalar.sampling import plausible, points, signs, values
from boundcheck.kernel.check.nodes_read import ORDER
from boundcheck.kernel.check.reductions import replaced
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.formula import Expr, Relation, is_one, is_zero, num, substitute, text, var
from boundcheck.kernel.formula.functions import TABLE

MAX_PAIRS = 6
MAX_TERMS = 6  #: values of one function of which three are on a chord
WIDEST = 4  #: of the difference of two arguments


def chords(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Logarithms of both sides where these are ratios of gammas; then one chord, or two, as hypotheses."""
    goal = seq.goal
    if goal.op not in ORDER or depth < 3:
        return None
    ops = {n.op for n in goal.gap.walk()}
    if "gamma" in ops:
        found = p.apply({"rule": "monotone", "fn": "log"}, seq, depth, lambda s: _by_chords(p, s, depth))
        if found is not None:
            return found
    return _by_chords(p, seq, depth) if "loggamma" in ops else None


@proposing(cost=1, least=3, share=0.5)
def weighted(seq: Sequent) -> Iterator[Node]:
    """f(at), f(a) and f(b) with at = (1 - w) a + w b: the chord as a hypothesis."""
    values = dict.fromkeys(n for n in seq.goal.gap.walk() if n.free and (n.op == "pow" or _bends(n)))
    groups = (list(g) for g in _alike(values) if len(g) > 2)
    for at, a, b in (triple for group in groups for triple in permutations(group[:MAX_TERMS], 3)):
        found = _mean(at, a, b, seq)
        if found is None:
            continue
        node: Node = dict(zip(("from", "to", "weight", "at"), map(text, (a.args[0], b.args[0], *found)), strict=True))
        node |= {"rule": "jensen", "strict": seq.goal.strict}
        power = {"fn": "power", "exponent": text(at.args[1])} if at.op == "pow" else {}
        for convex in (True, False) if power else (TABLE[at.op].convex,):
            if _serves(at, (num(1) - found[0]) * a + found[0] * b, found[1], bool(convex), seq):
                yield {**node, "fn": at.op, **power, **({"convex": True} if power and convex else {})}


def _serves(term: Expr, chord: Expr, mean: Expr, above: bool, seq: Sequent) -> bool:
    """Whether the goal shows to hold with the chord in the place of a term, and wants a bound to that side."""
    goal = seq.goal if seq.goal.op in (">=", ">") else seq.goal.flipped()
    name = fresh(seq)
    gap = replaced(goal.gap, term, var(name))
    slope = slope_of(gap, name)
    times = (term.args[0] / mean) ** term.args[1] if term.op == "pow" else num(1)  # for a multiple of the mean
    if slope is None or signs((substitute(slope, {name: term}),), seq)[0] == (1 if above else -1):
        return False
    return plausible(seq.with_goal(Relation(">=", substitute(gap, {name: times * chord}), num(0))))


def _mean(at: Expr, a: Expr, b: Expr, seq: Sequent) -> tuple[Expr, Expr] | None:
    """(w, m): the argument of ``at``, for powers a multiple, is the weighted mean m of those of ``a`` and ``b``."""
    mean, start, end = (n.args[0] for n in (at, a, b))
    weight = slope_of(mean, end.value) if end.op == "var" else None
    if weight is None:
        return None
    other = slope_of(mean, start.value) if start.op == "var" and at.op == "pow" else None
    total = num(1) if other is None else seq.algebra.normal(other + weight).expr()
    rest = mean - weight * end - (total - weight) * start
    if is_zero(total) or not seq.algebra.is_zero(rest):
        return None
    return (weight, mean) if is_one(total) else (weight / total, mean / total)


def _bends(e: Expr) -> bool:
    return e.op in TABLE and TABLE[e.op].convex is not None


def _alike(values: Iterable[Expr]) -> Iterable[list[Expr]]:
    """Values of one function, or powers with one exponent."""
    groups: dict[Any, list[Expr]] = {}
    for n in values:
        groups.setdefault((n.op, *n.args[1:]), []).append(n)
    return groups.values()


def _by_chords(p: Prover, seq: Sequent, depth: int) -> Node | None:
    if seq.goal.op not in ORDER:
        return None
    for chord, times in _candidates(seq):

        def guide(s: Sequent, times: Expr = times) -> Node | None:
            return _with(p, s, times, depth) if len(s.hyps) > len(seq.hyps) else None

        done = p.first([{**chord, "strict": seq.goal.strict}], seq, depth, guide, 1 / 2)
        if done is not None:
            return done
    return None


def _with(p: Prover, seq: Sequent, times: Expr, depth: int) -> Node | None:
    """The gap is the last hypothesis' gap ``times`` a number, and a rest without gammas, which is to be >= 0."""
    rest = normal(seq.goal.gap - times * seq.hyps[-1].gap, seq.algebra)
    if rest is None or any(n.op in ("gamma", "loggamma") for n in rest.walk()):
        return None
    return p.apply(sum_of({len(seq.hyps) - 1: times}, rest), seq, depth - 1)


def _candidates(seq: Sequent) -> Iterator[tuple[Node, Expr]]:
    """Chords between arguments of gammas, each with what its gap is to be multiplied by."""
    arguments = list(dict.fromkeys(_arguments(seq.goal.gap)))
    names, columns = points(seq.hyps, seq)
    if not names or columns[0].shape[0] == 0:
        return
    for u, v in [(u, v) for u in arguments for v in arguments if u is not v][:MAX_PAIRS]:
        d = normal(v - u, seq.algebra)
        if d is None:
            continue
        (at,) = values((d,), names, columns)
        at = at[np.isfinite(at)]
        if not d.free or not at.size or np.abs(at).max() > WIDEST:
            continue
        n = math.floor(at.min() + 1e-9)
        if at.max() > n + 1 + 1e-9:
            continue
        w = seq.algebra.normal(d - num(n)).expr()
        yield _chord(seq, u + num(n), u + num(n + 1), w, v), num(1)
        yield _chord(seq, v, v + num(1), num(1) - w, u + num(n + 1)), num(1)
        if n == 0:
            yield _chord(seq, u - num(1), v, 1 / (d + num(1)), u), d + num(1)
            yield _chord(seq, u, v + num(1), d / (d + num(1)), v), d + num(1)


def _chord(seq: Sequent, a: Expr, b: Expr, weight: Expr, at: Expr) -> Node:
    ends = {key: text(seq.algebra.normal(e).expr()) for key, e in (("from", a), ("to", b), ("at", at))}
    return {"rule": "jensen", "fn": "loggamma", "weight": text(weight), **ends}


def _arguments(e: Expr) -> Iterator[Expr]:
    """Arguments of gammas, wherever they are."""
    for n in e.walk():
        if n.op in ("gamma", "loggamma") and n.free:
            yield n.args[0]
