"""Proof checking as generation of obligations: which scalar claims must hold for a step to be proved.

Pure and deterministic: structure (schemas, premises, citations) is matched here, by data; what remains are
scalar claims, :class:`Obligation`, that the engines decide and whose certificates ``verify`` re-checks against
the same generation. Terms under opaque heads are replaced by fresh real variables, so that an obligation is
stronger than what the step needs: proving it is sound, refuting it refutes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from boundcheck.kernel.enclosure.program import is_integer_valued
from boundcheck.kernel.formula import (
    RELATIONS,
    Expr,
    FormulaError,
    Relation,
    free_names,
    has_opaque,
    num,
    parse,
    parse_relation,
    substitute,
    var,
)
from boundcheck.kernel.proof.citation import circle
from boundcheck.kernel.proof.facts import ProofError
from boundcheck.kernel.proof.scalar import Obligation
from boundcheck.kernel.statement import (
    ByGram,
    ByRule,
    Cite,
    Decide,
    Definition,
    Fact,
    Follows,
    GramClaim,
    Literature,
    Ref,
    Statement,
    Step,
)
from boundcheck.kernel.untyped import kinds
from boundcheck.kernel.untyped.canonical import canonical_heads
from boundcheck.kernel.untyped.entailment import (
    expand,
    expand_term,
    exposed,
    instantiate,
    plain_binders,
    put,
    read_term,
)
from boundcheck.kernel.untyped.rules import RULES, Rule
from boundcheck.kernel.untyped.scope import (
    TIED,
    averaged_in,
    bound_by,
    bound_names,
    defined_names,
    fresh,
    indices,
    names_of,
    not_averaged,
    random_names,
    samples_fresh,
    steps_before,
    unwritten,
    written,
    written_out,
)
from boundcheck.kernel.untyped.step import Context, Known


def _by_rule(c: Context, by: ByRule) -> None:
    rule = RULES.get(by.rule)
    if rule is None:
        raise ProofError(f"no rule is called {by.rule}")
    values = _rule_values(c, rule, by.let)
    if len(by.using) < len(rule.premises):
        raise ProofError(f"{rule.name} has {len(rule.premises)} premises, {len(by.using)} facts are used")
    for name in rule.whole:
        if not is_integer_valued(values.get(name, var(name)), c.whole):
            raise ProofError(f"{rule.name} wants an integer {name}")
    known = [*c.domain, *c.goal.where]
    outside = free_names(known).union(*(c.fact(r).fixed for r in by.using[len(rule.premises) :]), c.random)
    outside |= c.integers  # an integral's variable, or all t of a premise, are reals
    clash = bound_by(rule, values) & outside
    if clash:
        raise ProofError(f"{rule.name} binds {', '.join(sorted(clash))}, of which something else is known")
    facts = c.plain(by.using[len(rule.premises) :])
    c.unconditional(f.relation for f in (Fact(rule.conclusion), *rule.premises))
    if samples_fresh(rule.premises):
        free = c.goal.over | free_names(c.domain) | defined_names(c.statement, c.number).keys()
        if free & TIED:
            raise ProofError(f"{rule.name} holds for the {', '.join(sorted(free & TIED))} of the samples alone")

    def schema(relation: Relation) -> Relation:
        return expand(relation.map(lambda e: instantiate(e, values)))

    reals = bound_names([schema(Fact(rule.conclusion).relation)], ("integral",))
    matched = []
    for n, (premise, ref) in enumerate(zip(rule.premises, by.using, strict=False), 1):
        wanted = Known.of(premise)
        bound = {str(values[o].value) if o in values else o for o in wanted.over}
        wanted = Known(schema(wanted.relation), tuple(map(schema, wanted.where)), frozenset(bound))
        also = (indices(wanted.relations) & wanted.over) - reals
        fact = c.fact(ref, also)
        matched.append((fact.relations, fact.over))
        c.match(f"premise {n}", wanted, fact, facts)
    for side in rule.sides:
        c.require("side condition", schema(side.relation), facts, [schema(r) for r in side.conditions])
    for implication in rule.implies:
        given = [_event(values, name) for name in implication.given]
        for event in (_event(values, name) for name in implication.given if name.startswith("~")):
            for term in (event.lhs, event.rhs):  # else neither the event nor its complement as a relation holds
                c.require_defined(term, [*facts, *(r for r in given if r != event)])
        c.require("implication of events", _event(values, implication.then), [*facts, *given])
    conclusion = Fact(rule.conclusion).relation
    c.one_step([schema(conclusion)])
    kinds.check([((schema(conclusion), *c.goal.relations, *c.domain, *facts), ()), *matched])
    for name in sorted({n.value for side in (conclusion.lhs, conclusion.rhs) for n in exposed(side) if n.op == "var"}):
        c.require_defined(values.get(name, var(name)), facts)
    c.require("conclusion", c.goal.relation, [*facts, schema(conclusion)])


def _event(values: Mapping[str, Expr], name: str) -> Relation:
    """The event behind a metavariable or a schema's text, or its complement where that begins with ~."""
    bare = name.removeprefix("~")
    e = values[bare] if bare in values else instantiate(read_term(bare), values)
    if e.op not in RELATIONS:
        raise ProofError(f"{e} is not an event")
    relation = expand(Relation(e.op, *e.args))
    return relation.negated() if name.startswith("~") else relation


