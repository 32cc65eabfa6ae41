"""What a statement claims of real parameters, for an extremal problem: nothing that it assumes may be left out."""

from __future__ import annotations

from boundcheck.author.parameters import definitions, resolved
from boundcheck.kernel.formula import Relation, substitute
from boundcheck.kernel.proof.book import declared
from boundcheck.kernel.proof.facts import quantified
from boundcheck.kernel.proof.sorts import REAL, Sort
from boundcheck.kernel.proof.terms import names, names_of
from boundcheck.kernel.statement import Statement


class NotExtremal(ValueError):
    """A statement whose hypotheses or claim do not have the form that its extremal problem needs."""


def scalar_claim(
    statement: Statement, known: Statement, others: frozenset[str]
) -> tuple[Relation, tuple[Relation, ...]]:
    """The first claim, all defining equations put in, and all that is said of the parameters.

    All else that is assumed must be among the hypotheses of ``known``, of which the extremal law is a model. Raises
    :class:`NotExtremal` where it is not, and where the problem speaks of more than real numbers; ``others`` are the
    names in what the problem has beside the claim, which no equation may define.
    """
    fact = statement.claims[0]
    values = resolved(definitions(statement))
    plain = [*statement.domain, *fact.conditions]
    told = {(f.relation, f.over, f.conditions) for f in known.hypotheses.values()}
    for name, h in statement.hypotheses.items():
        if h.plain and names_of([h.relation]) <= statement.symbols:
            plain.append(h.relation)
        elif (h.relation, h.over, h.conditions) not in told:
            raise NotExtremal(f"{statement.label}: hypothesis {name} is not looked at")
    sorts = statement.sorts
    if other := [n for n, sort in known.sorts.items() if sorts.get(n, sort) != sort]:
        raise NotExtremal(f"{statement.label}: {other[0]} is no {known.sorts[other[0]]}")
    put = [r.map(lambda e: substitute(e, values)) for r in (fact.relation, *plain)]
    if put[0].op not in ("<=", "<"):
        raise NotExtremal(f"{statement.label}: an upper bound is wanted, not {fact.claim}")
    spoken = (names(put[0].lhs) - known.sorts.keys()) | names(put[0].rhs) | names_of(put[1:]) | others
    over = {name for name, sort in quantified(fact, declared(statement)).items() if sort == Sort(REAL)}
    free = (statement.symbols - values.keys()) | over
    if strange := (spoken - free) | (statement.integers & spoken - {"d"}):
        raise NotExtremal(f"{statement.label}: {', '.join(sorted(strange))} is no real parameter that is free")
    return put[0], tuple(r for r in put[1:] if r.op != "==" or r.lhs is not r.rhs)
