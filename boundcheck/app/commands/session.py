"""What ``check`` is told to decide, and its verdicts as they come in: printed, counted, written, stored."""

from __future__ import annotations

import datetime
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boundcheck.app.commands import check_jobs as jobs
from boundcheck.app.commands.output import (
    bracket,
    columns,
    counted,
    finite,
    print_json,
    print_verdict,
    shortened,
    wrapped,
)
from boundcheck.author.twins import TwinError
from boundcheck.author.wording import method_text
from boundcheck.kernel.statement import Claim, Statement, Twin
from boundcheck.paper import catalogue
from boundcheck.stored import decisions
from boundcheck.stored.decisions import NO_ANSWER
from boundcheck.stored.premises import given, rests_on
from boundcheck.system.files import write_json
from boundcheck.system.progress import Progress, time_left
from boundcheck.system.workers import WORKERS, Assignment, Lost
from boundcheck.system.workers import run as run_jobs
from boundcheck.user_files import lookup_with
from boundcheck.verdict import WORLD_FAILS, Status, Verdict, witness_text

if TYPE_CHECKING:
    from boundcheck.rates import Entry

GRACE = 10.0  #: seconds that a claim may overrun three times its budget before its process is ended
REFUTING = (Status.REFUTED, Status.REPAIRED)
OPEN = (Status.UNDECIDED,)
WAITING = Verdict("", Status.UNDECIDED)  #: stands for a verdict that is still to come


@dataclass(eq=False)
class Question:
    """One thing to decide, a statement, a claim or a rate, and what became of it."""

    name: str
    statement: Statement | None = None
    others: tuple[Statement, ...] | None = None  #: what a file's statement may cite; None for one of the catalogue
    claim: Claim | None = None
    rate: Entry | None = None
    verdict: Verdict = WAITING
    certificate: str | None = None  #: the file to which it was written

    @property
    def decided(self) -> bool:
        """Whether there is a verdict."""
        return self.verdict is not WAITING

    @property
    def of_file(self) -> bool:
        """Whether a user's file asks, not the catalogue."""
        return self.statement is None or self.others is not None


@dataclass(eq=False)
class Planted:
    """A planted falsehood of a statement that is asked for, and what became of it."""

    question: Question
    twin: Twin
    verdict: Verdict | None = None

    @property
    def record(self) -> decisions.Record:
        """As it is stored and printed."""
        assert self.verdict is not None
        return decisions.twin_record(self.twin.what, self.twin.change, self.question.verdict.status, self.verdict)


class Decided(Progress):
    """How far a check is: what is decided, what is being decided, and the time left.

    ``names`` and ``weights`` (expected times, in any unit) are those of the jobs, of which ``workers`` run at once in
    their order.
    """

    def __init__(self, names: Sequence[str], weights: Sequence[float], workers: int, terminal: bool, quiet: bool):
        super().__init__(len(names), terminal, quiet or len(names) < 2)
        self.names, self.weights, self.workers = names, weights, workers
        self.ended = [False] * len(names)

    def done(self) -> int:
        return sum(self.ended)

    def line(self, elapsed: float) -> str:
        waiting = [k for k, ended in enumerate(self.ended) if not ended]
        rest = sum(self.weights[k] for k in waiting)
        left = time_left(sum(self.weights) - rest if self.done() else 0.0, rest, elapsed)
        now = ", ".join(dict.fromkeys(self.names[k] for k in waiting[: self.workers]))
        parts = (f"{self.done()} of {len(self.names)} decided", left, now and f"now {now}")
        return shortened("  ".join(filter(None, parts)), columns())

    def advance(self, index: int) -> None:
        """The job ``index`` is done."""
        self.ended[index] = True
        self.tick()


