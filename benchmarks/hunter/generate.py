"""Small random proofs: facts that are planted, and one step that uses them.

The last step, by a rule, a use, a citation or a definition, is on trial. What it uses is planted (taken for granted),
often weaker than what the step wants: for integers alone, under one more condition, for one value of a name. The
generator knows no hole: it puts odd terms for names, forgets conditions and asks.
"""

from __future__ import annotations

import random as python_random
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from benchmarks.hunter import adapter
from benchmarks.hunter.adapter import ByRule, Cite, Decide, Definition, Fact, Follows, RuleView, Step, Use
from benchmarks.hunter.meet import Fact as ModelFact
from benchmarks.hunter.schemas import scopes, speaks_of_samples
from benchmarks.hunter.sorts import EVENT, REAL, SIGMA, VECTOR, Sort, infer
from benchmarks.hunter.terms import NAMES, Terms, put, simplify, subterms
from benchmarks.hunter.trial import Case
from boundcheck.kernel.formula import Expr, Relation, const, num, substitute, text, var

#: What is odd about an instance of a rule: nothing but its names, sorts, undefined terms, quotients, premises for
#: integers alone, premises under one more condition, any of these.
STRATA = ("names", "sorts", "undefined", "quotient", "integers", "condition", "any")


@cache
def _rules() -> tuple[RuleView, ...]:
    return tuple(r for r in adapter.rules() if not speaks_of_samples(r))


@cache
def _sorts(name: str) -> Mapping[str, Sort]:
    rule = next(r for r in _rules() if r.name == name)
    relations = [rule.conclusion, *(r for f in (*rule.premises, *rule.sides) for r in f.relations)]
    for f in rule.implies:
        relations += [f.relation, *(Relation("==", Expr("ind", (e,)), num(1)) for _, e in f.given)]
    drawn = {r.lhs.args[0].value for f in rule.premises for r in [f.relation] if r.lhs.op == "law"}
    known = {n: Sort(REAL if n == "U1" else VECTOR, True) for n in drawn}
    return infer(relations, drawn, rule.whole, known)


