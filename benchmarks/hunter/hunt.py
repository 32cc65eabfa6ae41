"""The hunt: mutants of written steps and of small random ones; holes made small and grouped by kind; resumable."""

from __future__ import annotations

import collections
import json
import random as python_random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.hunter import adapter
from benchmarks.hunter.generate import Generator
from benchmarks.hunter.mutate import Mutator
from benchmarks.hunter.shrink import shrink
from benchmarks.hunter.trial import Case, Verdict, try_case
from benchmarks.hunter.words import text_of
from boundcheck.kernel.formula import FormulaError
from boundcheck.kernel.proof.obligations import conclusion_steps
from boundcheck.kernel.proof.sorts import SortError
from boundcheck.kernel.statement import ByRule, Cite, Definition, Statement, Step, Use

EVERY = 1000  #: cases between two notes of where the hunt stands
FAULTS = (ValueError, KeyError, IndexError, RecursionError)


@dataclass
class Hunt:
    """What a hunt has found. ``done``: cases that need not be made again."""

    counts: collections.Counter[str] = field(default_factory=collections.Counter)
    holes: dict[str, dict[str, Any]] = field(default_factory=dict)
    sizes: collections.Counter[str] = field(default_factory=collections.Counter)
    done: int = 0
    seconds: float = 0.0

    def data(self) -> dict[str, Any]:
        """As JSON-able data."""
        return {
            "counts": dict(self.counts), "holes": self.holes, "sizes": dict(self.sizes), "done": self.done,
            "seconds": round(self.seconds),
        }  # fmt: skip


def resumed(data: dict[str, Any]) -> Hunt:
    """The hunt behind :meth:`Hunt.data`."""
    counts, sizes = collections.Counter(data["counts"]), collections.Counter(data["sizes"])
    return Hunt(counts, dict(data["holes"]), sizes, data["done"], data["seconds"])


def reason_of(step: Step) -> str:
    """How a step is justified, in a word or two."""
    by = step.by
    return f"rule {by.rule}" if isinstance(by, ByRule) else type(by).__name__.lower()


@cache
def written() -> tuple[Case, ...]:
    """The steps of the written statements with declarations, and their claims."""
    found = []
    for statement, find in adapter.written():
        for n, s in enumerate([*statement.steps, *conclusion_steps(statement)], 1):
            found.append(Case(statement, n, s.repair or s, f"{statement.label}/{n}", find))
    return tuple(found)


def mutant(rng: python_random.Random, source: str) -> Case | None:
    """A mutant of a written step or of a small random one; half of the random ones as they are."""
    random = source == "random" or (source == "both" and rng.random() < 0.6)
    case = Generator(rng).case() if random else rng.choice(written())
    if random and rng.random() < 0.5:
        return case
    sorts = adapter.sorts(case.statement, case.number, case.step)
    changed, new, what = Mutator(rng, sorts).mutants(case.statement, case.number, case.step)
    if not what or (new == case.step and changed == case.statement):
        return None
    last = case.number > len(changed.steps)
    steps = changed.steps if last else (*changed.steps[: case.number - 1], new)
    changed = replace(changed, steps=steps, concludes=())
    return replace(case, statement=changed, step=new, origin=f"{case.origin}: {what}")


def show(case: Case) -> str:
    """A case in a few lines: declarations, the facts that the step may use, the step, its reason."""
    s = case.statement
    lines = [f"declares {json.dumps(dict(s.declares or {}))}"]
    lines += [f"domain {', '.join(q.domain)}{' integer ' + q.symbol if q.integer else ''}" for q in s.parameters]
    lines += [f"given {name}: {text_of(f)}" for name, f in s.hypotheses.items()]
    used = {u.ref if isinstance(u, Use) else u for u in getattr(case.step.by, "using", ())}
    for n, step in enumerate(s.steps[: case.number - 1], 1):
        step = step.repair or step
        if n in used or step.name in used or isinstance(step.by, Definition) or isinstance(case.step.by, Cite):
            lines.append(f"step {n}: {text_of(step.fact)}")
    lines.append(f"PROVED: {text_of(case.step.fact)} by {case.step.by}")
    if isinstance(case.step.by, Cite):
        lines += [f"where {line}" for line in _cited(case.find(case.step.by.label))]
    return "\n".join(lines)


def _cited(s: Statement) -> list[str]:
    given = "; ".join(text_of(f) for f in s.hypotheses.values())
    domain = "; ".join(r for q in s.parameters for r in q.domain)
    claims = "; ".join(text_of(f) for f in s.claims)
    return [f"{s.label} says {claims} given {given} for {domain}; declares {dict(s.declares or {})}"]


def make(seed: int, source: str, k: int) -> tuple[python_random.Random, Case | None]:
    """Case k of a seed, always the same; None where nothing was changed or it could not be made."""
    rng = python_random.Random(f"{seed}/{source}/{k}")
    try:
        return rng, mutant(rng, source)
    except (*FAULTS, FormulaError, SortError):
        return rng, None


def run(
    seed: int,
    number: int,
    source: str = "both",
    seconds: float = 1e9,
    budget: float = 0.2,
    note: Callable[[str], None] = lambda _: None,
    most: int = 3,
    only: tuple[str, ...] = (),
    state: Path | None = None,
    first: bool = False,
) -> Hunt:
    """Cases 0 to ``number``, or as many as ``seconds`` of processor time allow; ``budget``: seconds for each claim.

    A hunt whose ``state`` is kept in a file goes on where it was left. With ``only``, the cases whose origin
    ("rule: Markov", "use", a label) contains one of these texts. ``first``: the first hole ends the hunt.
    """
    hunt = resumed(json.loads(state.read_text(encoding="utf-8"))) if state is not None and state.exists() else Hunt()
    start, before = time.process_time(), hunt.seconds
    for k in range(hunt.done, number):
        if time.process_time() - start > seconds or (first and hunt.holes):
            break
        rng, case = make(seed, source, k)
        hunt.done = k + 1
        if case is None or (only and not any(text in case.origin for text in only)):
            hunt.counts["unchanged"] += 1
            continue
        found = try_case(case, rng, budget)
        hunt.counts[found.kind] += 1
        if found.kind == "hole":
            _record(hunt, case, found, rng, k, budget, most, note)
        hunt.counts["cases"] += 1
        hunt.seconds = before + time.process_time() - start
        if hunt.done % EVERY == 0:
            note(f"{hunt.done}: {dict(hunt.counts)} {hunt.seconds:.0f} s")
            _keep(hunt, state)
    _keep(hunt, state)
    return hunt


def _keep(hunt: Hunt, state: Path | None) -> None:
    if state is not None:
        new = state.with_suffix(".new")
        new.write_text(json.dumps(hunt.data(), indent=1) + "\n", encoding="utf-8")
        new.replace(state)


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
