"""The jobs of the controlled experiment, cut by dimension, stage and block of seeds, and how they are stored.

A job's result depends on its content only (streams are addressed), so workers, order and interruption change nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields

import numpy as np

from proofs_numeric.experiments.controlled_settings import Configuration
from proofs_numeric.experiments.controlled_simulation import Runs, seed_stream, simulate, start
from proofs_numeric.experiments.experiment_jobs import Result

VERSION = 1  # raised when the simulation changes, so that older ledger rows are not read
BLOCK = 4  # seeds a job


@dataclass(frozen=True)
class SeedBlock:
    """Trajectories of a block of seeds at one dimension: all that decides their numbers."""

    root: int
    d: int
    p: tuple[float, ...]
    stage: str
    seeds: tuple[int, ...]
    configurations: tuple[Configuration, ...]
    batch: int
    steps: int
    x0: str
    x0_norm: float
    scale: float
    curves: bool
    prescribed: tuple[float, ...] = ()  # tau of thm:tuned-dev for each p

    @property
    def key(self) -> str:
        """Address of the result in the ledger."""
        return hashlib.sha256(f"{VERSION}|{sorted(asdict(self).items())!r}".encode()).hexdigest()

    @property
    def work(self) -> float:
        """Relative cost, for the progress bar: random numbers plus two matrix products."""
        return len(self.seeds) * self.steps * self.batch * self.d * (1 + 0.02 * len(self.p) * len(self.configurations))


def blocks(count: int) -> Iterator[tuple[int, ...]]:
    """0..count-1 in blocks of BLOCK."""
    for low in range(0, count, BLOCK):
        yield tuple(range(low, min(count, low + BLOCK)))


def work(job: SeedBlock) -> Result:
    """Run one job; in a worker process. The fields of :class:`Runs` as lists: the same doubles come back."""
    rngs = [seed_stream(job.root, job.d, job.stage, seed) for seed in job.seeds]
    x0 = start(job.x0, job.x0_norm, job.d)
    found = simulate(
        rngs, job.d, job.p, job.configurations, job.batch, job.steps, x0, job.scale, job.curves, job.prescribed
    )
    return {f.name: getattr(found, f.name).tolist() for f in fields(Runs)}


def join(parts: Sequence[Result]) -> Runs:
    """The seeds of several jobs in one record."""
    return Runs(**{f.name: np.concatenate([np.array(part[f.name]) for part in parts]) for f in fields(Runs)})
