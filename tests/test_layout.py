"""The layout of both packages: what stands in docs/architecture.md, imports one way, sizes, documented names."""

import ast
import importlib.util
import re
from functools import cache
from pathlib import Path

import pytest

from proofs_numeric.campaigns.versions import sources

ROOT = Path(__file__).parent.parent
PACKAGES = ("boundcheck", "proofs_numeric")
DOCUMENT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
LONGEST = 500  #: lines of a module


def program(name: str):
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ROOMS = program("make_rooms")
MODULES = ROOMS.modules()


def tree(name: str) -> ast.Module:
    return ROOMS.trees()[name]


def imported(name: str, module: ast.Module) -> set[str]:
    """The modules of both packages that a module imports when it runs, wherever in it."""
    return ROOMS.imported(name, module, MODULES)


def order() -> list[str]:
    """The units of the document's list of imports, first the one that imports nothing."""
    block = re.search(r"```text\n(kernel .*?)```", DOCUMENT, re.DOTALL)
    assert block is not None
    return block[1].split()


def place(name: str, units: list[str]) -> int:
    """The place of a module in the order: that of the longest unit that it is, or is part of."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        for candidate in (".".join(parts[:length]), ".".join(parts[1:length])):
            if candidate in units:
                return units.index(candidate)
    raise AssertionError(f"{name} has no place in the list of docs/architecture.md")


def upward(name: str, targets: set[str], units: list[str]) -> set[str]:
    return {target for target in targets if "." in target and place(target, units) > place(name, units)}


def test_no_module_imports_what_stands_above_it():
    units = order()
    assert len(units) == len(set(units))
    used = {units[place(name, units)] for name in MODULES if name not in PACKAGES}
    assert used == set(units), f"no module of these names: {set(units) - used}"
    for name in MODULES:
        if name not in PACKAGES:
            assert not upward(name, imported(name, tree(name)), units), name


def test_an_import_upwards_is_seen():
    units = order()
    for around in ("def f():", "try:\n    pass\nexcept OSError:", "try:\n    pass\nfinally:", "if f:\n    pass\nelse:",
                   "match f:\n  case 1:", "class A:\n  async def f():\n   with g:"):  # fmt: skip
        planted = ast.parse(f"{around}\n    from boundcheck.paper import catalogue\n")
        assert upward("boundcheck.decide.scalar.engine", imported("boundcheck.decide.scalar.engine", planted), units)
    typing = ast.parse("if TYPE_CHECKING:\n    from boundcheck.paper import catalogue\n")
    assert not imported("boundcheck.decide.scalar.engine", typing)
    planted = ast.parse("import boundcheck.app.reporting.context")
    assert upward("boundcheck.plans.theorem_plan", imported("boundcheck.plans.theorem_plan", planted), units)


def test_no_two_modules_import_each_other():
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " -> ".join((*path, name))
        if name not in done:
            for target in sorted(imported(name, tree(name)) - set(PACKAGES)):
                visit(target, (*path, name))
            done.add(name)

    for name in MODULES:
        visit(name, ())


def test_samplers_know_no_bound_and_the_catalogue_calls_no_engine():
    units = order()
    bounds = {units.index(unit) for unit in units if unit in ("decide", "paper") or unit.startswith("plan")}
    readers = {f"boundcheck.paper.{name}" for name in ("parameters", "extremal")}
    for name in MODULES:
        if name.startswith("proofs_numeric.") and place(name, units) < units.index("checks"):
            assert not bounds & {place(t, units) for t in imported(name, tree(name)) if "." in t}, name
        if name.startswith("boundcheck.paper.") and name not in readers:
            assert not any(t.startswith("boundcheck.decide") for t in imported(name, tree(name))), name


def test_a_ledger_knows_every_source_that_a_cell_draws_by():
    reached, waiting = set(), ["proofs_numeric.checks"]
    while waiting:
        name = waiting.pop()
        if name not in reached and not name.startswith("boundcheck.decide"):  # searches that a paper's texts ask
            reached.add(name)
            waiting += imported(name, tree(name))
    files = {MODULES[name].resolve() for name in reached}
    assert len(files) > 100 and not files - set(sources())
    assert ROOT / "boundcheck" / "paper" / "convergence.toml" in sources()


@pytest.mark.parametrize("folder", [*PACKAGES, "benchmarks", "examples", "tests"])
def test_no_module_is_longer_than_a_reader_can_hold(folder):
    lengths = {p: len(p.read_text(encoding="utf-8").splitlines()) for p in sorted((ROOT / folder).rglob("*.py"))}
    assert lengths
    assert not {str(p): n for p, n in lengths.items() if n > LONGEST}


def test_every_package_and_every_module_beside_them_is_in_the_document():
    for name in MODULES:
        parts = name.split(".")
        if len(parts) == 2 and parts[1] != "__main__":
            folder = MODULES[name].name == "__init__.py"
            names = (f"`{parts[1]}/", f"`{parts[1]}.py`", f"`{parts[1]}`")
            assert any(n in DOCUMENT for n in (names if folder else names[1:])), name


# ---------------------------------------------------------------- documented names


def public(module: ast.Module) -> list[tuple[str, ast.FunctionDef | ast.ClassDef, bool]]:
    """(name, node, whether it is a method) of every public function, class and method."""
    found: list[tuple[str, ast.FunctionDef | ast.ClassDef, bool]] = []

    def walk(body: list[ast.stmt], owner: str) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                found.append((owner + node.name, node, bool(owner)))
                if isinstance(node, ast.ClassDef):
                    walk(node.body, f"{node.name}.")

    walk(module.body, "")
    return found


@cache
def interfaces() -> frozenset[str]:
    """Names of methods that some class documents; the others of that name do the same for their class."""
    return frozenset(
        node.name for name in MODULES for _, node, method in public(tree(name)) if method and ast.get_docstring(node)
    )


def undocumented(module: ast.Module) -> list[str]:
    missing = [] if ast.get_docstring(module) else ["the module"]
    for name, node, method in public(module):
        if not ast.get_docstring(node) and not (method and node.name in interfaces()):
            missing.append(name)
    return missing


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_is_documented(name):
    assert undocumented(tree(name)) == []


def test_a_name_without_a_docstring_is_seen():
    source = 'def f():\n    return 1\n\nclass A:\n    """A."""\n    def unheard_of(self):\n        pass\n'
    assert undocumented(ast.parse(source)) == ["the module", "f", "A.unheard_of"]


# ---------------------------------------------------------------- the trusted base


def test_the_picture_of_the_rooms_is_what_the_imports_say():
    assert ROOMS.main(["--check"]) == 0, "python docs/make_rooms.py draws it anew"


def test_a_circle_of_rooms_is_seen():
    floors = ROOMS.floors
    assert floors({"a/": {"b/"}, "b/": {"c/"}, "c/": set(), "d/": {"c/"}}) == {"c/": 0, "b/": 1, "a/": 2, "d/": 1}
    with pytest.raises(ValueError, match="a/ -> b/ -> c/ -> a/"):
        floors({"a/": {"b/"}, "b/": {"c/"}, "c/": {"a/"}})


def test_a_relative_import_is_refused():
    with pytest.raises(ValueError, match="relative import"):
        imported("boundcheck.paper", ast.parse("from . import texts"))


def test_no_two_modules_have_one_name():
    """`statement` is the short name of `kernel/statement` for authors."""
    names = [path.name for path in MODULES.values() if not path.name.startswith("__")]
    assert {n for n in names if names.count(n) > 1} == {"statement.py"}


def test_the_table_of_the_trusted_base_is_what_verify_imports():
    assert program("make_trusted").main(["--check"]) == 0, "python docs/make_trusted.py writes it anew"


def test_the_trusted_base_is_one_room():
    measured = program("make_trusted")
    modules = measured.closure(measured.DOORS)
    assert "boundcheck.kernel.proof.facts" in modules
    assert not [m for m in modules if not m.startswith("boundcheck.kernel")]
    kernel = ROOT / "boundcheck" / "kernel"
    beside = {p for p in kernel.rglob("*") if p.is_file() and p.suffix not in (".py", ".pyc")}
    assert set(measured.data(modules)) == beside, "data of the kernel that the table does not count, or the other way"
    assert {p.suffix for p in beside} == {".rules"} and {p.parent for p in beside} == {kernel / "rules"}
    readers = [name for name in modules if "__file__" in MODULES[name].read_text(encoding="utf-8")]
    assert sorted(readers) == ["boundcheck.kernel.rules", "boundcheck.kernel.rules.interpolation"]


def test_a_text_of_rules_is_part_of_the_trusted_base():
    measured = program("make_trusted")
    counted = measured.data(["boundcheck.kernel.rules.schema"])
    texts = sorted((ROOT / "boundcheck" / "kernel" / "rules").glob("*.rules"))
    assert list(counted) == texts and len(texts) == 6
    assert all(counted[p] == len(p.read_text(encoding="utf-8").splitlines()) > 40 for p in texts)


def test_what_contributors_are_told_to_touch_is_there():
    """Every path and every module that CONTRIBUTING.md names."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    paths = set(re.findall(r"\b(?:boundcheck|proofs_numeric|tests|benchmarks|docs)/[\w/]*(?:\.\w+)?", text)) - {
        "benchmarks/claims/FILE.toml"
    }
    modules = {m for line in re.findall(r"python -m (\w[\w.]*)", text) for m in [line] if m not in ("venv", "pytest")}
    assert len(paths) >= 25 and modules
    assert not [p for p in sorted(paths) if not (ROOT / p).exists()]
    assert not [m for m in sorted(modules) if importlib.util.find_spec(m) is None]
