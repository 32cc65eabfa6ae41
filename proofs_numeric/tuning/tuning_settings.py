"""What RSC-ZO is run with, in MeZO's units or in the paper's, and the mapping between the two.

With z ~ N(0, I_d) and u = z/||z||, sqrt(d) u is close to z, and so
Gaussian    Y = (F(x + eps z) - F(x - eps z))/(2 eps),  g = (1/M) sum psi_tau(Y) z,
sphere      Y = (F(x + mu u) - F(x - mu u))/(2 mu),     g = (d/M) sum psi_tau(Y) u
are close to each other at the same learning rate when mu = eps sqrt(d) and tau_sphere = tau_Gauss/sqrt(d).
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Literal, get_args

from proofs_numeric.model.optimizer import Parameters
from proofs_numeric.model.sphere import check_dimension

Clip = Literal["scalar", "vector", "none"]
Parametrisation = Literal["gaussian", "sphere"]
LARGEST = sys.float_info.max  #: a threshold that clips no finite number


def sphere_from_gaussian(d: int, mu: float, tau: float) -> tuple[float, float]:
    """(mu, tau) of the sphere for MeZO's (eps, tau) in dimension d: (eps sqrt(d), tau/sqrt(d)); alpha is lr."""
    root = math.sqrt(check_dimension(d))
    return mu * root, tau / root


def gaussian_from_sphere(d: int, mu: float, tau: float) -> tuple[float, float]:
    """MeZO's (eps, tau) for (mu, tau) of the sphere in dimension d: (mu/sqrt(d), tau sqrt(d)); lr is alpha."""
    root = math.sqrt(check_dimension(d))
    return mu / root, tau * root


@dataclass(frozen=True)
class Settings:
    """Smoothing mu > 0, M >= 1 directions, threshold tau in (0, inf], momentum beta in [0, 1) with M0 and tau0.

    mu and tau are in the units of ``parametrisation``. Raises ValueError outside these domains, as
    :class:`proofs_numeric.model.optimizer.Parameters` does.
    """

    mu: float
    M: int
    tau: float
    beta: float
    M0: int | None
    tau0: float | None
    clip: Clip
    parametrisation: Parametrisation

    def __post_init__(self) -> None:
        for name, kind in (("clip", Clip), ("parametrisation", Parametrisation)):
            if getattr(self, name) not in get_args(kind):
                raise ValueError(f"{name} must be one of {', '.join(get_args(kind))}, got {getattr(self, name)!r}")
        tau0 = None if self.tau0 is None else min(self.tau0, LARGEST)
        Parameters(1, 1.0, self.mu, self.M, min(self.tau, LARGEST), self.beta, self.M0, tau0)

    def batch(self, warm: bool) -> tuple[int, float]:
        """(M, tau) of a step, or (M0, tau0) of the warm start."""
        return (self.M0 or self.M, self.tau0 or self.tau) if warm else (self.M, self.tau)

    def factor(self, d: int) -> int:
        """The factor of the estimator: d on the sphere, 1 for Gaussian directions."""
        return d if self.parametrisation == "sphere" else 1

    def radius(self, d: int, tau: float) -> float:
        """Where the final vector is clipped: d tau on the sphere, tau sqrt(d) for Gaussian directions.

        That is the largest norm that scalar clipping at tau leaves (on the sphere exactly; Gaussian directions
        have norm sqrt(d) up to a relative 1/sqrt(2d) or so), so that both ways of clipping share one tau.
        """
        return tau * (d if self.parametrisation == "sphere" else math.sqrt(d))
