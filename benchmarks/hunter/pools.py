"""Values that are tried for a name of which a fact holds for all."""

from __future__ import annotations

import itertools
import operator
import random as python_random
from collections.abc import Iterator
from typing import Any

from flint import fmpq

from benchmarks.hunter import nums
from benchmarks.hunter.line import at_point
from benchmarks.hunter.model import Model, Rv
from benchmarks.hunter.nums import ZERO, is_vector
from boundcheck.kernel.proof.sorts import EVENT, INFORMATION, INTEGER, OBJECT, VECTOR, Sort

_SMALL = tuple(
    fmpq(p, q) for p, q in ((0, 1), (1, 1), (-1, 1), (1, 2), (2, 1), (-1, 2), (3, 1), (1, 3), (5, 2), (-2, 1))
)


#: numbers far out, where a tail may be heavier than a bound that holds near 0
FAR = tuple(fmpq(s * 10**k) for k in (3, 6, 12) for s in (1, -1))


def _seen(model: Model, value: Any) -> Iterator[Any]:
    """The values of a name: at each atom, and at a few points of the line there."""
    places = [fmpq(k) for k in range(1, 5)] if model.line != "uniform" else [fmpq(k, 4) for k in range(-3, 4)]
    for v in value.values if isinstance(value, Rv) else (value,):
        yield from (at_point(v, p) for p in places) if model.line else (v,)


def values_for(model: Model, name: str, sort: Sort, rng: python_random.Random, dense: bool = False) -> list[Any]:
    """Values that are tried for a name that a fact ranges over."""
    if sort.kind == EVENT:
        if dense and len(model.atoms) <= 6:
            return [Rv(e) for e in itertools.product((True, False), repeat=len(model.atoms))]
        return [True, False, *(model.draw(EVENT, True) for _ in range(40 if dense else 3))]
    if sort.kind == INFORMATION:
        return [model.sigma() for _ in range(2)]
    if sort.args:
        return []
    if sort.random:
        return [model.draw(sort.kind, True) for _ in range(4)]
    if sort.kind == VECTOR:
        axes = [tuple(fmpq(k == n) for k in range(model.d)) for n in range(model.d)]
        own = [v for v in model.values.values() if is_vector(v)]
        own += [x for v in model.values.values() if isinstance(v, Rv) for x in _seen(model, v) if is_vector(x)]
        told = [v for v in model.extra if is_vector(v)]
        if dense:
            told += [nums.neg(v) for v in own]
            told += [tuple(c * x for x in v) for v in axes for c in (fmpq(1000), fmpq(-1000))]
        return [
            *told,
            (ZERO,) * model.d,
            *axes,
            *own[: 9 if dense else 3],
            *(model.vector() for _ in range(8 if dense else 2)),
        ]
    told = [v for v in model.extra if isinstance(v, fmpq)]
    if sort.kind in (INTEGER, OBJECT):
        whole = [v for v in told if v.q == 1]
        return list(dict.fromkeys([*whole, *(fmpq(k) for k in (range(-9, 13) if dense else range(-2, 6)))]))
    known = [x for v in model.values.values() for x in _seen(model, v) if isinstance(x, fmpq)]
    known = list(dict.fromkeys(known))
    rng.shuffle(known)
    steps = (ZERO, fmpq(1, 7), fmpq(-1, 7), *((fmpq(1, 1000), fmpq(-1, 1000)) if dense else ()))
    near = [x + s for x in (known if dense else known[:8]) for s in steps]
    more = [model.number() for _ in range(3)]
    if dense:
        some = [x for x in known[:12] if x]
        near += [f(x, y) for x in some for y in some for f in (operator.mul, operator.truediv)]
        near += [fmpq(s, k) for s in (1, -1) for k in (20, 300, 100000)]
        more += [*FAR, *(fmpq(rng.randint(-400, 800), 97) for _ in range(60))]
    return list(dict.fromkeys([*told, *_SMALL, *near, *more]))
