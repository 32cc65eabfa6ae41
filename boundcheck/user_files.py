"""A user's own file: a Python program that defines STATEMENTS, and CHECKS where there is something to simulate.

The file is run, with its folder importable; what it defines is read, and every fault is told in one line. Claims
as TOML are data and read elsewhere (:mod:`boundcheck.claims`).
"""

from __future__ import annotations

import contextlib
import sys
import traceback
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from boundcheck.hints import nearest
from boundcheck.kernel.formula import FormulaError, parse, parse_relations
from boundcheck.kernel.proof.book import declared, defined_by
from boundcheck.kernel.proof.facts import ProofError, read
from boundcheck.kernel.proof.sorts import REAL, Sort, SortError
from boundcheck.kernel.statement import Definition, Fact, Parameter, Statement, Step, Twin
from boundcheck.system.exits import Unusable

SUFFIX = ".py"
_MEND = "; say what it is, as in declares={'x': 'vector', 'Z': 'random real', 'f': 'vector -> real'}"
TEXT = ".toml"  #: a file of statements as text, which is read and never run
MAX_BYTES = 1_000_000  #: a longer program is refused


class OwnFault(Unusable):
    """A file that cannot be used; ``lines`` tells everything that is wrong with it, one line a fault."""


NONE_HERE = "it has no statements; `check FILE.toml` decides claims and rates"
NO_STATEMENTS = ", nor is there any; a claim or a rate has no label: name the file alone"


@dataclass(frozen=True)
class OwnFile:
    """What a file defines: statements by label, in its order, and checks (cells of :mod:`proofs_numeric`)."""

    path: str
    statements: Mapping[str, Statement]
    checks: tuple[Any, ...]
    doc: str = ""  #: the program's docstring
    remarks: tuple[str, ...] = ()  #: lines of proofs for which no reason was found, what a lint says

    @property
    def lookup(self) -> Callable[[str], Statement]:
        """label -> statement, of this file or of the catalogue."""
        return lookup_with(self.statements.values())

    def chosen(self, label: str | None) -> list[Statement]:
        """The statement called ``label`` (None: all). Raises :class:`OwnFault`."""
        if label is None:
            return list(self.statements.values())
        if label not in self.statements:
            hint = "; " + nearest(label, self.statements, f"it defines {', '.join(self.statements)}")
            raise OwnFault(
                [f"{self.path}: no statement is called {label}{hint if self.statements else NO_STATEMENTS}"]
            )
        return [self.statements[label]]


def is_own(target: str) -> bool:
    """Whether a word of the command line names a Python file, or a statement in one (FILE.py:LABEL)."""
    return any(target.endswith(s) or f"{s}:" in target for s in (SUFFIX, TEXT))


def split_target(target: str) -> tuple[str, str | None]:
    """``FILE.py:LABEL`` as (file, label); the label is None where all of the file is meant."""
    for suffix in (SUFFIX, TEXT):
        file, colon, label = target.partition(f"{suffix}:")
        if colon:
            return file + suffix, label
    return target, None


def lookup_with(own: Iterable[Statement]) -> Callable[[str], Statement]:
    """label -> statement, of ``own`` or of the catalogue; raises :class:`boundcheck.paper.UnknownLabel`."""
    known = {s.label: s for s in own}

    def find(label: str) -> Statement:
        from boundcheck.paper import lookup

        return known[label] if label in known else lookup(label)

    return find


def line_in(fault: BaseException, path: str) -> str:
    """`` line N`` of the program at ``path`` on which an exception arose, "" where it did not pass through it."""
    lines = [f.lineno for f in traceback.extract_tb(fault.__traceback__) if f.filename == path]
    return f" line {lines[-1]}" if lines else ""


def in_a_line(fault: BaseException) -> str:
    """An exception of a user's program in one line, whatever its text is, or does."""
    try:
        text = str(fault)
    except Exception:
        text = "its text cannot be had"
    return " ".join(f"{type(fault).__name__}: {text}".split())[:500].rstrip(":")


