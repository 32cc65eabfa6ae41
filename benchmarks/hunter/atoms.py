"""Truth and values of proof formulas in a model of finitely many atoms: means, functions, what is known.

A fact holds in a model if it does at every atom of positive weight and for all values tried of the names that it
ranges over. A mean or an integral that does not exist is 0; what has no convention (log(-1), (-1)**(1/2)) has a value
of its own, the same one wherever it occurs.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import partial
from typing import Any

from flint import arb, fmpq, fmpq_poly

from benchmarks.hunter import named_functions, nums
from benchmarks.hunter.area import area as area_under
from benchmarks.hunter.evaluate import Evaluator, Law
from benchmarks.hunter.line import OnLine, at_point, key_of, parts
from benchmarks.hunter.model import Function, Model, Rv, Sigma, law_source
from benchmarks.hunter.nums import ONE, VARIES, ZERO, IllTyped, Unknown, Value, X, add, compare, mul, neg
from benchmarks.hunter.ratio import Ratio
from boundcheck.kernel.formula import Expr

#: arguments of the kinds of terms: with others a kind is no word of the language
ARITY = {"num": 0, "var": 0, "const": 0, "neg": 1, "add": 2, "sub": 2, "mul": 2, "div": 2, "pow": 2}
FAR = fmpq(1000)  #: how far one version of a conditional mean is from another where they differ


class AtAtoms(OnLine, Evaluator):
    """Values of terms in one model; an ``atom`` is the number of one."""

    m: Model
    most = 40
    no_numbers = Evaluator.no_numbers | {Sigma, Function}

    def reset(self) -> None:
        """Forget averages: a name has another value now."""
        self.cache.clear()

    def here(self, found: Any, atom: Any) -> Any:
        """A value at an atom, and at the point of the line if there is one."""
        if isinstance(found, Rv):
            found = found.values[atom]
            if self.point is not None:
                found = at_point(found, self.point)
        return found

    def value(self, e: Expr, atom: Any, bound: Mapping[str, Any]) -> Any:
        """The value of a term at an atom; a word of the language that is declared is what it is declared to be."""
        if len(e.args) != ARITY.get(e.op, len(e.args)):
            args = [self.value(a, atom, bound) for a in e.args]
            return self.applied(e.op, args, atom) if e.op in self.m.words else self.undefined(e.op, *args)
        if e.op == "const" and e.value in self.m.words:
            return self.name(e.value, atom, bound)
        return super().value(e, atom, bound)

    def applied(self, name: str, args: list[Any], atom: Any) -> Any:
        """A declared family or function at its arguments."""
        sort = self.m.sort(name)
        if len(args) != len(sort.args):
            raise Unknown("not all arguments are given")
        found = self.m.value(name) if any(k in ("real", "vector") for k in sort.args) else self.m.values.get(name)
        if isinstance(found, Function):
            return named_functions.apply(self, found, args, atom)
        args = [nums.scalar(a) for a in args]
        if not all(isinstance(a, fmpq) for a in args):
            raise Unknown("an index that is no rational")
        return self.here(self.m.member(name, tuple(args)), atom)

    def undefined(self, *key: Any, vector: bool = False) -> Value:
        """What a term is worth that no convention gives a value: its own unknown one."""
        if any(isinstance(k, arb | fmpq_poly | Ratio | float) for k in key):
            raise Unknown("unknown value of a ball")
        return self.m.unknown(key, vector)

    def integral(self, e: Expr, atom: Any, bound: Mapping[str, Any]) -> tuple[Value, bool]:
        """An integral, and whether it exists (else it is 0)."""
        body, t = e.args[0], str(e.args[1].value)
        low, high = (self.value(a, atom, bound) for a in e.args[2:])
        if any(isinstance(v, VARIES) for v in bound.values()) and (body.free & bound.keys()):
            raise Unknown("an integral in an integral")
        if self.m.line and self.point is None and self.on_line(body, atom, bound):
            raise Unknown("an integral over the line")
        if not all(isinstance(x, fmpq | float) for x in (low, high)):
            raise Unknown("an end that is no rational")
        swapped = compare(">", low, high)
        low, high = (high, low) if swapped else (low, high)
        total: Value = ZERO
        exists = True
        for span, found in self.pieces(lambda: self.side(body, atom, {**bound, t: X}), low, high):
            area = area_under(found, *span)
            if area is None:
                exists = False
                continue
            total = add(total, area)
        if not exists:
            return mul(total, ZERO), False
        return neg(total) if swapped else total, True

    def on_line(self, e: Expr, atom: Any, bound: Mapping[str, Any]) -> bool:
        """Whether a name of ``e`` depends on the coordinate of the line."""
        for n in {str(x.value) for x in e.walk() if x.op == "var"} | {x.op for x in e.walk() if x.op in self.m.sorts}:
            if n in bound:
                continue
            if self.m.sort(n).random and (self.m.sort(n).args or _polynomial(self.m.value(n))):
                return True
        return False

    def average(self, e: Expr, atom: Any, bound: Mapping[str, Any]) -> tuple[Value, bool]:
        """P, E and their conditional forms, and whether the mean exists (else it is 0)."""
        given = len(e.args) > 1
        try:
            where = (atom if given else -1, key_of(self.point), key_of(self.span))
            key = (e, where, tuple([(n, key_of(v)) for n, v in bound.items() if n in e.free]))
            if (known := self.cache.get(key)) is not None:
                return known
        except (TypeError, ValueError):
            key = None
        if self.m.line and any(isinstance(x, VARIES) for n in e.free if n in bound for x in parts(bound[n])):
            raise Unknown("a mean over the line under a bound name")
        if given and atom not in self.m.live:
            return self.undefined("given", e, atom, vector=False), True  # it is whatever it is
        block = self.m.live if not given else self.block(e.args[1], atom, bound)
        if given and self.m.line and self.on_line(e.args[1], atom, bound):
            raise Unknown("a condition on the line")

        def one(n: int) -> Value:
            if e.op in ("P", "Pgiven"):
                return ONE if self.event(e.args[0], n, bound) else ZERO
            return self.side(e.args[0], n, bound)

        total: Value = ZERO
        exists, mass = True, ZERO
        for n in self.m.live if given and self.m.line else block:
            x, good = self.line_mean(partial(one, n)) if self.m.line else (one(n), True)
            exists = exists and good
            if n in block:
                total = add(total, mul(self.m.weights[n], x))
                mass = mass + self.m.weights[n]
        found = total if not given else mul(total, 1 / mass)
        if given and exists and self.null([v for n, v in bound.items() if n in e.free]):  # another version
            found = add(found, tuple(FAR for _ in found) if nums.is_vector(found) else FAR)
        result = (found, True) if exists else (mul(found, ZERO), False)
        if key is not None:
            self.cache[key] = result
        return result

    def block(self, given: Expr, atom: Any, bound: Mapping[str, Any]) -> list[int]:
        """The atoms of positive weight that what is given does not tell from ``atom``."""
        own = self.told(given, atom, bound)
        return [n for n in self.m.live if n == atom or _same(self.told(given, n, bound), own)]

    def told(self, given: Expr, atom: Any, bound: Mapping[str, Any]) -> Any:
        """What is known at an atom: the number of its block, or the value of a variable."""
        found = self.value(given, atom, bound)
        if isinstance(found, Function):
            raise Unknown("a function as information")
        return found.blocks[atom] if isinstance(found, Sigma) else found

    def predicate(self, e: Expr, atom: Any, bound: Mapping[str, Any]) -> bool:
        """independent, measurable, integrable, increasing, adapted, gradient."""
        if e.op == "integrable":
            if e.binds:
                return self.integral(e, atom, bound)[1]
            return self.average(Expr("E", e.args), atom, bound)[1]
        if e.op == "gradient":
            f, g = (self.value(a, atom, bound) for a in e.args)
            if not isinstance(f, Function) or not isinstance(g, Function):
                raise IllTyped("the gradient of what is no function")
            return named_functions.is_gradient(self, f, g)
        if self.m.line and any(self.on_line(a, atom, bound) for a in e.args):
            raise Unknown("what is known on the line")
        if e.op == "measurable":
            return self.known({n: self.told(e.args[0], n, bound) for n in self.m.live},
                              {n: self.told(e.args[1], n, bound) for n in self.m.live})  # fmt: skip
        if e.op == "independent":
            return self.independent(e, bound)
        if e.args[0].op != "var" or e.args[-1].op != "var" or len(self.m.sort(str(e.args[-1].value)).args) != 1:
            raise Unknown("a family of families")
        window = self._times(str(e.args[0].value), str(e.args[-1].value))
        if e.op == "increasing":
            blocks = [self.m.member(str(e.args[0].value), (k,)).blocks for k in window]
            pairs = itertools.pairwise(blocks)
            return all(self.known({n: a[n] for n in self.m.live}, {n: b[n] for n in self.m.live}) for a, b in pairs)
        for k in window:
            told = {n: self.applied(str(e.args[0].value), [k], n) for n in self.m.live}
            blocks = self.m.member(str(e.args[1].value), (k,)).blocks
            if not self.known(told, {n: blocks[n] for n in self.m.live}):
                return False
        return True

    def _times(self, *families: str) -> list[fmpq]:
        """The first times, and those at which a member of the families was asked for."""
        asked = {index[0] for name, index in self.m.members if name in families and len(index) == 1}
        return sorted({*(fmpq(k) for k in range(-1, 5)), *asked})

    def known(self, told: Mapping[int, Any], given: Mapping[int, Any]) -> bool:
        """Whether the first is a function of the second."""
        pairs = ((a, b) for a in self.m.live for b in self.m.live if a < b)
        return all(_same(told[a], told[b]) for a, b in pairs if _same(given[a], given[b]))

    def independent(self, e: Expr, bound: Mapping[str, Any]) -> bool:
        """Whether the joint law of two variables is the product of their laws."""
        laws: list[list[tuple[Any, list[int]]]] = []
        for side in e.args[:2]:
            groups: list[tuple[Any, list[int]]] = []
            for n in self.m.live:
                v = self.told(side, n, bound)
                home = next((g for x, g in groups if _same(x, v)), None)
                if home is None:
                    groups.append((v, [n]))
                else:
                    home.append(n)
            laws.append(groups)
        return all(
            self._mass([n for n in a if n in b]) == self._mass(a) * self._mass(b)
            for _, a in laws[0]
            for _, b in laws[1]
        )

    def _mass(self, atoms: list[int]) -> fmpq:
        return sum((self.m.weights[n] for n in atoms), ZERO)

    def has_law(self, e: Expr, law: Any, bound: Mapping[str, Any]) -> bool:
        """Whether a variable has the law, or the finite one that stands for it."""
        if not isinstance(law, Law):
            raise Unknown("no law")
        head = e.args[0] if e.op == "at" else e
        name = str(head.value) if head.op == "var" else head.op
        if name in self.m.laws:
            return self.m.laws[name] == law
        if law.d > 1 or law.kind == "ball" or self.m.line:
            raise Unknown("a law that no finite one is")
        values = [self.value(e, n, bound) for n in self.m.live]
        wanted = law_source(law.kind, law.d)
        found: dict[Any, fmpq] = {}
        for n, v in zip(self.m.live, values, strict=True):
            if not all(isinstance(x, fmpq) for x in parts(v)):
                raise Unknown("a law of balls")
            found[v] = found.get(v, ZERO) + self.m.weights[n]
        return found == dict(zip(wanted.values, wanted.weights, strict=True))


def _polynomial(v: Any) -> bool:
    """Whether a value depends on the line."""
    return isinstance(v, Rv) and any(isinstance(x, VARIES) for y in v.values for x in parts(y))


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, bool | int) or isinstance(b, bool | int):
        return bool(a == b)
    return compare("==", a, b)
