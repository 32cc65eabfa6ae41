"""Exact functions behind numbers: a monomial in given atoms, or a quotient of two polynomials of one weight."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import floor, lcm, prod
from typing import Any

import numpy as np
from flint import fmpq, fmpz_mat

from boundcheck.arith.rational_linear import null_space
from boundcheck.decide.quadratic.gram_signs import polynomial_values, ratio_values
from boundcheck.kernel.check.gram_certificate import Signs
from boundcheck.kernel.check.quadratic import FormProblem
from boundcheck.kernel.check.ratios import Field, Ratio

Array = np.ndarray[Any, Any]
MAX_ATOMS = 16
LARGEST = 4  #: largest exponent of an atom
CLOSE = 1e-6  #: relative error that a fit may leave
MAX_BASIS = 4  #: products of roots in a number
DIGITS = 10**9  #: precision to which a number is taken
LARGEST_DENOMINATOR = 720  #: of the coefficients of a fit
DEGREES = (1, 2, 3, 4, 6)  #: degrees of numerator and denominator of a fitted quotient, in turn
MAX_UNKNOWNS = 60


def atoms(p: FormProblem, signs: Signs) -> list[Any]:
    """The irreducible factors that occur in the domain, the goal and the hypotheses, the simplest first."""
    found: list[Any] = []
    coefficients = [c for f in (p.goal, *p.hypotheses) for c in f.values()]
    for g in (
        *(p.field.symbol(n) for n in p.field.names),
        *(g for g, _ in signs.constraints),
        *p.field.divisors,
        *(c.den for c in coefficients),
        *(c.num for c in coefficients),
    ):
        if g.is_zero() or g.is_constant():
            continue
        for factor, _ in g.factor()[1]:
            factor = factor / factor.leading_coefficient()
            if factor not in found:
                found.append(factor)
    return sorted(found, key=lambda g: (g.total_degree(), len(g.to_dict())))[:MAX_ATOMS]


def simple(x: float, tolerance: float = CLOSE) -> Fraction | None:
    """The fraction with a small denominator that ``x`` is, if it is one."""
    q = Fraction(x).limit_denominator(LARGEST_DENOMINATOR)
    return q if abs(float(q) - x) <= tolerance * max(abs(x), 1e-3) else None


def constant(field: Field, x: float, tolerance: float = CLOSE) -> Ratio | None:
    """The simple number that ``x`` is: a small combination of roots of the field, or a fraction; else None."""
    found = _of_roots(field, x, min(tolerance, CLOSE)) if field.roots else None
    if found is not None:
        return found
    q = simple(x, tolerance)
    return None if q is None else field.number(q)


def _of_roots(field: Field, x: float, tolerance: float) -> Ratio | None:
    powers = [c for size in range(len(field.roots) + 1) for c in combinations(field.roots, size)][:MAX_BASIS]
    basis = [prod((field.symbol(n) for n in names), start=field.one) for names in powers]
    sizes = [prod(float(field.roots[n]) ** 0.5 for n in names) for names in powers]
    rows = [[int(i == j) for j in range(len(basis) + 1)] for i in range(len(basis) + 1)]
    for row, size in zip(rows, [x, *sizes], strict=True):
        row.append(round(size * DIGITS))
    own, *others, rest = (int(c) for c in fmpz_mat(rows).lll().tolist()[0])
    largest = max(map(abs, (own, *others)))
    if own == 0 or largest ** (len(basis) + 1) > DIGITS / 100 or abs(rest) > tolerance * DIGITS * abs(x):
        return None
    return field.ratio(sum((b * -c for b, c in zip(basis, others, strict=True)), field.zero), field.constant(own))


def monomial(field: Field, known: list[Any], points: Array, values: Array, tolerance: float = CLOSE) -> Ratio | None:
    """c times powers of the atoms with these values at the points, fewest atoms first; None if there is none."""
    if np.all(np.abs(values - values[0]) <= tolerance * abs(values[0])):
        c = constant(field, float(values[0]), tolerance)
        if c is not None:
            return c
    if np.any(values == 0) or np.any(values * values[0] < 0):
        return None
    numbers = [polynomial_values(g, points) for g in known]
    usable = [k for k, v in enumerate(numbers) if np.all(np.abs(v) > 1e-9) and (len(v) < 2 or np.ptp(v) > 0)]
    logs = np.array([np.log(np.abs(numbers[k])) for k in usable]).reshape(len(usable), len(points)).T
    target = np.log(np.abs(values))
    for size in (1, 2, 3, len(usable)):
        for chosen in combinations(range(len(usable)), min(size, len(usable))):
            if len(chosen) + 2 > len(points):
                continue
            matrix = np.column_stack([np.ones(len(points)), logs[:, chosen]])
            solution, *_ = np.linalg.lstsq(matrix, target, rcond=None)
            powers = np.round(solution[1:])
            if np.any(np.abs(powers - solution[1:]) > 0.02) or np.any(np.abs(powers) > LARGEST):
                continue
            factor = np.exp(target - logs[:, chosen] @ powers)
            if np.ptp(factor) > 10 * tolerance * factor.mean():
                continue
            found = constant(field, float(np.median(factor)), tolerance)
            if found is None:
                continue
            found = times_powers(field, found, [known[usable[k]] for k in chosen], powers)
            return found if ratio_values(found, points[:1])[0] * values[0] > 0 else field.neg(found)
        if size >= len(usable):
            break
    return None


def times_powers(field: Field, value: Ratio, atoms: Iterable[Any], powers: Iterable[float]) -> Ratio:
    """``value`` times whole powers of polynomials."""
    for g, power in zip(atoms, powers, strict=True):
        atom = Ratio(g, field.one)
        for _ in range(abs(int(power))):
            value = field.mul(value, atom) if power > 0 else field.div(value, atom)
    return value


def polynomial_text(field: Field, p: Any) -> str:
    """A polynomial as formula text."""
    text = ""
    words = [f"sqrt({field.roots[n]})" if n in field.roots else n for n in field.names]
    for exponents, c in p.to_dict().items():
        factors = [f"{n}**{int(k)}" if k > 1 else n for n, k in zip(words, exponents, strict=True) if k]
        size = [] if abs(c) == 1 and factors else [str(abs(c))]
        sign = (" - " if c < 0 else " + ") if text else ("-" if c < 0 else "")
        text += sign + "*".join([*size, *factors])
    return text


def gradings(p: FormProblem) -> list[tuple[dict[str, int], list[int]]]:
    """Weights of the parameters under which all forms are homogeneous, each with the weights of the multipliers."""
    forms = [p.goal, *p.hypotheses]
    names = list(p.field.names)
    vectors = sorted({v for f in forms for k in f if k[0] == "q" for v in k[1:]})
    levels = sorted({k[1] for f in forms for k in f if k[0] == "l"})
    place = {("p", n): i for i, n in enumerate(names)}
    for kind, group in (("v", vectors), ("l", levels), ("f", range(len(forms)))):
        for key in group:
            place[kind, key] = len(place)  # type: ignore[index]
    rows: set[tuple[int, ...]] = set()
    for number, f in enumerate(forms):
        for k, c in f.items():
            base = [0] * len(place)
            base[place["f", number]] -= 1  # type: ignore[index]
            for v in k[1:]:
                base[place["v" if k[0] == "q" else "l", v]] += 1
            for above in c.num.to_dict():
                for below in c.den.to_dict():
                    row = list(base)
                    for i, (a, b) in enumerate(zip(above, below, strict=True)):
                        row[i] += int(a) - int(b)
                    rows.add(tuple(row))
    if not rows or len(rows) > 5000:
        return []
    out = []
    for vector in null_space([list(map(fmpq, r)) for r in rows], len(place)):
        scale = lcm(*(int(w.q) for w in vector))
        weights = [int((w * scale).p) for w in vector]
        of_form = weights[len(place) - len(forms) :]
        out.append((dict(zip(names, weights, strict=False)), [of_form[0] - w for w in of_form[1:]]))
    return [(w, m) for w, m in out if any(w.values())]


def quotient(
    p: FormProblem,
    grades: list[tuple[dict[str, int], list[int]]],
    index: int,
    points: Array,
    values: Array,
    exact: float = 1e-9,
) -> Ratio | None:
    """A quotient of two polynomials with these values, of the weight that multiplier ``index`` has; None if none fits.

    ``exact`` is the relative error that the values may have.
    """
    field = p.field
    names = field.parameters
    weights = [tuple(w[n] for w, _ in grades) for n in names]
    target = tuple(m[index] for _, m in grades)
    seen: set[tuple[Any, ...]] = set()
    for degree in DEGREES:
        if len(names) > 1 and degree ** len(names) > 1500:
            break
        groups: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
        for powers in product(range(degree + 1), repeat=len(names)):
            if sum(powers) <= degree:
                weight = tuple(sum(k * w[g] for k, w in zip(powers, weights, strict=True)) for g in range(len(grades)))
                groups.setdefault(weight, []).append(powers)
        options = []
        for weight, below in groups.items():
            above = groups.get(tuple(a + b for a, b in zip(weight, target, strict=True)))
            if above and len(above) + len(below) <= min(MAX_UNKNOWNS, len(points) - 2):
                options.append((len(above) + len(below), above, below))
        for _, above, below in sorted(options, key=lambda o: o[0]):
            key = (tuple(above), tuple(below))
            if key in seen:
                continue
            seen.add(key)
            found = _solve(field, names, above, below, points, values, exact)
            if found is not None:
                return found
    return None


def _solve(
    field: Field,
    names: tuple[str, ...],
    above: list[Any],
    below: list[Any],
    points: Array,
    values: Array,
    exact: float,
) -> Ratio | None:
    columns = [points[:, field.at[n]] for n in names]

    def column(powers: tuple[int, ...]) -> Array:
        out = np.ones(len(points))
        for c, k in zip(columns, powers, strict=True):
            out = out * c**k
        return out

    matrix = np.column_stack([*(column(m) for m in above), *(-values * column(m) for m in below)])
    matrix = matrix / np.maximum(np.abs(matrix).max(axis=1, keepdims=True), 1e-300)
    scale = np.maximum(np.linalg.norm(matrix, axis=0), 1e-300)
    _, singular, right = np.linalg.svd(matrix / scale)
    if len(singular) < matrix.shape[1] or singular[-1] > exact * singular[0]:
        return None
    if singular[-2] < 100 * exact * singular[0]:
        return None  # several quotients fit: a smaller one was missed, or there are too few points
    vector = right[-1] / scale
    lead = int(np.argmax(np.abs(vector)))
    coefficients = []
    for c in vector / vector[lead]:
        q = simple(float(c), 1e-5 + 10 * exact) if abs(c) > 1e-7 + 100 * exact else Fraction(0)
        if q is None:
            return None
        coefficients.append(q)

    def polynomial(powers: list[Any], cs: list[Fraction]) -> Any:
        terms = {}
        for m, c in zip(powers, cs, strict=True):
            key = [0] * len(field.names)
            for n, k in zip(names, m, strict=True):
                key[field.at[n]] = k
            terms[tuple(key)] = fmpq(c.numerator, c.denominator)
        return field.ctx.from_dict({k: c for k, c in terms.items() if c})

    top, bottom = polynomial(above, coefficients[: len(above)]), polynomial(below, coefficients[len(above) :])
    if bottom.is_zero():
        return None
    got = polynomial_values(top, points) / polynomial_values(bottom, points)
    return (
        field.ratio(top, bottom)
        if np.all(np.abs(got - values) <= (1e-6 + 10 * exact) * (1e-9 + np.abs(values)))
        else None
    )


@dataclass(frozen=True)
class Room:
    """A monomial with values within given bounds at all points; ``simple`` and ``room`` say how good a guess it is."""

    value: Ratio
    simple: int
    room: float


def between(field: Field, known: list[Any], points: Array, low: Array, high: Array, tried: int = 4) -> list[Room]:
    """Monomials in the atoms between ``low`` and ``high`` at all points, few factors and much room first.

    0 where it lies between them; else both are to be of one sign.
    """
    if np.all(low <= 1e-9) and np.all(high >= -1e-9):
        return [Room(field.number(0), 0, np.inf)]
    sign = 1 if np.all(high > 0) else -1
    if sign < 0:
        low, high = -high, -low
    if np.any(high <= 0):
        return []
    numbers = [polynomial_values(g, points) for g in known]
    usable = [k for k, v in enumerate(numbers) if np.all(v > 1e-9) or np.all(v < -1e-9)][:8]
    logs = np.array([np.log(np.abs(numbers[k])) for k in usable]).reshape(len(usable), len(points)).T
    bound = 2 if len(usable) <= 4 else 1
    exponents = np.array(list(product(range(-bound, bound + 1), repeat=len(usable))))
    rest = logs @ exponents.T
    least = np.max(np.log(np.maximum(low, 1e-9))[:, None] - rest, axis=0)
    most = np.min(np.log(np.maximum(high, 1e-9))[:, None] - rest, axis=0)
    room = most - least
    found = []
    sizes = np.abs(exponents).sum(axis=1)
    for best in sorted(np.nonzero(room > -1e-6)[0], key=lambda e: (sizes[e] - 2 * min(room[e], 1.0), sizes[e]))[
        :tried
    ]:
        c = simplest_in(float(np.exp(least[best])), float(np.exp(most[best])))
        if c is not None:
            positive = (known[k] if numbers[k][0] > 0 else -known[k] for k in usable)
            value = times_powers(field, field.number(c * sign), positive, exponents[best])
            found.append(Room(value, int(sizes[best]), float(room[best])))
    return found


def simplest_in(low: float, high: float) -> Fraction | None:
    """The simplest fraction in [low, high], up to rounding of the ends, if its denominator is small."""
    found = simplest_between(*sorted((Fraction(low * (1 - 1e-7)), Fraction(high * (1 + 1e-7)))))
    return found if found.denominator <= LARGEST_DENOMINATOR else None


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
