"""Fewer variables: punctured domains, substitutions, faces with derivative signs, concavity, curves of contact."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations

from boundcheck.decide.scalar.prover import Node, Prover, fresh, size
from boundcheck.decide.scalar.sampling import plausible, signs
from boundcheck.kernel.check.poly import AlgebraLimit, to_expr
from boundcheck.kernel.check.sequent import Sequent, isolated, obligations, outside_binders
from boundcheck.kernel.derivative import NotDifferentiable, derivative
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import INF, NINF, neg, positive
from boundcheck.kernel.enclosure.straight_line import fraction_of
from boundcheck.kernel.formula import Expr, Relation, call, num, substitute, text, var

_ORDER = ("<=", "<", ">=", ">")


def punctured(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """A hypothesis a != b whose sign is open splits the domain."""
    box = seq.box or {}
    for h in seq.hyps:
        if h.op != "!=" or not h.free:
            continue
        value = enclose(h.gap, box)
        if positive(value, True) or (value is not None and positive(neg(value), True)):
            continue
        if any(g.op in ("<", ">") and g.gap in (h.gap, -h.gap) for g in seq.hyps):
            continue
        if any(g.strict and g.op != "!=" and {g.lhs, g.rhs} == {h.lhs, h.rhs} for g in seq.hyps):
            continue
        return p.apply({"rule": "case", "on": text(h.gap)}, seq, depth)
    return None


# ---------------------------------------------------------------- substitutions


def ratio(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """x < y (or x <= y), both positive: x = t y; in general y = x + t."""
    box = seq.box or {}
    if seq.goal.op not in _ORDER:
        return None
    for h in seq.hyps:
        low, high = (h.lhs, h.rhs) if h.op in ("<", "<=") else (h.rhs, h.lhs)
        if h.op not in _ORDER or low.op != "var" or high.op != "var" or low is high:
            continue
        whole = {low.value, high.value} & seq.integers
        if len(whole) == 1:
            continue
        new = fresh(seq)
        t, strict = var(new), h.strict
        nodes = []
        if not whole and positive(box[low.value], True):
            facts = [f"{new} > 0", f"{new} {'<' if strict else '<='} 1"]
            node = {"rule": "substitute", "var": low.value, "new": new, "by": text(t * high), "facts": facts}
            nodes.append({**node, "inverse": text(low / high)})
        facts = [f"{new} {'>' if strict else '>='} 0"]
        node = {"rule": "substitute", "var": high.value, "new": new, "by": text(low + t), "facts": facts}
        nodes.append({**node, "inverse": text(high - low)})
        for node in nodes:
            done = p.apply(node, seq, depth - 2)
            if done is not None:
                return done
    return None


def shifted(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Whole n >= k with gamma at n - k, as in a binomial coefficient: n = k + t with a whole t >= 0."""
    gammas = [n for n in outside_binders(seq.goal.gap) if n.op in ("gamma", "loggamma") and n.free <= seq.integers]
    return ratio(p, seq, depth) if any(obligations(n, seq) for n in gammas) else None


# ---------------------------------------------------------------- faces


def faces(seq: Sequent, v: str) -> list[tuple[str, Expr]]:
    """(end, formula) of the faces of the domain in direction v: literal bounds first, then the box."""
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


