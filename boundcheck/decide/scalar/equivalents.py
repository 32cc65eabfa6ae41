"""Equivalent forms of a goal: exact factors, logarithms of both sides, arguments of rising functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from math import prod

from flint import Ordering, fmpq, fmpq_mpoly_ctx

from boundcheck.decide.scalar.frame import frame_of
from boundcheck.decide.scalar.prover import MAX_DEPTH, Node, Prover, polynomial, product_of, proposing, size
from boundcheck.decide.scalar.sampling import signs
from boundcheck.kernel.check.nodes_read import ORDER
from boundcheck.kernel.check.poly import ONE, Poly, inverse, is_sum, multiply, to_expr
from boundcheck.kernel.check.sequent import Sequent, outside_binders
from boundcheck.kernel.formula import Expr, Relation, call, factors, folded, is_zero, num, signed_terms, text
from boundcheck.kernel.formula.functions import RISING

MAX_FACTOR_TERMS = 400
LOGARITHMS: Node = {"rule": "monotone", "fn": "log"}
_INVERSE = {"exp": "log", "log": "exp"}


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


def exponents(p: Prover, seq: Sequent, depth: int, share: float = 0.2) -> Node | None:
    """One side is a product with a power of a formula or an exponential: logarithms, before a split of the domain.

    The slope of a logarithm is free of the power, so a ladder of logarithms ends where one of powers goes on. Products
    have a ``share`` of the time: their logarithm is a sum, and ends soon or not at all.
    """
    goal = seq.goal
    if goal.op not in ORDER or size(goal.gap) > 60 or len(goal.gap.free) < 2:
        return None
    signed = signed_terms(goal.gap)
    if any(is_zero(e) for e in goal.sides) and sorted(s for _, s in signed) == [-1, 1]:  # one term for each side
        gap = goal if goal.op in (">=", ">") else goal.flipped()
        goal = Relation(gap.op, *(e for e, _ in sorted(signed_terms(gap.gap), key=lambda t: -t[1])))
    plain = all(e.op not in ("add", "sub") for e in goal.sides)
    apart = plain and all(seq.algebra.positive(f) for e in goal.sides for f, _ in factors(e))  # log 0 is nothing
    of_sides = depth >= MAX_DEPTH - 3 and any(_has_exponent(e, seq) for e in goal.sides)
    of_factors = (
        depth >= MAX_DEPTH - 6 and apart and any(_has_exponent(f, seq) for e in goal.sides for f, _ in factors(e))
    )
    if not (of_sides or of_factors) or any(e.op == "num" for e in goal.sides):
        return None
    share = 1.0 if of_sides else share
    if goal is seq.goal:
        return p.sliced(share * p.left(), partial(p.apply, LOGARITHMS, seq, depth - 1))
    proof = partial(p.apply, LOGARITHMS, depth=depth - 1)
    return p.sliced(share * p.left(), partial(p.cut, goal, seq, depth, proof=proof))


def _has_exponent(e: Expr, seq: Sequent) -> bool:
    """Whether it is an exponential, or a power that no whole number makes a polynomial of its base."""
    if e.op == "pow" and e.args[1].op != "num":
        return bool(e.args[1].free - seq.integers) or not e.args[0].free
    return e.op == "exp" and bool(e.free)


def unlogged(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """log(s) >= w, where s has exponentials and w no logarithm: exponentials of both sides."""
    if seq.goal.op not in ORDER or depth < 4 or size(seq.goal.gap) > 60:
        return None
    goal = seq.goal if seq.goal.op in (">=", ">") else seq.goal.flipped()
    form = polynomial(goal.gap, seq)
    logs = [m for m in form or {} if any(n.op == "log" for a, _ in m for n in a.walk())]
    if form is None or len(logs) != 1 or len(logs[0]) != 1 or logs[0][0][1] != 1:
        return None
    term, c = logs[0][0][0], form[logs[0]]
    if term.op != "log" or not any(n.op == "exp" and n.free for n in term.walk()):
        return None
    rest = to_expr({m: -d / c for m, d in form.items() if m != logs[0]})
    lemma = Relation(goal.op if c > 0 else goal.flipped().op, term, rest)
    node: Node = {"rule": "monotone", "fn": "exp"}
    return p.cut(lemma, seq, depth, proof=partial(p.apply, node, depth=depth - 1))


@proposing()
def peeled(seq: Sequent) -> Iterator[Node]:
    """c f(a) >= c f(b) for an increasing f or a power: compare the arguments."""
    goal = seq.goal if seq.goal.op in (">=", ">") else seq.goal.flipped()
    big, small = goal.lhs, goal.rhs
    if big.op == small.op and big.op in RISING:
        # the logarithm of a product with an exponential is free of both, and so is the exponential of a logarithm
        inverse_of = {"log": "exp", "exp": "log"}.get(big.op)
        if all(f.op != inverse_of for e in (big, small) for f, _ in factors(e.args[0])):
            yield {"rule": "peel", "upper": text(big), "lower": text(small)}
        return
    found = _one_each(goal.gap)
    if found is not None and found[0].op == "pow":
        yield from _peel(*found, seq)
        return
    form = seq.algebra.normal(goal.gap)
    if len(form.num) != 2 or form.den != ONE:
        return
    (m1, c), (m2, other) = sorted(form.num.items(), key=lambda t: -t[1])
    extra1, extra2 = [t for t in m1 if t not in m2], [t for t in m2 if t not in m1]
    if c == -other and len(extra1) == len(extra2) == 1 and extra1[0][1] == extra2[0][1]:
        upper, lower = (to_expr({(t,): fmpq(1)}) for t in (extra1[0], extra2[0]))
        if upper.op == lower.op:
            yield from _peel(upper, lower, to_expr({tuple(t for t in m1 if t in m2): c}), seq)


def unwrapped(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """A hypothesis c f(a) >= c f(b), c > 0 a number, for an increasing f or a power: a >= b is one too.

    So it is for exp(a) and for log(a) beside what does not speak of the names in a.
    """
    for h in seq.hyps if depth >= 4 else ():
        found = _one_each(h.gap if h.op in (">=", ">") else h.flipped().gap) if h.op in ORDER else None
        if found is not None and found[2].op == "num" and found[2].value > 0:
            upper, lower, _ = found
            lemma = Relation(">" if h.strict else ">=", upper.args[0], lower.args[0])
            fn = {"fn": "power", "exponent": text(upper.args[1])} if upper.op == "pow" else {"fn": upper.op}
        else:
            both = (h, h.flipped()) if h.op in ORDER else ()
            alone = [r for r in both if r.lhs.op in _INVERSE and r.lhs.free and not r.lhs.free & r.rhs.free]
            if not alone:
                continue
            f, r = alone[0].lhs, alone[0]
            lemma, fn = Relation(r.op, f.args[0], folded(call(_INVERSE[f.op], r.rhs))), {"fn": f.op}
        node: Node = {"rule": "monotone", **fn}
        known = {(r.op, r.lhs, r.rhs) for r in (*seq.hyps, *(r.flipped() for r in seq.hyps if r.op in ORDER))}
        if (lemma.op, lemma.lhs, lemma.rhs) not in known and lemma != seq.goal:
            done = p.cut(lemma, seq, depth, proof=partial(p.apply, node, depth=depth - 2))
            if done is not None:
                return done
    return None


def grounded(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """A sum under a formula as exponent, or that exponent, has a sign that no normal form sees: that as a lemma."""
    if seq.goal.op not in ORDER or depth < 4:
        return None
    powers = [n for n in outside_binders(seq.goal.gap) if n.op == "pow" and n.args[1].free]
    lemmas = [Relation(">", n.args[0], num(0)) for n in powers if n.args[0].free and is_sum(n.args[0])]
    lemmas += [Relation(">=", n.args[1], num(0)) for n in powers]
    for lemma in dict.fromkeys(lemmas):
        known = seq.algebra.positive if lemma.strict else seq.algebra.nonnegative
        if known(lemma.lhs) or signs((lemma.lhs,), seq) != [1]:
            continue
        if p.sliced(0.2 * p.left(), partial(p.prove, seq.with_goal(lemma), depth - 2)) is not None:
            return p.cut(lemma, seq, depth)
    return None


def _one_each(gap: Expr) -> tuple[Expr, Expr, Expr] | None:
    """(f(a), f(b), c) where the gap is written as c f(a) - c f(b), for an increasing f or one power."""
    signed = sorted(signed_terms(gap), key=lambda t: -t[1])
    if [sign for _, sign in signed] != [1, -1]:
        return None
    above, below = (Counter(factors(e)) for e, _ in signed)
    own, other, common = list((above - below).elements()), list((below - above).elements()), above & below
    if len(own) != 1 or len(other) != 1:
        return None
    (upper, divides), (lower, divides_too) = own[0], other[0]
    if divides or divides_too or upper.op != lower.op or upper.args[1:] != lower.args[1:]:
        return None
    if upper.op not in RISING and (upper.op != "pow" or upper.args[1].op == "num"):
        return None
    return upper, lower, prod((num(1) / f if under else f for f, under in common.elements()), start=num(1))


def _peel(upper: Expr, lower: Expr, factor: Expr, seq: Sequent) -> Iterator[Node]:
    """The node for factor*(upper - lower), of rising functions or of powers that no other tactic has made."""
    falls = False
    if upper.op == "pow":
        (a, r), (b, _) = upper.args, lower.args
        powers = (f.op in ("pow", "sqrt") for e in (a, b) for f, _ in factors(e))
        if (r.op == "num" and r.value.denominator == 1) or any(powers):  # to be expanded, or taken together
            return
        falls = signs((r,), seq) == [-1]
    elif upper.op not in RISING:
        return
    node: Node = {"rule": "peel", "upper": text(upper), "lower": text(lower), "factor": text(factor)}
    yield {**node, "falls": True} if falls else node
