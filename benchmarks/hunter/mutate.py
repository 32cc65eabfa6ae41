"""Mutants of a step: names and sorts swapped, facts and conditions dropped, odd terms put in, indices shifted."""

from __future__ import annotations

import random as python_random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from benchmarks.hunter.terms import Terms, put, replaced, simplify, subterms
from boundcheck.kernel.formula import Expr, FormulaError, Relation, num, parse_relations, substitute, text, var
from boundcheck.kernel.proof.facts import read_term
from boundcheck.kernel.proof.sorts import INTEGER, REAL, VECTOR, Sort
from boundcheck.kernel.statement import ByGram, ByRule, Cite, Fact, Follows, Statement, Step, Use

Mutant = tuple[Statement, Step]
_SORTS = ("real", "integer", "vector", "random real", "random vector", "event", "information", "random integer")


def with_relation(step: Step, r: Relation) -> Step:
    """The step with another claim."""
    return replace(step, fact=replace(step.fact, claim=str(r)))


def with_let(by: Any, change: Callable[[str], str]) -> Any:
    """The reason with ``change`` applied to each value that it gives."""
    if isinstance(by, ByRule | Cite):
        by = replace(by, let={k: change(v) for k, v in by.let.items()})
    if hasattr(by, "using"):
        uses = (Use(u.ref, {k: change(v) for k, v in u.let.items()}) if isinstance(u, Use) else u for u in by.using)
        by = replace(by, using=tuple(uses))
    return by


def change_text(source: str, change: Callable[[Expr], Expr]) -> str:
    """``change`` applied to the sides of the relation of a text, or to its term."""
    try:
        relations = parse_relations(source, proof=True)
    except FormulaError:
        return text(change(read_term(source)))
    return str(relations[0].map(change)) if len(relations) == 1 else source


def bare(name: str) -> str:
    """A quantified name without its sort."""
    return name.partition(":")[0].strip()


