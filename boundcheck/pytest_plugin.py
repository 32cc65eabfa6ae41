"""``pytest --boundcheck FILE.toml FILE.py``: each claim, rate, step, planted falsehood and check as a test of its own.

Registered through the entry point pytest11. Without ``--boundcheck`` it does nothing, and imports nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

try:
    import pytest
except ModuleNotFoundError as error:
    if error.name != "pytest":
        raise
    raise ModuleNotFoundError('the plugin needs pytest: pip install "boundcheck[test]"', name="pytest") from None

if TYPE_CHECKING:
    from boundcheck.kernel.formula import Relation
    from boundcheck.kernel.statement import Claim, Statement, Twin
    from boundcheck.rates import Entry
    from boundcheck.user_files import OwnFile
    from boundcheck.verdict import Verdict

DIGITS = 10  #: of both sides at a witness
CHEAP = 1 << 18  #: trials of a check that a test may draw
HOLDS = ("PROVED", "CITED", "ASSUMED", "CONSISTENT")
OPEN = ("UNDECIDED", "UNDERPOWERED")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the plugin."""
    group = parser.getgroup("boundcheck")
    group.addoption(
        "--boundcheck",
        action="store_true",
        help="decide the claims, rates and statements of the files named (.toml, .py)",
    )
    group.addoption(
        "--boundcheck-undecided",
        choices=("fail", "xfail"),
        default="fail",
        help="what UNDECIDED and UNDERPOWERED are: failures (default) or expected failures; never passes",
    )
    group.addoption(
        "--boundcheck-seconds",
        type=_seconds,
        default=10.0,
        help="processor time for each claim in seconds (default 10)",
    )


def _seconds(text: str) -> float:
    """The value of an option that is a time; where none is given nothing is imported for it."""
    from boundcheck.system.arguments import seconds

    return seconds(text)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the files named on the command line."""
    if not parent.config.getoption("--boundcheck") or not parent.session.isinitpath(file_path):
        return None
    if file_path.suffix == ".toml":
        return ClaimsFile.from_parent(parent, path=file_path)
    if file_path.suffix == ".py":
        return LemmaFile.from_parent(parent, path=file_path)
    return None


class NotHeld(Exception):
    """What is asserted does not hold, or is not decided; the message is what the user reads."""


class _Item(pytest.Item):
    """One question ``about`` something. ``answer`` gives a verdict's word and the lines to show where it is none."""

    def __init__(self, *, about: Any, **rest: Any):
        super().__init__(**rest)
        self.about = about

    def answer(self) -> tuple[str, list[str]]:
        raise NotImplementedError

    def runtest(self) -> None:
        word, lines = self.answer()
        if word in HOLDS:
            return
        told = "\n".join(lines)
        if word in OPEN and self.config.getoption("--boundcheck-undecided") == "xfail":
            pytest.xfail(told)
        raise NotHeld(told)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, NotHeld):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.nodeid.replace("::", " ")

    @property
    def seconds(self) -> float:
        return float(self.config.getoption("--boundcheck-seconds"))


# ---------------------------------------------------------------- claims


