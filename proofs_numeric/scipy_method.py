"""Algorithm 1 (RSC-ZO) as a method of scipy.optimize.minimize, for a user's own function of a NumPy vector."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import OptimizeResult, OptimizeWarning

from proofs_numeric.model.estimator import PAPER, UNCLIPPED, VECTOR_CLIPPED, Recipe, estimate, keep
from proofs_numeric.model.noise import check_scale
from proofs_numeric.model.optimizer import ALGORITHM
from proofs_numeric.model.sphere import Array, check_float64
from proofs_numeric.tuning.step_records import NonFiniteLossWarning, PlateauWarning, warn
from proofs_numeric.tuning.tuning_settings import LARGEST, Clip, Settings

RECIPES = {"scalar": PAPER, "vector": VECTOR_CLIPPED, "none": UNCLIPPED}
SHRUNK = 2.0**-64  #: the unit of a vector that is to be shortened; exact, and d M of them are finite
UNUSABLE = ("jac", "hess", "hessp", "bounds", "constraints", "tol")
MESSAGES = {
    0: "all iterations were run; the method makes no convergence test",
    1: "the next iteration would need more evaluations than maxfev",
    2: "fun is not finite at the last point",
    3: "mu is below the resolution of x: x + mu u was rounded to x in every evaluation, and nothing has moved",
    4: "no difference was finite, and nothing has moved",
    99: "the callback raised StopIteration",
}


def rsc_zo(
    fun: Callable[..., Any],
    x0: Any,
    args: tuple[Any, ...] = (),
    *,
    alpha: float | None = None,
    maxiter: int = 1000,
    maxfev: float = math.inf,
    mu: float = 1e-3,
    M: int = 1,
    tau: float = math.inf,
    beta: float = 0.0,
    M0: int | None = None,
    tau0: float | None = None,
    clip: Clip = "scalar",
    sample: Callable[[np.random.Generator], Any] | None = None,
    rng: int | np.random.Generator | None = None,
    callback: Callable[..., Any] | None = None,
    disp: bool = False,
    **unused: Any,
) -> OptimizeResult:
    """``scipy.optimize.minimize(fun, x0, method=rsc_zo, options={"alpha": ..., ...})``: x <- x - alpha m.

    m is the estimate g = (d/M) sum_l psi_tau(Y_l) u_l of the paper (``clip`` "scalar"), or with beta > 0 its running
    mean m <- beta m + (1 - beta) g after the warm start with M0 and tau0. ``clip`` "none" has Y for psi_tau(Y),
    "vector" clips the unclipped average at the norm d tau. For a random function give ``sample``: then ``fun`` is
    called as fun(x, xi, *args) with xi = sample(rng), the same in both evaluations of a pair.

    A pair whose difference is not finite takes no part in the average; without any other the iteration moves nothing,
    as where the step itself would not be finite: then its pairs count as skipped too. The result has x = x_T, fun
    there (at one more xi), nit, nfev, status and success, ``skipped`` pairs, and the ``clip_fraction`` of the others
    (NaN unless clip is "scalar"). Where mu is too small for the doubles of x, where no difference differs from zero
    and where pairs are skipped, a warning of :mod:`proofs_numeric.tuning.step_records` says so. An option that is not
    known is named in SciPy's OptimizeWarning, and ``disp`` prints the outcome. Raises ValueError outside the domains
    of :class:`Settings`, without ``alpha``, for an empty x0, or when given a derivative, a tolerance, bounds or
    constraints; TypeError unless fun can be called as above and returns one real number.
    """
    _refuse(unused)
    if alpha is None:
        raise ValueError("alpha, the step size, is missing: give options={'alpha': VALUE}, positive and finite")
    settings = Settings(mu, M, tau, beta, M0, tau0, clip, "sphere")
    check_scale(alpha, "alpha")
    if isinstance(maxiter, bool) or not isinstance(maxiter, (int, np.integer)) or maxiter < 1:
        raise ValueError(f"maxiter must be an integer >= 1, got {maxiter!r}")
    x = np.array(check_float64(x0, "x0")).reshape(1, -1)
    if not x.size:
        raise ValueError("x0 is empty: give at least one coordinate to move")
    usable = _usable_radius(x)
    if mu < usable:
        text = f"mu = {mu:g} is near the resolution of x0: rounding x + mu u decides; take mu of at least {usable:.2g}"
        warn(text, PlateauWarning)
    generator = _generator(rng)
    _callable(fun, args, sample)
    pairs = _Pairs(fun, args, sample, x.shape[1])
    recipe, m, report = RECIPES[clip], None, _reporter(callback)
    status = nit = 0
    while nit < maxiter:
        batch, threshold = settings.batch(beta > 0 and m is None)
        if pairs.nfev + 2 * batch + 1 > maxfev:  # one is kept for the value at the end
            status = 1
            break
        pairs.values, pairs.y = [], []
        limit = settings.radius(pairs.d, threshold) if clip == "vector" else threshold
        limit = min(limit, LARGEST)
        moved = _step(pairs, x, mu, batch, limit, generator, recipe, m, beta, alpha)
        pairs.count(moved is not None, threshold)
        nit += 1
        if moved is not None:
            x, m = moved
        if report(OptimizeResult(x=x[0].copy(), fun=pairs.mean, nit=nit, nfev=pairs.nfev)):
            status = 99
            break
    value = pairs.value(x[0].copy(), pairs.draw(generator, 1)[0])
    status = pairs.outcome(status, value)
    message = MESSAGES[status] + (f"; {pairs.skipped} pairs were not finite and left out" if pairs.skipped else "")
    pairs.tell()
    if disp:
        _print(message, status, value, nit, pairs.nfev)
    return OptimizeResult(
        x=x[0],
        fun=value,
        nit=nit,
        nfev=pairs.nfev,
        status=status,
        success=status == 0,
        message=message,
        skipped=pairs.skipped,
        clip_fraction=pairs.clipped / pairs.finite if clip == "scalar" and pairs.finite else math.nan,
    )


def _step(
    pairs: _Pairs,
    x: Array,
    mu: float,
    batch: int,
    limit: float,
    generator: np.random.Generator,
    recipe: Recipe,
    m: Array | None,
    beta: float,
    alpha: float,
) -> tuple[Array, Array] | None:
    """(x - alpha m, m) after one estimate; None where that is not finite.

    A vector is averaged in units of SHRUNK, so that it can be shortened before its length leaves the doubles.
    """
    unit = SHRUNK if recipe is VECTOR_CLIPPED else 1.0
    small = recipe.but(finish=keep, weight=lambda y, tau, d: recipe.weight(y * unit, tau, d))
    with np.errstate(over="ignore", invalid="ignore"):
        g = estimate(pairs, x, mu, batch, limit, generator, small)
        kept = int(np.isfinite(pairs.y).sum())
        if not kept:
            return None
        g = recipe.finish(g * (batch / kept), max(limit * unit, sys.float_info.min)) / unit
        m = g if beta == 0 or m is None else ALGORITHM.average(m, g, beta)
        ahead = ALGORITHM.move(x, m, alpha)
    return (ahead, m) if np.isfinite(m).all() and np.isfinite(ahead).all() else None


def _refuse(unused: dict[str, Any]) -> None:
    """SciPy's warning for options that are not known; ValueError for what is known and cannot be used."""
    for name in UNUSABLE:
        value = unused.get(name)
        if value is not None and not (name == "constraints" and not len(value)):
            raise ValueError(
                f"rsc_zo takes no {name}: it uses values of fun only, without bounds, constraints or tests"
            )
    if unknown := sorted(set(unused) - set(UNUSABLE)):
        warn(f"Unknown solver options: {', '.join(unknown)}", OptimizeWarning)


