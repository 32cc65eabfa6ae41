"""A hole made small: what is left out or replaced by something simpler as long as the step stays PROVED and false."""

from __future__ import annotations

import random as python_random
import time
from collections.abc import Iterator
from dataclasses import replace

from benchmarks.hunter import adapter
from benchmarks.hunter.adapter import Cite, Definition, Statement, Step
from benchmarks.hunter.mutate import with_relation
from benchmarks.hunter.terms import replaced, smaller, subterms
from benchmarks.hunter.trial import Case, Verdict, counterexample
from boundcheck.kernel.formula import FormulaError

SECONDS = {"false": 4.0, "false where undefined": 2.0}  #: processor time for one hole; of the other kinds: 0.5


def _steps(case: Case, step: Step, statement: Statement | None = None) -> Case:
    base = statement or case.statement
    return replace(case, statement=replace(base, steps=(*base.steps[: case.number - 1], step)), step=step)


def smaller_cases(case: Case, numbers: bool) -> Iterator[Case]:
    """Cases that are simpler than ``case`` by one change; ``numbers``: 0 and 1 may be put for terms."""
    step, statement = case.step, case.statement
    if not isinstance(step.by, Cite | Definition):
        for name in [n for n in statement.hypotheses if not n.endswith("is a vector")]:
            if name not in getattr(step.by, "using", ()):
                rest = {k: v for k, v in statement.hypotheses.items() if k != name}
                yield _steps(case, step, replace(statement, hypotheses=rest))
    for k, q in enumerate(statement.parameters):
        for n in range(len(q.domain)):
            parameters = list(statement.parameters)
            parameters[k] = replace(q, domain=q.domain[:n] + q.domain[n + 1 :])
            yield _steps(case, step, replace(statement, parameters=tuple(parameters)))
    for n in range(len(step.fact.where)):
        where = step.fact.where[:n] + step.fact.where[n + 1 :]
        yield _steps(case, replace(step, fact=replace(step.fact, where=where)))
    for o in step.fact.over:
        fact = replace(step.fact, over=tuple(x for x in step.fact.over if x != o))
        yield _steps(case, replace(step, fact=fact, integers=tuple(i for i in step.integers if i != o)))
    if step.integers:
        yield _steps(case, replace(step, integers=()))
    r = step.fact.relation
    for t in sorted(subterms(r), key=lambda t: -len(str(t))):
        for s in smaller(t, numbers):
            yield _steps(case, with_relation(step, r.map(lambda e, t=t, s=s: replaced(e, t, s))))  # type: ignore[misc]


def shrink(case: Case, found: Verdict, rng: python_random.Random, budget: float) -> tuple[Case, str]:
    """A smaller hole of the same kind, and the model that shows it."""
    end = time.process_time() + SECONDS.get(found.how, 0.5)
    why, again = found.why, True
    while again and time.process_time() < end:
        again = False
        for other in smaller_cases(case, found.how == "false"):
            if time.process_time() > end:
                break
            try:
                if adapter.fits(other.statement, other.number, other.step, other.find):
                    continue
                total = found.how == "false where undefined"
                how, model, _ = counterexample(other, rng, 10, adapter.PARTIAL and not total)
                if how != ("false" if total else found.how):
                    continue
                if not adapter.proved(other.statement, other.number, other.step, budget, other.find):
                    continue
            except (FormulaError, ValueError, RecursionError):
                continue
            case, why, again = other, model, True
            break
    return case, why
