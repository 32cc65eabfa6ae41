"""``show LABEL``: what a statement says, each step with its reason and verdict, and what all of it rests on."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from boundcheck.app.commands.output import (
    VERDICT,
    bracket,
    command,
    no_certificate,
    own_statements,
    print_verdict,
    wrapped,
)
from boundcheck.author.shared_settings import read_places
from boundcheck.author.toml import read_statements
from boundcheck.author.toml_printer import statement_text
from boundcheck.author.wording import fact_text, fact_unicode, method_text, reason_text, shown
from boundcheck.claims import load_document
from boundcheck.kernel.statement import Fact, Statement, Step
from boundcheck.paper import catalogue, lookup
from boundcheck.paper.symbols import NAMES
from boundcheck.paper.texts import places, texts
from boundcheck.rocq import accepted as rocq
from boundcheck.rocq.proved_rules import proved
from boundcheck.stored import decisions
from boundcheck.stored.premises import recorded, rests_on, stored_given
from boundcheck.system.exits import Unusable
from boundcheck.user_files import TEXT, OwnFile, is_own
from boundcheck.verdict import witness_text, worded

HANG = VERDICT + 5  #: where the text of a step begins, behind its verdict and its number


def add(commands: Any) -> None:
    """Register the command."""
    parser = command(commands, "show", "claim, hypotheses, steps, verdicts, slack, what it rests on", run)
    parser.add_argument("label", metavar="LABEL | FILE.toml[:LABEL] | FILE.py[:LABEL]")
    parser.add_argument("--full", action="store_true", help="every hypothesis as a formula, also those of the setting")
    parser.add_argument("--ascii", action="store_true", help="formulas as they are written, also on a terminal")
    parser.add_argument("--text", action="store_true", help="the statement as TOML text, to check, change or copy")


def run(options: argparse.Namespace) -> int:
    """Print one statement, or those of a file; 0, or 2 for an unknown label or an unusable file."""
    no_certificate(options.label)
    if options.text:
        print(_text(options.label), end="")
        return 0
    write = ASCII if options.ascii or not typesets() else TYPESET
    if is_own(options.label):
        _own(options.label, write is ASCII, options.full)
        return 0
    statement = lookup(options.label)
    known = decisions.load().get("decisions", {})
    found = decisions.current(catalogue(), known)
    stored = found.get(statement.label)
    print(wrapped(f"{statement.label}: ", f"{statement.title} ({statement.kind}; {statement.part})", 0))
    print(wrapped("", statement.text))
    if stored is None:
        _missing(statement.label, known.get(statement.label))
    else:
        _verdict(statement.label, stored, found)
    words = {} if options.full else places()
    _says(statement, write, words)
    _steps(statement, stored, write)
    if statement.as_used is not None:
        print("\nas used by the paper:")
        print(wrapped("", statement.as_used.text))
        if stored is not None and stored["as_used"] is not None:
            print_verdict(stored["as_used"]["verdict"], stored["as_used"]["reason"], 2)
        _says(statement.as_used, write, words, statement)
        _steps(statement.as_used, stored and stored["as_used"], write)
    _evidence(statement, stored)
    return 0


def _text(target: str) -> str:
    """The statements as TOML text: one of the catalogue, or those of a user's FILE.toml."""
    if not is_own(target):
        found = [w for text in texts().values() for w in text.written if w.statement.label == target]
        if not found:
            lookup(target)  # tells of an unknown label
        return "\n".join(map(statement_text, found))
    file, chosen = own_statements(target, search=False, some=True)
    if not file.path.endswith(TEXT):
        raise Unusable(f"{file.path}: it is a program; only statements that stand as text are printed as text")
    document, source = load_document(Path(file.path), file.path), Path(file.path).read_text(encoding="utf-8-sig")
    written, _ = read_statements(document, file.path, source, lambda told: None, proofs=False)
    labels = {s.label for s in chosen}
    return "\n".join(statement_text(w) for w in written if w.statement.label in labels)


@dataclass(frozen=True)
class Writing:
    """How formulas are printed: whole facts, and single ones."""

    fact: Callable[[Fact], str]
    formula: Callable[[str], str]


ASCII = Writing(fact_text, str)
TYPESET = Writing(partial(fact_unicode, names=NAMES), partial(shown, names=NAMES))


OWN = Writing(fact_unicode, shown)  #: the paper's letters are not those of a user's names


