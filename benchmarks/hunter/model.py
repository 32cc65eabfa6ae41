"""Random finite models: a probability space with a few atoms, values for names, smooth functions, unknown values.

The space is a product of independent sources with rational weights (zero weights and single atoms among them), so
independence happens. A name is drawn when it is first asked for, by its sort. The objective is a random quadratic per
atom, F(x) = <A x, x>/2 + <b, x> + c with A diagonal; f is its mean and fmu its smoothing over the ball law. The laws
sphere(d) and ball(d) are finite laws with the symmetries and the second moments of the true ones: uniform on +-e_i,
and on {+-e_i, 0} with E v_i^2 = 1/(d + 2). For d = 1 the first one is the true law.
"""

from __future__ import annotations

import itertools
import random as python_random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq

from benchmarks.hunter.nums import ONE, ZERO, Unknown, Value, dot
from benchmarks.hunter.sorts import EVENT, OTHER, REAL, SIGMA, VECTOR, Sort

_POOL = [
    fmpq(p, q) for p, q in ((0, 1), (1, 1), (-1, 1), (2, 1), (1, 2), (-1, 2), (3, 1), (-2, 1), (3, 2), (1, 3), (4, 1))
]
_ODDS = (4, 5, 3, 3, 3, 2, 1, 2, 2, 1, 1)
_PYTHAGOREAN = ((3, 4), (4, -3), (-3, 4), (6, 8), (5, 12))
_TRIPLES = ((1, 2, 2), (2, -1, 2), (2, 3, 6), (0, 3, 4))
MAX_ATOMS = 16


@dataclass
class Rv:
    """A random value: one for each atom."""

    values: tuple[Value, ...]


@dataclass
class Sigma:
    """A sigma-field: the number of the block of each atom."""

    blocks: tuple[int, ...]


@dataclass
class Law:
    """A named law, sphere(d) or ball(d): compared with that of a variable."""

    kind: str
    d: int


@dataclass
class Source:
    """An independent coordinate of the space: weights of its outcomes, and the values that a law gives them."""

    weights: tuple[fmpq, ...]
    values: tuple[Value, ...] = ()


