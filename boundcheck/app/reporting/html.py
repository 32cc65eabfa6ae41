"""The Markdown that the reports use (no more of it) as HTML: formulas as MathML, figures embedded."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import quote

from boundcheck.app.reporting.markdown import CLOSE, OPEN, anchor, read, typeset
from boundcheck.author.typeset import to_mathml
from boundcheck.paper.symbols import NAMES

STYLE = """
:root { color-scheme: light dark; --text: #222; --page: #fff; --shade: #f4f4f4; --line: #d5d5d5; --link: #0645ad;
  --mark: #a85f00; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e4e4; --page: #17191c; --shade: #24272b; --line: #43474d; --link: #8ab4f8; --mark: #e69f00; }
}
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem;
  color: var(--text); background: var(--page); overflow-wrap: anywhere; }
a { color: var(--link); }
h1, h2, h3 { line-height: 1.25; margin: 1.6em 0 .5em; }
h2 { border-bottom: 1px solid var(--line); padding-bottom: .2em; }
h3:target { background: var(--shade); }
li { margin: .25em 0; }
.wide { overflow-x: auto; margin: 1em 0; }
table { border-collapse: collapse; font-size: 13px; }
th, td { border: 1px solid var(--line); padding: .25em .5em; vertical-align: top; text-align: left;
  overflow-wrap: normal; }
