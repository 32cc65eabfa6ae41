"""The clip fraction over a stretch of training, and the word said when it is 0 or nearly 1."""

from __future__ import annotations

from dataclasses import dataclass

from proofs_numeric.tuning.step_records import ClipFractionWarning, warn

WINDOW = 200  #: estimates looked at together; a clipping probability of 1.5% shows up in 95% of such windows
OFTEN = 0.9


@dataclass
class ClipWatch:
    """Counts of estimates and of clipped ones, in all and in the current window; each warning is given once."""

    seen: int = 0
    clipped: int = 0
    window_seen: int = 0
    window_clipped: int = 0
    told_never: bool = False
    told_often: bool = False

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            kind = type(getattr(ClipWatch, name))
            if type(value) is not kind or value < 0:
                raise ValueError(f"{name} must be {'True or False' if kind is bool else 'a count'}, got {value!r}")

    @property
    def fraction(self) -> float:
        """The clip fraction since the start; NaN before anything was seen."""
        return self.clipped / self.seen if self.seen else float("nan")

    def add(self, seen: int, clipped: int, tau: float) -> None:
        """Take in one step; at the end of a window warn if nothing, or more than 0.9, was clipped in it."""
        self.seen += seen
        self.clipped += clipped
        self.window_seen += seen
        self.window_clipped += clipped
        if self.window_seen < WINDOW:
            return
        fraction = self.window_clipped / self.window_seen
        self.window_seen = self.window_clipped = 0
        if fraction == 0 and not self.told_never:
            self.told_never = True
            text = f"none of the last {WINDOW} estimates was clipped at tau = {tau:g}: this is the unclipped method"
            warn(text, ClipFractionWarning)
        elif fraction > OFTEN and not self.told_often:
            self.told_often = True
            text = f"{fraction:.0%} of the last {WINDOW} estimates were clipped at tau = {tau:g}: only signs are left"
            warn(text, ClipFractionWarning)
