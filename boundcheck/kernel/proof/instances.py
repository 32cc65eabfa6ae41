"""Instances of rule schemas: typed values for the metavariables, premises matched, side conditions demanded."""

from __future__ import annotations

from boundcheck.kernel.formula import RELATIONS, Expr, Relation, has_opaque, num, var
from boundcheck.kernel.proof.facts import Known, ProofError, at_once, averaged, averages, quantified, read_term
from boundcheck.kernel.proof.sorts import (
    END,
    INFORMATION,
    MEANS,
    REAL,
    SOURCE,
    VECTOR,
    Names,
    Sort,
    SortError,
    suits,
    typed,
)
from boundcheck.kernel.proof.step import Context
from boundcheck.kernel.proof.terms import applied, canonical, exchanged, fresh, names, names_of, put, settle, settled
from boundcheck.kernel.rules import RULES, Rule
from boundcheck.kernel.rules.schema import Meta
from boundcheck.kernel.statement import ByRule, Fact

ONE = num(1)


def by_rule(c: Context, by: ByRule) -> None:
    """Demand what the instance of a rule leaves open. Raises :class:`ProofError`, :class:`SortError`."""
    rule = RULES.get(by.rule)
    if rule is None:
        raise ProofError(f"no rule is called {by.rule}")
    if by.let.keys() - rule.metas.keys():
        raise ProofError(
            f"{rule.name} has no {', '.join(by.let.keys() - rule.metas.keys())}, only {', '.join(rule.names)}"
        )
    if len(by.using) < len(rule.premises):
        raise ProofError(f"{rule.name} has {len(rule.premises)} premises, {len(by.using)} facts are used")
    schema = _Schema(c, rule, {k: settled(read_term(by.let[k])) if k in by.let else var(k) for k in rule.names})
    conclusion = Fact(rule.conclusion).relation
    if averages([conclusion, *(p.relation for p in rule.premises)]):
        c.averaging()
    extra = by.using[len(rule.premises) :]
    facts = c.plain(r for r in extra if not rule.implies or not c.fact(r).where)
    bound = {schema.bound[n]: s for n, s in schema.sorts.items()}
    c.apart = frozenset(bound)
    clash = {schema.bound[n] for n in rule.fixed_apart} & (
        names_of([*c.domain, *c.goal.where, *facts]) | c.goal.over.keys()
    )
    if clash:
        raise ProofError(f"{rule.name} binds {', '.join(sorted(clash))}, of which something else is known")
    inner: Names = {**c.scope, **bound}
    for n, (premise, ref) in enumerate(zip(rule.premises, by.using, strict=False), 1):
        over = {schema.bound[o]: s for o, s in quantified(premise, {}).items()}
        wanted = Known(schema(premise.relation), tuple(map(schema, premise.conditions)), over)
        known = c.fact(ref, over)
        if not at_once(known, {m: s for m, s in over.items() if s.kind == VECTOR}, inner):  # other names: of integrals
            raise ProofError(
                f"{rule.name}: premise {n} holds almost surely for each {', '.join(over)}, and not for all"
            )
        c.match(f"premise {n}", wanted, known, facts, inner)
    for side in rule.sides:
        c.require("side condition", schema(side.relation), facts, [schema(r) for r in side.conditions], inner)
    judge = c.judge.under((), bound)  # what is known of names that are so called is not of those that the rule binds
    for term in rule.integrable:
        e = schema.term(term)
        if not judge.integrable(e):
            raise ProofError(f"{rule.name}: nothing shows that {e} is integrable")
    for text, condition in rule.existence:
        e = schema.term(text)
        extra_conditions = [] if condition is None else [schema(condition.relation)]
        if not has_opaque(e):
            c.require_defined(e, (*c.goal.where, *facts, *extra_conditions), inner)
        elif not judge.under(extra_conditions, {}).integrable_on(e.args[0], str(e.args[1].value), *e.args[2:]):
            raise ProofError(f"{rule.name}: nothing shows that {e} exists")
    for term, given in rule.measurable:
        e, info = schema.term(term), schema.term(given)
        if not judge.measurable(e, info):
            raise ProofError(f"{rule.name}: nothing shows that {e} is known from {info}")
    for implication in rule.implies:
        given_events = tuple(schema.event(name) for name in implication.given)
        used = c.plain(extra, given_events)
        c.require("implication of events", schema.event(implication.then), used, given_events)
    c.require("conclusion", c.goal.relation, [*facts, schema(conclusion)])


