"""What is known at one step of a proof, and what the step must deliver.

All names of a statement are declared; a step adds the names that it holds for all of. A fact enters through
:func:`boundcheck.kernel.proof.facts.instance`, a scalar demand leaves through :meth:`Context.require`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace

from boundcheck.kernel.formula import Expr, Relation, has_opaque, num, var
from boundcheck.kernel.proof.definedness import (
    Placed,
    demanded,
    exposed,
    inside_heads,
    presupposed,
    seen,
    undefined_in_means,
    undefined_terms,
)
from boundcheck.kernel.proof.facts import (
    Known,
    ProofError,
    conditional,
    instance,
    of_many_laws,
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
    INTEGER,
    REAL,
    Names,
    Sort,
    SortError,
    check_declared,
    check_names,
    check_relation,
    fits,
    read_sort,
    typed,
)
from boundcheck.kernel.proof.terms import canonical, names, names_of, refuse_zero_below, settle, settled
from boundcheck.kernel.statement import Cite, Claim, Decide, Definition, Literature, Ref, Statement, Step, Use

Lookup = Callable[[str], Statement]
Told = Callable[["Context"], list[Known]]


def declared(statement: Statement) -> dict[str, Sort]:
    """The sorts of the statement's names. Raises :class:`SortError`."""
    for name in statement.random:
        if (text := (statement.declares or {}).get(name, "random real")) != "random real":
            raise SortError(f"{name} is declared twice, as random real and as {text}; two things, two names")
    found = {name: read_sort(text) for name, text in statement.sorts.items()}
    for q in statement.parameters:
        sort = Sort(INTEGER if q.integer else REAL)
        if found.setdefault(q.symbol, sort) != sort:
            raise SortError(f"{q.symbol} is declared as {found[q.symbol]} and is the {sort} parameter {q.meaning}")
    check_declared(found)
    check_names(found)
    return found


def defined_by(step: Step, scope: Names) -> tuple[str, Sort]:
    """The name that a definition introduces, with the sort of its term. Raises :class:`ProofError`."""
    relation = step.fact.relation
    new: Expr = relation.lhs
    indices: tuple[Expr, ...] = ()
    if new.op == "at" and new.args[0].op == "var":
        new, indices = new.args[0], new.args[1:]
    if relation.op != "==" or new.op != "var" or step.fact.where:
        raise ProofError("a definition reads: new name == term, or at(new name, t) == term for all t")
    over = [o.partition(":")[0].strip() for o in step.fact.over]
    if [i.value for i in indices if i.op == "var"] != over or len(set(over)) != len(indices):
        raise ProofError("a definition of a family holds for all of its indices, and for nothing else")
    sort = typed(relation.rhs, {**scope, **dict.fromkeys(over, Sort(INTEGER))})
    if sort.args or new.value in names(relation.rhs):
        raise ProofError("a definition names the value of a term that does not speak of it")
    return str(new.value), Sort(sort.kind, sort.random, tuple(INTEGER for _ in over))