@dataclass
class Session:
    """The verdicts as they come in: printed in the order asked, certificates written, twins gathered."""

    asked: Sequence[Question]
    seconds: float
    as_json: bool = False
    directory: Path | None = None
    save_wanted: bool = False
    quiet: bool = False
    anew: bool = False
    #: certificates and witnesses behind the verdicts, to be stored
    used: dict[str, dict[str, Any]] = field(default_factory=dict)
    written: set[Path] = field(default_factory=set)
    planted: list[Planted] = field(default_factory=list)
    printed: int = 0

    def __post_init__(self) -> None:
        self.stored = decisions.load() if any(not q.of_file for q in self.asked) else {}

    def work(self) -> list[tuple[Question | Planted, Assignment]]:
        """One job a question, then one a twin: of a file's statements always, of the catalogue's to be stored."""
        self.planted = [
            Planted(q, twin)
            for q in self.asked
            if q.statement is not None and (q.of_file or self.save_wanted)
            for twin in q.statement.twins
        ]
        return [
            *((q, self._job(q)) for q in self.asked),
            *((p, self._remembered(jobs.decide_twin, p.question, p.twin)) for p in self.planted),
        ]

    def _job(self, q: Question) -> Assignment:
        keep, limit = self.directory is not None or self.save_wanted, 3 * self.seconds + GRACE
        if q.claim is not None:
            return Assignment(jobs.decide_claim, (q.claim, self.seconds, keep), limit)
        if q.rate is not None:
            return Assignment(jobs.decide_rate, (q.rate, self.seconds, keep), limit)
        return self._remembered(jobs.decide_own, q, keep, keep)

    def _remembered(self, decide: Callable[..., Verdict], q: Question, *how: Any) -> Assignment:
        args = (q.statement, q.others or (), self.seconds, *how)
        return Assignment(jobs.remembered, (decide, args, q.of_file, self.anew))

    def decide(self) -> bool:
        """Run all jobs; whether an interrupt ended it early (what is missing is then UNDECIDED)."""
        work = self.work()
        progress = self._progress()
        stream = run_jobs([job for _, job in work], WORKERS, progress.tick)
        interrupted = False
        try:
            for index, outcome in stream:
                self._take(work[index][0], outcome)
                progress.advance(index)
                self._print_ready(progress)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            stream.close()
            progress.stop()
        for q in self.asked:
            if not q.decided:
                q.verdict = Verdict(q.name, Status.UNDECIDED, reason="interrupted before it was decided")
        self._print_ready(progress)
        return interrupted

    def _progress(self) -> Decided:
        """The progress over all jobs, their times expected from the stored decisions."""
        times = self.stored.get("provenance", {}).get("seconds", {})
        usual = sum(times.values()) / len(times) if times else 1.0
        names = [q.name for q in self.asked] + [f"twin of {p.question.name}" for p in self.planted]
        weights = [max(times.get(q.name, usual), 0.01) for q in self.asked] + [usual] * len(self.planted)
        terminal = sys.stderr.isatty() and (sys.stdout.isatty() or self.as_json)
        return Decided(names, weights, WORKERS, terminal, self.quiet or self.as_json)

    def _take(self, asked: Question | Planted, outcome: Any) -> None:
        if isinstance(outcome, Lost):
            if isinstance(outcome.__cause__, (RuntimeError, ImportError)):  # routes disagree, or no engine: no verdict
                raise outcome
            name = asked.name if isinstance(asked, Question) else "twin"
            why = outcome.__cause__ if isinstance(outcome.__cause__, TwinError) else outcome
            outcome = Verdict(name, Status.UNDECIDED, NO_ANSWER, reason=str(why))
        if isinstance(outcome, tuple):
            outcome, used = outcome
            self.used |= used if self.save_wanted else {}
        asked.verdict = outcome
        if isinstance(asked, Question) and self.directory is not None:
            self._write(asked, self.directory)

    def _write(self, q: Question, directory: Path) -> None:
        """The certificate of what holds, and beside it that of what is refuted for every constant."""
        path = directory / f"{slug(q.name)}.json"
        if path in self.written:
            path = path.with_name(f"{path.stem}-{self.asked.index(q) + 1}.json")
        self.written.add(path)
        beside = path.with_name(f"{path.stem}.refuted.json")
        for place, certificate in ((beside, _refutation(q.verdict)), (path, _proof(q.verdict))):
            if certificate is not None:
                write_json(place, certificate)
                q.certificate = str(place)

    def _print_ready(self, progress: Decided) -> None:
        """Print what is decided, in order, as far as everything that it rests on is decided too."""
        while self.printed < len(self.asked) and self._tell_premises(q := self.asked[self.printed]):
            self.printed += 1
            if not self.as_json and (not self.quiet or not self._good(q)):
                progress.clear()
                print_result(q.verdict, len(self.asked) <= 5)

    def _tell_premises(self, q: Question) -> bool:
        """Put its weak premises into a verdict; False while it or one of them, asked with it, is not decided."""
        if q.statement is None or not q.decided:
            return q.decided
        beside = {p.name: p for p in self.asked if p.statement is not None and p.others is q.others}
        needed = rests_on(q.statement, catalogue().values() if q.others is None else q.others)
        if not all(beside[s.label].decided for s in needed if s.label in beside):
            return False
        known = {name: p.verdict for name, p in beside.items() if p.decided}
        q.verdict = given(q.verdict, q.statement, known, lookup_with(q.others or ()))
        return True

    def _good(self, q: Question) -> bool:
        """Whether a verdict needs no word in a short answer: it holds, or it is as recorded."""
        return self.as_recorded(q) or q.verdict.weakest not in (*REFUTING, *OPEN)

    def _record(self, q: Question) -> decisions.Record | None:
        """What is stored of a question of the catalogue."""
        found: decisions.Record | None = self.stored.get("decisions", {}).get(q.name)
        return found

    def as_recorded(self, q: Question) -> bool:
        """Whether it is a question of the catalogue that is decided as it is recorded."""
        if q.of_file or q.statement is None:
            return False
        return decisions.as_recorded(q.statement, self._record(q), q.verdict)

    def judged(self, strict: bool) -> list[Status]:
        """What the exit status is about: all verdicts, without those of a catalogue that is as recorded throughout.

        A planted falsehood of a file that is proved counts as something refuted: its author says that it is false.
        """
        settled = not strict and all(self.as_recorded(q) for q in self.asked if not q.of_file)
        missed = [
            p for p in self.planted if p.question.of_file and p.verdict is not None and p.record["caught"] is False
        ]
        return [q.verdict.weakest for q in self.asked if q.of_file or not settled] + [Status.REFUTED for _ in missed]

    def save(self, elapsed: float) -> None:
        """Store the decisions with the planted falsehoods, and the certificates and witnesses behind them."""
        from boundcheck.stored import found

        stored = {}
        for q in self.asked:
            assert q.statement is not None
            twins = [p.record for p in self.planted if p.question is q]
            stored[q.name] = decisions.decision(q.statement, q.verdict, twins)
        provenance = {
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "elapsed": round(elapsed, 1),
            "seconds_per_claim": self.seconds,
            "versions": decisions.versions(),
            "seconds": {q.name: round(q.verdict.seconds, 3) for q in self.asked},
        }
        decisions.save(stored, provenance, catalogue())
        whole = stored.keys() >= catalogue().keys()
        found.ship(self.used if whole else {**found.shipped(), **self.used})

    def close(self, elapsed: float, interrupted: bool) -> None:
        """The last lines: the JSON object; or planted falsehoods of a file, what is not as recorded, the counts."""
        if interrupted:
            print("interrupted: what was not decided by then is UNDECIDED", file=sys.stderr)
        planted = [(p.question.name, p.record) for p in self.planted if p.verdict is not None]
        for name, record in planted:
            if record["caught"] is False:
                print(f"warning: the twin of {name} is {record['verdict']}: {record['what']}", file=sys.stderr)
        if self.as_json:
            rows = [as_json(q.verdict, q.certificate) for q in self.asked]
            told = [{"name": name, **{w: r[w] for w in ("what", "verdict", "caught")}} for name, r in planted]
            print_json({"schema": 1, "results": rows, **({"planted": told} if self.planted else {})})
            return
        if self.planted and not self.save_wanted:
            self._print_planted(planted)
        self._print_summary(elapsed)

    def _print_planted(self, planted: Sequence[tuple[str, decisions.Record]]) -> None:
        words = {True: "caught", False: "NOT CAUGHT", None: "shows nothing"}
        caught = sum(record["caught"] is True for _, record in planted)
        if not self.quiet or caught < len(self.planted):
            print(f"planted falsehoods, which must not be proved: {caught} of {len(self.planted)} caught")
        for name, record in planted:
            if not self.quiet or record["caught"] is not True:
                why = shortened(record["reason"])
                if record["caught"]:  # then nothing but a world that says less than it was written for is worth a word
                    why = why.partition(";")[0] if why.startswith(WORLD_FAILS) else ""
                what = f"{name}, {record['what']}: {words[record['caught']]}"
                print_verdict(record["verdict"], what + (f" ({why})" if why else ""), 2)

    def _print_summary(self, elapsed: float) -> None:
        """What was found; of the catalogue, whether it is what is recorded, and where to read on."""
        mine = [q.verdict for q in self.asked if q.of_file]
        catalogue = [q for q in self.asked if not q.of_file]
        theirs = [q.verdict for q in catalogue]
        odd = [q for q in catalogue if not self.as_recorded(q)]
        for q in odd:
            print(wrapped("not as recorded: ", _against(q.verdict, self._record(q)), 0))
        head = f"{len(self.asked)} decided in {elapsed:.1f} s"
        as_recorded = "" if odd else ", as recorded"
        if mine and theirs:
            print(f"{head}: of files {_counts(mine)}; of the catalogue{as_recorded} {_counts(theirs)}")
        elif mine:
            print(f"{head}: {_counts(mine)}")
        else:
            print(f"{head}{as_recorded}: {_counts(theirs)}" + (f"; {len(odd)} not as recorded" if odd else ""))
        if len(theirs) > 1:
            repaired = sum(v.status is Status.REPAIRED for v in theirs)
            told = f"{repaired} are false or not precise as printed, each with a proved repair; " if repaired else ""
            print(f"{told}read on in REPORT.md")


