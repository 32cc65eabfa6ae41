"""Small random proofs that fit: a step by a rule, by a use, by a citation, by a definition, by a decision.

What the step needs is assumed: hypotheses are the instances of a schema's premises and conditions. They are the
material of mutants, beside the steps of written proofs.
"""

from __future__ import annotations

import random as python_random
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar, cast

from benchmarks.hunter import families
from benchmarks.hunter.meet import Fact as ModelFact
from benchmarks.hunter.mutate import change_text
from benchmarks.hunter.schemas import Draw, Dropped, conditions
from benchmarks.hunter.terms import WORD, Terms
from benchmarks.hunter.trial import Case
from boundcheck.kernel.formula import (
    ARITHMETIC,
    CONSTANTS,
    FUNCTIONS,
    PROOF_HEADS,
    Expr,
    Relation,
    call,
    free_names,
    num,
    substitute,
    text,
    var,
)
from boundcheck.kernel.proof.obligations import conclusion_steps
from boundcheck.kernel.proof.sorts import EVENT, INFORMATION, INTEGER, QUANTITY, REAL, SOURCE, VECTOR, Sort, read_sort
from boundcheck.kernel.proof.terms import exchanged, names_of
from boundcheck.kernel.rules import RULES, Rule
from boundcheck.kernel.statement import (
    ByGram,
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
    "a": Sort(REAL), "b": Sort(REAL), "x": Sort(VECTOR), "z": Sort(VECTOR), "n": Sort(INTEGER),
    "g": Sort(REAL, False, (INTEGER,)),
}  # fmt: skip
_RANDOM = {
    "R": Sort(REAL, True), "S": Sort(VECTOR, True), "N": Sort(INTEGER, True), "J": Sort(REAL, True, (INTEGER,)),
}  # fmt: skip
#: names through which a term depends on chance: information, events and families of them, functions
_CHANCE = {
    "I": Sort(INFORMATION), "Is": Sort(INFORMATION, False, (INTEGER,)), "C": Sort(EVENT, True),
    "Cs": Sort(EVENT, True, (INTEGER,)), "D": Sort(EVENT, True, (VECTOR,)), "F": Sort(REAL, True, (VECTOR,)),
    "f": Sort(REAL, False, (REAL,)), WORD: Sort(REAL, False, (REAL,)),
}  # fmt: skip
_CONSTANTS = (Sort(REAL), Sort(INTEGER), Sort(VECTOR))
#: the kinds of words of the language, each of which has the same share
_WORDS = tuple(sorted(words) for words in ({*FUNCTIONS, *PROOF_HEADS}, ARITHMETIC, CONSTANTS))
#: how often a metavariable has a value that hides how it depends on chance, or whether it is defined: one that is
#: random through another one alone, a constant, any other one
ONLY, CONSTANT, OTHER = 0.5, 0.25, 0.08
_LAWS = frozenset({"E", "P", "Egiven", "Pgiven", "integrable", "measurable", "independent"})
T = TypeVar("T")


@cache
def _weights(rules: tuple[Rule, ...]) -> tuple[int, ...]:
    """How often each rule is drawn: those with more conditions more often."""
    return tuple(3 + 6 * len(r.only) + sum(1 for _ in conditions(r)) for r in rules)


def spelled(x: T, old: str, new: str) -> T:
    """The texts within ``x`` with another spelling of a name."""
    found: Any = x
    if isinstance(x, str):
        found = re.sub(rf"\b{old}\b", new, x)
    elif isinstance(x, tuple | list):
        found = type(x)(spelled(y, old, new) for y in x)
    elif isinstance(x, Mapping):
        found = {spelled(k, old, new): spelled(v, old, new) for k, v in x.items()}
    elif is_dataclass(x) and not isinstance(x, type):
        found = replace(x, **{f.name: spelled(getattr(x, f.name), old, new) for f in fields(x)})
    return cast(T, found)


@cache
def restrictions(rules: tuple[Rule, ...]) -> tuple[tuple[tuple[Rule, str], ...], ...]:
    """(rule, metavariable): those that are random through another one alone; constants of rules that conclude
    something about a law, where they tell the most; other constants."""
    only = [(r, n) for r in rules for n, _ in r.only]
    constant = [(r, what.what) for r in rules for _, what in conditions(r) if what.kind == "constant"]
    of_laws = [(r, n) for r, n in constant if _speaks_of_laws(r)]
    rest = tuple(p for p in constant if p not in of_laws)
    return (tuple(only),) * 2 + (tuple(of_laws),) * 3 + (rest,)


