"""Roots: both sides squared or raised, the gaps of hypotheses as new variables, equations put in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from flint import fmpq

from boundcheck.decide.scalar.prover import (
    Node,
    Prover,
    fresh,
    normal,
    normalised,
    polynomial,
    proposing,
    size,
    slope_of,
    substitution,
    sum_of,
)
from boundcheck.kernel.check.nodes_read import ORDER
from boundcheck.kernel.check.poly import ONE, AlgebraLimit, Mono, Poly, is_sum, multiply, thaw, to_expr
from boundcheck.kernel.check.sequent import Sequent, has_binder
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import neg, positive
from boundcheck.kernel.formula import Expr, Relation, num, text, var


def _exponent(m: Mono) -> Expr | None:
    """The power to which a monomial is raised so that one of its roots of sums goes away; None if it has none."""
    for atom, x in m:
        if is_sum(atom):
            if isinstance(x, fmpq) and 0 < x < 1:
                return num(1) / to_expr({(): x})
            if not isinstance(x, fmpq):
                return num(1) / to_expr(thaw(x))
    if m and all(a.op == "num" for a, _ in m):  # a constant root, as in x + y <= sqrt(2)
        return num(2)
    return None


def _sides(p: Poly) -> list[tuple[Poly, Poly]]:
    """(larger, smaller) sides of p >= 0, the ones with fewest terms on one side first."""
    positive = {m: c for m, c in p.items() if c > 0}
    negative = {m: -c for m, c in p.items() if c < 0}
    out = [(positive, negative)]
    if len(positive) + len(negative) <= 5:
        for m in p:  # one term alone: P >= 0 as (p without m) >= -m
            rest = {k: c for k, c in p.items() if k != m}
            out.append(({m: p[m]}, {k: -c for k, c in rest.items()}) if p[m] > 0 else (rest, {m: -p[m]}))
    for root in dict.fromkeys(t for m in p for t in m if _exponent((t,)) is not None):  # all terms with a root, alone
        held = {m: c for m, c in p.items() if root in m}
        rest = {m: -c for m, c in p.items() if root not in m}
        if len(held) > 1:
            out += [(held, rest), ({m: -c for m, c in rest.items()}, {m: -c for m, c in held.items()})]
    return sorted(((a, b) for a, b in out if a and b), key=lambda sides: sum(map(_kept, sides)))


def _kept(side: Poly) -> int:
    """How many terms of a side keep a root where the side is squared: none where all have the same one."""
    rooted = [m for m in side if _exponent(m) is not None]
    return len(rooted) if not set.intersection(*map(set, side)) & {t for m in rooted for t in m if is_sum(t[0])} else 0


def raised(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Both sides to a power that frees a sum from its root."""
    gap = seq.goal.gap
    if (
        seq.goal.op not in ORDER
        or depth < 4
        or size(gap) > 200
        or not any(n.op in ("sqrt", "pow") for n in gap.walk())
    ):
        return None
    form = seq.algebra.normal(seq.goal.gap)
    options: list[tuple[Poly, Poly, Expr]] = []
    for a, b in _sides(form.num) if form.den == ONE else ():
        exponents = dict.fromkeys(e for side in (a, b) for m in side if (e := _exponent(m)) is not None)
        for r in list(exponents)[:2]:
            if len(a) + len(b) <= 3 or (r.op == "num" and r.value <= 4) or len(a) == len(b) == 1:
                options.append((a, b, seq.algebra.normal(r).expr()))
    for a, b, r in options[:4]:
        done = _raised(p, seq, to_expr(a), to_expr(b), r, depth)
        if done is not None:
            return done
    return None


