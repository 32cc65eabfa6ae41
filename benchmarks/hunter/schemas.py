"""Rule schemas on models: does the conclusion hold wherever the premises do, and is every condition needed?"""

from __future__ import annotations

import random as python_random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from flint import fmpq

from benchmarks.hunter import named_functions
from benchmarks.hunter.atoms import AtAtoms
from benchmarks.hunter.meet import Fact, Outcome, check, meet
from benchmarks.hunter.model import Function, Model, draw_space, give_law, law_source
from benchmarks.hunter.nums import FAULTS
from benchmarks.hunter.reasons import reason
from benchmarks.hunter.words import shown, text_of
from boundcheck.kernel.formula import Expr, Relation, call, const, num, var
from boundcheck.kernel.proof.facts import quantified, read_term
from boundcheck.kernel.proof.sorts import (
    EVENT,
    INFORMATION,
    INTEGER,
    OBJECT,
    QUANTITY,
    REAL,
    SOURCE,
    VECTOR,
    Sort,
)  # fmt: skip
from boundcheck.kernel.proof.terms import put
from boundcheck.kernel.rules import Rule
from boundcheck.kernel.statement import Fact as Text

ONE, FOUR = num(1), num(4)
#: rules about functions that the finite laws keep for quadratic ones alone, but for d = 1
QUADRATIC = ("divergence on the ball",)


@dataclass(frozen=True)
class Dropped:
    """What is left out of a rule: ("side", n), ("premise", n), ("constant", name), ("free", (name, bound)), ..."""

    kind: str = ""
    what: Any = None


@dataclass
class RuleResult:
    """What became of a rule."""

    name: str
    models: int = 0  #: that meet the premises
    unclear: int = 0  #: of these, where balls could not tell
    drawn: int = 0
    heavy: int = 0  #: of the models, those on a line without mean or second moment
    broken: list[str] = field(default_factory=list)  #: models that break the rule
    conditions: dict[str, str] = field(default_factory=dict)  #: condition -> a model that needs it, or ""


def conditions(rule: Rule) -> Iterator[tuple[str, Dropped]]:
    """Everything that can be left out of a rule, with its text."""
    for n, f in enumerate(rule.premises):
        yield f"premise {text_of(f)}", Dropped("premise", n)
    for n, f in enumerate(rule.sides):
        yield f"side {text_of(f)}", Dropped("side", n)
    for n, i in enumerate(rule.implies):
        yield f"implies {', '.join(i.given) or 'always'} -> {i.then}", Dropped("implies", n)
    for n, text in enumerate(rule.integrable):
        yield f"integrable {text}", Dropped("integrable", n)
    for n, text in enumerate(rule.converges):
        yield f"converges {text}", Dropped("converges", n)
    for n, (term, given) in enumerate(rule.measurable):
        yield f"{term} known from {given}", Dropped("measurable", n)
    for pair in rule.only:
        yield f"{pair[0]} random through {pair[1]} alone", Dropped("only", pair)
    for name, meta in rule.metas.items():
        if not meta.bound and not meta.sort.random and meta.sort.kind in (REAL, VECTOR, INTEGER, QUANTITY):
            yield f"{name} constant", Dropped("constant", name)
    for name, inside in scopes(rule).items():
        for b in sorted(inside - set(rule.metas[name].on)):
            yield f"{name} free of {b}", Dropped("free", (name, b))


def scopes(rule: Rule) -> dict[str, set[str]]:
    """metavariable -> the bound names in whose scope it stands."""
    found: dict[str, set[str]] = {n: set() for n, m in rule.metas.items() if not m.bound and not m.sort.args}

    def walk(e: Expr, bound: frozenset[str]) -> None:
        if e.op == "var":
            if e.value in found:
                found[str(e.value)] |= bound
        elif e.binds:
            body, v, *ends = e.args
            walk(body, bound | {str(v.value)})
            for end in ends:
                walk(end, bound)
        else:
            for a in e.args:
                walk(a, bound)

    for f in (Text(rule.conclusion), *rule.premises, *rule.sides):
        over = frozenset(quantified(f, rule.bound_sorts))
        for r in (f.relation, *f.conditions):
            for side in r.sides:
                walk(side, over)
    return found


