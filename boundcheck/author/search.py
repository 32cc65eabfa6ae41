"""The search for the reason of one line: the order in which reasons are tried, and how a hint narrows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from boundcheck.author import adapter
from boundcheck.author.adapter import RULES
from boundcheck.author.by_cases import by_cases
from boundcheck.author.by_citation import by_citation
from boundcheck.author.by_gram import by_gram
from boundcheck.author.by_induction import SEQUENCES, by_induction
from boundcheck.author.by_rule import about, by_rule
from boundcheck.author.combine import by_domain, closed, entailed, in_sight, known, linear, scalar
from boundcheck.author.draft import Draft, Seen, averages
from boundcheck.author.goal import NAMED, PATIENT, QUICK, Closest, Goal, hinted, without_use
from boundcheck.author.grounds import (
    grounded,
    of_a_known_mean,
    with_inner_products,
    with_means,
    with_squares_of_constants,
)
from boundcheck.author.in_turn import counted, said_in_turn, with_terms_put
from boundcheck.author.inside import (
    bounded,
    congruent,
    expanded,
    named_equations,
    put_for_whole,
    raw_opaque,
    rewritten,
    to_facts,
    unfolded,
    with_equations,
)
from boundcheck.author.match import substituted
from boundcheck.author.other_forms import of_both_signs, rearranged
from boundcheck.author.proof_records import Hint, Item
from boundcheck.author.syntax import with_members
from boundcheck.hints import nearest
from boundcheck.kernel.clock import budget, exhausted
from boundcheck.kernel.formula import Expr, Relation, call, is_opaque
from boundcheck.kernel.statement import Definition

NEAREST = 8  #: places of facts that are tried before all of them
SCALAR_WORDS = ("decide", "scalar")
UNSAID = 8.0  #: seconds of processor time of a line for what its author left unsaid
WORDS = (*SCALAR_WORDS, "gram", "inside", "definition")


def prove(draft: Draft, goal: Goal) -> Draft | None:
    """The draft with the goal as its last step; None where nothing is found (``goal.closest``: what was near).

    A search comes to the same goals on many ways. One that failed is not searched again while nothing new is known.
    """
    if goal.depth < 0 or exhausted() or (attempt := goal.attempt(draft)) in goal.failed:
        return None
    found = known(draft, goal) or of_a_known_mean(draft, goal) or scalar(draft, goal, QUICK)
    if found is None:
        facts = in_sight(draft, goal, goal.facts)
        found = _of_terms(draft, goal, facts) if goal.structured else _of_numbers(draft, goal, facts)
    if found is None and not exhausted():
        goal.failed.add(attempt)
    return found


def _of_numbers(draft: Draft, goal: Goal, facts: list[Seen]) -> Draft | None:
    """A goal without opaque terms: facts in sight, more time, at last a rule."""
    found = linear(draft, goal, facts) or by_domain(draft, goal) or entailed(draft, goal, facts, QUICK)
    found = found or scalar(draft, goal, PATIENT)
    if found is not None or goal.path:
        return found
    return entailed(draft, goal, facts, PATIENT) or by_rule(draft, goal, prove)


def _of_terms(draft: Draft, goal: Goal, facts: list[Seen]) -> Draft | None:
    """A goal with opaque terms: combinations, rules whose premises are there, rules with premises to prove, inside.

    Scalar reasoning from the facts comes before rules with premises to prove, and with more time at the end.
    """
    found = linear(draft, goal, facts) or by_rule(draft, replace(goal, depth=0), prove)
    if found is None:
        found = by_rule(draft, replace(goal, depth=0, seconds=PATIENT), prove) or entailed(draft, goal, facts, QUICK)
    if found is None and goal.depth > 0:
        draft = draft if goal.path else with_means(draft, goal, prove)  # which rules on them ask for
        found = known(draft, goal) or rearranged(draft, goal, prove) or _bounded(draft, goal)
        form = goal.path and goal.facts and goal.relation.op == "==" and goal.relation.lhs.op in ("dot", "norm")
        found = found or (by_gram(draft, goal, goal.facts, always=False) if form else None)
        found = found or by_rule(draft, goal, prove)
    if found is not None or goal.depth <= 0:
        return found
    found = (
        (None if goal.path else _of_outcomes(draft, goal))
        or _inside(draft, goal)
        or _unfolded(draft, goal)
        or _rewritten(draft, goal)
        or by_rule(draft, goal, prove, whole=False)
        or of_both_signs(draft, goal, prove)
    )
    if found is not None or goal.path:
        return found
    return (
        _of_inner_products(draft, goal)
        or _grounded(draft, goal)
        or _closed(draft, goal, draft.seen)
        or by_gram(draft, goal, [], always=False)
        or entailed(draft, goal, facts, PATIENT)
    )


def _closed(draft: Draft, goal: Goal, facts: Sequence[Seen]) -> Draft | None:
    """The goal from the facts at all the places that they lead to: a definition at s + 1, then the recursion at s."""
    more = closed(draft, goal, facts)
    if not any(one.let and one not in facts for one in more):
        return None
    some = linear(draft, goal, more[:NEAREST]) if len(more) > NEAREST else None
    return some or linear(draft, goal, more) or entailed(draft, replace(goal, facts=tuple(more)), [], NAMED)


def _grounded(draft: Draft, goal: Goal) -> Draft | None:
    """The goal with what its author left unsaid: signs of its sums and means, and that means exist."""
    with budget(UNSAID):
        return _on_grounds(draft, goal)


def _on_grounds(draft: Draft, goal: Goal) -> Draft | None:
    more = grounded(draft, goal, prove)
    if more is draft:
        return None
    goal = replace(goal, facts=(*_new(draft, more)[::-1], *goal.facts))  # signs first: they show what is defined
    facts = in_sight(more, goal, goal.facts)
    found = linear(more, goal, facts) or by_rule(more, goal, prove) or entailed(more, goal, facts, QUICK)
    near = in_sight(more, goal, goal.facts, through=True)
    found = found or entailed(more, replace(goal, facts=tuple(near)), [], QUICK) or _inside(more, goal)
    return found or _closed(more, goal, [*goal.facts, *draft.definitions])


def _bounded(draft: Draft, goal: Goal) -> Draft | None:
    """The goal from bounds of what its expectations are of, put into these and expanded."""
    more, new = bounded(draft, goal, prove)
    if not new and not goal.path:  # perhaps for want of means that exist
        more, new = bounded(with_means(draft, goal, prove), goal, prove)
    if not new:
        return None
    more = expanded(more, goal, more=new)
    few = [*_new(draft, more), *goal.facts]
    return linear(more, goal, few) or linear(more, goal, in_sight(more, goal, few))


def _unfolded(draft: Draft, goal: Goal, only: str = "") -> Draft | None:
    """The goal with equations of the hint, then definitions as well, put into its opaque terms and expanded."""
    named = named_equations(goal)
    both = [*named, *(s for s in draft.definitions if s not in named)]
    for some in (named, both) if len(both) > len(named) > 0 else (both,):
        more, new = unfolded(draft, replace(goal, given={}), some, prove)
        if not new:
            continue
        more = expanded(more, goal, only, more=new)
        few = [*_new(draft, more), *goal.facts]
        found = linear(more, goal, few) or linear(more, goal, in_sight(more, goal, few))
        found = found or entailed(more, goal, few, QUICK)
        if found is not None:
            return found
    return None


def _inside(draft: Draft, goal: Goal, only: str = "") -> Draft | None:
    """The goal from what its opaque terms are or are bounded by, which is proved on the way."""
    more = draft if only else congruent(draft, goal, prove)
    if more is not draft:
        found = linear(more, goal, in_sight(more, goal, _new(draft, more)))
        if found is not None:
            return found
    more = expanded(more, goal, only)
    if more is draft:
        return None if only else _through_facts(draft, goal)
    fresh = _new(draft, more)
    found = linear(more, goal, in_sight(more, goal, (*fresh, *goal.facts)))
    if found is None and goal.facts:
        found = entailed(more, goal, [*fresh, *goal.facts], QUICK)
    if found is None and not goal.path:
        near = in_sight(more, goal, (*fresh, *goal.facts), through=True)
        last = replace(goal, facts=tuple(near), closest=Closest())  # what is near to this says little about the line
        found = linear(more, goal, near) or entailed(more, last, [], QUICK)
    if found is not None or only:
        return found
    again = congruent(more, goal, prove)
    return _through_facts(draft, goal) or linear(again, goal, in_sight(again, goal, _new(draft, again)))


def _rewritten(draft: Draft, goal: Goal, only: str = "") -> Draft | None:
    """The goal with what an expectation is of in another form, then expanded."""
    for more in rewritten(draft, goal, prove, only):
        found = _then_expanded(more, goal, draft)
        if found is not None:
            return found
    return None


def _then_expanded(more: Draft, goal: Goal, before: Draft) -> Draft | None:
    last = expanded(more, goal, more=_other_forms(before, more))
    return linear(last, goal, in_sight(last, goal, _new(before, last)))


def _other_forms(before: Draft, after: Draft) -> tuple[Expr, ...]:
    """What the last of the new lines says that a term is, and what others say that a mean is, the last first."""
    last, *others = (s.relation.rhs for s in _new(before, after))
    return (last, *(e for e in others if e.op in ("E", "Egiven")))


def _through_facts(draft: Draft, goal: Goal) -> Draft | None:
    """The goal from facts whose opaque terms are equal to its own."""
    heads = {t.op for t in goal.opaque}
    near = [s for s in draft.seen if any(t.op in heads and t.free & goal.normal.free for t in s.opaque)]
    facts = list(dict.fromkeys([*goal.facts, *near, *in_sight(draft, goal, goal.facts)]))[:8]
    more = to_facts(draft, goal, facts, prove)
    return None if more is draft else linear(more, goal, [*_new(draft, more), *facts])


def _new(before: Draft, after: Draft) -> tuple[Seen, ...]:
    return tuple(s for s in after.seen if isinstance(s.ref, int) and s.ref > before.last)


def find(draft: Draft, goal: Goal, hint: Hint) -> Draft | None:
    """As :func:`prove`, along the author's hint."""
    if hint.case:
        return by_cases(draft, goal, hint, find)
    if not hint.items:
        return prove(draft, goal)
    facts, others = hinted(draft, hint)
    goal = replace(goal, facts=tuple(facts))
    if not others:
        if lost := without_use(facts, hint):
            goal.closest.add(30, lost)
        return _from_facts(draft, goal)
    for item in others:
        found = _along(draft, goal, item, hint)
        if found is not None:
            return found
    found = _in_turn(draft, goal, others, hint)
    if found is not None or goal.path:
        return found
    found = _of_what_is_defined(draft, goal, hint) or _of_outcomes(draft, goal, hint)
    if found is not None:
        return found
    with budget(UNSAID):
        more = grounded(draft, goal, prove)
        tries = () if more is draft else others
        found = next((last for item in tries if (last := _along(more, goal, item, hint)) is not None), None)
    return found


