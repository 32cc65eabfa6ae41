"""Certificates that are named: read, and what each is about, in a line."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from boundcheck.app.commands.output import shortened
from boundcheck.author.wording import fact_text
from boundcheck.kernel.serial import SerialError, decode
from boundcheck.kernel.statement import Statement
from boundcheck.paper import catalogue
from boundcheck.system.exits import Unusable
from boundcheck.system.files import read_json
from boundcheck.written import fingerprint

SAID = 2000  #: characters of a statement that is told in full


def read(name: str) -> dict[str, Any]:
    """The certificate in a file. Raises :class:`Unusable`."""
    refuse_statements(name)
    data = read_json(name)
    if not isinstance(data, dict):
        raise Unusable(f"{name}: not a certificate (a JSON object is wanted)")
    return data


def refuse_statements(target: str) -> None:
    """Raise :class:`Unusable`, with what to do, where statements are named and a certificate is wanted."""
    mend = f"`check {target} --certificates DIR` decides and writes certificates, `verify DIR/*.json` checks these"
    own = re.fullmatch(r"(.*\.(?:toml|py))(:.*)?", target)
    if own and os.path.isfile(own[1]):
        raise Unusable(f"{target}: statements, not a certificate; {mend}")
    if not os.path.exists(target) and not target.endswith(".json") and ":" in target:
        raise Unusable(f"{target}: a label, not a certificate; {mend}")


def about(data: Mapping[str, Any]) -> str:
    """What a certificate is about: the statement and whether the catalogue has it so, the claim or the rate."""
    if data.get("kind") == "statement":
        return _about(data)
    if data.get("kind") == "rate":
        return _rate(data)
    return f"no constant in {_about(data)}" if data.get("kind") == "skolem" else _claim(data)


def _rate(data: Mapping[str, Any]) -> str:
    """The rate inside: its claim, its domain and its classes."""
    from boundcheck.kernel.check.rate_certificate import decode_rate
    from boundcheck.kernel.rate import RateError

    try:
        rate = decode_rate(data.get("rate"))
    except RateError:
        return ""
    classes = ", ".join(f"{f} is {c}" for f, c in rate.functions.items())
    return f"{rate.claim} where {', '.join(rate.where)}; {classes}"[:200]


def _about(data: Mapping[str, Any]) -> str:
    """The statement inside and those that it takes as given, each with whether the catalogue has it so."""
    try:
        about = _known(decode(data.get("statement")))
        given = [_known(s) for s in decode(data.get("cited"))] if "cited" in data else []
    except (SerialError, AttributeError, TypeError, ValueError):
        return ""
    return about + (f", given {'; '.join(given)}" if given else "")


def _known(statement: Any) -> str:
    """A statement's label, and in which of its forms the catalogue has it: as printed, as used, or not at all."""
    own = catalogue().get(statement.label)
    if own is None:
        taken = (
            "a statement of the literature" if statement.literature else "a statement"
        )  # no proof of it is anywhere
        return f"{statement.label}, {taken} that is not of the catalogue: {_said(statement)}"
    mark = fingerprint(statement)
    if mark == fingerprint(own):
        return f"{statement.label}, as the catalogue has it"
    if own.as_used is not None and mark == fingerprint(own.as_used):
        return f"{statement.label}, as the catalogue has it in the form that is used"
    return f"{statement.label}, NOT as the catalogue has it"


def _said(statement: Statement) -> str:
    """What a statement says: its claims, the domains and hypotheses under which, and what its names are."""
    domains = [text for q in statement.parameters for text in (*q.domain, *[f"{q.symbol} integer"] * q.integer)]
    given = [*domains, *map(fact_text, statement.hypotheses.values())]
    names = ", ".join(f"{name}: {sort}" for name, sort in statement.sorts.items())
    told = "; ".join(map(fact_text, statement.claims)) + (f" if {'; '.join(given)}" if given else "")
    return shortened(" ".join(told.split()) + (f" ({names})" if names else ""), SAID)


def _claim(data: Mapping[str, Any]) -> str:
    claim = data.get("claim")
    if not isinstance(claim, dict):
        return ""
    text = " and ".join(map(str, claim.get("claim") or ()))
    whole = (f"{n} whole" for n in claim.get("integers") or ())
    where = ", ".join((*map(str, claim.get("where") or ()), *whole))
    return f"{text}{' where ' + where if where else ''}"[:200]
