"""Front door: ``python -m proofs_numeric list | run | status | experiment``.

Exit status of ``run``: 0 nothing rejected (also when partial), 1 a REFUTED-STAT, 2 unusable input or ledger.
"""
# ruff: noqa: E402 - the thread counts must be set before NumPy is imported

from __future__ import annotations

import os

from boundcheck.system.exits import Unusable, opening

if __name__ == "__main__":
    opening()

# One thread per process: chunks are the parallelism, and sums must not depend on a thread count.
for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
import importlib
import json
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from boundcheck.app import campaign_tables
from boundcheck.app.commands.output import command, gathered, said_program
from boundcheck.system.arguments import Parser, front_door, nearest, seconds
from boundcheck.system.files import FileFault, read_json, require_writable
from boundcheck.user_files import is_own, split_target
from proofs_numeric import own
from proofs_numeric.campaigns import campaign, results
from proofs_numeric.campaigns.campaign import CampaignError, Interrupted, Overrun, run
from proofs_numeric.campaigns.executors import executor
from proofs_numeric.campaigns.ledger import Ledger
from proofs_numeric.checks import RESTATED, registry
from proofs_numeric.checks.cell import CLAIM, COMPANION, PLANTED, Cell
from proofs_numeric.model.streams import SEED

GRACE = 10.0  #: seconds that a user's check may overrun three times ``--seconds`` before the run ends
EXPERIMENTS = ("controlled", "finetune")  #: modules of proofs_numeric.experiments with a ``main(argv)``


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a nonnegative integer")
    value = int(text)
    if value >= 2**63:
        raise argparse.ArgumentTypeError("a seed lies below 2**63")
    return value


def _parser() -> Parser:
    parser = front_door("python -m proofs_numeric", "Monte Carlo checks of the paper's statements.")
    commands = parser.add_subparsers(dest="command", required=True)
    command(commands, "list", "the checks, with the number of their cells", _list)
    told = "run all checks, or those named: 0 nothing rejected, 1 something, 2 unusable"
    go = command(commands, "run", told, _run)
    go.add_argument("check", nargs="*", metavar="CHECK", help="LABEL, LABEL/cell, or FILE.py[:LABEL[/cell]] of yours")
    go.add_argument("--seconds", type=seconds, help="stop starting work after this time; the answer is partial")
    go.add_argument("--executor", default="serial", help="serial (default), processes, dask or dask:ADDRESS")
    go.add_argument("--ledger", metavar="FILE", help="keep finished chunks here; the same command resumes")
    go.add_argument("--seed", type=_seed, default=SEED, help=f"master seed (default {SEED})")
    go.add_argument("--json", action="store_true", help="print one JSON object")
    go.add_argument("--save", action="store_true", help="store the results of a complete run for the report")
    status = command(commands, "status", "what a ledger holds, or what is stored", _status)
    status.add_argument("check", nargs="*", metavar="CHECK", help="of these checks (default: the paper's)")
    status.add_argument("--ledger", metavar="FILE", help="this ledger (default: what is stored)")
    experiment = command(commands, "experiment", "run one of the paper's experiments", _experiment)
    experiment.add_argument("name", metavar="NAME", help=", ".join(EXPERIMENTS))
    experiment.add_argument("arguments", nargs=argparse.REMAINDER, help="its options: `experiment NAME --help`")
    return parser


def chosen(names: Sequence[str]) -> list[Cell]:
    """The cells of the labels, keys and files in ``names`` (none: all of the paper), in the order of the paper."""
    cells = registry()
    if not names:
        return list(cells.values())
    groups, faults = gathered(_chosen, names)
    if faults:
        raise Unusable(faults)
    wanted = dict.fromkeys(cell for group in groups for cell in group)
    of_files = [cell for cell in wanted if cell.file]
    return [cell for cell in cells.values() if cell in wanted] + of_files


def _chosen(name: str) -> list[Cell]:
    """The cells that one word names."""
    if is_own(name):
        said_program(split_target(name)[0])
        return own.chosen(name)
    cells, target = registry(), RESTATED.get(name, name)
    hit = [cell for key, cell in cells.items() if target in (key, cell.label)]
    if not hit:
        labels = sorted({cell.label for cell in cells.values()})
        raise Unusable(f"unknown check {name}{nearest(name, [*labels, *RESTATED, *cells]) or '; see `list`'}")
    return hit


def _list(options: argparse.Namespace) -> int:
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
    signal.setitimer(signal.ITIMER_REAL, 3 * seconds + GRACE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _run(options: argparse.Namespace) -> int:
    cells = chosen(options.check)
    if options.save and (options.check or options.seconds):
        raise Unusable("--save stores a complete run: leave out CHECK and --seconds")
    if options.save:
        require_writable(results.STORED)
    start = time.monotonic()
    progress = campaign_tables.Pace(results.costs(cells), quiet=options.json)
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


def _status(options: argparse.Namespace) -> int:
    names, ledger = options.check, options.ledger
    if ledger is None:
        if names:
            raise Unusable("status of a CHECK is that in a ledger: add --ledger FILE")
        return _stored()
    if not os.path.exists(ledger):
        raise Unusable(f"there is no ledger {ledger}")
    cells = chosen(names)
    with Ledger(ledger) as opened:
        seeds = [row[0] for row in opened.progress()]
        for seed in seeds:
            found = campaign.standing(cells, opened, seed)
            campaign_tables.standing(found, seed, ledger, opened.begun(seed), names)
    if not seeds:
        print("the ledger is empty")
    return 0


def _stored() -> int:
    if not results.STORED.exists():
        print("no results are stored; `run --save` stores them, `status --ledger FILE` reads a ledger")
        return 0
    try:
        data = read_json(results.STORED)
        words = Counter(f"{cell['kind']} {cell['verdict']}" for cell in data["cells"])
        head = f"stored: seed {data['seed']}, {data['provenance']['date']}, {len(data['cells'])} cells"
    except (FileFault, KeyError, TypeError) as error:
        raise Unusable(f"{results.STORED} is not a file of stored results ({error})") from error
    print(head)
    for word, count in sorted(words.items()):
        print(f"{count:>6}  {word}")
    return 0


def _experiment(options: argparse.Namespace) -> int:
    name = options.name
    if name not in EXPERIMENTS:
        hint = nearest(name, EXPERIMENTS) or f"; one of {', '.join(EXPERIMENTS)} is wanted"
        raise Unusable(f"unknown experiment {name}{hint}")
    module = importlib.import_module(f"proofs_numeric.experiments.{name}")
    module.main(options.arguments)
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    return _parser().run(argv, "interrupted; with a ledger the same command goes on from here")


if __name__ == "__main__":
    sys.exit(main())
