"""What was measured in the fine-tuning experiment, as data that the report and the figures are made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from proofs_numeric.experiments.experiment_jobs import Result
from proofs_numeric.experiments.finetune_protocol import Address, Tuned, clip_fraction
from proofs_numeric.experiments.finetune_settings import RAW, REDUCED, SCALAR, VECTOR, Arm, Settings
from proofs_numeric.experiments.finetune_statistics import paired, rounded, tail

PARTS = ("first third", "second third", "last third")
SMOOTH = 10  # steps over which the training loss of a curve is averaged
Record = dict[str, Any]


def summarise(outcome: Tuned) -> Record:
    """Everything but versions, task and figures."""
    settings = outcome.settings
    return {
        "schema": 1,
        "experiment": "finetune",
        "settings": asdict(settings),
        "arms": [_arm(outcome, at, arm) for at, arm in outcome.chosen],
        "sweep": [
            {"scope": at[0], "loss": at[1], "arm": arm.name, **asdict(c), "validation": r["curve"][-1][1]}
            for (at, arm), found in outcome.sweep.items()
            for c, r in found.items()
        ],
        "contrasts": [row for at in _addresses(outcome) for row in _contrasts(outcome, at)],
        "curves": [_curve(outcome, at, arm) for at, arm in outcome.chosen],
        "tails": [row for key in outcome.chosen if key[1].method == RAW for row in _tails(outcome, *key)],
        "scopes": {scope: _scope(settings, scope, found) for scope, found in outcome.comparisons.items()},
        "seconds": round(outcome.seconds),
    }


def _addresses(outcome: Tuned) -> list[Address]:
    return list(dict.fromkeys(at for at, _ in outcome.chosen))


def _spread(values: Sequence[float | None]) -> Record:
    """Mean and standard deviation over the seeds; of no meaning, so None, where a seed ended in no number."""
    if any(v is None for v in values):
        return {"mean": None, "sd": None}
    numbers = np.asarray(values, dtype=float)
    return {"mean": rounded(float(numbers.mean())), "sd": rounded(float(numbers.std(ddof=1)))}


def _arm(outcome: Tuned, at: Address, arm: Arm) -> Record:
    runs, choice = outcome.runs[at, arm], outcome.chosen[at, arm]
    lrs, swept = outcome.settings.lrs(at[0]), (at, arm) in outcome.sweep
    edge = "" if not swept or len(lrs) < 2 else {lrs[0]: "lowest", lrs[-1]: "highest"}.get(choice.lr, "")
    return {
        "scope": at[0],
        "loss": at[1],
        "name": arm.name,
        **asdict(arm),
        "lr": choice.lr,
        "tau": choice.tau or None,
        "swept": swept,
        "edge": edge,  # of the swept learning rates: the sweep did not enclose the best one
        "test_loss": [r["test"][0] for r in runs],
        "test_accuracy": [r["test"][1] for r in runs],
        "loss_over_seeds": _spread([r["test"][0] for r in runs]),
        "accuracy_over_seeds": _spread([r["test"][1] for r in runs]),
        "clip_fraction": rounded(float(np.mean([clip_fraction(r) for r in runs])), 4),
        "skipped": sum(r["skipped"] for r in runs),
    }


def _contrasts(outcome: Tuned, at: Address) -> list[Record]:
    """Differences paired by seed, arm less other: RSC-ZO less what it is said to improve on, and less the controls."""
    arms = [arm for where, arm in outcome.chosen if where == at]
    pairs = []
    for arm in arms:
        if arm.method != SCALAR:
            continue
        others = [Arm(RAW, min(a.M for a in arms)), *(Arm(method, arm.M) for method in (RAW, REDUCED, VECTOR))]
        others = [Arm(SCALAR, arm.M)] if arm.fresh else [*others, Arm(VECTOR, arm.M, equal=True)]
        pairs += [(arm, other) for other in dict.fromkeys(others) if other in arms]
    return [_contrast(outcome, at, arm, other) for arm, other in pairs]


def _contrast(outcome: Tuned, at: Address, arm: Arm, other: Arm) -> Record:
    mine, theirs = (outcome.runs[at, a] for a in (arm, other))
    record: Record = {"scope": at[0], "loss": at[1], "arm": arm.name, "other": other.name}
    for k, name in enumerate(("test_loss", "test_accuracy")):
        record[name] = paired([r["test"][k] for r in mine], [r["test"][k] for r in theirs])
    return record


def _curve(outcome: Tuned, at: Address, arm: Arm) -> Record:
    """Validation loss and accuracy at the checkpoints, and the mini-batch loss in blocks of SMOOTH steps: means over
    the seeds, None where a seed has no number."""
    runs = outcome.runs[at, arm]

    def mean(values: Sequence[float | None]) -> float | None:
        return None if any(v is None for v in values) else rounded(float(np.mean(np.asarray(values, dtype=float))))

    T = len(runs[0]["losses"])
    blocks = [range(low, min(T, low + SMOOTH)) for low in range(0, T, SMOOTH)]
    return {
        "scope": at[0],
        "loss": at[1],
        "name": arm.name,
        "steps": [point[0] for point in runs[0]["curve"]],
        "validation_loss": [mean(column) for column in _columns(runs, 1)],
        "validation_loss_by_seed": [[rounded(p[1]) for p in r["curve"]] for r in runs],
        "validation_accuracy": [mean(column) for column in _columns(runs, 2)],
        "block_ends": [block[-1] + 1 for block in blocks],
        "training_loss": [mean([r["losses"][t] for r in runs for t in block]) for block in blocks],
        "clipped": [mean([r["clipped"][t] for r in runs for t in block]) for block in blocks],
    }


def _columns(runs: Sequence[Result], k: int) -> list[list[float | None]]:
    return [[r["curve"][i][k] for r in runs] for i in range(len(runs[0]["curve"]))]


def _tails(outcome: Tuned, at: Address, arm: Arm) -> list[Record]:
    """Hill's estimate and the kurtosis of Y in thirds of the training, the seeds together."""
    runs = outcome.runs[at, arm]
    T = len(runs[0]["raw"])
    ends = [round(T * k / len(PARTS)) for k in range(len(PARTS) + 1)]
    rows = []
    for part, low, high in zip(PARTS, ends, ends[1:], strict=False):
        sample = [y for r in runs for step in r["raw"][low:high] for y in step if y is not None]
        rows.append({"scope": at[0], "loss": at[1], "name": arm.name, "part": part, **_tail(sample)})
    return rows


