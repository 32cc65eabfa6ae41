"""``check``: decide statements of the paper, or the claims or statements of a file, in two worker processes."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from boundcheck.app.commands import output
from boundcheck.app.commands.output import command, shortened
from boundcheck.app.commands.session import OPEN, REFUTING, Question, Session, slug
from boundcheck.claims import load_document
from boundcheck.kernel.formula import FormulaError
from boundcheck.kernel.statement import Statement
from boundcheck.paper import catalogue, lookup
from boundcheck.stored import decisions
from boundcheck.stored.decisions import PATH
from boundcheck.stored.premises import rests_on
from boundcheck.system.arguments import seconds
from boundcheck.system.exits import Unusable
from boundcheck.system.files import require_writable, write_text
from boundcheck.user_files import TEXT, is_own
from boundcheck.verdict import Status


def add(commands: Any) -> None:
    """Register the command."""
    parser = command(commands, "check", "decide statements (default: all) or those of a file", run)
    parser.add_argument("target", metavar="LABEL | FILE.toml[:LABEL] | FILE.py[:LABEL]", nargs="*")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--seconds", type=seconds, default=10.0, help="processor time for each claim (default 10)")
    parser.add_argument("--certificates", metavar="DIR", help="write a certificate of everything proved")
    parser.add_argument("--figures", metavar="DIR", help="draw every counterexample to a rate (SVG, with its data)")
    parser.add_argument("--anew", action="store_true", help="search every proof again, also where one is kept")
    parser.add_argument("--strict", action="store_true", help="status 1 also for what is REPAIRED as recorded")
    parser.add_argument("--quiet", action="store_true", help="print only what is not as it should be, and the counts")
    parser.add_argument("--save", action="store_true", help="store the decisions, twins included, for list and report")


def run(options: argparse.Namespace) -> int:
    """Decide; 0 all hold, 1 something is REFUTED or REPAIRED, 3 something UNDECIDED, 2 unusable, 130 interrupted.

    Statements of the catalogue that are all decided as they are recorded count as holding, unless ``--strict``.
    """
    start = time.monotonic()  # reasons of the lines of a text are searched where it is read
    asked = questions(options.target)
    if options.save and any(q.of_file for q in asked):
        raise Unusable("--save stores decisions on the paper's statements; leave it out for a file of your own")
    if options.save:
        require_writable(PATH)
    directory = None if options.certificates is None else output.directory(options.certificates)
    figures = None if options.figures is None else output.directory(options.figures)
    if figures is not None and not any(q.rate for q in asked):
        raise Unusable("--figures draws counterexamples to rates; name a file with [[rate]] tables")
    session = Session(asked, options.seconds, options.json, directory, options.save, options.quiet, options.anew)
    interrupted = session.decide()
    elapsed = time.monotonic() - start
    session.close(elapsed, interrupted)
    if figures is not None:
        _draw(asked, figures)
    if options.save and not interrupted:  # last: what cannot be stored has been printed
        session.save(elapsed)
    return 130 if interrupted else status_of(session.judged(options.strict))


def _draw(asked: Sequence[Question], directory: Path) -> None:
    """A picture of every counterexample to a rate, its data beside it; one line on stderr for each."""
    from boundcheck.app.counterexample import figure

    for n, question in enumerate(asked, 1):
        verdict, name = question.verdict, shortened(question.name)
        if question.rate is None or verdict.status is not Status.REFUTED or not verdict.witness:
            continue
        drawing = figure(question.name, verdict.witness)
        if drawing is None:
            _note(f"{name}: its counterexample needs three dimensions or more; not drawn")
            continue
        path = directory / f"{slug(question.name)}-{n}.svg"
        drawing.save(path)
        write_text(path.with_suffix(".csv"), drawing.data())
        _note(f"{name}: drawn in {path}")


def status_of(found: Sequence[Status]) -> int:
    """The exit status: 1 if anything is refuted, else 3 if anything is open, else 0."""
    if any(s in REFUTING for s in found):
        return 1
    return 3 if any(s in OPEN for s in found) else 0


def questions(targets: Sequence[str]) -> list[Question]:
    """What the words of the command line ask. Raises :class:`Unusable` with the faults of all of them."""
    if not targets:
        return [Question(label, statement) for label, statement in catalogue().items()]
    groups, faults = output.gathered(_asked, dict.fromkeys(targets))
    if faults:
        raise Unusable(faults)
    found = [q for group in groups for q in group]
    order = {label: n for n, label in enumerate(catalogue())}
    labels = sorted((q for q in found if not q.of_file), key=lambda q: order[q.name])
    return labels + [q for q in found if q.of_file]


def _asked(target: str) -> list[Question]:
    """What one word asks."""
    if target.endswith(TEXT):
        return _of_text(target)
    if is_own(target):
        return _statements(target)
    output.no_certificate(target)
    if "/" in target or ("." in target and ":" not in target):
        raise Unusable(f"{target}: a label, or a file whose name ends in .toml or .py, is wanted")
    statement = lookup(target)
    return [Question(statement.label, statement)]


def _of_text(path: str) -> list[Question]:
    """The claims, rates and statements of a TOML file."""
    from boundcheck.rates import read_claims_and_rates

    claims, rates = read_claims_and_rates(path, _warn, _note)
    found = [Question(c.name, claim=c) for c in claims] + [Question(e.rate.name, rate=e) for e in rates]
    return found + (_statements(path) if "statement" in load_document(Path(path), path) else [])


def _statements(target: str) -> list[Question]:
    file, chosen = output.own_statements(target)
    others = tuple(file.statements.values())
    for statement in chosen:
        _warn_of_constants(statement)
    asked = {s.label for c in chosen for s in (*rests_on(c, others), c)}  # what they rest on is decided too
    return [Question(s.label, s, others) for s in others if s.label in asked]


def _warn_of_constants(statement: Statement) -> None:
    """Say where an expectation or a probability occurs and nothing is declared to be random."""
    steps = decisions.every_step(statement)
    facts = [*statement.hypotheses.values(), *statement.claims, *(s.fact for s in steps)]
    try:
        relations = [r for f in facts for r in (f.relation, *f.conditions)]
    except FormulaError:
        return  # told where it is decided
    heads = {n.op for r in relations for n in r.walk()} & {"E", "P", "Egiven", "Pgiven"}
    random = (sort for sort in (statement.declares or {}).values() if {"random", "event"} & set(sort.split()))
    if heads and not any(random):
        told = " and ".join(sorted(heads))
        _warn(
            f"{statement.label} speaks of {told}, and declares nothing random; as in declares={{'Z': 'random real'}}"
        )


def _note(line: str) -> None:
    print(f"note: {line}", file=sys.stderr)


def _warn(line: str) -> None:
    print(f"warning: {line}", file=sys.stderr)
