"""The ends of a function's domain and its limits there, as balls at the precision in force."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from flint import arb, fmpq

from boundcheck.kernel.formula.functions import TABLE

_NAMED: dict[str, Callable[[], Any]] = {
    "pi": lambda: arb.pi(),
    "pi/2": lambda: arb.pi() / 2,
    "-pi/2": lambda: -arb.pi() / 2,
    "-1/E": lambda: -1 / arb.const_e(),
}
_CONSTANT = {"-oo": arb.neg_inf(), "oo": arb.pos_inf()}
_METHOD = {"loggamma": "lgamma"}


def _number(text: str) -> Callable[[], Any]:
    """The value of an end as the table writes it: a decimal number, oo, or one of the constants above."""
    if text in _NAMED:
        return _NAMED[text]
    if text in _CONSTANT:
        return lambda: _CONSTANT[text]
    value = _decimal(text)
    return lambda: arb(value)  # anew, at the precision in force


def _decimal(text: str) -> fmpq:
    whole, _, part = text.partition(".")
    return fmpq(int(whole + part), 10 ** len(part))


@dataclass(frozen=True)
class Ends:
    """Domain and limits of one function; each end is computed when it is asked for."""

    ball: Callable[[Any], Any]  #: the function on balls in its domain
    value: Callable[[Any], Any]  #: at an exact point; at an end of the domain or beyond it the limit; NaN if not told
    low: Callable[[], Any]
    high: Callable[[], Any]
    closed: tuple[bool, bool]  #: True at an infinite end, which stands for a limit that is not attained
    rises: bool | None
    partial: bool
    range: Callable[[], tuple[Any, Any]]  #: bounds of all values, where it neither rises nor falls

    def holds(self, x: Any) -> bool:
        """Whether all of a ball is certainly in the domain."""
        low, high = self.low(), self.high()
        above = x >= low if self.closed[0] else x > low
        return bool(above and (x <= high if self.closed[1] else x < high))


def _everywhere(
    ball: Callable[[Any], Any], at_low: Callable[[], Any], at_high: Callable[[], Any]
) -> Callable[[Any], Any]:
    def value(x: Any) -> Any:
        return ball(x) if x.is_finite() else at_low() if x < 0 else at_high() if x > 0 else x

    return value


@cache
def ends(name: str) -> Ends:
    """What the table says of a function."""
    f = TABLE[name]
    ball = getattr(arb, _METHOD.get(name, name)) if name != "abs" else abs
    low, high, at_low, at_high = map(_number, (f.low, f.high, *f.limits))

    def within(x: Any) -> Any:
        left, right = low(), high()
        if x > left and x < right:
            return ball(x)
        if x == left or x < left:
            return at_low()
        return at_high() if x == right or x > right else arb.nan()

    value = within if f.partial else _everywhere(ball, at_low, at_high)
    least, most = map(_number, f.range or ("-oo", "oo"))
    closed = (f.closed[0] or f.low == "-oo", f.closed[1] or f.high == "oo")
    return Ends(ball, value, low, high, closed, f.rises, f.partial, lambda: (least().lower(), most().upper()))
