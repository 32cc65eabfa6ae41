"""What is known at one step of a proof: facts with their quantified names, and what the step must deliver.

A fact is used where its names, its conditions and the step's own quantifiers allow; what does not fit raises
:class:`ProofError`. :mod:`boundcheck.kernel.untyped.obligations` holds the justifications.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from boundcheck.kernel.enclosure.program import is_integer_valued
from boundcheck.kernel.formula import BINDERS, FAMILIES, Expr, Relation, const, free_names, substitute, var
from boundcheck.kernel.proof.facts import ProofError
from boundcheck.kernel.proof.scalar import Obligation
from boundcheck.kernel.statement import Claim, Decide, Fact, Ref, Statement, Step, Use
from boundcheck.kernel.untyped.canonical import cancelled, canonical_heads
from boundcheck.kernel.untyped.entailment import (
    defined,
    exists,
    expand,
    expand_term,
    exposed,
    partial,
    plain_binders,
    put,
    read_term,
    scalar_obligation,
    trivial,
)
from boundcheck.kernel.untyped.scope import (
    NOW,
    PAST,
    averaged,
    averages,
    bare,
    bound_names,
    defined_names,
    fresh,
    indices,
    names_of,
    not_averaged,
    other_steps,
    random_names,
    unwritten,
)


@dataclass(frozen=True)
class Known:
    """A fact in relations: the assertion, its conditions, and its universally quantified names."""

    relation: Relation
    where: tuple[Relation, ...] = ()
    over: frozenset[str] = frozenset()

    @classmethod
    def of(cls, fact: Fact) -> Known:
        return cls(expand(fact.relation), tuple(map(expand, fact.conditions)), frozenset(bare(fact)))

    @property
    def relations(self) -> tuple[Relation, ...]:
        """The relation and its conditions."""
        return (self.relation, *self.where)

    @property
    def fixed(self) -> frozenset[str]:
        """The free names that the fact does not hold for all of."""
        return names_of(self.relations) - self.over

    def put(self, values: Mapping[str, Expr]) -> Known:
        """The instance at ``values``; a bare new name there is quantified in turn."""
        endless = sorted(k for k, v in values.items() if const("oo") in v.walk())
        if endless:
            raise ProofError(f"{', '.join(endless)} is a real number, and oo is none")
        hidden = {k for k in unwritten(self.relations) if values.get(k, var(k)) is not var(k)}
        if hidden:
            raise ProofError(f"no value can be put for {', '.join(sorted(hidden))}, which a head does not write")
        renamed = {v.value for k, v in values.items() if k in self.over and v.op == "var"} - self.fixed
        renamed -= {n for k, v in values.items() if k not in self.over or v.op != "var" for n in v.free}
        return Known(
            expand(put(self.relation, values)),
            tuple(expand(put(r, values)) for r in self.where),
            (self.over - values.keys()) | renamed,
        )


class Context:
    """What is known at one step of a statement."""

    def __init__(self, statement: Statement, number: int, step: Step, lookup: Callable[[str], Statement]):
        self.statement, self.number, self.step, self.lookup = statement, number, step, lookup
        self.goal = Known.of(step.fact)
        self.domain = [*map(expand, statement.domain)]
        self.binders = not isinstance(step.by, Decide)
        fixed = {q.symbol for q in statement.parameters} & set(bare(step.fact))
        if fixed:
            raise ProofError(f"{', '.join(sorted(fixed))} is a parameter of the statement and cannot range freely")
        hidden = self.goal.over & unwritten(self.goal.relations)
        if hidden:
            raise ProofError(f"{', '.join(sorted(hidden))}, which a head does not write, cannot range freely")
        ranging = self.goal.over & names_of(self.domain)
        if ranging:
            raise ProofError(f"{', '.join(sorted(ranging))} is in the parameters' domain and cannot range freely")
        defined = defined_names(statement, number).keys() & names_of(self.goal.relations)
        if defined and number > len(statement.steps):
            raise ProofError(f"the claim speaks of {', '.join(sorted(defined))}, which only its proof defines")
        self.one_step(self.goal.relations)
        self.random = random_names(statement, number)
        self.unconditional([self.goal.relation])
        real = set(step.integers) - self.goal.over - statement.integers
        if real:
            raise ProofError(f"{', '.join(sorted(real))} is no integer of the statement and no quantified name")
        self.integers = statement.integers | frozenset(step.integers)
        #: those, and the quantified names that stand in an index: it holds for integers there
        self.whole = self.integers | (indices(self.goal.relations) & self.goal.over)
        self.found: list[Obligation] = []
        self.seen: set[Expr] = set()  #: terms of the facts that the step uses: they are defined

    def fact(self, ref: Ref, also: frozenset[str] = frozenset()) -> Known:
        """The known fact behind a reference, with the values of a use put for quantified names.

        The names in ``also`` are integers where the fact is used, beside those of the step.
        """
        use = ref if isinstance(ref, Use) else Use(ref)
        whole: tuple[str, ...] = ()
        if isinstance(use.ref, int):
            if not 1 <= use.ref < self.number:
                raise ProofError(f"step {use.ref} is not an earlier step")
            earlier = self.statement.steps[use.ref - 1]
            known, whole = Known.of((earlier.repair or earlier).fact), (earlier.repair or earlier).integers
        elif use.ref in self.statement.hypotheses:
            known = Known.of(self.statement.hypotheses[use.ref])
        else:
            named = [s for s in self.statement.steps[: self.number - 1] if s.name == use.ref]
            if len(named) != 1:
                raise ProofError(f"no hypothesis or earlier step is called {use.ref}")
            known, whole = Known.of((named[0].repair or named[0]).fact), (named[0].repair or named[0]).integers
        unknown = use.let.keys() - known.over
        if unknown:
            raise ProofError(f"{use.ref} does not hold for all {', '.join(sorted(unknown))}")
        narrow = known.fixed & self.goal.over
        if narrow:
            raise ProofError(f"{use.ref} speaks of one {', '.join(sorted(narrow))}, the step of all")
        values = {k: expand_term(read_term(v)) for k, v in use.let.items()}
        self.one_step(known.relations)
        if values.get(NOW, var(NOW)) is not var(NOW) and PAST in free_names(known.relations):
            raise ProofError(f"{use.ref} speaks of the past of step {NOW}, for which no value can be put")
        for name in {*whole, *(indices(known.relations) & known.over)}:
            if not is_integer_valued(values.get(name, var(name)), self.whole | also):
                raise ProofError(f"{use.ref} holds for integer {name}")
        for name in (known.over & averaged(known.relations)) - self.random:
            drawn = self.random & not_averaged(values.get(name, var(name)))
            if drawn:
                raise ProofError(f"{use.ref} holds for constants {name}, not for {', '.join(sorted(drawn))}")
        for value in values.values():
            self.require_defined(canonical_heads(value))
        known = known.put(values)
        self.see(known.relation)
        return known

    def one_step(self, relations: Iterable[Relation]) -> None:
        """Refuse to speak of the past, which is that of step t, and of another step in one assertion."""
        others = other_steps(relations)
        if others:
            raise ProofError(f"the past is that of step {NOW}, not of step {', '.join(sorted(others))}")

    def unconditional(self, relations: Iterable[Relation]) -> None:
        """Refuse to conclude anything about a law where only some values of a random name are spoken of."""
        tied = names_of(self.goal.where) & self.random
        if tied and any(map(averages, relations)):
            raise ProofError(f"an average cannot be taken under a condition on {', '.join(sorted(tied))}")

    def see(self, relation: Relation) -> None:
        """Take the terms of ``relation``, which is known, for defined."""
        self.seen.update(n for side in (relation.lhs, relation.rhs) for n in exposed(side))

    def try_fact(self, ref: Ref, also: frozenset[str]) -> Known | None:
        """:meth:`fact`, or None where it cannot be used at this step; its conditions may fail, so it shows nothing."""
        before = set(self.seen)
        try:
            return self.fact(ref, also)
        except ProofError:
            return None
        finally:
            self.seen = before

    def plain(self, refs: Iterable[Ref]) -> list[Relation]:
        """Facts whose quantified names, if any, are read as the step's own names.

        The conditions of each are required, given the facts before it.
        """
        found: list[Relation] = []
        for ref in refs:
            known = self.fact(ref)
            for condition in known.where:
                self.require(f"condition of {ref.ref if isinstance(ref, Use) else ref}", condition, found)
            found.append(known.relation)
        return found

    def require(
        self, role: str, goal: Relation, facts: Iterable[Relation] = (), extra: Iterable[Relation] = ()
    ) -> None:
        """Demand that ``goal`` follow from the domain, ``extra`` conditions and ``facts``."""
        given = (*self.goal.where, *facts, *extra)
        if goal.op in ("==", "<=", ">=") and goal.lhs is goal.rhs and not partial(goal.lhs):
            return
        if goal.lhs.op == "mul" and goal == defined(goal.lhs.args[1]) and not partial(goal.lhs):
            return
        if any(goal in (f, f.flipped()) for f in (*given, *self.domain)):
            return
        if goal.op in ("<=", ">=") and Relation("==", goal.lhs, goal.rhs) in given:
            return
        obligation = scalar_obligation(role, self.domain, given, goal, self.integers, self.binders)
        claim = obligation.claim
        if not isinstance(claim, Claim) or claim.claim[0] in claim.where:
            return
        if not trivial(claim.claim[0]) or partial(claim.claim[0].lhs, self.seen):
            self.found.append(obligation)

    def require_defined(self, e: Expr, facts: Iterable[Relation] = ()) -> None:
        """Demand that ``e`` be defined on the step's domain, unless a fact that is used contains it."""
        given = (*self.goal.where, *facts)
        for binder in plain_binders(e):
            if binder not in self.seen:
                v = var(fresh("t", free_names([*self.domain, *given]) | binder.free)(1))
                body, name, *ends = binder.args
                body = substitute(body, {name.value: v})
                goal, where = exists(Expr(binder.op, (body, v, *ends)))
                self.add(scalar_obligation("existence", self.domain, (*given, *where), goal, self.integers, False))
        opaque = self.seen.union(plain_binders(e))
        if partial(e, opaque):
            self.add(scalar_obligation("definedness", self.domain, given, defined(e), self.integers, True))

    def require_written(self, fact: Fact) -> None:
        """Demand that what its canonical form leaves out of ``fact`` be defined: P(Y/Y <= 1) is not P(1 <= 1)."""
        where = tuple(map(expand, fact.conditions))
        inner = bound_names([fact.relation], (*BINDERS, *FAMILIES))
        for term in dict.fromkeys(t for s in (fact.relation.lhs, fact.relation.rhs) for t in cancelled(s)):
            if term.free & inner:
                raise ProofError(f"{term} cancels, and may be undefined: write {fact.claim} without it")
            self.add(scalar_obligation("definedness", self.domain, where, defined(term), self.integers, True))

    def add(self, obligation: Obligation) -> None:
        if obligation not in self.found:
            self.found.append(obligation)

    def match(self, role: str, premise: Known, known: Known, facts: Iterable[Relation] = ()) -> None:
        """Demand that ``known`` yield ``premise`` (same quantified names)."""
        missing = premise.over - known.over
        if missing & free_names(known.relations):
            raise ProofError(f"{role}: the fact must hold for all {', '.join(sorted(missing))}")
        for condition in known.where:
            self.require(f"{role}, its condition", condition, facts, premise.where)
        self.require(role, premise.relation, [*facts, known.relation], premise.where)
