"""The free threshold of the sharper theorems: theta = sqrt(d) tau and its two shares, proposed by search.

A proposal is only a proposal: plans decide it in balls from the formulas of the catalogue.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx
from scipy.optimize import minimize

from boundcheck.paper import formulas
from boundcheck.plan import Problem, exact, value

STATEMENT = "app:sharp-deviation"
_BIAS, _LEVEL = formulas.bound("app:sharp-clipping-bias"), formulas.bound("app:sharp-bernstein")
_TAU, _NOISE, _SPREAD = (formulas.value(STATEMENT, symbol) for symbol in ("tau", "J", "Q"))
_BITS = 96
_FAR = 1e12  #: the value of a proposal that cannot work, above every logarithm of a batch


@dataclass(frozen=True)
class Shares:
    """theta_1 for the signal and theta_2 for the noise, in the units of the gradient; exact."""

    theta1: Fraction
    theta2: Fraction


@dataclass(frozen=True)
class Clipped:
    """The quantities of app:sharp-deviation that do not depend on the batch, as balls."""

    tau: arb
    theta: arb
    Q: arb
    bias: arb


def clipped(problem: Problem, mu: Fraction, N: arb, shares: Shares, bits: int) -> Clipped:
    """tau, theta = sqrt(d) tau, Q = N + J + sqrt(d) L mu/2 and the bias, for |grad f(x)| <= N."""
    return _clipped(problem, mu, N, exact(shares.theta1), exact(shares.theta2), bits)


def _clipped(problem: Problem, mu: Fraction, N: arb, theta1: arb, theta2: arb, bits: int) -> Clipped:
    p, d, L, sigma = problem.p, problem.d, problem.L, problem.sigma
    tau = value(_TAU, bits, theta1=theta1, theta2=theta2, d=d, L=L, mu=mu)
    theta = exact(d).sqrt() * tau
    J = value(_NOISE, bits, p=p, sigma=sigma, theta=theta)
    Q = value(_SPREAD, bits, N=N, J=J, d=d, L=L, mu=mu)
    return Clipped(tau, theta, Q, value(_BIAS, bits, d=d, N=N, p=p, sigma=sigma, theta1=theta1, theta2=theta2))


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
    problem: Problem, mu: Fraction, N: arb, room: arb, log_batch: Callable[[Clipped], float]
) -> tuple[Shares, float]:
    """The shares that minimise ``log_batch`` (log of the batch as a real number), and that minimum.

    ``room`` is the accuracy that bias and fluctuation share; ``log_batch`` may return infinity.
    """
    with ctx.workprec(_BITS + 32):
        exponent = float(problem.p - 1)
        sigma, level = float(problem.sigma), float(room)
        noise = (math.log(4 / (exponent * level)) + float(problem.p) * math.log(sigma)) / exponent
        first = [math.log(float(N)) + 1.0, max(noise, math.log(sigma))]

        def objective(logs: list[float]) -> float:
            theta1, theta2 = arb(logs[0]).exp(), arb(logs[1]).exp()
            if not theta1 + theta2 >= exact(problem.sigma):
                return _FAR
            found = _clipped(problem, mu, N, theta1, theta2, _BITS)
            loss = log_batch(found)
            return loss if math.isfinite(loss) else _FAR + float((found.bias / room).log())

        best = minimize(objective, first, method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-6, "maxiter": 600})
    theta1, theta2 = (_rounded(float(x)) for x in best.x)
    return Shares(theta1, theta2), float(best.fun)


def _rounded(logarithm: float) -> Fraction:
    """e^logarithm to five significant digits, however large."""
    decimal = logarithm / math.log(10)
    digits = math.floor(decimal) - 4
    return Fraction(round(10 ** (decimal - digits))) * Fraction(10) ** digits
