"""What a rule schema is: typed metavariables, premises, side conditions, a conclusion.

Metavariables are declared as names are: ``X: random real; a, q: real; G(t): random real``. A metavariable without
``random`` stands for a constant. One that does not list a bound name in parentheses may not depend on it: capture is
wanted only where it is declared. ``t: bound`` is a metavariable for a bound name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

from boundcheck.kernel.proof.facts import quantified
from boundcheck.kernel.proof.sorts import INTEGER, KINDS, QUANTITY, REAL, SOURCE, Sort, SortError, read_sort
from boundcheck.kernel.statement import Fact


@dataclass(frozen=True)
class Implies:
    """Pointwise: wherever all events of ``given`` hold, ``then`` holds; ``~A`` is the complement of A."""

    given: tuple[str, ...]
    then: str


@dataclass(frozen=True)
class Derived:
    """Metavariable ``name`` is the term of ``source`` with ``value`` put for ``variable``.

    Both may themselves be metavariables.
    """

    name: str
    source: str
    variable: str
    value: str


@dataclass(frozen=True)
class Meta:
    """A declared metavariable: its sort, the bound names it may depend on; ``bound``: it stands for a bound name."""

    name: str
    sort: Sort
    on: tuple[str, ...] = ()
    bound: bool = False
    end: bool = False  #: a real constant or oo


@dataclass(frozen=True)
class Rule:
    """A schema. ``declared`` lists its metavariables; other bound names (such as t in an integral) are its own.

    In a file: ``[NAME] for DECLARED``, ``if`` premises, ``with`` what the other fields say, ``then CONCLUSION``,
    ``source: SOURCE``.
    """

    name: str
    declared: str
    conclusion: str
    premises: tuple[Fact, ...] = ()  #: facts that a step cites: ``P(A) <= q for integer t where t >= a, t <= b``
    sides: tuple[Fact, ...] = ()  #: scalar relations that must hold on the step's domain: ``W >= 0 where t >= a``
    implies: tuple[Implies, ...] = ()  #: ``C wherever A and ~B``, ``A everywhere``
    integrable: tuple[str, ...] = ()  #: terms whose mean must exist: ``X**q is integrable``
    converges: tuple[str, ...] = ()  #: integrals that must exist: ``integral(W, t, a, n) exists where n >= a``
    measurable: tuple[tuple[str, str], ...] = ()  #: (term, information): ``k*Y is known from V``
    only: tuple[tuple[str, str], ...] = ()  #: (metavariable, term): ``Q is random through X alone``
    derived: tuple[Derived, ...] = ()  #: ``QY = Q at y = Y``
    source: str = ""

    @cached_property
    def metas(self) -> dict[str, Meta]:
        """The metavariables by name. Raises :class:`SortError` for a declaration that cannot be read."""
        found: dict[str, Meta] = {}
        for group in filter(None, (g.strip() for g in self.declared.split(";"))):
            left, _, text = group.rpartition(": ")
            text = text.strip()
            for part in split(left):
                name, _, inside = part.partition("(")
                on = tuple(n.strip() for n in inside.rstrip(")").split(",")) if inside else ()
                if not name.isidentifier() or name in found:
                    raise SortError(f"{part!r} is no new metavariable; declare a name once")
                if text in ("bound", "end"):
                    found[name] = Meta(name, Sort("real"), on, text == "bound", text == "end")
                else:
                    found[name] = Meta(name, _sort(text), on)
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the metavariables."""
        return tuple(self.metas)

    @cached_property
    def bound_sorts(self) -> dict[str, Sort]:
        """The sorts of the names that the schema binds: in integrals, sums and families, and in its premises."""
        found: dict[str, Sort] = {n: Sort(REAL) for n, m in self.metas.items() if m.bound}
        for f in (Fact(self.conclusion), *self.premises, *self.sides):
            found |= quantified(f, found)
            for r in (f.relation, *f.conditions):
                for n in r.walk():
                    if n.binds:
                        integral = n.op in ("integral", "integrable")
                        found[str(n.args[1].value)] = Sort(REAL if integral else INTEGER)
        return found

    @cached_property
    def fixed_apart(self) -> frozenset[str]:
        """The bound names that premises hold for all of and side conditions speak of: arbitrary values there."""
        found = {n for p in self.premises for n in quantified(p, {})}
        for side in (*self.sides, *(f for _, f in self.existence if f is not None)):
            for r in (side.relation, *side.conditions):
                found |= r.free & self.bound_sorts.keys()
        return frozenset(found)

    @cached_property
    def existence(self) -> tuple[tuple[str, Fact | None], ...]:
        """The integrals that must exist, each with the condition under which it must."""
        parts = [text.partition(" if ") for text in self.converges]
        return tuple((term, Fact(condition) if condition else None) for term, _, condition in parts)


@cache
def _sort(text: str) -> Sort:
    return read_sort(text, (*KINDS, QUANTITY, SOURCE))


def split(text: str) -> list[str]:
    """The parts between commas outside of parentheses."""
    if "(" not in text:
        return [part.strip() for part in text.split(",")]
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            parts.append(text[start:i].strip())
            start = i + 1
    return [*parts, text[start:].strip()]
