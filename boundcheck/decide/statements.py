"""The engine for whole statements: every step of a proof is decided, then the claim from the steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from boundcheck.decide import decide, slack_bracket
from boundcheck.decide.quadratic.gram_engine import decide_gram
from boundcheck.decide.quadratic.gram_sharp import sharp_constant, with_constant
from boundcheck.decide.quantified import decide_exists
from boundcheck.decide.worlds.world_search import broken_claim, has_model
from boundcheck.kernel.clock import seconds_used
from boundcheck.kernel.formula import FormulaError, Relation, has_opaque, num, substitute
from boundcheck.kernel.proof.book import book
from boundcheck.kernel.proof.facts import Known, ProofError
from boundcheck.kernel.proof.obligations import ASSERTED, conclusion_steps, obligations
from boundcheck.kernel.proof.scalar_claims import Obligation, trivial
from boundcheck.kernel.proof.sorts import INTEGER, REAL, SortError
from boundcheck.kernel.proof.terms import names_of, put_all, settle
from boundcheck.kernel.statement import (
    ByGram,
    ByRule,
    Cite,
    Claim,
    Decide,
    Definition,
    Fact,
    GramClaim,
    Literature,
    Statement,
    Step,
    Use,
)
from boundcheck.verdict import Status, Verdict
from boundcheck.written import encode

Lookup = Callable[[str], Statement]
ORDERED = ("<", "<=", ">", ">=")
WORLD_SHARE = 0.2  #: share of the time of a statement for small worlds in which a claim is false
TOLD = 8  #: relations of what an obligation may use that a message tells


def method_of(step: Step) -> str:
    """How a step is justified, in words: "rule: Markov", "cites lem:...", or the engine's own method."""
    by = step.by
    if isinstance(by, ByRule):
        return f"rule: {by.rule}"
    if isinstance(by, Cite):
        return f"cites {by.label}" + (" (as used)" if by.as_used else "")
    if isinstance(by, Literature):
        return f"literature: {by.reference}"
    return "definition" if isinstance(by, Definition) else ""


def decide_step(
    statement: Statement, number: int, step: Step, lookup: Lookup, seconds: float, slack_seconds: float = 0.0
) -> Verdict:
    """The verdict of one step in the form given (without its repair)."""
    start = seconds_used()
    name = f"{statement.label}/{number}"

    def verdict(status: Status, **more: Any) -> Verdict:
        return Verdict(name, status, seconds=seconds_used() - start, **more)

    if isinstance(step.by, Literature):
        return verdict(Status.CITED, method=method_of(step))
    try:
        wanted = obligations(statement, number, step, lookup)
    except ProofError as fault:
        return verdict(Status.UNDECIDED, method=method_of(step), reason=f"the step does not fit its reason: {fault}")
    certificates: list[Any] = []
    methods: list[str] = []
    for obligation in wanted:
        found = decide_obligation(obligation, seconds)
        if found.status is not Status.PROVED:
            found = _where_all_holds(statement, number, step, obligation, found, seconds)
            return _not_proved(step, obligation, found, left_out(statement, number, step), verdict)
        certificates.append(found.certificate)
        methods.append(found.method)
    method = method_of(step) or "+".join(dict.fromkeys(methods)) or "given"
    slack, reason = _slack(step, wanted, slack_seconds), ""
    if slack_seconds > 0 and isinstance(step.by, ByGram) and step.by.sharp:
        try:
            form = next(o for o in wanted if isinstance(o.claim, GramClaim))
            slack, reason = _sharp(step.by, form, slack_seconds)
        except (FormulaError, ProofError) as fault:
            return verdict(Status.UNDECIDED, method=method, reason=f"sharp constants: {fault}")
    return verdict(
        Status.PROVED, method=method, slack=slack, reason=reason, certificate={"certificates": certificates}
    )


def decide_obligation(obligation: Obligation, seconds: float) -> Verdict:
    """The verdict of what a step demands, by the engine for its kind of claim."""
    if isinstance(obligation.claim, GramClaim):
        return decide_gram(obligation.claim, obligation.times)
    return decide(obligation.claim, seconds)


