"""Attempts to derive 0 >= 1 from the hypotheses of a statement alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from boundcheck.decide import decide
from boundcheck.kernel.formula import FormulaError
from boundcheck.kernel.proof.book import declared
from boundcheck.kernel.proof.facts import ProofError, quantified
from boundcheck.kernel.proof.obligations import obligations
from boundcheck.kernel.proof.sorts import Sort, SortError
from boundcheck.kernel.statement import Claim, Fact, Follows, Ref, Statement, Step, Use
from boundcheck.paper import lookup
from boundcheck.verdict import Status

ABSURD = Fact("0 >= 1")
SECONDS = 2.0


def attempts(statement: Statement) -> dict[str, Any]:
    """How many facts were in sight, and what the engines made of 0 >= 1."""
    facts = in_sight(statement)
    found = _asked(statement, facts)
    if isinstance(found, str):
        return {"facts": len(facts), "derived": False, "why": found}
    claims = [o.claim for o in found if isinstance(o.claim, Claim)]
    return {"facts": len(facts), "derived": bool(claims) and all(map(_proved, claims)), "why": ""}


def _proved(claim: Claim) -> bool:
    """Whether the engine proves the claim, or sees that no point meets its conditions."""
    found = decide(claim, SECONDS)
    return found.status is Status.PROVED or found.method == "empty domain"


def in_sight(statement: Statement) -> list[Ref]:
    """The hypotheses that a scalar step may use: as they stand, or at plain values of their names."""
    sorts = declared(statement)
    found: list[Ref] = []
    for name, fact in statement.hypotheses.items():
        let = _values(fact, sorts)
        if let is not None:
            ref: Ref = Use(name, let) if let else name
            if not isinstance(_asked(statement, [ref]), str):
                found.append(ref)
    return found


def _values(fact: Fact, sorts: dict[str, Sort]) -> dict[str, str] | None:
    """1 for numbers, a declared constant for a vector; None where there is none."""
    points = [n for n, s in sorts.items() if str(s) == "vector"]
    found = {}
    for name, sort in quantified(fact, sorts).items():
        if sort.kind in ("real", "integer"):
            found[name] = "1"
        elif sort.kind == "vector" and points:
            found[name] = points[0]
        else:
            return None
    return found


def _asked(statement: Statement, facts: list[Ref]) -> Any:
    """The scalar claims behind 0 >= 1 from these facts, or why there are none."""
    step = Step(ABSURD, Follows(tuple(facts)))
    s = replace(statement, steps=(step,), claims=(ABSURD,), concludes=())
    try:
        return obligations(s, 1, step, lookup)
    except (ProofError, FormulaError, SortError) as fault:
        return str(fault)
