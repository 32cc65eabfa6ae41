"""Reasons that are scalar: the domain alone, a known fact, a combination of facts in sight."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from boundcheck.author import adapter, ring
from boundcheck.author.draft import Draft, Seen, instances, opaque, partial, terms_in
from boundcheck.author.goal import PATIENT, QUICK, Goal, accept
from boundcheck.author.linear import Given, combination
from boundcheck.author.ring import Polynomial
from boundcheck.kernel.clock import exhausted
from boundcheck.kernel.formula import Expr, Relation, is_opaque
from boundcheck.kernel.statement import Decide, Fact, Follows, Ref

MAX_FACTS = 24
MAX_PLACES = 4  #: at which a fact of the hint is asked
ROUNDS = 3  #: how often facts are put to terms that facts brought in
ORDER = ("<", "<=", ">", ">=", "==")


def placed(draft: Draft, goal: Goal, seen: Seen, terms: set[Expr]) -> Iterator[Seen]:
    """The instances of a fact at terms of the goal, of the sorts that it wants, where the goal is said."""
    found = instances(seen, terms, goal.own)
    return (one for one in found if _sorted(draft, goal, one) and not goal.outside(one))


def in_sight(draft: Draft, goal: Goal, first: Sequence[Seen] = (), through: bool = False) -> list[Seen]:
    """Instances of the facts in sight that share something with the goal, or ``through`` ``first``, nearest first."""
    terms = terms_in(goal.normal) | terms_in(goal.relation)
    found: dict[tuple[object, ...], Seen] = {}
    for seen in [*first, *draft.seen]:
        for one in [seen] if seen.let else placed(draft, goal, seen, terms):
            found.setdefault((one.ref, one.let), one)
    wanted = set(goal.opaque).union(*(s.opaque for s in first if through))
    names = set(goal.normal.free)
    ranked: list[Seen] = list(first)
    pool = [s for s in found.values() if s not in ranked]
    for _ in range(3):
        near = [s for s in pool if _touches(s, wanted, names)]
        near.sort(key=lambda s: (-len(s.opaque & wanted), len(s.opaque - wanted)))
        ranked += near
        pool = [s for s in pool if s not in near]
        wanted |= {t for s in near[:8] for t in s.opaque}
        names |= {n for s in near[:8] if not s.opaque for n in s.normal.free}
    return ranked[:MAX_FACTS]


def closed(draft: Draft, goal: Goal, facts: Sequence[Seen]) -> list[Seen]:
    """Instances of the facts at terms of the goal and its conditions, then at terms of these instances, and so on."""
    relations = [goal.normal, goal.relation, *goal.fact.conditions]
    terms = {t for r in relations for t in terms_in(r)}
    normal = [adapter.normal(r) for r in relations]
    wanted = set(goal.opaque).union(*(opaque(s) for r in normal for s in r.sides))
    wanted |= {n for r in normal for n in r.walk() if is_opaque(n)}  # also those inside of others
    found = [s for s in facts if s.let]
    for _ in range(ROUNDS):
        new: list[Seen] = []
        for seen in dict.fromkeys(s for s in facts if not s.let):
            said = {one.place for one in found if one.ref == seen.ref}  # at t + 1 + 1 it says what it does at t + 2
            near = {one.place: one for one in placed(draft, goal, seen, terms) if one.place not in said}
            new += [one for one in near.values() if not one.opaque or one.opaque & wanted]
        found += new
        terms |= {t for one in new for r in (one.relation, one.normal) for t in terms_in(r)}
        wanted |= {t for one in new for t in one.opaque}
        if not new or len(found) >= MAX_FACTS:
            break
    return found[:MAX_FACTS]


def _touches(seen: Seen, wanted: set[Expr], names: set[str]) -> bool:
    if seen.opaque:
        return bool(seen.opaque & wanted)
    return bool(seen.normal.free & names) or not seen.normal.free


def known(draft: Draft, goal: Goal) -> Draft | None:
    """The goal is a fact in sight, or an instance of one, or has two equal sides."""
    if goal.normal.lhs is goal.normal.rhs and goal.normal.op in ("<=", ">=", "=="):
        return accept(draft, goal, Follows(()), "scalar", near=3)
    terms = terms_in(goal.normal) | terms_in(goal.relation)
    for seen in [*goal.facts, *draft.seen]:
        for one in [seen] if seen.let else placed(draft, goal, seen, terms):
            if _says(one.normal, goal.normal):
                found = accept(draft, goal, Follows((one.use,)), "known fact", near=3)
                if found is not None:
                    return found
    return None


def _says(fact: Relation, goal: Relation) -> bool:
    for r in (fact, fact.flipped()):
        if r.sides == goal.sides:
            weaker = {"<": ("<", "<=", "!="), ">": (">", ">=", "!="), "==": ("==", "<=", ">=")}
            if goal.op in weaker.get(r.op, (r.op,)):
                return True
    return False


def scalar(draft: Draft, goal: Goal, seconds: float) -> Draft | None:
    """The goal holds on its domain, by the engines alone."""
    if goal.opaque:
        return accept(draft, goal, Follows(()), "scalar", seconds, near=2)
    return accept(draft, goal, Decide(), "scalar", seconds, near=2)


def linear(draft: Draft, goal: Goal, facts: Sequence[Seen], near: int = 4) -> Draft | None:
    """The goal is a combination of the facts; their multipliers are looked for."""
    if goal.normal.op not in ORDER:
        return None
    low, high = goal.normal.sides if goal.normal.op in ("<", "<=", "==") else (
        goal.normal.rhs, goal.normal.lhs)  # fmt: skip
    usable = [s for s in facts if s.normal.op in ORDER]
    said = frozenset((s.normal, bool(s.fact.over)) for s in usable)
    tried = (goal.normal, goal.fact.conditions, goal.integers, said)
    if tried in goal.failed:
        return None
    signs = goal.signs(draft, usable)
    given = [Given(ring.unsigned(_gap(s.normal), signs.atom), s.normal.op == "==") for s in usable]
    equation = goal.normal.op == "=="
    shares = combination(ring.unsigned(ring.gap(low, high), signs.atom), equation, given, signs)
    if not shares:
        if not exhausted():
            goal.failed.add(tried)
        return None
    refs: list[Ref] = []
    factors: list[str] = []
    helpers: list[Seen] = []
    for share in shares:
        for term in share.times.walk():
            if term in signs.used and signs.used[term] not in helpers:
                helpers.append(signs.used[term])
    for seen in helpers:
        refs.append(seen.use)
        factors.append("")
    for share in shares:
        refs.append(usable[share.index].use)
        factors.append(str(-share.times if equation else share.times))  # the kernel's sign for equations
    kind = "combination of facts" if len(shares) > 1 else "multiple of a fact"
    found = accept(draft, goal, Follows(tuple(refs), tuple(factors)), kind, QUICK, near)
    if found is None:
        found = accept(draft, goal, Follows(tuple(refs)), kind, QUICK, near)
    terms = terms_in(goal.normal) | terms_in(goal.relation)
    named = (s for f in goal.facts for s in ([f] if f.let or not f.fact.over else placed(draft, goal, f, terms)))
    others = [s for s in islice(named, MAX_FACTS) if s.use not in refs]
    for some in _without_conditions_first(others):  # they may show the conditions of the instances
        if found is None:
            by = Follows((*(s.use for s in some), *refs), (*("" for _ in some), *factors))
            found = accept(draft, goal, by, kind, QUICK, near)
    return found


def _gap(r: Relation) -> Polynomial:
    return ring.gap(r.lhs, r.rhs) if r.op in ("<", "<=", "==") else ring.gap(r.rhs, r.lhs)


def entailed(draft: Draft, goal: Goal, facts: Sequence[Seen], seconds: float = PATIENT) -> Draft | None:
    """The goal follows from the facts by scalar reasoning, which the engines find.

    A fact that is defined everywhere comes first: it may show where another one is.
    """
    for chosen in _choices(draft, goal, facts):
        refs = tuple(s.use for s in sorted(chosen, key=lambda s: partial(s.relation)))
        by = Follows(refs) if goal.opaque or any(s.opaque for s in chosen) else Decide(refs)
        found = accept(draft, goal, by, "scalar from facts", seconds, near=3)
        if found is not None:
            return found
    return None


def _choices(draft: Draft, goal: Goal, facts: Sequence[Seen]) -> Iterable[list[Seen]]:
    if goal.facts:
        yield list(goal.facts)
    named = where_wanted(draft, goal)
    if named and named != list(goal.facts):
        yield named
    equations = [s for s in facts if s.normal.op == "==" and s.normal.lhs.op == "var" and s not in named]
    spoken = goal.given_terms.union(*(s.opaque for s in named))
    covering = [s for s in facts if s.opaque and s.opaque <= spoken and s not in named]
    scalars = [s for s in facts if not s.opaque and s.normal.free <= goal.normal.free and s not in named]
    if not goal.opaque and equations:
        yield [*named, *equations[:4]]
        yield [*named, *_defining(draft, goal.normal.free.union(*(s.normal.free for s in named)), named)]
    for some in _without_conditions_first(covering):
        yield [*named, *_plain_first(some[:5])]
    if (equations or covering) and scalars:
        yield [*named, *_plain_first([*covering[:4], *equations[:3], *scalars[:3]])]
    elif scalars and not named:
        yield scalars[:4]


def _without_conditions_first(facts: list[Seen]) -> list[list[Seen]]:
    """The facts that hold always, then all of them: one whose condition is not met spoils the others."""
    always = [s for s in facts if not s.conditions]
    return [some for some in ([always, facts] if len(always) < len(facts) else [facts]) if some]


def _defining(draft: Draft, names: frozenset[str], named: Sequence[Seen]) -> list[Seen]:
    """The equations that say what the names are, what the names in these are, and so on."""
    said = [s for s in draft.seen if s.normal.op == "==" and s.normal.lhs.op == "var" and not s.fact.over]
    left = [s for s in said if s not in named]
    found: list[Seen] = []
    while new := [s for s in left if s.normal.lhs.free <= names]:
        names, found = names.union(*(s.normal.free for s in new)), [*found, *new]
        left = [s for s in left if s not in new]
    return found[:MAX_FACTS]


def where_wanted(draft: Draft, goal: Goal) -> list[Seen]:
    """The facts of the hint, those for all values of names that the goal does not have at values that it speaks of."""
    terms = {t for r in (goal.normal, goal.relation, *goal.fact.conditions) for t in terms_in(r)}
    found: list[Seen] = []
    for seen in goal.facts:
        own = seen.let or set(seen.fact.over) <= goal.own
        found += [seen] if own else islice(placed(draft, goal, seen, terms), MAX_PLACES)
    return list(dict.fromkeys(found))


def _sorted(draft: Draft, goal: Goal, one: Seen) -> bool:
    """Whether no name is put for one of another sort."""
    own = dict.fromkeys(goal.fact.over, "real") | _kinds(goal.integers)
    wanted = dict.fromkeys(one.fact.over, "real") | _kinds(one.integers)
    names = {k: str(v.value) for k, v in ((k, adapter.value_of(t)) for k, t in one.let) if v.op == "var"}
    put = {k: own.get(n) or draft.kinds.get(n, "") for k, n in names.items()}
    return all(kind == wanted[k] or (kind, wanted[k]) == ("integer", "real") for k, kind in put.items())


def _kinds(sorts: Sequence[str]) -> dict[str, str]:
    return {adapter.bare(s): s.split()[-1] for s in sorts}


def _plain_first(facts: list[Seen]) -> list[Seen]:
    """Bounds of opaque terms themselves before facts that have such terms inside: E(X) >= 0 before sqrt(E(X)) <= c.

    A fact says something only where it is defined, and those before it may show that it is.
    """
    return sorted(facts, key=lambda s: bool(s.opaque) and not {s.normal.lhs, s.normal.rhs} & s.opaque)


def by_domain(draft: Draft, goal: Goal, seconds: float = QUICK) -> Draft | None:
    """The goal with relations of the domain that bring in further parameters: tau >= S where only tau is spoken of."""
    names = set(goal.normal.free)
    wanted: list[Relation] = []
    for _ in range(2):
        for r in draft.statement.domain:
            if r not in wanted and r.free & names and not r.free <= set(goal.normal.free):
                wanted.append(r)
                names |= r.free
    if not wanted or len(wanted) > 6:
        return None
    refs: list[Ref] = []
    for r in wanted:
        found = accept(draft, goal.part(Fact(str(r)), str(r)), Decide(), "domain")
        if found is None:
            continue
        draft = found
        refs.append(draft.last)
    return accept(draft, goal, Decide(tuple(refs)), "scalar", seconds, near=3) if refs else None


def relevant(draft: Draft, goal: Goal, relations: Iterable[Relation]) -> list[Seen]:
    """A few facts on the terms of ``relations``, for side conditions and implications."""
    terms = {t for r in relations for t in terms_in(r)}
    atoms = frozenset().union(*(opaque(r.lhs) | opaque(r.rhs) for r in relations))
    names = frozenset().union(*(r.free for r in relations))
    found: list[Seen] = []
    for seen in draft.seen:
        near = [
            one
            for one in placed(draft, goal, seen, terms)
            if one.opaque & atoms or (not one.opaque and one.normal.free and one.normal.free <= names)
        ]
        found += sorted(near, key=lambda one: len(one.opaque - atoms))[:1]
    return found[:6]
