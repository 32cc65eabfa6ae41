"""A user's claims: the TOML file reader, and claims from sympy relations.

A file is data. It is read under caps, formulas by the grammar of :mod:`boundcheck.kernel.formula`, and all
faults are collected and raised together, each with file, claim, key, column and what to do.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boundcheck.kernel.formula import (
    Expr,
    FormulaError,
    Relation,
    parse_relations,
)
from boundcheck.kernel.statement import Claim
from boundcheck.sympy_terms import read_sympy
from boundcheck.system.exits import Unusable

MAX_BYTES = 1_000_000  #: a larger file is refused unread
MAX_CLAIMS = 10_000
MAX_CONDITIONS = 100  #: relations in ``where`` of one claim
MAX_TREE_DEPTH = 250  #: nesting of one formula as a tree (a sum of n terms has depth n)

MAX_KEY_PARTS = 60  #: parts of a dotted TOML key

_KEY_PART = re.compile(r"[ \t]*[\w\"'-]+[ \t]*")
_NAME = re.compile(r"(?<![A-Za-z0-9_.])[A-Za-z_][A-Za-z0-9_]*")
_INTEGER = re.compile(r"\s*integer\s+(\w+)\s*")
DECIDED = ("claim", "rate", "statement")  #: the tables of a file of which each is decided
TABLES = (*DECIDED, "setting", "place", "meanings", "part")  #: what a file may say at its top
_READ = ("name", "claim", "where", "integers")
_FOR_PEOPLE = frozenset({"note", "source", "label", "truth", "witness", "hard", "form"})


@dataclass(frozen=True)
class Fault:
    """One thing wrong with a file; ``column`` counts from 1 within the text of ``key``."""

    file: str
    claim: str | None
    key: str | None
    column: int | None
    message: str
    what: str = "claim"  #: what the file's tables are called

    def __str__(self) -> str:
        place = [self.file]
        if self.claim is not None:
            place.append(f"{self.what} {self.claim}")
        if self.key is not None:
            place.append(self.key + (f" column {self.column}" if self.column is not None else ""))
        return ": ".join([*place, self.message])


class ClaimFileError(Unusable):
    """A file that cannot be used; ``faults`` lists everything that is wrong with it."""

    def __init__(self, faults: Sequence[Fault]):
        super().__init__(map(str, faults))
        self.faults = tuple(faults)


def read_claims(
    path: str | Path, warn: Callable[[str], None] | None = None, note: Callable[[str], None] | None = None
) -> list[Claim]:
    """The claims of a TOML file, in file order.

    ``warn`` gets one line for every key that is not read (a misspelt ``where`` must not pass silently), ``note`` one
    for every variable that is written once, in the claim alone (it may be a misspelt name or constant).
    Raises :class:`ClaimFileError` with all faults; nothing is decided here.
    """
    file = str(path)
    document = load_document(Path(path), file)
    reader = _FileReader(file, warn, note)
    claims = reader.claims(document)
    if reader.faults:
        raise ClaimFileError(reader.faults)
    return claims


def load_document(path: Path, file: str) -> dict[str, Any]:
    """A TOML file under caps; raises :class:`ClaimFileError` with the one thing that is wrong with it."""

    def refuse(message: str) -> ClaimFileError:
        return ClaimFileError([Fault(file, None, None, None, message)])

    try:
        if not path.is_file():
            raise refuse("no such file" if not path.exists() else "not a regular file")
        with path.open("rb") as handle:
            data = handle.read(MAX_BYTES + 1)
    except OSError as error:
        raise refuse(f"cannot be read: {error.strerror}") from None
    if len(data) > MAX_BYTES:
        raise refuse(f"larger than {MAX_BYTES} bytes; split it")
    try:
        text = data.decode("utf-8-sig")  # a byte-order mark says nothing
    except UnicodeDecodeError as error:
        raise refuse(f"not UTF-8 text (byte {error.start}); a claims file is TOML") from None
    if _longest_dotted_key(text) > MAX_KEY_PARTS:
        raise refuse(f"a dotted key of more than {MAX_KEY_PARTS} parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise refuse("nested too deep") from None
    except ValueError as error:  # TOMLDecodeError, and integers beyond Python's digit limit
        first = (str(error).splitlines() or ["unreadable"])[0]
        raise refuse(f"not valid TOML: {first[:200]}") from None


def _longest_dotted_key(text: str) -> int:
    """The most parts in a row that look like a.b.c (the TOML reader is quadratic in them)."""
    longest = run = 0
    for part in text.split("."):
        run = run + 1 if _KEY_PART.fullmatch(part) else 0
        longest = max(longest, run)
    return longest


class TableReader:
    """What the readers of [[claim]] and of [[rate]] tables share: faults collected, names, lists of texts, other keys.

    ``what`` their tables are called, ``read`` are the keys that they read, ``people`` those that are for people.
    """

    def __init__(
        self,
        file: str,
        warn: Callable[[str], None] | None,
        what: str,
        read: Sequence[str],
        people: frozenset[str],
    ):
        self.file, self.warn, self.what = file, warn or (lambda line: None), what
        self.read, self.people = read, people
        self.faults: list[Fault] = []
        self.seen: dict[str, int] = {}

    def fault(self, table: str | None, key: str | None, message: str, column: int | None = None) -> None:
        """One thing wrong with a table, or with the file."""
        self.faults.append(Fault(self.file, table, key, column, message, self.what))

    def other_tables(self, document: dict[str, Any]) -> None:
        """A warning for every key of the file that is none of :data:`TABLES`; a fault where what is to be decided may
        stand under it: a list of tables, or a table of nearly such a name."""
        for key, value in document.items():
            if key in TABLES:
                continue
            near = difflib.get_close_matches(key, TABLES, 1)
            if (isinstance(value, list) and any(isinstance(t, dict) for t in value)) or (
                near and isinstance(value, dict)
            ):
                told = f"did you mean {near[0]}?" if near else f"what is decided is called {', '.join(DECIDED)}"
                self.fault(None, None, f"tables of the name {short(key)} are not read; {told}")
            else:
                told = f"{self.what}s are written as [[{self.what}]] tables"
                self.warn(f"{self.file}: key {short(key)} is not read; {told}")

    def named(self, number: int, table: dict[str, Any]) -> str:
        """What faults of the table are told under; its name and its keys are checked."""
        name = table.get("name")
        shown = short(name) if isinstance(name, str) and name.strip() else f"#{number}"
        if name is None:
            self.fault(shown, "name", "missing")
        elif not isinstance(name, str):
            self.fault(shown, "name", f"a text is wanted, not {kind(name)}")
        elif not name.strip():
            self.fault(shown, "name", "a name that is not blank is wanted")
        elif len(name) > 200 or not name.isprintable():
            self.fault(shown, "name", "at most 200 printable characters")
        for key in table:
            if key not in self.read and key not in self.people:
                near = difflib.get_close_matches(key, self.read, 1)
                hint = f"; did you mean {near[0]}?" if near else ""
                self.warn(f"{self.file}: {self.what} {shown}: key {short(key)} is not read{hint}")
        return shown

    def once(self, number: int, name: Any) -> None:
        """A fault where the name was used before."""
        if isinstance(name, str):
            if name in self.seen:
                message = f"used before, by {self.what} #{self.seen[name]}; names are unique"
                self.fault(short(name), "name", message)
            self.seen.setdefault(name, number)

    def items(self, shown: str, key: str, items: Any, example: str, most: int, word: str) -> list[Any]:
        """The items of a list that should hold texts, none where it is no list or too long."""
        if not isinstance(items, list):
            self.fault(shown, key, f"a list of texts is wanted, not {kind(items)}; write {key} = {example}")
            return []
        if len(items) > most:
            self.fault(shown, key, f"{len(items)} {word}; at most {most} are read")
            return []
        return items


class _FileReader(TableReader):
    def __init__(self, file: str, warn: Callable[[str], None] | None, note: Callable[[str], None] | None):
        super().__init__(file, warn, "claim", _READ, _FOR_PEOPLE)
        self.note = note or (lambda line: None)

    def claims(self, document: dict[str, Any]) -> list[Claim]:
        self.other_tables(document)
        tables = document.get("claim")
        if tables is None and "statement" in document:
            return []
        if not isinstance(tables, list) or not tables:
            self.fault(None, None, "no claims; write each as a [[claim]] table with name and claim")
            return []
        if len(tables) > MAX_CLAIMS:
            self.fault(None, None, f"{len(tables)} claims; at most {MAX_CLAIMS} are read")
            return []
        result: list[Claim] = []
        for number, table in enumerate(tables, 1):
            if not isinstance(table, dict):
                self.fault(f"#{number}", None, "a claim is a table; write [[claim]]")
                continue
            claim = self._claim(number, table)
            self.once(number, table.get("name"))
            if claim is not None:
                result.append(claim)
        return result

    def _claim(self, number: int, table: dict[str, Any]) -> Claim | None:
        before = len(self.faults)
        shown = self.named(number, table)
        claim = self._relations(shown, "claim", table.get("claim"), required=True)
        where = self._where(shown, table.get("where", []))
        integers = self._integers(shown, table.get("integers", []), (*claim, *where))
        if "e" not in integers and (error := _no_number(claim, where)) is not None:
            at = next(m.start() for m in _NAME.finditer(str(table["claim"])) if m.group() == "e")
            self.fault(shown, "claim", str(error), at + 1)
        if len(self.faults) > before:
            return None
        self._lonely(shown, str(table["claim"]), claim, where, integers)
        return Claim(str(table["name"]), claim, where, integers)

    def _lonely(
        self,
        shown: str,
        text: str,
        claim: tuple[Relation, ...],
        where: tuple[Relation, ...],
        integers: frozenset[str],
    ) -> None:
        """A note on each variable that is written once, in the claim alone: it may be a misspelt name or constant.

        So may an ``e`` of which only conditions speak.
        """
        if any("e" in r.free for r in where) and not any("e" in r.free for r in claim):
            self.note(f"{self.file}: claim {shown}: e is a variable here, in conditions alone; exp(1) is written E")
        told = integers.union(*(r.free for r in where))
        words = _NAME.findall(text)
        for name in sorted(frozenset().union(*(r.free for r in claim)) - told):
            if words.count(name) == 1:
                self.note(
                    f"{self.file}: claim {shown}: {short(name)} occurs once, in the claim alone, with no"
                    " condition in where: it ranges over all real numbers"
                )

    def _relations(self, claim: str, key: str, text: Any, required: bool = False) -> tuple[Relation, ...]:
        if text is None and required:
            self.fault(claim, key, 'missing; write claim = "x <= y"')
            return ()
        if not isinstance(text, str):
            self.fault(claim, key, f"a text is wanted, not {kind(text)}")
            return ()
        try:
            relations = parse_relations(text)
            for r in relations:
                if max(depth(r.lhs), depth(r.rhs)) > MAX_TREE_DEPTH:
                    raise FormulaError(f"a formula of depth above {MAX_TREE_DEPTH}; split the claim")
        except FormulaError as error:
            message = str(error).removeprefix(f"column {error.column}: ")
            if sort := _INTEGER.fullmatch(text):  # as a proof says it
                message = f'no condition; write integers = ["{short(sort[1])}"] in the table'
            self.fault(claim, key, message, error.column)
        except RecursionError:
            self.fault(claim, key, "nested too deep")
        else:
            return relations
        return ()

    def _where(self, claim: str, items: Any) -> tuple[Relation, ...]:
        texts = self.items(claim, "where", items, '["x > 0"]', MAX_CONDITIONS, "conditions")
        return tuple(r for i, text in enumerate(texts) for r in self._relations(claim, f"where[{i}]", text))

    def _integers(self, claim: str, items: Any, relations: tuple[Relation, ...]) -> frozenset[str]:
        if not isinstance(items, list) or not all(isinstance(i, str) for i in items):
            self.fault(claim, "integers", f'a list of names is wanted, not {kind(items)}; write integers = ["n"]')
            return frozenset()
        if not relations:
            return frozenset(items)
        known = frozenset().union(*(r.free for r in relations))
        for name in sorted(set(items) - known):
            near = difflib.get_close_matches(name, sorted(known), 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            self.fault(claim, "integers", f"{short(name)} does not occur in the claim{hint}")
        return frozenset(items)


def _no_number(claim: Sequence[Relation], told: Sequence[Relation]) -> FormulaError | None:
    """The fault of an ``e`` of which no condition says anything: a free variable where exp(1) is meant."""
    if any("e" in r.free for r in claim) and not any("e" in r.free for r in told):
        return FormulaError("e is a variable here; write E for exp(1), or a condition on e if that is meant")
    return None


def depth(e: Expr) -> int:
    """The nesting of an expression as a tree; iterative, so that it cannot overflow."""
    levels: dict[Expr, int] = {}
    for node in e.walk():
        levels[node] = 1 + max((levels[a] for a in node.args), default=0)
    return levels[e]


def kind(value: Any) -> str:
    """What a value of a TOML file is, in words."""
    names = {
        bool: "a truth value",
        int: "an integer",
        float: "a float",
        str: "a text",
        list: "a list",
        dict: "a table",
    }
    word = names.get(type(value), type(value).__name__)
    return f"{word} with other things than texts" if isinstance(value, list) else word


def short(text: str) -> str:
    """The beginning of a name, printable."""
    clean = "".join(c if c.isprintable() else "?" for c in text[:61])
    return clean if len(text) <= 60 else clean[:60] + "..."


# ------------------------------------------------------------------ claims from sympy


def as_claim(item: Any, where: Sequence[Any] = (), name: str = "claim") -> Claim:
    """A claim from a :class:`Claim`, a formula text ("x < y <= z"), or a sympy relation.

    ``where`` holds texts or sympy relations. Raises FormulaError or TypeError with the reason.
    """
    if isinstance(item, Claim):
        return item
    if isinstance(item, str):
        _, conditions, integers = read_sympy(None, where)
        claim = parse_relations(item)
        if (error := _no_number(claim, conditions)) is not None:
            raise error
        return Claim(name, claim, conditions, integers)
    return claim_from_sympy(item, where, name)


def claim_from_sympy(relation: Any, where: Sequence[Any] = (), name: str = "claim") -> Claim:
    """A claim from a sympy relation (or And of relations), converted node by node, never through text.

    Assumptions of the symbols become hypotheses (signs, nonzero, zero) and integrality; one that no condition of a
    claim says is refused, as even=True. Floats are refused, since 0.1 is no tenth: use Rational(1, 10). A sum means
    what it means in sympy: from 3 to 1 it is minus the term at 2, where a claim's own sum has no terms.
    """
    return Claim(name, *read_sympy(relation, where))
