"""Mutation testing of the project's own modules: change one operator, number or condition at a time; do tests notice?

    python benchmarks/mutation.py 'boundcheck/kernel/check/*.py' --tests tests/test_certificate.py ... -o FILE

pytest collects the tests once. Each mutant runs in a forked child that swaps the code of one function, clears all
caches, and runs the tests that enter this function, short ones that enter few others first, until one fails: no import
and no collection a mutant. Which test enters which function is found out beforehand, each test in a child of its own.
A mutant whose tests take three times as long as without it, or more memory than a child may, counts as killed. One
that lives while tests that enter its function were left out for want of time is "not all run", not "survived". With
``--sample`` that many mutants a module are drawn (seed 0).
"""

from __future__ import annotations

import argparse
import ast
import collections
import functools
import gc
import glob
import importlib
import json
import os
import random
import re
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
COMPARED = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}  # fmt: skip
COMPUTED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "all": "any", "any": "all", "lower": "upper", "upper": "lower"}
CASES_LEFT_OUT = "case left out"
NOT_ALL_RUN = "not all run"  #: no test that ran failed, and tests that enter the function were left for want of time
VERDICTS = ("killed", "timeout", "survived", NOT_ALL_RUN, "no test")
MOST_MEMORY = 4 * 2**30  #: bytes of a child: a loop that a mutant made endless may fill lists
ALIVE = ("survived", NOT_ALL_RUN)


def _becomes(node: ast.AST, other: ast.AST) -> Callable[[], None]:
    def change() -> None:
        node.__class__ = other.__class__
        vars(node).update(vars(other))

    return change


