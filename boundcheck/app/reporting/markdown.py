"""The pieces of Markdown that reports are written with; :mod:`boundcheck.app.reporting.html` reads just these.

Titles, notes and labels are data: whatever characters they hold, they neither split a row nor begin a heading, a code
span, a formula or a tag. Formulas travel as their source text between two marks, so that Markdown and HTML typeset the
same text, each in its way.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from boundcheck.author.typeset import to_latex
from boundcheck.kernel.formula import FormulaError, Relation, parse, parse_relations
from boundcheck.kernel.formula.tree import Expr
from boundcheck.kernel.statement import Fact
from boundcheck.paper.symbols import NAMES

OPEN, CLOSE = "\ue000", "\ue001"  #: the marks around the source of a formula, of no other use in any text
STATEMENTS, MORE = "docs/statements", "docs/report"  #: folders of the pages, as seen from the report
_MARKED = re.compile(f"{OPEN}(.*?){CLOSE}", re.DOTALL)
_LINK = re.compile(r"(?<!\\)(\]\()([^)#:\s]+)((?:#[^)\s]*)?\))")

#: What is markup inside of a line: marks of code, emphasis, tags, formulas, tables; links; entities; words in _ _.
_MARKS = re.compile(
    r"[`*<|$]|\\(?=[!-/:-@\[-`{-~])|~(?=~)|\](?=[(\[:])|&(?=#|[A-Za-z][A-Za-z0-9]*;)|(?<![^\W_])_|_(?![^\W_])"
)
_BLOCK = re.compile(r">|(?:[#+=-]|\d{1,9}[.)])(?=\s|$|[#>=-])|(?:[-=]{2,}|~{3,})")  #: what begins a block on its line


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


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """The lines of a table; a bar in a cell is one."""
    lines = [f"| {' | '.join(cell(str(c)) for c in row)} |" for row in (heads, *rows)]
    return [lines[0], f"|{'---|' * len(heads)}", *lines[1:]]


def code(text: str) -> str:
    """Text as inline code, between more backticks than it has in a row."""
    text = one_line(text)
    if not text:
        return ""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    room = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{room}{text}{room}{fence}"


def fenced(lines: Sequence[str]) -> list[str]:
    """Lines as they stand, between fences longer than any run of backticks in them."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", "\n".join(lines))), default=0))
    return [f"{fence}text", *lines, fence]


def code_cell(text: str) -> str:
    """:func:`code` in a table, where a bar is written with a backslash in code too."""
    return code(text).replace("|", "\\|")


_NAMES = "alpha beta gamma delta eps eta theta lambda mu xi rho sigma tau zeta phi psi Delta Gamma Phi Theta"
_GREEK = tuple(re.findall(r"\w+", _NAMES))
_LETTERS = dict(zip(_GREEK, "αβγδεηθλμξρστζφψΔΓΦΘ", strict=True))
_LETTER = re.compile(rf"(?<![A-Za-z\\])({'|'.join(_GREEK)})(?![A-Za-z])")
_RELATIONS = ((">=", "≥"), ("<=", "≤"), ("!=", "≠"))
_INDEX = re.compile(r"(?<![A-Za-z])((?:∇)?[A-Za-zα-ωΑ-ΩΔ̄]|Δ̄|\|)_(\([^()]*\)|[A-Za-zα-ωΑ-Ω0-9]+|\*)")
_TAGS = {"\ue002": "<sub>", "\ue003": "</sub>", "\ue004": "<sup>", "\ue005": "</sup>"}  #: until the rest is escaped
_POWER = re.compile(r"(?<=[0-9A-Za-zα-ωΑ-Ω)|\ue003])\^(\((?:[^()]|\([^()]*\))*\)|-?[0-9A-Za-zα-ωΑ-Ω]+)")


