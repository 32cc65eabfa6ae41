"""Projections <zeta, u> and <g, u> on a uniform direction u of S^(d-1), independent of zeta, in closed form.

For |zeta| of law R independent of u the projection is R U_1 in law whatever the direction of zeta.
With P(R > t) = min(1, (sigma/t)^p), the extremal norm of the weak-L_p class, everything is an incomplete
beta function of c = r/sigma. Functions take the arithmetic ``k`` first; d is an integer >= 1, p > 1.
"""

from __future__ import annotations

from typing import Any

from certified_laws import sphere_laws
from certified_laws.arithmetic import Arithmetic


def signal_tail(k: Arithmetic, d: Any, gradient: Any, r: Any) -> Any:
    """P(|<g, u>| > r) for |g| = ``gradient`` > 0, r >= 0: zero from r = |g| on."""
    return sphere_laws.tail(k, k.number(r) / k.number(gradient), d)


def noise_tail(k: Arithmetic, d: Any, p: Any, sigma: Any, r: Any) -> Any:
    """P(|<zeta, u>| > r) = E min(1, (sigma |U_1|/r)^p), r > 0.

    Equals P(|U_1| > c) + c^-p E[|U_1|^p; |U_1| <= c] with c = r/sigma; for c >= 1, c^-p E|U_1|^p.
    """
    c, p = k.number(r) / k.number(sigma), k.number(p)
    if sphere_laws.is_line(d):
        return k.power(k.minimum(k.number(1), k.number(1) / c), p)
    return sphere_laws.tail(k, c, d) + k.power(k.number(1) / c, p) * sphere_laws.moment_below(k, p, d, c)


def clipped_projection(k: Arithmetic, d: Any, length: Any, tau: Any) -> Any:
    """E[min(N |U_1|, tau) |U_1|], so that E[psi_tau(<h, u>) u] is this times h/N for |h| = N = ``length`` > 0."""
    n, tau = k.number(length), k.number(tau)
    c = tau / n
    return n * sphere_laws.moment_below(k, 2, d, c) + tau * sphere_laws.moment_above(k, 1, d, c)


def clipped_projection_square(k: Arithmetic, d: Any, length: Any, tau: Any) -> Any:
    """E min(<h, u>^2, tau^2) for |h| = ``length`` > 0."""
    c, n, tau = k.number(tau) / k.number(length), k.number(length), k.number(tau)
    return n * n * sphere_laws.moment_below(k, 2, d, c) + tau * tau * sphere_laws.tail(k, c, d)
