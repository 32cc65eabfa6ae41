"""Sharp constants of quadratic inequalities: a rigorous bracket between a refuted and a proved value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from boundcheck.decide.gram import decide_gram
from boundcheck.decide.memory import Record, fraction, keep, key_of, recall
from boundcheck.kernel.clock import seconds_used
from boundcheck.kernel.statement import GramClaim, Status

SEARCH = 1.0  #: seconds of search for all multipliers in one decision, where what is forced does not do


@dataclass(frozen=True)
class Sharp:
    """The claim is PROVED with the constant ``proved`` and, if known, REFUTED with ``refuted`` (its witness too)."""

    proved: Fraction
    refuted: Fraction | None
    witness: dict[str, str] | None = None

    def __str__(self) -> str:
        if self.refuted is None:
            return f"{float(self.proved):.6g} (not known to be sharp)"
        low, high = sorted((self.proved, self.refuted))
        return f"between {float(low):.6g} and {float(high):.6g}"


def sharp_constant(
    claim: Callable[[Fraction], GramClaim], value: Fraction, seconds: float = 5.0, width: float = 1e-4
) -> Sharp | None:
    """The bracket of the best constant in place of ``value``; None where the claim is not proved with ``value``.

    Whichever direction can be refuted is the sharp one, close by first. Simple rationals are tried first, so that a
    sharp constant such as 1/2 is proved itself.
    """
    if decide_gram(claim(value), refuting=False, seconds=seconds).status is not Status.PROVED:
        return None
    key = key_of("sharp", value, claim(value), claim(value + 1), seconds, width)  # more time may find more
    found = _recalled(claim, recall(key)) or _searched(claim, value, seconds, width)
    keep(key, {"proved": str(found.proved), "refuted": None if found.refuted is None else str(found.refuted)})
    return found


def _recalled(claim: Callable[[Fraction], GramClaim], record: Record | None) -> Sharp | None:
    """The bracket of an earlier search, if both of its ends hold."""
    try:
        proved = fraction((record or {})["proved"])
        refuted = None if (record or {})["refuted"] is None else fraction((record or {})["refuted"])
    except (KeyError, ValueError, TypeError, ZeroDivisionError):
        return None
    if decide_gram(claim(proved), refuting=False, seconds=SEARCH).status is not Status.PROVED:
        return None
    if refuted is None:
        return Sharp(proved, None)
    verdict = decide_gram(claim(refuted), seconds=SEARCH)
    return Sharp(proved, refuted, dict(verdict.witness or {})) if verdict.status is Status.REFUTED else None


def _searched(claim: Callable[[Fraction], GramClaim], value: Fraction, seconds: float, width: float) -> Sharp:
    end = seconds_used() + seconds
    near = value / 64
    for search in (0.0, SEARCH):
        for beyond in (value - near, value + near, value / 2, value * 2, value / 64, value * 64, -abs(value)):
            verdict = decide_gram(claim(beyond), seconds=search)
            if verdict.status is Status.REFUTED:
                found = Sharp(value, beyond, dict(verdict.witness or {}))
                found = _bisect(claim, found, end, width, 0.0)
                return _bisect(claim, found, end, width, SEARCH)
    return Sharp(value, None)


def _bisect(claim: Callable[[Fraction], GramClaim], found: Sharp, end: float, width: float, search: float) -> Sharp:
    """The bracket made narrower; ``search``: seconds for multipliers that nothing forces, in each decision."""
    open_third = 0
    while seconds_used() < end and found.refuted is not None and open_third < 2:
        gap = found.proved - found.refuted
        if abs(gap) <= width * max(abs(found.proved), Fraction(1, 10**6)):
            break
        low, high = sorted((found.refuted + gap / 4, found.proved - gap / 4 * (1 + open_third)))
        middle = simplest_between(*sorted((low, high)))
        verdict = decide_gram(claim(middle), seconds=search)
        if verdict.status is Status.PROVED:
            found, open_third = Sharp(middle, found.refuted, found.witness), 0
        elif verdict.status is Status.REFUTED:
            found, open_third = Sharp(found.proved, middle, dict(verdict.witness or {})), 0
        else:
            open_third += 1
    return found


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The rational of [low, high] with the least denominator (Stern-Brocot)."""
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -simplest_between(-high, -low)
    whole = floor(low)
    if whole == low:
        return low
    if whole + 1 <= high:
        return Fraction(whole + 1)
    return whole + 1 / simplest_between(1 / (high - whole), 1 / (low - whole))
