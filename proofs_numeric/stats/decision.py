"""Two stages, one verdict: a screen on fresh streams, a confirmation on fresher ones, words that claim no more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from boundcheck.verdict import Status
from proofs_numeric.stats.budget import DETECTABLE_RATIO, STAGE_TWO, Levels
from proofs_numeric.stats.decision_rules import Outcome, Rule, Summary, Test, float_sum, no_limit


@dataclass(frozen=True)
class Design:
    """Both stages of one cell: the tests and their planned numbers of trials."""

    tests: tuple[Test, Test]
    trials: tuple[int, int]


def plan(rule: Rule, trials: int, levels: Levels) -> Design:
    """Stage one with ``trials`` at the screening level, stage two with STAGE_TWO times as many at the reject level."""
    more = STAGE_TWO * trials
    tests = rule.test(trials, levels.screen, levels.confidence), rule.test(more, levels.reject, levels.confidence)
    return Design(tests, (trials, more))


def add(summaries: Sequence[Summary]) -> Summary:
    """The sum of chunk summaries, entry by entry: integers exactly, floats rounded once, in the order given."""
    columns = zip(*summaries, strict=True)
    return [sum(c) if all(isinstance(v, int) for v in c) else float_sum(c) for c in columns]


@dataclass(frozen=True)
class Judgement:
    """A cell's verdict with the numbers behind it; ``outcome`` is that of the last stage drawn (None: no trials).

    ``missing`` says why the verdict is UNDERPOWERED; it is empty for the others.
    """

    status: Status
    outcome: Outcome | None
    trials: int
    detectable: float
    partial: bool
    missing: str = ""


def judge(plan: Design, stage_one: tuple[Summary, int], stage_two: tuple[Summary, int] | None) -> Judgement:
    """The verdict from (summed summaries, trials) of each stage.

    REFUTED-STAT needs both stages to reject; an unfinished stage gives UNDERPOWERED and ``partial``, whatever it holds
    so far: a test that is looked at after each chunk rejects a true claim oftener than its level says. CONSISTENT
    needs an upper limit of at most twice the claim and, where events are counted, a detectable probability of at most
    that at every threshold. Of a mean the smallest detectable value is printed and gates nothing: it is that of the
    worst law of the range, while the limit is valid for all of them.
    """
    total, done = stage_one
    first = plan.tests[0].decide(total, done) if done else None
    if first is None:
        return Judgement(Status.UNDERPOWERED, None, 0, math.inf, True, "no trial was run")
    last, trials, partial, stage = first, done, done < plan.trials[0], 0
    refuted = False
    if stage_two is not None and stage_two[1]:
        last, trials, stage = plan.tests[1].decide(*stage_two), stage_two[1], 1
        refuted = first.rejected and last.rejected and trials == plan.trials[1]
    if first.rejected and trials < plan.trials[1]:
        partial = True
    drawn = (trials, *plan.trials[stage + 1 :])
    seen = [
        max(test.detectable(n, row) for test, n in zip(plan.tests[stage:], drawn, strict=True))
        for row in range(len(last.rows))
    ]
    detectable = seen[last.shown]
    if refuted:
        return Judgement(Status.REFUTED_STAT, last, trials, detectable, partial)
    missing = _unfinished(trials, plan.trials[stage]) if partial else _missing(last, seen, trials)
    status = Status.UNDERPOWERED if missing else Status.CONSISTENT
    return Judgement(status, last, trials, detectable, partial, missing)


def _unfinished(trials: int, planned: int) -> str:
    waits = "the confirmation is not run" if trials >= planned else f"only {trials} of {planned} trials are run"
    return f"not finished: {waits}"


def _missing(outcome: Outcome, seen: Sequence[float], trials: int) -> str:
    """What keeps a cell that is not rejected from CONSISTENT; empty: nothing."""
    if outcome.missing or outcome.bad is None:
        return outcome.missing
    if said := no_limit(outcome.rows[outcome.shown]):
        return said
    for row, least in zip(outcome.rows, seen, strict=True):
        if not least <= DETECTABLE_RATIO * row.claimed:
            told = f"a probability of {least:.3g}, above twice the claim {row.claimed:.3g}"
            return f"{told}, could go unseen in {trials} trials"
    return ""


def must_confirm(plan: Design, stage_one: tuple[Summary, int]) -> bool:
    """Whether the finished stage one asks for stage two."""
    total, done = stage_one
    return done == plan.trials[0] and plan.tests[0].decide(total, done).rejected
