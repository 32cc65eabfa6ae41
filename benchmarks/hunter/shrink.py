"""A hole made small: what is left out or replaced by something simpler as long as the step stays PROVED and false."""

from __future__ import annotations

import random as python_random
import time
from collections.abc import Iterator
from dataclasses import replace

from benchmarks.hunter import adapter
from benchmarks.hunter.mutate import with_relation
from benchmarks.hunter.terms import replaced, smaller, subterms
from benchmarks.hunter.trial import Case, Verdict, counterexample
from boundcheck.kernel.formula import FormulaError
from boundcheck.kernel.proof.sorts import SortError
from boundcheck.kernel.statement import Statement, Step

SECONDS = 6.0  #: processor time for one hole


def _steps(case: Case, step: Step, statement: Statement | None = None) -> Case:
    base = statement or case.statement
    if case.number > len(base.steps):
        return replace(case, statement=base, step=step)
    return replace(case, statement=replace(base, steps=(*base.steps[: case.number - 1], step)), step=step)


def smaller_cases(case: Case) -> Iterator[Case]:
    """Cases that are simpler than ``case`` by one change."""
    step, statement = case.step, case.statement
    for name in statement.hypotheses:
        if name not in getattr(step.by, "using", ()):
            rest = {k: v for k, v in statement.hypotheses.items() if k != name}
            yield _steps(case, step, replace(statement, hypotheses=rest))
    for name in statement.declares or {}:
        rest_of = {k: v for k, v in (statement.declares or {}).items() if k != name}
        yield _steps(case, step, replace(statement, declares=rest_of))
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
        yield _steps(case, replace(step, fact=fact))
    r = step.fact.relation
    for t in sorted(subterms(r), key=lambda t: -len(str(t))):
        for s in smaller(t):
            yield _steps(case, with_relation(step, r.map(lambda e, t=t, s=s: replaced(e, t, s))))  # type: ignore[misc]


def shrink(case: Case, found: Verdict, rng: python_random.Random, budget: float) -> tuple[Case, str]:
    """A smaller hole of the same kind, and the model that shows it."""
    end = time.process_time() + SECONDS
    why, again = found.why, True
    while again and time.process_time() < end:
        again = False
        for other in smaller_cases(case):
            if time.process_time() > end:
                break
            try:
                wanted = adapter.wanted(other.statement, other.number, other.step, other.find)
                if isinstance(wanted, str):
                    continue
                how, model, _ = counterexample(other, rng, 10)
                if how != found.how or not adapter.proved(wanted, budget):
                    continue
            except (FormulaError, SortError, ValueError, KeyError, IndexError, RecursionError):
                continue
            case, why, again = other, model, True
            break
    return case, why
