"""The worst law against a bound: parameters at which the extremal law exceeds it, and how close the others come.

A violation counts only where balls separate supremum and bound at a rational point and an independent quadrature of
the extremal law's survival function confirms it. Nothing is proved here: that is the business of the steps.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from boundcheck.decide.worst_case.extremal_law import InfiniteSupremum, WorstLaw
from boundcheck.decide.worst_case.worst_values import (
    describe,
    evaluate,
    extremal_at,
    lower_bound_by_quadrature,
    supremum,
    truth,
    value_at,
)
from boundcheck.kernel.clock import passed, seconds_used
from boundcheck.verdict import Status, Verdict

#: Values tried for a parameter in the search for witnesses and instances: ends, mid-range, huge.
TRIED = (
    *(Fraction(k, 20) for k in (1, 2, 10, 15, 20, 21, 22, 25, 30, 35, 38, 40, 60, 80, 100, 160, 320)),
    *(Fraction(10) ** k for k in (-3, 2, 3, 6, 30, 100, 300)),
)
CANDIDATES = 4000  #: points drawn from TRIED
INSTANCES = 24  #: points of the domain evaluated


def decide_worst_law(problem: WorstLaw, seconds: float = 10.0) -> Verdict:
    """REFUTED with parameters and the extremal law, or UNDECIDED with the least slack met, that is bound/supremum."""
    begun, high, reason = seconds_used(), math.inf, "no point of the domain was tried"
    for point in _points(problem, begun + seconds / 4):
        try:
            found = evaluate(problem, point).slack_high
            refuted = _refutation(problem, point, found)
            high = min(high, found)
        except InfiniteSupremum as fault:
            refuted = _infinite(problem, point, str(fault))
        except ValueError as fault:  # no value here
            reason = str(fault)
            continue
        if refuted is not None:
            return replace(refuted, seconds=seconds_used() - begun)
    told = reason if high == math.inf else "no law tried exceeds the bound"
    slack = None if high == math.inf else (None, high)
    return Verdict(problem.name, Status.UNDECIDED, "worst law", slack, reason=told, seconds=seconds_used() - begun)


def _refutation(problem: WorstLaw, point: Mapping[str, Fraction], high: float) -> Verdict | None:
    """REFUTED if the slack, at most ``high``, is below 1 and the quadrature of the extremal law says so; else None."""
    if not high < 1:
        return None
    value, bound = lower_bound_by_quadrature(problem, point), value_at(problem.bound, point)
    if not value > bound:
        return None
    law, witness = str(extremal_at(problem, point)), {name: str(value) for name, value in point.items()}
    certificate = {
        "kind": "worst law",
        "witness": witness,
        "law": law,
        "expectation": value.str(20, radius=False),
        "bound": bound.str(20, radius=False),
    }
    reason = f"at {describe(point)} the law {law} has E k >= {value.str(8)} > {bound.str(8)}"
    return Verdict(problem.name, Status.REFUTED, "worst law", (None, high), witness, certificate, reason)


def _infinite(problem: WorstLaw, point: Mapping[str, Fraction], violated: str) -> Verdict | None:
    """REFUTED where the supremum is infinite, if the bound is a number there."""
    try:
        value_at(problem.bound, point)
    except ValueError:
        return None
    witness = {name: str(value) for name, value in point.items()}
    certificate = {"kind": "worst law", "violates": violated}
    reason = f"the supremum is infinite at {describe(point)}, where {violated} fails"
    return Verdict(problem.name, Status.REFUTED, "worst law", None, witness, certificate, reason)


def _points(problem: WorstLaw, stop: float) -> Iterator[dict[str, Fraction]]:
    """Points of the domain, then those met by a coordinate search over TRIED for a small bound/supremum."""
    points = sorted(itertools.islice(_domain_points(problem), INSTANCES), key=_size)
    yield from points

    def ratio(point: dict[str, Fraction]) -> float:
        try:
            return float(value_at(problem.bound, point) / supremum(problem, point))
        except ValueError:  # outside of the domain, or no value here
            return math.inf

    best = min(points, key=ratio, default=None)
    for name in problem.parameters * 2:
        if best is None or ratio(best) == math.inf or passed(stop):
            return
        fixed = best
        best = min(({**fixed, name: value} for value in TRIED), key=ratio)
        yield best


def _size(point: Mapping[str, Fraction]) -> float:
    """How far from 1 the values are, in decades: a small witness is easier to read."""
    return sum(abs(math.log10(value)) for value in point.values())


def _domain_points(problem: WorstLaw) -> Iterator[dict[str, Fraction]]:
    """Rational points that satisfy every hypothesis, from TRIED, in a fixed random order."""
    rng = random.Random(20240229)
    seen = set()
    for _ in range(CANDIDATES):
        point = {name: rng.choice(TRIED) for name in problem.parameters}
        key = tuple(point.values())
        if key not in seen and all(truth(r, point) is True for r in problem.where):
            seen.add(key)
            yield point
