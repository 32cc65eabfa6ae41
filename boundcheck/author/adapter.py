"""The one door from what authors write to the kernel and the engines: how terms are read, steps checked and decided.

Everything that the search proposes goes through :meth:`Checker.check`; nothing here is trusted.
"""

from __future__ import annotations

import contextlib
import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from boundcheck.author.proof_records import Range
from boundcheck.kernel.clock import exhausted, seconds_used
from boundcheck.kernel.formula import RELATIONS, Expr, Relation
from boundcheck.kernel.proof.book import declared, defined_by
from boundcheck.kernel.proof.facts import ProofError, read, read_term
from boundcheck.kernel.proof.obligations import obligations
from boundcheck.kernel.proof.scalar_claims import Obligation, partial
from boundcheck.kernel.proof.sorts import Sort, SortError
from boundcheck.kernel.proof.terms import applied, canonical, exchanged, fresh, names, names_of, settle, settled
from boundcheck.kernel.rules import RULES, Rule
from boundcheck.kernel.statement import Definition, Fact, Statement, Step
from boundcheck.verdict import Status, Verdict

Lookup = Callable[[str], Statement]
__all__ = [
    "RULES",
    "Checker",
    "Lookup",
    "ProofError",
    "Refusal",
    "Rule",
    "applied",
    "canonical",
    "exchanged",
    "fresh",
    "names",
    "partial",
]


@lru_cache(maxsize=50_000)
def relation_of(text: str) -> Relation:
    """The relation of a fact or a schema. Raises :class:`boundcheck.kernel.formula.FormulaError`."""
    return Fact(text).relation


def bare(name: str) -> str:
    """A quantified name without its sort."""
    return name.partition(":")[0].strip()


def fact_of(relation: Relation, range_: Range) -> tuple[Fact, tuple[str, ...]]:
    """The fact with bare quantified names, and those of them that have a sort, as ``t: integer``."""
    sorts = {bare(o): o.partition(":")[2].split() for o in range_.over}
    sorted_names = tuple(f"{name}: {' '.join(words)}" for name, words in sorts.items() if words)
    return Fact(str(relation), tuple(sorts), range_.where), sorted_names


def with_sorts(fact: Fact, sorts: tuple[str, ...]) -> Fact:
    """The fact as the kernel wants it: quantified names with their sorts."""
    known = {bare(s): s for s in sorts}
    return replace(fact, over=tuple(known.get(o, o) for o in fact.over))


def without_sorts(fact: Fact) -> tuple[Fact, tuple[str, ...]]:
    """The fact with bare quantified names, and those that have a sort."""
    return replace(fact, over=tuple(map(bare, fact.over))), tuple(o for o in fact.over if ":" in o)


@lru_cache(maxsize=50_000)
def normal(r: Relation) -> Relation:
    """A relation in the form in which the kernel compares them."""
    return settle(r)


@lru_cache(maxsize=50_000)
def normal_term(e: Expr) -> Expr:
    """A term in that form."""
    return settled(e)


def same(a: Expr, b: Expr) -> bool:
    """Whether two terms (or events) are the same up to ring operations."""
    if a is b:
        return True
    if a.op in RELATIONS and b.op in RELATIONS:
        return a.op == b.op and same(a.args[0], b.args[0]) and same(a.args[1], b.args[1])
    return canonical(a) is canonical(b)


def as_text(e: Expr | Relation | str) -> str:
    """The text of a term, an event or a relation, as steps want it."""
    return re.sub(r"#(\d+)", r"n\1_", str(e))  # names that the normal form gives to bound variables cannot be read


@lru_cache(maxsize=50_000)
def value_of(text: str) -> Expr:
    """The term of a substitution."""
    return read_term(text)


@dataclass(frozen=True)
class Refusal:
    """Why a proposed step was not accepted: the kernel's fault, or the obligation that is not proved."""

    reason: str
    obligation: Obligation | None = None
    verdict: Verdict | None = None

    @property
    def refuted(self) -> bool:
        """Whether a point is known at which the obligation fails."""
        return self.verdict is not None and self.verdict.status is Status.REFUTED


