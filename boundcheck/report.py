"""Front door: ``python -m boundcheck.report``; renders stored results, runs nothing.

With FILE.py or FILE.toml it decides and simulates what that file defines, and renders FILE.md.
"""

from __future__ import annotations

from boundcheck.system.exits import Unusable, opening

if __name__ == "__main__":
    opening()

import argparse
import difflib
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from boundcheck.app.drawing import Figure
from boundcheck.app.reporting import sources
from boundcheck.app.reporting.figures import figures
from boundcheck.app.reporting.graph import graphs
from boundcheck.app.reporting.markdown import MORE, STATEMENTS, finished
from boundcheck.app.reporting.render import FIGURES, drafts
from boundcheck.app.reporting.waterfall import waterfall
from boundcheck.paper import catalogue
from boundcheck.stored import decisions
from boundcheck.system.arguments import front_door
from boundcheck.system.files import replacing, write_text


def main(argv: Sequence[str] | None = None) -> int:
    """Write or check the report; 0, 1 where ``--check`` finds a difference, 2 for unusable input."""
    parser = front_door(
        "python -m boundcheck.report",
        "Renders the stored results as a report and runs nothing. With FILE.py or FILE.toml it decides "
        "and simulates what that file defines, and renders FILE.md.",
    )
    parser.add_argument(
        "file", metavar="FILE.py | FILE.toml", nargs="?", help="report on your own statements and checks instead"
    )
    parser.add_argument("-o", metavar="FILE", help="the report (default REPORT.md, or FILE.md)")
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--html", metavar="FILE", help="also write one self-contained HTML file")
    either.add_argument(
        "--check", action="store_true", help="compare text and figure data with the files; write nothing"
    )
    parser.set_defaults(run=_run)
    return parser.run(argv)


def _run(options: argparse.Namespace) -> int:
    if options.file is None:
        path = Path(options.o or "REPORT.md")
        return _check(path) if options.check else _write(path, options.html)
    if not options.file.endswith((".py", ".toml")):
        raise Unusable(f"{options.file}: a FILE.py or FILE.toml is wanted here; `-o FILE` names the report")
    return _own(options.file, Path(options.o or Path(options.file).with_suffix(".md")), options.html, options.check)


def _own(file: str, path: Path, html: str | None, check: bool) -> int:
    """The report on a user's file."""
    from boundcheck.app.commands.output import said_program
    from boundcheck.app.reporting.user_report import draft, written

    said_program(file)
    found = draft(file)
    text = written(found)
    if check:
        return 0 if _same(path, text) else 1
    write_text(path, text)
    if html is not None:
        from boundcheck.app.reporting.html import page

        write_text(html, page(found, path.parent, own=True))
    print(f"{path}: {len(text.splitlines())} lines")
    return 0


@dataclass(frozen=True)
class Rendered:
    """The report from the stored results: its pages as drafts, what is known of statements, its figures, gaps."""

    drafts: dict[str, str]
    statements: list[dict[str, Any]]
    figures: list[Figure]
    missing: tuple[str, ...]

    @cached_property
    def pages(self) -> dict[str, str]:
        """The pages as they are written."""
        return {path: finished(text, path) for path, text in self.drafts.items()}


def rendered(front: str) -> Rendered:
    """The report whose first page is called ``front``."""
    found = sources.load()
    stored = decisions.current(catalogue(), found.decisions.get("decisions", {}))
    drawn = [waterfall(catalogue(), found), *figures(catalogue(), found), *graphs(catalogue(), stored)]
    drawn = [figure for figure in drawn if figure.rows]
    return Rendered(*drafts(catalogue(), found, drawn, front), drawn, found.missing)


def _files(found: Rendered, folder: Path) -> dict[Path, str]:
    """The texts of a report in a folder: the data of its figures, and its pages."""
    data = {folder / FIGURES / f"{f.name}.csv": f.data() for f in found.figures}
    return data | {folder / name: text for name, text in found.pages.items()}


def _write(path: Path, html: str | None) -> int:
    found = rendered(path.name)
    for line in found.missing:
        print(line, file=sys.stderr)
    folder = path.parent / FIGURES
    for figure in found.figures:  # before the pages that show them
        if not figure.drawn(folder / f"{figure.name}.svg"):
            with replacing(folder / f"{figure.name}.svg") as new:
                figure.save(new)
    for file, text in _files(found, path.parent).items():
        if not file.is_file() or file.read_bytes() != text.encode():  # what says just this is left alone
            write_text(file, text)
    pages = found.pages
    size = len(pages[path.name].encode())
    print(f"{path}: {size / 1000:.0f} kB, {len(pages) - 1} pages beside it, {len(found.figures)} figures in {folder}")
    for old in _left(path, pages):
        print(f"note: {old} is no page of the report any more", file=sys.stderr)
    if html is not None:
        from boundcheck.app.reporting.site import site

        write_text(html, site(found.drafts, found.statements, path.name, path.parent, found.figures))
        print(html)
    return 0


def _left(path: Path, pages: Iterable[str]) -> list[Path]:
    """Pages of an earlier report that this one does not have."""
    wanted = {path.parent / name for name in pages}
    return sorted(f for part in (STATEMENTS, MORE) for f in (path.parent / part).glob("*.md") if f not in wanted)


def _check(path: Path) -> int:
    """Compare what would be written with what is there: text and data, never drawings."""
    found = rendered(path.name)
    good = [_same(file, content) for file, content in _files(found, path.parent).items()]
    for old in _left(path, found.pages):
        print(f"{old}: no page of the report any more; delete it", file=sys.stderr)
        good.append(False)
    if all(good):
        pages = len(found.pages) - 1
        print(f"{path}, {pages} pages beside it and the data of {len(found.figures)} figures are up to date")
    return 0 if all(good) else 1


def _same(path: Path, wanted: str) -> bool:
    try:
        found = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        print(f"{path}: missing or not readable; `python -m boundcheck.report` writes it", file=sys.stderr)
        return False
    if found == wanted:
        return True
    lines = list(difflib.unified_diff(found.splitlines(), wanted.splitlines(), "stored", "rendered", lineterm="", n=0))
    changed = [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    print(f"{path}: differs from what the stored results say in {len(changed)} lines, first:", file=sys.stderr)
    for line in changed[:2]:
        print(f"  {line[:300]}", file=sys.stderr)
    return False


if __name__ == "__main__":
    sys.exit(main())
