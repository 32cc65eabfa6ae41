"""What earlier searches found, so that the same claim is checked again and not searched again.

A record is a hint and nothing more: a certificate goes through the kernel and a witness through balls as if it had
just been found, and what does not hold is searched. A claim is known by its formulas, whatever its name.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, Protocol

from boundcheck.kernel.statement import Claim, GramClaim

Record = dict[str, Any]
_HERE = threading.local()
_NUMBER = re.compile(r"-?[0-9]{1,4000}(/[0-9]{1,4000}|(\.[0-9]{1,4000})?([eE][+-]?[0-9]{1,4})?)")


class Known(Protocol):
    """Records of before by their key."""

    def get(self, key: str, /) -> Record | None:
        """The record, None where there is none."""


@contextmanager
def remembering(known: Known) -> Iterator[dict[str, Record]]:
    """Inside, searches of this thread look into ``known`` first; yields the records that were used or made."""
    outer = getattr(_HERE, "memory", None)
    used: dict[str, Record] = {}
    _HERE.memory = known, used
    try:
        yield used
    finally:
        _HERE.memory = outer


def key_of(kind: str, *asked: object) -> str:
    """A hash of what is asked: the ``kind`` of search, its claim by its formulas, and what else it depends on."""
    told = "\n".join(map(_told, asked))
    return hashlib.sha256(f"{kind}\n{told}".encode()).hexdigest()[:24]


def _told(asked: object) -> str:
    if isinstance(asked, Claim):
        return f"{asked}\n{sorted(asked.integers)}"
    return f"{asked}\n{asked.vectors}" if isinstance(asked, GramClaim) else str(asked)


def recall(key: str) -> Record | None:
    """The record of an earlier search, None where there is none."""
    memory = getattr(_HERE, "memory", None)
    if memory is None:
        return None
    record = memory[1].get(key) or memory[0].get(key)
    return record if isinstance(record, dict) else None


def fraction(text: object) -> Fraction:
    """The number of a record. Raises :class:`ValueError` where it is no short text, as 1e999999999."""
    if not isinstance(text, str) or not _NUMBER.fullmatch(text):
        raise ValueError("no number of a record")
    return Fraction(text)


def keep(key: str, record: Record) -> None:
    """Keep what a search found, or what was recalled and holds."""
    memory = getattr(_HERE, "memory", None)
    if memory is not None:
        memory[1][key] = record
