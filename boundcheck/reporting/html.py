"""The report as one HTML file: the Markdown that the report uses (no more of it), figures embedded."""

from __future__ import annotations

import base64
import html
import re
from pathlib import Path

from boundcheck.reporting.markdown import anchor

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
#: An escaped mark, a code span between equal runs of backticks, or a run without a partner.
_CODE = re.compile(r"\\[!-/:-@\[-`{-~]|(?P<fence>`++)(?P<code>.+?)(?<!`)(?P=fence)(?!`)|`+")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_KINDS = {".svg": "image/svg+xml", ".png": "image/png", ".csv": "text/csv"}


def page(markdown: str, folder: Path) -> str:
    """A whole HTML document; the images and data files of ``folder`` are embedded, a missing image is named."""
    title = next((line[2:] for line in markdown.splitlines() if line.startswith("# ")), "Report")
    body = "\n".join(_block(lines, folder) for lines in _blocks(markdown))
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(_ESCAPED.sub(lambda m: m[1], title))}</title><style>{STYLE}</style>"
    )
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


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


def _block(lines: list[str], folder: Path) -> str:
    kind = _kind(lines[0])
    if kind == "heading":
        marks, text = lines[0].split(" ", 1)
        return f'<h{len(marks)} id="{anchor(text)}">{_inline(text, folder)}</h{len(marks)}>'
    if kind == "fence":
        return "<pre>" + html.escape("\n".join(lines[1:-1])) + "</pre>"
    if kind == "table":
        return _table(lines, folder)
    if kind == "list":
        return "<ul>" + "\n".join(f"<li>{_inline(line[2:], folder)}</li>" for line in lines) + "</ul>"
    if kind == "quote":
        return "<blockquote>" + "<br>".join(_inline(line[2:], folder) for line in lines) + "</blockquote>"
    if name := _NAME.fullmatch(lines[0]):
        return f'<a id="{name[1]}"></a>'
    return f"<p>{_inline(' '.join(lines), folder)}</p>"


def _table(lines: list[str], folder: Path) -> str:
    """A table that scrolls by itself where it is wider than the page; the keyboard reaches it."""
    rows = [_row(line) for line in lines if not re.fullmatch(r"[|\-: ]+", line)]
    tags = ["th", *["td"] * (len(rows) - 1)]
    cells = ("".join(f"<{tag}>{_inline(c, folder)}</{tag}>" for c in row) for tag, row in zip(tags, rows, strict=True))
    return '<div class="wide" tabindex="0"><table>' + "\n".join(f"<tr>{c}</tr>" for c in cells) + "</table></div>"


def _row(line: str) -> list[str]:
    return [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def _inline(text: str, folder: Path) -> str:
    """Code spans as code, the rest as text; a backtick with a backslash, or without a partner, is a character."""
    out, at = [], 0
    for m in _CODE.finditer(text):
        if m["code"] is not None:
            out += [_plain(text[at : m.start()], folder), f"<code>{html.escape(_unpadded(m['code']))}</code>"]
            at = m.end()
    return "".join([*out, _plain(text[at:], folder)])


def _unpadded(text: str) -> str:
    """A code span without the blanks that set its backticks apart."""
    return text[1:-1] if text[:2] == " `" or text[-2:] == "` " else text


def _plain(text: str, folder: Path) -> str:
    text = _ESCAPED.sub(lambda m: f"&#{ord(m[1])};", text)  # escaped marks are characters
    text = html.escape(text, quote=False).replace("&lt;br&gt;", "<br>").replace("&amp;#", "&#")
    text = _IMAGE.sub(lambda m: _image(m[1], m[2], folder), text)
    text = _LINK.sub(lambda m: f"<a {_target(m[2], folder)}>{m[1]}</a>", text)
    return _EMPHASIS.sub(r"<em>\1</em>", _STRONG.sub(r"<strong>\1</strong>", text))


def _image(text: str, address: str, folder: Path) -> str:
    if not (folder / address).is_file():
        return f"<em>(missing figure: {html.escape(address)})</em>"
    return f'<img alt="{html.escape(text)}" src="{_source(address, folder)}">'


def _target(address: str, folder: Path) -> str:
    """The attributes of a link; the data of a figure go with the page."""
    path = folder / address
    if path.suffix == ".csv" and path.is_file():
        return f'href="{_source(address, folder)}" download="{html.escape(path.name)}"'
    return f'href="{html.escape(address)}"'


def _source(address: str, folder: Path) -> str:
    path = folder / address
    return f"data:{_KINDS[path.suffix]};base64,{base64.b64encode(path.read_bytes()).decode()}"
