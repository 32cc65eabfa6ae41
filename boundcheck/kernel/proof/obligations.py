"""Proof checking as generation of obligations: which scalar claims must hold for a step to be proved.

Pure and deterministic: structure (schemas, premises, citations) is matched here, by typed data; what remains are
scalar claims, :class:`Obligation`, that the engines decide and whose certificates ``verify`` re-checks against the
same generation.
"""

from __future__ import annotations

from boundcheck.kernel.formula import Expr, FormulaError, Relation, num
from boundcheck.kernel.proof.definedness import undefined_terms
from boundcheck.kernel.proof.facts import Known, ProofError, read_term
from boundcheck.kernel.proof.meaning import meaningful, require_in_sight
from boundcheck.kernel.proof.scalar_claims import Obligation
from boundcheck.kernel.proof.sorts import REAL, SortError, fits, typed
from boundcheck.kernel.proof.step import Context, Lookup
from boundcheck.kernel.proof.terms import bound_names, canonical, names, names_of, settled
from boundcheck.kernel.statement import (
    ByGram,
    ByRule,
    Cite,
    Decide,
    Definition,
    Follows,
    Literature,
    Ref,
    Statement,
    Step,
)

ZERO = num(0)

ASSERTED = "step"  #: the role of what a step asserts itself; all else is what its reason asks for


def obligations(statement: Statement, number: int, step: Step, lookup: Lookup) -> list[Obligation]:
    """The scalar claims that prove step ``number`` (from 1) of ``statement``.

    Raises :class:`ProofError` where the step does not fit its justification or is not well typed.
    :class:`Literature` has no obligations (and is never PROVED).
    """
    try:
        c = Context(statement, number, step, lookup, _delivered)
        demand(c)
        return [*c.found, *(o for o in c.last if o not in c.found)]
    except (FormulaError, SortError) as fault:
        raise ProofError(str(fault)) from None


def _delivered(c: Context) -> list[Known]:
    from boundcheck.kernel.proof.citation import delivered  # here and below: a proof rests on the reasons it has

    return delivered(c)


def conclusion_steps(statement: Statement) -> list[Step]:
    """The statement's claims as last steps, decided from the conclusions before them."""
    default: tuple[Ref, ...] = (len(statement.steps),) if statement.steps else ()
    refs = statement.concludes or tuple(default for _ in statement.claims)
    return [Step(fact, Follows(using)) for fact, using in zip(statement.claims, refs, strict=True)]


def demand(c: Context) -> None:
    """Demand of the context what its step leaves open."""
    by = c.step.by
    if c.number > len(c.statement.steps):
        meaningful(c)
    if isinstance(by, Decide):
        c.require(ASSERTED, c.goal.relation, c.plain(by.using))
    elif isinstance(by, Follows):
        _follows(c, by)
    elif isinstance(by, ByRule):
        from boundcheck.kernel.proof.instances import by_rule

        by_rule(c, by)
    elif isinstance(by, ByGram):
        from boundcheck.kernel.proof.forms import by_gram

        by_gram(c, by)
    elif isinstance(by, Cite):
        from boundcheck.kernel.proof.citation import cite

        cite(c, by)
    elif isinstance(by, Definition):
        _define(c)
    elif not isinstance(by, Literature):
        raise ProofError(f"unknown justification {type(by).__name__}")


def _define(c: Context) -> None:
    new = c.goal.relation.lhs
    name = str(new.args[0].value if new.op == "at" else new.value)
    if name in _taken(c):
        bound = [h for h in c.statement.hypotheses if name in c.book.hypothesis(h).over]
        why = f": hypothesis {bound[0]} is for all {name}" if bound else ""
        raise ProofError(f"{name} is not a new name{why}; take another")


def _taken(c: Context) -> frozenset[str]:
    """Every name that is written before the step or in a hypothesis or claim, wherever it stands."""
    found, statement = set(c.book.scope(c.number)), c.statement
    facts = [*statement.hypotheses.values(), *statement.claims]
    facts += [s.fact for t in statement.steps[: c.number - 1] for s in (t, t.repair) if s is not None]
    for f in facts:
        found.update(f.names)
        for r in (f.relation, *f.conditions):
            for side in r.sides:
                found |= names(side) | bound_names(side)
    return frozenset(found | names_of(statement.domain))


def _follows(c: Context, by: Follows) -> None:
    facts = c.plain(r for r in by.using if not (c.number > len(c.statement.steps) and _ranging(c.fact(r))))
    if not by.times:
        c.require("conclusion", c.goal.relation, facts)
        return
    if len(by.times) != len(facts):
        raise ProofError("one multiplier for each used fact is wanted")
    plain = [fact for factor, fact in zip(by.times, facts, strict=True) if not factor]
    goal = c.goal.relation
    rest, strict = goal.gap, goal.strict
    for factor, fact in zip(by.times, facts, strict=True):
        if not factor:
            continue
        if fact.op == "!=" or (fact.op != "==" and goal.op in ("==", "!=")):
            raise ProofError(f"{goal.op} does not follow from multiples of {fact.op}")
        multiplier = settled(read_term(factor))
        if not fits(typed(multiplier, c.scope).kind, REAL):
            raise SortError(f"the multiplier {multiplier} is no number")
        if fact.op != "==":
            for part in _factors(multiplier):
                c.require("multiplier", Relation(">=", part, ZERO), plain)
        if fact.op in ("<", ">") and multiplier.op == "num" and multiplier.value > 0:
            strict = False  # this term is positive: it is enough that the rest is not negative
        rest = rest - multiplier * (fact.rhs - fact.lhs if fact.op == "==" else fact.gap)
    op = goal.op if goal.op in ("==", "!=") else ">" if strict else ">="
    if canonical(rest) is ZERO:  # what is undefined in the facts has cancelled, and is asked for nowhere else
        for fact in (f for factor, f in zip(by.times, facts, strict=True) if factor and f in c.doubtful):
            for found in undefined_terms(fact, c.scope):
                require_in_sight(c, found, c.goal.where)
    c.require("conclusion", Relation(op, rest, ZERO), plain)


def _ranging(known: Known) -> bool:
    """Whether it holds for values of a name under a condition: a claim uses it for the values that it speaks of."""
    return bool(names_of(known.where) & known.over.keys())


def _factors(e: Expr) -> list[Expr]:
    """The factors of a product or quotient whose signs are not plain from their form."""
    if e.op in ("mul", "div"):
        return [f for a in e.args for f in _factors(a)]
    if e.op in ("exp", "abs", "norm") or (e.op == "num" and e.value >= 0):
        return []
    return [e]
