"""The binomial rule for P(bad) <= q: critical count c, upper limit U, smallest detectable truth p1.

All three are incomplete-Beta identities, P(Bin(N, q) >= c) = I_q(c, N - c + 1); c and U are rounded
up, so that an error of the special functions costs power and never validity. The inverse functions lose digits where
N is large, so that what they give is tried on the function itself, which keeps ten of them up to N = 10^12.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

GUARD = 1e-9  #: relative room left for rounding in the special functions


def check_level(a: float) -> float:
    """``a`` itself; raises ValueError unless 0 < a < 1."""
    if not 0 < a < 1:
        raise ValueError(f"an error level must lie in (0, 1), got {a!r}")
    return float(a)


def check_trials(N: int) -> int:
    """``N`` itself; raises ValueError unless it is at least 1."""
    if N < 1:
        raise ValueError(f"the number of trials must be at least 1, got {N!r}")
    return int(N)


def tail_probability(N: int, q: float, c: int) -> float:
    """P(Bin(N, q) >= c) = I_q(c, N - c + 1)."""
    if c <= 0:
        return 1.0
    return 0.0 if c > N else float(special.betainc(c, N - c + 1, q))


def critical_count(N: int, q: float, a: float) -> int:
    """c = min{c : P(Bin(N, q) >= c) <= a}: reject P(bad) <= q iff at least c trials are bad; N + 1 means never."""
    check_trials(N)
    check_level(a)
    if q >= 1:
        return N + 1
    return 1 + bisect_left(range(1, N + 1), True, key=lambda c: tail_probability(N, q, c) * (1 + GUARD) <= a)


def critical_count_below(N: int, q: float, a: float) -> int:
    """max{c : P(Bin(N, q) <= c) <= a}: reject P(bad) >= q iff at most this many trials are bad; -1 means never."""
    check_trials(N)
    check_level(a)
    q = min(max(q, 0.0), 1.0)
    return bisect_left(range(N), True, key=lambda c: float(special.betaincc(c + 1, N - c, q)) * (1 + GUARD) > a) - 1


def _check_count(k: int, N: int, a: float) -> None:
    check_trials(N)
    check_level(a)
    if not 0 <= k <= N:
        raise ValueError(f"the number of bad trials must lie in [0, {N}], got {k!r}")


def _moved(x: float, end: float, holds: Callable[[float], bool]) -> float:
    """``x``, moved in growing steps towards ``end`` (0 or 1) until it holds."""
    step = max(GUARD * min(x, 1 - x), math.ulp(x))
    while x != end and not holds(x):
        x = min(x + step, 1.0) if end else max(x - step, 0.0)
        step *= 2
    return x


def upper_limit(k: int, N: int, a: float) -> float:
    """Clopper-Pearson: the largest P(bad) not rejected at level ``a`` by k bad of N, rounded up."""
    _check_count(k, N, a)
    if k == N:
        return 1.0
    start = -math.expm1(math.log(a) / N) if k == 0 else float(special.betainccinv(k + 1, N - k, a))
    return _moved(
        min(1.0, start * (1 + GUARD)), 1.0, lambda u: float(special.betaincc(k + 1, N - k, u)) * (1 + GUARD) <= a
    )


def lower_limit(k: int, N: int, a: float) -> float:
    """The smallest P(bad) not rejected at level ``a``, rounded down."""
    _check_count(k, N, a)
    if k == 0:
        return 0.0
    start = 1.0 - upper_limit(N - k, N, a) if k > N // 2 else float(special.betaincinv(k, N - k + 1, a)) * (1 - GUARD)
    return _moved(max(0.0, start), 0.0, lambda q: tail_probability(N, q, k) * (1 + GUARD) <= a)


def detectable(N: int, c: int, power: float) -> float:
    """p1 = the smallest P(bad) for which at least c of N trials are bad with probability ``power``; inf if c > N."""
    check_level(power)
    if c > N:
        return math.inf
    if c <= 0:
        return 0.0
    start = min(1.0, float(special.betaincinv(c, N - c + 1, power)) * (1 + GUARD))
    return _moved(start, 1.0, lambda q: tail_probability(N, q, c) >= power)


def independence(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> float:
    """Fisher's exact p-value of trials in pairs: at most t with probability t where ``a`` is independent of ``b``, and
    its own trials are of each other and alike."""
    from scipy.stats import fisher_exact  # it takes long to import, and few need it

    both, one, other = (int(np.count_nonzero(x)) for x in (a & b, a, b))
    return float(fisher_exact([[both, one - both], [other - both, len(a) - one - other + both]])[1])
