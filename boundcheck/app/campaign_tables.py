"""What people are told of a run: the table, what is open, how long it takes and how to go on."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Sequence

from boundcheck.app.commands.output import counted, wrapped
from boundcheck.system.progress import Progress, time_left
from proofs_numeric.campaigns import campaign, results
from proofs_numeric.campaigns.campaign import Result
from proofs_numeric.checks.cell import CLAIM, COMPANION, PLANTED
from proofs_numeric.model.streams import SEED

WORDS = {CLAIM: "claims", COMPANION: "exact laws", PLANTED: "planted falsehoods"}


class Pace(Progress):
    """How far a campaign is: cells, trials a second and the time left.

    ``costs`` are the times that the cells are expected to take, in their order and in any unit. ``quiet``: a bar on a
    terminal and nothing elsewhere.
    """

    def __init__(self, costs: Sequence[float], quiet: bool = False):
        super().__init__(len(costs), sys.stderr.isatty(), quiet)
        self.costs, self.finished, self.trials = costs, 0, 0
        self._held = -1  #: cells that a ledger held finished when the first chunk was drawn

    def done(self) -> int:
        return self.finished

    def line(self, elapsed: float) -> str:
        rate = self.trials / elapsed if elapsed > 0 else 0.0
        done, rest = sum(self.costs[self._held : self.finished]), sum(self.costs[self.finished :])
        parts = (f"{self.finished} of {self.total} cells", f"{rate:,.0f} trials/s", time_left(done, rest, elapsed))
        return "  ".join(filter(None, parts))

    def report(self, finished: int, trials: int) -> None:
        """Take note of one chunk: the cells that are finished, and its trials."""
        self.finished, self.trials = finished, self.trials + trials
        self._held = finished if self._held < 0 else self._held
        self.tick()


def spent(seconds: float) -> str:
    """A time in words."""
    return f"{max(1, round(seconds))} s" if seconds < 120 else f"{round(seconds / 60)} min"


def table(found: Sequence[Result], seed: int) -> None:
    """The outcome of a run for people: a line a check, then whatever was not as it should be."""
    rows: dict[str, Counter[str]] = {}
    for r in found:
        row = rows.setdefault(r.cell.label, Counter())
        row["open" if r.judgement.partial else f"{r.cell.kind} {r.judgement.status}"] += 1
    width = max(map(len, rows))
    left = sum(row["open"] for row in rows.values())
    print(f"{'':<{width}}  {'claims':<31}  {'exact laws':<13}  planted")
    print(f"{'check':<{width}}  consistent underpowered refuted  held rejected   caught{'  open' if left else ''}")
    for label, row in rows.items():
        planted = sum(n for key, n in row.items() if key.startswith(PLANTED))
        held = row[f"{COMPANION} CONSISTENT"] + row[f"{COMPANION} UNDERPOWERED"]
        caught = f"{row['planted REFUTED-STAT']}/{planted}"
        print(
            f"{label:<{width}}  {row['claim CONSISTENT']:>10} {row['claim UNDERPOWERED']:>12}"
            f" {row['claim REFUTED-STAT']:>7}  {held:>4} {row['companion REFUTED-STAT']:>8}  {caught:>7}"
            + (f"  {row['open']:>4}" if left else "")
        )
    for r in found:
        wanted = "REFUTED-STAT" if r.cell.kind == PLANTED else "CONSISTENT"
        if str(r.judgement.status) != wanted and not r.judgement.partial:
            word = "NOT CAUGHT" if r.cell.kind == PLANTED else str(r.judgement.status)
            why = "; ".join(w for w in (r.cell.note, r.judgement.missing) if w)
            print(f"{word}: {r.cell.key}" + (f" ({why})" if why else ""))
    _values([r for r in found if r.cell.file])
    audits = [(a.used, r.cell.key) for r in found if (a := results.audited(r, seed)) is not None]
    if audits:
        used, key = max(audits)
        share = f"largest share of a declared error {used:.2g} ({key})"
        print(wrapped("precision: ", f"{len(audits)} cells recomputed in balls; {share}", 0))
    compared = [r.near for r in found if r.near is not None]
    if compared:
        print(
            f"events: {sum(compared)} trials of {len(compared)} cells within rounding of a threshold, decided in balls"
        )
    for r in found:
        if r.cell.precision:
            print(wrapped("high precision: ", f"{r.cell.key}: {r.cell.precision}", 0))


def _values(found: Sequence[Result]) -> None:
    """What was observed in the cells of a user's file, beside what is claimed."""
    for r in found:
        if r.judgement.outcome is not None:
            row = r.judgement.outcome.rows[r.judgement.outcome.shown]
            told = f"{r.cell.unit} {row.observed:.5g}, upper limit {row.upper:.5g}, claimed {row.claimed:.5g}"
            print(f"{r.cell.key}: {told}, {r.judgement.trials:,} trials")


