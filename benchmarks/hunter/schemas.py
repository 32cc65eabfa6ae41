"""Rule schemas on models: does the conclusion hold wherever the premises do, and is every condition needed?"""

from __future__ import annotations

import random as python_random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from flint import fmpq

from benchmarks.hunter import fresh
from benchmarks.hunter.adapter import RuleView
from benchmarks.hunter.evaluate import Evaluator
from benchmarks.hunter.meet import Fact, Outcome, check, meet
from benchmarks.hunter.model import Model, Rv, draw_space, law_source
from benchmarks.hunter.sorts import EVENT, REAL, SIGMA, VECTOR, Sort, infer, random_heads
from boundcheck.kernel.formula import Expr, Relation, num, parse, substitute, var

#: rules of which the finite laws that stand for the sphere keep only d = 1
ONLY_LINE = ("fourth moment of a coordinate",)
#: names that a rule ties to one another (the samples of step t), which need a model of their own
TIED = ("iid",)
LONGEST = 1200  #: characters of a model in words


@dataclass(frozen=True)
class Dropped:
    """What is left out of a rule: ("side", n), ("premise", n), ("implies", n), ("fixed", (a, b)), ..."""

    kind: str = ""
    what: Any = None


@dataclass
class RuleResult:
    """What became of a rule."""

    name: str
    models: int = 0  #: that meet the premises
    unclear: int = 0  #: of these, where balls could not tell
    drawn: int = 0
    broken: list[str] = field(default_factory=list)  #: models that break the rule
    conditions: dict[str, str] = field(default_factory=dict)  #: condition -> a model that needs it, or ""


def conditions(rule: RuleView) -> Iterator[tuple[str, Dropped]]:
    """Everything that can be left out of a rule, with its text."""
    for n, f in enumerate(rule.premises):
        yield f"premise {f}", Dropped("premise", n)
    for n, f in enumerate(rule.sides):
        yield f"side {f}", Dropped("side", n)
    for n, f in enumerate(rule.implies):
        yield f"implies {f}", Dropped("implies", n)
    for pair in rule.fixed:
        yield f"{pair[0]} free of {pair[1]}", Dropped("fixed", pair)
    for pair in rule.only:
        yield f"{pair[0]} random through {pair[1]} alone", Dropped("only", pair)
    for name in rule.whole:
        yield f"{name} integer", Dropped("whole", name)


# ---------------------------------------------------------------- what a metavariable may depend on


def scopes(rule: RuleView) -> dict[str, dict[str, str]]:
    """metavariable -> the bound names in whose scope it stands -> the binder ("all": a quantified name)."""
    found: dict[str, dict[str, str]] = {n: {} for n in rule.names}

    def walk(e: Expr, bound: dict[str, str]) -> None:
        if e.op == "var":
            if e.value in found:
                found[e.value].update({b: how for b, how in bound.items() if b != e.value})
        elif e.binds:
            body, v, *ends = e.args
            walk(body, {**bound, v.value: e.op})
            for end in ends:
                walk(end, bound)
        else:
            for a in e.args:
                walk(a, bound)

    for f in (Fact(rule.conclusion), *rule.premises, *rule.sides):
        for r in f.relations:
            for side in (r.lhs, r.rhs):
                walk(side, dict.fromkeys(f.over, "all"))
    for _, source, variable, _ in rule.derived:
        found[source].setdefault(variable, "derived")
    return found


