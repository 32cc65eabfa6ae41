"""Names and their scopes in a proof: which are random, bound by a schema, defined, free for generalisation.

A step may only speak of "all t" where nothing that it uses fixes t, a schema may only bind a name that nothing
else speaks of, and a constant stays a constant under a substitution. The functions here find the names that
break this; :mod:`boundcheck.proof` refuses the step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from boundcheck.formula import BINDERS, Expr, Relation
from boundcheck.rules import Rule
from boundcheck.statement import Definition, Fact, Statement, Step

#: Heads of the proof vocabulary that bind their second argument, as integrals and sums do.
FAMILIES = frozenset({"union", "meet", "least"})
AVERAGES = frozenset({"P", "E", "Pgiven", "Egiven"})


def _binds(e: Expr) -> bool:
    return e.op in BINDERS or (e.op in FAMILIES and len(e.args) == 4 and e.args[1].op == "var")


def unbound(relations: Iterable[Relation]) -> frozenset[str]:
    """The names free in ``relations``, the index of a union, an intersection or a least term being bound."""

    def names(e: Expr) -> frozenset[str]:
        if e.op == "var":
            return frozenset({e.value})
        if _binds(e):
            body, v, low, high = e.args
            return (names(body) - {v.value}) | names(low) | names(high)
        return frozenset().union(*map(names, e.args))

    return frozenset().union(*(names(side) for r in relations for side in (r.lhs, r.rhs)))


def not_averaged(e: Expr) -> frozenset[str]:
    """The names of ``e`` that stand outside of every P(...) and E(...)."""
    if e.op in ("P", "E"):
        return frozenset()
    return frozenset({e.value}) if e.op == "var" else frozenset().union(*map(not_averaged, e.args))


def _forms(statement: Statement, number: int) -> Iterable[Step]:
    for step in statement.steps[: number - 1]:
        yield from (s for s in (step, step.repair) if s is not None)


def defined_names(statement: Statement, number: int) -> dict[str, Expr]:
    """Symbols that :class:`Definition` steps before step ``number`` introduce, with their terms."""
    relations = (s.fact.relation for s in _forms(statement, number) if isinstance(s.by, Definition))
    return {r.lhs.value: r.rhs for r in relations if r.lhs.op == "var"}


def random_names(statement: Statement, number: int) -> frozenset[str]:
    """The statement's random names and the symbols defined by random terms before step ``number``."""
    found = set(statement.random)
    for name, term in defined_names(statement, number).items():
        if not_averaged(term) & found:
            found.add(name)
    return frozenset(found)


def averages(relation: Relation) -> bool:
    """Whether a probability or an expectation occurs in the relation."""
    return any(n.op in AVERAGES for side in (relation.lhs, relation.rhs) for n in side.walk())


def indices(relations: Iterable[Relation]) -> frozenset[str]:
    """The names that are integers for the place where they stand: in an index of at(...), an end of a sum."""
    found: set[str] = set()
    for r in relations:
        for n in (n for side in (r.lhs, r.rhs) for n in side.walk()):
            if n.op == "at":
                found |= frozenset().union(*(a.free for a in n.args[1:]))
            elif n.op == "sum" or (n.op in FAMILIES and _binds(n)):
                found |= n.args[2].free | n.args[3].free
    return frozenset(found)


def bound_by(rule: Rule, values: Mapping[str, Expr]) -> frozenset[str]:
    """The names that the schema binds under ``values``: of its binders, and those its premises hold for all of."""
    facts = (*rule.premises, *rule.sides)
    names = {o for f in facts for o in f.over}
    for r in (Fact(rule.conclusion).relation, *(r for f in facts for r in (f.relation, *f.conditions))):
        names |= {n.args[1].value for side in (r.lhs, r.rhs) for n in side.walk() if _binds(n)}
    return frozenset(values[n].value if n in values and values[n].op == "var" else n for n in names)


def fresh(prefix: str, taken: frozenset[str]) -> Callable[[int], str]:
    """Names ``prefix1_``, ``prefix2_``, ... that are not taken: more underscores where one is."""
    tail = "_"
    while any(n.startswith(prefix) and n.endswith(tail) and n[len(prefix) : -len(tail)].isdigit() for n in taken):
        tail += "_"
    return lambda n: f"{prefix}{n}{tail}"


def circle(label: str, start: Statement, lookup: Callable[[str], Statement]) -> bool:
    """Whether ``start`` rests on ``label`` as far as the lookup knows."""
    seen: set[str] = set()
    pending = [start]
    while pending:
        for name in _cited(pending.pop()):
            if name == label:
                return True
            if name not in seen:
                seen.add(name)
                try:
                    pending.append(lookup(name))
                except (LookupError, ValueError):
                    continue  # a certificate carries only what is cited directly
    return False


def _cited(statement: Statement) -> tuple[str, ...]:
    return statement.cites + (_cited(statement.as_used) if statement.as_used is not None else ())
