"""From a statement to what has to be decided: the steps, the claims as last steps, and what each demands."""

from __future__ import annotations

from boundcheck.kernel.proof.obligations import obligations, with_constant
from boundcheck.kernel.proof.step import book
from boundcheck.kernel.proof.terms import names_of
from boundcheck.kernel.statement import Follows, Ref, Statement, Step, Use

__all__ = ["conclusion_steps", "left_out", "obligations", "with_constant"]


def conclusion_steps(statement: Statement) -> list[Step]:
    """The statement's claims as last steps, decided from the conclusions before them."""
    default: tuple[Ref, ...] = (len(statement.steps),) if statement.steps else ()
    refs = statement.concludes or tuple(default for _ in statement.claims)
    return [Step(fact, Follows(using)) for fact, using in zip(statement.claims, refs, strict=True)]


def left_out(statement: Statement, number: int, step: Step) -> frozenset[str]:
    """The names of which the statement says more than the step uses: by other hypotheses, by definitions."""
    used = {r.ref if isinstance(r, Use) else r for r in getattr(step.by, "using", ())}
    others = [f for name, f in statement.hypotheses.items() if name not in used]
    relations = [r for f in others for r in (f.relation, *f.conditions)]
    return names_of(relations) | book(statement).defined(number)
