"""What a step by a quadratic form must deliver: a claim about free vectors in the place of its vector terms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from boundcheck.kernel.check.quadratic import scalar_names
from boundcheck.kernel.formula import Expr, Relation, has_opaque, is_opaque, var
from boundcheck.kernel.proof.facts import ProofError, averages, read_term
from boundcheck.kernel.proof.scalar_claims import Obligation
from boundcheck.kernel.proof.sorts import INTEGER, REAL, Names, fits, typed
from boundcheck.kernel.proof.step import Context
from boundcheck.kernel.proof.terms import exchanged, fresh, names_of, settled
from boundcheck.kernel.statement import ByGram, GramClaim


def by_gram(c: Context, by: ByGram) -> None:
    """Demand the claim that the goal's form follows from those of the used facts, whatever the vectors are."""
    if by.times and len(by.times) != len(by.using):
        raise ProofError("one multiplier for each used fact is wanted")
    facts = c.plain(by.using)
    given = (*c.goal.where, *facts)
    c.guard((*c.domain, c.goal.relation, *given), given)
    taken = names_of([*facts, *c.domain, *c.goal.where, c.goal.relation])
    vectors = vector_names(by, lambda n: fresh(f"v{n}_", taken))
    own = {str(v.value) for v in vectors.values()}

    def turned(relations: Sequence[Relation], table: dict[Expr, Expr]) -> list[Relation]:
        return [r.map(lambda e: exchanged(e, table)) for r in relations]

    times = [settled(read_term(t)) if t else None for t in by.times] or [None] * len(facts)
    goal, *facts = turned([c.goal.relation, *facts], vectors)
    _require_numbers(
        [*(s for r in (goal, *facts) for s in r.sides), *(t for t in times if t is not None)], c.scope, own
    )
    where = turned([*c.domain, *c.goal.where], vectors)
    numbers = _Coefficients(c.scope, own).named([goal, *facts], [t for t in times if t is not None], taken)
    (goal, *facts), where = turned([goal, *facts], numbers), turned(where, numbers)
    times = [t if t is None else exchanged(t, numbers) for t in times]
    if averages([goal, *facts]):
        c.averaging()  # vectors that are equal for some outcomes have other means
    hypotheses, factors = [], []
    for fact, factor in zip(facts, times, strict=True):
        if fact.free & own or _is_opaque(fact):
            hypotheses.append(fact)
            factors.append(factor)
        else:
            where.append(fact)
    scalars = tuple(r for r in dict.fromkeys(where) if not _is_opaque(r))
    claim = GramClaim("form", tuple(sorted(own)), goal, tuple(hypotheses), scalars)
    terms = {name.value: term for term, name in (*vectors.items(), *numbers.items())}
    c.found.append(Obligation("form", claim, True, tuple(factors), terms))


def _require_numbers(terms: Sequence[Expr], scope: Names, vectors: set[str]) -> None:
    """Refuse a vector beside those that a form is in: it would be read as a number, of which dot(x, z) is x*z."""
    for name in sorted(frozenset().union(*map(scalar_names, terms)) - vectors):
        if name in scope and (scope[name].args or not fits(scope[name].kind, REAL)):
            raise ProofError(f"{name} is a {scope[name]}, and none of the vectors that the form is in")


def vector_names(by: ByGram, name: Callable[[int], str]) -> dict[Expr, Expr]:
    """The variables ``name(1)``, ``name(2)``, ... that stand for the vector terms of a justification."""
    return {settled(read_term(v)): var(name(n)) for n, v in enumerate(by.vectors, 1)}


class _Coefficients:
    """The opaque numbers that are coefficients of forms, such as a step size a(s): they become parameters.

    They are any reals then. The others are levels, which enter linearly.
    """

    def __init__(self, scope: Names, vectors: set[str]) -> None:
        self.scope, self.vectors = scope, vectors

    def named(self, relations: Sequence[Relation], times: Sequence[Expr], taken: frozenset[str]) -> dict[Expr, Expr]:
        """The variables a1_, a2_, ... that stand for them in relations and multipliers."""
        found = dict.fromkeys(t for r in relations for side in r.sides for t in self._coefficients(side))
        found |= dict.fromkeys(t for e in times for t in self._numbers(e))
        whole = {n for n, s in self.scope.items() if s.kind == INTEGER} | self.vectors
        return {t: var(fresh(f"a{n}_", taken | whole)) for n, t in enumerate(found, 1)}

    def _coefficients(self, e: Expr) -> Iterator[Expr]:
        """The opaque numbers of divisors, of powers, and of factors beside one with vectors or opaque terms."""
        if e.binds or (is_opaque(e) and e.op not in ("norm", "dot")):
            return
        inside: tuple[Expr, ...] = ()
        if e.op == "div":
            inside = e.args[1:]
        elif e.op == "pow":
            inside = e.args
        elif e.op == "mul":
            inside = tuple(a for a, b in (e.args, e.args[::-1]) if b.free & self.vectors or has_opaque(b))
        for part in inside:
            yield from self._numbers(part)
        for a in e.args:
            yield from self._coefficients(a)

    def _numbers(self, e: Expr) -> Iterator[Expr]:
        if e.binds or (is_opaque(e) and e.free & self.vectors):
            return
        if is_opaque(e):
            if e.op not in ("norm", "dot") and typed(e, self.scope).kind in (REAL, INTEGER):
                yield e
            return
        for a in e.args:
            yield from self._numbers(a)


def _is_opaque(relation: Relation) -> bool:
    return has_opaque(relation.lhs) or has_opaque(relation.rhs)
