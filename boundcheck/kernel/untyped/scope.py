"""Names and their scopes in a proof: which are random, bound by a schema, defined, free for generalisation.

A step may only speak of "all t" where nothing that it uses fixes t, a schema may only bind a name that nothing
else speaks of, and a constant stays a constant under a substitution. The functions here find the names that
break this; :mod:`boundcheck.kernel.untyped.obligations` refuses the step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from boundcheck.kernel.formula import FAMILIES, Expr, Relation, free_names, substitute, var
from boundcheck.kernel.statement import Definition, Fact, Statement, Step
from boundcheck.kernel.untyped.rules import Rule

AVERAGES = frozenset({"P", "E", "Pgiven", "Egiven"})
PAST, NOW = "past", "t"  #: the past is what is known before the samples of step t are drawn
LAWS = frozenset({"law", "independent", "iid", "measurable"})
#: Names that the rules on fresh samples tie to each other: what is assumed of x, g and X1 they say of the others.
TIED = frozenset({"x", "g", "X1", "xs", "gs", "W", "H", "samples", PAST})
SAMPLE = "xi"  #: the sample behind F(.; xi), which the heads of the sample objective do not write
#: Heads that depend on a name which they do not write: the smoothing radius, the sample.
UNWRITTEN = {
    "F": (SAMPLE,), "gradF": (SAMPLE,), "slopeF": (SAMPLE, "mu"), "slopef": ("mu",), "fmu": ("mu",), "gradfmu": ("mu",)
}  # fmt: skip


def unwritten(relations: Iterable[Relation]) -> frozenset[str]:
    """The names that heads in ``relations`` depend on without writing them; no value can be put for these."""
    nodes = (n for r in relations for side in (r.lhs, r.rhs) for n in side.walk())
    return frozenset(name for n in nodes for name in UNWRITTEN.get(n.op, ()))


def names_of(relations: Iterable[Relation]) -> frozenset[str]:
    """The names that the relations depend on: those that occur free, and those that are not written."""
    relations = tuple(relations)
    now = {NOW} if any(PAST in r.free and not _for_each_step(r) for r in relations) else set()
    return free_names(relations) | unwritten(relations) | now


def _for_each_step(r: Relation) -> bool:
    """Whether the relation says that samples are independent of the past: that of their own step, whichever it is."""
    return r.lhs.op == "iid" and var(PAST) in r.lhs.args


def samples_fresh(facts: Iterable[Fact]) -> bool:
    """Whether one of the facts says that samples are independent of the past."""
    return any(_for_each_step(f.relation) for f in facts)


def other_steps(relations: Iterable[Relation]) -> frozenset[str]:
    """The indices other than t in relations that speak of the past, which is that of step t."""
    nodes = (n for r in relations if PAST in r.free for side in (r.lhs, r.rhs) for n in side.walk() if n.op == "at")
    return frozenset(str(i) for n in nodes for i in n.args[1:]) - {NOW}


def not_averaged(e: Expr) -> frozenset[str]:
    """The names of ``e`` outside of every P(...) and E(...), those that a head depends on without writing them too."""
    if e.op in ("P", "E"):
        return frozenset()
    if e.op == "var":
        return frozenset({e.value})
    return frozenset(UNWRITTEN.get(e.op, ())).union(*map(not_averaged, e.args))


def averaged(relations: Iterable[Relation]) -> frozenset[str]:
    """The names that occur free inside of a probability or an expectation."""
    return frozenset().union(*(averaged_in(side) for r in relations for side in (r.lhs, r.rhs)))


def averaged_in(e: Expr) -> frozenset[str]:
    """The names that occur free inside of a probability or an expectation in ``e``."""
    return frozenset().union(*(n.free for n in e.walk() if n.op in AVERAGES))


def steps_before(statement: Statement, number: int) -> Iterable[Step]:
    """The steps before step ``number``, in both of their forms."""
    for step in statement.steps[: number - 1]:
        yield from (s for s in (step, step.repair) if s is not None)


def written(statement: Statement, number: int) -> list[Relation]:
    """The assertions of the statement's hypotheses and of its steps before step ``number``, in both forms."""
    return [f.relation for f in statement.hypotheses.values()] + [
        s.fact.relation for s in steps_before(statement, number)
    ]


