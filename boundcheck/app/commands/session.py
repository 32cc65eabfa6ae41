"""What ``check`` is told to decide, and its verdicts as they come in: printed, counted, written, stored."""

from __future__ import annotations

import datetime
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boundcheck.app.commands import check_jobs as jobs
from boundcheck.app.commands.check_progress import Progress
from boundcheck.app.commands.output import bracket, print_json, print_verdict, shortened, wrapped
from boundcheck.author.twins import TwinError
from boundcheck.author.wording import method_text
from boundcheck.kernel.statement import Claim, Statement, Twin
from boundcheck.stored import decisions
from boundcheck.stored.decisions import NO_ANSWER
from boundcheck.stored.premises import given, rests_on
from boundcheck.system.workers import WORKERS, Assignment, Lost
from boundcheck.system.workers import run as run_jobs
from boundcheck.user_files import lookup_with
from boundcheck.verdict import WORLD_FAILS, Status, Verdict

if TYPE_CHECKING:
    from boundcheck.kernel.rate import Rate

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
    find: tuple[str, ...] = ()  #: constants in the rate's claim of which the best values are asked for
    weights: tuple[str, ...] = ()  #: constants of which some values are

    @property
    def of_file(self) -> bool:
        """Whether a user's file asks, not the catalogue."""
        return self.claim is not None or self.own is not None or self.rate is not None


