"""A scalar claim between sums of products, divided by a common product and rid of one scale: S = 1 without loss.

Where scaling some variables together multiplies both sides and every hypothesis by positive factors, one of
them may be put to 1. Here that is shown by the laws of powers alone: the substitution w -> w v makes v cancel.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from boundcheck.decide.scalar.monomials import Monomial, monomial
from boundcheck.kernel.formula import Expr, Relation, is_zero, num, substitute, var

_BARE = ("num", "var", "const")


@dataclass(frozen=True)
class Scaled:
    """An equivalent claim, and the names that must be positive for the equivalence."""

    relation: Relation
    where: tuple[Relation, ...]
    positive: frozenset[str]


def scaled(relation: Relation, where: tuple[Relation, ...]) -> Scaled | None:
    """The claim divided by the product of powers of its right side, with one scale removed if there is one.

    None if a base other than a variable has an exponent for which the laws of powers need its sign.
    """
    names = sorted(relation.free)
    for size in range(len(names) - 1, 0, -1):
        for v in names:
            for group in itertools.combinations([w for w in names if w != v], size):
                found = _without(v, group, relation, where)
                if found is not None:
                    return found
    divided = _divided(relation)
    return None if divided is None else Scaled(divided, where, _powers(relation))


def _without(v: str, group: tuple[str, ...], relation: Relation, where: tuple[Relation, ...]) -> Scaled | None:
    moved = {w: var(w) * var(v) for w in group}
    result = _divided(relation.map(lambda e: substitute(e, moved)))
    if result is None or v in result.free:
        return None
    kept: list[Relation] = []
    positive = _powers(relation) | {v, *group}
    for r in where:
        put = r.map(lambda e: substitute(e, moved))
        if v in put.free and not (is_zero(put.rhs) and put.lhs is var(v)):
            divided = _divided(put)
            if divided is None or v in divided.free:
                return None
            put, positive = divided, positive | _powers(put)
        if v not in put.free:
            kept.append(put)
    return Scaled(result, tuple(dict.fromkeys(kept)), positive)


def _powers(relation: Relation) -> frozenset[str]:
    """Variables that occur as bases of products."""
    products = [p for side in (relation.lhs, relation.rhs) for _, p in _terms(side) or []]
    return frozenset(b.value for p in products for b in p.bases if b.op == "var")


def _terms(e: Expr) -> list[tuple[int, Monomial]] | None:
    """``e`` as signed products; None if the laws of powers do not apply to one."""
    if is_zero(e):
        return []
    if e.op in ("add", "sub"):
        left, right = _terms(e.args[0]), _terms(e.args[1])
        if left is None or right is None:
            return None
        return [*left, *((s if e.op == "add" else -s, p) for s, p in right)]
    if e.op == "neg":
        inner = _terms(e.args[0])
        return None if inner is None else [(-s, p) for s, p in inner]
    if e.op == "num" and e.value < 0:
        return [(-1, p) for _, p in _terms(num(-e.value)) or []]
    product = monomial(e)
    if product is None or any(b.op not in _BARE and x not in (num(1), num(-1)) for b, x in product.factors):
        return None
    return [(1, Monomial(tuple((_inside(b), x) for b, x in product.factors)))]


def _inside(e: Expr) -> Expr:
    """``e`` with the arguments of its functions and sums in normal form."""
    if e.op in _BARE:
        return e
    if e.op in ("add", "sub", "neg"):
        terms = _terms(e)
        return e if terms is None else _sum(terms)
    return Expr(e.op, tuple(a if a.op in _BARE else _inside_argument(a) for a in e.args), e.value)


def _inside_argument(e: Expr) -> Expr:
    terms = _terms(e)
    return e if terms is None else _sum(terms)


def _sum(terms: list[tuple[int, Monomial]]) -> Expr:
    total: Expr = num(0)
    for sign, product in terms:
        total = total + product.as_expr() if sign > 0 else total - product.as_expr()
    return total


def _divided(relation: Relation) -> Relation | None:
    """Both sides over the powers of variables in the first term of the right side (of the left, if that is 0)."""
    left, right = _terms(relation.lhs), _terms(relation.rhs)
    if left is None or right is None or not (left or right):
        return None
    first = (right or left)[0][1]
    common = Monomial(tuple((b, x) for b, x in first.factors if b.op == "var"))
    if is_zero(relation.rhs) and len(common.factors) == 1:
        common = Monomial(())  # v > 0 is a hypothesis of its own
    sides = [_sum([(s, p.over(common)) for s, p in terms]) for terms in (left, right)]
    return Relation(relation.op, sides[0], sides[1])
