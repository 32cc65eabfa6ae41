"""Assertions that a constant exists, and what refutes one: scalar claims for a witness that moves with the constant.

"There is C > 0 such that for all parameters ..." is refuted by a family of instances and a function of C for each of
its free names (a Skolem function), if at the instance for max(C, 1) the hypotheses hold and the claim fails, for
all C > 0. Pure: the claims are generated here, decided by the engines and checked again by the verifier.

A family gives values to names alone. Vectors and objects are numbers (norm(x) = abs(x), dot(x, y) = x*y), what is
random is a function of the outcome of one finite law, an event is 1 or 0. All else is computed from these, so that
what has a value has it together with the rest; each term that may have none is noted where it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, floor, prod
from typing import Any

from boundcheck.kernel.check.sequent import outside_binders
from boundcheck.kernel.derivative import NotDifferentiable, derivative
from boundcheck.kernel.enclosure.straight_line import is_integer_valued
from boundcheck.kernel.formula import (
    ARITHMETIC,
    FUNCTIONS,
    RELATIONS,
    Expr,
    Relation,
    call,
    endless,
    folded,
    free_names,
    num,
    parse,
    parse_relations,
    substitute,
    text,
    var,
)
from boundcheck.kernel.proof.book import declared
from boundcheck.kernel.proof.definedness import between
from boundcheck.kernel.proof.facts import quantified, read, read_term
from boundcheck.kernel.proof.scalar_claims import base_of_a_real_power, defined, is_real_power, partial
from boundcheck.kernel.proof.sorts import EVENT, INFORMATION, INTEGER, REAL, Names, Sort
from boundcheck.kernel.proof.terms import WORDS, exchanged, fresh, names, put
from boundcheck.kernel.statement import Claim, Exists, Fact, Family, Statement

WRITTEN_OUT = 16  #: terms of a sum that are added up one by one; a longer one stays a sum
MAX_EVENTS = 6  #: events in one claim that happen or not, as the free names have it
MAX_TERMS = 100_000  #: terms that are worked out, each at its outcome
CHANCE, WORD = "#", "#1"  #: names, of no text, for the variable of the law and for a mean that is vouched for
ZERO, ONE = num(0), num(1)
Given = tuple[Relation, ...]
_EXACT: dict[str, Callable[..., Any]] = {"abs": abs, "min": min, "max": max, "floor": floor, "ceil": ceil}


class NoInstance(ValueError):
    """A family that does not make the assertion a scalar one."""


def truth(r: Relation) -> bool | None:
    """Whether a relation holds, where its sides are numerals or one term; else None."""
    if r.lhs is r.rhs:
        return not r.strict
    if r.lhs.op != "num" or r.rhs.op != "num":
        return None
    a, b = r.lhs.value, r.rhs.value
    return a != b if r.op == "!=" else (a < b and "<" in r.op) or (a > b and ">" in r.op) or (a == b and "=" in r.op)


@lru_cache(maxsize=50_000)
def worked_out(e: Expr) -> Expr:
    """``e`` with the arithmetic of its numerals done; the indicator of what they decide is 1 or 0."""
    e = e.each(worked_out)
    if e.op == "ind" and (told := truth(_relation(e))) is not None:
        return num(int(told))
    if e.op in _EXACT and all(a.op == "num" for a in e.args):
        return num(_EXACT[e.op](*(a.value for a in e.args)))
    return folded(e)


def _relation(indicator: Expr) -> Relation:
    return Relation(indicator.args[0].op, *indicator.args[0].args)


def _events(e: Expr) -> list[Expr]:
    """The indicators in ``e``, an inner one before those around it."""
    return [n for n in e.walk() if n.op == "ind"]


def cases(relations: Given, told: Given = ()) -> Iterator[tuple[Given, Given]]:
    """Every case of which events happen: the relations that say so, and ``relations`` there, without an indicator."""
    event = next((n for r in relations for side in r.sides for n in _events(side)), None)
    if event is None:
        yield told, relations
        return
    if len(told) == MAX_EVENTS:
        raise NoInstance(f"more than {MAX_EVENTS} events may happen or not, {event} among them")
    for value, r in ((ONE, _relation(event)), (ZERO, _relation(event).negated())):
        table = {event: value}
        yield from cases(tuple(s.map(lambda e, t=table: worked_out(exchanged(e, t))) for s in relations), (*told, r))  # type: ignore[misc]


@dataclass(frozen=True)
class At:
    """Where a term stands: what names are, and the sorts of all; the outcome; the conditions in force there."""

    names: Mapping[str, Expr]
    sorts: Names
    outcome: int | None = None
    where: Given = ()
    inside: frozenset[str] = frozenset()  #: names whose values are being worked out


class Instance:
    """The names of a statement with a family's values."""

    def __init__(self, statement: Statement, exists: Exists, family: Family) -> None:
        self.family, self.sorts = family, declared(statement)
        for name, sort in quantified(exists.claim, self.sorts).items():
            if self.sorts.setdefault(name, sort) != sort:
                raise NoInstance(f"{name} is {self.sorts[name]} and {sort}; two things, two names")
        self.own = {CHANCE: Sort(REAL, True), **dict.fromkeys(family.free, Sort(REAL)), **self.sorts}
        free = {n: self.own[n] for n in family.free}
        if exists.constant in {*self.sorts, *free} or any(sort.kind == EVENT for sort in free.values()):
            raise NoInstance(f"{family.name}: the constant and each free name are numbers and stand for one thing")
        self.free = {n: var(n) for n in free}
        self.whole = {n for n, sort in free.items() if sort.kind == INTEGER}
        self.needs: dict[tuple[Expr, Given], None] = {}  #: the terms that are to have a value, under conditions
        self.budget = iter(range(MAX_TERMS))
        self.taken = {*free, exists.constant}
        self.rules: dict[str, tuple[tuple[str, ...], Expr]] = {}  #: name -> its arguments, its value
        law = family.atoms or (("0", "1"),)
        self.outcomes = range(len(law))
        numbers = ([self.value(parse(t), At(self.free, self.own)) for t in part] for part in zip(*law, strict=True))
        self.atoms, self.masses = numbers
        for key, told in family.values.items():
            self._give(key, told)
        self.word: dict[Expr, Expr] = {}
        for key, told in family.vouches.items():
            term = parse(key, proof=True)
            if self.word or term.op not in ("E", "Egiven") or names(term) <= {*free, *self.rules}:
                raise NoInstance(f"{family.name} may vouch for one mean of what has no values, not for {key}")
            self.word[term], self.own[WORD] = var(WORD), Sort(REAL, term.op == "Egiven")
            self.rules[WORD] = ((), self._read(told))

    def _read(self, told: str) -> Expr:
        return put(read_term(told), {self.family.variable: var(CHANCE)})

    def _give(self, key: str, told: str) -> None:
        """Take down a value: of a name, or of a function at all arguments."""
        term, value = parse(key, proof=True), self._read(told)
        name, args = member(term)
        params = tuple(str(a.value) for a in args if a.op == "var")
        if name in WORDS:
            about = ", ".join(sorted(names(term))) or "names"
            raise NoInstance(f"{self.family.name} gives a value to {key}, which has one; give one to {about}")
        if name not in self.sorts or name in self.free or endless(value):
            raise NoInstance(f"{self.family.name} gives no value to {key} by {told}")
        if not len(set(params)) == len(args) == len(self.sorts[name].args):
            raise NoInstance(f"{self.family.name} gives a value to {key}; give one to {name} at all arguments")
        self.rules[name] = params, Expr("!=", (value, ZERO)) if self.sorts[name].kind == EVENT else value

    def new(self, name: str, integer: bool) -> str:
        """A name of its own for a bound one."""
        name = fresh(name, self.taken)
        self.taken.add(name)
        self.whole |= {name} if integer else set()
        return name

    def at(self, at: At, outcome: int) -> At:
        """The same place at an outcome."""
        return replace(at, outcome=outcome, names={**at.names, CHANCE: self.atoms[outcome]})

    def stated(
        self, r: Relation, conditions: Sequence[Relation], bound: Mapping[str, Expr], sorts: Names
    ) -> list[tuple[Relation, Given]]:
        """A relation with its conditions at every outcome; the names ``bound`` are of the ``sorts``."""
        found = []
        for i in self.outcomes:
            at, given = self.at(At({**self.free, **bound}, {**self.own, **sorts}), i), Given()
            for c in conditions:
                given = (*given, self.relation(c, replace(at, where=given)))
            found.append((self.relation(r, replace(at, where=given)), given))
        return found

    def relation(self, r: Relation, at: At) -> Relation:
        """A relation at an outcome; that one function is the gradient of another is asked of its derivative."""
        if r.op != "==" or r.lhs.op != "gradient" or r.rhs is not ONE:
            return r.map(lambda e: self.value(e, at))
        y, own = self.new("y", False), fresh("y", names(r.lhs))
        here = replace(at, names={**at.names, own: var(y)})
        f, g = (self.value(call("at", h, var(own)), here) for h in r.lhs.args)
        self.needs[f, at.where] = None
        try:
            return Relation("==", worked_out(derivative(f, y)), g)
        except NotDifferentiable as fault:
            raise NoInstance(f"{self.family.name}: {r.lhs}: {fault}") from None

    def value(self, e: Expr, at: At) -> Expr:
        """The value of a term at an outcome: a scalar formula, with indicators of relations between such."""
        op = e.op
        if next(self.budget, None) is None:
            raise NoInstance(f"{self.family.name}: the claims are too long to be worked out")
        if op in ("num", "const"):
            return e
        if e.binds:
            return self._bound(e, at)
        if op == "var" or op == "at" or op not in WORDS:
            name, args = member(e)
            return self._named(name, tuple(worked_out(self.value(a, at)) for a in args), at)
        if op in ("E", "P", "integrable", "Egiven", "Pgiven", "measurable"):
            return self._by_outcomes(e, at)
        parts = tuple(self.value(a, at) for a in e.args)
        match op:
            case "ind":
                return parts[0]
            case "norm":
                e = Expr("abs", parts)
            case "dot" | "both":
                e = parts[0] * parts[1]
            case "either":
                e = parts[0] + parts[1] - parts[0] * parts[1]
            case "complement":
                e = 1 - parts[0]
            case "clip":
                e = call("max", -parts[1], call("min", *parts))
            case _ if op in RELATIONS:
                return _ind(op, *parts)
            case _ if op in ARITHMETIC or op in FUNCTIONS:
                if partial(found := Expr(op, parts)):
                    self.needs[found, at.where] = None
                if is_real_power(e, at.sorts):
                    base, x = parts[0], worked_out(parts[1])  # whole by what was put, it is a real exponent still
                    if is_integer_valued(x, self.whole) or _events(x):
                        self.needs[base_of_a_real_power(base, x), at.where] = None
                e = found
            case _:
                raise NoInstance(f"{e} is not computed; what shows a hypothesis on it is said under meets")
        return worked_out(e)

    def _named(self, name: str, args: tuple[Expr, ...], at: At) -> Expr:
        """The value of a name, or of a function at arguments that have been worked out."""
        if not args and name in at.names:
            return at.names[name]
        params, told = self.rules.get(name, ((), None))
        if told is None or name in at.inside or len(params) != len(args):
            what = f"no value to {Expr(name, args) if args else name}"
            what = "a random value to a constant" if name == CHANCE else what
            raise NoInstance(f"{self.family.name} gives {what}")
        sort = self.own[name]
        sorts = {**self.own, **{p: Sort(kind) for p, kind in zip(params, sort.args, strict=True)}}
        here = At({**self.free, **dict(zip(params, args, strict=True))}, sorts, None, at.where, at.inside | {name})
        if at.outcome is not None and (sort.random or sort.kind == INFORMATION):
            here = self.at(here, at.outcome)
        found = self.value(told, here)
        if _size(found) > MAX_TERMS:
            raise NoInstance(f"{self.family.name}: the value of {name} is too long to be worked out")
        if sort.kind == INTEGER and not is_integer_valued(found, self.whole):
            raise NoInstance(f"{name} is an integer, {found} need not be one")
        return found

    def _by_outcomes(self, e: Expr, at: At) -> Expr:
        """Means, also given what is known, and who knows what: from the values at all outcomes."""
        left, *right = ([self.value(a, self.at(at, i)) for i in self.outcomes] for a in e.args)
        if e.op == "integrable":
            return ONE
        if e.op == "measurable":
            pairs = [(i, j) for i in self.outcomes for j in range(i)]
            told = (_ind("==", right[0][i], right[0][j]) * _ind("!=", left[i], left[j]) for i, j in pairs)
            return worked_out(prod((1 - t for t in told), start=ONE))
        weights = self.masses
        if right:
            if at.outcome is None:
                raise NoInstance(f"{self.family.name} gives a random value to a constant")
            same = (_ind("==", right[0][at.outcome], h) for h in right[0])
            weights = [p * s for p, s in zip(self.masses, same, strict=True)]
        total = _sum(w * x for w, x in zip(weights, left, strict=True))
        return worked_out(total / _sum(weights)) if right else total

    def _bound(self, e: Expr, at: At) -> Expr:
        """Sums and events over a range, term by term where its ends are numerals; other sums, and integrals."""
        body, name, low, high = e.args
        bound, integer = str(name.value), e.op != "integral"
        low, high = (x if endless(x) else worked_out(self.value(x, at)) for x in (low, high))
        at = replace(at, sorts={**at.sorts, bound: Sort(INTEGER if integer else REAL)})
        short = all(x.op == "num" and x.value.denominator == 1 for x in (low, high))
        if short and e.op in ("sum", "meet", "union") and high.value - low.value < WRITTEN_OUT:
            each = map(num, range(int(low.value), int(high.value) + 1))
            terms = [self.value(body, replace(at, names={**at.names, bound: k})) for k in each]
            if e.op == "union":
                return worked_out(1 - prod((1 - t for t in terms), start=ONE))
            return _sum(terms) if e.op == "sum" else worked_out(prod(terms, start=ONE))
        if e.op not in ("sum", "integral"):
            raise NoInstance(f"{self.family.name}: {e} is not computed between {low} and {high}")
        new = self.new(bound, integer)
        where = (Relation("<=", low, var(new)), Relation("<=", var(new), high)) if integer else between(new, low, high)
        where = tuple(r for r in where if not (endless(r.lhs) or endless(r.rhs)))
        at = replace(at, names={**at.names, bound: var(new)}, where=(*at.where, *where))
        term = self.value(body, at)
        if _events(term):
            raise NoInstance(f"{self.family.name}: of {e} it is not told where an event under it happens")
        found = Expr(e.op, (term, var(new), low, high))
        if not integer or endless(low) or endless(high):
            self.needs[found, at.where[: len(at.where) - len(where)]] = None
        return found

    def failing(self, exists: Exists) -> list[Given]:
        """For every outcome: the conditions of the claim, and that it fails."""
        constant = {exists.constant: Sort(REAL)}
        read(exists.claim, {**self.sorts, **constant})
        facts = (exists.claim.relation, *exists.claim.conditions)
        r, *conditions = (x.map(lambda e: exchanged(e, self.word)) for x in facts)
        found = self.stated(r, conditions, {exists.constant: var(exists.constant)}, constant)
        return list(dict.fromkeys((*given, relation.negated()) for relation, given in found))


