"""What a rule schema is: conclusion, premises, side conditions, and what its metavariables may not mention."""

from __future__ import annotations

from dataclasses import dataclass

from boundcheck.kernel.rules.schema import Derived, Implies, facts
from boundcheck.kernel.statement import Fact


@dataclass(frozen=True)
class Rule:
    """A schema. ``names`` are its metavariables; bound names (such as t in an integral) are not among them."""

    name: str
    names: tuple[str, ...]
    conclusion: str
    premises: tuple[Fact, ...] = ()
    sides: tuple[Fact, ...] = ()  #: scalar relations that must hold on the step's domain
    implies: tuple[Implies, ...] = ()
    fixed: tuple[tuple[str, str], ...] = ()  #: (metavariable, name): its term may not mention that name
    only: tuple[tuple[str, str], ...] = ()  #: (metavariable, term): its random names are among those of the term
    whole: tuple[str, ...] = ()  #: metavariables (or names) whose values are integers
    derived: tuple[Derived, ...] = ()
    source: str = ""


__all__ = ["Derived", "Implies", "Rule", "facts"]
