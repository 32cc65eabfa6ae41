"""How long the project's own commands take, and where the time goes.

    python benchmarks/house.py [--repeat N] [--only PART ...] [--readme] [--json FILE]

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
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from blocks import machine, replace_block

from boundcheck.app.reporting.markdown import table

ROOT = Path(__file__).parent.parent
LEMMA, REPORT, NUMERIC = (("-m", m) for m in ("boundcheck.lemma", "boundcheck.report", "proofs_numeric"))
TIMES = ("command", "wall s", "processor s")
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


def start(repeat: int) -> tuple[list[str], dict[str, Any]]:
    """The front doors, median of ``repeat`` runs."""
    figures = {}
    for name, arguments in STARTS:
        runs = [timed(arguments, (0, 1))[:2] for _ in range(repeat)]
        figures[name] = [statistics.median(column) for column in zip(*runs, strict=True)]
    rows = [(name, f"{wall:.2f}", f"{cpu:.2f}") for name, (wall, cpu) in figures.items()]
    return [f"Front doors, median of {repeat}:", "", *table(TIMES, rows)], figures


def check(_: int) -> tuple[list[str], dict[str, Any]]:
    """The whole catalogue, decided once, and its slowest statements."""
    wall, cpu, out = timed((*LEMMA, "check", "--json"), (0, 1))
    results = sorted(json.loads(out)["results"], key=lambda r: -r["seconds"])
    total = sum(r["seconds"] for r in results)
    lines = [
        f"`lemma check`, {len(results)} statements: {wall:.1f} s wall, {cpu:.1f} s of processor time. The slowest:",
        "",
        *table(
            ("statement", "s", "share"),
            [(r["name"], f"{r['seconds']:.1f}", f"{r['seconds'] / total:.0%}") for r in results[:8]],
        ),
    ]
    return lines, {"wall": wall, "cpu": cpu, "seconds": {r["name"]: r["seconds"] for r in results}}


def report(_: int) -> tuple[list[str], dict[str, Any]]:
    """The report, its check and its HTML twin."""
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in (
            ("`report --check`", ("--check",)),
            ("`report -o FILE`", ("-o", f"{folder}/REPORT.md")),
            ("`report -o FILE --html FILE`", ("-o", f"{folder}/REPORT.md", "--html", f"{folder}/report.html")),
        ):
            figures[name] = timed((*REPORT, *arguments))[:2]
    rows = [(name, f"{wall:.1f}", f"{cpu:.1f}") for name, (wall, cpu) in figures.items()]
    return ["The report:", "", *table(TIMES, rows)], figures


def campaign(_: int) -> tuple[list[str], dict[str, Any]]:
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
    lines = [
        f"`proofs_numeric run --executor processes`: {wall:.0f} s wall, {cpu:.0f} s of processor time, {trials:,}"
        " trials of the statements as used. A trial is what the check asks about: a Y, an estimate or a whole run.",
        "",
        *table(("check", "cells", "trials", "processor s", "trials a second"), rows),
    ]
    return lines, {"wall": wall, "cpu": cpu, "checks": sums}


PARTS: dict[str, Callable[[int], tuple[list[str], dict[str, Any]]]] = {
    "start": start,
    "check": check,
    "report": report,
    "campaign": campaign,
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5, help="runs of each front door (default 5)")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="these parts only")
    parser.add_argument("--readme", action="store_true", help="write what was measured into benchmarks/README.md")
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    options = parser.parse_args(arguments)
    figures = {}
    for part in options.only:
        lines, figures[part] = PARTS[part](max(1, options.repeat))
        print("\n".join(lines) + "\n", flush=True)
        if options.readme:
            replace_block(f"house.py {part}", [f"{machine()}.", "", *lines])
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), **figures}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
