"""Re-check of counterexamples to claims about quadratic forms: explicit rational vectors, in exact arithmetic.

Where square roots of numbers occur, in balls: there a relation holds only if its ball says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from flint import arb, fmpq
from flint import ctx as precision

from boundcheck.kernel.check.quadratic import Form, FormProblem, NotQuadratic, problem
from boundcheck.kernel.check.ratios import NotRational, Ratio
from boundcheck.kernel.formula import Expr, Relation
from boundcheck.kernel.statement import GramClaim

PRECISION = 128  #: bits of the balls


def check_witness(
    claim: GramClaim,
    parameters: Mapping[str, str],
    vectors: Mapping[str, tuple[str, ...]],
    levels: Mapping[str, str] | None = None,
) -> Fraction | None:
    """The value of the violated goal at explicit rational vectors, or None if it is no counterexample.

    Without ``levels`` (text of a level -> value) they are chosen so that every hypothesis that mentions one holds with
    equality; that choice must be possible, i.e. the goal's levels cancel with nonnegative multipliers of those
    hypotheses.
    """
    try:
        p = problem(claim)
        point = {n: fmpq(Fraction(v).numerator, Fraction(v).denominator) for n, v in parameters.items()}
        if set(p.field.names) - point.keys() - p.field.roots.keys():
            return None
        if p.field.roots:
            with precision.workprec(PRECISION):
                return None if levels is None else _in_balls(p, point, vectors, levels)
        places = [point[n] for n in p.field.names]

        def value(r: Ratio) -> Fraction:
            above, below = _evaluate(r.num, places), _evaluate(r.den, places)
            return above / below

        coordinates = {v: [Fraction(c) for c in cs] for v, cs in vectors.items()}
        for r in p.where:
            gap = _length(r, coordinates)
            if gap is None:
                gap = value(p.field.read(r.gap))
            ok = {"==": gap == 0, "!=": gap != 0}.get(r.op, gap > 0 if r.strict else gap >= 0)
            if not ok:
                return None
        dimension = max((len(c) for c in coordinates.values()), default=1)

        def form(f: Form) -> Fraction:
            total = Fraction(0)
            for k, c in f.items():
                if k[0] == "q":
                    a, b = (_vector(v, coordinates, dimension) for v in k[1:])
                    total += value(c) * sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))
            return total

        if levels is not None:
            if set(p.vectors) - coordinates.keys():
                return None
            return _at_levels(p, form, value, coordinates, {k: Fraction(v) for k, v in levels.items()})
        goal = form(p.goal)
        open_levels = {k: value(c) for k, c in p.goal.items() if k[0] == "l"}
        for h, given in zip(p.hypotheses, p.given, strict=True):
            own = {k: value(c) for k, c in h.items() if k[0] == "l"}
            small, large = (given.lhs, given.rhs) if given.op in ("<", "<=") else (given.rhs, given.lhs)
            if small.op == "norm" and not _bounds(p, large, value, coordinates):
                return None  # |X| <= c was read as |X|^2 <= c^2, and c may be negative here
            if not own:
                gap = form(h)
                if gap < 0 or (given.strict and gap == 0) or (given.op == "==" and gap != 0):
                    return None
                continue
            if given.strict:
                return None
            shared = next((k for k in own if k in open_levels), None)
            if shared is None:
                return None
            factor = open_levels[shared] / own[shared]
            if factor < 0 and given.op != "==":
                return None
            goal -= factor * form(h)
            known = open_levels.keys() | own
            open_levels = {k: open_levels.get(k, Fraction(0)) - factor * own.get(k, Fraction(0)) for k in known}
            open_levels = {k: c for k, c in open_levels.items() if c}
        return goal if goal < 0 and not open_levels else None
    except (ValueError, ArithmeticError, KeyError, NotQuadratic, NotRational):
        return None


def _at_levels(
    p: FormProblem,
    form: Callable[[Form], Fraction],
    value: Callable[[Ratio], Fraction],
    coordinates: Mapping[str, list[Fraction]],
    levels: Mapping[str, Fraction],
) -> Fraction | None:
    """As :func:`check_witness`, with the value of every level given."""

    def whole(f: Form) -> Fraction:
        return form(f) + sum((value(c) * levels[k[1]] for k, c in f.items() if k[0] == "l"), Fraction(0))

    for h, given in zip(p.hypotheses, p.given, strict=True):
        small, large = (given.lhs, given.rhs) if given.op in ("<", "<=") else (given.rhs, given.lhs)
        if small.op == "norm" and not _bounds(p, large, value, coordinates):
            return None
        gap = whole(h)
        if gap < 0 or (given.strict and gap == 0) or (given.op == "==" and gap != 0):
            return None
    goal = whole(p.goal)
    return goal if goal < 0 else None


def _in_balls(
    p: FormProblem, point: Mapping[str, fmpq], vectors: Mapping[str, tuple[str, ...]], levels: Mapping[str, str]
) -> Fraction | None:
    """As :func:`check_witness`, every root a ball: an upper bound of the goal, if all relations surely hold."""
    roots = p.field.roots
    places = [_ball(roots[n]).sqrt() if n in roots else arb(point[n]) for n in p.field.names]
    coordinates = {v: [Fraction(c) for c in cs] for v, cs in vectors.items()}
    dimension = max(map(len, coordinates.values()), default=1)

    def polynomial(q: Any) -> arb:
        total = arb(0)
        for powers, c in q.to_dict().items():
            term = arb(c)
            for x, k in zip(places, powers, strict=True):
                term = term * x ** int(k)
            total += term
        return total

    def value(r: Ratio) -> arb:
        return polynomial(r.num) / polynomial(r.den)

    def whole(f: Form) -> arb:
        total = arb(0)
        for k, c in f.items():
            if k[0] == "l":
                total += value(c) * _ball(Fraction(levels[k[1]]))
            else:
                a, b = (_vector(v, coordinates, dimension) for v in k[1:])
                total += value(c) * _ball(sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0)))
        return total

    def holds(op: str, gap: arb) -> bool:
        return bool({"==": gap == 0, "!=": gap != 0, "<": gap > 0, ">": gap > 0}.get(op, gap >= 0))

    if set(p.vectors) - coordinates.keys() or not all(holds(r.op, value(p.field.read(r.gap))) for r in p.where):
        return None
    for h, given in zip(p.hypotheses, p.given, strict=True):
        small, large = (given.lhs, given.rhs) if given.op in ("<", "<=") else (given.rhs, given.lhs)
        if small.op == "norm" and not _bounds(p, large, value, coordinates):
            return None
        if not holds(given.op, whole(h)):
            return None
    goal = whole(p.goal)
    return Fraction(float(goal.upper())) if goal < 0 else None


def _ball(q: Fraction) -> arb:
    return arb(fmpq(q.numerator, q.denominator))


def _length(r: Relation, coordinates: Mapping[str, list[Fraction]]) -> Fraction | None:
    """The gap of a relation such as B >= 0 between a length and a number; None for any other relation."""
    if r.lhs.op == "var" and r.lhs.value in coordinates and r.rhs.op == "num":
        first, *others = coordinates[r.lhs.value]
        if not any(others):
            difference = first - r.rhs.value
            return Fraction(-difference if r.op in ("<", "<=") else difference)
    return None


def _bounds(p: FormProblem, e: Expr, value: Callable[[Ratio], Any], coordinates: Mapping[str, list[Fraction]]) -> bool:
    """Whether ``e``, a multiple of a norm, a length or a number, is >= 0 at the witness."""
    if e.op == "norm":
        return True
    if e.op == "var" and e.value in coordinates:
        return coordinates[e.value][0] >= 0 and not any(coordinates[e.value][1:])
    if e.op in ("mul", "div") and e.free & coordinates.keys():
        return all(_bounds(p, a, value, coordinates) for a in e.args)
    return not e.free & coordinates.keys() and value(p.field.read(e)) >= 0


def _evaluate(p: Any, places: list[Any]) -> Fraction:
    q = p(*places) if places else (p.leading_coefficient() if not p.is_zero() else fmpq(0))
    return Fraction(int(q.p), int(q.q))


def _vector(name: str, coordinates: Mapping[str, list[Fraction]], dimension: int) -> list[Fraction]:
    found = coordinates.get(name, [Fraction(1)])  # the unit vector of lengths is the first axis
    return [*found, *[Fraction(0)] * (dimension - len(found))]