class Generator:
    """Random cases."""

    def __init__(self, rng: python_random.Random):
        self.rng = rng
        self.terms = Terms(rng)

    def case(self) -> Case:
        """A random case."""
        kind = self.rng.choices(
            (self.by_rule, self.by_use, self.by_decision, self.by_definition, self.by_citation), (9, 8, 3, 2, 3)
        )[0]
        return kind()

    # ------------------------------------------------------------ parts

    def ranged(self, r: Relation, fixed: frozenset[str] = frozenset()) -> tuple[str, ...]:
        """Some constants of a relation that it is claimed for all of."""
        names = [n for n in sorted(r.free) if n in NAMES and not NAMES[n].random and not NAMES[n].arity]
        names = [n for n in names if n not in fixed and NAMES[n].kind != SIGMA]
        if not names or self.rng.random() < 0.75:
            return ()
        return tuple(self.rng.sample(names, self.rng.randint(1, len(names))))

    def whole(self, over: tuple[str, ...]) -> tuple[str, ...]:
        """Some of the names ranged over, which are integers."""
        reals = [o for o in over if NAMES.get(o, Sort()).kind == REAL]
        return tuple(o for o in reals if self.rng.random() < 0.3)

    def weaker(self, f: Fact, stratum: str = "any") -> Step:
        """A planted fact, or a weaker one: for integers alone, or under one more condition."""
        integers = self.whole(f.over) if stratum == "any" else ()
        if self.rng.random() < (0.8 if stratum == "condition" else 0.25):
            name = self.rng.choice(f.over) if f.over and self.rng.random() < 0.5 else None
            condition = Relation(">=", var(name), num(0)) if name else self.terms.condition()
            if not name or NAMES.get(name, Sort()).kind == REAL:
                f = replace(f, where=(*f.where, str(condition)))
        return adapter.planted(f, integers)

    def variant(self, r: Relation) -> Relation:
        """A claim: as it is, simplified at will, or a plain one about its terms."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.4:
            return r
        if kind < 0.75:
            return r.map(simplify)
        if kind < 0.85:
            return r.map(lambda e: simplify(e, rng))
        t = rng.choice(subterms(r))
        plain = (
            Relation("<=", t, t),
            Relation("==", t, t),
            Relation("<=", t, const("oo")),
            Relation(">=", const("oo"), t),
        )
        return rng.choice(plain)

    def finish(
        self,
        steps: list[Step],
        r: Relation,
        by: object,
        origin: str,
        names: Mapping[str, Sort] | None = None,
        hypotheses: Mapping[str, Fact] | None = None,
        where: tuple[str, ...] = (),
        find: object = None,
    ) -> Case:
        """The case whose last step claims ``r``."""
        over = self.ranged(r)
        step = Step(Fact(str(r), over, where), by, integers=self.whole(over))  # type: ignore[arg-type]
        sorts = {**NAMES, **(names or {})}
        facts = [*(f"{s.fact}" for s in steps), *map(str, (hypotheses or {}).values())]
        used = used_names(sorts, " ".join([str(r), str(by), *where, *facts]))
        reals = [n for n, s in used.items() if s.kind == REAL and not s.arity]
        domain = {n: (f"{n} >= 0",) for n in reals if self.rng.random() < 0.15}
        for o in over:
            domain.pop(o, None)
        integers = {n: s for n, s in used.items() if not (s.integer and n in over)}
        statement = adapter.declare(integers, hypotheses or {}, domain, (*steps, step), (step.fact,))
        return Case(statement, len(steps) + 1, step, origin, used, find or adapter.lookup)  # type: ignore[arg-type]

    # ------------------------------------------------------------ by a rule

    def binders(self, rule: RuleView) -> set[str]:
        """The names that a schema binds."""
        facts = (ModelFact(rule.conclusion), *rule.premises)
        return set().union(
            *(bound_in(r) for f in facts for r in f.relations), *(f.over for f in (*facts, *rule.sides))
        )

    def values(self, rule: RuleView, stratum: str = "any") -> tuple[dict[str, Expr], dict[str, Sort]]:
        """Terms for the metavariables of a rule, and the sorts of names that are new."""
        rng, sorts = self.rng, dict(_sorts(rule.name))
        binders = self.binders(rule)
        laws = {r.lhs.args[0].value for f in rule.premises for r in [f.relation] if r.lhs.op == "law"}
        new: dict[str, Sort] = {n: sorts[n] for n in laws}
        new |= {n: Sort(REAL) for n in ("mu", "L", "d") if n in sorts}
        values: dict[str, Expr] = {}
        vectors = rng.random() < 0.3
        for b in sorted(binders & set(rule.names)):
            values[b] = var(rng.choice(("s", "s", "t")) if sorts.get(b, Sort()).kind == REAL else b)
        scope = scopes(rule)
        for _, term in rule.only:
            if term in rule.names and rng.random() < 0.9:
                values[term] = var("G") if rng.random() < 0.5 else self.terms.name(REAL, True, False)
        told = {n.value for f in rule.premises for side in (f.relation.lhs,) for n in side.walk()
                if side.op == "independent" and n.op == "var"} | {v.value for *_, v in rule.derived}  # fmt: skip
        for name in rule.names:
            if name in values:
                continue
            sort = sorts.get(name, Sort(VECTOR if vectors else REAL))
            if name in told and sort.kind == REAL and not sort.integer and rng.random() < 0.7:
                values[name] = self.terms.name(REAL, True, False)
                continue
            if name in laws or (name == "d" and laws):
                values[name] = var(name)
            elif sort.arity:
                values[name] = var(rng.choice(("G", "k")))
            else:
                inside = {str(values[b].value) if b in values else b: Sort(REAL, integer=True) for b in scope[name]}
                banned = {str(values.get(b, var(b)).value) for n, b in rule.fixed if n == name}
                inside = {n: s for n, s in inside.items() if n not in banned or rng.random() < 0.1}
                inside = {n: s for n, s in inside.items() if n not in NAMES or rng.random() < 0.5}
                names = {**NAMES, **{n: s for n, s in inside.items() if n not in NAMES}}
                through = [term for n, term in rule.only if n == name]
                if through and rng.random() < 0.9:
                    kept = {str(values[n].value) for n in through if n in values}
                    names = {n: s for n, s in names.items() if not s.random or n in {*through, *kept}}
                if (name, "random") in rule.fixed and rng.random() < 0.8:
                    names = {n: s for n, s in names.items() if not s.random}
                terms = Terms(rng, names)
                depth = 0 if stratum == "names" else rng.choice((0, 0, 1, 1, 2))
                values[name] = terms.of(sort, depth, 0.4 if stratum == "sorts" else 0.04)
                if inside and sort.kind == REAL and rng.random() < (0.9 if stratum == "integers" else 0.5):
                    b = var(rng.choice(sorted(inside)))
                    more = (b, b * (b - 1) * var("a"), call_int(b) * var("a"), call_int(b) * num(9))
                    if stratum == "integers":
                        families = [n for n in ("G", "k") if n in names]
                        more = (*more[1:], *(Expr("at", (var(n), b)) for n in families))
                        values[name] = rng.choice((num(0), values[name], values[name]))
                    values[name] = values[name] + rng.choice(more) if rng.random() < 0.8 else values[name] * b
                    if rng.random() < 0.3:
                        values[name] = Expr("abs", (values[name],))
                elif stratum in ("undefined", "condition") and sort.kind == REAL and rng.random() < 0.5:
                    values[name] = rng.choice((values[name] + terms.partial(), terms.partial()))
        if rng.random() < {"quotient": 1.0, "names": 0.0}.get(stratum, 0.15):
            self._cancel(rule, values, sorts)
        for name in sorted(n for n in new if n in binders):
            new.pop(name)
        return values, new

    def _cancel(self, rule: RuleView, values: dict[str, Expr], sorts: Mapping[str, Sort]) -> None:
        """Now and then one value is a quotient by another one."""
        reals = [n for n in rule.names if sorts.get(n, Sort()).kind == REAL]
        scalars = [n for n in reals if n in values and values[n].op == "var"]
        others = [n for n in rule.names if n in values and sorts.get(n, Sort()).kind in (REAL, VECTOR)]
        if scalars and len(others) > 1:
            c = self.rng.choice(scalars)
            v = self.rng.choice([n for n in others if n != c])
            if values[v].op != "var" or str(values[v].value) not in ("s", "n", "t"):
                values[v] = values[v] / values[c]

    def instance(self, rule: RuleView, values: Mapping[str, Expr]) -> tuple[Relation, dict[str, Expr]]:
        """The conclusion under the values, those of derived names added."""
        full = dict(values)
        for name, source, variable, value in rule.derived:
            v = full.get(variable, var(variable))
            at = full.get(value.value, value) if value.op == "var" else value
            full[name] = substitute(full[source], {str(v.value): at}) if v.op == "var" else full[source]
        return rule.conclusion.map(lambda e: _put(e, full)), full

    def ranging(self, rule: RuleView) -> bool:
        """Whether a premise of a rule ranges over reals or integers."""
        sorts = _sorts(rule.name)
        return any(sorts.get(o, Sort()).kind == REAL for f in rule.premises for o in f.over)

    def by_rule(self) -> Case:
        """An instance of a rule, its premises and side conditions planted."""
        stratum = self.rng.choice(STRATA)
        ranging = stratum in ("integers", "condition") and self.rng.random() < 0.8
        rule = self.rng.choice([r for r in _rules() if not ranging or self.ranging(r)])
        values, new = self.values(rule, stratum)
        claim, full = self.instance(rule, values)
        steps: list[Step] = []
        bound = {str(full[b].value) if b in full else b for b in self.binders(rule)}
        for f in (*rule.premises, *rule.sides):
            over = tuple(str(full[o].value) if o in full else o for o in f.over)
            names = frozenset().union(*(r.map(lambda e: _put(e, full)).free for r in f.relations))
            if f in rule.sides and names & bound:
                continue  # of what a schema binds nothing else is known: the form must show it
            r = f.relation.map(lambda e: _put(e, full))
            where = tuple(str(w.map(lambda e: _put(e, full))) for w in f.where)
            one = Fact(str(r), over, where)
            integers = tuple(o for o in over if _sorts(rule.name).get(o, Sort()).integer)
            if stratum == "integers":
                kinds = [_sorts(rule.name).get(o, Sort()).kind for o in f.over]
                integers = tuple(o for o, kind in zip(over, kinds, strict=True) if kind == REAL)
            chance = {"condition": 1.0, "any": 0.5}.get(stratum, 0.0)
            made = self.weaker(one, stratum) if self.rng.random() < chance else adapter.planted(one)
            steps.append(replace(made, integers=tuple(dict.fromkeys((*made.integers, *integers)))))
        using = tuple(range(1, len(steps) + 1))
        if len(using) > len(rule.premises) and self.rng.random() < 0.2:
            using = using[:-1]
        let = {k: text(values[k]) for k in rule.names}
        origin = f"rule: {rule.name} ({stratum})"
        return self.finish(steps, self.variant(claim), ByRule(rule.name, let, using), origin, new)

    # ------------------------------------------------------------ by a use

    def general(self) -> tuple[Step, dict[str, Sort]]:
        """A planted fact that ranges over names: a rule's conclusion, or any relation."""
        rng = self.rng
        if rng.random() < 0.65:
            fits = [r for r in _rules() if not r.premises and not r.implies and not r.derived]
            rule = rng.choice([r for r in fits if len(r.names) > 1])
            sorts = _sorts(rule.name)
            pools = {EVENT: ("X > a", "Y > b", "X > b"), VECTOR: ("x", "z", "w"), SIGMA: ("past",)}
            values: dict[str, Expr] = {}
            vectors = rng.random() < 0.3
            binders = bound_in(rule.conclusion)
            for name in rule.names:
                sort = sorts.get(name, Sort(VECTOR if vectors else REAL))
                if name in binders:
                    values[name] = var("s")
                elif sort.kind == EVENT:
                    values[name] = adapter.term(rng.choice(pools[EVENT]))
                elif sort.arity:
                    values[name] = var("k")
                elif (name, "random") in rule.fixed or sort.integer or rng.random() < 0.6:
                    pool = pools.get(sort.kind, ("n", "m") if sort.integer else ("a", "b", "q", "t"))
                    values[name] = var(rng.choice(pool))
                else:
                    values[name] = var(rng.choice(("S",) if sort.kind == VECTOR else ("X", "Y")))
            r = rule.conclusion.map(lambda e: _put(e, values))
            where = tuple(str(f.relation.map(lambda e: _put(e, values))) for f in rule.sides)
        else:
            r, where = self.terms.relation(2), ()
            if rng.random() < 0.5:
                where = (str(self.terms.condition()),)
        names = [n for n in sorted(r.free) if n in NAMES and not NAMES[n].random and not NAMES[n].arity]
        names = [n for n in names if NAMES[n].kind != SIGMA]
        over = tuple(n for n in names if rng.random() < 0.8)
        return adapter.planted(Fact(str(r), over, where), self.whole(over)), {}

    def value(self, sort: Sort) -> Expr:
        """A value for a name that a fact ranges over, now and then of another sort or undefined somewhere."""
        kind = self.rng.random()
        if kind < 0.15:
            return self.terms.partial()
        if kind < 0.4:
            return self.terms.name(self.rng.choice((REAL, VECTOR)))
        return self.terms.of(sort, self.rng.choice((0, 0, 1)))

    def by_use(self) -> Case:
        """One or two uses of a planted fact with values for its names, and what seems to follow."""
        rng = self.rng
        step, new = self.general()
        uses, instances = [], []
        let: dict[str, Expr] = {}
        for _ in range(rng.choice((1, 2))):
            if let and rng.random() < 0.6:  # the same values in another order
                let = dict(zip(let, rng.sample(list(let.values()), len(let)), strict=True))
            elif rng.random() < 0.3:  # values of one sort
                kind = rng.choice((REAL, VECTOR))
                let = {o: self.terms.name(kind) for o in step.fact.over}
            else:
                let = {o: self.value(NAMES[o]) for o in step.fact.over if rng.random() < 0.85}
            uses.append(Use(1, {k: text(v) for k, v in let.items()}))
            instances.append(put(step.fact.relation, let))
        claim = instances[0]
        if len(instances) == 2 and rng.random() < 0.8:
            (a, b), (c, d) = ((i.lhs, i.rhs) for i in instances)
            op = "==" if instances[0].op == "==" else "<="
            pairs = ((b, d), (b, d), (a, c), (a, d), (a + c, b + d))
            claim = Relation(op, *rng.choice(pairs))
        where = tuple(step.fact.where) if rng.random() < 0.4 else ()
        return self.finish([step], self.variant(claim), Follows(tuple(uses)), "use", new, where=where)

    # ------------------------------------------------------------ decisions, definitions, citations

    def by_decision(self) -> Case:
        """A relation that a form seems to decide."""
        where = (str(self.terms.condition()),) if self.rng.random() < 0.4 else ()
        return self.finish([], self.terms.relation(2), Decide(), "decide", where=where)

    def by_definition(self) -> Case:
        """A definition of any name, which hypotheses may speak of; itself on trial, or a step that uses it."""
        rng = self.rng
        hypotheses = {}
        for k in range(2):
            where = (str(self.terms.condition()),) if rng.random() < 0.7 else ()
            hypotheses[f"h{k}"] = Fact(str(self.terms.relation(1)), (), where)
        name = self.terms.name(rng.choice((REAL, REAL, VECTOR)), False)
        defined = Relation("==", name, self.terms.of(NAMES[str(name.value)], rng.choice((0, 1))))
        if rng.random() < 0.7:
            step = Step(Fact(str(defined)), Definition())
            fresh = all(name.value not in names_of(h) for h in hypotheses.values())
            used = {n: s for n, s in NAMES.items() if n != name.value or not fresh}
            used = used_names(used, " ".join([str(defined), *(f"{h}" for h in hypotheses.values())]))
            statement = adapter.declare(used, hypotheses, {}, (step,), (step.fact,))
            return Case(statement, 1, step, "definition", {} if fresh else dict(NAMES))
        first = Step(Fact(str(defined)), Definition())
        rule = rng.choice([r for r in _rules() if not r.premises and not r.implies])
        values, new = self.values(rule)
        scalars = [n for n in rule.names if values[n].op == "var"]
        if scalars:
            values[rng.choice(scalars)] = name
        claim, _ = self.instance(rule, values)
        by = ByRule(rule.name, {k: text(values[k]) for k in rule.names}, ())
        new = {**new, str(name.value): Sort(NAMES[str(name.value)].kind, True)}
        return self.finish([first], self.variant(claim), by, f"definition, then {rule.name}", new)

    def by_citation(self) -> Case:
        """A statement that is true by a rule, cited with odd values."""
        rng = self.rng
        rule = rng.choice([r for r in _rules() if not r.implies and not r.derived and len(r.premises) < 3])
        names = {n: Sort(s.kind, s.random, s.integer, s.arity) for n, s in _sorts(rule.name).items()}
        random = {n for n in rule.names if (n, "random") not in rule.fixed and rng.random() < 0.5}
        own: dict[str, Sort] = {}
        for n in {*rule.names, *names}:
            s = names.get(n, Sort())
            own[n] = replace(s, random=s.random or (n in random and s.kind in (REAL, VECTOR) and not s.integer))
        events = {n: adapter.term(f"{n}1 > {n}0") for n, s in own.items() if s.kind == EVENT}
        for n in events:
            del own[n]
            own |= {f"{n}1": Sort(REAL, True), f"{n}0": Sort(REAL)}
        binders = {o for f in (*rule.premises, *rule.sides) for o in f.over}
        binders |= bound_in(rule.conclusion)
        for n in binders:
            own.pop(n, None)
        claim = rule.conclusion.map(lambda e: _put(e, events))
        premises = {
            f"p{k}": Fact(str(f.relation.map(lambda e: _put(e, events))), f.over, tuple(map(str, f.where)))
            for k, f in enumerate(rule.premises)
        }
        domain: dict[str, tuple[str, ...]] = {}
        for f in rule.sides:
            name = sorted(f.relation.free)[0]
            domain[name] = (*domain.get(name, ()), str(f.relation))
        cited = adapter.declare(own, premises, domain, (), (Fact(str(claim)),), "lem:cited")
        let: dict[str, Expr] = {}
        for n, s in own.items():
            if not s.arity and s.kind in (REAL, VECTOR) and rng.random() < 0.7:
                let[n] = self.terms.of(s, rng.choice((0, 1)))
        planted = []
        for f in (*rule.premises, *rule.sides):
            values = {k: v for k, v in let.items() if k not in f.over}
            r = put(f.relation.map(lambda e: _put(e, events)), values)
            planted.append(self.weaker(Fact(str(r), f.over, tuple(str(put(w, values)) for w in f.where))))
        using = tuple(range(len(rule.premises) + 1, len(planted) + 1))
        step = Cite("lem:cited", {k: text(v) for k, v in let.items()}, using)
        rest = {n: s for n, s in own.items() if n not in let}
        return self.finish(
            planted, self.variant(put(claim, let)), step, f"citation of {rule.name}", rest, find=lambda _: cited
        )


def names_of(f: Fact) -> frozenset[str]:
    """All names of a fact, those of its conditions too."""
    return frozenset().union(*(r.free for r in (f.relation, *f.conditions)))


def bound_in(r: Relation) -> set[str]:
    """The names that binders of a relation bind."""
    return {str(n.args[1].value) for side in (r.lhs, r.rhs) for n in side.walk() if n.binds}


def used_names(sorts: Mapping[str, Sort], texts: str) -> dict[str, Sort]:
    """Those of the names that occur in a text."""
    words = set(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", texts))
    return {n: s for n, s in sorts.items() if n in words}


def call_int(b: Expr) -> Expr:
    """A term that is 0 exactly at the integers (and at half of them no less)."""
    return Expr("ceil", (b,)) - b


def _put(e: Expr, values: Mapping[str, Expr]) -> Expr:
    """Terms for metavariables; capture is wanted, as a schema's bound name is that of its metavariable."""
    if e.op == "var":
        return values.get(str(e.value), e)
    return Expr(e.op, tuple(_put(a, values) for a in e.args), e.value) if e.args else e
