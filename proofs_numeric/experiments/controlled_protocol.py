"""The protocol of the controlled experiment: tune on some seeds, evaluate on others, further seeds for the bands.

Turns settings into jobs and jobs into tables of final norms; tuning, evaluation and further seeds never meet.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from proofs_numeric.experiments.controlled_runs import SeedBlock, blocks, join
from proofs_numeric.experiments.controlled_settings import METHODS, RAW, THEORY, Configuration, Settings
from proofs_numeric.experiments.controlled_simulation import ORDER, Diagnostic, Runs, diagnose, seed_stream, start
from proofs_numeric.experiments.controlled_theory import Prescribed, prescribed
from proofs_numeric.experiments.experiment_jobs import Result, Workers
from proofs_numeric.model.sphere import Array

STATISTIC: dict[str, Callable[[Array], Any]] = {"median": np.median, "mean": np.mean}


@dataclass(frozen=True)
class ControlledOutcome:
    """Everything simulated: per dimension and stage, the runs and the configurations they hold."""

    settings: Settings
    runs: Mapping[tuple[int, str], tuple[Runs, tuple[Configuration, ...]]]
    raw_check: Runs | None
    diagnostic: Diagnostic
    diagnostic_radius: float
    chosen: Mapping[tuple[int, float, str, str], Configuration] = field(default_factory=dict)

    def ran(self, d: int, stage: str, configuration: Configuration) -> bool:
        """Whether there are runs of a configuration in this stage."""
        return (d, stage) in self.runs and configuration in self.runs[d, stage][1]

    def column(self, d: int, p: float, stage: str, configuration: Configuration, what: str = "") -> Array:
        """One value a seed (or a curve a seed) of one configuration that :meth:`ran`.

        ``what`` is a field of :class:`Runs`; by default the norm that the setting ``final`` names. Raises
        :class:`LookupError` where it was not run.
        """
        if not self.ran(d, stage, configuration):
            raise LookupError(f"{configuration} at d = {d} has no runs of the stage {stage}")
        runs, configurations = self.runs[d, stage]
        values = getattr(runs, what or self.settings.final)
        return values[:, self.settings.exponents(d).index(p), configurations.index(configuration)]


def theory_parameters(settings: Settings, d: int) -> tuple[Prescribed, ...]:
    """Threshold and bound of thm:tuned-dev for each p at dimension d; Pareto noise of this scale has sigma = scale."""
    s = settings
    return tuple(prescribed(p, d, s.batch, s.steps, s.delta, s.x0_norm, s.scale) for p in s.exponents(d))


def _jobs(
    settings: Settings, d: int, stage: str, count: int, configurations: Sequence[Configuration], curves: bool = False
) -> list[SeedBlock]:
    """Those of a stage at one dimension; "raw check" are short runs, alpha t >= 7, for p < 2 and no threshold."""
    s, raw = settings, stage == "raw check"
    p, steps = (raw_check_exponents(s), raw_check_steps(s)) if raw else (s.exponents(d), s.steps)
    taus = () if raw else tuple(t.tau for t in theory_parameters(s, d))
    common = (s.batch, steps, s.x0, s.x0_norm, s.scale, curves, taus)
    return [SeedBlock(s.seed, d, p, stage, seeds, tuple(configurations), *common) for seeds in blocks(count) if p]


def raw_check_exponents(settings: Settings) -> tuple[float, ...]:
    """The exponents with a stable law."""
    return tuple(p for p in settings.exponents(settings.tail_sweep_d) if p < 2)


def raw_check_steps(settings: Settings) -> int:
    """The smallest t with alpha t >= 7."""
    return math.ceil(7 / max(settings.alphas))


def select(values: Mapping[Configuration, Array], criterion: str) -> Configuration:
    """The configuration with the smallest median (or mean) over the tuning seeds; ties go to the smaller step size."""
    return min(values, key=lambda c: (float(STATISTIC[criterion](values[c])), c.alpha, c.level))


def _gather(done: Mapping[SeedBlock, Result], jobs: Iterable[SeedBlock]) -> tuple[Runs, tuple[Configuration, ...]]:
    ordered = sorted(jobs, key=lambda job: job.seeds)
    return join([done[job] for job in ordered]), ordered[0].configurations


def grids(settings: Settings) -> dict[str, tuple[float, ...]]:
    """The two step-size grids: the one fitted to the paper's tables, and with the lower steps added."""
    return {"fitted": settings.alphas, "wider": settings.every_alpha}


def tune(outcome: ControlledOutcome) -> dict[tuple[int, float, str, str], Configuration]:
    """The selected configuration by (d, p, method, grid), from the tuning seeds alone."""
    settings = outcome.settings
    chosen = {}
    for d, p in settings.cells:
        for method in (*METHODS, THEORY):
            for grid, alphas in grids(settings).items():
                values = {
                    c: outcome.column(d, p, "tuning", c) for c in settings.configurations(method) if c.alpha in alphas
                }
                chosen[d, p, method, grid] = select(values, settings.criterion)
    return chosen


def collect(settings: Settings, workers: Workers[SeedBlock]) -> ControlledOutcome:
    """Run (or read) everything: tuning first, then evaluation, further seeds and diagnostics."""
    s = settings
    everything = [c for method in ORDER for c in s.configurations(method)]
    tuning = {d: _jobs(s, d, "tuning", s.tuning_seeds, everything) for d in s.every_dimension}
    done = workers.run([job for jobs in tuning.values() for job in jobs], "tuning")
    runs = {(d, "tuning"): _gather(done, jobs) for d, jobs in tuning.items()}

    d, p = s.representative
    diagnostic_radius = min(s.radii)
    rng = seed_stream(s.seed, d, "diagnostic", 0)
    x = start(s.x0, s.diagnostic_norm, d)
    diagnostic = diagnose(rng, x, p, s.batch, diagnostic_radius, s.taus, s.scale, s.diagnostic_batches)
    tuned = ControlledOutcome(s, runs, None, diagnostic, diagnostic_radius)
    chosen = tune(tuned)

    later: dict[tuple[int, str], list[SeedBlock]] = {}
    for d in s.every_dimension:
        wanted = set(everything) if s.evaluate == "all" else {c for key, c in chosen.items() if key[0] == d}
        if s.evaluate == "selected":  # the step size of thm:main is reported whether selected or not
            wanted.add(max(s.configurations(THEORY), key=lambda c: c.alpha))
        configurations = [c for c in everything if c in wanted]
        curves = d == s.representative[0]
        later[d, "evaluation"] = _jobs(s, d, "evaluation", s.evaluation_seeds, configurations, curves)
        if s.band_seeds:
            later[d, "band"] = _jobs(s, d, "band", s.band_seeds, configurations)
    check = _jobs(s, s.tail_sweep_d, "raw check", s.raw_check_seeds, [Configuration(RAW, max(s.alphas))])
    jobs = [*(job for part in later.values() for job in part), *check]
    done = workers.run(jobs, "evaluation")
    runs |= {address: _gather(done, part) for address, part in later.items()}
    raw_check = _gather(done, check)[0] if check else None
    return ControlledOutcome(s, runs, raw_check, diagnostic, diagnostic_radius, chosen)
