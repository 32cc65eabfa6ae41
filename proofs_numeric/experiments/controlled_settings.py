"""Settings of the controlled experiment (paper, sec:experiments): problem, protocol and grids, with their domains.

The defaults reproduce the paper's tables; what the paper leaves open (x0, T, the grids, "final") was fitted to them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from proofs_numeric.experiments.settings import Domain, SettingError, among, between, faults, setting, whole
from proofs_numeric.model.streams import SEED

RAW, VECTOR, SCALAR, THEORY = "raw", "vector", "scalar", "theory"
METHODS = (RAW, VECTOR, SCALAR)  # the paper's three; THEORY is scalar clipping at the threshold of thm:tuned-dev
PRESCRIBED_ALPHA = 0.25  # 1/(4L), L = 1
METHOD_NAMES = {
    RAW: "raw",
    VECTOR: "vector after batch",
    SCALAR: "scalar before batch",
    THEORY: "scalar, prescribed tau",
}


@dataclass(frozen=True, order=True)
class Configuration:
    """One method with its step size ``alpha`` and its clipping level (tau, or r_vec; infinite for raw)."""

    method: str
    alpha: float
    level: float = math.inf


@dataclass(frozen=True)
class Settings:
    """Everything that the numbers depend on. Lengths and gradients carry the unit of x; alpha is in 1/L, L = 1."""

    dimensions: tuple[int, ...] = setting((25, 50, 100, 200), whole(1, 10_000), "d of the dimension sweep")
    dimension_sweep_p: float = setting(
        1.5, between(1, 10), "p of the dimension sweep, of the curves and of the diagnostics"
    )
    tail_exponents: tuple[float, ...] = setting((1.2, 1.5, 1.8, 2.5), between(1, 10), "p of the tail sweep")
    tail_sweep_d: int = setting(100, whole(1, 10_000), "d of the tail sweep, of the curves and of the diagnostics")
    batch: int = setting(256, whole(1, 1_000_000), "M, directions a step")
    epsilon: float = setting(0.1, between(0), "target accuracy of ||grad f||")
    tuning_seeds: int = setting(6, whole(1, 100_000), "validation seeds")
    evaluation_seeds: int = setting(20, whole(10, 100_000), "seeds of the tables")
    band_seeds: int = setting(
        200,
        Domain(lambda v: v == 0 or 10 <= v <= 100_000, "0 or an integer from 10 to 100000", "give 100 or more"),
        "further seeds, for the bands; 0 takes the evaluation seeds",
    )
    scale: float = setting(
        1.0, between(0), "scale of the Pareto noise, P(A > a) = (scale/a)^p; also its weak-L_p sigma"
    )
    x0_norm: float = setting(1.0, between(0), "||x0||")
    x0: str = setting("diagonal", among("diagonal", "axis"), "direction of x0: diagonal is (1,...,1), axis is e_1")
    steps: int = setting(800, whole(3, 10_000_000), "T")
    final: str = setting(
        "last", among("last", "best"), "which iterate is final: the last, or the best of all (smallest norm)"
    )
    criterion: str = setting(
        "median", among("median", "mean"), "statistic over the validation seeds that tuning minimises"
    )
    alphas: tuple[float, ...] = setting((0.015, 0.03, 0.06, 0.12), between(0, 2), "step sizes of the fitted grid")
    lower_alphas: tuple[float, ...] = setting(
        (0.0015, 0.003, 0.0075),
        between(0, 2, empty=True),
        "further step sizes, for the robustness table; may be empty",
    )
    taus: tuple[float, ...] = setting((0.05, 0.1, 0.2, 0.5, 1.0), between(0), "scalar thresholds")
    radii: tuple[float, ...] = setting((0.1, 0.3, 1.0, 3.0, 10.0), between(0), "radii r_vec of vector clipping")
    delta: float = setting(
        0.1,
        Domain(lambda v: 0 < v <= 1, "a number in (0, 1]", "give 0.1"),
        "failure probability in the threshold of thm:tuned-dev",
    )
    evaluate: str = setting("all", among("all", "selected"), "configurations run on evaluation and further seeds")
    diagnostic_batches: int = setting(500, whole(20, 1_000_000), "batches of the cosine and dominance diagnostics")
    diagnostic_norm: float = setting(1.0, between(0), "||x|| of the diagnostics")
    raw_check_seeds: int = setting(
        2000, whole(0, 1_000_000), "seeds of the check of the raw closed form; 0 leaves it out"
    )
    protocol_draws: int = setting(2000, whole(100, 1_000_000), "repetitions of the whole protocol for its band")
    coverage: float = setting(
        0.95, Domain(lambda v: 0.5 <= v < 1, "a number in [0.5, 1)", "give 0.95"), "coverage of bands and intervals"
    )
    seed: int = setting(SEED, whole(0, 2**63 - 1), "master seed")

    def __post_init__(self) -> None:
        found = faults(self)
        if found:
            raise SettingError(found)
        longest = 2.0 / (1.0 + (max(self.every_dimension) - 1) / self.batch)
        if max(self.every_alpha) >= longest:
            raise SettingError(
                f"--alphas: {max(self.every_alpha)!r} is not below 2/(1 + (d - 1)/M) = {longest:.3g}, where the raw "
                "iteration diverges in mean square; give smaller step sizes or a larger --batch"
            )

    @property
    def every_dimension(self) -> tuple[int, ...]:
        """All d of both sweeps, ascending."""
        return tuple(sorted({*self.dimensions, self.tail_sweep_d}))

    @property
    def every_alpha(self) -> tuple[float, ...]:
        """The fitted step sizes and the lower ones, ascending."""
        return tuple(sorted({*self.alphas, *self.lower_alphas}))

    def exponents(self, d: int) -> tuple[float, ...]:
        """The tail exponents p run at dimension d; they share all random numbers of a seed."""
        sweep = {self.dimension_sweep_p} if d in self.dimensions else set()
        return tuple(sorted(sweep | (set(self.tail_exponents) if d == self.tail_sweep_d else set())))

    @property
    def cells(self) -> tuple[tuple[int, float], ...]:
        """All (d, p)."""
        return tuple((d, p) for d in self.every_dimension for p in self.exponents(d))

    @property
    def representative(self) -> tuple[int, float]:
        """The cell of the curves, the tuning figure and the diagnostics: (100, 1.5) in the paper."""
        d, p = self.tail_sweep_d, self.dimension_sweep_p
        return (d, p) if (d, p) in self.cells else self.cells[0]

    def configurations(self, method: str) -> tuple[Configuration, ...]:
        """The grid of one method, the lower step sizes included."""
        if method == THEORY:  # the threshold depends on the cell; 1/4 is the step size of thm:main
            return tuple(Configuration(THEORY, alpha) for alpha in sorted({*self.every_alpha, PRESCRIBED_ALPHA}))
        levels: tuple[float, ...] = {RAW: (math.inf,), VECTOR: self.radii, SCALAR: self.taus}[method]
        return tuple(Configuration(method, alpha, level) for level in levels for alpha in self.every_alpha)


# no further seeds (the band then comes from the evaluation seeds), no many-seed check of the raw closed form
QUICK: dict[str, Any] = {"band_seeds": 0, "lower_alphas": (), "raw_check_seeds": 0, "evaluate": "selected"}
