"""Cases about families: what a step says of random quantities, said of families of them; what holds almost surely.

A family may be indexed by integers or by uncountably many values. What is said almost surely for each value, as of a
conditional mean or of a law, need not hold at a random value.
"""

from __future__ import annotations

import random as python_random
from collections.abc import Iterator
from dataclasses import replace

from benchmarks.hunter.mutate import change_text, with_let
from benchmarks.hunter.trial import Case
from boundcheck.kernel.formula import Expr, FormulaError, Relation, call, num, substitute, var
from boundcheck.kernel.proof.sorts import EVENT, INFORMATION, INTEGER, OBJECT, REAL, VECTOR, Sort, read_sort
from boundcheck.kernel.proof.terms import names_of
from boundcheck.kernel.statement import Cite, Decide, Fact, Follows, Statement, Step, Use

INDEX, PLACE = "y_", "Y_"  #: the index of a family, and a random one
_PREDICATES = ("law", "independent", "measurable", "integrable", "increasing", "adapted", "gradient")


def members(case: Case, kind: str) -> Case | None:
    """A case of one step said of a family: each random name that it speaks of is a member, for every index."""
    declares = dict(case.statement.declares or {})
    sorts = {n: read_sort(s) for n, s in declares.items()}
    spoken = names_of([case.step.fact.relation, *(f.relation for f in case.statement.hypotheses.values())])
    random = [
        n for n, s in sorts.items() if s.random and not s.args and s.kind in (REAL, VECTOR, EVENT) and n in spoken
    ]
    if not random or INDEX in declares:
        return None
    at = {n: call("at", var(n), var(INDEX)) if kind == INTEGER else Expr(n, (var(INDEX),)) for n in random}

    def change(text: str) -> str:
        return change_text(text, lambda e: substitute(e, at))

    def of_all(f: Fact) -> Fact:
        over = f.over if not names_of((f.relation, *f.conditions)) & at.keys() else (*f.over, f"{INDEX}: {kind}")
        return Fact(change(f.claim), over, tuple(map(change, f.where)))

    for n in random:
        declares[n] = str(Sort(sorts[n].kind, True, (kind,)))
    step = replace(case.step, fact=of_all(case.step.fact), by=with_let(case.step.by, change))
    hypotheses = {n: of_all(f) for n, f in case.statement.hypotheses.items()}
    statement = replace(case.statement, hypotheses=hypotheses, steps=(step,), claims=(step.fact,), declares=declares)
    return replace(case, statement=statement, step=step, origin=f"{case.origin}, a family over {kind}")


def at_random(case: Case, kind: str, cited: bool) -> Case:
    """A second step that takes what the first one says of each index at a random one: by a use, or by a citation."""
    place = {INDEX: var(PLACE)}
    first = case.step
    put = lambda source: change_text(source, lambda e: substitute(e, place))  # noqa: E731
    over = tuple(o for o in first.fact.over if not o.startswith(INDEX))
    fact = Fact(put(first.fact.claim), over, tuple(map(put, first.fact.where)))
    declares = {**(case.statement.declares or {}), PLACE: str(Sort(kind, True))}
    if not cited:
        step = Step(fact, Follows((Use(1, {INDEX: PLACE}),)))
        return _with(case, declares, (first, step), fact)
    use = Step(fact, Follows((Use("h", {INDEX: PLACE}),)))
    lemma = replace(
        case.statement,
        label="lem:cited",
        hypotheses={"h": first.fact},
        steps=(use,),
        claims=(fact,),
        declares=declares,
    )
    under = Case(lemma, 1, use, case.origin)
    case = _with(case, declares, (first, Step(fact, Cite("lem:cited"))), fact)
    return replace(case, find=lambda _: lemma, under=under)


def _with(case: Case, declares: dict[str, str], steps: tuple[Step, ...], claim: Fact) -> Case:
    statement = replace(case.statement, declares=declares, steps=steps, claims=(claim,))
    return replace(case, statement=statement, number=len(steps), step=steps[-1])


def almost_surely(case: Case, rng: python_random.Random) -> Case | None:
    """A fact that the step uses is no hypothesis but a step: through a conditional mean, so almost surely only.

    Of lhs <= rhs the hypotheses say lhs == Egiven(K, I) and Egiven(K, I) <= rhs, for all values of its names.
    """
    statement, step = case.statement, case.step
    names = [n for n in _used(step, statement) if _numbers(statement.hypotheses[n])]
    if not names or len(statement.steps) != 1 or {"K_", "I_"} & (statement.declares or {}).keys():
        return None
    name = rng.choice(names)
    old = statement.hypotheses[name]
    over = [o.partition(":") for o in old.over]
    args = tuple(var(n.strip()) for n, _, _ in over)
    kinds = tuple(k.strip() or REAL for _, _, k in over)
    if {EVENT, INFORMATION} & set(kinds):
        return None
    k = call("at", var("K_"), *args) if INTEGER in kinds else Expr("K_", args) if args else var("K_")
    mean = call("Egiven", k, var("I_"))
    hypotheses = {
        **{n: f for n, f in statement.hypotheses.items() if n != name},
        "mean_": replace(old, claim=str(Relation("==", old.relation.lhs, mean))),
        "below_": replace(old, claim=str(Relation(old.relation.op, mean, old.relation.rhs))),
    }
    declares = {**(statement.declares or {}), "K_": str(Sort(REAL, True, kinds)), "I_": INFORMATION}
    first = Step(old, Follows(("mean_", "below_")))
    using = tuple(1 if u == name else u for u in getattr(step.by, "using", ()))
    step = replace(step, by=replace(step.by, using=using)) if using else step
    case = _with(case, declares, (first, step), step.fact)
    return replace(
        case,
        statement=replace(case.statement, hypotheses=hypotheses),
        origin=f"{case.origin}, {name} almost surely",
    )


def where_bounded(case: Case, rng: python_random.Random) -> Case | None:
    """The claim is made where a term is bounded of which it has a mean: the bound holds at these outcomes alone."""
    statement, step = case.statement, case.step
    if len(statement.steps) != 1 or step.fact.where or any(isinstance(u, int) for u in getattr(step.by, "using", ())):
        return None
    r = step.fact.relation
    terms = [n.args[0] for n in r.walk() if n.op in ("E", "Egiven")]
    if not terms:
        return None
    sorts = {n: read_sort(s) for n, s in (statement.declares or {}).items()}
    term = rng.choice(terms)
    vector = any(n.op == "var" and n.value in sorts and sorts[str(n.value)].kind == VECTOR for n in (term, *term.args))
    bound = str(Relation("<=", call("norm" if vector else "abs", term), num(1)))
    first = Step(Fact(bound, (), (bound,)), Decide())
    claim = replace(step.fact, where=(bound,))
    statement = replace(statement, steps=(first, step), claims=(claim,), concludes=((2,),))
    return replace(case, statement=statement, number=2, origin=f"{case.origin}, where bounded")


def _used(step: Step, statement: Statement) -> Iterator[str]:
    """The hypotheses that a step rests on by name, or that a citation may look for."""
    if isinstance(step.by, Cite):
        yield from statement.hypotheses
    yield from (u for u in getattr(step.by, "using", ()) if isinstance(u, str) and u in statement.hypotheses)


def _numbers(f: Fact) -> bool:
    """Whether a fact compares numbers (a vector has no order)."""
    try:
        return f.relation.op in ("<=", "<", "==") and f.relation.lhs.op not in _PREDICATES
    except FormulaError:
        return False


KINDS = (VECTOR, VECTOR, REAL, REAL, OBJECT, INTEGER)
