"""Exact Bernstein coefficients: a polynomial over a box as a sum of products of distances to the ends, all >= 0."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import comb
from typing import Any

from flint import fmpq

from boundcheck.decide.scalar.prover import Node, proposing
from boundcheck.kernel.check.poly import ONE, Poly, fraction, to_expr
from boundcheck.kernel.check.sequent import Box, Sequent
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import INF, NINF, Interval
from boundcheck.kernel.enclosure.straight_line import exact_of
from boundcheck.kernel.formula import Expr, num, text

MAX_SIZE = 400  #: products in one sum
Summands = list[tuple[Any, Expr]]  #: (coefficient > 0, product of distances)


def summands(p: Poly, box: Box, strict: bool) -> Summands | None:
    """The sum that is p, of terms that are >= 0 on the box, with one that is > 0 where ``strict``; None for none.

    Each atom is a variable of its own. A bounded one, x = lo + w t, contributes Bernstein polynomials in t; one that
    is bounded on one side contributes powers of its distance to that end.
    """
    atoms: dict[Expr, int] = {}
    for m in p:
        for a, x in m:
            if not isinstance(x, fmpq) or x.q != 1 or x < 0 or x > 60:
                return None
            atoms[a] = max(atoms.get(a, 0), int(x.p))
    size = 1
    for d in atoms.values():
        size *= d + 1
    if size > MAX_SIZE:
        return None
    ranges: list[Interval] = []
    for a in atoms:
        r = enclose(a, box)
        if r is None or (r[0] == NINF and r[1] == INF):
            return None
        ranges.append(r)
    names = list(atoms)
    tensor: dict[tuple[int, ...], Any] = {}
    for m, c in p.items():
        powers = {a: int(x.p) for a, x in m}
        key = tuple(powers.get(a, 0) for a in names)
        tensor[key] = tensor.get(key, fmpq(0)) + c
    for axis, (a, r) in enumerate(zip(names, ranges, strict=True)):
        tensor = _along(tensor, axis, atoms[a], r)
    if any(v < 0 for v in tensor.values()):
        return None
    # the products of the bounded atoms alone sum to 1: their least coefficient may stand by itself
    bounded = [r[0] > NINF and r[1] < INF for r in ranges]
    floor = list(product(*(range(atoms[a] + 1 if b else 1) for a, b in zip(names, bounded, strict=True))))
    least = min(tensor.get(key, fmpq(0)) for key in floor)
    within = all(r[2] and r[3] for r in ranges)
    if strict and least == 0 and not (within and any(v > 0 for v in tensor.values())):
        return None
    out: Summands = [(least, num(1))] if least else []
    for key, c in tensor.items():
        rest = c - least if key in floor else c
        if rest > 0:
            factor, term = fmpq(1), num(1)
            for a, r, k in zip(names, ranges, key, strict=True):
                own, distances = _basis(a, r, k, atoms[a])
                factor, term = factor * own, term * distances
            out.append((rest * factor, term))
    return out


@proposing()
def bernstein(seq: Sequent) -> Iterator[Node]:
    """Exact Bernstein coefficients on the whole box."""
    form = seq.algebra.normal(seq.goal.gap)
    found = summands(form.num, seq.box or {}, seq.goal.strict) if len(form.num) <= 300 else None
    if found is not None:
        terms = [{"c": str(fraction(c)), "times": text(e)} for c, e in found]
        scale = {} if form.den == ONE else {"scale": text(to_expr(form.den))}
        yield {"rule": "farkas", "terms": terms, **scale}


def _basis(a: Expr, r: Interval, k: int, degree: int) -> tuple[Any, Expr]:
    """The element number ``k`` of the basis along one axis: its factor, and powers of distances to the ends."""
    low = None if r[0] == NINF else a - num(fraction(exact_of(r[0])))
    high = None if r[1] == INF else num(fraction(exact_of(r[1]))) - a
    if low is None or high is None:
        side = low if low is not None else high
        assert side is not None
        return fmpq(1), _power(side, k)
    width = exact_of(r[1]) - exact_of(r[0])
    return comb(degree, k) / width**degree, _power(low, k) * _power(high, degree - k)


def _power(e: Expr, k: int) -> Expr:
    return e ** num(k) if k else num(1)


def _along(tensor: dict[tuple[int, ...], Any], axis: int, degree: int, r: Interval) -> dict[tuple[int, ...], Any]:
    """Change of basis along one axis."""
    lines: dict[tuple[int, ...], list[Any]] = {}
    for k, c in tensor.items():
        rest = k[:axis] + k[axis + 1 :]
        lines.setdefault(rest, [fmpq(0)] * (degree + 1))[k[axis]] = c
    out: dict[tuple[int, ...], Any] = {}
    flip = r[0] == NINF
    lo = exact_of(-r[1]) if flip else exact_of(r[0])
    width = None if r[1] == INF or flip else exact_of(r[1]) - lo
    for rest, line in lines.items():
        if flip:
            line = [c if i % 2 == 0 else -c for i, c in enumerate(line)]
        shifted = _shift(line, lo)
        if width is not None:
            scaled = [c * width**i for i, c in enumerate(shifted)]
            shifted = [
                sum((fmpq(comb(i, j), comb(degree, j)) * scaled[j] for j in range(i + 1)), fmpq(0))
                for i in range(degree + 1)
            ]
        for i, c in enumerate(shifted):
            if c != 0 or width is not None:
                out[(*rest[:axis], i, *rest[axis:])] = c
    return out


def _shift(line: list[Any], lo: Any) -> list[Any]:
    """Coefficients in s of sum c_i (lo + s)^i, by Horner."""
    out = list(line)
    n = len(out)
    if lo == 0:
        return out
    for i in range(n):
        for j in range(n - 2, i - 1, -1):
            out[j] = out[j] + lo * out[j + 1]
    return out
