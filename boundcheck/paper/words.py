"""The paper's words: what each of its names is, declared once.

A statement of the catalogue declares those of them that it uses, and its own.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from boundcheck.kernel.formula import Relation
from boundcheck.kernel.proof.facts import ProofError, read
from boundcheck.kernel.proof.sorts import Sort, SortError
from boundcheck.kernel.proof.step import declared as sorts
from boundcheck.kernel.proof.step import defined_by
from boundcheck.kernel.proof.terms import bound_names, names
from boundcheck.kernel.statement import Definition, Fact, Statement, Step

FUNCTIONS = {
    "f": "vector -> real",
    "F": "vector -> random real",
    "fmu": "vector -> real",
    "gradf": "vector -> vector",
    "gradF": "vector -> random vector",
    "gradfmu": "vector -> vector",
    "slopef": "vector, vector -> real",
    "slopeF": "vector, vector -> random real",
}
POINTS = {**dict.fromkeys(("x", "x0"), "vector"), "fstar": "real"}
RANDOM = {
    **dict.fromkeys(("zeta", "u", "v", "g", "X1"), "random vector"),
    **dict.fromkeys(("U1", "Z"), "random real"),
}
PROCESS = {
    **dict.fromkeys(("xs", "gs", "ms", "es", "zs", "zst", "us", "rs", "as", "bs"), "integer -> random vector"),
    **dict.fromkeys(("gap", "Phi"), "integer -> random real"),
    "S": "integer -> random object",
    "W": "integer, integer -> random vector",
    "H": "integer, integer -> information",
    "past": "integer -> information",
}
INDICES = dict.fromkeys(("t", "s", "l", "j", "k", "n", "i"), "integer")
WORDS = {**FUNCTIONS, **POINTS, **RANDOM, **PROCESS}


def _written(statement: Statement) -> frozenset[str]:
    """The names that occur free in hypotheses, claims and steps."""
    facts: list[Fact] = [*statement.hypotheses.values(), *statement.claims]
    facts += [s.fact for t in statement.steps for s in (t, t.repair) if s is not None]
    found: set[str] = set()
    for fact in facts:
        relations: list[Relation] = [fact.relation, *fact.conditions]
        found |= {n for r in relations for side in (r.lhs, r.rhs) for n in names(side) | bound_names(side)}
        found |= {o.partition(":")[0].strip() for o in fact.over}
    return frozenset(found)


def declared(statement: Statement) -> Statement:
    """The statement with the paper's words that it uses declared, beside those that it declares itself.

    A statement without declarations is not ported yet and stays as it is.
    """
    if statement.declares is None:
        return statement
    own = {q.symbol for q in statement.parameters} | statement.declares.keys()
    used = _written(statement) - own
    words = {n: sort for n, sort in WORDS.items() if n in used}
    indices = {n: sort for n, sort in INDICES.items() if n in used}
    as_used = None if statement.as_used is None else declared(statement.as_used)
    found = replace(statement, declares={**words, **indices, **statement.declares}, as_used=as_used)
    scope = dict(sorts(found))

    def step(s: Step) -> Step:
        whole = tuple(f"{o}: integer" if o in s.integers else o for o in s.fact.over)
        s = replace(s, fact=replace(s.fact, over=whole), integers=())
        new = replace(s, fact=_annotated(s.fact, scope), repair=None if s.repair is None else step(s.repair))
        if isinstance(s.by, Definition):
            try:
                name, sort = defined_by(new, scope)
                scope[name] = sort
            except (SortError, ProofError):
                pass
        return new

    return replace(
        found,
        random=(),
        hypotheses={k: _annotated(f, scope) for k, f in found.hypotheses.items()},
        claims=tuple(_annotated(f, scope) for f in found.claims),
        steps=tuple(map(step, found.steps)),
    )


def _annotated(fact: Fact, scope: dict[str, Sort]) -> Fact:
    """The fact with the sorts of its quantified names written out: the first that make it well typed."""
    bare = [o for o in fact.over if ":" not in o]
    choices = [
        tuple(
            dict.fromkeys((scope[n].kind if n in scope and not scope[n].args else "real", "vector", "real", "integer"))
        )
        for n in bare
    ]
    for kinds in product(*choices):
        over = tuple(f"{o}: {kinds[bare.index(o)]}" if o in bare else o for o in fact.over)
        candidate = replace(fact, over=over)
        try:
            read(candidate, scope)
        except SortError:
            continue
        return candidate
    return fact
