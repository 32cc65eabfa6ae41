"""Reasoning inside of terms: equals, smaller terms put into E, P, norm, sum, integral; E, sums, norms expanded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice

from boundcheck.author import adapter
from boundcheck.author.adapter import RULES, Rule, exchanged, same
from boundcheck.author.by_gram import by_gram, multiples
from boundcheck.author.by_rule import Prove, apply, by_rule, needed, permitted, proposals
from boundcheck.author.draft import Draft, Seen, instances, terms_in
from boundcheck.author.goal import Goal
from boundcheck.author.match import match, substituted
from boundcheck.kernel.formula import BINDERS, Expr, FormulaError, Relation, call, is_opaque, num
from boundcheck.kernel.statement import Fact

MAX_PAIRS = 12
MAX_PARTS = 4  #: of a sum whose square is multiplied out
MAX_EXPANSIONS = 24
MAX_SPLITS = 16  #: ways to deal the factors of a term out between those of a rule
MAX_BOUNDS = 3  #: facts that are tried on one expectation


def congruent(draft: Draft, goal: Goal, prove: Prove) -> Draft:
    """The draft with steps that relate opaque terms of the two sides which differ inside (as many as are found)."""
    left, right = _unmatched(goal.relation)
    tried = 0
    for a in left:
        for b in right:
            if a.op != b.op or a is b or tried >= MAX_PAIRS:
                continue
            if Relation(goal.relation.op, a, b) == goal.relation:
                continue
            tried += 1
            for op in dict.fromkeys(("==", goal.relation.op)):
                fact = goal.said(Relation(op, a, b))
                if fact.claim in goal.path or op in ("<", ">", "!="):
                    continue
                found = prove(draft, goal.part(fact))
                if found is not None:
                    draft = found
                    break
    return draft


def to_facts(draft: Draft, goal: Goal, facts: Sequence[Seen], prove: Prove) -> Draft:
    """The draft with steps that make opaque terms of the goal equal to such of the facts: E|Z|**2 to E(Z**2)."""
    left, right = _unmatched(goal.relation)
    tried = 0
    for a in (*left, *right):
        for b in dict.fromkeys(t for s in facts for side in s.relation.sides for t in raw_opaque(side)):
            if a.op != b.op or same(a, b) or tried >= MAX_PAIRS // 2:
                continue
            tried += 1
            fact = goal.said(Relation("==", a, b))
            if fact.claim in goal.path:
                continue
            found = prove(draft, goal.part(fact))
            if found is not None:
                draft = found
                break
    return draft


def bounded(draft: Draft, goal: Goal, prove: Prove) -> tuple[Draft, tuple[Expr, ...]]:
    """The draft with E(X) <= E(Y) for each expectation of the goal of an X that a fact bounds by Y; the new terms.

    The norm of a mean is bounded by the mean of the norm first.
    """
    left, right = _unmatched(goal.relation)
    new: list[Expr] = []
    draft, means = _norms_of_means(draft, goal, [*left, *right], prove)
    for term in (t for t in (*left, *right, *means) if t.op in ("E", "Egiven")):
        bounds = islice(bounds_of(draft, goal, term.args[0]), MAX_BOUNDS)
        for r in dict.fromkeys(bounds):
            other = Expr(term.op, (r.rhs, *term.args[1:]))
            fact = goal.said(Relation(r.op, term, other))
            found = prove(draft, goal.part(fact)) if fact.claim not in goal.path else None
            if found is not None:
                spread = adapter.canonical(r.rhs)  # E of it is a sum of multiples
                draft, new = found, [*new, other if "#" in str(spread) else Expr(term.op, (spread, *term.args[1:]))]
                break
    return draft, tuple(new)


def _norms_of_means(draft: Draft, goal: Goal, terms: Sequence[Expr], prove: Prove) -> tuple[Draft, list[Expr]]:
    """The draft with norm(E(X)) <= E(norm(X)) for such norms among ``terms``; and these means of norms."""
    found: list[Expr] = []
    for term in (t for t in terms if t.op == "norm" and t.args[0].op in ("E", "Egiven")):
        mean = term.args[0]
        other = Expr(mean.op, (Expr("norm", mean.args[:1]), *mean.args[1:]))
        fact = goal.said(Relation("<=", term, other))
        more = prove(draft, goal.part(fact)) if fact.claim not in goal.path else None
        if more is not None:
            draft, found = more, [*found, other]
    return draft, found


def named_equations(goal: Goal) -> list[Seen]:
    """The facts of the hint that say what one thing is."""
    return [s for s in goal.facts if s.relation.op == "==" and _single(s.relation.lhs)]


def unfolded(draft: Draft, goal: Goal, equations: Sequence[Seen], prove: Prove) -> tuple[Draft, tuple[Expr, ...]]:
    """The draft with opaque terms of the goal equal to these with equations put in; and what these become."""
    left, right = _unmatched(goal.relation)
    new: list[Expr] = []
    for term in (*left, *right):
        other = Expr(term.op, tuple(with_equations(a, equations) for a in term.args), term.value)
        if other is term:
            continue
        fact = goal.said(Relation("==", term, other))
        if fact.claim in goal.path or not _readable(fact):
            continue
        found = prove(draft, goal.part(fact))
        if found is not None:
            draft, new = found, [*new, other]
    return draft, tuple(new)


def _single(e: Expr) -> bool:
    """Whether an equation with this left side says what one thing is: a name, or a value of a family or a function."""
    return e.op in ("var", "at") or is_opaque(e)


def with_equations(e: Expr, equations: Sequence[Seen]) -> Expr:
    """The term with the right sides of equations in place of their left sides, wherever these stand in it."""
    for seen in equations:
        r = seen.relation
        for values in match(r.lhs, e, frozenset(seen.fact.over) - {k for k, _ in seen.let}, {}):
            return with_equations(substituted(r.rhs, values), [s for s in equations if s is not seen])
    return Expr(e.op, tuple(with_equations(a, equations) for a in e.args), e.value) if e.args else e


def bounds_of(draft: Draft, goal: Goal, of: Expr) -> Iterator[Relation]:
    """What the facts say about ``of``, as relations with it on the left: those of the hint, or all in sight."""
    terms = terms_in(goal.relation)
    for seen in goal.facts or draft.seen:
        for one in [seen] if seen.let else instances(seen, terms, goal.own):
            for r in (one.relation, one.relation.flipped()):
                if r.op in ("<=", ">=", "==") and same(r.lhs, of):
                    yield Relation(r.op, of, r.rhs)


def _unmatched(r: Relation) -> tuple[list[Expr], list[Expr]]:
    """The opaque terms of each side that do not stand on the other."""
    left, right = raw_opaque(r.lhs), raw_opaque(r.rhs)
    return (
        [a for a in left if not any(same(a, b) for b in right)],
        [b for b in right if not any(same(a, b) for a in left)],
    )


def raw_opaque(e: Expr) -> list[Expr]:
    """The maximal opaque terms of ``e`` as they are written."""
    if is_opaque(e) and e.op != "clip":
        return [e]
    if e.op in BINDERS:
        return [e]
    return list(dict.fromkeys(t for a in e.args for t in raw_opaque(a)))


def expandable() -> list[Rule]:
    """The rules that say what one opaque term is in terms of smaller ones, without premises."""
    found = []
    for rule in RULES.values():
        r = adapter.relation_of(rule.conclusion)
        single = is_opaque(r.lhs) or r.lhs.op in BINDERS or (r.lhs.op == "pow" and r.lhs.args[0].op == "norm")
        written = {n.value for n in r.lhs.walk() if n.op == "var"}
        if r.op == "==" and single and written >= needed(rule) and not rule.implies and not rule.derived:
            found.append(rule)
    return found


def rewriting() -> list[Rule]:
    """The rules without premises that say what a term, which is no opaque one, equals: (X - a)_+ is an integral."""
    known = expandable()
    found = []
    for rule in RULES.values():
        r = adapter.relation_of(rule.conclusion)
        plain = r.op == "==" and not rule.premises and not rule.implies and not rule.derived and rule not in known
        if plain and r.lhs.op in ("max", "pow", "mul", "add", "sub") and r.lhs.free >= needed(rule):
            found.append(rule)
    return found


def rewritten(draft: Draft, goal: Goal, prove: Prove, only: str = "") -> Iterator[Draft]:
    """Drafts in which what an expectation is of is written in another form: squares multiplied out, then by one rule
    (as an integral)."""
    left, right = _unmatched(goal.relation)
    rules = [RULES[only]] if only else rewriting()
    means = [t for t in (*left, *right) if t.op in ("E", "Egiven")]
    out = draft
    for term, part in ((t, p) for t in means for p in _parts(t.args[0]) if not only):
        new = multiplied_out(part, adapter.numbers(draft.statement))
        if new is not None:
            more = by_gram(out, goal.part(goal.said(Relation("==", part, new))), (), always=True)
            out = (_put(more, goal, None, term, part, new, prove) if more is not None else None) or out
    if out is not draft:
        yield out
    for term in means:
        for rule in rules:
            pattern = adapter.relation_of(rule.conclusion)
            metas = frozenset(rule.names)
            for part in _parts(term.args[0]):
                for values in islice(match(pattern.lhs, part, metas, dict(goal.given)), 3):
                    if not needed(rule) <= values.keys() or not permitted(rule, values, draft.random):
                        continue
                    new = substituted(pattern.rhs, values)
                    found = _put(draft, goal, rule, term, part, new, prove)
                    if found is not None:
                        yield found


def multiplied_out(e: Expr, numbers: frozenset[str]) -> Expr | None:
    """The square of the length of a sum of multiples of vectors: b**2 |v|**2 + 2 b <v, w> + |w|**2 of b v + w."""
    if e.op != "pow" or e.args[1] is not num(2) or e.args[0].op != "norm":
        return None
    parts = multiples(e.args[0].args[0], numbers)
    squares = [c**2 * call("norm", v) ** 2 for c, v in parts]
    products = [2 * c * k * call("dot", v, w) for (c, v), (k, w) in combinations(parts, 2)]
    return sum([*squares, *products], num(0)) if 1 < len(parts) <= MAX_PARTS else None


def put_for_whole(draft: Draft, goal: Goal, new: Expr, prove: Prove) -> Iterator[Draft]:
    """Drafts in which ``new`` stands for all of what an expectation is of, where the facts say that it is equal."""
    left, right = _unmatched(goal.relation)
    for term in (t for t in (*left, *right) if t.op in ("E", "Egiven")):
        found = _put(draft, goal, None, term, term.args[0], new, prove)
        if found is not None:
            yield found


def _parts(e: Expr) -> Iterator[Expr]:
    """``e`` and the terms of it that are not inside of opaque ones."""
    yield e
    if not is_opaque(e) and e.op not in BINDERS:
        for a in e.args:
            yield from _parts(a)


def _put(draft: Draft, goal: Goal, rule: Rule | None, term: Expr, old: Expr, new: Expr, prove: Prove) -> Draft | None:
    """The steps: old == new by the rule, what the expectation is of with it, the expectations."""
    whole = exchanged(term.args[0], {old: new})
    claims = [(old, new), (term.args[0], whole), (term, Expr(term.op, (whole, *term.args[1:])))]
    for a, b in dict.fromkeys(claims):
        fact = goal.said(Relation("==", a, b))
        if fact.claim in goal.path or not _readable(fact):
            return None
        part = goal.part(fact)
        if rule is not None and a is old:
            found = by_rule(draft, replace(part, depth=0), prove, only=rule.name)
        else:
            found = prove(draft, part)
        if found is None:
            return None
        draft = found
    return draft


def _readable(fact: Fact) -> bool:
    """Whether the reader takes the fact: it refuses towers of powers, which a rewriting may build."""
    try:
        adapter.relation_of(fact.claim)
    except FormulaError:
        return False
    return True


def expanded(draft: Draft, goal: Goal, only: str = "", more: tuple[Expr, ...] = ()) -> Draft:
    """The draft with steps that expand opaque terms which do not stand on both sides: E(c X + Y), sums, norms."""
    rules = [RULES[only]] if only else expandable()
    left, right = _unmatched(goal.relation)
    queue = [*more, *left, *right]
    done: set[Expr] = set()
    steps = 0
    while queue and steps < MAX_EXPANSIONS:
        term = queue.pop(0)
        if term in done:
            continue
        done.add(term)
        for rule in rules:
            found = _expansion(draft, goal, rule, term)
            if found is not None:
                draft, steps = found, steps + 1
                new = adapter.relation_of(draft.statement.steps[-1].fact.claim)
                queue += [t for t in raw_opaque(new.rhs) if t not in done]
                break
        else:
            queue += _spread(term)
    return draft


def _spread(term: Expr) -> list[Expr]:
    """A mean of what is multiplied out, E((X - m)**2) as that of a sum; to the kernel it is the same term."""
    if term.op not in ("E", "Egiven"):
        return []
    whole = adapter.canonical(term.args[0])
    plain = whole.op in ("add", "sub") and "#" not in str(whole)
    return [Expr(term.op, (whole, *term.args[1:]))] if plain and whole is not term.args[0] else []


def _expansion(draft: Draft, goal: Goal, rule: Rule, term: Expr) -> Draft | None:
    r = adapter.relation_of(rule.conclusion)
    tried = 0
    for values in match(r.lhs, term, frozenset(rule.names), {}):
        if not needed(rule) <= values.keys() or not permitted(rule, values, draft.random):
            continue
        right = substituted(r.rhs, values)
        if term in right.walk() or same(right, term) or any(same(term, t) for t in raw_opaque(right)):
            continue
        fact = goal.said(Relation("==", term, right))
        part = goal.part(fact)
        for proposal in islice(proposals(draft, part, rule, True), 1):
            if None not in proposal.premises:
                found = apply(draft, part, proposal, near=1)
                if found is not None:
                    return found
        tried += 1
        if tried >= MAX_SPLITS:
            break
    return None
