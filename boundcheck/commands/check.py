"""``check``: decide statements of the paper, or the claims or statements of a file, in two worker processes."""

from __future__ import annotations

import argparse
import datetime
import math
import re
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boundcheck.commands import jobs
from boundcheck.commands.output import Unusable, bracket, command, print_json, print_verdict, shortened
from boundcheck.decisions import NO_ANSWER, PATH
from boundcheck.files import require_writable
from boundcheck.kernel.rate import Rate
from boundcheck.kernel.statement import Claim, Statement, Status, Verdict
from boundcheck.own import is_own
from boundcheck.workers import WORKERS, Job, Lost
from boundcheck.workers import run as run_jobs

PATIENCE = 2.0  #: seconds before a progress bar is worth showing
GRACE = 10.0  #: seconds that a claim may overrun three times its budget before its process is ended
REFUTING = (Status.REFUTED, Status.REPAIRED)
OPEN = (Status.UNDECIDED,)


@dataclass(frozen=True)
class Question:
    """One thing to decide: a statement of the catalogue by its label, or a claim, a rate or a statement of a file."""

    name: str
    claim: Claim | None = None
    own: Statement | None = None
    others: tuple[Statement, ...] = ()  #: what the file's statement may cite beside the catalogue
    rate: Rate | None = None
    find: str = ""  #: the constant in the rate's claim that is asked for

    @property
    def of_file(self) -> bool:
        """Whether a user's file asks, not the catalogue."""
        return self.claim is not None or self.own is not None or self.rate is not None


def add(commands: Any) -> None:
    """Register the command."""
    parser = command(commands, "check", "decide statements (default: all) or those of a file")
    parser.add_argument("target", metavar="LABEL | FILE.toml[:LABEL] | FILE.py[:LABEL]", nargs="*")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--seconds", type=_seconds, default=10.0, help="processor time for each claim (default 10)")
    parser.add_argument("--certificates", metavar="DIR", help="write a certificate of everything proved")
    parser.add_argument("--save", action="store_true", help="store the decisions, twins included, for list and report")


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number of seconds")
    return value


def run(options: argparse.Namespace) -> int:
    """Decide; 0 all hold, 1 something is REFUTED or REPAIRED, 3 something UNDECIDED, 2 unusable, 130 interrupted."""
    asked = questions(options.target)
    if options.save and any(q.of_file for q in asked):
        raise Unusable("--save stores decisions on the paper's statements; leave it out for a file of your own")
    if options.save:
        require_writable(PATH)
    directory = None if options.certificates is None else _directory(options.certificates)
    start = time.monotonic()
    session = _Session(asked, options.seconds, options.json, directory, options.save)
    interrupted = session.decide()
    elapsed = time.monotonic() - start
    session.close(elapsed, interrupted)
    if options.save and not interrupted:  # last: what cannot be stored has been printed
        session.save(elapsed)
    return 130 if interrupted else status_of([v.status for v in session.verdicts()])


def status_of(found: Sequence[Status]) -> int:
    """The exit status: 1 if anything is refuted, else 3 if anything is open, else 0."""
    if any(s in REFUTING for s in found):
        return 1
    return 3 if any(s in OPEN for s in found) else 0


def questions(targets: Sequence[str]) -> list[Question]:
    """What the words of the command line ask. Raises :class:`Unusable` with the faults of all of them."""
    from boundcheck.paper import UnknownLabel, catalogue, lookup

    if not targets:
        return [Question(label) for label in catalogue()]
    found: list[Question] = []
    faults: list[str] = []
    for target in dict.fromkeys(targets):
        if target.endswith(".toml"):
            try:
                found += _claims(target)
                found += _statements(target) if _has_statements(target) else []
            except Unusable as fault:
                faults += fault.lines
        elif is_own(target):
            try:
                found += _statements(target)
            except Unusable as fault:
                faults += fault.lines
        elif "/" in target:
            faults.append(f"{target}: a label, or a file whose name ends in .toml or .py, is wanted")
        else:
            try:
                found.append(Question(lookup(target).label))
            except UnknownLabel as fault:
                faults.append(str(fault))
    if faults:
        raise Unusable(faults)
    order = {label: n for n, label in enumerate(catalogue())}
    labels = sorted((q for q in found if not q.of_file), key=lambda q: order[q.name])
    return labels + [q for q in found if q.of_file]


