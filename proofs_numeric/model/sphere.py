"""Uniform directions u on the unit sphere S^(d-1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def check_dimension(d: int) -> int:
    """``d`` itself; raises ValueError unless it is an integer >= 1."""
    if isinstance(d, bool) or not isinstance(d, (int, np.integer)) or d < 1:
        raise ValueError(f"the dimension d must be an integer >= 1, got {d!r}")
    return int(d)


def check_float64(values: object, name: str) -> Array:
    """``values`` as a float64 array; anything narrower is refused, since tails and differences need the range."""
    array = np.asarray(values)
    if np.issubdtype(array.dtype, np.floating) and array.dtype != np.float64:
        raise TypeError(f"{name} has dtype {array.dtype}; only float64 is sampled")
    return np.asarray(array, dtype=np.float64)


def gaussian(rng: np.random.Generator, n: int, d: int, room: Array | None = None) -> tuple[Array, Array]:
    """n standard Gaussian vectors z (n, d) and their norms (n,); a zero norm is drawn again.

    ``room``, a flat array of at least n d entries, is where z is put; without it z is new.
    """
    z = np.empty((n, d)) if room is None else room[: n * d].reshape(n, d)
    rng.standard_normal(out=z)
    norm = np.sqrt(np.einsum("nd,nd->n", z, z))
    while not norm.all():
        zero = norm == 0
        z[zero] = rng.standard_normal((int(zero.sum()), d))
        norm = np.sqrt(np.einsum("nd,nd->n", z, z))
    return z, norm


def sphere(rng: np.random.Generator, n: int, d: int) -> Array:
    """n independent directions u = z/||z|| ~ Unif(S^(d-1)), shape (n, d); for d = 1 a fair random sign."""
    if check_dimension(d) == 1:
        return np.copysign(1.0, rng.random((n, 1)) - 0.5)
    u, norm = gaussian(rng, n, d)
    u *= np.reciprocal(norm)[:, None]
    return u
