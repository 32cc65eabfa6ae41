"""What was found for a text, kept beside it: neither a second reading nor a changed line searches the rest again.

What is kept is checked by the kernel like everything else; a file that was changed by hand can lose a proof, not make
one. That nothing was found for a line is kept as well, until something changes that its search depends on.

For a user's file the folder is BOUNDCHECK_CACHE, else XDG_CACHE_HOME/boundcheck, else ~/.cache/boundcheck.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from boundcheck.author.made import Elaboration, Found, Mark, Miss
from boundcheck.author.misses import cited
from boundcheck.author.source import Place
from boundcheck.author.toml import Written
from boundcheck.kernel.proof.step import Lookup
from boundcheck.kernel.serial import SerialError, decode
from boundcheck.kernel.statement import Statement
from boundcheck.system.files import read_json, write_json
from boundcheck.written import encode, fingerprint

VERSION = 2  #: of what is kept; a newer search may find what an older one did not
MAX_BYTES = 5_000_000


@dataclass(frozen=True)
class Kept:
    """An elaborated proof: ``key`` is a hash of the text that it was found for."""

    key: str
    made: Elaboration

    def as_data(self) -> dict[str, Any]:
        """The record as JSON-able data."""
        made = self.made
        data = {
            "key": self.key,
            "steps": encode(made.statement.steps),
            "concludes": encode(made.statement.concludes),
            "lines": [asdict(f) for f in made.lines],
            "marks": [[m.key, m.first, m.last, m.kind, m.seconds] for m in made.marks],
        }
        return data | ({"misses": [[m.key, m.fault] for m in made.misses]} if made.misses else {})


def key_of(written: Written) -> str:
    """A hash of what is written in the statement, but for words for people and planted falsehoods."""
    parameters = tuple(replace(q, meaning="") for q in written.statement.parameters)
    plain = replace(written.statement, title="", part="", text="", note="", places={}, parameters=parameters, twins=())
    told = f"{VERSION}\n{fingerprint(plain)}\n{written.proof}"
    return hashlib.sha256(told.encode()).hexdigest()[:32]


def from_data(data: Any, header: Statement) -> Kept | None:
    """The record behind data, for a statement with this header; None where it is none."""
    try:
        statement = replace(header, steps=decode(data["steps"]), concludes=decode(data["concludes"]))
        lines = tuple(Found(**{**f, "place": Place(**f["place"])}) for f in data["lines"])
        marks = tuple(Mark(str(k), int(a), int(b), str(kind), float(s)) for k, a, b, kind, s in data["marks"])
        misses = tuple(Miss(str(k), str(fault)) for k, fault in data.get("misses", ()))
        sound = all(1 <= m.first <= m.last + 1 <= len(statement.steps) + 1 for m in marks)
        return Kept(str(data["key"]), Elaboration(statement, lines, marks, misses)) if sound else None
    except (ValueError, KeyError, TypeError, AttributeError, SerialError):
        return None


def elaborated(written: Written, lookup: Lookup, kept: Kept | None) -> Kept:
    """The statement with its proof in records: as kept, if the text is the same; else what has changed is searched."""
    from boundcheck.author.elaborate import elaborate  # the search takes half a second to load

    key = key_of(written)
    if kept is not None and kept.key == key and not kept.made.faults:
        return Kept(key, _moved(kept.made, written))
    return Kept(key, elaborate(written.statement, written.lines, lookup, None if kept is None else kept.made))


def _moved(made: Elaboration, written: Written) -> Elaboration:
    """The elaboration with the places of the text as it stands now."""
    if not made.lines or not written.lines:
        return made
    shift = written.lines[0].place.line - made.lines[0].place.line
    places = (replace(f, place=Place(f.place.line + shift, f.place.column)) for f in made.lines)
    return replace(made, lines=tuple(places))


def with_used(written: Written, lookup: Lookup, kept: Mapping[str, Any]) -> tuple[Elaboration, dict[str, Any]]:
    """The statement, with the form that its uses need, and the records to keep; ``kept`` are those of before."""
    own = elaborated(written, lookup, from_data(kept.get("own"), written.statement))
    records = {"own": own.as_data()}
    if written.used is None:
        return own.made, records
    used = elaborated(written.used, lookup, from_data(kept.get("used"), written.used.statement))
    records["used"] = used.as_data()
    statement = replace(own.made.statement, as_used=used.made.statement)
    return replace(own.made, statement=statement, lines=(*own.made.lines, *used.made.lines)), records


# ---------------------------------------------------------------- a user's folder


def folder() -> Path:
    """Where elaborated proofs of users are kept."""
    own = os.environ.get("BOUNDCHECK_CACHE")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "boundcheck"


def remembered(written: Written, lookup: Lookup, file: str) -> Elaboration:
    """The statement of a user's file with its proof in records, kept in the folder under the file and the label."""
    name = hashlib.sha256(f"{Path(file).resolve()}\n{written.statement.label}".encode()).hexdigest()[:32]
    path = folder() / f"{name}.json"
    kept: Any = {}
    with contextlib.suppress(OSError, ValueError):
        kept = read_json(path, MAX_BYTES)
    kept = kept if isinstance(kept, dict) else {}
    before = kept.get("cited", {})
    if not isinstance(before, dict) or cited(before, lookup) != before:  # the steps may rest on what is said no more
        kept = {k: {**v, "key": ""} for k, v in kept.items() if k in ("own", "used") and isinstance(v, dict)}
    made, records = with_used(written, lookup, kept)
    records["cited"] = cited(made.statement.cites_of_all_forms, lookup)
    if records != kept:
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_json(path, records)
    return made
