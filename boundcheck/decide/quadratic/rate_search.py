"""The unknown constants of a rate as functions of the parameters: found in floats, fitted, proved, shown to be sharp.

Of each name in ``find`` the best value is looked for, the least (the greatest, where all smaller ones do).
``weights`` are nonnegative and free to choose: those of a potential function, as Upadhyaya, Banert, Taylor and
Giselsson (Automated tight Lyapunov analysis for first-order methods, Math. Program. 2025) search them at one
parameter point. A claim is affine in each unknown, so that a weight is one more multiplier; where ``find`` and a
weight are multiplied, the best value is found by bisection.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np
from flint import fmpq

from boundcheck.decide.quadratic.gram_fit import atoms, monomial, polynomial_text, quotient
from boundcheck.decide.quadratic.gram_sdp import Array, Numeric, interior_samples, multipliers_at, polish
from boundcheck.decide.quadratic.gram_search import candidates
from boundcheck.decide.quadratic.rate_engine import decide_rate
from boundcheck.decide.quadratic.rate_moves import expand_by_moves, meanings
from boundcheck.kernel.check.gram_certificate import Signs
from boundcheck.kernel.check.poly import fraction
from boundcheck.kernel.check.quadratic import Form, FormProblem, problem, remainder
from boundcheck.kernel.check.ratios import Field, Ratio
from boundcheck.kernel.clock import deadline, passed, seconds_used
from boundcheck.kernel.formula import Relation, num, parse, substitute
from boundcheck.kernel.rate import Rate, RateError
from boundcheck.rates import with_constant
from boundcheck.verdict import Status, Verdict

POINTS = 60  #: samples at which the best constant is computed
BISECTED = 24  #: the same, where each takes a bisection
HALVINGS = 26
ROUNDS = 3  #: times that c and the weights are improved in turn
SUBSETS = 12  #: subsets of the samples that are fitted where not all fit: the value at a sample may have come out high
LARGEST = 2.0**12  #: largest constant of a bisection
ZERO = 1e-5  #: a constant that is smaller at all samples is taken for 0
TOUCHES = 3e-8  #: how far below 0 a least eigenvalue that is 0 may come out
UNBOUNDED = 1e5  #: a solver that goes this far was not stopped by anything
LOWER = "0.99"  #: a proved constant is called sharp if this share of it is refuted
HIGHER = "1.01"  #: or, where the greatest is asked for, this one
TRIED = 6  #: lists of weights that are tried
_SIGNED, _FREE = Relation(">=", num(1), num(0)), Relation("==", num(1), num(0))  #: of an unknown, as of a multiplier


@dataclass(frozen=True)
class Found:
    """Formulas of the parameters by name, the verdict with them, and which share of ``find`` is refuted, if any."""

    formulas: dict[str, str]
    verdict: Verdict
    refuted: str = ""


def best_constants(
    rate: Rate, find: tuple[str, ...], weights: tuple[str, ...] = (), seconds: float = 10.0
) -> Found | None:
    """Each of ``find`` in turn at its best, the rest still free, and ``weights`` with which ``rate`` holds.

    None where nothing simple fits.

    Raises :class:`boundcheck.kernel.rate.RateError` where the claim has a maximum, or is not affine in an unknown.
    """
    end = deadline(seconds)
    formulas: dict[str, str] = {}
    asked, share = rate, LOWER
    for n, name in enumerate(find):
        fitted = _Template(rate, name, (*find[n + 1 :], *weights)).fitted()
        if fitted is None:
            return None
        formulas[name], greatest = fitted
        share = HIGHER if greatest else LOWER
        rate = with_constant(rate, name, formulas[name])
    if not weights:
        verdict = decide_rate(rate, max(1.0, end - seconds_used()))
        if len(find) != 1:
            return Found(formulas, verdict)
        beyond = with_constant(asked, find[0], f"{share}*({formulas[find[0]]})")
        refuted = decide_rate(beyond, seconds / 2).status is Status.REFUTED
        return Found(formulas, verdict, share if refuted else "")
    found = None
    for several in _Template(rate, "", weights).weighed(end - seconds_used()):
        chosen = rate
        for name, formula in several.items():
            chosen = with_constant(chosen, name, formula)
        verdict = _with_signs(chosen, several, max(1.0, end - seconds_used()))
        found = Found({**formulas, **several}, verdict)
        if verdict.status is Status.PROVED or passed(end):
            break
    return found


def _with_signs(rate: Rate, weights: Mapping[str, str], seconds: float) -> Verdict:
    """The verdict of ``rate``, in which these formulas stand for weights: each has to be >= 0 on the domain too."""
    verdict = decide_rate(rate, seconds, refuting=False)
    words = str(rate)
    point = next(name for name in (f"v{n}" for n in range(len(words))) if name not in words)
    for name, formula in weights.items():
        sign = replace(rate, points=(*rate.points, point), claim=f"({formula})*norm({point})**2 >= 0")
        if verdict.status is Status.PROVED and decide_rate(sign, seconds, refuting=False).status is not Status.PROVED:
            reason = f"{name} is not proved to be >= 0 on the domain"
            verdict = replace(verdict, status=Status.UNDECIDED, certificate=None, reason=reason)
    return verdict


def decide_found(rate: Rate, find: tuple[str, ...], weights: tuple[str, ...] = (), seconds: float = 10.0) -> Verdict:
    """The verdict of ``rate`` with what was found put for its unknowns, if any; its reason tells the formulas."""
    if not find and not weights:
        return decide_rate(rate, seconds)
    start = seconds_used()

    def undecided(reason: str) -> Verdict:
        return Verdict(rate.name, Status.UNDECIDED, "gram", reason=reason, seconds=seconds_used() - start)

    try:
        found = best_constants(rate, find, weights, seconds)
    except RateError as fault:
        return undecided(str(fault))
    if found is None:
        wanted = f"the best {', '.join(find)}" if find else ", ".join(weights)
        return undecided(f"no simple formula fits {wanted}")
    told = ", ".join(f"{name} = {formula}" for name, formula in found.formulas.items())
    if found.verdict.status is Status.REFUTED:
        return undecided(f"{told} is what fits in floats, and is refuted")
    told += f", sharp: {found.refuted} of it is refuted" if found.refuted else ""
    reason = told if found.verdict.status is Status.PROVED else f"{told}: {found.verdict.reason}"
    return replace(found.verdict, reason=reason, seconds=seconds_used() - start)


class _Template:
    """The goal of a rate as a function of its unknowns c (perhaps) and w: affine in c, and affine in w."""

    def __init__(self, rate: Rate, find: str, weights: tuple[str, ...]):
        self.rate, self.find, self.weights = rate, find, weights
        for name in (*((find,) if find else ()), *weights):
            if not re.search(rf"\b{re.escape(name)}\b", rate.claim):
                raise RateError(f"{name}, which is asked for, does not occur in the claim")
        self.p = self._problem({})
        self.slope = self._difference({find: 1}, {}) if find else {}
        self.of_weights = [self._difference({w: 1}, {}) for w in weights]
        #: what a weight adds where c is 1, beyond what it adds where c is 0
        self.mixed = [_minus(self.p, self._difference({find: 1, w: 1}, {find: 1}), d)
                      for w, d in zip(weights, self.of_weights, strict=True)] if find else []  # fmt: skip
        self._check()

    def _problem(self, values: dict[str, int]) -> FormProblem:
        rate = self.rate
        for name in (*((self.find,) if self.find else ()), *self.weights):
            rate = with_constant(rate, name, str(values.get(name, 0)))
        expanded, _ = expand_by_moves(rate)
        if len(expanded.cases) != 1:
            raise RateError("find: a claim that makes one case is wanted, without max")
        self.meaning = meanings(expanded.forms[0])
        return problem(expanded.cases[0])

    def _spelled(self, r: Ratio) -> str:
        """A rational function of the problem's parameters as text in the rate's own."""
        return str(substitute(parse(spelled_ratio(self.p.field, r)), self.meaning))

    def _difference(self, values: dict[str, int], base: dict[str, int]) -> Form:
        return _minus(self.p, self._problem(values).goal, self._problem(base).goal)

    def _check(self) -> None:
        """Raise :class:`RateError` where the claim is not affine in an unknown, or in all weights together."""
        every = dict.fromkeys(self.weights, 1)
        for c in (0, 1) if self.find else (0,):
            at = {self.find: c} if self.find else {}
            total = self._difference(at | every, at)
            for d in (*self.of_weights, *(self.mixed if c else ())):
                total = _minus(self.p, total, d)
            twice = [_minus(self.p, self._difference(at | {w: 2}, at | {w: 1}), self._difference(at | {w: 1}, at))
                     for w in self.weights]  # fmt: skip
            if total or any(twice):
                raise RateError("weights: a claim that is affine in all of them is wanted")
        if self.find and any(
            _minus(self.p, self._difference({self.find: 2} | e, {self.find: 1} | e),
                   self._difference({self.find: 1} | e, e)) for e in ({}, every)
        ):  # fmt: skip
            raise RateError("find: a claim that is linear in the constant is wanted")

    def _with(self, unknowns: list[Form], free: tuple[Form, ...] = ()) -> FormProblem:
        """The problem in which each unknown is the multiplier of one more hypothesis; last those of either sign."""
        more = [{k: self.p.field.neg(c) for k, c in form.items()} for form in (*unknowns, *free)]
        signs = [_SIGNED] * len(unknowns) + [_FREE] * len(free)
        return replace(self.p, hypotheses=[*self.p.hypotheses, *more], given=[*self.p.given, *signs])

    # ---- weights

    def weighed(self, seconds: float) -> Iterator[dict[str, str]]:
        """Formulas for the weights that are likely to do, those that use all of them first."""
        p = self._with(self.of_weights)
        count, known = len(self.p.hypotheses), []
        for keep in (frozenset(range(count, len(p.hypotheses))), frozenset[int]()):
            for several in candidates(p, Signs(p, lambda *_: None), seconds / 2, keep):
                formulas = {w: self._spelled(m) for w, m in zip(self.weights, several[count:], strict=True)}
                if formulas not in known:
                    known.append(formulas)
                    yield formulas
                if len(known) >= TRIED:
                    return

    # ---- the best constant

    def fitted(self) -> tuple[str, bool] | None:
        """The best c as a formula, and whether it is the greatest; None where no simple one fits."""
        signs = Signs(self.p, lambda *_: None)
        mixed = any(self.mixed)
        points = interior_samples(signs, BISECTED if mixed else POINTS, seed=2)
        if len(points) < 4 and self.p.field.parameters:
            return None
        measured, greatest = self._bisected(points) if mixed else self._extreme(points)
        rows = np.isfinite(measured)
        if rows.sum() < min(4, len(points)):
            return None
        at, values = points[rows], measured[rows]
        if np.all(np.abs(values) < ZERO):
            return "0", greatest
        known = [*atoms(self.p, signs)[:10], *_sums(self.p.field)[:6]]

        def fit(rows: Array) -> Ratio | None:
            best = monomial(self.p.field, known, at[rows], values[rows], 1e-4 if mixed else 1e-5)
            for exact in (1e-10, 1e-7, 1e-6) if self.p.field.parameters else ():
                best = best or quotient(self.p, [], 0, at[rows], values[rows], exact=exact)
            return best

        every = np.arange(len(values))
        best, rng = fit(every), np.random.default_rng(4)
        for _ in range(SUBSETS if mixed else 0):
            if best is None:
                best = fit(np.sort(rng.choice(every, max(6, len(every) // 3), replace=False)))
        return None if best is None else (self._spelled(best), greatest)

    def _extreme(self, points: Array) -> tuple[Array, bool]:
        """The least c at each point; the greatest where nothing is least."""
        p = self._with(self.of_weights, (self.slope,))
        s = Numeric.of(p, points)
        cost, every = np.zeros(len(p.hypotheses)), list(range(len(p.hypotheses)))
        values, sharp = np.full(len(points), np.nan), np.zeros(len(points), bool)
        for greatest in (False, True):
            cost[-1] = -1.0 if greatest else 1.0
            for at in range(len(points)):
                found = multipliers_at(s, at, every, cost)
                if found is not None and found[0] > -1e-5 and abs(found[1][-1]) < UNBOUNDED:
                    values[at], sharp[at] = self._polished(s, at, found)
                elif at >= 3 and not np.any(np.isfinite(values)):
                    break
            if np.any(np.isfinite(values)):
                return (np.where(sharp, values, np.nan) if 2 * sharp.sum() > len(sharp) else values), greatest
        return values, False

    def _polished(self, s: Numeric, at: int, found: tuple[float, Array, Array]) -> tuple[float, bool]:
        """The last multiplier, to more digits where it can be had; whether it could."""
        _, multipliers, dual = found
        last = len(multipliers) - 1
        for share in (1e-4, 1e-3, 1e-2, 1e-5):
            large = share * np.abs(multipliers[:-1]).max(initial=0.0)
            used = [j for j in range(last) if abs(multipliers[j]) > large]
            start = np.where(np.isin(np.arange(last + 1), [*used, last]), multipliers, 0.0)
            exact = polish(s, at, [*used, last], start, dual, frozenset({last}))
            close = exact is not None and abs(exact.multipliers[-1] - multipliers[-1]) < 1e-2 * abs(multipliers[-1])
            if exact is not None and close:
                return float(exact.multipliers[-1]), True
        return float(multipliers[-1]), False

    def _bisected(self, points: Array) -> tuple[Array, bool]:
        """The least c >= 0 at each point for which weights exist; at last with the weights held."""
        p = self._with([self.slope, *self.of_weights, *self.mixed])
        s = Numeric.of(p, points)
        values, sharp = np.full(len(points), np.nan), np.zeros(len(points), bool)
        for at in range(len(points)):
            one = _OnePoint(s, at, len(self.p.hypotheses), len(self.weights))
            high = 1.0
            while high <= LARGEST and one.weights_for(high) is None:
                high *= 4
            if high > LARGEST:
                continue
            low = 0.0
            for _ in range(HALVINGS):
                middle = (low + high) / 2
                low, high = (low, middle) if one.weights_for(middle) is not None else (middle, high)
            values[at] = high
            for _ in range(ROUNDS):
                w = one.weights_for(values[at])
                if w is None:
                    break
                there = one.with_weights(w)
                cost = np.eye(there.hypotheses.shape[1])[-1]
                found = multipliers_at(there, 0, list(range(len(cost))), cost)
                if found is None or found[0] < -1e-5 or abs(found[1][-1] - high) > 1e-2 * high:
                    break
                before = values[at]
                values[at], sharp[at] = self._polished(there, 0, found)
                if abs(values[at] - before) <= 1e-9 * high:
                    break
        return (np.where(sharp, values, np.nan) if 2 * sharp.sum() > len(sharp) else values), False


class _OnePoint:
    """A claim at one parameter point, as a function of c and the weights."""

    def __init__(self, s: Numeric, at: int, hypotheses: int, weights: int):
        self.s, self.at = s, at
        self.h, self.c = hypotheses, hypotheses
        self.first = slice(hypotheses + 1, hypotheses + 1 + weights)
        self.second = slice(hypotheses + 1 + weights, hypotheses + 1 + 2 * weights)

    def _at(self, forms: Array, levels: Array, goal: tuple[Array, Array]) -> Numeric:
        """The hypotheses with ``forms`` after them, and a goal, as numbers at one point."""
        s, at = self.s, self.at
        given = [*s.p.given[: self.h], *[_SIGNED] * len(forms)]
        return replace(
            s,
            p=replace(s.p, hypotheses=[*s.p.hypotheses[: self.h], *[{}] * len(forms)], given=given),
            points=s.points[at : at + 1],
            goal=goal[0][None],
            goal_levels=goal[1][None],
            hypotheses=np.concatenate([s.hypotheses[at, : self.h], forms])[None],
            levels_of=np.concatenate([s.levels_of[at, : self.h], levels])[None],
        )

    def weights_for(self, c: float) -> Array | None:
        """Weights with which the claim holds for this c, up to rounding."""
        of, levels = self.s.hypotheses[self.at], self.s.levels_of[self.at]
        goal = self.s.goal[self.at] - c * of[self.c], self.s.goal_levels[self.at] - c * levels[self.c]
        there = self._at(of[self.first] + c * of[self.second], levels[self.first] + c * levels[self.second], goal)
        count = there.hypotheses.shape[1]
        found = multipliers_at(there, 0, list(range(count)), None)
        if found is None or found[0] < -TOUCHES * (1 + float(np.abs(there.goal).max())):
            return None
        return found[1][self.h :]

    def with_weights(self, w: Array) -> Numeric:
        """The claim with these weights, and c as its last multiplier."""
        of, levels = self.s.hypotheses[self.at], self.s.levels_of[self.at]
        goal = (
            self.s.goal[self.at] - np.tensordot(w, of[self.first], 1),
            self.s.goal_levels[self.at] - w @ levels[self.first],
        )
        slope = of[self.c] + np.tensordot(w, of[self.second], 1)
        return self._at(slope[None], (levels[self.c] + w @ levels[self.second])[None], goal)


def _minus(p: FormProblem, a: Form, b: Form) -> Form:
    return remainder(replace(p, goal=a, hypotheses=[b]), [p.field.number(1)])


def spelled_ratio(field: Field, r: Ratio) -> str:
    """A rational function as formula text, in factors with whole coefficients."""
    if r.num.is_zero():
        return "0"
    constant = Fraction(1)
    pieces: list[tuple[int, Any, int]] = []  # side, primitive factor, power
    for p, side in ((r.num, 1), (r.den, -1)):
        own, factors = p.factor()
        constant *= fraction(own) ** side
        for q, k in factors:
            content = _content(q)
            constant *= content ** (side * int(k))
            pieces.append((side, q / fmpq(content.numerator, content.denominator), int(k)))
    turned = next((n for n, (_, q, k) in enumerate(pieces) if k % 2 and len(q.to_dict()) > 1), None)
    if constant < 0 and turned is not None:  # a - b rather than -(b - a)
        side, q, k = pieces[turned]
        pieces[turned], constant = (side, -q, k), -constant
    if len(pieces) == 1 and constant == 1 and pieces[0][0] == pieces[0][2] == 1:
        return polynomial_text(field, pieces[0][1])
    sides: dict[int, list[str]] = {1: [], -1: []}
    for side, q, k in pieces:
        text = polynomial_text(field, q)
        text = f"({text})" if " " in text else text
        sides[side].append(text + (f"**{k}" if k > 1 else ""))
    above, below = sides[1], sides[-1]
    above = [str(constant.numerator), *above] if constant.numerator != 1 or not above else above
    below = [str(constant.denominator), *below] if constant.denominator != 1 else below
    if not below:
        return "*".join(above)
    whole = "*".join(below)
    return f"{'*'.join(above)}/({whole})" if len(below) > 1 else f"{'*'.join(above)}/{whole}"


def _content(p: Any) -> Fraction:
    """The fraction by which a polynomial is a multiple of one with whole coefficients without a common divisor."""
    coefficients = [fraction(c) for c in p.to_dict().values()]
    below = lcm(*(c.denominator for c in coefficients))
    return Fraction(gcd(*(int(c * below) for c in coefficients)), below)


def _sums(field: Field) -> list[Any]:
    """Sums of two parameters, and of one and 1: denominators of many rates, in which no hypothesis has them."""
    symbols = [field.one, *map(field.symbol, field.parameters)]
    return [a + b for k, a in enumerate(symbols) for b in symbols[k + 1 :]]
