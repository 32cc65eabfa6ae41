"""``acb.integral`` for an integrand that may raise, give up, or be interrupted.

python-flint ends at once with a ValueError. After another exception, an interrupt say, it goes on with the integrand
as if a value had come, and what it ends with is a SystemError that ``except Exception`` takes for a fault of the
engine. After a nan it goes on too, up to the limit of evaluations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import acb, arb


class GivenUp(Exception):
    """Raised by an integrand that has no value to give: the integral is nan, and nothing more is evaluated."""


def integrate(f: Callable[[Any, bool], Any], a: Any, b: Any, **options: Any) -> acb:
    """acb.integral(f, a, b, **options); what ``f`` raises, or a signal while it runs, is raised here, and no value."""
    raised: list[BaseException] = []

    def guarded(z: Any, analytic: bool) -> Any:
        try:
            len(raised)  # an interrupt between two calls of f is still pending: any call turns it into a SystemError
            return f(z, analytic)
        except BaseException as fault:
            raised.append(fault)
            raise ValueError from fault

    try:
        result = acb.integral(guarded, acb(a), acb(b), **options)
    except (SystemError, ValueError) as fault:
        raised.append(fault)
    if not raised:
        return result
    first = _first(raised[0])
    if isinstance(first, GivenUp):
        return acb(arb.nan())
    raise first


def _first(fault: BaseException) -> BaseException:
    """The exception that a SystemError stands for."""
    while isinstance(fault, SystemError) and fault.__cause__ is not None:
        fault = fault.__cause__
    return fault
