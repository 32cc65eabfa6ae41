"""The parameters of a statement in its world: what equations define, and a search for the others.

The search changes one number at a time, to that of a ladder that breaks least. Where an inequality bounds a parameter
by a rational, that bound is preferred, so that hypotheses bite.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from typing import Any

from flint import arb, fmpq

from boundcheck.kernel.formula import Expr, Relation
from boundcheck.kernel.proof.sorts import AVERAGES
from boundcheck.kernel.statement import Statement
from boundcheck.models import nums
from boundcheck.models.nums import FAULTS, ONE, Value
from boundcheck.models.outcomes import Evaluation, World

_NO_NUMBERS = AVERAGES - {"E", "Egiven"}
ROUNDS = 20
_SCALES = ("L", "p", "sigma", "mu")  #: units and the like, moved only where the others do not do
_BAD = 60.0  #: what a relation costs that has no truth value
_START = {"mu": fmpq(1, 5), **dict.fromkeys(("beta", "delta", "rho"), fmpq(1, 2)), **dict.fromkeys("pMn", fmpq(2))}
_REALS = [fmpq(a * 10 ** max(k, 0), 10 ** max(-k, 0)) for k in range(-5, 7) for a in (1, 2, 5)]
_REALS = sorted([*_REALS, fmpq(3, 2), fmpq(3, 4), fmpq(7, 5)], key=lambda v: max(v, 1 / v))  # first what is near 1
_WHOLE = [fmpq(k) for k in (0, 1, 2, 3, 4, 5, 6, 8, 10)] + [fmpq(a * 10**k) for k in range(1, 9) for a in (2, 5, 10)]


def outside(e: Expr) -> Iterator[Expr]:
    """The nodes of a term that stand under no mean."""
    yield e
    for a in e.args if e.op not in ("E", "Egiven") else ():
        yield from outside(a)


class Numbers:
    """The search for the numbers of one statement."""

    def __init__(self, statement: Statement, world: World):
        self.s, self.w, self.ev = statement, world, Evaluation(world)
        hypotheses = [f.relation for f in statement.hypotheses.values() if not f.over and not f.where]
        self.domain, self.rounded = statement.domain, False
        self.relations = [*self.domain, *(r for r in hypotheses if self._plain(r))]
        self.integers = statement.integers
        self.defined: dict[str, Relation] = {}  #: an equation with the parameter that it gives on its left
        symbols = [q.symbol for q in statement.parameters]
        for r in self.relations:
            for one in (r, r.flipped()):
                name = str(one.lhs.value) if one.op == "==" and one.lhs.op == "var" else ""
                if name in symbols and name not in self.defined and name not in one.rhs.free:
                    self.defined[name] = one
                    break
        self.free = [q for q in symbols if q not in self.defined and q != "d"]
        self.free += [v for v in ("x0", "x") if isinstance(world.values.get(v), tuple)]

    def _plain(self, r: Relation) -> bool:
        """Whether a relation compares numbers: parameters, values of the objective, means."""
        nodes = [n for side in r.sides for n in outside(side)]
        random = any(self.w.sort(str(n.value) if n.op == "var" else n.op).random for n in nodes)
        return not random and not any(n.op in _NO_NUMBERS for n in nodes)

    def found(self) -> bool:
        """Put numbers into the world that meet all relations; False where the search fails: the best stay."""
        self.w.values |= {q.symbol: _START.get(q.symbol, ONE) for q in self.s.parameters}
        met = self._searched([n for n in self.free if n not in _SCALES]) or self._searched(self.free)
        if not met:  # bounds that are no rationals, a little to the safe side
            self.rounded = True
            self.w.values |= {q.symbol: _START.get(q.symbol, ONE) for q in self.s.parameters}
            met = self._searched(self.free)
        valued = [r for name, r in self.defined.items() if name in self.w.values]  # equations in a circle give nothing
        self.w.defined |= {r for r in self.relations if r in valued or r.flipped() in valued}
        return met

    def _searched(self, free: list[str]) -> bool:
        best, rng = self._cost(), random.Random(0)
        for _ in range(ROUNDS):
            if best == 0:
                return True
            moves = [(self._tried(n, v), k, n, v) for n in free for k, v in self._ladder(n)]
            cost, _, name, value = min(moves, key=lambda m: m[:2], default=(best, 0, "", ONE))
            if not name:
                return False
            if cost >= best:  # stuck: somewhere else
                name = rng.choice(free)
                value = rng.choice([v for _, v in self._ladder(name)])
            self._put(name, value)
            best = self._cost()
        return best == 0

    def _ladder(self, name: str) -> Iterator[tuple[int, Value]]:
        """Values to try, those that an inequality ends at first: (0, such a bound), (1, a number)."""
        for r in self.relations:
            for one in (r, r.flipped()):
                if one.lhs.op == "var" and one.lhs.value == name and one.op in ("<=", ">="):
                    try:
                        value = self.ev.value(one.rhs, None, {})
                    except FAULTS:
                        continue
                    if self.rounded and isinstance(value, arb):
                        value = _beside(value, up=one.op == ">=", whole=name in self.integers)
                    if isinstance(value, fmpq) and (name not in self.integers or (value.q == 1 and value > 0)):
                        yield 0, value
        yield from ((1, v) for v in (_WHOLE if name in self.integers else _REALS))

    def _tried(self, name: str, value: Value) -> float:
        before = dict(self.w.values)
        self._put(name, value)
        cost = self._cost()
        self.w.values = before
        return cost

    def _put(self, name: str, value: Value) -> None:
        self.w.values[name] = (value,) if isinstance(self.w.values[name], tuple) else value

    def _cost(self) -> float:
        """How much the relations are broken, after the equations have been solved."""
        self._define()
        open_ = [r for r in self.relations if r not in self.defined.values()]
        return sum((5 if r in self.domain else 1) * self._broken(r) for r in open_)

    def _define(self) -> None:
        """Values by the equations; what cannot be told yet is tried again."""
        self.ev.reset()
        pending: Mapping[str, Relation] = dict(self.defined)
        for name in pending:
            self.w.values.pop(name, None)
        while pending:
            left = {}
            for name, r in pending.items():
                try:
                    self.w.values[name] = nums.scalar(self.ev.value(r.rhs, None, {}))
                except FAULTS:
                    left[name] = r
            if len(left) == len(pending):
                return
            pending = left

    def _broken(self, r: Relation) -> float:
        try:
            a, b = (float(nums.ball(self.ev.value(side, None, {})).mid()) for side in r.sides)
        except FAULTS:
            return _BAD
        try:
            if self.ev.holds(r, None, {}):
                return 0.0
        except FAULTS:
            pass
        return 0.01 + float(min(_BAD / 2, abs(a - b) / (min(abs(a), abs(b)) + 1e-9)) ** 0.5)


def _beside(value: arb, up: bool, whole: bool) -> fmpq:
    """A rational with few digits a little above or below a number."""
    unit = fmpq(1) if whole else fmpq(10) ** (math.floor(math.log10(abs(float(value.mid())) + 1e-300)) - 2)
    found = (value / arb(unit)).floor().mid().unique_fmpz()
    return (fmpq(found if found is not None else 0) + (1 if up else 0)) * unit


def shown(value: Any) -> str:
    """A number of a world as text."""
    value = value[0] if isinstance(value, tuple) else value
    if isinstance(value, fmpq):
        return str(value)
    return str(value.str(6, radius=False))
