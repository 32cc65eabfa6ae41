"""Tactics of sums and integrals: existence, closed forms, splits at kinks, comparison of integrands."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

from flint import arb

from boundcheck.decide.scalar.antiderivatives import antiderivatives
from boundcheck.decide.scalar.basic import kinks_of
from boundcheck.decide.scalar.known_integrals import entries
from boundcheck.decide.scalar.prover import (
    RELATIONS,
    Node,
    Prover,
    fresh,
    normal,
    normalised,
    proposing,
    slope_of,
    sum_of,
)
from boundcheck.decide.scalar.reduce import solve
from boundcheck.decide.scalar.roots import solution
from boundcheck.decide.scalar.sampling import plausible, signs
from boundcheck.decide.scalar.symbolic import antidifference
from boundcheck.kernel.check.binder_rules import Binder, binder, vanishing
from boundcheck.kernel.check.expansion import Expansion
from boundcheck.kernel.check.laurent import NoExpansion
from boundcheck.kernel.check.limits import limit_of
from boundcheck.kernel.check.nodes_read import need
from boundcheck.kernel.check.poly import AlgebraLimit, to_expr
from boundcheck.kernel.check.quotients import Ratio
from boundcheck.kernel.check.refine import refine
from boundcheck.kernel.check.sequent import Refused, Sequent, has_binder, obligations, outside_binders
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.formula import BINDERS, Expr, Relation, call, const, num, substitute, text, var

_WIDTH = Fraction(1, 2**20)


def outer_binders(seq: Sequent) -> list[Expr]:
    """The integrals and sums of the goal that stand in no other."""
    sides = seq.goal.sides
    return list(dict.fromkeys(n for e in sides for n in outside_binders(e) if n.op in BINDERS))


def assumed(seq: Sequent) -> bool:
    """Whether the goal has sums or integrals, and hypotheses speak of all of them, as where an induction is under way.

    An induction within it proves no more.
    """
    terms = outer_binders(seq)
    return bool(terms) and {n for h in seq.hyps for n in h.walk() if n.op in BINDERS}.issuperset(terms)


def named_binder(seq: Sequent, term: Expr) -> tuple[Node, Binder] | None:
    """The start of a node on a term, and the term with its ends looked at; None where the kernel refuses it."""
    node: Node = {"term": text(term), "new": fresh(seq, "t")}
    try:
        return node, binder(node, seq)
    except Refused:
        return None


def binders(seq: Sequent) -> Iterator[tuple[Node, Binder]]:
    """Those of the goal, as far as the kernel does not refuse them."""
    return filter(None, (named_binder(seq, term) for term in outer_binders(seq)))


# ---------------------------------------------------------------- existence


def existence(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """That an integral or sum exists: a closed range, a closed form, the integral test, a majorant."""
    if seq.goal.op != "defined" or not has_binder(seq.goal.lhs) or depth < 2:
        return None
    if seq.goal.lhs.op not in BINDERS:
        return p.apply({"rule": "defined"}, seq, depth)
    found = named_binder(seq, seq.goal.lhs)
    if found is None:
        return None
    node, b = found
    done = _turned(p, seq, depth, b)
    terms: Node = {"rule": "terms", **node}
    if done is None and b.low is not None and b.high is not None:
        share = 1 / 16 if _kinks(b) else 1 / 2  # of a kinked body the pieces may be plainer
        done = p.first([terms], seq, depth - 1, share=share)
        if b.is_sum:
            return done
    elif done is None and b.is_sum:
        done = p.first([{**terms, "test": True}], seq, depth - 2, share=1 / 4)
    done = done or _closed(p, seq, depth, node, b) or _rewritten(p, seq, depth, node, b)
    majorants = ({**terms, "by": text(by)} for by in _majorants(b))
    done = done or p.first(majorants, seq, depth - 2, share=1 / 2)
    return done or _resolved(p, seq, depth, node, b) or _divided(p, seq, depth, node, b)


def _majorants(b: Binder) -> Iterator[Expr]:
    """Simple formulas above the modulus of the body."""
    x = var(b.t)
    plain = _without_waves(b.body)
    if plain is not b.body:
        yield plain
    yield from held(b)
    if b.high is None and b.low is not None:
        for q in (2, Fraction(3, 2), 3, Fraction(5, 4)):
            c = _largest(b, q)
            if c is not None:
                yield num(c) * x ** num(-q)


def held(b: Binder) -> Iterator[Expr]:
    """The body with the bound variable of one factor put at an end of the range, exponentials last."""
    found = [new for end in (b.low, b.high) if end is not None for new in _held(b.body, b.t, end)]
    yield from (new for _, new in sorted(found, key=lambda f: f[0]))


def _held(e: Expr, t: str, end: Expr) -> Iterator[tuple[bool, Expr]]:
    """Each formula, and whether what it holds is an exponential."""
    if t not in e.free:
        return
    if e.op in ("mul", "div", "neg"):
        for i, a in enumerate(e.args):
            yield from ((exp, Expr(e.op, (*e.args[:i], new, *e.args[i + 1 :]))) for exp, new in _held(a, t, end))
    else:
        yield any(n.op == "exp" for n in e.walk()), substitute(e, {t: end})


def _without_waves(e: Expr) -> Expr:
    """The formula with sin and cos, and powers of -1, replaced by 1."""
    if e.op in ("sin", "cos") or (e.op == "pow" and e.args[0] == num(-1)):
        return num(1)
    if e.op not in ("mul", "div", "pow", "neg", "abs"):
        return e
    args = tuple(_without_waves(a) for a in e.args)
    return e if args == e.args else args[0] if e.op in ("neg", "abs") else Expr(e.op, args)


def _largest(b: Binder, q: Fraction | int) -> Fraction | None:
    """About the largest value of |f| t**q on the range, if it stays bounded at sample points."""
    low = enclose(b.low, {}) if b.low is not None and not b.body.free - {b.t} else None
    if low is None or not low[0] > 0:
        return None
    top = Fraction(0)
    for k in range(24):
        x = (low[1] + arb(2) ** k - 1).mid() if b.is_sum else (low[1] * arb(2) ** k).mid()
        value = enclose(call("abs", b.body) * var(b.t) ** num(q), {b.t: (x, x, False, False)})
        if value is None or not value[1] < 10**6:
            return None
        here = Fraction(float(value[1])).limit_denominator(64) + Fraction(1, 32)
        if k > 20 and here > top:
            return None
        top = max(top, here)
    return top


# ---------------------------------------------------------------- closed forms


def closed(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """An integral or sum of the goal replaced by its closed form."""
    if seq.goal.op == "defined" or depth < 2:
        return None
    attempts = (_turned(p, seq, depth, b) or _closed(p, seq, depth, node, b) for node, b in binders(seq))
    return next(filter(None, attempts), None)


def attained(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Integrals and sums whose closed forms leave an identity: nothing has to be sampled."""
    if seq.goal.op not in ("==", "<=", ">=") or not has_binder(seq.goal.gap):
        return None
    return _attained(p, seq, depth, 4)


