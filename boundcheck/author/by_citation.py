"""Reasons that are other statements: their claims matched with the goal, their hypotheses with the facts in sight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from boundcheck.author import adapter
from boundcheck.author.by_rule import Prove, sides, sides_of_fact
from boundcheck.author.combine import relevant, where_wanted
from boundcheck.author.draft import Draft
from boundcheck.author.goal import NAMED, Goal, accept
from boundcheck.author.match import Values, match, renamed
from boundcheck.author.proof_records import Item
from boundcheck.author.spelling import otherwise, relations_of, told
from boundcheck.kernel.formula import Relation, var
from boundcheck.kernel.statement import Cite, Fact, Statement

MAX_TRIES = 16
MAX_LONGER = 3  #: values that are tried again with more time


def by_citation(draft: Draft, goal: Goal, item: Item, prove: Prove) -> Draft | None:
    """The goal as a claim of the statement that ``item`` names."""
    try:
        cited = draft.checker.lookup(item.name)
    except LookupError as fault:
        goal.closest.add(20, str(fault))
        return None
    forms = [(cited, False)] + ([(cited.as_used, True)] if cited.as_used is not None else [])
    if item.as_used:
        forms = [(cited.as_used or cited, True)]
    forms = [(f, used) for f, used in forms if f.claims] or forms
    for form, used in forms:
        parts = range(len(form.claims)) if item.part is None else [item.part - 1]
        for part in parts:
            if not 0 <= part < len(form.claims):
                goal.closest.add(20, f"{item.name} has {len(form.claims)} claims, no number {part + 1}")
                return None
            found = _by_claim(draft, goal, item, form, used, part, prove)
            if found is not None:
                return found
    return None


def _by_claim(
    draft: Draft, goal: Goal, item: Item, cited: Statement, used: bool, part: int, prove: Prove
) -> Draft | None:
    tried: list[dict[str, str]] = []
    given = {k: adapter.value_of(v) for k, v in item.let.items()}
    for values in _values(draft, goal, cited, part, given):
        let = {k: adapter.as_text(v) for k, v in sorted(values.items()) if v is not var(k)}
        if let in tried:
            continue
        tried.append(let)
        found = _cited(draft, goal, item, cited, used, part, let, prove)
        if found is not None:
            return found
        if len(tried) >= MAX_TRIES:
            break
    longer = replace(goal, seconds=NAMED)
    tries = (_cited(draft, longer, item, cited, used, part, let, prove) for let in tried[:MAX_LONGER])
    return next((found for found in tries if found is not None), None)


def _values(draft: Draft, goal: Goal, cited: Statement, part: int, given: Values) -> Iterator[Values]:
    """Values for the cited names: those that make the claim the goal, completed by hypotheses that are facts here."""
    claim = cited.claims[part]
    facts = [claim, *cited.hypotheses.values()]
    bound = frozenset(o for f in cited.hypotheses.values() for o in _over(f))
    names = frozenset().union(*(f.relation.free for f in facts), cited.symbols) - (
        bound - _over(claim) - adapter.relation_of(claim.claim).free
    )
    starts: list[Values] = []
    for p, e, q, f in sides(adapter.relation_of(claim.claim), goal.relation):
        starts += [m for v in match(p, e, names, given) for m in match(q, f, names, v)]
    starts.sort(key=lambda values: sum(v is not var(k) for k, v in values.items()))  # few changes first
    yield from starts  # the other names stand for themselves
    yield from (_completed(draft, cited, v, names) for v in starts)
    yield given
    for p, e, q, f in sides(adapter.relation_of(claim.claim), goal.relation):
        for side, term in ((p, e), (q, f)):
            if side.op not in ("var", "num"):
                yield from (_completed(draft, cited, v, names) for v in match(side, term, names, given))


def _completed(draft: Draft, cited: Statement, values: Values, names: frozenset[str]) -> Values:
    for fact in cited.hypotheses.values():
        if adapter.relation_of(fact.claim).free & names <= values.keys():
            continue
        own = names - _over(fact)
        for seen in draft.seen:
            options = [
                more
                for p, e, q, f in sides_of_fact(adapter.relation_of(fact.claim), seen.relation)
                for found in match(p, e, own, values)
                for more in match(q, f, own, found)
            ]
            if options:
                values = options[0]
                break
    return values


def _cited(
    draft: Draft,
    goal: Goal,
    item: Item,
    cited: Statement,
    used: bool,
    part: int,
    let: dict[str, str],
    prove: Prove,
) -> Draft | None:
    """The citation at these values; a hypothesis that is no fact here is proved first where it can be."""
    kind = f"cites {item.name}"
    helpers = [s.use for s in where_wanted(draft, goal)]
    values = {k: adapter.value_of(v) for k, v in let.items()}
    domain: list[Relation] = []
    for r in cited.domain:
        sides_ = [renamed(s, values) for s in r.sides]
        if None not in sides_:
            domain.append(Relation(r.op, sides_[0] or r.lhs, sides_[1] or r.rhs))
    more = relevant(draft, goal, [adapter.normal(r) for r in domain]) if domain else []
    tries = [helpers] + ([[*helpers, *(s.use for s in more if s.use not in helpers)]] if more else [])
    for n, using in enumerate(tries):
        found = accept(draft, goal, Cite(item.name, let, tuple(using), part, used), kind, goal.seconds, near=7)
        if found is not None:
            return found
        if n == 0:
            ready = _hypotheses(draft, goal, cited, values, prove)
            if ready is not None and ready is not draft:
                draft = ready
                found = accept(draft, goal, Cite(item.name, let, tuple(using), part, used), kind, goal.seconds, near=7)
                if found is not None:
                    return found
    return None


def _hypotheses(draft: Draft, goal: Goal, cited: Statement, values: Values, prove: Prove) -> Draft | None:
    """The draft with the cited hypotheses restated where they are not facts in sight as they stand."""
    if goal.depth <= 0:
        return None
    for name, fact in cited.hypotheses.items():
        outer = {k: v for k, v in values.items() if k not in _over(fact)}
        if any(v.free & _over(fact) for v in outer.values()):
            return None
        wanted = _put(adapter.relation_of(fact.claim), outer)
        steps = [s for s in draft.seen if isinstance(s.ref, int) or s.ref == name]
        here = [*(s.normal for s in steps), *map(adapter.normal, goal.fact.conditions)]
        if adapter.normal(wanted) in here:
            continue
        stated, sorts = adapter.without_sorts(fact)
        stated = Fact(str(wanted), stated.over, tuple(str(_put(c, outer)) for c in fact.conditions))
        if stated.claim in goal.path:
            return None
        found = prove(draft, replace(goal.part(stated), integers=sorts))
        if found is None:
            missing = f"{cited.label} fits; its hypothesis {name} is missing: {stated.claim}"
            mixed = told(otherwise([wanted], relations_of(draft.statement)))
            goal.closest.add(9, f"{missing}; {mixed}" if mixed else missing)
            return None
        draft = found
    return draft


def _over(fact: Fact) -> frozenset[str]:
    """The names that the fact holds for all of."""
    return frozenset(map(adapter.bare, fact.over))


def _put(r: Relation, values: Values) -> Relation:
    return r.map(lambda e: renamed(e, values) or e)