def _where_all_holds(
    statement: Statement, number: int, step: Step, obligation: Obligation, found: Verdict, seconds: float
) -> Verdict:
    """What was found, a refutation only at a point that meets the whole domain and every hypothesis about numbers.

    An obligation has the part of them that speaks of its own names: that is enough for a proof, and for no refutation.
    The witness has these names, and those that the domain relates to them. Where hypotheses speak of other terms, a
    small world must meet all of them: nothing meets E(X) == 2 and E(X**2) == 1.
    """
    claim = obligation.claim
    if found.status is not Status.REFUTED or obligation.opaque or not isinstance(claim, Claim):
        return found
    sheet = book(statement)
    used = [r for ref in getattr(step.by, "using", ()) for r in sheet.at(sheet.position(number, ref)).relations]
    spoken = set(claim.variables) | (equated := names_of([*used, *map(settle, step.fact.conditions)]))
    ranges = [settle(r) for r in statement.domain]
    domain = [r for r in ranges if not names_of([r]) <= spoken]  # what it kept, perhaps solved
    plain = [settle(f.relation) for f in statement.hypotheses.values() if f.plain]
    said = [r for r in (*domain, *plain) if not _of_terms(r)]
    said = [r for r in said if r not in claim.where and not trivial(r)]
    undecided = replace(found, status=Status.UNDECIDED, witness=None, certificate=None)
    tied = equated | names_of(ranges)
    if any(map(_of_terms, statement.domain)) or names_of(said) & (equated - set(claim.variables)):
        return replace(undecided, reason="what its domain says besides is not looked at")
    unmet = replace(undecided, reason="a hypothesis for all values of a name, or under a condition, may not be met")
    facts = statement.hypotheses.items()
    try:
        ranging = [sheet.hypothesis(name) for name, f in facts if _ranges(f)]
        heads = [sheet.hypothesis(name) for name, f in facts if any(map(_of_terms, (f.relation, *f.conditions)))]
    except (ProofError, SortError) as fault:
        return replace(undecided, reason=f"a hypothesis says nothing: {fault}")
    whole = {n for n, sort in sheet.scope(number).items() if sort.kind == INTEGER} & names_of(said)
    all_said = replace(claim, where=(*claim.where, *said), integers=claim.integers | whole)
    again = decide(all_said, seconds) if said else found
    if again.status is not Status.REFUTED:
        return replace(undecided, reason="does not follow from what it uses")
    if not _met(ranging, again.witness or {}, tied, seconds):
        return unmet
    if heads and not has_model(statement, again.witness or {}):
        return replace(undecided, reason="what its hypotheses say of other terms may not be met")
    names = frozenset(found.witness or {})
    while more := frozenset().union(*(r.free for r in ranges if r.free & names)) - names:
        names |= more
    return replace(again, witness={n: x for n, x in (again.witness or {}).items() if n in names})


def _of_terms(relation: Relation) -> bool:
    """Whether a relation speaks of terms that are no formulas in numbers."""
    return any(map(has_opaque, relation.sides))


def _ranges(fact: Fact) -> bool:
    """Whether it says something of numbers alone, for all values of a name or under a condition."""
    return not fact.plain and not any(map(_of_terms, (fact.relation, *fact.conditions)))


def _met(ranging: Iterable[Known], point: Mapping[str, str], tied: frozenset[str], seconds: float) -> bool:
    """Whether hypotheses about numbers are proved to hold at a point; names that it leaves out are all 1, or all 0.

    The values of ``tied`` ones are no matter of choice: the point must have them.
    """
    for value in map(num, (1, 0)):
        for known in ranging:
            if known.fixed & tied - point.keys() or any(s.kind not in (REAL, INTEGER) for s in known.over.values()):
                return False
            values = {n: num(Fraction(point[n])) if n in point else value for n in known.fixed}
            first, *where = (put_all(r, values) for r in known.relations)
            whole = frozenset(n for n, sort in known.over.items() if sort.kind == INTEGER)
            if decide(Claim("hypothesis", (first,), tuple(where), whole), seconds).status is not Status.PROVED:
                break
        else:
            return True
    return False


def told(obligation: Obligation) -> str:
    """The claim of an obligation with the terms of the proof in place of the names that were put for them.

    Of a long list of what it may use the first :data:`TOLD` are told, and none that says of a norm that it is >= 0.
    """
    claim = obligation.claim

    def back(relations: Iterable[Relation]) -> tuple[Relation, ...]:
        return tuple(r.map(lambda e: substitute(e, dict(obligation.terms))) for r in relations)

    if isinstance(claim, Claim):
        where = [r for r in back(claim.where) if r.op != ">=" or r.lhs.op != "norm" or r.rhs is not num(0)]
        more = f", and {len(where) - TOLD} more" if len(where) > TOLD else ""
        return str(replace(claim, claim=back(claim.claim), where=tuple(where[:TOLD]))) + more
    vectors = tuple(str(obligation.terms.get(v, v)) for v in claim.vectors)
    [goal] = back((claim.goal,))
    return str(replace(claim, vectors=vectors, goal=goal, hypotheses=back(claim.hypotheses), where=back(claim.where)))