def _attained(p: Prover, seq: Sequent, depth: int, most: int) -> Node | None:
    p.clock()
    if seq.algebra.is_zero(seq.goal.gap):
        return {"rule": "identity"}
    terms = outer_binders(seq) if most else []
    found = named_binder(seq, terms[0]) if terms else None
    if found is None or _kinks(found[1]):
        return None
    node, b = found
    for full in _values(p, node, b):
        try:
            *rest, last = refine(full, seq, p.clock)
        except Refused:
            continue
        done = _attained(p, last, depth, most - 1)
        children = [] if done is None else [p.prove(s, min(depth, 6) - 1) for s in rest]
        if done is not None and None not in children:
            return {**full, "then": [*children, done]}
    return None


def _values(p: Prover, node: Node, b: Binder) -> Iterator[Node]:
    """What replaces a term by its value: known ones, then closed forms."""
    for entry in entries(b):
        yield {**entry, **node}
    for whole in _wholes(p, b):
        yield {"rule": "closed-form", **node, "by": text(whole), **limits(p, b, whole)}


def _closed(p: Prover, seq: Sequent, depth: int, node: Node, b: Binder) -> Node | None:
    values = _values(p, node, b) if not _kinks(b) else ()
    return p.first(values, seq, depth + 1, lambda s: plain(p, s, depth - 2))  # an integral or a sum less


