"""Limits at the ends of a range, by expansions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import fmpq

from boundcheck.kernel.check.expansion import Expansion
from boundcheck.kernel.check.laurent import Class, Coefficient, NoExpansion
from boundcheck.kernel.check.poly import AlgebraLimit
from boundcheck.kernel.check.sequent import Refused, Sequent
from boundcheck.kernel.enclosure.intervals import ENTIRE, INF, NINF, exact, neg, point, positive, sub
from boundcheck.kernel.formula import Expr

WIDTH = Fraction(1, 2**20)  #: of the neighbourhood of an end in which a limit is looked for


def require_vanishing(seq: Sequent, t: str, gap: Expr, end: Expr | None, side: int, clock: Callable[[], None]) -> None:
    """Refuse where ``gap`` is not seen to tend to 0 as t tends to the end (None: to oo or -oo), from the side of the
    range: 1 at its low end, -1 at its high end. Raises :class:`Refused`."""
    box = {v: r for v, r in (seq.box or {}).items() if v != t}
    x = Expansion(seq.algebra, box, t, end, side if end is not None else -side, WIDTH, 6, clock)
    try:
        constant = limit_of(x, gap)
    except (NoExpansion, AlgebraLimit, ZeroDivisionError, OverflowError) as error:
        raise Refused(f"no limit: {error}") from None
    if not x.c_zero(constant):
        raise Refused("the limit is another one")


def limit_of(x: Expansion, e: Expr) -> Coefficient:
    """The limit of a formula where ``x`` expands it. Raises :class:`NoExpansion` or :class:`AlgebraLimit`.

    With h -> 0 and L = -log h -> oo, h**e L**m vanishes for e > 0 and for e = 0 > m; so does a remainder with a
    bounded factor of it. An exponential that falls vanishes with all of its factors (:func:`_falls`).
    """
    whole = x.of(e)
    limit: Coefficient = fmpq(0)
    for k, s in whole.items():
        if any(not (r[0] > NINF and r[1] < INF) for r in s.rest.values()):
            raise NoExpansion("the remainder is not bounded")
        if k:
            powers = [power for power, _ in s.terms]
            _falls(x, k, powers if s.order is None else [*powers, s.order])
            continue
        for (power, logs), c in s.terms.items():
            if power == 0 and logs == 0:
                limit = c
            elif power < 0 or (power == 0 and logs > 0):
                raise NoExpansion("a divergent term")
        if s.order is not None and s.order <= 0:
            raise NoExpansion("the remainder hides the limit")
    return limit


def _falls(x: Expansion, k: Class, powers: list[Fraction]) -> None:
    """Does exp(A) h**p L**q vanish for every p of ``powers``, whatever q? Raises :class:`NoExpansion`.

    The fastest divergence of A, c h**e L**m with the least e and then the largest m, has c < 0. Where e < 0 or m > 1
    the exponential beats every power of h. Where A = c L + slower, exp(A) is h**(-c) but for slower factors, so that
    p - c > 0 is wanted; where it is slower than L, it beats powers of L alone.
    """
    (power, logs), rate = x.fastest(k)
    if not positive(neg(rate), True):
        raise NoExpansion("an exponential that may grow")
    if power < 0 or logs > 1:
        return
    for p in powers:
        above = positive(sub(point(exact(p)) or ENTIRE, rate), True) if logs == 1 else p >= 0
        if not above:
            raise NoExpansion("an exponential that falls slower than a power grows")
