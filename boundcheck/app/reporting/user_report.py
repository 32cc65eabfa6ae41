"""The report on a user's own file: its statements decided and verified, its checks simulated, as Markdown.

A function of the file, of the versions of the packages and of the default seed: no times, no dates.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from boundcheck.app.commands.check_jobs import bare, verified
from boundcheck.app.commands.output import shortened
from boundcheck.app.reporting.markdown import code, code_cell, dollars, fenced, paragraph, prose, said, typeset
from boundcheck.author.twins import apply_twin
from boundcheck.author.wording import fact_text, reason_text
from boundcheck.decide.two_routes import decide_whole
from boundcheck.kernel.proof.obligations import conclusion_steps
from boundcheck.kernel.statement import Fact, Statement
from boundcheck.paper.extremal import NotExtremal, problem
from boundcheck.stored.decisions import twin_record
from boundcheck.stored.premises import given
from boundcheck.user_files import OwnFile, load
from boundcheck.verdict import Status, Verdict

TITLE = 300  #: characters of a title or a label that a heading and a row show


def render(path: str, seconds: float = 10.0) -> str:
    """The report on the file at ``path``.

    Raises :class:`OwnFault`, and :class:`CampaignError` where a check breaks.
    """
    file = load(path)
    found = {label: _decided(s, file, seconds) for label, s in file.statements.items()}
    found = {label: given(v, file.statements[label], found, file.lookup) for label, v in found.items()}
    checks = _checks(path)
    lines = [f"# {prose(_head(file))}", ""]
    anchors = _anchors(file.statements)
    lines += _fenced(file)
    lines += ["| statement | verdict | steps | rests on | checks |", "|---|---|---|---|---|"]
    for label, statement in file.statements.items():
        verdict = found[label]
        mine = [c for c in checks if c["label"] == label]
        told = f"{sum(c['good'] for c in mine)} of {len(mine)} as they must" if mine else ""
        lines.append(
            f"| [{prose(shortened(statement.title, TITLE))}](#{anchors[label]}) {code_cell(shortened(label, TITLE))}"
            f" | {prose(verdict.word)} | {len(verdict.steps)} | {', '.join(map(code_cell, verdict.rests_on))}"
            f" | {told} |"
        )
    for label, statement in file.statements.items():
        lines += ["", f'<a id="{anchors[label]}"></a>', ""]
        lines += _section(statement, found[label], file, [c for c in checks if c["label"] == label], seconds)
    return "\n".join(lines) + "\n"


def _decided(statement: Statement, file: OwnFile, seconds: float) -> Verdict:
    """The verdict without slack (a bracket is as narrow as there is time), its certificate verified."""
    try:
        extremal = problem(statement)
    except NotExtremal:
        extremal = None
    verdict = verified(decide_whole(statement, extremal, file.lookup, seconds, 0.0))
    return replace(bare(verdict), seconds=0.0)


def _head(file: OwnFile) -> str:
    return (file.doc.splitlines() or [file.path])[0].rstrip(".")


def _fenced(file: OwnFile) -> list[str]:
    """The rest of the program's docstring, as it stands."""
    rest = "\n".join(file.doc.splitlines()[1:]).strip("\n")
    return [*fenced(rest.splitlines()), ""] if rest else []


def _anchors(labels: Iterable[str]) -> dict[str, str]:
    """An anchor for each label, no two the same: what is no letter or digit becomes a hyphen, a number tells apart."""
    found: dict[str, str] = {}
    for label in labels:
        plain = "".join(c if c.isalnum() else "-" for c in label.lower())
        taken, number = set(found.values()), 2
        name = plain
        while name in taken:
            name, number = f"{plain}-{number}", number + 1
        found[label] = name
    return found


