"""Two stages, one verdict: a screen on fresh streams, a confirmation on fresher ones, words that claim no more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from boundcheck.kernel.statement import Status
from proofs_numeric.stats.budget import DETECTABLE_RATIO, STAGE_TWO, Levels
from proofs_numeric.stats.rules import Outcome, Rule, Summary, Test


@dataclass(frozen=True)
class Plan:
    """Both stages of one cell: the tests and their planned numbers of trials."""

    tests: tuple[Test, Test]
    trials: tuple[int, int]


def plan(rule: Rule, trials: int, levels: Levels) -> Plan:
    """Stage one with ``trials`` at the screening level, stage two with STAGE_TWO times as many at the reject level."""
    more = STAGE_TWO * trials
    tests = rule.test(trials, levels.screen, levels.confidence), rule.test(more, levels.reject, levels.confidence)
    return Plan(tests, (trials, more))


def add(summaries: Sequence[Summary]) -> Summary:
    """The sum of chunk summaries, entry by entry: integers exactly, floats by ``math.fsum`` in the order given."""
    columns = zip(*summaries, strict=True)
    return [sum(c) if all(isinstance(v, int) for v in c) else math.fsum(c) for c in columns]


@dataclass(frozen=True)
class Judgement:
    """A cell's verdict with the numbers behind it; ``outcome`` is that of the last stage drawn (None: no trials)."""

    status: Status
    outcome: Outcome | None
    trials: int
    detectable: float
    partial: bool


def judge(plan: Plan, stage_one: tuple[Summary, int], stage_two: tuple[Summary, int] | None) -> Judgement:
    """The verdict from (summed summaries, trials) of each stage.

    REFUTED-STAT needs both stages to reject; an unfinished stage gives UNDERPOWERED and ``partial``.
    """
    total, done = stage_one
    first = plan.tests[0].decide(total, done) if done else None
    if first is None:
        return Judgement(Status.UNDERPOWERED, None, 0, math.inf, True)
    last, trials, partial, stage = first, done, done < plan.trials[0], 0
    refuted = False
    if stage_two is not None and stage_two[1]:
        last, trials, stage = plan.tests[1].decide(*stage_two), stage_two[1], 1
        refuted = last.rejected
    if first.rejected and trials < plan.trials[1]:
        partial = True
    row = last.shown
    detectable = max(
        test.detectable(trials if s == stage else planned, row)
        for s, (test, planned) in enumerate(zip(plan.tests, plan.trials, strict=True))
        if s >= stage
    )
    if refuted:
        status = Status.REFUTED_STAT
    elif not partial and detectable <= DETECTABLE_RATIO * last.rows[row].claimed:
        status = Status.CONSISTENT
    else:
        status = Status.UNDERPOWERED
    return Judgement(status, last, trials, detectable, partial)


def must_confirm(plan: Plan, stage_one: tuple[Summary, int]) -> bool:
    """Whether the finished stage one asks for stage two."""
    total, done = stage_one
    return done == plan.trials[0] and plan.tests[0].decide(total, done).rejected
