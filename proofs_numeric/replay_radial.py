"""The radial method again in balls, from the same random numbers (see :mod:`proofs_numeric.replay`)."""

from __future__ import annotations

from flint import arb

from proofs_numeric.radial import Axis
from proofs_numeric.replay import EPS, Tape, Values, Vector, clip, sizes


def coordinate(tape: Tape, k: int) -> Vector:
    """The first coordinates of one call of ``radial.coordinate``."""
    if k == 1:
        return [arb(-1 if r < 0.5 else 1) for r in tape.read("random")]
    normals, gammas = tape.read("standard_normal"), tape.read("standard_gamma")
    return [arb(z) / (arb(z) ** 2 + 2 * arb(r)).sqrt() for z, r in zip(normals, gammas, strict=True)]


def _norms2(tape: Tape, squares: list[Vector], k: int) -> Vector:
    """||sum_l v_l||^2 for each row, by the same tree."""
    while len(squares[0]) > 1:
        half, omega = len(squares[0]) // 2, iter(coordinate(tape, k))
        squares = [
            [a + b + 2 * (a * b).sqrt() * next(omega) for a, b in zip(row[:half], row[half : 2 * half], strict=True)]
            + row[2 * half :]
            for row in squares
        ]
    return [row[0] for row in squares]


def distances(
    tape: Tape, axis: Axis, slope: float, n: int, M: int, tau: float, centre: float, power: int = 1
) -> Values:
    """||g - centre e_1||^power of n estimates at one slope, with the declared bound on the float error."""
    d = axis.d
    first = coordinate(tape, d)
    noise = sizes(tape, axis.law)
    across = first if axis.shape == "axis" else coordinate(tape, d)
    found, rows, reach = [], [], []
    for r in range(n):
        group = range(r * M, (r + 1) * M)
        signal, random = ([slope * first[i] for i in group], [noise[i] * across[i] for i in group])
        weights = [arb(d) / M * clip(s + z, tau) for s, z in zip(signal, random, strict=True)]
        rows.append([c * c * (1 - first[i] ** 2) for c, i in zip(weights, group, strict=True)])
        found.append(sum((c * first[i] for c, i in zip(weights, group, strict=True)), arb(0)))
        # a noise that is clipped leaves tau; one that is not is at most tau + |signal|
        terms = sum(
            abs(float(s)) + min(abs(float(z)), tau + abs(float(s))) for s, z in zip(signal, random, strict=True)
        )
        reach.append(d / M * terms + abs(centre))
    totals = _norms2(tape, rows, d - 1) if d > 1 else [arb(0)] * n
    out: Values = []
    for along, total, size in zip(found, totals, reach, strict=True):
        square = (along - centre) ** 2 + total
        bound = (4 * M + 64) * EPS * size**2  # of the square: every term below it is at most size^2
        out.append((square, bound) if power == 2 else (square.sqrt(), bound / float(square.sqrt())))
    return out
