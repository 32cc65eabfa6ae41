"""Citing a statement: terms for its names, its hypotheses found among the facts in sight, whatever they are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from boundcheck.kernel.formula import BINDERS, Expr, Relation, var
from boundcheck.kernel.proof.book import book
from boundcheck.kernel.proof.definedness import instance_kept, presupposed, require_real
from boundcheck.kernel.proof.facts import (
    Known,
    ProofError,
    at_once,
    averaged,
    averages,
    instance,
    normal,
    random_in,
    read,
    read_term,
)
from boundcheck.kernel.proof.meaning import require_said
from boundcheck.kernel.proof.scalar_claims import partial
from boundcheck.kernel.proof.sorts import Names, Sort, SortError, check_relation, suits, typed
from boundcheck.kernel.proof.step import Context, Lookup
from boundcheck.kernel.proof.terms import match, names, names_of, put_all, settle, settled
from boundcheck.kernel.statement import Cite, Statement


class _Cited:
    """The cited form of a statement, with terms for its names. Raises :class:`ProofError` where one does not fit."""

    def __init__(self, c: Context, by: Cite) -> None:
        try:
            form = c.lookup(by.label)
        except KeyError:
            raise ProofError(f"there is no statement {by.label} that can be cited here") from None
        if by.label == c.statement.label or circle(c.statement, form, c.lookup):
            raise ProofError(f"{by.label} rests on {c.statement.label} itself")
        if by.as_used and form.as_used is not None:
            form = form.as_used
        if form.kind == "assumption":
            raise ProofError(f"{by.label} is assumed and not proved: say among the hypotheses what of it is used")
        if not 0 <= by.part < len(form.claims):
            raise ProofError(f"{by.label} has no claim number {by.part}")
        theirs = book(form)
        self.form = form
        self.claim = read(form.claims[by.part], theirs.declared, sure=False)
        self.hypotheses = {name: theirs.hypothesis(name) for name in form.hypotheses}
        self.stated = [r for k in (self.claim, *self.hypotheses.values()) for r in k.relations]
        self.stated += [settle(r) for r in form.domain]
        self.values = _values(c, by, theirs.declared, self.stated, self.claim)
        self.at = {k: settled(read_term(v)) for k, v in by.let.items() if k in self.claim.over}


def cite(c: Context, by: Cite) -> None:
    """Demand what a citation leaves open: domains, hypotheses, the conclusion from the claim.

    Where the statement speaks of laws, its domain and hypotheses must hold for every outcome: the step's conditions on
    chance count for the conclusion alone, which is an instance of the claim.
    """
    cited = _Cited(c, by)
    values = cited.values
    whole = c.everywhere() if averages(cited.stated) else c
    facts = c.plain(by.using)
    sure_facts = facts if whole is c else whole.plain(whole.sure_facts(by.using))
    for relation in cited.form.domain:
        whole.require_met(f"domain of {by.label}", settle(put_all(relation, values)), sure_facts, (), whole.scope)
    for name, known in cited.hypotheses.items():
        said = _placed(known, values, apart=c.scope)
        wanted = normal(said, {**c.scope, **said.over})
        found = _matching(whole, name, wanted)
        if found is None:
            raise ProofError(_missing(c, f"hypothesis {name} of {by.label}", wanted))
        inner = {**c.scope, **wanted.over}
        if found.relation in (wanted.relation, wanted.relation.flipped()) and _total(known, values):
            found = replace(found, partial=False)  # both say nothing in the same places, if they do anywhere
        whole.match(f"hypothesis {name} of {by.label}", wanted, found, sure_facts, inner, cited=True)
        require_said(whole, by.label, said)
    claim = replace(_placed(cited.claim, values, cited.at), partial=True)  # nothing where a condition has no value
    sure = c.book.sure(c.goal.over)
    told = c.same_named(instance_kept(claim, cited.at, c.scope, sure), c.scope, sure)
    theirs = {**book(cited.form).declared, **cited.claim.over}
    require_real(cited.claim.where, {**values, **cited.at}, theirs, told, sure, c.scope)
    for condition in told.where:
        c.require_met(f"condition of {by.label}", condition, facts, (), c.scope)
    c.scope = dict(c.settle_scope(told, c.scope))
    c.require("conclusion", c.goal.relation, [*facts, told.relation])


def delivered(c: Context) -> list[Known]:
    """What the citation says besides its claim: the expectations that the claim is about are of integrable terms."""
    if not isinstance(c.step.by, Cite):
        return []
    cited = _Cited(c, c.step.by)
    placed = [_placed(k, cited.values, cited.at) for k in presupposed(cited.claim)]
    return [_here(c, instance(k, cited.at, c.scope)) for k in placed]


def _here(c: Context, known: Known) -> Known:
    """What the citation says, under the conditions and for all values that the step says it for."""
    spoken = names_of(c.goal.where) | c.goal.over.keys()
    placed = known.apart(spoken)
    return replace(placed, where=(*placed.where, *c.goal.where), over={**c.goal.over, **placed.over})


def _values(c: Context, by: Cite, theirs: Names, stated: list[Relation], claim: Known) -> dict[str, Expr]:
    """Terms for the names of the cited statement: as given, else the name itself. Raises where one does not fit."""
    unknown = by.let.keys() - theirs.keys() - claim.over.keys()
    if unknown:
        raise ProofError(f"{by.label} declares no {', '.join(sorted(unknown))}")
    values = {k: settled(read_term(v)) for k, v in by.let.items() if k not in claim.over}
    for name in names_of(stated) & theirs.keys():
        value = values.setdefault(name, var(name))
        wanted = theirs[name]
        _fits(c, by.label, name, value, wanted)
        if typed(value, c.scope).random and not wanted.random:
            about = [r for r in stated if name in names_of([r])]
            if name in averaged(about) or random_in(about, theirs):
                raise ProofError(f"{name} is a constant of {by.label}, and {value} is random")
    return {k: v for k, v in values.items() if v is not var(k)}


def _fits(c: Context, label: str, name: str, value: Expr, wanted: Sort) -> None:
    try:
        found = typed(value, c.scope)
    except SortError as fault:
        raise ProofError(f"{name} of {label}: {fault}; say what is put for it") from None
    if not suits(value, found, wanted):
        raise SortError(f"{name} of {label} is {wanted}, {value} is {found}")


def _placed(known: Known, values: Mapping[str, Expr], keep: Iterable[str] = (), apart: Iterable[str] = ()) -> Known:
    """A fact of the cited statement with the values put; its quantified names make room for those of the values.

    Names in ``keep`` get values of their own later and stay as they are called. Those in ``apart`` are names of the
    step: what the step says of them under its conditions is nothing that holds for all values.
    """
    outside = {k: v for k, v in values.items() if k not in known.over}
    taken = frozenset(apart).union(*map(names, outside.values()))
    if taken & set(keep):
        raise ProofError(f"{', '.join(sorted(taken & set(keep)))} stands for two things: rename it")
    placed = known.apart(taken)
    first, *where = (put_all(r, outside) for r in placed.relations)
    return replace(placed, relation=first, where=tuple(where))


def _matching(c: Context, name: str, wanted: Known) -> Known | None:
    """A fact in sight that says what ``wanted`` says, by content; that of the same name is tried first.

    What is given and does not depend on chance is such a fact, too: the citation is of one instance.
    """
    facts = [*c.in_sight(), *(Known(r) for r in c.goal.where if not check_relation(r, c.scope))]
    if name in c.statement.hypotheses:
        own = c.book.hypothesis(name)
        facts = [own, *facts] if own in facts else facts  # in sight alone: the step may speak of all of its names
    loose: Known | None = None
    for known in facts:
        if known.fixed & wanted.over.keys():
            continue
        for relation in (known.relation, known.relation.flipped()):
            values: dict[str, Expr] = {}
            if not _same(relation, wanted.relation, frozenset(known.over), values):
                continue
            try:
                sure = c.book.sure({*c.goal.over, *wanted.over})
                found = instance_kept(known, values, {**c.scope, **wanted.over}, sure)
            except (ProofError, SortError):
                continue
            if wanted.sure and not at_once(found, wanted.over, c.scope):
                continue
            if not names_of(found.where) & found.over.keys():
                return found
            loose = loose or found  # under a condition on a name that it holds for all of
    return loose


def _same(pattern: Relation, r: Relation, wanted: frozenset[str], values: dict[str, Expr]) -> bool:
    return (
        pattern.op == r.op and match(pattern.lhs, r.lhs, wanted, values) and match(pattern.rhs, r.rhs, wanted, values)
    )


def _total(known: Known, values: Mapping[str, Expr]) -> bool:
    """Whether the terms that are put for its names have a value everywhere: what is undefined is so in itself."""
    put = [values[n] for n in names_of(known.relations) & values.keys()]
    return not any(partial(n) or n.op in BINDERS for e in put for n in e.walk())


def _missing(c: Context, role: str, wanted: Known) -> str:
    """What is missing, and the fact in sight that looks most like it."""
    told = f"{role} is not among the facts: {wanted.relation}"
    near = [k for k in c.in_sight() if k.relation.lhs.op == wanted.relation.lhs.op]
    near.sort(key=lambda k: len(names_of([k.relation]) ^ names_of([wanted.relation])))
    return f"{told}; closest is {near[0].relation}" if near else told


def circle(goal: Statement, start: Statement, lookup: Lookup) -> bool:
    """Whether ``start`` rests on ``goal``, or is a form of it, as far as the lookup knows."""
    seen: set[str] = set()
    pending = [start]
    while pending:
        statement = pending.pop()
        if goal in (statement, statement.as_used):
            return True
        for name in statement.cites_of_all_forms:
            if name == goal.label:
                return True
            if name not in seen:
                seen.add(name)
                try:
                    pending.append(lookup(name))
                except (LookupError, ValueError):
                    continue  # a certificate carries only what is cited directly
    return False
