"""Search for the sign of a polynomial on a domain: factors, and a linear program over products of constraints."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Any

import numpy as np
from flint import fmpq
from scipy.sparse import csc_matrix

from boundcheck.arith.linear_program import least
from boundcheck.arith.rational_linear import solution
from boundcheck.kernel.check.gram_certificate import Refused, Signs, key_of
from boundcheck.kernel.check.ratios import Ratio
from boundcheck.kernel.clock import exhausted

MAX_PRODUCTS = 1200
SIDE = 0.02  #: share of the samples of the domain that a polynomial must leave on either side to split it
SMALL = 12  #: terms of a product that is tried where its factors have no sign
EXTRA_DEGREES = (0, 1, 2)  #: how far the products may exceed the polynomial's degree, in turn
Powers = tuple[tuple[int, int], ...]
Product = tuple[Powers, Any, Any]  #: powers of constraints, what is squared besides (or None), the product
PLAIN, TIMES, SQUARES = range(3)  #: how much is tried: products; those of p times a positive polynomial; with squares


class SignSearch:
    """Finds sign certificates and keeps them by polynomial, in the form that the verifier reads."""

    def __init__(self, signs: Signs, effort: int = SQUARES):
        self.signs, self.effort = signs, effort
        self.found: dict[str, Any] = {}
        self.failed: set[str] = set()
        self.mixed: list[Any] = []  #: factors of both signs on the domain

    def try_harder(self) -> None:
        """Try squares from now on, also where a search has failed."""
        self.effort = SQUARES
        self.failed.clear()

    def sign(self, p: Any, *, strict: bool) -> int:
        """+1 or -1 with a certificate kept; 0 if none was found."""
        if p.is_constant():
            value = p.leading_coefficient() if not p.is_zero() else fmpq(0)
            return 0 if strict and value == 0 else (1 if value >= 0 else -1)
        key = key_of(self.signs.field, p) + ("+" if strict else "")
        if key in self.failed:
            return 0
        if key not in self.found:
            proof = certificate(self.signs, p, strict=strict, effort=self.effort)
            if proof is None and exhausted():
                return 0
            if proof is None:
                self.failed.add(key)
                self.mixed += [q for q, _ in p.factor()[1] if _mixed(self.signs, q) and q not in self.mixed]
                return 0
            self.found[key] = proof
        return self.signs.sign(p, self.found[key], strict=strict)


def certificate(signs: Signs, p: Any, *, strict: bool, effort: int = SQUARES) -> dict[str, Any] | None:
    """A sign certificate of ``p``: its factors, each with its sign proved where that is needed.

    More ``effort`` finds more, and takes longer to fail.
    """
    constant, factors = p.factor()
    proof = _by_factors(signs, constant, factors, strict, effort)
    if (
        proof is None and effort >= SQUARES and len(factors) > 1 and len(p) <= SMALL
    ):  # a constraint may be a product of factors that have no sign each
        proof = _by_factors(signs, fmpq(1), [(p, 1)], strict, effort)
    return proof


def _by_factors(
    signs: Signs, constant: Any, factors: list[tuple[Any, int]], strict: bool, effort: int
) -> dict[str, Any] | None:
    out = []
    for q, power in factors:
        entry: dict[str, Any] = {"polynomial": signs.field.encode(q), "power": int(power), "sign": 1, "terms": []}
        if strict or power % 2:
            for own in (1, -1):
                found = _over_divisors(signs, q * own, strict=strict, effort=effort)
                if found is not None:
                    entry |= {"sign": own, **found}
                    break
            else:
                return None
        out.append(entry)
    proof = {"constant": str(constant), "factors": out}
    product = signs.field.constant(Fraction(str(constant)))
    for q, power in factors:
        product = signs.field.reduce(product * q**power)
    try:
        signs.sign(product, proof, strict=strict)
    except Refused:
        return None
    return proof


def _over_divisors(signs: Signs, p: Any, *, strict: bool, effort: int) -> dict[str, Any] | None:
    """Terms of :func:`handelman` for p, or for p times what the domain makes positive."""
    if _refuted_at_samples(signs, p):
        return None
    terms = handelman(signs, p, strict=strict)
    if terms is not None:
        return {"terms": terms}
    for times in _divisors(signs, p) if effort >= TIMES else ():
        positive = handelman(signs, times, strict=True)
        if positive is None:
            continue
        terms = handelman(signs, signs.field.reduce(p * times), strict=strict)
        if terms is not None:
            return {"terms": terms, "times": {"polynomial": signs.field.encode(times), "terms": positive}}
    terms = handelman(signs, p, strict=strict, squares=True) if effort >= SQUARES else None
    return None if terms is None else {"terms": terms}


def _divisors(signs: Signs, p: Any) -> list[Any]:
    """Polynomials that may be positive and help: cofactors of constraints, constraints, ``p`` without its signs."""
    field = signs.field
    found: list[Any] = []
    for g, _ in signs.constraints:
        factors = [(q / q.leading_coefficient(), int(power)) for q, power in g.factor()[1]]
        for q, power in factors:
            cofactor = g / (q**power * abs(g.factor()[0]))
            found += [cofactor, -cofactor] if len(factors) > 1 else []
    found += [g for g, strict in signs.constraints if strict and g.total_degree() == 1]
    found += map(field.symbol, field.parameters)
    found.append(field.ctx.from_dict({m: abs(c) for m, c in p.to_dict().items()}))
    unique: list[Any] = []
    for g in found:
        if not g.is_constant() and g not in unique:
            unique.append(g)
    return unique[:16]


def handelman(signs: Signs, p: Any, *, strict: bool, squares: bool = False) -> list[list[Any]] | None:
    """p as a nonnegative combination of products of constraints (a positive strict product too, if ``strict``).

    With ``squares`` they may be multiplied by squares.
    """
    if _refuted_at_samples(signs, p):
        return None
    names = _variables(p) | {signs.field.at[n] for n in signs.field.roots}
    near = [k for k, (g, _) in enumerate(signs.constraints) if _variables(g) <= names]
    every = list(range(len(signs.constraints)))
    for chosen in (near, every) if near != every and not squares else (near,):
        sizes = set()
        for extra in EXTRA_DEGREES:
            if exhausted():
                return None
            table = _table(signs, chosen, p.total_degree() + extra)
            if squares:
                more = _squares(signs, p, table.products, p.total_degree() + extra)
                if not more:
                    continue
                table = Table.of(signs, [*table.products, *more])
            if len(table.products) in sizes:
                continue
            sizes.add(len(table.products))
            terms = _combination(signs, p, table, strict)
            if terms is not None:
                return terms
    return None


def _squares(signs: Signs, p: Any, products: list[Product], degree: int) -> list[Product]:
    """Products times the squares of parameters without a sign, and squares of sums of two terms as p has them."""
    field = signs.field
    signed = {n for n in field.names for g, _ in signs.constraints if len(g) == 1 and _variables(g) == {field.at[n]}}
    loose = [field.symbol(n) for n in field.names if n not in signed and field.at[n] in _variables(p)]
    found = [(powers, q, g * q * q) for q in loose for powers, _, g in products if g.total_degree() + 2 <= degree]
    roots = [
        field.ctx.from_dict({tuple(int(k) // 2 for k in m): own})
        for m, c in p.to_dict().items()
        if not any(k % 2 for k in m) and c > 0 and (own := _root(c)) is not None
    ]
    found += [((), q, q * q) for n, a in enumerate(roots) for b in roots[:n] for q in (a - b, a + b)]
    return [(powers, q, field.reduce(g)) for powers, q, g in found[:MAX_PRODUCTS]]


def _root(c: Any) -> Any | None:
    above, below = isqrt(int(c.p)), isqrt(int(c.q))
    return fmpq(above, below) if above**2 == c.p and below**2 == c.q else None


def emptiness(signs: Signs) -> list[list[Any]] | None:
    """Products of constraints, one of them positive, with the sum 0: the domain is empty; or None."""
    if samples(signs).size:
        return None
    every = list(range(len(signs.constraints)))
    largest = max((g.total_degree() for g, _ in signs.constraints), default=0)
    for degree in range(1, largest + 2):
        terms = _combination(signs, signs.field.zero, _table(signs, every, degree), strict=True, one=True)
        if terms is not None:
            return terms
    return None


def _variables(p: Any) -> set[int]:
    return {i for m in p.to_dict() for i, k in enumerate(m) if k}


def _refuted_at_samples(signs: Signs, p: Any) -> bool:
    """Whether floating samples of the domain say that p is negative somewhere (a hint that saves the search)."""
    points = samples(signs)
    if points.size == 0:
        return False
    values = polynomial_values(p, points)
    scale = polynomial_values(p, points, absolute=True)
    return bool(np.any(values < -1e-9 * scale))


def _mixed(signs: Signs, p: Any) -> bool:
    """Whether p takes both signs on much of the domain, in floats."""
    values = polynomial_values(p, samples(signs))
    return bool(len(values)) and SIDE < float(np.mean(values > 0)) < 1 - SIDE


def _products(signs: Signs, chosen: list[int], degree: int) -> list[Product]:
    """Products of the chosen constraints up to a total degree, the constant 1 first."""
    found: list[Product] = [((), None, signs.field.one)]
    for index in chosen:
        g = signs.constraints[index][0]
        size = max(1, g.total_degree())
        for powers, _, product in list(found):
            used, current, power = (
                sum(max(1, signs.constraints[i][0].total_degree()) * k for i, k in powers),
                product,
                0,
            )
            while used + size <= degree and len(found) < MAX_PRODUCTS:
                used, power = used + size, power + 1
                current = signs.field.reduce(current * g)
                found.append(((*powers, (index, power)), None, current))
    return found


@dataclass(frozen=True)
class Table:
    """Products as columns: the row of each monomial, the entries, and which products are positive."""

    products: list[Product]
    rows: dict[tuple[int, ...], int]
    entries: list[tuple[int, int, Any]]
    positive: np.ndarray[Any, Any]

    @classmethod
    def of(cls, signs: Signs, products: list[Product]) -> Table:
        """The table of given products."""
        rows: dict[tuple[int, ...], int] = {}
        entries: list[tuple[int, int, Any]] = []
        for column, (_, _, product) in enumerate(products):
            for m, c in product.to_dict().items():
                entries.append((rows.setdefault(m, len(rows)), column, c))
        positive = [q is None and all(signs.constraints[i][1] for i, _ in powers) for powers, q, _ in products]
        return cls(products, rows, entries, np.array(positive))

    @cached_property
    def floats(self) -> tuple[list[float], tuple[list[int], list[int]]]:
        """The entries as scipy's sparse matrices take them."""
        values = [float(c.p) / float(c.q) for _, _, c in self.entries]
        return values, ([r for r, _, _ in self.entries], [k for _, k, _ in self.entries])


