"""Equivalent forms of a goal: exact factors, logarithms of both sides, arguments of rising functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import prod

from flint import Ordering, fmpq, fmpq_mpoly_ctx

from boundcheck.decide.scalar.frame import frame_of
from boundcheck.decide.scalar.prover import MAX_DEPTH, Node, Prover, product_of, proposing, size
from boundcheck.decide.scalar.sampling import signs
from boundcheck.kernel.check.nodes_read import ORDER
from boundcheck.kernel.check.poly import ONE, Poly, inverse, multiply, to_expr
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.formula import Expr, factors, num, signed_terms, text
from boundcheck.kernel.formula.functions import RISING

MAX_FACTOR_TERMS = 400
LOGARITHMS: Node = {"rule": "monotone", "fn": "log"}


def polynomial_factors(p: Poly, seq: Sequent) -> list[tuple[Poly, int]]:
    """Factors over Q whose product is p: a monomial with the constant, then irreducible polynomials.

    Every atom (with its symbolic or fractional exponents) counts as a variable.
    """
    made = frame_of([p], seq) if len(p) <= MAX_FACTOR_TERMS else None
    if made is None:
        return [(p, 1)]
    frame, lift = made
    table = frame.read(multiply(p, {lift: fmpq(1)}))
    if not table or not 1 <= len(frame.keys) <= 12 or max(map(max, table)) > 200:
        return [(p, 1)]
    ctx = fmpq_mpoly_ctx.get([f"x{i}" for i in range(len(frame.keys))], Ordering.lex)
    constant, factors = ctx.from_dict(table).factor()
    unit: tuple[Poly, int] = ({inverse(lift): fmpq(constant)}, 1)
    return [unit, *(({frame.mono(e): c for e, c in f.to_dict().items()}, int(k)) for f, k in factors)]


def split_factors(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """:func:`factored`, only where the gap falls apart into at least two factors that vary."""
    return factored(p, seq, depth, 2)


def _powers(e: Expr, k: int, seq: Sequent, strict: bool) -> list[Expr]:
    """Factors of e**k: where 0 is not allowed and e keeps one sign, e each time, else an even power as one square."""
    if strict and 2 <= k <= 4 and signs((e,), seq) != [0]:
        return [e] * k
    return ([e ** num(k - k % 2)] if k >= 2 else []) + ([e] if k % 2 else [])


def factored(p: Prover, seq: Sequent, depth: int, least: int = 1) -> Node | None:
    """Write the gap as an exact product; each factor keeps its own sign."""
    goal = seq.goal
    if goal.op not in ORDER or size(goal.gap) > 400:
        return None
    algebra = seq.algebra
    form = algebra.normal(goal.gap)
    if form.zero:
        return None
    factors: list[Expr] = []
    content, mono, rest = algebra.content(form.num)
    if content != 1 or mono:
        factors.append(to_expr({mono: content}))
    exprs: list[Expr] = []
    for f, k in polynomial_factors(rest, seq):
        if f != ONE:
            exprs += _powers(to_expr(f), k, seq, goal.strict)
    signed = [to_expr({tuple(t for t in mono if t[0].op != "exp"): content})]  # exponentials tell nothing
    varied = sum(1 for e in (*exprs, *signed) if e.free)
    for f, k in polynomial_factors(form.den, seq) if form.den != ONE else []:
        if f != ONE:
            exprs += _powers(num(1) / to_expr(f), k, seq, True)
    if varied < least:
        return None
    shown = list(zip(exprs, signs(tuple(exprs), seq), strict=True))
    known = [(e, s) for e, s in shown if s]
    if len(known) < len(shown):  # what shows no sign, together
        known.append((prod((e for e, s in shown if not s), start=num(1)), prod(s for _, s in known)))
    known = [*((e, 1) for e in factors), *known]
    if len(known) == 1 and size(known[0][0]) >= size(goal.gap):
        return None
    return p.apply(product_of(*known), seq, depth)


@proposing(cost=1, least=MAX_DEPTH - 3, largest=60)
def exponents(seq: Sequent) -> Iterator[Node]:
    """One side is a power of a formula or an exponential: logarithms, before anything else splits the domain.

    The slope of a logarithm is free of the power, so a ladder of logarithms ends where one of powers goes on.
    """
    sides = seq.goal.sides
    raised = any(e.op == "exp" or (e.op == "pow" and e.args[1].free - seq.integers) for e in sides)
    if raised and len(seq.goal.gap.free) > 1 and all(e.op != "num" for e in sides):
        yield LOGARITHMS


@proposing()
def peeled(seq: Sequent) -> Iterator[Node]:
    """c f(a) >= c f(b) for an increasing f or a power: compare the arguments."""
    goal = seq.goal if seq.goal.op in (">=", ">") else seq.goal.flipped()
    big, small = goal.lhs, goal.rhs
    if big.op == small.op and big.op in RISING:
        # the logarithm of an exponential is free of both
        if big.op != "log" or "exp" not in (big.args[0].op, small.args[0].op):
            yield {"rule": "peel", "upper": text(big), "lower": text(small)}
        return
    found = _one_power_each(goal.gap)
    if found is not None:
        yield _peel(*found, seq)
        return
    form = seq.algebra.normal(goal.gap)
    if len(form.num) != 2 or form.den != ONE:
        return
    (m1, c), (m2, other) = sorted(form.num.items(), key=lambda t: -t[1])
    extra1, extra2 = [t for t in m1 if t not in m2], [t for t in m2 if t not in m1]
    if c == -other and len(extra1) == len(extra2) == 1 and extra1[0][1] == extra2[0][1]:
        upper, lower = (to_expr({(t,): fmpq(1)}) for t in (extra1[0], extra2[0]))
        if upper.op == lower.op and (upper.op in RISING or upper.op == "pow"):
            yield _peel(upper, lower, to_expr({tuple(t for t in m1 if t in m2): c}), seq)


def _one_power_each(gap: Expr) -> tuple[Expr, Expr, Expr] | None:
    """(a**r, b**r, c) where the gap is written as c a**r - c b**r."""
    signed = sorted(signed_terms(gap), key=lambda t: -t[1])
    if [sign for _, sign in signed] != [1, -1]:
        return None
    above, below = (Counter(factors(e)) for e, _ in signed)
    own, other, common = list((above - below).elements()), list((below - above).elements()), above & below
    if len(own) != 1 or len(other) != 1:
        return None
    (upper, divides), (lower, divides_too) = own[0], other[0]
    if divides or divides_too or not upper.op == lower.op == "pow" or upper.args[1] != lower.args[1]:
        return None
    if "pow" in (upper.args[0].op, lower.args[0].op):  # a power of a power is to become one
        return None
    return upper, lower, prod((num(1) / f if under else f for f, under in common.elements()), start=num(1))


def _peel(upper: Expr, lower: Expr, factor: Expr, seq: Sequent) -> Node:
    """The node for factor*(upper - lower)."""
    falls = upper.op == "pow" and signs((upper.args[1],), seq) == [-1]
    node: Node = {"rule": "peel", "upper": text(upper), "lower": text(lower), "factor": text(factor)}
    return {**node, "falls": True} if falls else node
