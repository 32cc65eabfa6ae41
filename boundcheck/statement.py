"""The words of the house as frozen data: Claim, Parameter, Fact, Step, Twin, Statement, Verdict.

No algorithm lives here: engines read these records and write :class:`Verdict`; front doors print them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NoReturn

from boundcheck.formula import Relation, free_names, parse_relations


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


@dataclass(frozen=True)
class Claim:
    """A scalar assertion: for all reals (integers where named) that satisfy ``where``, all of ``claim`` holds."""

    name: str
    claim: tuple[Relation, ...]
    where: tuple[Relation, ...] = ()
    integers: frozenset[str] = frozenset()

    @classmethod
    def read(
        cls, claim: str, where: tuple[str, ...] | list[str] = (), integers: tuple[str, ...] = (), name: str = "claim"
    ) -> Claim:
        """A claim from formula texts; raises :class:`boundcheck.formula.FormulaError`."""
        conditions = tuple(r for w in where for r in parse_relations(w))
        return cls(name, parse_relations(claim), conditions, frozenset(integers))

    @property
    def variables(self) -> tuple[str, ...]:
        """The free variables, sorted."""
        return tuple(sorted(free_names((*self.claim, *self.where))))

    def __str__(self) -> str:
        head = " and ".join(map(str, self.claim))
        return head + (" where " + ", ".join(map(str, self.where)) if self.where else "")


@dataclass(frozen=True)
class Verdict:
    """What is known of one claim, step or statement, and why.

    ``slack`` is a bracket (low, high) of inf claimed/true: low certified, high from an instance; either
    end may be None. ``witness`` maps variables to decimal or "a/b" texts. ``certificate`` is JSON-able
    data for :func:`boundcheck.certificate.verify`. ``reason`` says in one line why it is so.
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

    def __bool__(self) -> NoReturn:
        raise TypeError(f"a verdict ({self.status}) has no truth value: compare .status with a Status")
