"""Reasons that are rules: conclusions matched with the goal, premises with facts in sight or proved on the way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice

from boundcheck.author import adapter
from boundcheck.author.adapter import RULES, Rule, same
from boundcheck.author.combine import relevant, where_wanted
from boundcheck.author.draft import Draft, Seen, averages, instances, terms_in
from boundcheck.author.goal import Closest, Goal, accept
from boundcheck.author.match import Values, match, renamed, spoken, substituted
from boundcheck.kernel.clock import exhausted
from boundcheck.kernel.formula import RELATIONS, Expr, FormulaError, Relation, var
from boundcheck.kernel.proof.terms import WORDS
from boundcheck.kernel.statement import ByRule, Fact, Follows, Ref, Step

Prove = Callable[[Draft, Goal], Draft | None]
MAX_TRIES = 24  #: proposals of one rule
DOUBT = 0.25  #: seconds for a point that refutes a missing premise
MAX_ABOUT = 3  #: ways to lay a rule over a term
_OWN = "_own"  #: behind a bound name of a rule that the goal uses for something else
_WEAKER = {"==": ("==", "<=", ">="), "<=": ("<=",), ">=": (">=",), "<": ("<", "<="), ">": (">", ">="), "!=": ("!=",)}


def needed(rule: Rule) -> set[str]:
    """The metavariables that a step must give: all but bound names, which keep their own where nothing is said."""
    return {name for name, meta in rule.metas.items() if not meta.bound}


@dataclass(frozen=True)
class Proposal:
    """A rule at values; premises that are facts, or None where they are still to be proved."""

    rule: Rule
    values: Values
    premises: tuple[Seen | None, ...]

    @property
    def complete(self) -> bool:
        """Whether every metavariable has a value."""
        return needed(self.rule) <= self.values.keys()


@lru_cache(maxsize=1000)
def metas_of(rule: Rule) -> frozenset[str]:
    """The names of a rule that stand for terms, derived ones too."""
    return frozenset((*rule.names, *(d.name for d in rule.derived)))


def sides(pattern: Relation, goal: Relation) -> Iterator[tuple[Expr, Expr, Expr, Expr]]:
    """The ways to lay a relation that implies the goal's over it: (pattern, term) for both sides."""
    for r in (pattern, pattern.flipped()):
        if goal.op in _WEAKER[r.op]:
            yield r.lhs, goal.lhs, r.rhs, goal.rhs
            if r.op == "==" and r is pattern:
                yield r.rhs, goal.lhs, r.lhs, goal.rhs


def conclusions(rule: Rule, goal: Relation, whole: bool, given: Values) -> Iterator[Values]:
    """Values under which the rule's conclusion is the goal (``whole``), or has one side in common with it."""
    pattern, metas = adapter.relation_of(rule.conclusion), metas_of(rule)
    for p, e, q, f in sides(pattern, goal):
        if whole:
            for found in match(p, e, metas, given):
                yield from match(q, f, metas, found)
            for found in match(q, f, metas, given):
                yield from match(p, e, metas, found)
        else:
            for side, term in ((p, e), (q, f)):
                if not (side.op == "var" or (side.op == "num")):
                    yield from match(side, term, metas, given)


@lru_cache(maxsize=20_000)
def _starts(rule: Rule, goal: Relation, whole: bool, given: frozenset[tuple[str, Expr]]) -> tuple[Values, ...]:
    """The first :func:`conclusions`, worked out once: a search comes to the same goals again and again."""
    return tuple(islice(conclusions(rule, goal, whole, dict(given)), MAX_TRIES * 2))


def permitted(rule: Rule, values: Values, random: frozenset[str]) -> bool:
    """Whether the rule's restrictions on names hold as far as values are known."""
    bound = {str(values[b].value) if b in values and values[b].op == "var" else b for b in _bound(rule)}
    for name, meta in rule.metas.items():
        value = values.get(name)
        if value is None or meta.bound:
            continue
        if meta.sort.kind in ("real", "integer", "vector") and not meta.sort.random and random & outside(value):
            return False
        own = {str(values[b].value) if b in values else b for b in meta.on}
        if value.free & (bound - own):
            return False
    return True


