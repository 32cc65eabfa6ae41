"""Exact Bernstein coefficients: the sign of a polynomial in atoms over the box of their ranges."""

from __future__ import annotations

from math import comb
from typing import Any

from flint import fmpq

from boundcheck.kernel.check.poly import Poly
from boundcheck.kernel.check.sequent import Box
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import INF, NINF, Interval
from boundcheck.kernel.enclosure.straight_line import exact_of
from boundcheck.kernel.formula import Expr

MAX_SIZE = 6000  #: entries of the coefficient tensor


def nonnegative(p: Poly, box: Box, strict: bool) -> bool:
    """Whether p >= 0 (> 0) on the box, each atom treated as a variable of its own.

    A bounded atom x = lo + (hi - lo) t contributes Bernstein polynomials in t; one that is bounded on one
    side contributes powers of its distance to that end. All coefficients >= 0 settles the sign.
    """
    atoms: dict[Expr, int] = {}
    for m in p:
        for a, x in m:
            if not isinstance(x, fmpq) or x.q != 1 or x < 0 or x > 60:
                return False
            atoms[a] = max(atoms.get(a, 0), int(x.p))
    size = 1
    for d in atoms.values():
        size *= d + 1
    if size > MAX_SIZE:
        return False
    ranges: list[Interval] = []
    for a in atoms:
        r = enclose(a, box)
        if r is None or (r[0] == NINF and r[1] == INF):
            return False
        ranges.append(r)
    names = list(atoms)
    tensor: dict[tuple[int, ...], Any] = {}
    for m, c in p.items():
        powers = {a: int(x.p) for a, x in m}
        key = tuple(powers.get(a, 0) for a in names)
        tensor[key] = tensor.get(key, fmpq(0)) + c
    for axis, (a, r) in enumerate(zip(names, ranges, strict=True)):
        tensor = _along(tensor, axis, atoms[a], r)
    values = list(tensor.values())
    if any(v < 0 for v in values):
        return False
    if not strict:
        return True
    bounded = [r[0] > NINF and r[1] < INF for r in ranges]
    inner = all(r[2] and r[3] for r in ranges)
    if inner:
        return any(v > 0 for v in values)
    floor = [v for k, v in tensor.items() if all(b or i == 0 for i, b in zip(k, bounded, strict=True))]
    wanted = 1
    for (_, d), b in zip(atoms.items(), bounded, strict=True):
        wanted *= d + 1 if b else 1
    return len([v for v in floor if v > 0]) == wanted


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
