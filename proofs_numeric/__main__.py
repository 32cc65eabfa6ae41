"""Front door: ``python -m proofs_numeric list | run | status | experiment``.

Exit status of ``run``: 0 nothing rejected (also when partial), 1 a REFUTED-STAT, 2 unusable input or ledger.
"""
# ruff: noqa: E402 - the thread counts must be set before NumPy is imported

from __future__ import annotations

import os

from boundcheck.system.exits import attempt, opening

if __name__ == "__main__":
    opening()

# One thread per process: chunks are the parallelism, and sums must not depend on a thread count.
for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
import difflib
import importlib
import json
import math
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from types import FrameType
from typing import NoReturn

from boundcheck.app import campaign_tables
from boundcheck.app.commands.output import command
from boundcheck.system.arguments import Parser
from boundcheck.system.files import FileFault, require_writable
from boundcheck.user_files import OwnFault, is_own, split_target
from proofs_numeric import own
from proofs_numeric.campaigns import campaign, results
from proofs_numeric.campaigns.campaign import CampaignError, Interrupted, Overrun, run
from proofs_numeric.campaigns.executors import ExecutorError, executor
from proofs_numeric.campaigns.ledger import Ledger, LedgerError
from proofs_numeric.campaigns.progress import Progress
from proofs_numeric.checks import RESTATED, registry
from proofs_numeric.checks.cell import CLAIM, COMPANION, PLANTED, Cell
from proofs_numeric.model.streams import SEED
from proofs_numeric.precision.ties import AuditError

GRACE = 10.0  #: seconds that a user's check may overrun three times ``--seconds`` before the run ends
#: name -> module of proofs_numeric.experiments with a ``main(argv) -> int``
EXPERIMENTS = {"controlled": "controlled", "finetune": "finetune"}


class UsageError(ValueError):
    """Unusable input, told in one line."""


class _Parser(Parser):
    def unusable(self, line: str) -> NoReturn:
        raise UsageError(line)


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number of seconds")
    return value


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a nonnegative integer")
    value = int(text)
    if value >= 2**63:
        raise argparse.ArgumentTypeError("a seed lies below 2**63")
    return value


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m proofs_numeric", description="Monte Carlo checks of the paper's statements.")
    parser.add_argument("--version", action="version", version=f"boundcheck {metadata.version('boundcheck')}")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    command(commands, "list", "the checks, with the number of their cells")
    go = command(commands, "run", "run all checks, or those named: 0 nothing rejected, 1 something, 2 unusable")
    go.add_argument("check", nargs="*", metavar="CHECK", help="LABEL, LABEL/cell, or FILE.py[:LABEL[/cell]] of yours")
    go.add_argument("--seconds", type=_positive, help="stop starting work after this time; the answer is partial")
    go.add_argument("--executor", default="serial", help="serial (default), processes, dask or dask:ADDRESS")
    go.add_argument("--ledger", metavar="FILE", help="keep finished chunks here; the same command resumes")
    go.add_argument("--seed", type=_seed, default=SEED, help=f"master seed (default {SEED})")
    go.add_argument("--json", action="store_true", help="print one JSON object")
    go.add_argument("--save", action="store_true", help="store the results of a complete run for the report")
    status = command(commands, "status", "what a ledger holds, or what is stored")
    status.add_argument("check", nargs="*", metavar="CHECK", help="of these checks (default: the paper's)")
    status.add_argument("--ledger", metavar="FILE", help="this ledger (default: what is stored)")
    experiment = command(commands, "experiment", "run one of the paper's experiments")
    experiment.add_argument("name", metavar="NAME", help=", ".join(EXPERIMENTS))
    experiment.add_argument("arguments", nargs=argparse.REMAINDER, help="its options: `experiment NAME --help`")
    return parser


def chosen(names: Sequence[str]) -> list[Cell]:
    """The cells of the labels, keys and files in ``names`` (none: all of the paper), in the order of the paper."""
    cells = registry()
    if not names:
        return list(cells.values())
    mine, names = [n for n in names if is_own(n)], [n for n in names if not is_own(n)]
    labels = {cell.label for cell in cells.values()}
    wanted: set[str] = set()
    unknown = []
    for name in names:
        target = RESTATED.get(name, name)
        hit = {key for key, cell in cells.items() if target in (key, cell.label)}
        if not hit:
            near = difflib.get_close_matches(name, [*sorted(labels), *RESTATED, *cells], 1)
            unknown.append(f"unknown check {name}" + (f"; did you mean {near[0]}?" if near else "; see `list`"))
        wanted |= hit
    found = {}
    for name in mine:
        if os.path.isfile(path := split_target(name)[0]):
            print(f"note: {path} is a program and is run as such", file=sys.stderr)
        try:
            found.update(dict.fromkeys(own.chosen(name)))
        except OwnFault as fault:
            unknown += fault.lines
    if unknown:
        raise UsageError("\n".join(unknown))
    return [cell for key, cell in cells.items() if key in wanted] + list(found)


