"""A proof as far as it is written: the statement with the steps found so far, and all facts in sight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from operator import eq, ge, gt, le, lt, ne

from boundcheck.author import adapter
from boundcheck.author.match import match, renamed
from boundcheck.kernel.formula import BINDERS, CONSTANTS, RELATIONS, Expr, Relation, has_opaque, is_opaque, var
from boundcheck.kernel.statement import Definition, Fact, Statement, Step, Use

MAX_INSTANCES = 12
AVERAGES = frozenset({"P", "E", "Pgiven", "Egiven"})
_PLAIN = frozenset({"num", "var", *RELATIONS})


@dataclass(frozen=True)
class Seen:
    """A fact in sight: how steps refer to it, what authors call it, and what it says."""

    ref: str | int
    name: str
    fact: Fact
    integers: tuple[str, ...] = ()
    defines: str = ""  #: the symbol that it introduces, if it is a definition
    let: tuple[tuple[str, str], ...] = ()  #: values for its quantified names: an instance

    @cached_property
    def relation(self) -> Relation:
        """What it says, as read."""
        return self._put(adapter.relation_of(self.fact.claim))

    @property
    def conditions(self) -> list[Relation]:
        """Where it holds, as read."""
        return [self._put(c) for c in self.fact.conditions]

    def _put(self, r: Relation) -> Relation:
        values = {k: adapter.value_of(v) for k, v in self.let}
        return r.map(lambda e: renamed(e, values) or e) if values else r

    @cached_property
    def normal(self) -> Relation:
        """What it says, in the form in which the kernel compares."""
        return adapter.normal(self.relation)

    @cached_property
    def opaque(self) -> frozenset[Expr]:
        """Its opaque terms."""
        return opaque(self.normal.lhs) | opaque(self.normal.rhs)

    @cached_property
    def patterns(self) -> tuple[Expr, ...]:
        """Terms of the fact that say where it is asked for: those with most of its quantified names first."""
        over = frozenset(self.fact.over)
        keys = sorted(
            (n for n in terms_in(adapter.relation_of(self.fact.claim)) if n.op not in _PLAIN and n.free & over),
            key=lambda n: (-len(n.free & over), not is_opaque(n), -len(str(n))),
        )
        plain = [n for n in keys if n.op not in ("add", "sub", "neg", "mul", "div")]
        if any(over <= n.free for n in plain):
            return tuple(plain[:6])  # log(t) says where a fact on t + 1 is asked for, 1 + log(t) does not
        return tuple(n for n in keys[:6] if n in plain or over <= n.free)

    @property
    def use(self) -> str | int | Use:
        """The reference that a step uses."""
        return Use(self.ref, dict(self.let)) if self.let else self.ref

    @cached_property
    def place(self) -> frozenset[tuple[str, Expr]]:
        """Where the fact is asked for: the values that differ from its names, up to ring operations."""
        values = ((k, adapter.canonical(adapter.value_of(v))) for k, v in self.let)
        return frozenset((k, v) for k, v in values if v is not var(k))

    def at(self, values: dict[str, Expr]) -> Seen:
        """The instance at ``values``; a name that these speak of is the one of the line, and so named as well."""
        spoken = frozenset().union(*(v.free for k, v in values.items() if v is not var(k)))
        values = {**{k: var(k) for k in self.fact.over if k in spoken}, **values}
        let = tuple((k, adapter.as_text(v)) for k, v in values.items() if v is not var(k) or k in spoken)
        return replace(self, let=let) if let else self


def opaque(e: Expr) -> frozenset[Expr]:
    """The maximal opaque terms of ``e``: heads of proofs, and binders around one."""
    if is_opaque(e) or (e.op in BINDERS and has_opaque(e)):
        return frozenset({e})
    return frozenset().union(*map(opaque, e.args))


def partial(r: Relation) -> bool:
    """Whether a side of the relation may be undefined somewhere by its form, also inside of heads."""
    return any(map(adapter.partial, r.walk()))


@dataclass(frozen=True)
class Draft:
    """The statement so far; ``kind`` is how its last step was found."""

    statement: Statement
    checker: adapter.Checker
    kind: str = ""

    @cached_property
    def seen(self) -> tuple[Seen, ...]:
        """All facts in sight, the last first."""
        found = [Seen(name, name, *adapter.without_sorts(fact)) for name, fact in self.statement.hypotheses.items()]
        for number, step in enumerate(self.statement.steps, 1):
            form = step.repair or step
            defines = adapter.relation_of(form.fact.claim).lhs.op == "var" and isinstance(form.by, Definition)
            symbol = str(adapter.relation_of(form.fact.claim).lhs) if defines else ""
            found.append(Seen(number, step.name, *adapter.without_sorts(form.fact), symbol))
        return tuple(reversed(found))

    @cached_property
    def said(self) -> tuple[Fact, ...]:
        """The facts of its steps."""
        return tuple(step.fact for step in self.statement.steps)

    @cached_property
    def definitions(self) -> tuple[Seen, ...]:
        """Those of them that define a name or a family."""
        steps = self.statement.steps
        return tuple(s for s in self.seen if isinstance(s.ref, int) and isinstance(steps[s.ref - 1].by, Definition))

    @cached_property
    def random(self) -> frozenset[str]:
        """The random names."""
        return adapter.random(self.statement)

    @cached_property
    def kinds(self) -> dict[str, str]:
        """What the names are that are no functions and no families: real, integer, vector."""
        return adapter.kinds(self.statement)

    def named(self, name: str) -> Seen | None:
        """The fact that the author calls ``name`` (or #number)."""
        if name.startswith("#") and name[1:].isdigit():
            return next((s for s in self.seen if s.ref == int(name[1:])), None)
        return next((s for s in self.seen if s.name == name), None)

    def with_step(self, step: Step, kind: str) -> Draft:
        """The draft with one more step."""
        return replace(self, statement=replace(self.statement, steps=(*self.statement.steps, step)), kind=kind)

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.statement.steps)