def _rule_values(c: Context, rule: Rule, let: Mapping[str, str]) -> dict[str, Expr]:
    random = c.random
    if set(let) != set(rule.names):
        raise ProofError(f"{rule.name} wants values for {', '.join(rule.names)}; got {', '.join(let)}")
    values = {k: expand_term(read_term(v)) for k, v in let.items()}
    for name, banned in rule.fixed:
        value = values.get(name, var(name))
        if banned == "random":
            clash = set(random & not_averaged(value))
        else:
            clash = set(values.get(banned, var(banned)).free & written_out(value, c.statement, c.number).free)
        if clash:
            raise ProofError(f"{rule.name}: {name} = {value} may not depend on {', '.join(sorted(clash))}")
    for name, term in rule.only:
        rest = _without(values[name], values.get(term, var(term)))
        clash = set(random & (rest.free | not_averaged(rest)))
        if clash:
            raise ProofError(f"{rule.name}: {name} = {values[name]} may not depend on {', '.join(sorted(clash))}")
    for d in rule.derived:
        variable = values.get(d.variable, var(d.variable))
        if variable.op != "var":
            raise ProofError(f"{rule.name}: {d.variable} must be a name, not {variable}")
        value = values.get(d.value, parse(d.value))
        if variable.value in averaged_in(values[d.source]) - random and random & not_averaged(value):
            raise ProofError(f"{rule.name}: {values[d.source]} averages over the random {value} put for {variable}")
        values[d.name] = substitute(values[d.source], {variable.value: value})
    return values


def _without(e: Expr, part: Expr) -> Expr:
    """``e`` with 0 in place of ``part``: what is random in the rest is no function of it."""
    if e is part:
        return num(0)
    return Expr(e.op, tuple(_without(a, part) for a in e.args), e.value) if e.args else e