def load(path: str, search: bool = True) -> OwnFile:
    """Run the file and read what it defines; once for each version of it. Raises :class:`OwnFault`.

    Without ``search`` the reasons of a text's lines are not looked for: its statements have no steps then.
    """
    try:
        stamp = Path(path).stat().st_mtime_ns
    except OSError as fault:
        raise OwnFault([f"{path}: cannot be read ({fault.strerror or fault})"]) from None
    if not Path(path).is_file():
        raise OwnFault([f"{path}: cannot be read (not a regular file)"])
    if path.endswith(TEXT):
        return _load_text(path, stamp, search)
    return _load(path, str(Path(path).resolve()), stamp)


@lru_cache(maxsize=64)
def _load(path: str, resolved: str, stamp: int) -> OwnFile:
    names = _run(path, resolved)
    if "STATEMENTS" not in names:
        raise OwnFault([f"{path}: defines no STATEMENTS; write STATEMENTS = (...,), a tuple of Statement"])
    statements, checks = names["STATEMENTS"], names.get("CHECKS", ())
    faults = [
        f"{path}: {name} is no tuple; write {name} = (...,)"
        for name, value in (("STATEMENTS", statements), ("CHECKS", checks))
        if not isinstance(value, (tuple, list))
    ]
    if faults:
        raise OwnFault(faults)
    statements = tuple(map(_declaring, statements))
    faults = [f"{path}: {line}" for line in _faults(statements)]
    if faults:
        raise OwnFault(faults)
    return OwnFile(path, {s.label: s for s in statements}, tuple(checks), str(names.get("__doc__") or ""))


def _declaring(value: Any) -> Any:
    """The statement with declarations: names in ``random`` are random numbers, what is not declared is not known."""
    if not isinstance(value, Statement) or not isinstance(value.random, tuple):
        return value
    if not all(isinstance(n, str) for n in value.random) or not isinstance(value.declares, Mapping | None):
        return value
    if any((value.declares or {}).get(n, "random real") != "random real" for n in value.random):
        return value  # what is declared twice is told with the other faults
    as_used = None if value.as_used is None else _declaring(value.as_used)
    return replace(value, declares=value.sorts, random=(), as_used=as_used)


@lru_cache(maxsize=64)
def _load_text(path: str, stamp: int, search: bool) -> OwnFile:
    """The statements of a TOML file, each with the reasons that were found for its lines, if they are searched."""
    from boundcheck.author import lint
    from boundcheck.author.cache import remembered
    from boundcheck.author.toml import read_statements
    from boundcheck.claims import ClaimFileError, load_document

    remarks: list[str] = []
    try:
        document, source = load_document(Path(path), path), Path(path).read_text(encoding="utf-8-sig")
    except ClaimFileError as fault:
        raise OwnFault(str(fault).splitlines()) from None
    written, faults = read_statements(document, path, source, remarks.append)
    faults = faults or [f"{path}: {line}" for line in _faults([w.statement for w in written])]
    if faults:
        raise OwnFault([*remarks, *faults])  # a key that is not read may be why something is missing
    if not search:
        return OwnFile(path, {w.statement.label: w.statement for w in written}, (), "", tuple(remarks))
    done: dict[str, Statement] = {}
    for one in written:
        headers = {w.statement.label: w.statement for w in written}
        made = remembered(one, lookup_with({**headers, **done}.values()), path)
        done[one.statement.label] = made.statement
        told = f"{path}: {one.statement.label}"
        remarks += [f"{told}: {f.place}: {f.fault}" for f in made.faults]
        remarks += [f"{told}: {line}" for line in lint.remarks(made.statement, whole=not made.faults)]
    return OwnFile(path, done, (), "", tuple(remarks))


