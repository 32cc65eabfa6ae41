"""Passages of other proofs: ``as in thm:own, from size to total`` stands for those lines of the proof of thm:own.

As a paper says "the rest is as before". The lines are put in as text, so they speak of the names and abbreviations of
the proof that takes them, and each is searched and checked there anew. ``from`` and ``to`` are names of lines, or of
abbreviations that begin a line, outside of blocks; all that the line ``to`` says belongs to the passage.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from boundcheck.author.proof_records import LABEL
from boundcheck.author.source import NotationError, Place

Told = Callable[[str], str | None]  #: the proof of a statement as it is written; None where there is none
AS_USED = " as used"  #: behind a label: the form of the statement that its uses need
_TAKES = re.compile(r"(?P<indent> *)as in\b(?P<rest>.*)")
_PASSAGE = re.compile(rf" (?P<label>{LABEL}(?:{AS_USED})?), from (?P<first>.+?) to (?P<last>.+?)\s*")


def with_passages(text: str, told: Told, first: int = 1) -> tuple[str, list[int]]:
    """The proof with the passages that it takes from others, and for each line of it the line of the file it is from.

    ``first`` is the number of the text's first line. A line that was put in counts as the one that takes it. Raises
    :class:`boundcheck.author.source.NotationError`.
    """
    lines: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(text.splitlines(), first):
        takes = _TAKES.fullmatch(line)
        new = [line] if takes is None else _passage(takes, told, number)
        lines += new
        numbers += [number] * len(new)
    return "\n".join(lines) + ("\n" if text.endswith("\n") else ""), numbers


def _passage(takes: re.Match[str], told: Told, number: int) -> list[str]:
    """The lines that a line stands for, indented as it is."""
    indent, said = len(takes["indent"]), _PASSAGE.fullmatch(takes["rest"])

    def fault(message: str, column: int = 0) -> NotationError:
        return NotationError(message, Place(number, indent + column + 1))

    if said is None:
        raise fault("a passage of another proof is written: as in lem:own, from size to total")
    proof = told(said["label"])
    if proof is None:
        raise fault(f"no statement with a proof is called {said['label']}", len("as in") + said.start("label"))
    rows = proof.splitlines()
    margin = min(len(r) - len(r.lstrip()) for r in rows if r.strip())
    start = next((n for n, r in enumerate(rows) if _is_named(r, margin, said["first"])), None)
    end = next((n for n, r in enumerate(rows) if _is_named(r, margin, said["last"]) and n >= (start or 0)), None)
    for name, at in (("first", start), ("last", end)):
        if at is None:
            where = "a line of that proof outside of its blocks" + (
                f" behind {said['first']}" if name == "last" else ""
            )
            raise fault(f"{said[name]!r} is not the name of {where}", len("as in") + said.start(name))
    found = rows[start:end]  # the line `last` goes as far as what is indented below it
    rest = rows[end:]
    deeper = next((n for n, r in enumerate(rest) if n and len(r) - len(r.lstrip()) <= margin), len(rest))
    found += rest[:deeper]
    if any(_TAKES.fullmatch(r) for r in found):
        raise fault("that passage takes one itself; name the proof where it is written")
    return [" " * indent + r[margin:] if r.strip() else "" for r in found]


def _is_named(row: str, margin: int, name: str) -> bool:
    """Whether the row, at the margin of its proof, begins a line called ``name``, or what it abbreviates."""
    named = rf"{re.escape(name)}\s*:(?![=:])|let\s+{re.escape(name)}\s*=(?!=)"
    return not row[:margin].strip() and re.match(named, row[margin:]) is not None
