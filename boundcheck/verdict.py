"""What engines write and front doors print: a verdict, with what shows it. The verifier reads none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NoReturn

OPEN = "stronger, open: "  #: how the words for a change begin that may leave a statement true
#: how the reason begins why a planted falsehood is not proved, where its world does not break its claim
WORLD_FAILS = "its world does not refute it: "
EQUALITY = "=="  #: the text, in a small world, of a hypothesis that holds with equality


class Status(StrEnum):
    """The verdicts of the report; see docs for the evidence that each one needs."""

    ASSUMED = "ASSUMED"
    PROVED = "PROVED"
    REFUTED = "REFUTED"
    REPAIRED = "REPAIRED"
    CITED = "CITED"
    CONSISTENT = "CONSISTENT"
    UNDERPOWERED = "UNDERPOWERED"
    REFUTED_STAT = "REFUTED-STAT"
    UNDECIDED = "UNDECIDED"


def worded(status: str, given: Iterable[tuple[str, str]]) -> str:
    """A verdict with the weak premises (label, verdict) that it is given."""
    told = ", ".join(f"{label} ({verdict})" for label, verdict in given)
    return f"{status} given {told}" if told else str(status)


def witness_text(witness: Mapping[str, str]) -> str:
    """A witness in words: its values, and what holds with equality."""
    return ", ".join(f"{k} with equality" if v == EQUALITY else f"{k} = {v}" for k, v in witness.items())


@dataclass(frozen=True)
class Verdict:
    """What is known of one claim, step or statement, and why.

    ``slack`` is a bracket (low, high) of inf claimed/true: low certified, high from an instance; either
    end may be None. ``witness`` maps variables to decimal or "a/b" texts, or names to the texts of a small world.
    ``certificate`` is JSON-able data for :func:`boundcheck.kernel.certificate.verify`. ``reason`` says in one line
    why it is so. ``seconds`` is processor time.
    """

    name: str
    status: Status
    method: str = ""
    slack: tuple[float | None, float | None] | None = None
    witness: Mapping[str, str] | None = None
    certificate: Mapping[str, Any] | None = None
    reason: str = ""
    seconds: float = 0.0
    rests_on: tuple[str, ...] = ()
    steps: tuple[Verdict, ...] = ()
    as_used: Verdict | None = None
    given: tuple[tuple[str, str], ...] = ()  #: (label, verdict) of what a proof rests on that does not hold or is open

    @property
    def word(self) -> str:
        """The verdict as it is told: "PROVED given lem:x (UNDECIDED)" where a premise is weak."""
        return worded(self.status, self.given)

    @property
    def weakest(self) -> Status:
        """The status that decides how a command ends: that of the weakest premise, where one is weak."""
        for status in (Status.REFUTED, Status.REPAIRED, Status.UNDECIDED):
            if any(word == status for _, word in self.given):
                return status
        return self.status

    def __bool__(self) -> NoReturn:
        raise TypeError(f"a verdict ({self.status}) has no truth value: compare .status with a Status")