def for_own(statement: Statement) -> Writing:
    """How a user's statement is printed: as it is written where two names would look the same, as x1 and x_1."""
    forms = [form for form in (statement, statement.as_used) if form is not None]
    facts = [f for form in forms for f in (*form.hypotheses.values(), *form.claims, *(s.fact for s in form.steps))]
    names = {name for f in facts for name in f.names}.union(*({*form.sorts, *form.symbols} for form in forms))
    looks = [shown(n) for n in (*names, "E", "pi")]
    looks += [shown(n[0]) for n in names if len(n) == 2 and n.endswith("s")]  # at(xs, t) is x with the index t
    return OWN if len(set(looks)) == len(looks) else ASCII


def typesets() -> bool:
    """Whether stdout is a terminal whose encoding has the signs of mathematics."""
    try:
        "∑‖√𝔼ₓ".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return sys.stdout.isatty()


def _own(target: str, ascii: bool, full: bool) -> None:
    """The statements of a user's file, which has no stored decisions."""
    file, chosen = own_statements(target, some=True)
    words = {}
    if file.path.endswith(TEXT) and not full:
        found, _ = read_places(load_document(Path(file.path), file.path), file.path)
        words = {place.name: place.says for place in found if place.says}
    for number, statement in enumerate(chosen):
        write = ASCII if ascii else for_own(statement)
        print(("\n\n" if number else "") + wrapped(f"{statement.label}: ", f"{statement.title} ({statement.kind})", 0))
        print(wrapped("", statement.text))
        print(f"\n`check {file.path}:{statement.label}` decides it")
        _rests(statement, file)
        _says(statement, write, words)
        _steps(statement, None, write)
        if statement.as_used is not None:
            print("\nas used:")
            _says(statement.as_used, write, words, statement)
            _steps(statement.as_used, None, write)


def _rests(statement: Statement, file: OwnFile) -> None:
    """What a statement of a file rests on: of the file, or of the catalogue with the verdict that is stored there."""
    known = catalogue()
    others = (*file.statements.values(), *(s for label, s in known.items() if label not in file.statements))
    told = [
        f"{s.label} (of this file)" if s.label in file.statements else f"{s.label} ({recorded(s.label)})"
        for s in rests_on(statement, others)
    ]
    if told:
        print(wrapped("rests on: ", ", ".join(told)))


def _missing(label: str, old: decisions.Record | None) -> None:
    if old is None:
        print(f"\nnot decided yet; `check {label} --save` decides it")
        return
    print()
    mend = f"`check {label} --save` decides it anew"
    print_verdict(decisions.STALE, f"decided {old['verdict']} in an earlier form; {mend}")


def _verdict(label: str, stored: decisions.Record, found: dict[str, decisions.Record]) -> None:
    print()
    slack = bracket(stored["slack"])
    print_verdict(
        worded(stored["verdict"], stored_given(label, found)),
        "; ".join(t for t in (stored["reason"], slack and f"slack {slack}") if t),
    )
    if stored["witness"]:
        print(wrapped("witness: ", witness_text(stored["witness"])))
    chain = decisions.chain(label, found)
    if chain:
        print(wrapped("rests on: ", ", ".join(chain)))
        weak = decisions.weakest(label, found)
        if weak is not None:
            print(wrapped("weakest in the chain: ", f"{weak[0]} ({', '.join(weak[1])})"))


def _says(statement: Statement, write: Writing, words: Mapping[str, str], above: Statement | None = None) -> None:
    """Header, hypotheses and claims; what is as in the form ``above`` is not said twice.

    Hypotheses that are assumed at a place which ``words`` tells of are told in these words, with their names; one that
    only sets a parameter to a value stands beside the parameter.
    """
    if statement.imprecise:
        print(wrapped("no truth value as printed: ", statement.imprecise))
    given = ("parameters", "bound_names", "random", "declares", "hypotheses")
    if above is not None and all(getattr(above, k) == getattr(statement, k) for k in given):
        print("\nparameters and hypotheses: as above")
    else:
        values = {} if not words else _values(statement)
        _names(statement, write, values)
        _hypotheses(statement, write, words, {name for name, _ in values.values()})
    if statement.claims:
        print("\nclaim")
        for fact in statement.claims:
            print(wrapped("", write.fact(fact)))
    if statement.note:
        print(wrapped("note: ", statement.note))


def _values(statement: Statement) -> dict[str, tuple[str, Fact]]:
    """The parameters that a hypothesis sets to a value: by symbol the name of the hypothesis, and what it says."""
    found: dict[str, tuple[str, Fact]] = {}
    for name, fact in statement.hypotheses.items():
        symbol, sign, value = fact.claim.partition(" == ")
        if sign and symbol in statement.symbols and fact.plain and not re.search(rf"\b{symbol}\b", value):
            found.setdefault(symbol, (name, fact))
    return found


