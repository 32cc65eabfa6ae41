"""A planted falsehood: what its proof demands otherwise than that of its statement is decided first.

Most of a planted falsehood is its statement again. If some changed step is not proved, it is not proved; the whole is
decided only where all of them are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from boundcheck.decide.statements import WORLD_SHARE, Lookup, assumes, claimed, decide_statement, decide_step
from boundcheck.decide.two_routes import Problem, decide_whole
from boundcheck.decide.worlds.world_refute import refuted
from boundcheck.decide.worlds.world_search import broken_claim
from boundcheck.kernel.proof.facts import ProofError
from boundcheck.kernel.proof.obligations import conclusion_steps, obligations
from boundcheck.kernel.proof.scalar_claims import Obligation
from boundcheck.kernel.statement import Decide, Fact, Literature, Statement, Step
from boundcheck.verdict import WORLD_FAILS, Status, Verdict


def decide_planted(
    twin: Statement,
    original: Statement,
    problem: Problem | None,
    lookup: Lookup,
    seconds: float,
    world: Mapping[str, str] | None = None,
) -> Verdict:
    """The verdict of ``twin``, ``original`` with a change: REFUTED where a world or a point breaks its claim.

    A world that does not is told at the head of the reason of what is UNDECIDED.
    """
    if not world:
        return _without_world(twin, original, problem, lookup, seconds)
    form = twin.as_used if twin.as_used is not None and (twin.imprecise or twin.exists) else twin
    found = refuted(form, world)
    if found.status is Status.REFUTED:
        return found
    verdict = _without_world(twin, original, problem, lookup, seconds)
    if verdict.status is not Status.UNDECIDED:
        return verdict
    return replace(verdict, reason=f"{WORLD_FAILS}{found.reason}; {verdict.reason}")


def _without_world(
    twin: Statement, original: Statement, problem: Problem | None, lookup: Lookup, seconds: float
) -> Verdict:
    if problem is not None or twin.exists or twin.literature or twin.kind == "assumption":
        return decide_whole(twin, problem, lookup, seconds, 0.0)
    used, own = twin, original
    if twin.imprecise and twin.as_used is not None and original.as_used is not None:
        used, own = twin.as_used, original.as_used  # the form on which the verdict rests
    lost = []
    for number, step in _changed(used, own, lookup):
        found = decide_step(used, number, step, lookup, seconds)
        if found.status in (Status.PROVED, Status.CITED):
            continue
        lost.append(found)
        if found.status is Status.REFUTED and claimed(used, step, lookup):
            reason = f"{found.name} is the claim: {found.reason}"
            return Verdict(twin.label, Status.REFUTED, found.method, witness=found.witness, reason=reason)
    if lost:
        broken = None if assumes(used, lookup) else _broken(used, lookup, seconds)
        if broken is not None:
            return broken
        more = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
        reason = f"{lost[0].name} is {lost[0].status}{more}: {lost[0].reason}"
        return Verdict(twin.label, Status.UNDECIDED, "steps", witness=lost[0].witness, reason=reason)
    return decide_statement(twin, lookup, seconds, 0.0)


def _broken(statement: Statement, lookup: Lookup, seconds: float) -> Verdict | None:
    """REFUTED where a point or a small world breaks a claim, whatever the proof does, else None."""
    for fact in statement.claims:
        found = _by_itself(statement, fact, lookup, seconds)
        if found.status is Status.REFUTED:
            return replace(found, name=statement.label, certificate=None, reason=f"the claim is {found.reason}")
    return broken_claim(statement, WORLD_SHARE * seconds)


def _by_itself(statement: Statement, fact: Fact, lookup: Lookup, seconds: float) -> Verdict:
    """The verdict of a claim from the hypotheses alone."""
    plain = tuple(name for name, known in statement.hypotheses.items() if known.plain)
    step = Step(fact, Decide(plain))
    return decide_step(replace(statement, steps=(step,), concludes=()), 1, step, lookup, seconds)


def _numbered(statement: Statement) -> list[tuple[int, Step]]:
    steps = [s if s.repair is None else s.repair for s in statement.steps]
    return list(enumerate([*steps, *conclusion_steps(statement)], 1))


def _demanded(statement: Statement, number: int, step: Step, lookup: Lookup) -> list[Obligation] | None:
    if isinstance(step.by, Literature):
        return []
    try:
        return obligations(statement, number, step, lookup)
    except ProofError:
        return None


def _changed(twin: Statement, original: Statement, lookup: Lookup) -> list[tuple[int, Step]]:
    """The steps and claims that demand what the statement demands nowhere, or that do not fit their reason."""
    known = {o for n, s in _numbered(original) for o in _demanded(original, n, s, lookup) or ()}
    found = []
    for number, step in _numbered(twin):
        wanted = _demanded(twin, number, step, lookup)
        if wanted is None or any(o not in known for o in wanted):
            found.append((number, step))
    return found
