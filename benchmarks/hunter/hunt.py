"""The hunt: mutants of the catalogue's steps and small random proofs, holes minimised and grouped by kind."""

from __future__ import annotations

import collections
import json
import random as python_random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from benchmarks.hunter import adapter
from benchmarks.hunter.adapter import ByRule, Cite, Decide, Definition, Statement, Step, Use
from benchmarks.hunter.generate import Generator
from benchmarks.hunter.mutate import Mutator
from benchmarks.hunter.shrink import shrink
from benchmarks.hunter.trial import Case, Verdict, sorts_of, try_case


@dataclass
class Hunt:
    """What a hunt has found."""

    counts: collections.Counter[str] = field(default_factory=collections.Counter)
    holes: dict[str, dict[str, Any]] = field(default_factory=dict)
    sizes: collections.Counter[str] = field(default_factory=collections.Counter)


def reason_of(step: Step) -> str:
    """How a step is justified, in a word or two."""
    by = step.by
    if isinstance(by, ByRule):
        return f"rule {by.rule}"
    return {Cite: "cite", Decide: "decide", Definition: "definition"}.get(type(by), type(by).__name__.lower())


@cache
def _catalogue_steps() -> tuple[tuple[Statement, int, Step], ...]:
    found = []
    for statement in adapter.catalogue().values():
        for one in (statement, statement.as_used):
            if one is not None:
                found += [(one, n, s) for n, s in adapter.sequence(one).items()]
    return tuple(found)


def mutant(rng: python_random.Random) -> Case | None:
    """A mutant of a step of the catalogue."""
    statement, number, step = rng.choice(_catalogue_steps())
    before = Case(statement, number, step)
    sorts = sorts_of(before)
    changed, new, what = Mutator(rng, sorts).mutants(statement, number, step)
    if not what or (new == step and changed == statement):
        return None
    steps = (*changed.steps[: number - 1], new)
    return Case(replace(changed, steps=steps, concludes=()), number, new, f"{statement.label}/{number}: {what}", sorts)


def show(case: Case) -> str:
    """A case in a few lines: the facts that the step uses, the step, its reason."""
    lines = []
    used = {u.ref if isinstance(u, Use) else u for u in getattr(case.step.by, "using", ())}
    every = isinstance(case.step.by, Cite | Definition)
    for q in case.statement.parameters:
        if q.domain or q.integer:
            lines.append(f"domain {', '.join(q.domain)}{' integer ' + q.symbol if q.integer else ''}")
    for name, f in case.statement.hypotheses.items():
        if name in used or (every and not name.endswith("is a vector")):
            lines.append(f"given {name}: {_fact(f)}")
    for n, s in enumerate(case.statement.steps[: case.number - 1], 1):
        s = s.repair or s
        if n in used or s.name in used or every or isinstance(s.by, Definition):
            lines.append(f"step {n}: {_fact(s.fact)}" + (f" (integer {', '.join(s.integers)})" if s.integers else ""))
    random = case.statement.random
    if random:
        lines.append(f"random {', '.join(random)}")
    lines.append(f"PROVED: {_fact(case.step.fact)} by {case.step.by}")
    if isinstance(case.step.by, Cite):
        cited = case.find(case.step.by.label)
        given = "; ".join(_fact(f) for f in cited.hypotheses.values())
        domain = "; ".join(r for q in cited.parameters for r in q.domain)
        claims = "; ".join(_fact(f) for f in cited.claims)
        lines.append(f"where {cited.label} says {claims} given {given} for {domain}; random {cited.random}")
    return "\n".join(lines)


def _fact(f: adapter.Fact) -> str:
    return f.claim + (f" for all {', '.join(f.over)}" if f.over else "") + (
        f" where {', '.join(f.where)}" if f.where else "")  # fmt: skip


def cases(
    seed: int, number: int, source: str
) -> Iterator[tuple[int, python_random.Random, Callable[[], Case | None]]]:
    """Numbered cases, each with a generator of its own: case k of a seed is always the same."""
    for k in range(number):
        rng = python_random.Random(f"{seed}/{source}/{k}")
        if source == "random" or (source == "both" and k % 2):
            yield k, rng, lambda rng=rng: Generator(rng).case()  # type: ignore[misc]
        else:
            yield k, rng, lambda rng=rng: mutant(rng)  # type: ignore[misc]


def run(
    seed: int,
    number: int,
    source: str = "both",
    seconds: float = 1e9,
    budget: float = 0.2,
    note: Callable[[str], None] = lambda _: None,
    most: int = 3,
    only: tuple[str, ...] = (),
) -> Hunt:
    """``number`` cases, or as many as ``seconds`` of processor time allow; ``budget``: seconds for each claim.

    With ``only``, the cases whose origin ("rule: Markov (integers)", "use", a label) contains one of these texts.
    """
    hunt = Hunt()
    start = time.process_time()
    for k, rng, make in cases(seed, number, source):
        if time.process_time() - start > seconds:
            break
        try:
            case = make()
        except (ValueError, KeyError, IndexError, RecursionError, AttributeError) as fault:
            hunt.counts[f"not made: {type(fault).__name__}"] += 1
            continue
        if case is None:
            hunt.counts["unchanged"] += 1
            continue
        if only and not any(text in case.origin for text in only):
            continue
        if isinstance(case.step.by, Definition) and not case.known:
            hunt.counts["a new name"] += 1
            continue
        found = try_case(case, rng, budget)
        hunt.counts[found.kind] += 1
        if found.kind == "hole":
            _record(hunt, case, found, rng, k, budget, most, note)
        hunt.counts["cases"] += 1
        if k % 500 == 499:
            note(f"{k + 1}: {dict(hunt.counts)} {time.process_time() - start:.0f} s")
    return hunt


def _record(
    hunt: Hunt, case: Case, found: Verdict, rng: python_random.Random, k: int, budget: float, most: int,
    note: Callable[[str], None],
) -> None:  # fmt: skip
    signature = f"{reason_of(case.step)}: {found.how}"
    hunt.sizes[signature] += 1
    if hunt.sizes[signature] > most:
        return
    small, why = shrink(case, found, rng, budget)
    row = {"case": k, "kind": signature, "origin": case.origin, "proof": show(small), "model": why}
    hunt.holes[f"{signature} #{hunt.sizes[signature]}"] = row
    note(json.dumps(row, indent=1))