class Book:
    """What is written in one statement: declarations, hypotheses and steps, each read and typed once."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self.declared = declared(statement)
        for r in statement.domain:
            check_relation(r, self.declared)
        refuse_zero_below(statement.domain)
        self._steps: dict[int, Known] = {}
        self._hypotheses: dict[str, Known] = {}
        self._assumed: list[Known] = []
        self._sure: list[Relation] | None = None
        self._domain: tuple[list[Relation], list[Relation]] | None = None
        self._scopes: dict[int, dict[str, Sort]] = {}
        self.delivered: dict[int, list[Known]] = {}  #: what the citations of steps say besides their claims

    def form(self, number: int) -> Step:
        """Step ``number`` in the form that later steps use."""
        step = self.statement.steps[number - 1]
        return step.repair or step

    def scope(self, number: int) -> dict[str, Sort]:
        """The sorts of the declared names and of those that steps before step ``number`` define."""
        number = min(number, len(self.statement.steps) + 1)  # the claims come after all steps
        if number not in self._scopes:
            if number <= 1:
                self._scopes[number] = dict(self.declared)
            else:
                found, step = self.scope(number - 1), self.form(number - 1)
                if isinstance(step.by, Definition):
                    name, sort = defined_by(step, found)
                    found = {**found, name: sort}
                self._scopes[number] = found
        return self._scopes[number]

    def defined(self, number: int) -> frozenset[str]:
        """The names that steps before step ``number`` define."""
        return frozenset(self.scope(number).keys() - self.declared.keys())

    def hypothesis(self, name: str) -> Known:
        """The hypothesis of that name."""
        if name not in self._hypotheses:
            known = read(self.statement.hypotheses[name], self.declared)
            self._hypotheses[name] = replace(
                known,
                sure=not conditional(known.relations),
                partial=not seen(known, self.sure(known.over), self.declared),
            )
        return self._hypotheses[name]

    def sure(self, apart: Iterable[str] = ()) -> list[Relation]:
        """What domain and hypotheses say of numbers, none of them in ``apart``, as far as it is seen defined."""
        if self._sure is None:
            facts = [read(f, self.declared) for f in self.statement.hypotheses.values() if not (f.over or f.where)]
            self._sure = []
            for r in (*map(settle, self.statement.domain), *(k.relation for k in facts)):
                if not (has_opaque(r.lhs) or has_opaque(r.rhs)) and seen(Known(r), self._sure, self.declared):
                    self._sure.append(r)
        return [r for r in self._sure if not names_of([r]) & set(apart)]

    def domain(self) -> tuple[list[Relation], list[Relation]]:
        """The relations of the parameters' domain that are seen to be defined, and those that are not."""
        if self._domain is None:
            found = [settle(r) for r in self.statement.domain]
            told = [r for r in found if seen(Known(r), self.sure(), self.declared)]
            self._domain = told, [r for r in found if r not in told]
        return self._domain

    def assumed(self) -> Sequence[Known]:
        """All hypotheses, each with what it presupposes."""
        if not self._assumed:
            for name in self.statement.hypotheses:
                known = self.hypothesis(name)
                self._assumed += [known, *presupposed(known)]
        return self._assumed

    def step(self, number: int) -> Known:
        """The fact of step ``number``, in the form that later steps use."""
        if number not in self._steps:
            known = read(self.form(number).fact, self.scope(number + 1))
            self._steps[number] = replace(known, sure=self._surely(number, known), partial=self._partly(number, known))
        return self._steps[number]

    def _surely(self, number: int, known: Known) -> bool:
        """Whether the step holds for every outcome: nothing that it rests on holds almost surely only."""
        by = self.form(number).by
        if conditional(known.relations) or isinstance(by, Cite | Literature):
            return False
        used = [self.at(self.position(number, ref)) for ref in getattr(by, "using", ())]
        return all(k.sure and not of_many_laws(k) for k in used)

    def _partly(self, number: int, known: Known) -> bool:
        """Whether the step may say again what is assumed, and says nothing somewhere."""
        used = [self.at(self.position(number, ref)) for ref in getattr(self.form(number).by, "using", ())]
        scope = self.scope(number + 1)
        return any(k.partial for k in used) and not seen(known, self.sure(known.over), scope)

    def at(self, position: int | str) -> Known:
        """The fact at a position: of a step, or the hypothesis of that name."""
        return self.step(position) if isinstance(position, int) else self.hypothesis(position)

    def position(self, number: int, ref: Ref) -> int | str:
        """The number of the earlier step, or the name of the hypothesis, that step ``number`` refers to."""
        name = ref.ref if isinstance(ref, Use) else ref
        if isinstance(name, int):
            if not 1 <= name < number or name > len(self.statement.steps):
                raise ProofError(f"step {name} is not an earlier step")
            return name
        if name in self.statement.hypotheses:
            return name
        last = min(number, len(self.statement.steps) + 1)
        named = [n for n in range(1, last) if self.form(n).name == name or self.statement.steps[n - 1].name == name]
        if len(named) != 1:
            raise ProofError(f"no hypothesis or earlier step is called {name}")
        return named[0]


_BOOKS: OrderedDict[int, Book] = OrderedDict()
_KEPT = 200