def left_out(statement: Statement, number: int, step: Step) -> frozenset[str]:
    """The names of which the statement says more than the step uses: by other hypotheses, by definitions."""
    used = {r.ref if isinstance(r, Use) else r for r in getattr(step.by, "using", ())}
    others = [f for name, f in statement.hypotheses.items() if name not in used]
    relations = [r for f in others for r in (f.relation, *f.conditions)]
    return names_of(relations) | book(statement).defined(number)


def _not_proved(
    step: Step, obligation: Obligation, found: Verdict, left_out: frozenset[str], verdict: Callable[..., Verdict]
) -> Verdict:
    where = f"{obligation.role}: {told(obligation)}"
    refuted = found.status is Status.REFUTED
    asserted = isinstance(step.by, Decide) and obligation.role == ASSERTED
    own = (asserted or (isinstance(step.by, Cite) and obligation.role != "conclusion")) and not obligation.opaque
    if refuted and own and not left_out & set(found.witness or {}):
        return verdict(
            Status.REFUTED, method=method_of(step) or found.method, witness=found.witness, reason=f"false, {where}"
        )
    fails = "does not follow from what it uses" if own else "does not follow"
    reason = f"{fails}, {where}" if refuted else f"{found.reason or 'not proved'}, {where}"
    return verdict(Status.UNDECIDED, method=method_of(step) or found.method, reason=reason)


def _slack(step: Step, wanted: list[Obligation], seconds: float) -> tuple[float | None, float | None] | None:
    """The slack bracket of a scalar inequality that the step decides itself."""
    if seconds <= 0 or not isinstance(step.by, Decide) or len(wanted) != 1 or wanted[0].opaque:
        return None
    claim = wanted[0].claim
    if not isinstance(claim, Claim) or len(claim.claim) != 1 or claim.claim[0].op not in ORDERED:
        return None
    bracket = slack_bracket(claim, seconds)
    return None if bracket == (None, None) else bracket


def _sharp(by: ByGram, obligation: Obligation, seconds: float) -> tuple[tuple[float | None, float | None] | None, str]:
    """The slack of the first of the step's constants, and all of their brackets in words."""
    slack, words = None, []
    for n, value in enumerate(by.sharp):
        claim = with_constant(by, obligation, value)
        printed = Fraction(value)
        found = sharp_constant(claim, printed, seconds)
        if found is None:
            words.append(f"{value}: not proved in this form")
            continue
        words.append(f"{value}: {found}")
        if n == 0:
            low = max(printed / found.proved, found.proved / printed)
            high = None
            if found.refuted:
                high = float(max(printed / found.refuted, found.refuted / printed))
            slack = (float(low), high)
    return slack, "best constants: " + "; ".join(words)


def decide_statement(
    statement: Statement, lookup: Lookup, seconds: float = 10.0, slack_seconds: float = 2.0
) -> Verdict:
    """The verdict of a statement with those of all its steps; what it cites is taken as used.

    PROVED when every step (in its repaired form, where the printed one fails) and the claim from the steps are;
    REPAIRED when the printed statement has no truth value or is refuted and the form that its uses need is PROVED.
    """
    start = seconds_used()
    used = statement.as_used
    if statement.kind == "assumption":
        own = Verdict(statement.label, Status.ASSUMED, reason="a hypothesis of the paper")
    elif statement.literature:
        told = f"literature: {statement.literature}"
        own = Verdict(statement.label, Status.CITED, method=told, rests_on=statement.cites)
    else:
        steps = tuple(_with_repair(statement, n, s, lookup, seconds, slack_seconds) for n, s in _numbered(statement))
        own = _compose(statement, steps, lookup, seconds_used() - start)
    own = _unless_broken(statement, own, lookup, seconds)
    if used is None:
        return own
    as_used = decide_statement(used, lookup, seconds, slack_seconds)
    status = own.status
    usable = as_used.status in (Status.PROVED, Status.CITED)
    if status is not Status.PROVED and usable and (statement.imprecise or status is Status.REFUTED):
        status = Status.REPAIRED
    return replace(own, status=status, as_used=as_used, seconds=seconds_used() - start)


def _unless_broken(statement: Statement, verdict: Verdict, lookup: Lookup, seconds: float) -> Verdict:
    """The verdict, REFUTED where its own steps do not prove the claims and a small world breaks one."""
    if verdict.status not in (Status.UNDECIDED, Status.CITED) or statement.imprecise or statement.exists:
        return verdict
    start = seconds_used()
    found = None if assumes(statement, lookup) else broken_claim(statement, WORLD_SHARE * seconds)
    if found is None:
        return verdict
    total = verdict.seconds + seconds_used() - start
    return replace(found, steps=verdict.steps, rests_on=verdict.rests_on, seconds=total)


