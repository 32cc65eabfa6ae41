"""One dimension, any batch size: the estimate from multinomial counts of binned noise, with a rigorous error.

For d = 1, u = +-1 cancels: psi_tau(Y) u = psi_tau(D + zeta) with D = D_mu f(x, 1), so g is a mean of M
independent values psi_tau(D + zeta_l). Only the number of noises in each bin is drawn; a bin [a, b] puts
psi_tau(D + zeta) into [psi_tau(D + a), psi_tau(D + b)], hence g into an interval. The cost does not
depend on M, up to 10^18.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from proofs_numeric.model.estimator import check_batch, clip
from proofs_numeric.model.noise import RealLaw
from proofs_numeric.model.sphere import Array

MOST = 10**18  #: NumPy's binomial counts are 64-bit
PIECES = 1000  #: draws of counts for one batch, at most


@dataclass(frozen=True)
class BinnedNoise:
    """A real law cut into bins of dyadic probability.

    On the scale y ~ Exp(1) of each branch, the bins of w = exp(-y) are [2^-(k+1), 2^-k] cut into ``parts``; beyond
    ``octaves`` one last bin reaches to infinity. Bin probabilities are exact in binary, up to the branch weight.
    """

    law: RealLaw
    octaves: int = 80
    parts: int = 32

    @cached_property
    def bins(self) -> tuple[Array, Array, Array]:
        """(probability, lower end, upper end) of every bin."""
        k, j = np.meshgrid(np.arange(self.octaves), np.arange(self.parts), indexing="ij")
        high = (2.0 ** -(k + 1.0) * (2 - j / self.parts)).ravel()
        low = (2.0 ** -(k + 1.0) * (2 - (j + 1) / self.parts)).ravel()
        probability = np.append(high - low, 2.0**-self.octaves)
        high, low = np.append(high, 2.0**-self.octaves), np.append(low, 0.0)
        shares, ends = [], []
        for share, z in self.law.branches():
            with np.errstate(divide="ignore", over="ignore"):
                near, far = z(-np.log(high)), z(-np.log(low))
            spread = 1e-12 * (1 + np.abs(near))  # the quantile's own rounding
            ends.append((np.minimum(near, far) - spread, np.maximum(near, far) + spread))
            shares.append(share * probability)
        low, high = (np.concatenate(side) for side in zip(*ends, strict=True))
        return np.concatenate(shares), low, high

    def counts(self, M: int, rows: int, rng: np.random.Generator) -> np.ndarray:
        """How many of M independent noises fall into each bin, (rows, bins)."""
        if check_batch(M) > MOST:
            raise ValueError(f"the batch size M = {M} is above {MOST}, the reach of 64-bit counts")
        return rng.multinomial(M, self.bins[0], size=rows)

    def shares(self, M: int, rows: int, rng: np.random.Generator) -> Array:
        """The counts over M; a batch beyond 64-bit counts is a sum of batches within them."""
        if check_batch(M) > PIECES * MOST:
            raise ValueError(f"the batch size M = {M} is above {PIECES * MOST}, more than {PIECES} draws of counts")
        total = np.zeros((rows, len(self.bins[0])))
        pieces = -(-M // MOST)
        for k in range(pieces):
            total += self.counts(M // pieces + (k < M % pieces), rows, rng)
        return total / M

    def estimates(
        self, slopes: tuple[Array, Array], M: int, tau: float, rng: np.random.Generator
    ) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """Intervals around g at two slopes D (rows,) under the same noise: ((low, high), (low, high))."""
        _, low, high = self.bins
        share = self.shares(M, len(slopes[0]), rng)

        def end(slope: Array, side: Array) -> tuple[Array, Array]:
            values = clip(slope[:, None] + side, tau)
            rounding = 1e-15 * len(side) * np.einsum("rb,rb->r", share, np.abs(values))  # above n eps sum |terms|
            return np.einsum("rb,rb->r", share, values), rounding

        def around(slope: Array) -> tuple[Array, Array]:
            (below, under), (above, over) = end(slope, low), end(slope, high)
            return below - under, above + over

        return around(slopes[0]), around(slopes[1])
