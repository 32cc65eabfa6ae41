"""Small random proofs that fit: a step by a rule, by a use, by a citation, by a definition, by a decision.

What the step needs is assumed: hypotheses are the instances of a schema's premises and conditions. They are the
material of mutants, beside the steps of written proofs.
"""

from __future__ import annotations

import random as python_random
from dataclasses import replace

from benchmarks.hunter.meet import Fact as ModelFact
from benchmarks.hunter.schemas import Draw, Dropped
from benchmarks.hunter.terms import Terms
from benchmarks.hunter.trial import Case
from boundcheck.kernel.formula import Expr, Relation, num, substitute, text, var
from boundcheck.kernel.proof.sorts import INTEGER, REAL, VECTOR, Sort
from boundcheck.kernel.rules import RULES, Rule
from boundcheck.kernel.statement import (
    ByRule,
    Cite,
    Decide,
    Definition,
    Fact,
    Follows,
    Justification,
    Parameter,
    Statement,
    Step,
    Use,
)  # fmt: skip

_MORE = {
    "a": Sort(REAL), "b": Sort(REAL), "x": Sort(VECTOR), "z": Sort(VECTOR), "n": Sort(INTEGER), "R": Sort(REAL, True),
    "S": Sort(VECTOR, True), "g": Sort(REAL, False, (INTEGER,)), "J": Sort(REAL, True, (INTEGER,)),
}  # fmt: skip


def statement_of(
    sorts: dict[str, Sort], hypotheses: dict[str, Fact], steps: tuple[Step, ...], claim: Fact,
    label: str = "lem:tried", parameters: tuple[Parameter, ...] = (),
) -> Statement:  # fmt: skip
    """A statement over names of given sorts."""
    declares = {n: str(s) for n, s in sorts.items() if n not in {q.symbol for q in parameters}}
    return Statement(label, "t", "lemma", "part", "text", parameters, hypotheses, (claim,), steps, declares=declares)


def text_of(f: ModelFact) -> Fact:
    """A fact of a model as that of a statement."""
    over = tuple(f"{n}: {s.kind}" for n, s in f.over)
    return Fact(str(f.relation), over, tuple(map(str, f.where)))


