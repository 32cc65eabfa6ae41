"""Directions that are drawn again instead of kept, and moving parameters along them and back to the bit.

A direction is one random stream that runs through the pieces of all parameters in order, so that no two tensors and no
two directions share numbers. It is named by a seed of 32 bits, which PyTorch's CPU generator uses to the full; seeds
of one run never repeat (a keyed bijection of a counter), and drawing again from the seed replays the direction.

x + a - a is not x in floating point. What is lost is kept: leaving x for y = fl(x + a), the entries whose
fl(y - a) differs from x in any bit are stored with their place, and put back on return. With |a| well below |x| these
are few; if they are many, the piece is copied, so that there is never more than one copy's worth.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from proofs_numeric.tuning.backend import torch

if TYPE_CHECKING:
    from torch import Tensor as Tensor
else:
    Tensor = torch.Tensor
#: Entries worked on at a time: on a CPU small enough for the cache and for one thread, elsewhere few launches.
PIECE = {"cpu": 1 << 14}
PIECE_ELSEWHERE = 1 << 24
BITS = {torch.float32: torch.int32, torch.float64: torch.int64}
WORD = 1 << 32


def _mix(word: int) -> int:
    """A bijection of 32-bit words that spreads neighbours (xor-shift and odd multiplications)."""
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        word ^= word >> shift
        word = word * factor % WORD
    return word ^ (word >> 16)


@dataclass
class Seeds:
    """The seeds of the directions of a run: distinct for 2^32 draws; ``purpose`` sets streams of one run apart."""

    seed: int
    purpose: int = 0
    count: int = 0

    def __post_init__(self) -> None:
        for name in ("seed", "purpose", "count"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise ValueError(f"{name} must be an integer >= 0, got {value!r}")

    def draw(self) -> int:
        """The next seed, in [0, 2^32)."""
        inner, outer = (int(k) for k in np.random.SeedSequence((self.seed, self.purpose)).generate_state(2))
        word = _mix(_mix(self.count % WORD ^ inner) ^ outer)
        self.count += 1
        return word


@dataclass(frozen=True)
class Piece:
    """A stretch of a parameter: a flat view of its entries, what of them may move, its parameter and its place."""

    entries: Tensor
    mask: Tensor | None
    owner: int
    first: int


@dataclass(frozen=True)
class Site:
    """The entries that a step moves: the unfrozen parameters, cut into pieces; ``d`` counts the unmasked entries."""

    parameters: tuple[Tensor, ...]
    masks: tuple[Tensor | None, ...]
    pieces: tuple[Piece, ...] = field(init=False, repr=False)
    d: int = field(init=False)

    def __post_init__(self) -> None:
        found, d = [], 0
        for owner, (parameter, mask) in enumerate(zip(self.parameters, self.masks, strict=True)):
            check_movable(parameter)
            entries, allowed = flat(parameter, parameter), None if mask is None else flat(mask, parameter)
            d += entries.numel() if allowed is None else int(allowed.sum())
            size = PIECE.get(entries.device.type, PIECE_ELSEWHERE)
            for first in range(0, entries.numel(), size):
                where = slice(first, first + size)
                found.append(Piece(entries[where], None if allowed is None else allowed[where], owner, first))
        object.__setattr__(self, "pieces", tuple(found))
        object.__setattr__(self, "d", d)


def check_movable(parameter: Tensor) -> None:
    """Raises TypeError unless the parameter is float32 or float64, ValueError unless it is dense in memory."""
    if parameter.dtype not in BITS or parameter.layout is not torch.strided:
        raise TypeError(
            f"a parameter is {parameter.dtype}, {parameter.layout}; RSCZO moves strided float32 or float64 ones: half "
            "precision is too coarse for steps of lr and mu, so keep parameters in float32 and compute the loss under "
            "torch.autocast"
        )
    order = _order(parameter)
    if not parameter.detach().permute(order).is_contiguous():
        raise ValueError(
            f"a parameter of shape {tuple(parameter.shape)} and strides {parameter.stride()} leaves gaps in memory or "
            "repeats entries; make it contiguous"
        )


def _order(tensor: Tensor) -> list[int]:
    """The axes as they lie in memory, the slowest first."""
    return sorted(range(tensor.dim()), key=tensor.stride, reverse=True)


def flat(tensor: Tensor, like: Tensor) -> Tensor:
    """The entries of ``tensor`` in the order in which the dense ``like`` has them in memory: a view, but for masks."""
    moved = tensor.detach().permute(_order(like))
    return moved.reshape(-1) if tensor.dtype == torch.bool else moved.view(-1)


def norm(pieces: Iterable[Tensor]) -> float:
    """The Euclidean norm of a vector that is given in pieces."""
    return math.hypot(*(float(torch.linalg.vector_norm(piece)) for piece in pieces))


class Room:
    """Scratch space for one piece of any kind, allocated once.

    Fresh scratch for every piece would leave holes around the residuals, in total larger than the parameters.
    """

    def __init__(self, site: Site) -> None:
        self.site = site
        self.space: dict[tuple[Any, Any], Tensor] = {}

    def like(self, entries: Tensor, dtype: Any = None) -> Tensor:
        """Uninitialised entries of the shape of ``entries``, the same memory every time."""
        kind = (entries.device, dtype or entries.dtype)
        if kind not in self.space:
            size = max(p.entries.numel() for p in self.site.pieces if p.entries.device == entries.device)
            self.space[kind] = torch.empty(size, device=kind[0], dtype=kind[1])
        return self.space[kind][: entries.numel()]


@dataclass(frozen=True)
class Direction:
    """v = scale z with z standard Gaussian, replayable from ``seed``."""

    seed: int
    scale: float = 1.0

    def normals(self, site: Site) -> Iterator[Tensor]:
        """z, piece by piece, zero where a mask forbids to move; each is overwritten by the next."""
        generators: dict[Any, Any] = {}
        room = Room(site)
        for piece in site.pieces:
            device = piece.entries.device
            if device not in generators:
                # generators elsewhere use 64 bits: two devices must not draw the same numbers
                generators[device] = torch.Generator(device).manual_seed(self.seed + WORD * len(generators))
            z = room.like(piece.entries).normal_(generator=generators[device])
            yield z if piece.mask is None else z.mul_(piece.mask)

    def normalised(self, site: Site) -> Direction:
        """The direction u = z/||z|| on the sphere."""
        return Direction(self.seed, 1 / norm(self.normals(site)))


@dataclass(frozen=True)
class Residual:
    """Where a piece does not return by subtraction alone, and what was there; everything if ``where`` is None."""

    where: Tensor | None
    entries: Tensor

    @property
    def bytes(self) -> int:
        """Bytes held."""
        return sum(t.numel() * t.element_size() for t in (self.where, self.entries) if t is not None)


def leave(x: Tensor, a: Tensor, y: Tensor, lost: Tensor) -> Residual:
    """Replace x by fl(x + a); returns what :func:`come_back` needs beside a. ``y`` and ``lost`` are scratch space."""
    bits = BITS[x.dtype]
    torch.add(x, a, out=y)
    y.sub_(a)
    torch.ne(y.view(bits), x.view(bits), out=lost)
    where = lost.nonzero().squeeze(1)
    kind = torch.int16 if x.numel() <= 1 << 15 else torch.int32
    if where.numel() * (kind.itemsize + x.element_size()) < x.numel() * x.element_size():
        residual = Residual(where.to(kind), x[where])
    else:
        residual = Residual(None, x.clone())
    x.add_(a)
    return residual


def come_back(x: Tensor, a: Tensor, residual: Residual) -> None:
    """Undo :func:`leave`, to the bit."""
    if residual.where is None:
        x.copy_(residual.entries)
    else:
        x.sub_(a)
        x[residual.where.long()] = residual.entries


class Excursion:
    """Parameters away from home along one direction: ``to(h)`` puts x + h v there, ``to(0)`` x itself, to the bit.

    Each piece knows how far it is from home, so that ``to(0)`` also mends a move that was broken off between pieces.
    """

    def __init__(self, site: Site, direction: Direction) -> None:
        self.site, self.direction = site, direction
        self.away: list[tuple[float, Residual] | None] = [None] * len(site.pieces)
        self.bytes = 0  #: the most that the residuals took

    def to(self, h: float) -> None:
        """Move to x + h v, by way of x."""
        steps, sums, flags = (Room(self.site) for _ in range(3))
        for number, (piece, z) in enumerate(zip(self.site.pieces, self.direction.normals(self.site), strict=True)):
            x = piece.entries
            a = steps.like(x)
            if (away := self.away[number]) is not None:
                torch.mul(z, self.direction.scale * away[0], out=a)
                come_back(x, a, away[1])
                self.away[number] = None
            if h:
                torch.mul(z, self.direction.scale * h, out=a)
                self.away[number] = h, leave(x, a, sums.like(x), flags.like(x, torch.bool))
        self.bytes = max(self.bytes, sum(away[1].bytes for away in self.away if away is not None))
