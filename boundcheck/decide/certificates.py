"""Certificates as JSON-able data, from what a search has found; the kernel reads them and trusts none of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from boundcheck.kernel import certificate
from boundcheck.kernel.check import rate_certificate
from boundcheck.kernel.rate import Rate
from boundcheck.kernel.statement import Claim


def make(claim: Claim, proofs: list[dict[str, Any]]) -> dict[str, Any]:
    """The certificate of ``claim`` with one proof for each of its goals."""
    return {
        "schema": certificate.SCHEMA,
        "claim": {
            "claim": [str(r) for r in claim.claim],
            "where": [str(r) for r in claim.where],
            "integers": sorted(claim.integers),
        },
        "proofs": proofs,
    }


def make_rate(rate: Rate, moves: Iterable[Any], cases: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The certificate of ``rate`` from the moves to its cases and from their certificates."""
    about = rate_certificate.encode_rate(rate)
    return {
        "schema": rate_certificate.SCHEMA,
        "kind": "rate",
        "rate": about,
        "moves": list(moves),
        "cases": list(cases),
    }
