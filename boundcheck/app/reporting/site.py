"""The whole report as one HTML file: the front page, a map, every statement with its proof, all other pages folded.

What is folded is stored compressed in the page and unpacked by the reader's browser, so that the file stays small; it
needs no network. The text is that of the Markdown pages; formulas are MathML.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from boundcheck.app.drawing import Figure
from boundcheck.app.reporting.graph import Graph
from boundcheck.app.reporting.html import STYLE, Place, fragment
from boundcheck.app.reporting.markdown import MORE, STATEMENTS, anchor

_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_HEAD = re.compile(r"\*\*(.+?)\*\* \((.+?)\)\. (.*)")
_VERDICT = re.compile(r"^\*\*([A-Z][A-Za-z -]+)\*\*(?:, as used ([A-Z-]+))?", re.MULTILINE)
_GIVEN = re.compile(r"^Given (.+), which does not hold or is open\.$", re.MULTILINE)


def site(drafts: Mapping[str, str], front: str, folder: Path, figures: Sequence[Figure]) -> str:
    """The document; ``drafts`` as :func:`render.drafts` makes them, figures from ``folder``."""
    statements = {path: text for path, text in drafts.items() if path.startswith(f"{STATEMENTS}/")}
    parts = {path: text for path, text in drafts.items() if path.startswith(f"{MORE}/")}
    labels = {path: _title(text) for path, text in statements.items()}
    names = {path: path.removeprefix(f"{MORE}/").removesuffix(".md") for path in parts}
    links = {front: "#top"} | {path: f"#{anchor(label)}" for path, label in labels.items()}
    links |= {path: f"#{name}" for path, name in names.items()}
    packed: dict[str, str] = {}
    place = Place(folder, links, packed)
    articles = [_article(labels[path], text, place, packed) for path, text in statements.items()]
    others = [_part(names[path], text, place, packed) for path, text in parts.items()]
    body, contents = _front(drafts[front], place, figures, articles, {labels[p]: t for p, t in statements.items()})
    contents += [(names[path], _title(text)) for path, text in parts.items()]
    listed = "".join(f'<li><a href="#{name}">{html.escape(title)}</a></li>' for name, title in contents)
    store = base64.b64encode(gzip.compress(json.dumps(packed).encode(), 9, mtime=0)).decode()
    title = html.escape(_title(drafts[front]))
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title><style>{STYLE}{_file('site.css')}</style></head>",
            '<body id="top"><a class="skip" href="#main">Skip to the report</a>',
            '<nav aria-label="Contents"><details id="menu" open><summary>Contents</summary>',
            '<label for="search">Search labels and text</label>',
            '<input id="search" type="search" autocomplete="off" aria-describedby="hits" placeholder="press /">',
            f'<p id="hits" role="status"></p><ol>{listed}</ol></details></nav>',
            f'<main id="main">{body}<h2 class="rest">All other pages</h2>{"".join(others)}</main>',
            f'<script type="application/octet-stream" id="store">{store}</script>',
            f"<script>{_file('site.js')}</script></body></html>\n",
        ]
    )


def _file(name: str) -> str:
    return (files("boundcheck.app.reporting") / name).read_text(encoding="utf-8")


def _title(text: str) -> str:
    match = _TITLE.search(text)
    return match[1].strip() if match else "Report"


def _article(label: str, text: str, place: Place, packed: dict[str, str]) -> str:
    """A statement, folded: its label, title and verdicts; the rest is packed."""
    rest = _TITLE.sub("", text, count=1)
    head = _HEAD.search(rest)
    title = head[1].replace("\\", "") if head else ""
    found = _VERDICT.search(rest, head.end() if head else 0)
    verdict = found[1] if found else "not decided"
    used = found[2] if found and found[2] else ""
    given = _GIVEN.search(rest)
    wears, verdict = (verdict, verdict) if given is None else ("given", f"{verdict} given")
    name = anchor(label)
    packed[name] = fragment(_lowered(rest), replace(place, prefix=f"{name}-"))
    of = "" if given is None else " " + html.escape(given[1])
    shown = f'<b class="v {wears}">{verdict}{of}</b>' + (f' <span class="used">as used {used}</span>' if used else "")
    return (
        f'<details class="statement" id="{name}" data-verdict="{verdict}"><summary><code>{html.escape(label)}</code> '
        f'<span class="t">{html.escape(title)}</span> {shown}</summary>'
        f'<div class="body" data-key="{name}"></div></details>'
    )


def _part(name: str, text: str, place: Place, packed: dict[str, str]) -> str:
    """Another page, folded."""
    packed[name] = fragment(_lowered(_TITLE.sub("", text, count=1)), replace(place, prefix=f"{name}-"))
    title = html.escape(_title(text))
    return (
        f'<details class="part" id="{name}"><summary><h2>{title}</h2></summary>'
        f'<div class="body" data-key="{name}"></div></details>'
    )


def _lowered(text: str) -> str:
    """Headings one level down, since the page is part of another one."""
    return re.sub(r"^(##+) ", r"#\1 ", text, flags=re.MULTILINE)


def _front(
    text: str, place: Place, figures: Sequence[Figure], articles: Sequence[str], known: Mapping[str, str]
) -> tuple[str, list[tuple[str, str]]]:
    """The front page in sections, and its contents as (anchor, title)."""
    first, *rest = _SECTION.split(text)
    found = [f"<header>{fragment(_without_contents(first), place)}</header>"]
    contents = []
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        name = anchor(title)
        contents.append((name, title))
        inner = _statements(articles, figures, known) if title == "Statements" else fragment(body, place)
        found.append(f'<section aria-labelledby="{name}"><h2 id="{name}">{html.escape(title)}</h2>\n{inner}</section>')
    return "\n".join(found), contents


def _without_contents(text: str) -> str:
    """The head of the front page without its lists of links: the page has its own."""
    return "\n".join(line for line in text.splitlines() if not line.startswith(("Contents: ", "The rest: ")))


def _statements(articles: Sequence[str], figures: Sequence[Figure], known: Mapping[str, str]) -> str:
    """The map that is clicked on, the filters, and the folded statements."""
    address = {label: f"#{anchor(label)}" for label in known}
    maps = [
        f'<details class="map"{" open" if n == 0 else ""}><summary>{html.escape(g.title)}</summary>'
        f'<div class="wide map" tabindex="0">{g.svg(lambda label: address.get(label, "#statements"))}</div></details>'
        for n, g in enumerate(f for f in figures if isinstance(f, Graph))
    ]
    return (
        "<p>A box of the map leads to its statement. What a statement rests on stands above it.</p>"
        f"{''.join(maps)}"
        '<fieldset id="filter"><legend>Show by verdict</legend></fieldset>'
        '<p><button type="button" id="unfold">Unfold all that is shown</button></p>'
        '<noscript><p class="note">Proofs are packed in this page and need JavaScript; without it, read the pages in '
        "docs/statements.</p></noscript>"
        f"{''.join(articles)}"
    )
