"""The two-point estimate Y = <g + X v, u> of a linear or quadratic f: its exact law by certified quadrature.

u is uniform on S^(d-1) and independent of X; v is a fixed unit vector at cosine ``cosine`` to g. For
linear f, and for quadratic f where the symmetric difference is exact, Y is the estimator's scalar.
Given X, Y = N U_1 in law with N = |g + X v|, so P(|Y| > t) = E_U P(N > t/|U_1|): one integral over the
angle for the tail, one over X for the clipped moments. Every value is an enclosure (``arb``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import acb, arb, ctx

from boundcheck.laws import DEFAULT_BITS, GOAL, UNIT, Integrand, clip_unit, piecewise_integral
from certified_laws import directional, sphere_laws
from certified_laws.arithmetic import BALLS, to_ball
from certified_laws.scalar_noise import Chart, Number, ScalarLaw


def _symmetric(bound: arb) -> arb:
    return arb(0, bound.upper()) if bound > 0 else arb(0)


@dataclass(frozen=True)
class TwoPoint:
    """Y = <g + X v, u> with |g| = ``gradient``, <g, v> = ``cosine`` |g|, |v| = 1, X ~ ``noise``.

    ``cosine`` = 1 or -1 is parallel noise, 0 orthogonal. d = 1 admits only 1 and -1. Exact numbers; the
    gradient's norm and the levels t may be balls.
    """

    d: int
    gradient: Number | arb
    noise: ScalarLaw
    cosine: Number = 1

    def __post_init__(self) -> None:
        sphere_laws.check_dimension(self.d)
        if not self.gradient >= 0:
            raise ValueError(f"gradient = {self.gradient}: a norm is >= 0")
        if not -1 <= self.cosine <= 1:
            raise ValueError(f"cosine = {self.cosine}: it lies in [-1, 1]")
        if self.d == 1 and abs(self.cosine) != 1:
            raise ValueError(f"cosine = {self.cosine}: on the line it is 1 or -1")

    def _parts(self) -> tuple[arb, arb, arb]:
        """|g| cosine, |g|^2 (1 - cosine^2) and sqrt(1 - cosine^2)."""
        g, cosine = to_ball(self.gradient), Fraction(self.cosine)
        across = to_ball(1 - cosine * cosine)
        return g * to_ball(cosine), g * g * across, across.sqrt()

    def _length_tail(self, at: arb) -> Callable[[acb, bool], acb]:
        """(a, analytic) -> P(N > a) on the piece of the real point ``at`` > 0."""
        along, across, _ = self._parts()
        if at * at < across:
            return lambda a, analytic: acb(1)
        point = at if across.is_zero() else (at * at - across).nonnegative_part().sqrt()

        def tail(a: acb, analytic: bool) -> acb:
            y = a if across.is_zero() else (a * a - across).sqrt(analytic=analytic)
            above = self.noise.above(y - along, point - along, analytic)
            return above + self.noise.below(-y - along, -point - along, analytic)

        return tail

    def tail(self, t: Number | arb) -> arb:
        """P(|Y| > t) for t > 0."""
        if not t > 0:
            raise ValueError(f"t = {t}: a positive number is wanted")
        with ctx.workprec(DEFAULT_BITS):
            level = to_ball(t)
            along, across, _ = self._parts()
            if self.d == 1:
                return clip_unit(self._length_tail(level)(acb(level), False).real)
            lengths = [across.sqrt(), *((abs(k + along) ** 2 + across).sqrt() for k in self.noise.knots())]
            angles = [(level / a).acos() for a in lengths if a > level]
            constant = 2 * BALLS.gamma_ratio(arb(self.d) / 2, arb(self.d - 1) / 2) / arb.pi().sqrt()

            def piece(angle: arb) -> Integrand:
                tail = self._length_tail(level / angle.cos())
                return lambda z, analytic: constant * z.sin() ** (self.d - 2) * tail(level / z.cos(), analytic)

            value = piecewise_integral(piece, angles, arb(0), arb.pi() / 2, constant * UNIT)
            return clip_unit(value)

    def clipped_mean(self, tau: Number) -> tuple[arb, arb]:
        """E[psi_tau(Y) u] as its component along g/|g| and along the unit part of v orthogonal to g, tau > 0.

        With g = 0 the first component is the one along v/``cosine``. Given X it is phi(N) h/N, h = g + X v.
        """
        g, cosine = to_ball(self.gradient), to_ball(self.cosine)
        _, _, sine = self._parts()
        first = self._over_noise(lambda x, per: per * (g + x * cosine), tau, power=1)
        if sine.is_zero():
            return first, arb(0)
        return first, self._over_noise(lambda x, per: per * x * sine, tau, power=1)

    def clipped_square(self, tau: Number) -> arb:
        """E[psi_tau(Y)^2], tau > 0."""
        return self._over_noise(lambda x, per: per, tau, power=2)

    def _over_noise(self, value: Callable[[acb, acb], acb], tau: Number, power: int) -> arb:
        """E value(X, per) where per is phi(N)/N for ``power`` 1 and E[min(N^2 U_1^2, tau^2) | N] for 2."""
        if not tau > 0:
            raise ValueError(f"tau = {tau}: a positive number is wanted")
        with ctx.workprec(DEFAULT_BITS):
            level = to_ball(tau)
            bound = level**power  # |phi| <= tau E|U_1| and the square is at most tau^2
            total = arb(0)
            for chart in self.noise.charts():
                total += self._over_chart(chart, value, level, power, bound)
            return total

    def _over_chart(self, chart: Chart, value: Callable[[acb, acb], acb], tau: arb, power: int, bound: arb) -> arb:
        along, across, _ = self._parts()
        square = to_ball(self.gradient) ** 2
        reach = arb(1)
        while chart.mass_beyond(reach) > arb(2) ** -GOAL:
            reach *= 2
        low = -reach if chart.start is None else chart.start
        knots: list[arb] = []
        if tau * tau > across:  # N = tau at x = -|g| cosine +- sqrt(tau^2 - |g|^2 sin^2)
            half = (tau * tau - across).sqrt()
            places = [chart.knot(-along + half), chart.knot(-along - half)]
            knots = [s for s in places if s is not None]

        def length_square(x: acb) -> acb:
            return square + 2 * along * x + x * x

        def piece(s: arb) -> Integrand:
            x = chart.place(acb(s)).real
            inside = length_square(acb(x)).real <= tau * tau

            def f(z: acb, analytic: bool) -> acb:
                place = chart.place(z)
                if inside:
                    per = acb(arb(1) / self.d) if power == 1 else length_square(place) / self.d
                else:
                    per = self._clipped(length_square(place), tau, power, analytic)
                weight: acb = chart.weight(z)
                return weight * value(place, per)

            return f

        most = chart.weight_bound * bound
        result = piecewise_integral(piece, knots, low, reach, most.upper() * UNIT if power == 2 else _symmetric(most))
        return result + _symmetric(chart.mass_beyond(reach) * bound)

    def _clipped(self, n2: acb, tau: arb, power: int, analytic: bool) -> acb:
        """phi(N)/N (``power`` 1) or E[min(N^2 U_1^2, tau^2)] (2) where N^2 = ``n2`` > tau^2."""
        if not analytic and n2.imag.is_zero():
            return self._clipped_on_reals(n2.real, tau, power)
        c2 = tau * tau / n2
        if analytic and not (c2.real > 0 and c2.real < 1):
            return acb(arb.nan())
        c = c2.sqrt(analytic=analytic)
        if self.d == 1:
            return c if power == 1 else acb(tau * tau)
        second = c * c2 * self._beta_factor(3, c2) / self.d  # E[U_1^2; |U_1| <= c]
        if power == 1:
            b = arb(self.d - 1) / 2
            first: acb = sphere_laws.moment(BALLS, 1, self.d) * (1 - c2).pow(acb(b), analytic=analytic)
            return second + c * first
        return n2 * second + tau * tau * (1 - c * self._beta_factor(1, c2))

    def _clipped_on_reals(self, n2: arb, tau: arb, power: int) -> acb:
        """The same on a real box by its ends: decreasing in N for ``power`` 1, increasing for 2."""
        ends = [n2.lower(), n2.upper()]
        if not (n2.is_finite() and ends[0] > 0):
            return acb(arb.nan())
        lengths = [e.sqrt() for e in ends]
        if power == 1:
            values = [directional.clipped_projection(BALLS, self.d, n, tau) / n for n in lengths]
        else:
            values = [directional.clipped_projection_square(BALLS, self.d, n, tau) for n in lengths]
        return acb(values[0].union(values[1]))

    def _beta_factor(self, twice: int, x: acb) -> acb:
        """I_x(a, b) / x^a = 2F1(a, 1-b; a+1; x)/(a B(a, b)) for a = ``twice``/2, b = (d-1)/2."""
        a, b = arb(twice) / 2, arb(self.d - 1) / 2
        scale = BALLS.gamma_ratio(a + b, a) / b.gamma() / a
        return scale * x.hypgeom_2f1(acb(a), acb(1 - b), acb(a + 1))
