"""What a search that found nothing depends on, so that the same search is not run again.

It is all that stands before the line, what the hint cites, and the program: a changed search may find more.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from boundcheck.author.draft import Draft
from boundcheck.author.proof_records import Hint
from boundcheck.kernel.proof.step import Lookup
from boundcheck.kernel.statement import Statement
from boundcheck.written import fingerprint

_FOLDER = Path(__file__).parents[1]
_ROOMS = ("author", "decide", "kernel")  #: what a search runs


@lru_cache(maxsize=1)
def program() -> str:
    """A hash of the modules and rules that a search runs."""
    files = sorted(p for room in _ROOMS for p in (_FOLDER / room).rglob("*") if p.suffix in (".py", ".rules"))
    return hashlib.sha256(b"".join(p.read_bytes() for p in files)).hexdigest()[:16]


def _plain(statement: Statement) -> Statement:
    """The statement without its planted falsehoods and its words for people."""
    parameters = tuple(replace(q, meaning="") for q in statement.parameters)
    used = None if statement.as_used is None else _plain(statement.as_used)
    return replace(
        statement, title="", part="", text="", note="", places={}, twins=(), parameters=parameters, as_used=used
    )


def _said(statement: Statement) -> Statement:
    """What a statement says, whatever its proof is."""
    used = None if statement.as_used is None else _said(statement.as_used)
    return replace(_plain(statement), steps=(), concludes=(), as_used=used)


def cited(labels: Iterable[str], lookup: Lookup) -> dict[str, str]:
    """A hash of what each of the labels says; words that are no label have none."""
    found = {}
    for label in labels:
        with contextlib.suppress(LookupError):
            found[label] = fingerprint(_said(lookup(label)))
    return found


def miss_key(draft: Draft, line: str, hint: Hint) -> str:
    """A hash of all that the search for a line depends on; ``line`` is that of what the line says."""
    others = cited((i.name for i in hint.items), draft.checker.lookup)
    told = f"{program()}\n{line}\n{fingerprint(_plain(draft.statement))}\n{others}"
    return hashlib.sha256(told.encode()).hexdigest()[:24]