def _of_what_is_defined(draft: Draft, goal: Goal, hint: Hint) -> Draft | None:
    """The goal from itself with definitions put in, of which a rule may speak: ind(meet(...)) for i[t]."""
    put = goal.relation.map(partial(with_equations, equations=draft.definitions))
    if put == goal.relation:
        return None
    with budget(UNSAID):
        more = find(draft, goal.part(goal.said(put)), hint)
    if more is None:
        return None
    goal = replace(goal, facts=(*_new(draft, more)[:1], *goal.facts))
    return _closed(more, goal, [*goal.facts, *draft.definitions]) or prove(more, goal)


def _of_outcomes(draft: Draft, goal: Goal, hint: Hint | None = None) -> Draft | None:
    """The goal on means from the same relation for all outcomes: what the hint speaks of, or a quadratic form."""
    put = goal.relation.map(_without_means)
    if put == goal.relation or not any(n.op == "E" for n in goal.relation.lhs.walk()):
        return None
    with budget(UNSAID):
        part = replace(goal.part(goal.said(put)), depth=goal.depth, closest=Closest())
        more = find(draft, part, hint) if hint else by_gram(draft, part, [], always=False)
        if more is None:
            return None
        facts = hinted(draft, hint)[0] if hint else []
        named = [s for s in facts if averages(s.normal.lhs) or averages(s.normal.rhs)]
        goal = replace(goal, facts=(*_new(draft, more)[:1], *named))
        return _of_whole_means(more, goal, put) or _from_facts(grounded(more, goal, prove), goal)


