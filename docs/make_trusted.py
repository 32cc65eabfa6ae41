"""Write the table of the trusted base into docs/verdicts.md: ``python docs/make_trusted.py [--check]``.

The table is measured: what the verification of certificates imports, transitively, wherever an import stands, and the
data files in the folders of these modules: the texts of the rules are read there, and are trusted as the modules are.
What stands inside of a function, or in a table of modules by name, is imported when a certificate needs it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from pathlib import Path

from boundcheck.system.files import between, write_page

ROOT = Path(__file__).parent.parent
TARGET = Path(__file__).with_name("verdicts.md")
DOORS = tuple(
    f"kernel.{m}"
    for m in (
        "check.statement_certificate",
        "certificate",
        "check.skolem",
        "check.gram_certificate",
        "check.rate_certificate",
    )
)


def path_of(module: str) -> Path | None:
    """The file of a module of the package, if it is one."""
    place = ROOT / module.replace(".", "/")
    return next((p for p in (place.with_suffix(".py"), place / "__init__.py") if p.exists()), None)


def closure(doors: Iterable[str], by_need: bool = True) -> dict[str, int]:
    """The modules that the doors import, with their lines; without ``by_need`` those that every certificate needs."""
    found: dict[str, int] = {}
    pending = [f"boundcheck.{d}" for d in doors]
    while pending:
        module = pending.pop()
        path = path_of(module)
        if module in found or path is None:
            continue
        text = path.read_text(encoding="utf-8")
        found[module] = len(text.splitlines())
        tree = ast.parse(text)
        for node in ast.walk(tree) if by_need else tree.body:
            if isinstance(node, ast.Import):
                pending += [a.name for a in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                pending += [node.module, *(f"{node.module}.{a.name}" for a in node.names)]
            elif isinstance(node, ast.Dict) and by_need:
                pending += [k.value for k in node.keys if isinstance(k, ast.Constant) and is_module(k.value)]
    return {m: n for m, n in found.items() if m.startswith("boundcheck.")}


def is_module(name: object) -> bool:
    """Whether a text is the full name of a module of the package."""
    return isinstance(name, str) and name.startswith("boundcheck.") and path_of(name) is not None


def data(modules: Iterable[str]) -> dict[Path, int]:
    """The files that are no modules in the folders of the modules, with their lines."""
    folders = {path.parent for path in map(path_of, modules) if path is not None}
    files = sorted(p for folder in folders for p in folder.iterdir() if p.is_file() and p.suffix != ".py")
    return {p: len(p.read_text(encoding="utf-8").splitlines()) for p in files}


def table() -> str:
    """The rooms of the trusted base with their modules, data files and lines."""
    every, always = closure(DOORS), closure(DOORS[:1], by_need=False)
    texts = {path.relative_to(ROOT): lines for path, lines in data(every).items()}

    def row(name: str, modules: dict[str, int], files: int, lines: int) -> str:
        needed = [n for m, n in modules.items() if m in always]
        return f"| {name} | {len(modules)} | {files or ''} | {sum(modules.values()) + lines:,} | {sum(needed):,} |"

    rooms = dict.fromkeys("/".join(module.split(".")[:3]) for module in sorted(every))
    rows = []
    for room in rooms:
        inside = {m: n for m, n in every.items() if "/".join(m.split(".")[:3]) == room}
        files = [n for path, n in texts.items() if "/".join(path.parts[:3]) == room]
        rows.append(row(f"`{room}`", inside, len(files), sum(files)))
    rows.append(row("all", every, len(texts), sum(texts.values())))
    head = "| what `verify` imports | modules | texts of rules | lines | for every statement |"
    return "\n".join([head, "|---|---|---|---|---|", *rows, ""])


def main(arguments: list[str]) -> int:
    """Write the table; with ``--check`` only compare: 1 if it is out of date."""
    new = between(TARGET, "<!-- trusted base -->", "<!-- end of the trusted base -->", table())
    return write_page(TARGET, new, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
