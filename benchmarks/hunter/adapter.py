"""How the proof layer is asked: what a step may rest on, whether it fits its reason, whether it is PROVED."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from benchmarks.hunter.meet import Fact as ModelFact
from boundcheck.decide import decide
from boundcheck.decide.quadratic.gram_engine import decide_gram
from boundcheck.kernel.formula import Expr, FormulaError, Relation, num
from boundcheck.kernel.proof.book import book
from boundcheck.kernel.proof.definedness import presupposed
from boundcheck.kernel.proof.facts import ProofError, quantified
from boundcheck.kernel.proof.obligations import obligations
from boundcheck.kernel.proof.scalar_claims import Obligation
from boundcheck.kernel.proof.sorts import INTEGER, Names, Sort, SortError
from boundcheck.kernel.statement import Cite, Claim, Definition, Fact, Literature, Statement, Step, Use
from boundcheck.paper import catalogue, lookup
from boundcheck.user_files import load
from boundcheck.verdict import Status

Lookup = Callable[[str], Statement]
ROOT = Path(__file__).parents[2]
FILES = ("lemmas.toml", "clipping.py", "concentration.py", "momentum.py")
#: Heads of facts that a step may use without naming them.
SILENT = frozenset({"law", "independent", "measurable", "increasing", "adapted", "gradient", "integrable"})


@cache
def written() -> tuple[tuple[Statement, Lookup], ...]:
    """The statements with declarations of the examples and of the catalogue."""
    found: list[tuple[Statement, Lookup]] = []
    for name in FILES:
        own = load(str(ROOT / "examples" / name)).statements
        found += [(s, own.__getitem__) for s in own.values()]
    for s in catalogue().values():
        found += [(one, lookup) for one in (s, s.as_used) if one is not None]
    return tuple(found)


def model_fact(fact: Fact, declared: Names, sure: bool = True) -> ModelFact:
    """A fact of a statement as one to be tried in models; ``sure``: at every outcome."""
    return ModelFact(fact.relation, tuple(quantified(fact, declared).items()), fact.conditions, sure=sure)


def sorts(statement: Statement, number: int, step: Step) -> dict[str, Sort]:
    """The sorts of the names at a step."""
    return dict(book(statement).scope(number + 1 if isinstance(step.by, Definition) else number))


def premises(statement: Statement, number: int, step: Step, everything: bool) -> list[ModelFact]:
    """The facts that a step may rest on; ``everything``: all that is in sight, and that its means exist."""
    own = book(statement)
    scope = own.scope(number)
    every = everything or isinstance(step.by, Cite | Definition)
    positions: list[int | str] = [*statement.hypotheses]
    if not isinstance(step.by, Definition):
        positions += range(1, min(number, len(statement.steps) + 1))
    used = [own.position(number, u.ref if isinstance(u, Use) else u) for u in getattr(step.by, "using", ())]
    found = [ModelFact(r) for r in statement.domain]
    for p in positions:
        fact = statement.hypotheses[p] if isinstance(p, str) else own.form(p).fact
        heads = {n.op for n in fact.relation.lhs.walk()}
        defines = isinstance(p, int) and isinstance(own.form(p).by, Definition)
        if every or p in used or heads & SILENT or defines:
            found.append(model_fact(fact, scope, isinstance(p, str)))
        if isinstance(p, str):
            for k in presupposed(own.hypothesis(p)):
                found.append(ModelFact(k.relation, tuple(k.over.items()), k.where, sure=False))
    return list(dict.fromkeys(found))


def means(statement: Statement, number: int, step: Step) -> Iterator[ModelFact]:
    """That the means exist that a claim speaks of, wherever they stand: what a claim asserts besides itself."""
    fact = model_fact(step.fact, sorts(statement, number, step))
    if number > len(statement.steps):
        for side in fact.relation.sides:
            for e, over, where in _means_in(side):
                exists = Relation("==", Expr("integrable", e.args[:1]), num(1))
                yield replace(fact, relation=exists, over=(*fact.over, *over), where=(*fact.where, *where))


def _means_in(e: Expr) -> Iterator[tuple[Expr, tuple[tuple[str, Sort], ...], tuple[Relation, ...]]]:
    """The means in a term, each for the indices of the sums and families around it, which are in these ranges."""
    if e.op in ("E", "Egiven"):
        yield e, (), ()
    if e.op in ("integral", "integrable"):
        return
    body = e.args[:1] if e.binds else ()
    for a in e.args:
        over: tuple[tuple[str, Sort], ...] = ()
        where: tuple[Relation, ...] = ()
        if a in body:
            index, low, high = e.args[1:]
            over = ((str(index.value), Sort(INTEGER)),)
            where = tuple(
                r for r in (Relation("<=", low, index), Relation("<=", index, high)) if not _endless(r.lhs, r.rhs)
            )
        for found, more, conditions in _means_in(a):
            yield found, (*over, *more), (*where, *conditions)


def _endless(*terms: Expr) -> bool:
    return any(n.op == "const" and n.value == "oo" for t in terms for n in t.walk())


def defined(statement: Statement, number: int) -> Iterator[Fact]:
    """The equations by which the steps before step ``number`` define names."""
    for n in range(1, min(number, len(statement.steps) + 1)):
        if isinstance(book(statement).form(n).by, Definition):
            yield book(statement).form(n).fact


def wanted(statement: Statement, number: int, step: Step, find: Lookup) -> list[Obligation] | str:
    """The scalar claims of a step, or why it does not fit its reason."""
    if isinstance(step.by, Literature):
        return "taken from the literature"
    try:
        return obligations(statement, number, step, find)
    except (ProofError, FormulaError, SortError) as fault:
        return str(fault)


def proved(found: list[Obligation], seconds: float) -> bool:
    """Whether the engines prove all of the claims within ``seconds`` each."""
    for o in found:
        verdict = decide(o.claim, seconds) if isinstance(o.claim, Claim) else decide_gram(o.claim, o.times)
        if verdict.status is not Status.PROVED:
            return False
    return True


__all__ = ["Lookup", "Relation", "defined", "means", "model_fact", "premises", "proved", "sorts", "wanted", "written"]
