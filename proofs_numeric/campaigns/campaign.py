"""Campaigns: cells -> chunks of fixed size -> any executor -> ledger -> verdicts.

Every chunk draws from its own addressed stream and is reduced to a few numbers that are added in chunk
order, so the results are the same bit for bit whatever the executor, the order or the interruptions.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from boundcheck.system.exits import Unusable
from boundcheck.user_files import in_a_line, line_in
from boundcheck.verdict import Status
from proofs_numeric import own
from proofs_numeric.campaigns.executors import workers_lost
from proofs_numeric.campaigns.ledger import Chunk, Ledger
from proofs_numeric.campaigns.versions import code_digest, own_digest
from proofs_numeric.checks import find, registry
from proofs_numeric.checks.cell import PLANTED, Cell
from proofs_numeric.model.sphere import Array
from proofs_numeric.model.streams import stream, untouched
from proofs_numeric.precision.ties import AuditError, drawn
from proofs_numeric.stats import budget
from proofs_numeric.stats.binomial import independence
from proofs_numeric.stats.budget import STAGE_TWO
from proofs_numeric.stats.decision import Design, Judgement, add, judge, must_confirm, plan
from proofs_numeric.stats.decision_rules import Summary, Test

CHANCE = 1e-12  #: that a draw is refused though its chunks are independent, for each limit
CUTS = (0.0, 0.1, 0.5, 0.9)  #: shares of a chunk below further limits


class CampaignError(Unusable):
    """A chunk that could not be simulated; the message names the cell."""


@dataclass(frozen=True)
class Task:
    """One chunk of one stage of one cell: all that a worker needs."""

    cell: str
    stage: int
    chunk: int
    trials: int
    seed: int
    test: Test
    file: str = ""  #: the user's file that defines the cell; empty for the paper's


@dataclass(frozen=True)
class Result:
    """A judged cell. ``seconds`` is the time of its chunks, whenever they were run.

    ``near`` counts the trials of both stages whose value was within rounding of a threshold and which were decided
    in high precision; None where no float is compared with a threshold. ``left`` is how many trials are still to be
    drawn, as far as it is known: those of a second stage once the first calls for it, of planted cells from the start.
    """

    cell: Cell
    judgement: Judgement
    seconds: float
    near: int | None = None
    left: int = 0


class Interrupted(KeyboardInterrupt):
    """An interrupt of a run, with the results so far."""

    def __init__(self, found: list[Result]):
        super().__init__()
        self.found = found


class Overrun(BaseException):
    """The time after which a user's check is not waited for any more; no program's ``except Exception`` stops it."""


def simulate(task: Task) -> Chunk:
    """Run one chunk; pure but for the clock. Raises CampaignError naming the cell on a NaN or a failing oracle.

    A draw that takes nothing from its generator is refused: from numbers of its own every chunk may be the same one,
    counted many times, or another one when it is drawn again. So is a user's that takes some and has others of its own
    as well, if another chunk than all that are counted agrees with the first one at the same places.

    A user's code may raise anything, print, and change NumPy's error state or the warning filters: none of it reaches
    another chunk or stdout.
    """
    cell = own.find(task.file, task.cell) if task.file else find(task.cell)
    start = time.perf_counter()
    address = partial(stream, cell.label, cell.name, task.stage, task.chunk, task.seed)
    other = partial(stream, cell.label, cell.name, task.stage, own.MAX_CHUNKS, task.seed)
    given: list[np.random.Generator] = []

    def fresh() -> np.random.Generator:
        given.append(address())
        return given[-1]

    try:
        with _apart(task.file):
            values, near = drawn(cell.draw, fresh, task.trials, task.test.limits)
            summary = task.test.summary(_fit(values, task.trials))
        if untouched(given[0], address()):
            raise ValueError("draw took no number from the generator that it is given (rng), as all of them must come")
        if task.file and task.chunk == 0:
            with _apart(task.file):
                again = _fit(cell.draw(other(), task.trials), task.trials)
            _require_fresh(_fit(values, task.trials), again, task.test.limits)
    except KeyboardInterrupt:
        raise
    except Overrun:
        raise CampaignError(f"{task.cell}: {UNANSWERED}") from None
    except BaseException as error:
        place = line_in(error, str(Path(task.file).resolve())) if task.file else ""
        head = f"{task.cell}: {task.file}{place}" if place else task.cell
        if isinstance(error, ArithmeticError | ValueError | AuditError):
            raise CampaignError(f"{head}: {_line(error)}") from error
        if task.file:
            raise CampaignError(f"{head}: {in_a_line(error)}") from error
        raise
    return Chunk(summary, task.trials, time.perf_counter() - start, near)


UNANSWERED = "gave no answer long after --seconds; chunks that were finished are in the ledger, if one was named"


@contextmanager
def _apart(file: str) -> Iterator[None]:
    """NumPy's own error state, whatever an earlier chunk left; a user's print to stderr, its filters undone."""
    with np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"):
        if not file:
            yield
            return
        with warnings.catch_warnings(), contextlib.redirect_stdout(sys.stderr):
            yield


def _fit(values: object, trials: int) -> Array:
    """``values`` in doubles, which evidence is computed in; ValueError unless they are real numbers, one a trial.

    Rounding could move a value across its threshold, so numbers that no double holds are refused as well.
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError("draw gave masked values; one value each is wanted")
    found = np.asarray(values)
    if found.shape != (trials,):
        raise ValueError(f"draw gave shape {found.shape} for {trials} trials; one value each is wanted")
    if found.dtype.kind not in "bifu":
        raise ValueError(f"draw gave values of type {found.dtype}; real numbers are wanted")
    doubles = found.astype(np.float64, copy=False)
    whole = found.dtype.kind in "iu"
    if (np.abs(doubles) > 2.0**53).any() if whole else (doubles != found)[~np.isnan(doubles)].any():
        raise ValueError(f"draw gave {found.dtype} numbers that no double holds; round them first, if that is meant")
    return doubles