class Draw:
    """One drawing of the terms of a rule's metavariables, and of the sorts of all names."""

    def __init__(self, rule: Rule, rng: python_random.Random, dropped: Dropped):
        self.rule, self.rng, self.dropped = rule, rng, dropped
        self.quantity = VECTOR if rng.random() < 0.35 else REAL
        self.sorts: dict[str, Sort] = dict(rule.bound_sorts)
        self.terms: dict[str, Expr] = {}
        self.through = {n: t for n, t in rule.only if dropped != Dropped("only", (n, t))}
        for name, meta in rule.metas.items():
            if not meta.bound:
                self.sorts[name] = self._sort(name)
        for name, meta in rule.metas.items():
            self.terms[name] = var(name) if meta.bound else self._term(name)
        for d in rule.derived:
            at = self.terms.get(d.variable, var(d.variable))
            self.terms[d.name] = put(self.terms[d.source], {str(at.value): self.term(d.value)})

    def _sort(self, name: str) -> Sort:
        meta = self.rule.metas[name]
        kind, random = meta.sort.kind, meta.sort.random
        if kind == QUANTITY:
            kind = self.quantity
        if kind == SOURCE:
            kind = self.rng.choice((INFORMATION, INFORMATION, REAL, REAL, VECTOR, OBJECT))
            if name in {t for _, t in self.rule.only}:
                kind = self.rng.choice((REAL, REAL, VECTOR))
            return Sort(kind, kind != INFORMATION)
        if self.dropped == Dropped("constant", name):
            random = True
        elif random and kind != EVENT and not meta.sort.args and self.rng.random() < 0.15:
            random = False
        return Sort(kind, random, meta.sort.args)

    def _fresh(self, stem: str, sort: Sort) -> Expr:
        name = f"{stem}_{len(self.sorts)}"
        self.sorts[name] = sort
        return var(name)

    def _term(self, name: str) -> Expr:
        """A term for a metavariable: itself, or one in the bound names that it may depend on."""
        meta, sort, rng = self.rule.metas[name], self.sorts[name], self.rng
        if meta.end:
            return const("oo") if rng.random() < 0.4 else var(name)
        if sort.args or sort.kind in (INFORMATION, OBJECT):
            return var(name)
        on = list(meta.on)
        if self.dropped.kind == "free" and self.dropped.what[0] == name:
            on = [self.dropped.what[1]]
        if name in dict(self.rule.only):
            return self._tied(name, on)
        if on and (rng.random() < 0.9 or self.dropped.kind == "free"):
            return self._depending(name, rng.choice(on))
        if sort.kind == EVENT and rng.random() < 0.4:
            return Expr(
                rng.choice((">", "<=", "==")), (self._fresh("Y", Sort(REAL, True)), self._fresh("c", Sort(REAL)))
            )
        return var(name)

    def _scalar(self, e: Expr) -> Expr:
        """A number that depends on a term of any sort."""
        sort = self.sorts[str(e.value)]
        if sort.kind != VECTOR:
            return e
        return Expr("dot", (self._fresh("w", Sort(VECTOR)), e)) if self.rng.random() < 0.6 else call("norm", e)

    def _depending(self, name: str, b: str, source: Expr | None = None) -> Expr:
        """A term in a bound name; random through ``source`` alone, where one is given."""
        rng, sort = self.rng, self.sorts[name]
        t = self._scalar(var(b))
        c = [self._fresh("c", Sort(REAL)) for _ in range(2)]
        if source is not None:
            y = self._scalar(source)
        else:
            y = self._fresh("Y", Sort(REAL, sort.random))
        if sort.kind == INTEGER:
            return self._fresh("k", Sort(INTEGER)) + num(rng.choice((1, -1))) * t
        if sort.kind == EVENT:
            if source is None and self.sorts[b].kind == INTEGER and rng.random() < 0.6:
                return Expr("at", (self._fresh("A", Sort(EVENT, True, (INTEGER,))), t))
            return Expr(rng.choice((">", "<=", "==")), (y, t * rng.choice((ONE, c[0]))))
        if sort.kind == VECTOR:
            if source is not None:
                v = source if self.sorts[str(source.value)].kind == VECTOR else y * self._fresh("v", Sort(VECTOR))
            else:
                v = self._fresh("v", Sort(VECTOR, sort.random))
            if self.sorts[b].kind == VECTOR:
                return rng.choice((var(b) + v, y * var(b) + self._fresh("v", Sort(VECTOR))))
            return t * self._fresh("v", Sort(VECTOR)) + v
        if source is None and self.sorts[b].kind == INTEGER and rng.random() < 0.6:
            return Expr("at", (self._fresh("G", Sort(REAL, sort.random, (INTEGER,))), t))
        ramp = c[1] * Expr("max", (t - c[0], num(0)))
        step = Expr("ind", (Expr("<", (t, y)),))
        size = Expr("abs", (y - t,))
        zero = num(0) * t
        poles = () if self.sorts[b].kind == INTEGER else (c[1] / (t - c[0]), c[1] / (t * t), y / t)
        return rng.choice(
            (
                c[0] + c[1] * t,
                y + c[1] * t,
                y * step,
                c[1] * step,
                c[1] * ramp,
                c[0] * t * t,
                size,
                y * y,
                zero,
                *poles,
            )
            if source is None
            else (y + c[1] * t, size, Expr("max", (y - t, num(0))), y * y * t, Expr("ind", (Expr("==", (y, t)),)))
        )

    def _tied(self, name: str, on: list[str]) -> Expr:
        """A term that is random through one metavariable alone, or also through another name."""
        rng, sort = self.rng, self.sorts[name]
        x = var(dict(self.rule.only)[name])
        if name not in self.through:
            x = self._fresh("Y", Sort(REAL, True))
        if on:
            return self._depending(name, rng.choice(on), x)
        c = self._fresh("Y" if name not in self.through else "c", Sort(REAL, name not in self.through))
        u = var(dict(self.rule.only)[name])
        w = self._fresh("w", Sort(VECTOR))
        a = Expr("dot", (w, u))
        if sort.kind == VECTOR:
            return rng.choice((a * u, c * u + w, u))
        return rng.choice((a * c, Expr("max", (a - c, num(0))), a * a + a * c, Expr("ind", (Expr(">", (a, c)),))))

    # ------------------------------------------------------------ instances

    def put(self, e: Expr) -> Expr:
        """A schema's term with the drawn terms in place of metavariables (capture is wanted)."""
        if e.op == "var":
            return self.terms.get(str(e.value), e)
        return Expr(e.op, tuple(map(self.put, e.args)), e.value) if e.args else e

    def term(self, text: str) -> Expr:
        """A term of the schema."""
        return self.put(read_term(text))

    def fact(self, f: Text) -> Fact:
        """An instance of a premise or a side condition."""
        over = quantified(f, self.rule.bound_sorts)
        free = set().union(*(r.map(self.put).free for r in (f.relation, *f.conditions)))
        more = {n: s for n, s in self.rule.bound_sorts.items() if n in free and n not in over and self._own(n, f)}
        where = tuple(r.map(self.put) for r in f.conditions)
        return Fact(f.relation.map(self.put), tuple({**over, **more}.items()), where)

    def _own(self, b: str, f: Text) -> bool:
        """Whether a bound name stands in a fact by right, and not in the term alone that must be free of it.

        In that term, outside of what the name binds, it is a constant of the step.
        """
        if self.dropped.kind != "free" or self.dropped.what[1] != b:
            return True
        spoken = set().union(*(r.free for r in (f.relation, *f.conditions)))
        return any(b in m.on for n, m in self.rule.metas.items() if n in spoken) or b in spoken

    def predicate(self, head: str, *terms: str) -> Relation:
        """``head(terms) == 1``."""
        return Relation("==", Expr(head, tuple(map(self.term, terms))), ONE)

    def facts(self) -> Iterator[tuple[Dropped, Fact]]:
        """All that the rule asks for, each with what leaves it out."""
        rule = self.rule
        for n, f in enumerate(rule.premises):
            yield Dropped("premise", n), self.fact(f)
        for n, f in enumerate(rule.sides):
            yield Dropped("side", n), self.fact(f)
        for n, i in enumerate(rule.implies):
            relation = Relation("==", Expr("ind", (self._event(i.then)[1],)), num(int(self._event(i.then)[0])))
            yield Dropped("implies", n), Fact(relation, given=tuple(map(self._event, i.given)))
        for n, text in enumerate(rule.integrable):
            yield Dropped("integrable", n), Fact(self.predicate("integrable", text))
        for n, (text, f) in enumerate(rule.existence):
            relation = Relation("==", Expr("integrable", self.term(text).args), ONE)
            where = () if f is None else (f.relation.map(self.put),)
            free = relation.free.union(*(w.free for w in where))
            over = tuple((b, s) for b, s in rule.bound_sorts.items() if b in free)
            yield Dropped("converges", n), Fact(relation, over, where)
        for n, pair in enumerate(rule.measurable):
            yield Dropped("measurable", n), Fact(self.predicate("measurable", *pair))

    def _event(self, text: str) -> tuple[bool, Expr]:
        return not text.startswith("~"), self.term(text.removeprefix("~"))


