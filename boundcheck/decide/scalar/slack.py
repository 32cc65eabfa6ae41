"""The slack of an inequality: a rigorous bracket of inf claimed/true over its domain."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from typing import Any

import numpy as np
from flint import ctx
from scipy import optimize

from boundcheck.decide.memory import Record, fraction, keep, key_of, recall
from boundcheck.decide.scalar.engine import search
from boundcheck.decide.scalar.sampling import holds_at, points, values
from boundcheck.kernel.certificate import PRECISION, sequents, verify
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.clock import seconds_used
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.straight_line import fraction_of
from boundcheck.kernel.formula import Expr, Relation, num, substitute
from boundcheck.kernel.statement import Claim

Bracket = tuple[float | None, float | None]
_LOSSES = (0, Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 10**5), Fraction(1, 10**4), Fraction(1, 10**3),
           Fraction(1, 100), Fraction(1, 10), Fraction(1, 2))  # fmt: skip
_DENOMINATORS = 1000


def slack_bracket(claim: Claim, seconds: float) -> Bracket:
    """As :func:`bracket`; what cannot be told in numbers that fit (ratios beyond memory, say) is None.

    A slack says how loose a claim is; that it cannot be found must not cost the answer, so nothing raises here.
    """
    try:
        return bracket(claim, seconds)
    except (ArithmeticError, ValueError, RecursionError, MemoryError):
        return None, None


def bracket(claim: Claim, seconds: float) -> Bracket:
    """(low, high) with low <= inf claimed/true <= high over the domain; None where nothing is certified.

    For lhs <= rhs the ratio is rhs/lhs, where lhs > 0 is proved. ``low`` is the largest ratio r tried for
    which rhs >= r lhs gets a verified certificate; ``high`` is the ratio at a point of the domain,
    evaluated in balls; both ends are rounded outward.
    """
    start = seconds_used()
    if len(claim.claim) != 1 or claim.claim[0].op not in ("<=", "<", ">=", ">"):
        return None, None
    with ctx.workprec(PRECISION):
        (seq,) = sequents(claim)
        goal = seq.goal if seq.goal.op in ("<=", "<") else seq.goal.flipped()
        if not claim.variables:
            return _constant(goal.lhs, goal.rhs)
        if seq.box is None:
            return None, None
        key = key_of("slack", claim, seconds)  # more time may find more
        known = recall(key)
        best = _known_ratio(seq, goal, known) if known is not None else _least_ratio(seq, goal.lhs, goal.rhs)
    if best is None or not _certified(claim, Relation(">", goal.lhs, num(0)), min(1.0, 0.2 * seconds)):
        keep(key, {})
        return None, None
    point, high = best
    kept: Record = {"at": {name: str(x) for name, x in point.items()}}
    with ctx.workprec(PRECISION):
        exact = _exact_ratio(seq, goal.lhs, goal.rhs, point, high)
    top = high if exact is None else exact
    for r in _candidates(top, exact is not None) if known is None else _known_candidates(known):
        remaining = seconds - (seconds_used() - start)
        if remaining <= 0:
            break
        if _certified(claim, Relation(">=", goal.rhs, num(r) * goal.lhs), max(0.05, 0.4 * remaining)):
            keep(key, {**kept, "low": str(r)})
            return _down(r), _up(top)
    keep(key, kept)
    return None, _up(top)


def _known_ratio(seq: Sequent, goal: Relation, known: Record) -> tuple[dict[str, Fraction], Fraction] | None:
    """The point of an earlier search with its ratio; None where that search found none."""
    try:
        point = {name: fraction(text) for name, text in known["at"].items()}
        fits = point.keys() == set(seq.variables) and all(point[v].denominator == 1 for v in seq.integers)
        high = _ratio_at(seq, goal.lhs, goal.rhs, point) if fits else None
    except (KeyError, ValueError, TypeError, AttributeError, ZeroDivisionError):
        return None
    return None if high is None else (point, high)


def _known_candidates(known: Record) -> list[Fraction]:
    """The ratio that an earlier search certified, if it did; certified again like any other."""
    try:
        return [fraction(known["low"])]
    except (KeyError, ValueError, TypeError, ZeroDivisionError):
        return []


def _constant(true: Expr, claimed: Expr) -> Bracket:
    a, b = enclose(true, {}), enclose(claimed, {})
    if a is None or b is None or not a[0] > 0:
        return None, None
    q = b[0] / (a[1] if b[0] > 0 else a[0])
    r = b[1] / (a[0] if b[1] > 0 else a[1])
    return _down(fraction_of(q.lower())), _up(fraction_of(r.upper()))


def _down(x: Fraction) -> float:
    """The largest double at or below x; the largest of all where x is beyond them."""
    try:
        f = float(x)
    except OverflowError:
        f = sys.float_info.max if x > 0 else -math.inf
    return f if f == -math.inf or Fraction(f) <= x else math.nextafter(f, -math.inf)


def _up(x: Fraction) -> float | None:
    """The least double at or above x; None where x is beyond them, since no finite bound can be told then."""
    try:
        f = float(x)
    except OverflowError:
        return None if x > 0 else -sys.float_info.max
    return f if Fraction(f) >= x else math.nextafter(f, math.inf)


def _certified(claim: Claim, relation: Relation, seconds: float) -> bool:
    asked = Claim("slack", (relation,), claim.where, claim.integers)
    key = key_of("claim", asked)
    for find in (lambda: (recall(key) or {}).get("certificate"), lambda: search(asked, seconds).certificate):
        found = find()
        if found is not None and verify(found, asked, max(2.0, 10 * seconds)).valid:
            keep(key, {"certificate": found})
            return True
    return False


def _candidates(top: Fraction, sharp: bool) -> list[Fraction]:
    """Ratios to try to certify, largest first: the exact one, simple fractions just below, then rounder ones."""
    out = [top] if sharp else []
    near = top.limit_denominator(_DENOMINATORS)
    if near <= top and top - near < Fraction(1, 10**8):
        out.append(near)
    for loss in _LOSSES[1:]:
        r = top * (1 - loss)
        digits = 10 ** max(0, 12 - len(str(int(r))))
        out.append(Fraction(math.floor(r * digits), digits))
    return list(dict.fromkeys(out))


def _least_ratio(seq: Sequent, true: Expr, claimed: Expr) -> tuple[dict[str, Fraction], Fraction] | None:
    """A point of the domain with a small ratio, and the ratio there rounded up."""
    names, columns = points(seq.hyps, seq)
    if not names or columns[0].shape[0] == 0:
        return None

    def f(x: Any) -> Any:
        a, b, *gaps = values(
            (true, claimed, *(h.gap for h in seq.hyps)), names, [np.atleast_1d(c) for c in np.asarray(x).T]
        )
        with np.errstate(all="ignore"):
            r = np.where(a > 0, b / a, np.inf)
            for h, g in zip(seq.hyps, gaps, strict=True):
                r = np.where(g >= 0 if h.op in ("<=", ">=") else g > 0 if h.op in ("<", ">") else True, r, np.inf)
        return np.where(np.isnan(r), np.inf, r)

    table = np.stack(columns, axis=1)
    ratios = f(table)
    order = np.argsort(ratios, kind="stable")[:6]
    found: list[tuple[Fraction, dict[str, Fraction]]] = []
    for i in order:
        x = table[i]
        movable = [k for k, v in enumerate(names) if v not in seq.integers]

        def local(y: Any, /, x: Any = x, movable: list[int] = movable) -> float:
            z = x.copy()
            z[movable] = y
            return float(f(z[None, :])[0])

        ends = [x]
        if movable and math.isfinite(float(ratios[i])):
            with np.errstate(all="ignore"):
                result = optimize.minimize(
                    local, x[movable], method="Nelder-Mead", options={"xatol": 1e-12, "fatol": 1e-15, "maxiter": 400}
                )
            z = x.copy()
            z[movable] = result.x
            ends.append(z)
        for y in ends:
            for digits in (0, 1, 3, None):
                p = {
                    v: Fraction(float(c)) if digits is None else Fraction(repr(round(float(c), digits)))
                    for v, c in zip(names, y, strict=True)
                }
                r = _ratio_at(seq, true, claimed, p)
                if r is not None:
                    found.append((r, p))
    if not found:
        return None
    r, p = min(found, key=lambda t: (t[0], sum(x.denominator for x in t[1].values())))
    # a simpler point with the same ratio up to rounding is as good
    for s, q in found:
        if s - r < Fraction(1, 10**14) * abs(r) and sum(x.denominator for x in q.values()) < sum(
            x.denominator for x in p.values()
        ):
            r, p = s, q
    return p, r


def _ratio_at(seq: Sequent, true: Expr, claimed: Expr, p: dict[str, Fraction]) -> Fraction | None:
    box = {v: enclose(num(x), {}) for v, x in p.items()}
    if any(b is None for b in box.values()) or not holds_at(seq.hyps, p):
        return None
    known = {v: b for v, b in box.items() if b is not None}
    a, b = enclose(true, known), enclose(claimed, known)
    if a is None or b is None or not a[0] > 0:
        return None
    return fraction_of((b[1] / (a[0] if b[1] > 0 else a[1])).upper())


def _exact_ratio(seq: Sequent, true: Expr, claimed: Expr, p: dict[str, Fraction], high: Fraction) -> Fraction | None:
    """The ratio at the point if it is exactly a simple fraction."""
    near = high.limit_denominator(_DENOMINATORS)
    if abs(near - high) > Fraction(1, 10**12) * abs(high):
        return None
    at = {v: num(x) for v, x in p.items()}
    gap = substitute(claimed, at) - num(near) * substitute(true, at)
    return near if seq.algebra.is_zero(gap) else None
