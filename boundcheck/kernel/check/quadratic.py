"""Quadratic forms in free vectors, read from relations in the proof vocabulary.

Names that a claim declares as vectors are free elements of a Hilbert space; a declared name that stands alone in
a product (B**2) is a length, read as a vector along one fixed unit vector. What is proved for all vectors holds
for lengths too. Other opaque terms (values of functions) are levels: they enter linearly.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from boundcheck.kernel.check.ratios import Field, NotRational, Ratio, roots_of
from boundcheck.kernel.formula import Expr, Relation, has_opaque, is_opaque, num, signed_terms, substitute, text
from boundcheck.kernel.statement import GramClaim

UNIT = "1"  #: the fixed unit vector that carries constants and lengths
Key = tuple[str, ...]  #: ("q", v, w) with v <= w, or ("l", level)
Form = dict[Key, Ratio]
Linear = dict[str, Ratio]


class NotQuadratic(ValueError):
    """A relation that is not one between quadratic forms in the declared vectors."""


@dataclass
class FormProblem:
    """A claim in coordinates: ``goal`` >= 0 is to follow from ``hypotheses`` >= 0 (== 0 where ``equations``)."""

    field: Field
    vectors: tuple[str, ...]
    goal: Form
    hypotheses: list[Form] = dataclasses.field(default_factory=list)
    given: list[Relation] = dataclasses.field(default_factory=list)  #: the hypotheses as relations
    where: list[Relation] = dataclasses.field(default_factory=list)
    solved: list[tuple[str, Expr]] = dataclasses.field(default_factory=list)  #: what equations gave, in turn

    @property
    def equations(self) -> list[bool]:
        """Which of the hypotheses are equations."""
        return [h.op == "==" for h in self.given]


def problem(claim: GramClaim, deadline: float = math.inf) -> FormProblem:
    """``claim`` in coordinates; raises :class:`NotQuadratic`, :class:`boundcheck.kernel.check.ratios.NotRational`.

    Nothing is multiplied after the ``deadline``, in processor time.
    """
    goal, hypotheses, where = claim.goal, list(claim.hypotheses), list(claim.where)
    vectors, solved = list(claim.vectors), list[tuple[str, Expr]]()
    while (given := _given(claim, vectors, hypotheses, where)) is not None:
        r, name, term = given
        solved.append((name, term))
        hypotheses = [_put(h, name, term) for h in hypotheses if h is not r]
        goal = _put(goal, name, term)
        if name in vectors:
            vectors.remove(name)
        else:
            where = [_put(w, name, term) for w in where if w is not r]
    reader = _Reader(vectors, [goal, *hypotheses, *where], deadline)
    p = FormProblem(reader.field, tuple(vectors), reader.gap(goal, squared=False), where=where, solved=solved)
    if goal.op not in ("<=", ">="):
        raise NotQuadratic("the goal is an inequality with <= or >=")
    for h in hypotheses:
        if h.op == "!=":
            raise NotQuadratic(f"{h} is no inequality between quadratic forms")
        p.hypotheses.append(reader.gap(h, squared=True))
        p.given.append(h)
    return p


def _given(
    claim: GramClaim, vectors: list[str], hypotheses: list[Relation], where: list[Relation]
) -> tuple[Relation, str, Expr] | None:
    """An equation of the domain with the parameter that it gives, else a hypothesis with the vector; and the value."""
    for r in (r for r in where if r.op == "==" and not r.free & set(claim.vectors)):
        for side, other in (r.sides, (r.rhs, r.lhs)):
            if side.op == "var" and side.value not in other.free:
                return r, side.value, other
    found = [(h, *solved) for h in hypotheses if (solved := solved_for(h, vectors)) is not None]
    return min(found, key=lambda one: one[0].lhs.op != "var", default=None)  # first what an equation defines


def solved_for(h: Relation, vectors: Collection[str]) -> tuple[str, Expr] | None:
    """The vector that an equation gives, and its value: its left side, or a term that stands nowhere else in it."""
    if h.op != "==":
        return None
    if h.lhs.op == "var" and h.lhs.value in vectors and h.lhs.value not in h.rhs.free:
        return h.lhs.value, h.rhs
    terms = [*signed_terms(h.lhs), *((t, -sign) for t, sign in signed_terms(h.rhs))]
    for k, (t, sign) in enumerate(terms):
        others = terms[:k] + terms[k + 1 :]
        if sign and t.op == "var" and t.value in vectors and not any(t.value in e.free for e, _ in others):
            return t.value, sum((num(-sign * s) * e for e, s in others), num(0))
    return None


def _put(r: Relation, name: str, term: Expr) -> Relation:
    return r.map(lambda e: substitute(e, {name: term}))


def scalar_names(e: Expr) -> frozenset[str]:
    """The names of ``e`` that stand outside of function values."""
    if is_opaque(e) and e.op not in ("norm", "dot"):
        return frozenset()
    return frozenset({e.value}) if e.op == "var" else frozenset().union(*map(scalar_names, e.args))


class _Reader:
    def __init__(self, vectors: Iterable[str], relations: list[Relation], deadline: float):
        self.vectors = frozenset(vectors)
        names = frozenset().union(*(scalar_names(side) for r in relations for side in r.sides))
        roots = roots_of(side for r in relations for side in r.sides)
        self.field = Field(names - self.vectors, roots, deadline)

    def scalar(self, e: Expr) -> Ratio | None:
        if e.free & self.vectors or has_opaque(e):
            return None
        try:
            return self.field.read(e)
        except NotRational:
            return None

    def gap(self, r: Relation, squared: bool) -> Form:
        """The form that is >= 0 where ``r`` holds (== 0 for an equation).

        With ``squared`` a bound norm(X) <= c is read as norm(X)**2 <= c**2, which it implies (not conversely).
        """
        small, large = (r.rhs, r.lhs) if r.op in (">=", ">") else r.sides
        try:
            return self.combine(self.form(large), self.form(small), -1)
        except NotQuadratic:
            if not squared or r.op == "==" or small.op != "norm":
                raise
        return self.combine(self.radius(large), self.square(self.linear(small.args[0])), -1)

    def combine(self, a: dict[Any, Ratio], b: dict[Any, Ratio], sign: int) -> dict[Any, Ratio]:
        return plus(self.field, a, b, self.field.number(sign))

    def scale(self, c: Ratio, a: dict[Any, Ratio]) -> dict[Any, Ratio]:
        return {k: self.field.mul(c, v) for k, v in a.items()}

    def multiple(self, e: Expr) -> tuple[Ratio, Expr] | None:
        """(c, X) where ``e`` is a scalar c times X."""
        for k in (0, 1) if e.op == "mul" else ():
            factor = self.scalar(e.args[k])
            if factor is not None:
                return factor, e.args[1 - k]
        divisor = self.scalar(e.args[1]) if e.op == "div" else None
        return None if divisor is None else (self.field.divide(self.field.number(1), divisor), e.args[0])

    def bilinear(self, a: Linear, b: Linear) -> Form:
        out: Form = {}
        for v, c in a.items():
            for w, e in b.items():
                out = plus(self.field, out, {("q", *sorted((v, w))): e}, c)
        return out

    def square(self, a: Linear) -> Form:
        return self.bilinear(a, a)

    def linear(self, e: Expr) -> Linear:
        """A linear combination of vectors."""
        match e.op:
            case "var" if e.value in self.vectors:
                return {e.value: self.field.number(1)}
            case "num" if e.value == 0:
                return {}
            case "neg":
                return self.scale(self.field.number(-1), self.linear(e.args[0]))
            case "add" | "sub":
                return self.combine(self.linear(e.args[0]), self.linear(e.args[1]), 1 if e.op == "add" else -1)
        if (found := self.multiple(e)) is not None:
            return self.scale(found[0], self.linear(found[1]))
        raise NotQuadratic(f"{e} is not a linear combination of {', '.join(sorted(self.vectors))}")

    def radius(self, e: Expr) -> Form:
        """The square of a nonnegative multiple of one norm, of a length, or of a parameter."""
        if e.op == "norm":
            return self.square(self.linear(e.args[0]))
        value = self.scalar(e)
        if value is not None:
            return {("q", UNIT, UNIT): self.field.mul(value, value)}
        if (found := self.multiple(e)) is not None:
            return self.scale(self.field.mul(found[0], found[0]), self.radius(found[1]))
        if not has_opaque(e):
            return self.square(self.linear(e))
        raise NotQuadratic(f"{e} is not the multiple of one norm")

    def form(self, e: Expr) -> Form:
        """A quadratic form plus levels."""
        value = self.scalar(e)
        if value is not None:
            return {("q", UNIT, UNIT): value} if not value.num.is_zero() else {}
        if (found := self.multiple(e)) is not None:
            return self.scale(found[0], self.form(found[1]))
        match e.op:
            case "neg":
                return self.scale(self.field.number(-1), self.form(e.args[0]))
            case "add" | "sub":
                return self.combine(self.form(e.args[0]), self.form(e.args[1]), 1 if e.op == "add" else -1)
            case "mul" if not has_opaque(e):
                return self.bilinear(self.linear(e.args[0]), self.linear(e.args[1]))
            case "pow" if e.args[1].op == "num" and e.args[1].value == 2:
                base = e.args[0]
                if base.op == "norm" or not has_opaque(base):
                    return self.square(self.linear(base.args[0] if base.op == "norm" else base))
            case "dot":
                return self.bilinear(self.linear(e.args[0]), self.linear(e.args[1]))
            case op if is_opaque(e) and op != "norm":
                return {("l", text(e)): self.field.number(1)}
        raise NotQuadratic(f"{e} is neither a square, a product nor a level")


def basis(p: FormProblem, form: Form) -> list[str]:
    """The vectors (and perhaps the unit) that occur in ``form``, in order."""
    used = {v for k in form if k[0] == "q" for v in k[1:]}
    return [v for v in (*p.vectors, UNIT) if v in used]


def matrix(p: FormProblem, form: Form, names: list[str]) -> list[list[Ratio]]:
    """The symmetric matrix of ``form`` over ``names``."""
    half = p.field.constant(1) / 2
    rows = []
    for v in names:
        row = []
        for w in names:
            c = form.get(("q", *sorted((v, w))), p.field.number(0))
            row.append(c if v == w else p.field.ratio(c.num * half, c.den))
        rows.append(row)
    return rows


def plus(field: Field, a: dict[Any, Ratio], b: dict[Any, Ratio], factor: Ratio) -> dict[Any, Ratio]:
    """a + factor*b, without what is 0."""
    out = dict(a)
    for k, c in b.items():
        out[k] = field.add(out.get(k, field.number(0)), field.mul(factor, c))
        if out[k].num.is_zero():
            del out[k]
    return out


def remainder(p: FormProblem, multipliers: list[Ratio]) -> Form:
    """goal - sum of multiplier * hypothesis."""
    out = dict(p.goal)
    for m, h in zip(multipliers, p.hypotheses, strict=True):
        out = plus(p.field, out, h, p.field.neg(m))
    return out