def defined_names(statement: Statement, number: int) -> dict[str, Expr]:
    """Symbols that :class:`Definition` steps before step ``number`` introduce, with their terms."""
    relations = (s.fact.relation for s in steps_before(statement, number) if isinstance(s.by, Definition))
    return {r.lhs.value: r.rhs for r in relations if r.lhs.op == "var"}


def written_out(e: Expr, statement: Statement, number: int) -> Expr:
    """``e`` with the terms of symbols that definitions before step ``number`` introduce, in place of these."""
    for name, term in reversed(defined_names(statement, number).items()):
        e = substitute(e, {name: term})
    return e


def random_names(statement: Statement, number: int) -> frozenset[str]:
    """The random names at step ``number``: declared, with a law, the sample, and defined by random terms before."""
    declared = statement.declares or {}
    found = {*statement.random, *(n for n, sort in declared.items() if "random" in sort.split()), SAMPLE}
    for fact in statement.hypotheses.values():
        for n in (n for side in (fact.relation.lhs, fact.relation.rhs) for n in side.walk() if n.op == "law"):
            found |= n.free
    for name, term in defined_names(statement, number).items():
        if not_averaged(term) & found:
            found.add(name)
    return frozenset(found)


def averages(relation: Relation) -> bool:
    """Whether the relation is about laws: a probability, an expectation, independence or the like occurs in it."""
    return any(n.op in AVERAGES | LAWS for side in (relation.lhs, relation.rhs) for n in side.walk())


def indices(relations: Iterable[Relation]) -> frozenset[str]:
    """The names that are integers for the place where they stand: in an index of at(...), an end of a sum."""
    found: set[str] = set()
    for r in relations:
        for n in (n for side in (r.lhs, r.rhs) for n in side.walk()):
            if n.op == "at":
                found |= frozenset().union(*(a.free for a in n.args[1:]))
            elif n.op == "sum" or (n.op in FAMILIES and n.binds):
                found |= n.args[2].free | n.args[3].free
    return frozenset(found)


def bound_names(relations: Iterable[Relation], heads: tuple[str, ...]) -> frozenset[str]:
    """The names that binders among ``heads`` bind in the relations."""
    nodes = (n for r in relations for side in (r.lhs, r.rhs) for n in side.walk())
    return frozenset(n.args[1].value for n in nodes if n.op in heads and n.binds and n.args[1].op == "var")


def bound_by(rule: Rule, values: Mapping[str, Expr]) -> frozenset[str]:
    """The names that the schema binds under ``values``: of its binders, and those its premises hold for all of."""
    facts = (*rule.premises, *rule.sides)
    names = {o for f in facts for o in bare(f)}
    for r in (Fact(rule.conclusion).relation, *(r for f in facts for r in (f.relation, *f.conditions))):
        names |= {n.args[1].value for side in (r.lhs, r.rhs) for n in side.walk() if n.binds}
    return frozenset(values[n].value if n in values and values[n].op == "var" else n for n in names)


def fresh(prefix: str, taken: frozenset[str]) -> Callable[[int], str]:
    """Names ``prefix1_``, ``prefix2_``, ... that are not taken: more underscores where one is."""
    tail = "_"
    while any(n.startswith(prefix) and n.endswith(tail) and n[len(prefix) : -len(tail)].isdigit() for n in taken):
        tail += "_"
    return lambda n: f"{prefix}{n}{tail}"


def bare(fact: Fact) -> tuple[str, ...]:
    """The names that the fact holds for all of, without the sorts that a typed statement gives them."""
    return tuple(o.partition(":")[0].strip() for o in fact.over)
