"""b(s) and b[s] of one sequence: two terms, of which nothing says that they are equal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from boundcheck.author import adapter
from boundcheck.kernel.formula import Expr, Relation
from boundcheck.kernel.statement import Statement

Spelled = frozenset[tuple[str, int]]  #: names with the number of their arguments


def members(relations: Iterable[Relation]) -> Spelled:
    """The names of which a member is spoken of, as b[s]."""
    terms = [n for n in _terms(relations) if n.op == "at" and n.args[0].op == "var"]
    return frozenset((str(n.args[0].value), len(n.args) - 1) for n in terms)


def values(relations: Iterable[Relation]) -> Spelled:
    """The heads that are applied, as in b(s)."""
    return frozenset((n.op, len(n.args)) for n in _terms(relations) if n.args)


def _terms(relations: Iterable[Relation]) -> Iterator[Expr]:
    for r in relations:
        yield from r.lhs.walk()
        yield from r.rhs.walk()


def in_both_ways(statement: Statement, more: Iterable[Relation] = ()) -> list[str]:
    """The names that the statement, its proof and ``more`` write in both ways."""
    said = [*relations_of(statement), *more]
    return sorted(name for name, _ in members(said) & values(said))


def relations_of(statement: Statement) -> list[Relation]:
    """All that is assumed, claimed and said in the lines, with the conditions."""
    facts = [*statement.hypotheses.values(), *statement.claims, *(s.fact for s in statement.steps)]
    return [r for f in facts for r in (adapter.relation_of(f.claim), *f.conditions)]


def otherwise(here: Iterable[Relation], there: Iterable[Relation]) -> list[str]:
    """The names that are written in one way here and in the other way there."""
    here, there = list(here), list(there)
    mixed = (members(here) & values(there)) | (members(there) & values(here))
    return sorted(name for name, _ in mixed)


def told(names: Iterable[str]) -> str:
    """What to do about names in both ways."""
    return "; ".join(f"{b}(...) and {b}[...] are two terms: write one of them throughout" for b in names)
