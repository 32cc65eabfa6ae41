"""The estimate g of one step: two losses along each direction, and their weighted sum of directions drawn again."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from proofs_numeric.model.estimator import raw_weight, scalar_weight
from proofs_numeric.model.sphere import Array
from proofs_numeric.tuning.backend import torch
from proofs_numeric.tuning.closure import Loss, Randomness
from proofs_numeric.tuning.perturbation import Direction, Excursion, Piece, Site, Tensor, norm
from proofs_numeric.tuning.tuning_settings import Settings

Pair = tuple[float, float]


def pair(loss: Loss, number: int, excursion: Excursion, mu: float) -> Pair:
    """(F(x + mu v; xi), F(x - mu v; xi)); the parameters are home again, also if the closure raises."""
    try:
        excursion.to(mu)
        randomness = Randomness()
        plus = loss(number)
        excursion.to(-mu)
        randomness.restore()
        minus = loss(number)
    finally:
        excursion.to(0.0)
    return plus, minus


def quotient(losses: Pair, mu: float) -> float:
    """Y = (F(x + mu v) - F(x - mu v))/(2 mu)."""
    return (losses[0] - losses[1]) / (2 * mu)


REACH = 16.0  #: no entry of a direction z is larger: PyTorch's normal numbers end below 9
TINY = 1e-15  #: a norm of float32 entries below it has lost digits: their squares underflow


def _largest(site: Site, M: int, lr: float) -> float:
    """The weight below which M terms, and lr times their sum, stay finite in the type of every parameter."""
    types = {parameter.dtype for parameter in site.parameters}
    return min(float(torch.finfo(kind).max) for kind in types) / (4 * REACH * M * max(1.0, lr))


def _mean(losses: Array) -> float:
    """The mean; computed of halves where the sum overflows."""
    with np.errstate(over="ignore"):
        found = float(np.mean(losses))
        return found if math.isfinite(found) else float(np.sum(losses / losses.size))


class Estimate:
    """g = (c/M) sum_l w(Y_l) v_l over the M directions whose Y is finite, with the weight w that ``clip`` asks for.

    ``raw`` holds Y and ``clipped`` w(Y), NaN where Y is not finite; ``clip_fraction`` and ``norm`` are as in
    :class:`StepRecord`. Nothing of the size of the parameters is held. Where a direction's share of a step of length
    ``lr`` has no finite numbers in the parameters' own type it is left out like one whose Y is not finite; of
    vectors that are clipped as a whole, all are.
    """

    def __init__(
        self,
        site: Site,
        directions: Sequence[Direction],
        losses: Sequence[Pair],
        settings: Settings,
        tau: float,
        lr: float = 1.0,
    ) -> None:
        self.site = site
        self.raw = np.array([quotient(both, settings.mu) for both in losses])
        scalar = settings.clip == "scalar"
        weight = scalar_weight if scalar else raw_weight
        factor, largest = settings.factor(site.d), _largest(site, len(directions), lr)
        finite = np.isfinite(self.raw)
        if settings.clip != "vector":
            shares = [factor * direction.scale for direction in directions]
            with np.errstate(over="ignore"):
                finite &= np.abs(weight(np.where(finite, self.raw, 0.0), tau, 1)) * shares <= largest
        self.kept = int(finite.sum())
        self.clipped = np.full_like(self.raw, math.nan)
        self.clipped[finite] = weight(self.raw[finite], tau, 1)
        self.loss = _mean(np.array(losses)[finite]) if self.kept else math.nan
        self.terms = [
            (direction, factor * w * direction.scale / self.kept)
            for direction, w in zip(directions, self.clipped.tolist(), strict=True)
            if not math.isnan(w)
        ]
        self.norm: float | None = None
        self.clip_fraction = math.nan
        if self.kept:
            self.clip_fraction = float((np.abs(self.raw[finite]) > tau).mean()) if scalar else 0.0
            if settings.clip == "vector":
                self._clip(settings.radius(site.d, tau), factor, largest)
                if any(not abs(w) <= largest for _, w in self.terms):
                    self.kept, self.terms, self.clipped[:] = 0, [], math.nan
                    self.loss, self.clip_fraction = math.nan, math.nan

    def _clip(self, radius: float, factor: int, largest: float) -> None:
        """Shorten g to ``radius``; by weights of at most 1 where those of g, or the squares of g, leave the type."""
        if held := all(abs(w) <= largest for _, w in self.terms):
            self.norm = norm(g for _, g in self.pieces())
        if held and self.norm is not None and TINY < self.norm < math.inf:
            if self.norm > radius:
                self.terms = [(direction, w * (radius / self.norm)) for direction, w in self.terms]
            self.clip_fraction = float(self.norm > radius)
            return
        shares = [y / self.kept * direction.scale for (direction, _), y in zip(self.terms, self._kept(), strict=True)]
        top = max(map(abs, shares))
        if not top:
            return
        whole = self.terms
        self.terms = [(direction, share / top) for (direction, _), share in zip(whole, shares, strict=True)]
        length = norm(g for _, g in self.pieces())
        self.norm = top * length * factor
        self.clip_fraction = float(self.norm > radius)
        reach = min(self.norm, radius) / length
        self.terms = [(direction, w * reach) for direction, w in self.terms]

    def _kept(self) -> list[float]:
        return [float(y) for y in self.clipped if not math.isnan(y)]

    def pieces(self) -> Iterator[tuple[Piece, Tensor]]:
        """g, piece by piece; each is overwritten by the next."""
        streams = [direction.normals(self.site) for direction, _ in self.terms]
        weights = [w for _, w in self.terms]
        for piece, *normals in zip(self.site.pieces, *streams, strict=True):
            g = normals[0].mul_(weights[0])
            for z, w in zip(normals[1:], weights[1:], strict=True):
                g.add_(z, alpha=w)
            yield piece, g
