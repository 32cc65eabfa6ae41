"""RSC-ZO for training: a PyTorch optimizer that needs two forward passes a direction, and nothing else.

:class:`RSCZO` is loaded when it is asked for, and needs ``pip install "boundcheck[torch]"``.
"""

from __future__ import annotations

from typing import Any

from proofs_numeric.tuning.step_records import (
    ClipFractionWarning,
    DefaultsWarning,
    NonFiniteLossWarning,
    Plateau,
    PlateauWarning,
    RSCZOWarning,
    StepRecord,
)
from proofs_numeric.tuning.tuning_settings import Settings, gaussian_from_sphere, sphere_from_gaussian

__all__ = [
    "RSCZO",
    "ClipFractionWarning",
    "DefaultsWarning",
    "NonFiniteLossWarning",
    "Plateau",
    "PlateauWarning",
    "RSCZOWarning",
    "Settings",
    "StepRecord",
    "gaussian_from_sphere",
    "sphere_from_gaussian",
]


def __getattr__(name: str) -> Any:
    if name != "RSCZO":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from proofs_numeric.tuning.rsczo import RSCZO

    return RSCZO