def left(found: Sequence[Result], elapsed: float) -> str:
    """How long the open cells take at the pace so far; "" where nothing is done yet."""
    parts = [r.left / max(campaign.expected(r.cell), r.left, 1) for r in found]
    costs = results.costs([r.cell for r in found])
    rest = sum(c * part for c, part in zip(costs, parts, strict=True))
    done = sum(costs) - rest
    return f"about {spent(elapsed * rest / done)} more at this pace" if done > 0 else ""


def partial(found: Sequence[Result], ledger: str | None, command: Sequence[str]) -> None:
    """After the table of a run that is not finished: what is open, the time left, and how to go on.

    ``command`` is the run as it was asked for, without its ledger and its time.
    """
    opened = [r for r in found if r.judgement.partial]
    if not opened:
        return
    more = left(found, sum(r.seconds for r in found))
    told = f"{len(opened)} of {len(found)} cells are open, that is, not finished" + (f"; {more}" if more else "")
    print(wrapped("PARTIAL: ", told + (" of one process" if more else ""), 0))
    again = shlex.join(("python", "-m", "proofs_numeric", "run", *command))
    if ledger is None:
        print(f"nothing of it is kept; with a ledger the same command goes on:\n  {again} --ledger campaign.sqlite")
    else:
        file = shlex.quote(ledger)
        print(f"finished chunks are kept in {ledger}; this goes on from there:\n  {again} --ledger {file}")


def standing(found: Sequence[Result], seed: int, ledger: str, held: frozenset[str], names: Sequence[str]) -> None:
    """What a ledger holds: cells finished, begun and open, what was decided, time spent and left, how to go on.

    ``held`` are the keys of all cells in it, ``names`` the words that chose those that are told.
    """
    opened = [r for r in found if r.judgement.partial]
    begun = [r for r in opened if r.judgement.trials]
    trials, rest = sum(r.judgement.trials for r in found), sum(r.left for r in found)
    time = sum(r.seconds for r in found)
    print(
        f"seed {seed}: {len(found) - len(opened)} of {len(found)} cells finished, {len(begun)} begun, "
        f"{len(opened) - len(begun)} not begun; {trials:,} trials drawn, about {rest:,} to draw"
    )
    decided = Counter((WORDS[r.cell.kind], str(r.judgement.status)) for r in found if not r.judgement.partial)
    for (kind, word), count in sorted(decided.items()):
        print(f"  {count:>5}  {kind} {word}")
    file = shlex.quote(ledger)
    if others := held - {r.cell.key for r in found}:
        print(f"  {counted(len(others), 'other cell')}; `status FILE.py --ledger {file}` tells of those of a file")
    if old := [r for r in found if r.cell.key in held and not r.judgement.trials]:
        print(f"  {len(old)} cells drawn by another version of this program or of NumPy: they are not read")
    if opened:
        pace = left(found, time)
        print(f"  {spent(time)} spent by one process" + (f"; {pace}" if pace else ""))
        words = [*names, *([] if seed == SEED else ["--seed", str(seed)])]
        print(f"  go on with: {shlex.join(('python', '-m', 'proofs_numeric', 'run', *words))} --ledger {file}")
