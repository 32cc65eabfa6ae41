"""A multiplier that nothing forces: its admissible range at samples, fitted by a monomial in simple factors."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import exp
from typing import Any

import numpy as np

from boundcheck.decide.quadratic.gram_fit import simplest_in, times_powers
from boundcheck.decide.quadratic.gram_signs import polynomial_values, ratio_values, samples
from boundcheck.kernel.check.gram_certificate import Signs
from boundcheck.kernel.check.quadratic import FormProblem, basis, matrix, remainder
from boundcheck.kernel.check.ratios import Ratio

GRID = 500  #: values of the multiplier tried at each sample
SPREAD = 6.0  #: decades around the natural size
POINTS = 120
LARGEST = 2  #: largest exponent of the ansatz
CANDIDATES = 5  #: monomials tried, those with the widest range of constants first
TOLERANCE = 0.05  #: by how much the grid may misjudge an end


def fitted_multipliers(p: FormProblem, signs: Signs, multipliers: list[Ratio], index: int) -> Iterator[list[Ratio]]:
    """``multipliers`` with candidates for number ``index``: c times integer powers of the domain's simple factors."""
    points = samples(signs)
    points = points[:: max(1, len(points) // POINTS)]
    low, high, used = _ranges(p, multipliers, index, points)
    if len(used) < 3:
        return
    factors = _factors(signs)
    logs = np.array([np.log(np.maximum(polynomial_values(g, points[used]), 1e-300)) for g in factors])
    logs = logs.reshape(len(factors), len(used)).T
    exponents = np.array(list(product(range(-LARGEST, LARGEST + 1), repeat=len(factors))))
    rest = logs @ exponents.T
    least = np.max(np.log(low)[:, None] - rest, axis=0)
    most = np.min(np.log(high)[:, None] - rest, axis=0)
    for best in np.argsort(least - most)[:CANDIDATES]:
        if least[best] > most[best] + TOLERANCE:
            return
        first, last = sorted((float(least[best]), float(most[best])))
        middle, whole = (simplest_in(exp(first + a), exp(last - a)) for a in ((last - first) / 4, 0.0))
        for c in dict.fromkeys((middle, whole)):
            if c is not None:
                value = times_powers(p.field, p.field.number(c), factors, exponents[best])
                yield [value if k == index else m for k, m in enumerate(multipliers)]


def _ranges(
    p: FormProblem, multipliers: list[Ratio], index: int, points: np.ndarray[Any, Any]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], list[int]]:
    """At each sample the least and the largest multiplier on a grid that leave the form nonnegative."""
    form = remainder(p, multipliers)
    extra = p.hypotheses[index]
    names = basis(p, {**form, **extra})
    if not names:
        return np.array([]), np.array([]), []
    a, h = (np.array([[ratio_values(c, points) for c in row] for row in matrix(p, f, names)]) for f in (form, extra))
    low, high, used = [], [], []
    for k in range(len(points)):
        own, other = a[:, :, k], h[:, :, k]
        size = np.sqrt(np.maximum(np.abs(own).max(axis=0), 1e-12))
        own, other = own / np.outer(size, size), other / np.outer(size, size)
        grid = 10.0 ** np.linspace(-SPREAD / 2, SPREAD / 2, GRID) / max(float(np.abs(other).max()), 1e-300)
        forms = own[None] - grid[:, None, None] * other[None]
        good = np.nonzero(np.linalg.eigvalsh(forms)[:, 0] >= -1e-12)[0]
        if len(good):
            low.append(grid[good[0]])
            high.append(grid[good[-1]])
            used.append(k)
    return np.array(low), np.array(high), used


def _factors(signs: Signs) -> list[Any]:
    """Parameters, and constraints that are linear in one parameter: the factors of an ansatz."""
    found = []
    for g, strict in signs.constraints:
        if strict and g.total_degree() == 1 and g not in found and sum(map(bool, g.degrees())) == 1:
            found.append(g)
    for n in signs.field.names:
        g = signs.field.symbol(n)
        points = samples(signs)
        if n not in signs.field.roots and g not in found and np.all(polynomial_values(g, points) > 0):
            found.append(g)
    return found[:6]
