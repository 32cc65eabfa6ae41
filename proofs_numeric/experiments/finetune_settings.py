"""Settings of the fine-tuning experiment (paper, sec:mezo-experiments): task, methods, grids, with their domains.

The defaults are sized for under 15 minutes on two cores; the paper's own values stand in ``docs/finetune.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from proofs_numeric.experiments.settings import Domain, SettingError, among, between, faults, whole
from proofs_numeric.model.streams import SEED

BIAS, FULL = "bias", "full"
SCOPES = {BIAS: "last-layer biases", FULL: "all parameters"}
CLEAN, PARETO = "clean", "pareto"
LOSSES = {CLEAN: "clean", PARETO: "Pareto-weighted"}
RAW, SCALAR, VECTOR, REDUCED = "raw", "scalar", "vector", "reduced"


@dataclass(frozen=True, order=True)
class Arm:
    """A method with its number of directions M. ``equal``: vector clipping with the lr and tau of scalar clipping.
    ``fresh``: each direction has a mini-batch of its own, as the theory has it, instead of one for the step."""

    method: str
    M: int
    equal: bool = False
    fresh: bool = False

    @property
    def name(self) -> str:
        """As in the tables."""
        word = {
            RAW: "MeZO" if self.M == 1 else "raw",
            SCALAR: "RSC-ZO",
            VECTOR: "vector clipping" + (", lr and tau of RSC-ZO" if self.equal else ""),
            REDUCED: "raw at lr (1 - clip fraction) of RSC-ZO",
        }[self.method]
        return word + (", own mini-batch for each direction" if self.fresh else "") + f" (M={self.M})"


@dataclass(frozen=True)
class Arms:
    """What is run for one scope and loss: the arms that are swept, and the controls that take over their values."""

    swept: tuple[Arm, ...]
    controls: tuple[Arm, ...]
    tau_from: int | None = None  # tau is swept at this M only, and kept at the others


@dataclass(frozen=True)
class Settings:
    """Everything that the numbers depend on, the model and the data set aside.

    tau and mu are in MeZO's units: Y = (F(x + mu z) - F(x - mu z)) / (2 mu) with z standard Gaussian.
    """

    scopes: tuple[str, ...] = (BIAS, FULL)
    losses: tuple[str, ...] = (CLEAN, PARETO)
    directions: tuple[int, ...] = (1, 2, 4)
    pairs: int = 16
    seeds: int = 3
    bias_steps: int = 100
    full_steps: int = 20
    bias_lrs: tuple[float, ...] = (3e-3, 1e-2, 3e-2, 1e-1)
    full_lrs: tuple[float, ...] = (3e-5, 1e-4, 3e-4)
    bias_taus: tuple[float, ...] = (0.25, 1.0)
    full_taus: tuple[float, ...] = (2.0, 8.0)
    mu: float = 1e-3
    tail: float = 1.5
    train: int = 512
    validation: int = 200
    test: int = 600
    max_tokens: int = 16
    scale: float = 20.0
    cosine_directions: int = 256
    bias_cosines: int = 8
    full_cosines: int = 1
    seed: int = SEED

    def __post_init__(self) -> None:
        found = faults(self, DOMAINS)
        found += [
            f"--directions: {M!r} does not divide --pairs {self.pairs}; give divisors of it"
            for M in self.directions
            if not found and self.pairs % M
        ]
        if not found and self.pairs > self.train:
            found.append(f"--pairs: {self.pairs} is above --train {self.train}; give at most as many")
        if found:
            raise SettingError("\n".join(found))

    def steps(self, scope: str) -> int:
        """T."""
        return self.bias_steps if scope == BIAS else self.full_steps

    def lrs(self, scope: str) -> tuple[float, ...]:
        """The learning rates of the sweep."""
        return self.bias_lrs if scope == BIAS else self.full_lrs

    def taus(self, scope: str) -> tuple[float, ...]:
        """The thresholds of the sweep."""
        return self.bias_taus if scope == BIAS else self.full_taus

    def cosines(self, scope: str) -> int:
        """How many estimates are compared with the gradient."""
        return self.bias_cosines if scope == BIAS else self.full_cosines

    def plan(self, scope: str, loss: str) -> Arms:
        """Every control where steps are cheap; in full fine-tuning what the paper compares, and M = 1 where the loss
        is heavy-tailed."""
        Ms = self.directions
        several = tuple(M for M in Ms if M > 1)
        if scope == BIAS:
            swept = [Arm(method, M) for method in (RAW, SCALAR) for M in Ms] + [Arm(VECTOR, M) for M in several[-1:]]
            controls = [Arm(VECTOR, M, equal=True) for M in several] + [Arm(REDUCED, M) for M in Ms]
            controls += [Arm(SCALAR, M, fresh=True) for M in several[-1:]]
            return Arms(tuple(swept), tuple(controls))
        if loss == PARETO:
            return Arms((Arm(RAW, Ms[0]), Arm(SCALAR, Ms[0])), (Arm(REDUCED, Ms[0]),))
        swept = [Arm(RAW, Ms[0])] + [Arm(SCALAR, M) for M in Ms]
        controls = [Arm(VECTOR, M, equal=True) for M in several[:1]] + [Arm(REDUCED, Ms[0])]
        return Arms(tuple(swept), tuple(controls), tau_from=Ms[0])


QUICK: dict[str, Any] = {
    "directions": (1, 2),
    "pairs": 4,
    "seeds": 2,
    "bias_steps": 12,
    "full_steps": 2,
    "bias_lrs": (1e-2,),
    "full_lrs": (6e-5,),
    "bias_taus": (0.25,),
    "full_taus": (2.0,),
    "train": 48,
    "validation": 24,
    "test": 48,
    "cosine_directions": 8,
    "bias_cosines": 2,
}

DOMAINS: dict[str, Domain] = {
    "scopes": among(*SCOPES),
    "losses": among(*LOSSES),
    "directions": whole(1, 1024),
    "pairs": whole(1, 4096),
    "seeds": whole(2, 1000),
    "bias_steps": whole(2, 10_000_000),
    "full_steps": whole(2, 10_000_000),
    "bias_lrs": between(0),
    "full_lrs": between(0),
    "bias_taus": between(0),
    "full_taus": between(0),
    "mu": between(0, 1),
    "tail": between(1, 10),
    "train": whole(2, 1_000_000),
    "validation": whole(2, 1_000_000),
    "test": whole(2, 1_000_000),
    "max_tokens": whole(4, 512),
    "scale": between(0, 1000),
    "cosine_directions": whole(2, 1_000_000),
    "bias_cosines": whole(1, 10_000),
    "full_cosines": whole(1, 10_000),
    "seed": whole(0, 2**31 - 1),
}
HELP = {
    "scopes": "which parameters are trained",
    "losses": "the loss of the mini-batches: as it is, or with Pareto weights on the examples",
    "directions": "M",
    "pairs": "forward pairs a step; a direction sees pairs / M examples",
    "seeds": "seeds; the first one serves the sweep too",
    "bias_steps": "T of last-layer-bias tuning",
    "full_steps": "T of full fine-tuning",
    "bias_lrs": "learning rates swept, last-layer biases",
    "full_lrs": "learning rates swept, all parameters",
    "bias_taus": "thresholds swept, last-layer biases",
    "full_taus": "thresholds swept, all parameters",
    "mu": "smoothing parameter",
    "tail": "exponent of the Pareto weights, which have mean 1; infinite variance up to 2",
    "train": "training examples of a seed",
    "validation": "validation examples, for the choice of lr and tau",
    "test": "test examples",
    "max_tokens": "longest input; longer movie sentences are left out, other texts cut",
    "scale": "logits are scale times a cosine, before training",
    "cosine_directions": "M of the cosine with the gradient",
    "bias_cosines": "estimates of it, last-layer biases",
    "full_cosines": "estimates of it, all parameters",
    "seed": "master seed",
}
