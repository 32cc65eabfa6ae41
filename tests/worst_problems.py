"""Extremal problems from texts."""

from __future__ import annotations

from collections.abc import Sequence

from boundcheck.decide.worst_case.extremal_law import Kernel, TailClass, WorstLaw
from boundcheck.decide.worst_case.worst_directional import DirectionalTail, Part
from boundcheck.kernel.formula import Relation, parse, parse_relations


def tails(threshold: str, tail: str) -> TailClass:
    return TailClass(parse(threshold), parse(tail))


def worst(name: str, given: TailClass, kernel: Kernel, bound: str, where: Sequence[str] = ()) -> WorstLaw:
    return WorstLaw(name, given, kernel, parse(bound), relations(where))


def directional(
    name: str, part: str, level: str, bound: str, where: Sequence[str], **formulas: str
) -> DirectionalTail:
    """``formulas``: d, p, sigma, gradient, remainder."""
    rest = {key: parse(text) for key, text in formulas.items()}
    return DirectionalTail(name, Part(part), parse(level), parse(bound), relations(where), **rest)


def relations(where: Sequence[str]) -> tuple[Relation, ...]:
    return tuple(r for w in where for r in parse_relations(w))
