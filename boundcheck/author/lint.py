"""What is suspicious about a statement, though it may be proved: told, never decided upon."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import pairwise

from boundcheck.author import adapter
from boundcheck.author.headline import claimed
from boundcheck.author.spelling import in_both_ways, told
from boundcheck.kernel.formula import Expr, Relation
from boundcheck.kernel.statement import Cite, Statement, Use

MEANS = ("P", "E")
LAWS = ("law", "independent", "measurable", "integrable", "increasing")
OUTSIDE = (*MEANS, "Pgiven", "Egiven", *LAWS)  #: in these an outcome is spoken of with its probability, or its law
ORDER = ("<", "<=", ">", ">=")
IN_SIGHT = ("integrable", "measurable")  #: what rules take from all facts in sight, without a name


def remarks(statement: Statement, whole: bool = True) -> list[str]:
    """Means over nothing random, events assumed, sorts said of one name alone, what is used nowhere, a bound that is
    not claimed, one sequence written in two ways; one line each. What is used is not known where a line has no reason:
    then the proof is not ``whole``."""
    found = [*_means(statement), *_events(statement), *_ranges(statement)]
    found += [*_unused(statement), *_single(statement)] if whole else []
    if statement.bound and not claimed(statement):
        found.append(f"the bound {statement.bound} is no side of a claim, and nothing is proved of it")
    mixed = in_both_ways(statement)
    return list(dict.fromkeys([*found, *([told(mixed)] if mixed else [])]))


def _formulas(statement: Statement) -> Iterator[tuple[str, str]]:
    """(where it stands, text) of what is assumed and claimed."""
    for name, fact in statement.hypotheses.items():
        yield f"hypothesis {name}", fact.claim
    for number, fact in enumerate(statement.claims, 1):
        yield f"claim {number}", fact.claim


def _terms(claim: str) -> Iterator[Expr]:
    r = adapter.relation_of(claim)
    yield from r.lhs.walk()
    yield from r.rhs.walk()


def _means(statement: Statement) -> Iterator[str]:
    random = adapter.random(statement)
    for place, claim in _formulas(statement):
        for term in _terms(claim):
            if term.op in MEANS and not adapter.names(term) & random:
                names = ", ".join(sorted(term.free - statement.symbols)) or "a name"
                yield f"{place}: nothing in {term} is random; is {names} missing in random?"


def _events(statement: Statement) -> Iterator[str]:
    """Hypotheses that hold for some outcomes only: of an event, and orders of what other hypotheses say how to form.

    That a number given as such is bounded is a property of its law; that the iterate of a run is near a point is not.
    A conditional mean on one side alone is bounded by what is known at that time: a property of the law too.
    """
    random = adapter.random(statement)
    events = {name for name, sort in (statement.declares or {}).items() if sort.split()[-1:] == ["event"]}
    facts = {name: adapter.relation_of(fact.claim) for name, fact in statement.hypotheses.items()}
    known = {*(statement.declares or {}), *random}
    formed = {_formed(r, known) for r in facts.values() if r.op == "=="} & known
    for name, r in facts.items():
        spoken = [set(_spoken(side)) for side in r.sides]
        terms = set().union(*spoken)
        of_a_law = any(_has_conditional(e) and not names & random for e, names in zip(r.sides, spoken, strict=True))
        order = (r.op in ORDER and not of_a_law) or {r.lhs.op, r.rhs.op} == {"ind", "num"}
        if terms & events or (order and terms & random and terms & formed):
            claim = statement.hypotheses[name].claim
            yield f"hypothesis {name} assumes an event, {claim}: its probability belongs into the claim"


def _ranges(statement: Statement) -> Iterator[str]:
    """Hypotheses for all integers s and all real t, written ``for integer s, t``: both may be meant as whole."""
    for name, fact in statement.hypotheses.items():
        for before, after in pairwise(fact.over):
            if before.endswith(": integer") and ":" not in after and after not in statement.sorts:
                whole = f"for integer {adapter.bare(before)}, integer {after}"
                real = f"real {after} where all reals are meant"
                yield f"hypothesis {name} is for every real {after}; for whole ones write: {whole}; {real}"


def _formed(r: Relation, known: Collection[str]) -> str:
    """The name that an equation says how to form; on its right side where the left side is no name and not of it."""
    left = _head(r.lhs)
    return left if left in known or r.rhs in r.lhs.walk() else _head(r.rhs)


def _head(e: Expr) -> str:
    """The name that an equation with this side forms: x of x, of at(x, t + 1) and of x(t)."""
    while e.op == "at":
        e = e.args[0]
    return str(e.value) if e.op == "var" else e.op


def _spoken(e: Expr) -> Iterator[str]:
    """Names and functions of a term that stand in no expectation and no probability."""
    if e.op in OUTSIDE:
        return
    yield str(e.value) if e.op == "var" else e.op
    for a in e.args:
        yield from _spoken(a)


def _has_conditional(e: Expr) -> bool:
    return any(n.op in ("Egiven", "Pgiven") for n in e.walk())


def _unused(statement: Statement) -> Iterator[str]:
    steps = [s for step in statement.steps for s in (step, step.repair) if s is not None]
    if not steps or any(isinstance(s.by, Cite) for s in steps):
        return  # a citation takes its hypotheses from all facts in sight
    used = {_name(r) for s in steps for r in getattr(s.by, "using", ())}
    used |= {_name(r) for refs in statement.concludes for r in refs}
    used |= statement.places.keys()  # of a setting: written for several statements
    for name, fact in statement.hypotheses.items():
        if name not in used and adapter.relation_of(fact.claim).lhs.op not in IN_SIGHT:
            yield f"hypothesis {name} is never used"


def _name(ref: object) -> object:
    return ref.ref if isinstance(ref, Use) else ref


def _single(statement: Statement) -> Iterator[str]:
    """Names that occur in one place of all that is assumed and claimed, and in no line of the proof."""
    count: Counter[str] = Counter()
    declares = statement.declares or {}
    for _, claim in _formulas(statement):
        for term in (adapter.relation_of(claim).lhs, adapter.relation_of(claim).rhs):
            count.update(_occurring(term, declares))
    facts = [*statement.hypotheses.values(), *statement.claims]
    quantified = {name for f in facts for name in f.names}
    known = statement.symbols | adapter.random(statement) | quantified
    known |= {n for step in statement.steps for term in _terms(step.fact.claim) for n in _occurring(term, declares)}
    for name, times in sorted(count.items()):
        if times == 1 and name not in known:
            yield f"{name} occurs once, and is no parameter; is it misspelt?"


def _occurring(e: Expr, declares: Collection[str]) -> Iterator[str]:
    """The free names of a term, functions that are declared too, each as often as it stands there."""
    if e.op == "var":
        yield str(e.value)
    elif e.op in declares:
        yield e.op
    bound = {str(e.args[1].value)} if e.binds else set()
    for a in e.args:
        yield from (n for n in _occurring(a, declares) if n not in bound)