# ---------------------------------------------------------------- models of a rule


def draw_model(draw: Draw, rng: python_random.Random) -> tuple[Model, frozenset[str]]:
    """A model for the drawn terms, laws and what equations define first; the names that are settled by that."""
    rule, lost = draw.rule, draw.dropped
    stated = [f for n, f in enumerate(rule.premises) if lost != Dropped("premise", n)]
    laws = {str(r.lhs.args[0].value): r.rhs.op for f in stated for r in [f.relation] if r.lhs.op == "law"}
    has_law = any(f.relation.lhs.op == "law" for f in rule.premises)
    d = rng.choice((1, 1, 2, 3) if len(laws) < 2 else (1, 1, 2))
    fourth = len(laws) == 1 and any(
        n.op == "pow" and n.args[1] == FOUR for n in Text(rule.conclusion).relation.lhs.walk()
    )
    line = _line(draw, rng, d, laws)
    sources, where = [], {}
    for name, kind in laws.items():
        if line == "uniform" and (kind, d) in (("ball", 1), ("coordinate", 3)) and None not in where.values():
            where[name] = None
            continue
        where[name] = len(sources)
        sources.append(law_source(kind, d, fourth))
    model = Model(rng, draw.sorts, d, draw_space(rng, sources, 2), line, axes=bool(laws) and d > 1)
    for name, kind in laws.items():
        give_law(model, name, kind, where[name])
    settled = set(laws)
    if has_law:
        model.values["d"] = fmpq(d)
        settled.add("d")
    if lost.kind == "only" or (lost.kind == "premise" and rule.premises[lost.what].relation.lhs.op == "independent"):
        model.alias = 0.6
    _functions(model, draw, stated, settled, rule.name in QUADRATIC and (d > 1 or line != "uniform"))
    return model, frozenset(settled)


