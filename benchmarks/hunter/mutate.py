"""Mutants of a step: names and sorts swapped, facts and conditions dropped, odd terms put in, indices shifted."""

from __future__ import annotations

import random as python_random
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from benchmarks.hunter.adapter import ByGram, ByRule, Cite, Fact, Follows, Statement, Step, Use
from benchmarks.hunter.sorts import REAL, VECTOR, Sort
from benchmarks.hunter.terms import Terms, put, replaced, simplify, subterms
from boundcheck.kernel.formula import Expr, FormulaError, Relation, free_names, num, parse, parse_relations, text, var


def relation(fact: Fact) -> Relation:
    """The claim of a fact."""
    return fact.relation


def with_relation(step: Step, r: Relation) -> Step:
    """The step with another claim."""
    return replace(step, fact=replace(step.fact, claim=str(r)))


def _texts(step: Step, change: Callable[[str], str]) -> Step:
    """The step with ``change`` applied to each formula text of its fact and its reason."""
    fact = Fact(change(step.fact.claim), step.fact.over, tuple(map(change, step.fact.where)))
    return replace(step, fact=fact, by=_by(step.by, change))


def _by(by: Any, change: Callable[[str], str]) -> Any:
    if isinstance(by, ByRule | Cite):
        by = replace(by, let={k: change(v) for k, v in by.let.items()})
    if hasattr(by, "using"):
        using = []
        for u in by.using:
            using.append(Use(u.ref, {k: change(v) for k, v in u.let.items()}) if isinstance(u, Use) else u)
        by = replace(by, using=tuple(using))
    return by


def change_text(source: str, change: Callable[[Expr], Expr]) -> str:
    """``change`` applied to the sides of the relations of a text, or to its term."""
    try:
        relations = parse_relations(source, proof=True)
    except FormulaError:
        e = parse(source, proof=True) if not _is_event(source) else _event(source)
        return text(change(e))
    if len(relations) != 1:
        return source
    return str(relations[0].map(change))


def _is_event(source: str) -> bool:
    return any(s in source for s in ("<", ">", "=="))


def _event(source: str) -> Expr:
    (r,) = parse_relations(source, proof=True)
    return Expr(r.op, (r.lhs, r.rhs))


