"""The worst-law engine: "for every real Z with this tail, E k(|Z|) <= bound" decided through the extremal law.

The supremum over the class is a closed form on each region of the parameters (:mod:`extremal_law`),
so the assertion is equivalent to scalar claims "supremum <= bound", one a region, which the scalar engines
decide. A violation counts only where balls separate supremum and bound at a rational point and an
independent quadrature of the extremal law's survival function confirms it.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from boundcheck.decide import decide
from boundcheck.decide.scalar.homogeneous import scales
from boundcheck.decide.worst_case.extremal_law import Analysis, Region, T, WorstLaw, analyse
from boundcheck.decide.worst_case.worst_values import (
    Evaluation,
    describe,
    evaluate,
    lower_bound_by_quadrature,
    matching,
    same,
    slack,
    supremum,
    truth,
    value_at,
)
from boundcheck.kernel.check.poly import ONE, to_expr
from boundcheck.kernel.check.refine import refine
from boundcheck.kernel.check.sequent import Refused, Sequent
from boundcheck.kernel.clock import passed, seconds_used
from boundcheck.kernel.enclosure.intervals import positive
from boundcheck.kernel.formula import Expr, Relation, substitute, var
from boundcheck.kernel.statement import Claim
from boundcheck.verdict import Status, Verdict

__all__ = ["Evaluation", "decide_worst_law", "evaluate", "slack", "supremum"]

Prover = Callable[[Claim, float], Verdict]
#: Values tried for a parameter in the search for witnesses and instances: ends, mid-range, huge.
TRIED = (
    *(Fraction(k, 20) for k in (1, 2, 10, 15, 20, 21, 22, 25, 30, 35, 38, 40, 60, 80, 100, 160, 320)),
    *(Fraction(10) ** k for k in (-3, 2, 3, 6, 30, 100, 300)),
)
CANDIDATES = 4000  #: points drawn from TRIED
INSTANCES = 24  #: points of the domain evaluated


@dataclass
class _Work:
    """One decision in progress: the clock, the prover and the certificates collected."""

    problem: WorstLaw
    prover: Prover
    deadline: float
    parts: list[dict[str, Any]]

    def prove(self, relation: Relation, where: tuple[Relation, ...], why: str) -> Verdict:
        left = self.deadline - seconds_used()
        claim = Claim(f"{self.problem.name}: {why}", (relation,), where)
        if left <= 0:
            return Verdict(claim.name, Status.UNDECIDED, reason="time ran out")
        verdict = self.prover(claim, left)
        if verdict.status is Status.PROVED:
            self.parts.append({"why": why, "claim": str(claim), "certificate": verdict.certificate})
        return verdict


def decide_worst_law(problem: WorstLaw, seconds: float = 10.0, prover: Prover | None = None) -> Verdict:
    """PROVED, REFUTED with parameters and the extremal law, or UNDECIDED with the region that is open.

    ``prover`` decides scalar claims (default :func:`boundcheck.decide.decide`). The slack bracket is
    inf over the domain of bound/supremum: 1 below where proved, an evaluated instance above.
    """
    begun = seconds_used()
    work = _Work(problem, prover or decide, begun + seconds, [])
    verdict = _decide(work)
    return Verdict(
        problem.name,
        verdict.status,
        "worst law",
        verdict.slack,
        verdict.witness,
        verdict.certificate,
        verdict.reason,
        seconds_used() - begun,
        steps=verdict.steps,
    )


def _undecided(work: _Work, reason: str, steps: tuple[Verdict, ...] = ()) -> Verdict:
    return Verdict(work.problem.name, Status.UNDECIDED, reason=reason, steps=steps)


def _decide(work: _Work) -> Verdict:
    problem = work.problem
    try:
        analysis = analyse(problem)
    except ValueError as fault:
        return _undecided(work, str(fault))
    for r in analysis.conditions:
        verdict = work.prove(r, problem.where, "side condition")
        if verdict.status is not Status.PROVED:
            return _undecided(work, f"the extremal law needs {r}, not proved: {verdict.reason}", (verdict,))
    points = sorted(itertools.islice(_domain_points(problem), INSTANCES), key=_size)
    infinite = _infinite(work, analysis, points)
    if infinite is not None:
        return infinite
    high: float | None = None
    for point in _lower_slacks(work, points):
        try:
            found = evaluate(problem, point)
        except ValueError:  # the bound has no value here
            continue
        if found.slack_high < 1 and (confirmed := _refutation(work, point)) is not None:
            return confirmed
        high = found.slack_high if high is None else min(high, found.slack_high)
    return _regions(work, analysis, high)


def _infinite(work: _Work, analysis: Analysis, points: list[dict[str, Fraction]]) -> Verdict | None:
    """UNDECIDED or REFUTED if the supremum is not proved to be finite, else None."""
    problem = work.problem
    for r in analysis.finite:
        verdict = work.prove(r, problem.where, "finite supremum")
        if verdict.status is Status.PROVED:
            continue
        for point in points:
            if truth(r, point) is False and _is_defined(problem, point):
                witness = {name: str(value) for name, value in point.items()}
                (region, *_) = matching(analysis.regions, point)
                reason = f"the supremum is infinite at {describe(point)}, where {r} fails; law: {region.law}"
                certificate = {"kind": "worst law", "violates": str(r), "law": str(region.law)}
                return Verdict(problem.name, Status.REFUTED, witness=witness, certificate=certificate, reason=reason)
        return _undecided(work, f"a finite supremum needs {r}, not proved: {verdict.reason}", (verdict,))
    return None


def _is_defined(problem: WorstLaw, point: Mapping[str, Fraction]) -> bool:
    try:
        value_at(problem.bound, point)
    except ValueError:
        return False
    return True


def _refutation(work: _Work, point: Mapping[str, Fraction]) -> Verdict | None:
    """REFUTED if the quadrature of the extremal law at ``point`` exceeds the bound, else None."""
    problem = work.problem
    bound = value_at(problem.bound, point)
    value = lower_bound_by_quadrature(problem, point)
    if not value > bound:
        return None
    (region, *_) = matching(analyse(problem).regions, point)
    law = str(region.law.put(region.given))
    witness = {name: str(value) for name, value in point.items()}
    certificate = {
        "kind": "worst law",
        "witness": witness,
        "law": law,
        "expectation": value.str(20, radius=False),
        "bound": bound.str(20, radius=False),
    }
    reason = f"at {describe(point)} the law {law} has E k >= {value.str(8)} > {bound.str(8)}"
    high = evaluate(problem, point).slack_high
    return Verdict(
        problem.name, Status.REFUTED, slack=(None, high), witness=witness, certificate=certificate, reason=reason
    )


def _regions(work: _Work, analysis: Analysis, high: float | None) -> Verdict:
    problem = work.problem
    steps: list[Verdict] = []
    loose = _Cover(work)
    kept = [region for region in analysis.loose if not loose.drops(region)]
    kept = [loose.short(region) for region in kept]
    if not kept or any(_claim(work, region, "upper bound").status is not Status.PROVED for region in kept):
        cover = _Cover(work)
        for region in analysis.regions:
            if cover.drops(region):
                continue
            verdict = _claim(work, cover.short(region), "supremum")
            steps.append(verdict)
            if verdict.status is Status.REFUTED and verdict.witness is not None:
                point = {k: Fraction(v) for k, v in verdict.witness.items() if k in problem.parameters}
                point |= {k: e.value for k, e in region.given.items() if e.op == "num"}
                if set(problem.parameters) <= point.keys() and (confirmed := _refutation(work, point)) is not None:
                    return confirmed
            if verdict.status is not Status.PROVED:
                where = ", ".join(map(str, region.where))
                return _undecided(work, f"open where {where}: {verdict.reason}", tuple(steps))
    low = 1.0
    certificate = {
        "kind": "worst law",
        "class": f"P(abs(Z) > {T}) <= {problem.tail_class.tail} for {T} >= {problem.tail_class.threshold}",
        "kernel": problem.kernel.name,
        "bound": str(problem.bound),
        "laws": sorted({str(r.law) for r in analysis.regions}),
        "parts": work.parts,
    }
    reason = "the extremal law attains the supremum, and the supremum is at most the bound on every region"
    return Verdict(
        problem.name, Status.PROVED, slack=(low, high), certificate=certificate, reason=reason, steps=tuple(steps)
    )


def _opposite(r: Relation) -> Relation:
    return Relation(">=" if r.op == "<=" else "<=", r.lhs, r.rhs)


class _Cover:
    """Which regions of a cover the domain makes superfluous.

    A region with a strict relation is empty where its negation always holds. Where e >= 0 always holds, a region
    with e <= 0 lives on e == 0, which its neighbour with e >= 0 holds as well (regions are closed and overlap);
    so of two opposite relations at most one is ever dropped.
    """

    def __init__(self, work: _Work):
        self.work = work
        self.dropped: dict[Relation, bool] = {}

    def drops(self, region: Region) -> bool:
        return any(self._superfluous(r) for r in region.where if r not in self.work.problem.where)

    def short(self, region: Region) -> Region:
        """The region without relations that always hold: those whose opposite was dropped."""
        always = [r for r in region.where if r.op in ("<=", ">=") and self.dropped.get(_opposite(r), False)]
        where = tuple(dict.fromkeys(r for r in region.where if r not in always or r in self.work.problem.where))
        return replace(region, where=where)

    def _superfluous(self, r: Relation) -> bool:
        if r not in self.dropped:
            opposite = _opposite(r) if r.op in ("<=", ">=") else None
            wanted = r.negated() if opposite is None else opposite
            proved = opposite is None or not self.dropped.get(opposite, False)
            self.dropped[r] = proved and self._proved(wanted)
        return self.dropped[r]

    def _proved(self, wanted: Relation) -> bool:
        where = self.work.problem.where
        return wanted in where or self.work.prove(wanted, where, "empty region").status is Status.PROVED


def _claim(work: _Work, region: Region, why: str) -> Verdict:
    problem = work.problem
    bound = substitute(problem.bound, dict(region.given))
    if not problem.strict and same(bound, region, problem.where):
        work.parts.append({"why": why, "identity": f"{region.supremum} == {bound}"})
        return Verdict(problem.name, Status.PROVED, method="identity", reason="the bound is the supremum")
    relation = Relation("<" if problem.strict else "<=", region.supremum, bound)
    unit, simpler = _simpler(Sequent(region.where, relation))
    verdict = work.prove(simpler.goal, simpler.hyps, why)
    if unit and verdict.status is Status.PROVED:
        work.parts[-1]["scaled from"] = f"{relation} where {', '.join(map(str, region.where))}"
    return replace(verdict, witness=verdict.witness and {**verdict.witness, **dict.fromkeys(unit, "1")})


def _simpler(seq: Sequent) -> tuple[tuple[str, ...], Sequent]:
    """One parameter set to 1, by the verifier's rule, both sides over the powers of the right side's first term."""
    for node in scales(seq):
        with contextlib.suppress(Refused):
            (left,) = refine(node, seq)
            return (node["unit"],), Sequent(left.hyps, _divided(left), left.integers)
    return (), seq


def _divided(seq: Sequent) -> Relation:
    """Both sides divided; logarithms stay as they are written."""
    logs: dict[str, Expr] = {}

    def hidden(e: Expr) -> Expr:
        if e.op == "log":
            return var(next(n for n in (f"log{k}_" for k in range(99)) if logs.setdefault(n, e) is e))
        return Expr(e.op, tuple(map(hidden, e.args)), e.value)

    goal = seq.goal.map(hidden)
    first = min(seq.algebra.normal(goal.rhs).num, key=str)
    known = tuple((a, x) for a, x in first if a.value in seq.variables and positive((seq.box or {})[a.value], True))
    powers = to_expr({known: ONE[()]})
    return goal.map(lambda side: substitute(seq.algebra.normal(side / powers).expr(), logs))


def _lower_slacks(work: _Work, points: list[dict[str, Fraction]]) -> Iterator[dict[str, Fraction]]:
    """The points, then those met by a coordinate search over TRIED for a small bound/supremum; untrusted."""
    yield from points
    problem = work.problem

    def ratio(point: dict[str, Fraction]) -> float:
        if not all(truth(r, point) is True for r in problem.where):
            return math.inf
        try:
            return float(value_at(problem.bound, point) / supremum(problem, point))
        except ValueError:  # no value here
            return math.inf

    stop = seconds_used() + (work.deadline - seconds_used()) / 4
    best = min(points, key=ratio, default=None)
    for name in problem.parameters * 2:
        if best is None or passed(stop):
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
