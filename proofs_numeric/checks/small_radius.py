"""The tail of |Y| where F has no exact difference: a cell asks its mu before it is built, and says what it does.

F is seen through its values, with an offset of 10^6 and mu down to 10^-12. Where float64 cannot hold the quotient the
trials are run in balls; the same cell in floats all the same is planted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from proofs_numeric.checks.cell import CLAIM, COMPANION, PLANTED, Cell
from proofs_numeric.checks.places import Setting
from proofs_numeric.checks.tails import TOTAL, claimed_curve, exact_curve, scale
from proofs_numeric.exact_in_law.by_values import TwoValues, draw

TRIALS, CHUNK = 1 << 12, 1 << 10
OFFSET = 1e6
#: (problem, offset): the first is within float64's reach
CASES = (
    (Setting(3, 1.5), 0.0),
    (Setting(1, 1.2, "onesided", mu=1e-8), OFFSET),
    (Setting(3, 1.5, mu=1e-12), OFFSET),
    (Setting(3, 1.8, "student", objective="sinusoid", mu=1e-12), OFFSET),
)


def values(setting: Setting, offset: float) -> TwoValues:
    """The oracle of ``setting`` with its values raised by ``offset``."""
    return TwoValues(replace(setting.oracle, offset=offset), setting.x, setting.mu)


def cells() -> Iterator[Cell]:
    """Claim and exact law by values of F, in the precision that each problem needs; float64 at a mu too small."""
    for s, offset in CASES:
        run, said = draw(values(s, offset), TRIALS, scale(TOTAL, s))
        name = f"by-values-{s.name}-offset{offset:g}"
        claim = lambda s=s: claimed_curve(TOTAL, s, trials=TRIALS)  # noqa: E731
        yield Cell(TOTAL, name, CLAIM, run, claim, TRIALS, CHUNK, precision=said)
        if s.exact is not None:
            law = lambda s=s: exact_curve(s.known, TRIALS)  # noqa: E731
            yield Cell(TOTAL, f"law-{name}", COMPANION, run, law, TRIALS, CHUNK, precision=said)
    s, offset = CASES[2]
    yield Cell(
        TOTAL,
        "planted-small-mu",
        PLANTED,
        values(s, offset).in_floats,
        lambda: exact_curve(s.known, TRIALS),
        TRIALS,
        CHUNK,
        note=f"implementation: float64 at mu = {s.mu:g} and |F| = {offset:g}",
    )
