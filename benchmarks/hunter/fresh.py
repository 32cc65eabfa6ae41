"""Models of the rules on fresh samples: x_t known from the past, g_t = G(x_t, sample of step t), W(s, l) likewise.

What these rules assume of ``x``, ``g`` and ``X1`` is meant for every point x with f(x) - fstar <= c, with
g = G(x, sample) and X1 = X(x, sample); the conclusion is about the random point x_t. So the premises are tried at
every point of a finite set, the values of x_t among them.
"""

from __future__ import annotations

import random as python_random
from typing import Any

from flint import fmpq

from benchmarks.hunter.adapter import RuleView
from benchmarks.hunter.evaluate import Evaluator
from benchmarks.hunter.meet import Fact, Outcome, check
from benchmarks.hunter.model import Model, Rv, Sigma, Source, draw_weights
from benchmarks.hunter.nums import ZERO, add, mul
from benchmarks.hunter.sorts import EVENT, REAL, SIGMA, VECTOR, Sort
from boundcheck.kernel.formula import Expr, parse

_SORTS = {
    "x": Sort(VECTOR), "g": Sort(VECTOR, True), "X1": Sort(VECTOR, True), "xs": Sort(VECTOR, True, arity=1),
    "gs": Sort(VECTOR, True, arity=1), "W": Sort(VECTOR, True, arity=2), "H": Sort(SIGMA, arity=2),
    "past": Sort(SIGMA), "Lo": Sort(EVENT, True), **{n: Sort(REAL, integer=True) for n in ("t", "s", "l")},
}  # fmt: skip


def _term(name: str, rule: RuleView, dropped: Any) -> Expr | None:
    """A term that breaks a restriction which is left out: in x, in g, in X1."""
    if dropped.kind != "fixed" or dropped.what[0] != name or dropped.what[1] == "random":
        return None
    return parse(f"{name}_ + {name}_*norm({dropped.what[1]})", proof=True)


def attempt(
    rule: RuleView, rng: python_random.Random, dropped: Any, partial: bool
) -> tuple[Model, Outcome, Any] | None:
    """A model that meets the premises at every point, and what becomes of the conclusion; None: not met."""
    d = rng.choice((1, 1, 2))
    past, fresh = (Source(draw_weights(rng, rng.choice((1, 2, 3)))) for _ in range(2))
    sorts = {**_SORTS}
    constants = [n for n in rule.names if n not in _SORTS]
    terms = {n: t for n in constants if (t := _term(n, rule, dropped)) is not None}
    for n in constants:
        sorts[f"{n}_" if n in terms else n] = Sort(REAL, dropped.kind == "fixed" and dropped.what == (n, "random"))
    model = Model(rng, sorts, d, [past, fresh], partial)
    size = len(past.weights)
    points = [model.vector() for _ in range(size + rng.randint(0, 2))]
    table: dict[Any, Any] = {}

    def sample(kind: str, x: Any, k: int) -> Any:
        return table.setdefault((kind, x, k), model.vector())

    def centred(x: Any, k: int) -> Any:
        mean: Any = ZERO
        for j, w in enumerate(fresh.weights):
            mean = add(mean, mul(w, sample("X", x, j)))
        return add(sample("X", x, k), mul(fmpq(-1), mean))

    drift = dropped == dropped.__class__("premise", 0)
    per_atom = lambda f: Rv(tuple(f(a) for a in model.atoms))  # noqa: E731
    index = fmpq(2)
    stale = dropped.kind == "premise" and rule.premises[dropped.what].relation.lhs.op == "iid"
    drawn = lambda a: a[0] % len(fresh.weights) if stale else a[1]  # noqa: E731  # the sample of the step
    model.values |= {"t": index, "s": index, "l": fmpq(1), "mu": abs(model.number()), "fstar": model.number()}
    model.values["past"] = Sigma(tuple(a[0] for a in model.atoms))
    model.members[("xs", (index,))] = per_atom(lambda a: points[a[0]])
    model.members[("gs", (index,))] = per_atom(lambda a: sample("g", points[a[0]], drawn(a)))
    noise = centred if not (drift and rule.name == "fresh centring") else lambda x, k: sample("X", x, k)
    model.members[("W", (index, fmpq(1)))] = per_atom(lambda a: noise(points[a[0]], drawn(a)))
    model.members[("H", (index, fmpq(0)))] = Sigma(tuple(a[0] for a in model.atoms))
    ev = Evaluator(model)

    def put(e: Expr) -> Expr:
        if e.op == "var":
            return terms.get(e.value, e)
        return Expr(e.op, tuple(map(put, e.args)), e.value) if e.args else e

    def instance(f: Fact) -> Fact:
        return Fact(f.relation.map(put), f.over, f.where, f.integers, tuple((y, put(e)) for y, e in f.given))

    def stand(x: Any) -> None:
        model.values["x"] = x
        model.values["g"] = per_atom(lambda a: sample("g", x, a[1]))
        model.values["X1"] = per_atom(lambda a: noise(x, a[1]))
        ev.reset()

    assumed = [(n, f) for n, f in enumerate(rule.premises) if f.relation.lhs.op != "iid"]
    low = [(n, f) for n, f in assumed if f.relation.op == "<=" and f.relation.rhs == parse("c")]
    for x in points:
        stand(x)
        if any(dropped.what != n or dropped.kind != "premise" for n, _ in low) and any(
            check(model, ev, instance(f)).holds is not True for _, f in low
        ):
            continue  # nothing is assumed at such a point
        for n, f in assumed:
            if (n, f) in low or (dropped.kind, dropped.what) == ("premise", n):
                continue
            if check(model, ev, instance(f)).holds is not True:
                return None
    stand(rng.choice(points))
    for kind, facts in (("side", rule.sides), ("implies", rule.implies)):
        for n, f in enumerate(facts):
            if (dropped.kind, dropped.what) != (kind, n) and check(model, ev, instance(f)).holds is not True:
                return None
    goal = rule.conclusion.map(put)
    return model, check(model, ev, Fact(goal)), goal