def _of_whole_means(draft: Draft, goal: Goal, outcomes: Relation) -> Draft | None:
    """The goal from E(V) <= E(W), where V <= W for all outcomes, with both means expanded."""
    means = outcomes.map(lambda e: call("E", e))
    whole = by_rule(draft, replace(goal.part(goal.said(means)), depth=0, facts=goal.facts), prove)
    last = draft if whole is None else expanded(whole, goal, more=means.sides)
    return None if last is draft else linear(last, goal, _new(draft, last))


def _without_means(e: Expr) -> Expr:
    return e.args[0] if e.op == "E" else e.each(_without_means)


def _in_turn(draft: Draft, goal: Goal, items: list[Item], hint: Hint) -> Draft | None:
    """The goal from what the rules named say one after the other; the last word may be a rule's or a citation's."""
    more = said_in_turn(draft, goal, [i.name for i in items if i.name in RULES], prove)
    if more is draft:
        return None
    goal = replace(goal, facts=(*_new(draft, more), *goal.facts))
    found = linear(more, goal, list(goal.facts)) or entailed(more, goal, [], NAMED)
    for part in () if found is not None else (goal, *with_terms_put(goal, _new(draft, more))):
        for item in items:
            last = _along(more, part, item, hint)
            if last is not None:
                return last if part is goal else linear(last, goal, [*_new(more, last), *goal.facts])
    return found or linear(more, goal, in_sight(more, goal, goal.facts))