@dataclass
class Model:
    """One model. ``partial``: a fact with an undefined term is false; else such a term has its own unknown value."""

    rng: python_random.Random
    sorts: Mapping[str, Sort]
    d: int = 1
    sources: list[Source] = field(default_factory=list)
    partial: bool = False
    alias: float = 0.15  #: how often a random name is another one
    extra: list[Any] = field(default_factory=list)  #: values that facts are tried at, beside those of the names
    axes: bool = False  #: vectors along the axes alone, where a finite law stands for the sphere
    values: dict[str, Any] = field(default_factory=dict)
    members: dict[tuple[str, tuple[Any, ...]], Any] = field(default_factory=dict)
    styles: dict[str, str] = field(default_factory=dict)
    definitions: dict[str, Callable[[tuple[Any, ...]], Any]] = field(default_factory=dict)
    unknown_values: dict[Any, Value] = field(default_factory=dict)
    objective: list[tuple[Any, Any, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.atoms = list(itertools.product(*(range(len(s.weights)) for s in self.sources))) or [()]
        weights = []
        for atom in self.atoms:
            w = ONE
            for source, k in zip(self.sources, atom, strict=True):
                w = w * source.weights[k]
            weights.append(w)
        self.weights = weights
        self.live = [n for n, w in enumerate(weights) if w > 0]

    # ------------------------------------------------------------ draws

    def number(self, integer: bool = False) -> fmpq:
        """A rational, small ones and 0 more often; an integer at will."""
        if integer:
            return fmpq(self.rng.choice((0, 1, 1, 2, 2, 3, 4, -1, 5)))
        if self.rng.random() < 0.9:
            return self.rng.choices(_POOL, _ODDS)[0]
        return fmpq(self.rng.randint(-9, 9), self.rng.randint(1, 6))

    def vector(self) -> tuple[fmpq, ...]:
        """A vector of Q^d: zero, along an axis, with a rational length, parallel to another one, any small one."""
        rng, d = self.rng, self.d
        kind = rng.random()
        if kind < 0.15:
            return (ZERO,) * d
        others = [v for v in self.values.values() if isinstance(v, tuple)]
        if kind < 0.3 and others:
            c = self.number()
            return tuple(c * x for x in rng.choice(others))
        if kind < 0.7 or d == 1 or self.axes:
            axis, size = rng.randrange(d), self.number()
            return tuple(size if k == axis else ZERO for k in range(d))
        if kind < 0.9:
            base = rng.choice(_PYTHAGOREAN if d == 2 else _TRIPLES)
            return tuple(fmpq(x, rng.choice((1, 5))) for x in base)
        return tuple(fmpq(rng.randint(-2, 2)) for _ in range(d))

    def draw(self, kind: str, random: bool, integer: bool = False) -> Any:
        """A value of a sort."""
        if kind == SIGMA:
            return self.sigma()
        if kind == OTHER:
            return ZERO
        if kind == EVENT:
            one: Callable[[], Any] = lambda: self.rng.random() < 0.5  # noqa: E731
        elif kind == VECTOR:
            one = self.vector
        else:
            one = lambda: self.number(integer)  # noqa: E731
        if not random or self.rng.random() < 0.12:
            return one()
        alike = [v for v in self.values.values() if isinstance(v, Rv) and type(v.values[0]) is type(one())]
        if alike and self.rng.random() < self.alias:
            return self.rng.choice(alike)
        style = self.rng.random()
        if kind == REAL and not integer and style < 0.2:
            one = lambda: fmpq(self.rng.randint(0, 1))  # noqa: E731
        elif kind == REAL and not integer and style < 0.5:
            one = lambda: abs(self.number())  # noqa: E731
        chosen = self.some_sources()
        table: dict[tuple[int, ...], Any] = {}
        return Rv(tuple(table.setdefault(tuple(a[k] for k in chosen), one()) for a in self.atoms))

    def some_sources(self) -> list[int]:
        """A random set of sources, not empty where there are any."""
        free = list(range(len(self.sources)))
        if self.rng.random() < 0.7:  # seldom through a variable with a given law
            free = [n for n, s in enumerate(self.sources) if not s.values] or free
        return self.rng.sample(free, self.rng.randint(min(1, len(free)), len(free)))

    def sigma(self) -> Sigma:
        """A sigma-field: that of some sources, trivial, full, or any partition."""
        kind = self.rng.random()
        if kind < 0.75:
            chosen = self.rng.sample(range(len(self.sources)), self.rng.randint(0, len(self.sources)))
            keys = [tuple(a[k] for k in chosen) for a in self.atoms]
            order = sorted(set(keys))
            return Sigma(tuple(order.index(k) for k in keys))
        return Sigma(tuple(self.rng.randint(0, 2) for _ in self.atoms))

    # ------------------------------------------------------------ names

    def sort(self, name: str) -> Sort:
        """The sort of a name; of a name of which nothing is told, a real constant."""
        return self.sorts.get(name, Sort())

    def value(self, name: str) -> Any:
        """The value of a name: a number, a vector, a truth value, :class:`Rv` or :class:`Sigma`."""
        if name not in self.values:
            if name in self.definitions:
                self.values[name] = self.definitions[name](())
            else:
                sort = self.sort(name)
                if sort.arity == 1 and sort.kind == REAL:
                    return self._family(name)
                self.values[name] = self.draw(sort.kind, sort.random, sort.integer)
        return self.values[name]

    def _family(self, name: str) -> Rv:
        """A family as one variable: its first members together."""
        found = [self.member(name, (fmpq(k),)) for k in range(-2, 6)]
        columns = [v.values if isinstance(v, Rv) else (v,) * len(self.atoms) for v in found]
        return Rv(tuple(zip(*columns, strict=True)))

    def member(self, name: str, index: tuple[Any, ...]) -> Any:
        """The member of a family at an index (any tuple of rationals)."""
        key = (name, index)
        if key in self.members:
            return self.members[key]
        if name in self.definitions:
            self.members[key] = None  # a circle finds this
            found = self.definitions[name](index)
            if found is not None:
                self.members[key] = found
                return found
            del self.members[key]
        style = self.styles.setdefault(name, self.rng.choice(("any", "any", "constant", "constant", "alike")))
        mine = [v for (n, _), v in self.members.items() if n == name and v is not None]
        if style == "constant" and mine:
            found = mine[0]
        elif style == "alike" and mine and self.rng.random() < 0.5:
            found = self.rng.choice(mine)
        else:
            sort = self.sort(name)
            found = self.draw(sort.kind, sort.random, sort.integer)
        self.members[key] = found
        return found

    def forget(self, name: str) -> None:
        """Draw ``name`` anew when it is next asked for."""
        self.values.pop(name, None)
        self.styles.pop(name, None)
        for key in [k for k in self.members if k[0] == name]:
            del self.members[key]

    def unknown(self, key: Any, vector: bool = False) -> Value:
        """The unknown value behind ``key``, always the same one."""
        if key not in self.unknown_values:
            self.unknown_values[key] = self.vector() if vector else self.number()
        return self.unknown_values[key]

    # ------------------------------------------------------------ the objective

    def quadratic(self, atom: int | None) -> tuple[Any, Any, Any]:
        """(A, b, c) of F at an atom, or of f."""
        if not self.objective:
            chosen = self.some_sources() if self.sources and self.rng.random() < 0.7 else []
            table: dict[tuple[int, ...], Any] = {}
            self.objective = [table.setdefault(tuple(a[k] for k in chosen), self._coefficients()) for a in self.atoms]
        if atom is not None:
            return self.objective[atom]
        means: list[Any] = []
        for part in range(2):
            means.append(
                tuple(
                    sum((w * q[part][k] for w, q in zip(self.weights, self.objective, strict=True)), ZERO)
                    for k in range(self.d)
                )
            )
        c = sum((w * q[2] for w, q in zip(self.weights, self.objective, strict=True)), ZERO)
        return (means[0], means[1], c)

    def _coefficients(self) -> tuple[Any, Any, Any]:
        return (
            tuple(self.number() for _ in range(self.d)),
            tuple(self.number() for _ in range(self.d)),
            self.number(),
        )


def second_moment(kind: str, d: int) -> fmpq:
    """E v_i^2 of the uniform law on the sphere or on the ball of R^d."""
    return fmpq(1, d) if kind == "sphere" else fmpq(1, d + 2)


def law_source(kind: str, d: int, vector: bool) -> Source:
    """The finite law that stands for sphere(d) or ball(d): of the vector, or of its first coordinate."""
    share = fmpq(1, 2 * d) if kind == "sphere" else fmpq(1, 2 * (d + 2))
    points = [tuple(ONE * s if k == axis else ZERO for k in range(d)) for axis in range(d) for s in (1, -1)]
    weights = [share] * (2 * d)
    if kind == "ball":
        points.append((ZERO,) * d)
        weights.append(1 - 2 * d * share)
    values: list[Value] = list(points)
    if not vector:
        merged: dict[Any, fmpq] = {}
        for p, w in zip(points, weights, strict=True):
            merged[p[0]] = merged.get(p[0], ZERO) + w
        values, weights = list(merged), list(merged.values())
    return Source(tuple(weights), tuple(values))


def apply_quadratic(q: tuple[Any, Any, Any], x: Value, add: Any, mul: Any) -> Value:
    """<A x, x>/2 + <b, x> + c."""
    if not isinstance(x, tuple) or len(x) != len(q[0]):
        raise Unknown("no point of the space")
    ax = tuple(mul(a, b) for a, b in zip(q[0], x, strict=True))
    return add(add(mul(fmpq(1, 2), dot(ax, x)), dot(q[1], x)), q[2])


def draw_weights(rng: python_random.Random, n: int) -> tuple[fmpq, ...]:
    """Rational weights of n outcomes with sum 1, zeros among them."""
    parts = [rng.choice((0, 1, 1, 1, 2, 3, 9)) for _ in range(n)]
    if not sum(parts):
        parts[rng.randrange(n)] = 1
    return tuple(fmpq(p, sum(parts)) for p in parts)


def draw_space(rng: python_random.Random, fixed: list[Source], most: int = 3) -> list[Source]:
    """Sources: those given and up to ``most`` others of one to four outcomes, at most 16 atoms in all."""
    sources, size = list(fixed), 1
    for s in fixed:
        size *= len(s.weights)
    for _ in range(rng.randint(0 if fixed else 1, most)):
        n = rng.choice((1, 2, 2, 2, 3, 4))
        if size * n <= MAX_ATOMS:
            sources.append(Source(draw_weights(rng, n)))
            size *= n
    return sources


def each(model: Model) -> Iterator[int]:
    """The atoms with a positive weight."""
    yield from model.live
