"""Where a formula has a value: the terms inside of its heads, and what is seen to be defined at a look.

A claim speaks of things that are defined, and what is assumed says nothing where a term of it is not. Outside of heads
scalar claims see to that; what stands inside of one, as 1/t in norm(x/t), is demanded here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from boundcheck.kernel.formula import BINDERS, Expr, Relation, call, endless, has_opaque, is_opaque, num, var
from boundcheck.kernel.proof.facts import Known, ProofError, normal, put_in
from boundcheck.kernel.proof.scalar_claims import (
    Obligation,
    base_of_a_real_power,
    converges,
    defined,
    in_its_form,
    is_real_power,
    partial,
    partial_terms,
    scalar_obligation,
)
from boundcheck.kernel.proof.sorts import AVERAGES, INTEGER, REAL, Names, Sort, typed
from boundcheck.kernel.proof.terms import canonical, divisors, fresh, names, names_of, put, put_all, settle
from boundcheck.kernel.statement import Claim

if TYPE_CHECKING:
    from boundcheck.kernel.check.sequent import Box, Sequent

BITS = 96  #: precision of a look, the same for all who ask: search and verifier must demand the same

Placed = tuple[Expr, tuple[Relation, ...], Names]  #: a term, the ranges of the names bound around it, their sorts


def member(e: Expr, taken: Iterable[str]) -> Placed:
    """What a binder binds, its name made new, with the range of the name from the lower to the upper end."""
    body, bound, low, high = e.args
    told = str(bound.value).replace("#", "n")  # the normal form's own names stand in no text
    index = fresh(told, {*taken, *names(e)})
    ends = (Relation("<=", low, var(index)), Relation("<=", var(index), high))
    where = tuple(settle(r) for r in ends if not (endless(r.lhs) or endless(r.rhs)))
    sort = Sort(REAL if e.op in ("integral", "integrable") else INTEGER)
    return put(body, {str(bound.value): var(index)}), where, {index: sort}


def exposed(e: Expr) -> Iterable[Expr]:
    """The subterms of ``e`` outside of expectations and of what binds a name, ``e`` first."""
    yield e
    if e.op not in ("E", "Egiven") and not e.binds:
        for a in e.args:
            yield from exposed(a)


def _parts(e: Expr, scope: Names) -> list[Placed]:
    """The arguments of ``e``; the name that it binds is a new one in its body."""
    if not e.binds:
        return [(a, (), {}) for a in e.args]
    return [member(e, scope), *((end, (), {}) for end in e.args[2:])]


def _inside(found: Placed, around: Placed) -> Placed:
    (e, more, also), (_, where, over) = found, around
    return e, (*where, *more), {**over, **also}


#: When a term inside of a head has to be defined: for all values; so does a constant divisor of what is random; for
#: almost all outcomes, where it is random itself and a mean or a probability is taken; wherever an integral is taken.
ALWAYS, DIVISOR, ALMOST_SURELY, ALONG = "always", "divisor", "almost surely", "along an integral"


def inside_heads(e: Expr, scope: Names) -> Iterator[Placed]:
    """The terms that are undefined somewhere and stand inside of a head or a sum of ``e``, and its plain integrals.

    What is random inside of a mean or a probability is not among them, nor what depends on the name of an integral
    over a head: that one speaks of such a mean or integral says that it has a value.
    """
    return (found for found, when in placed_inside(e, scope) if when in (ALWAYS, DIVISOR))


def placed_inside(e: Expr, scope: Names, head: bool = False, mean: bool = False) -> Iterator[tuple[Placed, str]]:
    """All terms that are undefined somewhere and stand inside of a head or a sum of ``e``, with when they count."""
    if e.op in BINDERS and not has_opaque(e):
        for t in partial_terms(e, False):
            chance = mean and typed(t, scope).random
            yield (t, (), {}), ALMOST_SURELY if chance else ALWAYS
            if chance and t.binds:
                yield from _constant_inside(t, scope)
        return
    here, averaged = head or is_opaque(e) or e.op in BINDERS, mean or e.op in AVERAGES
    for part in _parts(e, scope):
        for found, when in placed_inside(part[0], {**scope, **part[2]}, here, averaged):
            if e.op in ("integral", "integrable") and part[2].keys() & names(found[0]):
                if e.op == "integral":
                    (index,) = part[2]
                    yield (found[0], (*between(index, *e.args[2:]), *found[1]), {**part[2], **found[2]}), ALONG
            else:
                yield _inside(found, part), when
    if e.op in ("least", "most"):
        yield (call("sqrt", e.args[3] - e.args[2]), (), {}), ALWAYS  # of no terms none is the least
    if head and partial(e):
        own = num(1) / e.args[1] if e.op == "div" else e  # what stands above was told before
        chance = mean and typed(e, scope).random
        yield (own, (), {}), ALWAYS if not chance else ALMOST_SURELY if typed(own, scope).random else DIVISOR


def _constant_inside(e: Expr, scope: Names) -> Iterator[tuple[Placed, str]]:
    """The terms in a plain sum or integral that are undefined somewhere and no matter of chance, divisors too.

    Not those that depend on the name of an integral, which may have no value at some points.
    """
    for part in _parts(e, scope):
        inner = {**scope, **part[2]}
        for t in partial_terms(part[0], False):
            own = num(1) / t.args[1] if t.op == "div" else t
            if e.op == "integral" and part[2].keys() & names(own):
                continue
            if not typed(own, inner).random:
                yield _inside((own, (), {}), part), DIVISOR if typed(t, inner).random else ALWAYS
            elif t.binds:
                yield from ((_inside(found, part), when) for found, when in _constant_inside(t, inner))


def between(index: str, low: Expr, high: Expr) -> tuple[Relation, ...]:
    """That the name is between the ends, whichever of them is the larger one."""
    t, free = var(index), [x for x in (low, high) if not endless(x)]
    if len(free) == 2:
        return (settle(Relation("<", Expr("min", (low, high)), t)), settle(Relation("<", t, Expr("max", (low, high)))))
    above = [x for x in (low, high) if x.op == "const"]
    return tuple(settle(Relation("<", x, t) if above else Relation("<", t, x)) for x in free)


def left_out(written: Relation, scope: Names) -> list[tuple[Placed, str]]:
    """What is undefined somewhere in a relation as it is written, and at that place in its normal form no more.

    In f(1/s - 1/s) that is 1/s.
    """
    kept = {key for side in settle(written).sides for found in _placed(side, scope) for key in _keys(*found, scope)}
    found = (found for side in written.sides for found in _placed(side, scope))
    return [f for f in found if not kept.issuperset(_keys(*f, scope))]


def _placed(e: Expr, scope: Names) -> Iterator[tuple[Placed, str]]:
    yield from (((t, (), {}), ALWAYS) for t in partial_terms(e, False))
    yield from placed_inside(e, scope)


def _keys(found: Placed, when: str, scope: Names) -> list[tuple[Expr, str, str, frozenset[Relation]]]:
    """The terms that a term's value hangs on, how, when each counts and its place, the bound names numbered.

    A divisor is not 0, any other term has a value; one that is a power with a real exponent is told as such, for the
    normal form x**n of x**(2*n/2) is none. A plain integral or sum hangs on what it is taken of, and on its ends.
    """
    term, where, over = numbered(found)
    how = "real power" if is_real_power(term, {**scope, **over}) else "value"
    if term.op == "div":
        parts, how = divisors(term.args[1]), "divisor"
    elif term.op == "pow" and term.args[1].op == "num" and term.args[1].value.denominator == 1:
        parts, how = divisors(num(1) / term), "divisor"
    else:
        parts = frozenset({canonical(term)})
    chance = when == ALMOST_SURELY
    kinds = {p: when if when == ALONG or (chance and typed(p, {**scope, **over}).random) else ALWAYS for p in parts}
    keys = [(p, how, kind, frozenset(where)) for p, kind in kinds.items()]
    for part in _parts(found[0], {**scope, **found[2]}) if term.op in BINDERS else ():
        inside = (_inside((t, (), {}), _inside(part, found)) for t in partial_terms(part[0], False))
        keys += [key for t in inside for key in _keys(t, when, scope)]
    return keys


def numbered(found: Placed) -> Placed:
    """The same at bound names that are numbered from the outermost one, its relations in normal form."""
    term, where, over = found
    turned = {n: f"@{k}" for k, n in enumerate(over)}  # no text and no normal form has such names
    values = {n: var(m) for n, m in turned.items()}
    ranges = tuple(r.map(lambda e: canonical(put(e, values))) for r in where)
    return put(term, values), ranges, {turned[n]: s for n, s in over.items()}


def exists(e: Expr) -> bool:
    """Whether the head of ``e`` has a value only where something exists: a mean, an integral or a limit of sums."""
    if e.op in ("E", "Egiven"):
        return True
    return e.op in BINDERS and has_opaque(e) and (e.op == "integral" or any(map(endless, e.args[2:])))


def existing(e: Expr, scope: Names) -> Iterator[Placed]:
    """All means, and integrals and infinite sums over heads, in ``e``, with the names that are bound around them."""
    if exists(e):
        yield e, (), {}
    for part in _parts(e, scope):
        yield from (_inside(found, part) for found in existing(part[0], {**scope, **part[2]}))


def existing_left_out(written: Relation, scope: Names) -> list[Placed]:
    """Those of a relation as it is written that stand at that place in its normal form no more: f(E(X) - E(X))."""
    kept = {key for side in settle(written).sides for found in existing(side, scope) for key in _heads(found)}
    return [found for side in written.sides for found in existing(side, scope) if not _heads(found) <= kept]


def _heads(found: Placed) -> set[tuple[Expr, frozenset[Relation]]]:
    term, where, _ = numbered(found)
    return {(n, frozenset(where)) for n in _outermost(canonical(term))}


def _outermost(e: Expr) -> Iterator[Expr]:
    """The means, integrals and infinite sums of ``e`` that stand in no other one."""
    if exists(e):
        yield e
    else:
        for a in e.args:
            yield from _outermost(a)


def require_kept(written: Sequence[Relation], known: Known, sure: Sequence[Relation], scope: Names) -> None:
    """Refuse an assumption whose normal form leaves out what may have no value: where it has none, nothing is said.

    ``written`` are the relation and its conditions, of which ``known`` has the normal form.
    That a mean has a value is said by what speaks of it, and by no condition that does. Raises :class:`ProofError`.
    """
    scope = {**scope, **known.over}
    said, *conditions = written
    lost = [t for t, when in left_out(said, scope) if when in (ALWAYS, DIVISOR)]
    lost += [t for r in conditions for t, _ in left_out(r, scope)]
    given = counted(known.where, sure, scope) if lost else []
    open_ = [t[0] for t in lost if demanded(t, sure, given, scope) is not None]
    open_ += [e for r in conditions for e, _, _ in existing_left_out(r, scope)]
    if open_:
        raise ProofError(f"{open_[0]} may have no value, and the normal form of {said} does not speak of it")


def instance_kept(known: Known, values: Mapping[str, Expr], scope: Names, sure: Sequence[Relation]) -> Known:
    """The instance of what may say nothing somewhere; refused as an assumption is: t/s at t = 0 is 0/s.

    Raises :class:`ProofError`, :class:`SortError`.
    """
    written = put_in(known, values, scope)
    found = normal(written, scope)
    if known.partial:
        require_kept(written.relations, found, sure, scope)
        require_real(known.relations, values, known.over, found, sure, scope)
    return found


def require_real(
    said: Iterable[Relation],
    values: Mapping[str, Expr],
    before: Names,
    known: Known,
    sure: Sequence[Relation],
    scope: Names,
) -> None:
    """Refuse values that make a real exponent whole, where its power need not have had a value: x**t at t = 2.

    ``said`` has the names ``before``; ``known`` is what it says at the values. Raises :class:`ProofError`.
    """
    scope = {**scope, **known.over}
    made = [found for r in said for found in made_whole(r, values, {**scope, **before}, scope)]
    given = counted(known.where, sure, scope) if made else []
    for power, needed in made:
        if demanded(needed, sure, given, scope) is not None:
            raise ProofError(f"{power} may have no value, also where its exponent is put in and is whole")


def made_whole(r: Relation, values: Mapping[str, Expr], before: Names, after: Names) -> Iterator[tuple[Expr, Placed]]:
    """The powers with real exponents that the values make whole, each with what has a value where it had one.

    An exponent in which no name is left may be a whole number: min(t, 5/2) at t = 2.
    """
    for power, where, over in (found for side in r.sides for found in _real_powers(side, before)):
        base, exponent = (canonical(put(a, values)) for a in power.args)
        real = is_real_power(Expr("pow", (base, exponent)), {**after, **over})
        if not real and not (exponent.op == "num" and exponent.value.denominator > 1):
            yield power, (base_of_a_real_power(base, exponent), tuple(put_all(w, values) for w in where), over)


def _real_powers(e: Expr, scope: Names) -> Iterator[Placed]:
    """The powers in ``e`` whose exponents are not whole by their form."""
    if is_real_power(e, scope):
        yield e, (), {}
    for part in _parts(e, scope):
        yield from (_inside(found, part) for found in _real_powers(part[0], {**scope, **part[2]}))


def undefined_terms(r: Relation, scope: Names) -> list[Placed]:
    """The terms of a relation that are undefined somewhere, inside of its heads and outside."""
    found: list[Placed] = [(t, (), {}) for side in r.sides for t in partial_terms(side, True)]
    return found + [t for side in r.sides for t in inside_heads(side, scope)]


def undefined_in_means(r: Relation, scope: Names) -> list[Placed]:
    """The terms of a relation that are undefined somewhere, where a mean or an integral is taken of them."""
    inside = (t for side in r.sides for t in placed_inside(side, scope))
    return [t for t, when in inside if when in (ALMOST_SURELY, ALONG)]


def seen(known: Known, sure: Sequence[Relation], scope: Names) -> bool:
    """Whether what is assumed is seen to be defined wherever it is said to hold, and what is ``sure`` does.

    What it says of a mean has a value, for it says so; what a condition speaks of need not have one.
    """
    scope = {**scope, **known.over}
    if any(True for r in known.where for side in r.sides for _ in existing(side, scope)):
        return False  # no look tells whether a mean exists
    terms = [t for r in known.relations for t in undefined_terms(r, scope)]
    terms += [t for r in known.where for t in undefined_in_means(r, scope)]
    given = counted(known.where, sure, scope) if terms else []
    return all(demanded(t, sure, given, scope) is None for t in terms)


def counted(
    relations: Iterable[Relation], sure: Sequence[Relation], scope: Names, before: Sequence[Relation] = ()
) -> list[Relation]:
    """What stands ``before``, and those of the relations that this and those in front of them show to be defined."""
    about = list(before)
    for r in relations:
        if all(demanded(t, sure, about, scope) is None for t in undefined_terms(r, scope)):
            about.append(r)
    return about


def demanded(
    found: Placed, sure: Sequence[Relation], given: Sequence[Relation], scope: Names, facts: Sequence[Relation] = ()
) -> Obligation | None:
    """That a term is defined; None where the ranges of its names show that at a look.

    What is ``sure`` is defined itself, and ``given`` is :func:`counted`; of ``facts`` counts what is seen to be so by
    what stands before it. What is not seen is demanded from the facts, what speaks of the term's own names alone, and
    their signs.
    """
    from flint import ctx  # a table of statements is read without balls

    from boundcheck.kernel.check.reductions import binary
    from boundcheck.kernel.check.sequent import Sequent, has_binder
    from boundcheck.kernel.enclosure.intervals import positive

    term, where, over = found
    scope = {**scope, **over}
    about = counted((*where, *facts), sure, scope, given)
    about += _about(sure, names_of(about) | names(term))
    claim = _demand(term, about, scope).claim
    assert isinstance(claim, Claim)
    goal = claim.claim[0].map(binary)
    with ctx.workprec(BITS):
        look = Sequent(tuple(h.map(binary) for h in claim.where), goal, claim.integers)
        clocked = any(has_binder(e) for r in (*look.hyps, goal) for e in r.sides)
        box = (_looked.__wrapped__ if clocked else _looked)(look)
        if box is None:
            return None
        own = names(term)
        signs = {v: ">" if positive(box.get(v), True) else ">=" for v in sorted(own) if positive(box.get(v), False)}
    about = [r for r in about if names_of([r]) <= own or r in facts]
    return _demand(term, [*about, *(Relation(op, var(v), num(0)) for v, op in signs.items())], scope)


@lru_cache(maxsize=2048)
def _looked(look: Sequent) -> Box | None:
    """Bounds of the names, None where they show that the goal's term is defined. Most looks are made again and again;
    one at an integral or a sum depends on the clock, and is not remembered. The precision is :data:`BITS`."""
    from boundcheck.kernel.check.sequent import obligations as left_open

    return (look.box or {}) if left_open(look.goal.lhs, look) else None


def _demand(term: Expr, about: Sequence[Relation], scope: Names) -> Obligation:
    about = in_its_form(term, about)
    if not term.binds:
        return scalar_obligation("definedness", (), about, defined(term), scope, False)
    goal, ends = converges(term, frozenset(scope) | names(term))
    scope = {**scope, **dict.fromkeys(names_of(ends) - scope.keys(), Sort(REAL))}
    return scalar_obligation("convergence", (), (*about, *ends), goal, scope, False)


def _about(sure: Sequence[Relation], spoken: frozenset[str]) -> list[Relation]:
    """Those of the relations that speak of the names alone, and of names that give them their values."""
    while new := frozenset().union(*(r.rhs.free for r in sure if _defines(r, spoken))) - spoken:
        spoken |= new
    found = [r for r in sure if names_of([r]) <= spoken]
    return [replace(r, op=op) for r in found for op in (("<=", ">=") if r.op == "==" else (r.op,))]


def _defines(r: Relation, spoken: frozenset[str]) -> bool:
    return r.op == "==" and r.lhs.op == "var" and r.lhs.value in spoken


def presupposed(known: Known) -> list[Known]:
    """What a hypothesis says besides: every expectation that it states something about is of an integrable term.

    One inside of a sum or a family is stated for every index between the ends. One inside of an integral is of almost
    every value, of which none is told.
    """
    found = []
    sides = () if known.partial else (known.relation.rhs, known.relation.lhs)
    pending = [(side, known.where, dict(known.over)) for side in sides]
    while pending:
        side, where, over = pending.pop()
        for e in exposed(side):
            if e.op in ("E", "Egiven"):
                claim = Relation("==", canonical(Expr("integrable", (e.args[0],))), num(1))
                found.append(Known(claim, where, over, known.sure))
            elif e.binds and e.op not in ("integral", "integrable"):
                body, conditions, index = member(e, over.keys() | names_of(known.relations))
                pending.append((body, (*where, *conditions), {**over, **index}))
    return found
