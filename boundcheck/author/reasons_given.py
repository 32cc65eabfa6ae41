"""Reading what stands after ``by`` and ``exactly``.

by decide | RULE | FACT | LABEL [part] [as used] | cases b > 0 , ...  [with X = term; Y = term]
exactly rule NAME [with X = term; ...] [from [fact], [#3], [fact at t = 1]]
exactly scalar [from ...]        exactly sum 2*[fact], [fact]
exactly cite LABEL 2 [as used] [with ...] [from ...]
exactly gram v; w [from 2*[fact], [fact]] [sharp "1/2": "claim in c", "relation"; ...]
exactly definition               exactly literature "reference"
"""

from __future__ import annotations

import re

from boundcheck.author.proof_records import BY, EXACTLY, LABEL, Hint, Item
from boundcheck.author.source import Piece, unquoted
from boundcheck.author.syntax import Lets, is_relation, relations, term
from boundcheck.kernel.rules import RULES
from boundcheck.kernel.statement import (
    ByGram,
    ByRule,
    Cite,
    Decide,
    Definition,
    Follows,
    Justification,
    Literature,
    Ref,
    Use,
)

_LABEL = re.compile(rf"(?P<label>{LABEL})(?:\s+(?P<part>[0-9]{{1,3}}))?(?P<used>\s+as used)?")
_CASES = re.compile(r"cases\b")
_KINDS = ("rule", "scalar", "sum", "cite", "gram", "definition", "literature")


def read_hint(word: str, piece: Piece, lets: Lets) -> Hint:
    """The hint behind ``by`` or ``exactly``. Raises NotationError."""
    if not piece.text:
        raise piece.fault(f"nothing stands after {word!r}")
    size = len(re.findall(r"[^,;\s]+(?: [^,;\s]+)*", piece.text))
    if word == EXACTLY:
        return Hint(EXACTLY, exact=_exactly(piece, lets), size=size)
    rest, values = _before_values(piece)
    parts = [part for part in rest.split(",") if part.text]
    cases = [part for part in parts if _CASES.match(part.text)]
    items = [i for part in parts if part not in cases for i in _items(part, lets)]
    whole = _whole_names(items)
    size += len(whole) - len(items)
    return Hint(BY, whole, _values(values, lets) if values.text else {}, case=_case(cases, lets), size=size)


def _case(found: list[Piece], lets: Lets) -> str:
    """The condition of a case distinction; "" where none is made."""
    if not found:
        return ""
    if len(found) > 1:
        raise found[1].fault("one case distinction a line; the line before can make the other")
    told = relations(found[0].cut(len("cases")), lets) if is_relation(found[0]) else ()
    if len(told) != 1 or told[0].op in ("==", "!="):
        raise found[0].fault("a case distinction is written with one of <, <=, >, >=: by cases b > 0")
    return str(told[0])


def _whole_names(items: list[Item]) -> tuple[Item, ...]:
    """The items, those joined that are the halves of a rule's name with a comma in it: ``integrable, tail``."""
    found: list[Item] = []
    for item in items:
        name = f"{found[-1].name}, {item.name}" if found else ""
        if name in RULES:
            found[-1] = Item(name, found[-1].place)
        else:
            found.append(item)
    return tuple(found)


def _before_values(piece: Piece) -> tuple[Piece, Piece]:
    """What stands before ``with X = term``, and the values; a rule's name may have the word, too."""
    for word, at in piece.words("with"):
        behind = piece.cut(at + len(word))
        if re.match(r"\w+\s*=(?!=)", behind.text):
            return piece.cut(0, at), behind
    return piece, piece.cut(len(piece.text))


def _items(piece: Piece, lets: Lets) -> list[Item]:
    """The things of a comma-free part: one, or ``2*[a] + [b]``."""
    if "[" not in piece.text:
        return [_bare(piece)]
    summands = piece.split("+")
    return [_bracketed(p, lets) for p in (summands if all("[" in p.text for p in summands) else [piece])]


def _bare(piece: Piece) -> Item:
    found = _LABEL.fullmatch(piece.text)
    if found:
        part = int(found["part"]) if found["part"] else None
        return Item(found["label"], piece.place, part=part, as_used=bool(found["used"]))
    return Item(piece.text, piece.place)