def _claims(path: str) -> list[Question]:
    from boundcheck.claims import ClaimFileError, load_document, read_claims
    from boundcheck.rates import read_rates

    try:
        tables = load_document(Path(path), path)
        rates = read_rates(path, _warn) if "rate" in tables else []
        claims = read_claims(path, _warn if not rates else None, _note) if "claim" in tables or not rates else []
        return [Question(c.name, c) for c in claims] + [Question(e.rate.name, rate=e.rate, find=e.find) for e in rates]
    except ClaimFileError as fault:
        raise Unusable(str(fault).splitlines()) from None


def _has_statements(path: str) -> bool:
    """Whether a TOML file that could be read has [[statement]] tables."""
    from boundcheck.claims import load_document

    return "statement" in load_document(Path(path), path)


def _statements(target: str) -> list[Question]:
    from boundcheck.commands.output import own_statements

    file, chosen = own_statements(target)
    others = tuple(file.statements.values())
    for statement in chosen:
        _warn_of_weak(statement)
    return [Question(s.label, own=s, others=others) for s in chosen]


def _warn_of_weak(statement: Statement) -> None:
    """Say where a statement cites a form of the catalogue that does not hold, or is not decided."""
    from boundcheck import decisions
    from boundcheck.kernel.statement import Cite

    stored = decisions.load().get("decisions", {})
    cited = [s.by for s in decisions.every_step(statement) if isinstance(s.by, Cite)]
    for by in dict.fromkeys((c.label, c.as_used) for c in cited):
        label, as_used = by
        word = stored.get(label, {}).get("verdict", "")
        if word in (*REFUTING, *OPEN) and not (as_used and word == Status.REPAIRED):
            mend = "; as_used=True cites the form that holds" if word == Status.REPAIRED else ""
            _warn(f"{statement.label} cites {label} as printed, which is {word}{mend}")


def _note(line: str) -> None:
    print(f"note: {line}", file=sys.stderr)


def _warn(line: str) -> None:
    print(f"warning: {line}", file=sys.stderr)


def _directory(name: str) -> Path:
    path = Path(name)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise Unusable(f"{name}: no directory for certificates ({fault.strerror})") from None
    return path