def terms_in(relation: Relation) -> set[Expr]:
    """All terms that occur in a relation."""
    return set(relation.walk())


def instances(seen: Seen, terms: set[Expr], own: frozenset[str]) -> Iterator[Seen]:
    """Instances of a quantified fact at terms that occur in ``terms``, itself first where its names are ``own``."""
    over = frozenset(seen.fact.over)
    if not over:
        yield seen
        return
    if over <= own or not over & adapter.relation_of(seen.fact.claim).free:
        yield seen
    terms = {t for t in terms if not any(n.startswith("#") for n in t.free)}  # names that the normal form gives
    found: list[dict[str, Expr]] = []
    for key in seen.patterns:
        for term in sorted((t for t in terms if t.op == key.op), key=str):
            for values in match(key, term, over, {}):
                known = {k: v for k, v in values.items() if k in over}
                missing = over - known.keys()
                if missing <= own and known not in found and not _unfit(known):
                    found.append(known)
        if len(found) >= MAX_INSTANCES:
            break
    for values in found[:MAX_INSTANCES]:
        if any(v is not var(k) for k, v in values.items()) and not _never(one := seen.at(values)):
            yield one
    if not found and len(over) == 1 and not over <= own:
        (name,) = over
        for other in sorted(own):
            yield seen.at({name: var(other)})


_COMPARE = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}


def _never(seen: Seen) -> bool:
    """Whether a condition of an instance is false whatever it speaks of, as 0 >= 1 is."""
    numbers = [r for r in map(adapter.normal, seen.conditions) if r.lhs.op == r.rhs.op == "num"]
    return not all(_COMPARE[r.op](r.lhs.value, r.rhs.value) for r in numbers)


def _unfit(values: dict[str, Expr]) -> bool:
    nodes = [n for v in values.values() for n in v.walk()]
    if any(n.op == "var" and n.value.startswith("#") for n in nodes):
        return True  # a name that the normal form binds: no text says it
    return any(n.op == "const" and n.value in CONSTANTS[2:] for n in nodes)


def averages(e: Expr) -> bool:
    """Whether a probability or an expectation occurs in ``e``."""
    return any(n.op in AVERAGES for n in e.walk())
