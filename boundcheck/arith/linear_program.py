"""Linear programs in floats: which few of many candidates a certificate needs, to be solved for exactly afterwards.

HiGHS does it. :func:`scipy.optimize.milp`, without whole variables, is the shorter way to it: for a few rows it
takes less than half of what ``linprog`` does.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import Bounds, LinearConstraint, milp


def least(
    cost: ArrayLike,
    matrix: Any,
    right: ArrayLike,
    *,
    at_most: bool = False,
    free: ArrayLike = False,
    seconds: float = math.inf,
) -> NDArray[np.float64] | None:
    """A corner x >= 0 of matrix x = right (``at_most``: matrix x <= right) with the least cost . x.

    ``matrix`` may be sparse; ``free`` says of all, or of each, whether x may be negative. None where no x meets the
    constraints, where none is the least, or where none is found in ``seconds``.
    """
    low = -np.inf if at_most else right
    found = milp(
        cost,
        constraints=LinearConstraint(matrix, low, right),
        bounds=Bounds(np.where(free, -np.inf, 0.0), np.inf),
        options={"time_limit": seconds} if seconds < math.inf else {},
    )
    return np.asarray(found.x, dtype=np.float64) if found.status == 0 else None
