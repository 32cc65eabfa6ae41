"""Statements of a TOML file: ``[[statement]]`` tables with their proof as text. Data, never executed.

[[statement]]
label = "lem:own"                       # by this name others cite it
title = "Chebyshev's inequality"
parameters = ["V >= 0", "t > 0", "integer n >= 1"]
random = ["Z"]                          # or declares = {Z = "random real", u = "random vector"}
hypotheses = {moment = "E(Z**2) <= V"}
claims = ["P(abs(Z) > t) <= V/t**2"]
proof = '''
...
'''
twins = [{what = "half of it", change = {"V/t**2" = "0.5*V/t**2"}}]
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from boundcheck.author import adapter
from boundcheck.author.notation import EVERYWHERE, read_proof, read_range
from boundcheck.author.records import Line, Range
from boundcheck.author.source import NotationError, Piece
from boundcheck.author.syntax import relations
from boundcheck.kernel.formula import Relation
from boundcheck.kernel.statement import Fact, Parameter, Statement, Twin

MAX_STATEMENTS = 1_000
MAX_TEXT = 200_000  #: characters of one text
_TEXTS = ("label", "title", "text", "kind", "part", "bound", "note", "proof", "literature")
_KEYS = (*_TEXTS, "parameters", "random", "declares", "hypotheses", "claims", "twins", "meanings")
KINDS = ("lemma", "theorem", "proposition", "corollary", "remark")


@dataclass(frozen=True)
class Written:
    """A statement as written: its header, and the lines of its proof, which are still to be elaborated."""

    statement: Statement
    lines: tuple[Line, ...]
    proof: str
    first: int  #: the line of the file on which the proof begins


class _Faults:
    """Collects what is wrong, each with the statement and the key."""

    def __init__(self, file: str) -> None:
        self.file, self.lines = file, []  # type: ignore[var-annotated]

    def add(self, label: str, key: str, message: str) -> None:
        self.lines.append(f"{self.file}: statement {label}: {key}: {message}")


def read_statements(
    document: Mapping[str, Any], file: str, source: str, warn: Callable[[str], None]
) -> tuple[list[Written], list[str]]:
    """The statements of a loaded TOML document, and everything that is wrong with them, one line a fault."""
    tables = document.get("statement", [])
    faults = _Faults(file)
    if not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
        return [], [f"{file}: statement: a table is wanted; write [[statement]]"]
    if len(tables) > MAX_STATEMENTS:
        return [], [f"{file}: {len(tables)} statements; at most {MAX_STATEMENTS} are read"]
    found: list[Written] = []
    for number, table in enumerate(tables, 1):
        before = len(faults.lines)
        reader = _Reader(table, number, faults, source, warn)
        written = reader.read()
        if written is not None and len(faults.lines) == before:
            if any(w.statement.label == written.statement.label for w in found):
                faults.add(reader.label, "label", "used before; labels are unique")
            found.append(written)
    return found, faults.lines


class _Reader:
    """Reads one table."""

    def __init__(
        self, table: Mapping[str, Any], number: int, faults: _Faults, source: str, warn: Callable[[str], None]
    ) -> None:
        self.table, self.faults, self.source, self.warn = table, faults, source, warn
        label = table.get("label")
        self.label = (
            label if isinstance(label, str) and re.fullmatch(r"[a-z]+:[\w.:-]{1,100}", label) else f"#{number}"
        )
        if self.label.startswith("#"):
            self.fault("label", 'a label such as "lem:own-name" is wanted')

    def fault(self, key: str, message: str) -> None:
        """Take down a fault."""
        self.faults.add(self.label, key, message)

    def read(self) -> Written | None:
        """The statement; None where something is wrong with it."""
        for key in self.table:
            if key not in _KEYS:
                near = difflib.get_close_matches(key, _KEYS, 1)
                hint = f"; did you mean {near[0]}?" if near else f"; keys are {', '.join(_KEYS)}"
                self.warn(f"{self.faults.file}: statement {self.label}: key {key[:60]} is not read{hint}")
        texts = {k: self.text(k) for k in _TEXTS}
        if texts["kind"] and texts["kind"] not in KINDS:
            self.fault("kind", f"{texts['kind']!r}; one of {', '.join(KINDS)} is wanted")
        parameters = self.parameters()
        declares = self.declared(parameters)
        known = {q.symbol for q in parameters} | declares.keys()
        hypotheses = self.hypotheses(frozenset(known))
        spoken = known.union(*(adapter.relation_of(f.claim).free - set(f.over) for f in hypotheses.values()))
        claims = tuple(self.fact(f"claims[{n}]", c, frozenset(spoken)) for n, c in enumerate(self.list("claims")))
        if not claims:
            self.fault("claims", 'missing; write claims = ["E(X) <= 1"]')
        first = self.first_line(texts["proof"])
        lines: list[Line] = []
        try:
            lines = read_proof(texts["proof"], first, frozenset(spoken), frozenset(declares))
        except NotationError as error:
            self.fault("proof", str(error))
        if any(f is None for f in claims):
            return None
        statement = Statement(
            label=self.label, title=texts["title"] or self.label, kind=texts["kind"] or "lemma",
            part=texts["part"] or "own", text=texts["text"], parameters=parameters, hypotheses=hypotheses,
            claims=tuple(c for c in claims if c is not None), bound=texts["bound"], note=texts["note"],
            declares=declares, twins=self.twins(),
        )  # fmt: skip
        return Written(statement, tuple(lines), texts["proof"], first)

    # ------------------------------------------------------------ pieces

    def text(self, key: str) -> str:
        """The text under a key, "" where there is none."""
        value = self.table.get(key, "")
        if not isinstance(value, str) or len(value) > MAX_TEXT:
            self.fault(key, f"a text of at most {MAX_TEXT} characters is wanted")
            return ""
        return value

    def list(self, key: str) -> list[Any]:
        """The list under a key."""
        value = self.table.get(key, [])
        if not isinstance(value, list):
            self.fault(key, "a list is wanted")
            return []
        return value

    def mapping(self, key: str) -> Mapping[str, str]:
        """The table of texts under a key."""
        value = self.table.get(key, {})
        if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
            self.fault(key, 'a table of texts is wanted, as {name = "..."}')
            return {}
        return value

    def chain(self, key: str, text: Any) -> tuple[Relation, ...]:
        """The relations of a text."""
        if not isinstance(text, str):
            self.fault(key, "a text is wanted")
            return ()
        try:
            return relations(Piece.of_line(text, 1).cut(0), {})
        except NotationError as error:
            self.fault(key, f"column {error.place.column}: {error.message}")
            return ()

    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters: each text brings in the first new name of it; one without relation ranges over the reals."""
        found: dict[str, Parameter] = {}
        meanings = self.mapping("meanings")
        for n, text in enumerate(self.list("parameters")):
            key = f"parameters[{n}]"
            words = text.split() if isinstance(text, str) else []
            integer = words[:1] == ["integer"]
            body = text.split("integer", 1)[1].strip() if integer else text
            if isinstance(body, str) and body.isidentifier():
                found[body] = Parameter(body, meanings.get(body, ""), (), integer)
                continue
            chain = self.chain(key, body)
            if not chain:
                continue
            names = re.findall(r"[A-Za-z_]\w*", str(body))
            free = frozenset().union(*(r.free for r in chain))
            new = [x for x in dict.fromkeys(names) if x in free and x not in found] or [x for x in names if x in free]
            if not new:
                self.fault(key, f"{body!r} speaks of no name")
                continue
            old = found.get(new[0], Parameter(new[0], meanings.get(new[0], ""), (), integer))
            domain = (*old.domain, *map(str, chain))
            found[new[0]] = Parameter(old.symbol, old.meaning, domain, old.integer or integer)
        return tuple(found.values())

    def declared(self, parameters: Iterable[Parameter]) -> dict[str, str]:
        """The sorts of names that are no parameters."""
        found = {str(n): "random real" for n in self.list("random") if isinstance(n, str)}
        found.update(self.mapping("declares"))
        for name in sorted(found.keys() & {q.symbol for q in parameters}):
            self.fault("declares", f"{name} is a parameter already")
        for name in found:
            if not name.isidentifier():
                self.fault("declares", f"{name!r} is no name")
        return found

    def fact(self, key: str, text: Any, known: frozenset[str]) -> Fact | None:
        """An assertion with its range."""
        if not isinstance(text, str):
            self.fault(key, "a text is wanted")
            return None
        piece = Piece.of_line(text, 1).cut(0)
        try:
            body, word, behind = piece.before_word("for", "if")
            found = relations(body, {})
            if len(found) != 1:
                raise body.fault("one relation is wanted")
            range_ = EVERYWHERE if not word else read_range(behind, {}, known)
            if word == "if":
                range_ = Range((), range_.where)
            return adapter.with_sorts(*adapter.fact_of(found[0], range_))
        except NotationError as error:
            self.fault(key, f"column {error.place.column}: {error.message}")
            return None

    def hypotheses(self, known: frozenset[str]) -> dict[str, Fact]:
        """The hypotheses by name."""
        found = {k: self.fact(f"hypotheses.{k}", v, known) for k, v in self.mapping("hypotheses").items()}
        return {k: f for k, f in found.items() if f is not None}

    def twins(self) -> tuple[Twin, ...]:
        """The planted falsehoods."""
        found = []
        for n, twin in enumerate(self.list("twins")):
            change = twin.get("change") if isinstance(twin, dict) else None
            texts = isinstance(change, dict) and all(isinstance(v, str) for v in change.values())
            if not texts or not change or not isinstance(twin.get("what", ""), str):
                self.fault(f"twins[{n}]", 'write {what = "...", change = {"old text" = "new text"}}')
                continue
            found.append(Twin(twin.get("what", ""), dict(change)))
        return tuple(found)

    def first_line(self, proof: str) -> int:
        """The line of the file on which the proof begins, 1 where that cannot be told."""
        at = self.source.find(proof) if proof.strip() else -1
        return 1 + self.source.count("\n", 0, at) if at >= 0 else 1