class Mutator:
    """Random mutants of steps of one statement."""

    def __init__(self, rng: python_random.Random, sorts: dict[str, Sort]):
        self.rng, self.sorts = rng, sorts
        self.names = [n for n, s in sorts.items() if not s.arity and s.kind in (REAL, VECTOR)]
        self.terms = Terms(rng, {n: s for n, s in sorts.items() if s.kind in (REAL, VECTOR)} or {"a": Sort()})

    def mutants(self, statement: Statement, number: int, step: Step) -> tuple[Statement, Step, str]:
        """A statement (its earlier steps may be weaker), the mutated step, and what was done."""
        done = []
        for _ in range(self.rng.choice((1, 1, 1, 2, 2, 3))):
            name, change = self.rng.choice(self.kinds())
            try:
                statement, step = change(statement, number, step)
            except (FormulaError, IndexError, ValueError, RecursionError):
                continue
            done.append(name)
        return statement, step, ", ".join(done)

    def kinds(self) -> list[tuple[str, Callable[[Statement, int, Step], tuple[Statement, Step]]]]:
        """The kinds of mutations by name."""
        return [
            ("swap names", self.swap),
            ("a term for a name", self.instance),
            ("a term for a name", self.instance),
            ("a term for a name in the claim", self.in_claim),
            ("other values", self.values),
            ("other values", self.values),
            ("a used fact dropped", self.drop_ref),
            ("a condition dropped", self.drop_where),
            ("names ranged over", self.range_more),
            ("a used fact for integers alone", self.weaken),
            ("a condition on a used fact", self.condition),
            ("the claim simplified", self.simplified),
            ("a plain claim", self.plain),
            ("index shifted", self.shift),
            ("another relation", self.operator),
        ]

    # ------------------------------------------------------------ kinds

    def odd(self) -> Expr:
        """A term that does not belong: 0, a vector, a random variable, a non-integer, an undefined one, any."""
        rng = self.rng
        n = var(rng.choice(self.names or ["a"]))
        kind = rng.choice(("name", "name", "zero", "half", "partial", "shift", "negative", "any", "cancel"))
        if kind == "name":
            return n
        if kind == "zero":
            return rng.choice((num(0), n - n))
        if kind == "half":
            return num(1) / num(2)
        if kind == "partial":
            return self.terms.partial()
        if kind == "shift":
            return n + num(rng.choice((1, -1)))
        if kind == "negative":
            return -n
        if kind == "cancel":
            m = var(rng.choice(self.names or ["a"]))
            return n / m
        return self.terms.any(1)

    def _everywhere(self, step: Step, values: dict[str, Expr]) -> Step:
        from boundcheck.kernel.formula import substitute

        return _texts(step, lambda s: change_text(s, lambda e: substitute(e, values)))

    def swap(self, statement: Statement, number: int, step: Step) -> tuple[Statement, Step]:
        """Two names exchanged, in the claim, in the reason, or in both."""
        a, b = self.rng.sample(self._used(step) or self.names, 1)[0], self.rng.choice(self.names)
        values = {a: var(b), b: var(a)}
        changed = self._everywhere(step, values)
        where = self.rng.random()
        if where < 0.3:
            return statement, replace(step, fact=changed.fact)
        return statement, changed if where < 0.7 else replace(step, by=changed.by)

    def _used(self, step: Step) -> list[str]:
        return sorted(n for n in step.fact.relation.free if n in self.names)

    def instance(self, statement: Statement, number: int, step: Step) -> tuple[Statement, Step]:
        """An odd term for a name throughout the step."""
        name = self.rng.choice(self._used(step))
        return statement, self._everywhere(step, {name: self.odd()})

    def in_claim(self, statement: Statement, number: int, step: Step) -> tuple[Statement, Step]:
        """An odd term for one name of the claim alone."""
        name = self.rng.choice(self._used(step))
        return statement, with_relation(step, put(step.fact.relation, {name: self.odd()}))

    def values(self, statement: Statement, number: int, step: Step) -> tuple[Statement, Step]:
        """Another value for a name of a rule or a citation, or for one that a used fact ranges over."""
        by, rng = step.by, self.rng
        if isinstance(by, ByRule | Cite) and by.let:
            key = rng.choice(sorted(by.let))
            value = by.let[rng.choice(sorted(by.let))] if rng.random() < 0.4 else text(self.odd())
            return statement, replace(step, by=replace(by, let={**by.let, key: value}))
        using = list(getattr(by, "using", ()))
        if not using:
            raise ValueError("nothing is used")
        k = rng.randrange(len(using))
        use = using[k] if isinstance(using[k], Use) else Use(using[k])
        ranged = self._over(statement, number, use.ref) or sorted(use.let)
        using[k] = Use(use.ref, {**use.let, rng.choice(ranged): text(self.odd())})
        return statement, replace(step, by=replace(by, using=tuple(using)))

    def _over(self, statement: Statement, number: int, ref: str | int) -> list[str]:
        if isinstance(ref, str) and ref in statement.hypotheses:
            return list(statement.hypotheses[ref].over)
        if isinstance(ref, int) and 1 <= ref < number:
            return list((statement.steps[ref - 1].repair or statement.steps[ref - 1]).fact.over)
        return [o for s in statement.steps if s.name == ref for o in s.fact.over]

    def drop_ref(self, statement: Statement, number: int, step: Step) -> tuple[Statement, Step]:
        """One used fact less."""
        using = list(getattr(step.by, "using", ()))
        k = self.rng.randrange(len(using))
        by = replace(step.by, using=tuple(using[:k] + using[k + 1 :]))
        if isinstance(by, Follows | ByGram) and by.times:
            by = replace(by, times=by.times[:k] + by.times[k + 1 :])
        return statement, replace(step, by=by)

    def drop_where(self, statement: Statement, number: int, step: Step) -> tuple[Statement, Step]:
        """One condition of the step less, or one relation of a parameter's domain."""
        if step.fact.where:
            k = self.rng.randrange(len(step.fact.where))
            where = step.fact.where[:k] + step.fact.where[k + 1 :]
            return statement, replace(step, fact=replace(step.fact, where=where))
        k = self.rng.randrange(len(statement.parameters))
        parameters = list(statement.parameters)
        parameters[k] = replace(parameters[k], domain=parameters[k].domain[1:])
        return replace(statement, parameters=tuple(parameters)), step

    def range_more(self, statement: Statement, number: int, step: Step) -> tuple[Statement, Step]:
        """The claim for all values of one more name, or one less."""
        over = list(step.fact.over)
        free = sorted(step.fact.relation.free - set(over))
        if over and self.rng.random() < 0.4:
            over.remove(self.rng.choice(over))
        else:
            over.append(self.rng.choice(free))
        step = replace(step, integers=tuple(i for i in step.integers if i in over))
        return statement, replace(step, fact=replace(step.fact, over=tuple(over)))

    def _earlier(self, statement: Statement, number: int, step: Step, change: Callable[[Step], Step]) -> Statement:
        refs = [u.ref if isinstance(u, Use) else u for u in getattr(step.by, "using", ())]
        numbers = [r for r in refs if isinstance(r, int) and 1 <= r < number]
        numbers += [n for n, s in enumerate(statement.steps[: number - 1], 1) if s.name and s.name in refs]
        k = self.rng.choice(numbers)
        steps = list(statement.steps)
        steps[k - 1] = change(steps[k - 1].repair or steps[k - 1])
        return replace(statement, steps=tuple(steps))

    def weaken(self, statement: Statement, number: int, step: Step) -> tuple[Statement, Step]:
        """A used step that holds for integers alone."""

        def change(s: Step) -> Step:
            return replace(s, integers=(*s.integers, self.rng.choice(s.fact.over)), repair=None)

        return self._earlier(statement, number, step, change), step

    def condition(self, statement: Statement, number: int, step: Step) -> tuple[Statement, Step]:
        """A used step that holds under one more condition."""

        def change(s: Step) -> Step:
            where = (*s.fact.where, str(self.terms.condition()))
            return replace(s, fact=replace(s.fact, where=where), repair=None)

        return self._earlier(statement, number, step, change), step

    def simplified(self, statement: Statement, number: int, step: Step) -> tuple[Statement, Step]:
        """The claim simplified without asking what is defined."""
        return statement, with_relation(step, step.fact.relation.map(simplify))

    def plain(self, statement: Statement, number: int, step: Step) -> tuple[Statement, Step]:
        """A claim that looks trivial about a term of the step."""
        t = self.rng.choice(subterms(step.fact.relation))
        return statement, with_relation(step, Relation(self.rng.choice(("<=", "==")), t, t))

    def shift(self, statement: Statement, number: int, step: Step) -> tuple[Statement, Step]:
        """An index of a family shifted by one in the claim."""
        at = [n for n in subterms(step.fact.relation) if n.op == "at"]
        one = self.rng.choice(at)
        moved = Expr("at", (one.args[0], one.args[1] + num(self.rng.choice((1, -1))), *one.args[2:]))
        return statement, with_relation(step, step.fact.relation.map(lambda e: replaced(e, one, moved)))

    def operator(self, statement: Statement, number: int, step: Step) -> tuple[Statement, Step]:
        """Another relation sign, or the sides exchanged."""
        r = step.fact.relation
        others = {"<=": ("<", "=="), "<": ("<=",), "==": ("<=", ">="), ">=": (">", "=="), ">": (">=",)}
        ops: Iterable[str] = others[r.op]
        if self.rng.random() < 0.3:
            return statement, with_relation(step, Relation(r.op, r.rhs, r.lhs))
        return statement, with_relation(step, Relation(self.rng.choice(list(ops)), r.lhs, r.rhs))


def names_in(step: Step) -> frozenset[str]:
    """The free names of a step's fact."""
    return free_names((step.fact.relation, *step.fact.conditions))
