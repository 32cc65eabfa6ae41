"""Statements written as JSON-able data, which :mod:`boundcheck.kernel.serial` reads back, and their fingerprint."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from boundcheck.kernel.statement import Statement


def encode(value: Any) -> Any:
    """Records, tuples, mappings and scalars as :func:`boundcheck.kernel.serial.decode` reads them back."""
    if is_dataclass(value) and not isinstance(value, type):
        record: dict[str, Any] = {"type": type(value).__name__}
        for f in fields(value):
            if getattr(value, f.name) or not f.metadata.get("optional"):
                record[f.name] = encode(getattr(value, f.name))
        return record
    if isinstance(value, (tuple, list)):
        return [encode(v) for v in value]
    if isinstance(value, Mapping):
        return {"map": [[k, encode(v)] for k, v in value.items()]}
    return value


def fingerprint(statement: Statement) -> str:
    """A hash of everything that is decided about ``statement`` (its twins and notes for people included)."""
    return hashlib.sha256(json.dumps(encode(statement), sort_keys=True).encode()).hexdigest()[:16]
