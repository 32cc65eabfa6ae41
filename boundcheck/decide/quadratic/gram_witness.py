"""Counterexamples to claims about free vectors as a search makes them: what the claim's equations give is put in.

A search works with the names that equations leave (:attr:`FormProblem.solved`), and may leave the values of functions
open. What it finds counts as :func:`boundcheck.decide.quadratic.witness.check_witness` says.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from flint import fmpq

from boundcheck.decide.quadratic.witness import Point, check_witness
from boundcheck.kernel.check.poly import fraction
from boundcheck.kernel.check.quadratic import FormProblem, solved_for
from boundcheck.kernel.check.ratios import Ratio
from boundcheck.kernel.formula import Expr, is_opaque, num, parse, substitute, text
from boundcheck.kernel.statement import GramClaim

_FOLDED: dict[str, Callable[..., Expr]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "pow": operator.pow,
    "neg": operator.neg,
}  # fmt: skip
_CHOSEN: dict[str, Callable[..., Fraction]] = {"max": max, "min": min, "abs": abs}


@dataclass(frozen=True)
class Counterexample:
    """Exact texts: parameters, coordinates of the vectors, levels."""

    parameters: dict[str, str]
    vectors: dict[str, tuple[str, ...]]
    levels: dict[str, str]

    def flat(self) -> dict[str, str]:
        """One text for each name, vectors as lists."""
        return {**self.parameters, **{v: json.dumps(list(c)) for v, c in self.vectors.items()}, **self.levels}

    @classmethod
    def read(cls, flat: Mapping[str, str], vectors: Iterable[str]) -> Counterexample:
        """What :meth:`flat` made; a name with parentheses is a level."""
        known = {v: tuple(json.loads(flat[v])) for v in vectors if v in flat}
        rest = {k: v for k, v in flat.items() if k not in known}
        levels = {k: v for k, v in rest.items() if "(" in k}
        return cls({k: v for k, v in rest.items() if k not in levels}, known, levels)


def accepted(
    claim: GramClaim,
    p: FormProblem,
    parameters: Mapping[str, str],
    vectors: Mapping[str, tuple[str, ...]],
    levels: Mapping[str, str],
) -> Counterexample | None:
    """The counterexample with what equations give, if the kernel accepts it."""
    try:
        found = _whole(claim, p, parameters, vectors, levels)
    except (ValueError, ArithmeticError, KeyError):
        return None
    return None if check_witness(claim, found.parameters, found.vectors, found.levels) is None else found


def lengths(claim: GramClaim) -> set[str]:
    """The declared names that stand alone as numbers."""

    def bare(e: Expr) -> set[str]:
        if e.op == "var":
            return {e.value} & set(claim.vectors)
        return set() if is_opaque(e) else set().union(*map(bare, e.args))

    relations = (r for r in (claim.goal, *claim.hypotheses) if solved_for(r, claim.vectors) is None)
    return set().union(*(bare(side) for r in relations for side in r.sides))


def _whole(
    claim: GramClaim,
    p: FormProblem,
    parameters: Mapping[str, str],
    vectors: Mapping[str, tuple[str, ...]],
    levels: Mapping[str, str],
) -> Counterexample:
    numbers, coordinates = {n: parse(v) for n, v in parameters.items()}, dict(vectors)
    for name, term in reversed(p.solved):
        for other in term.free - numbers.keys() - coordinates.keys():
            numbers[other] = num(1)  # it stands nowhere else
        if name in claim.vectors:
            point = Point({n: str(v) for n, v in numbers.items()}, coordinates, {})
            coordinates[name] = tuple(str(at_values(c, {})) for c in _vector(point, term))
        else:
            numbers[name] = at_values(term, numbers)
    values: dict[str, str] = {}
    for level in _levels(side for r in (claim.goal, *claim.hypotheses, *claim.where) for side in r.sides):
        value = level
        for name, term in p.solved:
            value = substitute(value, {name: term})
        values[text(level)] = text(value)
    order = list(levels)
    named = sorted(values.items(), key=lambda pair: order.index(pair[1]) if pair[1] in levels else len(order))
    chosen = {name: levels.get(own, "0") for name, own in named}
    return Counterexample({n: str(v) for n, v in numbers.items()}, coordinates, chosen)


def _levels(terms: Iterable[Expr]) -> Iterator[Expr]:
    for e in terms:
        if is_opaque(e) and e.op not in ("norm", "dot"):
            yield e
        else:
            yield from _levels(e.args)


def _vector(point: Point, term: Expr) -> tuple[Expr, ...]:
    try:
        return point.vector(term)
    except (ValueError, KeyError):  # a length
        return (point.number(term), *[num(0)] * (point.dimension - 1))


def values_of(p: FormProblem, parameters: Mapping[str, Fraction]) -> Callable[[Ratio], Fraction]:
    """The values of rational functions at these parameters. Raises KeyError where roots occur."""
    places = [fmpq(parameters[n].numerator, parameters[n].denominator) for n in p.field.names]

    def value(r: Ratio) -> Fraction:
        above, below = (
            fraction(q(*places) if places else fmpq(0) if q.is_zero() else q.leading_coefficient())
            for q in (r.num, r.den)
        )
        return above / below

    return value


def inner(vectors: Mapping[str, list[Fraction]], key: tuple[str, ...]) -> Fraction:
    """The inner product that a key of a form stands for."""
    return sum((a * b for a, b in zip(vectors[key[1]], vectors[key[2]], strict=True)), Fraction(0))


def at_values(e: Expr, values: Mapping[str, Expr]) -> Expr:
    """``e`` at these values of parameters, with every operation on rational numbers done where its value is one."""
    if e.op == "var":
        return values.get(e.value, e)
    if e.op == "at" or not e.args:
        return e
    args = tuple(at_values(a, values) for a in e.args)
    plain = [a.value for a in args if a.op == "num"]
    if len(plain) == len(args):
        if e.op in _FOLDED:
            return _FOLDED[e.op](*args)
        if e.op in _CHOSEN:
            return num(_CHOSEN[e.op](*plain))
        if e.op == "sqrt" and plain[0] >= 0:
            root = Fraction(isqrt(plain[0].numerator), isqrt(plain[0].denominator))
            if root * root == plain[0]:
                return num(root)
    return Expr(e.op, args, e.value)
