"""Stored decisions: what ``check --save`` writes, what ``list``, ``show`` and the report read; which are stale."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from boundcheck.kernel.proof.obligations import conclusion_steps
from boundcheck.kernel.statement import ByRule, Statement, Step
from boundcheck.system.files import FileFault, read_json, write_json
from boundcheck.verdict import Status, Verdict

SCHEMA = 1
PATH = Path(__file__).parents[1] / "data" / "decisions.json"
#: From the weakest evidence to the strongest.
STRENGTH = (
    Status.REFUTED,
    Status.REFUTED_STAT,
    Status.UNDECIDED,
    Status.UNDERPOWERED,
    Status.CONSISTENT,
    Status.CITED,
    Status.ASSUMED,
    Status.REPAIRED,
    Status.PROVED,
)
STALE = "STALE"
NO_ANSWER = "no answer"  #: the method of a verdict whose process died or raised: it shows nothing
ENGINES = ("numpy", "python-flint", "crival", "mpmath", "sympy")
#: fields of records for people alone
_WORDS = frozenset({"title", "part", "text", "note", "places", "meaning", "source"})
Record = dict[str, Any]


def fingerprint(statement: Statement) -> str:
    """A hash of what is decided: the statement, what those that it cites say, and the rule schemas that it uses.

    Words for people decide nothing and are left out, and so is how a cited statement is proved.
    """
    from boundcheck.kernel.rules import RULES
    from boundcheck.paper import catalogue, lookup

    cited = [repr(_substance(_said(lookup(label)))) for label in statement.cites if label in catalogue()]
    rules = sorted({s.by.rule for s in every_step(statement) if isinstance(s.by, ByRule)})
    parts = [repr(_substance(statement)), *cited, *(repr(_substance(RULES.get(name))) for name in rules)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def said(statement: Statement) -> str:
    """A hash of what a statement says: hypotheses and claims, whatever its proof and its planted falsehoods are."""
    return hashlib.sha256(repr(_substance(_said(statement))).encode()).hexdigest()[:16]


def _said(statement: Statement) -> Statement:
    """The statement without its proof and its planted falsehoods."""
    used = None if statement.as_used is None else _said(statement.as_used)
    return replace(statement, steps=(), concludes=(), twins=(), as_used=used)


def _substance(value: Any) -> Any:
    """A record as nested tuples without words and the fields that have their default: a new field changes no hash."""
    if isinstance(value, str):  # most are, and the other questions take longer
        return value
    if is_dataclass(value) and not isinstance(value, type):
        filled = [
            (f.name, getattr(value, f.name))
            for f in _telling(type(value))
            if not _by_default(f, getattr(value, f.name))
        ]
        return (type(value).__name__, *((name, _substance(v)) for name, v in filled))
    if isinstance(value, Mapping):
        return tuple((k, _substance(v)) for k, v in value.items())
    return tuple(map(_substance, value)) if isinstance(value, (tuple, list)) else value


@cache
def _telling(kind: type[Any]) -> tuple[Field[Any], ...]:
    """The fields of a record type that are not for people alone."""
    return tuple(f for f in fields(kind) if f.name not in _WORDS)


def _by_default(f: Field[Any], value: Any) -> bool:
    if f.default is not MISSING:
        return bool(value == f.default)
    return f.default_factory is not MISSING and bool(value == f.default_factory())


def every_step(statement: Statement) -> list[Any]:
    """All steps of a statement and of the form that its uses need, repairs included."""
    found = [s for step in statement.steps for s in (step, step.repair) if s is not None]
    return found + (every_step(statement.as_used) if statement.as_used is not None else [])


def numbered(statement: Statement, stored: Record | None) -> list[tuple[int, Step, Record | None]]:
    """The steps of a statement, its claims last, each with what is stored of it: None where that has other steps."""
    steps = [*statement.steps, *conclusion_steps(statement)]
    known = stored["steps"] if stored is not None and len(stored["steps"]) == len(steps) else [None] * len(steps)
    return [(n, step, one) for n, (step, one) in enumerate(zip(steps, known, strict=True), 1)]


def record(verdict: Verdict) -> Record:
    """A verdict as JSON-able data without its certificate and its time."""
    return {
        "name": verdict.name,
        "verdict": str(verdict.status),
        "as_used": None if verdict.as_used is None else record(verdict.as_used),
        "method": verdict.method,
        "slack": None if verdict.slack is None else list(verdict.slack),
        "witness": None if verdict.witness is None else dict(verdict.witness),
        "reason": verdict.reason,
        "rests_on": list(verdict.rests_on),
        "steps": [record(s) for s in verdict.steps],
    }


def certificate_summary(certificate: Any) -> Record:
    """Steps, scalar certificates, nodes and bytes of a statement's certificate."""
    steps = certificate.get("steps", [])
    scalar = [c for s in steps for c in s.get("certificates", [])]
    nodes, stack = 0, [n for c in scalar for n in c.get("proofs", [])]
    while stack:
        node = stack.pop()
        nodes += 1
        stack.extend(node.get("then", []))
    size = len(json.dumps(certificate, separators=(",", ":")))
    return {"steps": len(steps), "certificates": len(scalar), "nodes": nodes, "bytes": size}