def _section(
    statement: Statement, verdict: Verdict, file: OwnFile, checks: list[dict[str, Any]], seconds: float
) -> list[str]:
    lines = [f"## {prose(shortened(statement.title, TITLE)) or code(statement.label)}", ""]
    for text in re.split(r"\n\s*\n", statement.text.strip()):
        lines += [paragraph(text), ""]
    lines += [prose(verdict.word) + (f": {prose(verdict.reason)}" if verdict.reason else ""), ""]
    lines += _names(statement)
    for name, fact in statement.hypotheses.items():
        lines.append(f"- hypothesis {prose(name)}: {_typeset(fact)}")
    lines += [f"- claim: {_typeset(fact)}" for fact in statement.claims]
    steps = list(enumerate(zip([*statement.steps, *conclusion_steps(statement)], verdict.steps, strict=False), 1))
    lines.append("")
    for number, (step, known) in steps:
        name = f" *{prose(step.name)}*" if step.name else ""
        why = prose(reason_text(step) + (f" ({step.note})" if step.note else ""))
        lines += [f"- **({number})**{name} {known.status}: {_typeset(step.fact)}<br>{why}", ""]
    lines += _formulas(statement, [(number, step.fact) for number, (step, _) in steps])
    if statement.note:
        lines += ["", paragraph(statement.note)]
    if statement.twins:
        lines += ["", "| planted falsehood | |", "|---|---|"]
        for twin in statement.twins:
            told = _caught(verdict, _decided(apply_twin(statement, twin), file, seconds))
            lines.append(f"| {prose(twin.what)} | {told} |")
    if checks:
        lines += ["", "| check | claimed | observed | upper limit | trials | verdict |", "|---|---|---|---|---|---|"]
        for c in checks:
            lines.append(
                f"| {prose(c['name'])} | {c['claimed']:.6g} | {c['observed']:.6g} | {c['upper']:.6g} "
                f"| {c['trials']} | {c['verdict']} |"
            )
    return lines


def _names(statement: Statement) -> list[str]:
    """The parameters with their domains, and what the other names are: without them a claim says nothing."""
    lines = []
    for q in statement.parameters:
        told = [dollars(text, own=True) for text in q.domain] + ["integer"] * q.integer
        meaning = f", {prose(q.meaning)}" if q.meaning else ""
        lines.append(f"- parameter {dollars(q.symbol, own=True)}{meaning}: {', '.join(told) or 'real'}")
    for name, sort in statement.sorts.items():
        lines.append(f"- {dollars(name, own=True)}: {prose(sort)}")
    return lines


def _typeset(fact: Fact) -> str:
    """An assertion with its formulas as LaTeX."""
    return typeset(said(fact), lambda source: dollars(source, own=True))


def _formulas(statement: Statement, steps: list[tuple[int, Fact]]) -> list[str]:
    """The formulas as text, as the file has them, folded."""
    named = [*statement.hypotheses.items(), *(("claim", fact) for fact in statement.claims)]
    rows = [*named, *((f"({number})", fact) for number, fact in steps)]
    texts = [f"{name}: {fact_text(fact)}" for name, fact in rows]
    return ["<details><summary>formulas as text</summary>", "", *fenced(texts), "", "</details>"]


def _caught(verdict: Verdict, twin: Verdict) -> str:
    """What became of a planted falsehood of a statement with this verdict."""
    words = {True: "caught", False: "NOT CAUGHT", None: "shows nothing, since the statement is not proved"}
    return f"{words[twin_record('', {}, verdict.status, twin)['caught']]}: {twin.status}"


def _checks(path: str) -> list[dict[str, Any]]:
    """The checks of the file, judged with the default seed."""
    from proofs_numeric import own
    from proofs_numeric.campaigns.campaign import run
    from proofs_numeric.campaigns.executors import SerialExecutor
    from proofs_numeric.campaigns.ledger import Ledger
    from proofs_numeric.checks.cell import PLANTED
    from proofs_numeric.model.streams import SEED

    cells = list(own.cells(path).values())
    if not cells:
        return []
    with Ledger() as ledger:
        results = run(cells, SerialExecutor(), ledger, SEED)
    found = []
    for r in results:
        planted = r.cell.kind == PLANTED
        wanted = Status.REFUTED_STAT if planted else Status.CONSISTENT
        name = f"{r.cell.name} (planted: {r.cell.note})" if planted else r.cell.name
        outcome = r.judgement.outcome
        row = outcome.rows[outcome.shown] if outcome is not None else None
        record: dict[str, Any] = {"verdict": str(r.judgement.status), "trials": r.judgement.trials}
        record |= {k: getattr(row, k, math.nan) for k in ("claimed", "observed", "upper")}
        found.append({**record, "label": r.cell.label, "name": name, "good": r.judgement.status is wanted})
    return found
