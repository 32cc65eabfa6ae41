"""The estimate g of one step: two losses along each direction, and their weighted sum of directions drawn again."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from proofs_numeric.estimator import clip_vector, raw_weight, scalar_weight
from proofs_numeric.tuning.closure import Loss, Randomness
from proofs_numeric.tuning.perturbation import Direction, Excursion, Piece, Site, Tensor, norm
from proofs_numeric.tuning.settings import Settings

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


class Estimate:
    """g = (c/M) sum_l w(Y_l) v_l over the M directions whose Y is finite, with the weight w that ``clip`` asks for.

    ``raw`` holds Y and ``clipped`` w(Y), NaN where Y is not finite; ``clip_fraction`` and ``norm`` are as in
    :class:`StepRecord`. Nothing of the size of the parameters is held.
    """

    def __init__(
        self, site: Site, directions: Sequence[Direction], losses: Sequence[Pair], settings: Settings, tau: float
    ) -> None:
        self.site = site
        self.raw = np.array([quotient(both, settings.mu) for both in losses])
        finite = np.isfinite(self.raw)
        self.kept = int(finite.sum())
        scalar = settings.clip == "scalar"
        weight = scalar_weight if scalar else raw_weight
        self.clipped = np.full_like(self.raw, math.nan)
        self.clipped[finite] = weight(self.raw[finite], tau, 1)
        self.loss = float(np.mean(np.array(losses)[finite])) if self.kept else math.nan
        self.terms = [
            (direction, settings.factor(site.d) * w * direction.scale / self.kept)
            for direction, w in zip(directions, self.clipped.tolist(), strict=True)
            if not math.isnan(w)
        ]
        self.norm: float | None = None
        self.clip_fraction = math.nan
        if self.kept:
            self.clip_fraction = float((np.abs(self.raw[finite]) > tau).mean()) if scalar else 0.0
            if settings.clip == "vector":
                self._clip(settings.radius(site.d, tau))

    def _clip(self, radius: float) -> None:
        self.norm = norm(g for _, g in self.pieces())
        self.clip_fraction = float(self.norm > radius)
        if self.norm:
            shorter = float(clip_vector(np.array([self.norm]), radius)[0])
            self.terms = [(direction, w * (shorter / self.norm)) for direction, w in self.terms]

    def pieces(self) -> Iterator[tuple[Piece, Tensor]]:
        """g, piece by piece; each is overwritten by the next."""
        streams = [direction.normals(self.site) for direction, _ in self.terms]
        weights = [w for _, w in self.terms]
        for piece, *normals in zip(self.site.pieces, *streams, strict=True):
            g = normals[0].mul_(weights[0])
            for z, w in zip(normals[1:], weights[1:], strict=True):
                g.add_(z, alpha=w)
            yield piece, g
