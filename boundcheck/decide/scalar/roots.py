"""Roots: both sides squared or raised, roots of formulas as new variables, equations put in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from flint import fmpq

from boundcheck.decide.scalar.prover import Node, Prover, fresh, size
from boundcheck.kernel.check.poly import ONE, AlgebraLimit, Mono, Poly, is_sum, multiply, thaw, to_expr
from boundcheck.kernel.check.refine import refine
from boundcheck.kernel.check.sequent import Refused, Sequent, has_binder
from boundcheck.kernel.derivative import derivative
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import positive
from boundcheck.kernel.formula import Expr, Relation, num, text, var

_ORDER = ("<=", "<", ">=", ">")


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
    return sorted(((a, b) for a, b in out if a and b), key=lambda sides: sum(map(_kept, sides)))


def _kept(side: Poly) -> int:
    """How many terms of a side keep a root where the side is squared."""
    return sum(_exponent(m) is not None for m in side) if len(side) > 1 else 0


def raised(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Both sides to a power that frees a sum from its root."""
    goal = seq.goal
    if goal.op not in _ORDER or size(goal.gap) > 200 or depth < 4:
        return None
    if not any(n.op in ("sqrt", "pow") for n in goal.gap.walk()):
        return None
    options: list[tuple[Expr, Expr, Expr]] = []
    big, small = (goal.rhs, goal.lhs) if goal.op in ("<=", "<") else (goal.lhs, goal.rhs)
    try:
        form = seq.algebra.normal(goal.gap)
    except AlgebraLimit:
        return None
    if form.den == ONE:
        for a, b in _sides(form.num):
            found = [_exponent(m) for side in (a, b) for m in side]
            exponents = list(dict.fromkeys(e for e in found if e is not None))
            for r in exponents[:2]:
                if len(a) + len(b) <= 3 or (r.op == "num" and r.value <= 4) or len(a) == len(b) == 1:
                    options.append((to_expr(a), to_expr(b), seq.algebra.normal(r).expr()))
    done = None
    for above, below, power in options[:4]:
        if done is None:
            done = _raise(p, seq, above, below, power, depth, (big, small))
    return done


def _raise(p: Prover, seq: Sequent, a: Expr, b: Expr, r: Expr, depth: int, sides: tuple[Expr, Expr]) -> Node | None:
    """Prove b <= a by b**r <= a**r, after the goal has been put in the form a >= b."""
    goal = Relation(">" if seq.goal.strict else ">=", a, b)
    node: Node = {"rule": "monotone", "fn": "square"} if r is num(2) else _power(r)
    if goal == seq.goal or (a, b) == sides:
        return p.apply(node, seq, depth - 2)
    cut: Node = {"rule": "cut", "lemma": str(goal)}
    try:
        left = refine(cut, seq, p.clock)
    except Refused:
        return None
    wanted = [i for i, s in enumerate(left) if s.goal == goal]
    if not wanted:
        return None
    children = []
    for i, s in enumerate(left):
        child = p.apply(node, s, depth - 2) if i == wanted[0] else p.prove(s, depth - 2)
        if child is None:
            return None
        children.append(child)
    return {**cut, "then": children}


def _power(r: Expr) -> Node:
    return {"rule": "monotone", "fn": "power", "exponent": text(r)}


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


