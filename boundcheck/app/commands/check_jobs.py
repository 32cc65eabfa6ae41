"""What the worker processes of ``check`` do: one statement, one twin or one claim each; engines are imported here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from boundcheck.kernel.clock import budget
from boundcheck.kernel.statement import Claim, Statement, Twin
from boundcheck.verdict import Status, Verdict

if TYPE_CHECKING:
    from boundcheck.decide.memory import Record
    from boundcheck.decide.two_routes import Problem
    from boundcheck.rates import Entry

#: Share of the time for deciding a claim that may go into its slack bracket afterwards.
SLACK_SHARE = 0.2
ORDERED = ("<", "<=", ">", ">=")


def remembered(
    decide: Callable[..., Verdict], args: tuple[Any, ...], of_file: bool, anew: bool = False
) -> tuple[Verdict, dict[str, Record]]:
    """What ``decide(*args)`` says with what earlier searches found, and what it used of that or found itself.

    ``of_file``: the user's folder is asked and added to, else what is shipped with the catalogue is asked.
    ``anew``: nothing is asked.
    """
    from boundcheck.decide.memory import remembering
    from boundcheck.stored.found import Folder, shipped

    own = Folder() if of_file else None
    with remembering({} if anew else own or shipped()) as used:
        verdict = decide(*args)
    if own is not None:
        own.write(used)
    return verdict, used


def decide_own(
    statement: Statement, others: tuple[Statement, ...], seconds: float, again: bool, keep: bool
) -> Verdict:
    """The verdict of a statement, which may cite ``others`` beside the catalogue.

    ``again``: its whole certificate is checked again by the independent verifier; one that is refused leaves
    the statement UNDECIDED. ``keep``: the certificate stays in the verdict.
    """
    from boundcheck.decide.two_routes import decide_whole
    from boundcheck.user_files import lookup_with

    verdict = decide_whole(statement, _problem(statement), lookup_with(others), seconds, SLACK_SHARE * seconds)
    if again:
        verdict = verified(verdict)
    return verdict if keep else bare(verdict)


def decide_twin(statement: Statement, others: tuple[Statement, ...], seconds: float, twin: Twin) -> Verdict:
    """The verdict of a planted falsehood of a statement, which may cite ``others`` beside the catalogue."""
    from boundcheck.author.twins import apply_twin
    from boundcheck.decide.worlds.planted import decide_planted
    from boundcheck.user_files import lookup_with

    planted = apply_twin(statement, twin)
    return bare(decide_planted(planted, statement, _problem(planted), lookup_with(others), seconds, twin.world))


def decide_claim(claim: Claim, seconds: float, keep: bool) -> Verdict:
    """The verdict of a user's claim, with its slack where it is one proved inequality."""
    from boundcheck.decide import decide, slack_bracket
    from boundcheck.decide.scalar.engine import PATIENCE

    with budget(PATIENCE * seconds):
        verdict = decide(claim, seconds)
    one = len(claim.claim) == 1 and claim.claim[0].op in ORDERED
    if one and verdict.status is Status.PROVED and verdict.slack is None:
        with budget(PATIENCE * SLACK_SHARE * seconds):
            bracket = slack_bracket(claim, SLACK_SHARE * seconds)
        if bracket != (None, None):
            verdict = replace(verdict, slack=bracket)
    return verdict if keep else bare(verdict)


def decide_rate(entry: Entry, seconds: float, keep: bool) -> Verdict:
    """The verdict of a user's rate, with the best constants and with weights where these are asked for."""
    from boundcheck.decide.quadratic.rate_search import decide_found

    verdict = decide_found(entry.rate, entry.find, entry.weights, seconds)
    return verdict if keep else bare(verdict)


def bare(verdict: Verdict) -> Verdict:
    """The verdict without certificates."""
    used = None if verdict.as_used is None else bare(verdict.as_used)
    return replace(verdict, certificate=None, steps=tuple(map(bare, verdict.steps)), as_used=used)


def _problem(statement: Statement) -> Problem | None:
    """The statement's extremal problem; a planted falsehood may leave the form that it needs, and has none then."""
    from boundcheck.author.scalar_claim import NotExtremal
    from boundcheck.paper.extremal import problem

    try:
        return problem(statement)
    except NotExtremal:
        return None


def verified(verdict: Verdict) -> Verdict:
    """The verdict, UNDECIDED where the independent verifier refuses its certificate (also that of the form used)."""
    from boundcheck.kernel.check.skolem import verify_carried
    from boundcheck.kernel.check.statement_certificate import verify_statement

    if verdict.status is Status.PROVED:
        check = verify_statement(verdict.certificate)
        return verdict if check.valid else _refused(verdict, check.reason)
    if verdict.certificate is not None and verdict.certificate.get("kind") == "skolem":
        check = verify_carried(verdict.certificate)
        if not check.valid:
            return _refused(verdict, check.reason)
    used = None if verdict.as_used is None else verified(verdict.as_used)
    if used is None or used.status is Status.PROVED or verdict.status is not Status.REPAIRED:
        return replace(verdict, as_used=used)
    return replace(verdict, as_used=used, status=Status.UNDECIDED, reason=used.reason)


def _refused(verdict: Verdict, reason: str) -> Verdict:
    what = "proof" if verdict.status is Status.PROVED else "refutation"
    return replace(verdict, status=Status.UNDECIDED, reason=f"the verifier refuses the {what} found: {reason}")
