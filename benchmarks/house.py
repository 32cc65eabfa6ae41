"""How long the project's own commands take, and where the time goes.

    python benchmarks/house.py [--repeat N] [--only PART ...] [--readme]

Commands run as processes of their own, as a user runs them: ``start`` the front doors (median of N runs, beside the
floor: an interpreter, and an interpreter that imports NumPy), ``check`` the whole catalogue decided once, ``report``
the report and its HTML twin, ``campaign`` all Monte Carlo cells with trials a second for each check. Wall seconds, and
processor seconds of the command with its children. Nothing else should run on the machine.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from blocks import machine, replace_block

from boundcheck.app.reporting.markdown import table

ROOT = Path(__file__).parent.parent
LEMMA, REPORT, NUMERIC = (("-m", m) for m in ("boundcheck.lemma", "boundcheck.report", "proofs_numeric"))
LABEL = "lem:hp-shared-clipped-bias-abstract"
PROBLEM = ("--p=1.5", "--d=10", "--L=1", "--Delta0=1", "--sigma=1", "--eps=1", "--delta=0.1")
STARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("`python -c pass` (floor)", ("-c", "pass")),
    ("`import numpy` (floor)", ("-c", "import numpy")),
    ("`lemma --help`", (*LEMMA, "--help")),
    ("`lemma` (the table)", LEMMA),
    (f"`lemma show {LABEL}`", (*LEMMA, "show", LABEL)),
    (f"`lemma eval {LABEL} p=1.5 S=1 tau=16`", (*LEMMA, "eval", LABEL, "p=1.5", "S=1", "tau=16")),
    (f"`lemma check {LABEL}`", (*LEMMA, "check", LABEL)),
    (
        "`lemma plan` (one problem)",
        (*LEMMA, "plan", *PROBLEM),
    ),
    ("`proofs_numeric list`", (*NUMERIC, "list")),
)


def timed(arguments: Sequence[str], expected: tuple[int, ...] = (0,)) -> tuple[float, float, str]:
    """Wall seconds, processor seconds with children, and what the command printed; its status must be expected."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in expected:
        raise SystemExit(
            f"{' '.join(arguments)} ended with status {done.returncode}:\n{(done.stdout + done.stderr)[-4000:]}"
        )
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def times(commands: Iterable[tuple[str, tuple[str, ...]]], repeat: int) -> list[str]:
    """A table of commands, each with the median of its runs."""
    rows = []
    for name, arguments in commands:
        runs = [timed(arguments, (0, 1))[:2] for _ in range(repeat)]
        rows.append((name, *(f"{statistics.median(column):.2f}" for column in zip(*runs, strict=True))))
    return table(("command", "wall s", "processor s"), rows)


def start(repeat: int) -> list[str]:
    """The front doors, median of ``repeat`` runs."""
    return [f"Front doors, median of {repeat}:", "", *times(STARTS, repeat)]


def check(_: int) -> list[str]:
    """The whole catalogue, decided once, and its slowest statements."""
    wall, cpu, out = timed((*LEMMA, "check", "--json"), (0, 1))
    results = sorted(json.loads(out)["results"], key=lambda r: -r["seconds"])
    total = sum(r["seconds"] for r in results)
    return [
        f"`lemma check`, {len(results)} statements: {wall:.1f} s wall, {cpu:.1f} s of processor time. The slowest:",
        "",
        *table(
            ("statement", "s", "share"),
            [(r["name"], f"{r['seconds']:.1f}", f"{r['seconds'] / total:.0%}") for r in results[:8]],
        ),
    ]


def report(_: int) -> list[str]:
    """The report, its check and its HTML twin."""
    with tempfile.TemporaryDirectory() as folder:
        write = (*REPORT, "-o", f"{folder}/REPORT.md")
        commands = (
            ("`report --check`", (*REPORT, "--check")),
            ("`report -o FILE`", write),
            ("`report -o FILE --html FILE`", (*write, "--html", f"{folder}/report.html")),
        )
        return ["The report:", "", *times(commands, 1)]


def campaign(_: int) -> list[str]:
    """All Monte Carlo cells, two processes; trials a second of each check."""
    wall, cpu, out = timed((*NUMERIC, "run", "--executor", "processes", "--json"))
    groups: dict[str, list[dict[str, Any]]] = {}
    for r in json.loads(out)["results"]:
        groups.setdefault(r["name"].rpartition("/")[0], []).append(r)
    sums = {n: (len(g), sum(r["trials"] for r in g), sum(r["seconds"] for r in g)) for n, g in groups.items()}
    rows = [
        (n, cells, f"{trials:,}", f"{seconds:.1f}", f"{trials / seconds:,.0f}")
        for n, (cells, trials, seconds) in sorted(sums.items(), key=lambda item: -item[1][2])
        if seconds > 0
    ]
    trials = sum(t for _, t, _ in sums.values())
    return [
        f"`proofs_numeric run --executor processes`: {wall:.0f} s wall, {cpu:.0f} s of processor time, {trials:,}"
        " trials of the statements as used. A trial is what the check asks about: a Y, an estimate or a whole run.",
        "",
        *table(("check", "cells", "trials", "processor s", "trials a second"), rows),
    ]


PARTS: dict[str, Callable[[int], list[str]]] = {"start": start, "check": check, "report": report, "campaign": campaign}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5, help="runs of each front door (default 5)")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="these parts only")
    parser.add_argument("--readme", action="store_true", help="write what was measured into benchmarks/README.md")
    options = parser.parse_args(arguments)
    for part in options.only:
        lines = PARTS[part](max(1, options.repeat))
        print("\n".join(lines) + "\n", flush=True)
        if options.readme:
            replace_block(f"house.py {part}", [f"{machine()}.", "", *lines])
    return 0


if __name__ == "__main__":
    sys.exit(main())
