"""Verification of a statement's certificate: obligations are generated anew, each needs a valid scalar certificate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from boundcheck.kernel.certificate import Check, verify
from boundcheck.kernel.check.numerals import require_bounded
from boundcheck.kernel.clock import seconds_used
from boundcheck.kernel.proof.facts import ProofError
from boundcheck.kernel.proof.obligations import conclusion_steps, obligations
from boundcheck.kernel.proof.scalar_claims import Obligation
from boundcheck.kernel.serial import SerialError, decode
from boundcheck.kernel.statement import GramClaim, Literature, Statement

MAX_STEPS = 2_000

#: What reading data that is no certificate raises.
FAULTS = (ProofError, SerialError, TypeError, ValueError, KeyError, AttributeError, RecursionError)


class Unfit(ValueError):
    """A certificate that does not carry what its statement demands; the message says what."""


def verify_statement(certificate: Any, seconds: float = 600.0) -> Check:
    """Whether every step of the embedded statement, and its claims, are proved by the certificates that it carries.

    Never raises on hostile data: what does not fit is refused with the reason.
    """
    start = seconds_used()
    try:
        nodes = 0
        for number, wanted, found in demanded(certificate):
            check = _verify_step(wanted, found, seconds - (seconds_used() - start))
            nodes += check.nodes
            if not check.valid:
                return Check(False, f"step {number}: {check.reason}", nodes, seconds_used() - start)
        return Check(True, "", nodes, seconds_used() - start)
    except Unfit as fault:
        return Check(False, str(fault), 0, seconds_used() - start)
    except FAULTS as fault:
        return Check(False, f"not a certificate of a statement: {fault}", 0, seconds_used() - start)


def demanded(certificate: Any) -> Iterator[tuple[int, list[Obligation], list[Any]]]:
    """(number, what is to be proved, the certificates for it) of every step and claim of the embedded statement.

    Raises :class:`Unfit` and what :func:`verify_statement` tells of data that is no certificate.
    """
    statement, cited, steps = _read(certificate)

    def lookup(label: str) -> Statement:
        if label not in cited:
            raise ProofError(f"the certificate does not carry {label}")
        return cited[label]

    every = [*statement.steps, *conclusion_steps(statement)]
    if len(steps) != len(every):
        raise Unfit(f"{len(every)} steps are to be proved, {len(steps)} are")
    for number, (step, proof) in enumerate(zip(every, steps, strict=True), 1):
        if not isinstance(proof, Mapping) or not isinstance(proof.get("certificates"), list):
            raise Unfit(f"step {number}: a list of certificates is wanted")
        form = step.repair or step  # later steps use the repaired form
        if proof.get("form") != ("printed" if step.repair is None else "repaired"):
            raise Unfit(f"step {number}: the proof is about the other form of the step")
        if isinstance(form.by, Literature):
            raise Unfit(f"step {number}: taken from the literature, not proved")
        wanted, found = obligations(statement, number, form, lookup), proof["certificates"]
        if len(found) != len(wanted):
            told = f"{len(wanted)} claims are to be proved, {len(found)} certificates are given"
            raise Unfit(f"step {number}: {told}")
        yield number, wanted, found


def _read(certificate: Any) -> tuple[Statement, dict[str, Statement], list[Any]]:
    if not isinstance(certificate, Mapping):
        raise SerialError("an object is wanted")
    require_bounded(certificate)
    if (certificate.get("kind"), certificate.get("schema")) != ("statement", 1):
        raise SerialError("kind: statement, schema 1 are wanted")
    statement = decode(certificate.get("statement"))
    cited = decode(certificate.get("cited"))
    steps = certificate.get("steps")
    if not isinstance(statement, Statement):
        raise SerialError("statement: a statement is wanted")
    if not statement.claims or statement.exists or statement.imprecise:
        raise SerialError("statement: steps prove claims, not that there is a constant or what has no truth value")
    if not isinstance(cited, tuple) or not all(isinstance(s, Statement) for s in cited):
        raise SerialError("cited: a list of statements is wanted")
    if not isinstance(steps, list) or len(steps) > MAX_STEPS:
        raise SerialError("steps: a list is wanted")
    return statement, {s.label: s for s in cited}, steps


def _verify_step(wanted: list[Obligation], found: list[Any], seconds: float) -> Check:
    nodes = 0
    for obligation, certificate in zip(wanted, found, strict=True):
        if isinstance(obligation.claim, GramClaim):
            from boundcheck.kernel.check.gram_certificate import verify_gram  # for statements that have forms

            check = verify_gram(certificate, obligation.claim)
        else:
            check = verify(certificate, obligation.claim, max(seconds, 0.1))
        nodes += check.nodes
        if not check.valid:
            return Check(False, f"{obligation.role}: {check.reason}", nodes)
    return Check(True, "", nodes)