@dataclass
class Checker:
    """Checks proposed steps of one statement: the kernel's obligations, decided by the engines, remembered."""

    lookup: Lookup
    decided: dict[object, Verdict] = field(default_factory=dict)
    spent: dict[object, float] = field(default_factory=dict)
    tried: int = 0

    def generate(self, statement: Statement, step: Step) -> list[Obligation] | Refusal:
        """The obligations of ``step`` as the next one of ``statement``."""
        self.tried += 1
        try:
            with_it = replace(statement, steps=(*statement.steps, step))  # behind the last step stand the claims
            return obligations(with_it, len(with_it.steps), step, self.lookup)
        except ProofError as fault:
            return Refusal(str(fault))

    def check(self, statement: Statement, step: Step, seconds: float) -> Refusal | None:
        """None where ``step`` is proved as the next step of ``statement``, else why it is not."""
        return self._decided(self.generate(statement, step), seconds)

    def check_claim(self, statement: Statement, step: Step, seconds: float) -> Refusal | None:
        """The same of a claim, behind all steps: it must speak of what is defined as well."""
        try:
            wanted = obligations(statement, len(statement.steps) + 1, step, self.lookup)
        except ProofError as fault:
            return Refusal(str(fault))
        return self._decided(wanted, seconds)

    def _decided(self, wanted: list[Obligation] | Refusal, seconds: float) -> Refusal | None:
        from boundcheck.decide.statements import told

        if isinstance(wanted, Refusal):
            return wanted
        for obligation in sorted(wanted, key=lambda o: len(str(o.claim))):
            found = self.decide(obligation, seconds)
            if found.status is not Status.PROVED:
                return Refusal(f"{obligation.role}: {told(obligation)}", obligation, found)
        return None

    def decide(self, obligation: Obligation, seconds: float) -> Verdict:
        """The engines' verdict on one obligation; what was decided before is remembered."""
        from boundcheck.decide.statements import decide_obligation

        key = (obligation.claim if hasattr(obligation.claim, "goal") else replace(obligation.claim, name=""),
               obligation.times)  # fmt: skip
        known = self.decided.get(key)
        if known is not None and (known.status is not Status.UNDECIDED or self.spent[key] >= seconds):
            return known
        start = seconds_used()
        found = decide_obligation(obligation, seconds)
        if found.status is not Status.UNDECIDED or not exhausted():  # else the time of the line around it ended
            self.decided[key], self.spent[key] = found, max(seconds, seconds_used() - start)
        return found


def ready() -> None:
    """Load the engines, which takes a second that no line is to pay for."""
    importlib.import_module("boundcheck.decide.statements")


def assumed(label: str, lookup: Lookup) -> bool:
    """Whether that is an assumption, rests on one, or is not known."""
    from boundcheck.decide.statements import assumed as behind

    return behind(label, lookup)


def random(statement: Statement) -> frozenset[str]:
    """The names that are random at the end of ``statement``'s steps."""
    return frozenset(name for name, sort in _sorts(statement).items() if sort.random)


def numbers(statement: Statement) -> frozenset[str]:
    """The names whose values are numbers, at the end of ``statement``'s steps."""
    return frozenset(name for name, sort in _sorts(statement).items() if sort.kind in ("real", "integer"))


def kinds(statement: Statement) -> dict[str, str]:
    """What the names are that are no functions and no families: real, integer, vector."""
    return {name: sort.kind for name, sort in _sorts(statement).items() if not sort.args}


def ill_sorted(statement: Statement, fact: Fact) -> str:
    """What is of the wrong sort in ``fact`` behind ``statement``'s steps, as a vector where a number is wanted."""
    try:
        read(fact, _sorts(statement))
    except (ProofError, SortError) as fault:
        return str(fault)
    return ""


def undeclared(statement: Statement, e: Expr) -> frozenset[str]:
    """The names of ``e`` that nothing declares or defines."""
    return e.free - _sorts(statement).keys()


def false_where(statement: Statement, fact: Fact, seconds: float) -> str:
    """A small world in which all hypotheses hold and ``fact`` does not, in words; "" where none is found."""
    from boundcheck.decide.worlds.world_search import counterexample

    def spoken(of: Fact) -> frozenset[str]:
        return names_of((of.relation, *of.conditions)) - set(of.names)

    used, defined = spoken(fact), {}
    for n, step in reversed(list(enumerate(statement.steps, 1))):  # what is defined speaks of what was before
        if isinstance(step.by, Definition) and used & (names(step.fact.relation.lhs) - set(step.fact.names)):
            defined[fresh(f"step {n}", statement.hypotheses)] = step.fact
            used |= spoken(step.fact)
    sorts = {name: str(sort) for name, sort in _sorts(statement).items() if name not in statement.symbols}
    asked = replace(statement, declares=sorts, random=(), hypotheses={**statement.hypotheses, **defined})
    return str(counterexample(asked, fact, seconds) or "")


def _sorts(statement: Statement) -> dict[str, Sort]:
    found = declared(statement)
    for step in statement.steps:
        if isinstance(step.by, Definition):
            with contextlib.suppress(ProofError, SortError):
                name, sort = defined_by(step, found)
                found[name] = sort
    return found