def _line(draw: Draw, rng: python_random.Random, d: int, laws: Mapping[str, str]) -> str:
    lost = draw.dropped
    premise = lost.kind == "premise" and draw.rule.premises[lost.what].relation.lhs.op == "integrable"
    if (premise or lost.kind == "integrable") and rng.random() < 0.8:
        return rng.choice(("heavy", "wide"))
    means = draw.rule.integrable or Text(draw.rule.conclusion).relation.lhs.op == "integrable"
    if draw.dropped.kind and means and not laws and rng.random() < 0.5:
        return rng.choice(("heavy", "wide"))
    chance = rng.random()
    kinds = {(kind, d) for kind in laws.values()}
    if kinds & {("ball", 1), ("coordinate", 3)}:
        return "uniform" if chance < 0.6 else ""
    if laws or any(n.op == "integral" for f in (Text(draw.rule.conclusion),) for n in f.relation.rhs.walk()):
        return ""
    often = 0.3 if draw.rule.integrable else 0.1
    return rng.choice(("heavy", "wide")) if chance < often else "uniform" if chance > 0.93 else ""


def _functions(model: Model, draw: Draw, stated: list[Text], settled: set[str], quadratic: bool) -> None:
    """Functions that premises define, gradients, constants of Lipschitz continuity, filtrations."""
    metas = draw.rule.metas
    gradients = [f.relation.lhs.args for f in stated if f.relation.lhs.op == "gradient"]
    model.smooth = bool(gradients)
    for name, meta in metas.items():
        if any(k in (REAL, VECTOR) for k in meta.sort.args):
            f = model.value(name)
            if quadratic:
                f.parts = tuple(replace(p, radius=None) for p in f.parts)
    for f in stated:
        r = f.relation
        if r.op == "==" and r.lhs.op in metas and metas[r.lhs.op].sort.args and f.over:
            names = tuple(str(a.value) for a in r.lhs.args)
            model.values[r.lhs.op] = Function(r.lhs.op, draw.sorts[r.lhs.op], (), names, draw.put(r.rhs))
            settled.add(r.lhs.op)
    plain = {str(f.value): str(g.value) for f, g in gradients}
    for phi, g in plain.items():
        f, sort = model.value(phi), draw.sorts[g]
        if f.body is not None and model.line:  # the gradient of a mean over the line is the mean of the gradient
            body = put(f.body, {k: var(v) for k, v in plain.items()})
            model.values[g] = Function(g, sort, (), f.names, body)
        else:
            model.values[g] = named_functions.gradient(g, f, sort)
        settled |= {phi, g}
    for f in stated:
        r = f.relation
        if r.lhs.op == "increasing":
            model.styles[str(r.lhs.args[0].value)] = "chain"
            settled.add(str(r.lhs.args[0].value))
        if r.op == "<=" and r.lhs.op == "norm" and "L" in r.rhs.free:
            heads = {n.op for n in r.lhs.walk() if n.op in metas}
            extra = abs(model.number()) if model.rng.random() < 0.4 else fmpq(0)
            model.values["L"] = max(named_functions.lipschitz(model.value(h)) for h in heads) + extra
            settled |= {"L", *heads}


