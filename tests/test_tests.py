"""The tests themselves: each one asserts something that could be false, and none is skipped without a reason."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.glob("*.py"))
#: calls that fail by themselves where something is not as it must be
FAILING = {"pytest.raises", "pytest.warns", "pytest.fail"}
#: marks and calls that leave a test out -> how many arguments come before a positional reason
LEAVING = {"pytest.skip": 0, "pytest.xfail": 0, "skipif": 1, "mark.skip": 0, "mark.xfail": 1, "importorskip": 9}


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def functions(module: ast.Module) -> dict[str, ast.FunctionDef]:
    """Functions and methods of a file by name."""
    return {n.name: n for n in ast.walk(module) if isinstance(n, ast.FunctionDef)}


def helpers(module: ast.Module) -> dict[str, ast.FunctionDef]:
    """The functions that a file can call by name: its own, and those that it imports from files beside it."""
    found: dict[str, ast.FunctionDef] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            beside = [(n.name, "*", f"{n.asname or n.name}.") for n in node.names]
        elif isinstance(node, ast.ImportFrom):
            beside = [(node.module or "", n.name, "") for n in node.names]
        else:
            continue
        for source, name, prefix in beside:
            if FOLDER / f"{source}.py" in FILES:
                theirs = functions(tree(FOLDER / f"{source}.py"))
                found |= {prefix + k: f for k, f in theirs.items() if name in ("*", k)}
    return found | functions(module)


def called(node: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    return ((written(n.func), n) for n in ast.walk(node) if isinstance(n, ast.Call))


def written(node: ast.expr) -> str:
    """The text of what is called; most are names, or attributes of names, which need no printer."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, (ast.Name, ast.Attribute)):
        return f"{written(node.value)}.{node.attr}"
    return ast.unparse(node)


def trivial(test: ast.expr) -> bool:
    """An assertion that cannot fail: a constant, a nonempty tuple, or a comparison of a term with itself."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        same = ast.dump(test.left) == ast.dump(test.comparators[0])
        return same and not any(isinstance(n, ast.Call) for n in ast.walk(test.left))
    return isinstance(test, ast.Constant) or (isinstance(test, ast.Tuple) and bool(test.elts))


def asserts(function: ast.FunctionDef, known: dict[str, ast.FunctionDef], seen: frozenset[str] = frozenset()) -> bool:
    """Whether a function asserts, expects an error, runs a program that must succeed, or calls one that does."""
    if any(isinstance(n, ast.Assert) and not trivial(n.test) for n in ast.walk(function)):
        return True
    for name, call in called(function):
        if name in FAILING or name.rpartition(".")[2].startswith("assert_"):
            return True
        if any(k.arg == "check" and ast.unparse(k.value) == "True" for k in call.keywords):
            return True
        if name in known and name not in seen and asserts(known[name], known, seen | {name}):
            return True
    return False


def idle(module: ast.Module) -> list[str]:
    """The tests of a file that assert nothing."""
    known = helpers(module)
    return [name for name, f in functions(module).items() if name.startswith("test_") and not asserts(f, known)]


def unexplained(module: ast.Module) -> list[int]:
    """The lines of a file that leave a test out and do not say why."""
    found = []
    for name, call in called(module):
        before = next((n for ending, n in LEAVING.items() if name.endswith(ending)), None)
        if before is None:
            continue
        reasons = [k.value for k in call.keywords if k.arg == "reason"] + call.args[before : before + 1]
        if not any(not isinstance(r, ast.Constant) or str(r.value or "").strip() for r in reasons):
            found.append(call.lineno)
    bare = [n for n in ast.walk(module) if isinstance(n, ast.Attribute) and n.attr in ("skip", "xfail")]
    calls = {id(c.func) for _, c in called(module)}
    return found + [n.lineno for n in bare if id(n) not in calls and ast.unparse(n).startswith("pytest.")]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_every_test_asserts_something(path):
    assert idle(tree(path)) == []
    cannot_fail = [n.lineno for n in ast.walk(tree(path)) if isinstance(n, ast.Assert) and trivial(n.test)]
    assert cannot_fail == []


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_what_is_left_out_says_why(path):
    assert unexplained(tree(path)) == []


def read(text: str) -> ast.Module:
    return ast.parse(textwrap.dedent(text))


@pytest.mark.parametrize(
    ("body", "good"),
    [
        ("x = f()", False),
        ("assert f()", True),
        ("assert True", False),
        ("assert x == x", False),
        ("assert draw() == draw()", True),
        ("assert (x, 'always true')", False),
        ("with pytest.raises(ValueError): f()", True),
        ("checks()", True),
        ("prints()", False),
        ("loops()", False),
        ("subprocess.run(['a'], check=True)", True),
        ("subprocess.run(['a'])", False),
        ("other.checks()", False),
        ("np.testing.assert_allclose(x, y)", True),
    ],
)
def test_a_test_that_asserts_nothing_is_seen(body, good):
    beside = "def checks():\n assert f()\ndef prints():\n print()\ndef loops():\n loops()\n"
    assert idle(read(f"{beside}def test_it():\n {body}\n")) == ([] if good else ["test_it"])


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("pytest.skip()", False),
        ("pytest.skip('no such file here')", True),
        ("pytest.importorskip('torch')", False),
        ("pytest.importorskip('torch', reason='needs the extra torch')", True),
        ("@pytest.mark.skip\ndef test_it(): assert f()", False),
        ("@pytest.mark.skip(reason='')\ndef test_it(): assert f()", False),
        ("@pytest.mark.skipif(x, reason=WHY)\ndef test_it(): assert f()", True),
        ("@pytest.mark.skipif(x)\ndef test_it(): assert f()", False),
        ("@pytest.mark.xfail(strict=True)\ndef test_it(): assert f()", False),
    ],
)
def test_a_skip_without_a_reason_is_seen(text, good):
    assert (unexplained(read(text)) == []) is good
