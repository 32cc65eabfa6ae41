"""Settings of the fine-tuning experiment (paper, sec:mezo-experiments): task, methods, grids, with their domains.

The defaults are sized for under 15 minutes on two cores; the paper's own values stand in ``docs/finetune.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from proofs_numeric.experiments.settings import SettingError, among, between, faults, setting, whole
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

    scopes: tuple[str, ...] = setting((BIAS, FULL), among(*SCOPES), "which parameters are trained")
    losses: tuple[str, ...] = setting(
        (CLEAN, PARETO),
        among(*LOSSES),
        "the loss of the mini-batches: as it is, or with Pareto weights on the examples",
    )
    directions: tuple[int, ...] = setting((1, 2, 4), whole(1, 1024), "M")
    pairs: int = setting(16, whole(1, 4096), "forward pairs a step; a direction sees pairs / M examples")
    seeds: int = setting(3, whole(2, 1000), "seeds; the first one serves the sweep too")
    bias_steps: int = setting(100, whole(2, 10_000_000), "T of last-layer-bias tuning")
    full_steps: int = setting(20, whole(2, 10_000_000), "T of full fine-tuning")
    bias_lrs: tuple[float, ...] = setting(
        (3e-3, 1e-2, 3e-2, 1e-1), between(0), "learning rates swept, last-layer biases"
    )
    full_lrs: tuple[float, ...] = setting((3e-5, 1e-4, 3e-4), between(0), "learning rates swept, all parameters")
    bias_taus: tuple[float, ...] = setting((0.25, 1.0), between(0), "thresholds swept, last-layer biases")
    full_taus: tuple[float, ...] = setting((2.0, 8.0), between(0), "thresholds swept, all parameters")
    mu: float = setting(1e-3, between(0, 1), "smoothing parameter")
    tail: float = setting(
        1.5, between(1, 10), "exponent of the Pareto weights, which have mean 1; infinite variance up to 2"
    )
    train: int = setting(512, whole(2, 1_000_000), "training examples of a seed")
    validation: int = setting(200, whole(2, 1_000_000), "validation examples, for the choice of lr and tau")
    test: int = setting(600, whole(2, 1_000_000), "test examples")
    max_tokens: int = setting(16, whole(4, 512), "longest input; longer movie sentences are left out, other texts cut")
    scale: float = setting(20.0, between(0, 1000), "logits are scale times a cosine, before training")
    cosine_directions: int = setting(256, whole(2, 1_000_000), "M of the cosine with the gradient")
    bias_cosines: int = setting(8, whole(1, 10_000), "estimates of it, last-layer biases")
    full_cosines: int = setting(1, whole(1, 10_000), "estimates of it, all parameters")
    seed: int = setting(SEED, whole(0, 2**31 - 1), "master seed")

    def __post_init__(self) -> None:
        found = faults(self)
        found += [
            f"--directions: {M!r} does not divide --pairs {self.pairs}; give divisors of it"
            for M in self.directions
            if not found and self.pairs % M
        ]
        if not found and self.pairs > self.train:
            found.append(f"--pairs: {self.pairs} is above --train {self.train}; give at most as many")
        if found:
            raise SettingError(found)

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
