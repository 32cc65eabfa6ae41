"""The statements that stand as text: NAME.toml here, and what was found for their proofs in data/reasons/NAME.json.

``python -m boundcheck.paper`` searches what is missing there and writes it down.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from boundcheck.author.cache import from_data, key_of, with_used
from boundcheck.author.made import Found
from boundcheck.author.shared_settings import Setting, read_meanings, read_places, read_settings
from boundcheck.author.toml import Written, read_statements, written_proofs
from boundcheck.kernel.statement import Statement
from boundcheck.system.files import read_json, write_json

FOLDER = Path(__file__).parent
SETTINGS = "settings"
#: the files, in the order in which the catalogue shows their statements
ORDER = (
    "assumptions", "smoothness", "clipping", "directional", "deviation", "convergence", "complexity",
    "momentum_estimator", "momentum_noise", "momentum", "momentum_convergence", "momentum_main", "momentum_complexity",
    "freedman", "bennett", "sharp_bias", "sharp_clipping", "sharp_deviation", "sharp_constant", "sharp_convergence",
    "sharp_momentum", "introduction", "remarks",
)  # fmt: skip


class TextFault(ValueError):
    """A text of the catalogue that cannot be read; one line a fault."""


@dataclass(frozen=True)
class Text:
    """One file: its statements as written."""

    name: str
    written: tuple[Written, ...]

    @property
    def store(self) -> Path:
        """Where what was found for it is kept."""
        return FOLDER.parent / "data" / "reasons" / f"{self.name}.json"

    def kept(self) -> dict[str, Any]:
        """What was found before, by label."""
        found = read_json(self.store) if self.store.exists() else {}
        return found if isinstance(found, dict) else {}


@cache
def _document(name: str) -> tuple[str, dict[str, Any]]:
    """The text of a file and what it holds, read once: proofs are asked for by all others."""
    source = (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    return source, tomllib.loads(source)


@cache
def shared() -> tuple[Mapping[str, Setting], Mapping[str, str]]:
    """The settings that all files may name, and what symbols mean in all of them. Raises :class:`TextFault`."""
    _, document = _document(SETTINGS)
    found, faults = read_settings(document, f"{SETTINGS}.toml")
    meanings, wrong = read_meanings(document, f"{SETTINGS}.toml")
    if faults or wrong:
        raise TextFault("\n".join([*faults, *wrong]))
    return found, meanings


@cache
def places() -> Mapping[str, str]:
    """What is assumed at each place of the paper, in words. Raises :class:`TextFault`."""
    found, faults = read_places(_document(SETTINGS)[1], f"{SETTINGS}.toml")
    if faults:
        raise TextFault("\n".join(faults))
    return {place.name: place.says for place in found if place.says}


@cache
def texts() -> Mapping[str, Text]:
    """All files by name, without the lines of the proofs. Raises :class:`TextFault`."""
    names = {path.stem for path in FOLDER.glob("*.toml")} - {SETTINGS}
    if names != set(ORDER):
        raise TextFault(f"{', '.join(sorted(names ^ set(ORDER)))}: ORDER and the folder of texts differ")
    return {name: read(name, proofs=False) for name in ORDER}


def read(name: str, proofs: bool = True) -> Text:
    """One file. Raises :class:`TextFault`."""
    source, document = _document(name)
    settings, meanings = shared()
    warn = partial(print, file=sys.stderr)
    written, faults = read_statements(
        document, f"{name}.toml", source, warn, settings, proofs, meanings, lambda x: _proofs().get(x)
    )
    if faults:
        raise TextFault("\n".join(faults))
    return Text(name, tuple(written))


@cache
def _proofs() -> Mapping[str, str]:
    """The proofs of all files as they are written, by label."""
    return {label: proof for name in ORDER for label, proof in written_proofs(_document(name)[1]).items()}


@cache
def headers() -> Mapping[str, Statement]:
    """What each statement says, without its proof, by label: all that a citation needs."""
    return {
        w.statement.label: replace(w.statement, as_used=w.used.statement if w.used is not None else None)
        for text in texts().values()
        for w in text.written
    }


def statements() -> dict[str, Statement]:
    """All statements by label, each with its proof as it was found before.

    Nothing is searched here: a statement whose text has changed since has no proof until :func:`search` ran.
    """
    found = {}
    for text in texts().values():
        kept = text.kept()
        for one in text.written:
            records = kept.get(one.statement.label, {})
            own, used = _as_kept(one, records.get("own")), None
            if one.used is not None:
                used = _as_kept(one.used, records.get("used"))
            found[one.statement.label] = replace(own, as_used=used)
    return found


def _as_kept(written: Written, record: object) -> Statement:
    """The statement with the proof that is kept for its text; without one where none is."""
    kept = from_data(record, written.statement)
    return kept.made.statement if kept is not None and kept.key == key_of(written) else written.statement


def search(name: str, told: Callable[[str, Found], None], only: str = "") -> bool:
    """Search what is missing in the proofs of a file, and write it down; whether a reason was found for every line.

    ``told`` gets the label and what became of each of its lines.
    """
    text = read(name)
    kept = text.kept()
    labels = [w.statement.label for w in text.written]
    whole = True
    for one in text.written:
        label = one.statement.label
        if only and label != only:
            continue
        made, records = with_used(one, headers().__getitem__, kept.get(label, {}))
        for line in made.lines:
            told(label, line)
        whole = whole and not made.faults
        if records != kept.get(label):
            kept[label] = records
            text.store.parent.mkdir(exist_ok=True)
            write_json(text.store, {k: kept[k] for k in labels if k in kept})
    return whole
