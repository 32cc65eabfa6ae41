"""Titles, notes and labels are data: whatever they hold, a report shows it, in Markdown and in HTML."""

from __future__ import annotations

import random
from html.parser import HTMLParser
from pathlib import Path

import pytest

from boundcheck.app.reporting import markdown
from boundcheck.app.reporting.html import page
from boundcheck.app.reporting.markdown import cell, code, code_cell, one_line, paragraph, prose
from boundcheck.report import main

REPORTS = Path(__file__).parent / "data" / "reports"
NASTY = (
    *(
        "a|b",
        "`",
        "``x`",
        "<b>|</b>",
        "$x$ and $y$",
        "a\nb",
        "\\|",
        "*a* _b_ __c__",
        "[x](y)",
        "&lt;",
        "# no",
        "1. no",
    ),
    *("~~no~~", "--- ", "> q", ">q", "|---|---|", "```", "<!-- -->", "a\\", "`|`", "![i](j.svg)", "x" * 10_000),
)
MARKUP = {
    *("html", "head", "meta", "title", "style", "body", "h1", "h2", "div"),
    *("table", "thead", "tbody", "tr", "th", "td", "p", "code", "a"),
}


class Seen(HTMLParser):
    """The tags of a page and the texts of its cells and paragraphs."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.inside = set(), [], False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag in ("td", "p"):
            self.texts.append("")
            self.inside = True

    def handle_endtag(self, tag):
        self.inside = self.inside and tag not in ("td", "p")

    def handle_data(self, data):
        if self.inside:
            self.texts[-1] += data


def shown(text, prose=prose, code_cell=code_cell, paragraph=paragraph):
    """Whether a row and a paragraph show a text, as it is, in its own cell."""
    table = f"# x\n\n| a | b |\n|---|---|\n| {prose(text)} | {code_cell(text)} |\n\n{paragraph(text)}\n"
    seen = Seen(page(table, Path()))
    return seen.texts == [one_line(text)] * 3 and seen.tags <= MARKUP


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_what_looks_like_markup_is_shown(text):
    assert shown(text)


def test_texts_of_marks_are_shown():
    draw = random.Random(21)
    for _ in range(1000):
        text = "".join(draw.choice("|`$<>*_\\[]()#&;!-=+~1. ab\n:^{}\"'") for _ in range(draw.randint(1, 14)))
        assert not one_line(text) or shown(text), repr(text)


@pytest.mark.parametrize("text", ["a|b", "*a*", "# a", "[x](y)"])
def test_text_as_it_is_would_not_be_shown(text):
    """The test sees what it is for: text pasted into a row."""
    assert not (shown(text, prose=one_line) and shown(text, paragraph=one_line) and shown(text, code_cell=code))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a|b", "a\\|b"),
        ("x_t <= 2", "x_t \\<= 2"),  # an underscore inside of a word is none of emphasis
        ("_x_", "\\_x\\_"),
        ("$5", "\\$5"),
        ("a [b] c", "a [b] c"),
        ("[b](c)", "[b\\](c)"),
        ("R&D &amp;", "R&D \\&amp;"),
        ("a\nb", "a b"),
    ],
)
def test_no_more_is_escaped_than_needed(text, wanted):
    assert prose(text) == wanted


def test_what_begins_a_block_does_not():
    assert [paragraph(t) for t in ("# a", ">a", "- a", "1. a", "=====", "a - b")] == [
        "\\# a",
        "\\>a",
        "\\- a",
        "1\\. a",
        "\\=====",
        "a - b",
    ]


def test_code_and_cells():
    assert code("a`b") == "``a`b``" and code("`a") == "`` `a ``" and code("") == "" and code("a\nb") == "`a b`"
    assert code_cell("a|b") == "`a\\|b`" and cell("`a|b` \\| c") == "`a\\|b` \\| c"
    assert markdown.anchor("A title, 2") == "a-title-2"


def test_a_bar_in_a_label_or_a_title_does_not_split_the_row(tmp_path):
    path = tmp_path / "R.md"
    assert main([str(REPORTS / "title_pipe.py"), "-o", str(path), "--html", str(tmp_path / "R.html")]) == 0
    lines = path.read_text().splitlines()
    row = next(line for line in lines if "lem:a" in line)
    assert row == "| [\\|x\\| \\<= 1 is enough](#lem-a-b) `lem:a\\|b` | PROVED | 2 |  |  |"
    assert "## \\|x\\| \\<= 1 is enough" in lines
    assert "|x| <= 1 is enough lem:a|b" in Seen((tmp_path / "R.html").read_text()).texts


FILE = """
from boundcheck.statement import Decide, Fact, Parameter, Statement, Step
def statement(label, title, note=""):
    return Statement(label=label, title=title, kind="lemma", part="example", text=title, note=note,
        parameters=(Parameter("x", "a number"),), claims=(Fact("x**2 >= 0"),),
        steps=(Step(Fact("x**2 >= 0"), Decide(), note=title),))
STATEMENTS = (statement("lem:a|b", TITLE, TITLE), statement("lem:a-b", "other"), statement("lem:a`<i>", "third"))
"""


@pytest.mark.parametrize("title", ["a\nb|c", "`|` <script>alert(1)</script>", "$x$ ``", "# |", "x|" * 5000])
def test_a_report_shows_titles_notes_and_labels_as_they_are(tmp_path, title):
    source, path, html = tmp_path / "own.py", tmp_path / "R.md", tmp_path / "R.html"
    source.write_text(FILE.replace("TITLE", repr(title)))
    assert main([str(source), "-o", str(path), "--html", str(html)]) == 0
    seen = Seen(html.read_text())
    assert "script" not in seen.tags and "i" not in seen.tags
    shown = one_line(title) if len(title) < 300 else one_line(title)[:297] + "..."
    assert f"{shown} lem:a|b" in seen.texts and one_line(title) in seen.texts
    assert path.read_text().count('<a id="lem-a-b"></a>') == 1 and '<a id="lem-a-b-2"></a>' in path.read_text()
    rows = [line for line in path.read_text().splitlines() if line.startswith("| [")]
    assert len(rows) == 3
