"""The radial method again in balls, from the same random numbers (see :mod:`proofs_numeric.precision.replay`)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from flint import arb

from proofs_numeric.exact_in_law.radial import Axis
from proofs_numeric.model.optimizer import Parameters
from proofs_numeric.precision.replay import EPS, Tape, Values, Vector, clip, sizes


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


def estimates(tape: Tape, axis: Axis, slopes: Vector, M: int, tau: float) -> list[tuple[arb, arb, float]]:
    """(along, across^2, the sum of the sizes of the terms) of one estimate at each slope."""
    d, n = axis.d, len(slopes)
    first = coordinate(tape, d)
    noise = sizes(tape, axis.law)
    across = first if axis.shape == "axis" else coordinate(tape, d)
    found, rows, reach = [], [], []
    for r, slope in enumerate(slopes):
        group = range(r * M, (r + 1) * M)
        signal, random = ([slope * first[i] for i in group], [noise[i] * across[i] for i in group])
        weights = [arb(d) / M * clip(s + z, tau) for s, z in zip(signal, random, strict=True)]
        rows.append([c * c * (1 - first[i] ** 2) for c, i in zip(weights, group, strict=True)])
        found.append(sum((c * first[i] for c, i in zip(weights, group, strict=True)), arb(0)))
        # a noise that is clipped leaves tau; one that is not is at most tau + |signal|
        terms = sum(
            abs(float(s)) + min(abs(float(z)), tau + abs(float(s))) for s, z in zip(signal, random, strict=True)
        )
        reach.append(d / M * terms)
    totals = _norms2(tape, rows, d - 1) if d > 1 else [arb(0)] * n
    return list(zip(found, totals, reach, strict=True))


def distances(
    tape: Tape, axis: Axis, slope: float, n: int, M: int, tau: float, centre: float, power: int = 1
) -> Values:
    """||g - centre e_1||^power of n estimates at one slope, with the declared bound on the float error."""
    out: Values = []
    for along, total, terms in estimates(tape, axis, [arb(slope)] * n, M, tau):
        size = terms + abs(centre)
        square = (along - centre) ** 2 + total
        bound = (4 * M + 64) * EPS * size**2  # of the square: every term below it is at most size^2
        out.append((square, bound) if power == 2 else (square.sqrt(), bound / float(square.sqrt())))
    return out


@dataclass
class _State:
    """|x|, m = a e + b v, and how far the float vectors x and m may be from them."""

    r: arb
    a: arb = field(default_factory=lambda: arb(0))
    b: arb = field(default_factory=lambda: arb(0))
    wrong: float = 0.0
    off: float = 0.0


def lengths2(tape: Tape, axis: Axis, L: float, start: float, n: int, q: Parameters) -> Values:
    """|x_T|^2 of n runs of :func:`radial_run.descend`, with the declared bound on the float error."""
    states, alpha = [_State(arb(start)) for _ in range(n)], arb(q.alpha)
    for t in range(q.T):
        kept, M, tau = q.at_step(t)
        keep = arb(kept)
        found = estimates(tape, axis, [L * s.r for s in states], M, tau)
        omegas = [arb(0)] * n if kept == 0 else coordinate(tape, axis.d - 1)
        for s, (along, total, size), omega in zip(states, found, omegas, strict=True):
            old, new = keep * s.b, (1 - keep) * total.sqrt()
            s.a = keep * s.a + (1 - keep) * along
            s.b = (old * old + new * new + 2 * old * new * omega).nonnegative_part().sqrt()
            scale, square = float(old + new), (4 * M + 64) * EPS * size**2
            error = (4 * M + 64) * EPS * size + min(math.sqrt(square), square / float(total.sqrt()))
            s.off = kept * s.off + (1 - kept) * (error + axis.d * L * s.wrong)
            s.off += 16 * EPS * scale**2 / float(s.b)
            _move(s, alpha)
    return [(s.r * s.r, 2 * float(s.r) * s.wrong + s.wrong**2 + 8 * EPS * float(s.r) ** 2) for s in states]


def _move(s: _State, alpha: arb) -> None:
    """x <- x - alpha m, and m in the frame of the next point, whose direction is off by the error of x."""
    ahead, size = s.r - alpha * s.a, float((s.a * s.a + s.b * s.b).sqrt())
    after = (ahead * ahead + (alpha * s.b) ** 2).sqrt()
    reach = float(s.r) + float(alpha) * size
    s.wrong += float(alpha) * s.off + 8 * EPS * reach
    s.off += size * (2 * s.wrong + 16 * EPS * reach) / float(after)
    s.a, s.b, s.r = (s.a * ahead - alpha * s.b**2) / after, s.b * s.r / after, after
