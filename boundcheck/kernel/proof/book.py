"""What is written in one statement: its names with their sorts, its hypotheses and steps, each read and typed once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from boundcheck.kernel.formula import Expr, Relation, has_opaque
from boundcheck.kernel.proof.definedness import presupposed, require_kept, seen
from boundcheck.kernel.proof.facts import Known, ProofError, conditional, of_many_laws, read
from boundcheck.kernel.proof.sorts import (
    INTEGER,
    REAL,
    Names,
    Sort,
    SortError,
    check_declared,
    check_names,
    check_relation,
    read_sort,
    typed,
)
from boundcheck.kernel.proof.terms import names, names_of, refuse_zero_below, settle
from boundcheck.kernel.statement import Cite, Definition, Literature, Ref, Statement, Step, Use


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
    if step.fact.where:
        raise ProofError("a definition holds for all values of its indices: write it without `where`")
    if relation.op != "==" or new.op != "var":
        raise ProofError("a definition reads: new name == term, or at(new name, t) == term for all t")
    over = list(step.fact.names)
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
        self._spoken: list[frozenset[str]] = []  #: the names that each of these speaks of
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
            known = read(fact := self.statement.hypotheses[name], self.declared)
            require_kept((fact.relation, *fact.conditions), known, sure := self.sure(known.over), self.declared)
            partial = not seen(known, sure, self.declared)
            self._hypotheses[name] = replace(known, sure=not conditional(known.relations), partial=partial)
        return self._hypotheses[name]

    def sure(self, apart: Iterable[str] = ()) -> list[Relation]:
        """What domain and hypotheses say of numbers, none of them in ``apart``, as far as it is seen defined."""
        if self._sure is None:
            facts = [read(f, self.declared) for f in self.statement.hypotheses.values() if f.plain]
            self._sure = []
            for r in (*map(settle, self.statement.domain), *(k.relation for k in facts)):
                if not (has_opaque(r.lhs) or has_opaque(r.rhs)) and seen(Known(r), self._sure, self.declared):
                    self._sure.append(r)
            self._spoken = [names_of([r]) for r in self._sure]
        away = set(apart)
        return [r for r, spoken in zip(self._sure, self._spoken, strict=True) if not spoken & away]

    def domain(self) -> tuple[list[Relation], list[Relation]]:
        """The relations of the parameters' domain that are seen to be defined, and those that are not."""
        if self._domain is None:
            for r in self.statement.domain:
                require_kept((r,), Known(settle(r)), self.sure(), self.declared)
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
        by, scope = self.form(number).by, self.scope(number + 1)
        if isinstance(by, Cite):  # its claim has a value, where its conditions have
            return bool(known.where) and not seen(Known(known.where[0], known.where), self.sure(known.over), scope)
        used = [self.at(self.position(number, ref)) for ref in getattr(by, "using", ())]
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
