"""Small worlds: fair signs w(k), vectors on the line, functions as formulas; terms of proofs become scalar ones.

A world gives texts for names of a statement: ``{"L": "2", "X(i)": "R*w(i)", "H(i)": "k1 <= i"}``. The signs w(k) are
independent, +1 or -1 with probability 1/2. Information is told by relations between the indices k1, k2, ... of the
signs that it knows. ``batch(t)`` is the object made of the signs w(t, j), w(t, j, i), ..., ``pair(a, b)`` one of two
values.
A name that is not given has the value that an equation among the hypotheses gives it, else a usual one by its sort.
``{"step": "=="}`` says that the hypothesis called step, a bound, holds with equality, which may give a name its value.
An expectation is an average over signs, piece by piece over uniform numbers (:mod:`world_chance`);
an event is a number, 0 or 1, or a relation that is still open.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from boundcheck.decide.worlds import world_chance, world_known, world_states, world_sums
from boundcheck.decide.worlds.world_chance import Total, Uniform
from boundcheck.decide.worlds.world_defined import needed, powers_of, total, with_equality
from boundcheck.decide.worlds.world_terms import (
    CHANCE,
    HEADS,
    MAX_RANK,
    MAX_SIGNS,
    ONE,
    OWN,
    POINT,
    SIGN,
    STATE,
    UNIT,
    ZERO,
    Unknown,
    along,
    apart,
    as_event,
    at_signs,
    by_chance,
    called,
    compared,
    continuous,
    fold,
    head_of,
    in_time,
    names_in,
    of_kind,
    opened,
    proves,
    rational,
    read_value,
    refold,
    shift,
    slope_of,
    solve,
    starts,
    valued,
    whole,
)
from boundcheck.kernel.formula import RELATIONS, Expr, Relation, call, num, substitute, var
from boundcheck.kernel.proof.facts import quantified
from boundcheck.kernel.proof.scalar_claims import defined
from boundcheck.kernel.proof.sorts import INFORMATION, Sort, read_sort
from boundcheck.kernel.proof.terms import canonical
from boundcheck.kernel.statement import Fact, Statement
from boundcheck.verdict import EQUALITY

MAX_SIZE = 20_000  #: symbols of a value
_PREDICATES = ("measurable", "independent", "integrable", "increasing", "gradient")
Bound = Mapping[str, Expr]


class World:
    """A statement's names with values."""

    def __init__(self, statement: Statement, texts: Mapping[str, str], whole: World | None = None):
        self.equal = {k for k, v in texts.items() if v == EQUALITY}  #: bounds that hold with equality
        self.statement = statement = with_equality(statement, self.equal)
        self.whole = whole  #: where it stands for one outcome, all signs being 1: the world that means are taken in
        self.sorts = {n: read_sort(t) for n, t in statement.sorts.items()}
        told = {(head_of(k), names_in(k)): v for k, v in texts.items() if k not in self.equal}
        self.points = {k: v for k, v in told.items() if any(n.isdigit() for n in k[1])}
        self.own = {k[0]: (k[1], v) for k, v in told.items() if k not in self.points}
        if taken := {*self.own, *self.sorts} & HEADS:
            raise Unknown(f"{min(taken)}, whose meaning is fixed")
        self.inner: set[str] = set()  #: names of integrals
        self.fixed: tuple[Expr, ...] = ()  #: batches that stand for one value
        self.places: dict[str, tuple[Expr, ...]] = {}  #: the indices of signs and uniform numbers
        self.totals: dict[Any, Total] = {}
        self.members: dict[str, tuple[str, Expr]] = {}  #: random sequences at open indices: (name, index)
        self.adapted: dict[str, bool] = {}  #: whether their members depend on signs up to their index alone
        self.given: tuple[Relation, ...] = ()  #: what is known of the names that a fact ranges over
        self.integers: frozenset[str] = frozenset()
        self.defining: dict[str, list[Fact]] = {}
        self.gradients: dict[str, Expr] = {}
        self.real_powers = powers_of(statement)
        self.needs: list[Expr] = []  #: what must have a value, at values of names that are not known yet
        self._known: dict[Any, tuple[Expr, tuple[Expr, ...]]] = {}  #: values, and what must have one for these
        self._asked: set[Any] = set()
        self._define()

    def _define(self) -> None:
        """Find the equations that give names their values, and the functions whose gradients are not given."""
        facts = self.statement.hypotheses.values()
        for left in (fact.relation.lhs for fact in facts):
            if left.op == "gradient" and (name := called(left.args[1])[0]) not in self.own:
                self.gradients.setdefault(name, left.args[0])
        for fact in facts:
            name = self.defined_by(fact)
            told = name in self.own or name in self.gradients
            if name and not told and apart(fact, self.defining.get(name, [])):
                self.defining.setdefault(name, []).append(fact)

    def defined_by(self, fact: Fact) -> str:
        """The name whose value the fact gives, "" where it gives none."""
        r, (name, args) = fact.relation, called(fact.relation.lhs)
        over = set(fact.names)
        told = name in self.sorts or name in self.statement.symbols
        shifted = [shift(a) for a in args]
        if r.op != "==" or not told or None in shifted or {s[0] for s in shifted if s and s[0]} != over:
            return ""
        return "" if fact.where and r.lhs.op != "at" else name

    def told(self, name: str, args: tuple[Expr, ...]) -> list[Expr]:
        """The terms by which a name at arguments has a value: its texts, and what it is the gradient of."""
        texts = [text for (key, _), text in self.points.items() if key == name]
        found = [read_value(text) for text in texts] + [f for key, f in self.gradients.items() if key == name]
        if name in self.own:
            names, text = self.own[name]
            found.append(substitute(read_value(text), dict(zip(names, args, strict=False))))
        return found

    def speaks_of(self, text: str) -> bool:
        """Whether the name before the parentheses is declared."""
        return head_of(text) in self.sorts

    # ------------------------------------------------------------ names

    def apply(self, name: str, args: tuple[Expr, ...]) -> Expr:
        """The value of a name at arguments."""
        chance: dict[str, Expr] = {}
        general = opened(tuple(map(self._settled, args)), chance)
        if chance:  # a function of values, whatever their laws: means inside are not over them
            value, needs = self.collected(lambda: self.apply(name, general))
            for e in needs:
                self.need(substitute(e, chance))
            return rational(refold(substitute(value, chance)))
        args = general
        key = (name, args, self.given, self.integers)
        if key not in self._known:
            if key in self._asked:
                raise Unknown(f"{name} by itself")
            before = self.fixed
            self._asked.add(key)
            self.fixed = (*before, *(b for a in args for b in a.walk() if b.op == "batch"))
            try:
                found, needs = self.collected(lambda: self._value(name, args))
                value = rational(found)
                if self.whole is not None and not value.free and value.op in ("add", "sub", "mul", "neg"):
                    value = canonical(refold(canonical(value)))  # a long run: balls around what is no sum grow wide
                if value.size > MAX_SIZE:
                    raise Unknown(f"{name}, whose value is a long formula")
                self._known[key] = self._fit(name, self._steady(name, args, value)), tuple(needs)
            finally:
                self.fixed = before
                self._asked.discard(key)
        value, kept = self._known[key]
        self.needs += kept
        return value

    def forget(self) -> None:
        """Work out all values anew."""
        self._known.clear()

    def collected(self, work: Callable[[], Expr]) -> tuple[Expr, list[Expr]]:
        """A value, and what must have one at values that are not known yet."""
        before, self.needs = self.needs, []
        try:
            return work(), self.needs
        finally:
            self.needs = before

    def need(self, e: Expr) -> None:
        """Ask for the value of a term, now or where the names in it are told. Raises :class:`Unknown` without one."""
        if e.op != "integral" and valued(e):
            return
        if any(n.startswith(("a#", "j#")) or n in self.inner for n in e.free):
            self.needs.append(e)
        elif e.op != "integral":
            world_known.with_value(self, e)
        elif not self.proved(defined(e)):
            raise Unknown("whether an integral has a value")

    def over_range(self, work: Callable[[], Expr], t: Expr, low: Expr, high: Expr) -> Expr:
        """The body of a sum or an integral; what must have a value for it has one at each place, or stands in it."""
        body, needs = self.collected(work)
        parts = {(n.op, n.args[-1]) for n in body.walk() if n.args}
        inside = (Relation("<=", low, t), Relation("<=", t, high))
        for e in needs:
            if not e.free & t.free:
                self.needs.append(e)
            elif (e.op, e.args[-1]) not in parts and not proves(defined(e), (*self.given, *inside), self.integers):
                raise Unknown(f"whether {e.op}(...) has a value")
        return body

    def _steady(self, name: str, args: tuple[Expr, ...], value: Expr) -> Expr:
        """The value; what is not declared as random depends on chance through its arguments alone."""
        if self.sorts.get(name, Sort("real")).random:
            return value
        batches = {b.args for a in args for b in a.walk() if b.op == "batch"}
        if any((i := self.places.get(n)) is None or not starts(i, batches) for n in by_chance(value)):
            raise Unknown(f"{name}, which is not random")
        if any(n.op == "batch" and n not in args for n in value.walk()):
            raise Unknown(f"{name}, which is not random")
        return value

    def _settled(self, e: Expr) -> Expr:
        """The argument; the number that it is whatever its signs are."""
        names = sorted(by_chance(e))
        if (
            e.op in ("batch", "pair")
            or not names
            or len(names) > MAX_SIGNS
            or any(not n.startswith(SIGN) for n in e.free)
        ):
            return e
        values = set(at_signs(e, names))
        return values.pop() if len(values) == 1 else e

    def _fit(self, name: str, value: Expr) -> Expr:
        """The value, of the sort of its name."""
        kind = self.sorts.get(name, Sort("real")).kind
        if kind != "vector" and along(value):
            raise Unknown(f"{name} as a vector")
        if kind == INFORMATION or (value.op == "const" and value.value == "oo"):
            raise Unknown(f"{name} as a number")
        if kind == "integer" and not whole(value, self.integers):
            raise Unknown(f"{name} is no integer")
        if kind == "event" and value not in (ZERO, ONE) and value.op not in RELATIONS:
            raise Unknown(f"{name} is no event")
        return value

    def _value(self, name: str, args: tuple[Expr, ...]) -> Expr:
        if name in self.own:
            names, text = self.own[name]
            if len(names) != len(args):
                raise Unknown(f"{name} with {len(args)} arguments")
            return self.expand(read_value(text), dict(zip(names, args, strict=True)))
        if name in self.gradients:
            body = self.body(self.gradients[name], args[:-1])
            if not continuous(body) or any(n.op == "abs" and POINT in n.free for n in body.walk()):
                raise Unknown("a function with corners")
            return refold(substitute(slope_of(body), {POINT: args[-1]}))
        for fact in self.defining.get(name, ()):
            bound = solve(called(fact.relation.lhs)[1], args)
            try:
                met = bound is not None and all(self._met(c, bound) for c in fact.conditions)
            except Unknown:
                if (found := world_states.member(self, name, args)) is None:
                    raise
                return found
            if bound is not None and met:
                return self.expand(fact.relation.rhs, bound)
        point = self.points.get((name, tuple(map(str, args))))
        if point is None and (name in self.defining or any(key[0] == name for key in self.points)):
            raise Unknown(f"{name} at other points")
        return self._usual(name, args) if point is None else self.expand(read_value(point), {})

    def _met(self, c: Relation, bound: Bound) -> bool:
        """Whether a condition of an equation holds, by what is given where its names are left free."""
        e = self.expand(as_event(c), bound)
        if (
            e.op in RELATIONS
            and not by_chance(e)
            and (self.proved(r := Relation(e.op, *e.args)) or self.proved(r.negated()))
        ):
            return self.proved(r)
        return self.truth(e)

    def _usual(self, name: str, args: tuple[Expr, ...]) -> Expr:
        """The value of a name of which nothing is said: by its sort and its law."""
        for fact in self.statement.hypotheses.values():
            r = fact.relation
            if r.lhs.op == "law" and r.lhs.args[0] is var(name):
                index = (num(-1000 - sorted(self.sorts).index(name)),)
                return 2 * self.sign(index, "unit") - 1 if r.rhs.op == "ball" else self.sign(index)
        sort = self.sorts.get(name, Sort("real"))
        symbols = self.statement.symbols
        if name in symbols:
            return ONE
        if sort.args[-1:] == ("vector",) and sort.kind == "real":
            return (self.apply("L", ()) if "L" in symbols else ONE) * args[-1] ** num(2) / 2
        if not sort.args and not sort.random and sort.kind in ("vector", "real", "object"):
            return ZERO
        raise Unknown(f"{name} has no value")

    def body(self, f: Expr, inner: tuple[Expr, ...]) -> Expr:
        """The value of a function, perhaps of a family, at the point."""
        return self.apply(called(f)[0], (*inner, var(POINT)))

    def sign(self, index: tuple[Expr, ...], head: str = "w") -> Expr:
        """The fair sign, the uniform number or the axis of that index."""
        index = tuple(x for a in index for x in (a.args if a.op == "batch" else (a,)))
        if any(n.startswith((*CHANCE, "a#")) or n in self.inner for a in index for n in a.free):
            raise Unknown(f"{head}(...) whose index is random, or counts a sum to an end that is no number")
        if not all(whole(a, self.integers | {"j#", "j#j"}) for a in index):
            raise Unknown("a sign whose index is no integer")
        if len(index) > MAX_RANK:
            raise Unknown("a sign with many indices")
        name = {"w": SIGN, "unit": UNIT, "axis": "e#"}[head] + ",".join(map(str, index))
        if head == "axis" and (len(index) > 1 or self._on_a_line()):
            raise Unknown("axis(k) beside a gradient, or all vectors: there vectors are numbers, as x = '1'")
        if self.whole is not None and head == "w":
            return ONE
        if self.whole is not None and head == "unit":
            raise Unknown("one outcome of a uniform number")
        if head != "axis":
            self.places[name] = index
        return var(name)

    def _on_a_line(self) -> bool:
        """Whether a statement speaks of a dimension, or of all vectors: these are looked at on the line alone."""
        facts = (*self.statement.hypotheses.values(), *self.statement.claims)
        sides = [e for f in facts for r in (f.relation, *f.conditions) for e in r.sides]
        said = any(n.op in ("law", "gradient", "sphere", "ball") for e in sides for n in e.walk())
        every = any(s.kind == "vector" for f in facts for s in quantified(f, self.sorts).values())
        fields = any("vector" in s.args for s in self.sorts.values())
        return said or every or fields or any(q.symbol == "d" for q in self.statement.parameters)

    # ------------------------------------------------------------ terms

    def expand(self, e: Expr, bound: Bound) -> Expr:
        """The term as a scalar expression in signs and the names that are left free; events are 0, 1 or relations."""
        op, args = e.op, e.args
        if op in ("num", "const"):
            return e
        in_time()
        if op == "var":
            return bound[e.value] if e.value in bound else self.apply(str(e.value), ())
        if op in ("sum", "least", "most", "union", "meet"):
            return world_sums.over(self, e, bound)
        if op == "integral":
            taken = frozenset().union(*(v.free for v in bound.values()))
            t = self.bound_name(args[1], taken)
            low, high = (self.expand(a, bound) for a in args[2:])
            body = self.over_range(lambda: self.expand(args[0], {**bound, str(args[1].value): t}), t, low, high)
            if any(n.binds for n in body.walk()):
                raise Unknown("an integral in an integral")
            found = call("integral", body, t, low, high)
            self.need(found)
            return found
        if self.whole is not None and (op in ("E", "P", "Egiven", "Pgiven", "law") or op in _PREDICATES):
            return self.whole.expand(e, bound)
        if op in ("E", "P"):
            return self.mean(self.expand(args[0], bound), None)
        if op in ("Egiven", "Pgiven"):
            told = world_known.information(self, args[1], bound)
            value = self.expand(args[0], bound)
            if of_kind(UNIT, value) and not world_chance.integrable(self, value):
                raise Unknown("a mean that does not exist")
            return self.mean(value, lambda index: world_known.knows(self, told, index))
        if op in _PREDICATES:
            return world_known.predicate(self, e, bound)
        if op == "==" and args[0].op == "law":
            return world_known.law(self, args[0].args[0], args[1], bound)
        if op == "at":
            name, index = called(e)
            if name == "at":
                raise Unknown("a family of families")
            return self.apply(name, tuple(self.expand(a, bound) for a in index))
        if op == "both" and total(args[1], self.real_powers) and self.expand(args[0], bound) is ZERO:
            return ZERO  # of runs of many steps, at each of which something holds at all steps before
        parts = tuple(self.expand(a, bound) for a in args)
        if op in OWN:
            return self._own(OWN[op], parts)
        if op in self.sorts or op in self.own:
            return self.apply(op, parts)
        value, wanted = fold(op, parts), needed(e, parts, self.real_powers)
        if wanted is not None:
            self.need(wanted)
        return value

    def _own(self, word: str, parts: tuple[Expr, ...]) -> Expr:
        """The value of a word of worlds."""
        if word in ("batch", "pair"):
            return Expr(word, parts)
        if word not in ("first", "second"):
            return self.sign(parts, word)
        if parts[0].op != "pair":
            raise Unknown("no pair")
        return parts[0].args[word == "second"]

    def bound_name(self, v: Expr, taken: frozenset[str]) -> Expr:
        """A name for the variable of an integral or of an open sum that no value speaks of."""
        name = next(n for k in itertools.count() if (n := f"{v.value}_in{k}") not in taken)
        self.inner.add(name)
        return var(name)

    def mean(self, e: Expr, known: Callable[[tuple[Expr, ...]], bool] | None) -> Expr:
        """The average over the signs and uniform numbers that are not known; ``known`` is None where nothing is."""
        e = world_states.settled(e)
        for n in of_kind(STATE, e):
            if known is None or not world_states.is_known(self, n, known) or of_kind(UNIT, e):
                raise Unknown("the mean of a random sequence at an open index")
        names, units = (
            [n for n in self.separate(of_kind(kind, e)) if known is None or not known(self.places[n])]
            for kind in (SIGN, UNIT)
        )
        long = [t for t in self.totals.values() if t.name in e.free]
        if long and (known is not None or len(by_chance(e)) > 1):
            raise Unknown("a long sum beside other chance")
        places = [*(self.places[n] for n in (*names, *units)), *(i for t in long for i in t.places)]
        if any(starts(i, {b.args for b in self.fixed}) for i in places):
            raise Unknown("a mean over what stands for one value")
        if len(units) > 1 and not world_chance.tame(e):
            raise Unknown("a mean over several uniform numbers that may not exist")
        total = ZERO
        for part in at_signs(e, names):
            coordinates: list[world_chance.Coordinate] = [*map(Uniform, units), *long]
            for x in coordinates:
                part = world_chance.mean_over(self, part, x)
            total = total + part
        return refold(total / 2 ** len(names))

    def separate(self, found: Iterable[str]) -> list[str]:
        """The signs by name; where an index is open they must be different for sure."""
        names = sorted(found)
        if len(names) > MAX_SIGNS:
            raise Unknown("too many signs")
        for a, b in itertools.combinations(names, 2):
            if any(x.free for x in (*self.places[a], *self.places[b])):
                self.differ(self.places[a], self.places[b])
        return names

    def differ(self, a: tuple[Expr, ...], b: tuple[Expr, ...]) -> None:
        """Raise :class:`Unknown` unless two signs are different ones for sure."""
        if len(a) == len(b) and not any(self.proved(Relation("!=", x, y)) for x, y in zip(a, b, strict=True)):
            raise Unknown("signs that may be one")

    # ------------------------------------------------------------ truth

    def truth(self, e: Expr) -> bool:
        """Whether an event without free names happens."""
        if e.op == "num":
            return bool(e.value)
        raise Unknown(f"whether {e}")

    def proved(self, r: Relation) -> bool:
        """Whether the engines prove a relation for all values of the free names."""
        if r.lhs.op == r.rhs.op == "num":
            return compared(r.op, r.lhs.value, r.rhs.value)
        return proves(r, (g for g in self.given if g.free & r.free), self.integers)

    def same(self, a: Expr, b: Expr) -> bool:
        """Whether two scalars are equal for sure."""
        return a is b or self.proved(Relation("==", a, b))
