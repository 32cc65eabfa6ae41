"""A statement by two routes: its proof step by step, and, where it is about all laws with a tail, the worst law.

The routes share no reasoning. The worst law proves nothing: it gives the statement's slack and refutes what the steps
leave open; if it refutes what the steps prove, one of them is wrong and :class:`Disagreement` is raised.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import chain, islice, product

from boundcheck.decide.statements import Lookup, decide_statement
from boundcheck.decide.worst_case import worst_directional
from boundcheck.decide.worst_case.extremal_law import WorstLaw
from boundcheck.decide.worst_case.worst_directional import DirectionalTail, Part
from boundcheck.decide.worst_case.worst_law import decide_worst_law
from boundcheck.decide.worst_case.worst_values import describe, truth
from boundcheck.kernel.statement import Statement
from boundcheck.verdict import Status, Verdict

Problem = WorstLaw | DirectionalTail
#: Values tried for the parameters of a directional tail: ends, mid-range, far out.
_TRIED = "1e-9 1e-3 1 1.001 1.01 1.25 1.5 1.75 2 3 5 10 100"
TRIED = tuple(map(Fraction, _TRIED.split()))
CORNERS = tuple(map(Fraction, ["1", "1.001", "2"]))
CANDIDATES = 20_000  #: points drawn from TRIED
INSTANCES = 120  #: points of the domain evaluated; a twelfth of that for the total, whose law is an integral


class Disagreement(RuntimeError):
    """Two routes to one statement contradict each other: one of them is wrong."""


def decide_whole(
    statement: Statement,
    problem: Problem | None,
    lookup: Lookup,
    seconds: float = 10.0,
    slack_seconds: float = 2.0,
) -> Verdict:
    """The verdict of :func:`decide_statement`, joined with that of the statement's extremal ``problem``.

    The slack is inf over the domain of bound/supremum, [1 if the statement is proved, an instance]. Raises
    :class:`Disagreement`.
    """
    own = decide_statement(statement, lookup, seconds, slack_seconds)
    if problem is None:
        return own
    if isinstance(problem, WorstLaw):
        other = decide_worst_law(problem, seconds)
    else:
        other = _instances(problem)
    return joined(own, other)


def joined(own: Verdict, other: Verdict) -> Verdict:
    """The verdict of the steps completed by that of the worst law. Raises :class:`Disagreement`."""
    total = own.seconds + other.seconds
    if other.status is Status.REFUTED:
        if own.status is Status.PROVED:
            raise Disagreement(f"{own.name}: proved step by step, but refuted by the worst law: {other.reason}")
        holds = own.as_used is not None and own.as_used.status in (Status.PROVED, Status.CITED)
        return replace(
            own,
            status=Status.REPAIRED if holds else Status.REFUTED,
            method="worst law",
            slack=other.slack,
            witness=other.witness,
            certificate=other.certificate,
            reason=other.reason,
            seconds=total,
        )
    high = other.slack[1] if other.slack else None
    slack = None if high is None else (1.0 if own.status is Status.PROVED else None, high)
    return replace(own, slack=slack, seconds=total)


def _instances(problem: DirectionalTail) -> Verdict:
    """REFUTED where a law of the class exceeds the bound in balls, else UNDECIDED with the least slack met."""
    high = math.inf
    count = INSTANCES if problem.part is not Part.TOTAL else INSTANCES // 12
    for point in islice(_points(problem), count):
        try:
            found = worst_directional.evaluate(problem, point)
        except (ArithmeticError, ValueError):  # no value here: another point may have one
            continue
        if found.slack_high < 1:
            witness = {name: str(value) for name, value in point.items()}
            reason = (
                f"at {describe(point)} the {problem.part} part with the Pareto norm (linear f) exceeds the level with "
                f"probability >= {float(found.exact_low.lower()):.6g} > {found.bound:.6g}"
            )
            return Verdict(problem.name, Status.REFUTED, "worst law", (None, found.slack_high), witness, reason=reason)
        high = min(high, found.slack_high)
    slack = None if high == math.inf else (None, high)
    return Verdict(problem.name, Status.UNDECIDED, "worst law", slack, reason="no law tried exceeds the bound")


def _points(problem: DirectionalTail) -> Iterator[dict[str, Fraction]]:
    """Points of the domain, d an integer: corners with hardly any remainder, then TRIED in a fixed random order."""
    rng = random.Random(20240301)
    whole = [v for v in TRIED if v.denominator == 1]
    seen: set[tuple[Fraction, ...]] = set()
    small = problem.remainder.free
    corners = product(*((TRIED[:1] if n in small else CORNERS) for n in problem.parameters))
    drawn = (
        [rng.choice(whole if n in problem.d.free else TRIED) for n in problem.parameters] for _ in range(CANDIDATES)
    )
    for values in chain(corners, drawn):
        point = dict(zip(problem.parameters, values, strict=True))
        if any(point[n].denominator != 1 for n in problem.d.free):
            continue
        key = tuple(point.values())
        if key not in seen and all(truth(r, point) is True for r in problem.where):
            seen.add(key)
            yield point
