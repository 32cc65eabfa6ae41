"""Settings of a TOML file: what several statements speak of, where the paper assumes it, what symbols mean.

:mod:`boundcheck.author.toml` says how they are written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

HEADER = ("parameters", "random", "declares", "hypotheses", "meanings")
_KEYS = ("source", "extends", "world", "assumes", *HEADER)


@dataclass(frozen=True)
class Setting:
    """What several statements speak of: parameters, declarations, hypotheses and where each of these is assumed."""

    name: str
    places: Mapping[str, str] = field(default_factory=dict)  #: of its hypotheses, by name
    extends: tuple[str, ...] = ()
    table: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Assumed:
    """A place of assumptions: what it says in words, and the hypotheses of settings that belong there."""

    name: str
    says: str = ""
    hypotheses: tuple[str, ...] = ()


def read_settings(document: Mapping[str, Any], file: str) -> tuple[dict[str, Setting], list[str]]:
    """The settings of a loaded TOML document by name, and everything that is wrong with them."""
    found: dict[str, Setting] = {}
    places, faults = read_places(document, file)
    elsewhere = {h: place.name for place in places for h in place.hypotheses}
    tables, wrong = _named_tables(document, "setting", file)
    faults += wrong
    for name, table in tables.items():
        source, extends = table.get("source", ""), table.get("extends", [])
        told = f"{file}: setting {name}"
        if (
            not isinstance(source, str)
            or not isinstance(extends, list)
            or not all(isinstance(e, str) for e in extends)
        ):
            faults.append(f"{told}: source is a text, extends a list of names of settings")
            continue
        unknown = [k for k in table if k not in _KEYS]
        if unknown:
            faults.append(f"{told}: key {unknown[0][:60]} is not known; keys are {', '.join(_KEYS)}")
        own = table.get("hypotheses", {})
        told_of = {h: place for h in own if (place := elsewhere.get(h, source))} if isinstance(own, dict) else {}
        found[name] = Setting(name, told_of, tuple(extends), table)
    return found, faults


def _named_tables(document: Mapping[str, Any], kind: str, file: str) -> tuple[Mapping[str, Any], list[str]]:
    """The tables of one kind by the names that they stand under, as [setting."one step"], and what is wrong."""
    found = document.get(kind, {})
    if not isinstance(found, dict) or not all(isinstance(t, dict) for t in found.values()):
        return {}, [f'{file}: {kind}: tables with names are wanted; write [{kind}."its name"]']
    return found, []


def read_places(document: Mapping[str, Any], file: str) -> tuple[list[Assumed], list[str]]:
    """The places of a loaded TOML document, and what is wrong with them, one line a fault."""
    found = []
    tables, faults = _named_tables(document, "place", file)
    for name, table in tables.items():
        says, names = table.get("says", ""), table.get("hypotheses", [])
        if not (isinstance(says, str) and isinstance(names, list)):
            faults.append(f"{file}: place {name}: says is a text, hypotheses a list of names")
            continue
        unknown = [k for k in table if k not in ("says", "hypotheses")]
        if unknown:
            faults.append(f"{file}: place {name}: key {unknown[0][:60]} is not known; keys are says, hypotheses")
        found.append(Assumed(name, says, tuple(map(str, names))))
    return found, faults


def read_meanings(document: Mapping[str, Any], file: str) -> tuple[dict[str, str], list[str]]:
    """What symbols mean wherever no statement says it, the ``[meanings]`` of a document, and what is wrong with it."""
    found = document.get("meanings", {})
    if not isinstance(found, dict) or not all(isinstance(v, str) for v in found.values()):
        return {}, [f'{file}: meanings: a table of texts is wanted; write [meanings], then p = "tail exponent"']
    return found, []