def _require_fresh(values: Array, again: Array, limits: Sequence[float]) -> None:
    """ValueError where two chunks of a draw exceed some limits together, at the same places, far beyond chance."""
    for cut in (*limits, *np.quantile(again, CUTS, method="lower")):
        if independence(values > cut, again > cut) < CHANCE:
            raise ValueError("draw has random numbers of its own beside the generator that it is given (rng)")


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())


class _Work:
    """The state of one cell: its plan and the summaries it has so far."""

    def __init__(self, cell: Cell, seed: int, ledger: Ledger, cells: int):
        self.cell, self.seed, self.ledger = cell, seed, ledger
        try:
            self.plan: Design = plan(cell.rule(), cell.trials, budget.levels(cells))
        except (Exception, SystemExit) as error:
            if cell.file:
                raise CampaignError(f"{cell.key}: its rule: {in_a_line(error)}") from error
            raise
        question = f"{code_digest()} {self.plan!r} {cell.chunk} {own_digest(cell.file)}"
        self.fingerprint = hashlib.blake2b(question.encode(), digest_size=16).hexdigest()
        self.done = ledger.read(seed, cell.key, self.fingerprint)

    def tasks(self, stage: int) -> Iterator[Task]:
        """The chunks of a stage that are not in the ledger yet."""
        total, size = self.plan.trials[stage], self.cell.chunk
        for chunk in range(-(-total // size)):
            if (stage, chunk) not in self.done:
                trials = min(size, total - chunk * size)
                yield Task(self.cell.key, stage, chunk, trials, self.seed, self.plan.tests[stage], self.cell.file)

    def record(self, task: Task, chunk: Chunk) -> None:
        self.ledger.write(self.seed, self.cell.key, self.fingerprint, task.stage, task.chunk, chunk)
        self.done[task.stage, task.chunk] = chunk

    def total(self, stage: int) -> tuple[Summary, int]:
        """Summed summaries and number of trials of a stage, in chunk order."""
        have = [self.done[key] for key in sorted(self.done) if key[0] == stage]
        return (add([c.summary for c in have]) if have else []), sum(c.trials for c in have)

    def complete(self, stage: int) -> bool:
        return sum(c.trials for (s, _), c in self.done.items() if s == stage) == self.plan.trials[stage]

    def confirms(self) -> bool:
        return self.complete(0) and must_confirm(self.plan, self.total(0))

    def result(self) -> Result:
        two = self.total(1)
        seconds = sum(c.seconds for c in self.done.values())
        near = [c.near for c in self.done.values() if c.near is not None]
        judgement = judge(self.plan, self.total(0), two if two[1] else None)
        return Result(self.cell, judgement, seconds, sum(near) if near else None, self.left())

    def left(self) -> int:
        """Trials that are still to be drawn, as far as it is known."""
        second = self.confirms() or (self.cell.kind == PLANTED and not self.complete(0))
        return sum(task.trials for stage in range(1 + second) for task in self.tasks(stage))


class _Run:
    """One pass over the cells: what is in flight, what is finished, when to stop."""

    def __init__(self, executor: Executor, width: int, deadline: float | None, report: Callable[[int, int], None]):
        self.executor, self.width, self.deadline, self.report = executor, width, deadline, report
        self.flying: dict[Future[Chunk], tuple[Task, _Work]] = {}
        self.finished = 0

    def expired(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline

    def settle(self, item: _Work) -> list[tuple[Task, _Work]]:
        """The tasks that a cell with nothing in flight still needs; none: it is finished."""
        tasks = list(item.tasks(0))
        if not tasks and item.confirms():
            tasks = list(item.tasks(1))
        if not tasks:
            self.finished += 1
        return [(task, item) for task in tasks]

    def land(self, block: bool) -> list[tuple[Task, _Work]]:
        """Take in finished chunks; returns the tasks of a stage two that they call for."""
        more: list[tuple[Task, _Work]] = []
        arrived, _ = wait(self.flying, timeout=None if block else 0, return_when=FIRST_COMPLETED)
        for future in arrived:
            task, item = self.flying.pop(future)
            item.record(task, self._outcome(future, task))
            if item.complete(task.stage):
                more += self.settle(item)
            self.report(self.finished, task.trials)
        return more

    def _outcome(self, future: Future[Chunk], task: Task) -> Chunk:
        try:
            return future.result()
        except Exception as error:
            if not workers_lost(error):
                raise
            raise CampaignError(
                f"{task.cell}: its workers died (out of memory?); chunks that were finished are in the ledger, if one"
                " was named, and the same command goes on from them"
            ) from error

    def fly(self, tasks: list[tuple[Task, _Work]]) -> None:
        """Submit tasks in order, at most ``2 * width`` in flight, until the time is up."""
        queue = deque(tasks)
        while queue and not self.expired():
            while len(self.flying) >= 2 * self.width:
                queue.extendleft(reversed(self.land(True)))
            task, item = queue.popleft()
            self.flying[self.executor.submit(simulate, task)] = task, item


def family(cells: Sequence[Cell]) -> int:
    """How many cells share the error budget: all of every collection that one of ``cells`` is from."""
    files = {c.file for c in cells}
    return max(1, sum(len(own.cells(f)) if f else len(registry()) for f in files))


def run(
    cells: Sequence[Cell],
    executor: Executor,
    ledger: Ledger,
    seed: int,
    seconds: float | None = None,
    width: int = 1,
    report: Callable[[int, int], None] = lambda finished, trials: None,
) -> list[Result]:
    """Judge ``cells``, reusing what the ledger has; ``report(cells finished, new trials)`` after every chunk.

    After ``seconds`` no new chunk is started, and cells that are not finished come back partial. The error
    budget is that of the whole registry, or of all cells of the user's files, whichever cells are asked for.
    Raises CampaignError and LedgerError, and on an interrupt :class:`Interrupted` with the results so far.
    """
    state = _Run(executor, width, None if seconds is None else time.monotonic() + seconds, report)
    work: dict[Cell, _Work] = {}
    total = family(cells)
    try:
        for cell in cells:
            if state.expired():
                break
            work[cell] = _Work(cell, seed, ledger, total)
            state.fly(state.settle(work[cell]))
        while state.flying:
            state.fly(state.land(True))
    except Overrun:
        waiting = ", ".join(dict.fromkeys(task.cell for task, _ in state.flying.values()))
        raise CampaignError(f"{waiting or 'the campaign'}: {UNANSWERED}") from None
    except KeyboardInterrupt:
        raise Interrupted(_results(cells, work)) from None
    finally:
        for future in state.flying:
            future.cancel()
    return _results(cells, work)


def _results(cells: Sequence[Cell], work: Mapping[Cell, _Work]) -> list[Result]:
    untouched = Judgement(Status.UNDERPOWERED, None, 0, math.inf, True)
    return [work[c].result() if c in work else Result(c, untouched, 0.0, left=expected(c)) for c in cells]


def expected(cell: Cell) -> int:
    """The trials that a cell takes if all is as it should be: the first stage, and the second of a planted cell."""
    return cell.trials * (1 + STAGE_TWO * (cell.kind == PLANTED))


def standing(cells: Sequence[Cell], ledger: Ledger, seed: int) -> list[Result]:
    """What a ledger says of ``cells`` without drawing anything."""
    total, begun = family(cells), ledger.begun(seed)
    return _results(cells, {cell: _Work(cell, seed, ledger, total) for cell in cells if cell.key in begun})
