"""An oracle that is a function and a sampler, differenced plainly: what others are compared with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np


@dataclass(frozen=True)
class PlainOracle:
    d: int
    function: Callable[[np.ndarray, Any], np.ndarray]
    draw: Callable[[np.random.Generator, int], Any]
    objective: Any = None  #: of which a run records gradients
    linear: ClassVar[bool] = False

    def difference(self, x, mu, u, xi):
        step = mu * u
        above, below = ((x[:, None, :] + s * step).reshape(-1, self.d) for s in (1, -1))
        return ((self.function(above, xi) - self.function(below, xi)) / (2 * mu)).reshape(u.shape[:2])