def _list() -> int:
    counts: dict[str, Counter[str]] = {}
    for cell in registry().values():
        counts.setdefault(cell.label, Counter())[cell.kind] += 1
    width = max(map(len, counts))
    print(f"{'check':<{width}}  claims  exact laws  planted")
    for label, by_kind in counts.items():
        print(f"{label:<{width}}  {by_kind[CLAIM]:>6}  {by_kind[COMPANION]:>10}  {by_kind[PLANTED]:>7}")
    for restated, label in RESTATED.items():
        print(f"{restated:<{width}}  restates {label}")
    return 0


@contextmanager
def _waiting(seconds: float | None) -> Iterator[None]:
    """A user's check that hangs is not waited for without end: Overrun at three times ``seconds`` and GRACE."""
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def overrun(number: int, frame: FrameType | None) -> None:
        raise Overrun

    before = signal.signal(signal.SIGALRM, overrun)
    signal.setitimer(signal.ITIMER_REAL, min(3 * seconds + GRACE, 1e8))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _run(options: argparse.Namespace) -> int:
    cells = chosen(options.check)
    if options.save and (options.check or options.seconds):
        raise UsageError("--save stores a complete run: leave out CHECK and --seconds")
    if options.save:
        require_writable(results.STORED)
    start = time.monotonic()
    progress = Progress(results.costs(cells), quiet=options.json)
    interrupted = False
    try:
        with (
            Ledger(options.ledger) as ledger,
            executor(options.executor) as (pool, width),
            progress,
            _waiting(options.seconds if any(cell.file for cell in cells) else None),
        ):
            found = run(cells, pool, ledger, options.seed, options.seconds, width, progress.report)
    except Interrupted as cut:
        found, interrupted = cut.found, True
    elapsed = time.monotonic() - start
    if options.json:
        print(json.dumps(results.summary(found, options.seed), allow_nan=False))
    else:
        campaign_tables.table(found, options.seed)
        campaign_tables.partial(found, options.ledger, _again(options))
    if interrupted:
        raise KeyboardInterrupt
    for r in found:
        checked = results.audited(r, options.seed)
        if checked is not None and not checked.held:
            raise CampaignError(
                f"{r.cell.key}: floats are off by {checked.discrepancy:.3g} where {checked.bound:.3g} is declared"
            )
    if options.save:
        results.write(results.STORED, results.stored(found, options.seed, elapsed, options.executor))
    refuted = any(str(r.judgement.status) == "REFUTED-STAT" for r in found if r.cell.kind != PLANTED)
    return 1 if refuted else 0


def _again(options: argparse.Namespace) -> list[str]:
    """The words of a run that the same run needs again, its ledger and time apart."""
    words = list(options.check)
    for name, usual in (("executor", "serial"), ("seed", SEED)):
        if getattr(options, name) != usual:
            words += [f"--{name}", str(getattr(options, name))]
    return words + [f"--{name}" for name in ("json", "save") if getattr(options, name)]


def _status(ledger: str | None, names: Sequence[str]) -> int:
    if names and ledger is None:
        raise UsageError("status of a CHECK is that in a ledger: add --ledger FILE")
    if ledger is not None:
        if not os.path.exists(ledger):
            raise UsageError(f"there is no ledger {ledger}")
        cells = chosen(names)
        with Ledger(ledger) as opened:
            seeds = [row[0] for row in opened.progress()]
            for seed in seeds:
                found = campaign.standing(cells, opened, seed)
                campaign_tables.standing(found, seed, ledger, opened.begun(seed), names)
        if not seeds:
            print("the ledger is empty")
        return 0
    try:
        data = json.loads(results.STORED.read_text(encoding="utf-8"))
        words = Counter(f"{cell['kind']} {cell['verdict']}" for cell in data["cells"])
        head = f"stored: seed {data['seed']}, {data['provenance']['date']}, {len(data['cells'])} cells"
    except FileNotFoundError:
        print("no results are stored; `run --save` stores them, `status --ledger FILE` reads a ledger")
        return 0
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{results.STORED} is not a file of stored results ({error})") from error
    print(head)
    for word, count in sorted(words.items()):
        print(f"{count:>6}  {word}")
    return 0


def _experiment(name: str, arguments: list[str]) -> int:
    if name not in EXPERIMENTS:
        near = difflib.get_close_matches(name, EXPERIMENTS, 1)
        hint = f"; did you mean {near[0]}?" if near else f"; one of {', '.join(EXPERIMENTS)} is wanted"
        raise UsageError(f"unknown experiment {name}{hint}")
    module = importlib.import_module(f"proofs_numeric.experiments.{EXPERIMENTS[name]}")
    return int(module.main(arguments))


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    return attempt(lambda: _command(argv), "interrupted; with --ledger the same command goes on from here")


def _command(argv: Sequence[str] | None) -> int:
    try:
        options = _parser().parse_args(argv)
        if options.command == "list":
            return _list()
        if options.command == "status":
            return _status(options.ledger, options.check)
        if options.command == "experiment":
            return _experiment(options.name, options.arguments)
        return _run(options)
    except (UsageError, ExecutorError, LedgerError, CampaignError, AuditError, FileFault) as error:
        for line in str(error).splitlines():
            print(f"error: {line}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