def _cite(c: Context, by: Cite) -> None:
    cited = c.lookup(by.label)
    if by.label == c.statement.label or circle(c.statement, cited, c.lookup):
        raise ProofError(f"{by.label} rests on {c.statement.label} itself")
    if by.as_used and cited.as_used is not None:
        cited = cited.as_used
    if not 0 <= by.part < len(cited.claims):
        raise ProofError(f"{by.label} has no claim number {by.part}")
    values = {k: expand_term(read_term(v)) for k, v in by.let.items()}
    facts = c.plain(by.using)
    own_names = defined_names(cited, len(cited.steps) + 1).keys() & {*by.let, *cited.claims[by.part].relation.free}
    if own_names:
        raise ProofError(f"{', '.join(sorted(own_names))} is defined inside the proof of {by.label}")
    stated = [*cited.domain, *Known.of(cited.claims[by.part]).relations]
    stated += [r for f in cited.hypotheses.values() for r in Known.of(f).relations]
    c.unconditional(stated)
    changed = {k for k, v in values.items() if v is not var(k)} & TIED
    if changed and samples_fresh(cited.hypotheses.values()):
        raise ProofError(f"{by.label} is about the {', '.join(sorted(changed))} of its samples alone")
    for name in sorted(free_names(stated) | values.keys()):
        value = values.get(name, var(name))
        drawn = c.random & not_averaged(value)
        if drawn and name not in random_names(cited, len(cited.steps) + 1):
            raise ProofError(f"{name} is no random variable of {by.label} and cannot be {value}")
        if name in cited.integers and not is_integer_valued(value, c.integers):
            raise ProofError(f"{by.label} wants an integer {name}")
        c.require_defined(canonical_heads(value), facts)
    if unwritten(stated) & {k for k, v in values.items() if v is not var(k)}:
        raise ProofError(f"a head of {by.label} depends on what the substitution changes, without writing it")
    for relation in cited.domain:
        c.require(f"domain of {by.label}", expand(put(relation, values)), facts)
    for name, fact in cited.hypotheses.items():
        outside = {k: v for k, v in values.items() if k not in fact.over}
        if any(v.free & set(fact.over) for v in outside.values()):
            raise ProofError(f"hypothesis {name} of {by.label} binds a name of the substitution")
        wanted = Known.of(fact).put(outside)
        also = indices(wanted.relations) & wanted.over
        own: list[Ref] = [name] if name in c.statement.hypotheses else []
        known = (c.try_fact(ref, also) for ref in (*own, *range(1, c.number)))
        same = [k for k in known if k is not None and k.relation == wanted.relation]
        if not same:
            raise ProofError(f"hypothesis {name} of {by.label} is not among the facts: {wanted.relation}")
        c.match(f"hypothesis {name} of {by.label}", wanted, same[0])
    claim = Known.of(cited.claims[by.part])
    for name in indices(claim.relations) & (claim.over | values.keys()):
        if not is_integer_valued(values.get(name, var(name)), c.whole):
            raise ProofError(f"{by.label} holds for integer {name}")
    claim = claim.put(values)
    for condition in claim.where:
        c.require(f"condition of {by.label}", condition, facts)
    c.see(claim.relation)
    kinds.check([((claim.relation, *c.goal.relations, *c.domain, *facts), claim.over)])
    c.require("conclusion", c.goal.relation, [*facts, claim.relation])


def _factors(e: Expr) -> list[Expr]:
    """The factors of a product or quotient whose signs are not plain from their form (a root is >= 0 if defined)."""
    if e.op in ("mul", "div"):
        return [f for a in e.args for f in _factors(a)]
    if e.op in ("sqrt", "exp", "abs") or (e.op == "num" and e.value >= 0):
        return []
    return [e]


def _follows(c: Context, by: Follows) -> None:
    facts = c.plain(by.using)
    if not by.times:
        c.require("conclusion", c.goal.relation, facts)
        return
    if len(by.times) != len(facts):
        raise ProofError("one multiplier for each used fact is wanted")
    plain = [fact for factor, fact in zip(by.times, facts, strict=True) if not factor]
    goal = c.goal.relation
    rest, strict = goal.gap, goal.strict
    for factor, fact in zip(by.times, facts, strict=True):
        if not factor:
            continue
        if fact.op == "!=" or (fact.op != "==" and goal.op in ("==", "!=")):
            raise ProofError(f"{goal.op} does not follow from multiples of {fact.op}")
        multiplier = canonical_heads(expand_term(read_term(factor)))
        if fact.op != "==":
            for part in _factors(multiplier):
                c.require("multiplier", Relation(">=", part, parse("0")), plain)
        if fact.op in ("<", ">") and multiplier.op == "num" and multiplier.value > 0:
            strict = False  # this term is positive: it is enough that the rest is not negative
        rest = rest - multiplier * (fact.rhs - fact.lhs if fact.op == "==" else fact.gap)
    op = goal.op if goal.op in ("==", "!=") else ">" if strict else ">="
    c.require("conclusion", Relation(op, rest, parse("0")), plain)


def _by_gram(c: Context, by: ByGram) -> None:
    if by.times and len(by.times) != len(by.using):
        raise ProofError("one multiplier for each used fact is wanted")
    facts = c.plain(by.using)
    rename = _Vectors(by, fresh("v", free_names([*facts, *c.domain, *c.goal.where, c.goal.relation])))
    times = [expand_term(read_term(t)) if t else None for t in by.times] or [None] * len(facts)
    where = [r.map(rename) for r in (*c.domain, *c.goal.where)]
    hypotheses, factors = [], []
    vectors = rename.names
    for fact, factor in zip((f.map(rename) for f in facts), times, strict=True):
        if fact.free & vectors or _is_opaque(fact):
            hypotheses.append(fact)
            factors.append(factor)
        else:
            where.append(fact)
    scalars = tuple(r for r in dict.fromkeys(where) if not _is_opaque(r))
    claim = GramClaim("form", tuple(sorted(vectors)), c.goal.relation.map(rename), tuple(hypotheses), scalars)
    c.found.append(Obligation("form", claim, True, tuple(factors)))