class _Schema:
    """A rule with values for its metavariables."""

    def __init__(self, c: Context, rule: Rule, values: dict[str, Expr]) -> None:
        self.c, self.rule = c, rule
        self.sorts = rule.bound_sorts
        self.bound = self._bound(values)
        self.values = {**values, **{n: var(m) for n, m in self.bound.items()}}
        for name, meta in rule.metas.items():
            if not meta.bound:
                self._check(meta, values[name])
        for name, term in rule.only:
            self._only(name, term)
        for d in rule.derived:
            self._derive(d.name, d.source, d.variable, d.value)

    def _bound(self, values: dict[str, Expr]) -> dict[str, str]:
        """The name that stands for each bound name of the schema."""
        rule, found = self.rule, {}
        for name in self.sorts:
            if name in rule.metas:
                value = values[name]
                if value.op != "var":
                    raise ProofError(f"{rule.name}: {name} must be a name, not {value}")
                found[name] = str(value.value)
            else:
                free = [v for k, v in values.items() if k in rule.metas and name not in rule.metas[k].on]
                taken = frozenset().union(*map(names, free))
                found[name] = fresh(name, taken) if name in taken else name
        if len(set(found.values())) != len(found):
            raise ProofError(f"{rule.name}: two bound names are the same")
        return found

    def _check(self, meta: Meta, value: Expr) -> None:
        """Refuse a value that has another sort, or depends on what the metavariable may not depend on."""
        hidden = {m for n, m in self.bound.items() if n not in meta.on}
        clash = hidden & names(value)
        if clash:
            raise ProofError(f"{self.rule.name}: {meta.name} = {value} may not depend on {', '.join(sorted(clash))}")
        inner = {**self.c.scope, **{self.bound[n]: self.sorts.get(n, Sort(REAL)) for n in meta.on if n in self.bound}}
        found = typed(value, inner)
        if meta.end and found.kind == END:
            return
        if not suits(value, found, meta.sort):
            raise SortError(f"{self.rule.name}: {meta.name} is {meta.sort}, {value} is {found}")
        if meta.sort.kind == SOURCE and found.kind != INFORMATION and not found.random:
            raise SortError(f"{self.rule.name}: {meta.name} = {value} is neither information nor random")
        if found.random and not meta.sort.random and meta.sort.kind != SOURCE:
            raise ProofError(f"{self.rule.name}: {meta.name} = {value} may not depend on chance")

    def _only(self, name: str, term: str) -> None:
        """Refuse a value that is random through anything but the term."""
        rest = exchanged(self.values[name], {self.values.get(term, var(term)): num(0)})  # what is random without it
        sorts = {n: self.c.scope[n] for n in live(rest) if n in self.c.scope}
        clash = {n for n, s in sorts.items() if s.random or s.kind == INFORMATION}
        if clash:
            told = f"{name} = {self.values[name]} may not depend on {', '.join(sorted(clash))}"
            raise ProofError(f"{self.rule.name}: {told}")

    def _derive(self, name: str, source: str, variable: str, value: str) -> None:
        at = self.values.get(variable, var(variable))
        if at.op != "var":
            raise ProofError(f"{self.rule.name}: {variable} must be a name, not {at}")
        new = self.term(value)
        body = self.values[source]
        random = typed(new, {**self.c.scope, **{m: self.sorts[n] for n, m in self.bound.items()}}).random
        if random and at.value in averaged([Relation("==", body, body)]):
            raise ProofError(f"{self.rule.name}: {body} speaks of the law at a constant {at}, and {new} is random")
        self.values[name] = settled(put(body, {str(at.value): new}))

    def __call__(self, relation: Relation) -> Relation:
        """The schema's relation with the values put; what a metavariable may depend on is captured."""
        return settle(relation.map(self._instantiate))

    def term(self, text: str) -> Expr:
        """A term or an event of the schema."""
        return settled(self._instantiate(read_term(text)))

    def event(self, name: str) -> Relation:
        """The event behind a metavariable or a schema's text as a relation, its complement after ``~``."""
        e = self.term(name.removeprefix("~"))
        if e.op in RELATIONS:
            relation = settle(Relation(e.op, *e.args))
            return relation.negated() if name.startswith("~") else relation
        return Relation("==", canonical(Expr("ind", (e,))), num(0) if name.startswith("~") else ONE)

    def _instantiate(self, e: Expr) -> Expr:
        if e.op == "var":
            return self.values.get(str(e.value), e)
        args = tuple(map(self._instantiate, e.args))
        head = self.values.get(e.op) if e.op in self.rule.metas else None
        if head is not None:
            return applied(head, args, e.op)
        return Expr(e.op, args, e.value)


def live(e: Expr) -> frozenset[str]:
    """The names of ``e`` outside of heads that average over what is random in them."""
    if e.op in MEANS and not e.binds:  # that an integral exists depends on the outcome
        return frozenset()
    own = names(e) if not e.args else frozenset().union(*map(live, e.args))
    return own | (names(e) & {e.op})
