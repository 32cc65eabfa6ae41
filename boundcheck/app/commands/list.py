"""``list``: the table of all statements, from the stored decisions."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from boundcheck.app.commands.output import bracket, command, print_table, wrapped
from boundcheck.paper import catalogue
from boundcheck.stored import decisions
from boundcheck.stored.premises import stored_given


def add(commands: Any) -> None:
    """Register the command."""
    command(commands, "list", "the table of all statements, from the stored decisions (the default)", run)


def run(options: argparse.Namespace) -> int:
    """Print the table; always 0."""
    found = decisions.load().get("decisions", {})
    current = decisions.current(catalogue(), found)
    rows, verdicts = [], Counter[str]()
    for label, statement in catalogue().items():
        stored = found.get(label)
        verdict = "not decided" if stored is None else stored["verdict"]
        if decisions.stale(statement, stored):  # what was decided is no longer what stands here
            verdict, stored = decisions.STALE, None
        weak = stored_given(label, current)
        verdicts[f"{verdict} given what does not hold or is open" if weak else verdict] += 1
        if weak:  # `show` names them
            verdict = f"{verdict} given {weak[0][0] if len(weak) == 1 else f'{len(weak)} open'}"
        counts = {} if stored is None else decisions.split(stored)
        numbers = [str(counts[k]) if counts.get(k) else "" for k in ("engine", "rule", "cited", "open")]
        slack = bracket(stored["slack"]) if stored else ""
        rows.append([label, verdict, *numbers, slack, statement.title])
    headers = ["label", "verdict", "engine", "rule", "cited", "open", "slack", "title"]
    print_table(headers, rows, frozenset(range(2, 6)), spare=(7, 5, 4, 3, 2))
    print()
    print(wrapped(f"{len(rows)} statements: ", ", ".join(f"{n} {word}" for word, n in verdicts.items()), 0))
    print(
        wrapped(
            "steps by what decides them: ", "an engine, a matched rule, a citation; open: not decided, or refuted", 0
        )
    )
    if verdicts[decisions.STALE] or verdicts["not decided"]:
        print("STALE: the statement has changed since; `check LABEL --save` decides it anew")
    return 0
