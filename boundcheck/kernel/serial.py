"""Statements from JSON data: certificates carry what they are about. What writes them is :mod:`boundcheck.written`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from boundcheck.kernel.statement import Statement

MAX_NODES = 50_000


class SerialError(ValueError):
    """Data that is not an encoded statement."""


def _records(kind: Any, found: dict[str, type]) -> dict[str, type]:
    """``found`` with every record type, by name, that a value of the type ``kind`` can hold."""
    if is_dataclass(kind) and isinstance(kind, type):
        if kind.__name__ not in found:
            found[kind.__name__] = kind
            for inner in get_type_hints(kind).values():
                _records(inner, found)
    else:
        for inner in get_args(kind):
            _records(inner, found)
    return found


_TYPES = _records(Statement, {})
_HINTS = {kind: get_type_hints(kind) for kind in _TYPES.values()}


def _is(value: Any, kind: Any) -> bool:
    """Whether a decoded value is what a field's type says."""
    args = get_args(kind)
    match get_origin(kind):
        case None:
            return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
        case origin if origin is tuple and args[-1] is Ellipsis:
            return isinstance(value, tuple) and all(_is(v, args[0]) for v in value)
        case origin if origin is tuple:
            return isinstance(value, tuple) and len(value) == len(args) and all(map(_is, value, args))
        case origin if origin is Mapping:
            return isinstance(value, dict) and all(_is(v, args[1]) for v in value.values())
    return any(_is(value, k) for k in args)


def decode(data: Any) -> Any:
    """The value behind encoded data; raises :class:`SerialError` for anything that is never written so."""
    budget = [MAX_NODES]

    def go(node: Any, depth: int) -> Any:
        budget[0] -= 1
        if budget[0] < 0 or depth > 40:
            raise SerialError("a statement is too large or too deep")
        if node is None or isinstance(node, (str, bool, int)):
            return node
        if isinstance(node, list):
            return tuple(go(v, depth + 1) for v in node)
        if isinstance(node, dict) and node.keys() == {"map"} and isinstance(node["map"], list):
            pairs = [go(p, depth + 1) for p in node["map"]]
            if all(isinstance(p, tuple) and len(p) == 2 and isinstance(p[0], str) for p in pairs):
                return dict(pairs)
        if isinstance(node, dict) and isinstance(node.get("type"), str) and node["type"] in _TYPES:
            kind = _TYPES[node["type"]]
            names = {f.name for f in fields(kind)}
            optional = {f.name for f in fields(kind) if f.metadata.get("optional")}
            given = {k: v for k, v in node.items() if k != "type"}
            if not names - optional <= given.keys() <= names:
                raise SerialError(f"{node['type']} wants the keys {', '.join(sorted(names))}")
            found = {k: go(v, depth + 1) for k, v in given.items()}
            wrong = [k for k, v in found.items() if not _is(v, _HINTS[kind][k])]
            if wrong:
                raise SerialError(f"{node['type']}: {wrong[0]} is no {_HINTS[kind][wrong[0]]}")
            return kind(**found)
        raise SerialError("neither a record nor a list, a mapping, a text or a number")

    return go(data, 0)
