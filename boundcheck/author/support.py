"""Facts that show that what a line or a claim speaks of is defined: b(s) > 0 where it says 1/b(s).

Proposals only: the kernel demands that each partial term be defined, and takes nothing from here on trust.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from boundcheck.author.draft import Draft, Seen, instances, terms_in
from boundcheck.kernel.formula import Expr, Relation, is_opaque
from boundcheck.kernel.proof.scalar_claims import Obligation, partial_terms
from boundcheck.kernel.statement import ByGram, ByRule, Cite, Decide, Follows, Justification, Ref

MAX_SUPPORT = 6
ROLES = ("definedness", "convergence")

_Head = tuple[str, str]


def supporting(draft: Draft, claim: Relation, said: Ref) -> list[Ref]:
    """Facts about what ``claim`` is formed of, the shortest first; as they stand, for all values of their names."""
    terms = terms_in(claim)
    heads = {_head(t) for t in terms if is_opaque(t)}
    names = {str(t.value) for t in terms if t.op == "var"}
    seen = sorted(draft.seen, key=lambda s: len(s.opaque))
    found: list[Ref] = [s.ref for s in seen if s.ref != said and _plain(s) and _near(s, heads, names)]
    return found[:MAX_SUPPORT]


def with_support(draft: Draft, own: frozenset[str], by: Justification, failed: Obligation) -> list[Justification]:
    """The justification with facts that may show what ``failed`` asks for: with all of them, and with each."""
    if failed.role not in ROLES or not isinstance(by, Follows | Decide | ByRule | Cite | ByGram):
        return []
    terms = {n for t in failed.terms.values() for n in t.walk()}
    heads = {_head(t) for t in terms if is_opaque(t)}
    spoken = [r for r in getattr(failed.claim, "claim", ()) if isinstance(r, Relation)]
    names = frozenset().union(*(r.free for r in spoken)) - failed.terms.keys()
    found: list[Seen] = []
    for seen in sorted(draft.seen, key=lambda s: len(s.opaque)):
        if not _plain(seen) or not _near(seen, heads, names):
            continue
        near = (one for one in instances(seen, terms, own) if not one.opaque or one.opaque & terms)
        found += [one for one in near if one.use not in by.using][:2]
    found = found[:MAX_SUPPORT]
    if isinstance(by, Decide):
        found = [s for s in found if not s.opaque]
    sets = [found] if len(found) < 2 else [found, *([s] for s in found)]
    return [_with(by, [s.use for s in some]) for some in sets if some]


def _with(by: Follows | Decide | ByRule | Cite | ByGram, more: list[Ref]) -> Justification:
    """With further facts, which stand first where their order matters: a fact is defined by those before it."""
    if isinstance(by, ByRule | Cite):
        return replace(by, using=(*by.using, *more))
    if isinstance(by, Decide):
        return replace(by, using=(*more, *by.using))
    times = (*("" for _ in more), *by.times) if by.times else ()
    return replace(by, using=(*more, *by.using), times=times)


def _head(e: Expr) -> _Head:
    """What a family's members, or a function's values, have in common."""
    return e.op, str(e.args[0]) if e.op == "at" else ""


def _plain(seen: Seen) -> bool:
    """Whether it compares numbers that are defined everywhere."""
    return not any(True for side in seen.normal.sides for _ in partial_terms(side, False))


def _near(seen: Seen, heads: set[_Head], names: Iterable[str]) -> bool:
    if seen.opaque:
        return bool({_head(t) for t in seen.opaque} & heads)
    return not seen.fact.over and bool(seen.normal.free & set(names))
