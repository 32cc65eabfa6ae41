"""Write the table of the trusted base into docs/verdicts.md: ``python docs/make_trusted.py [--check]``.

The table is measured: what the verification of certificates imports, transitively, wherever an import stands, and the
data files in the folders of these modules: the texts of the rules are read there, and are trusted as the modules are.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from make_rooms import ROOT, imported, modules, trees

from boundcheck.app.reporting import markdown
from boundcheck.system.files import between, write_page

TARGET = Path(__file__).with_name("verdicts.md")
DOORS = tuple(
    f"kernel.{m}"
    for m in (
        "certificate",
        "check.statement_certificate",
        "check.skolem",
        "check.gram_certificate",
        "check.rate_certificate",
    )
)


def closure(doors: tuple[str, ...]) -> dict[str, int]:
    """The modules that the doors import, and the packages that these lie in, with their lines."""
    known = modules()
    found: dict[str, int] = {}
    pending = [f"boundcheck.{d}" for d in doors]
    while pending:
        module = pending.pop()
        if module not in found:
            found[module] = len(known[module].read_text(encoding="utf-8").splitlines())
            targets = imported(module, trees()[module], known)
            pending += {t for name in targets for t in (name, name.rpartition(".")[0])} - {"boundcheck"}
    return found


def data(names: Iterable[str]) -> dict[Path, int]:
    """The files that are no modules in the folders of the modules, with their lines."""
    folders = {modules()[name].parent for name in names}
    files = sorted(p for folder in folders for p in folder.iterdir() if p.is_file() and p.suffix != ".py")
    return {p: len(p.read_text(encoding="utf-8").splitlines()) for p in files}


def table() -> str:
    """The rooms of the trusted base with their modules, data files and lines."""
    found = closure(DOORS)
    rooms: dict[str, list[int]] = {}
    for module, lines in found.items():
        rooms.setdefault("/".join(module.split(".")[:3]), []).append(lines)
    files = {path.relative_to(ROOT): lines for path, lines in data(found).items()}
    texts: dict[str, list[int]] = {room: [] for room in rooms}
    for path, lines in files.items():
        texts["/".join(path.parts[:3])].append(lines)
    rows: list[tuple[object, ...]] = [
        (f"`{room}`", len(n), len(texts[room]) or "", f"{sum(n) + sum(texts[room]):,}")
        for room, n in sorted(rooms.items())
    ]
    rows.append(("all", len(found), len(files), f"{sum(found.values()) + sum(files.values()):,}"))
    return "\n".join([*markdown.table(("what `verify` imports", "modules", "texts of rules", "lines"), rows), ""])


def main(arguments: list[str]) -> int:
    """Write the table; with ``--check`` only compare: 1 if it is out of date."""
    new = between(TARGET, "<!-- trusted base -->", "<!-- end of the trusted base -->", table())
    return write_page(TARGET, new, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