def _sum(terms: Iterable[Expr]) -> Expr:
    return worked_out(sum(terms, ZERO))


@lru_cache(maxsize=50_000)
def _size(e: Expr) -> int:
    return 1 + sum(map(_size, e.args))


def _ind(op: str, a: Expr, b: Expr) -> Expr:
    """The indicator of a relation: of == and of < and <=, from which the others come."""
    if op in ("!=", ">", ">="):
        return worked_out(1 - _ind(Relation(op, a, b).negated().op, a, b))
    return worked_out(call("ind", Expr(op, (a, b))))


def member(e: Expr) -> tuple[str, tuple[Expr, ...]]:
    """The name and the arguments of a name, an applied function, a member of a family: at(at(F, s), t) is F(s, t)."""
    if e.op == "var":
        return str(e.value), ()
    if e.op != "at":
        return e.op, e.args
    name, args = member(e.args[0])
    return name, (*args, *e.args[1:])


def domain(family: Family) -> Given:
    """The domain of the free names."""
    found = tuple(r for w in family.where for r in parse_relations(w))
    if other := free_names(found) - set(family.free):
        raise NoInstance(f"{family.name}: {min(other)} is no free name of its domain")
    return found


def hypotheses(statement: Statement, exists: Exists, family: Family) -> list[Claim]:
    """The scalar claims that every member of ``family`` is an instance, in which the claim's terms have values."""
    instance, where = Instance(statement, exists, family), domain(family)
    law = [Relation(">", p, ZERO) for p in instance.masses] + [Relation("==", _sum(instance.masses), ONE)]
    found = _claims("law", [(r, ()) for r in law], instance, where)
    facts = [Fact(str(r)) for r in statement.domain]
    for fact in (*facts, *(f for name, f in statement.hypotheses.items() if name not in family.meets)):
        read(fact, instance.sorts)
        r, conditions, over = fact.relation, fact.conditions, quantified(fact, instance.sorts)
        if r.op == "==" and r.lhs.op == "increasing" and r.rhs is ONE:
            r, more, over = _forgets_nothing(r.lhs.args[0], over, instance.sorts)
            conditions += more
        if any(sort.kind == INFORMATION for sort in over.values()):
            raise NoInstance(f"{family.name} does not say what is known in {fact.claim}, for all {', '.join(over)}")
        bound = {n: var(instance.new(n, sort.kind == INTEGER)) for n, sort in over.items()}
        found += _claims("hypothesis", instance.stated(r, conditions, bound, over), instance, where)
    instance.failing(exists)
    found += _claims("claim", (), instance, (*where, Relation(">", var(exists.constant), ZERO)))
    return list(dict.fromkeys(found))