def worded(text: str) -> str:
    """:func:`prose` of the catalogue, its mathematics in words as printed; formulas and code stay as they are."""
    parts = re.split(f"({OPEN}.*?{CLOSE}|`[^`]*`)", one_line(text), flags=re.DOTALL)
    return "".join(p if p[:1] == OPEN or p[:1] == p[-1:] == "`" != p else _worded(p) for p in parts)


def _worded(text: str) -> str:
    """Mathematics that prose spells in ASCII as it is printed: Greek letters, relations, indices and powers."""
    for old, new in _RELATIONS:
        text = text.replace(old, new)
    text = _LETTER.sub(lambda m: _LETTERS[m[1]], text)
    text = text.replace("bar Δ", "Δ̄").replace("grad ", "∇").replace("sqrt(", "√(")
    text = _INDEX.sub(lambda m: f"{m[1]}\ue002{_bare(m[2])}\ue003", text)
    text = _POWER.sub(lambda m: f"\ue004{_bare(m[1])}\ue005", text)
    text = _MARKS.sub(lambda m: "\\" + m[0], text)
    return re.sub("[\ue002-\ue005]", lambda m: _TAGS[m[0]], text)


def _bare(text: str) -> str:
    """Text without the parentheses around it."""
    return text[1:-1] if text.startswith("(") else text


def math(text: str) -> str:
    """The source of a formula, marked to be typeset."""
    return f"{OPEN}{text}{CLOSE}" if text else ""


def said(fact: Fact) -> str:
    """An assertion with its quantified names and conditions, its formulas marked."""
    over = f"for all {', '.join(map(_quantified, fact.over))}" if fact.over else ""
    where = f"where {', '.join(map(math, fact.where))}" if fact.where else ""
    return " ".join(t for t in (math(fact.claim), over, where) if t)


def _quantified(entry: str) -> str:
    """A quantified name, with its sort in words where it has one."""
    name, _, sort = (part.strip() for part in entry.partition(":"))
    return f"{sort} {math(name)}".strip()


def read(source: str) -> list[Expr | Relation] | None:
    """The formula behind a marked text: its relations, or its one expression; None where it is neither."""
    for reader in (parse_relations, lambda text, proof: (parse(text, proof=proof),)):
        try:
            return list(reader(source, proof=True))
        except FormulaError:
            continue
    return None


def typeset(text: str, write: Callable[[str], str]) -> str:
    """Text with each marked formula as ``write`` makes it from its source."""
    return _MARKED.sub(lambda m: write(m[1]), text)


@lru_cache(maxsize=1 << 16)  # a formula stands on several pages, and a page is written more than once
def dollars(source: str, own: bool = False) -> str:
    """A formula as GitHub's Markdown typesets it: LaTeX between dollar signs and backquotes.

    With ``own`` its names mean nothing that the paper says.
    """
    found = read(source)
    if found is None:
        return code(source)
    return ", ".join(f"$`{to_latex(r, {} if own else NAMES)}`$" for r in found)


def plain(text: str) -> str:
    """Text without the marks."""
    return text.replace(OPEN, "").replace(CLOSE, "")


def finished(text: str, path: str) -> str:
    """A page of the report as it is written to ``path``: formulas typeset, links relative, no blanks at line ends."""
    text = relocated(typeset(text, dollars), posixpath.dirname(path))
    text = re.sub(r"\n{3,}", "\n\n", text)
    return "\n".join(line.rstrip() for line in text.splitlines()).strip() + "\n"


def relocated(text: str, folder: str) -> str:
    """Text whose links, written as seen from the report, are those of a page in ``folder``."""
    if not folder:
        return text
    return _LINK.sub(lambda m: m[1] + posixpath.relpath(m[2], folder) + m[3], text)


def page_of(label: str) -> str:
    """The page of a statement, as seen from the report."""
    return f"{STATEMENTS}/{label.replace(':', '-')}.md"


def link(label: str) -> str:
    """A label as a link to its page."""
    return f"[{label}]({page_of(label)})"
