"""The exact zero test: is a formula identically zero on a domain? Yes only with a proof.

A numerical zero certifies nothing here. The formula is brought to a normal form over its power
products (:mod:`boundcheck.kernel.exact`); where a sign decides how to rewrite (abs, min, max, sqrt(x**2)),
both signs are followed. The verifier of certificates re-runs :func:`analyse`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from boundcheck.kernel.exact import algebraic
from boundcheck.kernel.exact.known_signs import BY_RELATION, Facts, to_expr
from boundcheck.kernel.exact.normal import Normaliser, NotNormal, Split
from boundcheck.kernel.exact.power_products import Poly, TooLarge, canonical
from boundcheck.kernel.exact.trigonometry import reduce_squares
from boundcheck.kernel.formula import BINDERS, Expr, FormulaError, Relation, num, substitute, var

MAX_SPLITS = 6  #: nested case distinctions


@dataclass(frozen=True)
class Analysis:
    """``zero``: the formula is 0 at every point of the domain that satisfies all of ``conditions``.

    ``conditions`` are the relations that could not be proved from the hypotheses; ``e == e`` means
    that the integral or sum ``e`` exists. ``cases`` counts the leaves of the case distinctions.
    """

    zero: bool
    conditions: tuple[Relation, ...] = ()
    cases: int = 1
    reason: str = ""


def is_zero(e: Expr, where: Iterable[Relation] = (), integers: Iterable[str] = ()) -> bool:
    """True only if ``e`` is defined and equal to 0 at every point that satisfies ``where``, with a proof."""
    found = analyse(e, where, integers)
    return (found.zero and not found.conditions) or algebraic.is_zero(e)


def analyse(e: Expr, where: Iterable[Relation] = (), integers: Iterable[str] = ()) -> Analysis:
    """The zero test of ``e`` on the domain ``where``, with the conditions it left open."""
    try:
        return _cases(e, tuple(where), frozenset(integers), 0)
    except (TooLarge, NotNormal, FormulaError, RecursionError, ZeroDivisionError) as reason:
        return Analysis(False, reason=f"no normal form: {reason}")


def closed_forms(e: Expr, where: Iterable[Relation] = (), integers: Iterable[str] = ()) -> dict[Expr, Expr]:
    """The outermost integrals and sums of ``e`` that have a closed form proved on the domain, with it.

    A verifier re-runs ``is_zero(node - closed, where, integers)``.
    """
    conditions, names = tuple(where), frozenset(integers)
    found: dict[Expr, Expr] = {}
    stack = [e]
    while stack:
        node = stack.pop()
        if node.op not in BINDERS:
            stack.extend(node.args)
            continue
        n = Normaliser(known_facts(conditions, names), names)
        n.depth = 1  # no case distinctions: one form for the whole domain
        try:
            value = to_expr(_reduced(n.poly(node)))
        except (TooLarge, NotNormal, FormulaError, RecursionError, ZeroDivisionError):
            continue
        if not n.open and not any(part.op in BINDERS for part in value.walk()):
            found[node] = value
    return found


def _negative_names(where: tuple[Relation, ...]) -> set[str]:
    """Variables that a hypothesis keeps at or below a bound c <= 0: they are replaced by their negatives."""
    names = set()
    for r in where:
        low, high = (r.lhs, r.rhs) if r.op in ("<", "<=") else (r.rhs, r.lhs)
        if r.op in ("<", "<=", ">", ">=") and low.op == "var" and not high.free:
            bound = high.args[0].value * -1 if high.op == "neg" and high.args[0].op == "num" else high.value
            if isinstance(bound, Fraction) and bound <= 0:
                names.add(low.value)
    return names


def _cases(e: Expr, where: tuple[Relation, ...], integers: frozenset[str], depth: int) -> Analysis:
    try:
        return _one_case(e, where, integers)
    except Split as split:
        if depth >= MAX_SPLITS:
            return Analysis(False, reason="too many case distinctions")
        pivot = split.pivot or to_expr(split.poly)
    halves = []
    for op in (">=", "<="):
        half = _cases(e, (*where, Relation(op, pivot, num(0))), integers, depth + 1)
        if not half.zero:
            return half
        halves.append(half)
    joined = tuple(dict.fromkeys(r for half in halves for r in half.conditions))
    return Analysis(True, joined, sum(h.cases for h in halves), f"cases by the sign of {pivot}")


def known_facts(where: Iterable[Relation], integers: frozenset[str]) -> Facts:
    """The facts that the hypotheses give; one without a normal form says nothing."""
    facts = Facts()
    rest = list(where)
    for _ in range(2):  # simple bounds first, so that the others can use them
        for r in rest:
            reader = Normaliser(facts, integers)
            reader.depth = 1  # no case distinctions here
            try:
                gap = canonical(reader.poly(r.lhs) - reader.poly(r.rhs))
            except (TooLarge, NotNormal):
                continue
            if not reader.open:
                facts.know(gap, BY_RELATION[r.op])
    return facts


def _one_case(e: Expr, where: tuple[Relation, ...], integers: frozenset[str]) -> Analysis:
    mirror = {name: -var(name) for name in sorted(_negative_names(where))}

    def turned(r: Relation) -> Relation:
        return r.map(lambda side: substitute(side, mirror))

    e, where = substitute(e, mirror), tuple(map(turned, where))
    try:
        return _unmirrored(e, where, integers, turned)
    except Split as split:
        raise Split(split.poly, substitute(to_expr(split.poly), mirror)) from None


def _unmirrored(
    e: Expr, where: tuple[Relation, ...], integers: frozenset[str], turned: Callable[[Relation], Relation]
) -> Analysis:
    n = Normaliser(known_facts(where, integers), integers)
    value = _reduced(n.poly(e))
    if value.terms:
        return Analysis(False, reason=f"normal form {str(to_expr(value))[:200]}")
    return Analysis(True, tuple(sorted(map(turned, n.open), key=str)))


def _reduced(p: Poly) -> Poly:
    for _ in range(4):
        q = reduce_squares(canonical(p))
        if q == p:
            return p
        p = q
    return p


__all__ = ["Analysis", "analyse", "closed_forms", "is_zero", "known_facts"]
