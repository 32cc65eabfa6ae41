"""Where a formula has a value: the terms inside of its heads, and what is seen to be defined at a look.

A claim speaks of things that are defined, and what is assumed says nothing where a term of it is not. Outside of heads
scalar claims see to that; what stands inside of one, as 1/t in norm(x/t), is demanded here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from boundcheck.kernel.formula import BINDERS, Expr, Relation, endless, has_opaque, is_opaque, num, var
from boundcheck.kernel.proof.facts import Known
from boundcheck.kernel.proof.scalar_claims import (
    Obligation,
    converges,
    defined,
    in_its_form,
    partial,
    partial_terms,
    scalar_obligation,
)
from boundcheck.kernel.proof.sorts import AVERAGES, INTEGER, REAL, Names, Sort, typed
from boundcheck.kernel.proof.terms import canonical, fresh, names, names_of, put, settle
from boundcheck.kernel.statement import Claim

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


def inside_heads(e: Expr, scope: Names, head: bool = False, mean: bool = False) -> Iterator[Placed]:
    """The terms that are undefined somewhere and stand inside of a head or a sum of ``e``, and its plain integrals.

    What is random inside of a mean or a probability is not among them, nor what an integral over a head is taken of:
    that one speaks of such a mean or integral says that it exists.
    """
    if e.op in BINDERS and not has_opaque(e):
        yield from ((t, (), {}) for t in partial_terms(e, False))
    if e.op in ("integral", "integrable") or (e.op in BINDERS and not has_opaque(e)):
        return
    here, averaged = head or is_opaque(e) or e.op in BINDERS, mean or e.op in AVERAGES
    for part in _parts(e, scope):
        found = inside_heads(part[0], {**scope, **part[2]}, here, averaged)
        yield from (_inside(one, part) for one in found)
    if head and partial(e) and not (mean and typed(e, scope).random):
        yield (num(1) / e.args[1] if e.op == "div" else e), (), {}  # what stands above was told before


def of_means(e: Expr) -> bool:
    """Whether the arguments of ``e`` speak of a mean, a law or a sum.

    Scalar claims do not know that a mean of squares, say, is no less than 0.
    """
    return any(n.op in AVERAGES or n.op in BINDERS for n in e.walk() if n is not e)


def undefined_terms(r: Relation, scope: Names) -> list[Placed]:
    """The terms of a relation that are undefined somewhere, inside of its heads and outside."""
    sides = (r.lhs, r.rhs)
    found: list[Placed] = [(t, (), {}) for side in sides for t in partial_terms(side, True)]
    return found + [t for side in sides for t in inside_heads(side, scope)]


def demanded(found: Placed, sure: Sequence[Relation], given: Iterable[Relation], scope: Names) -> Obligation | None:
    """That a term is defined; None where the ranges of its names show that at a look.

    What is ``sure`` is defined itself, of ``given`` counts what is seen to be so by what stands before it. What is not
    seen is demanded from what speaks of the term's own names alone, and from their signs.
    """
    from flint import ctx  # a table of statements is read without balls

    from boundcheck.kernel.check.reductions import binary
    from boundcheck.kernel.check.sequent import Sequent
    from boundcheck.kernel.check.sequent import obligations as left_open
    from boundcheck.kernel.enclosure.intervals import positive

    term, where, over = found
    scope = {**scope, **over}
    about: list[Relation] = []
    for r in (*given, *where):
        if all(demanded(t, sure, about, scope) is None for t in undefined_terms(r, scope)):
            about.append(r)
    about += _about(sure, names_of(about) | names(term))
    claim = _demand(term, about, scope).claim
    assert isinstance(claim, Claim)
    goal = claim.claim[0].map(binary)
    with ctx.workprec(BITS):
        look = Sequent(tuple(h.map(binary) for h in claim.where), goal, claim.integers)
        if not left_open(goal.lhs, look):
            return None
        box = look.box or {}
        own = names(term)
        signs = {v: ">" if positive(box.get(v), True) else ">=" for v in sorted(own) if positive(box.get(v), False)}
    about = [r for r in about if names_of([r]) <= own]
    return _demand(term, [*about, *(Relation(op, var(v), num(0)) for v, op in signs.items())], scope)


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

    One inside of a sum, an integral or a family is stated for every index between the ends.
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
            elif e.binds and e.op != "integrable":
                body, conditions, index = member(e, over.keys() | names_of(known.relations))
                pending.append((body, (*where, *conditions), {**over, **index}))
    return found