@lru_cache(maxsize=1000)
def _bound(rule: Rule) -> frozenset[str]:
    """The names that the schema binds: in its conclusion and premises."""
    relations = [adapter.relation_of(t) for t in (rule.conclusion, *(p.claim for p in rule.premises))]
    nodes = (n for r in relations for n in r.walk())
    over = (adapter.bare(o) for p in rule.premises for o in p.over)
    return frozenset(str(n.args[1].value) for n in nodes if n.binds).union(over)


@lru_cache(maxsize=10_000)
def apart(rule: Rule, names: frozenset[str]) -> Rule:
    """The rule with its own bound names called otherwise where they are among ``names``."""
    clash = (_bound(rule) & names) - rule.metas.keys()
    if not clash:
        return rule
    pattern = re.compile(rf"\b({'|'.join(sorted(clash))})\b")

    def text(t: str) -> str:
        return pattern.sub(rf"\1{_OWN}", t)

    def fact(f: Fact) -> Fact:
        return Fact(text(f.claim), tuple(map(text, f.over)), tuple(map(text, f.where)))

    return replace(
        rule,
        conclusion=text(rule.conclusion),
        premises=tuple(map(fact, rule.premises)),
        sides=tuple(map(fact, rule.sides)),
    )


def _use(seen: Seen, own: Mapping[str, Expr]) -> Ref:
    """The reference to a premise, with the names that the kernel gives to the bound names of the rule."""
    let = {k: renamed(adapter.value_of(v), own) or adapter.value_of(v) for k, v in seen.let}
    return replace(seen, let=()).at(let | {k: v for k, v in own.items() if k in seen.fact.over}).use


def _own(rule: Rule, values: Values) -> dict[str, Expr]:
    """The names of the kernel for the bound names of the rule that are called otherwise here."""
    found = {}
    for name in RULES[rule.name].bound_sorts.keys() - rule.metas.keys():
        free = [v for k, v in values.items() if k in rule.metas and name not in rule.metas[k].on]
        found[name + _OWN] = var(adapter.fresh(name, frozenset().union(*map(adapter.names, free))))
    return found


def outside(e: Expr) -> frozenset[str]:
    """The names of ``e`` outside of every P and E; of G(u) the function as well, which may be random."""
    if e.op in ("P", "E"):
        return frozenset()
    if e.op == "var":
        return frozenset({str(e.value)})
    own = frozenset() if e.op in WORDS else frozenset({e.op})
    return own.union(*map(outside, e.args))


def proposals(draft: Draft, goal: Goal, rule: Rule, whole: bool) -> Iterator[Proposal]:
    """The rule at values that fit the goal, with its premises found among the facts as far as they are there."""
    rule = apart(rule, goal.own)
    tried: set[str] = set()
    for values in _starts(rule, goal.relation, whole, frozenset(goal.given.items())):
        if not permitted(rule, values, draft.random):
            continue
        for bare, premises in _premises(rule, list(rule.premises), values, draft, goal):
            found = _solved(rule, bare)
            if not permitted(rule, found, draft.random):
                continue
            key = str(sorted((k, str(v)) for k, v in found.items())) + str([s and s.use for s in premises])
            if key in tried:
                continue
            tried.add(key)
            yield Proposal(rule, found, tuple(premises))
            if len(tried) >= MAX_TRIES:
                return


def _solved(rule: Rule, values: Values) -> Values:
    """The values with those that derived terms tell: A at t = k and A itself are known, so k is."""
    for d in rule.derived:
        wanted = d.value in rule.metas and d.value not in values
        if wanted and d.name in values and d.source in values:
            bound = values.get(d.variable, var(d.variable))
            options = match(values[d.source], values[d.name], frozenset({str(bound.value)}), {})
            found = next((m[str(bound.value)] for m in options if str(bound.value) in m), None)
            values = {**values, d.value: found} if found is not None else values
    return values


def _premises(
    rule: Rule, rest: list[Fact], values: Values, draft: Draft, goal: Goal
) -> Iterator[tuple[Values, list[Seen | None]]]:
    if not rest:
        yield values, []
        return
    premise, *others = rest
    any_found = False
    for found, seen in premise_facts(rule, premise, values, draft, goal):
        any_found = True
        for more, seens in _premises(rule, others, found, draft, goal):
            yield more, [seen, *seens]
    if not any_found:
        for more, seens in _premises(rule, others, values, draft, goal):
            yield more, [None, *seens]


