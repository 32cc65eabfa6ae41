"""``verify CERTIFICATE ...``: re-check certificates in ball and exact arithmetic, with no engine; or by Rocq.

At the end it says which part of the kernel the answers rest on: its modules are imported when a certificate first
needs them, and what was not imported cannot have made a verdict wrong.

The certificate of a statement takes what the statement cites as given. What it cites is to hold by another certificate
that is named, or by what is stored of the catalogue; else the answer says "valid given LABEL (UNDECIDED)".
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boundcheck import kernel
from boundcheck.app.commands.certified import about, read
from boundcheck.app.commands.output import VERDICT, command, counted, gathered, print_json, print_verdict, wrapped
from boundcheck.kernel.serial import decode
from boundcheck.kernel.statement import Statement
from boundcheck.paper import catalogue, lookup
from boundcheck.stored.premises import recorded, weak_premises
from boundcheck.system.arguments import seconds
from boundcheck.system.exits import Unusable
from boundcheck.verdict import Status, worded
from boundcheck.written import fingerprint

if TYPE_CHECKING:
    from boundcheck.kernel.certificate import Check


def add(commands: Any) -> None:
    """Register the command."""
    parser = command(
        commands, "verify", "re-check certificates: 0 valid, 1 not, 2 unreadable, 3 given what is open", run
    )
    parser.add_argument("certificate", metavar="CERTIFICATE", nargs="+")
    parser.add_argument("--rocq", action="store_true", help="export to Rocq and let its kernel check (also a LABEL)")
    parser.add_argument(
        "--seconds", type=seconds, default=300.0, help="with --rocq: the limit for a file (default 300)"
    )
    parser.add_argument("--save", action="store_true", help="with --rocq: store what is accepted of the catalogue")
    parser.add_argument("--stale", action="store_true", help="with --rocq: leave out what is stored and still current")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("-o", "--output", metavar="DIR", help="with --rocq: keep the files there")


def run(options: argparse.Namespace) -> int:
    """Check each file; 2 if one is unreadable, else 1 if one is not valid or is given what does not hold, else 3 if
    one is given what is not known to hold, else 0."""
    if options.rocq:
        from boundcheck.app.commands.verify_rocq import run as run_rocq

        return run_rocq(options)
    for word, given in (("--save", options.save), ("--stale", options.stale), ("--output", options.output)):
        if given:
            raise Unusable(f"{word} is about what Rocq accepts; add --rocq")
    named, unreadable = gathered(lambda name: (name, read(name)), options.certificate)
    read_all = [(name, data, checked(data)) for name, data in named]
    base = trusted()
    weak_of = iter(_weak_premises([data for _, data, check in read_all if check.valid]))
    ends, found = [], []
    for name, data, check in read_all:
        weak, what = next(weak_of) if check.valid else (), about(data)
        word = worded("valid", weak) if check.valid else "NOT VALID"
        found.append({"certificate": name, "verdict": word, "about": what, **asdict(check)})
        if not options.json:
            took = f"{counted(check.nodes, 'node')}, {check.seconds:.2f} s" if check.valid else check.reason
            print_verdict(word, f"{name}  {took}")
            print(wrapped("", what, VERDICT), end="\n" if what else "")
        fails = not check.valid or any(word != Status.UNDECIDED for _, word in weak)
        ends.append(1 if fails else 3 if weak else 0)
    if options.json:
        print_json({"schema": 1, "results": found, "rests_on": asdict(base)})
    elif 0 in ends or 3 in ends:
        print(wrapped("", f"rests on {base}", VERDICT))
    if unreadable:
        raise Unusable(unreadable)
    return 1 if 1 in ends else max(ends, default=0)


@dataclass(frozen=True)
class Base:
    """What was imported of the kernel, of which a PROVED needs every line to be right."""

    modules: tuple[str, ...]
    without: tuple[str, ...]
    lines: int
    of: int

    def __str__(self) -> str:
        every = len(self.modules) + len(self.without)
        return f"{len(self.modules)} of {every} modules of boundcheck/kernel, {self.lines:,} of {self.of:,} lines"


def trusted() -> Base:
    """The modules of the kernel that are imported in this process by now, and their lines."""
    folder = Path(kernel.__path__[0])
    lines = {
        ".".join(path.relative_to(folder).with_suffix("").parts): len(path.read_text(encoding="utf-8").splitlines())
        for path in sorted(folder.rglob("*.py"))
        if path.stem != "__init__"
    }
    here = tuple(name for name in lines if f"{kernel.__name__}.{name}" in sys.modules)
    return Base(
        here, tuple(name for name in lines if name not in here), sum(lines[name] for name in here), sum(lines.values())
    )


def _weak_premises(certificates: Sequence[Mapping[str, Any]]) -> list[tuple[tuple[str, str], ...]]:
    """For each valid certificate (label, verdict) of what it rests on, at whatever hand, and is not known to hold.

    What certificates prove of each other holds once one of them rests on nothing open: a circle proves nothing.
    """
    own = [decode(c["statement"]) if c.get("kind") == "statement" else None for c in certificates]
    cited = [{s.label: s for s in decode(c["cited"])} if s else {} for c, s in zip(certificates, own, strict=True)]
    beside = {label: s for group in cited for label, s in group.items()}
    proved: set[str] = set()
    while True:
        weak = [
            () if s is None else _weak(s, {**beside, **group}, proved) for s, group in zip(own, cited, strict=True)
        ]
        more = {fingerprint(s) for s, open_ in zip(own, weak, strict=True) if s is not None and not open_} - proved
        if not more:
            return weak
        proved |= more


def _weak(statement: Statement, cited: Mapping[str, Statement], proved: Set[str]) -> tuple[tuple[str, str], ...]:
    """What one statement rests on and is not known to hold; ``proved`` are fingerprints of what is."""

    def find(label: str) -> Statement:
        return cited[label] if label in cited else lookup(label)

    def word(label: str, as_used: bool) -> str:
        known = catalogue().get(label)
        if label not in cited and known is None:
            return str(Status.UNDECIDED)
        found = find(label)
        form = found.as_used if as_used and found.as_used is not None else found
        if fingerprint(form) in proved:
            return str(Status.PROVED)
        if found.as_used is not None and fingerprint(found.as_used) in proved:
            return str(Status.REPAIRED)
        if known is not None and fingerprint(found) == fingerprint(known):
            return recorded(label, as_used)
        taken = form.kind == "assumption" or form.literature
        return str(Status.ASSUMED if taken else Status.UNDECIDED)

    return weak_premises(statement, word, find)


def checked(data: dict[str, Any]) -> Check:
    """Whether a certificate of any kind is valid, and what it took or why not."""
    verified: Callable[[dict[str, Any]], Check]
    if data.get("kind") == "statement":
        from boundcheck.kernel.check.statement_certificate import verify_statement as verified
    elif data.get("kind") == "rate":
        from boundcheck.kernel.check.rate_certificate import verify_rate as verified
    elif data.get("kind") == "skolem":
        from boundcheck.kernel.check.skolem import verify_carried as verified
    else:
        from boundcheck.kernel.certificate import verify as verified
    return verified(data)