def _table(signs: Signs, chosen: list[int], degree: int) -> Table:
    """The table of the products of the chosen constraints up to a degree, made once."""
    made: dict[Any, Table] = signs.__dict__.setdefault("_tables", {})
    key = (tuple(chosen), degree, len(signs.constraints))
    if key not in made:
        made[key] = Table.of(signs, _products(signs, chosen, degree))
    return made[key]


def _combination(signs: Signs, p: Any, table: Table, strict: bool, one: bool = False) -> list[list[Any]] | None:
    """Terms that sum to p, some positive if ``strict``; with ``one`` the coefficients of these have the sum 1."""
    products, entries, positive = table.products, table.entries, table.positive
    target = [fmpq(0)] * len(table.rows)
    for m, c in p.to_dict().items():
        if m not in table.rows:
            return None
        target[table.rows[m]] = c
    values, (places, columns) = table.floats
    if one:
        ones = [int(k) for k in np.nonzero(positive)[0]]
        entries = [*entries, *((len(target), k, fmpq(1)) for k in ones)]
        values, places, columns = (
            [*values, *[1.0] * len(ones)],
            [*places, *[len(target)] * len(ones)],
            [*columns, *ones],
        )
        target.append(fmpq(1))
    matrix = csc_matrix((values, (places, columns)), shape=(len(target), len(products)))
    right = np.array([float(c.p) / float(c.q) for c in target])
    costs = [np.ones(len(products))]
    if strict:
        costs.insert(0, np.where(positive, -1.0, 0.0))
    for cost in costs:
        x = least(cost, matrix, right)
        if x is None:
            continue
        exact = _exact(x, entries, target, len(target))
        if exact is None or (strict and not any(positive[k] and c > 0 for k, c in exact.items())):
            continue
        terms = [(str(c), [list(pair) for pair in products[k][0]], products[k][1]) for k, c in exact.items()]
        return [[c, powers] if q is None else [c, powers, signs.field.encode(q)] for c, powers, q in terms]
    return None