def _speaks_of_laws(rule: Rule) -> bool:
    r = Fact(rule.conclusion).relation
    return any(n.op in _LAWS and not n.binds for n in r.walk())


class OddDraw(Draw):
    """Terms for metavariables among which some are odd; ``target``: this one is, and no other."""

    def __init__(self, rule: Rule, rng: python_random.Random, target: str = ""):
        self.target = target
        super().__init__(rule, rng, Dropped())

    def _odd(self, name: str) -> bool:
        if self.target:
            return name == self.target
        often = ONLY if name in dict(self.rule.only) else OTHER if self.rule.metas[name].sort.random else CONSTANT
        return self.rng.random() < often

    def _term(self, name: str) -> Expr:
        meta, rng = self.rule.metas[name], self.rng
        only = dict(self.rule.only).get(name)
        if meta.sort.args or not self._odd(name):
            return super()._term(name)
        mine = {n: s for n, s in self.sorts.items() if n not in self.rule.bound_sorts or n in meta.on}
        if only and rng.random() < 0.7:  # nothing else is random as a name
            mine = {n: s for n, s in {**_MORE, **_CHANCE, **mine}.items() if n == only or not s.random}
        else:
            mine = {**_MORE, **_CHANCE, **_RANDOM, **mine}
        terms = Terms(rng, mine)
        kind = meta.sort.kind
        if kind == QUANTITY:
            kind = self.quantity
        made: Expr | None = None
        if kind in (REAL, INTEGER):
            edge = not meta.sort.random and not self.target and rng.random() < 0.4
            made = terms.edge() if edge else terms.hidden()
            made = call("floor", made) if kind == INTEGER else made
        elif kind == VECTOR:
            made = terms.hidden() * terms.name(VECTOR)
        elif kind == EVENT:
            made = terms.applied(None, EVENT) or terms.event(1)
        elif kind == SOURCE:
            made = terms.past()
        if made is None:
            return super()._term(name)
        if meta.on and rng.random() < 0.5 and kind == REAL:
            made = made * super()._term(name)
        for n in sorted({str(e.value) if e.op == "var" else e.op for e in made.walk()} - self.sorts.keys()):
            if n in terms.names:
                self.sorts[n] = terms.names[n]
        return made


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
        """A random case; now and then the claim of the statement is on trial, or a word of the language is a name."""
        kinds = (
            (self.by_rule, 6), (self.by_restriction, 10), (self.by_use, 3), (self.by_citation, 3),
            (self.by_decision, 3), (self.by_definition, 1), (self.by_gram, 1), (self.of_families, 8),
            (self.by_word, 1),
        )  # fmt: skip
        make, weights = zip(*kinds, strict=True)
        case = self.rng.choices(make, weights)[0]()
        if self.rng.random() < 0.12 and case.number == len(case.statement.steps):
            case = self._claimed(case)
        if self.rng.random() < 0.5:  # an event is random, whether one says so or not
            declares = {n: s.replace("random event", "event") for n, s in (case.statement.declares or {}).items()}
            case = replace(case, statement=replace(case.statement, declares=declares))
        if WORD in (case.statement.declares or {}):
            return self._respelled(case, WORD, self.rng.choice(_WORDS[1]))
        return self._respelled(case) if self.rng.random() < 0.08 else case

    def _claimed(self, case: Case) -> Case:
        """The claim of a statement on trial, which says that its means exist; perhaps where something is bounded."""
        if self.rng.random() < 0.6:
            case = families.where_bounded(case, self.rng) or case
        claim = conclusion_steps(case.statement)[0]
        number = len(case.statement.steps) + 1
        return replace(case, number=number, step=claim, origin=f"claim of {case.origin}")

    def _respelled(self, case: Case, old: str = "", new: str = "") -> Case:
        """A declared name is a word of the language, which is declared then or is not."""
        declares = case.statement.declares or {"a": ""}
        spoken = sorted(declares.keys() & names_of([case.step.fact.relation])) or sorted(declares)
        old, new = old or self.rng.choice(spoken), new or self.rng.choice(self.rng.choice(_WORDS))
        statement, step = spelled(case.statement, old, new), spelled(case.step, old, new)
        if self.rng.random() < 0.5:
            declares = {n: s for n, s in (statement.declares or {}).items() if n != new}
            statement = replace(statement, declares=declares)
        return replace(case, statement=statement, step=step, origin=f"{case.origin}, {new} for {old}")

    def _rule(
        self, rule: Rule | None = None, target: str = ""
    ) -> tuple[Rule, Draw, dict[str, Fact], Relation, tuple[str, ...]]:
        """A rule, its terms, what it needs as hypotheses, the conclusion, and conditions under which that is had."""
        rng = self.rng
        if rule is None:
            (rule,) = rng.choices(list(RULES.values()), _weights(tuple(RULES.values())))
        draw = OddDraw(rule, rng, target)
        facts: dict[str, Fact] = {}
        given: list[str] = []
        for what, f in draw.facts():
            name = f"{what.kind}{len(facts)}"
            if what.kind == "implies":
                relation, head = f.relation, f.relation.lhs.args[0]
                if not f.given and head.op in ("<", "<=", ">", ">=", "==") and relation.rhs == num(1):
                    relation = Relation(head.op, *head.args)
                where = tuple(str(_condition(yes, e)) for yes, e in f.given)
                facts[name] = Fact(str(relation), (), where)
            elif what.kind == "integrable" and rng.random() < 0.25:  # bounded instead, perhaps at some outcomes only
                size = "norm" if draw.quantity == VECTOR else "abs"
                bound = str(Relation("<=", call(size, f.relation.lhs.args[0]), num(1)))
                given += [bound] if rng.random() < 0.5 else []
                facts[name] = Fact(bound, (), tuple(given[-1:]))
            else:
                facts[name] = text_of(f)
        return rule, draw, facts, Fact(rule.conclusion).relation.map(draw.put), tuple(given)

    def _for_all(
        self, sorts: dict[str, Sort], facts: dict[str, Fact], r: Relation, often: float = 0.2
    ) -> tuple[str, ...]:
        """Names of constants, and of events, for all of which a step may hold; the facts are for all of them too."""
        if self.rng.random() >= often:
            return ()
        constants = {n: f"{n}: {s.kind}" for n, s in sorts.items() if s == Sort(EVENT, True) or s in _CONSTANTS}
        over = {n: o for n, o in constants.items() if n in names_of([r]) and self.rng.random() < 0.5}
        for name, f in facts.items():
            free = names_of((f.relation, *f.conditions)) - {*f.names}
            facts[name] = replace(f, over=(*f.over, *(o for n, o in over.items() if n in free)))
        return tuple(over.values())

    def _sorts(self, draw: Draw, rule: Rule) -> dict[str, Sort]:
        bound = set(rule.bound_sorts)
        mine = {n: s for n, s in draw.sorts.items() if n not in bound}
        more = {**_MORE, **_RANDOM}
        return {**{n: more[n] for n in self.rng.sample(sorted(more), 4) if n not in bound}, **mine}

    def _domain(self, sorts: dict[str, Sort], facts: dict[str, Fact]) -> tuple[dict[str, Fact], tuple[Parameter, ...]]:
        """Some conditions on one constant as domains of parameters instead of hypotheses."""
        parameters, rest = [], {}
        for name, f in facts.items():
            free = sorted(f.relation.free)
            plain = name.startswith("side") and f.plain and len(free) == 1 and free[0] in sorts
            if plain and sorts[free[0]] in (Sort(REAL), Sort(INTEGER)) and self.rng.random() < 0.7:
                parameters.append(Parameter(free[0], free[0], (f.claim,), sorts[free[0]].kind == INTEGER))
            else:
                rest[name] = f
        merged: dict[str, Parameter] = {}
        for q in parameters:
            old = merged.get(q.symbol)
            merged[q.symbol] = q if old is None else replace(old, domain=(*old.domain, *q.domain))
        return rest, tuple(merged.values())

    def by_restriction(self) -> Case:
        """An instance of a rule of which one metavariable alone is odd, and should be a constant, or known to depend
        on chance through another one only: each restriction has the same share."""
        rule, target = self.rng.choice(self.rng.choice(restrictions(tuple(RULES.values()))))
        return self.by_rule(rule, target)

    def by_rule(self, rule: Rule | None = None, target: str = "") -> Case:
        """An instance of a rule, its premises and conditions as hypotheses."""
        rule, draw, facts, r, given = self._rule(rule, target)
        sorts = self._sorts(draw, rule)
        let = {n: text(draw.terms[n]) for n in rule.metas}
        facts, parameters = self._domain(sorts, facts)
        over = self._for_all(sorts, facts, r, 0.4 if target else 0.2)
        used = [n for n in facts if n.startswith("premise")]
        used += [n for n in facts if n.startswith(("side", "implies")) and not facts[n].over]
        step = Step(Fact(str(r), over, given), ByRule(rule.name, let, tuple(used)))
        statement = statement_of(sorts, facts, (step,), step.fact, parameters=parameters)
        return Case(statement, 1, step, f"rule: {rule.name}")

    def by_use(self) -> Case:
        """One or two uses of a hypothesis that holds for all values of some names, and what follows."""
        rng = self.rng
        rule, draw, facts, r, _ = self._rule()
        sorts = self._sorts(draw, rule)
        constants = [n for n in sorted(r.free) if n in sorts and not sorts[n].random and not sorts[n].args
                     and sorts[n].kind in (REAL, INTEGER, VECTOR)]  # fmt: skip
        over = tuple(n for n in constants if rng.random() < 0.8)
        where = tuple(f.claim for n, f in facts.items() if n.startswith("side") and f.plain)
        hypothesis = Fact(str(r), tuple(f"{n}: {sorts[n].kind}" for n in over), where)
        terms = Terms(rng, sorts)
        uses, claims = [], []
        for _ in range(rng.choice((1, 2))):
            let = {n: terms.of(sorts[n], rng.choice((0, 0, 1))) for n in over}
            uses.append(Use("h", {n: text(e) for n, e in let.items()}))
            claims.append(r.map(lambda e, let=let: substitute(e, let)))  # type: ignore[misc]
        first = claims[0]
        if len(claims) == 2:
            pairs = [c.sides for c in claims]
            first = Relation(first.op, pairs[0][0] + pairs[1][0], pairs[0][1] + pairs[1][1])
        step = Step(Fact(str(first), (), where if rng.random() < 0.5 else ()), Follows(tuple(uses)))
        return Case(statement_of(sorts, {"h": hypothesis}, (step,), step.fact), 1, step, "use")

    def by_citation(self) -> Case:
        """A statement with a proof by a rule, cited with values for its names; its hypotheses assumed."""
        rng = self.rng
        under = self.by_rule()
        cited = replace(under.statement, label="lem:cited")
        own = {n: read_sort(s) for n, s in (cited.declares or {}).items()}
        own |= {q.symbol: Sort(INTEGER if q.integer else REAL) for q in cited.parameters}
        terms = Terms(rng, own)
        let = {n: terms.of(s, rng.choice((0, 0, 1))) for n, s in own.items()
               if not s.args and s.kind in (REAL, VECTOR, INTEGER) and rng.random() < 0.4}  # fmt: skip
        put = lambda source: change_text(source, lambda e: substitute(e, let))  # noqa: E731
        here = {n: Fact(put(f.claim), f.over, tuple(map(put, f.where))) for n, f in cited.hypotheses.items()}
        for k, w in enumerate(w for q in cited.parameters for w in q.domain):
            here[f"domain{k}"] = Fact(put(w))
        used = tuple(n for n in here if n.startswith("domain"))
        claim = cited.claims[0]
        step = Step(
            Fact(put(claim.claim), claim.over, tuple(map(put, claim.where))),
            Cite("lem:cited", {n: text(e) for n, e in let.items()}, used),
        )
        statement = statement_of(own, here, (step,), step.fact)
        return Case(statement, 1, step, f"citation of {under.origin}", lambda _: cited, under)

    def of_families(self) -> Case:
        """A step about a family of random quantities, and what follows at a random index; or a premise made weaker."""
        rng = self.rng
        case = self.by_rule()
        if rng.random() < 0.4:
            return families.almost_surely(case, rng) or case
        kind = rng.choice(families.KINDS)
        made = families.members(case, kind)
        if made is None:
            return case
        if rng.random() < 0.5:
            return families.at_random(made, kind, rng.random() < 0.5)
        fact = made.step.fact  # assumed for each index, or had from a conditional mean
        step = Step(fact, Follows(("h",)))
        statement = replace(made.statement, hypotheses={"h": fact}, steps=(step,))
        plain = replace(made, statement=statement, step=step, origin=f"{case.origin}, assumed")
        weak = families.almost_surely(plain, rng)
        if weak is None:
            return families.at_random(plain, kind, False)
        step = weak.statement.steps[0]
        weak = replace(weak, statement=replace(weak.statement, steps=(step,)), number=1, step=step)
        return families.at_random(weak, kind, rng.random() < 0.6)

    def by_definition(self) -> Case:
        """A name for a term, and a step that puts it in place of the term."""
        rng = self.rng
        case = self.by_rule()
        r = case.step.fact.relation
        nodes = [n for n in r.walk() if n.args and n.op not in ("<", "<=", ">", ">=", "==")]
        t = rng.choice(nodes) if nodes else r.lhs
        name = rng.choice(("new", "new", "new", rng.choice(sorted(case.statement.declares or {"a": ""}))))
        first = Step(Fact(str(Relation("==", var(name), t))), Definition())
        by: Justification = Follows((2, 1))
        last = Step(Fact(str(r.map(lambda e: exchanged(e, {t: var(name)})))), by)
        statement = replace(case.statement, steps=(first, case.step, last))
        number = rng.choice((1, 3, 3))
        return Case(statement, number, (first, case.step, last)[number - 1], "definition")

    def _given(self, terms: Terms) -> list[Relation]:
        """One or two relations between constants, some of them with terms that have no value somewhere."""
        rng = self.rng
        found = []
        for _ in range(rng.choice((1, 1, 2))):
            name, k = terms.name(REAL, False), num(rng.choice((-2, -1, 0, 1, 2)))
            odd = terms.edge() if rng.random() < 0.7 else name / name
            a, b = rng.choice(((name, k), (name, k), (odd, k), (odd, k), (name, odd)))
            found.append(Relation(rng.choice(("<=", ">=", ">")), a, b))
        return found

    def _placed(self, given: list[Relation], sorts: dict[str, Sort], step: Step, origin: str) -> Case:
        """A case whose step has the relations as its conditions, as hypotheses, or as the domain of parameters."""
        where: list[str] = []
        facts: dict[str, Fact] = {}
        parameters: dict[str, Parameter] = {}
        for r in given:
            place = self.rng.choice(("where", "fact", "domain"))
            if place == "where":
                where.append(str(r))
            elif place == "fact":
                facts[f"given{len(facts)}"] = Fact(str(r))
            else:
                for n in sorted(r.free):
                    parameters.setdefault(n, Parameter(n, n, (), sorts[n].kind == INTEGER))
                last = max(r.free, key=list(parameters).index)
                parameters[last] = replace(parameters[last], domain=(*parameters[last].domain, str(r)))
        step = replace(step, fact=replace(step.fact, where=tuple(where)), by=replace(step.by, using=tuple(facts)))
        statement = statement_of(sorts, facts, (step,), step.fact, parameters=tuple(parameters.values()))
        return Case(statement, 1, step, origin)

    def by_decision(self) -> Case:
        """A relation that a form seems to decide, or that relations between constants seem to give."""
        terms = Terms(self.rng, {**_MORE, **_RANDOM})
        if self.rng.random() < 0.4:
            where = (str(terms.condition()),) if self.rng.random() < 0.4 else ()
            step = Step(Fact(str(terms.relation(2)), (), where), Decide())
            return Case(statement_of(terms.names, {}, (step,), step.fact), 1, step, "decision")
        few = Terms(self.rng, {n: _MORE[n] for n in self.rng.choice(("a", "ab", "an"))})
        given = self._given(few)
        name = var(self.rng.choice(sorted(free_names(given))))
        goal = Relation(self.rng.choice(("<=", ">=", ">")), name, num(self.rng.choice((-2, -1, 0, 1, 2))))
        return self._placed(given, dict(few.names), Step(Fact(str(goal)), Decide()), "decision from relations")

    def by_word(self) -> Case:
        """A relation between a number and a name that is a word of the language."""
        word, k = self.rng.choice(self.rng.choice(_WORDS)), num(self.rng.choice((-2, -1, 0, 1, 2, 3, 4)))
        sort = self.rng.choice((Sort(REAL), Sort(REAL), Sort(INTEGER), Sort(REAL, True)))
        step = Step(Fact(str(Relation(self.rng.choice(("<=", ">=", ">", "<", "==")), var(word), k))), Decide())
        return Case(statement_of({word: sort}, {}, (step,), step.fact), 1, step, f"decision about {word}")

    def by_gram(self) -> Case:
        """An inequality between quadratic forms with coefficients of which relations say something."""
        rng = self.rng
        few = Terms(rng, {n: _MORE[n] for n in ("a", "b")})
        given = self._given(few)
        b = var(rng.choice(sorted(free_names(given))))
        x, z = call("norm", var("x")) ** 2, call("norm", var("z")) ** 2
        left = rng.choice((x, num(0), call("norm", var("x") + var("z")) ** 2, call("dot", var("x"), var("z"))))
        right = rng.choice((b * x, b * (x + z), -b * x))
        step = Step(Fact(str(Relation("<=", left, right))), ByGram(("x", "z")))
        return self._placed(given, {n: _MORE[n] for n in ("a", "b", "x", "z")}, step, "quadratic form")


def _condition(yes: bool, e: Expr) -> Relation:
    """That an event happens, or does not, as a relation."""
    if yes and e.op in ("<", "<=", ">", ">=", "=="):
        return Relation(e.op, *e.args)
    return Relation("==", Expr("ind", (e,)), num(int(yes)))
