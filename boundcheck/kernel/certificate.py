"""Certificates as JSON-able data, and the check of one in ball and exact arithmetic.

    {"schema": 1, "claim": {"claim": [...], "where": [...], "integers": [...]}, "proofs": [node, ...]}

A node is {"rule": name, ..., "then": [node, ...]}; the rules are in :mod:`boundcheck.kernel.check.refine`. What a
node's children must prove is recomputed from the claim by the rule, never read from the certificate, so an
edited claim, a dropped leaf or another claim's tree does not fit. There is one proof for every goal of
:func:`goals`: each formula is defined on the domain, and each relation holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flint import ctx

from boundcheck.kernel.check.nodes_read import relation
from boundcheck.kernel.check.numerals import require_bounded
from boundcheck.kernel.check.reductions import binary
from boundcheck.kernel.check.refine import refine
from boundcheck.kernel.check.sequent import Refused, Sequent, obligations
from boundcheck.kernel.clock import budget, passed, seconds_used
from boundcheck.kernel.formula import MAX_LENGTH, Relation
from boundcheck.kernel.statement import Claim

SCHEMA = 1
PRECISION = 96  #: bits of the verifier's balls
MAX_NODES = 60_000
MAX_DEPTH = 90
MAX_SIZE = MAX_LENGTH  #: symbols of one relation in a goal: none is longer than a text that is read may be


@dataclass(frozen=True)
class Check:
    """Whether a certificate is valid, why not, and what it took."""

    valid: bool
    reason: str = ""
    nodes: int = 0
    seconds: float = 0.0


def sequents(claim: Claim) -> list[Sequent]:
    """One sequent for each relation of the claim; min and max nested in pairs."""
    hyps = tuple(h.map(binary) for h in claim.where)
    return [Sequent(hyps, r.map(binary), claim.integers) for r in claim.claim]


def goals(claim: Claim) -> list[Sequent]:
    """Everything that a certificate of ``claim`` must prove, in order."""
    out: list[Sequent] = []
    for s in sequents(claim):
        out += obligations(s.goal.lhs - s.goal.rhs, s)
        out.append(s)
    return out


def read_claim(data: Any) -> Claim:
    """The claim that a certificate is about. Raises :class:`Refused`."""
    if not isinstance(data, Mapping):
        raise Refused("claim: an object is wanted")

    def texts(key: str) -> list[str]:
        v = data.get(key)
        if not isinstance(v, (list, tuple)) or len(v) > 200 or not all(isinstance(t, str) for t in v):
            raise Refused(f"claim.{key}: a list of texts is wanted")
        return list(v)

    def relations(key: str) -> tuple[Relation, ...]:
        return tuple(relation(t, f"claim.{key}") for t in texts(key))

    found = relations("claim")
    if not found:
        raise Refused("claim.claim: at least one relation is wanted")
    return Claim("certificate", found, relations("where"), frozenset(texts("integers")))


def verify(certificate: Mapping[str, Any], claim: Claim | None = None, seconds: float = 120.0) -> Check:
    """Re-check a certificate; with ``claim``, also that it is about this very claim. Never raises."""
    start = seconds_used()
    count = 0

    def clock() -> None:
        if passed(start + seconds):
            raise Refused(f"the check took more than {seconds:g} s")

    try:
        if not isinstance(certificate, Mapping):
            raise Refused("a certificate is an object")
        require_bounded(certificate)
        if type(certificate.get("schema")) is not int or certificate.get("schema") != SCHEMA:
            raise Refused(f"schema {SCHEMA} is wanted")
        about = read_claim(certificate.get("claim"))
        if claim is not None and (claim.claim, claim.where, claim.integers) != (
            about.claim,
            about.where,
            about.integers,
        ):
            raise Refused("the certificate is about another claim")
        proofs = certificate.get("proofs")
        if not isinstance(proofs, (list, tuple)):
            raise Refused("proofs: a list is wanted")
        with ctx.workprec(PRECISION), budget(seconds):
            wanted = goals(about)
            if len(wanted) != len(proofs):
                raise Refused(f"{len(proofs)} proofs for {len(wanted)} goals")
            stack = [(node, seq, 0) for node, seq in zip(proofs, wanted, strict=True)]
            while stack:
                node, seq, depth = stack.pop()
                count += 1
                clock()
                if not isinstance(node, Mapping):
                    raise Refused("a node is an object")
                if count > MAX_NODES or depth > MAX_DEPTH:
                    raise Refused("the certificate is too large or too deep")
                left = refine(node, seq, clock)
                if any(r.lhs.size + r.rhs.size > MAX_SIZE for s in left for r in (*s.hyps, s.goal)):
                    raise Refused("a goal becomes longer than a text may be")
                then = node.get("then", [])
                if not isinstance(then, (list, tuple)) or len(then) != len(left):
                    raise Refused(f"{node.get('rule')}: {len(left)} children are wanted")
                stack.extend((n, s, depth + 1) for n, s in zip(then, left, strict=True))
    except Refused as refusal:
        return Check(False, str(refusal), count, seconds_used() - start)
    except (ArithmeticError, ValueError, TypeError, RecursionError, MemoryError, KeyError, AttributeError) as error:
        return Check(False, f"not checkable: {type(error).__name__}: {error}", count, seconds_used() - start)
    return Check(True, "", count, seconds_used() - start)
