"""A user's rates: [[rate]] tables of a TOML file, read under caps; text is data and is never evaluated as code.

Each table gives a name, functions with their classes, points, the method as definitions, the parameters' domain and a
claim; docs/howto-rates.md says how. All faults of a file are told at once, each with what to do.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from boundcheck.claims import ClaimFileError, TableReader, kind, load_document, read_claims, short
from boundcheck.kernel.rate import Rate, RateError, expand
from boundcheck.kernel.statement import Claim

MAX_RATES = 1000
MAX_LINES = 400  #: texts in one list of a table
MAX_TEXT = 4000  #: characters of one text
_LISTS = ("points", "method", "given", "where")
_UNKNOWN = ("find", "weights")  #: names in the claim that are looked for
_TABLES = ("functions", "sums")
_READ = ("name", "claim", "twin", *_UNKNOWN, *_LISTS, *_TABLES)
_FOR_PEOPLE = frozenset({"note", "source", "label"})


@dataclass(frozen=True)
class Entry:
    """A rate of a file; ``twin`` is the same method with a claim just beyond what is true, if the file has one."""

    rate: Rate
    twin: Rate | None = None
    find: tuple[str, ...] = ()  #: names in the claim of which the best values are asked for, one after the other
    weights: tuple[str, ...] = ()  #: names in the claim of which some nonnegative values are asked for
    source: str = ""
    note: str = ""


def with_constant(rate: Rate, name: str, formula: str) -> Rate:
    """The rate with a formula in place of a name of its claim."""
    return replace(rate, claim=re.sub(rf"\b{re.escape(name)}\b(?!')", f"({formula})", rate.claim))


def read_rates(path: str | Path, warn: Callable[[str], None] | None = None) -> list[Entry]:
    """The rates of a TOML file, in file order; ``warn`` gets a line for every key that is not read.

    Raises :class:`boundcheck.claims.ClaimFileError` with all faults.
    """
    file = str(path)
    reader = _Reader(file, warn, "rate", _READ, _FOR_PEOPLE)
    entries = reader.entries(load_document(Path(path), file))
    if reader.faults:
        raise ClaimFileError(reader.faults)
    return entries


def read_claims_and_rates(
    path: str | Path, warn: Callable[[str], None] | None = None, note: Callable[[str], None] | None = None
) -> tuple[list[Claim], list[Entry]]:
    """The claims and the rates of a TOML file; ``warn`` gets what is not read, once.

    ``note`` is that of :func:`boundcheck.claims.read_claims`. Raises :class:`boundcheck.claims.ClaimFileError`.
    """
    tables = load_document(Path(path), str(path))
    rates = read_rates(path, warn) if "rate" in tables else []
    if "claim" not in tables and rates:
        return [], rates
    return read_claims(path, None if rates else warn, note), rates


class _Reader(TableReader):
    def entries(self, document: dict[str, Any]) -> list[Entry]:
        self.other_tables(document)
        tables = document.get("rate")
        if not isinstance(tables, list) or not tables or not all(isinstance(t, dict) for t in tables):
            self.fault(None, None, "no rates; write each as a [[rate]] table")
            return []
        if len(tables) > MAX_RATES:
            self.fault(None, None, f"{len(tables)} rates; at most {MAX_RATES} are read")
            return []
        found: list[Entry] = []
        for number, table in enumerate(tables, 1):
            entry = self._entry(number, table)
            self.once(number, table.get("name"))
            if entry is not None:
                found.append(entry)
        return found

    def _entry(self, number: int, table: dict[str, Any]) -> Entry | None:
        before = len(self.faults)
        shown = self.named(number, table)
        lists = {key: self._list(shown, key, table.get(key, [])) for key in _LISTS}
        tables = {key: self._table(shown, key, table.get(key, {})) for key in _TABLES}
        if "functions" not in table:
            self.fault(shown, "functions", 'missing; write functions = { f = "smooth_convex(L)" }')
        claim = self._text(shown, "claim", table.get("claim"))
        twin = self._text(shown, "twin", table["twin"]) if "twin" in table else ""
        find = table.get("find", [])
        find = self._list(shown, "find", [find] if isinstance(find, str) else find)
        weights = self._list(shown, "weights", table.get("weights", []))
        unknown = [("find", of) for of in find] + [("weights", of) for of in weights]
        texts = (t for own in (*lists.values(), *tables.values()) for t in own)
        classes = (t for own in tables.values() for t in own.values())
        elsewhere = set(re.findall(r"\w+", " ".join((*texts, *classes))))
        for key, of in unknown:
            if not (of.isidentifier() and re.search(rf"\b{of}\b", claim)):
                self.fault(shown, key, f"{short(of)} is no name in the claim; write the constant that is asked for")
            elif of in elsewhere:
                self.fault(shown, key, f"{short(of)} stands outside of the claim too, where what is found is not put")
        if len({of for _, of in unknown}) < len(unknown):
            self.fault(shown, "weights", "a name is asked for twice; each unknown stands once in find or in weights")
        if len(self.faults) > before:
            return None
        name = str(table["name"])
        rate = Rate(name, tables["functions"], claim=claim, sums=tables["sums"], **lists)
        false = replace(rate, name=f"{name} (twin)", claim=twin) if twin else None
        asked = rate
        for _, of in unknown:
            asked = with_constant(asked, of, "1")
        for own, key in ((asked, "rate"), (false, "twin")):
            try:
                if own is not None:
                    expand(own)
            except RateError as fault:
                where, _, message = str(fault).partition(": ")
                self.fault(shown, where if message else key, message or where)
            except RecursionError:
                self.fault(shown, key, "nested too deep")
        if len(self.faults) > before:
            return None
        return Entry(rate, false, find, weights, str(table.get("source", "")), str(table.get("note", "")))

    def _text(self, rate: str, key: str, value: Any) -> str:
        if not isinstance(value, str):
            self.fault(rate, key, "missing" if value is None else f"a text is wanted, not {kind(value)}")
            return ""
        if len(value) > MAX_TEXT:
            self.fault(rate, key, f"a text of {len(value)} characters; at most {MAX_TEXT} are read")
            return ""
        return value

    def _list(self, rate: str, key: str, items: Any) -> tuple[str, ...]:
        texts = self.items(rate, key, items, '["..."]', MAX_LINES, "texts")
        return tuple(self._text(rate, f"{key}[{i}]", text) for i, text in enumerate(texts))

    def _table(self, rate: str, key: str, items: Any) -> dict[str, str]:
        if not isinstance(items, dict):
            self.fault(rate, key, f'a table is wanted, not {kind(items)}; write {key} = {{ f = "..." }}')
            return {}
        return {name: self._text(rate, f"{key}.{short(name)}", text) for name, text in items.items()}