def _forgets_nothing(h: Expr, over: Names, sorts: Names) -> tuple[Relation, Given, dict[str, Sort]]:
    """That what is known at an index is known at all later ones, of the last index."""
    name, given = member(h)
    new = list[str]()
    while len(given) + len(new) <= len(sorts[name].args):
        new.append(fresh("i", {*names(h), *sorts, *over, *new}))
    *same, early, late = map(var, new)
    known = call("measurable", call("at", h, *same, early), call("at", h, *same, late))
    return Relation("==", known, ONE), (Relation("<=", early, late),), {**over, **dict.fromkeys(new, Sort(INTEGER))}


def violations(statement: Statement, exists: Exists, family: Family) -> Iterator[Given]:
    """Sets of scalar relations, in the constant and the free names, each of which says that the claim fails."""
    for failing in Instance(statement, exists, family).failing(exists):
        for told, relations in cases(failing):
            if False not in map(truth, relations):
                yield (*told, *(r for r in relations if not truth(r)))


def obligations(
    statement: Statement, exists: Exists, family: Family, failing: Given, witness: Mapping[str, str]
) -> list[Claim]:
    """What must be proved: for every constant from 1 on the witness is in the domain and the claim fails.

    For a constant below 1 the witness for 1 serves.
    """
    constant = var(exists.constant)
    values = {k: parse(v) for k, v in witness.items()}
    if set(values) != set(family.free) or any(v.free - {exists.constant} for v in values.values()):
        raise NoInstance("a witness is one function of the constant for each free name")
    for name in sorted(Instance(statement, exists, family).whole):
        if not is_integer_valued(values[name], ()):
            raise NoInstance(f"{name} is an integer, {values[name]} need not be one")
    first = {k: folded(substitute(v, {exists.constant: ONE})) for k, v in values.items()}
    from_1 = (Relation(">=", constant, ONE),)
    below = (Relation(">", constant, ZERO), Relation("<=", constant, ONE))
    goals = [r.map(lambda e: _put(e, values)) for r in (*domain(family), *failing)]
    own = [defined(v) for v in values.values() if any(map(partial, v.walk()))]
    claims = [Claim("witness", (r,), from_1) for r in (*own, *goals)]
    claims += [Claim("constant below 1", (r.map(lambda e: _put(e, first)),), below) for r in failing]
    return [*claims, *hypotheses(statement, exists, family)]


