"""Worlds: an infinite product of independent finite laws, of which an outcome is looked at as far as a term asks.

A *coordinate* is a tuple whose last part is its kind, such as ("B", 3, "xi") for the noise of the third draw of a
batch; ``chances`` gives each kind its values and weights. A mean goes through all values of the coordinates that
its term asks for and no others: means, probabilities and conditional means are exact although the coordinates are
infinitely many. Information is a set of coordinates. What asks for coordinates of it alone is known from it, what
asks for none of them is independent of it. An object is the beginning of the coordinates that it consists of.

The world has dimension 1. There sphere(1) is a fair sign. Of ball(1), the uniform law on [-1, 1], only means of
polynomials of degree at most three are told: its coordinate has the points of Simpson's rule, which is exact on these.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq, fmpq_poly

from boundcheck.arith import in_balls
from boundcheck.kernel.formula import Expr, Relation
from boundcheck.kernel.proof.sorts import REAL, Sort
from boundcheck.kernel.statement import Fact
from boundcheck.models import nums
from boundcheck.models.evaluate import Evaluator, Law, family_of
from boundcheck.models.nums import ONE, ZERO, Unknown, Value, X, add, mul
from boundcheck.models.ratio import Ratio

Key = tuple[Any, ...]
LOOKS = 1500  #: outcomes that are looked at for one assertion
DEEPEST = 12  #: coordinates that one mean may ask for
BITS = 160
_LINE = (float("-inf"), float("inf"))
_SMOOTH = frozenset({"num", "var", "add", "sub", "mul", "neg", "f"})  #: what may stand around a coordinate of the ball


@dataclass(frozen=True)
class Lazy:
    """A random value, told from an outcome."""

    told: Callable[[SamplePoint], Value]


@dataclass(frozen=True)
class Thing:
    """An object: all coordinates that begin so, or the one coordinate that is just this."""

    key: Key


@dataclass(frozen=True)
class Known:
    """Information: the coordinates that are known."""

    knows: Callable[[Key], bool]


class Need(Exception):
    """An outcome was asked for a coordinate that it does not have yet."""

    def __init__(self, outcome: SamplePoint, key: Key):
        super().__init__(key)
        self.outcome, self.key = outcome, key


class SamplePoint:
    """The coordinates that are told so far; what is known is that of ``before``."""

    def __init__(self, told: Mapping[Key, Value], before: SamplePoint | None = None, given: Known | None = None):
        self.told, self.before, self.given = told, before, given
        self.asked: set[Key] = set()
        self.members: dict[Any, Any] = {}

    def __getitem__(self, key: Key) -> Value:
        self.asked.add(key)
        if self.before is not None and self.given is not None and self.given.knows(key):
            return self.before[key]
        if key not in self.told:
            raise Need(self, key)
        return self.told[key]


@dataclass
class World:
    """Values of the declared names; ``made`` are functions and families, from an outcome and arguments."""

    sorts: Mapping[str, Sort]
    values: dict[str, Any] = field(default_factory=dict)
    chances: dict[str, Callable[[], tuple[tuple[Value, fmpq], ...]]] = field(default_factory=dict)  #: by kind
    made: dict[str, Callable[[Evaluation, SamplePoint, list[Any]], Any]] = field(default_factory=dict)
    defined: set[Relation] = field(default_factory=set)  #: equations that hold because a value was made from them
    defining: dict[str, list[Fact]] = field(default_factory=dict)  #: the hypotheses behind ``defined``, by name
    window: tuple[Key, ...] = ()  #: coordinates at which information is compared

    def sort(self, name: str) -> Sort:
        """The sort of a name; of a name of which nothing is told, a real constant."""
        return self.sorts.get(name, Sort(REAL))

    def value(self, name: str) -> Any:
        """The value of a name that is no function."""
        if name not in self.values:
            raise Unknown(f"{name} has no value in the world")
        return self.values[name]


class Evaluation(Evaluator):
    """Values of terms in a world; an ``atom`` is an :class:`SamplePoint` here."""

    m: World
    most = 4096

    def __init__(self, world: World):
        super().__init__(world)
        self.looks = 0
        self.integrals: dict[Any, Value] = {}  #: of rational parameters

    def reset(self) -> None:
        """Forget means and begin to count anew."""
        self.cache.clear()
        self.looks = 0

    # ------------------------------------------------------------ outcomes

    def over(
        self, value: Callable[[SamplePoint], Any], before: SamplePoint | None = None, given: Known | None = None
    ) -> Iterator[tuple[Any, fmpq, SamplePoint]]:
        """(value, weight, outcome) for all outcomes, told as far as the value asks."""
        pending: list[tuple[dict[Key, Value], fmpq]] = [({}, ONE)]
        while pending:
            self.looks += 1
            if self.looks > LOOKS:
                raise Unknown("too many outcomes")
            told, weight = pending.pop()
            outcome = SamplePoint(told, before, given)
            try:
                result = value(outcome)
            except Need as need:
                if need.outcome is not outcome:
                    raise
                law = self.m.chances.get(str(need.key[-1]))
                if law is None or len(told) >= DEEPEST:
                    raise Unknown("too many outcomes" if law else f"no law of {need.key}") from None
                pending += [({**told, need.key: v}, weight * w) for v, w in law()]
                continue
            yield result, weight, outcome

    def here(self, found: Any, atom: Any) -> Any:
        """A value at an outcome."""
        return found.told(atom) if isinstance(found, Lazy) else found

    def average(self, e: Expr, atom: Any, bound: Mapping[str, Any]) -> tuple[Value, bool]:
        """P, E and their conditional forms."""
        given = self.value(e.args[1], atom, bound) if len(e.args) > 1 else None
        if given is not None and not isinstance(given, Known):
            raise Unknown("a condition that is no information")
        event = e.op.startswith("P")
        try:
            key = (e, self.span, tuple(sorted((n, bound[n]) for n in e.free if n in bound))) if given is None else None
            if key in self.cache:
                return self.cache[key]
        except TypeError:
            key = None

        def value(outcome: SamplePoint) -> Value:
            if event:
                return ONE if self.event(e.args[0], outcome, bound) else ZERO
            return self.side(e.args[0], outcome, bound)

        total: Value = ZERO
        for x, weight, outcome in self.over(value, atom if given is not None else None, given):
            if any(k[-1] == "ball" for k in outcome.asked) and not {n.op for n in e.args[0].walk()} <= _SMOOTH:
                raise Unknown("more than the mean of a polynomial on the ball")
            total = add(total, mul(weight, x))
        if key is not None:
            self.cache[key] = total, True
        return total, True

    # ------------------------------------------------------------ names

    def applied(self, name: str, args: list[Any], atom: Any) -> Any:
        """A function or a family at its arguments."""
        if name not in self.m.made:
            raise Unknown(f"{name} has no value in the world")
        args = [self.zero(a) if k == "vector" else a for a, k in zip(args, self.m.sort(name).args, strict=True)]
        if not isinstance(atom, SamplePoint) or any(k in ("vector", "real") for k in self.m.sort(name).args):
            return self.here(self.m.made[name](self, atom, args), atom)
        key = (name, *(a.key if isinstance(a, Thing) else a for a in args))
        if key not in atom.members:
            atom.members[key] = self.here(self.m.made[name](self, atom, args), atom)
        return atom.members[key]

    def undefined(self, *key: Any, vector: bool = False) -> Value:
        """No value is made up for what has none."""
        raise Unknown(f"{key[0]} of {key[1:]} has no value")

    @staticmethod
    def zero(a: Any) -> Any:
        """A vector; the number 0 may stand for it."""
        return (ZERO,) if nums.is_zero(a) else a

    def integral(self, e: Expr, atom: Any, bound: Mapping[str, Any]) -> tuple[Value, bool]:
        """An integral of numbers, in balls."""
        env = {n: nums.scalar(self.name(n, atom, bound)) for n in e.free}
        key = (e, tuple(env.items())) if all(isinstance(v, fmpq) for v in env.values()) else None
        if key not in self.integrals:
            found = in_balls.evaluate(e, {n: nums.ball(v) for n, v in env.items()}, BITS)
            if not found.is_finite():
                raise Unknown("no finite integral")
            if key is None:
                return found, True
            self.integrals[key] = found
        return self.integrals[key], True

    # ------------------------------------------------------------ predicates

    def keys(self, e: Expr, atom: Any, bound: Mapping[str, Any]) -> set[Key] | Thing | Known:
        """The coordinates that a term asks for, or those of an object, or what is known."""
        if self.sort_of(e) == "information":
            told: Known = self.value(e, atom, bound)
            return told
        found: set[Key] = set()
        for value, _, outcome in self.over(lambda o: self.value(e, o, bound)):
            if isinstance(value, Thing):
                return value
            found |= outcome.asked
        return found

    def sort_of(self, e: Expr) -> str:
        """The kind of what a term's head is declared to give."""
        head, _ = family_of(e)
        return self.m.sort(str(head.value) if head.op == "var" else head.op).kind

    def listed(self, found: set[Key] | Thing) -> set[Key]:
        """Coordinates one by one, those of an object as far as the window goes."""
        if isinstance(found, Thing):
            return {k for k in self.m.window if k[: len(found.key)] == found.key}
        return found

    def predicate(self, e: Expr, atom: Any, bound: Mapping[str, Any]) -> bool:
        """independent, measurable, integrable, increasing, gradient; Unknown where coordinates do not show it."""
        if e.op == "integrable":
            for _ in self.over(lambda o: self.value(e.args[0], o, bound)):
                pass
            return True
        if e.op == "gradient":
            return self.is_gradient(e.args[0], e.args[1], bound)
        if e.op == "increasing":
            return self.is_increasing(e.args[0], atom, bound)
        a, b = (self.keys(x, atom, bound) for x in e.args)
        if isinstance(a, Known):
            a, b = b, a
        if isinstance(a, Known):
            raise Unknown("information about information")
        mine = self.listed(a)
        if e.op == "measurable" and isinstance(b, Known):
            if all(b.knows(k) for k in mine):
                return True
        elif e.op == "independent" and not (
            any(b.knows(k) for k in mine) if isinstance(b, Known) else mine & self.listed(b)
        ):
            return True
        raise Unknown(f"coordinates do not show {e}")

    def is_gradient(self, f: Expr, g: Expr, bound: Mapping[str, Any]) -> bool:
        """Whether g is the derivative of f: both are polynomials here, for every outcome."""
        before, self.span = self.span, _LINE
        try:
            for (value, slope), _, _ in self.over(lambda o: (self.on(f, o, bound), self.on(g, o, bound))):
                if isinstance(value, Ratio):
                    raise Unknown("a derivative of a quotient")
                value = value if isinstance(value, fmpq_poly) else fmpq_poly([value])
                if not nums.compare("==", value.derivative(), slope[0], _LINE):
                    return False
        finally:
            self.span = before
        return True

    def on(self, f: Expr, outcome: SamplePoint, bound: Mapping[str, Any]) -> Any:
        """A function of a vector on the line: the value at a polynomial's variable."""
        head, index = family_of(f)
        return self.applied(str(head.value), [*(self.value(a, outcome, bound) for a in index), (X,)], outcome)

    def is_increasing(self, family: Expr, atom: Any, bound: Mapping[str, Any]) -> bool:
        """Whether what is known grows, at all coordinates of the window and for a window of indices."""
        head, args = family_of(family)
        index = [self.value(a, atom, bound) for a in args]
        told = [self.applied(str(head.value), [*index, fmpq(k)], atom) for k in range(-3, 12)]
        return all(not a.knows(k) or b.knows(k) for a, b in itertools.pairwise(told) for k in self.m.window)

    def has_law(self, e: Expr, law: Any, bound: Mapping[str, Any]) -> bool:
        """Whether a variable has the law; of the ball: whether it is its coordinate."""
        if not isinstance(law, Law) or law.d != 1 or law.kind not in ("sphere", "ball"):
            raise Unknown("no law of dimension 1")
        found: dict[Any, fmpq] = {}
        for v, weight, outcome in self.over(lambda o: self.value(e, o, bound)):
            if law.kind == "ball":
                return [k[-1] for k in outcome.asked] == ["ball"] and v in outcome.told.values()
            found[v] = found.get(v, ZERO) + weight
        return found == {(ONE,): fmpq(1, 2), (-ONE,): fmpq(1, 2)}
