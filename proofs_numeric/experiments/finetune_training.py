"""One run of the fine-tuning experiment, and one comparison of estimates with the gradient. Both are pure functions of
their jobs: streams are addressed by seeds, and each process computes in one thread."""

from __future__ import annotations

import hashlib
import math
import time
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from boundcheck.system.workers import attend
from proofs_numeric.experiments.experiment_jobs import Result
from proofs_numeric.experiments.finetune_settings import FULL, PARETO, RAW, REDUCED, VECTOR, Arm
from proofs_numeric.experiments.finetune_statistics import rounded
from proofs_numeric.experiments.finetune_task import Task, TaskSpec, task
from proofs_numeric.tuning import RSCZO, RSCZOWarning
from proofs_numeric.tuning.backend import torch

VERSION = 1  # raised when the computation changes, so that older ledger rows are not read
CURVE_POINTS = 4
_number = partial(rounded, digits=9)  #: as it is stored


@dataclass(frozen=True)
class TrainingJob:
    """What every job of the experiment says: where it takes place."""

    spec: TaskSpec
    scope: str
    pairs: int
    mu: float
    tail: float

    @property
    def key(self) -> str:
        """Address of the result in the ledger: the settings and the content of the files, not where they lie."""
        told = asdict(self)
        told["spec"] = {name: value for name, value in told["spec"].items() if name not in ("model", "data")}
        text = f"{VERSION}|{type(self).__name__}|{torch.__version__}|{sorted(told.items())!r}"
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Training(TrainingJob):
    """T steps of one arm from the pretrained model."""

    loss: str
    arm: Arm
    lr: float
    tau: float
    steps: int
    seed: int

    @property
    def work(self) -> float:
        """Relative cost, for the progress bar."""
        return self.steps * (10.0 + 20.0 * self.arm.M if self.scope == FULL else 2.0)

    def run(self) -> Result:
        """See :func:`train`."""
        return train(task(self.spec, self.scope), self)


@dataclass(frozen=True)
class Comparison(TrainingJob):
    """Estimates of the gradient from ``directions`` directions at the pretrained model, against the gradient."""

    directions: int
    batches: int
    taus: tuple[float, ...]
    seed: int

    @property
    def work(self) -> float:
        """Relative cost, for the progress bar."""
        return self.directions * self.batches * (12.0 if self.scope == FULL else 0.5)

    def run(self) -> Result:
        """See :func:`compare`."""
        return compare(task(self.spec, self.scope), self)


def prepare() -> None:
    """In a worker: one thread, reproducible operations only."""
    attend()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)


def work(job: Training | Comparison) -> Result:
    """Run one job; in a worker process. ``seconds`` is processor time, so that other load does not count."""
    start = time.process_time()
    result = job.run()
    return result | {"seconds": round(time.process_time() - start, 3)}


