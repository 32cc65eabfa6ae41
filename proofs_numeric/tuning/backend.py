"""PyTorch, or a plain word on how to get it."""

from __future__ import annotations

try:
    import torch
    from torch import Tensor, nn
    from torch.nn import functional
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    raise ModuleNotFoundError('this part needs PyTorch: pip install "boundcheck[torch]"', name="torch") from None

__all__ = ["Tensor", "functional", "nn", "torch"]
