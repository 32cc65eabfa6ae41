"""The decision rules on laws whose truth is known: how often each is rejected, CONSISTENT, UNDERPOWERED.

Heavy tails, rare huge values, declared variances, ranges of any width and moments that are wrong: no law may be called
CONSISTENT whose mean or probability is above twice the claim. Both stages at level 0.05, limits at the level of a run
with one cell, every case in 10^4 repetitions. ``python benchmarks/calibration.py -o docs/calibration.md`` writes
the table; it is the same for every run.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import integrate

from boundcheck.app.reporting import markdown
from boundcheck.system.files import write_text
from boundcheck.verdict import Status
from proofs_numeric.model.sphere import Array
from proofs_numeric.model.streams import stream
from proofs_numeric.stats.binomial import critical_count
from proofs_numeric.stats.bounded_mean import Mean, MeanTest
from proofs_numeric.stats.budget import DETECTABLE_RATIO, FALSE_BOUND, Levels
from proofs_numeric.stats.decision import judge, must_confirm, plan
from proofs_numeric.stats.decision_rules import Exceedance, Rule, Summary, Test
from proofs_numeric.stats.heavy_mean import HeavyMean, HeavyMeanTest

REPETITIONS = 10_000
SIZE = 0.05  #: level of either stage
LEVELS = Levels(SIZE, SIZE, FALSE_BOUND / 2)
RATIOS = (0.5, 1.0, 2.05, 4.0)  #: truth / claim of the cases
COLUMNS = ("rule", "law", "told", "trials", "truth/claim", "stage one", "rejected", "consistent", "underpowered")
BLOCK = 1 << 21  #: values drawn at once


@dataclass(frozen=True)
class Law:
    """A law with its mean (or the probability of an event), and the rule that is asked of it at a claim."""

    rule: str
    name: str
    declared: str
    truth: float
    draw: Callable[[np.random.Generator, tuple[int, int]], Array]
    asks: Callable[[float], Rule]
    trials: int = 400


@dataclass(frozen=True)
class Case:
    """How often what was said of one law at one claim, in shares; ``screened`` is what stage one alone rejected."""

    law: Law
    ratio: float
    repetitions: int
    screened: int
    said: Counter[Status]


def pareto(a: float) -> Callable[[np.random.Generator, tuple[int, int]], Array]:
    """P(X > x) = x^-a, x >= 1; its mean is a/(a - 1)."""
    return lambda rng, shape: np.exp(rng.standard_exponential(shape) / a)


def event(q: float, size: float = 1.0) -> Callable[[np.random.Generator, tuple[int, int]], Array]:
    """``size`` with probability q, else 0."""
    return lambda rng, shape: np.where(rng.random(shape) < q, size, 0.0)


def _student(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return np.abs(rng.standard_t(1.5, shape))


def _clipped(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return np.minimum(pareto(1.5)(rng, shape), 20.0)


STUDENT = 2 * math.sqrt(1.5) * math.gamma(1.25) / (math.sqrt(math.pi) * math.gamma(0.75) * 0.5)  #: E|t_1.5|
CLIPPED = 1 + (1 - 20**-0.5) / 0.5  #: E min(Z, 20), Z Pareto(1.5)
CLIPPED_VARIANCE = 1 + 4 * (20**0.5 - 1) - CLIPPED**2


def central_moment(a: float, p: float) -> float:
    """E|Z - E Z|^p of Pareto(a), 1 < p < a, by quadrature."""
    mean = a / (a - 1)
    below, _ = integrate.quad(lambda x: (mean - x) ** p * a * x ** (-a - 1), 1, mean)
    above, _ = integrate.quad(lambda w: (1 - mean * w) ** p * a * w ** (a - p - 1), 0, 1 / mean)
    return float(below + above)


def _mean(low: float, high: float, centre: float, variance: float) -> Callable[[float], Rule]:
    return lambda claim: Mean(claim, low, high, centre, variance)


def _heavy(p: float, moment: float, centre: float, proved: str, low: float = -math.inf) -> Callable[[float], Rule]:
    return lambda claim: HeavyMean(claim, p, moment, centre, low, proved)


def laws() -> Iterator[Law]:
    """Every law of the table."""
    yield from _bounded()
    yield from _heavy_tails()
    for q, n in ((0.1, 1000), (0.1, 500), (0.02, 5000), (1e-3, 400)):
        yield Law(
            "probability", f"event of {q:g}", "-", q, event(q, 2.0), lambda claim: Exceedance((1.0,), (claim,)), n
        )


def _bounded() -> Iterator[Law]:
    mean = "mean on a range"
    yield Law(mean, "fair coin", "variance 1/4", 0.5, event(0.5), _mean(0, 1, 0.5, 0.25))
    yield Law(mean, "event of 0.2", "variance 0.16", 0.2, event(0.2), _mean(0, 1, 0.2, 0.16))
    yield Law(mean, "event of 0.2", "variance 1e-4: too small", 0.2, event(0.2), _mean(0, 1, 0.2, 1e-4))
    yield Law(mean, "event of 0.2", "variance 1e6: too large", 0.2, event(0.2), _mean(0, 1, 0.2, 1e6))
    yield Law(mean, "event of 0.2", "centre 0.9: wrong", 0.2, event(0.2), _mean(0, 1, 0.9, 0.01))
    yield Law(mean, "event of 0.01", "variance 1e-6: too small", 0.01, event(0.01), _mean(0, 1, 0.01, 1e-6))
    yield Law(mean, "constant 1/2", "variance 1e-9", 0.5, lambda r, s: np.full(s, 0.5), _mean(0, 1, 0.5, 1e-9))
    yield Law(mean, "Pareto(1.5) up to 20", "its variance", CLIPPED, _clipped, _mean(0, 20, CLIPPED, CLIPPED_VARIANCE))
    yield Law(mean, "Pareto(1.5) up to 20", "variance 0.01: too small", CLIPPED, _clipped, _mean(0, 20, 1.5, 0.01))
    yield Law(mean, "Pareto(1.2), no variance", "range 1e12, variance 10", 6.0, pareto(1.2), _mean(0, 1e12, 6, 10))
    yield Law(mean, "|t_1.5|, no variance", "range 1e12, variance 10", STUDENT, _student, _mean(0, 1e12, 2, 10))
    yield Law(mean, "10^6 at 4e-6", "range 1e12, variance 1", 4.0, event(4e-6, 1e6), _mean(0, 1e12, 1, 1))
    yield Law(mean, "10^6 at 4e-6", "range 1e6, variance 1", 4.0, event(4e-6, 1e6), _mean(0, 1e6, 1, 1))
    yield Law(mean, "10^6 at 4e-6", "range 1e6, its variance", 4.0, event(4e-6, 1e6), _mean(0, 1e6, 4, 4e6))


def _heavy_tails() -> Iterator[Law]:
    rule, v, draw = "mean under a moment", central_moment(1.8, 1.2), pareto(1.8)
    known = _heavy(1.2, v, 2.25, "exact")
    yield Law(rule, "Pareto(1.8), no variance", "p = 1.2, exact", 2.25, draw, known, 512)
    known = _heavy(1.2, v, 2.25, "exact", 0.0)
    yield Law(rule, "Pareto(1.8), no variance", "p = 1.2, exact; X >= 0", 2.25, draw, known, 512)
    known = _heavy(1.2, v, 2.25, "", 0.0)
    yield Law(rule, "Pareto(1.8), no variance", "p = 1.2, declared; X >= 0", 2.25, draw, known, 512)
    yield Law(
        rule, "Normal(1, 1)", "p = 2, exact", 1.0, lambda r, s: 1 + r.standard_normal(s), _heavy(2, 1, 1, "exact")
    )
    yield Law(rule, "|t_1.5|, no variance", "p = 2, moment 10: wrong", STUDENT, _student, _heavy(2, 10, 2, "", 0.0))
    yield Law(rule, "10^6 at 4e-6", "p = 2, moment 1: wrong", 4.0, event(4e-6, 1e6), _heavy(2, 1, 1, "", 0.0))


def _summaries(test: Test, values: Array) -> list[Summary]:
    """The summary of each row of ``values``; the sums of all rows at once where nothing is counted."""
    if isinstance(test, MeanTest | HeavyMeanTest):
        found: list[Summary] = np.stack([part.sum(axis=1) for part in test.parts(values)], axis=1).tolist()
        return found
    return [test.summary(row) for row in values]


def measure(law: Law, ratio: float, repetitions: int = REPETITIONS) -> Case:
    """Ask ``law`` a claim of truth/ratio, ``repetitions`` times, both stages from fresh numbers."""
    stages = plan(law.asks(law.truth / ratio), law.trials, LEVELS)
    rng = stream("calibration", f"{law.rule} {law.name} {law.declared} {ratio:g}")
    said: Counter[Status] = Counter()
    screened, done = 0, 0
    while done < repetitions:
        rows = min(repetitions - done, max(1, BLOCK // law.trials))
        done += rows
        ones = [(first, law.trials) for first in _summaries(stages.tests[0], law.draw(rng, (rows, law.trials)))]
        confirm = [must_confirm(stages, one) for one in ones]
        asked = [one for one, yes in zip(ones, confirm, strict=True) if yes]
        screened += len(asked)
        said.update(judge(stages, one, None).status for one, yes in zip(ones, confirm, strict=True) if not yes)
        for start in range(0, len(asked), step := max(1, BLOCK // stages.trials[1])):
            some = asked[start : start + step]
            again = _summaries(stages.tests[1], law.draw(rng, (len(some), stages.trials[1])))
            pairs = zip(some, again, strict=True)
            said.update(judge(stages, one, (two, stages.trials[1])).status for one, two in pairs)
    return Case(law, ratio, repetitions, screened, said)


def faults(cases: Sequence[Case]) -> list[str]:
    """What must not be: CONSISTENT above twice the claim, or a true claim rejected beyond its level."""
    found = []
    for case in cases:
        name = f"{case.law.rule}: {case.law.name} ({case.law.declared}), truth/claim {case.ratio:g}"
        passed = case.said[Status.CONSISTENT]
        if passed and case.ratio > DETECTABLE_RATIO:
            found.append(f"{name}: CONSISTENT {passed} times")
        if case.ratio <= 1 and case.screened >= critical_count(case.repetitions, SIZE, 1e-6):
            found.append(f"{name}: stage one rejects {case.screened} of {case.repetitions} times, at level {SIZE:g}")
    return found


def table(cases: Sequence[Case]) -> str:
    """The page: what was asked, then a row for each law and claim."""
    head = (
        "# How the decision rules do on laws that are known\n\n"
        "Written by `python benchmarks/calibration.py -o docs/calibration.md`; every case in "
        f"{cases[0].repetitions} repetitions.\n\n"
        "Each law is asked whether its mean (the probability of its event) is at most a claim.\n"
        f"*truth/claim* above 1 makes the claim false. Stage one and stage two reject at level {SIZE:g}\n"
        "each; a claim is REFUTED-STAT where both do, so that its size is far below that level, and *stage\n"
        "one* shows the size of one test. CONSISTENT asks for an upper limit of at most twice the claim,\n"
        "valid for every law on the range, or under a moment that is proved or exact; what else was\n"
        "declared of the law (column *told*) places bets, may be wrong and bears no verdict. So no law\n"
        "whose truth is above twice the claim is ever CONSISTENT, and laws out of the reach of the trials\n"
        "are UNDERPOWERED.\n"
    )
    return "\n".join([head, *markdown.table(COLUMNS, map(_row, cases)), ""])


def _row(case: Case) -> tuple[object, ...]:
    law, said = case.law, case.said
    counts = case.screened, said[Status.REFUTED_STAT], said[Status.CONSISTENT], said[Status.UNDERPOWERED]
    shares = (f"{n / case.repetitions:.4f}" for n in counts)
    return law.rule, law.name, law.declared, law.trials, f"{case.ratio:g}", *shares


def main(argv: Sequence[str] | None = None) -> int:
    """Measure every case and write the page; 1 where a rule does what it must not."""
    parser = argparse.ArgumentParser(prog="python benchmarks/calibration.py", description=main.__doc__)
    parser.add_argument("-o", "--output", type=Path, default=Path("docs/calibration.md"), help="where the page goes")
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="of every case (default 10000)")
    options = parser.parse_args(argv)
    cases = []
    for law in laws():
        cases += [measure(law, ratio, options.repetitions) for ratio in RATIOS]
        print(f"{law.rule}: {law.name}, {law.declared}", file=sys.stderr)
    write_text(options.output, table(cases))
    for fault in faults(cases):
        print(f"error: {fault}", file=sys.stderr)
    return 1 if faults(cases) else 0


if __name__ == "__main__":
    raise SystemExit(main())