def book(statement: Statement) -> Book:
    """The statement's book; kept for the last statements that were asked for."""
    found = _BOOKS.get(id(statement))
    if found is None or found.statement is not statement:
        found = _BOOKS[id(statement)] = Book(statement)
        while len(_BOOKS) > _KEPT:
            _BOOKS.popitem(last=False)
    return found


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
            return self.same_named(instance(known, values, scope), scope)
        except (ProofError, SortError) as fault:
            raise ProofError(f"{told}: {fault}") from None

    def same_named(self, known: Known, scope: Names) -> Known:
        """What is left quantified, at the values that the step's names of the same name have."""
        here = {n: var(n) for n in known.over if n in scope and not scope[n].args}
        for n, value in list(here.items()):
            if not fits(scope[n].kind, known.over[n].kind) or typed(value, scope).random:
                raise ProofError(f"it holds for every {known.over[n]} {n}: say for which, {n} is {scope[n]} here")
        return instance(known, here, scope)

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
                self.require_met(f"condition of {told}", condition, found, extra, self.scope)
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
            step = self.book.form(number)
            try:
                found = self.told(Context(self.statement, number, step, self.lookup, self.told))
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
        self, role: str, condition: Relation, facts: Sequence[Relation], extra: tuple[Relation, ...], scope: Names
    ) -> None:
        """Demand that a condition of a fact be met, which one without a value is not: 1/s <= 1/s wants s != 0."""
        self.require(role, condition, facts, extra, scope)
        given = (*self.goal.where, *extra, *facts)
        if not self._given(condition, given):
            self._require_means(role, condition, extra, scope)
        if not self._given(condition, (*self.goal.where, *extra)):  # a mean that it speaks of is over all outcomes
            certain = tuple(r for r in (*self.goal.where, *extra) if not (trivial(r) or check_relation(r, scope)))
            self.require_seen(undefined_in_means(condition, scope), certain, scope)
        plain = trivial(condition) or canonical(condition.lhs - condition.rhs) == num(0)  # nothing was demanded of it
        if plain and not self._given(condition, (*self.goal.where, *extra)):
            self.require_seen(undefined_terms(condition, scope), given, scope)

    def _require_means(self, role: str, r: Relation, extra: Iterable[Relation], scope: Names) -> None:
        inner = {n: s for n, s in scope.items() if n not in self.scope or n in self.apart}
        for e in (e for side in (r.lhs, r.rhs) for e in exposed(side) if e.op in ("E", "Egiven")):
            if not self.judge.under(extra, inner).integrable(e.args[0]):
                raise ProofError(f"{role} speaks of {e}, and nothing shows that {e.args[0]} is integrable")

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
        about = in_its_form(term, (r for r in before if not partial_sides(r, binders)))
        if term.binds:
            for part in dict.fromkeys(t for end in term.args[2:] for t in partial_terms(end, False)):
                self.require_defined(part, before, scope, domain, told)
            goal, ends = converges(term, frozenset(scope) | free)
            new = names_of(ends) - scope.keys()
            if trivial(goal):
                return
            role, given = "convergence", (*about, *ends)
            scope = {**scope, **dict.fromkeys(new, Sort("real"))}
        else:
            role, given, goal = "definedness", about, defined(term)
        self._guard_domain(domain, names_of((goal, *given)), binders, scope)
        self._add(scalar_obligation(role, domain, given, goal, scope, binders))

    def require_said(self, known: Known, given: tuple[Relation, ...], scope: Names) -> None:
        """Demand that what is assumed be defined inside of its heads; outside of them scalar claims see to that."""
        for r in known.relations if known.partial else ():
            self.doubtful |= {r, r.flipped()}
            inside = (t for side in (r.lhs, r.rhs) for t in inside_heads(side, scope))
            self.require_seen(inside, (*given, *known.where), scope)

    def require_seen(self, terms: Iterable[Placed], given: tuple[Relation, ...], scope: Names) -> None:
        """Demand that terms be defined, where that is not seen at a look."""
        for found in terms:
            obligation = demanded(found, self.book.sure({*self.goal.over, *self.apart}), given, scope)
            if obligation is not None and obligation not in self.last:
                self.last.append(obligation)

    def _add(self, obligation: Obligation) -> None:
        if obligation not in self.found:
            self.found.append(obligation)

    def match(
        self, role: str, premise: Known, known: Known, facts: Sequence[Relation] = (), scope: Names | None = None
    ) -> None:
        """Demand that ``known`` yield ``premise``, whose quantified names are fixed in ``scope``."""
        scope = self.settle_scope(known, self.scope if scope is None else scope)
        for condition in known.where:
            self.require_met(f"{role}, its condition", condition, facts, premise.where, scope)
        self.require_said(known, (*self.goal.where, *premise.where, *facts), scope)
        self.require(role, premise.relation, [*facts, known.relation], premise.where, scope)
