"""What follows from the shape of a term and the facts in sight: integrable, bounded, known from some information.

A heavy-tailed variable need not have a mean, so linearity and monotonicity of expectations ask for ``integrable``.
It is shown by a fact, or by the term's shape: bounded terms, sums, constant multiples, products with a bounded term,
moduli, norms, minima and maxima of integrable terms. ``measurable`` is shown likewise. Nothing is guessed: where
neither helps, a step must show it by a rule (dominated, finite moment, finite tail integral).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from boundcheck.kernel.formula import RELATIONS, Expr, Relation, num
from boundcheck.kernel.formula.functions import TABLE
from boundcheck.kernel.proof.definedness import member
from boundcheck.kernel.proof.facts import Known
from boundcheck.kernel.proof.order import Order
from boundcheck.kernel.proof.sorts import (
    INFORMATION,
    VECTOR,
    Names,
    Sort,
    check_relation,
    fits,
    is_random,
    typed,
)
from boundcheck.kernel.proof.terms import canonical, names, names_of, placed, put_all, settle

ONE = num(1)
_SUMS = frozenset({"add", "sub", "neg"})
_LATTICE = frozenset({"min", "max"})
_ABOVE = ("<=", "<", "==")
_DEPTH = 3  #: facts that are used one after the other to dominate a term
_UNIT = frozenset({"ind", "P", "Pgiven"})  #: heads with values in [0, 1]


class Judge:
    """The judgements at one step: from the facts in sight, under the relations that are given there."""

    def __init__(self, facts: Iterable[Known], given: Iterable[Relation], scope: Names) -> None:
        given = tuple(given)
        self.given, self.scope = {*given, *(r.flipped() for r in given)}, scope
        #: what is given and does not depend on chance is a fact as well: "known from H", say
        certain = [Known(r) for r in given if not check_relation(r, scope)]
        self.facts = [_normal(f) for f in (*facts, *certain)]
        self._bounded: dict[Expr, bool] = {}  # each is asked once, whatever the sum or the bound that it is met in
        self._integrable: dict[tuple[Expr, int], bool] = {}

    # ------------------------------------------------------------ facts in sight

    def known(self, term: Expr, ops: Iterable[str] = RELATIONS) -> Iterable[Relation]:
        """The instances of facts in sight about ``term``, as relations of one of the kinds with it on the left."""
        yield from self._instances(self.facts, term, ops)

    def about(self, facts: Iterable[Known], terms: Iterable[Expr]) -> Iterable[Relation]:
        """What ``facts`` say about ``terms``, as relations with one on the left, where their conditions are met."""
        said = [_normal(f) for f in facts]
        for term in terms:
            yield from self._instances(said, canonical(term))

    def _instances(self, facts: Iterable[Known], term: Expr, ops: Iterable[str] = RELATIONS) -> Iterable[Relation]:
        for fact in facts:
            if not fact.over and term not in fact.relation.sides:
                continue
            for r in (fact.relation, fact.relation.flipped()):
                if r.op not in ops:
                    continue
                values = placed(r.lhs, term, frozenset(fact.over))
                if values is None or values.keys() != fact.over.keys():
                    continue
                if not self._fitting(values, fact):
                    continue
                where = [settle(put_all(w, values)) for w in fact.where]
                if all(map(self.holds, where)):
                    about_this = put_all(r, values)
                    if not (self._by_chance([about_this]) and self._by_chance(where)):
                        yield about_this.map(canonical)

    def holds(self, condition: Relation) -> bool:
        """Whether a condition of a fact is given, or a chain of comparisons gives it that are no matter of chance."""
        return condition in self.given or self._order.gives(condition)

    @cached_property
    def _order(self) -> Order:
        plain = [f.relation for f in self.facts if not (f.over or f.where)]
        return Order((r for r in (*self.given, *plain) if not check_relation(r, self.scope)), self.scope)

    def _by_chance(self, relations: Iterable[Relation]) -> bool:
        """Whether one of the relations may hold for some outcomes only.

        What is said under a condition on chance bounds the term for these outcomes alone. That a mean exists, or that
        something is known, is said of no outcome: a condition that some outcome meets is enough for it.
        """
        return any(check_relation(r, self.scope) for r in relations)

    def _fitting(self, values: dict[str, Expr], fact: Known) -> bool:
        """Whether the values have the sorts of the fact's names, and are constants."""
        for name, value in values.items():
            if not names(value) <= self.scope.keys():  # it speaks of a name that the term binds
                return False
            found = typed(value, self.scope)
            if found.random or found.args or not fits(found.kind, fact.over[name].kind):
                return False
        return True

    def _fact(self, head: str, *args: Expr) -> bool:
        """Whether ``head(args) == 1`` is a fact in sight."""
        return any(r.rhs is ONE for r in self.known(Expr(head, args), ("==",)))

    def under(self, where: Iterable[Relation], over: Names) -> Judge:
        """The judgements under more conditions, with more names; what is known of others so called is not of these."""
        again = over.keys() & self.scope.keys()
        given = [r for r in self.given if not names_of([r]) & again]
        inner = Judge((), (*given, *where), {**self.scope, **over})
        inner.facts = [f for f in self.facts if not f.fixed & again] if again else self.facts
        return inner

    def among(self, said: Iterable[Known], term: Expr) -> bool:
        """Whether one of these, which have the terms that they are about on the left, is about ``term``."""
        inner = self._with(self.scope)
        inner.facts = list(said)
        return any(True for _ in inner.known(canonical(term)))

    # ------------------------------------------------------------ bounded, integrable

    def constant(self, e: Expr) -> bool:
        """Whether the value of ``e`` does not depend on chance."""
        return not is_random(e, self.scope)

    def bounded(self, e: Expr) -> bool:
        """Whether the (number or vector) ``e`` is bounded by a constant, surely."""
        e = canonical(e)
        if e not in self._bounded:
            self._bounded[e] = self._is_bounded(e)
        return self._bounded[e]

    def _is_bounded(self, e: Expr) -> bool:
        if self.constant(e) or e.op in _UNIT or (e.op in TABLE and TABLE[e.op].bounded):
            return True
        if e.op in _SUMS or e.op in ("mul", "abs", "norm", "dot"):
            if all(map(self.bounded, e.args)):
                return True
        elif e.op in _LATTICE:
            if all(map(self.bounded, e.args)) or self._clipped(e):
                return True
        elif e.op == "div":
            if self.bounded(e.args[0]) and self.constant(e.args[1]):
                return True
        elif e.op == "pow":
            k = e.args[1]
            if k.op == "num" and k.value >= 0 and k.value.denominator == 1 and self.bounded(e.args[0]):
                return True
        elif e.op == "sum" and self._steady(e):
            inner, body = self._inside(e)
            return inner.bounded(body)
        above = self.known(self._size(e), _ABOVE)
        return any(self.constant(r.rhs) for r in above) or self._between(e)

    def _size(self, e: Expr) -> Expr:
        """|e| in normal form: the norm of a vector, the modulus of a number."""
        return canonical(Expr("norm" if typed(e, self.scope).kind == VECTOR else "abs", (e,)))

    def _between(self, e: Expr) -> bool:
        """Whether facts in sight bound the number ``e`` from both sides by constants."""
        if typed(e, self.scope).kind == VECTOR:
            return False
        above = self.known(e, _ABOVE)
        below = self.known(e, (">=", ">", "=="))
        return any(self.constant(r.rhs) for r in above) and any(self.constant(r.rhs) for r in below)

    def _clipped(self, e: Expr) -> bool:
        """max(a, min(b, z)) and the like with constants a, b."""
        other = "min" if e.op == "max" else "max"
        constants = [a for a in e.args if self.constant(a)]
        rest = [a for a in e.args if not self.constant(a)]
        return bool(constants) and all(r.op == other and any(map(self.constant, r.args)) for r in rest)

    def _steady(self, e: Expr) -> bool:
        """A sum with constant finite ends."""
        return all(self.constant(a) and not any(n.op == "const" for n in a.walk()) for a in e.args[2:])

    def _inside(self, e: Expr) -> tuple[Judge, Expr]:
        """A member of a sum (a union, ...), and the judgements about it: its number is a new name between the ends."""
        body, where, index = member(e, self.scope)
        return self.under(where, index), body

    def _with(self, scope: Names) -> Judge:
        inner = Judge((), self.given, scope)
        inner.facts = self.facts
        return inner

    def integrable(self, e: Expr, depth: int = 0) -> bool:
        """Whether the mean of ``e`` exists and is finite. ``depth`` is how often a bound was put for a term so far."""
        key = canonical(e), depth
        if key not in self._integrable:
            self._integrable[key] = self._is_integrable(*key)
        return self._integrable[key]

    def _is_integrable(self, e: Expr, depth: int) -> bool:
        if self.bounded(e) or self._fact("integrable", e) or (depth < _DEPTH and self._dominated(e, depth)):
            return True
        if e.op in _SUMS or e.op in _LATTICE or e.op in ("abs", "norm"):
            if all(self.integrable(a, depth) for a in e.args):
                return True
        elif e.op in ("mul", "dot"):
            for a, b in (e.args, e.args[::-1]):
                if self.bounded(a) and self.integrable(b, depth):
                    return True
            flat = _factors(e)
            rest = [f for f in flat if not self.bounded(f)]
            if 0 < len(rest) < len(flat) and self.integrable(_product(rest), depth):
                return True
        elif e.op == "div":
            if self.constant(e.args[1]) and self.integrable(e.args[0], depth):
                return True
        elif e.op == "Egiven":
            return self.integrable(e.args[0], depth)
        elif e.op == "sum" and self._steady(e):
            inner, body = self._inside(e)
            return inner.integrable(body, depth)
        return self._fact("integrable", self._size(e))

    def _dominated(self, e: Expr, depth: int) -> bool:
        """Whether a fact in sight bounds the size of ``e`` by something integrable."""
        size = self._size(e)
        above = self.known(size, _ABOVE)
        return any(self.integrable(r.rhs, depth + 1) for r in above if r.rhs is not size)

    def integrable_on(self, body: Expr, name: str, low: Expr, high: Expr) -> bool:
        """Whether the integral of ``body`` over the name from ``low`` to ``high`` exists, by a fact or its shape."""
        term = canonical(Expr("integrable", (body, Expr("var", (), name), low, high)))
        if self._fact("integrable", *term.args):
            return True
        finite = not any(n.op == "const" and n.value == "oo" for end in (low, high) for n in end.walk())
        inner = self._with({**self.scope, name: Sort("real")})
        return finite and inner._tame(canonical(body), name)

    def _tame(self, e: Expr, name: str) -> bool:
        """Whether the integrand is bounded on every bounded interval: probabilities and polynomials in the name."""
        if name not in names(e) or e.op == "var" or e.op in _UNIT:
            return True
        if e.op == "pow":
            k = e.args[1]
            return k.op == "num" and k.value >= 0 and k.value.denominator == 1 and self._tame(e.args[0], name)
        if e.op in _SUMS or e.op in ("mul", "abs", *_LATTICE):
            return all(self._tame(a, name) for a in e.args)
        return e.op == "div" and name not in names(e.args[1]) and self._tame(e.args[0], name)

    # ------------------------------------------------------------ known from some information

    def measurable(self, e: Expr, given: Expr) -> bool:
        """Whether the value of ``e`` is known from ``given``: by facts in sight, and by the functions that form it.

        Information is no value that stays the same: that it is part of other information, a fact must say.
        """
        e, given = canonical(e), canonical(given)
        if e is given or self._fact("measurable", e, given):
            return True
        if typed(e, self.scope).kind == INFORMATION:
            return False
        if self.constant(e):
            return True
        if e.op in ("E", "P", "var") or not e.args:
            return False
        if e.op in ("Egiven", "Pgiven"):
            return e.args[1] is given
        if e.op == "at" or e.op in self.scope:
            family = self.scope.get(str(e.args[0].value) if e.op == "at" else e.op)
            indices = e.args[1:] if e.op == "at" else e.args
            plain = family is not None and not family.random
            return plain and all(self.measurable(a, given) for a in indices)
        if e.binds:
            if e.op not in ("sum", "least", "most", "union", "meet") or not self._steady(e):
                return False
            inner, body = self._inside(e)
            return inner.measurable(body, given)
        return all(self.measurable(a, given) for a in e.args)


def _normal(fact: Known) -> Known:
    """The fact with both sides in normal form, as the terms that it is compared with are."""
    return replace(fact, relation=fact.relation.map(canonical))


def _factors(e: Expr) -> Sequence[Expr]:
    return [f for a in e.args for f in _factors(a)] if e.op == "mul" else [e]


def _product(parts: Sequence[Expr]) -> Expr:
    total = parts[0]
    for p in parts[1:]:
        total = Expr("mul", (total, p))
    return total
