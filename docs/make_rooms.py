"""Write the picture of the rooms into docs/architecture.md: ``python docs/make_rooms.py [--check]``.

The picture is measured from the imports: a room stands on the lowest floor above all rooms that it imports from.
"""

from __future__ import annotations

import ast
import gc
import sys
from functools import cache
from pathlib import Path

from boundcheck.system.files import between, write_page

ROOT = Path(__file__).parent.parent
TARGET = Path(__file__).with_name("architecture.md")
PACKAGES = ("boundcheck", "proofs_numeric")


def modules() -> dict[str, Path]:
    """The modules of both packages."""
    paths = [p for package in PACKAGES for p in sorted((ROOT / package).rglob("*.py"))]
    return {".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): p for p in paths}


def room(module: str, known: dict[str, Path]) -> str:
    """The folder of a module; a module beside the folders is a room of its own."""
    parts = module.split(".")
    inside = len(parts) > 2 or known[module].name == "__init__.py"
    name = parts[1] if len(parts) > 1 else ""
    return f"{name}/" if inside and name else f"{name}.py"


@cache
def trees() -> dict[str, ast.Module]:
    """The trees of all modules, read once; a search for garbage among them would take longer than reading them."""
    gc.disable()
    try:
        return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in modules().items()}
    finally:
        gc.freeze()
        gc.enable()


def imported(module: str, tree: ast.Module, known: dict[str, Path]) -> set[str]:
    """What a module with this tree imports of both packages when it runs, wherever in it.

    Only statements are looked at: no expression holds an import. Blocks for annotations alone are left out. A table of
    modules by name, beside the statements, is for modules that are imported when they are needed.
    """
    found: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            found |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            if node.level or node.module is None:
                raise ValueError(f"{module}: relative import")
            inner = {f"{node.module}.{a.name}" for a in node.names}
            found |= {m if m in known else node.module for m in inner}
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            found |= {key.value for key in node.value.keys if isinstance(key, ast.Constant) and key.value in known}
        elif not (isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            for part in ("body", "orelse", "handlers", "finalbody", "cases"):
                waiting += getattr(node, part, ())
    return found & known.keys() - {module}


def arrows() -> dict[str, set[str]]:
    """Of every room, the rooms that it imports from."""
    known = modules()
    found: dict[str, set[str]] = {}
    for module in known.keys() - {*PACKAGES}:
        here, tree = room(module, known), trees()[module]
        targets = imported(module, tree, known) - {*PACKAGES}
        found.setdefault(here, set()).update(room(t, known) for t in targets)
    return {r: to - {r} for r, to in found.items()}


def floors(to: dict[str, set[str]]) -> dict[str, int]:
    """The floor of every room, 0 for one that imports from none. Raises ValueError for rooms in a circle."""

    @cache
    def floor(name: str) -> int:
        if name in above:
            raise ValueError(f"a circle of rooms: {' -> '.join((*above, name))}")
        above.append(name)
        height = max((1 + floor(t) for t in to[name]), default=0)
        above.pop()
        return height

    above: list[str] = []
    return {name: floor(name) for name in to}


def picture() -> str:
    """The floors, the highest first, and how many rooms and arrows there are."""
    to = arrows()
    height = floors(to)
    lines = []
    for n in range(max(height.values()), -1, -1):
        names = sorted((name for name in to if height[name] == n), key=lambda name: (name.endswith(".py"), name))
        lines.append(f"{n:2}  {'   '.join(names)}")
    inside = [name for name in to if name.endswith("/")]
    count = sum(map(len, to.values()))
    beside = len(to) - len(inside)
    told = f"{len(inside)} rooms and {beside} modules beside them, {len(lines)} floors, {count} arrows, no circle."
    return "\n".join(["```text", *lines, "```", "", told, ""])


def main(arguments: list[str]) -> int:
    """Write the picture; with ``--check`` only compare: 1 if it is out of date."""
    new = between(TARGET, "<!-- rooms -->", "<!-- end of the rooms -->", picture())
    return write_page(TARGET, new, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