def _tail(sample: Sequence[float]) -> Record:
    found = tail(sample)
    return {
        "n": found.n,
        "k": found.k,
        "hill": rounded(found.hill, 4),
        "hill_error": rounded(found.hill_error, 3),
        "kurtosis": rounded(found.kurtosis, 4),
        "median": rounded(float(np.median(np.abs(sample))), 4) if sample else None,
        "largest": rounded(float(np.max(np.abs(sample))), 4) if sample else None,
    }


def _scope(settings: Settings, scope: str, found: Result) -> Record:
    """The comparison with the gradient at the pretrained model."""
    rows = []
    for name, values in found["cosines"].items():
        loss, _, tau = name.partition("|")
        known = [v for v in values if v is not None]
        clipped = tau not in ("", "inf")
        rows.append(
            {
                "loss": loss,
                "less_raw": paired(values, found["cosines"][f"{loss}|inf"]) if clipped and len(known) > 1 else None,
                "tau": float(tau) if clipped else None,
                "mean": rounded(float(np.mean(known)), 4) if known else None,
                "lowest": rounded(min(known, default=math.nan), 4),
                "highest": rounded(max(known, default=math.nan), 4),
            }
        )
    d, M = found["d"], settings.cosine_directions
    return {
        "d": d,
        "gradient_norm": rounded(found["gradient_norm"], 4),
        "cosines": rows,
        "directions": M,
        "estimates": settings.cosines(scope),
        # cos^2 of the gradient with the average of <grad f, z> z over M directions is about M / (M + d + 1)
        "expected_noiseless": rounded(math.sqrt(M / (M + d + 1)), 4),
        "tails": {loss: _tail([y for y in ys if y is not None]) for loss, ys in found["raw"].items()},
        "plateau": found["plateau"],
        "zero_shot": {"test_loss": rounded(found["zero_shot"][0]), "test_accuracy": found["zero_shot"][1]},
    }
