"""The report as one HTML file: the Markdown that the report uses (no more of it), figures embedded."""

from __future__ import annotations

import base64
import html
import re
from pathlib import Path

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; display: block; overflow-x: auto; font-size: 13px; margin: 1em 0; }
th, td { border: 1px solid #ddd; padding: .25em .5em; vertical-align: top; text-align: left; }
th { background: #f5f5f5; } code { font-size: 12px; background: #f6f6f6; } img { max-width: 100%; }
blockquote { border-left: 4px solid #e69f00; margin-left: 0; padding-left: 1em; }
"""
_IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
_STRONG = re.compile(r"\*\*(.+?)\*\*")
_EMPHASIS = re.compile(r"(?<![\w*])\*([^*\s][^*]*?)\*(?![\w*])")
_KINDS = {".svg": "image/svg+xml", ".png": "image/png"}


def page(markdown: str, folder: Path) -> str:
    """A whole HTML document; images are read from ``folder`` and embedded where they exist."""
    title = next((line[2:] for line in markdown.splitlines() if line.startswith("# ")), "Report")
    body = "\n".join(_block(lines, folder) for lines in _blocks(markdown))
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{STYLE}</style>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


def _blocks(markdown: str) -> list[list[str]]:
    """Paragraphs; a heading, and each run of table rows, list items or quoted lines, is one of its own."""
    blocks: list[list[str]] = [[]]
    for line in markdown.splitlines():
        kind = _kind(line)
        if not line or kind == "heading" or (blocks[-1] and _kind(blocks[-1][0]) != kind):
            blocks.append([])
        if line:
            blocks[-1].append(line)
    return [b for b in blocks if b]


def _kind(line: str) -> str:
    if re.match(r"#{1,6} ", line):
        return "heading"
    return {"|": "table", "-": "list", ">": "quote"}.get(line[:1], "text") if line[1:2] in (" ", "-") else "text"


def _block(lines: list[str], folder: Path) -> str:
    kind = _kind(lines[0])
    if kind == "heading":
        marks, text = lines[0].split(" ", 1)
        name = "".join(c for c in text.lower().replace(" ", "-") if c.isalnum() or c in "-_")
        return f'<h{len(marks)} id="{name}">{_inline(text, folder)}</h{len(marks)}>'
    if kind == "table":
        rows = [_row(line) for line in lines if not re.fullmatch(r"[|\-: ]+", line)]
        tags = ["th", *["td"] * (len(rows) - 1)]
        cells = (
            "".join(f"<{tag}>{_inline(c, folder)}</{tag}>" for c in row) for tag, row in zip(tags, rows, strict=True)
        )
        return "<table>" + "\n".join(f"<tr>{c}</tr>" for c in cells) + "</table>"
    if kind == "list":
        return "<ul>" + "\n".join(f"<li>{_inline(line[2:], folder)}</li>" for line in lines) + "</ul>"
    if kind == "quote":
        return "<blockquote>" + "<br>".join(_inline(line[2:], folder) for line in lines) + "</blockquote>"
    return f"<p>{_inline(' '.join(lines), folder)}</p>"


def _row(line: str) -> list[str]:
    return [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def _inline(text: str, folder: Path) -> str:
    parts = text.split("`")
    if len(parts) % 2 == 0:  # an unpaired mark is a character
        parts = [text]
    return "".join(f"<code>{html.escape(p)}</code>" if i % 2 else _plain(p, folder) for i, p in enumerate(parts))


def _plain(text: str, folder: Path) -> str:
    text = re.sub(r"\\([*<])", lambda m: f"&#{ord(m[1])};", text)  # escaped marks are characters
    text = html.escape(text, quote=False).replace("&lt;br&gt;", "<br>").replace("&amp;#", "&#")
    text = _IMAGE.sub(lambda m: f'<img alt="{html.escape(m[1])}" src="{_source(m[2], folder)}">', text)
    text = _LINK.sub(r'<a href="\2">\1</a>', text)
    return _EMPHASIS.sub(r"<em>\1</em>", _STRONG.sub(r"<strong>\1</strong>", text))


def _source(address: str, folder: Path) -> str:
    path = folder / address
    if path.suffix not in _KINDS or not path.is_file():
        return html.escape(address)
    return f"data:{_KINDS[path.suffix]};base64,{base64.b64encode(path.read_bytes()).decode()}"
