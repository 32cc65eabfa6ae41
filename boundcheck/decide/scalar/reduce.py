"""Fewer variables: punctured domains, substitutions, faces with derivative signs, concavity, curves of contact."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from operator import itemgetter

from boundcheck.decide.scalar.basic import only
from boundcheck.decide.scalar.prover import (
    ANY,
    Node,
    Prover,
    fresh,
    proposing,
    size,
    slope_of,
    substitution,
)
from boundcheck.decide.scalar.sampling import near_zero, plausible, signs
from boundcheck.kernel.check.nodes_read import ORDER
from boundcheck.kernel.check.poly import AlgebraLimit, to_expr
from boundcheck.kernel.check.sequent import Sequent, isolated, obligations, outside_binders
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import INF, NINF, neg, positive
from boundcheck.kernel.enclosure.straight_line import fraction_of, is_integer_valued
from boundcheck.kernel.formula import Expr, Relation, call, num, substitute, text, var


@proposing(ops=ANY)
def punctured(seq: Sequent) -> Iterator[Node]:
    """A hypothesis a != b whose sign is open splits the domain."""
    box = seq.box or {}
    for h in seq.hyps:
        if h.op != "!=" or not h.free:
            continue
        value = enclose(h.gap, box)
        if positive(value, True) or (value is not None and positive(neg(value), True)):
            continue
        if not any(
            g.op in ("<", ">") and (g.gap in (h.gap, -h.gap) or {g.lhs, g.rhs} == {h.lhs, h.rhs}) for g in seq.hyps
        ):
            yield {"rule": "case", "on": text(h.gap)}
            return


# ---------------------------------------------------------------- substitutions


@proposing(cost=2)
def ratio(seq: Sequent) -> Iterator[Node]:
    """x < y (or x <= y), both positive: x = t y; in general y = x + t."""
    box = seq.box or {}
    for h in seq.hyps:
        low, high = h.sides if h.op in ("<", "<=") else (h.rhs, h.lhs)
        if h.op not in ORDER or low.op != "var" or high.op != "var" or low is high:
            continue
        whole = {low.value, high.value} & seq.integers
        if len(whole) == 1:
            continue
        t, equal = var(fresh(seq)), "" if h.strict else "="
        if not whole and positive(box[low.value], True):
            yield substitution(low.value, t, t * high, low / high, f"{t} > 0", f"{t} <{equal} 1")
        yield substitution(high.value, t, low + t, high - low, f"{t} >{equal} 0")


def shifted(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Whole n >= k with gamma at n - k, as in a binomial coefficient: n = k + t with a whole t >= 0."""
    gammas = [n for n in outside_binders(seq.goal.gap) if n.op in ("gamma", "loggamma") and n.free <= seq.integers]
    return ratio(p, seq, depth) if any(obligations(n, seq) for n in gammas) else None


# ---------------------------------------------------------------- faces


def faces(seq: Sequent, v: str) -> list[tuple[str, Expr]]:
    """(end, formula free of v) of the faces of the domain in direction v: literal bounds first, then the box."""
    out: list[tuple[str, Expr]] = []
    for h in seq.hyps:
        bound = isolated(h, v)
        if bound is not None:
            out.append(("low" if bound.op in (">", ">=") else "high", bound.rhs))
    box = (seq.box or {})[v]
    for end, x in (("low", box[0]), ("high", box[1])):
        if NINF < x < INF and not any(e == end and not b.free for e, b in out):
            out.append((end, num(fraction_of(x))))
    return out


@proposing(cost=2, least=3)
def ladder(seq: Sequent) -> Iterator[Node]:
    """g >= 0 on a face, and the derivative across it of one sign."""
    gap = seq.goal.gap
    options = []
    for v in sorted(gap.free):
        slope = slope_of(gap, v)
        if slope is None or size(slope) > 300:
            continue
        (shown,) = signs((slope,), seq)
        for end, at in faces(seq, v):
            wanted = 1 if end == "low" else -1
            if shown != -wanted:
                options.append((shown != wanted, size(slope), v, end, at))
    options.sort(key=itemgetter(0, 1, 2, 3))
    for _, _, v, end, at in options[:6]:
        yield from _from_face(seq, v, end, at)