def _exact(x: Any, entries: list[tuple[int, int, Any]], target: list[Any], rows: int) -> dict[int, Any] | None:
    """The exact solution on the support of a floating one, if it is nonnegative."""
    support = [k for k, v in enumerate(x) if v > 1e-10]
    place = {k: i for i, k in enumerate(support)}
    table = [[fmpq(0)] * (len(support) + 1) for _ in range(rows)]
    for r, k, c in entries:
        if k in place:
            table[r][place[k]] = c
    for r, c in enumerate(target):
        table[r][-1] = c
    found = solution(table, len(support))
    if found is None or any(c < 0 for c in found):
        return None
    return {k: c for k, c in zip(support, found, strict=True) if c}


# ---------------------------------------------------------------- floating samples of the domain


def polynomial_values(p: Any, points: np.ndarray[Any, Any], absolute: bool = False) -> np.ndarray[Any, Any]:
    """Values of ``p`` at rows of ``points``; with ``absolute`` the sum of the moduli of its terms."""
    total = np.zeros(len(points))
    for m, c in p.to_dict().items():
        term = np.full(len(points), float(c.p) / float(c.q))
        for i, k in enumerate(m):
            if k:
                term = term * points[:, i] ** int(k)
        total += np.abs(term) if absolute else term
    return total


