"""The one place that knows the proof layer under test: rules as data, sorts of names, is a step PROVED or not.

Point the machine at another proof layer by rewriting this module. What it promises:

- :func:`rules` gives every rule schema as :class:`RuleView`, formulas read;
- :func:`sorts` gives the sort of every name of a statement;
- :func:`premises` gives the facts that a step may rest on, :func:`conclusion` what it asserts;
- :func:`fits` says whether a step fits its reason, and :func:`proved` whether it comes out as PROVED;
- :data:`PARTIAL` says which reading of undefined terms the layer has: a fact with one is false (True), or such a term
  has some unknown value (False).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from benchmarks.hunter.meet import Fact as ModelFact
from benchmarks.hunter.sorts import Sort, infer
from boundcheck.decide import decide
from boundcheck.decide.gram import decide_gram
from boundcheck.kernel.formula import Expr, FormulaError, Relation, parse, parse_relations
from boundcheck.kernel.proof.obligations import obligations
from boundcheck.kernel.proof.scope import defined_names, random_names
from boundcheck.kernel.proof.step import ProofError
from boundcheck.kernel.rules import RULES
from boundcheck.kernel.statement import (
    ByGram,
    ByRule,
    Cite,
    Claim,
    Decide,
    Definition,
    Fact,
    Follows,
    Literature,
    Parameter,
    Ref,
    Statement,
    Status,
    Step,
    Use,
)
from boundcheck.paper import catalogue, lookup

__all__ = [
    "PARTIAL", "ByGram", "ByRule", "Cite", "Decide", "Definition", "Fact", "Follows", "Literature", "Parameter",
    "RuleView", "Statement", "Step", "Use", "catalogue", "conclusion", "fits", "lookup", "model_fact", "premises",
    "proved", "rules", "sorts",
]  # fmt: skip

PARTIAL = True
#: whether the layer declares the sort of every name; else a clash of sorts must show in the statement itself
DECLARES = False
Lookup = Callable[[str], Statement]


# ---------------------------------------------------------------- rules


@dataclass(frozen=True)
class RuleView:
    """A rule schema with its formulas read. ``implies`` are pointwise facts between events."""

    name: str
    names: tuple[str, ...]
    conclusion: Relation
    premises: tuple[ModelFact, ...]
    sides: tuple[ModelFact, ...]
    implies: tuple[ModelFact, ...]
    fixed: tuple[tuple[str, str], ...]
    only: tuple[tuple[str, str], ...]
    whole: tuple[str, ...]
    derived: tuple[tuple[str, str, str, Expr], ...]  #: (name, source, variable, value)


def _event(text: str, names: tuple[str, ...]) -> tuple[bool, Expr]:
    bare = text.removeprefix("~")
    if bare in names:
        return not text.startswith("~"), parse(bare, proof=True)
    (r,) = parse_relations(bare, proof=True)
    return not text.startswith("~"), Expr(r.op, (r.lhs, r.rhs))


def rules() -> Iterator[RuleView]:
    """Every rule schema of the layer."""
    for r in RULES.values():
        implied = []
        for i in r.implies:
            yes, event = _event(i.then, r.names)
            relation = Relation("==", Expr("ind", (event,)), parse("1" if yes else "0"))
            implied.append(ModelFact(relation, given=tuple(_event(g, r.names) for g in i.given)))
        yield RuleView(
            r.name,
            r.names,
            Fact(r.conclusion).relation,
            tuple(map(model_fact, r.premises)),
            tuple(map(model_fact, r.sides)),
            tuple(implied),
            r.fixed,
            r.only,
            r.whole,
            tuple((d.name, d.source, d.variable, parse(d.value)) for d in r.derived),
        )


def model_fact(fact: Fact, integers: tuple[str, ...] = ()) -> ModelFact:
    """A fact of the layer as one to be tried in models."""
    return ModelFact(fact.relation, fact.over, fact.conditions, frozenset(integers) & set(fact.over))


# ---------------------------------------------------------------- statements


def _form(step: Step) -> Step:
    return step.repair or step


def sorts(statement: Statement, number: int, step: Step) -> dict[str, Sort]:
    """The sorts of the names at a step: declared where they are, else from the places in which a name stands."""
    facts = [*statement.hypotheses.values(), *(_form(s).fact for s in statement.steps[: number - 1]), step.fact]
    relations = [*statement.domain, *(r for f in facts for r in (f.relation, *f.conditions))]
    over = {o for f in facts for o in f.over}
    constant = {q.symbol for q in statement.parameters} | (set(statement.integers))
    random = random_names(statement, number) - over
    known = {"xi": Sort("other", True)}
    reals = {*random, *(q.symbol for q in statement.parameters if not q.integer)} - over
    found = infer(relations, random, statement.integers, known, reals=reals)
    return {n: replace(s, random=False) if n in constant - set(statement.random) else s for n, s in found.items()}


def _referred(statement: Statement, number: int, ref: Ref) -> ModelFact | None:
    name = ref.ref if isinstance(ref, Use) else ref
    if isinstance(name, int):
        if not 1 <= name < number:
            return None
        step = _form(statement.steps[name - 1])
        return model_fact(step.fact, step.integers)
    if name in statement.hypotheses:
        return model_fact(statement.hypotheses[name])
    named = [_form(s) for s in statement.steps[: number - 1] if s.name == name]
    return model_fact(named[0].fact, named[0].integers) if named else None


def premises(statement: Statement, number: int, step: Step) -> list[ModelFact] | None:
    """The facts that a step may rest on: what it uses, the domain, and what defines its symbols.

    A citation may rest on all that is known; a definition on nothing that mentions its symbol. None: a reference
    that leads nowhere.
    """
    found = [ModelFact(r) for r in statement.domain]
    if isinstance(step.by, Cite | Definition):
        refs: list[Ref] = [*statement.hypotheses, *range(1, number)] if isinstance(step.by, Cite) else [
            *statement.hypotheses]  # fmt: skip
    else:
        refs = list(getattr(step.by, "using", ()))
    for ref in refs:
        fact = _referred(statement, number, ref)
        if fact is None:
            return None
        found.append(fact)
    for name, term in defined_names(statement, number).items():
        found.append(ModelFact(Relation("==", parse(name), term)))
    return list(dict.fromkeys(found))


def conclusion(step: Step) -> ModelFact:
    """What a step asserts."""
    return model_fact(step.fact, step.integers)


def fits(statement: Statement, number: int, step: Step, find: Lookup = lookup) -> str:
    """ "" if the step fits its reason and leaves scalar claims alone; else why it does not."""
    if isinstance(step.by, Literature):
        return "taken from the literature"
    try:
        obligations(statement, number, step, find)
    except (ProofError, FormulaError) as fault:
        return str(fault)
    except (LookupError, ValueError, RecursionError) as fault:
        return f"{type(fault).__name__}: {fault}"
    return ""


def proved(statement: Statement, number: int, step: Step, seconds: float = 1.0, find: Lookup = lookup) -> bool:
    """Whether the layer and its engines call the step PROVED within ``seconds`` for each scalar claim."""
    if isinstance(step.by, Literature):
        return False
    try:
        wanted = obligations(statement, number, step, find)
    except (ProofError, FormulaError, LookupError, ValueError, RecursionError):
        return False
    for obligation in wanted:
        claim = obligation.claim
        found = decide(claim, seconds) if isinstance(claim, Claim) else decide_gram(claim, obligation.times)
        if found.status is not Status.PROVED:
            return False
    return True


def sequence(statement: Statement) -> Mapping[int, Step]:
    """The steps of a statement by number, in the form that later steps use."""
    return {n: _form(s) for n, s in enumerate(statement.steps, 1)}


def declare(
    names: Mapping[str, Sort],
    hypotheses: Mapping[str, Fact],
    domain: Mapping[str, tuple[str, ...]],
    steps: tuple[Step, ...],
    claims: tuple[Fact, ...] = (),
    label: str = "lem:tried",
) -> Statement:
    """A statement over names of given sorts. Here a sort is declared by a hypothesis that shows it."""
    parameters = tuple(
        Parameter(n, n, domain.get(n, ()), s.integer)
        for n, s in names.items()
        if not s.arity and (n in domain or s.integer)
    )
    shows = {f"{n} is a vector": Fact(f"norm({n}) >= 0") for n, s in names.items() if s.kind == "vector"}
    random = tuple(n for n, s in names.items() if s.random)
    return Statement(
        label, "t", "lemma", "part", "text", parameters, {**hypotheses, **shows}, claims, steps, random=random
    )


def planted(fact: Fact, integers: tuple[str, ...] = ()) -> Step:
    """A step that is taken for granted: it can be used, and needs no proof."""
    return Step(fact, Literature("planted"), integers=integers)


def term(source: str) -> Expr:
    """A term or an event from its text."""
    try:
        return parse(source, proof=True)
    except FormulaError:
        (r,) = parse_relations(source, proof=True)
        return Expr(r.op, (r.lhs, r.rhs))


def sorts_of_facts(statement: Statement) -> dict[str, Sort]:
    """The sorts of the names of a statement's hypotheses and claims."""
    facts = [*statement.hypotheses.values(), *statement.claims]
    relations = [*statement.domain, *(r for f in facts for r in (f.relation, *f.conditions))]
    over = {o for f in facts for o in f.over}
    return infer(relations, random_names(statement, 1) - over, statement.integers, {"xi": Sort("other", True)})