class Mutator:
    """Random mutants of steps of one statement."""

    def __init__(self, rng: python_random.Random, sorts: dict[str, Sort]):
        self.rng, self.sorts = rng, sorts
        self.names = [n for n, s in sorts.items() if not s.args and s.kind in (REAL, INTEGER, VECTOR)] or ["a"]
        self.terms = Terms(rng, sorts)

    def mutants(self, statement: Statement, number: int, step: Step) -> tuple[Statement, Step, str]:
        """A statement (its facts may be weaker), the mutated step, and what was done."""
        done = []
        for _ in range(self.rng.choice((1, 1, 1, 2, 2, 3))):
            change = self.rng.choice(self.kinds())
            try:
                statement, step = change(statement, number, step)
            except (FormulaError, IndexError, ValueError, RecursionError):
                continue
            done.append(str(change.__doc__).partition(",")[0].rstrip("."))
        return statement, step, "; ".join(done)

    def kinds(self) -> list[Callable[[Statement, int, Step], Mutant]]:
        """The kinds of mutations, the telling ones twice."""
        twice = [self.instance, self.values, self.drop_ref, self.drop_hypothesis, self.sort, self.conditions]
        once = [self.swap, self.in_claim, self.drop_where, self.range_more, self.integers, self.simplified]
        return [*twice, *twice, *once, self.plain, self.shift, self.operator, self.domain]

    # ------------------------------------------------------------ kinds

    def odd(self) -> Expr:
        """A term that does not belong: 0, a vector, a random variable, a non-integer, an undefined one, any."""
        rng = self.rng
        n = var(rng.choice(self.names))
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
            return n / var(rng.choice(self.names))
        return self.terms.vector(1) if rng.random() < 0.3 else self.terms.real(1)

    def _everywhere(self, step: Step, values: dict[str, Expr]) -> Step:
        change = lambda s: change_text(s, lambda e: substitute(e, values))  # noqa: E731
        fact = Fact(change(step.fact.claim), step.fact.over, tuple(map(change, step.fact.where)))
        return replace(step, fact=fact, by=with_let(step.by, change))

    def _used(self, step: Step) -> list[str]:
        return sorted(n for n in step.fact.relation.free if n in self.names)

    def swap(self, statement: Statement, number: int, step: Step) -> Mutant:
        """Two names exchanged, in the claim, in the reason, or in both."""
        a, b = self.rng.choice(self._used(step) or self.names), self.rng.choice(self.names)
        changed = self._everywhere(step, {a: var(b), b: var(a)})
        where = self.rng.random()
        if where < 0.3:
            return statement, replace(step, fact=changed.fact)
        return statement, changed if where < 0.7 else replace(step, by=changed.by)

    def instance(self, statement: Statement, number: int, step: Step) -> Mutant:
        """An odd term for a name throughout the step."""
        return statement, self._everywhere(step, {self.rng.choice(self._used(step)): self.odd()})

    def in_claim(self, statement: Statement, number: int, step: Step) -> Mutant:
        """An odd term for one name of the claim alone."""
        name = self.rng.choice(self._used(step))
        return statement, with_relation(step, put(step.fact.relation, {name: self.odd()}))

    def values(self, statement: Statement, number: int, step: Step) -> Mutant:
        """Another value in the reason, often with the claim as it then is."""
        by, rng = step.by, self.rng
        if isinstance(by, ByRule | Cite) and by.let:
            key = rng.choice(sorted(by.let))
            old = by.let[key]
            new = by.let[rng.choice(sorted(by.let))] if rng.random() < 0.3 else text(self.odd())
            made = replace(step, by=replace(by, let={**by.let, key: new}))
            if rng.random() < 0.6:
                a, b = read_term(old), read_term(new)
                made = with_relation(made, made.fact.relation.map(lambda e: replaced(e, a, b)))
            return statement, made
        using = list(getattr(by, "using", ()))
        k = rng.randrange(len(using))
        use = using[k] if isinstance(using[k], Use) else Use(using[k])
        ranged = self._over(statement, number, use.ref) or sorted(use.let)
        key = rng.choice(ranged)
        new = text(self.odd())
        using[k] = Use(use.ref, {**use.let, key: new})
        made = replace(step, by=replace(by, using=tuple(using)))
        if key in use.let and rng.random() < 0.6:
            a, b = read_term(use.let[key]), read_term(new)
            made = with_relation(made, made.fact.relation.map(lambda e: replaced(e, a, b)))
        return statement, made

    def _over(self, statement: Statement, number: int, ref: str | int) -> list[str]:
        if isinstance(ref, str) and ref in statement.hypotheses:
            return [bare(o) for o in statement.hypotheses[ref].over]
        if isinstance(ref, int) and 1 <= ref < number:
            return [bare(o) for o in (statement.steps[ref - 1].repair or statement.steps[ref - 1]).fact.over]
        return [bare(o) for s in statement.steps if s.name == ref for o in s.fact.over]

    def drop_ref(self, statement: Statement, number: int, step: Step) -> Mutant:
        """One used fact less, or another one in its place."""
        using = list(getattr(step.by, "using", ()))
        k = self.rng.randrange(len(using))
        if self.rng.random() < 0.4:
            others = [*statement.hypotheses, *range(1, number)]
            by = replace(step.by, using=(*using[:k], self.rng.choice(others), *using[k + 1 :]))
            return statement, replace(step, by=by)
        by = replace(step.by, using=tuple(using[:k] + using[k + 1 :]))
        if isinstance(by, Follows | ByGram) and by.times:
            by = replace(by, times=by.times[:k] + by.times[k + 1 :])
        return statement, replace(step, by=by)

    def drop_hypothesis(self, statement: Statement, number: int, step: Step) -> Mutant:
        """A hypothesis less, which no reason names."""
        used = {u.ref if isinstance(u, Use) else u for u in getattr(step.by, "using", ())}
        name = self.rng.choice([n for n in statement.hypotheses if n not in used])
        rest = {k: v for k, v in statement.hypotheses.items() if k != name}
        return replace(statement, hypotheses=rest), step

    def sort(self, statement: Statement, number: int, step: Step) -> Mutant:
        """Another sort for a declared name, also of the values or arguments of a function."""
        declares = dict(statement.declares or {})
        name = self.rng.choice(sorted(declares))
        old = declares[name]
        left, arrow, value = old.rpartition("->")
        if self.rng.random() < 0.6:  # the same sort, random or not
            value = value.replace("random ", "").strip() if "random" in value else f"random {value.strip()}"
        else:
            value = self.rng.choice(_SORTS)
        declares[name] = f"{left}{arrow} {value}".strip()
        return replace(statement, declares=declares), step

    def drop_where(self, statement: Statement, number: int, step: Step) -> Mutant:
        """One condition of the step less."""
        k = self.rng.randrange(len(step.fact.where))
        where = step.fact.where[:k] + step.fact.where[k + 1 :]
        return statement, replace(step, fact=replace(step.fact, where=where))

    def domain(self, statement: Statement, number: int, step: Step) -> Mutant:
        """One relation of a parameter's domain less, or a parameter no integer."""
        k = self.rng.randrange(len(statement.parameters))
        parameters = list(statement.parameters)
        if parameters[k].integer and self.rng.random() < 0.5:
            parameters[k] = replace(parameters[k], integer=False)
        else:
            parameters[k] = replace(parameters[k], domain=parameters[k].domain[1:])
        return replace(statement, parameters=tuple(parameters)), step

    def range_more(self, statement: Statement, number: int, step: Step) -> Mutant:
        """The claim for all values of one more name, or one less."""
        over = list(step.fact.over)
        free = sorted(step.fact.relation.free - set(map(bare, over)))
        if over and self.rng.random() < 0.4:
            over.remove(self.rng.choice(over))
        else:
            name = self.rng.choice(free)
            kind = self.rng.choice(("real", "vector", "integer")) if self.rng.random() < 0.3 else ""
            over.append(f"{name}: {kind}" if kind else name)
        return statement, replace(step, fact=replace(step.fact, over=tuple(over)))

    def _earlier(self, statement: Statement, step: Step, number: int, change: Callable[[Fact], Fact]) -> Statement:
        refs = [u.ref if isinstance(u, Use) else u for u in getattr(step.by, "using", ())]
        if isinstance(step.by, Cite):
            refs = [*statement.hypotheses, *range(1, number)]
        ref = self.rng.choice(refs)
        if isinstance(ref, str) and ref in statement.hypotheses:
            hypotheses = {**statement.hypotheses, ref: change(statement.hypotheses[ref])}
            return replace(statement, hypotheses=hypotheses)
        steps = list(statement.steps)
        k = ref - 1 if isinstance(ref, int) else [s.name for s in steps].index(ref)
        old = steps[k].repair or steps[k]
        steps[k] = replace(old, fact=change(old.fact), repair=None)
        return replace(statement, steps=tuple(steps))

    def integers(self, statement: Statement, number: int, step: Step) -> Mutant:
        """A used fact that holds for another sort of values, for integers alone say."""

        def change(f: Fact) -> Fact:
            k = self.rng.randrange(len(f.over))
            name = f"{bare(f.over[k])}: {self.rng.choice(('integer', 'integer', 'real', 'vector'))}"
            return replace(f, over=(*f.over[:k], name, *f.over[k + 1 :]))

        return self._earlier(statement, step, number, change), step

    def conditions(self, statement: Statement, number: int, step: Step) -> Mutant:
        """A used fact under one more condition, or for one value of a name instead of all."""

        def change(f: Fact) -> Fact:
            if f.over and self.rng.random() < 0.3:
                k = self.rng.randrange(len(f.over))
                return replace(f, over=f.over[:k] + f.over[k + 1 :])
            if f.over and self.rng.random() < 0.4:
                return replace(f, where=(*f.where, f"{bare(self.rng.choice(f.over))} >= 0"))
            return replace(f, where=(*f.where, str(self.terms.condition())))

        return self._earlier(statement, step, number, change), step

    def simplified(self, statement: Statement, number: int, step: Step) -> Mutant:
        """The claim simplified without asking what is defined."""
        return statement, with_relation(step, step.fact.relation.map(simplify))

    def plain(self, statement: Statement, number: int, step: Step) -> Mutant:
        """A claim that looks trivial about a term of the step."""
        t = self.rng.choice(subterms(step.fact.relation))
        return statement, with_relation(step, Relation(self.rng.choice(("<=", "==", ">=")), t, simplify(t)))

    def shift(self, statement: Statement, number: int, step: Step) -> Mutant:
        """An index of a family shifted by one in the claim."""
        one = self.rng.choice([n for n in subterms(step.fact.relation) if n.op == "at"])
        moved = Expr("at", (one.args[0], one.args[1] + num(self.rng.choice((1, -1))), *one.args[2:]))
        return statement, with_relation(step, step.fact.relation.map(lambda e: replaced(e, one, moved)))

    def operator(self, statement: Statement, number: int, step: Step) -> Mutant:
        """Another relation sign, or the sides exchanged."""
        r = step.fact.relation
        others = {"<=": ("<", "=="), "<": ("<=",), "==": ("<=", ">="), ">=": (">", "=="), ">": (">=",)}
        if self.rng.random() < 0.3:
            return statement, with_relation(step, Relation(r.op, r.rhs, r.lhs))
        return statement, with_relation(step, Relation(self.rng.choice(others[r.op]), r.lhs, r.rhs))
