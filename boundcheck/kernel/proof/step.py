"""What is known at one step of a proof, and what the step must deliver.

All names of a statement are declared; a step adds the names that it holds for all of. A fact enters through
:func:`boundcheck.kernel.proof.facts.instance`, a scalar demand leaves through :meth:`Context.require`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace

from boundcheck.kernel.formula import Expr, Relation, num, var
from boundcheck.kernel.proof.book import book, defined_by
from boundcheck.kernel.proof.definedness import (
    Placed,
    counted,
    demanded,
    existing,
    exists,
    inside_heads,
    instance_kept,
    undefined_in_means,
    undefined_terms,
)
from boundcheck.kernel.proof.facts import (
    Known,
    ProofError,
    random_in,
    read,
    read_term,
)
from boundcheck.kernel.proof.judgements import Judge
from boundcheck.kernel.proof.scalar_claims import (
    Obligation,
    converges,
    defined,
    in_its_form,
    partial_sides,
    partial_terms,
    scalar_obligation,
    trivial,
)
from boundcheck.kernel.proof.sorts import (
    Names,
    Sort,
    SortError,
    check_relation,
    fits,
    typed,
)
from boundcheck.kernel.proof.terms import canonical, names, names_of, settle, settled
from boundcheck.kernel.statement import Cite, Claim, Decide, Definition, Ref, Statement, Step, Use

Lookup = Callable[[str], Statement]
Told = Callable[["Context"], list[Known]]
NO_NAMES: Names = {}


class Context:
    """What is known at one step of a statement.

    ``told`` gives what a citation says besides its claim (:func:`boundcheck.kernel.proof.citation.delivered`).
    """

    def __init__(self, statement: Statement, number: int, step: Step, lookup: Lookup, told: Told | None = None):
        self.statement, self.number, self.step, self.lookup, self.told = statement, number, step, lookup, told
        self.book = book(statement)
        own = dict(self.book.scope(number))
        if isinstance(step.by, Definition):
            name, sort = defined_by(step, own)
            own[name] = sort
        self.goal = read(step.fact, own)
        #: the sorts of all names that the step may speak of
        self.scope: dict[str, Sort] = {**own, **self.goal.over}
        self.domain = [settle(r) for r in statement.domain]
        self.binders = not isinstance(step.by, Decide)
        #: the conditions that hold for some outcomes only; one about laws, such as "known from H", holds or does not
        self.random_where = [r for r in self.goal.where if check_relation(r, self.scope)]
        self.found: list[Obligation] = []
        self.last: list[Obligation] = []  #: what is demanded besides, behind the rest: that heads are defined inside
        self.doubtful: set[Relation] = set()  #: what is assumed, and used here, and may say nothing somewhere
        self.apart: frozenset[str] = frozenset()  #: names that a rule binds: none of those that assumptions speak of
        self._judge: Judge | None = None
        narrow = self.goal.over.keys() & names_of(self.domain)
        if narrow:
            raise ProofError(f"{', '.join(sorted(narrow))} is in the parameters' domain and cannot range freely")

    # ------------------------------------------------------------ facts

    def known(self, ref: Ref) -> Known:
        """The hypothesis or earlier step behind a reference, as it stands."""
        return self.book.at(self.book.position(self.number, ref))

    def fact(self, ref: Ref, bound: Mapping[str, Sort] | None = None) -> Known:
        """The fact behind a reference with the values of a use put for quantified names.

        The step may speak of all values of a name only if nothing that it uses fixes it. ``bound`` are names of a
        premise that the fact must hold for all of, too: the values may mention them.
        """
        known, told = self.known(ref), ref.ref if isinstance(ref, Use) else ref
        bound = dict(bound or {})
        narrow = known.fixed & (self.goal.over.keys() | bound.keys())
        if narrow:
            raise ProofError(f"{told} speaks of one {', '.join(sorted(narrow))}, the step of all")
        let = ref.let if isinstance(ref, Use) else {}
        values = {k: settled(read_term(v)) for k, v in let.items()}
        scope = {**self.scope, **bound}
        try:
            sure = self.book.sure({*self.goal.over, *bound})
            return self.same_named(instance_kept(known, values, scope, sure), scope, sure)
        except (ProofError, SortError) as fault:
            raise ProofError(f"{told}: {fault}") from None

    def same_named(self, known: Known, scope: Names, sure: Sequence[Relation]) -> Known:
        """What is left quantified, at the values that the step's names of the same name have."""
        here = {n: var(n) for n in known.over if n in scope and not scope[n].args}
        for n, value in list(here.items()):
            if not fits(scope[n].kind, known.over[n].kind) or typed(value, scope).random:
                raise ProofError(f"it holds for every {known.over[n]} {n}: say for which, {n} is {scope[n]} here")
        return instance_kept(known, here, scope, sure)

    def settle_scope(self, known: Known, scope: Names) -> Names:
        """The scope with the names that ``known`` still holds for all of: any values serve."""
        return {**scope, **{n: s for n, s in known.over.items() if n not in scope}}

    def plain(self, refs: Iterable[Ref], extra: tuple[Relation, ...] = ()) -> list[Relation]:
        """The relations of facts that are used as they are; the conditions of each are required before.

        ``extra`` are relations that are given besides the step's own conditions.
        """
        found: list[Relation] = []
        for ref in refs:
            known = self.fact(ref)
            self.scope = dict(self.settle_scope(known, self.scope))
            for condition in known.where:
                told = ref.ref if isinstance(ref, Use) else ref
                self.require_met(f"condition of {told}", condition, found, extra, self.scope, partial=known.partial)
            self.require_said(known, (*self.goal.where, *extra, *found), self.scope)
            found.append(known.relation)
        return found

    def in_sight(self) -> list[Known]:
        """All hypotheses, with what they presuppose, and all earlier facts."""
        found = list(self.book.assumed())
        for n in range(1, min(self.number, len(self.statement.steps) + 1)):
            found.append(self.book.step(n))
            if isinstance(self.book.form(n).by, Cite):
                found += self._delivered(n)
        return [k for k in found if not k.fixed & self.goal.over.keys()]

    def _delivered(self, number: int) -> list[Known]:
        """What an earlier citation says besides its claim."""
        if self.told is None:
            return []
        if number not in self.book.delivered:
            try:
                found = self.told(Context(self.statement, number, self.book.form(number), self.lookup, self.told))
            except (ProofError, SortError):  # the step itself says why
                found = []
            self.book.delivered[number] = found
        return self.book.delivered[number]

    @property
    def judge(self) -> Judge:
        """The judgements from what is in sight."""
        if self._judge is None:
            facts = [k for k in self.in_sight() if not k.partial]
            self._judge = Judge(facts, (*self.book.domain()[0], *self.goal.where), self.scope)
        return self._judge

    def averaging(self) -> None:
        """Refuse to conclude about laws where only some outcomes are spoken of."""
        if self.random_where:
            told = ", ".join(sorted(random_in(self.random_where, self.scope)))
            raise ProofError(f"nothing follows for a law under a condition on {told}")

    def everywhere(self) -> Context:
        """The step without its conditions on chance: what is demanded there must hold for every outcome."""
        where = tuple(r for r in self.goal.where if not check_relation(r, self.scope))
        if where == self.goal.where:
            return self
        other = copy(self)  # what it demands is found in the same list
        other.goal, other.random_where, other._judge = replace(self.goal, where=where), [], None
        return other

    def sure_facts(self, refs: Iterable[Ref]) -> list[Ref]:
        """Those of the references whose facts hold without a condition on chance."""
        return [
            r
            for r in refs
            for k in [self.fact(r)]
            if not any(check_relation(w, {**self.scope, **k.over}) for w in k.where)
        ]

    # ------------------------------------------------------------ demands

    def require(
        self,
        role: str,
        goal: Relation,
        facts: Iterable[Relation] = (),
        extra: Iterable[Relation] = (),
        scope: Names | None = None,
    ) -> None:
        """Demand that ``goal`` follow from the domain, the step's conditions, ``extra`` ones and ``facts``."""
        given = (*self.goal.where, *extra, *facts)
        scope = self.scope if scope is None else scope
        if trivial(goal):
            return
        if self._given(goal, given):
            again = goal in self.doubtful or Relation("==", goal.lhs, goal.rhs) in self.doubtful
            again = again and goal != self.goal.relation  # a step that says it again says nothing there either
            if again or (goal not in given and {goal, goal.flipped()} & {*self.book.domain()[1]}):
                self.require_seen(undefined_terms(goal, scope), given, scope)
            return
        if goal.op in ("==", "<=", ">=") and canonical(goal.lhs - goal.rhs) == num(0):
            return
        self.guard((goal, *given), given, scope)
        obligation = scalar_obligation(role, self.domain, given, goal, scope, self.binders)
        claim = obligation.claim
        if isinstance(claim, Claim) and claim.claim[0] not in claim.where and not trivial(claim.claim[0]):
            self._add(obligation)

    def require_met(
        self,
        role: str,
        condition: Relation,
        facts: Sequence[Relation],
        extra: tuple[Relation, ...],
        scope: Names,
        said: tuple[Relation, ...] = (),
        partial: bool = True,
    ) -> None:
        """Demand that a condition of a fact be met, which one without a value is not: 1/s <= 1/s wants s != 0.

        Where one of ``said`` has no value nothing is claimed, nor where one of the step's own conditions has none. A
        fact that is not ``partial`` holds with the values by convention.
        """
        self.require(role, condition, facts, extra, scope)
        if not partial or self._given(condition, (*self.goal.where, *said)):
            return
        given = (*self.goal.where, *extra, *facts)
        inner = {n: s for n, s in scope.items() if n not in self.scope or n in self.apart}
        for found in (f for side in condition.sides for f in existing(side, scope)):
            self.require_existing(f"{role} speaks of", found, extra, inner)
        certain = tuple(r for r in (*self.goal.where, *extra) if not (trivial(r) or check_relation(r, scope)))
        self.require_seen(undefined_in_means(condition, scope), certain, scope)  # a mean is over all outcomes
        plain = trivial(condition) or canonical(condition.lhs - condition.rhs) == num(0)
        if plain or self._given(condition, given):  # nothing was demanded of it
            self.require_seen(undefined_terms(condition, scope), given, scope)

    def require_existing(
        self, told: str, found: Placed, given: Iterable[Relation] = (), over: Names = NO_NAMES
    ) -> None:
        """Demand that a mean, an integral or an infinite sum exist. Raises :class:`ProofError`."""
        e, where, bound = found
        judge, told = self.judge.under((*given, *where), {**over, **bound}), f"{told} {e}, and nothing shows that"
        if not e.binds:
            if not judge.integrable(e.args[0]):
                raise ProofError(f"{told} {e.args[0]} is integrable: a line integrable({e.args[0]}) == 1 would")
        elif not self.assumed(e):
            body, name, low, high = e.args
            if e.op != "integral" or not judge.integrable_on(body, str(name.value), low, high):
                raise ProofError(f"{told} it exists")

    def hypotheses(self) -> list[Known]:
        """The hypotheses that say something everywhere, and speak of no name that the step is for all of."""
        known = [self.book.hypothesis(name) for name in self.statement.hypotheses]
        return [k for k in known if not (k.partial or k.fixed & self.goal.over.keys())]

    def assumed(self, e: Expr) -> bool:
        """Whether a hypothesis without conditions speaks of the integral, or the infinite sum: then it exists."""
        if not (e.binds and exists(e)):
            return False
        sides = [s for k in self.hypotheses() if not (k.over or k.where) for s in k.relation.sides]
        spoken = (found for s in sides for found in existing(s, self.scope))
        return any(canonical(x) is canonical(e) for x, _, over in spoken if not over)

    def _given(self, goal: Relation, given: tuple[Relation, ...]) -> bool:
        flipped = goal.flipped()
        if any(r in (goal, flipped) for r in (*given, *self.domain)):
            return True
        equal = Relation("==", goal.lhs, goal.rhs)
        return goal.op in ("<=", ">=") and any(r in (equal, equal.flipped()) for r in given)

    def guard(self, used: Iterable[Relation], given: tuple[Relation, ...], scope: Names | None = None) -> None:
        """Demand that the partial terms of ``given``, and of the domain as far as it is about ``used``, be defined."""
        self._guard_domain(self.domain, names_of(used), self.binders, scope)
        for n, r in enumerate(given):
            for term in partial_sides(r, self.binders):
                self.require_defined(term, given[:n], scope)

    def _guard_domain(
        self, domain: Iterable[Relation], about: frozenset[str], binders: bool, scope: Names | None
    ) -> None:
        """Demand that what the domain says of the names be defined, from what stands before it and what always is."""
        for r in domain:
            terms = partial_sides(r, binders) if names_of([r]) <= about else []
            if not terms:
                continue
            at = self.domain.index(r)
            earlier = [d for n, d in enumerate(self.domain) if n < at or not partial_sides(d, False)]
            for term in terms:
                self.require_defined(term, (), scope, earlier)

    def require_defined(
        self,
        term: Expr,
        before: tuple[Relation, ...] = (),
        scope: Names | None = None,
        domain: Sequence[Relation] | None = None,
        told: Sequence[Relation] = (),
    ) -> None:
        """Demand that a partial term have a value that the scalar claims know, given what stands before it.

        ``told`` is given as well, whatever it speaks of; ``domain`` is the part of the parameters' domain that may be
        used. An integral or sum has the values of its ends in its conditions: these are demanded first.
        """
        scope = self.scope if scope is None else scope
        domain = self.domain if domain is None else domain
        free, binders = names(term), self.binders and not term.binds
        before = (*(r for r in before if names_of([r]) & free), *told)
        given = in_its_form(term, (r for r in before if not partial_sides(r, binders)))
        if term.binds:
            for part in dict.fromkeys(t for end in term.args[2:] for t in partial_terms(end, False)):
                self.require_defined(part, before, scope, domain, told)
            goal, ends = converges(term, frozenset(scope) | free)
            new = names_of(ends) - scope.keys()
            if trivial(goal):
                return
            role, given = "convergence", (*given, *ends)
            scope = {**scope, **dict.fromkeys(new, Sort("real"))}
        else:
            role, goal = "definedness", defined(term)
        self._guard_domain(domain, names_of((goal, *given)), binders, scope)
        self._add(scalar_obligation(role, domain, given, goal, scope, binders))

    def require_said(self, known: Known, given: tuple[Relation, ...], scope: Names) -> None:
        """Demand that what is assumed be defined inside of its heads; outside of them scalar claims see to that."""
        if known.partial:
            self.doubtful |= {form for r in known.relations for form in (r, r.flipped())}
            inside = [t for r in known.relations for side in r.sides for t in inside_heads(side, scope)]
            self.require_seen(inside, (*given, *known.where), scope)

    def require_seen(self, terms: Sequence[Placed], given: tuple[Relation, ...], scope: Names) -> None:
        """Demand that terms be defined, where that is not seen at a look."""
        sure = self.book.sure({*self.goal.over, *self.apart})
        about = counted(given, sure, scope) if terms else []
        for found in terms:
            obligation = demanded(found, sure, about, scope)
            if obligation is not None and obligation not in self.last:
                self.last.append(obligation)

    def _add(self, obligation: Obligation) -> None:
        if obligation not in self.found:
            self.found.append(obligation)

    def match(
        self,
        role: str,
        premise: Known,
        known: Known,
        facts: Sequence[Relation] = (),
        scope: Names | None = None,
        cited: bool = False,
    ) -> None:
        """Demand that ``known`` yield ``premise``, whose quantified names are fixed in ``scope``.

        The conditions of a premise that is ``cited`` have values, or it says nothing; a rule asks for all cases.
        """
        scope = self.settle_scope(known, self.scope if scope is None else scope)
        said, partial = premise.where if cited else (), cited or known.partial
        for condition in known.where:
            self.require_met(f"{role}, its condition", condition, facts, premise.where, scope, said, partial)
        self.require_said(known, (*self.goal.where, *premise.where, *facts), scope)
        self.require(role, premise.relation, [*facts, known.relation], premise.where, scope)
