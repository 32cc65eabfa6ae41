"""Re-check of a Skolem certificate: an assertion that a constant exists is refuted for every value of it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from boundcheck.kernel.certificate import Check, verify
from boundcheck.kernel.check.numerals import require_bounded
from boundcheck.kernel.formula import FormulaError
from boundcheck.kernel.proof.existence import NoInstance, obligations, violations
from boundcheck.kernel.serial import SerialError, decode
from boundcheck.kernel.statement import Exists, Statement


def verify_carried(certificate: Any, seconds: float = 60.0) -> Check:
    """Whether ``certificate`` refutes the assertion number "assertion" of the statement that it carries.

    That the carried statement is the one of interest is for the caller to compare. Never raises on hostile data.
    """
    try:
        statement, number = decode(certificate.get("statement")), certificate.get("assertion")
        if not isinstance(statement, Statement):
            return Check(False, "statement: a statement is wanted")
        if type(number) is not int or not 0 <= number < len(statement.exists):
            return Check(False, f"assertion: one of the {len(statement.exists)} assertions of the statement is wanted")
        return verify_skolem(certificate, statement, statement.exists[number], seconds)
    except (SerialError, TypeError, ValueError, AttributeError, RecursionError) as fault:
        return Check(False, f"not a Skolem certificate: {fault}")


def verify_skolem(certificate: Any, statement: Statement, exists: Exists, seconds: float = 60.0) -> Check:
    """Whether the witness functions of ``certificate`` refute ``exists``. Never raises on hostile data."""
    try:
        if (
            not isinstance(certificate, Mapping)
            or certificate.get("kind") != "skolem"
            or certificate.get("schema") != 1
        ):
            return Check(False, "kind: skolem, schema 1 are wanted")
        require_bounded(certificate)
        family = next((f for f in exists.families if f.name == certificate.get("family")), None)
        number, proofs = certificate.get("failing"), certificate.get("certificates")
        if family is None or type(number) is not int or not 0 <= number < 64 or not isinstance(proofs, (list, tuple)):
            return Check(False, "a family of the assertion, a case and a list of certificates are wanted")
        failing = next(islice(violations(statement, exists, family), number, None), None)
        if failing is None:
            return Check(False, "the family has no such case")
        claims = obligations(statement, exists, family, failing, dict(certificate["witness"]))
        if len(claims) != len(proofs):
            return Check(False, f"{len(claims)} claims are to be proved, {len(proofs)} certificates are given")
        nodes = 0
        for claim, proof in zip(claims, proofs, strict=True):
            check = verify(proof, claim, seconds)
            nodes += check.nodes
            if not check.valid:
                return Check(False, check.reason, nodes)
        return Check(True, "", nodes)
    except (NoInstance, FormulaError, TypeError, ValueError, KeyError, AttributeError, RecursionError) as fault:
        return Check(False, f"not a Skolem certificate: {fault}")
