"""The pieces of Markdown that reports are written with; :mod:`boundcheck.reporting.html` reads just these.

Titles, notes and labels are data: whatever characters they hold, they neither split a row nor begin a heading, a code
span, a formula or a tag.
"""

from __future__ import annotations

import re

#: What is markup inside of a line: marks of code, emphasis, tags, formulas, tables; links; entities; words in _ _.
_MARKS = re.compile(
    r"[`*<|$]|\\(?=[!-/:-@\[-`{-~])|~(?=~)|\](?=[(\[:])|&(?=#|[A-Za-z][A-Za-z0-9]*;)|(?<![^\W_])_|_(?![^\W_])"
)
_BLOCK = re.compile(r"(?:[#>+=-]|\d{1,9}[.)])(?=\s|$|[#>=-])|(?:[-=]{2,}|~{3,})")  #: what begins a block on its line


def anchor(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    return "".join(c for c in heading.lower().replace(" ", "-") if c.isalnum() or c in "-_")


def prose(text: str) -> str:
    """Text, in one line, in which no character is markup."""
    return _MARKS.sub(lambda m: "\\" + m[0], one_line(text))


def paragraph(text: str) -> str:
    """:func:`prose` that may stand at the beginning of a line."""
    escaped = prose(text)
    if not (m := _BLOCK.match(escaped)):
        return escaped
    at = m.end() - 1 if m[0][-1] in ".)" else 0
    return f"{escaped[:at]}\\{escaped[at:]}"


def one_line(text: str) -> str:
    """Text without line ends."""
    return " ".join(str(text).split())


def cell(text: str) -> str:
    """Markdown that a table can hold: no line ends, bars escaped that are not yet."""
    return re.sub(r"(?<!\\)\|", r"\\|", one_line(text))


def code(text: str) -> str:
    """Text as inline code, between more backticks than it has in a row."""
    text = one_line(text)
    if not text:
        return ""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    room = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{room}{text}{room}{fence}"


def code_cell(text: str) -> str:
    """:func:`code` in a table, where a bar is written with a backslash in code too."""
    return code(text).replace("|", "\\|")