def _from_facts(draft: Draft, goal: Goal) -> Draft | None:
    """The goal from the facts named: as multiples of them, as premises of a rule, with the others in sight."""
    named, facts = list(goal.facts), in_sight(draft, goal, goal.facts)
    return (
        known(draft, goal)
        or of_a_known_mean(draft, goal)
        or linear(draft, goal, named)
        or entailed(draft, goal, [], NAMED)
        or linear(draft, goal, facts)
        or _counted(draft, goal, facts)
        or entailed(draft, goal, facts, QUICK)
        or _closed(draft, goal, named)
        or by_rule(draft, replace(goal, depth=0), prove)
        or by_gram(draft, goal, named, always=False)
        or _of_inner_products(draft, goal)
        or _bounded(draft, goal)
        or by_rule(draft, goal, prove)
        or _unfolded(draft, goal)
        or _inside(draft, goal)
        or _multiplied_out(draft, goal)
        or entailed(draft, goal, facts, PATIENT)
        or (None if goal.path or not goal.structured else _grounded(draft, goal))
    )


def _of_inner_products(draft: Draft, goal: Goal) -> Draft | None:
    """The goal from equations of the hint, E(X) = m say, or with |E(X)|**2 in it: E <w, X> is <w, E(X)>, squares under
    means multiplied out."""
    equations = named_equations(goal)
    of_means = any(n.op == "E" for s in equations for n in s.relation.lhs.walk())
    lengths = any(n.op == "norm" and n.args[0].op == "E" for n in goal.relation.walk())
    if goal.path or not (of_means or lengths):
        return None
    means = with_means(draft, goal, prove)
    for more in (means, *islice(rewritten(means, goal, prove), 1)):
        new = () if more is means else _other_forms(means, more)
        last = with_inner_products(expanded(more, goal, more=new), goal, [*goal.relation.sides, *new], equations)
        for seen in _new(more, last):
            last, put = unfolded(last, goal.part(goal.said(seen.relation)), equations, prove)
            last = expanded(last, goal, more=put)
        last = with_squares_of_constants(last, goal, [*goal.relation.sides, *new])
        found = linear(last, goal, [*_new(means, last), *goal.facts])
        if found is not None:
            return found
    return None


def _multiplied_out(draft: Draft, goal: Goal) -> Draft | None:
    """The goal from the facts named with their opaque terms expanded: <g - m, m> is <g, m> - |m|^2."""
    more, sides = draft, [side for s in goal.facts for side in s.relation.sides]
    for _ in range(2):  # <m, -m> is a multiple of <m, m>, which is a square
        before, terms = more, tuple(dict.fromkeys(t for side in sides for t in raw_opaque(side)))
        more = expanded(before, goal, more=terms)
        sides = [s.normal.rhs for s in _new(before, more)] + [s.normal.lhs for s in _new(before, more)]
    return None if more is draft else linear(more, goal, [*_new(draft, more), *goal.facts])


def _counted(draft: Draft, goal: Goal, facts: list[Seen]) -> Draft | None:
    """The goal from the facts, and what the sums of equal terms in them are."""
    sums = (n for r in (goal.relation, *(s.relation for s in facts)) for n in r.walk())
    more = counted(draft, goal, sums)
    return None if more is draft else linear(more, goal, [*_new(draft, more), *facts])


