"""What a claim must be beside true: about the statement's own names, and about things that are defined.

Inside of a proof every term has a value, and no step may use one that nothing gives. Here, at the claims alone, it is
asked that each term has one: by itself, by what the claim is concluded from (b(s) > 0 for 1/b(s)), by a fact in sight
(E(X**2) >= 0 for sqrt(E(X**2))), or by a hypothesis. One about E(log(X)) or P(1/X > 1) says that log(X), 1/X have a
value almost surely, as one about E(X) says that X is integrable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from boundcheck.kernel.formula import BINDERS, RELATIONS, Expr, Relation, endless, has_opaque, is_opaque
from boundcheck.kernel.proof.definedness import (
    ALMOST_SURELY,
    ALONG,
    ALWAYS,
    DIVISOR,
    Placed,
    counted,
    demanded,
    existing,
    existing_left_out,
    exists,
    exposed,
    left_out,
    member,
    placed_inside,
)
from boundcheck.kernel.proof.facts import Known, ProofError
from boundcheck.kernel.proof.judgements import Judge
from boundcheck.kernel.proof.scalar_claims import Obligation, partial_terms
from boundcheck.kernel.proof.sorts import INTEGER, Names, check_relation, is_random
from boundcheck.kernel.proof.step import Context
from boundcheck.kernel.proof.terms import canonical, names, names_of, settle
from boundcheck.kernel.statement import Follows, Use

#: what shows that a term is defined, where its outermost operation is the one
_MENDS = {"div": "{} != 0", "log": "{} > 0", "sqrt": "{} >= 0", "pow": "{} > 0"}
SPEAKS = "the claim speaks of"
_ROUNDS = 3  #: how often one looks for facts about the terms of facts


def meaningful(c: Context) -> None:
    """Demand that the claim, the goal of ``c``, has a meaning. Raises :class:`ProofError`."""
    own = c.book.defined(c.number) & names_of(c.goal.relations)
    if own:
        raise ProofError(f"the claim speaks of {', '.join(sorted(own))}, which only its proof defines")
    for name in c.statement.hypotheses:
        c.book.hypothesis(name)
    sides = c.goal.relation.sides
    for side in sides:
        _means(c, side, (), {})
    for found in _undefined(c, sides):
        _inside(c, *found)
    _as_written(c)


def require_said(c: Context, label: str, known: Known) -> None:
    """Demand what an assumption of a cited statement says besides: that a mean, an integral or an infinite sum exists,
    and that what is inside of it, or of a probability, has a value."""
    inner = {**c.scope, **known.over}

    def placed(found: Placed) -> Placed:
        return found[0], (*known.where, *found[1]), {**known.over, **found[2]}

    for side in known.relation.sides:
        for found in existing(side, inner):
            c.require_existing(f"{label} speaks of", placed(found))
        for found, when in placed_inside(side, inner):
            if when in (ALMOST_SURELY, ALONG):
                _inside(c, placed(found), when)


def _undefined(c: Context, sides: tuple[Expr, ...]) -> list[tuple[Placed, str]]:
    """The terms inside of heads that are undefined somewhere; what is told outside of them is not told again."""
    told = [t for side in sides for t in partial_terms(side, False)]
    integrals = [x for side in sides for x in exposed(side) if c.assumed(x)]
    assumed = [t for x in integrals for t in placed_inside(x, c.scope) if t[1] == ALONG]
    inside = [t for side in sides for t in placed_inside(side, c.scope)]
    return [t for t in inside if not (t[0][0] in told and t[1] in (ALWAYS, DIVISOR)) and t not in assumed]


def _as_written(c: Context) -> None:
    """Demand a meaning of what the claim speaks of and the normal form of its terms does not: E(0*log(X))."""
    written = c.step.fact.relation
    for found in existing_left_out(written, c.scope):
        c.require_existing(SPEAKS, found)
    outside = {t for side in written.sides for t in partial_terms(side, False)}
    for found, when in left_out(written, c.scope):
        if when in (ALWAYS, DIVISOR) and found[0] in outside and not found[2]:
            c.require_defined(found[0], c.goal.where, c.scope, told=_instances(_premises(c), found[0], c.judge))
        else:
            _inside(c, found, when)


def _needed(term: Expr) -> Expr:
    """What a term's value hangs on: the divisor of a quotient, else the term."""
    return canonical(term.args[1] if term.op == "div" else term)


def _means(c: Context, e: Expr, where: tuple[Relation, ...], over: Names, mean: bool = False) -> None:
    """Demand that ``e``, of which a claim speaks, have a meaning for all ``over`` under ``where``; so do its means."""
    scope = {**c.scope, **over}
    for x in exposed(e):
        if exists(x):
            c.require_existing(SPEAKS, (x, where, over))
        if x.op in ("E", "Egiven"):
            for a in x.args:
                _means(c, a, where, over, True)
    if not mean and all(s.kind == INTEGER for s in over.values()):  # an integrand may have no value at some points
        for term in partial_terms(e, False):
            facts = _about(c, (term, where, over), c.goal.where) if _hangs_on_facts(term, scope) else ()
            told = _instances(_premises(c), term, _judge(c, where, over))
            c.require_defined(term, (*c.goal.where, *where, *facts), scope, told=told)
    for x in exposed(e):
        if x.binds and x.op != "integrable" and has_opaque(x):
            body, conditions, index = member(x, scope)
            if x.op == "integral" and not _rising(_judge(c, where, over), x.args[2], x.args[3]):
                conditions = ()  # from the larger end to the smaller one, perhaps
            if x.op != "integral" or not c.assumed(x):
                _means(c, body, (*where, *conditions), {**over, **index}, mean)
            for end in x.args[2:]:
                _means(c, end, where, over, mean)