class Draw:
    """One drawing of the terms of a rule's metavariables, and of the sorts of all names."""

    def __init__(self, rule: RuleView, rng: python_random.Random, dropped: Dropped):
        self.rule, self.rng, self.dropped = rule, rng, dropped
        relations = [rule.conclusion, *(r for f in (*rule.premises, *rule.sides) for r in f.relations)]
        for f in rule.implies:
            events = [Expr("ind", (e,)) for _, e in f.given]
            relations += [f.relation, *(Relation("==", e, num(1)) for e in events)]
        whole = [n for n in rule.whole if dropped != Dropped("whole", n)]
        left = [f for n, f in enumerate(rule.premises) if dropped != Dropped("premise", n)]
        drawn = {r.lhs.args[0].value for f in rule.premises for r in [f.relation] if r.lhs.op == "law"}
        self.laws = {r.lhs.args[0].value: r.rhs.op for f in left for r in [f.relation] if r.lhs.op == "law"}
        self.sorts = dict(infer(relations, drawn, whole, guess=False))
        unclear = {n: Sort(VECTOR, True) for n in drawn if n not in self.sorts}
        if unclear:
            self.sorts = dict(infer(relations, drawn, whole, unclear, guess=False))
        for name in rule.whole:
            if dropped == Dropped("whole", name):
                self.sorts[name] = replace(self.sorts.get(name, Sort()), integer=False)
        given = {n.args[1].value for r in relations for s in (r.lhs, r.rhs) for n in s.walk()
                 if n.op in ("Egiven", "Pgiven", "measurable") and n.args[1].op == "var"}  # fmt: skip
        self.over = {o for f in (*rule.premises, *rule.sides) for o in f.over}
        self.terms: dict[str, Expr] = {}
        both = rng.random() < 0.3  # a kind for all that the places leave open
        for name in rule.names:
            sort = self.sorts.get(name)
            if sort is None:
                kind = (
                    SIGMA if name in given and rng.random() < 0.6 else VECTOR if both and name not in given else REAL
                )
                sort = Sort(kind, False)
            if name not in self.laws and sort.kind != SIGMA:
                sort = replace(sort, random=self._random(name) or (name in given))
            self.sorts[name] = sort
        for name in set(self.sorts) - set(rule.names):
            if name in ("x0", "x", "u") and name not in self.laws:
                self.sorts[name] = replace(self.sorts[name], random=False)
            if dropped == Dropped("fixed", (name, "random")):
                self.sorts[name] = replace(self.sorts[name], random=True)
        self.scope = scopes(rule)
        for name in rule.names:
            self.terms[name] = self._term(name)
        for name, source, variable, value in rule.derived:
            v = self.terms.get(variable, var(variable))
            put = self.terms.get(value.value, value) if value.op == "var" else value
            self.terms[name] = substitute(self.terms[source], {v.value: put})

    def _random(self, name: str) -> bool:
        pair = (name, "random")
        if self.dropped == Dropped("fixed", pair):
            return True
        if pair in self.rule.fixed or name in self.over:
            return False
        return self.rng.random() < 0.6

    def _fresh(self, stem: str, sort: Sort) -> Expr:
        name = f"{stem}_{len(self.sorts)}"
        self.sorts[name] = sort
        return var(name)

    def _term(self, name: str) -> Expr:
        """A term for a metavariable: itself, or one in the bound names that it may depend on."""
        scope = self.scope[name]
        kept = []
        for b, how in scope.items():
            if self.dropped == Dropped("fixed", (name, b)):
                kept = [(b, how)]
                break
            if (name, b) not in self.rule.fixed:
                kept.append((b, how))
        forced = self.dropped == Dropped("fixed", (name, kept[0][0])) if kept else False
        if forced and self.sorts[name].arity:
            return Expr("at", (self._fresh(name, replace(self.sorts[name], arity=2)), var(kept[0][0])))
        sort = self.sorts[name]
        if name in self.over or any(name == v for v in self._binders()) or not kept or sort.kind == SIGMA:
            return var(name)
        tied = any(name == n for n, _ in self.rule.only)
        if sort.arity or (self.rng.random() < 0.15 and not forced and not tied):
            return var(name)
        b, how = self.rng.choice(kept)
        if how == "derived" and self.sorts.get(b, Sort()).kind == VECTOR:
            return self._in_direction(name, b)
        return self._depending(name, var(b), how, sort)

    def _binders(self) -> set[str]:
        relations = [self.rule.conclusion, *(r for f in self.rule.premises for r in f.relations)]
        return {n.args[1].value for r in relations for s in (r.lhs, r.rhs) for n in s.walk() if n.binds}

    def _depending(self, name: str, t: Expr, how: str, sort: Sort) -> Expr:
        rng, random = self.rng, sort.random
        for _, term in self.rule.only:
            if (name, term) in self.rule.only:
                return self._through(name, t, term, sort)
        integer = self.sorts.get(str(t.value), Sort()).integer or how in ("sum", "union", "meet", "least")
        c = [self._fresh("c", Sort(REAL, False)) for _ in range(2)]
        y = self._fresh("Y", Sort(REAL, random))
        if name in self.rule.whole or sort.integer:
            return self._fresh("k", Sort(REAL, False, True)) + num(rng.choice((1, -1))) * t
        if sort.kind == EVENT:
            if integer and rng.random() < 0.6:
                return Expr("at", (self._fresh("A", Sort(EVENT, True, arity=1)), t))
            return Expr(rng.choice((">", "<=")), (self._fresh("Y", Sort(REAL, True)), t * rng.choice((num(1), c[0]))))
        if sort.kind == VECTOR:
            v = [self._fresh("v", Sort(VECTOR, random)) for _ in range(2)]
            return t * v[0] + v[1]
        if integer and rng.random() < 0.6 and name not in self.rule.whole:
            return Expr("at", (self._fresh("G", Sort(REAL, random, arity=1)), t))
        ramp = Expr("max", (t - c[0], num(0)))
        step = Expr("ind", (Expr("<", (t, y)),))
        return rng.choice((c[0] + c[1] * t, y + c[1] * t, y * step, c[1] * step, c[1] * ramp, c[0] * t * t))

    def _through(self, name: str, t: Expr, term: str, sort: Sort) -> Expr:
        """A term in ``t`` whose randomness comes through ``term``, or through another name where that is left out."""
        x = var(term)
        if self.dropped == Dropped("only", (name, term)):
            x = self._fresh("Y", Sort(REAL, True))
        c = self._fresh("c", Sort(REAL, False))
        if sort.kind == EVENT:
            return Expr(self.rng.choice((">", "<=", "==")), (x, t * self.rng.choice((num(1), c))))
        return self.rng.choice(
            (Expr("max", (x - t, num(0))), x * x * t, Expr("abs", (x - t,)), Expr("ind", (Expr("==", (x, t)),)))
        )

    def _in_direction(self, name: str, u: str) -> Expr:
        """A term in a direction u."""
        w, c = self._fresh("w", Sort(VECTOR, False)), self._fresh("c", Sort(REAL, False))
        if self.dropped.kind == "only":
            c = self._fresh("Y", Sort(REAL, True))
        a = Expr("dot", (w, var(u)))
        return self.rng.choice((a * c, Expr("max", (a - c, num(0))), a * a + a * c, Expr("ind", (Expr(">", (a, c)),))))

    # ------------------------------------------------------------ instances

    def put(self, e: Expr) -> Expr:
        """A schema's term with the drawn terms in place of metavariables (capture is wanted)."""
        if e.op == "var":
            return self.terms.get(e.value, e)
        return Expr(e.op, tuple(map(self.put, e.args)), e.value) if e.args else e

    def fact(self, f: Fact) -> Fact:
        """An instance of a premise, a side or an implication."""
        over = tuple(str(self.terms[o].value) if o in self.terms else o for o in f.over)
        whole = frozenset(o for o in over if self.sorts.get(o, Sort()).integer)
        given = tuple((yes, self.put(e)) for yes, e in f.given)
        return Fact(f.relation.map(self.put), over, tuple(w.map(self.put) for w in f.where), whole, given)


