"""What a proof in the notation says, as frozen records: chains of lines with hints, definitions, conclusions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from boundcheck.author.source import Place
from boundcheck.kernel.formula import Expr
from boundcheck.kernel.statement import Justification

BY, EXACTLY, SEARCH = "by", "exactly", ""
LABEL = r"(?:[a-z]+:|[A-Z][a-z]+-)[A-Za-z0-9_.:-]+"  #: of a statement: lem:own-name, or a bare one as Berst-thm


@dataclass(frozen=True)
class Item:
    """One thing that a hint names: a fact, a rule, a statement's label; a multiplier, values, a part, where it has."""

    name: str
    place: Place
    times: str = ""
    let: Mapping[str, str] = field(default_factory=dict)
    part: int | None = None
    as_used: bool = False

    @property
    def cites(self) -> bool:
        """Whether it names a statement, known or not."""
        return ":" in self.name or re.fullmatch(LABEL, self.name) is not None


@dataclass(frozen=True)
class Hint:
    """What stands after ``by`` (narrows the search), or after ``exactly`` (the whole reason: nothing is searched)."""

    word: str = SEARCH
    items: tuple[Item, ...] = ()
    let: Mapping[str, str] = field(default_factory=dict)
    exact: Justification | None = None
    case: str = ""  #: a condition: the line is proved where it holds and where it fails
    size: int = 0  #: words of the hint, for the count of what authors have to write


@dataclass(frozen=True)
class Range:
    """For which values a line holds: quantified names (with a sort where one is given) and conditions."""

    over: tuple[str, ...] = ()
    where: tuple[str, ...] = ()

    def and_(self, other: Range) -> Range:
        """Both ranges in one."""
        return Range(
            tuple(dict.fromkeys((*self.over, *other.over))), tuple(dict.fromkeys((*self.where, *other.where)))
        )


@dataclass(frozen=True)
class Link:
    """One relation of a chain: ``op term``, its own range and hint."""

    op: str
    term: Expr
    place: Place
    range: Range | None = None
    hint: Hint = Hint()
    remark: str = ""


@dataclass(frozen=True)
class Chain:
    """A first term and its links; ``name`` is that of the relation between the ends."""

    first: Expr
    links: tuple[Link, ...]
    place: Place
    range: Range = Range()
    name: str = ""
    role: str = ""  #: "printed" or "repaired" where a step of the paper does not hold as printed


@dataclass(frozen=True)
class Conclusion:
    """Which facts the claim number ``claim`` (from 1) follows from."""

    claim: int
    items: tuple[Item, ...]
    place: Place


Line = Chain | Conclusion