def assumes(statement: Statement, lookup: Lookup) -> bool:
    """Whether it rests on an assumption that no hypotheses spell out: then it says less than these and its claims."""
    return any(assumed(label, lookup) for label in _unspelled(statement))


def assumed(label: str, lookup: Lookup) -> bool:
    """Whether that is an assumption, or rests on one, at whatever hand; what the lookup does not know may be one."""
    seen: set[str] = set()
    pending = [label]
    while pending:
        if (label := pending.pop()) in seen:
            continue
        seen.add(label)
        try:
            cited = lookup(label)
        except LookupError:
            return True
        if cited.kind == "assumption":
            return True
        pending += _unspelled(cited)
    return False


def _unspelled(statement: Statement) -> frozenset[str]:
    """What it cites in one of its forms, without the assumptions that the hypotheses of that form spell out."""
    used = frozenset() if statement.as_used is None else _unspelled(statement.as_used)
    return used | frozenset(statement.cites) - frozenset(statement.assumes)


def _numbered(statement: Statement) -> list[tuple[int, Step]]:
    return list(enumerate([*statement.steps, *conclusion_steps(statement)], 1))


def _with_repair(
    statement: Statement, number: int, step: Step, lookup: Lookup, seconds: float, slack_seconds: float
) -> Verdict:
    printed = decide_step(statement, number, step, lookup, seconds, slack_seconds)
    if step.repair is None:
        return printed
    repaired = decide_step(statement, number, step.repair, lookup, seconds, slack_seconds)
    if repaired.status is not Status.PROVED:  # later steps use the repaired form: the printed one is not enough
        if printed.status is not Status.PROVED:
            return replace(printed, as_used=repaired)
        reason = f"its repaired form is not proved: {repaired.reason}"
        return replace(printed, status=Status.UNDECIDED, as_used=repaired, certificate=None, reason=reason)
    status = printed.status if printed.status is Status.PROVED else Status.REPAIRED
    return replace(printed, status=status, as_used=repaired, certificate=repaired.certificate)


def claimed(statement: Statement, step: Step, lookup: Lookup) -> bool:
    """Whether a point that refutes the step breaks a claim of the statement.

    A citation that does not fit has failed, whatever becomes of the claim.
    """
    return isinstance(step.by, Decide) and step.fact in statement.claims and not assumes(statement, lookup)


def _compose(statement: Statement, steps: tuple[Verdict, ...], lookup: Lookup, seconds: float) -> Verdict:
    broken = [s for s in steps if s.status not in (Status.PROVED, Status.REPAIRED, Status.CITED)]
    common: dict[str, Any] = {"steps": steps, "rests_on": statement.cites, "seconds": seconds}
    for exists in statement.exists:
        refuted = decide_exists(statement, exists, decide)
        if refuted.status is Status.REFUTED:
            return replace(refuted, **common)
    if statement.imprecise:
        return Verdict(
            statement.label, Status.UNDECIDED, "", reason=f"no truth value as printed: {statement.imprecise}", **common
        )
    if statement.exists:
        reason = f"whether there is a constant {statement.exists[0].constant} is open"
        return Verdict(statement.label, Status.UNDECIDED, "", reason=reason, **common)
    if not statement.claims:
        return Verdict(statement.label, Status.UNDECIDED, "", reason="it has no claims", **common)
    pairs = zip(steps, statement.steps, strict=False)
    false = next((v for v, step in pairs if v.status is Status.REFUTED and claimed(statement, step, lookup)), None)
    if false is not None:
        reason = f"{false.name} is the claim: {false.reason}"
        return Verdict(statement.label, Status.REFUTED, false.method, witness=false.witness, reason=reason, **common)
    if broken:
        first = broken[0]
        more = f" (and {len(broken) - 1} more)" if len(broken) > 1 else ""
        reason = f"{first.name} is {first.status}{more}: {first.reason}"
        return Verdict(statement.label, Status.UNDECIDED, "steps", witness=first.witness, reason=reason, **common)
    cited = [s.name for s in steps if s.status is Status.CITED]
    if cited:
        reason = f"{', '.join(cited)} taken from the literature"
        return Verdict(statement.label, Status.CITED, "steps", reason=reason, **common)
    certificate = {
        "schema": 1,
        "kind": "statement",
        "statement": encode(statement),
        "cited": [encode(lookup(label)) for label in statement.cites],
        "steps": [{"form": "printed" if s.as_used is None else "repaired", **(s.certificate or {})} for s in steps],
    }
    repaired = [s.name for s in steps if s.status is Status.REPAIRED]
    reason = f"{', '.join(repaired)} in a repaired form" if repaired else ""
    return Verdict(statement.label, Status.PROVED, "steps", certificate=certificate, reason=reason, **common)