def _put(e: Expr, values: Mapping[str, Expr]) -> Expr:
    """Values put, and read back from its text: the form in which a certificate keeps it."""
    return parse(text(substitute(e, values)))


def _claims(name: str, goals: Sequence[tuple[Relation, Given]], instance: Instance, where: Given) -> list[Claim]:
    """What the goals need to have a value, and the goals, each in every case of its events."""
    plain = [(r, given) for r, given in goals if truth(r) is None and not any(map(_events, r.sides))]
    shown = {(n, given) for r, given in plain for side in r.sides for n in outside_binders(side)}
    needs = [(Relation("==", e, ZERO), given) for e, given in instance.needs if (e, given) not in shown]
    instance.needs.clear()
    found: dict[Claim, None] = {}
    for number, (goal, given) in enumerate((*needs, *goals)):
        need = number < len(needs)
        for told, (r, *known) in cases((goal, *given)):
            if False in map(truth, known) or (r.lhs.op == "num" if need else truth(r)):
                continue
            if told and truth(r) is False:  # the case does not happen: its last event follows the other way
                r, told = told[-1].negated(), told[:-1]
            elif need:
                r = defined(r.lhs)
            one, *others = (x.map(lambda e: _put(e, {})) for x in (r, *known, *told) if not truth(x))
            integers = frozenset(instance.whole & free_names([one, *where, *others]))
            found[Claim("value" if need else name, (one,), (*where, *others), integers)] = None
    return list(found)
