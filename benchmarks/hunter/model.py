"""Random finite models: a probability space with a few atoms, values for declared names, functions, unknown values.

The space is a product of independent sources with rational weights (zero weights and single atoms among them), so
independence happens. A *line* may be added to it, an independent coordinate of its own: "heavy" is N = 1, 2, ... with
P(N = n) = 1/(n(n + 1)), which has no mean, "wide" has P(N = n) = 4/(n(n + 1)(n + 2)), a mean and no second moment,
"uniform" is a number of [-1, 1]. Values that depend on it are polynomials in it. A name is drawn by its declared sort
when it is first asked for. The law sphere(d) is uniform on +-e_i and ball(d) on {+-e_i, 0} with the true second
moments; where fourth powers are asked for, sphere(2) and sphere(3) have more points and the true fourth moments too.
sphere(1), ball(1), coordinate(1) and coordinate(3) are the true laws.
"""

from __future__ import annotations

import itertools
import random as python_random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq, fmpq_poly

from benchmarks.hunter.evaluate import Law
from benchmarks.hunter.nums import ONE, ZERO, Unknown, Value, X
from benchmarks.hunter.ratio import Ratio
from boundcheck.kernel.formula import ARITHMETIC, CONSTANTS, Expr
from boundcheck.kernel.proof.sorts import EVENT, INFORMATION, INTEGER, OBJECT, REAL, VECTOR, Sort

_POOL = [
    fmpq(p, q) for p, q in ((0, 1), (1, 1), (-1, 1), (2, 1), (1, 2), (-1, 2), (3, 1), (-2, 1), (3, 2), (1, 3), (4, 1))
]
_ODDS = (4, 5, 3, 3, 3, 2, 1, 2, 2, 1, 1)
_PYTHAGOREAN = ((3, 4), (4, -3), (-3, 4), (6, 8), (5, 12))
_TRIPLES = ((1, 2, 2), (2, -1, 2), (2, 3, 6), (0, 3, 4))
MAX_ATOMS = 16
LINE = X  #: the coordinate of the line


@dataclass
class Rv:
    """A random value: one for each atom; a polynomial in the coordinate of the line where it depends on that."""

    values: tuple[Value, ...]


@dataclass
class Sigma:
    """Information: the number of the block of each atom."""

    blocks: tuple[int, ...]


@dataclass
class Source:
    """An independent coordinate of the space: weights of its outcomes, and the values that a law gives them."""

    weights: tuple[fmpq, ...]
    values: tuple[Value, ...] = ()


@dataclass(frozen=True)
class Part:
    """A function of a point: quadratic forms or Huber functions of its coordinates, or fields that are linear."""

    scales: tuple[fmpq, ...]
    slopes: tuple[fmpq, ...]
    constant: fmpq
    radius: fmpq | None = None  #: beyond it a Huber function goes on as a line
    mixed: fmpq = ZERO  #: of a field: how much of the first coordinate enters the last component


@dataclass
class Function:
    """A drawn function of numbers and vectors, one part for each atom, or one that an equation defines."""

    name: str
    sort: Sort
    parts: tuple[Part, ...] = ()
    names: tuple[str, ...] = ()
    body: Expr | None = None
    of: Function | None = None  #: the function whose gradient it is
    law: Rv | None = None  #: a variable that it is at every argument, but for the odd one
    #: what becomes of it where the last coordinate of its arguments is that of the line, so that each argument has a
    #: null event of its own: "" (nothing), "step" (+ 1), "pole" (+ 1/x for the first coordinate x), "far" (times 7)
    odd: str = ""

    @property
    def size(self) -> fmpq:
        """The Lipschitz constant of the gradient of a drawn function, or of a drawn field along the axes."""
        return max((abs(s) for p in self.parts for s in p.scales), default=ZERO)