# ---------------------------------------------------------------- models of a rule


def draw_model(draw: Draw, rng: python_random.Random, partial: bool) -> Model:
    """A model for the drawn terms: laws first, then any sources."""
    laws = draw.laws
    d = rng.choice((1, 2, 3) if len(laws) < 2 else (1, 2))
    if draw.rule.name in ONLY_LINE:
        d = 1
    elif any(n.op == "sqrt" and "d" in n.free for f in draw.rule.premises for n in f.relation.lhs.walk()):
        d = rng.choice((1, 1, 4))  # sqrt(d) a rational
    fixed = {n: law_source(kind, d, draw.sorts[n].kind == VECTOR) for n, kind in laws.items()}
    sources = draw_space(rng, list(fixed.values()), 2)
    model = Model(rng, draw.sorts, d, sources, partial, axes=bool(laws) and d > 1)
    for k, (name, source) in enumerate(fixed.items()):
        model.values[name] = Rv(tuple(source.values[a[k]] for a in model.atoms))
    if laws or "d" in draw.sorts:
        model.values["d"] = fmpq(d)
    lost = draw.dropped
    if lost.kind == "only" or (
        lost.kind == "premise" and draw.rule.premises[lost.what].relation.lhs.op == "independent"
    ):
        model.alias = 0.6
    return model


