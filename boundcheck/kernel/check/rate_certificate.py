"""Re-check of what is said of a rate: certificates of its cases and of what they are under.

The cases are expanded anew from the rate's own texts through the declared classes. Of the certificate they take the
moves (``rate_cases``), which are checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from boundcheck.kernel.certificate import Check
from boundcheck.kernel.check.gram_certificate import verify_gram
from boundcheck.kernel.clock import budget, seconds_used
from boundcheck.kernel.rate import Expanded, Rate, RateError, expand

SCHEMA = 2
_TEXTS = ("points", "method", "given", "where")
_KEYS = {"name", "functions", "claim", "sums", *_TEXTS}


def encode_rate(rate: Rate) -> dict[str, Any]:
    """The rate as JSON-able data."""
    return {
        "name": rate.name,
        "functions": dict(rate.functions),
        "sums": dict(rate.sums or {}),
        "claim": rate.claim,
        **{key: list(getattr(rate, key)) for key in _TEXTS},
    }


def decode_rate(data: Any) -> Rate:
    """The rate behind :func:`encode_rate`'s data. Raises :class:`boundcheck.kernel.rate.RateError`."""
    if not isinstance(data, Mapping) or data.keys() != _KEYS:
        raise RateError(f"a rate has {', '.join(sorted(_KEYS))}")
    for key in ("functions", "sums"):
        if not isinstance(data[key], Mapping) or not all(isinstance(v, str) for v in data[key].values()):
            raise RateError(f"{key}: texts by name are wanted")
    for key in _TEXTS:
        if not isinstance(data[key], (list, tuple)) or not all(isinstance(v, str) for v in data[key]):
            raise RateError(f"{key}: a list of texts is wanted")
    texts = {key: tuple(data[key]) for key in _TEXTS}
    return Rate(str(data["name"]), dict(data["functions"]), claim=str(data["claim"]), sums=dict(data["sums"]), **texts)


def replayed(certificate: Mapping[str, Any]) -> tuple[Rate, Expanded]:
    """The rate of a certificate, and what it comes down to by its moves. Raises :class:`RateError`."""
    rate, moves = decode_rate(certificate.get("rate")), certificate.get("moves")
    if not isinstance(moves, (list, tuple)):
        raise RateError("moves: a list is wanted")
    left = iter(moves)
    expanded = expand(rate, lambda *_: next(left, None))
    if list(left):
        raise RateError("moves: there are more than cases use")
    return rate, expanded


def verify_rate(certificate: Any, rate: Rate | None = None, seconds: float = 60.0) -> Check:
    """Re-check a certificate; with ``rate``, also that it is about this very rate. Never raises."""
    start = seconds_used()

    def check(valid: bool, reason: str = "", nodes: int = 0) -> Check:
        return Check(valid, reason, nodes, seconds_used() - start)

    if not isinstance(certificate, Mapping) or certificate.get("kind") != "rate":
        return check(False, "kind: rate is wanted")
    if type(certificate.get("schema")) is not int or certificate["schema"] != SCHEMA:
        return check(False, f"schema {SCHEMA} is wanted")
    try:
        with budget(seconds):
            about, expanded = replayed(certificate)
        wanted = (*expanded.cases, *expanded.defined)
    except (RateError, RecursionError) as fault:
        return check(False, str(fault))
    if rate is not None and encode_rate(rate) != encode_rate(about):
        return check(False, "the certificate is about another rate")
    cases = certificate.get("cases")
    if not isinstance(cases, (list, tuple)) or len(cases) != len(wanted):
        return check(False, f"{len(wanted)} cases are wanted")
    nodes = 0
    for number, (case, claim) in enumerate(zip(cases, wanted, strict=True), 1):
        found = verify_gram(case, claim, seconds)
        nodes += found.nodes
        if not found.valid:
            return check(False, f"case {number}: {found.reason}", nodes)
    return check(True, "", nodes)