@dataclass
class Model:
    """One model."""

    rng: python_random.Random
    sorts: Mapping[str, Sort]
    d: int = 1
    sources: list[Source] = field(default_factory=list)
    line: str = ""  #: "", heavy, wide or uniform
    alias: float = 0.15  #: how often a random name is another one
    smooth: bool = True
    extra: list[Any] = field(default_factory=list)  #: values that facts are tried at, beside those of the names
    axes: bool = False  #: vectors along the axes alone, where a finite law stands for the sphere
    values: dict[str, Any] = field(default_factory=dict)
    members: dict[tuple[str, tuple[Any, ...]], Any] = field(default_factory=dict)
    styles: dict[str, str] = field(default_factory=dict)
    unknown_values: dict[Any, Value] = field(default_factory=dict)
    laws: dict[str, Law] = field(default_factory=dict)  #: the names that were given a named law

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
        words = self.sorts.keys() & {*ARITHMETIC, *CONSTANTS}
        #: words of the language that are declared all the same: a constant as a number, a kind of term as a function
        self.words = {n for n in words if (n in CONSTANTS) != bool(self.sorts[n].args)}

    @property
    def span(self) -> tuple[Value, Value]:
        """The range of the line's coordinate, as an open interval."""
        return (fmpq(-1), fmpq(1)) if self.line == "uniform" else (fmpq(1, 2), float("inf"))

    def tail_mean(self, p: Any, above: int) -> fmpq | None:
        """The mean of a polynomial in N on N > ``above``; None where it does not exist."""
        if isinstance(p, Ratio):
            raise Unknown("a mean of a quotient on the line")
        one = fmpq(1, above + 1) if self.line == "heavy" else fmpq(2, (above + 1) * (above + 2))
        if not isinstance(p, fmpq_poly) or p.degree() <= 0:
            return (p[0] if isinstance(p, fmpq_poly) else p) * one
        if self.line == "wide" and p.degree() == 1:
            return p[0] * one + p[1] * fmpq(4, above + 2)
        return None

    def mass(self, n: fmpq) -> fmpq:
        """P(N = n)."""
        return 1 / (n * (n + 1)) if self.line == "heavy" else 4 / (n * (n + 1) * (n + 2))

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

    def one(self, kind: str) -> Any:
        """A constant of a kind."""
        if kind == EVENT:
            return self.rng.random() < 0.5
        if kind == VECTOR:
            return self.vector()
        return self.number(kind in (INTEGER, OBJECT))

    def draw(self, kind: str, random: bool) -> Any:
        """A value of a kind."""
        if kind == INFORMATION:
            return self.sigma()
        if (not random and kind != EVENT) or self.rng.random() < 0.12:
            return self.one(kind)
        alike = [v for v in self.values.values() if isinstance(v, Rv) and all(_alike(x, kind) for x in v.values)]
        if alike and self.rng.random() < self.alias:
            return self.rng.choice(alike)
        style = self.rng.random()
        one: Callable[[], Any] = lambda: self.one(kind)  # noqa: E731
        if kind == REAL and style < 0.2:
            one = lambda: fmpq(self.rng.randint(0, 1))  # noqa: E731
        elif kind == REAL and style < 0.5:
            one = lambda: abs(self.number())  # noqa: E731
        chosen = self.some_sources()
        table: dict[tuple[int, ...], Any] = {}
        found = [table.setdefault(tuple(a[k] for k in chosen), one()) for a in self.atoms]
        on_line = kind in (REAL, VECTOR) or (kind == OBJECT and self.line == "uniform")
        if self.line and on_line and self.rng.random() < 0.75:
            found = [self.on_line(v, n) for n, v in enumerate(found)]
        return Rv(tuple(found))

    def on_line(self, value: Any, atom: int) -> Any:
        """The value plus a multiple of the line's coordinate, of both signs; or the coordinate itself, as last."""
        if self.line == "uniform" and self.rng.random() < 0.6:
            return (*value[:-1], LINE) if isinstance(value, tuple) else LINE
        c = self.rng.choice((ONE, ONE, ONE, -ONE, fmpq(2), ZERO))
        if isinstance(value, tuple):
            return tuple(x + (c if k == 0 else ZERO) * LINE for k, x in enumerate(value))
        return value + c * LINE

    def some_sources(self) -> list[int]:
        """A random set of sources, not empty where there are any."""
        free = list(range(len(self.sources)))
        if self.rng.random() < 0.7:  # seldom through a variable with a given law
            free = [n for n, s in enumerate(self.sources) if not s.values] or free
        return self.rng.sample(free, self.rng.randint(min(1, len(free)), len(free)))

    def sigma(self, chosen: list[int] | None = None) -> Sigma:
        """Information: that of some sources, trivial, full, or any partition."""
        if chosen is not None or self.rng.random() < 0.6:
            if chosen is None:
                chosen = self.rng.sample(range(len(self.sources)), self.rng.randint(0, len(self.sources)))
            keys = [tuple(a[k] for k in chosen) for a in self.atoms]
            order = sorted(set(keys))
            return Sigma(tuple(order.index(k) for k in keys))
        return Sigma(tuple(self.rng.randint(0, 2) for _ in self.atoms))

    # ------------------------------------------------------------ names

    def sort(self, name: str) -> Sort:
        """The sort of a name; of a name of which nothing is told, a real constant."""
        return self.sorts.get(name, Sort(REAL))

    def value(self, name: str) -> Any:
        """The value of a name: a number, a vector, a truth value, :class:`Rv`, :class:`Sigma` or a function."""
        if name not in self.values:
            sort = self.sort(name)
            if any(k in (VECTOR, REAL) for k in sort.args):
                self.values[name] = self.function(name, sort)
            elif sort.args:
                return self._family(name)
            else:
                self.values[name] = self.draw(sort.kind, sort.random)
        return self.values[name]

    def function(self, name: str, sort: Sort) -> Function:
        """A drawn function."""
        chosen = self.some_sources() if (sort.random or sort.kind == EVENT) and self.sources else []
        huber, flat = self.rng.random() < 0.35, self.rng.random() < (0.6 if self.line == "uniform" else 0.2)
        table: dict[tuple[int, ...], Part] = {}
        parts = [table.setdefault(tuple(a[k] for k in chosen), self._part(huber, flat)) for a in self.atoms]
        uncountable = sort.random and sort.kind in (REAL, VECTOR) and INTEGER not in sort.args
        odd = self.rng.choice(("", "step", "pole")) if self.line == "uniform" and uncountable else ""
        return Function(name, sort, tuple(parts), odd=odd)

    def _part(self, huber: bool, flat: bool) -> Part:
        size = 2 * self.d + 1
        if flat:
            return Part((ZERO,) * size, (ZERO,) * size, self.number())
        mixed = self.number() if not self.smooth and self.rng.random() < 0.4 else ZERO
        return Part(
            tuple(self.number() for _ in range(size)),
            tuple(self.number() for _ in range(size)),
            self.number(),
            abs(self.number()) + fmpq(1, 2) if huber else None,
            mixed,
        )

    def _family(self, name: str) -> Rv:
        """A family as one variable: its first members together."""
        if len(self.sort(name).args) != 1 or self.sort(name).kind == INFORMATION:
            raise Unknown("a family as one variable")
        found = [self.member(name, (fmpq(k),)) for k in range(-2, 6)]
        columns = [v.values if isinstance(v, Rv) else (v,) * len(self.atoms) for v in found]
        return Rv(tuple(zip(*columns, strict=True)))

    def member(self, name: str, index: tuple[Any, ...]) -> Any:
        """The member of a family at an index (any tuple of rationals)."""
        key = (name, index)
        if key in self.members:
            return self.members[key]
        sort = self.sort(name)
        style = self.styles.setdefault(name, self.rng.choice(("any", "any", "constant", "constant", "alike", "chain")))
        mine = [v for (n, _), v in self.members.items() if n == name]
        if sort.kind == INFORMATION and style != "any":
            style = "chain"
        if style == "chain" and sort.kind == INFORMATION:
            order = list(range(len(self.sources)))
            first = int(index[-1].p) + self.rng.choice((0, 0, 1)) if not mine else int(index[-1].p)
            found: Any = self.sigma(order[: max(0, first)])
        elif style == "constant" and mine:
            found = mine[0]
        elif style == "alike" and mine and self.rng.random() < 0.5:
            found = self.rng.choice(mine)
        else:
            found = self.draw(sort.kind, sort.random)
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


