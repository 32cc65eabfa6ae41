"""Facts: an assertion for all values of its quantified names under its conditions, and the one door to its instances.

Hypotheses, earlier steps, cited statements and rules all pass through :func:`instance`: it checks the sort of every
value, that integers stay integers, that what is said of constants is not said of random quantities, and renames bound
names. What a fact depends on is :attr:`Known.fixed`, conditions included: nobody else collects names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from boundcheck.kernel.formula import Expr, FormulaError, Relation, parse, var
from boundcheck.kernel.proof.sorts import (
    AVERAGES,
    CONDITIONAL,
    EVENT,
    INTEGER,
    KINDS,
    REAL,
    Names,
    Sort,
    SortError,
    check_declared,
    check_names,
    check_relation,
    suits,
    typed,
)
from boundcheck.kernel.proof.terms import fresh, names, names_of, put_all, refuse_zero_below, settle
from boundcheck.kernel.statement import Fact


class ProofError(ValueError):
    """A step that does not fit its justification: a schema that does not match, an unknown reference, ..."""


@dataclass(frozen=True)
class Known:
    """``relation`` holds, wherever the conditions ``where`` do, for all values of the names in ``over``.

    It holds for every outcome if ``sure``, else for almost every one. One that is ``partial`` is assumed and may say
    nothing somewhere: where a term of it is undefined, also inside of a head.
    """

    relation: Relation
    where: tuple[Relation, ...] = ()
    over: Mapping[str, Sort] = field(default_factory=dict)
    sure: bool = True
    partial: bool = False

    @property
    def relations(self) -> tuple[Relation, ...]:
        """The relation and its conditions."""
        return (self.relation, *self.where)

    @property
    def fixed(self) -> frozenset[str]:
        """The names that the fact depends on and does not hold for all of."""
        return names_of(self.relations) - self.over.keys()

    def apart(self, taken: Collection[str]) -> Known:
        """The same fact with other names in the place of those in ``over`` that are taken: new ones, each its own."""
        clash = [n for n in self.over if n in taken]
        used = {*taken, *self.over, *names_of(self.relations)}
        turned: dict[str, str] = {}
        for n in clash:
            turned[n] = fresh(n, used)
            used.add(turned[n])
        first, *where = (put_all(r, {n: var(m) for n, m in turned.items()}) for r in self.relations)
        over = {turned.get(n, n): s for n, s in self.over.items()}
        return replace(self, relation=first, where=tuple(where), over=over)


def quantified(fact: Fact, declared: Names) -> dict[str, Sort]:
    """The sorts of the names that ``fact`` holds for all of: as written, as declared, else real."""
    found: dict[str, Sort] = {}
    for entry in fact.over:
        name, _, kind = (part.strip() for part in entry.partition(":"))
        if not kind:
            sort = declared.get(name, Sort(REAL))
            kind = REAL if sort.args else sort.kind
        if kind not in KINDS:
            raise SortError(f"{entry!r}: {kind!r} is no sort")
        if kind == EVENT or (name in declared and declared[name].random):
            told = "an event" if kind == EVENT else f"{name}, declared as {declared[name]},"
            mend = f"{name} stands for a constant; take another name for it here"
            raise SortError(f"{entry!r}: {told} depends on chance, and {mend}")
        if name in found:
            raise SortError(f"it is for all {name} twice; two things, two names")
        found[name] = Sort(kind)
    check_declared(found)
    return found


def read(fact: Fact, declared: Names, sure: bool = True) -> Known:
    """The fact behind a text, typed. Raises :class:`FormulaError`, :class:`SortError`."""
    over = quantified(fact, declared)
    check_names(over)
    scope = {**declared, **over}
    for r in (fact.relation, *fact.conditions):
        check_relation(r, scope)
    refuse_zero_below((fact.relation, *fact.conditions))
    return Known(settle(fact.relation), tuple(map(settle, fact.conditions)), over, sure)


def read_term(source: str) -> Expr:
    """A term of a substitution: an expression, an event such as ``abs(Z) > t``, or oo as an end."""
    if source.strip() == "oo":
        return parse(source, proof=True)
    found = parse(f"P({source})", proof=True)
    if found.op != "P" or len(found.args) != 1:
        raise FormulaError(f"{source!r} is no term; one term or one event is wanted")
    return found.args[0]


def averaged(relations: Iterable[Relation]) -> frozenset[str]:
    """The names that stand inside of a head that averages or speaks of laws."""
    nodes = (n for r in relations for n in r.walk())
    return frozenset().union(*(names(n) for n in nodes if n.op in AVERAGES))


def averages(relations: Iterable[Relation]) -> bool:
    """Whether the relations speak of laws: a probability, an expectation, independence or the like occurs."""
    return any(n.op in AVERAGES for r in relations for n in r.walk())


def conditional(relations: Iterable[Relation]) -> bool:
    """Whether conditional expectations or probabilities occur: what is said of them holds almost surely."""
    return any(n.op in CONDITIONAL for r in relations for n in r.walk())


def of_many_laws(known: Known) -> bool:
    """Whether it says the law of each of uncountably many variables: a value that has a law is of it almost surely."""
    heads = {n.op for r in known.relations for n in r.walk()}
    return "law" in heads and any(s.kind != INTEGER for s in known.over.values())


def random_in(relations: Iterable[Relation], scope: Names) -> frozenset[str]:
    """The random names (and random functions) that the relations depend on, wherever they stand."""
    return frozenset(n for n in names_of(relations) if n in scope and scope[n].random)


def at_once(known: Known, over: Names, scope: Names) -> bool:
    """Whether ``known`` holds for all values of the names ``over`` outside of one null set.

    What holds almost surely for each of uncountably many values need not hold at a random one.
    """
    chance = [r for r in known.relations if check_relation(r, {**scope, **known.over, **over})]
    return known.sure or not names_of(chance) & {n for n, s in over.items() if s.kind != INTEGER}


def instance(known: Known, values: Mapping[str, Expr], scope: Names) -> Known:
    """The instance of ``known`` at ``values``, terms over ``scope`` for names that it holds for all of.

    Raises :class:`ProofError` or :class:`SortError`, naming the value that does not fit.
    """
    return normal(put_in(known, values, scope), scope)


def normal(known: Known, scope: Names) -> Known:
    """The same fact in normal form, typed."""
    first, *where = map(settle, known.relations)
    for r in (first, *where):
        check_relation(r, {**scope, **known.over})
    return replace(known, relation=first, where=tuple(where))


def put_in(known: Known, values: Mapping[str, Expr], scope: Names) -> Known:
    """The instance as it is written. Raises as :func:`instance` does."""
    unknown = values.keys() - known.over.keys()
    if unknown:
        raise ProofError(f"it does not hold for all {', '.join(sorted(unknown))}")
    said_of_laws = averaged(known.relations)
    for name, value in values.items():
        found = typed(value, scope)
        wanted = known.over[name]
        if not suits(value, found, wanted):
            raise SortError(f"{name} is {wanted.kind}, {value} is {'a function' if found.args else found.kind}")
        if found.random:
            if name in said_of_laws:
                raise ProofError(f"it speaks of the law at a constant {name}, and {value} is random")
            # a random integer is harmless: almost surely for countably many values at once
            if not known.sure and wanted.kind != INTEGER and random_in(known.relations, scope):
                raise ProofError(f"it holds almost surely for each constant {name}, and {value} is random")
    kept = replace(known, over={n: s for n, s in known.over.items() if n not in values})
    kept = kept.apart(frozenset().union(*(names(v) for v in values.values())))
    first, *where = new = [put_all(r, values) for r in kept.relations]
    if values:
        refuse_zero_below(new)
    return replace(kept, relation=first, where=tuple(where))