class Session:
    """The verdicts as they come in: printed in the order asked, certificates written, twins gathered."""

    def __init__(
        self,
        asked: Sequence[Question],
        seconds: float,
        as_json: bool = False,
        directory: Path | None = None,
        save: bool = False,
        quiet: bool = False,
        anew: bool = False,
    ):
        self.anew = anew
        self.used: dict[str, dict[str, Any]] = {}  #: certificates and witnesses behind the verdicts, to be stored
        self.asked, self.seconds, self.as_json, self.quiet = asked, seconds, as_json, quiet
        self.directory, self.save_wanted = directory, save
        self.found: dict[int, Verdict] = {}
        self.files: dict[int, str] = {}
        self.written: set[Path] = set()
        self.twins: list[tuple[int, Twin]] = []  #: (question, its twin), one a job after those of the questions
        self.twin_verdicts: dict[int, Verdict] = {}  #: by the place in ``twins``
        self.printed = 0
        self.stored = decisions.load() if any(not q.of_file for q in asked) else {}

    def jobs(self) -> list[Assignment]:
        """One job a question, then one a twin: of a file's statements always, of the catalogue's to be stored."""
        keep = self.directory is not None or self.save_wanted
        found = [self._job(q, keep) for q in self.asked]
        for n, q in enumerate(self.asked):
            statement = self._statement(q)
            if statement is None or not (q.of_file or self.save_wanted):
                continue
            for twin in statement.twins:
                self.twins.append((n, twin))
                found.append(self._remembered(jobs.decide_twin, (statement, twin, q.others, self.seconds), q))
        return found

    def _statement(self, q: Question) -> Statement | None:
        """The statement asked for, None where it is a claim or a rate."""
        from boundcheck.paper import lookup

        return q.own if q.of_file else lookup(q.name)

    def _job(self, q: Question, keep: bool) -> Assignment:
        if q.claim is not None:
            return Assignment(jobs.decide_claim, (q.claim, self.seconds, keep), 3 * self.seconds + GRACE)
        if q.rate is not None:
            return Assignment(
                jobs.decide_rate, (q.rate, q.find, q.weights, self.seconds, keep), 3 * self.seconds + GRACE
            )
        if q.own is not None:
            return self._remembered(jobs.decide_own, (q.own, q.others, self.seconds, keep, keep), q)
        return self._remembered(jobs.decide_label, (q.name, self.seconds, keep, keep), q)

    def _remembered(self, decide: Callable[..., Verdict], args: tuple[Any, ...], q: Question) -> Assignment:
        return Assignment(jobs.remembered, (decide, args, q.of_file, self.anew))

    def decide(self) -> bool:
        """Run all jobs; whether an interrupt ended it early (what is missing is then UNDECIDED)."""
        work = self.jobs()
        progress = self._progress()
        stream = run_jobs(work, WORKERS, progress.tick)
        interrupted = False
        try:
            for index, outcome in stream:
                self._take(index, outcome)
                progress.advance(index)
                self._print_ready(progress)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            stream.close()
            progress.stop()
        for n, q in enumerate(self.asked):
            self.found.setdefault(n, Verdict(q.name, Status.UNDECIDED, reason="interrupted before it was decided"))
        self._print_ready(progress)
        return interrupted

    def _progress(self) -> Progress:
        """The progress over all jobs, their times expected from the stored decisions."""
        times = self.stored.get("provenance", {}).get("seconds", {})
        usual = sum(times.values()) / len(times) if times else 1.0
        names = [q.name for q in self.asked] + [f"twin of {self.asked[n].name}" for n, _ in self.twins]
        weights = [max(times.get(q.name, usual), 0.01) for q in self.asked] + [usual] * len(self.twins)
        terminal = sys.stderr.isatty() and (sys.stdout.isatty() or self.as_json)
        return Progress(names, weights, WORKERS, terminal, self.quiet or self.as_json)

    def _take(self, index: int, outcome: Any) -> None:
        if isinstance(outcome, Lost):
            if isinstance(outcome.__cause__, (RuntimeError, ImportError)):  # routes disagree, or no engine: no verdict
                raise outcome
            name = self.asked[index].name if index < len(self.asked) else "twin"
            why = outcome.__cause__ if isinstance(outcome.__cause__, TwinError) else outcome
            outcome = Verdict(name, Status.UNDECIDED, NO_ANSWER, reason=str(why))
        if isinstance(outcome, tuple):
            outcome, used = outcome
            self.used |= used if self.save_wanted else {}
        if index >= len(self.asked):
            self.twin_verdicts[index - len(self.asked)] = outcome
            return
        self.found[index] = outcome
        if self.directory is not None:
            self._write(index, outcome, self.directory)

    def _write(self, index: int, verdict: Verdict, directory: Path) -> None:
        """The certificate of what holds, and beside it that of what is refuted for every constant."""
        from boundcheck.system.files import write_json

        path = directory / f"{slug(self.asked[index].name)}.json"
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

    def _print_ready(self, progress: Progress) -> None:
        while self.printed in self.found and self._premises_known(self.printed):
            n, self.printed = self.printed, self.printed + 1
            self.found[n] = self._with_premises(n)
            if not self.as_json and (not self.quiet or not self._good(n)):
                progress.clear()
                print_result(self.found[n], len(self.asked) <= 5)

    def _premises_known(self, n: int) -> bool:
        """Whether everything of the file that a statement rests on is decided, so that its verdict can be told."""
        from boundcheck.paper import catalogue

        q = self.asked[n]
        statement = self._statement(q)
        if statement is None:
            return True
        needed = {s.label for s in rests_on(statement, q.others if q.of_file else catalogue().values())}
        return all(m in self.found for name, m in self._beside(q) if name in needed)

    def _beside(self, q: Question) -> list[tuple[str, int]]:
        """(label, number) of the statements asked from where ``q`` is from: its file, or the catalogue."""
        if q.of_file:
            return [(p.name, m) for m, p in enumerate(self.asked) if p.own is not None and p.others is q.others]
        return [(p.name, m) for m, p in enumerate(self.asked) if not p.of_file]

    def _with_premises(self, n: int) -> Verdict:
        q = self.asked[n]
        statement = self._statement(q)
        if statement is None:
            return self.found[n]
        others = {name: self.found[m] for name, m in self._beside(q) if m in self.found}
        return given(self.found[n], statement, others, lookup_with(q.others))

    def _good(self, n: int) -> bool:
        """Whether a verdict needs no word in a short answer: it holds, or it is as recorded."""
        return self.as_recorded(n) or self.found[n].weakest not in (*REFUTING, *OPEN)

    def as_recorded(self, n: int) -> bool:
        """Whether question ``n`` is one of the catalogue that is decided as it is recorded."""
        q = self.asked[n]
        statement = None if q.of_file else self._statement(q)
        record = self.stored.get("decisions", {}).get(q.name)
        return statement is not None and decisions.as_recorded(statement, record, self.found[n])

    def judged(self, strict: bool) -> list[Status]:
        """What the exit status is about: all verdicts, without those of a catalogue that is as recorded throughout."""
        catalogue = [n for n, q in enumerate(self.asked) if not q.of_file]
        settled = not strict and all(map(self.as_recorded, catalogue))
        return [self.found[n].weakest for n, q in enumerate(self.asked) if q.of_file or not settled]

    def verdicts(self) -> list[Verdict]:
        """In the order asked."""
        return [self.found[n] for n in range(len(self.asked))]

    def save(self, elapsed: float) -> None:
        """Store the decisions with the planted falsehoods, and the certificates and witnesses behind them."""
        from boundcheck.paper import catalogue, lookup
        from boundcheck.stored import decisions, found

        stored = {}
        for n, verdict in enumerate(self.verdicts()):
            statement = lookup(verdict.name)
            twins = [t for k, t in self.planted() if self.twins[k][0] == n]
            stored[verdict.name] = decisions.decision(statement, verdict, twins)
        provenance = {
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "elapsed": round(elapsed, 1),
            "seconds_per_claim": self.seconds,
            "versions": decisions.versions(),
            "seconds": {v.name: round(v.seconds, 3) for v in self.verdicts()},
        }
        decisions.save(stored, provenance, catalogue())
        whole = {v.name for v in self.verdicts()} >= catalogue().keys()
        found.ship(self.used if whole else {**found.shipped(), **self.used})

    def planted(self) -> list[tuple[int, decisions.Record]]:
        """(place in ``twins``, what became of the planted falsehood) for all that were tried."""
        return [
            (k, decisions.twin_record(twin.what, twin.change, self.found[n].status, self.twin_verdicts[k]))
            for k, (n, twin) in enumerate(self.twins)
            if k in self.twin_verdicts
        ]

    def close(self, elapsed: float, interrupted: bool) -> None:
        """The last lines: the JSON object; or planted falsehoods of a file, what is not as recorded, the counts."""
        if interrupted:
            print("interrupted: what was not decided by then is UNDECIDED", file=sys.stderr)
        planted = self.planted()
        for k, record in planted:
            if record["caught"] is False:
                name = self.asked[self.twins[k][0]].name
                print(f"warning: the twin of {name} is {record['verdict']}: {record['what']}", file=sys.stderr)
        if self.as_json:
            rows = [as_json(v, self.files.get(n)) for n, v in enumerate(self.verdicts())]
            told = [
                {"name": self.asked[self.twins[k][0]].name, **{w: r[w] for w in ("what", "verdict", "caught")}}
                for k, r in planted
            ]
            print_json({"schema": 1, "results": rows, **({"planted": told} if self.twins else {})})
            return
        self._print_planted(planted)
        self._print_summary(elapsed)

    def _print_planted(self, planted: Sequence[tuple[int, decisions.Record]]) -> None:
        if not self.twins or self.save_wanted:
            return
        words = {True: "caught", False: "NOT CAUGHT", None: "shows nothing"}
        caught = sum(record["caught"] is True for _, record in planted)
        if not self.quiet or caught < len(self.twins):
            print(f"planted falsehoods, which must not be proved: {caught} of {len(self.twins)} caught")
        for k, record in planted:
            if not self.quiet or record["caught"] is not True:
                what = f"{self.asked[self.twins[k][0]].name}, {record['what']}: {words[record['caught']]}"
                why = shortened(record["reason"])
                if record["caught"]:  # then nothing but a world that says less than it was written for is worth a word
                    why = why.partition(";")[0] if why.startswith(WORLD_FAILS) else ""
                print_verdict(record["verdict"], what + (f" ({why})" if why else ""), 2)

    def _print_summary(self, elapsed: float) -> None:
        """What was found; of the catalogue, whether it is what is recorded, and where to read on."""
        own = [n for n, q in enumerate(self.asked) if q.of_file]
        catalogue = [n for n, q in enumerate(self.asked) if not q.of_file]
        odd = [n for n in catalogue if not self.as_recorded(n)]
        for n in odd:
            record = self.stored.get("decisions", {}).get(self.asked[n].name)
            print(wrapped("not as recorded: ", _against(self.found[n], record), 0))
        head = f"{len(self.asked)} decided in {elapsed:.1f} s"
        if not odd and not own:
            print(f"{head}, as recorded: {_counts(self.verdicts())}")
        elif own and catalogue:
            mine, theirs = ([self.found[n] for n in group] for group in (own, catalogue))
            as_recorded = "" if odd else ", as recorded"
            print(f"{head}: of files {_counts(mine)}; of the catalogue{as_recorded} {_counts(theirs)}")
        else:
            print(f"{head}: {_counts(self.verdicts())}" + (f"; {len(odd)} not as recorded" if odd else ""))
        print_reading(self.verdicts(), [self.asked[n].name for n in catalogue])


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


def print_reading(verdicts: Sequence[Verdict], labels: Sequence[str]) -> None:
    """The last line of a check of the catalogue: what was found, and where it is told."""
    repaired = [v.name for v in verdicts if v.status is Status.REPAIRED and v.name in labels]
    if len(labels) < 2:
        return
    found = f"{len(repaired)} are false or not precise as printed, each with a proved repair; " if repaired else ""
    print(f"{found}read on in REPORT.md")


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
        parts.append("witness " + ", ".join(f"{k} = {v}" for k, v in verdict.witness.items()))
    open_steps = [s for s in verdict.steps if s.status is not Status.PROVED] if detail else []
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
    steps = f"{count} step{'s' * (count > 1)}"
    return "+".join([steps, *others]) if first == "steps" else f"{verdict.method}  {steps}".lstrip()


def as_json(verdict: Verdict, file: str | None) -> dict[str, Any]:
    """A verdict as the record that ``--json`` prints."""
    from boundcheck.stored import decisions

    return {
        "name": verdict.name,
        "verdict": verdict.word,
        "as_used": None if verdict.as_used is None else verdict.as_used.word,
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
