"""The best constant of a rate as a function of the parameters: found in floats, fitted, proved, shown to be sharp."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np
from flint import fmpq

from boundcheck.decide.gram_fit import atoms, monomial, quotient
from boundcheck.decide.gram_sdp import Numeric, interior_samples, multipliers_at
from boundcheck.decide.rates import decide_rate
from boundcheck.kernel.check.gram import Signs
from boundcheck.kernel.check.quadratic import Problem, problem
from boundcheck.kernel.check.ratios import Field, Ratio
from boundcheck.kernel.clock import seconds_used
from boundcheck.kernel.formula import Relation, num
from boundcheck.kernel.rate import Rate, RateError, expand, with_constant
from boundcheck.kernel.statement import Status, Verdict

POINTS = 60  #: samples at which the best constant is computed
LOWER = "0.99"  #: a proved constant is called sharp if this share of it is refuted


@dataclass(frozen=True)
class Found:
    """The constant as a formula of the parameters, the verdict with it, and whether a smaller one is refuted."""

    formula: str
    verdict: Verdict
    sharp: bool


def best_constant(rate: Rate, name: str, seconds: float = 10.0) -> Found | None:
    """The least ``name`` in the claim of ``rate`` with which it holds; None where no simple formula fits.

    Raises :class:`boundcheck.kernel.rate.RateError` where the claim has a maximum, or is not linear in the constant.
    """
    formula = _fitted(rate, name)
    if formula is None:
        return None
    verdict = decide_rate(with_constant(rate, name, formula), seconds)
    lower = decide_rate(with_constant(rate, name, f"{LOWER}*({formula})"), seconds / 2)
    return Found(formula, verdict, lower.status is Status.REFUTED)


def decide_found(rate: Rate, name: str, seconds: float = 10.0) -> Verdict:
    """The verdict of ``rate`` with the best constant put for ``name``; its reason tells the constant."""
    start = seconds_used()
    try:
        found = best_constant(rate, name, seconds)
    except RateError as fault:
        return Verdict(rate.name, Status.UNDECIDED, "gram", reason=str(fault), seconds=seconds_used() - start)
    if found is None:
        reason = f"no simple formula fits the best {name}"
        return Verdict(rate.name, Status.UNDECIDED, "gram", reason=reason, seconds=seconds_used() - start)
    told = f"{name} = {found.formula}" + (f", sharp: {LOWER} of it is refuted" if found.sharp else "")
    reason = told if found.verdict.status is Status.PROVED else f"{told}: {found.verdict.reason}"
    return replace(found.verdict, reason=reason, seconds=seconds_used() - start)


def _fitted(rate: Rate, name: str) -> str | None:
    if not re.search(rf"\b{re.escape(name)}\b", rate.claim):
        raise RateError(f"find: {name} does not occur in the claim")
    problems: list[Problem] = []
    for value in ("0", "1", "2"):
        cases = expand(with_constant(rate, name, value)).cases
        if len(cases) != 1:
            raise RateError("find: a claim without max is wanted")
        problems.append(problem(cases[0]))
    p = problems[0]
    signs = Signs(p, lambda *_: None)
    points = interior_samples(signs, POINTS, seed=2)
    if len(points) < 4 and p.field.names:
        return None
    numeric = [Numeric.of(q, points, reduce=False) for q in problems]
    s = _with_unknown(numeric)
    cost = np.zeros(len(p.hypotheses))
    cost[-1] = 1.0
    values, rows = [], []
    for at in range(len(points)):
        found = multipliers_at(s, at, list(range(len(cost))), cost)
        if found is not None and found[0] > -1e-5:
            values.append(float(found[1][-1]))
            rows.append(at)
    if len(values) < min(4, len(points)):
        return None
    at_rows, measured = points[rows], np.array(values)
    known = [*atoms(p, signs)[:10], *_sums(p.field)[:6]]
    best = monomial(p.field, known, at_rows, measured, 1e-5)
    if best is None and p.field.names:
        best = quotient(p, [], 0, at_rows, measured, exact=1e-7)
    return None if best is None else spelled_ratio(p.field, best)


def _with_unknown(numeric: list[Numeric]) -> Numeric:
    """The problem with the constant as one more multiplier: goal(c) = goal(0) + c (goal(1) - goal(0))."""
    zero, one, two = numeric
    if zero.names != one.names or zero.levels != one.levels:
        raise RateError("find: the constant's place must not change which points matter")
    slope, levels = one.goal - zero.goal, one.goal_levels - zero.goal_levels
    if not np.allclose(two.goal - one.goal, slope, rtol=1e-9, atol=1e-12):
        raise RateError("find: a claim that is linear in the constant is wanted")
    zero.hypotheses = np.concatenate([zero.hypotheses, -slope[:, None]], axis=1)
    zero.levels_of = np.concatenate([zero.levels_of, -levels[:, None]], axis=1)
    zero.p.hypotheses.append({})
    zero.p.given.append(Relation("==", num(0), num(0)))
    return zero


def spelled_ratio(field: Field, r: Ratio) -> str:
    """A rational function as formula text, in factors with whole coefficients."""
    if r.num.is_zero():
        return "0"
    constant = Fraction(1)
    sides: list[list[str]] = []
    for p, sign in ((r.num, 1), (r.den, -1)):
        own, factors = p.factor()
        constant *= Fraction(int(own.p), int(own.q)) ** sign
        parts = []
        for q, k in factors:
            content = _content(q)
            constant *= content ** (sign * int(k))
            text = _polynomial(field, q / fmpq(content.numerator, content.denominator))
            text = f"({text})" if " " in text else text
            parts.append(text + (f"**{int(k)}" if k > 1 else ""))
        sides.append(parts)
    above, below = sides
    above = [str(constant.numerator), *above] if constant.numerator != 1 or not above else above
    below = [str(constant.denominator), *below] if constant.denominator != 1 else below
    if not below:
        return "*".join(above)
    whole = "*".join(below)
    return f"{'*'.join(above)}/({whole})" if len(below) > 1 or "**" in whole else f"{'*'.join(above)}/{whole}"


def _content(p: Any) -> Fraction:
    """The fraction by which a polynomial is a multiple of one with whole coefficients without a common divisor."""
    coefficients = [Fraction(int(c.p), int(c.q)) for c in p.to_dict().values()]
    below = lcm(*(c.denominator for c in coefficients))
    return Fraction(gcd(*(int(c * below) for c in coefficients)), below)


def _polynomial(field: Field, p: Any) -> str:
    text = ""
    for exponents, c in p.to_dict().items():
        factors = [f"{n}**{int(k)}" if k > 1 else n for n, k in zip(field.names, exponents, strict=True) if k]
        size = [] if abs(c) == 1 and factors else [str(abs(c))]
        sign = (" - " if c < 0 else " + ") if text else ("-" if c < 0 else "")
        text += sign + "*".join([*size, *factors])
    return text


def _sums(field: Field) -> list[Any]:
    """Sums of two parameters, and of one and 1: denominators of many rates, in which no hypothesis has them."""
    symbols = [field.one, *(field.symbol(n) for n in field.names if n not in field.roots)]
    return [a + b for k, a in enumerate(symbols) for b in symbols[k + 1 :]]