def premise_facts(
    rule: Rule, premise: Fact, values: Values, draft: Draft, goal: Goal
) -> Iterator[tuple[Values, Seen | None]]:
    """Facts in sight that are the premise, with the values that this gives; None: X <= Y where |X| <= Y is wanted."""
    metas = metas_of(rule)
    pattern = adapter.relation_of(premise.claim)
    over = [
        str(values[o].value) if o in values and values[o].op == "var" else o for o in map(adapter.bare, premise.over)
    ]
    ready = (spoken(pattern.lhs) | spoken(pattern.rhs)) & metas <= values.keys()
    if ready:
        wanted = pattern.map(lambda e: substituted(e, values))
        terms, normal, own = terms_in(wanted), adapter.normal(wanted), goal.own | frozenset(over)
        for seen in [*goal.facts, *draft.seen]:
            r = seen.normal
            if normal.op not in _WEAKER[r.op] and normal.op not in _WEAKER[r.flipped().op]:
                continue  # so it is of every instance
            for one in [seen] if seen.let else instances(seen, terms, own):
                if _implies(one.normal, normal):
                    yield _by_conditions(premise, one, values, metas), one
                    break
        return
    for seen in [*goal.facts, *draft.seen]:
        for one in _over_renamed(seen, over):
            for p, e, q, f in sides_of_fact(pattern, one.relation):
                for found in match(p, e, metas, values):
                    for more in match(q, f, metas, found):
                        yield _by_conditions(premise, one, more, metas), one
    if pattern.lhs.op == "abs":
        for seen in [*goal.facts, *draft.seen]:
            for p, e, q, f in sides_of_fact(replace(pattern, lhs=pattern.lhs.args[0]), seen.relation):
                for found in match(p, e, metas, values):
                    yield from ((more, None) for more in match(q, f, metas, found))


def _by_conditions(premise: Fact, seen: Seen, values: Values, metas: frozenset[str]) -> Values:
    """The values completed by laying the fact's conditions over those of the premise."""
    for wanted in premise.conditions:
        if wanted.free & metas <= values.keys():
            continue
        found = next(
            (
                more
                for c in seen.conditions
                for p, e, q, f in sides_of_fact(wanted, c)
                for some in match(p, e, metas, values)
                for more in match(q, f, metas, some)
            ),
            None,
        )
        values = found or values
    return values


def sides_of_fact(pattern: Relation, fact: Relation) -> Iterator[tuple[Expr, Expr, Expr, Expr]]:
    """The ways to lay a fact under a premise that it implies."""
    for r in (fact, fact.flipped()):
        if pattern.op in _WEAKER[r.op]:
            yield pattern.lhs, r.lhs, pattern.rhs, r.rhs


def _implies(fact: Relation, goal: Relation) -> bool:
    return any(r.lhs is goal.lhs and r.rhs is goal.rhs and goal.op in _WEAKER[r.op] for r in (fact, fact.flipped()))


def _over_renamed(seen: Seen, over: Sequence[str]) -> Iterator[Seen]:
    """The fact with its quantified names called as the premise calls its own."""
    yield seen
    if len(over) == 1 and not seen.let:
        for name in seen.fact.over:
            if name != over[0]:
                yield seen.at({name: var(over[0])})
    elif len(over) == len(seen.fact.over) and not seen.let and tuple(over) != seen.fact.over:
        yield seen.at({name: var(other) for name, other in zip(seen.fact.over, over, strict=True)})


def missing_fact(rule: Rule, number: int, values: Values, goal: Fact) -> Fact | None:
    """The premise number ``number`` at values, where the goal is to hold; None while a name of it has no value."""
    premise = rule.premises[number]
    metas = metas_of(rule)
    free = adapter.relation_of(premise.claim).free.union(*(c.free for c in premise.conditions))
    if not free & metas <= values.keys():
        return None
    over = tuple(str(values[o].value) if o in values else o for o in map(adapter.bare, premise.over))
    where = tuple(_put(c, values) for c in premise.conditions if not _endless(c, values))
    claim = _put(adapter.relation_of(premise.claim), values)
    if not set(goal.over) & set(over):
        over, where = (*over, *goal.over), (*where, *goal.where)
    return Fact(claim, over, where)


def _sorts(proposal: Proposal, number: int, fact: Fact) -> tuple[str, ...]:
    """The sorts of those quantified names that a premise brings in, as ``t: integer``."""
    found = []
    for entry in proposal.rule.premises[number].over:
        name, colon, sort = (part.strip() for part in entry.partition(":"))
        own = str(proposal.values[name]) if name in proposal.values else name
        if colon and own in fact.over:
            found.append(f"{own}: {sort}")
    return tuple(found)