def _counts(verdicts: Sequence[Verdict]) -> str:
    counts = Counter(f"{v.status} given what does not hold or is open" if v.given else str(v.status) for v in verdicts)
    return ", ".join(f"{n} {word}" for word, n in counts.most_common())


def _against(verdict: Verdict, record: decisions.Record | None) -> str:
    """A verdict beside the one that is stored."""
    used = "" if verdict.as_used is None else f", as used {verdict.as_used.status}"
    if record is None:
        return f"{verdict.name} is {verdict.status}{used}; nothing is recorded of it"
    old = "" if record["as_used"] is None else f", as used {record['as_used']['verdict']}"
    if (str(verdict.status), used) == (record["verdict"], old):
        return f"{verdict.name} is {verdict.status}{used}; recorded of an earlier form of it"
    return f"{verdict.name} is {verdict.status}{used}; recorded {record['verdict']}{old}"


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


def slug(name: str) -> str:
    """A file's name without its ending, from any name."""
    return re.sub(r"[^A-Za-z0-9.-]+", "_", name).strip("._")[:100] or "claim"


def print_result(verdict: Verdict, detail: bool) -> None:
    """One verdict in a line or more; ``detail``: with its whole reason and each step that is open."""
    parts = [verdict.name, _method(verdict)]
    slack = bracket(verdict.slack)
    parts += [f"slack {slack}" if slack else "", f"{verdict.seconds:.2f} s"]
    if verdict.witness:
        parts.append(f"witness {witness_text(verdict.witness)}")
    open_steps = [s for s in verdict.steps if s.status is not Status.PROVED] if detail else []
    if not any(verdict.reason.startswith(s.name) for s in open_steps):
        open_steps = []  # what was found has nothing to do with them
    reason = verdict.reason if detail else shortened(verdict.reason)
    parts.append(reason.partition(": ")[0] if open_steps else reason)  # the steps below tell the rest
    print_verdict(verdict.word, "  ".join(p for p in parts if p))
    if verdict.as_used is not None:
        reason = verdict.as_used.reason if detail else shortened(verdict.as_used.reason)
        print_verdict(verdict.as_used.word, f"as used  {reason}", 12)
    for step in open_steps:  # each with its whole reason
        tried = f"(by {method_text(step.method)})" if step.method and step.status is Status.UNDECIDED else ""
        print_verdict(str(step.status), "  ".join(t for t in (step.name, step.reason, tried) if t), 4)


def _method(verdict: Verdict) -> str:
    """How it was decided, with the number of steps."""
    count = len(verdict.steps)
    if not count:
        return verdict.method
    first, *others = verdict.method.split("+")
    steps = counted(count, "step")
    return "+".join([steps, *others]) if first == "steps" else f"{verdict.method}  {steps}".lstrip()


def as_json(verdict: Verdict, file: str | None) -> dict[str, Any]:
    """A verdict as the record that ``--json`` prints."""
    return {
        "name": verdict.name,
        "verdict": verdict.word,
        "as_used": None if verdict.as_used is None else verdict.as_used.word,
        "method": verdict.method,
        "slack": None if verdict.slack is None else [finite(end) for end in verdict.slack],
        "witness": None if verdict.witness is None else dict(verdict.witness),
        "reason": verdict.reason,
        "seconds": round(verdict.seconds, 4),
        "certificate": file,
        "rests_on": decisions.premises(decisions.record(verdict)),
        "steps": [as_json(s, None) for s in verdict.steps],
    }
