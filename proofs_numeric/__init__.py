"""What really happens: the estimator, the optimizer and heavy-tailed oracles, simulated.

For training and minimising: ``from proofs_numeric import RSCZO`` (PyTorch, extra ``torch``) and ``rsc_zo`` (SciPy).
"""

from __future__ import annotations

from typing import Any

__all__ = ["RSCZO", "rsc_zo"]


def __getattr__(name: str) -> Any:
    """The two optimizers, loaded when they are asked for."""
    if name == "RSCZO":
        from proofs_numeric.tuning import RSCZO

        return RSCZO
    if name == "rsc_zo":
        from proofs_numeric.scipy_method import rsc_zo

        return rsc_zo
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