class ClaimsFile(pytest.File):
    """A TOML file of claims, rates and statements."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """A test for each claim and each rate of the TOML file, a node for each of its statements."""
        from boundcheck.claims import ClaimFileError
        from boundcheck.rates import read_claims_and_rates

        def warn(line: str) -> None:
            self.warn(pytest.PytestCollectionWarning(line))

        try:
            claims, rates = read_claims_and_rates(self.path, warn)
        except ClaimFileError as fault:
            raise self.CollectError(str(fault)) from None
        for claim in claims:
            yield ClaimItem.from_parent(self, name=claim.name, about=claim)
        for entry in rates:
            yield RateItem.from_parent(self, name=entry.rate.name, about=entry)
        yield from self.statements()

    def statements(self) -> Iterable[pytest.Collector]:
        """A node for each [[statement]] of the file."""
        from boundcheck.claims import load_document
        from boundcheck.user_files import OwnFault, load

        if "statement" not in load_document(self.path, str(self.path)):
            return
        try:
            file = load(str(self.path))
        except OwnFault as fault:
            raise self.CollectError("\n".join(fault.lines)) from None
        if not any("no reason found" in line for line in file.remarks):  # else an item fails, and says all of them
            for line in file.remarks:
                self.warn(pytest.PytestCollectionWarning(line))
        yield from _statements(self, file)


class ClaimItem(_Item):
    """One claim."""

    about: Claim

    def answer(self) -> tuple[str, list[str]]:
        """(verdict, lines that explain it) of the claim."""
        from boundcheck.decide import decide

        verdict = decide(self.about, self.seconds)
        return str(verdict.status), told(str(self.about), verdict, self.about.claim, self.about.integers)


class RateItem(_Item):
    """One rate of a method."""

    about: Entry

    def answer(self) -> tuple[str, list[str]]:
        """(verdict, lines that explain it) of the rate."""
        from boundcheck.app.commands.check_jobs import decide_rate

        verdict = decide_rate(self.about, self.seconds, True)
        return str(verdict.status), told(self.about.rate.claim, verdict, (), frozenset())


# ---------------------------------------------------------------- statements


class LemmaFile(pytest.File):
    """A Python file with STATEMENTS and CHECKS; it is run."""

    def collect(self) -> Iterable[pytest.Collector]:
        """A node for each statement, a test for each cell of FILE.py."""
        from boundcheck.user_files import OwnFault, load
        from proofs_numeric.own import cells

        try:
            file = load(str(self.path))
            checks = cells(str(self.path)).values()
        except OwnFault as fault:
            raise self.CollectError("\n".join(fault.lines)) from None
        yield from _statements(self, file, checks)


def _statements(parent: pytest.File, file: OwnFile, checks: Iterable[Any] = ()) -> Iterator[pytest.Collector]:
    found: dict[str, Verdict] = {}
    for statement in file.statements.values():
        mine = [c for c in checks if c.label == statement.label]
        yield StatementNode.from_parent(
            parent, name=statement.label, statement=statement, file=file, checks=mine, found=found
        )


class StatementNode(pytest.Collector):
    """One statement: its steps, itself, its planted falsehoods and its checks. It is decided once.

    ``found`` holds the verdicts of the file's statements by label, for all nodes of the file.
    """

    def __init__(
        self, *, statement: Statement, file: OwnFile, checks: list[Any], found: dict[str, Verdict], **rest: Any
    ):
        super().__init__(**rest)
        self.statement, self.checks, self.found = statement, checks, found
        self.others = tuple(file.statements.values())
        head = f"{file.path}: {statement.label}: "
        self.remarks = [line.removeprefix(head) for line in file.remarks if line.startswith(head)]

    def verdict(self, seconds: float) -> Verdict:
        """The verdict, its certificate verified again."""
        return self._decided(self.statement, seconds)

    def whole(self, seconds: float) -> Verdict:
        """The verdict, given what the statement rests on and does not hold or is open."""
        from boundcheck.stored.premises import given, rests_on
        from boundcheck.user_files import lookup_with

        others = {s.label: self._decided(s, seconds) for s in rests_on(self.statement, self.others)}
        return given(self.verdict(seconds), self.statement, others, lookup_with(self.others))

    def _decided(self, statement: Statement, seconds: float) -> Verdict:
        from boundcheck.app.commands.check_jobs import decide_own, remembered

        if statement.label not in self.found:
            asked = (statement, self.others, seconds, True, False)
            self.found[statement.label], _ = remembered(decide_own, asked, of_file=True)
        return self.found[statement.label]

    def collect(self) -> Iterable[pytest.Item]:
        """A test for each step and each planted falsehood of the statement."""
        from boundcheck.kernel.proof.obligations import conclusion_steps

        decided = self.statement.kind != "assumption" and not self.statement.literature
        steps = [*self.statement.steps, *conclusion_steps(self.statement)] if decided else []
        for number in range(1, len(steps) + 1):
            yield StepItem.from_parent(self, name=f"step-{number}", about=number)
        yield StepItem.from_parent(self, name="claim", about=None)
        for number, twin in enumerate(self.statement.twins, 1):
            yield TwinItem.from_parent(self, name=f"planted-{number}", about=twin)
        for cell in self.checks:
            yield CellItem.from_parent(self, name=f"check-{cell.name}", about=cell)


class StepItem(_Item):
    """One step of a statement by its number, or (None) the statement as a whole."""

    parent: StatementNode
    about: int | None

    def answer(self) -> tuple[str, list[str]]:
        """(verdict, lines that explain it) of the step."""
        from boundcheck.author.wording import fact_text
        from boundcheck.kernel.proof.obligations import conclusion_steps

        statement = self.parent.statement
        verdict = self.parent.verdict(self.seconds)
        if self.about is None:
            text = "; ".join(map(fact_text, statement.claims)) or statement.text
            facts, verdict = statement.claims, self.parent.whole(self.seconds)
        else:
            step = [*statement.steps, *conclusion_steps(statement)][self.about - 1]
            text, facts, verdict = fact_text(step.fact), (step.fact,), verdict.steps[self.about - 1]
        lines = told(text, verdict, [f.relation for f in facts], statement.integers)
        if self.about is None:
            lines += [f"{'text':<10} {line}" for line in self.parent.remarks]
        return str(verdict.weakest), lines


class TwinItem(_Item):
    """A planted falsehood, which must not be proved."""

    parent: StatementNode
    about: Twin

    def answer(self) -> tuple[str, list[str]]:
        """(verdict, lines that explain it) of the planted falsehood."""
        from boundcheck.app.commands.check_jobs import decide_twin, remembered
        from boundcheck.author.twins import TwinError

        if str(self.parent.verdict(self.seconds).status) not in HOLDS:
            pytest.skip("it shows nothing while the statement itself is not proved")
        asked = (self.parent.statement, self.parent.others, self.seconds, self.about)
        try:
            verdict, _ = remembered(decide_twin, asked, of_file=True)
        except TwinError as fault:
            return "REFUTED", [str(fault)]
        change = ", ".join(f"{new} for {old}" for old, new in self.about.change.items())
        lines = [f"planted    {self.about.what}: {change}", "verdict    PROVED, so the statement can be made stronger"]
        return ("REFUTED" if str(verdict.status) == "PROVED" else "PROVED"), lines


class CellItem(_Item):
    """One Monte Carlo check, a cell, with the default seed."""

    def answer(self) -> tuple[str, list[str]]:
        """(verdict, lines that explain it) of the cell."""
        from proofs_numeric.campaigns.campaign import CampaignError, run
        from proofs_numeric.campaigns.executors import SerialExecutor
        from proofs_numeric.campaigns.ledger import Ledger
        from proofs_numeric.checks.cell import PLANTED
        from proofs_numeric.model.streams import SEED

        if self.about.trials > CHEAP:
            pytest.skip(f"{self.about.trials} trials; `python -m proofs_numeric run {self.path.name}` draws them")
        try:
            with Ledger() as ledger:
                (result,) = run([self.about], SerialExecutor(), ledger, SEED)
        except CampaignError as fault:
            return "REFUTED", [str(fault)]
        word, outcome = str(result.judgement.status), result.judgement.outcome
        lines = [f"check      {self.about.key}", f"verdict    {word} ({result.judgement.trials} trials, seed {SEED})"]
        if outcome is not None:
            row = outcome.rows[outcome.shown]
            lines.append(f"claimed    {row.claimed:.{DIGITS}g} ({self.about.unit})")
            lines.append(f"observed   {row.observed:.{DIGITS}g}, limits {row.lower:.6g} and {row.upper:.6g}")
        if result.judgement.missing:
            lines.append(f"missing    {result.judgement.missing}")
        if self.about.kind != PLANTED:
            return word, lines
        return ("PROVED" if word == "REFUTED-STAT" else "REFUTED"), [f"planted    {self.about.note}", *lines]


# ---------------------------------------------------------------- what a failure says


def told(text: str, verdict: Verdict, relations: Iterable[Relation], integers: frozenset[str]) -> list[str]:
    """The claim, the verdict, the witness and both sides there to DIGITS digits."""
    from boundcheck.verdict import witness_text

    lines = [
        f"claim      {text}",
        f"verdict    {verdict.word}" + (f" by {verdict.method}" if verdict.method else ""),
    ]
    if verdict.reason:
        lines.append(f"reason     {verdict.reason}")
    if verdict.witness:
        lines.append(f"witness    {witness_text(verdict.witness)}")
        for relation in relations:
            lines += _sides(relation, verdict.witness, integers)
    return lines


def _sides(relation: Relation, witness: Mapping[str, str], integers: frozenset[str]) -> list[str]:
    """Both sides of a relation at a witness, [] where it does not give them a value."""
    from mpmath import mp

    from boundcheck.arith.mp import evaluate
    from boundcheck.kernel.proof.terms import settle

    plain = settle(relation)
    if not plain.free <= witness.keys():
        return []
    try:
        left, right = (evaluate(side, witness, 50, integers) for side in plain.sides)
    except (KeyError, TypeError, ValueError):  # opaque terms, or a witness that is no number
        return []
    if mp.isnan(left) or mp.isnan(right):
        return []
    return [
        f"left       {mp.nstr(left, DIGITS)}   of {relation}",
        f"right      {mp.nstr(right, DIGITS)}   left - right = {mp.nstr(left - right, 3)}",
    ]
