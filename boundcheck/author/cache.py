"""What was found for a text, kept under a hash of the text: a second reading does not search again.

What is kept is checked by the kernel like everything else; a file that was changed by hand can lose a proof, not make
one. The folder is BOUNDCHECK_CACHE, else XDG_CACHE_HOME/boundcheck, else ~/.cache/boundcheck.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import asdict, replace
from pathlib import Path

from boundcheck.author import adapter
from boundcheck.author.elaborate import Elaboration, Found, elaborate
from boundcheck.author.source import Place
from boundcheck.author.toml import Written
from boundcheck.files import write_json
from boundcheck.kernel.serial import SerialError, decode, encode, fingerprint

VERSION = 1  #: of what is kept; a newer search may find what an older one did not
MAX_BYTES = 5_000_000


def folder() -> Path:
    """Where elaborated proofs are kept."""
    own = os.environ.get("BOUNDCHECK_CACHE")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "boundcheck"


def elaborated(written: Written, lookup: adapter.Lookup, cited: tuple[str, ...] = ()) -> Elaboration:
    """The statement with its proof in records: kept from before, or searched now (and kept where it is whole)."""
    path = folder() / f"{_key(written, lookup, cited)}.json"
    kept = _load(path, written)
    if kept is not None:
        return kept
    made = elaborate(written.statement, written.lines, lookup)
    if not made.faults:
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_json(path, {"statement": encode(made.statement), "lines": [asdict(f) for f in made.lines]})
    return made


def _key(written: Written, lookup: adapter.Lookup, cited: tuple[str, ...]) -> str:
    told = [str(VERSION), fingerprint(written.statement), written.proof]
    for label in cited:
        with contextlib.suppress(LookupError):
            told.append(fingerprint(lookup(label)))
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:32]


def _load(path: Path, written: Written) -> Elaboration | None:
    """What is kept at ``path``, if it is a proof of the statement that is written."""
    try:
        if path.stat().st_size > MAX_BYTES:
            return None
        data = json.loads(path.read_text(encoding="utf-8"))
        statement = decode(data["statement"])
        lines = tuple(Found(**{**f, "place": Place(**f["place"])}) for f in data["lines"])
        same = replace(statement, steps=(), concludes=()) == replace(written.statement, steps=(), concludes=())
    except (OSError, ValueError, KeyError, TypeError, AttributeError, SerialError):
        return None
    shift = written.lines[0].place.line - lines[0].place.line if lines and written.lines else 0
    moved = tuple(replace(f, place=Place(f.place.line + shift, f.place.column)) for f in lines)
    return Elaboration(statement, moved) if same else None
