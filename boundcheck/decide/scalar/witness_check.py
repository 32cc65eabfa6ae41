"""Whether a witness breaks a claim, by two arithmetics: balls at growing precision, and mpmath."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from flint import ctx, fmpq
from mpmath import mp as mpm

from boundcheck.arith import in_balls, mp
from boundcheck.kernel.check.refine import identical
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.clock import seconds_used
from boundcheck.kernel.enclosure import points
from boundcheck.kernel.formula import Expr, Relation, num, substitute
from boundcheck.kernel.statement import Claim

PRECISIONS = (64, 256, 1024)  #: bits of the balls that confirm a witness
_CLOSED = (*PRECISIONS, 4096)  #: of a claim without variables
_LONGER = 10  #: times the seconds of an integral, about, for four times the bits
_DPS = 50  #: digits of mpmath
_MORE_DPS = (150, 400, 1300)  #: where a claim without variables loses all of them


def check_witness(claim: Claim, witness: Mapping[str, str], deadline: float = math.inf) -> bool:
    """Does the point given by these texts meet every hypothesis and break the claim, in balls and in mpmath?

    No finer balls are begun that would end after ``deadline``, since an integral may take seconds: then it is False.
    """
    try:
        point = {name: Fraction(text) for name, text in witness.items()}
    except (ValueError, ZeroDivisionError):
        return False
    if set(point) != set(claim.variables):
        return False
    if any(point[name].denominator != 1 for name in claim.integers & point.keys()):
        return False
    holds = all(_ball_decides(r, point, claim.integers, True, deadline) for r in claim.where)
    if not holds or not any(_ball_decides(r, point, claim.integers, False, deadline) for r in claim.claim):
        return False
    if any(_mp_decides(r, witness, claim.integers) is not True for r in claim.where):
        return False
    return any(_mp_decides(r, witness, claim.integers) is False for r in claim.claim)


def _ball_decides(
    r: Relation, point: Mapping[str, Fraction], integers: frozenset[str], truth: bool, deadline: float = math.inf
) -> bool:
    """Do balls prove that the relation has this truth value at the point?"""
    defined, spent = False, 0.0
    for prec in PRECISIONS if point else _CLOSED:
        start = seconds_used()
        if start + _LONGER * spent > deadline:
            return False
        left, right = (in_balls.at_point(side, point, prec, integers) for side in r.sides)
        spent = seconds_used() - start
        if points.as_arb(left).is_nan() or points.as_arb(right).is_nan():
            if prec == PRECISIONS[0] or not point:
                continue
            return False
        defined = True
        found = compare(r.op, left, right, prec)
        if found is not None:
            return found is truth
    tie = Relation("==", _numeric(r.lhs, point), _numeric(r.rhs, point))  # no ball decides it
    return defined and truth is (r.op in ("==", "<=", ">=")) and identical(Sequent((), tie))


def _numeric(e: Expr, point: Mapping[str, Fraction]) -> Expr:
    return substitute(e, {k: num(v) for k, v in point.items()})


def compare(op: str, left: Any, right: Any, prec: int = 64) -> bool | None:
    """The truth of ``left op right`` for exact rationals or balls of ``prec`` bits, None if the balls overlap."""
    if isinstance(left, fmpq) and isinstance(right, fmpq):
        less, greater = left < right, left > right
    else:
        with ctx.workprec(prec):
            a, b = points.as_arb(left), points.as_arb(right)
        less, greater = bool(a < b), bool(a > b)
        if not (less or greater):
            return None
    match op:
        case "<":
            return less
        case "<=":
            return not greater
        case ">":
            return greater
        case ">=":
            return not less
        case "==":
            return not (less or greater)
    return less or greater


def _mp_decides(r: Relation, witness: Mapping[str, str], integers: frozenset[str]) -> bool | None:
    """The truth of the relation in mpmath with 50 digits; sides that agree to 45 digits count as equal.

    A claim without variables may lose all 50 digits, as log(1 - exp(-1e-300)) does: then with more.
    """
    for digits in (_DPS, *(_MORE_DPS if not witness else ())):
        sign = _mp_sign(r, witness, integers, digits)
        if sign:
            break
    return None if sign is None else compare(r.op, fmpq(sign), fmpq(0))


def _mp_sign(r: Relation, witness: Mapping[str, str], integers: frozenset[str], digits: int) -> int | None:
    """The sign of lhs - rhs with that many digits, None where a side is not finite."""
    left, right = (mp.evaluate(side, witness, digits, integers) for side in r.sides)
    if not (mpm.isfinite(left) and mpm.isfinite(right)):
        return None
    with mpm.workdps(digits):
        gap = left - right
        equal = abs(gap) <= (abs(left) + abs(right)) * mpm.mpf(10) ** (5 - digits)
    return 0 if equal else int(mpm.sign(gap))