def _alike(value: Any, kind: str) -> bool:
    if kind == EVENT or isinstance(value, bool):
        return kind == EVENT and isinstance(value, bool)
    if isinstance(value, tuple):
        return kind == VECTOR
    return kind == REAL or (kind == INTEGER and isinstance(value, fmpq) and value.q == 1)


def second_moment(kind: str, d: int) -> fmpq:
    """E v_i^2 of the uniform law on the sphere or on the ball of R^d."""
    return fmpq(1, d + 2) if kind == "ball" else fmpq(1, d)


def sphere_of_fourth_moments(d: int) -> Source:
    """A law on rational points of the sphere of R^2 or R^3 with its moments up to the fifth: a spherical 5-design.

    Points +-e_i and all that a point (3/5, 4/5) or (1/3, 2/3, 2/3) becomes by signs and permutations, the weights such
    that E u_1**4 = 3/(d(d + 2)); |u| = 1 and the symmetries give the other moments.
    """
    seed = ((3, 5), (4, 5)) if d == 2 else ((1, 3), (2, 3), (2, 3))
    place = tuple(fmpq(*x) for x in seed)
    signs = list(itertools.product((1, -1), repeat=d))
    orbit = sorted(
        {tuple(s * x for s, x in zip(z, o, strict=True)) for o in itertools.permutations(place) for z in signs}
    )
    axes = [tuple(ONE * s if k == axis else ZERO for k in range(d)) for axis in range(d) for s in (1, -1)]
    of_orbit = sum((p[0] ** 4 for p in orbit), ZERO) / len(orbit)
    part = (fmpq(3, d * (d + 2)) - of_orbit) / (fmpq(1, d) - of_orbit)
    weights = [part / len(axes)] * len(axes) + [(1 - part) / len(orbit)] * len(orbit)
    return Source(tuple(weights), (*axes, *orbit))


