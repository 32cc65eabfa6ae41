"""Front door: ``python -m boundcheck.lemma [COMMAND]``; thin, a module per command."""

from __future__ import annotations

from boundcheck.system.exits import opening

if __name__ == "__main__":
    opening()

import sys
from collections.abc import Sequence

from boundcheck.app.commands import check, doctor, eval, export, list, new, plan_command, show, verify
from boundcheck.system.arguments import Parser, front_door


def parser() -> Parser:
    """The command line."""
    found = front_door(
        "python -m boundcheck.lemma",
        "The paper's statements and your own claims: shown, evaluated, decided, verified.",
    )
    found.set_defaults(run=list.run)
    commands = found.add_subparsers(dest="command", metavar="COMMAND")
    for module in (list, show, eval, check, verify, export, plan_command, new, doctor):
        module.add(commands)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status. 2: unusable input, told on stderr, one line a fault."""
    return parser().run(argv)


if __name__ == "__main__":
    sys.exit(main())