def ratio_values(r: Ratio, points: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Values of a rational function at rows of ``points``, not finite where it has none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(polynomial_values(r.num, points) / polynomial_values(r.den, points))


def samples(signs: Signs, count: int = 300) -> np.ndarray[Any, Any]:
    """Points of the domain in floating point (one row each, columns as the field's names); perhaps none."""
    cached: np.ndarray[Any, Any] | None = getattr(signs, "_samples", None)
    if cached is not None and getattr(signs, "_sampled", -1) == len(signs.constraints):
        return cached
    field, rng = signs.field, np.random.default_rng(7)
    kept: list[np.ndarray[Any, Any]] = []
    for _ in range(12):
        draw = _draw(rng, signs, 20_000)
        for name, radicand in field.roots.items():
            draw[:, field.at[name]] = float(radicand) ** 0.5
        inside = feasible(signs, draw)
        good = draw[inside][:count]
        kept += [good, _to_the_edge(signs, good, draw[~inside][: len(good)])]
        if sum(map(len, kept)) >= 2 * count:
            break
    points = np.concatenate(kept)[: 2 * count]
    signs._samples, signs._sampled = points, len(signs.constraints)  # type: ignore[attr-defined]
    return points


def of_parameters(signs: Signs) -> list[Any]:
    """The constraints that say more than where the square roots of numbers lie."""
    roots = {signs.field.at[n] for n in signs.field.roots}
    return [g for g, _ in signs.constraints if not _variables(g) <= roots]


def feasible(signs: Signs, points: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Which rows of ``points`` meet every constraint, in floating point."""
    inside = np.ones(len(points), bool)
    for g, strict in signs.constraints:
        values = polynomial_values(g, points)
        inside &= values > 0 if strict else values >= 0
    return inside


def _to_the_edge(signs: Signs, good: np.ndarray[Any, Any], bad: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Points of the domain close to its edge, between good and bad ones."""
    good = good[: len(bad)]
    low, high = np.zeros(len(good)), np.ones(len(good))
    for _ in range(40):
        middle = (low + high) / 2
        inside = feasible(signs, good + middle[:, None] * (bad - good))
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return np.asarray(good + low[:, None] * (bad - good))


def _draw(rng: np.random.Generator, signs: Signs, count: int) -> np.ndarray[Any, Any]:
    columns = []
    for i in range(len(signs.field.names)):
        low, high = coordinate_range(signs, i)
        if np.isfinite(low) and np.isfinite(high):
            inner = low + (high - low) * rng.random(count) ** rng.choice([1.0, 3.0, 1 / 3], count)
            columns.append(inner)
            continue
        size = 10.0 ** rng.uniform(-4, 3, count)
        if np.isfinite(low):
            columns.append(low + size)
        elif np.isfinite(high):
            columns.append(high - size)
        else:
            columns.append(size * rng.choice([-1.0, 1.0], count))
    return np.stack(columns, axis=1) if columns else np.zeros((count, 0))


def coordinate_range(signs: Signs, i: int) -> tuple[float, float]:
    """Constant bounds of one variable, read off the constraints that are linear in it alone."""
    low, high = -np.inf, np.inf
    for g, _ in signs.constraints:
        if _variables(g) != {i} or g.total_degree() != 1:
            continue
        slope = intercept = 0.0
        for m, c in g.to_dict().items():
            if any(m):
                slope = float(c.p) / float(c.q)
            else:
                intercept = float(c.p) / float(c.q)
        if slope > 0:
            low = max(low, -intercept / slope)
        else:
            high = min(high, -intercept / slope)
    return low, high
