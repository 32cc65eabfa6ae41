"""``verify --rocq``: export certificates, compile them with coqc, and say what Rocq's kernel accepts and on what."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from boundcheck.app.commands import output
from boundcheck.app.commands.certified import about
from boundcheck.app.commands.export import certificates, exported
from boundcheck.app.commands.output import VERDICT, print_json, print_verdict, wrapped
from boundcheck.kernel.proof.step import Lookup
from boundcheck.kernel.serial import decode
from boundcheck.kernel.statement import Statement
from boundcheck.paper import catalogue
from boundcheck.rocq import accepted
from boundcheck.rocq.accepted import record, save
from boundcheck.rocq.claim_files import Export
from boundcheck.rocq.compiler import CoqOutcome, NoCompiler, accept, compiler, ground, module_name, theorem
from boundcheck.rocq.coq_text import NotStated
from boundcheck.rocq.sections import whole
from boundcheck.stored.decisions import fingerprint, said
from boundcheck.system.exits import Unusable

GROUP = 6  #: statements of a campaign whose axioms are asked together, and which are then stored


def run(options: argparse.Namespace) -> int:
    """0 all obligations of all certificates accepted, 1 some are not, 2 unusable input or no coqc."""
    try:
        version = compiler()
        found = certificates(options.certificate, 10.0)
        names = [module_name(label) for label, _ in found]
        if doubled := {label for (label, _), name in zip(found, names, strict=True) if names.count(name) > 1}:
            raise Unusable(f"{', '.join(sorted(doubled))}: their files would have one name; give them one by one")
        if options.stale:
            current = _current(label for label, _ in found)
            left = [one for one in found if one[0] not in current]
            print(f"{len(found) - len(left)} of {len(found)} are stored and current", file=sys.stderr)
            found = left
        if options.output is not None:
            return _check(found, output.directory(options.output), options, version)
        with tempfile.TemporaryDirectory() as folder:
            return _check(found, Path(folder), options, version)
    except NoCompiler as missing:
        raise Unusable(str(missing)) from None


def _current(labels: Iterable[str]) -> frozenset[str]:
    """Those whose stored result is of their present text and of the present exporter."""
    known = catalogue()
    return accepted.current({label: fingerprint(known[label]) for label in labels if label in known})


def _check(
    found: list[tuple[str, Mapping[str, Any]]], directory: Path, options: argparse.Namespace, version: str
) -> int:
    worst = 0
    results: list[dict[str, Any]] = []
    size = GROUP if options.save else len(found)
    for start in range(0, len(found), max(1, size)):
        group = found[start : start + size]
        made_here = [exported(label, certificate) for label, certificate in group]
        outcomes = [accept(one, directory, options.seconds, _progress) for one in made_here]
        ground(outcomes, directory, options.seconds)
        for (_, certificate), one, outcome in zip(group, made_here, outcomes, strict=True):
            good = not outcome.failed and not outcome.foreign
            worst = max(worst, 0 if good else 1)
            if options.save:
                _save(one, certificate, outcome, version, directory, options.seconds)
            if options.json:
                results.append({"name": one.label, **record(one, outcome, "", version), "valid": good})
                continue
            print_verdict("accepted" if good else "NOT ACCEPTED", f"{one.label}  {told(outcome, version)}")
            if what := about(certificate):
                print(wrapped("", what, VERDICT))
            for name, reason in outcome.failed.items():
                print(wrapped(f"{name}: ", reason, VERDICT))
            print(wrapped("rests on: ", beneath(outcome), VERDICT))
    if options.json:
        print_json({"schema": 1, "results": results})
    return worst


def _save(
    one: Export, certificate: Mapping[str, Any], outcome: CoqOutcome, version: str, directory: Path, seconds: float
) -> None:
    """Store the result of a statement of the catalogue; anything else is not stored, and told so."""
    statement = catalogue().get(one.label)
    if statement is None:
        print(f"{one.label} is no statement of the catalogue: not stored", file=sys.stderr)
        return
    form = _form_of(statement, certificate)
    if form is None:
        print(f"{one.label}: the certificate is not about what the catalogue says: not stored", file=sys.stderr)
        return
    there = {o.name: o.same_as or o.name for o in one.obligations if o.name in outcome.accepted}
    found = as_theorem(form, catalogue().__getitem__, there, directory, seconds)
    save(one.label, record(one, outcome, fingerprint(statement), version, found), list(catalogue()))


def _form_of(statement: Statement, certificate: Mapping[str, Any]) -> Statement | None:
    """The statement, or its used form, that a certificate proves from what the catalogue says; None for others."""
    if certificate.get("kind") != "statement":
        return None
    about, cited = decode(certificate["statement"]), decode(certificate["cited"])
    if any(s.label not in catalogue() or said(s) != said(catalogue()[s.label]) for s in cited):
        return None
    forms = (form for form in (statement, statement.as_used) if form is not None)
    return next((form for form in forms if fingerprint(form) == fingerprint(about)), None)


def as_theorem(
    statement: Statement, lookup: Lookup, there: Mapping[str, str], directory: Path, seconds: float
) -> dict[str, Any]:
    """What becomes of the statement as a whole; ``there`` maps obligations to theorems of the compiled file."""
    try:
        return theorem(whole(statement, lookup, there), module_name(statement.label), directory, seconds)
    except NotStated as fault:
        return {"accepted": False, "rules": [], "cited": [], "reason": f"not stated: {fault}"[:200]}


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{text:<70}", end="\r", file=sys.stderr, flush=True)


def told(outcome: CoqOutcome, version: str) -> str:
    """How many obligations Rocq accepts, and in what time."""
    total = len(outcome.accepted) + len(outcome.failed)
    return f"Rocq {version} accepts {len(outcome.accepted)} of {total} obligations, {outcome.seconds:.0f} s"


def beneath(outcome: CoqOutcome) -> str:
    """The axioms beneath, in words; foreign ones by name."""
    if outcome.foreign:
        return f"axioms that are no part of the reals: {', '.join(outcome.foreign)}"
    reals = [a for a in outcome.axioms if not a.startswith(("PrimInt63.", "Uint63.", "PrimFloat.", "FloatAxioms."))]
    parts = [f"the axioms of the standard reals ({len(reals)})"] if reals else []
    if len(reals) < len(outcome.axioms):
        parts.append("Coq's machine integers and floats")
    return " and ".join(parts) or "no axioms"