def _put(r: Relation, values: Values) -> str:
    return adapter.as_text(r.map(lambda e: substituted(e, values)))


def _endless(condition: Relation, values: Values) -> bool:
    """Whether a condition says no more than t <= oo."""
    put = condition.map(lambda e: substituted(e, values))
    return any(n.op == "const" and n.value == "oo" for n in put.walk())


def by_rule(draft: Draft, goal: Goal, prove: Prove, whole: bool = True, only: str = "") -> Draft | None:
    """The goal by some rule (``only``: by that one)."""
    rules = [RULES[only]] if only else sorted(RULES.values(), key=lambda r: not _same_sign(r, goal.relation))
    pending: list[Proposal] = []
    for rule in rules:
        if exhausted():
            return None
        if (not only and not whole and len(rule.premises) == 0 and not rule.implies) or _tells_nothing(rule, goal):
            continue
        for proposal in proposals(draft, goal, rule, whole):
            if None in proposal.premises:
                if only or not _fits_all(rule):
                    pending.append(proposal)
                continue
            found = apply(draft, goal, proposal, near=(10 if rule.premises else 6) if whole else 3)
            if found is not None:
                return found
    if goal.depth <= 0:
        for proposal in pending:
            _note(draft, goal, proposal, bool(only))
        return None
    for proposal in sorted(pending, key=lambda p: sum(s is None for s in p.premises))[:MAX_TRIES]:
        ready, filled = _proved(draft, goal, proposal, prove, bool(only))
        if filled is not None:
            found = apply(ready, goal, filled, near=10 if whole else 3)
            if found is not None:
                return found
    return None


def _same_sign(rule: Rule, goal: Relation) -> bool:
    """Whether the rule concludes just the relation that the goal is: = before <= where = is wanted."""
    return goal.op in (adapter.relation_of(rule.conclusion).op, adapter.relation_of(rule.conclusion).flipped().op)


def _fits_all(rule: Rule) -> bool:
    """Whether the rule concludes any relation, from an event or for any goal: its premise is the goal again."""
    conclusion = adapter.relation_of(rule.conclusion)
    bare = conclusion.lhs.op == "var" and conclusion.rhs.op == "var"
    again = any(p.claim == rule.conclusion and p.over for p in rule.premises)
    return bare and (again or any(adapter.relation_of(p.claim).lhs.op == "ind" for p in rule.premises))


def _tells_nothing(rule: Rule, goal: Goal) -> bool:
    """Whether the conclusion is X at s = t <= C at s = t, any relation, and the hint does not say what X and C are."""
    sources = {d.name: d.source for d in rule.derived}
    sides = adapter.relation_of(rule.conclusion).sides
    return all(e.op == "var" and e.value in sources and sources[str(e.value)] not in goal.given for e in sides)


def _note(draft: Draft, goal: Goal, proposal: Proposal, named: bool) -> None:
    """Note the first premise that is missing; of a rule that is not ``named`` only where no point refutes it."""
    for n, seen in enumerate(proposal.premises):
        if seen is None:
            fact = missing_fact(proposal.rule, n, proposal.values, goal.fact)
            if fact is not None:
                over = f" for all {', '.join(fact.over)}" if fact.over else ""
                where = f" where {', '.join(fact.where)}" if fact.where else ""
                told = f"{proposal.rule.name} fits; its premise is missing: {fact.claim}{over}{where}"
                sorts = (*goal.integers, *_sorts(proposal, n, fact))
                doubt = None if named else partial(_refuted, draft, fact, sorts)
                goal.closest.add(8 - goal.away + any(proposal.premises), told, doubt)
                return


def _refuted(draft: Draft, fact: Fact, sorts: tuple[str, ...]) -> bool:
    """Whether some values of its terms break the fact, or a name in it is the rule's own: nobody means it then."""
    refusal = draft.checker.check(draft.statement, Step(adapter.with_sorts(fact, sorts), Follows(())), DOUBT)
    return refusal is not None and (refusal.refuted or refusal.obligation is None)


