"""``export CERTIFICATE|LABEL --to rocq -o DIR``: obligations as text that Rocq compiles."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boundcheck.app.commands.certified import read, refuse_statements
from boundcheck.app.commands.output import command, directory, gathered
from boundcheck.paper import lookup
from boundcheck.system.arguments import seconds
from boundcheck.system.exits import Unusable

if TYPE_CHECKING:
    from boundcheck.rocq.claim_files import Export


def add(commands: Any) -> None:
    """Register the command."""
    parser = command(commands, "export", "write certificates as text that a proof assistant compiles", run)
    parser.add_argument("certificate", metavar="CERTIFICATE | LABEL", nargs="+")
    parser.add_argument("--to", choices=["rocq"], default="rocq", help="the proof assistant (Rocq, once called Coq)")
    parser.add_argument("-o", "--output", metavar="DIR", default="rocq", help="where the files go (default: rocq)")
    parser.add_argument("--seconds", type=seconds, default=10.0, help="processor time for each claim of a LABEL")


def run(options: argparse.Namespace) -> int:
    """Write Boundcheck.v and one file for each certificate; 0, or 1 where an obligation cannot be stated."""
    from boundcheck.rocq.compiler import BASE, module_name

    ready = [exported(*one) for one in certificates(options.certificate, options.seconds)]
    folder = directory(options.output)
    (folder / "Boundcheck.v").write_text(BASE.read_text(encoding="utf-8"), encoding="utf-8")
    status = 0
    for found in ready:
        path = folder / f"{module_name(found.label)}.v"
        path.write_text(found.file(), encoding="utf-8")
        refused = [o for o in found.obligations if o.refused]
        print(f"{path}: {len(found.obligations) - len(refused)} of {len(found.obligations)} obligations")
        for o in refused:
            print(f"  {o.name} is not stated: {o.refused}")
        status = 1 if refused else status
    print(f"compile with: cd {folder} && coqc Boundcheck.v && coqc FILE.v")
    return status


def exported(label: str, certificate: Mapping[str, Any]) -> Export:
    """The export of one certificate. Raises :class:`Unusable`."""
    from boundcheck.kernel.check.skolem import verify_carried
    from boundcheck.kernel.check.statement_certificate import FAULTS
    from boundcheck.rocq.claim_files import export, of_its_statement
    from boundcheck.rocq.coq_text import NotStated

    try:
        if certificate.get("kind") == "statement":
            of_its_statement(certificate)
        if certificate.get("kind") == "skolem" and not (check := verify_carried(certificate)).valid:
            raise NotStated(check.reason)
        return export(label, certificate)
    except (NotStated, *FAULTS) as fault:
        raise Unusable(f"{label}: {fault}") from None


def certificates(targets: list[str], seconds: float) -> list[tuple[str, Mapping[str, Any]]]:
    """(label, certificate) of each file; of a label of the catalogue its proof is searched anew."""
    found, faults = gathered(lambda target: _certificate(target, seconds), targets)
    if faults:
        raise Unusable(faults)
    return found


def _certificate(target: str, seconds: float) -> tuple[str, Mapping[str, Any]]:
    if Path(target.partition(":")[0]).is_file():
        refuse_statements(target)
    if target.endswith(".json") or "/" in target:
        data = read(target)
        return _label(data, Path(target).stem), data
    label = lookup(target).label
    certificate = proved(label, seconds)
    if certificate is None:
        raise Unusable(f"{label}: no certificate (it is not proved); `check {label}` says why")
    return label, certificate


def _label(data: Mapping[str, Any], stem: str) -> str:
    """The label of a statement that is proved, or the file's name."""
    statement = data.get("statement") if data.get("kind") == "statement" else None
    label = statement.get("label") if isinstance(statement, dict) else None
    return label if isinstance(label, str) and label else stem


def proved(label: str, seconds: float) -> Mapping[str, Any] | None:
    """The certificate of a statement of the catalogue, as printed or else as used; None where neither is proved."""
    from boundcheck.app.commands.check_jobs import decide_own
    from boundcheck.verdict import Status

    verdict = decide_own(lookup(label), (), seconds, False, True)
    if verdict.status is Status.PROVED:
        return verdict.certificate
    used = verdict.as_used
    return used.certificate if used is not None and used.status is Status.PROVED else None
