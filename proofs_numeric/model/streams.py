"""Addressed random streams: (seed, check, cell, stage, chunk) -> a generator, whoever asks and in whatever order.

Names enter through a stable hash, so adding or reordering cells moves no other cell's stream.
"""

from __future__ import annotations

import hashlib

import numpy as np

SEED = 20250701  #: the default master seed of a run


def words(name: str) -> tuple[int, int]:
    """``name`` as two 32-bit words of its BLAKE2 digest (Python's own ``hash`` is salted per process)."""
    digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
    return int.from_bytes(digest[:4], "little"), int.from_bytes(digest[4:], "little")


def stream(check: str, cell: str, stage: int = 0, chunk: int = 0, seed: int = SEED) -> np.random.Generator:
    """The generator at one address; SFC64 seeded by ``SeedSequence(seed, spawn_key=address)``.

    Every part of the address has a fixed number of 32-bit words, so no two addresses share a key.
    """
    if min(stage, chunk) < 0 or max(stage, chunk) >= 2**32:
        raise ValueError(f"stage and chunk must lie in [0, 2**32), got {stage} and {chunk}")
    key = (*words(check), *words(cell), stage, chunk)
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=key)))


def untouched(rng: np.random.Generator, fresh: np.random.Generator) -> bool:
    """Whether nothing was taken from ``rng`` since it was as ``fresh`` is: no number, and no generator spawned."""
    given, other = (g.bit_generator for g in (rng, fresh))
    if given.seed_seq.n_children_spawned != other.seed_seq.n_children_spawned:  # type: ignore[attr-defined]
        return False
    return bool((given.state["state"]["state"] == other.state["state"]["state"]).all())