def plain(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """A goal without integrals and sums in its normal form."""
    return None if has_binder(seq.goal.gap) else p.sliced(p.left() / 2, lambda: normalised(p, seq, depth))


def _wholes(p: Prover, b: Binder) -> Iterator[Expr]:
    key = ("whole", b.body, b.t, b.is_sum)
    if key not in p.notes:
        inner = b.inside(b.seq.goal)
        if b.is_sum:
            found = antidifference(b.body, b.t, p.clock)
            p.notes[key] = [] if found is None else [found]
        else:
            p.notes[key] = list(antiderivatives(b.body, b.t, inner.algebra, p.clock))
    yield from p.notes[key]


def limits(p: Prover, b: Binder, whole: Expr) -> Node:
    """The limits of an antiderivative at infinite ends and at ends where it is not defined."""
    out: Node = {}
    for key, end, side in (("low", b.low, 1), ("high", b.high, -1)):
        if end is not None and (b.is_sum or not obligations(substitute(whole, {b.t: end}), b.seq)):
            continue
        constant = _constant_part(b, whole)
        with contextlib.suppress(Refused):
            vanishing(b, whole - constant, end, side)
            out |= {key: text(constant), "terms": [*out.get("terms", []), key]}
            continue
        box = {v: r for v, r in (b.seq.box or {}).items() if v != b.t}
        try:
            x = Expansion(b.seq.algebra, box, b.t, end, side if end is not None else -side, _WIDTH, 6, p.clock)
            constant = limit_of(x, whole)
        except (NoExpansion, AlgebraLimit, ZeroDivisionError, OverflowError):
            continue
        out[key] = text(x.c_expr(constant))
    return out


def _constant_part(b: Binder, whole: Expr) -> Expr:
    """The terms of a formula that are free of the bound variable."""
    try:
        form = b.inside(b.seq.goal).algebra.normal(whole)
    except AlgebraLimit:
        return num(0)
    if b.t in to_expr(form.den).free:
        return num(0)
    free = {m: c for m, c in form.num.items() if b.t not in to_expr({m: c}).free}
    return Ratio(free, form.den).expr() if free else num(0)


def _turned(p: Prover, seq: Sequent, depth: int, b: Binder) -> Node | None:
    """An integral whose ends are not in order: turned about where they are the other way round, else by cases."""
    if b.is_sum or b.low is None or b.high is None or not need(Relation("<=", b.low, b.high), seq):
        return None
    if not need(Relation("<=", b.high, b.low), seq):
        return p.apply({"rule": "reverse", "term": text(b.term)}, seq, depth - 1)
    if not plausible(seq.with_goal(Relation("<=", b.low, b.high))):
        return p.apply({"rule": "case", "on": text(b.high - b.low)}, seq, depth - 1)
    return None


def _rewritten(p: Prover, seq: Sequent, depth: int, node: Node, b: Binder) -> Node | None:
    """The body in its normal form: a single quotient falls faster than its parts."""
    body = normal(b.body, seq.algebra) if b.body.op in ("add", "sub") else None
    if body is None or body == b.body:
        return None
    return p.apply({"rule": "same", **node, "body": text(body)}, seq, depth - 2)


@proposing(ops=RELATIONS)
def mirrored(seq: Sequent) -> Iterator[Node]:
    """Terms b**(n - k) of a finite sum in the other order, where b may be 0 and is not divided by."""
    for node, b in binders(seq):
        if not b.is_sum or b.low is None or b.high is None:
            continue
        inner = b.inside(seq.goal)
        falling = [n.args[0] for n in b.body.walk() if n.op == "pow" and _falls(n.args[1], b.t)]
        if any(not inner.algebra.positive(base) for base in falling):
            body = inner.algebra.normal(substitute(b.body, {b.t: b.low + b.high - var(b.t)})).expr()
            yield {"rule": "reverse", **node, "body": text(body)}


def _falls(e: Expr, t: str) -> bool:
    """Whether a formula is a falling linear one of t, by its form."""
    slope = slope_of(e, t)
    return slope is not None and slope.op == "num" and slope.value < 0


def rewritten(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """A sum or integral of a difference, as one quotient."""
    found = binders(seq) if seq.goal.op != "defined" else ()
    return next(filter(None, (_rewritten(p, seq, depth, node, b) for node, b in found)), None)


# ---------------------------------------------------------------- kinks


def _kinks(b: Binder) -> list[Expr]:
    return [u for u in kinks_of(b.body) if b.t in u.free]


def kinked(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """An integral with abs, min or max: divided where its argument changes its sign, resolved where it does not."""
    for node, b in binders(seq) if depth > 2 else ():
        done = None if b.is_sum else _resolved(p, seq, depth, node, b) or _divided(p, seq, depth, node, b)
        if done is not None:
            return done
    return None


def _resolved(p: Prover, seq: Sequent, depth: int, node: Node, b: Binder) -> Node | None:
    """The body without a kink whose argument shows one sign on the range."""
    shown = zip(kinks := _kinks(b), signs(tuple(kinks), b.inside(b.seq.goal)), strict=True)
    for u, sign in shown:
        lemma = Relation(">=" if sign > 0 else "<=", u, num(0))

        def guide(s: Sequent, lemma: Relation = lemma, u: Expr = u) -> Node | None:
            return p.cut(lemma, s, depth, lambda r: _by_case(p, r, u, depth)) if s.goal.op == "==" else None

        same: Node = {"rule": "same", **node, "body": text(_without_kink(b.body, u, sign))}
        done = p.apply(same, seq, depth + 1, guide) if sign else None  # a kink less
        if done is not None:
            return done
    return None


def _by_case(p: Prover, seq: Sequent, u: Expr, depth: int) -> Node | None:
    """Two formulas that agree where u has the sign of the last hypothesis: elsewhere u = 0."""

    def tied(s: Sequent) -> Node | None:
        if s.goal.op == "==":
            return None if s.algebra.is_zero(s.goal.gap) else p.apply({"rule": "equal"}, s, depth, tied)
        last = len(s.hyps) - 1
        return p.first((sum_of({i: num(c)}) for i in (last, last - 1) for c in (1, 2)), s, 0)

    return p.apply({"rule": "case", "on": text(u)}, seq, depth, tied)


def _without_kink(e: Expr, u: Expr, sign: int) -> Expr:
    if e.op == "abs" and e.args[0] is u:
        return u if sign > 0 else -u
    if e.op in ("min", "max") and len(e.args) == 2 and e.args[0] - e.args[1] == u:
        return e.args[0] if (sign > 0) == (e.op == "max") else e.args[1]
    if not e.args or e.op in BINDERS:
        return e
    return Expr(e.op, tuple(_without_kink(a, u, sign) for a in e.args), e.value)


def _divided(p: Prover, seq: Sequent, depth: int, node: Node, b: Binder) -> Node | None:
    """The integral divided at a zero of a kink's argument, or at a place between two singular ends."""
    if b.is_sum:
        return None
    places = [at for u in _kinks(b) for at in _zeros(u, b)]
    if not places and seq.goal.op == "defined":
        places = _middles(b)
    for at in dict.fromkeys(places):
        order = [at - b.low] if b.low is not None else []
        order += [b.high - at] if b.high is not None else []
        shown = signs(tuple(order), seq)
        unsure = [e for e, s in zip(order, shown, strict=True) if not s]
        if min(shown, default=1) < 0 or not all(e.free for e in unsure):
            continue
        if unsure:
            done = p.apply({"rule": "case", "on": text(unsure[0])}, seq, depth)
        else:
            done = p.apply({"rule": "divide", **node, "at": text(at)}, seq, depth + 1)  # a zero of a kink less inside
        if done is not None:
            return done
    return None


def _zeros(u: Expr, b: Binder) -> list[Expr]:
    linear = solution(Relation("==", u, num(0)), b.t, b.inside(b.seq.goal))
    found = [linear[0]] if linear is not None else [at for at in solve(u, b.t) if not has_binder(at)]
    if u.op == "mul":
        found += [at for a in u.args for at in _zeros(a, b)]
    if u.op in ("sin", "cos"):
        shift = num(0) if u.op == "sin" else num(Fraction(1, 2))
        found += [at + (num(k) + shift) * const("pi") for at in _zeros(u.args[0], b) for k in range(-4, 5)]
    return found


def _middles(b: Binder) -> list[Expr]:
    if b.low is None:
        return [num(0)] if b.high is None else []
    if b.high is None:
        return [b.low + num(1)]
    return [num(0), (b.low + b.high) / 2] if not (b.low.free | b.high.free) else [(b.low + b.high) / 2]


# ---------------------------------------------------------------- comparison


@proposing(cost=1, least=2)
def termwise(seq: Sequent) -> Iterator[Node]:
    """An inequality between integrals or sums over one range from the one between their bodies."""
    return ({"rule": "termwise", **node} for node, _ in islice(binders(seq), 2))
