"""Identities by exact symbolic computation: an equality is PROVED by a normal form, never by a small number."""

from __future__ import annotations

from boundcheck.kernel.clock import seconds_used
from boundcheck.kernel.formula import Expr, Relation
from boundcheck.kernel.normal_form import analyse
from boundcheck.kernel.normal_form import is_zero as _is_zero
from boundcheck.kernel.statement import Claim, Status, Verdict


def is_zero(e: Expr, where: tuple[Relation, ...] = (), integers: frozenset[str] = frozenset()) -> bool:
    """True only if ``e`` is defined and 0 at every point of the domain, with a proof."""
    return _is_zero(e, where, integers)


def identity_verdict(claim: Claim) -> Verdict:
    """PROVED if both sides of every relation have one normal form; UNDECIDED with the reason otherwise.

    <= and >= are proved as equalities too; a strict relation never is.
    """
    start = seconds_used()
    cases = 0
    for r in claim.claim:
        if r.strict:
            return _undecided(claim, f"{r.op} is no identity", start)
        found = analyse(r.lhs - r.rhs, claim.where, claim.integers)
        cases += found.cases
        if not found.zero:
            return _undecided(claim, found.reason, start)
        if found.conditions:
            open_ones = ", ".join(map(str, found.conditions[:3]))
            return _undecided(claim, f"equal wherever {open_ones}; not proved from the hypotheses", start)
    certificate = {"kind": "identity", "cases": cases}
    return Verdict(
        claim.name,
        Status.PROVED,
        method="identity",
        certificate=certificate,
        reason="both sides have the same normal form",
        seconds=seconds_used() - start,
    )


def _undecided(claim: Claim, reason: str, start: float) -> Verdict:
    return Verdict(claim.name, Status.UNDECIDED, method="identity", reason=reason, seconds=seconds_used() - start)