def _generator(rng: int | np.random.Generator | None) -> np.random.Generator:
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise ValueError(f"rng must be None, an integer >= 0 or a numpy.random.Generator, got {rng!r}") from None


def _callable(fun: Callable[..., Any], args: tuple[Any, ...], sample: object) -> None:
    """TypeError where ``sample`` is no function, or where ``fun`` needs more arguments than it is called with."""
    if sample is not None and not callable(sample):
        raise TypeError(f"sample must be a function of a numpy.random.Generator that gives one xi, got {sample!r}")
    try:
        known = inspect.signature(fun).parameters.values()
    except (TypeError, ValueError):  # a built-in function may have none
        return
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [q.name for q in known if q.kind in places and q.default is inspect.Parameter.empty]
    given = 1 + (sample is not None) + len(args)
    if len(needed) > given:
        told = f"fun needs {len(needed)} arguments ({', '.join(needed)}) and is called with {given}"
        raise TypeError(f"{told}; fun(x, xi) of a random xi needs the option sample, a function of rng that gives xi")


def _usable_radius(x: Array) -> float:
    """The mu from which on rounding x + mu u takes less than a tenth of mu u: 10 sqrt(d) ulp(max|x_i|)/2."""
    return float(5 * math.sqrt(x.size) * np.spacing(np.abs(x).max()))


