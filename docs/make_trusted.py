"""Write the table of the trusted base into docs/verdicts.md: ``python docs/make_trusted.py [--check]``.

The table is measured: what the verification of certificates imports, transitively, wherever an import stands.
"""

from __future__ import annotations

import ast
import re
import sys
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


def table() -> str:
    """The rooms of the trusted base with their modules and lines."""
    modules = closure(DOORS)
    rooms: dict[str, list[int]] = {}
    for module, lines in modules.items():
        rooms.setdefault("/".join(module.split(".")[:3]), []).append(lines)
    rows = [f"| `{room}` | {len(n)} | {sum(n):,} |" for room, n in sorted(rooms.items())]
    total = f"| all | {len(modules)} | {sum(modules.values()):,} |"
    return "\n".join(["| what `verify` imports | modules | lines |", "|---|---|---|", *rows, total, ""])


def main(arguments: list[str]) -> int:
    """Write the table; with ``--check`` only compare: 1 if it is out of date."""
    old = TARGET.read_text(encoding="utf-8")
    new = re.sub(re.escape(BEGIN) + ".*?" + re.escape(END), lambda _: f"{BEGIN}{table()}{END}", old, flags=re.DOTALL)
    return write_page(TARGET, new, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
