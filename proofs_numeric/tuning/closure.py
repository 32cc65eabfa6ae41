"""Calling the user's loss so that two passes see the same xi: same batch, same dropout, same everything random."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from proofs_numeric.tuning.backend import torch


def takes_direction(closure: Callable[..., Any]) -> bool:
    """Whether the closure has a positional parameter without default: then it is told the direction's number."""
    try:
        parameters = inspect.signature(closure).parameters.values()
    except (TypeError, ValueError):
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return any(p.kind in positional and p.default is inspect.Parameter.empty for p in parameters)


NO_GRADIENT = "does not require grad"  #: what PyTorch says where backward() is called under no_grad


class Randomness:
    """The state of the global random generators: PyTorch's (CPU, CUDA), Python's and NumPy's."""

    def __init__(self) -> None:
        self.cpu = torch.get_rng_state()
        self.cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None
        self.python = random.getstate()
        self.numpy = np.random.get_state()  # noqa: NPY002 - the user's code may draw from it

    def restore(self) -> None:
        """Put torch's generators back to the state that was taken."""
        torch.set_rng_state(self.cpu)
        if self.cuda is not None:
            torch.cuda.set_rng_state_all(self.cuda)
        random.setstate(self.python)
        np.random.set_state(self.numpy)  # noqa: NPY002


class Loss:
    """x -> F(x; xi) as a float, at the parameters as they stand."""

    def __init__(self, closure: Callable[..., Any] | None) -> None:
        if not callable(closure):
            raise TypeError(f"step needs a closure that returns the loss, got {closure!r}")
        self.closure = closure
        self.indexed = takes_direction(closure)

    def __call__(self, direction: int) -> float:
        """The loss for the direction's xi; raises TypeError unless it is one real number.

        Raises RuntimeError where the closure calls backward().
        """
        torch.clear_autocast_cache()  # an enclosing autocast would go on with the weights of the pass before
        try:
            loss = self.closure(direction) if self.indexed else self.closure()
        except RuntimeError as error:
            if NO_GRADIENT not in str(error):
                raise
            raise RuntimeError(
                "the closure calls backward(), and there is nothing to differentiate: RSC-ZO runs forward passes only "
                "and keeps no gradients; leave out backward() and zero_grad() and return the loss"
            ) from error
        if isinstance(loss, torch.Tensor):
            if loss.numel() != 1 or loss.is_complex():
                raise TypeError(f"the closure must return one real number, got {loss.dtype} {tuple(loss.shape)}")
            return float(loss.detach())
        try:
            return float(loss)
        except (TypeError, ValueError):
            raise TypeError(f"the closure must return one real number, got {type(loss).__name__}") from None