def _bracketed(piece: Piece, lets: Lets) -> Item:
    if not piece.text.endswith("]"):
        raise piece.fault("a fact in brackets ends the part: 2*[fact], or [fact at t = 1]")
    opening = _matching(piece) - 1
    inner = piece.cut(opening + 1, len(piece.text) - 1)
    before = piece.cut(0, opening)
    times = ""
    if before.text:
        if not before.text.endswith("*"):
            raise before.fault("a multiplier is written before the bracket with *, as in 2*[fact]")
        times = str(term(before.cut(0, len(before.text) - 1), lets))
    name, _, values = inner.before_word("at")
    return Item(name.text, inner.place, times, _values(values, lets) if values.text else {})


def _matching(piece: Piece) -> int:
    """The index behind the bracket that the last character closes."""
    depth = 0
    for n in range(len(piece.text) - 1, -1, -1):
        depth += piece.text[n] in ")]"
        depth -= piece.text[n] in "(["
        if depth == 0:
            return n + 1
    raise piece.fault("a bracket that is not opened")


def _values(piece: Piece, lets: Lets) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in piece.split(";"):
        name, sign, value = part.text.partition("=")
        if not sign or not name.strip().isidentifier():
            raise part.fault("values are written name = term; name = term")
        if re.search(r",\s*\w+\s*=(?!=)", value):
            raise part.fault("values are kept apart by semicolons: with X = Z; r = 2*s")
        _, *behind = part.split(",")
        if behind:
            raise behind[0].fault("values stand last: by that, this with X = Z; r = 2*s")
        if value.strip("- ") == "oo":
            found[name.strip()] = value.strip()
        else:
            found[name.strip()] = str(term(part.cut(len(name) + 1), lets))
    return found


def ref_of(item: Item) -> Ref:
    """The reference behind an item: a number after #, else a name."""
    ref: str | int = int(item.name[1:]) if re.fullmatch(r"#[0-9]{1,5}", item.name) else item.name
    return Use(ref, dict(item.let)) if item.let else ref


def refs(piece: Piece, lets: Lets) -> list[Item]:
    """The facts of a list ``2*[a], [#3], [c at t = 1]``."""
    return [_bracketed(p, lets) for p in piece.split(",")] if piece.text else []


def _exactly(piece: Piece, lets: Lets) -> Justification:
    kind = piece.text.split()[0]
    if kind not in _KINDS:
        raise piece.fault(f"after 'exactly' stands one of {', '.join(_KINDS)}")
    rest = piece.cut(len(kind))
    if kind == "definition":
        return Definition()
    if kind == "literature":
        return Literature(unquoted(rest))
    if kind == "gram":
        return _gram(rest, lets)
    rest, _, behind = rest.before_word("from")
    rest, values = _before_values(rest)
    let = _values(values, lets) if values.text else {}
    if kind == "sum":
        items = refs(rest, lets)
        times = tuple(i.times for i in items)
        return Follows(tuple(map(ref_of, items)), times if any(times) else ())
    using = tuple(ref_of(i) for i in refs(behind, lets))
    if kind == "scalar":
        return Decide(using)
    if kind == "rule":
        return ByRule(rest.text, let, using)
    return _cite(rest, let, using)


def _cite(piece: Piece, let: dict[str, str], using: tuple[Ref, ...]) -> Cite:
    found = _LABEL.fullmatch(piece.text)
    if not found:
        raise piece.fault("a label and the number of its claim are wanted, as in: cite lem:hp-two-point 1")
    return Cite(found["label"], let, using, int(found["part"] or 1) - 1, bool(found["used"]))


def _gram(piece: Piece, lets: Lets) -> ByGram:
    piece, _, sharp = piece.before_word("sharp")
    piece, _, behind = piece.before_word("from")
    vectors = tuple(str(term(p, lets)) for p in piece.split(";")) if piece.text else ()
    items = refs(behind, lets)
    times = tuple(i.times for i in items)
    constants: dict[str, tuple[str, ...]] = {}
    for part in sharp.split(";") if sharp.text else []:
        value, sign, _ = part.text.partition(":")
        if not sign:
            raise part.fault('a constant and its claim are written "1/2": "claim in c"')
        start = len(value) + 1
        constants[unquoted(part.cut(0, len(value)))] = tuple(unquoted(p) for p in part.cut(start).split(","))
    return ByGram(vectors, tuple(map(ref_of, items)), times if any(times) else (), constants)
