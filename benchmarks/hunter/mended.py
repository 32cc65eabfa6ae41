"""The holes of the proof layer that readers found and that are mended: each is put back by one change of its check.

The hunter must find them by itself: ``python -m benchmarks.hunter mended``; ``mutants --hole NAME`` opens one of them.
The source of one function is compiled again without the check; nothing else changes, and nothing here says what the
false lemma looks like.
"""

from __future__ import annotations
import __future__

import ast
import importlib
import inspect
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from types import CodeType
from typing import Any

from benchmarks.hunter.hunt import EVERY, make, show
from benchmarks.hunter.trial import try_case
from boundcheck.kernel.proof import book as kernel_book

_PROOF = "boundcheck.kernel.proof."


@dataclass(frozen=True)
class Hole:
    """A check that is left out: the function that makes it, a part of its source, and what stands there instead."""

    where: str  #: "module:function" or "module:Class.method"
    old: str
    new: str
    also: Hole | None = None  #: another check that came later and stands behind this one


HOLES: dict[str, Hole] = {
    "a mean given information is random through nothing": Hole(
        _PROOF + "instances:_Schema._only", "s.random or s.kind == INFORMATION", "s.random"
    ),
    "that an integral exists is random through nothing": Hole(
        _PROOF + "instances:live", "e.op in MEANS and not e.binds", "e.op in MEANS"
    ),
    "that an integral exists does not depend on its ends": Hole(_PROOF + "sorts:_predicate", " or True in ends", ""),
    "a fact is for all events": Hole(
        _PROOF + "facts:quantified", "if kind == EVENT or (name in declared and declared[name].random):", "if False:"
    ),
    "a member of a family of events is a constant": Hole(
        _PROOF + "sorts:_read_sort", "if kind == EVENT:", "if kind == EVENT and not args:"
    ),
    "a kind of term is a function": Hole(
        "boundcheck.kernel.formula.reader:_Reader.application", "if name in ARITHMETIC:", "if False:"
    ),
    "a word is a name": Hole(
        _PROOF + "sorts:check_declared",
        "name in _WORDS",
        "name in _SPECIAL or name in FUNCTIONS or name == 'clip'",
    ),
    "a bound for some outcomes is one for all": Hole(
        _PROOF + "judgements:Judge._instances", "if not (self._by_chance([about_this])", "if not (False"
    ),
    "ends of integrals need no value": Hole(
        _PROOF + "step:Context.require_defined",
        "dict.fromkeys(t for end in term.args[2:] for t in partial_terms(end, False))",
        "()",
        Hole(_PROOF + "step:Context.require_said", "if known.partial:", "if False:"),
    ),
    "a domain makes its own terms defined": Hole(
        _PROOF + "step:Context._guard_domain",
        "self.require_defined(term, (), scope, earlier)",
        "term.binds or self._add(scalar_obligation('definedness', self.domain, (), defined(term), "
        "self.scope if scope is None else scope, binders))",
    ),
    "facts of a quadratic form need no value": Hole(
        _PROOF + "forms:by_gram", "c.guard((*c.domain, c.goal.relation, *given), given)", "pass"
    ),
    "a citation takes what holds almost surely for each value for all": Hole(
        _PROOF + "citation:_matching", "if wanted.sure and not at_once(found, wanted.over, c.scope):", "if False:"
    ),
    "a rule takes what holds almost surely for each value for all": Hole(
        _PROOF + "instances:by_rule",
        "if not at_once(known, {m: s for m, s in over.items() if s.kind == VECTOR}, inner):",
        "if False:",
    ),
    "a law of each variable is one at a random place": Hole(
        _PROOF + "book:Book._surely", "k.sure and not of_many_laws(k)", "k.sure"
    ),
    "means inside of sums need not exist": Hole(
        _PROOF + "meaning:_means", 'if x.binds and x.op != "integrable" and has_opaque(x):', "if False:"
    ),
    "means inside of means need not exist": Hole(_PROOF + "meaning:_means", "for a in x.args:", "for a in ():"),
    "a term has the name of an integer": Hole(
        _PROOF + "scalar_claims:scalar_obligation", " | _whole_names(scope)", ""
    ),
    "a value speaks of a name that the term binds": Hole(
        _PROOF + "judgements:Judge._fitting",
        "if not names(value) <= self.scope.keys():",
        "if False:",
        Hole(
            _PROOF + "sorts:check_names",
            "if not (name.isascii() and name.isidentifier()):",
            "if False:",
            Hole(
                _PROOF + "terms:match",
                "return fits and not (pattern.binds and _captured(pattern, found))",
                "return fits",
            ),
        ),
    ),
    "a quadratic form speaks of means under a condition": Hole(
        _PROOF + "forms:by_gram", "if averages([goal, *facts]):", "if False:"
    ),
}


