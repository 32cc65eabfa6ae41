"""The report on a user's own file: its statements decided and verified, its checks simulated, as Markdown.

A function of the file, of the versions of the packages and of the default seed: no times, no dates.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from boundcheck.app.commands.check_jobs import bare, decide_twin, verified
from boundcheck.app.commands.output import shortened
from boundcheck.app.reporting import markdown
from boundcheck.app.reporting.markdown import code, code_cell, dollars, fenced, paragraph, prose, said, typeset
from boundcheck.app.reporting.render import page
from boundcheck.author.scalar_claim import NotExtremal
from boundcheck.author.wording import fact_text
from boundcheck.decide.two_routes import decide_whole
from boundcheck.kernel.proof.obligations import conclusion_steps
from boundcheck.kernel.statement import Statement
from boundcheck.paper.extremal import problem
from boundcheck.stored.decisions import twin_record
from boundcheck.stored.premises import given
from boundcheck.user_files import NONE_HERE, OwnFault, OwnFile, load
from boundcheck.verdict import Status, Verdict, witness_text

TITLE = 300  #: characters of a title or a label that a heading and a row show


def render(path: str, seconds: float = 10.0) -> str:
    """The report on the file at ``path`` as Markdown. Raises as :func:`draft` does."""
    return written(draft(path, seconds))


def written(text: str) -> str:
    """A draft as Markdown: formulas as LaTeX, their names mean nothing that the paper says."""
    return typeset(text, partial(dollars, own=True))


def draft(path: str, seconds: float = 10.0) -> str:
    """The report on the file at ``path``, its formulas marked.

    Raises :class:`OwnFault`, and :class:`CampaignError` where a check breaks.
    """
    file = load(path)
    if not (file.statements or file.checks):
        raise OwnFault([f"{path}: {NONE_HERE}"])
    found = {label: _decided(s, file, seconds) for label, s in file.statements.items()}
    found = {label: given(v, file.statements[label], found, file.lookup) for label, v in found.items()}
    checks = _checks(path)
    anchors = _anchors(file.statements)
    title, _, intro = (file.doc or file.path).partition("\n")
    filters = {
        "code": code,
        "code_cell": code_cell,
        "fenced": lambda lines: "\n".join(fenced(lines)),
        "head": lambda text: shortened(text, TITLE),
        "math": markdown.math,
        "paragraph": paragraph,
        "point": witness_text,
        "prose": prose,
        "said": said,
    }
    return page(
        "user_report.md.j2",
        filters,
        title=title.rstrip("."),
        intro=intro.strip("\n").splitlines(),
        statements=[
            _section(s, found[label], file, seconds)
            | {"anchor": anchors[label], "checks": [c for c in checks if c["label"] == label]}
            for label, s in file.statements.items()
        ],
    )


def _decided(statement: Statement, file: OwnFile, seconds: float) -> Verdict:
    """The verdict without slack (a bracket is as narrow as there is time), its certificate verified."""
    try:
        extremal = problem(statement)
    except NotExtremal:
        extremal = None
    verdict = verified(decide_whole(statement, extremal, file.lookup, seconds, 0.0))
    return replace(bare(verdict), seconds=0.0)


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


def _section(statement: Statement, verdict: Verdict, file: OwnFile, seconds: float) -> dict[str, Any]:
    """What the template says of one statement, its checks apart."""
    steps = zip([*statement.steps, *conclusion_steps(statement)], verdict.steps, strict=False)
    told = [(number, step, known) for number, (step, known) in enumerate(steps, 1)]
    named = [*statement.hypotheses.items(), *(("claim", fact) for fact in statement.claims)]
    named += [(f"({number})", step.fact) for number, step, _ in told]
    return {
        "says": statement,
        "verdict": verdict,
        "paragraphs": re.split(r"\n\s*\n", statement.text.strip()),
        "steps": told,
        "formulas": [f"{name}: {fact_text(fact)}" for name, fact in named],
        "twins": [
            (twin.what, _caught(verdict, decide_twin(statement, tuple(file.statements.values()), seconds, twin)))
            for twin in statement.twins
        ],
    }


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