def _run(path: str, resolved: str) -> dict[str, Any]:
    """The names that the program leaves behind. What it prints goes to stderr: stdout carries results."""
    module = types.ModuleType(f"own:{resolved}")
    module.__file__ = resolved
    folder = str(Path(resolved).parent)
    try:
        with Path(resolved).open("rb") as stream:
            text = stream.read(MAX_BYTES + 1)
        if len(text) > MAX_BYTES:
            raise OwnFault([f"{path}: larger than {MAX_BYTES} bytes"])
        code = compile(text, resolved, "exec")
    except OSError as fault:
        raise OwnFault([f"{path}: cannot be read ({fault.strerror or fault})"]) from None
    except (SyntaxError, ValueError, RecursionError, MemoryError) as fault:  # ValueError: null bytes; or too deep
        line = f" line {fault.lineno}" if isinstance(fault, SyntaxError) and fault.lineno else ""
        told = fault.msg if isinstance(fault, SyntaxError) else in_a_line(fault)
        raise OwnFault([f"{path}{line}: not Python: {told}"]) from None
    sys.modules[module.__name__] = module  # dataclasses look their module up
    sys.path.insert(0, folder)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            exec(code, module.__dict__)
    except KeyboardInterrupt:
        raise
    except BaseException as fault:  # SystemExit too: leaving early is no way of defining statements
        raise OwnFault([f"{path}{line_in(fault, resolved)}: {in_a_line(fault)}"]) from None
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(folder)
    return module.__dict__


def _faults(statements: Iterable[Any]) -> Iterator[str]:
    """Everything that keeps the statements from being decided, one line each."""
    from boundcheck.paper import catalogue

    own: dict[str, Statement] = {}
    for number, statement in enumerate(statements, 1):
        if not isinstance(statement, Statement):
            yield f"STATEMENTS[{number - 1}] is no Statement but {type(statement).__name__}"
        elif not isinstance(statement.label, str) or not statement.label.strip():
            yield f"STATEMENTS[{number - 1}]: a label that is not blank is wanted"
        elif statement.label in own:
            yield f"{statement.label}: two statements have this label"
        elif statement.label in catalogue():
            yield f"{statement.label}: the catalogue has a statement of this label; choose another"
        else:
            own[statement.label] = statement
    known = own.keys() | catalogue().keys()
    for label, statement in own.items():
        lines = [f"{label}: {line}" for form in _forms(statement) for line in _form_faults(form)]
        yield from dict.fromkeys(lines)
        if lines:
            continue
        for cited in dict.fromkeys(c for form in _forms(statement) for c in form.cites):
            if cited not in known:
                hint = nearest(cited, known)
                yield f"{label}: cites {cited}, which is not known" + (f"; {hint}" if hint else "")
        circle = _circle(label, own)
        if circle:
            yield f"{label}: a proof in a circle, {' -> '.join(circle)}"


def _forms(statement: Statement) -> list[Statement]:
    used = statement.as_used
    return [statement, *(_forms(used) if isinstance(used, Statement) else [])]


def _circle(label: str, own: Mapping[str, Statement]) -> list[str]:
    """A chain of citations from ``label`` back to itself; [] if there is none."""
    paths, seen = [[label]], set()
    while paths:
        path = paths.pop()
        for cited in (c for form in _forms(own[path[-1]]) for c in form.cites):
            if cited == label:
                return [*path, label]
            if cited in own and cited not in seen:
                seen.add(cited)
                paths.append([*path, cited])
    return []


_TUPLES: tuple[tuple[str, type], ...] = (
    ("parameters", Parameter),
    ("bound_names", Parameter),
    ("claims", Fact),
    ("steps", Step),
    ("twins", Twin),
    ("random", str),
    ("assumes", str),
)