def freed(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """What a hypothesis b <= a with a root of a sum says without it, b**r <= a**r, as a lemma."""
    if depth < 4 or seq.goal.op not in ORDER or has_binder(seq.goal.gap):
        return None
    for h in seq.hyps:
        form = polynomial(h.gap, seq) if h.op in ORDER and h.free & seq.goal.free and size(h.gap) <= 40 else None
        if form is None or not any(is_sum(t) for m in form for t, _ in m):
            continue
        for a, b in _sides(form):
            exponents = {e for side in (a, b) for m in side if (e := _exponent(m)) is not None}
            if len(exponents) != 1 or _kept(a) + _kept(b):
                continue
            (r,) = exponents
            lemma = Relation("<=", to_expr(b) ** r, to_expr(a) ** r)
            if lemma in seq.hyps:
                continue
            node: Node = {"rule": "peel", "upper": text(lemma.rhs), "lower": text(lemma.lhs)}
            done = p.cut(lemma, seq, depth - 1, proof=partial(p.apply, node, depth=depth - 2))
            if done is not None:
                return done
    return None


def _raised(p: Prover, seq: Sequent, a: Expr, b: Expr, r: Expr, depth: int) -> Node | None:
    """Prove b <= a by b**r <= a**r, after the goal has been put in the form a >= b."""
    goal = Relation(">" if seq.goal.strict else ">=", a, b)
    node = _power(r)
    if goal in (seq.goal, seq.goal.flipped()):
        return p.apply(node, seq, depth - 2)
    return p.cut(goal, seq, depth - 1, proof=lambda s: p.apply(node, s, depth - 2) if s.goal == goal else None)


def _power(r: Expr) -> Node:
    node: Node = {"rule": "monotone"}
    return {**node, "fn": "square"} if r is num(2) else {**node, "fn": "power", "exponent": text(r)}


def _product(e: Expr) -> bool:
    """A root, perhaps times or over formulas without roots: its square is free of it."""
    if e.op in ("mul", "div"):
        return any(_product(a) for a in e.args) and all(_product(a) or not _roots(a) for a in e.args)
    return e.op == "sqrt"


def _roots(e: Expr) -> bool:
    return any(n.op == "sqrt" for n in e.walk())


def _simple(e: Expr) -> bool:
    """A modulus or a root, perhaps times a number or another of them: its square is free of it."""
    if e.op == "mul":
        return all(_simple(a) or not a.free for a in e.args) and any(_simple(a) for a in e.args)
    return e.op in ("abs", "sqrt")


def _root_sign(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """A product with sqrt(u) >= 0, where the box does not show that u is."""
    goal = seq.goal
    if goal.op != ">=" or not _product(goal.lhs) or goal.rhs is not num(0):
        return None
    new, root = fresh(seq, "u"), next(n for n in goal.lhs.walk() if n.op == "sqrt")
    return p.apply({"rule": "let", "term": text(root.args[0]), "new": new, "facts": [f"{new} >= 0"]}, seq, depth)


@proposing(cost=2, least=4, guide=_root_sign)
def squared(seq: Sequent) -> Iterator[Node]:
    """Roots as factors of both sides, or moduli beside roots: squared before any modulus is taken apart."""
    sides = seq.goal.sides
    products = all(map(_product, sides))
    if products or any(n.op == "abs" and n.free for n in seq.goal.gap.walk()):
        free = [side for side in sides if products or _simple(side)]
        if len(free) == 2 or any(map(_roots, free)):
            yield _power(num(2))


@proposing(cost=2, least=3, largest=30)
def by_powers(seq: Sequent) -> Iterator[Node]:
    """a <= b where a hypothesis compares a**k and b**k."""
    goal = seq.goal if seq.goal.op in (">=", ">") else seq.goal.flipped()
    for k in (num(2), num(3), num(4)):
        powers = goal.map(lambda e, k=k: e**k)  # type: ignore[misc]
        form = seq.algebra.normal(powers.gap)
        for h in seq.hyps:
            if h.op in ORDER and h.free == goal.free and any(n.op == "pow" for n in h.gap.walk()):
                have = seq.algebra.normal(h.gap)
                if have.den == form.den and have.num.keys() == form.num.keys():
                    ratios = {form.num[m] / c for m, c in have.num.items()}
                    if len(ratios) == 1 and next(iter(ratios)) > 0:
                        yield _power(k)


@proposing(cost=1, least=4, guide=normalised)
def slack(seq: Sequent) -> Iterator[Node]:
    """What is known to be >= 0, and the goal takes a root, power or logarithm of, is a variable of its own.

    By a hypothesis; or the base 1 - u of a power with a formula as its exponent.
    """
    inside = [n.args[0] for n in seq.goal.gap.walk() if n.op in ("sqrt", "log", "pow")]
    inside = [u for u in inside if u.op in ("add", "sub")]
    bases = dict.fromkeys(n.args[0] for n in seq.goal.gap.walk() if n.op == "pow" and n.args[1].free)
    told = [Relation(">", u, num(0)) for u in bases if u in inside and u.free and seq.algebra.positive(u)]
    for h in (*seq.hyps, *told) if not has_binder(seq.goal.gap) else ():
        if h.op not in ORDER or any(n.op in ("abs", "min", "max") for n in h.gap.walk()):
            continue
        if not any(u.free == h.free and seq.algebra.is_zero(u - h.gap) for u in inside):
            continue
        t, rest = var(fresh(seq)), replace(seq, hyps=tuple(g for g in seq.hyps if g is not h)).box or {}
        for v in sorted((h.free & seq.goal.free) - seq.integers):
            found = solution(Relation("==", h.gap, t), v, seq)
            slope = None if found is None else slope_of(h.gap, v)
            if found is None or slope is None or bool(slope.free) == (h in told):
                continue
            if positive(enclose(-slope if h in told else slope, rest), True):
                yield substitution(v, t, found[0], h.gap, f"{t} {'>' if h.strict else '>='} 0")


def solved(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """An equation among the hypotheses is solved for a variable, which is put in everywhere."""
    if depth < 3:
        return None
    for i, h in enumerate(seq.hyps):
        if h.op != "==" or not h.free or has_binder(h.gap) or size(h.gap) > 60:
            continue
        for v in sorted(h.free - seq.integers, key=lambda v: (h.lhs is not var(v), v)):
            found = solution(h, v, seq)
            done = _put(p, seq, i, v, *found, depth) if found else None
            if done is not None:
                return done
    return None


def _put(p: Prover, seq: Sequent, i: int, v: str, e: Expr, factor: Expr, depth: int) -> Node | None:
    """``e`` for v, where v - e is the gap of the equation times the factor."""
    wanted = Relation("==", e, var(v))
    sides = [Relation(">=", e, var(v)), Relation("<=", e, var(v))]

    def proof(s: Sequent) -> Node | None:
        if s.goal == wanted:
            return p.filled({"rule": "equal"}, s, proof)
        if s.goal in sides and s.hyps == seq.hyps:
            return p.apply(sum_of({i: -factor if s.goal.op == ">=" else factor}), s, depth - 1)
        return p.prove(s, depth - 1)

    return p.filled(substitution(v, var(fresh(seq)), e, var(v)), seq, proof)


def solution(h: Relation, v: str, seq: Sequent) -> tuple[Expr, Expr] | None:
    """(e, f) with v - e = f times the gap, where the gap is linear in v after clearing."""
    try:
        form = seq.algebra.normal(h.gap)
    except AlgebraLimit:
        return None
    x = var(v)
    lift: dict[Any, Poly] = {}
    for m, c in form.num.items():
        rest = tuple(t for t in m if t[0] is not x)
        if v in to_expr({rest: c}).free:
            return None
        lift.setdefault(dict(m).get(x, fmpq(0)), {})[rest] = c
    degrees = [k for k in lift if isinstance(k, fmpq)]
    least = min(degrees, default=fmpq(0)) if _signed(v, seq) else min([fmpq(0), *degrees])
    if lift.keys() != {least, least + 1} or least < -1 or v in to_expr(form.den).free:
        return None
    above, below = _cleared([{m: -c for m, c in lift[least].items()}, lift[least + 1]])
    e = normal(to_expr(above) / to_expr(below), seq.algebra)
    over = to_expr({((x, -least),) if least else (): fmpq(1)}) / to_expr(lift[least + 1])
    return None if e is None else (e, to_expr(form.den) * over)


def _signed(v: str, seq: Sequent) -> bool:
    """Whether the variable is surely not 0."""
    value = (seq.box or {}).get(v)
    return value is not None and (positive(value, True) or positive(neg(value), True))


@proposing(cost=1, least=4)
def factored_equations(seq: Sequent) -> Iterator[Node]:
    """v u == 0 among the hypotheses: the cases v > 0, v < 0 and v == 0."""
    for h in seq.hyps:
        form = polynomial(h.gap, seq) if h.op == "==" and not has_binder(h.gap) and size(h.gap) <= 60 else None
        shared = set.intersection(*({a.value for a, _ in m if a.op == "var"} for m in form)) if form else set()
        for v in sorted((shared & seq.goal.free) - seq.integers):
            lo, hi = (seq.box or {})[v][:2]
            if lo != hi and not _signed(v, seq):
                yield {"rule": "case", "on": v if hi > 0 else f"-{v}", "strict": True}


def _cleared(polys: list[Poly]) -> list[Poly]:
    """The polynomials times the least monomial that leaves no negative powers."""
    least: dict[Expr, Any] = {}
    for m in (m for p in polys for m in p):
        for a, x in m:
            if isinstance(x, fmpq) and x < 0:
                least[a] = min(least.get(a, x), x)
    lift: Mono = tuple(sorted(((a, -x) for a, x in least.items()), key=lambda t: text(t[0])))
    return [multiply(p, {lift: fmpq(1)}) for p in polys]
