"""What Rocq accepted of the catalogue: stored, stamped with the fingerprints of statements and of the exporter."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boundcheck.rocq.compiler import MACHINE, REALS, CoqOutcome
from boundcheck.system.files import FileFault, read_json, write_json

if TYPE_CHECKING:
    from boundcheck.rocq.claim_files import Export

SCHEMA = 1
PATH = Path(__file__).parent.parent / "data" / "rocq.json"
Record = dict[str, Any]


def exporter() -> str:
    """A hash of the exporter and of Boundcheck.v: results of another one say so."""
    folder = Path(__file__).parent
    parts = [p.name.encode() + p.read_bytes() for p in sorted(folder.iterdir()) if p.suffix in (".py", ".v")]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def record(
    export: Export, outcome: CoqOutcome, fingerprint: str, version: str, theorem: Mapping[str, Any] | None = None
) -> Record:
    """What is stored of one statement; ``theorem`` is what became of it as a whole, where that was tried."""
    rules: Counter[str] = Counter(r for o in export.obligations if o.name in outcome.accepted for r in o.rules)
    return {
        "fingerprint": fingerprint,
        "exporter": exporter(),
        "rocq": version,
        "obligations": len(export.obligations),
        "accepted": len(outcome.accepted),
        "failed": {name: reason[:200] for name, reason in outcome.failed.items()},
        "rules": dict(sorted(rules.items())),
        "axioms": [a for a in outcome.axioms if a in REALS or not a.startswith(MACHINE)],
        "machine": any(a.startswith(MACHINE) for a in outcome.axioms),
        "seconds": round(outcome.seconds, 1),
        **({"theorem": dict(theorem)} if theorem else {}),
    }


def load(path: Path = PATH) -> Record:
    """The stored results by label, {} where there are none. Raises :class:`boundcheck.system.files.FileFault`."""
    if not path.exists():
        return {}
    data = read_json(path)
    if not isinstance(data, dict) or data.get("schema") != SCHEMA or not isinstance(data.get("statements"), dict):
        raise FileFault(f"{path}: not results of Rocq of schema {SCHEMA}; write them anew with verify --rocq --save")
    return dict(data["statements"])


def save(label: str, found: Record, order: list[str], path: Path = PATH) -> None:
    """Put one result among the stored ones, in the catalogue's order; labels that left the catalogue are dropped."""
    every = {**load(path), label: found}
    write_json(path, {"schema": SCHEMA, "statements": {x: every[x] for x in order if x in every}})


def current(fingerprints: Mapping[str, str], path: Path = PATH) -> frozenset[str]:
    """The labels whose stored result is of the present statement, as ``fingerprints`` say, and exporter."""
    now = exporter()
    return frozenset(
        label
        for label, one in load(path).items()
        if one["exporter"] == now and one["fingerprint"] == fingerprints.get(label)
    )


def told(found: Mapping[str, Any], fingerprint: str) -> str:
    """One line on a stored result; a statement or a rule that has changed since makes it stale."""
    count, total = found["accepted"], found["obligations"]
    what = f"all {total} obligations" if count == total else f"{count} of {total} obligations"
    stale = "" if found["fingerprint"] == fingerprint else "STALE, the statement has changed since: "
    return f"{stale}re-checked by Rocq {found['rocq']}: {what}{_whole(found.get('theorem', {}))}"


def _whole(theorem: Mapping[str, Any]) -> str:
    if not theorem.get("accepted"):
        return ""
    rules, cited = len(set(theorem["rules"])), len(set(theorem["cited"]))
    return f"; the statement as a theorem, given {rules} rules and {cited} cited claims"
