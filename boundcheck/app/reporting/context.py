"""What the report says: the catalogue joined by label with decisions and Monte Carlo results, as plain records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from boundcheck.app.reporting import evidence
from boundcheck.app.reporting.findings import KINDS, findings, witness
from boundcheck.app.reporting.markdown import math
from boundcheck.app.reporting.plans import comparison, deviation, setting
from boundcheck.app.reporting.sources import Sources
from boundcheck.author.wording import method_text, reason_text, rule_needs, rule_premises
from boundcheck.kernel.rules import RULES
from boundcheck.kernel.statement import Statement, Step
from boundcheck.models.kept import line
from boundcheck.stored import decisions
from boundcheck.stored.premises import stored_given
from boundcheck.verdict import OPEN, Status, witness_text

Record = dict[str, Any]
NOT_DECIDED = "not decided"
BEYOND = "Beyond the paper"  #: how the parts begin that the paper does not have
#: what is known of a statement or a step that is not decided
UNDECIDED: Record = {
    **dict.fromkeys(("verdict", "method", "reason"), ""),
    **dict.fromkeys(("as_used", "slack", "witness", "certificate")),
    **dict.fromkeys(("steps", "twins", "rests_on"), ()),
}
CAUGHT = {True: "yes", False: "**NO**", None: "open: nothing is shown"}


def context(catalogue: Mapping[str, Statement], sources: Sources) -> Record:
    """Everything that the template prints."""
    known = sources.decisions.get("decisions", {})
    stored = decisions.current(catalogue, known)
    cells = _cells(sources)
    statements = [
        _statement(s, stored, cells.get(label, []), decisions.STALE if label in known else NOT_DECIDED)
        for label, s in catalogue.items()
    ]
    found = findings(catalogue, stored, cells)
    users: dict[str, list[str]] = {}
    for label, s in catalogue.items():
        for cited in s.cites_of_all_forms:
            users.setdefault(cited, []).append(label)
    for record in statements:
        record["users"] = users.get(record["label"], [])
        record["model"] = line(catalogue[record["label"]], sources.models.get(record["label"]))
        mine = [f for f in found if record["label"] in f["labels"]]
        record["finding"], record["brief"] = (mine[0]["anchor"], mine[0]["brief"]) if mine else ("", "")
    return {
        "missing": sources.missing,
        "statements": statements,
        "counts": _ordered(Counter(s["verdict"] for s in statements)),
        "leaning": [s["label"] for s in statements if s["given"]],
        "steps": _step_totals(statements),
        "findings": found,
        "kinds": [(k, n) for k in KINDS if (n := sum(1 for f in found if f["kind"] == k))],
        "rules": _rules(stored),
        "twins": [{"label": s["label"], **t} for s in statements for t in s["twins"]],
        "planted": [c for c in sources.cells if c["kind"] == "planted"],
        "simulated": _simulated({label: cells[label] for label in dict.fromkeys(c["label"] for c in sources.cells)}),
        "cited": [s for s in statements if s["says"].literature],
        "monte_carlo": _monte_carlo(sources),
        "evidence": {
            "mutants": evidence.mutants(sources.cells),
            "precision": evidence.precision(sources.cells),
            **evidence.audits(sources.cells),
            "high": evidence.high_precision(sources.cells),
        },
        "plans": comparison(sources.plans),
        "plan_setting": setting(sources.plans),
        "deviation": deviation(sources.monte_carlo),
        "martingales": sources.martingales["rows"] if sources.martingales else [],
        "provenance": {"later": [], **run} if (run := sources.decisions.get("provenance", {})) else {},
    }


def _ordered(counts: Counter[str]) -> list[tuple[str, int]]:
    known = [str(s) for s in reversed(decisions.STRENGTH)]
    return [(word, counts[word]) for word in (*known, decisions.STALE, NOT_DECIDED) if counts[word]]


def _statement(statement: Statement, every: Mapping[str, Record], cells: list[Record], without: str) -> Record:
    """One statement joined with ``every`` current decision; ``without`` one of its own the verdict is this word."""
    label, found = statement.label, statement.label in every
    stored = every.get(label, UNDECIDED)
    used = statement.as_used
    split = decisions.split(stored)
    return {
        **_form(statement, stored),
        "label": label,
        "beyond": statement.part.startswith(BEYOND),
        "stored": stored,
        "verdict": stored["verdict"] if found else without,
        "given": ", ".join(f"{label} ({verdict})" for label, verdict in stored_given(label, every)),
        "as_used": stored["as_used"] and stored["as_used"]["verdict"],
        "witness": stored["witness"] and witness(stored["witness"]),
        "premises": decisions.premises(stored),
        "chain": decisions.chain(label, every),
        "weakest": decisions.weakest(label, every),
        "split": split,
        "count": sum(split.values()) if found else "",
        "used": _form(used, stored["as_used"] or UNDECIDED) if used is not None else None,
        "twins": [_twin(t) for t in stored["twins"]],
        "cells": [c for c in cells if c["kind"] == "claim"],
        "companions": _tally(cells, "companion"),
        "observed": _tally(cells, "claim"),
        "odd": [c for c in cells if c["kind"] == "companion" and c["verdict"] == "REFUTED-STAT"],
    }


def _form(statement: Statement, stored: Record) -> Record:
    """A statement in one of its forms, its steps as (number, step, what is stored of it)."""
    steps = [(n, step, known or UNDECIDED) for n, step, known in decisions.numbered(statement, stored)]
    return {"says": statement, "steps": steps if statement.steps else []}


def how(step: Step, known: Record) -> str:
    """The reason of a step, with what the engines did where they decided it."""
    engine = decisions.kind(known) == "engine" and known["method"]
    return reason_text(step) + (f": {method_text(known['method'])}" if engine else "")


def _twin(stored: Record) -> Record:
    how = stored["reason"]
    if stored["witness"] and stored["verdict"] == "REFUTED" and (not how or stored["method"] == "world"):
        at = witness_text(stored["witness"])
        how = f"{how}; there {at}" if how else at
    return {**stored, "caught_text": CAUGHT[stored["caught"]], "how": how, "open": stored["what"].startswith(OPEN)}


def _step_totals(statements: Iterable[Record]) -> Counter[str]:
    total: Counter[str] = Counter()
    for s in statements:
        total.update(s["split"])
    return total


def _rules(stored: Mapping[str, Record]) -> list[Record]:
    """The rules that decided steps apply, most used first, with their schemas."""
    counts: Counter[str] = Counter()
    for record in stored.values():
        counts.update(decisions.rule_counts(record))
    return [
        {"name": name, "count": n, "schema": _schema(name)}
        | {f: getattr(RULES[name], f) if name in RULES else "" for f in ("declared", "source")}
        for name, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]


def _schema(name: str) -> str:
    rule = RULES.get(name)
    if rule is None:
        return "(no longer a rule)"
    given = [*rule_premises(rule, math), *rule_needs(rule, math)]
    return f"{'; '.join(given)} ⊢ {math(rule.conclusion)}" if given else math(rule.conclusion)


def _cells(sources: Sources) -> dict[str, list[Record]]:
    """Monte Carlo cells by label; a restated statement shows those of its twin."""
    found: dict[str, list[Record]] = {}
    for cell in sources.cells:
        short = cell["name"].removeprefix(cell["label"] + "/")
        found.setdefault(cell["label"], []).append({**cell, "cell": short})
    for label, source in (sources.monte_carlo or {}).get("restated", {}).items():
        found[label] = found.get(source, [])
    return found


def _simulated(cells: Mapping[str, list[Record]]) -> list[Record]:
    """One row a check: what became of its claims, of its exact laws and of its planted falsehoods."""
    found = []
    for label, mine in cells.items():
        planted = [c for c in mine if c["kind"] == "planted"]
        caught = sum(c["verdict"] == str(Status.REFUTED_STAT) for c in planted)
        found.append(
            {
                "label": label,
                "claims": _tally(mine, "claim"),
                "companions": _tally(mine, "companion"),
                "planted": f"{caught} of {len(planted)} caught" if planted else "",
                "trials": sum(c["trials"] for c in mine),
            }
        )
    return found


def _monte_carlo(sources: Sources) -> Record | None:
    if sources.monte_carlo is None:
        return None
    counts = {kind: _tally(sources.cells, kind) for kind in ("claim", "companion", "planted")}
    return {**sources.monte_carlo, "counts": counts, "trials": sum(c["trials"] for c in sources.cells)}


def _tally(cells: Iterable[Record], kind: str) -> str:
    """How many cells of a kind have which verdict."""
    counts = Counter(c["verdict"] for c in cells if c["kind"] == kind)
    words = [str(s) for s in decisions.STRENGTH]
    return ", ".join(f"{counts[w]} {w}" for w in reversed(words) if counts[w])
