"""Facts and justifications as one line of text, for show and the report."""

from __future__ import annotations

from boundcheck.kernel.statement import (
    ByGram,
    ByRule,
    Cite,
    Decide,
    Definition,
    Fact,
    Follows,
    Literature,
    Ref,
    Step,
    Use,
)


def fact_text(fact: Fact) -> str:
    """The assertion with its quantified names and conditions."""
    over = f"for all {', '.join(fact.over)}" if fact.over else ""
    where = f"where {', '.join(fact.where)}" if fact.where else ""
    return " ".join(t for t in (fact.claim, over, where) if t)


def reason_text(step: Step) -> str:
    """Why a step is said to hold, with what it uses."""
    by = step.by
    if isinstance(by, Decide):
        return _using("decided by the engines", by.using)
    if isinstance(by, Follows):
        return _using("follows", by.using) if by.using else "follows from the domain"
    if isinstance(by, ByRule):
        return _using(f"rule {by.rule}", by.using)
    if isinstance(by, ByGram):
        return _using("quadratic forms in free vectors", by.using)
    if isinstance(by, Cite):
        part = f", claim {by.part + 1}" if by.part else ""
        return _using(f"cites {by.label}{part}{' (as used)' if by.as_used else ''}", by.using)
    if isinstance(by, Definition):
        return "definition"
    assert isinstance(by, Literature)
    return f"taken from {by.reference}"


def _using(head: str, refs: tuple[Ref, ...]) -> str:
    return f"{head} from {', '.join(map(_ref, refs))}" if refs else head


def _ref(ref: Ref) -> str:
    if isinstance(ref, Use):
        let = ", ".join(f"{k} = {v}" for k, v in ref.let.items())
        return f"{_ref(ref.ref)} at {let}" if let else _ref(ref.ref)
    return f"({ref})" if isinstance(ref, int) else ref
