"""What the worker processes of ``check`` do: one statement, one twin or one claim each; engines are imported here."""

from __future__ import annotations

from dataclasses import replace

from boundcheck.kernel.clock import budget
from boundcheck.kernel.rate import Rate
from boundcheck.kernel.statement import Claim, Statement, Status, Twin, Verdict

#: Share of the time for deciding a claim that may go into its slack bracket afterwards.
SLACK_SHARE = 0.2
PATIENCE = 1.5  #: shares of the time after which enclosures give up: what is found in time is still to be verified
ORDERED = ("<", "<=", ">", ">=")


def decide_label(label: str, seconds: float, again: bool, keep: bool) -> Verdict:
    """The verdict of a statement of the catalogue.

    ``again``: its whole certificate is checked again by the independent verifier; one that is refused leaves
    the statement UNDECIDED. ``keep``: the certificate stays in the verdict.
    """
    from boundcheck.paper import lookup

    return decide_own(lookup(label), (), seconds, again, keep)


def decide_own(
    statement: Statement, others: tuple[Statement, ...], seconds: float, again: bool, keep: bool
) -> Verdict:
    """As :func:`decide_label` for a statement that need not be in the catalogue; it may cite ``others``."""
    verdict = _whole(statement, others, seconds)
    if again:
        verdict = verified(verdict)
    return verdict if keep else bare(verdict)


def decide_twin(statement: Statement, twin: Twin, others: tuple[Statement, ...], seconds: float) -> Verdict:
    """The verdict of a planted falsehood of a statement, which may cite ``others`` beside the catalogue."""
    from boundcheck.twins import apply_twin

    return bare(_whole(apply_twin(statement, twin), others, seconds, slack=False))


def decide_claim(claim: Claim, seconds: float, keep: bool) -> Verdict:
    """The verdict of a user's claim, with its slack where it is one proved inequality."""
    from boundcheck.decide import decide, slack_bracket

    with budget(PATIENCE * seconds):
        verdict = decide(claim, seconds)
    one = len(claim.claim) == 1 and claim.claim[0].op in ORDERED
    if one and verdict.status is Status.PROVED and verdict.slack is None:
        with budget(PATIENCE * SLACK_SHARE * seconds):
            bracket = slack_bracket(claim, SLACK_SHARE * seconds)
        if bracket != (None, None):
            verdict = replace(verdict, slack=bracket)
    return verdict if keep else bare(verdict)


def decide_rate(rate: Rate, find: str, seconds: float, keep: bool) -> Verdict:
    """The verdict of a user's rate, with the best value of the constant ``find`` if one is asked for."""
    from boundcheck.decide.rate_search import decide_found
    from boundcheck.decide.rates import decide_rate as decide

    verdict = decide_found(rate, find, seconds) if find else decide(rate, seconds)
    return verdict if keep else bare(verdict)


def bare(verdict: Verdict) -> Verdict:
    """The verdict without certificates."""
    used = None if verdict.as_used is None else bare(verdict.as_used)
    return replace(verdict, certificate=None, steps=tuple(map(bare, verdict.steps)), as_used=used)


def _whole(statement: Statement, others: tuple[Statement, ...], seconds: float, slack: bool = True) -> Verdict:
    from boundcheck.decide.whole import decide_whole
    from boundcheck.own import lookup_with
    from boundcheck.paper.extremal import NotExtremal, problem

    try:
        extremal = problem(statement)
    except NotExtremal:  # a twin may leave the form that the problem needs; its steps are decided all the same
        extremal = None
    return decide_whole(statement, extremal, lookup_with(others), seconds, SLACK_SHARE * seconds if slack else 0.0)


def verified(verdict: Verdict) -> Verdict:
    """The verdict, UNDECIDED where the independent verifier refuses its certificate (also that of the form used)."""
    from boundcheck.kernel.check.skolem import verify_carried
    from boundcheck.kernel.check.statement import verify_statement

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
