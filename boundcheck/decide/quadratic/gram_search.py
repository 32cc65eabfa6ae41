"""All multipliers at once: found in floats at sample points, fitted by exact functions, proved by the gram engine.

A sparse set of hypotheses that suffices at the samples is looked for first. Multipliers that are isolated there are
fitted by monomials in the atoms of the claim, or by quotients of polynomials; what the levels then force is solved
for; where a range of values is left, a simple function within the range is taken and the rest looked for again.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from boundcheck.decide.quadratic.gram_fit import atoms, between, gradings, monomial, quotient
from boundcheck.decide.quadratic.gram_sdp import (
    Array,
    Numeric,
    edge_samples,
    interior_samples,
    multipliers_at,
    polish,
    support,
)
from boundcheck.decide.quadratic.gram_signs import ratio_values
from boundcheck.kernel.check.gram_certificate import Signs
from boundcheck.kernel.check.quadratic import FormProblem
from boundcheck.kernel.check.ratios import Ratio
from boundcheck.kernel.clock import deadline, passed

POINTS = 28  #: samples for a fit by monomials
MORE_POINTS = 90  #: samples for a fit by quotients
TESTS = 4  #: samples at which a set of hypotheses is chosen
INNER, EDGE = 8, 8  #: samples inside and close to the edge at which ranges are computed
MAX_LOOSE = 8  #: multipliers of which ranges are computed
MOSTLY = 0.8  #: share of the samples at which a multiplier must be seen to be isolated: the others are left out
THIN = 2e-3  #: a range of less than this share is one value
GUESSES = 5  #: functions within a range that are tried
LARGEST_FORM = 41  #: vectors up to which the search is begun


def candidates(
    p: FormProblem, signs: Signs, seconds: float = 8.0, keep: frozenset[int] = frozenset()
) -> Iterator[list[Ratio]]:
    """Lists of multipliers, one for each hypothesis, that are likely to prove the claim; ``keep``: those to use."""
    end = deadline(seconds)
    points = interior_samples(signs, MORE_POINTS)
    if len(points) < TESTS and p.field.parameters:
        return
    edge = edge_samples(signs, EDGE)
    numeric = Numeric.of(p, np.concatenate([points, edge]))
    if not numeric.names or len(numeric.names) > LARGEST_FORM or not p.hypotheses:
        return
    active = support(numeric, list(range(min(TESTS, len(points)))), keep)
    if active is not None:
        yield from _Search(p, signs, numeric, len(edge), end).fit(active, {})


Numbers = tuple[Array, dict[int, bool], list[int]]


class _Search:
    def __init__(self, p: FormProblem, signs: Signs, s: Numeric, edges: int, end: float):
        self.p, self.s, self.edges, self.end = p, s, edges, end
        self.atoms = atoms(p, signs)
        self.grades = gradings(p)

    def fit(self, active: list[int], known: dict[int, Ratio], depth: int = 0) -> Iterator[list[Ratio]]:
        """Exact multipliers on the hypotheses of one set, of which some are known."""
        if passed(self.end) or depth > 6:
            return
        solved = self._by_levels(active, known)
        if solved is not None:
            known = solved
        if all(j in known for j in active):
            yield [known.get(j, self.p.field.number(0)) for j in range(len(self.p.hypotheses))]
            return
        inner = len(self.s.points) - self.edges
        few = min(POINTS, inner)
        numbers = self._numbers(active, known, few)
        if numbers is None:
            return
        values, isolated, where = numbers
        progress = dict(known)
        for j in active:
            if j in known or not isolated[j]:
                continue
            found = monomial(self.p.field, self.atoms, self.s.points[where], values[:, j])
            if found is not None:
                progress[j] = found
        if len(progress) > len(known):
            yield from self.fit(active, progress, depth + 1)
            return
        wanted = [j for j in active if j not in known and isolated[j]]
        if wanted and inner > few:
            more = self._numbers(active, known, inner)
            if more is not None:
                values, _, where = more
                for j in wanted:
                    found = quotient(self.p, self.grades, j, self.s.points[where], values[:, j])
                    if found is not None:
                        progress[j] = found
            if len(progress) > len(known):
                yield from self.fit(active, progress, depth + 1)
                return
        yield from self._guess(active, known, depth, numbers)

    def _guess(
        self, active: list[int], known: dict[int, Ratio], depth: int, numbers: Numbers | None
    ) -> Iterator[list[Ratio]]:
        """A range of values is left to some multipliers: take the simplest function within one of the ranges."""
        options: list[tuple[float, int, Ratio]] = []
        for j in [j for j in active if j not in known][:MAX_LOOSE]:
            low, high, rows = self._range(active, known, j)
            if len(rows) < 3:
                continue
            if numbers is not None and np.all(high - low < THIN * np.maximum(np.abs(high), 1e-3)):
                values, _, where = numbers
                exact = monomial(self.p.field, self.atoms, self.s.points[where], values[:, j], 1e-5) if where else None
                if exact is not None:
                    options.append((-10.0, j, exact))
                    continue
            for guess in between(self.p.field, self.atoms, self.s.points[rows], low, high):
                options.append((guess.simple - 2 * min(guess.room, 1.0), j, guess.value))
            if passed(self.end):
                return
        for _, j, value in sorted(options, key=lambda o: o[0])[:GUESSES]:
            yield from self.fit(active, {**known, j: value}, depth + 1)
            if passed(self.end):
                return

    def _fixed(self, known: dict[int, Ratio], at: int) -> dict[int, float]:
        point = self.s.points[at : at + 1]
        return {j: float(ratio_values(r, point)[0]) for j, r in known.items()}

    def _numbers(self, active: list[int], known: dict[int, Ratio], count: int) -> Numbers | None:
        """Multipliers at the samples to the last digits, whether each is isolated, and the samples' numbers."""
        rows: list[Array] = []
        where: list[int] = []
        alone: list[list[bool]] = []
        free = [j for j in active if j not in known]
        for at in range(count):
            fixed = self._fixed(known, at)
            found = multipliers_at(self.s, at, active, None, fixed)
            if found is None:
                continue
            exact = polish(self.s, at, free, found[1], found[2]) if free else None
            if exact is None:
                if len(where) == 0 and at >= 4:
                    break
                continue
            rows.append(exact.multipliers)
            where.append(at)
            alone.append(exact.isolated)
        if len(where) < min(count, 8) and len(where) < len(self.s.points):
            return np.zeros((0, 0)), dict.fromkeys(active, False), []
        seen = np.array(alone, bool).reshape(len(where), len(free))
        often = np.mean(seen, axis=0) >= MOSTLY
        good = np.all(seen[:, often], axis=1)
        isolated = dict.fromkeys(active, True) | dict(zip(free, map(bool, often), strict=True))
        return np.array(rows)[good], isolated, [at for at, ok in zip(where, good, strict=True) if ok]

    def _range(self, active: list[int], known: dict[int, Ratio], j: int) -> tuple[Array, Array, list[int]]:
        """The least and the largest value of one multiplier at samples, some of them close to the domain's edge."""
        low, high, rows = [], [], []
        inner = len(self.s.points) - self.edges
        for at in [*range(min(INNER, inner)), *range(inner, len(self.s.points))]:
            fixed = self._fixed(known, at)
            ends = []
            for sign in (1.0, -1.0):
                cost = np.zeros(len(self.p.hypotheses))
                cost[j] = sign
                found = multipliers_at(self.s, at, active, cost, fixed)
                if found is not None and found[0] > -1e-6:
                    ends.append(float(found[1][j]))
            if len(ends) == 2:
                low.append(ends[0])
                high.append(ends[1])
                rows.append(at)
        return np.array(low), np.array(high), rows

    def _by_levels(self, active: list[int], known: dict[int, Ratio]) -> dict[int, Ratio] | None:
        """What the cancelling of the levels forces, solved exactly."""
        field, p = self.p.field, self.p
        unknown = [j for j in active if j not in known]
        levels = sorted({k for f in (p.goal, *(p.hypotheses[j] for j in active)) for k in f if k[0] == "l"})
        zero = field.number(0)
        rows = []
        for level in levels:
            right = p.goal.get(level, zero)
            for j, value in known.items():
                if level in p.hypotheses[j]:
                    right = field.sub(right, field.mul(value, p.hypotheses[j][level]))
            rows.append([p.hypotheses[j].get(level, zero) for j in unknown] + [right])
        pivots: list[int] = []
        for column in range(len(unknown)):
            pick = next((r for r in range(len(pivots), len(rows)) if not rows[r][column].num.is_zero()), None)
            if pick is None:
                continue
            rows[len(pivots)], rows[pick] = rows[pick], rows[len(pivots)]
            lead = rows[len(pivots)]
            lead[:] = [field.div(c, lead[column]) for c in lead]
            for r, row in enumerate(rows):
                if r != len(pivots) and not row[column].num.is_zero():
                    factor = row[column]
                    row[:] = [field.sub(c, field.mul(factor, e)) for c, e in zip(row, lead, strict=True)]
            pivots.append(column)
        out = dict(known)
        for r, column in enumerate(pivots):
            if all(rows[r][c].num.is_zero() for c in range(len(unknown)) if c != column):
                out[unknown[column]] = rows[r][-1]
        return out if len(out) > len(known) else None
