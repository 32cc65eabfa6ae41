"""The one way to a step's obligations: by declarations, or by the untyped layer where a statement has none yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from boundcheck.kernel.proof import obligations as typed
from boundcheck.kernel.proof.scalar import Obligation
from boundcheck.kernel.proof.step import Lookup, book
from boundcheck.kernel.proof.terms import names_of
from boundcheck.kernel.rules import RULES
from boundcheck.kernel.statement import ByGram, Follows, GramClaim, Ref, Statement, Step, Use
from boundcheck.kernel.untyped import obligations as untyped
from boundcheck.kernel.untyped import scope
from boundcheck.kernel.untyped.rules import RULES as UNTYPED


def obligations(statement: Statement, number: int, step: Step, lookup: Lookup) -> list[Obligation]:
    """The scalar claims that prove step ``number`` (from 1) of ``statement``; raises ProofError."""
    if statement.declares is None:
        return untyped.obligations(statement, number, step, lookup)
    return typed.obligations(statement, number, step, lookup)


def conclusion_steps(statement: Statement) -> list[Step]:
    """The statement's claims as last steps, decided from the conclusions before them."""
    default: tuple[Ref, ...] = (len(statement.steps),) if statement.steps else ()
    refs = statement.concludes or tuple(default for _ in statement.claims)
    return [Step(fact, Follows(using)) for fact, using in zip(statement.claims, refs, strict=True)]


def with_constant(
    statement: Statement, by: ByGram, obligation: Obligation, value: str
) -> Callable[[Fraction], GramClaim]:
    """The obligation of a quadratic form with c in place of its constant ``value``."""
    if statement.declares is None:
        return untyped.with_constant(by, obligation, value)
    return typed.with_constant(by, obligation, value)


def rules_of(statement: Statement) -> Mapping[str, Any]:
    """The rule schemas that steps of the statement may name."""
    return UNTYPED if statement.declares is None else RULES


def left_out(statement: Statement, number: int, step: Step) -> frozenset[str]:
    """The names of which the statement says more than the step uses: by other hypotheses, by definitions."""
    used = {r.ref if isinstance(r, Use) else r for r in getattr(step.by, "using", ())}
    others = [f for name, f in statement.hypotheses.items() if name not in used]
    relations = [r for f in others for r in (f.relation, *f.conditions)]
    if statement.declares is None:
        return scope.names_of(relations) | scope.defined_names(statement, number).keys()
    return names_of(relations) | book(statement).defined(number)
