"""The printer: a statement as the TOML text that :mod:`boundcheck.author.toml` reads as the same statement.

What settings give to a statement is written out; the proof is the author's text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from boundcheck.author import adapter
from boundcheck.author.toml import PLAIN_TEXTS, Written
from boundcheck.kernel.statement import Fact, Parameter, Statement

_NAME = re.compile(r"[A-Za-z_]\w*")
_NOT_USED = ("imprecise", "exists", "twins", "literature")  #: of a statement, not of the form that its uses need


def fact_text(fact: Fact) -> str:
    """The fact with its range, as the reader takes it."""
    where = ", ".join(fact.where)
    if fact.over:
        return f"{fact.claim} for {', '.join(fact.over)}" + (f" where {where}" if where else "")
    return fact.claim + (f" if {where}" if where else "")


def parameter_texts(parameters: Iterable[Parameter]) -> list[str]:
    """The parameters as texts, each under the name to which the reader gives it."""
    found: set[str] = set()
    texts: list[str] = []
    late: list[str] = []
    for q in parameters:
        word = "integer " if q.integer else ""
        waits = False
        for n, relation in enumerate(q.domain):
            if n == 0 and _brought_in(relation, set() if q.integer else found) == q.symbol:
                texts.append(word + relation)
            else:
                if n == 0:
                    texts.append(word + q.symbol)
                found.add(q.symbol)
                waits = waits or _brought_in(relation, found) != q.symbol  # it speaks of what comes later
                (late if waits else texts).append(relation)
            found.add(q.symbol)
        if not q.domain:
            texts.append(word + q.symbol)
            found.add(q.symbol)
    return [*texts, *late]


def _brought_in(relation: str, found: set[str]) -> str:
    """The name to which the reader gives a relation: the first new one of it, else the first; of an integer the first.

    So ``found`` is empty for an integer.
    """
    free = adapter.relation_of(relation).free
    names = [x for x in _NAME.findall(relation) if x in free]
    return next((x for x in names if x not in found), names[0] if names else "")


def table_of(statement: Statement, proof: str) -> dict[str, Any]:
    """The keys of a ``[[statement]]`` table with their values; those that say nothing are left out."""
    texts = {k: getattr(statement, k) for k in PLAIN_TEXTS}
    symbols = (*statement.parameters, *statement.bound_names)
    table = {
        **texts,
        "assumes": list(statement.assumes),
        "parameters": parameter_texts(statement.parameters),
        "bound_names": parameter_texts(statement.bound_names),
        "claims": list(map(fact_text, statement.claims)),
        "twins": [{k: v for k, v in asdict(t).items() if v or k != "world"} for t in statement.twins],
        "exists": [
            {"constant": x.constant, "claim": fact_text(x.claim), "families": [asdict(f) for f in x.families]}
            for x in statement.exists
        ],
        "proof": proof,
        "meanings": {q.symbol: q.meaning for q in symbols if q.meaning},
        "declares": dict(statement.declares or {}),
        "places": dict(statement.places),
        "hypotheses": {name: fact_text(fact) for name, fact in statement.hypotheses.items()},
    }
    return {k: v for k, v in table.items() if v}


def statement_text(written: Written) -> str:
    """The statement as TOML text, with the form that its uses need."""
    table = table_of(written.statement, written.proof)
    parts = ["[[statement]]", *_entries(table, "statement")]
    if written.used is not None:
        used = table_of(written.used.statement, written.used.proof)
        base = {k: v for k, v in table.items() if k not in _NOT_USED}
        gone: dict[str, Any] = {k: type(v)() for k, v in base.items() if k not in used}
        change = {k: v for k, v in used.items() if base.get(k) != v}
        parts += ["", "[statement.as_used]", *_entries({**gone, **change}, "statement.as_used")]
    return "\n".join(parts) + "\n"


def _entries(table: Mapping[str, Any], path: str) -> list[str]:
    """The entries of a table, those that are tables themselves last."""
    plain = [f"{key} = {_value(v, key == 'proof')}" for key, v in table.items() if not isinstance(v, dict)]
    tables = [
        line
        for key, inner in table.items()
        if isinstance(inner, dict)
        for line in ("", f"[{path}.{key}]", *(f"{_key(k)} = {_value(v)}" for k, v in inner.items()))
    ]
    return [*plain, *tables]


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _value(name)


def _value(value: Any, lines: bool = False) -> str:
    """A value in TOML; a text in several ``lines`` as it stands."""
    if isinstance(value, str):
        if lines and "'''" not in value:
            return f"'''\n{value}'''"
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + "}"
    if len(value) > 1 and isinstance(value[0], (str, Mapping)):
        return "[\n" + "".join(f"  {_value(v)},\n" for v in value) + "]"
    return "[" + ", ".join(map(_value, value)) + "]"