def _from_face(seq: Sequent, v: str, end: str, at: Expr) -> list[Node]:
    """The ladder from a face; a strict goal is strict by the slope or on the face."""
    node: Node = {"rule": "ladder", "var": v, "end": end, "at": text(at)}
    return [{**node, "strict": by} for by in ("slope", "face")] if seq.goal.strict else [node]


def _from_lowest(seq: Sequent, v: str, slope: Expr, bounds: Iterable[tuple[str, Expr]]) -> Iterator[Node]:
    """The ladders from those of the faces at which the gap is least, by the sign that its slope shows."""
    (rises,) = signs((slope,), seq)
    for end, at in bounds:
        if rises == (1 if end == "low" else -1):
            yield from _from_face(seq, v, end, at)


@proposing(cost=1, least=3)
def put_at_bounds(seq: Sequent) -> Iterator[Node]:
    """a <= s where a <= sqrt(b): sqrt(b) <= s; a variable at its bound, in a goal that is linear in it.

    Where the goal and the bound are polynomials, that is left to sums of hypotheses.
    """
    gap = seq.goal.gap
    for v in sorted(gap.free):
        bounds = [(end, at) for end, at in faces(seq, v) if _bent(at) or (at.free and _bent(gap))]
        slope = slope_of(gap, v) if bounds else None
        if slope is not None and v not in slope.free:
            yield from _from_lowest(seq, v, slope, bounds)


@proposing(cost=1, least=3)
def chained(seq: Sequent) -> Iterator[Node]:
    """A variable at its bound, in a goal that has it once."""
    gap = seq.goal.gap
    for v in sorted(gap.free):
        once = sum(a.op == "var" and a.value == v for n in gap.walk() for a in n.args) == 1
        if once and _bent(gap) and v not in seq.integers:
            slope = slope_of(gap, v)
            if slope is not None and v in slope.free:
                yield from _from_lowest(seq, v, slope, [(end, at) for end, at in faces(seq, v) if at.free])


def _bent(e: Expr) -> bool:
    """Whether there is more in a formula than sums, products and whole powers."""
    parts = (n for n in e.walk() if n.free and not (n.op == "pow" and is_integer_valued(n.args[1], frozenset())))
    return any(n.op not in ("var", "neg", "add", "sub", "mul") for n in parts)


@proposing(cost=2, least=3)
def tilted(seq: Sequent) -> Iterator[Node]:
    """Cases of the sign of the slope in a variable in which the gap is linear, between two finite faces."""
    for v in sorted(seq.goal.gap.free):
        slope = slope_of(seq.goal.gap, v)
        if slope is None or v in slope.free or not slope.free or size(slope) > 400 or signs((slope,), seq) != [0]:
            continue
        if {end for end, _ in faces(seq, v)} == {"low", "high"}:
            yield {"rule": "case", "on": text(slope)}


@proposing(ops=ANY)
def drop_unused(seq: Sequent) -> Iterator[Node]:
    """Forget hypotheses on variables that are not connected with the goal."""
    linked: set[str] = set()
    more = set(seq.goal.free)
    while more - linked:
        linked |= more
        more = {v for h in seq.hyps if h.free & linked for v in h.free}
    keep = [i for i, h in enumerate(seq.hyps) if h.free & linked]
    if len(keep) < len(seq.hyps):
        yield {"rule": "drop", "keep": keep}


def box_bounds(seq: Sequent, names: Iterable[str]) -> list[Relation]:
    """The constant bounds of variables in the box that no hypothesis says."""
    box = seq.box or {}
    return [
        Relation(op if is_open else op + "=", var(v), num(fraction_of(x)))
        for v in names
        for op, x, is_open in ((">", box[v][0], box[v][2]), ("<", box[v][1], box[v][3]))
        if NINF < x < INF
        and not any((b := isolated(h, v)) is not None and not b.rhs.free and b.op[0] == op for h in seq.hyps)
    ]


