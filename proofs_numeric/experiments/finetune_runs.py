"""The jobs of the fine-tuning experiment in a worker process, and how their results are stored."""

from __future__ import annotations

import json
import time
from pathlib import Path

from boundcheck.system.workers import attend
from proofs_numeric.experiments import experiment_jobs
from proofs_numeric.experiments.finetune_training import Comparison, Result, Training
from proofs_numeric.tuning.backend import torch


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


def ledger(path: Path) -> experiment_jobs.Ledger[Result]:
    """The ledger of trainings and comparisons. Raises :class:`jobs.LedgerError`."""
    return experiment_jobs.Ledger(
        path, "tuned", lambda result: json.dumps(result).encode(), lambda row: dict(json.loads(row))
    )