def _form_faults(statement: Statement) -> Iterator[str]:
    shaped = True
    for name, kind in _TUPLES:
        value = getattr(statement, name)
        if not isinstance(value, tuple) or not all(isinstance(v, kind) for v in value):
            shaped = False
            yield f"{name} must be a tuple of {kind.__name__}; a tuple of one ends in a comma: (x,)"
    if not isinstance(statement.hypotheses, Mapping) or not all(
        isinstance(f, Fact) for f in statement.hypotheses.values()
    ):
        shaped = False
        yield "hypotheses must map names to Fact"
    if not shaped:
        return
    if not isinstance(statement.declares, Mapping):
        yield "declares must map names to sorts, as in {'Z': 'random real'}"
        return
    if not (statement.claims or statement.exists or statement.imprecise) and statement.kind != "assumption":
        yield "it has no claims, so there is nothing to decide"
    if statement.concludes and len(statement.concludes) != len(statement.claims):
        yield f"{len(statement.claims)} claims, but concludes names the facts for {len(statement.concludes)}"
    try:
        scope = declared(statement)
    except SortError as fault:
        yield f"declares: {fault}"
        return
    yield from _ranging(statement)
    for place, check in _formulas(statement, dict(scope)):
        try:
            check()
        except SortError as fault:
            yield f"{place}: {fault}{_MEND if 'is not declared' in str(fault) else ''}"
        except FormulaError as fault:
            yield f"{place}: {fault}"
        except (TypeError, AttributeError):
            yield f"{place}: a text is wanted for each formula, and a tuple of texts for over and where"


def _ranging(statement: Statement) -> Iterator[str]:
    """Hypotheses that are for all values of a parameter, where those in its domain may have been meant."""
    bounded = {q.symbol for q in statement.parameters if q.domain}
    for name, fact in statement.hypotheses.items():
        for n in sorted(bounded & {o.partition(":")[0].strip() for o in fact.over if isinstance(o, str)}):
            told = f"hypothesis {name} is for all {n}, also outside of the domain of the parameter {n}"
            yield f"{told}; take another name"


def _formulas(statement: Statement, scope: dict[str, Sort]) -> Iterator[tuple[str, Callable[[], object]]]:
    """(place, reader) of every assertion, which raises FormulaError where the text is no formula."""
    for parameter in (*statement.parameters, *statement.bound_names):
        domain = parameter.domain
        yield f"parameter {parameter.symbol}", lambda domain=domain: _domain(domain)  # type: ignore[misc]
    facts = [(f"hypothesis {name}", fact) for name, fact in statement.hypotheses.items()]
    facts += [(f"claim {n}", fact) for n, fact in enumerate(statement.claims, 1)]
    for place, fact in facts:
        yield place, lambda fact=fact: _fact(fact, scope)  # type: ignore[misc]
    for number, one in enumerate(statement.exists):
        known = {**scope, one.constant: Sort(REAL)}
        yield f"exists[{number}].claim", lambda one=one, known=known: _fact(one.claim, known)  # type: ignore[misc]
    for number, step in enumerate(statement.steps, 1):
        yield f"step {number}", lambda step=step: _step(step, scope)  # type: ignore[misc]
        if step.repair is not None:
            yield f"step {number}, repaired", lambda step=step: _fact(step.repair.fact, scope)  # type: ignore[misc]
    if statement.bound:
        yield "bound", lambda: parse(statement.bound, proof=True)


def _fact(fact: Fact, scope: Mapping[str, Sort]) -> object:
    if not isinstance(fact.over, tuple) or not isinstance(fact.where, tuple):
        raise TypeError
    return read(fact, scope)


def _step(step: Step, scope: dict[str, Sort]) -> None:
    """Read and type one step; a name that it defines is declared for the steps after it."""
    if isinstance(step.by, Definition):
        try:
            name, sort = defined_by(step, scope)
        except ProofError as fault:
            raise SortError(str(fault)) from None
        scope[name] = sort
    _fact(step.fact, scope)


def _domain(domain: Any) -> object:
    if not isinstance(domain, tuple):
        raise TypeError
    return [parse_relations(text, proof=True) for text in domain]
