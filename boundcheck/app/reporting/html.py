"""The Markdown of the reports as HTML: formulas as MathML, figures embedded, steps of proofs folded.

The library markdown-it reads it, as CommonMark with tables. Of raw HTML only what the reports write passes.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

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
li.step { margin: 1em 0; }
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
_ALLOWED = re.compile(r'&lt;(br|/?(?:sub|sup|details|summary)|a id="[\w-]+"|/a)&gt;')
_STEP = re.compile(r"<li>(<strong>\(\d+\)</strong>(?:(?!</li>).)*?)<br>(.*?)</li>", re.DOTALL)
_SAFE = " !$&'()*+,-./:;=?@_~<>[]{}|^`"  #: what stands in a data address as it is: all but %, #, quotes, line ends
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
    own: bool = False  #: whether formulas are a user's, whose names mean nothing that the paper says


def page(markdown: str, folder: Path, own: bool = False) -> str:
    """A whole HTML document; the images and data files of ``folder`` are embedded, a missing image is named.

    With ``own`` the formulas are a user's.
    """
    title = next((line[2:] for line in markdown.splitlines() if line.startswith("# ")), "Report")
    body = fragment(markdown, Place(folder, own=own))
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(_ESCAPED.sub(lambda m: m[1], title))}</title><style>{STYLE}</style>"
    )
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


def fragment(markdown: str, place: Place) -> str:
    """The HTML of a text, without a document around it."""
    formulas: list[str] = []

    def keep(source: str) -> str:
        formulas.append(source)
        return f"{OPEN}{len(formulas) - 1}{CLOSE}"

    tokens = _READER.parse(typeset(markdown, keep))
    for before, token in zip([None, *tokens], tokens, strict=False):
        if before is not None and before.type == "heading_open":  # its anchor is made of what it says
            before.attrSet("id", place.prefix + anchor(typeset(token.content, lambda n: formulas[int(n)])))
        token.hidden |= token.type.startswith("paragraph_") and token.level > 1  # items of a list are no paragraphs
    found = _READER.renderer.render(tokens, _READER.options, {"place": place})
    found = _STEP.sub(r'<li class="step"><details><summary>\1</summary><p>\2</p></details></li>', found)
    return typeset(found, lambda number: _formula(formulas[int(number)], place.own))


class _Writer(RendererHTML):
    """How tokens are written where HTML needs more than the library does: all these have its signature."""

    def html_inline(self, tokens: Sequence[Token], idx: int, options: Any, env: Mapping[str, Any]) -> str:
        """Of what looks like HTML, that which the reports write; anything else is text."""
        return _ALLOWED.sub(r"<\1>", html.escape(tokens[idx].content, quote=False))

    def html_block(self, tokens: Sequence[Token], idx: int, options: Any, env: Mapping[str, Any]) -> str:
        """As :meth:`html_inline`."""
        return self.html_inline(tokens, idx, options, env)

    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: Mapping[str, Any]) -> str:
        """A text as it stands, whatever language it is in."""
        return f"<pre>{html.escape(tokens[idx].content.rstrip())}</pre>\n"

    def table_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Mapping[str, Any]) -> str:
        """A table that scrolls by itself where it is wider than the page; the keyboard reaches it."""
        return '<div class="wide" tabindex="0"><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Mapping[str, Any]) -> str:
        """The end of :meth:`table_open`."""
        return "</table></div>\n"

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Mapping[str, Any]) -> str:
        """A figure with its content."""
        return _image(tokens[idx].content, str(tokens[idx].attrs["src"]), env["place"])

    def link_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Mapping[str, Any]) -> str:
        """A link, or the data of a figure."""
        return f"<a {_target(str(tokens[idx].attrs['href']), env['place'])}>"


_READER = MarkdownIt("commonmark", renderer_cls=_Writer).enable("table")


@cache
def _formula(source: str, own: bool) -> str:
    """A formula in MathML, each part that no line breaks in a box of its own, which scrolls where it is too wide."""
    relations = read(source)
    if relations is None:
        return f"<code>{html.escape(source)}</code>"
    parts = [to_mathml(r, {} if own else NAMES).replace("<math>", '<span class="f"><math>') for r in relations]
    return ", ".join(part.replace("</math>", "</math></span>") for part in parts)


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
