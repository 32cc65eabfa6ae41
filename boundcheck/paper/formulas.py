"""The formulas that plans, simulation and report share with the statements: read from these, written nowhere else.

The form that is proved counts. f(x_0) - f_* is written Delta0. An unknown label or name is a KeyError everywhere.
"""

from __future__ import annotations

from functools import cache

from boundcheck.kernel.formula import Expr, Relation, has_opaque, parse, parse_relation, var
from boundcheck.kernel.statement import Statement
from boundcheck.paper import said

_GAP = parse("f(x0) - fstar", proof=True)


def _with_gap(e: Expr) -> Expr:
    if e is _GAP:
        return var("Delta0")
    return Expr(e.op, tuple(_with_gap(a) for a in e.args), e.value) if e.args else e


@cache
def form(label: str) -> Statement:
    """What the statement says in the form that is proved; its proof may be left out."""
    statement = said(label)
    return statement.as_used if statement.as_used is not None else statement


def relation(label: str, hypothesis: str) -> Relation:
    """A hypothesis of a statement."""
    found = form(label).hypotheses[hypothesis].relation
    return Relation(found.op, _with_gap(found.lhs), _with_gap(found.rhs))


@cache
def inequalities(label: str) -> tuple[Relation, ...]:
    """What a statement says of its parameters alone, but for equations, each as ``small <= large`` or ``<``."""
    stated = form(label)
    plain = [f.relation for f in stated.hypotheses.values() if f.plain]
    found = [Relation(r.op, _with_gap(r.lhs), _with_gap(r.rhs)) for r in (*stated.domain, *plain)]
    scalar = [
        r for r in found if r.op not in ("==", "!=") and r.free <= stated.symbols and not any(map(has_opaque, r.sides))
    ]
    return tuple(r if r.op in ("<", "<=") else r.flipped() for r in scalar)


@cache
def value(label: str, symbol: str) -> Expr:
    """What a hypothesis of the statement, ``symbol == formula``, says the parameter to be."""
    for name, fact in form(label).hypotheses.items():
        left = fact.relation.lhs
        if fact.relation.op == "==" and left.op == "var" and left.value == symbol and fact.plain:
            return relation(label, name).rhs
    raise KeyError(f"no hypothesis of {label} defines {symbol}")


def bound(label: str) -> Expr:
    """The bound of a statement; ValueError where it has none."""
    text = form(label).bound or said(label).bound
    if not text:
        raise ValueError(f"{label} has no bound formula")
    return parse(text, proof=True)


def domain(label: str, symbol: str) -> tuple[Relation, ...]:
    """The domain of a parameter of a statement."""
    found = {q.symbol: q for q in form(label).parameters}[symbol]
    return tuple(parse_relation(text) for text in found.domain)
