"""The pieces of Markdown that the report is written with; :mod:`boundcheck.reporting.html` reads just these.

Formulas travel as their source text between two marks, so that Markdown and HTML typeset the same text, each in its
way.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from boundcheck.author.typeset import to_latex
from boundcheck.kernel.formula import FormulaError, Relation, parse, parse_relations
from boundcheck.kernel.formula.tree import Expr
from boundcheck.kernel.statement import Fact
from boundcheck.paper.notation import NAMES

OPEN, CLOSE = "\ue000", "\ue001"  #: the marks around the source of a formula, of no other use in any text
STATEMENTS, MORE = "docs/statements", "docs/report"  #: folders of the pages, as seen from the report
_MARKED = re.compile(f"{OPEN}(.*?){CLOSE}", re.DOTALL)
_LINK = re.compile(r"(\]\()([^)#:\s]+)((?:#[^)\s]*)?\))")


def anchor(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    return "".join(c for c in heading.lower().replace(" ", "-") if c.isalnum() or c in "-_")


def prose(text: str) -> str:
    """Text in which no character is markup, its mathematics in words worded; formulas and code stay as they are."""
    parts = re.split(f"({OPEN}.*?{CLOSE}|`[^`]*`)", str(text), flags=re.DOTALL)
    return "".join(p if p[:1] in (OPEN, "`") else worded(re.sub(r"([*<])", r"\\\1", p)) for p in parts)


_NAMES = "alpha beta gamma delta eps eta theta lambda mu xi rho sigma tau zeta phi psi Delta Gamma Phi Theta"
_GREEK = tuple(re.findall(r"\w+", _NAMES))
_LETTERS = dict(zip(_GREEK, "αβγδεηθλμξρστζφψΔΓΦΘ", strict=True))
_LETTER = re.compile(rf"(?<![A-Za-z\\])({'|'.join(_GREEK)})(?![A-Za-z])")
_RELATIONS = (("\\<=", "≤"), (">=", "≥"), ("<=", "≤"), ("!=", "≠"))
_INDEX = re.compile(r"(?<![A-Za-z])((?:∇)?[A-Za-zα-ωΑ-ΩΔ̄]|Δ̄|\|)_(\([^()]*\)|[A-Za-zα-ωΑ-Ω0-9]+|\\\*)")
_POWER = re.compile(r"(?<=[0-9A-Za-zα-ωΑ-Ω)|>])\^(\((?:[^()]|\([^()]*\))*\)|-?[0-9A-Za-zα-ωΑ-Ω]+)")


def worded(text: str) -> str:
    """Mathematics that prose spells in ASCII as it is printed: Greek letters, relations, indices and powers."""
    for old, new in _RELATIONS:
        text = text.replace(old, new)
    text = _LETTER.sub(lambda m: _LETTERS[m[1]], text)
    text = text.replace("bar Δ", "Δ̄").replace("grad ", "∇").replace("sqrt(", "√(")
    text = _INDEX.sub(lambda m: f"{m[1]}<sub>{_bare(m[2])}</sub>", text)
    return _POWER.sub(lambda m: f"<sup>{_bare(m[1])}</sup>", text)


def _bare(text: str) -> str:
    """Text without the parentheses around it."""
    return text[1:-1] if text.startswith("(") else text


def code(text: str) -> str:
    """Text as inline code."""
    return f"`{text}`" if text else ""


def math(text: str) -> str:
    """The source of a formula, marked to be typeset."""
    return f"{OPEN}{text}{CLOSE}" if text else ""


def said(fact: Fact) -> str:
    """An assertion with its quantified names and conditions, its formulas marked."""
    over = f"for all {', '.join(map(math, fact.over))}" if fact.over else ""
    where = f"where {', '.join(map(math, fact.where))}" if fact.where else ""
    return " ".join(t for t in (math(fact.claim), over, where) if t)


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


def dollars(source: str) -> str:
    """A formula as GitHub's Markdown typesets it: LaTeX between dollar signs and backquotes."""
    found = read(source)
    if found is None:
        return code(source)
    return ", ".join(f"$`{to_latex(r, NAMES)}`$" for r in found)


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
