"""Algorithm 1 on f = L x^2/2 on the line again in balls, from the same numbers (see :mod:`replay`)."""

from __future__ import annotations

import math

from flint import arb

from proofs_numeric.model.optimizer import Parameters
from proofs_numeric.model.oracles import LinearNoiseOracle
from proofs_numeric.precision.replay import EPS, Tape, Values, averages, clip


def descend(
    tape: Tape, oracle: LinearNoiseOracle, start: float, n: int, q: Parameters, clipping: str = "scalar"
) -> tuple[Values, Values]:
    """x_T and e_(T-1) = m_(T-1) - grad f_mu(x_(T-1)) of n runs from ``start``, with their declared bounds.

    ``clipping`` of each directional estimate ('scalar'), of their average ('vector') or of nothing ('raw').
    """
    L, alpha, beta = oracle.objective.L, arb(q.alpha), arb(q.beta)
    x, wrong = [arb(start)] * n, [0.0] * n  # the points, and how far the float points may be from them
    m, off = [arb(0)] * n, [0.0] * n
    last: Values = []
    for t in range(q.T):
        keep, M, tau = q.at_step(t)
        found = averages(tape, oracle, [[v] for v in x], q.mu, M, tau if clipping == "scalar" else math.inf)
        if clipping == "vector":
            found = [([clip(g, tau)], error) for (g,), error in found]
        last = []
        for r, ((g,), error) in enumerate(found):
            m[r] = g if keep == 0 else beta * m[r] + (1 - beta) * g
            # x - alpha (1 - keep) g(x) is a contraction of x, since g rises at a slope in [0, L], alpha L <= 1
            drift = wrong[r] + q.alpha * (keep * off[r] + (1 - keep) * error)
            off[r] = keep * off[r] + (1 - keep) * (error + L * wrong[r])
            off[r] += 4 * EPS * (abs(float(m[r])) + abs(float(g)))
            last.append((m[r] - L * x[r], off[r] + L * wrong[r] + 4 * EPS * (abs(float(m[r])) + L * abs(float(x[r])))))
            x[r] = x[r] - alpha * m[r]
            wrong[r] = drift + 4 * EPS * (abs(float(x[r])) + q.alpha * abs(float(m[r])))
    return list(zip(x, wrong, strict=True)), last
