"""Exact tails of projections on a uniform direction, as certified balls (python-flint ``arb``).

u is uniform on the unit sphere S^(d-1), d an integer >= 1, and U_1 any one coordinate of it: U_1^2 is of law
Beta(1/2, (d-1)/2) for d >= 2, a random sign for d = 1. For |zeta| of law R independent of u the projection <zeta, u>
is R U_1 in law whatever the direction of zeta. Noise has the extremal norm of the weak-L_p class,
P(R > t) = min(1, (sigma/t)^p).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import acb, arb, ctx

from boundcheck.kernel.enclosure.quadrature import integrate

DEFAULT_BITS = 128  #: working precision of the certified values of this module
GOAL = 56  #: accuracy goal of the quadrature in bits, relative to the bound of the integrand
UNIT = arb(0.5, 0.5)  #: the ball [0, 1]
HALF = arb(0.5)
_GROWN = 256  #: exponent of the terms of a series that cancel, from which on the other series has all digits
Integrand = Callable[[acb, bool], acb]


def to_ball(x: int | float | str | Fraction | arb) -> arb:
    """The ball of an exact number: a double stands for itself, a text is a decimal or "a/b"."""
    if isinstance(x, str):
        x = Fraction(x)
    return arb(x.numerator) / x.denominator if isinstance(x, Fraction) else arb(x)


def clip_unit(x: arb) -> arb:
    """The part of ``x`` in [0, 1]; [0, 1] itself where ``x`` is not finite. Sound for probabilities only."""
    if not x.is_finite():
        return UNIT
    low, high = x.lower(), x.upper()
    low = arb(0) if low < 0 else low
    high = arb(1) if high > 1 else high
    return low.union(high) if low <= high else UNIT


def accurate(value: Callable[[], arb], bits: int = 64, limit: int = 2048) -> arb:
    """``value()`` at rising working precision until it has ``bits`` accurate bits or ``limit`` is reached.

    The last enclosure is returned in either case: it is sound, perhaps wide.
    """
    working = max(DEFAULT_BITS, 2 * bits)
    while True:
        with ctx.workprec(working):
            ball = value()
        if working >= limit or (ball.is_finite() and (ball.is_zero() or ball.rel_accuracy_bits() >= bits)):
            return ball
        working *= 2


# ---------------------------------------------------------------- special functions


def power(x: arb, y: arb) -> arb:
    """x**y for x >= 0, and y > 0 where x may be 0: monotone in x, so evaluated at its ends if x touches 0."""
    if x > 0 or not x.is_finite():
        return x**y
    top = x.upper()
    if not y > 0:
        return arb.nan()
    return arb(0) if top <= 0 else arb(0).union((top**y).upper())


def _beyond(a: arb, b: arb, x: arb) -> arb:
    """1 - I_x(a, b) for a, b > 0 and 0 < x < 1, by a series that is the better the larger b x is.

    It is (1-x)^b x^(a-1)/(b B(a, b)) times F = b int_0^1 (1-s)^(b-1) (1 + w s)^(a-1) ds, w = (1-x)/x. What is left of
    Taylor's series of the power after N >= a - 1 terms lies between 0 and the next one, and so does what is left of
    F = sum of (a-1) ... (a-n)/((b+1) ... (b+n)) w^n.
    """
    w, total, n = (1 - x) / x, arb(0), 0
    term = arb(1)
    while True:
        total += term
        following = term * (a - 1 - n) / (b + 1 + n) * w
        n += 1
        ended = not abs(following) < abs(term) or abs(following) < arb(2) ** -ctx.prec
        if a <= n + 1 and (ended or n > ctx.prec):
            break
        term = following
    before = b * (-x).log1p() + (a - 1) * x.log() + (a + b).lgamma() - a.lgamma() - (b + 1).lgamma()
    return clip_unit(before.exp() * (total + following * UNIT))


def _beta_at(a: arb, b: arb, x: arb, upper: bool) -> arb:
    if x <= 0 or x >= 1:
        return arb(int((x <= 0) == upper))
    # The series is fast on the smaller of x and 1 - x; its terms grow to exp(b x), and its complement cancels.
    small = x < 0.5
    near = UNIT if small and x * b > _GROWN else x.beta_lower(a, b, 1) if small else (1 - x).beta_lower(b, a, 1)
    first = clip_unit(near if small != upper else 1 - near)
    if first.rel_accuracy_bits() > 20:
        return first
    beyond = _beyond(a, b, x) if small else 1 - x.beta_lower(a, b, 1)
    second = clip_unit(beyond if upper else 1 - beyond)
    return first if first.rad() <= second.rad() else second


def beta(a: arb, b: arb, x: arb, upper: bool = False) -> arb:
    """I_x(a, b), the regularised incomplete beta function, for a, b > 0 and x clipped to [0, 1]; or 1 - I_x(a, b)."""
    return _beta_at(a, b, x.lower(), upper).union(_beta_at(a, b, x.upper(), upper))


def gamma_ratio(a: arb, b: arb) -> arb:
    """Gamma(a)/Gamma(b) for a, b > 0."""
    return (a.lgamma() - b.lgamma()).exp()


# ---------------------------------------------------------------- one coordinate of the direction


def tail(d: int, c: arb) -> arb:
    """P(|U_1| > c) = 1 - I_{c^2}(1/2, (d-1)/2) for c >= 0, d >= 2; 1{c < 1} for d = 1."""
    if d == 1:
        return arb(1) if c < 1 else arb(0) if c >= 1 else UNIT
    return beta(HALF, arb(d - 1) / 2, c * c, upper=True)


def moment(d: int, q: arb) -> arb:
    """E|U_1|^q = Gamma(d/2) Gamma((1+q)/2) / (sqrt(pi) Gamma((d+q)/2)), q > -1."""
    return gamma_ratio((q + 1) / 2, HALF) * gamma_ratio(arb(d) / 2, (d + q) / 2)


def moment_below(d: int, q: arb, c: arb) -> arb:
    """E[|U_1|^q; |U_1| <= c] = E|U_1|^q I_{c^2}((1+q)/2, (d-1)/2), c >= 0, q > -1."""
    if d == 1:
        return 1 - tail(1, c)
    return moment(d, q) * beta((q + 1) / 2, arb(d - 1) / 2, c * c)


# ---------------------------------------------------------------- projections


def signal_tail(d: int, gradient: arb, r: arb) -> arb:
    """P(|<g, u>| > r) for |g| = ``gradient`` > 0, r >= 0: zero from r = |g| on."""
    return tail(d, r / gradient)


def noise_tail(d: int, p: arb, sigma: arb, r: arb) -> arb:
    """P(|<zeta, u>| > r) = E min(1, (sigma |U_1|/r)^p), r > 0.

    Equals P(|U_1| > c) + c^-p E[|U_1|^p; |U_1| <= c] with c = r/sigma; for c >= 1, c^-p E|U_1|^p.
    """
    c = r / sigma
    if d == 1:
        return power((1 / c).min(arb(1)), p)
    return tail(d, c) + power(1 / c, p) * moment_below(d, p, c)


def aligned_tail(d: int, p: arb, sigma: arb, gradient: arb, centred: bool, r: arb) -> arb:
    """P(|<g + X v, u>| > r) for r > 0, v the direction of g and |g| = ``gradient`` >= 0.

    X is the norm R itself, or with ``centred`` +-R with a fair sign: given X the projection is |g + X v| U_1 in law,
    and P(|g + X v| > r/|U_1|) is integrated over the angle. Raises ``ArithmeticError`` if the quadrature fails.
    """

    def norm_tail(z: acb, at: arb, analytic: bool) -> acb:
        """P(R > z), off the line continued from the piece of the real point ``at``."""
        if z.imag.is_zero() and not analytic:
            return acb((sigma / z.real.max(sigma)) ** p)
        if at > sigma:
            return (sigma / z).pow(acb(p), analytic=analytic)
        return acb(1) if at <= sigma else acb(arb.nan())

    def length_tail(a: acb, at: arb, analytic: bool) -> acb:
        """P(|g + X v| > a), likewise."""
        along = norm_tail(a - gradient, at - gradient, analytic)
        if not centred:
            return along
        against = 1 - norm_tail(gradient - a, gradient - at, analytic)
        return (along + against + norm_tail(a + gradient, at + gradient, analytic)) / 2

    with ctx.workprec(DEFAULT_BITS):
        if d == 1:
            return clip_unit(length_tail(acb(r), r, False).real)
        lengths = [abs(gradient + x) for x in ((sigma, -sigma) if centred else (sigma,))]
        angles = [(r / a).acos() for a in lengths if a > r]
        constant = 2 * gamma_ratio(arb(d) / 2, arb(d - 1) / 2) / arb.pi().sqrt()

        def piece(angle: arb) -> Integrand:
            at = r / angle.cos()
            return lambda z, analytic: constant * z.sin() ** (d - 2) * length_tail(r / z.cos(), at, analytic)

        return clip_unit(piecewise_integral(piece, angles, arb(0), arb.pi() / 2, constant * UNIT))


def piecewise_integral(piece: Callable[[arb], Integrand], knots: list[arb], low: arb, high: arb, values: arb) -> arb:
    """An enclosure of the integral from ``low`` to ``high`` of a real function with values in the ball ``values``.

    ``piece(x)`` is f continued from the real point x, analytic between two knots. Knots are balls: the sliver
    that such a ball covers contributes its width times ``values``, as does any real box where f has no
    finite enclosure. Raises ``ArithmeticError`` if the quadrature fails.
    """
    inside = sorted((k for k in knots if k.is_finite() and k > low and k < high), key=float)
    total, at = arb(0), low.lower()
    for end in [*inside, high]:
        stop = end.lower()
        if stop > at:
            total += _integral(piece(((at + stop) / 2).mid()), at, stop, values)
            at = stop
        reach = end.upper()
        if reach > at:
            total += (reach - at) * values
            at = reach
    return total


def _integral(f: Integrand, low: arb, high: arb, values: arb) -> arb:
    def guarded(z: acb, analytic: bool) -> acb:
        value = f(z, analytic)
        if not analytic and z.imag.is_zero() and not (value.is_finite() and value.real.rad() < values.rad()):
            return acb(values)
        return value

    tolerance = values.abs_upper() * arb(2) ** -GOAL
    result = integrate(guarded, low, high, abs_tol=tolerance, rel_tol=arb(2) ** -GOAL)
    if not result.is_finite():
        raise ArithmeticError("the certified quadrature did not converge")
    return result.real