def _function(where: str) -> Any:
    module, _, path = where.partition(":")
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = inspect.getattr_static(found, part)
    return inspect.unwrap(found)


#: the holes that are open, by the function that they are in
_OPEN: dict[str, list[Hole]] = {}


_SOURCES: dict[str, str] = {}  #: of these functions, as they stand in their files


def _source(where: str) -> str:
    if where not in _SOURCES:
        _SOURCES[where] = textwrap.dedent(inspect.getsource(_function(where)))
    return _SOURCES[where]


def _compiled(where: str, holes: list[Hole]) -> CodeType:
    source = _source(where)
    for hole in holes:
        if source.count(hole.old) != 1:
            raise ValueError(f"{hole.where} does not say {hole.old!r} once")
        source = source.replace(hole.old, hole.new)
    tree = ast.parse(source)
    made = tree.body[0]
    assert isinstance(made, ast.FunctionDef)
    made.decorator_list = []
    names: dict[str, Any] = {}
    flag = __future__.annotations.compiler_flag
    exec(compile(tree, "<hole>", "exec", flag), _function(where).__globals__, names)
    code: CodeType = names[made.name].__code__
    return code


def _forget() -> None:
    """Clear what the package remembers of calls, and of statements."""
    kernel_book._BOOKS.clear()
    for name, module in list(sys.modules.items()):
        if name.startswith(("boundcheck", "benchmarks.hunter")):
            for found in list(vars(module).values()):
                if hasattr(found, "cache_clear"):
                    found.cache_clear()


@contextmanager
def hole(name: str) -> Iterator[None]:
    """The kernel with one mended hole open again."""
    with _without(HOLES[name]):
        yield


@contextmanager
def _without(check: Hole) -> Iterator[None]:
    function, here = _function(check.where), _OPEN.setdefault(check.where, [])
    kept, code = function.__code__, _compiled(check.where, [*here, check])
    here.append(check)
    try:
        function.__code__ = code
        _forget()
        with _without(check.also) if check.also is not None else nullcontext():
            yield
    finally:
        here.pop()
        function.__code__ = kept
        _forget()


def found_again(
    seed: int, number: int, budget: float = 0.1, seconds: float = 1e9, note: Callable[[str], None] = lambda _: None
) -> dict[str, dict[str, Any]]:
    """The first case of random ones that each hole lets through: PROVED with that hole alone open, false in a model.

    All holes that are not yet found are open at once while cases are made and tried; a case that is a hole then is
    made and tried again with one hole open at a time. "none" is a case that is a hole without any.
    """
    found: dict[str, dict[str, Any]] = {}
    start, k = time.process_time(), 0
    while k < number and len(found.keys() & HOLES.keys()) < len(HOLES):
        with ExitStack() as opened:
            for name in HOLES.keys() - found.keys():
                opened.enter_context(hole(name))
            while k < number and not _is_hole(seed, k, budget):
                k += 1
                if k % EVERY == 0:
                    note(f"{k}: {len(found)} found, {time.process_time() - start:.0f} s")
                if time.process_time() - start > seconds:
                    return found
        if k == number:
            break
        alone = _is_hole(seed, k, budget)  # of the kernel as it is, or a false alarm: it says nothing of the others
        for name in ["none"] if alone else HOLES:
            with ExitStack() if alone else hole(name):
                if name not in found and (alone or _is_hole(seed, k, budget)):
                    _, case = make(seed, "random", k)
                    assert case is not None
                    spent = round(time.process_time() - start)
                    found[name] = {"case": k, "seconds": spent, "origin": case.origin, "proof": show(case)}
                    note(f"{name}: case {k}, {spent} s, {case.origin}\n{show(case)}\n")
        k += 1
    return found


def _is_hole(seed: int, k: int, budget: float) -> bool:
    try:
        rng, case = make(seed, "random", k)
        return case is not None and try_case(case, rng, budget).kind == "hole"
    except (ValueError, TypeError, IndexError, AttributeError):  # a kernel with holes need not refuse in good order
        return False