def _judge(c: Context, where: tuple[Relation, ...], over: Names) -> Judge:
    return c.judge.under(where, over) if over else c.judge


def _rising(judge: Judge, low: Expr, high: Expr) -> bool:
    """Whether the first end is known to be at most the second."""
    if endless(low) or endless(high):
        return (not endless(low) or low.op == "neg") and (not endless(high) or high.op == "const")
    return judge.holds(settle(Relation("<=", low, high)))


def _premises(c: Context) -> list[Known]:
    """What the claim is concluded from, as far as it says something everywhere."""
    by = c.step.by
    facts = [c.fact(r) if isinstance(r, Use) else c.known(r) for r in (by.using if isinstance(by, Follows) else ())]
    return [k for k in facts if not (k.partial or k.fixed & c.goal.over.keys())]


def _instances(facts: Sequence[Known], term: Expr, judge: Judge) -> list[Relation]:
    """The instances of the facts about parts of ``term``, and about what these are compared with."""
    found: list[Relation] = []
    asked: set[Expr] = set()
    pending = list(_parts(term))
    for _ in range(_ROUNDS if facts else 0):
        asked.update(pending)
        new = [r for r in judge.about(facts, pending) if r not in found]
        found += dict.fromkeys(new)
        pending = [p for r in new for side in r.sides for p in _parts(side) if p not in asked]
    return found


def _parts(e: Expr) -> Iterator[Expr]:
    """The terms that ``e`` is formed of outside of opaque ones, which are among them; no numerals."""
    if e.op == "num":
        return
    yield e
    if not (is_opaque(e) or e.binds):
        for a in e.args:
            yield from _parts(a)


# ---------------------------------------------------------------- inside of heads


def _inside(c: Context, found: Placed, when: str) -> None:
    """Demand that a term inside of a head be defined, by what is in sight where that is not seen at a look."""
    given = c.goal.where
    if when == ALMOST_SURELY:  # a mean is taken over all outcomes
        given = tuple(r for r in given if not check_relation(r, c.scope))
        if _vouched(c, found):
            return
    else:
        given = (*given, *_instances(_premises(c), found[0], c.judge.under(found[1], found[2])))
    by_range = when == ALWAYS and not _hangs_on_facts(found[0], {**c.scope, **found[2]})
    require_in_sight(c, found, given, by_range)


def require_in_sight(c: Context, found: Placed, given: Sequence[Relation], by_range: bool = False) -> None:
    """Demand that a term be defined where ``given`` holds, by facts in sight where that is not seen at a look."""
    sure = c.book.sure({*c.goal.over, *c.apart})
    given = counted(given, sure, c.scope)
    if demanded(found, sure, given, c.scope) is None:
        return
    wanted = demanded(found, sure, given, c.scope, _about(c, found, given, by_range))
    if wanted is not None and (wanted := _told(wanted, found[0])) not in c.last:
        c.last.append(wanted)


def _hangs_on_facts(term: Expr, scope: Names) -> bool:
    """Whether the parameters' ranges cannot show that the term is defined: it is random, or speaks of a head."""
    return has_opaque(_needed(term)) or is_random(_needed(term), scope)


def _told(wanted: Obligation, term: Expr) -> Obligation:
    """The demand in words that name the term and what would show it."""
    mend = _MENDS.get(term.op, "").format(term.args[1] if term.op == "div" else term.args[0])
    return replace(
        wanted, role=f"definedness of {term}, to be shown by a line before, as {mend}" if mend else wanted.role
    )


def _about(c: Context, found: Placed, given: Sequence[Relation], by_range: bool = False) -> list[Relation]:
    """What the facts in sight say of a term's parts, and in its own names alone.

    ``by_range``: only how what it hangs on compares with a number; the ranges of parameters show the rest.
    """
    term, where, over = found
    judge, own = c.judge.under((*given, *where), over), names(term)
    parts = {x for x in canonical(term).walk() if x.op not in ("num", "const", *RELATIONS)}
    plain = [k.relation for k in c.in_sight() if not (k.over or k.where or k.partial)]
    facts = [r for k in plain for r in (k, k.flipped()) if canonical(r.lhs) in parts or names_of([k]) <= own]
    told = [r for x in sorted(parts, key=str) for r in judge.known(x)]
    for x in dict.fromkeys(canonical(r.rhs) for r in (*facts, *told) if is_opaque(r.rhs)):
        told += [r for r in judge.known(x) if r.rhs.op == "num"]
    facts += [r for r in told if not any(n.op in BINDERS and not has_opaque(n) for n in r.walk())]
    facts = [r.flipped() if r.lhs.op == "num" else r for r in facts]
    facts = [r for r in facts if r.op != "==" or r.rhs.op == "num"]  # an equation would be used by solving it
    if by_range:
        facts = [r for r in facts if r.lhs is _needed(term) and r.rhs.op == "num" and r.op in ("!=", ">", ">=")]
    return [r for r in dict.fromkeys(facts) if r.lhs is not r.rhs and not {r, r.flipped()} & {*given}]


def _vouched(c: Context, found: Placed) -> bool:
    """Whether a hypothesis speaks of the term inside of a mean, and so says that it has a value almost surely."""
    term, where, over = found
    return c.judge.under(where, over).among(_said(c), term)


def _said(c: Context) -> Iterator[Known]:
    """The terms that hypotheses say to have a value, each as the left side of an equation with itself."""
    for known in c.hypotheses():
        scope = {**c.book.declared, **known.over}
        for side in known.relation.sides:
            for (term, where, index), when in placed_inside(side, scope):
                if when == ALMOST_SURELY:
                    e = canonical(term)
                    yield Known(Relation("==", e, e), (*known.where, *where), {**known.over, **index})