def decision(statement: Statement, verdict: Verdict, twins: Iterable[Record]) -> Record:
    """What is stored of one statement."""
    own = verdict if verdict.status is not Status.REPAIRED or verdict.as_used is None else verdict.as_used
    proved = own.status is Status.PROVED and own.certificate is not None
    stored = record(verdict)
    stored["fingerprint"] = fingerprint(statement)
    stored["certificate"] = certificate_summary(own.certificate) if proved else None
    stored["twins"] = list(twins)
    return stored


def twin_record(what: str, change: Mapping[str, str], original: Status, verdict: Verdict) -> Record:
    """A planted falsehood and what became of it.

    ``caught``: true where it is refuted, or no longer holds while the statement itself does; false where it
    holds all the same; null where nothing is shown, since the statement itself is not proved or there was no answer.
    ``reason``: why it is not proved, in the form that is proved of the statement where the printed one is not.
    """
    holding = (Status.PROVED, Status.REPAIRED)
    used = verdict.as_used
    lost = used is not None and original is Status.REPAIRED and verdict.status is Status.UNDECIDED
    told = used if used is not None and lost and used.status is not Status.PROVED else verdict
    caught: bool | None
    if verdict.method == NO_ANSWER:
        caught = None
    elif verdict.status is Status.PROVED or (verdict.status is Status.REPAIRED and original is Status.REPAIRED):
        caught = False
    elif original in holding or verdict.status in (Status.REFUTED, Status.REPAIRED):
        caught = True
    else:
        caught = None
    return {
        "what": what,
        "change": dict(change),
        "verdict": str(verdict.status),
        "caught": caught,
        "method": told.method,
        "witness": None if told.witness is None else dict(told.witness),
        "reason": told.reason,
    }


def versions() -> dict[str, str]:
    """The versions of Python, of this project and of the arithmetic behind the verdicts."""
    found = {"python": platform.python_version()}
    for name in ("boundcheck", *ENGINES):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def load(path: Path = PATH) -> Record:
    """The stored decisions, {} where there are none. Raises :class:`boundcheck.system.files.FileFault`."""
    if not path.exists():
        return {}
    data = read_json(path)
    good = isinstance(data, dict) and data.get("schema") == SCHEMA and isinstance(data.get("decisions"), dict)
    if not good:
        raise FileFault(f"{path}: not decisions of schema {SCHEMA}; write them anew with check --save")
    return dict(data)


def save(found: Mapping[str, Record], provenance: Record, order: Iterable[str], path: Path = PATH) -> None:
    """Put ``found`` (by label) among the stored decisions; labels that left the catalogue are dropped.

    ``provenance`` holds all that may differ between two runs on the same statements. That of a run on some of them
    is kept under ``later``, with their ``labels``, beside that of the run which decided the rest.
    """
    old = load(path)
    kept = {**old.get("decisions", {}), **found}
    wanted = [label for label in order if label in kept]
    before = old.get("provenance", {})
    times = {**before.get("seconds", {}), **provenance.get("seconds", {})}
    whole = provenance
    if any(label not in found for label in wanted):
        own = {k: v for k, v in provenance.items() if k != "seconds"}
        runs = [*before.get("later", ()), {**own, "labels": list(found)}]
        labels = [{x for x in run["labels"] if x in wanted} for run in runs]
        still = [mine - set().union(*labels[n + 1 :]) for n, mine in enumerate(labels)]
        later = [{**run, "labels": [x for x in wanted if x in left]} for run, left in zip(runs, still, strict=True)]
        whole = {**before, "later": [run for run in later if run["labels"]]}
    data = {
        "schema": SCHEMA,
        "decisions": {label: kept[label] for label in wanted},
        "provenance": {**whole, "seconds": {label: times[label] for label in wanted if label in times}},
    }
    write_json(path, data)


