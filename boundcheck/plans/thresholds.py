"""The free threshold of the sharper theorems: theta = sqrt(d) tau and its two shares, proposed by search.

A proposal is only a proposal: plans decide it in balls from the formulas of the catalogue.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import scipy
from flint import arb, ctx

from boundcheck.paper import formulas
from boundcheck.plans.theorem_plan import LARGEST, At, Number, Problem, exact, too_many_digits, value

STATEMENT = "app:sharp-deviation"
_BIAS, _LEVEL = formulas.bound("app:sharp-clipping-bias"), formulas.bound("app:sharp-bernstein")
_BITS = 96
WIDEST = 60.0  #: of the logarithm of a share, from where its search begins
_FAR = 1e12  #: the value of a proposal that cannot work, above every logarithm of a batch


class Shares(NamedTuple):
    """theta_1 for the signal and theta_2 for the noise, in the units of the gradient; exact."""

    theta1: Fraction
    theta2: Fraction


def clipped(problem: Problem, mu: Fraction, N: arb, theta1: Number, theta2: Number, bits: int) -> At:
    """The quantities of app:sharp-deviation that do not depend on the batch, for |grad f(x)| <= N."""
    return problem.at(STATEMENT, bits, mu=mu, N=N, theta1=theta1, theta2=theta2)


def log_batch(V: arb, R: arb, h: arb, room: arb) -> float:
    """log M of the real M at which M independent terms with V/M^2 and R/M deviate by ``room``; infinite for none.

    The level of app:sharp-bernstein is a x + b x^2 in x = M^(-1/2): its values at M = 1 and 4 tell a and b.
    """
    if not room > 0:
        return math.inf
    one, four = (value(_LEVEL, _BITS, V=V / M, R=R / M, h=h) for M in (1, 4))
    a, b = 4 * four - one, 2 * one - 4 * four
    x = 2 * room / (a + (a * a + 4 * b * room).sqrt())
    return -2 * float(x.log())


def propose(
    problem: Problem,
    mu: Fraction,
    N: arb,
    h: arb,
    room: arb,
    left: Callable[[arb], arb] | None = None,
    scales: tuple[Number, Number] = (1, 1),
) -> tuple[Shares, float]:
    """The shares that minimise the log of the batch as a real number, and that minimum.

    ``room`` is the accuracy that bias and fluctuation share, ``left`` what a bias leaves of it (room - bias), and
    ``scales`` what V = d Q^2 and R = sqrt(d) theta + Q of the fluctuation are multiplied by.
    """
    with ctx.workprec(_BITS + 32):
        d, (of_V, of_R) = exact(problem.d), map(exact, scales)

        def objective(logs: Sequence[float]) -> float:
            theta1, theta2 = arb(logs[0]).exp(), arb(logs[1]).exp()
            if not theta1 + theta2 >= exact(problem.sigma):
                return _FAR
            at = clipped(problem, mu, N, theta1, theta2, _BITS)
            Q, bias = at.ball("Q"), exact(at.of(_BIAS))
            V, R = of_V * d * Q**2, of_R * (d.sqrt() * at.ball("theta") + Q)
            loss = log_batch(V, R, h, room - bias if left is None else left(bias))
            return loss if math.isfinite(loss) else _FAR + float((bias / room).log())

        first = _start(problem, float(N.log()), float(room.log()))
        if objective(first) >= _FAR:  # the bias alone is too large: larger shares, the best of a coarse grid
            steps = [k * WIDEST / 12 for k in range(13)]
            first = min(((first[0] + i, first[1] + j) for i in steps for j in steps), key=objective)
        # a share that is far below the other changes nothing: without a limit the search goes on to ever smaller ones
        limits = [(x - WIDEST, x + WIDEST) for x in first]
        options = {"xatol": 1e-4, "fatol": 1e-6, "maxiter": 600}
        best = scipy.optimize.minimize(objective, first, method="Nelder-Mead", bounds=limits, options=options)
    theta1, theta2 = (_rounded(float(x)) for x in best.x)
    return Shares(theta1, theta2), float(best.fun)


def refuse_endless(problem: Problem, share: Fraction | int = 1) -> None:
    """Raise :class:`PlanError` where no batch up to LARGEST can work, before a long search says so.

    Bias and fluctuation have at most sqrt(2) eps each. So sigma^p theta2^(1-p)/(p-1) <= sqrt(2) eps tells the least
    theta2, and share sqrt(d) theta2 h/(3 M) <= sqrt(2) eps with h >= log 2 the least M.
    """
    with ctx.workprec(_BITS):
        excess, sigma, room = exact(problem.p) - 1, exact(problem.sigma), arb(2).sqrt() * exact(problem.eps)
        log_theta = ((1 + excess) * sigma.log() - (excess * room).log()) / excess
        log_M = log_theta + (exact(share) * exact(problem.d).sqrt() * arb.const_log2() / (3 * room)).log()
        if log_M > LARGEST.bit_length() * arb.const_log2():
            raise too_many_digits()


def _start(problem: Problem, log_N: float, log_room: float) -> tuple[float, float]:
    """The logarithms of the shares that the search begins with."""
    exponent, log_sigma = float(problem.p - 1), float(exact(problem.sigma).log())
    noise = (math.log(4 / exponent) - log_room + float(problem.p) * log_sigma) / exponent
    return log_N + 1.0, max(noise, log_sigma)


def _rounded(logarithm: float) -> Fraction:
    """e^logarithm to five significant digits, however large."""
    decimal = logarithm / math.log(10)
    digits = math.floor(decimal) - 4
    return Fraction(round(10 ** (decimal - digits))) * Fraction(10) ** digits