def _print(message: str, status: int, value: float, nit: int, nfev: int) -> None:
    """What SciPy's own methods print where ``disp`` is set."""
    print(message if status == 0 else f"Warning: {message}")
    print(f"         Current function value: {value:f}")
    print(f"         Iterations: {nit}")
    print(f"         Function evaluations: {nfev}")


@dataclass
class _Pairs:
    """The user's function as an oracle, one point at a time, with counts; a difference not finite is returned as 0."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    sampler: Callable[[np.random.Generator], Any] | None
    d: int
    linear: ClassVar[bool] = False
    nfev: int = 0
    finite: int = 0  #: pairs that took part so far
    clipped: int = 0  #: those of them with |Y| > tau
    flat: int = 0  #: and with a difference of exactly 0
    skipped: int = 0
    lost: int = 0  #: pairs whose two points are one and the same
    values: list[float] = field(default_factory=list)  #: of fun, in the current estimate
    y: list[float] = field(default_factory=list)  #: and the differences

    def count(self, moved: bool, tau: float) -> None:
        """The pairs of the current estimate; where it moved nothing none of them took part."""
        y = np.array(self.y)[np.isfinite(self.y)] if moved else np.empty(0)
        self.finite += y.size
        self.skipped += len(self.y) - y.size
        self.clipped += int((np.abs(y) > tau).sum())
        self.flat += int((y == 0).sum())

    def outcome(self, status: int, value: float) -> int:
        """The status of the whole run: what kept all of it from moving comes before that it ended as planned."""
        if not math.isfinite(value):
            return 2
        seen = self.finite + self.skipped
        if status or not seen:
            return status
        return 4 if not self.finite else 3 if self.lost == seen else 0

    def tell(self) -> None:
        """Warn of what the torch optimizer warns of."""
        if self.skipped:
            text = f"{self.skipped} pairs were left out: a value of fun, a difference or a step was not finite"
            warn(text, NonFiniteLossWarning)
        if self.finite and self.flat == self.finite:
            text = "no difference differs from zero; fun does not see x, or mu is lost in rounding"
            warn(text, PlateauWarning)

    @property
    def mean(self) -> float:
        """The mean of the finite values of fun in the current estimate; NaN without any."""
        finite = [value for value in self.values if math.isfinite(value)]
        return math.fsum(finite) / len(finite) if finite else math.nan

    def draw(self, rng: np.random.Generator, n: int) -> list[tuple[Any, ...]]:
        """n samples xi, each a tuple of one, or empty for a function that is not random."""
        return [() if self.sampler is None else (self.sampler(rng),) for _ in range(n)]

    def value(self, x: Array, xi: tuple[Any, ...]) -> float:
        self.nfev += 1
        found = np.asarray(self.function(x, *xi, *self.args))
        if found.size != 1 or found.dtype.kind not in "fiu":
            raise TypeError(f"fun must return one real number, got {found.dtype} of shape {found.shape}")
        return float(found.reshape(()))

    def difference(self, x: Array, mu: float, u: Array, xi: list[tuple[Any, ...]]) -> Array:
        y = np.empty(u.shape[:2])
        for (row, column), sample in zip(np.ndindex(*y.shape), xi, strict=True):
            step = mu * u[row, column]
            ahead, behind = x[row] + step, x[row] - step
            self.lost += bool(np.array_equal(ahead, behind))
            pair = self.value(ahead, sample), self.value(behind, sample)
            self.values += pair
            y[row, column] = (pair[0] - pair[1]) / (2 * mu)
        self.y += y.ravel().tolist()
        return np.where(np.isfinite(y), y, 0.0)


def _reporter(callback: Callable[..., Any] | None) -> Callable[[OptimizeResult], bool]:
    """SciPy's two kinds of callback as one, which tells whether to stop."""
    if callback is None:
        return lambda result: False
    whole = set(inspect.signature(callback).parameters) == {"intermediate_result"}

    def report(result: OptimizeResult) -> bool:
        try:
            callback(intermediate_result=result) if whole else callback(result.x)
        except StopIteration:
            return True
        return False

    return report
