"""Planted falsehoods: a statement with texts replaced, so that it says a little more than is true or proved."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from boundcheck.author.syntax import members
from boundcheck.kernel.statement import Statement, Twin


class TwinError(ValueError):
    """A twin whose texts do not occur in the statement, so that it plants nothing."""


#: What people read; the engines do not, and a twin leaves it alone.
_FOR_PEOPLE = frozenset(("label", "title", "kind", "part", "text", "note", "meaning", "symbol", "twins", "literature"))


def apply_twin(statement: Statement, twin: Twin) -> Statement:
    """``statement`` with every text of ``twin.change`` replaced in all of its formulas (also in ``as_used``).

    Blanks between symbols do not count, and ``xs[t]`` stands for ``at(xs, t)`` also here. The replacements are
    simultaneous, longer texts first. Raises :class:`TwinError` where one of them occurs nowhere or the result is the
    statement itself.
    """
    seen: set[str] = set()
    order = sorted(twin.change, key=len, reverse=True)
    pattern = re.compile("|".join(f"({_spaced(members(t))})" for t in order))

    def text(old: str) -> str:
        def put(found: re.Match[str]) -> str:
            wanted = order[(found.lastindex or 1) - 1]
            seen.add(wanted)
            return members(twin.change[wanted])

        return pattern.sub(put, old)

    def go(value: Any) -> Any:
        if isinstance(value, str):
            return text(value)
        if isinstance(value, tuple):
            return tuple(map(go, value))
        if isinstance(value, Mapping):
            return {k: go(v) for k, v in value.items()}
        if is_dataclass(value) and not isinstance(value, type):
            kept = {f.name: go(getattr(value, f.name)) for f in fields(value) if f.name not in _FOR_PEOPLE}
            return replace(value, **_names_kept(value, kept))
        return value

    changed: Statement = replace(go(statement), twins=())
    missing = [t for t in order if t not in seen]
    if missing:
        near = difflib.get_close_matches(members(missing[0]), _terms(statement), 1, 0.0)
        told = f"{statement.label}: the twin {twin.what!r} replaces {missing[0]!r}, which occurs nowhere"
        raise TwinError(f"{told} as `show` prints it" + (f"; closest: {near[0]}" if near else ""))
    if changed == replace(statement, twins=()):
        raise TwinError(f"{statement.label}: the twin {twin.what!r} changes nothing")
    return changed


_TOKEN = re.compile(r"\w+|\S")


def _spaced(text: str) -> str:
    """The pattern of a text that may be spaced in another way; blanks at its ends, and between words, count."""
    tokens = [(m.start(), m.group()) for m in _TOKEN.finditer(text)]
    parts = [r"\ " * (len(text) - len(text.lstrip(" ")))]
    for n, (_, token) in enumerate(tokens):
        if n:
            words = token[0].isalnum() and tokens[n - 1][1][-1].isalnum()
            parts.append(r"\s+" if words else r"\s*")
        parts.append(re.escape(token))
    return "".join(parts) + r"\ " * (len(text) - len(text.rstrip(" ")))


def _terms(statement: Statement) -> list[str]:
    """The assertions of a statement as they are printed."""
    return [fact.claim for fact in (*statement.claims, *statement.hypotheses.values())]


def _names_kept(value: Any, changed: dict[str, Any]) -> dict[str, Any]:
    """Names of rules, statements, hypotheses and justifications' references stay as they are."""
    for name in ("rule", "reference", "worst_law", "assumes", "random", "imprecise"):
        if name in changed:
            changed[name] = getattr(value, name)
    if "ref" in changed:
        changed["ref"] = value.ref
    if "using" in changed:
        pairs = zip(value.using, changed["using"], strict=True)
        changed["using"] = tuple(old if isinstance(old, (str, int)) else new for old, new in pairs)
    if "concludes" in changed:
        changed["concludes"] = value.concludes
    return changed
