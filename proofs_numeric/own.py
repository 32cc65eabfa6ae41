"""A user's own checks: the cells that a FILE.py lists in CHECKS, and short ways to write one.

A check is a law (``draw(rng, n)`` gives one value for each of n independent trials), an event or a mean, and what
is claimed of it.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from numbers import Integral
from operator import index
from pathlib import Path

from boundcheck.author.moments import central_moment
from boundcheck.stored.premises import recorded, weak_premises
from boundcheck.user_files import OwnFault, OwnFile, load, split_target
from boundcheck.verdict import Status, Verdict, worded
from proofs_numeric.checks.cell import CLAIM, COMPANION, PLANTED, Cell, Draw
from proofs_numeric.stats.bounded_mean import Mean
from proofs_numeric.stats.decision_rules import Exceedance, Rule
from proofs_numeric.stats.heavy_mean import HeavyMean

TRIALS = 1 << 16
MAX_CHUNKS = 1 << 20  #: of one stage
KINDS = (CLAIM, COMPANION, PLANTED)
ROUNDING = 1e-9  #: a moment that is computed in doubles may be this much less, relatively, than what is proved


def probability(
    label: str, name: str, draw: Draw, threshold: float, claimed: float, planted: str = "", trials: int = TRIALS
) -> Cell:
    """The check P(value > threshold) <= claimed. ``planted`` says what is wrong where it must be rejected."""
    kind = PLANTED if planted else CLAIM
    return Cell(label, name, kind, draw, lambda: Exceedance((threshold,), (claimed,)), trials, note=planted)


def mean(
    label: str,
    name: str,
    draw: Draw,
    claimed: float,
    low: float,
    high: float,
    centre: float,
    variance: float,
    planted: str = "",
    trials: int = TRIALS,
) -> Cell:
    """The check E(value) <= claimed for values in [low, high].

    ``centre`` and ``variance`` are the mean and the variance to be expected (of the exact law, say): the power
    depends on them, no verdict rests on them. CONSISTENT needs an upper limit, valid for every law on [low, high], of
    at most twice the claim: where the range is far above the mean, clip the value or use :func:`heavy_mean`.
    """
    kind = PLANTED if planted else CLAIM
    return Cell(
        label, name, kind, draw, lambda: Mean(claimed, low, high, centre, variance), trials, unit="mean", note=planted
    )


def heavy_mean(
    label: str,
    name: str,
    draw: Draw,
    claimed: float,
    p: float,
    moment: float,
    centre: float,
    proved: str = "",
    low: float = -math.inf,
    planted: str = "",
    trials: int = TRIALS,
    at: Mapping[str, object] | None = None,
) -> Cell:
    """The check E(value) <= claimed where E|value - E value|^p <= moment, 1 < p <= 2, and no range is known.

    ``proved`` is the label of the statement of the same file that proves the moment: without one the limits are
    printed and the check stays UNDERPOWERED, for a moment that is only declared may be wrong. It does where that
    statement, or one that it rests on, is not proved, and where what it claims, with the values ``at`` of its
    parameters, is no such moment (:func:`boundcheck.author.moments.central_moment`). ``low`` is a value that is never
    undercut (0, say); with it a false claim is rejected without any moment.
    """
    kind = PLANTED if planted else CLAIM

    def rule() -> HeavyMean:
        return HeavyMean(claimed, p, moment, centre, low, proved, at=dict(at or {}))

    return Cell(label, name, kind, draw, rule, trials, unit="mean", note=planted, proved=proved)


def cells(path: str) -> dict[str, Cell]:
    """The cells of a file by key. Raises :class:`boundcheck.user_files.OwnFault`."""
    file = load(path)
    found: dict[str, Cell] = {}
    faults = []
    for number, cell in enumerate(file.checks):
        if not isinstance(cell, Cell):
            faults.append(f"{path}: CHECKS[{number}] is no Cell but {type(cell).__name__}")
        elif said := _unusable(cell):
            faults.append(f"{path}: CHECKS[{number}]: {said}")
        elif cell.label not in file.statements:
            faults.append(f"{path}: CHECKS[{number}]: no statement of the file is called {cell.label}")
        elif cell.proved and cell.proved not in file.statements:
            faults.append(f"{path}: CHECKS[{number}]: no statement of the file is called {cell.proved} (proved=...)")
        elif cell.key in found:
            faults.append(f"{path}: two checks are called {cell.key}")
        else:
            full, trials, chunk = str(Path(path).resolve()), index(cell.trials), index(cell.chunk)
            rule = partial(_resting, full, cell.rule)
            found[cell.key] = replace(cell, file=full, rule=rule, trials=trials, chunk=chunk)
    if faults:
        raise OwnFault(faults)
    return found


def _unusable(cell: Cell) -> str:
    """What keeps a cell of a user's program from being run; "" where nothing does."""
    texts = (cell.label, cell.name, cell.kind, cell.unit, cell.note)
    if not all(isinstance(text, str) and text.isprintable() for text in texts) or not cell.name:
        return f"label, name, unit and note are printable texts, the name not empty; they are {texts!a}"
    if cell.kind not in KINDS:
        return f"its kind is {cell.kind!r}; one of {', '.join(KINDS)} is wanted"
    for what, value in (("trials", cell.trials), ("chunk", cell.chunk)):
        if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
            return f"{what} = {value!r}: an integer of at least 1 is wanted"
    if cell.trials > MAX_CHUNKS * cell.chunk:
        return f"{cell.trials} trials in chunks of {cell.chunk} are more than {MAX_CHUNKS} chunks"
    return ""