def ladder(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """g >= 0 on a face, and the derivative across it of one sign."""
    goal = seq.goal
    if goal.op not in _ORDER or depth < 3:
        return None
    gap = goal.gap
    options = []
    for v in seq.variables:
        if v not in gap.free:
            continue
        try:
            slope = derivative(gap, v)
        except NotDifferentiable:
            continue
        if size(slope) > 300:
            continue
        (shown,) = signs((slope,), seq)
        for end, at in faces(seq, v):
            wanted = 1 if end == "low" else -1
            if shown == -wanted or v in at.free:
                continue
            options.append((0 if shown == wanted else 1, size(slope), v, end, at))
    options.sort(key=lambda o: (o[0], o[1], o[2], o[3]))
    for _, _, v, end, at in options[:6]:
        for strict in ("slope", "face") if goal.strict else ("face",):
            node: Node = {"rule": "ladder", "var": v, "end": end, "at": text(at)}
            if goal.strict:
                node["strict"] = strict
            done = p.apply(node, seq, depth - 2)
            if done is not None:
                return done
    return None


def concave(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """g concave between two finite faces."""
    goal = seq.goal
    if goal.op not in _ORDER or depth < 3:
        return None
    gap = goal.gap
    for v in seq.variables:
        if v not in gap.free:
            continue
        try:
            second = derivative(derivative(gap, v), v)
        except NotDifferentiable:
            continue
        if size(second) > 400:
            continue
        (shown,) = signs((second,), seq)
        if shown >= 0 and second.free:
            continue
        found = faces(seq, v)
        for (_, low), (_, high) in ((a, b) for a, b in combinations(found, 2) if {a[0], b[0]} == {"low", "high"}):
            node: Node = {"rule": "concave", "var": v, "low": text(low), "high": text(high)}
            if (found[0][0], found[0][1]) != ("low", low):
                node = {**node, "low": text(high), "high": text(low)} if ("high", low) in found else node
            if goal.strict:
                node["strict"] = "slope"
            done = p.apply(node, seq, depth - 2)
            if done is not None:
                return done
    return None


def drop_unused(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Forget hypotheses on variables that are not connected with the goal."""
    linked = set(seq.goal.free)
    while True:
        more = {v for h in seq.hyps if h.free & linked for v in h.free} - linked
        if not more:
            break
        linked |= more
    keep = [i for i, h in enumerate(seq.hyps) if h.free & linked]
    if len(keep) == len(seq.hyps):
        return None
    return p.apply({"rule": "drop", "keep": keep}, seq, depth)


def _bounds(seq: Sequent, names: Iterable[str]) -> list[Relation]:
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
    if not names or len(keep) == len(seq.hyps) or seq.goal.op not in _ORDER:
        return None
    lemmas = _bounds(seq, sorted(names))
    weaker = replace(seq, hyps=(*(seq.hyps[i] for i in keep), *lemmas))
    return _with_lemmas(p, seq, lemmas, keep, depth) if plausible(weaker) else None


def _with_lemmas(p: Prover, seq: Sequent, lemmas: list[Relation], keep: list[int], depth: int) -> Node | None:
    """The lemmas put in one by one, then the other hypotheses dropped."""
    if not lemmas:
        return p.apply({"rule": "drop", "keep": keep}, seq, depth)
    place = len(seq.hyps)

    def guide(s: Sequent) -> Node | None:
        return _with_lemmas(p, s, lemmas[1:], [*keep, place], depth) if len(s.hyps) > place else None

    return p.apply({"rule": "cut", "lemma": str(lemmas[0])}, seq, depth, guide)


def loosened(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Replace relational hypotheses by the constant bounds that they imply (kept as lemmas)."""
    for lemma in _bounds(seq, seq.variables):
        return p.apply({"rule": "cut", "lemma": str(lemma)}, seq, depth)
    return None


# ---------------------------------------------------------------- curves of contact


def solve(e: Expr, v: str) -> list[Expr]:
    """Some solutions of e = 0 for a variable that can be isolated step by step."""
    out: list[Expr] = []
    for side, other in _equation(e):
        _invert(side, other, v, out, 0)
    return list(dict.fromkeys(out))


def _equation(e: Expr) -> list[tuple[Expr, Expr]]:
    if e.op == "sub":
        return [(e.args[0], e.args[1]), (e.args[1], e.args[0])]
    if e.op == "neg":
        return _equation(e.args[0])
    if e.op == "add":
        return [(e.args[0], -e.args[1]), (e.args[1], -e.args[0])]
    if e.op == "mul":
        return [*_equation(e.args[0]), *_equation(e.args[1])]
    if e.op == "div":
        return _equation(e.args[0])
    return [(e, num(0))]


def _invert(e: Expr, value: Expr, v: str, out: list[Expr], depth: int) -> None:
    """Solutions of e = value for v, v free in e only."""
    if v in value.free or v not in e.free or depth > 12:
        return
    if e.op == "var":
        out.append(value)
        return
    a = e.args
    match e.op:
        case "neg":
            _invert(a[0], -value, v, out, depth + 1)
        case "add":
            _invert(a[0], value - a[1], v, out, depth + 1)
            _invert(a[1], value - a[0], v, out, depth + 1)
        case "sub":
            _invert(a[0], value + a[1], v, out, depth + 1)
            _invert(a[1], a[0] - value, v, out, depth + 1)
        case "mul":
            _invert(a[0], value / a[1], v, out, depth + 1)
            _invert(a[1], value / a[0], v, out, depth + 1)
        case "div":
            _invert(a[0], value * a[1], v, out, depth + 1)
            _invert(a[1], a[0] / value, v, out, depth + 1)
        case "exp":
            _invert(a[0], call("log", value), v, out, depth + 1)
        case "log":
            _invert(a[0], call("exp", value), v, out, depth + 1)
        case "sqrt":
            _invert(a[0], value ** num(2), v, out, depth + 1)
        case "pow" if v not in a[1].free:
            _invert(a[0], value ** (1 / a[1]), v, out, depth + 1)


def diagonals(seq: Sequent) -> list[tuple[str, Expr]]:
    """(v, c) with c = u, -u, 1 - u or 1/u, or 0 or 1 inside the range of v, on which the gap is exactly 0."""
    gap, box = seq.goal.gap, seq.box or {}
    names = [v for v in seq.variables if v in gap.free]
    pairs = [(v, c) for u, v in combinations(names, 2) for c in (var(u), -var(u), 1 - var(u), 1 / var(u))]
    inner = [(v, num(c)) for v in names for c in (0, 1) if v not in seq.integers and box[v][0] < c < box[v][1]]
    return [(v, c) for v, c in (*inner, *pairs) if seq.algebra.is_zero(substitute(gap, {v: c}))]


def touching(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Where the gap is exactly 0 on a face, start the ladder there; on a diagonal, split the domain first."""
    goal = seq.goal
    if goal.op not in _ORDER or depth < 4 or len(goal.gap.free) < 2 or size(goal.gap) > 200:
        return None
    names = [v for v in seq.variables if v in goal.gap.free and v not in seq.integers]
    for v in names:
        for end, at in faces(seq, v):
            if size(at) < 30 and v not in at.free and seq.algebra.is_zero(substitute(goal.gap, {v: at})):
                node: Node = {"rule": "ladder", "var": v, "end": end, "at": text(at), "strict": "slope"}
                done = p.apply(node, seq, depth - 1)
                if done is not None:
                    return done
    known = {h.gap for h in seq.hyps}
    for v, c in diagonals(seq):
        d = var(v) - c
        if d not in known and (c - var(v)) not in known and not any({h.lhs, h.rhs} == {var(v), c} for h in seq.hyps):
            return p.apply({"rule": "case", "on": text(d)}, seq, depth - 1)
    return None


def curves(seq: Sequent) -> list[tuple[str, Expr]]:
    """(v, c): places v = c where the goal may touch: diagonals, and zeros of dg/dv that can be isolated."""
    gap, algebra = seq.goal.gap, seq.algebra
    out = diagonals(seq)
    names = [v for v in seq.variables if v in gap.free]
    for v in names:
        try:
            slope = derivative(gap, v)
        except NotDifferentiable:
            continue
        forms = [slope]
        with contextlib.suppress(AlgebraLimit):
            forms.append(to_expr(algebra.normal(slope).num))
        for f in forms:
            for c in solve(f, v)[:3]:
                try:
                    c = algebra.normal(c).expr()
                except AlgebraLimit:
                    continue
                if c.free and size(c) < 60 and (v, c) not in out:
                    out.append((v, c))
    return out


def pivot(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Split the domain along a curve of contact; the ladder then starts from it."""
    goal = seq.goal
    if goal.op not in _ORDER or depth < 6 or len(seq.goal.free) < 2:
        return None
    known = {h.gap for h in seq.hyps}
    for v, c in curves(seq)[:4]:
        d = var(v) - c
        if d in known or (c - var(v)) in known:
            continue
        done = p.apply({"rule": "case", "on": text(d)}, seq, depth - 3)
        if done is not None:
            return done
    return None