def _along(draft: Draft, goal: Goal, item: Item, hint: Hint) -> Draft | None:
    if item.name in SCALAR_WORDS:
        facts = list(goal.facts)
        return (entailed(draft, goal, [], PATIENT) if facts else None) or scalar(draft, goal, PATIENT)
    if item.name == "gram":
        form = partial(by_gram, facts=goal.facts, always=True)
        return form(draft, goal) or of_both_signs(draft, goal, form)
    if item.name == "inside":
        return _inside(draft, goal)
    if item.name == "definition":
        step = goal.step(Definition())
        refusal = draft.checker.check(draft.statement, step, QUICK)
        goal.closest.add(9, refusal.reason if refusal else "")
        return None if refusal else draft.with_step(step, "definition")
    if item.name in RULES:
        rule = RULES[item.name]
        values = "; ".join(f"{name} = ..." for name in rule.names)
        says = f"{item.name} says {with_members(rule.conclusion)}, which does not fit"
        goal.closest.add(-1, f"{says}; its values may be told: with {values}")
        goal = replace(goal, given={k: adapter.value_of(v) for k, v in {**hint.let, **item.let}.items()})
        return (
            by_rule(draft, replace(goal, depth=0), prove, only=item.name)
            or (by_induction(draft, goal, hint, find) if item.name in SEQUENCES else None)
            or by_rule(draft, goal, prove, only=item.name)
            or by_rule(draft, goal, prove, whole=False, only=item.name)
            or _inside(draft, goal, only=item.name)
            or _rewritten(draft, goal, only=item.name)
            or _unfolded(draft, goal, only=item.name)
            or _through(draft, goal, item.name)
            or _instance(draft, goal, item.name)
            or _form_of(draft, goal, item.name)
        )
    if item.cites:
        if not item.let and hint.let:
            item = replace(item, let=hint.let)
        return by_citation(draft, goal, item, prove)
    goal.closest.add(30, unknown_hint(draft, item))
    return None


def _through(draft: Draft, goal: Goal, rule: str) -> Draft | None:
    """The goal from opaque terms that are related by the rule named, put into a combination of facts."""

    def step(more: Draft, part: Goal) -> Draft | None:
        return by_rule(more, part, prove, only=rule)

    more = congruent(draft, goal, step)
    if more is draft:
        return None
    return linear(more, goal, in_sight(more, goal, (*_new(draft, more), *goal.facts)))


def _form_of(draft: Draft, goal: Goal, rule: str) -> Draft | None:
    """The goal as a form from what the rule named says of one of its terms: there |h v|^2 is h^2 |v|^2."""
    if (goal.path and goal.depth < 2) or not any(n.op in ("dot", "norm") for n in goal.normal.walk()):
        return None
    terms = [n for n in goal.relation.walk() if is_opaque(n) and n.op not in ("dot", "norm", "E", "P")]
    for term in dict.fromkeys(terms):
        for more in about(draft, replace(goal, closest=Closest()), RULES[rule], term, prove):
            found = by_gram(more, goal, [*_new(draft, more)[:1], *goal.facts], always=False)
            if found is not None:
                return found
    return None


def _instance(draft: Draft, goal: Goal, name: str) -> Draft | None:
    """The goal from the rule's conclusion at the values that the hint gives."""
    rule = RULES[name]
    if not goal.given or not set(rule.names) <= goal.given.keys():
        return None
    claim = adapter.relation_of(rule.conclusion).map(lambda e: substituted(e, goal.given))
    part = goal.part(goal.said(claim), name)
    more = by_rule(draft, replace(part, given=goal.given), prove, only=name)
    if more is None:
        return None
    goal = replace(goal, given={}, facts=(*_new(draft, more), *goal.facts))
    for side in (claim.rhs, claim.lhs):
        for last in put_for_whole(more, goal, side, prove):
            found = _then_expanded(last, goal, draft)
            if found is not None:
                return found
    return prove(more, goal)


def unknown_hint(draft: Draft, item: Item) -> str:
    """What to say of a hint that names nothing."""
    facts = [s.name for s in draft.seen if s.name]
    if hint := nearest(item.name, [*facts, *RULES, *WORDS]):
        return f"{item.name!r} is not known here; {hint}"
    text = f"{item.name!r} is not known here; it is no fact in sight, no rule and no label"
    word = item.name.lower()
    found = [n for n, r in RULES.items() if len(word) > 3 and (word in n.lower() or word in r.source.lower())]
    more = ", ..." if len(found) > 4 else ""
    return f"{text}; rules about it: {', '.join(found[:4])}{more}" if found else text
