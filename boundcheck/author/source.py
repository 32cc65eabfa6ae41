"""Text with places: every piece of a notation text knows the line and column that each of its characters came from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

OPENING, CLOSING = "([{", ")]}"
_QUOTED = re.compile(r'"[^"]*"')


@dataclass(frozen=True, order=True)
class Place:
    """Line and column in a text, both from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line} column {self.column}"


class NotationError(ValueError):
    """Text that is no notation; ``place`` says where, ``message`` what is wrong and what would be right."""

    def __init__(self, message: str, place: Place):
        super().__init__(f"{place}: {message}")
        self.message, self.place = message, place


@dataclass(frozen=True)
class Piece:
    """A text and the place of each of its characters; ``end`` is the place behind the last one."""

    text: str
    places: tuple[Place, ...]
    end: Place

    @classmethod
    def of_line(cls, text: str, line: int) -> Piece:
        """A line of a text."""
        return cls(text, tuple(Place(line, n + 1) for n in range(len(text))), Place(line, len(text) + 1))

    def cut(self, start: int, stop: int | None = None) -> Piece:
        """The characters from ``start`` to before ``stop``, without blanks at either end."""
        stop = len(self.text) if stop is None else stop
        while start < stop and self.text[start].isspace():
            start += 1
        while stop > start and self.text[stop - 1].isspace():
            stop -= 1
        end = self.places[stop] if stop < len(self.places) else self.end
        return Piece(self.text[start:stop], self.places[start:stop], end)

    def joined(self, other: Piece) -> Piece:
        """This piece, a blank and ``other``."""
        return Piece(f"{self.text} {other.text}", (*self.places, self.end, *other.places), other.end)

    @property
    def place(self) -> Place:
        """Where it begins."""
        return self.places[0] if self.places else self.end

    def place_at(self, index: int) -> Place:
        """The place of the character at ``index``, or behind the last one."""
        return self.places[index] if 0 <= index < len(self.places) else self.end

    def fault(self, message: str, index: int = 0) -> NotationError:
        """An error at a character of this piece."""
        return NotationError(message, self.place_at(index))

    def top(self) -> Iterator[int]:
        """The indices of the characters outside of all brackets and quotation marks."""
        depth = 0
        quoted = False
        for n, c in enumerate(self.text):
            if c == '"':
                quoted = not quoted
            elif quoted:
                continue
            elif c in OPENING:
                depth += 1
            elif c in CLOSING:
                depth -= 1
            elif depth == 0:
                yield n

    def split(self, separator: str) -> list[Piece]:
        """The parts between the separators (one character each) outside of brackets."""
        cuts = [n for n in self.top() if self.text[n] == separator]
        ends = [-1, *cuts, len(self.text)]
        return [self.cut(a + 1, b) for a, b in pairwise(ends)]

    def words(self, *wanted: str) -> list[tuple[str, int]]:
        """(word, index) of each of the words ``wanted`` that stands outside of brackets."""
        pattern = r"(?<![\w.])(?:" + "|".join(map(re.escape, wanted)) + r")(?![\w.])"
        found = [(m.group(), m.start()) for m in re.finditer(pattern, self.text)]
        top = set(self.top()) if found else set()
        return [(word, at) for word, at in found if at in top]

    def before_word(self, *wanted: str) -> tuple[Piece, str, Piece]:
        """What stands before the first of the words, the word ("" if there is none), and what stands behind it."""
        found = self.words(*wanted)
        if not found:
            return self, "", self.cut(len(self.text))
        word, at = found[0]
        return self.cut(0, at), word, self.cut(at + len(word))


@dataclass(frozen=True)
class Row:
    """A line of a text: its indentation, what stands on it, and the remarks above it."""

    indent: int
    piece: Piece
    remark: str = ""


def rows(text: str, first: int = 1, numbers: Sequence[int] = ()) -> list[Row]:
    """The lines of ``text`` that are not empty; ``#`` begins a remark, which belongs to the line below it.

    They are numbered from ``first`` on, or as ``numbers`` says.
    """
    found: list[Row] = []
    remarks: list[str] = []
    lines = text.splitlines()
    for number, line in zip(numbers or range(first, first + len(lines)), lines, strict=True):
        if "\t" in line:
            raise NotationError("a tab; indent with blanks", Place(number, line.index("\t") + 1))
        body = _without_remark(line)
        if body.strip():
            whole = Piece.of_line(line, number).cut(0, len(body))
            found.append(Row(len(body) - len(body.lstrip()), whole, " ".join(remarks)))
            remarks = []
        elif line.strip():
            remarks.append(line.strip().lstrip("#").strip())
        else:
            remarks = []
    return found


def _without_remark(line: str) -> str:
    """The line up to a # that stands outside of quotation marks and of a step's number such as [#3]."""
    quoted = False
    for n, c in enumerate(line):
        if c == '"':
            quoted = not quoted
        elif c == "#" and not quoted and not (n and line[n - 1] == "["):
            return line[:n]
    return line


def unquoted(piece: Piece) -> str:
    """The text between quotation marks. Raises :class:`NotationError`."""
    if not _QUOTED.fullmatch(piece.text):
        raise piece.fault('a text in quotation marks is wanted, as "..."')
    return piece.text[1:-1].replace("''", '"')