def law_source(kind: str, d: int, fourth: bool = False) -> Source:
    """The finite law that stands for sphere(d), ball(d) or coordinate(d); ``fourth`` keeps fourth moments."""
    if fourth and kind == "sphere" and d > 1:
        return sphere_of_fourth_moments(d)
    share = second_moment(kind, d) / 2
    points = [tuple(ONE * s if k == axis else ZERO for k in range(d)) for axis in range(d) for s in (1, -1)]
    weights = [share] * (2 * d)
    if kind == "ball":
        points.append((ZERO,) * d)
        weights.append(1 - 2 * d * share)
    values: list[Value] = list(points)
    if kind == "coordinate":
        merged: dict[Any, fmpq] = {}
        for p, w in zip(points, weights, strict=True):
            merged[p[0]] = merged.get(p[0], ZERO) + w
        values, weights = list(merged), list(merged.values())
    return Source(tuple(weights), tuple(values))


def draw_weights(rng: python_random.Random, n: int) -> tuple[fmpq, ...]:
    """Rational weights of n outcomes with sum 1, zeros among them."""
    parts = [rng.choice((0, 1, 1, 1, 2, 3, 9)) for _ in range(n)]
    if not sum(parts):
        parts[rng.randrange(n)] = 1
    return tuple(fmpq(p, sum(parts)) for p in parts)


def draw_space(
    rng: python_random.Random, fixed: list[Source], most: int = 3, least: int | None = None
) -> list[Source]:
    """Sources: those given and ``least`` to ``most`` others of one to four outcomes, at most 16 atoms in all."""
    sources, size = list(fixed), 1
    for s in fixed:
        size *= len(s.weights)
    for _ in range(rng.randint((0 if fixed else 1) if least is None else least, most)):
        n = rng.choice((1, 2, 2, 2, 3, 4))
        if size * n <= MAX_ATOMS:
            sources.append(Source(draw_weights(rng, n)))
            size *= n
    return sources


def give_law(model: Model, name: str, kind: str, source: int | None) -> None:
    """Give a name the law: from its source, or from the uniform line."""
    model.laws[name] = Law(kind, model.d)
    if source is None:
        found = Rv(((LINE,) if kind == "ball" else LINE,) * len(model.atoms))
    else:
        found = Rv(tuple(model.sources[source].values[a[source]] for a in model.atoms))
    sort = model.sort(name)
    odd = "far" if INTEGER not in sort.args else ""
    model.values[name] = Function(name, sort, law=found, odd=odd) if sort.args else found