def _proved(
    draft: Draft, goal: Goal, proposal: Proposal, prove: Prove, named: bool = True
) -> tuple[Draft, Proposal | None]:
    """The proposal with its missing premises proved as steps of their own."""
    premises = list(proposal.premises)
    for n, seen in enumerate(premises):
        if seen is not None:
            continue
        fact = missing_fact(proposal.rule, n, proposal.values, goal.fact)
        if fact is None:
            return draft, None
        key = f"{fact.claim} {fact.over} {fact.where}"
        if key in goal.path:
            return draft, None
        try:
            wanted = goal.part(fact, key)
            wanted = replace(wanted, integers=(*wanted.integers, *_sorts(proposal, n, fact)))
            found = prove(draft, wanted)
        except FormulaError:
            return draft, None
        if found is None:
            _note(draft, goal, replace(proposal, premises=tuple(premises)), named)
            return draft, None
        draft = found
        premises[n] = Seen(draft.last, "", fact, wanted.integers)
    return draft, replace(proposal, premises=tuple(premises))


def about(draft: Draft, goal: Goal, rule: Rule, term: Expr, prove: Prove) -> Iterator[Draft]:
    """Drafts with one more step, by which the rule says what ``term`` is or is bounded by, where the goal holds."""
    rule = apart(rule, goal.own)
    pattern = adapter.relation_of(rule.conclusion)
    for side in pattern.sides:
        side = side.args[0] if side.op == "abs" and term.op != "abs" else side  # |T| <= R says something of T
        starts = match(side, term, metas_of(rule), {}) if side.op not in ("var", "num") else iter(())
        for start in islice(starts, MAX_ABOUT):
            found = _premises(rule, list(rule.premises), start, draft, goal)
            for values, premises in islice(found, MAX_ABOUT):
                if not needed(rule) <= values.keys() or not permitted(rule, values, draft.random):
                    continue
                claim = pattern.map(lambda e, v=values: substituted(e, v))  # type: ignore[misc]
                part = goal.part(goal.said(claim))
                if same(claim.lhs, claim.rhs) or str(claim) in goal.path:
                    continue
                more, filled = _proved(draft, replace(part, depth=1), Proposal(rule, values, tuple(premises)), prove)
                last = apply(more, part, filled, near=3) if filled is not None else None
                if last is not None:
                    yield last


def apply(draft: Draft, goal: Goal, proposal: Proposal, near: int) -> Draft | None:
    """The goal by the rule at these values, with what its side conditions need."""
    rule = proposal.rule
    if not proposal.complete:
        missing = sorted(needed(rule) - proposal.values.keys())
        goal.closest.add(2 - goal.away, f"{rule.name} fits in part; nothing tells its {', '.join(missing)}")
        return None
    let = {k: adapter.as_text(proposal.values[k]) for k in rule.names if k in proposal.values}
    own = _own(rule, proposal.values)
    premises: list[Ref] = [_use(s, own) for s in proposal.premises if s is not None]
    kind = f"rule: {rule.name}"
    named = [s for s in where_wanted(draft, goal) if s.use not in premises]
    extra = [s for s in named if not averages(s.normal.lhs)]
    sets = [[], *(some for some in ([extra, named] if extra != named else [extra]) if some)]
    if rule.implies or rule.sides:
        spoken = list(_spoken(rule, proposal.values))
        more = [s for s in relevant(draft, goal, spoken) if s.use not in premises and s not in extra] if spoken else []
        sets += [[*extra, *more]] if more else []
        sets += [[*extra, s] for s in more]
    for facts in sets:
        using = (*premises, *(s.use for s in facts))
        told = (
            goal if facts is max(sets, key=len) else replace(goal, closest=Closest())
        )  # with all facts: what is missing
        found = accept(draft, told, ByRule(rule.name, let, using), kind, goal.seconds, near)
        if found is not None:
            return found
    return None


def _spoken(rule: Rule, values: Values) -> Iterator[Relation]:
    """The relations of side conditions and of implications between events."""
    for side in rule.sides:
        yield adapter.normal(adapter.relation_of(side.claim).map(lambda e: substituted(e, values)))
    for implication in rule.implies:
        for name in (*implication.given, implication.then):
            bare = name.removeprefix("~")
            e = values.get(bare)
            if e is None and bare not in metas_of(rule):
                e = substituted(adapter.value_of(bare), values)
            if e is not None and e.op in RELATIONS:
                yield adapter.normal(Relation(e.op, *e.args))