def pareto_weights(rng: np.random.Generator, n: int, tail: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    """n independent weights with P(w > a) = (c/a)^tail, a >= c = 1 - 1/tail, so that E w = 1."""
    return np.asarray((1 - rng.random(n)) ** (-1 / tail) * (1 - 1 / tail))


@dataclass(frozen=True)
class MiniBatch:
    """Rows and weights of the examples of one direction."""

    rows: torch.Tensor
    weights: torch.Tensor

    def loss(self, task: Task) -> torch.Tensor:
        """The mean over the examples of weight times cross-entropy."""
        return (self.weights * task.example_losses(self.rows)).mean()


def draw(rng: np.random.Generator, rows: torch.Tensor, n: int, loss: str, tail: float) -> MiniBatch:
    """n distinct examples; their weights are 1, or fresh Pareto numbers: the expected loss is the same."""
    chosen = rows[torch.from_numpy(rng.choice(len(rows), n, replace=False))]
    weights = pareto_weights(rng, n, tail) if loss == PARETO else np.ones(n)
    return MiniBatch(chosen, torch.from_numpy(weights).to(torch.float32))


def train(task: Task, job: Training) -> Result:
    """Train, and measure: per step the loss of the mini-batch, the raw Y and the fraction clipped; at CURVE_POINTS
    times the validation set; at the end the test set."""
    task.reset()
    arm, T = job.arm, job.steps
    n = job.pairs // arm.M
    rng = np.random.default_rng([task.spec.seed, 2, job.seed])
    rows = task.training_rows(job.seed)
    clip = {RAW: "none", REDUCED: "none", VECTOR: "vector"}.get(arm.method, "scalar")
    optimizer = RSCZO(
        task.parameters,
        job.lr,
        mu=job.mu,
        M=arm.M,
        tau=math.inf if clip == "none" else job.tau,
        clip=clip,
        seed=(task.spec.seed + 1) * 1000 + job.seed,
        check_first=False,  # done once for each scope, by the comparison
    )
    losses, raw, clipped = [], [], []
    curve = [(0, *task.at_start)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RSCZOWarning)  # clip fractions and skipped directions are reported as numbers
        for t in range(1, T + 1):
            batches = [draw(rng, rows, n, job.loss, job.tail) for _ in range(arm.M if arm.fresh else 1)]
            optimizer.step(lambda m, batches=batches: batches[m % len(batches)].loss(task))
            last = optimizer.last
            losses.append(last.loss)
            raw.append(list(last.raw))
            clipped.append(last.clip_fraction)
            if t in checkpoints(T):
                curve.append((t, *task.measure(task.validation)))
    return {
        "losses": [_number(v) for v in losses],
        "raw": [[_number(y) for y in row] for row in raw],
        "clipped": [_number(v) for v in clipped],
        "curve": [[t, _number(v), a] for t, v, a in curve],
        "test": [_number(v) for v in task.measure(task.test)],
        "skipped": optimizer.skipped,
    }


def checkpoints(steps: int) -> set[int]:
    """The steps after which the validation set is measured; the last is one of them."""
    return {math.ceil(steps * k / CURVE_POINTS) for k in range(1, CURVE_POINTS + 1)}


@torch.no_grad()
def compare(task: Task, job: Comparison) -> Result:
    """cos(g, grad f) at the pretrained model, f the loss of the training set of seed 0 and g = (1/M) sum_m c_m z_m.

    Each direction has a fresh mini-batch of pairs/4 examples. c_m is Y_m, psi_tau(Y_m) for each tau (both with and
    without Pareto weights, from the same passes), or <grad f, z_m>: what directions alone allow, without any noise.
    The cosine is None where g or the gradient is zero.
    """
    task.reset()
    parameters = task.parameters
    rows = task.training_rows(0)
    with torch.enable_grad():
        gradient = task.gradient(rows)
    size = _norm(gradient)
    rng = np.random.default_rng([task.spec.seed, 3, job.seed])
    generator = torch.Generator().manual_seed(task.spec.seed + 1)
    names = ["noiseless", *(f"{loss}|{tau:g}" for loss in ("clean", "pareto") for tau in (math.inf, *job.taus))]
    cosines: dict[str, list[float | None]] = {name: [] for name in names}
    raw: dict[str, list[float]] = {"clean": [], "pareto": []}
    n = max(1, job.pairs // 4)
    for _ in range(job.batches):
        sums = {name: [torch.zeros_like(p) for p in parameters] for name in names}
        for _ in range(job.directions):
            z = [torch.empty_like(p).normal_(generator=generator) for p in parameters]
            chosen = rows[torch.from_numpy(rng.choice(len(rows), n, replace=False))]
            weights = torch.from_numpy(pareto_weights(rng, n, job.tail))
            away = []
            for sign in (1, -1):
                for p, x, step in zip(parameters, task.start, z, strict=True):
                    torch.add(x, step, alpha=sign * job.mu, out=p)
                away.append(task.example_losses(chosen).double())
            quotient = (away[0] - away[1]) / (2 * job.mu)
            Y = {"clean": float(quotient.mean()), "pareto": float((weights * quotient).mean())}
            exact = math.fsum(float(torch.sum(a.double() * b)) for a, b in zip(gradient, z, strict=True))
            coefficients = {"noiseless": exact} | {
                f"{loss}|{tau:g}": max(-tau, min(tau, Y[loss])) for loss in Y for tau in (math.inf, *job.taus)
            }
            for name, c in coefficients.items():
                for g, step in zip(sums[name], z, strict=True):
                    g.add_(step, alpha=c)
            for loss, y in Y.items():
                raw[loss].append(y)
        for name, g in sums.items():
            inner = math.fsum(float(torch.sum(a.double() * b)) for a, b in zip(g, gradient, strict=True))
            lengths = _norm(g) * size
            cosines[name].append(_number(inner / lengths if lengths else math.nan))
    task.reset()
    return {
        "d": task.d,
        "gradient_norm": size,
        "cosines": cosines,
        "raw": {loss: [_number(y) for y in ys] for loss, ys in raw.items()},
        "plateau": _plateau(task, job, rows),
        "zero_shot": list(task.measure(task.test)),
        "sizes": [len(rows), len(task.validation), len(task.test)],
    }


def _norm(vectors: list[torch.Tensor]) -> float:
    return math.sqrt(math.fsum(float(torch.sum(v.double() ** 2)) for v in vectors))


def _plateau(task: Task, job: Comparison, rows: torch.Tensor) -> Mapping[str, Any]:
    """Whether mu lies where the difference quotient is flat, and whether two passes agree to the bit."""
    rng = np.random.default_rng([task.spec.seed, 4, job.seed])
    batch = draw(rng, rows, job.pairs, "clean", job.tail)
    optimizer = RSCZO(task.parameters, 0.0, mu=job.mu, clip="none", seed=task.spec.seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RSCZOWarning)
        found = optimizer.check(lambda: batch.loss(task))
    return {"verdict": found.verdict, "finer": _number(found.finer), "coarser": _number(found.coarser)}