class _Vectors:
    """The renaming of the vector terms of a justification to variables v1_, v2_, ..."""

    def __init__(self, by: ByGram, name: Callable[[int], str]):
        self.table = {canonical_heads(expand_term(read_term(v))): var(name(n)) for n, v in enumerate(by.vectors, 1)}
        self.names = {v.value for v in self.table.values()}

    def __call__(self, e: Expr) -> Expr:
        if e in self.table:
            return self.table[e]
        return Expr(e.op, tuple(map(self, e.args)), e.value) if e.args else e


def _is_opaque(relation: Relation) -> bool:
    return has_opaque(relation.lhs) or has_opaque(relation.rhs)


def with_constant(by: ByGram, obligation: Obligation, value: str) -> Callable[[Fraction], GramClaim]:
    """The obligation of a :class:`ByGram` step with c in place of its constant ``value``.

    Further relations of the template replace those of the domain with the same left side and sign.
    """
    claim = obligation.claim
    if not isinstance(claim, GramClaim):
        raise ProofError("best constants are for quadratic forms")
    names = {v.strip("_"): v for v in claim.vectors}
    rename = _Vectors(by, lambda n: names[f"v{n}"])
    goal, *domain = (expand(parse_relation(t, proof=True)).map(rename) for t in by.sharp[value])

    def at(c: Fraction) -> GramClaim:
        new = [put(r, {"c": num(c)}) for r in domain]
        kept = [r for r in claim.where if not any((r.op, r.lhs) == (n.op, n.lhs) for n in new)]
        return GramClaim(claim.name, claim.vectors, put(goal, {"c": num(c)}), claim.hypotheses, (*kept, *new))

    return at


def obligations(statement: Statement, number: int, step: Step, lookup: Callable[[str], Statement]) -> list[Obligation]:
    """The scalar claims that prove step ``number`` (from 1) of ``statement``.

    Raises :class:`ProofError` where the step does not fit its justification. A :class:`Definition` must introduce
    a new symbol; :class:`Literature` has no obligations (and is never PROVED).
    """
    try:
        c = Context(statement, number, step, lookup)
        by = step.by
        if number > len(statement.steps):
            facts = map(Known.of, (*statement.hypotheses.values(), *(s.fact for s in steps_before(statement, number))))
            kinds.check([*((k.relations, k.over) for k in facts), ((*c.goal.relations, *c.domain), ())])
            for hypothesis in statement.hypotheses.values():
                c.require_written(hypothesis)
        if isinstance(by, Decide):
            c.require("step", c.goal.relation, c.plain(by.using))
        elif isinstance(by, Follows):
            _follows(c, by)
        elif isinstance(by, ByRule):
            _by_rule(c, by)
        elif isinstance(by, ByGram):
            _by_gram(c, by)
        elif isinstance(by, Cite):
            _cite(c, by)
        elif isinstance(by, Definition):
            _define(c)
        elif not isinstance(by, Literature):
            raise ProofError(f"unknown justification {type(by).__name__}")
        c.require_written(step.fact)
        if not isinstance(by, Decide | Literature):
            for e in dict.fromkeys(e for s in (c.goal.relation.lhs, c.goal.relation.rhs) for e in plain_binders(s)):
                c.require_defined(e)
        return c.found
    except (FormulaError, kinds.Clash) as fault:
        raise ProofError(str(fault)) from None


def _define(c: Context) -> None:
    relation = c.goal.relation
    new = relation.lhs
    if relation.op != "==" or new.op != "var":
        raise ProofError("a definition reads: new symbol == term")
    if c.goal.over or c.goal.where:
        raise ProofError("a definition has no quantified names and no conditions")
    used = written(c.statement, c.number)
    old = {q.symbol for q in c.statement.parameters} | c.random
    if new.value in old | names_of([*c.statement.domain, *used]) or new.value in relation.rhs.free:
        raise ProofError(f"{new.value} is not a new symbol")
    c.require_defined(relation.rhs)