def alone(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """A goal in fewer variables than its hypotheses: these, and the constant bounds that follow, in its variables."""
    names = seq.goal.free
    keep = [i for i, h in enumerate(seq.hyps) if h.free <= names]
    if not names or len(keep) == len(seq.hyps) or seq.goal.op not in ORDER:
        return None
    lemmas = box_bounds(seq, sorted(names))
    weaker = replace(seq, hyps=(*(seq.hyps[i] for i in keep), *lemmas))
    return only(p, seq, depth, lemmas, keep) if plausible(weaker) else None


# ---------------------------------------------------------------- curves of contact


def solve(e: Expr, v: str) -> list[Expr]:
    """Some solutions of e = 0 for a variable that can be isolated step by step."""
    if e.op == "mul":
        return [x for a in e.args for x in solve(a, v)]
    if e.op in ("neg", "div"):
        return solve(e.args[0], v)
    return list(dict.fromkeys(_inverted(e, num(0), v)))


def _inverted(e: Expr, value: Expr, v: str) -> Iterator[Expr]:
    """Solutions of e = value for v, which is free in e only."""
    if v in value.free or v not in e.free:
        return
    if e.op == "var":
        yield value
        return
    a, b = e.args[0], e.args[-1]
    inverse: dict[str, list[tuple[Expr, Expr]]] = {
        "neg": [(a, -value)],
        "add": [(a, value - b), (b, value - a)],
        "sub": [(a, value + b), (b, a - value)],
        "mul": [(a, value / b), (b, value / a)],
        "div": [(a, value * b), (b, a / value)],
        "exp": [(a, call("log", value))],
        "log": [(a, call("exp", value))],
        "sqrt": [(a, value ** num(2))],
        "pow": [(a, value ** (1 / b))],
    }
    for part, new in inverse.get(e.op, []):
        yield from _inverted(part, new, v)


def diagonals(seq: Sequent) -> list[tuple[str, Expr]]:
    """(v, c) with c = u, -u, 1 - u or 1/u, or 0 or 1 inside the range of v, on which the gap is exactly 0."""
    gap, box = seq.goal.gap, seq.box or {}
    names = [v for v in seq.variables if v in gap.free]
    pairs = [(v, c) for u, v in combinations(names, 2) for c in (var(u), -var(u), 1 - var(u), 1 / var(u))]
    inner = [(v, num(c)) for v in names for c in (0, 1) if v not in seq.integers and box[v][0] < c < box[v][1]]
    return [(v, c) for v, c in near_zero(seq, [*inner, *pairs]) if seq.algebra.is_zero(substitute(gap, {v: c}))]


def touching(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Where the gap is exactly 0 on a face, start the ladder there; on a diagonal, split the domain first."""
    return _on_faces(p, seq, depth) or _on_diagonals(p, seq, depth)


@proposing(cost=1, least=4, largest=200)
def _on_faces(seq: Sequent) -> Iterator[Node]:
    gap = seq.goal.gap
    for v in sorted(gap.free - seq.integers) if len(gap.free) > 1 else ():
        for end, at in faces(seq, v):
            if size(at) < 30 and seq.algebra.is_zero(substitute(gap, {v: at})):
                yield {"rule": "ladder", "var": v, "end": end, "at": text(at), "strict": "slope"}


@proposing(cost=1, least=4, largest=200)
def _on_diagonals(seq: Sequent) -> Iterator[Node]:
    yield from _cases(seq, diagonals(seq))[:1]


def _cases(seq: Sequent, places: list[tuple[str, Expr]]) -> list[Node]:
    """The domain split at v = c, where no hypothesis compares the two."""
    known = {h.gap for h in seq.hyps}
    new = [(var(v), c) for v, c in places if len(seq.goal.gap.free) > 1 and not known & {var(v) - c, c - var(v)}]
    return [{"rule": "case", "on": text(x - c)} for x, c in new if not any({h.lhs, h.rhs} == {x, c} for h in seq.hyps)]


def curves(seq: Sequent) -> list[tuple[str, Expr]]:
    """(v, c): places v = c where the goal may touch: diagonals, and zeros of dg/dv that can be isolated."""
    gap, algebra = seq.goal.gap, seq.algebra
    out = diagonals(seq)
    for v in sorted(gap.free):
        slope = slope_of(gap, v)
        forms = [] if slope is None else [slope]
        with contextlib.suppress(AlgebraLimit):
            forms += [to_expr(algebra.normal(f).num) for f in forms]
        for c in (c for f in forms for c in solve(f, v)[:3]):
            with contextlib.suppress(AlgebraLimit):
                c = algebra.normal(c).expr()
                if c.free and size(c) < 60 and (v, c) not in out:
                    out.append((v, c))
    return out


@proposing(cost=3, least=6)
def pivot(seq: Sequent) -> Iterator[Node]:
    """Split the domain along a curve of contact; the ladder then starts from it."""
    yield from _cases(seq, curves(seq)[:4])
