"""What a proved statement rests on: its own verdict takes what it cites as true, its readers must not.

A statement that cites one which is REFUTED or UNDECIDED, at first or at second hand, is PROVED *given* that one, and
everything that tells its verdict says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from boundcheck.kernel.statement import Cite, Statement
from boundcheck.verdict import Status, Verdict

WEAK = (Status.REFUTED, Status.REPAIRED, Status.UNDECIDED)


def rests_on(statement: Statement, others: Iterable[Statement]) -> tuple[Statement, ...]:
    """Those of ``others`` that the statement cites, at first or at second hand."""
    table, found, pending = {s.label: s for s in others}, dict[str, Statement](), [statement]
    while pending:
        for label in pending.pop().cites_of_all_forms:
            if label in table and label not in found and label != statement.label:
                found[label] = table[label]
                pending.append(table[label])
    return tuple(found.values())


def weak_premises(
    statement: Statement, verdict_of: Callable[[str, bool], str], lookup: Callable[[str], Statement]
) -> tuple[tuple[str, str], ...]:
    """(label, verdict) of what the statement rests on and does not hold, or is not decided, in the order of its use.

    ``verdict_of`` gives the word for a label, in the form that its uses need where the second argument says so; ""
    where nothing is known. Each form holds by its own proof: that the printed one does shows nothing of the other.
    """
    found: dict[str, str] = {}
    seen: set[tuple[str, bool]] = set()
    pending = [statement]
    while pending:
        current = pending.pop()
        steps = [s.by for t in current.steps for s in (t, t.repair) if s is not None]
        for by in (*map(Cite, current.assumes), *steps):
            if not isinstance(by, Cite):
                continue
            word = verdict_of(by.label, by.as_used)
            if word in WEAK:
                found.setdefault(by.label, str(word))
            if (by.label, by.as_used) not in seen:
                seen.add((by.label, by.as_used))
                try:
                    cited = lookup(by.label)
                except (LookupError, ValueError):
                    continue
                pending.append(cited.as_used if by.as_used and cited.as_used is not None else cited)
    return tuple(found.items())


def given(
    verdict: Verdict, statement: Statement, others: Mapping[str, Verdict], lookup: Callable[[str], Statement]
) -> Verdict:
    """The verdict with its weak premises, where it is PROVED; ``others`` has those of the file's statements."""
    if verdict.as_used is not None and statement.as_used is not None:
        verdict = replace(verdict, as_used=given(verdict.as_used, statement.as_used, others, lookup))
    if verdict.status is not Status.PROVED:
        return verdict

    def word(label: str, as_used: bool) -> str:
        if label not in others:
            return recorded(label, as_used)
        used = others[label].as_used
        return str(used.status if as_used and used is not None else others[label].status)

    return replace(verdict, given=weak_premises(statement, word, lookup))


def recorded(label: str, as_used: bool = False) -> str:
    """The verdict that is stored of a statement of the catalogue; UNDECIDED where none of it as it stands is.

    ``as_used``: of the form that its uses need, where there is one.
    """
    from boundcheck.paper import catalogue
    from boundcheck.stored import decisions

    statement = catalogue().get(label)
    stored = decisions.load().get("decisions", {}).get(label)
    if statement is None:
        return ""
    return str(Status.UNDECIDED) if stored is None or decisions.stale(statement, stored) else _stored(stored, as_used)


def _stored(record: Mapping[str, Any], as_used: bool) -> str:
    """The verdict in a stored record: of the form that its uses need, where that is asked for and there is one."""
    used = record.get("as_used")
    return str((used if as_used and used is not None else record)["verdict"])


def stored_given(label: str, stored: Mapping[str, Mapping[str, Any]]) -> tuple[tuple[str, str], ...]:
    """The weak premises of a statement of the catalogue by its current decisions ``stored``, where it is PROVED."""
    from boundcheck.paper import catalogue, lookup

    known = catalogue()
    if label not in known or label not in stored or stored[label]["verdict"] != Status.PROVED:
        return ()

    def word(other: str, as_used: bool) -> str:
        return _stored(stored[other], as_used) if other in stored else str(Status.UNDECIDED) if other in known else ""

    return weak_premises(known[label], word, lookup)
