"""Truth and values of proof formulas in a model, exact where it can be: all but what chance is there.

Functions are total, by the conventions of the proof layer: x/0 is 0, 0**(-1) is 0. What chance is, and what a term is
worth that no convention gives a value, says the model: :mod:`benchmarks.hunter.atoms` has one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from flint import arb, fmpq

from benchmarks.hunter import nums
from benchmarks.hunter.nums import ONE, ZERO, IllTyped, Split, Unknown, Value, add, compare, mul, neg
from boundcheck.kernel.formula import FUNCTIONS, RELATIONS, Expr, Relation
from boundcheck.kernel.proof.sorts import Sort

_ARITHMETIC = frozenset({"add", "sub", "neg", "mul", "div", "pow", "norm", "dot", "clip"})
_SIMPLE: dict[str, Callable[..., Value]] = {
    "add": add, "sub": lambda a, b: add(a, neg(b)), "neg": neg, "mul": mul, "dot": nums.dot,
}  # fmt: skip
_EVENTS = frozenset({*RELATIONS, "both", "either", "complement", "union", "meet"})
_NUMBERS: dict[Expr, fmpq] = {}
MOST_SPLITS = 60  #: of a span
_PREDICATES = ("independent", "measurable", "integrable", "increasing", "adapted", "gradient")


@dataclass
class Law:
    """A named law, sphere(d), ball(d) or coordinate(d): compared with that of a variable."""

    kind: str
    d: int


def family_of(e: Expr) -> tuple[Expr, tuple[Expr, ...]]:
    """What a term is a member of, and its index, also that of at(at(X, s), j); the term itself where it is none."""
    index: tuple[Expr, ...] = ()
    while e.op == "at":
        e, index = e.args[0], (*e.args[1:], *index)
    return e, index


class Names(Protocol):
    """What an evaluator asks a model for."""

    sorts: Mapping[str, Sort]

    def sort(self, name: str) -> Sort:
        """The sort of a name."""

    def value(self, name: str) -> Any:
        """The value of a name that is no family."""


class Evaluator(ABC):
    """Values of terms in one model. ``atom`` is an outcome of it, ``bound`` has the values of bound names."""

    m: Names
    most: int  #: terms of a sum or members of a union
    no_numbers: frozenset[type] = frozenset({bool, Law})  #: types of what cannot stand for a number

    def __init__(self, model: Names):
        self.m = model
        self.span: tuple[Value, Value] | None = None  #: of the variable of an integral, where a value depends on it
        self.cache: dict[Any, tuple[Value, bool]] = {}

    @abstractmethod
    def here(self, found: Any, atom: Any) -> Any:
        """The value of a name, which may be random, at an outcome."""

    @abstractmethod
    def applied(self, name: str, args: list[Any], atom: Any) -> Any:
        """A declared family or function at its arguments."""

    @abstractmethod
    def undefined(self, *key: Any, vector: bool = False) -> Value:
        """What a term is worth that no convention gives a value."""

    @abstractmethod
    def integral(self, e: Expr, atom: Any, bound: Mapping[str, Any]) -> tuple[Value, bool]:
        """An integral, and whether it exists."""

    @abstractmethod
    def average(self, e: Expr, atom: Any, bound: Mapping[str, Any]) -> tuple[Value, bool]:
        """P, E and their conditional forms, and whether the mean exists."""

    @abstractmethod
    def predicate(self, e: Expr, atom: Any, bound: Mapping[str, Any]) -> bool:
        """independent, measurable, integrable, increasing, adapted, gradient."""

    @abstractmethod
    def has_law(self, e: Expr, law: Any, bound: Mapping[str, Any]) -> bool:
        """Whether a variable has the law."""

    def pieces(self, value: Callable[[], Any], low: Value, high: Value) -> Iterator[tuple[tuple[Value, Value], Any]]:
        """The intervals between two ends on which the value is one polynomial, and that polynomial."""
        pending, splits, before = [(low, high)], 0, self.span
        while pending:
            span = pending.pop()
            if span[0] == span[1]:
                continue
            try:
                self.span = span
                found = value()
            except Split as cut:
                splits += 1
                if splits > MOST_SPLITS:
                    raise Unknown("too many pieces") from None
                pending += [(span[0], cut.point), (cut.point, span[1])]
                continue
            finally:
                self.span = before
            yield span, found

    # ------------------------------------------------------------ facts

    def holds(self, r: Relation, atom: Any, bound: Mapping[str, Any]) -> bool:
        """Whether the relation holds at an atom."""
        if r.op == "==" and r.lhs.op == "law":
            return self.has_law(r.lhs.args[0], self.value(r.rhs, atom, bound), bound)
        return compare(r.op, self.side(r.lhs, atom, bound), self.side(r.rhs, atom, bound), self.span)

    def side(self, e: Expr, atom: Any, bound: Mapping[str, Any]) -> Value:
        """The value of a side of a relation; a truth value is no number."""
        found = self.value(e, atom, bound)
        if type(found) in self.no_numbers:
            raise IllTyped("an event, information or a function is compared")
        return found

    def event(self, e: Expr, atom: Any, bound: Mapping[str, Any]) -> bool:
        """Whether an event happens at an atom."""
        if e.op in RELATIONS:
            return self.holds(Relation(e.op, *e.args), atom, bound)
        if e.op == "complement":
            return not self.event(e.args[0], atom, bound)
        if e.op in ("both", "either"):
            found = [self.event(a, atom, bound) for a in e.args]
            return all(found) if e.op == "both" else any(found)
        if e.op in ("union", "meet"):
            found = [self.event(e.args[0], atom, b) for b in self.range(e, atom, bound)]
            return any(found) if e.op == "union" else all(found)
        value = self.value(e, atom, bound)
        if not isinstance(value, bool):
            raise IllTyped("a number stands for an event")
        return value

    # ------------------------------------------------------------ terms

    def value(self, e: Expr, atom: Any, bound: Mapping[str, Any]) -> Any:
        """The value of a term at an atom."""
        op = e.op
        if op == "num":
            found = _NUMBERS.get(e)
            if found is None:
                found = _NUMBERS[e] = fmpq(e.value.numerator, e.value.denominator)
            return found
        if op == "var":
            return self.name(e.value, atom, bound)
        if op in _ARITHMETIC:
            return self.function(op, [self.value(a, atom, bound) for a in e.args])
        if op == "const":
            return float("inf") if e.value == "oo" else arb.pi() if e.value == "pi" else arb(1).exp()
        if op in ("P", "E", "Pgiven", "Egiven"):
            return self.average(e, atom, bound)[0]
        if op in _EVENTS:
            return self.event(e, atom, bound)
        if op == "ind":
            return ONE if self.event(e.args[0], atom, bound) else ZERO
        if op in ("sum", "least", "most"):
            return self._over(e, atom, bound)
        if op == "integral":
            return self.integral(e, atom, bound)[0]
        if op == "at":
            return self.member(e, atom, bound)
        if op in ("sphere", "ball", "coordinate"):
            return self.law(e, atom, bound)
        if op in _PREDICATES:
            return ONE if self.predicate(e, atom, bound) else ZERO
        if op in self.m.sorts and self.m.sorts[op].args:
            return self.applied(op, [self.value(a, atom, bound) for a in e.args], atom)
        if op not in FUNCTIONS:
            raise Unknown(f"a head {op}")
        return self.function(op, [self.value(a, atom, bound) for a in e.args])

    def name(self, name: str, atom: Any, bound: Mapping[str, Any]) -> Any:
        """The value of a name at an atom."""
        return self.here(bound[name] if name in bound else self.m.value(name), atom)

    def member(self, e: Expr, atom: Any, bound: Mapping[str, Any]) -> Any:
        """at(X, s, ...), also nested."""
        family, index = family_of(e)
        if family.op != "var" or family.value in bound:
            raise Unknown("a member of what is no family")
        return self.applied(str(family.value), [self.value(a, atom, bound) for a in index], atom)

    def function(self, op: str, a: list[Any]) -> Value:
        """A function of values."""
        for x in a:
            if type(x) in self.no_numbers:
                raise IllTyped(f"{op} of an event")
        if op in _SIMPLE:
            return _SIMPLE[op](*a)
        if op == "div":
            try:
                return mul(a[0], nums.inverse(a[1]))
            except ZeroDivisionError:
                return mul(a[0], ZERO)
        if op == "pow":
            return self.power(a[0], a[1])
        if op == "sqrt":
            return nums.root(a[0], self.span) if nums.sign(a[0], self.span) >= 0 else self.undefined("sqrt", a[0])
        if op == "abs":
            return nums.absolute(a[0], self.span)
        if op in ("min", "max"):
            return self.extreme(op, a)
        if op == "clip":
            return self.extreme("max", [neg(a[1]), self.extreme("min", a)])
        if op == "norm":
            return nums.norm(a[0], self.span)
        if not nums.defined(op, nums.scalar(a[0])):
            return self.undefined(op, a[0])
        return nums.call(op, a[0])

    def extreme(self, op: str, values: list[Value]) -> Value:
        """The minimum or the maximum."""
        best = nums.scalar(values[0])
        for v in values[1:]:
            if compare("<" if op in ("min", "least") else ">", v, best, self.span):
                best = nums.scalar(v)
        return best

    def power(self, a: Value, b: Value) -> Value:
        """a**b: that of a ring with 1/0 = 0 for a whole b (0**0 is 1), the usual one where a > 0 or a = 0 < b."""
        a, b = nums.scalar(a), nums.scalar(b)
        if isinstance(b, fmpq) and b.q == 1:
            if b >= 0 or not nums.is_zero(a):
                return nums.power(a, b)
            return ZERO
        s = nums.sign(a, self.span)
        if s > 0:
            return nums.power(a, b)
        if s == 0 and nums.sign(b, self.span) > 0:
            return ZERO
        return self.undefined("pow", a, b)

    # ------------------------------------------------------------ binders

    def range(self, e: Expr, atom: Any, bound: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The bound names of a sum, union, meet, least or most, one dictionary a member."""
        low, high = (nums.scalar(self.value(a, atom, bound)) for a in e.args[2:])
        if not all(isinstance(x, fmpq) and x.q == 1 for x in (low, high)):
            raise Unknown("a range between what is no integer")
        if high - low >= self.most:
            raise Unknown("a long range")
        return [{**bound, str(e.args[1].value): fmpq(k)} for k in range(int(low.p), int(high.p) + 1)]

    def _over(self, e: Expr, atom: Any, bound: Mapping[str, Any]) -> Value:
        values = [self.side(e.args[0], atom, b) for b in self.range(e, atom, bound)]
        if e.op == "sum":
            total: Value = ZERO
            for v in values:
                total = add(total, v)
            return total
        return self.extreme(e.op, values) if values else self.undefined(e.op)

    def law(self, e: Expr, atom: Any, bound: Mapping[str, Any]) -> Law:
        """A named law."""
        d = self.value(e.args[0], atom, bound)
        if not isinstance(d, fmpq) or d.q != 1 or not 1 <= d <= 9:
            raise Unknown("a dimension that is none")
        return Law(e.op, int(d.p))