def _resting(path: str, rule: Callable[[], Rule]) -> Rule:
    """The rule; a moment on which it rests counts as proved where the statement that it names proves it."""
    found = rule()
    if not (isinstance(found, HeavyMean) and found.proved):
        return found
    file, label = load(path), found.proved
    if open_ := _unproved(file, label):
        return replace(found, proved="", open=open_)
    try:
        least, term = central_moment(file.statements[label], Fraction(str(found.p)), found.at)
    except (ValueError, ArithmeticError) as fault:
        return replace(found, proved="", open=str(fault))
    if not least <= found.moment * (1 + ROUNDING):
        said = f"{label} says at most {least:.6g} of E|X - EX|^{found.p:g} for X = {term}"
        return replace(found, proved="", open=said)
    return replace(found, moment=max(least, found.moment), proved=f"{label} for X = {term}")


def _unproved(file: OwnFile, label: str) -> str:
    """What keeps a statement of the file from being proved, or taken from the literature; "" where nothing does."""
    from boundcheck.decide.statements import decide_statement  # the engines, which most checks never need

    verdicts: dict[str, Verdict] = {}

    def word(name: str, as_used: bool) -> str:
        if name not in file.statements:
            return recorded(name, as_used)
        if name not in verdicts:
            verdicts[name] = decide_statement(file.statements[name], file.lookup, slack_seconds=0.0)
        used = verdicts[name].as_used
        return str(used.status if as_used and used is not None else verdicts[name].status)

    if label not in file.statements:
        return f"no statement of the file is called {label}"
    status = word(label, False)
    if status not in (Status.PROVED, Status.CITED):
        return f"{label} is {status}"
    weak = weak_premises(file.statements[label], word, file.lookup)
    return f"{label} is {worded(status, weak)}" if weak else ""


def find(path: str, key: str) -> Cell:
    """The cell called ``key`` of a file."""
    return cells(path)[key]


def chosen(target: str) -> list[Cell]:
    """The cells meant by ``FILE.py``, ``FILE.py:LABEL`` or ``FILE.py:LABEL/cell``. Raises OwnFault."""
    path, wanted = split_target(target)
    known = cells(path)
    if not known:
        raise OwnFault([f"{path}: defines no CHECKS; write CHECKS = (...,), a tuple of checks"])
    found = [c for key, c in known.items() if wanted is None or wanted in (key, c.label)]
    if not found:
        near = difflib.get_close_matches(str(wanted), known, 1)
        raise OwnFault([f"{path}: no check is called {wanted}" + (f"; did you mean {near[0]}?" if near else "")])
    return found