class _Session:
    """The verdicts as they come in: printed in the order asked, certificates written, twins gathered."""

    def __init__(self, asked: list[Question], seconds: float, as_json: bool, directory: Path | None, save: bool):
        self.asked, self.seconds, self.as_json = asked, seconds, as_json
        self.directory, self.save_wanted = directory, save
        self.found: dict[int, Verdict] = {}
        self.files: dict[int, str] = {}
        self.written: set[Path] = set()
        self.twins: list[tuple[int, int]] = []  #: (question, number of its twin)
        self.twin_verdicts: dict[tuple[int, int], Verdict] = {}
        self.printed = 0

    def jobs(self) -> list[Job]:
        """One job a question, then one a twin; those with many steps are begun first (see ``order``)."""
        keep = self.directory is not None or self.save_wanted
        found = [self._job(q, keep) for q in self.asked]
        if self.save_wanted:
            from boundcheck.paper import lookup

            for n, q in enumerate(self.asked):
                for k, twin in enumerate(lookup(q.name).twins):
                    self.twins.append((n, k))
                    found.append(Job(jobs.decide_twin, (q.name, twin, self.seconds)))
        return found

    def _job(self, q: Question, keep: bool) -> Job:
        if q.claim is not None:
            return Job(jobs.decide_claim, (q.claim, self.seconds, keep), 3 * self.seconds + GRACE)
        if q.rate is not None:
            return Job(jobs.decide_rate, (q.rate, q.find, self.seconds, keep), 3 * self.seconds + GRACE)
        if q.own is not None:
            return Job(jobs.decide_own, (q.own, q.others, self.seconds, keep, keep))
        return Job(jobs.decide_label, (q.name, self.seconds, keep, keep))

    def decide(self) -> bool:
        """Run all jobs; whether an interrupt ended it early (what is missing is then UNDECIDED)."""
        work = self.jobs()
        bar = _Bar(len(work), self.as_json)
        stream = run_jobs(work, WORKERS, bar.tick)
        interrupted = False
        try:
            for index, outcome in stream:
                self._take(index, outcome)
                bar.advance()
                self._print_ready(bar)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            stream.close()
            bar.stop()
        for n, q in enumerate(self.asked):
            self.found.setdefault(n, Verdict(q.name, Status.UNDECIDED, reason="interrupted before it was decided"))
        self._print_ready(bar)
        return interrupted

    def _take(self, index: int, outcome: Any) -> None:
        if isinstance(outcome, Lost):
            if isinstance(outcome.__cause__, (RuntimeError, ImportError)):  # routes disagree, or no engine: no verdict
                raise outcome
            name = self.asked[index].name if index < len(self.asked) else "twin"
            outcome = Verdict(name, Status.UNDECIDED, NO_ANSWER, reason=str(outcome))
        if index >= len(self.asked):
            self.twin_verdicts[self.twins[index - len(self.asked)]] = outcome
            return
        self.found[index] = outcome
        if self.directory is not None:
            self._write(index, outcome, self.directory)

    def _write(self, index: int, verdict: Verdict, directory: Path) -> None:
        """The certificate of what holds, and beside it that of what is refuted for every constant."""
        from boundcheck.files import write_json

        path = directory / f"{_slug(self.asked[index].name)}.json"
        if path in self.written:
            path = path.with_name(f"{path.stem}-{index + 1}.json")
        self.written.add(path)
        proof, refutation = _proof(verdict), _refutation(verdict)
        if refutation is not None:
            beside = path.with_name(f"{path.stem}.refuted.json")
            write_json(beside, refutation)
            self.files[index] = str(beside)
        if proof is not None:
            write_json(path, proof)
            self.files[index] = str(path)

    def _print_ready(self, bar: _Bar) -> None:
        if self.as_json:
            return
        while self.printed in self.found:
            bar.clear()
            _print(self.found[self.printed], len(self.asked) <= 5)
            self.printed += 1

    def verdicts(self) -> list[Verdict]:
        """In the order asked."""
        return [self.found[n] for n in range(len(self.asked))]

    def save(self, elapsed: float) -> None:
        """Store the decisions with the planted falsehoods."""
        from boundcheck import decisions
        from boundcheck.paper import catalogue, lookup

        stored = {}
        for n, verdict in enumerate(self.verdicts()):
            statement = lookup(verdict.name)
            twins = [
                decisions.twin_record(twin.what, twin.change, verdict.status, self.twin_verdicts[n, k])
                for k, twin in enumerate(statement.twins)
            ]
            stored[verdict.name] = decisions.decision(statement, verdict, twins)
        provenance = {
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "elapsed": round(elapsed, 1),
            "seconds_per_claim": self.seconds,
            "versions": decisions.versions(),
            "seconds": {v.name: round(v.seconds, 3) for v in self.verdicts()},
        }
        decisions.save(stored, provenance, catalogue())

    def close(self, elapsed: float, interrupted: bool) -> None:
        """The last lines: the JSON object, or the counts."""
        if self.as_json:
            rows = [as_json(v, self.files.get(n)) for n, v in enumerate(self.verdicts())]
            print_json({"schema": 1, "results": rows})
        else:
            counts = Counter(str(v.status) for v in self.verdicts())
            print(f"{len(self.asked)} decided in {elapsed:.1f} s: " + ", ".join(f"{n} {w}" for w, n in counts.items()))
        for (n, k), verdict in self.twin_verdicts.items():
            if verdict.status is Status.PROVED:
                from boundcheck.paper import lookup

                what = lookup(self.asked[n].name).twins[k].what
                print(f"warning: the twin of {self.asked[n].name} is PROVED: {what}", file=sys.stderr)
        if interrupted:
            print("interrupted: what was not decided by then is UNDECIDED", file=sys.stderr)


