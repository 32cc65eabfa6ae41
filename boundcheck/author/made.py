"""What became of a proof: the statement with its steps, and what was found for each of its lines."""

from __future__ import annotations

from dataclasses import dataclass

from boundcheck.author.source import Place
from boundcheck.kernel.statement import Statement


@dataclass(frozen=True)
class Found:
    """What became of one line: its kind of reason ("" where none was found), its steps, the seconds of its search."""

    place: Place
    text: str
    kind: str
    steps: int
    seconds: float
    hint: int = 0  #: words of the author's hint
    fault: str = ""


@dataclass(frozen=True)
class Mark:
    """Which steps a line became: ``first`` to ``last``; ``key`` is what the line says, without its place.

    ``seconds`` of processor time took the search that found them, however often they were taken over since.
    """

    key: str
    first: int
    last: int
    kind: str
    seconds: float


@dataclass(frozen=True)
class Miss:
    """A search that found nothing, and why; ``key`` is all that it depends on."""

    key: str
    fault: str


@dataclass(frozen=True)
class Elaboration:
    """The statement with its proof in records, and what was found for each line."""

    statement: Statement
    lines: tuple[Found, ...]
    marks: tuple[Mark, ...] = ()
    misses: tuple[Miss, ...] = ()

    @property
    def faults(self) -> tuple[Found, ...]:
        """The lines for which no reason was found."""
        return tuple(f for f in self.lines if f.fault)