Found = tuple[Model, Outcome, Relation]


def attempt(rule: Rule, rng: python_random.Random, dropped: Dropped) -> Found | None:
    """A model that meets what is left of a rule's premises, and what becomes of the conclusion; None: not met."""
    draw = Draw(rule, rng, dropped)
    wanted, stated = [], []  # what is met, and with it what holds by the making of the model
    for what, f in draw.facts():
        if what != dropped:
            stated.append(f)
            if not _made(rule, what) or rng.random() < 0.1:
                wanted.append(f)
        elif what.kind == "side" and not f.over and not f.where and rng.random() < 0.7:
            wanted.append(Fact(f.relation.negated()))
        elif what.kind in ("integrable", "converges") and not f.where and not f.over and rng.random() < 0.8:
            wanted.append(Fact(Relation("==", f.relation.lhs, num(0))))
    try:
        model, settled = draw_model(draw, rng)
        ev = AtAtoms(model)
        if not meet(model, ev, wanted, 12, settled):
            return None
        goal = Fact(Relation(*_sides(rule, draw)))
        found = check(model, ev, goal)
        # a fact that ranges over names was tried at some values only: look again at more
        if found.holds is False and any(check(model, ev, f, dense=True).holds is not True for f in (*wanted, *stated)):
            return None
    except FAULTS:
        return None
    return model, found, goal.relation


def _made(rule: Rule, what: Dropped) -> bool:
    """Whether every drawn model has it by its making: laws, gradients, definitions, constants of continuity."""
    if what.kind != "premise":
        return False
    f = rule.premises[what.what]
    r = f.relation
    heads = {n.op for n in r.lhs.walk()} & rule.metas.keys()
    return r.lhs.op in ("law", "gradient", "increasing") or bool(f.over and heads and rule.metas[min(heads)].sort.args)


def _sides(rule: Rule, draw: Draw) -> tuple[str, Expr, Expr]:
    r = Text(rule.conclusion).relation.map(draw.put)
    return r.op, r.lhs, r.rhs


def run_rule(rule: Rule, seed: int, models: int, seconds: float, tries: int = 400) -> RuleResult:
    """A rule on ``models`` models that meet its premises, if ``seconds`` allow; then without each condition.

    With no ``tries`` the conditions are not looked at.
    """
    result = RuleResult(rule.name)
    rng = python_random.Random(f"{seed}/{rule.name}")
    end = time.process_time() + seconds
    while result.models < models and time.process_time() < end:
        result.drawn += 1
        found = attempt(rule, rng, Dropped())
        if found is None:
            continue
        model, outcome, goal = found
        if outcome.holds is None:
            result.unclear += 1
            continue
        result.models += 1
        result.heavy += model.line in ("heavy", "wide")
        if outcome.holds is False and len(result.broken) < 3:
            result.broken.append(shown(model, outcome, goal))
    rng = python_random.Random(f"{seed}/{rule.name}/conditions")
    for text, dropped in conditions(rule) if tries else ():
        often = tries if reason(rule.name, text) else 8 * tries
        result.conditions[text] = needed(rule, dropped, rng, often, seconds / 20)
    return result


def needed(rule: Rule, dropped: Dropped, rng: python_random.Random, tries: int, seconds: float) -> str:
    """A model that breaks the rule without a condition, in words; "" where none is found."""
    end = time.process_time() + seconds
    for _ in range(tries):
        found = attempt(rule, rng, dropped)
        if found is not None and found[1].holds is False:
            return shown(*found)
        if time.process_time() > end:
            break
    return ""


__all__ = ["Draw", "Dropped", "RuleResult", "attempt", "conditions", "needed", "run_rule"]
