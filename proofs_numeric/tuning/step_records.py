"""What a step of RSC-ZO leaves to look at, and what it warns of."""

from __future__ import annotations

import math
import sys
import warnings
from dataclasses import dataclass


class RSCZOWarning(UserWarning):
    """Something about a run of RSC-ZO that its user wants to know."""


class ClipFractionWarning(RSCZOWarning):
    """Nothing is clipped, or nearly everything: the threshold is not doing what it is for."""


class PlateauWarning(RSCZOWarning):
    """The difference quotient depends on mu: rounding or curvature dominates it."""


class NonFiniteLossWarning(RSCZOWarning):
    """A loss is NaN or infinite, or a step would be; its direction takes no part in the step."""


class DefaultsWarning(RSCZOWarning):
    """The learning rate or the threshold was left at a default that does next to nothing for most models."""


def warn(text: str, category: type[Warning]) -> None:
    """Warn at the line of the user's code, the nearest caller outside of both methods and of what calls them."""
    level, frame = 2, sys._getframe(1)
    inner = ("proofs_numeric.tuning.", "proofs_numeric.scipy_method", "torch.", "scipy.")
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(inner):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


@dataclass(frozen=True)
class Plateau:
    """Difference quotients along a few directions at mu/2, mu and 2 mu, with the same xi.

    ``finer`` and ``coarser`` are the root mean square of Y(mu) - Y(mu/2) and Y(2 mu) - Y(mu), relative to that of
    Y(mu). ``verdict``: "plateau" if both are at most ``tolerance``; else "curvature" if the coarser change is the
    larger one, as for an error that grows with mu, or "unstable", as for rounding, which grows with 1/mu, and also for
    a mu far beyond the scale on which the loss is smooth; "flat" if no quotient differs from zero; "non-finite" if a
    loss is NaN or infinite.
    """

    mu: float
    quotients: tuple[tuple[float, float, float], ...]
    tolerance: float
    verdict: str
    finer: float
    coarser: float

    @classmethod
    def read(cls, mu: float, quotients: tuple[tuple[float, float, float], ...], tolerance: float) -> Plateau:
        """The verdict on quotients at (mu/2, mu, 2 mu), a row for each direction."""

        def size(values: list[float]) -> float:
            return math.hypot(*values)

        if not all(math.isfinite(y) for row in quotients for y in row):
            return cls(mu, quotients, tolerance, "non-finite", math.nan, math.nan)
        if not any(y for row in quotients for y in row):
            return cls(mu, quotients, tolerance, "flat", math.nan, math.nan)
        top = max(abs(y) for row in quotients for y in row)  # so that no difference or square leaves the doubles
        given, quotients = quotients, tuple((a / top, b / top, c / top) for a, b, c in quotients)
        whole = size([middle for _, middle, _ in quotients])
        finer = size([middle - fine for fine, middle, _ in quotients])
        coarser = size([coarse - middle for _, middle, coarse in quotients])
        finer, coarser = (change / whole if whole else math.inf for change in (finer, coarser))
        if max(finer, coarser) <= tolerance:
            verdict = "plateau"
        else:
            verdict = "curvature" if coarser > finer else "unstable"
        return cls(mu, given, tolerance, verdict, finer, coarser)


@dataclass(frozen=True)
class StepRecord:
    """One step: a row for each direction, in the order in which they were drawn.

    ``losses`` (F(x + mu v), F(x - mu v)); ``raw`` Y before clipping; ``clipped`` psi_tau(Y) (Y itself unless clip is
    "scalar"), NaN for the ``skipped`` directions, whose Y is not finite; ``loss`` the mean of the losses of the others
    (NaN if there are none, and then nothing moved). ``clip_fraction`` is the fraction of those with |Y| > tau, or when
    clip is "vector" whether that was clipped, and ``norm`` its norm before; 0 when clip is "none". ``residual_bytes``
    is the largest extra memory that putting the parameters back needed. ``plateau`` is set when it was looked at.
    """

    step: int
    warm_start: bool
    loss: float
    losses: tuple[tuple[float, float], ...]
    raw: tuple[float, ...]
    clipped: tuple[float, ...]
    tau: float
    skipped: int
    clip_fraction: float
    norm: float | None
    residual_bytes: int
    plateau: Plateau | None
