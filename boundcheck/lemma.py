"""Front door: ``python -m boundcheck.lemma [COMMAND]``; thin, a module per command."""

from __future__ import annotations

from boundcheck.system.exits import attempt, opening

if __name__ == "__main__":
    opening()

import argparse
import sys
from collections.abc import Sequence
from importlib import metadata
from types import ModuleType
from typing import NoReturn

from boundcheck.app.commands import check, doctor, eval, export, list, new, plan_command, show, verify
from boundcheck.app.commands.output import Unusable
from boundcheck.system.arguments import Parser
from boundcheck.system.files import FileFault

_COMMANDS: dict[str, ModuleType] = {
    "list": list,
    "show": show,
    "eval": eval,
    "check": check,
    "verify": verify,
    "export": export,
    "plan": plan_command,
    "new": new,
    "doctor": doctor,
}


class _Parser(Parser):
    def unusable(self, line: str) -> NoReturn:
        raise Unusable(line)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    found = _Parser(
        prog="python -m boundcheck.lemma",
        description="The paper's statements and your own claims: shown, evaluated, decided, verified.",
    )
    found.add_argument("--version", action="version", version=f"boundcheck {metadata.version('boundcheck')}")
    commands = found.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for module in _COMMANDS.values():
        module.add(commands)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status. 2: unusable input, told on stderr, one line a fault."""
    return attempt(lambda: _command(argv))


def _command(argv: Sequence[str] | None) -> int:
    try:
        options = parser().parse_args(argv)
        return int(_COMMANDS[options.command or "list"].run(options))
    except Unusable as fault:
        for line in fault.lines:
            print(f"error: {' '.join(line.split())}", file=sys.stderr)
        return 2
    except FileFault as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