def _names(statement: Statement, write: Writing, values: Mapping[str, tuple[str, Fact]]) -> None:
    if statement.parameters:
        print("\nparameters")
        for q in (*statement.parameters, *statement.bound_names):
            domain = ", ".join((*map(write.formula, q.domain), *(("integer",) if q.integer else ()))) or "real"
            print(wrapped(f"{write.formula(q.symbol):<8} ", f"{q.meaning} [{domain}]".lstrip()))
            if q.symbol in values:
                name, fact = values[q.symbol]
                print(wrapped(" " * 9, ("" if name == q.symbol else f"{name}: ") + write.fact(fact)))
    if statement.random:
        print(wrapped("random: ", ", ".join(map(write.formula, statement.random))))
    if statement.declares:
        told = [f"{write.formula(name)}: {sort}" for name, sort in statement.declares.items()]
        print(wrapped("objects  ", "; ".join(told)))


def _hypotheses(statement: Statement, write: Writing, words: Mapping[str, str], told: set[str]) -> None:
    there: dict[str, list[str]] = {}
    for name in statement.hypotheses:
        there.setdefault(statement.places.get(name, ""), []).append(name)
    lines = [wrapped(f"{p}: ", f"{words[p]} ({', '.join(names)})") for p, names in there.items() if p in words]
    rest = [(n, f) for n, f in statement.hypotheses.items() if statement.places.get(n) not in words and n not in told]
    if lines or rest:
        print("\nhypotheses" + ("; `--full` prints each as a formula" if lines else ""))
        print("\n".join([*lines, *(wrapped(f"{name}: ", write.fact(fact)) for name, fact in rest)]))


def _steps(statement: Statement, stored: decisions.Record | None, write: Writing) -> None:
    steps = decisions.numbered(statement, stored)
    if not steps or (stored is None and not statement.steps):
        return
    print("\nsteps (the claim itself is last)")
    for number, step, known in steps:
        _step(number, step, known, write)


def _step(number: int, step: Step, known: decisions.Record | None, write: Writing) -> None:
    word = known["verdict"] if known else ""
    print_verdict(word, f"{number:>3}  {write.fact(step.fact)}", hang=HANG + 2)
    parts = [f"named {step.name}" if step.name else "", reason_text(step)]
    if known:
        slack = bracket(known["slack"])
        parts += [
            f"by {method_text(known['method'])}" if decisions.kind(known) == "engine" and known["method"] else ""
        ]
        parts += [f"slack {slack}" if slack else "", known["reason"]]
    if step.note:
        parts.append(f"({step.note})")
    print(wrapped("", "; ".join(p for p in parts if p), HANG))
    if step.repair is not None:
        print(wrapped("repaired: ", write.fact(step.repair.fact) + f"; {reason_text(step.repair)}", HANG))


def _rocq(statement: Statement) -> None:
    """What a second kernel accepted of the certificate."""
    found = rocq.load().get(statement.label)
    if found is not None:
        print(wrapped("", rocq.told(found, decisions.fingerprint(statement)), 0))
        for name, reason in found["failed"].items():
            print(wrapped(f"{name}: ", reason))


def _evidence(statement: Statement, stored: decisions.Record | None) -> None:
    if stored is None:
        return
    summary = stored["certificate"]
    if summary:
        counts = f"{summary['certificates']} scalar certificates, {summary['nodes']} nodes, {summary['bytes']} bytes"
        told = f"{counts}; `check {statement.label} --certificates DIR` writes it"
        print("\n" + wrapped("certificate: ", told, 0))
    _rocq(statement)
    rules = decisions.rule_counts(stored)
    if rules:
        print(wrapped("rules applied: ", ", ".join(f"{name} {n}" for name, n in rules.items())))
        count = sum(map(proved, rules))
        print(wrapped("", f"{count} of these {len(rules)} rule schemas are theorems of Rules.v, proved in Rocq"))
    if stored["twins"]:
        print("\nplanted falsehoods")
        words = {True: "caught", False: "NOT CAUGHT", None: "shows nothing"}
        for twin in stored["twins"]:
            print_verdict(twin["verdict"], f"{twin['what']}: {words[twin['caught']]}", 2)
    users = [label for label, other in catalogue().items() if statement.label in other.cites]
    if users:
        print(wrapped("used by: ", ", ".join(users)))