def changes(node: ast.AST) -> Iterator[tuple[str, Callable[[], None]]]:
    """(what changes, a function that changes ``node`` in place)."""

    def put(field: str, value: Any, at: ast.AST = node) -> Callable[[], None]:
        return lambda: setattr(at, field, value)

    match node:
        case ast.Compare(ops=ops):
            for i, op in enumerate(ops):
                for other in COMPARED[type(op)]:
                    yield type(other()).__name__, put("ops", [*ops[:i], other(), *ops[i + 1 :]])
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in COMPUTED:
            yield COMPUTED[type(op)].__name__, put("op", COMPUTED[type(op)]())
        case ast.BoolOp(op=op, values=values):
            yield (
                "or" if isinstance(op, ast.And) else "and",
                put("op", ast.Or() if isinstance(op, ast.And) else ast.And()),
            )
            for i in range(len(values)):
                neutral = ast.Constant(isinstance(op, ast.And))
                yield f"without part {i + 1}", put("values", [*values[:i], neutral, *values[i + 1 :]])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "not dropped", put("operand", ast.UnaryOp(ast.Not(), operand))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield "minus dropped", _becomes(node, ast.IfExp(ast.Constant(True), operand, operand))
        case ast.Constant(value=bool(value)):
            yield str(not value), put("value", not value)
        case ast.Constant(value=int(value)):
            yield str(value + 1), put("value", value + 1)
        case ast.If() | ast.While():
            yield "never", put("test", ast.Constant(False))
            if isinstance(node, ast.If):
                yield "always", put("test", ast.Constant(True))
        case ast.IfExp():
            yield "never", put("test", ast.Constant(False))
            yield "always", put("test", ast.Constant(True))
        case ast.comprehension(ifs=ifs) if ifs:
            yield "unfiltered", put("ifs", [])
        case ast.Name(id=name) if name in NAMES:
            yield NAMES[name], put("id", NAMES[name])
        case ast.Attribute(attr=name) if name in NAMES:
            yield NAMES[name], put("attr", NAMES[name])
        case ast.Match(cases=cases):
            for i in range(len(cases)):
                yield f"{CASES_LEFT_OUT}: {ast.unparse(cases[i].pattern)}", put("cases", [*cases[:i], *cases[i + 1 :]])
        case ast.match_case(guard=guard) if guard is not None:
            yield "no guard", put("guard", None)
        case ast.Continue() | ast.Break():
            yield "pass", _becomes(node, ast.Pass())


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function whose change is a change of behaviour: no messages, annotations or defaults."""
    skipped = {"decorator_list", "annotation", "returns", "args", "type_params"}
    if isinstance(node, (ast.Raise, ast.Assert, ast.JoinedStr)):
        return
    yield node
    for field, value in ast.iter_fields(node):
        if field in skipped and isinstance(node, (ast.FunctionDef, ast.AnnAssign, ast.arg, ast.Lambda)):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _inside(child)


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """(qualified name, node) of the functions of a module and of its classes, not of those inside functions."""
    for top in tree.body:
        if isinstance(top, ast.FunctionDef):
            yield top.name, top
        elif isinstance(top, ast.ClassDef):
            yield from ((f"{top.name}.{f.name}", f) for f in top.body if isinstance(f, ast.FunctionDef))


def mutants(tree: ast.Module) -> Iterator[tuple[str, int, str, Callable[[], None]]]:
    """(function, line, description, change) in a fixed order."""
    for name, function in functions(tree):
        for node in (n for part in function.body for n in _inside(part)):
            for what, change in changes(node):
                at = node.subject if isinstance(node, ast.Match) else node
                before = ast.unparse(at.test if isinstance(at, (ast.If, ast.While)) else at).splitlines()[0]
                yield name, getattr(node, "lineno", function.lineno), f"{before} -> {what}", change


def live_function(path: str, name: str) -> FunctionType:
    """The function object behind a qualified name, out of its decorators."""
    found: Any = importlib.import_module(path.removesuffix(".py").replace("/", "."))
    for part in name.split("."):
        found = vars(found)[part]
    while not isinstance(found, FunctionType) or hasattr(found, "__wrapped__"):
        found = next(
            v for v in (getattr(found, a, None) for a in ("__wrapped__", "__func__", "fget", "func")) if v is not None
        )
    return found


def code_of(tree: ast.Module, path: str, name: str) -> CodeType:
    """The compiled code of one function of a changed module."""
    stack = [compile(ast.fix_missing_locations(tree), str(ROOT / path), "exec", dont_inherit=True)]
    while stack:
        for c in stack.pop().co_consts:
            if isinstance(c, CodeType):
                if c.co_qualname == name:
                    return c
                stack.append(c)
    raise LookupError(f"{name} in {path}")


def within(tests: Sequence[str], seconds: Mapping[str, float], budget: float) -> list[str]:
    """The first of the tests that fit into the budget together; one at least, where there is one."""
    kept: list[str] = []
    for t in tests:
        budget -= seconds[t]
        if budget < 0 and kept:
            break
        kept.append(t)
    return kept


class Session:
    """Runs mutants inside of one pytest session."""

    def __init__(self, paths: list[str], chosen: argparse.Namespace):
        self.paths, self.chosen = paths, chosen

    @pytest.hookimpl
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        covering, seconds = self.coverage()
        breadth = collections.Counter(t for tests in covering.values() for t in tests)
        self.cost = {t: s * breadth[t] for t, s in seconds.items()}
        print(f"{len(seconds)} tests, {sum(seconds.values()):.0f} s", file=sys.stderr)
        for path in self.paths:
            self.module(path, covering, seconds)
        return True

    def forked(self, run: Callable[[], Any], limit: int) -> tuple[int, Any]:
        """(wait status, what the child's ``run`` returned) of a child with cold caches."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            signal.alarm(limit)
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(1, 2)
            for thing in gc.get_objects():
                if type(thing) is functools._lru_cache_wrapper:  # isinstance asks things that warn when asked
                    thing.cache_clear()
            with os.fdopen(writing, "w") as out:
                out.write(json.dumps(run()))
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as told:
            text = told.read()
        return os.waitpid(child, 0)[1], json.loads(text) if text else None

    def passes(self, item: pytest.Item) -> bool:
        reports: list[Any] = []
        for when in ("setup", "call", "teardown"):
            call = pytest.CallInfo.from_call(lambda when=when: self.phase(item, when), when)  # type: ignore[misc]
            reports.append(item.ihook.pytest_runtest_makereport(item=item, call=call))
            if call.excinfo is not None and when == "setup":
                break
        return not any(r.failed for r in reports)

    @staticmethod
    def phase(item: pytest.Item, when: str) -> None:
        if when == "teardown":
            item.ihook.pytest_runtest_teardown(item=item, nextitem=None)
        else:
            getattr(item.ihook, f"pytest_runtest_{when}")(item=item)

    def coverage(self) -> tuple[dict[str, list[str]], dict[str, float]]:
        """Test names by "path:line of the function", and seconds by test; a test that fails is left out."""
        wanted = {str(ROOT / p): p for p in self.paths}
        covering: dict[str, list[str]] = {}
        seconds: dict[str, float] = {}
        for name, item in self.items.items():

            def run(item: pytest.Item = item) -> tuple[list[str], float, bool]:
                seen = set()

                def trace(frame: Any, event: str, _: Any) -> None:
                    if frame.f_code.co_filename in wanted:
                        seen.add(f"{wanted[frame.f_code.co_filename]}:{frame.f_code.co_firstlineno}")

                sys.settrace(trace)
                begun = time.perf_counter()
                good = self.passes(item)
                sys.settrace(None)
                return sorted(seen), time.perf_counter() - begun, good

            _, found = self.forked(run, 300)
            if found is None or not found[2]:
                print(f"left out (fails without a mutant): {name}", file=sys.stderr)
                continue
            seconds[name] = found[1]
            for key in found[0]:
                covering.setdefault(key, []).append(name)
        return covering, seconds

    def module(self, path: str, covering: dict[str, list[str]], seconds: dict[str, float]) -> None:
        source = (ROOT / path).read_text(encoding="utf-8")
        every = [(k, *m[:3]) for k, m in enumerate(mutants(ast.parse(source)))]
        every = [m for m in every if re.search(self.chosen.functions, m[1])]
        size = self.chosen.sample or len(every)
        drawn = sorted(random.Random(0).sample(every, min(size, len(every))))
        if self.chosen.again:
            told = map(json.loads, Path(self.chosen.again).read_text(encoding="utf-8").splitlines())
            left = {(r["function"], r["what"]) for r in told if r["module"] == path and r["verdict"] in ALIVE}
            drawn = [m for m in every if (m[1], m[3]) in left]
        rows = []
        for k, name, line, what in drawn:
            function = live_function(path, name)
            tests = sorted(covering.get(f"{path}:{function.__code__.co_firstlineno}", []), key=self.cost.__getitem__)
            kept = within(tests, seconds, self.chosen.seconds)
            found = self.verdict(path, source, k, kept, int(3 * sum(seconds[t] for t in kept)) + 5)
            if found["verdict"] == "survived" and len(kept) < len(tests):
                found = {"verdict": NOT_ALL_RUN, "left": len(tests) - len(kept)}
            rows.append({"module": path, "function": name, "line": line, "what": what, **found})
            with open(self.chosen.output, "a", encoding="utf-8") as out:
                out.write(json.dumps(rows[-1]) + "\n")
        count = {v: sum(r["verdict"] == v for r in rows) for v in VERDICTS}
        print(f"{path}: {len(every)} mutants, {len(rows)} drawn, {count}", file=sys.stderr)

    def verdict(self, path: str, source: str, k: int, tests: list[str], limit: int) -> dict[str, Any]:
        if not tests:
            return {"verdict": "no test"}

        def run() -> str | None:
            tree = ast.parse(source)
            name, _, _, change = next(m for n, m in enumerate(mutants(tree)) if n == k)
            change()
            live_function(path, name).__code__ = code_of(tree, path, name)
            return next((t for t in tests if not self.passes(self.items[t])), "")

        status, found = self.forked(run, limit)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
            return {"verdict": "timeout"}
        if found is None:  # the child died
            return {"verdict": "killed", "by": "crash"}
        return {"verdict": "killed", "by": found} if found else {"verdict": "survived"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", help="modules, as patterns from the project's root")
    parser.add_argument("--tests", nargs="+", required=True, help="test files, or any arguments of pytest")
    parser.add_argument("--sample", type=int, default=0, help="mutants a module (all)")
    parser.add_argument("--seconds", type=int, default=20, help="test seconds a mutant (20)")
    parser.add_argument("--functions", default="", help="only functions whose name matches this pattern")
    parser.add_argument("--again", help="only the mutants that lived in this file of rows")
    parser.add_argument("-o", "--output", default="mutation.jsonl", help="one JSON row a mutant is added to this file")
    chosen = parser.parse_args()
    os.chdir(ROOT)
    paths = sorted(p for pattern in chosen.paths for p in glob.glob(pattern) if not p.endswith("__init__.py"))
    # a rejected mutant shows one traceback in a child; the parent prints the counts alone
    return int(pytest.main(["-q", "-p", "no:cacheprovider", *chosen.tests], [Session(paths, chosen)]))


if __name__ == "__main__":
    sys.exit(main())
