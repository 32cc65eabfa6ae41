"""Write what is stored of Rocq's verdicts into docs/rocq.md: ``python docs/make_rocq.py [--check]``."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boundcheck.app.reporting.markdown import table
from boundcheck.paper import catalogue
from boundcheck.rocq.accepted import load
from boundcheck.system.files import between, write_page

TARGET = Path(__file__).with_name("rocq.md")


def summary(stored: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Obligations, how many are accepted, lemmas by rule, and failures by the reason's first words."""
    rules: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    for one in stored.values():
        rules.update(one["rules"])
        failures.update(_kind(reason) for reason in one["failed"].values())
    return {
        "obligations": sum(one["obligations"] for one in stored.values()),
        "accepted": sum(one["accepted"] for one in stored.values()),
        "statements": len(stored),
        "whole": sum(1 for one in stored.values() if one["accepted"] == one["obligations"]),
        "theorems": sum(1 for one in stored.values() if one.get("theorem", {}).get("accepted")),
        "rules": dict(rules.most_common()),
        "failures": dict(failures.most_common()),
        "seconds": round(sum(one["seconds"] for one in stored.values()), 1),
    }


def _kind(reason: str) -> str:
    """The rule in whose lemma a proof fails, or what else was in the way."""
    if reason.startswith("the same claim"):
        return "the same claim as one that fails"
    return "out of time" if reason.startswith("Error: the limit") else reason.split(":")[0]


def measured() -> str:
    """The counts, the lemmas by rule, and the statements that are theorems as a whole with what each assumes."""
    stored = load()
    told = summary(stored)
    share = round(100 * told["accepted"] / told["obligations"])
    failures = ", ".join(f"{reason} {n}" for reason, n in told["failures"].items())
    lines = [
        f"Stored are {told['statements']} of the {len(catalogue())} statements. Rocq accepts {told['accepted']} of "
        f"their {told['obligations']} obligations",
        f"({share} %), all of them for {told['whole']} statements.",
        f"Failures by the rule in whose lemma the proof stops: {failures}.",
        "",
        *table(("rule", "lemmas in accepted obligations"), told["rules"].items()),
        "",
        f"Whole statements: {told['theorems']} are theorems.",
        "",
    ]
    whole = {label: one["theorem"] for label, one in stored.items() if one.get("theorem", {}).get("accepted")}
    rows = (
        (label, *(", ".join(dict.fromkeys(one[part])) or "none" for part in ("rules", "cited")))
        for label, one in whole.items()
    )
    return "\n".join([*lines, *table(("statement", "rules assumed", "claims assumed"), rows), ""])


def main(arguments: list[str]) -> int:
    """Write the tables; with ``--check`` only compare: 1 if they are out of date."""
    new = between(TARGET, "<!-- accepted -->", "<!-- end of accepted -->", measured())
    return write_page(TARGET, new, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
