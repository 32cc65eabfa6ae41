"""The command lines of the front doors: an option or a choice that is misspelt is told with the nearest one."""

from __future__ import annotations

import argparse
import difflib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from typing import Any, NoReturn

from boundcheck.system.exits import Unusable, attempt

_CHOICE = re.compile(r"invalid choice: '([^']*)' \(choose from (.*)\)")


class Parser(argparse.ArgumentParser):
    """A parser whose faults are one line: what is wrong, the nearest name there is, where the usage is told.

    A command tells its own unknown options, the program does not tell them for it.
    """

    def error(self, message: str) -> NoReturn:
        """One line, no usage text."""
        wrong = _CHOICE.search(message)
        hint = "" if wrong is None else nearest(wrong[1], re.findall(r"[\w.:-]+", wrong[2]))
        raise Unusable(f"{message}{hint}; `{self.prog} --help` shows the usage")

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> tuple[Any, list[str]]:  # type: ignore[override]
        """As that of the library, which gives what a command does not know to the program; here it is told at once."""
        found, rest = super().parse_known_args(args, namespace)
        if rest:
            options = [o for action in self._actions for o in action.option_strings]
            plain = {o.lstrip("-"): o for o in reversed(options)}
            words = [word.partition("=")[0].lstrip("-") for word in rest if word.startswith("-")]
            hints = [nearest(word, plain, plain) for word in words]
            self.error(f"unrecognized arguments: {' '.join(rest)}{''.join(hints[:1])}")
        return found, rest

    def run(self, argv: Sequence[str] | None, hint: str = "interrupted") -> int:
        """The exit status of what the words ask for: of the default ``run`` of the parser that reads them."""

        def command() -> int:
            options = self.parse_args(argv)
            return int(options.run(options))

        return attempt(command, hint)


def front_door(prog: str, description: str) -> Parser:
    """The parser of a front door, which tells its version."""
    parser = Parser(prog=prog, description=description)
    parser.add_argument("--version", action="version", version=f"boundcheck {metadata.version('boundcheck')}")
    return parser


def nearest(word: str, known: Iterable[str], written: Mapping[str, str] | None = None) -> str:
    """``; did you mean ...?`` with the nearest of the known words, as it is ``written``; "" where none is near."""
    near = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean {(written or {}).get(near[0], near[0])}?" if near else ""


def seconds(text: str) -> float:
    """The value of an option that is a time."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number of seconds")
    return value