def _proof(verdict: Verdict) -> Mapping[str, Any] | None:
    """The certificate of what holds: of the statement, or of the form that is used where it is repaired."""
    if verdict.status is Status.PROVED:
        return verdict.certificate
    if verdict.status is Status.REPAIRED and verdict.as_used is not None:
        return verdict.as_used.certificate
    return None


def _refutation(verdict: Verdict) -> Mapping[str, Any] | None:
    """The certificate that no constant serves, where there is one."""
    found = verdict.certificate if verdict.status in REFUTING else None
    return found if found is not None and found.get("kind") == "skolem" else None


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9.-]+", "_", name).strip("._")[:100] or "claim"


def _print(verdict: Verdict, detail: bool) -> None:
    parts = [verdict.name, _method(verdict)]
    slack = bracket(verdict.slack)
    parts += [f"slack {slack}" if slack else "", f"{verdict.seconds:.2f} s"]
    if verdict.witness:
        parts.append("witness " + ", ".join(f"{k} = {v}" for k, v in verdict.witness.items()))
    open_steps = [s for s in verdict.steps if s.status is not Status.PROVED] if detail else []
    parts.append(verdict.reason if detail and not open_steps else shortened(verdict.reason))
    print_verdict(str(verdict.status), "  ".join(p for p in parts if p))
    if verdict.as_used is not None:
        reason = verdict.as_used.reason if detail else shortened(verdict.as_used.reason)
        print_verdict(str(verdict.as_used.status), f"as used  {reason}", 12)
    for step in open_steps:  # each with its whole reason
        print_verdict(str(step.status), "  ".join(t for t in (step.name, step.method, step.reason) if t), 4)


def _method(verdict: Verdict) -> str:
    """How it was decided, with the number of steps."""
    count = len(verdict.steps)
    if not count:
        return verdict.method
    first, *others = verdict.method.split("+")
    steps = f"{count} step{'s' * (count > 1)}"
    return "+".join([steps, *others]) if first == "steps" else f"{verdict.method}  {steps}".lstrip()


def as_json(verdict: Verdict, file: str | None) -> dict[str, Any]:
    """A verdict as the record that ``--json`` prints."""
    from boundcheck import decisions

    return {
        "name": verdict.name,
        "verdict": str(verdict.status),
        "as_used": None if verdict.as_used is None else str(verdict.as_used.status),
        "method": verdict.method,
        "slack": None if verdict.slack is None else [_finite(end) for end in verdict.slack],
        "witness": None if verdict.witness is None else dict(verdict.witness),
        "reason": verdict.reason,
        "seconds": round(verdict.seconds, 4),
        "certificate": file,
        "rests_on": decisions.premises(decisions.record(verdict)),
        "steps": [as_json(s, None) for s in verdict.steps],
    }


def _finite(end: float | None) -> float | None:
    return end if end is not None and math.isfinite(end) else None


class _Bar:
    """A progress bar on the terminal, from PATIENCE on, refreshed by hand: no thread is alive when processes start."""

    def __init__(self, total: int, as_json: bool):
        self.total, self.done, self.start = total, 0, time.monotonic()
        self.shown = sys.stderr.isatty() and (sys.stdout.isatty() or as_json)
        self.bar: Any = None

    def tick(self) -> None:
        """Draw it anew, if it is time."""
        if not self.shown or time.monotonic() - self.start < PATIENCE:
            return
        if self.bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            columns = (TextColumn("deciding"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            self.bar = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
            self.task = self.bar.add_task("deciding", total=self.total)
            self.bar.start()
        self.bar.update(self.task, completed=self.done)
        self.bar.refresh()

    def advance(self) -> None:
        """One more job is done."""
        self.done += 1
        self.tick()

    def clear(self) -> None:
        """Take the bar off the screen before a line is printed; the next tick draws it again."""
        if self.bar is not None:
            self.bar.stop()
            self.bar = None

    def stop(self) -> None:
        """Take the bar off the screen for good."""
        self.clear()
        self.shown = False
