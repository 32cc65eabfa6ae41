"""The whole report as one HTML file: the front page, a map, every statement with its proof, all other pages folded.

What is folded is stored compressed in the page and unpacked by the reader's browser, so that the file stays small; it
needs no network. The text is that of the Markdown pages; formulas are MathML.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from boundcheck.app.drawing import Figure
from boundcheck.app.reporting.graph import Graph
from boundcheck.app.reporting.html import STYLE, Place, fragment
from boundcheck.app.reporting.markdown import MORE, anchor, page_of, worded
from boundcheck.app.reporting.render import page

_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)


def site(
    drafts: Mapping[str, str],
    statements: Sequence[Mapping[str, Any]],
    front: str,
    folder: Path,
    figures: Sequence[Figure],
) -> str:
    """The document; drafts and statements as :func:`render.drafts` makes them, figures from ``folder``."""
    parts = {path: path.removeprefix(f"{MORE}/").removesuffix(".md") for path in drafts if path.startswith(MORE)}
    anchors = {s["label"]: anchor(s["label"]) for s in statements}
    places = parts | {page_of(label): name for label, name in anchors.items()}
    packed: dict[str, str] = {}
    place = Place(folder, {front: "#top"} | {path: f"#{name}" for path, name in places.items()}, packed)
    for path, name in places.items():  # headings are one level down, since the page is part of another one
        text = re.sub(r"^(##+) ", r"#\1 ", _TITLE.sub("", drafts[path], count=1), flags=re.MULTILINE)
        packed[name] = fragment(text, replace(place, prefix=f"{name}-"))
    first, *rest = _SECTION.split(drafts[front])
    own = "\n".join(line for line in first.splitlines() if not line.startswith(("Contents: ", "The rest: ")))
    values = {
        "title": _title(drafts[front]),
        "first": fragment(own, place),
        "sections": [
            {"name": anchor(title), "title": title, "text": fragment(text, place) if title != "Statements" else ""}
            for title, text in zip(rest[::2], rest[1::2], strict=True)
        ],
        "parts": [{"name": name, "title": _title(drafts[path])} for path, name in parts.items()],
        "statements": [
            {**s, "name": anchors[s["label"]], "title": worded(s["says"].title).replace("\\", "")} for s in statements
        ],
        "maps": [
            (g.title, g.svg(lambda label: f"#{anchors.get(label, 'statements')}"))
            for g in figures
            if isinstance(g, Graph)
        ],
        "style": STYLE + _file("site.css"),
        "program": _file("site.js"),
        "store": base64.b64encode(gzip.compress(json.dumps(packed).encode(), 9, mtime=0)).decode(),
    }
    return page("site.html.j2", {}, **values) + "\n"


def _file(name: str) -> str:
    return (files("boundcheck.app.reporting") / name).read_text(encoding="utf-8")


def _title(text: str) -> str:
    match = _TITLE.search(text)
    return match[1].strip() if match else "Report"
