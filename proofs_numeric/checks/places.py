"""Where a check is made: problem, noise law, point and smoothing radius, with the scales of the paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from boundcheck.paper import formulas, values
from proofs_numeric.exact_in_law.exact_laws import ExactLaw, exact_law
from proofs_numeric.model.noise import CentredPareto, Gaussian, Noise, Pareto, RealLaw, Signs, Student
from proofs_numeric.model.objectives import LogCosh, Objective, Quadratic, Sinusoid
from proofs_numeric.model.oracles import LinearNoiseOracle
from proofs_numeric.model.sphere import Array

_CLIPPED, _SHARP = "thm:hp-shared-clipped", "app:sharp-fluctuation"

OBJECTIVES = {"quadratic": Quadratic, "logcosh": LogCosh, "sinusoid": Sinusoid}
LAWS: dict[str, Callable[[float, float], RealLaw]] = {
    "pareto": Pareto,
    "onesided": CentredPareto.with_sigma,
    "student": Student,
    "gaussian": Gaussian,
    "signs": Signs,
}


@dataclass(frozen=True)
class Setting:
    """One problem at one point.

    ``place`` 'boundary' is a point with f(x) - f_* = 4 Delta0_bar, as far out as the lemmas allow, 'minimum' is
    a minimiser. ``law`` and ``shape`` name the noise; sigma is its exact weak-L_p constant.
    """

    d: int
    p: float
    law: str = "pareto"
    shape: str = "axis"
    objective: str = "quadratic"
    place: str = "boundary"
    mu: float = 1e-2
    L: float = 1.0
    sigma: float = 1.0
    Delta0: float = 1.0

    @property
    def name(self) -> str:
        parts = [self.objective, f"d{self.d}", f"p{self.p:g}", self.law, self.shape]
        parts += [self.place] if self.place != "boundary" else []
        parts += [f"mu{self.mu:g}"] if self.mu != 1e-2 else []
        return "-".join(parts)

    @property
    def Dbar(self) -> float:
        """Delta0_bar = Delta0 + L mu^2/2."""
        return values.at(formulas.value(_CLIPPED, "Dbar"), Delta0=self.Delta0, L=self.L, mu=self.mu)

    @property
    def S(self) -> float:
        """S_mu = (sqrt(L Delta0_bar) + sigma)/sqrt(d) + L mu."""
        return values.at(
            formulas.value(_CLIPPED, "S"), L=self.L, Dbar=self.Dbar, sigma=self.sigma, d=self.d, mu=self.mu
        )

    @property
    def gradient_bound(self) -> float:
        """N = sqrt(8 L Delta0_bar), the largest |grad f(x)| where f(x) - f_* <= 4 Delta0_bar."""
        return values.at(formulas.value(_SHARP, "N"), L=self.L, Dbar=self.Dbar)

    def tuned_threshold(self, M: int, lam: float) -> float:
        """tau = 8 S_mu (M/lambda)^(1/p) of cor:hp-shared-localized-tuned."""
        return values.at(formulas.value(_CLIPPED, "tau"), S=self.S, M=M, lam=lam, p=self.p)

    @cached_property
    def real_law(self) -> RealLaw:
        """The law of the noise's size, with exponent p and weak-L_p constant sigma."""
        return LAWS[self.law](self.p, self.sigma)

    @cached_property
    def oracle(self) -> LinearNoiseOracle:
        """The objective with this noise."""
        problem: Objective = OBJECTIVES[self.objective](self.d, self.L)
        return LinearNoiseOracle(problem, Noise(self.real_law, self.shape, self.d))

    @cached_property
    def x(self) -> Array:
        """The point, shape (1, d)."""
        if self.place == "minimum":
            return np.zeros((1, self.d))
        return self.oracle.objective.boundary_point(4 * self.Dbar)

    @cached_property
    def smoothed_gradient(self) -> Array:
        """grad f_mu(x), shape (d,)."""
        return self.oracle.objective.smoothed_gradient(self.x, self.mu)[0]

    @cached_property
    def exact(self) -> ExactLaw | None:
        """The exact law of (Y, u_1), where one integral gives it."""
        return exact_law(self.oracle, self.x, self.mu)

    @property
    def known(self) -> ExactLaw:
        """The exact law of (Y, u_1); raises ``ValueError`` where no one integral gives it."""
        if self.exact is None:
            raise ValueError(f"{self.name}: the law of (Y, u_1) is not known exactly")
        return self.exact


#: Boundary cells (d = 1, p near 1, p = 2), the least favourable laws (tail equality, one-sided), heavier
#: dimensions, a light control, and objectives that are not quadratic.
GRID = (
    Setting(1, 1.05),
    Setting(1, 1.5, mu=1e-6),
    Setting(1, 2.0),
    Setting(1, 1.2, "onesided"),
    Setting(1, 1.5, objective="logcosh"),
    Setting(2, 1.5, shape="uniform"),
    Setting(2, 2.0, place="minimum", shape="uniform"),
    Setting(3, 1.8, "student"),
    Setting(10, 1.2),
    Setting(10, 2.0),
    Setting(10, 1.5, "onesided", mu=1.0),
    Setting(10, 1.5, shape="sparse", objective="sinusoid"),
    Setting(10, 1.5, "gaussian"),
    Setting(10, 1.5, objective="logcosh", mu=0.1),
    Setting(100, 1.5, shape="sparse"),
    Setting(100, 2.0, shape="uniform", place="minimum"),
    Setting(100, 1.8),
)
