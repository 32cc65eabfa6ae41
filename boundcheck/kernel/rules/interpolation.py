"""Classes of functions and operators as the inequalities that their values at finitely many points satisfy.

Trusted data, like the rule schemas: ``classes.rules`` has the texts and their sources.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from boundcheck.kernel.rules.rule_reader import RuleTextError, paragraphs, undeclared


@dataclass(frozen=True)
class Class:
    """One class; ``parameters`` are the names in its parentheses, ``conditions`` the relations that they satisfy.

    ``pairs`` hold for every ordered pair of different points, ``singles`` at every point. ``operator`` says that a
    member has no values u, v, ``differentiable`` that it has one gradient at each point. A parameter in ``points`` is
    a point of the method. ``exact`` is up to how many points the inequalities are also sufficient, i.e. some member of
    the class (on a space of large enough dimension) takes these values: up to there a counterexample to the
    inequalities is one to the class; None: for any number of points.
    """

    name: str
    parameters: tuple[str, ...]
    source: str
    pairs: tuple[str, ...] = ()
    singles: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    operator: bool = False
    differentiable: bool = False
    exact: int | None = None
    points: tuple[str, ...] = ()

    @property
    def of_a_set(self) -> bool:
        """Whether a member is the indicator of a set: its value is 0 wherever it has one."""
        return "u == 0" in self.singles


def read_classes(path: Path) -> dict[str, Class]:
    """The classes of a file by name, in its order. Raises :class:`RuleTextError`."""
    classes: dict[str, Class] = {}
    words = ("for", "is", "with", "pairs", "singles", "source:")
    for name, (place, clauses) in paragraphs([path], words).items():
        declared, kind, conditions, pairs, singles, (source,) = (clauses.get(word, ()) for word in words)
        parameters = tuple(p.removeprefix("point ") for p in declared)
        points = tuple(p.removeprefix("point ") for p in declared if p.startswith("point "))
        exact = [int(m[1]) for k in kind if (m := re.fullmatch(r"exact for (\d+) points", k))]
        operator, differentiable = "an operator" in kind, "differentiable" in kind
        if len(kind) != operator + differentiable + len(exact) or len(exact) > 1:
            raise RuleTextError(
                f"{place}: {name} is {'; '.join(kind)}; write: is an operator; differentiable; exact for NUMBER points"
            )
        here = {*parameters, *("xg" if operator else "xgu"), "value"}
        for texts, known in (
            (conditions, {*parameters}),
            (singles, here),
            (pairs, here.union("yh", "" if operator else "v")),
        ):
            for told in (undeclared(text, known) for text in texts):
                if told:
                    raise RuleTextError(f"{place}: {name}: {told}")
        first = exact[0] if exact else None
        more = (operator, differentiable, first, points)
        classes[name] = Class(name, parameters, source, pairs, singles, conditions, *more)
    return classes


CLASSES = read_classes(Path(__file__).with_name("classes.rules"))
