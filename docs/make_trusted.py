"""Write the table of the trusted base into docs/verdicts.md: ``python docs/make_trusted.py [--check]``.

The table is measured: what the verification of certificates imports, transitively, wherever an import stands, and the
data files in the folders of these modules: the texts of the rules are read there, and are trusted as the modules are.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from boundcheck.system.files import write_page

ROOT = Path(__file__).parent.parent
TARGET = Path(__file__).with_name("verdicts.md")
BEGIN, END = "<!-- trusted base -->\n", "<!-- end of the trusted base -->\n"
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


def path_of(module: str) -> Path | None:
    """The file of a module of the package, if it is one."""
    place = ROOT / module.replace(".", "/")
    return next((p for p in (place.with_suffix(".py"), place / "__init__.py") if p.exists()), None)


def closure(doors: tuple[str, ...]) -> dict[str, int]:
    """The modules that the doors import, with their lines."""
    found: dict[str, int] = {}
    pending = [f"boundcheck.{d}" for d in doors]
    while pending:
        module = pending.pop()
        path = path_of(module)
        if module in found or path is None:
            continue
        text = path.read_text(encoding="utf-8")
        found[module] = len(text.splitlines())
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                pending += [a.name for a in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                pending += [node.module, *(f"{node.module}.{a.name}" for a in node.names)]
    return {m: n for m, n in found.items() if m.startswith("boundcheck.")}


def data(modules: Iterable[str]) -> dict[Path, int]:
    """The files that are no modules in the folders of the modules, with their lines."""
    folders = {path.parent for path in map(path_of, modules) if path is not None}
    files = sorted(p for folder in folders for p in folder.iterdir() if p.is_file() and p.suffix != ".py")
    return {p: len(p.read_text(encoding="utf-8").splitlines()) for p in files}


def table() -> str:
    """The rooms of the trusted base with their modules, data files and lines."""
    modules = closure(DOORS)
    rooms: dict[str, list[int]] = {}
    for module, lines in modules.items():
        rooms.setdefault("/".join(module.split(".")[:3]), []).append(lines)
    files = {path.relative_to(ROOT): lines for path, lines in data(modules).items()}
    texts: dict[str, list[int]] = {room: [] for room in rooms}
    for path, lines in files.items():
        texts["/".join(path.parts[:3])].append(lines)
    rows = [
        f"| `{room}` | {len(n)} | {len(texts[room]) or ''} | {sum(n) + sum(texts[room]):,} |"
        for room, n in sorted(rooms.items())
    ]
    total = f"| all | {len(modules)} | {len(files)} | {sum(modules.values()) + sum(files.values()):,} |"
    head = "| what `verify` imports | modules | texts of rules | lines |"
    return "\n".join([head, "|---|---|---|---|", *rows, total, ""])


def main(arguments: list[str]) -> int:
    """Write the table; with ``--check`` only compare: 1 if it is out of date."""
    old = TARGET.read_text(encoding="utf-8")
    new = re.sub(re.escape(BEGIN) + ".*?" + re.escape(END), lambda _: f"{BEGIN}{table()}{END}", old, flags=re.DOTALL)
    return write_page(TARGET, new, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
