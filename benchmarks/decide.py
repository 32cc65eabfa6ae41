"""Time the decision engine on the claims of ``benchmarks/claims``, and what a user would use instead.

    python benchmarks/decide.py [FILE.toml ...] [--seconds 10] [--workers 2] [--tools] [--json FILE] [--readme]
    python benchmarks/decide.py --false [...]

Each claim runs in a process of its own, stopped after its time. ``truth`` is read here, to count wrong
answers; the engine gets the claim alone, under a neutral name. A PROVED counts only with a certificate
that verifies, a REFUTED only with a witness that is checked again. With ``--false`` the false claims alone are asked,
without the refuter and without the sample points that keep a proof search from what is false: none may be proved.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import multiprocessing as mp
import multiprocessing.connection
import statistics
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from blocks import machine, replace_block
from competitors import TOOLS, NotStated

from boundcheck.app.reporting import markdown
from boundcheck.claims import read_claims
from boundcheck.decide import decide, prove
from boundcheck.decide.scalar import sampling
from boundcheck.decide.scalar.witness_check import check_witness
from boundcheck.kernel.certificate import verify
from boundcheck.kernel.statement import Claim
from boundcheck.verdict import Status

HERE = Path(__file__).parent / "claims"
UNREFUTED = "boundcheck, proofs alone"
GRACE = 11.0  #: a worker is stopped after this many times its seconds (the certificate is verified in it)


@dataclass(frozen=True)
class Task:
    family: str
    claim: Claim
    truth: bool
    tool: str
    seconds: float


@dataclass(frozen=True)
class Outcome:
    """One claim under one tool. ``answer``: true, false, undecided, unstated or error."""

    tool: str
    family: str
    name: str
    truth: bool
    answer: str
    seconds: float
    method: str = ""
    verify_seconds: float | None = None
    reason: str = ""

    @property
    def wrong(self) -> bool:
        return self.answer in ("true", "false") and (self.answer == "true") != self.truth


def run_task(task: Task) -> Outcome:
    """Decide one claim in this process."""
    claim = replace(task.claim, name="claim")
    start = time.perf_counter()
    if task.tool == UNREFUTED:
        sampling.violation = lambda seq: None
        certificate, reason = prove(claim, task.seconds)
        proved = certificate is not None and verify(certificate, claim, 10 * task.seconds).valid
        return _outcome(task, "true" if proved else "undecided", time.perf_counter() - start, reason=reason)
    if task.tool != "boundcheck":
        try:
            answer = TOOLS[task.tool](claim, task.seconds) or "undecided"
        except NotStated:
            answer = "unstated"
        return _outcome(task, answer, time.perf_counter() - start)
    verdict = decide(claim, task.seconds)
    took = time.perf_counter() - start
    if verdict.status is Status.PROVED:
        start = time.perf_counter()
        check = verify(verdict.certificate, claim, 10 * task.seconds) if verdict.certificate else None
        answer = "true" if check is not None and check.valid else "error"
        return _outcome(task, answer, took, verdict.method, time.perf_counter() - start)
    if verdict.status is Status.REFUTED:
        good = verdict.witness is not None and check_witness(claim, verdict.witness)
        return _outcome(task, "false" if good else "error", took, verdict.method)
    return _outcome(task, "undecided", took, reason=verdict.reason)


def _outcome(
    task: Task, answer: str, seconds: float, method: str = "", check: float | None = None, reason: str = ""
) -> Outcome:
    name = task.claim.name
    return Outcome(task.tool, task.family, name, task.truth, answer, round(seconds, 3), method, check, reason)


def _worker(task: Task, pipe: Any) -> None:
    try:
        pipe.send(run_task(task))
    except Exception as error:  # any failure of a tool is an outcome, not the end of the benchmark
        pipe.send(_outcome(task, "error", 0.0, reason=f"{type(error).__name__}: {error}"[:200]))


def run_all(tasks: list[Task], workers: int) -> Iterator[Outcome]:
    """The outcomes in the order of ``tasks``, ``workers`` processes at a time."""
    context = mp.get_context("fork" if sys.platform == "linux" else "spawn")
    waiting = list(enumerate(tasks))
    running: dict[Any, tuple[int, Task, Any, float]] = {}
    done: dict[int, Outcome] = {}
    sent = 0
    while waiting or running:
        while waiting and len(running) < workers:
            index, task = waiting.pop(0)
            mine, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_worker, args=(task, theirs), daemon=True)
            process.start()
            theirs.close()
            running[mine] = (index, task, process, time.perf_counter())
        for pipe in multiprocessing.connection.wait(list(running), timeout=0.2):
            index, task, process, start = running.pop(pipe)
            try:
                done[index] = pipe.recv()
            except EOFError:
                done[index] = _outcome(task, "error", time.perf_counter() - start, reason="the worker died")
            process.join()
        for pipe, (index, task, process, start) in list(running.items()):
            if time.perf_counter() - start > GRACE * task.seconds + 5:
                process.kill()
                running.pop(pipe)
                done[index] = _outcome(task, "undecided", time.perf_counter() - start, reason="stopped")
        while sent in done:
            yield done.pop(sent)
            sent += 1


def load(files: list[Path], tools: list[str], seconds: float) -> list[Task]:
    tasks = []
    for file in files:
        truths = {c["name"]: bool(c["truth"]) for c in tomllib.loads(file.read_text())["claim"]}
        for claim in read_claims(file):
            tasks += [Task(file.stem, claim, truths[claim.name], tool, seconds) for tool in tools]
    return tasks


def table(outcomes: list[Outcome], row_of: Callable[[Outcome], str]) -> list[str]:
    """A Markdown table with one row a group and a total."""
    groups: dict[str, list[Outcome]] = {}
    for o in outcomes:
        groups.setdefault(row_of(o), []).append(o)
    rows = []
    for name, group in [*groups.items(), *([("all", outcomes)] if len(groups) > 1 else [])]:
        stated = [o for o in group if o.answer != "unstated"]
        proved, refuted = (sum(o.answer == a for o in stated) for a in ("true", "false"))
        share = f"{proved + refuted} ({100 * (proved + refuted) / max(len(group), 1):.1f} %)"
        wrong, errors = sum(o.wrong for o in stated), sum(o.answer == "error" for o in stated)
        times = [o.seconds for o in stated] or [0.0]
        seconds = f"{statistics.median(times):.3f}", f"{sum(times):.1f}"
        rows.append((name, len(group), len(stated), share, proved, refuted, wrong, errors, *seconds))
    return markdown.table(
        ("", *["claims", "stated", "decided", "proved", "refuted", "wrong", "errors"], "median s", "total s"), rows
    )


def write_readme(outcomes: list[Outcome], seconds: float, workers: int) -> None:
    """Put what was measured between the marks of benchmarks/README.md."""
    own = [o for o in outcomes if o.tool == "boundcheck"]
    lines = [f"{seconds:g} s a claim, {workers} workers; {machine()}.", "", *table(own, lambda o: o.family)]
    if any(o.tool != "boundcheck" for o in outcomes):
        lines += ["", "The same claims with other tools:", "", *table(outcomes, lambda o: o.tool)[:-1]]
    left = [o for o in own if o.answer not in ("true", "false")]
    rows = [(f"{o.family}/{o.name}", f"{o.seconds:.1f}", o.reason[:160]) for o in left]
    lines += ["", f"### Undecided ({len(left)})", "", *markdown.table(("claim", "seconds", "reason"), rows)]
    replace_block("decide.py", lines)


def unrefuted(files: list[Path], seconds: float, workers: int, readme: bool) -> int:
    """How many false claims are proved where nothing refutes them; 0 is the exit status of none."""
    tasks = [t for t in load(files, [UNREFUTED], seconds) if not t.truth]
    wrong = []
    for o in run_all(tasks, workers):
        if o.wrong or o.answer == "error":
            wrong.append(o)
            print(
                f"{'WRONG' if o.wrong else 'error':10} {o.family}/{o.name} {o.reason[:150]}",
                file=sys.stderr,
                flush=True,
            )
    told = f"{len(tasks)} false claims, {seconds:g} s each without refuter and sample points: {len(wrong)} proved"
    print(told)
    if readme:
        replace_block("decide.py --false", [f"{told} ({machine()})."])
    return 1 if wrong else 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="claims files (default: all of benchmarks/claims)")
    parser.add_argument("--seconds", type=float, default=10.0, help="per claim (default 10)")
    parser.add_argument("--workers", type=int, default=2, help="processes (default 2)")
    parser.add_argument(
        "--tools", action="store_true", help="also run z3, mpmath.iv and scipy where they are installed"
    )
    parser.add_argument("--json", type=Path, help="write every outcome to this file")
    parser.add_argument("--readme", action="store_true", help="write the tables into benchmarks/README.md")
    parser.add_argument("--false", action="store_true", help="the false claims, with nothing that refutes them")
    options = parser.parse_args(arguments)
    files = options.files or sorted(HERE.glob("*.toml"))
    if options.false:
        return unrefuted(files, options.seconds, options.workers, options.readme)
    tools = ["boundcheck"]
    if options.tools:
        tools += [t for t in TOOLS if t != "z3" or importlib.util.find_spec("z3")]
        if "z3" not in tools:
            print("z3-solver is not installed and left out", file=sys.stderr)
    tasks = load(files, tools, options.seconds)
    outcomes = []
    for o in run_all(tasks, options.workers):
        outcomes.append(o)
        if o.tool == "boundcheck" and (o.answer in ("undecided", "error") or o.wrong):
            mark = "WRONG" if o.wrong else o.answer
            print(f"{mark:10} {o.family}/{o.name} {o.seconds:.1f} s {o.reason[:150]}", file=sys.stderr, flush=True)
    own = [o for o in outcomes if o.tool == "boundcheck"]
    print("\n".join(table(own, lambda o: o.family)))
    if len(tools) > 1:
        print("\n" + "\n".join(table(outcomes, lambda o: o.tool)))
    slow = [o for o in own if o.verify_seconds is not None and o.verify_seconds > 10 * max(o.seconds, 0.01)]
    print(f"\ncertificates that take more than ten times the search to verify: {len(slow)}")
    if options.readme:
        write_readme(outcomes, options.seconds, options.workers)
    if options.json:
        options.json.write_text(json.dumps([asdict(o) | {"wrong": o.wrong} for o in outcomes], indent=1))
    return 1 if any(o.wrong or o.answer == "error" for o in own) else 0


if __name__ == "__main__":
    sys.exit(main())