Found = tuple[Model, Outcome, Relation]


def attempt(rule: RuleView, rng: python_random.Random, dropped: Dropped, partial: bool) -> Found | None:
    """A model that meets what is left of a rule's premises, and what becomes of the conclusion; None: not met."""
    if speaks_of_samples(rule):
        return fresh.attempt(rule, rng, dropped, partial)
    draw = Draw(rule, rng, dropped)
    wanted = []
    for kind, facts in (("premise", rule.premises), ("side", rule.sides), ("implies", rule.implies)):
        for n, f in enumerate(facts):
            if dropped != Dropped(kind, n):
                wanted.append(draw.fact(f))
            elif kind == "side" and not f.over and not f.where and rng.random() < 0.7:
                wanted.append(Fact(draw.fact(f).relation.negated()))
    model = draw_model(draw, rng, partial)
    ev = Evaluator(model)
    fixed = frozenset({*draw.laws, "d"}) if draw.laws else frozenset({"d"})
    if not meet(model, ev, wanted, 12, fixed):
        return None
    goal = Fact(rule.conclusion.map(draw.put))
    found = check(model, ev, goal)
    if found.how == "ill-typed":
        return None  # the sorts drawn do not fit: no instance of the schema
    # a fact that ranges over names was tried at some values only: look again at more
    if found.holds is False and any(check(model, ev, f, dense=True).holds is not True for f in wanted):
        return None
    return model, found, goal.relation


def shown(model: Model, found: Outcome, goal: Relation | str) -> str:
    """A model in one line."""
    parts = [f"{goal} is {found.how}" + (f" at {_text(found.at)}" if found.at else "")]
    if len(model.atoms) > 1:
        parts.append(f"weights {', '.join(map(str, model.weights))}, atom {found.atom + 1}")
    if model.d > 1:
        parts.append(f"R^{model.d}")
    parts.append(_text(model.values))
    members = {f"{n}[{', '.join(map(str, i))}]": v for (n, i), v in list(model.members.items())[:12]}
    if members:
        parts.append(_text(members))
    line = "; ".join(p for p in parts if p)
    return line if len(line) <= LONGEST else line[:LONGEST] + " ..."


def _text(values: Mapping[str, Any]) -> str:
    def one(v: Any) -> str:
        if isinstance(v, Rv):
            return "[" + ", ".join(map(one, v.values)) + "]"
        if isinstance(v, tuple):
            return "(" + ", ".join(map(one, v)) + ")"
        return str(getattr(v, "blocks", v))

    return ", ".join(f"{n} = {one(v)}" for n, v in values.items())


def run_rule(rule: RuleView, seed: int, models: int, seconds: float, tries: int = 400) -> RuleResult:
    """A rule on ``models`` models that meet its premises, if ``seconds`` allow; then without each condition."""
    result = RuleResult(rule.name)
    rng = python_random.Random(f"{seed}/{rule.name}")
    end = time.process_time() + seconds
    while result.models < models and time.process_time() < end:
        result.drawn += 1
        found = attempt(rule, rng, Dropped(), bool(result.drawn % 2))
        if found is None:
            continue
        model, outcome, goal = found
        if outcome.holds is None:
            result.unclear += 1
            continue
        result.models += 1
        if outcome.holds is False and len(result.broken) < 3:
            result.broken.append(shown(model, outcome, goal))
    for text, dropped in conditions(rule):
        result.conditions[text] = ""
        for n in range(tries):
            found = attempt(rule, rng, dropped, bool(n % 2))
            if found is not None and found[1].holds is False:
                result.conditions[text] = shown(*found)
                break
    return result


def speaks_of_samples(rule: RuleView) -> bool:
    """Whether a rule ties names by being about fresh samples."""
    return any(n.op in TIED for f in rule.premises for r in f.relations for s in (r.lhs, r.rhs) for n in s.walk())


__all__ = ["Dropped", "RuleResult", "conditions", "parse", "random_heads", "run_rule", "shown", "speaks_of_samples"]
