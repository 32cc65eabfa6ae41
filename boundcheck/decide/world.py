"""Small worlds: fair signs w(k), vectors on the line, functions as formulas; terms of proofs become scalar ones.

A world gives texts for names of a statement: ``{"L": "2", "X(i)": "R*w(i)", "H(i)": "k1 <= i"}``. The signs w(k) are
independent, +1 or -1 with probability 1/2. Information is told by relations between the indices k1, k2, ... of the
signs that it knows. ``batch(t)`` is the object made of the signs w(t, j), w(t, j, i), ..., ``pair(a, b)`` one of two
values.
A name that is not given has the value that an equation among the hypotheses gives it, else a usual one by its sort.
An expectation is an average over signs; an event is a number, 0 or 1, or a relation that is still open.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from boundcheck.decide.engine import decide
from boundcheck.decide.world_terms import (
    HEADS,
    ONE,
    OWN,
    POINT,
    SECONDS,
    ZERO,
    Unknown,
    apart,
    as_event,
    assignments,
    by_chance,
    compared,
    continuous,
    degree,
    event,
    fold,
    head_of,
    names_in,
    opened,
    plain,
    rational,
    refold,
    shift,
    slope_of,
    solve,
    starts,
    whole,
)
from boundcheck.kernel.formula import RELATIONS, Expr, Relation, call, num, parse_relations, substitute, var
from boundcheck.kernel.normal_form import is_zero
from boundcheck.kernel.proof.facts import read_term
from boundcheck.kernel.proof.sorts import INFORMATION, Sort, read_sort
from boundcheck.kernel.statement import Claim, Fact, Statement, Status

MAX_SIGNS, MAX_TERMS = 10, 320
MAX_RANK = 4  #: indices of a sign
MAX_DEGREE = 3  #: of a polynomial whose mean is exact
_PREDICATES = ("measurable", "independent", "integrable", "increasing", "gradient")
Bound = Mapping[str, Expr]


class World:
    """A statement's names with values."""

    def __init__(self, statement: Statement, texts: Mapping[str, str]):
        self.statement = statement
        self.sorts = {n: read_sort(t) for n, t in statement.sorts.items()}
        functions = {n for n, sort in self.sorts.items() if sort.args}
        told = {(head_of(k), names_in(k)): v for k, v in texts.items()}
        self.points = {k: v for k, v in told.items() if any(n.isdigit() for n in k[1])}
        self.own = {k[0]: (k[1], v) for k, v in told.items() if k not in self.points}
        functions |= {n for n, (names, _) in self.own.items() if names}
        if taken := (functions & OWN) | ({*self.own, *self.sorts} & HEADS):
            raise Unknown(f"{min(taken)}, whose meaning is fixed")
        self.inner: set[str] = set()  #: names of integrals
        self.fixed: tuple[Expr, ...] = ()  #: batches that stand for one value
        self.signs: dict[str, tuple[Expr, ...]] = {}
        self.given: tuple[Relation, ...] = ()  #: what is known of the names that a fact ranges over
        self.integers: frozenset[str] = frozenset()
        self.defining: dict[str, list[Fact]] = {}
        self.gradients: dict[str, Expr] = {}
        self._known: dict[Any, Expr] = {}
        self._asked: set[Any] = set()
        self._define()

    def _define(self) -> None:
        """Find the equations that give names their values, and the functions whose gradients are not given."""
        for fact in self.statement.hypotheses.values():
            r = fact.relation
            if r.lhs.op == "gradient" and (name := head_of(str(r.lhs.args[1]))) not in self.own:
                if r.lhs.args[1].op == "var":
                    self.gradients.setdefault(name, r.lhs.args[0])
                elif r.lhs.args[1].op == "at":
                    self.gradients.setdefault(str(r.lhs.args[1].args[0].value), r.lhs.args[0])
            name = self.defined_by(fact)
            if name and name not in self.own and apart(fact, self.defining.get(name, [])):
                self.defining.setdefault(name, []).append(fact)

    def defined_by(self, fact: Fact) -> str:
        """The name whose value the fact gives, "" where it gives none."""
        r = fact.relation
        over = {o.partition(":")[0].strip() for o in fact.over}
        args = r.lhs.args[1:] if r.lhs.op == "at" else r.lhs.args
        name = str((r.lhs.args[0] if r.lhs.op == "at" else r.lhs).value) if r.lhs.op in ("at", "var") else r.lhs.op
        told = name in self.sorts or any(name == q.symbol for q in self.statement.parameters)
        if r.op != "==" or not told or (r.lhs.op == "at" and r.lhs.args[0].op != "var"):
            return ""
        shifted = [shift(a) for a in args]
        if any(s is None for s in shifted) or {s[0] for s in shifted if s and s[0]} != over:
            return ""
        return "" if fact.where and r.lhs.op != "at" else name

    # ------------------------------------------------------------ names

    def apply(self, name: str, args: tuple[Expr, ...]) -> Expr:
        """The value of a name at arguments."""
        chance: dict[str, Expr] = {}
        general = tuple(opened(self._settled(a), chance) for a in args)
        if chance:  # a function of values, whatever their laws: means inside are not over them
            return rational(refold(substitute(self.apply(name, general), chance)))
        args = general
        key = (name, args, self.given, self.integers)
        if key not in self._known:
            if key in self._asked:
                raise Unknown(f"{name} by itself")
            before = self.fixed
            self._asked.add(key)
            self.fixed = (*before, *(b for a in args for b in a.walk() if b.op == "batch"))
            try:
                self._known[key] = self._fit(name, self._steady(name, args, rational(self._value(name, args))))
            finally:
                self.fixed = before
                self._asked.discard(key)
        return self._known[key]

    def _steady(self, name: str, args: tuple[Expr, ...], value: Expr) -> Expr:
        """The value; what is not declared as random depends on chance through its arguments alone."""
        if self.sorts.get(name, Sort("real")).random:
            return value
        batches = {b.args for a in args for b in a.walk() if b.op == "batch"}
        if any(n not in self.signs or not starts(self.signs[n], batches) for n in by_chance(value)):
            raise Unknown(f"{name}, which is not random")
        if any(n.op == "batch" and n not in args for n in value.walk()):
            raise Unknown(f"{name}, which is not random")
        return value

    def _settled(self, e: Expr) -> Expr:
        """The argument; the number that it is whatever its signs are."""
        names = sorted(by_chance(e))
        if e.op in ("batch", "pair") or not names or len(names) > MAX_SIGNS or e.free - set(self.signs):
            return e
        values = {refold(substitute(e, s)) for s in assignments(names)}
        return values.pop() if len(values) == 1 else e

    def _fit(self, name: str, value: Expr) -> Expr:
        """The value, of the sort of its name."""
        kind = self.sorts.get(name, Sort("real")).kind
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
            return self.expand(read_term(text), dict(zip(names, args, strict=True)))
        if name in self.gradients:
            return self._slope(self.gradients[name], args)
        for fact in self.defining.get(name, ()):
            lhs = fact.relation.lhs
            bound = solve(lhs.args[1:] if lhs.op == "at" else lhs.args, args)
            if bound is not None and all(self.truth(self.expand(as_event(c), bound)) for c in fact.conditions):
                return self.expand(fact.relation.rhs, bound)
        point = self.points.get((name, tuple(map(str, args))))
        if point is None and any(key[0] == name for key in self.points):
            raise Unknown(f"{name} at other points")
        return self._usual(name, args) if point is None else self.expand(read_term(point), {})

    def _usual(self, name: str, args: tuple[Expr, ...]) -> Expr:
        """The value of a name of which nothing is said: by its sort and its law."""
        for fact in self.statement.hypotheses.values():
            r = fact.relation
            if r.lhs.op == "law" and r.lhs.args[0] is var(name):
                if r.rhs.op == "ball":
                    return var(f"v#{name}")
                return self.sign((num(-1000 - sorted(self.sorts).index(name)),))
        sort = self.sorts.get(name, Sort("real"))
        symbols = {q.symbol for q in self.statement.parameters}
        if name in symbols:
            return ONE
        if sort.args[-1:] == ("vector",) and sort.kind == "real":
            return (self.apply("L", ()) if "L" in symbols else ONE) * args[-1] ** num(2) / 2
        if not sort.args and not sort.random and sort.kind in ("vector", "real", "object"):
            return ZERO
        raise Unknown(f"{name} has no value")

    def _slope(self, f: Expr, args: tuple[Expr, ...]) -> Expr:
        """The derivative of a function without corners."""
        body = self._body(f, args[:-1])
        if not continuous(body) or any(n.op == "abs" and POINT in n.free for n in body.walk()):
            raise Unknown("a function with corners")
        return refold(substitute(slope_of(body), {POINT: args[-1]}))

    def _body(self, f: Expr, inner: tuple[Expr, ...]) -> Expr:
        return self.apply(str((f.args[0] if f.op == "at" else f).value), (*inner, var(POINT)))

    def sign(self, index: tuple[Expr, ...]) -> Expr:
        """The fair sign of that index."""
        index = tuple(x for a in index for x in (a.args if a.op == "batch" else (a,)))
        if any(n.startswith(("w#", "v#", "a#")) or n in self.inner for a in index for n in a.free):
            raise Unknown("a sign with a random index")
        if not all(whole(a, self.integers | {"j#"}) for a in index):
            raise Unknown("a sign whose index is no integer")
        if len(index) > MAX_RANK:
            raise Unknown("a sign with many indices")
        name = "w#" + ",".join(map(str, index))
        self.signs[name] = index
        return var(name)

    # ------------------------------------------------------------ terms

    def expand(self, e: Expr, bound: Bound) -> Expr:
        """The term as a scalar expression in signs and the names that are left free; events are 0, 1 or relations."""
        op, args = e.op, e.args
        if op in ("num", "const"):
            return e
        if op == "var":
            return bound[e.value] if e.value in bound else self.apply(str(e.value), ())
        if op in ("sum", "least", "most", "union", "meet"):
            return self._over(e, bound)
        if op == "integral":
            taken = frozenset().union(*(v.free for v in bound.values()))
            t = next(v for k in itertools.count() if (v := var(f"{args[1].value}_in{k}")).value not in taken)
            self.inner.add(str(t.value))
            body = self.expand(args[0], {**bound, str(args[1].value): t})
            if any(n.binds for n in body.walk()):
                raise Unknown("an integral in an integral")
            return call("integral", body, t, *(self.expand(a, bound) for a in args[2:]))
        if op in ("E", "P"):
            return self.mean(self.expand(args[0], bound), lambda index: False)
        if op in ("Egiven", "Pgiven"):
            told = self.information(args[1], bound)
            return self.mean(self.expand(args[0], bound), lambda index: self.knows(told, index))
        if op in _PREDICATES:
            return self.predicate(e, bound)
        if op == "==" and args[0].op == "law":
            return self.law(args[0].args[0], args[1], bound)
        if op == "at":
            if args[0].op != "var":
                raise Unknown("a family of families")
            return self.apply(str(args[0].value), tuple(self.expand(a, bound) for a in args[1:]))
        if op == "both" and self.expand(args[0], bound) is ZERO:
            return ZERO
        parts = tuple(self.expand(a, bound) for a in args)
        if op == "w":
            return self.sign(parts)
        if op in ("first", "second"):
            if parts[0].op != "pair":
                raise Unknown("no pair")
            return parts[0].args[op == "second"]
        if op in ("batch", "pair"):
            return Expr(op, parts)
        if op in self.sorts or op in self.own:
            return self.apply(op, parts)
        return fold(op, parts)

    def _over(self, e: Expr, bound: Bound) -> Expr:
        body, name = e.args[0], str(e.args[1].value)
        low, high = (self.expand(a, bound) for a in e.args[2:])
        if not all(x.op == "num" and x.value.denominator == 1 for x in (low, high)):
            raise Unknown("a range that is not whole")
        count = high.value - low.value + 1
        if count > MAX_TERMS and e.op == "sum":
            return num(count) * self._alike(self.expand(body, {**bound, name: var("j#")}))
        if count > MAX_TERMS:
            raise Unknown("a long range")
        values = [self.expand(body, {**bound, name: num(low.value + k)}) for k in range(max(0, int(count)))]
        if not values and e.op in ("least", "most"):
            raise Unknown("an empty range")
        start = {"sum": ZERO, "union": ZERO, "meet": ONE}.get(e.op)
        how = {"sum": "add", "least": "min", "most": "max", "union": "either", "meet": "both"}[e.op]
        for v in values:
            start = v if start is None else fold(how, (start, v))
        assert start is not None
        return start

    def _alike(self, e: Expr) -> Expr:
        """The common value of all terms of a long sum: that of one with a free index, whatever its signs are."""
        names = [n for n in e.free if n in self.signs]
        values = [refold(substitute(e, s)) for s in assignments(names)]
        if "j#" in values[0].free or any(not self.same(values[0], v) for v in values[1:]):
            raise Unknown("a long sum")
        return values[0]

    def mean(self, e: Expr, known: Callable[[tuple[Expr, ...]], bool]) -> Expr:
        """The average over the signs that are not known, and over what is uniform on [-1, 1]."""
        names = self.separate(n for n in e.free if n in self.signs)
        names = [n for n in names if not known(self.signs[n])]
        if any(starts(self.signs[n], {b.args for b in self.fixed}) for n in names):
            raise Unknown("a mean over what stands for one value")
        total = ZERO
        for values in assignments(names):
            total = total + refold(substitute(e, values))
        found = refold(total / 2 ** len(names))
        for v in sorted(n for n in found.free if n.startswith("v#")):
            if any(n.op in RELATIONS and v in n.free for n in found.walk()):
                raise Unknown("an event of a uniform number")
            if degree(found, v) <= MAX_DEGREE:  # Simpson's rule is exact
                at = [refold(substitute(found, {v: num(k)})) for k in (-1, 0, 1)]
                found = refold((at[0] + 4 * at[1] + at[2]) / 6)
            else:
                found = call("integral", found, var(v), num(-1), ONE) / 2
        return found

    def separate(self, found: Any) -> list[str]:
        """The signs by name; where an index is open they must be different for sure."""
        names = sorted(found)
        if len(names) > MAX_SIGNS:
            raise Unknown("too many signs")
        for a, b in itertools.combinations(names, 2):
            if any(x.free for n in (a, b) for x in self.signs[n]):
                self.differ(self.signs[a], self.signs[b])
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
        where = tuple(g for g in self.given if g.free & r.free)
        integers = self.integers & r.free.union(*(g.free for g in where))
        return decide(plain(Claim("world", (r,), where, frozenset(integers))), SECONDS).status is Status.PROVED

    def same(self, a: Expr, b: Expr) -> bool:
        """Whether two scalars are equal for sure."""
        return a is b or is_zero(a - b) or self.proved(Relation("==", a, b))

    def information(self, e: Expr, bound: Bound) -> tuple[Relation, ...]:
        """What is known: relations between the indices of signs."""
        name, index = (str(e.args[0].value), e.args[1:]) if e.op == "at" else (str(e.value), ())
        if e.op not in ("at", "var") or self.sorts[name].kind != INFORMATION:
            raise Unknown("no information")
        if name not in self.own:
            return (Relation("==", ONE, ZERO),)
        names, text = self.own[name]
        values = dict(zip(names, (self.expand(a, bound) for a in index), strict=True))
        keys = {f"k{n}": var(f"k#{n}") for n in range(1, MAX_RANK + 1)}
        return tuple(
            r.map(lambda s: self.expand(s, {**values, **keys}))
            for part in text.split(";")
            for r in parse_relations(part, proof=True)
        )

    def knows(self, told: tuple[Relation, ...], index: tuple[Expr, ...]) -> bool:
        """Whether the sign of that index is known; it must be certain either way. An index that it lacks is 0."""
        keys = {f"k#{n}": ZERO for n in range(1, MAX_RANK + 1)} | {f"k#{n}": x for n, x in enumerate(index, 1)}
        found = [r.map(lambda s: refold(substitute(s, keys))) for r in told]
        if all(self.proved(r) for r in found):
            return True
        if any(self.proved(r.negated()) for r in found):
            return False
        raise Unknown("whether a sign is known")

    def moving(self, e: Expr) -> list[tuple[Expr, ...]]:
        """The indices of the signs that the value depends on, or may depend on."""
        if e.op == "batch":
            more = (var("k#"), var("k#k"), var("k#kk"), var("k#kkk"))
            return [(*e.args, *more[:n]) for n in range(1, MAX_RANK + 1 - len(e.args))]
        if e.op == "pair":
            return [i for a in e.args for i in self.moving(a)]
        if any(n.startswith("v#") for n in e.free):
            raise Unknown("what is known of a uniform number")
        return [self.signs[n] for n in self.separate(n for n in e.free if n in self.signs) if self._moves(e, n)]

    def _moves(self, e: Expr, name: str) -> bool:
        one, two = (refold(substitute(e, {name: num(s)})) for s in (1, -1))
        rest = [n for n in one.free | two.free if n in self.signs]
        return not all(self.same(refold(substitute(one, s)), refold(substitute(two, s)))
                       for s in assignments(rest))  # fmt: skip

    def predicate(self, e: Expr, bound: Bound) -> Expr:
        """1 where the predicate holds for sure."""
        op = e.op
        if op == "integrable" and len(e.args) == 1:
            value = self.expand(e.args[0], bound)
            if any(v.startswith("v#") and degree(value, v) > MAX_DEGREE for v in value.free):
                raise Unknown("whether a mean exists")
            return ONE  # finitely many values, or a polynomial of what is bounded
        if op == "increasing":
            return ONE if self._growing(e.args[0], bound) else self._doubt(e)
        if op == "gradient":
            return ONE if self._is_gradient(e.args[0], e.args[1], bound) else self._doubt(e)
        if op == "integrable":
            raise Unknown("an integral that may diverge")
        before = self.integers
        self.integers = before | {"k#", "k#k", "k#kk", "k#kkk"}
        try:
            mine = self.moving(self.expand(e.args[0], bound))
            kind = self.sorts.get(str((e.args[1].args[0] if e.args[1].op == "at" else e.args[1]).value), Sort("real"))
            if kind.kind == INFORMATION:
                told = self.information(e.args[1], bound)
                found = [self.knows(told, i) for i in mine]
                if op == "measurable":
                    return ONE if all(found) else self._unseen(e, bound, told)
                return ONE if not any(found) else self._doubt(e)
            if op == "measurable":
                return self._doubt(e)
            for a, b in itertools.product(mine, self.moving(self.expand(e.args[1], bound))):
                self.differ(a, b)
            return ONE
        finally:
            self.integers = before

    def _unseen(self, e: Expr, bound: Bound, told: tuple[Relation, ...]) -> Expr:
        """0 where a sign that is not known changes the value for sure."""
        value = self.expand(e.args[0], bound)
        for name in [n for n in value.free if n in self.signs and not self.knows(told, self.signs[n])]:
            one, two = (refold(substitute(value, {name: num(s)})) for s in (1, -1))
            rest = [n for n in one.free | two.free if n in self.signs]
            for s in assignments(rest):
                a, b = (refold(substitute(x, s)) for x in (one, two))
                if not (a.free | b.free) and self.truth(event(Relation("!=", a, b))):
                    return ZERO
        return self._doubt(e)

    def _doubt(self, e: Expr) -> Expr:
        raise Unknown(f"whether {e}")

    def _growing(self, e: Expr, bound: Bound) -> bool:
        name, index = (str(e.args[0].value), e.args[1:]) if e.op == "at" else (str(e.value), ())
        if name not in self.own:
            return True
        i = var("i#")
        now, then = (self.information(Expr("at", (var(name), *index, x)), {**bound, "i#": i}) for x in (i, i + 1))
        keys = frozenset({"i#", *(f"k#{n}" for n in range(1, MAX_RANK + 1))}) | self.integers
        claims = (Claim("growing", (r,), now, keys & r.free.union(*(g.free for g in now))) for r in then)
        return all(decide(plain(c), SECONDS).status is Status.PROVED for c in claims)

    def _is_gradient(self, f: Expr, g: Expr, bound: Bound) -> bool:
        """Whether g is the slope of f away from the corners of f, and both are continuous."""
        body, slope = (self._body(x, tuple(self.expand(a, bound) for a in x.args[1:])) for x in (f, g))
        corners = {n.args[0] for n in body.walk() if n.op == "abs" and POINT in n.free}
        if corners - {var(POINT)} or not (continuous(body) and continuous(slope)):
            raise Unknown("whether a function is smooth")
        if not corners:
            return self.same(slope_of(body), slope)
        sides = (Relation(">", var(POINT), ZERO), Relation("<", var(POINT), ZERO))
        equal = Relation("==", slope_of(body), slope)
        claims = (plain(Claim("slope", (equal,), (side,))) for side in sides)
        return all(decide(c, SECONDS).status is Status.PROVED for c in claims)

    def law(self, e: Expr, law: Expr, bound: Bound) -> Expr:
        """1 where a variable has the law on the line: a fair sign, or uniform on [-1, 1]."""
        value = self.expand(e, bound)
        if self.expand(law.args[0], bound) is not ONE:
            raise Unknown("a law of more dimensions")
        if law.op == "ball" and value.op == "var" and str(value.value).startswith("v#"):
            return ONE
        names = self.separate(n for n in value.free if n in self.signs)
        found = [refold(substitute(value, s)) for s in assignments(names)]
        if law.op == "sphere" and sorted(str(v) for v in found) == sorted(["1", "-1"] * (len(found) // 2)) and names:
            return ONE
        raise Unknown("another law")