td code { overflow-wrap: anywhere; }
td { min-width: 2.5em; max-width: 36rem; }
th { background: var(--shade); }
code { font-size: 12px; background: var(--shade); }
pre { background: var(--shade); padding: .5em 1em; overflow-x: auto; font-size: 12px; }
img { max-width: 100%; background: #fff; }
blockquote { border-left: 4px solid var(--mark); margin-left: 0; padding-left: 1em; }
"""
FENCE = "```"
_NAME = re.compile(r'<a id="([\w-]+)"></a>')
_IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
_STRONG = re.compile(r"\*\*(.+?)\*\*")
_EMPHASIS = re.compile(r"(?<![\w*])\*([^*\s][^*]*?)\*(?![\w*])")
_ALLOWED = re.compile(r"&lt;(br|/?sub|/?sup)&gt;")
_STEP = re.compile(r"\*\*\(\d+\)\*\*")
_BREAK = re.compile(r"(?<!\\)<br>")
_SAFE = " !$&'()*+,-./:;=?@_~<>[]{}|^`"  #: what stands in a data address as it is: all but %, #, quotes, line ends
#: An escaped mark, a code span between equal runs of backticks, or a run without a partner.
_CODE = re.compile(r"\\[!-/:-@\[-`{-~]|(?P<fence>`++)(?P<code>.+?)(?<!`)(?P=fence)(?!`)|`+")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_KINDS = {".svg": "image/svg+xml", ".png": "image/png", ".csv": "text/csv"}


@dataclass(frozen=True)
class Place:
    """Where a text stands: the folder that its addresses are seen from, and what becomes of links to other pages.

    With ``packed``, figures and data files go there, by their address, instead of into the text: a program in the page
    puts them in. Of a figure that is there in both forms the scalable one is taken.
    """

    folder: Path
    links: Mapping[str, str] = field(default_factory=dict)
    packed: dict[str, str] | None = None
    prefix: str = ""  #: what the names of headings begin with, where several texts share a document


def page(markdown: str, folder: Path) -> str:
    """A whole HTML document; the images and data files of ``folder`` are embedded, a missing image is named."""
    title = next((line[2:] for line in markdown.splitlines() if line.startswith("# ")), "Report")
    body = fragment(markdown, Place(folder))
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(_ESCAPED.sub(lambda m: m[1], title))}</title><style>{STYLE}</style>"
    )
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


def fragment(markdown: str, place: Place) -> str:
    """The HTML of a text, without a document around it."""
    return "\n".join(_block(lines, place) for lines in _blocks(markdown))


def _blocks(markdown: str) -> list[list[str]]:
    """Paragraphs; a heading, a fenced text, and each run of table rows, list items or quoted lines, is its own."""
    blocks: list[list[str]] = [[]]
    fence = ""  # of the fenced text that a line belongs to: it ends with as many backticks as it began with
    for line in markdown.splitlines():
        if fence:
            blocks[-1].append(line)
            if line.strip() == fence:
                fence = ""
                blocks.append([])
            continue
        if line.startswith(FENCE):
            fence = line[: len(line) - len(line.lstrip("`"))]
            blocks.append([line])
            continue
        kind = _kind(line)
        if not line or kind == "heading" or (blocks[-1] and _kind(blocks[-1][0]) != kind):
            blocks.append([])
        if line:
            blocks[-1].append(line)
    return [b for b in blocks if b]


def _kind(line: str) -> str:
    if re.match(r"#{1,6} ", line):
        return "heading"
    if line.startswith(FENCE):
        return "fence"
    return {"|": "table", "-": "list", ">": "quote"}.get(line[:1], "text") if line[1:2] in (" ", "-") else "text"


def _block(lines: list[str], place: Place) -> str:
    kind = _kind(lines[0])
    if kind == "heading":
        marks, text = lines[0].split(" ", 1)
        return f'<h{len(marks)} id="{place.prefix}{anchor(text)}">{_inline(text, place)}</h{len(marks)}>'
    if kind == "fence":
        return "<pre>" + html.escape("\n".join(lines[1:-1])) + "</pre>"
    if kind == "table":
        return _table(lines, place)
    if kind == "list":
        return "<ul>" + "\n".join(_item(line[2:], place) for line in lines) + "</ul>"
    if kind == "quote":
        return "<blockquote>" + "<br>".join(_inline(line[2:], place) for line in lines) + "</blockquote>"
    if name := _NAME.fullmatch(lines[0]):
        return f'<a id="{name[1]}"></a>'
    return f"<p>{_inline(' '.join(lines), place)}</p>"


def _item(text: str, place: Place) -> str:
    """An item of a list; a step of a proof, which begins with its number, shows its reasons when it is unfolded."""
    head, *rest = _BREAK.split(text, maxsplit=1)
    if not rest or not _STEP.match(text):
        return f"<li>{_inline(text, place)}</li>"
    shown, hidden = _inline(head, place), _inline(rest[0], place)
    return f'<li class="step"><details><summary>{shown}</summary><p>{hidden}</p></details></li>'


def _table(lines: list[str], place: Place) -> str:
    """A table that scrolls by itself where it is wider than the page; the keyboard reaches it."""
    rows = [_row(line) for line in lines if not re.fullmatch(r"[|\-: ]+", line)]
    tags = ["th", *["td"] * (len(rows) - 1)]
    cells = ("".join(f"<{tag}>{_inline(c, place)}</{tag}>" for c in row) for tag, row in zip(tags, rows, strict=True))
    return '<div class="wide" tabindex="0"><table>' + "\n".join(f"<tr>{c}</tr>" for c in cells) + "</table></div>"


def _row(line: str) -> list[str]:
    return [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def _inline(text: str, place: Place) -> str:
    """Code spans as code, formulas typeset, the rest as text; a backtick with a backslash is a character.

    So is a backtick without a partner.
    """
    formulas: list[str] = []

    def keep(source: str) -> str:
        formulas.append(source)
        return f"{OPEN}{len(formulas) - 1}{CLOSE}"

    text = typeset(text, keep)
    out, at = [], 0
    for m in _CODE.finditer(text):
        if m["code"] is not None:
            out += [_plain(text[at : m.start()], place), f"<code>{html.escape(_unpadded(m['code']))}</code>"]
            at = m.end()
    found = "".join([*out, _plain(text[at:], place)])
    return typeset(found, lambda number: _formula(formulas[int(number)]))


@cache
def _formula(source: str) -> str:
    """A formula in MathML, each part that no line breaks in a box of its own, which scrolls where it is too wide."""
    relations = read(source)
    if relations is None:
        return f"<code>{html.escape(source)}</code>"
    parts = [to_mathml(r, NAMES).replace("<math>", '<span class="f"><math>') for r in relations]
    return ", ".join(part.replace("</math>", "</math></span>") for part in parts)


def _unpadded(text: str) -> str:
    """A code span without the blanks that set its backticks apart."""
    return text[1:-1] if text[:2] == " `" or text[-2:] == "` " else text


def _plain(text: str, place: Place) -> str:
    text = _ESCAPED.sub(lambda m: f"&#{ord(m[1])};", text)  # escaped marks are characters
    text = html.escape(text, quote=False).replace("&amp;#", "&#")
    text = _ALLOWED.sub(r"<\1>", text)
    text = _IMAGE.sub(lambda m: _image(m[1], m[2], place), text)
    text = _LINK.sub(lambda m: f"<a {_target(m[2], place)}>{m[1]}</a>", text)
    return _EMPHASIS.sub(r"<em>\1</em>", _STRONG.sub(r"<strong>\1</strong>", text))


def _image(text: str, address: str, place: Place) -> str:
    if not (place.folder / address).is_file():
        return f"<em>(missing figure: {html.escape(address)})</em>"
    if place.packed is not None:
        scalable = Path(address).with_suffix(".svg").as_posix()
        address = scalable if (place.folder / scalable).is_file() else address
        place.packed[address] = _source(address, place, plain=True)
        return f'<img alt="{html.escape(text)}" data-image="{html.escape(address)}">'
    return f'<img alt="{html.escape(text)}" src="{_source(address, place)}">'


def _target(address: str, place: Place) -> str:
    """The attributes of a link; the data of a figure go with the page."""
    path = place.folder / address
    page, mark, rest = address.partition("#")
    if page in place.links:
        return f'href="{html.escape(place.links[page] if not rest else mark + rest)}"'
    if path.suffix in _KINDS and path.is_file() and place.packed is not None:
        place.packed[address] = _source(address, place, plain=True)
        return f'href="#" data-file="{html.escape(address)}" download="{html.escape(path.name)}"'
    if path.suffix == ".csv" and path.is_file():
        return f'href="{_source(address, place)}" download="{html.escape(path.name)}"'
    return f'href="{html.escape(address)}"'


def _source(address: str, place: Place, plain: bool = False) -> str:
    """The address of a file's own content; ``plain``: text stays text, which packs better."""
    path = place.folder / address
    kind = _KINDS[path.suffix]
    if plain and path.suffix != ".png":
        return f"data:{kind};charset=utf-8,{quote(path.read_text(encoding='utf-8'), safe=_SAFE)}"
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"