def squared(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Roots as factors of both sides, or moduli beside roots: squared before any modulus is taken apart."""
    goal = seq.goal
    products = _product(goal.lhs) and _product(goal.rhs)
    if goal.op not in _ORDER or depth < 4 or not (products or any(n.op == "abs" and n.free for n in goal.gap.walk())):
        return None
    one, other = (products or _simple(side) for side in (goal.lhs, goal.rhs))
    root = any(n.op == "sqrt" for side, ok in ((goal.lhs, one), (goal.rhs, other)) if ok for n in side.walk())
    if not (one and other) and not root:
        return None
    return p.apply({"rule": "monotone", "fn": "square"}, seq, depth - 2, lambda s: _root_sign(p, s, depth - 2))


def _root_sign(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """A product with sqrt(u) >= 0, where the box does not show that u is."""
    goal = seq.goal
    if goal.op != ">=" or not _product(goal.lhs) or goal.rhs is not num(0):
        return None
    new, root = fresh(seq, "u"), next(n for n in goal.lhs.walk() if n.op == "sqrt")
    return p.apply({"rule": "let", "term": text(root.args[0]), "new": new, "facts": [f"{new} >= 0"]}, seq, depth)


def by_powers(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """a <= b where a hypothesis compares a**k and b**k."""
    goal = seq.goal
    if goal.op not in _ORDER or depth < 3 or size(goal.gap) > 30:
        return None
    big, small = (goal.rhs, goal.lhs) if goal.op in ("<=", "<") else (goal.lhs, goal.rhs)
    for k in (2, 3, 4):
        powers = seq.algebra.normal(big ** num(k) - small ** num(k))
        for h in seq.hyps:
            if h.op in _ORDER and h.free == goal.free and any(n.op == "pow" for n in h.gap.walk()):
                have = seq.algebra.normal(h.gap)
                if have.den == powers.den and have.num.keys() == powers.num.keys():
                    ratios = {powers.num[m] / c for m, c in have.num.items()}
                    if len(ratios) == 1 and next(iter(ratios)) > 0:
                        node: Node = {"rule": "monotone", "fn": "square"} if k == 2 else _power(num(k))
                        done = p.apply(node, seq, depth - 2)
                        if done is not None:
                            return done
    return None


def named(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """A square root of a polynomial becomes a variable t >= 0 with t**2 equal to what is under it."""
    goal = seq.goal
    if goal.op not in _ORDER or depth < 4:
        return None
    found: dict[Expr, None] = {}
    for n in goal.gap.walk():
        half = n.op == "pow" and n.args[1] is num(1) / num(2)
        if (
            (n.op == "sqrt" or half)
            and n.free
            and all(x.op in ("var", "num", "add", "sub", "mul", "neg", "pow", "sqrt") for x in n.args[0].walk())
        ):
            found[n] = None
    for term in found:
        new = fresh(seq)
        facts = [f"{new} >= 0", str(Relation("==", var(new) ** num(2), term.args[0]))]
        return p.apply({"rule": "let", "term": text(term), "new": new, "facts": facts}, seq, depth - 1)
    return None


def slack(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """The gap u of a hypothesis u >= 0 of which the goal takes a root, power or logarithm is a variable of its own."""
    inside = [n.args[0] for n in seq.goal.gap.walk() if n.op in ("sqrt", "log", "pow")]
    inside = [u for u in inside if u.op in ("add", "sub")]
    return _slack(p, seq, depth, lambda h: any(u.free == h.free and seq.algebra.is_zero(u - h.gap) for u in inside))


def slacks(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """As :func:`slack`, where the goal is a polynomial and a hypothesis is one of its form, as a*c >= b**2."""
    plain = all(n.op in ("var", "num", "add", "sub", "mul", "neg", "pow") for n in seq.goal.gap.walk())
    return _slack(p, seq, depth, lambda h: len(h.free) > 1) if plain else None


def _slack(p: Prover, seq: Sequent, depth: int, wanted: Callable[[Relation], bool]) -> Node | None:
    if seq.goal.op not in _ORDER or depth < 4 or has_binder(seq.goal.gap):
        return None
    for h in seq.hyps:
        if h.op not in _ORDER or any(n.op in ("abs", "min", "max") for n in h.gap.walk()) or not wanted(h):
            continue
        new, rest = fresh(seq), replace(seq, hyps=tuple(g for g in seq.hyps if g is not h)).box or {}
        for v in sorted((h.free & seq.goal.free) - seq.integers):
            found = _solution(Relation("==", h.gap, var(new)), v, seq)
            slope = None if found is None else derivative(h.gap, v)
            if found is None or slope is None or not slope.free or not positive(enclose(slope, rest), True):
                continue
            node: Node = {"rule": "substitute", "var": v, "new": new, "by": text(found[0]), "inverse": text(h.gap)}
            node["facts"] = [f"{new} {'>' if h.strict else '>='} 0"]
            done = p.apply(node, seq, depth - 1, lambda s: _normal(p, s, depth - 2))
            if done is not None:
                return done
    return None


def _normal(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """A goal in its normal form, if that is another one."""
    gap = seq.algebra.normal(seq.goal.gap).expr() if seq.goal.op in _ORDER else seq.goal.gap
    if gap in (seq.goal.gap, num(0)):
        return None
    return p.apply({"rule": "factor", "factors": [{"text": text(gap), "sign": 1}]}, seq, depth)


def solved(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """An equation among the hypotheses is solved for a variable, which is put in everywhere."""
    if depth < 3:
        return None
    for i, h in enumerate(seq.hyps):
        if h.op != "==" or not h.free or has_binder(h.gap) or size(h.gap) > 60:
            continue
        for v in sorted(h.free - seq.integers, key=lambda v: (h.lhs.op != "var" or h.lhs.value != v, v)):
            found = _solution(h, v, seq)
            done = _put(p, seq, i, v, *found, depth) if found else None
            if done is not None:
                return done
    return None


def _put(p: Prover, seq: Sequent, i: int, v: str, e: Expr, factor: Expr, depth: int) -> Node | None:
    """``e`` for v, where v - e is the gap of the equation times the factor."""
    node: Node = {"rule": "substitute", "var": v, "new": fresh(seq), "by": text(e), "inverse": v}
    wanted = Relation("==", e, var(v))
    try:
        left = refine(node, seq, p.clock)
        children = []
        for s in left:
            if s.goal != wanted:
                child = p.prove(s, depth - 1)
            else:
                child = {"rule": "equal", "then": []}
                for c, side in zip(("1", "-1"), refine(child, s, p.clock), strict=True):
                    sum_node: Node = {"rule": "farkas", "terms": [{"c": c, "times": text(factor), "hyps": [i]}]}
                    proof = p.apply(sum_node, side, depth - 1)
                    if proof is None:
                        return None
                    child["then"].append(proof)
            if child is None:
                return None
            children.append(child)
    except Refused:
        return None
    return {**node, "then": children}


def _solution(h: Relation, v: str, seq: Sequent) -> tuple[Expr, Expr] | None:
    """(e, f) with v - e = f times the gap, where the gap is linear in v after clearing."""
    try:
        form = seq.algebra.normal(h.gap)
    except AlgebraLimit:
        return None
    x = var(v)
    powers = []
    for m in form.num:
        power = next((k for a, k in m if a is x), fmpq(0))
        if not (isinstance(power, fmpq) and power.q == 1) or any(v in a.free for a, _ in m if a is not x):
            return None
        if any(not isinstance(k, fmpq) and v in to_expr(thaw(k)).free for _, k in m):
            return None
        powers.append(int(power.p))
    least = min(powers, default=0)
    if not powers or max(powers) - least != 1 or v in to_expr(form.den).free or least not in (0, -1):
        return None
    lift: list[Poly] = [{}, {}]
    for (m, c), k in zip(form.num.items(), powers, strict=True):
        lift[k - least][tuple(t for t in m if t[0] is not x)] = c
    above, below = _cleared([{m: -c for m, c in lift[0].items()}, lift[1]])
    e = seq.algebra.normal(to_expr(above) / to_expr(below)).expr()
    factor = to_expr(form.den) * x ** num(-least) / to_expr(lift[1])
    return e, factor


def _cleared(polys: list[Poly]) -> list[Poly]:
    """The polynomials times the least monomial that leaves no negative powers."""
    least: dict[Expr, Any] = {}
    for m in (m for p in polys for m in p):
        for a, x in m:
            if isinstance(x, fmpq) and x < 0:
                least[a] = min(least.get(a, x), x)
    lift: Mono = tuple(sorted(((a, -x) for a, x in least.items()), key=lambda t: text(t[0])))
    return [multiply(p, {lift: fmpq(1)}) for p in polys]
