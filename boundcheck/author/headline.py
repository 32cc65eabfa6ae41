"""Whether the formula that a statement has under ``bound`` is what it claims: nothing else is proved of it."""

from __future__ import annotations

from boundcheck.author.parameters import definitions, resolved
from boundcheck.kernel.formula import RELATIONS, Expr, parse, substitute
from boundcheck.kernel.proof.terms import canonical, match
from boundcheck.kernel.statement import Statement


def claimed(statement: Statement) -> bool:
    """Whether the bound is a side of a relation in a claim, of the form that is used as well.

    Equations that give parameters their values are put in; a name that the statement does not have stands for a term.
    """
    bound = parse(statement.bound, proof=True)
    return any(_said(form, bound) for form in (statement, statement.as_used) if form is not None)


def _said(form: Statement, bound: Expr) -> bool:
    values = resolved(definitions(form))
    known = {q.symbol for q in (*form.parameters, *form.bound_names)} | form.sorts.keys()
    known |= {name for fact in form.claims for name in fact.names}
    stands_for = frozenset(bound.free - known)
    return any(
        match(bound, side, stands_for, {})
        or canonical(substitute(bound, values)) is canonical(substitute(side, values))
        for side in _sides(form)
    )


def _sides(form: Statement) -> list[Expr]:
    """The sides of the claims and of the events in them, and what hypotheses compare those that are names with."""
    relations = [f.relation for f in form.claims]
    found = [side for r in relations for side in r.sides]
    found += [side for r in relations for e in r.walk() if e.op in RELATIONS for side in e.args]
    plain = [f.relation for f in form.hypotheses.values() if f.plain]
    named = [r for r in plain for r in (r, r.flipped()) if r.op != "!=" and r.lhs.op == "var" and r.lhs in found]
    return [*found, *(r.rhs for r in named)]
