"""What is false or imprecise in the paper, in words for a referee: printed, wrong, repaired, and where it matters.

Every sentence is put together from the catalogue's texts and the stored decisions; no outcome is written here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from boundcheck.app.reporting.markdown import anchor, link, math, said, worded
from boundcheck.author.wording import reason_text
from boundcheck.kernel.statement import Exists, Family, Statement, Step
from boundcheck.stored import decisions
from boundcheck.verdict import EQUALITY

Record = dict[str, Any]
FALSE, STEP, IMPRECISE, OBSERVED = "false as printed", "a step fails", "not precise", "rejected by simulation"
KINDS = (FALSE, STEP, IMPRECISE, OBSERVED)
NONE = "none is known."
LONG = 100  #: characters of a formula that still reads as part of a sentence
DIGITS = 12  #: digits of a witness that are printed in full
#: why a step that the engines refute fails, as :mod:`boundcheck.decide.statements` says it
_DOMAIN = re.compile(r"false, domain of (?P<label>\S+): (?P<relation>.+?)(?: where .*)?$")
_NOT = re.compile(r"(; not so|, which is false|, fails).*", re.DOTALL)
_STEP = re.compile(r"false, step: (?P<relation>.+?)(?: where .*)?$")


def findings(
    catalogue: Mapping[str, Statement], stored: Mapping[str, Record], cells: Mapping[str, list[Record]]
) -> list[Record]:
    """One record a finding, false statements first; statements that say the same share one.

    Fields: ``heading`` and ``anchor`` (stable: the label, and the step's number), ``title``, ``kind``, ``labels``,
    ``brief`` (one line), ``printed``, ``wrong``, ``repair``, ``repair_title``, ``repaired`` (the verdict of the
    repair), ``matters``.
    """
    found: list[Record] = []
    for label, statement in catalogue.items():
        record = stored.get(label)
        if record is not None and not decisions.stale(statement, record):
            found += _of_statement(statement, record, catalogue)
        found += _of_cells(statement, cells.get(label, []), catalogue)
    merged: dict[tuple[str, ...], Record] = {}
    for finding in found:
        first = merged.setdefault((finding["kind"], finding["printed"], finding["wrong"]), finding)
        if first is not finding:
            first["labels"] += finding["labels"]
    return sorted(merged.values(), key=lambda f: KINDS.index(f["kind"]))


def _of_statement(statement: Statement, record: Record, catalogue: Mapping[str, Statement]) -> list[Record]:
    forms = [(statement, record)]
    if statement.as_used is not None and record["as_used"]:
        forms.append((statement.as_used, record["as_used"]))
    broken = [
        (form, number, step, known)
        for form, verdicts in forms
        for number, step, known in decisions.numbered(form, verdicts)
        if known is not None and known["verdict"] in ("REPAIRED", "REFUTED")
    ]
    if record["verdict"] not in ("REPAIRED", "REFUTED"):
        return [_of_step(statement, number, step, known, catalogue) for _, number, step, known in broken]
    wrong = _wrong(statement, record)
    wrong += [f"In its proof {_failure(number, step, known)}" for _, number, step, known in broken]
    false = record["witness"] is not None or not statement.imprecise
    used = statement.as_used if record["verdict"] == "REPAIRED" else None
    return [
        _finding(
            statement,
            FALSE if false else IMPRECISE,
            _brief(statement, record) if false else statement.imprecise,
            wrong,
            catalogue,
            repair=used.text if used else NONE,
            repair_title=_difference(statement, used) if used else "",
            repaired=record["as_used"]["verdict"] if used and record["as_used"] else "",
        )
    ]


def _finding(
    statement: Statement,
    kind: str,
    brief: str,
    wrong: Iterable[str],
    catalogue: Mapping[str, Statement],
    *,
    repair: str = NONE,
    repair_title: str = "",
    repaired: str = "",
    place: str = "",
    proof: str = "",
) -> Record:
    heading = f"Finding: {statement.label}{place}"
    return {
        "heading": heading,
        "anchor": anchor(heading),
        "title": statement.title,
        "kind": kind,
        "labels": [statement.label],
        "brief": worded(brief),
        "printed": worded(statement.text + proof),
        "wrong": " ".join(wrong),
        "repair": worded(repair),
        "repair_title": worded(repair_title),
        "repaired": repaired,
        "matters": matters(statement.label, catalogue),
    }


def _family(statement: Statement, record: Record) -> tuple[Exists, Family] | None:
    """The constant of which a witness shows that no value serves, and the family that shows it."""
    found = ((e, f) for e in statement.exists for f in e.families if f.name in record["reason"])
    return next(found, None) if record["witness"] else None


def _brief(statement: Statement, record: Record) -> str:
    """Why a printed assertion is false, in one line."""
    if (found := _family(statement, record)) is None:
        return str(record["reason"])
    exists, family = found
    return f"no value serves as constant {math(exists.constant)}: {family.name}, {witness(record['witness'])}"


def _wrong(statement: Statement, record: Record) -> list[str]:
    """What is wrong with the printed assertion, sentence by sentence."""
    sentences = [f"As printed, {worded(statement.imprecise)}."] if statement.imprecise and record["witness"] else []
    if (found := _family(statement, record)) is not None:
        exists, family = found
        note = f" ({family.note})" if family.note else ""
        fails = said(exists.claim) if len(exists.claim.claim) <= LONG else "the claim"
        every, one = math(f"{exists.constant} > 0"), math(f"{exists.constant} == 1")
        return [
            *sentences,
            f"False for every value of the constant {every}: take {worded(family.name + note)} with "
            f"{witness(record['witness'])} (below {one} with the values for {one}); there all hypotheses hold and "
            f"{fails} fails.",
        ]
    if record["witness"]:
        return [*sentences, f"False at {witness(record['witness'])}: {worded(record['reason'])}."]
    if statement.imprecise:
        return [f"No truth value as printed: {worded(statement.imprecise)}."]
    return [f"{worded(record['reason'])}."]


def _of_step(
    statement: Statement, number: int, step: Step, known: Record, catalogue: Mapping[str, Statement]
) -> Record:
    repair, done = NONE, ""
    if step.repair is not None:
        done = "PROVED" if known["verdict"] == "REPAIRED" else ""
        repair = step.repair.note or f"{said(step.repair.fact)} ({reason_text(step.repair)})"
    failure = _failure(number, step, known)
    return _finding(
        statement,
        STEP,
        f"step {number} of the proof" if len(step.fact.claim) > LONG else _NOT.sub("", failure),
        [failure[0].upper() + failure[1:]],
        catalogue,
        repair=f"{repair.rstrip('.')}.",
        repair_title=repair.rstrip("."),
        repaired=done,
        place=f", step {number}",
        proof=f" In the proof, step {number}: {step.note or reason_text(step)}.",
    )


def _failure(number: int, step: Step, known: Record) -> str:
    """Which step fails and where, as a sentence that begins with "step"."""
    at = f" at {witness(known['witness'])}" if known["witness"] else ""
    reason = known["reason"]
    if match := _DOMAIN.match(reason):
        return f"step {number} uses {match['label']}, which is stated for {math(match['relation'])} only; not so{at}."
    if match := _STEP.match(reason):
        over = f" for all {', '.join(map(math, step.fact.over))}" if step.fact.over else ""
        repair = f"; it holds with {', '.join(map(math, _narrower(step)))}" if step.repair and _narrower(step) else ""
        return f"step {number} claims {math(match['relation'])}{over}, which is false{at}{repair}."
    return f"step {number}, {said(step.fact)}, fails{at}: {worded(reason)}."


def _narrower(step: Step) -> list[str]:
    """The conditions that the repaired step adds."""
    return [w for w in step.repair.fact.where if w not in step.fact.where] if step.repair else []


def _difference(statement: Statement, used: Statement) -> str:
    """What the repaired form's title says beyond the printed one's."""
    rest = used.title.removeprefix(statement.title).lstrip(", ")
    return rest if used.title.startswith(statement.title) and rest else used.title


def _of_cells(statement: Statement, cells: Iterable[Record], catalogue: Mapping[str, Statement]) -> list[Record]:
    rejected = [c for c in cells if c["kind"] == "claim" and c["verdict"] == "REFUTED-STAT"]
    return [
        _finding(
            statement,
            OBSERVED,
            f"cell {c['cell']}",
            [f"Simulation rejects it in cell {c['cell']}: {c['bad']} of {c['trials']} trials."],
            catalogue,
            place=f", cell {c['cell']}",
        )
        for c in rejected
    ]


def matters(label: str, catalogue: Mapping[str, Statement]) -> list[str]:
    """Links to what rests on ``label`` directly, then to the theorems and corollaries beyond."""

    def users(of: str) -> list[str]:
        return [k for k, s in catalogue.items() if of in s.cites_of_all_forms]

    direct = users(label)
    found = dict.fromkeys(direct)
    pending = list(direct)
    while pending:
        further = [u for u in users(pending.pop(0)) if u not in found]
        found |= dict.fromkeys(further)
        pending += further
    return [link(k) for k in found if k in direct or catalogue[k].kind in ("theorem", "corollary")]


def witness(values: Mapping[str, str]) -> str:
    """A point in a sentence; numbers with many digits are rounded, and it says so."""
    return ", ".join(_short(name, value) for name, value in values.items())


def _short(name: str, value: str) -> str:
    if value == EQUALITY:
        return f"{name} with equality"
    try:
        number = Decimal(value).normalize()
    except InvalidOperation:
        return math(f"{name} == {value}")
    if len(number.as_tuple().digits) > DIGITS:
        return math(f"{name} == {number:.3e}".replace("e+", "e")) + " (rounded)"
    return math(f"{name} == {value if len(value) <= DIGITS else f'{number:e}'.replace('e+', 'e')}")