class Generator:
    """Random cases that fit."""

    def __init__(self, rng: python_random.Random):
        self.rng = rng

    def case(self) -> Case:
        """A random case."""
        kinds = (self.by_rule, self.by_use, self.by_citation, self.by_definition, self.by_decision)
        return self.rng.choices(kinds, (10, 5, 4, 2, 2))[0]()

    def _rule(self) -> tuple[Rule, Draw, dict[str, Fact], Relation]:
        rng = self.rng
        rule = rng.choice(list(RULES.values()))
        draw = Draw(rule, rng, Dropped())
        facts: dict[str, Fact] = {}
        for what, f in draw.facts():
            if what.kind == "implies":
                relation, head = f.relation, f.relation.lhs.args[0]
                if not f.given and head.op in ("<", "<=", ">", ">=", "==") and relation.rhs == num(1):
                    relation = Relation(head.op, *head.args)
                where = tuple(str(_condition(yes, e)) for yes, e in f.given)
                facts[f"{what.kind}{len(facts)}"] = Fact(str(relation), (), where)
            else:
                facts[f"{what.kind}{len(facts)}"] = text_of(f)
        r = Fact(rule.conclusion).relation.map(draw.put)
        return rule, draw, facts, r

    def _sorts(self, draw: Draw, rule: Rule) -> dict[str, Sort]:
        bound = set(rule.bound_sorts)
        mine = {n: s for n, s in draw.sorts.items() if n not in bound}
        chosen = self.rng.sample(sorted(_MORE), 4)
        return {**{n: _MORE[n] for n in chosen if n not in bound}, **mine}

    def _domain(self, sorts: dict[str, Sort], facts: dict[str, Fact]) -> tuple[dict[str, Fact], tuple[Parameter, ...]]:
        """Some conditions on one constant as domains of parameters instead of hypotheses."""
        parameters, rest = [], {}
        for name, f in facts.items():
            free = sorted(f.relation.free)
            plain = name.startswith("side") and not f.over and not f.where and len(free) == 1 and free[0] in sorts
            if plain and sorts[free[0]] in (Sort(REAL), Sort(INTEGER)) and self.rng.random() < 0.7:
                parameters.append(Parameter(free[0], free[0], (f.claim,), sorts[free[0]].kind == INTEGER))
            else:
                rest[name] = f
        merged: dict[str, Parameter] = {}
        for q in parameters:
            old = merged.get(q.symbol)
            merged[q.symbol] = q if old is None else replace(old, domain=(*old.domain, *q.domain))
        return rest, tuple(merged.values())

    def by_rule(self) -> Case:
        """An instance of a rule, its premises and conditions as hypotheses."""
        rule, draw, facts, r = self._rule()
        sorts = self._sorts(draw, rule)
        let = {n: text(draw.terms[n]) for n in rule.metas}
        facts, parameters = self._domain(sorts, facts)
        used = [n for n in facts if n.startswith("premise")]
        used += [n for n in facts if n.startswith(("side", "implies")) and not facts[n].over]
        step = Step(Fact(str(r)), ByRule(rule.name, let, tuple(used)))
        statement = statement_of(sorts, facts, (step,), step.fact, parameters=parameters)
        return Case(statement, 1, step, f"rule: {rule.name}")

    def by_use(self) -> Case:
        """One or two uses of a hypothesis that holds for all values of some names, and what follows."""
        rng = self.rng
        rule, draw, facts, r = self._rule()
        sorts = self._sorts(draw, rule)
        constants = [n for n in sorted(r.free) if n in sorts and not sorts[n].random and not sorts[n].args
                     and sorts[n].kind in (REAL, INTEGER, VECTOR)]  # fmt: skip
        over = tuple(n for n in constants if rng.random() < 0.8)
        where = tuple(f.claim for n, f in facts.items() if n.startswith("side") and not f.over and not f.where)
        hypothesis = Fact(str(r), tuple(f"{n}: {sorts[n].kind}" for n in over), where)
        terms = Terms(rng, sorts)
        uses, claims = [], []
        for _ in range(rng.choice((1, 2))):
            let = {n: terms.of(sorts[n], rng.choice((0, 0, 1))) for n in over}
            uses.append(Use("h", {n: text(e) for n, e in let.items()}))
            claims.append(r.map(lambda e, let=let: substitute(e, let)))  # type: ignore[misc]
        first = claims[0]
        if len(claims) == 2:
            pairs = [(c.lhs, c.rhs) for c in claims]
            first = Relation(first.op, pairs[0][0] + pairs[1][0], pairs[0][1] + pairs[1][1])
        step = Step(Fact(str(first), (), where if rng.random() < 0.5 else ()), Follows(tuple(uses)))
        return Case(statement_of(sorts, {"h": hypothesis}, (step,), step.fact), 1, step, "use")

    def by_citation(self) -> Case:
        """A statement that is true by a rule, cited with values for its names; its hypotheses assumed."""
        rng = self.rng
        rule, draw, facts, r = self._rule()
        own = self._sorts(draw, rule)
        facts, parameters = self._domain(own, facts)
        cited = statement_of(own, facts, (), Fact(str(r)), "lem:cited", parameters)
        terms = Terms(rng, own)
        let = {n: terms.of(s, rng.choice((0, 0, 1))) for n, s in own.items()
               if not s.args and s.kind in (REAL, VECTOR, INTEGER) and rng.random() < 0.4}  # fmt: skip
        change = lambda e: substitute(e, let)  # noqa: E731
        here = {}
        for n, f in facts.items():
            where = tuple(str(w.map(change)) for w in f.conditions)
            here[n] = Fact(str(f.relation.map(change)), f.over, where)
        for k, w in enumerate(w for q in parameters for w in q.domain):
            here[f"domain{k}"] = Fact(str(Fact(w).relation.map(change)))
        used = tuple(n for n in here if n.startswith("domain"))
        step = Step(Fact(str(r.map(change))), Cite("lem:cited", {n: text(e) for n, e in let.items()}, used))
        statement = statement_of(own, here, (step,), step.fact)
        return Case(statement, 1, step, f"citation of {rule.name}", lambda _: cited)

    def by_definition(self) -> Case:
        """A name for a term, and a step that puts it in place of the term."""
        rng = self.rng
        case = self.by_rule()
        r = case.step.fact.relation
        nodes = [
            n for side in (r.lhs, r.rhs) for n in side.walk() if n.args and n.op not in ("<", "<=", ">", ">=", "==")
        ]
        t = rng.choice(nodes) if nodes else r.lhs
        name = rng.choice(("new", "new", "new", rng.choice(sorted(case.statement.declares or {"a": ""}))))
        first = Step(Fact(str(Relation("==", var(name), t))), Definition())
        by: Justification = Follows((2, 1))
        last = Step(Fact(str(r.map(lambda e: _swap(e, t, var(name))))), by)
        statement = replace(case.statement, steps=(first, case.step, last))
        number = rng.choice((1, 3, 3))
        return Case(statement, number, (first, case.step, last)[number - 1], "definition")

    def by_decision(self) -> Case:
        """A relation that a form seems to decide."""
        terms = Terms(self.rng, _MORE)
        where = (str(terms.condition()),) if self.rng.random() < 0.4 else ()
        step = Step(Fact(str(terms.relation(2)), (), where), Decide())
        return Case(statement_of(_MORE, {}, (step,), step.fact), 1, step, "decision")


def _condition(yes: bool, e: Expr) -> Relation:
    """That an event happens, or does not, as a relation."""
    if yes and e.op in ("<", "<=", ">", ">=", "=="):
        return Relation(e.op, *e.args)
    return Relation("==", Expr("ind", (e,)), num(int(yes)))


def _swap(e: Expr, old: Expr, new: Expr) -> Expr:
    if e is old:
        return new
    return Expr(e.op, tuple(_swap(a, old, new) for a in e.args), e.value) if e.args else e