def stale(statement: Statement, stored: Record | None) -> bool:
    """Whether the statement, what it cites or a rule has changed since it was decided."""
    return stored is not None and stored.get("fingerprint") != fingerprint(statement)


def as_recorded(statement: Statement, stored: Record | None, verdict: Verdict) -> bool:
    """Whether ``verdict`` decides a statement as the current record of it does; a repair has to hold.

    What is given a premise that does not hold or is open never is.
    """
    used = None if verdict.as_used is None else verdict.as_used.status
    if stored is None or stale(statement, stored) or Status.UNDECIDED in (verdict.status, used):
        return False
    if verdict.given or (verdict.as_used is not None and verdict.as_used.given):
        return False
    if verdict.status is Status.REPAIRED and used not in (Status.PROVED, Status.CITED):
        return False
    return bool((verdict.status, used) == (stored["verdict"], (stored["as_used"] or {}).get("verdict")))


def current(catalogue: Mapping[str, Statement], decisions: Mapping[str, Record]) -> dict[str, Record]:
    """The stored decisions that speak of the catalogue as it is: those of other statements and stale ones left out."""
    return {k: r for k, r in decisions.items() if k in catalogue and not stale(catalogue[k], r)}


def chain(label: str, decisions: Mapping[str, Record]) -> list[str]:
    """Every label that ``label`` rests on, directly or not, in the order of first mention."""
    found: dict[str, None] = {}
    pending = premises(decisions.get(label, {}))
    while pending:
        name = pending.pop(0)
        if name not in found and name != label:
            found[name] = None
            pending += premises(decisions.get(name, {}))
    return list(found)


def premises(stored: Record) -> list[str]:
    """The labels that a stored statement rests on, in the printed form and in the one that its uses need."""
    used = stored.get("as_used") or {}
    return list(dict.fromkeys((*stored.get("rests_on", ()), *used.get("rests_on", ()))))


def weakest(label: str, decisions: Mapping[str, Record]) -> tuple[str, list[str]] | None:
    """(verdict, labels that have it) of the weakest evidence that ``label`` rests on; None where it rests on none.

    Premises as used: a REPAIRED one counts with the form that holds. A premise without a decision is UNDECIDED. The
    labels stand in the order of ``decisions``, which is that of the catalogue.
    """
    order = {name: n for n, name in enumerate(decisions)}
    found: dict[Status, list[str]] = {}
    for name in chain(label, decisions):
        status = Status(decisions[name]["verdict"]) if name in decisions else Status.UNDECIDED
        found.setdefault(status, []).append(name)
    for status in STRENGTH:
        if status in found:
            return str(status), sorted(found[status], key=lambda name: order.get(name, len(order)))
    return None


def shown(stored: Record) -> Record:
    """The form of a stored statement or step whose proof counts: where the printed one is repaired, the repair."""
    used = stored.get("as_used")
    return used if stored["verdict"] == "REPAIRED" and used is not None else stored


def rule_counts(stored: Record) -> dict[str, int]:
    """How many steps of the stored proof apply each rule, by name."""
    counts: dict[str, int] = {}
    for step in shown(stored)["steps"]:
        if kind(step) == "rule":
            name = shown(step)["method"].removeprefix("rule: ")
            counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items()))


def split(stored: Record) -> dict[str, int]:
    """The steps of the proof by kind of evidence: engine, rule, cited (also literature), definition, open."""
    counts = dict.fromkeys(("engine", "rule", "cited", "definition", "open"), 0)
    for step in shown(stored)["steps"]:
        counts[kind(step)] += 1
    return counts


def kind(step: Record) -> str:
    """By what a stored step is decided: engine, rule, cited, definition, or open where it is not."""
    if step["verdict"] not in ("PROVED", "REPAIRED", "CITED"):
        return "open"
    method = shown(step)["method"]
    if method.startswith("rule: "):
        return "rule"
    if method.startswith(("cites ", "literature: ")):
        return "cited"
    return "definition" if method == "definition" else "engine"
